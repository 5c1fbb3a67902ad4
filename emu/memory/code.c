/* The bytes from which code was decoded: a change of them is announced. */
#include "emu/memory/parts.h"

enum {
    CODE_WORDS = MEMORY_PAGE / 2 / 64,
    LEAST_STORES = 16,     /* beside code, before this may be dropped */
    PATIENCE_LIMIT = 1024, /* the most */
};

/* The bytes of a page, by their halfwords. */
struct halfwords {
    uint64_t page;
    unsigned first, last;
};

/* Returns those of [address, end) that are in the page of the address. */
static struct halfwords halfwords_of(uint64_t address, uint64_t end)
{
    uint64_t page_end = (address | (MEMORY_PAGE - 1)) + 1, last = (end < page_end ? end : page_end);

    return (struct halfwords){.page = address >> MEMORY_PAGE_BITS,
                              .first = address % MEMORY_PAGE / 2,
                              .last = (last - 1) % MEMORY_PAGE / 2};
}

/* Returns the bits of a word of the page's that belong to the halfwords. */
static uint64_t bits_of(const struct halfwords *range, unsigned word)
{
    unsigned low = word * 64, first = range->first > low ? range->first - low : 0,
             last = range->last < low + 63 ? range->last - low : 63;

    return UINT64_MAX << first & UINT64_MAX >> (63 - last);
}

static bool holds_code(const struct memory *memory, const struct halfwords *range)
{
    if (!(memory->pages[range->page] & PAGE_CODE))
        return false;
    const uint64_t *halfwords = memory->code[range->page]->halfwords;
    for (unsigned word = range->first / 64; word <= range->last / 64; word++)
        if (halfwords[word] & bits_of(range, word))
            return true;
    return false;
}

void memory_watch_code(struct memory *memory, uint64_t page, bool is_watched)
{
    unsigned now = memory->pages[page], next = (now & ~PAGE_CODE) | (is_watched ? PAGE_CODE : 0);

    if (!now || now == next)
        return;
    memory_set_page(memory, page, next);
    if (!(now & PAGE_WRITE))
        return;
    memory_mirror(memory, page, page + 1);
}

void memory_mark_code(struct memory *memory, uint64_t address, uint64_t length)
{
    struct halfwords range;

    for (uint64_t end = address + length; address < end;
         address = (range.page + 1) << MEMORY_PAGE_BITS) {
        range = halfwords_of(address, end);
        struct memory_code **code = &memory->code[range.page];
        if (!*code) {
            *code = arena_alloc(&memory->code_arena, sizeof **code);
            (*code)->patience = 1;
        }
        for (unsigned word = range.first / 64; word <= range.last / 64; word++)
            (*code)->halfwords[word] |= bits_of(&range, word);
        memory_watch_code(memory, range.page, true);
    }
}

/* Returns how many halfwords of the page are marked. */
static unsigned count_marks(const struct memory_code *code)
{
    unsigned count = 0;

    for (unsigned word = 0; word < CODE_WORDS; word++)
        count += (unsigned)__builtin_popcountll(code->halfwords[word]);
    return count;
}

void memory_unmark_code(struct memory *memory, uint64_t address, uint64_t end)
{
    const struct halfwords range = halfwords_of(address, end);
    struct memory_code *code = memory->code[range.page];

    for (unsigned word = range.first / 64; code && word <= range.last / 64; word++)
        code->halfwords[word] &= ~bits_of(&range, word);
    if (code && count_marks(code))
        return;
    if (code)
        code->stores = 0;
    memory_watch_code(memory, range.page, false);
}

void memory_announce(struct memory *memory, uint64_t address, uint64_t length)
{
    struct halfwords range;
    uint64_t end = address + length;

    if (end > MEMORY_CODE_LIMIT)
        end = MEMORY_CODE_LIMIT;
    for (; address < end; address = (range.page + 1) << MEMORY_PAGE_BITS) {
        range = halfwords_of(address, end);
        if (memory->code_changes && holds_code(memory, &range))
            memory->code_changes(memory->code_context, address,
                                 (range.page << MEMORY_PAGE_BITS) + range.last * 2 + 2);
    }
}

void memory_announce_pages(struct memory *memory, uint64_t first, uint64_t end)
{
    memory_announce(memory, first << MEMORY_PAGE_BITS, (end - first) << MEMORY_PAGE_BITS);
}

void memory_note_store(struct memory *memory, uint64_t page)
{
    struct memory_code *code = memory->pages[page] & PAGE_CODE ? memory->code[page] : NULL;

    if (!code || ++code->stores < LEAST_STORES || code->stores < count_marks(code) * code->patience)
        return;
    if (code->patience < PATIENCE_LIMIT)
        code->patience *= 2;
    memory_announce_pages(memory, page, page + 1);
}
