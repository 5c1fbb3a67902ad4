/* The I/O access module (machine.md, 2; CN "matrix multiply" patent): moves bytes between main
 * memory and the scratchpad.
 *
 * `spm` lies in the scratchpad window, `mem` outside of it; any alignment. A tile has `rows` rows
 * of `row_bytes` bytes: one after the other in the scratchpad, `stride` bytes apart in memory
 * (signed: a negative one walks down, 0 is the same row again; addresses are modulo 2^64). Where
 * rows of a store overlap, the later row wins.
 *
 * No bytes to move: nothing is done and no address is looked at. Else the checks, in this order: a
 * tile whose size in bytes does not fit in 64 bits is a tensor configuration fault (value: the
 * larger of rows and row_bytes); a range that is not wholly in the scratchpad, then one that is not
 * wholly in main memory, a tensor access fault (value: its address; in memory that of the first row
 * at fault). On a fault the functions return false with nothing moved. When port->expired they
 * return false with CAUSE_DEADLINE, and rows may have been moved: the run is over.
 *
 * A row of memory is one effect, rows without a gap are one together; a tile of more than
 * DMA_ROWS_RECORDED rows with gaps is one range, gaps included, with the digest of the bytes
 * moved. */
#ifndef EMU_UNITS_DMA_H
#define EMU_UNITS_DMA_H

#include "emu/units/activity.h"
#include "emu/units/port.h"
#include <stddef.h>

enum { DMA_ROWS_RECORDED = 1 << 20 };

struct dma_unit {
    uint64_t transfers;    /* instructions that moved anything */
    uint64_t bytes_loaded; /* memory to scratchpad */
    uint64_t bytes_stored; /* scratchpad to memory */
};

bool dma_load(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem, uint64_t bytes,
              struct fault *fault);
bool dma_store(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem, uint64_t bytes,
               struct fault *fault);
bool dma_load_tile(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem,
                   uint64_t rows, uint64_t row_bytes, uint64_t stride, struct fault *fault);
bool dma_store_tile(struct dma_unit *unit, struct port *port, uint64_t spm, uint64_t mem,
                    uint64_t rows, uint64_t row_bytes, uint64_t stride, struct fault *fault);

/* Fills `list` (room for ACTIVITY_MAXIMUM) and returns how many. */
size_t dma_activity(const struct dma_unit *unit, struct activity *list);

#endif
