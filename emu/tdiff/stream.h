/* The bytes of a trace from a file or a pipe. Zstandard frames are decompressed; they are found by
 * their magic number, whatever the name. The bytes are read in order, with little memory, and can
 * be read once more from the beginning: a file is read again, a pipe is copied to a temporary file
 * meanwhile, and a lossless trace is converted again. */
#ifndef EMU_TDIFF_STREAM_H
#define EMU_TDIFF_STREAM_H

#include "emu/tdiff/converted.h"
#include "lib/diag.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

struct trace_stream {
    struct diag *diag;
    const char *name; /* for messages */
    unsigned limit;   /* largest window of a compressed frame, in MiB */
    int descriptor;
    off_t start;                 /* offset of the trace in a file */
    FILE *copy;                  /* copy of the bytes of a pipe; NULL: a file */
    bool is_copied;              /* the copy is being read */
    unsigned char *raw;          /* bytes as read; from malloc */
    size_t raw_room;             /* size of raw */
    size_t raw_at, raw_end;      /* the unused part of raw */
    uint64_t raw_offset;         /* offset of raw[raw_end] in the trace */
    struct ZSTD_DCtx_s *context; /* NULL: not compressed */
    bool in_frame, has_more;     /* a frame has begun; the decompressor holds bytes back */
    struct converted *converted; /* a lossless trace, instead of all these; else NULL */
};

/* Opens the trace; "-" is standard input. A compressed frame whose window, the part that the
 * decompressor has to keep, is larger than `limit` MiB is an error. Returns false after a
 * diagnostic. */
bool trace_stream_open(struct trace_stream *stream, struct diag *diag, const char *name,
                       unsigned limit);
/* Opens a lossless trace, whose bytes are those of `ttrace convert` in this format. */
bool trace_stream_convert(struct trace_stream *stream, struct arena *arena, struct diag *diag,
                          const char *name, enum trace_format format);
/* Reads at most `room` bytes; *got is their number, 0 at the end. Returns false after a diagnostic
 * when the trace cannot be read, is damaged, or ends in the middle of a frame. */
bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got);
/* Verifies the checksum of a frame of which only a part was read. Call it before anything is
 * reported about the bytes. After it, the stream can only be read from the beginning. Returns false
 * after a diagnostic when the frame is damaged. */
bool trace_stream_verify(struct trace_stream *stream);
/* Reads the next frame of both traces when it is the same whole compressed frame, of at most `room`
 * bytes. It is decompressed once; *got is its length, 0 when the frames differ. Returns false after
 * a diagnostic. */
bool trace_streams_read_same(struct trace_stream *a, struct trace_stream *b, char *to, size_t room,
                             size_t *got);
/* Starts to read again from the beginning. Returns false after a diagnostic. */
bool trace_stream_rewind(struct trace_stream *stream);
void trace_stream_close(struct trace_stream *stream);

#endif
