/* Where everything is in memory.
 *
 * The statements are processed in order with a location counter, like a linker script. The first
 * section follows the file headers. Their size depends on the number of segments, which depends on
 * the addresses: room for the headers is reserved, and if it was not enough, the walk is repeated
 * with more. The reserved room never shrinks, so this terminates.
 *
 * Invariant for all later phases: an address and its file offset are equal modulo the page size, so
 * that the system can map the file. */
#include "ld/address.h"

#include "ld/layout.h"
#include "ld/script/expression.h"
#include "ld/script/script.h"
#include "ld/segment.h"
#include "ld/symbol.h"
#include <string.h>

struct walk {
    struct linker *linker;
    uint64_t here;
    uint64_t tls_here; /* the end of the last thread-local section without contents; these take no
                          room in memory */
    struct output_section *last; /* the section that symbols between sections belong to */
    bool placed_any;
    bool failed;
};

/* Returns `value` + `add`. Reports a sum that is not a valid address. */
static uint64_t advance(struct walk *walk, const struct output_section *output, uint64_t value,
                        uint64_t add)
{
    if (value <= HIGHEST_ADDRESS && add <= HIGHEST_ADDRESS - value)
        return value + add;
    if (!walk->failed)
        diag_error(&walk->linker->diag, NULL,
                   "output section '%s' does not fit: address 0x%llx and 0x%llx more bytes is "
                   "beyond the highest address 0x%llx",
                   output->name, (unsigned long long)value, (unsigned long long)add,
                   (unsigned long long)HIGHEST_ADDRESS);
    walk->failed = true;
    return value;
}

static uint64_t place_members(struct walk *walk, struct output_section *output, uint64_t start)
{
    uint64_t end = 0;

    for (size_t i = 0; i < output->member_count && !walk->failed; i++) {
        struct section *section = output->members[i];
        uint64_t padding = -(start + end) & (section->alignment - 1);
        end = advance(walk, output, end, padding);
        section->offset = end;
        end = advance(walk, output, end, section_final_size(section));
    }
    advance(walk, output, start, end);
    return end;
}

static void place_section(struct walk *walk, struct output_section *output)
{
    if (!(output->flags & SHF_ALLOC)) {
        output->size = place_members(walk, output, 0);
        return;
    }
    bool empty_image = output->flags & SHF_TLS && output->type == SHT_NOBITS;
    uint64_t here = empty_image && walk->tls_here > walk->here ? walk->tls_here : walk->here;
    if (output->has_fixed_address)
        here = output->fixed_address;
    else
        here = advance(walk, output, here, -here & (output->alignment - 1));
    if (here & (output->alignment - 1)) {
        diag_error(&walk->linker->diag, NULL,
                   "output section '%s' is put at 0x%llx, but its alignment is 0x%llx",
                   output->name, (unsigned long long)here, (unsigned long long)output->alignment);
        walk->failed = true;
    }
    output->address = output->load_address = here;
    output->size = place_members(walk, output, here);
    walk->placed_any |= output->size > 0;
    if (empty_image) {
        walk->tls_here = here + output->size;
        return;
    }
    walk->here = here + output->size;
    if (output->size) /* empty sections may not be written */
        walk->last = output;
}

static void place_symbol(struct walk *walk, const struct statement *statement)
{
    struct symbol *symbol = statement->symbol;
    struct output_section *output = statement->output;
    uint64_t address = walk->here;

    if (statement->anchor != ANCHOR_HERE)
        address = output->address + (statement->anchor == ANCHOR_END ? output->size : 0);
    output = statement->anchor != ANCHOR_HERE && output->size ? output : walk->last;
    symbol->assignment->output = output;
    symbol->value = address - (output ? output->address : 0);
}

/* Does a loaded section follow before the next segment or window? */
static bool segment_has_sections(const struct linker *linker, size_t i)
{
    for (i++; i < linker->statement_count; i++) {
        const struct statement *statement = &linker->statements[i];
        if (statement->kind == STATEMENT_SEGMENT || statement->kind == STATEMENT_WINDOW)
            return false;
        if (statement->kind == STATEMENT_SECTION && statement->output &&
            statement->output->flags & SHF_ALLOC)
            return true;
    }
    return false;
}

static void place_statement(struct walk *walk, size_t i);

/* Returns where the protected sections end if they start at `start`. */
static uint64_t relro_end_from(struct walk *walk, size_t i, uint64_t start)
{
    struct walk trial = *walk;
    const struct linker *linker = walk->linker;

    trial.here = start;
    for (i++; linker->statements[i].kind != STATEMENT_RELRO_END && !trial.failed; i++)
        place_statement(&trial, i);
    walk->failed |= trial.failed;
    return trial.here;
}

/* Starts the protected sections at an offset in the page for which they end at the end of a page.
 * Because of alignments this may need a second attempt; padding makes up for the rest. */
static void start_relro(struct walk *walk, size_t i)
{
    uint64_t start = walk->here, end = relro_end_from(walk, i, start);

    for (int attempt = 0; attempt < 2 && end > start && !walk->failed; attempt++) {
        start += -end & (PAGE_SIZE - 1);
        end = relro_end_from(walk, i, start);
    }
    walk->here = walk->linker->relro_start = start;
}

static void place_statement(struct walk *walk, size_t i)
{
    const struct statement *statement = &walk->linker->statements[i];

    switch (statement->kind) {
    case STATEMENT_SECTION:
        if (statement->output)
            place_section(walk, statement->output);
        break;
    case STATEMENT_SYMBOL:
        place_symbol(walk, statement);
        break;
    case STATEMENT_SEGMENT:
        if (walk->placed_any && !walk->linker->config.writable_code &&
            segment_has_sections(walk->linker, i))
            walk->here = align_up(walk->here, PAGE_SIZE) + (walk->here & (PAGE_SIZE - 1));
        break;
    case STATEMENT_RELRO_START:
        start_relro(walk, i);
        break;
    case STATEMENT_RELRO_END:
        if (walk->here != walk->linker->relro_start)
            walk->here = align_up(walk->here, PAGE_SIZE);
        walk->linker->relro_end = walk->here;
        break;
    case STATEMENT_ALIGN:
        walk->here = align_up(walk->here, statement->alignment);
        break;
    case STATEMENT_WINDOW:
        walk->here = SCRATCHPAD_START;
        walk->last = NULL;
        break;
    }
}

/* psABI, "Global Pointer": any value works; near the small data it is the most useful. The formula
 * is GNU ld's. */
static void place_global_pointer(struct linker *linker)
{
    struct symbol *symbol = symbol_find(linker, GLOBAL_POINTER_SYMBOL);
    const struct symbol *data = symbol_find(linker, "__DATA_BEGIN__"),
                        *small = symbol_find(linker, "__SDATA_BEGIN__"),
                        *end = symbol_find(linker, "__BSS_END__");

    if (!symbol || symbol->state != SYMBOL_ASSIGNED || symbol_expression(symbol))
        return;
    uint64_t reach = 0x800, low = symbol_address(data) + reach, high = symbol_address(end) - reach;
    uint64_t upper = low > high ? low : high, wanted = symbol_address(small) + reach;
    symbol->assignment->output = NULL;
    symbol->value = wanted < upper ? wanted : upper;
}

static void place_thread_local_storage(struct linker *linker)
{
    linker->has_tls = false;
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        if (!(output->flags & SHF_TLS))
            continue;
        if (!linker->has_tls || output->address < linker->tls_start)
            linker->tls_start = output->address;
        linker->has_tls = true;
    }
}

static void place_headers_symbol(struct linker *linker)
{
    uint64_t address;

    linker->script->headers->value = segments_find_headers(linker, &address) ? address : 0;
}

static void walk_statements(struct linker *linker)
{
    struct walk walk = {.linker = linker,
                        .here = linker->config.text_segment + sizeof(Elf64_Ehdr) +
                                linker->reserved_headers * sizeof(Elf64_Phdr)};

    for (size_t i = 0; i < linker->statement_count && !walk.failed; i++)
        place_statement(&walk, i);
}

/* Aligns the image of thread-local data to the largest alignment of its sections, so that each copy
 * is aligned if its start is. */
static void align_thread_local_storage(struct linker *linker)
{
    struct output_section *first = NULL;
    uint64_t alignment = 1;

    for (size_t i = 0; i < linker->statement_count; i++) {
        struct output_section *output = linker->statements[i].output;
        if (linker->statements[i].kind != STATEMENT_SECTION || !output ||
            !(output->flags & SHF_TLS))
            continue;
        first = first ? first : output;
        if (output->alignment > alignment)
            alignment = output->alignment;
    }
    if (first)
        first->alignment = alignment;
}

void assign_addresses(struct linker *linker)
{
    align_thread_local_storage(linker);
    do {
        if (linker->segment_count > linker->reserved_headers)
            linker->reserved_headers = linker->segment_count;
        if (linker->script)
            script_assign(linker);
        else
            walk_statements(linker);
        if (diag_failed(&linker->diag))
            return;
        if (linker->script && linker->script->segments)
            segments_build_scripted(linker);
        else
            segments_build(linker);
    } while (linker->segment_count > linker->reserved_headers);
    place_thread_local_storage(linker);
    if (linker->script && linker->script->headers)
        place_headers_symbol(linker);
    if (!linker->script)
        place_global_pointer(linker);
    expressions_evaluate(linker);
}
