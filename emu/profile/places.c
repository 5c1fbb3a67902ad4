/* The places of a profile: what is known of the instruction at each address, and its cost. See
 * profile.h and parts.h. */
#include "emu/decode/access.h"
#include "emu/profile/parts.h"
#include "emu/profile/stats.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include <stdlib.h>

/* Is it an operand that is one of the registers that hold return addresses? */
static bool is_link(const struct isa_operand *operand, int64_t value)
{
    return operand->type->kind == ISA_REGISTER &&
           operand->type->file->standard == ISA_STANDARD_INTEGER &&
           (value == ISA_REGISTER_RA || value == ISA_REGISTER_T0);
}

/* Returns what the hints of the unprivileged ISA say about a jump. */
static enum profile_jump jump_of(const struct isa_instruction *instruction, const int64_t *values)
{
    int64_t written = 0, read = 0;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (is_link(operand, values[i]))
            *(operand->type->access & ISA_WRITE ? &written : &read) = values[i];
    }
    if (written)
        return read && read != written ? PROFILE_SWAP : PROFILE_CALL;
    return read ? PROFILE_RETURN : PROFILE_JUMP;
}

enum profile_jump profile_jump_of(uint64_t word, unsigned length)
{
    const struct isa_instruction *instruction = isa_decode(word, (int)length);
    int64_t values[ISA_OPERAND_LIMIT];

    if (!instruction)
        return PROFILE_JUMP;
    instruction = isa_operands(instruction, word, values);
    return instruction->effects & ISA_EFFECT_FLOW && !instruction->inverse
               ? jump_of(instruction, values)
               : PROFILE_JUMP;
}

/* Does the instruction access a CSR of floating point? Unlike other CSRs, these only change what
 * instructions compute. */
static bool has_float_csr(const struct isa_instruction *instruction, const int64_t *values)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_CSR)
            return isa_is_float_csr((unsigned)values[i]);
    return false;
}

/* Is the cost of the instruction with these operands the same whenever it retires, and does it only
 * go on or jump? A conditional store, which may fail, is not one of those whose bytes are known; a
 * jump has an operand, unlike a call of the environment. */
static bool is_steady(const struct isa_instruction *instruction, const int64_t *values)
{
    enum {
        STEADY = ISA_EFFECT_LOAD | ISA_EFFECT_STORE | ISA_EFFECT_TRAP | ISA_EFFECT_FLOW |
                 ISA_EFFECT_FLOAT,
        ACCESSES = ISA_EFFECT_LOAD | ISA_EFFECT_STORE,
    };

    const struct access *access = access_of(instruction->id);
    unsigned steady = access->atomic ? STEADY | ISA_EFFECT_CODE : STEADY;

    return (!(instruction->effects & ~steady) || has_float_csr(instruction, values)) &&
           (!(instruction->effects & ACCESSES) || access->bytes || access->atomic) &&
           (!(instruction->effects & ISA_EFFECT_FLOW) || instruction->operand_count);
}

void profile_tell_places(struct profile *profile, uint64_t pc, uint64_t instructions,
                         uint64_t count)
{
    for (uint64_t i = 0; i < instructions; i++) {
        struct profile_place *place = profile_place_at(profile, pc);
        place->cost.instructions += count;
        place->cost.read += count * place->read;
        place->cost.written += count * place->written;
        if (profile->stats)
            stats_count_steady(profile->stats, &isa_instructions[place->id], count, place->read,
                               place->written);
        pc += place->length;
    }
}

void profile_finish_run(struct profile *profile, struct profile_run *run)
{
    profile_tell_places(profile, run->pc, run->instructions, run->count);
    run->count = 0;
}

void profile_finish_runs(struct profile *profile)
{
    for (; profile->pending; profile->pending = profile->pending->next) {
        profile_finish_run(profile, profile->pending);
        profile->pending->is_pending = false;
    }
}

static void describe(struct profile *profile, struct profile_place *place, uint64_t pc,
                     uint64_t word, unsigned length)
{
    const struct isa_instruction *instruction = isa_decode(word, (int)length);
    int64_t values[ISA_OPERAND_LIMIT];

    place->word = word;
    place->length = (uint8_t)length;
    place->is_known = true;
    place->is_steady = place->is_usual = false;
    place->function = profile_function(profile, pc);
    place->id = ISA_ID_COUNT;
    if (!instruction)
        return;
    instruction = isa_operands(instruction, word, values);
    place->id = instruction->id;
    place->is_branch = instruction->effects & ISA_EFFECT_FLOW && instruction->inverse;
    place->is_steady =
        is_steady(instruction, values) && !isa_is_idle_branch(instruction, values, length);
    const struct access *access = access_of(instruction->id);
    uint8_t bytes = access->atomic ? access->atomic : access->bytes;
    place->read = place->is_steady && instruction->effects & ISA_EFFECT_LOAD ? bytes : 0;
    place->written = place->is_steady && instruction->effects & ISA_EFFECT_STORE ? bytes : 0;
    place->is_unit = instruction->effects & ISA_EFFECT_UNIT;
    place->has_bins = operand_bins_has(instruction);
    place->jump = PROFILE_JUMP;
    place->has_register = false;
    /* A branch only compares its registers. */
    if (!profile->program || !(instruction->effects & ISA_EFFECT_FLOW) || instruction->inverse)
        return;
    place->jump = jump_of(instruction, values);
    for (unsigned i = 0; i < instruction->operand_count; i++)
        place->has_register |= instruction->operands[i].type->kind == ISA_REGISTER &&
                               instruction->operands[i].type->access & ISA_READ;
}

struct profile_place *profile_place(struct profile *profile, uint64_t pc, uint64_t word,
                                    unsigned length)
{
    struct profile_place **page = &profile->pages[pc % MEMORY_CODE_LIMIT / PROFILE_PAGE];

    if (__builtin_expect(!*page, 0))
        *page = profile_need(calloc(PROFILE_SLOTS, sizeof **page));
    struct profile_place *place = &(*page)[pc % PROFILE_PAGE / 2];
    if (__builtin_expect(!place->is_known || place->word != word, 0)) {
        profile_finish_runs(profile); /* which may have the instruction that was there before */
        describe(profile, place, pc, word, length);
    }
    return place;
}

const struct profile_place *profile_next(const struct profile *profile, uint64_t *address)
{
    for (uint64_t at = *address; at < MEMORY_CODE_LIMIT; at += 2) {
        const struct profile_place *page = profile->pages[at / PROFILE_PAGE];
        if (!page) {
            at |= PROFILE_PAGE - 2;
        } else if (page[at % PROFILE_PAGE / 2].cost.instructions) {
            *address = at;
            return &page[at % PROFILE_PAGE / 2];
        }
    }
    return NULL;
}
