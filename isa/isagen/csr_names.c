/*
 * The section `csr_names`: names of CSRs that the assembler and the disassembler know, and the
 * versions of the privileged architecture and the extensions that have them. The machine need not
 * have them.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* Reads a version of the privileged architecture as its place in the list; 0 is none. */
static unsigned read_version(struct spec *spec, const struct node *node, const char *what)
{
    const char *text = node_text(&spec->context, node, what);

    for (size_t i = 0; text && i < spec->privileged_count; i++)
        if (strcmp(spec->privileged_versions[i], text) == 0)
            return (unsigned)i + 1;
    if (text)
        diag_error(spec->diag, &node->at,
                   "%s is '%s', which is not in 'privileged' of the section 'architecture'", what,
                   text);
    return 0;
}

static const char *read_extension(struct spec *spec, const struct node *node)
{
    const char *name = node_text(&spec->context, node, "extension");

    if (name && !map_get(&spec->architecture_names, name))
        diag_error(spec->diag, &node->at, "unknown extension '%s'%s", name,
                   node_suggest(&spec->context, &spec->architecture_names, name));
    return name;
}

static void add_name(struct spec *spec, const struct spec_csr_name *group, const struct node *key,
                     const char *name, uint64_t number)
{
    const struct spec_csr *csr = map_get(&spec->csrs, name);
    const struct spec_csr_name *known = map_get(&spec->csr_names, name);

    if (known) {
        diag_error(spec->diag, &key->at, "a second CSR name '%s'; remove one", name);
        diag_note(spec->diag, &known->at, "first here");
    } else if (!node_is_name(name, false)) {
        diag_error(spec->diag, &key->at, "'%s' is not a name for a CSR", name);
    } else if (number > 0xfff || (csr && csr->number != number)) {
        diag_error(spec->diag, &key->at, "CSR '%s' has the number 0x%llx; expected %s0x%llx", name,
                   (unsigned long long)number, csr ? "" : "at most ",
                   (unsigned long long)(csr ? csr->number : 0xfff));
    } else {
        struct spec_csr_name *copy = arena_new(spec->arena, struct spec_csr_name);
        *copy = *group;
        copy->name = name;
        copy->number = number;
        copy->at = key->at;
        map_set(&spec->csr_names, name, copy);
    }
}

/* `pmpaddr#: [0x3B0, 0, 63]`: the number of the first, and the indices that replace the #. */
static void add_row(struct spec *spec, const struct spec_csr_name *group, const struct node *key,
                    const struct node *row)
{
    const char *hash = strchr(key->text, '#');
    uint64_t values[3];

    if (row->count != 3 || !hash) {
        diag_error(spec->diag, &row->at,
                   "CSR '%s' is a malformed row; expected NAME#: [number, first, last]", key->text);
        return;
    }
    for (size_t i = 0; i < 3; i++)
        if (!node_unsigned(&spec->context, row->items[i], key->text, 0xfff, &values[i]))
            return;
    for (uint64_t i = values[1]; i <= values[2]; i++)
        add_name(spec, group, key,
                 arena_format(spec->arena, "%.*s%llu%s", (int)(hash - key->text), key->text,
                              (unsigned long long)i, hash + 1),
                 values[0] + (i - values[1]));
}

void spec_read_csr_names(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"names!", "since", "before", "extension",
                                       "also",   "rv32",  NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *node = section->items[i], *names = node_get(node, "names");
        if (!node_check_keys(&spec->context, node, "a group of CSR names", keys) ||
            !node_expect(&spec->context, names, NODE_MAPPING, "names"))
            continue;
        const struct spec_csr_name group = {
            .since = read_version(spec, node_get(node, "since"), "since"),
            .before = read_version(spec, node_get(node, "before"), "before"),
            .extension = read_extension(spec, node_get(node, "extension")),
            .also = read_extension(spec, node_get(node, "also")),
            .rv32 = node_bool(&spec->context, node_get(node, "rv32"), "rv32", false),
        };
        for (size_t k = 0; k < names->count; k++) {
            const struct node *key = names->items[2 * k], *value = names->items[2 * k + 1];
            uint64_t number;
            if (value->kind == NODE_SEQUENCE)
                add_row(spec, &group, key, value);
            else if (node_unsigned(&spec->context, value, key->text, UINT64_MAX, &number))
                add_name(spec, &group, key, key->text, number);
        }
    }
}
