/* Reading an expression as plain.c does, but to its value instead of a tree. What has other names,
 * or more than `room` unary operators, parentheses and binary operators, is left to the parser,
 * which reports what is wrong. */
#include "asm/constant.h"
#include "asm/expression.h"
#include "asm/tasm.h"

struct reader {
    const char *next;
    unsigned room;
    const struct words *words; /* where names of numbers are searched; NULL: there may be none */
};

static bool read_constant(struct reader *reader, unsigned least, uint64_t *value);

/* Reads the name of a symbol that `.set` has given a number. */
static bool read_name(struct reader *reader, uint64_t *value)
{
    const char *start = reader->next;

    while (cut_class(*reader->next) & CUT_IN_WORD)
        reader->next++;
    const struct word *word = word_find(reader->words, start, (size_t)(reader->next - start));
    struct symbol *symbol = word ? word->symbol : NULL;
    if (!symbol || word->meaning || symbol->kind != SYMBOL_EQUATED || symbol->lazy ||
        symbol->value->kind != EXPRESSION_CONSTANT)
        return false;
    symbol->named = true;
    *value = symbol->value->constant;
    return true;
}

static bool read_operand(struct reader *reader, uint64_t *value)
{
    char c = *reader->next;

    if (c >= '0' && c <= '9') {
        reader->next = plain_number(reader->next, value);
        return reader->next;
    }
    if (reader->words && cut_class(c) & CUT_IN_WORD)
        return read_name(reader, value);
    if ((c != '(' && c != '-' && c != '~' && c != '!') || !reader->room)
        return false;
    reader->room--;
    reader->next = cut_blanks(reader->next + 1);
    if (c == '(')
        return read_constant(reader, 0, value) && *reader->next++ == ')';
    if (!read_operand(reader, value))
        return false;
    *value = c == '-' ? 0 - *value : c == '~' ? ~*value : !*value;
    return true;
}

/* Reads an expression, as plain.c does, to its value, and the blanks after it. */
static bool read_constant(struct reader *reader, unsigned least, uint64_t *value)
{
    const struct binary *binary;
    uint64_t right;

    if (!read_operand(reader, value))
        return false;
    reader->next = cut_blanks(reader->next);
    while ((binary = plain_operator(reader->next)) && binary->strength > least) {
        if (!reader->room)
            return false;
        reader->room--;
        reader->next = cut_blanks(reader->next + (binary->text[1] ? 2 : 1));
        if (!read_constant(reader, binary->strength, &right) ||
            !expression_calculate(binary->operation, *value, right, value))
            return false;
    }
    return true;
}

const char *constant_read(const struct words *words, const char *text, uint64_t *number)
{
    struct reader reader = {.next = text, .room = 64, .words = words};

    return read_constant(&reader, 0, number) ? reader.next : NULL;
}

bool constant_read_octa(const char *text, uint64_t value[2])
{
    bool negative = *text == '-';

    text += negative || *text == '+';
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned __int128 number = 0, base = hex ? 16 : *text == '0' ? 8 : 10;
    text += 2 * hex;
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = *text <= '9' ? (unsigned)*text - '0' : ((unsigned)*text | 0x20) - 'a' + 10;
        if (digit >= base || number > (~(unsigned __int128)0 - digit) / base)
            return false;
        number = number * base + digit;
    }
    if (negative)
        number = -number;
    value[0] = (uint64_t)number;
    value[1] = (uint64_t)(number >> 64);
    return true;
}
