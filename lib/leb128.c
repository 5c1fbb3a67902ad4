/* See leb128.h. */
#include "lib/leb128.h"

enum { PAYLOAD = 0x7f, MORE = 0x80 };

size_t leb128_size_unsigned(uint64_t value)
{
    size_t size = 1;

    while (value >>= 7)
        size++;
    return size;
}

size_t leb128_size_signed(int64_t value)
{
    size_t size = 1;

    for (; value < -64 || value > 63; value >>= 7)
        size++;
    return size;
}

void leb128_fill_unsigned(unsigned char *to, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++, value >>= 7)
        to[i] = (unsigned char)((value & PAYLOAD) | (i + 1 < size ? MORE : 0));
}

void leb128_fill_signed(unsigned char *to, size_t size, int64_t value)
{
    for (size_t i = 0; i < size; i++, value >>= 7)
        to[i] = (unsigned char)((value & PAYLOAD) | (i + 1 < size ? MORE : 0));
}

size_t leb128_put_unsigned(unsigned char *to, uint64_t value)
{
    size_t size = leb128_size_unsigned(value);

    leb128_fill_unsigned(to, size, value);
    return size;
}

size_t leb128_put_signed(unsigned char *to, int64_t value)
{
    size_t size = leb128_size_signed(value);

    leb128_fill_signed(to, size, value);
    return size;
}

size_t leb128_length(const unsigned char *from, const unsigned char *end)
{
    for (const unsigned char *next = from; next < end; next++)
        if (!(*next & MORE))
            return (size_t)(next - from) + 1;
    return 0;
}

bool leb128_get_unsigned(const unsigned char **next, const unsigned char *end, uint64_t *value)
{
    size_t length = leb128_length(*next, end);
    uint64_t result = 0;

    for (size_t i = length; i-- > 0;) {
        if (result >> 57)
            return false;
        result = result << 7 | ((*next)[i] & PAYLOAD);
    }
    if (!length)
        return false;
    *next += length;
    *value = result;
    return true;
}
