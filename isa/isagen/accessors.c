/*
 * The `accessors` section: what a body may use besides its operands, and the effects of its use.
 * This is the only list of accessors. The effects of an instruction, the end of a basic block, and
 * what may be part of a superinstruction or of a loop all follow from the accessors that the body
 * names.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

/* In the order of the bits of enum isa_effect. */
static const char *const effect_names[] = {
    "load", "store", "trap", "flow", "csr", "float", "unit", "walk", "code", NULL,
};

static unsigned read_effect(struct spec *spec, const struct node *node)
{
    int index = node_word(&spec->context, node, "effect", effect_names);

    return index < 0 ? 0 : 1u << index;
}

static unsigned read_effects(struct spec *spec, const struct node *node)
{
    unsigned effects = 0;

    if (!node || !node_expect(&spec->context, node, NODE_SEQUENCE, "effects"))
        return 0;
    for (size_t i = 0; i < node->count; i++)
        effects |= read_effect(spec, node->items[i]);
    return effects;
}

static void read_argument(struct spec *spec, struct spec_accessor *accessor, const struct node *key,
                          const struct node *node)
{
    static const struct {
        const char *word;
        enum spec_argument_kind kind;
    } kinds[] = {{"type", SPEC_TYPE},        {"operand", SPEC_OPERAND}, {"name", SPEC_NAME},
                 {"trap", SPEC_TRAP},        {"update", SPEC_UPDATE},   {"values", SPEC_VALUES},
                 {"state", SPEC_STATE_NAME}, {"counter", SPEC_COUNTER}};
    const char *type = node_text(&spec->context, node, key->text);

    if (!type)
        return;
    if (accessor->argument_count == SPEC_ACCESSOR_ARGUMENTS) {
        diag_error(spec->diag, &key->at, "accessor '%s' has more than %d arguments", accessor->name,
                   SPEC_ACCESSOR_ARGUMENTS);
        return;
    }
    struct spec_argument argument = {key->text, NULL, SPEC_VALUE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].word, type) == 0)
            argument.kind = kinds[i].kind;
    if (argument.kind == SPEC_TYPE && accessor->argument_count)
        argument.kind = SPEC_OF_TYPE;
    if (argument.kind == SPEC_VALUE)
        argument.c_type = spec_read_type(spec, node, "type of an argument");
    accessor->arguments[accessor->argument_count++] = argument;
}

/* Returns the C type of the accessor's value; NULL where it is the type that is an argument. */
static const char *read_result(struct spec *spec, const struct node *node)
{
    const char *text = node ? node_text(&spec->context, node, "returns") : NULL;

    if (!text)
        return "void";
    if (strcmp(text, "noreturn") == 0)
        return "_Noreturn void";
    return strcmp(text, "type") == 0 ? NULL : spec_read_type(spec, node, "returns");
}

static void read_arguments(struct spec *spec, struct spec_accessor *accessor,
                           const struct node *arguments)
{
    if (!arguments || !node_expect(&spec->context, arguments, NODE_MAPPING, "arguments"))
        return;
    accessor->is_called = true;
    for (size_t i = 0; i < arguments->count; i++)
        read_argument(spec, accessor, arguments->items[2 * i], arguments->items[2 * i + 1]);
}

/* Reads the traps of an accessor: names, each maybe with a note in parentheses. */
static void read_traps(struct spec *spec, struct spec_accessor *accessor, const struct node *node)
{
    size_t count;
    const char **texts = spec_read_texts(spec, node, "traps", &count);

    accessor->traps = arena_array(spec->arena, count, sizeof *accessor->traps);
    for (size_t i = 0; i < count; i++) {
        const char *text = texts[i];
        size_t length = strcspn(text, " ");
        const struct spec_trap *trap = map_get_bytes(&spec->traps, text, length);
        if (trap)
            accessor->traps[accessor->trap_count++] =
                (struct spec_raised){.trap = trap, .note = text + length};
        else
            diag_error(
                spec->diag, &node->items[i]->at, "'%.*s' is not a trap%s", (int)length, text,
                node_suggest(&spec->context, &spec->traps, arena_copy(spec->arena, text, length)));
    }
}

/* May `cycles` and `occupancy` use it? */
static unsigned read_timing(struct spec *spec, const struct node *node)
{
    const char *text = node ? node_text(&spec->context, node, "timing") : NULL;

    if (!text)
        return SPEC_TIMING_NONE;
    if (strcmp(text, "also") == 0)
        return SPEC_TIMING_ALSO;
    if (strcmp(text, "only") != 0)
        diag_error(spec->diag, &node->at, "timing is '%s'; expected 'also' or 'only'", text);
    return SPEC_TIMING_ONLY;
}

void spec_read_accessors(struct spec *spec, const struct node *section)
{
    static const char *const keys[] = {"arguments",   "returns", "effects", "traps",
                                       "definitions", "uses",    "direct",  "timing",
                                       "csrs",        "always",  NULL};

    for (size_t i = 0; i < section->count; i++) {
        const struct node *key = section->items[2 * i], *node = section->items[2 * i + 1];
        const char *what = arena_format(spec->arena, "accessor '%s'", key->text);
        const struct spec_accessor *first = map_get(&spec->accessors, key->text);
        if (first) {
            diag_error(spec->diag, &key->at, "a second accessor '%s'", key->text);
            diag_note(spec->diag, &first->at, "first here");
            continue;
        }
        if (!node_is_name(key->text, false)) {
            diag_error(spec->diag, &key->at,
                       "'%s' is not a name for an accessor; expected a C name", key->text);
            continue;
        }
        if (!node_check_keys(&spec->context, node, what, keys))
            continue;
        struct spec_accessor *accessor = arena_new(spec->arena, struct spec_accessor);
        *accessor = (struct spec_accessor){
            .name = key->text,
            .at = key->at,
            .effects = read_effects(spec, node_get(node, "effects")),
            .is_direct = node_bool(&spec->context, node_get(node, "direct"), "direct", false),
            .in_definitions =
                node_bool(&spec->context, node_get(node, "definitions"), "definitions", false),
            .is_certain = node_bool(&spec->context, node_get(node, "always"), "always", false),
            .in_csrs = node_bool(&spec->context, node_get(node, "csrs"), "csrs", false),
            .uses = node_get(node, "uses"),
            .timing = read_timing(spec, node_get(node, "timing")),
            .returns = read_result(spec, node_get(node, "returns")),
        };
        read_arguments(spec, accessor, node_get(node, "arguments"));
        read_traps(spec, accessor, node_get(node, "traps"));
        if (node_get(node, "traps") && !(accessor->effects & ISA_EFFECT_TRAP))
            diag_error(spec->diag, &key->at,
                       "accessor '%s' has traps but not the effect 'trap'; add the effect, or "
                       "remove the traps",
                       accessor->name);
        map_set(&spec->accessors, accessor->name, accessor);
    }
}

static void add_traps(struct spec *spec, struct spec_accessor *accessor,
                      const struct spec_accessor *used)
{
    size_t count = accessor->trap_count + used->trap_count;
    struct spec_raised *traps = arena_array(spec->arena, count, sizeof *traps);

    for (size_t i = 0; i < count; i++)
        traps[i] =
            i < accessor->trap_count ? accessor->traps[i] : used->traps[i - accessor->trap_count];
    accessor->traps = traps;
    accessor->trap_count = count;
}

/* Adds what the accessors that this one uses do. */
static void resolve_uses(struct spec *spec, struct spec_accessor *accessor)
{
    const struct node *uses = accessor->uses;

    if (!uses || !node_expect(&spec->context, uses, NODE_SEQUENCE, "uses"))
        return;
    for (size_t i = 0; i < uses->count; i++) {
        const char *name = node_text(&spec->context, uses->items[i], "uses");
        const struct spec_accessor *used = name ? map_get(&spec->accessors, name) : NULL;
        if (name && (!used || used->uses))
            diag_error(spec->diag, &uses->items[i]->at,
                       "'%s' is not an accessor that uses no others%s", name,
                       used ? "" : node_suggest(&spec->context, &spec->accessors, name));
        if (!used)
            continue;
        accessor->effects |= used->effects;
        add_traps(spec, accessor, used);
        accessor->defined |= map_get(&spec->functions, used->name) != NULL;
    }
}

void spec_resolve_accessors(struct spec *spec)
{
    for (size_t i = 0; i < spec->accessors.count; i++) {
        struct spec_accessor *accessor = SPEC_AT(spec->accessors, i, struct spec_accessor);
        accessor->defined = map_get(&spec->functions, accessor->name) != NULL;
        resolve_uses(spec, accessor);
    }
}

const struct spec_accessor *spec_find_accessor(const struct spec *spec, const char *name,
                                               size_t length)
{
    return map_get_bytes(&spec->accessors, name, length);
}

const struct spec_accessor *spec_indirect_accessor(const struct spec *spec,
                                                   const struct spec_instruction *instruction)
{
    const char *text = instruction->semantics.text;
    size_t offset = 0;

    for (;;) {
        struct code_token token = spec_next_token(text, &offset);
        if (token.kind == CODE_END)
            return NULL;
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME ? spec_find_accessor(spec, text + token.offset, token.length)
                                    : NULL;
        if (accessor && !accessor->is_direct)
            return accessor;
    }
}

bool spec_has_direct_form(const struct spec *spec, const struct spec_instruction *instruction)
{
    if (instruction->fast)
        return instruction->fast_is_inline && !(instruction->definition_effects & ISA_EFFECT_TRAP);
    return !instruction->by_definition && !spec_indirect_accessor(spec, instruction);
}

const char *spec_effects_text(const struct spec *spec, unsigned effects)
{
    const char *text = NULL;

    for (unsigned i = 0; effect_names[i]; i++)
        if (effects >> i & 1) {
            char *name = arena_string(spec->arena, effect_names[i]);
            for (char *c = name; *c; c++)
                *c = (char)toupper((unsigned char)*c);
            text = arena_format(spec->arena, "%s%sISA_EFFECT_%s", text ? text : "",
                                text ? " | " : "", name);
        }
    return text ? text : "0";
}
