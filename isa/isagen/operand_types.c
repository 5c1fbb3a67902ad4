/*
 * The `operands` section: types of operands. Widths are derived from what a type names (the size of
 * a register file, the length of a bit pattern), so that ranges in diagnostics are never typed by
 * hand.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static const struct {
    const char *name;
    enum isa_kind kind;
    const char *const keys[10]; /* besides kind, default and summary */
} kinds[] = {
    {"register", ISA_REGISTER, {"file!", "access", "view", "within", "except"}},
    {"register-group", ISA_REGISTER_GROUP, {"file!", "access", "view", "count!"}},
    {"register-or-immediate", ISA_REGISTER_OR_IMMEDIATE, {"file!", "register!", "immediate!"}},
    {"immediate",
     ISA_IMMEDIATE,
     {"bits!", "signed", "nonzero", "also_negative", "extends", "print"}},
    {"target", ISA_TARGET, {"bits!", "signed", "relocation"}},
    {"enum", ISA_ENUM, {"values!"}},
    {"set", ISA_SET, {"values!"}},
    {"csr", ISA_CSR, {"bits!"}},
    {"symbol", ISA_SYMBOL, {NULL}},
    {"value", ISA_VALUE, {"bits", "signed"}},
    {"opcode", ISA_OPCODE, {"bits!", "values!"}},
};

enum {
    KIND_COUNT = sizeof kinds / sizeof *kinds,
    ANY_BITS = 6, /* of the number of a register of any file */
};

/* Returns an index in kinds; -1 after an error. */
static int read_kind(struct spec *spec, const struct node *node)
{
    struct suggestion suggestion;
    const char *text = node_text(&spec->context, node, "kind");

    if (!text)
        return -1;
    suggest_init(&suggestion, text);
    for (int i = 0; i < KIND_COUNT; i++) {
        if (strcmp(kinds[i].name, text) == 0)
            return i;
        suggest_add(&suggestion, kinds[i].name);
    }
    diag_error(spec->diag, &node->at, "unknown kind of operand '%s'%s", text,
               node_near(&spec->context, &suggestion, ""));
    return -1;
}

/* Reads one of a few words. Returns its index; -1 after an error, or if `node` is NULL. */
static int read_word(struct spec *spec, const struct node *node, const char *what,
                     const char *const *words, const char *expected)
{
    const char *text = node_text(&spec->context, node, what);

    for (int i = 0; text && words[i]; i++)
        if (strcmp(words[i], text) == 0)
            return i;
    if (text)
        diag_error(spec->diag, &node->at, "%s is '%s'; expected %s", what, text, expected);
    return -1;
}

/* Returns the bits of the numbers of the file's registers. */
static unsigned number_bits(const struct spec_register_file *file)
{
    return file->count < 2 ? 0 : 64 - (unsigned)__builtin_clzll(file->count - 1);
}

/* Reads what a body sees of a register of a standard file. */
static void read_standard_view(struct spec *spec, struct spec_operand_type *type,
                               const struct node *node)
{
    static const char *const views[] = {"u64", "f64", "f32", "raw32", "f16", "raw16", NULL};
    int view = read_word(spec, node, "view", views, "u64, f64, f32, raw32, f16 or raw16");

    type->view = view < 0 ? ISA_VIEW_U64 : (enum isa_view)view;
}

/* Returns the width of the unsigned integer that holds so many bits, up to 64. */
static unsigned integer_bits(uint64_t bits)
{
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

/* Finds the integers that a view names: u8 … u64, or those that hold an element. Returns false
 * after an error. */
static bool find_view(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    static const char *const integers[] = {"u8", "u16", "u32", "u64"};
    const char *text = node_text(&spec->context, node, "view");

    if (!text)
        return false;
    for (unsigned i = 0; i < sizeof integers / sizeof *integers; i++)
        if (strcmp(integers[i], text) == 0) {
            type->view_bits = 8u << i;
            return true;
        }
    type->view_element = map_get(&spec->elements, text);
    if (!type->view_element) {
        diag_error(spec->diag, &node->at,
                   "view is '%s'; expected u8, u16, u32, u64 or an element type%s", text,
                   node_suggest(&spec->context, &spec->elements, text));
        return false;
    }
    type->view_bits = integer_bits(type->view_element->bits);
    if (type->view_bits <= type->file->width)
        return true;
    diag_error(spec->diag, &node->at, "an element of %llu bits in a register of %llu bits",
               (unsigned long long)type->view_bits, (unsigned long long)type->file->width);
    return false;
}

/* Reads what a body sees of a register of any other file: one integer, or an array of as many as
 * fill the register. By default, the integers are as wide as possible. */
static void read_own_view(struct spec *spec, struct spec_operand_type *type,
                          const struct node *node)
{
    uint64_t width = type->file->width;

    type->view = ISA_VIEW_BITS;
    if (!node || !find_view(spec, type, node))
        type->view_bits = width <= 64             ? integer_bits(width)
                          : (width & -width) < 64 ? width & -width
                                                  : 64;
    if (type->view_bits < width && width % type->view_bits) {
        diag_error(spec->diag, &node->at,
                   "registers of %llu bits do not divide into integers of %llu bits",
                   (unsigned long long)width, (unsigned long long)type->view_bits);
        type->view_bits = 8;
    }
    type->view_count = type->view_bits < width ? width / type->view_bits : 1;
}

static void read_register(struct spec *spec, struct spec_operand_type *type,
                          const struct node *node)
{
    static const char *const accesses[] = {"read", "write", "readwrite", NULL};
    const struct node *file = node_get(node, "file"), *view = node_get(node, "view");
    const char *name = node_text(&spec->context, file, "file");

    type->generic = name && type->kind == ISA_REGISTER && strcmp(name, "any") == 0;
    type->file = name && !type->generic ? map_get(&spec->register_files, name) : NULL;
    if (name && !type->file && !type->generic)
        diag_error(spec->diag, &file->at, "unknown register file '%s'%s", name,
                   node_suggest(&spec->context, &spec->register_files, name));
    /* The field of a form of .insn determines which registers of any file it takes. */
    type->bits = type->file ? number_bits(type->file) : ANY_BITS;

    int access =
        read_word(spec, node_get(node, "access"), "access", accesses, "read, write or readwrite");
    type->access = access < 0 ? ISA_READ : (enum isa_access)(access + 1);
    if (type->file && !type->file->standard)
        read_own_view(spec, type, view);
    else
        read_standard_view(spec, type, view);
}

/* Reads `within: [8, 15]`: the field counts from the first register, so that its bits are the low
 * bits of the register number. */
static void read_within(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    uint64_t ends[2] = {0, 0},
             maximum = type->file && type->file->count ? type->file->count - 1 : 63;

    if (node->kind != NODE_SEQUENCE || node->count != 2) {
        diag_error(spec->diag, &node->at, "within is not a pair; expected [first, last]");
        return;
    }
    for (size_t i = 0; i < 2; i++)
        if (!node_unsigned(&spec->context, node->items[i], "within", maximum, &ends[i]))
            return;
    uint64_t count = ends[1] - ends[0] + 1;
    if (ends[1] < ends[0] || count & (count - 1) || ends[0] % count) {
        diag_error(spec->diag, &node->at,
                   "registers %llu to %llu; expected a power of two of them, from a multiple of it",
                   (unsigned long long)ends[0], (unsigned long long)ends[1]);
        return;
    }
    type->first = ends[0];
    type->count = count;
    type->bits = (unsigned)__builtin_ctzll(count);
}

static void read_except(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    uint64_t first = type->first,
             count = type->count  ? type->count
                     : type->file ? type->file->count
                                  : 1u << ANY_BITS,
             number;

    if (!node_expect(&spec->context, node, NODE_SEQUENCE, "except"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        if (!node_unsigned(&spec->context, node->items[i], "except", 63, &number))
            continue;
        if (number < first || number >= first + count)
            diag_error(spec->diag, &node->items[i]->at,
                       "register %llu is not a value of the operand; remove it",
                       (unsigned long long)number);
        type->except |= UINT64_C(1) << number;
    }
}

static void read_group(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    const struct node *count = node_get(node, "count");
    uint64_t maximum = type->file && type->file->count ? type->file->count : 64;

    if (!node_unsigned(&spec->context, count, "count", maximum, &type->group_count))
        type->group_count = 2;
    if (type->group_count < 2 || (type->group_count & (type->group_count - 1))) {
        diag_error(spec->diag, &count->at,
                   "a group of %llu registers; expected a power of two from 2",
                   (unsigned long long)type->group_count);
        type->group_count = 2;
    }
    if (type->file && type->file->standard && type->file->zero)
        diag_error(spec->diag, &node_get(node, "file")->at,
                   "a group of '%s' registers; the emulator has no groups of the integer file",
                   type->file->name);
    else if (type->view != ISA_VIEW_RAW32 && type->view != ISA_VIEW_BITS) {
        const struct node *view = node_get(node, "view");
        diag_error(spec->diag, view ? &view->at : &node->at,
                   "a register group needs 'view: raw32', the only view that groups have");
    }
}

/* Parses a pattern such as 000rrrrr: its fixed bits, and the number of times that `letter` is
 * repeated at the low end. */
static bool read_pattern(struct spec *spec, const struct node *node, char letter, uint64_t *mask,
                         uint64_t *match, unsigned *letters)
{
    const char *what = letter == 'r' ? "register" : "immediate";
    const char *text = node_text(&spec->context, node, what);

    if (!text)
        return false;
    size_t length = strlen(text), prefix = strspn(text, "01");
    const char allowed[] = {letter, 0};
    *letters = (unsigned)(length - prefix);
    *mask = *match = 0;
    if (prefix + strspn(text + prefix, allowed) != length || prefix == length || length > 8) {
        diag_error(spec->diag, &node->at,
                   "the %s pattern is '%s'; expected 0s and 1s, then '%c's, up to 8 in all", what,
                   text, letter);
        return false;
    }
    for (size_t i = 0; i < prefix; i++) {
        *mask |= UINT64_C(1) << (length - 1 - i);
        *match |= (uint64_t)(text[i] == '1') << (length - 1 - i);
    }
    return true;
}

static void read_register_or_immediate(struct spec *spec, struct spec_operand_type *type,
                                       const struct node *node)
{
    const struct node *reg = node_get(node, "register"), *immediate = node_get(node, "immediate");
    uint64_t register_bits = type->bits;

    if (!read_pattern(spec, reg, 'r', &type->register_mask, &type->register_match,
                      &type->register_bits) ||
        !read_pattern(spec, immediate, 'i', &type->immediate_mask, &type->immediate_match,
                      &type->immediate_bits))
        return;
    type->bits = strlen(reg->text);
    if (strlen(immediate->text) != type->bits) {
        diag_error(
            spec->diag, &immediate->at,
            "the immediate pattern has %zu bits, the register pattern %llu; expected equal lengths",
            strlen(immediate->text), (unsigned long long)type->bits);
        return;
    }
    if (type->file && type->register_bits != register_bits)
        diag_error(spec->diag, &reg->at,
                   "the register pattern has %u 'r's; register file '%s' needs %llu",
                   type->register_bits, type->file->name, (unsigned long long)register_bits);
    if (type->file && type->view == ISA_VIEW_BITS && type->view_count > 1)
        diag_error(
            spec->diag, &node_get(node, "file")->at,
            "registers of %llu bits, where the operand may be an immediate; expected up to 64",
            (unsigned long long)type->file->width);
    if (type->immediate_bits > 7)
        diag_error(spec->diag, &immediate->at,
                   "the immediate pattern has %u 'i's; expected at most 7", type->immediate_bits);
    if (!((type->register_match ^ type->immediate_match) & type->register_mask &
          type->immediate_mask))
        diag_error(spec->diag, &immediate->at,
                   "the immediate choice '%s' cannot be told from the register choice '%s'; make a "
                   "fixed bit differ",
                   immediate->text, reg->text);
}

static void read_immediate(struct spec *spec, struct spec_operand_type *type,
                           const struct node *node)
{
    static const char *const prints[] = {"decimal", "hex", NULL};
    const struct node *bits = node_get(node, "bits");

    if (!node_unsigned(&spec->context, bits, "bits", 57, &type->bits))
        type->bits = 1;
    if (!type->bits) {
        diag_error(spec->diag, &bits->at, "bits is 0; expected at least 1");
        type->bits = 1;
    }
    type->is_signed = node_bool(&spec->context, node_get(node, "signed"), "signed", false);
    type->nonzero = node_bool(&spec->context, node_get(node, "nonzero"), "nonzero", false);
    const struct node *negative = node_get(node, "also_negative");
    type->also_negative = node_bool(&spec->context, negative, "also_negative", false);
    if (type->also_negative && type->is_signed)
        diag_error(spec->diag, &negative->at,
                   "also_negative is for unsigned immediates; this one is signed");
    const struct node *extends = node_get(node, "extends");
    if (extends && node_unsigned(&spec->context, extends, "extends", 57, &type->extends) &&
        (!type->is_signed || type->extends <= type->bits))
        diag_error(spec->diag, &extends->at,
                   "extends is %llu; expected more than the bits of a signed immediate",
                   (unsigned long long)type->extends);
    type->hex = read_word(spec, node_get(node, "print"), "print", prints, "decimal or hex") == 1;

    const struct node *relocation = node_get(node, "relocation");
    const char *name = node_text(&spec->context, relocation, "relocation");
    type->relocation = name ? map_get(&spec->relocations, name) : NULL;
    if (name && !type->relocation)
        diag_error(spec->diag, &relocation->at, "unknown relocation '%s'%s", name,
                   node_suggest(&spec->context, &spec->relocations, name));
}

static void read_values(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    static const struct spec_enum none = {.name = "?"};
    const struct node *values = node_get(node, "values");
    const char *name = node_text(&spec->context, values, "values");

    type->values = name ? map_get(&spec->enums, name) : NULL;
    if (name && !type->values)
        diag_error(spec->diag, &values->at, "unknown enum '%s'%s", name,
                   node_suggest(&spec->context, &spec->enums, name));
    if (!type->values)
        type->values = &none;
    for (size_t i = 0; type->kind == ISA_SET && i < type->values->count; i++) {
        const struct isa_named_value *value = &type->values->values[i];
        if (strlen(value->name) != 1 || !value->value || (value->value & (value->value - 1)))
            diag_error(
                spec->diag, &values->at,
                "'%s: %u' of '%s' is not a member of a set; expected one letter with one bit",
                value->name, value->value, type->values->name);
    }
}

/* Reads the major opcode, or the quadrant of a compressed instruction. */
static void read_opcode(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    const struct node *bits = node_get(node, "bits");

    type->generic = true;
    if (node_unsigned(&spec->context, bits, "bits", 7, &type->bits) && type->bits != 7 &&
        type->bits != 2)
        diag_error(spec->diag, &bits->at, "an opcode of %llu bits; expected 7, or 2 (compressed)",
                   (unsigned long long)type->bits);
    read_values(spec, type, node);
}

void spec_range(const struct spec_operand_type *type, int64_t *minimum, int64_t *maximum)
{
    *minimum = type->is_signed ? -(INT64_C(1) << (type->bits - 1)) : 0;
    *maximum = (INT64_C(1) << (type->bits - type->is_signed)) - 1;
}

bool spec_enum_value(const struct spec_operand_type *type, const char *text, size_t length,
                     int64_t *value)
{
    int64_t set = 0;

    for (size_t i = 0; i < type->values->count; i++) {
        const struct isa_named_value *named = &type->values->values[i];
        if (type->kind == ISA_ENUM && strlen(named->name) == length &&
            memcmp(named->name, text, length) == 0) {
            *value = named->value;
            return true;
        }
    }
    for (size_t k = 0; type->kind == ISA_SET && k < length; k++) {
        size_t i = 0;
        while (i < type->values->count && type->values->values[i].name[0] != text[k])
            i++;
        if (i == type->values->count || (set & type->values->values[i].value))
            return false;
        set |= type->values->values[i].value;
    }
    *value = set;
    return type->kind == ISA_SET && length;
}

static void read_default(struct spec *spec, struct spec_operand_type *type, const struct node *node)
{
    int64_t minimum, maximum;
    const char *text = node_text(&spec->context, node, "default");

    if (!text)
        return;
    type->has_default = true;
    bool named = type->kind == ISA_ENUM || type->kind == ISA_SET;
    if (named && spec_enum_value(type, text, strlen(text), &type->default_value))
        return;
    if (!node_parse_integer(text, &type->default_value)) {
        diag_error(spec->diag, &node->at, "the default is '%s'; expected an integer%s", text,
                   named ? " or a name of the enum" : "");
    } else if (type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET) {
        spec_range(type, &minimum, &maximum);
        if (type->default_value < minimum || type->default_value > maximum)
            diag_error(spec->diag, &node->at,
                       "the default %s is out of range; expected %lld to %lld", text,
                       (long long)minimum, (long long)maximum);
    } else if (!named) {
        diag_error(spec->diag, &node->at,
                   "a default is for immediates, targets, enums and sets only");
    } else if (type->default_value < 0 || type->default_value > UINT32_MAX) {
        diag_error(spec->diag, &node->at, "the default %s is not a value of '%s'", text,
                   type->values->name);
    }
}

const char *spec_describe_type(struct spec *spec, const struct spec_operand_type *type)
{
    unsigned long long bits = type->bits;

    switch (type->kind) {
    case ISA_REGISTER:
        return arena_format(spec->arena, "%s register", type->file ? type->file->name : "?");
    case ISA_REGISTER_GROUP:
        return arena_format(spec->arena, "group of %llu %s registers",
                            (unsigned long long)type->group_count,
                            type->file ? type->file->name : "?");
    case ISA_REGISTER_OR_IMMEDIATE:
        return arena_format(spec->arena, "%s register or an immediate from 0 to %u",
                            type->file ? type->file->name : "?", (1u << type->immediate_bits) - 1);
    case ISA_IMMEDIATE:
        return arena_format(spec->arena, "%llu-bit %s immediate", bits,
                            type->is_signed ? "signed" : "unsigned");
    case ISA_TARGET:
        return "target address";
    case ISA_ENUM:
    case ISA_SET:
        return type->values->summary ? type->values->summary : type->values->name;
    case ISA_CSR:
        return "control and status register";
    case ISA_SYMBOL:
        return "symbol";
    case ISA_VALUE:
        return "constant";
    case ISA_OPCODE:
        return "opcode";
    }
    return "operand";
}

static bool check_type_keys(struct spec *spec, const struct node *node, int kind, const char *what)
{
    const char *keys[16] = {"kind!", "default", "summary"};

    for (size_t i = 0; kinds[kind].keys[i]; i++)
        keys[3 + i] = kinds[kind].keys[i];
    return node_check_keys(&spec->context, node, what, keys);
}

static struct spec_operand_type *read_type(struct spec *spec, const struct node *key,
                                           const struct node *node)
{
    const char *what = arena_format(spec->arena, "operand type '%s'", key->text);

    if (!node_expect(&spec->context, node, NODE_MAPPING, what))
        return NULL;
    const struct node *kind = node_get(node, "kind");
    if (!kind)
        diag_error(spec->diag, &node->at, "%s has no 'kind'; add it", what);
    int index = kind ? read_kind(spec, kind) : -1;
    if (index < 0 || !check_type_keys(spec, node, index, what))
        return NULL;

    struct spec_operand_type *type = arena_new(spec->arena, struct spec_operand_type);
    type->name = key->text;
    type->at = key->at;
    type->kind = kinds[index].kind;
    if (node_get(node, "file"))
        read_register(spec, type, node);
    if (node_get(node, "within"))
        read_within(spec, type, node_get(node, "within"));
    if (node_get(node, "except"))
        read_except(spec, type, node_get(node, "except"));
    if (type->kind == ISA_REGISTER_GROUP)
        read_group(spec, type, node);
    else if (type->kind == ISA_REGISTER_OR_IMMEDIATE)
        read_register_or_immediate(spec, type, node);
    else if (type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET || type->kind == ISA_CSR ||
             (type->kind == ISA_VALUE && node_get(node, "bits")))
        read_immediate(spec, type, node);
    else if (type->kind == ISA_ENUM || type->kind == ISA_SET)
        read_values(spec, type, node);
    else if (type->kind == ISA_OPCODE)
        read_opcode(spec, type, node);
    read_default(spec, type, node_get(node, "default"));
    type->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    if (!type->summary)
        type->summary = spec_describe_type(spec, type);
    return type;
}

void spec_read_operand_types(struct spec *spec, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const struct spec_operand_type *first = map_get(&spec->operand_types, key->text);
        if (!node_is_name(key->text, false)) {
            diag_error(spec->diag, &key->at, "'%s' is not a name for an operand type", key->text);
        } else if (first) {
            diag_error(spec->diag, &key->at, "a second operand type '%s'; rename or remove one",
                       key->text);
            diag_note(spec->diag, &first->at, "first here");
        } else {
            struct spec_operand_type *type = read_type(spec, key, node);
            if (type) {
                type->index = (unsigned)spec->operand_types.count;
                map_set(&spec->operand_types, type->name, type);
            }
        }
    }
}
