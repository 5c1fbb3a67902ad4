/* See operand_bins.h. */
#include "emu/profile/operand_bins.h"
#include "emu/machine.h"
#include "emu/unit_state.h"
#include "isa_ids.h"
#include "lib/bytes.h"
#include "lib/float_format.h"
#include <string.h>

enum size_bin { SIZE_ZERO, SIZE_ONE, SIZE_BELOW, SIZE_LANES, SIZE_MULTIPLE, SIZE_OTHER };
enum float_bin {
    FLOAT_BIN_ZERO,
    FLOAT_BIN_SUBNORMAL,
    FLOAT_BIN_NORMAL,
    FLOAT_BIN_INFINITY,
    FLOAT_BIN_NAN
};
enum integer_bin { INTEGER_ZERO, INTEGER_LEAST, INTEGER_GREATEST, INTEGER_OTHER };
enum stride_bin { STRIDE_ZERO, STRIDE_NEGATIVE, STRIDE_BELOW, STRIDE_ROW, STRIDE_ABOVE };
enum step_bin { STEP_NEGATIVE, STEP_ZERO, STEP_POSITIVE, STEP_BINS };
enum place_bin { PLACE_SAME, PLACE_OVERLAPS, PLACE_APART };

bool operand_bins_has(const struct isa_instruction *instruction)
{
    for (unsigned i = 0; i < instruction->operand_count; i++)
        if (instruction->operands[i].role)
            return true;
    return instruction->sizes != 0;
}

static bool is_size(const struct isa_instruction *instruction, unsigned operand)
{
    return instruction->sizes >> operand & 1;
}

static bool is_group(const struct isa_operand *operand)
{
    return operand->type->kind == ISA_REGISTER_GROUP;
}

/* Is it an input in registers, not in memory, that still has its values after the instruction? */
static bool is_group_input(const struct isa_operand *operand)
{
    return (operand->element || operand->by_state) && is_group(operand) &&
           operand->type->access == ISA_READ;
}

/* ---- counting ---- */

/* The values of the operands of an execution, and the ranges that they are addresses of. */
struct values {
    uint64_t numbers[ISA_OPERAND_LIMIT];
    bool is_known[ISA_OPERAND_LIMIT];
    const struct effect *ranges[ISA_OPERAND_LIMIT];
};

/* Did the instruction write the integer register, so that its value before is lost? */
static bool is_overwritten(const struct recorder *recorder, unsigned number)
{
    for (size_t i = 0; i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind == EFFECT_REGISTER && effect->number == number &&
            isa_register_files[effect->file].standard == ISA_STANDARD_INTEGER)
            return true;
    }
    return false;
}

/* Returns the range at the address that the instruction read or wrote, one that no operand before
 * has if there are several; NULL: none. */
static const struct effect *find_range(const struct values *values, unsigned operand,
                                       const struct recorder *recorder, enum effect_kind kind)
{
    const struct effect *found = NULL;

    for (size_t i = recorder->count; i-- > 0;) {
        const struct effect *effect = &recorder->effects[i];
        bool is_taken = false;
        if (effect->kind != kind || effect->address != values->numbers[operand])
            continue;
        for (unsigned other = 0; other < operand; other++)
            is_taken |= values->ranges[other] == effect;
        if (!found || !is_taken)
            found = effect;
    }
    return found;
}

static void find_values(struct values *values, const struct isa_instruction *instruction,
                        uint64_t word, const struct hart *hart, const struct recorder *recorder)
{
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (operand->type->kind != ISA_REGISTER_OR_IMMEDIATE)
            continue;
        uint64_t raw = (uint64_t)isa_extract(operand, word);
        uint64_t value = isa_ri_value(operand->type, raw);
        if (!isa_ri_is_immediate(operand->type, raw)) {
            if (is_overwritten(recorder, (unsigned)value))
                continue;
            value = *hart_register(hart, operand->type->file, (unsigned)value);
        }
        values->numbers[i] = value;
        values->is_known[i] = true;
        if (operand->role == ISA_ROLE_INPUT || operand->role == ISA_ROLE_OUTPUT)
            values->ranges[i] = find_range(values, i, recorder,
                                           operand->role == ISA_ROLE_INPUT ? EFFECT_RANGE_READ
                                                                           : EFFECT_RANGE_WRITE);
    }
}

static enum size_bin size_bin(uint64_t size, uint64_t lanes)
{
    if (size < 2)
        return size ? SIZE_ONE : SIZE_ZERO;
    if (size <= lanes)
        return size < lanes ? SIZE_BELOW : SIZE_LANES;
    return size % lanes ? SIZE_OTHER : SIZE_MULTIPLE;
}

static enum stride_bin stride_bin(uint64_t stride, uint64_t row)
{
    if (stride == 0)
        return STRIDE_ZERO;
    if ((int64_t)stride < 0)
        return STRIDE_NEGATIVE;
    return stride < row ? STRIDE_BELOW : stride == row ? STRIDE_ROW : STRIDE_ABOVE;
}

static unsigned element_bin(const struct isa_element *type, uint64_t bits)
{
    uint64_t mask = type->bits < 64 ? (UINT64_C(1) << type->bits) - 1 : UINT64_MAX;

    bits &= mask;
    if (type->exponent) {
        struct float_value value = float_unpack((enum float_format)type->format, bits);
        uint64_t exponent = bits >> type->fraction & ((UINT64_C(1) << type->exponent) - 1);
        if (value.kind == FLOAT_FINITE)
            return exponent ? FLOAT_BIN_NORMAL : FLOAT_BIN_SUBNORMAL;
        return value.kind == FLOAT_ZERO       ? FLOAT_BIN_ZERO
               : value.kind == FLOAT_INFINITE ? FLOAT_BIN_INFINITY
                                              : FLOAT_BIN_NAN;
    }
    uint64_t least = type->is_signed ? mask ^ mask >> 1 : 0;
    return bits == 0                ? INTEGER_ZERO
           : bits == least          ? INTEGER_LEAST
           : bits == (least ^ mask) ? INTEGER_GREATEST
                                    : INTEGER_OTHER;
}

/* Finds the index of the state that says the type of an input: the value of an operand, or the
 * first element of another input. */
static bool find_index(const struct values *values, const struct isa_instruction *instruction,
                       unsigned operand, const struct recorder *recorder, uint64_t *index)
{
    const char *element = instruction->operands[operand].element;
    const struct isa_element *type = element ? isa_find_element(element) : NULL;
    const struct effect *range = values->ranges[operand];

    *index = values->numbers[operand];
    if (!element)
        return values->is_known[operand];
    if (!range || range->bytes_length < type->bytes)
        return false;
    *index = bytes_get(recorder->bytes + range->bytes_at, type->bytes);
    return true;
}

/* Returns the type of the elements of an input, or NULL if it is not known. */
static const struct isa_element *find_type(const struct values *values,
                                           const struct isa_instruction *instruction,
                                           unsigned operand, struct machine *machine,
                                           const struct recorder *recorder)
{
    const char *element = instruction->operands[operand].element;
    const struct isa_input_type *by_state = instruction->operands[operand].by_state;
    uint64_t indices[2] = {0, 0}, value;

    if (!by_state)
        return element ? isa_find_element(element) : NULL;
    if (by_state->index >= 0 &&
        !find_index(values, instruction, (unsigned)by_state->index, recorder, &indices[0]))
        return NULL;
    if (!unit_state_value(machine, by_state->state, indices, &value))
        return NULL;
    if (!by_state->types)
        return value <= INT16_MAX ? isa_element_by_code((uint32_t)value) : NULL;
    for (uint64_t i = 0; by_state->types[i]; i++)
        if (i == value)
            return isa_find_element(by_state->types[i]);
    return NULL;
}

/* Returns the bins of the elements of an input of this type. */
static uint64_t *element_counts(struct operand_bins *bins, const struct isa_operand *operand,
                                unsigned number, const struct isa_element *type,
                                struct arena *arena)
{
    if (!operand->by_state)
        return bins->values[number];
    if (!bins->by_type[number])
        bins->by_type[number] = arena_array(arena, isa_element_count, sizeof **bins->by_type);
    return bins->by_type[number][type - isa_elements];
}

/* Counts for each bin whether one of the elements is in it. */
static void count_elements(uint64_t *counts, const struct isa_element *type,
                           const unsigned char *bytes, size_t length)
{
    const struct isa_element *part = type->part ? type->part : type;
    bool has[OPERAND_BINS] = {false};

    for (size_t at = 0; at + part->bytes <= length; at += part->bytes)
        has[element_bin(part, bytes_get(bytes + at, part->bytes))] = true;
    for (unsigned i = 0; i < OPERAND_BINS; i++)
        counts[i] += has[i];
}

/* Returns how many bytes of a register an instruction sees through its view, from the lowest on. */
static size_t seen_bytes(const struct isa_operand_type *type)
{
    bool is_narrow = type->view == ISA_VIEW_RAW32 || type->view == ISA_VIEW_F32;

    return is_narrow ? 4 : type->file->width / 8;
}

/* Counts the elements in a group of registers, which follow one another from the lowest bits of the
 * first register on. */
static void count_group(uint64_t *counts, const struct isa_operand *operand,
                        const struct isa_element *element, uint64_t word, const struct hart *hart)
{
    enum { WIDEST = 8 * ISA_WORDS_LIMIT };
    const struct isa_operand_type *type = operand->type;
    unsigned first = (unsigned)isa_extract(operand, word);
    unsigned char bytes[WIDEST * ISA_REGISTER_LIMIT];
    size_t seen = seen_bytes(type);

    for (unsigned i = 0; i < type->group_count; i++) {
        const uint64_t *words = hart_register(hart, type->file, first + i);
        for (size_t at = 0; at < seen; at += 8)
            bytes_put(bytes + seen * i + at, words[at / 8],
                      seen - at < 8 ? (unsigned)(seen - at) : 8);
    }
    count_elements(counts, element, bytes, seen * type->group_count);
}

static enum step_bin step_bin(uint64_t step)
{
    return step == 0 ? STEP_ZERO : (int64_t)step < 0 ? STEP_NEGATIVE : STEP_POSITIVE;
}

static enum place_bin place_bin(const struct effect *a, const struct effect *b)
{
    if (a->address == b->address)
        return PLACE_SAME;
    return a->address - b->address < b->length || b->address - a->address < a->length
               ? PLACE_OVERLAPS
               : PLACE_APART;
}

/* Are the two operands an input in memory, and an output or an input there after it? */
static bool is_pair(const struct isa_instruction *instruction, unsigned input, unsigned other)
{
    enum isa_role role = instruction->operands[other].role;

    return instruction->operands[input].role == ISA_ROLE_INPUT &&
           !is_group(&instruction->operands[input]) && !is_group(&instruction->operands[other]) &&
           (role == ISA_ROLE_OUTPUT || (role == ISA_ROLE_INPUT && other > input));
}

/* Counts the elements of an input, in registers or in memory, if their type is known. */
static void count_input(struct operand_bins *bins, const struct isa_instruction *instruction,
                        unsigned number, uint64_t word, const struct values *values,
                        struct machine *machine, const struct recorder *recorder,
                        struct arena *arena)
{
    const struct isa_operand *operand = &instruction->operands[number];
    const struct effect *range = values->ranges[number];
    const struct isa_element *type = find_type(values, instruction, number, machine, recorder);

    if (!type)
        return;
    uint64_t *counts = element_counts(bins, operand, number, type, arena);
    if (is_group_input(operand))
        count_group(counts, operand, type, word, &machine->hart);
    else
        count_elements(counts, type, recorder->bytes + range->bytes_at, range->bytes_length);
}

/* Counts where the ranges of inputs are, relative to those of outputs and later inputs. */
static void count_places(struct operand_bins *bins, const struct isa_instruction *instruction,
                         unsigned input, const struct values *values)
{
    for (unsigned other = 0; other < instruction->operand_count; other++)
        if (is_pair(instruction, input, other) && values->ranges[input] && values->ranges[other])
            bins->places[input][other][place_bin(values->ranges[input], values->ranges[other])]++;
}

void operand_bins_count(struct operand_bins *bins, const struct isa_instruction *instruction,
                        uint64_t word, struct machine *machine, const struct recorder *recorder,
                        struct arena *arena)
{
    struct values values = {.numbers = {0}};

    bins->executed++;
    find_values(&values, instruction, word, &machine->hart, recorder);
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if (is_group_input(operand) || (operand->role == ISA_ROLE_INPUT && values.ranges[i]))
            count_input(bins, instruction, i, word, &values, machine, recorder, arena);
        if (!values.is_known[i])
            continue;
        if (is_size(instruction, i))
            bins->values[i][size_bin(values.numbers[i], machine->config.matrix_lanes)]++;
        else if (operand->role == ISA_ROLE_STRIDE && values.is_known[operand->row])
            bins->values[i][stride_bin(values.numbers[i], values.numbers[operand->row])]++;
        else if (operand->role == ISA_ROLE_STEP)
            bins->values[i][step_bin(values.numbers[i])]++;
        count_places(bins, instruction, i, &values);
    }
}

/* ---- names ---- */

struct listing {
    const struct isa_instruction *instruction;
    void (*each)(void *context, const char *name, uint64_t count);
    void *context;
};

static void list(const struct listing *listing, unsigned operand, const char *name,
                 const char *other, uint64_t count)
{
    struct text text = TEXT_INIT;

    text_format(&text, "%s %s: %s%s", listing->instruction->mnemonic,
                listing->instruction->operands[operand].name, name, other);
    listing->each(listing->context, text.bytes, count);
    text_free(&text);
}

/* Lists the bins of elements of a type; `prefix` says which one, if there are several. */
static void list_type(const struct listing *listing, unsigned operand,
                      const struct isa_element *type, const char *prefix, const uint64_t *counts)
{
    static const char *const floats[] = {[FLOAT_BIN_ZERO] = "zero",
                                         [FLOAT_BIN_SUBNORMAL] = "a subnormal number",
                                         [FLOAT_BIN_NORMAL] = "a normal number",
                                         [FLOAT_BIN_INFINITY] = "infinity",
                                         [FLOAT_BIN_NAN] = "NaN"};
    static const char *const integers[] = {[INTEGER_ZERO] = "zero",
                                           [INTEGER_LEAST] = "the least number",
                                           [INTEGER_GREATEST] = "the greatest number",
                                           [INTEGER_OTHER] = "another number"};
    const struct isa_element *part = type->part ? type->part : type;
    enum float_format format = (enum float_format)part->format;

    for (unsigned i = 0; part->exponent && i < sizeof floats / sizeof *floats; i++)
        if ((i != FLOAT_BIN_INFINITY || float_has_infinity(format)) &&
            (i != FLOAT_BIN_NAN || float_has_nan(format)))
            list(listing, operand, prefix, floats[i], counts[i]);
    for (unsigned i = 0; !part->exponent && i < sizeof integers / sizeof *integers; i++)
        if (i != INTEGER_LEAST || part->is_signed)
            list(listing, operand, prefix, integers[i], counts[i]);
}

/* May the state say that elements are of this type? */
static bool may_be(const struct isa_input_type *by_state, const struct isa_element *type)
{
    for (size_t i = 0; by_state->types && by_state->types[i]; i++)
        if (strcmp(by_state->types[i], type->name) == 0)
            return true;
    return !by_state->types && type->code >= 0;
}

/* Lists the bins of the elements of an input, by each type that the state may say. */
static void list_elements(const struct listing *listing, const struct operand_bins *bins,
                          unsigned operand)
{
    static const uint64_t nothing[OPERAND_BINS];
    const struct isa_operand *input = &listing->instruction->operands[operand];

    if (input->element)
        list_type(listing, operand, isa_find_element(input->element), "has ",
                  bins->values[operand]);
    for (size_t i = 0; input->by_state && i < isa_element_count; i++) {
        struct text prefix = TEXT_INIT;
        if (!may_be(input->by_state, &isa_elements[i]))
            continue;
        text_format(&prefix, "as %s has ", isa_elements[i].name);
        list_type(listing, operand, &isa_elements[i], prefix.bytes,
                  bins->by_type[operand] ? bins->by_type[operand][i] : nothing);
        text_free(&prefix);
    }
}

void operand_bins_each(const struct operand_bins *bins, const struct isa_instruction *instruction,
                       void (*each)(void *context, const char *name, uint64_t count), void *context)
{
    static const char *const sizes[] = {[SIZE_ZERO] = "0",
                                        [SIZE_ONE] = "1",
                                        [SIZE_BELOW] = "2 to W-1",
                                        [SIZE_LANES] = "W",
                                        [SIZE_MULTIPLE] = "above W, a multiple of W",
                                        [SIZE_OTHER] = "above W, not a multiple of W"};
    static const char *const strides[] = {[STRIDE_ZERO] = "0",
                                          [STRIDE_NEGATIVE] = "negative",
                                          [STRIDE_BELOW] = "below ",
                                          [STRIDE_ROW] = "",
                                          [STRIDE_ABOVE] = "above "};
    static const char *const steps[] = {
        [STEP_NEGATIVE] = "negative", [STEP_ZERO] = "0", [STEP_POSITIVE] = "positive"};
    static const char *const places[] = {
        [PLACE_SAME] = "at ", [PLACE_OVERLAPS] = "overlaps ", [PLACE_APART] = "apart from "};
    static const struct operand_bins nothing;
    const struct listing listing = {instruction, each, context};

    bins = bins ? bins : &nothing;
    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        for (unsigned bin = 0; is_size(instruction, i) && bin < OPERAND_BINS; bin++)
            list(&listing, i, sizes[bin], "", bins->values[i][bin]);
        for (unsigned bin = 0; operand->role == ISA_ROLE_STRIDE && bin <= STRIDE_ABOVE; bin++)
            list(&listing, i, strides[bin],
                 bin >= STRIDE_BELOW ? instruction->operands[operand->row].name : "",
                 bins->values[i][bin]);
        for (unsigned bin = 0; operand->role == ISA_ROLE_STEP && bin < STEP_BINS; bin++)
            list(&listing, i, steps[bin], "", bins->values[i][bin]);
        if (!is_group(operand) || is_group_input(operand))
            list_elements(&listing, bins, i);
        for (unsigned other = 0; other < instruction->operand_count; other++)
            for (unsigned bin = 0; is_pair(instruction, i, other) && bin < OPERAND_PLACES; bin++)
                list(&listing, i, places[bin], instruction->operands[other].name,
                     bins->places[i][other][bin]);
    }
}
