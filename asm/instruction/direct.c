/* See direct.h. The forms of a shape are found as operand.c finds the form of a statement: in their
 * order, an optional operand before its default. Where a form may match in another way than by
 * registers and numbers in its fields, the list ends, and the parser decides. */
#include "asm/instruction/direct.h"
#include "asm/instruction/instruction.h"
#include "asm/instruction/operand_match.h"
#include "asm/plain.h"
#include "asm/tasm.h"
#include <string.h>

enum { SHAPES = 128, REGISTERS = 128 }; /* places, powers of two */
enum { FORMS = 4, OPERANDS = 6 };       /* the most of a shape, and of its forms */
enum { DEFAULT = OPERANDS };            /* instead of the index of a value */

/* The tokens of a shape, from the lowest bits of a number on. */
enum { TOKEN_BITS = 3, TOKEN_LIMIT = 64 / TOKEN_BITS };
enum token { TOKEN_END, TOKEN_REGISTER, TOKEN_NUMBER, TOKEN_COMMA, TOKEN_OPEN, TOKEN_CLOSE };

struct direct_register {
    uint32_t text; /* the name, its first byte highest; 0: none */
    const struct isa_register_name *name;
};

/* A form, and which value of the text each of its operands is. */
struct direct_form {
    const struct isa_form *form; /* NULL: the parser decides */
    unsigned char values[OPERANDS];
};

struct direct_shape {
    const struct word *word;
    uint64_t tokens;
    unsigned epoch; /* of the words when the forms were found; 0: free */
    unsigned count;
    struct direct_form forms[FORMS];
};

struct direct_value {
    const struct isa_register_file *file; /* NULL: a number */
    int64_t number;
};

/* What a text says. */
struct reading {
    uint64_t tokens;
    unsigned token_count, value_count;
    bool last_is_value; /* the last token */
    struct direct_value values[OPERANDS];
};

/* ---- reading ---- */

/* Returns the register of that name of at most four bytes; NULL if it is not one. */
static const struct isa_register_name *find_register(struct assembler *as, const char *text,
                                                     size_t length, uint32_t key)
{
    struct direct_register *recent =
        &as->direct.registers[key * UINT32_C(0x9e3779b9) >> 25 & (REGISTERS - 1)];

    if (recent->text == key)
        return recent->name;
    const struct meaning *meaning = word_get(&as->words, text, length)->meaning;
    const struct isa_register_name *name = meaning ? meaning->register_name : NULL;
    if (name)
        *recent = (struct direct_register){key, name};
    return name;
}

static bool add_token(struct reading *reading, enum token token)
{
    reading->last_is_value = token == TOKEN_REGISTER || token == TOKEN_NUMBER;
    reading->tokens |= (uint64_t)token << TOKEN_BITS * reading->token_count;
    return ++reading->token_count < TOKEN_LIMIT;
}

static bool add_value(struct reading *reading, enum token token, struct direct_value value)
{
    if (reading->value_count == OPERANDS || reading->last_is_value)
        return false;
    reading->values[reading->value_count++] = value;
    return add_token(reading, token);
}

/* Reads a register. Returns the end of its name; NULL if there is none. */
static const char *read_register(struct assembler *as, struct reading *reading, const char *text)
{
    const char *end = text;
    uint32_t key = 0;

    for (; cut_class(*end) & CUT_IN_WORD; end++)
        key = key << 8 | (unsigned char)*end;
    size_t length = (size_t)(end - text);
    const struct isa_register_name *name =
        length && length <= sizeof key ? find_register(as, text, length, key) : NULL;
    struct direct_value value = {.file = name ? name->file : NULL,
                                 .number = name ? name->number : 0};
    return name && add_value(reading, TOKEN_REGISTER, value) ? end : NULL;
}

/* Reads a number, perhaps with a sign. Returns its end; NULL if there is none. */
static const char *read_number(struct reading *reading, const char *text)
{
    bool negative = *text == '-';
    uint64_t number;
    const char *end = plain_number(text + negative, &number);

    if (!end || number > INT64_MAX)
        return NULL;
    struct direct_value value = {.number = negative ? -(int64_t)number : (int64_t)number};
    return add_value(reading, TOKEN_NUMBER, value) ? end : NULL;
}

static const char *read_punctuation(struct reading *reading, const char *text)
{
    enum token token = *text == ','   ? TOKEN_COMMA
                       : *text == '(' ? TOKEN_OPEN
                       : *text == ')' ? TOKEN_CLOSE
                                      : TOKEN_END;

    if (!token || !add_token(reading, token))
        return NULL;
    return token == TOKEN_COMMA ? cut_blanks(text + 1) : text + 1;
}

/* Reads operands up to `end`, which is not a part of a word. */
static bool read_operands(struct assembler *as, struct reading *reading, const char *text,
                          const char *end)
{
    while (text && text < end)
        text = *text == '-' || (*text >= '0' && *text <= '9') ? read_number(reading, text)
               : cut_class(*text) & CUT_IN_WORD               ? read_register(as, reading, text)
                                                              : read_punctuation(reading, text);
    return text;
}

/* ---- the forms of a shape ---- */

/* Finding the ways in which a form matches a shape. */
struct search {
    struct assembler *as;
    struct direct_shape *shape;
    const struct isa_form *form;
};

/* A state of it, which is copied where the syntax has a choice. */
struct way {
    unsigned syntax, token, value; /* the next of each */
    unsigned char values[OPERANDS];
};

static enum token token_at(const struct search *search, unsigned index)
{
    return search->shape->tokens >> TOKEN_BITS * index & ((1u << TOKEN_BITS) - 1);
}

static enum token literal_token(char literal)
{
    return literal == ','   ? TOKEN_COMMA
           : literal == '(' ? TOKEN_OPEN
           : literal == ')' ? TOKEN_CLOSE
                            : TOKEN_END;
}

static void add_form(const struct search *search, const struct isa_form *form,
                     const unsigned char *values)
{
    struct direct_shape *shape = search->shape;
    struct direct_form *last = &shape->forms[FORMS - 1];

    if (shape->count == FORMS) {
        last->form = NULL;
        return;
    }
    shape->forms[shape->count].form = form;
    memcpy(shape->forms[shape->count++].values, values, OPERANDS);
}

static bool steps_are_simple(const struct assembler *as, const struct isa_step *step)
{
    if (!isa_has(as->arch.enabled, &step->instruction->needs) ||
        step->instruction->constraint_count)
        return false;
    for (unsigned i = 0; i < step->instruction->operand_count; i++)
        if (step->arguments[i].kind != ISA_ARGUMENT_OPERAND &&
            step->arguments[i].kind != ISA_ARGUMENT_CONSTANT)
            return false;
    return true;
}

/* Do the instructions of the form depend on nothing but the values? */
static bool is_simple(const struct assembler *as, const struct isa_form *form)
{
    if (form->operand_count > OPERANDS)
        return false;
    if (!form->step_count)
        return !form->instruction->generic && !form->instruction->constraint_count;
    for (unsigned i = 0; i < form->step_count; i++)
        if (!steps_are_simple(as, &form->steps[i]))
            return false;
    return true;
}

/* May the operand be what the token stands for? Other operands than registers and numbers are the
 * parser's. */
static bool takes_token(const struct isa_operand *operand, enum token token, bool *known)
{
    enum isa_kind kind = operand->type->kind;
    bool is_number = kind == ISA_IMMEDIATE || kind == ISA_VALUE;

    *known = is_number || kind == ISA_REGISTER;
    if (token != TOKEN_NUMBER && token != TOKEN_REGISTER)
        return false;
    return !*known || is_number == (token == TOKEN_NUMBER);
}

static unsigned after_optional(const struct isa_form *form, unsigned syntax)
{
    while (form->syntax[syntax].kind != ISA_TOKEN_END_OPTIONAL)
        syntax++;
    return syntax + 1;
}

static void find_ways(const struct search *search, struct way way);

/* Goes on without the optional operands, which have their defaults. */
static void find_default(const struct search *search, struct way way)
{
    const struct isa_form *form = search->form;
    unsigned after = after_optional(form, way.syntax);

    for (; way.syntax < after; way.syntax++)
        if (form->syntax[way.syntax].kind == ISA_TOKEN_OPERAND)
            way.values[form->syntax[way.syntax].operand] = DEFAULT;
    find_ways(search, way);
}

/* Adds the form in each way in which it matches the rest of the shape. */
static void find_ways(const struct search *search, struct way way)
{
    const struct isa_form *form = search->form;

    for (; way.syntax < form->syntax_count; way.syntax++) {
        const struct isa_token *syntax = &form->syntax[way.syntax];
        enum token token = token_at(search, way.token);
        bool known;
        if (syntax->kind == ISA_TOKEN_OPTIONAL) {
            struct way with = way;
            with.syntax++;
            find_ways(search, with);
            find_default(search, way);
            return;
        }
        if (syntax->kind == ISA_TOKEN_END_OPTIONAL)
            continue;
        way.token++;
        if (syntax->kind == ISA_TOKEN_LITERAL) {
            if (syntax->literal == '(' && token == TOKEN_NUMBER) /* perhaps a 0 that is left out */
                add_form(search, NULL, way.values);
            if (token != literal_token(syntax->literal))
                return;
            continue;
        }
        if (!takes_token(&form->operands[syntax->operand], token, &known))
            return;
        if (!known) {
            add_form(search, NULL, way.values);
            return;
        }
        way.values[syntax->operand] = (unsigned char)way.value++;
    }
    if (token_at(search, way.token) == TOKEN_END)
        add_form(search, is_simple(search->as, form) ? form : NULL, way.values);
}

/* Finds the forms of the shape, in the order in which they are tried. */
static void find_forms(struct assembler *as, struct direct_shape *shape)
{
    const struct meaning *meaning = shape->word->meaning;

    for (size_t i = 0; i < meaning->form_count; i++) {
        struct search search = {.as = as, .shape = shape, .form = &meaning->forms[i]};
        if (isa_has(as->arch.enabled, &search.form->needs) && (!search.form->pic || as->mode.pic))
            find_ways(&search, (struct way){0});
    }
}

static const struct direct_shape *get_shape(struct assembler *as, const struct word *word,
                                            uint64_t tokens)
{
    uint64_t key = ((uintptr_t)word ^ tokens) * UINT64_C(0x9e3779b97f4a7c15);
    struct direct_shape *shape = &as->direct.shapes[key >> 57 & (SHAPES - 1)];

    if (shape->word == word && shape->tokens == tokens && shape->epoch == as->words.epoch)
        return shape;
    *shape = (struct direct_shape){.word = word, .tokens = tokens, .epoch = as->words.epoch};
    find_forms(as, shape);
    return shape;
}

/* ---- values ---- */

static bool takes_register(const struct isa_form *form, unsigned index, struct direct_value value)
{
    const struct isa_operand_type *type = form->operands[index].type;

    return (!type->file || type->file == value.file) && isa_is_register(type, value.number) &&
           (type->file || isa_fits(field_operand(form, index), value.number));
}

/* Accepts a number for a field, as match_immediate() does. */
static bool takes_number(const struct isa_form *form, unsigned index, int64_t *number)
{
    const struct isa_operand_type *type = form->operands[index].type;

    if (type->kind == ISA_VALUE)
        return isa_fits(&form->operands[index], *number);
    if (type->nonzero && !*number)
        return false;
    const struct isa_operand *field = field_operand(form, index);
    if (field->type->also_negative && *number < 0 &&
        *number >= -((int64_t)1 << (field->type->bits - 1)))
        *number &= (int64_t)((UINT64_C(1) << field->type->bits) - 1);
    return isa_fits(field, *number);
}

/* Accepts the values of the text as those of the form's operands. */
static bool take_values(const struct direct_form *direct, const struct reading *reading,
                        int64_t *values)
{
    const struct isa_form *form = direct->form;

    for (unsigned i = 0; i < form->operand_count; i++) {
        const struct isa_operand_type *type = form->operands[i].type;
        if (direct->values[i] == DEFAULT) {
            values[i] = type->default_value;
            continue;
        }
        struct direct_value value = reading->values[direct->values[i]];
        if (type->kind == ISA_REGISTER ? !takes_register(form, i, value)
                                       : !takes_number(form, i, &value.number))
            return false;
        values[i] = value.number;
    }
    return true;
}

static void init(struct assembler *as)
{
    as->direct.shapes = arena_array(as->arena, SHAPES, sizeof *as->direct.shapes);
    as->direct.registers = arena_array(as->arena, REGISTERS, sizeof *as->direct.registers);
}

bool direct_assemble(struct assembler *as, const struct word *word, const char *text, size_t length)
{
    const struct meaning *meaning = word->meaning;
    struct reading reading = {0};
    int64_t values[OPERANDS];

    if (!meaning || !meaning->forms || meaning->directive || word_works_on_text(meaning) ||
        !section_continues_code(as))
        return false;
    if (!as->direct.shapes)
        init(as);
    if (!read_operands(as, &reading, cut_blanks(text + word->length), text + length))
        return false;
    const struct direct_shape *shape = get_shape(as, word, reading.tokens);
    for (unsigned i = 0; i < shape->count; i++) {
        if (!shape->forms[i].form)
            return false;
        if (!take_values(&shape->forms[i], &reading, values))
            continue;
        instruction_assemble_values(as, shape->forms[i].form, values, text, length);
        return true;
    }
    return false;
}
