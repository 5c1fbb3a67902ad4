/* The packets of the gdb stub by what they do. Each function takes the text of one packet, does it,
 * and fills gdb->reply, which is empty before; where none is sent it sets gdb->silent. Text that
 * cannot be understood gets an error and changes nothing. */
#ifndef EMU_GDB_COMMANDS_H
#define EMU_GDB_COMMANDS_H

#include "emu/gdb/gdb.h"

enum {
    GDB_CHUNK = GDB_PACKET_LIMIT / 2 - 16
}; /* bytes that fit in a packet as hexadecimal, or
      escaped */

/* commands.c */

/* Does what the packet in gdb->link says. */
void gdb_command(struct gdb *gdb);

/* access.c: behind `g`, `G`, `p`, `P`, `m`; all of `M`, `X`, `Z`, `z`. */
void gdb_read_registers(struct gdb *gdb, const char *text);
void gdb_write_registers(struct gdb *gdb, const char *text);
void gdb_read_register(struct gdb *gdb, const char *text);
void gdb_write_register(struct gdb *gdb, const char *text);
void gdb_read_memory(struct gdb *gdb, const char *text);
void gdb_write_memory(struct gdb *gdb, const char *text);
void gdb_point(struct gdb *gdb, const char *text);
/* `address,length` in hexadecimal; moves on behind it. */
bool gdb_parse_range(const char **text, uint64_t *address, uint64_t *length);

/* resume.c: all of `c`, `s`, `C`, `S`; behind `vCont`. The reply is the stop, once it comes. */
void gdb_resume_packet(struct gdb *gdb, const char *text);
void gdb_resume_actions(struct gdb *gdb, const char *text);
/* Ends the program as SIGKILL does. */
void gdb_kill(struct gdb *gdb);
/* Leaves the instruction that a watchpoint stopped in. False when there is none, or the client
 * moved the pc. */
bool gdb_complete(struct gdb *gdb);
/* Makes gdb->stop a stop reply with the pc; `number` is the host's number of a signal. */
void gdb_begin_stop(struct gdb *gdb, int number);

#endif
