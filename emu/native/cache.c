/* See cache.h. */
#include "emu/native/cache.h"
#include "lib/map.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    NAME_LENGTH =
        2 * 16 +
        2, /* of a file name: the two words of the key in hexadecimal, a dash, the effort */
    CACHE_LIMIT = 256 << 20, /* bytes of all objects */
    CACHE_KEPT = 192 << 20,  /* bytes that are kept when the limit is exceeded */
};

/* Precedes an object in its file. */
struct cache_header {
    char magic[8];
    struct object_key key;
    uint64_t length, digest; /* of the object that follows */
};

static const char cache_magic[8] = "temuobj";

/* ---- the directory ---- */

/* Is the directory the root, or beneath it? Also true when that cannot be found out. */
static bool is_beneath(const char *directory, int root)
{
    struct stat top, status, before = {0};
    int place = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    bool known = fstat(root, &top) == 0, found = false, done = false;

    while (known && !found && !done && place >= 0 && fstat(place, &status) == 0) {
        found = status.st_dev == top.st_dev && status.st_ino == top.st_ino;
        done = status.st_dev == before.st_dev && status.st_ino == before.st_ino;
        before = status;
        int parent = openat(place, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
        close(place);
        place = parent;
    }
    if (place >= 0)
        close(place);
    return !done;
}

const char *object_cache_refuse(const char *directory, int root)
{
    struct stat status;

    if ((mkdir(directory, 0700) != 0 && errno != EEXIST) || stat(directory, &status) != 0)
        return strerror(errno);
    if (!S_ISDIR(status.st_mode))
        return strerror(ENOTDIR);
    /* Code that other users can write must not run. */
    if (status.st_uid != geteuid())
        return "it belongs to another user";
    if (status.st_mode & (S_IWGRP | S_IWOTH))
        return "users other than its owner may write to it";
    return root >= 0 && is_beneath(directory, root) ? "the program can write to it under --root"
                                                    : NULL;
}

bool object_cache_is_none(const char *cache)
{
    return strcmp(cache, "none") == 0;
}

const char *object_cache_find(struct arena *arena, const char *wanted, int root)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    const char *directory = wanted;

    if (wanted && object_cache_is_none(wanted))
        return NULL;
    if (!wanted && base && *base == '/')
        directory = arena_format(arena, "%s/temu", base);
    else if (!wanted && home && *home == '/') {
        base = arena_format(arena, "%s/.cache", home);
        directory = arena_format(arena, "%s/temu", base);
    }
    if (!directory)
        return NULL;
    if (base && !wanted)
        mkdir(base, 0700);
    if (object_cache_refuse(directory, root))
        return NULL;
    /* Links on the way could be in the root, and lead somewhere else later. */
    char *resolved = realpath(directory, NULL);
    directory = resolved ? arena_string(arena, resolved) : NULL;
    free(resolved);
    return directory;
}

/* ---- what goes ---- */

struct cache_file {
    char name[NAME_LENGTH + 1];
    struct timespec used;
    uint64_t size;
};

static bool is_object_name(const char *name)
{
    return strlen(name) == NAME_LENGTH && strspn(name, "0123456789abcdef") == NAME_LENGTH - 2 &&
           name[NAME_LENGTH - 2] == '-';
}

/* Most recently used first; files of the same time are ordered by name. */
static int compare_use(const void *left, const void *right)
{
    const struct cache_file *a = left, *b = right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec > b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec > b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Lists all objects in the directory and returns their total size. */
static uint64_t list_objects(struct arena *arena, DIR *directory, struct cache_file **files,
                             size_t *count)
{
    size_t capacity = 0;
    uint64_t bytes = 0;

    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        struct stat status;
        if (!is_object_name(entry->d_name) ||
            fstatat(dirfd(directory), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        *files = arena_grow(arena, *files, *count, &capacity, sizeof **files);
        struct cache_file *file = &(*files)[(*count)++];
        memcpy(file->name, entry->d_name, sizeof file->name);
        file->used = status.st_mtim;
        file->size = status.st_size;
        bytes += file->size;
    }
    return bytes;
}

static void keep_to_limit(const char *name)
{
    DIR *const directory = opendir(name);
    struct arena arena = ARENA_INIT;
    struct cache_file *files = NULL;
    size_t count = 0;
    uint64_t kept = 0;

    if (!directory)
        return;
    if (list_objects(&arena, directory, &files, &count) > CACHE_LIMIT) {
        qsort(files, count, sizeof *files, compare_use);
        for (size_t i = 0; i < count; i++) {
            kept += files[i].size;
            if (kept > CACHE_KEPT)
                unlinkat(dirfd(directory), files[i].name, 0);
        }
    }
    arena_free(&arena);
    closedir(directory);
}

/* ---- objects ---- */

static int open_directory(const char *directory)
{
    return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void write_name(char name[static NAME_LENGTH + 1], const struct object_key *key)
{
    snprintf(name, NAME_LENGTH + 1, "%016" PRIx64 "%016" PRIx64 "-%u", key->words[0], key->words[1],
             (unsigned)key->effort % 10);
}

/* Is it a regular file that nobody else may write? */
static bool is_own(int file)
{
    struct stat status;

    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
           !(status.st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns the bytes of a file, or NULL. */
static char *read_all(int file, size_t *length)
{
    struct stat status;
    char *bytes = NULL;

    if (fstat(file, &status) == 0 && status.st_size > 0)
        bytes = malloc(status.st_size);
    if (bytes && pread(file, bytes, status.st_size, 0) != status.st_size) {
        free(bytes);
        bytes = NULL;
    }
    *length = bytes ? (size_t)status.st_size : 0;
    return bytes;
}

static bool is_good(const struct cache_header *header, const struct object_key *key, size_t length)
{
    return length > sizeof *header && memcmp(header->magic, cache_magic, sizeof cache_magic) == 0 &&
           memcmp(&header->key, key, sizeof *key) == 0 &&
           header->length == length - sizeof *header &&
           header->digest == hash_bytes(header + 1, header->length, 0);
}

/* Checks the file and returns only the object in it. Deletes an invalid file, so that a valid one
 * can replace it. */
char *object_cache_read(const char *directory, const struct object_key *key, size_t *length)
{
    int place = open_directory(directory);
    char name[NAME_LENGTH + 1];
    char *bytes = NULL;

    write_name(name, key);
    int file = openat(place, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    bool is_link = file < 0 && errno == ELOOP; /* not made by temu */
    if (file >= 0 && is_own(file))
        bytes = read_all(file, length);
    const struct cache_header *header = (const struct cache_header *)bytes;
    if (bytes && is_good(header, key, *length)) {
        *length -= sizeof *header;
        memmove(bytes, header + 1, *length);
        futimens(file, NULL); /* marks the file as used */
    } else if (file >= 0 || is_link) {
        unlinkat(place, name, 0);
        free(bytes);
        bytes = NULL;
    }
    if (file >= 0)
        close(file);
    if (place >= 0)
        close(place);
    return bytes;
}

static bool write_object(int file, const struct object_key *key, const char *bytes, size_t length)
{
    struct cache_header header = {
        .key = *key, .length = length, .digest = hash_bytes(bytes, length, 0)};

    memcpy(header.magic, cache_magic, sizeof cache_magic);
    return write(file, &header, sizeof header) == sizeof header &&
           write(file, bytes, length) == (ssize_t)length;
}

/* The file gets its name only when it is complete. Not every file system supports this. */
void object_cache_keep(const char *directory, const struct object_key *key, int object)
{
    int place = open_directory(directory);
    int file = openat(place, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    char name[NAME_LENGTH + 1], open_file[64];
    size_t length;

    if (file >= 0) {
        char *const bytes = read_all(object, &length);
        write_name(name, key);
        snprintf(open_file, sizeof open_file, "/proc/self/fd/%d", file);
        if (bytes && write_object(file, key, bytes, length))
            linkat(AT_FDCWD, open_file, place, name, AT_SYMLINK_FOLLOW);
        free(bytes);
        close(file);
        keep_to_limit(directory);
    }
    if (place >= 0)
        close(place);
}
