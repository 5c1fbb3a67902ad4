/* Operators, precedence and numbers are those of C, in 64-bit arithmetic that is unsigned but for /
 * and %, as in GNU ld; K and M multiply by 2^10 and 2^20.
 *
 * A value is absolute or belongs to an output section: address ± number stays in its section,
 * address - address in one section is a number, everything else is absolute. */
#include "ld/expression.h"

#include "ld/symbol.h"
#include <ctype.h>
#include <string.h>

#define DEEPEST 200  /* levels of nesting */
#define LONGEST 2000 /* operations and operands */
#define CHAIN   5000 /* operations in each other, through all symbols */

struct binary {
    const char *text;
    enum operation operation;
    int precedence;
};

/* Longer texts first, so that << is not read as <. */
static const struct binary binaries[] = {
    {"<<", SHIFT_LEFT, 8},  {">>", SHIFT_RIGHT, 8},
    {"<=", LESS_EQUAL, 7},  {">=", GREATER_EQUAL, 7},
    {"==", EQUAL, 6},       {"!=", NOT_EQUAL, 6},
    {"&&", LOGICAL_AND, 2}, {"||", LOGICAL_OR, 1},
    {"*", MULTIPLY, 10},    {"/", DIVIDE, 10},
    {"%", REMAINDER, 10},   {"+", ADD, 9},
    {"-", SUBTRACT, 9},     {"<", LESS, 7},
    {">", GREATER, 7},      {"&", AND, 5},
    {"^", EXCLUSIVE_OR, 4}, {"|", OR, 3},
};

/* ---- reading ---- */

struct reader {
    struct linker *linker;
    const struct diag_file *file;
    const char *next;
    int depth;
    int operations;
};

static struct position position_here(const struct reader *reader)
{
    return (struct position){.file = reader->file,
                             .line = 1,
                             .column = (unsigned)(reader->next - reader->file->bytes) + 1,
                             .length = 1};
}

static struct expression *fail(struct reader *reader, const char *expected)
{
    struct position at = position_here(reader);
    if (*reader->next)
        diag_error(&reader->linker->diag, &at, "found '%c', expected %s", *reader->next, expected);
    else
        diag_error(&reader->linker->diag, &at, "found the end, expected %s", expected);
    return NULL;
}

static void skip_blanks(struct reader *reader)
{
    while (isspace((unsigned char)*reader->next))
        reader->next++;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_' || c == '.' || c == '$' ||
           (unsigned char)c >= 0x80;
}

static struct expression *make(struct reader *reader, enum operation operation)
{
    struct expression *expression = arena_new(&reader->linker->arena, struct expression);
    expression->operation = operation;
    expression->position = position_here(reader);
    return expression;
}

static int digit_of(char c)
{
    if (isdigit((unsigned char)c))
        return c - '0';
    return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : 99;
}

static struct expression *read_number(struct reader *reader)
{
    struct expression *expression = make(reader, NUMBER);
    const char *p = reader->next;
    int base = 10;
    if (p[0] == '0' && tolower((unsigned char)p[1]) == 'x') {
        base = 16;
        p += 2;
    } else if (p[0] == '0') {
        base = 8;
    }
    const char *first = p;
    for (; digit_of(*p) < base; p++)
        if (__builtin_mul_overflow(expression->number, (uint64_t)base, &expression->number) ||
            __builtin_add_overflow(expression->number, (uint64_t)digit_of(*p), &expression->number))
            return fail(reader, "a number of at most 64 bits");
    reader->next = p;
    if (p == first)
        return fail(reader, "hexadecimal digits");
    if (tolower((unsigned char)*p) == 'k' || tolower((unsigned char)*p) == 'm') {
        unsigned shift = tolower((unsigned char)*p) == 'k' ? 10 : 20;
        if (expression->number > UINT64_MAX >> shift)
            return fail(reader, "a number of at most 64 bits");
        expression->number <<= shift;
        reader->next = ++p;
    }
    if (isalnum((unsigned char)*p) || is_name_start(*p))
        return fail(reader, "an operator or the end after a number");
    return expression;
}

static struct expression *read_name(struct reader *reader)
{
    struct expression *expression = make(reader, SYMBOL);
    const char *start = reader->next;
    while (is_name_start(*reader->next) || isdigit((unsigned char)*reader->next))
        reader->next++;
    size_t length = (size_t)(reader->next - start);
    expression->position.length = (unsigned)length;
    expression->symbol = symbol_use(
        reader->linker,
        symbol_wrapped(reader->linker, arena_copy(&reader->linker->arena, start, length)));
    return expression;
}

static struct expression *read_conditional(struct reader *reader);

static struct expression *read_primary(struct reader *reader)
{
    skip_blanks(reader);
    char c = *reader->next;
    enum operation operation = c == '-'   ? NEGATE
                               : c == '~' ? COMPLEMENT
                               : c == '!' ? NOT
                               : c == '+' ? ADD
                                          : NUMBER;
    if (isdigit((unsigned char)c))
        return read_number(reader);
    if (is_name_start(c))
        return read_name(reader);
    if (c != '(' && operation == NUMBER)
        return fail(reader, "a number, a symbol or '('");
    if (++reader->depth > DEEPEST)
        return fail(reader, "fewer levels of nesting");
    struct expression *expression = NULL;
    if (c == '(') {
        reader->next++;
        expression = read_conditional(reader);
        if (expression && *reader->next != ')')
            return fail(reader, "')'");
        reader->next++;
    } else {
        expression = operation == ADD ? NULL : make(reader, operation);
        reader->next++;
        struct expression *operand = read_primary(reader);
        if (!operand)
            return NULL;
        if (expression)
            expression->left = operand;
        else
            expression = operand;
    }
    reader->depth--;
    return expression;
}

static const struct binary *find_binary(const char *text)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++)
        if (strncmp(text, binaries[i].text, strlen(binaries[i].text)) == 0)
            return &binaries[i];
    return NULL;
}

/* Operators of at least this precedence, by climbing. */
static struct expression *read_binary(struct reader *reader, int precedence)
{
    struct expression *left = read_primary(reader);
    while (left) {
        skip_blanks(reader);
        const struct binary *binary = find_binary(reader->next);
        if (!binary || binary->precedence < precedence)
            break;
        if (++reader->operations > LONGEST)
            return fail(reader, "a shorter expression");
        struct expression *expression = make(reader, binary->operation);
        reader->next += strlen(binary->text);
        expression->left = left;
        expression->right = read_binary(reader, binary->precedence + 1);
        left = expression->right ? expression : NULL;
    }
    return left;
}

static struct expression *read_conditional(struct reader *reader)
{
    if (++reader->depth > DEEPEST)
        return fail(reader, "fewer levels of nesting");
    struct expression *condition = read_binary(reader, 1);
    reader->depth--;
    if (!condition || *reader->next != '?')
        return condition;
    struct expression *expression = make(reader, CONDITIONAL);
    reader->next++;
    reader->depth++;
    expression->condition = condition;
    expression->left = read_conditional(reader);
    if (!expression->left)
        return NULL;
    if (*reader->next != ':')
        return fail(reader, "':'");
    reader->next++;
    expression->right = read_conditional(reader);
    reader->depth--;
    return expression->right ? expression : NULL;
}

static void define(struct linker *linker, const char *text)
{
    struct diag_file *file = arena_new(&linker->arena, struct diag_file);
    *file = (struct diag_file){.name = "--defsym", .bytes = text, .length = strlen(text)};
    struct reader reader = {.linker = linker, .file = file, .next = text};
    if (!is_name_start(*text)) {
        fail(&reader, "SYMBOL=EXPRESSION");
        return;
    }
    while (is_name_start(*reader.next) || isdigit((unsigned char)*reader.next))
        reader.next++;
    if (*reader.next != '=') {
        fail(&reader, "'=' after the symbol");
        return;
    }
    struct symbol *symbol =
        symbol_intern(linker, arena_copy(&linker->arena, text, (size_t)(reader.next - text)));
    reader.next++;
    struct expression *expression = read_conditional(&reader);
    if (expression && *reader.next) {
        fail(&reader, "an operator or the end");
        return;
    }
    if (!expression)
        return;
    symbol_assign(linker, symbol);
    symbol->assignment->expression = expression;
}

void expressions_define_symbols(struct linker *linker)
{
    for (size_t i = 0; i < linker->config.defsym_count; i++)
        define(linker, linker->config.defsyms[i]);
}

void expression_symbols(const struct expression *expression,
                        void (*visit)(void *context, struct symbol *symbol), void *context)
{
    if (!expression)
        return;
    if (expression->symbol)
        visit(context, expression->symbol);
    expression_symbols(expression->condition, visit, context);
    expression_symbols(expression->left, visit, context);
    expression_symbols(expression->right, visit, context);
}

/* ---- evaluating ---- */

struct value {
    uint64_t address;
    struct output_section *output; /* NULL: absolute */
    bool good;
};

static struct value evaluate(struct linker *linker, const struct expression *expression);

static void evaluate_symbol(struct linker *linker, struct symbol *symbol)
{
    symbol->evaluating = true;
    struct value value = evaluate(linker, symbol_expression(symbol));
    symbol->evaluating = false;
    symbol->evaluated = true;
    symbol->assignment->output = value.output;
    symbol->value = value.address - (value.output ? value.output->address : 0);
}

static struct value symbol_value(struct linker *linker, const struct expression *expression)
{
    struct symbol *symbol = expression->symbol;
    struct value value = {.good = true};
    if (symbol->state == SYMBOL_UNDEFINED) {
        diag_error(&linker->diag, &expression->position,
                   "symbol '%s' is not defined; define it in an object or with --defsym",
                   symbol->name);
        return (struct value){0};
    }
    if (symbol->evaluating) {
        diag_error(&linker->diag, &expression->position, "symbol '%s' is defined by itself",
                   symbol->name);
        return (struct value){0};
    }
    if (symbol_expression(symbol) && !symbol->evaluated)
        evaluate_symbol(linker, symbol);
    value.address = symbol_address(symbol);
    value.output = symbol->state == SYMBOL_DEFINED
                       ? (symbol->section ? symbol->section->output : NULL)
                       : symbol_output(symbol);
    return value;
}

uint64_t expression_apply(enum operation operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case NEGATE:
        return -a;
    case COMPLEMENT:
        return ~a;
    case NOT:
        return !a;
    case LOG2_CEIL:
        return a < 2 ? 0 : 64 - (uint64_t)__builtin_clzll(a - 1);
    case MULTIPLY:
        return a * b;
    case DIVIDE: /* these two are signed, as GNU ld's */
        return b == UINT64_MAX ? -a : (uint64_t)((int64_t)a / (int64_t)b);
    case REMAINDER:
        return b == UINT64_MAX ? 0 : (uint64_t)((int64_t)a % (int64_t)b);
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case SHIFT_LEFT:
        return b < 64 ? a << b : 0;
    case SHIFT_RIGHT:
        return b < 64 ? a >> b : 0;
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER:
        return a > b;
    case GREATER_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    case NOT_EQUAL:
        return a != b;
    case AND:
        return a & b;
    case EXCLUSIVE_OR:
        return a ^ b;
    case OR:
        return a | b;
    case LOGICAL_AND:
        return a && b;
    case LOGICAL_OR:
        return a || b;
    case MAXIMUM:
        return a > b ? a : b;
    case MINIMUM:
        return a < b ? a : b;
    default:
        BUG("operation %d", (int)operation);
    }
}

static struct value evaluate_inside(struct linker *linker, const struct expression *expression)
{
    if (expression->operation == NUMBER)
        return (struct value){.address = expression->number, .good = true};
    if (expression->operation == SYMBOL)
        return symbol_value(linker, expression);
    if (expression->operation == CONDITIONAL) {
        struct value condition = evaluate(linker, expression->condition);
        if (!condition.good)
            return condition;
        return evaluate(linker, condition.address ? expression->left : expression->right);
    }
    struct value left = evaluate(linker, expression->left);
    struct value right =
        expression->right ? evaluate(linker, expression->right) : (struct value){.good = true};
    if (!left.good || !right.good)
        return (struct value){0};
    if ((expression->operation == DIVIDE || expression->operation == REMAINDER) &&
        right.address == 0) {
        diag_error(&linker->diag, &expression->position, "division by zero");
        return (struct value){0};
    }
    struct value value = {.address =
                              expression_apply(expression->operation, left.address, right.address),
                          .good = true};
    if (expression->operation == ADD && !(left.output && right.output))
        value.output = left.output ? left.output : right.output;
    if (expression->operation == SUBTRACT && !right.output)
        value.output = left.output;
    return value;
}

static struct value evaluate(struct linker *linker, const struct expression *expression)
{
    struct value value = {0};
    if (linker->expression_depth == CHAIN) {
        diag_error(&linker->diag, &expression->position,
                   "more than %d operations and symbols that depend on each other; give some of "
                   "the symbols plain numbers",
                   CHAIN);
        return value;
    }
    linker->expression_depth++;
    value = evaluate_inside(linker, expression);
    linker->expression_depth--;
    return value;
}

void expression_evaluate_symbol(struct linker *linker, struct symbol *symbol)
{
    if (symbol_expression(symbol))
        evaluate_symbol(linker, symbol);
}

void expressions_evaluate(struct linker *linker)
{
    for (size_t i = 0; i < linker->symbols.count; i++)
        ((struct symbol *)linker->symbols.entries[i].value)->evaluated = false;
    for (size_t i = 0; i < linker->symbols.count; i++) {
        struct symbol *symbol = linker->symbols.entries[i].value;
        if (symbol->state == SYMBOL_ASSIGNED && symbol_expression(symbol) && !symbol->evaluated)
            evaluate_symbol(linker, symbol);
    }
}
