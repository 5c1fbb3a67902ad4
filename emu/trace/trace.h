/* The instruction trace: one line for each instruction that the traced executor ran, with
 * everything that it changed.
 *
 * There are three formats of lines (docs/trace-format.md): `text` for people and tdiff, `json` with
 * one object per line, and `spike`, the commit log of Spike (riscv-isa-sim, `spike --log-commits`),
 * the same byte for byte for everything that Spike has. `ttrace` is the lossless format
 * (docs/ttrace-format.md), from which ttrace(1) makes the others. A trace depends only on the
 * program, the configuration and the input; it has no path, time or pointer of the host.
 *
 * A trace that cannot be written (full disk, closed pipe) is reported once, and trace_close returns
 * false. Then there is no file, rather than an incomplete one. */
#ifndef EMU_TRACE_TRACE_H
#define EMU_TRACE_TRACE_H

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
#include "lib/trace/log.h"
#include "lib/trace/recorder.h"
#include "lib/trace/thread_name.h"
#include "lib/trace/ttrace.h"
#include <stdbool.h>
#include <stdint.h>

/* Finds the format that --trace-format names. Returns false when there is none. */
bool trace_format_by_name(const char *name, enum trace_format *format);
/* Chooses the format that the name of the file ends in after a dot, also before .zst; else text. */
void trace_format_by_ending(const char *file, enum trace_format *format);

/* The options of the command line. Zeros mean everything, as text, to standard error. */
struct trace_options {
    const char *file; /* NULL: standard error; compressed when it ends in .zst */
    enum trace_format format;
    bool has_format; /* it was given, so the name of a file does not choose it */
    bool is_kept; /* there is no file: the lines stay in trace->buffer, whose reader removes them */
    bool has_from, has_to;
    uint64_t from, to;   /* the trace is on from each pc == from up to and including the next pc ==
                            to; without `from`, from the start of the program */
    uint64_t limit;      /* maximum number of instructions; 0: no limit */
    const char *threads; /* names of the threads that it shows, separated by commas; NULL: all */
};

/* The traced program, for the header and for symbol+offset. The pointers must outlive the trace;
 * NULL where unknown. */
struct trace_program {
    const struct elf_file *file;
    const struct symbolizer *symbols;
    uint64_t machine; /* fingerprint of the machine configuration */
    unsigned workers; /* of the barrel: lines have the turn and the thread; 0: there is none */
    uint64_t moved;   /* what was added to the addresses of the file */
    /* For a lossless trace: what registers and memory hold before the first instruction, as
     * effects. */
    const struct recorder *start;
};

/* One instruction, whether it completed or trapped. */
struct trace_record {
    uint64_t sequence; /* number of instructions before this one, filtered out or not */
    uint64_t pc;
    uint64_t word;                   /* encoding, first halfword in the low bits */
    int length;                      /* bytes of the encoding; 0 when nothing could be fetched */
    unsigned privilege;              /* 0 user, 3 machine */
    bool bare;                       /* bare environment: there are modes, and traps have effects */
    const struct recorder *recorder; /* its effects in order; NULL: none */
    /* The exception that the instruction raised; NULL: none. For an ecall that the environment
     * served, it is CAUSE_USER_ECALL, and the recorder has the effects of the call. */
    const struct fault *trap;
    bool is_interrupt; /* not an instruction: an interrupt was taken before the one at pc */
    unsigned thread;   /* its number, from 1; 0: the program has one thread */
    uint64_t turn;     /* of the barrel */
    uint64_t timed;    /* its number in the pipeline of --timing, from 1; 0: none */
};

/* The text before the digits of the value of a register; empty: the register is not shown. */
struct trace_label {
    char bytes[47];
    uint8_t length;
};

enum { NAMED_THREADS = 128 };

/* The sequence number in decimal digits, which end at COUNT_END and have blanks before them. */
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
    struct trace_line *lines;          /* the same */
    size_t line_count;                 /* slots from the first one that have been used */
    uint64_t line_resets;              /* of the steps whose lines they are (struct log_steps) */
    struct ttrace_writer *lossless;    /* lossless.c; else NULL */
    struct trace_times *times;         /* the same */
    struct trace_count count, turn;    /* sequence number of the last line, and its turn */
    unsigned sequence_columns;         /* width of the sequence number in it */
    size_t effect_room;                /* maximum length of an effect of a register or CSR */
    struct trace_label labels[ISA_FILE_COUNT][ISA_REGISTER_LIMIT]; /* by file and number */
    uint64_t written;                                              /* instruction lines so far */
    unsigned harts;                                /* as many as the RVVI-TEXT has announced */
    char threads[NAMED_THREADS][THREAD_NAME_SIZE]; /* names by number, once they were needed; the
                                                       first one is of threads with more */
    bool on;
    bool is_whole; /* no line is filtered out */
};

/* Sends later diagnostics of the trace to `diag`. */
void trace_report_to(struct trace *trace, struct diag *diag);

/* Opens the file and writes the header. Returns false after a diagnostic. */
bool trace_open(struct trace *trace, struct diag *diag, const struct trace_options *options,
                const struct trace_program *program);

/* Appends the record's line, unless it is filtered out. */
void trace_instruction(struct trace *trace, const struct trace_record *record);

/* Does the trace have every instruction? */
static inline bool trace_is_whole(const struct trace *trace)
{
    return trace->is_whole && !trace->sink.failed;
}

/* Is the trace lossless, with every instruction? Then it also takes records as they are in the
 * file, by trace_directly. */
static inline bool trace_is_direct(const struct trace *trace)
{
    return trace->lossless && trace_is_whole(trace);
}

/* `timed` as in struct trace_record. */
void trace_directly(struct trace *trace, const struct ttrace_record *record, uint64_t timed);

/* Where the steps of a log begin. In a barrel each step has a turn, so there is one step. */
struct trace_start {
    uint64_t sequence; /* number of the first instruction */
    uint64_t turn;     /* of the barrel */
    unsigned thread;   /* 0: there is one only */
};

/* Appends the first `count` steps of a log. For a trace that is direct, they have no turn. The
 * effects of the recorder are lost. */
void trace_log(struct trace *trace, const struct log_steps *steps, const struct trace_start *start,
               uint64_t count, const uint64_t *log, struct recorder *recorder);

/* Tells a lossless trace the times of the instruction that has the number `timed`; others do not
 * have them. Numbers must increase. `names` as for ttrace_writer_add_time. */
void trace_time(struct trace *trace, uint64_t timed, const struct ttrace_time *time,
                const struct ttrace_time_names *names);

/* Tells a lossless trace the turns of a barrel that passed after the last instruction. */
void trace_passes(struct trace *trace, const struct ttrace_pass *passes, size_t count,
                  const struct ttrace_time_names *names);

/* Is the trace finished, because the limit is reached or the output failed? Then the program can
 * run on untraced. */
bool trace_finished(const struct trace *trace);
/* Will it be, before the program ends? */
bool trace_may_finish(const struct trace *trace);

/* Writes everything so far. Call it before anything else is written to a stream that the trace may
 * share (standard error). */
void trace_flush(struct trace *trace);

/* Closes the trace and frees everything. Returns false, after a diagnostic (perhaps an earlier
 * one), when the trace is incomplete. */
bool trace_close(struct trace *trace);

#endif
