/*
 * Checks of the C in bodies and conditions by the names in it. A body may use its operands, the
 * accessors, its own variables, and C itself. check.c has the C compiler check the rest.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static struct spec_operand *find_operand(struct spec_instruction *instruction, const char *name,
                                         size_t length)
{
    int index = spec_operand_index(&instruction->operands, name, length);

    return index >= 0 ? &instruction->operands.items[index] : NULL;
}

static bool has_register(const struct spec_operand *operand)
{
    enum isa_kind kind = operand->type->kind;

    return kind == ISA_REGISTER || kind == ISA_REGISTER_GROUP;
}

static void note_name(struct spec *spec, struct spec_instruction *instruction,
                      const struct code_token *token, const char *what)
{
    static const char suffix[] = "_index";
    const char *name = instruction->semantics.text + token->offset;
    size_t length = token->length, tail = sizeof suffix - 1;
    struct spec_operand *operand = find_operand(instruction, name, length);

    if (operand) {
        operand->mentioned = true;
        return;
    }
    if (length > tail && memcmp(name + length - tail, suffix, tail) == 0) {
        operand = find_operand(instruction, name, length - tail);
        if (operand && has_register(operand)) {
            operand->index_mentioned = true;
            return;
        }
    }
    struct spec_element_name *element =
        spec_find_element_name(&instruction->elements, name, length);
    if (element) {
        element->mentioned = true;
        return;
    }
    bool called = spec_is_called(instruction->semantics.text, token);
    const struct spec_accessor *accessor = spec_find_accessor(spec, name, length);
    if (accessor && accessor->is_called && !called)
        accessor = NULL; /* a variable of the body */
    if (accessor) {
        instruction->effects |= accessor->effects;
        instruction->defined |= accessor->defined;
        instruction->by_definition |= accessor->in_definitions;
        return;
    }
    const struct spec_function *function = map_get_bytes(&spec->functions, name, length);
    if (function && called) {
        instruction->effects |= function->effects;
        instruction->by_definition = true;
        return;
    }
    const char *word = arena_copy(spec->arena, name, length);
    if (map_get(&spec->field_names, word))
        spec_code_error(spec, &instruction->semantics, token->offset, length,
                        arena_format(spec->arena,
                                     "the body of '%s' names '%s', which is not an operand of it; "
                                     "add the operand, or rename a variable of the body",
                                     instruction->mnemonic, word));
    else
        spec_report_name(spec, &instruction->semantics, token, what);
}

static bool is_name(const struct spec_code *code, const struct code_token *token, const char *name)
{
    return token->kind == CODE_NAME && token->length == strlen(name) &&
           memcmp(code->text + token->offset, name, token->length) == 0;
}

/* The emulator computes the target of a branch only once. Therefore the distance has to be an
 * immediate operand of the instruction, and the same one in the whole body. */
static void check_branch(struct spec *spec, struct spec_instruction *instruction,
                         const struct code_token *branch)
{
    const struct spec_code *body = &instruction->semantics;
    size_t offset = branch->offset + branch->length;
    const struct code_token open = spec_next_token(body->text, &offset),
                            name = spec_next_token(body->text, &offset),
                            close = spec_next_token(body->text, &offset);
    const struct spec_operand *operand =
        name.kind == CODE_NAME ? find_operand(instruction, body->text + name.offset, name.length)
                               : NULL;

    if (!operand || body->text[open.offset] != '(' || body->text[close.offset] != ')' ||
        (operand->type->kind != ISA_TARGET && operand->type->kind != ISA_IMMEDIATE) ||
        (instruction->distance && instruction->distance != operand))
        spec_code_error(
            spec, body, branch->offset, branch->length,
            arena_format(spec->arena,
                         "'branch' in the body of '%s' takes one immediate operand, the "
                         "same everywhere; go to other places with jump(pc + ...)",
                         instruction->mnemonic));
    else
        instruction->distance = operand;
}

static bool is_ignored(struct spec *spec, struct spec_instruction *instruction,
                       const struct spec_operand *operand)
{
    const struct node *ignores = instruction->ignores;

    for (size_t i = 0; ignores && ignores->kind == NODE_SEQUENCE && i < ignores->count; i++) {
        const char *name = node_text(&spec->context, ignores->items[i], "ignores");
        if (name && strcmp(name, operand->name) == 0)
            return true;
    }
    return false;
}

static void check_ignores(struct spec *spec, struct spec_instruction *instruction)
{
    const struct node *ignores = instruction->ignores;

    for (size_t i = 0; ignores && ignores->kind == NODE_SEQUENCE && i < ignores->count; i++) {
        const struct node *node = ignores->items[i];
        if (node->kind != NODE_SCALAR)
            continue;
        const struct spec_operand *operand =
            find_operand(instruction, node->text, strlen(node->text));
        if (!operand)
            diag_error(spec->diag, &node->at, "'%s' is ignored but is not an operand of '%s'",
                       node->text, instruction->mnemonic);
        else if (operand->mentioned || operand->index_mentioned)
            diag_error(spec->diag, &node->at, "'%s' is ignored but the body names it; remove one",
                       node->text);
    }
}

static void check_body(struct spec *spec, struct spec_instruction *instruction)
{
    const struct spec_code *body = &instruction->semantics;
    const char *what = arena_format(spec->arena, "the body of '%s'", instruction->mnemonic);
    struct scope scope;
    size_t offset = 0;

    scope_init(&scope, spec);
    if (!body->text || !spec_check_code(spec, body, what))
        return;
    for (;;) {
        struct code_token token = spec_next_token(body->text, &offset);
        if (token.kind == CODE_END)
            break;
        if (!scope_follow(&scope, body->text, &token))
            note_name(spec, instruction, &token, what);
        if (is_name(body, &token, "branch"))
            check_branch(spec, instruction, &token);
    }
    check_ignores(spec, instruction);
    spec_check_length(spec, body, what);
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (!operand->mentioned && !operand->index_mentioned &&
            !is_ignored(spec, instruction, operand))
            diag_error(
                spec->diag, &body->node->at,
                "the body of '%s' does not use operand '%s'; use it, or list it in 'ignores'",
                instruction->mnemonic, operand->name);
    }
    for (size_t i = 0; i < instruction->elements.count; i++)
        if (!instruction->elements.names[i].mentioned)
            diag_error(spec->diag, &body->node->at,
                       "the body of '%s' does not use the element type '%s'; use it",
                       instruction->mnemonic, instruction->elements.names[i].name);
}

void spec_check_condition(struct spec *spec, struct spec_instruction *instruction,
                          const struct spec_code *require, const char *what)
{
    size_t offset = 0;
    bool any = false;

    if (!spec_check_code(spec, require,
                         arena_format(spec->arena, "a %s of '%s'", what, instruction->mnemonic)))
        return;
    for (;;) {
        struct code_token token = spec_next_token(require->text, &offset);
        if (token.kind == CODE_END)
            break;
        if (token.kind == CODE_OTHER)
            continue;
        any = true;
        if (!find_operand(instruction, require->text + token.offset, token.length))
            spec_code_error(spec, require, token.offset, token.length,
                            arena_format(spec->arena,
                                         "the %s names '%.*s', which is not an operand of '%s'",
                                         what, (int)token.length, require->text + token.offset,
                                         instruction->mnemonic));
    }
    if (!any)
        diag_error(spec->diag, &require->node->at, "the %s names no operand of '%s'", what,
                   instruction->mnemonic);
}

void spec_check_bodies(struct spec *spec)
{
    const struct node *wrong = NULL; /* the last entry that has mistakes */

    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->broken)
            continue;
        bool is_again = instruction->node == wrong;
        unsigned errors = spec_begin_again(spec, is_again);
        check_body(spec, instruction);
        for (size_t k = 0; k < instruction->constraint_count; k++)
            spec_check_condition(spec, instruction, &instruction->constraints[k].require,
                                 "constraint");
        if (spec_end_again(spec, is_again, errors))
            wrong = instruction->node;
    }
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = SPEC_AT(spec->csrs, i, struct spec_csr);
        if (csr->read.text)
            spec_check_code(spec, &csr->read,
                            arena_format(spec->arena, "'read' of CSR '%s'", csr->name));
        if (csr->write.text)
            spec_check_code(spec, &csr->write,
                            arena_format(spec->arena, "'write' of CSR '%s'", csr->name));
    }
}
