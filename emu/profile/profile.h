/* --profile and --coverage: what each instruction of the program costs, and through which calls
 * control came to it. The observed executor counts each instruction. Where nothing else observes
 * the program, except perhaps the model of time, blocks of instructions whose costs are always the
 * same run as native code (tally.h), or in an executor of their own, and only the blocks are
 * counted.
 *
 * Costs are kept in two ways: by place, exactly; and by context, the chain of calls that led to the
 * function, as a tree. Calls and returns are recognized as the unprivileged ISA says
 * ("Unconditional Jumps": jumps that write or read ra or t0). A jump to another function replaces
 * the function that jumped: a tail call. Each stack has a chain of its own (stacks.h). An
 * interrupt, a signal or an exception that has a handler
 * is a call at the instruction that it comes before. */
#ifndef EMU_PROFILE_PROFILE_H
#define EMU_PROFILE_PROFILE_H

#include "emu/load.h"
#include "emu/machine.h"
#include "emu/observed.h"
#include "emu/profile/operand_bins.h"
#include "emu/profile/stacks.h"
#include "lib/isa.h"
#include "lib/trace/recorder.h"

enum {
    PROFILE_NODES = 1 << 20, /* contexts; the cost of further ones is their callers' */
    PROFILE_PAGE = 1 << 12,  /* bytes of code whose places are together */
};

struct profile_cost {
    uint64_t instructions;
    uint64_t cycles;        /* --timing: in which it was the oldest instruction in D */
    uint64_t read, written; /* bytes */
    uint64_t products;      /* multiply-adds of the matrix unit */
};

/* The effect of a jump on the chain of calls. */
enum profile_jump { PROFILE_JUMP, PROFILE_CALL, PROFILE_RETURN, PROFILE_SWAP };

/* The instruction at an address. */
struct profile_place {
    struct profile_cost cost;
    uint64_t word;
    uint64_t turned;   /* how often control did not go on after it */
    uint64_t function; /* where the function begins that it is in */
    uint16_t id;       /* of isa_instructions; of a compressed one, that which it stands for */
    uint8_t length;
    uint8_t jump; /* enum profile_jump */
    bool is_known;
    bool is_unit;          /* of a tensor unit */
    bool has_bins;         /* of its operands */
    bool is_steady;        /* it reads and writes the same number of bytes whenever it retires */
    bool is_branch;        /* may go on after it */
    bool has_register;     /* jumps to an address in a register */
    bool is_usual;         /* it did nothing else when it was observed, unlike a command to HTIF */
    uint8_t read, written; /* bytes, if it is steady */
    struct profile_run *run; /* the block that begins here; NULL: unknown */
};

/* A block of steady instructions in the same function. */
struct profile_run {
    uint64_t pc;
    uint64_t function;
    uint64_t drops;     /* of decoded code, when its instructions were compared last */
    uint64_t count;     /* how often it was executed since its places were told */
    bool is_pending;    /* it is in the list of those that may have executions to tell */
    uint64_t functions; /* profile.learned, when it was made */
    uint32_t instructions;
    uint32_t decoded;       /* instructions of the block, in turns: the run may be shorter */
    uint32_t read, written; /* bytes */
    uint32_t length;        /* bytes of code */
    bool has_jump;          /* its last instruction changes the flow of control, */
    bool has_branch;        /* and may go on after it */
    bool is_safe;           /* its first instruction retires whenever it is executed */
    struct profile_place *last;
    struct timed_block *timed; /* --timing: the same block for the model of time, if it is known; */
    struct turn_block *counted; /* and in turns */
    uint64_t pairs; /* in turns: which instructions may begin a bundle (execute/bundles.h), or 0 */
    struct profile_run *next; /* in the list */
};

/* A function that was called along one chain of calls. Node 0 is what comes before all calls. The
 * sites of recursive calls make no difference, so that a function that calls itself twice has as
 * many nodes as calls inside each other, not 2 to that power. */
struct profile_node {
    uint64_t function; /* where it begins */
    uint64_t site;     /* the call in `parent`; 0: there is none, or the call is recursive */
    uint64_t calls;
    uint32_t parent; /* PROFILE_ARC: there is none; it counts the recursive calls at the site */
    struct profile_cost cost; /* without its callees */
};

#define PROFILE_ARC UINT32_MAX

struct profile {
    struct arena *arena;
    struct profile_place **pages; /* by address / PROFILE_PAGE */
    uint64_t *functions;          /* where functions begin, ascending */
    size_t function_count, function_capacity;
    const struct program *program; /* or NULL */
    struct profile_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *table; /* of nodes by parent, site and function: index; 0 is free */
    size_t table_size;
    struct profile_thread *threads;
    struct profile_thread *thread; /* that ran last */
    struct profile_stacks stacks;  /* that no thread is on */
    struct profile_place *last;    /* of the last instruction, and its node */
    uint32_t last_node;
    struct profile_place *begun; /* in uneven turns, the same of the instruction that has begun, */
    uint32_t begun_node;
    struct profile_place *ended; /* and of the last one that was executed */
    uint32_t ended_node;
    struct profile_run *pending;
    uint64_t learned;  /* functions that were found while the program ran */
    uint64_t clock;    /* the cycle up to which cycles are counted */
    uint64_t products; /* of the run so far */
    bool is_timed;
    struct operand_bins **bins; /* --coverage: by instruction; NULL: it was not executed */
    struct stats *stats;        /* that are counted by blocks, too, or NULL */
    struct tally *tally;        /* counters of native code (tally.h); NULL: none yet */
};

/* Without a program there are no calls and functions. */
void profile_init(struct profile *profile, const struct program *program,
                  const struct machine *machine, struct arena *arena);
/* Returns the place of an instruction that is known: in a run, for example. */
static inline struct profile_place *profile_place_at(const struct profile *profile, uint64_t pc)
{
    return &profile->pages[pc % MEMORY_CODE_LIMIT / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
}
/* Counts one retired instruction and its effects. A system call has set the pc. */
void profile_count(struct profile *profile, struct machine *machine,
                   const struct observed *observed, const struct recorder *recorder,
                   bool is_system_call);
/* Returns the run of the block that begins at `record`, if the block can be counted as a whole now;
 * else NULL: its instructions must be observed. */
struct profile_run *profile_find_run(struct profile *profile, const struct machine *machine,
                                     const struct decoded *record);
/* Counts an execution of the block by the thread, of which `executed` instructions have retired.
 * Control is at `next` now, and sp is `stack`. The whole block takes so many cycles. */
void profile_count_run(struct profile *profile, struct profile_thread *thread,
                       struct profile_run *run, uint64_t executed, uint64_t cycles, uint64_t next,
                       uint64_t stack);
/* The instruction has taken so many cycles, in executions whose chains of calls have them already.
 */
void profile_time(struct profile *profile, uint64_t pc, uint64_t cycles);
/* The same for one execution, in the function that runs, which has not. */
void profile_time_one(struct profile *profile, uint64_t pc, uint64_t cycles);

/* ---- blocks in the turns of a barrel ---- */

/* Returns the run of the first instructions of the block at `entry`, which each thread counts when
 * it has executed them; NULL: the first one must be observed. An instruction in it that is not
 * steady, one that may_lend names, is counted by itself besides (profile_count_lent). */
struct profile_run *profile_make_turns(struct profile *profile, const struct machine *machine,
                                       const struct decoded *entry,
                                       bool (*may_lend)(const struct machine *machine,
                                                        const struct decoded *record));
/* The machine has executed an instruction of a run, which the thread counts, with these effects:
 * counts what not every execution of it costs. */
void profile_count_lent(struct profile *profile, struct machine *machine, uint64_t pc,
                        const struct recorder *recorder);

/* In uneven turns, an instruction of a run begins in the function that the thread is in; */
void profile_begin_one(struct profile *profile, const struct profile_thread *thread, uint64_t pc);
/* it was executed in this turn: with the model of time, counts the cycles since the one before, of
 * any thread; */
void profile_end_one(struct profile *profile, uint64_t turn);
/* and the last instruction of all is known, whatever was counted later. */
void profile_end_turns(struct profile *profile);

/* The instruction at `pc` raised an exception and did not retire. */
void profile_trap(struct profile *profile, const struct machine *machine, uint64_t pc);
/* Ends the profile; the run took `cycles`. Those after the last instruction are its own. */
void profile_finish(struct profile *profile, uint64_t cycles);

void profile_add(struct profile_cost *sum, const struct profile_cost *cost);
/* ---- for those who count in another way (tally.h) ---- */

/* Returns the place of the instruction, which is described if it is new there. */
struct profile_place *profile_place(struct profile *profile, uint64_t pc, uint64_t word,
                                    unsigned length);
/* May native code count from the pc on? The instruction there was found to be steady. */
static inline bool profile_may_visit(const struct profile *profile, uint64_t pc)
{
    const struct profile_place *page = profile->pages[pc % MEMORY_CODE_LIMIT / PROFILE_PAGE],
                               *place = &page[pc % PROFILE_PAGE / 2];

    return page && place->is_steady;
}
/* Returns how many functions begin at the address or below it. */
size_t profile_functions_up_to(const struct profile *profile, uint64_t address);
/* Does a call of the target lead to a function that is known? Otherwise one begins there. */
bool profile_knows_callee(const struct profile *profile, uint64_t target);
/* Returns what the hints of the unprivileged ISA say about the jump. */
enum profile_jump profile_jump_of(uint64_t word, unsigned length);
/* Returns the thread that runs, and the one of this number, which runs now. */
struct profile_thread *profile_thread(struct profile *profile, const struct machine *machine);
struct profile_thread *profile_thread_of(struct profile *profile, uint64_t id);
/* The function at the top goes on as another one. */
void profile_replace(struct profile *profile, struct profile_thread *thread, uint64_t function);
/* Returns the innermost frame. */
static inline struct profile_frame *profile_top(const struct profile_thread *thread)
{
    return &thread->frames[thread->depth - 1];
}
/* The node that a call leads to, and the one that counts the calls that are recursive. */
struct profile_callee {
    uint32_t node;
    uint32_t arc;  /* if it is recursive */
    bool has_arc;  /* it is recursive */
    bool is_whole; /* there was room for the node, so each call is counted there */
};
/* Are there nodes for the call already? */
bool profile_has_callee(const struct profile *profile, uint32_t parent, uint64_t site,
                        uint64_t function);
/* Finds them, without a call. */
struct profile_callee profile_find_callee(struct profile *profile, uint32_t parent, uint64_t site,
                                          uint64_t function);
/* May a jump or a return lead to another stack? Not on the first function of a stack or handler, as
 * these may set sp, nor from a function with a frame to a part of it that has its own symbol. */
bool profile_may_change_stack(const struct profile_thread *thread, uint64_t stack);
/* Adds the frame of a call, if there are fewer than PROFILE_DEPTH. */
void profile_push(struct profile_thread *thread, struct profile_frame frame);
/* Adds executions of the first instructions of a block to their places. */
void profile_tell_places(struct profile *profile, uint64_t pc, uint64_t instructions,
                         uint64_t count);

/* Returns the place at the address or after it that was executed, or NULL. */
const struct profile_place *profile_next(const struct profile *profile, uint64_t *address);
/* Returns where the function begins that the address belongs to. */
uint64_t profile_function(const struct profile *profile, uint64_t address);

#endif
