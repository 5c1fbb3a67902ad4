// Empty lists are NULL, and no offset is added to NULL, not even 0: that is undefined in C.
// RUN: clang -std=gnu11 -D_GNU_SOURCE -I%root -I%build/gen -fsanitize=pointer-overflow -fsanitize-trap=all -static -ffunction-sections -Wl,--gc-sections,--unresolved-symbols=ignore-all -o %t %s %root/ld/section.c %root/lib/arena.c
// RUN: %t
#include "ld/linker.h"

int main(void)
{
    struct arena arena = ARENA_INIT;
    struct section section = {.name = ".text"};
    size_t count = 1;
    bool good =
        arena_alloc(&arena, 0) && !section_relocations_at(&section, 0, NULL, &count) && !count;

    arena_free(&arena);
    return good ? 0 : 1;
}
