/* See state.h. Values of registers, CSRs and units are hexadecimal strings, because many readers of
 * JSON have no integers of 64 bits. */
#include "emu/report/state.h"
#include "emu/csr.h"
#include "emu/profile/stats.h"
#include "emu/unit_state.h"
#include "lib/digits.h"
#include "lib/isa.h"
#include "lib/sha1.h"
#include <inttypes.h>

static void print_register(FILE *stream, const char *name, const uint64_t *words, unsigned count)
{
    char digits[16 * ISA_WORDS_LIMIT + 1];

    *put_words(digits, words, count) = '\0';
    fprintf(stream, "\"%s\": \"0x%s\"", name, digits);
}

static void print_registers(const struct hart *hart, FILE *stream)
{
    for (size_t i = 0; i < isa_register_file_count; i++) {
        const struct isa_register_file *file = &isa_register_files[i];
        fprintf(stream, "%s\n    \"%s\": {", i ? "," : "", file->name);
        for (unsigned number = 0; number < file->count; number++) {
            fputs(number ? ", " : "", stream);
            print_register(stream, file->names[number], hart_register(hart, file, number),
                           file->words);
        }
        fputc('}', stream);
    }
}

static void print_csrs(struct machine *machine, FILE *stream)
{
    const char *separator = "";
    uint64_t value;

    for (size_t i = 0; i < isa_csr_count; i++) {
        const struct isa_csr *csr = &isa_csrs[i];
        if (!csr_is_visible(machine, csr->number) || !csr_get(machine, csr->number, &value))
            continue;
        fprintf(stream, "%s\n    ", separator);
        print_register(stream, csr->name, &value, 1);
        separator = ",";
    }
}

/* Prints the value, or the nested arrays of values. */
static void print_state(struct machine *machine, unsigned state, FILE *stream)
{
    const char *const *indices = unit_states[state].indices;
    uint32_t counts[2], index[2];

    unit_state_counts(machine, state, counts);
    fprintf(stream, "\"%s\": %s", unit_states[state].name, indices[0] ? "[" : "");
    for (index[0] = 0; index[0] < counts[0]; index[0]++) {
        fprintf(stream, "%s%s", index[0] ? ", " : "", indices[1] ? "[" : "");
        for (index[1] = 0; index[1] < counts[1]; index[1]++)
            fprintf(stream, "%s\"0x%" PRIx64 "\"", index[1] ? ", " : "",
                    unit_state_read(machine, state, index));
        fputs(indices[1] ? "]" : "", stream);
    }
    fputs(indices[0] ? "]" : "", stream);
}

/* Prints an object for each unit with state. */
static void print_units(struct machine *machine, FILE *stream)
{
    const char *unit = NULL;

    for (unsigned state = 0; state < unit_state_count; state++) {
        bool is_first = !unit || strcmp(unit, unit_states[state].unit) != 0;
        if (is_first)
            fprintf(stream, "%s\n    \"%s\": {", unit ? "\n    }," : "", unit_states[state].unit);
        fprintf(stream, "%s\n      ", is_first ? "" : ",");
        print_state(machine, state, stream);
        unit = unit_states[state].unit;
    }
    fputs(unit ? "\n    }" : "", stream);
}

/* Prints a range of pages with the same permissions. */
static void print_range(const struct memory *memory, uint64_t address, uint64_t length,
                        FILE *stream)
{
    unsigned permissions = memory->pages[address / MEMORY_PAGE];
    unsigned char digest[SHA1_SIZE];

    fprintf(stream,
            "{\"address\": \"0x%" PRIx64 "\", \"bytes\": %" PRIu64 ", \"permissions\": \"%c%c%c\"",
            address, length, permissions & PAGE_READ ? 'r' : '-',
            permissions & PAGE_WRITE ? 'w' : '-', permissions & PAGE_EXECUTE ? 'x' : '-');
    if (permissions & PAGE_COUNTED) { /* else these are only reserved addresses */
        sha1(memory->host + address, length, digest);
        fputs(", \"sha1\": \"", stream);
        for (size_t i = 0; i < SHA1_SIZE; i++)
            fprintf(stream, "%02x", digest[i]);
        fputs("\"", stream);
    }
    fputs("}", stream);
}

static void print_memory(const struct memory *memory, FILE *stream)
{
    const char *separator = "";

    for (uint64_t first = memory_next_mapped(memory, 0, MEMORY_PAGES), end; first < MEMORY_PAGES;
         first = memory_next_mapped(memory, end, MEMORY_PAGES)) {
        end = memory_find_alike(memory, first, MEMORY_PAGES, ~PAGE_CODE);
        fprintf(stream, "%s\n    ", separator);
        print_range(memory, first * MEMORY_PAGE, (end - first) * MEMORY_PAGE, stream);
        separator = ",";
    }
}

void state_print(struct machine *machine, FILE *stream)
{
    const struct hart *hart = &machine->hart;

    fprintf(stream,
            "{\n  \"pc\": \"0x%" PRIx64 "\",\n  \"instructions\": %" PRIu64
            ",\n  \"privilege\": %u,\n  \"registers\": {",
            hart->pc, hart->instret, hart->privilege);
    print_registers(hart, stream);
    fputs("\n  },\n  \"csrs\": {", stream);
    print_csrs(machine, stream);
    fputs("\n  },\n  \"units\": {", stream);
    print_units(machine, stream);
    fputs("\n  },\n  \"counters\": ", stream);
    stats_print_units_json(machine, stream);
    fputs(",\n  \"memory\": [", stream);
    print_memory(&machine->memory, stream);
    fputs("\n  ]\n}\n", stream);
}
