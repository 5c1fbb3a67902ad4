/* ttrace at: registers, CSRs and the state of units before an instruction. They are those at the
 * end of the segment before, with what the instructions since then have changed. */
#include "emu/ttrace/query.h"
#include "isa_ids.h"
#include "lib/map.h"
#include "lib/trace/state_reads.h"
#include "lib/trace/thread_name.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MEMORY_SHOWN = 1 << 16 }; /* bytes */

/* The text of each value by its name, in the order of first writes: of a thread, or of what belongs
 * to none. */
struct owned {
    uint32_t thread;
    struct map registers, others; /* CSRs and state */
};

struct values {
    struct owned shared; /* everything if there is one thread */
    struct owned *threads;
    size_t thread_count, thread_capacity;
};

static void set_value(struct map *values, struct arena *arena, const char *name, const char *value)
{
    map_entry(values, name, strlen(name))->value = arena_string(arena, value);
}

static void set_number(struct map *values, struct arena *arena, const char *name, uint64_t number)
{
    set_value(values, arena, name, arena_format(arena, "0x%" PRIx64, number));
}

static void begin_owned(struct owned *owned, struct arena *arena, uint32_t thread)
{
    owned->thread = thread;
    map_init(&owned->registers, arena);
    map_init(&owned->others, arena);
}

/* Returns the values of a thread. */
static struct owned *owned_by(struct values *values, struct arena *arena, uint32_t thread)
{
    for (size_t i = 0; i < values->thread_count; i++)
        if (values->threads[i].thread == thread)
            return &values->threads[i];
    values->threads = arena_grow(arena, values->threads, values->thread_count,
                                 &values->thread_capacity, sizeof *values->threads);
    struct owned *found = &values->threads[values->thread_count++];
    begin_owned(found, arena, thread);
    return found;
}

/* Makes room for the threads that ran up to the end of a segment. */
static void find_threads(struct values *values, struct arena *arena, const struct ttrace *trace,
                         const struct ttrace_segment *last)
{
    if (!ttrace_has_threads(trace))
        return;
    owned_by(values, arena, 1);
    for (const struct ttrace_segment *segment = trace->segments; segment <= last; segment++)
        for (size_t i = 0; i < segment->thread_count; i++)
            owned_by(values, arena, segment->threads[i].thread);
}

static const char *csr_name(struct arena *arena, unsigned number)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    return csr ? csr->name : arena_format(arena, "csr0x%x", number);
}

/* Sets a CSR; fcsr as its parts, which are written alone, too. */
static void set_csr(struct map *values, struct arena *arena, unsigned number, uint64_t value)
{
    enum { FLAGS_MASK = 31, MODE_SHIFT = 5, MODE_MASK = 7 };

    if (number == ISA_CSR_FCSR) {
        set_csr(values, arena, ISA_CSR_FFLAGS, value & FLAGS_MASK);
        set_csr(values, arena, ISA_CSR_FRM, value >> MODE_SHIFT & MODE_MASK);
    } else {
        set_number(values, arena, csr_name(arena, number), value);
    }
}

/* Sets state, under the name of the CSR if it is one. */
static void set_state(struct map *values, struct arena *arena, const char *name, uint64_t value)
{
    const struct state_kind *kind = state_by_name(name);

    if (kind && kind->csr >= 0)
        set_csr(values, arena, (unsigned)kind->csr, value);
    else
        set_number(values, arena, name, value);
}

static void set_register(struct map *values, struct arena *arena, unsigned file, unsigned number,
                         const uint64_t *words, unsigned count)
{
    struct recorder recorder = {.count = 0};
    struct text text = TEXT_INIT;

    recorder_add_words(&recorder, file, number, words, count);
    append_effect(&text, &recorder, recorder.effects);
    set_value(values, arena, isa_register_files[file].names[number], strchr(text.bytes, '=') + 1);
    text_free(&text);
    recorder_free(&recorder);
}

static void take_registers(struct map *values, struct arena *arena,
                           const struct ttrace_known *registers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        set_register(values, arena, registers[i].file, registers[i].number, registers[i].words,
                     isa_register_files[registers[i].file].words);
}

/* Returns the record that wrote the CSR last, as the segment knows it; 0: none. */
static uint64_t csr_time(const struct ttrace_segment *segment, int64_t number)
{
    for (size_t i = 0; i < segment->csr_count; i++)
        if (segment->csrs[i].number == number)
            return segment->csrs[i].when;
    return 0;
}

/* Takes CSRs and state at the end of a segment, except those that threads have of their own. Of a
 * value with two names the last write counts. */
static void take_others(struct values *values, struct arena *arena,
                        const struct ttrace_segment *segment)
{
    struct map *others = &values->shared.others;
    bool is_all = values->thread_count == 0;
    uint64_t whole = csr_time(segment, ISA_CSR_FCSR);

    for (size_t i = 0; i < segment->csr_count; i++)
        if (is_all && segment->csrs[i].number == ISA_CSR_FCSR)
            set_csr(others, arena, ISA_CSR_FCSR, segment->csrs[i].words[0]);
    for (size_t i = 0; i < segment->csr_count; i++) {
        const struct ttrace_known *csr = &segment->csrs[i];
        bool is_float = csr_overlaps(csr->number, ISA_CSR_FCSR);
        if ((is_all || !csr_is_of_thread(csr->number)) &&
            (!is_float || (csr->number != ISA_CSR_FCSR && csr->when >= whole)))
            set_csr(others, arena, csr->number, csr->words[0]);
    }
    for (size_t i = 0; i < segment->state_count; i++) {
        const struct ttrace_known *state = &segment->states[i];
        const struct state_kind *kind = state_by_name(state->name);
        if ((is_all || !state_is_of_thread(state->name)) &&
            (!kind || kind->csr < 0 || state->when >= csr_time(segment, kind->csr)))
            set_state(others, arena, state->name, state->words[0]);
    }
}

/* Takes what is known at the end of a segment. */
static void take_index(struct values *values, struct arena *arena, const struct ttrace *trace,
                       const struct ttrace_segment *segment)
{
    size_t count;

    for (size_t i = 0; i < values->thread_count; i++) {
        const struct ttrace_known *registers =
            ttrace_thread_registers(trace, segment, values->threads[i].thread, &count);
        take_registers(&values->threads[i].registers, arena, registers, count);
    }
    if (!values->thread_count)
        take_registers(&values->shared.registers, arena, segment->registers,
                       segment->register_count);
    take_others(values, arena, segment);
}

static void copy_values(struct map *to, const struct map *from)
{
    for (size_t i = 0; i < from->count; i++)
        map_entry(to, from->entries[i].key, from->entries[i].key_length)->value =
            from->entries[i].value;
}

/* Takes an effect of the start of a thread. The first one stands for everything: it is 0, or in a
 * thread that a call made that of the caller. */
static void take_start(struct values *values, struct arena *arena,
                       const struct ttrace_record *record, const struct effect *effect)
{
    uint64_t first[ISA_WORDS_LIMIT] = {0};
    struct owned *started = owned_by(values, arena, thread_started(effect));
    const struct isa_register_name *name = isa_find_register(effect->name);
    const struct isa_csr *csr = isa_find_csr(effect->name);

    if (name)
        set_register(&started->registers, arena, (unsigned)(name->file - isa_register_files),
                     name->number, &effect->value, 1);
    else if (csr)
        set_csr(&started->others, arena, csr->number, effect->value);
    if (!thread_begins(effect))
        return;
    begin_owned(started, arena, started->thread);
    for (unsigned file = 0; file < isa_register_file_count; file++) {
        const struct isa_register_file *kind = &isa_register_files[file];
        first[0] = thread_first_word(kind);
        for (unsigned i = kind->zero; i < kind->count; i++)
            set_register(&started->registers, arena, file, i, first, kind->words);
    }
    set_csr(&started->others, arena, ISA_CSR_FCSR, 0);
    if (record->flags & TTRACE_TRAP) {
        const struct owned *caller = owned_by(values, arena, record->thread);
        started = owned_by(values, arena, started->thread);
        copy_values(&started->registers, &caller->registers);
        copy_values(&started->others, &caller->others);
    }
}

static void take_effect(struct values *values, struct arena *arena,
                        const struct ttrace_record *record, const struct effect *effect)
{
    uint32_t thread = record->thread ? record->thread : 1;
    struct owned *shared = &values->shared,
                 *own = values->thread_count ? owned_by(values, arena, thread) : shared;
    struct text name = TEXT_INIT;
    const uint64_t *words;
    unsigned count;

    switch (effect->kind) {
    case EFFECT_REGISTER:
        words = recorder_words(record->recorder, effect, &count);
        set_register(&own->registers, arena, effect->file, effect->number, words, count);
        break;
    case EFFECT_CSR:
        set_csr(&(csr_is_of_thread(effect->number) ? own : shared)->others, arena, effect->number,
                effect->value);
        break;
    case EFFECT_PRIVILEGE:
        set_number(&own->others, arena, "priv", effect->value);
        break;
    case EFFECT_STATE:
        if (values->thread_count && thread_started(effect))
            take_start(values, arena, record, effect);
        effect_append_state(&name, effect);
        set_state(&(state_is_of_thread(name.bytes) ? own : shared)->others, arena,
                  arena_string(arena, name.bytes), effect->value);
        text_free(&name);
        break;
    default:
        break;
    }
}

/* Does the segment have writes of CSRs or state that threads have of their own? */
static bool changes_own(const struct ttrace_segment *segment)
{
    for (size_t i = 0; i < segment->csr_count; i++)
        if (segment->csrs[i].when >= segment->first_record &&
            csr_is_of_thread(segment->csrs[i].number))
            return true;
    for (size_t i = 0; i < segment->state_count; i++)
        if (segment->states[i].when >= segment->first_record &&
            state_is_of_thread(segment->states[i].name))
            return true;
    return false;
}

/* Takes the CSRs and state that threads have of their own from the records before a segment: an
 * index has only the last write of any thread. */
static void take_own(struct ttrace_tool *tool, struct values *values,
                     const struct ttrace_segment *end)
{
    struct ttrace_record record;

    for (const struct ttrace_segment *segment = tool->trace.segments; segment < end; segment++) {
        if (!changes_own(segment) || !ttrace_load(&tool->decoder, &tool->trace, segment))
            continue;
        while (ttrace_next(&tool->decoder, &record))
            for (size_t i = 0; i < record.recorder->count; i++)
                if (record.recorder->effects[i].kind != EFFECT_REGISTER)
                    take_effect(values, &tool->arena, &record, &record.recorder->effects[i]);
    }
}

static void take_records(struct ttrace_tool *tool, struct values *values, uint64_t end)
{
    struct ttrace_record record;

    while (tool->decoder.number < end && ttrace_next(&tool->decoder, &record))
        for (size_t i = 0; i < record.recorder->count; i++)
            take_effect(values, &tool->arena, &record, &record.recorder->effects[i]);
}

/* A range of memory at a time. Segments are taken from the last one back, each decoded once. */
struct memory {
    const struct place *place;
    unsigned char *bytes, *written; /* what is known; what the segment that is decoded wrote */
    bool *known, *is_written;
    uint64_t left; /* unknown bytes */
};

/* Notes the bytes of the place that an effect wrote. */
static void overwrite(struct memory *memory, const struct recorder *recorder,
                      const struct effect *effect)
{
    uint64_t address = memory->place->address;
    uint64_t first = effect->address > address ? effect->address - address : 0;

    for (uint64_t i = first; i < memory->place->length; i++) {
        uint64_t at = address + i - effect->address;
        if (at >= effect->length)
            break;
        memory->is_written[i] = true;
        memory->written[i] = effect->kind == EFFECT_STORE ? (unsigned char)(effect->value >> 8 * at)
                             : effect->bytes_length == effect->length
                                 ? recorder->bytes[effect->bytes_at + at]
                                 : 0;
    }
}

/* Takes what the segment wrote before record `end` and no later one has written. */
static void take_memory(struct ttrace_tool *tool, struct memory *memory,
                        const struct ttrace_segment *segment, uint64_t end)
{
    struct ttrace_record record;

    if (!ttrace_load(&tool->decoder, &tool->trace, segment))
        return;
    while (tool->decoder.number < end && ttrace_next(&tool->decoder, &record))
        for (size_t i = 0; i < record.recorder->count; i++)
            if (effect_writes(&record, &record.recorder->effects[i], memory->place))
                overwrite(memory, record.recorder, &record.recorder->effects[i]);
    for (uint64_t i = 0; i < memory->place->length; i++) {
        if (memory->is_written[i] && !memory->known[i]) {
            memory->bytes[i] = memory->written[i];
            memory->known[i] = true;
            memory->left--;
        }
        memory->is_written[i] = false;
    }
}

/* Does the segment touch the part of the place from its first to its last unknown byte? */
static bool may_write(const struct memory *memory, const struct ttrace_segment *segment)
{
    uint64_t first = 0, end = memory->place->length;

    while (first < end && memory->known[first])
        first++;
    while (end > first && memory->known[end - 1])
        end--;
    return ttrace_runs_touch(&segment->written, memory->place->address + first, end - first);
}

/* Prints the elements as --print does, or bytes if the type is unknown. */
static void print_memory(const struct question *question, const unsigned char *bytes)
{
    const struct place *place = &question->place;
    struct text text = TEXT_INIT;

    if (question->array.type)
        element_append_array(&text, question->name, &question->array, bytes);
    for (uint64_t i = 0; !question->array.type && i < place->length; i++) {
        if (i % 16 == 0)
            text_format(&text, "%s0x%" PRIx64 ":", i ? "\n" : "", place->address + i);
        text_format(&text, " %02x%s", bytes[i], i + 1 == place->length ? "\n" : "");
    }
    fwrite(text.bytes, 1, text.length, stdout);
    text_free(&text);
}

/* Prints memory before record `end`; bytes that nothing wrote are 0. */
static bool show_memory(struct ttrace_tool *tool, const struct question *question)
{
    const struct ttrace *trace = &tool->trace;
    uint64_t length = question->place.length;
    struct memory memory = {.place = &question->place,
                            .bytes = arena_alloc(&tool->arena, length),
                            .written = arena_alloc(&tool->arena, length),
                            .known = arena_array(&tool->arena, length, sizeof *memory.known),
                            .is_written =
                                arena_array(&tool->arena, length, sizeof *memory.is_written),
                            .left = length};

    for (size_t i = trace->segment_count; i-- > 0 && memory.left && !tool->decoder.failed;)
        if (trace->segments[i].first_record < question->end &&
            may_write(&memory, &trace->segments[i]))
            take_memory(tool, &memory, &trace->segments[i], question->end);
    if (!tool->decoder.failed)
        print_memory(question, memory.bytes);
    return !tool->decoder.failed;
}

/* Prints what an effect of record `number`, which started its thread, left in the place. */
static void show_started(struct ttrace_tool *tool, uint64_t number, const struct effect *effect,
                         const struct place *place)
{
    const char *name = place->kind == PLACE_REGISTER
                           ? isa_register_files[place->file].names[place->number]
                       : place->kind == PLACE_CSR ? csr_name(&tool->arena, place->number)
                                                  : place->state;

    if (!thread_begins(effect))
        printf("%s=0x%" PRIx64 "\n", effect->name, effect->value);
    else
        printf("%s=0x%" PRIx64 "\n", name, search_value(tool, number, place));
}

/* Prints a register or memory at a time. */
static bool show_place(struct ttrace_tool *tool)
{
    struct question question;
    struct ttrace_record record;

    if (!question_read(tool, tool->words[2], &question))
        return false;
    if (question.place.kind == PLACE_MEMORY && question.place.length > MEMORY_SHOWN) {
        diag_error(&tool->diag, NULL, "'%s' has %llu bytes, expected at most %d; add indices",
                   tool->words[2], (unsigned long long)question.place.length, MEMORY_SHOWN);
        return false;
    }
    if (question.place.kind == PLACE_MEMORY)
        return show_memory(tool, &question);
    uint64_t number = search_writer(tool, &question.place, question.end);
    if (number == NO_RECORD) {
        puts("not written");
        return !tool->decoder.failed;
    }
    bool is_raw = search_is_raw(tool, number, &question.place);
    if (!search_record(tool, number, &record))
        return false;
    for (size_t i = record.recorder->count; i-- > 0;) {
        const struct effect *effect = &record.recorder->effects[i];
        struct text text = TEXT_INIT;
        if (!effect_writes(&record, effect, &question.place))
            continue;
        if (thread_started(effect) && question.place.thread) {
            show_started(tool, number, effect, &question.place);
            break;
        }
        append_effect(&text, record.recorder, effect);
        append_typed(&text, &record, effect, NULL, is_raw);
        puts(text.bytes);
        text_free(&text);
        break;
    }
    return true;
}

static void print_values(const struct map *values, const char *prefix)
{
    for (size_t i = 0; i < values->count; i++)
        printf("%s%s=%s\n", prefix, values->entries[i].key, (const char *)values->entries[i].value);
}

static void print_owned(const struct owned *owned, const char *prefix)
{
    print_values(&owned->registers, prefix);
    print_values(&owned->others, prefix);
}

static int compare_threads(const void *a, const void *b)
{
    const struct owned *left = a, *right = b;

    return (left->thread > right->thread) - (left->thread < right->thread);
}

static void print_all(struct ttrace_tool *tool, struct values *values)
{
    if (values->thread_count)
        qsort(values->threads, values->thread_count, sizeof *values->threads, compare_threads);
    for (size_t i = 0; i < values->thread_count; i++) {
        char name[THREAD_NAME_SIZE];
        thread_name(name, tool->trace.workers != 0, values->threads[i].thread);
        print_owned(&values->threads[i], arena_format(&tool->arena, "%s.", name));
    }
    print_owned(&values->shared, "");
}

bool query_at(struct ttrace_tool *tool)
{
    const struct ttrace *trace = &tool->trace;
    struct ttrace_record record;
    struct text text = TEXT_INIT;
    struct values values = {0};
    char *rest;
    uint64_t sequence = strtoull(tool->words[2], &rest, 0), end;

    if (rest == tool->words[2] || *rest || tool->words[2][0] == '-')
        return show_place(tool);
    end = search_sequence(tool, sequence);
    begin_owned(&values.shared, &tool->arena, 0);
    for (size_t i = 0; i < trace->segment_count && trace->segments[i].first_record < end; i++) {
        const struct ttrace_segment *segment = &trace->segments[i];
        if (segment->first_record + segment->record_count < end)
            continue;
        find_threads(&values, &tool->arena, trace, segment);
        if (values.thread_count)
            take_own(tool, &values, segment);
        if (i > 0)
            take_index(&values, &tool->arena, trace, segment - 1);
        if (ttrace_load(&tool->decoder, &tool->trace, segment))
            take_records(tool, &values, end);
    }
    if (!tool->decoder.failed && end < trace->record_count && search_record(tool, end, &record)) {
        append_record(tool, &text, &record);
        printf("before %s\n", text.bytes);
        text_free(&text);
    } else if (!tool->decoder.failed) {
        puts("after the last instruction");
    }
    print_all(tool, &values);
    return !tool->decoder.failed;
}
