/* Which instructions can be shortened depends on addresses, which depend on what is shortened. Each
 * relocation starts with the shortest form that it could have. A pass first checks every section:
 * it replaces forms that do not reach at the current addresses by the next longer ones that do.
 * Then it rewrites the list of deletions of each section with another form, and all addresses
 * follow. Forms never get shorter again, so the passes terminate. The last pass has found every
 * form to be right at the final addresses, so no safety margin for alignment is needed.
 *
 * Addresses do not change during the checks, and each section has deletions of its own, so two
 * threads can share both steps.
 *
 * In the worst case each pass could lengthen only one form. Therefore, after a number of passes, a
 * form must reach further than it needs to, and further with each pass, until all forms do.
 *
 * High and low parts (%hi and %lo, %tprel_hi and %tprel_lo) name the same symbol, but nothing says
 * which belong together. So all high parts of a symbol are deleted or none: they are deleted only
 * if every low part of the symbol, in the whole program, works without. */
#include "ld/relax.h"

#include "ld/address.h"
#include "ld/crew.h"
#include "ld/dynamic.h"
#include "ld/eh_frame.h"
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
    bool has_low_parts; /* absolute or thread-local ones, which say what their symbols allow */
    bool foreign_low;   /* a low part belongs to a high part of another section */
    bool changed;       /* the last check has changed a form */
};

struct relaxer {
    struct linker *linker;
    struct relaxed *sections;
    size_t count;
    bool large;     /* two threads are worthwhile */
    int64_t margin; /* how much further than needed a form must reach */
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

/* ---- symbols that are far ---- */

static bool symbol_is_far(const struct symbol *symbol)
{
    return __atomic_load_n(&symbol->far, __ATOMIC_RELAXED);
}

static void symbol_set_far(struct symbol *symbol)
{
    __atomic_store_n(&symbol->far, true, __ATOMIC_RELAXED);
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

/* A place to be checked. Its addresses are those of the pass before. */
struct check {
    struct linker *linker; /* of this thread */
    const struct section *section;
    int64_t margin;
    struct section_cursor cursor;
};

/* Can the call be the jump of its form over the distance? */
static bool jump_fits(const struct check *check, const struct relocation *relocation,
                      int64_t distance)
{
    const struct isa_relocation *type = relocation_type(relocation);
    uint64_t second = bytes_get(check->section->bytes + relocation->offset + type->field->length,
                                type->second->length);
    const struct short_jump *jump = short_jump_for(check->linker, type, second, relocation->form);

    return short_jump_reaches(jump, distance) &&
           (!check->margin || (short_jump_reaches(jump, distance - check->margin) &&
                               short_jump_reaches(jump, distance + check->margin)));
}

static bool zero_based_fits(const struct check *check, const struct relocation *relocation)
{
    return relocation->symbol->state != SYMBOL_UNDEFINED &&
           !symbol_moves(check->linker, relocation->symbol) &&
           is_low((int64_t)relocation_target(relocation), check->margin);
}

/* Replaces the form of a call by the first one that fits. */
static void check_call(struct check *check, struct relocation *relocation)
{
    const struct symbol *symbol = relocation->symbol;
    bool deleted;
    uint64_t place = section_address_next(&check->cursor, relocation->offset, &deleted);
    int64_t distance = (int64_t)(relocation_target(relocation) - place);
    /* GNU ld keeps the pair of a weak undefined function */
    bool jumps = symbol->state != SYMBOL_UNDEFINED &&
                 !(check->linker->config.pie && !symbol_moves(check->linker, symbol));

    while (relocation->form != FORM_ORIGINAL &&
           !(relocation->form == FORM_ZERO_BASED ? zero_based_fits(check, relocation)
                                                 : jumps && jump_fits(check, relocation, distance)))
        relocation->form = longer_form(check->section, relocation);
}

static bool compressed_high_fits(const struct check *check, const struct relocation *relocation)
{
    const struct isa_field *field = relocation_type(relocation)->field;
    uint64_t compressed,
        word = bytes_get(check->section->bytes + relocation->offset, field->length);
    int64_t target = (int64_t)relocation_target(relocation);

    return short_high(field, word, place_high_part(target), &compressed) &&
           short_high(field, word, place_high_part(target - check->margin), &compressed) &&
           short_high(field, word, place_high_part(target + check->margin), &compressed);
}

/* Can the instructions of a high or low part have their form? */
static bool part_fits(const struct check *check, const struct relocation *relocation)
{
    int64_t offset;

    switch (relocation->form) {
    case FORM_COMPRESSED:
        return compressed_high_fits(check, relocation);
    case FORM_BASED:
        return !symbol_is_far(relocation->symbol);
    case FORM_DELETED:
        if (relocation_type(relocation)->value == ISA_VALUE_HI_S_A_P
                ? !relocation->has_low || relocation->pinned
                : symbol_is_far(relocation->symbol))
            return false;
        return relax_near(check->linker, relocation, check->margin, &offset) != NEAR_NOTHING;
    default:
        return true;
    }
}

/* Returns whether the form was replaced by a longer one. */
static bool check_form(struct check *check, struct relocation *relocation)
{
    uint8_t before = relocation->form;

    if (relocation_type(relocation)->place == ISA_PLACE_PAIR)
        check_call(check, relocation);
    else
        while (!part_fits(check, relocation))
            relocation->form = longer_form(check->section, relocation);
    return relocation->form != before;
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
    struct relocation *high = pcrel_find_high(low, &count);

    if (!high)
        return;
    high->has_low = true;
    high->pinned |= count > 1 || low->addend || !low->marked;
}

/* Low parts of the labels of other sections change what another thread may have in hand. */
static void note_foreign_low_parts(const struct section *section)
{
    for (size_t i = 0; i < section->relocation_count; i++) {
        const struct relocation *low = &section->relocations[i];
        if (relocation_type(low)->value == ISA_VALUE_LO_PCREL && low->symbol->section != section)
            note_low_part(low);
    }
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

static bool is_low_part(enum isa_value value)
{
    return value == ISA_VALUE_LO_S_A || value == ISA_VALUE_LO_TPREL;
}

static void relax_instructions(struct linker *linker, struct section *section,
                               const struct relocation *relocation)
{
    uint64_t whole = relax_form_length(relocation_type(relocation), FORM_ORIGINAL);
    uint64_t kept = relax_form_length(relocation_type(relocation), relocation->form);

    section_delete(linker, section, relocation->offset + kept, whole - kept);
}

/* Makes the list of deletions that the forms mean. `end` is where what has been cut ends. */
static void cut_section(struct linker *linker, const struct relaxed *relaxed)
{
    struct section *section = relaxed->section;
    uint64_t end = 0;

    section->deletion_count = 0;
    for (size_t i = 0; i < relaxed->count; i++) {
        struct relocation *relocation = relaxed->items[i];
        bool padding = relocation_type(relocation)->value == ISA_VALUE_ALIGN;
        if (!padding && relocation->form == FORM_ORIGINAL)
            continue;
        if (relocation->offset < end) { /* it contradicts the relocation before it */
            relocation->form = FORM_ORIGINAL;
            continue;
        }
        end = relocation->offset;
        if (padding) {
            relax_padding(linker, section, relocation);
            end += (uint64_t)relocation->addend;
        } else {
            relax_instructions(linker, section, relocation);
            end += relax_form_length(relocation_type(relocation), FORM_ORIGINAL);
        }
    }
}

/* Collects the relocations of one section that passes have to check, and makes everything as short
 * as possible. */
static void begin_section(struct linker *worker, void *context, size_t i)
{
    struct relaxed *relaxed = &((struct relaxer *)context)->sections[i];
    struct section *section = relaxed->section;
    size_t capacity = 0;

    *relaxed = (struct relaxed){.section = section};
    for (size_t j = 0; j < section->relocation_count; j++) {
        struct relocation *relocation = &section->relocations[j];
        const struct isa_relocation *type = relocation_type(relocation);
        relocation->marked &= worker->config.relax && type->relaxable;
        relocation->form = relocation->marked ? shortest_form(section, relocation) : FORM_ORIGINAL;
        if (needs_high_part(relocation))
            symbol_set_far(relocation->symbol);
        if (type->value == ISA_VALUE_LO_PCREL && relocation->symbol->section == section)
            note_low_part(relocation);
        else
            relaxed->foreign_low |= type->value == ISA_VALUE_LO_PCREL;
        if (relocation->form == FORM_ORIGINAL && type->value != ISA_VALUE_ALIGN)
            continue;
        relaxed->has_low_parts |= is_low_part(type->value);
        relaxed->items = arena_grow(&worker->arena, relaxed->items, relaxed->count, &capacity,
                                    sizeof *relaxed->items);
        relaxed->items[relaxed->count++] = relocation;
    }
    cut_section(worker, relaxed);
}

static void begin(struct relaxer *relaxer)
{
    struct linker *linker = relaxer->linker;
    struct section_walk walk = {0};
    size_t capacity = 0, relocations = 0;

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!is_relaxed(section))
            continue;
        relaxer->sections = arena_grow(&linker->arena, relaxer->sections, relaxer->count, &capacity,
                                       sizeof *relaxer->sections);
        relaxer->sections[relaxer->count++].section = section;
        relocations += section->relocation_count;
    }
    relaxer->large = relocations >= CREW_RELOCATIONS;
    crew_run(linker, relaxer->count, relaxer->large, begin_section, relaxer);
    for (size_t i = 0; i < relaxer->count; i++)
        if (relaxer->sections[i].foreign_low)
            note_foreign_low_parts(relaxer->sections[i].section);
}

static void note_far(struct linker *worker, void *context, size_t i)
{
    const struct relaxer *relaxer = context;
    const struct relaxed *relaxed = &relaxer->sections[i];
    int64_t offset;

    for (size_t j = 0; relaxed->has_low_parts && j < relaxed->count; j++) {
        const struct relocation *relocation = relaxed->items[j];
        if (is_low_part(relocation_type(relocation)->value) &&
            !relax_near(worker, relocation, relaxer->margin, &offset))
            symbol_set_far(relocation->symbol);
    }
}

/* Checks the forms of one section. Drops relocations that had their original form before, since
 * that never changes again. Low parts are kept, because every pass asks what they allow. */
static void check_section(struct linker *worker, void *context, size_t i)
{
    const struct relaxer *relaxer = context;
    struct relaxed *relaxed = &relaxer->sections[i];
    struct check check = {.linker = worker,
                          .section = relaxed->section,
                          .margin = relaxer->margin,
                          .cursor = {.section = relaxed->section}};
    size_t kept = 0;

    relaxed->changed = false;
    for (size_t j = 0; j < relaxed->count; j++) {
        struct relocation *relocation = relaxed->items[j];
        enum isa_value value = relocation_type(relocation)->value;
        if (j + 2 * AHEAD < relaxed->count)
            relocation_prefetch(relaxed->items[j + 2 * AHEAD], relaxed->items[j + AHEAD]);
        if (relocation->form != FORM_ORIGINAL)
            relaxed->changed |= check_form(&check, relocation);
        if (relocation->form != FORM_ORIGINAL || value == ISA_VALUE_ALIGN || is_low_part(value))
            relaxed->items[kept++] = relocation;
    }
    relaxed->count = kept;
}

static void cut_changed(struct linker *worker, void *context, size_t i)
{
    const struct relaxed *relaxed = &((struct relaxer *)context)->sections[i];

    if (relaxed->changed)
        cut_section(worker, relaxed);
}

/* Returns whether some form has changed. */
static bool pass_over(struct relaxer *relaxer)
{
    struct linker *linker = relaxer->linker;
    bool changed = false;

    crew_run(linker, relaxer->count, relaxer->large, note_far, relaxer);
    crew_run(linker, relaxer->count, relaxer->large, check_section, relaxer);
    for (size_t i = 0; i < relaxer->count && !changed; i++)
        changed = relaxer->sections[i].changed;
    if (changed)
        crew_run(linker, relaxer->count, relaxer->large, cut_changed, relaxer);
    return changed;
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
    if (diag_failed(&linker->diag))
        return;
    begin(&relaxer);
    assign_addresses(linker);
    bool changed = true;
    for (unsigned pass = 1; changed && !diag_failed(&linker->diag); pass++) {
        if (pass >= EXACT_PASSES && relaxer.margin < LARGEST_MARGIN)
            relaxer.margin = relaxer.margin * 2 + 16;
        changed = pass_over(&relaxer);
        if (changed)
            assign_addresses(linker);
    }
}
