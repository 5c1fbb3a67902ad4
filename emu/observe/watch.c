/* See watch.h. */
#include "emu/observe/watch.h"
#include "lib/map.h"

static bool is_breakpoint(const struct watch_point *point)
{
    return point->kind <= WATCH_HARDWARE_BREAK;
}

/* The length that a debugger gives with a breakpoint has no meaning. */
static bool is_same(const struct watch_point *a, const struct watch_point *b)
{
    return a->kind == b->kind && a->address == b->address &&
           (is_breakpoint(a) || a->length == b->length);
}

static struct watch_point *find(struct watcher *watcher, const struct watch_point *point)
{
    for (size_t i = 0; i < watcher->count; i++)
        if (is_same(&watcher->points[i], point))
            return &watcher->points[i];
    return NULL;
}

static void count_points(struct watcher *watcher)
{
    watcher->filter = watcher->breakpoints = 0;
    watcher->watchpoints = 0;
    for (size_t i = 0; i < watcher->count; i++) {
        uint64_t address = watcher->points[i].address;
        if (!is_breakpoint(&watcher->points[i])) {
            watcher->watchpoints++;
            continue;
        }
        watcher->filter |= UINT64_C(1) << (address / 2 % 64);
        watcher->breakpoints += hash_bytes(&address, sizeof address, 0); /* in any order */
    }
}

bool watcher_add(struct watcher *watcher, const struct watch_point *point)
{
    if (find(watcher, point))
        return true;
    if (watcher->count == WATCH_POINTS_MAXIMUM)
        return false;
    watcher->points[watcher->count++] = *point;
    count_points(watcher);
    return true;
}

void watcher_remove(struct watcher *watcher, const struct watch_point *point)
{
    struct watch_point *found = find(watcher, point);

    if (!found)
        return;
    *found = watcher->points[--watcher->count];
    count_points(watcher);
}

const struct watch_point *watcher_find(const struct watcher *watcher, uint64_t pc)
{
    for (size_t i = 0; i < watcher->count; i++)
        if (is_breakpoint(&watcher->points[i]) && watcher->points[i].address == pc)
            return &watcher->points[i];
    return NULL;
}

/* Finds the first byte of [address, address + length) in the point's range; returns false when they
 * do not overlap. Neither range is empty or wraps around: accesses were to mapped memory, and
 * points were checked. */
static bool overlaps(const struct watch_point *point, uint64_t address, uint64_t length,
                     uint64_t *first)
{
    *first = address > point->address ? address : point->address;
    return *first - address < length && *first - point->address < point->length;
}

static void look_at(struct watcher *watcher, bool write, uint64_t address, uint64_t length)
{
    for (size_t i = 0; i < watcher->count && !watcher->met; i++) {
        const struct watch_point *point = &watcher->points[i];
        if (is_breakpoint(point) || point->kind == (write ? WATCH_READ : WATCH_WRITE))
            continue;
        watcher->met = overlaps(point, address, length, &watcher->address);
        watcher->kind = point->kind;
    }
}

void watcher_look(struct watcher *watcher, uint64_t pc, const struct recorder *recorder)
{
    watcher->pc = pc;
    for (size_t i = 0; watcher->watchpoints && i < recorder->count; i++) {
        const struct effect *effect = &recorder->effects[i];
        switch (effect->kind) {
        case EFFECT_LOAD:
        case EFFECT_RANGE_READ:
            look_at(watcher, false, effect->address, effect->length);
            break;
        case EFFECT_STORE:
        case EFFECT_RANGE_WRITE:
            look_at(watcher, true, effect->address, effect->length);
            break;
        default:
            break;
        }
    }
}
