/* A copy of guest memory, for a new process, and back. Its pages are copied that the host has
 * given: those that the guest has never used are zero in the copy, too. Pages of files stay those
 * of files. */
#include "emu/memory/parts.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CHUNK = 512 /* pages that are asked about at once */ };

/* What the host says of its pages: /proc/self/pagemap (-1: nothing). */
struct page_map {
    int file;
    bool is_shared; /* the pages are shared with a file */
    uint64_t entries[CHUNK];
};

/* Asks about `count` pages. */
static void ask(struct page_map *map, const unsigned char *host, uint64_t count)
{
    size_t bytes = count * sizeof *map->entries;
    off_t place = (off_t)((uintptr_t)host / MEMORY_PAGE * sizeof *map->entries);

    if (map->file < 0 || pread(map->file, map->entries, bytes, place) != (ssize_t)bytes)
        memset(map->entries, UINT8_MAX, bytes);
}

/* Has the page contents of its own? If the host says nothing, it may. */
static bool has_contents(const struct page_map *map, uint64_t index)
{
    enum { OF_FILE_SHIFT = 61, SWAPPED_SHIFT = 62, PRESENT_SHIFT = 63 };
    uint64_t entry = map->entries[index];
    bool is_swapped = entry >> SWAPPED_SHIFT & 1, is_present = entry >> PRESENT_SHIFT;

    return is_swapped || (is_present && !(map->is_shared && entry >> OF_FILE_SHIFT & 1));
}

static void copy_bytes(struct memory *to, const struct memory *from, uint64_t first, uint64_t end)
{
    uint64_t address = first << MEMORY_PAGE_BITS, length = (end - first) << MEMORY_PAGE_BITS;

    if (end - first > 1)
        arena_populate(to->host + address, length);
    memcpy(to->host + address, from->host + address, length);
}

/* Copies the pages of `seen` with contents of their own, which can be read, from one memory to
 * another; `seen` is one of the two. */
static void copy_contents(struct memory *to, const struct memory *from, const struct memory *seen,
                          struct page_map *map, uint64_t first, uint64_t end)
{
    for (uint64_t count; first < end; first += count) {
        count = end - first < CHUNK ? end - first : CHUNK;
        ask(map, seen->host + (first << MEMORY_PAGE_BITS), count);
        for (uint64_t i = 0, next; i < count; i = next) {
            next = i + 1;
            if (!has_contents(map, i))
                continue;
            while (next < count && has_contents(map, next))
                next++;
            copy_bytes(to, from, first + i, first + next);
        }
    }
}

/* Returns the end of the pages from `first` on with the same permissions, which share the same file
 * or none. */
static uint64_t find_end(const struct memory *memory, uint64_t first)
{
    const struct memory_share *own = memory_find_share(memory, first);
    uint64_t limit = own ? own->end : memory->end >> MEMORY_PAGE_BITS;

    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory->shares[i].first > first && memory->shares[i].first < limit)
            limit = memory->shares[i].first;
    return memory_find_alike(memory, first, limit, ~PAGE_CODE);
}

/* Copies pages that are shared with a file. The host moves its mapping to the copy, with the pages
 * that were changed, and leaves one behind that is as the file is; so what was changed is copied
 * back. Returns false if the host cannot. */
static bool copy_shared(struct memory *to, struct memory *from, struct page_map *map,
                        uint64_t first, uint64_t end)
{
#ifdef MREMAP_DONTUNMAP
    uint64_t address = first << MEMORY_PAGE_BITS, length = (end - first) << MEMORY_PAGE_BITS;

    if (map->file < 0 || !memory_add_share(to, *memory_find_share(from, first)) ||
        mremap(from->host + address, length, length,
               MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to->host + address) == MAP_FAILED)
        return false;
    if (!memory_protect_host(to, first, end, PROT_READ | PROT_WRITE) ||
        !memory_protect_host(from, first, end, PROT_READ | PROT_WRITE))
        BUG("guest memory cannot be made accessible");
    map->is_shared = true;
    copy_contents(from, to, to, map, first, end);
    map->is_shared = false;
    memory_mirror(from, first, end);
    return true;
#else
    (void)to, (void)from, (void)map, (void)first, (void)end;
    return false;
#endif
}

/* Maps pages that are common to both a second time, as far as the object can have them. Returns
 * false if the host cannot. */
static bool copy_common(struct memory *to, struct memory *from, uint64_t first, uint64_t end)
{
    const struct memory_share *share = memory_find_share(from, first);
    uint64_t address = first << MEMORY_PAGE_BITS, place = share->place + (first - share->first),
             held = place < share->object.room ? share->object.room - place : 0;

    if (held < end - first)
        end = first + held;
    if (!memory_add_share(to, *share))
        return false;
    if (first == end)
        return true;
    if (mremap(from->host + address, 0, (end - first) << MEMORY_PAGE_BITS,
               MREMAP_MAYMOVE | MREMAP_FIXED, to->host + address) == MAP_FAILED)
        return false;
    if (!memory_protect_host(to, first, end,
                             memory_reads_only(share) ? PROT_READ : PROT_READ | PROT_WRITE))
        BUG("guest memory cannot be made accessible");
    return true;
}

/* Copies pages to which the guest had access, or that are common. */
static void copy_pages(struct memory *to, struct memory *from, struct page_map *map, uint64_t first,
                       uint64_t end)
{
    const struct memory_share *share = memory_find_share(from, first);
    bool is_hidden = from->is_mirror && !(from->pages[first] & PAGE_READ);

    if (share && (share->object.number ? copy_common(to, from, first, end)
                                       : copy_shared(to, from, map, first, end)))
        return;
    if (is_hidden && !memory_protect_host(from, first, end, PROT_READ))
        BUG("guest memory cannot be made accessible");
    if (share) /* the host need not have read them */
        copy_bytes(to, from, first, end);
    else
        copy_contents(to, from, from, map, first, end);
    if (is_hidden)
        memory_mirror(from, first, end);
}

void memory_copy(struct memory *to, struct memory *from)
{
    struct page_map map = {.file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
    uint64_t limit = from->end >> MEMORY_PAGE_BITS, next;

    for (uint64_t page = memory_next_mapped(from, 0, limit); page < limit;
         page = memory_next_mapped(from, next, limit)) {
        unsigned permissions = from->pages[page] & (unsigned)~PAGE_CODE;
        next = find_end(from, page);
        memory_set_pages(to, page, next, permissions);
        if (permissions & PAGE_COUNTED || memory_find_common(from, page << MEMORY_PAGE_BITS))
            copy_pages(to, from, &map, page, next);
    }
    to->mapped = from->mapped;
    if (map.file >= 0)
        close(map.file);
}

/* Takes those of the pages that are not as they were, which both can write. */
static void take_pages(struct memory *to, const struct memory *from, struct page_map *map,
                       uint64_t first, uint64_t end)
{
    for (uint64_t count; first < end; first += count) {
        count = end - first < CHUNK ? end - first : CHUNK;
        ask(map, from->host + (first << MEMORY_PAGE_BITS), count);
        for (uint64_t i = 0; i < count; i++) {
            uint64_t address = (first + i) << MEMORY_PAGE_BITS;
            const unsigned char *bytes = from->host + address;
            if (has_contents(map, i) && memory_is(to, address, MEMORY_PAGE, PAGE_WRITE) &&
                memcmp(to->host + address, bytes, MEMORY_PAGE) != 0)
                memory_poke(to, address, bytes, MEMORY_PAGE);
        }
    }
}

void memory_take_changes(struct memory *to, const struct memory *from)
{
    struct page_map map = {.file = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)};
    uint64_t limit = from->end >> MEMORY_PAGE_BITS, next;

    for (uint64_t page = memory_next_mapped(from, 0, limit); page < limit;
         page = memory_next_mapped(from, next, limit)) {
        const struct memory_share *share = memory_find_share(from, page);
        next = find_end(from, page);
        map.is_shared = share;
        if (from->pages[page] & PAGE_WRITE && !(share && share->object.number))
            take_pages(to, from, &map, page, next);
    }
    if (map.file >= 0)
        close(map.file);
}
