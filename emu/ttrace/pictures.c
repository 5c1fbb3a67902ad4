/* ttrace convert to the formats of temu's pictures of the pipeline, by the same writers. Without
 * times, an instruction takes a cycle, which in a barrel is its turn. */
#include "emu/picture/picture.h"
#include "emu/ttrace/ttrace.h"

#include <limits.h>
#include <string.h>

enum { SITES = 1 << 16 /* lists */ };

/* The instructions of the program, by pc: pictures keep pointers to them. */
struct kept_site {
    struct picture_site at;
    struct kept_site *next;
};

static struct kept_site *find_site(struct ttrace_tool *tool, struct kept_site **sites,
                                   const struct ttrace_record *record)
{
    struct kept_site **first = &sites[record->pc / 2 % SITES];

    for (struct kept_site *site = *first; site; site = site->next)
        if (site->at.pc == record->pc && site->at.word == record->word)
            return site;
    struct kept_site *site = arena_new(&tool->arena, struct kept_site);
    site->at = (struct picture_site){record->pc, record->word, record->length};
    site->next = *first;
    return *first = site;
}

/* Returns which of these names the trace means by a number, which counts its own names from 1. If
 * it is none of them (0, or the trace comes from another version of temu), returns `count`. */
static unsigned find_name(const struct ttrace *trace, enum ttrace_time_name kind, unsigned number,
                          const char *const *names, unsigned count)
{
    unsigned found = number ? 0 : count;

    while (found < count && strcmp(names[found], trace->time_names.names[kind][number - 1]) != 0)
        found++;
    return found;
}

static enum pipeline_stall find_stall(const struct ttrace *trace, unsigned number)
{
    return find_name(trace, TTRACE_STALL_NAMES, number, pipeline_stall_names, STALL_ALL);
}

/* Returns -1 for the scalar core, and for a unit that this tool does not have. */
static int find_unit(const struct ttrace *trace, unsigned number)
{
    for (unsigned i = 0; number && i < time_unit_count; i++)
        if (strcmp(time_units[i].name, trace->time_names.names[TTRACE_UNIT_NAMES][number - 1]) == 0)
            return (int)i;
    return -1;
}

static struct pipeline_record with_time(const struct ttrace *trace, const struct ttrace_time *time,
                                        uint64_t *blockers, uint64_t sequence)
{
    for (unsigned i = 0; i < time->conflict_count; i++)
        blockers[i] = sequence - time->conflicts[i];
    return (struct pipeline_record){
        .sequence = sequence,
        .f = time->cycles[TTRACE_F],
        .d = time->cycles[TTRACE_D],
        .q = time->cycles[TTRACE_Q],
        .p = time->cycles[TTRACE_P],
        .s = time->cycles[TTRACE_S],
        .x = time->cycles[TTRACE_X],
        .m = time->cycles[TTRACE_M],
        .e = time->cycles[TTRACE_E],
        .c = time->cycles[TTRACE_C],
        .stall = find_stall(trace, time->stall),
        .wait = find_name(trace, TTRACE_WAIT_NAMES, time->wait, pipeline_state_names, UNIT_EMPTY),
        .unit = find_unit(trace, time->unit),
        .blockers = blockers,
        .blocker_count = time->conflict_count,
        .row = time->row - 1u,
        .located = (unsigned)time->located,
        .pipe = time->cycles[TTRACE_PIPE],
        .blocker = time->blocker ? sequence - time->blocker : PIPELINE_NEVER,
    };
}

static struct pipeline_record without_time(uint64_t sequence, uint64_t cycle)
{
    return (struct pipeline_record){
        .sequence = sequence,
        .f = PIPELINE_NEVER,
        .d = PIPELINE_NEVER,
        .q = PIPELINE_NEVER,
        .p = PIPELINE_NEVER,
        .s = PIPELINE_NEVER,
        .x = cycle,
        .m = PIPELINE_NEVER,
        .e = cycle + 1,
        .c = cycle + 1,
        .stall = STALL_ALL,
        .wait = UNIT_EMPTY,
        .unit = -1,
        .row = UINT_MAX,
        .pipe = PIPELINE_NEVER,
        .blocker = PIPELINE_NEVER,
    };
}

/* Shows the turns of a barrel that passed without an instruction. */
static void show_passes(struct picture *picture, const struct ttrace *trace,
                        const struct ttrace_time *time)
{
    for (size_t i = 0; i < time->pass_count; i++) {
        struct pipeline_record pass = without_time(0, time->passes[i].turn);
        pass.thread = time->passes[i].thread;
        pass.stall = find_stall(trace, time->passes[i].stall);
        pass.is_bubble = true;
        if (pass.stall < STALL_ALL)
            picture_observe(picture, &pass);
    }
}

/* Is the exception one of the pipeline? An ecall that the user environment served is none. Nor is
 * that of an instruction for a CSR, whose cycle the pipeline has to know before it executes. */
static bool has_trapped(const struct ttrace_record *record, bool is_timed)
{
    const struct isa_instruction *instruction = isa_decode(record->word, record->length);
    int64_t values[ISA_OPERAND_LIMIT];

    if (instruction)
        instruction = isa_operands(instruction, record->word, values);
    return record->flags & TTRACE_TRAP &&
           (record->trap_cause != CAUSE_USER_ECALL || record->flags & TTRACE_BARE) &&
           !(is_timed && instruction && instruction->effects & ISA_EFFECT_CSR);
}

/* Shows the records of all segments. */
static bool show_records(struct ttrace_tool *tool, struct picture *picture)
{
    struct ttrace *trace = &tool->trace;
    struct kept_site **sites = arena_array(&tool->arena, SITES, sizeof *sites);
    uint64_t *blockers = arena_array(&tool->arena, TTRACE_CONFLICTS, sizeof *blockers);
    struct ttrace_decoder decoder = {0};
    struct ttrace_clock *clock = arena_new(&tool->arena, struct ttrace_clock);
    struct ttrace_record record;
    struct ttrace_time time;
    uint64_t number = 0, sequence = 0;
    bool good = true, has_time = ttrace_clock_next(clock, trace, &time);

    for (size_t i = 0; good && i < trace->segment_count; i++) {
        good = ttrace_load(&decoder, trace, &trace->segments[i]);
        for (; good && ttrace_next(&decoder, &record); number++) {
            bool is_timed = has_time && time.record == number;
            if (record.flags & (TTRACE_START | TTRACE_INTERRUPT) ||
                (trace->timed_count && !is_timed))
                continue;
            if (is_timed)
                show_passes(picture, trace, &time);
            struct pipeline_record shown =
                is_timed ? with_time(trace, &time, blockers, sequence)
                         : without_time(sequence, trace->workers ? record.turn : sequence);
            shown.has_trapped = has_trapped(&record, is_timed);
            shown.thread = trace->workers ? record.thread - 1 : 0;
            shown.context = find_site(tool, sites, &record);
            picture_observe(picture, &shown);
            sequence++;
            if (is_timed)
                has_time = ttrace_clock_next(clock, trace, &time);
        }
        good = good && !decoder.failed && !clock->failed;
    }
    if (has_time && time.record == number)
        show_passes(picture, trace, &time);
    ttrace_decoder_free(&decoder);
    ttrace_clock_free(clock);
    return good;
}

bool convert_to_picture(struct ttrace_tool *tool)
{
    const struct ttrace *trace = &tool->trace;
    const struct picture_options options = {.file = "-", .format = tool->picture};
    const struct picture_program program = {
        .image = tool->has_program ? &tool->image : NULL,
        .symbols = tool->has_program ? &tool->symbols : NULL,
        .moved = trace->moved,
        .threads = trace->workers ? trace->workers + 1 : 0,
    };
    struct picture picture = {0};

    if (!picture_open(&picture, &tool->diag, &options, &program))
        return false;
    bool good = show_records(tool, &picture);
    return picture_close(&picture) && good;
}
