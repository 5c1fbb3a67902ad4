/* Opening, reading and mapping files is work of the kernel, about a quarter of the time of a link
 * of many small objects. The thread stays a limited number of files before the link, so that little
 * memory holds files that are not needed yet. */
#include "ld/ahead.h"

#include "lib/file.h"
#include "lib/processors.h"
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

enum { FEWEST_FILES = 16, DISTANCE = 64 };

struct ahead_file {
    const char *name;
    struct diag_file contents;
    bool good, mapped;
};

struct ahead {
    struct arena *arena; /* only the thread uses it */
    struct ahead_file *files;
    size_t count;
    pthread_t thread;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t moved;
    size_t started, finished; /* files that somebody has started with; that the thread has read */
    size_t taken;             /* files that the link has asked for */
    bool ended;
};

/* Reading the pages of a mapped file here saves the link from waiting for them. */
static void read_pages(const struct ahead_file *file)
{
#ifdef MADV_POPULATE_READ
    madvise((void *)(uintptr_t)file->contents.bytes, file->contents.length, MADV_POPULATE_READ);
#else
    madvise((void *)(uintptr_t)file->contents.bytes, file->contents.length, MADV_WILLNEED);
#endif
}

/* Leaves files that are not regular to the link: it can block to open or to read them, and their
 * bytes can be read only once. */
static void load(struct ahead *ahead, struct ahead_file *file)
{
    file->good = file_identify(file->name).exists &&
                 !file_load(ahead->arena, file->name, &file->contents, &file->mapped);
    if (file->good && file->mapped)
        read_pages(file);
}

static void *read_files(void *context)
{
    struct ahead *ahead = context;

    pthread_mutex_lock(&ahead->lock);
    for (;;) {
        while (!ahead->ended && ahead->started >= ahead->taken + DISTANCE)
            pthread_cond_wait(&ahead->moved, &ahead->lock);
        if (ahead->ended || ahead->started == ahead->count)
            break;
        size_t i = ahead->started++;
        pthread_mutex_unlock(&ahead->lock);
        load(ahead, &ahead->files[i]);
        pthread_mutex_lock(&ahead->lock);
        ahead->finished = i + 1;
        pthread_cond_signal(&ahead->moved);
    }
    pthread_mutex_unlock(&ahead->lock);
    return NULL;
}

static bool is_wanted(const struct input *input)
{
    return input->kind == INPUT_FILE && strcmp(input->name, "-") != 0;
}

struct ahead *ahead_start(struct linker *linker)
{
    const struct config *config = &linker->config;

    if (config->input_count < FEWEST_FILES || processor_count() < 2)
        return NULL;
    struct ahead *ahead = arena_new(&linker->arena, struct ahead);
    ahead->arena = &linker->ahead_arena;
    ahead->files = arena_array(&linker->arena, config->input_count, sizeof *ahead->files);
    for (size_t i = 0; i < config->input_count; i++)
        if (is_wanted(&config->inputs[i]))
            ahead->files[ahead->count++].name = config->inputs[i].name;
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->moved, NULL);
    return pthread_create(&ahead->thread, NULL, read_files, ahead) == 0 ? ahead : NULL;
}

bool ahead_take(struct ahead *ahead, const char *name, struct diag_file *file, bool *mapped)
{
    if (!ahead || ahead->taken == ahead->count || ahead->files[ahead->taken].name != name)
        return false;
    struct ahead_file *wanted = &ahead->files[ahead->taken];
    pthread_mutex_lock(&ahead->lock);
    size_t number = ++ahead->taken;
    bool started = ahead->started >= number;
    if (!started)
        ahead->started = number;
    while (started && ahead->finished < number)
        pthread_cond_wait(&ahead->moved, &ahead->lock);
    /* Wakes the thread rarely: each time costs more than the reading of a file. */
    if (ahead->started <= number + DISTANCE / 2)
        pthread_cond_signal(&ahead->moved);
    pthread_mutex_unlock(&ahead->lock);
    if (!started || !wanted->good)
        return false;
    *file = wanted->contents;
    *mapped = wanted->mapped;
    return true;
}

void ahead_end(struct ahead *ahead)
{
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ended = true;
    pthread_cond_signal(&ahead->moved);
    pthread_mutex_unlock(&ahead->lock);
    pthread_join(ahead->thread, NULL);
    pthread_cond_destroy(&ahead->moved);
    pthread_mutex_destroy(&ahead->lock);
}
