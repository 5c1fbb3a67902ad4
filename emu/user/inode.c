/* The inode numbers that a program sees. That of a file is made from its path, so it is the same in
 * each run, whatever the host's is. The names that a program gives to a file by link have the
 * number of the first one, since programs look whether a link leads to the same file, and are
 * counted. Other names depend on the host. */
#include "emu/user/storage.h"
#include "lib/map.h"
#include <stdlib.h>

/* A file to which the program has made a link. */
struct user_linked {
    struct user_linked *next;
    uint64_t device, inode; /* as in struct file_facts */
    uint64_t number;
    unsigned hidden; /* further names from before the run, which look like other files */
};

static bool is_of(const struct user_linked *linked, const struct file_facts *facts)
{
    return linked->device == facts->device && linked->inode == facts->inode;
}

static struct user_linked *find(const struct user_processes *processes,
                                const struct file_facts *facts)
{
    struct user_linked *linked = processes->linked;

    while (linked && !is_of(linked, facts))
        linked = linked->next;
    return linked;
}

/* Has another file, which had this path before, the number? */
static bool is_taken(const struct user_processes *processes, const struct file_facts *facts,
                     uint64_t number)
{
    for (const struct user_linked *linked = processes->linked; linked; linked = linked->next)
        if (linked->number == number && !is_of(linked, facts))
            return true;
    return false;
}

uint64_t inode_of_path(const char *path)
{
    return hash_bytes(path, strlen(path), 0) >> 1 | 1;
}

uint64_t inode_of_file(const struct user_processes *processes, const char *path,
                       const struct file_facts *facts)
{
    uint64_t number = inode_of_path(path);
    const struct user_linked *linked = facts->names > 1 ? find(processes, facts) : NULL;

    if (linked)
        return linked->number;
    while (is_taken(processes, facts, number))
        number = hash_bytes(&number, sizeof number, 0) >> 1 | 1;
    return number;
}

unsigned inode_count_names(const struct user_processes *processes, const struct file_facts *facts)
{
    if (facts->names <= 1)
        return facts->names;
    const struct user_linked *linked = find(processes, facts);

    return linked && facts->names > linked->hidden ? facts->names - linked->hidden : 1;
}

void inode_note_link(struct user_processes *processes, const char *path,
                     const struct file_facts *facts)
{
    uint64_t number = inode_of_file(processes, path, facts);
    struct user_linked *linked = find(processes, facts);

    if (!linked) {
        linked = malloc(sizeof *linked);
        if (!linked)
            return;
        *linked = (struct user_linked){.next = processes->linked,
                                       .device = facts->device,
                                       .inode = facts->inode,
                                       .hidden = facts->names ? facts->names - 1 : 0};
        processes->linked = linked;
    }
    linked->number = number;
}

void inode_forget_link(struct user_processes *processes, const struct file_facts *facts)
{
    struct user_linked **link = &processes->linked, *gone = find(processes, facts);

    if (!gone)
        return;
    while (*link != gone)
        link = &(*link)->next;
    *link = gone->next;
    free(gone);
}

void inode_free_links(struct user_processes *processes)
{
    while (processes->linked) {
        struct user_linked *next = processes->linked->next;
        free(processes->linked);
        processes->linked = next;
    }
}
