/* Listens for the debugger on a TCP port of the loopback interface, or on a Unix socket. One client
 * is served, then the socket is closed. */
#include "emu/gdb/gdb.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { PORT_MAXIMUM = 65535 };

static int fail(struct gdb *gdb, const char *where, int socket)
{
    diag_error(gdb->diag, NULL, "--gdb=%s: cannot listen: %s", where, strerror(errno));
    if (socket >= 0)
        close(socket);
    return -1;
}

static int listen_port(struct gdb *gdb, const char *where, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int one = 1, listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (listener >= 0)
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, 1) != 0 || getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return fail(gdb, where, listener);
    fprintf(stderr, "temu: gdb: listening on 127.0.0.1:%u\n", ntohs(address.sin_port));
    return listener;
}

static int listen_path(struct gdb *gdb, const char *where)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(where) >= sizeof address.sun_path) {
        errno = ENAMETOOLONG;
        return fail(gdb, where, -1);
    }
    strcpy(address.sun_path, where);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, sizeof address) != 0)
        return fail(gdb, where, listener);
    if (listen(listener, 1) != 0) {
        unlink(where);
        return fail(gdb, where, listener);
    }
    fprintf(stderr, "temu: gdb: listening on %s\n", where);
    return listener;
}

/* Waits for a client whose first byte is one that a debugger sends: an acknowledgment, the start
 * of a packet, or Ctrl-C. Others are dropped, e.g. a web page that sends HTTP to the port. A client
 * that disconnects at once is one that was lost. Returns its descriptor; -1 on failure. */
static int accept_debugger(int listener)
{
    for (;;) {
        char first = '+';
        int client = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        if (client < 0 && errno == EINTR)
            continue;
        if (client < 0)
            return -1;
        while (recv(client, &first, 1, MSG_PEEK) < 0 && errno == EINTR)
            ;
        if (memchr("+-$\003", first, 4))
            return client;
        fprintf(stderr,
                "temu: gdb: dropped a client whose first byte was 0x%02x; a debugger begins with "
                "'+', '-', '$' or Ctrl-C\n",
                (unsigned char)first);
        close(client);
    }
}

bool gdb_open(struct gdb *gdb, const char *where)
{
    bool is_port = *where && strspn(where, "0123456789") == strlen(where);
    int one = 1;
    unsigned port = 0;
    int client;

    gdb->link.fd = -1;
    for (const char *digit = where; is_port && *digit && port <= PORT_MAXIMUM; digit++)
        port = port * 10 + (unsigned)(*digit - '0');
    if (port > PORT_MAXIMUM || !*where) {
        diag_error(gdb->diag, NULL,
                   "--gdb=%s: expected a port (0 to %d) or the path of a socket to create", where,
                   PORT_MAXIMUM);
        return false;
    }
    int listener = is_port ? listen_port(gdb, where, (uint16_t)port) : listen_path(gdb, where);
    if (listener < 0)
        return false;
    client = accept_debugger(listener);
    close(listener);
    if (!is_port)
        unlink(where);
    if (client < 0) {
        fail(gdb, where, -1);
        return false;
    }
    if (is_port)
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    gdb_link_open(&gdb->link, client);
    return true;
}
