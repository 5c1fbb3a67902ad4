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

/* A rare case of arithmetic: sets a bit that is not a flag. See SETTLE_FLAGS. */
#define FLOAT_RARELY(call, flags) ((void)sizeof(call), *(flags) |= 1u << 31, 0)

#include "emu/dispatch.h"

#ifdef __clang__
#define COLD_LABEL __attribute__((unused))
#else
#define COLD_LABEL __attribute__((cold, unused))
#endif

/* ---- the frame ---- */
#define FRAME(name)                                                                                \
    struct step name(STATE_PARAMETERS)                                                             \
    {
#define SUPERINSTRUCTION(name) FRAME(super_##name)
#define INSTRUCTION(ID, name)  FRAME(direct_##name) PART()
/* The flags are in a variable until the operands are written. Its address may be passed on, and the
 * call of another body is a jump only outside of its scope. */
#define PART()                                                                                     \
    {                                                                                              \
        __label__ aside;                                                                           \
        RECORD_SCOPE();                                                                            \
        {                                                                                          \
            unsigned flags_before = hart->fflags;                                                  \
            unsigned flags_after = flags_before;                                                   \
            unsigned *const fflags __attribute__((unused)) = &flags_after;
#define END_WORK()                                                                                 \
    SETTLE_FLAGS();                                                                                \
    }                                                                                              \
    if (0) {                                                                                       \
    aside:                                                                                         \
        COLD_LABEL;                                                                                \
        GO_TO(dispatch_whole);                                                                     \
    }
/* Goes on to the next part of a superinstruction. */
#define END_PART()                                                                                 \
    END_WORK()                                                                                     \
    record++;                                                                                      \
    }
#define END_BODY(successor)                                                                        \
    END_WORK()                                                                                     \
    if (flow == FLOW_TARGET)                                                                       \
        FOLLOW(destination);                                                                       \
    if (flow == FLOW_FIXED)                                                                        \
        LINK(successor);                                                                           \
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
    LINK(record->pc);                                                                              \
    }                                                                                              \
    }

#define LEAVE() goto aside
/* Before anything is written: leaves if arithmetic met a rare case, else keeps the flags. */
#define SETTLE_FLAGS()                                                                             \
    do {                                                                                           \
        if (__builtin_expect((flags_after & ~flags_before) >> 31, 0))                              \
            LEAVE();                                                                               \
        if (flags_after != flags_before)                                                           \
            hart->fflags = flags_after;                                                            \
    } while (0)

#define WRITE_RAW(file, number, value)                                                             \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        hart->file[number] = (value);                                                              \
    } while (0)
#define WRITE_GROUP(file, slot, values, count)                                                     \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        for (unsigned i_ = 0; i_ < (count); i_++)                                                  \
            hart->file[SLOT(slot) + i_] = box_f32((values)[i_]);                                   \
    } while (0)
/* Registers of the files that are not standard: `place` is the first of their words. */
#define SET_REGISTER(file, number, place, value)                                                   \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        hart->registers[place] = (value);                                                          \
    } while (0)
#define SET_REGISTER_WORDS(file, number, place, value)                                             \
    do {                                                                                           \
        SETTLE_FLAGS();                                                                            \
        memcpy(&hart->registers[place], (value), sizeof(value));                                   \
    } while (0)

/* ---- the accessors of the bodies (docs/isa-format.md, semantics) ---- */
#define trap(name, value)                                                                          \
    do {                                                                                           \
        (void)(value);                                                                             \
        LEAVE();                                                                                   \
    } while (0)
#define load(type, address)                                                                        \
    ({                                                                                             \
        uint64_t address_ = (address);                                                             \
        type loaded_;                                                                              \
        if (__builtin_expect(!memory_is_direct(fast, address_, sizeof(type), PAGE_READ), 0))       \
            LEAVE();                                                                               \
        memcpy(&loaded_, host + address_, sizeof loaded_);                                         \
        loaded_;                                                                                   \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        uint64_t address_ = (address);                                                             \
        const type stored_ = (type)(value);                                                        \
        SETTLE_FLAGS();                                                                            \
        if (__builtin_expect(!memory_is_direct(fast, address_, sizeof(type), PAGE_WRITE), 0))      \
            LEAVE();                                                                               \
        memcpy(host + address_, &stored_, sizeof stored_);                                         \
    } while (0)
#define load_element(type, address)                                                                \
    ({                                                                                             \
        uint64_t element_ = (address);                                                             \
        if (__builtin_expect(element_ % sizeof(type) != 0, 0))                                     \
            LEAVE();                                                                               \
        load(type, element_);                                                                      \
    })
#define store_element(type, address, value)                                                        \
    do {                                                                                           \
        uint64_t element_ = (address);                                                             \
        if (__builtin_expect(element_ % sizeof(type) != 0, 0))                                     \
            LEAVE();                                                                               \
        store(type, element_, value);                                                              \
    } while (0)
/* A walk inside a line of a streak, where a step cannot fail. Everything that could leave comes
 * before the step, so walk_on only follows walk_address of the same row. */
#define walk_address(row)                                                                          \
    ({                                                                                             \
        uint64_t row_ = (row);                                                                     \
        if (__builtin_expect(row_ >= TRAVERSAL_STREAKS || !WALK(row_).length || !WALK(row_).left,  \
                             0))                                                                   \
            LEAVE();                                                                               \
        WALK(row_).address;                                                                        \
    })
#define walk_on(row) traversal_take_step(&WALK(row))
#define WALK(row)    (UNIT(traversal)->streaks[row])
#define UNIT(name)   (&machine_of(hart)->name)
#define walk_load(type, row)                                                                       \
    ({                                                                                             \
        uint64_t at_ = walk_address(row);                                                          \
        const type walked_ = load_element(type, at_);                                              \
        walk_on(row);                                                                              \
        walked_;                                                                                   \
    })
#define walk_store(type, row, value)                                                               \
    do {                                                                                           \
        uint64_t at_ = walk_address(row);                                                          \
        store_element(type, at_, value);                                                           \
        walk_on(row);                                                                              \
    } while (0)

#endif
