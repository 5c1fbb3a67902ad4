/* The settings of the machine. A generated table lists them with their allowed values; reading
 * (config_read.c), printing, messages and the fingerprint all use it. */
#include "lib/machine/config_settings.h"
#include "lib/map.h"
#include <inttypes.h>
#include <string.h>

#define KIB UINT64_C(1024)

#define SETTINGS_TABLE
#include "settings.inc"
#undef SETTINGS_TABLE

enum { LIST_COLUMNS = 90 };   /* of a list */
enum { COMMENT_COLUMN = 20 }; /* of the comments, after most keys and values */
const int config_setting_count = sizeof config_settings / sizeof *config_settings;

void config_set(struct config *config, const struct setting *setting, uint64_t value)
{
    memcpy((unsigned char *)config + setting->offset, &value, sizeof value);
}

uint64_t config_get(const struct config *config, const struct setting *setting)
{
    uint64_t value;

    memcpy(&value, (const unsigned char *)config + setting->offset, sizeof value);
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
        for (unsigned i = 0; setting->words[i]; i++)
            fprintf(stream, "%s%s",
                    !i                      ? ""
                    : setting->words[i + 1] ? ", "
                                            : " or ",
                    setting->words[i]);
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
        bool is_first = i == 0 || strcmp(setting[-1].section, setting->section) != 0;
        const char *dot = strchr(setting->key, '.');
        if (is_first)
            fprintf(stream, "%s:\n", setting->section);
        if (dot &&
            (is_first || strncmp(setting->key, setting[-1].key, dot + 1 - setting->key) != 0))
            fprintf(stream, "  %.*s:\n", (int)(dot - setting->key), setting->key);
        snprintf(given, sizeof given, "%s%s: %s", dot ? "  " : "", dot ? dot + 1 : setting->key,
                 config_text(setting, config_get(config, setting), text));
        fprintf(stream, "  %-*s # %s: ", COMMENT_COLUMN, given, setting->summary);
        print_allowed(setting, stream);
        fputc('\n', stream);
    }
}

void config_append(const struct config *config, struct text *text, const char *name, size_t length)
{
    char value[CONFIG_TEXT_SIZE], own[2 * CONFIG_TEXT_SIZE];

    for (int i = 0; i < config_setting_count; i++) {
        const struct setting *setting = &config_settings[i];
        const char *dot = strchr(setting->key, '.');
        snprintf(own, sizeof own, "%s%s%s", dot ? "" : setting->section, dot ? "" : ".",
                 setting->key);
        if (strlen(own) == length && memcmp(own, name, length) == 0)
            text_append(text, config_text(setting, config_get(config, setting), value));
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
