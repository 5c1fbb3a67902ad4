/* Decoded code: see decode.h. Each page of code numbers the blocks that begin in it, and has a
 * table of their numbers, indexed by halfword, in parts, of which there are those that are needed.
 * A block whose last instruction runs into the next page is dropped with that one, too. */
#include "emu/decode/decode.h"
#include "emu/decode/operands.h"
#include "emu/decode/records.h"
#include <stdlib.h>
#include <sys/mman.h>

enum {
    PART_ENTRIES = 64,
    PAGE_PARTS = (1 << MEMORY_PAGE_BITS) / 2 / PART_ENTRIES,
    CODE_BYTES_LIMIT =
        128 << 20,      /* of blocks, including dropped ones, and pages, before all is freed */
    DROPS_FREE = 4,     /* drops that do not matter */
    DROPS_LIMIT = 10,   /* the most that do: each one more doubles the arrivals */
    DROP_ARRIVALS = 64, /* before it is worth to make native code of the block */
};

/* The block that begins at each halfword. */
struct part {
    struct start {
        uint16_t number : 12; /* 0: there was none */
        uint16_t drops : 4;   /* how often one was dropped, as far as that matters */
    } starts[PART_ENTRIES];
};

struct code_page {
    struct code_page *next;  /* in the list of all pages */
    uint64_t number;         /* of the page of memory */
    bool is_crossed;         /* blocks of the page before may end here */
    struct decoded **blocks; /* first records, by number; NULL: the block was dropped */
    size_t count, capacity;  /* of them; the first one is not used */
    struct part *parts[PAGE_PARTS];
};

/* A part without a block, which is not written to. */
static struct part empty_part;

/* Allocates memory that is freed when all code is forgotten. */
static void *allocate(struct code *code, size_t size)
{
    code->bytes += size;
    return arena_alloc(&code->arena, size);
}

/* The operands of an instruction stay, since it may be running. After the end of memory nothing
 * changes. */
static void make_stale(const struct code *code, struct decoded *record)
{
    bool is_terminator = record->remaining == 0;

    if (is_terminator || code_is_entry(record))
        record->taken = record->chain = NULL;
    if (record->id == PSEUDO_NOWHERE)
        return;
    record->id = PSEUDO_STALE;
    record->body = records_body(code, record->id);
}

static struct part **part_of(struct code_page *page, uint64_t pc)
{
    return &page->parts[(pc & (MEMORY_PAGE - 1)) / 2 / PART_ENTRIES];
}

static struct start *start_of(struct part *part, uint64_t pc)
{
    return &part->starts[pc / 2 % PART_ENTRIES];
}

/* Returns a new number for a block of the page. */
static unsigned new_number(struct code *code, struct code_page *page)
{
    size_t capacity = page->capacity;

    page->blocks =
        arena_grow(&code->arena, page->blocks, page->count, &page->capacity, sizeof *page->blocks);
    code->bytes += (page->capacity - capacity) * sizeof *page->blocks;
    page->count += page->count == 0;
    return (unsigned)page->count++;
}

/* Returns the terminator of the block that begins with the record. */
static struct decoded *terminator_of(struct decoded *first)
{
    first += code_is_entry(first);
    return first + first->remaining;
}

/* Returns the arrivals of control at the block that begins with the record. */
static int32_t *arrivals_of(struct decoded *first)
{
    return code_is_entry(first) ? &first->arrivals : &terminator_of(first)->arrivals;
}

/* Enters the block in the page that it begins in. A block that was dropped there before leaves its
 * number to it. */
static void add_block(struct code *code, struct code_page *page, struct decoded *first)
{
    struct part **part = part_of(page, first->pc);

    if (*part == &empty_part)
        *part = allocate(code, sizeof **part);
    struct start *start = start_of(*part, first->pc);
    if (!start->number)
        start->number = new_number(code, page);
    page->blocks[start->number] = first;
    if (start->drops > DROPS_FREE)
        *arrivals_of(first) -= DROP_ARRIVALS << (start->drops - DROPS_FREE);
}

static void drop_block(const struct code *code, struct decoded *first)
{
    const struct decoded *terminator = terminator_of(first);

    for (struct decoded *record = first; record <= terminator; record++)
        make_stale(code, record);
}

/* Drops the page's blocks that may depend on the bytes in [from, end). An illegal instruction
 * depends on 8 bytes. */
static void drop_blocks(const struct code *code, struct code_page *page, uint64_t from,
                        uint64_t end)
{
    for (size_t i = 1; i < page->count; i++) {
        struct decoded *first = page->blocks[i];
        if (!first || first->pc >= end || code_pc(terminator_of(first)) + sizeof(uint64_t) <= from)
            continue;
        struct start *start = start_of(*part_of(page, first->pc), first->pc);
        start->drops += start->drops < DROPS_LIMIT;
        page->blocks[i] = NULL;
        drop_block(code, first);
    }
}

/* Drops the code of the bytes, which are in one page and change. */
static void drop_bytes(void *context, uint64_t address, uint64_t end)
{
    struct code *code = context;
    uint64_t number = code_page_number(address);

    memory_unmark_code(code->memory, address, end);
    for (unsigned view = 0; view < VIEWS; view++) {
        struct code_page *page = code->views[view][number];
        if (page)
            drop_blocks(code, page, address, end);
        if (page && page->is_crossed)
            drop_blocks(code, code->views[view][number - 1], address, end);
    }
    code->drops++;
    if (code->dropped)
        code->dropped(code->dropped_context, address, end);
}

/* Maps a view, of which most pages are never used. (The C library may give out old memory, which it
 * has to clear.) Returns NULL if there is no room. */
static struct code_page **map_view(void)
{
    void *view = mmap(NULL, MEMORY_CODE_PAGES * sizeof(struct code_page *), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return view == MAP_FAILED ? NULL : view;
}

bool code_init(struct code *code, struct diag *diag, struct memory *memory, isa_set extensions)
{
    *code = (struct code){.memory = memory, .extensions = extensions};
    code->supers = records_find_super_parts();
    code->plans = operands_open();
    if (!code->supers || !code->plans) {
        diag_error(diag, NULL, "out of memory for decoded code");
        return false;
    }
    for (unsigned view = 0; view < VIEWS; view++) {
        code->views[view] = map_view();
        if (!code->views[view]) {
            diag_error(diag, NULL, "out of memory for decoded code");
            return false;
        }
    }
    memory->code_changes = drop_bytes;
    memory->code_context = code;
    return true;
}

void code_forget(struct code *code)
{
    for (const struct code_page *page = code->pages; page; page = page->next) {
        /* The marks of its bytes stay: there may be native code of them. */
        memory_watch_code(code->memory, page->number, false);
        for (unsigned view = 0; view < VIEWS; view++)
            code->views[view][page->number] = NULL;
    }
    arena_free(&code->arena);
    code->pages = NULL;
    code->bytes = 0;
    code->resets++;
    if (code->forgotten)
        code->forgotten(code->dropped_context);
}

void code_free(struct code *code)
{
    arena_free(&code->arena);
    free(code->supers);
    operands_close(code->plans);
    code->supers = NULL;
    code->plans = NULL;
    for (unsigned view = 0; view < VIEWS; view++) {
        if (code->views[view])
            munmap(code->views[view], MEMORY_CODE_PAGES * sizeof *code->views[view]);
        code->views[view] = NULL;
    }
}

void code_reset(struct code *code, const struct executor *executor)
{
    code_forget(code);
    code->executor = executor;
}

void code_cut(const struct code *code, struct decoded *record)
{
    struct decoded **link = code_link(record);

    if (link)
        *link = NULL;
    for (unsigned i = 1; i <= record->remaining; i++)
        make_stale(code, &record[i]);
}

static struct code_page *page_of(struct code *code, uint64_t address)
{
    struct code_page **page = &code->views[code->view][code_page_number(address)];

    if (*page)
        return *page;
    *page = allocate(code, sizeof **page);
    (*page)->number = code_page_number(address);
    (*page)->next = code->pages;
    code->pages = *page;
    for (unsigned i = 0; i < PAGE_PARTS; i++)
        (*page)->parts[i] = &empty_part;
    return *page;
}

/* Enters the block, decoded from [first->pc, end), in its pages. */
static void register_block(struct code *code, struct decoded *first, uint64_t end)
{
    uint64_t pc = first->pc;

    add_block(code, page_of(code, pc), first);
    if (code_page_number(end - 1) != code_page_number(pc))
        page_of(code, end - 1)->is_crossed = true;
    memory_mark_code(code->memory, pc, end - pc);
}

/* Allocates a block, decodes into it, and gives back what is not used. Returns its first record. */
static struct decoded *decode_new_block(struct code *code, uint64_t pc, uint64_t *end)
{
    enum { MOST = RECORDS_LIMIT * sizeof(struct decoded) };
    struct decoded *room = allocate(code, MOST);
    unsigned count;
    struct decoded *first = records_decode(code, room, pc, &count, end);

    size_t used = count * sizeof *room;
    arena_shorten(&code->arena, room, MOST, used);
    code->bytes -= MOST - used;
    *arrivals_of(first) = code->first_arrivals;
    return first;
}

/* A record that cannot be fetched is not kept, because the page may be mapped later. */
static struct decoded *make_block(struct code *code, uint64_t pc)
{
    uint64_t end;
    struct decoded *first = decode_new_block(code, pc, &end);

    if (first->id != PSEUDO_FETCH)
        register_block(code, first, end);
    return first;
}

/* Returns the first record of the block, or NULL. */
static struct decoded *find_block(const struct code *code, enum memory_view view, uint64_t pc)
{
    struct code_page *page =
        pc < MEMORY_CODE_LIMIT ? code->views[view][code_page_number(pc)] : NULL;
    unsigned number = page ? start_of(*part_of(page, pc), pc)->number : 0;

    return number ? page->blocks[number] : NULL;
}

struct decoded *code_find(struct code *code, uint64_t pc)
{
    struct decoded *first = find_block(code, code->view, pc);

    return first ? first : make_block(code, pc);
}

const struct decoded *code_peek(const struct code *code, uint64_t pc)
{
    const struct decoded *first = find_block(code, code->view, pc);

    return first ? first + code_is_entry(first) : NULL;
}

struct decoded *code_find_plain(struct code *code, uint64_t pc)
{
    struct decoded *first = code_find(code, pc);

    return first->id == PSEUDO_TRANSLATED ? first + 1 : first;
}

int32_t code_count_arrivals(struct code *code, uint64_t pc, int32_t more)
{
    int32_t *arrivals = arrivals_of(code_find(code, pc));

    if (*arrivals < INT32_MAX / 2)
        *arrivals += more;
    return *arrivals;
}

bool code_is_translated(const struct code *code, uint64_t pc)
{
    const struct decoded *first = find_block(code, code->view, pc);

    return first && first->id == PSEUDO_TRANSLATED;
}

void code_translate(struct code *code, uint64_t pc)
{
    struct decoded *first = find_block(code, code->view, pc);

    if (!first || first->id != PSEUDO_ENTRY)
        return;
    first->id = PSEUDO_TRANSLATED;
    first->body = records_body(code, PSEUDO_TRANSLATED);
    first->remaining = 0;
}

void code_untranslate(struct code *code, enum memory_view view, uint64_t pc)
{
    struct decoded *first = find_block(code, view, pc);

    if (!first || first->id != PSEUDO_TRANSLATED)
        return;
    records_make_entry(code, first);
    first->arrivals = code->first_arrivals;
}

bool code_is_full(const struct code *code)
{
    return code->bytes > CODE_BYTES_LIMIT;
}

struct decoded *code_follow(struct code *code, struct decoded *from, uint64_t pc)
{
    if (code_is_full(code)) {
        code_forget(code);
        return code_find(code, pc);
    }
    struct decoded *first = code_find(code, pc), **link = from ? code_link(from) : NULL;
    if (link && first->id != PSEUDO_FETCH)
        *link = first;
    return first;
}
