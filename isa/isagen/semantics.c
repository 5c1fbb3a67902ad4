/*
 * What isagen understands of the C in the YAML: its names. A body may use its operands, the
 * accessors and whatever emu/ offers; it may not name a field that its instruction does not have,
 * which is how a copied body goes wrong.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

/* Accessors that may continue elsewhere than at the next instruction: such an instruction ends a
 * basic block. */
static const char *const flow_words[] = {
    "branch",           "jump",
    "environment_call", "breakpoint",
    "synchronize_code", "wait_for_interrupt",
    "return_from_trap", NULL,
};

static const char *const body_words[] = {
    "pc",
    "next_pc",
    "load",
    "store",
    "load_element",
    "store_element",
    "trap",
    "attempt",
    "walk_address",
    "walk_on",
    "walk_load",
    "walk_store",
    "fault",
    "csr_read",
    "csr_write",
    "rounding",
    "fflags",
    "unit",
    "port",
    "hart",
    "machine",
    "value",
    "atomic",
    "old",
    "load_reserved",
    "store_conditional",
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "true",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    NULL,
};

static bool listed(const char *const *words, const char *name, size_t length)
{
    for (size_t i = 0; words[i]; i++)
        if (strlen(words[i]) == length && memcmp(words[i], name, length) == 0)
            return true;
    return false;
}

bool spec_is_body_word(const char *name)
{
    /* `value` is a word of CSR code only; operands may have the name. */
    return strcmp(name, "value") &&
           (listed(body_words, name, strlen(name)) || listed(flow_words, name, strlen(name)));
}

static size_t skip_quoted(const char *text)
{
    size_t i = 1;

    while (text[i] && text[i] != text[0] && text[i] != '\n')
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return text[i] == text[0] ? i + 1 : i;
}

/* Length of what is no token at `text`: blanks, comments, strings, numbers. 0 when a token starts
 * here. */
static size_t skip_other(const char *text)
{
    if (isspace((unsigned char)*text))
        return 1;
    if (text[0] == '/' && text[1] == '/')
        return strcspn(text, "\n");
    if (text[0] == '/' && text[1] == '*') {
        const char *end = strstr(text + 2, "*/");
        return end ? (size_t)(end + 2 - text) : strlen(text);
    }
    if (*text == '"' || *text == '\'')
        return skip_quoted(text);
    size_t i = 0;
    if (isdigit((unsigned char)*text))
        while (isalnum((unsigned char)text[i]) || text[i] == '_' || text[i] == '.')
            i++;
    return i;
}

struct code_token spec_next_token(const char *text, size_t *offset)
{
    size_t skip;
    bool member = *offset && (text[*offset - 1] == '.' ||
                              (*offset > 1 && strncmp(text + *offset - 2, "->", 2) == 0));

    while ((skip = skip_other(text + *offset)))
        *offset += skip;
    struct code_token token = {CODE_OTHER, *offset, 1};
    const char *at = text + *offset;
    if (!*at) {
        token.kind = CODE_END;
        token.length = 0;
    } else if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)at[token.length]) || at[token.length] == '_')
            token.length++;
        token.kind = member ? CODE_MEMBER : CODE_NAME;
    }
    *offset += token.length;
    return token;
}

bool spec_code_names(const struct spec_code *code, const char *name)
{
    size_t offset = 0, length = strlen(name);

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return false;
        if (token.kind == CODE_NAME && token.length == length &&
            memcmp(code->text + token.offset, name, length) == 0)
            return true;
    }
}

static void code_error(struct spec *spec, const struct spec_code *code, size_t offset,
                       size_t length, const char *message)
{
    struct position at = node_position(code->node, offset, length);

    diag_error(spec->diag, &at, "%s", message);
}

/* Unclosed strings and comments, which spec_next_token would run over. */
static bool check_lexical(struct spec *spec, const struct spec_code *code, const char *what)
{
    for (const char *at = code->text; *at;) {
        size_t skip = skip_other(at), offset = (size_t)(at - code->text);
        bool quoted = *at == '"' || *at == '\'';
        if (quoted && (skip < 2 || at[skip - 1] != *at)) {
            code_error(spec, code, offset, 1,
                       arena_format(spec->arena, "a quote in %s is not closed on its line", what));
            return false;
        }
        if (at[0] == '/' && at[1] == '*' && (skip < 4 || strncmp(at + skip - 2, "*/", 2))) {
            code_error(spec, code, offset, 2,
                       arena_format(spec->arena, "a comment in %s is not closed", what));
            return false;
        }
        if (at[0] == '/' && at[1] == '/' && code->node->style != NODE_BLOCK) {
            code_error(spec, code, offset, 2,
                       arena_format(spec->arena, "a // comment in %s, which is one line; remove it",
                                    what));
            return false;
        }
        at += skip ? skip : 1;
    }
    return true;
}

bool spec_check_code(struct spec *spec, const struct spec_code *code, const char *what)
{
    char open[32];
    size_t depth = 0, offset = 0;

    if (!check_lexical(spec, code, what))
        return false;
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        char c = code->text[token.offset];
        if (token.kind == CODE_END)
            break;
        if (token.kind != CODE_OTHER || !strchr("(){}[]#", c))
            continue;
        if (c == '#') {
            code_error(
                spec, code, token.offset, 1,
                arena_format(spec->arena, "'#' in %s; no preprocessor directives here", what));
            return false;
        }
        if (strchr("({[", c) && depth < sizeof open) {
            open[depth++] = c == '(' ? ')' : c == '{' ? '}' : ']';
        } else if (!depth || open[--depth] != c) {
            code_error(spec, code, token.offset, 1,
                       arena_format(spec->arena, "'%c' in %s does not match; check the brackets", c,
                                    what));
            return false;
        }
    }
    if (depth)
        code_error(spec, code, 0, 1,
                   arena_format(spec->arena, "%s ends without '%c'", what, open[depth - 1]));
    return !depth;
}

/* ---- bodies ---- */

static struct spec_operand *find_operand(struct spec_instruction *instruction, const char *name,
                                         size_t length)
{
    int index = spec_operand_index(&instruction->operands, name, length);

    return index >= 0 ? &instruction->operands.items[index] : NULL;
}

static bool has_register(const struct spec_operand *operand)
{
    enum isa_kind kind = operand->type->kind;

    return kind == ISA_REGISTER || kind == ISA_REGISTER_GROUP;
}

static void note_name(struct spec *spec, struct spec_instruction *instruction,
                      const struct code_token *token)
{
    static const char suffix[] = "_index";
    const char *name = instruction->semantics.text + token->offset;
    size_t length = token->length, tail = sizeof suffix - 1;
    struct spec_operand *operand = find_operand(instruction, name, length);

    if (operand) {
        operand->mentioned = true;
        return;
    }
    if (length > tail && memcmp(name + length - tail, suffix, tail) == 0) {
        operand = find_operand(instruction, name, length - tail);
        if (operand && has_register(operand)) {
            operand->index_mentioned = true;
            return;
        }
    }
    struct spec_element_name *element =
        spec_find_element_name(&instruction->elements, name, length);
    if (element) {
        element->mentioned = true;
        return;
    }
    instruction->ends_block |= listed(flow_words, name, length);
    const char *word = arena_copy(spec->arena, name, length);
    if (map_get(&spec->field_names, word) && !listed(body_words, name, length) &&
        !listed(flow_words, name, length))
        code_error(spec, &instruction->semantics, token->offset, length,
                   arena_format(spec->arena,
                                "the body of '%s' names '%s', which is no operand of it; add the "
                                "operand, or rename a variable of "
                                "the body",
                                instruction->mnemonic, word));
}

static bool is_name(const struct spec_code *code, const struct code_token *token, const char *name)
{
    return token->kind == CODE_NAME && token->length == strlen(name) &&
           memcmp(code->text + token->offset, name, token->length) == 0;
}

/* The emulator looks up once where a branch leads: its distance has to be an immediate operand of
 * the instruction, and the same one in all of the body. */
static void check_branch(struct spec *spec, struct spec_instruction *instruction,
                         const struct code_token *branch)
{
    const struct spec_code *body = &instruction->semantics;
    size_t offset = branch->offset + branch->length;
    const struct code_token open = spec_next_token(body->text, &offset),
                            name = spec_next_token(body->text, &offset),
                            close = spec_next_token(body->text, &offset);
    const struct spec_operand *operand =
        name.kind == CODE_NAME ? find_operand(instruction, body->text + name.offset, name.length)
                               : NULL;

    if (!operand || body->text[open.offset] != '(' || body->text[close.offset] != ')' ||
        (operand->type->kind != ISA_TARGET && operand->type->kind != ISA_IMMEDIATE) ||
        (instruction->distance && instruction->distance != operand))
        code_error(spec, body, branch->offset, branch->length,
                   arena_format(spec->arena,
                                "'branch' in the body of '%s' takes one immediate operand, the "
                                "same everywhere; go to other places with jump(pc + ...)",
                                instruction->mnemonic));
    else
        instruction->distance = operand;
}

static bool is_ignored(struct spec *spec, struct spec_instruction *instruction,
                       const struct spec_operand *operand)
{
    const struct node *ignores = instruction->ignores;

    for (size_t i = 0; ignores && ignores->kind == NODE_SEQUENCE && i < ignores->count; i++) {
        const char *name = node_text(&spec->context, ignores->items[i], "ignores");
        if (name && strcmp(name, operand->name) == 0)
            return true;
    }
    return false;
}

static void check_ignores(struct spec *spec, struct spec_instruction *instruction)
{
    const struct node *ignores = instruction->ignores;

    for (size_t i = 0; ignores && ignores->kind == NODE_SEQUENCE && i < ignores->count; i++) {
        const struct node *node = ignores->items[i];
        if (node->kind != NODE_SCALAR)
            continue;
        const struct spec_operand *operand =
            find_operand(instruction, node->text, strlen(node->text));
        if (!operand)
            diag_error(spec->diag, &node->at, "'%s' is ignored but is no operand of '%s'",
                       node->text, instruction->mnemonic);
        else if (operand->mentioned || operand->index_mentioned)
            diag_error(spec->diag, &node->at, "'%s' is ignored but the body names it; remove one",
                       node->text);
    }
}

static void check_body(struct spec *spec, struct spec_instruction *instruction)
{
    const struct spec_code *body = &instruction->semantics;
    size_t offset = 0;

    if (!body->text ||
        !spec_check_code(spec, body,
                         arena_format(spec->arena, "the body of '%s'", instruction->mnemonic)))
        return;
    for (;;) {
        struct code_token token = spec_next_token(body->text, &offset);
        if (token.kind == CODE_END)
            break;
        if (token.kind == CODE_NAME)
            note_name(spec, instruction, &token);
        if (is_name(body, &token, "branch"))
            check_branch(spec, instruction, &token);
    }
    check_ignores(spec, instruction);
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        if (!operand->mentioned && !operand->index_mentioned &&
            !is_ignored(spec, instruction, operand))
            diag_error(
                spec->diag, &body->node->at,
                "the body of '%s' does not use operand '%s'; use it, or list it in 'ignores'",
                instruction->mnemonic, operand->name);
    }
    for (size_t i = 0; i < instruction->elements.count; i++)
        if (!instruction->elements.names[i].mentioned)
            diag_error(spec->diag, &body->node->at,
                       "the body of '%s' does not use the element type '%s'; use it",
                       instruction->mnemonic, instruction->elements.names[i].name);
}

void spec_check_condition(struct spec *spec, struct spec_instruction *instruction,
                          const struct spec_code *require, const char *what)
{
    size_t offset = 0;
    bool any = false;

    if (!spec_check_code(spec, require,
                         arena_format(spec->arena, "a %s of '%s'", what, instruction->mnemonic)))
        return;
    for (;;) {
        struct code_token token = spec_next_token(require->text, &offset);
        if (token.kind == CODE_END)
            break;
        if (token.kind == CODE_OTHER)
            continue;
        any = true;
        if (!find_operand(instruction, require->text + token.offset, token.length))
            code_error(spec, require, token.offset, token.length,
                       arena_format(spec->arena, "the %s names '%.*s', which is no operand of '%s'",
                                    what, (int)token.length, require->text + token.offset,
                                    instruction->mnemonic));
    }
    if (!any)
        diag_error(spec->diag, &require->node->at, "the %s names no operand of '%s'", what,
                   instruction->mnemonic);
}

void spec_check_bodies(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->broken)
            continue;
        check_body(spec, instruction);
        for (size_t k = 0; k < instruction->constraint_count; k++)
            spec_check_condition(spec, instruction, &instruction->constraints[k].require,
                                 "constraint");
    }
    for (size_t i = 0; i < spec->csrs.count; i++) {
        const struct spec_csr *csr = SPEC_AT(spec->csrs, i, struct spec_csr);
        if (csr->read.text)
            spec_check_code(spec, &csr->read,
                            arena_format(spec->arena, "'read' of CSR '%s'", csr->name));
        if (csr->write.text)
            spec_check_code(spec, &csr->write,
                            arena_format(spec->arena, "'write' of CSR '%s'", csr->name));
    }
}
