/* See stacks.h. */
#include "emu/profile/stacks.h"
#include <stdio.h>
#include <stdlib.h>

void *profile_need(void *memory)
{
    if (!memory) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

size_t profile_find_frame(const struct profile_thread *thread, uint64_t target, uint64_t sp)
{
    size_t i = thread->depth ? thread->depth - 1 : 0;

    while (i && (thread->frames[i].back != target || thread->frames[i].stack != sp))
        i--;
    return i;
}

/* Returns the innermost frame with a caller that control has come back to, elsewhere than after the
 * call; 0: none. The first function of a stack or handler may have set sp. */
static size_t find_active(const struct profile_thread *thread, uint64_t function, uint64_t target,
                          uint64_t sp)
{
    const struct profile_frame *frames = thread->frames;
    size_t i = target == function ? 0 : thread->depth - 1;

    while (i && (frames[i - 1].function != function ||
                 (frames[i].stack > sp && frames[i].handler != i) ||
                 (frames[i - 1].stack < sp && i > 1 && frames[i - 1].handler != i - 1)))
        i--;
    return i;
}

static uint64_t key_of(uint64_t target, uint64_t sp)
{
    return (target * UINT64_C(0x9e3779b97f4a7c15) ^ sp) | 1;
}

/* Returns the frame whose call returns to the target, among those that have keys; 0: none. */
static size_t find_entry(const struct profile_stack *stack, uint64_t target, uint64_t sp)
{
    uint64_t key = key_of(target, sp);

    for (size_t i = 0; i < PROFILE_ENTRIES; i++) {
        const struct profile_frame *frame = &stack->frames[stack->depth - 1 - i];
        if (stack->entries[i] == key && frame->back == target && frame->stack == sp)
            return stack->depth - 1 - i;
    }
    return 0;
}

/* Puts the chain of the thread aside. */
static void leave(struct profile_stacks *stacks, struct profile_stack *stack,
                  const struct profile_thread *thread)
{
    *stack = (struct profile_stack){.frames = thread->frames,
                                    .depth = thread->depth,
                                    .capacity = thread->capacity,
                                    .left = ++stacks->clock};
    for (size_t i = 0; i < PROFILE_ENTRIES && i + 1 < thread->depth; i++) {
        const struct profile_frame *frame = &thread->frames[thread->depth - 1 - i];
        stack->entries[i] = key_of(frame->back, frame->stack);
    }
}

/* Goes on with the chain that a call of it returns to. */
static bool resume(struct profile_stacks *stacks, struct profile_thread *thread, uint64_t target,
                   uint64_t sp)
{
    for (size_t i = 0; i < stacks->count; i++) {
        struct profile_stack *stack = &stacks->stacks[i], found = *stack;
        size_t frame = find_entry(stack, target, sp);
        if (!frame)
            continue;
        leave(stacks, stack, thread);
        thread->frames = found.frames;
        thread->capacity = found.capacity;
        thread->depth = frame;
        return true;
    }
    return false;
}

/* The stack was copied to another place, as Go does when it grows: control returns to where the
 * innermost call from there does. Returns false if there is none. */
static bool move(struct profile_thread *thread, uint64_t target, uint64_t sp)
{
    size_t i = thread->depth - 1;

    while (i && thread->frames[i].back != target)
        i--;
    if (i == 0)
        return false;
    uint64_t distance = sp - thread->frames[i].stack;
    for (size_t at = i; at--;)
        thread->frames[at].stack += distance;
    thread->depth = i;
    return true;
}

/* Returns room for a chain, in place of the oldest one if there is no other. */
static struct profile_stack *make_room(struct profile_stacks *stacks)
{
    if (!stacks->stacks)
        stacks->stacks = profile_need(calloc(PROFILE_STACKS, sizeof *stacks->stacks));
    struct profile_stack *oldest = &stacks->stacks[0];

    if (stacks->count < PROFILE_STACKS)
        return &stacks->stacks[stacks->count++];
    for (size_t i = 1; i < PROFILE_STACKS; i++)
        if (stacks->stacks[i].left < oldest->left)
            oldest = &stacks->stacks[i];
    free(oldest->frames);
    return oldest;
}

bool profile_change_stack(struct profile_stacks *stacks, struct profile_thread *thread,
                          uint64_t function, uint64_t target, uint64_t sp)
{
    size_t frame = profile_find_frame(thread, target, sp);

    if (!frame)
        frame = find_active(thread, function, target, sp);
    if (frame) {
        thread->depth = frame;
        return true;
    }
    if (resume(stacks, thread, target, sp))
        return true;
    if (thread->depth == PROFILE_DEPTH) /* it may be a tail call of a function without a frame */
        return false;
    if (move(thread, target, sp))
        return true;
    leave(stacks, make_room(stacks), thread);
    thread->frames = NULL;
    thread->depth = thread->capacity = 0;
    return true;
}

static void drop_callers(struct profile_frame *frames, size_t depth)
{
    for (size_t i = 0; i < depth; i++)
        frames[i].caller = NULL;
}

void profile_drop_callers(const struct profile_stacks *stacks, const struct profile_thread *threads)
{
    for (const struct profile_thread *thread = threads; thread; thread = thread->next)
        drop_callers(thread->frames, thread->depth);
    for (size_t i = 0; i < stacks->count; i++)
        drop_callers(stacks->stacks[i].frames, stacks->stacks[i].depth);
}
