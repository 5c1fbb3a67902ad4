/* See log.h. */
#include "lib/trace/log.h"

#include <string.h>

uint32_t log_steps_add(struct log_steps *steps, struct arena *arena, unsigned count)
{
    size_t first = steps->count ? steps->count : 1;

    while (steps->capacity < first + count + 1)
        steps->items = arena_grow(arena, steps->items, steps->capacity, &steps->capacity,
                                  sizeof *steps->items);
    for (unsigned i = 0; i <= count; i++)
        steps->items[first + i] = (struct log_step){.remaining = (uint8_t)(count - i)};
    steps->count = first + count + 1;
    return (uint32_t)first;
}

void log_steps_forget(struct log_steps *steps)
{
    steps->count = 0;
    steps->resets++;
}

/* Is the effect one that a log has? */
static bool is_logged(const struct effect *effect)
{
    return !effect->is_wide && (effect->kind == EFFECT_REGISTER || effect->kind == EFFECT_LOAD ||
                                effect->kind == EFFECT_STORE);
}

bool log_step_learn(struct log_step *step, const struct ttrace_record *record,
                    const struct effect *effects, size_t count)
{
    /* The flags that an instruction raised. */
    if (count && effects[count - 1].kind == EFFECT_CSR)
        count--;
    if (count > LOG_EFFECTS)
        return false;
    unsigned words = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_logged(&effects[i]))
            return false;
        step->shapes[i] = ttrace_shape(&effects[i]);
        words += 1u + ttrace_has_address(effects[i].kind);
    }
    if (words > LOG_WORDS)
        return false;
    step->pc = record->pc;
    step->word = record->word;
    step->length = record->length;
    step->privilege = record->privilege;
    step->flags = record->flags;
    step->count = (uint8_t)count;
    step->words = (uint8_t)words;
    return true;
}

const uint64_t *log_take(const struct log_step *step, const uint64_t *words,
                         struct recorder *recorder)
{
    recorder_clear(recorder);
    for (unsigned i = 0; i < step->count; i++) {
        struct effect *effect = recorder_add_shape(recorder, step->shapes[i]);
        if (ttrace_has_address(effect->kind)) {
            effect->address = *words++;
            effect->length = effect->size;
        }
        effect->value = *words++;
    }
    return words;
}
