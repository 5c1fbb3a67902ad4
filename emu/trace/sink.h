/* Where the bytes of a trace go: to whoever reads along (standard error, a pipe), at once; or into
 * a file, by a thread of its own (writer.h), compressed when the file's name ends in ".zst".
 *
 * A failure to write (full disk, closed pipe) is one diagnostic; the file is then absent, what
 * comes afterwards is dropped, and trace_sink_close returns false. */
#ifndef EMU_TRACE_SINK_H
#define EMU_TRACE_SINK_H

#include "lib/diag.h"
#include "lib/output.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct writer;

enum sink_kind { SINK_STREAM, SINK_FILE, SINK_COMPRESSED };

struct trace_sink {
    struct diag *diag;
    const char *name; /* for messages */
    enum sink_kind kind;
    size_t enough;         /* bytes of whole lines that trace_sink_put wants at once */
    struct output output;  /* when it is a file */
    int descriptor;        /* written to past the stream of `output`; -1 after a failure */
    struct writer *writer; /* NULL: SINK_STREAM, or after a failure */
    bool failed;
};

/* NULL: standard error. False after a diagnostic. */
bool trace_sink_open(struct trace_sink *sink, struct diag *diag, const char *file);

/* Takes from the beginning of the text, which holds whole lines: all, or all but what is no block
 * yet. */
void trace_sink_put(struct trace_sink *sink, struct text *lines);

/* Before others write to what the trace may share with them: nothing is kept back. Does nothing for
 * a file, which is seen when it is complete. */
void trace_sink_flush(struct trace_sink *sink, struct text *lines);

/* Takes the last lines and ends. False, after a diagnostic (perhaps an earlier one), when the trace
 * is not complete. */
bool trace_sink_close(struct trace_sink *sink, struct text *lines);

#endif
