/* See lend.h. */
#include "emu/execute/lend.h"
#include "emu/context.h"
#include "emu/decode/access.h"
#include "emu/execute/dispatch.h"
#include "emu/execute/turn_counts.h"
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

/* Does the instruction access no CSR but those of floating point, which a thread has of its own,
 * and those that user mode may only read, as the bits 11:8 of their numbers say? */
static bool has_lendable_csr(const struct decoded *record)
{
    enum { CLASS = 0xf00, USER_READ_ONLY = 0xc00 };
    const struct isa_instruction *instruction = &isa_instructions[record->id];

    if (!(instruction->effects & ISA_EFFECT_CSR))
        return true;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        unsigned number = (unsigned)record->imm[operand->slot_index];
        if (operand->type->kind == ISA_CSR)
            return isa_is_float_csr(number) || (number & CLASS) == USER_READ_ONLY;
    }
    return false;
}

bool lend_is_possible(const struct machine *machine, const struct decoded *record)
{
    enum { MEMORY = ISA_EFFECT_LOAD | ISA_EFFECT_STORE };
    unsigned id = record->id;

    if (id >= PSEUDO_FIRST)
        return false;
    unsigned effects = isa_instructions[id].effects;
    bool reserves = access_of(id)->atomic && !(effects & ISA_EFFECT_STORE);
    /* What is at an address may depend on the time, which the hart does not know. */
    bool is_of_device = machine->bare.active && effects & MEMORY && !(effects & ISA_EFFECT_UNIT);

    return !(effects & ISA_EFFECT_FLOW) && has_lendable_csr(record) && !reserves && !is_of_device;
}

/* Sets the counts of the machine's hart to those of the thread before its instruction. */
static void lend_counts(struct machine *machine, struct hart *hart, const struct decoded *record,
                        uint64_t number)
{
    const struct turns *turns = machine->workers->turns;
    struct hart *own = &machine->hart;
    uint64_t retired =
        workers_retired(machine, context_of(hart)) + turn_counts_of_thread(turns, hart, number);

    own->instret += number;
    own->foreign = own->instret - retired;
    own->passed = turn_counts_turn(turns, number) - own->instret;
    machine->execution.end_count = own->instret + record->remaining + 1; /* one is left */
}

/* The machine's hart gets what the instruction may need of the thread's. */
static void give(struct machine *machine, const struct hart *hart, const struct decoded *record,
                 const struct lend_plan *plan)
{
    struct hart *own = &machine->hart;

    copy_operands(own, hart, record, plan, false);
    own->fflags = hart->fflags;
    own->frm = hart->frm;
    own->reserved = hart->reserved;
    own->reserved_address = hart->reserved_address;
    own->reserved_value = hart->reserved_value;
}

/* The thread gets what the instruction may have changed. */
static void take(const struct machine *machine, struct hart *hart, const struct decoded *record,
                 const struct lend_plan *plan)
{
    const struct hart *own = &machine->hart;

    copy_operands(hart, own, record, plan, true);
    hart->fflags = own->fflags;
    hart->frm = own->frm;
    hart->reserved = own->reserved;
}

/* Returns what is known of the instruction before it is executed. */
static struct observed describe(const struct machine *machine, const struct decoded *record)
{
    return (struct observed){.record.pc = record->pc,
                             .record.word = code_word(&machine->code, record),
                             .record.length = record->length,
                             .record.privilege = (uint8_t)machine->hart.privilege,
                             .record.flags = machine->bare.active ? TTRACE_BARE : 0,
                             .record.recorder = machine->recorder,
                             .id = record->id};
}

/* Tells those who need the effects of the instruction, which are in the recorder. */
static void tell(struct machine *machine, struct decoded *record, struct observed *observed)
{
    const struct turns *turns = machine->workers->turns;

    observed->retired = true;
    observed->effects = machine->recorder->count;
    if (machine->reserved_lines)
        workers_end_reservations(machine, machine->recorder);
    if (turns->observer && turns->observer->lent)
        turns->observer->lent(turns, record, observed);
    recorder_clear(machine->recorder);
}

/* Executes the instruction, before which so many were executed. Returns how control left it. */
static enum flow lend(struct hart *hart, struct decoded *record, uint64_t number)
{
    struct machine *machine = hart->barrel;
    struct hart *own = &machine->hart;
    struct context *context = context_of(hart);
    unsigned effects = isa_instructions[record->id].effects;
    bool uses_units = effects & ISA_EFFECT_UNIT;
    struct recorder *const before = machine->recorder; /* of an observer, or NULL */
    struct observed observed = {0};

    if (!before && machine->reserved_lines && effects & ISA_EFFECT_STORE)
        machine->recorder = machine->port.recorder = &machine->workers->recorder;
    if (machine->recorder)
        observed = describe(machine, record);
    struct lend_plan *plan = &machine->workers->turns->plans[record->id];
    if (!plan->is_known)
        make_plan(plan, &isa_instructions[record->id]);
    give(machine, hart, record, plan);
    workers_lend(machine, context);
    if (uses_units)
        context_begin_loan(machine, context);
    machine->execution = (struct execution){.left = 1, .fflags = &observed.raised};
    uint64_t instret = own->instret, passed = own->passed;
    if (effects & ISA_EFFECT_CSR)
        lend_counts(machine, hart, record, number);
    enum flow flow = dispatch_flow(machine, record);
    own->fflags |= observed.raised;
    own->instret = instret;
    own->passed = passed;
    if (machine->recorder && flow != FLOW_TRAPPED)
        tell(machine, record, &observed);
    else if (machine->recorder)
        recorder_clear(machine->recorder);
    machine->recorder = machine->port.recorder = before;
    if (uses_units)
        context_end_loan(machine, context);
    if (flow != FLOW_TRAPPED)
        take(machine, hart, record, plan);
    return flow;
}

enum lent lend_hart(struct hart *hart, struct decoded *record, uint64_t number)
{
    struct machine *machine = hart->barrel;
    uint64_t drops = machine->code.drops;
    unsigned id = record->id;

    if (!lend_is_possible(machine, record))
        return LENT_REFUSED;
    enum flow flow = lend(hart, record, number);
    if (flow == FLOW_TRAPPED)
        return LENT_REFUSED;
    if (flow != FLOW_NEXT)
        BUG("'%s' went elsewhere", isa_instructions[id].mnemonic);
    /* What a profile knows of code that was dropped is told before there is other code. */
    bool has_dropped = machine->profile && machine->code.drops != drops;
    bool is_last = machine->execution.left != 1 || machine->attention || host_signal_end();
    return is_last || has_dropped ? LENT_LAST : LENT_DONE;
}

bool lend_jump(struct hart *hart, struct decoded *record)
{
    enum flow flow = lend(hart, record, 0);

    return flow == FLOW_FIXED || flow == FLOW_TARGET;
}

struct step turns_lend(STATE_PARAMETERS)
{
    const struct turns *turns = hart->barrel->workers->turns;
    bool has_csr = isa_instructions[record->id].effects & ISA_EFFECT_CSR;

    switch (lend_hart(hart, record, has_csr ? turn_counts_before(turns, hart, record, left) : 0)) {
    case LENT_DONE:
        record++;
        target = (uint64_t)hart->follower;
        END_TURN();
    case LENT_LAST:
        hart->next = record + 1;
        return (struct step){NULL, left};
    default:
        TAIL_CALL return dispatch_whole(STATE);
    }
}
