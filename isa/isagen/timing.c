/*
 * The time of instructions: `cycles`, `occupancy` and `resources`. They are C over the values of
 * operands, settings, pure functions and the accessors for them, either an expression or a body
 * that returns a value. Nothing in them changes the machine or reads its memory.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static struct spec_code read_code(struct spec *spec, const struct node *owner, const char *key)
{
    const struct node *node = node_get(owner, key);

    return (struct spec_code){node_text(&spec->context, node, key), node};
}

/* Reads `walk`, which needs an operand `row`, a row of the unit. */
static void read_walk(struct spec *spec, struct spec_instruction *instruction)
{
    static const char *const uses[] = {"begin", "take", "look"};
    const struct node *node = node_get(instruction->node, "walk");
    const char *text = node_text(&spec->context, node, "walk");
    int row = spec_operand_index(&instruction->operands, "row", 3);

    instruction->has_row = row >= 0;
    instruction->row = row >= 0 ? (size_t)row : 0;
    if (!text)
        return;
    for (unsigned i = 0; i < sizeof uses / sizeof *uses; i++)
        if (strcmp(text, uses[i]) == 0)
            instruction->walk = i + 1;
    if (!instruction->walk)
        diag_error(spec->diag, &node->at, "walk is '%s'; expected begin, take or look", text);
    else if (row < 0)
        diag_error(spec->diag, &node->at,
                   "'%s' has 'walk' and no operand 'row'; add the operand or remove 'walk'",
                   instruction->mnemonic);
}

void spec_read_time(struct spec *spec, struct spec_instruction *instruction)
{
    const struct node *node = instruction->node;

    read_walk(spec, instruction);
    instruction->waits = node_bool(&spec->context, node_get(node, "waits"), "waits", false);

    instruction->cycles = read_code(spec, node, "cycles");
    instruction->occupancy = read_code(spec, node, "occupancy");
}

void spec_read_resources(struct spec *spec, struct spec_unit *unit, const struct node *node)
{
    unit->resources = read_code(spec, node, "resources");
}

bool spec_is_statement(const struct spec_code *code)
{
    return spec_code_names(code, "return");
}

/* ---- settings ---- */

static bool is_token(const struct spec_code *code, const struct code_token *token, const char *name)
{
    return token->kind == CODE_NAME && token->length == strlen(name) &&
           memcmp(code->text + token->offset, name, token->length) == 0;
}

/* Checks the names of `setting(unit, key)` after the word itself. */
static void check_setting(struct spec *spec, const struct spec_code *code, size_t offset)
{
    const char *text = code->text;
    struct code_token open = spec_next_token(text, &offset), unit = spec_next_token(text, &offset),
                      comma = spec_next_token(text, &offset), key = spec_next_token(text, &offset);

    if (text[open.offset] != '(' || unit.kind != CODE_NAME || text[comma.offset] != ',' ||
        key.kind != CODE_NAME)
        return; /* the compiler reports it */
    const char *name = arena_copy(spec->arena, text + unit.offset, unit.length);
    const char *setting = arena_copy(spec->arena, text + key.offset, key.length);
    const struct spec_unit *found = map_get(&spec->units, name);
    if (!found)
        spec_code_error(spec, code, unit.offset, unit.length,
                        arena_format(spec->arena, "unknown unit '%s'%s", name,
                                     node_suggest(&spec->context, &spec->units, name)));
    else if (!map_get(&found->settings, setting))
        spec_code_error(spec, code, key.offset, key.length,
                        arena_format(spec->arena, "'%s' is not a setting of '%s'%s", setting, name,
                                     node_suggest(&spec->context, &found->settings, setting)));
}

const char *spec_setting_word(const struct spec *spec, const struct spec_setting *setting,
                              size_t index)
{
    const char *words = arena_format(spec->arena, SPEC_SETTING_PREFIX "%s_%s_%s",
                                     setting->unit->name, setting->key, setting->words[index]);
    char *name = arena_string(spec->arena, words);

    for (char *c = name; *c; c++)
        *c = (char)(*c == '-' ? '_' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    return name;
}

/* Checks that there is the value of a setting, ISA_SETTING_UNIT_KEY_WORD. */
static void check_word(struct spec *spec, const struct spec_code *code,
                       const struct code_token *token)
{
    const char *word = arena_copy(spec->arena, code->text + token->offset, token->length);
    struct suggestion near;

    suggest_init(&near, word);
    for (size_t i = 0; i < spec->units.count; i++) {
        const struct map *settings = &SPEC_AT(spec->units, i, struct spec_unit)->settings;
        for (size_t k = 0; k < settings->count; k++) {
            const struct spec_setting *setting = SPEC_AT(*settings, k, struct spec_setting);
            for (size_t w = 0; w < setting->word_count; w++) {
                const char *name = spec_setting_word(spec, setting, w);
                if (strcmp(name, word) == 0)
                    return;
                suggest_add(&near, name);
            }
        }
    }
    spec_code_error(spec, code, token->offset, token->length,
                    arena_format(spec->arena, "'%s' is not a value of a setting%s", word,
                                 node_near(&spec->context, &near, "")));
}

/* Checks all settings that the code names. Only `cycles` and `occupancy` may name what there is for
 * them alone. */
static void check_settings(struct spec *spec, const struct spec_code *code, bool is_time)
{
    size_t offset = 0;

    while (code->text) {
        struct code_token token = spec_next_token(code->text, &offset);
        const char *name = code->text + token.offset;
        if (token.kind == CODE_END)
            return;
        if (token.kind != CODE_NAME)
            continue;
        if (is_token(code, &token, "setting"))
            check_setting(spec, code, offset);
        if (strncmp(name, SPEC_SETTING_PREFIX, sizeof SPEC_SETTING_PREFIX - 1) == 0)
            check_word(spec, code, &token);
        const struct spec_accessor *accessor = spec_find_accessor(spec, name, token.length);
        if (!is_time && accessor && accessor->timing == SPEC_TIMING_ONLY &&
            spec_is_called(code->text, &token))
            spec_code_error(
                spec, code, token.offset, token.length,
                arena_format(spec->arena,
                             "'%s' is only for 'cycles' and 'occupancy'; in a function, take its "
                             "value as an argument",
                             accessor->name));
    }
}

/* ---- what time may depend on ---- */

static const char impure[] = "; the time of an instruction depends on operands, settings and "
                             "functions of these";

/* Returns an accessor in the code that no time may depend on. NULL: there is none. */
static const struct spec_accessor *find_impure_in(const struct spec *spec,
                                                  const struct spec_code *code)
{
    struct scope scope;
    size_t offset = 0;

    scope_init(&scope, spec);
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return NULL;
        if (scope_follow(&scope, code->text, &token))
            continue;
        const struct spec_accessor *accessor =
            spec_find_accessor(spec, code->text + token.offset, token.length);
        if (accessor && accessor->timing == SPEC_TIMING_NONE &&
            (!accessor->is_called || spec_is_called(code->text, &token)))
            return accessor;
    }
}

/* The same for a function and all that it calls. */
static const struct spec_accessor *find_impure(const struct spec *spec,
                                               const struct spec_function *function)
{
    const struct spec_accessor *found = find_impure_in(spec, &function->semantics);
    const struct spec_used used = spec_used_functions(spec, &function->semantics);

    for (size_t i = 0; !found && i < used.count; i++)
        found = find_impure_in(spec, &used.items[i]->semantics);
    return found;
}

static void check_operand(struct spec *spec, const struct spec_code *code,
                          const struct code_token *token, const struct spec_operand *operand,
                          const char *what)
{
    const struct spec_operand_type *type = operand->type;
    bool is_register = type->kind == ISA_REGISTER || type->kind == ISA_REGISTER_GROUP;
    const char *problem = is_register && !(type->access & ISA_READ) ? "the instruction only writes"
                          : type->kind == ISA_REGISTER_GROUP || type->view_count > 1
                              ? "is more than one number"
                              : NULL;

    if (problem)
        spec_code_error(spec, code, token->offset, token->length,
                        arena_format(spec->arena,
                                     "%s names '%s', which %s; expected an operand with a value "
                                     "that is known before",
                                     what, operand->name, problem));
}

/* Checks a name that is neither a word of C nor a variable of the code. */
static void check_name(struct spec *spec, const struct spec_instruction *instruction,
                       const struct spec_code *code, const struct code_token *token,
                       const char *what)
{
    const char *name = code->text + token->offset;
    int index = instruction ? spec_operand_index(&instruction->operands, name, token->length) : -1;
    const struct spec_accessor *accessor = spec_find_accessor(spec, name, token->length);
    const struct spec_function *function = map_get_bytes(&spec->functions, name, token->length);
    const struct spec_accessor *cause = function && !accessor ? find_impure(spec, function) : NULL;

    if (index >= 0)
        check_operand(spec, code, token, &instruction->operands.items[index], what);
    else if (instruction && spec_find_element_name(&instruction->elements, name, token->length))
        return;
    else if (accessor && (accessor->timing == SPEC_TIMING_NONE ||
                          (accessor->timing == SPEC_TIMING_ONLY && !instruction)))
        spec_code_error(spec, code, token->offset, token->length,
                        arena_format(spec->arena, "%s names '%s'%s", what, accessor->name, impure));
    else if (cause)
        spec_code_error(spec, code, token->offset, token->length,
                        arena_format(spec->arena, "%s calls '%s', which uses '%s'%s", what,
                                     function->name, cause->name, impure));
    else if (function && strcmp(function->returns, "void") == 0)
        spec_code_error(
            spec, code, token->offset, token->length,
            arena_format(spec->arena, "%s calls '%s', which has no value", what, function->name));
    else if (!accessor && !function)
        spec_report_name(spec, code, token, what);
}

/* Checks the names in an expression or body. `instruction` is NULL for `resources`. */
static void check_names(struct spec *spec, const struct spec_instruction *instruction,
                        const struct spec_code *code, const char *key, const char *owner)
{
    const char *what = arena_format(spec->arena, "'%s' of '%s'", key, owner);
    struct scope scope;
    size_t offset = 0;

    if (!code->text || !spec_check_code(spec, code, what))
        return;
    scope_init(&scope, spec);
    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            break;
        if (!scope_follow(&scope, code->text, &token))
            check_name(spec, instruction, code, &token, what);
        if (instruction && code == &instruction->cycles && is_token(code, &token, "cycles"))
            spec_code_error(spec, code, token.offset, token.length,
                            arena_format(spec->arena, "%s depends on itself", what));
        if (instruction && instruction->timing && !instruction->timing->latency &&
            is_token(code, &token, "latency"))
            spec_code_error(spec, code, token.offset, token.length,
                            arena_format(spec->arena,
                                         "%s names the latency of class '%s', which has none; add "
                                         "'latency' to the class, or write the number of cycles",
                                         what, instruction->timing->name));
    }
    check_settings(spec, code, true);
    spec_check_length(spec, code, what);
    const struct spec_used used = spec_used_functions(spec, code);
    for (size_t i = 0; i < used.count; i++)
        ((struct spec_function *)used.items[i])->in_time = true;
}

static void check_instruction(struct spec *spec, const struct spec_instruction *instruction)
{
    const struct node *node = instruction->node;

    check_names(spec, instruction, &instruction->cycles, "cycles", instruction->mnemonic);
    check_names(spec, instruction, &instruction->occupancy, "occupancy", instruction->mnemonic);
    if (instruction->occupancy.text && !instruction->cycles.text)
        diag_error(spec->diag, &node_get(node, "occupancy")->at,
                   "'%s' has an occupancy and no 'cycles'; add them", instruction->mnemonic);
    if (instruction->timing && !instruction->timing->latency && !instruction->cycles.text) {
        diag_error(spec->diag, &instruction->at,
                   "'%s' has no 'cycles', and its class '%s' no latency; add one of them",
                   instruction->mnemonic, instruction->timing->name);
        diag_note(spec->diag, &instruction->timing->at, "the class is here");
    }
    if (instruction->effects & ISA_EFFECT_WALK && !instruction->walk)
        diag_error(spec->diag, &instruction->at,
                   "'%s' follows a walk, so its time depends on the walk; add 'walk: take' or "
                   "'walk: look', and name the operand of the row 'row'",
                   instruction->mnemonic);
    const struct spec_unit *unit =
        instruction->walk && instruction->unit ? map_get(&spec->units, instruction->unit) : NULL;
    if (unit && unit->resources.text)
        diag_error(spec->diag, &node_get(node, "walk")->at,
                   "'%s' walks, which the scalar core does, but the unit '%s' with 'resources' "
                   "executes it; add 'unit: none', or remove 'walk'",
                   instruction->mnemonic, unit->name);
}

/* Returns the setting if the code is nothing but `setting(unit, key)`; else NULL. */
static const struct spec_setting *only_setting(const struct spec *spec,
                                               const struct spec_code *code)
{
    size_t offset = 0;
    const char *names[2] = {NULL, NULL};
    struct code_token tokens[7];

    for (size_t i = 0; i < 7; i++)
        tokens[i] = spec_next_token(code->text, &offset);
    if (!is_token(code, &tokens[0], "setting") || tokens[2].kind != CODE_NAME ||
        tokens[4].kind != CODE_NAME || tokens[6].kind != CODE_END)
        return NULL;
    for (size_t i = 0; i < 2; i++)
        names[i] = arena_copy(spec->arena, code->text + tokens[2 + 2 * i].offset,
                              tokens[2 + 2 * i].length);
    const struct spec_unit *unit = map_get(&spec->units, names[0]);
    return unit ? map_get(&unit->settings, names[1]) : NULL;
}

/* A unit that executes no instruction at once would never take one. */
static void check_resources(struct spec *spec, const struct spec_unit *unit)
{
    const struct spec_code *code = &unit->resources;
    const struct spec_setting *setting;
    uint64_t value;

    check_names(spec, NULL, code, "resources", unit->name);
    if (!code->text)
        return;
    setting = only_setting(spec, code);
    if (node_parse_unsigned(code->text, &value) && value == 0)
        diag_error(spec->diag, &code->node->at,
                   "'resources' of '%s' is 0; expected at least 1, or no 'resources' for a part of "
                   "the scalar core",
                   unit->name);
    else if (setting && setting->type != SPEC_SETTING_WORD && setting->minimum == 0)
        diag_error(spec->diag, &code->node->at,
                   "'resources' of '%s' may be 0, as the setting '%s' may; give it 'minimum: 1'",
                   unit->name, setting->key);
}

void spec_check_time(struct spec *spec)
{
    for (size_t i = 0; i < spec->units.count; i++)
        check_resources(spec, SPEC_AT(spec->units, i, struct spec_unit));
    for (size_t i = 0; i < spec->functions.count; i++)
        check_settings(spec, &SPEC_AT(spec->functions, i, struct spec_function)->semantics, false);
    for (size_t i = 0; i < spec->csrs.count; i++) {
        check_settings(spec, &SPEC_AT(spec->csrs, i, struct spec_csr)->read, false);
        check_settings(spec, &SPEC_AT(spec->csrs, i, struct spec_csr)->write, false);
    }
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->broken || instruction->compressed)
            continue;
        check_settings(spec, &instruction->semantics, false);
        check_instruction(spec, instruction);
        if (instruction->unit && !map_get(&spec->units, instruction->unit))
            diag_error(spec->diag, &node_get(instruction->node, "unit")->at, "unknown unit '%s'%s",
                       instruction->unit,
                       node_suggest(&spec->context, &spec->units, instruction->unit));
        const struct spec_used used = spec_used_functions(spec, &instruction->semantics);
        for (size_t k = 0; instruction->semantics.text && k < used.count; k++)
            ((struct spec_function *)used.items[k])->in_meaning = true;
    }
}
