/* The ISA description determines how the value of a relocation is computed and which bits receive
 * it. Where relaxation has chosen another form, the instructions of that form are written here, and
 * relocations of deleted instructions are skipped. */
#include "ld/apply.h"

#include "ld/crew.h"
#include "ld/dynamic.h"
#include "ld/eh_frame.h"
#include "ld/got.h"
#include "ld/indirect.h"
#include "ld/pcrel.h"
#include "ld/place.h"
#include "ld/relax.h"
#include "ld/short_form.h"
#include "ld/symbol.h"
#include "ld/write.h"
#include "lib/bytes.h"
#include <string.h>

#define ZERO_REGISTER 0 /* the register that is hard-wired to 0 */

static void check_thread_local(const struct place *place)
{
    const struct symbol *symbol = place->relocation->symbol;
    bool thread_local =
        symbol->type == STT_TLS || (symbol->section && symbol->section->flags & SHF_TLS);

    if (!thread_local && symbol->state != SYMBOL_UNDEFINED)
        place_fail(place, "thread-local access to a symbol that is not thread-local");
}

/* ---- kinds of values ---- */

/* Returns the high part that a low part belongs to: the one at the symbol of the low part. */
static const struct relocation *find_high(const struct place *place)
{
    const struct symbol *label = place->relocation->symbol;
    size_t count;

    if (label->state != SYMBOL_DEFINED || !label->section || !label->section->live) {
        place_fail(place, "%pcrel_lo needs the label of the instruction with %pcrel_hi");
        return NULL;
    }
    const struct relocation *high = pcrel_find_high(place->relocation, &count);
    if (count == 1)
        return high;
    if (high)
        place_fail(place,
                   "there are two high parts at its label; tld cannot tell which one is meant");
    else
        place_fail(place, arena_format(
                              &place->linker->arena,
                              "there is no high part (%%pcrel_hi, %%got_pcrel_hi) at its label, %s",
                              symbol_place(place->linker, label)));
    return NULL;
}

/* Applies a low part whose high part was deleted: it is relative to the zero register or to the
 * pointer of its relocation. `target` is the address. */
static void insert_based(const struct place *place, const struct relocation *target)
{
    const struct isa_relocation *type = relocation_type(place->relocation);
    int64_t offset;
    enum near near = relax_near(place->linker, target, 0, &offset);

    if (near == NEAR_NOTHING || !type->base || (near == NEAR_POINTER && type->pointer < 0))
        BUG("%s has lost its high part",
            place_text(place->linker, place->section, place->relocation->offset));
    place_insert(place->bytes, type->base, near == NEAR_ZERO ? ZERO_REGISTER : type->pointer);
    place_insert(place->bytes, type->field, offset);
}

static void apply_low(const struct place *place, int64_t value)
{
    if (place->relocation->form == FORM_BASED)
        insert_based(place, place->relocation);
    else
        place_insert(place->bytes, relocation_type(place->relocation)->field, value);
}

static void apply_low_of_pair(const struct place *place)
{
    const struct relocation *high = find_high(place);

    if (!high)
        return;
    if (high->form == FORM_DELETED) {
        insert_based(place, high);
        return;
    }
    const struct section *section = place->relocation->symbol->section;
    enum got_kind kind;
    bool got = got_kind_of(high, &kind);
    uint64_t target = pcrel_target(place->linker, high);
    uint64_t start = section_address(section, high->offset);
    if (!pcrel_is_absolute(place->linker, high, start, target))
        target -= start;
    int64_t value = (int64_t)target, sum = (int64_t)(target + (uint64_t)place->a);
    if (place->a && (got || place_high_part(sum) != place_high_part(value)))
        place_fail(place,
                   "the offset after %pcrel_lo does not fit the high part; write it in %pcrel_hi");
    else
        place_insert(place->bytes, relocation_type(place->relocation)->field, sum);
}

/* Applies a high part that is relative to the pc, or to address 0 where only that is near. `what`
 * says what the distance is. */
static void insert_high_of_pair(const struct place *place, const char *what, uint64_t target)
{
    const struct isa_field *field = relocation_type(place->relocation)->field;

    if (!pcrel_is_absolute(place->linker, place->relocation, place->p, target)) {
        place_insert_high(place, field, what, (int64_t)(target - place->p));
        return;
    }
    uint64_t word = bytes_get(place->bytes, field->length);
    bytes_put(place->bytes, short_absolute_high(field, word), field->length);
    place_insert_high(place, field, "address", (int64_t)target);
}

static void apply_high_of_pair(const struct place *place)
{
    insert_high_of_pair(place, "distance", place->s + (uint64_t)place->a);
}

static void apply_high(const struct place *place, int64_t absolute)
{
    const struct isa_field *field = relocation_type(place->relocation)->field;
    uint64_t word = bytes_get(place->bytes, field->length), compressed;

    if (place->relocation->form != FORM_COMPRESSED) {
        place_insert_high(place, field, "address", absolute);
        return;
    }
    unsigned length = short_high(field, word, place_high_part(absolute), &compressed);
    if (!length)
        BUG("%s cannot be compressed",
            place_text(place->linker, place->section, place->relocation->offset));
    bytes_put(place->bytes, compressed, length);
}

/* Returns the address of the GOT entry for the relocation. */
static uint64_t got_entry(const struct place *place)
{
    enum got_kind kind = GOT_ADDRESS;

    got_kind_of(place->relocation, &kind);
    if (kind != GOT_ADDRESS)
        check_thread_local(place);
    return got_address(place->linker, place->relocation->symbol, kind);
}

static void apply_got(const struct place *place)
{
    if (place->a)
        place_fail(place,
                   "an offset from a GOT entry has no meaning; add it after loading the address");
    else
        insert_high_of_pair(place, "distance to its GOT entry", got_entry(place));
}

/* Applies a call: auipc and jalr, or the form that relaxation has chosen. An undefined weak
 * function has address 0, wherever the call is. */
static void apply_call(const struct place *place)
{
    const struct relocation *relocation = place->relocation;
    const struct isa_relocation *type = relocation_type(relocation);
    unsigned char *second = place->bytes + type->field->length;
    uint64_t second_word = bytes_get(second, type->second->length);
    int64_t distance = place_distance(place), target = (int64_t)(place->s + (uint64_t)place->a);

    switch (relocation->form) {
    case FORM_COMPRESSED:
    case FORM_SHORT:;
        const struct short_jump *jump =
            short_jump_for(place->linker, type, second_word, relocation->form);
        if (!short_jump_reaches(jump, distance))
            BUG("%s cannot be a jump",
                place_text(place->linker, place->section, relocation->offset));
        bytes_put(place->bytes, short_jump_word(jump, distance), jump->length);
        return;
    case FORM_ZERO_BASED:
        bytes_put(place->bytes, second_word, type->second->length);
        place_insert(place->bytes, type->base, ZERO_REGISTER);
        place_insert(place->bytes, type->second, target);
        return;
    default:
        break;
    }
    if (relocation->symbol->state == SYMBOL_UNDEFINED && type->base) {
        place_insert(second, type->base, ZERO_REGISTER);
        distance = 0;
    } else if (place->linker->config.pie && !symbol_moves(place->linker, relocation->symbol)) {
        uint64_t word = bytes_get(place->bytes, type->field->length);
        bytes_put(place->bytes, short_absolute_high(type->field, word), type->field->length);
        distance = target;
    }
    place_insert_high(place, type->field, "distance", distance);
    place_insert(second, type->second, distance);
}

/* Applies numbers in data, and fields that hold the whole value. */
static void apply_plain(const struct place *place, int64_t value)
{
    const struct isa_relocation *type = relocation_type(place->relocation);

    if (type->place == ISA_PLACE_FIELD)
        place_insert_distance(place, type->field, value);
    else if (type->place == ISA_PLACE_ULEB128)
        place_apply_uleb128(place);
    else
        place_apply_datum(place, value);
}

static void apply_thread_local(const struct place *place, int64_t offset)
{
    const struct relocation *relocation = place->relocation;

    if (relocation_type(relocation)->value != ISA_VALUE_LO_TPREL || relocation->form == FORM_BASED)
        check_thread_local(place);
    switch (relocation_type(relocation)->value) {
    case ISA_VALUE_HI_TPREL:
        place_insert_high(place, relocation_type(relocation)->field, "offset", offset);
        break;
    case ISA_VALUE_LO_TPREL:
        apply_low(place, offset);
        break;
    case ISA_VALUE_DTPREL:
        place_set_datum(place, (uint64_t)(offset - GOT_THREAD_BIAS));
        break;
    default: /* TPREL_ADD marks an instruction that is not changed */
        break;
    }
}

static void apply_value(const struct place *place)
{
    const struct isa_relocation *type = relocation_type(place->relocation);
    int64_t absolute = (int64_t)(place->s + (uint64_t)place->a);

    switch (type->value) {
    case ISA_VALUE_S_A:
        apply_plain(place, absolute);
        break;
    case ISA_VALUE_S_A_P:
        apply_plain(place, place_distance(place));
        break;
    case ISA_VALUE_ADD:
    case ISA_VALUE_SUB:
        if (type->place == ISA_PLACE_ULEB128)
            place_apply_uleb128(place);
        else
            place_apply_sum(place);
        break;
    case ISA_VALUE_HI_S_A:
        apply_high(place, absolute);
        break;
    case ISA_VALUE_LO_S_A:
        apply_low(place, absolute);
        break;
    case ISA_VALUE_HI_S_A_P:
        apply_high_of_pair(place);
        break;
    case ISA_VALUE_LO_PCREL:
        apply_low_of_pair(place);
        break;
    case ISA_VALUE_PAIR_S_A_P:
        apply_call(place);
        break;
    case ISA_VALUE_GOT_P:
        place_apply_datum(place, (int64_t)(got_entry(place) + (uint64_t)place->a - place->p));
        break;
    case ISA_VALUE_HI_GOT_P:
    case ISA_VALUE_HI_GOT_TPREL_P:
    case ISA_VALUE_HI_GOT_DTPREL_P:
        apply_got(place);
        break;
    case ISA_VALUE_HI_TPREL:
    case ISA_VALUE_LO_TPREL:
    case ISA_VALUE_TPREL_ADD:
    case ISA_VALUE_DTPREL:
        apply_thread_local(place, (int64_t)((uint64_t)absolute - place->linker->tls_start));
        break;
    case ISA_VALUE_NONE:
    case ISA_VALUE_ALIGN: /* relax.c */
    case ISA_VALUE_RELAX:
        break;
    case ISA_VALUE_DYNAMIC:
    case ISA_VALUE_RESOLVE:
    case ISA_VALUE_REBASE:
    case ISA_VALUE_RELAXED:
        BUG("dynamic relocation %s", type->name); /* object_relocations.c refuses it */
    }
}

/* ---- sections ---- */

/* Handles a symbol whose section is not in the output. In debug information its value is 0; code
 * may not refer to it. */
static bool check_target(struct place *place)
{
    const struct symbol *symbol = place->relocation->symbol;
    const struct section *section = symbol->section;

    if (!symbol_is_gone(symbol))
        return true;
    if (!(place->section->flags & SHF_ALLOC)) {
        place->s = 0;
        place->a = 0;
        return true;
    }
    if (section->group && section->discarded)
        place_fail(
            place,
            arena_format(
                &place->linker->arena,
                "its section '%s' is left out, because another object gives group '%s'; build both "
                "objects with the same compiler and options",
                section->name, section->group));
    else
        place_fail(place,
                   arena_format(&place->linker->arena,
                                "its section '%s' is not part of the program", section->name));
    return false;
}

static void relocate(struct linker *linker, struct section *section)
{
    struct section_cursor cursor = {.section = section};

    for (size_t i = 0; i < section->relocation_count && !diag_full(&linker->diag); i++) {
        const struct relocation *relocation = &section->relocations[i];
        enum isa_value value = relocation_type(relocation)->value;
        bool deleted;
        if (i + 2 * AHEAD < section->relocation_count)
            relocation_prefetch(relocation + 2 * AHEAD, relocation + AHEAD);
        uint64_t address = section_address_next(&cursor, relocation->offset, &deleted);
        if (value == ISA_VALUE_NONE || value == ISA_VALUE_RELAX || value == ISA_VALUE_ALIGN ||
            deleted)
            continue;
        struct place place = {.linker = linker,
                              .section = section,
                              .relocation = relocation,
                              .bytes = section->patched + relocation->offset,
                              .s = relocation_target(relocation) - (uint64_t)relocation->addend,
                              .p = address,
                              .a = relocation->addend};
        if (check_target(&place) && (!linker->dynamic || dynamic_check(&place)))
            apply_value(&place);
    }
}

/* The bytes of unwind tables are kept, because the index is made from them. All others have been
 * copied to the image and can be released. */
static void apply_section(struct linker *linker, struct section *section)
{
    bool stays = eh_frame_is(section);

    if (!section->relocation_count && !stays) {
        write_early(linker, section);
        return;
    }
    arena_reset(&linker->scratch);
    section->patched = (unsigned char *)arena_copy(stays ? &linker->arena : &linker->scratch,
                                                   (const char *)section->bytes, section->size);
    relocate(linker, section);
    if (stays) {
        eh_frame_correct(section, section->patched);
    } else {
        write_early(linker, section);
        section->patched = NULL;
    }
}

/* Sections that are applied in any order, except unwind tables. */
struct batch {
    struct section **sections;
    size_t count, relocations;
};

/* Unwind tables stay in memory, which must be that of the linker itself. */
static void apply_part(struct linker *worker, void *context, size_t i)
{
    struct section *section = ((const struct batch *)context)->sections[i];

    if (!worker->diag.quiet || !eh_frame_is(section))
        apply_section(worker, section);
}

/* Returns the sections that are copied to the image here. */
static struct batch collect(struct linker *linker)
{
    struct batch batch = {0};
    struct section_walk walk = {0};
    size_t capacity = 0;

    for (struct section *section; (section = section_next(linker, &walk));) {
        if (!section->live || !section->output || !section->bytes || section == linker->got ||
            section == linker->indirect_relocations || section == linker->eh_frame_header ||
            dynamic_has(linker, section))
            continue;
        batch.sections = arena_grow(&linker->arena, batch.sections, batch.count, &capacity,
                                    sizeof(struct section *));
        batch.sections[batch.count++] = section;
        batch.relocations += section->relocation_count;
    }
    return batch;
}

static void apply_all(struct linker *linker)
{
    struct batch batch = collect(linker);

    crew_run(linker, batch.count, batch.relocations >= CREW_RELOCATIONS && !linker->dynamic,
             apply_part, &batch);
    for (size_t i = 0; i < batch.count; i++)
        if (eh_frame_is(batch.sections[i]) && !batch.sections[i]->patched)
            apply_section(linker, batch.sections[i]);
}

void apply_relocations(struct linker *linker)
{
    apply_all(linker);
    if (linker->got)
        got_fill(linker);
    eh_frame_pad(linker);
    if (linker->indirect_count)
        indirect_fill(linker);
    if (linker->eh_frame_header)
        eh_frame_fill_header(linker);
    if (linker->dynamic)
        dynamic_fill(linker);
}
