/* The reader of the lossless trace (docs/ttrace-format.md).
 *
 * ttrace_open reads the header and the indexes, so that a segment can be chosen before any record
 * is decoded. ttrace_load begins a segment, and ttrace_next returns its records one by one. Nothing
 * in a file is trusted: a damaged one is reported, whatever its bytes. */
#ifndef LIB_TRACE_TTRACE_READ_H
#define LIB_TRACE_TTRACE_READ_H

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/isa.h"
#include "lib/trace/ttrace.h"

/* Granules [first, first + count) of memory. */
struct ttrace_run {
    uint64_t first, count;
};

struct ttrace_runs {
    bool is_everything; /* too many: any granule may be among them */
    size_t count;
    struct ttrace_run *runs; /* in order */
};

/* The value of a register, CSR or state at the end of a segment. */
struct ttrace_known {
    const char *name; /* of a state; else NULL */
    uint32_t file, number;
    uint64_t when; /* number of the record that wrote it */
    uint64_t words[ISA_WORDS_LIMIT];
};

/* The registers that a thread has written by the end of a segment. */
struct ttrace_thread {
    uint32_t thread;
    struct ttrace_known *registers;
    size_t register_count;
};

struct ttrace_segment {
    const unsigned char *bytes; /* the frame of its records */
    size_t length;
    uint64_t first_record, record_count;
    uint64_t first, last; /* sequence numbers */
    struct ttrace_runs read, written;
    struct ttrace_known *registers, *csrs, *states;
    size_t register_count, csr_count, state_count;
    /* Those that have records in the segment; none: the program has one thread so far. */
    struct ttrace_thread *threads;
    size_t thread_count;
};

struct ttrace_source {
    const char *name, *bytes;
    size_t length;
};

/* A block of times. */
struct ttrace_timed {
    const unsigned char *bytes; /* its frame */
    size_t length, size;        /* compressed, decompressed */
    uint64_t first, count;      /* the first record that has times; how many have */
};

struct ttrace {
    struct arena *arena;
    struct diag *diag;
    struct diag_file file;
    char *isa; /* fingerprint of the description */
    uint64_t machine, moved;
    unsigned workers;    /* of the barrel; 0: there was none */
    const char *program; /* bytes of the program's file; length 0: unknown */
    size_t program_length;
    struct ttrace_source *sources;
    size_t source_count;
    struct ttrace_segment *segments;
    size_t segment_count, segment_capacity;
    struct ttrace_timed *timed; /* none: the run had no --timing */
    size_t timed_count, timed_capacity;
    struct ttrace_time_names time_names;
    uint64_t record_count;
    bool is_complete; /* the run that wrote it has ended it */
};

/* Opens the trace of this name ("-": standard input). Returns false after a diagnostic. */
bool ttrace_open(struct ttrace *trace, struct arena *arena, struct diag *diag, const char *name);

/* Decodes one segment at a time. Zeros: none yet. */
struct ttrace_decoder {
    struct ttrace *trace;
    const struct ttrace_segment *segment;
    struct ttrace_cursors *cursors;
    struct recorder recorder;
    uint64_t number; /* of the record that ttrace_next returns next */
    size_t site;     /* of the record that ttrace_next returned last */
    bool failed;
};

/* Begins a segment. Returns false after a diagnostic. */
bool ttrace_load(struct ttrace_decoder *decoder, struct ttrace *trace,
                 const struct ttrace_segment *segment);
/* Decodes the next record, which is valid until the next call. Returns false at the end of the
 * segment, or after a diagnostic, when decoder->failed is set. */
bool ttrace_next(struct ttrace_decoder *decoder, struct ttrace_record *record);
/* The same, but skips records without a load or store that touches the range, which takes a third
 * of the time. Long records, which may have other effects on memory, are never skipped. */
bool ttrace_next_access(struct ttrace_decoder *decoder, uint64_t address, uint64_t length,
                        struct ttrace_record *record);
/* Has the segment long records? */
bool ttrace_has_long(const struct ttrace_decoder *decoder);
/* The sites of the segment: its different instructions. ttrace_site sets only what belongs to the
 * site. */
size_t ttrace_site_count(const struct ttrace_decoder *decoder);
void ttrace_site(const struct ttrace_decoder *decoder, size_t site, struct ttrace_record *record);
void ttrace_decoder_free(struct ttrace_decoder *decoder);

/* Reads the times from the first to the last. Zeros: at the first. */
struct ttrace_clock {
    struct ttrace *trace;
    size_t next; /* block */
    unsigned char *block;
    struct ttrace_columns *columns;
    uint64_t left, record, cycle, turn;
    struct ttrace_pass *passes; /* of the last times */
    size_t pass_capacity;
    uint64_t conflicts[TTRACE_CONFLICTS]; /* of the last times */
    bool failed;
};

/* Decodes the next times. Returns false at the end, or after a diagnostic, when clock->failed is
 * set. */
bool ttrace_clock_next(struct ttrace_clock *clock, struct ttrace *trace, struct ttrace_time *time);
void ttrace_clock_free(struct ttrace_clock *clock);

/* Returns what the thread has written by the end of a segment, of which `segment` is the last that
 * says so; NULL: nothing. Before there are threads, this is all. */
const struct ttrace_known *ttrace_thread_registers(const struct ttrace *trace,
                                                   const struct ttrace_segment *segment,
                                                   uint32_t thread, size_t *count);
/* Does the program have threads in the trace? */
bool ttrace_has_threads(const struct ttrace *trace);
/* May the segment have touched a byte of the range? */
bool ttrace_runs_touch(const struct ttrace_runs *runs, uint64_t address, uint64_t length);

#endif
