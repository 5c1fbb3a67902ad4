/* See sink.h. */
#include "emu/trace/sink.h"
#include "emu/trace/writer.h"

#include "lib/file.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    STREAM_ENOUGH = 1 << 16,
    /* A file is written in blocks at multiples of this size: the host can then move whole pages
     * instead of copying parts of them twice. A few blocks fit into the cache of a processor core,
     * so that they are still there when they are written, and when they are filled again. */
    BLOCK = 1 << 17,
    FRAME = 1 << 20, /* bytes of text in a compressed frame */
};

/* Opens the file of a lossless trace, which is written in place. */
static bool open_lossless(struct trace_sink *sink)
{
    struct position whole = {.name = sink->name};
    bool is_stdout = sink->descriptor == STDOUT_FILENO;

    sink->output = (struct output){.diag = sink->diag, .name = sink->name, .lock = -1};
    sink->output.stream = is_stdout ? fdopen(dup(STDOUT_FILENO), "wb") : fopen(sink->name, "wb");
    if (!sink->output.stream) {
        diag_error(sink->diag, &whole, "cannot write the trace: %s", strerror(errno));
        return false;
    }
    sink->descriptor = fileno(sink->output.stream);
    sink->kind = SINK_COMPRESSED;
    sink->enough = FRAME;
    sink->writer = writer_start(&sink->output, true);
    return true;
}

bool trace_sink_open(struct trace_sink *sink, struct diag *diag, const char *file, bool is_lossless)
{
    *sink = (struct trace_sink){
        .diag = diag, .name = file ? file : "<stderr>", .descriptor = STDERR_FILENO};
    sink->enough = STREAM_ENOUGH;
    if (file && strcmp(file, "-") == 0) {
        sink->name = "<stdout>";
        sink->descriptor = STDOUT_FILENO;
        return is_lossless ? open_lossless(sink) : true;
    }
    if (file && is_lossless)
        return open_lossless(sink);
    if (!file)
        return true;
    if (!output_open(&sink->output, diag, file, 0666))
        return false;
    sink->descriptor = fileno(sink->output.stream);
    if (file_name_ends(file, ".zst"))
        sink->kind = SINK_COMPRESSED;
    else if (sink->output.temporary)
        sink->kind = SINK_FILE;
    if (sink->kind != SINK_STREAM) {
        sink->enough = sink->kind == SINK_FILE ? BLOCK : FRAME;
        sink->writer = writer_start(&sink->output, sink->kind == SINK_COMPRESSED);
    }
    return true;
}

void trace_sink_keep(struct trace_sink *sink, struct diag *diag)
{
    *sink = (struct trace_sink){
        .diag = diag, .name = "<memory>", .kind = SINK_KEPT, .enough = SIZE_MAX, .descriptor = -1};
}

/* Reports the first failure. Further output is dropped. */
static void fail(struct trace_sink *sink, int error)
{
    struct position whole = {.name = sink->name};

    sink->failed = true;
    diag_error(sink->diag, &whole, "cannot write the trace: %s", strerror(error));
    output_abandon(&sink->output);
}

static void end_writer(struct trace_sink *sink, struct text *lines)
{
    int error = writer_end(sink->writer, lines);

    sink->writer = NULL;
    if (error && !sink->failed)
        fail(sink, error);
}

/* Writes the lines at once. */
static void write_out(struct trace_sink *sink, struct text *lines)
{
    int error = sink->failed ? 0 : write_all(sink->descriptor, lines->bytes, lines->length);

    if (error)
        fail(sink, error);
    text_clear(lines);
}

void trace_sink_put(struct trace_sink *sink, struct text *lines)
{
    if (!sink->writer) {
        write_out(sink, lines);
        return;
    }
    size_t length = sink->kind == SINK_FILE ? lines->length / BLOCK * BLOCK : lines->length;
    if (writer_put(sink->writer, lines, length) != 0) {
        text_clear(lines);
        end_writer(sink, lines); /* reports the same error */
    }
}

void trace_sink_flush(struct trace_sink *sink, struct text *lines)
{
    if (sink->kind == SINK_STREAM)
        write_out(sink, lines);
}

bool trace_sink_close(struct trace_sink *sink, struct text *lines)
{
    if (sink->writer)
        end_writer(sink, lines);
    else if (sink->kind != SINK_KEPT)
        write_out(sink, lines);
    if (!sink->failed && sink->output.stream && !output_commit(&sink->output))
        sink->failed = true;
    return !sink->failed;
}
