/* --profile: where the instructions, cycles, bytes and products of a run went, in several formats.
 */
#ifndef EMU_REPORT_PROFILE_REPORT_H
#define EMU_REPORT_PROFILE_REPORT_H

#include "emu/report/profile_view.h"
#include <stdbool.h>
#include <stdio.h>

enum profile_format {
    PROFILE_TEXT,
    PROFILE_CALLGRIND, /* of KCachegrind ("Callgrind Format Specification") */
    PROFILE_FOLDED,    /* a chain of calls and its cost on each line, for flame graphs */
    PROFILE_SVG,       /* a flame graph */
    PROFILE_JSON,
};

#define PROFILE_FORMATS "text, callgrind, folded, svg or json"

/* Finds the format of this name. Returns false if there is none. */
bool profile_format_by_name(const char *name, enum profile_format *format);
/* Sets the format that the ending of the file's name names, as in "sum.svg"; text for other names.
 */
void profile_format_by_ending(const char *file, enum profile_format *format);
void profile_write(const struct profile_view *view, enum profile_format format, FILE *stream);

void profile_write_callgrind(const struct profile_view *view, FILE *stream);
void profile_write_folded(const struct profile_view *view, FILE *stream);
void profile_write_svg(const struct profile_view *view, FILE *stream);
void profile_write_json(const struct profile_view *view, FILE *stream);

#endif
