/* The parts of a parsed statement. */
#include "asm/statement.h"

struct expression *item_as_name(struct assembler *as, const struct statement *statement,
                                const struct item *string)
{
    struct expression *expression =
        expression_new(as, statement, EXPRESSION_NAME, string->offset, string->length);

    expression->name = string->string.bytes;
    expression->name_length = string->string.length;
    expression->quoted = true;
    return expression;
}

struct position argument_place(const struct parsed *parsed, size_t index)
{
    if (index >= parsed->argument_count || !parsed->arguments[index].count) {
        if (index + 1 < parsed->argument_count && parsed->arguments[index + 1].count)
            return statement_place(parsed->statement, parsed->arguments[index + 1].offset, 1);
        return statement_place(parsed->statement, parsed->statement->length, 1);
    }
    return statement_place(parsed->statement, parsed->arguments[index].offset,
                           parsed->arguments[index].length);
}

struct position name_place(const struct parsed *parsed)
{
    return statement_place(parsed->statement, parsed->name_offset, parsed->name_length);
}
