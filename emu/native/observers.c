/* See observers.h. */
#include "emu/native/observers.h"
#include "emu/native/parts.h"
#include "emu/native/show.h"

#include <stdlib.h>

struct native_observers {
    struct native *native;
    const struct program *program;
    struct native_map map;
    struct native_show *shows;
    size_t show_count;
};

struct native_observers *native_observers_open(struct native *native, struct diag *diag,
                                               const struct native_view *view)
{
    struct native_observers *observers = calloc(1, sizeof *observers);
    bool good = true;

    if (observers && view->shown_count)
        observers->shows = calloc(view->shown_count, sizeof *observers->shows);
    if (!observers || (view->shown_count && !observers->shows)) {
        free(observers);
        diag_error(diag, NULL, "no memory left");
        return NULL;
    }
    observers->native = native;
    observers->program = view->program;
    for (size_t i = 0; i < view->shown_count; i++)
        good = native_show_parse(&observers->shows[observers->show_count++], view->program, diag,
                                 view->shown[i]) &&
               good;
    if (!good) {
        native_observers_close(observers);
        return NULL;
    }
    native->copier.map = &observers->map;
    return observers;
}

void native_observers_add(struct native_observers *observers)
{
    struct native_map *map = &observers->map;

    /* The code that all code shares comes first. */
    while (map->closed < map->count && map->pieces[map->closed].pc == PIECE_NO_PC)
        map->closed++;
    if (map->closed == map->count)
        return;
    map->pieces[map->closed].begins = true;
    map->closed = map->count;
}

static void keep_shown(struct native_observers *observers)
{
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_keep(&observers->shows[i], observers->native, &observers->map);
}

void native_observers_forget(struct native_observers *observers)
{
    keep_shown(observers);
    native_map_clear(&observers->map);
}

void native_observers_end(struct native_observers *observers, FILE *stream)
{
    keep_shown(observers);
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_print(&observers->shows[i], observers->native, observers->program, stream);
}

void native_observers_close(struct native_observers *observers)
{
    if (!observers)
        return;
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_free(&observers->shows[i]);
    free(observers->shows);
    native_map_free(&observers->map);
    free(observers);
}
