/* Which accesses are direct: the views of memory, and the mirror of the first view in the host's
 * permissions. */
#include "emu/memory/parts.h"
#include <sys/mman.h>
#include <unistd.h>

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

static bool is_watched(const struct memory *memory, uint64_t page)
{
    return page >= memory->first_watched && page < memory->end_watched;
}

/* Have the pages the same permissions, and the same slow accesses in each view, and are both
 * watched or neither? */
static bool is_same(const struct memory *memory, uint64_t page, uint64_t other)
{
    for (unsigned view = 0; view < VIEWS; view++)
        if ((memory->views[view][page] ^ memory->views[view][other]) & SLOW)
            return false;
    return memory->pages[page] == memory->pages[other] &&
           is_watched(memory, page) == is_watched(memory, other);
}

/* Returns the end of the pages from `first` on that are the same. */
static uint64_t find_same(const struct memory *memory, uint64_t first, uint64_t end)
{
    uint64_t page = first + 1;

    while (page < end && is_same(memory, page, first))
        page++;
    return page;
}

/* Updates the views of the pages [first, end), which are the same (find_same). */
static void refresh(struct memory *memory, uint64_t first, uint64_t end)
{
    unsigned now = memory->pages[first];
    unsigned direct =
        is_watched(memory, first) ? 0 : now & (PAGE_READ | (now & PAGE_CODE ? 0 : PAGE_WRITE));

    for (unsigned view = 0; view < VIEWS; view++) {
        unsigned char *bytes = memory->views[view];
        unsigned slow = bytes[first] & SLOW, fast = direct & ~(slow >> SLOW_SHIFT);
        memset(bytes + first, (int)(slow | fast | fast << SPAN_SHIFT), end - first);
        refresh_span(bytes, end - 1);
        if (first)
            refresh_span(bytes, first - 1);
    }
}

static void refresh_all(struct memory *memory, uint64_t first, uint64_t end)
{
    for (uint64_t page = first, next; page < end; page = next) {
        next = find_same(memory, page, end);
        refresh(memory, page, next);
    }
}

/* Pages up to the end are mapped. */
static void raise_top(struct memory *memory, uint64_t end)
{
    uint64_t top = (end + MEMORY_STRETCH - 1) / MEMORY_STRETCH * MEMORY_STRETCH;

    if (memory->top < top)
        memory->top = top;
}

void memory_set_page(struct memory *memory, uint64_t page, unsigned permissions)
{
    memory->mapped_once[page / MEMORY_STRETCH] = memory->used[page / MEMORY_STRETCH] = true;
    raise_top(memory, page + 1);
    memory->pages[page] = permissions;
    refresh(memory, page, page + 1);
}

bool memory_is_used(const struct memory *memory, uint64_t first, uint64_t end)
{
    return memchr(memory->used + first / MEMORY_STRETCH, true,
                  (end - 1) / MEMORY_STRETCH - first / MEMORY_STRETCH + 1);
}

void memory_set_pages(struct memory *memory, uint64_t first, uint64_t end, unsigned permissions)
{
    if (first == end)
        return;
    uint64_t stretch = first / MEMORY_STRETCH, count = (end - 1) / MEMORY_STRETCH + 1 - stretch;
    memset(memory->pages + first, (int)permissions, end - first);
    memset(memory->mapped_once + stretch, true, count);
    raise_top(memory, end);
    if (!(permissions & PAGE_ACCESS) && !memory_is_used(memory, first, end))
        return; /* so the views have nothing of them: addresses may be reserved in large ranges */
    memset(memory->used + stretch, true, count);
    if (memory->has_slow || memory->end_watched)
        refresh_all(memory, first, end);
    else
        refresh(memory, first, end);
}

void memory_align_only(struct memory *memory)
{
    memory->aligned_only = true;
}

/* ---- the mirror ---- */

enum {
    PROT_UNKNOWN = -1,
    CHANGE = 4, /* of permissions takes the time of so many stores by a system call */
};

/* Returns what the host's permissions of the page are in a mirror, or PROT_UNKNOWN if the host has
 * no such permissions: a page that cannot be read must not be accessible in any way. */
static int host_permissions(const struct memory *memory, uint64_t page)
{
    unsigned direct = memory->views[VIEW_MACHINE][page];

    if (direct & PAGE_READ)
        return PROT_READ | (direct & PAGE_WRITE ? PROT_WRITE : PROT_NONE);
    return memory->pages[page] & PAGE_ACCESS ? PROT_UNKNOWN : PROT_NONE;
}

bool memory_protect_host(const struct memory *memory, uint64_t first, uint64_t end, int permissions)
{
    return mprotect(memory->host + (first << MEMORY_PAGE_BITS), (end - first) << MEMORY_PAGE_BITS,
                    permissions) == 0;
}

/* Gives all pages of the host the permissions that they can have. */
static void open_host(const struct memory *memory)
{
    uint64_t limit = memory->end >> MEMORY_PAGE_BITS;

    for (uint64_t first = 0, end; first < limit; first = end) {
        int permissions = PROT_READ | PROT_WRITE;
        end = limit;
        for (unsigned i = 0; i < memory->share_count; i++) {
            const struct memory_share *share = &memory->shares[i];
            if (!memory_reads_only(share))
                continue;
            if (share->first <= first && first < share->end) {
                permissions = PROT_READ;
                end = share->end;
                break;
            }
            if (share->first > first && share->first < end)
                end = share->first;
        }
        memory_protect_host(memory, first, end, permissions);
    }
}

void memory_end_mirror(struct memory *memory)
{
    if (!memory->is_mirror)
        return;
    memory->is_mirror = false;
    if (memory->writer >= 0)
        close(memory->writer);
    memory->writer = MEMORY_WRITER_NONE;
    open_host(memory);
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

bool memory_may_change(struct memory *memory, unsigned cost)
{
    memory->changes += memory->is_mirror ? cost : 0;
    if (memory->changes > memory->changes_allowed)
        memory_end_mirror(memory);
    return memory->is_mirror;
}

void memory_mirror(struct memory *memory, uint64_t first, uint64_t end)
{
    memory_may_change(memory, CHANGE);
    while (memory->is_mirror && first < end) {
        int permissions = host_permissions(memory, first);
        uint64_t next = find_end(memory, first, end, permissions);
        if (permissions == PROT_UNKNOWN || !memory_protect_host(memory, first, next, permissions))
            memory_end_mirror(memory);
        first = next;
    }
}

bool memory_begin_mirror(struct memory *memory)
{
    memory->is_mirror = true;
    memory->writer = MEMORY_WRITER_CLOSED;
    memory_mirror(memory, 0, memory->top);
    if (!memory_protect_host(memory, memory->top, memory->end >> MEMORY_PAGE_BITS, PROT_NONE))
        memory_end_mirror(memory);
    return memory->is_mirror;
}

bool memory_mirrors(const struct memory *memory, enum memory_view view)
{
    return memory->is_mirror && (view == VIEW_MACHINE || memory->different == 0);
}

/* ---- accesses that must be checked first ---- */

static bool is_different(const struct memory *memory, uint64_t page)
{
    return (memory->views[VIEW_MACHINE][page] ^ memory->views[VIEW_USER][page]) & SLOW;
}

void memory_slow(struct memory *memory, enum memory_view view, uint64_t first, uint64_t end,
                 unsigned slow)
{
    unsigned char *bytes = memory->views[view];

    memory->has_slow |= slow != 0;
    for (uint64_t page = first, next; page < end; page = next) {
        next = find_same(memory, page, end);
        if ((bytes[page] & SLOW) == slow << SLOW_SHIFT)
            continue;
        memory->different -= is_different(memory, page) ? next - page : 0;
        memset(bytes + page, (int)(slow << SLOW_SHIFT), next - page);
        memory->different += is_different(memory, page) ? next - page : 0;
        refresh(memory, page, next);
        if (view == VIEW_MACHINE)
            memory_mirror(memory, page, next);
    }
}

void memory_watch(struct memory *memory, uint64_t address, uint64_t length)
{
    memory_page_span(address, length, &memory->first_watched, &memory->end_watched);
    refresh_all(memory, memory->first_watched, memory->end_watched);
    memory_mirror(memory, memory->first_watched, memory->end_watched);
}
