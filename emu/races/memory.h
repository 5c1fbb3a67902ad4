/* What --races (races.h) remembers of memory: for each aligned doubleword the accesses that a later
 * one may race with, and the clocks that releasing writes left there. */
#ifndef EMU_RACES_MEMORY_H
#define EMU_RACES_MEMORY_H

#include "emu/memory/memory.h"

/* A vector clock: for each thread how much of it happened before. Threads that are beyond `count`
 * have 0. */
struct race_clock {
    uint32_t count;
    uint32_t *at;
};

/* An access to some bytes of a doubleword. */
struct race_record {
    uint64_t pc;
    uint32_t time; /* of its thread's own clock */
    uint16_t thread;
    uint8_t bytes; /* a bit for each byte */
    uint8_t kind;  /* enum access_class in races.c */
};

/* The clocks of the two words of a doubleword: what happens before an acquiring read of them. */
struct race_release {
    struct race_clock clocks[2];
    bool is_cleared[2]; /* by the kernel, when a thread ended: every read acquires */
};

struct race_cell {
    struct race_record *records;
    struct race_release *release; /* NULL: none */
    uint32_t count, capacity;
};

enum { RACE_CELLS = MEMORY_PAGE / 8 };

struct race_memory {
    struct race_cell **pages; /* MEMORY_PAGES; NULL: no access so far */
};

bool race_memory_init(struct race_memory *memory);
/* Returns the cell of the doubleword that the address is in. */
struct race_cell *race_memory_cell(struct race_memory *memory, uint64_t address);
/* Appends a record. */
void race_memory_add(struct race_cell *cell, const struct race_record *record);
/* Forgets the accesses to a range and its clocks. */
void race_memory_forget(struct race_memory *memory, uint64_t address, uint64_t length);

/* Raises `clock` to at least `other` for each thread. */
void race_clock_join(struct race_clock *clock, const struct race_clock *other);
void race_clock_copy(struct race_clock *clock, const struct race_clock *other);
void race_clock_free(struct race_clock *clock);

static inline uint32_t race_clock_get(const struct race_clock *clock, unsigned thread)
{
    return thread < clock->count ? clock->at[thread] : 0;
}

void race_clock_set(struct race_clock *clock, unsigned thread, uint32_t time);
/* Ends the tool with a message if `pointer` is NULL. Returns it. */
void *race_memory_check(void *pointer);

#endif
