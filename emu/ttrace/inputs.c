/* See inputs.h. */
#include "emu/ttrace/inputs.h"
#include "lib/timing/time.h"

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
    struct place csr;

    if (operand->type->kind == ISA_CSR) {
        memset(&csr, 0, sizeof csr);
        csr.kind = PLACE_CSR;
        csr.number = (uint32_t)isa_extract(operand, record->word);
        csr.thread = record->thread;
        add_input(inputs, &csr);
    }

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

void inputs_find(struct inputs *inputs, const struct ttrace_record *record)
{
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;

    *inputs = (struct inputs){.count = 0};
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

static bool sets(const struct recorder *recorder, const char *state)
{
    const struct place place = {.kind = PLACE_STATE, .state = state};

    for (size_t i = 0; i < recorder->count; i++)
        if (effect_writes(&recorder->effects[i], &place))
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
        if (inputs->places[i].kind == PLACE_STATE && inputs->writers[i] == writer)
            return;
    if (inputs->count < MAXIMUM_INPUTS)
        inputs->writers[inputs->count] = writer;
    add_input(inputs, place);
}

void inputs_find_state(struct inputs *inputs, struct ttrace_tool *tool,
                       const struct ttrace_record *record, uint64_t number)
{
    const struct ttrace_segment *segment = search_segment(&tool->trace, number);
    const struct isa_instruction *instruction =
        record->length ? isa_decode(record->word, record->length) : NULL;
    unsigned operand = 0, count = 0;
    bool has_time = instruction && !instruction->expansion; /* compressed ones have no times */
    const char *unit = has_time ? time_row(instruction->id, &operand) : NULL;
    uint32_t thread = record->thread;
    uint64_t word = record->word;

    if (!unit || time_walk(instruction->id, &operand) == WALK_BEGIN)
        return;
    struct place *found = arena_array(&tool->arena, segment->state_count, sizeof *found);
    for (size_t i = 0; i < segment->state_count; i++) {
        /* What the instruction itself sets, as a step does, would only lead to the step before. */
        if (sets(record->recorder, segment->states[i].name))
            continue;
        found[count].kind = PLACE_STATE;
        found[count].state = segment->states[i].name;
        found[count++].thread = thread;
    }
    uint64_t row = search_operand(tool, &instruction->operands[operand], word, number, thread);
    for (unsigned i = 0; i < count; i++)
        if (is_of_row(found[i].state, unit, row))
            add_state(inputs, tool, &found[i], number);
}
