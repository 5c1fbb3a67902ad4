/* The instruction queue Q, the dependency unit P, the storage queue S, and the units M. A cycle is
 * computed only if something may change in it: an instruction arrived, finishes, or its unit is
 * free again. Between two such cycles, all counters grow evenly. */
#include "lib/timing/parts.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_unfinished(const struct entry *entry, uint64_t cycle)
{
    return entry->e == PIPELINE_NEVER || entry->e > cycle;
}

/* ---- what an entry waits for ---- */

static enum pipeline_state cause_of(const struct dependence *dependence)
{
    return dependence->conflicts & CONFLICT_RAW   ? UNIT_RAW
           : dependence->conflicts & CONFLICT_WAW ? UNIT_WAW
                                                  : UNIT_WAR;
}

/* Returns why it cannot go on in this cycle; UNIT_ORDER: no older instruction conflicts. The cycle
 * is never before that of the last call. */
static enum pipeline_state find_conflict(const struct backend *backend, struct entry *entry,
                                         uint64_t cycle)
{
    while (entry->conflict < UNIT_ORDER) {
        for (; entry->conflict_index < entry->dependence_count; entry->conflict_index++) {
            const struct dependence *dependence = &entry->dependences[entry->conflict_index];
            const struct entry *older = backend_entry(backend, dependence->entry);
            if (cause_of(dependence) != entry->conflict || older->number != dependence->entry)
                continue;
            if (is_unfinished(older, cycle))
                return entry->conflict;
            if (older->e > entry->ended[entry->conflict])
                entry->ended[entry->conflict] = older->e;
        }
        entry->conflict++;
        entry->conflict_index = 0;
    }
    return UNIT_ORDER;
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
    if (entry->wait != UNIT_EMPTY)
        return;
    entry->wait = find_conflict(backend, entry, cycle);
    if (entry->wait < UNIT_ORDER)
        entry->blocker =
            backend_entry(backend, entry->dependences[entry->conflict_index].entry)->sequence;
}

static bool can_start(const struct backend *backend, struct entry *entry, uint64_t cycle)
{
    return find_conflict(backend, entry, cycle) == UNIT_ORDER &&
           find_engine(&backend->units[entry->unit], cycle) >= 0;
}

static void add_dependence(struct entry *entry, uint64_t older, unsigned conflicts)
{
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
    entry->dependences[entry->dependence_count++] = (struct dependence){older, conflicts};
}

static void reverse(struct dependence *items, size_t count)
{
    for (size_t i = 0; i < count / 2; i++) {
        struct dependence other = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = other;
    }
}

static bool meets(const struct span *a, const struct span *b)
{
    return a->first <= b->last && b->first <= a->last;
}

static unsigned find_conflicts(const struct entry *younger, const struct entry *older)
{
    if (!meets(&younger->reads_within, &older->writes_within) &&
        !meets(&younger->writes_within, &older->writes_within) &&
        !meets(&younger->writes_within, &older->reads_within))
        return 0;
    return footprint_conflicts(&younger->footprint, &older->footprint);
}

/* Finds the older instructions that are unfinished in this cycle and conflict. Without an
 * observer, those are left out that are finished before another one starts whose conflict is as
 * strong; with one, all are listed, the oldest first. */
static void find_dependences(struct backend *backend, struct entry *entry, uint64_t cycle)
{
    uint64_t before[UNIT_ORDER] = {0}; /* by cause: what is finished before such a dependence */

    while (backend->unfinished < entry->number &&
           !is_unfinished(backend_entry(backend, backend->unfinished), cycle))
        backend->unfinished++;
    entry->dependence_count = entry->conflict_index = 0;
    entry->conflict = UNIT_RAW;
    memset(entry->ended, 0, sizeof entry->ended);
    entry->before = 0;
    for (uint64_t i = entry->number; i-- > backend->unfinished;) {
        const struct entry *older = backend_entry(backend, i);
        uint64_t distance = entry->number - 1 - i;
        uint64_t bit = distance < 64 ? UINT64_C(1) << distance : 0;
        if (before[UNIT_RAW] & bit || !is_unfinished(older, cycle))
            continue;
        unsigned conflicts = find_conflicts(entry, older);
        if (!conflicts)
            continue;
        enum pipeline_state cause = cause_of(&(struct dependence){i, conflicts});
        if (before[cause] & bit)
            continue;
        add_dependence(entry, i, conflicts);
        uint64_t also = distance < 63 ? older->before << (distance + 1) : 0;
        entry->before |= bit | also;
        if (backend->has_observer)
            continue;
        for (enum pipeline_state weaker = cause; weaker < UNIT_ORDER; weaker++)
            before[weaker] |= also;
    }
    if (backend->has_observer)
        reverse(entry->dependences, entry->dependence_count);
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

/* Remembers that an entry finishes in the cycle `end`. */
static void run_until(struct backend *backend, uint64_t end, uint64_t cycle)
{
    if (backend->running_count == ENTRIES) {
        unsigned kept = 0;
        for (unsigned i = 0; i < ENTRIES; i++)
            if (backend->running[i] > cycle)
                backend->running[kept++] = backend->running[i];
        backend->running_count = kept;
    }
    backend->running[backend->running_count++] = end;
}

static void start(struct pipeline *pipeline, struct entry *entry, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;
    struct unit *unit = &backend->units[entry->unit];

    entry->m = cycle;
    entry->e = cycle + entry->cycles;
    run_until(backend, entry->e, cycle);
    unit->free[find_engine(unit, cycle)] = cycle + entry->occupancy;
    if (entry->e > unit->busy)
        unit->busy = entry->e;
    if (entry->site)
        entry->site->unit_cycles += entry->cycles;
    publish(pipeline, entry);
}

/* Counts for what an entry waited in the storage queue, which it now leaves. All that it waited for
 * is finished. */
static void count_waits(struct entry *entry)
{
    uint64_t cycle = entry->s;

    for (enum pipeline_state cause = UNIT_RAW; cause < UNIT_ORDER; cause++) {
        if (entry->ended[cause] <= cycle)
            continue;
        entry->site->waits[cause] += entry->ended[cause] - cycle;
        cycle = entry->ended[cause];
    }
    entry->site->waits[UNIT_ORDER] += entry->m - cycle;
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
        if (entry->site)
            count_waits(entry);
        backend->stored_count--;
        memmove(&backend->stored[i], &backend->stored[i + 1],
                (backend->stored_count - i) * sizeof *backend->stored);
        memmove(&backend->stored_units[i], &backend->stored_units[i + 1],
                backend->stored_count - i);
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
        backend->stored_units[backend->stored_count] = (unsigned char)entry->unit;
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
    struct entry *oldest =
        backend->stage && backend->stage->unit == number && !backend->stage->has_trapped
            ? backend->stage
            : NULL;

    if (unit->busy > cycle)
        return UNIT_BUSY;
    const unsigned char *stored = memchr(backend->stored_units, (int)number, backend->stored_count);
    if (stored)
        oldest = backend->stored[stored - backend->stored_units];
    if (oldest)
        return find_conflict(backend, oldest, cycle);
    return unit->queued ? UNIT_QUEUE : UNIT_EMPTY;
}

static void earlier(uint64_t *next, uint64_t cycle, uint64_t after)
{
    if (cycle > after && cycle < *next)
        *next = cycle;
}

/* Returns the next cycle in which something may change, when nothing did in this one. */
static uint64_t find_next(struct backend *backend, uint64_t cycle)
{
    uint64_t next = PIPELINE_NEVER;
    unsigned kept = 0;

    for (unsigned i = 0; i < backend->unit_count; i++) {
        const struct unit *unit = &backend->units[i];
        earlier(&next, unit->busy, cycle);
        for (unsigned k = 0; k < unit->resources; k++)
            earlier(&next, unit->free[k], cycle);
    }
    /* Engines of a unit may finish before the last one does. */
    for (unsigned i = 0; i < backend->running_count; i++) {
        earlier(&next, backend->running[i], cycle);
        if (backend->running[i] > cycle)
            backend->running[kept++] = backend->running[i];
    }
    backend->running_count = kept;
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

void backend_account(struct backend *backend, uint64_t end)
{
    uint64_t length = end - backend->accounted;

    if (end <= backend->accounted)
        return;
    for (unsigned i = 0; i < backend->unit_count; i++)
        backend->units[i].cycles[backend->units[i].state] += length;
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

/* Returns the range from the first to the last of the spans. */
static struct span bounds_of(const struct spans *spans)
{
    return spans->count ? (struct span){spans->items[0].first, spans->items[spans->count - 1].last}
                        : (struct span){1, 0};
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
    entry->before = 0;
    entry->wait = UNIT_EMPTY;
    entry->blocker = PIPELINE_NEVER;
    entry->site = instruction->site;
    if (!footprint_set(&entry->footprint, instruction->ranges, instruction->range_count,
                       pipeline->settings.granule)) {
        fputs("error: out of memory\n", stderr);
        exit(1);
    }
    entry->reads_within = bounds_of(&entry->footprint.reads);
    entry->writes_within = bounds_of(&entry->footprint.writes);
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

/* ---- for observers ---- */

void backend_list_blockers(struct pipeline *pipeline, struct pipeline_record *record,
                           const struct entry *entry)
{
    if (entry->dependence_count > pipeline->blocker_capacity) {
        uint64_t *grown = reallocarray(pipeline->blockers, entry->dependence_count, sizeof *grown);
        if (!grown)
            return;
        pipeline->blockers = grown;
        pipeline->blocker_capacity = entry->dependence_count;
    }
    for (size_t i = 0; i < entry->dependence_count; i++) {
        const struct entry *older = backend_entry(&pipeline->backend, entry->dependences[i].entry);
        if (older->number == entry->dependences[i].entry && older->e > entry->p + 1)
            pipeline->blockers[record->blocker_count++] = older->sequence;
    }
    record->blockers = pipeline->blockers;
}

void backend_fill_record(struct pipeline_record *record, const struct entry *entry)
{
    record->p = entry->p;
    record->s = entry->s;
    record->m = entry->m;
    record->pipe = entry->m == PIPELINE_NEVER ? PIPELINE_NEVER : entry->m + entry->occupancy;
    record->wait = entry->wait;
    record->blocker = entry->blocker;
}
