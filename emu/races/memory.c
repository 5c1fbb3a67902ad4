/* See memory.h. */
#include "emu/races/memory.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *race_memory_check(void *pointer)
{
    if (!pointer) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    return pointer;
}

/* ---- clocks ---- */

static void widen(struct race_clock *clock, uint32_t count)
{
    if (count <= clock->count)
        return;
    clock->at = race_memory_check(reallocarray(clock->at, count, sizeof *clock->at));
    memset(clock->at + clock->count, 0, (count - clock->count) * sizeof *clock->at);
    clock->count = count;
}

void race_clock_set(struct race_clock *clock, unsigned thread, uint32_t time)
{
    widen(clock, thread + 1);
    clock->at[thread] = time;
}

void race_clock_join(struct race_clock *clock, const struct race_clock *other)
{
    widen(clock, other->count);
    for (uint32_t i = 0; i < other->count; i++)
        if (clock->at[i] < other->at[i])
            clock->at[i] = other->at[i];
}

void race_clock_copy(struct race_clock *clock, const struct race_clock *other)
{
    widen(clock, other->count);
    if (other->count)
        memcpy(clock->at, other->at, other->count * sizeof *clock->at);
    if (clock->count > other->count)
        memset(clock->at + other->count, 0, (clock->count - other->count) * sizeof *clock->at);
}

void race_clock_free(struct race_clock *clock)
{
    free(clock->at);
    *clock = (struct race_clock){0};
}

/* ---- cells ---- */

bool race_memory_init(struct race_memory *memory)
{
    memory->pages = calloc(MEMORY_PAGES, sizeof(struct race_cell *));
    return memory->pages != NULL;
}

static void clear_cell(struct race_cell *cell)
{
    free(cell->records);
    for (unsigned i = 0; cell->release && i < 2; i++)
        race_clock_free(&cell->release->clocks[i]);
    free(cell->release);
    *cell = (struct race_cell){0};
}

static void free_page(struct race_memory *memory, uint64_t page)
{
    struct race_cell *cells = memory->pages[page];

    for (unsigned i = 0; cells && i < RACE_CELLS; i++)
        clear_cell(&cells[i]);
    free(cells);
    memory->pages[page] = NULL;
}

struct race_cell *race_memory_cell(struct race_memory *memory, uint64_t address)
{
    struct race_cell **page = &memory->pages[address >> MEMORY_PAGE_BITS];

    if (!*page)
        *page = race_memory_check(calloc(RACE_CELLS, sizeof **page));
    return &(*page)[(address & (MEMORY_PAGE - 1)) / 8];
}

void race_memory_add(struct race_cell *cell, const struct race_record *record)
{
    if (cell->count == cell->capacity) {
        cell->capacity = cell->capacity ? 2 * cell->capacity : 1;
        cell->records =
            race_memory_check(reallocarray(cell->records, cell->capacity, sizeof *cell->records));
    }
    cell->records[cell->count++] = *record;
}

void race_memory_forget(struct race_memory *memory, uint64_t address, uint64_t length)
{
    for (uint64_t at = address; at < address + length; at += MEMORY_PAGE)
        free_page(memory, at >> MEMORY_PAGE_BITS);
}
