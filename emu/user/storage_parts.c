/* See storage_parts.h. */
#include "emu/user/storage_parts.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

int64_t host_result(int64_t host)
{
    return host < 0 ? -errno : host;
}

/* Types of file systems that linux/magic.h may not have yet. */
enum {
    FUSE_CONTROL_MAGIC = 0x65735543,
    CONFIG_MAGIC = 0x62656570,
    RPC_MAGIC = 0x67596969,
    PID_MAGIC = 0x50494446,
    MESSAGE_QUEUE_MAGIC = 0x19800202,
};

/* Is the open file an interface of the kernel, or can that not be found out? */
static bool is_kernel(int file)
{
    static const uint32_t types[] = {
        PROC_SUPER_MAGIC,
        SYSFS_MAGIC,
        DEBUGFS_MAGIC,
        TRACEFS_MAGIC,
        SECURITYFS_MAGIC,
        SELINUX_MAGIC,
        SMACK_MAGIC,
        CGROUP_SUPER_MAGIC,
        CGROUP2_SUPER_MAGIC,
        BPF_FS_MAGIC,
        PSTOREFS_MAGIC,
        EFIVARFS_MAGIC,
        DEVPTS_SUPER_MAGIC,
        NSFS_MAGIC,
        BINFMTFS_MAGIC,
        RDTGROUP_SUPER_MAGIC,
        OPENPROM_SUPER_MAGIC,
        USBDEVICE_SUPER_MAGIC,
        AAFS_MAGIC,
        FUSE_CONTROL_MAGIC,
        CONFIG_MAGIC,
        RPC_MAGIC,
        PID_MAGIC,
        MESSAGE_QUEUE_MAGIC,
    };
    struct statfs status;

    if (fstatfs(file, &status) < 0)
        return true;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if ((uint32_t)status.f_type == types[i])
            return true;
    return false;
}

bool host_is_kernel(const struct place *place, int file, const struct stat *status)
{
    return (!place->device || status->st_dev != place->device) && is_kernel(file);
}

uint64_t storage_device(int file)
{
    struct stat status;

    return fstat(file, &status) < 0 || is_kernel(file) ? 0 : status.st_dev;
}

bool host_status(const struct place *place, const char *name, struct stat *status)
{
    return fstatat(place->host, name, status, AT_SYMLINK_NOFOLLOW) == 0;
}

bool host_is_fifo(const struct place *place, const char *name)
{
    struct stat status;

    return host_status(place, name, &status) && S_ISFIFO(status.st_mode);
}

struct file_times *host_keep_times(const struct place *place, const struct stat *status)
{
    return times_keep(place->times, status->st_dev, status->st_ino);
}

void host_modify_directory(const struct place *place)
{
    struct stat status = {.st_dev = place->device, .st_ino = place->inode};
    struct file_times *times =
        place->inode || fstat(place->host, &status) == 0 ? host_keep_times(place, &status) : NULL;

    if (times)
        times_modify(times, place->times->now);
}

int64_t host_set_times(const struct place *place, const struct stat *status,
                       const struct times_change *change)
{
    struct file_times *times = host_keep_times(place, status);

    if (!times)
        return -ENOMEM;
    times_set(times, change, place->times->now);
    return 0;
}

void host_note_new(const struct place *place, const struct stat *status)
{
    struct file_times *times = host_keep_times(place, status);

    if (times)
        *times = times_of_new(place->times->now);
    host_modify_directory(place);
}

int64_t host_note_made(const struct place *place, const char *name, int64_t result)
{
    struct stat status;

    if (result >= 0 && host_status(place, name, &status))
        host_note_new(place, &status);
    return result;
}

void host_note_lost(const struct place *place, const struct stat *status)
{
    if (S_ISDIR(status->st_mode) || status->st_nlink <= 1)
        times_forget(place->times, status->st_dev, status->st_ino);
    else
        host_set_times(place, status, &times_omitted);
}

struct file_facts facts_of_node(const struct node *node)
{
    bool is_directory = S_ISDIR(node->mode);

    return (struct file_facts){.mode = node->mode & (S_IFMT | PERMISSIONS),
                               .size = is_directory ? MEMORY_PAGE : node->size,
                               .names = is_directory ? 1 : node->names,
                               .device = UINT64_MAX,
                               .inode = (uintptr_t)node,
                               .times = node->times};
}

struct file_facts facts_of_host(const struct stat *status, struct file_times times)
{
    bool is_directory = S_ISDIR(status->st_mode);

    return (struct file_facts){.mode = status->st_mode & (S_IFMT | PERMISSIONS),
                               .size = is_directory ? MEMORY_PAGE : (uint64_t)status->st_size,
                               .names = is_directory ? 1 : (unsigned)status->st_nlink,
                               .device = status->st_dev,
                               .inode = status->st_ino,
                               .times = times};
}
