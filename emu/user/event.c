/* The user environment's eventfds, files of timers and of signals, and epolls.
 *
 * An epoll has a list of files. It finds those that are ready by looking at each of them, so
 * nothing has to be told of a change. An entry with EPOLLET is reported again only after a change
 * that can make its file ready: `seen` counts these. Regular files cannot be added, as in Linux.
 * An entry stays until its file is closed, by whatever descriptors and processes that is open. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>

/* Values of Linux's generic ABI. */
enum {
    EFD_SEMAPHORE = 1,
    EPOLL_CTL_ADD = 1,
    EPOLL_CTL_DEL = 2,
    EPOLL_CTL_MOD = 3,
    EPOLL_ALWAYS = POLLERR | POLLHUP, /* events that are reported unasked */
    EPOLL_EVENTS = 0xffff,
    EPOLLEXCLUSIVE = 1 << 28,
    EPOLLWAKEUP = 1 << 29,
    EPOLLONESHOT = 1 << 30,
};
#define EPOLLET UINT32_C(0x80000000)

/* struct epoll_event, which is not packed on RISC-V. */
struct guest_event {
    uint32_t events, pad;
    uint64_t data;
};

struct entry {
    unsigned fd;
    struct user_file *file;
    struct guest_event wanted;
    uint64_t seen; /* the changes of the file when it was reported last; UINT64_MAX: never */
};

struct user_event {
    enum event_kind { EVENT, TIMER, SIGNALS, EPOLL } kind;
    uint64_t signals; /* that a signalfd takes */
    bool is_of_date;  /* a timerfd whose clock shows dates */
    bool is_semaphore;
    uint64_t value;             /* of an eventfd */
    uint64_t reads;             /* of an eventfd */
    uint64_t writes;            /* to it; of a timerfd: how often it expired, up to the last read */
    uint64_t expires, interval; /* of a timerfd, by its clock: 0: not set; 0: it expires once */
    struct entry *entries;      /* of an epoll, in the order in which they were added */
    unsigned count;
    unsigned next;            /* the entry that is looked at first, so that each has its turn */
    struct user_event *other; /* the next epoll of the program */
    uint64_t search;          /* the last one that came to the epoll */
};

/* An epoll is closed. */
static void forget_epoll(struct user_processes *processes, const struct user_event *epoll)
{
    struct user_event **link = &processes->epolls;

    while (*link != epoll)
        link = &(*link)->other;
    *link = epoll->other;
}

static void release(struct user *user, struct user_file *file)
{
    if (file->event->kind == EPOLL)
        forget_epoll(user->processes, file->event);
    free(file->event->entries);
    free(file->event);
    file->event = NULL;
}

static unsigned events_now(const struct machine *machine, const struct user_file *file);

const char *user_event_kind(const struct user_file *file)
{
    static const char *const names[] = {
        [EVENT] = "eventfd", [TIMER] = "timerfd", [SIGNALS] = "signalfd", [EPOLL] = "eventpoll"};

    return names[file->event->kind];
}

static int64_t open_event(struct machine *machine, const struct user_event *with, uint64_t flags)
{
    struct user_event *event = malloc(sizeof *event);

    if (!event)
        return -ENOMEM;
    int64_t fd = user_open_slot(&machine->user, flags);
    if (fd < 0) {
        free(event);
        return fd;
    }
    *event = *with;
    struct user_file *file = machine->user.files[fd];
    file->flags = (flags & GUEST_O_NONBLOCK) | GUEST_O_RDWR;
    file->event = event;
    file->events = events_now;
    file->release = release;
    return fd;
}

/* Waits for a change of the file, or for the time at which it changes by itself. */
static int64_t wait_for_change(struct machine *machine, const struct user_file *file,
                               uint64_t alarm)
{
    if (file->flags & GUEST_O_NONBLOCK)
        return -EAGAIN;
    int64_t result = user_wait_or_alarm(machine, WAIT_FILES, USER_FOREVER, alarm);
    return result == -EINTR ? USER_RESTART : result;
}

/* ---- timerfd ---- */

/* Returns the time of the timer's clock. */
static uint64_t timer_clock(const struct machine *machine, const struct user_event *timer)
{
    return timer->is_of_date ? user_date(machine) : user_time(machine);
}

/* Returns how often the timer has expired since it was read. */
static uint64_t count_expired(const struct machine *machine, const struct user_event *timer)
{
    uint64_t now = timer_clock(machine, timer);

    if (!timer->expires || timer->expires > now)
        return 0;
    return timer->interval ? 1 + (now - timer->expires) / timer->interval : 1;
}

/* Returns when the timer expires next, by the program's time. */
static uint64_t next_expiry(const struct machine *machine, const struct user_file *file)
{
    const struct user_event *timer = file->event;
    uint64_t count = count_expired(machine, timer);

    if (!timer->expires || (count && !timer->interval))
        return USER_FOREVER;
    uint64_t next = timer->expires + count * timer->interval;
    return timer->is_of_date ? user_time_at(next) : next;
}

int64_t user_timerfd_create(struct machine *machine, const uint64_t *arguments)
{
    enum { REALTIME = 0, MONOTONIC = 1, BOOT = 7 };
    uint32_t clock = (uint32_t)arguments[0];
    const struct user_event event = {.kind = TIMER, .is_of_date = user_clock_is_date(clock)};

    if ((clock != REALTIME && clock != MONOTONIC && clock != BOOT) ||
        arguments[1] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
        return -EINVAL;
    int64_t fd = open_event(machine, &event, arguments[1]);
    if (fd < 0)
        return fd;
    machine->user.files[fd]->alarm = next_expiry;
    machine->user.has_alarms = true;
    return fd;
}

static int64_t find_timer(struct machine *machine, uint64_t fd, struct user_event **timer)
{
    const struct user_file *file = user_file(machine, fd);

    if (!file)
        return -EBADF;
    *timer = file->event;
    return *timer && (*timer)->kind == TIMER ? 0 : -EINVAL;
}

static int64_t put_timer(struct machine *machine, const struct user_event *timer, uint64_t address)
{
    const struct user_file file = {.event = (struct user_event *)timer};
    uint64_t next = next_expiry(machine, &file);

    return user_put_timer(machine, address, timer->interval,
                          next == USER_FOREVER ? 0 : next - user_time(machine));
}

int64_t user_timerfd_gettime(struct machine *machine, const uint64_t *arguments)
{
    struct user_event *timer;
    int64_t result = find_timer(machine, arguments[0], &timer);

    return result < 0 ? result : put_timer(machine, timer, arguments[1]);
}

int64_t user_timerfd_settime(struct machine *machine, const uint64_t *arguments)
{
    enum { ABSOLUTE = 1, CANCEL_ON_SET = 2 /* the clock is never set */ };
    uint64_t interval, value;
    struct user_event *timer;
    int64_t result = user_read_timer(machine, arguments[2], &interval, &value);

    if (result < 0)
        return result;
    if (arguments[1] & ~(uint64_t)(ABSOLUTE | CANCEL_ON_SET))
        return -EINVAL;
    result = find_timer(machine, arguments[0], &timer);
    if (result == 0 && arguments[3])
        result = put_timer(machine, timer, arguments[3]);
    if (result < 0)
        return result;
    timer->expires = !value                    ? 0
                     : arguments[1] & ABSOLUTE ? value
                                               : timer_clock(machine, timer) + value;
    timer->interval = interval;
    user_wake_on_files(&machine->user);
    return 0;
}

/* A read gives the number of times that the timer has expired, and waits for the first one. */
static int64_t read_timer(struct machine *machine, struct user_file *file, void *to)
{
    struct user_event *timer = file->event;
    uint64_t count;

    while (!(count = count_expired(machine, timer))) {
        int64_t result = wait_for_change(machine, file, next_expiry(machine, file));
        if (result < 0)
            return result;
    }
    timer->expires = timer->interval ? timer->expires + count * timer->interval : 0;
    timer->writes += count;
    memcpy(to, &count, sizeof count);
    return sizeof count;
}

/* ---- signalfd ---- */

/* struct signalfd_siginfo */
struct signal_record {
    uint32_t signal;
    int32_t error, code;
    uint32_t pid, uid;
    int32_t fd;
    uint32_t timer, band, overrun, trap;
    int32_t status, value;
    uint64_t pointer, times[2], address;
    uint64_t rest[6];
};
_Static_assert(sizeof(struct signal_record) == 128, "struct signalfd_siginfo");

/* Returns when the next timer sends a signal that the file takes. One that is not blocked does not
 * become pending. */
static uint64_t next_signal(const struct machine *machine, const struct user_file *file)
{
    return user_next_timer(machine, file->event->signals & machine->user.thread->blocked);
}

int64_t user_signalfd4(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    struct user_event event = {.kind = SIGNALS};
    int64_t fd = (int32_t)arguments[0];

    if (arguments[3] & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK) ||
        arguments[2] != sizeof event.signals)
        return -EINVAL;
    if (!user_copy_in(machine, &event.signals, arguments[1], sizeof event.signals))
        return -EFAULT;
    event.signals &= ~user_unstoppable();
    if (fd == -1)
        fd = open_event(machine, &event, arguments[3]);
    else if (!user_file(machine, fd))
        return -EBADF;
    else if (!user->files[fd]->event || user->files[fd]->event->kind != SIGNALS)
        return -EINVAL;
    if (fd < 0)
        return fd;
    user->files[fd]->event->signals = event.signals;
    user->files[fd]->alarm = next_signal;
    user->has_alarms = true;
    user->signals.watched |= event.signals;
    user_wake_on_files(user);
    return fd;
}

static struct signal_record record_of(const struct guest_siginfo *info)
{
    bool is_of_timer = info->code == USER_SIGNAL_BY_TIMER;
    struct signal_record record = {
        .signal = (uint32_t)info->signal, .error = info->error, .code = info->code};

    if (is_of_timer) {
        record.timer = (uint32_t)info->pid;
        record.overrun = info->uid;
    } else {
        record.pid = (uint32_t)info->pid;
        record.uid = info->uid;
    }
    if (info->signal == SIGCHLD && info->code > 0) {
        record.status = (int32_t)info->value;
    } else {
        record.value = (int32_t)info->value;
        record.pointer = info->value;
    }
    return record;
}

/* A read takes as many pending signals as there is room for, and waits for the first one. */
static int64_t read_signals(struct machine *machine, struct user_file *file, unsigned char *to,
                            uint64_t length)
{
    uint64_t room = length / sizeof(struct signal_record), count = 0, found;

    while (!(user_signal_pending(machine) & file->event->signals)) {
        int64_t result = wait_for_change(machine, file, next_signal(machine, file));
        if (result < 0)
            return result;
    }
    for (; count < room && (found = user_signal_pending(machine) & file->event->signals); count++) {
        const struct guest_siginfo info =
            user_signal_take(machine, (unsigned)__builtin_ctzll(found) + 1);
        const struct signal_record record = record_of(&info);
        memcpy(to + count * sizeof record, &record, sizeof record);
    }
    return (int64_t)(count * sizeof(struct signal_record));
}

/* ---- eventfd ---- */

#define EVENT_MAXIMUM (UINT64_MAX - 1)

int64_t user_eventfd2(struct machine *machine, const uint64_t *arguments)
{
    uint32_t flags = (uint32_t)arguments[1];
    const struct user_event event = {
        .value = (uint32_t)arguments[0],
        .is_semaphore = flags & EFD_SEMAPHORE,
    };

    if (flags & ~(uint32_t)(EFD_SEMAPHORE | GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
        return -EINVAL;
    return open_event(machine, &event, flags & ~(uint32_t)EFD_SEMAPHORE);
}

int64_t user_event_read(struct machine *machine, struct user_file *file, void *to, uint64_t length)
{
    struct user_event *event = file->event;
    uint64_t value = event->is_semaphore ? 1 : event->value;

    if (event->kind == EPOLL ||
        length < (event->kind == SIGNALS ? sizeof(struct signal_record) : sizeof value))
        return -EINVAL;
    if (event->kind == SIGNALS)
        return read_signals(machine, file, to, length);
    if (event->kind == TIMER)
        return read_timer(machine, file, to);
    if (event->value == 0)
        return wait_for_change(machine, file, USER_FOREVER);
    event->value -= value;
    event->reads++;
    memcpy(to, &value, sizeof value);
    user_wake_on_files(&machine->user);
    return sizeof value;
}

int64_t user_event_write(struct machine *machine, struct user_file *file, const void *from,
                         uint64_t length)
{
    struct user_event *event = file->event;
    uint64_t value;

    if (event->kind != EVENT || length < sizeof value)
        return -EINVAL;
    memcpy(&value, from, sizeof value);
    if (value > EVENT_MAXIMUM)
        return -EINVAL;
    if (value > EVENT_MAXIMUM - event->value)
        return wait_for_change(machine, file, USER_FOREVER);
    event->value += value;
    event->writes++;
    user_wake_on_files(&machine->user);
    return sizeof value;
}

/* ---- epoll ---- */

/* Returns when the next one of its files changes by itself. */
static uint64_t next_of_entries(const struct machine *machine, const struct user_file *file)
{
    const struct user_event *epoll = file->event;
    uint64_t least = USER_FOREVER;

    for (unsigned place = 0; place < epoll->count; place++) {
        const struct user_file *member = epoll->entries[place].file;
        uint64_t next = member->alarm ? member->alarm(machine, member) : USER_FOREVER;
        if (next < least)
            least = next;
    }
    return least;
}

int64_t user_epoll_create1(struct machine *machine, const uint64_t *arguments)
{
    const struct user_event event = {.kind = EPOLL};

    if (arguments[0] & ~(uint64_t)GUEST_O_CLOEXEC)
        return -EINVAL;
    int64_t fd = open_event(machine, &event, arguments[0]);
    if (fd < 0)
        return fd;
    struct user_file *file = machine->user.files[fd];
    struct user_processes *processes = machine->user.processes;
    file->alarm = next_of_entries;
    file->event->other = processes->epolls;
    processes->epolls = file->event;
    return fd;
}

/* Counts the changes of the file of an entry that can make it ready. */
static uint64_t changes(const struct machine *machine, const struct entry *entry)
{
    const struct user_file *file = entry->file;
    const struct user_event *event = file->event;

    if (event && event->kind == TIMER)
        return event->writes + (count_expired(machine, event) > 0);
    if (event && event->kind == SIGNALS)
        return machine->user.signals.watched_count;
    if (event)
        return event->writes + (entry->wanted.events & POLLOUT ? event->reads : 0);
    return file->pipe ? user_pipe_changes(file) : file->socket ? user_socket_changes(file) : 0;
}

/* Returns the place of the descriptor among the entries, or their number. */
static unsigned find_entry(const struct user_event *epoll, unsigned fd,
                           const struct user_file *file)
{
    unsigned place = 0;

    while (place < epoll->count &&
           (epoll->entries[place].fd != fd || epoll->entries[place].file != file))
        place++;
    return place;
}

static void remove_entry(struct user_event *epoll, unsigned place)
{
    memmove(&epoll->entries[place], &epoll->entries[place + 1],
            (--epoll->count - place) * sizeof *epoll->entries);
}

/* The file is closed: no epoll has it any more. */
static void forget_file(struct user_processes *processes, const struct user_file *file)
{
    for (struct user_event *epoll = processes->epolls; epoll; epoll = epoll->other)
        for (unsigned place = epoll->count; place-- > 0;)
            if (epoll->entries[place].file == file)
                remove_entry(epoll, place);
}

static int64_t add_entry(struct user_event *epoll, const struct entry *entry)
{
    struct entry *entries = realloc(epoll->entries, (epoll->count + 1) * sizeof *entries);

    if (!entries)
        return -ENOMEM;
    entries[epoll->count++] = *entry;
    epoll->entries = entries;
    return 0;
}

/* Can poll wait for the file? Not for a regular file, a directory or a device of memory. */
static bool is_pollable(const struct user_file *file)
{
    return file->pipe || file->socket || file->event || file->is_stream;
}

enum { NESTING_LIMIT = 5 /* of epolls in epolls, as in Linux */ };

/* Would the epoll be in itself if the other one were added, or too many in each other? Each one is
 * searched once. */
static bool would_loop(const struct user_event *epoll, struct user_event *added, unsigned depth,
                       uint64_t search)
{
    if (added == epoll || depth == NESTING_LIMIT)
        return true;
    if (added->search == search)
        return false;
    added->search = search;
    for (unsigned place = 0; place < added->count; place++) {
        struct user_event *inner = added->entries[place].file->event;
        if (inner && inner->kind == EPOLL && would_loop(epoll, inner, depth + 1, search))
            return true;
    }
    return false;
}

/* An exclusive entry wakes only one of the epolls that wait for its file, which is no difference
 * here. As in Linux it stays as it was added. */
static bool can_be_exclusive(uint32_t operation, const struct entry *entry)
{
    const uint32_t allowed =
        POLLIN | POLLOUT | EPOLL_ALWAYS | EPOLLEXCLUSIVE | EPOLLWAKEUP | EPOLLET;
    bool is_epoll = entry->file->event && entry->file->event->kind == EPOLL;

    return operation == EPOLL_CTL_ADD && !(entry->wanted.events & ~allowed) && !is_epoll;
}

int64_t user_epoll_ctl(struct machine *machine, const uint64_t *arguments)
{
    uint32_t operation = (uint32_t)arguments[1];
    const struct user_file *file = user_file(machine, arguments[0]);
    struct entry entry = {.fd = (uint32_t)arguments[2],
                          .file = user_usable_file(machine, arguments[2]),
                          .seen = UINT64_MAX};

    if (operation != EPOLL_CTL_DEL &&
        !user_copy_in(machine, &entry.wanted, arguments[3], sizeof entry.wanted))
        return -EFAULT;
    if (!file || !entry.file)
        return -EBADF;
    if (!is_pollable(entry.file))
        return -EPERM;
    if (file == entry.file || !file->event || file->event->kind != EPOLL)
        return -EINVAL;
    if (operation != EPOLL_CTL_DEL && entry.wanted.events & EPOLLEXCLUSIVE &&
        !can_be_exclusive(operation, &entry))
        return -EINVAL;
    entry.wanted.events |= EPOLL_ALWAYS;
    struct user_event *epoll = file->event;
    unsigned place = find_entry(epoll, entry.fd, entry.file);
    bool exists = place < epoll->count;
    switch (operation) {
    case EPOLL_CTL_ADD:
        if (entry.file->event && entry.file->event->kind == EPOLL &&
            would_loop(epoll, entry.file->event, 1, ++machine->user.processes->searches))
            return -ELOOP;
        if (exists)
            return -EEXIST;
        entry.file->forget = forget_file;
        user_wake_on_files(&machine->user);
        return add_entry(epoll, &entry);
    case EPOLL_CTL_MOD:
        if (!exists)
            return -ENOENT;
        if (epoll->entries[place].wanted.events & EPOLLEXCLUSIVE)
            return -EINVAL;
        epoll->entries[place] = entry;
        user_wake_on_files(&machine->user);
        return 0;
    case EPOLL_CTL_DEL:
        if (!exists)
            return -ENOENT;
        remove_entry(epoll, place);
        return 0;
    default:
        return -EINVAL;
    }
}

static unsigned events_of(const struct machine *machine, const struct user_file *file,
                          unsigned depth);

/* Returns the events of the entry that are to be reported now. */
static unsigned entry_events(const struct machine *machine, const struct entry *entry,
                             unsigned depth)
{
    uint32_t wanted = entry->wanted.events;

    if (!(wanted & EPOLL_EVENTS) || (wanted & EPOLLET && entry->seen == changes(machine, entry)))
        return 0;
    return events_of(machine, entry->file, depth) & wanted & EPOLL_EVENTS;
}

static unsigned events_of(const struct machine *machine, const struct user_file *file,
                          unsigned depth)
{
    const struct user_event *event = file->event;

    if (!event)
        return user_ready_events(machine, file);
    if (event->kind == TIMER)
        return count_expired(machine, event) ? POLLIN | POLLRDNORM : 0;
    if (event->kind == SIGNALS)
        return user_signal_pending(machine) & event->signals ? POLLIN : 0;
    if (event->kind != EPOLL)
        return (event->value ? POLLIN | POLLRDNORM : 0) |
               (event->value < EVENT_MAXIMUM ? POLLOUT | POLLWRNORM : 0);
    for (unsigned place = 0; place < event->count && depth < NESTING_LIMIT; place++)
        if (entry_events(machine, &event->entries[place], depth + 1))
            return POLLIN | POLLRDNORM;
    return 0;
}

static unsigned events_now(const struct machine *machine, const struct user_file *file)
{
    return events_of(machine, file, 0);
}

struct collected {
    struct user_event *epoll;
    uint64_t address;
    unsigned limit;
};

/* Writes the events that are to be reported. Returns their number. */
static int64_t collect(struct machine *machine, void *context)
{
    const struct collected *collected = context;
    struct user_event *epoll = collected->epoll;
    unsigned found = 0;

    for (unsigned i = 0, first = epoll->next; i < epoll->count && found < collected->limit; i++) {
        unsigned place = (first + i) % epoll->count;
        struct entry *entry = &epoll->entries[place];
        struct guest_event event = {entry_events(machine, entry, 0), 0, entry->wanted.data};
        if (!event.events)
            continue;
        if (!user_copy_out(machine, collected->address + found * sizeof event, &event,
                           sizeof event))
            return found ? (int64_t)found : -EFAULT;
        found++;
        entry->seen = changes(machine, entry);
        if (entry->wanted.events & EPOLLONESHOT)
            entry->wanted.events &= ~(uint32_t)EPOLL_EVENTS;
        epoll->next = place + 1;
    }
    return found;
}

static int64_t wait_epoll(struct machine *machine, const uint64_t *arguments, uint64_t deadline)
{
    const struct user_file *file = user_file(machine, arguments[0]);
    int32_t limit = (int32_t)arguments[2];

    if (limit <= 0 || (size_t)limit > INT_MAX / sizeof(struct guest_event))
        return -EINVAL;
    if (!file)
        return -EBADF;
    if (!file->event || file->event->kind != EPOLL)
        return -EINVAL;
    struct collected collected = {file->event, arguments[1], (unsigned)limit};
    return user_wait_ready(machine, user_deadline(machine, deadline), arguments[4], arguments[5],
                           collect, &collected);
}

int64_t user_epoll_pwait(struct machine *machine, const uint64_t *arguments)
{
    enum { MILLISECOND = 1000000 /* nanoseconds */ };
    int32_t timeout = (int32_t)arguments[3];

    return wait_epoll(machine, arguments,
                      timeout < 0 ? USER_FOREVER
                                  : user_time(machine) + (uint64_t)timeout * MILLISECOND);
}

/* The same with a struct timespec; 0: no timeout. */
int64_t user_epoll_pwait2(struct machine *machine, const uint64_t *arguments)
{
    uint64_t time, deadline = USER_FOREVER;

    if (arguments[3]) {
        int64_t result = user_read_time(machine, arguments[3], &time);
        if (result < 0)
            return result;
        deadline = user_time(machine) + time;
    }
    return wait_epoll(machine, arguments, deadline);
}
