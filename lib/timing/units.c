/* The instruction queue Q, the dependency unit P, the storage queue S, and the units M. A cycle is
 * computed only if something may change in it: an instruction arrived, finishes, or its unit is
 * free again. Between two such cycles, all counters grow evenly. */
#include "lib/timing/parts.h"
#include <stdio.h>
#include <stdlib.h>

static bool is_unfinished(const struct entry *entry, uint64_t cycle)
{
    return entry->e == PIPELINE_NEVER || entry->e > cycle;
}

/* ---- what an entry waits for ---- */

/* Returns why it cannot go on in this cycle; UNIT_ORDER: no older instruction conflicts. */
static enum pipeline_state find_conflict(const struct backend *backend, const struct entry *entry,
                                         uint64_t cycle, uint64_t *blocker)
{
    enum pipeline_state state = UNIT_ORDER;

    for (size_t i = 0; i < entry->dependence_count && state != UNIT_RAW; i++) {
        const struct dependence *dependence = &entry->dependences[i];
        const struct entry *older = backend_entry(backend, dependence->entry);
        if (older->number != dependence->entry || !is_unfinished(older, cycle))
            continue;
        enum pipeline_state cause = dependence->conflicts & CONFLICT_RAW   ? UNIT_RAW
                                    : dependence->conflicts & CONFLICT_WAW ? UNIT_WAW
                                                                           : UNIT_WAR;
        if (cause < state) {
            state = cause;
            *blocker = older->sequence;
        }
    }
    return state;
}

static int find_engine(const struct unit *unit, uint64_t cycle)
{
    for (unsigned i = 0; i < unit->resources; i++)
        if (unit->free[i] <= cycle)
            return (int)i;
    return -1;
}

/* Notes why an entry did not go on, the first time. */
static void note_wait(const struct backend *backend, struct entry *entry, uint64_t cycle)
{
    if (entry->wait == UNIT_EMPTY)
        entry->wait = find_conflict(backend, entry, cycle, &entry->blocker);
}

static bool can_start(const struct backend *backend, const struct entry *entry, uint64_t cycle)
{
    uint64_t blocker;

    return find_conflict(backend, entry, cycle, &blocker) == UNIT_ORDER &&
           find_engine(&backend->units[entry->unit], cycle) >= 0;
}

/* Finds the older instructions that are unfinished in this cycle and conflict. */
static void find_dependences(struct backend *backend, struct entry *entry, uint64_t cycle)
{
    while (backend->unfinished < entry->number &&
           !is_unfinished(backend_entry(backend, backend->unfinished), cycle))
        backend->unfinished++;
    entry->dependence_count = 0;
    for (uint64_t i = backend->unfinished; i < entry->number; i++) {
        const struct entry *older = backend_entry(backend, i);
        unsigned conflicts = is_unfinished(older, cycle)
                                 ? footprint_conflicts(&entry->footprint, &older->footprint)
                                 : 0;
        if (!conflicts)
            continue;
        if (entry->dependence_count == entry->dependence_capacity) {
            size_t capacity = entry->dependence_capacity ? 2 * entry->dependence_capacity : 8;
            struct dependence *grown = reallocarray(entry->dependences, capacity, sizeof *grown);
            if (!grown) {
                fputs("error: out of memory\n", stderr);
                exit(1);
            }
            entry->dependences = grown;
            entry->dependence_capacity = capacity;
        }
        entry->dependences[entry->dependence_count++] = (struct dependence){i, conflicts};
    }
}

/* ---- registers ---- */

static void update_readable(struct entry *entry)
{
    uint64_t last = entry->q;

    for (unsigned i = 0; i < entry->read_count; i++)
        if (entry->reads[i].cycle > last)
            last = entry->reads[i].cycle;
    entry->readable = last == PIPELINE_NEVER ? last : last + 1;
}

static void note_read(struct pipeline *pipeline, const struct entry_read *read)
{
    struct source *source = &pipeline->registers[read->number];

    if (read->cycle != PIPELINE_NEVER && read->cycle + 1 > source->read)
        source->read = read->cycle + 1;
}

/* Tells those who wait for a register that an entry writes in which cycle it is usable. */
static void publish(struct pipeline *pipeline, const struct entry *entry)
{
    struct backend *backend = &pipeline->backend;

    for (unsigned i = 0; i < entry->write_count; i++) {
        struct source *source = &pipeline->registers[entry->writes[i]];
        if (source->ready == PIPELINE_NEVER && source->producer == entry->number)
            source->ready = entry->e;
    }
    for (uint64_t i = backend->left; entry->write_count && i < backend->count; i++) {
        struct entry *waiting = backend_entry(backend, i);
        for (unsigned k = 0; k < waiting->read_count; k++) {
            struct entry_read *read = &waiting->reads[k];
            if (read->cycle != PIPELINE_NEVER || read->producer != entry->number)
                continue;
            read->cycle = entry->e > waiting->q ? entry->e : waiting->q;
            note_read(pipeline, read);
        }
        update_readable(waiting);
    }
}

/* ---- a cycle ---- */

static void start(struct pipeline *pipeline, struct entry *entry, uint64_t cycle)
{
    struct unit *unit = &pipeline->backend.units[entry->unit];

    entry->m = cycle;
    entry->e = cycle + entry->cycles;
    unit->free[find_engine(unit, cycle)] = cycle + entry->occupancy;
    if (entry->e > unit->busy)
        unit->busy = entry->e;
    if (entry->site)
        entry->site->unit_cycles += entry->cycles;
    publish(pipeline, entry);
}

/* Sends an entry of the storage queue to its unit. Returns the unit, or -1. */
static int send_stored(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;
    unsigned limit = backend->oldest || !backend->stored_count ? backend->stored_count : 1;

    for (unsigned i = 0; i < limit; i++) {
        struct entry *entry = backend->stored[i];
        if (!can_start(backend, entry, cycle))
            continue;
        start(pipeline, entry, cycle);
        backend->stored_count--;
        for (; i < backend->stored_count; i++)
            backend->stored[i] = backend->stored[i + 1];
        return (int)entry->unit;
    }
    return -1;
}

/* Lets the instruction in P go on. Returns whether it left. */
static bool send_staged(struct pipeline *pipeline, uint64_t cycle, int sent)
{
    struct backend *backend = &pipeline->backend;
    struct entry *entry = backend->stage;

    if (!entry)
        return false;
    backend->is_stuck = false;
    if (entry->has_trapped) {
        /* It ended in P. */
    } else if (sent != (int)entry->unit && can_start(backend, entry, cycle)) {
        start(pipeline, entry, cycle);
    } else {
        note_wait(backend, entry, cycle);
        if (backend->stored_count >= backend->storage) {
            backend->is_stuck = true;
            return false;
        }
        entry->s = cycle;
        backend->stored[backend->stored_count++] = entry;
    }
    backend->stage = NULL;
    return true;
}

static bool take_queued(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;
    struct entry *entry = backend_entry(backend, backend->left);

    if (backend->stage || backend->left == backend->count || entry->readable > cycle)
        return false;
    backend->stage = entry;
    backend->left++;
    backend->units[entry->unit].queued--;
    backend->queue_cycles += cycle - entry->q;
    entry->p = cycle;
    if (entry->has_trapped) {
        entry->e = cycle + 1;
        publish(pipeline, entry);
    } else {
        find_dependences(backend, entry, cycle);
    }
    return true;
}

static enum pipeline_state find_state(const struct backend *backend, unsigned number,
                                      uint64_t cycle)
{
    const struct unit *unit = &backend->units[number];
    const struct entry *oldest =
        backend->stage && backend->stage->unit == number && !backend->stage->has_trapped
            ? backend->stage
            : NULL;
    uint64_t blocker;

    if (unit->busy > cycle)
        return UNIT_BUSY;
    for (unsigned i = 0; i < backend->stored_count; i++) {
        if (backend->stored[i]->unit == number) {
            oldest = backend->stored[i];
            break;
        }
    }
    if (oldest)
        return find_conflict(backend, oldest, cycle, &blocker);
    return unit->queued ? UNIT_QUEUE : UNIT_EMPTY;
}

static void earlier(uint64_t *next, uint64_t cycle, uint64_t after)
{
    if (cycle > after && cycle < *next)
        *next = cycle;
}

/* Returns the next cycle in which something may change, when nothing did in this one. */
static uint64_t find_next(const struct backend *backend, uint64_t cycle)
{
    uint64_t next = PIPELINE_NEVER;

    for (unsigned i = 0; i < backend->unit_count; i++) {
        const struct unit *unit = &backend->units[i];
        earlier(&next, unit->busy, cycle);
        for (unsigned k = 0; k < unit->resources; k++)
            earlier(&next, unit->free[k], cycle);
    }
    /* Engines of a unit may finish before the last one does. */
    for (uint64_t i = backend->unfinished; i < backend->left; i++)
        earlier(&next, backend_entry(backend, i)->e, cycle);
    if (backend->left < backend->count)
        earlier(&next, backend_entry(backend, backend->left)->readable, cycle);
    return next;
}

static void run_cycle(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    backend_account(backend, cycle);
    backend->now = cycle;
    int sent = send_stored(pipeline, cycle);
    bool has_changed = sent >= 0;
    has_changed |= send_staged(pipeline, cycle, sent);
    has_changed |= take_queued(pipeline, cycle);
    for (unsigned i = 0; i < backend->unit_count; i++)
        backend->units[i].state = find_state(backend, i, cycle);
    backend->next = has_changed ? cycle + 1 : find_next(backend, cycle);
}

/* ---- counters ---- */

static void count_waits(const struct backend *backend, struct entry *entry, uint64_t length)
{
    uint64_t blocker;

    if (entry->site)
        entry->site->waits[find_conflict(backend, entry, backend->now, &blocker)] += length;
}

void backend_account(struct backend *backend, uint64_t end)
{
    uint64_t length = end - backend->accounted;

    if (end <= backend->accounted)
        return;
    for (unsigned i = 0; i < backend->unit_count; i++)
        backend->units[i].cycles[backend->units[i].state] += length;
    for (unsigned i = 0; i < backend->stored_count; i++)
        count_waits(backend, backend->stored[i], length);
    if (backend->stage && backend->is_stuck && backend->stage->site)
        backend->stage->site->storage_full += length;
    backend->storage_cycles += backend->stored_count * length;
    if (backend->stored_count > backend->storage_most)
        backend->storage_most = backend->stored_count;
    backend->accounted = end;
}

/* ---- the interface ---- */

void backend_run(struct pipeline *pipeline, uint64_t limit)
{
    while (pipeline->backend.next <= limit && pipeline->backend.next != PIPELINE_NEVER)
        run_cycle(pipeline, pipeline->backend.next);
}

void backend_finish(struct pipeline *pipeline, const struct entry *entry)
{
    while (entry->e == PIPELINE_NEVER)
        run_cycle(pipeline, pipeline->backend.next);
}

static void fill_reads(struct pipeline *pipeline, struct entry *entry,
                       const struct pipeline_instruction *instruction)
{
    entry->read_count = instruction->read_count;
    for (unsigned i = 0; i < entry->read_count; i++) {
        const struct source *source = &pipeline->registers[instruction->reads[i]];
        struct entry_read *read = &entry->reads[i];
        *read = (struct entry_read){instruction->reads[i], PIPELINE_NEVER, source->producer};
        if (source->ready != PIPELINE_NEVER)
            read->cycle = source->ready > entry->q ? source->ready : entry->q;
        note_read(pipeline, read);
    }
    update_readable(entry);
}

struct entry *backend_add(struct pipeline *pipeline, const struct pipeline_instruction *instruction,
                          uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;
    struct entry *entry = backend_entry(backend, backend->count);

    backend_run(pipeline, cycle);
    backend_account(backend, cycle + 1);
    entry->number = backend->count++;
    entry->sequence = pipeline->count;
    entry->unit = (unsigned)instruction->unit;
    entry->has_trapped = instruction->has_trapped;
    entry->cycles = instruction->cycles;
    entry->occupancy = instruction->occupancy;
    entry->q = cycle;
    entry->p = entry->s = entry->m = entry->e = PIPELINE_NEVER;
    entry->dependence_count = 0;
    entry->wait = UNIT_EMPTY;
    entry->blocker = PIPELINE_NEVER;
    entry->site = instruction->site;
    if (!footprint_set(&entry->footprint, instruction->ranges, instruction->range_count,
                       pipeline->settings.granule)) {
        fputs("error: out of memory\n", stderr);
        exit(1);
    }
    fill_reads(pipeline, entry, instruction);
    entry->write_count = instruction->write_count;
    for (unsigned i = 0; i < entry->write_count; i++) {
        struct source *source = &pipeline->registers[instruction->writes[i]];
        entry->writes[i] = instruction->writes[i];
        source->ready = PIPELINE_NEVER;
        source->producer = entry->number;
    }
    backend->units[entry->unit].queued++;
    if (backend->count - backend->left > backend->queue_most)
        backend->queue_most = backend->count - backend->left;
    if (cycle + 1 < backend->next)
        backend->next = cycle + 1;
    return entry;
}
