/* Copies between the host and the guest's memory, for system calls. */
#include "emu/user/calls.h"
#include <errno.h>

bool user_copy_in(struct machine *machine, void *bytes, uint64_t address, uint64_t length)
{
    const void *host = memory_range(&machine->memory, address, length, false);

    if (!host)
        return false;
    memcpy(bytes, host, length);
    return true;
}

bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length)
{
    void *host = memory_range(&machine->memory, address, length, true);

    if (!host)
        return false;
    memcpy(host, bytes, length);
    port_record_write(&machine->port, address, length, host);
    return true;
}

uint64_t user_accessible(const struct machine *machine, uint64_t address, uint64_t length,
                         bool write)
{
    unsigned permissions = write ? PAGE_WRITE : PAGE_READ;
    uint64_t done = 0;

    if (memory_is(&machine->memory, address, length, permissions))
        return length;
    while (done < length) {
        uint64_t part = MEMORY_PAGE - (address + done) % MEMORY_PAGE;
        if (part > length - done)
            part = length - done;
        if (!memory_is(&machine->memory, address + done, part, permissions))
            break;
        done += part;
    }
    return done;
}

int64_t user_copy_path(struct machine *machine, uint64_t address, char path[PATH_MAX])
{
    for (size_t used = 0, length; used < PATH_MAX; used += length, address += length) {
        length = MEMORY_PAGE - address % MEMORY_PAGE;
        if (length > PATH_MAX - used)
            length = PATH_MAX - used;
        const char *bytes = memory_range(&machine->memory, address, length, false);
        if (!bytes)
            return -EFAULT;
        if (memccpy(path + used, bytes, '\0', length))
            return 0;
    }
    return -ENAMETOOLONG;
}
