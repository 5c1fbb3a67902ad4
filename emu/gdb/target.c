/* See target.h. */
#include "emu/gdb/target.h"
#include "emu/csr.h"
#include "emu/unit_state.h"

/* KIND_FILE: a register of a file that is not standard; the index is the file's, times 256, plus the
 * number. */
enum register_kind { KIND_X, KIND_F, KIND_PC, KIND_FILE, KIND_CSR, KIND_PRIVILEGE };

static const struct {
    uint16_t kind, index;
} registers[] = {
#define GDB_REGISTER(kind, index) {KIND_##kind, index},
#include "gdb_target.inc"
#undef GDB_REGISTER
    {KIND_PRIVILEGE, 0}, /* last: `priv`, a register that only gdb knows */
};

static const char xml_head[] =
#define GDB_XML
#include "gdb_target.inc"
#undef GDB_XML
    ;

enum { REGISTERS = sizeof registers / sizeof *registers };

/* Finds the state that has the register number, and the element of it. Returns false when there is
 * none. */
static bool find_state(struct machine *machine, unsigned number, unsigned *state, uint32_t index[2])
{
    unsigned rest = number - REGISTERS;

    for (*state = 0; *state < unit_state_count; (*state)++) {
        uint32_t counts[2];
        unit_state_counts(machine, *state, counts);
        if (rest < counts[0] * counts[1]) {
            index[0] = rest / counts[1];
            index[1] = rest % counts[1];
            return true;
        }
        rest -= counts[0] * counts[1];
    }
    return false;
}

unsigned gdb_target_count(struct machine *machine)
{
    unsigned count = REGISTERS;

    for (unsigned state = 0; state < unit_state_count; state++) {
        uint32_t counts[2];
        unit_state_counts(machine, state, counts);
        count += counts[0] * counts[1];
    }
    return count;
}

unsigned gdb_target_general(void)
{
    unsigned count = 0;

    while (registers[count].kind <= KIND_PC)
        count++;
    return count;
}

unsigned gdb_target_pc(void)
{
    unsigned number = 0;

    while (registers[number].kind != KIND_PC)
        number++;
    return number;
}

/* ---- the description ---- */

/* `row3_dim0_init` */
static void append_name(struct text *xml, const struct unit_state *state, const uint32_t index[2])
{
    for (unsigned i = 0; i < 2 && state->indices[i]; i++)
        text_format(xml, "%s%u_", state->indices[i], index[i]);
    text_append(xml, state->name);
}

/* Appends the registers of a state, numbered from *number on. */
static void append_state(struct machine *machine, struct text *xml, unsigned state,
                         unsigned *number)
{
    uint32_t counts[2], index[2];

    unit_state_counts(machine, state, counts);
    for (index[0] = 0; index[0] < counts[0]; index[0]++)
        for (index[1] = 0; index[1] < counts[1]; index[1]++) {
            text_append(xml, "    <reg name=\"");
            append_name(xml, &unit_states[state], index);
            text_format(xml,
                        "\" bitsize=\"64\" regnum=\"%u\" type=\"%s\" group=\"%s\" "
                        "save-restore=\"no\"/>\n",
                        (*number)++, unit_states[state].is_address ? "data_ptr" : "int",
                        unit_states[state].extension);
        }
}

static void append_csrs(struct machine *machine, struct text *xml)
{
    text_append(xml, "  <feature name=\"org.gnu.gdb.riscv.csr\">\n");
    for (unsigned number = 0; number < REGISTERS; number++)
        if (registers[number].kind == KIND_CSR && csr_is_visible(machine, registers[number].index))
            text_format(xml,
                        "    <reg name=\"%s\" bitsize=\"64\" regnum=\"%u\" type=\"int\" "
                        "group=\"csr\"/>\n",
                        isa_csr_by_number(registers[number].index)->name, number);
    text_append(xml, "  </feature>\n");
    if (machine->bare.active)
        text_format(xml,
                    "  <feature name=\"org.gnu.gdb.riscv.virtual\">\n"
                    "    <reg name=\"priv\" bitsize=\"64\" regnum=\"%u\"/>\n  </feature>\n",
                    (unsigned)REGISTERS - 1);
}

void gdb_target_describe(struct machine *machine, struct text *xml)
{
    unsigned number = REGISTERS;

    text_append(xml, xml_head);
    append_csrs(machine, xml);
    for (unsigned state = 0; state < unit_state_count; state++) {
        const char *extension = unit_states[state].extension;
        if (state == 0 || strcmp(unit_states[state - 1].extension, extension) != 0)
            text_format(xml, "  <feature name=\"tensor.%s\">\n", extension);
        append_state(machine, xml, state, &number);
        if (state + 1 == unit_state_count ||
            strcmp(unit_states[state + 1].extension, extension) != 0)
            text_append(xml, "  </feature>\n");
    }
    text_append(xml, "</target>\n");
}

/* ---- values ---- */

static const struct isa_register_file *file_of(unsigned number)
{
    return &isa_register_files[registers[number].index >> 8];
}

unsigned gdb_target_size(unsigned number)
{
    return number < REGISTERS && registers[number].kind == KIND_FILE ? file_of(number)->width / 8
                                                                     : sizeof(uint64_t);
}

/* Writes a register of a file that is not standard. One that is hard-wired keeps its 0. */
static void write_register(struct machine *machine, unsigned number, const uint64_t *words)
{
    const struct isa_register_file *file = file_of(number);
    unsigned place = registers[number].index % 256u;

    if (!file->zero || place)
        memcpy(&machine->hart.registers[file->place + place * file->words], words,
               file->words * sizeof *words);
}

bool gdb_target_read(struct machine *machine, unsigned number, uint64_t *value)
{
    unsigned state;
    uint32_t index[2];

    if (number >= REGISTERS) {
        if (!find_state(machine, number, &state, index))
            return false;
        *value = unit_state_read(machine, state, index);
        return true;
    }
    unsigned i = registers[number].index;
    switch ((enum register_kind)registers[number].kind) {
    case KIND_X:
        *value = machine->hart.x[i];
        return true;
    case KIND_F:
        *value = machine->hart.f[i];
        return true;
    case KIND_PC:
        *value = machine->hart.pc;
        return true;
    case KIND_FILE:
        memcpy(value, hart_register(&machine->hart, file_of(number), i % 256),
               file_of(number)->words * sizeof *value);
        return true;
    case KIND_CSR:
        return csr_is_visible(machine, i) && csr_get(machine, i, value);
    case KIND_PRIVILEGE:
        *value = machine->hart.privilege;
        return machine->bare.active;
    }
    return false;
}

static bool write_pc(struct machine *machine, uint64_t value)
{
    if (value % ISA_CODE_ALIGNMENT != 0)
        return false;
    machine->hart.pc = value;
    return true;
}

static bool write_privilege(struct machine *machine, uint64_t value)
{
    if (!machine->bare.active || (value != PRIVILEGE_USER && value != PRIVILEGE_MACHINE))
        return false;
    machine->hart.privilege = value;
    return true;
}

bool gdb_target_write(struct machine *machine, unsigned number, const uint64_t *words)
{
    uint64_t value = *words;
    unsigned state;
    uint32_t index[2];

    if (number >= REGISTERS) {
        if (!find_state(machine, number, &state, index) || !unit_states[state].writable)
            return false;
        unit_state_write(machine, state, index, value);
        return true;
    }
    unsigned i = registers[number].index;
    switch ((enum register_kind)registers[number].kind) {
    case KIND_X:
        if (i != 0)
            machine->hart.x[i] = value;
        return true;
    case KIND_F:
        machine->hart.f[i] = value;
        return true;
    case KIND_PC:
        return write_pc(machine, value);
    case KIND_FILE:
        write_register(machine, number, words);
        return true;
    case KIND_CSR:
        return csr_is_visible(machine, i) && csr_set(machine, i, value);
    case KIND_PRIVILEGE:
        return write_privilege(machine, value);
    }
    return false;
}
