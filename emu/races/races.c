/* See races.h. */
#include "emu/races/races.h"
#include "emu/decode/decode.h"
#include "emu/observed.h"
#include "emu/races/memory.h"
#include "standard_ids.h"
#include <stdlib.h>

enum {
    WORD_BYTES = 4,
    CELL_BYTES = 8,
    NEAR = 4,          /* instructions after a fence in which the store is that it belongs to */
    PAIRS_LIMIT = 256, /* races that are reported */
    RECENT = 4096,
};

/* Properties of an instruction that the detector needs. */
enum { IS_ATOMIC = 1, ACQUIRES = 2, RELEASES = 4 };

/* The classes of memory accesses that a fence orders, as the description numbers them. */
struct fence_set {
    int64_t reads, writes;
};

struct thread {
    uint32_t name;
    bool has_ended;
    struct race_clock now;
    struct race_clock released; /* at its last fence that releases */
    struct race_clock seen;     /* left by the writes that it has read; known after a fence */
    unsigned near;              /* instructions in which a store is that of the last fence */
    bool is_after;              /* that fence may also be that of the access before it */
    bool has_accessed;          /* its last instruction was a load, or a store with a fence */
};

/* Code that was asked about last. */
struct place {
    uint64_t pc;
    bool is_trusted;
};

struct races {
    struct race_observer observer;
    struct race_memory memory;
    struct thread *threads;
    unsigned count, capacity, running;
    bool is_active;          /* there was a second thread */
    bool is_synchronization; /* the current system call */
    bool is_given;           /* the clock of the running thread was given away */
    uint8_t *kinds;          /* of instructions, by id */
    struct fence_set set;
    struct race reported[PAIRS_LIMIT];
    unsigned reported_count;
    struct place recent[RECENT];
};

/* With which kinds an access of a kind is in a race. A load of one aligned word is not in one with
 * an atomic write. */
#define BIT(kind) (1u << (kind))
static const uint8_t conflicts[] = {
    [RACE_LOAD] = BIT(RACE_STORE) | BIT(RACE_RANGE_WRITE),
    [RACE_STORE] = 0xff,
    [RACE_ATOMIC] = BIT(RACE_STORE) | BIT(RACE_RANGE_WRITE) | BIT(RACE_RANGE_READ),
    [RACE_RANGE_READ] = BIT(RACE_STORE) | BIT(RACE_RANGE_WRITE) | BIT(RACE_ATOMIC),
    [RACE_RANGE_WRITE] = 0xff,
};

/* ---- the instructions ---- */

static bool ends_in(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length > tail && strcmp(name + length - tail, end) == 0;
}

static void find_kinds(struct races *races)
{
    races->kinds = race_memory_check(calloc(PSEUDO_FIRST, 1));
    for (unsigned id = 0; id < isa_instruction_count; id++) {
        const struct isa_instruction *instruction = &isa_instructions[id];
        const char *name = instruction->mnemonic;
        if (instruction->timing != isa_instructions[ISA_ID_LR_W].timing)
            continue;
        races->kinds[id] = IS_ATOMIC;
        if (ends_in(name, ".aq") || ends_in(name, ".aqrl"))
            races->kinds[id] |= ACQUIRES;
        if (ends_in(name, ".rl") || ends_in(name, ".aqrl"))
            races->kinds[id] |= RELEASES;
    }
}

static void find_fence_set(struct races *races)
{
    const struct isa_enum *values = isa_instructions[ISA_ID_FENCE].operands[0].type->values;

    for (unsigned i = 0; i < values->count; i++) {
        if (strcmp(values->values[i].name, "r") == 0)
            races->set.reads = values->values[i].value;
        if (strcmp(values->values[i].name, "w") == 0)
            races->set.writes = values->values[i].value;
    }
}

/* ---- threads ---- */

static struct thread *running(struct races *races)
{
    return &races->threads[races->running];
}

/* Begins a new time of the thread: the clocks that it has given away do not cover what it does
 * from now on. */
static void tick(struct races *races, unsigned thread)
{
    races->threads[thread].now.at[thread]++;
}

static unsigned add_thread(struct races *races)
{
    if (races->count == races->capacity) {
        races->capacity = races->capacity ? 2 * races->capacity : 8;
        races->threads = race_memory_check(
            reallocarray(races->threads, races->capacity, sizeof *races->threads));
    }
    races->threads[races->count] = (struct thread){0};
    return races->count++;
}

struct races *races_new(const struct race_observer *observer, uint32_t name)
{
    struct races *races = calloc(1, sizeof *races);

    if (!races || !race_memory_init(&races->memory)) {
        free(races);
        return NULL;
    }
    races->observer = *observer;
    add_thread(races);
    race_clock_set(&races->threads[0].now, 0, 1);
    races->threads[0].name = name;
    find_kinds(races);
    find_fence_set(races);
    return races;
}

uint64_t races_count(const struct races *races)
{
    return races ? races->reported_count : 0;
}

void races_run(struct races *races, unsigned thread)
{
    if (races)
        races->running = thread;
}

/* Returns the number for a new thread. That of an ended thread would hide its races with the new
 * one, so the running thread must know of its end, unless there are no more numbers. */
static unsigned free_number(struct races *races)
{
    const struct thread *parent = running(races);

    for (unsigned i = 0; i < races->count; i++) {
        const struct thread *thread = &races->threads[i];
        if (thread->has_ended &&
            (race_clock_get(&parent->now, i) >= thread->now.at[i] || races->count > UINT16_MAX))
            return i;
    }
    return add_thread(races);
}

unsigned races_start(struct races *races, uint32_t name)
{
    if (!races)
        return 0;
    unsigned number = free_number(races);
    struct thread *thread = &races->threads[number];
    uint32_t time = race_clock_get(&thread->now, number) + 1;
    race_clock_copy(&thread->now, &running(races)->now);
    race_clock_set(&thread->now, number, time);
    race_clock_free(&thread->released);
    race_clock_free(&thread->seen);
    thread->name = name;
    thread->near = 0;
    thread->has_ended = false;
    races->is_given = true;
    races->is_active = true;
    return number;
}

void races_end(struct races *races, unsigned thread)
{
    if (races)
        races->threads[thread].has_ended = true;
}

void races_join(struct races *races, unsigned thread)
{
    if (races)
        race_clock_join(&running(races)->now, &races->threads[thread].now);
}

void races_wake(struct races *races, unsigned thread)
{
    if (!races)
        return;
    race_clock_join(&races->threads[thread].now, &running(races)->now);
    races->is_given = true;
}

void races_meet(struct races *races, const unsigned *threads, size_t count)
{
    struct race_clock all = {0};

    for (size_t i = 0; races && i < count; i++)
        race_clock_join(&all, &races->threads[threads[i]].now);
    for (size_t i = 0; races && i < count; i++) {
        race_clock_copy(&races->threads[threads[i]].now, &all);
        tick(races, threads[i]);
    }
    race_clock_free(&all);
}

/* ---- releases and acquires ---- */

/* Adds a clock to those of the words. */
static void leave(struct race_cell *cell, unsigned first, unsigned last,
                  const struct race_clock *clock)
{
    if (!cell->release && clock->count == 0)
        return;
    if (!cell->release)
        cell->release = race_memory_check(calloc(1, sizeof *cell->release));
    for (unsigned i = first; i <= last; i++)
        race_clock_join(&cell->release->clocks[i], clock);
}

/* A plain write ends what earlier writes left, but for what fences before it released. */
static void replace(struct race_cell *cell, unsigned first, unsigned last,
                    const struct race_clock *clock)
{
    for (unsigned i = first; cell->release && i <= last; i++) {
        cell->release->is_cleared[i] = false;
        race_clock_copy(&cell->release->clocks[i], clock);
    }
}

/* A read of the words of a cell takes note of what happened before. */
static void read_releases(struct thread *thread, const struct race_cell *cell, unsigned first,
                          unsigned last, bool acquires)
{
    for (unsigned i = first; cell->release && i <= last; i++) {
        const struct race_clock *clock = &cell->release->clocks[i];
        bool is_known = acquires || cell->release->is_cleared[i];
        race_clock_join(is_known ? &thread->now : &thread->seen, clock);
    }
}

static bool is_released(const struct race_cell *cell, unsigned first, unsigned last,
                        const struct race_record *record)
{
    for (unsigned i = first; cell->release && i <= last; i++)
        if (race_clock_get(&cell->release->clocks[i], record->thread) >= record->time)
            return true;
    return false;
}

/* ---- accesses ---- */

struct access {
    uint64_t pc;
    enum race_kind kind;
    bool acquires, releases, is_trusted;
    bool is_word; /* it reads one aligned word, which may be a variable for synchronization */
};

static bool is_reported(const struct races *races, const struct race *race)
{
    for (unsigned i = 0; i < races->reported_count; i++)
        if (races->reported[i].first.pc == race->first.pc &&
            races->reported[i].second.pc == race->second.pc)
            return true;
    return false;
}

static void report(struct races *races, const struct access *access,
                   const struct race_record *record, uint64_t address, uint8_t bytes)
{
    unsigned both = record->bytes & bytes;
    struct race race = {
        .first = {record->pc, races->threads[record->thread].name, (enum race_kind)record->kind},
        .second = {access->pc, running(races)->name, access->kind},
        .address = (address & -(uint64_t)CELL_BYTES) + (unsigned)__builtin_ctz(both),
        .size = (unsigned)__builtin_popcount(both),
    };

    if (races->reported_count == PAIRS_LIMIT || is_reported(races, &race))
        return;
    races->reported[races->reported_count++] = race;
    races->observer.report(races->observer.context, &race);
}

/* Does the new access make the record superfluous? It does when it comes after it, and every race
 * with the record would be one with the new access. */
static bool is_covered(const struct thread *thread, unsigned number,
                       const struct race_record *record, enum race_kind kind)
{
    bool is_earlier =
        record->thread == number || record->time <= race_clock_get(&thread->now, record->thread);

    return is_earlier && (conflicts[record->kind] & ~conflicts[kind]) == 0;
}

/* Compares an access to bytes of one doubleword with the earlier ones, and records it. */
static void look_at_cell(struct races *races, struct race_cell *cell, const struct access *access,
                         uint64_t address, uint8_t bytes)
{
    const struct thread *thread = running(races);
    unsigned number = races->running;
    unsigned first = !(bytes & 0xf), last = bytes > 0xf;
    struct race_record *record = cell->records;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < cell->count; i++) {
        struct race_record *old = &cell->records[i];
        bool is_race = old->thread != number && old->bytes & bytes &&
                       BIT(access->kind) & conflicts[old->kind] &&
                       old->time > race_clock_get(&thread->now, old->thread);
        if (is_race && !(access->is_word && is_released(cell, first, last, old)))
            report(races, access, old, address, bytes);
        if (is_covered(thread, number, old, access->kind))
            old->bytes &= (uint8_t)~bytes;
        if (old->bytes)
            record[kept++] = *old;
    }
    cell->count = kept;
    const struct race_record new = {access->pc, thread->now.at[number], (uint16_t)number, bytes,
                                    (uint8_t)access->kind};
    race_memory_add(cell, &new);
}

static bool is_trusted(struct races *races, uint64_t pc)
{
    struct place *place = &races->recent[pc / 2 % RECENT];

    if (place->pc != pc)
        *place = (struct place){pc, races->observer.is_trusted(races->observer.context, pc)};
    return place->is_trusted;
}

/* An access to bytes of one doubleword. */
static void access_cell(struct races *races, const struct access *access, uint64_t address,
                        uint8_t bytes)
{
    struct race_cell *cell = race_memory_cell(&races->memory, address);
    struct thread *thread = running(races);
    unsigned first = !(bytes & 0xf), last = bytes > 0xf;

    if (access->is_word)
        read_releases(thread, cell, first, last, access->acquires);
    if (!access->is_trusted)
        look_at_cell(races, cell, access, address, bytes);
    if (access->kind == RACE_ATOMIC)
        leave(cell, first, last, access->releases ? &thread->now : &thread->released);
    else if (access->kind == RACE_STORE || access->kind == RACE_RANGE_WRITE)
        replace(cell, first, last, &thread->released);
}

static void access_memory(struct races *races, const struct access *access, uint64_t address,
                          uint64_t size)
{
    while (size) {
        unsigned offset = address % CELL_BYTES;
        unsigned count = size < CELL_BYTES - offset ? (unsigned)size : CELL_BYTES - offset;
        access_cell(races, access, address, (uint8_t)(((1u << count) - 1) << offset));
        address += count;
        size -= count;
    }
    races->is_given |= access->releases;
}

/* ---- instructions ---- */

static void look_at_fence(struct races *races, const struct observed *observed)
{
    const struct isa_instruction *instruction =
        isa_decode(observed->record.word, observed->record.length);
    const struct fence_set *set = &races->set;
    struct thread *thread = running(races);
    int64_t before = set->reads | set->writes, after = set->writes;
    bool acquires = true;

    if (observed->id == ISA_ID_FENCE) {
        before = isa_extract(&instruction->operands[0], observed->record.word);
        after = isa_extract(&instruction->operands[1], observed->record.word);
        acquires = before & set->reads && after & set->reads;
    }
    if (acquires)
        race_clock_join(&thread->now, &thread->seen);
    if (before & set->writes && after & set->writes) {
        race_clock_copy(&thread->released, &thread->now);
        tick(races, races->running);
        thread->near = NEAR + 1;
        thread->is_after = acquires && thread->has_accessed;
    }
}

/* Returns what the instruction is. A store conditional acquires and releases whatever it says: GCC
 * up to version 12 leaves out the release of a compare-and-exchange. */
static unsigned find_kind(const struct races *races, const struct observed *observed,
                          const struct recorder *recorder, bool *has_store)
{
    unsigned kind = observed->id < PSEUDO_FIRST ? races->kinds[observed->id] : 0;
    bool has_load = false;

    *has_store = false;
    for (size_t i = 0; i < recorder->count; i++) {
        *has_store |= recorder->effects[i].kind == EFFECT_STORE;
        has_load |= recorder->effects[i].kind == EFFECT_LOAD;
    }
    return kind & IS_ATOMIC && *has_store && !has_load ? kind | ACQUIRES | RELEASES : kind;
}

/* Describes an effect of the instruction as an access. Returns false when it is none, or when
 * another effect says more. */
static bool describe(struct races *races, const struct effect *effect, unsigned kind,
                     bool has_store, struct access *access)
{
    const struct thread *thread = running(races);
    bool is_atomic = kind & IS_ATOMIC;
    bool is_word = effect->size && effect->address % effect->size == 0;

    *access = (struct access){.acquires = kind & ACQUIRES};
    switch (effect->kind) {
    case EFFECT_LOAD:
        access->is_word = is_word;
        access->kind = is_word ? RACE_LOAD : RACE_RANGE_READ;
        return !(is_atomic && has_store);
    case EFFECT_STORE:
        access->is_word = is_atomic;
        is_atomic |= is_word && thread->near && !thread->is_after;
        access->kind = is_atomic ? RACE_ATOMIC : RACE_STORE;
        access->releases = is_atomic && (thread->near || kind & RELEASES);
        return true;
    case EFFECT_RANGE_READ:
        access->kind = races->is_synchronization ? RACE_LOAD : RACE_RANGE_READ;
        return effect->length > 0;
    case EFFECT_RANGE_WRITE:
        access->kind = races->is_synchronization ? RACE_ATOMIC : RACE_RANGE_WRITE;
        return effect->length > 0;
    default:
        return false;
    }
}

/* Looks at the effects. Returns whether there was an access that fences go with: a load, or a store
 * with a fence before it. */
static bool look_at_effects(struct races *races, const struct observed *observed,
                            const struct recorder *recorder)
{
    bool has_store, has_accessed = false, ends_fence = false;
    unsigned kind = find_kind(races, observed, recorder, &has_store);
    struct access access;

    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (!describe(races, effect, kind, has_store, &access))
            continue;
        access.pc = observed->record.pc;
        access.is_trusted = is_trusted(races, observed->record.pc);
        access_memory(races, &access, effect->address, effect->length);
        ends_fence |= has_store || !(kind & IS_ATOMIC);
        has_accessed |= access.kind == RACE_LOAD || access.kind == RACE_ATOMIC;
    }
    if (ends_fence)
        running(races)->near = 0;
    return has_accessed;
}

void races_look(struct races *races, const struct observed *observed,
                const struct recorder *recorder)
{
    struct thread *thread = running(races);

    if (!races->is_active)
        return;
    if (observed->id == ISA_ID_FENCE || observed->id == ISA_ID_FENCE_TSO) {
        look_at_fence(races, observed);
        thread->has_accessed = false;
        return;
    }
    if (thread->near)
        thread->near--;
    thread->has_accessed = look_at_effects(races, observed, recorder);
    if (races->is_given)
        tick(races, races->running);
    races->is_synchronization = races->is_given = false;
}

/* ---- system calls ---- */

void races_call(struct races *races)
{
    if (races)
        races->is_synchronization = false;
}

void races_synchronize(struct races *races)
{
    if (races)
        races->is_synchronization = true;
}

void races_acquire(struct races *races, uint64_t address)
{
    unsigned word = address % CELL_BYTES / WORD_BYTES;

    if (races && races->is_active)
        read_releases(running(races), race_memory_cell(&races->memory, address), word, word, true);
}

void races_release(struct races *races, uint64_t address)
{
    unsigned word = address % CELL_BYTES / WORD_BYTES;

    if (!races || !races->is_active)
        return;
    leave(race_memory_cell(&races->memory, address), word, word, &running(races)->now);
    races->is_given = true;
}

void races_clear(struct races *races, uint64_t address)
{
    unsigned word = address % CELL_BYTES / WORD_BYTES;

    if (!races || !races->is_active)
        return;
    struct race_cell *cell = race_memory_cell(&races->memory, address);
    leave(cell, word, word, &running(races)->now);
    cell->release->is_cleared[word] = true;
}

void races_forget(struct races *races, uint64_t address, uint64_t length)
{
    if (races)
        race_memory_forget(&races->memory, address, length);
}
