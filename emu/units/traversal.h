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

/* A part of a walk that is known in advance: lines along dimension 0, and turns, at which dimension
 * 0 wraps and dimension 1 steps. A step inside a line only adds `step` to `address` and decrements
 * `left`. Offsets and counters are updated when anything else uses the row. (The fields that a step
 * changes are not neighbors, because compilers would update them as one vector, which is slower.)
 */
struct traversal_streak {
    uint64_t left;    /* steps left in the current line */
    uint64_t length;  /* elements of the current line that belong to the streak; 0: no streak */
    uint64_t address; /* of the current element */
    uint64_t step;    /* bytes; 0 when dimension 0 repeats */
    uint64_t turns;   /* turns left */
    uint64_t turned;  /* turns taken */
    uint64_t line;    /* elements of a whole line */
    uint64_t next;    /* address of the first element of the next line */
    uint64_t stride;  /* bytes from one such element to the next; 0 when dimension 1 repeats */
    uint64_t before;  /* elements of the lines before the current one */
};

enum { TRAVERSAL_STREAKS = 64 /* the first rows of a unit have one each */ };

struct traversal_unit {
    struct traversal_streak streaks[TRAVERSAL_STREAKS];
    struct traversal_state state;
    struct traversal_row *staged; /* tnest builds its rows here before it commits them */
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

/* Finds the address of the current element of the walk that starts at `row`. No state changes, and
 * traversal_advance will succeed. A walk past its end is a tensor configuration fault (value: the
 * row). */
static inline bool traversal_peek(struct traversal_unit *unit, uint64_t row, uint64_t *address,
                                  struct fault *fault)
{
    if (__builtin_expect(row < TRAVERSAL_STREAKS && unit->streaks[row].length, 1)) {
        *address = unit->streaks[row].address;
        return true;
    }
    return traversal_peek_closer(unit, row, address, fault);
}

/* Takes one of the steps that are left in the line. */
static inline void traversal_take_step(struct traversal_streak *streak)
{
    streak->left--;
    streak->address += streak->step;
}

/* Takes a turn, after the last step of a line. */
static inline void traversal_take_turn(struct traversal_streak *streak)
{
    streak->before += streak->length;
    streak->length = streak->line;
    streak->left = streak->line - 1;
    streak->address = streak->next;
    streak->next += streak->stride;
    streak->turned++;
    streak->turns--;
}

/* Iterates the current row of a walk that traversal_peek has just accepted. */
static inline void traversal_advance(struct traversal_unit *unit, struct port *port, uint64_t row)
{
    if (__builtin_expect(row < TRAVERSAL_STREAKS && unit->streaks[row].left && !port->recorder,
                         1)) {
        traversal_take_step(&unit->streaks[row]);
        return;
    }
    traversal_advance_closer(unit, port, row);
}

#endif
