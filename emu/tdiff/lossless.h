/* The comparison of two lossless traces (docs/ttrace-format.md). They have every value, the program
 * and its sources, so differences are shown by element and by source line, and followed to what
 * caused them.
 *
 * Both traces are read once, side by side. The walk keeps for every register and every part of
 * memory which difference it comes from, so a difference knows those that it follows from. Internal
 * to tdiff. */
#ifndef EMU_TDIFF_LOSSLESS_H
#define EMU_TDIFF_LOSSLESS_H

#include "emu/tdiff/tdiff.h"
#include "isa_ids.h"
#include "lib/disasm.h"
#include "lib/map.h"
#include "lib/trace/ttrace_read.h"
#include "lib/trace/value_type.h"

#define NO_NUMBER UINT64_MAX

/* ---- side.c: one trace ---- */

/* An instruction, decoded once for each pc. Compressed ones are expanded. */
struct code {
    uint64_t pc, key, word;                    /* key: the word before it was expanded */
    const struct isa_instruction *instruction; /* NULL: none */
    struct function *function;                 /* of the pc, once it is known */
};

enum { CODES = 1 << 12, REGISTERS = 256 };

typedef uint64_t register_values[ISA_FILE_COUNT][REGISTERS];

/* The registers of a thread. */
struct registers {
    uint32_t thread;
    uint8_t types[ISA_FILE_COUNT][REGISTERS]; /* kept_type() */
    uint32_t events[ISA_FILE_COUNT][REGISTERS];
    uint64_t writers[ISA_FILE_COUNT][REGISTERS][2]; /* number of the record, plus 1 */
    register_values values[2];                      /* in each trace: the low words */
};

struct side {
    const char *name;
    struct tdiff *tdiff;
    struct ttrace trace;
    struct ttrace_decoder decoder;
    struct ttrace_record record; /* the next one to compare */
    uint64_t number;             /* of the record; NO_NUMBER: the trace has ended */
    size_t segment;
    uint32_t thread; /* records of other threads are skipped; 0: none is */
    struct elf_file elf;
    struct symbolizer symbols;
    struct map names; /* symbols by name */
    bool has_program;
    struct source *source;
    struct disasm disasm;
    struct code *codes;            /* by a hash of the pc */
    struct registers *registers;   /* of the thread of the record (registers.c) */
    uint64_t (*values)[REGISTERS]; /* of them, in this trace */
    uint32_t threads;              /* the highest number of one */
    uint64_t first_sp;
};

/* Opens the trace and the program in it. Returns false after a diagnostic. */
bool side_open(struct tdiff *tdiff, struct side *side, const char *name);
/* Reads the next record. Returns false after a diagnostic. */
bool side_next(struct side *side);
/* Is the record one of side->thread, or is there none? */
bool side_wants(const struct side *side, const struct ttrace_record *record);
void side_close(struct side *side);
struct code *side_code(struct side *side, const struct ttrace_record *record);
/* Appends `pc 0x10138 <_start+0x18> at kernel.s:11: mm.f32 a0,a1,a2,2,2,2`. */
void side_append_where(struct side *side, struct text *text, const struct ttrace_record *record);
/* Appends the function and the source line of a pc: `_start, kernel.s:11`. */
void side_append_place(struct side *side, struct text *text, uint64_t pc);
/* Appends the text of the source line of the pc, without the blanks at its start. Returns false if
 * it is unknown. */
bool side_append_source(struct side *side, struct text *text, uint64_t pc);
uint64_t side_stack_pointer(const struct side *side);
/* Returns the section in memory that has the address, or ends there; or NULL. */
const struct elf_section *side_section(const struct side *side, uint64_t address);
/* Returns the symbol that the address belongs to, or NULL. */
const struct elf_symbol *side_symbol(struct side *side, uint64_t address);
/* Appends ` <symbol+0x8>` for an address, or nothing. */
void side_append_symbol(struct side *side, struct text *text, uint64_t address);
/* Returns the name of the function of a pc, or "". */
const char *side_function(struct side *side, uint64_t pc);
/* Decodes with `decoder` the record of this number, which is valid until the next call. */
bool side_record(struct side *side, struct ttrace_decoder *decoder, uint64_t number,
                 struct ttrace_record *record);

/* ---- value.c: types of elements, and tolerance ---- */

/* The type of a value. Raw bits are those of an operand that is of no element type, such as the
 * bins of a histogram: they are compared exactly, whatever moves them later. */
struct value_type {
    const struct isa_element *element; /* NULL: raw, or unknown */
    bool is_raw;
};

/* Returns a byte that says the type: 0 if it is unknown. */
uint8_t kept_type(struct value_type type);
struct value_type type_from_kept(uint8_t kept);

/* Reads [TYPE:]NUMBER,… of --ulp or --rtol. Returns false after a diagnostic. */
bool tolerance_read(struct tdiff *tdiff, struct tolerance *tolerance, const char *list,
                    bool is_ulp);
/* Are the numbers as near as the tolerance wants? */
bool values_are_near(const struct tolerance *tolerance, const struct isa_element *type, uint64_t a,
                     uint64_t b);
/* Returns how many numbers of a float type lie between the two, and one more; UINT64_MAX if one is
 * not a number. */
uint64_t values_ulps(const struct isa_element *type, uint64_t a, uint64_t b);
/* Appends the number; in hexadecimal if the type is NULL. */
void value_append(struct text *text, const struct isa_element *type, uint64_t bits);

/* ---- moved.c: addresses in two programs ---- */

/* Code of the first program that belongs to code of the second: by halfwords from the lowest
 * address on; 0: none. */
struct moved {
    bool is_on; /* --moved */
    uint64_t low[2], high[2];
    uint64_t *to[2];    /* the address in the other program */
    uint64_t *after[2]; /* the same for the address after an instruction */
};

void moved_find(struct moved *moved, struct side *sides);
void moved_free(struct moved *moved);
/* Returns the pc of `which` program that belongs to the pc of the other one, or NO_NUMBER. */
uint64_t moved_pc(const struct moved *moved, unsigned from, uint64_t pc);
/* Do the addresses belong to one another, or are the values the same? */
bool moved_same(const struct moved *moved, struct side *sides, uint64_t a, uint64_t b);
/* Do the values at these addresses differ only because the programs are laid out differently? So
 * they do in the headers of the file, and in tables of distances to code, as a switch has. */
bool moved_layout(const struct moved *moved, struct side *sides, const uint64_t *addresses,
                  uint64_t a, uint64_t b, unsigned size);
/* Returns the address in the other program that belongs to the one of `from`. */
uint64_t moved_data(const struct moved *moved, struct side *sides, unsigned from, uint64_t address);
/* May the values be a part of an address, as the result of auipc is? */
bool moved_near(struct side *sides, uint64_t a, uint64_t b);
/* Have both the same operation and registers? */
bool codes_alike(const struct code *a, const struct code *b);

/* ---- shadow.c: where the values come from ---- */

enum { GRANULE = 4, GRANULES = 1024 };

/* Of 4 KiB of the memory of the first trace: */
struct page {
    uint64_t number;
    uint8_t types[GRANULES];       /* kept_type() */
    uint8_t differs[GRANULES];     /* a bit for each byte */
    uint32_t events[GRANULES];     /* which difference that comes from */
    uint64_t writers[2][GRANULES]; /* number of the record, plus 1 */
};

struct shadow {
    struct page **pages; /* a hash table; its size is a power of two */
    size_t count, capacity;
    struct page *last;
};

struct page *shadow_page(struct shadow *shadow, uint64_t address, bool make);
void shadow_free(struct shadow *shadow);
/* Notes who wrote the bytes. `event` 0: they are the same in both. */
void shadow_write(struct shadow *shadow, uint64_t address, uint64_t length, uint32_t event,
                  struct value_type type, const uint64_t *writers);
/* Returns the difference that a byte of the range comes from, or 0. */
uint32_t shadow_event(struct shadow *shadow, uint64_t address, uint64_t length);
struct value_type shadow_type(struct shadow *shadow, uint64_t address);

/* ---- walk.c, effects.c, events.c: the comparison ---- */

/* A difference between instructions, and up to two that it follows from. */
struct event {
    uint64_t numbers[2]; /* NO_NUMBER: the other trace only */
    uint64_t pcs[2];     /* or the addresses of data of the programs that differ */
    uint32_t parents[2]; /* 0: none */
    bool is_argument;    /* it follows from what the programs were started with */
};

/* A value that differs, as text. */
struct lane {
    const char *place, *values[2], *note;
};

enum difference_kind {
    DIFFERENCE_VALUE, /* the effects of an instruction */
    DIFFERENCE_CODE,  /* the instruction */
    DIFFERENCE_EXTRA, /* code that only one program has */
    DIFFERENCE_PATH,  /* one trace, or both, took another path */
    DIFFERENCE_END    /* one trace ends */
};

/* What an instruction reads that is the same in both traces, and who wrote it. */
struct origin {
    const char *place;
    uint64_t writers[2]; /* numbers of records; NO_NUMBER: none */
};

enum { LANES = 8, SOURCES = 6 };

/* A difference. Those at the same pcs are one. */
struct difference {
    enum difference_kind kind;
    uint64_t count; /* how often */
    uint64_t numbers[2],
        sequence[2]; /* of the first time; NO_NUMBER: only the other trace has it */
    uint64_t at[2];  /* records of both traces when it was found; NO_NUMBER: the trace has ended */
    uint64_t pcs[2];
    uint64_t lengths[2]; /* instructions that only this trace has */
    uint32_t event;
    struct lane lanes[LANES];
    unsigned lane_count, source_count;
    struct origin sources[SOURCES]; /* of a value that follows from no other difference */
    uint64_t element_count, different_count, most_ulps;
    bool has_more;
};

/* What the walk counts for a function. */
struct function {
    const char *name;
    uint64_t compared, different, causes, only[2];
    const struct difference *first;
};

/* The pcs that come next in a trace, as those of the first program, with their threads; 0: only one
 * program has it. */
struct ahead {
    struct ttrace_decoder decoder;
    uint64_t *pcs;  /* from malloc */
    uint64_t first; /* number of the record of pcs[begin] */
    size_t begin, count, capacity;
    bool has_ended; /* with these */
};

struct lossless {
    struct tdiff *tdiff;
    struct ahead ahead[2];
    uint64_t looked; /* pcs that were searched for the places where the traces meet */
    struct side sides[2];
    struct moved moved;
    struct shadow shadow;
    struct event *events; /* [0] is unused */
    uint32_t event_count, event_capacity;
    struct registers **threads;
    size_t thread_count, thread_capacity;
    struct row_state *rows; /* states and CSRs that have differed */
    size_t row_count, row_capacity;
    struct difference **differences; /* in order of the first time */
    size_t count, capacity;
    struct map places;    /* of differences, by kind and pcs */
    struct map functions; /* by name */
    uint64_t compared;
    uint64_t left_out;   /* differences that only follow from the arguments of the programs */
    bool has_parted;     /* the traces did not meet again */
    uint32_t parents[2]; /* differences that the last instruction of both has read */
    uint32_t extra[2]; /* code that only this program has and that was the last to execute, or 0 */
};

/* ---- registers.c: the registers of threads ---- */

/* Numbers of Linux's system calls (asm-generic/unistd.h). */
enum { CALL_GETCWD = 17, CALL_READLINKAT = 78, CALL_CLONE = 220, CALL_CLONE3 = 435 };

/* Returns the number of the system call that the record is, or NO_NUMBER. */
uint64_t registers_call(const struct side *side);
/* Selects the registers of the thread whose record is the next one of this side. */
void registers_select(struct lossless *walk, unsigned which);
void registers_free(struct lossless *walk);
/* The record sets the state of a worker of a barrel: if that is a register, notes it as the
 * worker's. */
void registers_start_worker(struct lossless *walk, unsigned which, const struct effect *effect,
                            uint32_t event);
/* The record, whose effects are noted, may be a call that makes a thread. */
void registers_note_call(struct lossless *walk, unsigned which);

/* ---- state.c: the state of units ---- */

/* Notes which difference the state that the effect sets comes from; 0: none. */
void state_write(struct lossless *walk, unsigned which, const struct effect *effect,
                 uint32_t event);
/* The same for a CSR. */
void state_write_csr(struct lossless *walk, unsigned which, const struct effect *effect,
                     uint32_t event);
/* Adds the differences that the state and the CSRs have which the instruction reads. */
void state_inputs(const struct lossless *walk, const struct side *side, const struct code *code,
                  void (*add)(uint32_t *parents, uint32_t event), uint32_t *parents);

/* ---- effects.c, events.c, walk.c ---- */

/* Compares the effects of two records of the same instruction, and notes what they wrote. Values
 * are described only in the first difference of its kind at these pcs. */
void effects_compare(struct lossless *walk, struct difference *difference);
/* Notes what the instruction that only this trace has wrote. */
void effects_extra(struct lossless *walk, unsigned which, uint32_t event);
/* Finds the differences that the instruction reads. */
void effects_inputs(struct lossless *walk, unsigned which, uint32_t *parents);
/* Do the instructions read the same place of the arguments and the environment, which are above the
 * first stack pointer, or get a path from the system? */
bool effects_read_arguments(const struct lossless *walk);
/* Says whether the difference follows from what the programs were started with, such as their
 * names. What follows from it does so, too. */
void event_set_argument(struct lossless *walk, uint32_t event, bool is_argument);
/* Returns the difference between instructions that this one began with. */
uint32_t event_root(const struct lossless *walk, uint32_t event);
enum { CAUSES = 12 };
/* Finds the differences that this one follows from, the nearest first. There are at most CAUSES;
 * *is_cut: there are more before the last one, which is the first of all. Returns how many. */
unsigned event_chain(const struct lossless *walk, uint32_t event, uint32_t *chain, bool *is_cut);
/* Returns the difference of that kind at the pcs, or NULL. */
struct difference *known_difference(struct lossless *walk, const struct difference *difference);
uint32_t event_add(struct lossless *walk, const uint64_t *numbers, const uint64_t *pcs,
                   const uint32_t *parents);

/* Compares the two traces to the first difference, or with --all to the end. Returns false after a
 * diagnostic. */
bool walk_traces(struct lossless *walk);

/* ---- data.c ---- */

enum { MOST_DATA = 1 << 26 }; /* larger sections are not compared before the programs run */

/* Notes where the data of the programs differ. Their events have no records, and addresses in the
 * place of pcs. */
void data_compare(struct lossless *walk);
/* Appends what differs there. */
void data_append(struct lossless *walk, struct text *text, const struct event *event);

/* ---- explain.c, page.c ---- */

void explain(struct lossless *walk);
/* Prints how many differences were left out, if any, after `before`. */
void print_left_out(uint64_t count, const char *before);
/* Appends what happened there: `instruction 9, pc …` */
void explain_event(struct lossless *walk, struct text *text, const struct event *event);
/* Writes the page. Returns false after a diagnostic. */
bool page_write(struct lossless *walk, const char *name);

/* Compares the traces of these names. Returns the exit status. */
int lossless_compare(struct tdiff *tdiff);
/* Is the file a lossless trace? */
bool lossless_is(const char *name);

#endif
