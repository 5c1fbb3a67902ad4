/* Macros that the two forms of a body share (whole.h, direct.h): how control leaves it,
 * and its operands. isagen writes the bodies of each file of the ISA description into two files of
 * C, one for each form. They contain no number that another file of the description could change,
 * so an edit of the description compiles few of them. */
#ifndef EMU_BODY_BODY_H
#define EMU_BODY_BODY_H

#include "emu/float/half.h"
#include "emu/machine.h"

enum {
    ROUNDING_DYNAMIC = ISA_VALUE_ROUNDING_MODE_DYN, /* the mode is in frm */
};

/* The bodies pass the rounding mode of the instruction to the arithmetic unchanged. */
_Static_assert((int)FLOAT_RNE == ISA_VALUE_ROUNDING_MODE_RNE &&
                   (int)FLOAT_RTZ == ISA_VALUE_ROUNDING_MODE_RTZ &&
                   (int)FLOAT_RDN == ISA_VALUE_ROUNDING_MODE_RDN &&
                   (int)FLOAT_RUP == ISA_VALUE_ROUNDING_MODE_RUP &&
                   (int)FLOAT_RMM == ISA_VALUE_ROUNDING_MODE_RMM,
               "rounding modes are numbered as in the ISA description");

static inline uint64_t read_ri(const uint64_t *file, uint8_t slot)
{
    return slot & RI_IMMEDIATE ? slot & (RI_IMMEDIATE - 1u) : file[slot];
}

/* The names that every part of a body has for fields of its record. */
#define RECORD_SCOPE()                                                                             \
    const uint64_t pc __attribute__((unused)) = record->pc;                                        \
    const uint64_t next_pc __attribute__((unused)) = pc + record->length;                          \
    const uint64_t slots __attribute__((unused)) = record->slots;                                  \
    enum flow flow __attribute__((unused)) = FLOW_NEXT;                                            \
    uint64_t destination __attribute__((unused)) = 0

/* The target of a body: a distance in a slot of the immediates, or none. It is rarely needed, since
 * a record is linked to its target, so the compiler must not load its parts ahead. */
#define SUCCESSOR(slot)                                                                            \
    (*(const volatile uint32_t *)&record->pc +                                                     \
     (uint64_t) * (const volatile int64_t *)&record->imm[slot])
#define NO_SUCCESSOR 0

/* The slots are extracted from one word, because memory accesses dominate the executor's time. */
#define SLOT(slot)             ((uint8_t)(slots >> 8 * (slot)))
#define REGISTER(slot)         (SLOT(slot) & (SINK - 1))
#define READ_U64(file, slot)   (hart->file[SLOT(slot)])
#define READ_F64(file, slot)   (hart->file[SLOT(slot)])
#define READ_F32(file, slot)   unbox_f32(hart->file[SLOT(slot)])
#define READ_RAW32(file, slot) ((uint32_t)hart->file[SLOT(slot)])
#define READ_F16(file, slot)   unbox_f16(hart->file[SLOT(slot)])
#define READ_RAW16(file, slot) ((uint16_t)hart->file[SLOT(slot)])
/* Reads a register that is also written. Its slot may be the sink, which reads as 0. */
#define READ_OLD_U64(file, slot)   (SLOT(slot) == SINK ? 0 : READ_U64(file, slot))
#define READ_OLD_F64(file, slot)   READ_F64(file, slot)
#define READ_OLD_F32(file, slot)   READ_F32(file, slot)
#define READ_OLD_RAW32(file, slot) READ_RAW32(file, slot)
#define READ_OLD_F16(file, slot)   READ_F16(file, slot)
#define READ_OLD_RAW16(file, slot) READ_RAW16(file, slot)
#define READ_RI(file, slot)        read_ri(hart->file, SLOT(slot))
#define IMMEDIATE(slot)            ((uint64_t)record->imm[slot])
#define SIGNED_IMMEDIATE(slot)     (record->imm[slot])
#define IMMEDIATE_R(slot)          (SLOT(slot))
#define READ_GROUP(file, slot, values, count)                                                      \
    do {                                                                                           \
        for (unsigned i_ = 0; i_ < (count); i_++)                                                  \
            (values)[i_] = hart->file[SLOT(slot) + i_];                                            \
    } while (0)
#define READ_OLD_GROUP(file, slot, values, count) READ_GROUP(file, slot, values, count)

/* Registers of the files that are not standard: `place` is the first of their words. */
#define GET_REGISTER(place)                    (hart->registers[place])
#define GET_REGISTER_WORDS(place, value)       memcpy((value), &hart->registers[place], sizeof(value))
#define GET_REGISTER_OR_IMMEDIATE(place, slot) read_ri(&hart->registers[place], SLOT(slot))

#define WRITE_U64(file, slot, value)   WRITE_RAW(file, SLOT(slot), value)
#define WRITE_F64(file, slot, value)   WRITE_RAW(file, SLOT(slot), value)
#define WRITE_F32(file, slot, value)   WRITE_RAW(file, SLOT(slot), box_f32(value))
#define WRITE_RAW32(file, slot, value) WRITE_RAW(file, SLOT(slot), box_f32(value))
#define WRITE_F16(file, slot, value)   WRITE_RAW(file, SLOT(slot), box_f16(value))
#define WRITE_RAW16(file, slot, value) WRITE_RAW(file, SLOT(slot), box_f16(value))

/* ---- the accessors of the bodies that are the same in both forms ---- */
/* isagen defines DISTANCE_is_misaligned, a constant 0 if the distance cannot be misaligned. */
#define jump(address)                                                                              \
    do {                                                                                           \
        destination = (address);                                                                   \
        if (__builtin_expect(destination % ISA_CODE_ALIGNMENT != 0, 0))                            \
            trap(fetch_misaligned, destination);                                                   \
        flow = FLOW_TARGET;                                                                        \
    } while (0)
#define branch(distance)                                                                           \
    do {                                                                                           \
        if (__builtin_expect(distance##_is_misaligned, 0))                                         \
            trap(fetch_misaligned, pc + (uint64_t)(distance));                                     \
        flow = FLOW_FIXED;                                                                         \
    } while (0)
#define rounding(rm)                                                                               \
    ({                                                                                             \
        unsigned rounding_ = (rm) == ROUNDING_DYNAMIC ? hart->frm : (rm);                          \
        if (__builtin_expect(rounding_ > FLOAT_RMM, 0))                                            \
            trap(illegal_instruction, INSTRUCTION_WORD);                                           \
        (int)rounding_;                                                                            \
    })

#endif
