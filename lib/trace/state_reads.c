/* See state_reads.h. */
#include "lib/trace/state_reads.h"
#include "instruction_ids.h"
#include "isa_ids.h"

#include <stdlib.h>
#include <string.h>

struct reads {
    const struct state_read *items;
    size_t count;
};

#include "state_reads.inc"

const unsigned state_kind_count = STATES;

const struct state_read *state_reads(unsigned id, size_t *count)
{
    *count = all_reads[id].count;
    return all_reads[id].items;
}

unsigned state_of_csr(int64_t number)
{
    unsigned state = 0;

    while (state < STATES && state_kinds[state].csr != number)
        state++;
    return state;
}

/* Is the text the indices of state: nothing, [2][1], or the 3 of weight3? */
static bool is_index(const char *text)
{
    return *text == '[' || text[strspn(text, "0123456789")] == '\0';
}

const struct state_kind *state_by_name(const char *name)
{
    for (unsigned i = 0; i < STATES; i++) {
        size_t length = strlen(state_kinds[i].name);
        if (strncmp(name, state_kinds[i].name, length) == 0 && is_index(name + length))
            return &state_kinds[i];
    }
    return NULL;
}

bool csr_is_of_thread(int64_t number)
{
    unsigned state = state_of_csr(number);

    return state == state_kind_count || state_kinds[state].is_of_thread;
}

bool state_is_of_thread(const char *name)
{
    const struct state_kind *kind = state_by_name(name);

    return kind && kind->is_of_thread;
}

bool state_is_set_by(const struct state_kind *state, const struct effect *effect, uint32_t *row)
{
    const char *name = state->name, *digits;
    size_t length = effect->unit ? strlen(effect->unit) : strlen(name);

    if (effect->unit) {
        *row = effect->number;
        return strncmp(name, effect->unit, length) == 0 && name[length] == '.' &&
               strcmp(name + length + 1, effect->name) == 0;
    }
    if (strncmp(name, effect->name, length) != 0)
        return false;
    digits = effect->name + length; /* of weight3 */
    *row = *digits ? (uint32_t)strtoul(digits, NULL, 10) : EFFECT_NO_ROW;
    return is_index(digits);
}

static bool sets_flags(const struct recorder *recorder)
{
    for (size_t i = 0; i < recorder->count; i++)
        if (recorder->effects[i].kind == EFFECT_CSR &&
            recorder->effects[i].number == ISA_CSR_FFLAGS)
            return true;
    return false;
}

int64_t csr_read_by(const struct isa_instruction *instruction, uint64_t word,
                    const struct recorder *recorder)
{
    int64_t number = -1, result = 0;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (operand->type->kind == ISA_CSR)
            number = isa_extract(operand, word);
        else if (operand->type->kind == ISA_REGISTER && operand->type->access & ISA_WRITE)
            result = isa_extract(operand, word);
    }
    if (number < 0)
        return sets_flags(recorder) ? ISA_CSR_FFLAGS : -1;
    /* With x0 as rd, a write does not read, but setting bits does. */
    bool only_writes = instruction->id == ISA_ID_CSRRW || instruction->id == ISA_ID_CSRRWI;
    return only_writes && !result ? -1 : number;
}

bool csr_overlaps(uint32_t left, uint32_t right)
{
    return left == right || (isa_is_float_csr(left) && isa_is_float_csr(right) &&
                             (left == ISA_CSR_FCSR || right == ISA_CSR_FCSR));
}
