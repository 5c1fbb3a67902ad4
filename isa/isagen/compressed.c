/*
 * The `compressed` section: 16-bit encodings of instructions that are described elsewhere. An entry
 * says what it expands to, in the syntax of its base. Decoding, tasm's choice, the disassembly and
 * the manual all follow from that.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static void read_hint(struct spec *spec, struct spec_instruction *instruction,
                      const struct node *node)
{
    const char *text = node_text(&spec->context, node, "hint");

    if (!text)
        return;
    instruction->always_hint = strcmp(text, "always") == 0;
    if (!instruction->always_hint)
        instruction->hint = (struct spec_code){.text = text, .node = node};
}

void spec_read_compressed(struct spec *spec, const struct spec_file *file,
                          const struct node *section)
{
    static const char *const keys[] = {
        "summary!", "encoding!",  "operands", "syntax",      "expands!", "also",  "hint",
        "prints",   "alias_only", "source",   "description", "example",  "needs", NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "compressed instruction '%s'", key->text);
        if (!node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_instruction *instruction = spec_read_instruction(spec, file, key, node);
        if (!instruction)
            continue;
        instruction->compressed = true;
        read_hint(spec, instruction, node_get(node, "hint"));
        instruction->alias_only =
            node_bool(&spec->context, node_get(node, "alias_only"), "alias_only", false);
        instruction->prints =
            spec_read_texts(spec, node_get(node, "prints"), "prints", &instruction->print_count);
    }
}

/* Checks that the base can encode all operand values of the compressed instruction. */
static void check_expansion(struct spec *spec, const struct spec_instruction *instruction,
                            const struct node *node, const struct spec_alias *owner)
{
    const struct spec_instruction *base = instruction->patterns[0].instruction;

    if (base->compressed || base->layout->bits <= instruction->layout->bits)
        diag_error(spec->diag, &node->at, "'%s' is not a longer instruction than '%s'",
                   base->mnemonic, instruction->mnemonic);
    for (size_t i = 0; i < owner->operands.count; i++)
        if (!owner->operands.items[i].mentioned)
            diag_error(spec->diag, &node->at, "the expansion of '%s' does not use its operand '%s'",
                       instruction->mnemonic, owner->operands.items[i].name);
}

static void resolve(struct spec *spec, struct spec_instruction *instruction)
{
    const struct node *expands = node_get(instruction->node, "expands"),
                      *also = node_get(instruction->node, "also");

    if (also && !node_expect(&spec->context, also, NODE_SEQUENCE, "also"))
        return;
    size_t count = 1 + (also ? also->count : 0);
    struct spec_alias owner = {.mnemonic = instruction->mnemonic,
                               .operands = instruction->operands};
    owner.operands.items =
        arena_array(spec->arena, owner.operands.count, sizeof *owner.operands.items);
    if (owner.operands.count)
        memcpy(owner.operands.items, instruction->operands.items,
               owner.operands.count * sizeof *owner.operands.items);
    owner.steps = arena_array(spec->arena, count, sizeof *owner.steps);
    for (size_t i = 0; i < count; i++)
        if (!spec_resolve_pattern(spec, &owner, i ? also->items[i - 1] : expands))
            return;
    if (owner.step_count != count)
        return; /* the instruction is broken itself */
    instruction->patterns = owner.steps;
    instruction->pattern_count = count;
    check_expansion(spec, instruction, expands, &owner);
    if (instruction->hint.text)
        spec_check_condition(spec, instruction, &instruction->hint, "hint");
}

void spec_resolve_compressed(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed && instruction->layout && !instruction->broken)
            resolve(spec, instruction);
    }
}

const struct spec_form *spec_next_print(const struct spec *spec,
                                        const struct spec_instruction *instruction,
                                        const char *mnemonic, size_t *index)
{
    for (; *index < spec->form_count; ++*index) {
        const struct spec_form *form = &spec->forms[*index];
        if (form->alias && strcmp(form->mnemonic, mnemonic) == 0 && form->alias->step_count == 1 &&
            form->alias->steps[0].instruction == instruction->patterns[0].instruction) {
            ++*index;
            return form;
        }
    }
    return NULL;
}

void spec_check_prints(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        for (size_t k = 0; instruction->pattern_count && k < instruction->print_count; k++) {
            size_t index = 0;
            if (!spec_next_print(spec, instruction, instruction->prints[k], &index))
                diag_error(spec->diag, &node_get(instruction->node, "prints")->at,
                           "'%s' is not an alias of '%s', which '%s' expands to",
                           instruction->prints[k], instruction->patterns[0].instruction->mnemonic,
                           instruction->mnemonic);
        }
    }
}
