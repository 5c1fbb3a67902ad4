/* Spike's commit log (riscv-isa-sim 1.1.1 and later, `spike --log-commits`):
 *
 *     core   0: 0 0x0000000000010078 (0x00000513) x10 0x0000000000000000
 *
 * Per committed instruction: privilege, pc, encoding; then the registers written, in the order of
 * Spike's map (by number, at one number x before f before CSRs, each once with its last value);
 * then loads, as addresses; then stores, with the value as wide as the access. An instruction that
 * traps commits nothing. What Spike does not have (ranges, state of tensor units) is left out. */
#include "emu/trace_write.h"
#include "isa_ids.h"

#include <inttypes.h>
#include <string.h>

enum { KIND_X = 0, KIND_F = 1, KIND_CSR = 4, KIND_BITS = 4 };
_Static_assert(ISA_X_REGISTERS <= 100 && ISA_F_REGISTERS <= 100, "two digits name a register");
enum { WRITES = 64 }; /* registers that one instruction can write, and more */

struct writes {
    unsigned count;
    struct {
        unsigned key; /* number and kind, as Spike's map has it */
        uint64_t value;
    } item[WRITES];
};

/* Sorted by key; a later write of the same register replaces the earlier one. */
static void add_write(struct writes *writes, unsigned kind, unsigned number, uint64_t value)
{
    unsigned key = number << KIND_BITS | kind, at = writes->count;

    for (unsigned i = 0; i < writes->count; i++) {
        if (writes->item[i].key == key) {
            writes->item[i].value = value;
            return;
        }
    }
    if (writes->count == WRITES)
        BUG("an instruction writes more than %d registers", WRITES);
    while (at > 0 && writes->item[at - 1].key > key)
        at--;
    memmove(&writes->item[at + 1], &writes->item[at],
            (writes->count - at) * sizeof writes->item[0]);
    writes->item[at].key = key;
    writes->item[at].value = value;
    writes->count++;
}

/* A CSR that is made of others (fcsr): all of its fields are CSRs by name. */
static bool is_composed(const struct isa_csr *csr)
{
    for (unsigned i = 0; i < csr->field_count; i++) {
        const struct isa_csr *part = isa_find_csr(csr->fields[i].name);
        if (!part || part == csr)
            return false;
    }
    return csr->field_count > 1;
}

/* Spike logs a CSR that is made of others as these. */
static void add_csr(struct writes *writes, unsigned number, uint64_t value)
{
    const struct isa_csr *csr = isa_csr_by_number(number);

    if (!csr || !is_composed(csr)) {
        add_write(writes, KIND_CSR, number, value);
        return;
    }
    for (unsigned i = 0; i < csr->field_count; i++) {
        const struct isa_csr_field *field = &csr->fields[i];
        add_write(writes, KIND_CSR, isa_find_csr(field->name)->number,
                  value >> field->lsb & ((UINT64_C(1) << field->width) - 1));
    }
}

static void collect(struct trace *trace, const struct recorder *recorder, struct writes *writes)
{
    writes->count = 0;
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (!trace_shows(trace, effect))
            continue;
        if (effect->kind == EFFECT_X)
            add_write(writes, KIND_X, effect->number, effect->value);
        else if (effect->kind == EFFECT_F)
            add_write(writes, KIND_F, effect->number, effect->value);
        else if (effect->kind == EFFECT_CSR)
            add_csr(writes, effect->number, effect->value);
    }
}

/* x10 0x0000000000000005; a number of one digit has a blank behind it */
static char *put_register(char *at, char file, unsigned number, uint64_t value)
{
    *at++ = file;
    if (number >= 10)
        *at++ = (char)('0' + number / 10);
    *at++ = (char)('0' + number % 10);
    if (number < 10)
        *at++ = ' ';
    *at++ = ' ';
    return put_hex(at, value, 16);
}

static void write_registers(struct trace *trace, const struct writes *writes)
{
    struct text *text = &trace->buffer;

    for (unsigned i = 0; i < writes->count; i++) {
        const unsigned number = writes->item[i].key >> KIND_BITS;
        const unsigned kind = writes->item[i].key & ((1 << KIND_BITS) - 1);
        const uint64_t value = writes->item[i].value;
        text_append_char(text, ' ');
        if (kind == KIND_CSR) {
            const struct isa_csr *csr = isa_csr_by_number(number);
            text_format(text, "c%u_%s ", number, csr ? csr->name : "unknown");
            trace_hex(text, value, 16);
        } else {
            char *at = trace_room(trace);
            text_extend(text, put_register(at, kind == KIND_X ? 'x' : 'f', number, value));
        }
    }
}

static void write_memory(struct trace *trace, const struct recorder *recorder,
                         enum effect_kind kind)
{
    for (size_t i = 0; recorder && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        if (effect->kind != kind)
            continue;
        char *at = put_string(trace_room(trace), " mem ");
        at = put_hex(at, effect->address, 16);
        if (kind == EFFECT_STORE) {
            *at++ = ' ';
            at = put_hex(at, effect->value, 2u * effect->size);
        }
        text_extend(&trace->buffer, at);
    }
}

size_t trace_spike_head(const struct trace_record *record, struct text *text)
{
    text_format(text, "core   0: %1u ", record->privilege);
    trace_hex(text, record->pc, 16);
    text_append(text, " (");
    trace_hex(text, record->word, 2u * (unsigned)record->length);
    text_append_char(text, ')');
    return text->length;
}

bool trace_spike_line(struct trace *trace, const struct trace_record *record)
{
    struct text *text = &trace->buffer;
    struct writes writes;

    if (record->trap)
        return false;
    const struct trace_head *head = trace_head(trace, record);
    collect(trace, record->recorder, &writes);
    text_append_bytes(text, head->bytes, head->complete);
    write_registers(trace, &writes);
    write_memory(trace, record->recorder, EFFECT_LOAD);
    write_memory(trace, record->recorder, EFFECT_STORE);
    text_append_char(text, '\n');
    return true;
}
