/* x86-64 as the host: see host.h. */
#ifndef EMU_NATIVE_HOST_X86_H
#define EMU_NATIVE_HOST_X86_H

enum {
    HOST_PINS = 9,
    HOST_TEMPORARIES = 2,
    HOST_TEMPORARY_BITS = 1 << 1 | 1 << 2,
    HOST_FLOAT_PINS = 7,
    HOST_FLOAT_OPERAND = 8, /* xmm8 */
    HOST_JUMP = FORM_X86_RELATIVE,
    HOST_JUMP_BYTES = 5,
    HOST_MAP = MAP_32BIT, /* holes have 32 bits */
    HOST_FRAME_BYTES = 24,
    HOST_LINE = 64,
    /* All jumps reach all code. But processors predict one on a condition that is taken now and
     * then better if it goes no farther than this. Programs have about as much cold code. */
    HOST_CHUNK = 128 << 10,
    HOST_CHUNK_HOT = 64 << 10,
    HOST_HOLE = 4, /* bytes */
};

static inline void host_fill(unsigned char *place, unsigned form, int64_t value)
{
    if (form == FORM_X86_BYTE) {
        *place = (unsigned char)value;
        return;
    }
    uint32_t word = (uint32_t)(form == FORM_X86_RELATIVE ? value - HOST_HOLE : value);

    memcpy(place, &word, sizeof word);
}

/* Code for a known immediate may not be right for 0. */
static inline bool host_knows(int64_t value)
{
    return value != 0;
}

static inline bool host_can_add(int64_t value)
{
    (void)value;
    return true;
}

static inline int64_t host_value(unsigned form, int64_t value, const unsigned char *place)
{
    return form == FORM_X86_RELATIVE ? value - (int64_t)(uintptr_t)place : value;
}

static inline void host_set_register(unsigned char *bytes, const struct stencil_field *field,
                                     unsigned number)
{
    bytes += field->at;
    bytes[0] ^= (unsigned char)((number & 7) << field->shift);
    bytes[-(int)field->back] ^= (unsigned char)(number >> 3 << field->bit);
}

/* Writes a jump over the distance. */
static inline void host_write_jump(unsigned char *place, int64_t distance)
{
    place[0] = 0xe9;
    host_fill(place + 1, FORM_X86_RELATIVE, distance - 1);
}

static inline void host_write_nothing(unsigned char *place, size_t bytes)
{
    memset(place, 0x90, bytes);
}

/* Has the host what -march=x86-64-v3 uses? */
bool host_has_new_instructions(void);
#define HOST_HAS_NEW() host_has_new_instructions()

/* They are not needed: all jumps reach all code. */
static inline bool host_can_turn(unsigned form)
{
    (void)form;
    return false;
}

static inline bool host_turn(unsigned char *place, int64_t distance)
{
    (void)place;
    (void)distance;
    return false;
}

static inline void host_flush(const unsigned char *begin, const unsigned char *end)
{
    (void)begin;
    (void)end;
}

static inline bool host_sees_changes(unsigned char *writable, const unsigned char *executable)
{
    (void)writable;
    (void)executable;
    return true;
}

#endif
