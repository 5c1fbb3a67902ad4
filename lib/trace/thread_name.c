/* See thread_name.h. */
#include "lib/trace/thread_name.h"
#include "lib/digits.h"

#include <stdlib.h>
#include <string.h>

enum { SUPERVISOR = 1, FIRST_WORKER };

const char *thread_name(char name[THREAD_NAME_SIZE], bool is_barrel, uint32_t thread)
{
    if (is_barrel && thread == SUPERVISOR)
        return strcpy(name, "sup");
    name[0] = is_barrel ? 'w' : 't';
    *put_decimal(name + 1, thread - (is_barrel ? FIRST_WORKER : 0)) = '\0';
    return name;
}

uint32_t thread_by_name(const char *name, size_t length, bool is_barrel)
{
    char *digits = strndup(name, length), *end, again[THREAD_NAME_SIZE];
    uint32_t thread = 0;

    if (!digits)
        return 0;
    if (is_barrel && strcmp(digits, "sup") == 0)
        thread = SUPERVISOR;
    else if (*digits == (is_barrel ? 'w' : 't'))
        thread = (uint32_t)strtoul(digits + 1, &end, 10) + (is_barrel ? FIRST_WORKER : 0);
    if (thread && strcmp(thread_name(again, is_barrel, thread), digits) != 0)
        thread = 0;
    free(digits);
    return thread;
}

uint32_t thread_started(const struct effect *effect)
{
    static const char worker[] = "worker[";

    if (effect->kind != EFFECT_STATE || !effect->unit ||
        strncmp(effect->unit, worker, strlen(worker)) != 0)
        return 0;
    return (uint32_t)strtoul(effect->unit + strlen(worker), NULL, 10) + FIRST_WORKER;
}

bool thread_begins(const struct effect *effect)
{
    return strcmp(effect->name, "pc") == 0;
}

uint64_t thread_first_word(const struct isa_register_file *file)
{
    return file->standard == ISA_STANDARD_FLOAT ? UINT64_C(0xffffffff00000000) : 0;
}
