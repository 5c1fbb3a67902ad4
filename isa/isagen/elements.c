/*
 * The section `elements`: the types of numbers that tensors, data directives and --print have.
 *
 * A float has a sign, an exponent and a fraction, in this order. Three keys say which numbers its
 * encodings are: the bias, whether there are infinities, and which encodings are NaNs. As encodings
 * of positive numbers are ordered like integers, everything else follows from the largest finite
 * one (spec_float_layout).
 *
 * A pair is a complex number: two numbers of another type, one after the other in memory.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* A set of numbers that a float may have to fit: significant bits after the first, the exponent of
 * the largest number, and that of the smallest. */
struct range {
    const char *name;
    int64_t fraction, greatest, least;
};

/* The type in which constants are parsed and printed, and that in which tensor units calculate. */
static const struct range binary64 = {"binary64", 52, 1023, -1074};
static const struct range binary32 = {"binary32", 23, 127, -149};

struct spec_float_layout spec_float_layout(const struct spec_element *element)
{
    uint64_t last = (UINT64_C(1) << (element->bits - 1)) - 1;
    uint64_t exponents = last >> element->fraction << element->fraction;
    struct spec_float_layout layout = {.largest = last, .infinity = last, .quiet_nan = last};

    if (element->nan == SPEC_NAN_LAST)
        layout.largest = last - 1;
    if (element->nan == SPEC_NAN_IEEE) {
        layout.largest = exponents - 1;
        layout.infinity = exponents;
        layout.quiet_bit = UINT64_C(1) << (element->fraction - 1);
        layout.quiet_nan = exponents | layout.quiet_bit;
    }
    return layout;
}

static bool fits(const struct spec_element *element, const struct range *range)
{
    struct spec_float_layout layout = spec_float_layout(element);
    int64_t greatest = (int64_t)(layout.largest >> element->fraction) - element->bias;
    int64_t least = 1 - element->bias - (int64_t)element->fraction;

    return (int64_t)element->fraction <= range->fraction && greatest <= range->greatest &&
           least >= range->least;
}

/* ---- keys ---- */

static void read_bias(struct spec *spec, const struct node *node, struct spec_element *element)
{
    const char *text = node_text(&spec->context, node, "bias");

    element->bias = ((int64_t)1 << (element->exponent - 1)) - 1;
    if (text && !node_parse_integer(text, &element->bias))
        diag_error(spec->diag, &node->at, "bias is '%s'; expected an integer", text);
}

/* Reads `infinity` and `nan`, which depend on each other. */
static void read_special(struct spec *spec, const struct node *node, struct spec_element *element)
{
    static const char *const names[] = {
        [SPEC_NAN_IEEE] = "ieee", [SPEC_NAN_LAST] = "last", [SPEC_NAN_NONE] = "none"};
    const struct node *place = node_get(node, "nan");
    const char *text = node_text(&spec->context, place, "nan");
    bool infinity = node_bool(&spec->context, node_get(node, "infinity"), "infinity", true);
    size_t i = infinity ? SPEC_NAN_IEEE : SPEC_NAN_LAST;

    for (size_t k = 0; text && k <= SPEC_NAN_NONE; k++)
        if (strcmp(text, names[k]) == 0)
            i = k;
    if (text && strcmp(text, names[i]) != 0)
        diag_error(spec->diag, &place->at, "nan is '%s'; expected ieee, last or none", text);
    else if (infinity != (i == SPEC_NAN_IEEE))
        diag_error(spec->diag, &place->at, "nan is '%s' %s infinity; expected %s", text,
                   infinity ? "with" : "without", infinity ? "ieee" : "last or none");
    else if (infinity && (element->fraction < 1 || element->exponent < 2))
        diag_error(spec->diag, &node->at,
                   "a type with infinity has at least 2 bits of exponent and 1 of fraction; "
                   "otherwise write 'infinity: false'");
    else
        element->nan = (enum spec_nan)i;
}

static void read_print(struct spec *spec, const struct node *node, struct spec_element *element)
{
    static const char *const names[] = {
        [ISA_PRINT_VALUE] = "value", [ISA_PRINT_BITS] = "hex", [ISA_PRINT_HEXFLOAT] = "hexfloat"};
    const char *text = node_text(&spec->context, node, "print");

    for (size_t i = 0; i <= ISA_PRINT_HEXFLOAT; i++)
        if (text && strcmp(text, names[i]) == 0) {
            element->print = (enum isa_print)i;
            if (i == ISA_PRINT_HEXFLOAT && !element->exponent && !element->part_name)
                diag_error(spec->diag, &node->at, "print is 'hexfloat', which is for floats");
            return;
        }
    if (text)
        diag_error(spec->diag, &node->at, "print is '%s'; expected value, hex or hexfloat", text);
}

static void add_directive(struct spec *spec, const struct node *node, struct spec_element *element,
                          bool block)
{
    const char *name = node_text(&spec->context, node, "directive");

    if (!name)
        return;
    if (*name != '.' || !node_is_name(name + 1, true)) {
        diag_error(spec->diag, &node->at,
                   "'%s' is not a name of a directive; expected '.' and letters, digits and '_'",
                   name);
        return;
    }
    const struct spec_element *first = map_get(&spec->element_directives, name);
    if (first) {
        diag_error(spec->diag, &node->at,
                   "'%s' is the directive of element type '%s'; choose another", name, first->name);
        return;
    }
    map_set(&spec->element_directives, name, element);
    element->directives[element->directive_count++] =
        (struct spec_directive){.name = name, .block = block};
}

/* Reads `directive` and `block`, each a name or a list of names. */
static void read_directives(struct spec *spec, const struct node *node,
                            struct spec_element *element)
{
    const struct node *lists[] = {node_get(node, "directive"), node_get(node, "block")};
    size_t count = 0;

    for (int i = 0; i < 2; i++)
        count += lists[i] ? lists[i]->count + 1 : 0;
    element->directives = arena_array(spec->arena, count + 1, sizeof *element->directives);
    for (int i = 0; i < 2; i++) {
        if (!lists[i] || lists[i]->kind != NODE_SEQUENCE) {
            add_directive(spec, lists[i], element, i);
            continue;
        }
        for (size_t k = 0; k < lists[i]->count; k++)
            add_directive(spec, lists[i]->items[k], element, i);
    }
}

/* ---- types ---- */

static void read_float(struct spec *spec, const struct node *node, struct spec_element *element,
                       const char *what)
{
    unsigned errors = spec->diag->errors;

    if (element->bits != 1 + element->exponent + element->fraction)
        diag_error(spec->diag, &node->at, "%s has %llu bits; sign, exponent and fraction make %llu",
                   what, (unsigned long long)element->bits,
                   (unsigned long long)(1 + element->exponent + element->fraction));
    if (node_get(node, "signed"))
        diag_error(spec->diag, &node_get(node, "signed")->at,
                   "'signed' is for integers; a float has a sign");
    read_bias(spec, node_get(node, "bias"), element);
    read_special(spec, node, element);
    if (spec->diag->errors != errors)
        return;
    const struct range *range = element->has_code ? &binary32 : &binary64;
    if (!fits(element, range))
        diag_error(spec->diag, &node->at,
                   "%s has numbers that %s does not; expected exponents from %lld to %lld and a "
                   "fraction of up to %lld bits%s",
                   what, range->name, (long long)range->least, (long long)range->greatest,
                   (long long)range->fraction, element->has_code ? ", or no 'code'" : "");
}

static void read_integer(struct spec *spec, const struct node *node, struct spec_element *element)
{
    static const char *const of_floats[] = {"fraction", "bias", "infinity", "nan"};

    for (size_t i = 0; i < sizeof of_floats / sizeof *of_floats; i++) {
        const struct node *key = node_get(node, of_floats[i]);
        if (key && (i || element->fraction))
            diag_error(spec->diag, &key->at, "'%s' is for floats; expected an 'exponent', too",
                       of_floats[i]);
    }
    element->is_signed = node_bool(&spec->context, node_get(node, "signed"), "signed", true);
}

static void read_code(struct spec *spec, const struct node *node, struct spec_element *element,
                      const char *what)
{
    element->has_code = node_unsigned(&spec->context, node_get(node, "code"), "code",
                                      SPEC_CODE_LIMIT - 1, &element->code);
    for (size_t k = 0; element->has_code && k < spec->elements.count; k++) {
        const struct spec_element *other = SPEC_AT(spec->elements, k, struct spec_element);
        if (!other->has_code || other->code != element->code)
            continue;
        diag_error(spec->diag, &node->at, "%s has the code of '%s'; codes must differ", what,
                   other->name);
        element->has_code = false;
    }
}

/* Reads a type that is one number. */
static void read_number(struct spec *spec, const struct node *node, struct spec_element *element,
                        const char *what)
{
    unsigned errors = spec->diag->errors;

    node_unsigned(&spec->context, node_get(node, "bits"), "bits", 64, &element->bits);
    if (!node_get(node, "bits"))
        diag_error(spec->diag, &node->at, "%s has no key 'bits'; expected it, or a 'pair'", what);
    else if (element->bits == 0)
        diag_error(spec->diag, &node_get(node, "bits")->at, "%s has no bits; expected 1 to 64",
                   what);
    node_unsigned(&spec->context, node_get(node, "exponent"), "exponent", 11, &element->exponent);
    node_unsigned(&spec->context, node_get(node, "fraction"), "fraction", 52, &element->fraction);
    if (spec->diag->errors != errors)
        return;
    read_code(spec, node, element, what);
    if (element->exponent)
        read_float(spec, node, element, what);
    else
        read_integer(spec, node, element);
}

/* Reads a type that is a pair of numbers, whose type is found later. */
static void read_pair(struct spec *spec, const struct node *node, struct spec_element *element)
{
    static const char *const of_numbers[] = {"bits",     "exponent", "fraction", "bias",
                                             "infinity", "nan",      "signed"};

    element->part_name = node_get(node, "pair");
    for (size_t i = 0; i < sizeof of_numbers / sizeof *of_numbers; i++) {
        const struct node *key = node_get(node, of_numbers[i]);
        if (key)
            diag_error(spec->diag, &key->at,
                       "'%s' is for numbers; a pair has it from the type of its numbers, '%s'",
                       of_numbers[i], element->part_name->text);
    }
    if (node_get(node, "code"))
        diag_error(spec->diag, &node_get(node, "code")->at,
                   "'code' is for numbers, with which the tensor units calculate; '%s' is a pair",
                   element->name);
}

static void resolve_pair(struct spec *spec, struct spec_element *element)
{
    const struct node *place = element->part_name;
    const char *name = node_text(&spec->context, place, "pair");
    const struct spec_element *part = name ? map_get(&spec->elements, name) : NULL;

    if (!name)
        return;
    if (!part)
        diag_error(spec->diag, &place->at, "unknown element type '%s'%s", name,
                   node_suggest(&spec->context, &spec->elements, name));
    else if (part->part_name)
        diag_error(spec->diag, &place->at, "'%s' is a pair; expected the type of a number", name);
    else if (part->bits > SPEC_PART_BITS)
        diag_error(spec->diag, &place->at,
                   "'%s' has %llu bits; expected at most %d, so that a pair has at most 64", name,
                   (unsigned long long)part->bits, SPEC_PART_BITS);
    else if (element->print == ISA_PRINT_HEXFLOAT && !part->exponent)
        diag_error(spec->diag, &element->at,
                   "print is 'hexfloat', which is for floats and pairs of them");
    else {
        element->part = part;
        element->bits = 2 * 8 * spec_element_bytes(part);
    }
}

void spec_resolve_pairs(struct spec *spec)
{
    for (size_t i = 0; i < spec->elements.count; i++) {
        struct spec_element *element = SPEC_AT(spec->elements, i, struct spec_element);
        if (element->part_name)
            resolve_pair(spec, element);
    }
}

unsigned spec_element_bytes(const struct spec_element *element)
{
    unsigned bytes = 1;

    while (8 * bytes < element->bits)
        bytes *= 2;
    return bytes;
}

void spec_read_elements(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"bits",  "exponent", "fraction", "bias", "infinity",
                                       "nan",   "code",     "signed",   "pair", "directive",
                                       "block", "print",    "summary!", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "element type '%s'", key->text);
        if (!spec_declare(spec, &spec->elements, key, "element type", NULL) ||
            !node_check_keys(&spec->context, node, what, keys))
            continue;
        if (strcmp(key->text, SPEC_FLOATS) == 0) {
            diag_error(spec->diag, &key->at, "'%s' is the list of all floats; choose another name",
                       key->text);
            continue;
        }
        struct spec_element *element = arena_new(spec->arena, struct spec_element);
        element->name = key->text;
        element->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        element->at = key->at;
        unsigned errors = spec->diag->errors;
        if (node_get(node, "pair"))
            read_pair(spec, node, element);
        else
            read_number(spec, node, element, what);
        if (spec->diag->errors != errors && !element->bits && !element->part_name)
            continue;
        read_print(spec, node_get(node, "print"), element);
        read_directives(spec, node, element);
        map_set(&spec->elements, element->name, element);
    }
}
