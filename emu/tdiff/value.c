/* Values of elements: their types, how far apart two of them are, and how they are written. */
#include "emu/tdiff/lossless.h"

#include "lib/float_text.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_float(const struct isa_element *type)
{
    return type && type->exponent && !type->part;
}

static const struct isa_element *float_of_format(enum float_format format)
{
    for (size_t i = 0; i < isa_element_count; i++)
        if (is_float(&isa_elements[i]) && isa_elements[i].format == format)
            return &isa_elements[i];
    return NULL;
}

/* ---- tolerance ---- */

static bool fail(struct tdiff *tdiff, bool is_ulp, const char *word)
{
    diag_error(&tdiff->diag, NULL,
               "--%s: '%s' is not a tolerance; expected %s, or TYPE: before it for one type of "
               "floats, separated by commas",
               is_ulp ? "ulp" : "rtol", word, is_ulp ? "a number of ulps" : "a number from 0 to 1");
    return false;
}

static void set(struct tolerance *tolerance, const struct isa_element *type, bool is_ulp,
                double number)
{
    for (size_t i = 0; i < isa_element_count && i < TYPES; i++) {
        if (!is_float(&isa_elements[i]) || (type && type != &isa_elements[i]))
            continue;
        if (is_ulp)
            tolerance->ulps[i] = (uint64_t)number;
        else
            tolerance->relative[i] = number;
    }
}

bool tolerance_read(struct tdiff *tdiff, struct tolerance *tolerance, const char *list, bool is_ulp)
{
    for (;; list++) {
        size_t length = strcspn(list, ",");
        const char *word = arena_copy(&tdiff->arena, list, length);
        const char *colon = strchr(word, ':'), *digits = colon ? colon + 1 : word;
        const struct isa_element *type = NULL;
        char *end;
        if (colon) {
            type = isa_find_element(arena_copy(&tdiff->arena, word, (size_t)(colon - word)));
            if (!is_float(type))
                return fail(tdiff, is_ulp, word);
        }
        errno = 0;
        double number = strtod(digits, &end);
        if (end == digits || *end || !(*digits >= '0' && *digits <= '9') || errno ||
            !(number <= (is_ulp ? 1e15 : 1)) || (is_ulp && number != floor(number)))
            return fail(tdiff, is_ulp, word);
        set(tolerance, type, is_ulp, number);
        list += length;
        if (!*list)
            return true;
    }
}

static double to_double(const struct isa_element *type, uint64_t bits)
{
    unsigned flags = 0;
    uint64_t wide =
        float_convert(FLOAT_F64, (enum float_format)type->format, bits, FLOAT_RNE, &flags);
    double number;

    memcpy(&number, &wide, sizeof number);
    return number;
}

/* Returns a number that grows with the float by one for each float, or false if it is NaN. */
static bool ordinal(const struct isa_element *type, uint64_t bits, int64_t *place)
{
    const struct float_value value = float_unpack((enum float_format)type->format, bits);
    uint64_t sign = UINT64_C(1) << (type->bits - 1), magnitude = bits & (sign - 1);

    *place = bits & sign ? -(int64_t)magnitude : (int64_t)magnitude;
    return value.kind != FLOAT_QUIET_NAN && value.kind != FLOAT_SIGNALLING_NAN;
}

uint64_t values_ulps(const struct isa_element *type, uint64_t a, uint64_t b)
{
    int64_t left, right;

    if (!is_float(type) || !ordinal(type, a, &left) || !ordinal(type, b, &right))
        return UINT64_MAX;
    return left > right ? (uint64_t)left - (uint64_t)right : (uint64_t)right - (uint64_t)left;
}

bool values_are_near(const struct tolerance *tolerance, const struct isa_element *type, uint64_t a,
                     uint64_t b)
{
    size_t place = type ? (size_t)(type - isa_elements) : TYPES;

    if (a == b)
        return true;
    if (!is_float(type) || place >= TYPES ||
        (tolerance->ulps[place] == 0 && !(tolerance->relative[place] > 0)))
        return false;
    uint64_t ulps = values_ulps(type, a, b);
    double left = to_double(type, a), right = to_double(type, b);
    if (ulps == UINT64_MAX)
        return isnan(left) && isnan(right);
    if (isinf(left) || isinf(right))
        return ulps == 0;
    return ulps <= tolerance->ulps[place] ||
           fabs(left - right) <= tolerance->relative[place] * fmax(fabs(left), fabs(right));
}

/* ---- text ---- */

/* Appends the shortest decimal that reads back as the same float. */
static void append_float(struct text *text, const struct isa_element *type, uint64_t bits)
{
    enum float_format format = (enum float_format)type->format;
    double number = to_double(type, bits);
    char decimal[40];

    if (isnan(number)) {
        text_append(text, "nan");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        uint64_t back;
        unsigned flags = 0;
        snprintf(decimal, sizeof decimal, "%.*g", digits, number);
        if (float_parse(format, decimal, &back, &flags) && back == bits)
            break;
    }
    text_append(text, decimal);
}

void value_append(struct text *text, const struct isa_element *type, uint64_t bits)
{
    if (is_float(type)) {
        append_float(text, type, bits);
    } else if (type && !type->part && type->is_signed) {
        unsigned unused = 64 - type->bits;
        text_format(text, "%" PRId64, (int64_t)(bits << unused) >> unused);
    } else if (type && !type->part) {
        text_format(text, "%" PRIu64, bits);
    } else {
        text_format(text, "0x%" PRIx64, bits);
    }
}

/* ---- types ---- */

/* Returns the type of a view of a float register. */
static const struct isa_element *type_of_view(enum isa_view view)
{
    switch (view) {
    case ISA_VIEW_F64:
        return float_of_format(FLOAT_F64);
    case ISA_VIEW_F32:
    case ISA_VIEW_RAW32:
        return float_of_format(FLOAT_F32);
    case ISA_VIEW_F16:
    case ISA_VIEW_RAW16:
        return float_of_format(FLOAT_F16);
    default:
        return NULL;
    }
}

const struct isa_element *type_of_register(const struct code *code, unsigned file, unsigned number)
{
    const struct isa_instruction *instruction = code->instruction;

    for (unsigned i = 0; instruction && i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        if ((operand->type->kind != ISA_REGISTER && operand->type->kind != ISA_REGISTER_GROUP) ||
            operand->type->file != &isa_register_files[file])
            continue;
        unsigned first = (unsigned)isa_extract(operand, code->word);
        unsigned count = operand->type->kind == ISA_REGISTER ? 1 : operand->type->group_count;
        if (number - first < count && isa_register_files[file].standard == ISA_STANDARD_FLOAT)
            return operand->type->view == ISA_VIEW_U64 ? float_of_format(FLOAT_F64)
                                                       : type_of_view(operand->type->view);
    }
    return NULL;
}

/* An instruction of a type T is named op.T or op.T.S, where S is what it reads. One that reads two
 * ranges or more sums products of elements, in the type of sums of T. */
const struct isa_element *type_written(const struct code *code, const struct ttrace_record *record)
{
    const char *dot = code->instruction ? strchr(code->instruction->mnemonic, '.') : NULL;
    char name[16];
    unsigned ranges = 0;

    if (!dot || strcspn(dot + 1, ".") >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(dot + 1, "."), dot + 1);
    const struct isa_element *type = isa_find_element(name);
    for (size_t i = 0; i < record->recorder->count; i++)
        ranges += record->recorder->effects[i].kind == EFFECT_RANGE_READ;
    if (!type || ranges < 2 || type->bytes >= 4)
        return type;
    return is_float(type) ? float_of_format(FLOAT_F32) : isa_find_element("i32");
}
