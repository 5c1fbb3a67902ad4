/* What led to a difference, collected before the report is written. Internal to tdiff. */
#ifndef EMU_TDIFF_PAST_H
#define EMU_TDIFF_PAST_H

#include "emu/tdiff/tdiff.h"

/* Something to tell of, and which line of each trace wrote it last. */
struct finding {
    struct change place;
    const struct change *answer;  /* of what differs: how the other trace has it, or NULL */
    struct trace_line writers[2]; /* copies, from malloc; no bytes: not written before */
};

struct findings {
    struct finding *list;
    size_t count, capacity;
};

/* In the order in which they are told. */
enum finding_group {
    FINDING_ENCODING, /* the code itself */
    FINDING_FIRST,    /* changes of the first trace */
    FINDING_SECOND,   /* those of the second that have no counterpart */
    FINDING_SOURCES,  /* what the instruction reads */
    FINDING_GROUPS
};

struct past {
    struct findings groups[FINDING_GROUPS];
    unsigned context_of;        /* the trace whose lines are the context */
    struct trace_line *context; /* the last before the difference; copies, from malloc */
    size_t context_count;
};

void findings_add(struct findings *findings, const struct change *place,
                  const struct change *answer);
/* Can an earlier instruction have written it? */
bool finding_has_writer(const struct finding *finding);

/* Reads the traces again up to the records (one may be NULL: that trace has ended, and nothing has
 * a writer) and fills in writers and context. False after a diagnostic. */
bool past_read(struct tdiff *tdiff, struct past *past, struct record *const *records);
void past_free(struct past *past);

#endif
