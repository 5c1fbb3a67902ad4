/* The times of files. They go by the clock of the program (user_date), so nothing of the host shows
 * in them: a file that the run has not changed has the date of its start, whatever the host says.
 *
 * A file in memory keeps its times in its node (store.h). Those of files of the host are here, by
 * device and inode: of the files that are open, and of those that the run has changed. They are
 * not given to the host, and end with the run. */
#ifndef EMU_USER_TIMES_H
#define EMU_USER_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The date at which each run starts: 2000-01-01T00:00:00 UTC, in seconds since 1970. */
#define RUN_START UINT64_C(946684800)

struct file_time {
    int64_t seconds; /* since 1970 */
    uint32_t nanoseconds;
};

struct file_times {
    struct file_time accessed, modified, changed;
};

/* A change of times, as utimensat makes it. That of `changed` becomes the present in any case. */
struct times_change {
    bool sets_accessed, sets_modified;
    struct file_time accessed, modified;
};

/* Of a file that the run has not changed. */
extern const struct file_times times_at_start;
/* A change of other attributes. */
extern const struct times_change times_omitted;

/* Returns the date when the program's time (user_time) is this. */
struct file_time times_date(uint64_t time);
/* Returns the times of a file that is made now. */
struct file_times times_of_new(uint64_t time);
/* The contents of the file, or the names in the directory, change now. */
void times_modify(struct file_times *times, uint64_t time);
/* The attributes of the file change now: those of the change, and others. */
void times_set(struct file_times *times, const struct times_change *change, uint64_t time);

/* ---- files of the host ---- */

struct host_times {
    struct times_table *table;
    struct host_times *next; /* of those with the same hash */
    uint64_t device, inode;
    unsigned users;           /* open files */
    bool is_changed, is_gone; /* by the run; it has no name any more */
    struct file_times times;
};

struct times_table {
    uint64_t now;     /* the program's time at the present call */
    uint64_t changes; /* of files of the host so far */
    struct host_times **slots;
    size_t slot_count, count;
};

/* Adds an open file. Returns NULL if there is no memory. */
struct host_times *times_open(struct times_table *table, uint64_t device, uint64_t inode);
void times_hold(struct host_times *file);
void times_close(struct host_times *file);
/* Returns the times, which the caller changes. */
struct file_times *times_of_open(struct host_times *file);
/* Returns the times as they are. */
struct file_times times_find(const struct times_table *table, uint64_t device, uint64_t inode);
/* Returns the times, which the caller changes; NULL: there is no memory. */
struct file_times *times_keep(struct times_table *table, uint64_t device, uint64_t inode);
/* The file loses its last name. Another one may have its inode as soon as it is closed. */
void times_forget(struct times_table *table, uint64_t device, uint64_t inode);
void times_free(struct times_table *table);

#endif
