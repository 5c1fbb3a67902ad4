/* What the parts of guest memory share: memory.c (its beginning and end), view.c (which accesses
 * are direct), code.c (bytes from which code was decoded), find.c (questions about pages), map.c
 * (mapped pages), share.c (pages shared with files) and access.c (accesses). Pages are given by
 * their numbers; a range of pages is [first, end). */
#ifndef EMU_MEMORY_PARTS_H
#define EMU_MEMORY_PARTS_H

#include "emu/memory/memory.h"

/* Finds the pages that hold the bytes [address, address + length). */
static inline void memory_page_span(uint64_t address, uint64_t length, uint64_t *first,
                                    uint64_t *end)
{
    *first = address >> MEMORY_PAGE_BITS;
    *end = length ? ((address + length - 1) >> MEMORY_PAGE_BITS) + 1 : *first;
}

/* Is the range of bytes in the address space? */
bool memory_in_limit(const struct memory *memory, uint64_t address, uint64_t length);

/* Set the bytes of enum page_permission, and the views. */
void memory_set_page(struct memory *memory, uint64_t page, unsigned permissions);
void memory_set_pages(struct memory *memory, uint64_t first, uint64_t end, unsigned permissions);
/* Had a page in one of the stretches of the pages ever permissions? */
bool memory_is_used(const struct memory *memory, uint64_t first, uint64_t end);

/* Gives the pages their host's permissions, if memory is a mirror. The mirror ends where it changes
 * more often than it is worth. */
void memory_mirror(struct memory *memory, uint64_t first, uint64_t end);
/* A change of the mirror has this cost. Returns whether there is a mirror still. */
bool memory_may_change(struct memory *memory, unsigned cost);
/* Gives the pages these permissions of the host. Returns false when the host refuses. */
bool memory_protect_host(const struct memory *memory, uint64_t first, uint64_t end,
                         int permissions);

/* Announces that the bytes change, as far as code was decoded from them. */
void memory_announce(struct memory *memory, uint64_t address, uint64_t length);
/* The same for whole pages, which change with their permissions. */
void memory_announce_pages(struct memory *memory, uint64_t first, uint64_t end);

/* A store has changed bytes of the page, where stores are checked because some bytes are code.
 * After many of them, the code is dropped, so that those that come then need no check: once or
 * twice if the program does not execute it any more, and less and less often if it does. */
void memory_note_store(struct memory *memory, uint64_t page);

/* Returns what the page shares, or NULL. */
struct memory_share *memory_find_share(const struct memory *memory, uint64_t page);
/* Can the host's pages of the share only be read? So it is with a file that is open only for that.
 */
static inline bool memory_reads_only(const struct memory_share *share)
{
    return share->object.number && share->object.file >= 0 && !(share->allowed & PAGE_WRITE);
}
/* Has the common range pages in [first, end)? */
static inline bool memory_is_common_in(const struct memory_share *share, uint64_t first,
                                       uint64_t end)
{
    return share->object.number && share->first < end && first < share->end;
}

/* Of the pages, which have new permissions, those that their object does not have lose them for the
 * time, and those that it has get them. */
void memory_settle(struct memory *memory, uint64_t first, uint64_t end);
/* Notes that the pages will be shared. Returns false when there is no place for it.
 */
bool memory_add_share(struct memory *memory, struct memory_share added);
/* Makes the bytes of whole pages zero, without memory of the host. May change the host's
 * permissions. */
void memory_drop_bytes(struct memory *memory, uint64_t address, uint64_t length);

#endif
