/* Unwinding the guest's stack by call frame information: .eh_frame and .debug_frame (DWARF 5, 6.4;
 * RISC-V ELF psABI, "DWARF register numbers"). */
#ifndef EMU_REPORT_UNWIND_H
#define EMU_REPORT_UNWIND_H

#include "emu/memory.h"
#include "lib/diag.h"

/* A function's state while what it called runs; of the innermost one, while it runs itself. */
struct unwind_frame {
    uint64_t pc;
    uint64_t x[32];
    uint32_t known; /* bit N: x[N] has the value that it has there */
    bool is_return; /* pc is where a call returns to */
};

struct unwinder;

/* Opens the frame information of an ELF image, which must stay; NULL when it has none that can be
 * read. */
struct unwinder *unwinder_open(const struct diag_file *image);
void unwinder_close(struct unwinder *unwinder);
/* Goes on to the caller. False, and nothing changed, when that is not known: no information for pc,
 * the outermost frame, a frame that does not lie above this one, memory that cannot be read.
 * `unwinder` may be NULL. */
bool unwinder_step(struct unwinder *unwinder, const struct memory *memory,
                   struct unwind_frame *frame);
/* Is there information about the frame at all? */
bool unwinder_knows(struct unwinder *unwinder, const struct unwind_frame *frame);

#endif
