/* The packets that read or change the stopped machine: registers, memory, breakpoints and
 * watchpoints. */
#include "emu/gdb/commands.h"
#include "emu/gdb/target.h"
#include <errno.h>

enum { REGISTER_BYTES = 8 /* of a register in a `g` packet */ };

/* ---- registers ---- */

static void append_register(struct gdb *gdb, unsigned number)
{
    uint64_t words[ISA_WORDS_LIMIT];
    unsigned size = gdb_target_size(number);

    if (gdb_target_read(gdb->machine, number, words)) {
        gdb_append_bytes(&gdb->reply, words, size);
        return;
    }
    for (unsigned i = 0; i < size; i++)
        text_append(&gdb->reply, "xx");
}

void gdb_read_registers(struct gdb *gdb, const char *text)
{
    (void)text;
    for (unsigned number = 0; number < gdb_target_general(); number++)
        append_register(gdb, number);
}

void gdb_write_registers(struct gdb *gdb, const char *text)
{
    unsigned count = gdb_target_general();
    uint64_t values[128];

    if (count > sizeof values / sizeof *values ||
        !gdb_parse_bytes(&text, values, count * REGISTER_BYTES) || *text ||
        values[gdb_target_pc()] % ISA_CODE_ALIGNMENT != 0) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    for (unsigned number = 0; number < count; number++)
        gdb_target_write(gdb->machine, number, &values[number]);
    gdb_reply_ok(&gdb->reply);
}

void gdb_read_register(struct gdb *gdb, const char *text)
{
    uint64_t number;

    if (!gdb_parse_number(&text, &number) || *text || number >= gdb_target_count(gdb->machine))
        gdb_reply_error(&gdb->reply, EINVAL);
    else
        append_register(gdb, (unsigned)number);
}

void gdb_write_register(struct gdb *gdb, const char *text)
{
    uint64_t number, words[ISA_WORDS_LIMIT] = {0};

    if (!gdb_parse_number(&text, &number) || *text++ != '=' ||
        number >= gdb_target_count(gdb->machine) ||
        !gdb_parse_bytes(&text, words, gdb_target_size((unsigned)number)) || *text ||
        !gdb_target_write(gdb->machine, (unsigned)number, words))
        gdb_reply_error(&gdb->reply, EINVAL);
    else
        gdb_reply_ok(&gdb->reply);
}

/* ---- memory ---- */

bool gdb_parse_range(const char **text, uint64_t *address, uint64_t *length)
{
    return gdb_parse_number(text, address) && *(*text)++ == ',' && gdb_parse_number(text, length);
}

/* Returns how many bytes from the beginning of the range are mapped. */
static uint64_t mapped_length(const struct memory *memory, uint64_t address, uint64_t length)
{
    uint64_t mapped = 0;

    while (mapped < length && memory_is(memory, address + mapped, 1, PAGE_MAPPED))
        mapped += MEMORY_PAGE - (address + mapped) % MEMORY_PAGE;
    return mapped < length ? mapped : length;
}

/* Replies with as many bytes as are mapped from the address on and fit into the reply. */
void gdb_read_memory(struct gdb *gdb, const char *text)
{
    uint64_t address, length;

    if (!gdb_parse_range(&text, &address, &length) || *text || length == 0) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    if (length > GDB_CHUNK)
        length = GDB_CHUNK;
    uint64_t mapped = mapped_length(&gdb->machine->memory, address, length);
    if (mapped == 0)
        gdb_reply_error(&gdb->reply, EFAULT);
    else
        gdb_append_bytes(&gdb->reply, memory_peek(&gdb->machine->memory, address, mapped), mapped);
}

static void write_memory(struct gdb *gdb, uint64_t address, const void *bytes, uint64_t length)
{
    if (memory_poke(&gdb->machine->memory, address, bytes, length))
        gdb_reply_ok(&gdb->reply);
    else
        gdb_reply_error(&gdb->reply, EFAULT);
}

/* `M address,length:digits`, `X address,length:bytes`. */
void gdb_write_memory(struct gdb *gdb, const char *text)
{
    bool binary = *text++ == 'X';
    unsigned char bytes[GDB_PACKET_LIMIT];
    uint64_t address, length;

    if (!gdb_parse_range(&text, &address, &length) || *text++ != ':') {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    size_t rest = gdb->link.length - (size_t)(text - gdb->link.packet);
    if (length > sizeof bytes || rest != (binary ? length : 2 * length) ||
        (!binary && !gdb_parse_bytes(&text, bytes, length)))
        gdb_reply_error(&gdb->reply, EINVAL);
    else
        write_memory(gdb, address, binary ? (const void *)text : bytes, length);
}

/* ---- breakpoints and watchpoints ---- */

/* `Z kind,address,length` and `z`. Conditions after it are not supported. */
void gdb_point(struct gdb *gdb, const char *text)
{
    bool insert = *text++ == 'Z';
    struct watch_point point;
    uint64_t kind;

    if (!gdb_parse_number(&text, &kind) || *text++ != ',' ||
        !gdb_parse_range(&text, &point.address, &point.length) || *text) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    if (kind >= WATCH_KINDS)
        return;
    point.kind = kind;
    if (kind >= WATCH_WRITE &&
        (point.length == 0 || point.address > UINT64_MAX - (point.length - 1))) {
        gdb_reply_error(&gdb->reply, EINVAL);
        return;
    }
    if (insert && !watcher_add(&gdb->watcher, &point)) {
        gdb_reply_error(&gdb->reply, ENOSPC);
        return;
    }
    if (!insert)
        watcher_remove(&gdb->watcher, &point);
    gdb_reply_ok(&gdb->reply);
}
