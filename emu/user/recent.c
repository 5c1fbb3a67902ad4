/* See recent.h and storage.h. */
#include "emu/user/storage_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Opens the directory beneath the root. Returns its descriptor, or a negative error number. */
static int64_t open_beneath(const struct place *root, const char *path)
{
#ifdef SYS_openat2
    const struct open_how how = {.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
                                 .resolve =
                                     RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV};

    return host_result(syscall(SYS_openat2, root->host, path, &how, sizeof how));
#else
    (void)root, (void)path;
    return -ENOSYS;
#endif
}

/* Returns the recent directory of the path, or the one that is replaced by it. */
static struct recent_directory *find_recent(struct recent_directories *recent, const char *path)
{
    struct recent_directory *found = recent->all;

    for (struct recent_directory *one = recent->all; one < recent->all + RECENT_DIRECTORIES;
         one++) {
        if (one->used && strcmp(one->path, path) == 0)
            return one;
        if (one->used < found->used)
            found = one;
    }
    return found;
}

static void forget(struct recent_directory *directory)
{
    if (directory->used)
        close(directory->host);
    directory->used = 0;
}

int64_t recent_enter(struct recent_directories *recent, const struct place *root, const char *path,
                     struct place *inside)
{
    struct recent_directory *found = find_recent(recent, path);
    uint64_t device, inode;

    if (root->node)
        return -ENOSYS;
    if (strlen(path) >= RECENT_PATH)
        return -ENAMETOOLONG;
    /* Links that a path has by now do not matter: they lead to the same directory. */
    if (!found->used || strcmp(found->path, path) != 0 ||
        !storage_identify(root, path, &device, &inode) || device != found->device ||
        inode != found->inode) {
        int64_t host = open_beneath(root, path);
        if (host < 0)
            return host;
        forget(found);
        found->host = (int)host;
        const struct place place = {.host = found->host};
        if (!storage_identify(&place, ".", &found->device, &found->inode)) {
            close(found->host);
            return -EACCES;
        }
        memcpy(found->path, path, strlen(path) + 1);
    }
    found->used = ++recent->uses;
    *inside = (struct place){
        .host = found->host, .device = found->device, .inode = found->inode, .times = root->times};
    return 0;
}

void recent_close(struct recent_directories *recent)
{
    for (size_t i = 0; i < RECENT_DIRECTORIES; i++)
        forget(&recent->all[i]);
}
