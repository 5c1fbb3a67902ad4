/* The bytes of a trace, from a file or a pipe, decompressed when they are Zstandard frames (known
 * by their magic number, whatever the name). They come in order, in as little memory as one read,
 * and can be had from the beginning once more: a file is read again, what comes from a pipe is
 * copied to a temporary file meanwhile. */
#ifndef EMU_TDIFF_STREAM_H
#define EMU_TDIFF_STREAM_H

#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct trace_stream {
    struct diag *diag;
    const char *name; /* for messages */
    int descriptor;
    off_t start;                 /* where the trace begins in a file */
    FILE *copy;                  /* of what came from a pipe; NULL: a file */
    bool is_copied;              /* from the copy, the second time */
    unsigned char *raw;          /* bytes as they were read; from malloc */
    size_t raw_room;             /* in bytes */
    size_t raw_at, raw_end;      /* those not used yet */
    uint64_t raw_offset;         /* of raw[raw_end] in the trace */
    struct ZSTD_DCtx_s *context; /* NULL: not compressed */
    bool in_frame, has_more;     /* of the decompressor: the frame goes on; it holds bytes back */
};

/* "-" is standard input. False after a diagnostic. */
bool trace_stream_open(struct trace_stream *stream, struct diag *diag, const char *name);
/* At most `room` bytes, *got of them; none at the end. False after a diagnostic: what cannot be
 * read, is damaged, or ends within a frame. */
bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got);
/* Call before anything is said of what was read: looks at the rest of a frame that was given out in
 * part, with its checksum. What comes next can then be read from the beginning only. False after a
 * diagnostic: it is damaged. */
bool trace_stream_verify(struct trace_stream *stream);
/* When both go on with the same compressed frame, whole, of at most `room` bytes: reads past it in
 * both, for *got bytes, which were decompressed only once; else none. False after a diagnostic. */
bool trace_streams_read_same(struct trace_stream *a, struct trace_stream *b, char *to, size_t room,
                             size_t *got);
/* Back to the beginning. False after a diagnostic. */
bool trace_stream_rewind(struct trace_stream *stream);
void trace_stream_close(struct trace_stream *stream);

#endif
