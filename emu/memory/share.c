/* Pages that are shared with files of the host until they are written. */
#include "emu/memory/parts.h"
#include "lib/file.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LEAST_SHARED = 4 }; /* pages; fewer are copied faster */

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

/* Forgets what the pages [first, end) of a share had in common with a file: it ends earlier, begins
 * later, or becomes two. Without room for a second one, it stays as it is. */
static void cut_share(struct memory *memory, unsigned index, uint64_t first, uint64_t end)
{
    struct memory_share *share = &memory->shares[index], rest = *share;

    rest.first = end;
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

/* Are some of the pages shared with a file? Forgets that they are. */
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
            old->is_common == added.is_common && old->first <= added.first && added.end <= old->end)
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

bool memory_make_common(struct memory *memory, uint64_t address, uint64_t length)
{
    const struct memory_share share = {.first = address >> MEMORY_PAGE_BITS,
                                       .end = (address + length) >> MEMORY_PAGE_BITS,
                                       .is_common = true};

    if (!memory_add_share(memory, share))
        return false;
    if (mmap(memory->host + address, length, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED)
        return true;
    renew(memory, address, length);
    return false;
}

bool memory_is_common(const struct memory *memory, uint64_t address)
{
    for (unsigned i = 0; i < memory->share_count; i++)
        if (memory->shares[i].is_common && memory->shares[i].first <= address >> MEMORY_PAGE_BITS &&
            address >> MEMORY_PAGE_BITS < memory->shares[i].end)
            return true;
    return false;
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
