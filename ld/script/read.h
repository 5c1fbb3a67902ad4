/* Between the scanner and the grammar of linker scripts. */
#ifndef LD_SCRIPT_READ_H
#define LD_SCRIPT_READ_H

#include "ld/script/script.h"

#define SCRIPT_INCLUDES 10  /* files in each other */
#define SCRIPT_DEPTH    500 /* levels of an expression */

/* A file that is being read. */
struct script_source {
    const struct diag_file *file;
    unsigned line, column; /* of the next character */
    size_t offset;
    const struct position *from; /* INCLUDE, or NULL; lives as long as the link */
    void *including;             /* flex's buffer of the file with the INCLUDE */
};

/* The same characters are one word in a pattern (`*lib-a.o`) and several in an expression, and only
 * the place tells which it is: the reader knows where it is. */
struct script_reader {
    struct linker *linker;
    struct script *script; /* NULL: none, but a --defsym */
    struct script_source sources[SCRIPT_INCLUDES];
    unsigned source_count;
    bool is_defsym; /* the text is that of a --defsym, not a script */
    unsigned braces, parentheses;
    bool in_sections;
    bool files;     /* words are names of files, up to the parenthesis */
    bool patterns;  /* words are patterns */
    bool call_ends; /* a statement like BYTE(…) ends with its parenthesis */
};

struct script_source *script_source(struct script_reader *reader);
/* Opens an INCLUDE file; false after a diagnostic. */
bool script_include(struct script_reader *reader, const char *name, const struct position *at,
                    struct diag_file **file);

#endif
