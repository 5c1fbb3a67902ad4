/* The recorded form of a body, for the executor that records (recording.h): the direct form, which
 * also writes the values of its effects to the log, in the order in which the whole form reports
 * them. `target` is the end of the log. It moves when the instruction is done, so nothing is in the
 * log of one that leaves.
 *
 * Flags that the instruction raises are not in the log. Such an instruction ends in
 * recording_raised. */
#ifndef EMU_BODY_RECORDED_H
#define EMU_BODY_RECORDED_H

#define RECORDED_FORM
#include "emu/float/rare.h"

#include "emu/execute/dispatch.h"
#include "emu/execute/recording.h"

#define DIRECT_NAME(name) recorded_##name
#define SUPER_NAME(name)  recorded_super_##name /* not used */
#define BEGIN_LOG()                                                                                \
    uint64_t *log_ __attribute__((unused)) = (uint64_t *)target;                                   \
    unsigned raised_
#define KEEP_LOG()                                                                                 \
    do {                                                                                           \
        target = (uint64_t)log_;                                                                   \
        raised_ = flags_after;                                                                     \
    } while (0)
#define END_LOG()                                                                                  \
    do {                                                                                           \
        if (__builtin_expect(raised_ != 0, 0))                                                     \
            TAIL_CALL return recording_raised(STATE_WITH(target));                                 \
    } while (0)
#define GO_ASIDE() TAIL_CALL return recording_aside(STATE_WITH(target))
/* As in the turn form (turn.h), if this is a thread of a barrel. */
#define KEEP_RESERVED(address, size)                                                               \
    do {                                                                                           \
        if (__builtin_expect(hart->barrel != NULL, 0) &&                                           \
            hart_may_end_reservation(hart, (address), (size)))                                     \
            LEAVE();                                                                               \
    } while (0)
#define NOTE_RESERVED(address)                                                                     \
    do {                                                                                           \
        if (hart->barrel)                                                                          \
            hart->barrel->reserved_lines |= hart_reserved_line(address);                           \
    } while (0)
/* A write to the sink is not an effect. */
#define HAS_SINK_x true
#define HAS_SINK_f false
#define LOG_REGISTER(file, number, value)                                                          \
    do {                                                                                           \
        *log_ = (value);                                                                           \
        log_ += !(HAS_SINK_##file && (number) == SINK);                                            \
    } while (0)
#define LOG_ACCESS(address, value)                                                                 \
    do {                                                                                           \
        *log_++ = (address);                                                                       \
        *log_ = 0;                                                                                 \
        memcpy(log_++, &(value), sizeof(value));                                                   \
    } while (0)
/* The flags that the instruction raises, as in the observed executor. */
#define FLAGS_BEFORE() 0
#define SETTLE_FLAGS()                                                                             \
    do {                                                                                           \
        if (__builtin_expect(flags_after == RARE_FLAGS, 0))                                        \
            LEAVE();                                                                               \
        if (flags_after != flags_before)                                                           \
            hart->fflags |= flags_after;                                                           \
    } while (0)
#include "emu/body/direct.h"

/* Effects that a log does not have, or not each time. */
#undef SET_REGISTER
#undef SET_REGISTER_WORDS
#undef store_conditional
#undef STREAK
#define SET_REGISTER(file, number, place, value)       LEAVE_WITH(value)
#define SET_REGISTER_WORDS(file, number, place, value) LEAVE_WITH(value)
#define store_conditional(type, address, word)                                                     \
    ({                                                                                             \
        LEAVE_WITH((address) + (uint64_t)(word));                                                  \
        UINT64_C(0);                                                                               \
    })
#define STREAK(row)                                                                                \
    ({                                                                                             \
        LEAVE_WITH(row);                                                                           \
        (struct traversal_streak *)NULL;                                                           \
    })
#define LEAVE_WITH(value)                                                                          \
    do {                                                                                           \
        (void)(value);                                                                             \
        LEAVE();                                                                                   \
    } while (0)

#endif
