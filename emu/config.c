/* The settings of the machine. One table lists them with their allowed values; reading
 * (config_read.c), printing, messages and the fingerprint all use it. */
#include "emu/config_settings.h"
#include "emu/memory.h"
#include "lib/map.h"
#include <inttypes.h>
#include <string.h>

static const char *const misaligned_words[] = {"allow", "trap", NULL};

#define KIB         UINT64_C(1024)
#define MIB         (KIB * KIB)
#define GIB         (KIB * MIB)
#define FIELD(name) offsetof(struct config, name), sizeof(((struct config *)NULL)->name)

/* The settings of a section are next to each other. */
const struct setting config_settings[] = {
    {"scratchpad", "base", FIELD(scratchpad_base), SETTING_ADDRESS, MEMORY_PAGE,
     MEMORY_LIMIT - MEMORY_PAGE, MEMORY_PAGE, 0x40000000, "address of the window", NULL},
    {"scratchpad", "size", FIELD(scratchpad_size), SETTING_BYTES, 4 * KIB, GIB, MEMORY_PAGE, MIB,
     "bytes of the window", NULL},
    {"memory", "size", FIELD(memory_size), SETTING_BYTES, 64 * KIB, MEMORY_LIMIT, MEMORY_PAGE, GIB,
     "bytes that a program may have mapped at once", NULL},
    {"memory", "stack", FIELD(stack_size), SETTING_BYTES, 16 * KIB, GIB, MEMORY_PAGE, 8 * MIB,
     "bytes of stack, under an operating system", NULL},
    {"memory", "files", FIELD(files_size), SETTING_BYTES, 64 * KIB, MEMORY_LIMIT, MEMORY_PAGE,
     256 * MIB, "bytes of files in memory, which count as mapped", NULL},
    {"memory", "misaligned", FIELD(misaligned), SETTING_WORD, 0, 1, 1, MISALIGNED_ALLOW,
     "loads and stores of the scalar core", misaligned_words},
    {"memory", "block", FIELD(block_size), SETTING_POWER, 8, MEMORY_PAGE, 1, 64,
     "bytes of a cache block, which cbo.zero zeroes", NULL},
    {"bare", "ram", FIELD(ram_size), SETTING_BYTES, 64 * KIB, MEMORY_LIMIT - BARE_RAM_BASE,
     MEMORY_PAGE, 128 * MIB, "bytes of RAM at 0x80000000, without an operating system", NULL},
    {"bare", "tick", FIELD(tick_length), SETTING_NUMBER, 1, 1000000000, 1, 1,
     "instructions in a tick of mtime", NULL},
    {"matrix", "lanes", FIELD(lanes), SETTING_POWER, 1, 1024, 1, 16,
     "W, products that an adder tree sums; changes the bits of results", NULL},
    {"matrix", "slaves", FIELD(slaves), SETTING_NUMBER, 1, 65536, 1, 32,
     "N, columns at once; changes timing only", NULL},
    {"traversal", "rows", FIELD(traversal_rows), SETTING_NUMBER, 1, 1024, 1, 8,
     "R, arrays that can be walked at once", NULL},
    {"traversal", "dimensions", FIELD(traversal_dimensions), SETTING_NUMBER, 1, 64, 1, 8,
     "D, dimensions of one array", NULL},
    {"sparse", "rows", FIELD(sparse_rows), SETTING_NUMBER, 1, 1024, 1, 64,
     "largest M, element access units in a column", NULL},
    {"sparse", "columns", FIELD(sparse_columns), SETTING_NUMBER, 1, 1024, 1, 64,
     "largest N, element access units in a row", NULL},
    {"sparse", "tables", FIELD(sparse_tables), SETTING_NUMBER, 1, 1048576, 1, 65536,
     "tables that the lookup tables hold", NULL},
    {"sparse", "seed", FIELD(sparse_seed), SETTING_NUMBER, 0, UINT64_MAX, 1, 1,
     "seed of the order in which fetches finish; changes no result", NULL},
};
enum { LIST_COLUMNS = 90 };   /* of a list */
enum { COMMENT_COLUMN = 20 }; /* of the comments, after most keys and values */
const int config_setting_count = sizeof config_settings / sizeof *config_settings;

void config_set(struct config *config, const struct setting *setting, uint64_t value)
{
    unsigned char *field = (unsigned char *)config + setting->offset;
    uint32_t narrow = value;

    if (setting->size == sizeof narrow)
        memcpy(field, &narrow, sizeof narrow);
    else
        memcpy(field, &value, sizeof value);
}

uint64_t config_get(const struct config *config, const struct setting *setting)
{
    const unsigned char *field = (const unsigned char *)config + setting->offset;
    uint64_t value = 0;

    memcpy(&value, field, setting->size); /* little-endian host: memory.h */
    return value;
}

const char *config_text(const struct setting *setting, uint64_t value, char text[CONFIG_TEXT_SIZE])
{
    static const char suffixes[] = "KMG";
    int shifts = 0;

    switch (setting->kind) {
    case SETTING_WORD:
        return setting->words[value];
    case SETTING_ADDRESS:
        snprintf(text, CONFIG_TEXT_SIZE, "0x%" PRIx64, value);
        return text;
    case SETTING_BYTES:
        for (; shifts < 3 && value && value % KIB == 0; shifts++)
            value /= KIB;
        break;
    case SETTING_NUMBER:
    case SETTING_POWER:
        break;
    }
    snprintf(text, CONFIG_TEXT_SIZE, shifts ? "%" PRIu64 "%c" : "%" PRIu64, value,
             shifts ? suffixes[shifts - 1] : '\0');
    return text;
}

void config_default(struct config *config)
{
    *config = (struct config){0};
    for (size_t i = 0; i < isa_extension_count; i++)
        config->extensions |= (isa_set)1 << i;
    for (int i = 0; i < config_setting_count; i++)
        config_set(config, &config_settings[i], config_settings[i].initial);
}

/* Prints the allowed values of a setting as the end of its comment. */
static void print_allowed(const struct setting *setting, FILE *stream)
{
    char text[CONFIG_TEXT_SIZE];

    if (setting->kind == SETTING_WORD) {
        fprintf(stream, "%s or %s", setting->words[0], setting->words[1]);
        return;
    }
    fputs(config_text(setting, setting->minimum, text), stream);
    fprintf(stream, " to %s", config_text(setting, setting->maximum, text));
    if (setting->kind == SETTING_POWER)
        fputs(", a power of two", stream);
    else if (setting->multiple > 1)
        fprintf(stream, ", in steps of %s", config_text(setting, setting->multiple, text));
}

/* Prints the list of extensions, as many on a line as there is room for. */
static void print_extensions(isa_set extensions, FILE *stream)
{
    int column = fprintf(stream, "extensions: [");
    const char *separator = "";

    for (; extensions; extensions &= extensions - 1) {
        const char *name = isa_extensions[__builtin_ctzll(extensions)].name;
        if (column + strlen(name) > LIST_COLUMNS) {
            separator = ",\n ";
            column = 1;
        }
        column += fprintf(stream, "%s%s%s", separator, *separator == ',' ? " " : "", name);
        separator = ",";
    }
    fputs("]\n", stream);
}

void config_print(const struct config *config, FILE *stream)
{
    char text[CONFIG_TEXT_SIZE], given[2 * CONFIG_TEXT_SIZE];

    fprintf(stream,
            "# A machine for temu --machine; in the headers of traces it is %016" PRIx64 ".\n"
            "# Numbers are decimal or 0x..., and may end in K, M or G (powers of 1024).\n",
            config_fingerprint(config));
    print_extensions(config->extensions, stream);
    for (int i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        if (i == 0 || strcmp(setting[-1].section, setting->section) != 0)
            fprintf(stream, "%s:\n", setting->section);
        snprintf(given, sizeof given, "%s: %s", setting->key,
                 config_text(setting, config_get(config, setting), text));
        fprintf(stream, "  %-*s # %s: ", COMMENT_COLUMN, given, setting->summary);
        print_allowed(setting, stream);
        fputc('\n', stream);
    }
}

uint64_t config_fingerprint(const struct config *config)
{
    char value[CONFIG_TEXT_SIZE], line[128];
    uint64_t hash = 0;

    for (isa_set left = config->extensions; left; left &= left - 1) {
        const char *name = isa_extensions[__builtin_ctzll(left)].name;
        hash = hash_bytes(name, strlen(name), hash);
    }
    for (int i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        int length = snprintf(line, sizeof line, "%s.%s=%s\n", setting->section, setting->key,
                              config_text(setting, config_get(config, setting), value));
        hash = hash_bytes(line, length, hash);
    }
    return hash;
}
