/* Unwinding the guest's stack by call frame information: .eh_frame and .debug_frame (DWARF 5, 6.4;
 * RISC-V ELF psABI, "DWARF register numbers"). */
#ifndef EMU_REPORT_UNWIND_H
#define EMU_REPORT_UNWIND_H

#include "emu/memory/memory.h"
#include "lib/diag.h"

/* The state of a function during the call that it made; of the innermost function, its state now.
 */
struct unwind_frame {
    uint64_t pc;
    uint64_t x[32];
    uint32_t known; /* bit N: x[N] is known */
    bool is_return; /* pc is a return address */
};

struct unwinder;

/* Opens the frame information of an ELF image, which must stay in memory. `moved` is added to the
 * addresses of the image (elf_move). Returns NULL when it has
 * none, or none that can be read. */
struct unwinder *unwinder_open(const struct diag_file *image, uint64_t moved);
void unwinder_close(struct unwinder *unwinder);
/* Replaces the frame by that of its caller. Returns false and changes nothing when the caller is
 * not known: there is no information for pc, the frame is the outermost one or does not lie above
 * this one, or memory cannot be read. `unwinder` may be NULL. */
bool unwinder_step(struct unwinder *unwinder, const struct memory *memory,
                   struct unwind_frame *frame);
/* Is there information about the frame? */
bool unwinder_knows(struct unwinder *unwinder, const struct unwind_frame *frame);

#endif
