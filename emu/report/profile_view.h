/* A profile (emu/profile/profile.h) in the form that its reports have in common: places with their
 * source lines, functions with names, calls, and the tree of functions that a flame graph shows. */
#ifndef EMU_REPORT_PROFILE_VIEW_H
#define EMU_REPORT_PROFILE_VIEW_H

#include "emu/profile/profile.h"
#include "lib/debug_info.h"
#include "lib/map.h"
#include "lib/text.h"
#include <stdio.h>

/* An instruction that was executed. */
struct view_place {
    uint64_t address;
    const struct profile_place *place;
    size_t function;  /* index */
    const char *file; /* NULL: unknown */
    unsigned line;    /* 0: unknown */
};

struct view_function {
    uint64_t address;
    const char *name;
    const char *file;          /* of its first instruction; or NULL */
    unsigned line;             /* the smallest one of that file */
    struct profile_cost self;  /* without its callees */
    struct profile_cost total; /* with them; a recursive call counts once */
    uint64_t calls;
    uint64_t places, places_in; /* first place, and how many */
};

/* The instructions of a function that are of one source line. */
struct view_line {
    size_t function;
    const char *file;
    unsigned line;
    struct profile_cost cost;
};

/* The calls at one place of one function. */
struct view_call {
    uint64_t site;
    size_t caller, callee;
    uint64_t calls;
    struct profile_cost total; /* without that of calls inside of another call of the callee */
};

/* A chain of calls of functions. Node 0 is what comes before all calls. */
struct view_node {
    size_t function;
    uint32_t parent, child, sibling; /* the first child, and the next one of the parent; 0: none */
    unsigned depth;                  /* of the children of node 0: 1 */
    bool is_outermost;               /* the function occurs once in the chain */
    struct profile_cost self, total;
};

struct profile_view {
    const struct profile *profile;
    const struct program *program;
    struct debug_info *debug; /* or NULL */
    bool is_timed;
    struct profile_cost all;
    struct view_place *places; /* by address */
    size_t place_count;
    struct view_function *functions; /* by address */
    size_t function_count;
    struct view_line *lines; /* by cost, descending */
    size_t line_count;
    struct view_call *calls; /* by caller, site and callee */
    size_t call_count;
    struct view_node *nodes; /* parents before their children */
    size_t node_count;
};

void profile_view_open(struct profile_view *view, const struct profile *profile, struct diag *diag);
void profile_view_close(struct profile_view *view);

/* Returns the source line of an address; all is unknown without debug information. */
struct debug_place profile_view_line(const struct profile_view *view, uint64_t address);
/* Returns the name of the function that begins at the address, or the address. */
const char *profile_view_name(const struct profile_view *view, uint64_t address);
/* Returns what reports sort by: cycles, or instructions of a run that was not timed. */
uint64_t profile_view_weight(const struct profile_view *view, const struct profile_cost *cost);

#endif
