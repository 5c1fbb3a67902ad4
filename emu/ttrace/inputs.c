/* See inputs.h. */
#include "emu/ttrace/inputs.h"
#include "lib/timing/time.h"
#include "lib/trace/state_reads.h"

#include <stdlib.h>
#include <string.h>

static void add_input(struct inputs *inputs, const struct place *place)
{
    for (unsigned i = 0; i < inputs->count; i++)
        if (memcmp(&inputs->places[i], place, sizeof *place) == 0)
            return;
    if (inputs->count == MAXIMUM_INPUTS)
        inputs->omitted++;
    else
        inputs->places[inputs->count++] = *place;
}

static void add_operand(struct inputs *inputs, const struct isa_operand *operand,
                        const struct ttrace_record *record)
{
    const struct isa_register_file *file = operand->type->file;
    unsigned first, count = isa_registers_read(operand, record->word, &first);

    for (unsigned number = first; number < first + count; number++) {
        struct place place;
        memset(&place, 0, sizeof place);
        place.kind = PLACE_REGISTER;
        place.file = (uint32_t)(file - isa_register_files);
        place.number = number;
        place.thread = record->thread;
        if (!file->zero || number)
            add_input(inputs, &place);
    }
}

static void add_csr(struct inputs *inputs, const struct isa_instruction *instruction,
                    const struct ttrace_record *record)
{
    int64_t number = csr_read_by(instruction, record->word, record->recorder);
    struct place csr;

    memset(&csr, 0, sizeof csr);
    csr.kind = PLACE_CSR;
    csr.number = (uint32_t)number;
    csr.thread = record->thread;
    place_share(&csr);
    if (number >= 0)
        add_input(inputs, &csr);
}

void inputs_find(struct inputs *inputs, const struct ttrace_record *record)
{
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;

    *inputs = (struct inputs){.count = 0};
    if (instruction)
        add_csr(inputs, instruction, record);
    for (unsigned i = 0; instruction && i < instruction->operand_count; i++)
        add_operand(inputs, &instruction->operands[i], record);
    for (size_t i = 0; i < record->recorder->count; i++) {
        const struct effect *effect = &record->recorder->effects[i];
        struct place place;
        memset(&place, 0, sizeof place);
        place.address = effect->address;
        place.length = effect->length;
        if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_RANGE_READ)
            add_input(inputs, &place);
    }
}

/* Is it the name of a state of the row: `traversal.end[2][0]` of row 2 of the unit traversal? */
static bool is_of_row(const char *name, const char *unit, uint64_t row)
{
    const char *index = strchr(name, '[');
    size_t length = strlen(unit);

    return index && strncmp(name, unit, length) == 0 && name[length] == '.' &&
           strtoull(index + 1, NULL, 10) == row;
}

static bool sets(const struct ttrace_record *record, const char *state)
{
    const struct place place = {.kind = PLACE_STATE, .state = state};

    for (size_t i = 0; i < record->recorder->count; i++)
        if (effect_writes(record, &record->recorder->effects[i], &place))
            return true;
    return false;
}

/* Is the state a counter that a CSR shows and the instruction advances? */
static bool counts(const struct recorder *recorder, const struct state_kind *kind)
{
    uint32_t row;

    for (size_t i = 0; kind->csr >= 0 && i < recorder->count; i++)
        if (recorder->effects[i].kind == EFFECT_STATE &&
            state_is_set_by(kind, &recorder->effects[i], &row))
            return true;
    return false;
}

/* Adds the state if an instruction wrote it that did not write one of those before. */
static void add_state(struct inputs *inputs, struct ttrace_tool *tool, const struct place *place,
                      uint64_t number)
{
    uint64_t writer = search_writer(tool, place, number);

    if (writer == NO_RECORD)
        return;
    for (unsigned i = 0; i < inputs->count; i++)
        if (inputs->places[i].kind >= PLACE_CSR && inputs->writers[i] == writer)
            return;
    if (inputs->count < MAXIMUM_INPUTS)
        inputs->writers[inputs->count] = writer;
    add_input(inputs, place);
}

/* Adds the state of the row that the instruction names. */
static void add_row(struct inputs *inputs, struct ttrace_tool *tool,
                    const struct ttrace_record *record, const char *unit, unsigned operand,
                    uint64_t number)
{
    const struct ttrace_segment *segment = search_segment(&tool->trace, number);
    const struct isa_instruction *instruction = isa_decode(record->word, record->length);
    uint32_t thread = record->thread;
    uint64_t word = record->word;
    unsigned count = 0;

    struct place *found = arena_array(&tool->arena, segment->state_count, sizeof *found);
    for (size_t i = 0; i < segment->state_count; i++) {
        /* What the instruction itself sets, as a step does, would only lead to the step before. */
        if (sets(record, segment->states[i].name))
            continue;
        found[count].kind = PLACE_STATE;
        found[count].state = segment->states[i].name;
        found[count].thread = thread;
        place_share(&found[count++]);
    }
    uint64_t row = search_operand(tool, &instruction->operands[operand], word, number, thread);
    for (unsigned i = 0; i < count; i++)
        if (is_of_row(found[i].state, unit, row))
            add_state(inputs, tool, &found[i], number);
}

/* Adds the state that a read of the definition names, or the CSR that it is. */
static void add_read(struct inputs *inputs, struct ttrace_tool *tool, const struct state_read *read,
                     const struct isa_instruction *instruction, uint64_t word, uint32_t thread,
                     uint64_t number)
{
    const struct state_kind *kind = &state_kinds[read->state];
    uint64_t first = read->number, count = 1;
    struct place place;

    memset(&place, 0, sizeof place);
    place.kind = kind->csr < 0 ? PLACE_STATE : PLACE_CSR;
    place.number = kind->csr < 0 ? 0 : (uint32_t)kind->csr;
    place.thread = kind->is_of_thread ? thread : 0;
    place.state = kind->csr < 0 ? kind->name : NULL;
    if (read->kind == READ_PART) {
        count = read->number;
        first = count *
                search_operand(tool, &instruction->operands[read->operand], word, number, thread);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (read->kind != READ_ANY)
            place.state =
                arena_format(&tool->arena, strchr(kind->name, '.') ? "%s[%llu]" : "%s%llu",
                             kind->name, (unsigned long long)(first + i));
        add_state(inputs, tool, &place, number);
    }
}

void inputs_find_state(struct inputs *inputs, struct ttrace_tool *tool,
                       const struct ttrace_record *record, uint64_t number)
{
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;
    unsigned operand = 0;
    size_t count;
    uint32_t thread = record->thread;
    uint64_t word = record->word;

    if (!instruction || instruction->expansion) /* compressed ones read no state */
        return;
    const char *unit = time_row(instruction->id, &operand);
    const struct state_read *reads = state_reads(instruction->id, &count);
    bool *is_left_out = arena_array(&tool->arena, count, sizeof *is_left_out);
    for (size_t i = 0; i < count; i++) {
        const struct state_kind *kind = &state_kinds[reads[i].state];
        is_left_out[i] = (unit && strcmp(kind->unit, unit) == 0) || counts(record->recorder, kind);
    }
    if (unit && time_walk(instruction->id, &operand) != WALK_BEGIN)
        add_row(inputs, tool, record, unit, operand, number);
    for (size_t i = 0; i < count; i++)
        if (!is_left_out[i])
            add_read(inputs, tool, &reads[i], instruction, word, thread, number);
}
