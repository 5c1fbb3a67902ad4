/* Runs of blocks: from an address on, past branches that are not taken and along jumps. See
 * parts.h. */
#include "emu/native/observers.h"
#include "emu/native/parts.h"
#include "emu/observe/watch.h"

/* Makes what leads to the code of the entry, which is simple, lead to this code. */
static void replace(struct native *native, const struct entry *entry, size_t code)
{
    struct copier *copier = &native->copier;
    struct native_jump *jump = &native->jumps[(entry->pc >> 1) % NATIVE_JUMPS];

    copier_replace(copier, stencil_glue(STENCIL_glue_count_simple), entry->code, code);
    for (uint32_t link = entry->link; link; link = native->links[link].next)
        copier_link(copier, &native->links[link].jump, code);
    if (jump->pc == entry->pc)
        jump->code = (void (*)(void))(uintptr_t)(copier->executable + code);
}

/* The code of the address comes next. Its counter is 0 if it is not simple. */
static void add_entry(struct native *native, uint64_t pc, uint32_t counter)
{
    struct entry *entry = native_find_entry(native, pc);
    size_t code = native->copier.hot;

    if (entry->counter)
        replace(native, entry, code);
    native->entry_count += entry->code == 0;
    *entry = (struct entry){(uint32_t)pc, (uint32_t)code, .counter = counter};
    if (native->entry_count <= native->entry_room / 2 || native->entry_room == ENTRIES)
        return;
    const struct entry *old = native->entries + native->entry_room;
    native->entry_room *= 2;
    arena_populate(native->entries + native->entry_room,
                   native->entry_room * sizeof *native->entries); /* most pages get some */
    for (size_t i = 0; i < native->entry_room / 2; i++)
        if (old[i].code)
            *native_find_entry(native, old[i].pc) = old[i];
}

void native_link(struct native *native, const struct copier_jump *jump, bool is_back, uint64_t pc,
                 size_t code)
{
    struct entry *entry = native_find_entry(native, pc);
    uint32_t *counter = &native->counters[entry->counter];

    copier_link(&native->copier, jump, code);
    if (!entry->counter || entry->code != code)
        return;
    if (is_back && !entry->is_loop && *counter > HOT - HOT_LOOP) {
        entry->is_loop = true;
        *counter -= HOT - HOT_LOOP;
    }
    if (native->link_count + 1 == LINKS) /* the simple code becomes a jump, too */
        return;
    native->links[++native->link_count] = (struct link){*jump, entry->link};
    entry->link = (uint32_t)native->link_count;
}

static bool find_target(const struct shape *shape, const struct decoded *record, uint64_t *target)
{
    if (shape->target >= 0)
        *target = record->pc + (uint64_t)record->imm[shape->target];
    return shape->target >= 0;
}

/* Returns where the jump of the instruction leads to; 0: there is none, or a register has it. */
static uint64_t target_of(const struct shape *shape, const struct decoded *record)
{
    uint64_t target = 0;

    find_target(shape, record, &target);
    return target;
}

static bool closes_loop(const struct run *run, uint64_t target)
{
    return target == run->begin && !run->is_simple;
}

static bool is_short(const struct run *run)
{
    return run->instructions <= LOOP_INSTRUCTIONS;
}

/* The last jump leads to the address. In the next round of a loop, what is known may spare checks.
 */
static void add_exit(struct run *run, uint64_t target)
{
    run->native->exits[run->exit_count++] = (struct exit){
        run->native->copier.taken, target,
        closes_loop(run, target) && is_short(run) ? native_useful_facts(run) : (struct facts){0},
        target <= run->native->copier.pc, run->is_foreign};
}

/* Adds a check that arithmetic is common, on which the run relies from this block on. If it is not,
 * control goes to other code of the block, which does not rely on that. */
static void add_arithmetic_check(struct run *run, uint64_t pc)
{
    struct native *native = run->native;
    const struct filling filling = {0};

    native_settle(native);
    native_count_way_on(run);
    native_add(native, stencil_glue(STENCIL_glue_check_common), &filling);
    native->exits[run->exit_count++] =
        (struct exit){native->copier.taken, pc, {.arithmetic = ARITHMETIC_UNCOMMON}, false, false};
    run->arithmetic |= ARITHMETIC_COMMON;
    run->wanted.arithmetic |= ARITHMETIC_COMMON;
}

static void add_goto(struct run *run, uint64_t pc, bool is_foreign)
{
    struct copier *copier = &run->native->copier;
    const struct filling filling = {0};

    native_settle(run->native);
    native_count_way_on(run);
    copier_add(copier, stencil_glue(STENCIL_glue_goto), &filling);
    run->is_foreign = is_foreign;
    add_exit(run, pc);
}

void native_mark_pages(struct native *native, uint64_t first, uint64_t end)
{
    uint64_t page = first >> MEMORY_PAGE_BITS, page_end = ((end - 1) >> MEMORY_PAGE_BITS) + 1;

    if (page < native->first_page)
        native->first_page = page;
    if (page_end > native->page_end)
        native->page_end = page_end;
    for (; page < page_end; page++)
        native->pages[page / 8] |= (uint8_t)(1u << page % 8);
    memory_mark_code(&native->machine->memory, first, end - first);
}

/* Decodes the instruction at `pc`, and perhaps some that follow, `limit` at most. *known: where it
 * may be decoded already, or NULL. Returns how many records there are. */
static unsigned decode_some(const struct native *native, const struct decoded **known,
                            struct decoded *records, uint64_t pc, unsigned limit)
{
    if (!*known || (*known)->pc != pc || (*known)->id >= PSEUDO_FIRST) {
        *known = NULL;
        return code_decode_row(&native->machine->code, records, pc, limit);
    }
    *records = *(*known)++;
    records->body = NULL;
    return 1;
}

/* Is the instruction, whose shape is NULL if it is none, left to the interpreter? One that has a
 * breakpoint is, and in the bare environment, one that jumps to itself: machine_run looks whether
 * anything can end such a loop. */
static bool is_stuck(const struct native *native, const struct shape *shape,
                     const struct decoded *record)
{
    const struct watcher *watcher = native->machine->watcher;
    uint64_t target = 0;

    if (!shape || !shape->is_makeable || code_next_pc(record) >= MEMORY_CODE_LIMIT ||
        (watcher && watcher_has_breakpoint(watcher, record->pc)))
        return true;
    return find_target(shape, record, &target) &&
           (target >= MEMORY_CODE_LIMIT || (target == record->pc && native->machine->bare.active));
}

/* Decodes a basic block, which native_may_make allows. Returns the number of instructions; *stuck:
 * the one after them has no native code. */
static unsigned decode(struct native *native, uint64_t pc, struct decoded *records, bool *stuck)
{
    const struct decoded *known = code_peek(&native->machine->code, pc);
    bool is_observed = native_keeper(native) || native_profile(native);
    unsigned count = 0, decoded = 0;

    *stuck = false;
    for (bool open = true; open && count < BLOCK_LIMIT;) {
        struct decoded *record = &records[count];
        if (count == decoded)
            decoded += decode_some(native, &known, record, pc, BLOCK_LIMIT - count);
        const struct shape *shape =
            record->id < PSEUDO_FIRST ? native_shape(native, record->id) : NULL;
        *stuck = is_stuck(native, shape, record);
        bool ends = false;
        if (is_observed && !*stuck)
            *stuck = !native_may_time(native, record) ||
                     (native_profile(native) &&
                      !native_may_count(native, record, records, target_of(shape, record), &ends));
        if (*stuck || ends)
            break;
        open = !shape->is_flow;
        pc += record->length;
        count++;
        if (!open)
            native_expect_entry(native, target_of(shape, record));
    }
    native_expect_entry(native, pc);
    for (unsigned i = 0; i < count; i++)
        records[i].remaining = (uint8_t)(count - i);
    return count;
}

/* Has the interpreter go on, with an instruction that this many of the block come with and after.
 */
static void add_step(struct native *native, uint64_t pc, unsigned remaining)
{
    struct filling filling = {0};

    native_settle(native);
    native->copier.pc = pc;
    filling.values[HOLE_PC] = (int64_t)pc;
    filling.values[HOLE_REMAINING] = remaining;
    copier_add(&native->copier, stencil_glue(STENCIL_glue_step), &filling);
}

/* Is code simple at first? */
static bool begins_simply(const struct native *native)
{
    return !native->is_best && !native_profile(native);
}

/* How often was the simple code of the entry executed? */
static uint32_t count_of(const struct native *native, const struct entry *entry)
{
    return (entry->is_loop ? HOT_LOOP : HOT) - native->counters[entry->counter];
}

/* Does the run have code of its own for the address? Simple code goes on where control came before,
 * and later says where it comes often enough. */
static bool goes_on_at(const struct run *run, uint64_t pc)
{
    struct native *native = run->native;
    const struct entry *entry = native_find_entry(native, pc);

    if (run->is_simple)
        return !entry->code && (native->at_once || code_peek(&native->machine->code, pc));
    if (!begins_simply(native))
        return run->is_variant || !entry->code;
    if (!entry->counter)
        return run->is_variant && entry->code;
    return count_of(native, entry) >= COMMON;
}

/* Did control hardly ever come to the address, as far as simple code has counted? */
static bool is_rare_at(struct native *native, uint64_t pc)
{
    const struct entry *entry = native_find_entry(native, pc);

    return entry->counter ? count_of(native, entry) < COMMON : !entry->code;
}

/* Does the run go on where the branch at the pc leads to, rather than after it, because control
 * hardly ever came there? Simple code has counted that. A variant, and code without simple code
 * before it, keep to what was found last. Branches back are left as they are: they lead to loops,
 * which begin runs of their own. */
static bool prefers_target(const struct run *run, uint64_t pc, uint64_t next, uint64_t target)
{
    struct native *native = run->native;
    uint32_t *turned = &native->turned[pc / 2 % TURNED_PLACES];

    if (target <= next || native_profile(native) || native_keeper(native) ||
        !goes_on_at(run, target))
        return false;
    if (!run->is_variant && begins_simply(native)) {
        if (is_rare_at(native, next))
            *turned = (uint32_t)pc;
        else if (*turned == pc)
            *turned = 0;
    }
    return *turned == pc;
}

/* If the run had better go on where the branch at the end of a block leads to, puts the inverse
 * branch in its place, which leads to what follows it. Returns where the run goes on; 0: as usual.
 */
static uint64_t turn_branch(const struct run *run, struct decoded *record)
{
    const struct isa_instruction *inverse = isa_instructions[record->id].inverse;

    if (!inverse)
        return 0;
    const struct shape *shape = native_shape(run->native, record->id);
    uint64_t target = target_of(shape, record);
    if (!prefers_target(run, record->pc, code_next_pc(record), target))
        return 0;
    record->id = (uint16_t)inverse->id;
    record->imm[shape->target] = record->length;
    return target;
}

/* Replaces idioms. Returns how many instructions are left. */
static unsigned replace_idioms(struct decoded *records, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++) {
        i += native_replace_idiom(&records[i]);
        if (kept != i)
            records[kept] = records[i];
        kept++;
    }
    return kept;
}

/* Counts the instructions of a block, for the limit, for the profile and for the model of time.
 * Returns false if the profile has no room. */
static bool add_counts(struct run *run, const struct decoded *records, unsigned count,
                       struct tally_block *block)
{
    struct native *native = run->native;
    const struct decoded *last = &records[count - 1];
    uint64_t target = target_of(native_shape(native, last->id), last);
    uint32_t number = 0;
    struct filling filling = {0};

    if (native_profile(native) && !(number = native_name_block(run, records, count, target, block)))
        return false;
    filling.values[HOLE_PC] = (int64_t)records[0].pc;
    filling.values[HOLE_REMAINING] = count;
    filling.values[HOLE_VALUE] = (int64_t)(native->counter_count * sizeof *native->counters);
    if (run->is_simple)
        native_add_simply(native, stencil_glue(STENCIL_glue_count_simple), &filling);
    else
        native_add(native, stencil_glue(STENCIL_glue_count), &filling);
    if (native_keeper(native)) /* first, as it may be left to the interpreter */
        native_time_block(native, records, count);
    if (number)
        native_count_block(run, block->counter, number);
    return true;
}

/* Adds an instruction of a block. Returns false if there can be no code. */
static bool add_one(struct run *run, const struct decoded *record)
{
    run->native->copier.pc = record->pc;
    return run->is_simple ? native_add_simple(run, record) : native_add_instruction(run, record);
}

/* Notes in which pages the instructions in [first, end) of the stretch are. */
static void note_pages(const struct run *run, uint64_t first, uint64_t end)
{
    struct native *native = run->native;
    uint64_t page_end = ((end - 1) >> MEMORY_PAGE_BITS) + 1;

    native_mark_pages(native, first, end);
    for (uint64_t page = first >> MEMORY_PAGE_BITS; page < page_end; page++) {
        uint32_t *head = &native->stretches_of[page];
        uint64_t begin = page << MEMORY_PAGE_BITS, limit = begin + MEMORY_PAGE;
        if (native->stretches[*head].code != run->stretch.code) {
            struct stretch stretch = {run->stretch.pc, run->stretch.code, (uint32_t)page, *head, 0};
            *head = (uint32_t)++native->stretch_count;
            native->stretches[*head] = stretch;
        }
        native->stretches[*head].parts |=
            native_parts_of(first > begin ? first : begin, end < limit ? end : limit);
    }
}

/* The stretch of the address comes next. */
static void begin_stretch(struct run *run, uint64_t pc)
{
    run->stretch = (struct stretch){.pc = (uint32_t)pc, .code = (uint32_t)run->native->copier.hot};
}

/* Begins a block of so many instructions. Control may come to it from elsewhere if the run does,
 * and to all blocks of simple code. */
static void begin_block(struct run *run, uint64_t pc, unsigned count, bool is_entry)
{
    const struct facts nothing = {0};
    struct native *native = run->native;
    uint32_t counter = 0;

    if (!run->is_simple && is_entry) {
        begin_stretch(run, pc);
        add_entry(native, pc, 0);
        native_know_only(run, &nothing);
    }
    if (!run->is_simple)
        return;
    if (count) {
        const struct stencil *stencil = stencil_glue(STENCIL_glue_count_simple);
        copier_make_room(&native->copier, stencil->hot, stencil->cold);
        counter = (uint32_t)++native->counter_count;
        native->counters[counter] = HOT;
    }
    begin_stretch(run, pc);
    add_entry(native, pc, counter);
    run->near = 0;
}

/* Adds a basic block. Returns where the run goes on, or 1: nowhere. */
static uint64_t add_block(struct run *run, uint64_t pc, bool is_entry)
{
    struct native *native = run->native;
    struct decoded records[BLOCK_LIMIT];
    bool stuck;
    unsigned count = decode(native, pc, records, &stuck);

    run->jumped = false;
    native->copier.pc = pc;
    begin_block(run, pc, count, is_entry);
    note_pages(run, pc, count ? code_next_pc(&records[count - 1]) : pc + 1);
    if (run->may_be_common && !run->arithmetic && native_is_arithmetic(native, records, count))
        add_arithmetic_check(run, pc);
    struct tally_block tally = {0};
    if (count == 0)
        native_count_way_on(run);
    else if (!add_counts(run, records, count, &tally)) {
        add_goto(run, pc, true);
        return 1;
    }
    if (count)
        pc = code_next_pc(&records[count - 1]);
    unsigned kept = count;
    uint64_t turned = 0;
    if (!run->is_simple) {
        kept = replace_idioms(records, count);
        native_note_uses(run, records, kept);
        kept = native_replace_rotations(run, records, kept);
        if (kept && !stuck)
            turned = turn_branch(run, &records[kept - 1]);
    }
    for (unsigned i = 0; i < kept; i++) {
        if (tally.counter && records[i].remaining == 1)
            native_count_jump(run, &records[i], &tally);
        if (!add_one(run, &records[i])) {
            add_step(native, records[i].pc, records[i].remaining);
            return 1;
        }
    }
    run->instructions += count;
    native->made += count;
    const struct decoded *last = kept ? &records[kept - 1] : NULL;
    uint64_t target;
    if (!last || stuck) {
        add_step(native, pc, 0);
        return 1;
    }
    const struct shape *shape = native_shape(native, last->id);
    if (!shape->is_flow)
        return pc;
    if (!find_target(shape, last, &target))
        return native_is_jump(last) ? 1 : pc;
    bool is_jump = native_is_jump(last);
    add_exit(run, target);
    if (turned) {
        run->jumped = false;
        return turned;
    }
    run->jumped = is_jump && !run->is_variant;
    if (closes_loop(run, target) && run->is_variant) {
        if (!is_jump)
            add_goto(run, pc, native_is_foreign(run, pc));
        return 1;
    }
    return !is_jump ? pc : !run->is_foreign && goes_on_at(run, target) ? target : 1;
}

/* Counts what the facts say, which is nothing most often. */
static int size_of(const struct facts *facts)
{
    if (!(facts->bases | facts->boxed | facts->arithmetic))
        return 0;
    return __builtin_popcount(facts->bases) + __builtin_popcount(facts->boxed) +
           __builtin_popcount(facts->arithmetic);
}

/* Are all these facts among the others? */
static bool is_part(const struct facts *facts, const struct facts *others)
{
    return !(facts->bases & ~others->bases) && !(facts->boxed & ~others->boxed) &&
           !(facts->arithmetic & ~others->arithmetic);
}

/* Returns the variant for the address that uses most of the facts, or NULL. *room: the index of one
 * that is not used, at its place; VARIANTS_LIMIT: there is none. */
static const struct variant *find_variant(const struct native *native, uint64_t pc,
                                          const struct facts *facts, unsigned *room)
{
    const struct variant *place = &native->variants[pc / 2 % VARIANTS], *best = NULL;
    int most = 0;

    *room = VARIANTS_LIMIT;
    for (unsigned i = 0; i < VARIANTS_LIMIT; i++, place++) {
        int used = size_of(&place->facts);
        if (!place->code && *room == VARIANTS_LIMIT)
            *room = i;
        if (place->pc != pc || !is_part(&place->facts, facts) || used <= most)
            continue;
        best = place;
        most = used;
    }
    return best;
}

/* Does control come with these facts only because the code that relies on none has sent it away? */
static bool needs_variant(const struct facts *facts)
{
    return facts->arithmetic & ARITHMETIC_UNCOMMON;
}

/* Returns the code for an exit; 0: none yet. */
static size_t find_code(struct native *native, uint64_t pc, struct facts facts)
{
    unsigned room;

    if (size_of(&facts)) {
        const struct variant *variant = find_variant(native, pc, &facts, &room);
        if (variant && size_of(&variant->facts) == size_of(&facts))
            return variant->code;
        if (room < VARIANTS_LIMIT || needs_variant(&facts))
            return 0;
        if (variant)
            return variant->code;
    }
    return native_find_entry(native, pc)->code;
}

static void close_exits(const struct run *run)
{
    struct native *native = run->native;

    for (const struct exit *exit = native->exits; exit < native->exits + run->exit_count; exit++) {
        size_t to = exit->is_foreign ? 0 : find_code(native, exit->target, exit->facts);
        if (to) {
            native_link(native, &exit->jump, exit->is_back, exit->target, to);
        } else {
            native_add_site(
                native, &(struct site){exit->jump, exit->facts, exit->is_back, exit->is_foreign},
                exit->target);
        }
    }
}

static void make_room(struct native *native)
{
    if (!native_has_room_for_run(native))
        native_forget_all(native);
}

/* Makes a run. */
static void make(struct run *run, uint64_t pc)
{
    struct native *native = run->native;
    bool is_entry = !run->is_variant;

    run->begin = pc;
    begin_stretch(run, pc);
    for (uint64_t at = pc; at != 1;) {
        bool is_foreign = at != pc && !run->jumped && native_is_foreign(run, at);
        if (at != pc &&
            (is_foreign || !goes_on_at(run, at) ||
             run->instructions > RUN_INSTRUCTIONS - BLOCK_LIMIT || !native_may_make(at))) {
            add_goto(run, at, is_foreign);
            break;
        }
        at = add_block(run, at, is_entry);
        is_entry = run->jumped;
    }
    close_exits(run);
    copier_finish(&native->copier);
    if (native->observers)
        native_observers_add(native->observers);
}

/* What a run knows is set by native_know_only, and what its block does by native_note_uses. */
static void open_run(struct run *run, struct native *native, bool is_simple)
{
    run->native = native;
    run->values[0] = 0; /* zero */
    run->instructions = run->exit_count = 0;
    run->jumped = run->is_variant = run->is_foreign = false;
    run->is_simple = is_simple;
    run->boxed = run->arithmetic = 0;
    run->may_be_common = !is_simple && native->machine->hart.fflags & FLOAT_NX &&
                         native->machine->hart.frm == FLOAT_RNE;
    run->way_on = 0;
    run->wanted = (struct facts){0};
    if (is_simple)
        native_open_places(native);
    else
        native_open_reach(run);
}

/* Makes code that relies on the facts, unless there is enough. Returns it, or 0. */
static size_t make_variant(struct native *native, uint64_t pc, struct facts facts)
{
    struct run run;
    unsigned room;

    make_room(native);
    if (!needs_variant(&facts) && !native_find_entry(native, pc)->code)
        return 0;
    const struct variant *found = find_variant(native, pc, &facts, &room);
    copier_align(&native->copier);
    size_t code = native->copier.hot;
    if (room == VARIANTS_LIMIT)
        return found ? found->code : 0;
    native->variants[pc / 2 % VARIANTS + room] =
        (struct variant){(uint32_t)pc, (uint32_t)code, facts};
    native->has_variants = true;
    open_run(&run, native, false);
    run.is_variant = true;
    run.wanted = facts;
    native_know_only(&run, &facts);
    make(&run, pc);
    return code;
}

static size_t make_plain(struct native *native, uint64_t pc, bool is_simple)
{
    struct run run;

    make_room(native);
    if (!is_simple)
        copier_align(&native->copier);
    size_t code = native->copier.hot;
    open_run(&run, native, is_simple);
    make(&run, pc);
    return code;
}

size_t native_find_or_make(struct native *native, uint64_t pc, struct facts facts)
{
    size_t code = find_code(native, pc, facts);

    if (code || !native_may_make(pc))
        return code;
    if (size_of(&facts) && (code = make_variant(native, pc, facts)))
        return code;
    if (needs_variant(&facts))
        return 0;
    const struct entry *entry = native_find_entry(native, pc);
    if (entry->code)
        return entry->code;
    /* Runs overlap, those of a program with many branches many times. */
    if (native->made - native->made_before > MANY)
        native->is_best = native->at_once && native->is_best;
    return make_plain(native, pc, begins_simply(native));
}

size_t native_make_better(struct native *native, uint64_t pc)
{
    const struct entry *entry = native_find_entry(native, pc);

    return entry->counter && native->counters[entry->counter] == 0 ? make_plain(native, pc, false)
                                                                   : 0;
}
