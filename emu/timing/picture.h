/* --pipeline: the times of each instruction, in a format for people or for a viewer (timing.md, 6).
 * Pictures are deterministic and are written as the program runs. */
#ifndef EMU_TIMING_PICTURE_H
#define EMU_TIMING_PICTURE_H

#include "emu/load.h"
#include "emu/timing/feed.h"
#include "lib/output.h"
#include "lib/source.h"
#include "lib/text.h"

enum picture_format {
    PICTURE_TEXT,
    PICTURE_KANATA,
    PICTURE_PERFETTO,
    PICTURE_VCD,
    PICTURE_SVG,
    PICTURE_HTML,
    PICTURE_FORMATS,
};

struct picture;

/* How a format is written. `instruction` is called in program order; its record is valid during the
 * call. */
struct picture_writer {
    const char *name;
    void (*begin)(struct picture *picture);
    void (*instruction)(struct picture *picture, const struct pipeline_record *record);
    void (*end)(struct picture *picture);
    /* A turn of a barrel passed without an instruction. */
    void (*bubble)(struct picture *picture, const struct pipeline_record *record);
};

extern const struct picture_writer picture_text, picture_kanata, picture_perfetto, picture_vcd,
    picture_svg, picture_html;

/* A change that is written when all changes before it are known. */
struct picture_event {
    uint64_t cycle, order;
    char *text; /* of the format */
    int stage;  /* of the format */
    uint64_t sequence;
};

/* What is shown: as the options of a trace say. Zeros mean everything. */
struct picture_options {
    const char *file;
    enum picture_format format;
    bool has_from, has_to;
    uint64_t from, to, limit;
};

struct picture {
    struct picture_options options;
    const struct picture_writer *writer;
    const struct program *program;
    const struct machine *machine;
    struct source *source;
    struct output output;
    FILE *stream;
    struct text text, label;
    bool on;
    uint64_t shown;               /* instructions so far */
    struct picture_event *events; /* heap: the earliest one first */
    size_t event_count, event_capacity;
    uint64_t order;               /* of the next event */
    uint64_t cycle;               /* that has been written */
    unsigned threads;             /* of a barrel; 0: there is none */
    struct pipeline_record *kept; /* by formats that draw at the end */
    size_t kept_count;
    void *state; /* of a format */
};

/* Finds the format that --pipeline-format names. Returns false when there is none. */
bool picture_format_by_name(const char *name, enum picture_format *format);
/* Opens the file and makes the feed show its instructions. Returns false after a diagnostic. */
bool picture_open(struct picture *picture, struct feed *feed, struct diag *diag,
                  const struct picture_options *options, const struct program *program,
                  const struct machine *machine);
/* Completes the file, after feed_finish. */
void picture_close(struct picture *picture);

/* ---- for the writers ---- */

/* Returns the name of the thread of a barrel, `w0`. */
const char *picture_thread(const struct picture *picture, unsigned thread);
/* Returns the first cycle that is known of the instruction: F, or in a barrel its turn. */
uint64_t picture_first(const struct pipeline_record *record);
/* Returns the instruction as text: `addi a0,a0,1`. Valid until the next call. */
const char *picture_code(struct picture *picture, const struct site *site);
/* Returns why the instruction waited, `raw of 5`; empty: it did not. */
const char *picture_cause(struct picture *picture, const struct pipeline_record *record);
/* Keeps an event. `text` is copied. */
void picture_put(struct picture *picture, uint64_t cycle, int stage, uint64_t sequence,
                 const char *text);
/* Takes the earliest event before `cycle`. Returns false when there is none. The caller frees its
 * text. */
bool picture_take(struct picture *picture, uint64_t cycle, struct picture_event *event);
/* Calls `visit` for each stage that the instruction entered, in order. */
void picture_stages(const struct pipeline_record *record,
                    void (*visit)(void *context, const char *stage, uint64_t cycle), void *context);

#endif
