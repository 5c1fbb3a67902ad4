/* See observers.h. */
#include "emu/native/observers.h"
#include "emu/native/gdb_symbols.h"
#include "emu/native/jitdump.h"
#include "emu/native/parts.h"
#include "emu/native/show.h"

#include <stdlib.h>

struct native_observers {
    struct native *native;
    const struct program *program;
    struct native_map map;
    struct native_show *shows;
    size_t show_count;
    struct jitdump *jitdump;     /* or NULL */
    struct gdb_symbols *symbols; /* or NULL */
};

static bool open_shows(struct native_observers *observers, struct diag *diag,
                       const struct native_view *view)
{
    bool good = true;

    observers->shows = calloc(view->shown_count + 1, sizeof *observers->shows);
    for (size_t i = 0; observers->shows && i < view->shown_count; i++)
        good = native_show_parse(&observers->shows[observers->show_count++], view->program, diag,
                                 view->shown[i]) &&
               good;
    return good && observers->shows;
}

struct native_observers *native_observers_open(struct native *native, struct diag *diag,
                                               const struct native_view *view)
{
    struct native_observers *observers = calloc(1, sizeof *observers);

    if (!observers) {
        diag_error(diag, NULL, "no memory left");
        return NULL;
    }
    observers->native = native;
    observers->program = view->program;
    bool good = open_shows(observers, diag, view);
    if (good && view->has_jitdump)
        good = (observers->jitdump = jitdump_open(diag, view->program, view->jitdump)) != NULL;
    if (good && view->has_symbols)
        observers->symbols =
            gdb_symbols_open(&native->copier, &observers->map, &view->program->symbols);
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
    size_t first = map->closed;

    /* The code that all code shares comes first. */
    while (map->closed < map->count && map->pieces[map->closed].pc == PIECE_NO_PC)
        map->closed++;
    if (map->closed < map->count)
        map->pieces[map->closed].begins = true;
    map->closed = map->count;
    if (observers->jitdump)
        jitdump_add(observers->jitdump, &observers->native->copier, map, first, map->closed);
    if (observers->symbols)
        gdb_symbols_add(observers->symbols, first, map->closed);
}

static void keep_shown(struct native_observers *observers)
{
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_keep(&observers->shows[i], observers->native, &observers->map);
}

void native_observers_forget(struct native_observers *observers)
{
    keep_shown(observers);
    if (observers->symbols)
        gdb_symbols_forget(observers->symbols);
    native_map_clear(&observers->map);
}

void native_observers_end(struct native_observers *observers, FILE *stream)
{
    keep_shown(observers);
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_print(&observers->shows[i], observers->native, observers->program, stream);
    if (observers->jitdump && observers->native->made == 0)
        fprintf(stderr, "temu: %s: --jitdump: no native code was made: %s\n",
                observers->program->name, NATIVE_NOTHING_MADE);
    jitdump_close(observers->jitdump);
    observers->jitdump = NULL;
}

void native_observers_close(struct native_observers *observers)
{
    if (!observers)
        return;
    for (size_t i = 0; i < observers->show_count; i++)
        native_show_free(&observers->shows[i]);
    free(observers->shows);
    jitdump_close(observers->jitdump);
    gdb_symbols_close(observers->symbols);
    native_map_free(&observers->map);
    free(observers);
}
