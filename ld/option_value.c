/* Reading the arguments of options: addresses, sizes, words, build IDs. */
#include "ld/option_value.h"

#include "lib/size.h"
#include "lib/text.h"
#include <stdlib.h>
#include <string.h>

bool value_address(struct options *options, const char *word, uint64_t *address)
{
    const char *digits = word;

    if (digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X'))
        digits += 2;
    size_t length = strspn(digits, "0123456789abcdefABCDEF");
    if (!length || digits[length] || length > 16) {
        diag_error(options->diag, NULL,
                   "option '%s': found address '%s', expected hexadecimal digits", options->written,
                   word);
        return false;
    }
    *address = strtoull(digits, NULL, 16);
    return true;
}

int value_choice(struct options *options, const struct choice *choices, bool *good)
{
    struct text expected = {0};

    for (const struct choice *choice = choices; choice->word; choice++)
        if (strcmp(options->argument, choice->word) == 0)
            return choice->value;
    for (const struct choice *choice = choices; choice->word; choice++)
        text_format(&expected, "%s%s",
                    choice == choices ? ""
                    : !choice[1].word ? " or "
                                      : ", ",
                    choice->word);
    diag_error(options->diag, NULL, "option '%s': found '%s', expected %s", options->written,
               options->argument, expected.bytes);
    text_free(&expected);
    *good = false;
    return 0;
}

/* Parses --build-id=0x…: the bytes of the note, which '-' and ':' may separate, as in GNU ld. */
static bool read_bytes(struct options *options, struct arena *arena, const char *digits,
                       struct config *config)
{
    unsigned char *bytes = arena_alloc(arena, strlen(digits) + 1);
    size_t count = 0;

    while (*digits) {
        if (count && (*digits == '-' || *digits == ':')) {
            digits++;
            continue;
        }
        int high = text_hex_digit(digits[0]), low = high < 0 ? -1 : text_hex_digit(digits[1]);
        if (low < 0)
            break;
        bytes[count++] = (unsigned char)(high << 4 | low);
        digits += 2;
    }
    if (*digits || !count) {
        diag_error(options->diag, NULL,
                   "--build-id: found '%s', expected pairs of hexadecimal digits after 0x", digits);
        return false;
    }
    config->build_id_bytes = bytes;
    config->build_id_size = count;
    return true;
}

bool value_build_id(struct options *options, struct arena *arena, struct config *config)
{
    const char *style = options->argument;

    config->build_id = !style || strcmp(style, "none") != 0;
    config->build_id_bytes = NULL;
    if (style && strncasecmp(style, "0x", 2) == 0)
        return read_bytes(options, arena, style + 2, config);
    if (style && strcmp(style, "uuid") == 0) {
        diag_error(options->diag, NULL,
                   "--build-id=uuid would make a different output from the same input each time; "
                   "use sha1 or 0x and digits");
        return false;
    }
    if (style && strcmp(style, "none") != 0 && strcmp(style, "sha1") != 0) {
        diag_error(options->diag, NULL,
                   "--build-id: found style '%s', expected sha1, none or 0x and digits", style);
        return false;
    }
    return true;
}

bool value_scratchpad_size(struct options *options, uint64_t *size)
{
    const char *word = options->argument;

    if (size_read(word, size) && *size >= SCRATCHPAD_MINIMUM_SIZE &&
        *size <= SCRATCHPAD_MAXIMUM_SIZE)
        return true;
    diag_error(options->diag, NULL,
               "option '%s': found '%s', expected a number from %llu to %llu, such as 64K or 4M",
               options->written, word, (unsigned long long)SCRATCHPAD_MINIMUM_SIZE,
               (unsigned long long)SCRATCHPAD_MAXIMUM_SIZE);
    return false;
}
