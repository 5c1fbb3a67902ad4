/* The packets of gdb's remote serial protocol over a socket ("Debugging with GDB", E.1):
 * `$payload#sum`, acknowledged by `+` or refused by `-`.
 *
 * What comes in is not trusted. A packet with a wrong checksum is refused (and asked for again),
 * one that is too long or badly escaped is acknowledged and handed on as malformed; bytes between
 * packets are skipped. */
#ifndef EMU_GDB_PACKET_H
#define EMU_GDB_PACKET_H

#include "lib/text.h"
#include <stdbool.h>
#include <stdint.h>

enum { GDB_PACKET_LIMIT = 0x4000 }; /* bytes of a payload as it travels */

enum gdb_event {
    GDB_PACKET,    /* link->packet, link->length; NUL-terminated */
    GDB_MALFORMED, /* a packet that cannot be understood; answer with an error */
    GDB_CLOSED,    /* the client is gone; so it stays */
};

struct gdb_link {
    int fd;
    bool no_acknowledge; /* QStartNoAckMode */
    bool interrupted;    /* Ctrl-C came while the machine ran; cleared by who acts upon it */
    bool closed;
    unsigned char input[4096];
    size_t input_at, input_end;
    char packet[GDB_PACKET_LIMIT + 1];
    size_t length;
    struct text output;
};

/* `fd` is a connected socket, which belongs to the link from here on. */
void gdb_link_open(struct gdb_link *link, int fd);
void gdb_link_close(struct gdb_link *link);

/* Waits for the next packet. */
enum gdb_event gdb_link_receive(struct gdb_link *link);
/* Sends a payload, which may hold any bytes, until it is acknowledged. False when the client is
 * gone. */
bool gdb_link_send(struct gdb_link *link, const void *payload, size_t length);
/* While the machine runs: has Ctrl-C come, or is the client gone? Never waits. */
bool gdb_link_interrupted(struct gdb_link *link);

/* Hexadecimal digits at *text, at most 16 after leading zeros; moves on behind them. False when
 * there are none, or too many. */
bool gdb_parse_number(const char **text, uint64_t *value);
/* `count` bytes of two digits each. False when the digits are not there. */
bool gdb_parse_bytes(const char **text, void *bytes, size_t count);
void gdb_append_bytes(struct text *text, const void *bytes, size_t count);

/* Makes the reply an error, whatever it has so far. `number` is an errno, which gdb shows. */
void gdb_reply_error(struct text *reply, int number);
/* Appends OK. */
void gdb_reply_ok(struct text *reply);

#endif
