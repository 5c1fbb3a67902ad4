/* The table of all packets, and the functions of those that ask for something or are about the
 * session. A packet that is not in the table gets an empty reply, which means that it is not
 * supported. */
#include "emu/gdb/commands.h"
#include <errno.h>

/* ---- queries ---- */

static void query_supported(struct gdb *gdb, const char *text)
{
    gdb->reports_kind = strstr(text, "swbreak+") != NULL;
    text_format(&gdb->reply,
                "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;vContSupported+;"
                "swbreak+;hwbreak+%s",
                GDB_PACKET_LIMIT,
                gdb->machine->bare.active ? "" : ";QPassSignals+;qXfer:auxv:read+");
}

/* Replies with a part of an object. `text` is the object's annex, a colon, and `offset,length`. */
static void reply_part(struct gdb *gdb, const char *text, const char *annex, const void *bytes,
                       size_t size)
{
    uint64_t offset, length;

    if (strncmp(text, annex, strlen(annex)) != 0 || text[strlen(annex)] != ':') {
        gdb_reply_error(&gdb->reply, 0);
        return;
    }
    text += strlen(annex) + 1;
    if (!gdb_parse_range(&text, &offset, &length) || *text || offset > size) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    if (length > GDB_CHUNK)
        length = GDB_CHUNK;
    bool last = length >= size - offset;
    text_append_char(&gdb->reply, last ? 'l' : 'm');
    text_append_bytes(&gdb->reply, (const char *)bytes + offset, last ? size - offset : length);
}

static void query_description(struct gdb *gdb, const char *text)
{
    reply_part(gdb, text, "target.xml", gdb->description.bytes, gdb->description.length);
}

/* The auxiliary vector that the program began with; none in the bare environment. */
static void query_auxiliary(struct gdb *gdb, const char *text)
{
    const struct machine *machine = gdb->machine;

    if (!machine->bare.active)
        reply_part(gdb, text, "", machine->user.auxiliary, sizeof machine->user.auxiliary);
}

/* The distance between the addresses in the file and those of a position-independent program. */
static void query_offsets(struct gdb *gdb, const char *text)
{
    unsigned long long moved = gdb->program->moved;

    if (!*text)
        text_format(&gdb->reply, "Text=%llx;Data=%llx;Bss=%llx", moved, moved, moved);
}

static void pass_signals(struct gdb *gdb, const char *text)
{
    if (!gdb->machine->bare.active)
        gdb_ignore_signals(gdb, text);
}

static void query_monitor(struct gdb *gdb, const char *text)
{
    size_t length = strlen(text) / 2;
    char command[GDB_PACKET_LIMIT / 2 + 1];

    if (!gdb_parse_bytes(&text, command, length) || *text) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    command[length] = '\0';
    gdb_monitor(gdb, command);
    gdb_reply_ok(&gdb->reply);
}

/* Replies that the program was started for the debugger. Then quitting gdb ends the program. */
static void query_attached(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "0");
}

/* Turns acknowledgments off. The reply to this packet is the last one to be acknowledged. */
static void set_no_acknowledge(struct gdb *gdb, const char *text)
{
    (void)text;
    gdb->silent = true;
    if (gdb_link_send(&gdb->link, "OK", 2))
        gdb->link.no_acknowledge = true;
}

static void verbose_actions(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "vCont;c;C;s;S;r");
}

static void verbose_kill(struct gdb *gdb, const char *text)
{
    (void)text;
    gdb_kill(gdb);
    gdb_reply_ok(&gdb->reply);
}

/* ---- packets of one letter ---- */

static void reply_stop(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
}

static void detach(struct gdb *gdb, const char *text)
{
    (void)text;
    gdb_complete(gdb);
    gdb->over = true;
    gdb_reply_ok(&gdb->reply);
}

static void kill_program(struct gdb *gdb, const char *text)
{
    (void)text;
    gdb_kill(gdb);
    gdb->silent = true;
}

static void read_registers(struct gdb *gdb, const char *text)
{
    gdb_in_thread(gdb, gdb_read_registers, text);
}

static void write_registers(struct gdb *gdb, const char *text)
{
    gdb_in_thread(gdb, gdb_write_registers, text);
}

static void read_register(struct gdb *gdb, const char *text)
{
    gdb_in_thread(gdb, gdb_read_register, text);
}

static void write_register(struct gdb *gdb, const char *text)
{
    gdb_in_thread(gdb, gdb_write_register, text);
}

/* ---- dispatch ---- */

/* `name` is the beginning of the packet. The function gets the text after it, or the whole packet
 * if it serves several. The first entry that fits is used. */
static const struct command {
    const char *name;
    void (*handle)(struct gdb *gdb, const char *text);
    bool whole;
} commands[] = {
    {"?", reply_stop, false},
    {"g", read_registers, false},
    {"G", write_registers, false},
    {"p", read_register, false},
    {"P", write_register, false},
    {"m", gdb_read_memory, false},
    {"M", gdb_write_memory, true},
    {"X", gdb_write_memory, true},
    {"Z", gdb_point, true},
    {"z", gdb_point, true},
    {"c", gdb_resume_packet, true},
    {"C", gdb_resume_packet, true},
    {"s", gdb_resume_packet, true},
    {"S", gdb_resume_packet, true},
    {"H", gdb_choose_thread, true},
    {"T", gdb_choose_thread, true},
    {"D", detach, false},
    {"k", kill_program, false},
    {"qSupported", query_supported, false},
    {"qXfer:features:read:", query_description, false},
    {"qXfer:auxv:read:", query_auxiliary, false},
    {"qOffsets", query_offsets, false},
    {"QPassSignals:", pass_signals, false},
    {"qRcmd,", query_monitor, false},
    {"qfThreadInfo", gdb_query_threads, false},
    {"qsThreadInfo", gdb_query_more_threads, false},
    {"qThreadExtraInfo,", gdb_query_activity, false},
    {"qAttached", query_attached, false},
    {"qC", gdb_query_thread, false},
    {"QStartNoAckMode", set_no_acknowledge, false},
    {"vCont?", verbose_actions, false},
    {"vCont", gdb_resume_actions, false},
    {"vKill", verbose_kill, false},
};

void gdb_command(struct gdb *gdb)
{
    const char *packet = gdb->link.packet;

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        size_t length = strlen(commands[i].name);
        if (strncmp(packet, commands[i].name, length) == 0) {
            commands[i].handle(gdb, commands[i].whole ? packet : packet + length);
            return;
        }
    }
}
