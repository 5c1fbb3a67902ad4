/* The list of effects of one instruction. It grows to the size that the largest instruction needs
 * and is then reused. */
#include "emu/recorder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void recorder_grow(struct recorder *recorder)
{
    size_t capacity = recorder->capacity ? 2 * recorder->capacity : 16;
    struct effect *effects = reallocarray(recorder->effects, capacity, sizeof *effects);

    if (!effects) {
        fputs("temu: error: out of memory\n", stderr);
        exit(1);
    }
    recorder->effects = effects;
    recorder->capacity = capacity;
}

void recorder_free(struct recorder *recorder)
{
    free(recorder->effects);
    memset(recorder, 0, sizeof *recorder);
}
