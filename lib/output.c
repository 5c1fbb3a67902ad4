#include "lib/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const int deadly_signals[] = {SIGHUP, SIGINT, SIGTERM};
enum { DEADLY_SIGNALS = sizeof deadly_signals / sizeof *deadly_signals };

/* A temporary file is named for its target, with a digit at the end: several runs may write the
 * same target. Its lock says that the run which writes it still lives. */
#define TEMPORARY_SUFFIX ".unfinished0"
enum { TEMPORARY_NAMES = 10 };
enum { LINKS = 40 }; /* that a name may lead through, as in Linux */

/* The outputs that have a temporary file now. The list is global, since a signal handler can reach
 * nothing else. Signals are blocked while it changes. */
static struct output *open_outputs;
/* The output that goes to standard output now, or NULL. */
static const struct output *stdout_owner;

/* Removes temporary files when the tool ends before output_commit or output_abandon: no memory, a
 * signal. */
static void remove_temporaries(void)
{
    for (const struct output *output = open_outputs; output; output = output->next_open)
        unlink(output->temporary);
}

static void end_by_signal(int number)
{
    remove_temporaries();
    signal(number, SIG_DFL);
    raise(number);
}

static void hold_signals(sigset_t *before)
{
    sigset_t deadly;

    sigemptyset(&deadly);
    for (int i = 0; i < DEADLY_SIGNALS; i++)
        sigaddset(&deadly, deadly_signals[i]);
    sigprocmask(SIG_BLOCK, &deadly, before);
}

void output_end(const char *message)
{
    remove_temporaries();
    ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written; /* there is nobody to report a failure to */
    _exit(1);
}

/* Is the descriptor still the file of this name? */
static bool is_named(int descriptor, const char *name)
{
    struct stat a, b;

    return fstat(descriptor, &a) == 0 && lstat(name, &b) == 0 && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Removes the temporary file that a killed run has left. One that another run still writes, or that
 * belongs to another user, stays. Returns whether there was a file of this name. */
static bool remove_leftover(const char *name)
{
    struct stat status;
    int descriptor = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

    if (descriptor < 0)
        return errno != ENOENT;
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, name))
        unlink(name);
    close(descriptor);
    return true;
}

/* Creates and locks a temporary file. Returns -1 when the name is taken, or after an error. Where
 * the file system has no locks, there is none. */
static int claim(const char *name)
{
    int descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);

    if (descriptor < 0)
        return -1;
    /* A run that looks for leftovers may have locked it first. */
    if ((flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
        is_named(descriptor, name))
        return descriptor;
    close(descriptor);
    errno = EEXIST;
    return -1;
}

/* Creates the temporary file under the first free name. Leftovers before it go, and those that
 * follow it. It does not look further: to look for all names takes a twentieth of the time of a
 * short run. */
static int create_temporary(char *name)
{
    char *digit = name + strlen(name) - 1, chosen = '0';
    int descriptor = -1, error = EEXIST;

    for (int i = 0; i < TEMPORARY_NAMES; i++) {
        *digit = (char)('0' + i);
        bool was_taken = remove_leftover(name);
        if (descriptor < 0 && error == EEXIST) {
            descriptor = claim(name);
            error = errno;
            chosen = *digit;
        } else if (!was_taken) {
            break;
        }
    }
    *digit = chosen;
    errno = error;
    return descriptor;
}

static int make_temporary(struct output *output)
{
    sigset_t before;

    hold_signals(&before);
    int descriptor = create_temporary(output->temporary);
    int error = errno;
    if (descriptor >= 0) {
        /* Keeps the lock until the file has its name, after the stream is closed. */
        output->lock = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        output->next_open = open_outputs;
        open_outputs = output;
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = error;
    return descriptor;
}

static void free_names(struct output *output)
{
    free(output->target);
    free(output->temporary);
    output->target = output->temporary = NULL;
}

/* Exchanges the new file with the one that it replaces, and then removes the old one. Some file
 * systems (ext4) write a file to the disk immediately when it takes another file's name, which
 * takes longer than the writing. */
static bool put_in_place(const struct output *output)
{
#ifdef RENAME_EXCHANGE
    struct stat status;

    if (lstat(output->target, &status) == 0 && S_ISREG(status.st_mode) &&
        renameat2(AT_FDCWD, output->temporary, AT_FDCWD, output->target, RENAME_EXCHANGE) == 0)
        return unlink(output->temporary) == 0;
#endif
    return rename(output->temporary, output->target) == 0;
}

/* Gives the temporary file the name of the target. Removes it if that fails or `keep` is false. */
static bool finish_temporary(struct output *output, bool keep)
{
    sigset_t before;

    hold_signals(&before);
    bool kept = keep && put_in_place(output);
    int error = errno;
    if (!kept)
        unlink(output->temporary);
    struct output **link = &open_outputs;
    while (*link != output)
        link = &(*link)->next_open;
    *link = output->next_open;
    if (output->lock >= 0)
        close(output->lock);
    sigprocmask(SIG_SETMASK, &before, NULL);
    free_names(output);
    errno = error;
    return kept;
}

static bool fail(struct output *output, const char *what)
{
    struct position whole = {.name = output->name};

    diag_error(output->diag, &whole, "cannot %s: %s", what, strerror(errno));
    return false;
}

/* Does a descriptor of the tool refer to this file, as /dev/stdout may? Then whoever opened the
 * descriptor expects the output in this very file. */
static bool is_open(const struct stat *status)
{
    struct stat other;
    long limit = sysconf(_SC_OPEN_MAX);

    for (int i = 0; i < limit && i < 1024; i++)
        if (fstat(i, &other) == 0 && other.st_dev == status->st_dev &&
            other.st_ino == status->st_ino)
            return true;
    return false;
}

static const char *last_part(const char *target)
{
    const char *slash = strrchr(target, '/');

    return slash ? slash + 1 : target;
}

/* Returns the name in a symbolic link, as seen from where `name` is. The string is from malloc;
 * NULL: it is no link, or there is no memory. */
static char *read_link(const char *name)
{
    char link[PATH_MAX];
    ssize_t length = readlink(name, link, sizeof link - 1);
    size_t directory = (size_t)(last_part(name) - name);
    char *next;

    if (length <= 0)
        return NULL;
    link[length] = '\0';
    if (link[0] == '/')
        directory = 0;
    next = malloc(directory + (size_t)length + 1);
    if (next) {
        memcpy(next, name, directory);
        memcpy(next + directory, link, (size_t)length + 1);
    }
    return next;
}

/* Returns the name that the symbolic links lead to, which need not exist. The string is from
 * malloc; NULL: there is no memory. */
static char *follow_links(const char *name)
{
    char *at = strdup(name), *next;

    for (unsigned i = 0; at && i < LINKS && (next = read_link(at)); i++) {
        free(at);
        at = next;
    }
    return at;
}

/* Returns the regular file that `name` leads to, which need not exist yet. NULL: write directly.
 * The string is from malloc. */
static char *find_target(const char *name)
{
    struct stat status;

    if (lstat(name, &status) != 0 || S_ISREG(status.st_mode))
        return strdup(name);
    if (!S_ISLNK(status.st_mode))
        return NULL;
    if (stat(name, &status) != 0)
        return errno == ENOENT ? follow_links(name) : NULL;
    return !S_ISREG(status.st_mode) || is_open(&status) ? NULL : realpath(name, NULL);
}

static bool open_directly(struct output *output)
{
    struct stat status;

    if (stat(output->name, &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else
        output->stream = fopen(output->name, "w");
    return output->stream ? true : fail(output, "write");
}

static bool open_temporary(struct output *output, unsigned mode)
{
    size_t length = strlen(output->target);

    output->temporary = malloc(length + sizeof TEMPORARY_SUFFIX);
    int descriptor = -1;
    if (output->temporary) {
        memcpy(output->temporary, output->target, length);
        memcpy(output->temporary + length, TEMPORARY_SUFFIX, sizeof TEMPORARY_SUFFIX);
        descriptor = make_temporary(output);
    }
    if (descriptor < 0) {
        fail(output, "write");
        free_names(output);
        return false;
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

static bool stat_directory(const char *target, struct stat *status)
{
    char *directory = strndup(target, last_part(target) - target);
    bool good = directory && stat(*directory ? directory : ".", status) == 0;

    free(directory);
    return good;
}

/* Are they the same name in the same directory? */
static bool is_same_place(const char *left, const char *right)
{
    struct stat a, b;

    return strcmp(last_part(left), last_part(right)) == 0 && stat_directory(left, &a) &&
           stat_directory(right, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* Do the names, of which no file exists yet, lead to the same one? */
static bool will_be_same(const char *left, const char *right)
{
    char *a = follow_links(left), *b = follow_links(right);
    bool is_same = a && b && is_same_place(a, b);

    free(a);
    free(b);
    return is_same;
}

/* Does another open output have the same target? */
static bool is_taken(const char *target)
{
    for (const struct output *other = open_outputs; other; other = other->next_open)
        if (is_same_place(target, other->target))
            return true;
    return false;
}

static bool is_stream(const struct output_use *use)
{
    return strcmp(use->name, "-") == 0;
}

static bool stat_use(const struct output_use *use, struct stat *status)
{
    int stream = use->is_input ? STDIN_FILENO : STDOUT_FILENO;

    return (is_stream(use) ? fstat(stream, status) : stat(use->name, status)) == 0;
}

/* Is it one regular file, or will it be? */
static bool is_same_file(const struct output_use *left, const struct output_use *right)
{
    struct stat a, b;
    bool has_left = stat_use(left, &a), has_right = stat_use(right, &b);

    if (!has_left && !has_right)
        return will_be_same(left->name, right->name);
    return has_left && has_right && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
           a.st_ino == b.st_ino;
}

/* Reports a file that two uses of it would destroy. Not both are inputs. */
static bool check_pair(struct diag *diag, const struct output_use *a, const struct output_use *b)
{
    bool has_input = a->is_input || b->is_input;

    if (!has_input && is_stream(a) && is_stream(b))
        diag_error(diag, NULL, "%s and %s both go to standard output; give each a name of its own",
                   a->what, b->what);
    else if (!is_same_file(a, b))
        return true;
    else if (has_input)
        diag_error(diag, NULL, "%s would replace %s; give the output another name",
                   a->is_input ? b->what : a->what, a->is_input ? a->what : b->what);
    else
        diag_error(diag, NULL, "%s and %s write the same file; give each a name of its own",
                   a->what, b->what);
    return false;
}

/* Reports an output whose directory does not exist. */
static bool check_directory(struct diag *diag, const struct output_use *use)
{
    const struct position whole = {.name = use->name};
    char *target = is_stream(use) ? NULL : follow_links(use->name);
    struct stat status;
    bool good = !target || stat_directory(target, &status);

    if (!good)
        diag_error(diag, &whole, "cannot write: %s", strerror(errno));
    free(target);
    return good;
}

bool output_check(struct diag *diag, const struct output_use *uses, size_t count)
{
    bool good = true;

    for (size_t i = 0; i < count; i++)
        if (uses[i].name && !uses[i].is_input)
            good = check_directory(diag, &uses[i]) && good;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (uses[i].name && uses[j].name && !(uses[i].is_input && uses[j].is_input))
                good = check_pair(diag, &uses[j], &uses[i]) && good;
    return good;
}

bool output_is_direct(const char *name)
{
    struct stat status;

    if (strcmp(name, "-") == 0)
        return true;
    if (stat(name, &status) != 0) /* it is made, also where a link leads to it */
        return false;
    if (!S_ISREG(status.st_mode))
        return true;
    char *target = find_target(name);
    bool is_direct = !target;
    free(target);
    return is_direct;
}

/* Collects an output for standard output, so that nothing of it appears if the tool fails. */
static bool open_stdout(struct output *output)
{
    if (stdout_owner) {
        diag_error(output->diag, NULL,
                   "two outputs go to standard output; give each a name of its own");
        return false;
    }
    output->name = "<stdout>";
    output->stream = open_memstream(&output->bytes, &output->length);
    if (!output->stream)
        return fail(output, "write");
    stdout_owner = output;
    return true;
}

bool output_commit_all(struct output *outputs, size_t count, bool good)
{
    for (int has_temporary = 0; has_temporary < 2; has_temporary++)
        for (size_t i = 0; i < count; i++) {
            if ((outputs[i].temporary != NULL) != has_temporary)
                continue;
            if (good)
                good = output_commit(&outputs[i]);
            else
                output_abandon(&outputs[i]);
        }
    return good;
}

bool output_is_terminal(const char *name, struct diag *diag)
{
    if (strcmp(name, "-") != 0 || !isatty(STDOUT_FILENO))
        return false;
    diag_error(
        diag, NULL,
        "standard output is a terminal, and this output is not text; write to a file or pipe");
    return true;
}

bool output_open(struct output *output, struct diag *diag, const char *name, unsigned mode)
{
    *output = (struct output){.diag = diag, .name = *name ? name : "''", .lock = -1};
    if (strcmp(name, "-") == 0)
        return open_stdout(output);
    if (!*name) {
        errno = ENOENT;
        return fail(output, "write");
    }
    output->target = find_target(name);
    if (output->target && is_taken(output->target)) {
        diag_error(diag, &(struct position){.name = name},
                   "this output is also another output; give each a name of its own");
        free_names(output);
        return false;
    }
    return output->target ? open_temporary(output, mode) : open_directly(output);
}

/* Writes the collected bytes, after what the tool has printed before. A stream of its own reports a
 * failure only here. */
static bool write_stdout(const struct output *output)
{
    bool can_write = fflush(stdout) == 0 && write(STDOUT_FILENO, "", 0) == 0;
    int descriptor = can_write ? dup(STDOUT_FILENO) : -1;
    FILE *stream = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;

    if (!stream)
        return false;
    bool good = fwrite(output->bytes, 1, output->length, stream) == output->length;
    return fclose(stream) == 0 && good;
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
    if (good && stdout_owner == output && !write_stdout(output))
        good = fail(output, "write");
    if (good && output->temporary && !finish_temporary(output, true))
        good = fail(output, "put the finished file in place");
    output_abandon(output);
    return good;
}

void output_abandon(struct output *output)
{
    if (output->stream)
        fclose(output->stream);
    output->stream = NULL;
    if (stdout_owner == output)
        stdout_owner = NULL;
    free(output->bytes);
    output->bytes = NULL;
    if (output->temporary)
        finish_temporary(output, false);
}

bool output_file(struct diag *diag, const char *name, unsigned mode, const void *bytes,
                 size_t length)
{
    struct output output;

    if (!output_open(&output, diag, name, mode))
        return false;
    if (length == 0 || fwrite(bytes, 1, length, output.stream) == length)
        return output_commit(&output);
    fail(&output, "write");
    output_abandon(&output);
    return false;
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
    signal(SIGXFSZ, SIG_IGN);
    if (atexit(remove_temporaries) != 0)
        BUG("atexit has no room for its first function");
    for (int i = 0; i < DEADLY_SIGNALS; i++)
        if (signal(deadly_signals[i], end_by_signal) == SIG_IGN)
            signal(deadly_signals[i], SIG_IGN);
    /* open takes the lowest free number; O_PATH makes every use of it fail, also by the name
     * /dev/stdout */
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        if (fcntl(i, F_GETFD) < 0 && open("/", O_PATH) != i)
            BUG("the descriptor of a closed standard stream could not be taken");
}

void output_init_for_reader(void)
{
    bool was_ignored = signal(SIGPIPE, SIG_IGN) == SIG_IGN;

    output_init();
    if (!was_ignored)
        signal(SIGPIPE, end_by_signal);
}
