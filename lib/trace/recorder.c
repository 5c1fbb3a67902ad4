/* The list of effects of one instruction. It grows to the size that the largest instruction needs
 * and is then reused. */
#include "lib/trace/recorder.h"
#include "lib/digits.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the array with twice the room. */
static void *grow(void *array, size_t *capacity, size_t size)
{
    *capacity = *capacity ? 2 * *capacity : 16;
    array = reallocarray(array, *capacity, size);
    if (!array) {
        fputs("error: out of memory\n", stderr);
        exit(1);
    }
    return array;
}

void recorder_grow(struct recorder *recorder)
{
    recorder->effects = grow(recorder->effects, &recorder->capacity, sizeof *recorder->effects);
}

void recorder_add_words(struct recorder *recorder, unsigned file, unsigned number,
                        const uint64_t *words, unsigned count)
{
    recorder_add_register(recorder, file, number, words[0]);
    struct effect *effect = &recorder->effects[recorder->count - 1];

    while (recorder->word_capacity - recorder->word_count < count)
        recorder->words = grow(recorder->words, &recorder->word_capacity, sizeof *recorder->words);
    memcpy(&recorder->words[recorder->word_count], words, count * sizeof *words);
    effect->is_wide = true;
    effect->address = recorder->word_count;
    effect->length = count;
    recorder->word_count += count;
}

void recorder_keep_bytes(struct recorder *recorder, struct effect *effect, const void *bytes,
                         size_t length)
{
    if (effect->kind == EFFECT_RANGE_READ ? !recorder->keeps_reads : !recorder->keeps_bytes)
        return;
    while (recorder->byte_capacity - recorder->byte_count < length)
        recorder->bytes = grow(recorder->bytes, &recorder->byte_capacity, 1);
    memcpy(recorder->bytes + recorder->byte_count, bytes, length);
    effect->bytes_at = recorder->byte_count;
    effect->bytes_length = length;
    recorder->byte_count += length;
}

void recorder_free(struct recorder *recorder)
{
    free(recorder->effects);
    free(recorder->words);
    free(recorder->bytes);
    memset(recorder, 0, sizeof *recorder);
}

static void append_index(struct text *text, uint32_t index)
{
    enum { ROOM = 16 };
    char *at = text_room(text, ROOM);

    *at++ = '[';
    at = put_decimal(at, index);
    *at++ = ']';
    text_extend(text, at);
}

void effect_append_state(struct text *text, const struct effect *effect)
{
    text_append(text, effect_unit(effect));
    if (effect->unit)
        text_append_char(text, '.');
    text_append(text, effect->name);
    if (effect->number != EFFECT_NO_ROW)
        append_index(text, effect->number);
    if (effect->dimension >= 0)
        append_index(text, (uint32_t)effect->dimension);
}
