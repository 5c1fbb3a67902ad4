/* The output of a trace. Standard error and pipes are written at once, for readers that follow the
 * run. A file is written by a thread of its own (writer.h), and compressed when its name ends in
 * ".zst".
 *
 * A failure to write (full disk, closed pipe) is reported once. Then further output is dropped,
 * trace_sink_close returns false, and there is no file; of a lossless trace, what was written
 * stays. */
#ifndef EMU_TRACE_SINK_H
#define EMU_TRACE_SINK_H

#include "lib/diag.h"
#include "lib/output.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct writer;

enum sink_kind { SINK_STREAM, SINK_FILE, SINK_COMPRESSED, SINK_KEPT };

struct trace_sink {
    struct diag *diag;
    const char *name; /* for messages */
    enum sink_kind kind;
    size_t enough;        /* bytes that should be collected before a trace_sink_put */
    struct output output; /* the file, if there is one */
    int descriptor; /* written to directly, not through the stream of `output`; -1 after a failure
                     */
    struct writer *writer; /* NULL with SINK_STREAM or after a failure */
    bool failed;
};

/* Opens the file; NULL: standard error, "-": standard output. A lossless trace is always compressed,
 * and written to the file itself, so that it can be followed while it grows and read after an
 * interruption or a failure. Returns false after a diagnostic. */
bool trace_sink_open(struct trace_sink *sink, struct diag *diag, const char *file,
                     bool is_lossless);

/* Opens a sink that takes nothing: the lines stay in the text. */
void trace_sink_keep(struct trace_sink *sink, struct diag *diag);

/* Takes whole lines from the beginning of the text: as many as fill whole blocks for a file that is
 * not compressed, and all of them otherwise. */
void trace_sink_put(struct trace_sink *sink, struct text *lines);

/* Writes everything that was put, before others write to the same stream. Does nothing for a file,
 * which appears when it is complete. */
void trace_sink_flush(struct trace_sink *sink, struct text *lines);

/* Writes the last lines and closes the output. Returns false, after a diagnostic (perhaps an
 * earlier one), when the trace is incomplete. */
bool trace_sink_close(struct trace_sink *sink, struct text *lines);

#endif
