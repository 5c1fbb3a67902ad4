/* --pipeline: the times of each instruction, in a format for people or for a viewer (timing.md, 6).
 * Pictures are deterministic and are written as the program runs. */
#ifndef EMU_TIMING_PICTURE_H
#define EMU_TIMING_PICTURE_H

#include "lib/diag.h"
#include "lib/elf_file.h"
#include "lib/output.h"
#include "lib/source.h"
#include "lib/text.h"
#include "lib/timing/pipeline.h"
#include "lib/timing/time.h"
#include "lib/trace/thread_name.h"

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

/* An instruction of the program: what `context` of its records points to. */
struct picture_site {
    uint64_t pc, word;
    unsigned length;
};

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

/* Selects what is shown, as the options of a trace do. Zeros mean everything. */
struct picture_options {
    const char *file;
    enum picture_format format;
    bool has_from, has_to;
    uint64_t from, to, limit;
};

/* The program that is shown. The pointers must outlive the picture. */
struct picture_program {
    const struct diag_file *image; /* NULL: unknown */
    const struct symbolizer *symbols;
    uint64_t moved; /* what was added to the addresses of the file */
    const struct config *config;
    unsigned threads; /* of a barrel; 0: there is none */
};

struct picture {
    struct picture_options options;
    const struct picture_writer *writer;
    struct picture_program program;
    struct source *source;
    struct output output;
    FILE *stream;
    struct text text, label;
    bool on;
    uint64_t shown;               /* instructions so far */
    struct picture_event *events; /* heap: the earliest one first */
    size_t event_count, event_capacity;
    uint64_t order; /* of the next event */
    uint64_t cycle; /* that has been written */
    char thread_name[THREAD_NAME_SIZE];
    struct pipeline_record *kept; /* by formats that draw at the end */
    size_t kept_count;
    void *state; /* of a format */
};

/* Finds the format that --pipeline-format names. Returns false when there is none. */
bool picture_format_by_name(const char *name, enum picture_format *format);
/* Finds the format that the name of a file ends in after a dot; otherwise it is text. */
void picture_format_by_ending(const char *file, enum picture_format *format);
/* Opens the file. Returns false after a diagnostic. */
bool picture_open(struct picture *picture, struct diag *diag, const struct picture_options *options,
                  const struct picture_program *program);
/* Shows an instruction or a bubble; `context` is a struct picture. Records come in program order.
 */
void picture_observe(void *context, const struct pipeline_record *record);
/* Completes the file. Returns false, after a diagnostic, when it cannot be written. */
bool picture_close(struct picture *picture);

/* ---- for the writers ---- */

/* Returns the name of the thread of a barrel, `w0`. Valid until the next call. */
const char *picture_thread(struct picture *picture, unsigned thread);
/* Returns the first cycle that is known of the instruction: F, or in a barrel its turn. */
uint64_t picture_first(const struct pipeline_record *record);
/* Returns the instruction as text: `addi a0,a0,1`. Valid until the next call. */
const char *picture_code(struct picture *picture, const struct picture_site *site);
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
