/* The packets about threads. In the bare environment without a barrel there is one. The threads of
 * a barrel are numbered from 1, the supervisor. */
#include "emu/gdb/commands.h"
#include "emu/user/thread.h"
#include "emu/workers/workers.h"
#include <errno.h>

uint32_t gdb_running(const struct gdb *gdb)
{
    const struct machine *machine = gdb->machine;

    return machine->workers ? (uint32_t)workers_self(machine) + 1
                            : user_thread_number(machine->user.thread);
}

/* A worker that ended in a step is listed until the program goes on: gdb expects that the thread
 * that took a step is the one that stops. */
bool gdb_lists_worker(const struct machine *machine, uint64_t number)
{
    return number && number <= machine->workers->count + 1 &&
           (number == workers_self(machine) + 1 || !workers_is_idle(machine, (unsigned)number - 1));
}

/* The same as gdb_in_thread for the threads of a barrel. */
static void in_worker(struct gdb *gdb, void (*handle)(struct gdb *gdb, const char *text),
                      const char *text)
{
    struct machine *machine = gdb->machine;
    unsigned running = (unsigned)workers_self(machine);

    if (gdb_lists_worker(machine, gdb->chosen))
        workers_give_hart(machine, gdb->chosen - 1);
    handle(gdb, text);
    workers_give_hart(machine, running);
}

void gdb_in_thread(struct gdb *gdb, void (*handle)(struct gdb *gdb, const char *text),
                   const char *text)
{
    if (gdb->machine->workers) {
        in_worker(gdb, handle, text);
        return;
    }
    struct user *user = &gdb->machine->user;
    struct user_thread *running = user->thread;
    struct user_thread *chosen = user_numbered_thread(user, gdb->chosen);

    user_show_thread(gdb->machine, chosen ? chosen : running);
    handle(gdb, text);
    user_show_thread(gdb->machine, running);
}

void gdb_query_thread(struct gdb *gdb, const char *text)
{
    if (!*text) /* other packets begin with the same letters */
        text_format(&gdb->reply, "QC%x", gdb_running(gdb));
}

static void list_workers(struct gdb *gdb)
{
    for (unsigned i = 0; i <= gdb->machine->workers->count; i++)
        if (gdb_lists_worker(gdb->machine, i + 1))
            text_format(&gdb->reply, "%c%x", i ? ',' : 'm', i + 1);
}

void gdb_query_threads(struct gdb *gdb, const char *text)
{
    const struct user *user = &gdb->machine->user;

    (void)text;
    if (gdb->machine->workers) {
        list_workers(gdb);
        return;
    }
    for (unsigned i = 0; i < user->thread_count; i++)
        text_format(&gdb->reply, "%c%x", i ? ',' : 'm', user_thread_number(user->threads[i]));
}

void gdb_query_more_threads(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "l");
}

static struct user_thread *parse_thread(struct gdb *gdb, const char *text)
{
    uint64_t number;

    return gdb_parse_number(&text, &number) && !*text
               ? user_numbered_thread(&gdb->machine->user, number)
               : NULL;
}

/* Parses the number of a thread; returns 0 if there is none. */
static uint64_t parse_number(struct gdb *gdb, const char *text)
{
    uint64_t number;

    if (gdb->machine->workers)
        return gdb_parse_number(&text, &number) && !*text && gdb_lists_worker(gdb->machine, number)
                   ? number
                   : 0;
    const struct user_thread *thread = parse_thread(gdb, text);
    return thread ? user_thread_number(thread) : 0;
}

static void describe_worker(struct gdb *gdb, const char *text)
{
    const struct machine *machine = gdb->machine;
    uint64_t number = parse_number(gdb, text);
    struct text activity = TEXT_INIT;

    if (!number) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    unsigned worker = (unsigned)number - 1;
    const struct user_thread *thread = user_worker_thread(&machine->user, worker);
    text_append(&activity, workers_name(machine, worker));
    if (thread && machine->user.is_threaded)
        text_format(&activity, ", %s, id %u", thread->name, thread->id);
    text_format(&activity, ": %s", user_worker_activity(machine, worker));
    gdb_append_bytes(&gdb->reply, activity.bytes, activity.length);
    text_free(&activity);
}

/* Replies with the name of the thread, its id in the program, and what it does. */
void gdb_query_activity(struct gdb *gdb, const char *text)
{
    if (gdb->machine->workers) {
        describe_worker(gdb, text);
        return;
    }
    const struct user_thread *thread = parse_thread(gdb, text);
    struct text activity = TEXT_INIT;

    if (!thread) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    if (!gdb->machine->bare.active)
        text_format(&activity, "%s, id %u: ", thread->name, thread->id);
    text_append(&activity, user_thread_activity(thread));
    gdb_append_bytes(&gdb->reply, activity.bytes, activity.length);
    text_free(&activity);
}

/* `H` operation thread, `T` thread. Thread 0 means any thread, -1 all threads. */
void gdb_choose_thread(struct gdb *gdb, const char *text)
{
    bool for_registers = strncmp(text, "Hg", 2) == 0;

    if (*text++ == 'H' && *text)
        text++;
    uint64_t number = parse_number(gdb, text);
    bool any = strcmp(text, "-1") == 0 || strcmp(text, "0") == 0;
    if (!number && !any) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    if (for_registers)
        gdb->chosen = (uint32_t)number;
    gdb_reply_ok(&gdb->reply);
}
