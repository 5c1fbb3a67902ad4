/* How the files that compare effects work together: effects.c matches and compares them and follows
 * what they write; effects_same.c and effects_describe.c have a part of this each. */
#ifndef EMU_TDIFF_EFFECTS_H
#define EMU_TDIFF_EFFECTS_H

#include "emu/tdiff/lossless.h"
#include <string.h>

/* An effect of the first trace, and the one of the second that belongs to it. */
struct match {
    const struct effect *effects[2]; /* one may be NULL */
    bool same;
    struct value_type type; /* of the elements */
};

struct comparison {
    struct lossless *walk;
    const struct ttrace_record *records[2];
    const struct code *codes[2];
    struct match *matches; /* from malloc, or `few` */
    size_t count;
    struct match few[16];
    bool has_layout; /* a load had values that depend only on where the program is */
    uint64_t layout[2];
};

/* Returns the element of this size that the bytes begin with. */
static inline uint64_t match_element(const unsigned char *bytes, unsigned size)
{
    uint64_t value = 0;

    memcpy(&value, bytes, size);
    return value;
}

/* Returns the size of the elements of a range. */
static inline unsigned match_element_size(const struct match *match)
{
    uint64_t length = match->effects[0]->length;

    if (match->type.element && length % match->type.element->bytes == 0)
        return match->type.element->bytes;
    return length % 4 == 0 ? 4 : 1;
}

/* Returns the bytes that were written, or NULL. */
static inline const unsigned char *effects_bytes(const struct ttrace_record *record,
                                                 const struct effect *effect)
{
    return effect->bytes_length == effect->length ? record->recorder->bytes + effect->bytes_at
                                                  : NULL;
}

/* ---- effects_same.c ---- */

/* Is the effect one of those that are not compared? */
bool effects_are_ignored(const struct tdiff *tdiff, const struct effect *effect);
/* May the two be a match: are they of the same kind, and of the same register if it is one? */
bool effects_have_same_place(const struct effect *a, const struct effect *b);
/* Are the two of the match the same? */
bool effects_are_same(struct comparison *comparison, struct match *match);
/* Returns the type of an effect: that which the instruction says, unless it loads raw bits, or that
 * of what it loads. */
struct value_type effects_type(struct lossless *walk, unsigned which, const struct code *code,
                               const struct ttrace_record *record, const struct effect *effect);
/* Are the values of the type near enough, or addresses of the same thing? */
bool effects_near_or_moved(struct comparison *comparison, struct value_type type, uint64_t a,
                           uint64_t b);

/* ---- effects_describe.c: what is added to the difference ---- */

/* Finds who wrote what the instruction of the first trace reads. */
void effects_find_origins(struct comparison *comparison, struct difference *difference);
/* Adds the lanes of a match whose effects are not the same, */
void effects_describe(struct comparison *comparison, struct difference *difference,
                      const struct match *match);
/* and that of a trap. */
void effects_describe_trap(struct lossless *walk, struct difference *difference);

#endif
