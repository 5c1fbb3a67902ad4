/* Compression of a trace while the program runs on, with libzstd, on the processors that are free.
 *
 * What is put becomes one frame of the Zstandard format (RFC 8878), independent of the others and
 * with a checksum; the file is the frames in order, so any tool that reads .zst reads it. The bytes
 * depend on what was put and on the version of libzstd alone, not on the number of processors or
 * on who was faster. Memory is bounded: who puts faster than the others compress, compresses. */
#ifndef EMU_TRACE_COMPRESS_H
#define EMU_TRACE_COMPRESS_H

#include "lib/text.h"

enum { COMPRESSOR_FRAME = 1 << 20 }; /* bytes worth a frame */

struct compressor;

/* Frames will be written to the descriptor. Without memory the tool ends. */
struct compressor *compressor_start(int descriptor);
/* Makes a frame of the text, which is exchanged for an empty one. Returns errno of a failure to
 * write this or an earlier frame, or 0. */
int compressor_put(struct compressor *compressor, struct text *text);
/* Waits until all is written, and frees everything. Returns errno of a failure, or 0. */
int compressor_end(struct compressor *compressor);

/* Writes all bytes, also when the descriptor takes them in pieces or later. Returns errno, or 0. */
int write_all(int descriptor, const void *bytes, size_t length);

#endif
