/* The grammar of one statement. It does not depend on the instruction set: an operation is a word
 * with arguments. An argument is a sequence of expressions, strings and marks, which the operation
 * interprets. */
%code requires {
#include "asm/scan.h"
}
%code {
#include "lib/text.h"
#include <string.h>

int scanner_lex(TASM_STYPE *value, struct range *location, void *scanner); /* lexer.l */

/* The location of a rule: from the start of its first symbol to the end of its last. */
#define YYLLOC_DEFAULT(now, symbols, count)                                                        \
    ((now).start = (count) ? YYRHSLOC(symbols, 1).start : YYRHSLOC(symbols, 0).end,                \
     (now).end = YYRHSLOC(symbols, count).end)

static int tasm_lex(TASM_STYPE *value, struct range *location, struct scan *scan, void *scanner);
static void tasm_error(const struct range *location, struct scan *scan, void *scanner,
                       const char *message);
static struct expression *leaf(struct scan *scan, enum expression_kind kind, const struct range *at);
static struct expression *binary(struct scan *scan, enum operation operation,
                                 struct expression *left, struct expression *right);
static struct expression *unary(struct scan *scan, enum operation operation,
                                struct expression *operand, const struct range *at);
static struct item *add_item(struct scan *scan, enum item_kind kind, const struct range *at);
static void add_expression(struct scan *scan, struct expression *expression, const struct range *at);
static void add_punctuation(struct scan *scan, char punctuation, const struct range *at);
static void next_argument(struct scan *scan, const struct range *at);
static struct label *add_label(struct scan *scan, const struct range *at);
static struct word *quoted_word(struct scan *scan, const char *name);
static void add_local_label(struct scan *scan, uint64_t number, bool dollar,
                            const struct range *at);
static void set_operation(struct scan *scan, enum operation_kind kind, struct word *word,
                          const struct range *at);
static void set_value(struct scan *scan, struct expression *value, const struct range *at);
static void report(struct scan *scan, const struct range *location, const char *message);
}

%define api.pure full
%define api.prefix {tasm_}
%define parse.error custom
%locations
%define api.location.type {struct range}
%expect 0
%param {struct scan *scan} {void *scanner}

%union {
    struct word *word;
    uint64_t number;
    struct { unsigned number; bool forward; } local;
    struct { const char *bytes; size_t length; } string;
    struct expression *expression;
}

%token START_STATEMENT START_ARGUMENTS
%token <word> WORD "word" OPERATOR "relocation operator"
%token <number> NUMBER "number" DOLLAR "dollar label"
%token FLOAT "floating-point number" BIG "number of more than 64 bits"
%token <local> LOCAL "local label"
%token <string> STRING "string"
%token SHIFT_LEFT "'<<'" SHIFT_RIGHT "'>>'" LESS_EQUAL "'<='" GREATER_EQUAL "'>='"
%token EQUAL "'=='" UNEQUAL "'!='"
%token AND_ALSO "'&&'" OR_ELSE "'||'"
%token BAD "invalid token"
%token END 0 "end of statement"

%type <expression> expression

/* An item ends only where no token can continue it. */
%precedence ITEM
%left OR_ELSE
%left AND_ALSO
%left EQUAL UNEQUAL '<' LESS_EQUAL '>' GREATER_EQUAL
%left '+' '-'
%left '|' '&' '^' '!'
%left '*' '/' '%' SHIFT_LEFT SHIFT_RIGHT
%precedence UNARY
%precedence '('

%%

input
    : empty
    | filled
    | START_STATEMENT labels
    | START_STATEMENT labels WORD '=' expression
        {
            set_operation(scan, OPERATION_ASSIGNMENT, $3, &@3);
            set_value(scan, $5, &@5);
        }
    | START_STATEMENT labels WORD EQUAL expression
        {
            set_operation(scan, OPERATION_ASSIGNMENT, $3, &@3);
            set_value(scan, $5, &@5);
            scan->parsed->lazy = true;
        }
    ;

labels
    : %empty
    | labels WORD ':'    { add_label(scan, &@2)->word = $2; }
    | labels STRING ':'  { add_label(scan, &@2)->word = quoted_word(scan, $2.bytes); }
    | labels NUMBER ':'  { add_local_label(scan, $2, false, &@2); }
    | labels DOLLAR ':'  { add_local_label(scan, $2, true, &@2); }
    ;

/* An operation and its arguments so far, the last of which is empty. There are few rules here, so
 * that an operand takes at most two reductions: parsing spends most of its time in them. */
empty
    : START_ARGUMENTS
    | START_STATEMENT labels WORD   { set_operation(scan, OPERATION_NAMED, $3, &@3); }
    | empty ','                     { next_argument(scan, &@2); }
    | filled ','                    { next_argument(scan, &@2); }
    ;

/* The same, when the last argument is not empty. */
filled
    : empty expression %prec ITEM   { add_expression(scan, $2, &@2); }
    | filled expression %prec ITEM  { add_expression(scan, $2, &@2); }
    | empty mark
    | filled mark
    | filled ':'                    { add_punctuation(scan, ':', &@2); }
    ;

mark
    : '@' WORD                  { add_item(scan, ITEM_TYPE, &@$)->type = $2->name; }
    | '@' NUMBER                { add_item(scan, ITEM_TYPE, &@$)->type = "a number"; }
    | OPERATOR %prec ITEM       { add_item(scan, ITEM_TYPE, &@$)->type = $1->name; }
    | '['                       { add_punctuation(scan, '[', &@1); }
    | ']'                       { add_punctuation(scan, ']', &@1); }
    | '{'                       { add_punctuation(scan, '{', &@1); }
    | '}'                       { add_punctuation(scan, '}', &@1); }
    ;

expression
    : NUMBER
        {
            $$ = leaf(scan, EXPRESSION_CONSTANT, &@1);
            $$->constant = $1;
        }
    | FLOAT { $$ = leaf(scan, EXPRESSION_FLOAT, &@1); }
    | BIG
        {
            $$ = leaf(scan, EXPRESSION_BIG, &@1);
            $$->name = arena_copy(scan->as->scratch, scan->statement->text + $$->offset, $$->length);
        }
    | WORD
        {
            bool dot = $1->length == 1 && $1->name[0] == '.';
            $$ = leaf(scan, dot ? EXPRESSION_DOT : EXPRESSION_NAME, &@1);
            $$->name = $1->name;
            $$->word = $1;
        }
    | STRING
        {
            $$ = leaf(scan, EXPRESSION_NAME, &@1);
            $$->name = $1.bytes;
            $$->name_length = $1.length;
            $$->quoted = true;
        }
    | DOLLAR
        {
            $$ = leaf(scan, EXPRESSION_LOCAL, &@1);
            $$->local.number = (unsigned)$1;
            $$->local.dollar = true;
        }
    | LOCAL
        {
            $$ = leaf(scan, EXPRESSION_LOCAL, &@1);
            $$->local.number = $1.number;
            $$->local.forward = $1.forward;
        }
    | '(' expression ')'
        {
            $$ = $2;
            $$->parenthesized = true;
            $$->offset = @$.start;
            $$->length = @$.end - @$.start;
        }
    | OPERATOR '(' expression ')'
        {
            $$ = leaf(scan, EXPRESSION_RELOCATED, &@$);
            $$->name = $1->name;
            $$->left = $3;
        }
    | expression OR_ELSE expression       { $$ = binary(scan, OPERATION_OR_ELSE, $1, $3); }
    | expression AND_ALSO expression      { $$ = binary(scan, OPERATION_AND_ALSO, $1, $3); }
    | expression EQUAL expression         { $$ = binary(scan, OPERATION_EQUAL, $1, $3); }
    | expression UNEQUAL expression       { $$ = binary(scan, OPERATION_UNEQUAL, $1, $3); }
    | expression '<' expression           { $$ = binary(scan, OPERATION_LESS, $1, $3); }
    | expression LESS_EQUAL expression    { $$ = binary(scan, OPERATION_LESS_EQUAL, $1, $3); }
    | expression '>' expression           { $$ = binary(scan, OPERATION_GREATER, $1, $3); }
    | expression GREATER_EQUAL expression { $$ = binary(scan, OPERATION_GREATER_EQUAL, $1, $3); }
    | expression '+' expression           { $$ = binary(scan, OPERATION_ADD, $1, $3); }
    | expression '-' expression           { $$ = binary(scan, OPERATION_SUBTRACT, $1, $3); }
    | expression '|' expression           { $$ = binary(scan, OPERATION_OR, $1, $3); }
    | expression '!' expression           { $$ = binary(scan, OPERATION_OR_NOT, $1, $3); }
    | expression '^' expression           { $$ = binary(scan, OPERATION_XOR, $1, $3); }
    | expression '&' expression           { $$ = binary(scan, OPERATION_AND, $1, $3); }
    | expression '*' expression           { $$ = binary(scan, OPERATION_MULTIPLY, $1, $3); }
    | expression '/' expression           { $$ = binary(scan, OPERATION_DIVIDE, $1, $3); }
    | expression '%' expression           { $$ = binary(scan, OPERATION_REMAINDER, $1, $3); }
    | expression SHIFT_LEFT expression    { $$ = binary(scan, OPERATION_SHIFT_LEFT, $1, $3); }
    | expression SHIFT_RIGHT expression   { $$ = binary(scan, OPERATION_SHIFT_RIGHT, $1, $3); }
    | '-' expression %prec UNARY          { $$ = unary(scan, OPERATION_NEGATE, $2, &@$); }
    | '+' expression %prec UNARY          { $$ = $2; }
    | '~' expression %prec UNARY          { $$ = unary(scan, OPERATION_COMPLEMENT, $2, &@$); }
    | '!' expression %prec UNARY          { $$ = unary(scan, OPERATION_NOT, $2, &@$); }
    ;

%%

static int tasm_lex(TASM_STYPE *value, struct range *location, struct scan *scan, void *scanner)
{
    if (scan->start) {
        int start = scan->start;
        scan->start = 0;
        location->start = location->end = 0;
        return start;
    }
    int token = scanner_lex(value, location, scanner);
    if (!token)
        location->start = location->end = (unsigned)scan->statement->length;
    return token;
}

static struct expression *leaf(struct scan *scan, enum expression_kind kind, const struct range *at)
{
    return expression_new(scan->as, scan->statement, kind, at->start,
                          at->end - at->start);
}

static struct expression *binary(struct scan *scan, enum operation operation,
                                 struct expression *left, struct expression *right)
{
    return expression_binary(scan->as, scan->statement, operation, left, right);
}

static struct expression *unary(struct scan *scan, enum operation operation,
                                struct expression *operand, const struct range *at)
{
    return expression_unary(scan->as, scan->statement, operation, operand,
                            at->start);
}

/* Makes room for one more item of a list. Lists are mostly short, so the first allocation is only for
 * `first` items. */
static void *grow(struct scan *scan, void *items, size_t count, size_t *capacity, size_t first,
                  size_t size)
{
    if (count < *capacity)
        return items;
    *capacity = count ? 2 * count : first;
    void *larger = arena_array(scan->as->scratch, *capacity, size);
    if (count)
        memcpy(larger, items, count * size);
    return larger;
}

/* Makes room for one more item. If the items move, the pointers of the arguments follow. */
static void reserve_item(struct scan *scan)
{
    struct parsed *parsed = scan->parsed;
    struct item *older = parsed->items;

    parsed->items = grow(scan, older, parsed->item_count, &parsed->item_capacity, 8, sizeof *older);
    for (size_t i = 0; older != parsed->items && i < parsed->argument_count; i++)
        parsed->arguments[i].items = parsed->items + (parsed->arguments[i].items - older);
}

static void add_argument(struct scan *scan)
{
    struct parsed *parsed = scan->parsed;

    parsed->arguments = grow(scan, parsed->arguments, parsed->argument_count,
                             &parsed->argument_capacity, 4, sizeof *parsed->arguments);
    reserve_item(scan);
    parsed->arguments[parsed->argument_count++] =
        (struct argument){.items = parsed->items + parsed->item_count};
}

static struct item *new_item(struct scan *scan, enum item_kind kind, const struct range *at)
{
    reserve_item(scan);
    struct item *item = &scan->parsed->items[scan->parsed->item_count++];
    *item = (struct item){.kind = kind, .offset = at->start, .length = at->end - at->start};
    return item;
}

/* Begins the next argument, after a comma. If the comma comes first, an empty argument is before
 * it. */
static void next_argument(struct scan *scan, const struct range *at)
{
    if (!scan->parsed->argument_count)
        add_argument(scan);
    new_item(scan, ITEM_PUNCTUATION, at)->punctuation = ',';
    add_argument(scan);
}

static struct item *add_item(struct scan *scan, enum item_kind kind, const struct range *at)
{
    struct parsed *parsed = scan->parsed;

    if (!parsed->argument_count)
        add_argument(scan);
    struct item *item = new_item(scan, kind, at);
    struct argument *argument = &parsed->arguments[parsed->argument_count - 1];
    if (!argument->count++)
        argument->offset = item->offset;
    argument->length = item->offset + item->length - argument->offset;
    return item;
}

static void add_expression(struct scan *scan, struct expression *expression, const struct range *at)
{
    if (expression->depth > EXPRESSION_DEPTH_LIMIT && !scan->parsed->failed)
        report(scan, at, "this expression is too long: its operators nest too deeply");
    if (expression->kind == EXPRESSION_NAME && expression->quoted && !expression->parenthesized) {
        struct item *item = add_item(scan, ITEM_STRING, at);
        item->string.bytes = expression->name;
        item->string.length = expression->name_length;
        return;
    }
    add_item(scan, ITEM_EXPRESSION, at)->expression = expression;
}

static void add_punctuation(struct scan *scan, char punctuation, const struct range *at)
{
    add_item(scan, ITEM_PUNCTUATION, at)->punctuation = punctuation;
}

static struct label *add_label(struct scan *scan, const struct range *at)
{
    struct parsed *parsed = scan->parsed;

    parsed->labels = grow(scan, parsed->labels, parsed->label_count, &parsed->label_capacity, 1,
                          sizeof *parsed->labels);
    struct label *label = &parsed->labels[parsed->label_count++];
    *label = (struct label){.offset = at->start,
                            .length = at->end - at->start};
    return label;
}

static struct word *quoted_word(struct scan *scan, const char *name)
{
    return word_get(&scan->as->words, name, strlen(name));
}

static void add_local_label(struct scan *scan, uint64_t number, bool dollar,
                            const struct range *at)
{
    if (number > UINT32_MAX) {
        scan_large_label(scan, at);
        return;
    }
    struct label *label = add_label(scan, at);
    label->number = (unsigned)number;
    label->dollar = dollar;
}

static void set_operation(struct scan *scan, enum operation_kind kind, struct word *word,
                          const struct range *at)
{
    struct parsed *parsed = scan->parsed;

    parsed->kind = kind;
    parsed->word = word;
    parsed->name = word->name;
    parsed->name_offset = at->start;
    parsed->name_length = at->end - at->start;
}

static void report(struct scan *scan, const struct range *location, const char *message)
{
    size_t length = (size_t)(location->end - location->start);
    struct position at = statement_place(scan->statement, (size_t)location->start, length);

    diag_error(scan->as->diag, &at, "%s", message);
    scan->parsed->failed = true;
}

static void set_value(struct scan *scan, struct expression *value, const struct range *at)
{
    if (value->depth > EXPRESSION_DEPTH_LIMIT)
        report(scan, at, "this expression is too long: its operators nest too deeply");
    scan->parsed->value = value;
}

/* Called by Bison when its stack overflows (YYMAXDEPTH). */
static void tasm_error(const struct range *location, struct scan *scan, void *scanner,
                       const char *message)
{
    (void)scanner;
    (void)message;
    report(scan, location, "this expression nests too deeply");
}

static int yyreport_syntax_error(const yypcontext_t *context, struct scan *scan, void *scanner)
{
    (void)scanner;
    yysymbol_kind_t found = yypcontext_token(context);
    if (found == YYSYMBOL_BAD) /* reported by the scanner */
        return 0;
    const struct range *location = yypcontext_location(context);
    yysymbol_kind_t expected[YYNTOKENS];
    int count = yypcontext_expected_tokens(context, expected, YYNTOKENS);
    bool value = false, close = false;
    for (int i = 0; i < count; i++) {
        value |= expected[i] == YYSYMBOL_NUMBER;
        close |= strcmp(yysymbol_name(expected[i]), "')'") == 0;
    }
    struct text message = TEXT_INIT;
    if (found == YYSYMBOL_YYEOF || location->start == location->end)
        text_append(&message, "unexpected end of statement");
    else
        text_format(&message, "unexpected '%.*s'", (int)(location->end - location->start),
                    scan->statement->text + location->start);
    if (close)
        text_append(&message, "; expected ')' or an operator");
    else if (value)
        text_append(&message, "; expected a value: a number, a symbol, a register or '('");
    report(scan, location, message.bytes);
    text_free(&message);
    return 0;
}
