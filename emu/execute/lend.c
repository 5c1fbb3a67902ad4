/* See lend.h. */
#include "emu/execute/lend.h"
#include "emu/context.h"
#include "emu/decode/access.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/turns.h"
#include "emu/host_signal.h"
#include "emu/workers/workers.h"

static size_t place_of(const struct isa_register_file *file)
{
    switch (file->standard) {
    case ISA_STANDARD_INTEGER:
        return offsetof(struct hart, x);
    case ISA_STANDARD_FLOAT:
        return offsetof(struct hart, f);
    case ISA_STANDARD_NONE:
        break;
    }
    return offsetof(struct hart, registers) + file->place * sizeof(uint64_t);
}

static void make_plan(struct lend_plan *plan, const struct isa_instruction *instruction)
{
    plan->is_known = true;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        const struct isa_operand_type *type = operand->type;
        if (operand->slot != ISA_SLOT_R || !type->file)
            continue;
        unsigned registers = type->kind == ISA_REGISTER_GROUP ? type->group_count : 1;
        plan->operands[plan->count++] =
            (struct lend_operand){.slot = operand->slot_index,
                                  .words = type->file->words,
                                  .all = (uint8_t)(registers * type->file->words),
                                  .is_result = type->access & ISA_WRITE,
                                  .place = (uint32_t)(place_of(type->file) / sizeof(uint64_t))};
    }
}

/* Copies the registers of the operands, or of the results only. */
static inline void copy_operands(struct hart *to, const struct hart *from,
                                 const struct decoded *record, const struct lend_plan *plan,
                                 bool only_results)
{
    for (unsigned i = 0; i < plan->count; i++) {
        const struct lend_operand *loan = &plan->operands[i];
        unsigned number = record->r[loan->slot];
        if (number & RI_IMMEDIATE || (only_results && !loan->is_result))
            continue;
        size_t place = loan->place + number * loan->words;
        for (unsigned word = 0; word < loan->all; word++)
            ((uint64_t *)to)[place + word] = ((const uint64_t *)from)[place + word];
    }
}

bool lend_is_possible(const struct machine *machine, unsigned id)
{
    enum { MEMORY = ISA_EFFECT_LOAD | ISA_EFFECT_STORE };
    unsigned effects = isa_instructions[id].effects;
    bool reserves = access_of(id)->atomic && !(effects & ISA_EFFECT_STORE);
    /* What is at an address may depend on the time, which the hart does not know. */
    bool is_of_device = machine->bare.active && effects & MEMORY && !(effects & ISA_EFFECT_UNIT);

    return id < PSEUDO_FIRST && !(effects & (ISA_EFFECT_FLOW | ISA_EFFECT_CSR)) && !reserves &&
           !is_of_device;
}

/* Ends the reservations of other threads that the instruction has stored to. */
static void end_reservations(struct machine *machine, struct recorder *recorder, enum flow flow)
{
    if (flow == FLOW_NEXT)
        workers_end_reservations(machine, recorder);
    recorder_clear(recorder);
}

enum lent lend_hart(struct hart *hart, struct decoded *record)
{
    struct machine *machine = hart->barrel;
    struct hart *own = &machine->hart;
    struct context *context = context_of(hart);
    unsigned effects = isa_instructions[record->id].effects;
    bool uses_units = effects & ISA_EFFECT_UNIT;
    struct recorder *recorder =
        machine->reserved_lines && effects & ISA_EFFECT_STORE ? &machine->workers->recorder : NULL;

    if (!lend_is_possible(machine, record->id))
        return LENT_REFUSED;
    struct lend_plan *plan = &machine->workers->turns->plans[record->id];
    if (!plan->is_known)
        make_plan(plan, &isa_instructions[record->id]);
    copy_operands(own, hart, record, plan, false);
    own->fflags = hart->fflags;
    own->frm = hart->frm;
    own->reserved = hart->reserved;
    own->reserved_address = hart->reserved_address;
    own->reserved_value = hart->reserved_value;
    workers_lend(machine, context);
    if (uses_units)
        context_begin_loan(machine, context);
    machine->recorder = machine->port.recorder = recorder;
    machine->execution = (struct execution){.left = 1, .fflags = &own->fflags};
    enum flow flow = dispatch_flow(machine, record);
    machine->recorder = machine->port.recorder = NULL;
    if (uses_units)
        context_end_loan(machine, context);
    if (recorder)
        end_reservations(machine, recorder, flow);
    if (flow == FLOW_TRAPPED)
        return LENT_REFUSED;
    if (flow != FLOW_NEXT)
        BUG("'%s' went elsewhere", isa_instructions[record->id].mnemonic);
    copy_operands(hart, own, record, plan, true);
    hart->fflags = own->fflags;
    hart->reserved = own->reserved;
    bool is_last = machine->execution.left != 1 || machine->attention || host_signal_end();
    return is_last ? LENT_LAST : LENT_DONE;
}

struct step turns_lend(STATE_PARAMETERS)
{
    switch (lend_hart(hart, record)) {
    case LENT_DONE:
        record++;
        target = (uint64_t)hart->follower;
        END_TURN();
    case LENT_LAST:
        hart->next = record + 1;
        return (struct step){NULL, left};
    default:
        return dispatch_whole(STATE);
    }
}
