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

/* Commits all instructions whose E is known. */
static void commit_known(struct pipeline *pipeline)
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

/* Returns C of an instruction, which may be computed only now. */
static uint64_t commit_cycle(struct pipeline *pipeline, uint64_t sequence)
{
    while (pipeline->committed <= sequence) {
        const struct pending *pending = &pipeline->pending[pipeline->committed & pipeline->mask];
        if (pending->entry)
            backend_finish(pipeline, pending->entry);
        commit_known(pipeline);
    }
    return pipeline->pending[sequence & pipeline->mask].c;
}

/* ---- F and D ---- */

/* Where an instruction waits in D, and for how long for each cause. */
struct wait {
    uint64_t cycle; /* the first cycle in which it may leave */
    struct pipeline_site *site;
    enum pipeline_stall most; /* the cause of most cycles; STALL_ALL: none */
    uint64_t most_cycles;
};

static void wait_until(struct pipeline *pipeline, struct wait *wait, enum pipeline_stall cause,
                       uint64_t cycle)
{
    if (cycle <= wait->cycle)
        return;
    uint64_t length = cycle - wait->cycle;
    pipeline->stalls[cause] += length;
    if (wait->site)
        wait->site->stalls[cause] += length;
    if (length > wait->most_cycles) {
        wait->most_cycles = length;
        wait->most = cause;
    }
    wait->cycle = cycle;
}

/* Computes F and D. Returns F. */
static uint64_t fetch(struct pipeline *pipeline, struct wait *wait)
{
    uint64_t window = pipeline->settings.window, fetched = pipeline->decode;

    if (pipeline->last_trap) {
        backend_finish(pipeline, pipeline->last_trap);
        pipeline->redirect = pipeline->last_trap->p - 1 + pipeline->settings.branch;
        pipeline->last_trap = NULL;
    }
    if (pipeline->redirect > fetched)
        fetched = pipeline->redirect;
    wait->cycle = pipeline->leave;
    if (pipeline->count == 0) {
        pipeline->stalls[STALL_FILL] = 2;
        wait->cycle = 1;
    }
    wait_until(pipeline, wait, STALL_BRANCH, fetched + 1);
    if (pipeline->count >= window)
        wait_until(pipeline, wait, STALL_WINDOW, commit_cycle(pipeline, pipeline->count - window));
    pipeline->redirect = 0;
    pipeline->decode = wait->cycle++;
    return fetched;
}

/* ---- D to X ---- */

static void wait_for_registers(struct pipeline *pipeline, struct wait *wait,
                               const struct pipeline_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->read_count; i++) {
        const struct source *source = &pipeline->registers[instruction->reads[i]];
        if (source->ready == PIPELINE_NEVER)
            backend_finish(pipeline, backend_entry(&pipeline->backend, source->producer));
        wait_until(pipeline, wait, STALL_OPERAND, source->ready);
    }
    for (unsigned i = 0; i < instruction->write_count; i++) {
        const struct source *source = &pipeline->registers[instruction->writes[i]];
        uint64_t known = 0;
        if (source->ready == PIPELINE_NEVER) {
            const struct entry *entry = backend_entry(&pipeline->backend, source->producer);
            backend_finish(pipeline, entry);
            known = entry->m == PIPELINE_NEVER ? entry->p : entry->m;
        }
        if (known)
            wait_until(pipeline, wait, STALL_WAW, known);
        if (source->ready > instruction->cycles)
            wait_until(pipeline, wait, STALL_WAW, source->ready - instruction->cycles);
    }
    for (unsigned i = 0; i < instruction->write_count; i++)
        wait_until(pipeline, wait, STALL_WAR, pipeline->registers[instruction->writes[i]].read);
}

/* Passes the entries at the beginning that are finished. */
static void pass_finished(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    while (pipeline->fence < backend->count && backend_entry(backend, pipeline->fence)->e <= cycle)
        pipeline->fence++;
}

static void wait_for_all(struct pipeline *pipeline, struct wait *wait)
{
    struct backend *backend = &pipeline->backend;

    for (uint64_t i = pipeline->fence; i < backend->count; i++) {
        backend_finish(pipeline, backend_entry(backend, i));
        wait_until(pipeline, wait, STALL_FENCE, backend_entry(backend, i)->e);
    }
}

static void wait_for_memory(struct pipeline *pipeline, struct wait *wait,
                            const struct pipeline_instruction *instruction)
{
    struct backend *backend = &pipeline->backend;

    footprint_set(&pipeline->footprint, instruction->ranges, instruction->range_count,
                  pipeline->settings.granule);
    for (uint64_t i = pipeline->fence; i < backend->count; i++) {
        struct entry *entry = backend_entry(backend, i);
        if (entry->e <= wait->cycle ||
            !footprint_conflicts(&pipeline->footprint, &entry->footprint))
            continue;
        backend_finish(pipeline, entry);
        wait_until(pipeline, wait, STALL_MEMORY, entry->e);
    }
}

static uint64_t execute(struct pipeline *pipeline, struct wait *wait,
                        const struct pipeline_instruction *instruction)
{
    pass_finished(pipeline, wait->cycle);
    wait_for_registers(pipeline, wait, instruction);
    wait_until(pipeline, wait, STALL_UNIT, pipeline->classes[instruction->class]);
    if (pipeline->fence < pipeline->backend.count) {
        if (instruction->is_fence)
            wait_for_all(pipeline, wait);
        if (instruction->range_count)
            wait_for_memory(pipeline, wait, instruction);
    }
    if (instruction->walk >= WALK_TAKE)
        wait_until(pipeline, wait, STALL_WALK,
                   walks_ready(&pipeline->walks, instruction->row, wait->cycle));
    if (instruction->walk == WALK_TAKE)
        walks_take(&pipeline->walks, instruction->row, wait->cycle);
    if (instruction->walk == WALK_BEGIN)
        walks_begin(&pipeline->walks, instruction->row, wait->cycle, instruction->walk_delay,
                    instruction->walk_addresses);
    if (instruction->occupancy > 1)
        pipeline->classes[instruction->class] = wait->cycle + instruction->occupancy;
    for (unsigned i = 0; i < instruction->write_count; i++)
        pipeline->registers[instruction->writes[i]].ready = wait->cycle + instruction->cycles;
    return wait->cycle;
}

/* ---- D to Q ---- */

static struct entry *enqueue(struct pipeline *pipeline, struct wait *wait,
                             const struct pipeline_instruction *instruction)
{
    struct backend *backend = &pipeline->backend;

    if (backend->count >= backend->queue) {
        const struct entry *entry = backend_entry(backend, backend->count - backend->queue);
        while (entry->p == PIPELINE_NEVER)
            backend_run(pipeline, backend->next);
        wait_until(pipeline, wait, STALL_QUEUE, entry->p);
    }
    pass_finished(pipeline, wait->cycle);
    return backend_add(pipeline, instruction, wait->cycle);
}

/* ---- the interface ---- */

uint64_t pipeline_add(struct pipeline *pipeline, const struct pipeline_instruction *instruction)
{
    struct wait wait = {.site = instruction->site, .most = STALL_ALL};
    uint64_t fetched = fetch(pipeline, &wait);
    struct pending *pending = &pipeline->pending[pipeline->count & pipeline->mask];
    bool is_tensor = instruction->unit >= 0;

    *pending = (struct pending){PIPELINE_NEVER, PIPELINE_NEVER, NULL};
    if (is_tensor) {
        pending->entry = enqueue(pipeline, &wait, instruction);
    } else {
        execute(pipeline, &wait, instruction);
        pending->e = wait.cycle + instruction->cycles;
    }
    pipeline->leave = wait.cycle;
    if (pipeline->records)
        pipeline->records[pipeline->count & pipeline->mask] = (struct pipeline_record){
            .sequence = pipeline->count,
            .f = fetched,
            .d = pipeline->decode,
            .q = is_tensor ? wait.cycle : PIPELINE_NEVER,
            .p = PIPELINE_NEVER,
            .s = PIPELINE_NEVER,
            .x = is_tensor ? PIPELINE_NEVER : wait.cycle,
            .m = PIPELINE_NEVER,
            .stall = wait.most,
            .wait = UNIT_EMPTY,
            .unit = instruction->unit,
            .has_trapped = instruction->has_trapped,
            .row = instruction->walk ? instruction->row : UINT_MAX,
            .located =
                instruction->walk ? walks_count(&pipeline->walks, instruction->row, wait.cycle) : 0,
            .pipe = PIPELINE_NEVER,
            .blocker = PIPELINE_NEVER,
            .context = instruction->context,
        };
    if (instruction->site) {
        instruction->site->count++;
        instruction->site->decode_cycles += wait.cycle - pipeline->decode;
    }
    if (is_tensor && instruction->has_trapped)
        pipeline->last_trap = pending->entry;
    pipeline->count++;
    commit_known(pipeline);
    return wait.cycle;
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
