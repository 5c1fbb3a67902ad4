/* Writes strings that come from files, such as names of symbols, in formats that must be UTF-8.
 * Each byte that is not part of a well-formed character becomes U+FFFD, the replacement character.
 */
#ifndef LIB_QUOTE_H
#define LIB_QUOTE_H

#include "lib/text.h"
#include <stdio.h>

/* Appends the string as one of JSON, in quotes. */
void quote_json(struct text *text, const char *string);
/* Appends at most `length` bytes of the string as text or as the value of an attribute of XML. */
void quote_xml(struct text *text, const char *string, size_t length);
/* The same to a stream. */
void quote_json_to(FILE *stream, const char *string);
void quote_xml_to(FILE *stream, const char *string, size_t length);
/* Returns how many of the first `length` bytes of the string end with a whole character. */
size_t quote_whole(const char *string, size_t length);

#endif
