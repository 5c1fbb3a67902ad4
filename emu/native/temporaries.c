/* Guest registers that are not pinned, in registers of the host that few stencils use, from their
 * first use until such a stencil, another guest register, or the end of the run. What is written is
 * also written to memory, so code elsewhere finds it there. See parts.h. */
#include "emu/native/parts.h"

void native_move_pin(struct native *native, unsigned id, unsigned number)
{
    struct filling filling = {.registers = {native->host_of[number]}};

    filling.values[HOLE_OFFSET] = native_offset_of(number);
    filling.values[HOLE_NUMBER] = number;
    copier_add(&native->copier, native_glue(id), &filling);
}

void native_release(struct native *native, unsigned hosts)
{
    for (int i = 0; i < HOST_TEMPORARIES; i++) {
        unsigned number = native->temporaries[i];
        if (!number || !(hosts >> host_temporaries[i] & 1))
            continue;
        native->host_of[number] = NOT_PINNED;
        native->temporaries[i] = 0;
    }
}

/* What an instruction does with a register. */
struct use {
    bool reads, writes;
};

static struct use use_of(const struct decoded *record, unsigned number)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];
    struct use use = {false, false};

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (native_register_of(record, operand) != (int)number)
            continue;
        use.reads |= operand->type->access & ISA_READ;
        use.writes |= operand->type->access & ISA_WRITE;
    }
    return use;
}

/* Do the next instructions of the block read the register? */
static bool is_read_after(const struct decoded *record, unsigned number)
{
    for (unsigned i = 1; i < record->remaining && i <= LOOK_AHEAD; i++) {
        struct use use = use_of(&record[i], number);
        if (use.reads || use.writes)
            return use.reads;
    }
    return false;
}

/* Returns the one to be used next: one that is free, or whose register neither the instruction uses
 * nor the next ones read; or -1. */
static int find_temporary(const struct native *native, const struct decoded *record)
{
    int found = -1;

    for (int i = 0; i < HOST_TEMPORARIES; i++) {
        unsigned number = native->temporaries[i];
        if (!number)
            return i;
        struct use use = use_of(record, number);
        if (!use.reads && !use.writes && !is_read_after(record, number))
            found = i;
    }
    return found;
}

/* Does the instruction have the register from a temporary, or write it to one? */
static bool is_worth(const struct decoded *record, unsigned number, unsigned base,
                     const struct use *use)
{
    return base == number || is_read_after(record, number) ||
           (use->writes && !use->reads && record->remaining == 1);
}

/* What a jump writes would come to memory too late, so it is written there. */
static void release_results(struct native *native, const struct decoded *record)
{
    for (int i = 0; i < HOST_TEMPORARIES; i++)
        if (native->temporaries[i] && use_of(record, native->temporaries[i]).writes)
            native_release(native, 1u << host_temporaries[i]);
}

void native_hold_operands(struct native *native, const struct decoded *record, unsigned base)
{
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    if (instruction->effects & ISA_EFFECT_FLOW)
        release_results(native, record);
    for (unsigned i = 0; HOST_TEMPORARIES && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        int number = native_register_of(record, operand);
        if (number <= 0 || number == SINK || operand->slot_index >= STENCIL_OPERANDS ||
            native->host_of[number] != NOT_PINNED)
            continue;
        struct use use = use_of(record, (unsigned)number);
        if (!is_worth(record, (unsigned)number, base, &use) ||
            (use.writes && (instruction->effects & ISA_EFFECT_FLOW || operand->slot_index > 0)))
            continue;
        int found = find_temporary(native, record);
        if (found < 0)
            continue;
        native_release(native, 1u << host_temporaries[found]);
        native->temporaries[found] = (uint8_t)number;
        native->host_of[number] = host_temporaries[found];
        if (use.reads)
            native_move_pin(native, STENCIL_glue_fill, (unsigned)number);
    }
}

unsigned native_held_by(const struct native *native, const struct decoded *record)
{
    unsigned hosts = 0;

    for (int i = 0; i < HOST_TEMPORARIES; i++) {
        struct use use = {false, false};
        if (native->temporaries[i])
            use = use_of(record, native->temporaries[i]);
        if (use.reads || use.writes)
            hosts |= 1u << host_temporaries[i];
    }
    return hosts;
}

void native_keep_temporaries(struct native *native, const struct decoded *record)
{
    for (int i = 0; i < HOST_TEMPORARIES; i++) {
        unsigned number = native->temporaries[i];
        if (number && use_of(record, number).writes)
            native_move_pin(native, STENCIL_glue_spill, number);
    }
}
