/* The user environment's descriptors. A descriptor is a slot that refers to an open file. Several
 * descriptors may share one file, and with it the offset and the flags. The lowest free descriptor
 * is given out first. */
#include "emu/user/storage.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <stdlib.h>

struct user_file *user_file(const struct machine *machine, uint64_t fd)
{
    return (uint32_t)fd < USER_FILES ? machine->user.files[(uint32_t)fd] : NULL;
}

struct user_file *user_usable_file(const struct machine *machine, uint64_t fd)
{
    struct user_file *file = user_file(machine, fd);

    return file && !(file->flags & GUEST_O_PATH) ? file : NULL;
}

struct user_file *user_named_file(const struct machine *machine, const char *path)
{
    static const char *const directories[] = {"/dev/fd/", "/proc/self/fd/"};
    static const char *const streams[] = {"/dev/stdin", "/dev/stdout", "/dev/stderr"};
    char *end;

    for (unsigned i = 0; i < sizeof streams / sizeof *streams; i++)
        if (strcmp(path, streams[i]) == 0)
            return user_file(machine, i);
    for (unsigned i = 0; i < sizeof directories / sizeof *directories; i++) {
        const char *number = path + strlen(directories[i]);
        if (strncmp(path, directories[i], strlen(directories[i])) != 0 || *number < '0' ||
            *number > '9')
            continue;
        unsigned long fd = strtoul(number, &end, 10);
        return *end || fd >= USER_FILES ? NULL : user_file(machine, fd);
    }
    return NULL;
}

/* ---- slots ---- */

/* The lowest free descriptor from `low` on; USER_FILES when all are taken. */
static unsigned free_descriptor(const struct user *user, uint64_t low)
{
    unsigned fd = low < USER_FILES ? low : USER_FILES;

    while (fd < USER_FILES && user->files[fd])
        fd++;
    return fd;
}

int64_t user_open_slot(struct user *user, uint64_t flags)
{
    unsigned fd = free_descriptor(user, 0);

    if (fd == USER_FILES)
        return -EMFILE;
    struct user_file *file = calloc(1, sizeof *file);
    if (!file)
        return -ENOMEM;
    file->host = -1;
    file->references = 1;
    file->serial = ++user->processes->opened;
    user->files[fd] = file;
    user->close_on_exec[fd] = flags & GUEST_O_CLOEXEC;
    return fd;
}

void user_close_slot(struct user *user, unsigned fd)
{
    struct user_file *file = user->files[fd];

    user->files[fd] = NULL;
    if (file)
        user_drop_file(user, file);
}

void user_drop_file(struct user *user, struct user_file *file)
{
    file->references--;
    if (user->processes->locks && storage_has(file)) {
        user_end_locks(user, file);
        user_wake_on_files(user);
    }
    if (file->references > 0)
        return;
    if (file->forget)
        file->forget(user->processes, file);
    file->forget = NULL;
    if (file->is_stream)
        return;
    storage_close(file);
    if (file->release)
        file->release(user, file);
    user_wake_on_files(user);
    free(file->path);
    free(file);
}

void user_close_all(struct user *user)
{
    for (unsigned fd = 0; fd < USER_FILES; fd++)
        user_close_slot(user, fd);
}

int64_t user_close(struct machine *machine, const uint64_t *arguments)
{
    if (!user_file(machine, arguments[0]))
        return -EBADF;
    user_close_slot(&machine->user, (uint32_t)arguments[0]);
    return 0;
}

int64_t user_close_range(struct machine *machine, const uint64_t *arguments)
{
    enum { UNSHARE = 2, CLOSE_ON_EXEC = 4 };
    uint32_t first = arguments[0], last = arguments[1];
    struct user *user = &machine->user;

    if (arguments[2] & ~(uint64_t)(UNSHARE | CLOSE_ON_EXEC) || first > last)
        return -EINVAL;
    for (uint32_t fd = first; fd < USER_FILES && fd <= last; fd++) {
        if (arguments[2] & CLOSE_ON_EXEC)
            user->close_on_exec[fd] = user->files[fd] != NULL;
        else
            user_close_slot(user, fd);
    }
    return 0;
}

/* ---- descriptors that share a file ---- */

int64_t user_share_file(struct user *user, struct user_file *file, unsigned fd, bool close_on_exec)
{
    file->references++;
    user_close_slot(user, fd);
    user->files[fd] = file;
    user->close_on_exec[fd] = close_on_exec;
    return fd;
}

int64_t user_share_from(struct user *user, struct user_file *file, uint64_t low, bool close_on_exec)
{
    unsigned fd = free_descriptor(user, low);

    if (low >= USER_FILES)
        return -EINVAL;
    return fd < USER_FILES ? user_share_file(user, file, fd, close_on_exec) : -EMFILE;
}

int64_t user_dup(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    return file ? user_share_from(&machine->user, file, 0, false) : -EBADF;
}

int64_t user_dup3(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *file = user_file(machine, arguments[0]);

    if (arguments[2] & ~(uint64_t)GUEST_O_CLOEXEC ||
        (uint32_t)arguments[0] == (uint32_t)arguments[1])
        return -EINVAL;
    if (!file || (uint32_t)arguments[1] >= USER_FILES)
        return -EBADF;
    return user_share_file(&machine->user, file, (uint32_t)arguments[1], arguments[2]);
}
