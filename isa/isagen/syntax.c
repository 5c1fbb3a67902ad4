/*
 * Assembly syntax: `rd, [imm](rs1)` becomes tokens over the operands. Blanks have no meaning: tools
 * write one after a comma or none, as GNU's do.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

struct syntax_parser {
    struct spec *spec;
    struct spec_syntax *syntax;
    const struct node *node;
    struct spec_operands *operands;
    bool declares; /* an unknown name is a new operand (aliases) */
    bool failed;
};

static void fail(struct syntax_parser *parser, const char *at, size_t length, const char *message)
{
    struct position position =
        node_position(parser->node, (size_t)(at - parser->node->text), length);

    diag_error(parser->spec->diag, &position, "%s", message);
    parser->failed = true;
}

static void append(struct syntax_parser *parser, struct isa_token token)
{
    struct spec_syntax *syntax = parser->syntax;

    syntax->tokens = arena_grow(parser->spec->arena, syntax->tokens, syntax->count,
                                &syntax->capacity, sizeof *syntax->tokens);
    syntax->tokens[syntax->count++] = token;
}

static int declare_operand(struct syntax_parser *parser, const char *name, size_t length)
{
    struct spec_operands *operands = parser->operands;
    struct spec *spec = parser->spec;

    operands->items = arena_grow(spec->arena, operands->items, operands->count, &operands->capacity,
                                 sizeof *operands->items);
    operands->items[operands->count] = (struct spec_operand){
        .name = arena_copy(spec->arena, name, length),
        .at = node_position(parser->node, (size_t)(name - parser->node->text), length),
    };
    return (int)operands->count++;
}

static void report_unknown(struct syntax_parser *parser, const char *name, size_t length)
{
    struct spec *spec = parser->spec;
    struct suggestion suggestion;
    const char *word = arena_copy(spec->arena, name, length);

    suggest_init(&suggestion, word);
    for (size_t i = 0; i < parser->operands->count; i++)
        suggest_add(&suggestion, parser->operands->items[i].name);
    fail(parser, name, length,
         arena_format(spec->arena, "the syntax names '%s', which is not an operand%s", word,
                      node_near(&spec->context, &suggestion, "")));
}

/* Two operands in a row could not be told apart, as blanks have no meaning. */
static bool follows_operand(const struct spec_syntax *syntax)
{
    size_t i = syntax->count;

    while (i && (syntax->tokens[i - 1].kind == ISA_TOKEN_OPTIONAL ||
                 syntax->tokens[i - 1].kind == ISA_TOKEN_END_OPTIONAL))
        i--;
    return i && syntax->tokens[i - 1].kind == ISA_TOKEN_OPERAND;
}

static void parse_operand(struct syntax_parser *parser, const char *name, size_t length)
{
    if (follows_operand(parser->syntax)) {
        fail(parser, name, length,
             "nothing separates this operand from the one before; put ',' between them");
        return;
    }
    int index = spec_operand_index(parser->operands, name, length);
    bool known = index >= 0;
    if (!known && parser->declares && parser->operands->count == ISA_OPERAND_LIMIT) {
        fail(parser, name, length,
             arena_format(parser->spec->arena, "one operand too many; an alias has at most %d",
                          ISA_OPERAND_LIMIT));
        return;
    }
    if (!known && parser->declares)
        index = declare_operand(parser, name, length);
    if (index < 0) {
        report_unknown(parser, name, length);
        return;
    }
    for (size_t i = 0; known && i < parser->syntax->count; i++) {
        const struct isa_token *token = &parser->syntax->tokens[i];
        if (token->kind == ISA_TOKEN_OPERAND && token->operand == index) {
            fail(parser, name, length,
                 arena_format(parser->spec->arena, "operand '%.*s' appears twice in the syntax",
                              (int)length, name));
            return;
        }
    }
    append(parser, (struct isa_token){.kind = ISA_TOKEN_OPERAND, .operand = (uint8_t)index});
}

/* After `[`: checks that the operands inside may be omitted. */
static void check_optional(struct syntax_parser *parser, const char *close, size_t open)
{
    const struct spec_syntax *syntax = parser->syntax;
    bool any = false;

    for (size_t i = open; i < syntax->count; i++) {
        if (syntax->tokens[i].kind != ISA_TOKEN_OPERAND)
            continue;
        const struct spec_operand *operand = &parser->operands->items[syntax->tokens[i].operand];
        any = true;
        if (!operand->type || !operand->type->has_default)
            fail(parser, close, 1,
                 arena_format(
                     parser->spec->arena,
                     "operand '%s' stands in [ ] but its type has no default; give '%s' one",
                     operand->name, operand->type ? operand->type->name : "?"));
    }
    if (!any && !parser->failed)
        fail(parser, close, 1, "[ ] holds no operand");
}

bool spec_parse_syntax(struct spec *spec, struct spec_syntax *syntax, const struct node *node,
                       size_t offset, struct spec_operands *operands, bool declares)
{
    struct syntax_parser parser = {spec, syntax, node, operands, declares, false};
    size_t open = 0; /* index after the `[` token; 0: no bracket is open */

    syntax->text = node->text + offset;

    for (const char *at = syntax->text; *at && !parser.failed;) {
        size_t length = 1;
        if (isalpha((unsigned char)*at) || *at == '_') {
            while (isalnum((unsigned char)at[length]) || at[length] == '_')
                length++;
            parse_operand(&parser, at, length);
        } else if (*at == '[' || *at == ']') {
            if ((*at == '[') == (open > 0)) {
                fail(&parser, at, 1, *at == '[' ? "[ ] may not be nested" : "']' without '['");
                break;
            }
            append(&parser, (struct isa_token){.kind = *at == '[' ? ISA_TOKEN_OPTIONAL
                                                                  : ISA_TOKEN_END_OPTIONAL});
            if (*at == ']')
                check_optional(&parser, at, open);
            open = *at == '[' ? syntax->count : 0;
        } else if (strchr(",()+-:@", *at)) {
            append(&parser, (struct isa_token){.kind = ISA_TOKEN_LITERAL, .literal = *at});
        } else if (*at != ' ') {
            fail(&parser, at, 1,
                 "unexpected character in a syntax; expected operand names, blanks and , ( ) [ ] + "
                 "- : @");
        }
        at += length;
    }
    if (open && !parser.failed)
        fail(&parser, node->text + strlen(node->text), 1, "'[' without ']'");
    if (!parser.failed && syntax->count > UINT8_MAX)
        fail(&parser, node->text, 1, "the syntax is too long");
    return !parser.failed;
}
