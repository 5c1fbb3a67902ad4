/* Guest memory: one reserved host mapping that covers the whole guest address space, and a
 * permission byte a page.
 *
 * An access is one bounds check, one look at a byte of the page, and one move. That byte, of a
 * view, says what may go straight: what the page's permissions allow, but for stores into a page
 * that holds decoded code, and for what somebody wants to look at first (memory_slow). All else
 * goes the slow way, which gives the exact fault. A faulting access changes nothing. Guest
 * addresses are below MEMORY_LIMIT; every other address is simply not mapped. */
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

/* In a byte of a view, further: of this page and the next one, both may go straight. So a range
 * that begins in the page and is no longer than one may, wherever it ends. */
enum page_span {
    SPAN_SHIFT = 2,
    SPAN_READ = PAGE_READ << SPAN_SHIFT,
    SPAN_WRITE = PAGE_WRITE << SPAN_SHIFT
};

/* Views of memory: the bare environment has one for each privilege mode, the user environment the
 * first only. */
enum memory_view { VIEW_MACHINE, VIEW_USER, VIEWS };

struct memory {
    unsigned char *host;         /* MEMORY_LIMIT bytes; guest address 0 is host[0] */
    unsigned char *pages;        /* MEMORY_PAGES bytes of enum page_permission */
    const unsigned char *fast;   /* the view at hand: PAGE_READ, PAGE_WRITE: may go straight */
    unsigned char *views[VIEWS]; /* all of them; MEMORY_PAGES bytes each */
    bool aligned_only;           /* misaligned loads and stores fault */
    /* Decides about a load, a store or a fetch of up to 8 bytes that goes the slow way, instead of
     * the page's permissions: false after filling the fault. NULL: they are all there is. */
    bool (*guard)(void *context, uint64_t address, size_t size, enum page_permission access,
                  struct fault *fault);
    void *guard_context;
    uint64_t mapped; /* bytes mapped now */
    uint64_t limit;  /* bytes that may be mapped at once */
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
/* Would memory_map find room for the range, within the limit? */
bool memory_fits(const struct memory *memory, uint64_t address, uint64_t length);
/* Page-aligned ranges below MEMORY_LIMIT. */
void memory_unmap(struct memory *memory, uint64_t address, uint64_t length);
/* False when a page of the range is not mapped. */
bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions);
/* Marks the page as one from which decoded records were made, or no longer so. */
void memory_mark_code(struct memory *memory, uint64_t page, bool is_code);
/* In this view, accesses to the pages [first, end) that are in `slow` (PAGE_READ, PAGE_WRITE) go
 * the slow way, the others as the pages allow. */
void memory_slow(struct memory *memory, enum memory_view view, uint64_t first, uint64_t end,
                 unsigned slow);
/* From now on misaligned loads and stores fault. Before anything is mapped. */
void memory_align_only(struct memory *memory);
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

/* The fault of an access that is not allowed. */
enum cause memory_access_fault(enum page_permission access);
/* The slow ways. (`cold` is what keeps them out of line at every access.) */
__attribute__((cold)) bool memory_load_slow(const struct memory *memory, uint64_t address,
                                            void *value, size_t size, struct fault *fault);
__attribute__((cold)) bool memory_store_slow(struct memory *memory, uint64_t address,
                                             const void *value, size_t size, struct fault *fault);

/* May an access go straight to memory->host, by the view `fast`? Only an aligned one: turned right
 * by the size, a misaligned address is as large as one beyond the limit. `size` is a constant at
 * every call, here and below. */
static inline bool memory_is_direct(const unsigned char *fast, uint64_t address, size_t size,
                                    enum page_permission access)
{
    int shift = __builtin_ctzll(size);
    uint64_t number = address >> shift | address << (63 - shift) << 1;

    return number < MEMORY_LIMIT / size && fast[number / (MEMORY_PAGE / size)] & access;
}

static inline bool memory_load(const struct memory *memory, uint64_t address, void *value,
                               size_t size, struct fault *fault)
{
    if (memory_is_direct(memory->fast, address, size, PAGE_READ)) {
        memcpy(value, memory->host + address, size);
        return true;
    }
    return memory_load_slow(memory, address, value, size, fault);
}

static inline bool memory_store(struct memory *memory, uint64_t address, const void *value,
                                size_t size, struct fault *fault)
{
    if (memory_is_direct(memory->fast, address, size, PAGE_WRITE)) {
        memcpy(memory->host + address, value, size);
        return true;
    }
    return memory_store_slow(memory, address, value, size, fault);
}

#endif
