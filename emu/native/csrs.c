/* Instructions that access CSRs of floating point, or read counters. See parts.h. */
#include "emu/csr.h"
#include "emu/native/parts.h"
#include "standard_ids.h"

/* What instructions do with a CSR. */
static const struct csr_access {
    uint16_t id;
    uint16_t glue; /* the stencil for the first CSR of floating point */
    bool is_immediate;
} csr_accesses[] = {
    {ISA_ID_CSRRW, STENCIL_glue_write_fflags, false},
    {ISA_ID_CSRRS, STENCIL_glue_set_fflags, false},
    {ISA_ID_CSRRC, STENCIL_glue_clear_fflags, false},
    {ISA_ID_CSRRWI, STENCIL_glue_write_fflags, true},
    {ISA_ID_CSRRSI, STENCIL_glue_set_fflags, true},
    {ISA_ID_CSRRCI, STENCIL_glue_clear_fflags, true},
};

static const struct csr_access *find_csr_access(unsigned id)
{
    for (size_t i = 0; i < sizeof csr_accesses / sizeof *csr_accesses; i++)
        if (csr_accesses[i].id == id)
            return &csr_accesses[i];
    return NULL;
}

static bool only_reads(const struct csr_access *access, const struct decoded *record)
{
    return access->glue != STENCIL_glue_write_fflags &&
           (access->is_immediate ? record->imm[1] == 0 : record->r[1] == 0);
}

bool native_changes_arithmetic(const struct decoded *record)
{
    const struct csr_access *access = find_csr_access(record->id);

    return isa_instructions[record->id].effects & ISA_EFFECT_CSR &&
           !(access && only_reads(access, record));
}

bool native_is_arithmetic(const struct native *native, const struct decoded *records,
                          unsigned count)
{
    for (unsigned i = 0; i < count && !native_changes_arithmetic(&records[i]); i++)
        if (native_shape(native, records[i].id)->modes)
            return true;
    return false;
}

/* Writes the immediate to the register that x0 is written to, where stencils find it. */
static void put_immediate(struct native *native, uint64_t value)
{
    struct filling filling = {0};

    filling.values[HOLE_OFFSET] = (int64_t)SINK * 8;
    filling.values[HOLE_VALUE] = (int64_t)value;
    native_add(native, stencil_glue(STENCIL_glue_constant_m), &filling);
}

bool native_add_float_csr(struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct csr_access *access = find_csr_access(record->id);
    const struct shape *shape = native_shape(native, record->id);
    unsigned csr = (unsigned)record->imm[0], to = record->r[0], from = record->r[1];
    struct filling filling = {0};

    if (!access || csr < ISA_CSR_FFLAGS || csr > ISA_CSR_FCSR || native->floats != FLOATS_FREE ||
        native->machine->bare.active || !csr_permits(native->machine, csr, true))
        return false;
    bool reads = only_reads(access, record);
    if (access->is_immediate && !reads)
        put_immediate(native, (uint64_t)record->imm[1]);
    else if (!access->is_immediate)
        native_move_operands(native, record, shape->reads, STENCIL_glue_spill);
    filling.values[HOLE_OFFSET] = to * 8;
    filling.numbers[1] = (uint8_t)(access->is_immediate ? SINK : from);
    native_add(
        native,
        stencil_glue((reads ? STENCIL_glue_read_fflags : access->glue) + csr - ISA_CSR_FFLAGS),
        &filling);
    native_move_operands(native, record, shape->writes, STENCIL_glue_fill);
    return true;
}

/* Returns where the stencil for the CSR finds what it adds to the count of instructions, from the
 * hart on, or 0 if there is no stencil. User mode in the bare environment may lose the right to
 * read it, and a barrel counts turns. */
static int64_t find_counter(const struct machine *machine, unsigned csr)
{
    bool may_be_read = !machine->workers && csr_permits(machine, csr, false) &&
                       (!machine->bare.active || machine->hart.privilege == PRIVILEGE_MACHINE);

    if (!may_be_read)
        return 0;
    switch (csr) {
    case ISA_CSR_CYCLE:
    case ISA_CSR_MCYCLE:
        return offsetof(struct hart, mcycle);
    case ISA_CSR_INSTRET:
    case ISA_CSR_MINSTRET:
        return offsetof(struct hart, minstret);
    case ISA_CSR_TIME:
        return machine->bare.active
                   ? 0
                   : (const char *)&machine->user.slept - (const char *)&machine->hart;
    default:
        return 0;
    }
}

bool native_add_counter(const struct run *run, const struct decoded *record)
{
    struct native *native = run->native;
    const struct csr_access *access = find_csr_access(record->id);
    unsigned csr = (unsigned)record->imm[0];
    struct filling filling = {0};

    if (!access || !only_reads(access, record))
        return false;
    const struct stencil *stencil =
        stencil_glue(csr == ISA_CSR_TIME ? STENCIL_glue_read_time : STENCIL_glue_read_counter);
    filling.values[HOLE_VALUE] = find_counter(native->machine, csr);
    if (!stencil || !filling.values[HOLE_VALUE])
        return false;
    filling.values[HOLE_PC] = (int64_t)record->pc;
    filling.values[HOLE_REMAINING] = record->remaining;
    filling.values[HOLE_OFFSET] = record->r[0] * 8;
    native_add(native, stencil, &filling);
    native_move_operands(native, record, native_shape(native, record->id)->writes,
                         STENCIL_glue_fill);
    return true;
}
