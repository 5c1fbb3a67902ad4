/* Assigns addresses by a script, with a location counter. Expressions may refer to what comes
 * later, so the script is walked until a walk changes nothing. Errors in expressions are reported
 * only then, with final sizes, since earlier ones may be transient.
 *
 * The load address of a section (GNU ld's manual, "Output Section LMA") is given by AT, or by the
 * region of AT>, which also holds for the following sections in the same memory region; otherwise
 * it is as far from the address as for the last section of the region. */
#include "ld/script/script.h"

#include "ld/symbol.h"
#include "lib/bytes.h"
#include "lib/diag.h"
#include <stdlib.h>
#include <string.h>

#define MOST_WALKS 20

typedef unsigned long long number;

static void set(struct script_walk *walk, uint64_t *where, uint64_t value)
{
    walk->changed |= *where != value;
    *where = value;
}

static bool move(struct script_walk *walk, const struct position *at, uint64_t to)
{
    if (to <= HIGHEST_ADDRESS) {
        walk->here = to;
        return true;
    }
    if (walk->reporting)
        diag_error(&walk->linker->diag, at, "address 0x%llx is beyond the highest address 0x%llx",
                   (number)to, (number)HIGHEST_ADDRESS);
    return false;
}

/* ---- statements ---- */

static void assign_here(struct script_walk *walk, const struct script_statement *statement)
{
    struct script_value value = script_evaluate(walk, statement->value);
    uint64_t to = value.address;

    if (value.plain && walk->output)
        to += walk->output->address;
    if (walk->output && to < walk->here) {
        if (walk->reporting)
            diag_error(&walk->linker->diag, &statement->at,
                       "cannot move the location counter back from 0x%llx to 0x%llx in '%s'",
                       (number)walk->here, (number)to, walk->output->name);
        return;
    }
    move(walk, &statement->at, to);
}

/* A symbol may be assigned several times, so each statement remembers its own value. */
static void assign(struct script_walk *walk, struct script_statement *statement)
{
    struct symbol *symbol = statement->symbol;

    if (strcmp(statement->name, ".") == 0) {
        assign_here(walk, statement);
        return;
    }
    if (!symbol)
        return;
    struct script_value value = script_evaluate(walk, statement->value);
    struct output_section *output = value.output;
    if (value.plain && walk->output) {
        output = walk->output;
        value.address += output->address;
    } else if (value.here && !output) {
        output = walk->last;
    }
    symbol->assignment->output = output;
    symbol->walked = true;
    symbol->value = value.address - (output ? output->address : 0);
    set(walk, &statement->assigned, symbol->value);
}

/* Places a section, or a datum, at the next address of this alignment. */
static void place(struct script_walk *walk, const struct script_output *script_output,
                  struct section *section, uint64_t alignment)
{
    if (alignment > walk->output->alignment) { /* takes effect in the next walk */
        walk->output->alignment = alignment;
        walk->changed = true;
    }
    if (!move(walk, &script_output->at, align_up(walk->here, alignment)))
        return;
    section->offset = walk->here - walk->output->address;
    move(walk, &script_output->at, walk->here + section_final_size(section));
}

static void place_member(struct script_walk *walk, const struct script_output *script_output,
                         struct section *section)
{
    uint64_t alignment = section->alignment;

    if (script_output->member_alignment) {
        uint64_t asked = script_number(walk, script_output->member_alignment);
        if (asked && !(asked & (asked - 1)))
            alignment = asked;
        else if (walk->reporting)
            diag_error(&walk->linker->diag, &script_output->member_alignment->position,
                       "SUBALIGN: found %llu, expected a power of two", (number)asked);
    }
    place(walk, script_output, section, alignment);
}

/* As in GNU ld, nothing in the value of a datum is relative to the section. */
static void place_data(struct script_walk *walk, const struct script_output *script_output,
                       struct script_statement *statement)
{
    struct output_section *output = walk->output;

    walk->output = NULL;
    struct script_value value = script_evaluate(walk, statement->value);
    walk->output = output;
    bytes_put((unsigned char *)statement->data->bytes, value.address, statement->size);
    place(walk, script_output, statement->data, 1);
}

/* Adds a fill: the bytes that a hexadecimal number is written with, leading zeros included, or the
 * four bytes of another value, the most significant first. */
static void add_fill(struct script_walk *walk, const struct expression *expression)
{
    struct output_section *output = walk->output;
    uint64_t value = script_number(walk, expression);
    unsigned digits = expression->operation == NUMBER ? expression->hex_digits : 0;
    struct fill fill = {.offset = walk->here - output->address,
                        .length = digits ? (digits + 1) / 2 : 4};

    if ((value > UINT32_MAX || fill.length > sizeof fill.pattern) && walk->reporting)
        diag_error(&walk->linker->diag, &expression->position,
                   "fill 0x%llx, expected a number of 32 bits", (number)value);
    if (fill.length > sizeof fill.pattern)
        fill.length = sizeof fill.pattern;
    for (unsigned i = 0; i < fill.length; i++)
        fill.pattern[i] = (unsigned char)(value >> 8 * (fill.length - 1 - i));
    output->fills = arena_grow(&walk->linker->arena, output->fills, output->fill_count,
                               &output->fill_capacity, sizeof fill);
    output->fills[output->fill_count++] = fill;
}

static void walk_body(struct script_walk *walk, struct script_output *script_output)
{
    walk->output->fill_count = 0;
    if (script_output->fill)
        add_fill(walk, script_output->fill);
    for (struct script_statement *s = script_output->body.first; s; s = s->next) {
        switch (s->kind) {
        case SCRIPT_ASSIGN:
            assign(walk, s);
            break;
        case SCRIPT_ASSERT:
            script_evaluate(walk, s->value);
            break;
        case SCRIPT_DATA:
            place_data(walk, script_output, s);
            break;
        case SCRIPT_FILL:
            add_fill(walk, s->value);
            break;
        default:
            for (size_t i = 0; i < s->member_count; i++)
                place_member(walk, script_output, s->members[i]);
        }
    }
}

/* ---- output sections ---- */

static struct script_region *region_for(struct script_walk *walk,
                                        const struct script_output *script_output)
{
    const struct output_section *output = script_output->output;

    if (script_output->region)
        return script_output->region;
    for (struct script_region *region = walk->script->regions; region && !script_output->address;
         region = region->next)
        if (output->region != REGION_SCRATCHPAD && region->need & output->flags &&
            !(region->refuse & output->flags))
            return region;
    return &walk->script->everywhere;
}

static void report_no_region(struct script_walk *walk, const struct script_output *script_output,
                             const struct script_region *region)
{
    const struct output_section *output = script_output->output;

    if (walk->reporting && walk->script->regions && region == &walk->script->everywhere &&
        !script_output->address && output->size && output->region != REGION_SCRATCHPAD)
        diag_error(&walk->linker->diag, script_output->at.file ? &script_output->at : NULL,
                   "no memory region for output section '%s'; give it one with '> REGION'",
                   output->name);
}

static uint64_t start_of(struct script_walk *walk, struct script_output *script_output,
                         const struct script_region *region)
{
    struct output_section *output = script_output->output;
    bool in_region = region != &walk->script->everywhere;
    uint64_t here = in_region ? region->here : walk->here;

    if (script_output->alignment) {
        uint64_t asked = script_number(walk, script_output->alignment);
        if (!asked || asked & (asked - 1)) {
            if (walk->reporting)
                diag_error(&walk->linker->diag, &script_output->alignment->position,
                           "ALIGN: found %llu, expected a power of two", (number)asked);
        } else if (asked > output->alignment) {
            output->alignment = asked;
        }
    }
    if (output->region == REGION_SCRATCHPAD)
        here = walk->scratchpad_here;
    else if (output->flags & SHF_TLS && output->type == SHT_NOBITS && walk->tls_here > here)
        here = walk->tls_here;
    if (output->has_fixed_address)
        return output->fixed_address;
    if (!script_output->address)
        return align_up(here, output->alignment);
    here = script_evaluate(walk, script_output->address).address;
    return script_output->alignment ? align_up(here, output->alignment) : here;
}

static uint64_t load_address_of(struct script_walk *walk, struct script_output *script_output,
                                const struct script_region *region)
{
    const struct output_section *output = script_output->output, *last = region->last;

    if (script_output->load_address)
        return script_evaluate(walk, script_output->load_address).address;
    if (script_output->load_region && script_output->load_region != region &&
        script_output->load_keeps_distance)
        return script_output->load_region->here + (output->address - region->here);
    if (script_output->load_region)
        return script_output->load_region == region
                   ? output->address
                   : align_up(script_output->load_region->here,
                              script_output->alignment
                                  ? script_number(walk, script_output->alignment)
                                  : 1);
    if (!last || output->address < last->address)
        return output->address;
    return last->load_address + (output->address - last->address);
}

/* An output section into which nothing went and in which nothing is assigned does not move the
 * location counter, whatever its address and alignment: GNU ld's manual, "Output Section
 * Discarding". */
static bool is_nothing(const struct script_output *script_output)
{
    for (const struct script_statement *s = script_output->body.first; s; s = s->next)
        if (s->kind == SCRIPT_ASSIGN || s->kind == SCRIPT_DATA || s->kind == SCRIPT_ASSERT)
            return false;
    return !script_output->output->member_count;
}

static void place_output(struct script_walk *walk, struct script_output *script_output)
{
    struct output_section *output = script_output->output;
    uint64_t before = walk->here;
    bool loaded = output->flags & SHF_ALLOC;
    struct script_region *region = region_for(walk, script_output);
    uint64_t start = loaded ? start_of(walk, script_output, region) : 0;

    if (!move(walk, &script_output->at, start))
        return;
    set(walk, &output->address, start);
    walk->output = output;
    walk_body(walk, script_output);
    walk->output = NULL;
    set(walk, &output->size, walk->here - start);
    set(walk, &output->load_address, loaded ? load_address_of(walk, script_output, region) : 0);
    if (!loaded || is_nothing(script_output)) {
        walk->here = before;
        return;
    }
    report_no_region(walk, script_output, region);
    if (output->region == REGION_SCRATCHPAD) {
        walk->scratchpad_here = walk->here;
        walk->here = before;
        return;
    }
    if (output->flags & SHF_TLS && output->type == SHT_NOBITS) { /* takes no room */
        walk->tls_here = walk->here;
        walk->here = start;
        return;
    }
    if (script_output->overlaid && walk->here < region->here) /* the overlay has a longer section */
        walk->here = region->here;
    region->here = walk->here;
    bool moved = output->member_count && output->load_address != output->address;
    if ((output->size || moved) && !script_output->load_region)
        region->last = output;
    if (output->size)
        walk->last = output;
    if (script_output->load_region && script_output->load_region != region &&
        output->type != SHT_NOBITS)
        script_output->load_region->here = output->load_address + output->size;
}

/* ---- the walk ---- */

static void start_regions(struct script_walk *walk)
{
    walk->script->everywhere.last = NULL;
    for (struct script_region *region = walk->script->regions; region; region = region->next) {
        set(walk, &region->origin, script_number(walk, region->origin_value));
        set(walk, &region->length, script_number(walk, region->length_value));
        region->here = region->origin;
        region->last = NULL;
    }
}

static void place_bounds(const struct linker *linker)
{
    for (size_t i = 0; i < linker->statement_count; i++) {
        const struct statement *statement = &linker->statements[i];
        if (statement->kind != STATEMENT_SYMBOL)
            continue;
        statement->symbol->assignment->output = statement->output;
        statement->symbol->value = statement->anchor == ANCHOR_END ? statement->output->size : 0;
    }
}

/* Returns the value of FLAGS. As in GNU ld, it is 0 if a symbol in it is not defined. */
static uint64_t segment_flags(struct script_walk *walk, const struct script_segment *segment)
{
    walk->in_flags = true;
    walk->undefined = false;
    uint64_t flags = script_number(walk, segment->flags_value);
    walk->in_flags = false;
    return walk->undefined ? 0 : flags;
}

static bool walk_script(struct linker *linker, bool reporting)
{
    struct script_walk walk = {.linker = linker,
                               .script = linker->script,
                               .scratchpad_here = SCRATCHPAD_START,
                               .reporting = reporting};

    for (size_t i = 0; i < linker->symbols.count; i++)
        ((struct symbol *)linker->symbols.entries[i].value)->walked = false;
    linker->relro_start = linker->relro_end = walk.script->relro_page = 0;
    start_regions(&walk);
    for (struct script_statement *s = walk.script->statements.first; s; s = s->next) {
        walk.at = s;
        if (s->kind == SCRIPT_ASSIGN)
            assign(&walk, s);
        else if (s->kind == SCRIPT_ASSERT)
            script_evaluate(&walk, s->value);
        else if (s->output->output)
            place_output(&walk, s->output);
    }
    for (struct script_segment *segment = walk.script->segments; segment; segment = segment->next) {
        if (segment->load_address_value)
            set(&walk, &segment->load_address, script_number(&walk, segment->load_address_value));
        if (segment->flags_value)
            set(&walk, &segment->flags, segment_flags(&walk, segment));
    }
    place_bounds(linker);
    return walk.changed;
}

void script_assign(struct linker *linker)
{
    linker->script->relro_shifted = false;
    linker->script->relro_shift = 0;
    for (int walks = 0; walk_script(linker, false) && walks < MOST_WALKS; walks++)
        ;
}

/* ---- at the end ---- */

static bool is_in(const struct script_region *region, uint64_t address)
{
    return address - region->origin < region->length || address == region->origin;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct output_section *x = *(struct output_section *const *)a,
                                *y = *(struct output_section *const *)b;

    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

static void check_region(struct linker *linker, const struct script_region *region)
{
    enum { SHOWN = 5 };
    uint64_t used = region->here - region->origin;

    if (used <= region->length)
        return;
    diag_error(&linker->diag, &region->at, "region '%s' overflowed by %llu bytes", region->name,
               (number)(used - region->length));
    const struct output_section **sections =
        arena_array(&linker->arena, linker->output_count + 1, sizeof *sections);
    size_t count = 0;
    for (size_t i = 0; i < linker->output_count; i++) {
        const struct output_section *output = linker->outputs[i];
        bool inside = is_in(region, output->address) || is_in(region, output->load_address);
        if (output->flags & SHF_ALLOC && output->size && inside)
            sections[count++] = output;
    }
    if (count)
        qsort(sections, count, sizeof *sections, compare_sizes);
    for (size_t i = 0; i < count && i < SHOWN; i++)
        diag_note(&linker->diag, NULL, "%s has %llu bytes", sections[i]->name,
                  (number)sections[i]->size);
}

void script_check(struct linker *linker)
{
    if (walk_script(linker, true))
        diag_error(&linker->diag, NULL,
                   "the addresses of the script do not settle: an expression depends on itself");
    for (const struct script_region *region = linker->script->regions; region;
         region = region->next)
        check_region(linker, region);
}

static void print_size(int width, uint64_t size)
{
    static const char *const units[] = {"B", "KB", "MB", "GB"};
    unsigned unit = 0;

    for (; size && size % 1024 == 0 && unit < 3; unit++)
        size /= 1024;
    printf("%*llu %s", width, (number)size, units[unit]);
}

void script_print_memory_usage(const struct linker *linker)
{
    for (const struct script_region *region = linker->script->regions; region;
         region = region->next) {
        uint64_t used = region->here - region->origin;
        printf("%16s:", region->name);
        print_size(12, used);
        print_size(10, region->length);
        printf("%10.2f%%\n", region->length ? 100.0 * (double)used / (double)region->length : 0.0);
    }
}
