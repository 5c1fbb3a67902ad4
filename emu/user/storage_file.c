/* Open files of both places (storage.h). */
#include "emu/user/storage_parts.h"
#include <dirent.h>
#include <errno.h>
#include <unistd.h>

bool storage_has(const struct user_file *file)
{
    return !file->is_stream && !file->pipe && (file->host >= 0 || file->node);
}

int64_t storage_file_facts(const struct user_file *file, struct file_facts *facts)
{
    struct stat status;

    if (file->node) {
        *facts = facts_of_node(file->node);
        return 0;
    }
    if (fstat(file->host, &status) < 0)
        return -errno;
    *facts = facts_of_host(&status, file->times ? file->times->times : times_at_start);
    return 0;
}

int64_t storage_read(const struct user_file *file, void *bytes, uint64_t length, uint64_t place)
{
    return file->node ? node_read(file->node, bytes, length, place)
                      : host_result(pread(file->host, bytes, length, place));
}

int64_t storage_write(const struct user_file *file, const void *bytes, uint64_t length,
                      uint64_t place)
{
    if (!file->node) {
        int64_t done = host_result(pwrite(file->host, bytes, length, place));
        if (done > 0)
            storage_modify(file);
        return done;
    }
    /* As in Linux, a file opened for appending is written at its end wherever the call says. */
    if (file->flags & GUEST_O_APPEND)
        place = file->node->size;
    return node_write(file->node, bytes, length, place);
}

int64_t storage_seek(struct user_file *file, int64_t offset, int whence)
{
    if (!file->node)
        return host_result(lseek(file->host, offset, whence));
    int64_t size = file->node->size;
    int64_t base = whence == SEEK_CUR ? (int64_t)file->offset : whence == SEEK_END ? size : 0;
    if (whence == SEEK_DATA || whence == SEEK_HOLE) {
        if (offset < 0 || offset >= size)
            return -ENXIO;
        offset = whence == SEEK_DATA ? offset : size;
    }
    if (offset > INT64_MAX - base)
        return -EOVERFLOW;
    if (base + offset < 0)
        return -EINVAL;
    return file->offset = base + offset;
}

int64_t storage_resize(const struct user_file *file, uint64_t size)
{
    if (file->node)
        return node_resize(file->node, size);
    if (ftruncate(file->host, size) < 0)
        return -errno;
    storage_modify(file);
    return 0;
}

int64_t storage_change_file_mode(const struct user_file *file, unsigned mode)
{
    if (file->node)
        return node_change_mode(file->node, mode);
    if (fchmod(file->host, mode) < 0)
        return -errno;
    storage_set_file_times(file, &times_omitted);
    return 0;
}

void storage_set_file_times(const struct user_file *file, const struct times_change *change)
{
    if (file->node)
        node_set_times(file->node, change);
    else if (file->times)
        times_set(times_of_open(file->times), change, file->times->table->now);
}

void storage_modify(const struct user_file *file)
{
    if (file->node)
        node_modify(file->node);
    else if (file->times)
        times_modify(times_of_open(file->times), file->times->table->now);
}

bool storage_is_same(const struct user_file *one, const struct user_file *other)
{
    if (one->node || other->node)
        return one->node == other->node;
    return one->host >= 0 && other->host >= 0 && one->host_device == other->host_device &&
           one->host_inode == other->host_inode;
}

static int64_t list_node(const struct node *node, void *context,
                         bool (*found)(void *context, const char *name, unsigned type))
{
    bool good = found(context, ".", DT_DIR) && found(context, "..", DT_DIR);

    for (size_t i = 0; good && i < node->count; i++)
        good = found(context, node->entries[i].name, IFTODT(node->entries[i].node->mode));
    return good ? 0 : -ENOMEM;
}

int64_t storage_list(const struct user_file *file, void *context,
                     bool (*found)(void *context, const char *name, unsigned type))
{
    enum { CHUNK = 0x8000 };
    _Alignas(struct dirent64) char bytes[CHUNK];
    int64_t length;

    if (file->node)
        return list_node(file->node, context, found);
    if (lseek(file->host, 0, SEEK_SET) < 0)
        return -errno;
    while ((length = getdents64(file->host, bytes, sizeof bytes)) > 0) {
        const struct dirent64 *entry;
        for (const char *at = bytes; at < bytes + length; at += entry->d_reclen) {
            entry = (const struct dirent64 *)at;
            if (!found(context, entry->d_name, entry->d_type))
                return -ENOMEM;
        }
    }
    return host_result(length);
}

void storage_close(struct user_file *file)
{
    if (file->times)
        times_close(file->times);
    if (file->host >= 0)
        close(file->host);
    if (file->node)
        node_drop(file->node);
}
