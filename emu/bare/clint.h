/* The core-local interruptor (CLINT): software and timer interrupts of one hart. Its memory-mapped
 * registers are those of SiFive, Spike and qemu: msip at offset 0, mtimecmp at 0x4000, mtime at
 * 0xbff8.
 *
 * mtime counts ticks. A tick is a fixed number of retired instructions, and a wfi skips the ticks
 * until the next interrupt. So a program runs the same on every host. */
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

/* Resets the CLINT: mtimecmp is the largest number, mtime is 0. */
void clint_init(struct clint *clint, uint64_t tick_length);

/* The functions below take the number of retired instructions as `instret`.
 *
 * Returns mtime. */
uint64_t clint_time(const struct clint *clint, uint64_t instret);
/* Returns the pending interrupts as bits of mip. */
uint64_t clint_pending(const struct clint *clint, uint64_t instret);
/* Returns how many instructions from now the timer interrupt will be pending; UINT64_MAX: never. */
uint64_t clint_distance(const struct clint *clint, uint64_t instret);
/* Advances the time to the next timer interrupt. */
void clint_skip(struct clint *clint, uint64_t instret);

/* Is any byte of the range in the window? */
bool clint_overlaps(uint64_t address, size_t size);
/* Make aligned accesses of 4 or 8 bytes inside the window. Return false for other accesses.
 * Addresses without a register read as zeros and ignore writes. */
bool clint_load(const struct clint *clint, uint64_t instret, uint64_t address, void *value,
                size_t size);
bool clint_store(struct clint *clint, uint64_t instret, uint64_t address, const void *value,
                 size_t size);

#endif
