/* See clint.h. Each access goes to the 8-byte word of registers that contains it. */
#include "emu/bare/clint.h"
#include "emu/privilege.h"
#include <string.h>

enum { SOFTWARE = 0, COMPARE = 0x4000, TIME = 0xbff8, WORD = 8 };

void clint_init(struct clint *clint, uint64_t tick_length)
{
    *clint = (struct clint){.compare = UINT64_MAX, .tick_length = tick_length};
}

uint64_t clint_time(const struct clint *clint, uint64_t instret)
{
    return clint->offset + instret / clint->tick_length;
}

uint64_t clint_pending(const struct clint *clint, uint64_t instret)
{
    return (uint64_t)clint->software << INTERRUPT_SOFTWARE |
           (uint64_t)(clint_time(clint, instret) >= clint->compare) << INTERRUPT_TIMER;
}

uint64_t clint_distance(const struct clint *clint, uint64_t instret)
{
    uint64_t now = clint_time(clint, instret), phase = instret % clint->tick_length;
    uint64_t instructions;

    if (now >= clint->compare)
        return 0;
    if (clint->compare == UINT64_MAX ||
        __builtin_mul_overflow(clint->compare - now, clint->tick_length, &instructions))
        return UINT64_MAX;
    return instructions - phase;
}

void clint_skip(struct clint *clint, uint64_t instret)
{
    uint64_t now = clint_time(clint, instret);

    if (now < clint->compare)
        clint->offset += clint->compare - now;
}

/* ---- registers ---- */

bool clint_overlaps(uint64_t address, size_t size)
{
    return address < CLINT_BASE + CLINT_SIZE && address + size > CLINT_BASE;
}

static uint64_t read_word(const struct clint *clint, uint64_t instret, uint64_t offset)
{
    switch (offset) {
    case SOFTWARE:
        return clint->software;
    case COMPARE:
        return clint->compare;
    case TIME:
        return clint_time(clint, instret);
    default:
        return 0;
    }
}

static void write_word(struct clint *clint, uint64_t instret, uint64_t offset, uint64_t value)
{
    switch (offset) {
    case SOFTWARE:
        clint->software = value & 1;
        break;
    case COMPARE:
        clint->compare = value;
        break;
    case TIME:
        clint->offset += value - clint_time(clint, instret);
        break;
    }
}

static bool is_access(uint64_t address, size_t size)
{
    return (size == WORD || size == WORD / 2) && address % size == 0 && address >= CLINT_BASE &&
           address - CLINT_BASE < CLINT_SIZE;
}

bool clint_load(const struct clint *clint, uint64_t instret, uint64_t address, void *value,
                size_t size)
{
    if (!is_access(address, size))
        return false;
    uint64_t offset = address - CLINT_BASE,
             word = read_word(clint, instret, offset & ~(uint64_t)(WORD - 1));
    memcpy(value, (const char *)&word + offset % WORD, size);
    return true;
}

bool clint_store(struct clint *clint, uint64_t instret, uint64_t address, const void *value,
                 size_t size)
{
    if (!is_access(address, size))
        return false;
    uint64_t offset = address - CLINT_BASE, base = offset & ~(uint64_t)(WORD - 1);
    uint64_t word = read_word(clint, instret, base);
    memcpy((char *)&word + offset % WORD, value, size);
    write_word(clint, instret, base, word);
    return true;
}
