/* Terms are those of the psABI, "Relocations": S the symbol's address, A the addend, P the address
 * of the place, V what the place holds, G the address of the symbol's GOT entry, TP what the thread
 * pointer points at (the start of the thread-local image).
 *
 * How a value is computed and which bits take it comes from the ISA description; so do ranges: they
 * are those of the field. A high part is rounded, (v + 0x800) >> 12, because the low part that is
 * added to it is signed.
 */
#include "ld/apply.h"

#include "ld/eh_frame.h"
#include "ld/got.h"
#include "ld/relax.h"
#include "ld/symbol.h"
#include <string.h>

#define LOW_BITS 12 /* of an address split into a high and a low part: psABI */

struct place {
    struct linker *linker;
    struct section *section;
    const struct relocation *relocation;
    unsigned char *bytes; /* at the place */
    uint64_t s, p;
    int64_t a;
};

/* ---- messages ---- */

static const char *remedy(const struct relocation *relocation)
{
    switch (relocation->type->value) {
    case ISA_VALUE_S_A_P:
        if (relocation->type->place == ISA_PLACE_FIELD)
            return "bring the two closer, or go there with 'call' or 'tail'";
        return "bring the two closer, or store a 64-bit distance";
    case ISA_VALUE_S_A:
        return "use a 64-bit datum, or put the symbol at a lower address";
    case ISA_VALUE_HI_S_A:
        return "put the symbol within 2 GiB of address 0, or use a pc-relative address "
               "(-mcmodel=medany)";
    case ISA_VALUE_HI_TPREL:
        return "use less thread-local data";
    default:
        return "bring the two within 2 GiB, or load the address from memory";
    }
}

static void fail_range(const struct place *place, const char *what, int64_t value, int64_t minimum,
                       int64_t maximum)
{
    struct linker *linker = place->linker;
    const struct relocation *relocation = place->relocation;
    struct position at = place_position(linker, place->section, relocation->offset);
    diag_error(&linker->diag, &at,
               "relocation %s against %s%s: %s %s0x%llx is out of range %lld..%lld; %s",
               relocation->type->name, symbol_text(linker, relocation->symbol),
               place_function(linker, place->section, relocation->offset), what,
               value < 0 ? "-" : "",
               value < 0 ? -(unsigned long long)value : (unsigned long long)value,
               (long long)minimum, (long long)maximum, remedy(relocation));
}

static void fail(const struct place *place, const char *why)
{
    struct linker *linker = place->linker;
    const struct relocation *relocation = place->relocation;
    struct position at = place_position(linker, place->section, relocation->offset);
    diag_error(&linker->diag, &at, "relocation %s against %s%s: %s", relocation->type->name,
               symbol_text(linker, relocation->symbol),
               place_function(linker, place->section, relocation->offset), why);
}

/* ---- bits ---- */

static uint64_t load(const unsigned char *bytes, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    return value;
}

static void store(unsigned char *bytes, unsigned size, uint64_t value)
{
    for (unsigned i = 0; i < size; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
}

static void insert(unsigned char *bytes, const struct isa_field *field, int64_t value)
{
    store(bytes, field->length, isa_insert(field, load(bytes, field->length), value));
}

/* Sets the low `bits` bits of a datum. */
static void insert_data(const struct place *place, uint64_t value)
{
    unsigned bits = place->relocation->type->data_bits, size = (bits + 7) / 8;
    uint64_t mask = bits < 64 ? (UINT64_C(1) << bits) - 1 : UINT64_MAX;
    store(place->bytes, size, (load(place->bytes, size) & ~mask) | (value & mask));
}

/* A distance in a field whose value is a multiple of 1 << lowest. */
static void insert_distance(const struct place *place, const struct isa_field *field,
                            int64_t distance)
{
    int64_t half = INT64_C(1) << (field->bits - 1), step = INT64_C(1) << field->lowest;
    if (distance < -half || distance > half - step)
        fail_range(place, "distance", distance, -half, half - step);
    else if (distance & (step - 1))
        fail(place, arena_format(
                        &place->linker->arena,
                        "distance 0x%llx is not a multiple of %lld; align the target to %lld bytes",
                        (unsigned long long)distance, (long long)step, (long long)step));
    else
        insert(place->bytes, field, distance);
}

static int64_t high_part(int64_t value)
{
    return (value + (INT64_C(1) << (LOW_BITS - 1))) >> LOW_BITS;
}

static void insert_high(const struct place *place, const struct isa_field *field, const char *what,
                        int64_t value)
{
    int64_t half = INT64_C(1) << (field->bits - 1 + LOW_BITS), rounding = INT64_C(1)
                                                                          << (LOW_BITS - 1);
    if (value < -half - rounding || value > half - rounding - 1)
        fail_range(place, what, value, -half - rounding, half - rounding - 1);
    else
        insert(place->bytes, field, high_part(value));
}

/* ---- kinds of values ---- */

static int64_t distance(const struct place *place)
{
    return (int64_t)(place->s + (uint64_t)place->a - place->p);
}

/* Two relocations at one place, the second one subtracting: only the difference is stored. The
 * second one, or NULL. */
static const struct relocation *subtraction_after(const struct place *place)
{
    const struct relocation *relocation = place->relocation, *next = relocation + 1;
    const struct relocation *end = place->section->relocations + place->section->relocation_count;
    bool pair = next < end && next->offset == relocation->offset &&
                next->type->value == ISA_VALUE_SUB &&
                next->type->place == relocation->type->place &&
                next->type->data_bits == relocation->type->data_bits;
    return pair ? next : NULL;
}

/* Both signs are allowed: a datum is what the program makes of it. */
static void apply_datum(const struct place *place)
{
    unsigned bits = place->relocation->type->data_bits;
    int64_t value = (int64_t)(place->s + (uint64_t)place->a);
    bool pc_relative = place->relocation->type->value == ISA_VALUE_S_A_P;
    if (pc_relative)
        value = distance(place);
    if (bits < 64 && !subtraction_after(place)) {
        int64_t minimum = -(INT64_C(1) << (bits - 1)),
                maximum = (INT64_C(1) << (bits - pc_relative)) - 1;
        if (value < minimum || value > maximum) {
            fail_range(place, pc_relative ? "distance" : "value", value, minimum, maximum);
            return;
        }
    }
    insert_data(place, (uint64_t)value);
}

/* Is the symbol's section not in the output? */
static bool is_gone(const struct symbol *symbol)
{
    const struct section *section = symbol->state == SYMBOL_DEFINED ? symbol->section : NULL;
    return section && !(section->live && section->output);
}

/* The whole difference of an addition and the subtraction that follows it must fit, or the stored
 * one would be a wrong answer. */
static bool check_difference(const struct place *place, const struct relocation *first)
{
    unsigned bits = place->relocation->type->data_bits;
    uint64_t from = symbol_address(first->symbol) + (uint64_t)first->addend;
    int64_t difference = (int64_t)(from - (place->s + (uint64_t)place->a));
    if (bits == 64 || is_gone(first->symbol) || is_gone(place->relocation->symbol))
        return true;
    int64_t minimum = bits < 8 ? 0 : -(INT64_C(1) << (bits - 1)),
            maximum = (INT64_C(1) << bits) - 1;
    if (difference >= minimum && difference <= maximum)
        return true;
    struct linker *linker = place->linker;
    struct position at = place_position(linker, place->section, place->relocation->offset);
    diag_error(
        &linker->diag, &at,
        "relocations %s and %s: the difference of %s and %s is %lld, out of range %lld..%lld; "
        "store it in a wider datum",
        first->type->name, place->relocation->type->name, symbol_text(linker, first->symbol),
        symbol_text(linker, place->relocation->symbol), (long long)difference, (long long)minimum,
        (long long)maximum);
    return false;
}

static void apply_sum(const struct place *place)
{
    const struct relocation *relocation = place->relocation;
    uint64_t value = load(place->bytes, (relocation->type->data_bits + 7u) / 8),
             add = place->s + (uint64_t)place->a;
    bool subtract = relocation->type->value == ISA_VALUE_SUB;
    if (subtract && relocation > place->section->relocations) {
        const struct relocation *first = relocation - 1;
        if (first->offset == relocation->offset && first->type->place == ISA_PLACE_DATA &&
            first->type->data_bits == relocation->type->data_bits &&
            !check_difference(place, first))
            return;
    }
    insert_data(place, subtract ? value - add : value + add);
}

/* Writes into as many bytes as the assembler has left. */
static void apply_uleb128(const struct place *place)
{
    const struct relocation *subtraction = subtraction_after(place);
    uint64_t value = place->s + (uint64_t)place->a;
    if (place->relocation->type->value == ISA_VALUE_SUB) {
        const struct relocation *first = place->relocation - 1; /* has done the work of both */
        if (place->relocation == place->section->relocations ||
            first->offset != place->relocation->offset || first->type->value != ISA_VALUE_S_A ||
            first->type->place != ISA_PLACE_ULEB128)
            fail(place, "nothing to subtract from: no SET_ULEB128 stands before it at its place");
        return;
    }
    if (subtraction)
        value -= symbol_address(subtraction->symbol) + (uint64_t)subtraction->addend;
    unsigned char *next = place->bytes;
    const unsigned char *end = place->section->patched + place->section->size;
    bool more = true;
    for (; more && next < end; next++, value >>= 7) {
        more = *next & 0x80;
        *next = (unsigned char)((value & 0x7f) | (more ? 0x80 : 0));
    }
    if (more || value)
        fail(place, more ? "the number runs past the end of the section"
                         : "the value needs more bytes than the object has left for it");
}

static void check_thread_local(const struct place *place)
{
    const struct symbol *symbol = place->relocation->symbol;
    bool thread_local =
        symbol->type == STT_TLS || (symbol->section && symbol->section->flags & SHF_TLS);
    if (!thread_local && symbol->state != SYMBOL_UNDEFINED)
        fail(place, "thread-local access to a symbol that is not thread-local");
}

static bool is_high(const struct relocation *relocation)
{
    enum got_kind kind;
    return relocation->type->value == ISA_VALUE_HI_S_A_P || got_kind_of(relocation, &kind);
}

/* The relocation of the high part that a low part belongs to: the one at the low part's symbol. */
static const struct relocation *find_high(const struct place *place)
{
    const struct symbol *label = place->relocation->symbol;
    const struct relocation *high = NULL;
    size_t count;
    if (label->state != SYMBOL_DEFINED || !label->section || !label->section->live) {
        fail(place, "%pcrel_lo needs the label of the instruction with %pcrel_hi");
        return NULL;
    }
    const struct relocation *all = section_relocations_at(label->section, label->value, &count);
    for (size_t i = 0; i < count; i++) {
        if (!is_high(&all[i]))
            continue;
        if (high) {
            fail(place, "there are two high parts at its label, which one is meant cannot be told");
            return NULL;
        }
        high = &all[i];
    }
    if (!high)
        fail(place,
             arena_format(&place->linker->arena,
                          "there is no high part (%%pcrel_hi, %%got_pcrel_hi) at its label, %s",
                          symbol_place(place->linker, label)));
    return high;
}

static void apply_low_of_pair(const struct place *place)
{
    const struct relocation *high = find_high(place);
    if (!high)
        return;
    const struct symbol *label = place->relocation->symbol;
    enum got_kind kind;
    bool got = got_kind_of(high, &kind);
    uint64_t target = got ? got_address(place->linker, high->symbol, kind)
                          : symbol_address(high->symbol) + (uint64_t)high->addend;
    int64_t value = (int64_t)(target - section_address(label->section, high->offset));
    if (place->a && (got || high_part(value + place->a) != high_part(value)))
        fail(place,
             "the offset after %pcrel_lo does not fit to the high part; write it in %pcrel_hi");
    else
        insert(place->bytes, place->relocation->type->field, value + place->a);
}

static void apply_got(const struct place *place)
{
    enum got_kind kind = GOT_ADDRESS;
    got_kind_of(place->relocation, &kind);
    if (kind != GOT_ADDRESS)
        check_thread_local(place);
    if (place->a) {
        fail(place, "an offset to a GOT entry has no meaning; add it after loading the address");
        return;
    }
    insert_high(place, place->relocation->type->field, "distance to its GOT entry",
                (int64_t)(got_address(place->linker, place->relocation->symbol, kind) - place->p));
}

/* auipc and jalr, or the jump that relaxation has made of them. */
static void apply_pair(const struct place *place)
{
    const struct isa_relocation *type = place->relocation->type;
    unsigned char *second = place->bytes + type->field->length;
    if (!place->relocation->shortened) {
        insert_high(place, type->field, "distance", distance(place));
        insert(second, type->second, distance(place));
        return;
    }
    const struct isa_operand *target, *link;
    const struct isa_instruction *jump = relax_jump_instruction(&target, &link);
    uint64_t word = load(second, type->second->length);
    const struct isa_instruction *old = isa_decode(word, type->second->length);
    int64_t link_register = 0;
    for (unsigned i = 0; old && i < old->operand_count; i++)
        if (old->operands[i].type->kind == ISA_REGISTER &&
            old->operands[i].type->access == ISA_WRITE)
            link_register = isa_extract(&old->operands[i], word);
    if (!old) {
        fail(place, "the second word of the pair is not an instruction");
        return;
    }
    store(place->bytes, jump->length, isa_insert(link->field, jump->match, link_register));
    insert_distance(place, target->field, distance(place));
}

static void apply_value(const struct place *place)
{
    const struct isa_relocation *type = place->relocation->type;
    int64_t absolute = (int64_t)(place->s + (uint64_t)place->a);
    int64_t thread_offset = (int64_t)((uint64_t)absolute - place->linker->tls_start);
    switch (type->value) {
    case ISA_VALUE_S_A:
    case ISA_VALUE_S_A_P:
        if (type->place == ISA_PLACE_FIELD)
            insert_distance(place, type->field,
                            type->value == ISA_VALUE_S_A ? absolute : distance(place));
        else if (type->place == ISA_PLACE_ULEB128)
            apply_uleb128(place);
        else
            apply_datum(place);
        break;
    case ISA_VALUE_ADD:
    case ISA_VALUE_SUB:
        if (type->place == ISA_PLACE_ULEB128)
            apply_uleb128(place);
        else
            apply_sum(place);
        break;
    case ISA_VALUE_HI_S_A:
        insert_high(place, type->field, "address", absolute);
        break;
    case ISA_VALUE_LO_S_A:
        insert(place->bytes, type->field, absolute);
        break;
    case ISA_VALUE_HI_S_A_P:
        insert_high(place, type->field, "distance", distance(place));
        break;
    case ISA_VALUE_LO_PCREL:
        apply_low_of_pair(place);
        break;
    case ISA_VALUE_PAIR_S_A_P:
        apply_pair(place);
        break;
    case ISA_VALUE_HI_GOT_P:
    case ISA_VALUE_HI_GOT_TPREL_P:
    case ISA_VALUE_HI_GOT_DTPREL_P:
        apply_got(place);
        break;
    case ISA_VALUE_HI_TPREL:
        check_thread_local(place);
        insert_high(place, type->field, "offset", thread_offset);
        break;
    case ISA_VALUE_LO_TPREL:
        insert(place->bytes, type->field, thread_offset);
        break;
    case ISA_VALUE_TPREL_ADD:
        check_thread_local(place);
        break;
    case ISA_VALUE_DTPREL:
        check_thread_local(place);
        insert_data(place, (uint64_t)(thread_offset - GOT_THREAD_BIAS));
        break;
    case ISA_VALUE_NONE:
    case ISA_VALUE_ALIGN: /* relax.c */
    case ISA_VALUE_RELAX:
        break;
    case ISA_VALUE_DYNAMIC:
        BUG("dynamic relocation %s", type->name); /* object.c refuses it */
    }
}

/* ---- sections ---- */

static bool is_deleted(const struct section *section, uint64_t offset)
{
    return section->deletion_count &&
           section_place(section, offset) == section_place(section, offset + 1);
}

/* A symbol whose section is not in the output. Debug information says 0 then; code may not refer to
 * it. */
static bool check_target(struct place *place)
{
    const struct symbol *symbol = place->relocation->symbol;
    const struct section *section = symbol->section;
    if (symbol->type == STT_GNU_IFUNC) {
        fail(place, "indirect functions (STT_GNU_IFUNC) are not supported by this version; link "
                    "without this object");
        return false;
    }
    if (!is_gone(symbol))
        return true;
    if (!(place->section->flags & SHF_ALLOC)) {
        place->s = 0;
        place->a = 0;
        return true;
    }
    if (section->group && section->discarded)
        fail(
            place,
            arena_format(
                &place->linker->arena,
                "its section '%s' is left out, because another object gives group '%s'; build both "
                "objects with the same compiler and options",
                section->name, section->group));
    else
        fail(place, arena_format(&place->linker->arena,
                                 "its section '%s' is not part of the program", section->name));
    return false;
}

static void apply_section(struct linker *linker, struct section *section)
{
    section->patched =
        (unsigned char *)arena_copy(&linker->arena, (const char *)section->bytes, section->size);
    for (size_t i = 0; i < section->relocation_count && !diag_full(&linker->diag); i++) {
        const struct relocation *relocation = &section->relocations[i];
        enum isa_value value = relocation->type->value;
        if (value == ISA_VALUE_NONE || value == ISA_VALUE_RELAX || value == ISA_VALUE_ALIGN ||
            is_deleted(section, relocation->offset))
            continue;
        struct place place = {.linker = linker,
                              .section = section,
                              .relocation = relocation,
                              .bytes = section->patched + relocation->offset,
                              .s = symbol_address(relocation->symbol),
                              .p = section_address(section, relocation->offset),
                              .a = relocation->addend};
        if (check_target(&place))
            apply_value(&place);
    }
    if (eh_frame_is(section))
        eh_frame_correct(section, section->patched);
}

void apply_relocations(struct linker *linker)
{
    struct section_walk walk = {0};
    for (struct section *section; (section = section_next(linker, &walk));)
        if (section->live && section->output && section->bytes && section != linker->got &&
            section != linker->eh_frame_header)
            apply_section(linker, section);
    if (linker->got)
        got_fill(linker);
    eh_frame_pad(linker);
    if (linker->eh_frame_header)
        eh_frame_fill_header(linker);
}
