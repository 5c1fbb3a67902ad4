/* What the parts of the encoder of lossless traces share (ttrace_write.h): sites, and how values
 * are put. Internal to lib/trace/.
 *
 * Each execution of an instruction belongs to a site: its pc, encoding, and the kinds of its
 * effects. In the usual case the site is the one that followed the last site before, and each value
 * is predicted from the values that the site had before. Then the record takes one byte for each
 * value, which Zstandard compresses well. */
#ifndef LIB_TRACE_TTRACE_SITE_H
#define LIB_TRACE_TTRACE_SITE_H

#include "lib/trace/ttrace_index.h"
#include "lib/trace/ttrace_write.h"

enum {
    CHECKED = 64, /* records between two looks at the size of the segment */
};

/* The effects of a site. Those of most instructions have one of a few forms, whose records are
 * written without a loop. */
enum site_form { FORM_NONE, FORM_REGISTER, FORM_LOADED, FORM_STORE, FORM_OTHER, FORM_LONG };

/* The last value of an effect, and how it differed from the one before. */
struct prediction {
    uint64_t last, stride;
};

/* What every record needs comes first. */
struct site {
    struct site *next; /* that followed the last time; NULL: none */
    uint64_t when;     /* number of the record plus 1 that executed it last; 0: none */
    uint32_t key;      /* record_key */
    uint8_t count;     /* of effects */
    uint8_t form;      /* enum site_form */
    uint8_t size;      /* of the first access */
    bool is_trap;      /* has a cause: TTRACE_TRAP or TTRACE_INTERRUPT */
    struct prediction values[TTRACE_SLOTS];
    uint64_t shapes[TTRACE_SHORT]; /* of the effects */
    uint64_t pc, word;
    uint64_t trap_cause;
    struct site *chain; /* the next site of the slot */
};

/* Bytes that a unit wrote in this segment. */
struct content {
    uint64_t hash;
    size_t at, length; /* in the column of bytes */
    uint32_t number;   /* plus 1; 0: free */
};

/* A block of times. */
struct times {
    struct text columns[TTRACE_TIME_COLUMNS];
    const struct ttrace_time_names *names;
    uint64_t first, record, cycle, count;
    uint64_t turn; /* of the last pass */
};

/* Where the next bytes of two columns go. */
struct cursor {
    unsigned char *tags, *values;
};

/* The site of a step of a log, if `segment` is the current one. */
struct step {
    struct site *site;
    uint32_t segment;
};

struct ttrace_writer {
    void (*put)(void *context, struct text *block);
    void *context;
    struct site *sites; /* TTRACE_SEGMENT */
    size_t site_count;
    struct site **slots; /* by pc */
    struct site *last;   /* of the last record; NULL: none */
    uint64_t ordered;    /* records in the segment whose sites are in the column of the order */
    uint64_t count;      /* records in the segment */
    uint64_t total;      /* records before it */
    uint64_t first, sequence;
    uint32_t segment; /* its number, from 1 */
    struct ttrace_turns turns;
    struct text columns[TTRACE_COLUMNS];
    struct cursor cursor;     /* in two of them, whose lengths are set by set_lengths */
    struct content *contents; /* open hash table, BLOCK_SLOTS */
    uint32_t content_count;
    struct index index;
    struct arena names_arena;
    struct map names; /* of units and their state, in this segment */
    uint64_t name_count;
    struct times times;
    struct step *steps; /* by place; NULL: none */
    size_t step_count, step_capacity;
    uint64_t step_resets; /* of struct log_steps */
};

/* Ends the segment if it is full. */
void ttrace_check_segment(struct ttrace_writer *writer);
/* Says that the next record is of this site, which is not the expected one; `number` is that of the
 * record in the segment. */
void ttrace_put_order(struct ttrace_writer *writer, struct site *site, uint64_t number);

/* Returns the number of the record that is written now, plus 1. */
static inline uint64_t record_when(const struct ttrace_writer *writer)
{
    return writer->total + writer->count + 1;
}

/* ---- values ---- */

static inline unsigned byte_count(uint64_t value)
{
    return (71 - (unsigned)__builtin_clzll(value | 1)) / 8;
}

/* Puts a value by its difference from the last one. Which of the tags it gets is hard to predict
 * for the host, so this is arithmetic without jumps. */
static inline void put_value(struct cursor *cursor, struct prediction *prediction, uint64_t value)
{
    uint64_t difference = value - prediction->last, coded = ttrace_zigzag(difference);
    unsigned is_same = difference == 0, is_stride = difference == prediction->stride;
    unsigned count = byte_count(coded) & ((is_same | is_stride) - 1);

    *cursor->tags++ = (unsigned char)(count | (TAG_SAME & -(is_same & ~is_stride)));
    bytes_put(cursor->values, coded, 8);
    cursor->values += count;
    prediction->stride = difference | (prediction->stride & -(uint64_t)is_same);
    prediction->last = value;
}

/* Puts the value of a register after a load of `size` bytes, which is most often the one that was
 * loaded. Which extension it is depends on the data, so it is not found by jumps. */
static inline void put_loaded(struct cursor *cursor, struct prediction *prediction, uint64_t value,
                              uint64_t loaded, unsigned size)
{
    bool is_signed = value == ttrace_extend(TAG_SIGNED, loaded, size);
    bool is_unsigned = value == ttrace_extend(TAG_UNSIGNED, loaded, size);

    if (__builtin_expect(!(is_signed | is_unsigned), 0) &&
        value != ttrace_extend(TAG_BOXED, loaded, size)) {
        put_value(cursor, prediction, value);
        return;
    }
    *cursor->tags++ =
        (unsigned char)(TAG_BOXED - is_unsigned - 2 * is_signed + (is_signed & is_unsigned));
    prediction->last = value;
}

/* Notes an access for the index before it is put, unless it touches the same unit of memory as the
 * last one of its site. */
static inline void note_access(struct ttrace_writer *writer, const struct prediction *prediction,
                               unsigned kind, uint64_t address, unsigned size, bool is_first)
{
    uint64_t before = is_first ? ~address : prediction->last;
    uint64_t last = address + size - 1;

    if (((address ^ before) | (address ^ last)) >> TTRACE_GRANULE_BITS)
        index_note_access(&writer->index, kind == EFFECT_STORE, address, size);
}

/* Puts the address of an access and the value. */
static inline void put_access(struct cursor *cursor, struct prediction *predictions,
                              const uint64_t *words)
{
    put_value(cursor, &predictions[0], words[0]);
    put_value(cursor, &predictions[1], words[1]);
}

/* Puts the words of any short record: of each effect the address of an access, and the value; with
 * an exception, its value at the end. Returns the end of the words. */
const uint64_t *ttrace_put_other(struct ttrace_writer *writer, struct site *site,
                                 const uint64_t *words, bool is_first, uint64_t when);

/* The same with the common forms, where `cursor` is used instead of the writer's. The record is
 * `when` - 1. (The cursor stays in registers of the host, so no function may have its address.) */
static inline const uint64_t *put_words(struct ttrace_writer *writer, struct cursor *cursor,
                                        struct site *site, const uint64_t *words, uint64_t when)
{
    struct prediction *values = site->values;
    bool is_first = site->when == 0;

    site->when = when;
    switch ((enum site_form)site->form) {
    case FORM_NONE:
        return words;
    case FORM_REGISTER:
        put_value(cursor, values, words[0]);
        return words + 1;
    case FORM_LOADED:
        note_access(writer, values, EFFECT_LOAD, words[0], site->size, is_first);
        put_access(cursor, values, words);
        put_loaded(cursor, &values[2], words[2], words[1], site->size);
        return words + 3;
    case FORM_STORE:
        note_access(writer, values, EFFECT_STORE, words[0], site->size, is_first);
        put_access(cursor, values, words);
        return words + 2;
    default:
        writer->cursor = *cursor;
        words = ttrace_put_other(writer, site, words, is_first, when);
        *cursor = writer->cursor;
        return words;
    }
}

#endif
