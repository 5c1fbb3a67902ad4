/* Comes before host.h where a rare case of arithmetic is left to the whole form of a body:
 * the flags become RARE_FLAGS, which SETTLE_FLAGS of body/leave.h finds. */
#ifndef EMU_FLOAT_RARE_H
#define EMU_FLOAT_RARE_H

#define RARE_FLAGS                (1u << 31)
#define FLOAT_RARELY(call, flags) ((void)sizeof(call), *(flags) = RARE_FLAGS, 0)

#endif
