/* The packets of gdb's remote serial protocol over a socket ("Debugging with GDB", E.1):
 * `$payload#sum`, acknowledged by `+` or refused by `-`.
 *
 * Input is not trusted. A packet with a wrong checksum is refused, so that it is sent again. A
 * packet that is too long or badly escaped is acknowledged and reported as malformed. Bytes between
 * packets are skipped. */
#ifndef EMU_GDB_PACKET_H
#define EMU_GDB_PACKET_H

#include "lib/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { GDB_PACKET_LIMIT = 0x4000 }; /* bytes of a payload, with its escapes */

enum gdb_event {
    GDB_PACKET,    /* link->packet, link->length; NUL-terminated */
    GDB_MALFORMED, /* a packet that cannot be decoded; answer with an error */
    GDB_CLOSED,    /* the connection is lost, for good */
};

struct gdb_link {
    int fd;
    bool no_acknowledge; /* QStartNoAckMode */
    bool interrupted;    /* Ctrl-C came while the machine ran; cleared by its user */
    bool closed;
    unsigned char input[4096];
    size_t input_at, input_end;
    char packet[GDB_PACKET_LIMIT + 1];
    size_t length;
    struct text output;
};

/* Opens the link over `fd`, a connected socket. The link closes it. */
void gdb_link_open(struct gdb_link *link, int fd);
void gdb_link_close(struct gdb_link *link);

/* Waits for the next packet. */
enum gdb_event gdb_link_receive(struct gdb_link *link);
/* Sends a payload of any bytes until it is acknowledged. Returns false when the connection is lost.
 */
bool gdb_link_send(struct gdb_link *link, const void *payload, size_t length);
/* Has Ctrl-C come while the machine runs, or is the connection lost? Never waits. */
bool gdb_link_interrupted(struct gdb_link *link);

/* Parses a hexadecimal number of at most 64 bits and moves *text after it. Returns false when there
 * are no digits, or too many. */
bool gdb_parse_number(const char **text, uint64_t *value);
/* Parses `count` bytes of two hexadecimal digits each and moves *text after them. Returns false
 * when digits are missing. */
bool gdb_parse_bytes(const char **text, void *bytes, size_t count);
void gdb_append_bytes(struct text *text, const void *bytes, size_t count);

/* Makes the reply an error, whatever it has so far. `number` is an errno, which gdb shows. */
void gdb_reply_error(struct text *reply, int number);
/* Appends OK. */
void gdb_reply_ok(struct text *reply);

#endif
