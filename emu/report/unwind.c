/* See unwind.h. libdw reads the tables and finds the rules of a pc; they are applied here to the
 * registers and memory of the guest. A rule is a DWARF expression. Only the operations that
 * compilers use in frame information are supported; any other one ends the unwinding. */
#include "emu/report/unwind.h"
#include "emu/machine.h"
#include "lib/source.h"
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdlib.h>

struct unwinder {
    struct source_image image;
    Dwarf_CFI *eh_frame, *debug_frame;
    uint64_t moved;
};

struct unwinder *unwinder_open(const struct diag_file *image, uint64_t moved)
{
    struct unwinder *unwinder = calloc(1, sizeof *unwinder);

    if (!unwinder)
        return NULL;
    unwinder->moved = moved;
    source_image_open(&unwinder->image, image);
    if (unwinder->image.elf)
        unwinder->eh_frame = dwarf_getcfi_elf(unwinder->image.elf);
    if (unwinder->image.dwarf)
        unwinder->debug_frame = dwarf_getcfi(unwinder->image.dwarf);
    if (unwinder->eh_frame || unwinder->debug_frame)
        return unwinder;
    unwinder_close(unwinder);
    return NULL;
}

void unwinder_close(struct unwinder *unwinder)
{
    if (!unwinder)
        return;
    if (unwinder->eh_frame)
        dwarf_cfi_end(unwinder->eh_frame);
    source_image_close(&unwinder->image);
    free(unwinder);
}

/* ---- expressions ---- */

enum { STACK_DEPTH = 16 };

struct evaluation {
    const struct memory *memory;
    const struct unwind_frame *frame;
    uint64_t cfa; /* of DW_OP_call_frame_cfa */
    uint64_t stack[STACK_DEPTH];
    unsigned depth;
    bool is_value; /* the result is the value itself, not where it is stored */
};

static bool read_register(const struct unwind_frame *frame, uint64_t number, uint64_t *value)
{
    if (number >= 32 || !(frame->known >> number & 1))
        return false;
    *value = frame->x[number];
    return true;
}

static bool read_word(const struct memory *memory, uint64_t address, uint64_t *value)
{
    const void *bytes = memory_peek(memory, address, sizeof *value);

    if (bytes)
        memcpy(value, bytes, sizeof *value);
    return bytes != NULL;
}

static bool push(struct evaluation *evaluation, uint64_t value)
{
    if (evaluation->depth == STACK_DEPTH)
        return false;
    evaluation->stack[evaluation->depth++] = value;
    return true;
}

/* Applies an operation that takes one or two values from the stack. */
static bool apply(struct evaluation *evaluation, const Dwarf_Op *operation)
{
    uint64_t *top = evaluation->stack + evaluation->depth - 1;
    bool binary = operation->atom != DW_OP_plus_uconst && operation->atom != DW_OP_deref;

    if (evaluation->depth < (binary ? 2u : 1u))
        return false;
    evaluation->depth -= binary;
    switch (operation->atom) {
    case DW_OP_plus_uconst:
        *top += operation->number;
        return true;
    case DW_OP_deref:
        return read_word(evaluation->memory, *top, top);
    case DW_OP_plus:
        top[-1] += *top;
        return true;
    case DW_OP_minus:
        top[-1] -= *top;
        return true;
    case DW_OP_and:
        top[-1] &= *top;
        return true;
    default:
        return false;
    }
}

static bool evaluate_one(struct evaluation *evaluation, const Dwarf_Op *operation)
{
    uint64_t value = 0;

    if (operation->atom >= DW_OP_lit0 && operation->atom <= DW_OP_lit31)
        return push(evaluation, operation->atom - DW_OP_lit0);
    if (operation->atom >= DW_OP_breg0 && operation->atom <= DW_OP_breg31)
        return read_register(evaluation->frame, operation->atom - DW_OP_breg0, &value) &&
               push(evaluation, value + operation->number);
    if (operation->atom >= DW_OP_reg0 && operation->atom <= DW_OP_reg31) {
        evaluation->is_value = true;
        return read_register(evaluation->frame, operation->atom - DW_OP_reg0, &value) &&
               push(evaluation, value);
    }
    switch (operation->atom) {
    case DW_OP_call_frame_cfa:
        return push(evaluation, evaluation->cfa);
    case DW_OP_bregx:
        return read_register(evaluation->frame, operation->number, &value) &&
               push(evaluation, value + operation->number2);
    case DW_OP_regx:
        evaluation->is_value = true;
        return read_register(evaluation->frame, operation->number, &value) &&
               push(evaluation, value);
    case DW_OP_stack_value:
        evaluation->is_value = true;
        return true;
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
        return push(evaluation, operation->number);
    default:
        return apply(evaluation, operation);
    }
}

static bool evaluate(struct evaluation *evaluation, const Dwarf_Op *operations, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!evaluate_one(evaluation, &operations[i]))
            return false;
    return evaluation->depth > 0;
}

/* ---- frames ---- */

/* Finds the rules for the frame. The caller frees them. Returns NULL when there are none. */
static Dwarf_Frame *find_rules(struct unwinder *unwinder, const struct unwind_frame *frame)
{
    uint64_t place = frame->pc - frame->is_return - unwinder->moved;

    Dwarf_Frame *rules = NULL;

    if (unwinder->eh_frame && dwarf_cfi_addrframe(unwinder->eh_frame, place, &rules) == 0)
        return rules;
    if (unwinder->debug_frame && dwarf_cfi_addrframe(unwinder->debug_frame, place, &rules) == 0)
        return rules;
    return NULL;
}

static bool find_cfa(const struct memory *memory, const struct unwind_frame *frame,
                     Dwarf_Frame *rules, uint64_t *cfa)
{
    struct evaluation evaluation = {.memory = memory, .frame = frame};

    Dwarf_Op *operations;
    size_t count;

    if (dwarf_frame_cfa(rules, &operations, &count) != 0 ||
        !evaluate(&evaluation, operations, count))
        return false;
    *cfa = evaluation.stack[evaluation.depth - 1];
    return true;
}

/* Finds the value that the register has in the caller. Returns false when it is lost. */
static bool find_register(const struct memory *memory, const struct unwind_frame *frame,
                          Dwarf_Frame *rules, uint64_t cfa, unsigned number, uint64_t *value)
{
    struct evaluation evaluation = {.memory = memory, .frame = frame, .cfa = cfa};

    Dwarf_Op buffer[3], *operations;
    size_t count;

    if (dwarf_frame_register(rules, number, buffer, &operations, &count) != 0)
        return false;
    if (count == 0) /* libdw gives no place for an unchanged value; otherwise it is undefined */
        return !operations && read_register(frame, number, value);
    if (!evaluate(&evaluation, operations, count))
        return false;
    *value = evaluation.stack[evaluation.depth - 1];
    return evaluation.is_value || read_word(memory, *value, value);
}

static bool apply_rules(const struct memory *memory, Dwarf_Frame *rules, struct unwind_frame *frame)
{
    struct unwind_frame caller = {.is_return = true};
    uint64_t cfa;
    bool is_signal = false;
    int link = dwarf_frame_info(rules, NULL, NULL, &is_signal);

    if (link < 0 || link >= 32 || !find_cfa(memory, frame, rules, &cfa) || cfa % 8 ||
        cfa < frame->x[ISA_REGISTER_SP])
        return false;
    for (unsigned i = 1; i < 32; i++)
        if (i != ISA_REGISTER_SP && find_register(memory, frame, rules, cfa, i, &caller.x[i]))
            caller.known |= UINT32_C(1) << i;
    caller.x[ISA_REGISTER_SP] = cfa;
    caller.known |= UINT32_C(1) << ISA_REGISTER_SP | 1;
    if (!read_register(&caller, link, &caller.pc) || caller.pc == 0 ||
        (caller.pc == frame->pc && cfa == frame->x[ISA_REGISTER_SP]))
        return false;
    caller.is_return = !is_signal;
    /* The caller's return address was saved in its frame, or overwritten by the call. */
    if (!is_signal)
        caller.known &= ~(UINT32_C(1) << ISA_REGISTER_RA);
    *frame = caller;
    return true;
}

bool unwinder_knows(struct unwinder *unwinder, const struct unwind_frame *frame)
{
    Dwarf_Frame *rules = unwinder ? find_rules(unwinder, frame) : NULL;
    bool known = rules != NULL;

    free(rules);
    return known;
}

bool unwinder_step(struct unwinder *unwinder, const struct memory *memory,
                   struct unwind_frame *frame)
{
    Dwarf_Frame *rules = unwinder ? find_rules(unwinder, frame) : NULL;
    bool done = rules && apply_rules(memory, rules, frame);

    free(rules);
    return done;
}
