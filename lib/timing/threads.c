/* The threads of a barrel. Since another thread may use the next turn, nothing is computed beyond
 * the current cycle: each turn looks anew at what its instruction waits for. */
#include "lib/timing/parts.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* When an instruction is finished. */
struct timed_commit {
    uint64_t e;          /* PIPELINE_NEVER: see entry */
    struct entry *entry; /* of a unit */
    uint64_t number;     /* of the entry, whose place a later one may take when it is finished */
};

/* Records that the observers do not know yet, in the order in which they will: from the first
 * instruction whose times are not known on. */
struct paraded {
    struct pipeline_record record;
    struct entry *entry; /* of a unit, until its times are known; then NULL */
};

struct parade {
    struct paraded *records; /* a ring */
    size_t first, count, capacity;
    size_t unknown; /* of them */
};

bool threads_init(struct pipeline *pipeline)
{
    const struct pipeline_settings *settings = &pipeline->settings;

    if (!settings->threads)
        return true;
    pipeline->threads = calloc(settings->threads, sizeof *pipeline->threads);
    for (unsigned i = 0; pipeline->threads && i < settings->threads; i++) {
        struct timed_thread *thread = &pipeline->threads[i];
        thread->ring = calloc(settings->window, sizeof *thread->ring);
        if (!thread->ring)
            return false;
    }
    return pipeline->threads != NULL;
}

static struct paraded *paraded_at(const struct parade *parade, size_t place)
{
    return &parade->records[(parade->first + place) % parade->capacity];
}

void threads_free(struct pipeline *pipeline)
{
    for (unsigned i = 0; pipeline->threads && i < pipeline->settings.threads; i++)
        free(pipeline->threads[i].ring);
    free(pipeline->threads);
    if (pipeline->parade) {
        for (size_t i = 0; i < pipeline->parade->count; i++)
            free((void *)paraded_at(pipeline->parade, i)->record.blockers);
        free(pipeline->parade->records);
    }
    free(pipeline->parade);
}

/* ---- what a thread has of its own ---- */

static unsigned register_of(const struct pipeline *pipeline, unsigned thread, unsigned number)
{
    return thread * pipeline->settings.register_count + number;
}

static struct source *source_of(struct pipeline *pipeline, unsigned thread, unsigned number)
{
    return &pipeline->registers[register_of(pipeline, thread, number)];
}

static uint64_t *class_of(struct pipeline *pipeline, unsigned thread,
                          const struct pipeline_instruction *instruction)
{
    return &pipeline->classes[thread * pipeline->settings.class_count + instruction->class];
}

static unsigned row_of(const struct pipeline *pipeline, unsigned thread,
                       const struct pipeline_instruction *instruction)
{
    unsigned rows = pipeline->settings.walk.rows / pipeline->settings.threads;

    return instruction->row < rows ? thread * rows + instruction->row
                                   : pipeline->settings.walk.rows;
}

/* ---- what an instruction waits for ---- */

/* Returns the cycle from which on the register is usable; PIPELINE_NEVER: it is not known yet. */
static uint64_t usable(struct pipeline *pipeline, const struct source *source)
{
    const struct entry *entry = backend_entry(&pipeline->backend, source->producer);

    return source->ready != PIPELINE_NEVER     ? source->ready
           : entry->number != source->producer ? 0
                                               : entry->e;
}

static enum pipeline_stall look_at_registers(struct pipeline *pipeline, unsigned thread,
                                             const struct pipeline_instruction *instruction,
                                             uint64_t cycle)
{
    for (unsigned i = 0; i < instruction->read_count; i++)
        if (usable(pipeline, source_of(pipeline, thread, instruction->reads[i])) > cycle)
            return STALL_OPERAND;
    for (unsigned i = 0; i < instruction->write_count; i++) {
        uint64_t ready = usable(pipeline, source_of(pipeline, thread, instruction->writes[i]));
        if (ready == PIPELINE_NEVER || ready > cycle + instruction->cycles)
            return STALL_WAW;
    }
    for (unsigned i = 0; i < instruction->write_count; i++)
        if (source_of(pipeline, thread, instruction->writes[i])->read > cycle)
            return STALL_WAR;
    return STALL_ALL;
}

/* Are all tensor instructions finished? */
static bool has_finished_units(struct pipeline *pipeline, uint64_t cycle)
{
    const struct backend *backend = &pipeline->backend;

    while (pipeline->fence < backend->count && backend_entry(backend, pipeline->fence)->e <= cycle)
        pipeline->fence++;
    return pipeline->fence == backend->count;
}

/* Looks at the unfinished tensor instructions. */
static enum pipeline_stall look_at_units(struct pipeline *pipeline,
                                         const struct pipeline_instruction *instruction,
                                         uint64_t cycle)
{
    const struct backend *backend = &pipeline->backend;

    if (has_finished_units(pipeline, cycle))
        return STALL_ALL;
    if (instruction->is_fence)
        return STALL_FENCE;
    if (!instruction->range_count)
        return STALL_ALL;
    footprint_set(&pipeline->footprint, instruction->ranges, instruction->range_count,
                  pipeline->settings.granule);
    for (uint64_t i = pipeline->fence; i < backend->count; i++) {
        const struct entry *entry = backend_entry(backend, i);
        if (entry->e > cycle && footprint_conflicts(&pipeline->footprint, &entry->footprint))
            return STALL_MEMORY;
    }
    return STALL_ALL;
}

static enum pipeline_stall look_at_queue(struct pipeline *pipeline, uint64_t cycle)
{
    struct backend *backend = &pipeline->backend;

    if (backend->count < backend->queue)
        return STALL_ALL;
    const struct entry *entry = backend_entry(backend, backend->count - backend->queue);
    return entry->p == PIPELINE_NEVER || entry->p > cycle ? STALL_QUEUE : STALL_ALL;
}

/* Returns E of an instruction; PIPELINE_NEVER: it is not known yet. */
static uint64_t end_of(const struct timed_commit *commit)
{
    if (commit->e != PIPELINE_NEVER)
        return commit->e;
    return commit->entry->number == commit->number ? commit->entry->e : 0;
}

/* Returns whether the instruction that is a window before the next one has committed. */
static bool has_window(const struct pipeline *pipeline, struct timed_thread *thread, uint64_t cycle)
{
    uint64_t window = pipeline->settings.window;

    if (thread->count < window)
        return true;
    return end_of(&thread->ring[thread->place]) <= cycle && thread->commit <= cycle;
}

static void settle_after(struct timed_thread *thread, uint64_t cycle)
{
    if (thread->settled < cycle)
        thread->settled = cycle;
}

/* Has the target of the last branch come? */
static bool has_target(const struct pipeline *pipeline, struct timed_thread *thread, uint64_t cycle)
{
    if (thread->trap) {
        if (thread->trap->p == PIPELINE_NEVER)
            return false;
        thread->redirect = thread->trap->p + 1 + pipeline->settings.branch;
        settle_after(thread, thread->redirect);
        thread->trap = NULL;
    }
    return thread->redirect <= cycle;
}

enum pipeline_stall pipeline_look(struct pipeline *pipeline, unsigned thread,
                                  const struct pipeline_instruction *instruction, uint64_t cycle)
{
    struct timed_thread *timed = &pipeline->threads[thread];
    enum pipeline_stall stall;

    backend_run(pipeline, cycle);
    if (!has_target(pipeline, timed, cycle))
        return STALL_BRANCH;
    if (!has_window(pipeline, timed, cycle))
        return STALL_WINDOW;
    if (instruction->unit >= 0)
        return instruction->is_fence && !has_finished_units(pipeline, cycle)
                   ? STALL_FENCE
                   : look_at_queue(pipeline, cycle);
    stall = look_at_registers(pipeline, thread, instruction, cycle);
    if (stall == STALL_ALL && *class_of(pipeline, thread, instruction) > cycle)
        stall = STALL_UNIT;
    if (stall == STALL_ALL)
        stall = look_at_units(pipeline, instruction, cycle);
    if (stall == STALL_ALL && instruction->walk >= WALK_TAKE &&
        !pipeline_has_address(pipeline, thread, instruction, cycle))
        stall = STALL_WALK;
    return stall;
}

/* ---- turns in which no thread waits ---- */

bool pipeline_can_rotate(const struct pipeline *pipeline,
                         const struct pipeline_instruction *instruction, bool may_turn)
{
    uint64_t slots = pipeline->settings.threads - 1;

    return instruction->unit < 0 && instruction->walk != WALK_BEGIN &&
           instruction->cycles <= slots && instruction->occupancy <= slots &&
           (!may_turn || pipeline->settings.branch + 1 <= slots);
}

bool pipeline_is_free(struct pipeline *pipeline, uint64_t cycle)
{
    backend_run(pipeline, cycle);
    return has_finished_units(pipeline, cycle);
}

bool pipeline_is_observed(const struct pipeline *pipeline)
{
    return pipeline->observer_count > 0;
}

uint64_t pipeline_settled(const struct pipeline *pipeline, unsigned thread)
{
    const struct timed_thread *timed = &pipeline->threads[thread];

    return timed->trap ? PIPELINE_NEVER : timed->settled;
}

bool pipeline_has_address(struct pipeline *pipeline, unsigned thread,
                          const struct pipeline_instruction *instruction, uint64_t cycle)
{
    return walks_has(&pipeline->walks, row_of(pipeline, thread, instruction), cycle);
}

void pipeline_take_address(struct pipeline *pipeline, unsigned thread,
                           const struct pipeline_instruction *instruction, uint64_t cycle)
{
    if (instruction->walk == WALK_TAKE)
        walks_take(&pipeline->walks, row_of(pipeline, thread, instruction), cycle);
}

void pipeline_rotate(struct pipeline *pipeline, unsigned thread, uint64_t instructions,
                     uint64_t shared, uint64_t last)
{
    struct timed_thread *timed = &pipeline->threads[thread];

    timed->last = last;
    timed->count += instructions;
    timed->place = timed->count % pipeline->settings.window;
    timed->counts.instructions += instructions;
    timed->counts.issued += instructions - shared;
    pipeline->count += instructions;
    pipeline->turns += instructions - shared;
    if (pipeline->leave < last)
        pipeline->leave = last;
}

bool pipeline_can_skip_turn(const struct pipeline *pipeline,
                            const struct pipeline_instruction *instruction)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    uint64_t most = settings->window / settings->per_turn * (settings->threads - 1);

    return instruction->unit < 0 && !instruction->walk && instruction->cycles <= most &&
           instruction->occupancy <= UINT16_MAX && instruction->cycles <= UINT16_MAX;
}

/* May the window of the thread become full because of instructions that it has executed? */
static bool may_fill_window(const struct pipeline *pipeline, const struct timed_thread *timed,
                            uint64_t turn)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    uint64_t window = settings->window, place = timed->place;

    if (timed->commit > turn)
        return true;
    for (uint64_t i = 0; i < window; i++) { /* the oldest one first */
        const struct timed_commit *commit = &timed->ring[place];
        if (end_of(commit) > turn + i / settings->per_turn * (settings->threads - 1))
            return true;
        place = place + 1 < window ? place + 1 : 0;
    }
    return false;
}

/* Adds what can be used from this cycle on. Returns false when there is no room. */
static bool add_wait(struct pipeline_thread_moment *moment, unsigned number, uint64_t ready,
                     uint64_t turn)
{
    if (ready <= turn)
        return true;
    if (moment->wait_count == PIPELINE_WAITS || ready - turn > UINT16_MAX)
        return false;
    moment->waits[moment->wait_count].number = (uint16_t)number;
    moment->waits[moment->wait_count++].cycles = (uint16_t)(ready - turn);
    return true;
}

bool pipeline_take_thread(const struct pipeline *pipeline, unsigned thread, uint64_t turn,
                          struct pipeline_thread_moment *moment)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    const struct timed_thread *timed = &pipeline->threads[thread];

    memset(moment, 0, sizeof *moment);
    moment->since = (uint32_t)(turn - timed->last);
    if (timed->trap || turn - timed->last > UINT16_MAX)
        return false;
    if (timed->settled <= turn)
        return true;
    if (may_fill_window(pipeline, timed, turn))
        return false;
    for (unsigned i = 0; i < settings->register_count; i++) {
        uint64_t ready = pipeline->registers[register_of(pipeline, thread, i)].ready;
        if (ready != PIPELINE_NEVER && !add_wait(moment, i, ready, turn))
            return false;
    }
    for (unsigned i = 0; i < settings->class_count; i++)
        if (!add_wait(moment, settings->register_count + i,
                      pipeline->classes[thread * settings->class_count + i], turn))
            return false;
    return add_wait(moment, settings->register_count + settings->class_count, timed->redirect,
                    turn);
}

/* The thread need not wait for anything that it has executed so far. */
static void forget(struct pipeline *pipeline, unsigned thread)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    struct timed_thread *timed = &pipeline->threads[thread];

    for (unsigned i = 0; i < settings->register_count; i++)
        source_of(pipeline, thread, i)->ready = 0;
    memset(&pipeline->classes[thread * settings->class_count], 0,
           settings->class_count * sizeof *pipeline->classes);
    memset(timed->ring, 0, settings->window * sizeof *timed->ring);
    timed->redirect = timed->commit = 0;
}

void pipeline_skip_turns(struct pipeline *pipeline, unsigned thread, uint64_t instructions,
                         uint64_t shared, uint64_t turn,
                         const struct pipeline_thread_moment *moment)
{
    const struct pipeline_settings *settings = &pipeline->settings;
    struct timed_thread *timed = &pipeline->threads[thread];
    unsigned first_class = settings->register_count, target = first_class + settings->class_count;

    pipeline_rotate(pipeline, thread, instructions, shared, turn - moment->since);
    if (timed->settled > turn)
        forget(pipeline, thread);
    timed->settled = turn;
    for (unsigned i = 0; i < moment->wait_count; i++) {
        unsigned number = moment->waits[i].number;
        uint64_t ready = turn + moment->waits[i].cycles;
        settle_after(timed, ready);
        if (number < first_class)
            source_of(pipeline, thread, number)->ready = ready;
        else if (number < target)
            pipeline->classes[thread * settings->class_count + number - first_class] = ready;
        else
            timed->redirect = ready;
    }
}

void pipeline_rest(struct pipeline *pipeline, unsigned thread, enum pipeline_stall stall,
                   uint64_t turns)
{
    pipeline->stalls[stall] += turns;
    pipeline->threads[thread].counts.stalls[stall] += turns;
}

/* ---- what the observers see ---- */

/* Notes the times of instructions of units, before later ones take their entries. */
static void note_times(struct pipeline *pipeline)
{
    struct parade *parade = pipeline->parade;

    for (size_t i = 0; parade->unknown && i < parade->count; i++) {
        struct paraded *place = paraded_at(parade, i);
        const struct entry *entry = place->entry;
        struct pipeline_record *record = &place->record;
        if (!entry || entry->e == PIPELINE_NEVER)
            continue;
        record->e = entry->e;
        backend_fill_record(record, entry);
        if (!entry->has_trapped)
            backend_list_blockers(pipeline, record, entry);
        if (record->blocker_count) {
            size_t size = record->blocker_count * sizeof *record->blockers;
            void *copy = malloc(size);
            record->blockers = copy ? memcpy(copy, record->blockers, size) : NULL;
            record->blocker_count = copy ? record->blocker_count : 0;
        } else {
            record->blockers = NULL;
        }
        place->entry = NULL;
        parade->unknown--;
    }
}

static void show_known(struct pipeline *pipeline)
{
    struct parade *parade = pipeline->parade;

    for (; parade->count && !paraded_at(parade, 0)->entry; parade->count--) {
        struct pipeline_record *record = &paraded_at(parade, 0)->record;
        struct timed_thread *thread = &pipeline->threads[record->thread];
        if (record->e > thread->shown)
            thread->shown = record->e;
        record->c = record->is_bubble ? record->e : thread->shown;
        for (unsigned i = 0; i < pipeline->observer_count; i++)
            pipeline->observers[i](pipeline->observer_contexts[i], record);
        free((void *)record->blockers);
        parade->first = (parade->first + 1) % parade->capacity;
    }
}

/* Returns the place of a new record; NULL: there is no memory. */
static struct paraded *make_place(struct parade *parade)
{
    enum { FIRST = 256 };

    if (parade->count == parade->capacity) {
        size_t capacity = parade->capacity ? 2 * parade->capacity : FIRST;
        struct paraded *grown = calloc(capacity, sizeof *grown);
        if (!grown)
            return NULL;
        for (size_t i = 0; i < parade->count; i++)
            grown[i] = *paraded_at(parade, i);
        free(parade->records);
        parade->records = grown;
        parade->first = 0;
        parade->capacity = capacity;
    }
    return paraded_at(parade, parade->count++);
}

/* Shows the record as soon as it, and all before it, are known. */
static void add_record(struct pipeline *pipeline, const struct pipeline_record *record,
                       struct entry *entry)
{
    if (!pipeline->parade)
        pipeline->parade = calloc(1, sizeof *pipeline->parade);
    struct paraded *place = pipeline->parade ? make_place(pipeline->parade) : NULL;
    if (!place)
        return;
    *place = (struct paraded){*record, entry};
    pipeline->parade->unknown += entry != NULL;
    note_times(pipeline);
    show_known(pipeline);
}

static void observe_bubble(struct pipeline *pipeline, unsigned thread, enum pipeline_stall stall,
                           uint64_t cycle)
{
    const struct pipeline_record record = {
        .f = PIPELINE_NEVER,
        .d = PIPELINE_NEVER,
        .q = PIPELINE_NEVER,
        .p = PIPELINE_NEVER,
        .s = PIPELINE_NEVER,
        .x = cycle,
        .m = PIPELINE_NEVER,
        .e = cycle + 1,
        .stall = stall,
        .wait = UNIT_EMPTY,
        .unit = -1,
        .row = UINT_MAX,
        .pipe = PIPELINE_NEVER,
        .blocker = PIPELINE_NEVER,
        .thread = thread,
        .is_bubble = true,
    };

    add_record(pipeline, &record, NULL);
}

/* Returns the cause of most bubbles before the next instruction of the thread, and forgets them. */
static enum pipeline_stall take_waits(struct timed_thread *thread)
{
    enum pipeline_stall most = STALL_ALL;

    for (unsigned i = 0; i < STALL_ALL; i++)
        if (thread->waits[i] && (most == STALL_ALL || thread->waits[i] > thread->waits[most]))
            most = (enum pipeline_stall)i;
    memset(thread->waits, 0, sizeof thread->waits);
    return most;
}

static void observe(struct pipeline *pipeline, unsigned thread,
                    const struct pipeline_instruction *instruction, uint64_t cycle,
                    struct entry *entry)
{
    unsigned row = row_of(pipeline, thread, instruction);
    const struct pipeline_record record = {
        .sequence = pipeline->count,
        .f = PIPELINE_NEVER,
        .d = PIPELINE_NEVER,
        .q = entry ? cycle : PIPELINE_NEVER,
        .p = PIPELINE_NEVER,
        .s = PIPELINE_NEVER,
        .x = entry ? PIPELINE_NEVER : cycle,
        .m = PIPELINE_NEVER,
        .e = cycle + instruction->cycles,
        .stall = take_waits(&pipeline->threads[thread]),
        .wait = UNIT_EMPTY,
        .unit = instruction->unit,
        .has_trapped = instruction->has_trapped,
        .row = instruction->walk ? row : UINT_MAX,
        .located = instruction->walk ? walks_count(&pipeline->walks, row, cycle) : 0,
        .pipe = PIPELINE_NEVER,
        .blocker = PIPELINE_NEVER,
        .thread = thread,
        .context = instruction->context,
    };

    add_record(pipeline, &record, entry);
}

void threads_finish(struct pipeline *pipeline)
{
    struct parade *parade = pipeline->parade;

    /* Instructions that are unfinished at the end are not in the counts. */
    for (size_t i = 0; parade && i < parade->count; i++)
        if (paraded_at(parade, i)->entry)
            paraded_at(parade, i)->entry->site = NULL;
    for (size_t i = 0; parade && i < parade->count; i++)
        if (paraded_at(parade, i)->entry)
            backend_finish(pipeline, paraded_at(parade, i)->entry);
    if (!parade)
        return;
    note_times(pipeline);
    show_known(pipeline);
}

/* ---- instructions ---- */

static void execute(struct pipeline *pipeline, unsigned thread,
                    const struct pipeline_instruction *instruction, uint64_t cycle)
{
    pipeline_take_address(pipeline, thread, instruction, cycle);
    if (instruction->walk == WALK_BEGIN)
        walks_begin(&pipeline->walks, row_of(pipeline, thread, instruction), cycle,
                    instruction->walk_delay, instruction->walk_addresses);
    if (instruction->occupancy > 1)
        *class_of(pipeline, thread, instruction) = cycle + instruction->occupancy;
    settle_after(&pipeline->threads[thread], cycle + instruction->occupancy);
    settle_after(&pipeline->threads[thread], cycle + instruction->cycles);
    for (unsigned i = 0; i < instruction->write_count; i++)
        source_of(pipeline, thread, instruction->writes[i])->ready = cycle + instruction->cycles;
}

/* Puts a tensor instruction into the queue, with the registers of the thread. */
static struct entry *enqueue(struct pipeline *pipeline, unsigned thread,
                             const struct pipeline_instruction *instruction, uint64_t cycle)
{
    struct pipeline_instruction own = *instruction;
    uint16_t reads[PIPELINE_OPERANDS], writes[PIPELINE_OPERANDS];

    for (unsigned i = 0; i < own.read_count; i++)
        reads[i] = (uint16_t)register_of(pipeline, thread, instruction->reads[i]);
    for (unsigned i = 0; i < own.write_count; i++)
        writes[i] = (uint16_t)register_of(pipeline, thread, instruction->writes[i]);
    own.reads = reads;
    own.writes = writes;
    return backend_add(pipeline, &own, cycle);
}

/* Notes when the instruction will be finished, in the place of the one that left the window. */
static void note_commit(struct pipeline *pipeline, struct timed_thread *thread,
                        struct timed_commit commit)
{
    struct timed_commit *place = &thread->ring[thread->place];

    if (thread->count >= pipeline->settings.window && end_of(place) > thread->commit)
        thread->commit = end_of(place);
    *place = commit;
    thread->count++;
    if (++thread->place == pipeline->settings.window)
        thread->place = 0;
}

void pipeline_issue(struct pipeline *pipeline, unsigned thread,
                    const struct pipeline_instruction *instruction, uint64_t cycle)
{
    struct timed_thread *timed = &pipeline->threads[thread];
    struct timed_commit commit = {.e = cycle + instruction->cycles};
    bool is_second = pipeline->count && pipeline->leave == cycle;
    struct entry *entry = NULL;

    if (instruction->unit >= 0) {
        entry = enqueue(pipeline, thread, instruction, cycle);
        commit = (struct timed_commit){PIPELINE_NEVER, entry, entry->number};
        timed->trap = instruction->has_trapped ? entry : NULL;
    } else {
        execute(pipeline, thread, instruction, cycle);
    }
    note_commit(pipeline, timed, commit);
    if (pipeline->observer_count)
        observe(pipeline, thread, instruction, cycle, entry);
    pipeline->leave = timed->last = cycle;
    pipeline->count++;
    pipeline->turns += !is_second;
    timed->counts.instructions++;
    timed->counts.issued += !is_second;
    if (instruction->site) {
        instruction->site->count++;
        instruction->site->decode_cycles += !is_second;
    }
}

void pipeline_pass(struct pipeline *pipeline, unsigned thread, enum pipeline_stall stall,
                   uint64_t cycle)
{
    pipeline->stalls[stall]++;
    pipeline->threads[thread].counts.stalls[stall]++;
    pipeline->threads[thread].waits[stall]++;
    if (pipeline->observer_count)
        observe_bubble(pipeline, thread, stall, cycle);
}

void pipeline_turn_thread(struct pipeline *pipeline, unsigned thread)
{
    struct timed_thread *timed = &pipeline->threads[thread];

    if (timed->count && !timed->trap)
        timed->redirect = timed->last + 1 + pipeline->settings.branch;
    settle_after(timed, timed->redirect);
}

void pipeline_start(struct pipeline *pipeline, unsigned thread)
{
    struct timed_thread *timed = &pipeline->threads[thread];

    memset(source_of(pipeline, thread, 0), 0,
           pipeline->settings.register_count * sizeof *pipeline->registers);
    memset(&pipeline->classes[thread * pipeline->settings.class_count], 0,
           pipeline->settings.class_count * sizeof *pipeline->classes);
    timed->redirect = timed->settled = timed->count = timed->place = timed->commit = 0;
    timed->trap = NULL;
    memset(timed->waits, 0, sizeof timed->waits);
}

const struct pipeline_thread_counts *pipeline_thread(const struct pipeline *pipeline,
                                                     unsigned thread)
{
    return &pipeline->threads[thread].counts;
}
