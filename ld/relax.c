/* What can be shortened depends on addresses, which depend on what is shortened. Each relocation
 * starts with the shortest form that it could have. A pass goes through every section, replaces
 * forms that do not reach at the current addresses by the next longer ones, and rewrites the list
 * of deletions. Forms never get shorter again, so the passes terminate. The last pass has found
 * every form to be right at the final addresses, so no safety margin for alignment is needed.
 *
 * In the worst case each pass could lengthen only one form. Therefore, after a number of passes, a
 * form must reach further than it needs to, and further with each pass, until all forms do.
 *
 * High and low parts (%hi and %lo, %tprel_hi and %tprel_lo) name the same symbol, but nothing says
 * which belong together. So all high parts of a symbol are deleted or none: they are deleted only
 * if every low part of the symbol, in the whole program, works without. */
#include "ld/relax.h"

#include "ld/address.h"
#include "ld/dynamic.h"
#include "ld/eh_frame.h"
#include "ld/layout.h"
#include "ld/pcrel.h"
#include "ld/place.h"
#include "ld/short_form.h"
#include "ld/symbol.h"
#include "lib/bytes.h"

/* A section with relocations that passes have to check: those whose instructions may change, and
 * padding. */
struct relaxed {
    struct section *section;
    struct relocation **items;
    size_t count;
};

struct relaxer {
    struct linker *linker;
    struct relaxed *sections;
    size_t section_count;
    int64_t margin; /* how much further than needed a form must reach */
    bool checking;  /* the addresses are those of an earlier pass */
    bool changed;
};

/* ---- what is near ---- */

static bool is_thread_local(const struct relocation *relocation)
{
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_HI_TPREL:
    case ISA_VALUE_LO_TPREL:
    case ISA_VALUE_TPREL_ADD:
        return true;
    default:
        return false;
    }
}

/* Does a low part hold the value? */
static bool is_low(int64_t value, int64_t margin)
{
    int64_t half = INT64_C(1) << (LOW_BITS - 1);

    return value >= margin - half && value < half - margin;
}

enum near relax_near(const struct linker *linker, const struct relocation *relocation,
                     int64_t margin, int64_t *offset)
{
    uint64_t target = relocation_target(relocation);
    const struct symbol *pointer = linker->global_pointer;

    if (symbol_is_gone(relocation->symbol)) /* it has no address, which is reported later */
        return NEAR_NOTHING;
    if (is_thread_local(relocation)) {
        *offset = (int64_t)(target - linker->tls_start);
        return is_low(*offset, margin) ? NEAR_POINTER : NEAR_NOTHING;
    }
    *offset = (int64_t)target;
    if (is_low(*offset, margin) && !symbol_moves(linker, relocation->symbol))
        return NEAR_ZERO;
    if (!pointer || relocation->symbol == pointer)
        return NEAR_NOTHING;
    *offset = (int64_t)(target - symbol_address(pointer));
    return is_low(*offset, margin) ? NEAR_POINTER : NEAR_NOTHING;
}

/* Code that sets the global pointer up names its symbol. If there is no such code, the register
 * cannot be used. */
static bool is_that(const void *that, const struct symbol *symbol)
{
    return symbol == that;
}

static bool sets_global_pointer(const struct linker *linker, const struct symbol *pointer)
{
    struct section_walk walk = {0};

    for (const struct section *section;
         (section = section_next_naming(linker, &walk, is_that, pointer));)
        for (size_t i = 0; section->live && section->output && i < section->relocation_count; i++)
            if (section->relocations[i].symbol == pointer)
                return true;
    return false;
}

static void find_global_pointer(struct linker *linker)
{
    const struct symbol *pointer = symbol_find(linker, GLOBAL_POINTER_SYMBOL);

    if (linker->config.relax && linker->config.relax_gp && !linker->config.pie && pointer &&
        pointer->state != SYMBOL_UNDEFINED && sets_global_pointer(linker, pointer))
        linker->global_pointer = pointer;
}

/* ---- forms ---- */

static bool is_compressed_code(const struct section *section)
{
    return section->object && section->object->elf.header.e_flags & EF_RISCV_RVC;
}

static enum relocation_form shortest_form(const struct section *section,
                                          const struct relocation *relocation)
{
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_PAIR_S_A_P:
        return is_compressed_code(section) ? FORM_COMPRESSED : FORM_SHORT;
    case ISA_VALUE_HI_S_A:
    case ISA_VALUE_HI_S_A_P:
    case ISA_VALUE_HI_TPREL:
    case ISA_VALUE_TPREL_ADD:
        return FORM_DELETED;
    case ISA_VALUE_LO_S_A:
    case ISA_VALUE_LO_TPREL:
        return FORM_BASED;
    default:
        return FORM_ORIGINAL;
    }
}

static enum relocation_form longer_form(const struct section *section,
                                        const struct relocation *relocation)
{
    switch (relocation->form) {
    case FORM_DELETED:
        return relocation_type(relocation)->value == ISA_VALUE_HI_S_A && is_compressed_code(section)
                   ? FORM_COMPRESSED
                   : FORM_ORIGINAL;
    case FORM_COMPRESSED:
        return relocation_type(relocation)->place == ISA_PLACE_PAIR ? FORM_SHORT : FORM_ORIGINAL;
    case FORM_SHORT:
        return FORM_ZERO_BASED;
    default:
        return FORM_ORIGINAL;
    }
}

uint64_t relax_form_length(const struct isa_relocation *type, enum relocation_form form)
{
    switch (form) {
    case FORM_DELETED:
        return 0;
    case FORM_COMPRESSED:
        return 2;
    case FORM_SHORT:
    case FORM_ZERO_BASED:
        return type->second->length;
    default:
        return type->place == ISA_PLACE_PAIR ? (uint64_t)type->field->length + type->second->length
                                             : 4;
    }
}

static bool jump_fits(const struct relaxer *relaxer, const struct section *section,
                      const struct relocation *relocation)
{
    const struct isa_relocation *type = relocation_type(relocation);

    if (relocation->symbol->state == SYMBOL_UNDEFINED) /* weak: GNU ld keeps the pair */
        return false;
    if (relaxer->linker->config.pie && !symbol_moves(relaxer->linker, relocation->symbol))
        return false;
    uint64_t second =
        bytes_get(section->bytes + relocation->offset + type->field->length, type->second->length);
    const struct short_jump *jump = short_jump_for(relaxer->linker, type, second, relocation->form);
    if (!jump->target)
        return false;
    int64_t distance =
        (int64_t)(relocation_target(relocation) - section_address(section, relocation->offset));
    return short_jump_reaches(jump, distance) &&
           (!relaxer->margin || (short_jump_reaches(jump, distance - relaxer->margin) &&
                                 short_jump_reaches(jump, distance + relaxer->margin)));
}

static bool compressed_high_fits(const struct relaxer *relaxer, const struct section *section,
                                 const struct relocation *relocation)
{
    const struct isa_field *field = relocation_type(relocation)->field;
    uint64_t compressed, word = bytes_get(section->bytes + relocation->offset, field->length);
    int64_t target = (int64_t)relocation_target(relocation);

    return short_high(field, word, place_high_part(target), &compressed) &&
           short_high(field, word, place_high_part(target - relaxer->margin), &compressed) &&
           short_high(field, word, place_high_part(target + relaxer->margin), &compressed);
}

static bool form_fits(const struct relaxer *relaxer, const struct section *section,
                      const struct relocation *relocation)
{
    int64_t offset;

    switch (relocation->form) {
    case FORM_COMPRESSED:
        if (relocation_type(relocation)->place == ISA_PLACE_PAIR)
            return jump_fits(relaxer, section, relocation);
        return compressed_high_fits(relaxer, section, relocation);
    case FORM_SHORT:
        return jump_fits(relaxer, section, relocation);
    case FORM_ZERO_BASED:
        return relocation->symbol->state != SYMBOL_UNDEFINED &&
               !symbol_moves(relaxer->linker, relocation->symbol) &&
               is_low((int64_t)relocation_target(relocation), relaxer->margin);
    case FORM_BASED:
        return !relocation->symbol->far;
    case FORM_DELETED:
        if (relocation_type(relocation)->value == ISA_VALUE_HI_S_A_P
                ? !relocation->has_low || relocation->pinned
                : relocation->symbol->far)
            return false;
        return relax_near(relaxer->linker, relocation, relaxer->margin, &offset) != NEAR_NOTHING;
    case FORM_ORIGINAL:
        break;
    }
    return true;
}

/* ---- passes ---- */

static bool is_relaxed(const struct section *section)
{
    return section->live && section->output && section->relocation_count && section->bytes &&
           !eh_frame_is(section);
}

/* Records at the high part what its low parts allow. */
static void note_low_part(const struct relocation *low)
{
    size_t count;
    struct relocation *high = pcrel_find_high(low->symbol, &count);

    if (!high)
        return;
    high->has_low = true;
    high->pinned |= count > 1 || low->addend || !low->marked;
}

/* Do this relocation and those that belong to it need the high part for every possible address of
 * the symbol? */
static bool needs_high_part(const struct relocation *relocation)
{
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_LO_S_A:
    case ISA_VALUE_LO_TPREL:
    case ISA_VALUE_TPREL_ADD:
        return !relocation->marked;
    default:
        return false;
    }
}

/* Collects the relocations of one section that passes have to check. */
static void begin_section(struct relaxer *relaxer, struct section *section)
{
    struct linker *linker = relaxer->linker;
    struct relaxed *relaxed = &relaxer->sections[relaxer->section_count];
    size_t capacity = 0;

    *relaxed = (struct relaxed){.section = section};
    for (size_t i = 0; i < section->relocation_count; i++) {
        struct relocation *relocation = &section->relocations[i];
        const struct isa_relocation *type = relocation_type(relocation);
        relocation->marked &= linker->config.relax && type->relaxable;
        relocation->form = relocation->marked ? shortest_form(section, relocation) : FORM_ORIGINAL;
        relocation->symbol->far |= needs_high_part(relocation);
        if (type->value == ISA_VALUE_LO_PCREL)
            note_low_part(relocation);
        if (relocation->form == FORM_ORIGINAL && type->value != ISA_VALUE_ALIGN)
            continue;
        relaxed->items = arena_grow(&linker->arena, relaxed->items, relaxed->count, &capacity,
                                    sizeof *relaxed->items);
        relaxed->items[relaxed->count++] = relocation;
    }
    relaxer->section_count += relaxed->count > 0;
}

static void begin(struct relaxer *relaxer)
{
    struct linker *linker = relaxer->linker;
    struct section_walk walk = {0};
    size_t capacity = 0;

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!is_relaxed(section))
            continue;
        relaxer->sections = arena_grow(&linker->arena, relaxer->sections, relaxer->section_count,
                                       &capacity, sizeof *relaxer->sections);
        begin_section(relaxer, section);
    }
}

static void note_far(struct relaxer *relaxer, const struct relaxed *relaxed)
{
    int64_t offset;

    for (size_t i = 0; i < relaxed->count; i++) {
        const struct relocation *relocation = relaxed->items[i];
        enum isa_value value = relocation_type(relocation)->value;
        if ((value == ISA_VALUE_LO_S_A || value == ISA_VALUE_LO_TPREL) &&
            !relax_near(relaxer->linker, relocation, relaxer->margin, &offset))
            relocation->symbol->far = true;
    }
}

static void relax_instructions(struct relaxer *relaxer, struct section *section,
                               struct relocation *relocation)
{
    uint64_t whole = relax_form_length(relocation_type(relocation), FORM_ORIGINAL);

    while (relaxer->checking && !form_fits(relaxer, section, relocation)) {
        relocation->form = longer_form(section, relocation);
        relaxer->changed = true;
    }
    uint64_t kept = relax_form_length(relocation_type(relocation), relocation->form);
    section_delete(relaxer->linker, section, relocation->offset + kept, whole - kept);
}

/* While the list of deletions is being rewritten, targets further down in the same section seem to
 * be further away than they are. A form that reaches too far is merely longer than it could be, but
 * not every high part below a compressed one can be compressed. So these are checked while the list
 * is complete. */
static void check_compressed_high_parts(struct relaxer *relaxer, const struct relaxed *relaxed)
{
    for (size_t i = 0; i < relaxed->count; i++) {
        struct relocation *relocation = relaxed->items[i];
        if (relocation->form == FORM_COMPRESSED &&
            relocation_type(relocation)->place != ISA_PLACE_PAIR &&
            !compressed_high_fits(relaxer, relaxed->section, relocation)) {
            relocation->form = FORM_ORIGINAL;
            relaxer->changed = true;
        }
    }
}

static void relax_section(struct relaxer *relaxer, const struct relaxed *relaxed)
{
    struct section *section = relaxed->section;
    uint64_t end = 0; /* the end of what has been checked */

    if (relaxer->checking)
        check_compressed_high_parts(relaxer, relaxed);
    section->deletion_count = 0;

    for (size_t i = 0; i < relaxed->count; i++) {
        struct relocation *relocation = relaxed->items[i];
        if (relaxer->checking && i + 2 * AHEAD < relaxed->count)
            relocation_prefetch(relaxed->items[i + 2 * AHEAD], relaxed->items[i + AHEAD]);
        bool padding = relocation_type(relocation)->value == ISA_VALUE_ALIGN;
        if (!padding && relocation->form == FORM_ORIGINAL)
            continue;
        if (relocation->offset < end) { /* it contradicts the relocation before it */
            relocation->form = FORM_ORIGINAL;
            continue;
        }
        end = relocation->offset;
        if (padding) {
            relax_padding(relaxer->linker, section, relocation);
            end += (uint64_t)relocation->addend;
        } else {
            relax_instructions(relaxer, section, relocation);
            if (relocation->form != FORM_ORIGINAL)
                end += relax_form_length(relocation_type(relocation), FORM_ORIGINAL);
        }
    }
}

/* Drops relocations that have their original form, since that never changes again. Low parts are
 * kept, because every pass asks what they allow. */
static void drop_originals(struct relaxed *relaxed)
{
    size_t kept = 0;

    for (size_t i = 0; i < relaxed->count; i++) {
        struct relocation *relocation = relaxed->items[i];
        enum isa_value value = relocation_type(relocation)->value;
        if (relocation->form != FORM_ORIGINAL || value == ISA_VALUE_ALIGN ||
            value == ISA_VALUE_LO_S_A || value == ISA_VALUE_LO_TPREL)
            relaxed->items[kept++] = relocation;
    }
    relaxed->count = kept;
}

static void pass_over(struct relaxer *relaxer)
{
    for (size_t i = 0; relaxer->checking && i < relaxer->section_count; i++)
        note_far(relaxer, &relaxer->sections[i]);
    for (size_t i = 0; i < relaxer->section_count && !diag_full(&relaxer->linker->diag); i++) {
        relax_section(relaxer, &relaxer->sections[i]);
        if (relaxer->checking)
            drop_originals(&relaxer->sections[i]);
    }
}

void relax(struct linker *linker)
{
    enum { EXACT_PASSES = 16 };
    int64_t LARGEST_MARGIN = INT64_C(1) << 40; /* no form reaches that far */
    struct relaxer relaxer = {.linker = linker};
    size_t functions = eh_frame_prune(linker);

    if (linker->eh_frame_header)
        eh_frame_size_header(linker, functions);
    if (linker->dynamic)
        dynamic_size(linker);
    assign_addresses(linker);
    find_global_pointer(linker);
    begin(&relaxer);
    relaxer.changed = true;
    for (unsigned pass = 0; relaxer.changed && !diag_failed(&linker->diag); pass++) {
        relaxer.changed = pass == 0; /* pass 0 only makes everything as short as possible */
        relaxer.checking = pass > 0;
        if (pass >= EXACT_PASSES && relaxer.margin < LARGEST_MARGIN)
            relaxer.margin = relaxer.margin * 2 + 16;
        pass_over(&relaxer);
        assign_addresses(linker);
    }
}
