/* The pipeline as a trace of Perfetto: protobuf messages (perfetto.proto), one after the other as
 * the program runs. A cycle is 1 ns. Slices of a track do not overlap, so a stage that holds
 * several instructions has lanes, a track each, and a new slice takes the first lane that is free.
 * The part of an instruction that overlaps with the next one in the unit is in tracks of its own,
 * the unit's `pipe`.
 *
 * A flow goes from an instruction to each that waited for its conflict. It is written with the
 * beginning of the slices, but the instructions that wait come later. So events are held back from
 * the beginning of the oldest slice of a unit that ends after the last fetch: what comes can
 * conflict with such a slice only. The instructions held back are in flight with it.
 *
 * The threads of a barrel have a track each, with a slice for each turn: of the instruction, or of
 * the cause of a bubble. */
#include "emu/picture/picture.h"

#include "perfetto.pb-c.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Tracks that a slice or counter can be in; those of units come in pairs, the unit and its pipe. */
enum { TRACK_F, TRACK_D, TRACK_X, TRACK_Q, TRACK_P, TRACK_S, TRACK_UNITS };
enum { TRACK_THREADS = TRACK_UNITS + 2 * PIPELINE_UNITS };
enum { TRACKS = TRACK_THREADS + PIPELINE_THREADS };
/* Events that are no slices of these tracks. */
enum { EVENT_BRANCH = TRACKS, EVENT_FIFO };

enum {
    LANES = PIPELINE_WINDOW, /* of a track, at most */
    KEPT = 4 * PIPELINE_WINDOW,
    ROWS = 64,    /* of which the FIFO of addresses is counted */
    SEQUENCE = 1, /* of packets: there is one */
    RANKS = 2048, /* from a track of the picture to the next */
    SEQ_INCREMENTAL_STATE_CLEARED = 1,
};

/* Identifiers of the tracks above the others. */
enum {
    ROOT_PROCESS = 1,
    GROUP_ALL,
    GROUP_FRONT,
    GROUP_QUEUES,
    GROUP_UNITS,
    GROUP_THREADS,
    COUNTERS = 256,
};
enum { COUNTER_Q, COUNTER_S, COUNTER_FIFO };

/* An instruction whose slices are not all written. */
struct shown {
    struct shown *next; /* in the same place */
    uint64_t sequence;
    size_t events; /* that are not written */
    const struct picture_site *site;
    char *code, *source;
    const char *stall, *window, *full, *wait; /* causes; NULL: it did not wait */
    uint64_t *from, *to;                      /* flows that begin and end here */
    size_t from_count, to_count;
    int flow_track; /* whose slice the flows begin at */
};

/* A slice of a unit to which flows may be added. */
struct open_slice {
    uint64_t begin, end;
};

struct perfetto {
    struct shown *kept[KEPT];
    uint64_t owner[TRACKS][LANES]; /* sequence number of the slice, plus 1; 0: none */
    bool is_known[TRACKS][LANES];
    struct open_slice open[KEPT];
    size_t open_count;
    uint64_t flow;     /* the last one */
    uint64_t decode;   /* D of the instruction before, whose sequence number is `sequence` */
    uint64_t sequence; /* PIPELINE_NEVER: there was none */
    int64_t counts[2 + ROWS], written[2 + ROWS];
    bool is_counter[2 + ROWS];
    uint8_t *bytes;
    size_t capacity;
    bool is_begun;
};

static void *check(void *memory)
{
    if (!memory) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* ---- messages ---- */

static void put_packet(struct picture *picture, Perfetto__Protos__TracePacket *packet)
{
    struct perfetto *state = picture->state;
    Perfetto__Protos__Trace trace = PERFETTO__PROTOS__TRACE__INIT;

    packet->has_trusted_packet_sequence_id = true;
    packet->trusted_packet_sequence_id = SEQUENCE;
    packet->has_sequence_flags = !state->is_begun;
    packet->sequence_flags = SEQ_INCREMENTAL_STATE_CLEARED;
    state->is_begun = true;
    trace.n_packet = 1;
    trace.packet = &packet;
    size_t size = perfetto__protos__trace__get_packed_size(&trace);
    if (size > state->capacity) {
        state->bytes = check(realloc(state->bytes, 2 * size));
        state->capacity = 2 * size;
    }
    perfetto__protos__trace__pack(&trace, state->bytes);
    fwrite(state->bytes, 1, size, picture->stream);
}

static void put_event(struct picture *picture, uint64_t cycle, uint64_t track,
                      Perfetto__Protos__TrackEvent__Type type, Perfetto__Protos__TrackEvent *event)
{
    Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;

    event->has_type = event->has_track_uuid = true;
    event->type = type;
    event->track_uuid = track;
    packet.has_timestamp = true;
    packet.timestamp = cycle;
    packet.track_event = event;
    put_packet(picture, &packet);
}

/* Describes a track among the others of `parent`. */
static void put_track(struct picture *picture, uint64_t track, uint64_t parent, int rank,
                      const char *name, bool is_counter)
{
    Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
    Perfetto__Protos__TrackDescriptor descriptor = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
    Perfetto__Protos__CounterDescriptor counter = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__INIT;

    descriptor.has_uuid = descriptor.has_parent_uuid = descriptor.has_sibling_order_rank = true;
    descriptor.uuid = track;
    descriptor.parent_uuid = parent;
    descriptor.sibling_order_rank = rank;
    descriptor.name = (char *)name;
    descriptor.has_child_ordering = track < COUNTERS;
    descriptor.child_ordering = PERFETTO__PROTOS__TRACK_DESCRIPTOR__CHILD_TRACKS_ORDERING__EXPLICIT;
    counter.has_unit = true;
    counter.unit = PERFETTO__PROTOS__COUNTER_DESCRIPTOR__UNIT__UNIT_COUNT;
    descriptor.counter = is_counter ? &counter : NULL;
    packet.track_descriptor = &descriptor;
    put_packet(picture, &packet);
}

static void begin(struct picture *picture)
{
    Perfetto__Protos__TracePacket packet = PERFETTO__PROTOS__TRACE_PACKET__INIT;
    Perfetto__Protos__TrackDescriptor descriptor = PERFETTO__PROTOS__TRACK_DESCRIPTOR__INIT;
    Perfetto__Protos__ProcessDescriptor process = PERFETTO__PROTOS__PROCESS_DESCRIPTOR__INIT;
    struct perfetto *state = check(calloc(1, sizeof *state));

    picture->state = state;
    state->sequence = PIPELINE_NEVER;
    process.has_pid = true;
    process.pid = 1;
    process.process_name = (char *)"temu";
    descriptor.has_uuid = true;
    descriptor.uuid = ROOT_PROCESS;
    descriptor.process = &process;
    packet.track_descriptor = &descriptor;
    put_packet(picture, &packet);
    put_track(picture, GROUP_ALL, ROOT_PROCESS, 0, "pipeline", false);
    put_track(picture, GROUP_FRONT, GROUP_ALL, 0, "front end", false);
    put_track(picture, GROUP_QUEUES, GROUP_ALL, 1, "queues", false);
    put_track(picture, GROUP_UNITS, GROUP_ALL, 2, "units", false);
    if (picture->program.threads)
        put_track(picture, GROUP_THREADS, GROUP_ALL, 3, "turns", false);
}

/* ---- tracks ---- */

static uint64_t lane_identifier(int track, unsigned lane)
{
    return ((uint64_t)track + 1) << 16 | lane;
}

static void describe_lane(struct picture *picture, int track, unsigned lane)
{
    static const char *const names[] = {"F", "D", "X", "Q", "P", "S"};
    struct text name = TEXT_INIT;
    uint64_t group = track >= TRACK_THREADS ? GROUP_THREADS
                     : track >= TRACK_UNITS ? GROUP_UNITS
                     : track >= TRACK_Q     ? GROUP_QUEUES
                                            : GROUP_FRONT;

    if (track < TRACK_UNITS)
        text_append(&name, names[track]);
    else if (track >= TRACK_THREADS)
        text_append(&name, picture_thread(picture, (unsigned)(track - TRACK_THREADS)));
    else
        text_format(&name, "%s%s", time_units[(track - TRACK_UNITS) / 2].name,
                    (track - TRACK_UNITS) % 2 ? " pipe" : "");
    if (lane > 0)
        text_format(&name, " %u", lane + 1);
    text_append_char(&name, '\0');
    put_track(picture, lane_identifier(track, lane), group, track * RANKS + (int)lane, name.bytes,
              false);
    text_free(&name);
}

static unsigned take_lane(struct picture *picture, int track, uint64_t sequence)
{
    struct perfetto *state = picture->state;
    unsigned lane = 0;

    while (lane + 1 < LANES && state->owner[track][lane]) /* only damaged times need more */
        lane++;
    state->owner[track][lane] = sequence + 1;
    if (!state->is_known[track][lane])
        describe_lane(picture, track, lane);
    state->is_known[track][lane] = true;
    return lane;
}

/* Returns the lane that the slice has, and gives it back. */
static unsigned give_lane(struct perfetto *state, int track, uint64_t sequence)
{
    unsigned lane = 0;

    while (lane + 1 < LANES && state->owner[track][lane] != sequence + 1)
        lane++;
    state->owner[track][lane] = 0;
    return lane;
}

static void show_counters(struct picture *picture)
{
    struct perfetto *state = picture->state;

    for (unsigned i = 0; i < 2 + ROWS; i++) {
        Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
        char name[40];

        if (state->counts[i] == state->written[i])
            continue;
        if (i < COUNTER_FIFO)
            snprintf(name, sizeof name, "%s entries", i == COUNTER_Q ? "Q" : "S");
        else
            snprintf(name, sizeof name, "FIFO of row %u", i - COUNTER_FIFO);
        if (!state->is_counter[i])
            put_track(picture, COUNTERS + i, GROUP_QUEUES, (int)i, name, true);
        state->is_counter[i] = true;
        state->written[i] = state->counts[i];
        event.has_counter_value = true;
        event.counter_value = state->counts[i];
        put_event(picture, picture->cycle, COUNTERS + i,
                  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_COUNTER, &event);
    }
}

/* ---- slices ---- */

static const char *cause_of(const struct shown *shown, int kind)
{
    switch (kind) {
    case EVENT_BRANCH:
        return "branch";
    case TRACK_F:
        return shown->window;
    case TRACK_D:
        return shown->stall;
    case TRACK_P:
        return shown->full;
    case TRACK_S:
        return shown->wait;
    default:
        return NULL;
    }
}

static void begin_slice(struct picture *picture, uint64_t cycle, int kind,
                        const struct shown *shown, unsigned lane)
{
    Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
    Perfetto__Protos__DebugAnnotation notes[3] = {PERFETTO__PROTOS__DEBUG_ANNOTATION__INIT,
                                                  PERFETTO__PROTOS__DEBUG_ANNOTATION__INIT,
                                                  PERFETTO__PROTOS__DEBUG_ANNOTATION__INIT};
    Perfetto__Protos__DebugAnnotation *list[] = {&notes[0], &notes[1], &notes[2]};
    const char *cause = cause_of(shown, kind);
    char *category = (char *)(cause ? cause : "run");
    struct text name = TEXT_INIT;
    int track = kind == EVENT_BRANCH ? TRACK_F : kind;

    text_format(&name, "%s%s%s", cause ? cause : "", cause ? ": " : "", shown->code);
    text_append_char(&name, '\0');
    notes[0].name = (char *)"sequence";
    notes[0].has_uint_value = true;
    notes[0].uint_value = shown->sequence;
    notes[1].name = (char *)"pc";
    notes[1].has_pointer_value = true;
    notes[1].pointer_value = shown->site->pc;
    notes[2].name = (char *)"source";
    notes[2].string_value = shown->source;
    event.debug_annotations = list;
    event.n_debug_annotations = shown->source ? 3 : 2;
    event.name = name.bytes;
    event.categories = &category;
    event.n_categories = 1;
    if (track == shown->flow_track) {
        event.flow_ids = shown->from;
        event.n_flow_ids = shown->from_count;
    }
    if (track >= TRACK_UNITS && (track - TRACK_UNITS) % 2 == 0) {
        event.terminating_flow_ids = shown->to;
        event.n_terminating_flow_ids = shown->to_count;
    }
    put_event(picture, cycle, lane_identifier(track, lane),
              PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, &event);
    text_free(&name);
}

static struct shown *find_shown(const struct perfetto *state, uint64_t sequence)
{
    struct shown *shown = state->kept[sequence % KEPT];

    while (shown && shown->sequence != sequence)
        shown = shown->next;
    return shown;
}

/* The sequence number of bubbles. A thread has one at a time. */
#define BUBBLE (PIPELINE_NEVER - 1)

static void begin_bubble(struct picture *picture, uint64_t cycle, int track, const char *cause)
{
    Perfetto__Protos__TrackEvent event = PERFETTO__PROTOS__TRACK_EVENT__INIT;
    char *category = (char *)cause;

    event.name = category;
    event.categories = &category;
    event.n_categories = 1;
    put_event(picture, cycle, lane_identifier(track, take_lane(picture, track, BUBBLE)),
              PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_BEGIN, &event);
}

static void write_event(struct picture *picture, const struct picture_event *event, uint64_t cycle)
{
    struct perfetto *state = picture->state;
    int track = event->stage == EVENT_BRANCH ? TRACK_F : event->stage;
    bool begins = *event->text == '+';

    if (event->stage >= EVENT_FIFO) {
        state->counts[COUNTER_FIFO + event->stage - EVENT_FIFO] = atoi(event->text);
        return;
    }
    struct shown *shown = find_shown(state, event->sequence);
    if (shown)
        shown->events--;
    if (track == TRACK_Q || track == TRACK_S)
        state->counts[track == TRACK_Q ? COUNTER_Q : COUNTER_S] += begins ? 1 : -1;
    if (begins && !shown) {
        begin_bubble(picture, cycle, track, event->text + 1);
    } else if (begins) {
        begin_slice(picture, cycle, event->stage, shown,
                    take_lane(picture, track, event->sequence));
    } else {
        Perfetto__Protos__TrackEvent message = PERFETTO__PROTOS__TRACK_EVENT__INIT;
        unsigned lane = give_lane(state, track, event->sequence);
        put_event(picture, cycle, lane_identifier(track, lane),
                  PERFETTO__PROTOS__TRACK_EVENT__TYPE__TYPE_SLICE_END, &message);
    }
}

/* Events are ordered by twice their cycle; those in which a slice begins come after the others. */
static void flush_before(struct picture *picture, uint64_t cycle)
{
    uint64_t limit = cycle == PIPELINE_NEVER ? cycle : 2 * cycle;
    struct picture_event event;

    while (picture_take(picture, limit, &event)) {
        if (event.cycle / 2 > picture->cycle) {
            show_counters(picture);
            picture->cycle = event.cycle / 2;
        }
        write_event(picture, &event, event.cycle / 2);
        free(event.text);
    }
}

static void put_slice(struct picture *picture, const struct pipeline_record *record, int kind,
                      uint64_t from, uint64_t to)
{
    struct shown *shown = find_shown(picture->state, record->sequence);

    if (from == PIPELINE_NEVER || to == PIPELINE_NEVER || from >= to)
        return;
    shown->events += 2;
    picture_put(picture, 2 * from + 1, kind, record->sequence, "+");
    picture_put(picture, 2 * to, kind, record->sequence, "-");
}

/* ---- instructions ---- */

static void free_shown(struct shown *shown)
{
    free(shown->code);
    free(shown->source);
    free(shown->from);
    free(shown->to);
    free(shown);
}

static struct shown *keep(struct picture *picture, const struct pipeline_record *record)
{
    struct perfetto *state = picture->state;
    struct shown **first = &state->kept[record->sequence % KEPT], **place = first;
    struct shown *shown = check(calloc(1, sizeof *shown));
    const struct picture_site *site = record->context;

    while (*place) {
        struct shown *old = *place;
        if (old->events) {
            place = &old->next;
            continue;
        }
        *place = old->next;
        free_shown(old);
    }
    shown->next = *first;
    *first = shown;
    shown->sequence = record->sequence;
    shown->site = site;
    shown->flow_track = -1;
    shown->code = check(strdup(picture_code(picture, site)));
    picture->text.length = 0;
    if (source_append(picture->source, &picture->text, site->pc)) {
        text_append_char(&picture->text, '\0');
        shown->source = check(strdup(picture->text.bytes));
    }
    return shown;
}

static void add_flow(uint64_t **list, size_t *count, uint64_t flow)
{
    *list = check(reallocarray(*list, *count + 1, sizeof **list));
    (*list)[(*count)++] = flow;
}

/* Connects the instruction with those whose conflicts made it wait, as far as these are shown. */
static void add_flows(struct perfetto *state, const struct pipeline_record *record,
                      struct shown *shown)
{
    for (size_t i = 0; i < record->blocker_count; i++) {
        struct shown *older = find_shown(state, record->blockers[i]);
        if (!older || older->flow_track < 0)
            continue;
        add_flow(&older->from, &older->from_count, ++state->flow);
        add_flow(&shown->to, &shown->to_count, state->flow);
    }
}

/* Returns the cycle before which everything is known when an instruction is fetched in this one. */
static uint64_t find_horizon(struct perfetto *state, uint64_t fetched)
{
    uint64_t horizon = fetched;
    size_t count = 0;

    for (size_t i = 0; i < state->open_count; i++) {
        const struct open_slice slice = state->open[i];
        if (slice.end <= fetched)
            continue;
        if (slice.begin < horizon)
            horizon = slice.begin;
        state->open[count++] = slice;
    }
    state->open_count = count;
    return horizon;
}

static void put_tensor(struct picture *picture, const struct pipeline_record *record,
                       struct shown *shown)
{
    struct perfetto *state = picture->state;
    int track = TRACK_UNITS + 2 * record->unit;
    uint64_t left = record->s != PIPELINE_NEVER   ? record->s
                    : record->m != PIPELINE_NEVER ? record->m
                                                  : record->e;
    uint64_t pipe = record->pipe < record->e ? record->pipe : record->e;

    if (left > record->p + 1)
        shown->full = "storage-full";
    if (record->wait != UNIT_EMPTY)
        shown->wait = pipeline_state_names[record->wait];
    put_slice(picture, record, TRACK_Q, record->q, record->p);
    put_slice(picture, record, TRACK_P, record->p, left);
    put_slice(picture, record, TRACK_S, record->s, record->m);
    if (record->m == PIPELINE_NEVER)
        return;
    put_slice(picture, record, track, record->m, pipe);
    put_slice(picture, record, track + 1, pipe, record->e);
    shown->flow_track = pipe < record->e ? track + 1 : track;
    if (state->open_count < KEPT)
        state->open[state->open_count++] = (struct open_slice){record->m, record->e};
    add_flows(state, record, shown);
}

static void instruction(struct picture *picture, const struct pipeline_record *record)
{
    struct perfetto *state = picture->state;
    uint64_t leave = record->q != PIPELINE_NEVER ? record->q : record->x;
    uint64_t first = picture_first(record);
    bool follows = !picture->program.threads && state->sequence != PIPELINE_NEVER &&
                   record->sequence == state->sequence + 1;
    uint64_t earliest = follows && state->decode < first ? state->decode : first;
    char text[24];

    flush_before(picture, find_horizon(state, earliest));
    struct shown *shown = keep(picture, record);
    if (record->stall == STALL_WINDOW)
        shown->window = pipeline_stall_names[STALL_WINDOW];
    if (record->stall > STALL_WINDOW && record->stall < STALL_ALL)
        shown->stall = pipeline_stall_names[record->stall];
    if (follows)
        put_slice(picture, record, EVENT_BRANCH, state->decode, record->f);
    put_slice(picture, record, TRACK_F, record->f, record->d);
    put_slice(picture, record, TRACK_D, record->d, leave);
    if (picture->program.threads)
        put_slice(picture, record, TRACK_THREADS + (int)record->thread, first, first + 1);
    if (record->unit >= 0)
        put_tensor(picture, record, shown);
    else
        put_slice(picture, record, TRACK_X, record->x, record->e);
    if (record->row < ROWS) {
        snprintf(text, sizeof text, "%u", record->located);
        picture_put(picture, 2 * record->x, EVENT_FIFO + (int)record->row, record->sequence, text);
    }
    state->sequence = record->sequence;
    state->decode = record->d;
}

static void end(struct picture *picture)
{
    struct perfetto *state = picture->state;

    flush_before(picture, PIPELINE_NEVER);
    show_counters(picture);
    for (size_t i = 0; i < KEPT; i++)
        while (state->kept[i]) {
            struct shown *next = state->kept[i]->next;
            free_shown(state->kept[i]);
            state->kept[i] = next;
        }
    free(state->bytes);
}

static void bubble(struct picture *picture, const struct pipeline_record *record)
{
    int track = TRACK_THREADS + (int)record->thread;
    char text[24];

    flush_before(picture, find_horizon(picture->state, record->x));
    snprintf(text, sizeof text, "+%s", pipeline_stall_names[record->stall]);
    picture_put(picture, 2 * record->x + 1, track, BUBBLE, text);
    picture_put(picture, 2 * (record->x + 1), track, BUBBLE, "-");
}

const struct picture_writer picture_perfetto = {"perfetto", begin, instruction, end, bubble};
