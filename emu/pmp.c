/* See pmp.h. Each entry is converted to the range of bytes [first, last] that it matches. */
#include "emu/pmp.h"
#include "emu/privilege.h"
#include <string.h>

/* The bits of PMP_MATCHING in the configurations of a CSR. */
#define MATCHING (UINT64_C(0x0101010101010101) * PMP_MATCHING)

enum { ADDRESS_BITS = 54, CONFIGURATIONS = 8 /* in a CSR */ };

/* Finds the bytes that an entry matches; returns false when there are none. Addresses in the CSRs
 * have 56 bits, so nothing here overflows. */
static bool entry_range(const struct pmp *pmp, unsigned entry, uint64_t *first, uint64_t *last)
{
    uint64_t address = pmp->address[entry];

    switch (pmp->configuration[entry] & PMP_MATCHING) {
    case PMP_TOP_OF_RANGE:
        *first = entry ? pmp->address[entry - 1] << 2 : 0;
        *last = (address << 2) - 1;
        return address << 2 > *first;
    case PMP_NATURAL_4:
        *first = address << 2;
        *last = *first + 3;
        return true;
    case PMP_NATURAL: {
        /* The trailing ones, and the zero above them, encode the size. */
        uint64_t span = address ^ (address + 1);
        *first = (address & ~span) << 2;
        *last = *first + (span << 2 | 3);
        return true;
    }
    default:
        return false;
    }
}

/* Returns the permissions that the entry grants. Only a locked entry restricts machine mode. */
static unsigned entry_permissions(const struct pmp *pmp, unsigned entry, unsigned privilege)
{
    unsigned configuration = pmp->configuration[entry];

    if (privilege == PRIVILEGE_MACHINE && !(configuration & PMP_LOCKED))
        return PMP_READ | PMP_WRITE | PMP_EXECUTE;
    return configuration & (PMP_READ | PMP_WRITE | PMP_EXECUTE);
}

static unsigned unmatched_permissions(unsigned privilege)
{
    return privilege == PRIVILEGE_MACHINE ? PMP_READ | PMP_WRITE | PMP_EXECUTE : 0;
}

uint64_t pmp_read_configuration(const struct pmp *pmp, unsigned first)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < CONFIGURATIONS; i++)
        value |= (uint64_t)pmp->configuration[first + i] << 8 * i;
    return value;
}

void pmp_write_configuration(struct pmp *pmp, unsigned first, uint64_t value)
{
    for (unsigned i = 0; i < CONFIGURATIONS; i++) {
        uint8_t *configuration = &pmp->configuration[first + i];
        if (*configuration & PMP_LOCKED)
            continue;
        *configuration =
            value >> 8 * i & (PMP_LOCKED | PMP_MATCHING | PMP_READ | PMP_WRITE | PMP_EXECUTE);
        if (!(*configuration & PMP_READ))
            *configuration &= ~PMP_WRITE;
    }
}

void pmp_write_address(struct pmp *pmp, unsigned entry, uint64_t value)
{
    unsigned above = entry + 1 < PMP_ENTRIES ? pmp->configuration[entry + 1] : 0;

    if (pmp->configuration[entry] & PMP_LOCKED ||
        (above & PMP_LOCKED && (above & PMP_MATCHING) == PMP_TOP_OF_RANGE))
        return;
    pmp->address[entry] = value & ((UINT64_C(1) << ADDRESS_BITS) - 1);
}

/* Are all entries off? Most programs do not use the PMP. */
static bool is_off(const struct pmp *pmp)
{
    uint64_t all[PMP_ENTRIES / CONFIGURATIONS], matching = 0;

    memcpy(all, pmp->configuration, sizeof all);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        matching |= all[i] & MATCHING;
    return matching == 0;
}

bool pmp_allows(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t size,
                unsigned access)
{
    uint64_t end = address + size - 1;
    uint64_t first, last;

    if (is_off(pmp))
        return unmatched_permissions(privilege) & access;
    for (unsigned entry = 0; entry < PMP_ENTRIES; entry++)
        if (entry_range(pmp, entry, &first, &last) && first <= end && address <= last)
            return first <= address && end <= last &&
                   entry_permissions(pmp, entry, privilege) & access;
    return unmatched_permissions(privilege) & access;
}

unsigned pmp_extent(const struct pmp *pmp, unsigned privilege, uint64_t address, uint64_t *end)
{
    uint64_t first, last;

    *end = UINT64_MAX;
    for (unsigned entry = 0; entry < PMP_ENTRIES; entry++) {
        if (!entry_range(pmp, entry, &first, &last))
            continue;
        if (first <= address && address <= last) {
            if (last < *end)
                *end = last;
            return entry_permissions(pmp, entry, privilege);
        }
        if (first > address && first - 1 < *end)
            *end = first - 1;
    }
    return unmatched_permissions(privilege);
}
