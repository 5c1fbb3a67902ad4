/* The cache of heads: a hash table in which each place holds one head, the last one stored. It
 * grows as that of recall.c does. */
#include "asm/instruction/head.h"
#include "asm/expression.h"
#include "asm/tasm.h"
#include <string.h>

enum { TEXT_LIMIT = 20, BYTES_LIMIT = 8, FIXUP_LIMIT = 2 };

/* A value in the bytes: the symbol, or the label of the first instruction. */
struct head_fixup {
    const struct isa_instruction *instruction;
    const struct isa_operand *operand;
    uint16_t relocation_number;
    unsigned char offset;
    bool is_first;
};

struct head {
    unsigned epoch; /* of the words when it was stored; 0: the entry is free */
    unsigned char length, count, fixup_count; /* of the text, the bytes; 0 fixups: a branch */
    bool has_first;
    bool takes_plt; /* the symbol may have `@plt` after it */
    char text[TEXT_LIMIT];
    const char *mnemonic;
    union {
        struct {
            const struct isa_instruction *instruction, *compressed;
            uint64_t word;
            uint32_t compressed_word;
        };
        struct {
            unsigned char bytes[BYTES_LIMIT];
            struct head_fixup fixups[FIXUP_LIMIT];
        };
    };
};

static const struct chunk_shape shape = {1 << 5, 1 << 6, sizeof(struct head)};

static struct head *place_of(const struct heads *heads, const char *text, size_t length)
{
    return chunks_place(&heads->chunks, &shape, hash_text(text, length));
}

static void grow(struct assembler *as)
{
    struct heads *heads = &as->heads;
    size_t older = chunks_double(&heads->chunks, as->arena, &shape);

    for (size_t i = 0; i < older; i++) {
        const struct head *entry = chunks_place(&heads->chunks, &shape, i);
        if (entry->epoch == as->words.epoch)
            *place_of(heads, entry->text, entry->length) = *entry;
    }
}

const struct head *head_find(const struct assembler *as, const char *text, size_t length, bool plt)
{
    if (!as->heads.chunks.count || length > TEXT_LIMIT)
        return NULL;
    const struct head *head = place_of(&as->heads, text, length);
    bool same = head->epoch == as->words.epoch && head->length == length &&
                memcmp(head->text, text, length) == 0;
    return same && (head->takes_plt || !plt) ? head : NULL;
}

bool head_takes(const struct word *word)
{
    bool is_dot = word->length == 1 && word->name[0] == '.';

    return !is_dot && !word->meaning && !(word->symbol && word->symbol->kind == SYMBOL_EQUATED);
}

/* ---- appending ---- */

static void append_branch(struct assembler *as, const struct head *head,
                          struct expression *expression, const struct position *at)
{
    struct fragment *fragment = section_variable(as, FRAGMENT_BRANCH, at);

    fragment->instruction = head->instruction;
    fragment->compressed = head->compressed;
    fragment->word = head->word;
    fragment->compressed_word = head->compressed_word;
    fragment->expression = expression;
}

static void append_bytes(struct assembler *as, const struct head *head,
                         struct expression *expression, const struct position *at)
{
    struct expression *first =
        head->has_first ? expression_symbol(as, at, symbol_here(as, ".L0 ")) : NULL;
    unsigned char *place = section_append(as, head->count, at);

    if (!place)
        return;
    memcpy(place, head->bytes, head->count);
    struct fragment *fragment = section_fragment(as);
    uint64_t start = fragment->length - head->count;
    for (unsigned i = 0; i < head->fixup_count; i++) {
        const struct head_fixup *stored = &head->fixups[i];
        struct fixup *fixup = section_fixup(as, fragment, start + stored->offset);
        fixup->instruction = stored->instruction;
        fixup->operand = stored->operand;
        fixup->relocation_number = stored->relocation_number;
        fixup->expression = stored->is_first ? first : expression;
    }
}

void head_append(struct assembler *as, const struct head *head, struct word *word,
                 const struct position *at, unsigned offset)
{
    const struct position *kept = position_new(as, *at);

    as->at = NULL;
    section_content(as, CONTENT_CODE);
    lines_instruction(as, NULL);
    struct symbol *symbol = symbol_of(as, word);
    symbol->named = true;
    struct expression *expression = expression_symbol(as, kept, symbol);
    expression->offset = offset;
    expression->length = word->length;
    as->mnemonic = head->mnemonic;
    if (head->fixup_count)
        append_bytes(as, head, expression, kept);
    else
        append_branch(as, head, expression, kept);
    as->mnemonic = NULL;
}

/* ---- storing ---- */

/* Do all forms of the mnemonic have only operands that are registers, numbers or addresses? Then a
 * name that is not a register is an address. */
static bool takes_addresses(const struct meaning *meaning)
{
    for (size_t i = 0; i < meaning->form_count; i++)
        for (unsigned j = 0; j < meaning->forms[i].operand_count; j++) {
            enum isa_kind kind = meaning->forms[i].operands[j].type->kind;
            if (kind != ISA_REGISTER && kind != ISA_IMMEDIATE && kind != ISA_TARGET &&
                kind != ISA_SYMBOL && kind != ISA_VALUE)
                return false;
        }
    return true;
}

/* Does the statement end with a word and `@plt`, without blanks between them? */
static bool ends_with_plt(const struct parsed *parsed)
{
    const struct item *item = parsed->items + parsed->item_count - 1;

    return parsed->item_count > 1 && item->kind == ITEM_TYPE && item->length == strlen("@plt") &&
           strcmp(item->type, "plt") == 0 && item[-1].offset + item[-1].length == item->offset &&
           item->offset + item->length == parsed->statement->length;
}

/* Returns the symbol that is the item, and nothing but its name. */
static const struct symbol *symbol_of_item(const struct parsed *parsed, const struct item *item)
{
    const struct statement *statement = parsed->statement;

    if (item->kind != ITEM_EXPRESSION || item->expression->kind != EXPRESSION_SYMBOL)
        return NULL;
    const struct symbol *symbol = item->expression->symbol;
    bool same = strlen(symbol->name) == item->length &&
                memcmp(symbol->name, statement->text + item->offset, item->length) == 0;
    return same && symbol->kind != SYMBOL_EQUATED ? symbol : NULL;
}

static bool store_branch(struct head *head, const struct fragment *fragment, uint64_t length,
                         const struct symbol *symbol)
{
    if (fragment->kind != FRAGMENT_BRANCH || fragment->length != length || fragment->next->length ||
        fragment->next->next || fragment->expression->symbol != symbol)
        return false;
    head->mnemonic = fragment->mnemonic;
    head->instruction = fragment->instruction;
    head->compressed = fragment->compressed;
    head->word = fragment->word;
    head->compressed_word = fragment->compressed_word;
    return true;
}

static bool store_fixup(struct head *head, const struct fixup *fixup,
                        const struct fragment *fragment, uint64_t length,
                        const struct symbol *symbol)
{
    if (head->fixup_count == FIXUP_LIMIT || fixup->fragment != fragment || fixup->size ||
        fixup->expression->kind != EXPRESSION_SYMBOL)
        return false;
    const struct symbol *used = fixup->expression->symbol;
    bool is_first = used != symbol;
    if (is_first && !(used->generated && used->fragment == fragment && used->offset == length))
        return false;
    head->mnemonic = fixup->mnemonic;
    head->has_first |= is_first;
    head->fixups[head->fixup_count++] =
        (struct head_fixup){.instruction = fixup->instruction,
                            .operand = fixup->operand,
                            .relocation_number = fixup->relocation_number,
                            .offset = (unsigned char)(fixup->offset - length),
                            .is_first = is_first};
    return true;
}

static bool store_bytes(struct head *head, const struct fragment *fragment, uint64_t length,
                        const struct fixup *fixup, const struct symbol *symbol)
{
    uint64_t count = fragment->length - length;

    if (fragment->next || !count || count > BYTES_LIMIT)
        return false;
    for (; fixup; fixup = fixup->next)
        if (!store_fixup(head, fixup, fragment, length, symbol))
            return false;
    head->count = (unsigned char)count;
    memcpy(head->bytes, fragment->bytes + length, count);
    return head->fixup_count;
}

void head_note(struct assembler *as, const struct parsed *parsed, const struct fragment *fragment,
               uint64_t length, const struct fixup *last)
{
    bool plt = ends_with_plt(parsed);
    size_t before = parsed->item_count - 1 - plt;

    if (!parsed->item_count || !takes_addresses(parsed->word->meaning) ||
        !recall_is_written_out(parsed, before))
        return;
    const struct item *item = &parsed->items[before];
    const struct symbol *symbol = symbol_of_item(parsed, item);
    bool at_end = plt || item->offset + item->length == parsed->statement->length;
    size_t text = item->offset;
    const struct fixup *first = last ? last->next : fragment->section->fixups;
    if (!symbol || !at_end || text > TEXT_LIMIT)
        return;
    struct head head = {.epoch = as->words.epoch, .length = (unsigned char)text, .takes_plt = plt};
    if (!(first ? store_bytes(&head, fragment, length, first, symbol)
                : fragment->next && store_branch(&head, fragment, length, symbol)))
        return;
    memcpy(head.text, parsed->statement->text, text);
    struct heads *heads = &as->heads;
    if (heads->stored++ >= chunks_places(&heads->chunks, &shape) &&
        heads->chunks.count < shape.most)
        grow(as);
    *place_of(&as->heads, head.text, text) = head;
}
