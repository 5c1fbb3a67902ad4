/*
 * Names of architecture strings: the extensions that the files describe, and further names from the
 * section `architecture`, each with the names that it implies.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static struct spec_architecture_name *declare(struct spec *spec, const struct node *name)
{
    const struct spec_architecture_name *first = map_get(&spec->architecture_names, name->text);

    if (first) {
        diag_error(spec->diag, &name->at, "a second extension '%s'; rename or remove one",
                   name->text);
        diag_note(spec->diag, &first->at, "first here");
        return NULL;
    }
    struct spec_architecture_name *declared = arena_new(spec->arena, struct spec_architecture_name);
    declared->name = name->text;
    declared->at = name->at;
    map_set(&spec->architecture_names, name->text, declared);
    return declared;
}

static void read_abi(struct spec *spec, struct spec_architecture_name *name,
                     const struct node *node)
{
    const char *abi = node_text(&spec->context, node, "abi");

    if (abi)
        name->abi = abi;
}

static void read_flags(struct spec *spec, struct spec_architecture_name *name,
                       const struct node *node)
{
    uint64_t flags;

    if (node_unsigned(&spec->context, node, "elf_flags", UINT32_MAX, &flags))
        name->elf_flags = (uint32_t)flags;
}

void spec_name_extension(struct spec *spec, const struct spec_extension *extension,
                         const struct node *node)
{
    struct spec_architecture_name *name = map_get(&spec->architecture_names, extension->name);
    const struct node *implies = node_get(node, "implies");

    if (!name) {
        name = declare(spec, node_get(node, "name"));
        name->version = extension->version;
        name->extension = extension;
    }
    if (implies && name->implies) {
        diag_error(spec->diag, &implies->at,
                   "a second 'implies' of extension '%s'; write all of it in one file",
                   extension->name);
        diag_note(spec->diag, &name->implies->at, "first here");
    } else if (implies && node_expect(&spec->context, implies, NODE_SEQUENCE, "implies")) {
        name->implies = implies;
    }
    read_abi(spec, name, node_get(node, "abi"));
    read_flags(spec, name, node_get(node, "elf_flags"));
}

static void read_name(struct spec *spec, const struct node *key, const struct node *node)
{
    static const char *const keys[] = {"version", "implies", "elf_flags", NULL};
    const struct node *implies = node_get(node, "implies");

    if (!spec_is_extension_name(key->text)) {
        diag_error(spec->diag, &key->at,
                   "'%s' is not a name for an extension; expected lowercase letters and digits",
                   key->text);
        return;
    }
    const char *what = arena_format(spec->arena, "extension '%s'", key->text);
    if (!node_check_keys(&spec->context, node, what, keys))
        return;
    struct spec_architecture_name *name = declare(spec, key);
    if (!name)
        return;
    name->version = node_text(&spec->context, node_get(node, "version"), "version");
    if (implies && node_expect(&spec->context, implies, NODE_SEQUENCE, "implies"))
        name->implies = implies;
    if (!name->version && !name->implies)
        diag_error(spec->diag, &key->at, "%s has neither 'version' nor 'implies'; add one of them",
                   what);
    read_flags(spec, name, node_get(node, "elf_flags"));
}

static void read_order(struct spec *spec, const struct node *node)
{
    const char *order = node_text(&spec->context, node, "order");

    if (!order)
        return;
    if (spec->architecture_order)
        diag_error(spec->diag, &node->at, "a second 'order' of an architecture; remove one");
    for (size_t i = 0; order[i]; i++)
        if (order[i] < 'a' || order[i] > 'z' || strchr(order + i + 1, order[i])) {
            diag_error(spec->diag, &node->at,
                       "order is '%s'; expected lower-case letters, each of them once", order);
            return;
        }
    spec->architecture_order = order;
}

static void read_privileged(struct spec *spec, const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_SEQUENCE, "privileged"))
        return;
    spec->privileged_versions =
        arena_array(spec->arena, node->count, sizeof *spec->privileged_versions);
    for (size_t i = 0; i < node->count; i++) {
        const char *text = node_text(&spec->context, node->items[i], "privileged");
        if (text)
            spec->privileged_versions[spec->privileged_count++] = text;
    }
}

static void read_specifications(struct spec *spec, const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "specifications"))
        return;
    spec->specifications = arena_array(spec->arena, node->count, sizeof *spec->specifications);
    for (size_t i = 0; i < node->count; i++) {
        const struct node *versions = node->items[2 * i + 1];
        bool ok = node_expect(&spec->context, versions, NODE_MAPPING, "a specification");
        for (size_t k = 0; ok && k < versions->count; k++)
            ok = node_text(&spec->context, versions->items[2 * k + 1], "version") != NULL;
        if (ok)
            spec->specifications[spec->specification_count++] =
                (struct spec_specification){node->items[2 * i]->text, versions};
    }
}

void spec_read_architecture(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"order", "names", "privileged", "specifications", NULL};
    const struct node *names = node_get(section, "names");

    if (!node_check_keys(&spec->context, section, "architecture", keys))
        return;
    read_order(spec, node_get(section, "order"));
    read_privileged(spec, node_get(section, "privileged"));
    read_specifications(spec, node_get(section, "specifications"));
    if (!names || !node_expect(&spec->context, names, NODE_MAPPING, "names"))
        return;
    for (size_t i = 0; i < names->count; i++)
        read_name(spec, names->items[2 * i], names->items[2 * i + 1]);
}

/* ---- what is implied ---- */

/* Follows what a name implies, and reports a name that implies itself. */
static void check_implied(struct spec *spec, struct spec_architecture_name *name)
{
    if (name->visit == VISIT_DONE)
        return;
    name->visit = VISIT_OPEN;
    for (size_t i = 0; name->implies && i < name->implies->count; i++) {
        const struct node *node = name->implies->items[i];
        const char *text = node_text(&spec->context, node, "implied extension");
        struct spec_architecture_name *implied =
            text ? map_get(&spec->architecture_names, text) : NULL;
        if (text && !implied)
            diag_error(spec->diag, &node->at, "'%s' implies '%s', which is not an extension%s",
                       name->name, text,
                       node_suggest(&spec->context, &spec->architecture_names, text));
        else if (implied && implied->visit == VISIT_OPEN)
            diag_error(spec->diag, &node->at, "'%s' implies '%s', which implies '%s' in turn",
                       name->name, text, name->name);
        else if (implied)
            check_implied(spec, implied);
    }
    name->visit = VISIT_DONE;
}

void spec_check_architecture(struct spec *spec)
{
    for (size_t i = 0; i < spec->architecture_names.count; i++)
        check_implied(spec, SPEC_AT(spec->architecture_names, i, struct spec_architecture_name));
}
