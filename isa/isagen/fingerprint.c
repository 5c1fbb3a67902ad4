/*
 * The fingerprint: a hash of a canonical text of everything that changes what a program is or does:
 * encodings, operands, syntax, bodies, registers, CSRs, units, relocations, aliases. Documentation,
 * extensions and positions in files do not matter. The digest of an instruction is a hash of the
 * part of that text that its meaning depends on.
 */
#include "isa/isagen/emit.h"

#include <string.h>

static void add_instruction(struct text *text, const struct spec_instruction *instruction)
{
    text_format(text, "instruction %s %u %llx %llx %llx %s\n", instruction->mnemonic,
                instruction->layout->bits, (unsigned long long)instruction->match,
                (unsigned long long)instruction->mask, (unsigned long long)instruction->reserved,
                instruction->syntax.text ? instruction->syntax.text : "");
    if (instruction->refines)
        text_format(text, "refines %s\n", instruction->refines->mnemonic);
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        text_format(text, "operand %s %s", operand->name, operand->type->name);
        for (size_t k = 0; k < operand->field->piece_count; k++) {
            const struct isa_piece *piece = &operand->field->pieces[k];
            text_format(text, " %u:%u:%u", piece->value_lsb, piece->word_lsb, piece->width);
        }
        text_append_char(text, '\n');
    }
    for (size_t i = 0; i < instruction->constraint_count; i++)
        text_format(text, "require %s\n", instruction->constraints[i].require.text);
    for (size_t i = 0; i < instruction->elements.count; i++)
        text_format(text, "element %s %s\n", instruction->elements.names[i].name,
                    instruction->elements.names[i].element->name);
    if (!instruction->compressed) {
        text_format(text, "semantics %s\n", instruction->semantics.text);
        if (instruction->inverse)
            text_format(text, "relax %s %s\n", instruction->inverse->mnemonic,
                        instruction->jump->mnemonic);
        return;
    }
    const struct node *also = node_get(instruction->node, "also");
    text_format(text, "expands %s", node_get(instruction->node, "expands")->text);
    for (size_t i = 0; also && i < also->count; i++)
        text_format(text, " or %s", also->items[i]->text);
    text_format(text, " hint %s%d%d\n", instruction->hint.text ? instruction->hint.text : "",
                instruction->always_hint, instruction->alias_only);
}

static void add_function(struct text *text, const struct spec_function *function)
{
    text_format(text, "function %s %s", function->returns, function->name);
    for (size_t i = 0; i < function->argument_count; i++)
        text_format(text, " %s %s", function->arguments[i].c_type, function->arguments[i].name);
    text_format(text, " %s\n", function->semantics.text);
}

static void add_type(struct text *text, const struct spec_operand_type *type)
{
    if (type->count || type->except || type->extends)
        text_format(text, "within %llu %llu %llx %llu\n", (unsigned long long)type->first,
                    (unsigned long long)type->count, (unsigned long long)type->except,
                    (unsigned long long)type->extends);
    text_format(
        text, "type %s %d %d %d %s %llu %llu %d%d%d%d %lld %llx %llx %llx %llx %s %s\n", type->name,
        type->kind, type->access, type->view, type->file ? type->file->name : "",
        (unsigned long long)type->bits, (unsigned long long)type->group_count, type->is_signed,
        type->nonzero, type->also_negative, type->has_default, (long long)type->default_value,
        (unsigned long long)type->register_mask, (unsigned long long)type->register_match,
        (unsigned long long)type->immediate_mask, (unsigned long long)type->immediate_match,
        type->values ? type->values->name : "", type->relocation ? type->relocation->name : "");
}

static void add_register_file(struct text *text, const struct spec_register_file *file)
{
    text_format(text, "registers %s %llu %d", file->name, (unsigned long long)file->width,
                file->zero);
    for (size_t i = 0; i < file->count; i++)
        text_format(text, " %s", file->names[i]);
    if (file->numeric)
        text_format(text, " %s0", file->numeric);
    for (size_t i = 0; i < file->also.count; i++)
        text_format(text, " %s=%llu", file->also.entries[i].key,
                    (unsigned long long)*SPEC_AT(file->also, i, uint64_t));
    text_append_char(text, '\n');
}

static void add_enum(struct text *text, const struct spec_enum *values)
{
    text_format(text, "enum %s %d", values->name, values->decodes_reserved);
    for (size_t i = 0; i < values->count; i++)
        text_format(text, " %s=%u", values->values[i].name, values->values[i].value);
    text_append_char(text, '\n');
}

static void add_element(struct text *text, const struct spec_element *element)
{
    text_format(text, "element %s %llu %llu %llu %lld %d %lld %d\n", element->name,
                (unsigned long long)element->bits, (unsigned long long)element->exponent,
                (unsigned long long)element->fraction,
                element->has_code ? (long long)element->code : -1, element->is_signed,
                (long long)element->bias, (int)element->nan);
    if (element->part)
        text_format(text, "pair %s\n", element->part->name);
}

static void add_own_view(struct text *text, const struct spec_operand_type *type)
{
    if (type->view == ISA_VIEW_BITS)
        text_format(text, "view %llu %llu %s\n", (unsigned long long)type->view_bits,
                    (unsigned long long)type->view_count,
                    type->view_element ? type->view_element->name : "");
}

/* Adds what programs can see of a unit: the settings that are not of time, and the state. */
static void add_unit(struct text *text, const struct spec_unit *unit)
{
    text_format(text, "unit %s", unit->name);
    for (size_t i = 0; i < unit->settings.count; i++)
        if (!SPEC_AT(unit->settings, i, struct spec_setting)->is_timing)
            text_format(text, " %s", unit->settings.entries[i].key);
    for (size_t i = 0; i < unit->states.count; i++) {
        const struct spec_state *state = SPEC_AT(unit->states, i, struct spec_state);
        text_format(text, "\nstate %s %s %llu", state->name, state->c_type,
                    (unsigned long long)state->reset);
        for (size_t k = 0; k < state->index_count; k++)
            text_format(text, " %s %s", state->indices[k], state->counts[k].text);
    }
    text_append_char(text, '\n');
}

static void add_names(struct text *text, const struct spec *spec)
{
    for (size_t i = 0; i < spec->register_files.count; i++)
        add_register_file(text, SPEC_AT(spec->register_files, i, struct spec_register_file));
    for (size_t i = 0; i < spec->enums.count; i++)
        add_enum(text, SPEC_AT(spec->enums, i, struct spec_enum));
    for (size_t i = 0; i < spec->elements.count; i++)
        add_element(text, SPEC_AT(spec->elements, i, struct spec_element));
    for (size_t i = 0; i < spec->units.count; i++)
        add_unit(text, SPEC_AT(spec->units, i, struct spec_unit));
}

static void add_field(struct text *text, const struct spec_field *field)
{
    if (field)
        text_format(text, " %s.%s", field->layout, field->name);
    else
        text_append(text, " -");
}

static void add_relocation(struct text *text, const struct spec_relocation *relocation)
{
    text_format(text, "relocation %s %llu %d %d %u %d %d %s", relocation->name,
                (unsigned long long)relocation->number, relocation->value, relocation->place,
                relocation->data_bits, relocation->relaxable, relocation->pointer,
                relocation->operator_name ? relocation->operator_name : "-");
    add_field(text, relocation->field);
    add_field(text, relocation->second);
    add_field(text, relocation->base);
    if (relocation->relaxed)
        text_format(text, " %s", relocation->relaxed->name);
    text_append_char(text, '\n');
}

static void add_csrs_and_relocations(struct text *text, const struct spec *spec)
{
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = spec->csrs_by_number[i];
        text_format(text, "csr %s %llx %s %s\n", csr->name, (unsigned long long)csr->number,
                    csr->read.text, csr->write.text ? csr->write.text : "");
    }
    for (size_t i = 0; i < spec->relocations.count; i++)
        add_relocation(text, spec->relocations_by_number[i]);
}

static void add_alias(struct text *text, const struct spec_alias *alias)
{
    const struct node *expands = node_get(alias->node, "expands");

    text_format(text, "alias%s %s", alias->pic ? " pic" : "", alias->text);
    if (expands->kind == NODE_SCALAR)
        text_format(text, " = %s", expands->text);
    for (size_t i = 0; expands->kind == NODE_SEQUENCE && i < expands->count; i++)
        text_format(text, " = %s", expands->items[i]->text);
    for (size_t i = 0; i < alias->operands.count; i++)
        text_format(text, " %s", alias->operands.items[i].type->name);
    text_format(text, " %d\n", alias->expander);
}

/* Adds what the operand's type is made of. A relocation is the linker's business and no part of
 * what the instruction means. */
static void add_operand_type(struct text *text, const struct spec_operand_type *type)
{
    add_type(text, type);
    if (type->file)
        add_register_file(text, type->file);
    if (type->values)
        add_enum(text, type->values);
}

uint64_t spec_instruction_digest(const struct spec *spec,
                                 const struct spec_instruction *instruction)
{
    struct text text = TEXT_INIT;
    uint64_t name = hash_bytes(instruction->mnemonic, strlen(instruction->mnemonic), 0);
    uint64_t base = instruction->compressed
                        ? spec_instruction_digest(spec, instruction->patterns->instruction)
                        : 0;

    add_instruction(&text, instruction);
    for (size_t i = 0; i < instruction->operands.count; i++)
        add_operand_type(&text, instruction->operands.items[i].type);
    for (size_t i = 0; i < instruction->elements.count; i++)
        add_element(&text, instruction->elements.names[i].element);
    if (!instruction->compressed) {
        const struct spec_used used = spec_used_functions(spec, &instruction->semantics);
        for (size_t i = 0; i < used.count; i++)
            add_function(&text, used.items[i]);
    }
    uint64_t meaning = hash_bytes(text.bytes, text.length, base);
    text_free(&text);
    return name << ISA_DIGEST_BITS | (meaning & ((UINT64_C(1) << ISA_DIGEST_BITS) - 1));
}

uint64_t spec_fingerprint(const struct spec *spec)
{
    struct text text = TEXT_INIT;

    add_names(&text, spec);
    for (size_t i = 0; i < spec->operand_types.count; i++) {
        add_type(&text, SPEC_AT(spec->operand_types, i, struct spec_operand_type));
        add_own_view(&text, SPEC_AT(spec->operand_types, i, struct spec_operand_type));
    }
    for (size_t i = 0; i < spec->functions.count; i++) {
        const struct spec_function *function = SPEC_AT(spec->functions, i, struct spec_function);
        if (function->in_meaning || !function->in_time)
            add_function(&text, function);
    }
    for (size_t i = 0; i < spec->instructions.count; i++)
        add_instruction(&text, SPEC_AT(spec->instructions, i, struct spec_instruction));
    for (size_t i = 0; i < spec->alias_count; i++)
        add_alias(&text, &spec->aliases[i]);
    add_csrs_and_relocations(&text, spec);
    uint64_t hash = hash_bytes(text.bytes ? text.bytes : "", text.length, 0);
    text_free(&text);
    return hash;
}
