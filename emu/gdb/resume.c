/* The packets that run the program, and the stop replies: signals in gdb's numbers, continuing,
 * single steps, and steps through a range. */
#include "emu/gdb/commands.h"
#include "emu/gdb/target.h"
#include "emu/host_signal.h"
#include "emu/trap.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>

enum { STEPS_BETWEEN_POLLS = 1024 }; /* in a range: checks for an interrupt and for --timeout */
enum { GDB_SIGWAITING = 36 };        /* gdb's number of a signal that no Linux program gets */

/* gdb has its own numbers of signals ("Debugging with GDB", E.13, and include/gdb/signals.def):
 * those of 4.2BSD first, then the real-time signals 33 to 63, 32 and 64. */
static unsigned signal_for_gdb(int number)
{
    enum { UNKNOWN = 143, REALTIME_33 = 45, REALTIME_32 = 77, REALTIME_64 = 78 };
    static const uint8_t numbers[] = {
        [SIGHUP] = 1,   [SIGINT] = 2,    [SIGQUIT] = 3,  [SIGILL] = 4,   [SIGTRAP] = 5,
        [SIGABRT] = 6,  [SIGFPE] = 8,    [SIGKILL] = 9,  [SIGBUS] = 10,  [SIGSEGV] = 11,
        [SIGSYS] = 12,  [SIGPIPE] = 13,  [SIGALRM] = 14, [SIGTERM] = 15, [SIGURG] = 16,
        [SIGSTOP] = 17, [SIGTSTP] = 18,  [SIGCONT] = 19, [SIGCHLD] = 20, [SIGTTIN] = 21,
        [SIGTTOU] = 22, [SIGIO] = 23,    [SIGXCPU] = 24, [SIGXFSZ] = 25, [SIGVTALRM] = 26,
        [SIGPROF] = 27, [SIGWINCH] = 28, [SIGUSR1] = 30, [SIGUSR2] = 31, [SIGPWR] = 32,
    };

    if (number > 0 && (size_t)number < sizeof numbers && numbers[number])
        return numbers[number];
    if (number >= 33 && number <= 63)
        return REALTIME_33 + (unsigned)(number - 33);
    return number == 32 ? REALTIME_32 : number == 64 ? REALTIME_64 : UNKNOWN;
}

/* Returns 0 for a signal that Linux does not have. */
static int signal_from_gdb(uint64_t number)
{
    for (int host = 1; host <= 64; host++)
        if (signal_for_gdb(host) == number)
            return host;
    return 0;
}

void gdb_choose_recorder(struct gdb *gdb)
{
    struct machine *machine = gdb->machine;
    bool wanted = machine->trace || machine->stats || machine->profile || gdb->watcher.watchpoints;

    machine->recorder = machine->port.recorder = wanted ? gdb->recorder : NULL;
}

static void begin_stop(struct gdb *gdb, unsigned signal)
{
    uint32_t thread = gdb_running(gdb);

    gdb->chosen = thread;
    text_clear(&gdb->stop);
    text_format(&gdb->stop, "T%02xthread:%x;%02x:", signal, thread, gdb_target_pc());
    gdb_append_bytes(&gdb->stop, &gdb->machine->hart.pc, sizeof gdb->machine->hart.pc);
    text_append_char(&gdb->stop, ';');
}

void gdb_begin_stop(struct gdb *gdb, int number)
{
    begin_stop(gdb, signal_for_gdb(number));
}

/* Has the thread of a barrel that steps over a breakpoint begun to wait for others? These are held,
 * so gdb is told by a signal, once in each wait, and lets all threads run. */
static bool must_tell_wait(struct gdb *gdb)
{
    struct machine *machine = gdb->machine;
    bool is_waiting =
        machine->workers && workers_is_waiting(machine, (unsigned)workers_self(machine));
    bool must_tell =
        gdb->steps_over && is_waiting && !gdb->watcher.met && gdb->told_wait != gdb_running(gdb);

    gdb->told_wait = must_tell ? gdb_running(gdb) : is_waiting ? gdb->told_wait : 0;
    return must_tell;
}

static void report_held(struct gdb *gdb)
{
    static const char *const reasons[WATCH_KINDS] = {"swbreak", "hwbreak", "watch", "rwatch",
                                                     "awatch"};
    const struct watch_point *point = watcher_find(&gdb->watcher, gdb->machine->hart.pc);

    if (gdb->watcher.met) {
        gdb->inside = true;
        gdb->next_pc = gdb->machine->hart.pc;
        gdb->machine->hart.pc = gdb->watcher.pc;
    }
    gdb->at_breakpoint = point != NULL;
    begin_stop(gdb, must_tell_wait(gdb) ? GDB_SIGWAITING : signal_for_gdb(SIGTRAP));
    if (gdb->watcher.met)
        text_format(&gdb->stop, "%s:%" PRIx64 ";", reasons[gdb->watcher.kind],
                    gdb->watcher.address);
    else if (point && gdb->reports_kind)
        text_format(&gdb->stop, "%s:;", reasons[point->kind]);
}

/* Reports the signal that the program is about to get. */
static void report_signal(struct gdb *gdb)
{
    gdb->signaled = true;
    gdb_begin_stop(gdb, (int)gdb->watcher.signal);
}

static void report_end(struct gdb *gdb, enum run_end end, int number)
{
    gdb->over = gdb->ended = true;
    gdb->end = end;
    text_clear(&gdb->stop);
    if (number)
        text_format(&gdb->stop, "X%02x", signal_for_gdb(number));
    else
        text_format(&gdb->stop, "W%02x", gdb->machine->user.status & 0xff);
}

static void hold_nobody(struct machine *machine)
{
    for (unsigned i = 0; machine->workers && i <= machine->workers->count; i++)
        workers_hold(machine, i, false);
    for (unsigned i = 0; i < machine->user.thread_count; i++)
        machine->user.threads[i]->is_held = false;
}

/* After a stop, no thread is held any more. If the thread that ran has ended, the next one is
 * shown. */
static enum run_end settle_threads(struct machine *machine, enum run_end end)
{
    const struct user *user = &machine->user;

    hold_nobody(machine);
    if (user->exited || user->thread->state != THREAD_ENDED)
        return end;
    return user_take_turn(machine) == USER_ENDED ? RUN_EXIT : end;
}

/* Makes the stop reply that says why the machine stopped. */
static void report_stop(struct gdb *gdb, enum run_end end)
{
    const struct machine *machine = gdb->machine;

    end = settle_threads(gdb->machine, end);
    gdb->faulted = end == RUN_FAULT;
    switch (end) {
    case RUN_FAULT:
        gdb_begin_stop(gdb, memory_fault_signal(&machine->memory, &machine->fault));
        break;
    case RUN_LIMIT:
        report_end(gdb, end, SIGXCPU);
        break;
    case RUN_STOPPED:
        report_end(gdb, end, host_signal_end() ? host_signal_end() : SIGALRM);
        break;
    case RUN_EXIT:
        if (machine->user.exited) {
            report_end(gdb, end, machine->user.signal);
            break;
        }
        __attribute__((fallthrough)); /* a call was interrupted */
    case RUN_HELD:
    case RUN_SLICE:
    case RUN_IDLE:
    case RUN_PASSED: /* never: there is one process */
        if (gdb->watcher.signal && !gdb->watcher.met)
            report_signal(gdb);
        else if (gdb->link.interrupted && !gdb->watcher.met)
            gdb_begin_stop(gdb, SIGINT);
        else
            report_held(gdb);
        break;
    }
    gdb->link.interrupted = false;
}

/* The same as await_turn for the threads of a barrel. */
static enum run_end await_worker(struct gdb *gdb)
{
    struct watcher *watcher = &gdb->watcher;
    struct machine *machine = gdb->machine;

    watcher->awaits_worker = true;
    watcher->awaited_worker = gdb->stepping_worker;
    enum run_end end = machine_run(machine, gdb->max_instructions);
    watcher->awaits_worker = false;
    return end == RUN_HELD && workers_self(machine) == gdb->stepping_worker && !watcher->met &&
                   !watcher->signal && !gdb->link.interrupted
               ? RUN_SLICE
               : end;
}

/* Lets the other threads run until it is the turn of the one that takes a step. Returns RUN_SLICE
 * then. */
static enum run_end await_turn(struct gdb *gdb)
{
    struct machine *machine = gdb->machine;
    enum run_end end;

    if (machine->workers)
        return await_worker(gdb);
    if (!user_has_turns(machine))
        return RUN_SLICE;
    gdb->watcher.awaited = gdb->stepping;
    end = machine_run(machine, gdb->max_instructions);
    gdb->watcher.awaited = NULL;
    return end == RUN_HELD && machine->user.thread == gdb->stepping && !gdb->watcher.met &&
                   !gdb->watcher.signal && !user_is_waiting(machine) && !gdb->link.interrupted
               ? RUN_SLICE
               : end;
}

/* Was the last step a turn in which a thread of a barrel waits, at a tsync or a tbar? */
static bool has_waited(const struct machine *machine, uint64_t retired)
{
    return machine->workers && machine->hart.instret == retired &&
           machine->fault.cause == CAUSE_WAIT;
}

/* Executes one instruction of the thread, even at a breakpoint. */
static enum run_end step(struct gdb *gdb)
{
    uint64_t retired;
    enum run_end end;

    do {
        if (gdb->max_instructions && gdb->machine->hart.instret >= gdb->max_instructions)
            return RUN_LIMIT;
        end = await_turn(gdb);
        if (end != RUN_SLICE)
            return end;
        gdb->watcher.pass = true;
        retired = gdb->machine->hart.instret;
        end = machine_step(gdb->machine);
        gdb->watcher.pass = false;
    } while (end == RUN_SLICE &&
             (user_is_waiting(gdb->machine) || has_waited(gdb->machine, retired)));
    return end;
}

static bool must_stop(struct gdb *gdb, uint64_t steps)
{
    uint64_t pc = gdb->machine->hart.pc;

    return gdb->machine->user.thread->state == THREAD_ENDED ||
           (gdb->machine->workers &&
            workers_is_idle(gdb->machine, (unsigned)workers_self(gdb->machine))) ||
           pc < gdb->range_start || pc >= gdb->range_end || gdb->watcher.met ||
           gdb->watcher.signal || watcher_find(&gdb->watcher, pc) ||
           (steps % STEPS_BETWEEN_POLLS == 0 && gdb_link_interrupted(&gdb->link));
}

/* Steps until the pc leaves the range of the client, which is empty for a single step. `stepped`:
 * the first step is done already. */
static enum run_end step_range(struct gdb *gdb, bool stepped)
{
    enum run_end end = stepped ? RUN_SLICE : step(gdb);

    for (uint64_t steps = 1; end == RUN_SLICE && !must_stop(gdb, steps); steps++) {
        if (steps % STEPS_BETWEEN_POLLS == 0 && machine_expired(gdb->machine))
            return RUN_STOPPED;
        end = step(gdb);
    }
    return end;
}

bool gdb_complete(struct gdb *gdb)
{
    struct hart *hart = &gdb->machine->hart;
    bool inside = gdb->inside && hart->pc == gdb->watcher.pc;

    gdb->inside = gdb->watcher.met = false;
    if (inside)
        hart->pc = gdb->next_pc;
    return inside;
}

static void resume(struct gdb *gdb, bool single)
{
    bool stepped = gdb_complete(gdb) && single;

    gdb_choose_recorder(gdb);
    report_stop(gdb, single ? step_range(gdb, stepped)
                            : machine_run(gdb->machine, gdb->max_instructions));
    gdb->range_start = gdb->range_end = 0;
    if (gdb->machine->trace)
        trace_flush(gdb->machine->trace);
    text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
}

/* Ends the program by a signal that it has no handler for. */
static void end_by_signal(struct gdb *gdb, int number)
{
    if (!gdb->faulted ||
        memory_fault_signal(&gdb->machine->memory, &gdb->machine->fault) != number) {
        gdb->machine->user.exited = true;
        gdb->machine->user.signal = number;
        report_end(gdb, RUN_EXIT, number);
    } else {
        report_end(gdb, RUN_FAULT, number);
    }
}

/* Gives the program the signal, in the place of one that it stopped at; 0: none. The signal of a
 * fault that stopped it goes to the handler of that fault. Returns false when the program ends. */
static bool pass_signal(struct gdb *gdb, int number)
{
    struct machine *machine = gdb->machine;
    bool of_fault =
        gdb->faulted && memory_fault_signal(&machine->memory, &machine->fault) == number;

    if (machine->bare.active || of_fault) {
        if (number == 0 || (of_fault && user_fault(machine)))
            return true;
        end_by_signal(gdb, number);
        return false;
    }
    gdb_complete(gdb);
    gdb->signaled = false;
    if (user_signal_pass(machine, (unsigned)number))
        return true;
    report_end(gdb, RUN_EXIT, machine->user.signal);
    return false;
}

static void resume_with_signal(struct gdb *gdb, uint64_t number, bool single)
{
    int signal = number ? signal_from_gdb(number) : 0;

    if (number && !signal) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    /* A call that met a watchpoint may have sent a signal, too. */
    bool unseen = gdb->watcher.signal && !gdb->signaled;
    if (unseen)
        gdb_complete(gdb);
    bool goes_on = !unseen && ((!signal && !gdb->watcher.signal) || pass_signal(gdb, signal));
    if (goes_on && !gdb->watcher.signal) {
        resume(gdb, single);
        return;
    }
    settle_threads(gdb->machine, RUN_SLICE);
    if (gdb->watcher.signal)
        report_signal(gdb);
    text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
}

void gdb_ignore_signals(struct gdb *gdb, const char *text)
{
    uint64_t number, ignored = 0;

    while (*text) {
        if (!gdb_parse_number(&text, &number) || (*text && *text++ != ';')) {
            gdb_reply_error(&gdb->reply, EINVAL);
            return;
        }
        int signal = signal_from_gdb(number);
        ignored |= signal ? UINT64_C(1) << (signal - 1) : 0;
    }
    gdb->watcher.ignored = ignored;
    gdb_reply_ok(&gdb->reply);
}

/* `c` and `s`, optionally with an address; `C` and `S` with a signal, and optionally `;` and an
 * address. */
void gdb_resume_packet(struct gdb *gdb, const char *text)
{
    bool single = *text == 's' || *text == 'S', with_signal = *text == 'C' || *text == 'S';
    uint64_t number = 0, address;

    text++;
    if (with_signal && !gdb_parse_number(&text, &number)) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    bool with_address = with_signal ? *text == ';' : *text != '\0';
    if (with_signal && with_address)
        text++;
    if ((*text || with_address) && (!gdb_parse_number(&text, &address) || *text ||
                                    !gdb_target_write(gdb->machine, gdb_target_pc(), &address))) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    gdb->stepping = single ? gdb->machine->user.thread : NULL;
    gdb->stepping_worker = (unsigned)workers_self(gdb->machine);
    resume_with_signal(gdb, number, single);
}

/* `start,end` of the action `r`. */
static bool parse_step_range(const char **text, uint64_t *start, uint64_t *end)
{
    if (!gdb_parse_number(text, start) || **text != ',')
        return false;
    ++*text;
    return gdb_parse_number(text, end) && *start <= *end;
}

enum { ALL_THREADS = -1 };

struct action {
    char kind;
    uint64_t signal;     /* in gdb's numbers; 0: none */
    uint64_t start, end; /* of a step through a range */
    int64_t thread;      /* its number, or ALL_THREADS */
};

/* Parses `;action[:thread]` and moves *text after it. */
static bool parse_action(const char **text, struct action *action)
{
    uint64_t number;

    *action = (struct action){.thread = ALL_THREADS};
    if (**text != ';' || !(*text)[1] || !strchr("cCsSr", (*text)[1]))
        return false;
    action->kind = (*text)[1];
    *text += 2;
    if ((action->kind == 'C' || action->kind == 'S') && !gdb_parse_number(text, &action->signal))
        return false;
    if (action->kind == 'r' && !parse_step_range(text, &action->start, &action->end))
        return false;
    if (**text == ':') {
        ++*text;
        if (strncmp(*text, "-1", 2) == 0)
            *text += 2;
        else if (gdb_parse_number(text, &number))
            action->thread = (int64_t)number;
        else
            return false;
    }
    return !**text || **text == ';';
}

/* Returns the first action that applies to the thread, or NULL. */
static const struct action *find_action(const struct action *actions, unsigned count,
                                        uint32_t number)
{
    for (unsigned i = 0; i < count; i++)
        if (actions[i].thread == ALL_THREADS || actions[i].thread == number)
            return &actions[i];
    return NULL;
}

static bool is_step(const struct action *action)
{
    return action && strchr("sSr", action->kind);
}

/* Returns the action of a thread of a barrel, or NULL. */
static const struct action *find_worker_action(const struct machine *machine, unsigned thread,
                                               const struct action *actions, unsigned count)
{
    return gdb_lists_worker(machine, thread + 1) ? find_action(actions, count, thread + 1) : NULL;
}

/* The same as gdb_resume_actions for the threads of a barrel. gdb steps over a breakpoint if it has
 * removed the one at which the program stopped, and only that thread goes on. */
static void resume_workers(struct gdb *gdb, const struct action *actions, unsigned count)
{
    struct machine *machine = gdb->machine;
    unsigned running = (unsigned)workers_self(machine), found = 0, first = 0;

    for (unsigned i = 0; i <= machine->workers->count; i++)
        if (find_worker_action(machine, i, actions, count) && !found++)
            first = i;
    if (!found) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    if (!find_worker_action(machine, running, actions, count)) {
        gdb_complete(gdb);
        workers_give_hart(machine, running = first);
    }
    const struct action *own = find_worker_action(machine, running, actions, count), *step = own;
    gdb->stepping_worker = running;
    for (unsigned i = 0; i <= machine->workers->count; i++) {
        const struct action *action = find_worker_action(machine, i, actions, count);
        bool is_held = !action && gdb_lists_worker(machine, i + 1);
        struct user_thread *thread = user_worker_thread(&machine->user, i);
        workers_hold(machine, i, is_held);
        if (thread)
            thread->is_held = is_held;
        if (is_step(action) && !is_step(step)) {
            gdb->stepping_worker = i;
            step = action;
        }
    }
    gdb->steps_over =
        found == 1 && gdb->at_breakpoint && !watcher_find(&gdb->watcher, machine->hart.pc);
    gdb->range_start = step->start;
    gdb->range_end = step->end;
    resume_with_signal(gdb, own->signal != GDB_SIGWAITING ? own->signal : 0, is_step(step));
    gdb->steps_over = false;
}

/* `vCont;action[:thread]…`: a thread to which no action applies is held. If several are to take a
 * step, the one that stopped does. */
void gdb_resume_actions(struct gdb *gdb, const char *text)
{
    enum { ACTIONS = 64 };
    struct user *user = &gdb->machine->user;
    struct action actions[ACTIONS];
    unsigned count = 0, running = 0;

    while (*text && count < ACTIONS && parse_action(&text, &actions[count]))
        count++;
    if (*text || count == 0) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    if (gdb->machine->workers) {
        resume_workers(gdb, actions, count);
        return;
    }
    const struct action *own = find_action(actions, count, gdb_running(gdb)), *step = NULL;
    gdb->stepping = NULL;
    for (unsigned i = 0; i < user->thread_count; i++) {
        struct user_thread *thread = user->threads[i];
        const struct action *action = find_action(actions, count, user_thread_number(thread));
        running += action != NULL;
        if (is_step(action) && (!gdb->stepping || thread == user->thread)) {
            gdb->stepping = thread;
            step = action;
        }
    }
    if (running == 0) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    for (unsigned i = 0; i < user->thread_count; i++)
        user->threads[i]->is_held =
            !find_action(actions, count, user_thread_number(user->threads[i]));
    gdb->range_start = step ? step->start : 0;
    gdb->range_end = step ? step->end : 0;
    resume_with_signal(gdb, own ? own->signal : 0, step != NULL);
}

void gdb_kill(struct gdb *gdb)
{
    gdb->faulted = false;
    end_by_signal(gdb, SIGKILL);
}
