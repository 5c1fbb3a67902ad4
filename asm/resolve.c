/* Storing values into bytes, and making relocations of those that only the linker can know.
 *
 * The same fixups become relocations as in GNU as for RISC-V: all branches and jumps, because the
 * linker may remove code between them and their targets; differences of labels in code, as pairs
 * that add and subtract; but not differences of labels in data. */
#include "asm/directive/directive.h"
#include "asm/expression.h"
#include "asm/generate.h"
#include "asm/instruction/instruction.h"
#include "asm/tasm.h"
#include "lib/bytes.h"
#include "lib/leb128.h"
#include <dwarf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- relocations ---- */

static void add_for_fixup(struct assembler *as, const struct fixup *fixup,
                          const struct isa_relocation *type, const struct value *value)
{
    struct section *section = fixup->fragment->section;
    uint64_t offset = fragment_address(fixup->fragment) + fixup->offset;

    section_relocation(as, section, offset, type, value->add, value->constant);
    if (!fixup->relaxable || !type->relaxable || !value->add)
        return;
    if (as->relax)
        section_relocation(as, section, offset, as->relax, NULL, value->constant);
}

/* ---- data ---- */

/* Are both symbols in one section without code, so that the linker keeps their distance? */
static bool is_fixed_distance(struct assembler *as, const struct value *value)
{
    const struct symbol *add, *subtract;
    int64_t offset;

    if (value->add == value->subtract)
        return true;
    return symbol_locate(as, value->add, &add, &offset) &&
           symbol_locate(as, value->subtract, &subtract, &offset) &&
           symbol_section(add) == symbol_section(subtract) && !section_is_code(symbol_section(add));
}

static void report_data(struct assembler *as, const struct fixup *fixup, const struct value *value)
{
    struct position at = expression_place(fixup->expression);
    const struct symbol *symbol = value->add ? value->add : value->subtract;

    if (value->subtract && !value->add)
        diag_error(as->diag, &at,
                   "the negative of an address ('%s') cannot be stored: no relocation computes it",
                   symbol_title(as, symbol));
    else
        diag_error(as->diag, &at,
                   "the address of '%s' cannot be stored in %u byte%s: expected 4 or 8",
                   symbol_title(as, symbol), fixup->size, fixup->size == 1 ? "" : "s");
}

/* Is the value the distance of a symbol from the place where it is stored, in .eh_frame? That has a
 * relocation of its own, because the linker may move the entries. */
static bool is_relative(const struct fixup *fixup, const struct value *value)
{
    const struct symbol *here = value->subtract;

    return fixup->size == 4 && here->kind == SYMBOL_LABEL &&
           symbol_section(here) == fixup->fragment->section &&
           strcmp(fixup->fragment->section->name, ".eh_frame") == 0 &&
           symbol_address(here) == fragment_address(fixup->fragment) + fixup->offset;
}

/* Resolves data with a relocation given by the directive: an address, maybe with an offset. */
static void resolve_as(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    struct value value;

    if (!expression_evaluate(as, fixup->expression, false, &value) ||
        !expression_check_address(as, fixup->expression, value.add))
        return;
    if (!value.add || value.subtract) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "expected the address of a thread-local symbol");
        return;
    }
    value.add->type = STT_TLS;
    /* As GNU as does; the linker overwrites it. */
    bytes_put(place, (uint64_t)value.constant, fixup->size);
    add_for_fixup(as, fixup, fixup_relocation(fixup), &value);
}

static void report_number(struct assembler *as, const struct fixup *fixup, int64_t number)
{
    struct position at = expression_place(fixup->expression);

    diag_error(as->diag, &at, "%" PRId64 " does not fit in %u byte%s", number, fixup->size,
               fixup->size == 1 ? "" : "s");
}

/* Can a datum of this size hold an address, or a distance, plus this number? As in GNU as, the
 * number may need one bit more, for its sign. */
static bool is_addend(int64_t number, unsigned size)
{
    return size == 8 || directive_fits((uint64_t)number, size) ||
           (number < 0 && number >= -(INT64_C(1) << 8 * size));
}

static void resolve_data(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    struct value value;

    if (!expression_evaluate_unfolded(as, fixup->expression, &value) ||
        !expression_check_address(as, fixup->expression, value.add) ||
        !expression_check_address(as, fixup->expression, value.subtract))
        return;
    if (value.add && value.subtract && is_fixed_distance(as, &value) &&
        !expression_evaluate(as, fixup->expression, false, &value))
        return;
    unsigned bits = 8 * fixup->size;
    const struct data_relocations *types = &as->data_relocations[fixup->size];
    if (value.add && value.subtract && is_relative(fixup, &value)) {
        add_for_fixup(as, fixup, isa_relocation_of(ISA_VALUE_S_A_P, ISA_PLACE_DATA, bits), &value);
        return;
    }
    if (value.add && value.subtract) {
        struct value second = {.add = value.subtract};
        if (!types->add || !types->subtract)
            BUG("no relocation for a difference of %u bits", bits);
        if (!is_addend(value.constant, fixup->size)) {
            report_number(as, fixup, value.constant);
            return;
        }
        add_for_fixup(as, fixup, types->add, &value);
        add_for_fixup(as, fixup, types->subtract, &second);
        return;
    }
    if (value.add || value.subtract) {
        if (value.subtract || fixup->size < 4 || !types->address)
            report_data(as, fixup, &value);
        else if (!is_addend(value.constant, fixup->size))
            report_number(as, fixup, value.constant);
        else
            add_for_fixup(as, fixup, types->address, &value);
        return;
    }
    if (directive_fits((uint64_t)value.constant, fixup->size))
        bytes_put(place, (uint64_t)value.constant, fixup->size);
    else
        report_number(as, fixup, value.constant);
}

/* Does the distance of the labels certainly need a pair of relocations? */
static bool is_pair(const struct fixup *fixup)
{
    const struct symbol *add = fixup->add, *subtract = fixup->is_sum ? NULL : fixup->subtract;

    return subtract && add != subtract && add->kind == SYMBOL_LABEL &&
           subtract->kind == SYMBOL_LABEL && section_is_code(symbol_section(add)) &&
           symbol_section(subtract) != fixup->fragment->section;
}

/* Returns the value of an address as an expression. */
static struct expression *address_expression(struct assembler *as, const struct fixup *fixup)
{
    const struct position *at = position_new(as, location_position(as, fixup->at));
    struct expression *add = expression_symbol(as, at, fixup->add);

    if (fixup->is_sum)
        return generate_sum(as, at, add, expression_constant(as, at, (uint64_t)fixup->addend));
    return fixup->subtract
               ? generate_difference(as, at, add, expression_symbol(as, at, fixup->subtract))
               : add;
}

/* Resolves an address or a distance. All but the simplest ones are resolved as expressions. */
static void resolve_address(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    const struct value value = {.add = fixup->add, .constant = fixup->is_sum ? fixup->addend : 0};
    const struct data_relocations *types = &as->data_relocations[fixup->size];

    if ((fixup->is_sum || !fixup->subtract) && fixup->add->kind != SYMBOL_EQUATED &&
        fixup->size >= 4 && types->address && is_addend(value.constant, fixup->size)) {
        add_for_fixup(as, fixup, types->address, &value);
    } else if (is_pair(fixup) && types->add && types->subtract) {
        const struct value second = {.add = fixup->subtract};
        add_for_fixup(as, fixup, types->add, &value);
        add_for_fixup(as, fixup, types->subtract, &second);
    } else {
        struct fixup general = *fixup;
        general.expression = address_expression(as, fixup);
        general.mnemonic = NULL;
        general.instruction = NULL;
        general.operand = NULL;
        resolve_data(as, &general, place);
    }
}

/* ---- instructions ---- */

static void insert(unsigned char *place, const struct isa_instruction *instruction,
                   const struct isa_operand *operand, int64_t value)
{
    uint64_t word = bytes_get(place, instruction->length);

    bytes_put(place, isa_insert(operand->field, word, value), instruction->length);
}

/* Returns the high part of a value: shifted left by 12 and added to the signed low 12 bits, it
 * gives the value. */
static int64_t high_part(int64_t value)
{
    return (int64_t)((uint64_t)value + 0x800) >> 12;
}

static int64_t low_part(int64_t value)
{
    return (int64_t)((uint64_t)value << 52) >> 52;
}

static bool is_thread_local(const struct isa_relocation *relocation)
{
    switch (relocation->value) {
    case ISA_VALUE_HI_TPREL:
    case ISA_VALUE_LO_TPREL:
    case ISA_VALUE_TPREL_ADD:
    case ISA_VALUE_HI_GOT_TPREL_P:
    case ISA_VALUE_HI_GOT_DTPREL_P:
    case ISA_VALUE_DTPREL:
        return true;
    default:
        return false;
    }
}

/* Returns the mnemonic in the source, which may be an alias. */
static const char *written_mnemonic(const struct fixup *fixup)
{
    return fixup->mnemonic ? fixup->mnemonic : fixup->instruction->mnemonic;
}

/* Returns the operator in the source: `%hi`, or the alias that uses it. */
static const char *written_operator(struct assembler *as, const struct fixup *fixup)
{
    bool alias = fixup->mnemonic && fixup->instruction &&
                 strcmp(fixup->mnemonic, fixup->instruction->mnemonic) != 0;

    return alias ? fixup->mnemonic
                 : arena_format(as->arena, "%%%s", fixup_relocation(fixup)->operator_name);
}

static void resolve_operator(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    const struct isa_relocation *relocation = fixup_relocation(fixup);
    struct value value;

    if (!expression_evaluate(as, fixup->expression, false, &value) ||
        !expression_check_address(as, fixup->expression, value.add))
        return;
    if (value.subtract) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "'%s' needs an address or a number; found a difference with '%s'",
                   written_operator(as, fixup), symbol_title(as, value.subtract));
        return;
    }
    if (relocation->value == ISA_VALUE_LO_PCREL && !value.add) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "'%%%s' needs the label of the instruction with the high part",
                   relocation->operator_name);
        return;
    }
    /* As in GNU as, the part of the addend is stored even if there is a relocation; the linker
     * overwrites it. */
    bool high = relocation->value == ISA_VALUE_HI_S_A, low = relocation->value == ISA_VALUE_LO_S_A;
    int64_t part = high ? high_part(value.constant) : low_part(value.constant);
    bool fits = !high || (part >= -(INT64_C(1) << 19) && part < INT64_C(1) << 20);
    if ((high || low) && fits && fixup->operand)
        insert(place, fixup->instruction, fixup->operand, part);
    if (!value.add && high && !fits) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "%" PRId64 " has no high part of 20 bits", value.constant);
    }
    if (!value.add && (high || low))
        return;
    if (value.add && is_thread_local(relocation))
        value.add->type = STT_TLS;
    add_for_fixup(as, fixup, relocation, &value);
}

static void report_distance(struct assembler *as, const struct fixup *fixup, int64_t distance)
{
    char range[80];
    struct position at = expression_place(fixup->expression);

    diag_error(as->diag, &at, "'%s' cannot reach: the distance is %" PRId64 ", expected %s",
               written_mnemonic(fixup), distance,
               operand_range(fixup->operand, range, sizeof range));
}

/* Resolves the target of a branch or jump. It always gets a relocation. The present distance is
 * stored too, for listings and disassemblies of the object. */
static void resolve_target(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    struct value value;
    const struct symbol *label = NULL;
    int64_t offset = 0;
    const struct isa_relocation *relocation = fixup->operand->type->relocation;

    if (!expression_evaluate(as, fixup->expression, false, &value) ||
        !expression_check_address(as, fixup->expression, value.add))
        return;
    if (value.subtract || !relocation) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "a target must be an address; found a difference with '%s'",
                   value.subtract ? symbol_title(as, value.subtract) : "");
        return;
    }
    uint64_t here = fragment_address(fixup->fragment) + fixup->offset;
    uint64_t target = (uint64_t)value.constant;
    if (value.add) {
        bool located = symbol_locate(as, value.add, &label, &offset);
        if (located)
            target += symbol_address(label) + (uint64_t)offset;
        int64_t distance = (int64_t)(target - here);
        if (located && symbol_section(label) == fixup->fragment->section &&
            value.add->binding != STB_WEAK && !isa_fits(fixup->operand, distance)) {
            report_distance(as, fixup, distance);
            return;
        }
        insert(place, fixup->instruction, fixup->operand, distance);
    }
    add_for_fixup(as, fixup, relocation, &value);
}

/* Is this a pseudo-instruction that computes an address and ends with `instruction`? */
static bool makes_address(const struct isa_form *form, const struct isa_instruction *instruction)
{
    if (form->step_count < 2 || form->steps[form->step_count - 1].instruction != instruction)
        return false;
    const struct isa_argument *arguments = form->steps[form->step_count - 1].arguments;
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (arguments[i].kind == ISA_ARGUMENT_FIRST)
            return true;
    return false;
}

/* Appends what accepts an address: the pseudo-instruction, and the operators of this operand. */
static void add_remedies(struct text *text, const struct fixup *fixup)
{
    unsigned count = 0;

    for (size_t i = 0; i < isa_form_count && !count; i++)
        if (makes_address(&isa_forms[i], fixup->instruction))
            count = 1, text_format(text, "; use '%s'", isa_forms[i].mnemonic);
    for (size_t i = 0; i < isa_relocation_count && count < 4; i++)
        if (isa_relocations[i].operator_name && isa_relocations[i].field == fixup->operand->field &&
            isa_relocations[i].place == ISA_PLACE_FIELD)
            text_format(text, "%s%%%s(…)", count++ ? ", " : "; use ",
                        isa_relocations[i].operator_name);
}

/* Appends the registers that an undefined name may be a misspelling of, where the mnemonic also
 * takes a register as its last operand, as add does. Returns whether there are some. */
static bool add_registers(struct text *text, const struct fixup *fixup, const char *name)
{
    struct suggestion suggestion;
    size_t count;
    const struct isa_form *forms = isa_find_forms(written_mnemonic(fixup), &count);

    suggest_init(&suggestion, name);
    for (size_t i = 0; i < count; i++) {
        const struct isa_form *form = &forms[i];
        const struct isa_operand_type *last =
            form->operand_count ? form->operands[form->operand_count - 1].type : NULL;
        for (size_t k = 0; last && last->kind == ISA_REGISTER && k < isa_register_name_count; k++)
            if (isa_register_names[k].file == last->file)
                suggest_add(&suggestion, isa_register_names[k].name);
    }
    const char *near = suggest_text(&suggestion);
    if (near)
        text_format(text, "; did you mean %s?", near);
    return near != NULL;
}

/* Checks that the linker cannot change a distance that no relocation computes. */
static bool check_distance(struct assembler *as, const struct expression *expression)
{
    if (!expression_may_shrink(as, expression))
        return true;
    struct position at = expression_place(expression);
    diag_error(
        as->diag, &at,
        "the linker may shorten the code between these labels; put it after '.option norelax'");
    return false;
}

static void resolve_immediate(struct assembler *as, const struct fixup *fixup, unsigned char *place)
{
    struct value value;
    char range[80];
    const struct isa_operand *operand = fixup->operand;

    if (!expression_evaluate(as, fixup->expression, false, &value) ||
        !check_distance(as, fixup->expression))
        return;
    if (value.add || value.subtract) {
        struct text remedy = TEXT_INIT;
        const struct symbol *symbol = value.add ? value.add : value.subtract;
        if (symbol_is_defined(symbol) || !add_registers(&remedy, fixup, symbol->name))
            add_remedies(&remedy, fixup);
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at,
                   "operand '%s' of '%s': expected %s (%s), found the address of %ssymbol '%s'%s",
                   operand->name, written_mnemonic(fixup), operand->type->summary,
                   operand_range(operand, range, sizeof range),
                   symbol_is_defined(symbol) ? "" : "the undefined ", symbol_title(as, symbol),
                   remedy.bytes ? remedy.bytes : "");
        text_free(&remedy);
        return;
    }
    if (!isa_fits(operand, value.constant)) {
        struct position at = expression_place(fixup->expression);
        diag_error(as->diag, &at, "operand '%s' of '%s': expected %s (%s), found %" PRId64,
                   operand->name, written_mnemonic(fixup), operand->type->summary,
                   operand_range(operand, range, sizeof range), value.constant);
        return;
    }
    insert(place, fixup->instruction, operand, value.constant);
}

static void resolve_fixup(struct assembler *as, const struct fixup *fixup)
{
    unsigned char *place =
        fixup->fragment->section->image + fragment_address(fixup->fragment) + fixup->offset;

    if (fixup->is_address)
        resolve_address(as, fixup, place);
    else if (!fixup->instruction && fixup->size && fixup->relocation_number)
        resolve_as(as, fixup, place);
    else if (!fixup->instruction && fixup->size)
        resolve_data(as, fixup, place);
    else if (fixup->relocation_number)
        resolve_operator(as, fixup, place);
    else if (fixup->operand->type->kind == ISA_TARGET)
        resolve_target(as, fixup, place);
    else
        resolve_immediate(as, fixup, place);
}

/* ---- variable parts ---- */

static struct fixup branch_fixup(const struct fragment *fragment,
                                 const struct isa_instruction *instruction, uint64_t offset)
{
    struct fixup fixup = {.fragment = (struct fragment *)fragment,
                          .mnemonic = fragment->mnemonic,
                          .offset = (uint32_t)offset,
                          .expression = fragment->expression,
                          .instruction = instruction};

    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].type->kind == ISA_TARGET)
            fixup.operand = &instruction->operands[i];
    return fixup;
}

static void put_branch(struct assembler *as, const struct fragment *fragment, uint64_t offset,
                       const struct isa_instruction *instruction, uint64_t word,
                       unsigned char *place)
{
    instruction_put(as, instruction, word, place);
    struct fixup fixup = branch_fixup(fragment, instruction, fragment->length + offset);
    resolve_target(as, &fixup, place);
}

/* Stores the inverse branch that skips the jump; returns its length. */
static unsigned put_inverse(struct assembler *as, const struct fragment *fragment,
                            unsigned char *place)
{
    const struct isa_instruction *inverse = fragment->instruction->inverse;
    unsigned length = fragment->short_inverse ? fragment->compressed->length : inverse->length;
    int64_t values[ISA_OPERAND_LIMIT], short_values[ISA_OPERAND_LIMIT] = {0};

    isa_extract_all(fragment->instruction, fragment->word, values);
    for (unsigned i = 0; i < inverse->operand_count; i++)
        if (inverse->operands[i].type->kind == ISA_TARGET)
            values[i] = length + fragment->instruction->jump->length;
    if (fragment->short_inverse) {
        inverse = isa_find_compressed(inverse, values, -1, ISA_EVERY_EXTENSION, short_values);
        memcpy(values, short_values, sizeof values);
    }
    instruction_put(as, inverse, isa_encode(inverse, values), place);
    return length;
}

/* Stores a branch or jump, or the inverse of a branch and a jump. The jump's other operands are 0:
 * it does not link. */
static void fill_branch(struct assembler *as, const struct fragment *fragment, unsigned char *place)
{
    const struct isa_instruction *instruction = fragment->instruction;
    const int64_t none[ISA_OPERAND_LIMIT] = {0};

    if (fragment->reach == REACH_SHORT && fragment->compressed) {
        put_branch(as, fragment, 0, fragment->compressed, fragment->compressed_word, place);
    } else if (fragment->reach != REACH_FAR) {
        put_branch(as, fragment, 0, instruction, fragment->word, place);
    } else {
        unsigned length = put_inverse(as, fragment, place);
        put_branch(as, fragment, length, instruction->jump, isa_encode(instruction->jump, none),
                   place + length);
    }
}

/* Has the linker compute the distance of two labels in code that it may shorten. The number keeps
 * its present length, since the distance becomes no larger. */
static void relocate_leb128(struct assembler *as, const struct fragment *fragment)
{
    uint64_t offset = fragment_address(fragment) + fragment->length;
    const struct isa_relocation *set = isa_relocation_of(ISA_VALUE_S_A, ISA_PLACE_ULEB128, 0),
                                *subtract = isa_relocation_of(ISA_VALUE_SUB, ISA_PLACE_ULEB128, 0);
    const struct symbol *label;
    int64_t ignored;
    struct value value;

    if (!expression_evaluate_unfolded(as, fragment->expression, &value))
        return;
    if (!value.add || !value.subtract || is_fixed_distance(as, &value) ||
        !symbol_locate(as, value.add, &label, &ignored) || !symbol_section(label)->relaxes) {
        check_distance(as, fragment->expression);
        return;
    }
    section_relocation(as, fragment->section, offset, set, value.add, value.constant);
    section_relocation(as, fragment->section, offset, subtract, value.subtract, 0);
}

static void fill_leb128(struct assembler *as, const struct fragment *fragment, unsigned char *place)
{
    struct value value = {0};

    expression_evaluate(as, fragment->expression, true, &value);
    if (fragment->is_signed) {
        leb128_fill_signed(place, fragment->variable, value.constant);
        check_distance(as, fragment->expression);
    } else {
        leb128_fill_unsigned(place, fragment->variable, (uint64_t)value.constant);
        relocate_leb128(as, fragment);
    }
}

/* Returns the relocation R_RISCV_SET6, 8, 16 or 32: the last one of its width that stores S + A, as
 * those for arithmetic come after those for addresses. */
static const struct isa_relocation *set_relocation(unsigned bits)
{
    for (size_t i = isa_relocation_count; i-- > 0;)
        if (isa_relocations[i].value == ISA_VALUE_S_A &&
            isa_relocations[i].place == ISA_PLACE_DATA && isa_relocations[i].data_bits == bits)
            return &isa_relocations[i];
    BUG("no relocation sets %u bits", bits);
}

static void fill_advance(struct assembler *as, const struct fragment *fragment,
                         unsigned char *place)
{
    unsigned size = (unsigned)fragment->variable - 1, bits = size ? 8 * size : 6;
    uint64_t offset = fragment_address(fragment) + fragment->length + (size ? 1 : 0);

    frame_put_advance(place, fragment->variable,
                      symbol_address(fragment->to) - symbol_address(fragment->from));
    section_relocation(as, fragment->section, offset, set_relocation(bits), fragment->to, 0);
    section_relocation(as, fragment->section, offset,
                       isa_relocation_of(ISA_VALUE_SUB, ISA_PLACE_DATA, bits), fragment->from, 0);
}

static void fill_variable(struct assembler *as, const struct fragment *fragment,
                          unsigned char *place)
{
    switch (fragment->kind) {
    case FRAGMENT_FIXED:
        break;
    case FRAGMENT_BRANCH:
        fill_branch(as, fragment, place);
        break;
    case FRAGMENT_LEB128:
        fill_leb128(as, fragment, place);
        break;
    case FRAGMENT_ADVANCE:
        fill_advance(as, fragment, place);
        break;
    case FRAGMENT_ALIGN:
        if (fragment->code_fill) {
            instruction_nops(as, place, fragment->variable, fragment->short_nops);
            break;
        } /* fall through */
    case FRAGMENT_SPACE:
    case FRAGMENT_ORG:
        for (uint64_t i = 0; fragment->pattern_length && i < fragment->variable; i++)
            place[i] = fragment->pattern[i % fragment->pattern_length];
        break;
    }
}

/* Allocates memory for about the final number of relocations, so that the array rarely grows. */
static void reserve_relocations(struct assembler *as, struct section *section)
{
    size_t count = 2 * section->fixup_count + section->branch_count;

    section->relocations = arena_array(as->arena, count, sizeof *section->relocations);
    section->relocation_capacity = count;
}

/* Returns the memory for the bytes of the section: that of its only fragment, if there is one. */
static unsigned char *image_memory(struct assembler *as, const struct section *section)
{
    const struct subsection *first = section->subsections;
    const struct fragment *fragment = first->first;
    bool is_only = !first->next && !fragment->next && fragment->kind == FRAGMENT_FIXED;

    return is_only && fragment->bytes ? fragment->bytes : arena_alloc(as->arena, section->size + 1);
}

/* Makes the bytes of the section. Fixups are resolved with their fragment if all before them are
 * resolved, so that relocations are in the order of their places and memory is read once. Only
 * those of a section with several subsections may be left for the end. */
static void make_image(struct assembler *as, struct section *section)
{
    const struct fixup *fixup = section->fixups;

    section->image = image_memory(as, section);
    for (struct subsection *subsection = section->subsections; subsection;
         subsection = subsection->next) {
        for (struct fragment *fragment = subsection->first; fragment; fragment = fragment->next) {
            unsigned char *place = section->image + fragment_address(fragment);
            if (fragment->bytes && fragment->bytes != place)
                memcpy(place, fragment->bytes, fragment->length);
            for (; fixup && fixup->fragment == fragment && !diag_full(as->diag);
                 fixup = fixup->next)
                resolve_fixup(as, fixup);
            fill_variable(as, fragment, place + fragment->length);
        }
    }
    for (; fixup && !diag_full(as->diag); fixup = fixup->next)
        resolve_fixup(as, fixup);
}

/* Returns the end of the ascending run of relocations that begins at `start`. */
static size_t run_end(const struct relocation *list, size_t start, size_t count)
{
    size_t end = start + 1;

    while (end < count && list[end - 1].offset <= list[end].offset)
        end++;
    return end < count ? end : count;
}

/* Sorts the relocations by offset, and keeps the order of those at one offset. A merge sort of runs
 * is fast, because there are few: usually one. */
static void sort_relocations(struct assembler *as, struct section *section)
{
    size_t count = section->relocation_count;
    struct relocation *from = section->relocations, *to = NULL;

    while (run_end(from, 0, count) < count) {
        if (!to)
            to = arena_array(as->arena, count, sizeof *to);
        for (size_t start = 0, end; start < count; start = end) {
            size_t left = start, middle = run_end(from, start, count), right = middle;
            end = run_end(from, middle, count);
            for (size_t i = start; i < end; i++)
                to[i] = left < middle && (right >= end || from[left].offset <= from[right].offset)
                            ? from[left++]
                            : from[right++];
        }
        struct relocation *swap = from;
        from = to;
        to = swap;
    }
    section->relocations = from;
}

/* Checks the addresses of code. Instructions have even sizes, so it is enough that each piece of
 * code begins at an even address. */
static void check_code_places(struct assembler *as)
{
    for (const struct code_start *start = as->sections.code_starts; start; start = start->next) {
        const struct symbol *symbol = start->symbol;
        if (!(symbol_address(symbol) & 1))
            continue;
        struct position at = location_position(as, symbol->defined_at);
        diag_error(as->diag, &at,
                   "an instruction at the odd address %#" PRIx64
                   " of section '%s'; align the code after data with '.balign 4'",
                   symbol_address(symbol), symbol_section(symbol)->name);
    }
}

/* Finds the relocations of data, by size. */
static void find_data_relocations(struct assembler *as)
{
    for (unsigned size = 1; size <= DATA_LIMIT; size++)
        as->data_relocations[size] = (struct data_relocations){
            .address = isa_relocation_of(ISA_VALUE_S_A, ISA_PLACE_DATA, 8 * size),
            .add = isa_relocation_of(ISA_VALUE_ADD, ISA_PLACE_DATA, 8 * size),
            .subtract = isa_relocation_of(ISA_VALUE_SUB, ISA_PLACE_DATA, 8 * size)};
}

void tasm_resolve(struct assembler *as)
{
    find_data_relocations(as);
    section_drop_absolute(as);
    check_code_places(as);
    for (struct section *section = as->sections.first; section; section = section->next) {
        if (!section_has_contents(section))
            continue;
        reserve_relocations(as, section);
        make_image(as, section);
    }
    reloc_resolve(as);
    for (struct section *section = as->sections.first; section; section = section->next)
        sort_relocations(as, section);
}
