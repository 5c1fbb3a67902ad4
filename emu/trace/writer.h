/* Writes a trace while the program runs on, compressed with libzstd or as it is, on the processors
 * that are free.
 *
 * Compressed, what is put at once becomes a frame of the Zstandard format (RFC 8878), independent
 * of the others and with a checksum; the file is the frames in order, so any tool that reads .zst
 * reads it. The bytes depend on what was put and on the version of libzstd alone, not on the number
 * of processors or on who was faster. Memory is bounded: who puts faster than the others work,
 * works. */
#ifndef EMU_TRACE_WRITER_H
#define EMU_TRACE_WRITER_H

#include "lib/output.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>

struct writer;

/* Will write to the output's descriptor, past its stream; the output stays open until writer_end.
 * What the file replaces goes with the first call of writer_put: two long traces would fill disk
 * and memory of the host with what nobody wants any more. Without memory the tool ends. */
struct writer *writer_start(const struct output *output, bool is_compressed);
/* Takes the first `length` bytes of the text, which is exchanged for another one that holds the
 * rest. Returns errno of a failure to write these or earlier ones, or 0. */
int writer_put(struct writer *writer, struct text *text, size_t length);
/* Takes all of the text, as the last, waits until all is written, and frees everything. Returns
 * errno of a failure, or 0. */
int writer_end(struct writer *writer, struct text *text);

/* Writes all bytes, also when the descriptor takes them in pieces or later. Returns errno, or 0. */
int write_all(int descriptor, const void *bytes, size_t length);

#endif
