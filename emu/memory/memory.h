/* Guest memory: one reserved host mapping covers the whole guest address space, and each page has a
 * byte of permissions.
 *
 * An access consists of one bounds check, one test of the page's byte in the current view, and one
 * move. The byte says which accesses are direct, i.e. bypass all further checks: those that the
 * page's permissions allow, except stores into a page that holds decoded code, and accesses that
 * must be checked first (memory_slow). All others take the slow path, which finds the exact fault,
 * and announces stores that change bytes of decoded code. A faulting access changes nothing. Native
 * code leaves these checks to the host's memory management where it can (memory_begin_mirror).
 * Guest addresses are below MEMORY_LIMIT; every other address is not mapped. Code is below
 * MEMORY_CODE_LIMIT, so that a decoded instruction needs only 32 bits for its address; the
 * addresses above are for the data of programs that ask for them, or for more than there is below.
 */
#ifndef EMU_MEMORY_MEMORY_H
#define EMU_MEMORY_MEMORY_H

#include "emu/trap.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include <stddef.h>
#include <string.h>

/* Some emulators of other hosts than x86-64, qemu-user among them, keep track of each page, and
 * would take a second to reserve as many addresses as there. */
#ifdef __x86_64__
#define MEMORY_IS_LARGE 1
#else
#define MEMORY_IS_LARGE 0
#endif
#define MEMORY_LIMIT      ((uint64_t)1 << (MEMORY_IS_LARGE ? 38 : 34)) /* bytes of guest addresses */
#define MEMORY_LOW_LIMIT  ((uint64_t)1 << 34) /* bytes of them that are used before those above */
#define MEMORY_CODE_LIMIT ((uint64_t)1 << 32) /* bytes of them where pages may be executable */
#define MEMORY_PAGE_BITS  12
#define MEMORY_PAGE       ((uint64_t)1 << MEMORY_PAGE_BITS)
#define MEMORY_PAGES      (MEMORY_LIMIT >> MEMORY_PAGE_BITS)
#define MEMORY_CODE_PAGES (MEMORY_CODE_LIMIT >> MEMORY_PAGE_BITS)
#define MEMORY_STRETCH    512                 /* pages */
#define MEMORY_MANY       ((uint64_t)1 << 22) /* bytes that are worth large pages of the host */
#define MEMORY_SHARES     1024                /* ranges that can be shared at once */
/* Bytes before and after the mapping that are never accessible: so many at least, and so many if
 * the host has as much address space. */
#define MEMORY_MARGIN ((uint64_t)1 << 24)
#define MEMORY_REACH  (((uint64_t)1 << 36) + MEMORY_MARGIN)

enum page_permission {
    PAGE_READ = 1,
    PAGE_WRITE = 2,
    PAGE_EXECUTE = 4,
    PAGE_MAPPED = 8,   /* set for every mapped page, also one without permissions */
    PAGE_CODE = 16,    /* decoded records were made from this page: a store must be checked */
    PAGE_COUNTED = 32, /* counts as mapped: it has or had permissions, so it may have contents */
    PAGE_ACCESS = PAGE_READ | PAGE_WRITE | PAGE_EXECUTE,
    /* The permissions of a page of common memory that this does not have now: it gets them when the
     * memory becomes longer. */
    PAGE_LATER_SHIFT = 6,
    PAGE_LATER = (PAGE_READ | PAGE_WRITE) << PAGE_LATER_SHIFT,
};

/* Returns the permissions that a page has, or will have. */
static inline unsigned memory_permissions(unsigned page)
{
    return (page & PAGE_ACCESS) | (page & PAGE_LATER) >> PAGE_LATER_SHIFT;
}

/* More bits of a view's byte: accesses to both this page and the next one are direct. So every
 * access of at most a page's length that begins in the page is direct. */
enum page_span {
    SPAN_SHIFT = 2,
    SPAN_READ = PAGE_READ << SPAN_SHIFT,
    SPAN_WRITE = PAGE_WRITE << SPAN_SHIFT
};

/* Views of memory. The bare environment has one for each privilege mode; the user environment uses
 * only the first. */
enum memory_view { VIEW_MACHINE, VIEW_USER, VIEWS };

enum {
    MEMORY_WRITER_NONE = -1,   /* there is no such file, */
    MEMORY_WRITER_CLOSED = -2, /* or it was not needed yet */
};

/* What is known of a page below MEMORY_CODE_LIMIT from which code was decoded. */
struct memory_code {
    /* A bit for each halfword from which code may be decoded. Some too many do no harm. */
    uint64_t halfwords[MEMORY_PAGE / 2 / 64];
    uint32_t stores;   /* to the page, since it was last without code */
    uint32_t patience; /* for each halfword of code, so many of them are made beside it */
};

/* Memory that several guest memories have in common, each at places of its own. */
struct memory_object {
    uint64_t number; /* no other one has it; 0: none */
    uint64_t length; /* pages that can be accessed now */
    uint64_t room;   /* and so many the host has of it */
    int file;        /* of the host, which has the pages; -1: they are memory */
};

/* Pages that may be shared with a file of the host, or are common. */
struct memory_share {
    uint64_t first, end;
    uint64_t device, inode;      /* of the file; 0: nothing in the guest can change it */
    struct memory_object object; /* of common pages */
    uint64_t place;              /* the page of the object that is the first one here */
    unsigned allowed;            /* enum page_permission: that common pages may have */
};

struct memory {
    unsigned char *host;  /* guest address 0 is host[0] */
    uint64_t end;         /* bytes there: MEMORY_LIMIT, or less if the host has no more */
    uint64_t margin;      /* bytes before and after them that are not accessible */
    unsigned char *pages; /* MEMORY_PAGES bytes of enum page_permission */
    const unsigned char
        *fast; /* the current view: PAGE_READ, PAGE_WRITE: such accesses are direct */
    unsigned char *views[VIEWS]; /* MEMORY_PAGES bytes each */
    /* Was a page of the stretch ever mapped, and had one ever permissions? */
    bool *mapped_once, *used;
    uint64_t top;      /* the end of the last stretch that ever had a mapped page, in pages */
    bool aligned_only; /* misaligned loads and stores fault */
    bool is_mirror;    /* see memory_begin_mirror */
    /* What its changes cost by now, in units of a store where the host may not write, and what they
     * may before it ends. */
    uint64_t changes, changes_allowed;
    int writer;         /* the file of the host that such stores write to (access.c) */
    bool has_slow;      /* memory_slow was called for some pages */
    uint64_t different; /* pages where what memory_slow has set depends on the view */
    uint64_t first_watched, end_watched; /* pages: see memory_watch */
    struct memory_share *shares;         /* MEMORY_SHARES of them, or NULL */
    unsigned share_count;
    /* Replaces the check of the page's permissions for loads, stores and fetches of up to 8 bytes
     * on the slow path. Returns false after filling the fault. NULL: the permissions are checked.
     */
    bool (*guard)(void *context, uint64_t address, size_t size, enum page_permission access,
                  struct fault *fault);
    void *guard_context;
    uint64_t mapped;           /* bytes of mapped pages that count */
    uint64_t limit;            /* that many may at once */
    struct memory_code **code; /* by page below MEMORY_CODE_LIMIT; NULL: there was none yet */
    struct arena code_arena;   /* of these */
    /* Called before bytes in [address, end), which are in a page with PAGE_CODE, change or go, if
     * code was decoded from some of them. */
    void (*code_changes)(void *context, uint64_t address, uint64_t end);
    void *code_context;
};

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "guest memory is accessed as host memory");

/* Reserves the address space, with nothing mapped. Returns false after a diagnostic. */
bool memory_init(struct memory *memory, struct diag *diag, uint64_t limit);
void memory_free(struct memory *memory);

/* Makes `to`, which was just initialized, a copy of `from`: its pages, their permissions and bytes.
 */
void memory_copy(struct memory *to, struct memory *from);
/* `from` was a copy of `to`, which has not changed since: `to` gets the bytes that have changed. */
void memory_take_changes(struct memory *to, const struct memory *from);

/* Maps the pages that hold [address, address + length) with `permissions`. New pages are zeroed. A
 * page that is already mapped gets the permissions in addition, because segments may share a page.
 * Pages without permissions only reserve addresses: they do not count until they get some. Returns
 * false when the range is empty, not wholly in the address space, would be executable beyond
 * MEMORY_CODE_LIMIT, or would exceed the limit. */
bool memory_map(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions);
/* Would memory_map succeed? */
bool memory_fits(const struct memory *memory, uint64_t address, uint64_t length,
                 unsigned permissions);
/* Unmaps the pages of a page-aligned range below MEMORY_LIMIT. */
void memory_unmap(struct memory *memory, uint64_t address, uint64_t length);
/* Makes the bytes of a page-aligned range below MEMORY_LIMIT zero, and gives its pages back to the
 * host. They stay mapped as they are. */
void memory_clear(struct memory *memory, uint64_t address, uint64_t length);
/* Sets the permissions of the pages of a page-aligned range. Returns false when one of them is not
 * mapped, would be executable beyond MEMORY_CODE_LIMIT, or when they would exceed the limit. */
bool memory_protect(struct memory *memory, uint64_t address, uint64_t length, unsigned permissions);
/* Code is decoded from the bytes, which are below MEMORY_LIMIT: announces when they change, as far
 * as they are mapped. */
void memory_mark_code(struct memory *memory, uint64_t address, uint64_t length);
/* Begins or ends the announcements of the page's bytes that are marked, if the page is mapped. */
void memory_watch_code(struct memory *memory, uint64_t page, bool is_watched);
/* All code that was decoded from the bytes, which are in one page, was dropped. */
void memory_unmark_code(struct memory *memory, uint64_t address, uint64_t end);
/* Makes the accesses in `slow` (PAGE_READ, PAGE_WRITE) to the pages [first, end) take the slow path
 * in this view. The other accesses are direct if the pages' permissions allow them. */
void memory_slow(struct memory *memory, enum memory_view view, uint64_t first, uint64_t end,
                 unsigned slow);
/* Makes all loads and stores of the pages that hold the range take the slow path in all views. */
void memory_watch(struct memory *memory, uint64_t address, uint64_t length);
/* From now on an access of the host to a page faults where the guest's access would not be direct
 * in the first view. So native code may access memory without a check, if it takes care of the
 * host's faults. Returns false where the host cannot do so. The mirror ends by itself when memory
 * is changed so that the host cannot do it any more. */
bool memory_begin_mirror(struct memory *memory);
void memory_end_mirror(struct memory *memory);
/* Does it hold for this view, too? (What the first one has to check, the other one has.) */
bool memory_mirrors(const struct memory *memory, enum memory_view view);
/* The guest may use all of these mapped bytes. If they are many, the host may give them in large
 * pages, which take fewer page faults and less of its address translation. */
void memory_expect(const struct memory *memory, uint64_t address, uint64_t length);
/* The guest will soon write these mapped bytes: the host gives them at once. */
void memory_populate(const struct memory *memory, uint64_t address, uint64_t length);
/* The guest has grown the range [start, old), which it uses, to [start, end): the host gives what
 * it has of the range in large pages, if that is much. */
void memory_collapse(const struct memory *memory, uint64_t start, uint64_t old, uint64_t end);
/* Makes misaligned loads and stores fault. Must be called before anything is mapped. */
void memory_align_only(struct memory *memory);
/* Is every page of the range mapped with all of `permissions`? True for an empty range below
 * MEMORY_LIMIT. */
bool memory_is(const struct memory *memory, uint64_t address, uint64_t length,
               unsigned permissions);
/* Returns the first mapped page of [first, end), or `end`. */
uint64_t memory_next_mapped(const struct memory *memory, uint64_t first, uint64_t end);
/* Returns the first page after `first` that differs from it in these bits (enum page_permission),
 * or `end`. */
uint64_t memory_find_alike(const struct memory *memory, uint64_t first, uint64_t end,
                           unsigned bits);
/* Returns the address of the highest free range of whole pages with at least `length` bytes in
 * [low, high), or 0. */
uint64_t memory_find_free(const struct memory *memory, uint64_t low, uint64_t high,
                          uint64_t length);

/* Returns a host pointer to the range, or NULL if it is not wholly mapped and readable (`write`:
 * writable). With `write`, drops the code decoded from the range. The pointer to a range of 0 bytes
 * must not be used. */
void *memory_range(struct memory *memory, uint64_t address, uint64_t length, bool write);
/* Returns a host pointer to the range whatever its permissions, e.g. for a debugger, or NULL when a
 * page is not mapped. In a mirror, also NULL when one cannot be read. */
const void *memory_peek(const struct memory *memory, uint64_t address, uint64_t length);
/* Writes the bytes whatever the permissions, e.g. for the loader and --load. Returns false when a
 * page is not mapped, or common and can never be written. */
bool memory_poke(struct memory *memory, uint64_t address, const void *bytes, uint64_t length);
/* The same for bytes of a mapped file (file_map), into pages that are still as memory_map made
 * them. The host shares whole pages with the file until they are written, if it can. */
bool memory_fill(struct memory *memory, uint64_t address, const void *bytes, uint64_t length);
/* The same for bytes of an open file of the host, from `offset` on, a multiple of a page, into
 * whole pages that can be read and written. Returns how many bytes it has filled: none, or all
 * whole pages of the file. The caller has to call memory_unshare before the guest changes the file.
 */
uint64_t memory_share(struct memory *memory, uint64_t address, uint64_t length, int file,
                      uint64_t offset);

/* ---- common memory ---- */

/* Makes whole pages of zeros, which can be read and written, an object of this number. It is common
 * to this memory and its copies. Returns false if there are too many such ranges, or the host
 * cannot: each has pages of its own then. */
bool memory_make_common(struct memory *memory, uint64_t address, uint64_t length, uint64_t number);
/* Makes such pages those of an object, from its page `place` on. The host has it at `bytes`, shared
 * (MAP_SHARED), unless it is a file. Pages that the object does not have are accessible as soon as
 * it has them. */
bool memory_map_object(struct memory *memory, uint64_t address, uint64_t length,
                       const struct memory_object *object, unsigned char *bytes, uint64_t place,
                       unsigned allowed);
/* The object has another length. */
void memory_resize_object(struct memory *memory, const struct memory_object *object);
/* Does the memory have pages of the object? */
bool memory_has_object(const struct memory *memory, uint64_t number);
/* Makes new pages at `to` those of the common memory at `from`, beginning `skip` bytes after that;
 * they may follow it directly. They have its permissions. Returns false as memory_make_common. */
bool memory_map_again(struct memory *memory, uint64_t from, uint64_t skip, uint64_t to,
                      uint64_t length);
/* Returns the common range with this address, or NULL. */
const struct memory_share *memory_find_common(const struct memory *memory, uint64_t address);
/* Returns the end of the bytes from `address` to `end` that are all in one common range, or all in
 * none. */
uint64_t memory_common_end(const struct memory *memory, uint64_t address, uint64_t end);
/* May all pages of the range that are common have these permissions? */
bool memory_allows(const struct memory *memory, uint64_t address, uint64_t length,
                   unsigned permissions);
/* Can the range be unmapped? Not if a common range would become two, and there are too many. */
bool memory_can_unmap(const struct memory *memory, uint64_t address, uint64_t length);

/* ---- files of the host ---- */

/* The guest will change this file of the host: the pages that are shared with it keep the bytes
 * that they have. */
void memory_unshare(struct memory *memory, uint64_t device, uint64_t inode);

/* Fetches `length` (2, 4, 6 or 8) instruction bytes at `pc` into *word. Returns false after filling
 * the fault: fetch access, value = address of the first byte that cannot be fetched. */
bool memory_fetch(const struct memory *memory, uint64_t pc, int length, uint64_t *word,
                  struct fault *fault);

/* Returns the cause of the fault for an access without permission. */
enum cause memory_access_fault(enum page_permission access);
/* Returns the signal that Linux sends for the fault: SIGBUS for a page that its object does not
 * have now, else that of the cause. */
int memory_fault_signal(const struct memory *memory, const struct fault *fault);
/* The slow paths. (`cold` keeps the calls out of line at every access.) */
__attribute__((cold)) bool memory_load_slow(const struct memory *memory, uint64_t address,
                                            void *value, size_t size, struct fault *fault);
__attribute__((cold)) bool memory_store_slow(struct memory *memory, uint64_t address,
                                             const void *value, size_t size, struct fault *fault);

/* Is the access direct, i.e. may it go to memory->host without further checks, in the view `fast`?
 * Only aligned accesses are: rotated right by the size, a misaligned address is beyond all pages.
 * `size` is a constant in every call, here and below. */
static inline bool memory_is_direct(const unsigned char *fast, uint64_t address, size_t size,
                                    unsigned access)
{
    int shift = __builtin_ctzll(size);
    uint64_t number = address >> shift | address << (63 - shift) << 1,
             page = number / (MEMORY_PAGE / size);

    __asm__("" : "+r"(page)); /* else the compiler compares `number` with a constant of 34 bits */
    return page < MEMORY_PAGES && (fast[page] & access) == access;
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
