/* The system's C compiler as translator_look needs it: texts in, functions out.
 *
 * The compiler gets the text by its standard input and writes the object into anonymous memory, so
 * that there are no files of ours that an end could leave behind. */
#ifndef EMU_NATIVE_COMPILE_H
#define EMU_NATIVE_COMPILE_H

#include "emu/native/cache.h"
#include "emu/native/translate.h"
#include "lib/text.h"
#include <sys/types.h>

struct compiler {
    struct arena *arena;
    const char *path;  /* of the command; NULL: there is none */
    const char *cache; /* directory, or NULL */
    uint64_t identity; /* of the compiler and the host's CPU */
    bool verbose;
    pid_t process;         /* that is running, or 0 */
    int object;            /* anonymous file that it writes */
    struct object_key key; /* of what it works on */
};

/* Are a compiler and a cache that the user has named of any use? False after a diagnostic. */
bool compiler_check_options(struct arena *arena, struct diag *diag,
                            const struct translator_options *options);
/* Looks for the compiler and the cache's place. */
void compiler_init(struct compiler *compiler, struct arena *arena,
                   const struct translator_options *options);
/* Ends the process, if there is one, without waiting for it. */
void compiler_free(struct compiler *compiler);

struct object_key compiler_key(const struct compiler *compiler, const struct text *text,
                               enum effort effort);
/* The function of the cached object; NULL when there is none, or none that is good. */
unit_function *compiler_cached(const struct compiler *compiler, const struct object_key *key);
/* Starts to compile; none may be running. False when that is not possible. */
bool compiler_start(struct compiler *compiler, const struct text *text,
                    const struct object_key *key);
/* Is it done? Then *function is what it made, or NULL when it failed; the object is in the cache.
 * With `wait`, comes back when it is done, or when it took longer than any compiler should. */
bool compiler_poll(struct compiler *compiler, bool wait, unit_function **function);

#endif
