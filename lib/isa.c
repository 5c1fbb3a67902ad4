/*
 * Queries of the generated tables: decoding, fields of a word, names. Nothing here depends on a
 * particular instruction.
 *
 * Decoding walks the tree of isa_tree.h to a few candidates and compares their masks. It then
 * checks for every operand whether its field holds a meaningful value. So a word is legal exactly
 * if some operand values assemble to it (apart from ignored bits).
 */
#include "lib/isa.h"

#include "isa_ids.h"
#include "lib/isa_tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* RISC-V Unprivileged ISA, 1.5 "Base Instruction-Length Encoding". */
int isa_length(uint16_t low)
{
    if (isa_is_short(low))
        return 2;
    if (!isa_is_long(low))
        return 4;
    if ((low & 0x3f) == 0x1f)
        return 6;
    if ((low & 0x7f) == 0x3f)
        return 8;
    return 0;
}

/* ---- fields ---- */

static uint64_t low_bits(unsigned count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

static bool is_signed_kind(const struct isa_operand_type *type)
{
    return type->is_signed && (type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET);
}

static uint64_t piece_value(const struct isa_piece *piece, uint64_t word)
{
    return (word >> piece->word_lsb & low_bits(piece->width)) << piece->value_lsb;
}

int64_t isa_extract(const struct isa_operand *operand, uint64_t word)
{
    const struct isa_operand_type *type = operand->type;
    const struct isa_field *field = operand->field;
    uint64_t value = piece_value(&field->pieces[0], word);

    for (unsigned i = 1; i < field->piece_count; i++)
        value |= piece_value(&field->pieces[i], word);
    if (is_signed_kind(type) && value >> (field->bits - 1) & 1)
        value |= ~low_bits(field->bits);
    if (type->extends)
        value &= low_bits(type->extends);
    return (int64_t)(value + type->first);
}

void isa_extract_all(const struct isa_instruction *instruction, uint64_t word, int64_t *values)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        values[i] = isa_extract(&instruction->operands[i], word);
}

uint64_t isa_insert(const struct isa_field *field, uint64_t word, int64_t value)
{
    for (unsigned i = 0; i < field->piece_count; i++) {
        const struct isa_piece *piece = &field->pieces[i];
        uint64_t mask = UINT64_MAX >> (64 - piece->width) << piece->word_lsb;
        uint64_t bits = (uint64_t)value >> piece->value_lsb << piece->word_lsb;
        word ^= (word ^ bits) & mask;
    }
    return word;
}

void isa_range(const struct isa_operand *operand, int64_t *minimum, int64_t *maximum, int64_t *step)
{
    const struct isa_operand_type *type = operand->type;

    *step = operand->field ? (int64_t)1 << operand->field->lowest : 1;
    *minimum = type->is_signed ? -((int64_t)1 << (type->bits - 1)) : 0;
    *maximum = (int64_t)low_bits(type->bits - type->is_signed) & -*step;
}

static bool is_named_value(const struct isa_enum *values, int64_t value)
{
    for (unsigned i = 0; i < values->count; i++)
        if (values->values[i].value == (uint64_t)value)
            return true;
    return false;
}

static bool is_set_of(const struct isa_enum *values, int64_t value)
{
    for (unsigned i = 0; i < values->count; i++)
        value &= ~(int64_t)values->values[i].value;
    return value == 0;
}

static bool matches_ri(const struct isa_operand_type *type, int64_t value)
{
    return isa_ri_is_immediate(type, (uint64_t)value) ||
           (((uint64_t)value & type->ri_register_mask) == type->ri_register_match &&
            isa_ri_value(type, (uint64_t)value) < type->file->count);
}

static bool in_width(const struct isa_operand *operand, int64_t value)
{
    unsigned bits = operand->field ? operand->field->bits : operand->type->bits;

    return value >= 0 && (uint64_t)value <= low_bits(bits);
}

bool isa_is_register(const struct isa_operand_type *type, int64_t value)
{
    unsigned count = type->count ? type->count : type->file ? type->file->count : 1u << type->bits;

    return value >= type->first && value < type->first + (int64_t)count &&
           !(type->except >> value & 1);
}

unsigned isa_registers_read(const struct isa_operand *operand, uint64_t word, unsigned *first)
{
    const struct isa_operand_type *type = operand->type;

    *first = (unsigned)isa_extract(operand, word);
    if (type->kind == ISA_REGISTER_OR_IMMEDIATE) {
        bool immediate = isa_ri_is_immediate(type, *first);
        *first = isa_ri_value(type, *first);
        return immediate ? 0 : 1;
    }
    if (!(type->access & ISA_READ))
        return 0;
    return type->kind == ISA_REGISTER         ? 1
           : type->kind == ISA_REGISTER_GROUP ? type->group_count
                                              : 0;
}

/* Returns a value as it was before sign extension (`extends`). */
static int64_t unextended(const struct isa_operand_type *type, int64_t value)
{
    if (type->extends && value >= 0 && (uint64_t)value <= low_bits(type->extends) &&
        value >> (type->extends - 1))
        value -= (int64_t)1 << type->extends;
    return value;
}

bool isa_fits(const struct isa_operand *operand, int64_t value)
{
    const struct isa_operand_type *type = operand->type;
    int64_t minimum, maximum, step;

    switch (type->kind) {
    case ISA_REGISTER:
        return isa_is_register(type, value) &&
               (type->file || type->count || in_width(operand, value));
    case ISA_REGISTER_GROUP:
        return value >= 0 && value + type->group_count <= type->file->count &&
               value % type->group_count == 0;
    case ISA_REGISTER_OR_IMMEDIATE:
        return in_width(operand, value) && matches_ri(type, value);
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        isa_range(operand, &minimum, &maximum, &step);
        value = unextended(type, value);
        return value >= minimum && value <= maximum && !(value & (step - 1)) &&
               !(type->nonzero && value == 0);
    case ISA_ENUM:
        return in_width(operand, value) &&
               (type->values->decodes_reserved || is_named_value(type->values, value));
    case ISA_SET:
        return in_width(operand, value) &&
               (type->values->decodes_reserved || is_set_of(type->values, value));
    case ISA_CSR:
        return in_width(operand, value);
    case ISA_OPCODE:
        return in_width(operand, value) && isa_length((uint16_t)value) == operand->field->length;
    case ISA_VALUE:
        return !type->bits ||
               (int64_t)((uint64_t)value << (64 - type->bits)) >> (64 - type->bits) == value;
    case ISA_SYMBOL:
        return true;
    }
    return false;
}

uint64_t isa_ri_register(const struct isa_operand_type *type, unsigned number)
{
    return type->ri_register_match | (number & low_bits(type->ri_register_bits));
}

uint64_t isa_ri_immediate(const struct isa_operand_type *type, uint64_t value)
{
    return type->ri_immediate_match | (value & low_bits(type->ri_immediate_bits));
}

bool isa_ri_is_immediate(const struct isa_operand_type *type, uint64_t raw)
{
    return (raw & type->ri_immediate_mask) == type->ri_immediate_match;
}

unsigned isa_ri_value(const struct isa_operand_type *type, uint64_t raw)
{
    unsigned bits =
        isa_ri_is_immediate(type, raw) ? type->ri_immediate_bits : type->ri_register_bits;

    return (unsigned)(raw & low_bits(bits));
}

/* ---- extensions ---- */

bool isa_has(isa_set set, const struct isa_needs *needs)
{
    bool has = false;

    for (unsigned i = 0; i < ISA_NEEDS; i++)
        has |= needs->any[i] && !(needs->any[i] & ~set);
    return has;
}

/* ---- decoding ---- */

/* Returns the leaf of the tree for the word, or NULL for a length that does not exist. */
static const struct isa_tree_node *find_leaf(uint64_t word, int length)
{
    if (length < 2 || length > 8 || length % 2)
        return NULL;
    const struct isa_tree_node *node = &isa_tree_nodes[isa_tree_roots[length / 2 - 1]];
    while (node->width)
        node = &isa_tree_nodes[isa_tree_children[node->first +
                                                 (word >> node->shift & low_bits(node->width))]];
    return node;
}

/* Returns the index of the first operand that does not fit, or -1. */
static int misfit(const struct isa_instruction *instruction, uint64_t word)
{
    for (unsigned left = instruction->checked; left; left &= left - 1) {
        int i = __builtin_ctz(left);
        if (!isa_fits(&instruction->operands[i], isa_extract(&instruction->operands[i], word)))
            return i;
    }
    return -1;
}

static const struct isa_constraint *broken_constraint(const struct isa_instruction *instruction,
                                                      uint64_t word)
{
    int64_t values[ISA_OPERAND_LIMIT];

    if (instruction->constraint_count)
        isa_extract_all(instruction, word, values);
    for (unsigned i = 0; i < instruction->constraint_count; i++)
        if (!instruction->constraints[i].holds(values))
            return &instruction->constraints[i];
    return NULL;
}

const struct isa_instruction *isa_decode(uint64_t word, int length)
{
    return isa_decode_enabled(word, length, ISA_EVERY_EXTENSION);
}

const struct isa_instruction *isa_decode_enabled(uint64_t word, int length, isa_set enabled)
{
    const struct isa_tree_node *leaf = find_leaf(word, length);

    for (unsigned i = 0; leaf && i < leaf->count; i++) {
        const struct isa_instruction *instruction =
            &isa_instructions[isa_tree_leaves[leaf->first + i]];
        if ((word & instruction->mask) == instruction->match &&
            isa_has(enabled, &instruction->needs) && misfit(instruction, word) < 0 &&
            !broken_constraint(instruction, word))
            return instruction;
    }
    return NULL;
}

static int64_t argument_value(const struct isa_argument *argument, const int64_t *values)
{
    return argument->kind == ISA_ARGUMENT_CONSTANT ? argument->constant : values[argument->operand];
}

const struct isa_instruction *isa_operands(const struct isa_instruction *instruction, uint64_t word,
                                           int64_t *values)
{
    if (!instruction->expansion) {
        isa_extract_all(instruction, word, values);
        return instruction;
    }
    const struct isa_step *step = &instruction->expansion->step;
    int64_t own[ISA_OPERAND_LIMIT];
    isa_extract_all(instruction, word, own);
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        values[i] = argument_value(&step->arguments[i], own);
    return step->instruction;
}

bool isa_is_idle_branch(const struct isa_instruction *instruction, const int64_t *values,
                        unsigned length)
{
    for (unsigned i = 0; instruction->inverse && i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET)
            return values[i] == (int64_t)length;
    return false;
}

const struct isa_instruction *isa_expand(const struct isa_instruction *instruction, uint64_t *word)
{
    int64_t values[ISA_OPERAND_LIMIT];

    if (!instruction->expansion)
        return instruction;
    const struct isa_instruction *base = isa_operands(instruction, *word, values);
    *word = isa_encode(base, values);
    return base;
}

bool isa_compress(const struct isa_compression *compression, const int64_t *values, int open,
                  int64_t *compressed)
{
    const struct isa_instruction *instruction = compression->compressed;
    const struct isa_step *step = &compression->step;
    unsigned bound = 0, open_operand = ISA_OPERAND_LIMIT;

    for (unsigned i = 0; i < step->instruction->operand_count; i++) {
        const struct isa_argument *argument = &step->arguments[i];
        bool constant = argument->kind == ISA_ARGUMENT_CONSTANT;
        if ((int)i == open) {
            if (constant)
                return false;
            open_operand = argument->operand;
        } else if (constant ? argument->constant != values[i]
                            : bound >> argument->operand & 1 &&
                                  compressed[argument->operand] != values[i]) {
            return false;
        }
        if (constant)
            continue;
        bound |= 1u << argument->operand;
        compressed[argument->operand] = values[i];
    }
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (i != open_operand && !isa_fits(&instruction->operands[i], compressed[i]))
            return false;
    return !instruction->hint || !instruction->hint(compressed);
}

const struct isa_instruction *isa_find_compressed(const struct isa_instruction *instruction,
                                                  const int64_t *values, int open, isa_set enabled,
                                                  int64_t *compressed)
{
    for (unsigned i = 0; i < instruction->compression_count; i++)
        if (isa_has(enabled, &instruction->compressions[i].compressed->needs) &&
            isa_compress(&instruction->compressions[i], values, open, compressed))
            return instruction->compressions[i].compressed;
    return NULL;
}

uint64_t isa_encode(const struct isa_instruction *instruction, const int64_t *values)
{
    uint64_t word = instruction->match;

    for (unsigned i = 0; i < instruction->operand_count; i++)
        word = isa_insert(instruction->operands[i].field, word, values[i]);
    return word;
}

static const char *explain_candidate(const struct isa_instruction *instruction, uint64_t word,
                                     char *buffer, size_t size)
{
    uint64_t reserved = word & instruction->reserved;

    if (reserved) {
        snprintf(buffer, size, "reserved bits 0x%llx of %s are set", (unsigned long long)reserved,
                 instruction->mnemonic);
        return buffer;
    }
    int bad = misfit(instruction, word);
    if (bad >= 0) {
        const struct isa_operand *operand = &instruction->operands[bad];
        snprintf(buffer, size, "operand '%s' of %s has the reserved value %lld; expected %s",
                 operand->name, instruction->mnemonic, (long long)isa_extract(operand, word),
                 operand->type->summary);
        return buffer;
    }
    const struct isa_constraint *constraint = broken_constraint(instruction, word);
    if (!constraint)
        return NULL;
    snprintf(buffer, size, "%s: %s", instruction->mnemonic, constraint->message);
    return buffer;
}

const char *isa_explain(uint64_t word, int length, char *buffer, size_t size)
{
    if (length != 2 && length != 4 && length != 6 && length != 8)
        return "no instruction has this length";
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        uint64_t fixed = instruction->mask & ~instruction->reserved;
        if (instruction->length != length || (word & fixed) != instruction->match)
            continue;
        const char *reason = explain_candidate(instruction, word, buffer, size);
        if (reason)
            return reason;
    }
    return "no such encoding";
}

/* ---- names ---- */

/* Returns the index of the first entry not less than `name`, in a table whose entries begin with a
 * `const char *` that they are sorted by. */
static size_t lower_bound(const void *table, size_t count, size_t size, const char *name)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *const *entry = (const void *)((const char *)table + middle * size);
        if (strcmp(*entry, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct isa_form *find_forms(const struct isa_form *forms, size_t form_count,
                                         const char *mnemonic, size_t *count)
{
    size_t first = lower_bound(forms, form_count, sizeof *forms, mnemonic), end = first;

    while (end < form_count && strcmp(forms[end].mnemonic, mnemonic) == 0)
        end++;
    *count = end - first;
    return end > first ? &forms[first] : NULL;
}

const struct isa_form *isa_find_forms(const char *mnemonic, size_t *count)
{
    return find_forms(isa_forms, isa_form_count, mnemonic, count);
}

const struct isa_form *isa_find_insn_forms(const char *name, size_t *count)
{
    return find_forms(isa_insn_forms, isa_insn_form_count, name, count);
}

const struct isa_instruction *isa_find_instruction(const char *mnemonic)
{
    size_t count;
    const struct isa_form *form = isa_find_forms(mnemonic, &count);

    return form && !form->step_count ? form->instruction : NULL;
}

const struct isa_register_name *isa_find_register(const char *name)
{
    size_t i =
        lower_bound(isa_register_names, isa_register_name_count, sizeof *isa_register_names, name);
    bool found = i < isa_register_name_count && strcmp(isa_register_names[i].name, name) == 0;

    return found ? &isa_register_names[i] : NULL;
}

/* Are the names equal? Most names of a table already differ in the first letter. */
static bool is_name(const char *known, const char *name)
{
    return *known == *name && strcmp(known, name) == 0;
}

const struct isa_csr *isa_find_csr(const char *name)
{
    for (size_t i = 0; i < isa_csr_count; i++)
        if (is_name(isa_csrs[i].name, name))
            return &isa_csrs[i];
    return NULL;
}

const struct isa_csr_name *isa_find_csr_name(const char *name)
{
    for (size_t i = 0; i < isa_csr_name_count; i++)
        if (is_name(isa_csr_names[i].name, name))
            return &isa_csr_names[i];
    return NULL;
}

const char *isa_csr_name(unsigned number)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    if (csr)
        return csr->name;
    for (size_t i = 0; i < isa_csr_name_count; i++)
        if (isa_csr_names[i].number == number && !isa_csr_names[i].before)
            return isa_csr_names[i].name;
    return NULL;
}

bool isa_csr_number(const char *name, unsigned *number)
{
    const struct isa_csr *csr = isa_find_csr(name);
    const struct isa_csr_name *known = csr ? NULL : isa_find_csr_name(name);

    if (csr || known)
        *number = csr ? csr->number : known->number;
    return csr || known;
}

/* Returns the alias that the assembler fills code with: one step, no operands. NULL if there is
 * none. */
static const struct isa_form *find_filler(void)
{
    for (size_t i = 0; i < isa_form_count; i++)
        if (isa_forms[i].fills)
            return &isa_forms[i];
    return NULL;
}

struct isa_nop isa_nop(bool compressed)
{
    const struct isa_form *form = find_filler();
    int64_t values[ISA_OPERAND_LIMIT] = {0}, short_values[ISA_OPERAND_LIMIT] = {0};

    if (!form)
        return (struct isa_nop){0};
    const struct isa_instruction *nop = form->steps->instruction;
    for (unsigned i = 0; i < nop->operand_count; i++)
        values[i] = form->steps->arguments[i].constant;
    const struct isa_instruction *short_nop =
        compressed ? isa_find_compressed(nop, values, -1, ISA_EVERY_EXTENSION, short_values) : NULL;
    return short_nop ? (struct isa_nop){isa_encode(short_nop, short_values), short_nop->length}
                     : (struct isa_nop){isa_encode(nop, values), nop->length};
}

const struct isa_csr *isa_csr_by_number(unsigned number)
{
    unsigned place = number < ISA_CSR_LIMIT ? isa_csr_places[number] : 0;

    return place ? &isa_csrs[place - 1] : NULL;
}

bool isa_is_float_csr(unsigned number)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    return csr && strcmp(csr->extension, "f") == 0;
}

const struct isa_relocation *isa_relocation_by_number(unsigned number)
{
    /* The table is sorted and has each number once, so an entry is at the index of its number or
     * before it. */
    for (size_t i = number < isa_relocation_count ? number + 1 : isa_relocation_count; i > 0; i--)
        if (isa_relocations[i - 1].number <= number)
            return isa_relocations[i - 1].number == number ? &isa_relocations[i - 1] : NULL;
    return NULL;
}

const struct isa_relocation *isa_relocation_for(const char *operator_name,
                                                const struct isa_operand *operand)
{
    for (size_t i = 0; i < isa_relocation_count; i++) {
        const struct isa_relocation *relocation = &isa_relocations[i];
        if (relocation->operator_name && relocation->field && relocation->field == operand->field &&
            strcmp(relocation->operator_name, operator_name) == 0)
            return relocation;
    }
    return NULL;
}

const struct isa_relocation *isa_relocation_of(enum isa_value value, enum isa_place place,
                                               unsigned data_bits)
{
    for (size_t i = 0; i < isa_relocation_count; i++) {
        const struct isa_relocation *relocation = &isa_relocations[i];
        if (relocation->value == value && relocation->place == place &&
            relocation->data_bits == data_bits)
            return relocation;
    }
    return NULL;
}

const struct isa_element *isa_element_by_code(uint32_t code)
{
    for (size_t i = 0; i < isa_element_count; i++)
        if (isa_elements[i].code >= 0 && (uint32_t)isa_elements[i].code == code)
            return &isa_elements[i];
    return NULL;
}

const struct isa_element *isa_element_by_number(uint32_t number)
{
    if (number < ISA_ELEMENT_PLACES)
        return isa_element_by_code(number);
    return number - ISA_ELEMENT_PLACES < isa_element_count
               ? &isa_elements[number - ISA_ELEMENT_PLACES]
               : NULL;
}

const struct isa_element *isa_find_element(const char *name)
{
    for (size_t i = 0; i < isa_element_count; i++)
        if (strcmp(isa_elements[i].name, name) == 0)
            return &isa_elements[i];
    return NULL;
}

/* ---- random words ---- */

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators": SplitMix64. */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t random_in_range(const struct isa_operand *operand, uint64_t random)
{
    int64_t minimum, maximum, step;

    isa_range(operand, &minimum, &maximum, &step);
    switch (random >> 60) {
    case 0:
        return minimum;
    case 1:
        return maximum;
    case 2:
        return step;
    case 3:
        return 0;
    default:
        return minimum + (int64_t)(random & low_bits(operand->type->bits) & ~(uint64_t)(step - 1));
    }
}

static int64_t random_value(const struct isa_operand *operand, uint64_t random)
{
    const struct isa_operand_type *type = operand->type;

    switch (type->kind) {
    case ISA_REGISTER_GROUP:
        return (int64_t)(random % (type->file->count / type->group_count) * type->group_count);
    case ISA_REGISTER_OR_IMMEDIATE:
        return (int64_t)(random >> 63 ? isa_ri_register(type, random & 0xff)
                                      : isa_ri_immediate(type, random & 0xff));
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        return random_in_range(operand, random);
    case ISA_ENUM:
        return type->values->values[random % type->values->count].value;
    case ISA_CSR:
        return random >> 63 && isa_csr_count ? isa_csrs[random % isa_csr_count].number
                                             : (int64_t)(random & low_bits(type->bits));
    default:
        return (int64_t)(random & low_bits(operand->field->bits)) + type->first;
    }
}

uint64_t isa_random_word(const struct isa_instruction *instruction, uint64_t *state)
{
    for (int attempt = 0; attempt < 100000; attempt++) { /* until the constraints hold */
        uint64_t word = instruction->match;
        for (unsigned i = 0; i < instruction->operand_count; i++) {
            const struct isa_operand *operand = &instruction->operands[i];
            word = isa_insert(operand->field, word, random_value(operand, next_random(state)));
        }
        if (isa_decode(word, instruction->length) == instruction)
            return word;
    }
    abort(); /* no operands satisfy the constraints: a bug of the description */
}
