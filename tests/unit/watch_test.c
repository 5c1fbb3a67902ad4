/* Watchpoints and accessed ranges at the ends of the address space, with and without overlap. */
#include "emu/observe/watch.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static bool meets(enum watch_kind kind, uint64_t point, uint64_t length, enum effect_kind effect,
                  uint64_t address, uint64_t size)
{
    static struct watcher watcher;
    struct effect effects[1] = {{.kind = effect, .address = address, .length = size}};
    const struct recorder recorder = {.effects = effects, .count = 1};

    watcher = (struct watcher){0};
    assert_true(watcher_add(&watcher, &(struct watch_point){kind, point, length}));
    watcher_look(&watcher, 0x1000, &recorder);
    if (watcher.met) {
        assert_true(watcher.address - point < length && watcher.address - address < size);
        assert_true(watcher_holds(&watcher, 0));
    }
    return watcher.met;
}

static void test_overlap(void **state)
{
    (void)state;
    assert_true(meets(WATCH_WRITE, 100, 4, EFFECT_STORE, 103, 1));
    assert_true(meets(WATCH_WRITE, 100, 4, EFFECT_STORE, 96, 8));
    assert_true(meets(WATCH_WRITE, 100, 4, EFFECT_RANGE_WRITE, 0, 1000));
    assert_false(meets(WATCH_WRITE, 100, 4, EFFECT_STORE, 104, 8));
    assert_false(meets(WATCH_WRITE, 100, 4, EFFECT_STORE, 96, 4));
    assert_true(meets(WATCH_WRITE, UINT64_MAX - 7, 8, EFFECT_STORE, UINT64_MAX, 1));
    assert_false(meets(WATCH_WRITE, UINT64_MAX - 7, 8, EFFECT_STORE, 0, 8));
    assert_false(meets(WATCH_WRITE, 0, 8, EFFECT_STORE, UINT64_MAX - 7, 8));
    assert_true(meets(WATCH_WRITE, 0, UINT64_MAX, EFFECT_STORE, 5, 1));
}

static void test_kinds(void **state)
{
    (void)state;
    assert_false(meets(WATCH_WRITE, 0, 8, EFFECT_LOAD, 0, 8));
    assert_false(meets(WATCH_READ, 0, 8, EFFECT_RANGE_WRITE, 0, 8));
    assert_true(meets(WATCH_READ, 0, 8, EFFECT_RANGE_READ, 0, 8));
    assert_true(meets(WATCH_ACCESS, 0, 8, EFFECT_LOAD, 0, 8));
    assert_true(meets(WATCH_ACCESS, 0, 8, EFFECT_STORE, 0, 8));
    assert_false(meets(WATCH_ACCESS, 0, 8, EFFECT_REGISTER, 0, 8));
}

static void test_breakpoints(void **state)
{
    static struct watcher watcher;
    const struct watch_point software = {WATCH_SOFTWARE_BREAK, 0x1000, 4},
                             hardware = {WATCH_HARDWARE_BREAK, 0x1000, 2};

    (void)state;
    assert_true(watcher_add(&watcher, &software) && watcher_add(&watcher, &hardware));
    assert_true(watcher_holds(&watcher, 0x1000));
    assert_false(watcher_holds(&watcher, 0x1080)); /* the same bit of the filter */
    watcher.pass = true;
    assert_false(watcher_holds(&watcher, 0x1000));
    watcher.pass = false;
    watcher_remove(&watcher, &software);
    assert_true(watcher_holds(&watcher, 0x1000));
    watcher_remove(&watcher, &software);
    watcher_remove(&watcher, &hardware);
    assert_false(watcher_holds(&watcher, 0x1000));
    assert_int_equal(watcher.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_overlap),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_breakpoints),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
