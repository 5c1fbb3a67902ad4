/* See writer.h. Frames wait in a ring. A free thread takes the oldest waiting frame, packs it, and
 * then writes all frames that are ready and next in order. Only one thread writes at a time. The
 * thread of the program does the same work while the ring is full, and all of it when no other
 * thread can be started. Threads start with the first frame that is not the last, because most
 * traces are short. */
#include "emu/trace/writer.h"
#include "lib/processors.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
    FRAMES = 8,  /* size of the ring */
    HELPERS = 3, /* maximum number of threads that compress; one is enough to write */
    LEVEL = 1,
};
#define RESERVE (UINT64_C(16) << 20) /* bytes reserved in the file at once */

enum frame_state { FRAME_EMPTY, FRAME_WAITING, FRAME_TAKEN, FRAME_READY };

struct frame {
    enum frame_state state;
    struct text text, packed;
};

struct writer {
    const struct output *output;
    int descriptor; /* of the output */
    bool is_compressed;
    /* For the thread that writes: bytes in the file, and bytes reserved. */
    uint64_t length, reserved;
    bool is_reserving;
    pthread_mutex_t
        mutex; /* guards all members below, except the texts of a frame that a thread has taken */
    pthread_cond_t changed;
    struct frame frames[FRAMES];
    /* Numbers of frames written and put. Frame n is in frames[n % FRAMES]. */
    uint64_t written, put;
    bool is_writing, is_ending;
    int error;
    pthread_t helpers[HELPERS];
    unsigned helper_count;
    ZSTD_CCtx *context; /* of the thread of the program; NULL when not compressed */
};

static _Noreturn void end_without_memory(void)
{
    fputs("temu: error: out of memory while the trace was written\n", stderr);
    exit(1);
}

static ZSTD_CCtx *new_context(const struct writer *writer)
{
    if (!writer->is_compressed)
        return NULL;
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context || ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, LEVEL)) ||
        ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1)))
        end_without_memory();
    return context;
}

int write_all(int descriptor, const void *bytes, size_t length)
{
    const char *at = bytes, *end = at + length;

    while (at < end) {
        ssize_t written = write(descriptor, at, (size_t)(end - at));
        struct pollfd writable = {.fd = descriptor, .events = POLLOUT};
        if (written >= 0)
            at += written;
        else if (errno == EAGAIN)
            poll(&writable, 1, -1);
        else if (errno != EINTR)
            return errno;
    }
    return 0;
}

/* Reserves room in the file in large steps, because the file system would otherwise look for it
 * page by page. When the host cannot reserve, the file grows as it is written. */
static void reserve(struct writer *writer, size_t more)
{
#ifdef FALLOC_FL_KEEP_SIZE
    while (writer->is_reserving && writer->length + more > writer->reserved) {
        writer->is_reserving = fallocate(writer->descriptor, FALLOC_FL_KEEP_SIZE,
                                         (off_t)writer->reserved, (off_t)RESERVE) == 0;
        writer->reserved += RESERVE;
    }
#endif
    writer->length += more;
}

/* Gives back the unused room. Failing to do so is not an error. */
static void give_back(const struct writer *writer)
{
    if (writer->reserved > writer->length && ftruncate(writer->descriptor, (off_t)writer->length))
        return;
}

/* Compresses the text of the frame into frame->packed, or moves it there. */
static void pack(ZSTD_CCtx *context, struct frame *frame)
{
    if (!context) {
        const struct text empty = frame->packed;
        frame->packed = frame->text;
        frame->text = empty;
        return;
    }
    size_t bound = ZSTD_compressBound(frame->text.length);

    text_clear(&frame->packed);
    char *room = text_room(&frame->packed, bound);
    size_t length = ZSTD_compress2(context, room, bound, frame->text.bytes, frame->text.length);
    if (ZSTD_isError(length))
        end_without_memory();
    text_extend(&frame->packed, room + length);
}

/* Writes the frames that are ready and next in order. The mutex is held. After a failure, frames
 * are dropped. */
static void write_ready(struct writer *writer)
{
    struct frame *frame = &writer->frames[writer->written % FRAMES];

    if (writer->is_writing)
        return;
    writer->is_writing = true;
    while (frame->state == FRAME_READY) {
        if (!writer->error) {
            pthread_mutex_unlock(&writer->mutex);
            reserve(writer, frame->packed.length);
            int error = write_all(writer->descriptor, frame->packed.bytes, frame->packed.length);
            pthread_mutex_lock(&writer->mutex);
            writer->error = error;
        }
        frame->state = FRAME_EMPTY;
        frame = &writer->frames[++writer->written % FRAMES];
    }
    writer->is_writing = false;
    pthread_cond_broadcast(&writer->changed);
}

/* Packs the oldest waiting frame. The mutex is held. Returns false when no frame waits. */
static bool work(struct writer *writer, ZSTD_CCtx *context)
{
    for (uint64_t number = writer->written; number < writer->put; number++) {
        struct frame *frame = &writer->frames[number % FRAMES];
        if (frame->state != FRAME_WAITING)
            continue;
        frame->state = FRAME_TAKEN;
        pthread_mutex_unlock(&writer->mutex);
        pack(context, frame);
        pthread_mutex_lock(&writer->mutex);
        frame->state = FRAME_READY;
        write_ready(writer);
        return true;
    }
    return false;
}

static void *help(void *argument)
{
    struct writer *writer = argument;

    ZSTD_CCtx *context = new_context(writer);

    pthread_mutex_lock(&writer->mutex);
    while (!writer->is_ending)
        if (!work(writer, context))
            pthread_cond_wait(&writer->changed, &writer->mutex);
    pthread_mutex_unlock(&writer->mutex);
    ZSTD_freeCCtx(context);
    return NULL;
}

/* Starts at most one thread fewer than there are processors, because one runs the program. Signals
 * go to the thread of the program. */
static void start_helpers(struct writer *writer)
{
    unsigned free_processors = processor_count() - 1;
    unsigned wanted = writer->is_compressed ? HELPERS : 1;
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (writer->helper_count < wanted && writer->helper_count < free_processors &&
           pthread_create(&writer->helpers[writer->helper_count], NULL, help, writer) == 0)
        writer->helper_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct writer *writer_start(const struct output *output, bool is_compressed)
{
    struct writer *writer = calloc(1, sizeof *writer);

    if (!writer)
        end_without_memory();
    writer->output = output;
    writer->descriptor = fileno(output->stream);
    writer->is_compressed = is_compressed;
    writer->is_reserving = output->temporary && !is_compressed;
    writer->context = new_context(writer);
    pthread_mutex_init(&writer->mutex, NULL);
    pthread_cond_init(&writer->changed, NULL);
    return writer;
}

/* Works until at most `most` frames are left to write. The mutex is held. */
static void drain(struct writer *writer, size_t most)
{
    while (writer->put - writer->written > most)
        if (!work(writer, writer->context))
            pthread_cond_wait(&writer->changed, &writer->mutex);
}

/* Adds a frame of the first `length` bytes; the rest stays in `text`. The mutex is held. */
static void add_frame(struct writer *writer, struct text *text, size_t length)
{
    drain(writer, FRAMES - 1);
    struct frame *frame = &writer->frames[writer->put++ % FRAMES];
    struct text rest = frame->text;
    text_clear(&rest);
    text_append_bytes(&rest, text->bytes + length, text->length - length);
    frame->text = *text;
    frame->text.length = length;
    frame->state = FRAME_WAITING;
    *text = rest;
    pthread_cond_broadcast(&writer->changed);
}

int writer_put(struct writer *writer, struct text *text, size_t length)
{
    if (writer->put == 0)
        start_helpers(writer);
    pthread_mutex_lock(&writer->mutex);
    add_frame(writer, text, length);
    int error = writer->error;
    pthread_mutex_unlock(&writer->mutex);
    return error;
}

int writer_end(struct writer *writer, struct text *text)
{
    pthread_mutex_lock(&writer->mutex);
    if (text->length || writer->put == 0)
        add_frame(writer, text, text->length);
    drain(writer, 0);
    int error = writer->error;
    writer->is_ending = true;
    pthread_cond_broadcast(&writer->changed);
    pthread_mutex_unlock(&writer->mutex);
    for (unsigned i = 0; i < writer->helper_count; i++)
        pthread_join(writer->helpers[i], NULL);
    give_back(writer);
    for (unsigned i = 0; i < FRAMES; i++) {
        text_free(&writer->frames[i].text);
        text_free(&writer->frames[i].packed);
    }
    ZSTD_freeCCtx(writer->context);
    pthread_cond_destroy(&writer->changed);
    pthread_mutex_destroy(&writer->mutex);
    free(writer);
    return error;
}
