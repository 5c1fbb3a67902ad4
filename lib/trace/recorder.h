/* The effects of one instruction, in the order in which they happened. The observed executor and
 * the port of temu fill the list; traces, statistics and watchpoints read it. It is emptied before
 * each instruction. */
#ifndef LIB_TRACE_RECORDER_H
#define LIB_TRACE_RECORDER_H

#include "lib/bytes.h"
#include "lib/text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum effect_kind {
    EFFECT_REGISTER,    /* file, number, value; or `length` words at `address` of recorder.words */
    EFFECT_CSR,         /* number, value */
    EFFECT_PRIVILEGE,   /* value: the new privilege mode */
    EFFECT_LOAD,        /* address, size, value as in memory */
    EFFECT_STORE,       /* address, size, value as in memory */
    EFFECT_RANGE_READ,  /* address, length: by a tensor unit */
    EFFECT_RANGE_WRITE, /* address, length, value = digest (hash_bytes) of the bytes written */
    EFFECT_STATE, /* state of a unit: unit, name, number = row (or EFFECT_NO_ROW), dimension (or
                     -1), value */
    EFFECT_HOP, /* a packet crosses a link: unit, name, number and dimension = row and column of its
                   owner, address and length = the two ends of the link (EFFECT_PLACE), value =
                   bytes */
} __attribute__((packed));

#define EFFECT_NO_ROW UINT32_MAX /* `number` of a state that does not belong to a row */
/* A node of a network as one number, and its row and column. */
#define EFFECT_PLACE(row, column)  ((uint64_t)(row) << 32 | (column))
#define EFFECT_PLACE_ROW(place)    ((unsigned)((place) >> 32))
#define EFFECT_PLACE_COLUMN(place) ((unsigned)(place))

struct effect {
    /* These eight bytes are the shape of the effect in a lossless trace (ttrace_shape). */
    enum effect_kind kind;
    uint8_t size; /* bytes: 1 2 4 8 */
    uint8_t file; /* index in isa_register_files */
    bool is_wide; /* a register whose value is in recorder.words */
    uint32_t number;

    int32_t dimension;
    uint64_t address;
    uint64_t length;
    uint64_t value;
    union {
        struct {
            const char *unit, *name; /* static strings; unit NULL: none */
        };
        struct { /* of EFFECT_RANGE_*: the bytes, in recorder.bytes, if they are kept */
            size_t bytes_at, bytes_length;
        };
    };
};

struct recorder {
    struct effect *effects; /* grown as needed */
    size_t count, capacity;
    uint64_t *words; /* values of registers of more than 64 bits, the lowest word of each first */
    size_t word_count, word_capacity;
    bool keeps_bytes; /* also the bytes that units write are recorded, for a lossless trace */
    bool keeps_reads; /* and those that they read, for coverage */
    unsigned char *bytes;
    size_t byte_count, byte_capacity;
};

/* Makes room for more effects. Out of memory ends the tool with a message. */
void recorder_grow(struct recorder *recorder);

/* Returns the first eight bytes of an effect as a little-endian number. */
static inline uint64_t recorder_shape(enum effect_kind kind, unsigned size, unsigned file,
                                      unsigned number)
{
    return (uint64_t)kind | (uint64_t)size << 8 | (uint64_t)file << 16 | (uint64_t)number << 32;
}

/* Appends an effect of this shape (recorder_shape), with dimension -1. The shape is stored at once:
 * a lossless trace loads it at once soon after, and a host waits for smaller stores. */
static inline struct effect *recorder_add_shape(struct recorder *recorder, uint64_t shape)
{
    if (__builtin_expect(recorder->count == recorder->capacity, 0))
        recorder_grow(recorder);
    struct effect *effect = &recorder->effects[recorder->count++];
    bytes_put(effect, shape, 8);
    effect->dimension = -1;
    effect->address = effect->length = effect->value = 0;
    effect->unit = effect->name = NULL;
    return effect;
}

/* Appends a zeroed effect of the kind, with dimension -1. */
static inline struct effect *recorder_add(struct recorder *recorder, enum effect_kind kind)
{
    return recorder_add_shape(recorder, recorder_shape(kind, 0, 0, 0));
}

static inline void recorder_add_register(struct recorder *recorder, unsigned file, unsigned number,
                                         uint64_t value)
{
    recorder_add_shape(recorder, recorder_shape(EFFECT_REGISTER, 0, file, number))->value = value;
}

/* Appends a load or store of `size` bytes. */
static inline void recorder_add_access(struct recorder *recorder, bool is_store, uint64_t address,
                                       unsigned size, uint64_t value)
{
    enum effect_kind kind = is_store ? EFFECT_STORE : EFFECT_LOAD;
    struct effect *effect = recorder_add_shape(recorder, recorder_shape(kind, size, 0, 0));

    effect->address = address;
    effect->length = size;
    effect->value = value;
}

/* Appends the write of a register whose value has `count` words. */
void recorder_add_words(struct recorder *recorder, unsigned file, unsigned number,
                        const uint64_t *words, unsigned count);

/* Keeps the bytes that the effect wrote or read, if they are wanted. */
void recorder_keep_bytes(struct recorder *recorder, struct effect *effect, const void *bytes,
                         size_t length);

/* Returns the words of the value of a register, and in *count how many there are. */
static inline const uint64_t *recorder_words(const struct recorder *recorder,
                                             const struct effect *effect, unsigned *count)
{
    *count = effect->length ? (unsigned)effect->length : 1;
    return effect->length ? &recorder->words[effect->address] : &effect->value;
}

/* Forgets the effects. */
static inline void recorder_clear(struct recorder *recorder)
{
    recorder->count = recorder->word_count = recorder->byte_count = 0;
}

void recorder_free(struct recorder *recorder);

/* Returns the name of the unit, which is empty for the state of no unit, as that of the barrel. */
static inline const char *effect_unit(const struct effect *effect)
{
    return effect->unit ? effect->unit : "";
}

/* Appends the name of the state of a unit: `traversal.offset[0][1]`, or of no unit `exits`. */
void effect_append_state(struct text *text, const struct effect *effect);

#endif
