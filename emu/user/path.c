/* Paths of the guest: see path.h. */
#include "emu/user/path.h"
#include "emu/user/calls.h"
#include "lib/text.h"
#include <errno.h>
#include <sys/stat.h>

enum { LINKS_MAXIMUM = 40 }; /* as in Linux */

static void walk_up(struct path_walk *walk)
{
    if (walk->depth == 0)
        return;
    if (walk->depth > 1 || !walk->leapt)
        storage_leave(&walk->directories[walk->depth]);
    walk->depth--;
    *strrchr(walk->where, '/') = '\0';
}

void path_end(struct path_walk *walk)
{
    while (walk->depth > 0)
        walk_up(walk);
    walk->where[0] = '\0';
    walk->leapt = false;
}

/* Moves the next component from the rest into walk->name. Returns 0, or an error number. */
static int next_component(struct path_walk *walk)
{
    const char *start = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(start, "/");

    if (length > NAME_MAX)
        return ENAMETOOLONG;
    memcpy(walk->name, start, length);
    walk->name[length] = '\0';
    memmove(walk->rest, start + length, strlen(start + length) + 1);
    walk->has_facts = false;
    return 0;
}

static bool is_last(const struct path_walk *walk)
{
    return walk->rest[strspn(walk->rest, "/")] == '\0';
}

/* Puts the target of the symbolic link walk->name in front of the rest. Returns 0, or an error
 * number. */
static int follow_link(struct path_walk *walk)
{
    char target[PATH_MAX], rest[2 * PATH_MAX];
    int64_t length = storage_read_link(path_directory(walk), walk->name, target, sizeof target - 1);

    if (length < 0)
        return (int)-length;
    target[length] = '\0';
    if (++walk->links > LINKS_MAXIMUM)
        return ELOOP;
    if (target[0] == '/')
        path_end(walk);
    if ((size_t)snprintf(rest, sizeof rest, "%s%s", target, walk->rest) >= sizeof rest)
        return ENAMETOOLONG;
    memcpy(walk->rest, rest, strlen(rest) + 1);
    walk->name[0] = '\0';
    return 0;
}

int64_t path_facts(struct path_walk *walk, struct file_facts *facts)
{
    int64_t result = 0;

    if (!walk->has_facts)
        result = storage_facts(path_directory(walk), path_name(walk), &walk->facts);
    walk->has_facts = result == 0;
    *facts = walk->facts;
    return result;
}

/* Returns the type (S_IFMT) of walk->name; 0: it does not exist. */
static uint32_t type_of(struct path_walk *walk)
{
    struct file_facts facts;

    return path_facts(walk, &facts) == 0 ? facts.mode & S_IFMT : 0;
}

/* Is the name that of the directory in memory, which hides a directory of the host? */
static bool is_shared_memory(const struct path_walk *walk)
{
    return walk->shared_memory && strcmp(walk->name, "shm") == 0 &&
           strcmp(walk->where, "/dev") == 0;
}

static int walk_down(struct path_walk *walk)
{
    size_t used = strlen(walk->where);
    int64_t result = 0;

    if (walk->depth + 1 == PATH_DEPTH || used + 1 + strlen(walk->name) >= sizeof walk->where)
        return ENAMETOOLONG;
    struct place *inside = &walk->directories[walk->depth + 1];
    if (is_shared_memory(walk))
        *inside = (struct place){.host = -1, .node = walk->shared_memory};
    else
        result = storage_enter(path_directory(walk), walk->name, inside);
    if (result < 0)
        return (int)-result;
    walk->depth++;
    walk->where[used] = '/';
    memcpy(walk->where + used + 1, walk->name, strlen(walk->name) + 1);
    return 0;
}

/* Copies the directories that the rest of a path names before its last component. Returns its
 * length; 0: there are none, or dots are among the components. */
static size_t leading_directories(const char *rest, char directories[PATH_MAX])
{
    size_t used = 0, leading = 0;

    for (;;) {
        const char *start = rest + strspn(rest, "/");
        size_t length = strcspn(start, "/");
        if (length == 0)
            break;
        if ((start[0] == '.' && (length == 1 || (length == 2 && start[1] == '.'))) ||
            used + 1 + length >= PATH_MAX)
            return 0;
        leading = used;
        directories[used] = '/';
        memcpy(directories + used + 1, start, length);
        used += 1 + length;
        rest = start + length;
    }
    directories[leading] = '\0';
    return leading;
}

/* Goes down to the last component at once, if the host can do that: if there are no links and no
 * dots before it. Otherwise nothing happens. Returns 0; or an error number: there is no such
 * directory. */
static int leap(struct path_walk *walk)
{
    size_t length = leading_directories(walk->rest, walk->where);
    const char *last = walk->rest + strlen(walk->rest);

    int64_t result = length == 0 ? -ENOSYS
                                 : recent_enter(walk->recent, path_directory(walk), walk->where + 1,
                                                &walk->directories[1]);
    if (result < 0) {
        walk->where[0] = '\0';
        return result == -ENOENT || result == -ENOTDIR ? (int)-result : 0;
    }
    walk->depth = 1;
    walk->leapt = true;
    while (last > walk->rest && last[-1] == '/')
        last--;
    while (last > walk->rest && last[-1] != '/')
        last--;
    memmove(walk->rest, last, strlen(last) + 1);
    return 0;
}

/* Begins a walk to a name in an open directory there, whatever the directory is called by now.
 * Returns false if it has to begin at the root. */
static bool begin_in(struct path_walk *walk, const struct user_file *file, const char *name)
{
    if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || !file->path[1])
        return false;
    walk->directories[1] = (struct place){.host = file->host,
                                          .node = file->node,
                                          .device = file->host_device,
                                          .inode = file->host_inode,
                                          .times = walk->directories[0].times};
    walk->depth = 1;
    walk->leapt = true;
    snprintf(walk->where, sizeof walk->where, "%s", file->path);
    snprintf(walk->rest, sizeof walk->rest, "%s", name);
    return true;
}

/* Begins in the directory /dev/shm in memory, if the rest of the path leads there: the root need
 * not have /dev. */
static bool begin_in_shared_memory(struct path_walk *walk)
{
    static const char *const names[] = {"dev", "shm"};
    const char *rest = walk->rest;

    for (unsigned i = 0; i < 2; i++) {
        rest += strspn(rest, "/");
        if (!walk->shared_memory || strncmp(rest, names[i], strlen(names[i])) != 0)
            return false;
        rest += strlen(names[i]);
        if (*rest != '/' && (*rest || i == 0))
            return false;
    }
    walk->directories[1] = (struct place){.host = -1, .node = walk->shared_memory};
    walk->depth = 1;
    walk->leapt = true;
    snprintf(walk->where, sizeof walk->where, "/dev/shm");
    memmove(walk->rest, rest, strlen(rest) + 1);
    return true;
}

/* Goes down to the last component at once, if that is possible. Returns 0, or an error number. */
static int begin_at_root(struct path_walk *walk)
{
    return begin_in_shared_memory(walk) ? 0 : leap(walk);
}

/* Goes up from where the walk has leapt to: once more down from the root, one component at a time.
 */
static int climb(struct path_walk *walk)
{
    char rest[2 * PATH_MAX];

    if ((size_t)snprintf(rest, sizeof rest, "%s/..%s", walk->where, walk->rest) >= sizeof rest)
        return ENAMETOOLONG;
    memcpy(walk->rest, rest, strlen(rest) + 1);
    path_end(walk);
    return 0;
}

static int walk_rest(struct path_walk *walk, bool follow)
{
    for (;;) {
        int error = next_component(walk);
        if (error)
            return error;
        if (walk->name[0] == '\0')
            return 0;
        walk->slash = walk->rest[0] == '/';
        walk->dots = 0;
        if (strcmp(walk->name, ".") == 0 || strcmp(walk->name, "..") == 0) {
            walk->dots = strlen(walk->name);
            walk->name[0] = '\0';
            if (walk->dots == 2 && walk->leapt && walk->depth == 1)
                error = climb(walk);
            else if (walk->dots == 2)
                walk_up(walk);
        } else if ((follow || walk->slash) && type_of(walk) == S_IFLNK) {
            error = follow_link(walk);
            if (!error && walk->depth == 0)
                error = begin_at_root(walk);
        } else if (is_shared_memory(walk)) {
            error = walk_down(walk);
        } else if (is_last(walk)) {
            return walk->slash && type_of(walk) && type_of(walk) != S_IFDIR ? ENOTDIR : 0;
        } else {
            error = walk_down(walk);
        }
        if (error)
            return error;
    }
}

static void begin_walk(const struct machine *machine, struct path_walk *walk)
{
    const struct user *user = &machine->user;
    struct user_processes *processes = user->processes;
    bool is_of_host = user->root >= 0;

    walk->directories[0] = (struct place){.host = user->root,
                                          .node = is_of_host ? NULL : processes->store.root,
                                          .device = user->root_device,
                                          .times = &processes->times};
    walk->recent = &processes->recent;
    walk->shared_memory = is_of_host ? processes->store.shared_memory : NULL;
    walk->depth = walk->links = walk->dots = 0;
    walk->slash = walk->leapt = walk->has_facts = false;
    walk->where[0] = walk->name[0] = '\0';
}

/* Walks a path that is relative to the directory `start`. */
static int64_t walk_from(struct path_walk *walk, const char *start, const char *path, bool follow)
{
    int error;

    snprintf(walk->rest, sizeof walk->rest, "%s/%s", start, path);
    error = begin_at_root(walk);
    return -(error ? error : walk_rest(walk, follow));
}

bool path_is_program(const char *path)
{
    return strcmp(path, "/proc/self/exe") == 0;
}

int64_t path_walk_string(const struct machine *machine, struct path_walk *walk, uint64_t directory,
                         const char *path, bool follow)
{
    const struct user_file *named = follow ? user_named_file(machine, path) : NULL;

    begin_walk(machine, walk);
    if (named && named->path && (storage_has(named) || named->is_fifo))
        path = named->path;
    if (follow && machine->user.root >= 0 && path_is_program(path))
        path = machine->user.program_path;
    if (path[0] == '/')
        return walk_from(walk, "", path, follow);
    if (path[0] == '\0')
        return -ENOENT;
    const struct user_file *file = NULL;
    if ((int32_t)directory != GUEST_AT_FDCWD) {
        file = user_file(machine, (uint32_t)directory);
        if (!file || !file->is_directory)
            return file ? -ENOTDIR : -EBADF;
    }
    if (file && begin_in(walk, file, path))
        return -walk_rest(walk, follow);
    return walk_from(walk, file ? file->path : machine->user.working, path, follow);
}

int64_t path_walk(struct machine *machine, struct path_walk *walk, uint64_t directory,
                  uint64_t address, bool follow)
{
    char path[PATH_MAX];

    begin_walk(machine, walk); /* so that it can end */
    int64_t copied = user_copy_path(machine, address, path);
    return copied < 0 ? copied : path_walk_string(machine, walk, directory, path, follow);
}

char *path_on_host(const struct machine *machine, const char *path)
{
    const char *root = machine->user.root_path;
    struct text host = TEXT_INIT;
    char canonical[PATH_MAX];
    struct path_walk walk;

    if (!root || strlen(path) >= PATH_MAX)
        return NULL;
    begin_walk(machine, &walk);
    if (walk_from(&walk, "", path, true) == 0 && type_of(&walk) == S_IFREG &&
        path_canonical(&walk, canonical)) {
        text_append(&host, root[1] ? root : "");
        text_append(&host, canonical);
    }
    path_end(&walk);
    return host.bytes;
}

int64_t path_check_new(struct path_walk *walk)
{
    if (!walk->name[0])
        return -EEXIST;
    if (!walk->slash)
        return 0;
    return type_of(walk) ? -EEXIST : -ENOENT;
}

const struct place *path_directory(const struct path_walk *walk)
{
    return &walk->directories[walk->depth];
}

const char *path_name(const struct path_walk *walk)
{
    return walk->name[0] ? walk->name : ".";
}

bool path_canonical(const struct path_walk *walk, char canonical[PATH_MAX])
{
    if (walk->name[0])
        return snprintf(canonical, PATH_MAX, "%s/%s", walk->where, walk->name) < PATH_MAX;
    return snprintf(canonical, PATH_MAX, "%s", walk->where[0] ? walk->where : "/") < PATH_MAX;
}
