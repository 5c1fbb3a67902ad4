/* Each pass goes through every section and writes its list of deletions anew, from the addresses
 * that the pass before has left. A call that was shortened stays so: then sizes only shrink, and
 * the passes end.
 *
 * Shrinking brings places nearer to each other, with one exception: alignment padding after a
 * deletion may grow again. So a call counts as near only when it is so by more than the largest
 * alignment and what segments may shift. Padding itself depends on nothing outside its section,
 * whose alignment is at least that of its padding. */
#include "ld/relax.h"

#include "ld/address.h"
#include "ld/eh_frame.h"
#include "ld/symbol.h"
#include <string.h>

struct relaxer {
    struct linker *linker;
    const struct isa_instruction *jump;
    const struct isa_operand *target, *link;
    int64_t slack; /* how much a distance may still grow */
    bool changed;
};

uint64_t relax_alignment(int64_t addend)
{
    uint64_t alignment = 1;
    while (alignment <= (uint64_t)addend)
        alignment *= 2;
    return alignment;
}

/* An instruction with a pc-relative target and a register that it writes: jump and link. */
const struct isa_instruction *relax_jump_instruction(const struct isa_operand **target,
                                                     const struct isa_operand **link)
{
    for (size_t i = 0; i < isa_instruction_count; i++) {
        const struct isa_instruction *instruction = &isa_instructions[i];
        *target = *link = NULL;
        for (unsigned j = 0; j < instruction->operand_count; j++) {
            const struct isa_operand *operand = &instruction->operands[j];
            if (operand->type->kind == ISA_TARGET && operand->type->relocation)
                *target = operand;
            else if (operand->type->kind == ISA_REGISTER && operand->type->access == ISA_WRITE)
                *link = operand;
        }
        if (*target && *link && instruction->operand_count == 2 && instruction->length == 4)
            return instruction;
    }
    return NULL;
}

/* ---- padding ---- */

/* Deletes `surplus` bytes of the padding [offset, offset + size), as whole instructions, the last
 * ones first. */
static bool cut_padding(struct relaxer *relaxer, struct section *section, uint64_t offset,
                        uint64_t size, uint64_t surplus)
{
    unsigned char *lengths = arena_alloc(&relaxer->linker->arena, size / 2 + 1);
    size_t count = 0;
    for (uint64_t at = 0; at < size; count++) {
        if (size - at < 2)
            return false;
        uint16_t low;
        memcpy(&low, section->bytes + offset + at, 2);
        int length = isa_length(low);
        if (length <= 0 || (uint64_t)length > size - at)
            return false;
        lengths[count] = (unsigned char)length;
        at += (uint64_t)length;
    }
    for (size_t i = count; i > 0; i--) /* the top bit marks those that go */
        if (lengths[i - 1] <= surplus) {
            surplus -= lengths[i - 1];
            lengths[i - 1] |= 0x80;
        }
    if (surplus)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] & 0x80)
            section_delete(relaxer->linker, section, offset, lengths[i] & 0x7f);
        offset += lengths[i] & 0x7f;
    }
    return true;
}

static void relax_padding(struct relaxer *relaxer, struct section *section,
                          const struct relocation *relocation)
{
    uint64_t present = (uint64_t)relocation->addend;
    uint64_t alignment = relax_alignment(relocation->addend);
    uint64_t needed = -section_place(section, relocation->offset) & (alignment - 1);
    const char *wrong = NULL;
    if (needed > present)
        wrong = "which is less; assemble it again";
    else if (!cut_padding(relaxer, section, relocation->offset, present, present - needed))
        wrong = "which cannot be cut to that between instructions; assemble all code of this "
                "section with the same -march";
    if (!wrong)
        return;
    struct position at = place_position(relaxer->linker, section, relocation->offset);
    diag_error(&relaxer->linker->diag, &at,
               "alignment to %llu bytes needs %llu bytes of padding here, the object has %llu, %s",
               (unsigned long long)alignment, (unsigned long long)needed,
               (unsigned long long)present, wrong);
}

/* ---- calls ---- */

static bool has_relax_mark(const struct section *section, size_t i)
{
    for (size_t j = i + 1; j < section->relocation_count &&
                           section->relocations[j].offset == section->relocations[i].offset;
         j++)
        if (section->relocations[j].type->value == ISA_VALUE_RELAX)
            return true;
    return false;
}

/* Between two output sections, of which one may have a fixed address, a distance may grow by all
 * that the two shrink. */
static int64_t slack_of(const struct relaxer *relaxer, const struct section *from,
                        const struct section *to)
{
    if (from->output == to->output)
        return relaxer->slack;
    return relaxer->slack + (int64_t)(from->output->size + to->output->size);
}

static bool is_near(const struct relaxer *relaxer, const struct section *section,
                    const struct relocation *relocation)
{
    const struct symbol *symbol = relocation->symbol;
    int64_t distance = (int64_t)(symbol_address(symbol) + (uint64_t)relocation->addend -
                                 section_address(section, relocation->offset));
    int64_t minimum, maximum, step, slack = slack_of(relaxer, section, symbol->section);
    isa_range(relaxer->target, &minimum, &maximum, &step);
    return distance % step == 0 && distance >= minimum + slack && distance <= maximum - slack;
}

static void relax_call(struct relaxer *relaxer, struct section *section, size_t i)
{
    struct relocation *relocation = &section->relocations[i];
    const struct symbol *symbol = relocation->symbol;
    if (!relocation->shortened) {
        bool known = symbol->state == SYMBOL_DEFINED && symbol->section && symbol->section->live &&
                     symbol->section->output;
        if (!known || !has_relax_mark(section, i) || !is_near(relaxer, section, relocation))
            return;
        relocation->shortened = true;
        relaxer->changed = true;
    }
    uint64_t length = relaxer->jump->length;
    section_delete(relaxer->linker, section, relocation->offset + length,
                   relocation->type->field->length + relocation->type->second->length - length);
}

static void relax_section(struct relaxer *relaxer, struct section *section)
{
    section->deletion_count = 0;
    for (size_t i = 0; i < section->relocation_count && !diag_full(&relaxer->linker->diag); i++) {
        const struct relocation *relocation = &section->relocations[i];
        const struct deletion *last =
            section->deletion_count ? &section->deletions[section->deletion_count - 1] : NULL;
        if (last && relocation->offset < last->offset + last->count)
            continue; /* inside what is gone: two relocations contradict each other, or a mark of
                         the same place */
        if (relocation->type->value == ISA_VALUE_ALIGN)
            relax_padding(relaxer, section, relocation);
        else if (relocation->type->place == ISA_PLACE_PAIR && relaxer->jump)
            relax_call(relaxer, section, i);
    }
}

static bool can_shrink(const struct section *section)
{
    return section->live && section->output && section->relocation_count && !eh_frame_is(section);
}

static void pass(struct relaxer *relaxer)
{
    struct section_walk walk = {0};
    relaxer->changed = false;
    for (struct section *section; (section = section_next(relaxer->linker, &walk));)
        if (can_shrink(section))
            relax_section(relaxer, section);
}

void relax(struct linker *linker)
{
    struct relaxer relaxer = {.linker = linker, .slack = 4 * (int64_t)PAGE_SIZE};
    if (linker->config.relax)
        relaxer.jump = relax_jump_instruction(&relaxer.target, &relaxer.link);
    uint64_t largest = 1;
    for (size_t i = 0; i < linker->output_count; i++)
        if (linker->outputs[i]->flags & SHF_ALLOC && linker->outputs[i]->alignment > largest)
            largest = linker->outputs[i]->alignment;
    relaxer.slack += (int64_t)largest;
    eh_frame_prune(linker);
    assign_addresses(linker);
    do {
        if (diag_failed(&linker->diag))
            return;
        pass(&relaxer);
        assign_addresses(linker);
    } while (relaxer.changed);
}
