/* The list of effects of one instruction. It grows once to what the largest instruction needs and
 * is reused from then on. */
#include "emu/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct effect *recorder_add(struct recorder *recorder, enum effect_kind kind)
{
    struct effect *effect;

    if (recorder->count == recorder->capacity) {
        size_t capacity = recorder->capacity ? 2 * recorder->capacity : 16;
        struct effect *effects = reallocarray(recorder->effects, capacity, sizeof *effects);
        if (!effects) {
            fputs("temu: error: out of memory\n", stderr);
            exit(1);
        }
        recorder->effects = effects;
        recorder->capacity = capacity;
    }
    effect = &recorder->effects[recorder->count++];
    memset(effect, 0, sizeof *effect);
    effect->kind = kind;
    effect->dimension = -1;
    return effect;
}

void recorder_free(struct recorder *recorder)
{
    free(recorder->effects);
    memset(recorder, 0, sizeof *recorder);
}
