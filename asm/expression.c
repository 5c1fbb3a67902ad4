/* Trees of expressions, and binding their names to symbols. Their values are computed in
 * evaluate.c.
 *
 * A bound tree never changes, so trees may share parts. */
#include "asm/expression.h"
#include "asm/tasm.h"

struct expression *expression_new(struct assembler *as, const struct statement *statement,
                                  enum expression_kind kind, unsigned offset, unsigned length)
{
    struct expression *expression = arena_new(as->scratch, struct expression);

    expression->kind = kind;
    expression->at = statement->at;
    expression->offset = offset;
    expression->length = length;
    return expression;
}

struct expression *expression_unary(struct assembler *as, const struct statement *statement,
                                    enum operation operation, struct expression *operand,
                                    unsigned offset)
{
    unsigned end = operand->offset + operand->length;
    struct expression *expression =
        expression_new(as, statement, EXPRESSION_UNARY, offset, end - offset);

    expression->operation = operation;
    expression->depth = operand->depth + 1;
    expression->left = operand;
    return expression;
}

struct expression *expression_binary(struct assembler *as, const struct statement *statement,
                                     enum operation operation, struct expression *left,
                                     struct expression *right)
{
    unsigned end = right->offset + right->length;
    struct expression *expression =
        expression_new(as, statement, EXPRESSION_BINARY, left->offset, end - left->offset);

    expression->operation = operation;
    expression->depth = (left->depth > right->depth ? left->depth : right->depth) + 1;
    expression->left = left;
    expression->right = right;
    return expression;
}

struct expression *expression_constant(struct assembler *as, const struct position *at,
                                       uint64_t constant)
{
    struct expression *expression = arena_new(as->arena, struct expression);

    expression->kind = EXPRESSION_CONSTANT;
    expression->at = position_keep(as, at);
    expression->constant = constant;
    return expression;
}

struct expression *expression_symbol(struct assembler *as, const struct position *at,
                                     struct symbol *symbol)
{
    struct expression *expression = arena_new(as->arena, struct expression);

    expression->kind = EXPRESSION_SYMBOL;
    expression->at = position_keep(as, at);
    expression->symbol = symbol;
    return expression;
}

struct expression *expression_distance(struct assembler *as, struct symbol *from, struct symbol *to)
{
    struct expression *expression = arena_new(as->arena, struct expression);

    expression->kind = EXPRESSION_BINARY;
    expression->operation = OPERATION_SUBTRACT;
    expression->depth = 1;
    expression->left = expression_symbol(as, as->at, to);
    expression->right = expression_symbol(as, as->at, from);
    expression->at = position_keep(as, as->at);
    return expression;
}

struct symbol *expression_name(struct assembler *as, const struct expression *expression)
{
    return expression->quoted ? symbol_lookup(as, expression->name)
                              : symbol_of(as, expression->word);
}

struct symbol *expression_known(const struct assembler *as, const struct expression *expression)
{
    return expression->quoted ? symbol_find(as, expression->name) : expression->word->symbol;
}

const struct isa_register_name *expression_register(const struct expression *expression)
{
    if (expression->kind != EXPRESSION_NAME || expression->quoted)
        return NULL;
    const struct word *word = expression->word;
    if (word->meaning && word->meaning->register_name)
        return word->meaning->register_name;
    return word->symbol ? symbol_register(word->symbol) : NULL;
}

struct position expression_place(const struct expression *expression)
{
    struct position at = *expression->at;

    if (expression->length) {
        at.column += expression->offset;
        at.length = expression->length;
    }
    return at;
}

struct expression *expression_copy(struct assembler *as, const struct expression *expression)
{
    struct expression *copy = arena_new(as->arena, struct expression);

    *copy = *expression;
    copy->at = position_keep(as, expression->at);
    if (expression->kind == EXPRESSION_NAME && expression->quoted)
        copy->name = arena_copy(as->arena, expression->name, expression->name_length);
    if (expression->kind == EXPRESSION_BIG)
        copy->name = arena_string(as->arena, expression->name);
    if (expression->left)
        copy->left = expression_copy(as, expression->left);
    if (expression->kind == EXPRESSION_BINARY)
        copy->right = expression_copy(as, expression->right);
    return copy;
}

struct expression *expression_keep(struct assembler *as, struct expression *expression)
{
    expression_bind(as, expression);
    return expression_copy(as, expression);
}

enum { LAZY_DEPTH_LIMIT = 100, LAZY_USE_LIMIT = 100000 };

/* May the value of .eqv replace the name? Reports a value that contains itself, and too many
 * values. */
static bool may_put_lazy(struct assembler *as, const struct expression *name, struct symbol *symbol)
{
    struct symbols *symbols = &as->symbols;
    struct position at = expression_place(name);
    bool fits = symbols->lazy_depth < LAZY_DEPTH_LIMIT && symbols->lazy_uses++ < LAZY_USE_LIMIT;

    if (symbol->visiting)
        diag_error(as->diag, &at, "the value of '%s' depends on itself", symbol->name);
    else if (!fits && !symbols->lazy_full)
        diag_error(as->diag, &at, "the value of '%s' contains too many values of '.eqv'",
                   symbol->name);
    symbols->lazy_full |= !fits;
    symbol->cyclic |= symbol->visiting;
    return !symbol->visiting && fits;
}

/* Replaces the name by a copy of its .eqv value, bound here. */
static void bind_lazy(struct assembler *as, struct expression *expression, struct symbol *symbol)
{
    struct expression name = *expression;

    if (may_put_lazy(as, expression, symbol)) {
        struct expression *value = expression_copy(as, symbol->value);
        symbol->visiting = true;
        as->symbols.lazy_depth++;
        expression_bind(as, value);
        as->symbols.lazy_depth--;
        symbol->visiting = false;
        *expression = *value;
    } else {
        *expression = *expression_constant(as, name.at, 0);
    }
    expression->at = name.at;
    expression->offset = name.offset;
    expression->length = name.length;
    expression->parenthesized = name.parenthesized;
}

static void bind_symbol(struct assembler *as, struct expression *expression, struct symbol *symbol)
{
    symbol->named = true;
    if (symbol->lazy) {
        bind_lazy(as, expression, symbol);
        return;
    }
    if (symbol->kind == SYMBOL_EQUATED && symbol->value->kind == EXPRESSION_CONSTANT) {
        expression->kind = EXPRESSION_CONSTANT;
        expression->constant = symbol->value->constant;
        return;
    }
    expression->kind = EXPRESSION_SYMBOL;
    expression->symbol = symbol;
}

void expression_bind(struct assembler *as, struct expression *expression)
{
    switch (expression->kind) {
    case EXPRESSION_NAME:
        bind_symbol(as, expression, expression_name(as, expression));
        break;
    case EXPRESSION_LOCAL: {
        struct position at = expression_place(expression);
        struct symbol *symbol =
            expression->local.dollar
                ? symbol_dollar(as, expression->local.number, &at)
                : symbol_local(as, expression->local.number, expression->local.forward, &at);
        expression->kind = EXPRESSION_SYMBOL;
        expression->symbol = symbol;
        break;
    }
    case EXPRESSION_DOT:
        expression->kind = EXPRESSION_SYMBOL;
        expression->symbol = symbol_here(as, ".L0 ");
        break;
    case EXPRESSION_UNARY:
    case EXPRESSION_RELOCATED:
        expression_bind(as, expression->left);
        break;
    case EXPRESSION_BINARY:
        expression_bind(as, expression->left);
        expression_bind(as, expression->right);
        break;
    default:
        break;
    }
}
