/* See rounds.h.
 *
 * A path is found by recording the turns that the interpreter executes (record_turns), until the
 * threads stand where another path begins, or where they stood before. Then the code is made of the
 * stencils of the instructions, with all operands in memory: no register of the host holds one of
 * the guest's, and that which points to the hart goes to the next thread after each turn.
 *
 * An instruction that has no stencil, or whose stencil leaves, is executed by rounds->lend. Native
 * code is left before an instruction that the interpreter has to execute, or after one that has
 * gone another way. Each of these places, a way out, has a number, which says where all threads
 * stand. */
#include "emu/native/rounds.h"
#include "emu/context.h"
#include "emu/decode/access.h"
#include "emu/native/map.h"
#include "emu/native/observers.h"
#include "emu/native/parts.h"
#include "instruction_ids.h"

#include <stdlib.h>

enum {
    TURNS = 1 << 11,         /* the most of a path */
    PATHS = 1 << 12,         /* of all: */
    WAYS_OUT = 1 << 17,      /* ways out, */
    LENDINGS = 1 << 16,      /* lendings, */
    PLACES_OF_ALL = 1 << 20, /* and places in `pcs` */
    HEADS = 1 << 12,         /* of the table of paths, a power of two */
    LOOP_HEADS =
        32,      /* so many places where a loop may begin are remembered while turns are recorded */
    HOT_WAY = 4, /* so often a way out is taken before what follows becomes a path */
    WORTH = 64,  /* turns of each thread for which a visit is worth its costs, */
    WORTH_MADE = 256,   /* and turns for each one that became native code in it */
    STENCIL_ROOM = 512, /* more bytes than a turn's code takes on average, without what is cold */
    NO_PATH = 0,
    NOWHERE = 1, /* instead of a pc outside the address space: no instruction is there */
};

/* The turns of a path. */
struct path {
    uint64_t slots; /* those of struct rounds, */
    uint8_t supervisor;
    uint8_t first;  /* index of the thread of the first turn */
    uint8_t count;  /* of threads */
    uint32_t pcs;   /* index in paths.pcs of the pc of each turn; after them come those of the
                      turns that follow, one of each thread */
    uint32_t code;  /* offset */
    uint32_t chain; /* the next path with this hash, or NO_PATH */
    uint16_t turns;
};

/* A place where native code is left. */
struct way_out {
    struct copier_jump jump; /* leads there, and may lead to another path instead */
    uint32_t path;
    uint32_t pc;   /* where the thread of the turn before goes on, if it strays from the path */
    uint16_t turn; /* the next one of the path */
    uint8_t taken; /* how often, up to HOT_WAY */
    bool strays;
    bool is_linkable;
    bool is_dead; /* what follows is no path */
};

/* An instruction that is executed by rounds->lend. */
struct lending {
    struct decoded record;
    uint32_t way_out;   /* before it; the next one is after it */
    uint32_t remaining; /* turns of the path, this one included */
    size_t after;       /* the code after it */
};

struct paths {
    uint64_t generation;         /* of native code */
    const struct rounds *rounds; /* during a visit: */
    bool is_over;                /* the run has to end */
    /* The code that enters and leaves, and that which calls native_lend and then enters: they move
     * no registers. */
    size_t enter, leave, call;
    uint32_t heads[HEADS];
    struct path paths[PATHS]; /* from 1 on */
    uint32_t path_count;
    struct way_out ways_out[WAYS_OUT];
    uint32_t way_count;
    struct lending lendings[LENDINGS];
    uint32_t lending_count;
    uint32_t pcs[PLACES_OF_ALL];
    uint32_t pc_count;
};

/* Turns of the interpreter. `begin` is their index in paths.pcs. */
struct recorded {
    uint32_t begin;
    unsigned first; /* index of the thread of the first turn */
    unsigned turns;
    unsigned loop;     /* the turn that the threads came back to, if has_loop */
    uint32_t follower; /* the path that begins after them, or NO_PATH */
    bool has_loop, is_stopped;
};

static unsigned next_thread(const struct rounds *rounds)
{
    return (unsigned)((rounds->first + rounds->executed) % rounds->count);
}

static bool interpret(struct rounds *rounds, unsigned turns)
{
    return rounds->limit - rounds->executed >= turns && rounds->interpret(rounds, turns);
}

/* ---- the table ---- */

static unsigned hash(uint64_t slots, unsigned first, const uint32_t *pcs, unsigned count)
{
    uint64_t sum = slots ^ first;

    for (unsigned i = 0; i < count; i++)
        sum = (sum ^ pcs[i]) * 0x9e3779b97f4a7c15;
    return (unsigned)(sum >> 40) & (HEADS - 1);
}

/* Returns the path that begins with the turn of the thread `first` where the threads stand so, in
 * the order of turns; or NO_PATH. */
static uint32_t find(const struct paths *paths, const struct rounds *rounds, unsigned first,
                     const uint32_t *pcs)
{
    uint32_t number = paths->heads[hash(rounds->slots, first, pcs, rounds->count)];

    for (; number; number = paths->paths[number].chain) {
        const struct path *path = &paths->paths[number];
        if (path->slots == rounds->slots && path->supervisor == rounds->supervisor &&
            path->first == first &&
            memcmp(paths->pcs + path->pcs, pcs, rounds->count * sizeof *pcs) == 0)
            return number;
    }
    return NO_PATH;
}

/* Writes where the threads stand, that of the next turn first. */
static void place_threads(const struct rounds *rounds, uint32_t *pcs)
{
    unsigned thread = next_thread(rounds);

    for (unsigned i = 0; i < rounds->count; i++) {
        uint64_t pc = rounds->harts[thread]->pc;
        pcs[i] = pc < MEMORY_CODE_LIMIT ? (uint32_t)pc : NOWHERE;
        thread = thread + 1 < rounds->count ? thread + 1 : 0;
    }
}

static uint32_t find_here(const struct paths *paths, const struct rounds *rounds)
{
    uint32_t pcs[ROUNDS_THREADS];

    place_threads(rounds, pcs);
    return find(paths, rounds, next_thread(rounds), pcs);
}

static native_function native_lend;

/* Begins anew if native code was forgotten since the last time. */
static void renew(struct native *native, struct paths *paths)
{
    unsigned char bytes[HOST_FRAME_BYTES];
    struct copier *copier = &native->copier;

    if (paths->generation == native->generation)
        return;
    if (paths->path_count)
        memset(paths->heads, 0, sizeof paths->heads);
    paths->path_count = paths->way_count = paths->lending_count = paths->pc_count = 0;
    paths->generation = native->generation;
    copier->pc = PIECE_NO_PC;
    paths->leave = copier->hot;
    copier_add_bytes(copier, bytes, host_write_exit(bytes));
    paths->call = copier->hot;
    copier_add_bytes(copier, bytes, host_write_call(bytes, native_lend));
    paths->enter = copier->hot;
    copier_add_bytes(copier, bytes, host_write_entry(bytes));
    copier_finish(copier);
}

/* Is there room for two paths? */
static bool has_room(const struct native *native, const struct paths *paths)
{
    return paths->path_count + 2 < PATHS && paths->way_count + 5 * TURNS < WAYS_OUT &&
           paths->lending_count + 2 * TURNS < LENDINGS &&
           paths->pc_count + 2 * (TURNS + ROUNDS_THREADS) < PLACES_OF_ALL &&
           copier_has_room(&native->copier, 2 * TURNS * STENCIL_ROOM);
}

/* ---- the code ---- */

/* A path whose code is made. */
struct making {
    struct native *native;
    struct paths *paths;
    const struct rounds *rounds;
    struct run run; /* in which nothing is known */
    uint32_t number;
    const uint32_t *pcs;
    unsigned turns, first;
};

/* Can the instruction be a stencil in a path? That of a walk has the row as an immediate. */
static bool has_stencil(const struct native *native, const struct decoded *record)
{
    const struct shape *shape = native_shape(native, record->id);
    unsigned effects = isa_instructions[record->id].effects;
    bool reserves = access_of(record->id)->atomic && !(effects & ISA_EFFECT_STORE);
    bool is_within = !shape->is_flow || record->id == ISA_ID_JALR;

    if (shape->is_flow && shape->target >= 0)
        is_within = record->pc + (uint64_t)record->imm[shape->target] < MEMORY_CODE_LIMIT;
    return shape->has_stencil && native_has_room(record) && !(effects & ISA_EFFECT_CSR) &&
           !reserves && is_within && (!shape->is_walk || native_row_of(record) >= 0);
}

/* Can the instruction be in a path? */
static bool is_makeable(const struct native *native, const struct rounds *rounds,
                        const struct decoded *record)
{
    return record->id < PSEUDO_FIRST && native_may_make(native, record->pc) &&
           code_next_pc(record) < MEMORY_CODE_LIMIT &&
           (has_stencil(native, record) ||
            (rounds->may_lend(native->machine, record) && !native_changes_arithmetic(record)));
}

static uint32_t add_way_out(struct making *making, unsigned turn)
{
    uint32_t number = making->paths->way_count++;

    making->paths->ways_out[number] =
        (struct way_out){.path = making->number, .turn = (uint16_t)turn};
    return number;
}

static void add_glue(struct making *making, unsigned id, const struct filling *filling)
{
    copier_add(&making->native->copier, stencil_glue(id), filling);
}

/* Adds to the cold code what says that the way out is taken, and leaves. Returns where it is. */
static size_t add_leaving(struct making *making, uint32_t way_out)
{
    struct copier *copier = &making->native->copier;
    const struct filling filling = {.values = {[HOLE_VALUE] = way_out}};

    copier->leave = making->paths->leave;
    return copier_add_cold(copier, stencil_glue(STENCIL_glue_way_out), &filling);
}

/* Adds a stencil, which may leave before the instruction of the turn. */
static void add(struct making *making, const struct stencil *stencil, unsigned turn,
                const struct filling *filling)
{
    struct copier *copier = &making->native->copier;

    if (stencil->leaves) {
        copier_make_room(copier, STENCIL_BYTES, STENCIL_BYTES);
        copier->leave = add_leaving(making, add_way_out(making, turn));
    }
    copier_add(copier, stencil, filling);
}

/* Makes the instruction of the turn one that is lent. Sets *filling to that of the stencil which
 * calls native_lend. */
static struct lending *add_lending(struct making *making, const struct decoded *record,
                                   unsigned turn, struct filling *filling)
{
    struct paths *paths = making->paths;
    struct lending *lending = &paths->lendings[paths->lending_count];

    *lending = (struct lending){.record = *record, .remaining = making->turns - turn};
    lending->way_out = add_way_out(making, turn);
    add_way_out(making, turn + 1);
    *filling = (struct filling){
        .values = {[HOLE_VALUE] = paths->lending_count++, [HOLE_REMAINING] = lending->remaining}};
    making->native->copier.call = paths->call;
    return lending;
}

/* Adds the call of native_lend instead of a stencil. */
static void add_call(struct making *making, const struct decoded *record, unsigned turn)
{
    struct filling filling;
    struct lending *lending = add_lending(making, record, turn, &filling);

    add_glue(making, STENCIL_glue_call, &filling);
    lending->after = making->native->copier.hot;
}

/* Adds the stencil of the instruction of the turn. Where it leaves, the instruction is lent, and
 * control goes on after all of its code: returns the lending, whose `after` is not set yet, or
 * NULL. With `usual`, that of the turn of a walk, it is the common case only. */
static struct lending *add_or_lend(struct making *making, const struct decoded *record,
                                   unsigned turn, const struct stencil *stencil,
                                   const struct stencil *usual, const struct filling *filling)
{
    struct copier *copier = &making->native->copier;
    struct lending *lending = NULL;
    struct filling call;

    if (stencil->leaves || usual) {
        copier_make_room(copier, STENCIL_BYTES, 3 * STENCIL_BYTES);
        lending = add_lending(making, record, turn, &call);
        copier->leave = copier_add_cold(copier, stencil_glue(STENCIL_glue_rarely), &call);
    }
    if (usual)
        copier_add_common(copier, stencil, usual, true, filling);
    else
        copier_add(copier, stencil, filling);
    return lending;
}

/* Returns how many bytes after the hart of the turn that of the next one is. */
static int64_t to_next_hart(const struct making *making, unsigned turn)
{
    const struct rounds *rounds = making->rounds;
    unsigned thread = (making->first + turn) % rounds->count;

    return (char *)rounds->harts[(thread + 1) % rounds->count] - (char *)rounds->harts[thread];
}

/* After the turn, control leaves the path, in cold code, where the thread goes on at `pc`. The jump
 * that leads to the way out may lead to another path later. Returns where the code is. */
static size_t add_straying(struct making *making, unsigned turn, uint64_t pc)
{
    struct copier *copier = &making->native->copier;
    struct filling filling = {.values = {[HOLE_VALUE] = to_next_hart(making, turn),
                                         [HOLE_REMAINING] = (int64_t)(making->turns - turn - 1)}};

    copier_make_room(copier, 0, STENCIL_BYTES);
    size_t at = copier_add_cold(copier, stencil_glue(STENCIL_glue_give_back), &filling);
    copier_add_cold(copier, stencil_glue(STENCIL_glue_next_hart), &filling);
    copier_add_cold(copier, stencil_glue(STENCIL_glue_goto), &filling);
    uint32_t number = add_way_out(making, turn + 1);
    struct way_out *way_out = &making->paths->ways_out[number];
    way_out->jump = copier->taken;
    way_out->is_linkable = true;
    way_out->strays = true;
    way_out->pc = (uint32_t)pc;
    copier_link(copier, &way_out->jump, add_leaving(making, number));
    return at;
}

/* Adds a jump, after which the thread goes on at the address in a register as the path does. */
static void add_register_jump(struct making *making, const struct decoded *record, unsigned turn,
                              struct filling *filling)
{
    filling->values[HOLE_VALUE] = making->pcs[turn + making->rounds->count];
    add(making, stencil_glue(STENCIL_glue_check_target), turn, filling);
    if (record->r[0] < SINK)
        add_glue(making, STENCIL_glue_return_address, filling);
}

/* The last stencil jumps to the target of the instruction if its condition holds. */
static void add_branch_ways(struct making *making, const struct decoded *record,
                            const struct shape *shape, unsigned turn)
{
    struct copier *copier = &making->native->copier;
    const struct filling filling = {0};
    struct copier_jump taken = copier->taken, not_taken;
    uint64_t target = record->pc + (uint64_t)record->imm[shape->target],
             next = code_next_pc(record), on = making->pcs[turn + making->rounds->count];

    if (native_is_jump(record) || target == next) {
        copier_link(copier, &taken, copier->hot);
        return;
    }
    if (on == next) {
        size_t away = add_straying(making, turn, target);
        copier_link(copier, &taken, away);
        return;
    }
    add_glue(making, STENCIL_glue_goto, &filling);
    not_taken = copier->taken;
    size_t away = add_straying(making, turn, next);
    copier_link(copier, &not_taken, away);
    copier_link(copier, &taken, copier->hot);
}

/* Sets the hole for where the state is that the instruction needs besides the hart, if any: that of
 * the thread's walk, or the machine. Returns false if it is too far from the hart. */
static bool place_state(const struct making *making, const struct decoded *record, unsigned turn,
                        struct filling *filling)
{
    const struct rounds *rounds = making->rounds;
    struct hart *hart = rounds->harts[(making->first + turn) % rounds->count];
    const void *state = making->native->machine;

    if (!(isa_instructions[record->id].effects & ISA_EFFECT_UNIT))
        return true;
    if (native_shape(making->native, record->id)->is_walk)
        state = &context_of(hart)->streaks[native_row_of(record)];
    filling->values[HOLE_VALUE] = (const char *)state - (const char *)hart;
    return native_fits(filling->values[HOLE_VALUE]);
}

/* Adds the instruction of a turn. */
static void add_turn(struct making *making, unsigned turn)
{
    struct native *native = making->native;
    struct decoded record;

    native->copier.pc = making->pcs[turn];
    code_decode(&native->machine->code, &record, making->pcs[turn]);
    native_mark_pages(native, record.pc, code_next_pc(&record));
    const struct shape *shape = native_shape(native, record.id);
    struct filling filling = native_filling_of(&record);
    filling.values[HOLE_REMAINING] = (int64_t)(making->turns - turn);
    if (shape->is_flow && shape->target < 0) {
        add_register_jump(making, &record, turn, &filling);
        return;
    }
    if (!has_stencil(native, &record) || !place_state(making, &record, turn, &filling)) {
        add_call(making, &record, turn);
        return;
    }
    struct lending *lending = NULL;
    if (shape->has_floats)
        native_place_floats(native, &record, &filling);
    struct chosen chosen =
        native_choose(&making->run, &record, shape, record.id, &filling, KIND_USUAL);
    if (shape->is_flow) {
        add(making, chosen.stencil, turn, &filling);
        add_branch_ways(making, &record, shape, turn);
    } else {
        lending = add_or_lend(making, &record, turn, chosen.stencil,
                              shape->is_walk ? stencil_glue(STENCIL_glue_turn_m) : NULL, &filling);
    }
    if (shape->has_floats)
        native_keep_floats(native, &record);
    if (lending)
        lending->after = native->copier.hot;
}

/* Goes on after the last turn, at the path, or out. */
static void add_end(struct making *making, uint32_t follower)
{
    struct copier *copier = &making->native->copier;
    const struct filling filling = {
        .values = {[HOLE_VALUE] = to_next_hart(making, making->turns - 1)}};

    add_glue(making, STENCIL_glue_next_hart, &filling);
    add_glue(making, STENCIL_glue_goto, &filling);
    struct copier_jump jump = copier->taken;
    if (follower) {
        copier_link(copier, &jump, making->paths->paths[follower].code);
        return;
    }
    uint32_t number = add_way_out(making, making->turns);
    making->paths->ways_out[number].jump = jump;
    making->paths->ways_out[number].is_linkable = true;
    copier_make_room(copier, 0, STENCIL_BYTES);
    copier_link(copier, &jump, add_leaving(making, number));
}

/* Makes the path of the turns, which the follower comes after; or the path itself, if that is the
 * number that it will have. Returns its number. */
static uint32_t make(struct native *native, struct paths *paths, const struct rounds *rounds,
                     const struct path *path, uint32_t follower)
{
    uint32_t number = ++paths->path_count;
    uint32_t *head =
        &paths->heads[hash(path->slots, path->first, paths->pcs + path->pcs, path->count)];
    struct making making = {.native = native,
                            .paths = paths,
                            .rounds = rounds,
                            .run = {.native = native},
                            .number = number,
                            .pcs = paths->pcs + path->pcs,
                            .turns = path->turns,
                            .first = path->first};
    struct copier *copier = &native->copier;
    size_t leave = copier->leave, call = copier->call;
    const struct filling filling = {
        .values = {[HOLE_PC] = making.pcs[0], [HOLE_REMAINING] = (int64_t)path->turns}};

    native_close_places(native);
    copier->pc = making.pcs[0];
    copier_align(copier);
    paths->paths[number] = *path;
    paths->paths[number].chain = *head;
    paths->paths[number].code = (uint32_t)copier->hot;
    *head = number;
    add(&making, stencil_glue(STENCIL_glue_count), 0, &filling);
    for (unsigned turn = 0; turn < path->turns; turn++) {
        const struct filling next = {
            .values = {[HOLE_VALUE] = turn ? to_next_hart(&making, turn - 1) : 0}};
        if (turn && rounds->count > 1)
            add_glue(&making, STENCIL_glue_next_hart, &next);
        add_turn(&making, turn);
    }
    add_end(&making, follower);
    copier->leave = leave;
    copier->call = call;
    copier_finish(copier);
    native_place_pins(native);
    native->has_paths = true;
    native->made += path->turns;
    if (native->observers)
        native_observers_add(native->observers);
    return number;
}

/* ---- recording ---- */

/* Returns how many of the next `turns` can be in a path, before one that cannot. */
static unsigned count_makeable(const struct native *native, const struct rounds *rounds,
                               const uint32_t *pcs, unsigned turns)
{
    struct decoded record;

    for (unsigned i = 0; i < turns; i++) {
        if (pcs[i] == NOWHERE)
            return i;
        code_decode(&native->machine->code, &record, pcs[i]);
        if (!is_makeable(native, rounds, &record))
            return i;
    }
    return turns;
}

/* Are the threads at a turn of the thread with the lowest number where they were at one of these
 * turns? Remembers this turn otherwise. */
static bool is_loop(const struct paths *paths, struct recorded *recorded, unsigned count,
                    unsigned seen[LOOP_HEADS], unsigned *seen_count)
{
    const uint32_t *pcs = paths->pcs + recorded->begin;

    for (unsigned i = 0; i < *seen_count && i < LOOP_HEADS; i++)
        if (memcmp(pcs + seen[i], pcs + recorded->turns, count * sizeof *pcs) == 0) {
            recorded->loop = seen[i];
            return true;
        }
    seen[(*seen_count)++ % LOOP_HEADS] = recorded->turns;
    return false;
}

/* Records the turns that the interpreter executes, until a path begins, the threads are where they
 * were, or there are too many turns. */
static void record_turns(const struct native *native, struct paths *paths, struct rounds *rounds,
                         struct recorded *recorded)
{
    unsigned seen[LOOP_HEADS], seen_count = 0, count = rounds->count;
    uint32_t *pcs = paths->pcs + paths->pc_count;

    *recorded = (struct recorded){.begin = paths->pc_count, .first = next_thread(rounds)};
    for (;;) {
        unsigned thread = next_thread(rounds);
        uint32_t *here = pcs + recorded->turns;
        place_threads(rounds, here);
        if (thread == 0 && recorded->turns) {
            bool is_back = recorded->turns >= count && here[0] <= here[-(int)count];
            recorded->follower = find(paths, rounds, thread, here);
            recorded->has_loop = !recorded->follower && is_back &&
                                 is_loop(paths, recorded, count, seen, &seen_count);
        }
        if (recorded->follower || recorded->has_loop || recorded->turns + count > TURNS)
            return;
        unsigned turns = count_makeable(native, rounds, here, count - thread);
        if (turns && !interpret(rounds, turns)) {
            recorded->is_stopped = true;
            return;
        }
        recorded->turns += turns;
        if (turns < count - thread) {
            place_threads(rounds, pcs + recorded->turns);
            return;
        }
    }
}

/* Records turns, and makes a path of them, or two. Sets *number to the path that begins where
 * it began, or to NO_PATH. Returns false if the interpreter has to go on. */
static bool record_path(struct native *native, struct paths *paths, struct rounds *rounds,
                        bool needs_begin, uint32_t *number)
{
    struct recorded recorded;

    *number = NO_PATH;
    if (!has_room(native, paths))
        return false;
    record_turns(native, paths, rounds, &recorded);
    if (recorded.is_stopped || native->generation != paths->generation)
        return false;
    unsigned count = rounds->count;
    uint32_t follower = recorded.follower;
    struct path path = {
        .slots = rounds->slots, .supervisor = (uint8_t)rounds->supervisor, .count = (uint8_t)count};
    if (recorded.has_loop) {
        path.first = 0;
        path.pcs = recorded.begin + recorded.loop;
        path.turns = (uint16_t)(recorded.turns - recorded.loop);
        follower = make(native, paths, rounds, &path, paths->path_count + 1);
        recorded.turns = recorded.loop;
        paths->pc_count = path.pcs + path.turns + count;
    }
    if (!needs_begin || !follower)
        return follower != NO_PATH;
    if (recorded.turns == 0) {
        *number = follower;
        return true;
    }
    path.first = (uint8_t)recorded.first;
    path.pcs = recorded.begin;
    path.turns = (uint16_t)recorded.turns;
    if (paths->pc_count < recorded.begin + recorded.turns + count)
        paths->pc_count = recorded.begin + recorded.turns + count;
    *number = make(native, paths, rounds, &path, follower);
    return true;
}

/* ---- visits ---- */

/* Executes the instruction of the lending whose number is hart->native_site. Goes on after it. */
static struct native_place native_lend(struct hart *hart, int64_t left)
{
    const struct native *native = hart->barrel->native;
    struct lending *lending = &native->paths->lendings[hart->native_site];
    uint64_t generation = native->generation;

    const struct rounds *rounds = native->paths->rounds;
    uint64_t number = rounds->limit - (uint64_t)(left + lending->remaining);
    enum lent lent = rounds->lend(hart, &lending->record, number);
    if (__builtin_expect(
            lent == LENT_DONE && generation == native->generation && native_is_current(native), 1))
        return (struct native_place){native->copier.executable + lending->after, left};
    native->paths->is_over = lent == LENT_LAST;
    hart->native_site = lending->way_out + (lent != LENT_REFUSED);
    return (struct native_place){NULL, left + lending->remaining - (lent != LENT_REFUSED)};
}

/* Executes the path until native code is left. Returns the way out; *limited: it is at the
 * beginning of a path that has more turns than are left. */
static struct way_out *enter(struct native *native, struct paths *paths, struct rounds *rounds,
                             const struct path *path, bool *limited)
{
    const struct memory *memory = &native->machine->memory;
    const unsigned char *executable = native->copier.executable;
    unsigned thread = path->first;
    struct hart *last = rounds->harts[thread];

    for (unsigned i = 0; i < rounds->count; i++) {
        rounds->harts[i]->native_exit = EXIT_STEP;
        rounds->harts[i]->native_left = INT64_MIN;
    }
    last->native_left = (int64_t)(rounds->limit - rounds->executed);
    native->is_in_rounds = true;
    native_enter(last, memory->host, memory->fast, executable + paths->enter,
                 executable + path->code, native->jumps);
    native->is_in_rounds = false;
    for (unsigned i = 0; i < rounds->count; i++)
        if (i != thread && rounds->harts[i]->native_left != INT64_MIN)
            last = rounds->harts[i];
    rounds->executed = rounds->limit - (uint64_t)last->native_left;
    struct way_out *way_out = &paths->ways_out[last->native_site];
    *limited = last->native_exit == EXIT_LIMIT;
    const struct path *left = &paths->paths[way_out->path];
    const uint32_t *pcs = paths->pcs + left->pcs + way_out->turn;
    for (unsigned i = 0; i < rounds->count; i++) {
        thread = (left->first + way_out->turn + i) % rounds->count;
        rounds->harts[thread]->pc = pcs[i];
    }
    if (way_out->strays)
        rounds->harts[thread]->pc = way_out->pc;
    return way_out;
}

static void link(struct native *native, const struct paths *paths, struct way_out *way_out,
                 uint32_t number)
{
    if (!way_out->is_linkable)
        return;
    copier_link(&native->copier, &way_out->jump, paths->paths[number].code);
    copier_finish(&native->copier);
}

/* Goes on after the way out. Returns the path that begins there, or NO_PATH. */
static uint32_t go_on(struct native *native, struct paths *paths, struct rounds *rounds,
                      struct way_out *way_out)
{
    uint32_t number;

    if (paths->is_over || (!way_out->is_linkable && !interpret(rounds, 1)))
        return NO_PATH;
    if (native->generation != paths->generation || native->machine->reserved_lines)
        return NO_PATH;
    number = find_here(paths, rounds);
    if (number) {
        link(native, paths, way_out, number);
        return number;
    }
    if (way_out->is_dead || (++way_out->taken < HOT_WAY && !native->at_once))
        return NO_PATH;
    if (!record_path(native, paths, rounds, true, &number)) {
        way_out->is_dead = true;
        return NO_PATH;
    }
    if (number)
        link(native, paths, way_out, number);
    return native->generation == paths->generation ? find_here(paths, rounds) : NO_PATH;
}

/* Prepares the harts. */
static void begin(struct native *native, const struct rounds *rounds)
{
    for (unsigned i = 0; i < rounds->count; i++)
        native_prepare_hart(native, rounds->harts[i]);
}

bool native_take_rounds(struct native *native, struct rounds *rounds)
{
    uint64_t turns = 0, made = native->made;
    uint32_t number;

    if (!native->paths && !(native->paths = calloc(1, sizeof *native->paths)))
        return false;
    struct paths *paths = native->paths;
    paths->rounds = rounds;
    paths->is_over = false;
    renew(native, paths);
    if (!native_is_current(native) || !has_room(native, paths)) {
        native_forget_all(native);
        renew(native, paths);
    }
    number = find_here(paths, rounds);
    if (!number) {
        if (!record_path(native, paths, rounds, false, &number))
            return false;
        number = find_here(paths, rounds);
    }
    begin(native, rounds);
    while (number) {
        uint64_t before = rounds->executed;
        bool limited;
        struct way_out *way_out = enter(native, paths, rounds, &paths->paths[number], &limited);
        turns += rounds->executed - before;
        if (limited)
            return turns > 0; /* else the rest is for the interpreter */
        number = go_on(native, paths, rounds, way_out);
    }
    return turns >= rounds->count * WORTH + (native->made - made) * WORTH_MADE;
}

bool native_is_eager(const struct native *native)
{
    return !native || native->at_once;
}
