/* The front end: F, D, and X of the scalar core; and C. All that can stop an instruction in D goes
 * away at a certain cycle and does not come back, so the cycle in which it leaves D is the latest
 * of these, and the cause of each cycle before is the first one in the order of timing.md that
 * still holds. */
#include "lib/timing/parts.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *const pipeline_stall_names[STALL_ALL] = {
    "fill",  "branch", "window",    "operand",    "waw",  "war",    "unit",
    "fence", "memory", "traversal", "queue-full", "sync", "barrier"};
const char *const pipeline_state_names[UNIT_STATES] = {"busy",  "raw",   "waw",  "war",
                                                       "order", "queue", "empty"};

static bool allocate(struct pipeline *pipeline)
{
    struct backend *backend = &pipeline->backend;
    uint64_t size = 2, contexts = pipeline->settings.threads ? pipeline->settings.threads : 1;

    while (size <= pipeline->settings.window)
        size *= 2;
    pipeline->mask = size - 1;
    pipeline->pending = calloc(size, sizeof *pipeline->pending);
    pipeline->registers =
        calloc(contexts * pipeline->settings.register_count + 1, sizeof *pipeline->registers);
    pipeline->classes =
        calloc(contexts * pipeline->settings.class_count + 1, sizeof *pipeline->classes);
    backend->mask = (pipeline->settings.threads ? (uint64_t)ENTRIES : 2 * size) - 1;
    backend->entries = calloc(backend->mask + 1, sizeof *backend->entries);
    return pipeline->pending && pipeline->registers && pipeline->classes && backend->entries &&
           walks_init(&pipeline->walks, &pipeline->settings.walk) && threads_init(pipeline);
}

struct pipeline *pipeline_new(const struct pipeline_settings *settings)
{
    struct pipeline *pipeline = calloc(1, sizeof *pipeline);

    if (!pipeline)
        return NULL;
    pipeline->settings = *settings;
    struct backend *backend = &pipeline->backend;
    backend->queue = settings->queue;
    backend->storage = settings->storage;
    backend->oldest = settings->oldest;
    backend->unit_count = settings->unit_count;
    backend->next = PIPELINE_NEVER;
    for (unsigned i = 0; i < settings->unit_count; i++) {
        backend->units[i].resources = settings->resources[i];
        backend->units[i].state = UNIT_EMPTY;
    }
    if (allocate(pipeline))
        return pipeline;
    pipeline_free(pipeline);
    return NULL;
}

void pipeline_free(struct pipeline *pipeline)
{
    if (!pipeline)
        return;
    for (uint64_t i = 0; pipeline->backend.entries && i <= pipeline->backend.mask; i++) {
        footprint_free(&pipeline->backend.entries[i].footprint);
        free(pipeline->backend.entries[i].dependences);
    }
    footprint_free(&pipeline->footprint);
    walks_free(&pipeline->walks);
    threads_free(pipeline);
    free(pipeline->backend.entries);
    free(pipeline->pending);
    free(pipeline->blockers);
    free(pipeline->records);
    free(pipeline->registers);
    free(pipeline->classes);
    free(pipeline);
}

void pipeline_observe(struct pipeline *pipeline, pipeline_observer *observer, void *context)
{
    if (!pipeline->records)
        pipeline->records = calloc(pipeline->mask + 1, sizeof *pipeline->records);
    if (!pipeline->records || pipeline->observer_count == PIPELINE_OBSERVERS)
        return;
    pipeline->backend.has_observer = true;
    pipeline->observers[pipeline->observer_count] = observer;
    pipeline->observer_contexts[pipeline->observer_count++] = context;
}

/* ---- C ---- */

static void show(struct pipeline *pipeline, uint64_t sequence, const struct pending *pending)
{
    struct pipeline_record *record = &pipeline->records[sequence & pipeline->mask];
    const struct entry *entry = pending->entry;

    record->e = pending->e;
    record->c = pending->c;
    if (entry) {
        backend_fill_record(record, entry);
        if (!entry->has_trapped)
            backend_list_blockers(pipeline, record, entry);
    }
    for (unsigned i = 0; i < pipeline->observer_count; i++)
        pipeline->observers[i](pipeline->observer_contexts[i], record);
}

/* Commits all instructions whose E is known: mostly the one that was just added. */
static inline void commit_known(struct pipeline *pipeline)
{
    while (pipeline->committed < pipeline->count) {
        struct pending *pending = &pipeline->pending[pipeline->committed & pipeline->mask];
        if (pending->entry)
            pending->e = pending->entry->e;
        if (pending->e == PIPELINE_NEVER)
            return;
        if (pending->e > pipeline->commit)
            pipeline->commit = pending->e;
        pending->c = pipeline->commit;
        if (pipeline->observer_count)
            show(pipeline, pipeline->committed, pending);
        pipeline->committed++;
    }
}

/* Computes as many cycles as it takes for the instruction to commit. */
static __attribute__((noinline)) void commit_through(struct pipeline *pipeline, uint64_t sequence)
{
    while (pipeline->committed <= sequence) {
        const struct pending *pending = &pipeline->pending[pipeline->committed & pipeline->mask];
        if (pending->entry)
            backend_finish(pipeline, pending->entry);
        commit_known(pipeline);
    }
}

/* Returns C of an instruction, which may be computed only now. */
static inline uint64_t commit_cycle(struct pipeline *pipeline, uint64_t sequence)
{
    if (pipeline->committed <= sequence)
        commit_through(pipeline, sequence);
    return pipeline->pending[sequence & pipeline->mask].c;
}

/* ---- F and D ---- */

/* Why an instruction waits in D. */
struct wait {
    struct pipeline_site *site;
    enum pipeline_stall most; /* the cause of most cycles; STALL_ALL: none */
    uint64_t most_cycles;
};

static __attribute__((noinline)) void count_stall(struct pipeline *pipeline, struct wait *wait,
                                                  enum pipeline_stall cause, uint64_t length)
{
    pipeline->stalls[cause] += length;
    if (wait->site)
        wait->site->stalls[cause] += length;
    if (length > wait->most_cycles) {
        wait->most_cycles = length;
        wait->most = cause;
    }
}

/* An instruction that could leave in `cycle` cannot before `end`. Returns when it can. This is
 * asked several times for each instruction, and rarely changes anything. */
static inline uint64_t wait_until(struct pipeline *pipeline, struct wait *wait,
                                  enum pipeline_stall cause, uint64_t cycle, uint64_t end)
{
    if (end <= cycle)
        return cycle;
    count_stall(pipeline, wait, cause, end - cycle);
    return end;
}

/* Computes F and D. Returns F. */
static inline uint64_t fetch(struct pipeline *pipeline, struct wait *wait)
{
    uint64_t window = pipeline->settings.window, fetched = pipeline->decode;
    uint64_t cycle = pipeline->leave;

    if (pipeline->last_trap) {
        backend_finish(pipeline, pipeline->last_trap);
        pipeline->redirect = pipeline->last_trap->p - 1 + pipeline->settings.branch;
        pipeline->last_trap = NULL;
    }
    if (pipeline->redirect > fetched)
        fetched = pipeline->redirect;
    if (pipeline->count == 0) {
        pipeline->stalls[STALL_FILL] = 2;
        cycle = 1;
    }
    cycle = wait_until(pipeline, wait, STALL_BRANCH, cycle, fetched + 1);
    if (pipeline->count >= window)
        cycle = wait_until(pipeline, wait, STALL_WINDOW, cycle,
                           commit_cycle(pipeline, pipeline->count - window));
    pipeline->redirect = 0;
    pipeline->decode = cycle;
    return fetched;
}

/* ---- D to X ----
 *
 * These functions get the first cycle in which the instruction may leave D as far as known, and
 * return it. */

static inline uint64_t wait_for_registers(struct pipeline *pipeline, struct wait *wait,
                                          const struct pipeline_instruction *instruction,
                                          uint64_t cycle)
{
    const struct source *registers = pipeline->registers;

    for (unsigned i = 0; i < instruction->read_count; i++) {
        const struct source *source = &registers[instruction->reads[i]];
        if (source->ready == PIPELINE_NEVER)
            backend_finish(pipeline, backend_entry(&pipeline->backend, source->producer));
        cycle = wait_until(pipeline, wait, STALL_OPERAND, cycle, source->ready);
    }
    for (unsigned i = 0; i < instruction->write_count; i++) {
        const struct source *source = &registers[instruction->writes[i]];
        uint64_t known = 0;
        if (source->ready == PIPELINE_NEVER) {
            const struct entry *entry = backend_entry(&pipeline->backend, source->producer);
            backend_finish(pipeline, entry);
            known = entry->m == PIPELINE_NEVER ? entry->p : entry->m;
        }
        cycle = wait_until(pipeline, wait, STALL_WAW, cycle, known);
        if (source->ready > instruction->cycles)
            cycle =
                wait_until(pipeline, wait, STALL_WAW, cycle, source->ready - instruction->cycles);
    }
    for (unsigned i = 0; i < instruction->write_count; i++)
        cycle =
            wait_until(pipeline, wait, STALL_WAR, cycle, registers[instruction->writes[i]].read);
    return cycle;
}

/* Passes the entries at the beginning that are finished. */
static inline void pass_finished(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    while (pipeline->fence < backend->count && backend_entry(backend, pipeline->fence)->e <= cycle)
        pipeline->fence++;
}

static uint64_t wait_for_all(struct pipeline *pipeline, struct wait *wait, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    for (uint64_t i = pipeline->fence; i < backend->count; i++) {
        backend_finish(pipeline, backend_entry(backend, i));
        cycle = wait_until(pipeline, wait, STALL_FENCE, cycle, backend_entry(backend, i)->e);
    }
    return cycle;
}

static uint64_t wait_for_memory(struct pipeline *pipeline, struct wait *wait,
                                const struct pipeline_instruction *instruction, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    footprint_set(&pipeline->footprint, instruction->ranges, instruction->range_count,
                  pipeline->settings.granule);
    for (uint64_t i = pipeline->fence; i < backend->count; i++) {
        struct entry *entry = backend_entry(backend, i);
        if (entry->e <= cycle || !footprint_conflicts(&pipeline->footprint, &entry->footprint))
            continue;
        backend_finish(pipeline, entry);
        cycle = wait_until(pipeline, wait, STALL_MEMORY, cycle, entry->e);
    }
    return cycle;
}

/* What a walk waits for, and what becomes of it. */
static uint64_t execute_walk(struct pipeline *pipeline, struct wait *wait,
                             const struct pipeline_instruction *instruction, uint64_t cycle)
{
    if (instruction->walk >= WALK_TAKE)
        cycle = wait_until(pipeline, wait, STALL_WALK, cycle,
                           walks_ready(&pipeline->walks, instruction->row, cycle));
    if (instruction->walk == WALK_TAKE)
        walks_take(&pipeline->walks, instruction->row, cycle);
    if (instruction->walk == WALK_BEGIN)
        walks_begin(&pipeline->walks, instruction->row, cycle, instruction->walk_delay,
                    instruction->walk_addresses);
    return cycle;
}

static inline uint64_t execute(struct pipeline *pipeline, struct wait *wait,
                               const struct pipeline_instruction *instruction, uint64_t cycle)
{
    pass_finished(pipeline, cycle);
    cycle = wait_for_registers(pipeline, wait, instruction, cycle);
    cycle = wait_until(pipeline, wait, STALL_UNIT, cycle, pipeline->classes[instruction->class]);
    if (pipeline->fence < pipeline->backend.count) {
        if (instruction->is_fence)
            cycle = wait_for_all(pipeline, wait, cycle);
        if (instruction->range_count)
            cycle = wait_for_memory(pipeline, wait, instruction, cycle);
    }
    if (instruction->walk)
        cycle = execute_walk(pipeline, wait, instruction, cycle);
    if (instruction->occupancy > 1)
        pipeline->classes[instruction->class] = cycle + instruction->occupancy;
    for (unsigned i = 0; i < instruction->write_count; i++)
        pipeline->registers[instruction->writes[i]].ready = cycle + instruction->cycles;
    return cycle;
}

/* ---- D to Q ---- */

/* Returns the cycle in which the instruction enters the queue. */
static uint64_t wait_for_queue(struct pipeline *pipeline, struct wait *wait, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    if (backend->count >= backend->queue) {
        const struct entry *entry = backend_entry(backend, backend->count - backend->queue);
        while (entry->p == PIPELINE_NEVER)
            backend_run(pipeline, backend->next);
        cycle = wait_until(pipeline, wait, STALL_QUEUE, cycle, entry->p);
    }
    pass_finished(pipeline, cycle);
    return cycle;
}

/* ---- the interface ---- */

/* Begins the record of the instruction that is in D, for the observers. */
static void begin_record(struct pipeline *pipeline, const struct pipeline_instruction *instruction,
                         const struct wait *wait, uint64_t fetched, uint64_t cycle)
{
    bool is_tensor = instruction->unit >= 0;

    pipeline->records[pipeline->count & pipeline->mask] = (struct pipeline_record){
        .sequence = pipeline->count,
        .f = fetched,
        .d = pipeline->decode,
        .q = is_tensor ? cycle : PIPELINE_NEVER,
        .p = PIPELINE_NEVER,
        .s = PIPELINE_NEVER,
        .x = is_tensor ? PIPELINE_NEVER : cycle,
        .m = PIPELINE_NEVER,
        .stall = wait->most,
        .wait = UNIT_EMPTY,
        .unit = instruction->unit,
        .has_trapped = instruction->has_trapped,
        .row = instruction->walk ? instruction->row : UINT_MAX,
        .located = instruction->walk ? walks_count(&pipeline->walks, instruction->row, cycle) : 0,
        .pipe = PIPELINE_NEVER,
        .blocker = PIPELINE_NEVER,
        .context = instruction->context,
    };
}

uint64_t pipeline_add(struct pipeline *pipeline, const struct pipeline_instruction *instruction)
{
    struct wait wait = {.site = instruction->site, .most = STALL_ALL};
    uint64_t fetched = fetch(pipeline, &wait), cycle = pipeline->decode + 1;
    struct pending *pending = &pipeline->pending[pipeline->count & pipeline->mask];

    if (instruction->unit >= 0) {
        if (instruction->is_fence)
            cycle = wait_for_all(pipeline, &wait, cycle);
        cycle = wait_for_queue(pipeline, &wait, cycle);
        *pending = (struct pending){PIPELINE_NEVER, PIPELINE_NEVER,
                                    backend_add(pipeline, instruction, cycle)};
        if (instruction->has_trapped)
            pipeline->last_trap = pending->entry;
    } else {
        cycle = execute(pipeline, &wait, instruction, cycle);
        *pending = (struct pending){cycle + instruction->cycles, PIPELINE_NEVER, NULL};
    }
    pipeline->leave = cycle;
    if (pipeline->records)
        begin_record(pipeline, instruction, &wait, fetched, cycle);
    if (instruction->site) {
        instruction->site->count++;
        instruction->site->decode_cycles += cycle - pipeline->decode;
    }
    pipeline->count++;
    commit_known(pipeline);
    return cycle;
}

uint64_t pipeline_left(const struct pipeline *pipeline)
{
    return pipeline->leave;
}

void pipeline_turn(struct pipeline *pipeline)
{
    if (pipeline->count && !pipeline->last_trap)
        pipeline->redirect = pipeline->leave - 1 + pipeline->settings.branch;
}

bool pipeline_needs_ranges(const struct pipeline *pipeline)
{
    return pipeline->fence < pipeline->backend.count;
}

/* Returns the counters that the front end has now. */
static struct pipeline_counters count_all(const struct pipeline *pipeline, uint64_t cycle)
{
    const struct backend *backend = &pipeline->backend;
    struct pipeline_counters counters = {
        .cycles = cycle,
        .instructions = pipeline->count,
        .issued = pipeline->threads ? pipeline->turns : pipeline->count,
        .queue_cycles = backend->queue_cycles,
        .queue_most = backend->queue_most,
        .storage_cycles = backend->storage_cycles,
        .storage_most = backend->storage_most,
    };

    memcpy(counters.stalls, pipeline->stalls, sizeof counters.stalls);
    for (unsigned i = 0; i < backend->unit_count; i++)
        memcpy(counters.units[i], backend->units[i].cycles, sizeof counters.units[i]);
    return counters;
}

struct pipeline_counters pipeline_count(struct pipeline *pipeline, uint64_t cycle)
{
    if (cycle > 0)
        backend_run(pipeline, cycle - 1);
    backend_account(&pipeline->backend, cycle);
    return count_all(pipeline, cycle);
}

struct pipeline_counters pipeline_finish(struct pipeline *pipeline)
{
    if (pipeline->threads) {
        struct pipeline_counters counters =
            pipeline_count(pipeline, pipeline->count ? pipeline->leave + 1 : 0);
        threads_finish(pipeline);
        return counters;
    }
    if (pipeline->count)
        commit_cycle(pipeline, pipeline->count - 1);
    return pipeline_count(pipeline, pipeline->commit);
}
