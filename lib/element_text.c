/* See element_text.h. The plain form is for comparing outputs: the width of one element never
 * depends on another one. A table is for reading. */
#include "lib/element_text.h"
#include "lib/diag.h"
#include "lib/float_text.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_INTEGER = 1 << 24, /* integers below this are printed without exponent, also as floats */
    DIGITS = 17,             /* enough to distinguish any two doubles */
    DECIMAL_SIZE = 32,       /* bytes of a decimal number */
    TABLE_COLUMNS = 16,      /* elements in a line of a table */
};

/* ---- floats ---- */

/* d.ddd · 10^exponent */
struct decimal {
    char digits[DIGITS + 1];
    int count, exponent;
};

/* Makes the decimal of `digits` digits that is nearest to the number, which is positive. */
static void decimal_round(struct decimal *decimal, double number, int count)
{
    char text[DECIMAL_SIZE];

    snprintf(text, sizeof text, "%.*e", count - 1, number);
    decimal->count = count;
    decimal->digits[0] = text[0];
    memcpy(decimal->digits + 1, text + 2, count - 1);
    decimal->digits[count] = '\0';
    decimal->exponent = atoi(strchr(text, 'e') + 1);
}

/* Makes the next larger decimal of as many digits. Returns false when that is a power of ten, which
 * has fewer digits. */
static bool decimal_increase(struct decimal *decimal)
{
    uint64_t next = strtoull(decimal->digits, NULL, 10) + 1;
    char text[DECIMAL_SIZE];

    if (snprintf(text, sizeof text, "%" PRIu64, next) > decimal->count)
        return false;
    memcpy(decimal->digits, text, decimal->count);
    return true;
}

/* Uses an exponent as %g of C does: below 10^-4, and where the number has more places than digits.
 */
static void decimal_text(const struct decimal *decimal, char text[DECIMAL_SIZE])
{
    const char *digits = decimal->digits;
    int exponent = decimal->exponent, count = decimal->count;

    if (exponent < -4 || exponent >= count)
        snprintf(text, DECIMAL_SIZE, "%c%s%se%+03d", digits[0], count > 1 ? "." : "", digits + 1,
                 exponent);
    else if (exponent < 0)
        snprintf(text, DECIMAL_SIZE, "0.%.*d%s", -exponent - 1, 0, digits);
    else
        snprintf(text, DECIMAL_SIZE, "%.*s%s%s", exponent + 1, digits,
                 exponent + 1 < count ? "." : "", digits + exponent + 1);
}

static bool reads_back(enum float_format format, const struct decimal *decimal, uint64_t magnitude,
                       char text[DECIMAL_SIZE])
{
    uint64_t back;
    unsigned flags = 0;

    decimal_text(decimal, text);
    return float_parse(format, text, &back, &flags) && back == magnitude;
}

/* Makes the nearest of the shortest decimals that read back as the number. It is the nearest
 * decimal of its length, except at powers of two: there the next float below is nearer than the one
 * above, so that the next larger decimal may read back when the nearest one, which is smaller, does
 * not. */
static void shortest(enum float_format format, double number, uint64_t magnitude,
                     char text[DECIMAL_SIZE])
{
    for (int count = 1; count <= DIGITS; count++) {
        struct decimal decimal;
        decimal_round(&decimal, number, count);
        if (reads_back(format, &decimal, magnitude, text) ||
            (decimal_increase(&decimal) && reads_back(format, &decimal, magnitude, text)))
            return;
    }
    BUG("17 digits do not tell a float");
}

static void append_decimal(struct text *text, enum float_format format, uint64_t bits,
                           const struct float_value *value)
{
    double number = ldexp((double)value->significand, value->exponent - 63);
    char decimal[DECIMAL_SIZE];

    if (value->sign)
        text_append_char(text, '-');
    if (number < SMALL_INTEGER && number == trunc(number))
        text_format(text, "%.0f", number);
    else {
        shortest(format, number, bits & ~((uint64_t)1 << (float_width(format) - 1)), decimal);
        text_append(text, decimal);
    }
}

/* Writes 0x1.8p+1. The first digit is always 1, also for subnormal numbers. */
static void append_hexadecimal(struct text *text, const struct float_value *value)
{
    char digits[DECIMAL_SIZE];
    int count = snprintf(digits, sizeof digits, "%016" PRIx64, value->significand << 1);

    while (count && digits[count - 1] == '0')
        digits[--count] = '\0';
    text_format(text, "%s0x1%s%sp%+d", value->sign ? "-" : "", count ? "." : "", digits,
                value->exponent);
}

static void append_float(struct text *text, enum float_format format, uint64_t bits,
                         enum isa_print form)
{
    const struct float_value value = float_unpack(format, bits);
    const char *sign = value.sign ? "-" : "";

    switch (value.kind) {
    case FLOAT_QUIET_NAN:
    case FLOAT_SIGNALLING_NAN:
        if (bits == float_quiet_nan(format))
            text_append(text, "nan");
        else
            text_format(text, "nan:0x%" PRIx64, bits);
        break;
    case FLOAT_INFINITE:
        text_format(text, "%sinf", sign);
        break;
    case FLOAT_ZERO:
        text_format(text, form == ISA_PRINT_HEXFLOAT ? "%s0x0p+0" : "%s0", sign);
        break;
    case FLOAT_FINITE:
        if (form == ISA_PRINT_HEXFLOAT)
            append_hexadecimal(text, &value);
        else
            append_decimal(text, format, bits, &value);
        break;
    }
}

/* ---- arrays ---- */

void element_append_types(struct text *text)
{
    for (size_t i = 0; i < isa_element_count; i++)
        text_format(text, "%s%s", i ? " " : "", isa_elements[i].name);
}

uint64_t element_count(const struct element_array *array)
{
    uint64_t count = 1;

    for (unsigned i = 0; i < array->rank; i++)
        if (__builtin_mul_overflow(count, array->dimensions[i], &count))
            return UINT64_MAX;
    return count;
}

static uint64_t read_element(const struct isa_element *type, const unsigned char *bytes)
{
    unsigned unused = 64 - type->bits;
    uint64_t value = 0;

    memcpy(&value, bytes, type->bytes);
    return value << unused >> unused;
}

static void append_number(struct text *text, const struct isa_element *type,
                          const unsigned char *bytes, enum isa_print form)
{
    unsigned unused = 64 - type->bits;
    uint64_t value = read_element(type, bytes);

    if (type->exponent)
        append_float(text, (enum float_format)type->format, value, form);
    else if (type->is_signed)
        text_format(text, "%" PRId64, (int64_t)(value << unused) >> unused);
    else
        text_format(text, "%" PRIu64, value);
}

void element_append(struct text *text, const struct isa_element *type, enum isa_print form,
                    const void *bytes)
{
    const struct isa_element *part = type->part;

    if (form == ISA_PRINT_BITS) {
        text_format(text, "0x%0*" PRIx64, (type->bits + 3) / 4, read_element(type, bytes));
        return;
    }
    append_number(text, part ? part : type, bytes, form);
    if (!part)
        return;
    struct text imaginary = TEXT_INIT;
    append_number(&imaginary, part, (const unsigned char *)bytes + part->bytes, form);
    text_format(text, "%s%si", *imaginary.bytes == '-' ? "" : "+", imaginary.bytes);
    text_free(&imaginary);
}

/* The state of printing. */
struct printer {
    const struct element_array *array;
    struct text *text, element;
    const unsigned char *bytes; /* next element */
    int width;                  /* of a column; 0: each element has its own width */
};

/* Sets the width of a column to that of the widest element. */
static void measure(struct printer *printer)
{
    const struct element_array *array = printer->array;
    uint64_t count = element_count(array);

    for (uint64_t i = 0; i < count; i++) {
        text_clear(&printer->element);
        element_append(&printer->element, array->type, array->form,
                       printer->bytes + i * array->type->bytes);
        if (printer->element.length > (size_t)printer->width)
            printer->width = printer->element.length;
    }
}

/* Appends a comma and the separator of a dimension: a space between elements, a newline between
 * rows, and in a table an empty line between blocks. Long rows of a table are folded. */
static void append_separator(struct printer *printer, unsigned dimension, uint64_t index)
{
    const struct element_array *array = printer->array;
    unsigned outer = array->rank - dimension - 1;
    bool folds = array->table && index % TABLE_COLUMNS == 0;

    if (!outer && !folds) {
        text_append(printer->text, ", ");
        return;
    }
    text_append_char(printer->text, ',');
    for (unsigned i = 0; i < (array->table && outer ? outer : 1); i++)
        text_append_char(printer->text, '\n');
    text_format(printer->text, "%*s", (int)dimension + 1, "");
}

static void append_array(struct printer *printer, unsigned dimension)
{
    const struct element_array *array = printer->array;

    if (dimension == array->rank) {
        text_clear(&printer->element);
        element_append(&printer->element, array->type, array->form, printer->bytes);
        text_format(printer->text, "%*s", printer->width, printer->element.bytes);
        printer->bytes += array->type->bytes;
        return;
    }
    text_append_char(printer->text, '[');
    for (uint64_t i = 0; i < array->dimensions[dimension]; i++) {
        if (i)
            append_separator(printer, dimension, i);
        append_array(printer, dimension + 1);
    }
    text_append_char(printer->text, ']');
}

static void append_heading(struct text *text, const char *name, const struct element_array *array)
{
    text_format(text, "%s:%s", name, array->type->name);
    for (unsigned i = 0; i < array->rank; i++)
        text_format(text, "%c%" PRIu64, i ? ',' : '[', array->dimensions[i]);
    text_append(text, array->rank ? "] =" : " =");
    text_append_char(text, array->rank > 1 || (array->rank && array->table) ? '\n' : ' ');
}

void element_append_array(struct text *text, const char *name, const struct element_array *array,
                          const void *bytes)
{
    struct printer printer = {.array = array, .text = text, .bytes = bytes};

    append_heading(text, name, array);
    if (array->table)
        measure(&printer);
    append_array(&printer, 0);
    text_append_char(text, '\n');
    text_free(&printer.element);
}

/* ---- forms ---- */

static const char *const form_names[] = {
    [ISA_PRINT_VALUE] = ":value", [ISA_PRINT_BITS] = ":hex", [ISA_PRINT_HEXFLOAT] = ":hexfloat"};
enum { FORMS = sizeof form_names / sizeof *form_names };
static const char table_name[] = ":table";

static bool is_word(const char *word, const char *text, size_t length)
{
    return strlen(word) == length && strncmp(text, word, length) == 0;
}

/* Takes the form of elements that the text names, unless there was one. */
static bool read_form(struct element_array *array, const char *text, size_t length, bool *formed)
{
    for (size_t i = 0; i < FORMS && !*formed; i++)
        if (is_word(form_names[i], text, length)) {
            array->form = (enum isa_print)i;
            *formed = true;
            return true;
        }
    return false;
}

void element_suggest_forms(struct suggestion *suggestion)
{
    for (size_t i = 0; i < FORMS; i++)
        suggest_add(suggestion, form_names[i]);
    suggest_add(suggestion, table_name);
}

const char *element_read_forms(struct element_array *array, const char *text)
{
    bool formed = false;

    while (*text) {
        size_t length = 1 + strcspn(text + 1, ":");
        if (is_word(table_name, text, length) && !array->table)
            array->table = true;
        else if (!read_form(array, text, length, &formed))
            return text;
        text += length;
    }
    return NULL;
}

bool element_has_form(const struct element_array *array)
{
    const struct isa_element *type = array->type->part ? array->type->part : array->type;

    return array->form != ISA_PRINT_HEXFLOAT || type->exponent;
}
