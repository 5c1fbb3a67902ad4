/* See processes.h. */
#include "emu/execute/processes.h"
#include "emu/reference/reference.h"
#include "emu/user/path.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

/* A program that processes execute, and its dynamic linker. */
struct loaded {
    struct arena arena;
    struct program program, linker;
    unsigned users; /* machines */
};

/* A machine that was made for a process. */
struct made {
    struct machine machine; /* the first member: made_of relies on it */
    struct arena arena;
    struct loaded *loaded; /* NULL: it executes the program of the first machine */
};

/* Returns NULL for the first machine, which was not made here. */
static struct made *made_of(const struct processes *processes, struct machine *machine)
{
    return machine == processes->first ? NULL : (struct made *)machine;
}

/* ---- programs ---- */

static void unmap(const struct program *program)
{
    if (program->is_mapped)
        munmap((void *)program->image.bytes, program->image.length);
}

static void release(struct loaded *loaded)
{
    if (!loaded || --loaded->users > 0)
        return;
    unmap(&loaded->program);
    unmap(&loaded->linker);
    arena_free(&loaded->arena);
    free(loaded);
}

/* Reads the dynamic linker of a program that asks for one, from the root of this machine. Returns
 * 0, or a negative error number: that the root has none, or another one after a diagnostic. */
static int64_t read_linker(struct loaded *loaded, struct machine *machine, struct diag *diag)
{
    struct program *program = &loaded->program;
    char *name = program->linker_path ? path_on_host(machine, program->linker_path) : NULL;

    if (!name)
        return program->linker_path ? -ENOENT : 0;
    bool good = program_read_linker(program, &loaded->linker, &loaded->arena, diag,
                                    arena_string(&loaded->arena, name));
    free(name);
    return good ? 0 : -ENOEXEC;
}

/* Reads the program and its linker. Returns NULL with a negative error number in *error, perhaps
 * after a diagnostic. */
static struct loaded *read_program(struct machine *machine, struct diag *diag,
                                   const struct user_execution *execution, int64_t *error)
{
    struct loaded *loaded = calloc(1, sizeof *loaded);

    *error = -ENOMEM;
    if (!loaded)
        return NULL;
    loaded->users = 1;
    const char *name =
        arena_string(&loaded->arena, execution->host ? execution->host : execution->path);
    bool good = execution->host ? program_read(&loaded->program, &loaded->arena, diag, name)
                                : program_read_bytes(&loaded->program, &loaded->arena, diag, name,
                                                     execution->bytes, execution->length);
    *error = good ? read_linker(loaded, machine, diag) : -ENOEXEC;
    if (!*error)
        return loaded;
    release(loaded);
    return NULL;
}

/* ---- machines ---- */

static void free_made(struct made *made)
{
    if (!made)
        return;
    user_leave(&made->machine.user);
    user_free_threads(&made->machine.user);
    machine_free_parts(&made->machine);
    release(made->loaded);
    arena_free(&made->arena);
    free(made);
}

/* Makes a machine that is configured as the first one. Returns NULL after a diagnostic. */
static struct made *make(const struct processes *processes, struct diag *diag)
{
    const struct machine *first = processes->first;
    struct made *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    struct machine *machine = &made->machine;
    machine->config = first->config;
    machine->deadline = first->deadline;
    if (!machine_init(machine, &made->arena, diag)) {
        free_made(made);
        return NULL;
    }
    machine->matrix.threads = first->matrix.threads;
    machine->code.is_defined = first->code.is_defined;
    machine->native = native_open(machine, processes->tier);
    return made;
}

static struct machine *copy(const struct user_makers *makers, struct machine *machine)
{
    const struct processes *processes = (const struct processes *)makers;
    const struct made *parent = made_of(processes, machine);
    struct diag diag = {.tool = "temu"};
    struct made *made = make(processes, &diag);
    struct context context = {0};

    if (!made)
        return NULL;
    made->loaded = parent ? parent->loaded : NULL;
    if (made->loaded)
        made->loaded->users++;
    memory_copy(&made->machine.memory, &machine->memory);
    context_save(machine, &context);
    context_load(&made->machine, &context, NULL);
    context_free(&context);
    return &made->machine;
}

/* The program that the process executed before does not run any more. */
static int64_t replace(const struct user_makers *makers, struct machine *machine,
                       const struct user_execution *execution)
{
    const struct processes *processes = (const struct processes *)makers;
    struct diag diag = {.tool = "temu"};
    int64_t error;
    struct loaded *loaded = read_program(machine, &diag, execution, &error);
    struct made *made = loaded ? make(processes, &diag) : NULL;

    if (made)
        made->loaded = loaded;
    else
        release(loaded);
    if (!made || !program_load(&loaded->program, &made->machine, &diag)) {
        free_made(made);
        return error ? error : -ENOMEM;
    }
    user_take_over(&made->machine, machine, execution);
    if (!user_begin(&made->machine, &diag, &loaded->program, execution)) {
        made->machine.user.exited = true; /* as under Linux, there is no way back */
        made->machine.user.signal = SIGKILL;
    }
    return 0;
}

/* ---- turns ---- */

/* Returns the process that has the next turn, after that with the id `last`, which may be gone.
 * NULL: none can run now. */
static struct user_process *find_next(const struct user_processes *all, uint32_t last)
{
    struct user_process *first = NULL;

    for (struct user_process *process = all->first; process; process = process->next) {
        if (!user_can_run(process))
            continue;
        if (process->id > last)
            return process;
        first = first ? first : process;
    }
    return first;
}

/* The same, and lets time pass until one can run. NULL: none ever can, or the run shall end. */
static struct user_process *await_next(const struct processes *processes, uint32_t last)
{
    struct user_processes *all = processes->first->user.processes;
    struct user_process *next = NULL;

    while (all->alive > 0 && !(next = find_next(all, last)) && user_pass_time_of_all(all))
        if (machine_expired(processes->first))
            return NULL;
    return next ? next : user_find_last(all);
}

/* Returns the count of its instructions at which a machine shall stop; 0: none. */
static uint64_t limit_of(const struct machine *machine, uint64_t max_instructions)
{
    uint64_t all = user_all_executed(machine->user.processes);

    return max_instructions ? max_instructions - (all - machine->hart.instret) : 0;
}

/* Returns the status of a process whose machine has stopped so, as wait returns it. */
static int status_of(const struct machine *machine, enum run_end end)
{
    int signal = end == RUN_FAULT ? memory_fault_signal(&machine->memory, &machine->fault)
                                  : machine->user.signal;

    return signal ? signal : machine->user.status << 8;
}

/* Has the process ended, or its program? */
static bool has_ended(enum run_end end)
{
    return end == RUN_EXIT || end == RUN_FAULT;
}

/* The first process has executed another program, and ended: its status belongs to the run. */
static void keep_status(struct processes *processes, int status)
{
    struct user *user = &processes->first->user;

    user->status = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    user->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* Does what follows the end of a process or of its program, whose machine is used no more. */
static void end_process(struct processes *processes, struct user_process *process,
                        struct machine *machine, enum run_end end)
{
    struct user_processes *all = machine->user.processes;
    struct made *made = made_of(processes, machine);
    int status = status_of(machine, end);

    if (process->machine == machine) { /* else it goes on with another program */
        if (made && end == RUN_FAULT)
            processes->report_fault(
                machine, made->loaded ? &made->loaded->program : processes->program, stderr);
        if (made && process == all->first)
            keep_status(processes, status);
        user_end_process(process, status);
    }
    free_made(made);
}

/* No process can go on. If the first one has not ended, it ends now. Returns how its machine ended.
 */
static enum run_end end_all(struct processes *processes, enum run_end end)
{
    struct user *user = &processes->first->user;

    if (!user->processes->first->machine)
        return end;
    user->exited = user->stuck = true;
    user->status = USER_STUCK_STATUS;
    return RUN_EXIT;
}

/* Runs the process for a turn. Returns RUN_PASSED when the run goes on. *first_end: how the first
 * machine ended, if it did. */
static enum run_end take_turn(struct processes *processes, struct user_process *process,
                              uint64_t max_instructions, enum run_end *first_end)
{
    struct machine *machine = process->machine;
    uint64_t limit = limit_of(machine, max_instructions);

    if (max_instructions && limit == 0)
        return RUN_LIMIT;
    user_begin_turn(machine);
    native_resume(machine->native);
    enum run_end end = machine_run(machine, limit);
    if (end == RUN_PASSED)
        user_synchronize(process);
    if (!has_ended(end))
        return end;
    bool goes_on = process->machine != machine; /* with another program */
    if (machine == processes->first)
        *first_end = goes_on ? RUN_EXIT : end;
    if (machine == processes->first && !goes_on && machine->user.processes->count == 1)
        return end;
    user_synchronize(process);
    end_process(processes, process, machine, end);
    return RUN_PASSED;
}

static enum run_end run(struct processes *processes, uint64_t max_instructions)
{
    struct user_processes *all = processes->first->user.processes;
    enum run_end first_end = RUN_EXIT, end = RUN_PASSED;
    struct user_process *process = all->first;

    processes->makers.copy = copy;
    processes->makers.replace = replace;
    if (!processes->first->workers && !processes->first->bare.active)
        all->makers = &processes->makers;
    while (process && end == RUN_PASSED) {
        uint32_t id = process->id;
        end = take_turn(processes, process, max_instructions, &first_end);
        if (end == RUN_PASSED)
            process = await_next(processes, id);
    }
    if (end != RUN_PASSED)
        return end;
    return all->alive > 0 && machine_expired(processes->first) ? RUN_STOPPED
                                                               : end_all(processes, first_end);
}

enum run_end processes_run(struct processes *processes, uint64_t max_instructions)
{
    enum run_end end = run(processes, max_instructions);

    memory_end_mirror(&processes->first->memory); /* reports look at all pages */
    return end;
}
