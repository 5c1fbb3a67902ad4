/* Walks through two lossless traces side by side. Instructions that belong together are compared;
 * where the traces took different paths, the walk looks ahead for the place where they meet again.
 */
#include "emu/tdiff/lossless.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* After so many, only near places are searched, so that the walk ends soon. */
enum { MOST_LOOKED = 1 << 24 };
enum {
    FIRST_WINDOW = 1 << 8,
    LAST_WINDOW = 1 << 18,
    WINDOW_STEP = 1 << 5,
    AGREE = 8,
    MOST_ALIKE = 64, /* instructions of a block at another place */
    THREAD_BITS = 48
};

/* ---- what is kept ---- */

static struct function *function_of(struct lossless *walk, unsigned which)
{
    struct side *side = &walk->sides[which];
    struct code *code = side_code(side, &side->record);

    if (!code->function) {
        const char *name = side_function(side, side->record.pc);
        struct map_entry *entry = map_entry(&walk->functions, name, strlen(name));
        if (!entry->value) {
            struct function *function = arena_new(&walk->tdiff->arena, struct function);
            function->name = name;
            entry->value = function;
        }
        code->function = entry->value;
    }
    return code->function;
}

/* Adds the difference, or counts it if there was one at the same pcs. Returns the one that is kept.
 */
static struct difference *keep_difference(struct lossless *walk,
                                          const struct difference *difference)
{
    const uint64_t key[] = {difference->kind, difference->pcs[0], difference->pcs[1]};
    struct map_entry *entry = map_entry(&walk->places, (const char *)key, sizeof key);
    struct difference *kept = entry->value;

    if (kept) {
        kept->count++;
        for (unsigned i = 0; i < 2; i++)
            kept->lengths[i] += difference->lengths[i];
        if (difference->most_ulps > kept->most_ulps)
            kept->most_ulps = difference->most_ulps;
        return kept;
    }
    entry->value = kept = arena_new(&walk->tdiff->arena, struct difference);
    *kept = *difference;
    kept->count = 1;
    walk->differences = arena_grow(&walk->tdiff->arena, walk->differences, walk->count,
                                   &walk->capacity, sizeof(struct difference *));
    walk->differences[walk->count++] = kept;
    return kept;
}

static void begin(const struct lossless *walk, struct difference *difference,
                  enum difference_kind kind)
{
    difference->kind = kind;
    difference->lane_count = difference->source_count = 0;
    difference->event = 0;
    difference->has_more = false;
    difference->element_count = difference->different_count = difference->most_ulps = 0;
    for (unsigned i = 0; i < 2; i++) {
        const struct side *side = &walk->sides[i];
        bool is_there = side->number != NO_NUMBER;
        difference->numbers[i] = difference->at[i] = side->number;
        difference->sequence[i] = is_there ? side->record.sequence : 0;
        difference->pcs[i] = is_there ? side->record.pc : 0;
        difference->lengths[i] = 0;
    }
}

static void blame(struct lossless *walk, unsigned which, struct difference *difference, bool is_new)
{
    struct function *function = function_of(walk, which);

    function->different++;
    if (!function->first)
        function->first = difference;
    if (is_new && event_root(walk, difference->event) == difference->event)
        function->causes++;
}

/* ---- instructions that belong together ---- */

static bool belong_together(const struct lossless *walk)
{
    const struct ttrace_record *a = &walk->sides[0].record, *b = &walk->sides[1].record;

    if ((a->flags | b->flags) & TTRACE_START)
        return a->flags & b->flags & TTRACE_START;
    return (walk->tdiff->is_by_thread || a->thread == b->thread) &&
           moved_pc(&walk->moved, 0, a->pc) == b->pc && !((a->flags ^ b->flags) & TTRACE_INTERRUPT);
}

static bool codes_equal(struct lossless *walk)
{
    struct side *sides = walk->sides;
    const struct ttrace_record *a = &sides[0].record, *b = &sides[1].record;

    if ((a->word == b->word && a->length == b->length) || walk->tdiff->ignore_encoding)
        return true;
    return walk->moved.is_on && codes_alike(side_code(&sides[0], a), side_code(&sides[1], b));
}

/* In a barrel, the same instruction should have the same turn, unless threads are compared alone or
 * other code takes other turns. */
static void compare_turns(struct lossless *walk, struct difference *difference)
{
    const struct side *a = &walk->sides[0], *b = &walk->sides[1];
    const uint32_t none[2] = {0, 0};

    if (walk->tdiff->is_by_thread || walk->moved.is_on || !a->trace.workers || !b->trace.workers ||
        a->record.turn == b->record.turn || difference->lane_count == LANES)
        return;
    difference->lanes[difference->lane_count++] = (struct lane){
        .place = "turn",
        .values = {arena_format(&walk->tdiff->arena, "%" PRIu64, a->record.turn),
                   arena_format(&walk->tdiff->arena, "%" PRIu64, b->record.turn)},
        .note = "",
    };
    if (!difference->event)
        difference->event = event_add(walk, difference->numbers, difference->pcs, none);
}

static void compare_pair(struct lossless *walk)
{
    struct difference difference;
    size_t before = walk->count;

    if (!(walk->sides[0].record.flags & TTRACE_START)) {
        function_of(walk, 0)->compared++;
        walk->compared++;
    }
    walk->extra[0] = walk->extra[1] = 0;
    bool is_code = !codes_equal(walk);
    begin(walk, &difference, is_code ? DIFFERENCE_CODE : DIFFERENCE_VALUE);
    effects_compare(walk, &difference);
    compare_turns(walk, &difference);
    if (!difference.event && !is_code)
        return;
    if (is_code) { /* its effects come from another instruction, so it is a cause itself */
        const uint32_t none[2] = {0, 0};
        if (!difference.event)
            difference.event = event_add(walk, difference.numbers, difference.pcs, none);
        memset(walk->events[difference.event].parents, 0, sizeof none);
        event_set_argument(walk, difference.event, false);
    } else if (walk->moved.is_on) {
        const struct event *event = &walk->events[difference.event];
        if (!event->parents[0])
            event_set_argument(walk, difference.event, effects_read_arguments(walk));
        if (event->is_argument) {
            walk->left_out++;
            return;
        }
    }
    struct difference *kept = keep_difference(walk, &difference);
    blame(walk, 0, kept, walk->count > before);
}

/* Is what was found all that is wanted? Where the code is different, the first value that differs
 * is wanted, too. */
static bool is_enough(const struct lossless *walk)
{
    if (walk->tdiff->has_all || walk->count == 0)
        return false;
    const struct difference *last = walk->differences[walk->count - 1];
    return !walk->moved.is_on || (last->kind != DIFFERENCE_EXTRA && last->kind != DIFFERENCE_CODE);
}

/* ---- instructions of one trace ---- */

/* Passes an instruction that only this trace has. */
static bool pass(struct lossless *walk, unsigned which, uint32_t event)
{
    function_of(walk, which)->only[which]++;
    effects_extra(walk, which, event);
    return side_next(&walk->sides[which]);
}

/* Passes code that only one of the programs has. */
static bool pass_extra(struct lossless *walk, unsigned which)
{
    struct difference difference;
    size_t before = walk->count;
    struct side *side = &walk->sides[which];
    uint32_t parents[2];
    bool good = true;

    begin(walk, &difference, DIFFERENCE_EXTRA);
    difference.numbers[!which] = NO_NUMBER;
    difference.pcs[!which] = 0;
    while (good && side->number != NO_NUMBER &&
           moved_pc(&walk->moved, which, side->record.pc) == NO_NUMBER) {
        uint64_t numbers[2] = {NO_NUMBER, NO_NUMBER}, pcs[2] = {0, 0};
        numbers[which] = side->number;
        pcs[which] = side->record.pc;
        effects_inputs(walk, which, parents);
        uint32_t event = event_add(walk, numbers, pcs, parents);
        if (difference.lengths[which]++ == 0) {
            function_of(walk, which)->different++;
            difference.event = event;
        }
        walk->extra[which] = event;
        good = pass(walk, which, event);
    }
    struct difference *kept = keep_difference(walk, &difference);
    if (walk->count > before) {
        struct map_entry *entry;
        const char *name = side_function(side, difference.pcs[which]);
        entry = map_entry(&walk->functions, name, strlen(name));
        struct function *function = entry->value;
        function->causes += event_root(walk, kept->event) == kept->event;
        if (!function->first)
            function->first = kept;
    }
    return good;
}

/* Drops the pcs of records that were passed. */
static void drop_passed(struct ahead *ahead, uint64_t number)
{
    uint64_t passed = number - ahead->first;

    if (number < ahead->first || passed > ahead->count) {
        passed = ahead->count;
        ahead->has_ended = false;
    }
    ahead->begin += passed;
    ahead->count -= passed;
    ahead->first = number;
}

/* Makes room for `window` pcs. */
static void make_room(struct ahead *ahead, size_t window)
{
    if (ahead->begin + window <= ahead->capacity)
        return;
    if (2 * window > ahead->capacity) {
        ahead->capacity = 2 * window;
        ahead->pcs = reallocarray(ahead->pcs, ahead->capacity, sizeof *ahead->pcs);
        if (!ahead->pcs)
            end_without_memory();
    }
    memmove(ahead->pcs, ahead->pcs + ahead->begin, ahead->count * sizeof *ahead->pcs);
    ahead->begin = 0;
}

static bool look_ahead(struct lossless *walk, unsigned which, size_t window)
{
    struct side *side = &walk->sides[which];
    struct ahead *ahead = &walk->ahead[which];
    struct ttrace_record record;

    uint64_t next = side->number;
    drop_passed(ahead, side->number);
    if (side->thread) { /* the records between are those of other threads */
        ahead->count = 0;
        ahead->has_ended = false;
    }
    make_room(ahead, window);
    while (ahead->count < window && !ahead->has_ended) {
        uint64_t number = side->thread ? next++ : side->number + ahead->count;
        if (number >= side->trace.record_count) {
            ahead->has_ended = true;
            break;
        }
        if (!side_record(side, &ahead->decoder, number, &record))
            return false;
        if (!side_wants(side, &record))
            continue;
        uint64_t pc = moved_pc(&walk->moved, which, record.pc);
        if (pc != NO_NUMBER && which == 0)
            pc = record.pc;
        bool is_there = pc != NO_NUMBER && !(record.flags & TTRACE_INTERRUPT);
        ahead->pcs[ahead->begin + ahead->count++] =
            is_there ? pc ^ (side->thread ? 0 : (uint64_t)record.thread << THREAD_BITS) : 0;
    }
    return true;
}

/* Do both go on alike from there? */
static bool agree(const struct ahead *ahead, size_t i, size_t j)
{
    const uint64_t *a = ahead[0].pcs + ahead[0].begin, *b = ahead[1].pcs + ahead[1].begin;

    for (unsigned same = 0; same < AGREE; i++, j++, same++) {
        while (i < ahead[0].count && a[i] == 0)
            i++;
        while (j < ahead[1].count && b[j] == 0)
            j++;
        if (i >= ahead[0].count || j >= ahead[1].count)
            return i >= ahead[0].count && j >= ahead[1].count && ahead[0].has_ended &&
                   ahead[1].has_ended;
        if (a[i] != b[j])
            return false;
    }
    return true;
}

/* The first place of each pc in one of the traces. */
struct places {
    struct {
        uint64_t pc;
        size_t place; /* plus 1 */
    } * slots;
    size_t mask;
};

static size_t *find_place(const struct places *places, uint64_t pc)
{
    size_t slot = (size_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 32) & places->mask;

    while (places->slots[slot].place && places->slots[slot].pc != pc)
        slot = (slot + 1) & places->mask;
    places->slots[slot].pc = pc;
    return &places->slots[slot].place;
}

/* Finds the nearest place where both traces go on alike. */
static bool find_meeting(const struct ahead *ahead, size_t *steps)
{
    struct places places[2];
    size_t size = 4, longest = ahead[ahead[0].count < ahead[1].count].count;
    bool found = false;

    while (size < 4 * longest)
        size *= 2;
    for (unsigned i = 0; i < 2; i++) {
        places[i].mask = size - 1;
        places[i].slots = new_array(size, sizeof *places[i].slots);
    }
    for (size_t k = 0; !found && k < longest; k++) {
        for (unsigned which = 0; !found && which < 2; which++) {
            uint64_t pc = k < ahead[which].count ? ahead[which].pcs[ahead[which].begin + k] : 0;
            if (!pc)
                continue;
            size_t *own = find_place(&places[which], pc);
            if (!*own)
                *own = k + 1;
            size_t other = *find_place(&places[!which], pc);
            steps[which] = k;
            steps[!which] = other - 1;
            found = other && (steps[0] || steps[1]) && agree(ahead, steps[0], steps[1]);
        }
    }
    free(places[0].slots);
    free(places[1].slots);
    return found;
}

/* Looks for the place where the traces meet again. Returns false after a diagnostic. */
static bool find_steps(struct lossless *walk, size_t *steps, bool *found)
{
    bool good = true;

    *found = false;
    for (size_t window = FIRST_WINDOW; good && !*found && window <= LAST_WINDOW;
         window *= WINDOW_STEP) {
        if (window > FIRST_WINDOW && walk->looked > MOST_LOOKED)
            break;
        walk->looked += window;
        for (unsigned i = 0; good && i < 2; i++)
            good = look_ahead(walk, i, window);
        *found = good && find_meeting(walk->ahead, steps);
    }
    return good;
}

/* Passes what extra code executes in functions that both programs have, and more extra code. */
static bool pass_called(struct lossless *walk, unsigned which, size_t steps)
{
    const struct side *side = &walk->sides[which];
    bool good = true;

    for (; good && steps; steps--) {
        uint64_t numbers[2] = {NO_NUMBER, NO_NUMBER}, pcs[2] = {0, 0};
        uint32_t parents[2];
        numbers[which] = side->number;
        pcs[which] = side->record.pc;
        effects_inputs(walk, which, parents);
        if (!parents[0] && moved_pc(&walk->moved, which, side->record.pc) != NO_NUMBER)
            parents[0] = walk->extra[which];
        good = pass(walk, which, event_add(walk, numbers, pcs, parents));
    }
    return good;
}

static bool pass_steps(struct lossless *walk, const size_t *steps, uint32_t event)
{
    bool good = true;

    for (unsigned i = 0; i < 2; i++)
        for (size_t step = 0; good && step < steps[i]; step++)
            good = pass(walk, i, event);
    return good;
}

/* Counts a difference of paths for the function where it began. */
static void blame_path(struct lossless *walk, const struct difference *kept, bool is_new)
{
    const char *name = side_function(&walk->sides[0], kept->pcs[0]);
    struct function *function = map_get(&walk->functions, name);

    if (!function)
        return;
    function->different++;
    if (is_new && event_root(walk, kept->event) == kept->event)
        function->causes++;
    if (!function->first)
        function->first = kept;
}

static bool records_alike(struct lossless *walk, const struct ttrace_record *records)
{
    return records[0].thread == records[1].thread &&
           !((records[0].flags | records[1].flags) & (TTRACE_INTERRUPT | TTRACE_START)) &&
           codes_alike(side_code(&walk->sides[0], &records[0]),
                       side_code(&walk->sides[1], &records[1]));
}

/* Finds how many instructions that are alike both traces go on with, before those that belong
 * together: a block of a function is at another place. 0: they go on with others. Returns false
 * after a diagnostic. */
static bool find_alike(struct lossless *walk, size_t *count)
{
    struct side *sides = walk->sides;

    *count = 0;
    if (!walk->moved.is_on || sides[0].thread || sides[1].thread)
        return true;
    for (size_t step = 0; step < MOST_ALIKE; step++) {
        struct ttrace_record records[2];
        for (unsigned i = 0; i < 2; i++) {
            if (sides[i].number + step >= sides[i].trace.record_count)
                return true;
            if (!side_record(&sides[i], &walk->ahead[i].decoder, sides[i].number + step,
                             &records[i]))
                return false;
        }
        if (step && moved_pc(&walk->moved, 0, records[0].pc) == records[1].pc) {
            *count = step;
            return true;
        }
        if (!records_alike(walk, records))
            return true;
    }
    return true;
}

static bool compare_steps(struct lossless *walk, size_t steps)
{
    bool good = true;

    for (; good && steps && !is_enough(walk); steps--) {
        compare_pair(walk);
        good = side_next(&walk->sides[0]) && side_next(&walk->sides[1]);
    }
    return good;
}

/* The traces took different paths: passes what each has until they meet. */
static bool part(struct lossless *walk)
{
    struct difference difference;
    size_t steps[2] = {0, 0}, before = walk->count;
    bool found;

    if (!find_alike(walk, &steps[0]))
        return false;
    if (steps[0])
        return compare_steps(walk, steps[0]);
    if (!find_steps(walk, steps, &found))
        return false;
    for (unsigned i = 0; i < 2; i++) /* functions that extra code calls belong to it */
        if (found && walk->extra[i] && steps[!i] == 0)
            return pass_called(walk, i, steps[i]);
    begin(walk, &difference, DIFFERENCE_PATH);
    difference.event = event_add(walk, difference.numbers, difference.pcs, walk->parents);
    walk->has_parted = !found;
    if (found) {
        difference.lengths[0] = steps[0];
        difference.lengths[1] = steps[1];
        if (!pass_steps(walk, steps, difference.event))
            return false;
    }
    if (found && walk->events[difference.event].is_argument)
        walk->left_out++;
    else
        blame_path(walk, keep_difference(walk, &difference), walk->count > before);
    return true;
}

/* ---- the walk ---- */

bool walk_traces(struct lossless *walk)
{
    struct side *a = &walk->sides[0], *b = &walk->sides[1];
    bool good = true;

    while (good && !walk->has_parted && !is_enough(walk) && a->number != NO_NUMBER &&
           b->number != NO_NUMBER) {
        if (belong_together(walk)) {
            compare_pair(walk);
            good = side_next(a) && side_next(b);
        } else if (moved_pc(&walk->moved, 0, a->record.pc) == NO_NUMBER) {
            good = pass_extra(walk, 0);
        } else if (moved_pc(&walk->moved, 1, b->record.pc) == NO_NUMBER) {
            good = pass_extra(walk, 1);
        } else {
            good = part(walk);
        }
    }
    if (good && !walk->has_parted && !is_enough(walk) &&
        (a->number == NO_NUMBER) != (b->number == NO_NUMBER)) {
        struct difference difference;
        begin(walk, &difference, DIFFERENCE_END);
        keep_difference(walk, &difference);
    }
    return good;
}
