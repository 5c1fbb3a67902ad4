/* Runs the system's C compiler: turns C text into functions for the translator.
 *
 * The compiler reads the text from its standard input and writes the object into anonymous memory,
 * so no temporary files are left when temu is killed. */
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
    pid_t process;         /* the running compiler, or 0 */
    int object;            /* anonymous file that the compiler writes */
    struct object_key key; /* key of the object that it makes */
};

/* Checks the compiler and the cache that the user has named. Returns false after a diagnostic. */
bool compiler_check_options(struct arena *arena, struct diag *diag,
                            const struct translator_options *options);
/* Finds the compiler and the directory of the cache. */
void compiler_init(struct compiler *compiler, struct arena *arena,
                   const struct translator_options *options);
/* Kills the running compiler, if there is one, without waiting for it. */
void compiler_free(struct compiler *compiler);

struct object_key compiler_key(const struct compiler *compiler, const struct text *text,
                               enum effort effort);
/* Returns the function of the cached object, or NULL when there is no valid one. */
unit_function *compiler_cached(const struct compiler *compiler, const struct object_key *key);
/* Starts the compiler; none may be running. Returns false when it cannot be started. */
bool compiler_start(struct compiler *compiler, const struct text *text,
                    const struct object_key *key);
/* Returns true when the compiler is done. Then *function is its result, or NULL when it failed, and
 * the object is in the cache. With `wait`, waits until the compiler is done or has exceeded its
 * time limit. */
bool compiler_poll(struct compiler *compiler, bool wait, unit_function **function);

#endif
