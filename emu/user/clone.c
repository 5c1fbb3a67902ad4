/* The user environment's calls that begin and end threads. */
#include "emu/races/races.h"
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include <errno.h>

/* The arguments of clone and clone3. */
struct creation {
    uint64_t flags, stack, thread_pointer, parent_id, child_id; /* the last two: addresses */
};

enum {
    CLONE_VM = 0x100,
    CLONE_FS = 0x200,
    CLONE_FILES = 0x400,
    CLONE_SIGHAND = 0x800,
    CLONE_VFORK = 0x4000,
    CLONE_THREAD = 0x10000,
    CLONE_SYSVSEM = 0x40000,
    CLONE_SETTLS = 0x80000,
    CLONE_PARENT_SETTID = 0x100000,
    CLONE_CHILD_CLEARTID = 0x200000,
    CLONE_DETACHED = 0x400000,
    CLONE_UNTRACED = 0x800000,
    CLONE_CHILD_SETTID = 0x1000000,
    CLONE_SIGNAL = 0xff, /* the signal that the parent gets */
    CLONE_OF_THREAD =
        CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM,
    CLONE_OF_PROCESS = CLONE_VM | CLONE_VFORK | CLONE_SETTLS | CLONE_PARENT_SETTID |
                       CLONE_CHILD_CLEARTID | CLONE_CHILD_SETTID | CLONE_SIGNAL,
    CLONE_KNOWN = CLONE_OF_THREAD | CLONE_SETTLS | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID |
                  CLONE_DETACHED | CLONE_UNTRACED | CLONE_CHILD_SETTID | CLONE_SIGNAL,
};

#define CLONE_CLEAR_SIGHAND UINT64_C(0x100000000)

static bool put_id(struct machine *machine, uint64_t address, uint32_t id)
{
    return user_copy_out(machine, address, &id, sizeof id);
}

static struct workers_owner own(struct user_thread *thread)
{
    return (struct workers_owner){thread, &thread->state, user_thread_number(thread)};
}

/* In a barrel the first thread is the supervisor, and another one a worker. */
static void begin_worker(struct machine *machine, struct user_thread *thread)
{
    const struct workers_owner owner = own(thread), first = own(machine->user.threads[0]);

    if (machine->user.threads[0]->worker == 0)
        workers_set_owner(machine, &first);
    thread->races_number = workers_begin(machine, thread->worker, &owner);
}

/* The new thread has the registers of its parent, with a0, sp and tp changed. It inherits the mask
 * of signals, but not the signals that wait. */
static void begin_thread(struct machine *machine, struct user_thread *thread,
                         const struct creation *creation)
{
    const struct user_thread *parent = machine->user.thread;
    struct context *context =
        machine->workers ? workers_context(machine, thread->worker) : &thread->context;

    context_save(machine, context);
    context->hart.reserved = false;
    context->hart.x[ISA_REGISTER_A0] = 0;
    if (creation->stack)
        context->hart.x[ISA_REGISTER_SP] = creation->stack;
    if (creation->flags & CLONE_SETTLS)
        context->hart.x[ISA_REGISTER_TP] = creation->thread_pointer;
    if (machine->workers) {
        thread->executed = workers_retired(machine, context);
        begin_worker(machine, thread);
    } else {
        thread->races_number = races_start(machine->races, user_thread_number(thread));
    }
    races_synchronize(machine->races);
    thread->blocked = parent->blocked;
    memcpy(thread->name, parent->name, sizeof thread->name);
    thread->no_new_privileges = parent->no_new_privileges;
    if (creation->flags & CLONE_CHILD_CLEARTID)
        thread->clear_address = creation->child_id;
    if (creation->flags & CLONE_CHILD_SETTID)
        put_id(machine, creation->child_id, thread->id);
}

/* Makes a process. The memory of vfork's is its own, too: it has no use for its parent's but to
 * execute a program. */
static int64_t create_process(struct machine *machine, const struct creation *creation)
{
    uint64_t flags = creation->flags;
    bool holds_parent = flags & CLONE_VFORK;
    const struct user_fork parts = {
        .end_signal = flags & CLONE_SIGNAL,
        .holds_parent = holds_parent,
        .resets_signals = flags & CLONE_CLEAR_SIGHAND,
        .stack = creation->stack,
        .clear_address = flags & CLONE_CHILD_CLEARTID ? creation->child_id : 0,
        .has_thread_pointer = flags & CLONE_SETTLS,
        .thread_pointer = creation->thread_pointer,
        .id_address = flags & CLONE_CHILD_SETTID ? creation->child_id : 0,
    };

    if (!machine->user.processes->makers)
        return user_refuse(machine, holds_parent ? REFUSED_VFORK : REFUSED_FORK);
    if (flags & ~(CLONE_OF_PROCESS | CLONE_CLEAR_SIGHAND) || (flags & CLONE_VM && !holds_parent))
        return user_refuse(machine, REFUSED_CLONE);
    if (parts.end_signal > USER_SIGNAL_LAST)
        return -EINVAL;
    int64_t id = user_fork(machine, &parts);
    if (id > 0 && flags & CLONE_PARENT_SETTID)
        put_id(machine, creation->parent_id, (uint32_t)id);
    return id;
}

/* Serves clone and clone3. */
static int64_t create(struct machine *machine, const struct creation *creation)
{
    struct user *user = &machine->user;
    uint64_t flags = creation->flags;

    if (!(flags & CLONE_THREAD))
        return create_process(machine, creation);
    if (!(flags & CLONE_VM) || !(flags & CLONE_SIGHAND))
        return -EINVAL;
    if ((flags & CLONE_OF_THREAD) != CLONE_OF_THREAD || flags & ~(uint64_t)CLONE_KNOWN)
        return user_refuse(machine, REFUSED_CLONE);
    unsigned worker = machine->workers ? workers_find_idle(machine) : 0;
    if (user->thread_count == USER_THREADS || (machine->workers && !worker))
        return -EAGAIN;
    if (flags & CLONE_PARENT_SETTID &&
        !put_id(machine, creation->parent_id, user->processes->last_id + 1))
        return -EFAULT;
    struct user_thread *thread = user_add_thread(user, ++user->processes->last_id);
    if (!thread)
        return -ENOMEM;
    thread->worker = worker;
    if (user->thread_count == 2) /* turns begin */
        user->turn_end = machine->hart.instret + machine->config.threads_quantum;
    begin_thread(machine, thread, creation);
    user->turns_changed = true;
    return thread->id;
}

int64_t user_clone(struct machine *machine, const uint64_t *arguments)
{
    const struct creation creation = {
        .flags = arguments[0],
        .stack = arguments[1],
        .parent_id = arguments[2],
        .thread_pointer = arguments[3],
        .child_id = arguments[4],
    };

    return create(machine, &creation);
}

int64_t user_clone3(struct machine *machine, const uint64_t *arguments)
{
    enum { LEAST_BYTES = 64 /* CLONE_ARGS_SIZE_VER0 */ };
    struct {
        uint64_t flags, descriptor, child_id, parent_id, signal, stack, stack_size, thread_pointer,
            ids, id_count, group;
    } wanted = {0};

    if (arguments[1] < LEAST_BYTES)
        return -EINVAL;
    if (arguments[1] > sizeof wanted)
        return -E2BIG;
    if (!user_copy_in(machine, &wanted, arguments[0], arguments[1]))
        return -EFAULT;
    if (wanted.flags & CLONE_SIGNAL || wanted.signal > USER_SIGNAL_LAST ||
        !wanted.stack != !wanted.stack_size || (wanted.flags & CLONE_THREAD && wanted.signal))
        return -EINVAL;
    if (wanted.id_count)
        return -EPERM;
    const struct creation creation = {
        .flags = wanted.flags | wanted.signal,
        .stack = wanted.stack + wanted.stack_size,
        .parent_id = wanted.parent_id,
        .thread_pointer = wanted.thread_pointer,
        .child_id = wanted.child_id,
    };
    return create(machine, &creation);
}

/* Do workers run that `trun` started? They make their calls as the first thread, which cannot end
 * before them. */
static bool has_started_workers(const struct machine *machine)
{
    return machine->workers && workers_have_started(machine);
}

static unsigned find_place(const struct user *user, const struct user_thread *thread)
{
    unsigned place = 0;

    while (user->threads[place] != thread)
        place++;
    return place;
}

void user_end_thread(struct machine *machine, int status)
{
    struct user *user = &machine->user;
    struct user_thread *thread = user->thread;
    uint32_t zero = 0;

    if (thread->id == user->process->id)
        user->status = status;
    user_release_locks(machine, thread);
    races_synchronize(machine->races);
    if (thread->clear_address &&
        user_copy_out(machine, thread->clear_address, &zero, sizeof zero)) {
        races_clear(machine->races, thread->clear_address);
        user_wake_futex(machine, thread->clear_address, 1, UINT32_MAX);
    }
    races_end(machine->races, thread->races_number);
    if (user->thread_count == 1 || (thread->worker == 0 && has_started_workers(machine))) {
        user->exited = true;
        return;
    }
    thread->state = THREAD_ENDED;
    unsigned place = find_place(user, thread);
    memmove(&user->threads[place], &user->threads[place + 1],
            (--user->thread_count - place) * sizeof *user->threads);
    if (machine->workers) {
        user->ended = thread;
        workers_leave(machine);
    } else {
        user->turn = (place + user->thread_count - 1) % user->thread_count;
    }
    user->turns_changed = true;
}

int64_t user_exit(struct machine *machine, const uint64_t *arguments)
{
    user_end_thread(machine, arguments[0] & 0xff);
    return arguments[0];
}

int64_t user_exit_group(struct machine *machine, const uint64_t *arguments)
{
    machine->user.exited = true;
    machine->user.status = arguments[0] & 0xff;
    return arguments[0];
}

/* ---- other calls ---- */

int64_t user_gettid(struct machine *machine, const uint64_t *arguments)
{
    (void)arguments;
    return machine->user.thread->id;
}

int64_t user_set_tid_address(struct machine *machine, const uint64_t *arguments)
{
    machine->user.thread->clear_address = arguments[0];
    return machine->user.thread->id;
}
