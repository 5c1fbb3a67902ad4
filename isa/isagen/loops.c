/*
 * The `loops` section: sequences of instructions of which the last one branches to the first. They
 * are so common that the emulator has a body for the whole loop. Branches before the last one leave
 * the loop. A loop is written in the syntax of its instructions, with a name for every operand. The
 * same name means the same register, so that the body can keep it in a variable from one iteration
 * to the next. Names of registers are numbered in the order of their first use, which makes loops
 * comparable. Like superinstructions, loops change nothing but speed.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static size_t name_length(const char *text)
{
    size_t length = 0;

    if (isalpha((unsigned char)*text))
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
    return length;
}

static void declare(struct spec *spec, struct spec_operands *names, const struct node *node,
                    size_t offset, size_t length)
{
    const char *name = arena_copy(spec->arena, node->text + offset, length);

    if (spec_operand_index(names, name, length) >= 0)
        return;
    names->items =
        arena_grow(spec->arena, names->items, names->count, &names->capacity, sizeof *names->items);
    names->items[names->count++] =
        (struct spec_operand){.name = name, .at = node_position(node, offset, length)};
}

static bool is_instruction(struct spec *spec, const struct node *node)
{
    size_t length = strcspn(node->text, " ");
    const char *mnemonic = arena_copy(spec->arena, node->text, length);
    const struct position at = node_position(node, 0, length);

    if (map_get(&spec->instructions, mnemonic))
        return true;
    diag_error(spec->diag, &at, "'%s' is not an instruction%s", mnemonic,
               node_suggest(&spec->context, &spec->instructions, mnemonic));
    return false;
}

/* Declares the names after the mnemonic. */
static bool declare_names(struct spec *spec, struct spec_operands *names, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "part of a loop");

    if (!text || !is_instruction(spec, node))
        return false;
    for (size_t at = strcspn(text, " "); text[at];) {
        size_t length = name_length(text + at);
        if (length)
            declare(spec, names, node, at, length);
        else if (!strchr(" ,()", text[at])) {
            const struct position found = node_position(node, at, strcspn(text + at, " ,()"));
            diag_error(spec->diag, &found,
                       "found '%.*s' in a loop; expected a name for each operand; the program "
                       "supplies registers and immediates",
                       (int)strcspn(text + at, " ,()"), text + at);
            return false;
        }
        at += length ? length : 1;
    }
    return true;
}

/* Is it a conditional branch? A jump is always taken, and remembers where it came from. */
static bool is_branch(const struct spec_instruction *part)
{
    return part->distance && strcmp(part->timing->name, "branch") == 0;
}

static bool is_foreign(const struct spec_accessor *accessor)
{
    return !accessor->in_loops;
}

/* The body of a loop runs until something unusual happens, and then leaves the rest to the bodies
 * of the parts: it cannot raise an exception, and only knows the hart and memory. */
static bool may_be_part(struct spec *spec, const struct spec_step *step, bool is_last)
{
    const struct spec_instruction *part = step->instruction;
    const char *reason = NULL;

    if (part->compressed)
        reason = "is a compressed encoding; name its base";
    else if (is_last && !is_branch(part))
        reason = "is not a branch, so it cannot end a loop";
    else if (part->effects & ISA_EFFECT_FLOW && !is_branch(part))
        reason = "may continue anywhere, so nothing can follow it in a loop";
    else if (part->fast || part->by_definition)
        reason = "runs a function of the emulator, which loops do not support";
    const struct spec_accessor *accessor =
        reason ? NULL : spec_accessor_in(spec, &part->semantics, is_foreign);
    if (accessor)
        reason = arena_format(spec->arena, "uses '%s', which loops do not support", accessor->name);
    for (size_t i = 0; !reason && i < part->operands.count; i++) {
        const struct spec_operand_type *type = part->operands.items[i].type;
        enum isa_kind kind = type->kind;
        if ((kind == ISA_REGISTER && !type->file->standard) ||
            (kind != ISA_REGISTER && kind != ISA_IMMEDIATE && kind != ISA_TARGET &&
             kind != ISA_ENUM))
            reason =
                arena_format(spec->arena, "has operand '%s' of type '%s', which a loop cannot hold",
                             part->operands.items[i].name, part->operands.items[i].type->summary);
    }
    if (reason)
        diag_error(spec->diag, &step->at, "'%s' %s", part->mnemonic, reason);
    return !reason;
}

/* Returns how often the name is used in the loop. */
static unsigned count_uses(const struct spec_loop *loop, size_t name)
{
    unsigned uses = 0;

    for (size_t i = 0; i < loop->count; i++)
        for (size_t k = 0; k < loop->parts[i].instruction->operands.count; k++)
            uses += loop->parts[i].arguments[k].kind == ISA_ARGUMENT_OPERAND &&
                    loop->parts[i].arguments[k].operand == name;
    return uses;
}

static bool check_names(struct spec *spec, struct spec_loop *loop)
{
    for (size_t i = 0; i < loop->names.count; i++) {
        struct spec_operand *name = &loop->names.items[i];
        if (name->type->kind == ISA_REGISTER) {
            name->slot_index = loop->registers++;
        } else if (count_uses(loop, i) > 1) {
            diag_error(spec->diag, &name->at,
                       "'%s' is not a register and appears twice; give each place a different name",
                       name->name);
            return false;
        }
    }
    if (loop->registers > SPEC_LOOP_REGISTERS)
        diag_error(spec->diag, &loop->node->at, "a loop of %u registers; expected at most %d",
                   loop->registers, SPEC_LOOP_REGISTERS);
    return loop->registers <= SPEC_LOOP_REGISTERS;
}

static bool read_parts(struct spec *spec, struct spec_loop *loop)
{
    const struct node *node = loop->node;
    struct spec_alias owner = {.mnemonic = "a loop"};

    for (size_t i = 0; i < node->count; i++)
        if (!declare_names(spec, &owner.operands, node->items[i]))
            return false;
    owner.steps = arena_array(spec->arena, node->count, sizeof *owner.steps);
    for (size_t i = 0; i < node->count; i++)
        if (!spec_resolve_pattern(spec, &owner, node->items[i]) || owner.step_count != i + 1 ||
            !may_be_part(spec, &owner.steps[i], i + 1 == node->count))
            return false;
    loop->parts = owner.steps;
    loop->count = node->count;
    loop->names = owner.operands;
    return check_names(spec, loop);
}

/* Two names of registers have the same number if their first uses are at the same place. */
static bool is_same(const struct spec_loop *a, const struct spec_loop *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct spec_step *left = &a->parts[i], *right = &b->parts[i];
        if (left->instruction != right->instruction)
            return false;
        for (size_t k = 0; k < left->instruction->operands.count; k++)
            if (left->instruction->operands.items[k].type->kind == ISA_REGISTER &&
                a->names.items[left->arguments[k].operand].slot_index !=
                    b->names.items[right->arguments[k].operand].slot_index)
                return false;
    }
    return true;
}

static void read_loop(struct spec *spec, const struct node *node)
{
    struct spec_loop loop = {.node = node};

    if (!node_expect(&spec->context, node, NODE_SEQUENCE, "loop"))
        return;
    if (node->count < 2 || node->count > SPEC_LOOP_PARTS) {
        diag_error(spec->diag, &node->at, "a loop of %zu instructions; expected 2 to %d",
                   node->count, SPEC_LOOP_PARTS);
        return;
    }
    if (!read_parts(spec, &loop))
        return;
    for (size_t i = 0; i < spec->loop_count; i++)
        if (is_same(&spec->loops[i], &loop)) {
            diag_error(spec->diag, &node->at, "this loop appears twice; remove one");
            diag_note(spec->diag, &spec->loops[i].node->at, "the other one is here");
            return;
        }
    loop.number = spec->loop_count;
    loop.name = arena_format(spec->arena, "loop_%zu", loop.number);
    for (size_t i = 0; i < loop.count; i++)
        loop.name =
            arena_format(spec->arena, "%s_%s", loop.name, loop.parts[i].instruction->mangled);
    spec->loops = arena_grow(spec->arena, spec->loops, spec->loop_count, &spec->loop_capacity,
                             sizeof *spec->loops);
    spec->loops[spec->loop_count++] = loop;
}

/* Orders loops by the id of the first part. Loops with the same first part keep the order of the
 * files, which is that of their numbers. */
static int compare(const void *left, const void *right)
{
    const struct spec_loop *a = left, *b = right;
    unsigned first = a->parts[0].instruction->index, second = b->parts[0].instruction->index;

    if (first != second)
        return first < second ? -1 : 1;
    return a->number < b->number ? -1 : a->number > b->number;
}

void spec_sort_loops(struct spec *spec)
{
    if (spec->loop_count)
        qsort(spec->loops, spec->loop_count, sizeof *spec->loops, compare);
}

void spec_read_loops(struct spec *spec, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++)
        read_loop(spec, section->items[i]);
}
