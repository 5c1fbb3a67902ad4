/* Physical memory protection: which addresses a privilege mode may read, write and execute (RISC-V
 * Privileged ISA 1.12, 3.7).
 *
 * 16 entries, grain 4 bytes. The lowest-numbered entry that matches any byte of an access decides,
 * and must match all of them. If no entry matches, machine mode may do everything and user mode
 * nothing. */
#ifndef EMU_PMP_H
#define EMU_PMP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PMP_ENTRIES = 16 };

/* Fields of an entry's configuration; the permissions have the values of enum page_permission. */
enum pmp_configuration {
    PMP_READ = 1,
    PMP_WRITE = 2,
    PMP_EXECUTE = 4,
    PMP_MATCHING = 3 << 3,
    PMP_OFF = 0 << 3,
    PMP_TOP_OF_RANGE = 1 << 3,
    PMP_NATURAL_4 = 2 << 3,
    PMP_NATURAL = 3 << 3,
    PMP_LOCKED = 1 << 7,
};

struct pmp {
    uint8_t configuration[PMP_ENTRIES];
    uint64_t address[PMP_ENTRIES]; /* as in the CSRs: bits 55:2 of an address */
};

/* Reads pmpcfg0 (`first` is 0) or pmpcfg2 (`first` is 8). */
uint64_t pmp_read_configuration(const struct pmp *pmp, unsigned first);
/* Writes pmpcfg0 or pmpcfg2. Locked entries do not change. W without R is reserved and is written
 * as neither. */
void pmp_write_configuration(struct pmp *pmp, unsigned first, uint64_t value);
/* Writes pmpaddr`entry`. The address of a locked entry does not change, nor does the one below a
 * locked top of range. */
void pmp_write_address(struct pmp *pmp, unsigned entry, uint64_t value);

/* May the mode (enum privilege) access all of the bytes in one access? `access` is one of the
 * permissions, `size` is at least 1. */
bool pmp_allows(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t size,
                unsigned access);
/* Returns the permissions of the mode for the byte at `address` and all bytes after it up to *last.
 */
unsigned pmp_extent(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t *last);

#endif
