/* Sending and receiving by local sockets. See socket.h. */
#include "emu/user/socket.h"
#include "emu/user/thread.h"
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>

/* Values of Linux's generic ABI. */
enum message_flag {
    MSG_OOB = 0x1,
    MSG_PEEK = 0x2,
    MSG_CTRUNC = 0x8,
    MSG_TRUNC = 0x20,
    MSG_DONTWAIT = 0x40,
    MSG_WAITALL = 0x100,
    MSG_NOSIGNAL = 0x4000,
    MSG_CMSG_CLOEXEC = 0x40000000,
};

enum { SOL_SOCKET = 1, SCM_RIGHTS = 1, VECTORS = 1024, PARTS_LIMIT = 0x7ffff000 };

struct guest_message {
    uint64_t name;
    uint32_t name_length, pad;
    uint64_t vectors, vector_count;
    uint64_t control, control_length;
    uint32_t flags, pad2;
};
_Static_assert(sizeof(struct guest_message) == 56, "struct msghdr");

/* What comes before the bytes of a control message. */
struct guest_control {
    uint64_t length;
    int32_t level, type;
};

struct guest_vector {
    uint64_t base, length;
};

/* ---- sending ---- */

/* What is sent by one call. */
struct sent {
    const unsigned char *bytes;
    uint64_t length;
    struct user_file *files[SOCKET_FILES];
    unsigned file_count;
    struct user_socket *target; /* NULL: the peer */
    uint32_t flags;
};

static int64_t take_error(struct user_socket *socket)
{
    int error = socket->error;

    socket->error = 0;
    return -error;
}

/* May the socket send to the target? Returns 0, or a negative error number. */
static int64_t check_target(struct machine *machine, struct user_socket *socket,
                            const struct user_socket *target, uint32_t flags)
{
    if (socket->error)
        return take_error(socket);
    if (socket->ends_sending) {
        if (socket->type != SOCKET_DATAGRAMS && !(flags & MSG_NOSIGNAL))
            user_signal_send(machine, SIGPIPE, USER_SIGNAL_BY_USER);
        return -EPIPE;
    }
    if (!target)
        return socket->type == SOCKET_DATAGRAMS && socket->is_connected ? -ECONNREFUSED : -ENOTCONN;
    if (target->type != socket->type)
        return -EPROTOTYPE;
    if (target->ends_receiving)
        return -EPIPE;
    return target->peer && target->peer != socket ? -EPERM : 0;
}

/* Returns a packet with the first bytes of what is sent, and the descriptors; or NULL. */
static struct packet *make_packet(struct user *user, const struct user_socket *socket,
                                  const struct sent *sent, uint64_t length)
{
    bool is_stream = socket->type == SOCKET_STREAM;
    uint64_t room = is_stream && length < SOCKET_UNIT ? SOCKET_UNIT - length : 0;
    struct packet *packet = malloc(sizeof *packet + length + room);

    if (!packet)
        return NULL;
    *packet = (struct packet){.from = socket->name, .length = length, .room = room};
    memcpy(packet->bytes, sent->bytes, length);
    if (!sent->file_count)
        return packet;
    packet->files = malloc(sent->file_count * sizeof *packet->files);
    if (!packet->files) {
        free(packet);
        return NULL;
    }
    for (unsigned i = 0; i < sent->file_count; i++) {
        packet->files[packet->file_count++] = sent->files[i];
        sent->files[i]->references++;
    }
    user->processes->sent_files += sent->file_count;
    return packet;
}

/* Adds bytes of a stream to a packet, as many as it has room for. Returns how many. */
static uint64_t append(struct packet *packet, const unsigned char *bytes, uint64_t length)
{
    if (length > packet->room)
        length = packet->room;
    memcpy(packet->bytes + packet->length, bytes, length);
    packet->length += length;
    packet->room -= length;
    return length;
}

/* Sends a packet, of a stream as much as there is room for. Returns how many bytes, or a negative
 * error number, or what socket_wait does. */
static int64_t send_packet(struct machine *machine, const struct user_file *file,
                           const struct sent *sent)
{
    struct user_socket *socket = file->socket, *target = sent->target ? sent->target : socket->peer;
    bool is_stream = socket->type == SOCKET_STREAM;
    uint64_t length = sent->length;
    int64_t result = check_target(machine, socket, target, sent->flags);

    if (result < 0)
        return result;
    if (is_stream && length == 0)
        return 0;
    uint64_t taken = socket_taken(target), room = taken < SOCKET_ROOM ? SOCKET_ROOM - taken : 0;
    if (!is_stream && length > SOCKET_ROOM)
        return -EMSGSIZE;
    if (machine->user.processes->sent_files + sent->file_count > USER_FILES)
        return -ETOOMANYREFS;
    if (room == 0 || (!is_stream && target->count > 0 && length > room) ||
        (socket->type == SOCKET_DATAGRAMS && target->count >= SOCKET_DATAGRAMS_LIMIT))
        return socket_wait(machine, file, sent->flags & MSG_DONTWAIT);
    if (is_stream && length > room)
        length = room;
    struct packet *last = target->last;
    if (last && last->room && !last->files && !sent->file_count) {
        length = append(last, sent->bytes, length);
    } else {
        struct packet *packet = make_packet(&machine->user, socket, sent, length);
        if (!packet)
            return -ENOMEM;
        *(last ? &last->next : &target->first) = packet;
        target->last = packet;
        target->count++;
    }
    target->held += length;
    target->changes++;
    user_wake_on_files(&machine->user);
    return (int64_t)length;
}

/* May the call go on to send the rest of a stream, or wait to do so? */
static bool may_go_on(const struct machine *machine, const struct user_file *file,
                      const struct sent *sent)
{
    const struct user_socket *socket = file->socket;
    bool waits = !(file->flags & GUEST_O_NONBLOCK) && !(sent->flags & MSG_DONTWAIT) &&
                 (machine->user.thread_count > 1 || user_has_others(machine));

    return socket->type == SOCKET_STREAM && sent->length > 0 && socket->peer &&
           (waits || socket_taken(socket->peer) < SOCKET_ROOM);
}

/* Sends all that there is room for, and waits for more if it may. */
static int64_t send_all(struct machine *machine, const struct user_file *file, struct sent sent)
{
    struct user_thread *thread = machine->user.thread;
    uint64_t done = thread->repeats ? thread->wait.done : 0;

    sent.bytes += done;
    sent.length -= done;
    do {
        if (done) {
            sent.file_count = 0;
            sent.flags |= MSG_NOSIGNAL;
        }
        int64_t moved = send_packet(machine, file, &sent);
        if (moved == USER_WAITS) {
            thread->wait.done = done;
            return moved;
        }
        if (moved < 0)
            return done ? (int64_t)done : moved;
        done += (uint64_t)moved;
        sent.bytes += moved;
        sent.length -= (uint64_t)moved;
    } while (may_go_on(machine, file, &sent));
    return (int64_t)done;
}

/* ---- receiving ---- */

/* What is received by one call. */
struct received {
    unsigned char *bytes;
    uint64_t room;
    uint32_t flags; /* of the call, */
    uint32_t found; /* and of what came */
    struct socket_name from;
    struct user_file *files[SOCKET_FILES]; /* to which it refers */
    unsigned file_count;
};

static void take_files(struct packet *packet, struct received *received)
{
    for (unsigned i = 0; i < packet->file_count; i++) {
        received->files[received->file_count++] = packet->files[i];
        packet->files[i]->references++;
    }
}

/* Receives what there is of a stream, up to the end of a packet with descriptors. */
static uint64_t receive_stream(struct user *user, struct user_socket *socket,
                               struct received *received)
{
    bool is_peek = received->flags & MSG_PEEK;
    uint64_t done = 0;

    received->from = socket->first->from;
    for (struct packet *next, *packet = socket->first; packet && done < received->room;
         packet = next) {
        uint64_t left = packet->length - packet->taken, room = received->room - done,
                 length = left < room ? left : room;
        bool has_files = packet->file_count;
        next = packet->next;
        memcpy(received->bytes + done, packet->bytes + packet->taken, length);
        done += length;
        take_files(packet, received);
        if (!is_peek) {
            user->processes->sent_files -= packet->file_count;
            while (packet->file_count)
                user_drop_file(user, packet->files[--packet->file_count]);
            packet->taken += length;
            socket->held -= length;
            if (packet->taken == packet->length)
                socket_drop_first(user, socket);
        }
        if (has_files)
            break;
    }
    return done;
}

/* Receives one packet. Returns its length up to the room, or all of it with MSG_TRUNC. */
static uint64_t receive_packet(struct user *user, struct user_socket *socket,
                               struct received *received)
{
    struct packet *packet = socket->first;
    uint64_t whole = packet->length, length = whole < received->room ? whole : received->room;

    memcpy(received->bytes, packet->bytes, length);
    received->from = packet->from;
    received->found |= length < whole ? MSG_TRUNC : 0;
    take_files(packet, received);
    if (!(received->flags & MSG_PEEK))
        socket_drop_first(user, socket);
    return received->flags & MSG_TRUNC ? whole : length;
}

/* Returns how many bytes were received, a negative error number, or what socket_wait does. */
static int64_t receive(struct machine *machine, const struct user_file *file,
                       struct received *received)
{
    struct user_socket *socket = file->socket;
    bool is_stream = socket->type == SOCKET_STREAM;
    uint64_t wanted = received->flags & MSG_WAITALL ? received->room : 1;

    if (socket->type != SOCKET_DATAGRAMS && !socket->is_connected)
        return is_stream ? -EINVAL : -ENOTCONN;
    if (is_stream && received->room == 0)
        return 0;
    if (wanted > SOCKET_ROOM)
        wanted = SOCKET_ROOM;
    bool is_full = socket_taken(socket) >= SOCKET_ROOM;
    bool lacks = is_stream ? socket->held < wanted && !is_full : !socket->first;
    if (lacks && !socket->first && socket->error)
        return take_error(socket);
    if (lacks && !socket->ends_receiving) {
        int64_t result = socket_wait(machine, file, received->flags & MSG_DONTWAIT);
        if (result != -EAGAIN || !socket->first)
            return result;
    }
    if (!socket->first)
        return 0;
    uint64_t done = is_stream ? receive_stream(&machine->user, socket, received)
                              : receive_packet(&machine->user, socket, received);
    user_wake_on_files(&machine->user);
    return (int64_t)done;
}

static void drop_files(struct user *user, struct received *received)
{
    while (received->file_count)
        user_drop_file(user, received->files[--received->file_count]);
}

/* ---- read and write ---- */

int64_t user_socket_read(struct machine *machine, const struct user_file *file, void *to,
                         uint64_t length)
{
    struct received received = {.bytes = to, .room = length};
    int64_t result = receive(machine, file, &received);

    drop_files(&machine->user, &received);
    return result;
}

int64_t user_socket_write(struct machine *machine, const struct user_file *file, const void *from,
                          uint64_t length)
{
    return send_all(machine, file, (struct sent){.bytes = from, .length = length});
}

/* ---- vectors ---- */

/* The parts of the guest's memory that a call sends or fills, and a copy of what is in them. */
struct parts {
    struct guest_vector vectors[VECTORS];
    uint64_t count, length;
    unsigned char *bytes;
};

/* Finds the parts. Returns 0, or a negative error number; free_parts must be called in either case.
 */
static int64_t get_parts(struct machine *machine, struct parts *parts, uint64_t address,
                         uint64_t count, bool is_sent)
{
    parts->bytes = NULL;
    parts->length = 0;
    parts->count = count;
    if (count > VECTORS)
        return -EMSGSIZE;
    if (!user_copy_in(machine, parts->vectors, address, count * sizeof *parts->vectors))
        return -EFAULT;
    for (uint64_t i = 0; i < count; i++) {
        struct guest_vector *part = &parts->vectors[i];
        if ((int64_t)part->length < 0)
            return -EINVAL;
        if (part->length > PARTS_LIMIT - parts->length)
            part->length = PARTS_LIMIT - parts->length;
        if (!memory_range(&machine->memory, part->base, part->length, !is_sent))
            return -EFAULT;
        parts->length += part->length;
    }
    parts->bytes = malloc(parts->length + 1);
    if (!parts->bytes)
        return -ENOMEM;
    for (uint64_t i = 0, done = 0; is_sent && i < count; done += parts->vectors[i++].length) {
        const struct guest_vector *part = &parts->vectors[i];
        if (!user_copy_in(machine, parts->bytes + done, part->base, part->length))
            return -EFAULT;
        port_record_read(&machine->port, part->base, part->length);
    }
    return 0;
}

/* Fills the parts with so many bytes that were received. */
static void fill_parts(struct machine *machine, const struct parts *parts, uint64_t length)
{
    for (uint64_t i = 0, done = 0; i < parts->count && done < length; i++) {
        const struct guest_vector *part = &parts->vectors[i];
        uint64_t left = length - done, some = part->length < left ? part->length : left;
        user_copy_out(machine, part->base, parts->bytes + done, some);
        done += some;
    }
}

static void free_parts(struct parts *parts)
{
    free(parts->bytes);
}

int64_t user_socket_vector(struct machine *machine, const struct user_file *file, uint64_t address,
                           uint64_t count, bool is_write)
{
    struct parts parts;
    int64_t result = get_parts(machine, &parts, address, count, is_write);

    if (result == 0 && is_write)
        result = user_socket_write(machine, file, parts.bytes, parts.length);
    else if (result == 0) {
        result = user_socket_read(machine, file, parts.bytes, parts.length);
        if (result > 0)
            fill_parts(machine, &parts, (uint64_t)result);
    }
    free_parts(&parts);
    return result;
}

/* ---- calls with names, flags and descriptors ---- */

/* Finds where a call sends to that names it. */
static int64_t find_target(struct machine *machine, const struct user_socket *socket,
                           uint64_t address, uint64_t length, struct user_socket **target)
{
    if (!address || (uint32_t)length == 0)
        return 0;
    if (socket->type == SOCKET_DATAGRAMS)
        return socket_find(machine, address, length, target);
    return socket->is_connected ? -EISCONN : -EOPNOTSUPP;
}

/* Writes who has sent what was received; the length is at `length`. */
static int64_t put_sender(struct machine *machine, const struct received *received,
                          uint64_t address, uint64_t length)
{
    int32_t none = 0;

    if (!address)
        return 0;
    if (received->from.length)
        return socket_put_name(machine, &received->from, address, length);
    return user_copy_out(machine, length, &none, sizeof none) ? 0 : -EFAULT;
}

int64_t user_sendto(struct machine *machine, const uint64_t *arguments)
{
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (arguments[2] > INT32_MAX)
        return -EMSGSIZE;
    struct sent sent = {
        .bytes = memory_range(&machine->memory, arguments[1], arguments[2], false),
        .length = arguments[2],
        .flags = (uint32_t)arguments[3],
    };
    if (!sent.bytes)
        return -EFAULT;
    if (sent.flags & MSG_OOB)
        return -EOPNOTSUPP;
    int64_t result = find_target(machine, socket, arguments[4], arguments[5], &sent.target);
    if (result == 0)
        result = send_all(machine, user_file(machine, arguments[0]), sent);
    if (result > 0)
        port_record_read(&machine->port, arguments[1], (uint64_t)result);
    return result;
}

int64_t user_recvfrom(struct machine *machine, const uint64_t *arguments)
{
    int64_t error;

    if (!socket_of(machine, arguments[0], &error))
        return error;
    uint64_t room = arguments[2] < INT32_MAX ? arguments[2] : INT32_MAX;
    struct received received = {
        .bytes = memory_range(&machine->memory, arguments[1], room, true),
        .room = room,
        .flags = (uint32_t)arguments[3],
    };
    if (!received.bytes)
        return -EFAULT;
    if (received.flags & MSG_OOB)
        return -EOPNOTSUPP;
    int64_t result = receive(machine, user_file(machine, arguments[0]), &received);
    drop_files(&machine->user, &received);
    if (result > 0)
        port_record_write(&machine->port, arguments[1],
                          (uint64_t)result < room ? (uint64_t)result : room, received.bytes);
    if (result >= 0)
        error = put_sender(machine, &received, arguments[4], arguments[5]);
    return result >= 0 && error < 0 ? error : result;
}

/* Finds the open files whose descriptors a control message sends. */
static int64_t get_rights(struct machine *machine, uint64_t address, uint64_t length,
                          struct sent *sent)
{
    int32_t fd;

    for (uint64_t at = 0; at + sizeof fd <= length; at += sizeof fd) {
        if (!user_copy_in(machine, &fd, address + at, sizeof fd))
            return -EFAULT;
        struct user_file *file = fd < 0 ? NULL : user_file(machine, (uint64_t)fd);
        if (!file)
            return -EBADF;
        if (sent->file_count == SOCKET_FILES)
            return -EINVAL;
        sent->files[sent->file_count++] = file;
    }
    return 0;
}

/* Reads the control messages. */
static int64_t get_control(struct machine *machine, const struct guest_message *message,
                           struct sent *sent)
{
    struct guest_control control;
    uint64_t at = 0;

    while (at + sizeof control <= message->control_length) {
        uint64_t address = message->control + at;
        if (!user_copy_in(machine, &control, address, sizeof control))
            return -EFAULT;
        if (control.length < sizeof control || control.length > message->control_length - at ||
            control.level != SOL_SOCKET || control.type != SCM_RIGHTS)
            return -EINVAL;
        int64_t result =
            get_rights(machine, address + sizeof control, control.length - sizeof control, sent);
        if (result < 0)
            return result;
        at += (control.length + 7) & ~UINT64_C(7);
    }
    return 0;
}

int64_t user_sendmsg(struct machine *machine, const uint64_t *arguments)
{
    struct guest_message message;
    struct sent sent = {.flags = (uint32_t)arguments[2]};
    struct parts parts;
    int64_t error;
    struct user_socket *socket = socket_of(machine, arguments[0], &error);

    if (!socket)
        return error;
    if (!user_copy_in(machine, &message, arguments[1], sizeof message))
        return -EFAULT;
    if (sent.flags & MSG_OOB)
        return -EOPNOTSUPP;
    int64_t result = get_parts(machine, &parts, message.vectors, message.vector_count, true);
    if (result == 0)
        result = get_control(machine, &message, &sent);
    if (result == 0)
        result = find_target(machine, socket, message.name, message.name_length, &sent.target);
    sent.bytes = parts.bytes;
    sent.length = parts.length;
    if (result == 0)
        result = send_all(machine, user_file(machine, arguments[0]), sent);
    free_parts(&parts);
    return result;
}

/* Gives the process descriptors of the files that came, as many as there is room for in the control
 * message. Returns false if it cannot be written. */
static bool put_rights(struct machine *machine, struct guest_message *message,
                       struct received *received)
{
    struct guest_control control = {.level = SOL_SOCKET, .type = SCM_RIGHTS};
    uint64_t room = message->control_length, count = 0;
    int32_t fds[SOCKET_FILES];

    message->control_length = 0;
    if (!received->file_count)
        return true;
    while (count < received->file_count && sizeof control + (count + 1) * sizeof *fds <= room) {
        int64_t fd = user_share_from(&machine->user, received->files[count], 0,
                                     received->flags & MSG_CMSG_CLOEXEC);
        if (fd < 0)
            break;
        fds[count++] = (int32_t)fd;
    }
    if (count < received->file_count)
        received->found |= MSG_CTRUNC;
    if (!count)
        return true;
    control.length = sizeof control + count * sizeof *fds;
    uint64_t whole = (control.length + 7) & ~UINT64_C(7);
    message->control_length = whole < room ? whole : room;
    return user_copy_out(machine, message->control, &control, sizeof control) &&
           user_copy_out(machine, message->control + sizeof control, fds, count * sizeof *fds);
}

int64_t user_recvmsg(struct machine *machine, const uint64_t *arguments)
{
    struct guest_message message;
    struct received received = {.flags = (uint32_t)arguments[2]};
    struct parts parts;
    int64_t error;

    if (!socket_of(machine, arguments[0], &error))
        return error;
    if (!user_copy_in(machine, &message, arguments[1], sizeof message))
        return -EFAULT;
    if (received.flags & MSG_OOB)
        return -EOPNOTSUPP;
    int64_t result = get_parts(machine, &parts, message.vectors, message.vector_count, false);
    received.bytes = parts.bytes;
    received.room = parts.length;
    if (result == 0)
        result = receive(machine, user_file(machine, arguments[0]), &received);
    if (result >= 0) {
        uint64_t length = arguments[1] + offsetof(struct guest_message, name_length);
        fill_parts(machine, &parts,
                   (uint64_t)result < parts.length ? (uint64_t)result : parts.length);
        bool good = put_rights(machine, &message, &received);
        error = put_sender(machine, &received, message.name, length);
        received.found |= received.flags & MSG_CMSG_CLOEXEC;
        good = good && error == 0 &&
               user_copy_out(machine, arguments[1] + offsetof(struct guest_message, control_length),
                             &message.control_length, sizeof message.control_length) &&
               user_copy_out(machine, arguments[1] + offsetof(struct guest_message, flags),
                             &received.found, sizeof received.found);
        result = good ? result : -EFAULT;
    }
    drop_files(&machine->user, &received);
    free_parts(&parts);
    return result;
}
