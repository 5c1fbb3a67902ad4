/* The histogram unit, Xhist (machine.md, 4; JP7848342B2): counts floats into four bins by sign and
 * exponent.
 *
 * A bin is 32 bits: BIN_COUNT 17:0 (saturating), THRESH_EXP 25:18, THRESH_RANGE 29:26, SIGNC 31:30.
 * Values are packed into four 32-bit words, lowest bits first. Nothing faults; the only state is
 * the format of 8-bit values. */
#ifndef EMU_HISTOGRAM_H
#define EMU_HISTOGRAM_H

#include "emu/activity.h"
#include "emu/config.h"
#include <stddef.h>
#include <stdint.h>

#define HISTOGRAM_WORDS 4 /* registers of a group: four bins, or the words that hold the values */

struct histogram_unit {
    uint32_t f8_format; /* CSR tf8: 0 E4M3, 1 E5M2 */

    uint64_t values;    /* values tried, each against all the bins */
    uint64_t counts;    /* increments of a bin */
    uint64_t saturated; /* bins that became full */
    uint64_t lost;      /* values that would have counted in a bin, had it not been full */
};

void histogram_init(struct histogram_unit *unit, const struct config *config, struct arena *arena);

/* Each of the 4, 8 or 16 values is tried against each bin; only BIN_COUNT changes. */
void histogram_f32(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                   const uint32_t words[HISTOGRAM_WORDS]);
void histogram_f16(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                   const uint32_t words[HISTOGRAM_WORDS]);
void histogram_f8(struct histogram_unit *unit, uint32_t bins[HISTOGRAM_WORDS],
                  const uint32_t words[HISTOGRAM_WORDS]);

/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns how many. */
size_t histogram_activity(const struct histogram_unit *unit, struct activity *list);

#endif
