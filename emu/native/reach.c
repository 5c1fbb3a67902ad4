/* Which registers hold addresses that need no check, since the host finds out whether accesses near
 * them fault: small numbers, and sums of a guest address and a small number. A table has one check
 * then, of the register with its address, instead of one for each index. See parts.h. */
#include "emu/native/parts.h"
#include "instruction_ids.h"

/* A number has a width if it is from -2^width to 2^width. Those of up to SMALL are small: the sum
 * of one and a guest address is nearer than MEMORY_REACH to guest memory. */
enum { WORD = 31, UNSIGNED_WORD, IMMEDIATE = 11, SMALL = 35, UNKNOWN = 64 };

/* Returns the width of the register. */
static unsigned width_of(const struct run *run, unsigned number)
{
    return run->native->places.words >> number & 1 ? WORD
           : run->small >> number & 1              ? run->widths[number]
                                                   : UNKNOWN;
}

/* Is it a guest address, as far as that is known or likely? */
static bool is_address(const struct run *run, unsigned number)
{
    if (run->known >> number & 1)
        return run->values[number] < run->native->machine->memory.end;
    return run->likely >> number & 1 || native_is_near(&run->checked[number]);
}

/* Returns the width of the sum of numbers with these widths. */
static unsigned width_of_sum(unsigned first, unsigned second)
{
    return (first > second ? first : second) + 1;
}

/* The sum of a register and a number, which is all that the instruction gives. */
struct sum {
    unsigned base, width; /* the register, and the width of the number */
};

/* What instructions give, with a number: the shift of the first operand, or a width. */
static const struct rule {
    enum result {
        ANYTHING,
        SUM,           /* of two registers, the first one shifted */
        SUM_OF_EITHER, /* of two registers, either of which may be the number */
        SUM_OF_NUMBER, /* of the width, in operand 1, or an immediate, and a register */
        NUMBER,        /* of the width */
        RIGHT,         /* a shift by an immediate */
        LEFT,
        LEFT_OF_WORD,
    } result;
    uint8_t base, number; /* the slot of the register in a sum */
} rules[ISA_ID_COUNT] = {
    [ISA_ID_ADD] = {SUM_OF_EITHER, 2, 0},
    [ISA_ID_SH1ADD] = {SUM, 2, 1},
    [ISA_ID_SH2ADD] = {SUM, 2, 2},
    [ISA_ID_SH3ADD] = {SUM, 2, 3},
    [ISA_ID_ADD_UW] = {SUM_OF_NUMBER, 2, UNSIGNED_WORD},
    [ISA_ID_SH1ADD_UW] = {SUM_OF_NUMBER, 2, UNSIGNED_WORD + 1},
    [ISA_ID_SH2ADD_UW] = {SUM_OF_NUMBER, 2, UNSIGNED_WORD + 2},
    [ISA_ID_SH3ADD_UW] = {SUM_OF_NUMBER, 2, UNSIGNED_WORD + 3},
    [ISA_ID_ADDI] = {SUM_OF_NUMBER, 1, IMMEDIATE},
    [ISA_ID_LWU] = {NUMBER, 0, UNSIGNED_WORD},
    [ISA_ID_SRLI] = {RIGHT, 0, 0},
    [ISA_ID_SLLI] = {LEFT, 0, 0},
    [ISA_ID_SLLI_UW] = {LEFT_OF_WORD, 0, 0},
};

static struct sum find_sum(const struct run *run, const struct decoded *record)
{
    const struct rule *rule = &rules[record->id];
    struct sum sum = {record->r[rule->base], UNKNOWN};

    if (rule->result == SUM_OF_NUMBER) {
        sum.width = rule->number;
    } else if (rule->result == SUM || rule->result == SUM_OF_EITHER) {
        sum.width = width_of(run, record->r[1]) + rule->number;
        struct sum other = {record->r[1], width_of(run, record->r[2])};
        if (rule->result == SUM_OF_EITHER && other.width < sum.width)
            sum = other;
    }
    return sum;
}

/* Returns the width of the result of the instruction, if it is not a sum. */
static unsigned find_width(const struct run *run, const struct decoded *record)
{
    const struct rule *rule = &rules[record->id];

    switch (rule->result) {
    case NUMBER:
        return rule->number;
    case RIGHT:
        return UNKNOWN - (unsigned)record->imm[0];
    case LEFT:
        return width_of(run, record->r[1]) + (unsigned)record->imm[0];
    case LEFT_OF_WORD:
        return UNSIGNED_WORD + (unsigned)record->imm[0];
    default:
        return UNKNOWN;
    }
}

bool native_has_reach(unsigned id)
{
    return rules[id].result != ANYTHING;
}

struct reach native_find_reach(const struct run *run, const struct decoded *record)
{
    struct sum sum = find_sum(run, record);
    unsigned width = sum.width < UNKNOWN ? width_of_sum(width_of(run, sum.base), sum.width)
                                         : find_width(run, record);

    return (struct reach){
        .is_small = width <= SMALL,
        .width = (uint8_t)width,
        .is_sum = sum.width <= SMALL,
        .base = (uint8_t)sum.base,
        .is_likely = sum.width <= SMALL && is_address(run, sum.base),
    };
}

/* The program's present values tell which registers are likely to hold addresses later. */
void native_open_reach(struct run *run)
{
    const struct machine *machine = run->native->machine;

    run->likely = 0;
    for (unsigned number = 1; number < ISA_X_REGISTERS; number++)
        run->likely |= (uint32_t)(machine->hart.x[number] < machine->memory.end) << number;
}

void native_forget_reach(struct run *run, uint32_t writes)
{
    run->small &= ~writes;
    run->sums &= ~writes;
    for (uint32_t sums = writes & run->bases ? run->sums : 0; sums; sums &= sums - 1) {
        unsigned number = (unsigned)__builtin_ctz(sums);
        if (writes >> run->sum_bases[number] & 1)
            run->sums &= ~((uint32_t)1 << number);
    }
    run->likely &= ~writes;
}

void native_note_reach(struct run *run, const struct decoded *record, struct reach reach)
{
    unsigned number = record->r[0];

    if (number >= ISA_X_REGISTERS)
        return;
    run->likely |= (uint32_t)reach.is_likely << number;
    if (reach.is_small) {
        run->small |= (uint32_t)1 << number;
        run->widths[number] = reach.width;
    }
    if (reach.is_sum) {
        run->sums |= (uint32_t)1 << number;
        run->sum_bases[number] = reach.base;
        run->bases |= (uint32_t)1 << reach.base;
    }
}

unsigned native_find_base(const struct run *run, unsigned number)
{
    if (run->native->machine->memory.margin < MEMORY_REACH)
        return number;
    if (width_of(run, number) <= SMALL)
        return 0;
    if (!(run->sums >> number & 1) || !is_address(run, run->sum_bases[number]))
        return number;
    return run->sum_bases[number];
}
