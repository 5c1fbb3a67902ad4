/* The executor that records: runs blocks of which nothing but a trace is wanted, and perhaps the
 * time. The plain executor's bodies have a form for it, the recorded form (body/recorded.h), which
 * writes the values of effects to a log (lib/trace/log.h). The log is appended to the trace after
 * at most RECORDING_SLICE instructions.
 *
 * What kinds of effects an instruction has is learned from its first execution in the observed
 * executor. That executor also runs all that the direct form leaves to the whole form. */
#ifndef EMU_EXECUTE_RECORDING_H
#define EMU_EXECUTE_RECORDING_H

#include "emu/machine.h"
#include "emu/observe/observe.h"
#include "lib/trace/log.h"

enum {
    RECORDING_SLICE = 1 << 9,
    /* The most words in a log: each instruction may begin a block, whose place comes before it, and
     * may have raised flags. At the end there may be the place of the next block, and a word that
     * is written but not kept. */
    RECORDING_WORDS = RECORDING_SLICE * (LOG_WORDS + 2) + 2,
};

struct recording {
    uint64_t *end;          /* of the log, when a run has ended */
    uint64_t sequence;      /* of the first instruction in it */
    struct decoded *record; /* whose instruction ended the run; NULL: none did */
    uint64_t resets;        /* of decoded code, when it was looked at last */
    struct log_steps steps;
    uint64_t log[RECORDING_WORDS];
};

/* In a barrel, the log has the flags with this bit after an instruction that has raised some. */
#define RECORDING_RAISED (UINT64_C(1) << 63)

extern const struct executor recording_executor;

/* Prepares machine->recording after decoded code may have been forgotten. */
void recording_begin(struct machine *machine);
/* Can the executor run the record? */
bool recording_knows(const struct decoded *record);
/* Executes up to `left` instructions from the record on, which it knows, and appends them to the
 * trace. hart->pc and hart->instret are exact then. Returns the record that the observed executor
 * must execute next, or NULL: any. */
struct decoded *recording_run(struct machine *machine, struct decoded *record, uint64_t left);
/* Returns the place of the record in logs, or 0: it has none yet. */
static inline uint32_t recording_place_of(const struct decoded *record)
{
    uint32_t end = record[record->remaining].place;

    return end ? end - record->remaining : 0;
}
/* Returns the place of the record in logs. */
uint32_t recording_place(struct machine *machine, struct decoded *record);
/* Gives a step, whose values begin at `log`, to the model of time and to the trace. `record` has
 * its sequence number, thread and turn. `flags` are those of the hart if it has raised some, else
 * -1. Control went to `next` after it, which only the model needs. Returns the end of the values.
 */
const uint64_t *recording_put(struct machine *machine, const struct log_step *step,
                              const uint64_t *log, int flags, struct ttrace_record *record,
                              uint64_t next);
/* Learns from the instruction that the observed executor has executed last, which was that of
 * `record`. */
void recording_learn(struct machine *machine, struct decoded *record,
                     const struct observed *observed);

/* ---- how bodies in the recorded form go on ---- */

#ifdef RECORDED_FORM
body_function recording_aside, recording_leave, recording_find, recording_raised,
    recording_next_block;

#define PUT_WORD(word)                                                                             \
    do {                                                                                           \
        *(uint64_t *)target = (word);                                                              \
        target += sizeof(uint64_t);                                                                \
    } while (0)
#define BEGIN_BLOCK() PUT_WORD(recording_place_of(record))
#define END_RUN()     (hart->recording->end = (uint64_t *)target)
#define FIND          (END_RUN(), recording_find)
#ifdef TAIL_CALLS
#define GO_ON() TAIL_CALL return record->body(STATE_WITH(target))
#else
#define GO_ON()                                                                                    \
    do {                                                                                           \
        END_RUN();                                                                                 \
        return (struct step){record, left};                                                        \
    } while (0)
#endif
#endif

#endif
