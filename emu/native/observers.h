/* Those who look at native code: --show-native, --jitdump and --native-symbols. Without them, no
 * map is kept. */
#ifndef EMU_NATIVE_OBSERVERS_H
#define EMU_NATIVE_OBSERVERS_H

#include <stdbool.h>
#include <stdio.h>

struct diag;
struct native;
struct native_observers;
struct native_view;
struct program;

/* Opens what is asked for. Returns NULL after a diagnostic. */
struct native_observers *native_observers_open(struct native *native, struct diag *diag,
                                               const struct native_view *view);
/* A run of blocks was made. */
void native_observers_add(struct native_observers *observers);
/* All native code is going to be forgotten. */
void native_observers_forget(struct native_observers *observers);
/* The run has ended: prints what was asked for. */
void native_observers_end(struct native_observers *observers, FILE *stream);
void native_observers_close(struct native_observers *observers); /* or NULL */

#endif
