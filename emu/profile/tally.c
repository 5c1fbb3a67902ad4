/* See tally.h. */
#include "emu/profile/tally.h"
#include "emu/keeper.h"
#include "isa_ids.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BLOCKS = 1024,
    FIRST_SHEETS = 256,
    SPARE = 64,              /* counters of a sheet, besides those for the bytes of the function */
    BYTES = 4,               /* of code for a counter */
    ALL_SHEETS = 256 << 20,  /* bytes; further nodes have none */
    MANY = 1 << 18,          /* bytes of code that a sheet is made for first: what comes after the
                              * last symbol, where programs make code, has no end */
    MOST = UINT32_MAX / 256, /* bytes of a sheet */
};

/* The sheets of a function. */
struct room {
    uint32_t used, size; /* bytes; 0: not known yet */
    uint32_t last;       /* the number of its last block */
};

struct sheet {
    uint64_t *counters;
    uint32_t node;
    size_t function; /* index */
};

/* A jump to another function, which replaces the one that jumped when its first instruction
 * retires. Native code replaces it before that. Until an instruction has retired, this can be
 * undone. */
struct tail {
    uint64_t function; /* that jumped; 0: there is nothing to undo */
    uint32_t node;     /* its node */
    int64_t left;      /* hart.native_left at the jump */
    struct profile_callee callee;
};

struct tally {
    struct room *rooms; /* by index of profile.functions */
    struct tally_block *blocks;
    size_t block_count, block_capacity; /* number 0 is none */
    struct sheet *sheets;
    size_t sheet_count, sheet_capacity;
    uint64_t **by_node; /* the counters; NULL: there are none yet */
    uint64_t bytes;     /* of all sheets */
    unsigned scale;     /* how much more room than usual a sheet has */
    bool is_full;
    struct tail tail; /* the last one */
};

static struct tally *open_tally(struct profile *profile)
{
    struct tally *tally = profile->tally;

    if (!tally) {
        profile->tally = tally = profile_need(calloc(1, sizeof *tally));
        tally->by_node = profile_need(calloc(PROFILE_NODES, sizeof *tally->by_node));
        tally->scale = tally->block_count = 1;
    }
    if (!tally->rooms)
        tally->rooms = profile_need(calloc(profile->function_count + 1, sizeof *tally->rooms));
    return tally;
}

/* ---- instructions ---- */

/* May a call return to the address? It stands before it then. */
static bool may_return_to(const struct machine *machine, uint64_t address)
{
    for (unsigned length = 2; length <= 4; length += 2) {
        struct decoded record;
        code_decode(&machine->code, &record, address - length);
        if (record.id >= PSEUDO_FIRST || record.length != length)
            continue;
        enum profile_jump jump = profile_jump_of(code_word(&machine->code, &record), length);
        if (jump == PROFILE_CALL || jump == PROFILE_SWAP)
            return true;
    }
    return false;
}

/* Returns how an instruction that jumps ends its block. */
static enum tally_exit exit_of(const struct profile *profile, const struct machine *machine,
                               const struct profile_place *place, const struct decoded *record,
                               uint64_t target, const struct tally_view *view)
{
    bool is_alike = record->imm[0] == 0 && view->is_steady;

    if (!profile->program)
        return TALLY_PLAIN;
    if (place->jump == PROFILE_CALL && view->next != view->function)
        return TALLY_UNKNOWN;
    if (place->jump == PROFILE_CALL && target)
        return profile_knows_callee(profile, target) ? TALLY_CALL : TALLY_UNKNOWN;
    if (place->jump == PROFILE_CALL)
        return TALLY_CALL_REGISTER;
    if (target && !place->is_branch && profile_function(profile, target) != view->function)
        return TALLY_TAIL;
    if (target)
        return may_return_to(machine, target) ? TALLY_BACK : TALLY_PLAIN;
    if (place->jump == PROFILE_RETURN && is_alike)
        return TALLY_RETURN;
    return place->jump == PROFILE_JUMP && is_alike ? TALLY_JUMP_REGISTER : TALLY_UNKNOWN;
}

struct tally_view tally_look(struct profile *profile, const struct machine *machine,
                             const struct decoded *record, uint64_t target)
{
    const struct profile_place *place =
        profile_place(profile, record->pc, code_word(&machine->code, record), record->length);
    struct tally_view view = {
        .is_steady = place->is_steady,
        .has_jump = isa_instructions[record->id].effects & ISA_EFFECT_FLOW,
        .is_branch = place->is_branch,
        .read = place->read,
        .written = place->written,
        .function = place->function,
        .next = profile_function(profile, code_next_pc(record)),
    };

    if (view.has_jump)
        view.exit = exit_of(profile, machine, place, record, target, &view);
    return view;
}

void tally_range(const struct profile *profile, uint64_t function, uint64_t *begin, uint64_t *size)
{
    size_t count = profile_functions_up_to(profile, function);

    *begin = count ? profile->functions[count - 1] : 0;
    *size =
        (count < profile->function_count ? profile->functions[count] : MEMORY_CODE_LIMIT) - *begin;
}

/* ---- sheets ---- */

/* Returns the index of the function, whose sheets have a size. */
static size_t find_room(struct profile *profile, uint64_t function)
{
    struct tally *tally = open_tally(profile);
    size_t index = profile_functions_up_to(profile, function);
    struct room *room = &tally->rooms[index];
    uint64_t begin, size;

    if (room->size)
        return index;
    tally_range(profile, function, &begin, &size);
    size = size < MANY ? size : MANY;
    size = (size / BYTES + SPARE) * sizeof(uint64_t) * tally->scale;
    room->size = (uint32_t)(size < MOST ? size : MOST);
    room->used = TALLY_CYCLES + sizeof(uint64_t);
    return index;
}

/* Returns the counters of the node, for the function of its frame; NULL: there are none. */
static uint64_t *find_sheet(struct profile *profile, uint32_t node, uint64_t function)
{
    struct tally *tally = open_tally(profile);
    uint64_t **counters = &tally->by_node[node];

    if (profile->nodes[node].function != function)
        return NULL;
    if (*counters)
        return *counters;
    size_t index = find_room(profile, function);
    uint32_t size = tally->rooms[index].size;
    if (tally->bytes + size > ALL_SHEETS)
        return NULL;
    tally->bytes += size;
    *counters = profile_need(calloc(1, size));
    if (tally->sheet_count == tally->sheet_capacity) {
        tally->sheet_capacity = tally->sheet_capacity ? tally->sheet_capacity * 2 : FIRST_SHEETS;
        tally->sheets =
            profile_need(reallocarray(tally->sheets, tally->sheet_capacity, sizeof *tally->sheets));
    }
    tally->sheets[tally->sheet_count++] = (struct sheet){*counters, node, index};
    return *counters;
}

/* Takes a place in the sheets. The caller has looked whether there is room. */
static uint32_t take(struct room *room, size_t bytes)
{
    uint32_t place = room->used;

    room->used += (uint32_t)bytes;
    return place;
}

uint32_t tally_add_block(struct profile *profile, struct tally_block *block, bool has_link)
{
    size_t index = find_room(profile, block->function);
    struct tally *tally = profile->tally;
    struct room *room = &tally->rooms[index];

    if (room->used + sizeof(struct tally_link) + 2 * sizeof(uint64_t) > room->size) {
        tally->is_full = true;
        return 0;
    }
    if (!block->counter)
        block->counter = take(room, sizeof(uint64_t));
    block->next = block->is_branch ? take(room, sizeof(uint64_t)) : 0;
    block->link = has_link ? take(room, sizeof(struct tally_link)) : 0;
    block->before = room->last;
    if (tally->block_count >= tally->block_capacity) {
        tally->block_capacity = tally->block_capacity ? tally->block_capacity * 2 : FIRST_BLOCKS;
        tally->blocks =
            profile_need(reallocarray(tally->blocks, tally->block_capacity, sizeof *tally->blocks));
        memset(&tally->blocks[0], 0, sizeof *tally->blocks);
    }
    tally->blocks[tally->block_count] = *block;
    room->last = (uint32_t)tally->block_count;
    return (uint32_t)tally->block_count++;
}

bool tally_is_full(const struct profile *profile)
{
    return profile->tally && profile->tally->is_full;
}

static uint64_t *counter_at(uint64_t *sheet, uint64_t place)
{
    return (uint64_t *)((char *)sheet + place);
}

static struct tally_link *link_at(uint64_t *sheet, uint64_t place)
{
    return (struct tally_link *)((char *)sheet + place);
}

/* ---- from and to native code ---- */

/* The frame and its counters are those of native code from now on. */
static void stand(struct profile_thread *thread, struct machine *machine, uint64_t *sheet)
{
    struct hart *hart = &machine->hart;

    hart->frame = profile_top(thread);
    hart->frames_end = thread->frames + thread->capacity;
    hart->tallies = sheet;
}

/* Brings the chain of calls to that of native code. */
static struct profile_thread *synchronize(const struct profile *profile,
                                          const struct machine *machine)
{
    struct profile_thread *thread = profile->thread;

    thread->depth = (size_t)(machine->hart.frame - thread->frames) + 1;
    return thread;
}

/* Counts the calls of the callee, or takes them back. */
static void count_calls(const struct profile *profile, const struct profile_callee *callee,
                        uint64_t count)
{
    profile->nodes[callee->node].calls += count;
    if (callee->has_arc)
        profile->nodes[callee->arc].calls += count;
}

/* The function at the top goes on as this one, which the executor of profiles has seen there
 * before. Returns false otherwise, with nothing changed. */
static bool replace(struct profile *profile, struct profile_thread *thread, struct machine *machine,
                    uint64_t function)
{
    struct profile_frame *frame = profile_top(thread);
    uint32_t parent = profile->nodes[frame->node].parent;

    if (!profile_has_callee(profile, parent, frame->site, function))
        return false;
    struct profile_callee callee = profile_find_callee(profile, parent, frame->site, function);
    uint64_t *sheet = find_sheet(profile, callee.node, function);
    if (!sheet)
        return false;
    profile->tally->tail = (struct tail){.function = frame->function,
                                         .node = frame->node,
                                         .left = machine->hart.native_left,
                                         .callee = callee};
    count_calls(profile, &callee, 1);
    frame->function = function;
    frame->node = callee.node;
    stand(thread, machine, sheet);
    return true;
}

/* The function that was replaced is at the top again, if no instruction has retired since. */
static void undo_tail(const struct profile *profile, const struct profile_thread *thread,
                      int64_t left)
{
    const struct tail *tail = &profile->tally->tail;
    struct profile_frame *frame = profile_top(thread);

    if (!tail->function || tail->left != left)
        return;
    count_calls(profile, &tail->callee, UINT64_MAX);
    frame->function = tail->function;
    frame->node = tail->node;
}

bool tally_begin(struct profile *profile, struct machine *machine, uint64_t pc)
{
    struct profile_thread *thread = profile_thread(profile, machine);

    if (thread->depth == 0 || pc != thread->expected)
        return false;
    const struct profile_frame *frame = profile_top(thread);
    if (frame->handler)
        return false;
    open_tally(profile)->tail.function = 0;
    machine->hart.native_block = 0;
    uint64_t function = profile_function(profile, pc);
    if (function != frame->function)
        return replace(profile, thread, machine, function);
    uint64_t *sheet = find_sheet(profile, frame->node, frame->function);
    if (sheet)
        stand(thread, machine, sheet);
    return sheet;
}

static struct profile_place *place_at(const struct profile *profile, uint64_t pc)
{
    return &profile->pages[pc / PROFILE_PAGE][pc % PROFILE_PAGE / 2];
}

/* Returns the node in which the last instruction of the block was executed. What that has called is
 * at the top, what it has returned from was there; a tail call was undone. */
static uint32_t node_of_last(const struct profile_thread *thread, const struct tally_block *block)
{
    switch (block->exit) {
    case TALLY_CALL:
    case TALLY_CALL_REGISTER:
        return thread->frames[thread->depth - 2].node;
    case TALLY_RETURN:
        return thread->frames[thread->depth].node;
    default:
        return profile_top(thread)->node;
    }
}

/* Notes the last instruction that was executed, to which the cycles at the end of the run belong.
 */
static void note_last(struct profile *profile, const struct profile_thread *thread,
                      const struct hart *hart, uint64_t pc, enum tally_end end)
{
    const struct tally_block *blocks = profile->tally->blocks, *block = &blocks[hart->native_block];
    struct profile_place *place = NULL;

    if (end == TALLY_BEFORE && pc > block->pc && pc < block->end) {
        for (uint64_t at = block->pc; at < pc; at += place->length)
            place = place_at(profile, at);
        profile->last = place;
        profile->last_node = profile_top(thread)->node;
        return;
    }
    if (end == TALLY_BEFORE && pc == block->pc)
        block = &blocks[hart->native_before];
    if (block == blocks)
        return; /* none was counted */
    profile->last = place_at(profile, block->last);
    profile->last_node = node_of_last(thread, block);
}

/* Takes the instructions of the block from the pc on back, which were not executed, and the cycles
 * of the block: the model of time tells those of the others. */
static void take_back(struct profile *profile, const struct profile_thread *thread,
                      const struct machine *machine, const struct tally_block *block, uint64_t pc)
{
    struct profile_cost *cost = &profile->nodes[profile_top(thread)->node].cost;
    struct profile_place *place = NULL;
    uint64_t count = 0;

    for (uint64_t at = pc; at < block->end; at += place->length, count++) {
        place = place_at(profile, at);
        cost->instructions--;
        cost->read -= place->read;
        cost->written -= place->written;
    }
    profile_tell_places(profile, pc, count, UINT64_MAX);
    if (block->has_jump)
        place->turned--;
    if (machine->keeper)
        cost->cycles -= machine->keeper->blocks.last->cycles;
}

/* Corrects what the last block that was counted counts, which control has left at the pc. */
static void correct(struct profile *profile, const struct profile_thread *thread,
                    const struct machine *machine, uint64_t pc, enum tally_end end)
{
    const struct tally_block *block = &profile->tally->blocks[machine->hart.native_block];

    /* It went on after the branch, but not to what counts that. */
    if (end == TALLY_LIMIT && block->is_branch && pc == block->end)
        place_at(profile, block->last)->turned--;
    if (end == TALLY_BEFORE && pc >= block->pc && pc < block->end)
        take_back(profile, thread, machine, block, pc);
}

void tally_end(struct profile *profile, struct machine *machine, uint64_t pc, int64_t rest,
               enum tally_end end)
{
    struct profile_thread *thread = synchronize(profile, machine);

    thread->expected = pc;
    if (machine->hart.native_block)
        correct(profile, thread, machine, pc, end);
    undo_tail(profile, thread, machine->hart.native_left + rest);
    if (machine->hart.native_block && profile->is_timed)
        note_last(profile, thread, &machine->hart, pc, end);
}

/* Adds the calls that the link has counted to its nodes. */
static void count_hits(const struct profile *profile, struct tally_link *link)
{
    const struct profile_callee callee = {
        .node = link->node, .arc = link->arc, .has_arc = link->has_arc};

    if (!link->target)
        return;
    count_calls(profile, &callee, link->hits);
    link->hits = 0;
}

bool tally_call(struct profile *profile, struct machine *machine, uint64_t site, uint64_t back,
                uint64_t target, uint64_t place)
{
    struct profile_thread *thread = synchronize(profile, machine);
    uint64_t *caller = machine->hart.tallies, stack = machine->hart.x[ISA_REGISTER_SP];
    uint64_t function = profile_function(profile, target);

    if (thread->depth == PROFILE_DEPTH ||
        (function != target && !profile_knows_callee(profile, target)))
        return false;
    struct profile_callee callee =
        profile_find_callee(profile, profile_top(thread)->node, site, function);
    uint64_t *sheet = callee.is_whole ? find_sheet(profile, callee.node, function) : NULL;
    if (!sheet)
        return false;
    struct tally_link *link = link_at(caller, place);
    count_hits(profile, link);
    *link = (struct tally_link){.target = target,
                                .function = function,
                                .sheet = sheet,
                                .node = callee.node,
                                .arc = callee.arc,
                                .has_arc = callee.has_arc};
    count_calls(profile, &callee, 1);
    profile_push(thread, (struct profile_frame){.function = function,
                                                .site = site,
                                                .back = back,
                                                .stack = stack,
                                                .node = callee.node,
                                                .caller = caller});
    stand(thread, machine, sheet);
    return true;
}

bool tally_return(struct profile *profile, struct machine *machine, uint64_t target)
{
    struct profile_thread *thread = synchronize(profile, machine);
    const struct profile_frame *frame = profile_top(thread);

    if (thread->depth < 2 || frame->back != target ||
        frame->stack != machine->hart.x[ISA_REGISTER_SP] ||
        profile_function(profile, target) != frame[-1].function)
        return false;
    uint64_t *sheet = find_sheet(profile, frame[-1].node, frame[-1].function);
    if (!sheet)
        return false;
    thread->depth--;
    stand(thread, machine, sheet);
    return true;
}

bool tally_jump(struct profile *profile, struct machine *machine, uint64_t target, bool by_register)
{
    struct profile_thread *thread = synchronize(profile, machine);
    const struct profile_frame *frame = profile_top(thread);
    uint64_t stack = machine->hart.x[ISA_REGISTER_SP], function = profile_function(profile, target);

    if (thread->depth > 1 && frame->back == target && frame->stack == stack)
        return false;
    if (function == frame->function)
        return true;
    return !(by_register && profile_may_change_stack(thread, stack)) &&
           replace(profile, thread, machine, function);
}

/* ---- what was counted ---- */

/* Adds what is in the sheet to the costs of the node, and to the blocks. */
static void tell_sheet(const struct profile *profile, const struct sheet *sheet)
{
    const struct tally *tally = profile->tally;
    struct profile_cost *cost = &profile->nodes[sheet->node].cost;

    cost->cycles += *counter_at(sheet->counters, TALLY_CYCLES);
    for (uint32_t number = tally->rooms[sheet->function].last; number;
         number = tally->blocks[number].before) {
        struct tally_block *block = &tally->blocks[number];
        uint64_t count = *counter_at(sheet->counters, block->counter);
        block->entered += count;
        cost->instructions += count * block->instructions;
        cost->read += count * block->read;
        cost->written += count * block->written;
        if (block->next)
            block->passed += *counter_at(sheet->counters, block->next);
        if (block->link)
            count_hits(profile, link_at(sheet->counters, block->link));
    }
}

static void tell_block(struct profile *profile, const struct tally_block *block)
{
    if (!block->entered || !block->instructions)
        return;
    profile_tell_places(profile, block->pc, block->instructions, block->entered);
    if (block->has_jump)
        place_at(profile, block->last)->turned += block->entered - block->passed;
}

void tally_flush(struct profile *profile)
{
    struct tally *tally = profile->tally;

    if (!tally)
        return;
    for (size_t i = 0; i < tally->sheet_count; i++)
        tell_sheet(profile, &tally->sheets[i]);
    for (size_t i = 1; i < tally->block_count; i++)
        tell_block(profile, &tally->blocks[i]);
    for (size_t i = 0; i < tally->sheet_count; i++) {
        tally->by_node[tally->sheets[i].node] = NULL;
        free(tally->sheets[i].counters);
    }
    profile_drop_callers(&profile->stacks, profile->threads);
    free(tally->rooms);
    tally->rooms = NULL;
    tally->scale *= tally->is_full ? 2 : 1;
    tally->is_full = false;
    tally->block_count = 1;
    tally->sheet_count = 0;
    tally->bytes = 0;
}
