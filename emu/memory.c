/* Guest memory: see memory.h. The host mapping is readable and writable everywhere, unless it
 * mirrors the guest's permissions, and its memory is not committed in advance. */
#include "emu/memory.h"
#include "lib/file.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void *map_reserved(size_t length, int protection)
{
    return mmap(NULL, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

static void cannot_reserve(struct diag *diag, size_t length)
{
    diag_error(diag, NULL,
               "cannot reserve %zu MiB of address space for the guest: %s; check the address "
               "space limit "
               "(ulimit -v)",
               length >> 20, strerror(errno));
}

static void *reserve(struct diag *diag, size_t length)
{
    void *host = map_reserved(length, PROT_READ | PROT_WRITE);

    if (host == MAP_FAILED) {
        cannot_reserve(diag, length);
        return NULL;
    }
    return host;
}

/* Reserves the addresses of guest memory between two margins, as many as the host has. */
static void reserve_guest(struct memory *memory, struct diag *diag)
{
    static const struct {
        uint64_t end, margin;
    } sizes[] = {
        {MEMORY_LIMIT, MEMORY_HAS_REACH ? MEMORY_REACH : MEMORY_MARGIN},
        {MEMORY_CODE_LIMIT, MEMORY_MARGIN},
    };

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint64_t end = sizes[i].end, margin = sizes[i].margin;
        unsigned char *whole = map_reserved(end + 2 * margin, PROT_NONE);
        if (whole != MAP_FAILED && mprotect(whole + margin, end, PROT_READ | PROT_WRITE) == 0) {
            memory->host = whole + margin;
            memory->end = end;
            memory->margin = margin;
            return;
        }
        if (whole != MAP_FAILED)
            munmap(whole, end + 2 * margin);
    }
    cannot_reserve(diag, MEMORY_CODE_LIMIT);
}

bool memory_init(struct memory *memory, struct diag *diag, uint64_t limit)
{
    *memory = (struct memory){.limit = limit, .changes_allowed = UINT64_MAX};
    reserve_guest(memory, diag);
    if (memory->host)
        memory->pages = reserve(diag, MEMORY_PAGES);
    if (memory->pages)
        memory->code = reserve(diag, MEMORY_CODE_PAGES * sizeof *memory->code);
    bool good = memory->code;
    for (unsigned view = 0; good && view < VIEWS; view++)
        good = (memory->views[view] = reserve(diag, MEMORY_PAGES)) != NULL;
    memory->fast = memory->views[VIEW_MACHINE];
    if (!good)
        memory_free(memory);
    return good;
}

void memory_free(struct memory *memory)
{
    if (memory->host)
        munmap(memory->host - memory->margin, memory->end + 2 * memory->margin);
    if (memory->pages)
        munmap(memory->pages, MEMORY_PAGES);
    if (memory->code)
        munmap(memory->code, MEMORY_CODE_PAGES * sizeof *memory->code);
    arena_free(&memory->code_arena);
    free(memory->shares);
    for (unsigned view = 0; view < VIEWS; view++)
        if (memory->views[view])
            munmap(memory->views[view], MEMORY_PAGES);
    *memory = (struct memory){0};
}

/* ---- views ---- */

/* The upper bits of a view's byte: accesses that must take the slow path whatever the page's
 * permissions. */
enum { SLOW_SHIFT = 4, SLOW = (PAGE_READ | PAGE_WRITE) << SLOW_SHIFT };

/* Updates the bits of enum page_span. */
static void refresh_span(unsigned char *view, uint64_t page)
{
    unsigned next = page + 1 < MEMORY_PAGES ? view[page + 1] : 0;
    unsigned both = view[page] & next & (PAGE_READ | PAGE_WRITE);

    view[page] = (view[page] & ~(SPAN_READ | SPAN_WRITE)) | both << SPAN_SHIFT;
}

static void refresh(struct memory *memory, uint64_t page)
{
    unsigned now = memory->pages[page];
    bool is_watched = page >= memory->first_watched && page < memory->end_watched;
    unsigned direct = is_watched ? 0 : now & (PAGE_READ | (now & PAGE_CODE ? 0 : PAGE_WRITE));

    for (unsigned view = 0; view < VIEWS; view++) {
        unsigned char *byte = &memory->views[view][page];
        *byte = (*byte & SLOW) | (direct & ~(*byte >> SLOW_SHIFT));
        refresh_span(memory->views[view], page);
        if (page)
            refresh_span(memory->views[view], page - 1);
    }
}

/* The same for the pages [first, end), which have the same permissions. */
static void refresh_all(struct memory *memory, uint64_t first, uint64_t end)
{
    unsigned direct = memory->pages[first] & (PAGE_READ | PAGE_WRITE);

    if (memory->has_slow || memory->pages[first] & PAGE_CODE ||
        (first < memory->end_watched && end > memory->first_watched)) {
        for (uint64_t page = first; page < end; page++)
            refresh(memory, page);
        return;
    }
    for (unsigned view = 0; view < VIEWS; view++) {
        memset(memory->views[view] + first, (int)(direct | direct << SPAN_SHIFT), end - first);
        refresh_span(memory->views[view], end - 1);
        if (first)
            refresh_span(memory->views[view], first - 1);
    }
}

static void set_page(struct memory *memory, uint64_t page, unsigned permissions)
{
    memory->mapped_once[page / MEMORY_STRETCH] = memory->used[page / MEMORY_STRETCH] = true;
    memory->pages[page] = permissions;
    refresh(memory, page);
}

/* Had a page in one of the stretches of the pages ever permissions? */
static bool is_used(const struct memory *memory, uint64_t first, uint64_t end)
{
    return memchr(memory->used + first / MEMORY_STRETCH, true,
                  (end - 1) / MEMORY_STRETCH - first / MEMORY_STRETCH + 1);
}

static void set_pages(struct memory *memory, uint64_t first, uint64_t end, unsigned permissions)
{
    if (first == end)
        return;
    uint64_t stretch = first / MEMORY_STRETCH, count = (end - 1) / MEMORY_STRETCH + 1 - stretch;
    memset(memory->pages + first, (int)permissions, end - first);
    memset(memory->mapped_once + stretch, true, count);
    if (!(permissions & PAGE_ACCESS) && !is_used(memory, first, end))
        return; /* so the views have nothing of them: addresses may be reserved in large ranges */
    memset(memory->used + stretch, true, count);
    refresh_all(memory, first, end);
}

/* ---- the mirror ---- */

enum { PROT_UNKNOWN = -1 };

/* Returns what the host's permissions of the page are in a mirror, or PROT_UNKNOWN if the host has
 * no such permissions: a page that cannot be read must not be accessible in any way. */
static int host_permissions(const struct memory *memory, uint64_t page)
{
    unsigned direct = memory->views[VIEW_MACHINE][page];

    if (direct & PAGE_READ)
        return PROT_READ | (direct & PAGE_WRITE ? PROT_WRITE : PROT_NONE);
    return memory->pages[page] & PAGE_ACCESS ? PROT_UNKNOWN : PROT_NONE;
}

static bool protect(const struct memory *memory, uint64_t first, uint64_t end, int permissions)
{
    return mprotect(memory->host + (first << MEMORY_PAGE_BITS), (end - first) << MEMORY_PAGE_BITS,
                    permissions) == 0;
}

void memory_end_mirror(struct memory *memory)
{
    if (!memory->is_mirror)
        return;
    memory->is_mirror = false;
    protect(memory, 0, memory->end >> MEMORY_PAGE_BITS, PROT_READ | PROT_WRITE);
}

/* Returns the end of the pages from `first` on that have the same permissions of the host. */
static uint64_t find_end(const struct memory *memory, uint64_t first, uint64_t end, int permissions)
{
    uint64_t page = first;

    while (page < end) {
        bool used = memory->used[page / MEMORY_STRETCH];
        if ((used ? host_permissions(memory, page) : PROT_NONE) != permissions)
            return page;
        page = used ? page + 1 : page - page % MEMORY_STRETCH + MEMORY_STRETCH;
    }
    return end;
}

/* Gives the pages their host's permissions, if memory is a mirror. The mirror ends where it changes
 * more often than it is worth. */
static void mirror(struct memory *memory, uint64_t first, uint64_t end)
{
    if (memory->is_mirror && ++memory->changes > memory->changes_allowed)
        memory_end_mirror(memory);
    while (memory->is_mirror && first < end) {
        int permissions = host_permissions(memory, first);
        uint64_t next = find_end(memory, first, end, permissions);
        if (permissions == PROT_UNKNOWN || !protect(memory, first, next, permissions))
            memory_end_mirror(memory);
        first = next;
    }
}

bool memory_begin_mirror(struct memory *memory)
{
    memory->is_mirror = true;
    mirror(memory, 0, memory->end >> MEMORY_PAGE_BITS);
    return memory->is_mirror;
}

void memory_watch_code(struct memory *memory, uint64_t page, bool is_watched)
{
    unsigned now = memory->pages[page], next = (now & ~PAGE_CODE) | (is_watched ? PAGE_CODE : 0);

    if (!now || now == next)
        return;
    set_page(memory, page, next);
    if (!(now & PAGE_WRITE))
        return;
    mirror(memory, page, page + 1);
}

/* ---- the bytes of code ---- */

enum { CODE_WORDS = (1 << MEMORY_PAGE_BITS) / 2 / 64 };

/* The bytes of a page, by their halfwords. */
struct halfwords {
    uint64_t page;
    unsigned first, last;
};

/* Returns those of [address, end) that are in the page of the address. */
static struct halfwords halfwords_of(uint64_t address, uint64_t end)
{
    uint64_t page_end = (address | (MEMORY_PAGE - 1)) + 1, last = (end < page_end ? end : page_end);

    return (struct halfwords){.page = address >> MEMORY_PAGE_BITS,
                              .first = address % MEMORY_PAGE / 2,
                              .last = (last - 1) % MEMORY_PAGE / 2};
}

/* Returns the bits of a word of the page's that belong to the halfwords. */
static uint64_t bits_of(const struct halfwords *range, unsigned word)
{
    unsigned low = word * 64, first = range->first > low ? range->first - low : 0,
             last = range->last < low + 63 ? range->last - low : 63;

    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

static bool holds_code(const struct memory *memory, const struct halfwords *range)
{
    if (!(memory->pages[range->page] & PAGE_CODE))
        return false;
    const uint64_t *code = memory->code[range->page];
    for (unsigned word = range->first / 64; word <= range->last / 64; word++)
        if (code[word] & bits_of(range, word))
            return true;
    return false;
}

void memory_mark_code(struct memory *memory, uint64_t address, uint64_t length)
{
    struct halfwords range;

    for (uint64_t end = address + length; address < end;
         address = (range.page + 1) << MEMORY_PAGE_BITS) {
        range = halfwords_of(address, end);
        uint64_t **code = &memory->code[range.page];
        if (!*code)
            *code = arena_alloc(&memory->code_arena, CODE_WORDS * sizeof **code);
        for (unsigned word = range.first / 64; word <= range.last / 64; word++)
            (*code)[word] |= bits_of(&range, word);
        memory_watch_code(memory, range.page, true);
    }
}

void memory_unmark_code(struct memory *memory, uint64_t page)
{
    memory_watch_code(memory, page, false);
    if (memory->code[page])
        memset(memory->code[page], 0, CODE_WORDS * sizeof *memory->code[page]);
}

bool memory_mirrors(const struct memory *memory, enum memory_view view)
{
    return memory->is_mirror && (view == VIEW_MACHINE || memory->different == 0);
}

static bool is_different(const struct memory *memory, uint64_t page)
{
    return (memory->views[VIEW_MACHINE][page] ^ memory->views[VIEW_USER][page]) & SLOW;
}

void memory_slow(struct memory *memory, enum memory_view view, uint64_t first, uint64_t end,
                 unsigned slow)
{
    unsigned char *bytes = memory->views[view];

    memory->has_slow |= slow != 0;
    for (uint64_t page = first; page < end; page++) {
        if ((bytes[page] & SLOW) == slow << SLOW_SHIFT)
            continue;
        memory->different -= is_different(memory, page);
        bytes[page] = slow << SLOW_SHIFT;
        memory->different += is_different(memory, page);
        refresh(memory, page);
        if (view == VIEW_MACHINE)
            mirror(memory, page, page + 1);
    }
}

void memory_align_only(struct memory *memory)
{
    memory->aligned_only = true;
}

/* ---- pages ---- */

static bool in_limit(const struct memory *memory, uint64_t address, uint64_t length)
{
    return address <= memory->end && length <= memory->end - address;
}

enum { MANY = sizeof(uint64_t) }; /* pages that are looked at together */

static const uint64_t EACH_BYTE = UINT64_MAX / UINT8_MAX; /* 1 in each */

/* Returns these permission bits of MANY pages. */
static uint64_t bits_of_many(const struct memory *memory, uint64_t page, unsigned permissions)
{
    uint64_t bytes;

    memcpy(&bytes, memory->pages + page, sizeof bytes);
    return bytes & EACH_BYTE * permissions;
}

/* Finds the pages [*first, *end) that hold the range. */
static void page_span(uint64_t address, uint64_t length, uint64_t *first, uint64_t *end)
{
    *first = address >> MEMORY_PAGE_BITS;
    *end = length ? ((address + length - 1) >> MEMORY_PAGE_BITS) + 1 : *first;
}

void memory_watch(struct memory *memory, uint64_t address, uint64_t length)
{
    page_span(address, length, &memory->first_watched, &memory->end_watched);
    for (uint64_t page = memory->first_watched; page < memory->end_watched; page++)
        refresh(memory, page);
    mirror(memory, memory->first_watched, memory->end_watched);
}

static void announce_change(struct memory *memory, uint64_t address, uint64_t length)
{
    struct halfwords range;
    uint64_t end = address + length;

    if (end > MEMORY_CODE_LIMIT)
        end = MEMORY_CODE_LIMIT;
    for (; address < end; address = (range.page + 1) << MEMORY_PAGE_BITS) {
        range = halfwords_of(address, end);
        if (memory->code_changes && holds_code(memory, &range))
            memory->code_changes(memory->code_context, range.page);
    }
}

/* The pages change, with their permissions. */
static void announce_pages(struct memory *memory, uint64_t first, uint64_t end)
{
    announce_change(memory, first << MEMORY_PAGE_BITS, (end - first) << MEMORY_PAGE_BITS);
}

/* May the host write the pages? In a mirror, it may not where stores
 * must be checked first. */
static bool is_open(const struct memory *memory, uint64_t first, uint64_t end)
{
    for (uint64_t page = first; memory->is_mirror && page < end; page++)
        if (!(memory->views[VIEW_MACHINE][page] & PAGE_WRITE))
            return false;
    return true;
}

/* Writes the bytes, which are in these pages, even where stores must be checked first. */
static void write_bytes(struct memory *memory, uint64_t first, uint64_t end, uint64_t address,
                        const void *bytes, uint64_t length)
{
    bool is_closed = !is_open(memory, first, end);

    if (is_closed && !protect(memory, first, end, PROT_READ | PROT_WRITE))
        memory_end_mirror(memory);
    memcpy(memory->host + address, bytes, length);
    if (is_closed)
        mirror(memory, first, end);
}

/* Returns the number of bytes in pages that count. */
static uint64_t counted_bytes(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t counted = 0;

    if (first < end && is_used(memory, first, end))
        for (uint64_t page = first; page < end; page++)
            counted += (memory->pages[page] & PAGE_COUNTED) != 0;
    return counted << MEMORY_PAGE_BITS;
}

/* Returns the number of bytes that are not counted yet, but are if all pages get permissions. */
static uint64_t fresh_bytes(const struct memory *memory, uint64_t first, uint64_t end,
                            unsigned permissions)
{
    if (!permissions)
        return 0;
    return ((end - first) << MEMORY_PAGE_BITS) - counted_bytes(memory, first, end);
}

/* May the pages get these permissions? */
static bool may_have(const struct memory *memory, uint64_t first, uint64_t end,
                     unsigned permissions)
{
    return fresh_bytes(memory, first, end, permissions) <= memory->limit - memory->mapped &&
           !(permissions & PAGE_EXECUTE && end > MEMORY_CODE_PAGES);
}

bool memory_fits(const struct memory *memory, uint64_t address, uint64_t length,
                 unsigned permissions)
{
    uint64_t first, end;

    if (length == 0 || !in_limit(memory, address, length))
        return false;
    page_span(address, length, &first, &end);
    return may_have(memory, first, end, permissions);
}

bool memory_map(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_fits(memory, address, length, permissions))
        return false;
    page_span(address, length, &first, &end);
    memory->mapped += fresh_bytes(memory, first, end, permissions);
    permissions |= PAGE_MAPPED | (permissions ? PAGE_COUNTED : 0);
    if (memory_next_mapped(memory, first, end) == end)
        set_pages(memory, first, end, permissions);
    else
        for (uint64_t page = first; page < end; page++)
            set_page(memory, page, memory->pages[page] | permissions);
    mirror(memory, first, end);
    return true;
}

/* Replaces whole pages, which may be shared with files, by pages of zeros. */
static void renew(const struct memory *memory, uint64_t address, uint64_t length)
{
    if (mmap(memory->host + address, length, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
        BUG("%llu bytes of guest memory cannot be cleared", (unsigned long long)length);
}

static void remove_share(struct memory *memory, unsigned index)
{
    memory->shares[index] = memory->shares[--memory->share_count];
}

/* Are some of the pages shared with a file? Forgets those that are wholly in the range. */
static bool end_shares(struct memory *memory, uint64_t first, uint64_t end)
{
    bool any = false;

    for (unsigned i = memory->share_count; i-- > 0;) {
        const struct memory_share *share = &memory->shares[i];
        any |= share->first < end && first < share->end;
        if (first <= share->first && share->end <= end)
            remove_share(memory, i);
    }
    return any;
}

/* Makes the bytes of whole pages zero, without memory of the host. May change the host's
 * permissions. */
static void drop_bytes(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first = address >> MEMORY_PAGE_BITS, end = first + (length >> MEMORY_PAGE_BITS);

    if (end_shares(memory, first, end))
        renew(memory, address, length);
    else
        madvise(memory->host + address, length, MADV_DONTNEED);
}

/* Gives the pages back to the host. Those that are mapped there next are not expected. */
static void give_back(struct memory *memory, uint64_t address, uint64_t length)
{
    drop_bytes(memory, address, length);
#ifdef MADV_NOHUGEPAGE
    if (length >= MEMORY_MANY)
        madvise(memory->host + address, length, MADV_NOHUGEPAGE);
#endif
}

void memory_unmap(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    page_span(address, length, &first, &end);
    announce_pages(memory, first, end);
    memory->mapped -= counted_bytes(memory, first, end);
    set_pages(memory, first, end, 0);
    if (end > first)
        give_back(memory, first << MEMORY_PAGE_BITS, (end - first) << MEMORY_PAGE_BITS);
    mirror(memory, first, end);
}

void memory_clear(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    page_span(address, length, &first, &end);
    if (first == end)
        return;
    announce_pages(memory, first, end);
    drop_bytes(memory, address, length);
    mirror(memory, first, end);
}

/* Returns the end of the pages from `first` on that all count or all do not. */
static uint64_t find_alike(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t page = first + 1;

    while (page < end && !((memory->pages[page] ^ memory->pages[first]) & PAGE_COUNTED))
        page++;
    return page;
}

bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED))
        return false;
    page_span(address, length, &first, &end);
    if (!may_have(memory, first, end, permissions))
        return false;
    memory->mapped += fresh_bytes(memory, first, end, permissions);
    announce_pages(memory, first, end);
    for (uint64_t page = first, next; page < end; page = next) {
        unsigned counted = permissions ? PAGE_COUNTED : memory->pages[page] & PAGE_COUNTED;
        next = permissions ? end : find_alike(memory, page, end);
        set_pages(memory, page, next, PAGE_MAPPED | counted | permissions);
    }
    mirror(memory, first, end);
    return true;
}

void memory_expect(const struct memory *memory, uint64_t address, uint64_t length)
{
#ifdef MADV_HUGEPAGE
    uint64_t first = (address + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);

    if (length >= MEMORY_MANY)
        madvise(memory->host + first, address + length - first, MADV_HUGEPAGE);
#else
    (void)memory, (void)address, (void)length;
#endif
}

void memory_populate(const struct memory *memory, uint64_t address, uint64_t length)
{
    arena_populate(memory->host + address, length);
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* since Linux 6.1; the C library may be older */
#endif

void memory_collapse(const struct memory *memory, uint64_t start, uint64_t old, uint64_t end)
{
    enum { LARGE_PAGE = 1 << 21 };
    uintptr_t host = (uintptr_t)memory->host;
    uint64_t from = end - start < MEMORY_MANY ? end : old - start < MEMORY_MANY ? start : old;
    /* The large pages that the end has passed. */
    uintptr_t first = (host + from) & ~(uintptr_t)(LARGE_PAGE - 1),
              last = (host + end) & ~(uintptr_t)(LARGE_PAGE - 1);

    if (first < host + start)
        first += LARGE_PAGE;
    if (first < last)
        madvise((void *)first, last - first, MADV_COLLAPSE);
}

bool memory_is(const struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!in_limit(memory, address, length))
        return false;
    page_span(address, length, &first, &end);
    permissions |= PAGE_MAPPED;
    for (uint64_t page = first, count; page < end; page += count) {
        bool many = end - page >= MANY &&
                    bits_of_many(memory, page, permissions) == EACH_BYTE * permissions;
        count = many ? MANY : 1;
        if (!many && (memory->pages[page] & permissions) != permissions)
            return false;
    }
    return true;
}

uint64_t memory_next_mapped(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t page = first;

    while (page < end) {
        if (!memory->mapped_once[page / MEMORY_STRETCH])
            page = (page / MEMORY_STRETCH + 1) * MEMORY_STRETCH;
        else if (memory->pages[page])
            return page;
        else
            page += end - page < MANY || bits_of_many(memory, page, PAGE_MAPPED) ? 1 : MANY;
    }
    return end;
}

/* Returns how many pages before this one, and not before `first`, are like the last of them: all
 * mapped or all free. */
static uint64_t count_alike(const struct memory *memory, uint64_t first, uint64_t page)
{
    uint64_t count = (page - 1) % MEMORY_STRETCH + 1;

    if (count > page - first)
        count = page - first;
    if (!memory->mapped_once[(page - 1) / MEMORY_STRETCH])
        return count;
    if (count < MANY)
        return 1;
    uint64_t bytes = bits_of_many(memory, page - MANY, PAGE_MAPPED);

    return bytes == 0 || bytes == EACH_BYTE * PAGE_MAPPED ? MANY : 1;
}

uint64_t memory_find_free(const struct memory *memory, uint64_t low, uint64_t high, uint64_t length)
{
    uint64_t first = (low + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS, end = high >> MEMORY_PAGE_BITS,
             page = end; /* those from here to the end are free */

    if (length == 0 || low > high || length > high - low)
        return 0;
    uint64_t wanted = (length + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS;
    while (page > first) {
        bool is_free = !memory->pages[page - 1];
        uint64_t count = count_alike(memory, first, page);
        page -= count;
        if (!is_free)
            end = page;
        else if (end - page >= wanted)
            return (end - wanted) << MEMORY_PAGE_BITS;
    }
    return 0;
}

void *memory_range(struct memory *memory, uint64_t address, uint64_t length, bool write)
{
    uint64_t first, end;

    if (length == 0)
        return memory->host;
    if (!memory_is(memory, address, length, write ? PAGE_WRITE : PAGE_READ))
        return NULL;
    if (write) {
        page_span(address, length, &first, &end);
        announce_change(memory, address, length);
        if (!is_open(memory, first, end))
            memory_end_mirror(memory);
    }
    return memory->host + address;
}

const void *memory_peek(const struct memory *memory, uint64_t address, uint64_t length)
{
    unsigned permissions = memory->is_mirror ? PAGE_READ : PAGE_MAPPED;

    return memory_is(memory, address, length, permissions) ? memory->host + address : NULL;
}

bool memory_poke(struct memory *memory, uint64_t address, const void *bytes, uint64_t length)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED))
        return false;
    page_span(address, length, &first, &end);
    announce_change(memory, address, length);
    if (length) {
        arena_populate(memory->host + address, length);
        write_bytes(memory, first, end, address, bytes, length);
    }
    return true;
}

/* ---- pages shared with files ---- */

enum { LEAST_SHARED = 4 }; /* pages that are copied faster */

/* Notes that the pages will be shared with the file. Returns false when there is no place for it.
 */
static bool add_share(struct memory *memory, struct memory_share added)
{
    for (unsigned i = 0; i < memory->share_count; i++) {
        const struct memory_share *old = &memory->shares[i];
        if (old->device == added.device && old->inode == added.inode && old->first <= added.first &&
            added.end <= old->end)
            return true;
    }
    if (!memory->shares)
        memory->shares = malloc(MEMORY_SHARES * sizeof *memory->shares);
    if (!memory->shares || memory->share_count == MEMORY_SHARES ||
        sysconf(_SC_PAGESIZE) != MEMORY_PAGE)
        return false;
    memory->shares[memory->share_count++] = added;
    return true;
}

/* Maps the pages of a mapped file, which are at `bytes`, a second time: at the guest's address. */
static bool share_pages(struct memory *memory, uint64_t address, const void *bytes, uint64_t length)
{
#ifdef MREMAP_DONTUNMAP
    uint64_t first = address >> MEMORY_PAGE_BITS, end = first + (length >> MEMORY_PAGE_BITS);

    if (!add_share(memory, (struct memory_share){first, end, 0, 0}) ||
        mremap((void *)bytes, length, length, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
               memory->host + address) == MAP_FAILED)
        return false;
    bool good = protect(memory, first, end, PROT_READ | PROT_WRITE);
    if (!good) /* it would exceed what the host may commit */
        drop_bytes(memory, address, length);
    mirror(memory, first, end);
    return good;
#else
    (void)memory, (void)address, (void)bytes, (void)length;
    return false;
#endif
}

uint64_t memory_share(struct memory *memory, uint64_t address, uint64_t length, int file,
                      uint64_t offset)
{
    uint64_t first = address >> MEMORY_PAGE_BITS;
    struct stat status;

    if (fstat(file, &status) < 0 || (uint64_t)status.st_size <= offset)
        return 0;
    uint64_t rest = ((uint64_t)status.st_size - offset) & -MEMORY_PAGE;
    uint64_t size = rest < length ? rest : length;
    const struct memory_share share = {first, first + (size >> MEMORY_PAGE_BITS), status.st_dev,
                                       status.st_ino};
    if (size < LEAST_SHARED * MEMORY_PAGE || !add_share(memory, share))
        return 0;
    file_expect_truncation();
    if (mmap(memory->host + address, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file,
             (off_t)offset) != MAP_FAILED)
        return size;
    renew(memory, address, size);
    return 0;
}

/* Gives the pages bytes of their own, which are the same. */
static void own_pages(struct memory *memory, uint64_t first, uint64_t end)
{
    static const uint64_t most = MEMORY_STRETCH;
    unsigned char *bytes = malloc(most << MEMORY_PAGE_BITS);

    if (!bytes)
        BUG("no memory for the bytes of a mapped file");
    for (uint64_t page = first; page < end; page += most) {
        uint64_t count = end - page < most ? end - page : most;
        unsigned char *host = memory->host + (page << MEMORY_PAGE_BITS);
        if (!protect(memory, page, page + count, PROT_READ | PROT_WRITE))
            BUG("guest memory cannot be made accessible");
        memcpy(bytes, host, count << MEMORY_PAGE_BITS);
        renew(memory, page << MEMORY_PAGE_BITS, count << MEMORY_PAGE_BITS);
        memcpy(host, bytes, count << MEMORY_PAGE_BITS);
    }
    free(bytes);
    mirror(memory, first, end);
}

void memory_unshare(struct memory *memory, uint64_t device, uint64_t inode)
{
    for (unsigned i = memory->share_count; i-- > 0;) {
        const struct memory_share share = memory->shares[i];
        if (share.device != device || share.inode != inode)
            continue;
        own_pages(memory, share.first, share.end);
        remove_share(memory, i);
    }
}

bool memory_fill(struct memory *memory, uint64_t address, const void *bytes, uint64_t length)
{
    const unsigned char *from = bytes;
    uint64_t first = (address + MEMORY_PAGE - 1) & -MEMORY_PAGE,
             end = (address + length) & -MEMORY_PAGE;

    if (((uintptr_t)bytes - address) % MEMORY_PAGE != 0 ||
        first + LEAST_SHARED * MEMORY_PAGE > end ||
        !memory_is(memory, address, length, PAGE_MAPPED) ||
        !share_pages(memory, first, from + (first - address), end - first))
        return memory_poke(memory, address, bytes, length);
    return memory_poke(memory, address, bytes, first - address) &&
           memory_poke(memory, end, from + (end - address), address + length - end);
}

/* ---- loads, stores and fetches ---- */

enum cause memory_access_fault(enum page_permission access)
{
    return access == PAGE_READ    ? CAUSE_LOAD_ACCESS
           : access == PAGE_WRITE ? CAUSE_STORE_ACCESS
                                  : CAUSE_FETCH_ACCESS;
}

/* Checks an access that spans at most two pages. The value of the fault is the first byte whose
 * page lacks the permission. */
static bool may_access(const struct memory *memory, uint64_t address, size_t size,
                       enum page_permission access, struct fault *fault)
{
    if (memory->aligned_only && access != PAGE_EXECUTE && address % size)
        return fault_set(
            fault, access == PAGE_READ ? CAUSE_LOAD_MISALIGNED : CAUSE_STORE_MISALIGNED, address);
    if (memory->guard)
        return memory->guard(memory->guard_context, address, size, access, fault);
    for (size_t done = 0; done < size;) { /* page by page */
        uint64_t byte = address + done;
        if (byte >= memory->end || !(memory->pages[byte >> MEMORY_PAGE_BITS] & access))
            return fault_set(fault, memory_access_fault(access), byte);
        done += MEMORY_PAGE - byte % MEMORY_PAGE;
    }
    return true;
}

bool memory_fetch(const struct memory *memory, uint64_t pc, int length, uint64_t *word,
                  struct fault *fault)
{
    if (!may_access(memory, pc, length, PAGE_EXECUTE, fault))
        return false;
    *word = 0;
    if (length == 4) /* most often */
        memcpy(word, memory->host + pc, 4);
    else
        memcpy(word, memory->host + pc, length);
    return true;
}

bool memory_load_slow(const struct memory *memory, uint64_t address, void *value, size_t size,
                      struct fault *fault)
{
    if (!may_access(memory, address, size, PAGE_READ, fault))
        return false;
    memcpy(value, memory->host + address, size);
    return true;
}

bool memory_store_slow(struct memory *memory, uint64_t address, const void *value, size_t size,
                       struct fault *fault)
{
    uint64_t first, end;

    if (!may_access(memory, address, size, PAGE_WRITE, fault))
        return false;
    page_span(address, size, &first, &end);
    announce_change(memory, address, size);
    write_bytes(memory, first, end, address, value, size);
    return true;
}
