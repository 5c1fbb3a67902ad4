/* Output, which is built in a text and written to standard output in pieces. */
#include "asm/tobjdump/tobjdump.h"

#include <stdio.h>

void tobjdump_flush(struct tobjdump *objdump)
{
    if (objdump->out.length)
        fwrite(objdump->out.bytes, 1, objdump->out.length, stdout);
    text_clear(&objdump->out);
}

void tobjdump_flush_much(struct tobjdump *objdump)
{
    enum { MUCH = 64 * 1024 };

    if (objdump->out.length > MUCH)
        tobjdump_flush(objdump);
}
