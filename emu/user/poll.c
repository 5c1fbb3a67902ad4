/* The user environment's ppoll and pselect6: which descriptors can be read or written.
 *
 * Only pipes, eventfds, files of timers, and epolls make a call wait. Everything else counts as
 * ready: a read of standard input waits when it is made. Only another thread, a signal or the
 * timeout ends a wait. If none can come, the wait is a deadlock, which is reported as one
 * (user_wait). */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>

/* poll's events, in Linux's generic ABI. */
enum {
    READABLE = 0x41,  /* POLLIN, POLLRDNORM */
    WRITABLE = 0x104, /* POLLOUT, POLLWRNORM */
    ERROR = 0x8,
    HANG_UP = 0x10,
    INVALID = 0x20,
};

unsigned user_ready_events(const struct machine *machine, const struct user_file *file)
{
    if (file->flags & GUEST_O_PATH)
        return INVALID;
    return file->pipe     ? user_pipe_events(file)
           : file->events ? file->events(machine, file)
                          : READABLE | WRITABLE;
}

/* Returns when the next timer of a file expires. */
static uint64_t next_alarm(const struct machine *machine)
{
    uint64_t least = USER_FOREVER;

    if (!machine->user.has_alarms)
        return least;
    for (unsigned fd = 0; fd < USER_FILES; fd++) {
        const struct user_file *file = machine->user.files[fd];
        uint64_t alarm = file && file->alarm ? file->alarm(machine, file) : USER_FOREVER;
        if (alarm < least)
            least = alarm;
    }
    return least;
}

int64_t user_wait_ready(struct machine *machine, uint64_t deadline, uint64_t mask, uint64_t size,
                        int64_t (*look)(struct machine *machine, void *context), void *context)
{
    int64_t result = mask ? user_signal_mask_while(machine, mask, size) : 0;

    if (result < 0)
        return result;
    int64_t ready = look(machine, context);
    while (ready == 0) {
        ready = user_wait_or_alarm(machine, WAIT_FILES, deadline, next_alarm(machine));
        if (ready == USER_WAITS)
            return ready;
        int64_t then = look(machine, context);
        if (then && ready == 0)
            ready = then;
        if (ready == 0 && (user_is_past(machine, deadline) || machine_expired(machine)))
            break;
    }
    if (ready != -EINTR)
        user_signal_unmask(machine);
    return ready;
}

/* The same with a timeout at an address (0: none), which gets the time that is left. */
static int64_t wait_until(struct machine *machine, uint64_t timeout, uint64_t mask, uint64_t size,
                          int64_t (*look)(struct machine *machine, void *context), void *context)
{
    uint64_t time, deadline = USER_FOREVER;

    if (timeout) {
        int64_t result = user_read_time(machine, timeout, &time);
        if (result < 0)
            return result;
        deadline = user_deadline(machine, user_time(machine) + time);
    }
    int64_t ready = user_wait_ready(machine, deadline, mask, size, look, context);
    if (timeout && ready != USER_WAITS)
        user_put_time_left(machine, timeout, deadline);
    return ready;
}

/* ---- ppoll ---- */

struct polled {
    uint64_t address, count;
};

static int64_t look_at_polled(struct machine *machine, void *context)
{
    const struct polled *polled = context;

    struct {
        int32_t fd;
        uint16_t events, found;
    } entry;
    int64_t ready = 0;

    for (uint64_t i = 0; i < polled->count; i++) {
        uint64_t address = polled->address + i * sizeof entry;
        if (!user_copy_in(machine, &entry, address, sizeof entry))
            return -EFAULT;
        const struct user_file *file = entry.fd < 0 ? NULL : user_file(machine, entry.fd);
        entry.found =
            entry.fd < 0 ? 0
            : file ? user_ready_events(machine, file) & (entry.events | ERROR | HANG_UP | INVALID)
                   : INVALID;
        ready += entry.found != 0;
        if (!user_copy_out(machine, address, &entry, sizeof entry))
            return -EFAULT;
    }
    return ready;
}

int64_t user_ppoll(struct machine *machine, const uint64_t *arguments)
{
    struct polled polled = {arguments[0], arguments[1]};

    if (polled.count > USER_FILES)
        return -EINVAL;
    return wait_until(machine, arguments[2], arguments[3], arguments[4], look_at_polled, &polled);
}

/* ---- pselect6 ---- */

enum {
    SETS = 3, /* to read, to write, exceptions */
    WORDS = USER_FILES / 64,
};

struct selected {
    uint64_t count;
    uint64_t addresses[SETS]; /* 0: none */
    uint64_t wanted[SETS][WORDS], found[SETS][WORDS];
};

static int64_t look_at_selected(struct machine *machine, void *context)
{
    unsigned read = READABLE | HANG_UP | ERROR | INVALID, write = WRITABLE | ERROR | INVALID;
    struct selected *selected = context;
    int64_t ready = 0;

    for (unsigned fd = 0; fd < selected->count; fd++) {
        const struct user_file *file = user_file(machine, fd);
        unsigned word = fd / 64;
        uint64_t bit = UINT64_C(1) << fd % 64;
        unsigned events = file ? user_ready_events(machine, file) : 0;
        if (!file &&
            (selected->wanted[0][word] | selected->wanted[1][word] | selected->wanted[2][word]) &
                bit)
            return -EBADF;
        selected->found[0][word] |= events & read ? selected->wanted[0][word] & bit : 0;
        selected->found[1][word] |= events & write ? selected->wanted[1][word] & bit : 0;
    }
    for (unsigned i = 0; i < SETS; i++)
        for (unsigned word = 0; word < WORDS; word++)
            ready += __builtin_popcountll(selected->found[i][word]);
    return ready;
}

/* Copies the sets from or to the guest, in whole words, as Linux does. */
static bool copy_sets(struct machine *machine, struct selected *selected, bool out)
{
    uint64_t bytes = (selected->count + 63) / 64 * sizeof(uint64_t);

    for (unsigned i = 0; i < SETS; i++) {
        uint64_t address = selected->addresses[i];
        if (address && !(out ? user_copy_out(machine, address, selected->found[i], bytes)
                             : user_copy_in(machine, selected->wanted[i], address, bytes)))
            return false;
    }
    return true;
}

int64_t user_pselect6(struct machine *machine, const uint64_t *arguments)
{
    int32_t count = arguments[0];
    struct selected selected = {
        .count = count < USER_FILES ? (uint64_t)count : USER_FILES,
        .addresses = {arguments[1], arguments[2], arguments[3]},
    };
    uint64_t mask[2] = {0};

    if (count < 0)
        return -EINVAL;
    if (arguments[5] && !user_copy_in(machine, mask, arguments[5], sizeof mask))
        return -EFAULT;
    if (!copy_sets(machine, &selected, false))
        return -EFAULT;
    int64_t result =
        wait_until(machine, arguments[4], mask[0], mask[1], look_at_selected, &selected);
    if (result >= 0 && !copy_sets(machine, &selected, true))
        return -EFAULT;
    return result;
}
