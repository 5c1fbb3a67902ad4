/* See trace_compress.h. Frames wait in a ring. Whoever is free takes the oldest that nobody has
 * taken, compresses it, and writes all that are next in line and ready; only one writes at a time.
 * The thread of the program does the same while the ring is full, and does it all where no other
 * thread can be had. */
#include "emu/trace_compress.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

enum {
    FRAMES = 8,  /* in the ring */
    HELPERS = 3, /* threads at most */
    LEVEL = 1,
};

enum frame_state { FRAME_EMPTY, FRAME_WAITING, FRAME_TAKEN, FRAME_READY };

struct frame {
    enum frame_state state;
    struct text text, packed;
};

struct compressor {
    int descriptor;
    pthread_mutex_t
        mutex; /* holds for all below but the texts of a frame that somebody has taken */
    pthread_cond_t changed;
    struct frame frames[FRAMES];
    /* Frames by number: written, and put. Number n is in frames[n % FRAMES]. */
    uint64_t written, put;
    bool is_writing, is_ending;
    int error;
    pthread_t helpers[HELPERS];
    unsigned helper_count;
    ZSTD_CCtx *context; /* of the thread that puts */
};

static _Noreturn void end_without_memory(void)
{
    fputs("temu: error: no memory left to compress the trace\n", stderr);
    exit(1);
}

static ZSTD_CCtx *new_context(void)
{
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
        const ssize_t written = write(descriptor, at, (size_t)(end - at));
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

/* Into frame->packed. */
static void pack(ZSTD_CCtx *context, struct frame *frame)
{
    const size_t bound = ZSTD_compressBound(frame->text.length);

    text_clear(&frame->packed);
    char *room = text_room(&frame->packed, bound);
    const size_t length =
        ZSTD_compress2(context, room, bound, frame->text.bytes, frame->text.length);
    if (ZSTD_isError(length))
        end_without_memory();
    text_extend(&frame->packed, room + length);
}

/* With the mutex held: writes what is next in line and ready. After a failure it is dropped. */
static void write_ready(struct compressor *compressor)
{
    struct frame *frame = &compressor->frames[compressor->written % FRAMES];

    if (compressor->is_writing)
        return;
    compressor->is_writing = true;
    while (frame->state == FRAME_READY) {
        if (!compressor->error) {
            pthread_mutex_unlock(&compressor->mutex);
            const int error =
                write_all(compressor->descriptor, frame->packed.bytes, frame->packed.length);
            pthread_mutex_lock(&compressor->mutex);
            compressor->error = error;
        }
        frame->state = FRAME_EMPTY;
        frame = &compressor->frames[++compressor->written % FRAMES];
    }
    compressor->is_writing = false;
    pthread_cond_broadcast(&compressor->changed);
}

/* With the mutex held: compresses the oldest frame that waits; false when none does. */
static bool work(struct compressor *compressor, ZSTD_CCtx *context)
{
    for (uint64_t number = compressor->written; number < compressor->put; number++) {
        struct frame *frame = &compressor->frames[number % FRAMES];
        if (frame->state != FRAME_WAITING)
            continue;
        frame->state = FRAME_TAKEN;
        pthread_mutex_unlock(&compressor->mutex);
        pack(context, frame);
        pthread_mutex_lock(&compressor->mutex);
        frame->state = FRAME_READY;
        write_ready(compressor);
        return true;
    }
    return false;
}

static void *help(void *argument)
{
    struct compressor *compressor = argument;
    ZSTD_CCtx *context = new_context();

    pthread_mutex_lock(&compressor->mutex);
    while (!compressor->is_ending)
        if (!work(compressor, context))
            pthread_cond_wait(&compressor->changed, &compressor->mutex);
    pthread_mutex_unlock(&compressor->mutex);
    ZSTD_freeCCtx(context);
    return NULL;
}

/* Processors that the tool may run on. */
static int count_processors(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

/* One fewer than there are processors: one is busy with the program. Signals are the program's. */
static void start_helpers(struct compressor *compressor)
{
    const int processors = count_processors();
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (compressor->helper_count < HELPERS && (int)compressor->helper_count + 1 < processors &&
           pthread_create(&compressor->helpers[compressor->helper_count], NULL, help, compressor) ==
               0)
        compressor->helper_count++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

struct compressor *compressor_start(int descriptor)
{
    struct compressor *compressor = calloc(1, sizeof *compressor);

    if (!compressor)
        end_without_memory();
    compressor->descriptor = descriptor;
    compressor->context = new_context();
    pthread_mutex_init(&compressor->mutex, NULL);
    pthread_cond_init(&compressor->changed, NULL);
    start_helpers(compressor);
    return compressor;
}

/* With the mutex held: until `most` frames at most are not written, this thread works, too. */
static void drain(struct compressor *compressor, unsigned most)
{
    while (compressor->put - compressor->written > most)
        if (!work(compressor, compressor->context))
            pthread_cond_wait(&compressor->changed, &compressor->mutex);
}

int compressor_put(struct compressor *compressor, struct text *text)
{
    pthread_mutex_lock(&compressor->mutex);
    drain(compressor, FRAMES - 1);
    struct frame *frame = &compressor->frames[compressor->put++ % FRAMES];
    const struct text empty = frame->text;
    frame->text = *text;
    frame->state = FRAME_WAITING;
    pthread_cond_broadcast(&compressor->changed);
    const int error = compressor->error;
    pthread_mutex_unlock(&compressor->mutex);
    *text = empty;
    text_clear(text);
    return error;
}

int compressor_end(struct compressor *compressor)
{
    pthread_mutex_lock(&compressor->mutex);
    drain(compressor, 0);
    const int error = compressor->error;
    compressor->is_ending = true;
    pthread_cond_broadcast(&compressor->changed);
    pthread_mutex_unlock(&compressor->mutex);
    for (unsigned i = 0; i < compressor->helper_count; i++)
        pthread_join(compressor->helpers[i], NULL);
    for (unsigned i = 0; i < FRAMES; i++) {
        text_free(&compressor->frames[i].text);
        text_free(&compressor->frames[i].packed);
    }
    ZSTD_freeCCtx(compressor->context);
    pthread_cond_destroy(&compressor->changed);
    pthread_mutex_destroy(&compressor->mutex);
    free(compressor);
    return error;
}
