/*
 * A YAML file as a tree whose every node knows where it stands, and typed access to it.
 *
 * Only the part of YAML that the ISA description needs: one document of mappings, sequences and
 * scalars. Anchors, aliases and tags are errors, and so is a key that stands twice in a mapping.
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

/* What reading needs: where memory comes from and where errors go. */
struct node_context {
    struct arena *arena;
    struct diag *diag;
};

/* Reads `name` as YAML. NULL after an error, which has been reported. */
struct node *node_read(struct node_context *context, const char *name);

/* Value of `key` in a mapping; NULL if it is not there, or `mapping` is NULL or no mapping. */
struct node *node_get(const struct node *mapping, const char *key);

/* Position of `length` bytes at `offset` of a scalar's text, for a caret inside it. */
struct position node_position(const struct node *scalar, size_t offset, size_t length);

/* Is the node of this kind? Reports what was found and expected if it is not. `what` names the
 * node: "summary". */
bool node_expect(struct node_context *context, const struct node *node, enum node_kind kind,
                 const char *what);

/* Checks that a mapping has the keys `keys` (ends with NULL; `name!` is required) and no others.
 * `what` names the mapping: "instruction 'addi'". Returns false when it is no mapping or a required
 * key is missing. */
bool node_check_keys(struct node_context *context, const struct node *mapping, const char *what,
                     const char *const *keys);

/* The text of a scalar that is not empty; NULL after an error, or silently when `node` is NULL. */
const char *node_text(struct node_context *context, const struct node *node, const char *what);

/* `true` or `false`; `otherwise` when node is NULL or after an error. */
bool node_bool(struct node_context *context, const struct node *node, const char *what,
               bool otherwise);

/* An unsigned integer up to `maximum`: decimal, 0x or 0b, `_` between digits. False after an error,
 * or silently when node is NULL. */
bool node_unsigned(struct node_context *context, const struct node *node, const char *what,
                   uint64_t maximum, uint64_t *value);

/* The number in `text`, with an optional sign. False when it is none. */
bool node_parse_integer(const char *text, int64_t *value);
bool node_parse_unsigned(const char *text, uint64_t *value);

/* A name of letters, digits, `_` and, where `dots`, `.`; it starts with no digit. */
bool node_is_name(const char *text, bool dots);

/* "; did you mean 'x'?" from the keys of a map, or "" when none is near. In the arena. */
const char *node_suggest(struct node_context *context, const struct map *map, const char *word);

#endif
