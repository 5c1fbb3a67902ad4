/* How native code counts for a profile (profile.h).
 *
 * Each block of native code adds 1 to a counter when control enters it; the costs of its
 * instructions are known. So that costs can be told by the chain of calls, too, each node has
 * counters of its own, its *sheet*: one for each block of the function, and a link for each place
 * that calls. Calls and returns, which native code recognizes where calls.c does, change the
 * frame and the sheet. A branch was taken as often as control entered its block, less the times
 * that it went on after it, for which there is a counter, too. What is counted becomes the cost of
 * places and nodes when native code is forgotten (tally_flush).
 *
 * Native code only counts instructions whose costs are always the same, in the function of the
 * innermost frame, and not in handlers. All else is left to the executor of profiles. */
#ifndef EMU_PROFILE_TALLY_H
#define EMU_PROFILE_TALLY_H

#include "emu/profile/profile.h"

/* A callee, in the sheet of the node that calls it. */
struct tally_link {
    uint64_t target;   /* 0: the link is not set */
    uint64_t function; /* where that begins which the target is in */
    uint64_t hits;
    uint64_t *sheet;     /* of the node, */
    uint32_t node, zero; /* which stand in this order in a frame, too: node and handler */
    uint32_t arc;
    bool has_arc;
};

/* How control left native code. */
enum tally_end {
    TALLY_DONE,   /* after a block */
    TALLY_LIMIT,  /* at the entry of a block, which is not counted */
    TALLY_BEFORE, /* before an instruction, which may be in the block that was counted last */
};

/* How a block is left. */
enum tally_exit {
    TALLY_PLAIN, /* its last instruction goes on, or jumps in the function */
    TALLY_BACK,  /* the same, and its target may be where a call returns to */
    TALLY_CALL,  /* calls `target` */
    TALLY_CALL_REGISTER,
    TALLY_RETURN,
    TALLY_JUMP_REGISTER, /* maybe to another function */
    TALLY_TAIL,          /* jumps to `target` in another function */
    TALLY_UNKNOWN,       /* in a way that native code cannot count */
};

/* What a profile knows of an instruction. */
struct tally_view {
    bool is_steady; /* may native code count it? */
    bool has_jump, is_branch;
    unsigned read, written; /* bytes */
    uint64_t function;      /* where that begins that it is in, */
    uint64_t next;          /* and that in which the next instruction is */
    enum tally_exit exit;
};

/* A block of native code. Places in sheets are in bytes; 0 is none. */
struct tally_block {
    uint64_t pc, end;  /* addresses of its code; none for a way on after a branch */
    uint64_t last;     /* that of its last instruction, or of the branch */
    uint64_t function; /* where that begins which it is in */
    uint32_t read, written, instructions;
    uint32_t counter;
    uint32_t link;    /* of its call */
    uint32_t next;    /* the counter of where control goes on after a branch that is not taken */
    uint32_t before;  /* the number of the block before this one in the function */
    bool has_jump;    /* its last instruction changes the flow of control, */
    bool is_branch;   /* and may go on after it */
    uint8_t exit;     /* enum tally_exit */
    uint64_t target;  /* of its jump; 0: a register has it */
    uint64_t entered; /* while what was counted is told: how often control came to it, */
    uint64_t passed;  /* and went on after its branch */
};

/* The place in a sheet where the cycles of its node are (--timing). */
#define TALLY_CYCLES 0

/* Native code comes to a block that takes so many cycles, which it has not counted yet. */
static inline void tally_cycles(struct hart *hart, uint64_t cycles)
{
    hart->tallies[TALLY_CYCLES / sizeof *hart->tallies] += cycles;
    hart->native_before = hart->native_block;
}

/* Describes the decoded instruction; `target` is that of its jump, or 0. */
struct tally_view tally_look(struct profile *profile, const struct machine *machine,
                             const struct decoded *record, uint64_t target);
/* Sets the first address and the size of the function. */
void tally_range(const struct profile *profile, uint64_t function, uint64_t *begin, uint64_t *size);
/* Adds the block, gives it a counter unless it has one, a link if `has_link`, and the counter after
 * its branch. Returns its number, or 0: there is no room in the sheets of the function, and all
 * native code should be forgotten (tally_is_full). */
uint32_t tally_add_block(struct profile *profile, struct tally_block *block, bool has_link);
bool tally_is_full(const struct profile *profile);

/* Can native code count from the pc on? Then prepares the hart for it, whose native_left is exact
 * in all of these functions, except where they say more. */
bool tally_begin(struct profile *profile, struct machine *machine, uint64_t pc);
/* Control has left native code, and is at the pc. native_left does not have back the `rest`, the
 * instructions of the block from there on. */
void tally_end(struct profile *profile, struct machine *machine, uint64_t pc, int64_t rest,
               enum tally_end end);
/* Follows a call by the instruction at `site` of the function at `target`, and fills the link for
 * it. Returns false, with nothing changed, if native code cannot. */
bool tally_call(struct profile *profile, struct machine *machine, uint64_t site, uint64_t back,
                uint64_t target, uint64_t link);
/* The same for a return to the target, */
bool tally_return(struct profile *profile, struct machine *machine, uint64_t target);
/* and for a jump to it, by a register or not. */
bool tally_jump(struct profile *profile, struct machine *machine, uint64_t target,
                bool by_register);

/* Adds all that was counted to the places and nodes, and forgets the blocks. */
void tally_flush(struct profile *profile);

#endif
