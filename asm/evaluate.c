/* The values of expressions.
 *
 * The value of an expression may have to be known at once (.if, .rept), after layout (a branch), or
 * only by the linker (an undefined symbol). It therefore has the form add - subtract + constant.
 * Any other use of symbols is an error, unless their difference is a known number. */
#include "asm/expression.h"
#include "asm/tasm.h"

/* The cost of an evaluation and of those that it starts. Names whose values contain names form a
 * graph; without limits, walking it could take too long or overflow the stack. */
struct effort {
    unsigned names; /* number of values of names computed */
    unsigned depth; /* nesting of expressions and of the values of their names */
};
enum { NAME_LIMIT = 10000, DEPTH_LIMIT = 2 * EXPRESSION_DEPTH_LIMIT };

/* The parameters of one evaluation. */
struct evaluation {
    struct assembler *as;
    struct effort *effort;
    bool quiet;
    bool through;  /* replace an equated symbol by the label that it equals */
    bool *shrinks; /* set if the value uses a distance that the linker may shorten; or NULL */
};

__attribute__((format(printf, 3, 4))) static bool
fail(const struct evaluation *evaluation, const struct expression *at, const char *format, ...)
{
    if (evaluation->quiet)
        return false;
    char message[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct position place = expression_place(at);
    diag_error(evaluation->as->diag, &place, "%s", message);
    return false;
}

static bool evaluate(const struct evaluation *evaluation, const struct expression *expression,
                     struct value *value);

static bool evaluate_equated(const struct evaluation *evaluation, const struct expression *at,
                             struct symbol *symbol, struct value *value)
{
    if (symbol->visiting && symbol->cyclic)
        return false;
    if (symbol->visiting) {
        symbol->cyclic = !evaluation->quiet;
        return fail(evaluation, at, "the value of '%s' depends on itself", symbol->name);
    }
    if (++evaluation->effort->names > NAME_LIMIT)
        return fail(
            evaluation, at,
            "the value of this depends on more than %d names; they may be defined by each other",
            NAME_LIMIT);
    symbol->visiting = true;
    bool ok = evaluate(evaluation, symbol->value, value);
    symbol->visiting = false;
    return ok;
}

static bool locate(const struct evaluation *evaluation, struct symbol *symbol,
                   const struct symbol **label, int64_t *offset)
{
    struct evaluation through = *evaluation;
    struct value value = {.add = symbol};

    through.quiet = through.through = true;
    if (symbol->kind == SYMBOL_EQUATED &&
        (!evaluate_equated(&through, symbol->value, symbol, &value) || !value.add ||
         value.subtract))
        return false;
    *offset = value.constant;
    *label = value.add;
    return value.add->kind == SYMBOL_LABEL;
}

bool symbol_locate(struct assembler *as, struct symbol *symbol, const struct symbol **label,
                   int64_t *offset)
{
    struct effort effort = {0};

    if (symbol->kind == SYMBOL_LABEL) {
        *label = symbol;
        *offset = 0;
        return true;
    }
    return locate(&(struct evaluation){.as = as, .effort = &effort}, symbol, label, offset);
}

/* Replaces the difference of two labels by a number, if their distance is known. */
static void fold(const struct evaluation *evaluation, struct value *value)
{
    const struct symbol *add = NULL, *subtract = NULL;
    int64_t distance = 0, add_offset = 0, subtract_offset = 0;

    if (!value->add || !value->subtract)
        return;
    if (value->add != value->subtract) {
        if (!locate(evaluation, value->add, &add, &add_offset) ||
            !locate(evaluation, value->subtract, &subtract, &subtract_offset) ||
            symbol_section(add) != symbol_section(subtract) ||
            !section_distance(subtract->fragment, subtract->offset, add->fragment, add->offset,
                              &distance))
            return;
    }
    if (evaluation->shrinks && distance && section_may_shrink(subtract, add))
        *evaluation->shrinks = true;
    value->constant = (int64_t)((uint64_t)value->constant + (uint64_t)distance +
                                (uint64_t)add_offset - (uint64_t)subtract_offset);
    value->add = value->subtract = NULL;
}

/* An equated symbol that is a place stays itself, because it may be global or weak. One that is a
 * number or an undefined symbol is replaced by that. */
static bool evaluate_symbol(const struct evaluation *evaluation,
                            const struct expression *expression, struct value *value)
{
    struct symbol *symbol = expression->symbol;

    *value = (struct value){.add = symbol};
    if (symbol->kind != SYMBOL_EQUATED)
        return true;
    struct evaluation through = *evaluation;
    through.through = true;
    if (!evaluate_equated(&through, expression, symbol, value))
        return false;
    fold(evaluation, value);
    if (evaluation->through || !value->add)
        return true;
    if (!symbol->superseded && !symbol->weakref && !value->subtract &&
        value->add->kind == SYMBOL_LABEL) {
        *value = (struct value){.add = symbol};
        return true;
    }
    if (!evaluate_equated(evaluation, expression, symbol, value))
        return false;
    fold(evaluation, value);
    return true;
}

static bool number_of(const struct evaluation *evaluation, const struct expression *expression,
                      const char *operator_text, uint64_t *number)
{
    struct value value;

    if (!evaluate(evaluation, expression, &value))
        return false;
    fold(evaluation, &value);
    if (value.add || value.subtract)
        return fail(evaluation, expression,
                    "an operand of '%s' must be a number; it depends on symbol '%s'", operator_text,
                    symbol_title(evaluation->as, value.add ? value.add : value.subtract));
    *number = (uint64_t)value.constant;
    return true;
}

static const char *operation_text(enum operation operation)
{
    static const char *const texts[] = {
        [OPERATION_NEGATE] = "-",      [OPERATION_COMPLEMENT] = "~",
        [OPERATION_NOT] = "!",         [OPERATION_MULTIPLY] = "*",
        [OPERATION_DIVIDE] = "/",      [OPERATION_REMAINDER] = "%",
        [OPERATION_SHIFT_LEFT] = "<<", [OPERATION_SHIFT_RIGHT] = ">>",
        [OPERATION_OR] = "|",          [OPERATION_OR_NOT] = "!",
        [OPERATION_XOR] = "^",         [OPERATION_AND] = "&",
        [OPERATION_ADD] = "+",         [OPERATION_SUBTRACT] = "-",
        [OPERATION_EQUAL] = "==",      [OPERATION_UNEQUAL] = "!=",
        [OPERATION_LESS] = "<",        [OPERATION_LESS_EQUAL] = "<=",
        [OPERATION_GREATER] = ">",     [OPERATION_GREATER_EQUAL] = ">=",
        [OPERATION_AND_ALSO] = "&&",   [OPERATION_OR_ELSE] = "||",
    };

    return texts[operation];
}

static uint64_t divide(int64_t a, int64_t b, bool remainder)
{
    if (b == -1)
        return remainder ? 0 : 0 - (uint64_t)a;
    return (uint64_t)(remainder ? a % b : a / b);
}

static uint64_t truth(bool condition)
{
    return condition ? UINT64_MAX : 0;
}

/* Compares signed numbers; returns 0 or -1. */
static uint64_t compare(enum operation operation, int64_t a, int64_t b)
{
    switch (operation) {
    case OPERATION_EQUAL:
        return truth(a == b);
    case OPERATION_UNEQUAL:
        return truth(a != b);
    case OPERATION_LESS:
        return truth(a < b);
    case OPERATION_LESS_EQUAL:
        return truth(a <= b);
    case OPERATION_GREATER:
        return truth(a > b);
    case OPERATION_GREATER_EQUAL:
        return truth(a >= b);
    default:
        BUG("operation %d compares nothing", operation);
    }
}

static bool is_comparison(enum operation operation)
{
    return operation >= OPERATION_EQUAL && operation <= OPERATION_GREATER_EQUAL;
}

static uint64_t calculate(enum operation operation, uint64_t a, uint64_t b)
{
    switch (operation) {
    case OPERATION_ADD:
        return a + b;
    case OPERATION_SUBTRACT:
        return a - b;
    case OPERATION_MULTIPLY:
        return a * b;
    case OPERATION_SHIFT_LEFT:
        return b < 64 ? a << b : 0;
    case OPERATION_SHIFT_RIGHT:
        return b < 64 ? a >> b : 0;
    case OPERATION_OR:
        return a | b;
    case OPERATION_OR_NOT:
        return a | ~b;
    case OPERATION_XOR:
        return a ^ b;
    case OPERATION_AND:
        return a & b;
    case OPERATION_AND_ALSO:
        return a && b;
    case OPERATION_OR_ELSE:
        return a || b;
    default:
        BUG("operation %d has no arithmetic", operation);
    }
}

bool expression_calculate(enum operation operation, uint64_t a, uint64_t b, uint64_t *result)
{
    bool is_remainder = operation == OPERATION_REMAINDER;

    if (is_comparison(operation))
        *result = compare(operation, (int64_t)a, (int64_t)b);
    else if (operation != OPERATION_DIVIDE && !is_remainder)
        *result = calculate(operation, a, b);
    else if (b)
        *result = divide((int64_t)a, (int64_t)b, is_remainder);
    else
        return false;
    return true;
}

static struct value negative(struct value value)
{
    return (struct value){.add = value.subtract,
                          .subtract = value.add,
                          .constant = (int64_t)(0 - (uint64_t)value.constant)};
}

/* Computes a + b or a - b. At most one symbol may remain on each side of the difference. */
static bool combine(const struct evaluation *evaluation, const struct expression *expression,
                    const struct value *a, struct value b, struct value *value)
{
    if (expression->operation == OPERATION_SUBTRACT)
        b = negative(b);
    struct value left = *a;
    if ((left.add && b.add) || (left.subtract && b.subtract)) {
        /* (a - b) + (c - d): each difference that is known becomes a number */
        fold(evaluation, &left);
        fold(evaluation, &b);
        struct value cross = {.add = left.add, .subtract = b.subtract};
        fold(evaluation, &cross);
        if (!cross.add && !cross.subtract && left.add && b.subtract) {
            left.constant = (int64_t)((uint64_t)left.constant + (uint64_t)cross.constant);
            left.add = b.subtract = NULL;
        }
    }
    if ((left.add && b.add) || (left.subtract && b.subtract))
        return fail(evaluation, expression,
                    "cannot %s '%s' and '%s': the sum of two addresses is not an address",
                    expression->operation == OPERATION_ADD ? "add" : "subtract",
                    symbol_title(evaluation->as, left.add && b.add ? left.add : left.subtract),
                    symbol_title(evaluation->as, left.add && b.add ? b.add : b.subtract));
    *value = (struct value){
        .add = left.add ? left.add : b.add,
        .subtract = left.subtract ? left.subtract : b.subtract,
        .constant = (int64_t)((uint64_t)left.constant + (uint64_t)b.constant),
    };
    return true;
}

/* Replaces two labels by their distance and 0, if it is known, so that they can be compared. */
static void compare_labels(const struct evaluation *evaluation, struct value *left,
                           struct value *right)
{
    if (!left->add || !right->add || left->subtract || right->subtract)
        return;
    struct value distance = {.add = left->add, .subtract = right->add, .constant = left->constant};
    fold(evaluation, &distance);
    if (distance.add)
        return;
    *left = distance;
    right->add = NULL;
}

static bool evaluate_binary(const struct evaluation *evaluation,
                            const struct expression *expression, struct value *value)
{
    enum operation operation = expression->operation;
    struct value left, right;
    uint64_t a, b, result = 0;

    if (!evaluate(evaluation, expression->left, &left) ||
        !evaluate(evaluation, expression->right, &right))
        return false;
    if (operation == OPERATION_ADD || operation == OPERATION_SUBTRACT)
        return combine(evaluation, expression, &left, right, value);
    fold(evaluation, &left);
    fold(evaluation, &right);
    if (is_comparison(operation))
        compare_labels(evaluation, &left, &right);
    if (left.add || left.subtract) /* reports the operand that is not a number */
        return number_of(evaluation, expression->left, operation_text(operation), &a) && false;
    if (right.add || right.subtract)
        return number_of(evaluation, expression->right, operation_text(operation), &b) && false;
    a = (uint64_t)left.constant;
    b = (uint64_t)right.constant;
    if (!expression_calculate(operation, a, b, &result))
        return fail(evaluation, expression->right, "division by zero");
    *value = (struct value){.constant = (int64_t)result};
    return true;
}

static bool evaluate_unary(const struct evaluation *evaluation, const struct expression *expression,
                           struct value *value)
{
    struct value operand;

    if (expression->operation == OPERATION_NEGATE) {
        if (!evaluate(evaluation, expression->left, &operand))
            return false;
        *value = negative(operand);
        return true;
    }
    uint64_t number;
    if (!number_of(evaluation, expression->left, operation_text(expression->operation), &number))
        return false;
    *value = (struct value){
        .constant = (int64_t)(expression->operation == OPERATION_NOT ? !number : ~number)};
    return true;
}

/* Evaluates an expression before it is bound. A name that is not known yet makes it fail. */
static bool evaluate_unbound(const struct evaluation *evaluation,
                             const struct expression *expression, struct value *value)
{
    if (expression->kind != EXPRESSION_NAME)
        return false;
    struct symbol *symbol = expression_known(evaluation->as, expression);
    if (!symbol)
        return false;
    struct expression bound = *expression;
    bound.kind = EXPRESSION_SYMBOL;
    bound.symbol = symbol;
    return evaluate_symbol(evaluation, &bound, value);
}

static bool evaluate_kind(const struct evaluation *evaluation, const struct expression *expression,
                          struct value *value)
{
    switch (expression->kind) {
    case EXPRESSION_CONSTANT:
        value->constant = (int64_t)expression->constant;
        return true;
    case EXPRESSION_SYMBOL:
        return evaluate_symbol(evaluation, expression, value);
    case EXPRESSION_UNARY:
        return evaluate_unary(evaluation, expression, value);
    case EXPRESSION_BINARY:
        return evaluate_binary(evaluation, expression, value);
    case EXPRESSION_FLOAT:
        return fail(evaluation, expression, "expected an integer, found a floating-point number");
    case EXPRESSION_BIG:
        return fail(evaluation, expression, "number '%.60s' does not fit in 64 bits",
                    expression->name);
    case EXPRESSION_RELOCATED:
        return fail(evaluation, expression, "'%%%s' can only be a whole operand of an instruction",
                    expression->name);
    case EXPRESSION_NAME:
    case EXPRESSION_LOCAL:
    case EXPRESSION_DOT:
        if (evaluation->quiet)
            return evaluate_unbound(evaluation, expression, value);
        break;
    }
    BUG("expression of kind %d is not bound", expression->kind);
}

static bool evaluate(const struct evaluation *evaluation, const struct expression *expression,
                     struct value *value)
{
    struct effort *effort = evaluation->effort;

    *value = (struct value){0};
    if (effort->depth >= DEPTH_LIMIT)
        return fail(evaluation, expression, "the values of names nest too deeply");
    effort->depth++;
    bool good = evaluate_kind(evaluation, expression, value);
    effort->depth--;
    return good;
}

/* Is the value obvious: a number, or a symbol that is not equated? */
static bool is_plain(const struct expression *expression, struct value *value)
{
    if (expression->kind == EXPRESSION_CONSTANT)
        *value = (struct value){.constant = (int64_t)expression->constant};
    else if (expression->kind == EXPRESSION_SYMBOL && expression->symbol->kind != SYMBOL_EQUATED)
        *value = (struct value){.add = expression->symbol};
    else
        return false;
    return true;
}

/* Is it the sum or the difference of two obvious values, with at most one symbol on each side? Most
 * distances in frames and tables are. */
static bool is_plain_sum(const struct expression *expression, struct value *value)
{
    struct value left, right;

    if (expression->kind != EXPRESSION_BINARY ||
        (expression->operation != OPERATION_ADD && expression->operation != OPERATION_SUBTRACT) ||
        !is_plain(expression->left, &left) || !is_plain(expression->right, &right))
        return false;
    if (expression->operation == OPERATION_SUBTRACT)
        right = negative(right);
    else if (left.add && right.add)
        return false;
    *value = (struct value){
        .add = left.add ? left.add : right.add,
        .subtract = right.subtract,
        .constant = (int64_t)((uint64_t)left.constant + (uint64_t)right.constant),
    };
    return true;
}

bool expression_evaluate_unfolded(struct assembler *as, const struct expression *expression,
                                  struct value *value)
{
    struct effort effort = {0};
    struct evaluation evaluation = {.as = as, .effort = &effort};

    if (is_plain(expression, value) || is_plain_sum(expression, value))
        return true;
    return evaluate(&evaluation, expression, value);
}

bool expression_evaluate(struct assembler *as, const struct expression *expression, bool quiet,
                         struct value *value)
{
    struct effort effort = {0};
    struct evaluation evaluation = {.as = as, .effort = &effort, .quiet = quiet};

    if (is_plain(expression, value))
        return true;
    if (!is_plain_sum(expression, value) && !evaluate(&evaluation, expression, value))
        return false;
    fold(&evaluation, value);
    return true;
}

bool expression_number(struct assembler *as, struct expression *expression, const char *what,
                       int64_t *number)
{
    struct value value;

    if (expression->kind == EXPRESSION_CONSTANT) {
        *number = (int64_t)expression->constant;
        return true;
    }
    expression_bind(as, expression);
    if (!expression_evaluate(as, expression, false, &value))
        return false;
    if (value.add || value.subtract) {
        const struct symbol *symbol = value.add ? value.add : value.subtract;
        struct position at = expression_place(expression);
        diag_error(as->diag, &at, "%s must be a number known here; it depends on %ssymbol '%s'",
                   what, symbol_is_defined(symbol) ? "the address of " : "the undefined ",
                   symbol_title(as, symbol));
        return false;
    }
    *number = value.constant;
    return true;
}

bool expression_try_number(struct assembler *as, const struct expression *expression,
                           int64_t *number)
{
    struct value value;

    if (!expression_evaluate(as, expression, true, &value) || value.add || value.subtract)
        return false;
    *number = value.constant;
    return true;
}

bool expression_try_constant(struct assembler *as, const struct expression *expression,
                             int64_t *number)
{
    struct effort effort = {0};
    struct evaluation evaluation = {.as = as, .effort = &effort, .quiet = true};
    struct value value;

    if (!evaluate(&evaluation, expression, &value) || value.add || value.subtract)
        return false;
    *number = value.constant;
    return true;
}

bool expression_may_shrink(struct assembler *as, const struct expression *expression)
{
    bool shrinks = false;

    if (expression->kind == EXPRESSION_CONSTANT)
        return false;
    struct effort effort = {0};
    const struct evaluation evaluation = {
        .as = as, .effort = &effort, .quiet = true, .shrinks = &shrinks};
    struct value value;
    if (evaluate(&evaluation, expression, &value))
        fold(&evaluation, &value);
    return shrinks;
}

bool expression_check_address(struct assembler *as, const struct expression *expression,
                              struct symbol *symbol)
{
    if (!symbol || symbol->kind != SYMBOL_EQUATED)
        return true;
    const struct symbol *label;
    int64_t offset;
    if (symbol_locate(as, symbol, &label, &offset))
        return true;
    struct position at = expression_place(expression);
    diag_error(as->diag, &at, "the value of '%s' has no address that a relocation could express",
               symbol->name);
    return false;
}
