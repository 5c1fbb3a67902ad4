/* Physical memory protection: which addresses a privilege mode may read, write and execute (RISC-V
 * Privileged ISA 1.12, 3.7).
 *
 * 16 entries, grain 4 bytes. The lowest-numbered entry that matches any byte of an access decides,
 * and must match all of them. Where none matches, machine mode may do everything and user mode
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
    uint64_t address[PMP_ENTRIES]; /* as the CSRs have them: bits 55:2 of an address */
};

/* pmpcfg0 holds the entries from `first` = 0, pmpcfg2 from 8. */
uint64_t pmp_read_configuration(const struct pmp *pmp, unsigned first);
/* Locked entries keep what they have; W without R, which is reserved, is written as neither. */
void pmp_write_configuration(struct pmp *pmp, unsigned first, uint64_t value);
/* A locked entry keeps its address, and so does the one below a locked top of range. */
void pmp_write_address(struct pmp *pmp, unsigned entry, uint64_t value);

/* May the mode (enum privilege) do `access` (one of the permissions) to all of the bytes, as one
 * access? `size` is at least 1. */
bool pmp_allows(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t size,
                unsigned access);
/* What the mode may do to the byte at `address`, and to all that follow up to *last. */
unsigned pmp_extent(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t *last);

#endif
