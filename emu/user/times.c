/* See times.h. */
#include "emu/user/times.h"
#include <stdlib.h>

enum { SECOND = 1000000000, FIRST_SLOTS = 64 };

const struct file_times times_at_start = {{RUN_START, 0}, {RUN_START, 0}, {RUN_START, 0}};
const struct times_change times_omitted = {.sets_accessed = false};

struct file_time times_date(uint64_t time)
{
    return (struct file_time){(int64_t)(RUN_START + time / SECOND), (uint32_t)(time % SECOND)};
}

struct file_times times_of_new(uint64_t time)
{
    struct file_time now = times_date(time);

    return (struct file_times){now, now, now};
}

void times_modify(struct file_times *times, uint64_t time)
{
    times->modified = times->changed = times_date(time);
}

void times_set(struct file_times *times, const struct times_change *change, uint64_t time)
{
    if (change->sets_accessed)
        times->accessed = change->accessed;
    if (change->sets_modified)
        times->modified = change->modified;
    times->changed = times_date(time);
}

/* ---- files of the host ---- */

static size_t slot_of(size_t slot_count, uint64_t device, uint64_t inode)
{
    return ((inode + device) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % slot_count;
}

/* Returns what points to the file: the link before it, or the last one. The table has slots. */
static struct host_times **find(const struct times_table *table, uint64_t device, uint64_t inode)
{
    struct host_times **link = &table->slots[slot_of(table->slot_count, device, inode)];

    while (*link && ((*link)->device != device || (*link)->inode != inode))
        link = &(*link)->next;
    return link;
}

static bool grow(struct times_table *table)
{
    size_t count = table->slot_count ? 2 * table->slot_count : FIRST_SLOTS;
    struct host_times **slots = calloc(count, sizeof *slots);

    if (!slots)
        return false;
    for (size_t i = 0; i < table->slot_count; i++)
        for (struct host_times *next, *file = table->slots[i]; file; file = next) {
            struct host_times **slot = &slots[slot_of(count, file->device, file->inode)];
            next = file->next;
            file->next = *slot;
            *slot = file;
        }
    free(table->slots);
    table->slots = slots;
    table->slot_count = count;
    return true;
}

/* Returns the file, which is added if it is not there; NULL: there is no memory. */
static struct host_times *find_or_add(struct times_table *table, uint64_t device, uint64_t inode)
{
    if (table->count == table->slot_count && !grow(table))
        return NULL;
    struct host_times **link = find(table, device, inode);
    if (*link)
        return *link;
    struct host_times *file = malloc(sizeof *file);
    if (!file)
        return NULL;
    *file = (struct host_times){
        .table = table, .device = device, .inode = inode, .times = times_at_start};
    *link = file;
    table->count++;
    return file;
}

static void remove_file(struct host_times *file)
{
    struct times_table *table = file->table;

    *find(table, file->device, file->inode) = file->next;
    table->count--;
    free(file);
}

struct host_times *times_open(struct times_table *table, uint64_t device, uint64_t inode)
{
    struct host_times *file = find_or_add(table, device, inode);

    if (file)
        file->users++;
    return file;
}

void times_hold(struct host_times *file)
{
    file->users++;
}

struct file_times *times_of_open(struct host_times *file)
{
    file->is_changed = true;
    file->table->changes++;
    return &file->times;
}

void times_close(struct host_times *file)
{
    if (--file->users == 0 && (file->is_gone || !file->is_changed))
        remove_file(file);
}

struct file_times times_find(const struct times_table *table, uint64_t device, uint64_t inode)
{
    const struct host_times *file = table->count ? *find(table, device, inode) : NULL;

    return file ? file->times : times_at_start;
}

struct file_times *times_keep(struct times_table *table, uint64_t device, uint64_t inode)
{
    struct host_times *file = find_or_add(table, device, inode);

    return file ? times_of_open(file) : NULL;
}

void times_forget(struct times_table *table, uint64_t device, uint64_t inode)
{
    struct host_times *file = table->count ? *find(table, device, inode) : NULL;

    if (!file)
        return;
    file->is_gone = true;
    file->times.changed = times_date(table->now);
    if (!file->users)
        remove_file(file);
}

void times_free(struct times_table *table)
{
    for (size_t i = 0; i < table->slot_count; i++)
        for (struct host_times *next, *file = table->slots[i]; file; file = next) {
            next = file->next;
            free(file);
        }
    free(table->slots);
    *table = (struct times_table){0};
}
