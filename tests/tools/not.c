/* not [--crash] COMMAND ARGUMENT…: succeeds if the command fails, other than by a signal, or with
 * --crash, if a signal ends it. LLVM's, which does the same, loads its libraries for longer than
 * most commands run. */
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

int main(int argc, char **argv)
{
    bool is_to_crash = argc > 1 && strcmp(argv[1], "--crash") == 0;
    char **command = argv + (is_to_crash ? 2 : 1);
    pid_t child;
    int status = 0;

    if (argc < 2 || !*command) {
        fputs("not: error: expected a command\n", stderr);
        return 1;
    }
    int error = posix_spawnp(&child, *command, NULL, NULL, command, environ);
    if (error) {
        fprintf(stderr, "not: error: %s: %s\n", *command, strerror(error));
        return 1;
    }
    if (waitpid(child, &status, 0) != child)
        return 1;
    if (is_to_crash)
        return !WIFSIGNALED(status);
    if (WIFSIGNALED(status)) {
        fprintf(stderr, "not: error: %s: ended by signal %d\n", *command, WTERMSIG(status));
        return 1;
    }
    return WEXITSTATUS(status) == 0;
}
