/* The stencils that are not instructions. */
#include "emu/keeper.h"
#include "emu/native/stencils/form.h"
#include "emu/profile/tally.h"

void glue_count(void);
void glue_count_simple(void);
void glue_time(void);
void glue_time_profiled(void);
void glue_tally(void);
void glue_tally_call(void);
void glue_tally_call_register(void);
void glue_tally_return(void);
void glue_tally_jump(void);
void glue_tally_back(void);
void glue_fill(void);
void glue_spill(void);
void glue_extend(void);
void glue_fill_float(void);
void glue_spill_float(void);
void glue_goto(void);
void glue_step(void);
void glue_site(void);
void glue_call(void);
void glue_rarely(void);
void glue_turn_r(void);
void glue_turn_m(void);
void glue_constant_r(void);
void glue_constant_m(void);
void glue_address_r(void);
void glue_address_m(void);
void glue_constant_high(void);
void glue_constant_boxed(void);
void glue_check_read_r(void);
void glue_check_read_m(void);
void glue_check_write_r(void);
void glue_check_write_m(void);
void glue_check_both_r(void);
void glue_check_both_m(void);
void glue_check_base_r(void);
void glue_check_base_m(void);
void glue_check_common(void);
void glue_read_fflags(void);
void glue_read_frm(void);
void glue_read_fcsr(void);
void glue_write_fflags(void);
void glue_write_frm(void);
void glue_write_fcsr(void);
void glue_set_fflags(void);
void glue_set_frm(void);
void glue_set_fcsr(void);
void glue_clear_fflags(void);
void glue_clear_frm(void);
void glue_clear_fcsr(void);
void glue_read_counter(void);
void glue_read_time(void);
void glue_next_hart(void);
void glue_give_back(void);
void glue_way_out(void);
void glue_check_target(void);
void glue_return_address(void);

/* At the entry to a basic block: counts its instructions. Do they exceed the limit? */
static inline __attribute__((always_inline)) bool count(void)
{
    uint64_t rest;
    bool exceeds = __builtin_sub_overflow((uint64_t)left, (uint64_t)HOLE_SMALL(remaining), &rest);

    left = (int64_t)rest;
    return exceeds;
}

void glue_count(void)
{
    if (__builtin_expect(count(), 0)) {
        hart->native_exit = EXIT_LIMIT;
        go_aside();
        return;
    }
    next();
}

/* The same in simple code, which is replaced when the counter of the block becomes 0. */
void glue_count_simple(void)
{
    if (__builtin_expect(count(), 0))
        goto out;
    if (__builtin_expect(--*(uint32_t *)((char *)hart->native_counters + HOLE(value)) == 0, 0))
        goto out;
    next();
    return;
out:
    __attribute__((cold));
    hart->native_exit = EXIT_LIMIT;
    go_aside();
}

/* Guest registers from memory into registers of the host, and back. */
void glue_fill(void)
{
    operand0 = READ_MEMORY(x, 0);
    next();
}

void glue_spill(void)
{
    WRITE_MEMORY(x, 0, operand0);
    next();
}

/* Extends the sign of a word that is in a register of the host. */
void glue_extend(void)
{
    operand0 = (uint64_t)(int32_t)operand0;
    next();
}

void glue_fill_float(void)
{
    FILL_FLOAT(0);
    next();
}

void glue_spill_float(void)
{
    SPILL_FLOAT(0);
    next();
}

void glue_goto(void)
{
    taken();
}

/* Ends where the interpreter must go on. */
void glue_step(void)
{
    go_aside();
}

/* What a jump leads to whose target is not native code yet. */
void glue_site(void)
{
    hart->native_exit = EXIT_SITE;
    hart->native_site = (uint32_t)HOLE(value);
    hart->pc = PC;
    leave();
}

void glue_constant_r(void)
{
    operand0 = (uint64_t)HOLE(value);
    next();
}

void glue_constant_m(void)
{
    WRITE_MEMORY(x, 0, (uint64_t)HOLE(value));
    next();
}

/* Constants of 32 bits, zero-extended: addresses, most of all. */
void glue_address_r(void)
{
    operand0 = HOLE_ADDRESS(value);
    next();
}

void glue_address_m(void)
{
    WRITE_MEMORY(x, 0, HOLE_ADDRESS(value));
    next();
}

/* Constants of floating point: the upper half, whose lower one is 0, or the lower half, whose upper
 * one has all bits. */
void glue_constant_high(void)
{
    WRITE_FLOAT(0, (uint64_t)HOLE(value) << 32);
    next();
}

void glue_constant_boxed(void)
{
    WRITE_FLOAT(0, box_f32((uint32_t)HOLE(value)));
    next();
}

/* Leaves unless all accesses to the addresses from the base plus the first immediate to the base
 * plus the second one are direct. The two are less than a page apart. */
static inline __attribute__((always_inline)) void check(enum place place, unsigned access)
{
    uint64_t first = READ_PLACE(place, READ_MEMORY(x, 0)) + HOLE(immediate0),
             page = first >> MEMORY_PAGE_BITS;
    unsigned span = access << SPAN_SHIFT;

    if (__builtin_expect(page >= MEMORY_PAGES, 0))
        goto aside;
    if (__builtin_expect((fast[page] & span) != span, 0))
        goto two_pages;
    next();
    return;
two_pages:
    __attribute__((cold));
    __asm__("" : "+r"(operand0)); /* else the compiler keeps a copy */
    uint64_t last = (READ_PLACE(place, READ_MEMORY(x, 0)) + HOLE(immediate1)) >> MEMORY_PAGE_BITS;
    if (last < MEMORY_PAGES && (fast[page] & fast[last] & access) == access) {
        next_rarely();
        return;
    }
aside:
    __attribute__((cold));
    go_aside();
}

void glue_check_read_r(void)
{
    check(IN_0, PAGE_READ);
}

void glue_check_read_m(void)
{
    check(IN_MEMORY, PAGE_READ);
}

void glue_check_write_r(void)
{
    check(IN_0, PAGE_WRITE);
}

void glue_check_write_m(void)
{
    check(IN_MEMORY, PAGE_WRITE);
}

void glue_check_both_r(void)
{
    check(IN_0, PAGE_READ | PAGE_WRITE);
}

void glue_check_both_m(void)
{
    check(IN_MEMORY, PAGE_READ | PAGE_WRITE);
}

/* Leaves unless the base is a guest address. */
static inline __attribute__((always_inline)) void check_base(uint64_t base)
{
    if (__builtin_expect(base >= hart->native_limit, 0)) {
        go_aside();
        return;
    }
    next();
}

void glue_check_base_r(void)
{
    check_base(operand0);
}

void glue_check_base_m(void)
{
    check_base(READ_MEMORY(x, 0));
}

/* Leaves the block unless arithmetic is common: NX is set already, so flags do not change, and a
 * dynamic rounding mode is that of the host. */
void glue_check_common(void)
{
    enum { OTHERS = FLOAT_UF | FLOAT_OF | FLOAT_DZ | FLOAT_NV };
    uint64_t state;

    _Static_assert(offsetof(struct hart, frm) == offsetof(struct hart, fflags) + 4 &&
                       FLOAT_RNE == 0 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
                   "flags and mode are one word");
    memcpy(&state, &hart->fflags, sizeof state);
    if (__builtin_expect((state & ~(uint64_t)OTHERS) != FLOAT_NX, 0)) {
        taken_rarely();
        return;
    }
    next();
}

/* The CSRs of floating point, whose parts are in the state as they are there. */
enum { FLAGS_MASK = 31, MODE_SHIFT = 5, MODE_MASK = 7 };

static inline __attribute__((always_inline)) uint64_t read_fflags(void)
{
    return hart->fflags;
}

static inline __attribute__((always_inline)) uint64_t read_frm(void)
{
    return hart->frm;
}

static inline __attribute__((always_inline)) uint64_t read_fcsr(void)
{
    return hart->frm << MODE_SHIFT | hart->fflags;
}

static inline __attribute__((always_inline)) void write_fflags(uint64_t value)
{
    hart->fflags = value & FLAGS_MASK;
}

static inline __attribute__((always_inline)) void write_frm(uint64_t value)
{
    hart->frm = value & MODE_MASK;
}

static inline __attribute__((always_inline)) void write_fcsr(uint64_t value)
{
    write_fflags(value);
    write_frm(value >> MODE_SHIFT);
}

/* Reads into operand 0, and the others also write what they make of it and of operand 1. */
#define CSR_READ(csr)                                                                              \
    void glue_read_##csr(void)                                                                     \
    {                                                                                              \
        WRITE_MEMORY(x, 0, read_##csr());                                                          \
        next();                                                                                    \
    }
#define CSR_WRITE(name, csr, expression)                                                           \
    void glue_##name##_##csr(void)                                                                 \
    {                                                                                              \
        uint64_t operand = READ_MEMORY(x, 1), old = read_##csr();                                  \
                                                                                                   \
        write_##csr(expression);                                                                   \
        WRITE_MEMORY(x, 0, old);                                                                   \
        next();                                                                                    \
    }
#define CSR_STENCILS(csr)                                                                          \
    CSR_READ(csr)                                                                                  \
    CSR_WRITE(write, csr, operand)                                                                 \
    CSR_WRITE(set, csr, old | operand)                                                             \
    CSR_WRITE(clear, csr, old & ~operand)

CSR_STENCILS(fflags)
CSR_STENCILS(frm)
CSR_STENCILS(fcsr)

/* Returns how many instructions were retired before this one. A signal may take instructions away
 * from those that are left, and from native_count, at any time (guard.c). */
static inline __attribute__((always_inline)) uint64_t count_retired(void)
{
    const volatile uint64_t *count = &hart->native_count;
    uint64_t before, retired;

    do {
        before = *count;
        __asm__ volatile("" : "+r"(left)); /* read after that, */
        retired = before - (uint64_t)left - (uint64_t)HOLE_SMALL(remaining);
        __asm__ volatile("" : "+r"(left) : "r"(retired)); /* and before this */
    } while (__builtin_expect(*count != before, 0));
    return retired;
}

/* A counter of instructions, which is this far from the hart. */
void glue_read_counter(void)
{
    const struct counter *counter = (const struct counter *)((char *)hart + HOLE(value));

    if (__builtin_expect(counter->stopped, 0)) {
        go_aside();
        return;
    }
    WRITE_MEMORY(x, 0, counter->value + count_retired());
    next();
}

/* The time in the user environment: that counter, and the time slept, which is this far away. */
void glue_read_time(void)
{
    WRITE_MEMORY(x, 0, *(const uint64_t *)((char *)hart + HOLE(value)) + count_retired());
    next();
}

/* At the end of a line of a walk: takes a turn. The instruction comes again. */
static inline __attribute__((always_inline)) void turn(enum place place2)
{
    struct traversal_streak *streak = STREAK(0);

    if (traversal_has_element(READ_POSITION(streak)) || !streak->turns) {
        go_aside();
        return;
    }
    if (place2 == IN_2)
        operand2 = traversal_turn(streak);
    else
        streak->position = traversal_turn(streak);
    next();
}

void glue_turn_r(void)
{
    turn(IN_2);
}

void glue_turn_m(void)
{
    turn(IN_MEMORY);
}

/* Has the instruction executed by its whole form. It is counted as one of the block. */
void glue_call(void)
{
    hart->native_site = (uint32_t)HOLE(value);
    call();
}

/* The same where the stencil of the instruction leaves, which has put back what is left of the
 * count. */
void glue_rarely(void)
{
    left -= HOLE_SMALL(remaining);
    hart->native_site = (uint32_t)HOLE(value);
    call();
}

/* ---- counting for the model of time (keeper.h) ---- */

/* Counts the passage through the block that is the last one known, if control arrives in the state
 * from which it leads. A passage that is counted for the first time has to be listed. */
static inline __attribute__((always_inline)) void count_passage(bool is_profiled)
{
    const struct passage *last = hart->native_times->last;
    /* Addresses of code, and the one that stands for none, have 32 bits. */
    const struct known_moment *from = last->to[(int32_t)last->end != HOLE(pc)];

    __asm__("" : "+r"(from)); /* else there are too few registers */
    struct passage *passage =
        *(struct passage *const *)((const char *)hart->native_hooks + HOLE(value));
    if (__builtin_expect(passage->from != from, 0) || __builtin_expect(passage->count == 0, 0))
        goto find;
    passage->count++;
    struct block_times *times = hart->native_times;
    times->last = passage;
    times->left = left; /* which a signal may change (guard.c) */
    if (is_profiled)    /* last, when two registers are free */
        tally_cycles(hart, passage->cycles);
    next();
    return;
find:
    hart->native_site = (uint32_t)HOLE(immediate0);
    call_rarely();
}

void glue_time(void)
{
    count_passage(false);
}

/* The same where a profile gets the cycles, too. */
void glue_time_profiled(void)
{
    count_passage(true);
}

/* ---- counting for a profile (tally.h) ---- */

/* Counts the entry to a block: of the number that is immediate 0. */
void glue_tally(void)
{
    ++*(uint64_t *)((char *)hart->tallies + HOLE(value));
    hart->native_block = (uint32_t)HOLE(immediate0);
    next();
}

/* Has the profile follow the jump that comes next (native_follow). */
static inline __attribute__((always_inline)) void follow(void)
{
    hart->native_site = (uint32_t)HOLE(value);
    call();
}

/* Register 1 is the stack pointer. */
#define STACK READ_MEMORY(x, 1)

/* Enters the function at `target`, if that is where the link at immediate 1 leads. */
static inline __attribute__((always_inline)) void enter(uint64_t target)
{
    struct tally_link *link = (struct tally_link *)((char *)hart->tallies + HOLE(immediate1));
    struct profile_frame *frame = hart->frame + 1;

    if (__builtin_expect(link->target != target, 0) ||
        __builtin_expect(frame == hart->frames_end, 0)) {
        follow();
        return;
    }
    hart->frame = frame;
    link->hits++;
    frame->function = link->function;
    frame->site = PC;
    frame->back = HOLE_ADDRESS(next_pc);
    frame->stack = STACK;
    frame->node = link->node;
    frame->handler = 0;
    frame->caller = hart->tallies;
    hart->tallies = link->sheet;
    next();
}

/* A call of the address that is immediate 0, */
void glue_tally_call(void)
{
    enter(HOLE_ADDRESS(immediate0));
}

/* and of that in register 0, plus immediate 0. */
void glue_tally_call_register(void)
{
    enter((READ_MEMORY(x, 0) + (uint64_t)HOLE(immediate0)) & ~UINT64_C(1));
}

/* A return to the address in register 0. */
void glue_tally_return(void)
{
    struct profile_frame *frame = hart->frame;
    uint64_t *caller = frame->caller;

    if (__builtin_expect(frame->back != READ_MEMORY(x, 0), 0) ||
        __builtin_expect(frame->stack != STACK, 0) || __builtin_expect(!caller, 0)) {
        follow();
        return;
    }
    hart->tallies = caller;
    hart->frame = frame - 1;
    next();
}

/* A jump to the address in register 0. The function begins at immediate 0, and has so many bytes as
 * immediate 1 says. */
void glue_tally_jump(void)
{
    uint64_t target = READ_MEMORY(x, 0);

    if (__builtin_expect(target - HOLE_ADDRESS(immediate0) >= HOLE_ADDRESS(immediate1), 0) ||
        __builtin_expect(hart->frame->back == target, 0)) {
        follow();
        return;
    }
    next();
}

/* A jump to immediate 0, where a call may return to. */
void glue_tally_back(void)
{
    if (__builtin_expect(hart->frame->back == HOLE_ADDRESS(immediate0), 0)) {
        follow();
        return;
    }
    next();
}

/* ---- turns of the threads of a barrel (rounds.c) ---- */

/* The next turn is that of the thread whose hart is so many bytes after this one. */
void glue_next_hart(void)
{
    hart = (struct hart *)((char *)hart + HOLE(value));
    next();
}

/* So many of the instructions that were counted are not executed. */
void glue_give_back(void)
{
    __asm__("" : "+r"(left)); /* else the compiler keeps a copy */
    left += HOLE_SMALL(remaining);
    next();
}

/* Leaves, and says where. */
void glue_way_out(void)
{
    hart->native_site = (uint32_t)HOLE(value);
    leave();
}

/* Leaves unless a jump to the address in a register leads to the target. */
void glue_check_target(void)
{
    uint64_t address = READ_MEMORY(x, 1) + (uint64_t)HOLE(immediate0);

    if (__builtin_expect((address & ~UINT64_C(1)) != HOLE_ADDRESS(value), 0)) {
        go_aside();
        return;
    }
    next();
}

void glue_return_address(void)
{
    WRITE_MEMORY(x, 0, HOLE_ADDRESS(next_pc));
    next();
}
