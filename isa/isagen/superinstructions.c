/*
 * The `superinstructions` section: sequences of instructions that are so common that the emulator
 * has one body for each, made of the bodies of the parts. They change nothing but speed: each part
 * is decoded, counted and faults as a separate instruction.
 */
#include "isa/isagen/spec.h"

#include <stdlib.h>
#include <string.h>

static const struct spec_instruction *find_part(struct spec *spec, const struct node *node)
{
    const char *name = node_text(&spec->context, node, "part of a superinstruction");

    if (!name)
        return NULL;
    const struct spec_instruction *part = map_get(&spec->instructions, name);
    if (part && !part->compressed)
        return part;
    diag_error(spec->diag, &node->at,
               part ? "'%s' is a compressed encoding; name its base%s"
                    : "'%s' is not an instruction%s",
               name, part ? "" : node_suggest(&spec->context, &spec->instructions, name));
    return NULL;
}

static bool may_be_followed(struct spec *spec, const struct spec_instruction *part,
                            const struct node *node)
{
    if (!(part->effects & ISA_EFFECT_FLOW))
        return true;
    diag_error(spec->diag, &node->at,
               "'%s' may continue elsewhere, so nothing can follow it in a superinstruction",
               part->mnemonic);
    return false;
}

/* Superinstructions have only the direct form (emu/body/direct.h). */
static bool may_be_part(struct spec *spec, const struct spec_instruction *part,
                        const struct node *node)
{
    const struct spec_accessor *accessor = spec_indirect_accessor(spec, part);
    const char *reason = NULL;

    if (part->fast || part->by_definition)
        reason = "runs a function of the emulator, which superinstructions do not support";
    else if (accessor)
        reason = arena_format(spec->arena, "uses '%s', which superinstructions do not support",
                              accessor->name);
    if (reason)
        diag_error(spec->diag, &node->at, "'%s' %s", part->mnemonic, reason);
    return !reason;
}

static bool read_parts(struct spec *spec, const struct node *node,
                       struct spec_superinstruction *super)
{
    for (size_t i = 0; i < node->count; i++) {
        const struct node *item = node->items[i];
        const struct spec_instruction *part = find_part(spec, item);
        if (!part || !may_be_part(spec, part, item))
            return false;
        if (i + 1 < node->count && !may_be_followed(spec, part, item))
            return false;
        super->parts[super->count++] = part;
        super->name =
            i ? arena_format(spec->arena, "%s_%s", super->name, part->mangled) : part->mangled;
    }
    return true;
}

static void read_superinstruction(struct spec *spec, const struct node *node)
{
    struct spec_superinstruction super = {.node = node};

    if (!node_expect(&spec->context, node, NODE_SEQUENCE, "superinstruction"))
        return;
    if (node->count < 2 || node->count > SPEC_SUPERINSTRUCTION_PARTS) {
        diag_error(spec->diag, &node->at,
                   "a superinstruction of %zu instructions; expected 2 to %d", node->count,
                   SPEC_SUPERINSTRUCTION_PARTS);
        return;
    }
    if (!read_parts(spec, node, &super))
        return;
    for (size_t i = 0; i < spec->superinstruction_count; i++)
        if (strcmp(spec->superinstructions[i].name, super.name) == 0) {
            diag_error(spec->diag, &node->at, "this superinstruction appears twice; remove one");
            diag_note(spec->diag, &spec->superinstructions[i].node->at, "the other one is here");
            return;
        }
    spec->superinstructions =
        arena_grow(spec->arena, spec->superinstructions, spec->superinstruction_count,
                   &spec->superinstruction_capacity, sizeof *spec->superinstructions);
    spec->superinstructions[spec->superinstruction_count++] = super;
}

void spec_read_superinstructions(struct spec *spec, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++)
        read_superinstruction(spec, section->items[i]);
}

/* Orders by the id of the first part, then longest first, because the emulator takes the first that
 * fits; then by name. */
static int compare(const void *left, const void *right)
{
    const struct spec_superinstruction *a = left, *b = right;

    if (a->parts[0]->index != b->parts[0]->index)
        return a->parts[0]->index < b->parts[0]->index ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

void spec_sort_superinstructions(struct spec *spec)
{
    if (spec->superinstruction_count)
        qsort(spec->superinstructions, spec->superinstruction_count,
              sizeof *spec->superinstructions, compare);
}
