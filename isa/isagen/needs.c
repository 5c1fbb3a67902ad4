/*
 * Entries that concern several extensions: `needs`, the extensions that an instruction or alias
 * needs, and `refines`, the instruction whose encoding a more special one takes a part of.
 */
#include "isa/isagen/spec.h"

#include <string.h>

enum { EXTENSION_LIMIT = 64 }; /* bits of an isa_set */

/* Reads "zcb + zbb": all of these. Returns 0 after an error. */
static isa_set read_set(struct spec *spec, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "needs");
    isa_set set = 0;

    for (size_t length; text && *text; text += length + strspn(text + length, " +")) {
        length = strcspn(text, " +");
        const char *name = arena_copy(spec->arena, text, length);
        const struct spec_extension *extension = map_get(&spec->extensions, name);
        if (!extension) {
            diag_error(spec->diag, &node->at, "unknown extension '%s'%s", name,
                       node_suggest(&spec->context, &spec->extensions, name));
            return 0;
        }
        set |= (isa_set)1 << extension->index;
    }
    return set;
}

struct isa_needs spec_read_needs(struct spec *spec, const struct spec_file *file,
                                 const struct node *node)
{
    struct isa_needs needs = {{0}};

    if (!node)
        return file->needs;
    if (!node_expect(&spec->context, node, NODE_SEQUENCE, "needs"))
        return needs;
    if (!node->count || node->count > ISA_NEEDS)
        diag_error(spec->diag, &node->at, "needs has %zu alternatives; expected 1 to %d",
                   node->count, ISA_NEEDS);
    for (size_t i = 0; i < node->count && i < ISA_NEEDS; i++)
        needs.any[i] = read_set(spec, node->items[i]);
    return needs;
}

void spec_read_file_needs(struct spec *spec, struct spec_file *file)
{
    if (!file->extension)
        return;
    if (file->extension->index >= EXTENSION_LIMIT) {
        diag_error(spec->diag, &file->extension->at,
                   "'%s' is one extension too many; there are at most %d", file->extension->name,
                   EXTENSION_LIMIT);
        return;
    }
    file->needs = (struct isa_needs){{(isa_set)1 << file->extension->index}};
    file->needs = spec_read_needs(spec, file, node_get(file->root, "needs"));
}

static void resolve(struct spec *spec, struct spec_instruction *instruction,
                    const struct node *node)
{
    const char *name = node_text(&spec->context, node, "refines");
    const struct spec_instruction *base = name ? map_get(&spec->instructions, name) : NULL;

    if (name && !base)
        diag_error(spec->diag, &node->at, "unknown instruction '%s'%s", name,
                   node_suggest(&spec->context, &spec->instructions, name));
    if (!base || !base->layout || !instruction->layout)
        return;
    if (base->layout->bits != instruction->layout->bits || (base->mask & ~instruction->mask) ||
        base->mask == instruction->mask || (base->match ^ instruction->match) & base->mask)
        diag_error(
            spec->diag, &node->at,
            "the encoding of '%s' is not a part of that of '%s'; expected the same bits, and "
            "further ones that are fixed",
            instruction->mnemonic, name);
    else if (node_get(base->node, "refines"))
        diag_error(spec->diag, &node->at, "'%s' refines another instruction itself", name);
    else
        instruction->refines = base;
}

void spec_resolve_refines(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        const struct node *node = node_get(instruction->node, "refines");
        if (node)
            resolve(spec, instruction, node);
    }
}
