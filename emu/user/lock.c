/* The user environment's locks of files: those of flock, which belong to an open file and hold for
 * all of it, and those of fcntl, which hold for a range of bytes and belong to a process, or to an
 * open file if they are asked for so. The two kinds know nothing of each other. */
#include "emu/user/storage.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <stdlib.h>

struct user_lock {
    struct user_lock *next;
    const struct user_file *file; /* by which it was set */
    uint32_t process;             /* that it belongs to; 0: it belongs to `file` */
    bool is_of_flock, is_exclusive;
    uint64_t start, end; /* bytes [start, end) */
};

static bool belongs_together(const struct user_lock *one, const struct user_lock *other)
{
    return one->process == other->process && (one->process || one->file == other->file);
}

/* Is it a lock of the same kind that holds for some of the same bytes? */
static bool meets(const struct user_lock *lock, const struct user_lock *wanted)
{
    return lock->is_of_flock == wanted->is_of_flock && lock->start < wanted->end &&
           wanted->start < lock->end && storage_is_same(lock->file, wanted->file);
}

/* Returns a lock that excludes the wanted one, or NULL. */
static const struct user_lock *find_conflict(const struct user_processes *processes,
                                             const struct user_lock *wanted)
{
    for (const struct user_lock *lock = processes->locks; lock; lock = lock->next)
        if ((lock->is_exclusive || wanted->is_exclusive) && !belongs_together(lock, wanted) &&
            meets(lock, wanted))
            return lock;
    return NULL;
}

/* Adds a copy of the lock for these bytes, if there are any. Returns false when there is no memory.
 */
static bool add(struct user_processes *processes, const struct user_lock *lock, uint64_t start,
                uint64_t end)
{
    if (start >= end)
        return true;
    struct user_lock *added = malloc(sizeof *added);
    if (!added)
        return false;
    *added = *lock;
    added->start = start;
    added->end = end;
    added->next = processes->locks;
    processes->locks = added;
    return true;
}

static void remove_lock(struct user_lock **link)
{
    struct user_lock *removed = *link;

    *link = removed->next;
    free(removed);
}

/* Has the owner of the wanted lock locked any of its bytes? */
static bool holds_any(const struct user_processes *processes, const struct user_lock *wanted)
{
    for (const struct user_lock *lock = processes->locks; lock; lock = lock->next)
        if (belongs_together(lock, wanted) && meets(lock, wanted))
            return true;
    return false;
}

/* Ends what the owner of the wanted lock has locked of its bytes. */
static bool unlock(struct user_processes *processes, const struct user_lock *wanted)
{
    struct user_lock **link = &processes->locks;

    while (*link) {
        const struct user_lock old = **link;
        if (!belongs_together(&old, wanted) || !meets(&old, wanted)) {
            link = &(*link)->next;
            continue;
        }
        remove_lock(link);
        if (!add(processes, &old, old.start, wanted->start) ||
            !add(processes, &old, wanted->end, old.end))
            return false;
        link = &processes->locks; /* what is left of it meets the wanted one no more */
    }
    return true;
}

int64_t user_set_lock(struct machine *machine, const struct user_file *file,
                      const struct user_lock_request *request)
{
    struct user *user = &machine->user;
    struct user_processes *processes = user->processes;
    const struct user_lock wanted = {
        .file = file,
        .process = request->is_of_process ? user->process->id : 0,
        .is_of_flock = request->is_of_flock,
        .is_exclusive = request->is_exclusive,
        .start = request->start,
        .end = request->end,
    };

    if (!storage_has(file))
        return 0;
    if (wanted.is_of_flock && holds_any(processes, &wanted)) {
        if (!unlock(processes, &wanted)) /* even if there can be no new one */
            return -ENOLCK;
        user_wake_on_files(user);
    }
    if (!request->unlocks && find_conflict(processes, &wanted)) {
        if (!request->waits)
            return -EAGAIN;
        int64_t result = user_wait(machine, WAIT_FILES, USER_FOREVER);
        return result == -EINTR ? USER_RESTART : result;
    }
    if (!unlock(processes, &wanted) ||
        (!request->unlocks && !add(processes, &wanted, wanted.start, wanted.end)))
        return -ENOLCK;
    user_wake_on_files(user);
    return 0;
}

bool user_find_lock(const struct machine *machine, const struct user_file *file,
                    struct user_lock_request *request, uint32_t *process)
{
    const struct user_lock wanted = {
        .file = file,
        .process = request->is_of_process ? machine->user.process->id : 0,
        .is_exclusive = request->is_exclusive,
        .start = request->start,
        .end = request->end,
    };
    const struct user_lock *found =
        storage_has(file) ? find_conflict(machine->user.processes, &wanted) : NULL;

    if (!found)
        return false;
    request->is_exclusive = found->is_exclusive;
    request->start = found->start;
    request->end = found->end;
    *process = found->process;
    return true;
}

void user_end_locks(struct user *user, const struct user_file *file)
{
    struct user_lock **link = &user->processes->locks;
    bool is_last = file->references == 0;

    while (*link) {
        const struct user_lock *lock = *link;
        bool ends = lock->process
                        ? lock->process == user->process->id && storage_is_same(lock->file, file)
                        : is_last && lock->file == file;
        if (ends)
            remove_lock(link);
        else
            link = &(*link)->next;
    }
}
