/* Counts words in a hash table with the C library's allocator, string functions, printf and qsort:
 * typical work of programs that are not kernels. */
#include "workload.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 512, DRAWS = 6000, KINDS = 1500 };

struct word {
    struct word *next;
    unsigned count;
    char text[];
};

static struct word *buckets[BUCKETS];

static uint32_t hash(const char *text)
{
    uint32_t value = 5381;

    while (*text)
        value = value * 33 ^ (unsigned char)*text++;
    return value;
}

static void count_word(const char *text)
{
    struct word **at = &buckets[hash(text) % BUCKETS];

    while (*at && strcmp((*at)->text, text) != 0)
        at = &(*at)->next;
    if (!*at) {
        size_t length = strlen(text) + 1;
        *at = calloc(1, sizeof **at + length);
        if (!*at)
            abort();
        memcpy((*at)->text, text, length);
    }
    (*at)->count++;
}

static int by_count(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;

    return x->count != y->count ? (x->count < y->count) - (x->count > y->count)
                                : strcmp(x->text, y->text);
}

uint32_t workload(unsigned variant)
{
    static struct word *all[KINDS];
    uint32_t state = variant + 1, sum = 0;

    for (int i = 0; i < DRAWS; i++) {
        char text[48];
        unsigned kind = draw(&state) % KINDS;
        snprintf(text, sizeof text, "%s-%04x_%u", kind & 1 ? "tensor" : "vector-of",
                 kind * 7919 & 0xffff, kind);
        count_word(text);
    }
    size_t found = 0;
    for (int i = 0; i < BUCKETS; i++) {
        for (struct word *word = buckets[i]; word; word = word->next)
            all[found++] = word;
        buckets[i] = NULL;
    }
    qsort(all, found, sizeof all[0], by_count);
    for (size_t i = 0; i < found; i++) {
        sum = mix(sum, hash(all[i]->text) + all[i]->count);
        free(all[i]);
    }
    return sum;
}
