/* Grammar of linker scripts (GNU ld's manual, "Linker Scripts") and of --defsym, which is one of
 * their expressions. K and M after a number multiply it by 2^10 and 2^20. */
%code requires {
#include "ld/script/read.h"
#define YYLLOC_DEFAULT(current, rhs, count) script_span(&(current), &YYRHSLOC(rhs, (count) ? 1 : 0), \
                                                        &YYRHSLOC(rhs, count))
}
%code {
#include "ld/script/build.h"
#include <string.h>

int script_scanner_lex(SCRIPT_STYPE *value, SCRIPT_LTYPE *location, void *scanner); /* script.l */
#define script_lex(value, location, reader, scanner) script_scanner_lex(value, location, scanner)

static void script_span(struct position *all, const struct position *first,
                        const struct position *last);
static void script_error(const SCRIPT_LTYPE *at, struct script_reader *reader, void *scanner,
                         const char *message);
}

%define api.pure full
%define api.prefix {script_}
%define api.token.prefix {T_}
%define api.location.type {struct position}
%define parse.error custom
%define parse.lac full
%locations
%expect 0
%param {struct script_reader *reader} {void *scanner}

%union {
    const char *word;
    uint64_t number;
    struct script_number literal;
    struct expression *expression;
    struct script_statement *statement;
    struct script_list list;
    struct script_pattern *pattern;
    struct script_words *words;
    struct script_output *output;
    struct script_region *region;
    struct script_segment *segment;
    enum script_type type;
}

%token <word> NAME "name" PATTERN "pattern" STRING "string" CHANGE "assignment operator"
%token <word> UNSUPPORTED "unsupported command"
%token <literal> NUMBER "number"
%token INPUT GROUP STARTUP AS_NEEDED ONLY_IF_RO ONLY_IF_RW CONSTANT LOG2CEIL SEGMENT_START
%token DATA_SEGMENT_ALIGN DATA_SEGMENT_END DATA_SEGMENT_RELRO_END
%token ABSOLUTE ADDR ALIGN ALIGNOF ASSERT AT BYTE CONSTRUCTORS COPY DEFINED ENTRY EXCLUDE_FILE
%token EXTERN FILL HIDDEN KEEP LENGTH LINKER_VERSION LOADADDR LONG MAX MEMORY MIN NOLOAD ORIGIN OUTPUT_ARCH PHDRS
%token OUTPUT_FORMAT PROVIDE PROVIDE_HIDDEN QUAD REGION_ALIAS SEARCH_DIR SECTIONS SHORT SIZEOF
%token SIZEOF_HEADERS SORT SORT_BY_ALIGNMENT SORT_BY_INIT_PRIORITY SORT_NONE SUBALIGN ALIGN_WITH_INPUT
%token SHIFT_LEFT "'<<'" SHIFT_RIGHT "'>>'" LESS_EQUAL "'<='" GREATER_EQUAL "'>='"
%token EQUAL "'=='" UNEQUAL "'!='" AND_ALSO "'&&'" OR_ELSE "'||'"
%token OPEN_COMMENT "unclosed comment" FAILED "error"
%token DEFSYM OVERLAY VERSION INSERT NOCROSSREFS NOCROSSREFS_TO
%token END 0 "the end"

%type <expression> expression opt_fill opt_start opt_at
%type <statement> assignment assertion data input spec body_statement
%type <list> body
%type <pattern> patterns pattern
%type <words> isolated file_list opt_exclude opt_segments
%type <segment> segment
%type <output> head
%type <region> opt_region opt_load_region region
%type <word> word section_name file
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

text
    : script
    | DEFSYM NAME '=' expression    { build_defsym(reader, $2, $4); }
    ;

script
    : %empty
    | script command
    ;

command
    : entry
    | OUTPUT_FORMAT '(' formats ')'
    | OUTPUT_ARCH '(' word ')'
        { build_check_word(reader, &@3, $3, (const char *const[]){"riscv", "riscv:rv64", NULL}, "riscv"); }
    | OUTPUT_ARCH '(' word ':' word ')'
        { build_check_word(reader, &@5, $5, (const char *const[]){"rv64", NULL}, "riscv:rv64"); }
    | INPUT '(' input_files ')'
    | GROUP { build_input(reader, INPUT_GROUP_START, NULL); } '(' input_files ')'
        { build_input(reader, INPUT_GROUP_END, NULL); }
    | STARTUP '(' file ')'    { reader->script->startup = $3; }
    | SEARCH_DIR '(' file ')'
        {
            const char *directory = *$3 == '=' ? $3 + 1 : $3; /* relative to the root of the system */
            struct config *config = &reader->linker->config;
            strings_add(&config->library_paths, &reader->linker->arena, directory);
        }
    | EXTERN '(' externs ')'
    | MEMORY '{' regions '}'
    | REGION_ALIAS '(' word ',' word ')'
        {
            struct script_alias *alias = arena_new(&reader->linker->arena, struct script_alias);
            *alias = (struct script_alias){$3, build_region_of(reader, $5, &@5), reader->script->aliases};
            reader->script->aliases = alias;
        }
    | NOCROSSREFS '(' isolated ')'       { build_isolation(reader, $3, false); }
    | NOCROSSREFS_TO '(' isolated ')'    { build_isolation(reader, $3, true); }
    | PHDRS '{' segments '}'
    | VERSION '{' version_words '}'
    | INSERT NAME section_name end
        {
            build_check_word(reader, &@2, $2, (const char *const[]){"AFTER", "BEFORE", NULL},
                             "AFTER or BEFORE");
            build_insert(reader, $3, strcmp($2, "AFTER") == 0, &@3);
        }
    | SECTIONS '{' sections '}'
    | assignment end    { build_append(&reader->script->statements, $1); }
    | assertion         { build_append(&reader->script->statements, $1); }
    | UNSUPPORTED
        {
            diag_error(&reader->linker->diag, &@1,
                       "%s is not supported in linker scripts by this version", $1);
            YYABORT;
        }
    | ';'
    ;

isolated
    : %empty    { $$ = NULL; }
    | section_name opt_comma isolated
        {
            $$ = build_words(reader, $1);
            $$->next = $3;
        }
    ;

input_files
    : input_file
    | input_files opt_comma input_file
    ;

input_file
    : file
        {
            bool library = strncmp($1, "-l", 2) == 0;
            build_input(reader, library ? INPUT_LIBRARY : INPUT_FILE, library ? $1 + 2 : $1);
        }
    | AS_NEEDED '(' input_files ')'
    ;

file
    : PATTERN
    | STRING
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
            build_check_word(reader, &@1, $1, (const char *const[]){"elf64-littleriscv", NULL},
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
            struct script_words *next = build_words(reader, $1);
            next->next = reader->script->externs;
            reader->script->externs = next;
        }
    | externs opt_comma word
        {
            struct script_words *next = build_words(reader, $3);
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
    : NAME    { $$ = build_region(reader, $1, &@1); }
    ;

opt_attributes
    : %empty
    | '(' attributes ')'
    ;

attributes
    : NAME
        { if (!build_attributes(reader, reader->script->last_region, $1, false, &@1)) YYABORT; }
    | '!' NAME
        { if (!build_attributes(reader, reader->script->last_region, $2, true, &@2)) YYABORT; }
    | attributes '!' NAME
        { if (!build_attributes(reader, reader->script->last_region, $3, true, &@3)) YYABORT; }
    ;

origin
    : ORIGIN
    | NAME
        { build_check_word(reader, &@1, $1, (const char *const[]){"org", "o", NULL}, "ORIGIN"); }
    ;

length
    : LENGTH
    | NAME
        { build_check_word(reader, &@1, $1, (const char *const[]){"len", "l", NULL}, "LENGTH"); }
    ;

segments
    : %empty
    | segments segment ';'
    ;

segment
    : NAME NAME      { $$ = build_segment(reader, $1, &@1, build_segment_type(reader, $2, &@2)); }
    | NAME NUMBER
        {
            if ($2.value > UINT32_MAX)
                diag_error(&reader->linker->diag, &@2,
                           "segment type 0x%llx, expected a number of 32 bits",
                           (unsigned long long)$2.value);
            $$ = build_segment(reader, $1, &@1, (uint32_t)$2.value);
        }
    | segment PHDRS  { $$ = $1; $$->program_headers = true; }
    | segment NAME
        {
            build_check_word(reader, &@2, $2, (const char *const[]){"FILEHDR", NULL},
                             "FILEHDR, PHDRS, AT, FLAGS or ';'");
            $$ = $1;
            $$->file_header = true;
        }
    | segment AT '(' expression ')'    { $$ = $1; $$->load_address_value = $4; }
    | segment NAME '(' expression ')'
        {
            build_check_word(reader, &@2, $2, (const char *const[]){"FLAGS", NULL},
                             "FILEHDR, PHDRS, AT, FLAGS or ';'");
            $$ = $1;
            $$->flags_value = $4;
        }
    ;

sections
    : %empty
    | sections section
    ;

section
    : entry
    | assignment end    { build_append(&reader->script->statements, $1); }
    | assertion         { build_append(&reader->script->statements, $1); }
    | UNSUPPORTED
        {
            diag_error(&reader->linker->diag, &@1,
                       "%s is not supported in linker scripts by this version", $1);
            YYABORT;
        }
    | output
    | overlay
    | ';'
    ;

/* A static program has no versions of symbols. */
version_words
    : %empty
    | version_words version_word
    ;

version_word
    : NAME
    | STRING
    | NUMBER
    | '*' | '?' | ':' | ';' | '[' | ']' | '-' | '!' | '^' | '~' | ','
    | '{' version_words '}'
    ;

overlay
    : OVERLAY opt_start ':' opt_isolated opt_at { build_overlay(reader, $2, $5); }
      '{' overlay_sections '}' opt_region opt_load_region opt_segments opt_fill opt_comma
        { build_overlay_end(reader, $10, $11, $12, $13); }
    ;

opt_isolated
    : %empty         { reader->isolated = NULL; }
    | NOCROSSREFS    { reader->isolated = build_isolation(reader, NULL, false); }
    ;

opt_start
    : %empty        { $$ = NULL; }
    | expression
    ;

opt_at
    : %empty                   { $$ = NULL; }
    | AT '(' expression ')'    { $$ = $3; }
    ;

overlay_sections
    : %empty
    | overlay_sections section_name '{' body '}' opt_segments opt_fill opt_comma
        {
            build_overlay_section(reader, $2, $4, $6, $7, &@2);
            if (reader->isolated) {
                struct script_words *words = build_words(reader, $2);
                words->next = reader->isolated->sections;
                reader->isolated->sections = words;
            }
        }
    ;

section_name
    : NAME
    | STRING
    ;

head
    : section_name opt_type ':'               { $$ = build_output(reader, $1, NULL, $2, &@1); }
    | section_name expression opt_type ':'    { $$ = build_output(reader, $1, $2, $3, &@1); }
    | head AT '(' expression ')'          { $$ = $1; $$->load_address = $4; }
    | head ALIGN '(' expression ')'       { $$ = $1; $$->alignment = $4; }
    | head SUBALIGN '(' expression ')'    { $$ = $1; $$->member_alignment = $4; }
    | head ALIGN_WITH_INPUT               { $$ = $1; $$->load_keeps_distance = true; }
    | head ONLY_IF_RO                     { $$ = $1; $$->constraint = SCRIPT_IF_READ_ONLY; }
    | head ONLY_IF_RW                     { $$ = $1; $$->constraint = SCRIPT_IF_WRITABLE; }
    ;

opt_type
    : %empty            { $$ = SCRIPT_LOADED; }
    | '(' NOLOAD ')'    { $$ = SCRIPT_NOLOAD; }
    | '(' COPY ')'      { $$ = SCRIPT_BESIDE; }
    ;

output
    : head '{' body '}' opt_region opt_load_region opt_segments opt_fill opt_comma
        {
            struct script_statement *output = build_statement(reader, SCRIPT_OUTPUT, &@1);
            output->output = $1;
            $1->body = $3;
            $1->region = $5;
            $1->load_region = $6;
            $1->segments = $7;
            $1->segments_given = $7 != NULL;
            $1->fill = $8;
            build_append(&reader->script->statements, output);
        }
    ;

opt_region
    : %empty      { $$ = NULL; }
    | '>' NAME    { $$ = build_region_of(reader, $2, &@2); }
    ;

opt_load_region
    : %empty         { $$ = NULL; }
    | AT '>' NAME    { $$ = build_region_of(reader, $3, &@3); }
    ;

opt_segments
    : %empty                   { $$ = NULL; }
    | opt_segments ':' NAME    { $$ = build_words(reader, $3); $$->next = $1; }
    ;

opt_fill
    : %empty            { $$ = NULL; }
    | '=' expression    { $$ = $2; }
    ;

body
    : %empty                 { $$ = (struct script_list){0}; }
    | body body_statement    { $$ = $1; build_append(&$$, $2); }
    | body ';'
    | body LINKER_VERSION /* GNU ld puts its version there if --enable-linker-version asks for it */
    | body CONSTRUCTORS
    | body SORT '(' CONSTRUCTORS ')'
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
            $$ = build_statement(reader, SCRIPT_ASSERT, &@1);
            $$->value = build_expression(reader, ASSERTION, &@3, $3, NULL);
            $$->value->name = $5;
        }
    | PROVIDE '(' NAME '=' expression ')'
        { $$ = build_assign(reader, $3, "=", $5, &@3); $$->provide = true; }
    | HIDDEN '(' NAME '=' expression ')'
        { $$ = build_assign(reader, $3, "=", $5, &@3); $$->hidden = true; }
    | PROVIDE_HIDDEN '(' NAME '=' expression ')'
        { $$ = build_assign(reader, $3, "=", $5, &@3); $$->provide = $$->hidden = true; }
    ;

assignment
    : NAME '=' expression       { $$ = build_assign(reader, $1, "=", $3, &@1); }
    | NAME CHANGE expression    { $$ = build_assign(reader, $1, $2, $3, &@1); }
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
            $$ = build_statement(reader, SCRIPT_DATA, &@1);
            $$->size = (unsigned)$1;
            $$->value = $3;
        }
    | FILL '(' expression ')'
        { $$ = build_statement(reader, SCRIPT_FILL, &@1); $$->value = $3; }
    ;

input
    : spec
    | KEEP '(' spec ')'    { $$ = $3; $$->keep = true; }
    ;

spec
    : opt_exclude PATTERN '(' patterns ')'
        {
            $$ = build_statement(reader, SCRIPT_INPUT, &@2);
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
    : PATTERN                        { $$ = build_words(reader, $1); }
    | file_list opt_comma PATTERN    { $$ = build_words(reader, $3); $$->next = $1; }
    ;

patterns
    : pattern
    | pattern opt_comma patterns    { $$ = $1; $$->next = $3; }
    ;

pattern
    : PATTERN    { $$ = build_pattern(reader, $1); }
    | STRING     { $$ = build_pattern(reader, $1); }
    | EXCLUDE_FILE '(' file_list ')' pattern          { $$ = $5; $$->excluded = $3; }
    | SORT '(' pattern ')'                            { $$ = $3; $$->then = $$->sort; $$->sort = SORT_NAME; }
    | SORT_BY_ALIGNMENT '(' pattern ')'               { $$ = $3; $$->then = $$->sort; $$->sort = SORT_ALIGNMENT; }
    | SORT_BY_INIT_PRIORITY '(' pattern ')'           { $$ = $3; $$->sort = SORT_PRIORITY; }
    | SORT_NONE '(' pattern ')'                       { $$ = $3; $$->unsorted = true; }
    ;

expression
    : NUMBER
        {
            $$ = build_expression(reader, NUMBER, &@1, NULL, NULL);
            $$->number = $1.value;
            $$->hex_digits = $1.hex_digits;
        }
    | NAME           { $$ = build_name(reader, &@1, $1); }
    | STRING         { $$ = build_symbol(reader, SYMBOL, &@1, $1); }
    | SIZEOF_HEADERS { $$ = build_expression(reader, HEADERS_SIZE, &@1, NULL, NULL); }
    | '(' expression ')'               { $$ = $2; }
    | '-' expression %prec UNARY       { $$ = build_expression(reader, NEGATE, &@1, $2, NULL); }
    | '+' expression %prec UNARY       { $$ = $2; }
    | '~' expression %prec UNARY       { $$ = build_expression(reader, COMPLEMENT, &@1, $2, NULL); }
    | '!' expression %prec UNARY       { $$ = build_expression(reader, NOT, &@1, $2, NULL); }
    | expression '*' expression        { $$ = build_expression(reader, MULTIPLY, &@$, $1, $3); }
    | expression '/' expression        { $$ = build_expression(reader, DIVIDE, &@$, $1, $3); }
    | expression '%' expression        { $$ = build_expression(reader, REMAINDER, &@$, $1, $3); }
    | expression '+' expression        { $$ = build_expression(reader, ADD, &@$, $1, $3); }
    | expression '-' expression        { $$ = build_expression(reader, SUBTRACT, &@$, $1, $3); }
    | expression SHIFT_LEFT expression { $$ = build_expression(reader, SHIFT_LEFT, &@$, $1, $3); }
    | expression SHIFT_RIGHT expression { $$ = build_expression(reader, SHIFT_RIGHT, &@$, $1, $3); }
    | expression '<' expression        { $$ = build_expression(reader, LESS, &@$, $1, $3); }
    | expression '>' expression        { $$ = build_expression(reader, GREATER, &@$, $1, $3); }
    | expression LESS_EQUAL expression { $$ = build_expression(reader, LESS_EQUAL, &@$, $1, $3); }
    | expression GREATER_EQUAL expression { $$ = build_expression(reader, GREATER_EQUAL, &@$, $1, $3); }
    | expression EQUAL expression      { $$ = build_expression(reader, EQUAL, &@$, $1, $3); }
    | expression UNEQUAL expression    { $$ = build_expression(reader, NOT_EQUAL, &@$, $1, $3); }
    | expression '&' expression        { $$ = build_expression(reader, AND, &@$, $1, $3); }
    | expression '^' expression        { $$ = build_expression(reader, EXCLUSIVE_OR, &@$, $1, $3); }
    | expression '|' expression        { $$ = build_expression(reader, OR, &@$, $1, $3); }
    | expression AND_ALSO expression   { $$ = build_expression(reader, LOGICAL_AND, &@$, $1, $3); }
    | expression OR_ELSE expression    { $$ = build_expression(reader, LOGICAL_OR, &@$, $1, $3); }
    | expression '?' expression ':' expression
        {
            $$ = build_expression(reader, CONDITIONAL, &@$, $3, $5);
            $$->condition = $1;
            $$->depth = $1->depth >= $$->depth ? $1->depth + 1 : $$->depth;
        }
    | MAX '(' expression ',' expression ')'    { $$ = build_expression(reader, MAXIMUM, &@1, $3, $5); }
    | MIN '(' expression ',' expression ')'    { $$ = build_expression(reader, MINIMUM, &@1, $3, $5); }
    | ABSOLUTE '(' expression ')'              { $$ = build_expression(reader, ABSOLUTE, &@1, $3, NULL); }
    | ALIGN '(' expression ')'
        { $$ = build_expression(reader, ALIGN_UP, &@1, build_expression(reader, HERE, &@1, NULL, NULL), $3); }
    | ALIGN '(' expression ',' expression ')'  { $$ = build_expression(reader, ALIGN_UP, &@1, $3, $5); }
    | DATA_SEGMENT_ALIGN '(' expression ',' expression ')'
        { $$ = build_expression(reader, DATA_ALIGN, &@1, $3, $5); }
    | DATA_SEGMENT_RELRO_END '(' expression ',' expression ')'
        { $$ = build_expression(reader, DATA_RELRO_END, &@1, $3, $5); }
    | DATA_SEGMENT_END '(' expression ')'      { $$ = $3; }
    | LOG2CEIL '(' expression ')'              { $$ = build_expression(reader, LOG2_CEIL, &@1, $3, NULL); }
    | CONSTANT '(' word ')'
        {
            build_check_word(reader, &@3, $3,
                             (const char *const[]){"MAXPAGESIZE", "COMMONPAGESIZE", NULL},
                             "MAXPAGESIZE or COMMONPAGESIZE");
            $$ = build_expression(reader, NUMBER, &@1, NULL, NULL);
            $$->number = PAGE_SIZE;
        }
    | SEGMENT_START '(' word ',' expression ')'  { $$ = build_segment_start(reader, &@1, $3, $5); }
    | UNSUPPORTED
        {
            diag_error(&reader->linker->diag, &@1,
                       "%s is not supported in linker scripts by this version", $1);
            $$ = NULL;
            YYABORT;
        }
    | DEFINED '(' word ')'     { $$ = build_symbol(reader, IS_DEFINED, &@3, $3); }
    | ADDR '(' word ')'        { $$ = build_property(reader, ADDRESS_OF, &@3, $3); }
    | LOADADDR '(' word ')'    { $$ = build_property(reader, LOAD_ADDRESS_OF, &@3, $3); }
    | SIZEOF '(' word ')'      { $$ = build_property(reader, SIZE_OF, &@3, $3); }
    | ALIGNOF '(' word ')'     { $$ = build_property(reader, ALIGNMENT_OF, &@3, $3); }
    | ORIGIN '(' word ')'      { $$ = build_property(reader, ORIGIN_OF, &@3, $3); }
    | LENGTH '(' word ')'      { $$ = build_property(reader, LENGTH_OF, &@3, $3); }
    | ASSERT '(' expression ',' STRING ')'
        { $$ = build_expression(reader, ASSERTION, &@3, $3, NULL); $$->name = $5; }
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
    (void)message; /* yacc's only message without a token: its stack is exhausted */
    diag_error(&reader->linker->diag, at, "too many levels of nesting; give parts of it names");
}

/* Is it in the list of tokens, which ends with 0? */
static bool is_one_of(yysymbol_kind_t symbol, const int *tokens)
{
    for (; *tokens; tokens++)
        if (YYTRANSLATE(*tokens) == symbol)
            return true;
    return false;
}

/* Removes the tokens from those that are expected if all of them are. Returns whether they were. */
static bool take_group(yysymbol_kind_t *expected, int *count, const int *tokens)
{
    int kept = 0, members = 0;

    for (int i = 0; i < *count; i++)
        members += is_one_of(expected[i], tokens);
    for (int i = 0; tokens[i]; i++)
        members--;
    if (members < 0)
        return false;
    for (int i = 0; i < *count; i++)
        if (!is_one_of(expected[i], tokens))
            expected[kept++] = expected[i];
    *count = kept;
    return true;
}

/* Returns the text for a long list, which has the keywords of all commands or statements. */
static const char *expected_statement(const yysymbol_kind_t *expected, int count)
{
    static const int brace[] = {'}', 0};
    bool has_end = false, has_brace = false;

    for (int i = 0; i < count; i++) {
        has_end |= expected[i] == YYSYMBOL_YYEOF;
        has_brace |= is_one_of(expected[i], brace);
    }
    return has_brace ? ", expected a statement or '}'"
           : has_end ? ", expected a command of a linker script, such as SECTIONS"
                     : "";
}

/* Returns ", expected an operator or ')'". */
static const char *expected_text(struct arena *arena, const yypcontext_t *context)
{
    enum { SHOWN = 5 };
    static const int starts[] = {
        T_NUMBER, T_NAME, T_STRING, '(', '-', '+', '~', '!', T_SIZEOF_HEADERS, T_MAX, T_MIN,
        T_ABSOLUTE, T_ALIGN, T_DATA_SEGMENT_ALIGN, T_DATA_SEGMENT_RELRO_END, T_DATA_SEGMENT_END,
        T_LOG2CEIL, T_CONSTANT, T_SEGMENT_START, T_UNSUPPORTED, T_DEFINED, T_ADDR, T_LOADADDR,
        T_SIZEOF, T_ALIGNOF, T_ORIGIN, T_LENGTH, T_ASSERT, 0};
    static const int operators[] = {
        '*', '/', '%', '+', '-', T_SHIFT_LEFT, T_SHIFT_RIGHT, '<', '>', T_LESS_EQUAL,
        T_GREATER_EQUAL, T_EQUAL, T_UNEQUAL, '&', '^', '|', T_AND_ALSO, T_OR_ELSE, '?', 0};
    static const int patterns[] = {
        T_PATTERN, T_STRING, T_EXCLUDE_FILE, T_SORT, T_SORT_BY_ALIGNMENT, T_SORT_BY_INIT_PRIORITY,
        T_SORT_NONE, 0};
    yysymbol_kind_t expected[YYNTOKENS];
    const char *names[3 + SHOWN], *list = "";
    int count = yypcontext_expected_tokens(context, expected, YYNTOKENS), shown = 0;

    if (take_group(expected, &count, starts))
        names[shown++] = "an expression";
    if (take_group(expected, &count, operators))
        names[shown++] = "an operator";
    if (take_group(expected, &count, patterns))
        names[shown++] = "a pattern of names of sections";
    if (shown + count > SHOWN)
        return expected_statement(expected, count);
    for (int i = 0; i < count; i++)
        names[shown++] = yysymbol_name(expected[i]);
    for (int i = 0; i < shown; i++)
        list = arena_format(arena, "%s%s%s", list,
                            i == 0           ? ", expected "
                            : i + 1 < shown ? ", "
                                             : " or ",
                            names[i]);
    return list;
}

/* Reports what was found and what was expected. */
static int yyreport_syntax_error(const yypcontext_t *context, struct script_reader *reader,
                                 void *scanner)
{
    (void)scanner;
    const SCRIPT_LTYPE *at = yypcontext_location(context);
    yysymbol_kind_t found = yypcontext_token(context);
    if (found == YYSYMBOL_FAILED) /* it was reported already */
        return 0;
    const char *list = expected_text(&reader->linker->arena, context);
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
