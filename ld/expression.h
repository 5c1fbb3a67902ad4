/* Expressions over numbers and symbols: those of --defsym now, of linker scripts later. */
#ifndef LD_EXPRESSION_H
#define LD_EXPRESSION_H

#include "ld/linker.h"

/* Reads each --defsym SYMBOL=EXPRESSION. The symbol is the linker's from here on (an object's
 * definition gives way, as with GNU ld); the symbols in the expression count as used. */
void expressions_define_symbols(struct linker *linker);

/* Gives each symbol of --defsym its value. Addresses must be known. A cycle, an undefined symbol or
 * a division by zero is reported. */
void expressions_evaluate(struct linker *linker);

/* Calls `visit` for every symbol that the expression names. */
void expression_symbols(const struct expression *expression,
                        void (*visit)(void *context, struct symbol *symbol), void *context);

#endif
