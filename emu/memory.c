/* Guest memory: see memory.h. The host mapping is readable and writable everywhere and reserved
 * without commitment, so that permissions are a matter of the page bytes alone and no guest access
 * can fault on the host. */
#include "emu/memory.h"
#include <errno.h>
#include <sys/mman.h>

static void *reserve(struct diag *diag, size_t length)
{
    void *host = mmap(NULL, length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (host == MAP_FAILED) {
        diag_error(diag, NULL,
                   "cannot reserve %zu MiB of address space for the guest: %s; check the address "
                   "space limit "
                   "(ulimit -v)",
                   length >> 20, strerror(errno));
        return NULL;
    }
    return host;
}

bool memory_init(struct memory *memory, struct diag *diag, uint64_t limit)
{
    *memory = (struct memory){.limit = limit};
    memory->host = reserve(diag, MEMORY_LIMIT);
    if (memory->host)
        memory->pages = reserve(diag, MEMORY_PAGES);
    if (memory->pages)
        return true;
    memory_free(memory);
    return false;
}

void memory_free(struct memory *memory)
{
    if (memory->host)
        munmap(memory->host, MEMORY_LIMIT);
    if (memory->pages)
        munmap(memory->pages, MEMORY_PAGES);
    memory->host = memory->pages = NULL;
}

static bool in_limit(uint64_t address, uint64_t length)
{
    return address <= MEMORY_LIMIT && length <= MEMORY_LIMIT - address;
}

/* The pages [*first, *end) that hold the range. */
static void page_span(uint64_t address, uint64_t length, uint64_t *first, uint64_t *end)
{
    *first = address >> MEMORY_PAGE_BITS;
    *end = length ? ((address + length - 1) >> MEMORY_PAGE_BITS) + 1 : *first;
}

static void announce_change(struct memory *memory, uint64_t first, uint64_t end)
{
    for (uint64_t page = first; page < end; page++)
        if (memory->pages[page] & PAGE_CODE && memory->code_changes)
            memory->code_changes(memory->code_context, page << MEMORY_PAGE_BITS, MEMORY_PAGE);
}

bool memory_map(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end, fresh = 0;

    if (length == 0 || !in_limit(address, length))
        return false;
    page_span(address, length, &first, &end);
    for (uint64_t page = first; page < end; page++)
        fresh += !memory->pages[page];
    if (fresh << MEMORY_PAGE_BITS > memory->limit - memory->mapped)
        return false;
    memory->mapped += fresh << MEMORY_PAGE_BITS;
    for (uint64_t page = first; page < end; page++)
        memory->pages[page] |= PAGE_MAPPED | permissions;
    return true;
}

void memory_unmap(struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t first, end;

    page_span(address, length, &first, &end);
    announce_change(memory, first, end);
    for (uint64_t page = first; page < end; page++) {
        memory->mapped -= memory->pages[page] ? MEMORY_PAGE : 0;
        memory->pages[page] = 0;
    }
    if (end > first)
        madvise(memory->host + (first << MEMORY_PAGE_BITS), (end - first) << MEMORY_PAGE_BITS,
                MADV_DONTNEED);
}

bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED))
        return false;
    page_span(address, length, &first, &end);
    announce_change(memory, first, end);
    for (uint64_t page = first; page < end; page++)
        memory->pages[page] = PAGE_MAPPED | permissions;
    return true;
}

bool memory_is(const struct memory *memory, uint64_t address, uint64_t length, unsigned permissions)
{
    uint64_t first, end;

    if (!in_limit(address, length))
        return false;
    page_span(address, length, &first, &end);
    for (uint64_t page = first; page < end; page++)
        if (!memory->pages[page] || (memory->pages[page] & permissions) != permissions)
            return false;
    return true;
}

uint64_t memory_find_free(const struct memory *memory, uint64_t low, uint64_t high, uint64_t length)
{
    uint64_t first = (low + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS, end = high >> MEMORY_PAGE_BITS,
             free = 0;

    if (length == 0 || length > MEMORY_LIMIT)
        return 0;
    const uint64_t wanted = (length + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS;
    for (uint64_t page = end; page > first; page--) {
        free = memory->pages[page - 1] ? 0 : free + 1;
        if (free == wanted)
            return (page - 1) << MEMORY_PAGE_BITS;
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
        announce_change(memory, first, end);
    }
    return memory->host + address;
}

const void *memory_peek(const struct memory *memory, uint64_t address, uint64_t length)
{
    return memory_is(memory, address, length, PAGE_MAPPED) ? memory->host + address : NULL;
}

bool memory_poke(struct memory *memory, uint64_t address, const void *bytes, uint64_t length)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED))
        return false;
    page_span(address, length, &first, &end);
    announce_change(memory, first, end);
    if (length)
        memcpy(memory->host + address, bytes, length);
    return true;
}

/* Address of the first byte of the range whose page lacks the permission; the range is at most two
 * pages. */
static bool find_hole(const struct memory *memory, uint64_t address, size_t size,
                      unsigned permission, uint64_t *hole)
{
    for (size_t i = 0; i < size; i++) {
        uint64_t byte = address + i;
        if (byte >= MEMORY_LIMIT || !(memory->pages[byte >> MEMORY_PAGE_BITS] & permission)) {
            *hole = byte;
            return true;
        }
    }
    return false;
}

bool memory_fetch(const struct memory *memory, uint64_t pc, int length, uint64_t *word,
                  struct fault *fault)
{
    uint64_t hole;

    if (find_hole(memory, pc, length, PAGE_EXECUTE, &hole))
        return fault_set(fault, CAUSE_FETCH_ACCESS, hole);
    *word = 0;
    memcpy(word, memory->host + pc, length);
    return true;
}

bool memory_load_slow(const struct memory *memory, uint64_t address, void *value, size_t size,
                      struct fault *fault)
{
    uint64_t hole;

    if (find_hole(memory, address, size, PAGE_READ, &hole))
        return fault_set(fault, CAUSE_LOAD_ACCESS, hole);
    memcpy(value, memory->host + address, size);
    return true;
}

bool memory_store_slow(struct memory *memory, uint64_t address, const void *value, size_t size,
                       struct fault *fault)
{
    uint64_t hole, first, end;

    if (find_hole(memory, address, size, PAGE_WRITE, &hole))
        return fault_set(fault, CAUSE_STORE_ACCESS, hole);
    page_span(address, size, &first, &end);
    announce_change(memory, first, end);
    memcpy(memory->host + address, value, size);
    return true;
}
