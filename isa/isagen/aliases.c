/*
 * The `aliases` section: other ways to write one instruction, or a few instructions in a row. An
 * expansion is written in the syntax of its instructions and is parsed here, so that a wrong one is
 * found before any program uses it.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

enum { STEP_LIMIT = 16 };

struct expansion_parser {
    struct spec *spec;
    struct spec_alias *alias;
    struct spec_step *step;
    const struct node *node;
    const char *at;
    bool relocated; /* an argument used %operator( ) */
    bool failed;
};

static void fail(struct expansion_parser *parser, size_t length, const char *message)
{
    struct position position =
        node_position(parser->node, (size_t)(parser->at - parser->node->text), length);

    if (!parser->failed)
        diag_error(parser->spec->diag, &position, "%s", message);
    parser->failed = true;
}

static const char *found(struct expansion_parser *parser)
{
    size_t length = strcspn(parser->at, " ,()");

    if (!*parser->at)
        return "the end";
    return arena_format(parser->spec->arena, "'%.*s'", (int)(length ? length : 1), parser->at);
}

static void skip_blanks(struct expansion_parser *parser)
{
    parser->at += strspn(parser->at, " ");
}

static bool accept(struct expansion_parser *parser, char c)
{
    skip_blanks(parser);
    if (*parser->at != c)
        return false;
    parser->at++;
    return true;
}

static void expect(struct expansion_parser *parser, char c)
{
    if (!accept(parser, c))
        fail(parser, 1,
             arena_format(parser->spec->arena,
                          "found %s in the expansion to '%s', expected '%c' (its syntax is '%s')",
                          found(parser), parser->step->instruction->mnemonic, c,
                          parser->step->instruction->syntax.text));
}

/* Handles an operand of the alias that takes the place of an operand of the instruction: the first
 * use determines its type, later ones are checked. */
static void use_operand(struct expansion_parser *parser, struct spec_operand *operand,
                        const struct spec_operand *target, size_t length)
{
    const struct spec_operand_type *want = target->type;

    operand->mentioned = true;
    if (!operand->type) {
        operand->type = want;
        return;
    }
    enum isa_kind kind = operand->type->kind;
    bool fits = kind == want->kind && operand->type->file == want->file &&
                operand->type->values == want->values;
    fits |= kind == ISA_SYMBOL && want->kind == ISA_TARGET;
    fits |= kind == ISA_VALUE && want->kind == ISA_IMMEDIATE &&
            parser->alias->expander != ISA_EXPAND_STEPS;
    if (!fits)
        fail(parser, length,
             arena_format(parser->spec->arena,
                          "operand '%s' is of type '%s', but '%s' of '%s' is of type '%s'",
                          operand->name, operand->type->summary, target->name,
                          parser->step->instruction->mnemonic, want->summary));
}

static bool has_relocation(struct expansion_parser *parser, const char *name,
                           const struct spec_operand *target)
{
    for (size_t i = 0; i < parser->spec->relocations.count; i++) {
        const struct spec_relocation *relocation =
            SPEC_AT(parser->spec->relocations, i, struct spec_relocation);
        if (relocation->operator_name && strcmp(relocation->operator_name, name) == 0 &&
            relocation->field == target->field)
            return true;
    }
    return false;
}

/* Parses %operator(symbol) or %operator(@0). */
static void parse_relocated(struct expansion_parser *parser, const struct spec_operand *target,
                            struct isa_argument *argument)
{
    struct spec *spec = parser->spec;
    size_t length = 1;

    while (isalnum((unsigned char)parser->at[length]) || parser->at[length] == '_')
        length++;
    argument->operator_name = arena_copy(spec->arena, parser->at + 1, length - 1);
    if (!has_relocation(parser, argument->operator_name, target)) {
        fail(parser, length,
             arena_format(
                 spec->arena, "no relocation with operator '%s' patches operand '%s' of '%s'",
                 argument->operator_name, target->name, parser->step->instruction->mnemonic));
        return;
    }
    parser->relocated = true;
    parser->at += length;
    expect(parser, '(');
    skip_blanks(parser);
    length = strcspn(parser->at, " ,()");
    int index = spec_operand_index(&parser->alias->operands, parser->at, length);
    if (length == 2 && memcmp(parser->at, "@0", 2) == 0) {
        argument->kind = ISA_ARGUMENT_FIRST;
    } else if (index >= 0) {
        struct spec_operand *operand = &parser->alias->operands.items[index];
        argument->kind = ISA_ARGUMENT_RELOCATED;
        argument->operand = (uint8_t)index;
        operand->mentioned = true;
        if (!operand->type || operand->type->kind != ISA_SYMBOL)
            fail(parser, length,
                 arena_format(spec->arena,
                              "operand '%s' stands in %%%s( ) and is not a symbol; add 'operands: "
                              "{%s: ...}' with a type of kind symbol",
                              operand->name, argument->operator_name, operand->name));
    } else {
        fail(parser, length,
             arena_format(spec->arena, "found %s, expected an operand of the alias or @0",
                          found(parser)));
    }
    parser->at += length;
    expect(parser, ')');
}

static bool parse_immediate(const struct spec_operand *target, const char *word, int64_t *value)
{
    int64_t minimum, maximum;

    if (!node_parse_integer(word, value))
        return false;
    spec_range(target->type, &minimum, &maximum);
    if (target->type->also_negative)
        minimum = -(INT64_C(1) << (target->type->bits - 1));
    return *value >= minimum && *value <= maximum &&
           !(*value & ((INT64_C(1) << target->field->lowest) - 1)) &&
           !(target->type->nonzero && !*value);
}

/* Parses a register number, or the first one of f8:f11. */
static bool parse_register(const struct spec_operand_type *type, const char *word, int64_t *value)
{
    char first[16] = "";
    size_t length = strcspn(word, ":");

    if (!type->file || length >= sizeof first)
        return false;
    memcpy(first, word, length);
    *value = spec_register_number(type->file, first);
    if (*value < 0 || type->kind != ISA_REGISTER_GROUP)
        return *value >= 0 && !word[length];
    bool ends = !word[length] || spec_register_number(type->file, word + length + 1) ==
                                     *value + (int64_t)type->group_count - 1;
    return ends && *value % (int64_t)type->group_count == 0;
}

static bool parse_register_or_immediate(const struct spec_operand_type *type, const char *word,
                                        int64_t *value)
{
    if (node_parse_integer(word, value)) {
        bool fits = *value >= 0 && *value < INT64_C(1) << type->immediate_bits;
        *value |= (int64_t)type->immediate_match;
        return fits;
    }
    bool fits = parse_register(type, word, value);
    *value |= (int64_t)type->register_match;
    return fits;
}

static bool parse_csr(struct spec *spec, const char *word, int64_t *value)
{
    const struct spec_csr *csr = map_get(&spec->csrs, word);

    if (csr)
        *value = (int64_t)csr->number;
    return csr || (node_parse_integer(word, value) && *value >= 0 && *value <= 0xfff);
}

static bool parse_constant(struct spec *spec, const struct spec_operand *target, const char *word,
                           int64_t *value)
{
    switch (target->type->kind) {
    case ISA_REGISTER:
    case ISA_REGISTER_GROUP:
        return parse_register(target->type, word, value);
    case ISA_REGISTER_OR_IMMEDIATE:
        return parse_register_or_immediate(target->type, word, value);
    case ISA_IMMEDIATE:
    case ISA_TARGET:
        return parse_immediate(target, word, value);
    case ISA_ENUM:
    case ISA_SET:
        return spec_enum_value(target->type, word, strlen(word), value);
    case ISA_CSR:
        return parse_csr(spec, word, value);
    case ISA_SYMBOL:
    case ISA_VALUE:
    case ISA_OPCODE:
        break;
    }
    return false;
}

static void parse_argument(struct expansion_parser *parser, const struct spec_operand *target,
                           struct isa_argument *argument)
{
    struct spec *spec = parser->spec;

    skip_blanks(parser);
    if (*parser->at == '%') {
        parse_relocated(parser, target, argument);
        return;
    }
    size_t length = strcspn(parser->at, " ,()");
    int index = spec_operand_index(&parser->alias->operands, parser->at, length);
    if (index >= 0) {
        argument->kind = ISA_ARGUMENT_OPERAND;
        argument->operand = (uint8_t)index;
        use_operand(parser, &parser->alias->operands.items[index], target, length);
    } else {
        const char *word = arena_copy(spec->arena, parser->at, length);
        argument->kind = ISA_ARGUMENT_CONSTANT;
        if (!length || !parse_constant(spec, target, word, &argument->constant))
            fail(parser, length,
                 arena_format(
                     spec->arena,
                     "found %s, which does not fit operand '%s' of '%s'; expected an operand "
                     "of the alias or a %s",
                     found(parser), target->name, parser->step->instruction->mnemonic,
                     target->type->summary));
    }
    parser->at += length;
}

/* Is the text inside [ ] written? `open` is the index of the token after the bracket. The first
 * literal inside the brackets, or the first one after them, decides. */
static bool is_written(struct expansion_parser *parser, const struct spec_syntax *syntax,
                       size_t open)
{
    skip_blanks(parser);
    if (!*parser->at)
        return false;
    if (syntax->tokens[open].kind == ISA_TOKEN_LITERAL)
        return *parser->at == syntax->tokens[open].literal;
    size_t close = open;
    while (syntax->tokens[close].kind != ISA_TOKEN_END_OPTIONAL)
        close++;
    return close + 1 == syntax->count || syntax->tokens[close + 1].kind != ISA_TOKEN_LITERAL ||
           *parser->at != syntax->tokens[close + 1].literal;
}

static void parse_arguments(struct expansion_parser *parser)
{
    const struct spec_instruction *instruction = parser->step->instruction;
    const struct spec_syntax *syntax = &instruction->syntax;
    bool skipping = false;

    for (size_t i = 0; i < syntax->count && !parser->failed; i++) {
        const struct isa_token *token = &syntax->tokens[i];
        struct isa_argument *argument = &parser->step->arguments[token->operand];
        const struct spec_operand *operand = &instruction->operands.items[token->operand];
        if (token->kind == ISA_TOKEN_OPTIONAL) {
            skipping = !is_written(parser, syntax, i + 1);
        } else if (token->kind == ISA_TOKEN_END_OPTIONAL) {
            skipping = false;
        } else if (token->kind == ISA_TOKEN_LITERAL && !skipping) {
            expect(parser, token->literal);
        } else if (token->kind == ISA_TOKEN_OPERAND && skipping) {
            *argument = (struct isa_argument){.kind = ISA_ARGUMENT_CONSTANT,
                                              .constant = operand->type->default_value};
        } else if (token->kind == ISA_TOKEN_OPERAND) {
            parse_argument(parser, operand, argument);
        }
    }
    skip_blanks(parser);
    if (*parser->at && !parser->failed)
        fail(parser, strlen(parser->at),
             arena_format(parser->spec->arena,
                          "found %s after the operands of '%s' (its syntax is '%s')", found(parser),
                          instruction->mnemonic, instruction->syntax.text));
}

/* Returns whether an argument used a relocation. */
static bool resolve_step(struct spec *spec, struct spec_alias *alias, const struct node *node)
{
    struct spec_step *step = &alias->steps[alias->step_count];
    struct expansion_parser parser = {.spec = spec, .alias = alias, .step = step, .node = node};

    if (!node_text(&spec->context, node, "expands"))
        return false;
    size_t length = strcspn(node->text, " ");
    const char *mnemonic = arena_copy(spec->arena, node->text, length);
    struct position at = node_position(node, 0, length);
    step->at = at;
    step->instruction = map_get(&spec->instructions, mnemonic);
    if (!step->instruction) {
        bool alias_exists = false;
        for (size_t i = 0; i < spec->alias_count; i++)
            alias_exists |= strcmp(spec->aliases[i].mnemonic, mnemonic) == 0;
        diag_error(spec->diag, &at,
                   alias_exists ? "'%s' is an alias itself; expand to instructions%s"
                                : "alias to unknown instruction '%s'%s",
                   mnemonic,
                   alias_exists ? "" : node_suggest(&spec->context, &spec->instructions, mnemonic));
        return false;
    }
    size_t operands = step->instruction->operands.count;
    if (!step->instruction->layout || (operands && !step->instruction->syntax.count))
        return false; /* it has been reported */
    step->arguments = arena_array(spec->arena, operands, sizeof *step->arguments);
    parser.at = node->text + length;
    parse_arguments(&parser);
    alias->step_count++;
    return parser.relocated;
}

bool spec_resolve_pattern(struct spec *spec, struct spec_alias *owner, const struct node *node)
{
    unsigned errors = spec->diag->errors;
    bool relocated = resolve_step(spec, owner, node);

    if (relocated)
        diag_error(spec->diag, &node->at, "'%s' cannot expand to an operator", owner->mnemonic);
    return spec->diag->errors == errors;
}

static void check_operands_used(struct spec *spec, struct spec_alias *alias)
{
    for (size_t i = 0; i < alias->operands.count; i++) {
        const struct spec_operand *operand = &alias->operands.items[i];
        if (!operand->mentioned)
            diag_error(spec->diag, &operand->at,
                       "operand '%s' of alias '%s' is used by no instruction of its expansion",
                       operand->name, alias->mnemonic);
    }
}

static void resolve_print(struct spec *spec, struct spec_alias *alias, bool relocated)
{
    const struct node *print = node_get(alias->node, "print");
    bool can_print = alias->step_count == 1 && !relocated && alias->expander == ISA_EXPAND_STEPS;

    for (size_t i = 0; i < alias->operands.count; i++)
        can_print &=
            alias->operands.items[i].type && alias->operands.items[i].type->kind != ISA_SYMBOL;
    alias->print = node_bool(&spec->context, print, "print", can_print && !alias->pic);
    if (alias->print && !can_print)
        diag_error(spec->diag, &print->at,
                   "alias '%s' cannot be printed: only one instruction without operators can",
                   alias->mnemonic);
}

/* Checks the alias that fills code: one 32-bit instruction without operands of the alias. Only one
 * alias may do so. */
static void check_fills(struct spec *spec, const struct spec_alias *alias)
{
    if (!alias->fills)
        return;
    const struct node *node = node_get(alias->node, "fills");
    if (alias->operands.count || alias->step_count != 1 || !alias->steps->instruction->layout ||
        alias->steps->instruction->layout->bits != 32)
        diag_error(spec->diag, &node->at,
                   "alias '%s' cannot fill code: only one instruction of 32 bits without operands "
                   "can",
                   alias->mnemonic);
    for (const struct spec_alias *other = spec->aliases; other < alias; other++)
        if (other->fills) {
            diag_error(spec->diag, &node->at, "a second alias that fills code; remove one");
            diag_note(spec->diag, &other->at, "first here");
        }
}

/* Returns "auipc rd, ...; addi rd, ...": the expansion for the manual. */
static const char *join_expansion(struct spec *spec, const struct node *expands)
{
    const char *joined = expands->text;

    for (size_t i = 0; expands->kind == NODE_SEQUENCE && i < expands->count; i++)
        joined = i ? arena_format(spec->arena, "%s; %s", joined, expands->items[i]->text)
                   : expands->items[i]->text;
    return joined;
}

static void resolve_alias(struct spec *spec, struct spec_alias *alias)
{
    const struct node *expands = node_get(alias->node, "expands");
    size_t count = expands->kind == NODE_SEQUENCE ? expands->count : 1;
    unsigned errors = spec->diag->errors;
    bool relocated = false;

    if (expands->kind == NODE_MAPPING || !count || count > STEP_LIMIT) {
        diag_error(spec->diag, &expands->at,
                   "'expands' is neither a text nor a list of up to %d texts", STEP_LIMIT);
        return;
    }
    alias->steps = arena_array(spec->arena, count, sizeof *alias->steps);
    for (size_t i = 0; i < count; i++)
        relocated |=
            resolve_step(spec, alias, expands->kind == NODE_SEQUENCE ? expands->items[i] : expands);
    if (spec->diag->errors != errors || alias->step_count != count)
        return; /* an instruction of the expansion has been reported, maybe where it is declared */
    alias->expansion = join_expansion(spec, expands);
    check_operands_used(spec, alias);
    resolve_print(spec, alias, relocated);
    check_fills(spec, alias);
}

void spec_resolve_aliases(struct spec *spec)
{
    for (size_t i = 0; i < spec->alias_count; i++)
        resolve_alias(spec, &spec->aliases[i]);
}

/* ---- reading: before the instructions are known ---- */

static void read_types(struct spec *spec, struct spec_alias *alias, const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "operands"))
        return;
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->items[2 * i], *value = node->items[2 * i + 1];
        int index = spec_operand_index(&alias->operands, key->text, strlen(key->text));
        const char *name = node_text(&spec->context, value, key->text);
        const struct spec_operand_type *type = name ? map_get(&spec->operand_types, name) : NULL;
        if (index < 0)
            diag_error(spec->diag, &key->at, "'%s' is not an operand of alias '%s'", key->text,
                       alias->mnemonic);
        else if (name && !type)
            diag_error(spec->diag, &value->at, "unknown operand type '%s'%s", name,
                       node_suggest(&spec->context, &spec->operand_types, name));
        else if (type && type->generic)
            diag_error(spec->diag, &value->at, "operand type '%s' is for forms of .insn", name);
        else
            alias->operands.items[index].type = type;
    }
}

static void read_expander(struct spec *spec, struct spec_alias *alias, const struct node *node)
{
    const char *text = node_text(&spec->context, node, "expander");

    if (text && strcmp(text, "load_immediate") == 0)
        alias->expander = ISA_EXPAND_LOAD_IMMEDIATE;
    else if (text)
        diag_error(spec->diag, &node->at, "unknown expander '%s'; expected load_immediate", text);
}

static void read_alias(struct spec *spec, const struct spec_file *file, const struct node *node)
{
    static const char *const keys[] = {"alias!", "expands!", "operands", "expander", "print",
                                       "pic",    "fills",    "summary",  "needs",    NULL};
    struct spec_alias alias = {.node = node, .extension = file->extension};

    if (!node_check_keys(&spec->context, node, "alias", keys))
        return;
    const struct node *form = node_get(node, "alias");
    alias.text = node_text(&spec->context, form, "alias");
    if (!alias.text)
        return;
    size_t length = strcspn(alias.text, " ");
    alias.at = node_position(form, 0, length);
    alias.mnemonic = arena_copy(spec->arena, alias.text, length);
    if (!node_is_name(alias.mnemonic, true)) {
        diag_error(spec->diag, &alias.at,
                   "'%s' is not a mnemonic; expected letters, digits, '.' and '_'", alias.mnemonic);
        return;
    }
    if (!spec_parse_syntax(spec, &alias.syntax, form, length, &alias.operands, true))
        return;
    alias.summary = node_text(&spec->context, node_get(node, "summary"), "summary");
    alias.needs = spec_read_needs(spec, file, node_get(node, "needs"));
    read_types(spec, &alias, node_get(node, "operands"));
    read_expander(spec, &alias, node_get(node, "expander"));
    alias.pic = node_bool(&spec->context, node_get(node, "pic"), "pic", false);
    alias.fills = node_bool(&spec->context, node_get(node, "fills"), "fills", false);
    spec->aliases = arena_grow(spec->arena, spec->aliases, spec->alias_count, &spec->alias_capacity,
                               sizeof *spec->aliases);
    spec->aliases[spec->alias_count++] = alias;
}

void spec_read_aliases(struct spec *spec, const struct spec_file *file, const struct node *section)
{
    for (size_t i = 0; i < section->count; i++)
        read_alias(spec, file, section->items[i]);
}
