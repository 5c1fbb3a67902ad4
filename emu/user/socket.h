/* Local sockets (AF_UNIX) of the user environment: pairs, and sockets with names. Both ends belong
 * to the program's own processes, so what is sent is kept here, and nothing of it concerns the
 * host, but for the file that a name in the file system leaves in the root.
 *
 * socket.c makes sockets, names and connects them; message.c moves what is sent. */
#ifndef EMU_USER_SOCKET_H
#define EMU_USER_SOCKET_H

#include "emu/user/calls.h"
#include <limits.h>

/* Values of Linux's generic ABI. */
enum socket_type {
    SOCKET_STREAM = 1,
    SOCKET_DATAGRAMS = 2,
    SOCKET_PACKETS = 5, /* SOCK_SEQPACKET */
};

enum {
    SOCKET_FAMILY = 1,           /* AF_UNIX */
    SOCKET_NAME = 108,           /* bytes of sun_path */
    SOCKET_ROOM = 212992,        /* for what waits to be received, in bytes, as in Linux: */
    SOCKET_PACKET = 768,         /* so many for each packet, besides its own; */
    SOCKET_DATAGRAMS_LIMIT = 11, /* not more datagrams than this */
    SOCKET_UNIT = 4096,          /* bytes of a stream that are kept together at least */
    SOCKET_FILES = 253,          /* descriptors in a message */
};

/* The bytes of sun_path: a path with its end, or a name that begins with a 0. */
struct socket_name {
    unsigned length; /* 0: none */
    char bytes[SOCKET_NAME];
};

/* What one call has sent, or several calls to a stream, and what waits to be received. */
struct packet {
    struct packet *next;
    struct socket_name from;
    struct user_file **files; /* whose descriptors were sent, too; NULL: none */
    unsigned file_count;
    uint64_t length, taken; /* bytes; so many were received already */
    uint64_t room;          /* for more bytes of a stream */
    unsigned char bytes[];
};

struct user_socket {
    struct user_socket *next; /* in the list of all */
    enum socket_type type;
    struct user_socket *peer; /* which gets what is sent; NULL: none, or none any more */
    bool is_connected;        /* it had a peer */
    bool ends_receiving, ends_sending;
    int error;                      /* number, for the next call; 0: none */
    uint32_t process, peer_process; /* that have made the two, or listen */
    struct socket_name name;
    bool is_bound; /* the name leads to it, and not to the one that has accepted it */
    unsigned mode; /* permissions of the socket itself, not of its name */
    char *path;    /* of a name in the file system: without links and dots; NULL: none */
    struct packet *first, *last;
    uint64_t held;    /* bytes in the packets */
    unsigned count;   /* of packets */
    uint64_t changes; /* that can make it ready to receive */
    bool listens;
    unsigned limit;               /* connections that wait to be accepted */
    unsigned waiting;             /* and how many do: */
    struct user_socket *accepted; /* the first one */
    struct user_socket *after;    /* it comes after this one, which waits, too */
};

/* Returns the open socket, or NULL with an error number. */
struct user_socket *socket_of(const struct machine *machine, uint64_t fd, int64_t *error);
/* Finds the socket with the name in the guest's memory. Returns 0, or a negative error number. */
int64_t socket_find(struct machine *machine, uint64_t address, uint64_t length,
                    struct user_socket **found);
/* Writes a name as a struct sockaddr, cut to the length at `length`, which becomes its whole
 * length. Returns 0, or a negative error number. */
int64_t socket_put_name(struct machine *machine, const struct socket_name *name, uint64_t address,
                        uint64_t length);
/* Returns how much room is taken of the socket. */
static inline uint64_t socket_taken(const struct user_socket *socket)
{
    return socket->held + (uint64_t)socket->count * SOCKET_PACKET;
}
/* Waits for a change of a socket, or gives EAGAIN. */
int64_t socket_wait(struct machine *machine, const struct user_file *file, bool at_once);
/* Frees the packet that was sent to the socket first. */
void socket_drop_first(struct user *user, struct user_socket *socket);

#endif
