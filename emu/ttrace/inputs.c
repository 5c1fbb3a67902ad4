/* See inputs.h. */
#include "emu/ttrace/inputs.h"

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
        place.is_register = true;
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
