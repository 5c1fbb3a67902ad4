/* What the scanner's rules do: values of tokens, with their diagnostics. Also the parser's context.
 */
#ifndef ASM_SCAN_H
#define ASM_SCAN_H

#include "asm/statement.h"
#include "asm/tasm.h"

struct scan {
    struct assembler *as;
    const struct statement *statement;
    struct parsed *parsed;
    bool value_before; /* the last token ends a value */
    bool operation;    /* the word that names the operation was met: the next may be values */
    int start;         /* first token, that tells the parser what to expect; 0 after it */
};

union TASM_STYPE;

/* Bytes of the statement: the location of a token. */
struct range {
    unsigned start, end;
};

/* Lets the scanner begin at `text`: flex's one buffer moves from statement to statement. Three
 * bytes behind the text are written to. */
void scanner_begin(void *scanner, char *text, size_t length); /* lexer.l */

/* Each returns the token's number; those that can fail report, and return one that no rule of the
 * grammar takes. */
int scan_word(struct scan *scan, union TASM_STYPE *token, const char *text, size_t length);
int scan_relocation_operator(struct scan *scan, union TASM_STYPE *token, const char *text,
                             size_t length);
int scan_number(struct scan *scan, union TASM_STYPE *token, const char *digits, int base,
                const struct range *at);
int scan_dollar(struct scan *scan, union TASM_STYPE *token, const char *digits,
                const struct range *at);
int scan_local(struct scan *scan, union TASM_STYPE *token, const char *digits,
               const struct range *at);
int scan_string(struct scan *scan, union TASM_STYPE *token, const char *text, size_t length,
                const struct range *at);
int scan_character(struct scan *scan, union TASM_STYPE *token, const char *text, size_t length,
                   const struct range *at);
int scan_operator(struct scan *scan, int token); /* a value may follow */
int scan_value(struct scan *scan, int token);    /* it ends a value */
int scan_error(struct scan *scan, const struct range *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int scan_large_label(struct scan *scan, const struct range *at); /* not of 32 bits */
int scan_unexpected(struct scan *scan, const struct range *at, unsigned char byte);

/* Bytes of a string or character whose escapes are in `text`; false if one is malformed (*bad: its
 * offset). */
bool scan_unescape(const char *text, size_t length, char *bytes, size_t *count, size_t *bad);

#endif
