/* What the comparison knows about the registers of each thread: their values, who wrote them last,
 * and which difference they come from. A new thread has the registers that its creator gave it. */
#include "emu/tdiff/lossless.h"

#include "emu/trap.h"
#include "lib/trace/thread_name.h"
#include <stdlib.h>
#include <string.h>

static uint32_t thread_of(const struct ttrace_record *record)
{
    return record->thread ? record->thread : 1;
}

static struct registers *find(const struct lossless *walk, uint32_t thread)
{
    for (size_t i = 0; i < walk->thread_count; i++)
        if (walk->threads[i]->thread == thread)
            return walk->threads[i];
    return NULL;
}

static struct registers *find_or_make(struct lossless *walk, uint32_t thread)
{
    struct registers *registers = find(walk, thread);

    if (registers)
        return registers;
    registers = new_array(1, sizeof *registers);
    registers->thread = thread;
    walk->threads = arena_grow(&walk->tdiff->arena, walk->threads, walk->thread_count,
                               &walk->thread_capacity, sizeof(struct registers *));
    return walk->threads[walk->thread_count++] = registers;
}

void registers_select(struct lossless *walk, unsigned which)
{
    struct side *side = &walk->sides[which];
    uint32_t thread = thread_of(&side->record);

    if (side->registers && side->registers->thread == thread)
        return;
    side->registers = find_or_make(walk, thread);
    side->values = side->registers->values[which];
    if (thread > side->threads)
        side->threads = thread;
}

void registers_free(struct lossless *walk)
{
    for (size_t i = 0; i < walk->thread_count; i++)
        free(walk->threads[i]);
}

/* Gives a thread the registers of another one, as this trace has them. */
static void copy_registers(struct lossless *walk, unsigned which, uint32_t thread,
                           const struct registers *from)
{
    bool is_new = !find(walk, thread);
    struct registers *to = find_or_make(walk, thread);

    if (is_new) {
        *to = *from;
        to->thread = thread;
    }
    memcpy(to->values[which], from->values[which], sizeof to->values[which]);
}

static void set_register(struct registers *registers, unsigned which,
                         const struct isa_register_name *name, uint64_t value, uint32_t event,
                         uint64_t writer)
{
    unsigned file = (unsigned)(name->file - isa_register_files), number = name->number;

    registers->values[which][file][number] = value;
    registers->events[file][number] = event;
    registers->types[file][number] = 0;
    registers->writers[file][number][which] = writer;
}

static bool is_call(const struct ttrace_record *record)
{
    return record->flags & TTRACE_TRAP && !(record->flags & TTRACE_BARE) &&
           record->trap_cause == CAUSE_USER_ECALL;
}

void registers_start_worker(struct lossless *walk, unsigned which, const struct effect *effect,
                            uint32_t event)
{
    struct side *side = &walk->sides[which];
    uint32_t thread = thread_started(effect);

    if (!thread)
        return;
    const struct isa_register_name *name = isa_find_register(effect->name);
    struct registers *started = find_or_make(walk, thread);
    if (thread_begins(effect) && is_call(&side->record)) {
        copy_registers(walk, which, thread, side->registers);
    } else if (thread_begins(effect)) {
        *started = (struct registers){.thread = thread};
        for (size_t file = 0; file < isa_register_file_count; file++)
            for (unsigned i = 0; i < isa_register_files[file].count; i++)
                started->values[0][file][i] = started->values[1][file][i] =
                    thread_first_word(&isa_register_files[file]);
    } else if (name) {
        set_register(started, which, name, effect->value, event, side->number + 1);
    }
}

uint64_t registers_call(const struct side *side)
{
    if (!is_call(&side->record))
        return NO_NUMBER;
    const struct isa_register_name *number = isa_find_register("a7");
    return number ? side->values[number->file - isa_register_files][number->number] : NO_NUMBER;
}

void registers_note_call(struct lossless *walk, unsigned which)
{
    struct side *side = &walk->sides[which];
    uint64_t call = registers_call(side);

    if (call == NO_NUMBER || side->trace.workers || side->thread)
        return;
    const struct isa_register_name *result = isa_find_register("a0");
    if (!result)
        return;
    uint64_t made = side->values[result->file - isa_register_files][result->number];
    if ((call != CALL_CLONE && call != CALL_CLONE3) || (int64_t)made <= 0)
        return;
    uint32_t thread = ++side->threads;
    copy_registers(walk, which, thread, side->registers);
    set_register(find(walk, thread), which, result, 0, 0, side->number + 1);
}
