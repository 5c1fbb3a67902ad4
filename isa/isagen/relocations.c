/*
 * The `relocations` section: what each relocation type of the psABI computes, and which field or
 * data it patches.
 */
#include "isa/isagen/spec.h"

#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    enum isa_value value;
} values[] = {
    {"none", ISA_VALUE_NONE},
    {"S + A", ISA_VALUE_S_A},
    {"S + A - P", ISA_VALUE_S_A_P},
    {"hi(S + A)", ISA_VALUE_HI_S_A},
    {"hi(S + A - P)", ISA_VALUE_HI_S_A_P},
    {"lo(S + A)", ISA_VALUE_LO_S_A},
    {"lo(pcrel)", ISA_VALUE_LO_PCREL},
    {"pair(S + A - P)", ISA_VALUE_PAIR_S_A_P},
    {"V + S + A", ISA_VALUE_ADD},
    {"V - S - A", ISA_VALUE_SUB},
    {"hi(G + A - P)", ISA_VALUE_HI_GOT_P},
    {"hi(S + A - TP)", ISA_VALUE_HI_TPREL},
    {"lo(S + A - TP)", ISA_VALUE_LO_TPREL},
    {"TPREL_ADD", ISA_VALUE_TPREL_ADD},
    {"align", ISA_VALUE_ALIGN},
    {"relax", ISA_VALUE_RELAX},
    {"dynamic", ISA_VALUE_DYNAMIC},
    {"resolve", ISA_VALUE_RESOLVE},
    {"B + A", ISA_VALUE_REBASE},
    {"G + A - P", ISA_VALUE_GOT_P},
    {"hi(GIE + A - P)", ISA_VALUE_HI_GOT_TPREL_P},
    {"hi(GGD + A - P)", ISA_VALUE_HI_GOT_DTPREL_P},
    {"S + A - DTP", ISA_VALUE_DTPREL},
    {"relaxed", ISA_VALUE_RELAXED},
};

static void read_value(struct spec *spec, struct spec_relocation *relocation,
                       const struct node *node)
{
    struct text list = TEXT_INIT;
    const char *text = node_text(&spec->context, node, "value");

    if (!text)
        return;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        text_format(&list, "%s'%s'", i ? ", " : "", values[i].text);
        if (strcmp(values[i].text, text) == 0) {
            relocation->value = values[i].value;
            text_free(&list);
            return;
        }
    }
    diag_error(spec->diag, &node->at, "unknown relocation value '%s'; expected one of %s", text,
               list.bytes);
    text_free(&list);
}

/* Parses FORMAT.field. Returns NULL after an error. */
static const struct spec_field *read_field(struct spec *spec, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "patches");

    if (!text)
        return NULL;
    size_t length = strcspn(text, ".");
    if (!text[length]) {
        diag_error(spec->diag, &node->at,
                   "patches is '%s'; expected FORMAT.field, data6, data8, data16, data32, data64, "
                   "uleb128 or none",
                   text);
        return NULL;
    }
    const char *format = arena_copy(spec->arena, text, length), *name = text + length + 1;
    const struct spec_layout *layout = map_get(&spec->layouts, format);
    if (!layout) {
        diag_error(spec->diag, &node->at, "unknown format '%s'%s", format,
                   node_suggest(&spec->context, &spec->layouts, format));
        return NULL;
    }
    const struct spec_field *field = spec_find_field(layout, name);
    if (!field)
        spec_report_no_field(spec, layout, node, name);
    return field;
}

static bool read_data_place(struct spec_relocation *relocation, const char *text)
{
    static const unsigned widths[] = {6, 8, 16, 32, 64};
    uint64_t width;

    if (strncmp(text, "data", 4) || !node_parse_unsigned(text + 4, &width))
        return false;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (widths[i] == width) {
            relocation->place = ISA_PLACE_DATA;
            relocation->data_bits = widths[i];
            return true;
        }
    }
    return false;
}

static void read_place(struct spec *spec, struct spec_relocation *relocation,
                       const struct node *node)
{
    if (node->kind == NODE_SEQUENCE && node->count == 2) {
        relocation->place = ISA_PLACE_PAIR;
        relocation->field = read_field(spec, node->items[0]);
        relocation->second = read_field(spec, node->items[1]);
        return;
    }
    if (!node_text(&spec->context, node, "patches"))
        return;
    if (strcmp(node->text, "none") == 0) {
        relocation->place = ISA_PLACE_NONE;
    } else if (strcmp(node->text, "uleb128") == 0) {
        relocation->place = ISA_PLACE_ULEB128;
    } else if (!read_data_place(relocation, node->text)) {
        relocation->place = ISA_PLACE_FIELD;
        relocation->field = read_field(spec, node);
    }
}

/* Reads `base` and `pointer`: relaxation may delete the high part and use a register that already
 * points nearby. */
static void read_base(struct spec *spec, struct spec_relocation *relocation,
                      const struct node *base, const struct node *pointer)
{
    relocation->pointer = -1;
    if (base)
        relocation->base = read_field(spec, base);
    const char *name = pointer ? node_text(&spec->context, pointer, "pointer") : NULL;
    if (!name)
        return;
    for (size_t i = 0; i < spec->register_files.count && relocation->pointer < 0; i++) {
        const struct spec_register_file *file =
            SPEC_AT(spec->register_files, i, struct spec_register_file);
        if (file->zero)
            relocation->pointer = spec_register_number(file, name);
    }
    if (relocation->pointer < 0)
        diag_error(spec->diag, &pointer->at,
                   "pointer is '%s'; expected a register of the file that has a zero register",
                   name);
    else if (!base)
        diag_error(spec->diag, &pointer->at,
                   "'pointer' needs 'base'; add the field that holds the register");
}

/* Checks that %operator(x) in an operand leads to only one relocation. */
static void check_operator(struct spec *spec, const struct spec_relocation *relocation)
{
    for (size_t i = 0; i < spec->relocations.count; i++) {
        const struct spec_relocation *other = SPEC_AT(spec->relocations, i, struct spec_relocation);
        if (relocation->operator_name && other->operator_name &&
            relocation->field == other->field &&
            strcmp(relocation->operator_name, other->operator_name) == 0) {
            diag_error(spec->diag, &relocation->at,
                       "%%%s and the same field lead to %s and to %s; expected one of them",
                       relocation->operator_name, other->name, relocation->name);
            diag_note(spec->diag, &other->at, "the other one is here");
        }
    }
}

void spec_read_relocations(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"number!",   "patches!", "value!",  "summary!", "operator",
                                       "relaxable", "base",     "pointer", "relaxed",  NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "relocation '%s'", key->text);
        struct spec_relocation *relocation = map_get(&spec->relocations, key->text);
        if (relocation) {
            diag_error(spec->diag, &key->at, "a second relocation '%s'; rename or remove one",
                       key->text);
            diag_note(spec->diag, &relocation->at, "first here");
            continue;
        }
        if (!node_check_keys(&spec->context, node, what, keys))
            continue;
        relocation = arena_new(spec->arena, struct spec_relocation);
        relocation->name = key->text;
        relocation->at = key->at;
        relocation->node = node;
        relocation->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        relocation->operator_name =
            node_text(&spec->context, node_get(node, "operator"), "operator");
        if (relocation->operator_name && !node_is_name(relocation->operator_name, false))
            diag_error(spec->diag, &node_get(node, "operator")->at,
                       "operator is '%s'; expected letters, digits and '_', without '%%'",
                       relocation->operator_name);
        node_unsigned(&spec->context, node_get(node, "number"), "number", 255, &relocation->number);
        relocation->relaxable =
            node_bool(&spec->context, node_get(node, "relaxable"), "relaxable", false);
        read_value(spec, relocation, node_get(node, "value"));
        read_place(spec, relocation, node_get(node, "patches"));
        read_base(spec, relocation, node_get(node, "base"), node_get(node, "pointer"));
        check_operator(spec, relocation);
        map_set(&spec->relocations, relocation->name, relocation);
    }
}

static int by_number(const void *left, const void *right)
{
    const struct spec_relocation *a = *(struct spec_relocation *const *)left;
    const struct spec_relocation *b = *(struct spec_relocation *const *)right;

    return (a->number > b->number) - (a->number < b->number);
}

/* Reads `relaxed`: the type that describes what relaxation leaves. */
static void resolve_relaxed(struct spec *spec, struct spec_relocation *relocation)
{
    const struct node *node = node_get(relocation->node, "relaxed");
    const char *name = node ? node_text(&spec->context, node, "relaxed") : NULL;

    if (!name)
        return;
    relocation->relaxed = map_get(&spec->relocations, name);
    if (!relocation->relaxed || relocation->relaxed->value != ISA_VALUE_RELAXED)
        diag_error(spec->diag, &node->at,
                   "relaxed is '%s'; expected a relocation with the value 'relaxed'", name);
}

void spec_resolve_relocations(struct spec *spec)
{
    size_t count = spec->relocations.count;

    spec->relocations_by_number =
        arena_array(spec->arena, count, sizeof *spec->relocations_by_number);
    for (size_t i = 0; i < count; i++)
        spec->relocations_by_number[i] = SPEC_AT(spec->relocations, i, struct spec_relocation);
    qsort(spec->relocations_by_number, count, sizeof *spec->relocations_by_number, by_number);
    for (size_t i = 0; i < count; i++) {
        struct spec_relocation *relocation = spec->relocations_by_number[i];
        relocation->index = (unsigned)i;
        resolve_relaxed(spec, relocation);
        if (i && spec->relocations_by_number[i - 1]->number == relocation->number)
            diag_error(spec->diag, &relocation->at,
                       "relocation '%s' has the number %llu of '%s'; numbers must differ",
                       relocation->name, (unsigned long long)relocation->number,
                       spec->relocations_by_number[i - 1]->name);
    }
}
