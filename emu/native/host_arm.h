/* aarch64 as the host: see host.h. */
#ifndef EMU_NATIVE_HOST_ARM_H
#define EMU_NATIVE_HOST_ARM_H

enum {
    HOST_PINS = 16,
    HOST_TEMPORARIES = 0,
    HOST_TEMPORARY_BITS = 0,
    HOST_FLOAT_PINS = 16,
    HOST_FLOAT_OPERAND = 24, /* v24 */
    HOST_JUMP = FORM_ARM_JUMP,
    HOST_JUMP_BYTES = 4,
    HOST_MAP = 0,
    HOST_FRAME_BYTES = 32,
    HOST_LINE = 64,
    /* So that TBZ in the hot part of a stencil reaches the cold part. */
    HOST_CHUNK = 32 << 10,
    HOST_CHUNK_HOT = 20 << 10,
    HOST_HOLE = 4,
};

/* Writes bits of an instruction from `shift` on. */
static inline uint32_t host_set_bits(uint32_t word, unsigned shift, unsigned count, uint64_t value)
{
    uint32_t mask = (1u << count) - 1;

    return (word & ~(mask << shift)) | ((uint32_t)value & mask) << shift;
}

/* A move of 16 bits, or of their complement. */
static inline uint32_t host_set_move(uint32_t word, int64_t value)
{
    word = host_set_bits(word, 29, 2, value < 0 ? 0 : 2); /* MOVN, MOVZ */
    return host_set_bits(word, 5, 16, (uint64_t)(value < 0 ? ~value : value));
}

/* In one move. */
static inline bool host_knows(int64_t value)
{
    return value >> 16 == 0 || ~value >> 16 == 0;
}

/* In ADD or SUB. */
static inline bool host_can_add(int64_t value)
{
    return value > -(1 << 12) && value < 1 << 12;
}

static inline void host_fill(unsigned char *place, unsigned form, int64_t value)
{
    enum { NOP = 0xd503201f, MOVE_BITS = 16 };
    bool is_small = host_knows(value);
    uint32_t word;

    memcpy(&word, place, sizeof word);
    switch (form) {
    case FORM_ARM_JUMP:
        word = host_set_bits(word, 0, 26, (uint64_t)value / 4);
        break;
    case FORM_ARM_BRANCH:
        word = host_set_bits(word, 5, 19, (uint64_t)value / 4);
        break;
    case FORM_ARM_TEST:
        word = host_set_bits(word, 5, 14, (uint64_t)value / 4);
        break;
    case FORM_ARM_HIGH: /* of the second move, if one suffices */
        word = is_small ? NOP : host_set_move(word, value >> MOVE_BITS);
        break;
    case FORM_ARM_LOW:
        word = is_small ? host_set_move(word, value) : host_set_bits(word, 5, 16, (uint64_t)value);
        break;
    case FORM_ARM_SMALL:
        word = host_set_move(word, value);
        break;
    case FORM_ARM_ADD:
        word = host_set_bits(word, 30, 1, value < 0);
        word = host_set_bits(word, 10, 12, (uint64_t)(value < 0 ? -value : value));
        break;
    default: /* FORM_ARM_OFFSET */
        word = host_set_bits(word, 10, 12, (uint64_t)value / sizeof(uint64_t));
        break;
    }
    memcpy(place, &word, sizeof word);
}

static inline int64_t host_value(unsigned form, int64_t value, const unsigned char *place)
{
    (void)form;
    (void)place;
    return value;
}

static inline void host_set_register(unsigned char *bytes, const struct stencil_field *field,
                                     unsigned number)
{
    uint32_t word;

    memcpy(&word, bytes + field->at, sizeof word);
    word ^= (uint32_t)number << field->shift;
    memcpy(bytes + field->at, &word, sizeof word);
}

/* Writes a jump over the distance. */
static inline void host_write_jump(unsigned char *place, int64_t distance)
{
    uint32_t jump = 0x14000000;

    memcpy(place, &jump, sizeof jump);
    host_fill(place, FORM_ARM_JUMP, distance);
}

/* What follows an instruction is never executed, nor decoded as another one. */
static inline void host_write_nothing(unsigned char *place, size_t bytes)
{
    (void)place;
    (void)bytes;
}

static inline bool host_can_turn(unsigned form)
{
    return form == FORM_ARM_BRANCH || form == FORM_ARM_TEST;
}

static inline bool host_turn(unsigned char *place, int64_t distance)
{
    uint32_t word;

    memcpy(&word, place, sizeof word);
    bool is_test = (word >> 25 & 0x3f) == 0x1b;
    int64_t reach = (int64_t)1 << (is_test ? 15 : 20);
    if (distance < -reach || distance >= reach)
        return false;
    host_fill(place, is_test ? FORM_ARM_TEST : FORM_ARM_BRANCH, distance);
    return true;
}

static inline void host_flush(const unsigned char *begin, const unsigned char *end)
{
    __builtin___clear_cache((char *)begin, (char *)end);
}

/* qemu-user before 8.1 ignores what host_flush does, and goes on with code that was changed through
 * another mapping. */
bool host_sees_changes(unsigned char *writable, const unsigned char *executable);

#endif
