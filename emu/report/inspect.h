/* The options that read and write guest memory: --print, --dump and --load. */
#ifndef EMU_REPORT_INSPECT_H
#define EMU_REPORT_INSPECT_H

#include "emu/load.h"
#include "emu/report/print.h"

/* `SYM-or-ADDR:LEN=FILE`; LEN may be left out for a symbol with a size. */
struct dump_request {
    uint64_t address, length;
    const char *file;
};

/* `SYM-or-ADDR=FILE` */
struct load_request {
    uint64_t address;
    uint64_t room; /* bytes of the symbol from the address on; 0: unknown */
    const char *file;
    const char *argument; /* as the user gave it */
};

/* Parse the argument of an option. Return false after a diagnostic. A symbol without dimensions
 * that has room for several elements is an array of them. */
bool print_parse(struct print_request *request, const struct program *program, struct arena *arena,
                 struct diag *diag, const char *text);
bool dump_parse(struct dump_request *request, const struct program *program, struct arena *arena,
                struct diag *diag, const char *text);
bool load_parse(struct load_request *request, const struct program *program, struct arena *arena,
                struct diag *diag, const char *text);

bool dump_run(const struct dump_request *request, const struct memory *memory, struct diag *diag);
bool load_run(const struct load_request *request, struct memory *memory, struct arena *arena,
              struct diag *diag);

#endif
