/* See rounds.h.
 *
 * A path is found by recording the turns that the interpreter executes (record_turns), until the
 * threads stand where another path begins, or where they stood before. paths.c makes its code. */
#include "emu/native/paths.h"

#include <stdlib.h>

enum {
    LOOP_HEADS =
        32,      /* so many places where a loop may begin are remembered while turns are recorded */
    HOT_WAY = 4, /* so often a way out is taken before what follows becomes a path */
    WORTH = 64,  /* turns of each thread for which a visit is worth its costs, */
    WORTH_MADE = 256, /* and turns for each one that became native code in it */
    NOWHERE = 1,      /* instead of a pc outside the address space: no instruction is there */
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
    return (unsigned)((rounds->first + rounds->turns) % rounds->count);
}

static bool interpret(struct rounds *rounds, unsigned turns)
{
    return rounds->limit - rounds->executed >= (rounds->is_paired ? 2 * turns : turns) &&
           rounds->interpret(rounds, turns);
}

/* ---- the table ---- */

static unsigned hash(uint64_t slots, unsigned first, const uint32_t *pcs, const uint32_t *times,
                     unsigned count)
{
    uint64_t sum = slots ^ first;

    for (unsigned i = 0; i < count; i++)
        sum = (sum ^ pcs[i] ^ (uint64_t)times[i] << 32) * 0x9e3779b97f4a7c15;
    return (unsigned)(sum >> 40) & (HEADS - 1);
}

/* Returns the path that begins with the turn of the thread `first` where the threads stand so, in
 * the order of turns; or NO_PATH. */
static uint32_t find(const struct paths *paths, const struct rounds *rounds, unsigned first,
                     const uint32_t *pcs, const uint32_t *times)
{
    uint32_t number = paths->heads[hash(rounds->slots, first, pcs, times, rounds->count)];

    for (; number; number = paths->paths[number].chain) {
        const struct path *path = &paths->paths[number];
        if (path->slots == rounds->slots && path->supervisor == rounds->supervisor &&
            path->first == first &&
            memcmp(paths->pcs + path->pcs, pcs, rounds->count * sizeof *pcs) == 0 &&
            memcmp(paths->times + path->pcs, times, rounds->count * sizeof *times) == 0)
            return number;
    }
    return NO_PATH;
}

/* Writes where the threads stand, that of the next turn first, and in which states. Returns false
 * if no path can begin there. */
static bool place_threads(const struct rounds *rounds, uint32_t *pcs, uint32_t *times)
{
    unsigned thread = next_thread(rounds);
    bool is_known = true;

    for (unsigned i = 0; i < rounds->count; i++) {
        uint64_t pc = rounds->harts[thread]->pc;
        pcs[i] = pc < MEMORY_CODE_LIMIT ? (uint32_t)pc : NOWHERE;
        thread = thread + 1 < rounds->count ? thread + 1 : 0;
        times[i] = 0;
    }
    if (rounds->is_uneven)
        rounds->find_times(rounds, times);
    for (unsigned i = 0; i < rounds->count; i++)
        is_known = is_known && times[i] != NO_TIME;
    return is_known;
}

static uint32_t find_here(const struct paths *paths, const struct rounds *rounds)
{
    uint32_t pcs[ROUNDS_THREADS], times[ROUNDS_THREADS];

    return place_threads(rounds, pcs, times) ? find(paths, rounds, next_thread(rounds), pcs, times)
                                             : NO_PATH;
}

/* ---- counting for the model of time ---- */

/* Returns how often the turn of a path was executed since the last time. `before` says this of the
 * turn before it, if it is not the first one. */
static uint64_t take_count(struct paths *paths, const struct path *path, unsigned turn,
                           uint64_t before)
{
    uint32_t place = path->pcs + turn;
    uint64_t executions = turn == 0 ? paths->counts[place] : before - paths->counts[place];

    paths->counts[place] = 0;
    if (paths->sites[place][0]) {
        paths->sites[place][0]->count += executions;
        paths->sites[place][0]->decode_cycles += executions;
    }
    return executions;
}

/* The same for the second instruction of the turn, which was executed so often. */
static uint64_t take_second_count(struct paths *paths, uint32_t place, uint64_t executions)
{
    executions -= paths->opened[place];
    paths->opened[place] = 0;
    if (paths->sites[place][1])
        paths->sites[place][1]->count += executions;
    return executions;
}

/* Are the turns of the path uneven, of which rounds->arrive is told? */
static bool is_uneven(const struct paths *paths, const struct path *path)
{
    return paths->times[path->pcs] != 0;
}

static void tell_path(struct paths *paths, const struct path *path)
{
    uint64_t executions = 0;

    for (unsigned turn = 0; turn < path->turns; turn++)
        executions = take_count(paths, path, turn, executions);
}

static void tell_paths(struct paths *paths)
{
    for (uint32_t number = 1; number <= paths->path_count; number++)
        if (!is_uneven(paths, &paths->paths[number]))
            tell_path(paths, &paths->paths[number]);
}

/* Tells the model how often turns of a path passed, and adds up the others. */
static void tell_uneven(struct paths *paths, const struct rounds *rounds, const struct path *path,
                        struct rounds_arrival *arrival)
{
    uint64_t executions = 0;

    for (unsigned turn = 0; turn < path->turns; turn++) {
        unsigned thread = (path->first + turn) % rounds->count;
        uint32_t place = path->pcs + turn;
        enum pipeline_stall stall = paths->stalls[place];
        executions = take_count(paths, path, turn, executions);
        arrival->turns += executions;
        if (stall != STALL_ALL) {
            rounds->keeper->rest(rounds->keeper, rounds->numbers[thread], stall, executions);
            continue;
        }
        uint64_t second = paths->shared[place] ? take_second_count(paths, place, executions) : 0;
        arrival->executed[thread] += executions + second;
        arrival->shared[thread] += second;
    }
}

void native_tell_rounds(struct native *native)
{
    if (native->paths)
        tell_paths(native->paths);
}

/* Control has left a path here, which no code has counted. */
static void count_way_out(struct paths *paths, const struct way_out *way_out)
{
    const struct path *path = &paths->paths[way_out->path];
    unsigned turn = way_out->turn;

    if (way_out->is_open)
        paths->opened[path->pcs + turn++]++;
    if (turn == 0)
        paths->counts[path->pcs]--;
    else if (turn < path->turns)
        paths->counts[path->pcs + turn]++;
}

/* ---- the beginning ---- */

/* Begins anew if native code was forgotten since the last time. */
static void renew(struct native *native, struct paths *paths)
{
    if (paths->generation == native->generation)
        return;
    if (paths->rounds->keeper)
        tell_paths(paths);
    if (paths->path_count)
        memset(paths->heads, 0, sizeof paths->heads);
    paths->path_count = paths->way_count = paths->lending_count = paths->pc_count = 0;
    paths->generation = native->generation;
    paths_begin_code(native, paths);
}

/* Is there room for two paths? */
static bool has_room(const struct native *native, const struct paths *paths)
{
    return paths->pc_count + 2 * (TURNS + ROUNDS_THREADS) < PLACES_OF_ALL &&
           paths_have_room(native, paths);
}

/* Makes the path of the turns, which the follower comes after; or the path itself, if that is the
 * number that it will have. Returns its number. */
static uint32_t make(struct native *native, struct paths *paths, const struct rounds *rounds,
                     const struct path *path, uint32_t follower)
{
    uint32_t number = ++paths->path_count;
    uint32_t *head = &paths->heads[hash(path->slots, path->first, paths->pcs + path->pcs,
                                        paths->times + path->pcs, path->count)];

    paths->paths[number] = *path;
    paths->paths[number].chain = *head;
    *head = number;
    paths_make_code(native, paths, rounds, number, follower);
    return number;
}

/* ---- recording ---- */

/* Can the instruction after this one be in a path, if they may be a bundle? */
static bool may_have_second(const struct native *native, const struct rounds *rounds,
                            const struct decoded *first)
{
    struct decoded second;

    code_decode(&native->machine->code, &second, code_next_pc(first));
    return !rounds->may_share(native->machine, first, &second) ||
           paths_may_have(native, rounds, &second);
}

/* Returns how many of the next `turns` can be in a path, before one that cannot. */
static unsigned count_makeable(const struct native *native, const struct rounds *rounds,
                               const uint32_t *pcs, unsigned turns)
{
    struct decoded record;

    for (unsigned i = 0; i < turns; i++) {
        if (pcs[i] == NOWHERE)
            return i;
        code_decode(&native->machine->code, &record, pcs[i]);
        if (!paths_may_have(native, rounds, &record) ||
            (rounds->is_paired && !may_have_second(native, rounds, &record)))
            return i;
    }
    return turns;
}

/* Are the threads at a turn of the thread with the lowest number where they were at one of these
 * turns? Remembers this turn otherwise. */
static bool is_loop(const struct paths *paths, struct recorded *recorded, unsigned count,
                    unsigned seen[LOOP_HEADS], unsigned *seen_count)
{
    const uint32_t *pcs = paths->pcs + recorded->begin, *times = paths->times + recorded->begin;

    for (unsigned i = 0; i < *seen_count && i < LOOP_HEADS; i++)
        if (memcmp(pcs + seen[i], pcs + recorded->turns, count * sizeof *pcs) == 0 &&
            memcmp(times + seen[i], times + recorded->turns, count * sizeof *times) == 0) {
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
    uint32_t *pcs = paths->pcs + paths->pc_count, *times = paths->times + paths->pc_count;
    uint8_t *stalls = paths->stalls + paths->pc_count;
    bool *shared = paths->shared + paths->pc_count;

    *recorded = (struct recorded){.begin = paths->pc_count, .first = next_thread(rounds)};
    for (;;) {
        unsigned thread = next_thread(rounds);
        uint32_t *here = pcs + recorded->turns;
        if (!place_threads(rounds, here, times + recorded->turns))
            return;
        if (thread == 0 && recorded->turns) {
            bool is_back = recorded->turns >= count && here[0] <= here[-(int)count];
            recorded->follower = find(paths, rounds, thread, here, times + recorded->turns);
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
        memcpy(stalls + recorded->turns, rounds->stalls, turns);
        memcpy(shared + recorded->turns, rounds->shared, turns * sizeof *shared);
        recorded->turns += turns;
        if (turns < count - thread)
            return;
    }
}

/* Records turns, and makes a path of them, or two. Sets *number to the path that begins where
 * it began, or to NO_PATH. Returns false if the interpreter has to go on: so it has after code was
 * changed, since the instructions that are there now may go on elsewhere than those recorded. */
static bool record_path(struct native *native, struct paths *paths, struct rounds *rounds,
                        bool needs_begin, uint32_t *number)
{
    uint64_t drops = native->machine->code.drops;
    struct recorded recorded;

    *number = NO_PATH;
    if (!has_room(native, paths))
        return false;
    record_turns(native, paths, rounds, &recorded);
    if (recorded.is_stopped || native->generation != paths->generation ||
        native->machine->code.drops != drops)
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

/* Sets what a thread has executed after the state in which it is in the arrival. */
static void find_late(const struct native *native, const struct paths *paths, uint32_t place,
                      bool is_open, struct rounds_arrival *arrival)
{
    const struct code *code = &native->machine->code;
    struct decoded *late = arrival->late;

    arrival->is_open = is_open;
    arrival->late_count = !is_open && paths->shared[place] ? 2 : 1;
    code_decode(code, &late[0], paths->pcs[place]);
    if (arrival->late_count == 2)
        code_decode(code, &late[1], code_next_pc(&late[0]));
}

/* Control has left at the way out, of a path whose turns are uneven. */
static void arrive(const struct native *native, struct paths *paths, struct rounds *rounds,
                   const struct way_out *way_out)
{
    uint32_t place = paths->paths[way_out->path].pcs + way_out->turn;
    struct rounds_arrival arrival = {0};

    for (uint32_t number = 1; number <= paths->path_count; number++)
        if (is_uneven(paths, &paths->paths[number]) && paths->counts[paths->paths[number].pcs])
            tell_uneven(paths, rounds, &paths->paths[number], &arrival);
    memcpy(arrival.times, paths->times + place, rounds->count * sizeof *arrival.times);
    arrival.turns -= way_out->is_open;
    if (way_out->is_open)
        find_late(native, paths, place, true, &arrival);
    if (way_out->strays) {
        arrival.times[rounds->count - 1] = paths->times[place - 1];
        find_late(native, paths, place - 1, false, &arrival);
    }
    rounds->arrive(rounds, &arrival);
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
    uint64_t before = rounds->executed;
    rounds->executed = rounds->limit - (uint64_t)last->native_left;
    struct way_out *way_out = &paths->ways_out[last->native_site];
    *limited = last->native_exit == EXIT_LIMIT;
    if (paths_are_counted(rounds) && !*limited && !way_out->strays)
        count_way_out(paths, way_out);
    const struct path *left = &paths->paths[way_out->path];
    const uint32_t *pcs = paths->pcs + left->pcs + way_out->turn;
    for (unsigned i = 0; i < rounds->count; i++) {
        thread = (left->first + way_out->turn + i) % rounds->count;
        rounds->harts[thread]->pc = pcs[i];
    }
    if (way_out->strays)
        rounds->harts[thread]->pc = way_out->pc;
    if (way_out->is_open)
        rounds->harts[(left->first + way_out->turn) % rounds->count]->pc = way_out->pc;
    if (rounds->is_uneven)
        arrive(native, paths, rounds, way_out);
    else
        rounds->turns += rounds->executed - before;
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
    for (unsigned i = 0; i < rounds->count; i++) {
        native_prepare_hart(native, rounds->harts[i]);
        rounds->harts[i]->tallies = native->paths->counts;
    }
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
