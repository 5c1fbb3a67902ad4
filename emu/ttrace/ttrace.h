/* The context of ttrace: the trace, the traced program, and the arguments of the command. */
#ifndef EMU_TTRACE_TTRACE_H
#define EMU_TTRACE_TTRACE_H

#include "emu/picture/picture.h"
#include "emu/trace/trace.h"
#include "lib/source.h"
#include "lib/trace/ttrace_read.h"

enum { ARGUMENTS = 3 };

struct ttrace_tool {
    struct diag diag;
    struct arena arena;
    const char *words[ARGUMENTS]; /* command, FILE, and what the command asks for */
    unsigned word_count;
    enum trace_format format; /* --to; */
    enum picture_format picture;
    bool has_format, is_picture; /* it is this one */
    bool follows;                /* --follow */
    const char *output;          /* -o */
    unsigned depth, limit;
    bool has_limit; /* --limit was given */
    struct ttrace trace;
    struct ttrace_decoder decoder; /* of queries */
    struct elf_file elf;
    struct symbolizer symbols;
    bool has_program;
    struct diag_file image; /* of it */
    struct source *source;
    struct disasm disasm;
};

/* Writes the trace in tool->format to standard output. With --follow, goes on until the run that
 * writes the trace has ended. Returns false after a diagnostic. */
bool convert(struct ttrace_tool *tool);
/* The same in tool->picture. */
bool convert_to_picture(struct ttrace_tool *tool);

#endif
