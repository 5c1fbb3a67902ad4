/*
 * The sections that only declare names for other sections: extensions, registers, constants, enums
 * and timing classes.
 */
#include "isa/isagen/spec.h"

#include <string.h>

bool spec_declare(struct spec *spec, struct map *map, const struct node *key, const char *what,
                  const struct position *(*position)(const void *))
{
    if (!node_is_name(key->text, true)) {
        diag_error(spec->diag, &key->at,
                   "'%s' is not a name for a %s; expected letters, digits and '_'", key->text,
                   what);
        return false;
    }
    const void *first = map_get(map, key->text);
    if (first) {
        diag_error(spec->diag, &key->at, "a second %s '%s'; rename or remove one", what, key->text);
        if (position)
            diag_note(spec->diag, position(first), "first here");
        return false;
    }
    return true;
}

/* Checks that a further file of an extension repeats a value unchanged. */
static void check_same(struct spec *spec, const struct spec_extension *extension,
                       const struct node *node, const char *key, const char *first)
{
    const struct node *again = node_get(node, key);
    const char *text = node_text(&spec->context, again, key);

    if (!text || !first || strcmp(text, first) == 0)
        return;
    diag_error(spec->diag, &again->at, "%s of extension '%s' is '%s' here and '%s' there", key,
               extension->name, text, first);
    diag_note(spec->diag, &extension->at, "first here");
}

static enum isa_default read_default(struct spec *spec, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "default");

    if (text && strcmp(text, "off") == 0)
        return ISA_DEFAULT_OFF;
    if (text && strcmp(text, "used") == 0)
        return ISA_DEFAULT_USED;
    if (text && strcmp(text, "on") != 0)
        diag_error(spec->diag, &node->at, "default is '%s'; expected on, off or used", text);
    return ISA_DEFAULT_ON;
}

/* Reads the version of an extension: numbers, as in an architecture string. */
static const char *read_extension_version(struct spec *spec, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "version");
    size_t major = text ? strspn(text, "0123456789") : 0,
           minor = major && text[major] == '.' ? strspn(text + major + 1, "0123456789") : 0;

    if (text && (!major || text[major + (minor ? minor + 1 : 0)]))
        diag_error(spec->diag, &node->at, "version is '%s'; expected a number, or two with a '.'",
                   text);
    return text;
}

static struct spec_extension *new_extension(struct spec *spec, const struct node *node)
{
    const struct node *name = node_get(node, "name");

    if (!spec_is_extension_name(name->text)) {
        diag_error(spec->diag, &name->at,
                   "'%s' is not a name for an extension; expected lowercase letters and digits",
                   name->text);
        return NULL;
    }
    struct spec_extension *extension = arena_new(spec->arena, struct spec_extension);
    extension->name = name->text;
    extension->at = name->at;
    extension->version = read_extension_version(spec, node_get(node, "version"));
    extension->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    extension->source = node_text(&spec->context, node_get(node, "source"), "source");
    extension->initial = read_default(spec, node_get(node, "default"));
    extension->index = (unsigned)spec->extensions.count;
    map_set(&spec->extensions, extension->name, extension);
    return extension;
}

void spec_read_extension(struct spec *spec, struct spec_file *file)
{
    static const char *const keys[] = {"name!",   "version!", "summary!",  "source",  "description",
                                       "implies", "abi",      "elf_flags", "default", NULL};
    const struct node *node = node_get(file->root, "extension");

    if (!node || !node_check_keys(&spec->context, node, "extension", keys))
        return;
    const struct node *name = node_get(node, "name");
    if (!node_text(&spec->context, name, "name of the extension"))
        return;
    struct spec_extension *extension = map_get(&spec->extensions, name->text);
    if (extension) { /* several files may describe one extension */
        check_same(spec, extension, node, "version", extension->version);
        check_same(spec, extension, node, "summary", extension->summary);
        check_same(spec, extension, node, "description", extension->description);
    } else {
        extension = new_extension(spec, node);
    }
    if (!extension)
        return;
    if (!extension->description)
        extension->description =
            node_text(&spec->context, node_get(node, "description"), "description");
    file->source = node_text(&spec->context, node_get(node, "source"), "source");
    file->extension = extension;
    spec_name_extension(spec, extension, node);
}

enum {
    FILES_LIMIT = 64, /* a bit for each in tdiff */
    REGISTERS_LIMIT =
        64,          /* of a file: their numbers are less than RI_IMMEDIATE (emu/decode/decode.h) */
    NAME_LIMIT = 16, /* bytes of a name, which traces keep (struct trace_label) */
};

/* Is the name one of the words that a text trace writes where it writes a register's name:
 * priv=0x3, trap=2:0x0, load8[0x100]=0x5? */
static bool is_trace_word(const char *name)
{
    static const char *const words[] = {"pc", "priv", "trap", "interrupt"};
    static const char *const accesses[] = {"load", "store"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], name) == 0)
            return true;
    for (size_t i = 0; i < sizeof accesses / sizeof *accesses; i++) {
        size_t length = strlen(accesses[i]);
        if (strncmp(accesses[i], name, length) == 0 &&
            strspn(name + length, "0123456789") == strlen(name + length))
            return true;
    }
    return false;
}

static void claim_register_name(struct spec *spec, const struct node *node, const char *name)
{
    const struct node *first = map_get(&spec->names, name);

    if (strlen(name) > NAME_LIMIT) {
        diag_error(spec->diag, &node->at, "a register '%s'; expected a name of up to %d bytes",
                   name, NAME_LIMIT);
        return;
    }
    if (is_trace_word(name)) {
        diag_error(spec->diag, &node->at,
                   "a register '%s'; traces have another meaning for this word, so rename it",
                   name);
        return;
    }
    if (first) {
        diag_error(spec->diag, &node->at,
                   "a second register '%s'; every register name must be unique", name);
        diag_note(spec->diag, &first->at, "first here");
        return;
    }
    map_set(&spec->names, name, (void *)node);
}

static void read_register_names(struct spec *spec, struct spec_register_file *file,
                                const struct node *node)
{
    if (!node_expect(&spec->context, node, NODE_SEQUENCE, "names"))
        return;
    if (node->count < 2 || node->count > REGISTERS_LIMIT) {
        diag_error(spec->diag, &node->at, "%zu registers; expected 2 to %d", node->count,
                   REGISTERS_LIMIT);
        return;
    }
    file->names = arena_array(spec->arena, node->count, sizeof *file->names);
    for (size_t i = 0; i < node->count; i++) {
        const char *name = node_text(&spec->context, node->items[i], "register name");
        if (!name)
            name = "?";
        else if (!node_is_name(name, false))
            diag_error(spec->diag, &node->items[i]->at, "'%s' is not a name for a register", name);
        else
            claim_register_name(spec, node->items[i], name);
        file->names[i] = name;
    }
    file->count = node->count;
}

/* Registers the names x0, x1, ... An ABI name, which is `known`, may equal its numeric name. */
static void claim_numeric_names(struct spec *spec, struct spec_register_file *file,
                                const struct node *node, bool known)
{
    if (!node_is_name(file->numeric, false)) {
        diag_error(spec->diag, &node->at, "'%s' is not a prefix for register names", file->numeric);
        return;
    }
    for (size_t i = 0; i < file->count; i++) {
        const char *name = arena_format(spec->arena, "%s%zu", file->numeric, i);
        if (!known || strcmp(name, file->names[i]))
            claim_register_name(spec, node, name);
    }
}

/* Reads `count: 8`: the registers have numeric names only. */
static void read_register_count(struct spec *spec, struct spec_register_file *file,
                                const struct node *node)
{
    if (!node_unsigned(&spec->context, node, "count", REGISTERS_LIMIT, &file->count))
        return;
    if (!file->numeric || file->count < 2) {
        diag_error(spec->diag, &node->at,
                   file->numeric
                       ? "%llu registers; expected 2 to %d"
                       : "%llu registers without names; add 'names', or 'numeric' with a prefix",
                   (unsigned long long)file->count, REGISTERS_LIMIT);
        file->count = 0;
        return;
    }
    file->names = arena_array(spec->arena, file->count, sizeof *file->names);
    for (size_t i = 0; i < file->count; i++)
        file->names[i] = arena_format(spec->arena, "%s%zu", file->numeric, i);
}

/* Reads the names, or the number of registers that have none. */
static void read_register_list(struct spec *spec, struct spec_register_file *file,
                               const struct node *node)
{
    const struct node *names = node_get(node, "names"), *count = node_get(node, "count");

    file->numeric = node_text(&spec->context, node_get(node, "numeric"), "numeric");
    if (names && count)
        diag_error(spec->diag, &count->at,
                   "register file '%s' has 'names' and 'count'; the names are as many as the "
                   "registers, so remove the count",
                   file->name);
    else if (names)
        read_register_names(spec, file, names);
    else if (count)
        read_register_count(spec, file, count);
    else
        diag_error(spec->diag, &node->at,
                   "register file '%s' has no 'names'; add them, or 'count' and 'numeric'",
                   file->name);
    if (file->numeric)
        claim_numeric_names(spec, file, node_get(node, "numeric"), names != NULL);
}

static void read_also(struct spec *spec, struct spec_register_file *file, const struct node *node)
{
    map_init(&file->also, spec->arena);
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "also"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i];
        uint64_t *number = arena_new(spec->arena, uint64_t);
        if (!node_is_name(key->text, false))
            diag_error(spec->diag, &key->at, "'%s' is not a name for a register", key->text);
        else if (node_unsigned(&spec->context, node->items[2 * i + 1], "register number",
                               file->count ? file->count - 1 : 0, number)) {
            claim_register_name(spec, key, key->text);
            map_set(&file->also, key->text, number);
        }
    }
}

static const struct position *register_file_position(const void *file)
{
    return &((const struct spec_register_file *)file)->at;
}

static void read_width(struct spec *spec, struct spec_register_file *file, const struct node *node)
{
    enum { LIMIT = 64 * ISA_WORDS_LIMIT };

    if (!node_unsigned(&spec->context, node, "width", LIMIT, &file->width))
        file->width = 64;
    if (file->width % 8 || !file->width) {
        diag_error(spec->diag, &node->at,
                   "a register of %llu bits; expected a multiple of 8 from 8 to %d",
                   (unsigned long long)file->width, LIMIT);
        file->width = 64;
    }
}

/* Reads `standard`: whether this is a file of RISC-V itself. There is one of each kind at most. */
static void read_standard(struct spec *spec, struct spec_register_file *file,
                          const struct node *node)
{
    const char *text = node_text(&spec->context, node, "standard");

    if (!text)
        return;
    if (strcmp(text, "integer") == 0)
        file->standard = ISA_STANDARD_INTEGER;
    else if (strcmp(text, "float") == 0)
        file->standard = ISA_STANDARD_FLOAT;
    else
        diag_error(spec->diag, &node->at, "standard is '%s'; expected integer or float", text);
    for (size_t i = 0; file->standard && i < spec->register_files.count; i++) {
        const struct spec_register_file *other =
            SPEC_AT(spec->register_files, i, struct spec_register_file);
        if (other->standard != file->standard)
            continue;
        diag_error(spec->diag, &node->at,
                   "a second file with 'standard: %s'; the emulator keeps the registers of other "
                   "files apart, so remove it",
                   text);
        diag_note(spec->diag, &other->at, "first here");
    }
    if (file->standard && file->width != 64)
        diag_error(spec->diag, &node->at, "a standard file of %llu bits; expected 64",
                   (unsigned long long)file->width);
}

/* Gives the registers of a file their place. One more is for writes to a register that is
 * hard-wired to 0. */
static void place_registers(struct spec *spec, struct spec_register_file *file)
{
    file->words = (file->width + 63) / 64;
    if (file->standard)
        return;
    file->place = spec->register_words;
    spec->register_words += file->words * (file->count + file->zero);
}

void spec_read_registers(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"summary!", "width!", "names",    "count", "numeric",
                                       "also",     "zero",   "standard", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "register file '%s'", key->text);
        if (!spec_declare(spec, &spec->register_files, key, "register file",
                          register_file_position) ||
            !node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_register_file *file = arena_new(spec->arena, struct spec_register_file);
        file->name = key->text;
        file->at = key->at;
        file->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        if (spec->register_files.count == FILES_LIMIT) {
            diag_error(spec->diag, &key->at,
                       "register file '%s' is one too many; expected up to %d", key->text,
                       FILES_LIMIT);
            continue;
        }
        read_width(spec, file, node_get(node, "width"));
        read_register_list(spec, file, node);
        read_also(spec, file, node_get(node, "also"));
        file->zero = node_bool(&spec->context, node_get(node, "zero"), "zero", false);
        read_standard(spec, file, node_get(node, "standard"));
        place_registers(spec, file);
        file->index = (unsigned)spec->register_files.count;
        map_set(&spec->register_files, file->name, file);
    }
}

static const struct position *constant_position(const void *constant)
{
    return &((const struct spec_constant *)constant)->at;
}

void spec_read_constants(struct spec *spec, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        struct spec_constant *constant = arena_new(spec->arena, struct spec_constant);
        if (!spec_declare(spec, &spec->constants, key, "constant", constant_position))
            continue;
        const char *what = arena_format(spec->arena, "constant '%s'", key->text);
        node_unsigned(&spec->context, node, what, UINT64_MAX, &constant->value);
        constant->at = key->at;
        map_set(&spec->constants, key->text, constant);
    }
}

static void add_enum_value(struct spec *spec, struct spec_enum *values, const struct node *node,
                           uint64_t value)
{
    for (size_t k = 0; k < values->count; k++)
        if (values->values[k].value == value)
            diag_error(spec->diag, &node->at, "'%s' has the value of '%s'; values must differ",
                       node->text, values->values[k].name);
    values->values[values->count++] = (struct isa_named_value){node->text, (uint32_t)value};
}

/* Reads [NAME, …]: the names of constants, with their values. */
static void read_enum_constants(struct spec *spec, struct spec_enum *values,
                                const struct node *node)
{
    values->values = arena_array(spec->arena, node->count, sizeof *values->values);
    for (size_t i = 0; i < node->count; i++) {
        uint64_t value;
        const struct node *name = node->items[i];
        if (!spec_constant(spec, name, "a value", UINT32_MAX, &value))
            continue;
        if (node_is_name(name->text, false))
            add_enum_value(spec, values, name, value);
        else
            diag_error(spec->diag, &name->at, "'%s' in a list of constants; expected a name",
                       name->text);
    }
}

static void read_enum_values(struct spec *spec, struct spec_enum *values, const struct node *node)
{
    if (node && node->kind == NODE_SEQUENCE) {
        read_enum_constants(spec, values, node);
        return;
    }
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "values"))
        return;
    values->values = arena_array(spec->arena, node->count, sizeof *values->values);
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i];
        uint64_t value = 0;
        if (!node_is_name(key->text, false) && !node_is_number(key->text))
            diag_error(spec->diag, &key->at, "'%s' is not a name for a value, and not a number",
                       key->text);
        if (!node_unsigned(&spec->context, node->items[2 * i + 1], key->text, UINT32_MAX, &value))
            continue;
        add_enum_value(spec, values, key, value);
    }
}

static const struct position *enum_position(const void *values)
{
    return &((const struct spec_enum *)values)->at;
}

void spec_read_enums(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"summary!", "values!", "reserved", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "enum '%s'", key->text);
        if (!spec_declare(spec, &spec->enums, key, "enum", enum_position) ||
            !node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_enum *values = arena_new(spec->arena, struct spec_enum);
        values->name = key->text;
        values->at = key->at;
        values->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        read_enum_values(spec, values, node_get(node, "values"));
        const struct node *reserved = node_get(node, "reserved");
        const char *text = node_text(&spec->context, reserved, "reserved");
        values->decodes_reserved = text && strcmp(text, "decode") == 0;
        if (text && !values->decodes_reserved && strcmp(text, "illegal"))
            diag_error(spec->diag, &reserved->at,
                       "reserved is '%s'; expected 'decode' or 'illegal' (the default)", text);
        values->index = (unsigned)spec->enums.count;
        map_set(&spec->enums, values->name, values);
    }
}

/* Returns how instructions of a class may be in a bundle. */
static const char *read_bundle(struct spec *spec, const struct node *node)
{
    static const char *const names[][2] = {
        {"none", "NONE"}, {"main", "MAIN"}, {"last", "LAST"}, {"auxiliary", "AUXILIARY"}};
    const char *text = node ? node_text(&spec->context, node, "bundle") : NULL;

    for (size_t i = 0; text && i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i][0]) == 0)
            return names[i][1];
    if (text)
        diag_error(spec->diag, &node->at,
                   "bundle is '%s'; expected main, last, auxiliary or none (the default)", text);
    return names[0][1];
}

void spec_read_classes(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"summary!", "latency", "pipelined", "bundle", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "timing class '%s'", key->text);
        if (!spec_declare(spec, &spec->classes, key, "timing class", NULL) ||
            !node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_class *timing = arena_new(spec->arena, struct spec_class);
        timing->name = key->text;
        timing->summary = node_text(&spec->context, node_get(node, "summary"), "summary");
        timing->at = key->at;
        timing->is_pipelined =
            node_bool(&spec->context, node_get(node, "pipelined"), "pipelined", true);
        if (node_unsigned(&spec->context, node_get(node, "latency"), "latency", UINT16_MAX,
                          &timing->latency) &&
            timing->latency == 0)
            diag_error(spec->diag, &node_get(node, "latency")->at,
                       "latency is 0; expected at least 1");
        timing->bundle = read_bundle(spec, node_get(node, "bundle"));
        timing->index = (unsigned)spec->classes.count;
        map_set(&spec->classes, timing->name, timing);
    }
}
