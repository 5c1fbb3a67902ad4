/* What the parts of native code share: blocks.c (from and to the interpreter), run.c (runs of
 * blocks), idioms.c (instructions that become one), words.c (what instructions do, and results
 * whose upper word is not needed), reach.c (addresses that need no check), instruction.c (the
 * code of one instruction), choose.c (its stencils), floats.c (its floating-point operands), csrs.c
 * (those that access CSRs), rotations.c (three that become one), rare.c (rare cases that come
 * often), shape.c (what is known of its operands), call.c (instructions without a stencil), frame.c
 * (what all code shares), tallies.c (counting for a profile), passages.c (for the model of time),
 * pins.c (what may be in registers of the host) and places.c (what is there inside a run); and
 * rounds.c has the turns of the threads of a barrel, whose code paths.c makes. */
#ifndef EMU_NATIVE_PARTS_H
#define EMU_NATIVE_PARTS_H

#include "emu/machine.h"
#include "emu/native/blocks.h"
#include "emu/native/copy.h"
#include "emu/native/host.h"
#include "emu/native/native.h"
#include "emu/profile/tally.h"

enum {
    PINS = HOST_PINS, /* guest registers in registers of the host */
    NOT_PINNED = 0xff,
    PLACES = PINS + HOST_TEMPORARIES,
    STENCIL_SLOTS = (1 << STENCIL_OPERANDS) - 1, /* bits: operands with a place of their own */
    /* What may be pinned, by number: the integer registers, the positions of walks through the
     * first rows (emu/units/traversal.h), and what their steps add. */
    WALKS = 16,
    FIRST_WALK = ISA_X_REGISTERS + 1, /* after the sink */
    STEPS = 8,
    FIRST_STEP = FIRST_WALK + WALKS,
    PINNABLE = FIRST_STEP + STEPS,
    RUN_INSTRUCTIONS = 200, /* about the most of a run of blocks */
    RUN_EXITS = RUN_INSTRUCTIONS + BLOCK_LIMIT,
    RUN_BYTES = 1 << 18, /* more than a run takes */
    ENTRIES = 1 << 20,   /* of the table of addresses: the most blocks, twice over */
    FIRST_ENTRIES = 1 << 10,
    SITES = 1 << 20,
    LINKS = 1 << 20,     /* jumps to simple code */
    STRETCHES = 1 << 20, /* of code that control only comes to at its beginning, by page */
    COUNTERS = ENTRIES,  /* of blocks whose code is simple: */
    HOT = 256,           /* so often they are executed before they get better code, */
    HOT_LOOP = 192,      /* or those that a jump leads back to, where loops are best made from; */
    COMMON = 8,          /* in it are those that were executed so often by then */
    TURNED_PLACES = 1 << 12,           /* of the table of branches that are nearly always taken */
    VARIANTS = 1 << 12,                /* places for them, by address: */
    VARIANTS_LIMIT = 4,                /* so many for those that share the first place */
    FROM_NATIVE = NATIVE_ARRIVALS / 8, /* arrivals that one from native code counts as */
    STRANGERS = 1 << 10,    /* arrivals in another mode, without a visit, before its code is made */
    SAMPLES = 8,            /* slices before the first choice of the registers to pin */
    SAMPLES_GAP = 1 << 22,  /* instructions without samples after the first choice */
    BETTER = 1 << 10,       /* instructions for each one that was made, before all is made again for
                               pins that are much better, */
    AMORTIZED = 1 << 13,    /* and for any, */
    FEW = 1 << 16,          /* and not simple any more if it is so few, */
    MANY = 1 << 18,         /* until it is so many */
    CALLS = 1 << 12,        /* places where native code has an instruction executed, */
    VISIT_PLACES = 1 << 12, /* addresses where visits that count are noted: */
    SHORT_VISITS = 32,      /* so many short ones, before control does not go there for a while, */
    SHORT_VISIT = 8,        /* of less instructions, which blocks execute in the same time */
    HOOKS = 1 << 15,        /* and where it has a profile or the model of time follow */
    SAMPLED = 32,           /* instructions of a sample */
    MARGIN = MEMORY_MARGIN / 2,
    NEAR = MARGIN / 2,
    LOOP_INSTRUCTIONS = 64, /* the most of a loop that gets a variant */
    ACCESSES = 1 << 21,
    CHOICE_BITS = 10,         /* of the number of a choice of stencils */
    FAULTS_LIMIT = 1 << 10,   /* accesses that fault, before all are checked */
    CHANGES_LIMIT = 1 << 13,  /* the cost of changes of the mirror, before all are checked, */
    CHANGES_GAP = 1 << 12,    /* and instructions for each unit of it more */
    PLACE_FAULTS = 16,        /* of one access, before it is checked */
    FAULTS_GAP = 1 << 16,     /* and instructions for each one more */
    CHECKED_PLACES = 1 << 10, /* of the table of accesses that are checked for this reason */
    RARE_PLACES = 256,        /* of the table of instructions that native code leaves: */
    RARE_STEPS = 16,          /* as often as this, before code is made for their rare cases, */
    PAGE_MADE = 1 << 8,       /* instructions of a page that are native code, if there is much */
};

struct entry {
    uint32_t pc;
    uint32_t code;         /* 0: none */
    uint32_t counter : 31; /* that of the block, if the code is simple; or else 0 */
    uint32_t is_loop : 1;  /* the counter began with HOT_LOOP */
    uint32_t link;         /* the last jump that was linked to simple code; 0: none */
};

/* A jump to simple code, which will lead to better code when there is some. */
struct link {
    struct copier_jump jump;
    uint32_t next; /* one to the same code; 0: none */
};

/* What is known of registers where control comes from one place only. */
struct facts {
    uint32_t bases;      /* integer registers: accesses at small distances need no check */
    uint32_t boxed;      /* floating-point registers that are NaN-boxed */
    uint32_t arithmetic; /* bits of enum arithmetic */
};

/* What is known of floating-point arithmetic. */
enum arithmetic {
    ARITHMETIC_COMMON = 1,   /* NX is set, and the mode in frm is that of the host, so that ordinary
                              * operations change no flags */
    ARITHMETIC_UNCOMMON = 2, /* a check has found that it is not common */
};

/* How an instruction uses and gives words. */
struct word_use {
    uint16_t whole; /* the instruction that differs in the upper word of the result only; 0: none */
    uint8_t lower;  /* slots that are read, but not their upper word */
    bool gives_word; /* the result is a sign-extended word, */
    bool
        is_bitwise; /* or it is if all operands are: each half of it depends on that half of them */
};

/* What depends on the id of an instruction only (shape.c). Masks are of register slots. */
struct shape {
    /* All bits where an integer register is read, or written, by operand of stencils. */
    uint32_t read[STENCIL_OPERANDS], written[STENCIL_OPERANDS];
    bool is_known;
    bool has_stencil; /* for all operands in memory */
    bool is_simple;   /* simple code may have it (native_add_simple) */
    bool can_fault;   /* the host's memory management may find out whether its access faults: if so,
                         it has changed nothing */
    bool is_flow;     /* control may go elsewhere after it */
    bool is_makeable; /* it has native code: a stencil, or the call of a function */
    bool is_silent; /* if stencils can have its immediates, control goes on after it in any case */
    bool has_floats, has_immediate, is_walk;
    bool has_pair;    /* there are stencils for operands 1 and 2 that are one register */
    bool has_reach;   /* native_find_reach may find something */
    bool has_exact;   /* there are stencils with the rare cases of its arithmetic inline */
    bool gives_float; /* the result is a register of floating point */
    uint8_t places;   /* PLACE_REGISTER for each of the stencils' operands that is one of these: */
    uint8_t integers; /* integer registers, */
    uint8_t choices;  /* those of them that may be an immediate instead, */
    uint8_t reads, writes;            /* and what happens to them; */
    uint8_t stored;                   /* those that stencils always have in memory */
    uint8_t modes;                    /* names of values, such as rounding modes */
    uint8_t results;                  /* operands that are written, of all kinds */
    int8_t target;                    /* the immediate that is the target of a jump, or -1 */
    const struct isa_operand *result; /* it may be a constant, which is written there; or NULL */
};

/* The stencils for an instruction: one, or that for the common case and the usual one. */
struct chosen {
    const struct stencil *stencil, *usual;
};

/* The stencils that were found for what the choice depends on (choose.c). */
struct remembered {
    uint64_t key; /* 0: none */
    struct chosen chosen;
};

/* A jump that is not linked. */
struct site {
    struct copier_jump jump;
    struct facts facts;
    bool is_back;    /* to an address before it */
    bool is_foreign; /* to another function, which a profile must be told: it is never linked */
};

/* A jump out of the run that is being made. */
struct exit {
    struct copier_jump jump;
    uint64_t target;
    struct facts facts;
    bool is_back;
    bool is_foreign;
};

/* Code of an address for control that comes with facts: the second round of a loop and later ones,
 * and blocks whose arithmetic is not common. */
struct variant {
    uint32_t pc;
    uint32_t code; /* 0: none */
    struct facts facts;
};

/* An instruction without a stencil, between two that have one. */
struct call {
    struct decoded record;
    size_t after; /* the code after it */
};

/* A jump that a profile has to follow (tallies.c), or the entry of a block whose passages are
 * counted (passages.c). */
struct hook {
    size_t after;              /* the code after it */
    struct timed_block *block; /* NULL: it is a jump */
    struct passage *passage;   /* through the block, the last time */
    uint64_t pc, back, target;
    int64_t offset;
    uint32_t link;
    uint8_t exit; /* enum tally_exit */
    uint8_t base; /* the register that `offset` is added to, unless there is a target */
};

/* An access to memory without a check of the page. */
struct unchecked {
    uint32_t code;  /* the stencil is there, or after it */
    uint32_t leave; /* what puts the registers back and leaves */
    uint32_t pc;
    uint16_t remaining;
    uint16_t faults; /* that the host has found */
};

/* What code of an instruction does about its rare cases besides leaving, and about those that this
 * does not have, where stencils for none exist. */
enum rare_level {
    RARE_EXACT = 1, /* stencils have those of arithmetic */
    RARE_CALL,      /* a function executes the instruction */
};

/* An instruction at which native code is left to the interpreter, and how often it was. */
struct rare {
    uint32_t pc;
    uint8_t count; /* since the level is this, up to RARE_STEPS */
    uint8_t level; /* of code that is made; 0: it leaves */
    bool may_call; /* a function can execute it */
};

/* Code to which control only comes at its beginning: a block of simple code, or what a run has from
 * one of its entries to the next one. Some of its instructions are in the page in whose list it is:
 * in which 64th parts of that, the bits say. */
struct stretch {
    uint32_t pc, code; /* of its beginning */
    uint32_t page;
    uint32_t next; /* the next one of the page; 0: none */
    uint64_t parts;
};

/* What registers of the host hold while a run is made: those of the pins, and then temporaries. */
struct places {
    uint8_t holds[PLACES]; /* guest registers; 0: none */
    uint32_t dirty;        /* bits: places whose register is out of date in memory, */
    uint32_t narrow;       /* and those of them that have only its lower word (words.c) */
    uint32_t words;        /* bits: guest registers that are sign-extended words */
};

struct native {
    struct machine *machine;
    struct copier copier;
    struct native_jump *jumps;
    enum memory_view view; /* whose code it is */
    uint64_t breakpoints;  /* those that are not in it (emu/observe/watch.h) */
    enum floats floats;
    bool is_mirror;           /* the host finds out which accesses fault */
    bool has_guard;           /* it was tried */
    bool is_guarded;          /* successfully; then a timer looks whether the run shall end: */
    unsigned ticks;           /* so often by now */
    volatile unsigned faults; /* that it has found */
    size_t access_count;
    volatile size_t faulted;          /* the access that faulted last */
    unsigned forgiven;                /* faults of the accesses that are checked now: */
    uint32_t checked[CHECKED_PLACES]; /* their addresses, by address; or 0 */
    uint64_t rare_steps;              /* of those that could have a call */
    bool has_rare;                    /* some level of `rare` is not 0 */
    size_t entry_count, entry_room;
    bool has_variants;
    size_t counter_count, link_count;
    size_t site_count;
    size_t stretch_count;
    size_t call_count;
    size_t hook_count;
    uint32_t turned[TURNED_PLACES];     /* by address: the branch there that runs follow; 0: none */
    uint8_t short_visits[VISIT_PLACES]; /* one after another, by address */
    uint64_t learned; /* functions that the profile had found when code was made first */
    int flow;         /* how control left the last call (enum flow) */
    uint64_t first_page, page_end; /* pages with native code are in [first_page, page_end) */
    uint8_t pins[PINS];
    uint8_t elements[STEPS]; /* bytes of the elements for which what a step adds may be pinned */
    int32_t uses[PINNABLE];  /* in the samples */
    unsigned samples;        /* taken for the next choice */
    uint64_t look_at, gap; /* the instruction from which on they are taken, and the next distance */
    uint64_t allowed;      /* instructions after the end of the slice */
    volatile int64_t ahead;         /* how many more the count in native code has than are left */
    volatile bool is_interrupted;   /* the visit has to end */
    uint8_t host_of[UINT8_MAX + 1]; /* of what is in a slot: the register of the host; NOT_PINNED */
    uint8_t place_of[PINNABLE];     /* the place, if there is one, */
    uint64_t placed;                /* which these have */
    struct places places;
    const struct decoded *unchecked; /* the next stencil accesses memory without a check; or NULL */
    size_t way_out;                  /* the code that leaves from these places; 0: not known yet */
    uint8_t float_pins[HOST_FLOAT_PINS + 1];
    int32_t float_uses[ISA_F_REGISTERS];
    uint8_t float_host_of[ISA_F_REGISTERS];
    struct shape *shapes; /* by id, found out as they are needed */
    size_t enter;         /* offset of the code that enters native code */
    unsigned strangers;   /* arrivals in another mode than that of the code, since the last visit */
    bool at_once;         /* not after some arrivals */
    bool is_best;         /* no code is simple at first */
    uint64_t visits, made;              /* instructions that were made native code, */
    uint64_t made_before;               /* and those of them that were forgotten */
    uint64_t generation;                /* how often some was forgotten */
    struct native_observers *observers; /* or NULL */
    struct paths *paths;                /* of the threads of a barrel (rounds.c), or NULL */
    bool has_paths;
    volatile bool is_in_rounds; /* their native code runs */
    /* Large arrays come last: the host gives only those of their pages that are used, and one has
     * all of the above. */
    struct remembered remembered[1 << CHOICE_BITS];
    struct rare rare[RARE_PLACES]; /* by address */
    /* The instruction of the last call. Its body may cut off the rest of the block behind it. */
    struct decoded called[BLOCK_LIMIT + 1];
    struct unchecked accesses[ACCESSES]; /* by code */
    /* The table of addresses has `entry_room` places, a power of two, and begins at the index of
     * the same number. A larger one is begun when it is half full. */
    _Alignas(sizeof(struct entry)) struct entry entries[2 * ENTRIES];
    struct variant variants[VARIANTS + VARIANTS_LIMIT];
    /* Both from 1 on. A counter says how often the block will still be executed. */
    uint32_t counters[COUNTERS];
    struct link links[LINKS];
    struct site sites[SITES];
    struct stretch stretches[STRETCHES];      /* from 1 on, */
    uint32_t stretches_of[MEMORY_CODE_PAGES]; /* and the first one of each page; 0: none */
    struct exit exits[RUN_EXITS];
    struct call calls[CALLS];
    struct hook hooks[HOOKS];             /* their sites are numbers after those of calls */
    uint8_t pages[MEMORY_CODE_PAGES / 8]; /* bit: there is native code of the page */
};

/* A run of blocks that is being made. What is known of registers holds until they are written, or
 * until control may come from elsewhere. */
struct run {
    struct native *native;
    unsigned instructions;
    bool jumped;    /* the run goes on at the target of a jump */
    uint32_t known; /* registers whose value is known */
    uint64_t values[ISA_X_REGISTERS];
    uint32_t boxed;      /* floating-point registers that are NaN-boxed */
    uint32_t arithmetic; /* bits of enum arithmetic */
    bool may_be_common;  /* arithmetic is common now, so it is worth checking whether it still is */
    struct facts wanted; /* what was checked in the run */
    uint64_t begin;      /* its first address */
    struct stretch stretch; /* that is being made */
    bool is_variant;
    bool is_simple;
    uint32_t near; /* registers that hold guest addresses, in simple code */
    /* Accesses at these distances from a register were checked. */
    struct checked {
        bool read, write;
        int64_t first, end;
    } checked[ISA_X_REGISTERS];
    uint32_t ranges; /* registers for which there are some */
    uint32_t small;  /* registers that hold small numbers, besides words (reach.c), */
    uint32_t sums;   /* and those that hold the sum of one and of the register, */
    uint32_t bases;  /* which is one of these */
    uint8_t widths[ISA_X_REGISTERS], sum_bases[ISA_X_REGISTERS]; /* not written since then */
    uint32_t likely; /* registers that are likely to hold addresses */
    unsigned exit_count;
    /* With a profile: */
    uint64_t function; /* in which the last block is */
    uint32_t way_on;   /* the counter of the way on after its branch; 0: none */
    uint64_t last;     /* the address of the last instruction of that block */
    bool is_foreign;   /* its jump leads to another function */
    /* The result of the instruction is a sign-extended word, of which its stencil gives only the
     * lower half. */
    bool is_word, is_narrow;
    bool is_rare;  /* rare cases of the instruction are done by a call, */
    bool is_exact; /* or inline */
    /* The instructions of the block that is being made, and what they do with integer registers. */
    const struct decoded *records;
    unsigned record_count;
    struct use {
        const struct shape *shape;
        uint32_t reads, writes;
        uint32_t dead;  /* written from here on before they are read and before control may leave */
        uint32_t later; /* written by instructions after this one */
        uint32_t upper; /* after this one, the block may read their upper word */
        uint32_t whole; /* it reads their upper word, or makes some of the result of it */
        struct word_use word;
        bool is_silent; /* control goes on after it in any case */
    } uses[BLOCK_LIMIT];
};

/* Lets the host's memory management check accesses, if it can. */
void native_open_guard(struct native *native);
void native_close_guard(const struct native *native);
/* An access has faulted. If the same one does so often, e.g. one to a device, it will be checked.
 */
void native_note_fault(struct native *native);
/* Has the access at the address faulted so often that it has to be checked? */
bool native_is_checked(const struct native *native, uint64_t pc);

/* Executes the instruction of hart->native_site. All that is pinned is in memory. Returns the code
 * that control goes on at, or NULL if native code must be left; and the count. */
native_function native_call;
/* The interpreter has to execute the instruction at hart->pc. If this is often so, code is made
 * again that leaves there less. */
void native_note_step(struct native *native);
/* Has native code left at the instruction so often that code of it shall be of this level? */
bool native_is_rare(const struct native *native, const struct decoded *record, unsigned level);
/* The stencil of the instruction, which comes next, leads to the call where it would leave. The
 * places are as agreed. */
void native_begin_rare(struct native *native, const struct decoded *record);
/* The call goes on here. */
void native_end_rare(struct native *native);
/* Does the host find out which accesses fault, in the present mode? */
bool native_has_mirror(const struct native *native);
/* Is the code that for the present mode? */
bool native_is_current(const struct native *native);
/* Returns the digest of the breakpoints that the debugger has set. */
uint64_t native_breakpoints(const struct native *native);
/* Returns where the search for the entry of the address begins. Blocks near each other have places
 * near each other, often in one line of the host's cache: code that follows other code, or that
 * this jumps to, is looked for soon after it. */
static inline size_t native_entry_place(const struct native *native, uint64_t pc)
{
    size_t region = (pc >> 9) * 0x9e3779b97f4a7c15 >> 32;

    return (region << 6 | (pc >> 3 & 63)) & (native->entry_room - 1);
}
/* The entry of the address will be looked for. */
static inline void native_expect_entry(const struct native *native, uint64_t pc)
{
    __builtin_prefetch(&native->entries[native->entry_room + native_entry_place(native, pc)]);
}
/* Returns the place of the address in the table of entries: its entry, or an empty one. */
static inline struct entry *native_find_entry(struct native *native, uint64_t pc)
{
    struct entry *table = native->entries + native->entry_room;
    size_t i = native_entry_place(native, pc);

    while (table[i].code && table[i].pc != pc)
        i = (i + 1) & (native->entry_room - 1);
    return &table[i];
}
/* Forgets all native code. */
void native_forget_all(struct native *native);
/* Forgets the code that was made of instructions at [address, end), which is in one page; maybe
 * more of the page. Code that led there leaves native code, until new code is linked. */
void native_forget(struct native *native, uint64_t address, uint64_t end);
/* Returns the bits of the 64th parts of a page that [address, end), which is in it, has bytes of.
 */
static inline uint64_t native_parts_of(uint64_t address, uint64_t end)
{
    uint64_t part = MEMORY_PAGE / 64, first = address % MEMORY_PAGE / part,
             last = (end - 1) % MEMORY_PAGE / part;

    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

/* Finds out what depends on the id of an instruction only. */
void native_find_shape(struct shape *shape, unsigned id);
/* Returns it, which is found out once. */
static inline const struct shape *native_shape(const struct native *native, unsigned id)
{
    struct shape *shape = &native->shapes[id];

    if (__builtin_expect(!shape->is_known, 0))
        native_find_shape(shape, id);
    return shape;
}
/* Is the operand a floating-point register, or a group of them? */
static inline bool native_is_float_register(const struct isa_operand *operand)
{
    return operand->slot == ISA_SLOT_R && operand->type->file &&
           operand->type->file->standard == ISA_STANDARD_FLOAT;
}
/* Returns the row of the walk that the instruction goes on with, if it is an immediate; or -1. */
int native_row_of(const struct decoded *record);
/* Returns where the streak of the row is, from struct hart on. */
int64_t native_streak_of(unsigned row);
/* Returns the end of the numbers of what may be pinned. Positions of walks only are where accesses
 * need no check. */
unsigned native_pinnable(const struct native *native);
/* Returns where what may be pinned is, from the integer registers on. */
int64_t native_offset_of(const struct native *native, unsigned number);
/* Counts the uses of the walk of the instruction, if there is one, and of what its step adds. */
void native_count_walk(struct native *native, const struct decoded *record);
/* Counts the uses of floating-point registers by the instruction. */
void native_count_floats(struct native *native, const struct decoded *record);
/* Says in which registers of the host the floating-point operands are. Those that are not pinned
 * come from memory. */
void native_place_floats(struct native *native, const struct decoded *record,
                         struct filling *filling);
/* Puts the floating-point register that the instruction has written into memory, unless it is
 * pinned; those of a group are in memory, and go to their pins. */
void native_keep_floats(struct native *native, const struct decoded *record);
/* Are the single-precision numbers that the instruction reads known to be NaN-boxed? */
bool native_is_boxed(const struct run *run, const struct decoded *record);
/* Notes which registers are NaN-boxed after the stencil of the instruction, which has left if those
 * that it reads as single-precision numbers are not. */
void native_note_boxes_read(struct run *run, const struct decoded *record);
/* Notes which registers the instruction makes NaN-boxed. Groups are of single precision. */
void native_note_boxes(struct run *run, const struct decoded *record);
/* Returns the number of the position of the walk if it is pinned; else 0. */
unsigned native_find_walk(const struct native *native, const struct decoded *record);
/* Finds the stencils of the instruction `id`, which has the operands of the record, where these
 * are. What was found before is kept. */
struct chosen native_choose(const struct run *run, const struct decoded *record,
                            const struct shape *shape, unsigned id, struct filling *filling,
                            enum stencil_kind kind);
/* Returns the bit of the integer register with the number. Others, the sink and immediates, have
 * none. */
static inline uint32_t native_bit_of(unsigned number)
{
    return (uint32_t)(number < ISA_X_REGISTERS) << number % ISA_X_REGISTERS;
}
/* Returns what the instruction of the block does. */
static inline const struct use *native_use_of(const struct run *run, const struct decoded *record)
{
    return &run->uses[record - run->records];
}
/* Is it a jump without a condition? */
bool native_is_jump(const struct decoded *record);
/* The places of guest registers (places.c). A run begins with this: the pins are in theirs. */
void native_open_places(struct native *native);
/* The same for all pins, also those of floating point, after native code was made without any. */
void native_place_pins(struct native *native);
/* All registers are in memory, for code that has no pins. */
void native_close_places(struct native *native);
/* Puts all back, as it is where control may come from elsewhere. */
void native_settle(struct native *native);
/* Have all integer registers of the instruction a place? */
static inline bool native_has_places(const struct run *run, const struct decoded *record)
{
    const struct use *use = native_use_of(run, record);

    return !((use->reads | use->writes) & ~run->native->placed);
}
/* Puts operands of the instruction, with this base of its access (0: none), into registers of the
 * host where this is worth it. Its results will be there. */
void native_hold_operands(struct run *run, const struct decoded *record, unsigned base);
/* The stencil of the instruction has put its results into these places, */
void native_keep_results(struct run *run, const struct decoded *record);
/* or will put them into memory only, unless they are pinned. */
void native_forget_results(struct run *run, const struct decoded *record);
/* Returns the mask of temporaries with operands of the instruction. */
unsigned native_held_by(const struct run *run, const struct decoded *record);
/* Adds the stencil that moves the register to or from its place. */
void native_move_pin(struct native *native, unsigned id, unsigned number);
/* Moves those of the integer operands in the slots that are in registers of the host to memory, or
 * back. */
void native_move_operands(struct native *native, const struct decoded *record, unsigned slots,
                          unsigned id);
/* The temporaries in the mask are going to be changed. */
void native_clear(struct native *native, unsigned hosts);
/* Returns the code that leaves native code from the present places. */
size_t native_find_way_out(struct native *native);
/* If the stencil that comes next accesses memory without a check, notes how to leave from there. */
void native_note_access(struct native *native);
/* Adds a stencil to simple code, where nothing is in temporaries, and all else is where it is
 * agreed. */
static inline void native_add_simply(struct native *native, const struct stencil *stencil,
                                     const struct filling *filling)
{
    if (native->unchecked)
        native_note_access(native);
    copier_add(&native->copier, stencil, filling);
}
/* Adds a stencil, or two (copier_add_common). */
void native_add(struct native *native, const struct stencil *stencil,
                const struct filling *filling);
void native_add_common(struct native *native, const struct stencil *common,
                       const struct stencil *usual, bool is_first, const struct filling *filling);
/* What the result of an instruction is near to (reach.c). */
struct reach {
    bool is_small, is_sum; /* a small number of the width; the sum of one and of the register */
    bool is_likely;        /* to be an address */
    uint8_t width, base;
};
/* Is called at the beginning of a run, before the others. */
void native_open_reach(struct run *run);
/* May something be found for an instruction with this id? */
bool native_has_reach(unsigned id);
struct reach native_find_reach(const struct run *run, const struct decoded *record);
/* Forgets what was known of the registers, and of sums of them. */
void native_forget_reach(struct run *run, uint32_t writes);
void native_note_reach(struct run *run, const struct decoded *record, struct reach reach);
/* Returns the register that has to be near guest memory, so that the host finds out whether an
 * access to the one with this number faults; 0: none. */
unsigned native_find_base(const struct run *run, unsigned number);
/* Were accesses near the register checked, so that it is near guest memory? */
static inline bool native_is_near(const struct checked *checked)
{
    return checked->first <= -NEAR && checked->end >= NEAR;
}
/* Is one of the registers in the mask in a narrow place? */
bool native_is_narrow(const struct native *native, uint32_t registers);
/* Extends those that are. */
void native_widen(struct native *native, uint32_t registers);
/* Says of which instructions a block consists, and finds out what they do (words.c). */
void native_note_uses(struct run *run, const struct decoded *records, unsigned count);
/* Extends what the instruction reads all of. Returns the id of what is to be made of it from the
 * present places, maybe without the extension of its result. */
unsigned native_choose_width(struct run *run, const struct decoded *record);
/* Can stencils have the constant? */
static inline bool native_fits(int64_t value)
{
    return value == (int32_t)value;
}
/* Makes a faster sequence of this instruction of a block and the next one, if they are an idiom
 * (idioms.c). Returns true if one instruction, which is in the place of the second one, has the
 * effects of both. */
bool native_replace_idiom(struct decoded *records);
/* Makes rotations of shifts and combinations of them in the block, whose uses are known
 * (rotations.c). Returns how many instructions are left, whose uses are known, too. */
unsigned native_replace_rotations(struct run *run, struct decoded *records, unsigned count);
/* What the holes of the instruction's stencil are filled with. */
static inline struct filling native_filling_of(const struct decoded *record)
{
    return (struct filling){
        .values = {[HOLE_PC] = (int64_t)record->pc,
                   [HOLE_NEXT_PC] = (int64_t)code_next_pc(record),
                   [HOLE_REMAINING] = record->remaining,
                   [HOLE_VALUE] = -(int64_t)offsetof(struct machine, hart),
                   [HOLE_IMMEDIATE] = record->imm[0],
                   [HOLE_IMMEDIATE + 1] = record->imm[1],
                   [HOLE_OFFSET] = record->r[0] * 8},
        .slots = record->slots,
    };
}
/* Can stencils have the immediates of the instruction? */
bool native_has_room(const struct decoded *record);
/* Adds the code of an instruction. Returns false if there can be none. */
bool native_add_instruction(struct run *run, const struct decoded *record);
/* The same in simple code, where the pins are in their registers before and after it. */
bool native_add_simple(struct run *run, const struct decoded *record);
/* Adds an instruction that accesses a CSR of floating point, whose stencil has registers in memory.
 * Returns false for others. */
bool native_add_float_csr(struct run *run, const struct decoded *record);
/* Adds an instruction that reads a counter, and writes none. Returns false for others. */
bool native_add_counter(const struct run *run, const struct decoded *record);
/* May the instruction clear floating-point flags, or change the rounding mode? */
bool native_changes_arithmetic(const struct decoded *record);
/* Does the block compute with floating-point numbers, in a rounding mode, before it may change
 * flags or modes? */
bool native_is_arithmetic(const struct native *native, const struct decoded *records,
                          unsigned count);
/* Control may come here from elsewhere, with these facts. */
void native_know_only(struct run *run, const struct facts *facts);
/* Returns what is known, if some of it would spare a check that is in the run. */
struct facts native_useful_facts(const struct run *run);

/* ---- counting for a profile (tallies.c) ---- */

/* The profile that native code counts for, or NULL. */
static inline struct profile *native_profile(const struct native *native)
{
    return native->machine->profile;
}
/* May the instruction, whose jump leads to `target` (0: none, or a register), be in the block of
 * native code whose first one this is? *ends: it may begin another block. */
bool native_may_count(const struct native *native, const struct decoded *record,
                      const struct decoded *first, uint64_t target, bool *ends);
/* Describes the block, whose jump leads to `target`, and gives it a place in the counters. Returns
 * its number, or 0: there is no room. Sets run->function, run->last, run->way_on and
 * run->is_foreign. */
uint32_t native_name_block(struct run *run, const struct decoded *records, unsigned count,
                           uint64_t target, struct tally_block *block);
/* Adds the counting of a block of this number. */
void native_count_block(const struct run *run, uint32_t counter, uint32_t number);
/* Adds that of the way on after the branch that ends the last block, if the run does not go on. */
void native_count_way_on(struct run *run);
/* Adds what follows the jump that ends the block, if there is something to follow. */
void native_count_jump(struct run *run, const struct decoded *record,
                       const struct tally_block *block);
/* Is the address in another function than the last block? */
bool native_is_foreign(const struct run *run, uint64_t pc);
/* Follows the jump of the hook, as native_call executes an instruction. */
struct native_place native_follow(struct hart *hart, const struct hook *hook, int64_t left);
/* Is there room for the hooks of one more run, and for what counts its blocks? */
bool native_has_hooks(const struct native *native);
/* Native code is entered at the pc, or was left: see tally_begin and tally_end. */
bool native_begin_count(const struct native *native, uint64_t pc);
void native_end_count(const struct native *native);
/* Native code is forgotten. */
void native_forget_counts(struct native *native);

/* ---- counting for the model of time (passages.c) ---- */

/* The model of time that native code counts for, or NULL. */
struct keeper *native_keeper(const struct native *native);
/* May the instruction be in a block of native code, as far as this model is concerned? */
bool native_may_time(const struct native *native, const struct decoded *record);
/* Adds the counting of a block of these instructions. */
void native_time_block(struct native *native, const struct decoded *records, unsigned count);
/* Finds the passage through the block of the hook, as native_call executes an instruction. */
struct native_place native_find_passage(struct hart *hart, struct hook *hook, int64_t left);
/* Native code is entered, or was left. In between, what is left is counted as it counts. */
void native_begin_times(const struct native *native);
void native_end_times(const struct native *native);

/* ---- runs ---- */

/* May code at the address be made native? */
static inline bool native_may_make(uint64_t pc)
{
    return pc < MEMORY_CODE_LIMIT;
}
/* There is native code of the instructions in [first, end). */
void native_mark_pages(struct native *native, uint64_t first, uint64_t end);
/* Writes what native code reads in the hart besides the registers of the guest. */
void native_prepare_hart(struct native *native, struct hart *hart);
/* Returns the code at the address, for control that comes with these facts. It is made if
 * necessary; 0: there can be none. */
size_t native_find_or_make(struct native *native, uint64_t pc, struct facts facts);
/* Makes the jump, which leads back or not, lead to this code of the address. */
void native_link(struct native *native, const struct copier_jump *jump, bool is_back, uint64_t pc,
                 size_t code);
/* Is there room for one more run, or what it takes to forget a stretch of code? */
bool native_has_room_for_run(const struct native *native);
/* Adds code that leads out to the address, for a jump that is not linked, and makes it lead there.
 */
void native_add_site(struct native *native, const struct site *site, uint64_t pc);
/* Makes better code for the address of simple code that was executed often. Returns it; 0: there is
 * none. */
size_t native_make_better(struct native *native, uint64_t pc);

#endif
