/* The machine that locates the addresses of walks ahead of their use (timing.md, 4). In each cycle
 * it locates one address, for one row that has room, the rows in turn. */
#ifndef LIB_TIMING_WALK_H
#define LIB_TIMING_WALK_H

#include <stdbool.h>
#include <stdint.h>

enum { WALK_AHEAD = 64 };

/* What an instruction does to the walk of its row. */
enum walk_use {
    WALK_NONE,
    WALK_BEGIN, /* the walk begins, and what was located is thrown away */
    WALK_TAKE,  /* takes an address */
    WALK_LOOK,  /* needs an address, which stays */
};

struct walk_settings {
    uint64_t ahead, locate;
    unsigned rows;
};

/* The walk of a row. */
struct walk_row {
    bool is_active;
    uint64_t start;             /* the first cycle in which an address is located */
    uint64_t left;              /* addresses that are not located yet; UINT64_MAX: no limit */
    uint64_t ready[WALK_AHEAD]; /* the cycles in which the located ones are usable: a ring */
    unsigned first, count;
};

struct walks {
    struct walk_settings settings;
    struct walk_row *rows;
    uint64_t next;    /* the next cycle to compute */
    unsigned last;    /* the row that was served last */
    unsigned highest; /* one more than the highest row that was ever active */
};

/* Returns false when there is no memory. */
bool walks_init(struct walks *walks, const struct walk_settings *settings);
void walks_free(struct walks *walks);
/* Begins the walk of the row by an instruction that is executed in `cycle`; its first address is
 * usable `delay` cycles later. There are as many as `addresses`; 0: no limit. */
void walks_begin(struct walks *walks, unsigned row, uint64_t cycle, uint64_t delay,
                 uint64_t addresses);
/* Returns the first cycle from `cycle` on in which the row has an address. */
uint64_t walks_ready(struct walks *walks, unsigned row, uint64_t cycle);
/* Returns whether the row has an address in this cycle. Computes nothing beyond it. */
bool walks_has(struct walks *walks, unsigned row, uint64_t cycle);
/* Takes an address in this cycle. */
void walks_take(struct walks *walks, unsigned row, uint64_t cycle);
/* Returns how many addresses of the row are usable in this cycle, up to which the walks are
 * computed. */
unsigned walks_count(const struct walks *walks, unsigned row, uint64_t cycle);

#endif
