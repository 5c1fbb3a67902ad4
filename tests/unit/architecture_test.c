/* lib/architecture.c: where items of an architecture string end, and their versions, according to
 * the RISC-V Unprivileged ISA, "ISA Extension Naming Conventions". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include "lib/architecture.h"
#include <limits.h>
#include <string.h>
#include <cmocka.h>

static void items_end_where_they_should(void **state)
{
    static const struct {
        const char *text, *item, *name;
        bool versioned;
        unsigned major, minor;
    } cases[] = {
        {"imac", "i", "i", false, 0, 0},
        {"i2p1_m2p0", "i2p1", "i", true, 2, 1},
        {"m2c", "m2", "m", true, 2, 0},
        {"m2p", "m2", "m", true, 2, 0}, /* and extension p */
        {"p2p1", "p2p1", "p", true, 2, 1},
        {"a_zicsr", "a", "a", false, 0, 0},
        {"zicsr", "zicsr", "zicsr", false, 0, 0},
        {"zicsr_m", "zicsr", "zicsr", false, 0, 0},
        {"zicsr2", "zicsr2", "zicsr", true, 2, 0},
        {"zicsr2p10_m", "zicsr2p10", "zicsr", true, 2, 10},
        {"zvl128b", "zvl128b", "zvl128b", false, 0, 0},
        {"zvl128b1p0", "zvl128b1p0", "zvl128b", true, 1, 0},
        {"xop5", "xop5", "xop", true, 5, 0}, /* not version ?p5 of xo */
        {"zba2p", "zba2p", "zba2p", false, 0, 0},
        {"xmat1p0_xtrav1p0", "xmat1p0", "xmat", true, 1, 0},
        {"z1p0", "z1p0", "z", true, 1, 0},
        {"x", "x", "x", false, 0, 0},
        {"s99999999999p0", "s99999999999p0", "s", true, UINT_MAX, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct architecture_item item = architecture_split(cases[i].text);
        assert_int_equal(item.length, strlen(cases[i].item));
        assert_int_equal(item.name_length, strlen(cases[i].name));
        assert_int_equal(item.versioned, cases[i].versioned);
        assert_int_equal(item.major, cases[i].major);
        assert_int_equal(item.minor, cases[i].minor);
    }
}

static void strings_have_sets_of_extensions(void **state)
{
    (void)state;
    assert_int_equal(architecture_set("i") & (architecture_set("i") - 1), 0);
    assert_int_equal(architecture_set_of("rv64i2p1_m2p0"),
                     architecture_set("i") | architecture_set("m"));
    assert_int_equal(architecture_set_of("rv64gc"),
                     architecture_set_of("rv64imafdc_zicsr_zifencei"));
    assert_true((architecture_set("zfh") & architecture_set("zfhmin")) ==
                architecture_set("zfhmin"));
    assert_int_equal(architecture_set_of("rv64i_xother1p0_zunknown"), architecture_set("i"));
    assert_int_equal(architecture_set_of("rv32i"), 0);
    assert_int_equal(architecture_set_of(""), 0);
}

static void names_have_an_order(void **state)
{
    static const char *const sorted[] = {"i",      "m",     "a",     "f",   "d",
                                         "c",      "zicsr", "zmmul", "zba", "svinval",
                                         "svpbmt", "xmat",  "xtrav"};

    (void)state;
    for (size_t i = 0; i < sizeof sorted / sizeof *sorted; i++)
        for (size_t j = 0; j < sizeof sorted / sizeof *sorted; j++) {
            int order = architecture_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_end_where_they_should),
        cmocka_unit_test(strings_have_sets_of_extensions),
        cmocka_unit_test(names_have_an_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
