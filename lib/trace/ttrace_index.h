/* The index of a segment, as the encoder of the lossless trace collects it (docs/ttrace-format.md):
 * which memory the segment touched, and what is known of registers, CSRs and state at its end.
 * Internal to lib/trace/. */
#ifndef LIB_TRACE_TTRACE_INDEX_H
#define LIB_TRACE_TTRACE_INDEX_H

#include "isa_ids.h"
#include "lib/arena.h"
#include "lib/isa.h"
#include "lib/map.h"
#include "lib/text.h"
#include "lib/trace/ttrace.h"

enum { INDEX_CSRS = 4096, INDEX_RECENT = 128 };

/* The units of memory that the segment touched: an open hash table. */
struct granules {
    uint64_t *items; /* plus 1; 0: free */
    unsigned count;
    bool is_full;
};

struct known {
    uint64_t words[ISA_WORDS_LIMIT];
    uint64_t when; /* number of the record plus 1 that wrote it; 0: unknown */
};

/* The registers of a thread. */
struct index_thread {
    uint32_t thread;
    bool is_active; /* in this segment */
    /* Of each register, by file and number: `when` as in struct known, and its words. */
    uint64_t *values;
};

struct index {
    struct granules read, written;
    struct known registers[ISA_FILE_COUNT][ISA_REGISTER_LIMIT];
    uint64_t csrs[INDEX_CSRS], csr_when[INDEX_CSRS];
    struct arena arena;
    struct map states;  /* by name: struct known */
    struct map threads; /* by number: struct index_thread; none: the program has one thread */
    struct index_thread *recent[INDEX_RECENT]; /* by the last bits of the number */
};

/* Out of memory ends the tool with a message. */
void index_init(struct index *index);
void index_free(struct index *index);
/* Notes an effect of record `when` - 1, except that of a register in a record of one word. */
void index_note(struct index *index, const struct recorder *recorder, const struct effect *effect,
                uint64_t when);
/* Notes a load or store of `size` bytes. */
void index_note_access(struct index *index, bool is_store, uint64_t address, unsigned size);
void index_note_csr(struct index *index, unsigned number, uint64_t value, uint64_t when);
/* Notes that the register has this value since record `when` - 1, unless a later record wrote it.
 */
void index_note_register(struct index *index, unsigned file, unsigned number, uint64_t value,
                         uint64_t when);
/* Are the registers of each thread kept? */
static inline bool index_has_threads(const struct index *index)
{
    return index->threads.count != 0;
}

/* Begins to keep the registers of each thread. Those that are known are of thread 1. */
void index_begin_threads(struct index *index);
/* Notes the registers that record `when` - 1 of a thread wrote, and those of a thread that it
 * started. */
void index_note_thread(struct index *index, const struct ttrace_record *record, uint64_t when);
/* Appends the index without its first numbers, and begins the next segment. */
void index_put(struct index *index, struct text *text);

#endif
