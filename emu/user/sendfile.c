/* The user environment's calls that copy from file to file without the program's memory: sendfile
 * and copy_file_range. */
#include "emu/user/storage.h"
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 0x4000, COPY_MAXIMUM = 0x7ffff000 };

/* The place in a file at which a copy begins: the offset at an address, or the offset of the file
 * itself when the address is 0. */
struct copy_place {
    uint64_t address;
    int64_t offset; /* -1: that of the file itself */
};

static int64_t get_place(struct machine *machine, struct copy_place *place, uint64_t address)
{
    *place = (struct copy_place){address, -1};
    if (address && !user_copy_in(machine, &place->offset, address, sizeof place->offset))
        return -EFAULT;
    return address && place->offset < 0 ? -EINVAL : 0;
}

static int64_t put_place(struct machine *machine, const struct copy_place *place)
{
    return !place->address ||
                   user_copy_out(machine, place->address, &place->offset, sizeof place->offset)
               ? 0
               : -EFAULT;
}

/* Is it a regular file? Finds its attributes. */
static bool is_regular(const struct user_file *file, struct file_facts *facts)
{
    return storage_has(file) && storage_file_facts(file, facts) == 0 && S_ISREG(facts->mode);
}

static bool can_read(const struct user_file *file)
{
    return file && !(file->flags & GUEST_O_PATH) &&
           (file->flags & GUEST_O_ACCMODE) != GUEST_O_WRONLY;
}

static bool can_write(const struct user_file *file)
{
    return file && !(file->flags & GUEST_O_PATH) &&
           (file->flags & GUEST_O_ACCMODE) != GUEST_O_RDONLY;
}

static int64_t read_at(struct machine *machine, struct user_file *file,
                       const struct copy_place *place, void *bytes, uint64_t length)
{
    if (place->offset < 0)
        return user_file_read(machine, file, bytes, length);
    return storage_read(file, bytes, length, place->offset);
}

static int64_t write_at(struct machine *machine, struct user_file *file,
                        const struct copy_place *place, const void *bytes, uint64_t length)
{
    if (place->offset < 0)
        return user_file_write(machine, file, bytes, length);
    return storage_write(file, bytes, length, place->offset);
}

/* Moves the place back by `count` bytes, which were read and could not be written. */
static void step_back(struct user_file *file, struct copy_place *place, int64_t count)
{
    if (count <= 0)
        return;
    if (place->offset >= 0)
        place->offset -= count;
    else
        storage_seek(file, -count, SEEK_CUR);
}

/* Copies from `from`, a regular file. Returns how many bytes were copied, or a negative error
 * number when there were none. */
static int64_t copy(struct machine *machine, struct user_file *from, struct copy_place *source,
                    struct user_file *to, struct copy_place *target, uint64_t length)
{
    unsigned char bytes[CHUNK];
    uint64_t done = 0;

    if (length > COPY_MAXIMUM)
        length = COPY_MAXIMUM;
    while (done < length) {
        uint64_t left = length - done;
        int64_t got =
            read_at(machine, from, source, bytes, left < sizeof bytes ? left : sizeof bytes);
        if (got <= 0)
            return done ? (int64_t)done : got;
        if (source->offset >= 0)
            source->offset += got;
        int64_t put = write_at(machine, to, target, bytes, got);
        step_back(from, source, put < 0 ? got : got - put);
        if (put < 0)
            return done ? (int64_t)done : put;
        if (target->offset >= 0)
            target->offset += put;
        done += put;
        if (put < got || machine_expired(machine))
            break;
    }
    return done;
}

/* splice, tee and vmsplice: there is nothing to be saved here, so they fail as where Linux cannot
 * splice. Programs read and write then, but would end at ENOSYS. */
int64_t user_splice(struct machine *machine, const uint64_t *arguments)
{
    return user_file(machine, arguments[0]) ? -EINVAL : -EBADF;
}

int64_t user_sendfile(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *to = user_file(machine, arguments[0]),
                     *from = user_file(machine, arguments[1]);
    struct copy_place source, target = {.offset = -1};
    struct file_facts facts;

    int64_t result = get_place(machine, &source, arguments[2]);
    if (result == -EFAULT)
        return result;
    if (!can_read(from))
        return -EBADF;
    if (result < 0)
        return result;
    if (!can_write(to))
        return -EBADF;
    if (!is_regular(from, &facts) || to->flags & GUEST_O_APPEND)
        return -EINVAL;
    result = copy(machine, from, &source, to, &target, arguments[3]);
    return result >= 0 && put_place(machine, &source) < 0 ? -EFAULT : result;
}

static int64_t offset_of(struct user_file *file, const struct copy_place *place)
{
    return place->offset < 0 ? storage_seek(file, 0, SEEK_CUR) : place->offset;
}

/* Returns how many of so many bytes there are from the offset to the end of a file of this size.
 * What the copy itself appends does not count. */
static uint64_t within_file(uint64_t size, uint64_t offset, uint64_t length)
{
    if (offset >= size)
        return 0;
    return length < size - offset ? length : size - offset;
}

/* Are the two ranges of so many bytes in one file, and do they overlap? */
static bool do_overlap(const struct user_file *from, int64_t source, const struct user_file *to,
                       int64_t target, uint64_t length)
{
    uint64_t distance = source < target ? (uint64_t)(target - source) : (uint64_t)(source - target);

    return distance < length && storage_is_same(from, to);
}

int64_t user_copy_file_range(struct machine *machine, const uint64_t *arguments)
{
    struct user_file *from = user_file(machine, arguments[0]),
                     *to = user_file(machine, arguments[2]);
    struct copy_place source, target;
    struct file_facts facts, others;

    if (!from || !to)
        return -EBADF;
    int64_t result = get_place(machine, &source, arguments[1]);
    if (result != -EFAULT && get_place(machine, &target, arguments[3]) < 0)
        result = get_place(machine, &target, arguments[3]);
    if (result < 0)
        return result;
    if (arguments[5])
        return -EINVAL;
    if (from->is_directory || to->is_directory)
        return -EISDIR;
    if (!is_regular(from, &facts) || !is_regular(to, &others))
        return -EINVAL;
    if (!can_read(from) || !can_write(to) || to->flags & GUEST_O_APPEND)
        return -EBADF;
    int64_t begin = offset_of(from, &source);
    uint64_t length = within_file(facts.size, (uint64_t)begin, arguments[4]);
    if (length && do_overlap(from, begin, to, offset_of(to, &target), length))
        return -EINVAL;
    result = copy(machine, from, &source, to, &target, length);
    if (result >= 0 && (put_place(machine, &source) < 0 || put_place(machine, &target) < 0))
        return -EFAULT;
    return result;
}
