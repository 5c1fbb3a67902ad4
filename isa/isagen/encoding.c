/*
 * Encodings: a string of bits and fields becomes a layout, and a layout with values and operands
 * becomes match and mask.
 *
 * Invariants of a layout without errors: it has 16, 32, 48 or 64 bits; every bit is fixed,
 * reserved, ignored or part of one field; no bit of a field's value appears twice; the encoded bits
 * of a field have no gap.
 */
#include "isa/isagen/spec.h"

#include "lib/text.h"
#include <ctype.h>
#include <string.h>

/* One bit of the word, in the order of the string: most significant first. */
struct bit {
    char kind; /* 0 1 / - or f */
    struct spec_field *field;
    uint8_t value_bit;
};

struct layout_parser {
    struct spec *spec;
    const struct node *node;
    struct spec_layout *layout;
    struct bit bits[64];
    unsigned count;
    bool failed;
};

static void fail(struct layout_parser *parser, const char *at, size_t length, const char *message)
{
    struct position position =
        node_position(parser->node, (size_t)(at - parser->node->text), length);

    diag_error(parser->spec->diag, &position, "%s", message);
    parser->failed = true;
}

static void append_bit(struct layout_parser *parser, const char *at, struct bit bit)
{
    if (parser->count < 64)
        parser->bits[parser->count] = bit;
    else if (parser->count == 64)
        fail(parser, at, 1, "the encoding is longer than 64 bits; expected 16, 32, 48 or 64");
    parser->count++;
}

struct spec_field *spec_find_field(const struct spec_layout *layout, const char *name)
{
    for (size_t i = 0; i < layout->field_count; i++)
        if (strcmp(layout->fields[i]->name, name) == 0)
            return layout->fields[i];
    return NULL;
}

static struct spec_field *field_of(struct layout_parser *parser, const char *at, size_t length)
{
    struct spec_layout *layout = parser->layout;
    struct spec *spec = parser->spec;
    const char *name = arena_copy(spec->arena, at, length);
    struct spec_field *field = spec_find_field(layout, name);

    if (field)
        return field;
    field = arena_new(spec->arena, struct spec_field);
    field->layout = layout->name;
    field->name = name;
    field->at = node_position(parser->node, (size_t)(at - parser->node->text), length);
    field->index = (unsigned)spec->field_count++;
    layout->fields = arena_grow(spec->arena, layout->fields, layout->field_count, &layout->capacity,
                                sizeof *layout->fields);
    layout->fields[layout->field_count++] = field;
    if (!map_get(&spec->field_names, name))
        map_set(&spec->field_names, name, field);
    return field;
}

void spec_report_no_field(struct spec *spec, const struct spec_layout *layout,
                          const struct node *node, const char *name)
{
    const char *list = layout->field_count ? "; it has" : "; it has none";
    struct suggestion suggestion;

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < layout->field_count; i++) {
        suggest_add(&suggestion, layout->fields[i]->name);
        list = arena_format(spec->arena, "%s%s '%s'", list, i ? "," : "", layout->fields[i]->name);
    }
    diag_error(spec->diag, &node->at, "format %s has no field '%s'%s", layout->name, name,
               node_near(&spec->context, &suggestion, list));
}

static void append_range(struct layout_parser *parser, struct spec_field *field, const char *at,
                         size_t length, unsigned high, unsigned low)
{
    if (high < low) {
        fail(parser, at, length, "a bit range that runs upwards; write [high:low]");
        return;
    }
    if (high > 63) {
        fail(parser, at, length, "bit number above 63; expected 0 to 63");
        return;
    }
    for (unsigned bit = high + 1; bit-- > low;) {
        if (field->value_mask >> bit & 1) {
            fail(parser, at, length,
                 arena_format(parser->spec->arena,
                              "bit %u of field '%s' appears twice in the encoding", bit,
                              field->name));
            return;
        }
        field->value_mask |= UINT64_C(1) << bit;
        append_bit(parser, at,
                   (struct bit){.kind = 'f', .field = field, .value_bit = (uint8_t)bit});
    }
}

static bool scan_bit_number(const char **at, unsigned *number)
{
    const char *start = *at;

    *number = 0;
    while (isdigit((unsigned char)**at) && *at - start < 3)
        *number = *number * 10 + (unsigned)(*(*at)++ - '0');
    return *at > start;
}

/* Parses name[12|10:5] and returns the end. */
static const char *parse_field(struct layout_parser *parser, const char *start)
{
    const char *at = start;

    while (isalnum((unsigned char)*at) || *at == '_')
        at++;
    struct spec_field *field = field_of(parser, start, (size_t)(at - start));
    if (*at != '[') {
        fail(parser, start, (size_t)(at - start),
             "the field has no bits; write name[high:low] or name[bit]");
        return at;
    }
    do {
        const char *range = ++at;
        unsigned high, low;
        bool valid = scan_bit_number(&at, &high);
        low = high;
        if (valid && *at == ':') {
            at++;
            valid = scan_bit_number(&at, &low);
        }
        if (!valid || (*at != '|' && *at != ']')) {
            fail(parser, range, 1, "expected a bit range such as [12|10:5]");
            return at + strcspn(at, " ");
        }
        append_range(parser, field, range, (size_t)(at - range), high, low);
    } while (*at == '|');
    return at + 1;
}

static void parse_bits(struct layout_parser *parser)
{
    for (const char *at = parser->node->text; *at && !parser->failed;) {
        if (strchr("01/-", *at)) {
            append_bit(parser, at, (struct bit){.kind = *at});
            at++;
        } else if (*at == ' ' || *at == '\n' || *at == '_') {
            at++;
        } else if (isalpha((unsigned char)*at)) {
            at = parse_field(parser, at);
        } else {
            fail(parser, at, 1,
                 "unexpected character in an encoding; expected 0, 1, /, - or name[high:low]");
        }
    }
    unsigned count = parser->count;
    if (!parser->failed && count != 16 && count != 32 && count != 48 && count != 64)
        fail(parser, parser->node->text, strlen(parser->node->text),
             arena_format(parser->spec->arena,
                          "the encoding has %u bits; expected 16, 32, 48 or 64", count));
}

static void append_piece_bit(struct spec *spec, struct spec_field *field, unsigned value_bit,
                             unsigned word_bit)
{
    struct isa_piece *last = field->piece_count ? &field->pieces[field->piece_count - 1] : NULL;

    if (last && last->value_lsb + last->width == value_bit &&
        last->word_lsb + last->width == word_bit) {
        last->width++;
        return;
    }
    if (!field->pieces)
        field->pieces = arena_array(spec->arena, 64, sizeof *field->pieces);
    field->pieces[field->piece_count++] =
        (struct isa_piece){(uint8_t)value_bit, (uint8_t)word_bit, 1};
}

static void finish_fields(struct layout_parser *parser)
{
    for (size_t i = 0; i < parser->layout->field_count; i++) {
        struct spec_field *field = parser->layout->fields[i];
        uint64_t mask = field->value_mask;
        if (!mask)
            continue;
        field->bits = 64 - (unsigned)__builtin_clzll(mask);
        field->lowest = (unsigned)__builtin_ctzll(mask);
        field->length = parser->layout->bits / 8;
        uint64_t run = mask >> field->lowest;
        if (run & (run + 1)) {
            unsigned missing = field->lowest + (unsigned)__builtin_ctzll(~run);
            diag_error(parser->spec->diag, &field->at,
                       "field '%s' has a gap: bits %u to %u are encoded but bit %u is not",
                       field->name, field->bits - 1, field->lowest, missing);
        }
    }
}

struct spec_layout *spec_parse_layout(struct spec *spec, const struct node *node, const char *name)
{
    struct spec_layout *layout = arena_new(spec->arena, struct spec_layout);
    struct layout_parser parser = {.spec = spec, .node = node, .layout = layout};

    layout->name = name;
    layout->at = node->at;
    if (!node_text(&spec->context, node, "encoding"))
        return NULL;
    parse_bits(&parser);
    if (parser.failed)
        return NULL;

    layout->bits = parser.count;
    for (unsigned word_bit = 0; word_bit < layout->bits; word_bit++) {
        const struct bit *bit = &parser.bits[layout->bits - 1 - word_bit];
        uint64_t mask = UINT64_C(1) << word_bit;
        layout->ones |= bit->kind == '1' ? mask : 0;
        layout->fixed |= bit->kind == '0' || bit->kind == '1' ? mask : 0;
        layout->reserved |= bit->kind == '/' ? mask : 0;
        if (bit->kind == 'f')
            append_piece_bit(spec, bit->field, bit->value_bit, word_bit);
    }
    finish_fields(&parser);
    return layout;
}

void spec_read_formats(struct spec *spec, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const struct spec_layout *first = map_get(&spec->layouts, key->text);
        if (!node_is_name(key->text, false)) {
            diag_error(spec->diag, &key->at, "'%s' is not a name for a format", key->text);
        } else if (first) {
            diag_error(spec->diag, &key->at, "a second format '%s'; rename or remove one",
                       key->text);
            diag_note(spec->diag, &first->at, "first here");
        } else {
            struct spec_layout *layout = spec_parse_layout(spec, node, key->text);
            if (layout)
                map_set(&spec->layouts, key->text, layout);
        }
    }
}

uint64_t spec_field_insert(const struct spec_field *field, uint64_t value)
{
    uint64_t word = 0;

    for (size_t i = 0; i < field->piece_count; i++) {
        const struct isa_piece *piece = &field->pieces[i];
        word |= (value >> piece->value_lsb & (UINT64_MAX >> (64 - piece->width)))
                << piece->word_lsb;
    }
    return word;
}

uint64_t spec_field_mask(const struct spec_field *field)
{
    return spec_field_insert(field, UINT64_MAX);
}

/* ---- an instruction's `encoding` ---- */

/* Checks that the type of the operand fits the field: the field has `expected` bits, and all low
 * bits are there unless values are multiples. */
static void check_fit(struct spec *spec, const struct spec_operand *operand)
{
    const struct spec_operand_type *type = operand->type;
    const struct spec_field *field = operand->field;
    uint64_t expected = type->bits;
    unsigned lowest_allowed = 0;

    if (type->kind == ISA_SYMBOL || type->kind == ISA_VALUE) {
        diag_error(spec->diag, &operand->at,
                   "operand '%s' is of type '%s', which only aliases may use", operand->name,
                   type->name);
        return;
    }
    if (type->kind == ISA_ENUM || type->kind == ISA_SET) {
        expected = field->bits;
        for (size_t i = 0; i < type->values->count; i++)
            if (field->bits < 32 && type->values->values[i].value >> field->bits)
                diag_error(spec->diag, &operand->at,
                           "value '%s' = %u of '%s' does not fit in the %u bits of field '%s'",
                           type->values->values[i].name, type->values->values[i].value,
                           type->values->name, field->bits, field->name);
    } else if (type->kind == ISA_REGISTER && !type->file && !type->count) {
        expected = field->bits < type->bits ? field->bits : type->bits;
    } else if (type->kind == ISA_REGISTER_GROUP) {
        lowest_allowed = (unsigned)__builtin_ctzll(type->group_count);
    } else if (type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET) {
        lowest_allowed = field->bits - 1;
    }
    if (field->bits != expected) {
        diag_error(spec->diag, &operand->at,
                   "operand '%s' of type '%s' has %llu bits, but field '%s' of %s has %u",
                   operand->name, type->name, (unsigned long long)expected, field->name,
                   field->layout, field->bits);
        diag_note(spec->diag, &field->at, "the field is laid out here");
    } else if (field->lowest > lowest_allowed) {
        diag_error(spec->diag, &operand->at,
                   "field '%s' of %s has no bits below bit %u, which type '%s' needs", field->name,
                   field->layout, field->lowest, type->name);
        diag_note(spec->diag, &field->at, "the field is laid out here");
    } else if (type->has_default && type->default_value & ((INT64_C(1) << field->lowest) - 1)) {
        diag_error(spec->diag, &operand->at,
                   "the default %lld of type '%s' does not fit: field '%s' holds multiples of %lld",
                   (long long)type->default_value, type->name, field->name, 1LL << field->lowest);
    }
}

/* A register slot has 8 bits. The encoding of a set or an enum must fit in it. */
static void check_slot(struct spec *spec, const struct spec_instruction *instruction,
                       const struct spec_operand *operand)
{
    if (operand->slot == ISA_SLOT_R && operand->field->bits > 8 && !instruction->generic)
        diag_error(spec->diag, &operand->at,
                   "operand '%s' of type '%s' has %u bits; a decoded record holds 8 of them",
                   operand->name, operand->type->name, operand->field->bits);
}

/* Parses `/////` or `-----`. Returns false if the text is not such a string. */
static bool is_unused_bits(const char *text)
{
    return (text[0] == '/' || text[0] == '-') && strspn(text, (char[]){text[0], 0}) == strlen(text);
}

static void set_field(struct spec *spec, struct spec_instruction *instruction,
                      const struct spec_field *field, const struct node *node)
{
    uint64_t mask = spec_field_mask(field), value;
    unsigned width = field->bits - field->lowest;
    const char *what = arena_format(spec->arena, "field '%s'", field->name);

    if (node->kind == NODE_SCALAR && is_unused_bits(node->text)) {
        if (strlen(node->text) != width) {
            diag_error(spec->diag, &node->at, "%zu %s bits for field '%s' of %s, which has %u",
                       strlen(node->text), node->text[0] == '/' ? "reserved" : "ignored",
                       field->name, field->layout, width);
        } else if (node->text[0] == '/') {
            instruction->mask |= mask;
            instruction->reserved |= mask;
        }
        return;
    }
    uint64_t maximum = field->bits < 64 ? (UINT64_C(1) << field->bits) - 1 : UINT64_MAX;
    const struct spec_element_name *type =
        node->kind == NODE_SCALAR
            ? spec_find_element_name(&instruction->elements, node->text, strlen(node->text))
            : NULL;
    if (type && type->element->code > maximum) {
        diag_error(spec->diag, &node->at,
                   "%s is %s, the element type '%s' of code %llu; expected at most %llu", what,
                   node->text, type->element->name, (unsigned long long)type->element->code,
                   (unsigned long long)maximum);
        return;
    }
    if (type)
        value = type->element->code;
    else if (!spec_constant(spec, node, what, maximum, &value))
        return;
    if (value & ~field->value_mask)
        diag_error(spec->diag, &node->at, "%s is %s; expected a multiple of %llu", what, node->text,
                   1ULL << field->lowest);
    instruction->mask |= mask;
    instruction->match |= spec_field_insert(field, value);
}

/* Is it one of the names that stand for the element types of the instruction? */
static bool names_element(const struct spec_instruction *instruction, const char *name)
{
    for (size_t i = 0; i < instruction->elements.count; i++)
        if (strcmp(instruction->elements.names[i].name, name) == 0)
            return true;
    return false;
}

static void bind_field(struct spec *spec, struct spec_instruction *instruction,
                       struct spec_field *field, const struct node *node)
{
    const struct node *value = node->kind == NODE_MAPPING ? node_get(node, field->name) : NULL;
    const struct node *replaced =
        instruction->variant ? node_get(instruction->variant, field->name) : NULL;
    int index = spec_operand_index(&instruction->operands, field->name, strlen(field->name));

    if (replaced)
        value = replaced;
    if (index >= 0) {
        struct spec_operand *operand = &instruction->operands.items[index];
        operand->field = field;
        if (value)
            diag_error(spec->diag, &value->at,
                       "field '%s' is given a value and is an operand too; remove one",
                       field->name);
        check_fit(spec, operand);
        check_slot(spec, instruction, operand);
    } else if (value) {
        set_field(spec, instruction, field, value);
    } else if (node->kind == NODE_MAPPING) {
        diag_error(spec->diag, &node->at,
                   "field '%s' of format %s has no value and '%s' has no operand of that name; add "
                   "one of them",
                   field->name, field->layout, instruction->mnemonic);
    } else if (names_element(instruction, field->name)) {
        diag_error(spec->diag, &field->at,
                   "'%s' is an element type of '%s', whose code only the field of a format can "
                   "have: {format: …, FIELD: %s}",
                   field->name, instruction->mnemonic, field->name);
    } else {
        diag_error(spec->diag, &field->at,
                   "field '%s' is used by no operand of '%s'; add the operand or fix the bits",
                   field->name, instruction->mnemonic);
    }
}

static const struct spec_layout *
find_format(struct spec *spec, struct spec_instruction *instruction, const struct node *node)
{
    const struct node *format = node_get(node, "format");

    if (!format) {
        diag_error(spec->diag, &node->at,
                   "the encoding of '%s' has no 'format'; add it, or write a string of bits",
                   instruction->mnemonic);
        return NULL;
    }
    const char *name = node_text(&spec->context, format, "format");
    const struct spec_layout *layout = name ? map_get(&spec->layouts, name) : NULL;
    if (name && !layout)
        diag_error(spec->diag, &format->at, "unknown format '%s'%s", name,
                   node_suggest(&spec->context, &spec->layouts, name));
    return layout;
}

static void check_encoding_keys(struct spec *spec, const struct spec_layout *layout,
                                const struct node *node)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i];
        if (strcmp(key->text, "format") == 0 || strcmp(key->text, "summary") == 0 ||
            spec_find_field(layout, key->text))
            continue;
        spec_report_no_field(spec, layout, key, key->text);
    }
}

/* RISC-V Unprivileged ISA, 1.5: the low bits determine the length. */
static void check_length(struct spec *spec, const struct spec_instruction *instruction,
                         const struct node *node)
{
    static const struct {
        unsigned bits;
        uint64_t mask, match,
            excluded; /* low bits; `excluded`: higher bits that may not all be 1 */
        const char *rule;
    } rules[] = {
        {16, 0x3, 0, 0x3, "aa, not 11"},
        {32, 0x1f, 0x3, 0x1f, "bbb11, bbb not 111"},
        {48, 0x3f, 0x1f, 0, "011111"},
        {64, 0x7f, 0x3f, 0, "0111111"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        uint64_t mask = rules[i].mask, low = instruction->match & mask;
        if (rules[i].bits != instruction->layout->bits)
            continue;
        bool fixed = (instruction->mask & ~instruction->reserved & mask) == mask;
        bool right = rules[i].excluded ? low != rules[i].excluded && (i == 0 || (low & 3) == 3)
                                       : low == rules[i].match;
        char found[8] = "";
        for (unsigned bit = (unsigned)__builtin_popcountll(mask), k = 0; bit-- > 0; k++)
            found[k] = !(instruction->mask >> bit & 1) ? 'x'
                       : instruction->match >> bit & 1 ? '1'
                                                       : '0';
        if (!fixed || !right)
            diag_error(spec->diag, &node->at,
                       "'%s' ends in %s; by RISC-V's length rule a %u-bit encoding ends in %s",
                       instruction->mnemonic, found, rules[i].bits, rules[i].rule);
    }
}

/* An operand that can have only one value needs no bits. */
static const struct spec_field *no_field(struct spec *spec, const struct spec_operand *operand)
{
    if (operand->field)
        diag_error(spec->diag, &operand->at,
                   "operand '%s' can have one value only; it needs no field", operand->name);
    if (!spec->no_field) {
        spec->no_field = arena_new(spec->arena, struct spec_field);
        spec->no_field->layout = spec->no_field->name = "";
        spec->no_field->index = (unsigned)spec->field_count++;
    }
    return spec->no_field;
}

void spec_read_encoding(struct spec *spec, struct spec_instruction *instruction,
                        const struct node *node)
{
    const struct spec_layout *layout = NULL;

    if (node->kind == NODE_MAPPING)
        layout = find_format(spec, instruction, node);
    else if (node_expect(&spec->context, node, NODE_SCALAR, "encoding"))
        layout = spec_parse_layout(spec, node, instruction->mnemonic);
    if (!layout)
        return;

    unsigned errors = spec->diag->errors;
    instruction->layout = layout;
    instruction->match = layout->ones;
    instruction->mask = layout->fixed | layout->reserved;
    instruction->reserved = layout->reserved;
    if (node->kind == NODE_MAPPING)
        check_encoding_keys(spec, layout, node);
    if (instruction->variant && node->kind == NODE_MAPPING)
        check_encoding_keys(spec, layout, instruction->variant);
    else if (instruction->variant)
        diag_error(spec->diag, &instruction->variant->at,
                   "'variants' give values to fields of a format; the encoding of '%s' is a string "
                   "of bits",
                   instruction->mnemonic);
    for (size_t i = 0; i < layout->field_count; i++)
        bind_field(spec, instruction, layout->fields[i], node);
    for (size_t i = 0; i < instruction->operands.count; i++) {
        struct spec_operand *operand = &instruction->operands.items[i];
        if (operand->type->count == 1)
            operand->field = no_field(spec, operand);
        else if (!operand->field)
            diag_error(spec->diag, &operand->at,
                       "operand '%s' has no field in the encoding of '%s'", operand->name,
                       instruction->mnemonic);
    }
    if (spec->diag->errors != errors)
        instruction->layout = NULL; /* prevents further checks of a broken encoding */
    else if (!instruction->generic)
        check_length(spec, instruction, node);
}
