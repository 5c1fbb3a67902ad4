/* Parsing one statement with the grammar of parser.y, and doing what it says. */
#define YYSTYPE TASM_STYPE
#define YYLTYPE struct range
#include "asm/statement.h"
#include "asm/directive/directive.h"
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

static void define_label(struct assembler *as, const struct parsed *parsed,
                         const struct label *label)
{
    const struct position *at =
        position_new(as, statement_place(parsed->statement, label->offset, label->length));

    if (label->word)
        symbol_define_label(as, symbol_of(as, label->word), at);
    else if (label->dollar)
        symbol_define_dollar(as, label->number, at);
    else
        symbol_define_local(as, label->number, at);
}

static void assign(struct assembler *as, const struct parsed *parsed)
{
    const struct position *at = position_new(as, name_place(parsed));

    if (parsed->name[0] == '.' && !parsed->name[1]) {
        struct expression *target = expression_keep(as, parsed->value);
        section_variable(as, FRAGMENT_ORG, at)->expression = target;
        return;
    }
    if (parsed->lazy)
        symbol_assign_lazy(as, parsed->name, parsed->value, at);
    else
        symbol_assign(as, parsed->name, parsed->value, at, false);
}

static void run_directive(struct assembler *as, const struct parsed *parsed,
                          const struct directive *directive)
{
    struct position at = name_place(parsed);
    size_t count = parsed->argument_count;

    if (count < directive->least)
        diag_error(as->diag, &at, "'%s' needs %s%u argument%s, found %zu", directive->name,
                   directive->most == directive->least ? "" : "at least ", directive->least,
                   directive->least == 1 ? "" : "s", count);
    else if (directive->most != 255 && count > directive->most) {
        at = argument_place(parsed, directive->most);
        diag_error(as->diag, &at, "'%s' takes %s%u argument%s, found %zu", directive->name,
                   directive->most == directive->least ? "" : "at most ", directive->most,
                   directive->most == 1 ? "" : "s", count);
    } else {
        directive->run(as, parsed, directive->parameter);
    }
}

void statement_execute(struct assembler *as, const struct parsed *parsed)
{
    as->at = parsed->statement->at;
    for (size_t i = 0; i < parsed->label_count; i++)
        define_label(as, parsed, &parsed->labels[i]);
    if (parsed->failed)
        return;
    if (parsed->kind == OPERATION_ASSIGNMENT) {
        assign(as, parsed);
        return;
    }
    if (parsed->kind == OPERATION_NONE)
        return;
    const struct meaning *meaning = parsed->word->meaning;
    if (meaning && meaning->directive)
        run_directive(as, parsed, meaning->directive);
    else
        instruction_assemble(as, parsed);
}
