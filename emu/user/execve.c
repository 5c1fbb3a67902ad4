/* The user environment's calls that execute another program in the place of this one. The program
 * is a file beneath the root, or in memory; it may be a script, whose first line names its
 * interpreter. */
#include "emu/user/calls.h"
#include "emu/user/path.h"
#include "emu/user/thread.h"
#include "lib/text.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    HEAD = 256,     /* bytes of a file that say what it is: those that Linux reads */
    SCRIPTS = 4,    /* which have one another as interpreters */
    STACK_PART = 4, /* strings may take this part of the stack */
};

/* What is known of the program while it is looked for. */
struct search {
    struct arena arena; /* of all strings */
    struct user_execution execution;
    char **arguments; /* with argv[0] */
    size_t count, room;
    size_t bytes; /* of all strings and their addresses */
    size_t limit; /* of these */
};

/* ---- strings of the guest ---- */

/* Reads the string at `address`. Returns NULL with a negative error number in *error. */
static char *read_string(struct machine *machine, struct search *search, uint64_t address,
                         int64_t *error)
{
    struct text string = TEXT_INIT;

    for (const char *end = NULL; !end;) {
        uint64_t length = MEMORY_PAGE - address % MEMORY_PAGE;
        const char *bytes = memory_range(&machine->memory, address, length, false);
        *error = !bytes ? -EFAULT : string.length > search->limit ? -E2BIG : 0;
        if (*error)
            break;
        end = memchr(bytes, '\0', length);
        text_append_bytes(&string, bytes, end ? (size_t)(end - bytes) : length);
        address += length;
    }
    char *copy = *error ? NULL : arena_string(&search->arena, string.bytes ? string.bytes : "");
    search->bytes += string.length + 1 + sizeof address;
    if (!*error && search->bytes > search->limit)
        *error = -E2BIG;
    text_free(&string);
    return copy;
}

/* Reads an array of strings, which ends with NULL. Returns 0, or a negative error number. */
static int64_t read_strings(struct machine *machine, struct search *search, uint64_t address,
                            char ***strings, size_t *count, size_t *room)
{
    int64_t error = 0;
    uint64_t string = 0;

    for (*count = 0; address && !error; address += sizeof string) {
        if (!user_copy_in(machine, &string, address, sizeof string))
            return -EFAULT;
        if (!string)
            break;
        *strings = arena_grow(&search->arena, *strings, *count, room, sizeof **strings);
        (*strings)[(*count)++] = read_string(machine, search, string, &error);
    }
    *strings = arena_grow(&search->arena, *strings, *count, room, sizeof **strings);
    (*strings)[*count] = NULL;
    return error;
}

/* Puts a string before the arguments. */
static void put_before(struct search *search, const char *string)
{
    search->arguments = arena_grow(&search->arena, search->arguments, search->count + 1,
                                   &search->room, sizeof *search->arguments);
    memmove(search->arguments + 1, search->arguments,
            (search->count + 1) * sizeof *search->arguments);
    search->arguments[0] = arena_string(&search->arena, string);
    search->count++;
}

/* ---- the file ---- */

/* Notes where the contents of an open file are. The name tells it from others. Returns 0, or a
 * negative error number. */
static int64_t note_file(const struct machine *machine, struct search *search,
                         const struct user_file *file, const char *name)
{
    struct user_execution *execution = &search->execution;

    execution->path = arena_string(&search->arena, name);
    execution->host = NULL;
    if (file->node) {
        execution->bytes = file->node->bytes;
        execution->length = file->node->size;
        return 0;
    }
    char *host = path_on_host(machine, name);
    if (!host)
        return -EACCES;
    execution->host = arena_string(&search->arena, host);
    free(host);
    return 0;
}

/* Reads what the file begins with, and fills the rest with zeros. Returns 0, or a negative error
 * number. */
static int64_t read_head(const struct user_file *file, char head[HEAD + 1])
{
    int64_t length = storage_read(file, head, HEAD, 0);

    memset(head + (length > 0 ? length : 0), 0, HEAD + 1 - (length > 0 ? (size_t)length : 0));
    return length < 0 ? length : 0;
}

/* Finds a file that can be executed, by its path. */
static int64_t find_by_path(const struct machine *machine, struct search *search,
                            uint64_t directory, const char *path, bool follow, char head[HEAD + 1])
{
    char canonical[PATH_MAX];
    struct file_facts facts;
    struct user_file file = {.host = -1};
    struct path_walk walk;
    int64_t error = path_walk_string(machine, &walk, directory, path, follow);

    if (!error)
        error = storage_facts(path_directory(&walk), path_name(&walk), &facts);
    if (!error && (facts.mode & S_IFMT) == S_IFLNK)
        error = -ELOOP;
    if (!error && (facts.mode & S_IFMT) != S_IFREG)
        error = -EACCES;
    if (!error)
        error = storage_access(path_directory(&walk), path_name(&walk), X_OK);
    if (!error && !path_canonical(&walk, canonical))
        error = -ENAMETOOLONG;
    if (!error)
        error = storage_open(path_directory(&walk), path_name(&walk), GUEST_O_RDONLY, 0, &file);
    path_end(&walk);
    if (error < 0)
        return error;
    error = read_head(&file, head);
    if (!error)
        error = note_file(machine, search, &file, canonical);
    storage_close(&file);
    return error;
}

/* Finds the file of a descriptor. */
static int64_t find_by_descriptor(const struct machine *machine, struct search *search,
                                  uint64_t descriptor, char head[HEAD + 1])
{
    const struct user_file *file = user_file(machine, (uint32_t)descriptor);
    char name[32];

    if (!file)
        return -EBADF;
    if (!storage_has(file) || file->is_directory)
        return -EACCES;
    snprintf(name, sizeof name, "/dev/fd/%u", (uint32_t)descriptor);
    int64_t error = read_head(file, head);
    return error ? error : note_file(machine, search, file, file->path ? file->path : name);
}

/* ---- programs and scripts ---- */

static bool is_program(const char head[HEAD + 1])
{
    Elf64_Ehdr header;

    memcpy(&header, head, sizeof header);
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_machine == EM_RISCV && (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

/* Puts the interpreter that the script names, its argument if there is one, and the path of the
 * script in the place of argv[0]. Returns the interpreter; NULL: the file is not a script. */
static const char *read_script(struct search *search, char head[HEAD + 1], const char *path)
{
    const char *const blanks = " \t";

    if (head[0] != '#' || head[1] != '!')
        return NULL;
    head[strcspn(head, "\n")] = '\0';
    char *interpreter = head + 2 + strspn(head + 2, blanks);
    char *argument = interpreter + strcspn(interpreter, blanks);
    if (*argument)
        *argument++ = '\0';
    argument += strspn(argument, blanks);
    for (size_t length = strlen(argument); length && strchr(blanks, argument[length - 1]);)
        argument[--length] = '\0';
    if (!*interpreter)
        return NULL;
    search->arguments[0] = arena_string(&search->arena, path);
    if (*argument)
        put_before(search, argument);
    put_before(search, interpreter);
    return search->arguments[0];
}

/* Finds the program. Returns 0, or a negative error number. */
static int64_t find(const struct machine *machine, struct search *search, uint64_t directory,
                    const char *path, uint64_t flags)
{
    enum { NO_FOLLOW = 0x100, EMPTY_PATH = 0x1000 };
    char head[HEAD + 1];

    if (flags & ~(uint64_t)(NO_FOLLOW | EMPTY_PATH))
        return -EINVAL;
    int64_t error =
        !*path && flags & EMPTY_PATH
            ? find_by_descriptor(machine, search, directory, head)
            : find_by_path(machine, search, directory, path, !(flags & NO_FOLLOW), head);
    if (!*path)
        path = search->execution.path;
    for (unsigned scripts = 0; !error && !is_program(head); scripts++) {
        path = read_script(search, head, path);
        if (!path)
            return -ENOEXEC;
        if (scripts == SCRIPTS)
            return -ELOOP;
        error = find_by_path(machine, search, (uint64_t)GUEST_AT_FDCWD, path, true, head);
    }
    return error;
}

/* ---- the calls ---- */

static int64_t execute(struct machine *machine, uint64_t directory, uint64_t path,
                       const uint64_t *vectors, uint64_t flags)
{
    struct user_processes *processes = machine->user.processes;
    struct search search = {.limit = machine->config.memory_stack / STACK_PART};
    struct user_execution *execution = &search.execution;
    char **variables = NULL, name[PATH_MAX];
    size_t variable_room = 0;

    if (!processes->makers)
        return user_refuse(machine, REFUSED_EXECVE);
    int64_t error = user_copy_path(machine, path, name);
    if (error >= 0)
        error = read_strings(machine, &search, vectors[0], &search.arguments, &search.count,
                             &search.room);
    if (!error)
        error = read_strings(machine, &search, vectors[1], &variables, &execution->variable_count,
                             &variable_room);
    if (!error && search.count == 0)
        put_before(&search, "");
    if (!error)
        error = find(machine, &search, directory, name, flags);
    if (!error) {
        execution->given = name;
        execution->called = search.arguments[0];
        execution->arguments = search.arguments + 1;
        execution->variables = (const char *const *)variables;
        error = processes->makers->replace(processes->makers, machine, execution);
    }
    if (!error)
        machine->user.exited = true;
    arena_free(&search.arena);
    return error;
}

int64_t user_execve(struct machine *machine, const uint64_t *arguments)
{
    return execute(machine, (uint64_t)GUEST_AT_FDCWD, arguments[0], arguments + 1, 0);
}

int64_t user_execveat(struct machine *machine, const uint64_t *arguments)
{
    return execute(machine, arguments[0], arguments[1], arguments + 2, (uint32_t)arguments[4]);
}

/* ---- what the program keeps of the one before ---- */

static void send_again(struct machine *machine, const struct user_pending *pending)
{
    for (unsigned i = 0; i < pending->count; i++)
        if (!pending->sent[i].timer)
            user_signal_send_to(machine, NULL, &pending->sent[i]);
}

static void close_for_execution(struct user *user)
{
    for (unsigned fd = 0; fd < USER_FILES; fd++)
        if (user->close_on_exec[fd])
            user_close_slot(user, fd);
}

void user_take_over(struct machine *machine, struct machine *from,
                    const struct user_execution *execution)
{
    struct user *user = &machine->user, *old = &from->user;
    const struct user_thread *thread = old->thread;
    const struct user_pending pending = old->signals.pending;
    struct user_process *process = old->process;
    const char *slash = strrchr(execution->given, '/');

    user_release_all_locks(from);
    user_end_openings(old);
    *user = *old;
    memset(old->files, 0, sizeof old->files);
    old->working = NULL;
    user->program_path = strdup(execution->path);
    user->name = strdup(slash ? slash + 1 : execution->given);
    user->signals.pending = (struct user_pending){0};
    user_reset_threads(user);
    if (!user->program_path || !user->name || !user_add_thread(user, process->id))
        BUG("out of memory for a program");
    user->thread = user->threads[0];
    user->thread->blocked = thread->is_kept ? thread->kept : thread->blocked;
    user->thread->no_new_privileges = thread->no_new_privileges;
    user->slept = user_time(from);
    memset(user->timers + USER_INTERVAL_TIMERS, 0,
           sizeof user->timers - USER_INTERVAL_TIMERS * sizeof *user->timers);
    user_signal_reset(&user->signals);
    user->signals.trampoline = 0;
    user_release_parent(process);
    process->before = user_process_executed(process);
    process->machine = machine;
    send_again(machine, &pending);
    send_again(machine, &thread->pending);
    close_for_execution(user);
}
