/* lib/isa.c with the real tables: the decoder is compared with a search through all instructions,
 * fields with their inverse, and lookups with the tables. The test does not depend on individual
 * instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "isa_ids.h"
#include "lib/float_format.h"
#include "lib/isa.h"
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { WORDS = 50 }; /* random words of each instruction */

/* The definition that the decision tree must agree with: of the instructions that a word is, the
 * one with the most fixed bits. */
static const struct isa_instruction *search(uint64_t word, int length)
{
    const struct isa_instruction *best = NULL;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        int64_t values[16];
        bool legal =
            instruction->length == length && (word & instruction->mask) == instruction->match;
        for (unsigned k = 0; legal && k < instruction->operand_count; k++) {
            values[k] = isa_extract(&instruction->operands[k], word);
            legal = isa_fits(&instruction->operands[k], values[k]);
        }
        for (unsigned k = 0; legal && k < instruction->constraint_count; k++)
            legal = instruction->constraints[k].holds(values);
        if (legal && (!best || (instruction->mask & best->mask) == best->mask))
            best = instruction;
    }
    return best;
}

static void tables_are_there(void **state)
{
    (void)state;
    assert_true(isa_instruction_count > 100);
    assert_true(isa_form_count > isa_instruction_count);
    assert_true(isa_csr_count && isa_relocation_count && isa_register_file_count &&
                isa_extension_count);
    assert_int_equal(strlen(isa_fingerprint), 16);
    assert_int_equal(strspn(isa_fingerprint, "0123456789abcdef"), 16);
}

static void random_words_decode_to_their_instruction(void **state)
{
    (void)state;
    uint64_t random = 1;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        for (int k = 0; k < WORDS; k++) {
            uint64_t word = isa_random_word(instruction, &random);
            assert_ptr_equal(isa_decode(word, instruction->length), instruction);
            assert_ptr_equal(search(word, instruction->length), instruction);
            assert_int_equal(isa_length((uint16_t)word), instruction->length);
        }
    }
}

/* One bit flipped in a legal word often makes another instruction, or an illegal one close to it.
 */
static void decoder_agrees_with_search(void **state)
{
    (void)state;
    uint64_t random = 2;
    size_t illegal = 0;
    char reason[200];

    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        uint64_t word = isa_random_word(instruction, &random);
        for (int bit = 0; bit < instruction->length * 8; bit++) {
            uint64_t flipped = word ^ (uint64_t)1 << bit;
            const struct isa_instruction *found = isa_decode(flipped, instruction->length);
            assert_ptr_equal(found, search(flipped, instruction->length));
            if (!found) {
                illegal++;
                assert_true(
                    strlen(isa_explain(flipped, instruction->length, reason, sizeof reason)) > 5);
            }
        }
    }
    assert_true(illegal > 100);
}

static void arbitrary_words_agree_too(void **state)
{
    (void)state;
    uint64_t word = 12345;

    for (int i = 0; i < 20000; i++) {
        word = word * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        for (int length = 2; length <= 8; length += 2) {
            uint64_t cut = length == 8 ? word : word & ((UINT64_C(1) << 8 * length) - 1);
            assert_ptr_equal(isa_decode(cut, length), search(cut, length));
        }
    }
    for (uint64_t half = 0; half < 1 << 16; half++)
        assert_ptr_equal(isa_decode(half, 2), search(half, 2));
    assert_null(isa_decode(0, 0));
    assert_null(isa_decode(0, 3));
    assert_null(isa_decode(0, 10));
}

/* Every compressed word and its expansion encode the same instruction with the same operands. */
static void compressed_words_expand(void **state)
{
    (void)state;
    size_t seen = 0, chosen = 0;

    for (uint64_t half = 0; half < 1 << 16; half++) {
        const struct isa_instruction *compressed = isa_decode(half, 2), *base;
        uint64_t word = half;
        if (!compressed)
            continue;
        int64_t values[8], short_values[8] = {0};
        seen++;
        base = isa_expand(compressed, &word);
        assert_ptr_not_equal(base, compressed);
        assert_ptr_equal(isa_decode(word, base->length), base);
        int64_t short_cut[ISA_OPERAND_LIMIT];
        assert_ptr_equal(isa_operands(compressed, half, short_cut), base);
        for (unsigned i = 0; i < base->operand_count; i++)
            assert_int_equal(values[i] = isa_extract(&base->operands[i], word), short_cut[i]);
        bool hint = true;
        for (unsigned i = 0; i < compressed->operand_count; i++)
            short_values[i] = isa_extract(&compressed->operands[i], half);
        hint = compressed->hint && compressed->hint(short_values);
        memset(short_values, 0, sizeof short_values);
        assert_int_equal(isa_compress(compressed->expansion, values, -1, short_values), !hint);
        if (hint)
            continue;
        uint64_t again = compressed->match;
        for (unsigned i = 0; i < compressed->operand_count; i++)
            again = isa_insert(compressed->operands[i].field, again, short_values[i]);
        assert_int_equal(again, half);
        chosen++;
    }
    assert_true(seen > 40000 && chosen > 40000);
}

/* isa_decode does not check operands whose fields hold a legal value for all bits. */
static void unchecked_operands_always_fit(void **state)
{
    (void)state;
    size_t unchecked = 0, checked = 0;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        for (unsigned k = 0; k < instruction->operand_count; k++) {
            const struct isa_operand *operand = &instruction->operands[k];
            uint64_t values = UINT64_C(1) << operand->field->bits;
            bool fits = true;
            if (values > 1 << 21)
                continue;
            for (uint64_t value = 0; value < values; value++) {
                uint64_t word = isa_insert(operand->field, 0, (int64_t)value);
                fits &= isa_fits(operand, isa_extract(operand, word));
            }
            assert_true(fits || instruction->checked >> k & 1);
            unchecked += fits && !(instruction->checked >> k & 1);
            checked += !fits;
        }
    }
    assert_true(unchecked > checked && checked > 10);
}

static void check_value(const struct isa_operand *operand, uint64_t background, int64_t value)
{
    uint64_t word = isa_insert(operand->field, background, value);

    if (operand->type->extends)
        value &= (INT64_C(1) << operand->type->extends) - 1;
    assert_int_equal(isa_extract(operand, word), value);
    assert_int_equal(isa_insert(operand->field, word, isa_extract(operand, background)),
                     background);
}

static void fields_hold_their_bounds(void **state)
{
    (void)state;
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        for (unsigned k = 0; k < instruction->operand_count; k++) {
            const struct isa_operand *operand = &instruction->operands[k];
            int64_t minimum = 0, maximum = (INT64_C(1) << operand->field->bits) - 1, step = 1;
            if (operand->type->kind == ISA_IMMEDIATE || operand->type->kind == ISA_TARGET) {
                isa_range(operand, &minimum, &maximum, &step);
                assert_true(isa_fits(operand, maximum));
                assert_true(isa_fits(operand, minimum) || operand->type->nonzero);
                assert_false(isa_fits(operand, maximum + step));
                assert_false(isa_fits(operand, minimum - step));
                assert_false(step > 1 && isa_fits(operand, maximum - 1));
            } else if (operand->type->kind == ISA_REGISTER) {
                minimum = operand->type->first;
                maximum += minimum;
                assert_false(isa_fits(operand, maximum + 1));
                assert_false(isa_fits(operand, minimum - 1));
                if (minimum == maximum)
                    continue;
            } else {
                step = INT64_C(1) << operand->field->lowest;
                maximum &= -step;
                assert_false(isa_fits(operand, maximum + step));
                assert_false(isa_fits(operand, -step));
            }
            check_value(operand, instruction->match, minimum);
            check_value(operand, instruction->match, maximum);
            check_value(operand, instruction->match, minimum + step);
            check_value(operand, instruction->match, operand->type->first);
        }
    }
}

static void register_or_immediate_is_told_apart(void **state)
{
    (void)state;
    size_t seen = 0;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        for (unsigned k = 0; k < isa_instructions[i].operand_count; k++) {
            const struct isa_operand *operand = &isa_instructions[i].operands[k];
            const struct isa_operand_type *type = operand->type;
            if (type->kind != ISA_REGISTER_OR_IMMEDIATE)
                continue;
            seen++;
            for (unsigned number = 0; number < type->file->count; number++) {
                uint64_t raw = isa_ri_register(type, number);
                assert_false(isa_ri_is_immediate(type, raw));
                assert_int_equal(isa_ri_value(type, raw), number);
                assert_true(isa_fits(operand, (int64_t)raw));
            }
            for (unsigned value = 0; value < 1u << type->ri_immediate_bits; value++) {
                uint64_t raw = isa_ri_immediate(type, value);
                assert_true(isa_ri_is_immediate(type, raw));
                assert_int_equal(isa_ri_value(type, raw), value);
                assert_true(isa_fits(operand, (int64_t)raw));
            }
        }
    }
    assert_true(seen > 0);
}

static void names_are_found(void **state)
{
    (void)state;
    size_t count;

    for (size_t i = 0; i < isa_form_count; i++) {
        const struct isa_form *first = isa_find_forms(isa_forms[i].mnemonic, &count);
        assert_non_null(first);
        assert_true(&isa_forms[i] >= first && &isa_forms[i] < first + count);
        assert_true(!isa_forms[i].step_count == (isa_forms[i].instruction->form == &isa_forms[i]));
    }
    for (size_t i = 0; i < isa_instruction_count; i++) {
        assert_ptr_equal(isa_find_instruction(isa_instructions[i].mnemonic), &isa_instructions[i]);
        assert_int_equal(isa_instructions[i].id, i);
    }
    for (size_t i = 0; i < isa_register_name_count; i++)
        assert_ptr_equal(isa_find_register(isa_register_names[i].name), &isa_register_names[i]);
    for (size_t i = 0; i < isa_csr_count; i++) {
        assert_ptr_equal(isa_find_csr(isa_csrs[i].name), &isa_csrs[i]);
        assert_ptr_equal(isa_csr_by_number(isa_csrs[i].number), &isa_csrs[i]);
    }
    for (size_t i = 0; i < isa_relocation_count; i++)
        assert_ptr_equal(isa_relocation_by_number(isa_relocations[i].number), &isa_relocations[i]);
    for (size_t i = 0; i < isa_element_count; i++)
        assert_ptr_equal(isa_find_element(isa_elements[i].name), &isa_elements[i]);
    assert_null(isa_find_forms("", &count));
    assert_null(isa_find_forms("zzzz", &count));
    assert_null(isa_find_register("x32"));
    assert_null(isa_find_register("r1"));
    assert_null(isa_find_csr("nothing"));
    assert_null(isa_csr_by_number(0xfff));
    assert_null(isa_relocation_by_number(255));
    assert_null(isa_find_element("f31"));
}

/* Each float has the format of its name, and the bytes that hold it. */
static void elements_are_the_formats(void **state)
{
    (void)state;
    unsigned found = 0;

    for (size_t i = 0; i < isa_element_count; i++) {
        const struct isa_element *element = &isa_elements[i];
        assert_true(element->code < 0 || isa_element_by_code((uint32_t)element->code) == element);
        assert_int_equal(element->bytes, element->bits / 8);
        if (!element->exponent)
            continue;
        const struct float_layout *layout = &float_layouts[element->format];
        assert_string_equal(layout->name, element->name);
        assert_int_equal(element->bits, float_width((enum float_format)element->format));
        assert_int_equal(element->bytes, float_bytes((enum float_format)element->format));
        assert_int_equal(element->exponent, layout->exponent_bits);
        assert_int_equal(element->fraction, layout->fraction_bits);
        assert_int_equal(layout->bias, (1 << (element->exponent - 1)) - 1);
        found |= 1u << element->format;
    }
    assert_int_equal(found, (1u << FLOAT_FORMAT_COUNT) - 1);
    assert_null(isa_element_by_code(255));
    assert_null(isa_element_by_code(UINT32_MAX)); /* types without a code have -1 */
    for (size_t i = 0; i < isa_element_count; i++) {
        uint32_t place = ISA_ELEMENT_PLACES + (uint32_t)i;
        assert_null(isa_element_by_code(place));
        assert_ptr_equal(isa_element_by_number(place), &isa_elements[i]);
    }
    assert_null(isa_element_by_number(ISA_ELEMENT_PLACES + (uint32_t)isa_element_count));
    assert_null(isa_element_by_number(UINT32_MAX));
}

static void every_register_has_two_names(void **state)
{
    (void)state;
    char name[16];

    for (size_t i = 0; i < isa_register_file_count; i++) {
        const struct isa_register_file *file = &isa_register_files[i];
        for (unsigned number = 0; number < file->count; number++) {
            const struct isa_register_name *by_abi = isa_find_register(file->names[number]);
            snprintf(name, sizeof name, "%s%u", file->numeric, number);
            const struct isa_register_name *by_number = isa_find_register(name);
            assert_non_null(by_abi);
            assert_non_null(by_number);
            assert_ptr_equal(by_abi->file, file);
            assert_ptr_equal(by_number->file, file);
            assert_int_equal(by_abi->number, number);
            assert_int_equal(by_number->number, number);
        }
    }
}

static void relocations_are_found_by_operand(void **state)
{
    (void)state;
    size_t found = 0;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        for (unsigned k = 0; k < isa_instructions[i].operand_count; k++) {
            const struct isa_operand *operand = &isa_instructions[i].operands[k];
            for (size_t r = 0; r < isa_relocation_count; r++) {
                const struct isa_relocation *relocation = &isa_relocations[r];
                if (!relocation->operator_name || relocation->field != operand->field)
                    continue;
                assert_ptr_equal(isa_relocation_for(relocation->operator_name, operand),
                                 relocation);
                found++;
            }
            assert_null(isa_relocation_for("nothing", operand));
        }
    }
    assert_true(found > 10);
    const struct isa_relocation *word = isa_relocation_of(ISA_VALUE_S_A, ISA_PLACE_DATA, 32);
    assert_non_null(word);
    assert_int_equal(word->data_bits, 32);
    assert_null(isa_relocation_of(ISA_VALUE_S_A, ISA_PLACE_DATA, 24));
}

static void branches_have_inverses(void **state)
{
    (void)state;
    size_t found = 0;

    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *branch = &isa_instructions[i];
        if (!branch->inverse)
            continue;
        assert_ptr_equal(branch->inverse->inverse, branch);
        assert_non_null(branch->jump);
        assert_true(branch->effects & branch->jump->effects & ISA_EFFECT_FLOW);
        found++;
    }
    assert_true(found > 0);
}

static void effects_follow_from_the_bodies(void **state)
{
    static const struct {
        const char *mnemonic;
        unsigned effects;
    } examples[] = {
        {"add", 0},
        {"lw", ISA_EFFECT_LOAD | ISA_EFFECT_TRAP},
        {"fsd", ISA_EFFECT_STORE | ISA_EFFECT_TRAP},
        {"beq", ISA_EFFECT_FLOW | ISA_EFFECT_TRAP},
        {"fadd.d", ISA_EFFECT_FLOAT | ISA_EFFECT_TRAP},
        {"mret", ISA_EFFECT_FLOW | ISA_EFFECT_CSR | ISA_EFFECT_TRAP},
        {"csrrw", ISA_EFFECT_CSR | ISA_EFFECT_TRAP | ISA_EFFECT_CODE},
        {"tlw", ISA_EFFECT_WALK | ISA_EFFECT_UNIT | ISA_EFFECT_LOAD | ISA_EFFECT_TRAP},
        {"tsw", ISA_EFFECT_WALK | ISA_EFFECT_UNIT | ISA_EFFECT_STORE | ISA_EFFECT_TRAP},
    };

    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct isa_instruction *instruction = isa_find_instruction(examples[i].mnemonic);
        assert_non_null(instruction);
        assert_int_equal(instruction->effects, examples[i].effects);
    }
}

static void lengths_follow_the_rule(void **state)
{
    (void)state;
    assert_int_equal(isa_length(0x0000), 2);
    assert_int_equal(isa_length(0x0002), 2);
    assert_int_equal(isa_length(0x0003), 4);
    assert_int_equal(isa_length(0x001b), 4);
    assert_int_equal(isa_length(0x001f), 6);
    assert_int_equal(isa_length(0x003f), 8);
    assert_int_equal(isa_length(0x007f), 0);
    assert_int_equal(isa_length(0xffff), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tables_are_there),
        cmocka_unit_test(random_words_decode_to_their_instruction),
        cmocka_unit_test(decoder_agrees_with_search),
        cmocka_unit_test(arbitrary_words_agree_too),
        cmocka_unit_test(compressed_words_expand),
        cmocka_unit_test(unchecked_operands_always_fit),
        cmocka_unit_test(fields_hold_their_bounds),
        cmocka_unit_test(register_or_immediate_is_told_apart),
        cmocka_unit_test(names_are_found),
        cmocka_unit_test(elements_are_the_formats),
        cmocka_unit_test(every_register_has_two_names),
        cmocka_unit_test(relocations_are_found_by_operand),
        cmocka_unit_test(branches_have_inverses),
        cmocka_unit_test(effects_follow_from_the_bodies),
        cmocka_unit_test(lengths_follow_the_rule),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
