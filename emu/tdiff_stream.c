/* See tdiff_stream.h. */
#include "emu/tdiff_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { RAW_SIZE = 1 << 17 };

static bool fail(struct trace_stream *stream, const char *what, const char *why)
{
    struct position whole = {.name = *stream->name ? stream->name : "''"};

    diag_error(stream->diag, &whole, "%s: %s", what, why);
    return false;
}

static bool fail_at(struct trace_stream *stream, const char *why)
{
    struct position whole = {.name = stream->name};

    diag_error(stream->diag, &whole,
               "the compressed trace is damaged before byte %llu: %s; write it again",
               (unsigned long long)(stream->raw_offset - (stream->raw_end - stream->raw_at)), why);
    return false;
}

/* Bytes as they stand in the file or come from the pipe, which is copied. */
static bool read_raw(struct trace_stream *stream, void *to, size_t room, size_t *got)
{
    ssize_t length;

    if (stream->is_copied) {
        *got = fread(to, 1, room, stream->copy);
        return !ferror(stream->copy) || fail(stream, "cannot read its copy", strerror(errno));
    }
    do
        length = read(stream->descriptor, to, room);
    while (length < 0 && errno == EINTR);
    if (length < 0)
        return fail(stream, "cannot read", strerror(errno));
    *got = (size_t)length;
    return !stream->copy || fwrite(to, 1, *got, stream->copy) == *got ||
           fail(stream, "cannot copy the pipe to a temporary file", strerror(errno));
}

static bool fill_raw(struct trace_stream *stream)
{
    size_t got;

    if (!read_raw(stream, stream->raw + stream->raw_end, RAW_SIZE - stream->raw_end, &got))
        return false;
    stream->raw_end += got;
    stream->raw_offset += got;
    return true;
}

/* Reads on until the magic number is there, or the end. */
static bool detect_frames(struct trace_stream *stream)
{
    uint32_t magic = 0;
    size_t before;

    do {
        before = stream->raw_end;
        if (!fill_raw(stream))
            return false;
    } while (stream->raw_end < sizeof magic && stream->raw_end > before);
    if (stream->raw_end < sizeof magic)
        return true;
    memcpy(&magic, stream->raw, sizeof magic);
    if (magic != ZSTD_MAGICNUMBER &&
        (magic & ZSTD_MAGIC_SKIPPABLE_MASK) != ZSTD_MAGIC_SKIPPABLE_START)
        return true;
    stream->context = ZSTD_createDCtx();
    return stream->context || fail(stream, "cannot decompress", "the host has no memory left");
}

bool trace_stream_open(struct trace_stream *stream, struct diag *diag, const char *name)
{
    const bool is_input = strcmp(name, "-") == 0;
    struct stat status;

    *stream = (struct trace_stream){.diag = diag, .name = is_input ? "<stdin>" : name};
    stream->descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (stream->descriptor < 0 || fstat(stream->descriptor, &status) != 0)
        return fail(stream, "cannot read", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(stream, "cannot read", "it is a directory");
    if (S_ISREG(status.st_mode))
        stream->start = lseek(stream->descriptor, 0, SEEK_CUR);
    else if (!(stream->copy = tmpfile()))
        return fail(stream, "cannot copy the pipe to a temporary file", strerror(errno));
    stream->raw = malloc(RAW_SIZE);
    if (!stream->raw)
        return fail(stream, "cannot read", "the host has no memory left");
    return detect_frames(stream);
}

/* What the last bytes give, or those that come next. */
static bool decompress(struct trace_stream *stream, char *to, size_t room, size_t *got)
{
    ZSTD_outBuffer out = {.dst = to, .size = room};

    while (out.pos == 0) {
        if (!stream->has_more && stream->raw_at == stream->raw_end) {
            stream->raw_at = stream->raw_end = 0;
            if (!fill_raw(stream))
                return false;
            if (stream->raw_end == 0 && stream->in_frame)
                return fail_at(stream, "it ends within a frame");
            if (stream->raw_end == 0)
                break;
        }
        ZSTD_inBuffer in = {.src = stream->raw, .size = stream->raw_end, .pos = stream->raw_at};
        const size_t left = ZSTD_decompressStream(stream->context, &out, &in);
        stream->raw_at = in.pos;
        if (ZSTD_isError(left))
            return fail_at(stream, ZSTD_getErrorName(left));
        stream->in_frame = left != 0;
        stream->has_more = out.pos == out.size && stream->in_frame;
    }
    *got = out.pos;
    return true;
}

bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got)
{
    if (stream->context)
        return decompress(stream, to, room, got);
    if (stream->raw_at == stream->raw_end)
        return read_raw(stream, to, room, got);
    *got = stream->raw_end - stream->raw_at < room ? stream->raw_end - stream->raw_at : room;
    memcpy(to, stream->raw + stream->raw_at, *got);
    stream->raw_at += *got;
    return true;
}

bool trace_stream_rewind(struct trace_stream *stream)
{
    stream->raw_at = stream->raw_end = 0;
    stream->raw_offset = 0;
    stream->in_frame = stream->has_more = false;
    if (stream->context)
        ZSTD_DCtx_reset(stream->context, ZSTD_reset_session_only);
    if (!stream->copy)
        return lseek(stream->descriptor, stream->start, SEEK_SET) >= 0 ||
               fail(stream, "cannot read again", strerror(errno));
    stream->is_copied = true;
    return fseek(stream->copy, 0, SEEK_SET) == 0 ||
           fail(stream, "cannot read its copy", strerror(errno));
}

void trace_stream_close(struct trace_stream *stream)
{
    if (stream->copy)
        fclose(stream->copy);
    if (stream->descriptor > STDIN_FILENO)
        close(stream->descriptor);
    free(stream->raw);
    ZSTD_freeDCtx(stream->context);
}
