/*
 * Writes state_reads.inc: which state of units the definition of an instruction reads, and which
 * CSRs are state. tdiff and ttrace follow values by it (lib/trace/state_reads.c).
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <string.h>

/* The instruction whose reads are written, and where the code with a read is. */
struct reads {
    struct emitter *emitter;
    const struct spec_instruction *instruction;
    const struct spec_function *function; /* the code is that of a function; NULL: its own */
    const struct spec_used *used;         /* all functions that the instruction uses */
    struct map written;                   /* the reads that were written */
};

static void emit_read(struct reads *reads, const char *read)
{
    if (!reads->written.count)
        text_format(&reads->emitter->text, "static const struct state_read reads_%s[] = {",
                    reads->instruction->mangled);
    if (!map_get(&reads->written, read))
        text_format(&reads->emitter->text, "{%s}, ", read);
    map_set(&reads->written, read, (void *)read);
}

/* Returns what the text means as a first index in the semantics of the instruction: a number; an
 * operand; a number times an operand, with a place in that part after it; or anything. */
static const char *index_kind(const struct reads *reads, const char *text)
{
    struct arena *arena = reads->emitter->spec->arena;
    const char *factor = "1", *name = text, *star = strchr(text, '*');
    uint64_t number;

    if (node_parse_unsigned(text, &number))
        return arena_format(arena, "READ_ROW, %llu, 0", (unsigned long long)number);
    if (star && isdigit((unsigned char)*text)) {
        factor = arena_copy(arena, text, strcspn(text, " *"));
        name = star + 1 + strspn(star + 1, " ");
    }
    size_t length = strcspn(name, " +");
    const char *rest = name + length + strspn(name + length, " ");
    int operand = spec_operand_index(&reads->instruction->operands, name, length);
    if (operand < 0 || !node_parse_unsigned(factor, &number) || !number ||
        (*rest && (number == 1 || *rest != '+')))
        return "READ_ANY, 0, 0";
    return arena_format(arena, "READ_PART, %llu, %d", (unsigned long long)number, operand);
}

static const char *argument(const struct reads *reads, const struct spec_code *code, size_t offset,
                            size_t index)
{
    size_t begin, end = spec_find_argument(code->text, offset, index, &begin);

    while (begin < end && strchr(" \n", code->text[begin]))
        begin++;
    while (begin < end && strchr(" \n", code->text[end - 1]))
        end--;
    return arena_copy(reads->emitter->spec->arena, code->text + begin, end - begin);
}

/* Does another function call the one with the read? */
static bool is_called_by_others(const struct reads *reads)
{
    for (size_t i = 0; i < reads->used->count; i++)
        if (spec_code_names(&reads->used->items[i]->semantics, reads->function->name))
            return true;
    return false;
}

/* Writes a read in a function: its first index begins with an argument of the function, for which
 * the semantics of the instruction have a text in each call. */
static void emit_function_read(struct reads *reads, const char *state, const char *index)
{
    const struct spec_function *function = reads->function;
    const struct spec_code *code = &reads->instruction->semantics;
    struct arena *arena = reads->emitter->spec->arena;
    size_t length = strcspn(index, " +"), number = 0, offset = 0;
    uint64_t value;

    while (number < function->argument_count &&
           (strlen(function->arguments[number].name) != length ||
            strncmp(function->arguments[number].name, index, length) != 0))
        number++;
    if (number == function->argument_count || is_called_by_others(reads)) {
        bool is_number = node_parse_unsigned(index, &value);
        emit_read(reads, arena_format(arena, "STATE_%s, %s", state,
                                      is_number ? index_kind(reads, index) : "READ_ANY, 0, 0"));
        return;
    }
    for (struct code_token token; (token = spec_next_token(code->text, &offset)).kind != CODE_END;)
        if (token.kind == CODE_NAME && strlen(function->name) == token.length &&
            strncmp(function->name, code->text + token.offset, token.length) == 0) {
            const char *text =
                arena_format(arena, "%s%s", argument(reads, code, offset, number), index + length);
            emit_read(reads, arena_format(arena, "STATE_%s, %s", state, index_kind(reads, text)));
        }
}

static void emit_code_reads(struct reads *reads, const struct spec_code *code)
{
    const struct spec *spec = reads->emitter->spec;
    size_t offset = 0;

    for (;;) {
        struct code_token token = spec_next_token(code->text, &offset);
        if (token.kind == CODE_END)
            return;
        const struct spec_accessor *accessor =
            token.kind == CODE_NAME && spec_is_called(code->text, &token)
                ? spec_find_accessor(spec, code->text + token.offset, token.length)
                : NULL;
        if (!accessor || !accessor->argument_count ||
            accessor->arguments[0].kind != SPEC_STATE_NAME ||
            (accessor->returns && strcmp(accessor->returns, "void") == 0))
            continue;
        const char *name = argument(reads, code, offset, 0);
        const struct spec_state *state = map_get(&spec->states, name);
        const char *index = state->index_count ? argument(reads, code, offset, 1) : "";
        if (reads->function)
            emit_function_read(reads, name, index);
        else
            emit_read(reads,
                      arena_format(spec->arena, "STATE_%s, %s", name, index_kind(reads, index)));
    }
}

/* Writes the reads of an instruction as an array; returns how many there are. */
static size_t emit_instruction_reads(struct emitter *emitter,
                                     const struct spec_instruction *instruction)
{
    const struct spec_used used = spec_used_functions(emitter->spec, &instruction->semantics);
    struct reads reads = {.emitter = emitter, .instruction = instruction, .used = &used};

    if (!instruction->semantics.text)
        return 0;
    map_init(&reads.written, emitter->spec->arena);
    emit_code_reads(&reads, &instruction->semantics);
    for (size_t i = 0; i < used.count; i++) {
        reads.function = used.items[i];
        emit_code_reads(&reads, &reads.function->semantics);
    }
    if (reads.written.count)
        text_append(&emitter->text, "};\n");
    return reads.written.count;
}

/* Has each thread such state of its own? Those of all other units are shared (emu/context.h). */
static bool is_of_thread(const struct spec_unit *unit)
{
    return strcmp(unit->name, "traversal") == 0 || strcmp(unit->name, "histogram") == 0;
}

/* Returns the number of the CSR that is the state, -1: none. */
static int find_csr(const struct spec *spec, const struct spec_state *state)
{
    for (size_t i = 0; i < spec->csrs.count && !state->index_count; i++) {
        const struct spec_csr *csr = SPEC_AT(spec->csrs, i, struct spec_csr);
        if (!csr->indexed && spec_code_names(&csr->read, state->name))
            return (int)csr->number;
    }
    return -1;
}

void emit_state_reads(struct emitter *emitter)
{
    const struct spec *spec = emitter->spec;
    size_t *counts = arena_array(spec->arena, spec->instructions.count, sizeof *counts);

    emit_header(emitter, "The state that instructions read: of each the unit, the name in traces, "
                         "the CSR and whether each thread has its own.");
    text_append(&emitter->text, "enum {\n");
    for (size_t i = 0; i < spec->states.count; i++)
        text_format(&emitter->text, "STATE_%s,\n", spec->states.entries[i].key);
    text_append(&emitter->text,
                "STATES\n};\nconst struct state_kind state_kinds[STATES + 1] = {\n");
    for (size_t i = 0; i < spec->states.count; i++) {
        const struct spec_state *state = SPEC_AT(spec->states, i, struct spec_state);
        bool has_unit = strcmp(state->unit->name, "barrel") != 0; /* in traces */
        text_format(&emitter->text, "{\"%s\", \"%s%s%s\", %d, %d},\n", state->unit->name,
                    has_unit ? state->unit->name : "", has_unit ? "." : "",
                    state->trace ? state->trace : state->name, find_csr(spec, state),
                    is_of_thread(state->unit));
    }
    text_append(&emitter->text, "};\n");
    for (size_t i = 0; i < spec->instructions.count; i++)
        counts[i] = emit_instruction_reads(emitter,
                                           SPEC_AT(spec->instructions, i, struct spec_instruction));
    text_append(&emitter->text, "static const struct reads all_reads[ISA_ID_COUNT] = {\n");
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (counts[i])
            text_format(&emitter->text, "[%u] = {reads_%s, %zu},\n", instruction->index,
                        instruction->mangled, counts[i]);
    }
    text_append(&emitter->text, "};\n");
}
