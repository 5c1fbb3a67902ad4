/* Machine code of the host as text, by the disassembler of binutils or LLVM that is installed. */
#ifndef EMU_NATIVE_HOST_CODE_H
#define EMU_NATIVE_HOST_CODE_H

#include "lib/text.h"

/* Fills the text, which is empty, with a line for each instruction: its address in hexadecimal, a
 * tab, and the instruction. The code, which is not empty, is executed at `address`. Returns false
 * and leaves the text empty where there is no disassembler for this host in PATH: objdump,
 * llvm-objdump, or llvm-objdump-N. */
bool host_code_disassemble(struct text *lines, const void *bytes, size_t size, uint64_t address);

#endif
