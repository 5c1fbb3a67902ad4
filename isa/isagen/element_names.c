/*
 * One entry for many element types: `elements: {T: [f32, f16]}` makes an instruction for each type
 * of the list. T, as a separate word, is replaced by the type. With two names there is an
 * instruction for each pair of different types, in the order of the lists. `floats` in a list is
 * every float that has a code, also one of a file outside the tree.
 *
 * Words are replaced in the mnemonic and in the texts of the manual. In the encoding T is the code
 * of the type, and in the body it is a constant. Nothing else depends on the type.
 */
#include "isa/isagen/spec.h"

#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

/* for example T and S */
enum { NAME_LIMIT = 2 };

static bool check_name(struct spec *spec, const struct node *key, const struct node *operands)
{
    const char *taken = NULL;

    if (!node_is_name(key->text, false))
        taken = "not a C name";
    else if (spec_is_body_word(spec, key->text))
        taken = "a word of bodies";
    else if (map_get(&spec->constants, key->text))
        taken = "a constant";
    else if (operands && operands->kind == NODE_MAPPING && node_get(operands, key->text))
        taken = "an operand of the instruction";
    if (taken)
        diag_error(spec->diag, &key->at,
                   "'%s' cannot stand for an element type: it is %s; choose another name",
                   key->text, taken);
    return !taken;
}

/* The types of a list. */
struct types {
    const struct spec_element **items;
    size_t count;
};

static int by_code(const void *left, const void *right)
{
    const struct spec_element *a = *(const struct spec_element *const *)left;
    const struct spec_element *b = *(const struct spec_element *const *)right;

    return a->code < b->code ? -1 : a->code > b->code;
}

/* Adds all floats that have a code, in the order of their codes. */
static void add_floats(const struct spec *spec, struct types *types)
{
    size_t first = types->count;

    for (size_t i = 0; i < spec->elements.count; i++) {
        const struct spec_element *element = SPEC_AT(spec->elements, i, struct spec_element);
        if (element->exponent && element->has_code)
            types->items[types->count++] = element;
    }
    qsort(types->items + first, types->count - first, sizeof *types->items, by_code);
}

static void add_type(struct spec *spec, const struct node *node, struct types *types)
{
    const char *name = node_text(&spec->context, node, "element type");

    if (!name)
        return;
    if (strcmp(name, SPEC_FLOATS) == 0) {
        add_floats(spec, types);
        return;
    }
    const struct spec_element *element = map_get(&spec->elements, name);
    if (!element)
        diag_error(spec->diag, &node->at, "unknown element type '%s'%s", name,
                   node_suggest(&spec->context, &spec->elements, name));
    else if (element->part_name)
        diag_error(spec->diag, &node->at,
                   "the element type '%s' is a pair; expected types of numbers", name);
    else if (!element->has_code)
        diag_error(spec->diag, &node->at,
                   "the element type '%s' has no code, which instructions need; give it one", name);
    types->items[types->count++] = element;
}

/* Reports a type that a list has twice, by name or as one of the floats. */
static void check_twice(struct spec *spec, const struct node *list, const struct types *types)
{
    for (size_t i = 0; i < types->count; i++)
        for (size_t k = 0; k < i; k++)
            if (types->items[i] == types->items[k]) {
                diag_error(spec->diag, &list->at, "element type '%s' is twice in the list",
                           types->items[i]->name);
                return;
            }
}

/* Reads the types of a list. */
static void read_types(struct spec *spec, const char *what, const struct node *list,
                       struct types *types)
{
    unsigned errors = spec->diag->errors;

    if (!node_expect(&spec->context, list, NODE_SEQUENCE, what))
        return;
    types->items = arena_array(spec->arena, list->count * (spec->elements.count + 1) + 1,
                               sizeof *types->items);
    for (size_t i = 0; i < list->count; i++)
        add_type(spec, list->items[i], types);
    if (spec->diag->errors == errors)
        check_twice(spec, list, types);
}

const struct spec_element **spec_read_element_list(struct spec *spec, const char *what,
                                                   const struct node *node, size_t *count)
{
    struct types types = {0};
    unsigned errors = spec->diag->errors;

    read_types(spec, what, node, &types);
    *count = spec->diag->errors == errors ? types.count : 0;
    return types.items;
}

void spec_sort_elements(const struct spec_element **items, size_t count)
{
    qsort(items, count, sizeof *items, by_code);
}

/* Makes all combinations of types for the names, without those that use a type twice. */
static void combine(struct spec *spec, struct spec_choices *choices, const struct node *node,
                    const struct types types[NAME_LIMIT])
{
    size_t count = 1, chosen[NAME_LIMIT];

    for (size_t i = 0; i < node->count; i++)
        count *= types[i].count;
    choices->items = arena_array(spec->arena, count, sizeof *choices->items);
    for (size_t number = 0; number < count; number++) {
        struct spec_choice choice = {
            .names = arena_array(spec->arena, node->count, sizeof *choice.names),
            .count = node->count};
        for (size_t i = node->count, rest = number; i-- > 0;) {
            chosen[i] = rest % types[i].count;
            rest /= types[i].count;
            choice.names[i] = (struct spec_element_name){.name = node->items[2 * i]->text,
                                                         .element = types[i].items[chosen[i]]};
        }
        if (choice.count < 2 || choice.names[0].element != choice.names[1].element)
            choices->items[choices->count++] = choice;
    }
}

struct spec_choices spec_read_element_names(struct spec *spec, const struct node *node,
                                            const struct node *operands)
{
    struct spec_choices choices = {0};
    struct types types[NAME_LIMIT] = {{0}};
    unsigned errors = spec->diag->errors;

    if (!node_expect(&spec->context, node, NODE_MAPPING, "elements"))
        return choices;
    if (node->count > NAME_LIMIT) {
        diag_error(spec->diag, &node->items[2 * NAME_LIMIT]->at,
                   "%zu names for element types; expected at most %d", node->count, NAME_LIMIT);
        return choices;
    }
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i], *list = node->items[2 * i + 1];
        if (check_name(spec, key, operands))
            read_types(spec, key->text, list, &types[i]);
    }
    if (spec->diag->errors != errors)
        return choices;
    combine(spec, &choices, node, types);
    if (!choices.count)
        diag_error(spec->diag, &node->at,
                   "no choice of element types is possible; list more types");
    return choices;
}

struct spec_element_name *spec_find_element_name(const struct spec_choice *choice, const char *name,
                                                 size_t length)
{
    for (size_t i = 0; i < choice->count; i++)
        if (strlen(choice->names[i].name) == length &&
            memcmp(choice->names[i].name, name, length) == 0)
            return &choice->names[i];
    return NULL;
}

const char *spec_name_elements(struct spec *spec, const struct spec_choice *choice,
                               const char *string)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    if (!string || !choice->count)
        return string;
    struct text text = TEXT_INIT;
    while (*string) {
        size_t other = strcspn(string, word), length = strspn(string + other, word);
        const struct spec_element_name *name =
            spec_find_element_name(choice, string + other, length);
        text_format(&text, "%.*s", (int)other, string);
        if (name)
            text_append(&text, name->element->name);
        else
            text_format(&text, "%.*s", (int)length, string + other);
        string += other + length;
    }
    const char *copy = arena_string(spec->arena, text.bytes ? text.bytes : "");
    text_free(&text);
    return copy;
}
