/* The user environment's futexes. A futex is a word of 32 bits; all threads that wait for it have
 * it in their wait. They are woken in the order in which they came. In common memory, a futex is
 * that of all processes, wherever they have it. */
#include "emu/races/races.h"
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>

/* Values of Linux's generic ABI. */
enum {
    FUTEX_WAIT = 0,
    FUTEX_WAKE = 1,
    FUTEX_REQUEUE = 3,
    FUTEX_COMPARE_REQUEUE = 4,
    FUTEX_WAKE_OPERATION = 5,
    FUTEX_LOCK = 6, /* FUTEX_LOCK_PI, and so on */
    FUTEX_UNLOCK = 7,
    FUTEX_TRY_LOCK = 8,
    FUTEX_WAIT_BITSET = 9,
    FUTEX_WAKE_BITSET = 10,
    FUTEX_LOCK_BY_CLOCK = 13, /* FUTEX_LOCK_PI2 */
    FUTEX_COMMAND = 0x7f,     /* the rest says whether it is shared, and: */
    FUTEX_CLOCK_REALTIME = 0x100,
    FUTEX_WORD = 4, /* bytes */
};
#define FUTEX_WAITERS    UINT32_C(0x80000000)
#define FUTEX_OWNER_DIED UINT32_C(0x40000000)
#define FUTEX_ID         UINT32_C(0x3fffffff)

/* ---- waking ---- */

/* A thread, and the machine of its process. */
struct waiter {
    struct user_thread *thread; /* NULL: none */
    struct machine *machine;
};

static struct user_futex futex_at(const struct machine *machine, uint64_t address)
{
    const struct memory_share *common = memory_find_common(&machine->memory, address);

    if (!common)
        return (struct user_futex){.place = address};
    return (struct user_futex){common->object.number, address -
                                                          (common->first << MEMORY_PAGE_BITS) +
                                                          (common->place << MEMORY_PAGE_BITS)};
}

/* Looks for the thread of the process that has waited longest for the futex, with one of these
 * bits, and longer than the one found so far. With bits 0, those that wait for a lock. */
static void find_waiter(struct machine *machine, const struct user_futex *futex, uint32_t bitset,
                        struct waiter *first)
{
    const struct user *user = &machine->user;

    for (unsigned i = 0; i < user->thread_count; i++) {
        struct user_thread *thread = user->threads[i];
        const struct user_wait *wait = &thread->wait;
        if (thread->state == THREAD_WAITS && wait->kind == WAIT_FUTEX &&
            wait->futex.object == futex->object && wait->futex.place == futex->place &&
            (bitset ? wait->bitset & bitset : wait->is_for_lock) && !wait->is_woken &&
            (!first->thread || wait->order < first->thread->wait.order))
            *first = (struct waiter){thread, machine};
    }
}

/* The same of all processes that wait for it: others do, too, if it is in memory that is common to
 * them. */
static struct waiter first_waiter(struct machine *machine, uint64_t address, uint32_t bitset)
{
    const struct user_futex futex = futex_at(machine, address);
    struct waiter first = {NULL, NULL};

    if (!futex.object) {
        find_waiter(machine, &futex, bitset, &first);
        return first;
    }
    for (struct user_process *process = machine->user.processes->first; process;
         process = process->next)
        if (process->machine)
            find_waiter(process->machine, &futex, bitset, &first);
    return first;
}

static void wake(const struct waiter *waiter)
{
    waiter->thread->wait.is_woken = true;
    races_wake(waiter->machine->races, waiter->thread->races_number);
    user_wake(&waiter->machine->user, waiter->thread);
}

int64_t user_wake_futex(struct machine *machine, uint64_t address, uint64_t count, uint32_t bitset)
{
    struct waiter waiter;
    int64_t woken = 0;

    for (; count && (waiter = first_waiter(machine, address, bitset)).thread; count--, woken++)
        wake(&waiter);
    return woken;
}

/* Makes up to `count` waiters wait for another futex, after those that it has. */
static int64_t requeue(struct machine *machine, uint64_t from, uint64_t count, uint64_t to)
{
    const struct user_futex futex = futex_at(machine, to), old = futex_at(machine, from);
    struct waiter waiter;
    int64_t moved = 0;

    if (old.object == futex.object && old.place == futex.place)
        return 0;
    for (; count && (waiter = first_waiter(machine, from, UINT32_MAX)).thread; count--, moved++) {
        if (waiter.machine == machine)
            waiter.thread->wait.address = to;
        waiter.thread->wait.futex = futex;
        waiter.thread->wait.order = machine->user.processes->waits++;
    }
    return moved;
}

/* ---- waiting ---- */

/* Ends the run at the call. C libraries and Go's runtime make a futex call again when it fails, so
 * the program would hang. */
static int64_t end_stuck(struct machine *machine)
{
    struct user_thread *thread = machine->user.thread;

    machine->user.exited = machine->user.stuck = true;
    machine->user.status = USER_STUCK_STATUS;
    thread->wait =
        (struct user_wait){.kind = WAIT_FUTEX, .deadline = USER_FOREVER, .alarm = USER_FOREVER};
    thread->state = THREAD_WAITS;
    machine->hart.pc = user_call_pc(machine);
    return -EDEADLK;
}

/* How the time of a call is meant. */
enum timeout { TIMEOUT_RELATIVE, TIMEOUT_ABSOLUTE, TIMEOUT_DATE };

/* Returns how an absolute time is meant. */
static enum timeout timeout_of(const uint64_t *arguments)
{
    return arguments[1] & FUTEX_CLOCK_REALTIME || (arguments[1] & FUTEX_COMMAND) == FUTEX_LOCK
               ? TIMEOUT_DATE
               : TIMEOUT_ABSOLUTE;
}

/* Returns 0 and the deadline of the call, or a negative error number. */
static int64_t read_deadline(struct machine *machine, uint64_t address, enum timeout timeout,
                             uint64_t *deadline)
{
    uint64_t time;

    *deadline = USER_FOREVER;
    if (!address)
        return 0;
    int64_t result = user_read_time(machine, address, &time);
    if (result == 0)
        *deadline = timeout == TIMEOUT_DATE       ? user_time_at(time)
                    : timeout == TIMEOUT_ABSOLUTE ? time
                                                  : user_time(machine) + time;
    return result;
}

/* A wait with a timeout lasts until the timeout, or until a signal comes, after which only a wait
 * without one can be made again. That is a deadlock if no thread and no signal can end it. */
static int64_t wait_on(struct machine *machine, const uint64_t *arguments, enum timeout timeout,
                       uint32_t bitset)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t deadline;
    uint32_t value;

    if (thread->repeats && thread->wait.is_woken)
        return 0;
    if (!bitset)
        return -EINVAL;
    int64_t result = read_deadline(machine, arguments[3], timeout, &deadline);
    if (result < 0)
        return result;
    if (!user_copy_in(machine, &value, arguments[0], sizeof value))
        return -EFAULT;
    if (!thread->repeats && value != (uint32_t)arguments[2]) {
        races_acquire(machine->races, arguments[0]);
        return -EAGAIN;
    }
    bool is_first = !thread->repeats;
    result = user_wait(machine, WAIT_FUTEX, deadline);
    if (result == USER_WAITS && is_first) {
        thread->wait.address = arguments[0];
        thread->wait.futex = futex_at(machine, arguments[0]);
        thread->wait.bitset = bitset;
    }
    if (result == -EDEADLK)
        return end_stuck(machine);
    if (result == -EINTR)
        return arguments[3] ? -EINTR : USER_RESTART;
    return result == 0 ? -ETIMEDOUT : result;
}

/* ---- locks with priority inheritance ----
 *
 * The word is the id of the owner, with FUTEX_WAITERS if the kernel has to unlock it. There are no
 * priorities here, so the lock goes to the thread that has waited longest. */

/* Finds the owner of the lock at the address, whose word this is. Another process may have it if it
 * is in common memory. */
static struct waiter find_owner(struct machine *machine, uint64_t address, uint32_t word)
{
    struct waiter owner = {user_find_thread(&machine->user, word & FUTEX_ID), machine};

    if (owner.thread || !memory_find_common(&machine->memory, address))
        return owner;
    for (struct user_process *process = machine->user.processes->first; process && !owner.thread;
         process = process->next)
        if (process->machine)
            owner = (struct waiter){user_find_thread(&process->machine->user, word & FUTEX_ID),
                                    process->machine};
    return owner;
}

/* Does the owner wait, directly or through others, for a lock of the running thread? */
static bool is_deadlock(struct machine *machine, uint64_t address, uint32_t word)
{
    const struct user_thread *self = machine->user.thread;

    for (unsigned i = 0; i < USER_THREADS; i++) {
        const struct waiter owner = find_owner(machine, address, word);
        if (owner.thread == self)
            return true;
        if (!owner.thread || owner.thread->state != THREAD_WAITS || !owner.thread->wait.is_for_lock)
            return false;
        machine = owner.machine;
        address = owner.thread->wait.address;
        if (!user_copy_in(machine, &word, address, sizeof word))
            return false;
    }
    return false;
}

/* Takes the lock for the thread. Others that wait keep it marked. */
static int64_t take_lock(struct machine *machine, uint64_t address,
                         const struct user_thread *thread, uint32_t marks)
{
    uint32_t word = thread->id | marks;

    if (first_waiter(machine, address, 0).thread)
        word |= FUTEX_WAITERS;
    return user_copy_out(machine, address, &word, sizeof word) ? 0 : -EFAULT;
}

static int64_t wait_for_lock(struct machine *machine, const uint64_t *arguments)
{
    struct user_thread *thread = machine->user.thread;
    bool is_first = !thread->repeats;
    uint64_t deadline;
    int64_t result = read_deadline(machine, arguments[3], timeout_of(arguments), &deadline);

    if (result < 0)
        return result;
    result = user_wait(machine, WAIT_FUTEX, deadline);
    if (result == USER_WAITS && is_first) {
        thread->wait.address = arguments[0];
        thread->wait.futex = futex_at(machine, arguments[0]);
        thread->wait.is_for_lock = true;
    }
    if (result == -EDEADLK)
        return end_stuck(machine);
    return result == 0 ? -ETIMEDOUT : result == -EINTR ? USER_RESTART_ALWAYS : result;
}

static int64_t lock(struct machine *machine, const uint64_t *arguments, bool waits)
{
    const struct user *user = &machine->user;
    uint64_t address = arguments[0];
    uint32_t word;

    if (user->thread->repeats && user->thread->wait.is_woken)
        return 0;
    if (!user_copy_in(machine, &word, address, sizeof word))
        return -EFAULT;
    races_acquire(machine->races, address);
    if (!(word & FUTEX_ID))
        return take_lock(machine, address, user->thread, word & FUTEX_OWNER_DIED);
    if (!user->thread->repeats && is_deadlock(machine, address, word))
        return -EDEADLK;
    if (!find_owner(machine, address, word).thread)
        return -ESRCH;
    if (!waits)
        return -EAGAIN;
    word |= FUTEX_WAITERS;
    if (!user_copy_out(machine, address, &word, sizeof word))
        return -EFAULT;
    return wait_for_lock(machine, arguments);
}

/* Gives the lock to the thread that has waited longest, or to nobody. */
static int64_t give_lock(struct machine *machine, uint64_t address, uint32_t marks)
{
    const struct waiter next = first_waiter(machine, address, 0);

    if (!next.thread)
        return user_copy_out(machine, address, &marks, sizeof marks) ? 0 : -EFAULT;
    wake(&next);
    return take_lock(machine, address, next.thread, marks);
}

static int64_t unlock(struct machine *machine, uint64_t address)
{
    uint32_t word;

    if (!user_copy_in(machine, &word, address, sizeof word))
        return -EFAULT;
    if ((word & FUTEX_ID) != machine->user.thread->id)
        return -EPERM;
    races_release(machine->races, address);
    return give_lock(machine, address, 0);
}

/* ---- the call ---- */

/* Applies an operation of FUTEX_WAKE_OP to the word. Returns false if there is no such operation.
 */
static bool apply_operation(unsigned operation, uint32_t *word, uint32_t operand)
{
    enum { SET, ADD, OR, AND_NOT, XOR };

    switch (operation) {
    case SET:
        *word = operand;
        return true;
    case ADD:
        *word += operand;
        return true;
    case OR:
        *word |= operand;
        return true;
    case AND_NOT:
        *word &= ~operand;
        return true;
    case XOR:
        *word ^= operand;
        return true;
    default:
        return false;
    }
}

/* Sets *holds to the result of a comparison of FUTEX_WAKE_OP. Returns false if there is no such
 * comparison. */
static bool compare(unsigned comparison, int32_t a, int32_t b, bool *holds)
{
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};

    if (comparison >= sizeof results / sizeof *results)
        return false;
    *holds = results[comparison];
    return true;
}

/* FUTEX_WAKE_OP changes the word at the second address, wakes waiters of the first, and those of
 * the second if its old value compares as the operation says. */
static int64_t wake_operation(struct machine *machine, const uint64_t *arguments)
{
    uint32_t operation = (uint32_t)arguments[5], old;
    int32_t operand = (int32_t)(operation << 8) >> 20, compared = (int32_t)(operation << 20) >> 20;
    bool is_shift = operation >> 31, holds;

    if (arguments[4] % FUTEX_WORD)
        return -EINVAL;
    if (!user_copy_in(machine, &old, arguments[4], sizeof old))
        return -EFAULT;
    uint32_t new = old;
    if (is_shift)
        operand = (int32_t)(UINT32_C(1) << (operand & 31));
    if (!apply_operation(operation >> 28 & 7, &new, (uint32_t)operand) ||
        !compare(operation >> 24 & 15, (int32_t)old, compared, &holds))
        return -ENOSYS;
    if (!user_copy_out(machine, arguments[4], &new, sizeof new))
        return -EFAULT;
    int64_t woken = user_wake_futex(machine, arguments[0], (uint32_t)arguments[2], UINT32_MAX);
    if (holds)
        woken += user_wake_futex(machine, arguments[4], (uint32_t)arguments[3], UINT32_MAX);
    return woken;
}

/* FUTEX_REQUEUE and FUTEX_CMP_REQUEUE. */
static int64_t wake_and_requeue(struct machine *machine, const uint64_t *arguments, bool compares)
{
    int32_t wake = (int32_t)arguments[2], move = (int32_t)arguments[3];
    uint32_t value;

    if (wake < 0 || move < 0 || arguments[4] % FUTEX_WORD)
        return -EINVAL;
    if (!user_copy_in(machine, &value, arguments[0], sizeof value))
        return -EFAULT;
    if (compares && value != (uint32_t)arguments[5])
        return -EAGAIN;
    int64_t woken = user_wake_futex(machine, arguments[0], (uint64_t)wake, UINT32_MAX);
    return woken + requeue(machine, arguments[0], (uint64_t)move, arguments[4]);
}

static int64_t wake_some(struct machine *machine, const uint64_t *arguments, uint32_t bitset)
{
    int32_t count = (int32_t)arguments[2];
    uint32_t value;

    if (!bitset)
        return -EINVAL;
    if (!user_copy_in(machine, &value, arguments[0], sizeof value))
        return -EFAULT;
    /* Linux wakes one thread at least. */
    return user_wake_futex(machine, arguments[0], count > 0 ? (uint64_t)count : 1, bitset);
}

static int64_t serve(struct machine *machine, const uint64_t *arguments)
{
    switch (arguments[1] & FUTEX_COMMAND) {
    case FUTEX_WAIT:
        return wait_on(machine, arguments, TIMEOUT_RELATIVE, UINT32_MAX);
    case FUTEX_WAIT_BITSET:
        return wait_on(machine, arguments, timeout_of(arguments), (uint32_t)arguments[5]);
    case FUTEX_WAKE:
        return wake_some(machine, arguments, UINT32_MAX);
    case FUTEX_WAKE_BITSET:
        return wake_some(machine, arguments, (uint32_t)arguments[5]);
    case FUTEX_REQUEUE:
        return wake_and_requeue(machine, arguments, false);
    case FUTEX_COMPARE_REQUEUE:
        return wake_and_requeue(machine, arguments, true);
    case FUTEX_WAKE_OPERATION:
        return wake_operation(machine, arguments);
    case FUTEX_LOCK:
    case FUTEX_LOCK_BY_CLOCK:
        return lock(machine, arguments, true);
    case FUTEX_TRY_LOCK:
        return lock(machine, arguments, false);
    case FUTEX_UNLOCK:
        return unlock(machine, arguments[0]);
    default:
        return -ENOSYS;
    }
}

int64_t user_futex(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[0] % FUTEX_WORD)
        return -EINVAL;
    int64_t result = serve(machine, arguments);
    races_synchronize(machine->races);
    return result;
}

/* ---- robust lists ---- */

/* struct robust_list_head. The lowest bit of an entry's address says that it is a lock with
 * priority inheritance. */
struct robust_head {
    uint64_t first;
    int64_t offset; /* from an entry to its futex */
    uint64_t pending;
};

int64_t user_set_robust_list(struct machine *machine, const uint64_t *arguments)
{
    if (arguments[1] != sizeof(struct robust_head))
        return -EINVAL;
    machine->user.thread->robust_list = arguments[0];
    return 0;
}

int64_t user_get_robust_list(struct machine *machine, const uint64_t *arguments)
{
    const struct user *user = &machine->user;
    const struct user_thread *thread =
        arguments[0] ? user_find_thread(user, arguments[0]) : user->thread;
    uint64_t size = sizeof(struct robust_head);

    if (!thread)
        return -ESRCH;
    return user_copy_out(machine, arguments[2], &size, sizeof size) &&
                   user_copy_out(machine, arguments[1], &thread->robust_list,
                                 sizeof thread->robust_list)
               ? 0
               : -EFAULT;
}

/* Marks a lock that the thread holds as one whose owner died, and wakes a thread that waits for it.
 */
static void release_lock(struct machine *machine, const struct user_thread *thread,
                         uint64_t address, bool is_pending)
{
    uint32_t value;

    if (address % FUTEX_WORD || !user_copy_in(machine, &value, address, sizeof value))
        return;
    /* The thread may have unlocked it already, without waking anyone. */
    if (is_pending && value == 0) {
        user_wake_futex(machine, address, 1, UINT32_MAX);
        return;
    }
    if ((value & FUTEX_ID) != thread->id)
        return;
    if (first_waiter(machine, address, 0).thread) {
        give_lock(machine, address, FUTEX_OWNER_DIED);
        return;
    }
    uint32_t released = (value & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
    if (user_copy_out(machine, address, &released, sizeof released) && value & FUTEX_WAITERS)
        user_wake_futex(machine, address, 1, UINT32_MAX);
}

/* Gives on the locks of the thread for which threads of the process wait. */
static void give_to_process(struct machine *machine, const struct user_thread *thread)
{
    const struct user *user = &machine->user;
    uint32_t word;

    for (unsigned i = 0; i < user->thread_count; i++) {
        const struct user_wait *wait = &user->threads[i]->wait;
        if (user->threads[i]->state == THREAD_WAITS && wait->is_for_lock &&
            user_copy_in(machine, &word, wait->address, sizeof word) &&
            (word & FUTEX_ID) == thread->id)
            give_lock(machine, wait->address, FUTEX_OWNER_DIED);
    }
}

/* The same for all processes. The locks need not be in the list of the thread. */
static void give_locks(const struct machine *machine, const struct user_thread *thread)
{
    for (struct user_process *process = machine->user.processes->first; process;
         process = process->next)
        if (process->machine)
            give_to_process(process->machine, thread);
}

static void release_listed(struct machine *machine, const struct user_thread *thread)
{
    enum { ENTRIES_LIMIT = 2048 /* ROBUST_LIST_LIMIT */ };
    uint64_t head_address = thread->robust_list;
    struct robust_head head;

    if (!head_address || !user_copy_in(machine, &head, head_address, sizeof head))
        return;
    uint64_t entry = head.first;
    for (unsigned i = 0; i < ENTRIES_LIMIT && (entry & ~UINT64_C(1)) != head_address; i++) {
        uint64_t next, at = entry & ~UINT64_C(1);
        bool good = user_copy_in(machine, &next, at, sizeof next);
        if (at != (head.pending & ~UINT64_C(1)))
            release_lock(machine, thread, at + (uint64_t)head.offset, false);
        if (!good)
            break;
        entry = next;
    }
    if (head.pending)
        release_lock(machine, thread, (head.pending & ~UINT64_C(1)) + (uint64_t)head.offset, true);
}

void user_release_locks(struct machine *machine, struct user_thread *thread)
{
    release_listed(machine, thread);
    give_locks(machine, thread);
}

void user_release_all_locks(struct machine *machine)
{
    const struct user *user = &machine->user;

    if (user_has_others(machine))
        for (unsigned i = 0; i < user->thread_count; i++)
            user_release_locks(machine, user->threads[i]);
}
