/* The traversal unit (isa/xtrav.yaml): walks the addresses of N-dimensional arrays with adders
 * only. Changes of the state are recorded through the port. */
#ifndef EMU_UNITS_TRAVERSAL_H
#define EMU_UNITS_TRAVERSAL_H

#include "emu/units/port.h"
#include "fast.h"
#include "lib/arena.h"
#include "units.h"

/* As in the descriptor of tnest. */
enum traversal_kind { TRAVERSAL_TENSOR = 0, TRAVERSAL_PROLOGUE = 1, TRAVERSAL_EPILOGUE = 2 };

enum {
    TRAVERSAL_STREAKS = 64, /* the first rows of a unit have one each, */
    TRAVERSAL_WHEELS = 3,   /* for so many dimensions after the first one */
};

/* A part of a walk that is known in advance: lines along dimension 0, and turns, at which dimension
 * 0 wraps and others step or wrap. Its addresses have 32 bits. A position is the address of the
 * current element, and 2^32 times the elements that are left in the line and belong to the streak.
 * So a step is one addition, which carries unless none is left; a turn may follow then. Offsets and
 * counters are updated when anything else uses the row. */
struct traversal_streak {
    uint64_t position;
    uint64_t steps[4]; /* what a step adds; [i]: 0 if elements of 1 << i bytes are misaligned */
    uint64_t turns;    /* turns left */
    uint64_t start;    /* position of the first element of the line, as if it was whole */
    /* Dimensions that step at turns, from 1 on. */
    struct traversal_wheel {
        uint64_t left;   /* steps until it wraps, */
        uint64_t whole;  /* and after that until it wraps again */
        uint64_t stride; /* bytes between the starts where it steps and those before it wrap */
    } wheels[TRAVERSAL_WHEELS];
    uint64_t first; /* elements of the first line, from the streak's beginning; 0: no streak */
    uint64_t line;  /* elements of the other lines */
    uint64_t lines; /* turns at the beginning */
};

struct traversal_unit {
    struct traversal_streak own_streaks[TRAVERSAL_STREAKS]; /* of the machine's hart */
    struct traversal_state state;
    struct traversal_row *staged; /* tnest builds its rows here before it commits them */
    /* Of the thread whose instruction is executed, as state.row is: */
    struct traversal_streak *streaks; /* own_streaks, except while a context lends its own */
    bool *steps; /* of each row: are the steps of all dimensions in use known not to be 0? */
};

/* Brings the state up to date, for access from outside of the unit. */
void traversal_settle(struct traversal_unit *unit);

/* Initializes the unit. The arena must outlive it. */
void traversal_init(struct traversal_unit *unit, const struct traversal_settings *settings,
                    struct arena *arena);

/* ---- walking ---- */

/* The slow paths of traversal_peek and traversal_advance, without a streak. */
bool traversal_peek_closer(struct traversal_unit *unit, uint64_t row, uint64_t *address,
                           struct fault *fault);
void traversal_advance_closer(struct traversal_unit *unit, struct port *port, uint64_t row);

/* Sets *next to the position after a step. Returns false if no element is left in the line, or if
 * elements of `bytes` bytes are misaligned. */
static inline __attribute__((always_inline)) bool
traversal_step(const struct traversal_streak *streak, unsigned bytes, uint64_t position,
               uint64_t *next)
{
    return __builtin_add_overflow(position, streak->steps[__builtin_ctz(bytes)], next);
}

static inline bool traversal_has_element(uint64_t position)
{
    return position >> 32 != 0;
}

/* Takes a turn, after the last element of a line. Returns the position. */
static inline __attribute__((always_inline)) uint64_t
traversal_turn(struct traversal_streak *streak)
{
    struct traversal_wheel *wheel = streak->wheels;

    for (; wheel->left == 0; wheel++)
        wheel->left = wheel->whole;
    wheel->left--;
    streak->start += wheel->stride;
    streak->turns--;
    /* After the last element another dimension wraps, which does not belong to the streak. */
    return streak->start - ((uint64_t)(streak->turns == 0) << 32);
}

/* Finds the address of the current element of the walk that starts at `row`. No state changes, and
 * traversal_advance will succeed. A walk past its end is a tensor configuration fault (value: the
 * row). */
static inline bool traversal_peek(struct traversal_unit *unit, uint64_t row, uint64_t *address,
                                  struct fault *fault)
{
    if (__builtin_expect(
            row < TRAVERSAL_STREAKS && traversal_has_element(unit->streaks[row].position), 1)) {
        *address = (uint32_t)unit->streaks[row].position;
        return true;
    }
    return traversal_peek_closer(unit, row, address, fault);
}

/* Iterates the current row of a walk that traversal_peek has just accepted. */
static inline void traversal_advance(struct traversal_unit *unit, struct port *port, uint64_t row)
{
    struct traversal_streak *streak = &unit->streaks[row % TRAVERSAL_STREAKS];
    uint64_t next;

    if (__builtin_expect(row < TRAVERSAL_STREAKS && !port->recorder &&
                             traversal_step(streak, 1, streak->position, &next),
                         1)) {
        streak->position = next;
        return;
    }
    traversal_advance_closer(unit, port, row);
}

#endif
