/*
 * The `instructions` section: reads operands, encoding, syntax, body and the texts of the manual
 * into a struct for each instruction.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

static void read_operand(struct spec *spec, struct spec_instruction *instruction,
                         const struct node *key, const struct node *node)
{
    const char *name = node_text(&spec->context, node, key->text);
    const struct spec_operand_type *type = name ? map_get(&spec->operand_types, name) : NULL;

    if (!node_is_name(key->text, false) || spec_is_body_word(spec, key->text)) {
        diag_error(spec->diag, &key->at, "'%s' cannot name an operand: %s; choose another name",
                   key->text,
                   spec_is_body_word(spec, key->text) ? "it means something else in a body"
                                                      : "it is not a C name");
        return;
    }
    if (!type) {
        if (name)
            diag_error(spec->diag, &node->at, "unknown operand type '%s'%s", name,
                       node_suggest(&spec->context, &spec->operand_types, name));
        return;
    }
    if (type->generic && !instruction->generic) {
        diag_error(spec->diag, &node->at,
                   "operand type '%s' is for forms of .insn; an instruction has registers of one "
                   "file and an opcode of its own",
                   name);
        return;
    }
    if (!map_get(&spec->field_names, key->text))
        map_set(&spec->field_names, key->text, instruction);
    instruction->operands.items[instruction->operands.count++] =
        (struct spec_operand){.name = key->text, .at = key->at, .type = type};
}

/* Chooses where the decoded record holds each operand. */
static void assign_slots(struct spec *spec, struct spec_instruction *instruction)
{
    unsigned registers = 0, immediates = 0;

    for (size_t i = 0; i < instruction->operands.count; i++) {
        struct spec_operand *operand = &instruction->operands.items[i];
        const struct spec_operand_type *type = operand->type;
        bool wide =
            type->kind == ISA_IMMEDIATE || type->kind == ISA_TARGET || type->kind == ISA_CSR;
        bool small = type->kind == ISA_IMMEDIATE && !type->is_signed && type->bits <= 8;
        operand->slot = wide && !(immediates == ISA_IMM_SLOTS && small) ? ISA_SLOT_IMM : ISA_SLOT_R;
        operand->slot_index = operand->slot == ISA_SLOT_IMM ? immediates++ : registers++;
        if (immediates > ISA_IMM_SLOTS) {
            diag_error(spec->diag, &operand->at,
                       "'%s' is a third wide immediate of '%s'; a decoded record holds %d, and "
                       "further immediates of up to 8 unsigned bits",
                       operand->name, instruction->mnemonic, ISA_IMM_SLOTS);
            return;
        }
        if (registers > ISA_R_SLOTS) {
            diag_error(spec->diag, &operand->at,
                       "'%s' is one operand too many; a decoded record holds %d", operand->name,
                       ISA_R_SLOTS);
            return;
        }
    }
}

void spec_read_operands(struct spec *spec, struct spec_instruction *instruction,
                        const struct node *node)
{
    if (!node || !node_expect(&spec->context, node, NODE_MAPPING, "operands"))
        return;
    instruction->operands.items =
        arena_array(spec->arena, node->count, sizeof(struct spec_operand));
    for (size_t i = 0; i < node->count; i++)
        read_operand(spec, instruction, node->items[2 * i], node->items[2 * i + 1]);
}

void spec_read_syntax(struct spec *spec, struct spec_instruction *instruction,
                      const struct node *node)
{
    if (!node) {
        if (instruction->operands.count)
            diag_error(spec->diag, &instruction->at, "'%s' has operands and no 'syntax'; add it",
                       instruction->mnemonic);
        return;
    }
    if (!node_expect(&spec->context, node, NODE_SCALAR, "syntax") ||
        !spec_parse_syntax(spec, &instruction->syntax, node, 0, &instruction->operands, false))
        return;
    for (size_t i = 0; i < instruction->operands.count; i++) {
        const struct spec_operand *operand = &instruction->operands.items[i];
        bool found = false;
        for (size_t k = 0; k < instruction->syntax.count; k++)
            found |= instruction->syntax.tokens[k].kind == ISA_TOKEN_OPERAND &&
                     instruction->syntax.tokens[k].operand == i;
        if (!found)
            diag_error(spec->diag, &node->at,
                       "operand '%s' is missing from the syntax of '%s'; name each operand once",
                       operand->name, instruction->mnemonic);
    }
}

static void read_constraints(struct spec *spec, struct spec_instruction *instruction,
                             const struct node *node)
{
    static const char *const keys[] = {"require!", "message!", NULL};

    if (!node || !node_expect(&spec->context, node, NODE_SEQUENCE, "constraints"))
        return;
    instruction->constraints =
        arena_array(spec->arena, node->count, sizeof *instruction->constraints);
    for (size_t i = 0; i < node->count; i++) {
        if (!node_check_keys(&spec->context, node->items[i], "constraint", keys))
            continue;
        const struct node *require = node_get(node->items[i], "require");
        const char *text = node_text(&spec->context, require, "require");
        const char *message =
            node_text(&spec->context, node_get(node->items[i], "message"), "message");
        if (text && message)
            instruction->constraints[instruction->constraint_count++] =
                (struct spec_constraint){.require = {text, require}, .message = message};
    }
}

/* Makes a name for generated C: fadd.s -> fadd_s. Two mnemonics may not have the same one. */
static const char *mangle(struct spec *spec, const struct node *key, const char *mnemonic)
{
    char *mangled = arena_string(spec->arena, mnemonic);

    for (char *c = mangled; *c; c++)
        *c = *c == '.' ? '_' : (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *other =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (strcmp(other->mangled, mangled) == 0) {
            diag_error(spec->diag, &key->at,
                       "'%s' and '%s' have the same name in generated code, '%s'; rename one",
                       mnemonic, other->mnemonic, mangled);
            diag_note(spec->diag, &other->at, "the other one is here");
        }
    }
    return mangled;
}

/* Reports an example that shows a different instruction, which is usually a copy that was not
 * changed. */
static void check_example(struct spec *spec, const struct spec_instruction *instruction,
                          const struct node *node)
{
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._";
    size_t length = strlen(instruction->mnemonic);

    for (const char *at = instruction->example; at && *at; at += strcspn(at, word)) {
        size_t span = strspn(at, word);
        if (span == length && memcmp(at, instruction->mnemonic, length) == 0)
            return;
        at += span;
    }
    if (instruction->example)
        diag_error(spec->diag, &node->at, "the example does not show '%s'", instruction->mnemonic);
}

static void read_class(struct spec *spec, struct spec_instruction *instruction,
                       const struct node *node)
{
    const char *name = node_text(&spec->context, node, "class"), *near;

    instruction->timing = name ? map_get(&spec->classes, name) : NULL;
    if (!name || instruction->timing)
        return;
    near = node_suggest(&spec->context, &spec->classes, name);
    diag_error(spec->diag, &node->at, "unknown timing class '%s'%s", name,
               *near ? near : "; declare it in the section 'classes'");
}

/* Returns the name of the unit that executes the instruction: the only one of the file, unless it
 * says otherwise. NULL: the scalar core. */
static const char *read_unit(struct spec *spec, const struct spec_file *file,
                             const struct spec_instruction *instruction)
{
    const struct node *node = node_get(instruction->node, "unit"),
                      *units = node_get(file->root, "units");
    const char *name = node ? node_text(&spec->context, node, "unit") : NULL;

    if (node)
        return name && strcmp(name, SPEC_NO_UNIT) == 0 ? NULL : name;
    if (!units || units->kind != NODE_MAPPING || units->count != 1)
        return NULL;
    return map_get(&spec->units, units->items[0]->text) ? units->items[0]->text : NULL;
}

static void read_fast(struct spec *spec, struct spec_instruction *instruction)
{
    static const char word[] = "inline ";
    const struct node *node = node_get(instruction->node, "fast");
    const char *text = node_text(&spec->context, node, "fast");

    instruction->fast = text;
    if (!text)
        return;
    instruction->fast_is_inline = strncmp(text, word, sizeof word - 1) == 0;
    instruction->fast += instruction->fast_is_inline ? sizeof word - 1 : 0;
    if (!node_is_name(instruction->fast, false))
        diag_error(spec->diag, &node->at,
                   "'%s' is not a C function; expected its name, or 'inline' and its name",
                   instruction->fast);
    else if (!instruction->unit)
        diag_error(spec->diag, &node->at,
                   "'%s' has a fast function and no 'unit'; add the unit whose state it takes",
                   instruction->mnemonic);
}

static void read_body(struct spec *spec, const struct spec_file *file,
                      struct spec_instruction *instruction, const struct node *node)
{
    instruction->semantics.text = node_text(&spec->context, node, "semantics");
    instruction->semantics.node = node;
    instruction->ignores = node_get(instruction->node, "ignores");
    if (instruction->ignores)
        node_expect(&spec->context, instruction->ignores, NODE_SEQUENCE, "ignores");
    instruction->unit = read_unit(spec, file, instruction);
    read_fast(spec, instruction);
}

/* Returns the example of a variant: that of the instruction, with the mnemonic of the variant. */
static const char *variant_example(struct spec *spec, const char *example, const char *from,
                                   const char *to)
{
    const char *at = example ? strstr(example, from) : NULL;

    return at ? arena_format(spec->arena, "%.*s%s%s", (int)(at - example), example, to,
                             at + strlen(from))
              : example;
}

/* Returns a text of the entry with the names of element types replaced. */
static const char *read_text(struct spec *spec, const struct spec_instruction *instruction,
                             const char *key)
{
    return spec_name_elements(spec, &instruction->elements,
                              node_text(&spec->context, node_get(instruction->node, key), key));
}

static void read_texts_of(struct spec *spec, const struct spec_file *file,
                          struct spec_instruction *instruction, const char *base)
{
    const struct node *node = instruction->node;
    const char *kind = node_text(
        &spec->context, instruction->variant ? node_get(instruction->variant, "summary") : NULL,
        "summary");

    instruction->summary = read_text(spec, instruction, "summary");
    instruction->privileged =
        node_bool(&spec->context, node_get(instruction->node, "privileged"), "privileged", false);
    if (kind && instruction->summary)
        instruction->summary = arena_format(spec->arena, "%s, %s", instruction->summary, kind);
    instruction->description = read_text(spec, instruction, "description");
    instruction->source = read_text(spec, instruction, "source");
    instruction->example = read_text(spec, instruction, "example");
    if (instruction->variant)
        instruction->example =
            variant_example(spec, instruction->example, base, instruction->mnemonic);
    check_example(spec, instruction, node_get(node, "example"));
    if (!instruction->source)
        instruction->source = file->source;
}

/* Reads one instruction. `variant`: the field values and words that distinguish a variant; NULL for
 * the instruction itself. `elements`: the element types that its names stand for. */
static struct spec_instruction *read_instruction(struct spec *spec, const struct spec_file *file,
                                                 const struct node *key, const char *mnemonic,
                                                 const struct node *node,
                                                 const struct node *variant,
                                                 struct spec_choice elements)
{
    struct spec_instruction *instruction = arena_new(spec->arena, struct spec_instruction);

    instruction->mnemonic = mnemonic;
    instruction->mangled = mangle(spec, key, mnemonic);
    instruction->at = key->at;
    instruction->node = node;
    instruction->variant = variant;
    instruction->elements = elements;
    instruction->extension = file->extension;
    instruction->needs = spec_read_needs(spec, file, node_get(node, "needs"));
    read_texts_of(spec, file, instruction, variant ? key->text : mnemonic);

    unsigned errors = spec->diag->errors;
    spec_read_operands(spec, instruction, node_get(node, "operands"));
    assign_slots(spec, instruction);
    instruction->broken = spec->diag->errors != errors;
    if (!instruction->broken) {
        spec_read_encoding(spec, instruction, node_get(node, "encoding"));
        spec_read_syntax(spec, instruction, node_get(node, "syntax"));
    }
    read_class(spec, instruction, node_get(node, "class"));
    read_constraints(spec, instruction, node_get(node, "constraints"));
    read_body(spec, file, instruction, node_get(node, "semantics"));
    spec_read_roles(spec, instruction);
    spec_read_time(spec, instruction);
    instruction->relax = node_get(node, "relax");
    instruction->only_64 = node_bool(&spec->context, node_get(node, "only_64"), "only_64", false);
    instruction->index = (unsigned)spec->instructions.count;
    map_set(&spec->instructions, instruction->mnemonic, instruction);
    return instruction;
}

/* Checks that the mnemonic is valid and new. */
static bool check_mnemonic(struct spec *spec, const struct node *key, const char *mnemonic)
{
    const struct spec_instruction *first = map_get(&spec->instructions, mnemonic);

    if (!node_is_name(mnemonic, true)) {
        diag_error(spec->diag, &key->at,
                   "'%s' is not a mnemonic; expected letters, digits, '.' and '_'", mnemonic);
    } else if (first) {
        diag_error(spec->diag, &key->at, "a second instruction '%s'; rename or remove one",
                   mnemonic);
        diag_note(spec->diag, &first->at, "first here");
    } else {
        return true;
    }
    return false;
}

struct spec_instruction *spec_read_instruction(struct spec *spec, const struct spec_file *file,
                                               const struct node *key, const struct node *node)
{
    return check_mnemonic(spec, key, key->text)
               ? read_instruction(spec, file, key, key->text, node, NULL, (struct spec_choice){0})
               : NULL;
}

unsigned spec_begin_again(struct spec *spec, bool is_again)
{
    spec->diag->quiet = is_again;
    return spec->diag->errors;
}

bool spec_end_again(struct spec *spec, bool is_again, unsigned errors)
{
    bool has_errors = is_again || spec->diag->errors != errors;

    spec->diag->quiet = false;
    if (is_again)
        spec->diag->errors = errors;
    return has_errors;
}

/* Reads the variants of an instruction, which has mistakes if `is_wrong`. */
static void read_variants(struct spec *spec, const struct spec_file *file, const struct node *key,
                          const struct node *node, bool is_wrong)
{
    const struct node *variants = node_get(node, "variants");

    if (!variants || !node_expect(&spec->context, variants, NODE_MAPPING, "variants"))
        return;
    for (size_t i = 0; i < variants->count; i++) {
        const struct node *suffix = variants->items[2 * i], *values = variants->items[2 * i + 1];
        const char *mnemonic = arena_format(spec->arena, "%s%s", key->text, suffix->text);
        if (!node_expect(&spec->context, values, NODE_MAPPING, "a variant") ||
            !check_mnemonic(spec, suffix, mnemonic))
            continue;
        unsigned errors = spec_begin_again(spec, is_wrong);
        read_instruction(spec, file, key, mnemonic, node, values, (struct spec_choice){0});
        is_wrong = spec_end_again(spec, is_wrong, errors);
    }
}

/* Reads one instruction for each choice of element types. */
static void read_elements(struct spec *spec, const struct spec_file *file, const struct node *key,
                          const struct node *node)
{
    const struct node *variants = node_get(node, "variants");
    bool is_wrong = false;
    struct spec_choices choices =
        spec_read_element_names(spec, node_get(node, "elements"), node_get(node, "operands"));

    if (variants)
        diag_error(spec->diag, &variants->at,
                   "'%s' has both 'variants' and 'elements'; write one of them", key->text);
    for (size_t i = 0; !variants && i < choices.count; i++) {
        const char *mnemonic = spec_name_elements(spec, &choices.items[i], key->text);
        if (!check_mnemonic(spec, key, mnemonic))
            continue;
        unsigned errors = spec_begin_again(spec, is_wrong);
        read_instruction(spec, file, key, mnemonic, node, NULL, choices.items[i]);
        is_wrong = spec_end_again(spec, is_wrong, errors);
    }
}

void spec_read_instructions(struct spec *spec, const struct spec_file *file,
                            const struct node *section)
{
    static const char *const keys[] = {
        "summary!",  "encoding!", "operands",    "syntax",      "class!",  "relax",    "semantics!",
        "ignores",   "source",    "description", "constraints", "example", "variants", "elements",
        "needs",     "refines",   "only_64",     "privileged",  "fast",    "unit",     "cycles",
        "occupancy", "walk",      "waits",       "sizes",       "inputs",  "outputs",  "strides",
        "steps",     "shape",     NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "instruction '%s'", key->text);
        if (!node_check_keys(&spec->context, node, what, keys))
            continue;
        if (node_get(node, "elements"))
            read_elements(spec, file, key, node);
        else if (check_mnemonic(spec, key, key->text)) {
            unsigned errors = spec->diag->errors;
            read_instruction(spec, file, key, key->text, node, NULL, (struct spec_choice){0});
            read_variants(spec, file, key, node, spec->diag->errors != errors);
        }
    }
}

/* ---- relaxation ---- */

static struct spec_instruction *find_named(struct spec *spec, const struct node *relax,
                                           const char *key)
{
    const struct node *node = node_get(relax, key);
    const char *name = node_text(&spec->context, node, key);
    struct spec_instruction *found = name ? map_get(&spec->instructions, name) : NULL;

    if (name && !found)
        diag_error(spec->diag, &node->at, "unknown instruction '%s'%s", name,
                   node_suggest(&spec->context, &spec->instructions, name));
    return found;
}

static const struct spec_operand *target_of(const struct spec_instruction *instruction)
{
    for (size_t i = 0; i < instruction->operands.count; i++)
        if (instruction->operands.items[i].type->kind == ISA_TARGET)
            return &instruction->operands.items[i];
    return NULL;
}

static bool same_operands(const struct spec_operands *left, const struct spec_operands *right)
{
    if (left->count != right->count)
        return false;
    for (size_t i = 0; i < left->count; i++)
        if (strcmp(left->items[i].name, right->items[i].name) ||
            left->items[i].type != right->items[i].type)
            return false;
    return true;
}

static void check_relaxation(struct spec *spec, struct spec_instruction *instruction)
{
    static const char *const keys[] = {"inverse!", "jump!", NULL};
    const struct node *relax = instruction->relax;

    if (!node_check_keys(&spec->context, relax, "relax", keys))
        return;
    instruction->inverse = find_named(spec, relax, "inverse");
    instruction->jump = find_named(spec, relax, "jump");
    const struct spec_operand *target = target_of(instruction);
    if (!target) {
        diag_error(spec->diag, &relax->at, "'%s' has no operand of kind 'target' to relax",
                   instruction->mnemonic);
        return;
    }
    if (instruction->inverse &&
        !same_operands(&instruction->operands, &instruction->inverse->operands)) {
        diag_error(spec->diag, &node_get(relax, "inverse")->at,
                   "'%s' cannot be the inverse of '%s': it has other operands; expected the same "
                   "names and types",
                   instruction->inverse->mnemonic, instruction->mnemonic);
        diag_note(spec->diag, &instruction->inverse->at, "'%s' is here",
                  instruction->inverse->mnemonic);
    }
    const struct spec_operand *reach = instruction->jump ? target_of(instruction->jump) : NULL;
    if (instruction->jump && (!reach || reach->type->bits <= target->type->bits))
        diag_error(spec->diag, &node_get(relax, "jump")->at,
                   "'%s' does not reach further than '%s'; expected a longer jump",
                   instruction->jump->mnemonic, instruction->mnemonic);
}

void spec_check_relaxation(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->relax)
            check_relaxation(spec, instruction);
    }
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->inverse && instruction->inverse->inverse != instruction)
            diag_error(spec->diag, &node_get(instruction->relax, "inverse")->at,
                       "'%s' is the inverse of '%s', but not the other way round",
                       instruction->inverse->mnemonic, instruction->mnemonic);
    }
}
