/* Guest memory: one reserved host mapping that covers the whole guest address space, and a
 * permission byte a page.
 *
 * An access is one bounds check, one look at the page's byte, and one move. What the fast path
 * cannot decide (two pages, no permission, a store into a page that holds decoded code) goes the
 * slow way, which gives the exact fault. A faulting access changes nothing. Guest addresses are
 * below MEMORY_LIMIT; every other address is simply not mapped. */
#ifndef EMU_MEMORY_H
#define EMU_MEMORY_H

#include "emu/trap.h"
#include "lib/diag.h"
#include <stddef.h>
#include <string.h>

#define MEMORY_LIMIT     ((uint64_t)1 << 32) /* bytes of guest address space */
#define MEMORY_PAGE_BITS 12
#define MEMORY_PAGE      ((uint64_t)1 << MEMORY_PAGE_BITS)
#define MEMORY_PAGES     (MEMORY_LIMIT >> MEMORY_PAGE_BITS)

enum page_permission {
    PAGE_READ = 1,
    PAGE_WRITE = 2,
    PAGE_EXECUTE = 4,
    PAGE_MAPPED = 8, /* set for every mapped page, also one without permissions */
    PAGE_CODE = 16,  /* decoded records were made from this page: a store must drop them */
};

struct memory {
    unsigned char *host;  /* MEMORY_LIMIT bytes; guest address 0 is host[0] */
    unsigned char *pages; /* MEMORY_PAGES bytes of enum page_permission */
    uint64_t mapped;      /* bytes mapped now */
    uint64_t limit;       /* bytes that may be mapped at once */
    /* Called before bytes of a page with PAGE_CODE change, or the page goes. */
    void (*code_changes)(void *context, uint64_t address, uint64_t length);
    void *code_context;
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "guest memory is accessed as host memory");

/* Reserves the address space, nothing mapped. False after a diagnostic. */
bool memory_init(struct memory *memory, struct diag *diag, uint64_t limit);
void memory_free(struct memory *memory);

/* Maps the pages that hold [address, address + length) with `permissions`, zeroed where they were
 * not mapped; a page that was mapped gets the permissions in addition (segments that share a page).
 * False when the range is empty, not wholly below MEMORY_LIMIT, or would exceed the limit. */
bool memory_map(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions);
/* Page-aligned ranges below MEMORY_LIMIT. */
void memory_unmap(struct memory *memory, uint64_t address, uint64_t length);
/* False when a page of the range is not mapped. */
bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions);
/* Is every page of the range mapped (with all of `permissions`)? An empty range below MEMORY_LIMIT
 * is. */
bool memory_is(const struct memory *memory, uint64_t address, uint64_t length,
               unsigned permissions);
/* The highest free range of whole pages of at least `length` bytes in [low, high); 0 when there is
 * none. */
uint64_t memory_find_free(const struct memory *memory, uint64_t low, uint64_t high,
                          uint64_t length);

/* Host pointer to a range that is wholly mapped with read (write: write) permission; else NULL.
 * With `write`, code decoded from the range is dropped. A range of 0 bytes gives a pointer that
 * must not be used. */
void *memory_range(struct memory *memory, uint64_t address, uint64_t length, bool write);
/* As a debugger sees it: bytes at any mapped range, permissions aside; NULL when a page is not
 * mapped. */
const void *memory_peek(const struct memory *memory, uint64_t address, uint64_t length);
/* Writes past permissions (loader, --load). False when a page is not mapped. */
bool memory_poke(struct memory *memory, uint64_t address, const void *bytes, uint64_t length);

/* The instruction bytes at `pc`: up to `length` (2, 4, 6, 8) into *word. False after filling the
 * fault (fetch access, value = address of the first byte that could not be fetched). */
bool memory_fetch(const struct memory *memory, uint64_t pc, int length, uint64_t *word,
                  struct fault *fault);

/* The slow ways. */
bool memory_load_slow(const struct memory *memory, uint64_t address, void *value, size_t size,
                      struct fault *fault);
bool memory_store_slow(struct memory *memory, uint64_t address, const void *value, size_t size,
                       struct fault *fault);

/* `size` is a constant at every call. Any alignment. */
static inline bool memory_load(const struct memory *memory, uint64_t address, void *value,
                               size_t size, struct fault *fault)
{
    if (__builtin_expect(address < MEMORY_LIMIT &&
                             (address & (MEMORY_PAGE - 1)) <= MEMORY_PAGE - size &&
                             memory->pages[address >> MEMORY_PAGE_BITS] & PAGE_READ,
                         1)) {
        memcpy(value, memory->host + address, size);
        return true;
    }
    return memory_load_slow(memory, address, value, size, fault);
}

static inline bool memory_store(struct memory *memory, uint64_t address, const void *value,
                                size_t size, struct fault *fault)
{
    if (__builtin_expect(address < MEMORY_LIMIT &&
                             (address & (MEMORY_PAGE - 1)) <= MEMORY_PAGE - size &&
                             (memory->pages[address >> MEMORY_PAGE_BITS] &
                              (PAGE_WRITE | PAGE_CODE)) == PAGE_WRITE,
                         1)) {
        memcpy(memory->host + address, value, size);
        return true;
    }
    return memory_store_slow(memory, address, value, size, fault);
}

#endif
