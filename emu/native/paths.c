/* See paths.h.
 *
 * The code of a path is made of the stencils of the instructions, with all operands in memory: no
 * register of the host holds one of the guest's, and that which points to the hart goes to the next
 * thread after each turn.
 *
 * An instruction that has no stencil, or whose stencil leaves, is executed by rounds->lend. Native
 * code is left before an instruction that the interpreter has to execute, or after one that has
 * gone another way. Each of these places, a way out, has a number, which says where all threads
 * stand. */
#include "emu/native/paths.h"
#include "emu/context.h"
#include "emu/decode/access.h"
#include "emu/native/map.h"
#include "emu/native/observers.h"
#include "standard_ids.h"

enum {
    STENCIL_ROOM = 512 /* more bytes than an instruction takes on average, without what is cold */
};

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

void paths_begin_code(struct native *native, struct paths *paths)
{
    unsigned char bytes[HOST_FRAME_BYTES];
    struct copier *copier = &native->copier;

    copier->pc = PIECE_NO_PC;
    paths->leave = copier->hot;
    copier_add_bytes(copier, bytes, host_write_exit(bytes));
    paths->call = copier->hot;
    copier_add_bytes(copier, bytes, host_write_call(bytes, native_lend));
    paths->enter = copier->hot;
    copier_add_bytes(copier, bytes, host_write_entry(bytes));
    copier_finish(copier);
}

bool paths_have_room(const struct native *native, const struct paths *paths)
{
    enum { MOST = 2 * TURNS /* instructions */ };

    return paths->path_count + 2 < PATHS && paths->way_count + 5 * MOST < WAYS_OUT &&
           paths->lending_count + 2 * MOST < LENDINGS &&
           copier_has_room(&native->copier, 2 * MOST * STENCIL_ROOM);
}

/* Where an instruction is in a path. */
struct path_position {
    unsigned turn;
    bool is_second; /* in the turn */
};

/* A path whose code is made. */
struct making {
    struct native *native;
    struct paths *paths;
    const struct rounds *rounds;
    struct run run; /* in which nothing is known */
    uint32_t number;
    const uint32_t *pcs;
    unsigned turns, first;
    int64_t distance;         /* from the hart that native code has to that of the turn */
    uint16_t left[TURNS + 1]; /* by turn: instructions from its first one to the end */
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

/* Returns what counts the executions of the instruction for the model of time, or NULL. */
static struct pipeline_site *site_of(const struct rounds *rounds, const struct decoded *record)
{
    struct keeper *keeper = rounds->keeper;

    return rounds->is_uneven ? keeper->timed_site(keeper, record)
                             : keeper->quick_site(keeper, record);
}

bool paths_may_have(const struct native *native, const struct rounds *rounds,
                    const struct decoded *record)
{
    struct keeper *keeper = rounds->keeper;

    if (record->id >= PSEUDO_FIRST)
        return false;
    /* A counter needs the number of the turn, which native code does not have. */
    bool needs_turn = rounds->is_paired && isa_instructions[record->id].effects & ISA_EFFECT_CSR;
    return !needs_turn && native_may_make(record->pc) && code_next_pc(record) < MEMORY_CODE_LIMIT &&
           (!keeper || site_of(rounds, record)) &&
           (has_stencil(native, record) ||
            (rounds->may_lend(native->machine, record) && !native_changes_arithmetic(record)));
}

/* Has the turn two instructions? */
static bool is_shared(const struct making *making, unsigned turn)
{
    const struct paths *paths = making->paths;

    return making->rounds->is_paired && turn < making->turns &&
           paths->shared[paths->paths[making->number].pcs + turn];
}

/* Returns how many instructions there are from this one to the end. */
static unsigned left_at(const struct making *making, struct path_position at)
{
    return making->left[at.turn] - at.is_second;
}

static struct path_position position_after(const struct making *making, struct path_position at)
{
    return !at.is_second && is_shared(making, at.turn) ? (struct path_position){at.turn, true}
                                                       : (struct path_position){at.turn + 1, false};
}

/* Returns where the second instruction of the turn is. */
static uint64_t second_pc(const struct making *making, unsigned turn)
{
    struct decoded first;

    code_decode(&making->native->machine->code, &first, making->pcs[turn]);
    return code_next_pc(&first);
}

static uint32_t add_way_out(struct making *making, struct path_position before)
{
    uint32_t number = making->paths->way_count++;

    making->paths->ways_out[number] = (struct way_out){
        .path = making->number,
        .pc = before.is_second ? (uint32_t)second_pc(making, before.turn) : 0,
        .turn = (uint16_t)before.turn,
        .is_open = before.is_second,
    };
    return number;
}

static void add_glue(struct making *making, unsigned id, const struct filling *filling)
{
    copier_add(&making->native->copier, stencil_glue(id), filling);
}

/* With a model of time, what counts at this turn of the path: see paths.counts. */
static struct filling counting_of(const struct making *making, unsigned turn)
{
    const struct path *path = &making->paths->paths[making->number];

    return (struct filling){.values = {[HOLE_VALUE] = (path->pcs + turn) * sizeof(uint64_t)}};
}

/* Adds to the cold code what says that the way out is taken, and leaves. Returns where it is. */
static size_t add_leaving(struct making *making, uint32_t way_out)
{
    struct copier *copier = &making->native->copier;
    const struct filling filling = {.values = {[HOLE_VALUE] = way_out}};

    copier->leave = making->paths->leave;
    return copier_add_cold(copier, stencil_glue(STENCIL_glue_way_out), &filling);
}

/* Adds a stencil, which may leave before the instruction. */
static void add(struct making *making, const struct stencil *stencil, struct path_position at,
                const struct filling *filling)
{
    struct copier *copier = &making->native->copier;

    if (stencil->leaves) {
        copier_make_room(copier, STENCIL_BYTES, STENCIL_BYTES);
        copier->leave = add_leaving(making, add_way_out(making, at));
    }
    copier_add(copier, stencil, filling);
}

/* Makes the instruction one that is lent. Sets *filling to that of the stencil which calls
 * native_lend. */
static struct lending *add_lending(struct making *making, const struct decoded *record,
                                   struct path_position at, struct filling *filling)
{
    struct paths *paths = making->paths;
    struct lending *lending = &paths->lendings[paths->lending_count];

    *lending = (struct lending){.record = *record, .remaining = left_at(making, at)};
    lending->way_out = add_way_out(making, at);
    add_way_out(making, position_after(making, at));
    *filling = (struct filling){
        .values = {[HOLE_VALUE] = paths->lending_count++, [HOLE_REMAINING] = lending->remaining}};
    making->native->copier.call = paths->call;
    return lending;
}

/* Adds the call of native_lend instead of a stencil. */
static void add_call(struct making *making, const struct decoded *record, struct path_position at)
{
    struct filling filling;
    struct lending *lending = add_lending(making, record, at, &filling);

    add_glue(making, STENCIL_glue_call, &filling);
    lending->after = making->native->copier.hot;
}

/* Adds the stencil of the instruction. Where it leaves, the instruction is lent, and control goes
 * on after all of its code: returns the lending, whose `after` is not set yet, or NULL. With
 * `usual`, that of the turn of a walk, it is the common case only. */
static struct lending *add_or_lend(struct making *making, const struct decoded *record,
                                   struct path_position at, const struct stencil *stencil,
                                   const struct stencil *usual, const struct filling *filling)
{
    struct copier *copier = &making->native->copier;
    struct lending *lending = NULL;
    struct filling call;

    if (stencil->leaves || usual) {
        copier_make_room(copier, STENCIL_BYTES, 3 * STENCIL_BYTES);
        lending = add_lending(making, record, at, &call);
        copier->leave = copier_add_cold(copier, stencil_glue(STENCIL_glue_rarely), &call);
    }
    if (usual)
        copier_add_common(copier, stencil, usual, true, filling);
    else
        copier_add(copier, stencil, filling);
    return lending;
}

/* Does the turn pass without an instruction? */
static bool passes(const struct making *making, unsigned turn)
{
    const struct paths *paths = making->paths;

    return making->rounds->is_uneven &&
           paths->stalls[paths->paths[making->number].pcs + turn] != STALL_ALL;
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
    struct filling filling = {
        .values = {
            [HOLE_VALUE] = to_next_hart(making, turn), [HOLE_REMAINING] = making->left[turn + 1]}};

    copier_make_room(copier, 0, 2 * STENCIL_BYTES);
    size_t at = copier_add_cold(copier, stencil_glue(STENCIL_glue_give_back), &filling);
    if (paths_are_counted(making->rounds) && turn + 1 < making->turns) {
        const struct filling counting = counting_of(making, turn + 1);
        copier_add_cold(copier, stencil_glue(STENCIL_glue_tally), &counting);
    }
    copier_add_cold(copier, stencil_glue(STENCIL_glue_next_hart), &filling);
    copier_add_cold(copier, stencil_glue(STENCIL_glue_goto), &filling);
    uint32_t number = add_way_out(making, (struct path_position){turn + 1, false});
    struct way_out *way_out = &making->paths->ways_out[number];
    way_out->jump = copier->taken;
    way_out->is_linkable = true;
    way_out->strays = true;
    way_out->pc = (uint32_t)pc;
    copier_link(copier, &way_out->jump, add_leaving(making, number));
    return at;
}

/* Adds a jump, after which the thread goes on at the address in a register as the path does. */
static void add_register_jump(struct making *making, const struct decoded *record,
                              struct path_position at, struct filling *filling)
{
    filling->values[HOLE_VALUE] = making->pcs[at.turn + making->rounds->count];
    add(making, stencil_glue(STENCIL_glue_check_target), at, filling);
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

/* Says where the executions of the instruction will be counted. */
static void note_site(const struct making *making, const struct decoded *record,
                      struct path_position at)
{
    struct paths *paths = making->paths;

    paths->sites[paths->paths[making->number].pcs + at.turn][at.is_second] =
        site_of(making->rounds, record);
}

static void add_instruction(struct making *making, struct path_position at)
{
    struct native *native = making->native;
    struct decoded record;

    native->copier.pc = at.is_second ? second_pc(making, at.turn) : making->pcs[at.turn];
    code_decode(&native->machine->code, &record, native->copier.pc);
    if (making->rounds->keeper)
        note_site(making, &record, at);
    native_mark_pages(native, record.pc, code_next_pc(&record));
    const struct shape *shape = native_shape(native, record.id);
    struct filling filling = native_filling_of(&record);
    filling.values[HOLE_REMAINING] = left_at(making, at);
    if (shape->is_flow && shape->target < 0) {
        add_register_jump(making, &record, at, &filling);
        return;
    }
    if (!has_stencil(native, &record) || !place_state(making, &record, at.turn, &filling)) {
        add_call(making, &record, at);
        return;
    }
    struct lending *lending = NULL;
    if (shape->has_floats)
        native_place_floats(native, &record, &filling);
    struct chosen chosen =
        native_choose(&making->run, &record, shape, record.id, &filling, KIND_USUAL);
    if (shape->is_flow) {
        add(making, chosen.stencil, at, &filling);
        add_branch_ways(making, &record, shape, at.turn);
    } else {
        lending = add_or_lend(making, &record, at, chosen.stencil,
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
    const struct filling filling = {.values = {[HOLE_VALUE] = making->distance}};

    add_glue(making, STENCIL_glue_next_hart, &filling);
    add_glue(making, STENCIL_glue_goto, &filling);
    struct copier_jump jump = copier->taken;
    if (follower) {
        copier_link(copier, &jump, making->paths->paths[follower].code);
        return;
    }
    uint32_t number = add_way_out(making, (struct path_position){making->turns, false});
    making->paths->ways_out[number].jump = jump;
    making->paths->ways_out[number].is_linkable = true;
    copier_make_room(copier, 0, STENCIL_BYTES);
    copier_link(copier, &jump, add_leaving(making, number));
}
void paths_make_code(struct native *native, struct paths *paths, const struct rounds *rounds,
                     uint32_t number, uint32_t follower)
{
    struct path *path = &paths->paths[number];
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

    for (unsigned turn = path->turns; turn-- > 0;)
        making.left[turn] =
            (uint16_t)(making.left[turn + 1] + !passes(&making, turn) + is_shared(&making, turn));
    const struct filling filling = {
        .values = {[HOLE_PC] = making.pcs[0], [HOLE_REMAINING] = making.left[0]}};

    native_close_places(native);
    copier->pc = making.pcs[0];
    copier_align(copier);
    path->code = (uint32_t)copier->hot;
    add(&making, stencil_glue(STENCIL_glue_count), (struct path_position){0}, &filling);
    if (paths_are_counted(rounds)) {
        const struct filling counting = counting_of(&making, 0);
        add_glue(&making, STENCIL_glue_tally, &counting);
    }
    for (unsigned turn = 0; turn < path->turns; turn++) {
        if (passes(&making, turn)) {
            paths->sites[path->pcs + turn][0] = NULL;
        } else {
            const struct filling next = {.values = {[HOLE_VALUE] = making.distance}};
            if (making.distance)
                add_glue(&making, STENCIL_glue_next_hart, &next);
            making.distance = 0;
            add_instruction(&making, (struct path_position){turn, false});
            if (is_shared(&making, turn))
                add_instruction(&making, (struct path_position){turn, true});
        }
        making.distance += to_next_hart(&making, turn);
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
}
