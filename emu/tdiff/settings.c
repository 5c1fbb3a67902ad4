/* See settings.h. A line of the dump is `name: value   # summary: 1 to 16`, and the bounds end with
 * `, a power of two` where only these are allowed; or it ends with the words, `fifo or oldest`. */
#include "emu/tdiff/settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *copy_line(struct arena *arena, const char *line)
{
    return arena_copy(arena, line, strcspn(line, "\n"));
}

/* Reads the words after the last colon: `a, b or c`. */
static void read_words(struct setting *setting, struct arena *arena, const char *bounds)
{
    while (*bounds && setting->word_count < SETTING_WORDS) {
        size_t length = strcspn(bounds, ", ");
        if (length && !(length == 2 && strncmp(bounds, "or", 2) == 0))
            setting->words[setting->word_count++] = arena_copy(arena, bounds, length);
        bounds += length + (bounds[length] != '\0');
    }
    setting->count = setting->word_count;
}

static void read_bounds(struct setting *setting, struct arena *arena, const char *bounds,
                        const char *value)
{
    char *end;
    uint64_t highest;

    setting->lowest = strtoull(bounds, &end, 10);
    if (strncmp(end, " to ", 4) != 0) {
        read_words(setting, arena, bounds);
        for (unsigned i = 0; i < setting->word_count; i++)
            if (strcmp(setting->words[i], value) == 0)
                setting->preset = i;
        return;
    }
    highest = strtoull(end + 4, &end, 10);
    setting->is_power = strstr(end, "power of two") != NULL;
    uint64_t preset = strtoull(value, NULL, 10);
    if (!setting->is_power) {
        setting->count = highest - setting->lowest + 1;
        setting->preset = preset - setting->lowest;
        return;
    }
    while (setting->lowest << setting->count <= highest)
        setting->count++;
    while (setting->lowest << setting->preset < preset)
        setting->preset++;
}

/* Reads `  name: value # …: bounds`; `group` is the heading that it is under, or NULL. */
static bool read_setting(struct setting *setting, struct arena *arena, const char *line,
                         const char *group)
{
    const char *name = line + strspn(line, " "), *colon = strstr(name, ": ");
    const char *bounds = strrchr(line, ':');

    if (!colon || bounds <= colon)
        return false;
    const char *value = colon + 2;
    int length = (int)(colon - name);
    setting->head = arena_copy(arena, line, (size_t)(value - line));
    setting->name =
        arena_format(arena, "%s%s%.*s", group ? group : "", group ? "." : "", length, name);
    read_bounds(setting, arena, bounds + 2, arena_copy(arena, value, strcspn(value, " ")));
    setting->first = 0;
    setting->last = setting->count - 1;
    return setting->count > 0;
}

bool settings_read(struct settings *settings, struct arena *arena, const char *text)
{
    const char *group = NULL, *heading = NULL;
    size_t lines = 1;
    bool is_time = false;

    for (const char *at = text; *at; at++)
        lines += *at == '\n';
    settings->lines = arena_array(arena, lines, sizeof *settings->lines);
    settings->list = arena_array(arena, lines, sizeof *settings->list);
    settings->headings = arena_array(arena, lines, sizeof *settings->headings);
    for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
        const char *line = copy_line(arena, text);
        size_t indent = strspn(line, " ");
        if (indent == 0)
            is_time = strcmp(line, "timing:") == 0;
        if (!is_time) {
            settings->lines[settings->line_count++] = (char *)line;
        } else if (indent == 2 && line[strlen(line) - 1] == ':') {
            heading = line;
            group = arena_copy(arena, line + 2, strlen(line) - 3);
        } else if (indent > 0) {
            if (indent == 2)
                group = NULL;
            if (!read_setting(&settings->list[settings->count], arena, line, group))
                return false;
            settings->headings[settings->count++] = heading;
            heading = NULL;
        }
    }
    return settings->count > 0;
}

struct setting *settings_find(const struct settings *settings, const char *name)
{
    for (size_t i = 0; i < settings->count; i++)
        if (strcmp(settings->list[i].name, name) == 0)
            return &settings->list[i];
    return NULL;
}

bool setting_has(const struct setting *setting, uint64_t value)
{
    return setting->count <= SETTING_SMALL ? setting->mask >> value & 1
                                           : value >= setting->first && value <= setting->last;
}

static void write_value(const struct setting *setting, uint64_t value, FILE *stream)
{
    if (setting->word_count)
        fputs(setting->words[value], stream);
    else if (setting->is_power)
        fprintf(stream, "%" PRIu64, setting->lowest << value);
    else
        fprintf(stream, "%" PRIu64, setting->lowest + value);
}

static void write_line(const struct settings *settings, size_t index, FILE *stream)
{
    const struct setting *setting = &settings->list[index];

    if (settings->headings[index])
        fprintf(stream, "%s\n", settings->headings[index]);
    fputs(setting->head, stream);
    write_value(setting, setting->value, stream);
}

void settings_write(const struct settings *settings, FILE *stream)
{
    for (size_t i = 0; i < settings->line_count; i++)
        fprintf(stream, "%s\n", settings->lines[i]);
    fputs("timing:\n", stream);
    for (size_t i = 0; i < settings->count; i++) {
        write_line(settings, i, stream);
        fputc('\n', stream);
    }
}

/* Writes the ranges of values that give the same cycles. */
static void write_solutions(const struct setting *setting, FILE *stream)
{
    const char *separator = "";

    for (uint64_t first = setting->first; first <= setting->last; first++) {
        uint64_t last = first;
        if (!setting_has(setting, first))
            continue;
        if (setting->count > SETTING_SMALL)
            last = setting->last;
        while (setting->count <= SETTING_SMALL && last < setting->last &&
               setting_has(setting, last + 1))
            last++;
        fputs(separator, stream);
        write_value(setting, first, stream);
        if (last > first) {
            fputs(last == first + 1 ? ", " : " to ", stream);
            write_value(setting, last, stream);
        }
        separator = ", ";
        first = last;
    }
}

void settings_report(const struct settings *settings, FILE *stream)
{
    fputs("timing:\n", stream);
    for (size_t i = 0; i < settings->count; i++) {
        const struct setting *setting = &settings->list[i];
        write_line(settings, i, stream);
        if (!setting->is_solved) {
            fputs("  # not measured", stream);
        } else if (setting->first < setting->last) {
            fputs("  # cannot be told apart: ", stream);
            write_solutions(setting, stream);
        }
        fputc('\n', stream);
    }
}
