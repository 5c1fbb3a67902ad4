/* The whole form of a body: a function that does all that the instruction may do. It raises
 * exceptions, accesses devices, and reports its effects to observe.h. Every instruction has this
 * form. The observed executor runs nothing else, and the plain one runs it where the direct form
 * does not suffice.
 *
 * A body raises exceptions before it writes anything, because operands are written after the body.
 * So FLOW_TRAPPED leaves the state before the instruction. */
#ifndef EMU_BODY_WHOLE_H
#define EMU_BODY_WHOLE_H

#include "emu/bare/bare.h"
#include "emu/block.h"
#include "emu/body/body.h"
#include "emu/csr.h"
#include "emu/observe/observe.h"
#include "emu/reference/reference.h"
#include "emu/workers/workers.h"

static inline uint64_t raw_bits(const void *value, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, value, size);
    return bits;
}

/* Sets hart->instret to what the current instruction sees, which does not include itself. */
static inline void execution_synchronize(struct machine *machine, const struct decoded *record)
{
    const struct execution *execution = &machine->execution;
    unsigned unretired = execution->observed ? 1 : record->remaining;

    machine->hart.instret = execution->end_count - (uint64_t)execution->left - unretired;
}

/* Lets the plain executor look for work after this instruction, as the observed one always does. */
static inline void execution_stop_after(struct machine *machine, struct decoded *record)
{
    if (!machine->execution.observed)
        code_cut(&machine->code, record);
}

/* Reports to the recorder, if there is one. */
#define WATCH(...)                                                                                 \
    if (__builtin_expect(machine->recorder != NULL, 0)) {                                          \
        __VA_ARGS__                                                                                \
    }
/* For traps. */
#define INSTRUCTION_WORD    (code_word(&machine->code, record))
#define STOP_AFTER()        execution_stop_after(machine, record)
#define SYNCHRONIZE_COUNT() execution_synchronize(machine, record)

/* ---- the frame ---- */
#define INSTRUCTION(ID, name)                                                                      \
    enum flow whole_##name(struct machine *machine, struct decoded *record)                        \
    {                                                                                              \
        struct hart *const hart __attribute__((unused)) = &machine->hart;                          \
        struct memory *const memory __attribute__((unused)) = &machine->memory;                    \
        struct fault *const fault __attribute__((unused)) = &machine->fault;                       \
        struct port *const port __attribute__((unused)) = &machine->port;                          \
        struct execution *const execution __attribute__((unused)) = &machine->execution;           \
        unsigned char *const host __attribute__((unused)) = memory->host;                          \
        const unsigned char *const fast __attribute__((unused)) = memory->fast;                    \
        unsigned *const fflags __attribute__((unused)) = execution->fflags;                        \
        RECORD_SCOPE();
#define END_INSTRUCTION(ID) END_BLOCK(ID, NO_SUCCESSOR)
#define END_BLOCK(ID, successor)                                                                   \
    execution->destination = flow == FLOW_FIXED ? (successor) : destination;                       \
    return flow;                                                                                   \
    }

#define FILE_x ISA_FILE_X
#define FILE_f ISA_FILE_F
#define WRITE_RAW(file, number, value)                                                             \
    do {                                                                                           \
        uint64_t value_ = (value);                                                                 \
        unsigned number_ = (number);                                                               \
        hart->file[number_] = value_;                                                              \
        WATCH(observe_register(machine, FILE_##file, number_, value_);)                            \
    } while (0)

#define WRITE_GROUP(file, slot, values, count)                                                     \
    do {                                                                                           \
        for (unsigned i_ = 0; i_ < (count); i_++)                                                  \
            hart->file[SLOT(slot) + i_] = box_f32((values)[i_]);                                   \
        WATCH(for (unsigned i_ = 0; i_ < (count); i_++) observe_register(                          \
                  machine, FILE_##file, SLOT(slot) + i_, hart->file[SLOT(slot) + i_]);)            \
    } while (0)

/* Registers of the files that are not standard: `place` is the first of their words. */
#define SET_REGISTER(file, number, place, value)                                                   \
    do {                                                                                           \
        hart->registers[place] = (value);                                                          \
        WATCH(observe_words(machine, file, number, &hart->registers[place]);)                      \
    } while (0)
#define SET_REGISTER_WORDS(file, number, place, value)                                             \
    do {                                                                                           \
        memcpy(&hart->registers[place], (value), sizeof(value));                                   \
        WATCH(observe_words(machine, file, number, &hart->registers[place]);)                      \
    } while (0)

/* Makes the executor return at the next block. */
#define STOP_SOON() (execution->end_count -= (uint64_t)execution->left, execution->left = 0)

/* ---- the accessors of the bodies themselves (docs/isa-format.md, semantics) ---- */
#define RAISE(cause, value)                                                                        \
    do {                                                                                           \
        fault_set(fault, (cause), (value));                                                        \
        return FLOW_TRAPPED;                                                                       \
    } while (0)
#define trap(name, value) RAISE(TRAP_##name, (value))
#define ATTEMPT(call)                                                                              \
    do {                                                                                           \
        if (!(call))                                                                               \
            return FLOW_TRAPPED;                                                                   \
        if (__builtin_expect(machine->deadline != 0, 0) && machine_expired(machine))               \
            STOP_SOON();                                                                           \
    } while (0)
#define FAST(name, ...) name(__VA_ARGS__)
/* Instead of a body: executes the definition. */
#define RUN_DEFINITION() ATTEMPT(reference_execute(machine, record, fault))
/* This neither changes memory nor takes long, so it does not need `ATTEMPT`. */
#define walk_address(row)                                                                          \
    ({                                                                                             \
        uint64_t walked_ = 0;                                                                      \
        if (!traversal_peek(&machine->traversal, (row), &walked_, fault))                          \
            return FLOW_TRAPPED;                                                                   \
        walked_;                                                                                   \
    })
#define walk_on(row) traversal_advance(&machine->traversal, port, (row))
#define walk_load(type, row)                                                                       \
    ({                                                                                             \
        uint64_t at_ = walk_address(row);                                                          \
        const type walked_ = load_element(type, at_);                                              \
        walk_on(row);                                                                              \
        walked_;                                                                                   \
    })
#define walk_store(type, row, value)                                                               \
    do {                                                                                           \
        uint64_t at_ = walk_address(row);                                                          \
        store_element(type, at_, value);                                                           \
        walk_on(row);                                                                              \
    } while (0)
/* Loads and stores that memory leaves to the bare environment. */
#define FROM_DEVICE(address, value, size)                                                          \
    (fault->cause == CAUSE_DEVICE &&                                                               \
     (SYNCHRONIZE_COUNT(), bare_load(machine, (address), (value), (size), fault)))
#define TO_DEVICE(address, value, size)                                                            \
    (fault->cause == CAUSE_DEVICE &&                                                               \
     (SYNCHRONIZE_COUNT(), bare_store(machine, (address), (value), (size), fault)) &&              \
     (STOP_AFTER(), true))
/* Accesses at an address that is in a variable; executes `otherwise` when the slow path does not
 * allow the access. The slow path has a separate variable (`slow_`), so that the value of the
 * direct access can stay in a register. */
#define LOAD_OR(type, address, otherwise)                                                          \
    ({                                                                                             \
        type loaded_;                                                                              \
        if (memory_is_direct(fast, address, sizeof(type), PAGE_READ)) {                            \
            memcpy(&loaded_, host + address, sizeof loaded_);                                      \
        } else {                                                                                   \
            type slow_;                                                                            \
            if (!memory_load_slow(memory, address, &slow_, sizeof slow_, fault))                   \
                otherwise;                                                                         \
            loaded_ = slow_;                                                                       \
        }                                                                                          \
        WATCH(observe_access(machine, false, address, sizeof loaded_,                              \
                             raw_bits(&loaded_, sizeof loaded_));)                                 \
        loaded_;                                                                                   \
    })
#define STORE_OR(type, address, value, otherwise)                                                  \
    do {                                                                                           \
        const type stored_ = (type)(value);                                                        \
        if (memory_is_direct(fast, address, sizeof(type), PAGE_WRITE)) {                           \
            memcpy(host + address, &stored_, sizeof stored_);                                      \
        } else {                                                                                   \
            const type slow_ = stored_;                                                            \
            if (!memory_store_slow(memory, address, &slow_, sizeof slow_, fault)) {                \
                otherwise;                                                                         \
                break; /* bare_store has reported it */                                            \
            }                                                                                      \
        }                                                                                          \
        WATCH(observe_access(machine, true, address, sizeof stored_,                               \
                             raw_bits(&stored_, sizeof stored_));)                                 \
    } while (0)
#define TRAP_UNLESS(done)                                                                          \
    if (!(done))                                                                                   \
    return FLOW_TRAPPED
#define load(type, address)                                                                        \
    ({                                                                                             \
        uint64_t address_ = (address);                                                             \
        LOAD_OR(type, address_, TRAP_UNLESS(FROM_DEVICE(address_, &slow_, sizeof slow_)));         \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        STORE_OR(type, address_, value, TRAP_UNLESS(TO_DEVICE(address_, &slow_, sizeof slow_)));   \
    } while (0)
/* Atomic accesses: aligned to their size (Unprivileged ISA, 8.2 and 8.4). */
#define CHECK_ALIGNED(type, address, cause)                                                        \
    do {                                                                                           \
        if (__builtin_expect((address) % sizeof(type) != 0, 0))                                    \
            RAISE((cause), (address));                                                             \
    } while (0)
#define load_reserved(type, address)                                                               \
    ({                                                                                             \
        uint64_t reserved_ = (address);                                                            \
        CHECK_ALIGNED(type, reserved_, CAUSE_LOAD_MISALIGNED);                                     \
        const type value_ = load(type, reserved_);                                                 \
        hart->reserved = true;                                                                     \
        hart->reserved_address = reserved_;                                                        \
        hart->reserved_value = (uint64_t)value_;                                                   \
        value_;                                                                                    \
    })
/* Gives 0 when the value was stored, else 1. As in qemu, a store of the hart itself since the lr
 * breaks the reservation only if it changed the value. */
#define store_conditional(type, address, word)                                                     \
    ({                                                                                             \
        uint64_t reserved_ = (address);                                                            \
        bool holds_ = hart->reserved && hart->reserved_address == reserved_;                       \
        CHECK_ALIGNED(type, reserved_, CAUSE_STORE_MISALIGNED);                                    \
        if (holds_) {                                                                              \
            type present_;                                                                         \
            if (!memory_load(memory, reserved_, &present_, sizeof present_, fault))                \
                RAISE(CAUSE_STORE_ACCESS, fault->value);                                           \
            holds_ = present_ == (type)hart->reserved_value;                                       \
        }                                                                                          \
        if (holds_)                                                                                \
            store(type, reserved_, (word));                                                        \
        hart->reserved = false;                                                                    \
        (uint64_t) !holds_;                                                                        \
    })
/* Stores `result`, an expression that may use the previous value, `old`. Gives `old`. */
#define atomic(type, address, result)                                                              \
    ({                                                                                             \
        uint64_t atomic_ = (address);                                                              \
        type old;                                                                                  \
        CHECK_ALIGNED(type, atomic_, CAUSE_STORE_MISALIGNED);                                      \
        if (!memory_load(memory, atomic_, &old, sizeof old, fault))                                \
            RAISE(CAUSE_STORE_ACCESS, fault->value);                                               \
        const type new_ = (type)(result);                                                          \
        if (!memory_store(memory, atomic_, &new_, sizeof new_, fault))                             \
            RAISE(CAUSE_STORE_ACCESS, fault->value);                                               \
        WATCH(observe_access(machine, false, atomic_, sizeof old, raw_bits(&old, sizeof old));)    \
        WATCH(observe_access(machine, true, atomic_, sizeof new_, raw_bits(&new_, sizeof new_));)  \
        old;                                                                                       \
    })
/* Accesses to an element of a tensor. It must be aligned to its size, and every fault is a tensor
 * access fault (machine.md, 1). */
#define check_element(type, address)                                                               \
    do {                                                                                           \
        uint64_t element_ = (address);                                                             \
        if (__builtin_expect(element_ % sizeof(type) != 0, 0))                                     \
            RAISE(CAUSE_TENSOR_ACCESS, element_);                                                  \
    } while (0)
#define load_element(type, address)                                                                \
    ({                                                                                             \
        uint64_t address_ = (address);                                                             \
        check_element(type, address_);                                                             \
        LOAD_OR(type, address_, RAISE(CAUSE_TENSOR_ACCESS, address_));                             \
    })
#define store_element(type, address, value)                                                        \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        check_element(type, address_);                                                             \
        STORE_OR(type, address_, value, RAISE(CAUSE_TENSOR_ACCESS, address_));                     \
    } while (0)
#define csr_read(number)                                                                           \
    ({                                                                                             \
        uint64_t csr_;                                                                             \
        SYNCHRONIZE_COUNT();                                                                       \
        if (!csr_permits(machine, (number), false) || !csr_get(machine, (number), &csr_))          \
            RAISE(CAUSE_ILLEGAL_INSTRUCTION, INSTRUCTION_WORD);                                    \
        csr_;                                                                                      \
    })
#define csr_write(number, value)                                                                   \
    do {                                                                                           \
        SYNCHRONIZE_COUNT();                                                                       \
        if (!csr_permits(machine, (number), true) || !csr_set(machine, (number), (value)))         \
            RAISE(CAUSE_ILLEGAL_INSTRUCTION, INSTRUCTION_WORD);                                    \
        WATCH(csr_observe(machine, (number));)                                                     \
        if (machine->bare.active && isa_is_float_csr(number))                                      \
            privilege_dirty_float(machine);                                                        \
        if (machine->attention)                                                                    \
            STOP_AFTER();                                                                          \
    } while (0)
#define environment_call()                                                                         \
    do {                                                                                           \
        if (machine->bare.active)                                                                  \
            RAISE(CAUSE_USER_ECALL + hart->privilege, 0);                                          \
        destination = next_pc;                                                                     \
        flow = FLOW_CALL;                                                                          \
    } while (0)
#define return_from_trap()                                                                         \
    do {                                                                                           \
        if (!privilege_return(machine, &destination))                                              \
            RAISE(CAUSE_ILLEGAL_INSTRUCTION, INSTRUCTION_WORD);                                    \
        flow = FLOW_LEAVE;                                                                         \
    } while (0)
#define wait_for_interrupt()                                                                       \
    do {                                                                                           \
        if (!privilege_wait(machine))                                                              \
            RAISE(CAUSE_ILLEGAL_INSTRUCTION, INSTRUCTION_WORD);                                    \
        destination = next_pc;                                                                     \
        flow = FLOW_LEAVE;                                                                         \
    } while (0)
#define breakpoint() RAISE(CAUSE_BREAKPOINT, pc)
#define manage_block(operation, address)                                                           \
    do {                                                                                           \
        if (!block_permits(machine, (operation)))                                                  \
            RAISE(CAUSE_ILLEGAL_INSTRUCTION, INSTRUCTION_WORD);                                    \
        ATTEMPT(block_manage(machine, (operation), (address), fault));                             \
    } while (0)
/* The instruction ends the slice, since it changes which threads have turns. */
#define CHANGE_THREADS(call)                                                                       \
    do {                                                                                           \
        ATTEMPT(call);                                                                             \
        destination = next_pc;                                                                     \
        flow = FLOW_LEAVE;                                                                         \
    } while (0)
#define start_worker(worker, entry, argument)                                                      \
    CHANGE_THREADS(workers_start(machine, INSTRUCTION_WORD, (worker), (entry), (argument), fault))
#define start_workers(entry, argument, stride)                                                     \
    CHANGE_THREADS(                                                                                \
        workers_start_all(machine, INSTRUCTION_WORD, (entry), (argument), (stride), fault))
#define end_worker(status) CHANGE_THREADS(workers_end(machine, INSTRUCTION_WORD, (status), fault))
#define wait_for_workers() CHANGE_THREADS(workers_synchronize(machine, INSTRUCTION_WORD, fault))
#define wait_for_barrier() CHANGE_THREADS(workers_meet(machine, INSTRUCTION_WORD, fault))
#define worker_status(worker, field)                                                               \
    ({                                                                                             \
        uint64_t status_;                                                                          \
        ATTEMPT(workers_status(machine, INSTRUCTION_WORD, (worker), (field), &status_, fault));    \
        status_;                                                                                   \
    })
#define put_weight(number, value)                                                                  \
    ATTEMPT(workers_put_weight(machine, INSTRUCTION_WORD, (number), (value), fault))
#define synchronize_code() ((void)0) /* decoded code is never out of date (decode.h) */
#define UNIT(name)         (&machine->name)
#define PORT               port

#endif
