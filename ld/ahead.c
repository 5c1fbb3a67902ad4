/* Opening, reading and parsing many small objects is half of the time of a link. Of that, only
 * entering their global symbols has to be done in the order of the command line. Two threads read
 * and parse: the second one all the time, the link itself while it waits for a file that the second
 * one has in hand. They take the next file from one list, and stay a limited number of files before
 * the link, so that little memory holds files that are not needed yet.
 *
 * Each thread has a copy of the linker for memory and the number of errors. Neither prints: the
 * link reads a file with errors again, at its place. */
#include "ld/ahead.h"

#include "ld/object.h"
#include "lib/processors.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { FEWEST_FILES = 16, DISTANCE = 64, SMALL_FILE = 64 * 1024 };
enum { LINK, HELPER, WORKERS };

struct worker {
    struct linker linker;
    unsigned char buffer[SMALL_FILE];
};

struct ahead {
    struct worker workers[WORKERS];
    struct ahead_file *files;
    size_t count, taken; /* `taken`: the link has asked for */
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows, and `done` of files */
    pthread_cond_t moved;
    size_t started; /* somebody has started with */
    bool ended;
};

/* Reading the pages of a mapped file at once saves page faults. */
static void read_pages(const struct ahead_file *file)
{
#ifdef MADV_POPULATE_READ
    madvise((void *)(uintptr_t)file->contents.bytes, file->contents.length, MADV_POPULATE_READ);
#else
    madvise((void *)(uintptr_t)file->contents.bytes, file->contents.length, MADV_WILLNEED);
#endif
}

static void parse(struct linker *linker, struct ahead_file *file, const void *bytes, size_t length,
                  bool temporary)
{
    if (!elf_is_elf(bytes, length))
        return;
    file->object = object_parse(linker, file->name, bytes, length, temporary);
    if (linker->diag.errors)
        file->object = NULL;
    linker->diag.errors = 0;
}

/* Reads a small object into a buffer, from which parsing copies what the link needs: most of an
 * object are tables that it does not. */
static void load_small(struct worker *worker, struct ahead_file *file)
{
    size_t length = file->identity.size;

    if (file_read_identified(file->name, &file->identity, worker->buffer))
        parse(&worker->linker, file, worker->buffer, length, true);
    file->good = file->object;
}

static void load_large(struct worker *worker, struct ahead_file *file)
{
    struct diag_file *contents = &file->contents;

    file->good = !file_load(&worker->linker.arena, file->name, contents, &file->mapped);
    if (!file->good)
        return;
    if (file->mapped)
        read_pages(file);
    parse(&worker->linker, file, contents->bytes, contents->length, false);
}

/* Leaves files that are not regular to the link: it can block to open or to read them, and their
 * bytes can be read only once. */
static void load(struct worker *worker, struct ahead_file *file)
{
    file->identity = file_identify(file->name);
    if (file->identity.exists && file->identity.size < sizeof worker->buffer)
        load_small(worker, file);
    else if (file->identity.exists)
        load_large(worker, file);
}

static bool can_start(const struct ahead *ahead)
{
    return ahead->started < ahead->count && ahead->started < ahead->taken + DISTANCE;
}

/* Does the next file. The lock is held before and after. */
static void do_next(struct ahead *ahead, unsigned worker)
{
    struct ahead_file *file = &ahead->files[ahead->started++];

    pthread_mutex_unlock(&ahead->lock);
    load(&ahead->workers[worker], file);
    pthread_mutex_lock(&ahead->lock);
    file->done = true;
}

static void *read_files(void *context)
{
    struct ahead *ahead = context;

    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ended && ahead->started < ahead->count) {
        if (can_start(ahead)) {
            do_next(ahead, HELPER);
            pthread_cond_signal(&ahead->moved);
        } else {
            pthread_cond_wait(&ahead->moved, &ahead->lock);
        }
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

static bool is_wanted(const struct input *input)
{
    return input->kind == INPUT_FILE && strcmp(input->name, "-") != 0;
}

static void start_worker(struct linker *copy, const struct linker *linker)
{
    memcpy(copy, linker, sizeof *copy);
    copy->arena = copy->scratch = (struct arena)ARENA_INIT;
    copy->diag.quiet = true;
}

void ahead_start(struct linker *linker)
{
    const struct config *config = &linker->config;

    if (config->input_count < FEWEST_FILES || processor_count() < 2)
        return;
    struct ahead *ahead = arena_new(&linker->arena, struct ahead);
    ahead->files = arena_array(&linker->arena, config->input_count, sizeof *ahead->files);
    for (size_t i = 0; i < config->input_count; i++)
        if (is_wanted(&config->inputs[i]))
            ahead->files[ahead->count++].name = config->inputs[i].name;
    for (unsigned i = 0; i < WORKERS; i++)
        start_worker(&ahead->workers[i].linker, linker);
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->moved, NULL);
    if (pthread_create(&ahead->thread, NULL, read_files, ahead) == 0)
        linker->ahead = ahead;
}

const struct ahead_file *ahead_take(struct linker *linker, const char *name)
{
    struct ahead *ahead = linker->ahead;

    if (!ahead || ahead->taken == ahead->count || ahead->files[ahead->taken].name != name)
        return NULL;
    const struct ahead_file *wanted = &ahead->files[ahead->taken];
    pthread_mutex_lock(&ahead->lock);
    ahead->taken++;
    while (!wanted->done) {
        if (can_start(ahead))
            do_next(ahead, LINK);
        else
            pthread_cond_wait(&ahead->moved, &ahead->lock);
    }
    /* Wakes the thread rarely: each time costs more than the reading of a file. */
    if (ahead->started <= ahead->taken + DISTANCE / 2)
        pthread_cond_signal(&ahead->moved);
    pthread_mutex_unlock(&ahead->lock);
    return wanted->good ? wanted : NULL;
}

void ahead_end(struct linker *linker)
{
    struct ahead *ahead = linker->ahead;

    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ended = true;
    pthread_cond_signal(&ahead->moved);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    pthread_cond_destroy(&ahead->moved);
    pthread_mutex_destroy(&ahead->lock);
    for (unsigned i = 0; i < WORKERS; i++)
        arena_free(&ahead->workers[i].linker.scratch);
}

void ahead_free(struct linker *linker)
{
    for (unsigned i = 0; linker->ahead && i < WORKERS; i++)
        arena_free(&linker->ahead->workers[i].linker.arena);
}
