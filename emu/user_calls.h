/* Inside of the user environment: system calls as functions. Arguments are a0 to a5; the result is
 * what a0 gets: a value, or a negative error number of Linux (which are the same on all hosts with
 * the generic ABI, RISC-V's among them). */
#ifndef EMU_USER_CALLS_H
#define EMU_USER_CALLS_H

#include "emu/machine.h"

/* user_files.c */
int64_t user_read(struct machine *machine, const uint64_t *arguments);
int64_t user_write(struct machine *machine, const uint64_t *arguments);
int64_t user_readv(struct machine *machine, const uint64_t *arguments);
int64_t user_writev(struct machine *machine, const uint64_t *arguments);
int64_t user_openat(struct machine *machine, const uint64_t *arguments);
int64_t user_close(struct machine *machine, const uint64_t *arguments);
int64_t user_lseek(struct machine *machine, const uint64_t *arguments);
int64_t user_fstat(struct machine *machine, const uint64_t *arguments);
int64_t user_newfstatat(struct machine *machine, const uint64_t *arguments);
int64_t user_ioctl(struct machine *machine, const uint64_t *arguments);
int64_t user_getcwd(struct machine *machine, const uint64_t *arguments);

/* user_memory.c */
int64_t user_brk(struct machine *machine, const uint64_t *arguments);
int64_t user_mmap(struct machine *machine, const uint64_t *arguments);
int64_t user_munmap(struct machine *machine, const uint64_t *arguments);
int64_t user_mprotect(struct machine *machine, const uint64_t *arguments);

/* Copies to the guest, for the trace too; false (EFAULT) when it may not be written there. */
bool user_copy_out(struct machine *machine, uint64_t address, const void *bytes, uint64_t length);

#endif
