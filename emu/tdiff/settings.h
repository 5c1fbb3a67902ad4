/* The timing settings of a machine, as temu --dump-machine prints them with their bounds. So tdiff
 * knows no setting by itself. Internal to tdiff. */
#ifndef EMU_TDIFF_SETTINGS_H
#define EMU_TDIFF_SETTINGS_H

#include "lib/arena.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { SETTING_WORDS = 8, SETTING_SMALL = 64 };

/* Values are numbered from 0: `lowest` and up, or its powers of two, or words. */
struct setting {
    const char *name; /* window, matrix.fill */
    const char *head; /* of its line, up to the value */
    bool is_power;
    unsigned word_count; /* 0: a number */
    const char *words[SETTING_WORDS];
    uint64_t lowest, count, preset; /* the value that the machine has */
    uint64_t value;                 /* the number of the value to try */
    bool is_solved;
    uint64_t first, last; /* the values that give the cycles of the RTL are among these */
    uint64_t mask;        /* up to SETTING_SMALL values: which ones */
};

struct settings {
    char **lines; /* of the dump before the settings of time */
    size_t line_count;
    struct setting *list;
    size_t count;
    const char **headings; /* NULL, or the line before a setting: `  matrix:` */
};

/* Reads the text that temu --dump-machine has printed. All settings get their lowest value. Returns
 * false when it has no settings of time. */
bool settings_read(struct settings *settings, struct arena *arena, const char *text);
struct setting *settings_find(const struct settings *settings, const char *name);
/* Writes a machine file with the values. */
void settings_write(const struct settings *settings, FILE *stream);
/* Writes the section of time, with a comment where other values give the same cycles. */
void settings_report(const struct settings *settings, FILE *stream);
/* Is the value with this number among the solutions? */
bool setting_has(const struct setting *setting, uint64_t value);

#endif
