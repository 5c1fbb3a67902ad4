/* Builds the parts of a script as the grammar recognizes them. All of them live in the arena of the
 * link; `at` is the position of the part. */
#ifndef LD_SCRIPT_BUILD_H
#define LD_SCRIPT_BUILD_H

#include "ld/script/read.h"

struct expression *build_expression(struct script_reader *reader, enum operation operation,
                                    const struct position *at, struct expression *left,
                                    struct expression *right);
struct expression *build_property(struct script_reader *reader, enum operation operation,
                                  const struct position *at, const char *name);
struct expression *build_symbol(struct script_reader *reader, enum operation operation,
                                const struct position *at, const char *name);
/* A word in an expression: a symbol, or "." in a script. */
struct expression *build_name(struct script_reader *reader, const struct position *at,
                              const char *name);
/* The contents of --defsym: the symbol and its value. */
void build_defsym(struct script_reader *reader, const char *name, struct expression *value);
struct script_statement *build_statement(struct script_reader *reader, enum script_kind kind,
                                         const struct position *at);
struct script_statement *build_assign(struct script_reader *reader, const char *name,
                                      const char *change, struct expression *value,
                                      const struct position *at);
struct script_pattern *build_pattern(struct script_reader *reader, const char *name);
struct script_output *build_output(struct script_reader *reader, const char *name,
                                   struct expression *address, enum script_type type,
                                   const struct position *at);
struct script_words *build_words(struct script_reader *reader, const char *word);
/* NOCROSSREFS (_TO if `to_first`) of these output sections. */
struct script_isolation *build_isolation(struct script_reader *reader,
                                         struct script_words *sections, bool to_first);
/* A file or library to link, or the start or end of a group. */
void build_input(struct script_reader *reader, enum input_kind kind, const char *name);
/* SEGMENT_START: the address from the command line, or `otherwise`. */
struct expression *build_segment_start(struct script_reader *reader, const struct position *at,
                                       const char *segment, struct expression *otherwise);
void build_append(struct script_list *list, struct script_statement *statement);
struct script_region *build_region_of(struct script_reader *reader, const char *name,
                                      const struct position *at);
bool build_attributes(struct script_reader *reader, struct script_region *region,
                      const char *letters, bool refuse, const struct position *at);
struct script_region *build_region(struct script_reader *reader, const char *name,
                                   const struct position *at);
/* Returns the PT_… with this name. Reports an unknown one. */
uint32_t build_segment_type(struct script_reader *reader, const char *name,
                            const struct position *at);
struct script_segment *build_segment(struct script_reader *reader, const char *name,
                                     const struct position *at, uint32_t type);
/* An OVERLAY: its start and its load address (or NULL), each section in it, and what holds for all
 * of them. */
void build_overlay(struct script_reader *reader, struct expression *start,
                   struct expression *load_address);
void build_overlay_section(struct script_reader *reader, const char *name, struct script_list body,
                           struct script_words *segments, struct expression *fill,
                           const struct position *at);
void build_overlay_end(struct script_reader *reader, struct script_region *region,
                       struct script_region *load_region, struct script_words *segments,
                       struct expression *fill);
/* INSERT AFTER or BEFORE a section: of the statements since the last INSERT. */
void build_insert(struct script_reader *reader, const char *section, bool after,
                  const struct position *at);
void build_check_word(struct script_reader *reader, const struct position *at, const char *found,
                      const char *const *allowed, const char *expected);

#endif
