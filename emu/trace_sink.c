/* See trace_sink.h. Into a file, whole blocks are written at offsets that are multiples of their
 * size: the host moves pages, where else it would copy parts of them twice. A reader of a pipe gets
 * whole lines. */
#include "emu/trace_sink.h"
#include "emu/trace_compress.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum {
    STREAM_ENOUGH = 1 << 16,
    BLOCK = 1 << 18, /* stays in a processor's own cache */
};

static bool is_compressed(const char *file)
{
    static const char ending[] = ".zst";
    const size_t length = strlen(file);

    return length >= sizeof ending - 1 && strcmp(file + length - (sizeof ending - 1), ending) == 0;
}

bool trace_sink_open(struct trace_sink *sink, struct diag *diag, const char *file)
{
    *sink = (struct trace_sink){
        .diag = diag, .name = file ? file : "<stderr>", .descriptor = STDERR_FILENO};
    sink->enough = STREAM_ENOUGH;
    if (!file)
        return true;
    if (!output_open(&sink->output, diag, file, 0666))
        return false;
    sink->descriptor = fileno(sink->output.stream);
    if (is_compressed(file)) {
        sink->kind = SINK_COMPRESSED;
        sink->enough = COMPRESSOR_FRAME;
        sink->compressor = compressor_start(sink->descriptor);
    } else if (sink->output.temporary) {
        sink->kind = SINK_FILE;
        sink->enough = BLOCK;
    }
    return true;
}

static void fail(struct trace_sink *sink, int error)
{
    struct position whole = {.name = sink->name};

    if (sink->failed)
        return;
    sink->failed = true;
    diag_error(sink->diag, &whole, "cannot write the trace: %s", strerror(error));
    if (sink->compressor)
        compressor_end(sink->compressor);
    sink->compressor = NULL;
    output_abandon(&sink->output);
    sink->descriptor = -1;
}

/* Writes, or drops after a failure, the first `length` bytes. */
static void write_out(struct trace_sink *sink, struct text *lines, size_t length)
{
    if (length == 0)
        return;
    if (!sink->failed) {
        const int error = write_all(sink->descriptor, lines->bytes, length);
        if (error)
            fail(sink, error);
    }
    memmove(lines->bytes, lines->bytes + length, lines->length - length);
    lines->length -= length;
}

static void compress(struct trace_sink *sink, struct text *lines)
{
    const int error = sink->failed ? 0 : compressor_put(sink->compressor, lines);

    if (error)
        fail(sink, error);
    text_clear(lines);
}

void trace_sink_put(struct trace_sink *sink, struct text *lines)
{
    if (sink->kind == SINK_COMPRESSED)
        compress(sink, lines);
    else
        write_out(sink, lines,
                  sink->kind == SINK_FILE ? lines->length / BLOCK * BLOCK : lines->length);
}

void trace_sink_flush(struct trace_sink *sink, struct text *lines)
{
    if (sink->kind == SINK_STREAM)
        write_out(sink, lines, lines->length);
}

bool trace_sink_close(struct trace_sink *sink, struct text *lines)
{
    int error = 0;

    if (sink->kind != SINK_COMPRESSED) {
        write_out(sink, lines, lines->length);
    } else if (!sink->failed) {
        compress(sink, lines);
        error = sink->compressor ? compressor_end(sink->compressor) : 0;
        sink->compressor = NULL;
    }
    if (error)
        fail(sink, error);
    if (!sink->failed && sink->output.stream && !output_commit(&sink->output))
        sink->failed = true;
    return !sink->failed;
}
