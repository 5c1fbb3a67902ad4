/*
 * The types of arguments and values of accessors and functions.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static const struct {
    const char *name, *c_type;
} types[] = {
    {"u8", "uint8_t"},       {"u16", "uint16_t"},     {"u32", "uint32_t"},
    {"u64", "uint64_t"},     {"s8", "int8_t"},        {"s16", "int16_t"},
    {"s32", "int32_t"},      {"s64", "int64_t"},      {"bool", "bool"},
    {"int", "int"},          {"address", "uint64_t"}, {"element", "enum isa_element_code"},
    {"flags", "unsigned *"}, {"pointer", "void *"},   {"array", "uint64_t *"},
};

/* What has a type that is not known is taken for a number, so that nothing else is said of it. */
static const char number_type[] = "uint64_t";

const char *spec_read_type(struct spec *spec, const struct node *node, const char *what)
{
    const char *text = node_text(&spec->context, node, what);
    struct suggestion near;

    if (!text)
        return number_type;
    suggest_init(&near, text);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(types[i].name, text) == 0)
            return types[i].c_type;
        suggest_add(&near, types[i].name);
    }
    diag_error(spec->diag, &node->at, "unknown type '%s'%s", text,
               node_near(&spec->context, &near,
                         "; expected u8 to u64, s8 to s64, bool, int, address, element, array, "
                         "flags or pointer"));
    return number_type;
}
