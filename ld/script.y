/* Grammar of linker scripts: GNU ld's manual, "Linker Scripts". */
%code requires {
#include "ld/script_read.h"
#define YYLLOC_DEFAULT(current, rhs, count) script_span(&(current), &YYRHSLOC(rhs, (count) ? 1 : 0), \
                                                        &YYRHSLOC(rhs, count))
}
%code {
#include "ld/symbol.h"
#include <string.h>

int script_scanner_lex(SCRIPT_STYPE *value, SCRIPT_LTYPE *location, void *scanner); /* script.l */
#define script_lex(value, location, reader, scanner) script_scanner_lex(value, location, scanner)

static void script_span(struct position *all, const struct position *first,
                        const struct position *last);
static void script_error(const SCRIPT_LTYPE *at, struct script_reader *reader, void *scanner,
                         const char *message);
static struct expression *make(struct script_reader *reader, enum operation operation,
                               const SCRIPT_LTYPE *at, struct expression *left,
                               struct expression *right);
static struct expression *make_named(struct script_reader *reader, enum operation operation,
                                     const SCRIPT_LTYPE *at, const char *name);
static struct expression *make_symbol(struct script_reader *reader, enum operation operation,
                                      const SCRIPT_LTYPE *at, const char *name);
static struct script_statement *statement(struct script_reader *reader, enum script_kind kind,
                                          const SCRIPT_LTYPE *at);
static struct script_statement *assign(struct script_reader *reader, const char *name,
                                       const char *change, struct expression *value,
                                       const SCRIPT_LTYPE *at);
static struct script_pattern *pattern(struct script_reader *reader, const char *name);
static struct script_output *output(struct script_reader *reader, const char *name,
                                    struct expression *address, enum script_type type,
                                    const SCRIPT_LTYPE *at);
static struct script_words *words(struct script_reader *reader, const char *word);
static void append(struct script_list *list, struct script_statement *statement);
static struct script_region *region_of(struct script_reader *reader, const char *name,
                                       const SCRIPT_LTYPE *at);
static bool set_attributes(struct script_reader *reader, struct script_region *region,
                           const char *letters, bool refuse, const SCRIPT_LTYPE *at);
static struct script_region *add_region(struct script_reader *reader, const char *name,
                                        const SCRIPT_LTYPE *at);
static void check_word(struct script_reader *reader, const SCRIPT_LTYPE *at, const char *found,
                       const char *const *allowed, const char *expected);
}

%define api.pure full
%define api.prefix {script_}
%define api.token.prefix {T_}
%define api.location.type {struct position}
%define parse.error custom
%locations
%expect 0
%param {struct script_reader *reader} {void *scanner}

%union {
    const char *word;
    uint64_t number;
    struct expression *expression;
    struct script_statement *statement;
    struct script_list list;
    struct script_pattern *pattern;
    struct script_words *words;
    struct script_output *output;
    struct script_region *region;
    enum script_type type;
}

%token <word> NAME "name" PATTERN "pattern" STRING "string" CHANGE "assignment operator"
%token <word> UNSUPPORTED "unsupported command"
%token <number> NUMBER "number"
%token ABSOLUTE ADDR ALIGN ALIGNOF ASSERT AT BYTE CONSTRUCTORS COPY DEFINED ENTRY EXCLUDE_FILE
%token EXTERN FILL HIDDEN KEEP LENGTH LOADADDR LONG MAX MEMORY MIN NOLOAD ORIGIN OUTPUT_ARCH
%token OUTPUT_FORMAT PROVIDE PROVIDE_HIDDEN QUAD REGION_ALIAS SEARCH_DIR SECTIONS SHORT SIZEOF
%token SIZEOF_HEADERS SORT SORT_BY_ALIGNMENT SORT_BY_INIT_PRIORITY SORT_NONE SUBALIGN ALIGN_WITH_INPUT
%token SHIFT_LEFT "'<<'" SHIFT_RIGHT "'>>'" LESS_EQUAL "'<='" GREATER_EQUAL "'>='"
%token EQUAL "'=='" UNEQUAL "'!='" AND_ALSO "'&&'" OR_ELSE "'||'"
%token OPEN_COMMENT "comment without end" FAILED "error"
%token END 0 "end of the script"

%type <expression> expression opt_fill
%type <statement> assignment assertion data input spec body_statement
%type <list> body
%type <pattern> patterns pattern
%type <words> file_list opt_exclude
%type <output> head
%type <region> opt_region opt_load_region region
%type <word> word section_name
%type <type> opt_type
%type <number> data_size

%right '?' ':'
%left OR_ELSE
%left AND_ALSO
%left '|'
%left '^'
%left '&'
%left EQUAL UNEQUAL
%left '<' LESS_EQUAL '>' GREATER_EQUAL
%left SHIFT_LEFT SHIFT_RIGHT
%left '+' '-'
%left '*' '/' '%'
%precedence UNARY

%%

script
    : %empty
    | script command
    ;

command
    : entry
    | OUTPUT_FORMAT '(' formats ')'
    | OUTPUT_ARCH '(' word ')'
        { check_word(reader, &@3, $3, (const char *const[]){"riscv", "riscv:rv64", NULL}, "riscv"); }
    | OUTPUT_ARCH '(' word ':' word ')'
        { check_word(reader, &@5, $5, (const char *const[]){"rv64", NULL}, "riscv:rv64"); }
    | SEARCH_DIR '(' word ')'
        {
            struct config *config = &reader->linker->config;
            config->library_paths = arena_grow(&reader->linker->arena, config->library_paths,
                                               config->library_path_count,
                                               &config->library_path_capacity,
                                               sizeof *config->library_paths);
            config->library_paths[config->library_path_count++] = $3;
        }
    | EXTERN '(' externs ')'
    | MEMORY '{' regions '}'
    | REGION_ALIAS '(' word ',' word ')'
        {
            struct script_alias *alias = arena_new(&reader->linker->arena, struct script_alias);
            *alias = (struct script_alias){$3, region_of(reader, $5, &@5), reader->script->aliases};
            reader->script->aliases = alias;
        }
    | SECTIONS '{' sections '}'
    | assignment end    { append(&reader->script->statements, $1); }
    | assertion         { append(&reader->script->statements, $1); }
    | UNSUPPORTED
        {
            diag_error(&reader->linker->diag, &@1,
                       "%s is not supported in linker scripts by this version", $1);
            YYABORT;
        }
    | ';'
    ;

entry
    : ENTRY '(' word ')'    { reader->script->entry = $3; }
    ;

word
    : NAME
    | STRING
    ;

formats
    : word
        {
            check_word(reader, &@1, $1, (const char *const[]){"elf64-littleriscv", NULL},
                       "elf64-littleriscv");
        }
    | format_name '-' NAME
    | formats ',' word
    | formats ',' format_name '-' NAME
    ;

format_name
    : NAME
    ;

externs
    : word
        {
            struct script_words *next = words(reader, $1);
            next->next = reader->script->externs;
            reader->script->externs = next;
        }
    | externs opt_comma word
        {
            struct script_words *next = words(reader, $3);
            next->next = reader->script->externs;
            reader->script->externs = next;
        }
    ;

opt_comma
    : %empty
    | ','
    ;

end
    : ';'
    | ','
    ;

regions
    : %empty
    | regions memory opt_comma
    ;

memory
    : region opt_attributes ':' origin '=' expression ',' length '=' expression
        {
            $1->origin_value = $6;
            $1->length_value = $10;
        }
    ;

region
    : NAME    { $$ = add_region(reader, $1, &@1); }
    ;

opt_attributes
    : %empty
    | '(' attributes ')'
    ;

attributes
    : NAME
        { if (!set_attributes(reader, reader->script->last_region, $1, false, &@1)) YYABORT; }
    | '!' NAME
        { if (!set_attributes(reader, reader->script->last_region, $2, true, &@2)) YYABORT; }
    | attributes '!' NAME
        { if (!set_attributes(reader, reader->script->last_region, $3, true, &@3)) YYABORT; }
    ;

origin
    : ORIGIN
    | NAME
        { check_word(reader, &@1, $1, (const char *const[]){"org", "o", NULL}, "ORIGIN"); }
    ;

length
    : LENGTH
    | NAME
        { check_word(reader, &@1, $1, (const char *const[]){"len", "l", NULL}, "LENGTH"); }
    ;

sections
    : %empty
    | sections section
    ;

section
    : entry
    | assignment end    { append(&reader->script->statements, $1); }
    | assertion         { append(&reader->script->statements, $1); }
    | UNSUPPORTED
        {
            diag_error(&reader->linker->diag, &@1,
                       "%s is not supported in linker scripts by this version", $1);
            YYABORT;
        }
    | output
    | ';'
    ;

section_name
    : NAME
    | STRING
    ;

head
    : section_name opt_type ':'               { $$ = output(reader, $1, NULL, $2, &@1); }
    | section_name expression opt_type ':'    { $$ = output(reader, $1, $2, $3, &@1); }
    | head AT '(' expression ')'          { $$ = $1; $$->load_address = $4; }
    | head ALIGN '(' expression ')'       { $$ = $1; $$->alignment = $4; }
    | head SUBALIGN '(' expression ')'    { $$ = $1; $$->member_alignment = $4; }
    | head ALIGN_WITH_INPUT               { $$ = $1; $$->load_keeps_distance = true; }
    ;

opt_type
    : %empty            { $$ = SCRIPT_LOADED; }
    | '(' NOLOAD ')'    { $$ = SCRIPT_NOLOAD; }
    | '(' COPY ')'      { $$ = SCRIPT_BESIDE; }
    ;

output
    : head '{' body '}' opt_region opt_load_region opt_fill opt_comma
        {
            struct script_statement *output = statement(reader, SCRIPT_OUTPUT, &@1);
            output->output = $1;
            $1->body = $3;
            $1->region = $5;
            $1->load_region = $6;
            $1->fill = $7;
            append(&reader->script->statements, output);
        }
    ;

opt_region
    : %empty      { $$ = NULL; }
    | '>' NAME    { $$ = region_of(reader, $2, &@2); }
    ;

opt_load_region
    : %empty         { $$ = NULL; }
    | AT '>' NAME    { $$ = region_of(reader, $3, &@3); }
    ;

opt_fill
    : %empty            { $$ = NULL; }
    | '=' expression    { $$ = $2; }
    ;

body
    : %empty                 { $$ = (struct script_list){0}; }
    | body body_statement    { $$ = $1; append(&$$, $2); }
    | body ';'
    | body CONSTRUCTORS
    ;

body_statement
    : assignment end    { $$ = $1; }
    | assertion
    | data
    | input
    ;

assertion
    : ASSERT '(' expression ',' STRING ')'
        {
            $$ = statement(reader, SCRIPT_ASSERT, &@1);
            $$->value = make(reader, ASSERTION, &@3, $3, NULL);
            $$->value->name = $5;
        }
    | PROVIDE '(' NAME '=' expression ')'
        { $$ = assign(reader, $3, "=", $5, &@3); $$->provide = true; }
    | HIDDEN '(' NAME '=' expression ')'
        { $$ = assign(reader, $3, "=", $5, &@3); $$->hidden = true; }
    | PROVIDE_HIDDEN '(' NAME '=' expression ')'
        { $$ = assign(reader, $3, "=", $5, &@3); $$->provide = $$->hidden = true; }
    ;

assignment
    : NAME '=' expression       { $$ = assign(reader, $1, "=", $3, &@1); }
    | NAME CHANGE expression    { $$ = assign(reader, $1, $2, $3, &@1); }
    ;

data_size
    : BYTE     { $$ = 1; }
    | SHORT    { $$ = 2; }
    | LONG     { $$ = 4; }
    | QUAD     { $$ = 8; }
    ;

data
    : data_size '(' expression ')'
        {
            $$ = statement(reader, SCRIPT_DATA, &@1);
            $$->size = (unsigned)$1;
            $$->value = $3;
        }
    | FILL '(' expression ')'
        { $$ = statement(reader, SCRIPT_FILL, &@1); $$->value = $3; }
    ;

input
    : spec
    | KEEP '(' spec ')'    { $$ = $3; $$->keep = true; }
    ;

spec
    : opt_exclude PATTERN '(' patterns ')'
        {
            $$ = statement(reader, SCRIPT_INPUT, &@2);
            $$->excluded = $1;
            $$->name = $2;
            $$->patterns = $4;
        }
    ;

opt_exclude
    : %empty                            { $$ = NULL; }
    | EXCLUDE_FILE '(' file_list ')'    { $$ = $3; }
    ;

file_list
    : PATTERN                        { $$ = words(reader, $1); }
    | file_list opt_comma PATTERN    { $$ = words(reader, $3); $$->next = $1; }
    ;

patterns
    : pattern
    | pattern opt_comma patterns    { $$ = $1; $$->next = $3; }
    ;

pattern
    : PATTERN    { $$ = pattern(reader, $1); }
    | STRING     { $$ = pattern(reader, $1); }
    | EXCLUDE_FILE '(' file_list ')' pattern          { $$ = $5; $$->excluded = $3; }
    | SORT '(' pattern ')'                            { $$ = $3; $$->then = $$->sort; $$->sort = SORT_NAME; }
    | SORT_BY_ALIGNMENT '(' pattern ')'               { $$ = $3; $$->then = $$->sort; $$->sort = SORT_ALIGNMENT; }
    | SORT_BY_INIT_PRIORITY '(' pattern ')'           { $$ = $3; $$->sort = SORT_PRIORITY; }
    | SORT_NONE '(' pattern ')'                       { $$ = $3; }
    ;

expression
    : NUMBER         { $$ = make(reader, NUMBER, &@1, NULL, NULL); $$->number = $1; }
    | NAME
        {
            $$ = strcmp($1, ".") == 0 ? make(reader, HERE, &@1, NULL, NULL)
                                      : make_symbol(reader, SYMBOL, &@1, $1);
        }
    | STRING         { $$ = make_symbol(reader, SYMBOL, &@1, $1); }
    | SIZEOF_HEADERS { $$ = make(reader, HEADERS_SIZE, &@1, NULL, NULL); }
    | '(' expression ')'               { $$ = $2; }
    | '-' expression %prec UNARY       { $$ = make(reader, NEGATE, &@1, $2, NULL); }
    | '+' expression %prec UNARY       { $$ = $2; }
    | '~' expression %prec UNARY       { $$ = make(reader, COMPLEMENT, &@1, $2, NULL); }
    | '!' expression %prec UNARY       { $$ = make(reader, NOT, &@1, $2, NULL); }
    | expression '*' expression        { $$ = make(reader, MULTIPLY, &@$, $1, $3); }
    | expression '/' expression        { $$ = make(reader, DIVIDE, &@$, $1, $3); }
    | expression '%' expression        { $$ = make(reader, REMAINDER, &@$, $1, $3); }
    | expression '+' expression        { $$ = make(reader, ADD, &@$, $1, $3); }
    | expression '-' expression        { $$ = make(reader, SUBTRACT, &@$, $1, $3); }
    | expression SHIFT_LEFT expression { $$ = make(reader, SHIFT_LEFT, &@$, $1, $3); }
    | expression SHIFT_RIGHT expression { $$ = make(reader, SHIFT_RIGHT, &@$, $1, $3); }
    | expression '<' expression        { $$ = make(reader, LESS, &@$, $1, $3); }
    | expression '>' expression        { $$ = make(reader, GREATER, &@$, $1, $3); }
    | expression LESS_EQUAL expression { $$ = make(reader, LESS_EQUAL, &@$, $1, $3); }
    | expression GREATER_EQUAL expression { $$ = make(reader, GREATER_EQUAL, &@$, $1, $3); }
    | expression EQUAL expression      { $$ = make(reader, EQUAL, &@$, $1, $3); }
    | expression UNEQUAL expression    { $$ = make(reader, NOT_EQUAL, &@$, $1, $3); }
    | expression '&' expression        { $$ = make(reader, AND, &@$, $1, $3); }
    | expression '^' expression        { $$ = make(reader, EXCLUSIVE_OR, &@$, $1, $3); }
    | expression '|' expression        { $$ = make(reader, OR, &@$, $1, $3); }
    | expression AND_ALSO expression   { $$ = make(reader, LOGICAL_AND, &@$, $1, $3); }
    | expression OR_ELSE expression    { $$ = make(reader, LOGICAL_OR, &@$, $1, $3); }
    | expression '?' expression ':' expression
        {
            $$ = make(reader, CONDITIONAL, &@$, $3, $5);
            $$->condition = $1;
            $$->depth = $1->depth >= $$->depth ? $1->depth + 1 : $$->depth;
        }
    | MAX '(' expression ',' expression ')'    { $$ = make(reader, MAXIMUM, &@1, $3, $5); }
    | MIN '(' expression ',' expression ')'    { $$ = make(reader, MINIMUM, &@1, $3, $5); }
    | ABSOLUTE '(' expression ')'              { $$ = make(reader, ABSOLUTE, &@1, $3, NULL); }
    | ALIGN '(' expression ')'
        { $$ = make(reader, ALIGN_UP, &@1, make(reader, HERE, &@1, NULL, NULL), $3); }
    | ALIGN '(' expression ',' expression ')'  { $$ = make(reader, ALIGN_UP, &@1, $3, $5); }
    | DEFINED '(' word ')'     { $$ = make_symbol(reader, IS_DEFINED, &@3, $3); }
    | ADDR '(' word ')'        { $$ = make_named(reader, ADDRESS_OF, &@3, $3); }
    | LOADADDR '(' word ')'    { $$ = make_named(reader, LOAD_ADDRESS_OF, &@3, $3); }
    | SIZEOF '(' word ')'      { $$ = make_named(reader, SIZE_OF, &@3, $3); }
    | ALIGNOF '(' word ')'     { $$ = make_named(reader, ALIGNMENT_OF, &@3, $3); }
    | ORIGIN '(' word ')'      { $$ = make_named(reader, ORIGIN_OF, &@3, $3); }
    | LENGTH '(' word ')'      { $$ = make_named(reader, LENGTH_OF, &@3, $3); }
    | ASSERT '(' expression ',' STRING ')'
        { $$ = make(reader, ASSERTION, &@3, $3, NULL); $$->name = $5; }
    ;

%%

static void script_span(struct position *all, const struct position *first,
                        const struct position *last)
{
    *all = *first;
    if (first->file == last->file && first->line == last->line && last->column >= first->column)
        all->length = last->column + last->length - first->column;
}

static void script_error(const SCRIPT_LTYPE *at, struct script_reader *reader, void *scanner,
                         const char *message)
{
    (void)scanner;
    diag_error(&reader->linker->diag, at, "%s", message);
}

/* What was found, and what could stand there, if that is a short list. */
static int yyreport_syntax_error(const yypcontext_t *context, struct script_reader *reader,
                                 void *scanner)
{
    enum { SHOWN = 5 };
    yysymbol_kind_t expected[SHOWN + 1];
    (void)scanner;
    const SCRIPT_LTYPE *at = yypcontext_location(context);
    yysymbol_kind_t found = yypcontext_token(context);
    if (found == YYSYMBOL_FAILED) /* it was reported */
        return 0;
    int count = yypcontext_expected_tokens(context, expected, SHOWN + 1);
    const char *list = "";
    for (int i = 0; i < count && count <= SHOWN; i++)
        list = arena_format(&reader->linker->arena, "%s%s%s", list,
                            i == 0 ? ", expected " : i + 1 < count ? ", " : " or ",
                            yysymbol_name(expected[i]));
    const char *line = at->file->bytes;
    for (unsigned i = 1; i < at->line; i++)
        line = strchr(line, '\n') + 1;
    if (found == YYSYMBOL_YYEOF || found == YYSYMBOL_OPEN_COMMENT)
        diag_error(&reader->linker->diag, at, "found %s%s", yysymbol_name(found), list);
    else
        diag_error(&reader->linker->diag, at, "found '%.*s'%s", (int)at->length,
                   line + at->column - 1, list);
    return 0;
}

static struct expression *make(struct script_reader *reader, enum operation operation,
                               const SCRIPT_LTYPE *at, struct expression *left,
                               struct expression *right)
{
    struct expression *expression = arena_new(&reader->linker->arena, struct expression);
    unsigned depth = left ? left->depth : 0;
    depth = (right && right->depth > depth ? right->depth : depth) + 1;
    *expression = (struct expression){
        .operation = operation, .left = left, .right = right, .depth = depth, .position = *at};
    if (depth > SCRIPT_DEPTH) {
        if (depth == SCRIPT_DEPTH + 1)
            diag_error(&reader->linker->diag, at,
                       "the expression has more than %d operations in each other; give parts of it "
                       "names",
                       SCRIPT_DEPTH);
        expression->operation = NUMBER; /* so that nothing goes deeper */
        expression->left = expression->right = NULL;
    }
    return expression;
}

static struct expression *make_named(struct script_reader *reader, enum operation operation,
                                     const SCRIPT_LTYPE *at, const char *name)
{
    struct expression *expression = make(reader, operation, at, NULL, NULL);
    expression->name = name;
    return expression;
}

static struct expression *make_symbol(struct script_reader *reader, enum operation operation,
                                      const SCRIPT_LTYPE *at, const char *name)
{
    struct expression *expression = make(reader, operation, at, NULL, NULL);
    name = symbol_wrapped(reader->linker, name);
    expression->symbol = symbol_intern(reader->linker, name);
    if (operation == SYMBOL)
        symbol_use(reader->linker, name);
    return expression;
}

static struct script_statement *statement(struct script_reader *reader, enum script_kind kind,
                                          const SCRIPT_LTYPE *at)
{
    struct script_statement *statement = arena_new(&reader->linker->arena, struct script_statement);
    statement->kind = kind;
    statement->at = *at;
    return statement;
}

static struct script_statement *assign(struct script_reader *reader, const char *name,
                                       const char *change, struct expression *value,
                                       const SCRIPT_LTYPE *at)
{
    static const struct {
        const char *text;
        enum operation operation;
    } changes[] = {{"+=", ADD}, {"-=", SUBTRACT},    {"*=", MULTIPLY},     {"/=", DIVIDE},
                   {"&=", AND}, {"|=", OR}, {"<<=", SHIFT_LEFT}, {">>=", SHIFT_RIGHT}};
    struct script_statement *assignment = statement(reader, SCRIPT_ASSIGN, at);
    assignment->name = name;
    assignment->value = value;
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        if (strcmp(change, changes[i].text) != 0)
            continue;
        struct expression *old = strcmp(name, ".") == 0
                                     ? make(reader, HERE, at, NULL, NULL)
                                     : make_symbol(reader, SYMBOL, at, name);
        assignment->value = make(reader, changes[i].operation, at, old, value);
    }
    return assignment;
}

static struct script_output *output(struct script_reader *reader, const char *name,
                                    struct expression *address, enum script_type type,
                                    const SCRIPT_LTYPE *at)
{
    struct script_output *output = arena_new(&reader->linker->arena, struct script_output);
    *output = (struct script_output){.name = name,
                                     .at = *at,
                                     .discards = strcmp(name, "/DISCARD/") == 0,
                                     .address = address,
                                     .type = type};
    return output;
}

static struct script_pattern *pattern(struct script_reader *reader, const char *name)
{
    struct script_pattern *pattern = arena_new(&reader->linker->arena, struct script_pattern);
    pattern->name = name;
    return pattern;
}

static struct script_words *words(struct script_reader *reader, const char *word)
{
    struct script_words *words = arena_new(&reader->linker->arena, struct script_words);
    words->word = word;
    return words;
}

static void append(struct script_list *list, struct script_statement *statement)
{
    if (list->last)
        list->last->next = statement;
    else
        list->first = statement;
    list->last = statement;
}

static struct script_region *region_of(struct script_reader *reader, const char *name,
                                       const SCRIPT_LTYPE *at)
{
    struct script_region *region = script_find_region(reader->script, name);
    struct suggestion near;
    if (region)
        return region;
    suggest_init(&near, name);
    for (region = reader->script->regions; region; region = region->next)
        suggest_add(&near, region->name);
    const char *text = suggest_text(&near);
    diag_error(&reader->linker->diag, at, "there is no memory region '%s'%s%s%s", name,
               text ? "; did you mean " : "; define it with MEMORY before", text ? text : "",
               text ? "?" : "");
    return NULL;
}

static struct script_region *add_region(struct script_reader *reader, const char *name,
                                        const SCRIPT_LTYPE *at)
{
    struct script_region *region = arena_new(&reader->linker->arena, struct script_region);
    struct script *script = reader->script;
    if (script_find_region(script, name))
        diag_error(&reader->linker->diag, at, "a second memory region '%s'; rename or remove one",
                   name);
    region->name = name;
    region->at = *at;
    if (script->last_region)
        script->last_region->next = region;
    else
        script->regions = region;
    script->last_region = region;
    return region;
}

/* Letters of sections that a region takes: GNU ld's manual, "MEMORY". */
static bool set_attributes(struct script_reader *reader, struct script_region *region,
                           const char *letters, bool refuse, const SCRIPT_LTYPE *at)
{
    for (; *letters; letters++) {
        uint64_t flags = 0;
        switch (*letters | 0x20) {
        case 'r':
        case 'i':
        case 'l':
        case 'a':
            flags = SHF_ALLOC;
            break;
        case 'w':
            flags = SHF_WRITE;
            break;
        case 'x':
            flags = SHF_EXECINSTR;
            break;
        default:
            diag_error(&reader->linker->diag, at,
                       "attribute '%c', expected letters of r, w, x, a, i, l", *letters);
            return false;
        }
        if (refuse)
            region->refuse |= flags;
        else
            region->need |= flags;
    }
    return true;
}

static void check_word(struct script_reader *reader, const SCRIPT_LTYPE *at, const char *found,
                       const char *const *allowed, const char *expected)
{
    for (; *allowed; allowed++)
        if (strcmp(found, *allowed) == 0)
            return;
    diag_error(&reader->linker->diag, at, "found '%s', expected %s", found, expected);
}
