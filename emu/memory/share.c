/* Pages that are shared with files of the host until they are written, and common memory. */
#include "emu/memory/parts.h"
#include "lib/file.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_SHARED = 4 }; /* pages; fewer are copied faster */

/* Replaces whole pages, which may be shared, by pages of zeros. */
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

/* Forgets what the pages [first, end) of a share had in common: it ends earlier, begins later, or
 * becomes two. Without room for a second one, it stays as it is. */
static void cut_share(struct memory *memory, unsigned index, uint64_t first, uint64_t end)
{
    struct memory_share *share = &memory->shares[index], rest = *share;

    rest.first = end;
    rest.place += end - share->first;
    if (first <= share->first && share->end <= end)
        remove_share(memory, index);
    else if (first <= share->first)
        *share = rest;
    else if (share->end <= end)
        share->end = first;
    else if (memory->share_count < MEMORY_SHARES) {
        share->end = first;
        memory->shares[memory->share_count++] = rest;
    }
}

/* Are some of the pages shared? Forgets that they are. */
static bool end_shares(struct memory *memory, uint64_t first, uint64_t end)
{
    bool any = false;

    for (unsigned i = memory->share_count; i-- > 0;)
        if (memory->shares[i].first < end && first < memory->shares[i].end) {
            any = true;
            cut_share(memory, i, first, end);
        }
    return any;
}

void memory_drop_bytes(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first = address >> MEMORY_PAGE_BITS, end = first + (length >> MEMORY_PAGE_BITS);

    if (end_shares(memory, first, end))
        renew(memory, address, length);
    else
        madvise(memory->host + address, length, MADV_DONTNEED);
}

bool memory_add_share(struct memory *memory, struct memory_share added)
{
    for (unsigned i = 0; i < memory->share_count; i++) {
        const struct memory_share *old = &memory->shares[i];
        if (old->device == added.device && old->inode == added.inode &&
            old->object.number == added.object.number && old->first <= added.first &&
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

    if (!memory_add_share(memory, (struct memory_share){.first = first, .end = end}) ||
        mremap((void *)bytes, length, length, MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP,
               memory->host + address) == MAP_FAILED)
        return false;
    bool good = memory_protect_host(memory, first, end, PROT_READ | PROT_WRITE);
    if (!good) /* it would exceed what the host may commit */
        memory_drop_bytes(memory, address, length);
    memory_mirror(memory, first, end);
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
    const struct memory_share share = {.first = first,
                                       .end = first + (size >> MEMORY_PAGE_BITS),
                                       .device = status.st_dev,
                                       .inode = status.st_ino};
    if (size < LEAST_SHARED * MEMORY_PAGE || !memory_add_share(memory, share))
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
        if (!memory_protect_host(memory, page, page + count, PROT_READ | PROT_WRITE))
            BUG("guest memory cannot be made accessible");
        memcpy(bytes, host, count << MEMORY_PAGE_BITS);
        renew(memory, page << MEMORY_PAGE_BITS, count << MEMORY_PAGE_BITS);
        memcpy(host, bytes, count << MEMORY_PAGE_BITS);
    }
    free(bytes);
    memory_mirror(memory, first, end);
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

/* ---- common memory ---- */

struct memory_share *memory_find_share(const struct memory *memory, uint64_t page)
{
    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory->shares[i].first <= page && page < memory->shares[i].end)
            return &memory->shares[i];
    return NULL;
}

bool memory_make_common(struct memory *memory, uint64_t address, uint64_t length, uint64_t number)
{
    uint64_t first = address >> MEMORY_PAGE_BITS, count = length >> MEMORY_PAGE_BITS;
    const struct memory_share share = {.first = first,
                                       .end = first + count,
                                       .object = {number, count, count, -1},
                                       .allowed = PAGE_ACCESS};

    if (!memory_add_share(memory, share))
        return false;
    if (mmap(memory->host + address, length, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
        return true;
    memory_drop_bytes(memory, address, length);
    return false;
}

/* Returns how many bytes of a range that begins at this page of the object it can have. */
static uint64_t held_bytes(const struct memory_object *object, uint64_t place, uint64_t length)
{
    uint64_t held = place < object->room ? (object->room - place) << MEMORY_PAGE_BITS : 0;

    return held < length ? held : length;
}

/* Returns the permissions that the host's pages of the share can have. */
static int host_access(const struct memory_share *share)
{
    return memory_reads_only(share) ? PROT_READ : PROT_READ | PROT_WRITE;
}

/* Maps the pages [place, end) of a share of a file of the host. */
static bool map_file_pages(unsigned char *to, const struct memory_share *share, uint64_t place,
                           uint64_t end)
{
    return mmap(to, (end - place) << MEMORY_PAGE_BITS, host_access(share), MAP_SHARED | MAP_FIXED,
                share->object.file, (off_t)(place << MEMORY_PAGE_BITS)) != MAP_FAILED;
}

/* Maps the first `held` bytes of a share. */
static bool map_held(unsigned char *to, const struct memory_share *share, unsigned char *bytes,
                     uint64_t held)
{
    uint64_t place = share->place;

    if (share->object.file >= 0)
        return map_file_pages(to, share, place, place + (held >> MEMORY_PAGE_BITS));
    return mremap(bytes + (place << MEMORY_PAGE_BITS), 0, held, MREMAP_MAYMOVE | MREMAP_FIXED,
                  to) != MAP_FAILED;
}

bool memory_map_object(struct memory *memory, uint64_t address, uint64_t length,
                       const struct memory_object *object, unsigned char *bytes, uint64_t place,
                       unsigned allowed)
{
    uint64_t first = address >> MEMORY_PAGE_BITS, end = first + (length >> MEMORY_PAGE_BITS),
             held = held_bytes(object, place, length);
    const struct memory_share share = {
        .first = first, .end = end, .object = *object, .place = place, .allowed = allowed};

    if (!memory_add_share(memory, share))
        return false;
    if (held && !map_held(memory->host + address, &share, bytes, held)) {
        memory_drop_bytes(memory, address, length);
        return false;
    }
    memory_settle(memory, first, end);
    memory_mirror(memory, first, end);
    return true;
}

/* Gives all pages of the range their permissions, or keeps these for later. */
static void give_access(struct memory *memory, uint64_t first, uint64_t end, bool is_later)
{
    for (uint64_t page = first, next; page < end; page = next) {
        unsigned byte = memory->pages[page], access = memory_permissions(byte),
                 rest = byte & ~(unsigned)(PAGE_ACCESS | PAGE_LATER);
        next = page + 1;
        while (next < end && memory->pages[next] == byte)
            next++;
        memory_set_pages(memory, page, next,
                         rest | (is_later ? access << PAGE_LATER_SHIFT & PAGE_LATER : access));
    }
}

static void settle_share(struct memory *memory, const struct memory_share *share, uint64_t first,
                         uint64_t end)
{
    uint64_t from = first > share->first ? first : share->first,
             to = end < share->end ? end : share->end,
             count = share->object.length > share->place ? share->object.length - share->place : 0,
             limit = count < share->end - share->first ? share->first + count : share->end;

    if (from >= to)
        return;
    limit = limit < from ? from : limit > to ? to : limit;
    give_access(memory, from, limit, false);
    give_access(memory, limit, to, true);
}

void memory_settle(struct memory *memory, uint64_t first, uint64_t end)
{
    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory->shares[i].object.number)
            settle_share(memory, &memory->shares[i], first, end);
}

static uint64_t clamp(uint64_t value, uint64_t low, uint64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Maps the pages that the file of a share has now, or has no more, once it has another room. A page
 * that it does not have is memory for the host, which ends a program that touches such a page of a
 * file. Returns false if the host cannot. */
static bool map_room(const struct memory *memory, const struct memory_share *share, uint64_t room)
{
    uint64_t low = share->place, high = low + (share->end - share->first),
             old = clamp(share->object.room, low, high), new = clamp(room, low, high);

    if (new < old)
        renew(memory, (share->first + (new - low)) << MEMORY_PAGE_BITS,
              (old - new) << MEMORY_PAGE_BITS);
    return new <= old ||
           map_file_pages(memory->host + ((share->first + (old - low)) << MEMORY_PAGE_BITS), share,
                          old, new);
}

void memory_resize_object(struct memory *memory, const struct memory_object *object)
{
    for (unsigned i = 0; i < memory->share_count; i++) {
        struct memory_share *share = &memory->shares[i];
        if (share->object.number != object->number || share->object.length == object->length ||
            (object->file >= 0 && !map_room(memory, share, object->room)))
            continue;
        share->object = *object;
        settle_share(memory, share, share->first, share->end);
        memory_mirror(memory, share->first, share->end);
    }
}

bool memory_has_object(const struct memory *memory, uint64_t number)
{
    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory->shares[i].object.number == number)
            return true;
    return false;
}

/* Maps memory of the host, which is shared, a second time: `length` bytes from `bytes` + `skip` on,
 * although the mapping there may be shorter. */
static bool map_shared(unsigned char *to, unsigned char *bytes, uint64_t skip, uint64_t length)
{
    unsigned char *whole = mremap(bytes, 0, skip + length, MREMAP_MAYMOVE);

    if (whole == MAP_FAILED)
        return false;
    bool good =
        mremap(whole + skip, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, to) != MAP_FAILED;
    munmap(whole, good ? skip : skip + length);
    return good;
}

bool memory_map_again(struct memory *memory, uint64_t from, uint64_t skip, uint64_t to,
                      uint64_t length)
{
    uint64_t first = to >> MEMORY_PAGE_BITS, end = first + (length >> MEMORY_PAGE_BITS);
    struct memory_share *old = memory_find_share(memory, from >> MEMORY_PAGE_BITS);
    struct memory_share share = *old;

    share.place += ((from + skip) >> MEMORY_PAGE_BITS) - old->first;
    share.first = first;
    share.end = end;
    bool extends = old->end == first && old->place + (first - old->first) == share.place;
    if (extends)
        old->end = end;
    else if (!memory_add_share(memory, share))
        return false;
    uint64_t held = held_bytes(&share.object, share.place, length);
    if (held && (!map_shared(memory->host + to, memory->host + from, skip, held) ||
                 !memory_protect_host(memory, first, first + (held >> MEMORY_PAGE_BITS),
                                      host_access(&share)))) {
        memory_drop_bytes(memory, to, length);
        return false;
    }
    memory_settle(memory, first, end);
    memory_mirror(memory, first, end);
    return true;
}

const struct memory_share *memory_find_common(const struct memory *memory, uint64_t address)
{
    const struct memory_share *share = memory_find_share(memory, address >> MEMORY_PAGE_BITS);

    return share && share->object.number ? share : NULL;
}

uint64_t memory_common_end(const struct memory *memory, uint64_t address, uint64_t end)
{
    const struct memory_share *own = memory_find_common(memory, address);
    uint64_t limit = own ? own->end << MEMORY_PAGE_BITS : end;

    for (unsigned i = 0; !own && i < memory->share_count; i++) {
        uint64_t first = memory->shares[i].first << MEMORY_PAGE_BITS;
        if (memory->shares[i].object.number && first > address && first < limit)
            limit = first;
    }
    return limit < end ? limit : end;
}

bool memory_can_unmap(const struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    memory_page_span(address, length, &first, &end);
    for (unsigned i = 0; memory->share_count == MEMORY_SHARES && i < MEMORY_SHARES; i++)
        if (memory_is_common_in(&memory->shares[i], first, end) &&
            memory->shares[i].first < first && end < memory->shares[i].end)
            return false;
    return true;
}

/* ---- mapped files that were read already ---- */

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
