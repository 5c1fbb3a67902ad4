/* riscv_hwprobe: what Linux tells a program about the processor, so that it can choose among the
 * versions of its functions. The keys, the bits and the errors are those of Linux 6.19
 * (Documentation/arch/riscv/hwprobe.rst, uapi/asm/hwprobe.h). */
#include "emu/user/calls.h"
#include "lib/architecture.h"
#include <errno.h>

enum { PROCESSORS = 1 /* a bit for each */, NANOSECONDS = 1000000000 /* in a second */ };

enum { WHICH_CPUS = 1 /* flag: find the processors that have these values */ };

enum {
    KEY_MVENDORID,
    KEY_MARCHID,
    KEY_MIMPID,
    KEY_BASE_BEHAVIOR,
    KEY_IMA_EXT_0,
    KEY_CPUPERF_0,
    KEY_ZICBOZ_BLOCK_SIZE,
    KEY_HIGHEST_VIRT_ADDRESS,
    KEY_TIME_CSR_FREQ,
    KEY_MISALIGNED_SCALAR_PERF,
    KEY_MISALIGNED_VECTOR_PERF,
    KEY_VENDOR_EXT_THEAD_0,
    KEY_ZICBOM_BLOCK_SIZE,
    KEY_VENDOR_EXT_SIFIVE_0,
    KEY_VENDOR_EXT_MIPS_0,
    KEY_ZICBOP_BLOCK_SIZE,
    KEYS,
};

enum { BASE_BEHAVIOR_IMA = 1, MISALIGNED_FAST = 3, MISALIGNED_UNSUPPORTED = 4 };

/* Bits of KEY_IMA_EXT_0, by the architecture that has what they stand for. */
static const struct {
    const char *architecture;
    uint8_t bit;
} extensions[] = {
    {"rv64d", 0},
    {"rv64c", 1},
    {"rv64zba", 3},
    {"rv64zbb", 4},
    {"rv64zbs", 5},
    {"rv64zicboz", 6},
    {"rv64zbc", 7},
    {"rv64zbkb", 8},
    {"rv64zfh", 27},
    {"rv64zfhmin", 28},
    {"rv64zihintntl", 29},
    {"rv64zfa", 32},
    {"rv64zicond", 35},
    {"rv64zihintpause", 36},
    {"rv64zimop", 42},
    {"rv64zca", 43},
    {"rv64c", 43},
    {"rv64zcb", 44},
    {"rv64dc", 45 /* Zcd */},
    {"rv64zcmop", 47},
    {"rv64zawrs", 48},
    {"rv64zicntr", 50},
    {"rv64zihpm", 51},
    {"rv64zicbom", 55},
    {"rv64a", 56 /* Zaamo */},
    {"rv64zaamo", 56},
    {"rv64a", 57 /* Zalrsc */},
    {"rv64zalrsc", 57},
    {"rv64zicbop", 60},
};

static bool has(const struct machine *machine, const char *architecture)
{
    isa_set set = architecture_set_of(architecture);

    return set && (machine->config.extensions & set) == set;
}

static uint64_t extension_bits(const struct machine *machine)
{
    uint64_t bits = 0;

    for (size_t i = 0; i < sizeof extensions / sizeof *extensions; i++)
        if (has(machine, extensions[i].architecture))
            bits |= UINT64_C(1) << extensions[i].bit;
    return bits;
}

static uint64_t block_size(const struct machine *machine, const char *architecture)
{
    return has(machine, architecture) ? machine->config.memory_block : 0;
}

/* Returns the value of a key. The processor has no vendor, and none of the vendors' extensions. */
static uint64_t value_of(const struct machine *machine, int64_t key)
{
    switch (key) {
    case KEY_BASE_BEHAVIOR:
        return has(machine, "rv64ima") ? BASE_BEHAVIOR_IMA : 0;
    case KEY_IMA_EXT_0:
        return extension_bits(machine);
    case KEY_CPUPERF_0:
    case KEY_MISALIGNED_SCALAR_PERF:
        return machine->config.memory_misaligned == ISA_SETTING_MEMORY_MISALIGNED_TRAP
                   ? MISALIGNED_UNSUPPORTED
                   : MISALIGNED_FAST;
    case KEY_MISALIGNED_VECTOR_PERF:
        return MISALIGNED_UNSUPPORTED;
    case KEY_ZICBOZ_BLOCK_SIZE:
        return block_size(machine, "rv64zicboz");
    case KEY_ZICBOM_BLOCK_SIZE:
        return block_size(machine, "rv64zicbom");
    case KEY_ZICBOP_BLOCK_SIZE:
        return block_size(machine, "rv64zicbop");
    case KEY_HIGHEST_VIRT_ADDRESS:
        return machine->memory.end - 1;
    case KEY_TIME_CSR_FREQ:
        return NANOSECONDS;
    default:
        return 0;
    }
}

/* Does the processor have at least these bits, or just this number? */
static bool matches(const struct machine *machine, int64_t key, uint64_t wanted)
{
    uint64_t value = value_of(machine, key);
    bool is_set = key == KEY_BASE_BEHAVIOR || key == KEY_IMA_EXT_0 || key == KEY_CPUPERF_0 ||
                  key == KEY_VENDOR_EXT_THEAD_0 || key == KEY_VENDOR_EXT_SIFIVE_0 ||
                  key == KEY_VENDOR_EXT_MIPS_0;

    return is_set ? (value & wanted) == wanted : value == wanted;
}

struct pair {
    int64_t key;
    uint64_t value;
};

/* Tells the values of all keys, for the processors of a set that must not be empty. */
static int64_t get_values(struct machine *machine, uint64_t pairs, uint64_t count)
{
    for (; count; count--, pairs += sizeof(struct pair)) {
        struct pair pair;
        if (!user_copy_in(machine, &pair.key, pairs, sizeof pair.key))
            return -EFAULT;
        bool known = pair.key >= 0 && pair.key < KEYS;
        pair.value = known ? value_of(machine, pair.key) : 0;
        pair.key = known ? pair.key : -1;
        if (!user_copy_out(machine, pairs, &pair, sizeof pair))
            return -EFAULT;
    }
    return 0;
}

/* Removes from a set the processors that do not have all values. An unknown key leaves none. */
static int64_t get_processors(struct machine *machine, uint64_t pairs, uint64_t count,
                              uint64_t *processors)
{
    const struct pair unknown = {.key = -1};
    struct pair pair;

    for (; count; count--, pairs += sizeof pair) {
        if (!user_copy_in(machine, &pair, pairs, sizeof pair))
            return -EFAULT;
        bool known = pair.key >= 0 && pair.key < KEYS;
        if (!known && !user_copy_out(machine, pairs, &unknown, sizeof unknown))
            return -EFAULT;
        if (!known || !matches(machine, pair.key, pair.value))
            *processors = 0;
    }
    return 0;
}

int64_t user_riscv_hwprobe(struct machine *machine, const uint64_t *arguments)
{
    uint64_t pairs = arguments[0], count = arguments[1], length = arguments[2], set = arguments[3],
             processors = 0;
    uint32_t flags = arguments[4];

    if (flags & ~(uint32_t)WHICH_CPUS || (flags && (!length || !set)))
        return -EINVAL;
    if (length > sizeof processors)
        length = sizeof processors;
    if (!length && !set)
        return get_values(machine, pairs, count);
    if (length && !user_copy_in(machine, &processors, set, length))
        return -EFAULT;
    if (!flags)
        return processors & PROCESSORS ? get_values(machine, pairs, count) : -EINVAL;
    processors = processors ? processors & PROCESSORS : PROCESSORS;
    int64_t result = get_processors(machine, pairs, count, &processors);
    if (result == 0 && !user_copy_out(machine, set, &processors, length))
        result = -EFAULT;
    return result;
}
