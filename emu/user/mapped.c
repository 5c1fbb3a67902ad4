/* Files of the host that are common memory: see mapped.h. */
#include "emu/user/mapped.h"
#include "lib/file.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct mapped_file {
    struct mapped_file *next;
    uint64_t device, inode;
    bool can_write;              /* by the file of the object, */
    struct memory_object object; /* which stays open as long as this is known */
};

static struct mapped_file *find(const struct user_processes *processes, uint64_t device,
                                uint64_t inode)
{
    struct mapped_file *mapped = processes->mapped.first;

    while (mapped && (mapped->device != device || mapped->inode != inode))
        mapped = mapped->next;
    return mapped;
}

bool mapped_has(const struct user_processes *processes, uint64_t device, uint64_t inode)
{
    return find(processes, device, inode);
}

void mapped_resize(void *processes, const struct memory_object *object)
{
    for (struct user_process *process = ((struct user_processes *)processes)->first; process;
         process = process->next)
        if (process->machine)
            memory_resize_object(&process->machine->memory, object);
}

/* Takes the present length of the file. */
static void refresh(struct user_processes *processes, struct mapped_file *mapped)
{
    struct memory_object *object = &mapped->object;
    struct stat status;

    if (fstat(object->file, &status) < 0)
        return;
    uint64_t pages = ((uint64_t)status.st_size + MEMORY_PAGE - 1) >> MEMORY_PAGE_BITS;
    if (pages == object->length)
        return;
    object->length = object->room = pages;
    mapped_resize(processes, object);
}

static void refresh_all(struct user_processes *processes)
{
    for (struct mapped_file *mapped = processes->mapped.first; mapped; mapped = mapped->next)
        refresh(processes, mapped);
    processes->mapped.changes = processes->times.changes;
}

void mapped_note_lengths(struct user_processes *processes)
{
    if (processes->mapped.first && processes->mapped.changes != processes->times.changes)
        refresh_all(processes);
}

bool mapped_finds_page(struct machine *machine)
{
    const struct memory *memory = &machine->memory;
    uint64_t address = machine->fault.value;
    const struct memory_share *share =
        address < memory->end ? memory_find_common(memory, address) : NULL;
    const unsigned char *page = &memory->pages[address >> MEMORY_PAGE_BITS];

    if (!share || share->object.file < 0 || !(*page & PAGE_LATER))
        return false;
    refresh_all(machine->user.processes);
    return !(*page & PAGE_LATER);
}

static bool is_used(const struct user_processes *processes, const struct mapped_file *mapped)
{
    for (const struct user_process *process = processes->first; process; process = process->next)
        if (process->machine && memory_has_object(&process->machine->memory, mapped->object.number))
            return true;
    return false;
}

/* Forgets the files that are not mapped any more; `all` forgets those that are, too. */
static void forget(struct user_processes *processes, bool all)
{
    struct user_mapped *mapped = &processes->mapped;
    struct mapped_file **link = &mapped->first, *file;

    while ((file = *link)) {
        if (!all && is_used(processes, file)) {
            link = &file->next;
            continue;
        }
        *link = file->next;
        close(file->object.file);
        free(file);
        mapped->count--;
    }
}

void mapped_close(struct user_processes *processes)
{
    forget(processes, true);
}

/* Adds a file of the host. Returns NULL if the host cannot. */
static struct mapped_file *add(struct user_processes *processes, const struct user_file *file)
{
    enum { FEW = 16 };
    struct user_mapped *all = &processes->mapped;

    if (all->count >= all->limit) { /* not with each file: it looks at all mappings */
        forget(processes, false);
        all->limit = 2 * all->count + FEW;
    }
    int copy = fcntl(file->host, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    struct mapped_file *mapped = copy < 0 ? NULL : malloc(sizeof *mapped);
    if (!mapped) {
        if (copy >= 0)
            close(copy);
        return NULL;
    }
    *mapped = (struct mapped_file){
        .next = all->first,
        .device = file->host_device,
        .inode = file->host_inode,
        .object = {.number = ++processes->store.objects, .file = copy},
    };
    all->first = mapped;
    all->count++;
    file_expect_truncation();
    return mapped;
}

const struct memory_object *mapped_open(struct user_processes *processes,
                                        const struct user_file *file, bool writes)
{
    struct mapped_file *mapped = find(processes, file->host_device, file->host_inode);

    if (!mapped)
        mapped = add(processes, file);
    if (!mapped ||
        (writes && !mapped->can_write && dup3(file->host, mapped->object.file, O_CLOEXEC) < 0))
        return NULL;
    mapped->can_write |= writes;
    refresh(processes, mapped);
    return &mapped->object;
}
