/* See race_report.h. */
#include "emu/report/race_report.h"
#include "emu/report/report.h"
#include "emu/workers/workers.h"
#include "lib/disasm.h"
#include "lib/trace/thread_name.h"
#include <fnmatch.h>
#include <inttypes.h>

static void append_data(struct text *text, const struct program *program, const struct race *race)
{
    const struct elf_symbol *symbol = symbolizer_find(&program->symbols, race->address);
    uint64_t offset = symbol ? race->address - symbol->raw.st_value : 0;

    text_format(text, "0x%" PRIx64, race->address);
    if (!symbol || offset >= symbol->raw.st_size + !symbol->raw.st_size * MEMORY_PAGE)
        return;
    text_append(text, " <");
    disasm_name(text, symbol->name);
    if (offset)
        text_format(text, "+0x%" PRIx64, offset);
    text_append(text, ">");
}

static void append_access(struct text *text, const struct race_reporter *reporter,
                          const struct race_access *access, const char *when)
{
    static const char *const kinds[] = {
        [RACE_LOAD] = "a load",
        [RACE_STORE] = "a store",
        [RACE_ATOMIC] = "an atomic store",
        [RACE_RANGE_READ] = "a read",
        [RACE_RANGE_WRITE] = "a write",
    };

    char name[THREAD_NAME_SIZE];

    text_format(text, "  %-7s thread ", when);
    if (reporter->machine->workers)
        text_append(text, workers_name(reporter->machine, access->thread));
    else
        text_append(text, thread_name(name, false, access->thread));
    text_format(text, ": %s at ", kinds[access->kind]);
    report_append_code(reporter->machine, reporter->program, text, access->pc);
    text_append(text, "\n");
}

static void print_race(void *context, const struct race *race)
{
    const struct race_reporter *reporter = context;
    struct text text = TEXT_INIT;

    text_format(&text, "temu: %s: race: two threads access %u byte%s at ", reporter->program->name,
                race->size, race->size > 1 ? "s" : "");
    append_data(&text, reporter->program, race);
    text_append(&text, ", and nothing orders them\n");
    append_access(&text, reporter, &race->first, "first");
    append_access(&text, reporter, &race->second, "then");
    fwrite(text.bytes, 1, text.length, stderr);
    text_free(&text);
}

/* ---- libraries ---- */

/* Functions of glibc, musl, and the libraries of GCC that implement locks, threads, exceptions, the
 * heap and files. `*` stands for the rest of a name. They read their own variables without locks
 * where they know that it does no harm. */
static const char *const trusted[] = {
    /* threads */
    "pthread_*",
    "__pthread_*",
    "___pthread_*",
    "__nptl_*",
    "__lll_*",
    "start_thread",
    "__futex_*",
    "__libc_*",
    "sem_*",
    "__sem_*",
    "__new_sem_*",
    "mtx_*",
    "cnd_*",
    "thrd_*",
    "call_once",
    "__condvar_*",
    "__timedwait*",
    "__wait*",
    "__wake*",
    "__unlock*",
    "__lock*",
    "__tl_*",
    "__tls_*",
    "_dl_*",
    "__cxa_*",
    "__gthread_*",
    "exit",
    "__run_exit_handlers",
    "__set_vma_name",
    /* exceptions: tables of frames, in GCC from version 13 */
    "_Unwind_Find_FDE",
    "btree_release_tree_recursively",
    "classify_object_over_fdes",
    /* OpenMP */
    "GOMP_*",
    "gomp_*",
    "omp_*",
    /* the heap */
    "malloc",
    "__malloc*",
    "malloc_*",
    "_int_*",
    "free",
    "__free*",
    "calloc",
    "realloc",
    "aligned_alloc",
    "memalign",
    "posix_memalign",
    "arena_*",
    "alloc_new_heap",
    "new_heap",
    "heap_trim*",
    "sysmalloc*",
    "systrim*",
    "tcache_*",
    "unlink_chunk*",
    "detach_arena*",
    "get_free_list*",
    "sbrk",
    "__sbrk",
    "__bin_chunk",
    "alloc_slot",
    "get_meta",
    "nontrivial_free",
    /* files */
    "_IO_*",
    "puts",
    "fputs",
    "fputc",
    "putc",
    "putchar",
    "fwrite",
    "fread",
    "fgets",
    "fgetc",
    "getc",
    "getchar",
    "ungetc",
    "fflush",
    "fopen*",
    "fclose",
    "fseek*",
    "ftell*",
    "perror",
    "__overflow",
    "__uflow",
    "__underflow",
    "__vfprintf_internal",
    "__printf*",
    "buffered_vfprintf",
    "printf_core",
    "__stdio_*",
    "__fwritex",
    "__lockfile",
    "__unlockfile",
    "__towrite*",
    "__toread*",
    "flockfile",
    "funlockfile",
    "vfprintf",
};

/* The names of shared libraries are not known, so all of them are trusted. */
static bool is_trusted(void *context, uint64_t pc)
{
    const struct program *program = ((const struct race_reporter *)context)->program;
    const struct elf_symbol *symbol = symbolizer_find(&program->symbols, pc);

    if (program->linker && !elf_is_loaded(&program->file, pc))
        return true;
    for (size_t i = 0; symbol && i < sizeof trusted / sizeof *trusted; i++)
        if (fnmatch(trusted[i], symbol->name, 0) == 0)
            return true;
    return false;
}

struct race_observer race_report_observer(struct race_reporter *reporter)
{
    return (struct race_observer){reporter, print_race, is_trusted};
}
