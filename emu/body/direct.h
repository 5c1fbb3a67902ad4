/* The direct form of a body, for the plain executor: handles the common case, and leaves everything
 * else to the whole form. It leaves before the instruction has changed anything, and the whole form
 * executes the instruction from its beginning. So the direct form has no exceptions, no devices,
 * and no calls that would make it save registers of the host.
 *
 * An instruction has this form if its body names only accessors that are `direct` in the ISA
 * description (common.yaml), which are those defined here and in body.h, or if it has an inline
 * `fast` function that cannot trap. */
#ifndef EMU_BODY_DIRECT_H
#define EMU_BODY_DIRECT_H

#include "emu/float/rare.h"

#include "emu/body/body.h"
#include "emu/execute/dispatch.h"

#ifdef __clang__
#define COLD_LABEL __attribute__((unused))
#else
#define COLD_LABEL __attribute__((cold, unused))
#endif

/* ---- the frame ---- */
#define FRAME(name)                                                                                \
    struct step name(STATE_PARAMETERS)                                                             \
    {
#ifndef DIRECT_NAME
#define DIRECT_NAME(name) direct_##name
#define SUPER_NAME(name)  super_##name
#endif
#define SUPERINSTRUCTION(name) FRAME(SUPER_NAME(name))
#ifndef BEGIN_INSTRUCTION
#define BEGIN_INSTRUCTION()
#endif
/* A log of the effects (recorded.h). */
#ifndef BEGIN_LOG
#define BEGIN_LOG()                       ((void)0)
#define KEEP_LOG()                        ((void)0)
#define END_LOG()                         ((void)0)
#define LOG_REGISTER(file, number, value) ((void)0)
#ifndef GO_ASIDE
#define GO_ASIDE() GO_TO(dispatch_whole)
#endif
#endif
#define INSTRUCTION(ID, name) FRAME(DIRECT_NAME(name)) BEGIN_INSTRUCTION() PART()
/* The flags are in a variable until the operands are written. Its address may be passed on, and the
 * call of another body is a jump only outside of its scope. */
#define PART()                                                                                     \
    {                                                                                              \
        __label__ aside;                                                                           \
        RECORD_SCOPE();                                                                            \
        BEGIN_LOG();                                                                               \
        {                                                                                          \
            unsigned flags_before = FLAGS_BEFORE();                                                \
            unsigned flags_after = flags_before;                                                   \
            unsigned *const fflags __attribute__((unused)) = &flags_after;
#define END_WORK()                                                                                 \
    SETTLE_FLAGS();                                                                                \
    KEEP_LOG();                                                                                    \
    }                                                                                              \
    if (0) {                                                                                       \
    aside:                                                                                         \
        COLD_LABEL;                                                                                \
        GO_ASIDE();                                                                                \
    }                                                                                              \
    END_LOG();
/* Goes on to the next part of a superinstruction. */
#define END_PART()                                                                                 \
    END_WORK()                                                                                     \
    record++;                                                                                      \
    }
#define END_BODY(successor)                                                                        \
    END_WORK()                                                                                     \
    if (flow == FLOW_TARGET)                                                                       \
        FOLLOW(record[1].taken, destination);                                                      \
    if (flow == FLOW_FIXED)                                                                        \
        LINK(record[1].taken, successor);                                                          \
    record++;
#define END_INSTRUCTION(ID)                                                                        \
    END_BODY(0)                                                                                    \
    GO_ON();                                                                                       \
    }                                                                                              \
    }
/* Ends a body that ends a block. The next record is the terminator, so control goes where that
 * leads. */
#define END_BLOCK(ID, successor)                                                                   \
    END_BODY(successor)                                                                            \
    LINK(record->chain, code_pc(record));                                                          \
    }                                                                                              \
    }

/* Native code has more forms (emu/native/stencils/). */
#define STENCILS(ID, name, roles)
#define STENCILS_AS(ID, other)
#define STENCILS_OF_ANY(ID, name, roles)
#define STENCILS_OF_FLOW(ID, name, roles)
#define STENCILS_OF_ACCESS(ID, name, roles)
#define STENCILS_OF_ADDRESS(ID, name, roles)
#define STENCILS_OF_SUM(ID, name, roles)
#define STENCILS_OF_ATOMIC(ID, name, roles)
#define STENCILS_OF_WALK(ID, name, roles)
#define STENCILS_OF_STEP(ID, name, roles)
#define STENCILS_OF_SMALL(ID, name, roles)
#define STENCILS_OF_WORD_SUM(ID, name, roles)
#define STENCILS_OF_IMMEDIATE(ID, name, roles)
#define STENCILS_OF_JUMP(ID, name, roles)
#define STENCILS_OF_TO_INTEGER(ID, name, roles)
#define STENCILS_OF_HALF(ID, name, roles)
#define STENCILS_OF_ROUNDING(ID, name, roles)
#define STENCILS_OF_FUSED(ID, name, roles)
#define STENCILS_OF_BOXED_ROUNDING(ID, name, roles)
#define STENCILS_OF_BOXED_FUSED(ID, name, roles)
#define STENCILS_OF_BOXED(ID, name, roles)
#define STENCILS_OF_PAIR(ID, name, roles)
#define STENCILS_OF_BOXED_PAIR(ID, name, roles)

#define INSTRUCTION_WORD                 0 /* of a trap, which the whole form raises */
#define LEAVE()                          goto aside
#define IS_DIRECT(address, size, access) memory_is_direct(fast, (address), (size), (access))
#define WRITE_RAW(file, number, value)                                                             \
    do {                                                                                           \
        uint64_t written_ = (value);                                                               \
        SETTLE_FLAGS();                                                                            \
        hart->file[number] = written_;                                                             \
        LOG_REGISTER(file, number, written_);                                                      \
    } while (0)
#define WRITE_GROUP(file, slot, values, count)                                                     \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        for (unsigned i_ = 0; i_ < (count); i_++) {                                                \
            hart->file[SLOT(slot) + i_] = box_f32((values)[i_]);                                   \
            LOG_REGISTER(file, SLOT(slot) + i_, hart->file[SLOT(slot) + i_]);                      \
        }                                                                                          \
    } while (0)
#include "emu/body/leave.h"

#endif
