/* See gdb.h. Each packet has a function that fills the reply; an empty reply says that the packet
 * is not known. */
#include "emu/gdb.h"
#include "emu/gdb_target.h"
#include "emu/report.h"
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum {
    CHUNK = GDB_PACKET_LIMIT / 2 - 16, /* bytes that fit in a packet, as hexadecimal or escaped */
    REGISTER_BYTES = 8,
    STEPS_BETWEEN_POLLS = 1024, /* in a range: for an interrupt, and for --timeout */
};

/* What is wrong, in the numbers of errno: gdb shows them. */
static void reply_error(struct gdb *gdb, int number)
{
    text_clear(&gdb->reply);
    text_format(&gdb->reply, "E%02x", number);
}

static void reply_ok(struct gdb *gdb)
{
    text_append(&gdb->reply, "OK");
}

/* ---- running ---- */

/* gdb numbers signals in its own way (include/gdb/signals.def); the first fifteen but a few are
 * those of Linux. */
static unsigned signal_for_gdb(int number)
{
    switch (number) {
    case SIGBUS:
        return 10;
    case SIGUSR1:
        return 30;
    case SIGUSR2:
        return 31;
    case SIGXCPU:
        return 24;
    default:
        return number > 0 && number <= SIGTERM ? (unsigned)number : 143; /* unknown */
    }
}

static int signal_from_gdb(uint64_t number)
{
    for (int host = 1; host < NSIG; host++)
        if (signal_for_gdb(host) == number)
            return host;
    return SIGKILL;
}

void gdb_choose_recorder(struct gdb *gdb)
{
    struct machine *machine = gdb->machine;
    const bool wanted = machine->trace || machine->stats || gdb->watcher.watchpoints;

    machine->recorder = machine->port.recorder = wanted ? gdb->recorder : NULL;
}

static void begin_stop(struct gdb *gdb, int number)
{
    text_clear(&gdb->stop);
    text_format(&gdb->stop, "T%02xthread:1;%02x:", signal_for_gdb(number), gdb_target_pc());
    gdb_append_bytes(&gdb->stop, &gdb->machine->hart.pc, REGISTER_BYTES);
    text_append_char(&gdb->stop, ';');
}

static void report_held(struct gdb *gdb)
{
    static const char *const reasons[WATCH_KINDS] = {"swbreak", "hwbreak", "watch", "rwatch",
                                                     "awatch"};
    const struct watch_point *point = watcher_find(&gdb->watcher, gdb->machine->hart.pc);

    if (gdb->watcher.met) {
        gdb->inside = true;
        gdb->next_pc = gdb->machine->hart.pc;
        gdb->machine->hart.pc = gdb->watcher.pc;
    }
    begin_stop(gdb, SIGTRAP);
    if (gdb->watcher.met)
        text_format(&gdb->stop, "%s:%" PRIx64 ";", reasons[gdb->watcher.kind],
                    gdb->watcher.address);
    else if (point && gdb->reports_kind)
        text_format(&gdb->stop, "%s:;", reasons[point->kind]);
}

static void report_end(struct gdb *gdb, enum run_end end, int number)
{
    gdb->over = gdb->ended = true;
    gdb->end = end;
    text_clear(&gdb->stop);
    if (number)
        text_format(&gdb->stop, "X%02x", signal_for_gdb(number));
    else
        text_format(&gdb->stop, "W%02x", gdb->machine->user.status & 0xff);
}

/* The machine stopped: says why. */
static void report_stop(struct gdb *gdb, enum run_end end)
{
    const struct machine *machine = gdb->machine;

    gdb->faulted = end == RUN_FAULT;
    switch (end) {
    case RUN_FAULT:
        begin_stop(gdb, fault_signal(machine->fault.cause));
        break;
    case RUN_LIMIT:
        report_end(gdb, end, SIGXCPU);
        break;
    case RUN_TIMEOUT:
        report_end(gdb, end, SIGALRM);
        break;
    case RUN_EXIT:
        if (machine->user.exited) {
            report_end(gdb, end, machine->user.signal);
            break;
        }
        __attribute__((fallthrough)); /* a call was interrupted */
    case RUN_HELD:
    case RUN_SLICE:
    case RUN_IDLE:
        if (gdb->link.interrupted && !gdb->watcher.met)
            begin_stop(gdb, SIGINT);
        else
            report_held(gdb);
        break;
    }
    gdb->link.interrupted = false;
}

/* One instruction; breakpoints do not hold it. */
static enum run_end step(struct gdb *gdb)
{
    enum run_end end;

    if (gdb->max_instructions && gdb->machine->hart.instret >= gdb->max_instructions)
        return RUN_LIMIT;
    gdb->watcher.pass = true;
    end = machine_step(gdb->machine);
    gdb->watcher.pass = false;
    return end;
}

static bool must_stop(struct gdb *gdb, uint64_t steps)
{
    const uint64_t pc = gdb->machine->hart.pc;

    return pc < gdb->range_start || pc >= gdb->range_end || gdb->watcher.met ||
           watcher_find(&gdb->watcher, pc) ||
           (steps % STEPS_BETWEEN_POLLS == 0 && gdb_link_interrupted(&gdb->link));
}

/* Steps until the pc leaves the range of the client, which is empty for a single step. `stepped`:
 * the first one is done. */
static enum run_end step_range(struct gdb *gdb, bool stepped)
{
    enum run_end end = stepped ? RUN_SLICE : step(gdb);

    for (uint64_t steps = 1; end == RUN_SLICE && !must_stop(gdb, steps); steps++) {
        if (steps % STEPS_BETWEEN_POLLS == 0 && machine_expired(gdb->machine))
            return RUN_TIMEOUT;
        end = step(gdb);
    }
    return end;
}

/* Leaves the instruction that a watchpoint stopped in; false when there is none, or the client
 * moved the pc. */
static bool complete(struct gdb *gdb)
{
    struct hart *hart = &gdb->machine->hart;
    const bool inside = gdb->inside && hart->pc == gdb->watcher.pc;

    gdb->inside = gdb->watcher.met = false;
    if (inside)
        hart->pc = gdb->next_pc;
    return inside;
}

static void resume(struct gdb *gdb, bool single)
{
    const bool stepped = complete(gdb) && single;

    gdb_choose_recorder(gdb);
    report_stop(gdb, single ? step_range(gdb, stepped)
                            : machine_run(gdb->machine, gdb->max_instructions));
    gdb->range_start = gdb->range_end = 0;
    if (gdb->machine->trace)
        trace_flush(gdb->machine->trace);
    text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
}

/* The program gets a signal, and has no handler. */
static void end_by_signal(struct gdb *gdb, int number)
{
    if (!gdb->faulted || fault_signal(gdb->machine->fault.cause) != number) {
        gdb->machine->user.exited = true;
        gdb->machine->user.signal = number;
        report_end(gdb, RUN_EXIT, number);
    } else {
        report_end(gdb, RUN_FAULT, number);
    }
}

static void resume_with_signal(struct gdb *gdb, uint64_t number, bool single)
{
    if (number == 0) {
        resume(gdb, single);
        return;
    }
    /* The fault that gdb was told of goes to the program's handler. */
    if (gdb->faulted && fault_signal(gdb->machine->fault.cause) == signal_from_gdb(number) &&
        user_fault(gdb->machine)) {
        resume(gdb, single);
        return;
    }
    end_by_signal(gdb, signal_from_gdb(number));
    text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
}

/* `c`, `s`, perhaps with an address; `C`, `S` with a signal before it, and `;`. */
static void handle_resume(struct gdb *gdb, const char *text)
{
    const bool single = *text == 's' || *text == 'S', with_signal = *text == 'C' || *text == 'S';
    uint64_t number = 0, address;

    text++;
    if (with_signal && !gdb_parse_number(&text, &number)) {
        reply_error(gdb, EINVAL);
        return;
    }
    const bool with_address = with_signal ? *text == ';' : *text != '\0';
    if (with_signal && with_address)
        text++;
    if ((*text || with_address) && (!gdb_parse_number(&text, &address) || *text ||
                                    !gdb_target_write(gdb->machine, gdb_target_pc(), address))) {
        reply_error(gdb, EINVAL);
        return;
    }
    resume_with_signal(gdb, number, single);
}

/* `start,end` of the action `r`. */
static bool parse_step_range(const char **text, uint64_t *start, uint64_t *end)
{
    if (!gdb_parse_number(text, start) || **text != ',')
        return false;
    ++*text;
    return gdb_parse_number(text, end) && *start <= *end;
}

/* `vCont;action[:thread]…`: the first action that is for our thread. */
static void handle_continue(struct gdb *gdb, const char *text)
{
    while (*text == ';') {
        const char action = text[1];
        uint64_t number = 0, thread = 1;
        bool all = true;
        text += action ? 2 : 1;
        uint64_t start = 0, end = 0;
        if ((action == 'C' || action == 'S') && !gdb_parse_number(&text, &number))
            break;
        if (action == 'r' && !parse_step_range(&text, &start, &end))
            break;
        if (*text == ':') {
            text++;
            all = strncmp(text, "-1", 2) == 0;
            if (all)
                text += 2;
            else if (!gdb_parse_number(&text, &thread))
                break;
        }
        if (!strchr("cCsSr", action) || !action || (*text && *text != ';'))
            break;
        if (all || thread == 1) {
            gdb->range_start = start;
            gdb->range_end = end;
            resume_with_signal(gdb, number, action == 's' || action == 'S' || action == 'r');
            return;
        }
    }
    reply_error(gdb, EINVAL);
}

static void handle_kill(struct gdb *gdb)
{
    gdb->faulted = false;
    end_by_signal(gdb, SIGKILL);
}

/* ---- registers ---- */

static void append_register(struct gdb *gdb, unsigned number)
{
    uint64_t value;

    if (gdb_target_read(gdb->machine, number, &value))
        gdb_append_bytes(&gdb->reply, &value, sizeof value);
    else
        text_append(&gdb->reply, "xxxxxxxxxxxxxxxx");
}

static void handle_read_registers(struct gdb *gdb)
{
    for (unsigned number = 0; number < gdb_target_general(); number++)
        append_register(gdb, number);
}

static void handle_write_registers(struct gdb *gdb, const char *text)
{
    const unsigned count = gdb_target_general();
    uint64_t values[128];

    if (count > sizeof values / sizeof *values ||
        !gdb_parse_bytes(&text, values, count * REGISTER_BYTES) || *text ||
        (values[gdb_target_pc()] & gdb->machine->code.alignment_mask)) {
        reply_error(gdb, EINVAL);
        return;
    }
    for (unsigned number = 0; number < count; number++)
        gdb_target_write(gdb->machine, number, values[number]);
    reply_ok(gdb);
}

static void handle_read_register(struct gdb *gdb, const char *text)
{
    uint64_t number;

    if (!gdb_parse_number(&text, &number) || *text || number >= gdb_target_count(gdb->machine))
        reply_error(gdb, EINVAL);
    else
        append_register(gdb, (unsigned)number);
}

static void handle_write_register(struct gdb *gdb, const char *text)
{
    uint64_t number, value;

    if (!gdb_parse_number(&text, &number) || *text++ != '=' ||
        !gdb_parse_bytes(&text, &value, sizeof value) || *text ||
        number >= gdb_target_count(gdb->machine) ||
        !gdb_target_write(gdb->machine, (unsigned)number, value))
        reply_error(gdb, EINVAL);
    else
        reply_ok(gdb);
}

/* ---- memory ---- */

/* `address,length` */
static bool parse_range(const char **text, uint64_t *address, uint64_t *length)
{
    return gdb_parse_number(text, address) && *(*text)++ == ',' && gdb_parse_number(text, length);
}

/* How many bytes of the range are mapped, from its beginning on. */
static uint64_t mapped_length(const struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t mapped = 0;

    while (mapped < length && memory_is(memory, address + mapped, 1, PAGE_MAPPED))
        mapped += MEMORY_PAGE - (address + mapped) % MEMORY_PAGE;
    return mapped < length ? mapped : length;
}

/* As much as is mapped from the address on, and fits. */
static void handle_read_memory(struct gdb *gdb, const char *text)
{
    uint64_t address, length;

    if (!parse_range(&text, &address, &length) || *text || length == 0) {
        reply_error(gdb, EINVAL);
        return;
    }
    if (length > CHUNK)
        length = CHUNK;
    const uint64_t mapped = mapped_length(&gdb->machine->memory, address, length);
    if (mapped == 0)
        reply_error(gdb, EFAULT);
    else
        gdb_append_bytes(&gdb->reply, memory_peek(&gdb->machine->memory, address, mapped), mapped);
}

static void write_memory(struct gdb *gdb, uint64_t address, const void *bytes, uint64_t length)
{
    if (memory_poke(&gdb->machine->memory, address, bytes, length))
        reply_ok(gdb);
    else
        reply_error(gdb, EFAULT);
}

/* `M address,length:digits`, `X address,length:bytes`. */
static void handle_write_memory(struct gdb *gdb, const char *text)
{
    const bool binary = *text++ == 'X';
    unsigned char bytes[GDB_PACKET_LIMIT];
    uint64_t address, length;

    if (!parse_range(&text, &address, &length) || *text++ != ':') {
        reply_error(gdb, EINVAL);
        return;
    }
    const size_t rest = gdb->link.length - (size_t)(text - gdb->link.packet);
    if (length > sizeof bytes || rest != (binary ? length : 2 * length) ||
        (!binary && !gdb_parse_bytes(&text, bytes, length)))
        reply_error(gdb, EINVAL);
    else
        write_memory(gdb, address, binary ? (const void *)text : bytes, length);
}

/* ---- breakpoints and watchpoints ---- */

/* `Z kind,address,length` and `z`; conditions behind it are not taken. */
static void handle_point(struct gdb *gdb, const char *text)
{
    const bool insert = *text++ == 'Z';
    struct watch_point point;
    uint64_t kind;

    if (!gdb_parse_number(&text, &kind) || *text++ != ',' ||
        !parse_range(&text, &point.address, &point.length) || *text) {
        reply_error(gdb, EINVAL);
        return;
    }
    if (kind >= WATCH_KINDS)
        return;
    point.kind = kind;
    if (kind >= WATCH_WRITE &&
        (point.length == 0 || point.address > UINT64_MAX - (point.length - 1))) {
        reply_error(gdb, EINVAL);
        return;
    }
    if (insert && !watcher_add(&gdb->watcher, &point)) {
        reply_error(gdb, ENOSPC);
        return;
    }
    if (!insert)
        watcher_remove(&gdb->watcher, &point);
    reply_ok(gdb);
}

/* ---- queries ---- */

static void query_supported(struct gdb *gdb, const char *text)
{
    gdb->reports_kind = strstr(text, "swbreak+") != NULL;
    text_format(&gdb->reply,
                "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;vContSupported+;"
                "swbreak+;hwbreak+",
                GDB_PACKET_LIMIT);
}

/* `target.xml:offset,length` */
static void query_description(struct gdb *gdb, const char *text)
{
    static const char annex[] = "target.xml:";
    const struct text *xml = &gdb->description;
    uint64_t offset, length;

    if (strncmp(text, annex, strlen(annex)) != 0) {
        reply_error(gdb, 0);
        return;
    }
    text += strlen(annex);
    if (!parse_range(&text, &offset, &length) || *text || offset > xml->length) {
        reply_error(gdb, EINVAL);
        return;
    }
    if (length > CHUNK)
        length = CHUNK;
    const bool last = length >= xml->length - offset;
    text_append_char(&gdb->reply, last ? 'l' : 'm');
    text_append_bytes(&gdb->reply, xml->bytes + offset, last ? xml->length - offset : length);
}

static void query_monitor(struct gdb *gdb, const char *text)
{
    const size_t length = strlen(text) / 2;
    char command[GDB_PACKET_LIMIT / 2 + 1];

    if (!gdb_parse_bytes(&text, command, length) || *text) {
        reply_error(gdb, EINVAL);
        return;
    }
    command[length] = '\0';
    gdb_monitor(gdb, command);
    reply_ok(gdb);
}

static void query_thread(struct gdb *gdb, const char *text)
{
    if (!*text) /* there are other packets that begin so */
        text_append(&gdb->reply, "QC1");
}

static void query_first_thread(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "m1");
}

static void query_more_threads(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "l");
}

/* The program was started for the debugger: quitting gdb ends it. */
static void query_attached(struct gdb *gdb, const char *text)
{
    (void)text;
    text_append(&gdb->reply, "0");
}

static void set_no_acknowledge(struct gdb *gdb, const char *text)
{
    (void)text;
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
    handle_kill(gdb);
    reply_ok(gdb);
}

/* Packets with a name. False when it is none of these. `silent`: answers for itself. */
static bool handle_named(struct gdb *gdb, const char *packet, bool *silent)
{
    static const struct {
        const char *name;
        void (*handle)(struct gdb *gdb, const char *rest);
        bool silent;
    } named[] = {
        {"qSupported", query_supported, false},
        {"qXfer:features:read:", query_description, false},
        {"qRcmd,", query_monitor, false},
        {"qfThreadInfo", query_first_thread, false},
        {"qsThreadInfo", query_more_threads, false},
        {"qAttached", query_attached, false},
        {"qC", query_thread, false},
        {"QStartNoAckMode", set_no_acknowledge, true},
        {"vCont?", verbose_actions, false},
        {"vCont", handle_continue, false},
        {"vKill", verbose_kill, false},
    };

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const size_t length = strlen(named[i].name);
        if (strncmp(packet, named[i].name, length) == 0) {
            *silent = named[i].silent;
            named[i].handle(gdb, packet + length);
            return true;
        }
    }
    return false;
}

/* `H` operation thread, `T` thread: ours is 1; 0 is any, -1 all. */
static void handle_thread(struct gdb *gdb, const char *text)
{
    uint64_t thread;

    if (*text == 'H' && text[1])
        text++;
    text++;
    if (strcmp(text, "-1") == 0 || (gdb_parse_number(&text, &thread) && !*text && thread <= 1))
        reply_ok(gdb);
    else
        reply_error(gdb, ESRCH);
}

/* Fills the reply. False when there is none to send. */
static bool handle_packet(struct gdb *gdb)
{
    const char *packet = gdb->link.packet;
    bool silent = false;

    switch (packet[0]) {
    case '?':
        text_append_bytes(&gdb->reply, gdb->stop.bytes, gdb->stop.length);
        break;
    case 'g':
        handle_read_registers(gdb);
        break;
    case 'G':
        handle_write_registers(gdb, packet + 1);
        break;
    case 'p':
        handle_read_register(gdb, packet + 1);
        break;
    case 'P':
        handle_write_register(gdb, packet + 1);
        break;
    case 'm':
        handle_read_memory(gdb, packet + 1);
        break;
    case 'M':
    case 'X':
        handle_write_memory(gdb, packet);
        break;
    case 'Z':
    case 'z':
        handle_point(gdb, packet);
        break;
    case 'c':
    case 'C':
    case 's':
    case 'S':
        handle_resume(gdb, packet);
        break;
    case 'H':
    case 'T':
        handle_thread(gdb, packet);
        break;
    case 'D':
        complete(gdb);
        gdb->over = true;
        reply_ok(gdb);
        break;
    case 'k':
        handle_kill(gdb);
        return false;
    default:
        handle_named(gdb, packet, &silent);
    }
    return !silent;
}

/* ---- the session ---- */

static uint64_t now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* The time that the user thinks does not count for --timeout. */
static enum gdb_event receive(struct gdb *gdb)
{
    const uint64_t before = now();
    const enum gdb_event event = gdb_link_receive(&gdb->link);

    if (gdb->machine->deadline)
        gdb->machine->deadline += now() - before;
    return event;
}

/* The client is gone without a word: the program is not left running alone. */
static void lose(struct gdb *gdb)
{
    diag_error(gdb->diag, NULL,
               "gdb: the connection was lost; the program was ended ('detach' lets it go on)");
    gdb->machine->user.exited = true;
    gdb->machine->user.status = EXIT_FAILURE;
    gdb->over = gdb->ended = true;
    gdb->end = RUN_EXIT;
}

static void serve(struct gdb *gdb)
{
    while (!gdb->over) {
        bool answer = true;
        text_clear(&gdb->reply);
        const enum gdb_event event = receive(gdb);
        if (event == GDB_MALFORMED)
            reply_error(gdb, EBADMSG);
        else if (event == GDB_PACKET)
            answer = handle_packet(gdb);
        if (answer && event != GDB_CLOSED)
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
    begin_stop(gdb, SIGTRAP);
    serve(gdb);
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
