/* The line table .debug_line, from .file NUMBER and .loc of compilers, or from -g.
 *
 * A row states the source line of the code from a label on. The table is that of DWARF 5, 6.2. Its
 * rows are encoded as GNU as does where the linker may shorten code: each advance of the address is
 * a DW_LNS_fixed_advance_pc with relocations. */
#ifndef ASM_LINES_H
#define ASM_LINES_H

#include "asm/location.h"
#include "asm/statement.h"

enum line_flag { LINE_STATEMENT = 1, LINE_BLOCK = 2, LINE_PROLOGUE_END = 4, LINE_EPILOGUE = 8 };

struct line_row {
    struct symbol *label;
    struct line_row *next; /* of the subsection, in order */
    struct location at;    /* of the statement that it is for */
    uint32_t file, line, column, isa, discriminator;
    unsigned flags;
};

struct line_file {
    const char *directory, *name; /* name NULL: no .file has this number */
    bool has_digest;
    uint64_t digest[2]; /* MD5 of the source file as a number: the low half, then the high one */
};

struct lines {
    struct line_file *files; /* by number */
    size_t file_count, file_capacity;
    const char *directory;     /* of the compilation (.file 0), or NULL */
    struct section **sections; /* with rows, in order of their first row */
    size_t section_count, section_capacity;
    struct line_row now; /* as set by the last .loc */
    bool pending;        /* the next instruction begins a row */
    bool given;          /* the source has .loc or .file: -g adds no rows */
    struct line_row *last;
    uint64_t view; /* of that row: number of rows before it at the same place */
};

/* Adds the row that the next instruction begins, if it begins one. Called before each instruction.
 */
void lines_instruction(struct assembler *as, const struct position *at);
/* Adds a row for the current location with the registers that the last .loc set. */
void lines_add_row(struct assembler *as);
/* Returns the entry of the file with that number; it has no name if it is new. */
struct line_file *lines_file_at(struct assembler *as, uint64_t number);
/* Sets the directory and the name of the file. `directory` is NULL when `name` may contain it. */
void lines_split_name(struct assembler *as, struct line_file *file, const char *directory,
                      const char *name);
/* Writes the table, and with -g the description of the assembly unit, after the last statement. */
void lines_finish(struct assembler *as);

#endif
