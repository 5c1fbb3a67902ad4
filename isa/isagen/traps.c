/*
 * The traps of an instruction, for the manual. They follow from its definition: those of the
 * accessors that it names, and the causes that it names itself, also in the functions that it uses.
 */
#include "isa/isagen/spec.h"

#include <ctype.h>
#include <string.h>

enum { CUSTOM_CAUSES = 24 }; /* the first cause for custom use */

static void add_trap(struct spec *spec, struct spec_instruction *instruction, const char *trap)
{
    for (size_t i = 0; i < instruction->trap_count; i++)
        if (strcmp(instruction->traps[i], trap) == 0)
            return;
    instruction->traps = arena_grow(spec->arena, instruction->traps, instruction->trap_count,
                                    &instruction->trap_capacity, sizeof *instruction->traps);
    instruction->traps[instruction->trap_count++] = trap;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), tail = strlen(end);

    return length > tail && strcmp(name + length - tail, end) == 0;
}

/* Returns "tensor access fault" for CAUSE_TENSOR_ACCESS, or NULL if the name is not one of a
 * cause. */
static const char *cause_text(struct spec *spec, const char *name, size_t length)
{
    static const char prefix[] = "CAUSE_";
    size_t skip = sizeof prefix - 1;

    if (length <= skip || memcmp(name, prefix, skip) != 0)
        return NULL;
    char *words = arena_copy(spec->arena, name + skip, length - skip);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : (char)tolower((unsigned char)*c);
    if (ends_with(words, " misaligned"))
        return arena_format(spec->arena, "%.*saddress misaligned",
                            (int)(strlen(words) - strlen("misaligned")), words);
    bool is_fault = ends_with(words, " access") || ends_with(words, " configuration");
    return is_fault ? arena_format(spec->arena, "%s fault", words) : words;
}

/* Returns the trap of CAUSE_NAME, or NULL. */
static const struct spec_trap *find_trap(const struct spec *spec, const char *name, size_t length)
{
    char *own = arena_copy(spec->arena, name + sizeof "CAUSE_" - 1, length - (sizeof "CAUSE_" - 1));

    for (char *c = own; *c; c++)
        *c = (char)tolower((unsigned char)*c);
    return map_get(&spec->traps, own);
}

static void add_traps(struct spec *spec, struct spec_instruction *instruction,
                      const struct spec_code *code)
{
    size_t offset = 0;

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        const char *name = code->text + token.offset;
        if (token.kind == CODE_END)
            return;
        if (token.kind != CODE_NAME)
            continue;
        const char *cause = cause_text(spec, name, token.length);
        const struct spec_trap *trap = cause ? find_trap(spec, name, token.length) : NULL;
        if (trap && trap->cause >= CUSTOM_CAUSES)
            cause = trap->summary;
        if (cause && !trap)
            spec_code_error(spec, code, token.offset, token.length,
                            arena_format(spec->arena,
                                         "'%.*s' is not the cause of a trap; declare it in the "
                                         "section 'traps'",
                                         (int)token.length, name));
        const struct spec_accessor *accessor = spec_find_accessor(spec, name, token.length);
        if (cause)
            add_trap(spec, instruction, cause);
        if (accessor && accessor->is_called && !spec_is_called(code->text, &token))
            accessor = NULL; /* a variable of the body */
        for (size_t i = 0; accessor && i < accessor->trap_count; i++)
            add_trap(spec, instruction, accessor->traps[i]);
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
