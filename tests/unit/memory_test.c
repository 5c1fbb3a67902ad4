/* Guest memory: permissions, bounds and page crossings, exact faults, accounting, and the
 * announcement of changes of code. */
#include "emu/memory/memory.h"
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

enum { PAGE = 4096, BOTH = PAGE_READ | PAGE_WRITE };

static struct memory make(uint64_t limit)
{
    struct diag diag = {.tool = "test"};
    struct memory memory;

    assert_true(memory_init(&memory, &diag, limit));
    return memory;
}

static void maps_and_counts(void **state)
{
    struct memory memory = make(4 * PAGE);

    (void)state;
    assert_false(memory_map(&memory, PAGE, 0, PAGE_READ));
    assert_false(memory_map(&memory, MEMORY_LIMIT - PAGE, PAGE + 1, PAGE_READ));
    assert_false(memory_map(&memory, UINT64_MAX, 2, PAGE_READ));
    assert_false(memory_map(&memory, PAGE, 4 * PAGE + 1, PAGE_READ));
    assert_int_equal(memory.mapped, 0);
    assert_true(memory_map(&memory, MEMORY_LIMIT - 1, 1, PAGE_READ));
    assert_true(memory_map(&memory, PAGE + 5, PAGE, PAGE_READ)); /* two pages */
    assert_int_equal(memory.mapped, 3 * PAGE);
    assert_true(memory_map(&memory, 2 * PAGE, PAGE, PAGE_WRITE)); /* adds a permission, no page */
    assert_int_equal(memory.mapped, 3 * PAGE);
    assert_true(memory_is(&memory, 2 * PAGE, PAGE, PAGE_READ | PAGE_WRITE));
    assert_false(memory_is(&memory, PAGE, 2 * PAGE, PAGE_WRITE));
    assert_false(memory_is(&memory, PAGE, 2 * PAGE + 1, PAGE_READ));
    memory_unmap(&memory, PAGE, 2 * PAGE);
    assert_int_equal(memory.mapped, PAGE);
    assert_true(memory_map(&memory, PAGE, 3 * PAGE, PAGE_READ));
    assert_false(memory_map(&memory, 10 * PAGE, 1, PAGE_READ));
    memory_free(&memory);
}

static void faults_are_exact(void **state)
{
    struct memory memory = make(16 * PAGE);
    struct fault fault;
    uint64_t value = UINT64_C(0x1122334455667788);

    (void)state;
    memory_map(&memory, PAGE, PAGE, PAGE_READ | PAGE_WRITE);
    memory_map(&memory, 2 * PAGE, PAGE, PAGE_READ);
    for (unsigned offset = 1; offset < 8;
         offset++) { /* into the read-only page: nothing is written */
        assert_false(memory_store(&memory, 2 * PAGE - offset, &value, 8, &fault));
        assert_int_equal(fault.cause, CAUSE_STORE_ACCESS);
        assert_int_equal(fault.value, 2 * PAGE);
        for (unsigned i = 1; i <= offset; i++)
            assert_int_equal(memory.host[2 * PAGE - i], 0);
    }
    assert_true(memory_store(&memory, 2 * PAGE - 8, &value, 8, &fault));
    for (unsigned offset = 0; offset <= 8; offset++)
        assert_true(memory_load(&memory, 2 * PAGE - offset, &value, 8, &fault));
    assert_false(memory_load(&memory, 3 * PAGE - 3, &value, 4, &fault));
    assert_int_equal(fault.cause, CAUSE_LOAD_ACCESS);
    assert_int_equal(fault.value, 3 * PAGE);
    assert_false(memory_load(&memory, 8, &value, 1, &fault));
    assert_int_equal(fault.value, 8);
    assert_false(memory_load(&memory, MEMORY_LIMIT - 1, &value, 2, &fault));
    assert_false(memory_load(&memory, UINT64_MAX - 3, &value, 8, &fault));
    assert_int_equal(fault.value, UINT64_MAX - 3);
    assert_false(memory_fetch(&memory, PAGE, 4, &value, &fault));
    assert_int_equal(fault.cause, CAUSE_FETCH_ACCESS);
    memory_map(&memory, 4 * PAGE, PAGE, PAGE_EXECUTE);
    assert_true(memory_fetch(&memory, 5 * PAGE - 2, 2, &value, &fault));
    assert_false(memory_fetch(&memory, 5 * PAGE - 2, 4, &value, &fault));
    assert_int_equal(fault.value, 5 * PAGE);
    memory_free(&memory);
}

static void ranges_need_all_pages(void **state)
{
    struct memory memory = make(16 * PAGE);

    (void)state;
    memory_map(&memory, PAGE, 2 * PAGE, PAGE_READ | PAGE_WRITE);
    memory_map(&memory, 3 * PAGE, PAGE, PAGE_READ);
    assert_ptr_equal(memory_range(&memory, PAGE + 1, 2 * PAGE - 1, true), memory.host + PAGE + 1);
    assert_null(memory_range(&memory, PAGE + 1, 2 * PAGE, true));
    assert_non_null(memory_range(&memory, PAGE + 1, 2 * PAGE, false));
    assert_null(memory_range(&memory, PAGE, 3 * PAGE + 1, false));
    assert_null(memory_range(&memory, UINT64_MAX, 2, false));
    assert_null(memory_range(&memory, PAGE, UINT64_MAX, false));
    assert_non_null(memory_range(&memory, UINT64_MAX, 0, true));
    assert_true(memory_poke(&memory, 3 * PAGE, "x", 1));
    assert_false(memory_poke(&memory, 4 * PAGE - 1, "xy", 2));
    assert_false(memory_protect(&memory, 3 * PAGE, 2 * PAGE, 0));
    assert_true(memory_protect(&memory, 3 * PAGE, PAGE, 0));
    assert_null(memory_range(&memory, 3 * PAGE, 1, false));
    assert_int_equal(*(const char *)memory_peek(&memory, 3 * PAGE, 1), 'x');
    memory_unmap(&memory, 3 * PAGE, PAGE);
    memory_map(&memory, 3 * PAGE, PAGE, PAGE_READ);
    assert_int_equal(*(const char *)memory_peek(&memory, 3 * PAGE, 1), 0);
    memory_free(&memory);
}

static void finds_the_highest_room(void **state)
{
    struct memory memory = make(MEMORY_LIMIT);

    (void)state;
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, 2 * PAGE), 8 * PAGE);
    memory_map(&memory, 8 * PAGE, PAGE, 0);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, PAGE), 9 * PAGE);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, PAGE + 1), 6 * PAGE);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, 7 * PAGE), PAGE);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, 8 * PAGE), 0);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, 0), 0);
    assert_int_equal(memory_find_free(&memory, PAGE, 10 * PAGE, UINT64_MAX), 0);
    assert_int_equal(memory_find_free(&memory, 10 * PAGE, PAGE, PAGE), 0);
    memory_free(&memory);
}

/* Addresses that are only reserved do not count, and large ranges of them cost nothing. */
static void reserves_addresses(void **state)
{
    enum { PAGES = 1 << 20 };
    struct memory memory = make(4 * PAGE);
    uint64_t high = MEMORY_CODE_LIMIT + PAGE;
    bool is_used = false;

    (void)state;
    assert_true(memory_map(&memory, high, PAGES * (uint64_t)PAGE, 0));
    assert_int_equal(memory.mapped, 0);
    for (size_t i = 0; i < MEMORY_PAGES / MEMORY_STRETCH; i++)
        is_used |= memory.used[i];
    assert_false(is_used);
    assert_true(memory_is(&memory, high, PAGES * (uint64_t)PAGE, PAGE_MAPPED));
    assert_false(memory_is(&memory, high, PAGES * (uint64_t)PAGE + 1, PAGE_MAPPED));
    assert_int_equal(memory_next_mapped(&memory, 0, MEMORY_PAGES), high / PAGE);
    assert_int_equal(memory_next_mapped(&memory, 0, high / PAGE), high / PAGE);
    assert_int_equal(memory_find_alike(&memory, high / PAGE, MEMORY_PAGES, ~PAGE_CODE),
                     high / PAGE + PAGES);
    assert_int_equal(memory_find_alike(&memory, high / PAGE, high / PAGE + 5, ~PAGE_CODE),
                     high / PAGE + 5);
    assert_int_equal(memory_next_mapped(&memory, high / PAGE + PAGES, MEMORY_PAGES), MEMORY_PAGES);

    assert_false(memory_protect(&memory, high, 5 * PAGE, PAGE_READ));
    assert_true(memory_protect(&memory, high + PAGE, 3 * PAGE, BOTH));
    assert_int_equal(memory.mapped, 3 * PAGE);
    assert_true(memory_poke(&memory, high + 2 * PAGE, "x", 1));
    assert_true(memory_protect(&memory, high, 4 * PAGE, 0)); /* contents still count */
    assert_int_equal(memory.mapped, 3 * PAGE);
    assert_int_equal(memory_find_alike(&memory, high / PAGE + 1, MEMORY_PAGES, PAGE_COUNTED),
                     high / PAGE + 4);
    assert_true(memory_protect(&memory, high, 4 * PAGE, PAGE_READ));
    assert_int_equal(memory.mapped, 4 * PAGE);
    assert_int_equal(*(const char *)memory_peek(&memory, high + 2 * PAGE, 1), 'x');
    memory_unmap(&memory, high, PAGES * (uint64_t)PAGE);
    assert_int_equal(memory.mapped, 0);
    memory_free(&memory);
}

/* Code is below MEMORY_CODE_LIMIT. */
static void high_pages_are_not_executable(void **state)
{
    struct memory memory = make(MEMORY_LIMIT);
    uint64_t below = MEMORY_CODE_LIMIT - PAGE;

    (void)state;
    assert_false(memory_map(&memory, below, 2 * PAGE, PAGE_READ | PAGE_EXECUTE));
    assert_true(memory_map(&memory, below, PAGE, PAGE_READ | PAGE_EXECUTE));
    assert_true(memory_map(&memory, below + PAGE, PAGE, BOTH));
    assert_false(memory_protect(&memory, below, 2 * PAGE, PAGE_EXECUTE));
    assert_true(memory_is(&memory, below + PAGE, PAGE, BOTH));
    memory_free(&memory);
}

enum { PAGES = 70, FIRST = 1000 };

/* Are accesses of the kinds in `permissions` direct? Pages from 20 on are watched, stores of the
 * user to those from 40 on are slow. */
static unsigned direct_accesses(unsigned permissions, unsigned page, unsigned view, bool has_some)
{
    if (has_some && page >= 20 && page < 30)
        return 0;
    return permissions &
           (has_some && view == VIEW_USER && page >= 40 && page < 50 ? PAGE_READ
                                                                     : PAGE_READ | PAGE_WRITE);
}

/* Maps, protects and unmaps ranges of pages at random, and compares with a model of each page. */
static void check_ranges(bool has_some)
{
    struct memory memory = make(MEMORY_LIMIT);
    unsigned model[PAGES + 1] = {0};
    bool counts[PAGES] = {0};
    uint32_t random = 7;

    if (has_some) {
        memory_watch(&memory, (FIRST + 20) * PAGE, 10 * PAGE);
        memory_slow(&memory, VIEW_USER, FIRST + 40, FIRST + 50, PAGE_WRITE);
    }
    for (unsigned round = 0; round < 20000; round++) {
        random = random * 1664525 + 1013904223;
        unsigned from = (random >> 8) % PAGES, count = 1 + (random >> 20) % (PAGES - from),
                 permissions = random >> 28 & 3, mapped = 0, wanted = 1 + (random >> 16) % 20;
        for (unsigned i = from; i < from + count; i++)
            mapped += model[i] != 0;
        unsigned action = random >> 30;
        if (action == 0)
            memory_unmap(&memory, (FIRST + from) * PAGE, count * PAGE);
        else if (action == 1)
            assert_true(memory_map(&memory, (FIRST + from) * PAGE, count * PAGE, permissions));
        else
            assert_int_equal(
                memory_protect(&memory, (FIRST + from) * PAGE, count * PAGE, permissions),
                mapped == count);
        for (unsigned i = from; i < from + count; i++)
            model[i] = action == 0       ? 0
                       : action == 1     ? model[i] | PAGE_MAPPED | permissions
                       : mapped == count ? PAGE_MAPPED | permissions
                                         : model[i];
        for (unsigned i = from; i < from + count; i++)
            counts[i] = model[i] && (counts[i] || model[i] & BOTH);
        uint64_t pages = 0, found = 0, free = 0;
        for (unsigned i = PAGES; i-- > 0;) {
            pages += counts[i];
            free = model[i] ? 0 : free + 1;
            if (free == wanted && !found)
                found = (FIRST + i) * PAGE;
            for (unsigned view = 0; view < VIEWS; view++) {
                unsigned direct = direct_accesses(model[i], i, view, has_some);
                unsigned both = direct & direct_accesses(model[i + 1], i + 1, view, has_some);
                assert_int_equal(memory.views[view][FIRST + i] & (BOTH | BOTH << SPAN_SHIFT),
                                 direct | both << SPAN_SHIFT);
            }
        }
        assert_int_equal(memory.mapped, pages * PAGE);
        assert_int_equal(memory_find_free(&memory, FIRST * PAGE, (FIRST + PAGES) * (uint64_t)PAGE,
                                          wanted * PAGE),
                         found);
    }
    memory_free(&memory);
}

static void ranges_are_as_their_pages(void **state)
{
    (void)state;
    check_ranges(false);
    check_ranges(true);
}

static void note_change(void *context, uint64_t address, uint64_t end)
{
    uint64_t *seen = context;

    assert_int_equal(address / PAGE, (end - 1) / PAGE);
    seen[0]++;
    seen[1] = address / PAGE;
}

static void changes_of_code_are_announced(void **state)
{
    struct memory memory = make(16 * PAGE);
    struct fault fault;
    uint64_t seen[2] = {0}, value = 1;

    (void)state;
    memory.code_changes = note_change;
    memory.code_context = seen;
    memory_map(&memory, PAGE, 3 * PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    memory_mark_code(&memory, 2 * PAGE, PAGE);
    memory_store(&memory, 2 * PAGE - 8, &value, 8, &fault);
    memory_load(&memory, 2 * PAGE, &value, 8, &fault);
    memory_range(&memory, 2 * PAGE, PAGE, false);
    assert_int_equal(seen[0], 0);
    value = UINT64_MAX;
    memory_store(&memory, 2 * PAGE - 1, &value, 2, &fault);
    memory_store(&memory, 3 * PAGE - 1, &value, 1, &fault);
    assert_int_equal(seen[0], 2);
    assert_int_equal(seen[1], 2);
    memory_range(&memory, PAGE, 3 * PAGE, true);
    memory_poke(&memory, 2 * PAGE + 9, "x", 1);
    memory_protect(&memory, PAGE, 2 * PAGE, PAGE_READ);
    memory_mark_code(&memory, 2 * PAGE, PAGE);
    memory_unmap(&memory, 2 * PAGE, 2 * PAGE);
    assert_int_equal(seen[0], 6);
    memory_free(&memory);
}

/* Only changes of the bytes that are marked. Code runs from page 1 into page 2. */
static void changes_beside_code_are_not_announced(void **state)
{
    struct memory memory = make(16 * PAGE);
    struct fault fault;
    uint64_t seen[2] = {0};
    uint64_t value = 1, begin = 2 * PAGE - 6, end = 2 * PAGE + 130;

    (void)state;
    memory.code_changes = note_change;
    memory.code_context = seen;
    memory_map(&memory, PAGE, 3 * PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    memory_mark_code(&memory, begin, end - begin);
    memory_store(&memory, begin - 8, &value, 8, &fault);
    memory_store(&memory, end, &value, 8, &fault);
    memory_poke(&memory, PAGE, "x", 1);
    memory_range(&memory, end, 2 * PAGE - 130, true);
    assert_int_equal(seen[0], 0);
    memory_store(&memory, begin - 1, &value, 2, &fault);
    assert_int_equal(seen[0], 1);
    assert_int_equal(seen[1], 1);
    memory_store(&memory, end - 1, &value, 1, &fault);
    assert_int_equal(seen[0], 2);
    assert_int_equal(seen[1], 2);
    memory_poke(&memory, end - 8, &value, 8);
    memory_range(&memory, PAGE, 3 * PAGE, true);
    assert_int_equal(seen[0], 5);
    /* Bytes that stay as they are do not change. */
    memory_load(&memory, end - 8, &value, 8, &fault);
    memory_store(&memory, end - 8, &value, 8, &fault);
    assert_int_equal(seen[0], 5);
    memory_unmark_code(&memory, 2 * PAGE, 2 * PAGE + 64);
    value = 3;
    memory_store(&memory, 2 * PAGE + 62, &value, 2, &fault);
    assert_int_equal(seen[0], 5);
    memory_store(&memory, 2 * PAGE + 64, &value, 2, &fault);
    assert_int_equal(seen[0], 6);
    memory_unmark_code(&memory, 2 * PAGE, 3 * PAGE);
    value = 2;
    memory_store(&memory, end - 2, &value, 2, &fault);
    assert_int_equal(seen[0], 6);
    memory_mark_code(&memory, end, 2);
    memory_watch_code(&memory, 2, false);
    memory_store(&memory, end, &value, 2, &fault);
    memory_watch_code(&memory, 2, true);
    assert_int_equal(seen[0], 6);
    value = 1;
    memory_store(&memory, end, &value, 2, &fault);
    assert_int_equal(seen[0], 7);
    memory_free(&memory);
}

static void drop_code(void *context, uint64_t address, uint64_t end)
{
    memory_unmark_code(context, address, end);
}

/* Many stores beside a little code have it dropped, so that the next ones need no check; and the
 * next time, it takes twice as many. */
static void code_gives_way_to_data(void **state)
{
    struct memory memory = make(16 * PAGE);
    struct fault fault;
    unsigned checked[2] = {0};

    (void)state;
    memory.code_changes = drop_code;
    memory.code_context = &memory;
    memory_map(&memory, PAGE, PAGE, PAGE_READ | PAGE_WRITE | PAGE_EXECUTE);
    for (unsigned round = 0; round < 2; round++) {
        memory_mark_code(&memory, PAGE, 60);
        for (uint64_t value = 1; !memory_is_direct(memory.fast, PAGE + 64, 8, PAGE_WRITE);
             value++) {
            assert_true(memory_store(&memory, PAGE + 64, &value, 8, &fault));
            checked[round]++;
        }
    }
    assert_in_range(checked[0], 2, 100);
    assert_int_equal(checked[1], 2 * checked[0]);
    memory_free(&memory);
}

static void cleared_memory_stays_mapped(void **state)
{
    struct memory memory = make(16 * PAGE);
    uint64_t seen[2] = {0};

    (void)state;
    memory.code_changes = note_change;
    memory.code_context = seen;
    memory_map(&memory, PAGE, 3 * PAGE, BOTH);
    memory_protect(&memory, 2 * PAGE, PAGE, PAGE_READ);
    memory_mark_code(&memory, 3 * PAGE, PAGE);
    for (uint64_t page = 1; page < 4; page++)
        memory_poke(&memory, page * PAGE, "x", 1);
    assert_int_equal(seen[0], 1);
    memory_clear(&memory, PAGE, 2 * PAGE);
    assert_int_equal(seen[0], 1);
    assert_int_equal(memory.host[PAGE], 0);
    assert_int_equal(memory.host[2 * PAGE], 0);
    assert_int_equal(memory.host[3 * PAGE], 'x');
    memory_clear(&memory, 3 * PAGE, PAGE);
    assert_int_equal(seen[0], 2);
    assert_int_equal(memory.mapped, 3 * PAGE);
    assert_true(memory_is(&memory, PAGE, PAGE, BOTH));
    assert_false(memory_is(&memory, 2 * PAGE, PAGE, PAGE_WRITE));
    memory_free(&memory);
}

/* What the host's memory management allows at the byte: the kernel refuses to read or write it. */
static unsigned host_allows(const struct memory *memory, uint64_t address)
{
    int ends[2];
    unsigned allowed = 0;

    assert_int_equal(pipe(ends), 0);
    if (write(ends[1], memory->host + address, 1) == 1)
        allowed |= PAGE_READ;
    else
        assert_int_equal(write(ends[1], "x", 1), 1);
    if (read(ends[0], memory->host + address, 1) == 1)
        allowed |= PAGE_WRITE;
    close(ends[0]);
    close(ends[1]);
    return allowed;
}

/* Maps a file of this many pages, in which the bytes of each are its number, and 'a'. */
static char *map_numbered(unsigned pages)
{
    FILE *file = tmpfile();

    assert_non_null(file);
    for (unsigned i = 0; i < pages * PAGE; i++)
        putc((int)('a' + i / PAGE), file);
    assert_int_equal(fflush(file), 0);
    char *bytes = mmap(NULL, pages * PAGE, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    assert_true(bytes != MAP_FAILED);
    fclose(file);
    return bytes;
}

/* Whole pages of an open file are shared with it until the guest changes the file. */
static void pages_of_an_open_file_are_shared(void **state)
{
    enum { PAGES = 8, FIRST = 16 };
    FILE *file = tmpfile();
    struct stat status;

    (void)state;
    assert_non_null(file);
    for (unsigned i = 0; i < PAGES * PAGE + 100; i++)
        putc((int)('a' + i / PAGE), file);
    assert_int_equal(fflush(file), 0);
    assert_int_equal(fstat(fileno(file), &status), 0);
    for (unsigned mirrored = 0; mirrored < 2; mirrored++) {
        struct memory memory = make(64 * PAGE);
        if (mirrored)
            assert_true(memory_begin_mirror(&memory));
        assert_int_equal(pwrite(fileno(file), "a", 1, 0), 1);
        assert_true(memory_map(&memory, FIRST * PAGE, (PAGES + 2) * PAGE, BOTH));
        /* the bytes after the last whole page are the caller's */
        assert_int_equal(memory_share(&memory, FIRST * PAGE, (PAGES + 2) * PAGE, fileno(file), 0),
                         PAGES * PAGE);
        const char *guest = memory_peek(&memory, FIRST * PAGE, (PAGES + 2) * PAGE);
        assert_int_equal(guest[PAGES * PAGE - 1], 'a' + PAGES - 1);
        assert_int_equal(guest[PAGES * PAGE], 0);
        assert_int_equal(guest[(PAGES + 1) * PAGE], 0);
        assert_int_equal(pwrite(fileno(file), "S", 1, 0), 1);
        assert_int_equal(guest[0], 'S');
        /* a part of them is mapped again, one is written, one cannot be read, one goes */
        assert_int_equal(memory_share(&memory, (FIRST + 4) * PAGE, 4 * PAGE, fileno(file), PAGE),
                         4 * PAGE);
        assert_int_equal(guest[4 * PAGE], 'b');
        assert_true(memory_poke(&memory, (FIRST + 1) * PAGE, "W", 1));
        assert_true(memory_protect(&memory, (FIRST + 2) * PAGE, PAGE, 0));
        memory_unmap(&memory, (FIRST + 3) * PAGE, PAGE);
        assert_true(memory_protect(&memory, FIRST * PAGE, PAGE, PAGE_READ));
        memory_unshare(&memory, status.st_dev, status.st_ino + 1);
        assert_int_equal(memory.share_count, 2); /* before the page that went, and after it */
        memory_unshare(&memory, status.st_dev, status.st_ino);
        assert_int_equal(memory.share_count, 0);
        assert_int_equal(pwrite(fileno(file), "T", 1, 0), 1);
        assert_int_equal(guest[0], 'S');
        assert_int_equal(guest[PAGE], 'W');
        assert_int_equal(guest[PAGE + 1], 'b');
        assert_int_equal(guest[4 * PAGE], 'b');
        assert_int_equal(guest[7 * PAGE], 'e');
        assert_int_equal(host_allows(&memory, FIRST * PAGE), mirrored ? PAGE_READ : BOTH);
        assert_int_equal(host_allows(&memory, (FIRST + 1) * PAGE), BOTH);
        assert_int_equal(host_allows(&memory, (FIRST + 2) * PAGE), mirrored ? 0 : BOTH);
        assert_true(memory_map(&memory, (FIRST + 3) * PAGE, PAGE, BOTH));
        assert_int_equal(guest[3 * PAGE], 0);
        /* what is shared no more is no limit */
        for (unsigned i = 0; i < 2 * MEMORY_SHARES; i++) {
            assert_int_equal(memory_share(&memory, FIRST * PAGE, 4 * PAGE, fileno(file), 0),
                             4 * PAGE);
            memory_unmap(&memory, FIRST * PAGE, 4 * PAGE);
            assert_true(memory_map(&memory, FIRST * PAGE, 4 * PAGE, BOTH));
            assert_int_equal(guest[0], 0);
        }
        memory_free(&memory);
    }
    fclose(file);
}

/* Whole pages of a file are shared with it until they are written; the rest of the first and last
 * page stays zero, and so is what is cleared or mapped there later. */
static void pages_of_a_file_are_filled(void **state)
{
    enum { PAGES = 8 };
    char *bytes = map_numbered(PAGES);

    (void)state;
    for (unsigned mirrored = 0; mirrored < 2; mirrored++) {
        struct memory memory = make(32 * PAGE);
        uint64_t length = PAGES * PAGE - 200;
        if (mirrored)
            assert_true(memory_begin_mirror(&memory));
        assert_true(memory_map(&memory, 16 * PAGE, PAGES * PAGE, PAGE_READ));
        assert_true(memory_fill(&memory, 16 * PAGE + 100, bytes + 100, length));
        const char *guest = memory_peek(&memory, 16 * PAGE, PAGES * PAGE);
        for (uint64_t i = 0; i < PAGES * PAGE; i++)
            assert_int_equal(guest[i], i < 100 || i >= 100 + length ? 0 : (int)('a' + i / PAGE));
        assert_int_equal(host_allows(&memory, 18 * PAGE), mirrored ? PAGE_READ : BOTH);
        assert_true(memory_poke(&memory, 18 * PAGE, "X", 1));
        assert_int_equal(guest[2 * PAGE], 'X');
        assert_int_equal(guest[2 * PAGE + 1], 'c');
        assert_int_equal(bytes[2 * PAGE], 'c');
        memory_clear(&memory, 19 * PAGE, PAGE);
        assert_int_equal(guest[3 * PAGE], 0);
        assert_int_equal(guest[4 * PAGE], 'e');
        assert_int_equal(host_allows(&memory, 19 * PAGE), mirrored ? PAGE_READ : BOTH);
        memory_unmap(&memory, 20 * PAGE, 2 * PAGE);
        assert_true(memory_map(&memory, 20 * PAGE, 2 * PAGE, BOTH));
        assert_int_equal(guest[4 * PAGE], 0);
        assert_int_equal(guest[5 * PAGE + 1], 0);
        assert_int_equal(guest[6 * PAGE], 'g');
        assert_int_equal(host_allows(&memory, 20 * PAGE), BOTH);
        /* Bytes that are not at the same place of a page are copied. */
        assert_true(memory_map(&memory, PAGE, PAGES * PAGE, PAGE_READ));
        assert_true(memory_fill(&memory, PAGE + 1, bytes, 6 * PAGE));
        assert_int_equal(memory.host[PAGE], 0);
        assert_int_equal(memory.host[PAGE + 1], 'a');
        assert_int_equal(memory.host[2 * PAGE + 1], 'b');
        assert_false(memory_fill(&memory, 14 * PAGE, bytes, 6 * PAGE));
        memory_free(&memory);
    }
    for (unsigned i = 0; i < PAGES; i++)
        assert_int_equal(bytes[i * PAGE], 'a' + i);
    munmap(bytes, PAGES * PAGE);
}

static void the_host_mirrors_permissions(void **state)
{
    struct memory memory = make(16 * PAGE);

    (void)state;
    memory_map(&memory, PAGE, 3 * PAGE, BOTH);
    memory_map(&memory, 4 * PAGE, PAGE, PAGE_READ);
    memory_mark_code(&memory, 2 * PAGE, PAGE);
    assert_int_equal(host_allows(&memory, 0), BOTH);
    assert_true(memory_begin_mirror(&memory));
    assert_int_equal(host_allows(&memory, 0), 0);
    assert_int_equal(host_allows(&memory, (uint64_t)0 - 1), 0);
    assert_int_equal(host_allows(&memory, MEMORY_LIMIT), 0);
    assert_int_equal(host_allows(&memory, PAGE), BOTH);
    assert_int_equal(host_allows(&memory, 2 * PAGE), PAGE_READ);
    assert_int_equal(host_allows(&memory, 4 * PAGE + 1), PAGE_READ);
    assert_int_equal(host_allows(&memory, 5 * PAGE), 0);
    memory_unmark_code(&memory, 2 * PAGE, 3 * PAGE);
    assert_int_equal(host_allows(&memory, 2 * PAGE), BOTH);
    assert_true(memory_poke(&memory, 4 * PAGE, "y", 1));
    assert_int_equal(*(const char *)memory_peek(&memory, 4 * PAGE, 1), 'y');
    assert_int_equal(host_allows(&memory, 4 * PAGE), PAGE_READ);
    memory_map(&memory, 5 * PAGE, PAGE, BOTH);
    assert_int_equal(host_allows(&memory, 5 * PAGE), BOTH);
    memory_protect(&memory, PAGE, 2 * PAGE, 0);
    assert_int_equal(host_allows(&memory, 2 * PAGE), 0);
    assert_null(memory_peek(&memory, 2 * PAGE, 1));
    memory_unmap(&memory, 3 * PAGE, PAGE);
    assert_int_equal(host_allows(&memory, 3 * PAGE), 0);
    /* A page that can only be executed cannot be mirrored. */
    assert_true(memory.is_mirror);
    memory_protect(&memory, 5 * PAGE, PAGE, PAGE_EXECUTE);
    assert_false(memory.is_mirror);
    assert_int_equal(host_allows(&memory, 0), BOTH);
    assert_false(memory_begin_mirror(&memory));
    memory_free(&memory);
}

/* Did the host accept that the byte of guest memory is in a large page? */
static bool may_be_large(const struct memory *memory, uint64_t address)
{
    uintptr_t wanted = (uintptr_t)memory->host + address, first, end;
    FILE *maps = fopen("/proc/self/smaps", "r");
    bool inside = false, found = false;
    char line[512];

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            inside = first <= wanted && wanted < end;
        found |= inside && strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " hg");
    }
    fclose(maps);
    return found;
}

static void much_memory_is_in_large_pages(void **state)
{
    uint64_t few = 32 * PAGE, many = 9 * PAGE + 5;
    struct memory memory = make(MEMORY_LIMIT);

    (void)state;
    if (madvise(memory.host, MEMORY_MANY, MADV_HUGEPAGE) != 0)
        skip(); /* the host has none */
    madvise(memory.host, MEMORY_MANY, MADV_NOHUGEPAGE);
    memory_map(&memory, many, MEMORY_MANY, BOTH);
    memory_map(&memory, few + MEMORY_MANY, MEMORY_MANY - 1, BOTH);
    memory_expect(&memory, many, MEMORY_MANY);
    memory_expect(&memory, few + MEMORY_MANY, MEMORY_MANY - 1);
    assert_false(may_be_large(&memory, many));
    assert_true(may_be_large(&memory, many + PAGE));
    assert_true(may_be_large(&memory, many + MEMORY_MANY - 1));
    assert_false(may_be_large(&memory, few + MEMORY_MANY));
    memory_free(&memory);
}

/* Returns how many bytes of the mapping with this byte of guest memory are in large pages. */
static unsigned long large_bytes(const struct memory *memory, uint64_t address)
{
    uintptr_t wanted = (uintptr_t)memory->host + address, first, end;
    FILE *maps = fopen("/proc/self/smaps", "r");
    unsigned long found = 0, size;
    bool inside = false;
    char line[512];

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2)
            inside = first <= wanted && wanted < end;
        if (inside && sscanf(line, "AnonHugePages: %lu kB", &size) == 1)
            found = size << 10;
    }
    fclose(maps);
    return found;
}

static void memory_that_grows_comes_into_large_pages(void **state)
{
    enum { STEP = 33 * PAGE };
    uint64_t start = 9 * PAGE, end = start;
    struct memory memory = make(MEMORY_LIMIT);

    (void)state;
    while (end - start < MEMORY_MANY + MEMORY_MANY / 2) {
        uint64_t old = end;
        end += STEP;
        memory_map(&memory, old, STEP, BOTH);
        memset(memory.host + old, (int)(old / STEP), STEP);
        memory_collapse(&memory, start, old, end);
    }
    for (uint64_t at = start; at < end; at += PAGE)
        assert_int_equal(memory.host[at], (unsigned char)((at - (at - start) % STEP) / STEP));
    /* At most two large pages are not complete: the first one and the last one. */
    uintptr_t large = ((uintptr_t)memory.host + start + MEMORY_MANY / 2 - 1) & -(MEMORY_MANY / 2);
    if (large_bytes(&memory, start) < MEMORY_MANY / 2 &&
        madvise((void *)large, MEMORY_MANY / 2, 25 /* MADV_COLLAPSE */) == 0)
        fail_msg("the host could have given large pages");
    memory_free(&memory);
}

static void populated_memory_is_there(void **state)
{
    struct memory memory = make(16 * PAGE);
    unsigned char is_there[4];

    (void)state;
#ifndef MADV_POPULATE_WRITE
    skip();
#endif
    memory_map(&memory, 0, 4 * PAGE, BOTH);
    memory_populate(&memory, PAGE, 2 * PAGE);
    assert_int_equal(mincore(memory.host, 4 * PAGE, is_there), 0);
    assert_int_equal(is_there[0] & 1, 0);
    assert_int_equal(is_there[1] & 1, 1);
    assert_int_equal(is_there[2] & 1, 1);
    assert_int_equal(is_there[3] & 1, 0);
    memory_free(&memory);
}

/* Where the host does not write pages in spite of their permissions, it changes them for each store
 * instead, and is not asked again. */
static void a_host_may_refuse_to_write(void **state)
{
    struct memory memory = make(16 * PAGE);

    (void)state;
    assert_true(memory_map(&memory, PAGE, PAGE, BOTH));
    assert_true(memory_begin_mirror(&memory));
    memory_mark_code(&memory, PAGE, 16);
    memory.writer = open("/dev/null", O_RDONLY);
    assert_true(memory_poke(&memory, PAGE + 100, "X", 1));
    assert_int_equal(memory.writer, MEMORY_WRITER_NONE);
    assert_int_equal(host_allows(&memory, PAGE), PAGE_READ);
    assert_true(memory_poke(&memory, PAGE + 101, "Y", 1));
    assert_memory_equal(memory_peek(&memory, PAGE + 100, 2), "XY", 2);
    memory_free(&memory);
}

/* A mirror ends when its pages change more often than allowed: their permissions, or bytes where
 * stores are checked, which cost less. */
static void a_mirror_that_changes_often_ends(void **state)
{
    struct memory memory = make(16 * PAGE);

    (void)state;
    assert_true(memory_map(&memory, PAGE, 4 * PAGE, BOTH));
    assert_true(memory_begin_mirror(&memory));
    memory_mark_code(&memory, 2 * PAGE, 16);
    uint64_t before = memory.changes;
    assert_true(memory_poke(&memory, 2 * PAGE + 99, "W", 1));
    uint64_t cost = memory.changes - before; /* depends on the host */
    assert_int_equal(cost, memory.writer < 0 ? 4 : 1);
    memory.changes_allowed = memory.changes + 4 + cost;
    assert_true(memory_protect(&memory, PAGE, PAGE, PAGE_READ));
    assert_true(memory_poke(&memory, 2 * PAGE + 100, "X", 1));
    assert_true(memory_mirrors(&memory, VIEW_MACHINE));
    assert_int_equal(host_allows(&memory, PAGE), PAGE_READ);
    assert_int_equal(host_allows(&memory, 2 * PAGE), PAGE_READ);
    assert_true(memory_poke(&memory, 2 * PAGE + 101, "Y", 1));
    assert_false(memory_mirrors(&memory, VIEW_MACHINE));
    assert_int_equal(host_allows(&memory, PAGE), BOTH);
    assert_memory_equal(memory_peek(&memory, 2 * PAGE + 99, 3), "WXY", 3);
    memory_free(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_counts),
        cmocka_unit_test(faults_are_exact),
        cmocka_unit_test(ranges_need_all_pages),
        cmocka_unit_test(finds_the_highest_room),
        cmocka_unit_test(reserves_addresses),
        cmocka_unit_test(high_pages_are_not_executable),
        cmocka_unit_test(ranges_are_as_their_pages),
        cmocka_unit_test(changes_of_code_are_announced),
        cmocka_unit_test(changes_beside_code_are_not_announced),
        cmocka_unit_test(code_gives_way_to_data),
        cmocka_unit_test(cleared_memory_stays_mapped),
        cmocka_unit_test(pages_of_a_file_are_filled),
        cmocka_unit_test(pages_of_an_open_file_are_shared),
        cmocka_unit_test(the_host_mirrors_permissions),
        cmocka_unit_test(much_memory_is_in_large_pages),
        cmocka_unit_test(memory_that_grows_comes_into_large_pages),
        cmocka_unit_test(populated_memory_is_there),
        cmocka_unit_test(a_mirror_that_changes_often_ends),
        cmocka_unit_test(a_host_may_refuse_to_write),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
