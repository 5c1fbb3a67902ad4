/* The turn form of a body, for the executor of turns (turns.h): the direct form, after which the
 * thread of the barrel that has the next turn goes on.
 *
 * A store to the doubleword of a reservation leaves, since it may end the reservation of another
 * thread. machine->reserved_lines has a bit for each doubleword that may be reserved; several
 * share a bit.
 *
 * The units are those of the machine, but for what each thread has of its own (context.h). */
#ifndef EMU_BODY_TURN_H
#define EMU_BODY_TURN_H

#define TURN_FORM
#define DIRECT_NAME(name) turn_##name
#define SUPER_NAME(name)  turn_super_##name /* not used: it would be more than a turn */
#define BEGIN_INSTRUCTION()                                                                        \
    const struct decoded *const own __attribute__((unused)) = record;                              \
    again:                                                                                         \
    __attribute__((unused));
#define KEEP_RESERVED(address, size)                                                               \
    do {                                                                                           \
        if (__builtin_expect(hart->barrel->reserved_lines != 0, 0) &&                              \
            hart_may_end_reservation(hart, (address), (size)))                                     \
            LEAVE();                                                                               \
    } while (0)
#define NOTE_RESERVED(address) (hart->barrel->reserved_lines |= hart_reserved_line(address))
#define UNIT(name)                                                                                 \
    ({                                                                                             \
        if (__builtin_expect(hart->is_apart, 0))                                                   \
            LEAVE();                                                                               \
        &hart->barrel->name;                                                                       \
    })
#define STREAKS    (context_of(hart)->streaks)
#define GO_ASIDE() GO_TO(turns_lend)
#include "emu/context.h"

#include "emu/body/direct.h"

#endif
