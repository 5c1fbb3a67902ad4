/* The I/O access module (isa/xmat.yaml): moves bytes between main memory and the scratchpad.
 *
 * When the deadline passes (port->expired), the functions return false with CAUSE_DEADLINE after
 * moving some of the rows, and the run ends.
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
