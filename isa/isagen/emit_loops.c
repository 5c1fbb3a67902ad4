/*
 * Writes loops.inc: the bodies of loops, one function each, made of the bodies of their parts by
 * macros of emu/loops.c, and the tables by which the decoder recognizes a loop.
 *
 * The records of a loop are those of its basic blocks in a row, and each block ends with a
 * terminator record. Therefore the index of a part's record differs from the number of the part.
 */
#include "isa/isagen/emit.h"

/* Returns the number that the register of the operand has in this loop. */
static unsigned number_of(const struct spec_loop *loop, size_t part, size_t operand)
{
    return loop->names.items[loop->parts[part].arguments[operand].operand].slot_index;
}

static bool ends_block(const struct spec_loop *loop, size_t part)
{
    return loop->parts[part].instruction->effects & ISA_EFFECT_FLOW;
}

static size_t place_of(const struct spec_loop *loop, size_t part)
{
    size_t place = part;

    for (size_t i = 0; i < part; i++)
        place += ends_block(loop, i);
    return place;
}

/* Returns the number of instructions from the part to the end of its block. */
static size_t block_size(const struct spec_loop *loop, size_t part)
{
    size_t size = 1;

    while (!ends_block(loop, part + size - 1))
        size++;
    return size;
}

static bool is_register(const struct spec_operand *operand)
{
    return operand->type->kind == ISA_REGISTER;
}

/* Writes `macro(number, file, place, slot)` for each register, or for each register that is
 * written, with the place of its first use. */
static void emit_registers(struct emitter *emitter, const struct spec_loop *loop, const char *macro,
                           bool written_only)
{
    uint64_t done = 0;

    for (size_t i = 0; i < loop->count; i++) {
        const struct spec_operands *operands = &loop->parts[i].instruction->operands;
        for (size_t k = 0; k < operands->count; k++) {
            const struct spec_operand *operand = &operands->items[k];
            if (!is_register(operand) || (written_only && !(operand->type->access & ISA_WRITE)))
                continue;
            unsigned number = number_of(loop, i, k);
            if (!(done >> number & 1))
                text_format(&emitter->text, "%s(%u, %s, %zu, %u)\n", macro, number,
                            operand->type->file->name, place_of(loop, i), operand->slot_index);
            done |= UINT64_C(1) << number;
        }
    }
}

static void emit_part(struct emitter *emitter, const struct spec_loop *loop, size_t part)
{
    const struct spec_instruction *instruction = loop->parts[part].instruction;
    unsigned numbers[ISA_R_SLOTS] = {0};

    for (size_t k = 0; k < instruction->operands.count; k++)
        if (is_register(&instruction->operands.items[k]))
            numbers[instruction->operands.items[k].slot_index] = number_of(loop, part, k);
    text_format(&emitter->text, "PART(%zu, %d", place_of(loop, part), part + 1 == loop->count);
    for (unsigned slot = 0; slot < ISA_R_SLOTS; slot++)
        text_format(&emitter->text, ", %u", numbers[slot]);
    text_append(&emitter->text, ")\n");
    emit_work(emitter, instruction);
    if (part + 1 == loop->count)
        text_format(&emitter->text, "END_ROUND(%zu, %zu)\n", block_size(loop, 0),
                    place_of(loop, part) + 1);
    else if (ends_block(loop, part))
        text_format(&emitter->text, "END_BLOCK(%zu, %zu)\n", block_size(loop, part + 1),
                    place_of(loop, part + 1));
    else
        text_append(&emitter->text, "END_PART()\n");
}

static void emit_function(struct emitter *emitter, const struct spec_loop *loop)
{
    text_format(&emitter->text, "\nLOOP(%s)\n", loop->name);
    emit_registers(emitter, loop, "TAKE", false);
    text_append(&emitter->text, "ROUND()\n");
    for (size_t i = 0; i < loop->count; i++)
        emit_part(emitter, loop, i);
    emit_registers(emitter, loop, "GIVE", true);
    text_append(&emitter->text, "END_LOOP()\n");
}

static void emit_row(struct emitter *emitter, const struct spec_loop *loop)
{
    const struct spec_step *last = &loop->parts[loop->count - 1];
    uint64_t written = 0;

    text_format(&emitter->text, "{%s, %zu, %zu, %u, %u, {", loop->name, loop->count,
                block_size(loop, 0), loop->registers, last->instruction->distance->slot_index);
    for (size_t i = 0; i < loop->count; i++)
        text_format(&emitter->text, "%u, ", loop->parts[i].instruction->index);
    text_append(&emitter->text, "}, {");
    for (size_t i = 0; i < loop->count; i++) {
        const struct spec_operands *operands = &loop->parts[i].instruction->operands;
        text_append(&emitter->text, "{");
        for (size_t k = 0; k < operands->count; k++) {
            const struct spec_operand *operand = &operands->items[k];
            if (!is_register(operand))
                continue;
            unsigned number = number_of(loop, i, k);
            text_format(&emitter->text, "[%u] = %u, ", operand->slot_index, number + 1);
            if (operand->type->access & ISA_WRITE)
                written |= UINT64_C(1) << number;
        }
        text_append(&emitter->text, "}, ");
    }
    text_append(&emitter->text, "}, {");
    for (size_t i = 0; i < loop->names.count; i++)
        if (loop->names.items[i].type->kind == ISA_REGISTER)
            text_format(&emitter->text, "%u, ", loop->names.items[i].type->file->index);
    text_format(&emitter->text, "}, 0x%llx},\n", (unsigned long long)written);
}

/* Writes a table by the id of an instruction: 1 + the index of the first loop that begins with
 * it. */
static void emit_first(struct emitter *emitter, const struct spec_loop *loops, size_t count)
{
    for (size_t i = count; i-- > 0;)
        if (!i || loops[i].parts[0].instruction != loops[i - 1].parts[0].instruction)
            text_format(&emitter->text, "[%u] = %zu,\n", loops[i].parts[0].instruction->index,
                        i + 1);
}

void emit_loops(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;

    emit_header(emitter,
                "Bodies of loops; with LOOP_TABLE, what they are made of; with LOOP_FIRST, "
                "where they are in that table.");
    text_append(&emitter->text, "#if !defined(LOOP_TABLE) && !defined(LOOP_FIRST)\n");
    for (size_t i = 0; i < spec->loop_count; i++)
        emit_function(emitter, &spec->loops[i]);
    text_append(&emitter->text, "#elif defined(LOOP_TABLE)\n");
    for (size_t i = 0; i < spec->loop_count; i++)
        emit_row(emitter, &spec->loops[i]);
    text_append(&emitter->text, "#else\n");
    emit_first(emitter, spec->loops, spec->loop_count);
    text_append(&emitter->text, "#endif\n");
}
