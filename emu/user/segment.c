/* The user environment's System V shared memory. A segment is a file in memory, which its mappings
 * share. Its attachments are the ranges of the processes' memories that are common with it, so that
 * fork, munmap and the end of a process need not tell. */
#include "emu/user/calls.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Values of Linux's generic ABI. */
enum {
    IPC_PRIVATE = 0,
    IPC_CREAT = 01000,
    IPC_EXCL = 02000,
    IPC_RMID = 0,
    IPC_SET = 1,
    IPC_STAT = 2,
    SHM_LOCK = 11,
    SHM_UNLOCK = 12,
    SHM_RDONLY = 010000,
    SHM_RND = 020000,
    SHM_REMAP = 040000,
    SHM_EXEC = 0100000,
    SHM_DEST = 01000, /* in a mode: removed, but attached */
    SHM_PERMISSIONS = 0777,
    SHM_SEGMENTS = 4096, /* SHMMNI */
};

struct user_segment {
    struct user_segment *next;
    uint32_t id, key; /* key IPC_PRIVATE: no other process finds it by its key */
    struct node *node;
    unsigned mode;
    bool is_removed;
    uint32_t maker, last; /* processes: that made it, and of the last call; 0: none */
    uint64_t attached, detached, changed; /* seconds; 0: never */
};

/* struct shmid64_ds */
struct guest_segment {
    uint32_t key, user, group, maker, maker_group, mode, sequence, pad;
    uint64_t unused[2];
    uint64_t size, attached, detached, changed;
    uint32_t maker_process, last_process;
    uint64_t count, unused_too[2];
};
_Static_assert(sizeof(struct guest_segment) == 112, "struct shmid64_ds");

static uint64_t seconds(const struct machine *machine)
{
    return user_date(machine) / 1000000000;
}

static unsigned count_attached(const struct user_processes *processes,
                               const struct user_segment *segment)
{
    uint64_t number = segment->node->object.number;
    unsigned count = 0;

    for (const struct user_process *process = processes->first; process; process = process->next) {
        const struct memory *memory = process->machine ? &process->machine->memory : NULL;
        for (unsigned i = 0; number && memory && i < memory->share_count; i++)
            count += memory->shares[i].object.number == number;
    }
    return count;
}

/* Frees the segments that are removed and not attached any more, or all. */
static void free_segments(struct user_processes *processes, bool all)
{
    struct user_segment **link = &processes->segments, *segment;

    while ((segment = *link)) {
        if (!all && (!segment->is_removed || count_attached(processes, segment))) {
            link = &segment->next;
            continue;
        }
        *link = segment->next;
        node_drop(segment->node);
        free(segment);
    }
}

void user_free_segments(struct user_processes *processes)
{
    if (processes)
        free_segments(processes, true);
}

/* Returns the segment with this id, or NULL. */
static struct user_segment *find_segment(struct machine *machine, uint64_t id)
{
    struct user_processes *processes = machine->user.processes;

    free_segments(processes, false);
    for (struct user_segment *segment = processes->segments; segment; segment = segment->next)
        if (segment->id == (uint32_t)id)
            return segment;
    return NULL;
}

/* Has the owner, who is the only user, all of these permissions (R_OK, W_OK)? */
static bool permits(const struct user_segment *segment, unsigned wanted)
{
    return !(wanted & ~(segment->mode >> 6));
}

static int64_t make_segment(struct machine *machine, uint32_t key, uint64_t size, unsigned flags)
{
    struct user_processes *processes = machine->user.processes;
    struct user_segment *segment = malloc(sizeof *segment), **link = &processes->segments;
    struct node *node = node_new(&processes->store, S_IFREG | (flags & SHM_PERMISSIONS));
    int resized = node && segment ? node_resize(node, size) : -ENOMEM;

    if (resized < 0) {
        if (node)
            node_drop(node);
        free(segment);
        return -ENOMEM;
    }
    *segment = (struct user_segment){
        .id = processes->segment_ids++,
        .key = key,
        .node = node,
        .mode = flags & SHM_PERMISSIONS,
        .maker = machine->user.process->id,
        .changed = seconds(machine),
    };
    while (*link)
        link = &(*link)->next;
    *link = segment;
    return segment->id;
}

int64_t user_shmget(struct machine *machine, const uint64_t *arguments)
{
    struct user_processes *processes = machine->user.processes;
    uint32_t key = (uint32_t)arguments[0], flags = (uint32_t)arguments[2];
    uint64_t size = arguments[1];
    unsigned wanted = (flags >> 6 | flags >> 3 | flags) & 7, count = 0;

    free_segments(processes, false);
    for (const struct user_segment *segment = processes->segments; segment;
         segment = segment->next, count++) {
        if (key == IPC_PRIVATE || segment->key != key)
            continue;
        if (flags & IPC_CREAT && flags & IPC_EXCL)
            return -EEXIST;
        if (size > segment->node->size)
            return -EINVAL;
        return permits(segment, wanted) ? (int64_t)segment->id : -EACCES;
    }
    if (key != IPC_PRIVATE && !(flags & IPC_CREAT))
        return -ENOENT;
    if (size == 0 || size > MEMORY_LIMIT)
        return -EINVAL;
    return count == SHM_SEGMENTS ? -ENOSPC : make_segment(machine, key, size, flags);
}

/* Opens the segment's file, so that it can be mapped. */
static int64_t open_segment(struct user *user, const struct user_segment *segment, bool is_written)
{
    int64_t fd = user_open_slot(user, 0);
    char path[32];

    if (fd < 0)
        return -ENOMEM;
    snprintf(path, sizeof path, "/SYSV%08x (deleted)", (unsigned)segment->key);
    struct user_file *file = user->files[fd];
    node_hold(segment->node);
    file->node = segment->node;
    file->flags = is_written ? GUEST_O_RDWR : GUEST_O_RDONLY;
    file->path = strdup(path);
    if (file->path)
        return fd;
    user_close_slot(user, (unsigned)fd);
    return -ENOMEM;
}

int64_t user_shmat(struct machine *machine, const uint64_t *arguments)
{
    struct user_segment *segment = find_segment(machine, arguments[0]);
    uint64_t address = arguments[1], flags = arguments[2];
    bool is_written = !(flags & SHM_RDONLY);

    if (!segment)
        return -EINVAL;
    if (flags & SHM_RND)
        address -= address % MEMORY_PAGE;
    if (address % MEMORY_PAGE || (flags & SHM_REMAP && !address))
        return -EINVAL;
    if (!permits(segment, is_written ? 6 : 4))
        return -EACCES;
    int64_t fd = open_segment(&machine->user, segment, is_written);
    if (fd < 0)
        return fd;
    int64_t result = user_mmap(
        machine,
        (const uint64_t[]){address, segment->node->size,
                           GUEST_PROT_READ | (is_written ? GUEST_PROT_WRITE : 0) |
                               (flags & SHM_EXEC ? GUEST_PROT_EXEC : 0),
                           GUEST_MAP_SHARED | (!address            ? 0
                                               : flags & SHM_REMAP ? GUEST_MAP_FIXED
                                                                   : GUEST_MAP_FIXED_NOREPLACE),
                           (uint64_t)fd, 0});
    user_close_slot(&machine->user, (unsigned)fd);
    if (result < 0)
        return result == -EEXIST ? -EINVAL : result;
    segment->attached = seconds(machine);
    segment->last = machine->user.process->id;
    return result;
}

int64_t user_shmdt(struct machine *machine, const uint64_t *arguments)
{
    uint64_t address = arguments[0];
    const struct memory_share *share =
        address % MEMORY_PAGE ? NULL : memory_find_common(&machine->memory, address);

    if (!share || share->place != 0 || share->first != address / MEMORY_PAGE)
        return -EINVAL;
    for (struct user_segment *segment = machine->user.processes->segments; segment;
         segment = segment->next) {
        if (segment->node->object.number != share->object.number)
            continue;
        uint64_t length = (share->end - share->first) * MEMORY_PAGE;
        int64_t result = user_munmap(machine, (const uint64_t[]){address, length});
        if (result < 0)
            return result;
        segment->detached = seconds(machine);
        segment->last = machine->user.process->id;
        free_segments(machine->user.processes, false);
        return 0;
    }
    return -EINVAL;
}

static int64_t report_segment(struct machine *machine, const struct user_segment *segment,
                              uint64_t address)
{
    const struct guest_segment report = {
        .key = segment->key,
        .user = GUEST_UID,
        .group = GUEST_UID,
        .maker = GUEST_UID,
        .maker_group = GUEST_UID,
        .mode = segment->mode | (segment->is_removed ? SHM_DEST : 0),
        .size = segment->node->size,
        .attached = segment->attached,
        .detached = segment->detached,
        .changed = segment->changed,
        .maker_process = segment->maker,
        .last_process = segment->last,
        .count = count_attached(machine->user.processes, segment),
    };

    if (!permits(segment, 4))
        return -EACCES;
    return user_copy_out(machine, address, &report, sizeof report) ? 0 : -EFAULT;
}

static int64_t change_segment(struct machine *machine, struct user_segment *segment,
                              uint64_t address)
{
    struct guest_segment wanted;

    if (!user_copy_in(machine, &wanted, address, sizeof wanted))
        return -EFAULT;
    if (wanted.user != GUEST_UID || wanted.group != GUEST_UID)
        return -EPERM;
    segment->mode = wanted.mode & SHM_PERMISSIONS;
    segment->changed = seconds(machine);
    return 0;
}

int64_t user_shmctl(struct machine *machine, const uint64_t *arguments)
{
    uint32_t command = (uint32_t)arguments[1];
    struct user_segment *segment = find_segment(machine, arguments[0]);

    if (!segment)
        return -EINVAL;
    switch (command) {
    case IPC_RMID:
        segment->is_removed = true;
        segment->key = IPC_PRIVATE;
        free_segments(machine->user.processes, false);
        return 0;
    case IPC_SET:
        return change_segment(machine, segment, arguments[2]);
    case IPC_STAT:
        return report_segment(machine, segment, arguments[2]);
    case SHM_LOCK: /* nothing is ever swapped out */
    case SHM_UNLOCK:
        return 0;
    default:
        return -EINVAL;
    }
}
