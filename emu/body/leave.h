/* Macros of the forms of a body that handle the common case and leave everything else to the whole
 * form: the direct form of the plain executor (direct.h) and that of stencils
 * (native/stencils/form.h). They define LEAVE(), and IS_DIRECT(address, size, access): may memory
 * be accessed without further checks? */
#ifndef EMU_BODY_LEAVE_H
#define EMU_BODY_LEAVE_H

/* Reservations of other threads of a barrel (turn.h): leaves if a store may end one, and notes
 * a new one. */
#ifndef KEEP_RESERVED
#define KEEP_RESERVED(address, size)
#define NOTE_RESERVED(address)
#endif

/* A form that records accesses defines this (recorded.h). */
#ifndef LOG_ACCESS
#define LOG_ACCESS(address, value) ((void)0)
#endif

#ifndef FLAGS_BEFORE
/* The flags at the beginning. The compiler needs to know that there are five. */
#define FLAGS_BEFORE()                                                                             \
    ({                                                                                             \
        unsigned flags_ = hart->fflags;                                                            \
        if (flags_ > (FLOAT_NX | FLOAT_UF | FLOAT_OF | FLOAT_DZ | FLOAT_NV))                       \
            __builtin_unreachable();                                                               \
        flags_;                                                                                    \
    })
/* Before anything is written: leaves if arithmetic met a rare case, else keeps the flags. */
#define SETTLE_FLAGS()                                                                             \
    do {                                                                                           \
        if (__builtin_expect(flags_after == RARE_FLAGS, 0))                                        \
            LEAVE();                                                                               \
        if (flags_after != flags_before)                                                           \
            hart->fflags |= flags_after;                                                           \
    } while (0)
#endif

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
        if (__builtin_expect(!IS_DIRECT(address_, sizeof(type), PAGE_READ), 0))                    \
            LEAVE();                                                                               \
        memcpy(&loaded_, host + address_, sizeof loaded_);                                         \
        LOG_ACCESS(address_, loaded_);                                                             \
        loaded_;                                                                                   \
    })
/* Atomic accesses: what is direct is aligned. */
#define load_reserved(type, address)                                                               \
    ({                                                                                             \
        uint64_t reserved_ = (address);                                                            \
        type value_;                                                                               \
        if (__builtin_expect(!IS_DIRECT(reserved_, sizeof(type), PAGE_READ), 0))                   \
            LEAVE();                                                                               \
        memcpy(&value_, host + reserved_, sizeof value_);                                          \
        LOG_ACCESS(reserved_, value_);                                                             \
        NOTE_RESERVED(reserved_);                                                                  \
        hart->reserved = true;                                                                     \
        hart->reserved_address = reserved_;                                                        \
        hart->reserved_value = (uint64_t)value_;                                                   \
        value_;                                                                                    \
    })
#define store_conditional(type, address, word)                                                     \
    ({                                                                                             \
        uint64_t reserved_ = (address);                                                            \
        bool holds_ = false;                                                                       \
        if (__builtin_expect(!IS_DIRECT(reserved_, sizeof(type), PAGE_READ | PAGE_WRITE), 0))      \
            LEAVE();                                                                               \
        if (hart->reserved && hart->reserved_address == reserved_) {                               \
            type present_;                                                                         \
            memcpy(&present_, host + reserved_, sizeof present_);                                  \
            holds_ = present_ == (type)hart->reserved_value;                                       \
        }                                                                                          \
        if (holds_) {                                                                              \
            KEEP_RESERVED(reserved_, sizeof(type));                                                \
            memcpy(host + reserved_, &(type){(type)(word)}, sizeof(type));                         \
        }                                                                                          \
        hart->reserved = false;                                                                    \
        (uint64_t) !holds_;                                                                        \
    })
#define atomic(type, address, result)                                                              \
    ({                                                                                             \
        uint64_t atomic_ = (address);                                                              \
        type old;                                                                                  \
        if (__builtin_expect(!IS_DIRECT(atomic_, sizeof(type), PAGE_READ | PAGE_WRITE), 0))        \
            LEAVE();                                                                               \
        KEEP_RESERVED(atomic_, sizeof(type));                                                      \
        memcpy(&old, host + atomic_, sizeof old);                                                  \
        const type new_ = (type)(result);                                                          \
        memcpy(host + atomic_, &new_, sizeof new_);                                                \
        LOG_ACCESS(atomic_, old);                                                                  \
        LOG_ACCESS(atomic_, new_);                                                                 \
        old;                                                                                       \
    })
#define store(type, address, value)                                                                \
    do {                                                                                           \
        typedef type __attribute__((aligned(1), may_alias)) stored_;                               \
        uint64_t address_ = (address);                                                             \
        SETTLE_FLAGS();                                                                            \
        if (__builtin_expect(!IS_DIRECT(address_, sizeof(type), PAGE_WRITE), 0))                   \
            LEAVE();                                                                               \
        KEEP_RESERVED(address_, sizeof(type));                                                     \
        const type kept_ = (type)(value);                                                          \
        *(stored_ *)(host + address_) = kept_;                                                     \
        LOG_ACCESS(address_, kept_);                                                               \
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
/* The inline fast function of an instruction: false if the case is rare; nothing has changed. */
#define FAST(name, ...)                                                                            \
    do {                                                                                           \
        if (__builtin_expect(!name##_direct(__VA_ARGS__), 0))                                      \
            LEAVE();                                                                               \
    } while (0)
/* A walk inside of a line of a streak. A form may say where the streak and its position are, and
 * what happens at the end of a line. Nothing leaves after the position has changed, so walk_on only
 * follows walk_address of the same row. */
#ifndef STREAK
#ifndef STREAKS
#define STREAKS (UNIT(traversal)->own_streaks)
#endif
#define STREAK(row)                                                                                \
    ({                                                                                             \
        uint64_t row_ = (row);                                                                     \
        if (__builtin_expect(row_ >= TRAVERSAL_STREAKS, 0))                                        \
            LEAVE();                                                                               \
        &STREAKS[row_];                                                                            \
    })
#define READ_POSITION(streak)         ((streak)->position)
#define WRITE_POSITION(streak, value) ((streak)->position = (value))
#define END_LINE()                    LEAVE()
#endif
#define walk_address(row)                                                                          \
    ({                                                                                             \
        const struct traversal_streak *found_ = STREAK(row);                                       \
        if (__builtin_expect(!traversal_has_element(READ_POSITION(found_)), 0))                    \
            END_LINE();                                                                            \
        (uint32_t) READ_POSITION(found_);                                                          \
    })
#define walk_on(row)                                                                               \
    do {                                                                                           \
        struct traversal_streak *found_ = STREAK(row);                                             \
        WRITE_POSITION(found_, READ_POSITION(found_) + found_->steps[0]);                          \
    } while (0)
#define walk_load(type, row)                                                                       \
    ({                                                                                             \
        struct traversal_streak *found_ = STREAK(row);                                             \
        uint64_t from_ = READ_POSITION(found_), to_ = STEPPED(found_, sizeof(type), from_);        \
        const type element_ = load(type, ADDRESS_OF(from_));                                       \
        FINISH_STEP(found_, to_);                                                                  \
        element_;                                                                                  \
    })
#define walk_store(type, row, value)                                                               \
    do {                                                                                           \
        struct traversal_streak *found_ = STREAK(row);                                             \
        uint64_t from_ = READ_POSITION(found_), to_ = STEPPED(found_, sizeof(type), from_);        \
        store(type, ADDRESS_OF(from_), value);                                                     \
        FINISH_STEP(found_, to_);                                                                  \
    } while (0)
/* The position after the next step, before an access that may leave. */
#ifndef STEPPED
#define STEPPED(streak, bytes, from)                                                               \
    ({                                                                                             \
        uint64_t stepped_;                                                                         \
        if (__builtin_expect(!traversal_step((streak), (bytes), (from), &stepped_), 0))            \
            END_LINE();                                                                            \
        stepped_;                                                                                  \
    })
#define ADDRESS_OF(position)    ((uint32_t)(position))
#define FINISH_STEP(streak, to) WRITE_POSITION(streak, to)
#endif
#ifndef UNIT
#define UNIT(name) (&machine_of(hart)->name)
#endif

#endif
