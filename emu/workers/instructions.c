/* The instructions of the threads of a barrel (isa/xbarrel.yaml). See workers.h. */
#include "emu/float/host.h"
#include "emu/races/races.h"
#include "emu/workers/parts.h"
#include "isa_ids.h"

/* ---- roles ---- */

static bool illegal(struct fault *fault, uint64_t word)
{
    return fault_set(fault, CAUSE_ILLEGAL_INSTRUCTION, word);
}

static bool check_supervisor(const struct machine *machine, uint64_t word, struct fault *fault)
{
    return workers_has_hart(machine) ? illegal(fault, word) : true;
}

static bool check_worker(const struct machine *machine, uint64_t word, struct fault *fault)
{
    return workers_has_hart(machine) ? true : illegal(fault, word);
}

/* ---- start ---- */

static void start(struct machine *machine, unsigned number, uint64_t entry, uint64_t argument)
{
    struct worker *worker = &machine->workers->workers[number];
    struct context *context = &worker->context;

    context_reset(machine, context);
    context->hart.pc = entry;
    context->hart.frm = machine->hart.frm;
    for (unsigned i = 0; i < ISA_F_REGISTERS; i++)
        context->hart.f[i] = box_f32(0);
    context->hart.x[ISA_REGISTER_A0] = argument;
    context->hart.x[ISA_REGISTER_A1] = number;
    context->hart.x[ISA_REGISTER_GP] = machine->hart.x[ISA_REGISTER_GP];
    workers_run(machine, number + 1, &(struct workers_owner){0});
    workers_record(machine, worker->name, "pc", entry);
    workers_record(machine, worker->name, "a0", argument);
    workers_record(machine, worker->name, "a1", number);
    workers_record(machine, worker->name, "gp", context->hart.x[ISA_REGISTER_GP]);
    workers_record(machine, worker->name, "frm", context->hart.frm);
}

static bool can_start(const struct machine *machine, uint64_t number, struct fault *fault)
{
    const struct workers *workers = machine->workers;

    if (number >= workers->count)
        return fault_set(fault, CAUSE_NO_WORKER, number);
    if (worker_is_active(&workers->workers[number]))
        return fault_set(fault, CAUSE_BUSY_WORKER, number);
    return true;
}

static bool check_entry(uint64_t entry, struct fault *fault)
{
    return entry % ISA_CODE_ALIGNMENT ? fault_set(fault, CAUSE_ODD_ENTRY, entry) : true;
}

bool workers_start(struct machine *machine, uint64_t word, uint64_t number, uint64_t entry,
                   uint64_t argument, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault) || !can_start(machine, number, fault) ||
        !check_entry(entry, fault))
        return false;
    start(machine, (unsigned)number, entry, argument);
    return true;
}

bool workers_start_all(struct machine *machine, uint64_t word, uint64_t entry, uint64_t argument,
                       uint64_t stride, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    for (unsigned i = 0; i < machine->workers->count; i++)
        if (!can_start(machine, i, fault))
            return false;
    if (!check_entry(entry, fault))
        return false;
    for (unsigned i = 0; i < machine->workers->count; i++)
        start(machine, i, entry, argument + i * stride);
    return true;
}

/* ---- barrier, end ---- */

/* The instruction is executed again in the next turn in which it need not wait. */
static bool wait_here(struct fault *fault)
{
    return fault_set(fault, CAUSE_WAIT, 0);
}

bool workers_meet(struct machine *machine, uint64_t word, struct fault *fault)
{
    if (!check_worker(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);
    if (!worker->is_released) {
        worker->state = WORKER_AT_BARRIER;
        workers_release(machine);
    }
    if (!worker->is_released)
        return wait_here(fault);
    worker->is_released = false;
    return true;
}

bool workers_end(struct machine *machine, uint64_t word, uint64_t status, struct fault *fault)
{
    if (!check_worker(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    struct worker *worker = worker_of(workers, workers->running);
    if (worker->owner.thread) /* ends by the call `exit` */
        return illegal(fault, word);
    worker->state = WORKER_IDLE;
    worker->status = status;
    machine->barrel.state.exits =
        status ? machine->barrel.state.exits | 2 : machine->barrel.state.exits & ~1u;
    workers_record(machine, NULL, "exits", machine->barrel.state.exits);
    races_end(machine->races, worker->races_number);
    workers_release(machine);
    return true;
}

bool workers_synchronize(struct machine *machine, uint64_t word, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    struct workers *workers = machine->workers;
    workers->is_synchronizing = workers_any_active(workers);
    if (workers->is_synchronizing)
        return wait_here(fault);
    for (unsigned i = 0; i < workers->count; i++)
        races_join(machine->races, workers->workers[i].races_number);
    for (unsigned i = 0; i < workers->count; i++)
        if (workers->workers[i].state == WORKER_FAULTED)
            return fault_set(fault, CAUSE_WORKER_FAULT, i);
    return true;
}

/* ---- status and weights ---- */

bool workers_status(struct machine *machine, uint64_t word, uint64_t number, uint64_t field,
                    uint64_t *value, struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    if (number >= machine->workers->count)
        return fault_set(fault, CAUSE_NO_WORKER, number);
    const struct worker *worker = &machine->workers->workers[number];
    const uint64_t fields[] = {worker->state, worker->status, worker->fault.cause, worker->fault_pc,
                               worker->fault.value};
    if (field >= sizeof fields / sizeof fields[0])
        return fault_set(fault, CAUSE_NO_FIELD, field);
    *value = fields[field];
    return true;
}

bool workers_put_weight(struct machine *machine, uint64_t word, uint64_t number, uint32_t value,
                        struct fault *fault)
{
    if (!check_supervisor(machine, word, fault))
        return false;
    if (number >= machine->barrel.state.place_count)
        return fault_set(fault, CAUSE_NO_WEIGHT, number);
    machine->barrel.state.place[number].shared_weight = value;
    workers_record(machine, NULL, machine->workers->weights[number], value);
    return true;
}
