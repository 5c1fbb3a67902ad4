/* The cache of instructions: a hash table in which each place holds one text, the last one stored.
 * It doubles when as many texts were stored as it has places: pages of memory cost a small source
 * more than the texts that are assembled again because they share a place. */
#include "asm/instruction/recall.h"
#include "asm/instruction/operand_match.h"
#include "asm/tasm.h"
#include <string.h>

enum { TEXT_LIMIT = 18, BYTES_LIMIT = 8 };

struct recalled {
    unsigned epoch; /* of the words when it was stored; 0: the entry is free */
    unsigned char length, count;
    char text[TEXT_LIMIT];
    unsigned char bytes[BYTES_LIMIT];
};

static const struct chunk_shape shape = {1 << 8, 1 << 8, sizeof(struct recalled)};

static struct recalled *place_of(const struct recall *recall, const char *text, size_t length)
{
    return chunks_place(&recall->chunks, &shape, hash_text(text, length));
}

static void grow(struct assembler *as)
{
    struct recall *recall = &as->recall;
    size_t older = chunks_double(&recall->chunks, as->arena, &shape);

    for (size_t i = 0; i < older; i++) {
        const struct recalled *entry = chunks_place(&recall->chunks, &shape, i);
        if (entry->epoch == as->words.epoch)
            *place_of(recall, entry->text, entry->length) = *entry;
    }
}

void recall_expect(const struct assembler *as, const char *text, size_t length)
{
    if (as->recall.chunks.count && length <= TEXT_LIMIT)
        __builtin_prefetch(place_of(&as->recall, text, length));
}

const struct recalled *recall_find(const struct assembler *as, const char *text, size_t length)
{
    if (!as->recall.chunks.count || length > TEXT_LIMIT || !condition_is_active(&as->conditions))
        return NULL;
    const struct recalled *entry = place_of(&as->recall, text, length);
    bool same = entry->epoch == as->words.epoch && entry->length == length &&
                memcmp(entry->text, text, length) == 0;
    return same ? entry : NULL;
}

void recall_append(struct assembler *as, const struct position *at, const struct recalled *recalled)
{
    as->at = at;
    section_content(as, CONTENT_CODE);
    lines_instruction(as, at);
    unsigned char *place = section_append(as, recalled->count, at);

    if (place)
        memcpy(place, recalled->bytes, recalled->count);
}

/* Does the expression consist of registers and numbers only? */
static bool is_written_out(const struct expression *expression)
{
    switch (expression->kind) {
    case EXPRESSION_CONSTANT:
        return true;
    case EXPRESSION_NAME:
        return expression_is_register(expression);
    case EXPRESSION_UNARY:
        return is_written_out(expression->left);
    case EXPRESSION_BINARY:
        return is_written_out(expression->left) && is_written_out(expression->right);
    default:
        return false;
    }
}

bool recall_is_written_out(const struct parsed *parsed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct item *item = &parsed->items[i];
        if (item->kind == ITEM_EXPRESSION ? !is_written_out(item->expression)
                                          : item->kind != ITEM_PUNCTUATION)
            return false;
    }
    return !parsed->label_count;
}

void recall_note(struct assembler *as, const struct parsed *parsed, const unsigned char *bytes,
                 size_t count)
{
    if (recall_is_written_out(parsed, parsed->item_count))
        recall_store(as, parsed->statement->text, parsed->statement->length, bytes, count);
}

void recall_store(struct assembler *as, const char *text, size_t length, const unsigned char *bytes,
                  size_t count)
{
    if (length > TEXT_LIMIT || !count || count > BYTES_LIMIT)
        return;
    struct recall *recall = &as->recall;
    if (recall->stored++ >= chunks_places(&recall->chunks, &shape) &&
        recall->chunks.count < shape.most)
        grow(as);
    struct recalled *entry = place_of(recall, text, length);
    *entry = (struct recalled){
        .epoch = as->words.epoch, .length = (unsigned char)length, .count = (unsigned char)count};
    memcpy(entry->text, text, length);
    memcpy(entry->bytes, bytes, count);
}
