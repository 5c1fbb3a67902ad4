/* What the host's signals do to native code. See parts.h.
 *
 * Accesses without a check: the host's memory has the guest's permissions (memory_begin_mirror),
 * and when the host says that an access faults, native code leaves before the instruction.
 *
 * A timer looks whether the run shall end. Where native code counts instructions, the processor
 * predicts the jump out of it best if it was never taken, so it is not left regularly. */
#include "emu/deadline.h"
#include "emu/keeper.h"
#include "emu/native/parts.h"

#include <signal.h>
#include <sys/time.h>

enum {
    TICK = 100000, /* microseconds */
    PROGRESS = 10, /* ticks between two looks at the progress of the run */
};

/* The one that runs, how many there are, and what was done about the signals before. */
static struct native *guarded;
static unsigned guards;
static struct sigaction before, before_ticks;

/* Returns the access whose code is at the offset or before it. */
static const struct unchecked *find_access(const struct native *native, size_t offset)
{
    size_t low = 0, high = native->access_count;

    while (low < high) {
        size_t middle = (low + high) / 2;
        if (native->accesses[middle].code <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &native->accesses[low - 1] : NULL;
}

static void handle(int number, siginfo_t *info, void *context)
{
    struct native *native = guarded;
    (void)info;
    uintptr_t executable = native ? (uintptr_t)native->copier.executable : 0,
              offset = host_interrupted_at(context) - executable;

    if (native && offset < native->copier.hot) {
        const struct unchecked *access = find_access(native, offset);
        if (access) {
            struct hart *hart = &native->machine->hart;
            hart->pc = access->pc;
            hart->native_exit = EXIT_STEP;
            native->faults++;
            native->faulted = (size_t)(access - native->accesses);
            host_go_on_at(context, executable + access->leave, access->remaining);
            return;
        }
    }
    sigaction(number, &before, NULL); /* and the instruction faults again */
}

bool native_is_checked(const struct native *native, uint64_t pc)
{
    return native->checked[pc / 2 % CHECKED_PLACES] == pc;
}

void native_note_fault(struct native *native)
{
    struct unchecked *access = &native->accesses[native->faulted];

    if (++access->faults < PLACE_FAULTS || native_is_checked(native, access->pc))
        return;
    native->forgiven += access->faults;
    native->checked[access->pc / 2 % CHECKED_PLACES] = access->pc;
    native_forget(native, access->pc, (uint64_t)access->pc + 1);
}

/* Shall the visit end? In the bare environment it does, so that machine_run looks whether the
 * program can go on. */
static bool is_due(struct native *native)
{
    const struct machine *machine = native->machine;

    return machine->bare.active || (machine->progress && ++native->ticks % PROGRESS == 0) ||
           machine_expired(machine);
}

/* If something waits for the end of the visit, native code finds no instructions left. */
static void tick(int number, siginfo_t *info, void *context)
{
    struct native *native = guarded;
    (void)number;
    (void)info;

    if (!native || !is_due(native))
        return;
    native->is_interrupted = true;
    if (!native->is_in_rounds &&
        host_interrupted_at(context) - (uintptr_t)native->copier.executable < COPIER_AREA) {
        int64_t taken = host_take_left(context);
        native->ahead -= taken;
        native->machine->hart.native_count -= (uint64_t)taken;
        if (native->machine->hart.native_times)
            native->machine->hart.native_times->left -= taken;
    }
}

static void set_timer(long microseconds)
{
    struct timeval time = {.tv_usec = microseconds};

    setitimer(ITIMER_VIRTUAL, &(struct itimerval){time, time}, NULL);
}

/* Handles the signals from now on. */
static bool catch_signals(void)
{
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};

    if (sigaction(SIGSEGV, &action, &before) != 0)
        return false;
    action.sa_sigaction = tick;
    action.sa_flags |= SA_RESTART;
    if (sigaction(SIGVTALRM, &action, &before_ticks) == 0) {
        set_timer(TICK);
        return true;
    }
    sigaction(SIGSEGV, &before, NULL);
    return false;
}

static void release_signals(void)
{
    sigaction(SIGSEGV, &before, NULL);
    set_timer(0);
    sigaction(SIGVTALRM, &before_ticks, NULL);
}

void native_open_guard(struct native *native)
{
    native->has_guard = true;
    if (guards == 0 && !catch_signals())
        return;
    guards++;
    native->is_guarded = true;
    guarded = native;
    memory_begin_mirror(&native->machine->memory);
}

void native_close_guard(const struct native *native)
{
    if (!native->is_guarded)
        return;
    memory_end_mirror(&native->machine->memory);
    if (guarded == native)
        guarded = NULL;
    if (--guards == 0)
        release_signals();
}

void native_resume(struct native *native)
{
    if (native && native->is_guarded)
        guarded = native;
}
