/* The I/O access module (machine.md, 2; CN "matrix multiply" patent): moves bytes between main
 * memory and the scratchpad.
 *
 * `spm` is in the scratchpad window and `mem` outside of it, both at any alignment. A tile has
 * `rows` rows of `row_bytes` bytes, which are contiguous in the scratchpad and `stride` bytes apart
 * in memory. The stride is signed, and 0 repeats the same row; addresses are modulo 2^64. Where
 * rows of a store overlap, the later row wins.
 *
 * A transfer of no bytes does nothing and checks no address. The other checks are, in this order: a
 * tile whose size in bytes does not fit in 64 bits is a tensor configuration fault (value: the
 * larger of rows and row_bytes); a range that is not wholly in the scratchpad, then one that is not
 * wholly in main memory, is a tensor access fault (value: its address; in memory that of the first
 * row at fault). On a fault the functions return false with nothing moved. When the deadline passes
 * (port->expired) they return false with CAUSE_DEADLINE after moving some of the rows, and the run
 * ends.
 *
 * A row of memory is recorded as one effect, and rows without gaps between them as one effect
 * together. A tile of more than DMA_ROWS_RECORDED rows with gaps is recorded as one range that
 * includes the gaps, with the digest of the bytes moved. */
#ifndef EMU_UNITS_DMA_H
#define EMU_UNITS_DMA_H

#include "emu/units/port.h"
#include "fast.h"
#include "units.h"

enum { DMA_ROWS_RECORDED = 1 << 20 };

#endif
