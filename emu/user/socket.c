/* Making, naming and connecting local sockets. See socket.h. */
#include "emu/user/socket.h"
#include "emu/user/path.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Values of Linux's generic ABI. */
enum {
    SOCK_TYPE = 0xf,
    AF_NONE = 0,
    SHUT_RECEIVING = 0,
    SHUT_SENDING = 1,
    SHUT_BOTH = 2,
    SOL_SOCKET = 1,
    SO_REUSEADDR = 2,
    SO_TYPE = 3,
    SO_ERROR = 4,
    SO_BROADCAST = 6,
    SO_SNDBUF = 7,
    SO_RCVBUF = 8,
    SO_KEEPALIVE = 9,
    SO_LINGER = 13,
    SO_PEERCRED = 17,
    SO_ACCEPTCONN = 30,
    SO_PROTOCOL = 38,
    SO_DOMAIN = 39,
};

enum { FAMILY_BYTES = sizeof(uint16_t), LISTEN_LIMIT = 4096 };

/* ---- packets ---- */

static void free_packet(struct user *user, struct packet *packet)
{
    user->processes->sent_files -= packet->file_count;
    for (unsigned i = 0; i < packet->file_count; i++)
        user_drop_file(user, packet->files[i]);
    free(packet->files);
    free(packet);
}

void socket_drop_first(struct user *user, struct user_socket *socket)
{
    struct packet *packet = socket->first;

    socket->first = packet->next;
    if (!socket->first)
        socket->last = NULL;
    socket->count--;
    socket->held -= packet->length - packet->taken;
    free_packet(user, packet);
}

static void drop_packets(struct user *user, struct user_socket *socket)
{
    while (socket->first)
        socket_drop_first(user, socket);
}

/* ---- sockets ---- */

static struct user_socket *new_socket(struct user *user, enum socket_type type)
{
    struct user_socket *socket = calloc(1, sizeof *socket);

    if (!socket)
        return NULL;
    socket->type = type;
    socket->mode = 0777;
    socket->process = user->process->id;
    socket->next = user->processes->sockets;
    user->processes->sockets = socket;
    return socket;
}

/* Ends the connections to a socket that is closed. One that has not received all has an error. */
static void leave_peers(const struct user_processes *processes, const struct user_socket *socket)
{
    for (struct user_socket *other = processes->sockets; other; other = other->next) {
        if (other->peer != socket)
            continue;
        other->peer = NULL;
        if (other->type == SOCKET_DATAGRAMS)
            continue;
        other->ends_receiving = other->ends_sending = true;
        other->changes++;
        if (socket->first)
            other->error = ECONNRESET;
    }
}

static void free_socket(struct user *user, struct user_socket *socket)
{
    struct user_socket **link = &user->processes->sockets;

    while (*link != socket)
        link = &(*link)->next;
    *link = socket->next;
    leave_peers(user->processes, socket);
    drop_packets(user, socket);
    while (socket->accepted) {
        struct user_socket *waiting = socket->accepted;
        socket->accepted = waiting->after;
        if (waiting->peer)
            waiting->peer->error = ECONNRESET;
        free_socket(user, waiting);
    }
    free(socket->path);
    free(socket);
}

static void release(struct user *user, struct user_file *file)
{
    free_socket(user, file->socket);
    file->socket = NULL;
}

static unsigned events_now(const struct machine *machine, const struct user_file *file)
{
    const struct user_socket *socket = file->socket;
    bool is_alone = socket->type != SOCKET_DATAGRAMS && !socket->is_connected && !socket->listens;
    unsigned events = 0;

    (void)machine;
    if (socket->error)
        events |= POLLERR;
    if (socket->first || socket->accepted || socket->ends_receiving)
        events |= POLLIN | POLLRDNORM;
    if (socket->ends_receiving)
        events |= POLLRDHUP;
    if ((socket->ends_receiving && socket->ends_sending) || is_alone)
        events |= POLLHUP;
    if (!socket->listens && (!socket->peer || (4 * socket_taken(socket->peer) <= SOCKET_ROOM &&
                                               (socket->type != SOCKET_DATAGRAMS ||
                                                socket->peer->count < SOCKET_DATAGRAMS_LIMIT))))
        events |= POLLOUT | POLLWRNORM | POLLWRBAND;
    return events;
}

/* Opens a descriptor for the socket, which is freed if that fails. */
static int64_t open_socket(struct user *user, struct user_socket *socket, uint64_t flags)
{
    int64_t fd = socket ? user_open_slot(user, flags) : -ENOMEM;

    if (fd < 0) {
        if (socket)
            free_socket(user, socket);
        return fd;
    }
    struct user_file *file = user->files[fd];
    file->flags = (flags & GUEST_O_NONBLOCK) | GUEST_O_RDWR;
    file->socket = socket;
    file->events = events_now;
    file->release = release;
    return fd;
}

uint64_t user_socket_changes(const struct user_file *file)
{
    return file->socket->changes;
}

uint64_t user_socket_count(const struct user_file *file)
{
    return file->socket->held;
}

struct user_socket *socket_of(const struct machine *machine, uint64_t fd, int64_t *error)
{
    const struct user_file *file = user_file(machine, fd);

    *error = file && !(file->flags & GUEST_O_PATH) ? -ENOTSOCK : -EBADF;
    return file ? file->socket : NULL;
}

int64_t socket_wait(struct machine *machine, const struct user_file *file, bool at_once)
{
    if (at_once || file->flags & GUEST_O_NONBLOCK)
        return -EAGAIN;
    int64_t result = user_wait(machine, WAIT_FILES, USER_FOREVER);
    return result == -EINTR ? USER_RESTART : result;
}

/* Checks what a new socket shall be. Returns its type, or a negative error number. */
static int64_t check_kind(struct machine *machine, uint64_t family, uint64_t type,
                          uint64_t protocol)
{
    uint32_t kind = type & SOCK_TYPE;

    if ((uint32_t)type & ~(uint32_t)(SOCK_TYPE | GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
        return -EINVAL;
    if ((uint32_t)family != SOCKET_FAMILY)
        return user_refuse(machine, REFUSED_SOCKET);
    if ((uint32_t)protocol != 0 && (uint32_t)protocol != SOCKET_FAMILY)
        return -EPROTONOSUPPORT;
    return kind == SOCKET_STREAM || kind == SOCKET_DATAGRAMS || kind == SOCKET_PACKETS
               ? (int64_t)kind
               : -ESOCKTNOSUPPORT;
}

int64_t user_socket(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    int64_t type = check_kind(machine, arguments[0], arguments[1], arguments[2]);

    return type < 0 ? type : open_socket(user, new_socket(user, type), arguments[1]);
}

static void connect_to(struct user_socket *socket, struct user_socket *peer)
{
    socket->peer = peer;
    socket->is_connected = true;
    socket->peer_process = peer->process;
}

int64_t user_socketpair(struct machine *machine, const uint64_t *arguments)
{
    struct user *user = &machine->user;
    int64_t type = check_kind(machine, arguments[0], arguments[1], arguments[2]), ends[2];

    if (type < 0)
        return type;
    for (unsigned i = 0; i < 2; i++) {
        ends[i] = open_socket(user, new_socket(user, type), arguments[1]);
        if (ends[i] < 0 && i)
            user_close_slot(user, (unsigned)ends[0]);
        if (ends[i] < 0)
            return ends[i];
    }
    struct user_socket *first = user->files[ends[0]]->socket,
                       *second = user->files[ends[1]]->socket;
    connect_to(first, second);
    connect_to(second, first);
    const int32_t pair[2] = {(int32_t)ends[0], (int32_t)ends[1]};
    if (user_copy_out(machine, arguments[3], pair, sizeof pair))
        return 0;
    user_close_slot(user, (unsigned)ends[0]);
    user_close_slot(user, (unsigned)ends[1]);
    return -EFAULT;
}

/* ---- names ---- */

/* Reads a struct sockaddr. The end of a path counts to its length. Returns 0, or a negative error
 * number. */
static int64_t get_name(struct machine *machine, uint64_t address, uint64_t length,
                        struct socket_name *name, uint16_t *family)
{
    struct {
        uint16_t family;
        char path[SOCKET_NAME];
    } given = {0};

    *name = (struct socket_name){0};
    if ((uint32_t)length < FAMILY_BYTES || (uint32_t)length > sizeof given)
        return -EINVAL;
    if (!user_copy_in(machine, &given, address, (uint32_t)length))
        return -EFAULT;
    *family = given.family;
    name->length = (uint32_t)length - FAMILY_BYTES;
    memcpy(name->bytes, given.path, sizeof given.path);
    if (name->length && name->bytes[0])
        name->length = (unsigned)strnlen(name->bytes, name->length) + 1;
    return 0;
}

int64_t socket_put_name(struct machine *machine, const struct socket_name *name, uint64_t address,
                        uint64_t length)
{
    struct {
        uint16_t family;
        char path[SOCKET_NAME + 1];
    } given = {.family = SOCKET_FAMILY};
    int32_t room, whole = (int32_t)(FAMILY_BYTES + name->length);

    memcpy(given.path, name->bytes, sizeof name->bytes);
    if (!user_copy_in(machine, &room, length, sizeof room))
        return -EFAULT;
    if (room < 0)
        return -EINVAL;
    if (!user_copy_out(machine, address, &given, (uint64_t)(room < whole ? room : whole)) ||
        !user_copy_out(machine, length, &whole, sizeof whole))
        return -EFAULT;
    return 0;
}

static struct user_socket *find_abstract(const struct user_processes *processes,
                                         const struct socket_name *name)
{
    struct user_socket *socket = processes->sockets;

    while (socket && !(socket->is_bound && socket->name.length == name->length &&
                       memcmp(socket->name.bytes, name->bytes, name->length) == 0))
        socket = socket->next;
    return socket;
}

/* Finds the socket whose file this is. */
static int64_t find_by_path(struct machine *machine, const struct socket_name *name,
                            struct user_socket **found)
{
    char text[SOCKET_NAME + 1] = "", path[PATH_MAX];
    struct path_walk walk;
    struct file_facts facts;

    memcpy(text, name->bytes, SOCKET_NAME);
    int64_t result =
        path_walk_string(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, text, true);
    if (result == 0)
        result = path_facts(&walk, &facts);
    if (result == 0 && (!S_ISSOCK(facts.mode) || !path_canonical(&walk, path)))
        result = -ECONNREFUSED;
    path_end(&walk);
    if (result < 0)
        return result;
    *found = machine->user.processes->sockets;
    while (*found && !((*found)->path && strcmp((*found)->path, path) == 0))
        *found = (*found)->next;
    return *found ? 0 : -ECONNREFUSED;
}

int64_t socket_find(struct machine *machine, uint64_t address, uint64_t length,
                    struct user_socket **found)
{
    struct socket_name name;
    uint16_t family;
    int64_t result = get_name(machine, address, length, &name, &family);

    if (result < 0)
        return result;
    if (family != SOCKET_FAMILY || !name.length)
        return -EINVAL;
    if (name.bytes[0])
        return find_by_path(machine, &name, found);
    *found = find_abstract(machine->user.processes, &name);
    return *found ? 0 : -ECONNREFUSED;
}

/* Makes the file of the name. */
static int64_t bind_path(struct machine *machine, struct user_socket *socket,
                         const struct socket_name *name)
{
    char text[SOCKET_NAME + 1] = "", path[PATH_MAX];
    struct path_walk walk;
    struct file_facts facts;

    memcpy(text, name->bytes, SOCKET_NAME);
    int64_t result =
        path_walk_string(machine, &walk, (uint64_t)(int64_t)GUEST_AT_FDCWD, text, false);
    if (result == 0)
        result = path_facts(&walk, &facts) == 0 ? -EEXIST : path_check_new(&walk);
    if (result == 0 && socket->name.length)
        result = -EINVAL;
    if (result == 0 && !path_canonical(&walk, path))
        result = -ENAMETOOLONG;
    if (result == 0 && !(socket->path = strdup(path)))
        result = -ENOMEM;
    if (result == 0)
        result = storage_make_node(path_directory(&walk), walk.name,
                                   S_IFSOCK | (0777 & ~machine->user.creation_mask));
    path_end(&walk);
    if (result < 0 && !socket->name.length) {
        free(socket->path);
        socket->path = NULL;
    }
    return result == -EEXIST ? -EADDRINUSE : result;
}

/* Gives the socket a name that no other has. */
static void bind_any(struct user_processes *processes, struct socket_name *name)
{
    do {
        char text[] = " 00000";
        snprintf(text, sizeof text, " %05x", processes->socket_names++ & 0xfffff);
        name->length = sizeof text - 1;
        memcpy(name->bytes, text, name->length);
        name->bytes[0] = '\0';
    } while (find_abstract(processes, name));
}

int64_t user_bind(struct machine *machine, const uint64_t *arguments)
{
    struct user_processes *processes = machine->user.processes;
    struct socket_name name;
    uint16_t family;
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    int64_t result = get_name(machine, arguments[1], arguments[2], &name, &family);
    if (result < 0)
        return result;
    if (family != SOCKET_FAMILY)
        return -EINVAL;
    if (name.length && name.bytes[0])
        result = bind_path(machine, socket, &name);
    else if (socket->name.length)
        return name.length ? -EINVAL : 0;
    else if (!name.length)
        bind_any(processes, &name);
    else if (find_abstract(processes, &name))
        result = -EADDRINUSE;
    if (result < 0)
        return result;
    socket->name = name;
    socket->is_bound = true;
    return 0;
}

int64_t user_getsockname(struct machine *machine, const uint64_t *arguments)
{
    int64_t error;
    const struct user_socket *socket = socket_of(machine, arguments[0], &error);

    return socket ? socket_put_name(machine, &socket->name, arguments[1], arguments[2]) : error;
}

int64_t user_getpeername(struct machine *machine, const uint64_t *arguments)
{
    int64_t error;
    const struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    return socket->peer ? socket_put_name(machine, &socket->peer->name, arguments[1], arguments[2])
                        : -ENOTCONN;
}

/* ---- connections ---- */

int64_t user_listen(struct machine *machine, const uint64_t *arguments)
{
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (socket->type == SOCKET_DATAGRAMS)
        return -EOPNOTSUPP;
    if (!socket->name.length || socket->is_connected)
        return -EINVAL;
    socket->listens = true;
    socket->process = machine->user.process->id;
    socket->limit = (uint32_t)arguments[1] < LISTEN_LIMIT ? (uint32_t)arguments[1] : LISTEN_LIMIT;
    user_wake_on_files(&machine->user);
    return 0;
}

/* Makes the other end of a connection, which waits to be accepted. */
static int64_t connect_stream(struct machine *machine, const struct user_file *file,
                              struct user_socket *target)
{
    struct user_socket *socket = file->socket, **link = &target->accepted;

    if (target->type != socket->type)
        return -EPROTOTYPE;
    if (socket->listens)
        return -EINVAL;
    if (socket->is_connected)
        return -EISCONN;
    if (!target->listens || target->ends_receiving)
        return -ECONNREFUSED;
    if (target->waiting > target->limit)
        return socket_wait(machine, file, false);
    struct user_socket *other = new_socket(&machine->user, socket->type);
    if (!other)
        return -ENOMEM;
    connect_to(socket, other);
    connect_to(other, socket);
    other->name = target->name;
    socket->peer_process = target->process;
    while (*link)
        link = &(*link)->after;
    *link = other;
    target->waiting++;
    target->changes++;
    user_wake_on_files(&machine->user);
    return 0;
}

int64_t user_connect(struct machine *machine, const uint64_t *arguments)
{
    struct user_socket *target;
    uint16_t family;
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (socket->type == SOCKET_DATAGRAMS && (uint32_t)arguments[2] >= FAMILY_BYTES &&
        user_copy_in(machine, &family, arguments[1], FAMILY_BYTES) && family == AF_NONE) {
        socket->peer = NULL;
        socket->is_connected = false;
        return 0;
    }
    int64_t result = socket_find(machine, arguments[1], arguments[2], &target);
    if (result < 0)
        return result;
    if (socket->type != SOCKET_DATAGRAMS)
        return connect_stream(machine, user_file(machine, arguments[0]), target);
    if (target->type != socket->type)
        return -EPROTOTYPE;
    if (target->peer && target->peer != socket)
        return -EPERM;
    connect_to(socket, target);
    return 0;
}

static int64_t accept_next(struct machine *machine, const uint64_t *arguments, uint64_t flags)
{
    struct user *user = &machine->user;
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (flags & ~(uint64_t)(GUEST_O_CLOEXEC | GUEST_O_NONBLOCK))
        return -EINVAL;
    if (socket->type == SOCKET_DATAGRAMS)
        return -EOPNOTSUPP;
    if (!socket->listens)
        return -EINVAL;
    struct user_socket *accepted = socket->accepted;
    if (!accepted)
        return socket_wait(machine, user_file(machine, arguments[0]), false);
    socket->accepted = accepted->after;
    accepted->after = NULL;
    socket->waiting--;
    const struct socket_name none = {0};
    const struct socket_name from = accepted->peer ? accepted->peer->name : none;
    int64_t fd = open_socket(user, accepted, flags);
    if (fd >= 0 && arguments[1])
        error = socket_put_name(machine, &from, arguments[1], arguments[2]);
    user_wake_on_files(user);
    if (fd < 0 || !arguments[1] || error == 0)
        return fd;
    user_close_slot(user, (unsigned)fd);
    return error;
}

int64_t user_accept(struct machine *machine, const uint64_t *arguments)
{
    return accept_next(machine, arguments, 0);
}

int64_t user_accept4(struct machine *machine, const uint64_t *arguments)
{
    return accept_next(machine, arguments, (uint32_t)arguments[3]);
}

int64_t user_shutdown(struct machine *machine, const uint64_t *arguments)
{
    uint32_t how = (uint32_t)arguments[1];
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (how > SHUT_BOTH)
        return -EINVAL;
    bool receiving = how != SHUT_SENDING, sending = how != SHUT_RECEIVING;
    struct user_socket *peer = socket->type == SOCKET_DATAGRAMS ? NULL : socket->peer;
    socket->ends_receiving |= receiving;
    socket->ends_sending |= sending;
    socket->changes++;
    if (peer) {
        peer->ends_sending |= receiving;
        peer->ends_receiving |= sending;
        peer->changes++;
    }
    user_wake_on_files(&machine->user);
    return 0;
}

/* ---- options ---- */

int64_t user_setsockopt(struct machine *machine, const uint64_t *arguments)
{
    int32_t value;
    int64_t error;

    if (!socket_of(machine, arguments[0], &error))
        return error;
    if ((uint32_t)arguments[1] != SOL_SOCKET)
        return -EOPNOTSUPP;
    if ((uint32_t)arguments[4] < sizeof value)
        return -EINVAL;
    if (!user_copy_in(machine, &value, arguments[3], sizeof value))
        return -EFAULT;
    switch ((uint32_t)arguments[2]) {
    case SO_REUSEADDR:
    case SO_BROADCAST:
    case SO_SNDBUF:
    case SO_RCVBUF:
    case SO_KEEPALIVE:
    case SO_LINGER:
        return 0; /* nothing follows from it */
    default:
        return -ENOPROTOOPT;
    }
}

int64_t user_getsockopt(struct machine *machine, const uint64_t *arguments)
{
    int32_t value[3] = {0}, room;
    size_t length = sizeof *value;
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if ((uint32_t)arguments[1] != SOL_SOCKET)
        return -EOPNOTSUPP;
    if (!user_copy_in(machine, &room, arguments[4], sizeof room))
        return -EFAULT;
    if (room < 0)
        return -EINVAL;
    switch ((uint32_t)arguments[2]) {
    case SO_TYPE:
        value[0] = socket->type;
        break;
    case SO_ERROR:
        value[0] = socket->error;
        socket->error = 0;
        break;
    case SO_SNDBUF:
    case SO_RCVBUF:
        value[0] = SOCKET_ROOM;
        break;
    case SO_ACCEPTCONN:
        value[0] = socket->listens;
        break;
    case SO_DOMAIN:
        value[0] = SOCKET_FAMILY;
        break;
    case SO_PEERCRED:
        value[0] = (int32_t)socket->peer_process;
        value[1] = value[2] = socket->is_connected ? GUEST_UID : -1;
        length = sizeof value;
        break;
    case SO_LINGER:
        length = 2 * sizeof *value;
        break;
    case SO_REUSEADDR:
    case SO_BROADCAST:
    case SO_KEEPALIVE:
    case SO_PROTOCOL:
        break;
    default:
        return -ENOPROTOOPT;
    }
    if ((size_t)room > length)
        room = (int32_t)length;
    return user_copy_out(machine, arguments[3], value, (uint64_t)room) &&
                   user_copy_out(machine, arguments[4], &room, sizeof room)
               ? 0
               : -EFAULT;
}
