/*
 * One entry for many element types: `elements: {T: [f32, f16]}` makes an instruction for each type
 * of the list. T, as a separate word, is replaced by the type. With two names there is an
 * instruction for each pair of different types, in the order of the lists.
 *
 * Words are replaced in the mnemonic and in the texts of the manual. In the encoding T is the code
 * of the type, and in the body it is a constant. Nothing else depends on the type.
 */
#include "isa/isagen/spec.h"

#include "lib/text.h"
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

/* Reads the types of a list. Returns false after an error. */
static bool read_types(struct spec *spec, const struct node *key, const struct node *list,
                       const struct spec_element **types)
{
    unsigned errors = spec->diag->errors;

    if (!node_expect(&spec->context, list, NODE_SEQUENCE, key->text))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        const char *name = node_text(&spec->context, list->items[i], "element type");
        types[i] = name ? map_get(&spec->elements, name) : NULL;
        if (name && !types[i])
            diag_error(spec->diag, &list->items[i]->at, "unknown element type '%s'%s", name,
                       node_suggest(&spec->context, &spec->elements, name));
    }
    return spec->diag->errors == errors;
}

/* Makes all combinations of types for the names, without those that use a type twice. */
static void combine(struct spec *spec, struct spec_choices *choices, const struct node *node,
                    const struct spec_element **types[NAME_LIMIT])
{
    size_t count = 1, chosen[NAME_LIMIT];

    for (size_t i = 0; i < node->count; i++)
        count *= node->items[2 * i + 1]->count;
    choices->items = arena_array(spec->arena, count, sizeof *choices->items);
    for (size_t number = 0; number < count; number++) {
        struct spec_choice choice = {
            .names = arena_array(spec->arena, node->count, sizeof *choice.names),
            .count = node->count};
        for (size_t i = node->count, rest = number; i-- > 0;) {
            chosen[i] = rest % node->items[2 * i + 1]->count;
            rest /= node->items[2 * i + 1]->count;
            choice.names[i] = (struct spec_element_name){.name = node->items[2 * i]->text,
                                                         .element = types[i][chosen[i]]};
        }
        if (choice.count < 2 || choice.names[0].element != choice.names[1].element)
            choices->items[choices->count++] = choice;
    }
}

struct spec_choices spec_read_element_names(struct spec *spec, const struct node *node,
                                            const struct node *operands)
{
    struct spec_choices choices = {0};
    const struct spec_element **types[NAME_LIMIT];
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
        types[i] = arena_array(spec->arena, list->count + 1, sizeof *types[i]);
        if (check_name(spec, key, operands))
            read_types(spec, key, list, types[i]);
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
