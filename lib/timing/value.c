/* See value.h. This file defines what the accessors mean here. Arithmetic on elements ends a
 * function, since a definition declares its operands in memory before it computes. */
#include "lib/timing/value.h"

#include "instruction_ids.h"
#include "isa_ids.h"

/* The address space is smaller; a longer range is a fault. */
#define LONGEST (UINT64_C(1) << 32)

typedef void value_function(struct execution_value *value_);

static _Noreturn void give_up(struct execution_value *value)
{
    longjmp(value->given_up, 1);
}

/* The rest cannot be executed: it depends on memory or on state. */
static _Noreturn void give_up_unknown(struct execution_value *value)
{
    value->is_complete = false;
    give_up(value);
}

static _Noreturn void give_up_fault(struct execution_value *value)
{
    value->is_fault = true;
    give_up_unknown(value);
}

/* Adds the rows of a tile to the range of the first one, which then is from the first row to the
 * end of the last one. */
static void add_row(struct range *tile, uint64_t address, uint64_t length)
{
    uint64_t end = tile->address + tile->length;

    if (address < tile->address)
        tile->address = address;
    if (address + length > end)
        end = address + length;
    tile->length = end - tile->address;
}

static void add_range(struct execution_value *value, uint64_t address, uint64_t length,
                      bool is_write, bool is_row)
{
    bool goes_on = is_row && value->is_row;
    struct range *last = goes_on ? &value->ranges[value->range_count - 1] : NULL;

    if (length == 0)
        return;
    if (length > LONGEST || value->rows > VALUE_ROWS)
        give_up_fault(value);
    *(is_write ? &value->bytes_written : &value->bytes_read) += length;
    value->rows += is_row;
    if (last && last->is_write == is_write) {
        add_row(last, address, length);
        return;
    }
    value->is_row = is_row;
    if (value->range_count == VALUE_RANGES) {
        value->is_complete = false;
        return;
    }
    value->ranges[value->range_count++] = (struct range){address, length, is_write};
}

/* A range that is longer than the scratchpad is a fault. */
static void check_scratchpad(struct execution_value *value, uint64_t length)
{
    if (length > value->config->scratchpad_size)
        give_up_fault(value);
}

/* ---- the macros of values.inc ---- */

#define VALUE(name)          static void value_##name(struct execution_value *value_)
#define VALUE_SCOPE          const uint64_t pc __attribute__((unused)) = value_->pc;
#define VALUE_OPERAND(index) (value_->operands[index])
#define VALUE_RESULT(index, written)                                                               \
    do {                                                                                           \
        value_->operand = (index);                                                                 \
        value_->result = (uint64_t)(written);                                                      \
        value_->has_result = !value_->is_unknown;                                                  \
    } while (0)

/* ---- accessors ---- */

#define ANY(...)                                                                                   \
    ({                                                                                             \
        give_up(value_);                                                                           \
        (uint64_t)0;                                                                               \
    })
#define UNKNOWN(...)                                                                               \
    ({                                                                                             \
        give_up_unknown(value_);                                                                   \
        (uint64_t)0;                                                                               \
    })
#define BYTES(type, count) ((count)*isa_element_by_number(type)->bytes)

#define load(type, address)                                                                        \
    ({                                                                                             \
        add_range(value_, (address), sizeof(type), false, false);                                  \
        value_->is_unknown = true;                                                                 \
        (type)0;                                                                                   \
    })
#define store(type, address, stored)                                                               \
    ({                                                                                             \
        (void)(stored);                                                                            \
        add_range(value_, (address), sizeof(type), true, false);                                   \
    })
#define input(type, address, count)  add_range(value_, address, BYTES(type, count), false, false)
#define output(type, address, count) add_range(value_, address, BYTES(type, count), true, false)
#define scratchpad_input(type, address, count)                                                     \
    ({                                                                                             \
        check_scratchpad(value_, BYTES(type, count));                                              \
        input(type, address, count);                                                               \
    })
#define scratchpad_output(type, address, count)                                                    \
    ({                                                                                             \
        check_scratchpad(value_, BYTES(type, count));                                              \
        output(type, address, count);                                                              \
    })
#define memory_row_input(type, address, count)                                                     \
    add_range(value_, address, BYTES(type, count), false, true)
#define memory_row_output(type, address, count)                                                    \
    add_range(value_, address, BYTES(type, count), true, true)
#define check_input(type, address, count)        ((void)(address), (void)(count))
#define next_input(type, address, count)         (void)UNKNOWN()
#define element(type, address, index)            ((void)(address), (void)(index), (uint64_t)0)
#define set_element(type, address, index, value) ((void)(address), (void)(index), (void)(value))
#define element_size(type)                       (isa_element_by_number(type)->bytes)
#define is_float(type)                           (isa_element_by_number(type)->exponent > 0)
#define convert(to, from, value)                 ((void)(value), ANY())
#define sum(type, a, b)                          ((void)(a), (void)(b), ANY())
#define product(type, a, b)                      ((void)(a), (void)(b), ANY())
#define quotient(type, a, b)                     ((void)(a), (void)(b), ANY())
#define maximum(type, a, b)                      ((void)(a), (void)(b), ANY())
#define minimum(type, a, b)                      ((void)(a), (void)(b), ANY())
#define nearest(type, value)                     ((void)(value), ANY())
#define real(type, value)                        ((void)(value), ANY())
#define imaginary(type, value)                   ((void)(value), ANY())
#define complex(type, re, im)                    ((void)(re), (void)(im), ANY())
#define sign_field(type, value)                  ((void)(value), ANY())
#define exponent_field(type, value)              ((void)(value), ANY())
#define fraction_field(type, value)              ((void)(value), ANY())
#define number(address, bytes)                   ((void)(address), UNKNOWN())
#define has_type(code)                           ((void)(code), UNKNOWN() != 0)
#define array(length)                            ((void)(length), (uint64_t *)UNKNOWN())
#define get(state, ...)                          UNKNOWN()
#define set(state, ...)                          (void)UNKNOWN()
#define counter(unit, name)                      UNKNOWN()
#define count(unit, counter, number)             ((void)(number))
#define setting(unit, key)                       (value_->config->unit##_##key)
#define check_supervisor()                       ((void)value_)
#define trap(name, value)                        ((void)(value), give_up_fault(value_))
#define latency()                                UNKNOWN()
#define cycles()                                 UNKNOWN()
#define bytes_read()                             UNKNOWN()
#define bytes_written()                          UNKNOWN()
#define network_cycles()                         UNKNOWN()
#define load_element(type, address)              ((void)(address), (type)UNKNOWN())
#define store_element(type, address, value)      ((void)(address), (void)(value), (void)UNKNOWN())
#define walk_load(type, row)                     ((void)(row), (type)UNKNOWN())
#define walk_store(type, row, value)             ((void)(row), (void)(value), (void)UNKNOWN())

/* Accessors that mean nothing here leave variables unused. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
#include "values.inc"
#pragma GCC diagnostic pop

bool execution_value(struct execution_value *value, unsigned id)
{
    value->has_result = value->is_unknown = value->is_row = value->is_fault = false;
    value->is_complete = true;
    value->range_count = 0;
    value->rows = 0;
    value->bytes_read = value->bytes_written = 0;
    if (id >= ISA_ID_COUNT || !value_functions[id])
        return false;
    if (setjmp(value->given_up) == 0)
        value_functions[id](value);
    return true;
}
