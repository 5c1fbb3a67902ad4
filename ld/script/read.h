/* The interface between the scanner and the grammar of linker scripts. */
#ifndef LD_SCRIPT_READ_H
#define LD_SCRIPT_READ_H

#include "ld/script/script.h"

#define SCRIPT_INCLUDES 10  /* nested files */
#define SCRIPT_DEPTH    500 /* nesting of an expression */

/* A file that is being read. */
struct script_source {
    const struct diag_file *file;
    unsigned line, column; /* of the next character */
    size_t offset;
    const struct position *from; /* position of the INCLUDE, or NULL; lives as long as the link */
    void *including;             /* flex's buffer for the file that contains the INCLUDE */
};

/* The part of an OVERLAY that has been read: what is known of its sections. */
struct script_overlay {
    unsigned number;                             /* of the overlay, from 1 */
    struct expression *start, *load_address;     /* as given, or NULL */
    const char *first, *previous;                /* names of sections, or NULL */
    struct script_output *outputs, *last_output; /* its sections, linked by next_in_overlay */
};

/* A number as it is written. */
struct script_number {
    uint64_t value;
    unsigned hex_digits; /* of a hexadecimal number without K or M, with leading zeros; else 0 */
};

/* The state of the scanner. The same characters are one word in a pattern (`*lib-a.o`) and several
 * in an expression. Only the context tells the two apart, so the grammar's context is kept here. */
struct script_reader {
    struct linker *linker;
    struct script *script; /* NULL: the text is that of a --defsym */
    struct script_source sources[SCRIPT_INCLUDES];
    unsigned source_count;
    bool is_defsym; /* the text is that of a --defsym, not a script */
    unsigned braces, parentheses;
    bool in_sections;
    bool in_overlay;                   /* so the braces of a section are one level deeper */
    struct script_isolation *isolated; /* of the OVERLAY that is being read, or NULL */
    struct script_overlay *overlay;    /* the OVERLAY that is being read, or the last one */
    bool files;                        /* words are file names until the closing parenthesis */
    bool patterns;                     /* words are patterns */
    bool call_ends; /* a statement like BYTE(…) ends with the next closing parenthesis */
};

struct script_source *script_source(struct script_reader *reader);
/* Opens an INCLUDE file. Returns false after a diagnostic. */
bool script_include(struct script_reader *reader, const char *name, const struct position *at,
                    struct diag_file **file);

#endif
