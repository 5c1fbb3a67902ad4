/* Mappings of files: private copies, and the files themselves.
 *
 * A shared mapping is the file: reads and writes of the file and all its mappings, in whatever
 * process, reach the same bytes. A file in memory is common memory from then on (node_share), and
 * one of the host is mapped by the host (mapped.h). Code cannot be executed there, since a store by
 * another mapping would not be noticed. All other mappings have the bytes that the file had when
 * they were made. */
#include "emu/user/mapped.h"
#include "emu/user/path.h"
#include <errno.h>

/* Can pages with this protection be common memory? */
static bool can_be_common(const struct machine *machine, uint64_t protection)
{
    return !(protection & GUEST_PROT_EXEC) && machine->memory.share_count < MEMORY_SHARES &&
           user_can_share(machine->user.processes, 1);
}

int64_t user_check_mapping(const struct machine *machine, const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, (uint32_t)arguments[4]);
    bool is_shared = arguments[3] & GUEST_MAP_SHARED,
         is_written = is_shared && arguments[2] & GUEST_PROT_WRITE;

    if (!file)
        return -EBADF;
    if (!(arguments[3] & (GUEST_MAP_SHARED | GUEST_MAP_PRIVATE)) ||
        arguments[5] & (MEMORY_PAGE - 1) || (int64_t)arguments[5] < 0)
        return -EINVAL;
    if (file->flags & GUEST_O_PATH)
        return -EBADF;
    unsigned access = file->flags & GUEST_O_ACCMODE;
    if (access == GUEST_O_WRONLY || (is_written && access != GUEST_O_RDWR))
        return -EACCES;
    if (file->device == DEVICE_ZERO)
        return USER_MAPS_ZEROS;
    if (!storage_has(file) || file->is_directory)
        return -ENODEV;
    if (!is_shared || (file->node && file->node->is_fixed))
        return is_written ? -ENODEV : USER_MAPS_COPY;
    if (!file->node && access == GUEST_O_RDONLY && !can_be_common(machine, arguments[2]))
        return USER_MAPS_COPY;
    return arguments[2] & GUEST_PROT_EXEC ? -EPERM : USER_MAPS_FILE;
}

/* ---- copies ---- */

/* May the program change the file by a descriptor or a mapping? */
static bool is_written(const struct user_processes *processes, const struct user_file *file)
{
    for (const struct user_process *process = processes->first; process; process = process->next)
        for (unsigned i = 0; process->machine && i < USER_FILES; i++) {
            const struct user_file *other = process->machine->user.files[i];
            if (other && other->host >= 0 && (other->flags & GUEST_O_ACCMODE) != GUEST_O_RDONLY &&
                storage_is_same(file, other))
                return true;
        }
    return mapped_has(processes, file->host_device, file->host_inode);
}

/* Does a process run from the file of the host? */
static bool is_busy(const struct user_processes *processes, uint64_t device, uint64_t inode)
{
    for (const struct user_process *process = processes->first; process; process = process->next) {
        const struct file_identity *busy = process->machine ? process->machine->user.busy : NULL;
        for (unsigned i = 0; busy && i < USER_BUSY; i++)
            if (busy[i].exists && busy[i].device == device && busy[i].inode == inode)
                return true;
    }
    return false;
}

int64_t user_prepare_change(struct machine *machine, const struct path_walk *walk)
{
    uint64_t device, inode;

    if (!storage_identify(path_directory(walk), path_name(walk), &device, &inode))
        return 0;
    if (is_busy(machine->user.processes, device, inode))
        return -ETXTBSY;
    for (struct user_process *process = machine->user.processes->first; process;
         process = process->next)
        if (process->machine && process->machine->memory.share_count)
            memory_unshare(&process->machine->memory, device, inode);
    return 0;
}

void user_map_copy(struct machine *machine, uint64_t address, uint64_t length,
                   const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, (uint32_t)arguments[4]);
    const struct user_processes *processes = machine->user.processes;
    uint64_t done = 0;
    unsigned char *bytes = memory_range(&machine->memory, address, length, true);

    if (storage_has(file) && !file->node && user_can_share(processes, 1) &&
        !is_written(processes, file))
        done = memory_share(&machine->memory, address, length, file->host, arguments[5]);
    while (storage_has(file) && done < length) {
        int64_t got = storage_read(file, bytes + done, length - done, arguments[5] + done);
        if (got <= 0)
            break;
        done += got;
    }
    if (done)
        port_record_write(&machine->port, address, done, bytes);
}

/* ---- the files themselves ---- */

bool user_map_file(struct machine *machine, uint64_t address, uint64_t length,
                   const uint64_t *arguments)
{
    const struct user_file *file = user_file(machine, (uint32_t)arguments[4]);
    struct node *node = file->node;
    const struct memory_object *object = node ? &node->object : NULL;
    bool can_write = (file->flags & GUEST_O_ACCMODE) == GUEST_O_RDWR;
    struct file_facts facts;

    if (node ? node_share(node) < 0
             : !(object = mapped_open(machine->user.processes, file, can_write)))
        return false;
    if (storage_file_facts(file, &facts) < 0 ||
        !memory_map_object(&machine->memory, address, length, object, node ? node->bytes : NULL,
                           arguments[5] >> MEMORY_PAGE_BITS,
                           PAGE_READ | (can_write ? PAGE_WRITE : 0)))
        return false;
    if (arguments[5] < facts.size) {
        uint64_t rest = facts.size - arguments[5], seen = rest < length ? rest : length;
        const void *bytes = memory_peek(&machine->memory, address, seen);
        if (bytes)
            port_record_write(&machine->port, address, seen, bytes);
    }
    return true;
}
