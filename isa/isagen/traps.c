/*
 * The traps of an instruction, for the manual. They follow from its definition: those of the
 * accessors that it names, and those that it raises itself, also in the functions that it uses.
 */
#include "isa/isagen/spec.h"

#include <string.h>

static void add_trap(struct spec *spec, struct spec_instruction *instruction, const char *trap)
{
    for (size_t i = 0; i < instruction->trap_count; i++)
        if (strcmp(instruction->traps[i], trap) == 0)
            return;
    instruction->traps = arena_grow(spec->arena, instruction->traps, instruction->trap_count,
                                    &instruction->trap_capacity, sizeof *instruction->traps);
    instruction->traps[instruction->trap_count++] = trap;
}

/* Is the word one of the words between semicolons? */
static bool has_part(const char *list, const char *part)
{
    size_t length = strlen(part);

    for (const char *at = list; (at = strstr(at, part)); at++)
        if (at[-1] == ' ' && (at[length] == ';' || !at[length]))
            return true;
    return false;
}

/* Adds a reason to the entry of the reasons for its trap: "tensor configuration fault: no such row;
 * empty row". A trap that is raised by itself, too, has another entry. */
static void add_reason(struct spec *spec, struct spec_instruction *instruction,
                       const struct spec_trap *of, const char *reason)
{
    const char *trap = of->summary;
    size_t length = strlen(trap);

    for (size_t i = 0; i < instruction->trap_count; i++) {
        const char *entry = instruction->traps[i];
        if (strncmp(entry, trap, length) != 0 || entry[length] != ':')
            continue;
        if (!has_part(entry + length, reason))
            instruction->traps[i] = arena_format(spec->arena, "%s; %s", entry, reason);
        return;
    }
    add_trap(spec, instruction, arena_format(spec->arena, "%s: %s", trap, reason));
}

/* Adds a trap, or a reason for one, with a note on when it is raised. */
static void add_raised(struct spec *spec, struct spec_instruction *instruction,
                       const struct spec_trap *trap, const char *note)
{
    const char *text = arena_format(spec->arena, "%s%s", trap->summary, note);

    if (trap->of)
        add_reason(spec, instruction, trap->of, text);
    else
        add_trap(spec, instruction, text);
}

/* Adds the trap that an argument of a call names. */
static void add_named(struct spec *spec, struct spec_instruction *instruction,
                      const struct spec_code *code, size_t begin)
{
    struct code_token token = spec_next_token(code->text, &begin);
    const char *name = arena_copy(spec->arena, code->text + token.offset, token.length);
    const struct spec_trap *trap = map_get(&spec->traps, name);

    if (!trap)
        spec_code_error(spec, code, token.offset, token.length,
                        arena_format(spec->arena,
                                     "'%s' is not a trap; declare it in the section 'traps'%s",
                                     name, node_suggest(&spec->context, &spec->traps, name)));
    else
        add_raised(spec, instruction, trap, "");
}

static void add_traps(struct spec *spec, struct spec_instruction *instruction,
                      const struct spec_code *code)
{
    size_t offset = 0, begin;

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return;
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME
                ? spec_find_accessor(spec, code->text + token.offset, token.length)
                : NULL;
        if (!accessor || (accessor->is_called && !spec_is_called(code->text, &token)))
            continue; /* no accessor, or a variable of the body */
        for (size_t i = 0; i < accessor->argument_count; i++)
            if (accessor->arguments[i].kind == SPEC_TRAP) {
                spec_find_argument(code->text, offset, i, &begin);
                add_named(spec, instruction, code, begin);
            }
        for (size_t i = 0; i < accessor->trap_count; i++)
            add_raised(spec, instruction, accessor->traps[i].trap, accessor->traps[i].note);
    }
}

void spec_infer_traps(struct spec *spec)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->compressed || !instruction->semantics.text)
            continue;
        add_traps(spec, instruction, &instruction->semantics);
        const struct spec_used used = spec_used_functions(spec, &instruction->semantics);
        for (size_t k = 0; k < used.count; k++)
            add_traps(spec, instruction, &used.items[k]->semantics);
        for (size_t k = 0; k < instruction->constraint_count; k++)
            add_trap(spec, instruction,
                     arena_format(spec->arena, "illegal instruction (%s)",
                                  instruction->constraints[k].message));
    }
}
