/*
 * What the operands of tensor instructions are, which coverage counts them by and traces show:
 * sizes, inputs, outputs, strides, steps and the shape of the result.
 *
 * The element type of an input is a name, or the state of a unit says it: `inputs: {fs: {state:
 * f8_format, types: [e4m3, e5m2]}}`. The value of the state is a place in the list, or without a
 * list the code of a type. State with an index takes it from another operand: from its value, or if
 * this is an input, from its first element. The emulator reads the state after the instruction, so
 * the instruction must not set it.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* Returns the operand of kind register-or-immediate that the node names, or NULL after a
 * diagnostic. `what`: "size". An "input" may also be a group of registers. */
static struct spec_operand *find_tensor_operand(struct spec *spec,
                                                const struct spec_instruction *instruction,
                                                const struct node *node, const char *what)
{
    const char *name = node_text(&spec->context, node, what);
    int index = name ? spec_operand_index(&instruction->operands, name, strlen(name)) : -1;
    struct spec_operand *operand = index < 0 ? NULL : &instruction->operands.items[index];
    bool is_input = strcmp(what, "input") == 0;

    if (!name)
        return NULL;
    if (operand && (operand->type->kind == ISA_REGISTER_OR_IMMEDIATE ||
                    (is_input && operand->type->kind == ISA_REGISTER_GROUP)))
        return operand;
    if (!operand)
        diag_error(spec->diag, &node->at,
                   "the %s '%s' is not an operand of '%s'; expected the name of one", what, name,
                   instruction->mnemonic);
    else
        diag_error(spec->diag, &node->at,
                   "the %s '%s' is of type '%s'; expected a type of kind register-or-immediate%s",
                   what, name, operand->type->name, is_input ? " or register-group" : "");
    return NULL;
}

/* Reads the list of the operands whose values are sizes. */
static void read_sizes(struct spec *spec, struct spec_instruction *instruction,
                       const struct node *node)
{
    if (!node || instruction->broken || !node_expect(&spec->context, node, NODE_SEQUENCE, "sizes"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        struct spec_operand *operand =
            find_tensor_operand(spec, instruction, node->items[i], "size");
        if (operand)
            instruction->sizes |= 1u << (operand - instruction->operands.items);
    }
}

/* Gives the operand a role. An operand has only one use that coverage counts. */
static bool set_role(struct spec *spec, const struct spec_instruction *instruction,
                     struct spec_operand *operand, enum isa_role role, const struct node *node)
{
    bool is_size = instruction->sizes >> (operand - instruction->operands.items) & 1;

    if (operand->role || is_size) {
        diag_error(
            spec->diag, &node->at,
            "'%s' is named twice; expected it in one of sizes, inputs, outputs, strides and steps",
            operand->name);
        return false;
    }
    operand->role = role;
    return true;
}

/* Reads the type of an input that the state of a unit says. */
static void read_state_type(struct spec *spec, struct spec_operand *operand,
                            const struct node *node)
{
    static const char *const keys[] = {"state!", "index", "types", NULL};
    struct node_context *context = &spec->context;
    const char *what = arena_format(spec->arena, "the type of the input '%s'", operand->name);

    if (!node_check_keys(context, node, what, keys))
        return;
    const struct node *state = node_get(node, "state"), *types = node_get(node, "types");
    const char *name = node_text(context, state, "state");
    struct spec_input_type *type = arena_new(spec->arena, struct spec_input_type);
    type->node = node;
    type->state = name ? map_get(&spec->states, name) : NULL;
    if (name && !type->state)
        diag_error(spec->diag, &state->at, "'%s' is not state of a unit%s", name,
                   node_suggest(context, &spec->states, name));
    if (types)
        type->types = spec_read_element_list(spec, "types", types, &type->count);
    if (types && types->kind == NODE_SEQUENCE && types->count == 0)
        diag_error(spec->diag, &types->at,
                   "the list of types is empty; expected the type of each value of the state");
    operand->by_state = type;
}

/* Reads the type of the elements of an input: a name, `any`, or a mapping for one by state. */
static void read_input_type(struct spec *spec, const struct spec_instruction *instruction,
                            struct spec_operand *operand, const struct node *node)
{
    if (node->kind == NODE_MAPPING) {
        read_state_type(spec, operand, node);
        return;
    }
    const char *name =
        spec_name_elements(spec, &instruction->elements, node_text(&spec->context, node, "inputs"));
    if (!name || strcmp(name, "any") == 0)
        return;
    operand->element = name;
    if (!map_get(&spec->elements, name))
        diag_error(spec->diag, &node->at, "unknown element type '%s'%s", name,
                   node_suggest(&spec->context, &spec->elements, name));
}

/* Reads which operands are addresses of elements that the instruction reads, and their types. */
static void read_inputs(struct spec *spec, struct spec_instruction *instruction,
                        const struct node *node)
{
    if (!node || instruction->broken || !node_expect(&spec->context, node, NODE_MAPPING, "inputs"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i], *value = node->items[2 * i + 1];
        struct spec_operand *operand = find_tensor_operand(spec, instruction, key, "input");
        if (operand && set_role(spec, instruction, operand, ISA_ROLE_INPUT, key))
            read_input_type(spec, instruction, operand, value);
    }
}

/* Reads which operands are distances that a walk advances by, or where it begins and ends. */
static void read_steps(struct spec *spec, struct spec_instruction *instruction,
                       const struct node *node)
{
    if (!node || instruction->broken || !node_expect(&spec->context, node, NODE_SEQUENCE, "steps"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        struct spec_operand *operand =
            find_tensor_operand(spec, instruction, node->items[i], "step");
        if (operand)
            set_role(spec, instruction, operand, ISA_ROLE_STEP, node->items[i]);
    }
}

static void read_outputs(struct spec *spec, struct spec_instruction *instruction,
                         const struct node *node)
{
    if (!node || instruction->broken ||
        !node_expect(&spec->context, node, NODE_SEQUENCE, "outputs"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        struct spec_operand *operand =
            find_tensor_operand(spec, instruction, node->items[i], "output");
        if (operand)
            set_role(spec, instruction, operand, ISA_ROLE_OUTPUT, node->items[i]);
    }
}

/* Reads which operands are distances of rows, and the operands with the bytes of a row. */
static void read_strides(struct spec *spec, struct spec_instruction *instruction,
                         const struct node *node)
{
    if (!node || instruction->broken || !node_expect(&spec->context, node, NODE_MAPPING, "strides"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i], *value = node->items[2 * i + 1];
        struct spec_operand *operand = find_tensor_operand(spec, instruction, key, "stride");
        const struct spec_operand *row = find_tensor_operand(spec, instruction, value, "row");
        if (operand && row && set_role(spec, instruction, operand, ISA_ROLE_STRIDE, key))
            operand->row = (unsigned)(row - instruction->operands.items);
    }
}

/* Reads the operands that are the dimensions of what the instruction writes. */
static void read_shape(struct spec *spec, struct spec_instruction *instruction,
                       const struct node *node)
{
    if (!node || instruction->broken || !node_expect(&spec->context, node, NODE_SEQUENCE, "shape"))
        return;
    if (node->count == 0 || node->count > ISA_SHAPE_LIMIT) {
        diag_error(spec->diag, &node->at, "found a shape of %zu dimensions, expected 1 to %d",
                   node->count, ISA_SHAPE_LIMIT);
        return;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct spec_operand *operand =
            find_tensor_operand(spec, instruction, node->items[i], "size");
        if (operand)
            instruction->shape[instruction->shape_count++] =
                (unsigned)(operand - instruction->operands.items);
    }
}

/* ---- types by state ---- */

/* Does code of the description set the state? */
static bool code_sets(const struct spec_code *code, const char *state)
{
    static const char setter[] = "set";
    size_t offset = 0;

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return false;
        if (token.kind != CODE_NAME || token.length != sizeof setter - 1 ||
            memcmp(code->text + token.offset, setter, token.length) != 0)
            continue;
        size_t after = offset;
        spec_next_token(code->text, &after);
        token = spec_next_token(code->text, &after);
        if (token.length == strlen(state) &&
            memcmp(code->text + token.offset, state, token.length) == 0)
            return true;
    }
}

static void check_unchanged(struct spec *spec, const struct spec_instruction *instruction,
                            const struct spec_operand *operand)
{
    const char *state = operand->by_state->state->name;
    const struct spec_used used = spec_used_functions(spec, &instruction->semantics);
    bool is_set = code_sets(&instruction->semantics, state);

    for (size_t i = 0; i < used.count; i++)
        is_set |= code_sets(&used.items[i]->semantics, state);
    if (is_set)
        diag_error(spec->diag, &node_get(operand->by_state->node, "state")->at,
                   "'%s' sets '%s'; expected state that is the same after the instruction, as the "
                   "type of '%s' is read then",
                   instruction->mnemonic, state, operand->name);
}

/* Is the type one of numbers that are not integers? NULL: it is not. */
static bool is_not_integer(const struct spec_element *type)
{
    return type && (type->exponent || type->part_name);
}

/* Checks that the values of the state are numbers of types. */
static void check_state_type(struct spec *spec, const struct spec_operand *operand)
{
    const struct spec_state *state = operand->by_state->state;

    if (is_not_integer(map_get(&spec->elements, state->type)))
        diag_error(spec->diag, &node_get(operand->by_state->node, "state")->at,
                   "'%s' is of type '%s', so its value is not the number of a type; expected state "
                   "of a type of integers",
                   state->name, state->type);
}

/* Checks the type of an operand that is an index if it is an input. */
static void check_index_type(struct spec *spec, const struct spec_operand *index,
                             const struct node *node)
{
    const struct spec_element *type =
        index->element ? map_get(&spec->elements, index->element) : NULL;

    if (index->role == ISA_ROLE_INPUT && !index->element)
        diag_error(spec->diag, &node->at,
                   "the index '%s' is an input without one type of elements; expected a value, or "
                   "an input whose first element is the index",
                   index->name);
    else if (is_not_integer(type))
        diag_error(spec->diag, &node->at,
                   "the index '%s' is an input of type '%s'; expected a type of integers",
                   index->name, type->name);
}

/* Finds the operand that is the index of the state. */
static void check_index(struct spec *spec, const struct spec_instruction *instruction,
                        struct spec_operand *operand)
{
    static const char *const counts[] = {"no index", "one index", "two indices"};
    struct spec_input_type *type = operand->by_state;
    const struct node *node = node_get(type->node, "index");
    const char *name = node_text(&spec->context, node, "index");

    type->index = -1;
    if (type->state->index_count != (node != NULL)) {
        diag_error(spec->diag, &(node ? node : type->node)->at,
                   "'%s' has %s, and the type of '%s' %s; expected state with one index and "
                   "'index', or with none",
                   type->state->name, counts[type->state->index_count], operand->name,
                   node ? "one" : "none");
        return;
    }
    const struct spec_operand *index =
        name ? find_tensor_operand(spec, instruction, node, "index") : NULL;
    if (!index)
        return;
    check_index_type(spec, index, node);
    type->index = (int)(index - instruction->operands.items);
}

static void check_input_types(struct spec *spec, const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++) {
        struct spec_operand *operand = &instruction->operands.items[i];
        if (!operand->by_state || !operand->by_state->state)
            continue;
        check_state_type(spec, operand);
        check_index(spec, instruction, operand);
        if (instruction->semantics.text)
            check_unchanged(spec, instruction, operand);
    }
}

void spec_read_roles(struct spec *spec, struct spec_instruction *instruction)
{
    const struct node *node = instruction->node;

    read_sizes(spec, instruction, node_get(node, "sizes"));
    read_shape(spec, instruction, node_get(node, "shape"));
    read_inputs(spec, instruction, node_get(node, "inputs"));
    read_outputs(spec, instruction, node_get(node, "outputs"));
    read_strides(spec, instruction, node_get(node, "strides"));
    read_steps(spec, instruction, node_get(node, "steps"));
    check_input_types(spec, instruction);
}
