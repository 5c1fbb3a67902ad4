/* Accesses: by pointers of the host, and the slow paths of loads, stores and fetches. */
#include "emu/memory/parts.h"
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* May the host write the pages? In a mirror, it may not where stores must be checked first. */
static bool is_open(const struct memory *memory, uint64_t first, uint64_t end)
{
    for (uint64_t page = first; memory->is_mirror && page < end; page++)
        if (!(memory->views[VIEW_MACHINE][page] & PAGE_WRITE))
            return false;
    return true;
}

void *memory_range(struct memory *memory, uint64_t address, uint64_t length, bool write)
{
    uint64_t first, end;

    if (length == 0)
        return memory->host;
    if (!memory_is(memory, address, length, write ? PAGE_WRITE : PAGE_READ))
        return NULL;
    if (write) {
        memory_page_span(address, length, &first, &end);
        memory_announce(memory, address, length);
        if (!is_open(memory, first, end)) /* the host opens pages where code has gone */
            memory_announce_pages(memory, first, end);
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

static bool write_file(int file, void *place, const void *bytes, size_t length)
{
    return pwrite(file, bytes, length, (off_t)(uintptr_t)place) == (ssize_t)length;
}

/* Opens the memory of the process as a file, by which the host writes in spite of permissions.
 * Returns MEMORY_WRITER_NONE if the host does not, as in some containers. */
static int open_writer(void)
{
    int file = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
    volatile uint32_t probe = 0;
    uint32_t value = 1;

    if (file < 0)
        return MEMORY_WRITER_NONE;
    if (write_file(file, (void *)&probe, &value, sizeof value) && probe == value)
        return file;
    close(file);
    return MEMORY_WRITER_NONE;
}

/* Writes the bytes where the host's permissions forbid it. Returns false if that is not possible: a
 * host may also refuse it for such pages only, and is not asked again then. */
static bool write_through(struct memory *memory, uint64_t address, const void *bytes,
                          uint64_t length)
{
    if (memory->writer == MEMORY_WRITER_CLOSED)
        memory->writer = open_writer();
    if (memory->writer < 0)
        return false;
    if (write_file(memory->writer, memory->host + address, bytes, length)) {
        memory_may_change(memory, 1);
        return true;
    }
    close(memory->writer);
    memory->writer = MEMORY_WRITER_NONE;
    return false;
}

/* Writes the bytes, which are in these pages, even where stores must be checked first. */
static void write_bytes(struct memory *memory, uint64_t first, uint64_t end, uint64_t address,
                        const void *bytes, uint64_t length)
{
    bool is_closed = !is_open(memory, first, end);

    if (is_closed && write_through(memory, address, bytes, length))
        return;
    if (is_closed && !memory_protect_host(memory, first, end, PROT_READ | PROT_WRITE))
        memory_end_mirror(memory);
    memcpy(memory->host + address, bytes, length);
    if (is_closed)
        memory_mirror(memory, first, end);
}

bool memory_poke(struct memory *memory, uint64_t address, const void *bytes, uint64_t length)
{
    uint64_t first, end;

    if (!memory_is(memory, address, length, PAGE_MAPPED) ||
        !memory_allows(memory, address, length, PAGE_WRITE))
        return false;
    memory_page_span(address, length, &first, &end);
    memory_announce(memory, address, length);
    if (length > MEMORY_PAGE) /* the fault of one page takes no longer, and it may be there */
        arena_populate(memory->host + address, length);
    if (length)
        write_bytes(memory, first, end, address, bytes, length);
    return true;
}

/* ---- loads, stores and fetches ---- */

enum cause memory_access_fault(enum page_permission access)
{
    return access == PAGE_READ    ? CAUSE_LOAD_ACCESS
           : access == PAGE_WRITE ? CAUSE_STORE_ACCESS
                                  : CAUSE_FETCH_ACCESS;
}

int memory_fault_signal(const struct memory *memory, const struct fault *fault)
{
    int signal = fault_signal(fault->cause);
    unsigned page =
                 fault->value < memory->end ? memory->pages[fault->value >> MEMORY_PAGE_BITS] : 0,
             later = memory_permissions(page) & ~page,
             needed = fault->cause == CAUSE_STORE_ACCESS   ? PAGE_WRITE
                      : fault->cause == CAUSE_FETCH_ACCESS ? PAGE_EXECUTE
                                                           : PAGE_READ;

    return signal == SIGSEGV && later & needed ? SIGBUS : signal;
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
    /* Programs that make code write the same constants into it again and again. */
    if (memcmp(memory->host + address, value, size) == 0)
        return true;
    memory_page_span(address, size, &first, &end);
    memory_announce(memory, address, size);
    for (uint64_t page = first; page < end && page < MEMORY_CODE_PAGES; page++)
        memory_note_store(memory, page);
    write_bytes(memory, first, end, address, value, size);
    return true;
}
