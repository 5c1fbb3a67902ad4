/* The names of the program that a run begins with: on the host, and for itself, which sees the
 * directory of --root as /. */
#include "emu/user/user.h"
#include "lib/arena.h"
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the rest of the path, which begins with a slash, if it is inside the directory, which is
 * not empty; or NULL. */
static const char *rest_inside(const char *directory, const char *path)
{
    size_t length = strlen(directory);

    while (length && directory[length - 1] == '/')
        length--;
    return strncmp(path, directory, length) == 0 && path[length] == '/' ? path + length : NULL;
}

static bool has_parent(const char *path)
{
    for (const char *at = path; (at = strstr(at, "/..")); at += 3)
        if (at[3] == '/' || at[3] == '\0')
            return true;
    return false;
}

/* Finds the path inside the root that `name`, a path of the host, leads along, but for links in its
 * last part. Returns NULL if it leads elsewhere. */
static const char *find_inside(struct arena *arena, const char *root, const char *name)
{
    const char *rest = rest_inside(root, name), *slash = strrchr(name, '/');

    if (rest && !has_parent(rest))
        return rest;
    const char *directory =
        slash ? arena_format(arena, "%.*s", (int)(slash - name + 1), name) : ".";
    char *real = realpath(directory, NULL), *real_root = realpath(root, NULL);
    rest = NULL;
    if (real && real_root) {
        const char *path =
            arena_format(arena, "%s/%s", real[1] ? real : "", slash ? slash + 1 : name);
        rest = rest_inside(real_root, path);
    }
    free(real);
    free(real_root);
    return rest;
}

/* Returns the host's path of a file inside the root, where absolute links begin at the root; NULL:
 * there is none, or the host cannot tell. */
static const char *find_on_host(struct arena *arena, const char *root, const char *path)
{
    char link[32], target[PATH_MAX];
    ssize_t length = -1;
    int directory = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC), file = -1;

#ifdef SYS_openat2
    struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    if (directory >= 0)
        file = (int)syscall(SYS_openat2, directory, path, &how, sizeof how);
#endif
    if (file >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        length = readlink(link, target, sizeof target);
        close(file);
    }
    if (directory >= 0)
        close(directory);
    return length > 0 && length < (ssize_t)sizeof target
               ? arena_format(arena, "%.*s", (int)length, target)
               : NULL;
}

void user_name_program(struct arena *arena, const char *root, const char *name,
                       struct user_execution *execution)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash ? slash + 1 : name;
    bool has_root = root && *root;
    const char *inside = has_root ? find_inside(arena, root, name) : NULL;
    const char *host = inside ? find_on_host(arena, root, inside) : NULL;
    char *real_root = has_root ? realpath(root, NULL) : NULL;
    char *real = has_root ? realpath(name, NULL) : NULL;

    if (!host)
        host = real;
    const char *path = real_root && host ? rest_inside(real_root, host) : NULL;
    bool is_elsewhere = path && (!real || strcmp(real, host) != 0);
    execution->host = is_elsewhere ? arena_string(arena, host) : name;
    execution->path = path ? arena_string(arena, path) : arena_format(arena, "/%s", base);
    execution->called = !path ? base : inside ? inside : execution->path;
    execution->given = execution->called;
    free(real_root);
    free(real);
}
