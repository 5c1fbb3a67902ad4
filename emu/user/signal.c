/* The user environment's signals: those that a program sends itself, and those that its faults
 * raise. A handler gets the frame that Linux builds on RV64 (arch/riscv/kernel/signal.c): siginfo,
 * ucontext with the registers, and a return address that leads to code that calls rt_sigreturn.
 *
 * Signals are delivered at the end of a system call, at an instruction that faults, and when the
 * turn of a thread begins. Only system calls, faults and timers raise a signal, so every run is the
 * same. A signal that is sent again while it is pending is delivered once, except a real-time
 * signal, which is delivered as often as it was sent. */
#include "emu/observe/watch.h"
#include "emu/user/calls.h"
#include "emu/user/mapped.h"
#include "emu/user/thread.h"
#include "isa_ids.h"
#include "standard_ids.h"
#include <errno.h>
#include <signal.h>

/* Values of Linux's generic ABI. */
enum {
    GUEST_SA_NOCLDWAIT = 2,
    GUEST_SA_SIGINFO = 4,
    GUEST_SA_EXPOSE_TAGBITS = 0x800,
    GUEST_SA_ONSTACK = 0x08000000,
    GUEST_SA_RESTART = 0x10000000,
    GUEST_SA_NODEFER = 0x40000000,
    GUEST_SIG_BLOCK = 0,
    GUEST_SIG_UNBLOCK = 1,
    GUEST_SIG_SETMASK = 2,
    GUEST_SS_ONSTACK = 1,
    GUEST_SS_DISABLE = 2,
    GUEST_STACK_MINIMUM = 2048,
    GUEST_ILL_ILLOPC = 1,
    GUEST_ILL_ILLOPN = 2,
    GUEST_TRAP_BRKPT = 1,
    GUEST_BUS_ADRALN = 1,
    GUEST_BUS_ADRERR = 2,
    GUEST_SEGV_MAPERR = 1,
    GUEST_SEGV_ACCERR = 2,
};
#define GUEST_SA_RESETHAND  UINT64_C(0x80000000)
#define GUEST_SS_AUTODISARM UINT32_C(0x80000000)
/* All flags of an action. Linux forgets others, by which programs find out which there are. */
#define GUEST_SA_FLAGS                                                                             \
    (GUEST_SA_NOCLDSTOP | GUEST_SA_NOCLDWAIT | GUEST_SA_SIGINFO | GUEST_SA_EXPOSE_TAGBITS |        \
     GUEST_SA_ONSTACK | GUEST_SA_RESTART | GUEST_SA_NODEFER | GUEST_SA_RESETHAND)

struct guest_stack {
    uint64_t address;
    uint32_t flags, pad;
    uint64_t size;
};

/* struct rt_sigframe. */
struct guest_frame {
    struct guest_siginfo info;
    struct { /* struct ucontext */
        uint64_t flags, link;
        struct guest_stack stack;
        uint64_t mask, unused[15];
        uint64_t pad;
        /* struct sigcontext: pc takes the place of x0 */
        uint64_t pc, x[31], f[32];
        uint32_t fcsr;
        uint32_t reserved[67]; /* the union is as large as the Q extension's registers */
    } context;
};
_Static_assert(offsetof(struct guest_frame, context.pc) == 128 + 176, "uc_mcontext");
_Static_assert(sizeof(struct guest_frame) == 128 + 960, "struct rt_sigframe");

/* ---- calling a handler ---- */

/* Makes the code that a handler returns to, `li a7, 139; ecall`, on a page that holds nothing else.
 */
static bool make_trampoline(struct machine *machine)
{
    const struct isa_instruction *add = &isa_instructions[ISA_ID_ADDI],
                                 *call = &isa_instructions[ISA_ID_ECALL];
    const int64_t operands[] = {ISA_REGISTER_A7, 0, CALL_RT_SIGRETURN}; /* rd, rs1, imm */
    struct user *user = &machine->user;
    uint64_t word = add->match;

    if (user->signals.trampoline)
        return true;
    uint64_t page = memory_find_free(&machine->memory, user->map_low, user->map_high, MEMORY_PAGE);
    if (!page || !memory_map(&machine->memory, page, MEMORY_PAGE, PAGE_READ | PAGE_EXECUTE))
        return false;
    for (unsigned i = 0; i < add->operand_count; i++)
        word = isa_insert(add->operands[i].field, word, operands[i]);
    memory_poke(&machine->memory, page, &word, add->length);
    memory_poke(&machine->memory, page + add->length, &call->match, call->length);
    user->signals.trampoline = page;
    return true;
}

/* Is the address on the alternate stack? While one with SS_AUTODISARM is set, nothing is. */
static bool is_on(const struct user_thread *thread, uint64_t address)
{
    return !thread->stack_disarms && address - thread->stack < thread->stack_size;
}

static struct guest_stack describe_stack(const struct user_thread *thread, uint64_t pointer)
{
    return (struct guest_stack){
        .address = thread->stack,
        .flags = !thread->stack_size      ? GUEST_SS_DISABLE
                 : thread->stack_disarms  ? GUEST_SS_AUTODISARM
                 : is_on(thread, pointer) ? GUEST_SS_ONSTACK
                                          : 0,
        .size = thread->stack_size,
    };
}

static void disable_stack(struct user_thread *thread)
{
    thread->stack = thread->stack_size = 0;
    thread->stack_disarms = false;
}

static void save_registers(const struct hart *hart, struct guest_frame *frame)
{
    frame->context.pc = hart->pc;
    memcpy(frame->context.x, hart->x + 1, sizeof frame->context.x);
    memcpy(frame->context.f, hart->f, sizeof frame->context.f);
    frame->context.fcsr = hart->frm << 5 | hart->fflags;
}

/* Ends the program by the signal. Linux does so, too, when the frame of a signal does not fit on
 * the stack. */
static void end_by(struct machine *machine, unsigned signal)
{
    machine->user.signal = signal;
    machine->user.exited = true;
}

static bool call_handler(struct machine *machine, const struct guest_siginfo *info)
{
    struct user_signals *signals = &machine->user.signals;
    struct user_thread *thread = machine->user.thread;
    struct user_action *action = &signals->actions[info->signal];
    struct hart *hart = &machine->hart;
    struct guest_frame frame = {.info = *info};
    uint64_t old = hart->x[ISA_REGISTER_SP];
    bool nested = is_on(thread, old);
    uint64_t stack = old;

    if (action->flags & GUEST_SA_ONSTACK && thread->stack_size && !nested)
        stack = thread->stack + thread->stack_size;
    uint64_t address = (stack - sizeof frame) & ~(uint64_t)15;
    frame.context.stack = describe_stack(thread, old);
    frame.context.mask = thread->is_kept ? thread->kept : thread->blocked;
    save_registers(hart, &frame);
    if ((nested && !is_on(thread, address)) ||
        !user_copy_out(machine, address, &frame, sizeof frame))
        return false;

    thread->is_kept = false;
    if (thread->stack_disarms)
        disable_stack(thread);
    thread->blocked |= action->mask;
    if (!(action->flags & GUEST_SA_NODEFER))
        thread->blocked |= signal_bit(info->signal);
    hart->pc = action->handler & -(uint64_t)ISA_CODE_ALIGNMENT;
    hart->x[ISA_REGISTER_RA] = signals->trampoline;
    hart->x[ISA_REGISTER_SP] = address;
    hart->x[ISA_REGISTER_A0] = info->signal;
    hart->x[ISA_REGISTER_A0 + 1] = address + offsetof(struct guest_frame, info);
    hart->x[ISA_REGISTER_A0 + 2] = address + offsetof(struct guest_frame, context);
    if (action->flags & GUEST_SA_RESETHAND)
        *action = (struct user_action){.handler = GUEST_SIG_DFL};
    return true;
}

/* Returns the lowest pending signal that is not blocked; 0: none. */
static unsigned next_ready(const struct machine *machine)
{
    uint64_t ready = user_signal_pending(machine) & ~machine->user.thread->blocked;

    for (; ready; ready &= ready - 1)
        if (!user_signal_is_ignored(machine, __builtin_ctzll(ready) + 1))
            return __builtin_ctzll(ready) + 1;
    return 0;
}

bool user_signal_is_ready(const struct machine *machine)
{
    return next_ready(machine) != 0;
}

bool user_signal_restarts(const struct machine *machine)
{
    unsigned signal = next_ready(machine);
    const struct user_action *action = &machine->user.signals.actions[signal];

    return action->flags & GUEST_SA_RESTART || user_signal_stops(&machine->user.signals, signal);
}

/* Must the program stop at the signal, so that its debugger sees it first? It stays pending. */
static bool hold(struct machine *machine, unsigned signal)
{
    struct watcher *watcher = machine->watcher;

    if (!watcher || machine->bare.active || watcher->ignored & signal_bit(signal) ||
        watcher->passed == signal)
        return false;
    watcher->signal = signal;
    return true;
}

bool user_signal_is_held(const struct machine *machine)
{
    return machine->watcher && machine->watcher->signal;
}

void user_signal_unmask(struct machine *machine)
{
    struct user_thread *thread = machine->user.thread;

    if (thread->is_kept)
        thread->blocked = thread->kept;
    thread->is_kept = false;
}

bool user_signal_pass(struct machine *machine, unsigned signal)
{
    struct watcher *watcher = machine->watcher;

    if (watcher->signal && watcher->signal != signal)
        user_signal_take(machine, watcher->signal);
    if (signal && watcher->signal != signal)
        user_signal_send_to(machine, machine->user.thread,
                            &(struct user_sent_signal){.signal = (uint8_t)signal,
                                                       .code = USER_SIGNAL_BY_USER,
                                                       .sender = machine->user.process->id});
    watcher->signal = 0;
    watcher->passed = signal;
    user_signal_deliver(machine);
    watcher->passed = 0;
    if (!watcher->signal)
        user_signal_unmask(machine);
    return !machine->user.exited;
}

void user_signal_deliver(struct machine *machine)
{
    struct user_signals *signals = &machine->user.signals;
    uint64_t ready;

    while ((ready = user_signal_pending(machine) & ~machine->user.thread->blocked) &&
           !machine->user.exited && !machine->user.process->is_stopped) {
        unsigned signal = __builtin_ctzll(ready) + 1;
        bool ignored = user_signal_is_ignored(machine, signal);
        if (!ignored && hold(machine, signal))
            break;
        const struct guest_siginfo info = user_signal_take(machine, signal);
        if (ignored)
            continue;
        if (user_signal_stops(signals, signal)) {
            user_stop_process(machine, signal);
            return;
        }
        if (signals->actions[signal].handler == GUEST_SIG_DFL)
            end_by(machine, signal);
        else if (!call_handler(machine, &info))
            end_by(machine, SIGSEGV);
    }
}

/* ---- faults ---- */

static int fault_code(const struct machine *machine, const struct fault *fault)
{
    uint64_t page = fault->value >> MEMORY_PAGE_BITS;
    bool mapped = page < MEMORY_PAGES && machine->memory.pages[page];

    switch (memory_fault_signal(&machine->memory, &machine->fault)) {
    case SIGILL:
        return fault->cause == CAUSE_TENSOR_CONFIGURATION ? GUEST_ILL_ILLOPN : GUEST_ILL_ILLOPC;
    case SIGTRAP:
        return GUEST_TRAP_BRKPT;
    case SIGBUS:
        return fault_signal(fault->cause) == SIGBUS ? GUEST_BUS_ADRALN : GUEST_BUS_ADRERR;
    default:
        return mapped ? GUEST_SEGV_ACCERR : GUEST_SEGV_MAPERR;
    }
}

bool user_fault(struct machine *machine)
{
    struct user_signals *signals = &machine->user.signals;
    const struct fault *fault = &machine->fault;
    int signal = memory_fault_signal(&machine->memory, &machine->fault);
    bool at_instruction = signal == SIGILL || signal == SIGTRAP;
    const struct guest_siginfo info = {
        .signal = signal,
        .code = fault_code(machine, fault),
        .address = at_instruction ? machine->hart.pc : fault->value,
    };

    if (signal == SIGBUS && mapped_finds_page(machine))
        return true;
    if (signals->actions[signal].handler <= GUEST_SIG_IGN ||
        machine->user.thread->blocked & signal_bit(signal))
        return false;
    return call_handler(machine, &info);
}

/* ---- calls ---- */

/* Does kill mean the process by this number? */
static bool is_meant(const struct user_process *self, const struct user_process *process,
                     int32_t to)
{
    return to > 0     ? process->id == (uint32_t)to
           : to == 0  ? process->group == self->group
           : to == -1 ? process != self
                      : process->group == -(uint32_t)to;
}

int64_t user_kill(struct machine *machine, const uint64_t *arguments)
{
    const struct user_process *self = machine->user.process;
    const struct user_sent_signal sent = {
        .signal = (uint8_t)arguments[1], .code = USER_SIGNAL_BY_USER, .sender = self->id};
    bool found = false;

    if ((int32_t)arguments[0] == INT32_MIN)
        return -ESRCH;
    for (struct user_process *process = machine->user.processes->first; process;
         process = process->next) {
        if (!is_meant(self, process, (int32_t)arguments[0]))
            continue;
        found = true;
        if (arguments[1] > USER_SIGNAL_LAST)
            return -EINVAL;
        if (sent.signal && process->machine)
            user_signal_send_to(process->machine, NULL, &sent);
    }
    return found ? 0 : -ESRCH;
}

/* Sends a signal to a thread of the process that has this machine (NULL: there is none), as abort,
 * raise and pthread_kill do. */
static int64_t send_to_thread(const struct machine *machine, struct machine *process, uint64_t to,
                              uint64_t signal)
{
    struct user_thread *thread = process ? user_find_thread(&process->user, (uint32_t)to) : NULL;

    if ((int32_t)to <= 0)
        return -EINVAL;
    if (!thread)
        return -ESRCH;
    if (signal > USER_SIGNAL_LAST)
        return -EINVAL;
    if (!signal)
        return 0;
    int result =
        user_signal_send_to(process, thread,
                            &(struct user_sent_signal){.signal = (uint8_t)signal,
                                                       .code = USER_SIGNAL_BY_TKILL,
                                                       .sender = machine->user.process->id});
    return result < 0 ? result : 0;
}

int64_t user_tgkill(struct machine *machine, const uint64_t *arguments)
{
    if ((int32_t)arguments[0] <= 0)
        return -EINVAL;
    return send_to_thread(machine, user_find_machine(machine, arguments[0]), arguments[1],
                          arguments[2]);
}

int64_t user_tkill(struct machine *machine, const uint64_t *arguments)
{
    return send_to_thread(machine, machine, arguments[0], arguments[1]);
}

int64_t user_rt_sigaction(struct machine *machine, const uint64_t *arguments)
{
    struct user_signals *signals = &machine->user.signals;
    uint64_t signal = arguments[0];
    struct user_action action;

    if (arguments[3] != sizeof(uint64_t) || signal - 1 >= 64)
        return -EINVAL;
    if (arguments[1] && !user_copy_in(machine, &action, arguments[1], sizeof action))
        return -EFAULT;
    if (arguments[1] && signal_bit(signal) & user_unstoppable())
        return -EINVAL;
    if (arguments[1] && action.handler > GUEST_SIG_IGN && !make_trampoline(machine))
        return -ENOMEM;
    const struct user_action old = signals->actions[signal];
    if (arguments[2] && !user_copy_out(machine, arguments[2], &old, sizeof old))
        return -EFAULT;
    if (!arguments[1])
        return 0;
    action.flags &= GUEST_SA_FLAGS;
    action.mask &= ~user_unstoppable();
    signals->actions[signal] = action;
    if (!user_signal_is_ignored(machine, signal))
        return 0;
    user_signal_drop(&machine->user, signal);
    return 0;
}

bool user_signal_ignores_children(const struct user_signals *signals)
{
    const struct user_action *action = &signals->actions[SIGCHLD];

    return action->handler == GUEST_SIG_IGN || action->flags & GUEST_SA_NOCLDWAIT;
}

void user_signal_reset(struct user_signals *signals)
{
    for (unsigned signal = 1; signal <= USER_SIGNAL_LAST; signal++)
        if (signals->actions[signal].handler != GUEST_SIG_IGN)
            signals->actions[signal] = (struct user_action){.handler = GUEST_SIG_DFL};
}

static bool change_mask(uint64_t *blocked, uint64_t how, uint64_t set)
{
    switch (how) {
    case GUEST_SIG_BLOCK:
        *blocked |= set;
        break;
    case GUEST_SIG_UNBLOCK:
        *blocked &= ~set;
        break;
    case GUEST_SIG_SETMASK:
        *blocked = set;
        break;
    default:
        return false;
    }
    *blocked &= ~user_unstoppable();
    return true;
}

int64_t user_rt_sigprocmask(struct machine *machine, const uint64_t *arguments)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t old = thread->blocked;
    uint64_t set, new = old;

    if (arguments[3] != sizeof set)
        return -EINVAL;
    if (arguments[1]) {
        if (!user_copy_in(machine, &set, arguments[1], sizeof set))
            return -EFAULT;
        if (!change_mask(&new, arguments[0], set))
            return -EINVAL;
    }
    if (arguments[2] && !user_copy_out(machine, arguments[2], &old, sizeof old))
        return -EFAULT;
    thread->blocked = new;
    return 0;
}

int64_t user_rt_sigpending(struct machine *machine, const uint64_t *arguments)
{
    uint64_t pending = user_signal_pending(machine) & machine->user.thread->blocked;

    if (arguments[1] > sizeof pending)
        return -EINVAL;
    return user_copy_out(machine, arguments[0], &pending, arguments[1]) ? 0 : -EFAULT;
}

static int64_t set_stack(struct user_thread *thread, const struct guest_stack *stack)
{
    uint32_t mode = stack->flags & ~GUEST_SS_AUTODISARM;

    if (mode > GUEST_SS_DISABLE)
        return -EINVAL;
    if (mode == GUEST_SS_DISABLE) {
        disable_stack(thread);
        return 0;
    }
    if (stack->size < GUEST_STACK_MINIMUM)
        return -ENOMEM;
    thread->stack = stack->address;
    thread->stack_size = stack->size;
    thread->stack_disarms = stack->flags & GUEST_SS_AUTODISARM;
    return 0;
}

int64_t user_sigaltstack(struct machine *machine, const uint64_t *arguments)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t pointer = machine->hart.x[ISA_REGISTER_SP];
    const struct guest_stack old = describe_stack(thread, pointer);
    struct guest_stack new;

    if (arguments[0]) {
        if (!user_copy_in(machine, &new, arguments[0], sizeof new))
            return -EFAULT;
        if (is_on(thread, pointer))
            return -EPERM;
        int64_t result = set_stack(thread, &new);
        if (result < 0)
            return result;
    }
    if (arguments[1] && !user_copy_out(machine, arguments[1], &old, sizeof old))
        return -EFAULT;
    return 0;
}

/* Restores the registers from the frame, in which the handler may have changed them. The result is
 * the a0 of the frame. */
int64_t user_rt_sigreturn(struct machine *machine, const uint64_t *arguments)
{
    struct user_thread *thread = machine->user.thread;
    struct hart *hart = &machine->hart;
    struct guest_frame frame;

    (void)arguments;
    if (!user_copy_in(machine, &frame, hart->x[ISA_REGISTER_SP], sizeof frame)) {
        end_by(machine, SIGSEGV);
        return -EFAULT;
    }
    hart->pc = frame.context.pc & -(uint64_t)ISA_CODE_ALIGNMENT;
    memcpy(hart->x + 1, frame.context.x, sizeof frame.context.x);
    memcpy(hart->f, frame.context.f, sizeof frame.context.f);
    hart->fflags = frame.context.fcsr & 0x1f;
    hart->frm = frame.context.fcsr >> 5 & 7;
    thread->blocked = frame.context.mask & ~user_unstoppable();
    set_stack(thread, &frame.context.stack);
    return USER_REGISTERS_SET;
}

bool user_signal_frame(const struct machine *machine, uint64_t address, uint64_t *pc,
                       uint64_t x[32])
{
    const struct guest_frame *frame = memory_peek(&machine->memory, address, sizeof *frame);

    if (!frame)
        return false;
    memcpy(pc, (const char *)frame + offsetof(struct guest_frame, context.pc), sizeof *pc);
    memcpy(x + 1, (const char *)frame + offsetof(struct guest_frame, context.x),
           sizeof frame->context.x);
    return true;
}
