/* The PMP is compared with a model that follows the manual (Privileged ISA 1.12, 3.7.1): it checks
 * every byte of an access against every entry. */
#include "emu/pmp.h"
#include "emu/privilege.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { SPACE = 1024, ROUNDS = 3000 };

static uint64_t seed = 1;

static unsigned next_random(unsigned limit)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % limit;
}

/* "If A=NAPOT, pmpaddr yyyy...y011 is a range of 32 bytes": a base and a size that double with each
 * one. */
static bool model_matches(const struct pmp *pmp, unsigned entry, uint64_t byte)
{
    uint64_t address = pmp->address[entry];
    uint64_t size = 8;

    switch (pmp->configuration[entry] >> 3 & 3) {
    case 1:
        return (entry == 0 || byte >= pmp->address[entry - 1] * 4) && byte < address * 4;
    case 2:
        return byte / 4 == address;
    case 3:
        for (unsigned bit = 0; bit < 54 && address >> bit & 1; bit++)
            size *= 2;
        return byte / size == address * 4 / size;
    }
    return false;
}

static bool model_allows(const struct pmp *pmp, bool machine, uint64_t address, uint64_t size,
                         unsigned access)
{
    for (unsigned entry = 0; entry < 16; entry++) {
        uint64_t matched = 0;
        for (uint64_t i = 0; i < size; i++)
            matched += model_matches(pmp, entry, address + i);
        if (matched == 0)
            continue;
        if (matched < size)
            return false;
        return (machine && !(pmp->configuration[entry] & 0x80)) ||
               pmp->configuration[entry] & access;
    }
    return machine;
}

static struct pmp random_pmp(void)
{
    struct pmp pmp = {0};

    for (unsigned entry = 0; entry < PMP_ENTRIES; entry++) {
        unsigned ones = next_random(10);
        if (next_random(3) == 0)
            continue;
        pmp.configuration[entry] = next_random(256) & 0x9f;
        pmp.address[entry] = next_random(SPACE / 4) & ~((1u << ones) - 1);
        if (next_random(2))
            pmp.address[entry] |= (1u << ones >> 1) - (ones > 0);
    }
    return pmp;
}

static void agrees_with_the_model(void **state)
{
    static const unsigned sizes[] = {1, 2, 4, 8};

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const struct pmp pmp = random_pmp();
        unsigned privilege = next_random(2) ? PRIVILEGE_MACHINE : PRIVILEGE_USER;
        for (unsigned i = 0; i < 64; i++) {
            uint64_t address = next_random(SPACE), size = sizes[next_random(4)];
            unsigned access = 1u << next_random(3);
            assert_int_equal(
                pmp_allows(&pmp, privilege, address, size, access),
                model_allows(&pmp, privilege == PRIVILEGE_MACHINE, address, size, access));
        }
    }
}

/* The result of pmp_extent for a byte holds for all bytes up to *last, and agrees with pmp_allows
 * for each of them. */
static void extents_are_uniform(void **state)
{
    (void)state;
    for (unsigned round = 0; round < ROUNDS / 10; round++) {
        const struct pmp pmp = random_pmp();
        unsigned privilege = next_random(2) ? PRIVILEGE_MACHINE : PRIVILEGE_USER;
        uint64_t last;
        for (uint64_t address = 0; address < SPACE; address = last + 1) {
            unsigned allowed = pmp_extent(&pmp, privilege, address, &last);
            assert_true(last >= address);
            for (uint64_t byte = address; byte <= last && byte < SPACE; byte++)
                for (unsigned access = 1; access <= 4; access *= 2)
                    assert_int_equal(
                        model_allows(&pmp, privilege == PRIVILEGE_MACHINE, byte, 1, access),
                        (allowed & access) != 0);
            if (last >= SPACE)
                break;
        }
    }
}

static void whole_space(void **state)
{
    struct pmp pmp = {0};
    uint64_t last;

    (void)state;
    pmp_write_address(&pmp, 0, UINT64_MAX);
    assert_int_equal(pmp.address[0], (UINT64_C(1) << 54) - 1);
    pmp_write_configuration(&pmp, 0, 0x1f);
    assert_int_equal(pmp_extent(&pmp, PRIVILEGE_USER, 0, &last), 7);
    assert_true(last >= (UINT64_C(1) << 56) - 1);
    assert_true(pmp_allows(&pmp, PRIVILEGE_USER, 0xfffffff8, 8, PMP_WRITE));
}

static void writes_obey_the_lock(void **state)
{
    struct pmp pmp = {0};

    (void)state;
    pmp_write_configuration(&pmp, 0, UINT64_C(0x0000000000890212)); /* L TOR R, W alone, NA4 W */
    assert_int_equal(pmp_read_configuration(&pmp, 0), 0x890010);
    pmp_write_address(&pmp, 0, 5);
    pmp_write_address(&pmp, 1, 6); /* the bottom of the locked range */
    pmp_write_address(&pmp, 2, 7); /* its top */
    pmp_write_address(&pmp, 3, 8);
    assert_int_equal(pmp.address[0], 5);
    assert_int_equal(pmp.address[1], 0);
    assert_int_equal(pmp.address[2], 0);
    assert_int_equal(pmp.address[3], 8);
    pmp_write_configuration(&pmp, 0, UINT64_C(0x1f1f1f1f));
    assert_int_equal(pmp_read_configuration(&pmp, 0), 0x1f891f1f);
    pmp_write_configuration(&pmp, 8, UINT64_C(0x7f00000000000000)); /* bits 5 and 6 do not exist */
    assert_int_equal(pmp_read_configuration(&pmp, 8), UINT64_C(0x1f00000000000000));
    assert_int_equal(pmp.configuration[15], 0x1f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_model),
        cmocka_unit_test(extents_are_uniform),
        cmocka_unit_test(whole_space),
        cmocka_unit_test(writes_obey_the_lock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
