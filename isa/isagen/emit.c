/*
 * Functions that all writers of generated C share. Lines are counted incrementally: `counted` moves
 * forward in the text.
 */
#include "isa/isagen/emit.h"

#include <ctype.h>
#include <string.h>

void emit_string(struct emitter *emitter, const char *string)
{
    if (!string) {
        text_append(&emitter->text, "NULL");
        return;
    }
    text_append_char(&emitter->text, '"');
    for (const char *c = string; *c; c++) {
        if (*c == '"' || *c == '\\')
            text_format(&emitter->text, "\\%c", *c);
        else if (*c == '\n')
            text_append(&emitter->text, "\\n");
        else if ((unsigned char)*c < 32 || *c == 127 || *c == '?') /* ? because of trigraphs */
            text_format(&emitter->text, "\\%03o", (unsigned char)*c);
        else
            text_append_char(&emitter->text, *c);
    }
    text_append_char(&emitter->text, '"');
}

void emit_header(struct emitter *emitter, const char *what)
{
    text_format(&emitter->text, "/* %s\n * Written by isagen. Do not edit. */\n", what);
}

bool emit_is_of_vendor(const struct spec_instruction *instruction)
{
    return instruction->extension->name[0] == 'x';
}

const char *emit_view_type(enum isa_view view)
{
    static const char *const types[] = {"uint64_t", "uint64_t", "uint32_t",
                                        "uint32_t", "uint16_t", "uint16_t"};

    return types[view];
}

char *emit_upper(struct arena *arena, const char *name)
{
    char *copy = arena_string(arena, name);

    for (char *c = copy; *c; c++)
        *c = *c == '.' ? '_' : (char)toupper((unsigned char)*c);
    return copy;
}

void emit_function_declaration(struct emitter *emitter, const char *prefix, const char *context,
                               const struct spec_function *function)
{
    text_format(&emitter->text,
                "static __attribute__((unused)) %s %s_%s(%s __attribute__((unused))",
                function->returns, prefix, function->name, context);
    for (size_t i = 0; i < function->argument_count; i++)
        text_format(&emitter->text, ", %s const %s", function->arguments[i].c_type,
                    function->arguments[i].name);
    text_append(&emitter->text, ")");
}

static void count_lines(struct emitter *emitter)
{
    for (; emitter->counted < emitter->text.length; emitter->counted++)
        emitter->lines += emitter->text.bytes[emitter->counted] == '\n';
}

static void line_directive(struct emitter *emitter, unsigned line, const char *file)
{
    if (!emitter->path)
        return;
    text_format(&emitter->text, "#line %u ", line);
    emit_string(emitter, file);
    text_append_char(&emitter->text, '\n');
}

/* Writes a line of code in the column where the YAML has it, so that the compiler's messages name
 * that column. */
static void append_line(struct emitter *emitter, const struct spec_code *code, size_t offset,
                        size_t length, unsigned *line)
{
    const struct position at = node_position(code->node, offset, 1);

    if (at.line != *line)
        line_directive(emitter, at.line, at.file->name);
    *line = at.line + 1;
    text_format(&emitter->text, "%*s%.*s\n", emitter->path ? (int)at.column - 1 : 0, "",
                (int)length, code->text + offset);
}

/* Writes what closes the code, which ends at the offset, right after it: that is where a compiler
 * reports what the code lacks. */
static void append_end(struct emitter *emitter, const struct spec_code *code, size_t offset,
                       const char *after)
{
    const struct position at = node_position(code->node, offset, 1);

    line_directive(emitter, at.line, at.file->name);
    text_format(&emitter->text, "%*s%s\n", emitter->path ? (int)at.column - 1 : 0, "", after);
}

void emit_code(struct emitter *emitter, const char *before, const struct spec_code *code,
               const char *after)
{
    /* Without its folder: what is generated is the same wherever it is written. */
    const char *name = emitter->path ? basename(emitter->path) : NULL;
    size_t length = strlen(code->text);
    unsigned line = 0;

    while (length && isspace((unsigned char)code->text[length - 1]))
        length--;
    text_format(&emitter->text, "%s%s", before, *before ? "\n" : "");
    for (size_t offset = 0, end; offset < length; offset = end + 1) {
        const char *newline = memchr(code->text + offset, '\n', length - offset);
        end = newline ? (size_t)(newline - code->text) : length;
        if (end > offset)
            append_line(emitter, code, offset, end - offset, &line);
    }
    if (*after)
        append_end(emitter, code, length, after);
    count_lines(emitter);
    line_directive(emitter, emitter->lines + 2, name);
}

void emit_function_names(struct emitter *emitter, bool of_time)
{
    const struct map *functions = &emitter->spec->functions;
    bool any = false;

    text_append(&emitter->text,
                "\n/* The functions of the description become macros, so their names must mean "
                "nothing else here. */\n#pragma GCC diagnostic push\n#ifdef __clang__\n"
                "#pragma GCC diagnostic ignored \"-Wincompatible-library-redeclaration\"\n#else\n"
                "#pragma GCC diagnostic ignored \"-Wbuiltin-declaration-mismatch\"\n#endif\n");
    for (size_t i = 0; i < functions->count; i++) {
        const struct spec_function *function = SPEC_AT(*functions, i, struct spec_function);
        if (of_time && !function->in_time)
            continue;
        const struct spec_code name = spec_make_code(emitter->spec, &function->at, function->name);
        text_append(&emitter->text, any ? "" : "enum {\n");
        emit_code(emitter, "", &name, ",");
        any = true;
    }
    text_append(&emitter->text, any ? "};\n" : "");
    text_append(&emitter->text, "#pragma GCC diagnostic pop\n");
}

const char *const *emit_operators(const struct spec *spec)
{
    const char **operators =
        arena_alloc(spec->arena, (spec->relocations.count + 1) * sizeof *operators);
    struct map seen;
    size_t count = 0;

    map_init(&seen, spec->arena);
    for (size_t i = 0; i < spec->relocations.count; i++) {
        const char *name = spec->relocations_by_number[i]->operator_name;
        if (!name || map_get(&seen, name))
            continue;
        map_set(&seen, name, (void *)name);
        operators[count++] = name;
    }
    operators[count] = NULL;
    return operators;
}
