/* Almost every statement has the simple form of plain.h; the grammar of parser.y parses the others.
 */
#define YYSTYPE TASM_STYPE
#define YYLTYPE struct range
#include "asm/parse.h"
#include "asm/plain.h"
#include "asm/scan.h"
#include "parser.h"

#include "lexer.h" /* after the types that the parser defines */
#include <string.h>

static bool parse_by_grammar(struct assembler *as, const struct statement *statement, size_t offset,
                             int start, struct parsed *parsed)
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

/* ---- comparing what two parsers make of a statement ---- */

static bool equal_expressions(const struct expression *a, const struct expression *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->operation != b->operation ||
        a->parenthesized != b->parenthesized || a->depth != b->depth || a->offset != b->offset ||
        a->length != b->length || a->at != b->at || !equal_expressions(a->left, b->left))
        return false;
    switch (a->kind) {
    case EXPRESSION_CONSTANT:
        return a->constant == b->constant;
    case EXPRESSION_NAME:
    case EXPRESSION_DOT:
        return a->name == b->name && a->word == b->word && a->quoted == b->quoted;
    case EXPRESSION_RELOCATED:
        return a->name == b->name;
    case EXPRESSION_LOCAL:
        return a->local.number == b->local.number && a->local.forward == b->local.forward &&
               a->local.dollar == b->local.dollar;
    case EXPRESSION_BINARY:
        return equal_expressions(a->right, b->right);
    default:
        return a->kind == EXPRESSION_UNARY;
    }
}

static bool equal_items(const struct item *a, const struct item *b)
{
    if (a->kind != b->kind || a->offset != b->offset || a->length != b->length)
        return false;
    switch (a->kind) {
    case ITEM_EXPRESSION:
        return equal_expressions(a->expression, b->expression);
    case ITEM_TYPE:
        return strcmp(a->type, b->type) == 0;
    case ITEM_PUNCTUATION:
        return a->punctuation == b->punctuation;
    case ITEM_STRING:
        return a->string.length == b->string.length &&
               memcmp(a->string.bytes, b->string.bytes, a->string.length) == 0;
    }
    return false;
}

static bool equal_arguments(const struct parsed *a, const struct parsed *b)
{
    bool equal = a->argument_count == b->argument_count && a->item_count == b->item_count;

    for (size_t i = 0; equal && i < a->item_count; i++)
        equal = equal_items(&a->items[i], &b->items[i]);
    for (size_t i = 0; equal && i < a->argument_count; i++) {
        const struct argument *x = &a->arguments[i], *y = &b->arguments[i];
        equal = x->items - a->items == y->items - b->items && x->count == y->count &&
                x->offset == y->offset && x->length == y->length;
    }
    return equal;
}

static bool equal_statements(const struct parsed *a, const struct parsed *b)
{
    bool equal = a->kind == b->kind && a->word == b->word && a->name == b->name &&
                 a->name_offset == b->name_offset && a->name_length == b->name_length &&
                 a->label_count == b->label_count && a->lazy == b->lazy && !b->failed &&
                 equal_expressions(a->value, b->value) && equal_arguments(a, b);

    for (size_t i = 0; equal && i < a->label_count; i++) {
        const struct label *x = &a->labels[i], *y = &b->labels[i];
        equal = x->word == y->word && x->number == y->number && x->dollar == y->dollar &&
                x->offset == y->offset && x->length == y->length;
    }
    return equal;
}

/* ---- parsing ---- */

/* Checks, under the address sanitizer, that the grammar makes the same of the statement. */
static void check_by_grammar(struct assembler *as, const struct statement *statement, size_t offset,
                             int start, const struct parsed *parsed)
{
    struct parsed other;

    if (ADDRESS_SANITIZER && (!parse_by_grammar(as, statement, offset, start, &other) ||
                              !equal_statements(parsed, &other)))
        BUG("'%s' is parsed in two ways", statement->text);
}

bool parse_statement(struct assembler *as, const struct statement *statement, struct parsed *parsed)
{
    if (!plain_parse(as, statement, parsed))
        return parse_by_grammar(as, statement, 0, START_STATEMENT, parsed);
    check_by_grammar(as, statement, 0, START_STATEMENT, parsed);
    return true;
}

bool parse_arguments(struct assembler *as, const struct statement *statement, size_t offset,
                     struct parsed *parsed)
{
    statement->text[statement->length] = '\0';
    if (plain_parse_arguments(as, statement, offset, parsed))
        check_by_grammar(as, statement, offset, START_ARGUMENTS, parsed);
    else if (!parse_by_grammar(as, statement, offset, START_ARGUMENTS, parsed))
        return false;
    parsed->name_length = (unsigned)statement->word_length;
    parsed->name_offset = (unsigned)statement->word_offset;
    parsed->word = word_get(&as->words, statement->text + parsed->name_offset, parsed->name_length);
    parsed->name = parsed->word->name;
    return true;
}

const char *parse_in_place(struct assembler *as, struct statement *statement, struct parsed *parsed)
{
    size_t offset = statement->word_offset + statement->word_length;
    const char *end = plain_parse_in_place(as, statement, offset, parsed);

    if (!end)
        return NULL;
    statement_end(statement, end);
    if (ADDRESS_SANITIZER) { /* the grammar writes to the text */
        statement_own(as, statement);
        check_by_grammar(as, statement, offset, START_ARGUMENTS, parsed);
    }
    parsed->kind = OPERATION_NAMED;
    parsed->word = statement->word;
    parsed->name = statement->word->name;
    parsed->name_offset = (unsigned)statement->word_offset;
    parsed->name_length = (unsigned)statement->word_length;
    return end;
}
