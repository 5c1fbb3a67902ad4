/* See translate.h. Decides which code is hot, has it compiled, and installs the units. */
#include "emu/native/translate.h"
#include "emu/machine.h"
#include "emu/native/compile.h"
#include "emu/native/emit.h"
#include "emu/native/region.h"
#include <inttypes.h>
#include <stdlib.h>

enum {
    SLICE_COVERED = 1 << 18,   /* instructions of a slice while control is in units */
    SLICE_UNCOVERED = 1 << 14, /* instructions of a slice while hot code is looked for */
    PATIENT_UNITS = 4,         /* TIER_TRANSLATE: slices get longer after so many units */
    HEAT_PLACES = 1 << 10,     /* entries of the table of samples, which is indexed by pc */
    HOT = 8,                   /* samples that make a pc worth compiling */
    HOT_SHARE =
        50,       /* if 1 in HOT_SHARE samples is outside of units, that code is worth compiling */
    WARM_UP = 64, /* samples before the first unit */
    REFINE = 1 << 10,   /* samples in a unit before it is compiled with full effort */
    REFINE_SOON = 16,   /* the same for TIER_TRANSLATE */
    AGAIN = 4,          /* TIER_TRANSLATE: how often the code at a pc is translated */
    POLL_DISTANCE = 8,  /* slices between two checks whether the compiler is done */
    REGION_LIMIT = 400, /* approximate instructions of a unit; the time to compile grows faster than
                           the size */
    FAILURES_LIMIT = 3, /* failures of the compiler before it is no longer used */
    REFUSALS_LIMIT = 64, /* refused visits before an entry is removed */
};

/* A copy of a piece of code that a unit was made from. */
struct unit_piece {
    uint64_t pc, length;
    unsigned char *bytes;
};

struct unit {
    struct unit *next;
    struct object_key key;
    enum memory_view view;
    enum floats floats;
    bool is_loaded, is_installed;
    struct unit_piece *pieces; /* ascending by pc */
    size_t piece_count;
    struct translation *entries;
    uint64_t *entry_pcs;
    size_t entry_count, instructions;
    unsigned samples; /* slices that ended in the unit */
    struct text text; /* to be compiled with full effort; empty: already done, or not wanted */
};

struct heat {
    uint64_t pc;
    unsigned samples;
};

struct translator {
    struct machine *machine;
    struct arena arena;
    struct diag *diag;
    enum tier tier;
    bool verbose;
    struct translator_options options;
    struct compiler compiler; /* found when there is something to compile */
    bool has_compiler;
    struct unit *units;  /* newest first */
    struct unit *coming; /* what the compiler works on: a new unit, or one of `units` again */
    struct heat heat[HEAT_PLACES];
    uint64_t looks;   /* samples since the last unit */
    uint64_t samples; /* how many of them were outside of units */
    uint64_t slices, visits;
    bool is_warm;           /* the first unit has been started */
    uint64_t resets[VIEWS]; /* code.resets when the units of the view were last installed */
    uint64_t next_slice;
    bool is_covered; /* the last slice ended in a unit */
    unsigned failures;
};

/* ---- putting units in place ---- */

static void take_back(struct translator *translator, struct unit *unit)
{
    for (size_t i = 0; i < unit->entry_count; i++)
        code_untranslate(&translator->machine->code, unit->view, unit->entry_pcs[i]);
    unit->is_installed = false;
}

static bool is_unchanged(const struct translator *translator, const struct unit *unit)
{
    for (size_t i = 0; i < unit->piece_count; i++) {
        const struct unit_piece *piece = &unit->pieces[i];
        const void *bytes =
            memory_is(&translator->machine->memory, piece->pc, piece->length, PAGE_EXECUTE)
                ? memory_peek(&translator->machine->memory, piece->pc, piece->length)
                : NULL;
        if (!bytes || memcmp(bytes, piece->bytes, piece->length) != 0)
            return false;
    }
    return true;
}

static void install(struct translator *translator, struct unit *unit)
{
    struct machine *machine = translator->machine;

    if (unit->view != machine->code.view || unit->floats != machine->code.floats ||
        !is_unchanged(translator, unit))
        return;
    for (size_t i = 0; i < unit->piece_count; i++) {
        const struct unit_piece *piece = &unit->pieces[i];
        for (uint64_t page = piece->pc >> MEMORY_PAGE_BITS;
             page <= (piece->pc + piece->length - 1) >> MEMORY_PAGE_BITS; page++)
            memory_mark_code(&machine->memory, page, true);
    }
    for (size_t i = 0; i < unit->entry_count; i++)
        if (unit->entries[i].refusals < REFUSALS_LIMIT)
            code_translate(&machine->code, unit->entry_pcs[i], &unit->entries[i]);
    unit->is_installed = true;
}

/* Installs the oldest unit first, so that the newest one wins where two have the same entry. */
static void install_all(struct translator *translator, struct unit *unit)
{
    if (!unit)
        return;
    install_all(translator, unit->next);
    install(translator, unit);
}

/* Installs the units of this view again if all decoded code was forgotten since. */
static void catch_up(struct translator *translator)
{
    const struct code *code = &translator->machine->code;

    if (translator->resets[code->view] == code->resets)
        return;
    translator->resets[code->view] = code->resets;
    for (struct unit *unit = translator->units; unit; unit = unit->next)
        if (unit->view == code->view)
            unit->is_installed = false;
    install_all(translator, translator->units);
}

static bool has_page(const struct unit *unit, uint64_t page)
{
    for (size_t i = 0; i < unit->piece_count; i++) {
        const struct unit_piece *piece = &unit->pieces[i];
        if (page >= piece->pc >> MEMORY_PAGE_BITS &&
            page <= (piece->pc + piece->length - 1) >> MEMORY_PAGE_BITS)
            return true;
    }
    return false;
}

static void page_dropped(void *context, uint64_t page)
{
    struct translator *translator = context;

    for (struct unit *unit = translator->units; unit; unit = unit->next)
        if (unit->is_installed && has_page(unit, page))
            take_back(translator, unit);
}

enum visit_end translator_visit(struct translator *translator, struct translation *translation,
                                struct visit *visit)
{
    uint64_t pc = visit->pc;
    int64_t left = visit->left;

    if (left < translation->longest)
        return VISIT_STUCK;
    enum visit_end end = translation->function(translator->machine, visit);

    translator->visits++;
    if (end == VISIT_LIMIT || visit->left != left)
        return end;
    if (++translation->refusals == REFUSALS_LIMIT)
        code_untranslate(&translator->machine->code, translation->unit->view, pc);
    return VISIT_STUCK;
}

uint64_t translator_visits(const struct translator *translator)
{
    return translator->visits;
}

/* ---- making units ---- */

static struct unit *make_unit(struct translator *translator, const struct region *region)
{
    struct arena *arena = &translator->arena;
    struct machine *machine = translator->machine;
    struct unit *unit = arena_new(arena, struct unit);

    unit->view = machine->code.view;
    unit->floats = machine->code.floats;
    unit->instructions = region->instructions;
    unit->pieces = arena_array(arena, region->count, sizeof *unit->pieces);
    unit->entries = arena_array(arena, region->count, sizeof *unit->entries);
    unit->entry_pcs = arena_array(arena, region->count, sizeof *unit->entry_pcs);
    for (size_t i = 0; i < region->count; i++) {
        const struct region_block *block = &region->blocks[i];
        uint64_t length = block->end - block->pc;
        unit->pieces[unit->piece_count++] = (struct unit_piece){
            block->pc, length,
            (unsigned char *)arena_copy(arena, memory_peek(&machine->memory, block->pc, length),
                                        length)};
        if (!block->is_entry)
            continue;
        unit->entry_pcs[unit->entry_count] = block->pc;
        unit->entries[unit->entry_count++] =
            (struct translation){.unit = unit, .longest = block->longest};
    }
    return unit;
}

/* Replaces the function of a unit, which must not be running. */
static void exchange(struct unit *unit, unit_function *function)
{
    for (size_t i = 0; i < unit->entry_count; i++)
        unit->entries[i].function = function;
}

static void add_unit(struct translator *translator, struct unit *unit, unit_function *function)
{
    if (translator->verbose)
        fprintf(stderr, "temu: translated %zu instructions around 0x%" PRIx64 "\n",
                unit->instructions, unit->entry_pcs[0]);
    exchange(unit, function);
    unit->is_loaded = true;
    unit->next = translator->units;
    translator->units = unit;
    install(translator, unit);
}

static struct unit *find_unit(const struct translator *translator, const struct object_key *key)
{
    for (struct unit *unit = translator->units; unit; unit = unit->next)
        if (memcmp(&unit->key, key, sizeof *key) == 0)
            return unit;
    return NULL;
}

static void forget_samples(struct translator *translator)
{
    memset(translator->heat, 0, sizeof translator->heat);
    translator->looks = translator->samples = 0;
}

/* Reports the failure only to users who asked for native code. */
static void note_failure(struct translator *translator, struct unit *unit)
{
    if (translator->tier == TIER_TRANSLATE && translator->failures == 0)
        diag_warning(translator->diag, NULL,
                     "--tier=translate: '%s' failed to compile a unit; its code is interpreted",
                     translator->compiler.path);
    translator->failures++;
    text_free(&unit->text);
}

static void take_result(struct translator *translator, bool wait)
{
    struct unit *const unit = translator->coming;
    unit_function *function;

    if (!compiler_poll(&translator->compiler, wait, &function))
        return;
    translator->coming = NULL;
    if (!function) {
        note_failure(translator, unit);
    } else if (unit->is_loaded) {
        exchange(unit, function);
    } else {
        add_unit(translator, unit, function);
    }
    if (translator->tier == TIER_AUTO)
        forget_samples(translator); /* most of them are now in the unit */
}

static void start(struct translator *translator, struct unit *unit, const struct object_key *key)
{
    if (compiler_start(&translator->compiler, &unit->text, key)) {
        translator->coming = unit;
        return;
    }
    note_failure(translator, unit);
}

/* Compiles a unit with full effort once control is often in it. */
static void refine(struct translator *translator, struct unit *unit)
{
    bool at_once = translator->tier == TIER_TRANSLATE;

    if (++unit->samples < (at_once ? REFINE_SOON : REFINE) || !unit->text.length ||
        translator->coming || translator->failures >= FAILURES_LIMIT)
        return;
    const struct object_key key = compiler_key(&translator->compiler, &unit->text, EFFORT_FULL);
    start(translator, unit, &key);
    text_free(&unit->text);
    if (translator->coming && at_once)
        take_result(translator, true);
}

/* Makes the region a unit: now, if its object is cached, or else as soon as it is compiled. */
static void translate_region(struct translator *translator, const struct region *region)
{
    struct text text = TEXT_INIT;

    translate_emit(&text, region);
    const struct object_key key = compiler_key(&translator->compiler, &text, EFFORT_QUICK);
    const struct object_key full = compiler_key(&translator->compiler, &text, EFFORT_FULL);
    struct unit *const known = find_unit(translator, &key);
    if (known) {
        install(translator, known);
        text_free(&text);
        return;
    }
    struct unit *const unit = make_unit(translator, region);
    unit_function *cached = compiler_cached(&translator->compiler, &full);
    unit->key = key;
    if (cached)
        text_free(&text);
    else
        cached = compiler_cached(&translator->compiler, &key);
    unit->text = text;
    if (cached)
        add_unit(translator, unit, cached);
    else
        start(translator, unit, &key);
    if (translator->coming && translator->tier == TIER_TRANSLATE)
        take_result(translator, true);
}

/* Looks for the compiler when it is first needed, because many runs are too short to need it. */
static bool find_compiler(struct translator *translator)
{
    if (!translator->has_compiler)
        compiler_init(&translator->compiler, &translator->arena, &translator->options);
    translator->has_compiler = true;
    return translator->compiler.path != NULL;
}

static void translate_at(struct translator *translator, uint64_t pc)
{
    bool everywhere = translator->tier == TIER_TRANSLATE;
    struct arena arena = ARENA_INIT;
    struct region region;

    if (region_find(&region, &arena, &translator->machine->code, pc, REGION_LIMIT, everywhere))
        translate_region(translator, &region);
    arena_free(&arena);
}

/* ---- samples ---- */

static bool is_in_unit(const struct unit *unit, uint64_t pc)
{
    return bsearch(&pc, unit->pieces, unit->piece_count, sizeof *unit->pieces, compare_pcs);
}

static struct unit *covering_unit(const struct translator *translator, uint64_t pc)
{
    for (struct unit *unit = translator->units; unit; unit = unit->next)
        if (unit->is_installed && unit->view == translator->machine->code.view &&
            is_in_unit(unit, pc))
            return unit;
    return NULL;
}

static struct heat *take_sample(struct translator *translator, uint64_t pc)
{
    struct heat *heat = &translator->heat[pc / 2 % HEAT_PLACES];

    if (heat->pc != pc)
        *heat = (struct heat){.pc = pc};
    heat->samples++;
    translator->samples++;
    return heat;
}

static const struct heat *hottest(const struct translator *translator)
{
    const struct heat *best = &translator->heat[0];

    for (size_t i = 1; i < HEAT_PLACES; i++)
        if (translator->heat[i].samples > best->samples)
            best = &translator->heat[i];
    return best;
}

static void look_for_hot(struct translator *translator, uint64_t pc)
{
    bool hot = take_sample(translator, pc)->samples >= HOT;

    if (!hot || translator->samples * HOT_SHARE < translator->looks || translator->coming ||
        translator->failures >= FAILURES_LIMIT ||
        (!translator->is_warm && translator->samples < WARM_UP))
        return;
    if (find_compiler(translator))
        translate_at(translator, hottest(translator)->pc);
    else
        translator->failures = FAILURES_LIMIT;
    translator->is_warm = true;
    forget_samples(translator);
}

void translator_look(struct translator *translator)
{
    uint64_t pc = translator->machine->hart.pc;

    catch_up(translator);
    if (translator->coming && translator->slices++ % POLL_DISTANCE == 0)
        take_result(translator, false);
    struct unit *const unit = covering_unit(translator, pc);
    translator->is_covered = unit != NULL;
    translator->looks++;
    if (unit)
        refine(translator, unit);
    else if (translator->tier == TIER_AUTO)
        look_for_hot(translator, pc);
    else if (take_sample(translator, pc)->samples <= AGAIN && translator->failures < FAILURES_LIMIT)
        translate_at(translator, pc);
}

uint64_t translator_slice(const struct translator *translator)
{
    uint64_t growth = translator->samples / PATIENT_UNITS;

    if (translator->is_covered)
        return SLICE_COVERED;
    if (translator->tier == TIER_TRANSLATE && growth < 8)
        return BLOCK_LIMIT << growth;
    return SLICE_UNCOVERED;
}

/* ---- the translator ---- */

struct translator *translator_open(struct machine *machine, struct diag *diag,
                                   const struct translator_options *options)
{
    struct translator *translator = calloc(1, sizeof *translator);

    if (!translator) {
        diag_error(diag, NULL, "out of memory for the translator");
        return NULL;
    }
    translator->machine = machine;
    translator->diag = diag;
    translator->options = *options;
    translator->options.root = machine->user.root;
    translator->tier = options->tier;
    translator->verbose = options->verbose;
    if (!compiler_check_options(&translator->arena, diag, &translator->options)) {
        translator_close(translator);
        return NULL;
    }
    if (machine->memory.aligned_only ||
        (options->tier == TIER_TRANSLATE && !find_compiler(translator))) {
        if (options->tier == TIER_TRANSLATE)
            diag_error(
                diag, NULL, "--tier=translate: %s",
                machine->memory.aligned_only
                    ? "code cannot be translated where misaligned accesses trap; use --tier=interp"
                    : "found no C compiler; install one, name one with --tier-compiler, or use "
                      "--tier=interp");
        translator_close(translator);
        return NULL;
    }
    machine->code.dropped = page_dropped;
    machine->code.dropped_context = translator;
    return translator;
}

void translator_close(struct translator *translator)
{
    if (!translator)
        return;
    compiler_free(&translator->compiler);
    for (struct unit *unit = translator->units; unit; unit = unit->next)
        text_free(&unit->text);
    if (translator->coming)
        text_free(&translator->coming->text);
    arena_free(&translator->arena);
    free(translator);
}
