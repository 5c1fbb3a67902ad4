/* See recording.h. */
#define RECORDED_FORM
#include "emu/recording.h"
#include "emu/dispatch.h"
#include "emu/trace/trace.h"
#include "instruction_ids.h"

/* ---- bodies ---- */

#define DECLARE_RECORDED(ID, name) body_function recorded_##name;
#define DECLARE_WHOLE(ID, name)
ISA_FOR_EACH_BODY(DECLARE_RECORDED, DECLARE_WHOLE)

#define RECORDED(ID, name) recorded_##name,
#define WHOLE(ID, name)    recording_leave,
static body_function *const bodies[] = {ISA_FOR_EACH_BODY(RECORDED, WHOLE)};

/* Ends the run before the record, in its block. */
struct step recording_leave(STATE_PARAMETERS)
{
    END_RUN();
    hart->recording->record = record;
    return dispatch_limit(hart, record, left);
}

struct step recording_find(STATE_PARAMETERS)
{
    struct machine *machine = hart->barrel ? hart->barrel : machine_of(hart);

    if (machine->attention || code_is_full(&machine->code))
        return dispatch_leave(hart, target, left);
    record = code_follow(&machine->code, record, target);
    target = (uint64_t)hart->recording->end;
    ENTER();
}

/* Appends the instructions of the log, up to the sequence number `until`. */
static void append(struct machine *machine, uint64_t until)
{
    struct recording *recording = machine->recording;
    uint64_t sequence = recording->sequence;

    recording->sequence = until;
    trace_log(machine->trace, &recording->steps, observe_thread(machine), sequence,
              until - sequence, recording->log, machine->recorder);
}

/* Notes the flags that an instruction of a barrel has raised. */
static struct step note_flags(STATE_PARAMETERS)
{
    PUT_WORD(RECORDING_RAISED | hart->fflags);
    record++;
    GO_ON();
}

/* Ends an instruction that has raised flags, which is one more effect. */
struct step recording_raised(STATE_PARAMETERS)
{
    if (hart->barrel)
        TAIL_CALL return note_flags(STATE_WITH(target));
    struct machine *machine = machine_of(hart);
    struct recording *recording = machine->recording;
    struct observed *observed = machine->execution.observed;
    const struct log_step *step = &recording->steps.items[record->place];

    hart->instret = machine->execution.end_count - (uint64_t)left - record->remaining;
    append(machine, hart->instret);
    log_take(step, (uint64_t *)target - step->words, machine->recorder);
    observed->record.pc = step->pc;
    observed->record.word = step->word;
    observed->record.length = step->length;
    observed->record.privilege = step->privilege;
    observed->raised = hart->fflags;
    observed->id = record->id;
    observe_end(machine, observed, NULL);
    recording->sequence++;
    record++;
    target = (uint64_t)recording->log;
    BEGIN_BLOCK();
    GO_ON();
}

struct step recording_next_block(STATE_PARAMETERS)
{
    LINK(record->pc);
}

static body_function *const pseudo_bodies[PSEUDO_COUNT] =
    PSEUDO_BODIES(recording_leave, recording_leave, recording_next_block, NULL, recording_leave);

const struct executor recording_executor = {
    .pseudo_bodies = pseudo_bodies, .whole = recording_leave, .every = recording_leave};

/* ---- places ---- */

void recording_begin(struct machine *machine)
{
    if (!machine->recording)
        machine->recording = arena_new(machine->arena, struct recording);
    if (machine->recording->resets != machine->code.resets)
        log_steps_forget(&machine->recording->steps);
    machine->recording->resets = machine->code.resets;
    machine->hart.recording = machine->recording;
}

bool recording_knows(const struct decoded *record)
{
    return record->body != recording_leave && record->id < PSEUDO_FIRST;
}

uint32_t recording_place(struct machine *machine, struct decoded *record)
{
    if (record->place == 0) {
        uint32_t place =
            log_steps_add(&machine->recording->steps, machine->arena, record->remaining);
        for (unsigned i = 0; i <= record->remaining; i++)
            record[i].place = place + i;
    }
    return record->place;
}

/* Does the instruction write registers that are not standard, which are not in the log? Its
 * recorded form would leave after it has written others. */
static bool writes_other_files(unsigned id)
{
    const struct isa_instruction *instruction = &isa_instructions[id];

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand_type *type = instruction->operands[i].type;
        if (type->access & ISA_WRITE && type->file && type->file->standard == ISA_STANDARD_NONE)
            return true;
    }
    return false;
}

/* Has each execution of the instruction the same effects, but for the flags, where its recorded
 * form completes it? */
static bool is_loggable(const struct machine *machine, unsigned id)
{
    enum { OTHERS = ISA_EFFECT_CSR | ISA_EFFECT_UNIT | ISA_EFFECT_WALK };

    return id < PSEUDO_FIRST && !(isa_instructions[id].effects & OTHERS) &&
           !writes_other_files(id) && !(machine->code.is_defined && machine->code.is_defined(id));
}

void recording_learn(struct machine *machine, struct decoded *record,
                     const struct observed *observed)
{
    struct log_step *step = &machine->recording->steps.items[record->place];

    if (observed->retired && is_loggable(machine, record->id) &&
        log_step_learn(step, &observed->record, machine->recorder->effects, observed->effects))
        record->body = bodies[record->id];
}

/* ---- runs ---- */

struct decoded *recording_run(struct machine *machine, struct decoded *record, uint64_t left)
{
    struct recording *recording = machine->recording;
    struct execution *execution = &machine->execution;
    const struct memory *memory = &machine->memory;
    struct hart *hart = &machine->hart;

    execution->left = (int64_t)left;
    execution->end_count = hart->instret + left;
    recording->sequence = hart->instret;
    recording->record = NULL;
    recording->log[0] = record->place;
    recording->end = &recording->log[1];
    struct step step = {record, execution->left - record->remaining};
    while (step.record)
        step = dispatch_call(step.record, step.left, hart, (uint64_t)recording->end, memory->host,
                             memory->fast);
    append(machine, hart->instret);
    return recording->record;
}
