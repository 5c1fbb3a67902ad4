/* See illegal.h. The state of the machine is that before the instruction, so the checks that
 * refused it are made again, from the most general one on. */
#include "emu/report/illegal.h"
#include "emu/csr.h"
#include "emu/float/softfloat.h"
#include "emu/privilege.h"
#include "emu/workers/workers.h"
#include "instruction_ids.h"
#include "isa_ids.h"
#include "lib/architecture.h"

static const char *mode_name(unsigned privilege)
{
    return privilege == PRIVILEGE_MACHINE ? "machine mode" : "supervisor mode";
}

static void append_needs(struct text *text, const struct machine *machine,
                         const struct isa_needs *needs)
{
    bool is_barrel = needs->any[0] == isa_instructions[ISA_ID_TSYNC].needs.any[0];

    if (is_barrel && !machine->config.barrel_workers) {
        text_append(text, "the machine has no barrel (barrel.workers of the machine file is 0)");
        return;
    }
    text_append(text, "the machine does not have ");
    architecture_append_needs(text, needs, machine->config.extensions);
    text_append(text, " (extensions of the machine file)");
}

/* ---- CSRs ---- */

static void append_unknown_csr(struct text *text, unsigned number)
{
    const char *name = isa_csr_name(number);

    text_append(text, "the machine has no CSR ");
    if (name)
        text_format(text, "'%s', which is 0x%x", name, number);
    else
        text_format(text, "0x%x", number);
}

/* Appends why the existing CSR may not be read now. */
static void append_unreadable(struct text *text, const struct machine *machine,
                              const struct isa_csr *csr)
{
    bool is_counter = csr->number >= ISA_CSR_CYCLE && csr->number <= ISA_CSR_HPMCOUNTER31;

    text_format(text, "CSR '%s' ", csr->name);
    if (workers_has_hart(machine))
        text_append(text, "is for the supervisor, not for a worker");
    else if (is_counter && machine->bare.active)
        text_append(text, "is not enabled for user mode (mcounteren)");
    else if (is_counter)
        text_append(text, "can only be read with --timing");
    else
        text_append(text, "is off (mstatus.FS)");
}

/* Appends why the CSR may not be accessed. Returns false if it may. */
static bool append_csr(struct text *text, const struct machine *machine, unsigned number)
{
    const struct isa_csr *csr = isa_csr_by_number(number);
    unsigned lowest = number >> 8 & 3;

    if (!csr)
        append_unknown_csr(text, number);
    else if (!isa_has(machine->config.extensions, &csr->needs))
        append_needs(text, machine, &csr->needs);
    else if (machine->hart.privilege < lowest)
        text_format(text, "CSR '%s' needs %s (bits 9:8 of its number, 0x%x)", csr->name,
                    mode_name(lowest), number);
    else if (!csr_permits(machine, number, false))
        append_unreadable(text, machine, csr);
    else if (!csr->writable)
        text_format(text, "CSR '%s' is read-only; csrr reads it", csr->name);
    else
        return false;
    return true;
}

/* ---- operands ---- */

/* Appends what is wrong with an operand in the present state. Returns false if nothing is. */
static bool append_operand(struct text *text, const struct machine *machine,
                           const struct isa_operand *operand, uint64_t word)
{
    const struct isa_operand_type *type = operand->type;
    int64_t value = isa_extract(operand, word);

    if (type->kind == ISA_CSR)
        return append_csr(text, machine, (unsigned)value);
    if (!type->file || type->file->standard != ISA_STANDARD_FLOAT || !machine->bare.active ||
        privilege_float_state(&machine->hart) != FLOAT_OFF)
        return false;
    text_append(text, "the f registers are off (mstatus.FS)");
    return true;
}

/* Is it illegal on purpose, as the instruction that writes 0 to the read-only CSR cycle? */
static bool is_meant(const struct isa_instruction *instruction, uint64_t word)
{
    bool has_cycle = false;

    for (unsigned i = 0; i < instruction->operand_count; i++) {
        const struct isa_operand *operand = &instruction->operands[i];
        uint64_t value = (uint64_t)isa_extract(operand, word);
        if (operand->type->kind == ISA_CSR)
            has_cycle = value == ISA_CSR_CYCLE;
        else if (value)
            return false;
    }
    return has_cycle;
}

void illegal_append(struct text *text, const struct machine *machine,
                    const struct isa_instruction *instruction, const struct isa_instruction *base,
                    uint64_t word)
{
    const struct hart *hart = &machine->hart;

    if (is_meant(base, word))
        return;
    if (!isa_has(machine->config.extensions, &instruction->needs)) {
        append_needs(text, machine, &instruction->needs);
        return;
    }
    for (unsigned i = 0; i < base->operand_count; i++)
        if (append_operand(text, machine, &base->operands[i], word))
            return;
    if (base->privileged && hart->privilege != PRIVILEGE_MACHINE)
        text_append(text, "it needs machine mode");
    else if (base->effects & ISA_EFFECT_FLOAT && hart->frm > FLOAT_RMM)
        text_format(text, "its rounding mode is dynamic, but frm is %u, which is reserved",
                    hart->frm);
    else if (machine->workers)
        text_format(text, "thread %s may not execute it (threads.md, 2)",
                    workers_name(machine, (unsigned)workers_self(machine)));
}
