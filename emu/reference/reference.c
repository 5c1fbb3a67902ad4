/* See reference.h. This file defines what the accessors mean in definitions, and includes them.
 *
 * The inputs and outputs of a definition are ranges of memory that it declares before it uses
 * them, as operands of a unit are checked before the unit works. An output is a copy of its range
 * until the definition ends. Everything else that the definition does is a log. */
#include "emu/reference/reference.h"

#include "emu/float/host.h"
#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "emu/reference/exact.h"
#include "emu/units/dma.h"
#include "lib/diag.h"
#include <setjmp.h>
#include <stdlib.h>

#include "emu/state_code.h"

enum {
    ROWS_RECORDED = DMA_ROWS_RECORDED,
    ACCESSES_BETWEEN_LOOKS = 1 << 16, /* at the deadline */
};

/* An input or output. */
struct range {
    uint64_t address, length;
    unsigned char *host; /* of an output: where the bytes go at the end */
    size_t bytes;        /* of an output: its copy, in reference->bytes */
    bool is_row;
};

struct ranges {
    struct range *items;
    size_t count, capacity;
};

typedef void write_state(struct machine *machine, uint64_t first, uint64_t second, uint64_t value);

struct change {
    enum { CHANGE_EFFECT, CHANGE_COUNTER, CHANGE_REGISTER, CHANGE_STORE, CHANGE_STATE } kind;
    write_state *write;       /* STATE: the effect has indices and value */
    struct effect effect;     /* EFFECT, STORE, STATE */
    uint64_t *counter, value; /* COUNTER: is increased; REGISTER, STORE */
    unsigned file, number;    /* REGISTER */
    size_t bytes, length;     /* REGISTER of a file that is not standard: its words are in
                                 reference->bytes */
};

struct reference {
    struct machine *machine;
    struct fault *fault;
    jmp_buf trapped;
    struct ranges inputs, outputs;
    unsigned char *bytes; /* the copies of outputs, one after the other */
    size_t byte_count, byte_capacity;
    struct change *changes;
    size_t change_count, change_capacity;
    uint64_t accesses; /* to elements */
    uint64_t **arrays; /* of the definition */
    size_t array_count, array_capacity;
    unsigned id; /* of the instruction */
};

static void *grow(void *items, size_t count, size_t *capacity, size_t size)
{
    if (count <= *capacity)
        return items;
    *capacity = 2 * count;
    items = reallocarray(items, *capacity, size);
    if (!items) {
        fputs("temu: error: out of memory for a definition\n", stderr);
        exit(1);
    }
    return items;
}

static _Noreturn void give_up(struct reference *reference)
{
    longjmp(reference->trapped, 1);
}

static _Noreturn void raise_trap(struct reference *reference, enum cause cause, uint64_t value)
{
    fault_set(reference->fault, cause, value);
    give_up(reference);
}

/* A worker of a barrel may not execute the instruction. */
static void check_worker(struct reference *reference)
{
    if (reference->machine->port.is_worker)
        raise_trap(reference, CAUSE_ILLEGAL_INSTRUCTION, 0);
}

static struct change *add_change(struct reference *reference)
{
    reference->changes = grow(reference->changes, reference->change_count + 1,
                              &reference->change_capacity, sizeof *reference->changes);
    struct change *change = &reference->changes[reference->change_count++];
    *change = (struct change){0};
    return change;
}

/* ---- operands in memory ---- */

static void *map_operand(struct reference *reference, enum reference_place place, bool written,
                         enum isa_element_code type, uint64_t address, uint64_t count)
{
    struct port *port = &reference->machine->port;
    uint64_t size = exact_size(type);
    void *host;

    if (place == REFERENCE_SCRATCHPAD)
        host = written ? port_write_scratchpad(port, address, count, size, reference->fault)
                       : (void *)port_read_scratchpad(port, address, count, size, reference->fault);
    else
        host = written ? port_write(port, address, count, size, size, reference->fault)
                       : (void *)port_read(port, address, count, size, size, reference->fault);
    if (!host)
        give_up(reference);
    return host;
}

static void check_outside(struct reference *reference, uint64_t address, uint64_t length)
{
    const struct port *port = &reference->machine->port;
    uint64_t last = address + (length - 1);

    if (last >= port->scratchpad_base && (address < port->scratchpad_base ||
                                          address - port->scratchpad_base < port->scratchpad_size))
        raise_trap(reference, CAUSE_TENSOR_ACCESS, address);
}

/* Declares an input or output. A row that follows the one before it without a gap is a part of the
 * same range. */
static void declare(struct reference *reference, enum reference_place place, bool written,
                    bool is_row, enum isa_element_code type, uint64_t address, uint64_t count)
{
    struct ranges *ranges = written ? &reference->outputs : &reference->inputs;
    uint64_t length = count * exact_size(type);

    if (count == 0)
        return;
    if (place == REFERENCE_MAIN_MEMORY)
        check_outside(reference, address, length);
    unsigned char *host = map_operand(reference, place, written, type, address, count);
    size_t bytes = reference->byte_count;
    if (written) {
        reference->byte_count += length;
        reference->bytes =
            grow(reference->bytes, reference->byte_count, &reference->byte_capacity, 1);
        memcpy(reference->bytes + bytes, host, length);
    }
    struct range *last = ranges->count ? &ranges->items[ranges->count - 1] : NULL;
    if (is_row && last && last->is_row && last->address + last->length == address) {
        last->length += length;
        return;
    }
    ranges->items =
        grow(ranges->items, ranges->count + 1, &ranges->capacity, sizeof *ranges->items);
    ranges->items[ranges->count++] = (struct range){address, length, host, bytes, is_row};
}

/* Finds the element in the range that was declared last. */
static const struct range *find_range(const struct reference *reference,
                                      const struct ranges *ranges, uint64_t address, uint64_t size)
{
    for (size_t i = ranges->count; i-- > 0;) {
        const struct range *range = &ranges->items[i];
        if (address - range->address < range->length &&
            range->length - (address - range->address) >= size)
            return range;
    }
    diag_description_mistake(
        "the body of '%s' %s the element at 0x%llx; expected one of an operand "
        "that it has declared before",
        isa_instructions[reference->id].mnemonic, ranges == &reference->inputs ? "reads" : "writes",
        (unsigned long long)address);
}

static void look_at_deadline(struct reference *reference)
{
    if (++reference->accesses % ACCESSES_BETWEEN_LOOKS == 0 && machine_expired(reference->machine))
        raise_trap(reference, CAUSE_DEADLINE, 0);
}

static uint64_t get_element(struct reference *reference, enum isa_element_code type,
                            uint64_t address, uint64_t index)
{
    uint64_t size = exact_size(type), at = address + index * size, bits = 0;
    const struct range *range = find_range(reference, &reference->inputs, at, size);

    look_at_deadline(reference);
    memcpy(&bits, range->host + (at - range->address), size);
    return bits & exact_mask(type);
}

static void put_element(struct reference *reference, enum isa_element_code type, uint64_t address,
                        uint64_t index, uint64_t bits)
{
    uint64_t size = exact_size(type), at = address + index * size;
    const struct range *range = find_range(reference, &reference->outputs, at, size);

    look_at_deadline(reference);
    bits &= exact_mask(type);
    memcpy(reference->bytes + range->bytes + (at - range->address), &bits, size);
}

/* Checks a range as an input, but declares none. */
__attribute__((unused)) static void check_range(struct reference *reference,
                                                enum isa_element_code type, uint64_t address,
                                                uint64_t count)
{
    if (count > 0)
        map_operand(reference, REFERENCE_ANYWHERE, false, type, address, count);
}

__attribute__((unused)) static uint64_t *make_array(struct reference *reference, uint64_t length)
{
    uint64_t *array = calloc(length ? length : 1, sizeof *array);

    reference->arrays = grow(reference->arrays, reference->array_count + 1,
                             &reference->array_capacity, sizeof *reference->arrays);
    if (!array) {
        fputs("temu: error: out of memory for a definition\n", stderr);
        exit(1);
    }
    return reference->arrays[reference->array_count++] = array;
}

static void free_arrays(struct reference *reference)
{
    while (reference->array_count > 0)
        free(reference->arrays[--reference->array_count]);
}

__attribute__((unused)) static uint64_t get_number(struct reference *reference, uint64_t address,
                                                   unsigned size)
{
    const struct range *range = find_range(reference, &reference->inputs, address, size);
    uint64_t number = 0;

    memcpy(&number, range->host + (address - range->address), size);
    return number;
}

/* ---- the end of a definition ---- */

/* Records rows. What is at the end of the definition in one that other outputs overlap is known
 * only in memory. */
static void record_rows(struct port *port, const struct range *rows, size_t count,
                        const unsigned char *bytes)
{
    uint64_t lowest = rows[0].address, end = rows[0].address + rows[0].length, length = 0;

    for (size_t i = 0; i < count; i++) {
        lowest = rows[i].address < lowest ? rows[i].address : lowest;
        end = rows[i].address + rows[i].length > end ? rows[i].address + rows[i].length : end;
        length += rows[i].length;
    }
    if (bytes && rows[0].is_row)
        port_record_scattered(port, lowest, end - lowest, bytes + rows[0].bytes, length);
    else if (bytes)
        port_record_write(port, lowest, length, rows[0].host);
    else
        port_record_read(port, lowest, end - lowest);
}

/* Records the ranges. Too many rows are recorded as one range that includes the gaps. */
static void record_ranges(struct port *port, const struct ranges *ranges,
                          const unsigned char *bytes)
{
    if (!port->recorder)
        return;
    if (ranges->count > ROWS_RECORDED && ranges->items[0].is_row) {
        record_rows(port, ranges->items, ranges->count, bytes);
        return;
    }
    for (size_t i = 0; i < ranges->count; i++)
        record_rows(port, &ranges->items[i], 1, bytes);
}

static void write_register(const struct reference *reference, const struct change *change)
{
    struct machine *machine = reference->machine;
    const struct isa_register_file *file = &isa_register_files[change->file];

    if (!change->length) {
        (change->file == ISA_FILE_F ? machine->hart.f : machine->hart.x)[change->number] =
            change->value;
        observe_register(machine, change->file, change->number, change->value);
        return;
    }
    uint64_t *words = &machine->hart.registers[file->place + change->number * file->words];
    memcpy(words, reference->bytes + change->bytes, change->length);
    observe_words(machine, change->file, change->number, words);
}

static void make_change(const struct reference *reference, const struct change *change)
{
    struct machine *machine = reference->machine;

    switch (change->kind) {
    case CHANGE_COUNTER:
        *change->counter += change->value;
        break;
    case CHANGE_REGISTER:
        write_register(reference, change);
        break;
    case CHANGE_STATE:
        change->write(machine, change->effect.address, change->effect.length, change->effect.value);
        if (change->effect.name)
            port_record_state(&machine->port, change->effect.unit, change->effect.name,
                              change->effect.number, change->effect.dimension,
                              change->effect.value);
        break;
    case CHANGE_STORE:
        memcpy(machine->memory.host + change->effect.address, &change->value, change->effect.size);
        /* fall through */
    case CHANGE_EFFECT:
        if (machine->recorder)
            *recorder_add(machine->recorder, change->effect.kind) = change->effect;
        break;
    }
}

static void finish(struct reference *reference)
{
    struct machine *machine = reference->machine;

    record_ranges(&machine->port, &reference->inputs, NULL);
    for (size_t i = 0; i < reference->outputs.count; i++) {
        const struct range *range = &reference->outputs.items[i];
        memcpy(range->host, reference->bytes + range->bytes, range->length);
    }
    record_ranges(&machine->port, &reference->outputs, reference->bytes);
    for (size_t i = 0; i < reference->change_count; i++)
        make_change(reference, &reference->changes[i]);
}

/* ---- loads and stores of one element ---- */

static struct change *add_access(struct reference *reference, enum effect_kind kind,
                                 uint64_t address, size_t size, uint64_t value)
{
    struct change *change = add_change(reference);

    change->effect = (struct effect){
        .kind = kind,
        .size = (uint8_t)size,
        .dimension = -1,
        .address = address,
        .length = size,
        .value = value,
    };
    change->value = value;
    return change;
}

__attribute__((unused)) static void load_bytes(struct reference *reference, uint64_t address,
                                               void *value, size_t size)
{
    const void *host =
        port_read(&reference->machine->port, address, 1, size, size, reference->fault);
    uint64_t bits = 0;

    if (!host)
        give_up(reference);
    memcpy(value, host, size);
    memcpy(&bits, host, size);
    add_access(reference, EFFECT_LOAD, address, size, bits);
}

__attribute__((unused)) static void store_bytes(struct reference *reference, uint64_t address,
                                                uint64_t value, size_t size)
{
    if (!port_write(&reference->machine->port, address, 1, size, size, reference->fault))
        give_up(reference);
    add_access(reference, EFFECT_STORE, address, size, value)->kind = CHANGE_STORE;
}

/* ---- registers ---- */

__attribute__((unused)) static uint64_t read_ri(const uint64_t *file, uint8_t slot)
{
    return slot & RI_IMMEDIATE ? slot & (RI_IMMEDIATE - 1u) : file[slot];
}

__attribute__((unused)) static struct change *
set_register(struct reference *reference, unsigned file, unsigned number, uint64_t value)
{
    struct change *change = add_change(reference);

    change->kind = CHANGE_REGISTER;
    change->file = file;
    change->number = number;
    change->value = value;
    return change;
}

/* Sets a register of a file that is not standard. */
__attribute__((unused)) static void set_words(struct reference *reference, unsigned file,
                                              unsigned number, const void *words, size_t length)
{
    struct change *change = set_register(reference, file, number, 0);

    change->bytes = reference->byte_count;
    change->length = length;
    reference->byte_count += length;
    reference->bytes = grow(reference->bytes, reference->byte_count, &reference->byte_capacity, 1);
    memcpy(reference->bytes + change->bytes, words, length);
}

static void add_to_counter(struct reference *reference, uint64_t *counter, uint64_t value)
{
    struct change *change = add_change(reference);

    change->kind = CHANGE_COUNTER;
    change->counter = counter;
    change->value = value;
}

/* ---- state ---- */

#define STATE_NO_INDEX UINT64_MAX

/* Adds a change of the state, unless it has the value already. */
__attribute__((unused)) static void state_change(struct reference *reference, write_state *write,
                                                 uint64_t old, const char *unit, const char *name,
                                                 uint64_t first, uint64_t second, uint64_t value)
{
    if (old == value)
        return;
    struct change *change = add_change(reference);
    change->kind = CHANGE_STATE;
    change->write = write;
    change->effect = (struct effect){
        .kind = EFFECT_STATE,
        .number = first == STATE_NO_INDEX ? EFFECT_NO_ROW : (uint32_t)first,
        .dimension = second == STATE_NO_INDEX ? -1 : (int32_t)second,
        .address = first,
        .length = second,
        .value = value,
        .unit = unit,
        .name = name,
    };
}

#define STATE_SET(name, ...)                                                                       \
    __attribute__((unused)) static void state_set_##name(struct reference *const reference,        \
                                                         ##__VA_ARGS__)

/* ---- the macros of definitions.inc ---- */

#define DEFINITION_SCOPE                                                                           \
    struct machine *const machine __attribute__((unused)) = reference->machine;                    \
    struct port *const port __attribute__((unused)) = &machine->port;
#define DEFINITION(name)                                                                           \
    define_function define_instruction_##name;                                                     \
    void define_instruction_##name(struct reference *reference, const struct decoded *record)      \
    {                                                                                              \
        DEFINITION_SCOPE                                                                           \
        const struct hart *const hart __attribute__((unused)) = &machine->hart;                    \
        const uint64_t pc __attribute__((unused)) = record->pc;                                    \
        const uint64_t next_pc __attribute__((unused)) = pc + record->length;
#define END_DEFINITION }

#define SLOT(slot)                 (record->r[slot])
#define REGISTER(slot)             (SLOT(slot) & (SINK - 1))
#define READ_U64(file, slot)       (hart->file[SLOT(slot)])
#define READ_F64(file, slot)       (hart->file[SLOT(slot)])
#define READ_F32(file, slot)       unbox_f32(hart->file[SLOT(slot)])
#define READ_RAW32(file, slot)     ((uint32_t)hart->file[SLOT(slot)])
#define READ_F16(file, slot)       unbox_f16(hart->file[SLOT(slot)])
#define READ_RAW16(file, slot)     ((uint16_t)hart->file[SLOT(slot)])
#define READ_OLD_U64(file, slot)   (SLOT(slot) == SINK ? 0 : READ_U64(file, slot))
#define READ_OLD_F64(file, slot)   READ_F64(file, slot)
#define READ_OLD_F32(file, slot)   READ_F32(file, slot)
#define READ_OLD_RAW32(file, slot) READ_RAW32(file, slot)
#define READ_OLD_F16(file, slot)   READ_F16(file, slot)
#define READ_OLD_RAW16(file, slot) READ_RAW16(file, slot)
#define READ_RI(file, slot)        read_ri(hart->file, SLOT(slot))
#define IMMEDIATE(slot)            ((uint64_t)record->imm[slot])
#define SIGNED_IMMEDIATE(slot)     (record->imm[slot])
#define IMMEDIATE_R(slot)          (SLOT(slot))
#define READ_GROUP(file, slot, values, count)                                                      \
    for (unsigned i_ = 0; i_ < (count); i_++)                                                      \
    (values)[i_] = (uint32_t)hart->file[SLOT(slot) + i_]
#define READ_OLD_GROUP(file, slot, values, count) READ_GROUP(file, slot, values, count)

#define GET_REGISTER(place)                    (hart->registers[place])
#define GET_REGISTER_WORDS(place, value)       memcpy((value), &hart->registers[place], sizeof(value))
#define GET_REGISTER_OR_IMMEDIATE(place, slot) read_ri(&hart->registers[place], SLOT(slot))
#define SET_REGISTER(file, number, place, value)                                                   \
    do {                                                                                           \
        uint64_t word_ = (value);                                                                  \
        set_words(reference, file, number, &word_, sizeof word_);                                  \
    } while (0)
#define SET_REGISTER_WORDS(file, number, place, value)                                             \
    set_words(reference, file, number, (value), sizeof(value))
#define FILE_x                         ISA_FILE_X
#define FILE_f                         ISA_FILE_F
#define WRITE_RAW(file, number, value) set_register(reference, FILE_##file, (number), (value))
#define WRITE_U64(file, slot, value)   WRITE_RAW(file, SLOT(slot), value)
#define WRITE_F64(file, slot, value)   WRITE_RAW(file, SLOT(slot), value)
#define WRITE_F32(file, slot, value)   WRITE_RAW(file, SLOT(slot), box_f32(value))
#define WRITE_RAW32(file, slot, value) WRITE_RAW(file, SLOT(slot), box_f32(value))
#define WRITE_F16(file, slot, value)   WRITE_RAW(file, SLOT(slot), box_f16(value))
#define WRITE_RAW16(file, slot, value) WRITE_RAW(file, SLOT(slot), box_f16(value))
#define WRITE_GROUP(file, slot, values, count)                                                     \
    for (unsigned i_ = 0; i_ < (count); i_++)                                                      \
    WRITE_RAW(file, SLOT(slot) + i_, box_f32((values)[i_]))

/* ---- the accessors of the bodies themselves (docs/isa-format.md, semantics) ---- */

#define trap(name, value) raise_trap(reference, TRAP_##name, (value))
#define DECLARE(place, written, is_row, type, address, count)                                      \
    declare(reference, REFERENCE_##place, written, is_row, (type), (address), (count))
#define input(type, address, count)  DECLARE(ANYWHERE, false, false, type, address, count)
#define output(type, address, count) DECLARE(ANYWHERE, true, false, type, address, count)
#define scratchpad_input(type, address, count)                                                     \
    DECLARE(SCRATCHPAD, false, false, type, address, count)
#define scratchpad_output(type, address, count)                                                    \
    DECLARE(SCRATCHPAD, true, false, type, address, count)
#define memory_row_input(type, address, count)                                                     \
    DECLARE(MAIN_MEMORY, false, true, type, address, count)
#define memory_row_output(type, address, count)                                                    \
    DECLARE(MAIN_MEMORY, true, true, type, address, count)
#define next_input(type, address, count) DECLARE(ANYWHERE, false, true, type, address, count)
#define element(type, address, index)    get_element(reference, (type), (address), (index))
#define set_element(type, address, index, value)                                                   \
    put_element(reference, (type), (address), (index), (value))
#define element_size(type)                exact_size(type)
#define is_float(type)                    exact_is_float(type)
#define convert(to, from, value)          exact_convert((to), (from), (value))
#define sum(type, a, b)                   exact_sum((type), (a), (b))
#define product(type, a, b)               exact_product((type), (a), (b))
#define number(address, bytes)            get_number(reference, (address), (bytes))
#define quotient(type, a, b)              exact_quotient((type), (a), (b))
#define maximum(type, a, b)               exact_maximum((type), (a), (b))
#define minimum(type, a, b)               exact_minimum((type), (a), (b))
#define nearest(type, value)              exact_nearest((type), (value))
#define has_type(code)                    exact_has_type(code)
#define array(length)                     make_array(reference, (length))
#define check_supervisor()                check_worker(reference)
#define check_input(type, address, count) check_range(reference, (type), (address), (count))
#define sign_field(type, value)           exact_sign((type), (value))
#define exponent_field(type, value)       exact_exponent((type), (value))
#define fraction_field(type, value)       exact_fraction((type), (value))
#define set(state, ...)                   state_set_##state(reference, __VA_ARGS__)
#define count(unit, counter, number)      add_to_counter(reference, &STATE_OF_##unit.counter, (number))
#define real(type, value)                 exact_real((type), (value))
#define imaginary(type, value)            exact_imaginary((type), (value))
#define complex(type, re, im)             exact_complex((type), (re), (im))
#define load_element(type, address)                                                                \
    ({                                                                                             \
        type loaded_;                                                                              \
        load_bytes(reference, (address), &loaded_, sizeof loaded_);                                \
        loaded_;                                                                                   \
    })
#define store_element(type, address, value)                                                        \
    store_bytes(reference, (address), (type)(value), sizeof(type))
#define walk_load(type, row)                                                                       \
    ({                                                                                             \
        const type walked_ = load_element(type, walk_address(row));                                \
        walk_on(row);                                                                              \
        walked_;                                                                                   \
    })
#define walk_store(type, row, value)                                                               \
    do {                                                                                           \
        store_element(type, walk_address(row), value);                                             \
        walk_on(row);                                                                              \
    } while (0)

/* ---- the outside ---- */

static struct reference *reference_of(struct machine *machine)
{
    size_t capacity = 0;

    if (!machine->reference) {
        machine->reference = grow(NULL, 1, &capacity, sizeof *machine->reference);
        *machine->reference = (struct reference){.machine = machine};
    }
    return machine->reference;
}

bool reference_run(struct machine *machine, define_function *define, const struct decoded *record,
                   struct fault *fault)
{
    struct reference *reference = reference_of(machine);

    reference->fault = fault;
    reference->id = record->id;
    reference->inputs.count = reference->outputs.count = 0;
    reference->byte_count = reference->change_count = 0;
    if (setjmp(reference->trapped) != 0) {
        free_arrays(reference);
        return false;
    }
    define(reference, record);
    free_arrays(reference);
    finish(reference);
    return true;
}

void reference_free(struct machine *machine)
{
    struct reference *reference = machine->reference;

    if (!reference)
        return;
    free(reference->inputs.items);
    free(reference->outputs.items);
    free(reference->bytes);
    free(reference->changes);
    free(reference->arrays);
    free(reference);
    machine->reference = NULL;
}

/* Last, since the functions of definitions are macros, with any name. */
#include "definitions.inc"
