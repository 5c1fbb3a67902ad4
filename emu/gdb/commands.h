/* The packets of the gdb stub. Each function takes the text of one packet, does what it asks for,
 * and fills gdb->reply, which is empty before. It sets gdb->silent when no reply is to be sent. A
 * malformed packet gets an error and changes nothing. */
#ifndef EMU_GDB_COMMANDS_H
#define EMU_GDB_COMMANDS_H

#include "emu/gdb/gdb.h"

enum {
    GDB_CHUNK = GDB_PACKET_LIMIT / 2 - 16
}; /* bytes that fit in a packet as hexadecimal digits, or escaped */

/* commands.c */

/* Serves the packet in gdb->link. */
void gdb_command(struct gdb *gdb);

/* access.c. `text` comes after `g`, `G`, `p`, `P`, `m`; it is all of `M`, `X`, `Z`, `z`. */
void gdb_read_registers(struct gdb *gdb, const char *text);
void gdb_write_registers(struct gdb *gdb, const char *text);
void gdb_read_register(struct gdb *gdb, const char *text);
void gdb_write_register(struct gdb *gdb, const char *text);
void gdb_read_memory(struct gdb *gdb, const char *text);
void gdb_write_memory(struct gdb *gdb, const char *text);
void gdb_point(struct gdb *gdb, const char *text);
/* Parses `address,length` in hexadecimal and moves *text after it. */
bool gdb_parse_range(const char **text, uint64_t *address, uint64_t *length);

/* threads.c */
/* Returns the number of the thread that the hart executes. */
uint32_t gdb_running(const struct gdb *gdb);
/* Returns whether gdb knows a thread of the barrel with the number. */
bool gdb_lists_worker(const struct machine *machine, uint64_t number);
/* Serves a packet about registers in the thread that the client chose. */
void gdb_in_thread(struct gdb *gdb, void (*handle)(struct gdb *gdb, const char *text),
                   const char *text);
void gdb_query_thread(struct gdb *gdb, const char *text);       /* `qC` */
void gdb_query_threads(struct gdb *gdb, const char *text);      /* `qfThreadInfo` */
void gdb_query_more_threads(struct gdb *gdb, const char *text); /* `qsThreadInfo` */
void gdb_query_activity(struct gdb *gdb, const char *text);     /* `qThreadExtraInfo,` */
void gdb_choose_thread(struct gdb *gdb, const char *text);      /* all of `H` and `T` */

/* resume.c. `text` is all of `c`, `s`, `C`, `S`; it comes after `vCont`. The reply is the stop
 * reply, once the program stops. */
void gdb_resume_packet(struct gdb *gdb, const char *text);
void gdb_resume_actions(struct gdb *gdb, const char *text);
/* `QPassSignals:`: the signals that the program gets without a stop. `text` comes after it. */
void gdb_ignore_signals(struct gdb *gdb, const char *text);
/* Ends the program as SIGKILL does. */
void gdb_kill(struct gdb *gdb);
/* Completes the instruction in which a watchpoint stopped the program. Returns false when there is
 * none, or when the client moved the pc. */
bool gdb_complete(struct gdb *gdb);
/* Begins a stop reply with the pc in gdb->stop. `number` is the number of a signal on the host. */
void gdb_begin_stop(struct gdb *gdb, int number);

#endif
