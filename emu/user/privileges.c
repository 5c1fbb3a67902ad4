/* The user environment's calls for capabilities, of which no process has any, and prctl. */
#include "emu/user/calls.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <linux/capability.h>
#include <linux/prctl.h>
#include <string.h>

/* ---- capabilities ---- */

enum { LAST_CAPABILITY = 40 }; /* of Linux 6.1 */

/* struct __user_cap_data_struct: bits of 32 capabilities. */
struct guest_capabilities {
    uint32_t effective, permitted, inheritable;
};

/* Reads the header of both calls. Returns the number of struct guest_capabilities that its version
 * has, or a negative error number. A version that is not known becomes the newest one. */
static int64_t read_header(struct machine *machine, uint64_t address, int32_t *process)
{
    uint32_t newest = _LINUX_CAPABILITY_VERSION_3;
    uint32_t header[2];

    if (!user_copy_in(machine, header, address, sizeof *header))
        return -EFAULT;
    bool is_new = header[0] == newest || header[0] == _LINUX_CAPABILITY_VERSION_2;
    if (!is_new && header[0] != _LINUX_CAPABILITY_VERSION_1)
        return user_copy_out(machine, address, &newest, sizeof newest) ? -EINVAL : -EFAULT;
    if (!user_copy_in(machine, header, address, sizeof header))
        return -EFAULT;
    *process = (int32_t)header[1];
    return is_new ? _LINUX_CAPABILITY_U32S_3 : _LINUX_CAPABILITY_U32S_1;
}

int64_t user_capget(struct machine *machine, const uint64_t *arguments)
{
    const struct guest_capabilities none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    int32_t id;
    int64_t count = read_header(machine, arguments[0], &id);

    if (!arguments[1] && (count >= 0 || count == -EINVAL)) /* it asks for the version only */
        return 0;
    if (count < 0)
        return count;
    if (id < 0)
        return -EINVAL;
    if (id && !user_find_thread(&machine->user, (uint32_t)id) && !user_find_machine(machine, id))
        return -ESRCH;
    return user_copy_out(machine, arguments[1], none, count * sizeof *none) ? 0 : -EFAULT;
}

int64_t user_capset(struct machine *machine, const uint64_t *arguments)
{
    struct guest_capabilities sets[_LINUX_CAPABILITY_U32S_3] = {{0}};
    int32_t id;
    int64_t count = read_header(machine, arguments[0], &id);

    if (count < 0)
        return count;
    if (id && (uint32_t)id != machine->user.thread->id)
        return -EPERM;
    if (!user_copy_in(machine, sets, arguments[1], count * sizeof *sets))
        return -EFAULT;
    for (int64_t i = 0; i < count; i++) {
        uint32_t known = i ? (UINT32_C(2) << LAST_CAPABILITY % 32) - 1 : UINT32_MAX;

        if ((sets[i].effective | sets[i].permitted | sets[i].inheritable) & known)
            return -EPERM;
    }
    return 0;
}

/* The ambient set is empty, too. */
static int64_t change_ambient(const uint64_t *arguments)
{
    uint64_t capability = arguments[2];

    if (arguments[1] == PR_CAP_AMBIENT_CLEAR_ALL)
        return capability | arguments[3] | arguments[4] ? -EINVAL : 0;
    if (arguments[3] | arguments[4] || capability > LAST_CAPABILITY)
        return -EINVAL;
    switch (arguments[1]) {
    case PR_CAP_AMBIENT_IS_SET:
    case PR_CAP_AMBIENT_LOWER:
        return 0;
    case PR_CAP_AMBIENT_RAISE:
        return -EPERM;
    default:
        return -EINVAL;
    }
}

/* ---- prctl ---- */

static int64_t set_name(struct machine *machine, uint64_t address)
{
    char *name = machine->user.thread->name;

    memset(name, 0, sizeof machine->user.thread->name);
    for (size_t i = 0; i + 1 < sizeof machine->user.thread->name; i++) {
        if (!user_copy_in(machine, name + i, address + i, 1))
            return -EFAULT;
        if (!name[i])
            break;
    }
    return 0;
}

int64_t user_prctl(struct machine *machine, const uint64_t *arguments)
{
    /* not in the headers of an older host */
    enum { GUEST_PR_SET_VMA = 0x53564d41, ANONYMOUS_NAME = 0 };
    struct user_thread *thread = machine->user.thread;
    bool has_rest = arguments[2] | arguments[3] | arguments[4];

    switch ((uint32_t)arguments[0]) {
    case PR_SET_NAME:
        return set_name(machine, arguments[1]);
    case PR_GET_NAME:
        return user_copy_out(machine, arguments[1], thread->name, sizeof thread->name) ? 0
                                                                                       : -EFAULT;
    case PR_SET_PDEATHSIG:
        if (arguments[1] > USER_SIGNAL_LAST)
            return -EINVAL;
        machine->user.process->death_signal = (unsigned)arguments[1];
        return 0;
    case PR_GET_PDEATHSIG:
        return user_copy_out(machine, arguments[1], &machine->user.process->death_signal,
                             sizeof machine->user.process->death_signal)
                   ? 0
                   : -EFAULT;
    case GUEST_PR_SET_VMA:
        return arguments[1] == ANONYMOUS_NAME
                   ? user_name_memory(machine, arguments[2], arguments[3])
                   : -EINVAL;
    case PR_SET_NO_NEW_PRIVS:
        if (arguments[1] != 1 || has_rest)
            return -EINVAL;
        thread->no_new_privileges = true;
        return 0;
    case PR_GET_NO_NEW_PRIVS:
        return arguments[1] || has_rest ? -EINVAL : thread->no_new_privileges;
    case PR_CAPBSET_READ: /* the set that bounds capabilities has all */
        return arguments[1] <= LAST_CAPABILITY ? 1 : -EINVAL;
    case PR_CAPBSET_DROP:
        return -EPERM;
    case PR_CAP_AMBIENT:
        return change_ambient(arguments);
    default:
        return -EINVAL;
    }
}
