/* launch COUNT INPUT OUTPUT COMMAND [ARGUMENT…]: runs a command COUNT times, one after the other,
 * and prints their cost on one line:
 *
 *     wall NANOSECONDS cpu MICROSECONDS memory KIBIBYTES status STATUS
 *
 * wall and cpu (user and system time) are sums over all runs; memory is the greatest peak of a run.
 * launch stops at the first run that does not exit with 0, and status is that of this run (128 plus
 * the number of the signal that ended it).
 *
 * The runner does not start programs directly, because the kernel counts the peak memory of the
 * process that starts a program as the program's. launch is linked statically and uses very little
 * memory, so peaks from about a megabyte up are correct. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

struct cost {
    long long wall, cpu; /* nanoseconds, microseconds */
    long memory;         /* KiB */
    int status;
};

static long long now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static long long microseconds(struct timeval time)
{
    return time.tv_sec * 1000000LL + time.tv_usec;
}

/* Runs the command once and adds its cost. Returns 0, or the error that kept it from starting. */
static int run(char **command, posix_spawn_file_actions_t *files, struct cost *cost)
{
    pid_t child;
    int state;
    struct rusage usage;

    long long start = now();
    int error = posix_spawnp(&child, command[0], files, NULL, command, environ);
    if (error)
        return error;
    while (wait4(child, &state, 0, &usage) < 0)
        if (errno != EINTR)
            return errno;
    cost->wall += now() - start;
    cost->cpu += microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    cost->memory = usage.ru_maxrss > cost->memory ? usage.ru_maxrss : cost->memory;
    cost->status = WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: launch COUNT INPUT OUTPUT COMMAND [ARGUMENT...]\n");
        return 2;
    }
    long count = strtol(argv[1], NULL, 10);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, argv[2], O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, 1, argv[3], O_WRONLY | O_CREAT | O_TRUNC, 0666);
    struct cost cost = {0};
    while (count-- > 0 && cost.status == 0) {
        int error = run(argv + 4, &files, &cost);
        if (error) {
            fprintf(stderr, "launch: %s: %s\n", argv[4], strerror(error));
            return 2;
        }
    }
    printf("wall %lld cpu %lld memory %ld status %d\n", cost.wall, cost.cpu, cost.memory,
           cost.status);
    return 0;
}
