/*
 * Uses of state and counters in C of the description: get(state, index...), set(state, index...,
 * value), count(unit, counter, number) and counter(unit, counter). Their first arguments are names,
 * which no declaration of an accessor can check.
 */
#include "isa/isagen/spec.h"

#include <string.h>

/* A call of an accessor. */
struct call {
    struct spec *spec;
    const struct spec_code *code;
    size_t offset; /* after the accessor */
};

/* Returns the name that is the argument, and reports what is not a name. */
static const char *name_at(const struct call *call, size_t index, size_t *begin)
{
    const char *text = call->code->text;
    size_t end = spec_find_argument(text, call->offset, index, begin);
    struct code_token token = spec_next_token(text, begin);

    *begin = token.offset;
    if (token.offset >= end || token.kind != CODE_NAME)
        return "";
    return arena_copy(call->spec->arena, text + token.offset, token.length);
}

static size_t count_arguments(const struct call *call)
{
    size_t count = 0, begin, end;

    do
        end = spec_find_argument(call->code->text, call->offset, count++, &begin);
    while (call->code->text[end] == ',');
    return count;
}

static void report(const struct call *call, size_t begin, const char *name, const char *message)
{
    spec_code_error(call->spec, call->code, begin, *name ? strlen(name) : 1, message);
}

static void check_state(const struct call *call, bool is_set)
{
    struct spec *spec = call->spec;
    size_t begin, count = count_arguments(call);
    const char *name = name_at(call, 0, &begin);
    const struct spec_state *state = map_get(&spec->states, name);

    if (!state)
        report(call, begin, name,
               arena_format(spec->arena, "'%s' is not state of a unit%s", name,
                            node_suggest(&spec->context, &spec->states, name)));
    else if (count != 1 + state->index_count + is_set)
        report(call, begin, name,
               arena_format(spec->arena, "%zu values after '%s'; expected %zu: %s%s%s%s%s",
                            count - 1, name, state->index_count + is_set,
                            state->index_count ? state->indices[0] : "",
                            state->index_count > 1 ? ", " : "",
                            state->index_count > 1 ? state->indices[1] : "",
                            state->index_count && is_set ? ", " : "",
                            is_set               ? "the value"
                            : state->index_count ? ""
                                                 : "the state has no index"));
    else if (is_set && !state->set.text)
        report(call, begin, name,
               arena_format(spec->arena, "'%s' cannot be set; it is computed", name));
}

static void check_counter(const struct call *call, bool is_count)
{
    struct spec *spec = call->spec;
    size_t begin;
    const char *name = name_at(call, 0, &begin);
    const struct spec_unit *unit = map_get(&spec->units, name);

    if (!unit) {
        report(call, begin, name,
               arena_format(spec->arena, "unknown unit '%s'%s", name,
                            node_suggest(&spec->context, &spec->units, name)));
        return;
    }
    const char *counter_name = name_at(call, 1, &begin);
    const struct spec_counter *counter = map_get(&unit->counters, counter_name);
    if (!counter)
        report(call, begin, counter_name,
               arena_format(spec->arena, "'%s' is not a counter of '%s'%s", counter_name, name,
                            node_suggest(&spec->context, &unit->counters, counter_name)));
    else if (!counter->elements != (call->code->text[begin + strlen(counter_name)] != '['))
        report(call, begin, counter_name,
               arena_format(spec->arena,
                            counter->elements ? "'%s' counts by element type; expected %s[TYPE]"
                                              : "'%s' does not count by element type; expected %s",
                            counter_name, counter_name));
    else if (counter->read.text)
        report(call, begin, counter_name,
               arena_format(spec->arena, "'%s' is computed; no definition %s it", counter_name,
                            is_count ? "increases" : "reads"));
}

/* Checks what the names among the arguments name. */
static void check_call(const struct call *call, const struct spec_accessor *accessor)
{
    bool has_value = !accessor->returns || strcmp(accessor->returns, "void") != 0;

    for (size_t i = 0; i < accessor->argument_count; i++)
        if (accessor->arguments[i].kind == SPEC_STATE_NAME)
            check_state(call, !has_value);
        else if (accessor->arguments[i].kind == SPEC_COUNTER)
            check_counter(call, !has_value);
}

/* Checks the accessors in code, also whether a CSR may use them. */
static void check_code(struct spec *spec, const struct spec_code *code, bool of_csr)
{
    size_t offset = 0;

    while (code->text) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return;
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME
                ? spec_find_accessor(spec, code->text + token.offset, token.length)
                : NULL;
        if (!accessor || !spec_is_called(code->text, &token))
            continue;
        if (!of_csr || accessor->in_csrs)
            check_call(&(struct call){spec, code, token.offset + token.length}, accessor);
        else
            spec_code_error(
                spec, code, token.offset, token.length,
                arena_format(spec->arena, "the code of a CSR does not have '%s'", accessor->name));
    }
}

void spec_check_state_uses(struct spec *spec)
{
    for (size_t i = 0; i < spec->functions.count; i++)
        check_code(spec, &SPEC_AT(spec->functions, i, struct spec_function)->semantics, false);
    for (size_t i = 0; i < spec->csrs.count; i++) {
        check_code(spec, &SPEC_AT(spec->csrs, i, struct spec_csr)->read, true);
        check_code(spec, &SPEC_AT(spec->csrs, i, struct spec_csr)->write, true);
    }
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        check_code(spec, &instruction->semantics, false);
        check_code(spec, &instruction->cycles, false);
        check_code(spec, &instruction->occupancy, false);
    }
}
