/* The contexts of a profile: the tree of functions by the chain of calls that led to them, and the
 * chain of each thread, which follows the jumps that are executed. See profile.h and parts.h. */
#include "emu/profile/parts.h"
#include "emu/workers/workers.h"
#include "isa_ids.h"
#include <stdlib.h>

enum {
    FIRST_FRAMES = 64,
    LONGEST = 8,        /* bytes of an instruction */
    USUAL_FRAME = 2048, /* bytes of a function on the stack */
};

/* ---- the tree ---- */

static size_t node_slot(const struct profile *profile, uint32_t parent, uint64_t site,
                        uint64_t function)
{
    uint64_t hash = (parent * UINT64_C(0x9e3779b97f4a7c15) ^ site) * UINT64_C(0xbf58476d1ce4e5b9);
    size_t slot = (size_t)((hash ^ function) * UINT64_C(0x94d049bb133111eb) >> 20);

    for (;; slot++) {
        uint32_t index = profile->table[slot & (profile->table_size - 1)];
        const struct profile_node *node = &profile->nodes[index];
        if (index == 0 ||
            (node->parent == parent && node->site == site && node->function == function))
            return slot & (profile->table_size - 1);
    }
}

static void grow_nodes(struct profile *profile)
{
    profile->node_capacity *= 2;
    profile->table_size *= 2;
    profile->nodes =
        profile_need(reallocarray(profile->nodes, profile->node_capacity, sizeof *profile->nodes));
    free(profile->table);
    profile->table = profile_need(calloc(profile->table_size, sizeof *profile->table));
    for (uint32_t i = 1; i < profile->node_count; i++) {
        const struct profile_node *node = &profile->nodes[i];
        profile->table[node_slot(profile, node->parent, node->site, node->function)] = i;
    }
}

/* Returns the slot of a node, which is made if there is none; without room for it, a free slot. */
static size_t make_node(struct profile *profile, uint32_t parent, uint64_t site, uint64_t function)
{
    size_t slot = node_slot(profile, parent, site, function);

    if (profile->table[slot] || profile->node_count == PROFILE_NODES)
        return slot;
    if (profile->node_count == profile->node_capacity) {
        grow_nodes(profile);
        slot = node_slot(profile, parent, site, function);
    }
    profile->table[slot] = (uint32_t)profile->node_count;
    profile->nodes[profile->node_count++] =
        (struct profile_node){.function = function, .site = site, .parent = parent};
    return slot;
}

/* Returns the innermost node of the function from this one outwards; 0: there is none. */
static uint32_t find_outer(const struct profile *profile, uint32_t node, uint64_t function)
{
    while (node && profile->nodes[node].function != function)
        node = profile->nodes[node].parent;
    return node;
}

bool profile_has_callee(const struct profile *profile, uint32_t parent, uint64_t site,
                        uint64_t function)
{
    if (profile->table[node_slot(profile, parent, site, function)])
        return true;
    return find_outer(profile, parent, function) &&
           profile->table[node_slot(profile, PROFILE_ARC, site, function)] &&
           profile->table[node_slot(profile, parent, 0, function)];
}

struct profile_callee profile_find_callee(struct profile *profile, uint32_t parent, uint64_t site,
                                          uint64_t function)
{
    size_t slot = node_slot(profile, parent, site, function);
    struct profile_callee callee = {.is_whole = true};

    if (profile->table[slot] == 0) {
        uint32_t outer = find_outer(profile, parent, function);
        if (outer) {
            size_t arc = make_node(profile, PROFILE_ARC, site, function); /* may move the table */
            callee.has_arc = true;
            callee.arc = profile->table[arc];
        }
        slot = make_node(profile, parent, outer ? 0 : site, function);
        callee.is_whole = profile->table[slot] != 0;
        callee.node = outer ? outer : parent;
    }
    if (callee.is_whole)
        callee.node = profile->table[slot];
    return callee;
}

/* Returns the node of the function when it is called there, and counts the call. When there are too
 * many nodes, this is that of the call that it is inside of, or the caller's. */
static uint32_t enter_node(struct profile *profile, uint32_t parent, uint64_t site,
                           uint64_t function)
{
    struct profile_callee callee = profile_find_callee(profile, parent, site, function);

    if (callee.has_arc)
        profile->nodes[callee.arc].calls++;
    profile->nodes[callee.node].calls += callee.is_whole;
    return callee.node;
}

/* ---- the chains ---- */

void profile_push(struct profile_thread *thread, struct profile_frame frame)
{
    if (thread->depth == thread->capacity) {
        thread->capacity = thread->capacity ? thread->capacity * 2 : FIRST_FRAMES;
        thread->frames =
            profile_need(reallocarray(thread->frames, thread->capacity, sizeof *thread->frames));
    }
    if (thread->depth && !frame.handler)
        frame.handler = profile_top(thread)->handler;
    thread->frames[thread->depth++] = frame;
}

/* Calls a function at `site`. */
static void call(struct profile *profile, struct profile_thread *thread, struct profile_frame frame,
                 uint64_t site)
{
    uint32_t parent = thread->depth ? profile_top(thread)->node : 0;

    if (thread->depth == PROFILE_DEPTH)
        return;
    frame.site = site;
    frame.node = enter_node(profile, parent, site, frame.function);
    profile_push(thread, frame);
}

void profile_replace(struct profile *profile, struct profile_thread *thread, uint64_t function)
{
    struct profile_frame *frame = profile_top(thread);
    const struct profile_node *node = &profile->nodes[frame->node];

    frame->function = function;
    frame->node = enter_node(profile, node->parent, frame->site, function);
}

bool profile_may_change_stack(const struct profile_thread *thread, uint64_t stack)
{
    const struct profile_frame *frame = profile_top(thread);

    return thread->depth > 1 && frame->handler + 1 != thread->depth &&
           frame->stack - stack > USUAL_FRAME;
}

/* Leaves the frames that a return to `target` ends. One that returns elsewhere (longjmp) ends the
 * functions that were called when the stack was smaller than now. */
static void leave(struct profile *profile, struct profile_thread *thread, uint64_t target,
                  uint64_t stack)
{
    size_t returned = profile_find_frame(thread, target, stack);
    uint64_t function = profile_function(profile, target);

    if (returned) {
        thread->depth = returned;
        return;
    }
    if (profile_may_change_stack(thread, stack) &&
        profile_change_stack(&profile->stacks, thread, function, target, stack))
        return;
    if (profile_top(thread)->back == target && profile_top(thread)->stack - stack <= USUAL_FRAME) {
        thread->depth -= thread->depth > 1; /* it has saved registers for its caller */
        return;
    }
    while (thread->depth > 1 && profile_top(thread)->function != function &&
           profile_top(thread)->stack <= stack)
        thread->depth--;
}

bool profile_leave_handler(const struct profile *profile, struct profile_thread *thread,
                           uint64_t target)
{
    uint32_t handler = thread->depth ? profile_top(thread)->handler : 0;

    if (handler == 0)
        return false;
    const struct profile_frame *frame = &thread->frames[handler];
    uint64_t function = profile_function(profile, target);
    if (target - frame->back > LONGEST &&
        (function != frame[-1].function || function == profile_top(thread)->function))
        return false;
    thread->depth = handler;
    return true;
}

struct profile_thread *profile_thread(struct profile *profile, const struct machine *machine)
{
    return profile_thread_of(profile,
                             machine->workers ? machine->workers->running : machine->user.running);
}

struct profile_thread *profile_thread_of(struct profile *profile, uint64_t id)
{
    struct profile_thread *thread = profile->thread;

    if (thread && thread->id == id)
        return thread;
    for (thread = profile->threads; thread && thread->id != id;)
        thread = thread->next;
    if (!thread) {
        thread = arena_array(profile->arena, 1, sizeof *thread);
        thread->id = id;
        thread->next = profile->threads;
        profile->threads = thread;
    }
    return profile->thread = thread;
}

void profile_arrive(struct profile *profile, struct profile_thread *thread,
                    const struct profile_place *place, uint64_t stack, uint64_t pc)
{
    struct profile_frame frame = {
        .function = place->function, .back = thread->expected, .stack = stack};

    if (thread->depth == 0) {
        call(profile, thread, frame, 0);
    } else if (pc != thread->expected && profile->program &&
               !profile_leave_handler(profile, thread, pc)) {
        frame.handler = (uint32_t)thread->depth;
        call(profile, thread, frame, thread->expected);
    }
    if (profile_top(thread)->function != place->function)
        profile_replace(profile, thread, place->function);
}

/* Follows a jump that neither calls nor returns by ra or t0. */
static void jump(struct profile *profile, struct profile_thread *thread,
                 const struct profile_place *place, uint64_t target, uint64_t stack)
{
    if (thread->depth > 1 && profile_top(thread)->back == target &&
        profile_top(thread)->stack == stack) {
        thread->depth--; /* a return by another register */
        return;
    }
    if (!place->has_register || !profile_may_change_stack(thread, stack))
        return;
    uint64_t function = profile_function(profile, target);
    if (function != profile_top(thread)->function)
        profile_change_stack(&profile->stacks, thread, function, target, stack);
}

void profile_follow(struct profile *profile, struct profile_thread *thread,
                    const struct profile_place *place, uint64_t stack, uint64_t pc, uint64_t target)
{
    struct profile_frame frame = {.back = pc + place->length, .stack = stack};

    if (place->jump == PROFILE_RETURN || place->jump == PROFILE_SWAP)
        leave(profile, thread, target, frame.stack);
    else if (place->jump == PROFILE_JUMP && !profile_leave_handler(profile, thread, target))
        jump(profile, thread, place, target, frame.stack);
    if (thread->depth == 0) {
        frame.function = profile_function(profile, target);
        call(profile, thread, frame, 0);
        return;
    }
    if (place->jump != PROFILE_CALL && place->jump != PROFILE_SWAP)
        return;
    profile_learn_function(profile, target);
    frame.function = profile_function(profile, target);
    call(profile, thread, frame, pc);
}
