/* Breakpoints and watchpoints: what makes the executors give control back to a debugger.
 *
 * A machine with a watcher that has points runs in the observed executor, which asks before each
 * instruction whether to hold; watchpoints look at the effects that the recorder holds after each.
 * Nothing is written into the guest: a software breakpoint is the same as a hardware one. */
#ifndef EMU_WATCH_H
#define EMU_WATCH_H

#include "emu/recorder.h"
#include <stdbool.h>

enum { WATCH_POINTS_MAXIMUM = 1024 };

/* Numbered as in gdb's Z packets. */
enum watch_kind {
    WATCH_SOFTWARE_BREAK,
    WATCH_HARDWARE_BREAK,
    WATCH_WRITE,
    WATCH_READ,
    WATCH_ACCESS,
    WATCH_KINDS,
};

struct watch_point {
    enum watch_kind kind;
    uint64_t address;
    uint64_t length; /* bytes, of a watchpoint */
};

struct watcher {
    struct watch_point points[WATCH_POINTS_MAXIMUM];
    size_t count;
    size_t watchpoints;   /* of these, those on data */
    uint64_t filter;      /* bit (address / 2) % 64 is set for each breakpoint */
    bool pass;            /* breakpoints do not hold: a single step */
    bool met;             /* a watchpoint was met: */
    enum watch_kind kind; /* of which kind */
    uint64_t address;     /* where: the first byte of it that was touched */
    uint64_t pc;          /* by which instruction */

    bool (*interrupted)(void *context); /* does somebody want the machine to stop? Never waits */
    void *context;
};

/* Nothing changes when the point is there already. False when there is no room. */
bool watcher_add(struct watcher *watcher, const struct watch_point *point);
/* Nothing changes when there is no such point. */
void watcher_remove(struct watcher *watcher, const struct watch_point *point);
/* The breakpoint at `pc`; NULL: none. */
const struct watch_point *watcher_find(const struct watcher *watcher, uint64_t pc);
/* Compares the effects of the instruction at `pc` with the watchpoints. */
void watcher_look(struct watcher *watcher, uint64_t pc, const struct recorder *recorder);

/* Must the machine stop before the instruction at `pc`? */
static inline bool watcher_holds(const struct watcher *watcher, uint64_t pc)
{
    return watcher->met || (!watcher->pass && watcher->filter >> (pc / 2 % 64) & 1 &&
                            watcher_find(watcher, pc) != NULL);
}

static inline bool watcher_interrupted(const struct watcher *watcher)
{
    return watcher->interrupted(watcher->context);
}

#endif
