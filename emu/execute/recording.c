/* See recording.h. */
#define RECORDED_FORM
#include "emu/execute/recording.h"
#include "emu/execute/dispatch.h"
#include "emu/keeper.h"
#include "emu/trace/trace.h"
#include "instruction_ids.h"
#include "isa_ids.h"

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

/* The direct form leaves the instruction to the whole form. */
struct step recording_aside(STATE_PARAMETERS)
{
    if (hart->barrel)
        TAIL_CALL return hart->barrel->code.executor->whole(STATE_WITH(target));
    return recording_leave(STATE_WITH(target));
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

const uint64_t *recording_put(struct machine *machine, const struct log_step *step,
                              const uint64_t *log, int flags, struct ttrace_record *record,
                              uint64_t next)
{
    struct keeper *keeper = machine->keeper;

    log = log_take(step, log, machine->recorder);
    if (keeper)
        keeper->log(keeper, step, machine->recorder, next);
    if (flags >= 0)
        observe_csr(machine, ISA_CSR_FFLAGS, (unsigned)flags);
    record->pc = step->pc;
    record->word = step->word;
    record->length = step->length;
    record->privilege = step->privilege;
    record->flags = step->flags;
    record->recorder = machine->recorder;
    observe_record(machine, record);
    recorder_clear(machine->recorder);
    return log;
}

/* Appends the instructions one by one, with their times. */
static void append_timed(struct machine *machine, uint64_t sequence, uint64_t until)
{
    const struct log_step *steps = machine->recording->steps.items;
    const uint64_t *log = machine->recording->log;
    struct ttrace_record record = {.sequence = sequence, .thread = observe_thread(machine)};

    while (record.sequence < until) {
        const struct log_step *step = &steps[*log++];
        for (; step->remaining && record.sequence < until; step++) {
            uint64_t next = record.sequence + 1 == until ? machine->hart.pc
                            : step->remaining > 1        ? step->pc + step->length
                                                         : steps[log[step->words]].pc;
            log = recording_put(machine, step, log, -1, &record, next);
            record.sequence++;
        }
    }
}

/* Appends the instructions of the log, up to the sequence number `until`. */
static void append(struct machine *machine, uint64_t until)
{
    struct recording *recording = machine->recording;
    uint64_t sequence = recording->sequence;

    recording->sequence = until;
    if (machine->keeper)
        append_timed(machine, sequence, until);
    else
        trace_log(machine->trace, &recording->steps,
                  &(struct trace_start){.sequence = sequence, .thread = observe_thread(machine)},
                  until - sequence, recording->log, machine->recorder);
}

/* Notes the flags that an instruction of a barrel has raised. */
static struct step note_flags(STATE_PARAMETERS)
{
    PUT_WORD(RECORDING_RAISED | hart->fflags);
    record++;
    GO_ON();
}

/* Appends the log, which ends with the values of an instruction that has raised flags. */
static __attribute__((noinline)) void
append_raised(struct machine *machine, const struct log_step *step, const uint64_t *end)
{
    struct recording *recording = machine->recording;
    struct hart *hart = &machine->hart;

    hart->pc = step->pc;
    append(machine, hart->instret);
    struct ttrace_record record = {.sequence = recording->sequence++,
                                   .thread = observe_thread(machine)};
    recording_put(machine, step, end - step->words, (int)hart->fflags, &record,
                  step->pc + step->length);
}

/* Ends an instruction that has raised flags, which is one more effect. */
struct step recording_raised(STATE_PARAMETERS)
{
    if (hart->barrel)
        TAIL_CALL return note_flags(STATE_WITH(target));
    struct machine *machine = machine_of(hart);
    struct recording *recording = machine->recording;

    hart->instret = machine->execution.end_count - (uint64_t)left - record->remaining;
    append_raised(machine, &recording->steps.items[recording_place_of(record)], (uint64_t *)target);
    record++;
    target = (uint64_t)recording->log;
    BEGIN_BLOCK();
    GO_ON();
}

struct step recording_next_block(STATE_PARAMETERS)
{
    LINK(record->chain, code_pc(record));
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
    struct decoded *terminator = record + record->remaining;

    if (terminator->place == 0)
        terminator->place =
            log_steps_add(&machine->recording->steps, machine->arena, record->remaining) +
            record->remaining;
    return recording_place_of(record);
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
static bool is_loggable(const struct machine *machine, const struct decoded *record)
{
    enum { OTHERS = ISA_EFFECT_CSR | ISA_EFFECT_UNIT | ISA_EFFECT_WALK };
    unsigned id = record->id;

    return id < PSEUDO_FIRST && !(isa_instructions[id].effects & OTHERS) &&
           !writes_other_files(id) && !(machine->code.is_defined && machine->code.is_defined(id)) &&
           (!machine->keeper || machine->keeper->is_plain(machine->keeper, record));
}

void recording_learn(struct machine *machine, struct decoded *record,
                     const struct observed *observed)
{
    struct log_step *step = &machine->recording->steps.items[recording_place_of(record)];

    if (observed->retired && is_loggable(machine, record) &&
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
    recording->log[0] = recording_place_of(record);
    recording->end = &recording->log[1];
    struct step step = {record, execution->left - record->remaining};
    while (step.record)
        step = dispatch_call(step.record, step.left, hart, (uint64_t)recording->end, memory->host,
                             memory->fast);
    append(machine, hart->instret);
    return recording->record;
}
