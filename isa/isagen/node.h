/*
 * A YAML file as a tree whose nodes know their positions, and typed access to it.
 *
 * Only the part of YAML that the ISA description needs is supported: one document of mappings,
 * sequences and scalars. Anchors, aliases and tags are errors, and so is a key that appears twice
 * in a mapping.
 */
#ifndef ISA_ISAGEN_NODE_H
#define ISA_ISAGEN_NODE_H

#include "lib/arena.h"
#include "lib/diag.h"
#include "lib/map.h"
#include <stdbool.h>
#include <stdint.h>

enum node_kind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

enum node_style {
    NODE_PLAIN,  /* unquoted, on one line */
    NODE_QUOTED, /* in quotes, on one line, without escapes */
    NODE_BLOCK,  /* literal block: the lines after the `|` */
    NODE_OTHER,  /* spread over lines: text and source do not match byte by byte */
};

struct node {
    enum node_kind kind;
    enum node_style style;
    struct position at;
    const char *text;    /* scalar: its value, NUL-terminated, no NUL inside */
    struct node **items; /* sequence: the items; mapping: key, value, key, value, ... */
    size_t count;        /* items, or pairs of a mapping */
    size_t capacity;     /* while the tree is built */
};

/* The context of reading: where memory comes from and where errors are reported. */
struct node_context {
    struct arena *arena;
    struct diag *diag;
};

/* Reads `name` as YAML. Returns NULL after an error. */
struct node *node_read(struct node_context *context, const char *name);

/* Returns the value of `key` in a mapping. Returns NULL if there is none, or if `mapping` is NULL
 * or not a mapping. */
struct node *node_get(const struct node *mapping, const char *key);

/* Returns the position of `length` bytes at `offset` of a scalar's text, for a caret inside of
 * it. */
struct position node_position(const struct node *scalar, size_t offset, size_t length);

/* Is the node of this kind? If not, reports what was found and what was expected. `what` names the
 * node: "summary". */
bool node_expect(struct node_context *context, const struct node *node, enum node_kind kind,
                 const char *what);

/* Checks that a mapping has the keys `keys` (ends with NULL; `name!` is required) and no others.
 * `what` names the mapping: "instruction 'addi'". Returns false if it is not a mapping or a
 * required key is missing. */
bool node_check_keys(struct node_context *context, const struct node *mapping, const char *what,
                     const char *const *keys);

/* Returns the text of a scalar that is not empty. Returns NULL after an error, or silently if
 * `node` is NULL. */
const char *node_text(struct node_context *context, const struct node *node, const char *what);

/* Reads `true` or `false`. Returns `otherwise` if node is NULL or after an error. */
bool node_bool(struct node_context *context, const struct node *node, const char *what,
               bool otherwise);

/* Reads an unsigned integer up to `maximum`: decimal, 0x or 0b, with `_` between digits. Returns
 * false after an error, or silently if node is NULL. */
bool node_unsigned(struct node_context *context, const struct node *node, const char *what,
                   uint64_t maximum, uint64_t *value);

/* Parses a number with an optional sign. Returns false if `text` is not a number. */
bool node_parse_integer(const char *text, int64_t *value);
bool node_parse_unsigned(const char *text, uint64_t *value);

/* Is it a name of letters, digits, `_` and, with `dots`, `.`, that does not start with a digit? */
bool node_is_name(const char *text, bool dots);
/* Is the text a decimal number, maybe with a sign, a point or an exponent? */
bool node_is_number(const char *text);

/* Returns "; did you mean 'x'?", or `otherwise` if no candidate is near. The text is in the arena.
 */
const char *node_near(struct node_context *context, struct suggestion *suggestion,
                      const char *otherwise);
/* The same with the keys of the map; otherwise "". */
const char *node_suggest(struct node_context *context, const struct map *map, const char *word);
/* Reads one of a few words, which end with NULL. Returns its index; after an error, which calls it
 * `what`, or if there is no text, -1. */
int node_word(struct node_context *context, const struct node *node, const char *what,
              const char *const *words);

#endif
