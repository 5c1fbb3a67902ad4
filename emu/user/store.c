/* See store.h. */
#include "emu/user/store.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what counts ---- */

/* Returns the bytes that can still be used. */
static uint64_t room_left(const struct store *store)
{
    uint64_t memory = store->memory->limit - store->memory->mapped;
    uint64_t own = store->limit - store->used;

    return memory < own ? memory : own;
}

static bool charge(struct store *store, uint64_t bytes)
{
    if (bytes > room_left(store))
        return false;
    store->used += bytes;
    store->memory->mapped += bytes;
    return true;
}

static void refund(struct store *store, uint64_t bytes)
{
    store->used -= bytes;
    store->memory->mapped -= bytes;
}

static uint64_t whole_pages(uint64_t size)
{
    return (size + MEMORY_PAGE - 1) & ~(MEMORY_PAGE - 1);
}

/* ---- nodes ---- */

struct node *node_new(struct store *store, uint32_t mode)
{
    struct node *node = calloc(1, sizeof *node);

    if (node)
        *node = (struct node){
            .store = store, .mode = mode, .users = 1, .times = times_of_new(*store->now)};
    return node;
}

static void free_node(struct node *node)
{
    if (node->room)
        munmap(node->bytes, node->room);
    node->store->shared -= node->object.number != 0;
    refund(node->store, node->charged);
    free(node->entries);
    free(node);
}

void node_hold(struct node *node)
{
    node->users++;
}

void node_drop(struct node *node)
{
    if (--node->users == 0 && node->names == 0)
        free_node(node);
}

bool node_permits(const struct node *node, unsigned access)
{
    return (node->mode >> 6 & access) == access;
}

void node_modify(struct node *node)
{
    times_modify(&node->times, *node->store->now);
}

void node_set_times(struct node *node, const struct times_change *change)
{
    times_set(&node->times, change, *node->store->now);
}

int node_change_mode(struct node *node, unsigned mode)
{
    if (S_ISLNK(node->mode))
        return -EOPNOTSUPP;
    node->mode = (node->mode & S_IFMT) | mode;
    node_set_times(node, &times_omitted);
    return 0;
}

/* The node gets, changes or loses a name. */
static void change_attributes(struct node *node)
{
    node_set_times(node, &times_omitted);
}

/* ---- directories ---- */

/* Returns the index of the name, or of where it belongs. */
static size_t find_index(const struct node *directory, const char *name, bool *found)
{
    size_t low = 0, high = directory->count;

    *found = false;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(directory->entries[middle].name, name);
        if (order == 0) {
            *found = true;
            return middle;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int node_find(struct node *directory, const char *name, struct node **found)
{
    bool is_there;

    if (!S_ISDIR(directory->mode))
        return -ENOTDIR;
    *found = directory;
    if (strcmp(name, ".") == 0)
        return 0;
    if (!node_permits(directory, X_OK))
        return -EACCES;
    size_t index = find_index(directory, name, &is_there);
    if (!is_there)
        return -ENOENT;
    *found = directory->entries[index].node;
    return 0;
}

/* May the program change the names in the directory? A directory that was removed takes none. */
static int check_change(const struct node *directory)
{
    if (!S_ISDIR(directory->mode))
        return -ENOTDIR;
    if (directory->names == 0 && directory->store->root != directory)
        return -ENOENT;
    return node_permits(directory, W_OK | X_OK) ? 0 : -EACCES;
}

static bool grow_entries(struct node *directory)
{
    size_t capacity = directory->capacity ? 2 * directory->capacity : 8;
    struct node_entry *entries;

    if (directory->count < directory->capacity)
        return true;
    entries = realloc(directory->entries, capacity * sizeof *entries);
    if (!entries)
        return false;
    directory->entries = entries;
    directory->capacity = capacity;
    return true;
}

/* Adds the name without any check. */
static int add_entry(struct node *directory, const char *name, struct node *node)
{
    struct store *store = directory->store;
    bool found;
    size_t index = find_index(directory, name, &found);

    if (store->counts && !charge(store, MEMORY_PAGE))
        return -ENOSPC;
    char *copy = strdup(name);
    if (!copy || !grow_entries(directory)) {
        free(copy);
        if (store->counts)
            refund(store, MEMORY_PAGE);
        return -ENOSPC;
    }
    memmove(directory->entries + index + 1, directory->entries + index,
            (directory->count++ - index) * sizeof *directory->entries);
    directory->entries[index] = (struct node_entry){copy, node, store->counts};
    node->names++;
    if (S_ISDIR(node->mode))
        node->parent = directory;
    return 0;
}

/* Removes the entry; the node goes with its last name, unless it is open. */
static void remove_entry(struct node *directory, size_t index)
{
    struct node_entry entry = directory->entries[index];

    memmove(directory->entries + index, directory->entries + index + 1,
            (--directory->count - index) * sizeof *directory->entries);
    free(entry.name);
    if (entry.counts)
        refund(directory->store, MEMORY_PAGE);
    node_hold(entry.node);
    entry.node->names--;
    node_drop(entry.node);
}

int node_link(struct node *directory, const char *name, struct node *node)
{
    bool found;
    int error = check_change(directory);

    if (error && error != -EACCES)
        return error;
    find_index(directory, name, &found);
    if (found)
        return -EEXIST;
    if (!error)
        error = add_entry(directory, name, node);
    if (!error) {
        node_modify(directory);
        change_attributes(node);
    }
    return error;
}

int node_make(struct node *directory, const char *name, uint32_t mode, struct node **made)
{
    struct node *node = node_new(directory->store, mode);

    if (!node)
        return -ENOSPC;
    int error = node_link(directory, name, node);
    if (made)
        *made = node;
    node_drop(node);
    return error;
}

int node_remove(struct node *directory, const char *name, bool is_directory)
{
    bool found;
    int error = check_change(directory);
    size_t index = find_index(directory, name, &found);

    if (!found)
        return -ENOENT;
    if (error)
        return error;
    struct node *node = directory->entries[index].node;
    if (S_ISDIR(node->mode) != is_directory)
        return is_directory ? -ENOTDIR : -EISDIR;
    if (node->count)
        return -ENOTEMPTY;
    node_modify(directory);
    change_attributes(node);
    remove_entry(directory, index);
    return 0;
}

static bool is_within(const struct node *directory, const struct node *above)
{
    while (directory && directory != above)
        directory = directory->parent;
    return directory != NULL;
}

bool node_is_in_shared_memory(const struct node *directory)
{
    return is_within(directory, directory->store->shared_memory);
}

/* Can `node` take the place of `target`? */
static int check_replacement(const struct node *node, const struct node *target)
{
    if (S_ISDIR(target->mode) && !S_ISDIR(node->mode))
        return -EISDIR;
    if (!S_ISDIR(target->mode) && S_ISDIR(node->mode))
        return -ENOTDIR;
    return target->count ? -ENOTEMPTY : 0;
}

/* Moves the entry to a name in `to`, where it replaces what has the name. */
static int move_entry(struct node *from, size_t index, struct node *to, const char *name)
{
    struct node_entry entry = from->entries[index];
    char *copy = strdup(name);
    bool taken;

    if (!copy || !grow_entries(to)) {
        free(copy);
        return -ENOSPC;
    }
    free(entry.name);
    entry.name = copy;
    memmove(from->entries + index, from->entries + index + 1,
            (--from->count - index) * sizeof *from->entries);
    index = find_index(to, name, &taken);
    if (taken) {
        change_attributes(to->entries[index].node);
        remove_entry(to, index);
    }
    memmove(to->entries + index + 1, to->entries + index,
            (to->count++ - index) * sizeof *to->entries);
    to->entries[index] = entry;
    if (S_ISDIR(entry.node->mode))
        entry.node->parent = to;
    node_modify(from);
    node_modify(to);
    change_attributes(entry.node);
    return 0;
}

int node_rename(struct node *from, const char *old, struct node *to, const char *new, bool replace)
{
    bool found, taken;
    int error = check_change(from);
    size_t index = find_index(from, old, &found);

    if (!found)
        return -ENOENT;
    if (!error)
        error = check_change(to);
    if (error)
        return error;
    struct node *node = from->entries[index].node;
    size_t target = find_index(to, new, &taken);
    if (taken && !replace)
        return -EEXIST;
    if (taken && to->entries[target].node == node)
        return 0;
    if (S_ISDIR(node->mode) && is_within(to, node))
        return -EINVAL;
    if (taken)
        error = is_within(from, to->entries[target].node)
                    ? -ENOTEMPTY
                    : check_replacement(node, to->entries[target].node);
    return error ? error : move_entry(from, index, to, new);
}

/* ---- contents ---- */

/* Makes room for `size` bytes in the memory of the host. */
static bool reserve(struct node *node, uint64_t size)
{
    uint64_t room = whole_pages(size);

    if (room <= node->room)
        return true;
    if (node->object.number)
        return false;
    if (room < 2 * node->room && 2 * node->room <= MEMORY_LIMIT)
        room = 2 * node->room;
    void *bytes = node->room ? mremap(node->bytes, node->room, room, MREMAP_MAYMOVE)
                             : mmap(NULL, room, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return false;
    node->bytes = bytes;
    node->room = room;
    return true;
}

/* Clears what follows the new end of a file that becomes shorter. */
static void cut(struct node *node, uint64_t size)
{
    uint64_t page = whole_pages(size), end = whole_pages(node->size);

    memset(node->bytes + size, 0, page - size);
    if (end <= page)
        return;
    bool is_common = node->object.number;
    int failed = madvise(node->bytes + page, end - page, is_common ? MADV_REMOVE : MADV_DONTNEED);
    if (failed && is_common)
        memset(node->bytes + page, 0, end - page);
}

/* Notes the new length of a file. */
static void set_size(struct node *node, uint64_t size)
{
    struct memory_object *object = &node->object;

    node->size = size;
    object->length = whole_pages(size) >> MEMORY_PAGE_BITS;
    if (object->number)
        node->store->resized(node->store->context, object);
}

int node_share(struct node *node)
{
    struct store *store = node->store;
    uint64_t room = whole_pages(node->size > store->limit ? node->size : store->limit);

    if (node->object.number)
        return 0;
    if (store->shared == STORE_SHARED)
        return -ENOMEM;
    void *bytes =
        mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bytes == MAP_FAILED)
        return -ENOMEM;
    if (node->size)
        memcpy(bytes, node->bytes, node->size);
    if (node->room)
        munmap(node->bytes, node->room);
    node->bytes = bytes;
    node->room = room;
    store->shared++;
    node->object = (struct memory_object){.number = ++store->objects,
                                          .length = whole_pages(node->size) >> MEMORY_PAGE_BITS,
                                          .room = room >> MEMORY_PAGE_BITS,
                                          .file = -1};
    return 0;
}

int node_resize(struct node *node, uint64_t size)
{
    struct store *store = node->store;

    if (node->is_fixed)
        return -ETXTBSY;
    if (size > MEMORY_LIMIT)
        return -EFBIG;
    uint64_t needed = store->counts ? whole_pages(size) : 0;
    if (needed > node->charged) {
        if (!charge(store, needed - node->charged))
            return -ENOSPC;
        if (!reserve(node, size)) {
            refund(store, needed - node->charged);
            return -ENOSPC;
        }
        node->charged = needed;
    } else if (!reserve(node, size)) {
        return -ENOSPC;
    } else {
        if (size < node->size)
            cut(node, size);
        refund(store, node->charged - needed);
        node->charged = needed;
    }
    set_size(node, size);
    node_modify(node);
    return 0;
}

int64_t node_read(const struct node *node, void *bytes, uint64_t length, uint64_t place)
{
    if (place >= node->size)
        return 0;
    if (length > node->size - place)
        length = node->size - place;
    memcpy(bytes, node->bytes + place, length);
    return length;
}

int64_t node_write(struct node *node, const void *bytes, uint64_t length, uint64_t place)
{
    if (length == 0)
        return 0;
    if (place > MEMORY_LIMIT || length > MEMORY_LIMIT)
        return -EFBIG;
    if (place + length > node->size) {
        uint64_t most = whole_pages(node->size) + (room_left(node->store) & ~(MEMORY_PAGE - 1));
        uint64_t end = place + length < most ? place + length : most;
        if (end <= place)
            return -ENOSPC;
        int error = end > node->size ? node_resize(node, end) : 0;
        if (error)
            return error;
        length = end - place;
    }
    memcpy(node->bytes + place, bytes, length);
    node_modify(node);
    return length;
}

/* ---- the whole tree ---- */

/* Frees the tree from its leaves, without recursion: a program can make it as deep as it likes. */
void store_free(struct store *store)
{
    struct node *directory = store->root;

    while (directory) {
        struct node *above = directory->parent;
        if (directory->count == 0) {
            if (directory == store->root)
                break;
            /* It was the last entry of the directory above. */
            remove_entry(above, above->count - 1);
            directory = above;
        } else if (S_ISDIR(directory->entries[directory->count - 1].node->mode)) {
            directory = directory->entries[directory->count - 1].node;
        } else {
            remove_entry(directory, directory->count - 1);
        }
    }
    store->root = NULL;
    if (directory)
        node_drop(directory);
}
