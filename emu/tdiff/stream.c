/* See stream.h. A frame of the usual size is decompressed as a whole, and its checksum is verified
 * before any of its bytes are returned. Of a larger frame (zstd makes one frame of a whole file),
 * parts are returned before its checksum is read. */
#include "emu/tdiff/stream.h"
#include "lib/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

enum {
    RAW_SIZE = 1 << 17,
    FRAMES_SIZE =
        1 << 21, /* bytes read at once from a compressed trace: more than a frame of temu's */
};

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

/* Reads bytes of the file or pipe without decompressing them. Those of a pipe are copied. */
static bool read_raw(struct trace_stream *stream, void *to, size_t room, size_t *got)
{
    ssize_t length;

    if (stream->is_copied) {
        *got = fread(to, 1, room, stream->copy);
        return !ferror(stream->copy) ||
               fail(stream, "cannot read its temporary copy", strerror(errno));
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

    if (!read_raw(stream, stream->raw + stream->raw_end, stream->raw_room - stream->raw_end, &got))
        return false;
    stream->raw_end += got;
    stream->raw_offset += got;
    return true;
}

/* Reads until the magic number is complete or the trace ends, and finds whether it is compressed.
 */
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
    unsigned char *larger = realloc(stream->raw, FRAMES_SIZE);
    if (larger) {
        stream->raw = larger;
        stream->raw_room = FRAMES_SIZE;
        stream->context = ZSTD_createDCtx();
    }
    if (!stream->context)
        return fail(stream, "cannot decompress", "the host has no memory left");
    int bits = 20; /* of 1 MiB */
    while (stream->limit >> (bits - 20) > 1)
        bits++;
    ZSTD_DCtx_setParameter(stream->context, ZSTD_d_windowLogMax, bits);
    return true;
}

bool trace_stream_open(struct trace_stream *stream, struct diag *diag, const char *name,
                       unsigned limit)
{
    bool is_input = strcmp(name, "-") == 0;
    struct stat status;

    *stream =
        (struct trace_stream){.diag = diag, .name = is_input ? "<stdin>" : name, .limit = limit};
    stream->descriptor = is_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (stream->descriptor < 0 || fstat(stream->descriptor, &status) != 0 ||
        !file_is_open(stream->descriptor))
        return fail(stream, "cannot read", strerror(errno));
    if (S_ISDIR(status.st_mode))
        return fail(stream, "cannot read", "it is a directory");
    if (S_ISREG(status.st_mode))
        stream->start = lseek(stream->descriptor, 0, SEEK_CUR);
    else if (!(stream->copy = tmpfile()))
        return fail(stream, "cannot copy the pipe to a temporary file", strerror(errno));
    stream->raw = malloc(RAW_SIZE);
    stream->raw_room = RAW_SIZE;
    if (!stream->raw)
        return fail(stream, "cannot read", "the host has no memory left");
    return detect_frames(stream);
}

bool trace_stream_convert(struct trace_stream *stream, struct arena *arena, struct diag *diag,
                          const char *name, enum trace_format format)
{
    *stream = (struct trace_stream){.diag = diag, .descriptor = -1};
    stream->converted = converted_open(arena, diag, name, format);
    stream->name = strcmp(name, "-") == 0 ? "<stdin>" : name;
    return stream->converted != NULL;
}

static bool is_between_frames(const struct trace_stream *stream)
{
    return !stream->in_frame && !stream->has_more;
}

/* Returns the length of the next frame; 0: it is incomplete or not a frame. */
static size_t frame_length(const struct trace_stream *stream)
{
    size_t length = ZSTD_findFrameCompressedSize(stream->raw + stream->raw_at,
                                                 stream->raw_end - stream->raw_at);

    return ZSTD_isError(length) ? 0 : length;
}

/* Reads, between frames, until the next frame is complete, if there is room for it. */
static bool fill_frame(struct trace_stream *stream)
{
    bool more = true;

    while (more && frame_length(stream) == 0) {
        size_t before = stream->raw_end - stream->raw_at;
        memmove(stream->raw, stream->raw + stream->raw_at, before);
        stream->raw_at = 0;
        stream->raw_end = before;
        if (!fill_raw(stream))
            return false;
        more = stream->raw_end > before;
    }
    return true;
}

/* Returns the length of the next frame when it is complete and its contents fit into `room`;
 * otherwise 0. */
static size_t whole_frame(const struct trace_stream *stream, size_t room)
{
    size_t length = frame_length(stream);

    /* The results for an unknown size and for an error are larger than any room. */
    return length && ZSTD_getFrameContentSize(stream->raw + stream->raw_at, length) <= room ? length
                                                                                            : 0;
}

static bool decompress_frame(struct trace_stream *stream, size_t length, char *to, size_t room,
                             size_t *got)
{
    *got = ZSTD_decompressDCtx(stream->context, to, room, stream->raw + stream->raw_at, length);
    stream->raw_at += length;
    return !ZSTD_isError(*got) || fail_at(stream, ZSTD_getErrorName(*got));
}

static bool fail_window(struct trace_stream *stream)
{
    struct position whole = {.name = stream->name};

    diag_error(stream->diag, &whole,
               "its compressed frames need a window of more than %u MiB; compress it without "
               "--long, or give --limit=128",
               stream->limit);
    return false;
}

/* Decompresses the next part of a frame. */
static bool decompress_part(struct trace_stream *stream, ZSTD_outBuffer *out)
{
    if (!stream->has_more && stream->raw_at == stream->raw_end) {
        stream->raw_at = stream->raw_end = 0;
        if (!fill_raw(stream))
            return false;
        if (stream->raw_end == 0)
            return fail_at(stream, "it ends in the middle of a frame");
    }
    ZSTD_inBuffer in = {.src = stream->raw, .size = stream->raw_end, .pos = stream->raw_at};
    size_t left = ZSTD_decompressStream(stream->context, out, &in);
    stream->raw_at = in.pos;
    if (ZSTD_getErrorCode(left) == ZSTD_error_frameParameter_windowTooLarge)
        return fail_window(stream);
    if (ZSTD_isError(left))
        return fail_at(stream, ZSTD_getErrorName(left));
    stream->in_frame = left != 0;
    stream->has_more = out->pos == out->size && stream->in_frame;
    return true;
}

/* Decompresses the bytes that were read last, or the next ones. */
static bool decompress(struct trace_stream *stream, char *to, size_t room, size_t *got)
{
    ZSTD_outBuffer out = {.dst = to, .size = room};

    for (*got = 0; *got == 0; *got = out.pos) {
        if (is_between_frames(stream)) {
            if (!fill_frame(stream))
                return false;
            if (stream->raw_at == stream->raw_end)
                return true;
            size_t length = whole_frame(stream, room);
            if (length) {
                if (!decompress_frame(stream, length, to, room, &out.pos))
                    return false;
                continue;
            }
        }
        if (!decompress_part(stream, &out))
            return false;
    }
    return true;
}

bool trace_stream_verify(struct trace_stream *stream)
{
    while (stream->in_frame) {
        char passed[1 << 12];
        ZSTD_outBuffer out = {.dst = passed, .size = sizeof passed};
        if (!decompress_part(stream, &out))
            return false;
    }
    return true;
}

bool trace_streams_read_same(struct trace_stream *a, struct trace_stream *b, char *to, size_t room,
                             size_t *got)
{
    *got = 0;
    if (!a->context || !b->context || !is_between_frames(a) || !is_between_frames(b))
        return true;
    if (!fill_frame(a) || !fill_frame(b))
        return false;
    size_t length = whole_frame(a, room);
    if (length == 0 || length != whole_frame(b, room) ||
        memcmp(a->raw + a->raw_at, b->raw + b->raw_at, length) != 0)
        return true;
    b->raw_at += length;
    return decompress_frame(a, length, to, room, got);
}

bool trace_stream_read(struct trace_stream *stream, char *to, size_t room, size_t *got)
{
    if (stream->converted)
        return converted_read(stream->converted, to, room, got);
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
    if (stream->converted)
        return converted_rewind(stream->converted);
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
           fail(stream, "cannot read its temporary copy", strerror(errno));
}

void trace_stream_close(struct trace_stream *stream)
{
    if (stream->converted)
        converted_close(stream->converted);
    if (stream->copy)
        fclose(stream->copy);
    if (stream->descriptor > STDIN_FILENO)
        close(stream->descriptor);
    free(stream->raw);
    ZSTD_freeDCtx(stream->context);
}
