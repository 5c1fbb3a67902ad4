/* See packet.h. */
#include "emu/gdb/packet.h"
#include "emu/host_signal.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONTROL_C = 3,
    ESCAPE = '}',
    ESCAPE_FLIP = 0x20,
    SEND_TRIES = 16, /* attempts to send one packet before the connection counts as lost */
};

void gdb_link_open(struct gdb_link *link, int fd)
{
    *link = (struct gdb_link){.fd = fd};
}

void gdb_link_close(struct gdb_link *link)
{
    if (link->fd >= 0)
        close(link->fd);
    link->fd = -1;
    link->closed = true;
    text_free(&link->output);
}

/* ---- bytes ---- */

/* Waits for bytes. Returns false when a signal of the host asks for the end of the run. */
static bool wait_for_input(const struct gdb_link *link)
{
    struct pollfd poll_fd = {.fd = link->fd, .events = POLLIN};

    while (poll(&poll_fd, 1, -1) < 0 && errno == EINTR)
        if (host_signal_end())
            return false;
    return !host_signal_end();
}

/* Fills the empty input. Returns false when the connection is lost. */
static bool fill(struct gdb_link *link, int flags)
{
    ssize_t got;

    if (!link->closed && !(flags & MSG_DONTWAIT) && !wait_for_input(link))
        link->closed = true;
    do
        got = link->closed ? 0 : recv(link->fd, link->input, sizeof link->input, flags);
    while (got < 0 && errno == EINTR);
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return true;
    link->closed = link->closed || got <= 0;
    link->input_at = 0;
    link->input_end = got > 0 ? got : 0;
    return !link->closed;
}

/* Returns the next byte; -1 when the connection is lost. */
static int next_byte(struct gdb_link *link)
{
    if (link->input_at == link->input_end && !fill(link, 0))
        return -1;
    return link->input[link->input_at++];
}

static bool write_bytes(struct gdb_link *link, const char *bytes, size_t length)
{
    while (length && !link->closed) {
        ssize_t put = send(link->fd, bytes, length, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0) {
            link->closed = true;
            break;
        }
        bytes += put;
        length -= put;
    }
    return !link->closed;
}

static int digit_value(int c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* ---- receiving ---- */

/* Reads the payload after `$`, up to `#`. Another `$` starts a new payload: the end of the packet
 * before it was lost. Returns false when the connection is lost. */
static bool read_payload(struct gdb_link *link, uint8_t *sum, bool *too_long)
{
    link->length = 0;
    *sum = 0;
    *too_long = false;
    for (;;) {
        int byte = next_byte(link);
        if (byte < 0)
            return false;
        if (byte == '#')
            return true;
        if (byte == '$') {
            link->length = 0;
            *sum = 0;
            *too_long = false;
            continue;
        }
        *sum += byte;
        if (link->length == GDB_PACKET_LIMIT)
            *too_long = true;
        else
            link->packet[link->length++] = (char)byte;
    }
}

/* Removes escapes from the payload. Returns false when it ends in the middle of one. */
static bool unescape(struct gdb_link *link)
{
    size_t to = 0;

    for (size_t from = 0; from < link->length; from++) {
        char c = link->packet[from];
        if (c == ESCAPE) {
            if (++from == link->length)
                return false;
            c = link->packet[from] ^ ESCAPE_FLIP;
        }
        link->packet[to++] = c;
    }
    link->length = to;
    link->packet[to] = '\0';
    return true;
}

enum gdb_event gdb_link_receive(struct gdb_link *link)
{
    for (;;) {
        uint8_t sum;
        bool too_long;
        int byte;
        while ((byte = next_byte(link)) != '$')
            if (byte < 0)
                return GDB_CLOSED;
        if (!read_payload(link, &sum, &too_long))
            return GDB_CLOSED;
        int high = next_byte(link), low = high < 0 ? -1 : next_byte(link);
        if (low < 0)
            return GDB_CLOSED;
        bool right = digit_value(high) >= 0 && digit_value(low) >= 0 &&
                     digit_value(high) * 16 + digit_value(low) == sum;
        if (!link->no_acknowledge && !write_bytes(link, right ? "+" : "-", 1))
            return GDB_CLOSED;
        if (right && !too_long && unescape(link))
            return GDB_PACKET;
        if (right || link->no_acknowledge)
            return GDB_MALFORMED;
    }
}

/* Takes the bytes that gdb sends while the machine runs: late acknowledgments and Ctrl-C. A packet
 * is kept for later. */
static void scan_input(struct gdb_link *link)
{
    while (link->input_at < link->input_end && link->input[link->input_at] != '$')
        if (link->input[link->input_at++] == CONTROL_C)
            link->interrupted = true;
}

bool gdb_link_interrupted(struct gdb_link *link)
{
    struct pollfd poll_fd = {.fd = link->fd, .events = POLLIN | POLLRDHUP};

    if (link->interrupted || link->closed)
        return true;
    scan_input(link);
    if (poll(&poll_fd, 1, 0) > 0) {
        if (link->input_at == link->input_end) {
            fill(link, MSG_DONTWAIT);
            scan_input(link);
        } else if (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR)) {
            link->closed = true;
        }
    }
    return link->interrupted || link->closed;
}

/* ---- sending ---- */

static void frame(struct text *output, const unsigned char *payload, size_t length)
{
    uint8_t sum = 0;

    text_clear(output);
    text_append_char(output, '$');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = payload[i];
        if (c == '#' || c == '$' || c == '*' || c == ESCAPE) {
            text_append_char(output, ESCAPE);
            sum += ESCAPE;
            c ^= ESCAPE_FLIP;
        }
        text_append_char(output, (char)c);
        sum += c;
    }
    text_format(output, "#%02x", sum);
}

/* Returns the acknowledgment, `+` or `-`; -1 when the connection is lost. A `$` counts as `+`,
 * because gdb sends a packet only after it has the reply. */
static int wait_for_acknowledgment(struct gdb_link *link)
{
    for (;;) {
        int byte = next_byte(link);
        if (byte == '$') {
            link->input_at--;
            return '+';
        }
        if (byte < 0 || byte == '+' || byte == '-')
            return byte;
    }
}

bool gdb_link_send(struct gdb_link *link, const void *payload, size_t length)
{
    frame(&link->output, payload, length);
    for (unsigned tries = 0; tries < SEND_TRIES; tries++) {
        if (!write_bytes(link, link->output.bytes, link->output.length))
            return false;
        if (link->no_acknowledge)
            return true;
        int answer = wait_for_acknowledgment(link);
        if (answer != '-')
            return answer == '+';
    }
    link->closed = true;
    return false;
}

/* ---- numbers and bytes ---- */

bool gdb_parse_number(const char **text, uint64_t *value)
{
    const char *at = *text;

    *value = 0;
    for (; digit_value(*at) >= 0; at++) {
        if (*value >> 60)
            return false;
        *value = *value << 4 | (unsigned)digit_value(*at);
    }
    if (at == *text)
        return false;
    *text = at;
    return true;
}

bool gdb_parse_bytes(const char **text, void *bytes, size_t count)
{
    unsigned char *to = bytes;

    for (size_t i = 0; i < count; i++, *text += 2) {
        int high = digit_value((*text)[0]), low = high < 0 ? -1 : digit_value((*text)[1]);
        if (low < 0)
            return false;
        to[i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

void gdb_append_bytes(struct text *text, const void *bytes, size_t count)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char *from = bytes;

    for (size_t i = 0; i < count; i++) {
        text_append_char(text, digits[from[i] >> 4]);
        text_append_char(text, digits[from[i] & 15]);
    }
}

/* ---- replies that most packets have ---- */

void gdb_reply_error(struct text *reply, int number)
{
    text_clear(reply);
    text_format(reply, "E%02x", number);
}

void gdb_reply_ok(struct text *reply)
{
    text_append(reply, "OK");
}
