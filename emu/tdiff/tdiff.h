/* tdiff: what its files share. Traces are read once, side by side, in a window of some lines each,
 * so that they may be larger than memory; lines that are the same in both are not parsed. Who last
 * wrote what differs is found after the first difference, by reading both once more up to there:
 * nothing has to be kept on the way. */
#ifndef EMU_TDIFF_TDIFF_H
#define EMU_TDIFF_TDIFF_H

#include "emu/tdiff/record.h"
#include "emu/tdiff/stream.h"
#include "emu/trace/format.h"
#include "emu/trap.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/elf_file.h"
#include "lib/source.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Header of a text or json trace; empty strings in Spike's. */
struct trace_header {
    char program[32], isa[32], machine[32];
};

struct trace_input {
    struct trace_stream stream;
    enum trace_format format;
    struct trace_header header;
    char *window;             /* the next lines, and perhaps the beginning of one; from malloc */
    size_t at, end, capacity; /* of the window: what is not read yet, and the memory */
    bool ended;               /* nothing comes behind the window */
    size_t line;              /* lines read so far */
    size_t records;           /* read so far */
};

enum read_result { READ_RECORD, READ_END, READ_ERROR };

struct tdiff {
    struct diag diag;
    struct arena arena;
    const char *names[2];
    const char *elf_name; /* --elf, or NULL */
    struct elf_file elf;
    struct symbolizer symbols;
    struct source *source;  /* lines of the program; NULL without */
    unsigned context;       /* records before the difference */
    unsigned ignored_kinds; /* bit per change_kind */
    bool ignore_encoding;
    const char **ignored_names;
    size_t ignored_count, ignored_capacity;
    struct trace_input inputs[2];
};

/* ---- read.c ---- */

/* Opens the trace, tells its format and reads its header. False after a diagnostic. */
bool trace_input_open(struct tdiff *tdiff, struct trace_input *input, const char *name);
/* Back to behind the header. False after a diagnostic. */
bool trace_input_rewind(struct tdiff *tdiff, struct trace_input *input);
void trace_input_close(struct trace_input *input);
/* The next line, parsed or not. A line without a newline is an error, reported. */
enum read_result trace_input_line(struct tdiff *tdiff, struct trace_input *input,
                                  struct trace_line *line);
/* The next record. A malformed or cut-off line is an error, reported as file:line. */
enum read_result trace_input_next(struct tdiff *tdiff, struct trace_input *input,
                                  struct record *record);
/* Makes a record of a line; false, after a diagnostic, when it is malformed. *skip: it is no
 * record. */
bool trace_input_parse(struct tdiff *tdiff, struct trace_input *input,
                       const struct trace_line *line, struct record *record, bool *skip);
/* Reads more of the trace into the window, behind what is there; READ_END at its end. */
enum read_result trace_input_fill(struct tdiff *tdiff, struct trace_input *input);
/* The same for two traces that were read up to the same place, and go on with the same compressed
 * frame; READ_END: they do not. */
enum read_result trace_inputs_fill_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b);
/* Parse one line; false with cursor->expected set. *skip: the line is none of ours to compare. */
bool text_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool text_parse(struct cursor *cursor, struct record *record);
bool json_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool json_parse(struct cursor *cursor, struct record *record);
bool spike_parse(struct cursor *cursor, struct record *record, bool *skip);

/* ---- same.c ---- */

/* Reads past the lines that come next in both traces and are the same, byte for byte: they are
 * counted, not parsed. READ_RECORD: the next lines are to be parsed. */
enum read_result trace_inputs_skip_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b);

/* ---- compare.c ---- */

/* Are the records the same but for what is ignored? */
bool records_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b);
bool encodings_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b);
/* For each change of `record` the one in `other` that answers it, or NULL: of several of the same
 * place, the one with the same number. A record may hold many: a nest fills a whole unit. From
 * malloc. */
const struct change **changes_answers(const struct record *record, const struct record *other);
/* Do they change the same thing? */
bool change_same_place(const struct change *a, const struct change *b);
bool change_same_value(const struct change *a, const struct change *b);
bool change_is_named(enum change_kind kind);
bool change_is_ignored(const struct tdiff *tdiff, const struct change *change);
/* ---- report.c ---- */

/* Prints the first difference; one of the records may be NULL: that trace has ended. Both traces
 * are read again up to it. False after a diagnostic. */
bool report_difference(struct tdiff *tdiff, struct record *const *records);

#endif
