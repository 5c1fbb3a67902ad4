/* The core-local interruptor: software and timer interrupts of one hart, memory-mapped as SiFive's
 * (and Spike's and qemu's): msip at 0, mtimecmp at 0x4000, mtime at 0xbff8 of its window.
 *
 * Time is made of retired instructions, so that a program runs the same on every host, and of what
 * wfi skips. */
#ifndef EMU_BARE_CLINT_H
#define EMU_BARE_CLINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLINT_BASE UINT64_C(0x2000000)
#define CLINT_SIZE UINT64_C(0x10000)

struct clint {
    bool software;        /* msip */
    uint64_t compare;     /* mtimecmp */
    uint64_t offset;      /* mtime at instruction 0 */
    uint64_t tick_length; /* instructions in a tick of mtime */
};

/* mtimecmp starts as far off as can be, mtime at 0. */
void clint_init(struct clint *clint, uint64_t tick_length);

/* All times are after `instret` instructions. */
uint64_t clint_time(const struct clint *clint, uint64_t instret);
/* The bits of mip. */
uint64_t clint_pending(const struct clint *clint, uint64_t instret);
/* How many instructions from now the timer interrupt will be pending; UINT64_MAX: never, as good
 * as. */
uint64_t clint_distance(const struct clint *clint, uint64_t instret);
/* Lets the time pass until it is. */
void clint_skip(struct clint *clint, uint64_t instret);

/* Any byte of the window? */
bool clint_overlaps(uint64_t address, size_t size);
/* Aligned accesses of 4 and 8 bytes, wholly in the window; others are false. Where no register is,
 * there are zeros that cannot be written. */
bool clint_load(const struct clint *clint, uint64_t instret, uint64_t address, void *value,
                size_t size);
bool clint_store(struct clint *clint, uint64_t instret, uint64_t address, const void *value,
                 size_t size);

#endif
