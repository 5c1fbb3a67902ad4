/* The session: serves packets until the program ends, the client detaches, or the connection is
 * lost. The packets themselves are in commands.c. */
#include "emu/gdb/commands.h"
#include "emu/gdb/target.h"
#include "emu/host_signal.h"
#include "lib/clock.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>

/* Waits for a packet. The wait does not count for --timeout. */
static enum gdb_event receive(struct gdb *gdb)
{
    uint64_t before = clock_now();
    enum gdb_event event = gdb_link_receive(&gdb->link);

    if (gdb->machine->deadline)
        gdb->machine->deadline += clock_now() - before;
    return event;
}

/* Ends the program after the connection was lost, since it must not run on alone, or was given up
 * because of a signal of the host. */
static void lose(struct gdb *gdb)
{
    gdb->over = gdb->ended = true;
    gdb->end = RUN_STOPPED;
    if (host_signal_end())
        return;
    diag_error(
        gdb->diag, NULL,
        "gdb: the connection was lost, so the program was ended; use 'detach' to let it continue");
    gdb->machine->user.exited = true;
    gdb->machine->user.status = EXIT_FAILURE;
    gdb->end = RUN_EXIT;
}

static void serve(struct gdb *gdb)
{
    while (!gdb->over) {
        text_clear(&gdb->reply);
        gdb->silent = false;
        enum gdb_event event = receive(gdb);
        if (event == GDB_MALFORMED)
            gdb_reply_error(&gdb->reply, EBADMSG);
        else if (event == GDB_PACKET)
            gdb_command(gdb);
        if (!gdb->silent && event != GDB_CLOSED)
            gdb_link_send(&gdb->link, gdb->reply.bytes, gdb->reply.length);
        if (gdb->link.closed && !gdb->over)
            lose(gdb);
    }
}

static bool interrupted(void *context)
{
    return gdb_link_interrupted(context);
}

enum run_end gdb_run(struct gdb *gdb)
{
    struct machine *machine = gdb->machine;

    gdb->watcher.interrupted = interrupted;
    gdb->watcher.context = &gdb->link;
    machine->watcher = &gdb->watcher;
    gdb_target_describe(machine, &gdb->description);
    gdb_begin_stop(gdb, SIGTRAP);
    serve(gdb);
    /* A client that has left does not see further signals. */
    if (!gdb->ended && gdb->watcher.signal) {
        gdb->watcher.ignored = UINT64_MAX;
        gdb->ended = !user_signal_pass(machine, gdb->watcher.signal);
        gdb->end = RUN_EXIT;
    }
    machine->watcher = NULL;
    gdb->watcher.count = gdb->watcher.watchpoints = 0;
    gdb_link_close(&gdb->link);
    gdb_choose_recorder(gdb);
    return gdb->ended ? gdb->end : machine_run(machine, gdb->max_instructions);
}

void gdb_close(struct gdb *gdb)
{
    gdb_link_close(&gdb->link);
    text_free(&gdb->description);
    text_free(&gdb->stop);
    text_free(&gdb->reply);
}
