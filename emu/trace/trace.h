/* The instruction trace: one line for every instruction that the traced executor ran, with
 * everything it changed.
 *
 * Three formats (docs/trace-format.md): `text` for people and tdiff, `json` with one object per
 * line, and `spike`, the commit log of Spike (riscv-isa-sim, `spike --log-commits`) byte for byte
 * for what Spike has. A trace depends on the program, the configuration and the input alone: no
 * host path, time or pointer gets into it.
 *
 * A trace that cannot be written (full disk, closed pipe) is reported once and trace_close returns
 * false; the file is then absent, never half-written. */
#ifndef EMU_TRACE_TRACE_H
#define EMU_TRACE_TRACE_H

#include "emu/recorder.h"
#include "emu/trace/format.h"
#include "emu/trace/sink.h"
#include "emu/trap.h"
#include "isa_ids.h"
#include "lib/diag.h"
#include "lib/digits.h"
#include "lib/disasm.h"
#include "lib/elf_file.h"
#include "lib/isa.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { TRACE_LABELS = ISA_X_REGISTERS > ISA_F_REGISTERS ? ISA_X_REGISTERS : ISA_F_REGISTERS };

/* By the name that --trace-format takes; false when there is none such. */
bool trace_format_by_name(const char *name, enum trace_format *format);

/* What the command line asks for. Zero-initialised: everything, as text, to standard error. */
struct trace_options {
    const char *file; /* NULL: standard error; compressed when it ends in .zst */
    enum trace_format format;
    bool has_from, has_to;
    uint64_t from, to; /* the trace is on from each pc == from up to and including the next pc ==
                          to; without `from`, from the start */
    uint64_t limit;    /* lines of instructions at most; 0: no limit */
};

/* What the trace is of, for the header and for symbol+offset. All pointers must outlive the trace;
 * NULL where unknown. */
struct trace_program {
    const struct elf_file *file;
    const struct symbolizer *symbols;
    uint64_t machine; /* fingerprint of the machine configuration */
};

/* One instruction, whether it completed or trapped. */
struct trace_record {
    uint64_t sequence; /* instructions before this one: counts from 0, filters do not change it */
    uint64_t pc;
    uint64_t word;                   /* encoding, first halfword in the low bits */
    int length;                      /* bytes of it; 0 when nothing could be fetched */
    unsigned privilege;              /* 0 user, 3 machine */
    bool bare;                       /* there are modes, and traps have effects */
    const struct recorder *recorder; /* its effects in order; NULL: none */
    /* The exception it raised; NULL: none. An ecall that the environment served has
     * CAUSE_USER_ECALL here and the call's effects in the recorder. */
    const struct fault *trap;
    bool is_interrupt; /* no instruction: an interrupt was taken before the one at pc */
};

/* What comes before the digits of a register's value; empty: it is not shown. */
struct trace_label {
    char bytes[47];
    uint8_t length;
};

/* The sequence number in decimal digits, which end at COUNT_END, behind blanks. */
enum { COUNT_END = 24 };
struct trace_count {
    uint64_t value;
    unsigned length; /* digits */
    char text[COUNT_END + PIECE];
};

struct trace {
    struct trace_options options;
    struct trace_program program;
    struct disasm disasm;
    struct trace_sink sink;
    struct text buffer, scratch;
    const struct trace_syntax *syntax; /* of the format (write.h) */
    struct trace_prefix *prefixes;     /* prefix.c */
    struct trace_count count;          /* of the line before */
    unsigned sequence_columns;         /* that the sequence number took in it */
    size_t effect_room;                /* bytes that an effect of a register or CSR can take */
    const struct isa_register_file *x, *f;
    struct trace_label labels[2][TRACE_LABELS]; /* of x and of f, by number */
    uint64_t written;                           /* instruction lines so far */
    bool on;
    bool is_whole; /* no line is filtered out */
};

/* Diagnostics of the trace go there from now on. */
void trace_report_to(struct trace *trace, struct diag *diag);

/* Opens the file and writes the header. False after a diagnostic. */
bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program);

/* Appends the record's line, unless filtered out. */
void trace_instruction(struct trace *trace, const struct trace_record *record);

/* No further line can come: the limit is reached, or the output failed. The core may go on
 * untraced. */
bool trace_finished(const struct trace *trace);

/* Call before anything else is written to a stream that the trace may share (standard error). */
void trace_flush(struct trace *trace);

/* Ends the trace; false, after a diagnostic (perhaps an earlier one), when it is not complete.
 * Frees everything. */
bool trace_close(struct trace *trace);

#endif
