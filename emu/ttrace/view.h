/* ttrace view: a page that shows a trace in a browser, alone, without a server or a network. The
 * page is view.html with the data of the trace in it as parts: compressed by zlib, which browsers
 * decompress, and in base64. */
#ifndef EMU_TTRACE_VIEW_H
#define EMU_TTRACE_VIEW_H

#include "emu/ttrace/ttrace.h"

/* ---- parts (view_part.c) ---- */

/* Writes a part of the page. The text is emptied. */
void view_part(FILE *page, const char *name, struct text *bytes);
/* Appends a string in JSON, with its quotes. */
void view_string(struct text *text, const char *string, size_t length);
/* Appends a number of 16 or 32 bits, little-endian. */
void view_short(struct text *text, unsigned number);
void view_word(struct text *text, uint32_t number);

/* ---- records (view_records.c) ---- */

/* A chunk of records has two parts: the form of each record, and their values. They are decoded
 * without other chunks. */
enum { VIEW_CHUNK = 1 << 15 };

struct view_records;

struct view_records *view_records_new(struct ttrace_tool *tool, FILE *page);
/* Appends a record. Returns the number of its site, which view_records_end describes. */
uint32_t view_records_add(struct view_records *records, const struct ttrace_record *record);
/* Writes what is left, and appends members of a JSON object: sites, forms, names, sources and
 * chunks. */
void view_records_end(struct view_records *records, struct text *json);
/* Returns the number of the function that the site belongs to, from 1; 0: unknown. */
unsigned view_function(const struct view_records *records, uint32_t site);
/* Returns the number of the unit that executes the site; -1: the scalar core. */
int view_unit(const struct view_records *records, uint32_t site);

/* ---- cycles, if the trace has them (view_cycles.c) ---- */

struct view_cycles;

/* `workers` of the barrel; 0: there is none. */
struct view_cycles *view_cycles_new(FILE *page, unsigned workers);
/* Adds the times of the next record, which is of this thread; NULL: it has none. */
void view_cycles_add(struct view_cycles *cycles, const struct ttrace_time *time, uint32_t thread);
/* Adds the turns of a barrel that passed, and nothing else of the time. */
void view_cycles_pass(struct view_cycles *cycles, const struct ttrace_time *time);
/* Writes what is left, and appends a member of a JSON object. */
void view_cycles_end(struct view_cycles *cycles, const struct ttrace_time_names *names,
                     struct text *json);

/* ---- pictures over time (view_time.c) ---- */

struct view_time;

/* `count` records will be added. */
struct view_time *view_time_new(uint64_t count);
void view_time_add(struct view_time *time, const struct ttrace_record *record, unsigned function,
                   int unit);
/* Writes the parts, and appends members of a JSON object. */
void view_time_end(struct view_time *time, FILE *page, struct text *json);

#endif
