/* tdiff: what its files share. Traces are read once, side by side, in a window of some lines each,
 * so that they may be larger than memory; lines that are the same in both are not parsed. Who last
 * wrote what differs is found after the first difference, by reading both once more up to there:
 * nothing has to be kept on the way. */
#ifndef EMU_TDIFF_TDIFF_H
#define EMU_TDIFF_TDIFF_H

#include "emu/tdiff/stream.h"
#include "emu/trap.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/elf_file.h"
#include "lib/source.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct isa_register_file;

enum trace_kind { TRACE_KIND_TEXT, TRACE_KIND_JSON, TRACE_KIND_SPIKE };

/* What an instruction did, from any of the formats (docs/trace-format.md). */
enum change_kind {
    CHANGE_X,           /* register of the x file: name (ABI), value */
    CHANGE_F,           /* of the f file */
    CHANGE_CSR,         /* name, value */
    CHANGE_LOAD,        /* address, length, value; Spike has the address alone */
    CHANGE_STORE,       /* address, length, value */
    CHANGE_RANGE_READ,  /* address, length */
    CHANGE_RANGE_WRITE, /* address, length, value: digest */
    CHANGE_STATE,       /* name: "traversal.offset[0][1]", "sparse.hops", value */
    CHANGE_TRAP,        /* address: cause, or CAUSE_INTERRUPT_BIT and its number; value */
};

struct change {
    enum change_kind kind;
    char name[64];
    uint64_t address, length, value;
};

/* A line of a trace: its number from 1, its bytes without the newline. They are the window's, until
 * the trace is read on. */
struct trace_line {
    size_t number;
    const char *bytes;
    size_t length;
};

/* One instruction. Arrays are reused from record to record. */
struct record {
    struct trace_line line;
    uint64_t sequence; /* as the trace numbers it; Spike's: records before it */
    uint64_t pc, word;
    unsigned length;          /* bytes of the encoding; 0: none */
    unsigned hart, privilege; /* Spike only */
    char symbol[96];          /* "main+0x8", or empty */
    struct change *changes;
    size_t count, capacity;
};

/* Header of a text or json trace; empty strings in Spike's. */
struct trace_header {
    char program[32], isa[32], machine[32];
};

struct trace_input {
    struct trace_stream stream;
    enum trace_kind kind;
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
struct change *record_add(struct record *record, enum change_kind kind);

/* Text under the parser's hand. Each taker returns false and leaves `at` where it is when the text
 * does not go on so. */
struct cursor {
    const char *at, *end;
    const char *expected; /* what was not found, for the message */
};

static inline bool cursor_skip(struct cursor *cursor, const char *literal)
{
    size_t length = strlen(literal);

    if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, literal, length) != 0)
        return false;
    cursor->at += length;
    return true;
}

void cursor_blanks(struct cursor *cursor);
bool cursor_decimal(struct cursor *cursor, uint64_t *value);
/* Digits without and with 0x; *digits receives their number, when not NULL. */
bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits);
bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits);
/* Fails with what was expected here. */
bool cursor_fail(struct cursor *cursor, const char *expected);
/* Copies to `end`, at most size - 1 bytes; false when there are more. */
bool cursor_copy(struct cursor *cursor, const char *end, char *target, size_t size);

/* Parse one line; false with cursor->expected set. *skip: the line is none of ours to compare. */
bool text_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool text_parse(struct cursor *cursor, struct record *record);
bool json_parse_header(struct cursor *cursor, struct trace_header *header, uint64_t *version);
bool json_parse(struct cursor *cursor, struct record *record);
bool spike_parse(struct cursor *cursor, struct record *record, bool *skip);

enum change_kind change_of_file(const struct isa_register_file *file);
/* A change of the register or CSR of that name: any name of a register counts, the ABI name is
 * kept. */
struct change *record_add_named(struct record *record, const char *name);

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
/* `count` zeroed items, from malloc, or the tool ends. */
void *new_array(size_t count, size_t size);
_Noreturn void end_without_memory(void);

/* ---- report.c ---- */

/* Prints the first difference; one of the records may be NULL: that trace has ended. Both traces
 * are read again up to it. False after a diagnostic. */
bool report_difference(struct tdiff *tdiff, struct record *const *records);

#endif
