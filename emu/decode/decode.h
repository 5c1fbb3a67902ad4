/* Decoded code: machine code is decoded once into records, in basic blocks that are linked to each
 * other.
 *
 * A block is an array of records: its instructions in order, then one terminator that leads to the
 * block that follows in memory, and which also knows where a jump before it has led. Before them is
 * a record for its entry, if the executor has a body for that. A block begins where control
 * arrived. It ends after an instruction that can change the flow of control, at the end of its
 * page, after BLOCK_LIMIT instructions, or with a record that raises the exception that decoding
 * found. An address that cannot be fetched gives a block of one record, which is never kept.
 *
 * Decoded code is never out of date: whatever changes bytes from which code was decoded (a store, a
 * system call, a tensor unit, munmap) first drops the blocks of these bytes. Other bytes of the
 * page may change. The ISA requires less, so fence.i has nothing to do. A dropped block is not
 * freed at once, because it may be running: all its records get the `stale` body, which looks the
 * block up again at its own pc, and their links are removed. code_follow frees the memory. */
#ifndef EMU_DECODE_DECODE_H
#define EMU_DECODE_DECODE_H

#include "emu/memory/memory.h"
#include "isa_ids.h"
#include "lib/arena.h"
#include "lib/isa.h"

enum {
    BLOCK_LIMIT = 64,
    SINK = ISA_X_REGISTERS, /* slot that writes to x0 go to */
    RI_IMMEDIATE = 0x80,    /* set in a reg-or-imm slot whose other bits are an immediate */
};

_Static_assert((SINK & (SINK - 1)) == 0 && SINK < RI_IMMEDIATE,
               "the sink is one bit above the register numbers, and not an immediate");

struct machine;
struct hart;
struct decoded;

/* Where the plain executor goes on: at `record`, with `left` instructions that may still run, the
 * ones of the record's block already subtracted. No record: the run has ended (struct
 * execution). */
struct step {
    struct decoded *record;
    int64_t left;
};

/* A body in the plain executor: executes the record and goes on (dispatch.h). `target` is for
 * dispatch_find only; `host` and `fast` are those of struct memory. */
typedef struct step body_function(struct decoded *record, int64_t left, struct hart *hart,
                                  uint64_t target, unsigned char *host, const unsigned char *fast);

/* One decoded instruction. Most are executed a few times only, so that the time they take is that
 * of the memory for their records: the word is not in them (code_word). */
struct decoded {
    body_function *body; /* NULL in the observed executor, which goes by the id */
    union {
        int64_t imm[ISA_IMM_SLOTS]; /* immediates, targets, CSR numbers */
        /* First records of the blocks that control last went to from here; NULL: none yet. */
        struct {
            struct decoded *taken; /* in a terminator: by the instruction before it */
            struct decoded *chain; /* in a terminator or an entry: by itself */
        };
    };
    union {
        uint8_t r[ISA_R_SLOTS]; /* registers, groups, reg-or-imm and enumerated operands */
        uint64_t slots;         /* all of them; the first one is the lowest byte */
        uint64_t address;       /* of what cannot be fetched: all bits of its pc */
        struct {
            int32_t arrivals; /* of control at the block, in its entry, or else in its terminator
                                 (native/blocks.h) */
            uint32_t place;   /* of a terminator in logs (recording.h); 0: none yet */
        };
    };
    uint32_t pc;       /* see code_pc */
    uint16_t id;       /* ISA_ID_..., or enum pseudo_body */
    uint8_t length;    /* bytes; 0: terminator */
    uint8_t remaining; /* instructions from this one to the end of the block, this one included */
};

_Static_assert(sizeof(struct decoded) <= 40, "most of the memory for code is records");

/* Ids of records that are not instructions. They do not depend on the number of instructions. */
enum pseudo_body {
    PSEUDO_FIRST = 0xff00,
    PSEUDO_TRANSLATED = PSEUDO_FIRST, /* goes on in native code (native/blocks.h) */
    PSEUDO_STALE,                     /* the block was dropped */
    PSEUDO_NEXT_BLOCK,                /* terminator, */
    PSEUDO_NOWHERE,                   /* and one at MEMORY_CODE_LIMIT */
    PSEUDO_ENTRY,                     /* before the first instruction of a block */
    PSEUDO_ILLEGAL,                   /* an illegal instruction: imm[0] is the value of the fault */
    PSEUDO_FETCH,                     /* not fetchable: imm[0] is the address */
    PSEUDO_FLOAT,                     /* mstatus.FS must be checked first */
    PSEUDO_END,
    PSEUDO_COUNT = PSEUDO_END - PSEUDO_FIRST,
};

/* The bodies of an executor. All NULL in the observed one. */
struct executor {
    body_function *const *bodies;            /* by id */
    body_function *const *pseudo_bodies;     /* by enum pseudo_body, minus PSEUDO_FIRST */
    body_function *const *superinstructions; /* in the order of `superinstructions` */
    body_function *first_entry; /* of entries before code_join; NULL: blocks are joined at once */
    body_function *whole;       /* of any record: does all that it may do */
    body_function *every;       /* of all instructions, instead of these; or NULL */
    bool has_single_blocks;     /* a block has one instruction */
    /* Executes an instruction by its whole form. Returns 0 if control goes on after it, else how
     * it left it (enum flow). */
    int (*evaluate)(struct machine *machine, struct decoded *record);
};

/* How decoded code treats floating-point instructions, depending on mstatus.FS. */
enum floats {
    FLOATS_FREE,    /* executed directly: FS is dirty */
    FLOATS_WATCHED, /* instructions that change floating-point state set FS to dirty first */
    FLOATS_OFF,     /* instructions that use floating-point state are illegal */
};

_Static_assert(sizeof(uint64_t) == ISA_R_SLOTS && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the slots are one word, with the first one in the lowest byte");

struct code_page;
struct operand_plans;
struct super_part;

struct code {
    struct memory *memory;
    const struct executor *executor; /* that is running */
    struct super_part *supers;       /* by id: its part in superinstructions */
    struct operand_plans *plans;     /* how operands are found in words (operands.h) */
    struct code_page **views[VIEWS]; /* by page number; NULL where nothing is decoded */
    enum memory_view view;           /* the current one: what may be fetched depends on it */
    isa_set extensions;              /* that the machine has */
    enum floats floats;              /* for code that is decoded from now on */
    /* Does the instruction of this id run by its definition? NULL: none does. Must be set before
     * anything is decoded. */
    bool (*is_defined)(unsigned id);
    struct code_page *pages; /* all of them, newest first */
    struct arena arena;      /* of blocks and pages */
    size_t bytes;            /* allocated in it */
    /* Called when decoded code of bytes of a page was dropped, for those who have derived something
     * from it; or NULL. */
    void (*dropped)(void *context, uint64_t address, uint64_t end);
    void (*forgotten)(void *context); /* the same after all decoded code was forgotten; or NULL */
    void *dropped_context;
    int32_t first_arrivals; /* that a block begins with */
    uint64_t drops;         /* number of drops */
    uint64_t resets;        /* how often all decoded code was forgotten */
};

/* Sequences of instructions that the plain executor runs as one (isa/superinstructions.yaml).
 * Sorted by the id of the first part, longest first; the last one has a count of 0. */
extern const struct superinstruction {
    unsigned count;
    uint16_t ids[ISA_SUPERINSTRUCTION_PARTS];
} superinstructions[];

/* Sets up empty decoded code and makes the memory report changes of code here. Returns false after
 * a diagnostic. */
bool code_init(struct code *code, struct diag *diag, struct memory *memory, isa_set extensions);
void code_free(struct code *code);
/* Forgets all decoded code. No record may be in use. */
void code_forget(struct code *code);
/* Forgets all decoded code and sets the executor that will run. */
void code_reset(struct code *code, const struct executor *executor);

/* Makes the executor look for the next block after this record: the rest of the block becomes
 * stale, and the record's link is removed. */
void code_cut(const struct code *code, struct decoded *record);

/* Joins sequences of the block's instructions to superinstructions. This takes as long as they save
 * in several executions, which many blocks never have. */
void code_join(const struct code *code, struct decoded *entry);

/* Returns the first record of the block at `pc`, which is decoded if necessary; never NULL. */
struct decoded *code_find(struct code *code, uint64_t pc);
/* Returns the same and links the record `from` to it, unless that is NULL. Memory is freed here:
 * afterwards only the result may be used, `from` may no longer exist. */
struct decoded *code_follow(struct code *code, struct decoded *from, uint64_t pc);

/* Returns where the record is. Only what is not fetched is not below MEMORY_CODE_LIMIT. */
static inline uint64_t code_pc(const struct decoded *record)
{
    if (__builtin_expect(record->id == PSEUDO_FETCH, 0))
        return record->address;
    return __builtin_expect(record->id == PSEUDO_NOWHERE, 0) ? MEMORY_CODE_LIMIT : record->pc;
}

/* Returns the address after the instruction. */
static inline uint64_t code_next_pc(const struct decoded *record)
{
    return (uint64_t)record->pc + record->length;
}

static inline bool code_is_terminator(const struct decoded *record)
{
    return record->id == PSEUDO_NEXT_BLOCK || record->id == PSEUDO_NOWHERE;
}

/* Returns the word that the record was decoded from, or 0 if it is none. The record is not stale:
 * code is dropped before its bytes change. */
static inline uint64_t code_word(const struct code *code, const struct decoded *record)
{
    const unsigned char *bytes = code->memory->host + record->pc;
    uint64_t word = 0;

    if (record->length == 4)
        memcpy(&word, bytes, 4);
    else if (record->length == 2)
        memcpy(&word, bytes, 2);
    else if (record->length)
        memcpy(&word, bytes, record->length);
    return word;
}

static inline bool code_is_entry(const struct decoded *record)
{
    return record->id == PSEUDO_ENTRY || record->id == PSEUDO_TRANSLATED;
}

/* Returns where the record's link to another block is, or NULL: it has none. */
static inline struct decoded **code_link(struct decoded *record)
{
    if (code_is_terminator(record) || code_is_entry(record))
        return &record->chain;
    return record->remaining == 1 && record->id < PSEUDO_FIRST ? &record[1].taken : NULL;
}

/* Does the next code_follow free memory? */
bool code_is_full(const struct code *code);

/* ---- for native code ---- */

/* Decodes the instruction at `pc` into the record, without a body. Returns true when a
 * block may continue after it. */
bool code_decode(const struct code *code, struct decoded *record, uint64_t pc);
/* Does the same for the instructions from there on, up to one after which control may go elsewhere
 * or that raises an exception, to the end of the page, or `limit` of them, BLOCK_LIMIT at most.
 * Returns how many; there is room for `limit`. */
unsigned code_decode_row(const struct code *code, struct decoded *records, uint64_t pc,
                         unsigned limit);
/* Returns the decoded instructions of the block at `pc`, in order, up to a record that is none; or
 * NULL: it is not decoded. */
const struct decoded *code_peek(const struct code *code, uint64_t pc);
/* Returns the first record of the block at `pc` that does not stand for native code; the block is
 * decoded if necessary. */
struct decoded *code_find_plain(struct code *code, uint64_t pc);
/* Counts so many more arrivals of control at `pc`, where a block is decoded if necessary. Returns
 * how many there were. */
int32_t code_count_arrivals(struct code *code, uint64_t pc, int32_t more);
/* Does control that arrives at `pc` go to native code? */
bool code_is_translated(const struct code *code, uint64_t pc);
/* Sends control that arrives at the block to native code from now on: the record of its entry
 * stands for that. Its first immediate, which is 0, is left to native code. */
void code_translate(struct code *code, uint64_t pc);
/* Ends that. The arrivals are counted anew. */
void code_untranslate(struct code *code, enum memory_view view, uint64_t pc);

#endif
