/* The chains of calls of a profile (profile.h) on stacks that no thread uses now. A thread leaves
 * its stack when it jumps elsewhere by a register and has changed sp: coroutines, and the
 * goroutines of Go, which continue on any thread. Control comes back to a stack where a call on it
 * returns to, with the sp of that call. */
#ifndef EMU_PROFILE_STACKS_H
#define EMU_PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PROFILE_DEPTH = 4096,  /* calls that are followed; deeper ones are jumps */
    PROFILE_STACKS = 1024, /* that are kept; then the one that was left first is forgotten */
    PROFILE_ENTRIES = 16,  /* calls of each, the innermost ones, that control may return to */
};

struct profile_frame {
    uint64_t function;
    uint64_t site;  /* the call */
    uint64_t back;  /* where control returns to */
    uint64_t stack; /* sp at the call */
    uint32_t node;
    uint32_t
        handler; /* the frame of the innermost handler among this one and those outside; 0: none */
    uint64_t *caller; /* the counters of the frame outside (tally.h); NULL: none are known */
};

/* The chain of calls of a thread. */
struct profile_thread {
    struct profile_frame *frames; /* outermost first */
    size_t depth, capacity;
    uint64_t expected; /* where control goes without an interrupt */
    struct profile_thread *next;
    uint64_t id;
};

struct profile_stack {
    uint64_t entries[PROFILE_ENTRIES]; /* keys of calls; 0: none */
    struct profile_frame *frames;
    size_t depth, capacity;
    uint64_t left; /* profile_stacks.clock, when it was left */
};

struct profile_stacks {
    struct profile_stack *stacks; /* PROFILE_STACKS; NULL: none yet */
    size_t count;
    uint64_t clock;
};

/* Returns the memory that was allocated. Ends temu if there was none. */
void *profile_need(void *memory);
/* Returns the innermost frame whose call returns to the target with this sp; 0: there is none. */
size_t profile_find_frame(const struct profile_thread *thread, uint64_t target, uint64_t sp);
/* Follows a jump to the target, which is in the function, with another sp than at the call of the
 * innermost function. Returns true if it is on another stack, or on the same one elsewhere: the
 * chain of calls of the thread is that of the target then, and empty on a new stack. */
bool profile_change_stack(struct profile_stacks *stacks, struct profile_thread *thread,
                          uint64_t function, uint64_t target, uint64_t sp);
/* Forgets the counters of native code (tally.h) in the frames of all threads and stacks. */
void profile_drop_callers(const struct profile_stacks *stacks,
                          const struct profile_thread *threads);

#endif
