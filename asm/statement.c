/* Parsing one statement with the grammar of parser.y. */
#define YYSTYPE TASM_STYPE
#define YYLTYPE struct range
#include "asm/statement.h"
#include "asm/instruction/instruction.h"
#include "asm/scan.h"
#include "parser.h"

#include "lexer.h" /* after the types that the parser defines */
#include <string.h>

static bool parse(struct assembler *as, const struct statement *statement, size_t offset, int start,
                  struct parsed *parsed)
{
    *parsed = (struct parsed){.statement = statement};
    struct scan scan = {.as = as,
                        .statement = statement,
                        .parsed = parsed,
                        .start = start,
                        .operation = start == START_ARGUMENTS};

    if (!as->scanner && scanner_lex_init(&as->scanner))
        BUG("the scanner cannot be made");
    scanner_set_extra(&scan, as->scanner);
    scanner_begin(as->scanner, statement->text + offset, statement->length - offset);
    if (tasm_parse(&scan, as->scanner))
        parsed->failed = true;
    statement->text[statement->length] = '\0';
    return !parsed->failed;
}

bool statement_parse(struct assembler *as, const struct statement *statement, struct parsed *parsed)
{
    return parse(as, statement, 0, START_STATEMENT, parsed);
}

bool statement_parse_arguments(struct assembler *as, const struct statement *statement,
                               size_t offset, struct parsed *parsed)
{
    if (!parse(as, statement, offset, START_ARGUMENTS, parsed))
        return false;
    parsed->name_length = (unsigned)statement->word_length;
    parsed->name_offset = (unsigned)statement->word_offset;
    parsed->word = word_get(&as->words, statement->text + parsed->name_offset, parsed->name_length);
    parsed->name = parsed->word->name;
    return true;
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
