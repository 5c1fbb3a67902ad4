/* Writes a trace to a file while the program runs, on free processors, and compresses it with
 * libzstd if wanted.
 *
 * When compressing, each text that is put becomes a frame of the Zstandard format (RFC 8878) with a
 * checksum, independent of the others. The file is the frames in order, so any tool that reads .zst
 * reads it. Its bytes depend only on the texts and on the version of libzstd, not on the number of
 * processors or on timing. Memory is bounded: when the ring of frames is full, the thread of the
 * program works on it, too. */
#ifndef EMU_TRACE_WRITER_H
#define EMU_TRACE_WRITER_H

#include "lib/output.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct writer;

/* Starts to write to the output's descriptor, not through its stream. The output stays open until
 * writer_end. Out of memory ends the tool. */
struct writer *writer_start(const struct output *output, bool is_compressed);
/* Takes the first `length` bytes of the text and leaves the rest in it. Returns the errno of a
 * failure to write these or earlier bytes, or 0. */
int writer_put(struct writer *writer, struct text *text, size_t length);
/* Takes the last text, waits until everything is written, and frees everything. Returns the errno
 * of a failure, or 0. */
int writer_end(struct writer *writer, struct text *text);

/* Writes all bytes, even if the descriptor takes them in pieces or makes the writer wait. Returns
 * errno, or 0. */
int write_all(int descriptor, const void *bytes, size_t length);

#endif
