/*
 * Writes state_reads.inc: which state of units the definition of an instruction reads, and which
 * CSRs are state. tdiff follows differences by it (emu/tdiff/state.c).
 */
#include "isa/isagen/emit.h"

#include <string.h>

/* The instruction whose reads are written, and where the code with a read is. */
struct reads {
    struct emitter *emitter;
    const struct spec_instruction *instruction;
    bool is_own; /* the code is that of the instruction, not of a function */
    size_t count;
};

/* Writes the first index: an operand of the instruction, a number, or anything. */
static void emit_index(struct reads *reads, const char *text)
{
    int operand =
        reads->is_own ? spec_operand_index(&reads->instruction->operands, text, strlen(text)) : -1;
    uint64_t number;

    if (operand >= 0)
        text_format(&reads->emitter->text, "READ_OPERAND, %d", operand);
    else if (node_parse_unsigned(text, &number))
        text_format(&reads->emitter->text, "READ_ROW, %llu", (unsigned long long)number);
    else
        text_append(&reads->emitter->text, "READ_ANY, 0");
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
        if (!reads->count++)
            text_format(&reads->emitter->text, "static const struct read reads_%s[] = {",
                        reads->instruction->mangled);
        text_format(&reads->emitter->text, "{STATE_%s, ", name);
        emit_index(reads, state->index_count ? argument(reads, code, offset, 1) : "");
        text_append(&reads->emitter->text, "}, ");
    }
}

/* Writes the reads of an instruction as an array; returns how many there are. */
static size_t emit_instruction_reads(struct emitter *emitter,
                                     const struct spec_instruction *instruction)
{
    struct reads reads = {.emitter = emitter, .instruction = instruction, .is_own = true};
    const struct spec_used used = spec_used_functions(emitter->spec, &instruction->semantics);

    if (!instruction->semantics.text)
        return 0;
    emit_code_reads(&reads, &instruction->semantics);
    reads.is_own = false;
    for (size_t i = 0; i < used.count; i++)
        emit_code_reads(&reads, &used.items[i]->semantics);
    if (reads.count)
        text_append(&emitter->text, "};\n");
    return reads.count;
}

/* Do the instructions of the unit name its rows? Then each thread has rows of its own. */
static bool has_rows(const struct spec *spec, const struct spec_unit *unit)
{
    for (size_t i = 0; i < spec->instructions.count; i++) {
        const struct spec_instruction *instruction =
            SPEC_AT(spec->instructions, i, struct spec_instruction);
        if (instruction->has_row && instruction->unit && strcmp(instruction->unit, unit->name) == 0)
            return true;
    }
    return false;
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
    text_append(&emitter->text, "STATES\n};\nstatic const struct state states[STATES + 1] = {\n");
    for (size_t i = 0; i < spec->states.count; i++) {
        const struct spec_state *state = SPEC_AT(spec->states, i, struct spec_state);
        int csr = find_csr(spec, state);
        text_format(&emitter->text, "{\"%s\", \"%s\", %d, %d},\n", state->unit->name,
                    state->trace ? state->trace : state->name, csr,
                    csr >= 0 || has_rows(spec, state->unit));
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
