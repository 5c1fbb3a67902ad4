/* The lines that led to a difference, which are collected before the report is printed. Internal to
 * tdiff. */
#ifndef EMU_TDIFF_PAST_H
#define EMU_TDIFF_PAST_H

#include "emu/tdiff/tdiff.h"

/* A place to report, and the line of each trace that last wrote it. */
struct finding {
    struct change place;
    const struct change *counterpart; /* for a difference, the value in the other trace, or NULL */
    struct trace_line
        writers[2]; /* copies, from malloc; bytes is NULL when nothing wrote it before */
};

struct findings {
    struct finding *list;
    size_t count, capacity;
};

/* Groups of findings, in the order of the report. */
enum finding_group {
    FINDING_ENCODING, /* encodings */
    FINDING_FIRST,    /* changes of the first trace */
    FINDING_SECOND,   /* changes of the second trace that have no counterpart */
    FINDING_SOURCES,  /* places that the instruction reads */
    FINDING_GROUPS
};

struct past {
    struct findings groups[FINDING_GROUPS];
    unsigned context_of;        /* the trace whose lines are the context */
    struct trace_line *context; /* the last lines before the difference; copies, from malloc */
    size_t context_count;
};

void findings_add(struct findings *findings, const struct change *place,
                  const struct change *counterpart);
/* Can an earlier instruction have written the place? */
bool finding_has_writer(const struct finding *finding);

/* Reads the traces again up to the records and fills in writers and context. One record may be
 * NULL: that trace has ended, and nothing has a writer. Returns false after a diagnostic. */
bool past_read(struct tdiff *tdiff, struct past *past, struct record *const *records);
void past_free(struct past *past);

#endif
