/* The table of words, with open addressing. Each slot has the hash of its word, so that growing the
 * table and skipping other words do not read the words themselves. */
#include "asm/word.h"
#include "lib/isa.h"
#include "lib/map.h"
#include <string.h>

/* Returns the hash by which the table finds a word. Words that differ only in their last digit, as
 * the labels that a compiler uses together, have hashes that differ only in their low bits. Their
 * slots lie side by side, so the processor reads them from memory together. */
static uint32_t slot_hash(const char *text, size_t length)
{
    return length ? (uint32_t)hash_text(text, length - 1) ^ (unsigned char)text[length - 1] : 0;
}

/* Returns the slot of the word, or the free slot for it. */
static struct word_slot *find_slot(const struct words *words, const char *text, size_t length,
                                   uint32_t hash)
{
    size_t mask = words->slot_count - 1;

    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        struct word_slot *slot = &words->slots[i];
        const struct word *word = slot->word;
        if (!word ||
            (slot->hash == hash && word->length == length && memcmp(word->name, text, length) == 0))
            return slot;
    }
}

static void grow(struct words *words)
{
    struct word_slot *older = words->slots;
    size_t older_count = words->slot_count;

    words->slot_count = older_count ? older_count * 2 : 1024;
    words->slots = arena_array(words->arena, words->slot_count, sizeof *words->slots);
    size_t mask = words->slot_count - 1;
    for (size_t i = 0; i < older_count; i++) {
        if (!older[i].word)
            continue;
        size_t slot = older[i].hash & mask;
        while (words->slots[slot].word)
            slot = (slot + 1) & mask;
        words->slots[slot] = older[i];
    }
}

struct meaning *word_meaning(struct words *words, struct word *word)
{
    if (!word->meaning)
        word->meaning = arena_new(words->arena, struct meaning);
    return word->meaning;
}

/* Gives a new word what it means in the instruction set. Most words begin with '.', '_' or a
 * capital, which precede all in its sorted tables. */
static void note_instruction_set(struct words *words, struct word *word)
{
    size_t count;

    if (word->name[0] < isa_forms->mnemonic[0] && word->name[0] < isa_register_names->name[0])
        return;
    const struct isa_form *forms = isa_find_forms(word->name, &count);
    const struct isa_register_name *register_name = isa_find_register(word->name);

    if (!forms && !register_name)
        return;
    struct meaning *meaning = word_meaning(words, word);
    meaning->forms = forms;
    meaning->form_count = count;
    meaning->register_name = register_name;
}

static struct word *add(struct words *words, struct word_slot *slot, const char *name,
                        size_t length, uint32_t hash)
{
    struct word *word = arena_alloc(words->arena, sizeof *word + length + 1);

    word->length = (uint32_t)length;
    memcpy(word->name, name, length);
    note_instruction_set(words, word);
    *slot = (struct word_slot){word, hash};
    if (++words->count * 3 > words->slot_count * 2)
        grow(words);
    return word;
}

void words_expect(const struct words *words, const char *text, size_t length)
{
    __builtin_prefetch(&words->slots[slot_hash(text, length) & (words->slot_count - 1)]);
}

struct word *word_find(const struct words *words, const char *text, size_t length)
{
    return find_slot(words, text, length, slot_hash(text, length))->word;
}

struct word *word_get(struct words *words, const char *text, size_t length)
{
    uint32_t hash = slot_hash(text, length);
    struct word_slot *slot = find_slot(words, text, length, hash);

    return slot->word ? slot->word : add(words, slot, text, length, hash);
}

struct word *word_get_short(struct words *words, const char *text, size_t length)
{
    uint32_t first = 0, last = 0;

    if (length > sizeof first + sizeof last)
        return word_get(words, text, length);
    if (length >= sizeof first) {
        memcpy(&first, text, sizeof first);
        memcpy(&last, text + length - sizeof last, sizeof last);
    } else {
        for (size_t i = 0; i < length; i++)
            last = last << 8 | (unsigned char)text[i];
    }
    uint64_t key = (uint64_t)first << 32 | last;
    struct short_word *recent =
        &words->recent[(first ^ last) * UINT32_C(0x9e3779b9) >> (32 - WORDS_RECENT_BITS)];
    if (!recent->word || recent->text != key || recent->word->length != length)
        *recent = (struct short_word){key, word_get(words, text, length)};
    return recent->word;
}

struct meaning *words_mean(struct words *words, const char *name)
{
    return word_meaning(words, word_get(words, name, strlen(name)));
}

void words_change(struct words *words)
{
    words->epoch++;
}

void words_init(struct words *words, struct arena *arena)
{
    *words = (struct words){.arena = arena, .epoch = 1};
    grow(words);
}
