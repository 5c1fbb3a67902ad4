#include "lib/file.h"

#include "lib/output.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LARGEST_FILE ((size_t)1 << 30)

static bool fail(struct diag *diag, const struct position *at, const char *name, const char *why)
{
    struct position whole = {.name = *name ? name : "''"};

    if (at)
        diag_error(diag, at, "cannot read '%s': %s", name, why);
    else
        diag_error(diag, &whole, "cannot read: %s", why);
    return false;
}

/* Reads to the end of the descriptor. Returns the reason of a failure, or NULL. */
static const char *read_all(struct arena *arena, int descriptor, size_t expected,
                            struct diag_file *file)
{
    size_t capacity = expected + 1, length = 0;
    char *bytes = arena_alloc(arena, capacity);

    arena_populate(bytes, expected);
    for (;;) {
        if (length + 1 >= capacity) {
            if (length >= LARGEST_FILE)
                return "it is larger than 1 GiB";
            char *larger = arena_alloc(arena, capacity * 2 + 4096);
            memcpy(larger, bytes, length);
            bytes = larger;
            capacity = capacity * 2 + 4096;
        }
        ssize_t got = read(descriptor, bytes + length, capacity - length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return strerror(errno);
        if (got == 0)
            break;
        length += (size_t)got;
    }
    bytes[length] = 0;
    file->bytes = bytes;
    file->length = length;
    return NULL;
}

static void end_by_missing_page(int signal_number)
{
    (void)signal_number;
    output_end("error: an input file was truncated while it was read; run the tool again\n");
}

void file_expect_truncation(void)
{
    signal(SIGBUS, end_by_missing_page);
}

/* Is the file large enough for mapping, and can it be mapped? The NUL after its bytes is in the
 * rest of the last page, which must not be empty. */
static bool map_all(int descriptor, const struct stat *status, struct diag_file *file)
{
    enum { SMALLEST = 16 * 1024 }; /* smaller files are copied faster than mapped */
    size_t page = (size_t)sysconf(_SC_PAGESIZE), length = (size_t)status->st_size;

    if (ADDRESS_SANITIZER || !S_ISREG(status->st_mode) || length < SMALLEST || length % page == 0)
        return false;
    void *bytes = mmap(NULL, length, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED)
        return false;
    file_expect_truncation();
    file->bytes = bytes;
    file->length = length;
    return true;
}

bool file_is_open(int descriptor)
{
    return read(descriptor, NULL, 0) == 0 || errno != EBADF;
}

/* Reads the file, or maps it if that is wanted (`mapped`) and faster. */
const char *file_load(struct arena *arena, const char *name, struct diag_file *file, bool *mapped)
{
    bool standard_input = strcmp(name, "-") == 0;

    *file = (struct diag_file){.name = standard_input ? "<stdin>" : arena_string(arena, name)};
    int descriptor = standard_input ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return strerror(errno);
    struct stat status;
    const char *why = NULL;
    if (fstat(descriptor, &status) < 0 || !file_is_open(descriptor))
        why = strerror(errno);
    else if (S_ISDIR(status.st_mode))
        why = "it is a directory";
    else if (S_ISREG(status.st_mode) && (uint64_t)status.st_size > LARGEST_FILE)
        why = "it is larger than 1 GiB";
    else if (!mapped || !(*mapped = map_all(descriptor, &status, file)))
        why = read_all(arena, descriptor,
                       S_ISREG(status.st_mode) ? (size_t)status.st_size + 1 : 4096, file);
    if (!standard_input)
        close(descriptor);
    return why;
}

static bool get_file(struct arena *arena, struct diag *diag, const struct position *at,
                     const char *name, struct diag_file *file, bool *mapped)
{
    const char *why = file_load(arena, name, file, mapped);

    return why ? fail(diag, at, file->name, why) : true;
}

bool file_read(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
               struct diag_file *file)
{
    return get_file(arena, diag, at, name, file, NULL);
}

bool file_map(struct arena *arena, struct diag *diag, const struct position *at, const char *name,
              struct diag_file *file, bool *mapped)
{
    *mapped = false;
    return get_file(arena, diag, at, name, file, mapped);
}

void file_release(const void *bytes, size_t length)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = ((uintptr_t)bytes + page - 1) & ~(page - 1),
              end = ((uintptr_t)bytes + length) & ~(page - 1);

    if (start < end)
        madvise((void *)start, end - start, MADV_DONTNEED);
}

struct file_identity file_identify(const char *name)
{
    struct stat status;

    if (!name || strcmp(name, "-") == 0 || stat(name, &status) != 0 || !S_ISREG(status.st_mode))
        return (struct file_identity){0};
    return (struct file_identity){.exists = true,
                                  .device = status.st_dev,
                                  .inode = status.st_ino,
                                  .size = (uint64_t)status.st_size};
}

bool file_read_identified(const char *name, const struct file_identity *identity, void *buffer)
{
    int descriptor = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t length = descriptor < 0 ? -1 : read(descriptor, buffer, identity->size + 1);

    if (descriptor >= 0)
        close(descriptor);
    return length >= 0 && (uint64_t)length == identity->size;
}

bool file_is_replaced(const struct file_identity *output, struct diag *diag, const char *name)
{
    if (!output->exists)
        return false;
    const struct file_identity input = file_identify(name);
    return file_identified_is_replaced(output, diag, name, &input);
}

bool file_identified_is_replaced(const struct file_identity *output, struct diag *diag,
                                 const char *name, const struct file_identity *input)
{
    if (!output->exists || !input->exists || input->device != output->device ||
        input->inode != output->inode)
        return false;
    diag_error(diag, &(struct position){.name = name},
               "this input is also an output; give the output another name");
    return true;
}

bool file_name_ends(const char *name, const char *ending)
{
    size_t length = strlen(name), end = strlen(ending);

    return length > end && strcmp(name + length - end, ending) == 0;
}
