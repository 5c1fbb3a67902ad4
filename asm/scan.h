/* The actions of the scanner's rules, which compute the values of tokens, and the state that
 * scanner and parser share. */
#ifndef ASM_SCAN_H
#define ASM_SCAN_H

#include "asm/statement.h"
#include "asm/tasm.h"

struct scan {
    struct assembler *as;
    const struct statement *statement;
    struct parsed *parsed;
    bool value_before; /* the last token ends a value */
    bool operation;    /* the word that names the operation has been read: others may be values */
    int start; /* the first token, which tells the parser what to parse; 0 once it was read */
};

union TASM_STYPE;

/* The location of a token: offsets in the statement. */
struct range {
    unsigned start, end;
};

/* Starts scanning at `text`. One buffer of flex serves all statements, one after the other. Writes
 * to the three bytes after the text. */
void scanner_begin(void *scanner, char *text, size_t length); /* lexer.l */

/* Each function returns the number of the token. After an error, which it reports, that is a token
 * that no rule of the grammar accepts. */
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
int scan_operator(struct scan *scan, int token); /* a token after which a value may begin */
int scan_value(struct scan *scan, int token);    /* a token that ends a value */
int scan_error(struct scan *scan, const struct range *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Reports a local label whose number has more than 32 bits. */
int scan_large_label(struct scan *scan, const struct range *at);
int scan_unexpected(struct scan *scan, const struct range *at, unsigned char byte);

/* Replaces the escape that begins at the backslash; returns its length, 0 if it is malformed. At
 * most `length` bytes belong to it. */
size_t scan_escape(const char *text, size_t length, char *byte);
/* Replaces the escapes of a string or character by the bytes that they mean. False if one is
 * malformed; *bad is its offset. */
bool scan_unescape(const char *text, size_t length, char *bytes, size_t *count, size_t *bad);

#endif
