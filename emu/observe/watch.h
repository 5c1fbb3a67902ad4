/* Breakpoints and watchpoints, at which the executors return to the debugger.
 *
 * A machine whose watcher has points runs in the observed executor. It checks breakpoints before
 * each instruction and compares the recorded effects with the watchpoints after it. While there are
 * breakpoints only, native code runs, too: no instruction that has one is in it. Nothing is
 * written into guest memory: a software breakpoint is the same as a hardware one. */
#ifndef EMU_OBSERVE_WATCH_H
#define EMU_OBSERVE_WATCH_H

#include "lib/trace/recorder.h"
#include <stdbool.h>

struct user_thread;

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
    size_t watchpoints;   /* how many of the points are watchpoints */
    uint64_t filter;      /* bit (address / 2) % 64 is set for each breakpoint */
    uint64_t breakpoints; /* a digest of their addresses; 0: there are none */
    bool pass;            /* single step: breakpoints are ignored */
    bool met;             /* a watchpoint was hit: */
    enum watch_kind kind; /* of which kind */
    uint64_t address;     /* the first byte of its range that was accessed */
    uint64_t pc;          /* of the instruction that accessed it */

    uint64_t ignored; /* signals of the program that do not stop it: bit N - 1 is signal N */
    unsigned signal; /* the signal that the program is about to get, at which it stopped; 0: none */
    unsigned passed; /* the signal that the debugger lets through; 0: none */

    const struct user_thread *awaited; /* the run stops when its turn comes; NULL: none */
    bool awaits_worker;                /* the same, of the thread of a barrel */
    unsigned awaited_worker;           /* with this number (workers.h) */

    bool (*interrupted)(void *context); /* does the debugger want control? Never blocks */
    void *context;
};

/* Adds the point, unless it is already there. Returns false when there is no room. */
bool watcher_add(struct watcher *watcher, const struct watch_point *point);
/* Removes the point, if it is there. */
void watcher_remove(struct watcher *watcher, const struct watch_point *point);
/* Returns the breakpoint at `pc`, or NULL. */
const struct watch_point *watcher_find(const struct watcher *watcher, uint64_t pc);
/* Compares the effects of the instruction at `pc` with the watchpoints. */
void watcher_look(struct watcher *watcher, uint64_t pc, const struct recorder *recorder);

/* Is there a breakpoint at `pc`? */
static inline bool watcher_has_breakpoint(const struct watcher *watcher, uint64_t pc)
{
    return watcher->filter >> (pc / 2 % 64) & 1 && watcher_find(watcher, pc) != NULL;
}

/* Must the machine stop before the instruction at `pc`? */
static inline bool watcher_holds(const struct watcher *watcher, uint64_t pc)
{
    return watcher->met || (!watcher->pass && watcher_has_breakpoint(watcher, pc));
}

static inline bool watcher_interrupted(const struct watcher *watcher)
{
    return watcher->interrupted(watcher->context);
}

#endif
