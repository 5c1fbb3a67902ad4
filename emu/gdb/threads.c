/* The packets about threads. In the bare environment there is one. */
#include "emu/gdb/commands.h"
#include "emu/user/thread.h"
#include <errno.h>

void gdb_in_thread(struct gdb *gdb, void (*handle)(struct gdb *gdb, const char *text),
                   const char *text)
{
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
        text_format(&gdb->reply, "QC%x", user_thread_number(gdb->machine->user.thread));
}

void gdb_query_threads(struct gdb *gdb, const char *text)
{
    const struct user *user = &gdb->machine->user;

    (void)text;
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

/* Replies with the name of the thread, its id in the program, and what it does. */
void gdb_query_activity(struct gdb *gdb, const char *text)
{
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
    const struct user_thread *thread = parse_thread(gdb, text);
    bool any = strcmp(text, "-1") == 0 || strcmp(text, "0") == 0;
    if (!thread && !any) {
        gdb_reply_error(&gdb->reply, ESRCH);
        return;
    }
    if (for_registers)
        gdb->chosen = thread ? user_thread_number(thread) : 0;
    gdb_reply_ok(&gdb->reply);
}
