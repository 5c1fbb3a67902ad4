/* The files that a run of temu reads and writes. */
#ifndef EMU_RUN_FILES_H
#define EMU_RUN_FILES_H

#include "emu/load.h"
#include "emu/options.h"
#include "emu/report/inspect.h"
#include "lib/output.h"

/* A zero-initialized list with an arena is empty and valid. */
struct run_files {
    struct arena *arena;
    struct output_use *uses;
    size_t count, capacity;
};

/* Lists the files that the options name. `dumps` and `loads` are the parsed arguments of those in
 * the options. The strings must live as long as the list. */
void run_files_list(struct run_files *files, const struct temu_options *options,
                    const struct dump_request *dumps, const struct load_request *loads);
/* Checks that no output is another output, an input, or a source file that the debug information of
 * the program names, so that a run does not destroy what it reads or has written (output_check).
 * Returns false after diagnostics. */
bool run_files_check(struct run_files *files, struct diag *diag, const struct program *program);

#endif
