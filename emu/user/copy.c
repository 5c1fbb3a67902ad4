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

int64_t user_copy_path(struct machine *machine, uint64_t address, char path[PATH_MAX])
{
    for (size_t i = 0; i < PATH_MAX; i++) {
        const char *byte = memory_range(&machine->memory, address + i, 1, false);
        if (!byte)
            return -EFAULT;
        path[i] = *byte;
        if (!path[i])
            return 0;
    }
    return -ENAMETOOLONG;
}
