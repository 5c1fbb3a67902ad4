/* See search.h. */
#include "emu/ttrace/search.h"

#include "isa_ids.h"
#include "lib/trace/state_reads.h"
#include "lib/trace/thread_name.h"
#include "lib/trace/value_type.h"

#include <string.h>

enum { RAW_MOVES = 8 }; /* how many moves back raw bits are searched for */

const struct isa_instruction *record_instruction(const struct ttrace_record *record, uint64_t *word)
{
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;

    *word = record->word;
    return instruction ? isa_expand(instruction, word) : NULL;
}

static bool overlaps(const struct effect *effect, const struct place *place)
{
    return place->kind == PLACE_MEMORY && (effect->address - place->address < place->length ||
                                           place->address - effect->address < effect->length);
}

/* Is it the name of the state, or of one of its elements? */
static bool is_part(const char *name, const char *state)
{
    size_t length = strlen(state);

    return strncmp(name, state, length) == 0 && (!name[length] || name[length] == '[');
}

static bool is_state(const struct effect *effect, const char *name)
{
    struct text text = TEXT_INIT;

    effect_append_state(&text, effect);
    bool same = is_part(text.bytes, name);
    text_free(&text);
    return same;
}

/* Is the CSR state of a unit that the effect sets? */
static bool is_csr_of(const struct effect *effect, uint32_t number)
{
    unsigned state = state_of_csr(number);
    uint32_t row;

    return state < state_kind_count && state_is_set_by(&state_kinds[state], effect, &row);
}

void place_share(struct place *place)
{
    bool is_of_thread = place->kind == PLACE_STATE ? state_is_of_thread(place->state)
                        : place->kind == PLACE_CSR ? csr_is_of_thread(place->number)
                                                   : true;

    if (!is_of_thread)
        place->thread = 0;
}

/* Is the effect, of the start of the thread that the place is of, that of the place? The first one
 * stands for all that has no other. */
static bool starts(const struct effect *effect, const struct place *place)
{
    const struct isa_register_name *name = isa_find_register(effect->name);
    const struct isa_csr *csr = isa_find_csr(effect->name);

    if (thread_begins(effect))
        return place->kind != PLACE_MEMORY;
    return place->kind == PLACE_REGISTER
               ? name && name->file == &isa_register_files[place->file] &&
                     name->number == place->number
               : place->kind == PLACE_CSR && csr && csr_overlaps(csr->number, place->number);
}

bool effect_writes(const struct ttrace_record *record, const struct effect *effect,
                   const struct place *place)
{
    if (place->thread && thread_started(effect) == place->thread)
        return starts(effect, place);
    if (place->thread && place->thread != (record->thread ? record->thread : 1))
        return false;
    switch (effect->kind) {
    case EFFECT_REGISTER:
        return place->kind == PLACE_REGISTER && effect->file == place->file &&
               effect->number == place->number;
    case EFFECT_CSR:
        return place->kind == PLACE_CSR && csr_overlaps(effect->number, place->number);
    case EFFECT_STATE:
        return place->kind == PLACE_CSR
                   ? is_csr_of(effect, place->number)
                   : place->kind == PLACE_STATE && is_state(effect, place->state);
    case EFFECT_STORE:
        return !place->only_ranges && overlaps(effect, place);
    case EFFECT_RANGE_WRITE:
        return overlaps(effect, place);
    default:
        return false;
    }
}

bool effect_reads(const struct effect *effect, const struct place *place)
{
    return (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ) &&
           overlaps(effect, place);
}

const struct ttrace_segment *search_segment(const struct ttrace *trace, uint64_t number)
{
    size_t low = 0, high = trace->segment_count;

    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (trace->segments[middle].first_record <= number)
            low = middle;
        else
            high = middle;
    }
    return &trace->segments[low];
}

uint64_t search_sequence(struct ttrace_tool *tool, uint64_t sequence)
{
    const struct ttrace *trace = &tool->trace;
    struct ttrace_record record;

    for (size_t i = 0; i < trace->segment_count; i++) {
        if (trace->segments[i].last < sequence)
            continue;
        if (!ttrace_load(&tool->decoder, &tool->trace, &trace->segments[i]))
            break;
        for (;;) {
            uint64_t number = tool->decoder.number;
            if (!ttrace_next(&tool->decoder, &record))
                break;
            if (record.sequence >= sequence && !(record.flags & TTRACE_START))
                return number;
        }
    }
    uint64_t last = trace->segment_count ? trace->segments[trace->segment_count - 1].last : 0;
    if (trace->segment_count && sequence > last && sequence - last > 1)
        diag_warning(&tool->diag, NULL,
                     "found instruction %llu, but the trace ends after instruction %llu; "
                     "this is the answer for its end",
                     (unsigned long long)sequence, (unsigned long long)last);
    return trace->record_count;
}

bool search_record(struct ttrace_tool *tool, uint64_t number, struct ttrace_record *record)
{
    const struct ttrace_segment *segment = search_segment(&tool->trace, number);

    if (tool->decoder.segment != segment || tool->decoder.number > number)
        if (!ttrace_load(&tool->decoder, &tool->trace, segment))
            return false;
    while (tool->decoder.number <= number)
        if (!ttrace_next(&tool->decoder, record))
            return false;
    return true;
}

/* Decodes the next record that may access the place. */
static bool next_for(struct ttrace_decoder *decoder, const struct place *place,
                     struct ttrace_record *record)
{
    return place->kind == PLACE_MEMORY
               ? ttrace_next_access(decoder, place->address, place->length, record)
               : ttrace_next(decoder, record);
}

/* Returns the last record of the segment before `end` that wrote the place, or NO_RECORD. */
static uint64_t writer_in(struct ttrace_tool *tool, const struct ttrace_segment *segment,
                          const struct place *place, uint64_t end)
{
    struct ttrace_decoder *decoder = &tool->decoder;
    uint64_t found = NO_RECORD;
    struct ttrace_record record;

    if (!ttrace_load(decoder, &tool->trace, segment) ||
        (place->only_ranges && !ttrace_has_long(decoder)))
        return NO_RECORD;
    while (decoder->number < end && next_for(decoder, place, &record) && decoder->number <= end) {
        for (size_t i = 0; i < record.recorder->count; i++)
            if (effect_writes(&record, &record.recorder->effects[i], place))
                found = decoder->number - 1;
    }
    return found;
}

/* Returns the record that wrote the register last, as the index of the segment says. */
static uint64_t register_writer(const struct ttrace *trace, const struct ttrace_segment *segment,
                                const struct place *place)
{
    const struct ttrace_known *registers = segment->registers;
    size_t count = segment->register_count;

    if (place->thread)
        registers = ttrace_thread_registers(trace, segment, place->thread, &count);
    for (size_t i = 0; i < count; i++)
        if (registers[i].file == place->file && registers[i].number == place->number)
            return registers[i].when;
    return NO_RECORD;
}

/* The same of the CSR or the state; of threads, of any. The start of a worker sets fcsr, too. */
static uint64_t state_writer(const struct ttrace_segment *segment, const struct place *place)
{
    unsigned of_csr = place->kind == PLACE_CSR ? state_of_csr(place->number) : state_kind_count;
    const char *name = of_csr < state_kind_count ? state_kinds[of_csr].name : place->state;
    uint64_t last = NO_RECORD;

    for (size_t i = 0; i < segment->csr_count; i++) {
        uint32_t number = segment->csrs[i].number;
        if (((place->kind == PLACE_CSR && csr_overlaps(number, place->number)) ||
             (place->thread && number == ISA_CSR_FCSR)) &&
            (last == NO_RECORD || segment->csrs[i].when > last))
            last = segment->csrs[i].when;
    }
    for (size_t i = 0; name && i < segment->state_count; i++)
        if (is_part(segment->states[i].name, name) &&
            (last == NO_RECORD || segment->states[i].when > last))
            last = segment->states[i].when;
    return last;
}

uint64_t search_operand(struct ttrace_tool *tool, const struct isa_operand *operand, uint64_t word,
                        uint64_t number, uint32_t thread)
{
    unsigned raw = (unsigned)isa_extract(operand, word);
    bool is_mixed = operand->type->kind == ISA_REGISTER_OR_IMMEDIATE;
    struct place place = {.kind = PLACE_REGISTER,
                          .number = is_mixed ? isa_ri_value(operand->type, raw) : raw,
                          .thread = thread};

    if (!operand->type->file || (is_mixed && isa_ri_is_immediate(operand->type, raw)))
        return place.number;
    place.file = (uint32_t)(operand->type->file - isa_register_files);
    number = search_writer(tool, &place, number);
    return number == NO_RECORD ? 0 : search_value(tool, number, &place);
}

uint64_t search_value(struct ttrace_tool *tool, uint64_t number, const struct place *place)
{
    struct place at = *place;
    struct ttrace_record record;
    bool is_inherited = true;
    uint64_t value = 0;
    unsigned count;

    while (is_inherited && number != NO_RECORD && search_record(tool, number, &record)) {
        is_inherited = false;
        for (size_t i = 0; i < record.recorder->count; i++) {
            const struct effect *effect = &record.recorder->effects[i];
            if (!effect_writes(&record, effect, &at))
                continue;
            bool is_start = thread_started(effect) && thread_begins(effect);
            is_inherited = is_start && record.flags & TTRACE_TRAP;
            value = effect->kind == EFFECT_REGISTER
                        ? *recorder_words(record.recorder, effect, &count)
                    : !is_start ? effect->value
                    : at.kind == PLACE_REGISTER && !is_inherited
                        ? thread_first_word(&isa_register_files[at.file])
                        : 0;
        }
        at.thread = record.thread; /* a call makes a thread with the registers of its caller */
        if (is_inherited)
            number = search_writer(tool, &at, number);
    }
    return value;
}

uint64_t search_writer(struct ttrace_tool *tool, const struct place *place, uint64_t end)
{
    const struct ttrace *trace = &tool->trace;

    for (size_t i = trace->segment_count; i-- > 0 && !tool->decoder.failed;) {
        const struct ttrace_segment *segment = &trace->segments[i];
        bool is_whole = segment->first_record + segment->record_count <= end;
        if (segment->first_record >= end)
            continue;
        if (place->kind == PLACE_REGISTER && is_whole)
            return register_writer(trace, segment, place);
        if (place->kind > PLACE_REGISTER && is_whole) {
            uint64_t when = state_writer(segment, place);
            if (when == NO_RECORD || !place->thread)
                return when;
            if (when < segment->first_record)
                continue;
        }
        if (place->kind == PLACE_MEMORY &&
            !ttrace_runs_touch(&segment->written, place->address, place->length))
            continue;
        uint64_t found = writer_in(tool, segment, place, end);
        if (found != NO_RECORD)
            return found;
    }
    return NO_RECORD;
}

/* Returns the first effect of the kind, or NULL if there is none, or another one of that kind. */
static const struct effect *only_effect(const struct recorder *recorder, enum effect_kind kind)
{
    const struct effect *found = NULL;

    for (size_t i = 0; i < recorder->count; i++) {
        if (recorder->effects[i].kind != kind)
            continue;
        if (found)
            return NULL;
        found = &recorder->effects[i];
    }
    return found;
}

/* Sets the place of the register that a store writes, which is the first that it reads. Returns
 * false if there is none. */
static bool stored_register(const struct ttrace_record *record, struct place *source)
{
    uint64_t word;
    const struct isa_instruction *instruction = record_instruction(record, &word);

    for (unsigned i = 0; instruction && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned first;
        if (!isa_registers_read(operand, word, &first) || !operand->type->file)
            continue;
        *source = (struct place){.kind = PLACE_REGISTER,
                                 .file = (uint32_t)(operand->type->file - isa_register_files),
                                 .number = first,
                                 .thread = record->thread};
        return true;
    }
    return false;
}

/* Sets the place from which the record only moved what the effect wrote at the place. Returns false
 * if it computed that. */
static bool find_moved(const struct ttrace_record *record, const struct effect *effect,
                       const struct place *place, struct place *source)
{
    const struct recorder *recorder = record->recorder;
    const struct effect *load = only_effect(recorder, EFFECT_LOAD);
    const struct effect *read = only_effect(recorder, EFFECT_RANGE_READ);
    uint64_t word, at = place->address > effect->address ? place->address - effect->address : 0;

    switch (effect->kind) {
    case EFFECT_REGISTER:
        if (!load)
            return false;
        *source = (struct place){.address = load->address, .length = load->length};
        return true;
    case EFFECT_STORE:
        return !load && stored_register(record, source);
    case EFFECT_RANGE_WRITE:
        if (!read || read->length != effect->length ||
            type_written(record_instruction(record, &word), recorder))
            return false;
        *source = (struct place){.address = read->address + at, .length = 1};
        return true;
    default:
        return false;
    }
}

bool search_is_raw(struct ttrace_tool *tool, uint64_t number, const struct place *place)
{
    struct place at = *place, source;
    struct ttrace_record record;
    uint64_t word;

    for (unsigned i = 0; i < RAW_MOVES; i++) {
        const struct effect *effect = NULL;
        if (number == NO_RECORD || !search_record(tool, number, &record) ||
            record.flags & TTRACE_START)
            return false;
        for (size_t k = 0; k < record.recorder->count; k++)
            if (effect_writes(&record, &record.recorder->effects[k], &at))
                effect = &record.recorder->effects[k];
        if (!effect)
            return false;
        const struct isa_instruction *instruction = record_instruction(&record, &word);
        if (effect->kind == EFFECT_REGISTER &&
            register_is_raw(instruction, word, effect->file, effect->number))
            return true;
        if (!find_moved(&record, effect, &at, &source))
            return false;
        at = source;
        number = search_writer(tool, &at, number);
    }
    return false;
}
