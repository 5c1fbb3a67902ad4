/* Definitions that the files of tdiff share.
 *
 * Both traces are read once, side by side, in a window of some lines each, so they may be larger
 * than memory. Lines that are the same in both are not parsed. After the first difference, both are
 * read once more to find which instructions last wrote the differing places. Nothing has to be kept
 * for that during the comparison. */
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
#include "lib/strings.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The header of a text or json trace. The strings are empty for Spike's log. */
struct trace_header {
    char program[32], isa[32], machine[32];
    uint64_t entry;
};

struct trace_input {
    struct trace_stream stream;
    enum trace_format format;
    struct trace_header header;
    char *window;             /* the next lines, the last of which may be incomplete; from malloc */
    size_t at, end, capacity; /* unread part of the window; its size */
    bool ended;               /* the trace ends with the window */
    size_t line;              /* lines read so far */
    size_t records;           /* read so far */
    const char *thread;       /* records of other threads are skipped; NULL: none is */
};

enum read_result { READ_RECORD, READ_END, READ_ERROR };

enum { TYPES = 32 }; /* more than there are element types */

/* How far numbers of a float type may differ. */
struct tolerance {
    uint64_t ulps[TYPES]; /* by the place of the type in isa_elements */
    double relative[TYPES];
};

/* What to do where threads had other turns. */
#define ADVICE_BY_THREAD "--by-thread compares what each thread executed"

struct tdiff {
    struct diag diag;
    struct arena arena;
    const char *names[2];
    bool is_lossless[2];
    bool has_cycles;                  /* --cycles */
    bool is_by_thread;                /* --by-thread */
    const char *calibrated, *machine; /* --calibrate, --machine, or NULL */
    const char *elf_name;             /* --elf, or NULL */
    struct elf_file elf;
    struct diag_file image; /* of the program */
    struct symbolizer symbols;
    struct source *source;  /* source lines of the program, or NULL */
    unsigned context;       /* number of records shown before the difference */
    unsigned limit;         /* length of a line, and window of a compressed frame, in MiB */
    unsigned ignored_kinds; /* bit per change_kind */
    uint64_t ignored_files; /* bit per register file */
    bool ignore_encoding;
    struct strings ignored_names;
    struct tolerance tolerance; /* --ulp, --rtol */
    bool has_tolerance;
    bool has_moved, has_all; /* --moved, --all */
    unsigned shown;          /* --places */
    const char *page;        /* --html, or NULL */
    struct trace_input inputs[2];
};

/* ---- read.c ---- */

/* Opens the trace, finds its format and reads its header. Returns false after a diagnostic. */
bool trace_input_open(struct tdiff *tdiff, struct trace_input *input, const char *name);
/* Opens a lossless trace, which is read as one of this format. */
bool trace_input_convert(struct tdiff *tdiff, struct trace_input *input, const char *name,
                         enum trace_format format);
/* Continues after the header again. Returns false after a diagnostic. */
bool trace_input_rewind(struct tdiff *tdiff, struct trace_input *input);
void trace_input_close(struct trace_input *input);
/* Reads the next line without parsing it. A line without a newline is an error, which is reported.
 */
enum read_result trace_input_line(struct tdiff *tdiff, struct trace_input *input,
                                  struct trace_line *line);
/* Finds the name of the thread of a line: of the first one where the trace has none, and the number
 * of the core in Spike's log. `name` has THREAD_SIZE bytes. */
void trace_input_thread(const struct trace_input *input, const struct trace_line *line, char *name);
/* Is the line one of input->thread? */
bool trace_input_has_thread(const struct trace_input *input, const struct trace_line *line);
/* Reads the next record. A malformed or incomplete line is an error, which is reported with its
 * line number. */
enum read_result trace_input_next(struct tdiff *tdiff, struct trace_input *input,
                                  struct record *record);
/* Parses a line into a record. Returns false, after a diagnostic, when it is malformed. *skip: the
 * line is not a record. */
bool trace_input_parse(struct tdiff *tdiff, struct trace_input *input,
                       const struct trace_line *line, struct record *record, bool *skip);
/* Appends more of the trace to the window. Returns READ_END at the end. */
enum read_result trace_input_fill(struct tdiff *tdiff, struct trace_input *input);
/* Fills the windows of two traces that were read up to the same place and continue with the same
 * compressed frame. Returns READ_END when they do not. */
enum read_result trace_inputs_fill_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b);
/* Parse one line. Return false with cursor->expected set. *skip: the line is not a record. */
bool text_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool text_parse(struct cursor *cursor, struct record *record);
bool json_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool json_parse(struct cursor *cursor, struct record *record);
bool spike_parse(struct cursor *cursor, struct record *record, bool *skip);
/* Take the turn and the name of the thread, which a text trace may have between the sequence number
 * and the pc. */
void text_parse_thread(struct cursor *cursor, struct record *record);

/* ---- same.c ---- */

/* Skips the next lines that are the same in both traces, byte for byte. They are counted, not
 * parsed. Returns READ_RECORD when the next lines are to be parsed. */
enum read_result trace_inputs_skip_same(struct tdiff *tdiff, struct trace_input *a,
                                        struct trace_input *b);

/* ---- compare.c ---- */

/* Are the records the same, except for what is ignored? */
bool records_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b);
bool encodings_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b);
/* Returns, from malloc, for each change of `record` the one in `other` that changes the same place,
 * or NULL. When several changes have the same place, the first belongs to the first, and so on. A
 * record may have many changes: a nest fills a whole unit. */
const struct change **changes_counterparts(const struct record *record, const struct record *other);
/* Do the changes have the same place? */
bool change_same_place(const struct change *a, const struct change *b);
bool change_same_value(const struct change *a, const struct change *b);
bool change_is_named(enum change_kind kind);
bool change_is_ignored(const struct tdiff *tdiff, const struct change *change);
/* ---- report.c ---- */

/* Prints the first difference. One of the records may be NULL: that trace has ended. Both traces
 * are read again up to the difference. Returns false after a diagnostic. */
bool report_difference(struct tdiff *tdiff, struct record *const *records);

#endif
