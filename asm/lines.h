/* Line tables: .file NUMBER and .loc of compilers, and -g for assembly, into .debug_line.
 *
 * A row says which line the code at a label comes from. The table is that of DWARF 5, 6.2; its rows
 * are written as GNU as writes them where the linker may shorten code: every step of the address
 * is a DW_LNS_fixed_advance_pc with relocations. */
#ifndef ASM_LINES_H
#define ASM_LINES_H

#include "asm/statement.h"

enum line_flag { LINE_STATEMENT = 1, LINE_BLOCK = 2, LINE_PROLOGUE_END = 4, LINE_EPILOGUE = 8 };

struct line_row {
    struct symbol *label;
    const struct position *at; /* of the statement that asked for it */
    uint64_t file, line, column, isa, discriminator;
    unsigned flags;
    struct line_row *next; /* of the subsection, in order */
};

struct line_file {
    const char *directory, *name; /* name NULL: this number was not given */
};

struct lines {
    struct line_file *files; /* by number */
    size_t file_count, file_capacity;
    const char *directory;     /* of the compilation, by .file 0; or NULL */
    struct section **sections; /* that have rows, in order of their first */
    size_t section_count, section_capacity;
    struct line_row now; /* what the last .loc said */
    bool pending;        /* the next instruction begins a row */
    bool given;          /* .loc and .file are used: no lines of our own */
    struct line_row *last;
    uint64_t view; /* of that row: how many stand before it at its place */
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
/* Writes the table, and under -g what describes the assembly unit; behind the last statement. */
void lines_finish(struct assembler *as);

#endif
