#include "lib/output.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(struct output *output, const char *what)
{
    struct position whole = {.name = output->name};
    diag_error(output->diag, &whole, "cannot %s: %s", what, strerror(errno));
    return false;
}

bool output_open(struct output *output, struct diag *diag, const char *name, unsigned mode)
{
    *output = (struct output){.diag = diag, .name = name};
    struct stat status;
    /* A link such as /dev/stdout must stay one: what it points at is written. */
    if (lstat(name, &status) == 0 && !S_ISREG(status.st_mode)) {
        if (S_ISDIR(status.st_mode))
            errno = EISDIR;
        else
            output->stream = fopen(name, "w");
        return output->stream ? true : fail(output, "write");
    }
    size_t length = strlen(name);
    output->temporary = malloc(length + 8);
    if (!output->temporary)
        return fail(output, "write");
    memcpy(output->temporary, name, length);
    memcpy(output->temporary + length, ".XXXXXX", 8);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0) {
        free(output->temporary);
        output->temporary = NULL;
        return fail(output, "write");
    }
    mode_t mask = umask(0);
    umask(mask);
    if (fchmod(descriptor, mode & ~mask & 0777) == 0)
        output->stream = fdopen(descriptor, "w");
    if (!output->stream) {
        fail(output, "write");
        close(descriptor);
        output_abandon(output);
        return false;
    }
    return true;
}

bool output_write(struct output *output, const void *bytes, size_t length)
{
    return length == 0 || fwrite(bytes, 1, length, output->stream) == length;
}

bool output_commit(struct output *output)
{
    if (!output->stream)
        return false;
    bool good = fflush(output->stream) == 0 && !ferror(output->stream);
    if (!good)
        fail(output, "write");
    if (fclose(output->stream) != 0 && good)
        good = fail(output, "write");
    output->stream = NULL;
    if (good && output->temporary && rename(output->temporary, output->name) != 0)
        good = fail(output, "put the finished file in place");
    if (good) {
        free(output->temporary);
        output->temporary = NULL;
    }
    output_abandon(output);
    return good;
}

void output_abandon(struct output *output)
{
    if (output->stream)
        fclose(output->stream);
    output->stream = NULL;
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    output->temporary = NULL;
}

int output_finish_stdout(struct diag *diag, int status)
{
    bool failed = ferror(stdout) != 0;
    if (fflush(stdout) == 0 && !failed)
        return status;
    struct position whole = {.name = "<stdout>"};
    diag_error(diag, &whole, "cannot write: %s", strerror(errno));
    return 1;
}

void output_init(void)
{
    signal(SIGPIPE, SIG_IGN);
}
