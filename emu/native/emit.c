/* See emit.h. */
#include "emu/native/emit.h"
#include "emu/units/traversal.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include <inttypes.h>
#include <string.h>

/* unit.h, preprocessed. */
static const char prelude[] = {
#include "translate_prelude.inc"
};

static const char *const bodies[ISA_ID_COUNT] = {
#include "body_texts.inc"
};

enum { ROWS_LIMIT = 8 /* largest number of rows whose streaks are locals of a unit */ };

_Static_assert(TRAVERSAL_STREAKS == 64, "a bit a row that has a streak");
_Static_assert(ISA_X_REGISTERS <= 64 && ISA_F_REGISTERS <= 64, "a bit a register");

/* The registers and rows that a unit uses, as one bit each. */
struct register_use {
    uint64_t x, f; /* registers that the unit uses */
    uint64_t x_written, f_written;
    uint64_t doubles; /* f registers of which the unit uses more than 32 bits */
    uint64_t grouped; /* f registers that are written as a group without any of `doubles` in it */
    uint64_t rows;    /* rows of the traversal unit that it walks through */
    uint64_t stored;  /* rows that it stores through */
    bool any_row;     /* it walks through a row whose number is in a register */
};

static void use_register(struct register_use *use, const struct isa_operand_type *type,
                         unsigned number)
{
    bool is_f = type->file->standard == ISA_STANDARD_FLOAT;
    uint64_t bits = (UINT64_C(1) << (type->group_count ? type->group_count : 1)) - 1;

    if (!type->file->standard || number >= type->file->count)
        return; /* it stays in the hart; or it is the sink */
    *(is_f ? &use->f : &use->x) |= bits << number;
    if (type->access & ISA_WRITE)
        *(is_f ? &use->f_written : &use->x_written) |= bits << number;
    if (is_f && type->view != ISA_VIEW_F32 && type->view != ISA_VIEW_RAW32)
        use->doubles |= bits << number;
    if (is_f && type->group_count && type->access & ISA_WRITE)
        use->grouped |= bits << number;
}

static void use_operands(struct register_use *use, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned value = record->r[operand->slot_index];
        if (operand->slot == ISA_SLOT_R && operand->type->file &&
            !(operand->type->kind == ISA_REGISTER_OR_IMMEDIATE && value & RI_IMMEDIATE))
            use_register(use, operand->type, value);
    }
}

/* The row is the only register-or-immediate operand of an instruction that walks. */
static void use_row(struct register_use *use, const struct decoded *record)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    if (!(instruction->effects & ISA_EFFECT_WALK))
        return;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned value = record->r[operand->slot_index];
        if (operand->type->kind != ISA_REGISTER_OR_IMMEDIATE)
            continue;
        uint64_t row = UINT64_C(1) << (value & (RI_IMMEDIATE - 1)) % TRAVERSAL_STREAKS;
        if (!(value & RI_IMMEDIATE))
            use->any_row = true;
        use->rows |= row;
        if (instruction->effects & ISA_EFFECT_STORE)
            use->stored |= row;
    }
}

static struct register_use find_use(const struct region *region)
{
    struct register_use use = {0};

    for (size_t i = 0; i < region->count; i++)
        for (size_t k = 0; k < region->blocks[i].count; k++) {
            use_operands(&use, &region->blocks[i].records[k]);
            use_row(&use, &region->blocks[i].records[k]);
        }
    use.x &= ~UINT64_C(1); /* x0 is 0 */
    for (unsigned number = 0; number < ISA_F_REGISTERS; number += 4)
        if (use.doubles >> number & 15)
            use.grouped &= ~(UINT64_C(15) << number);
    /* An index that is not constant would move all streaks to memory, and every access to the
     * traversal unit gives back all of them. */
    if (use.any_row || __builtin_popcountll(use.rows) > ROWS_LIMIT)
        use.rows = 0;
    return use;
}

/* Returns the length of the longest path from an entry. */
static size_t find_longest(const struct region *region)
{
    size_t longest = 0;

    for (size_t i = 0; i < region->count; i++)
        if (region->blocks[i].is_entry && region->blocks[i].longest > longest)
            longest = region->blocks[i].longest;
    return longest;
}

static void emit_registers(struct text *text, const char *macro, uint64_t registers)
{
    for (unsigned number = 0; number < 64; number++)
        if (registers >> number & 1)
            text_format(text, "%s(%u)\n", macro, number);
}

static void emit_instruction(struct text *text, const struct decoded *record, size_t remaining)
{
    text_format(text, "INSTRUCTION(0x%" PRIx64 ", %u, %zu", record->pc, record->length, remaining);
    for (unsigned i = 0; i < ISA_R_SLOTS; i++)
        text_format(text, ", %u", record->r[i]);
    for (unsigned i = 0; i < ISA_IMM_SLOTS; i++)
        text_format(text, ", (int64_t)0x%" PRIx64, (uint64_t)record->imm[i]);
    text_format(text, ") /* %s */\n%s", isa_instructions[record->id].mnemonic, bodies[record->id]);
}

/* Emits how control leaves the last instruction of a block. */
static void emit_way_out(struct text *text, const struct region *region,
                         const struct region_block *block)
{
    for (size_t i = 0; i < block->guess_count; i++)
        text_format(text, "TO_GUESS(%" PRIx64 ")\n", block->guesses[i]);
    if (block->is_indirect)
        text_append(text, "TO_ANY\n");
    else if (!block->has_target)
        text_append(text, "TO_NEXT\n");
    else if (region_block_at(region, block->target))
        text_format(text, "TO_TARGET(%" PRIx64 ")\n", block->target);
    else
        text_append(text, "TO_OUTSIDE\n");
    if (region_block_at(region, block->end))
        text_format(text, "goto L_%" PRIx64 ";\n", block->end);
    else
        text_format(text, "AWAY(0x%" PRIx64 ")\n", block->end);
}

static void emit_block(struct text *text, const struct region *region,
                       const struct region_block *block)
{
    text_format(text, "L_%" PRIx64 ": ", block->pc);
    if (block->is_head)
        text_format(text, "HEAD(0x%" PRIx64 ", %zu) ", block->pc, block->longest);
    text_format(text, "BLOCK(%zu)\n", block->count);
    for (size_t i = 0; i < block->count; i++) {
        emit_instruction(text, &block->records[i], block->count - i);
        if (i + 1 < block->count)
            text_append(text, "TO_NEXT\n");
    }
    emit_way_out(text, region, block);
}

void translate_emit(struct text *text, const struct region *region)
{
    const struct register_use use = find_use(region);

    text_append_bytes(text, prelude, sizeof prelude);
    text_format(text, "#define UNIT_SINGLES UINT64_C(0x%" PRIx64 ")\n", use.f & ~use.doubles);
    text_format(text, "#define UNIT_GROUPED UINT64_C(0x%" PRIx64 ")\n", use.grouped);
    text_format(text, "#define UNIT_ROWS UINT64_C(0x%" PRIx64 ")\n", use.rows);
    text_format(text, "#define UNIT_STORED UINT64_C(0x%" PRIx64 ")\n", use.stored);
    text_format(text, "#define UNIT_LONGEST %zu\n", find_longest(region));
    text_append(text, "#define UNIT_GIVE_BACK");
    for (unsigned row = 0; row < TRAVERSAL_STREAKS; row++)
        if (use.rows >> row & 1)
            text_format(text, " GIVE_BACK(%u)", row);
    text_append(text, "\nUNIT_BEGIN\n");
    emit_registers(text, "LOAD_X", use.x);
    emit_registers(text, "LOAD_F", use.f);
    emit_registers(text, "NO_STREAK", use.rows);
    text_append(text, "UNIT_DISPATCH\n");
    for (size_t i = 0; i < region->count; i++)
        if (region->blocks[i].is_entry)
            text_format(text, "ENTRY(%" PRIx64 ")\n", region->blocks[i].pc);
    text_append(text, "UNIT_DISPATCHED\n");
    for (size_t i = 0; i < region->count; i++)
        emit_block(text, region, &region->blocks[i]);
    text_append(text, "UNIT_OUT\n");
    emit_registers(text, "STORE_X", use.x_written);
    emit_registers(text, "STORE_F", use.f_written);
    text_append(text, "UNIT_END\n");
}
