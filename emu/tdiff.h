/* tdiff: what its files share. A trace is held whole in memory and parsed record by record, so that
 * the way back from a difference to the last writer of a value is a walk over earlier lines and
 * needs no bookkeeping on the way there. */
#ifndef EMU_TDIFF_H
#define EMU_TDIFF_H

#include "emu/source.h"
#include "emu/trap.h"
#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/elf_file.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* One instruction. Arrays are reused from record to record. */
struct record {
    size_t line, start, end; /* where it stands: line from 1, bytes without the newline */
    uint64_t sequence;       /* as the trace numbers it; Spike's: records before it */
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
    struct diag_file file;
    enum trace_kind kind;
    struct trace_header header;
    size_t at, line; /* next byte to read, lines read so far */
    size_t records;  /* read so far */
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

/* ---- tdiff_read.c ---- */

/* Reads the file, tells its format and reads its header. False after a diagnostic. */
bool trace_input_open(struct tdiff *tdiff, struct trace_input *input, const char *name);
/* The next record. A malformed or cut-off line is an error, reported as file:line. */
enum read_result trace_input_next(struct tdiff *tdiff, struct trace_input *input,
                                  struct record *record);
/* Parses the line at `start` once more (it was parsed before). */
void trace_input_reread(const struct trace_input *input, size_t line, size_t start, size_t end,
                        struct record *record);
struct change *record_add(struct record *record, enum change_kind kind);

/* Text under the parser's hand. Each taker returns false and leaves `at` where it is when the text
 * does not go on so. */
struct cursor {
    const char *at, *end;
    const char *expected; /* what was not found, for the message */
};

bool cursor_skip(struct cursor *cursor, const char *literal);
void cursor_blanks(struct cursor *cursor);
bool cursor_decimal(struct cursor *cursor, uint64_t *value);
/* Digits without and with 0x; *digits receives their number, when not NULL. */
bool cursor_hex(struct cursor *cursor, uint64_t *value, unsigned *digits);
bool cursor_0x(struct cursor *cursor, uint64_t *value, unsigned *digits);
/* Fails with what was expected here. */
bool cursor_fail(struct cursor *cursor, const char *expected);
/* Copies at most size - 1 bytes; false when there are more. */
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

/* ---- tdiff_report.c ---- */

/* Are the records the same but for what is ignored? */
bool records_equal(const struct tdiff *tdiff, const struct record *a, const struct record *b);
/* Prints the first difference; one of the records may be NULL: that trace has ended. */
void report_difference(struct tdiff *tdiff, struct record *const *records);

#endif
