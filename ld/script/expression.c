/* Operators are those of C, in unsigned 64-bit arithmetic, except for / and %, which are signed, as
 * in GNU ld.
 *
 * A value is absolute or belongs to an output section. An address ± a number stays in its section;
 * the difference of two addresses in one section is a number; everything else is absolute. */
#include "ld/script/expression.h"

#include "ld/symbol.h"

#define CHAIN 5000 /* nested operations, through all symbols */

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
        diag_error(&linker->diag, &expression->position,
                   "the definition of symbol '%s' depends on the symbol itself", symbol->name);
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
    case DIVIDE: /* / and % are signed, as in GNU ld */
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
                   "more than %d operations and symbols depend on each other; give some of the "
                   "symbols plain numbers",
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
