/* Reading the arguments of a directive. */
#include "asm/argument.h"
#include <stdio.h>

bool argument_is_empty(const struct parsed *parsed, size_t index)
{
    return index >= parsed->argument_count || !parsed->arguments[index].count;
}

__attribute__((format(printf, 4, 5))) static void
complain(struct assembler *as, const struct parsed *parsed, size_t index, const char *format, ...)
{
    char message[200];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    struct position at = argument_place(parsed, index);
    diag_error(as->diag, &at, "argument %zu of '%s': %s", index + 1, parsed->name, message);
}

static const struct item *only_item(const struct parsed *parsed, size_t index, enum item_kind kind)
{
    if (argument_is_empty(parsed, index))
        return NULL;
    const struct argument *argument = &parsed->arguments[index];
    return argument->count == 1 && argument->items->kind == kind ? argument->items : NULL;
}

struct expression *argument_expression(struct assembler *as, const struct parsed *parsed,
                                       size_t index)
{
    const struct item *item = only_item(parsed, index, ITEM_EXPRESSION);

    if (item)
        return item->expression;
    item = only_item(parsed, index, ITEM_STRING);
    if (item)
        return item_as_name(as, parsed->statement, item);
    const struct argument *argument =
        argument_is_empty(parsed, index) ? NULL : &parsed->arguments[index];
    if (argument && argument->count > 1 && argument->items->kind == ITEM_EXPRESSION) {
        struct position at = statement_place(parsed->statement, argument->items[1].offset,
                                             argument->items[1].length);
        diag_error(as->diag, &at,
                   "argument %zu of '%s': expected ',' or an operator after the expression",
                   index + 1, parsed->name);
    } else {
        complain(as, parsed, index, "expected an expression");
    }
    return NULL;
}

/* Is the expression a number as written, perhaps with a minus sign? Most arguments are. */
static bool literal(const struct expression *expression, int64_t *number)
{
    bool negative =
        expression->kind == EXPRESSION_UNARY && expression->operation == OPERATION_NEGATE;

    expression = negative ? expression->left : expression;
    if (expression->kind != EXPRESSION_CONSTANT)
        return false;
    *number = (int64_t)(negative ? -expression->constant : expression->constant);
    return true;
}

bool argument_number(struct assembler *as, const struct parsed *parsed, size_t index,
                     int64_t *number)
{
    if (only_item(parsed, index, ITEM_STRING)) {
        complain(as, parsed, index, "expected an expression");
        return false;
    }
    struct expression *expression = argument_expression(as, parsed, index);
    if (!expression)
        return false;
    if (literal(expression, number))
        return true;
    char what[80];
    snprintf(what, sizeof what, "argument %zu of '%s'", index + 1, parsed->name);
    return expression_number(as, expression, what, number);
}

const char *argument_name(struct assembler *as, const struct parsed *parsed, size_t index)
{
    const struct item *string = only_item(parsed, index, ITEM_STRING);

    if (string && string->string.length)
        return string->string.bytes;
    const struct item *item = only_item(parsed, index, ITEM_EXPRESSION);
    if (item && item->expression->kind == EXPRESSION_NAME)
        return item->expression->name;
    complain(as, parsed, index, "expected the name of a symbol");
    return NULL;
}

bool argument_string(struct assembler *as, const struct parsed *parsed, size_t index,
                     const char **bytes, size_t *length)
{
    const struct item *item = only_item(parsed, index, ITEM_STRING);

    if (!item) {
        complain(as, parsed, index, "expected a string in quotes");
        return false;
    }
    *bytes = item->string.bytes;
    *length = item->string.length;
    return true;
}

const char *argument_text(struct assembler *as, const struct parsed *parsed, size_t index)
{
    const struct item *item = only_item(parsed, index, ITEM_STRING);

    if (item)
        return item->string.bytes;
    if (argument_is_empty(parsed, index))
        return "";
    const struct argument *argument = &parsed->arguments[index];
    return arena_copy(as->scratch, parsed->statement->text + argument->offset, argument->length);
}
