/* The second thread is started when there is work for it for the first time, and then waits for
 * more. Both threads take the next parts until none is left. A thread that gets no processor
 * therefore delays nothing: the other one has done the work when it comes. */
#include "ld/crew.h"

#include "lib/processors.h"
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Parts that are taken at once: several small ones, but not most of a few large ones. */
enum { GRAIN = 16, FEW = 4 * GRAIN };

struct crew {
    struct linker helper; /* of the second thread */
    struct arena arena, scratch;
    pthread_t thread;
    crew_work *work;
    void *context;
    size_t count;
    atomic_size_t next;
    pthread_mutex_t lock; /* for what follows */
    pthread_cond_t moved;
    bool offered; /* there is work that the second thread has not seen */
    bool active;  /* the second thread is working */
    bool ended;
};

static void do_parts(struct crew *crew, struct linker *worker)
{
    size_t first, grain = crew->count < FEW ? 1 : GRAIN;

    while ((first = atomic_fetch_add(&crew->next, grain)) < crew->count)
        for (size_t i = first; i < crew->count && i < first + grain; i++)
            crew->work(worker, crew->context, i);
}

static void *help(void *context)
{
    struct crew *crew = context;

    pthread_mutex_lock(&crew->lock);
    for (;;) {
        while (!crew->offered && !crew->ended)
            pthread_cond_wait(&crew->moved, &crew->lock);
        if (crew->ended)
            break;
        crew->offered = false;
        crew->active = true;
        pthread_mutex_unlock(&crew->lock);
        do_parts(crew, &crew->helper);
        pthread_mutex_lock(&crew->lock);
        crew->active = false;
        pthread_cond_signal(&crew->moved);
    }
    pthread_mutex_unlock(&crew->lock);
    return NULL;
}

static struct crew *crew_start(struct linker *linker)
{
    struct crew *crew = arena_new(&linker->arena, struct crew);

    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->moved, NULL);
    if (pthread_create(&crew->thread, NULL, help, crew) != 0)
        return NULL;
    return linker->crew = crew;
}

/* Gives the second thread the linker as it is now, with memory and a number of errors of its
 * own. */
static void copy_linker(struct crew *crew, const struct linker *linker)
{
    memcpy(&crew->helper, linker, sizeof crew->helper);
    crew->helper.arena = crew->arena;
    crew->helper.scratch = crew->scratch;
}

static void take_memory_back(struct crew *crew)
{
    crew->arena = crew->helper.arena;
    crew->scratch = crew->helper.scratch;
}

/* Returns false after an error or a warning, which has not been printed. */
static bool run_both(struct crew *crew, struct linker *linker)
{
    struct diag diag = linker->diag;

    linker->diag.quiet = true;
    copy_linker(crew, linker);
    pthread_mutex_lock(&crew->lock);
    atomic_store(&crew->next, 0);
    crew->offered = true;
    pthread_cond_signal(&crew->moved);
    pthread_mutex_unlock(&crew->lock);
    do_parts(crew, linker);
    pthread_mutex_lock(&crew->lock);
    crew->offered = false;
    while (crew->active)
        pthread_cond_wait(&crew->moved, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
    take_memory_back(crew);
    bool good = linker->diag.errors == diag.errors && crew->helper.diag.errors == diag.errors;
    linker->diag = diag;
    return good;
}

void crew_run(struct linker *linker, size_t count, bool large, crew_work *work, void *context)
{
    struct crew *crew = linker->crew;

    if (!crew && large && processor_count() > 1)
        crew = crew_start(linker);
    if (crew && large) {
        crew->work = work;
        crew->context = context;
        crew->count = count;
        if (run_both(crew, linker))
            return;
    }
    for (size_t i = 0; i < count && !diag_full(&linker->diag); i++)
        work(linker, context, i);
}

void crew_end(struct linker *linker)
{
    struct crew *crew = linker->crew;

    if (!crew)
        return;
    pthread_mutex_lock(&crew->lock);
    crew->ended = true;
    pthread_cond_signal(&crew->moved);
    pthread_mutex_unlock(&crew->lock);
    pthread_join(crew->thread, NULL);
    pthread_cond_destroy(&crew->moved);
    pthread_mutex_destroy(&crew->lock);
    arena_free(&crew->scratch);
    arena_free(&crew->arena);
}
