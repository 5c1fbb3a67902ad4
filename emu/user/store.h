/* Files in memory: the private file system of a program without --root, and the files of
 * memfd_create. This is a tree of directories, regular files and symbolic links with the semantics
 * of Linux; it knows neither paths nor descriptors (storage.h).
 *
 * All that a program makes counts: a file by its length, also where nothing was written, and each
 * name as a page. The sum has a limit of its own, and counts as mapped memory of the machine.
 *
 * Functions that return an int return 0, or a negative error number of Linux. */
#ifndef EMU_USER_STORE_H
#define EMU_USER_STORE_H

#include "emu/memory/memory.h"
#include "emu/user/times.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct node;

/* Files that can be common memory at once: each takes a mapping of the host. */
enum { STORE_SHARED = 4096 };

struct store {
    struct memory *memory;      /* in which the bytes count */
    uint64_t limit, used;       /* bytes */
    bool counts;                /* what is made from now on counts */
    const uint64_t *now;        /* the program's time, for the times of files */
    struct node *root;          /* of a tree; NULL: not made yet */
    struct node *shared_memory; /* its directory /dev/shm */
    uint64_t objects;           /* number of the newest object of common memory */
    unsigned shared;            /* files that are common memory */
    /* Called after the length of a file has changed that is common memory. */
    void (*resized)(void *context, const struct memory_object *object);
    void *context;
};

/* Removes the tree. Files that are open stay until they are closed. */
void store_free(struct store *store);

/* A directory, regular file, symbolic link, or a device, which cannot be opened here. */
struct node {
    struct store *store;
    uint32_t mode;  /* type and permissions, as in Linux */
    unsigned names; /* names that lead here, */
    unsigned users; /* and open files; at 0 of both the node goes */
    struct file_times times;

    /* of a directory */
    struct node *parent;
    struct node_entry *entries; /* sorted by name */
    size_t count, capacity;

    /* of a regular file or link: its contents. Bytes between size and room are zero. */
    unsigned char *bytes;
    uint64_t size, room; /* bytes, and those of the host's mapping */
    bool is_fixed;       /* the bytes belong to somebody else, and cannot be changed (ETXTBSY) */
    uint64_t charged;    /* bytes that count */
    /* Of a file that was mapped to be shared: the bytes are common memory from then on, and stay
     * where they are. Number 0: it was not. */
    struct memory_object object;
};

struct node_entry {
    char *name;
    struct node *node;
    bool counts;
};

/* Makes a node without a name; NULL: no memory. It has one user, the caller. */
struct node *node_new(struct store *store, uint32_t mode);
void node_hold(struct node *node);
void node_drop(struct node *node);

/* May the program do this (R_OK, W_OK, X_OK) with the node, which belongs to it? */
bool node_permits(const struct node *node, unsigned access);
/* Finds a name, or "." for the directory itself. */
int node_find(struct node *directory, const char *name, struct node **found);
/* The contents of a file, or the names in a directory, change now. */
void node_modify(struct node *node);
/* So do attributes. */
void node_set_times(struct node *node, const struct times_change *change);
int node_change_mode(struct node *node, unsigned mode);
/* Gives the node a (further) name in the directory. */
int node_link(struct node *directory, const char *name, struct node *node);
/* Makes a node with a name. `made` may be NULL. */
int node_make(struct node *directory, const char *name, uint32_t mode, struct node **made);
int node_remove(struct node *directory, const char *name, bool is_directory);
int node_rename(struct node *from, const char *old, struct node *to, const char *new, bool replace);

/* Is the directory /dev/shm, which is a file system of its own, or beneath it? */
bool node_is_in_shared_memory(const struct node *directory);

/* Reads or writes at a place; returns how many bytes, or a negative error number. A write makes a
 * file longer, as far as there is room. */
int64_t node_read(const struct node *node, void *bytes, uint64_t length, uint64_t place);
int64_t node_write(struct node *node, const void *bytes, uint64_t length, uint64_t place);
int node_resize(struct node *node, uint64_t size);
/* Makes the contents of a regular file, which can be changed, common memory (memory_map_object).
 * That stays as long as it is mapped, also without the file. ENOMEM. */
int node_share(struct node *node);

#endif
