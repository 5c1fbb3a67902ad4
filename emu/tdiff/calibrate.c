/* See calibrate.h. The model is temu itself: a kernel runs with a machine file that has the values
 * to try, and its pipeline tells the cycles. The plan is a list of steps, a line each:
 *
 *     SETTING KERNEL MEASURE [with SETTING]
 *
 * A step finds the values of one setting with which the kernel takes the cycles of the RTL. The
 * measure of a kernel depends only on this setting and those of the steps before. `with` names
 * a setting whose values are known only as a set, and all of them are tried; a step without
 * a kernel, `-`, leaves all values open for a later `with`.
 *
 * A kernel is measured from fence to fence; the length of a block is the distance of the commits of
 * the two. A kernel of the scalar core is measured between two marks, since the latency of a fence
 * is not known before. */
#include "emu/tdiff/calibrate.h"

#include "emu/tdiff/commits.h"
#include "emu/tdiff/settings.h"
#include "lib/file.h"
#include "standard_ids.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { SAME, DIFFERENT, TROUBLE };
enum { TRIES = 128, MARK = 0x00100013 /* addi zero, zero, 1 */ };

/* The figures of a kernel that are compared. */
enum measure {
    MEASURE_CHAIN, /* between two marks, the distance of each instruction to the one before */
    MEASURE_EACH,  /* the length of each block */
    MEASURE_AFTER, /* the length of each block from the commit of its first instruction on */
    MEASURE_PAIRS, /* the difference of two blocks */
    MEASURE_TWICE, /* twice the length of a block less that of the next one */
    MEASURES,
};

static const char *const measure_names[MEASURES] = {"chain", "each", "after", "pairs", "twice"};

/* Commits of a run. */
struct run {
    uint64_t *cycles;
    size_t count, capacity;
    size_t *fences; /* of the model: which instructions are fences */
    size_t fence_count, fence_capacity;
    size_t marks[2];
    unsigned mark_count;
};

struct step {
    struct setting *setting, *with; /* with: or NULL */
    const char *kernel;             /* NULL: all values are open */
    enum measure measure;
};

/* The outcome of one run of the model. */
struct
try {
    uint64_t value;
    bool has_run, is_equal;
    int64_t sum; /* of what is measured */
};

struct calibration {
    struct diag *diag;
    struct arena *arena;
    const char *directory, *machine, *temu;
    struct settings settings;
    struct run model, rtl;
    const char *rtl_of; /* the kernel whose cycles are in `rtl` */
    int64_t *measured[2];
    size_t measured_count[2], measured_capacity;
    struct try tries[TRIES];
    size_t try_count;
    int status;
};

static bool fail(struct calibration *calibration, const char *name, const char *message)
{
    struct position at = {.name = name};

    diag_error(calibration->diag, name ? &at : NULL, "%s", message);
    calibration->status = TROUBLE;
    return false;
}

/* ---- running temu ---- */

/* Runs temu with these words; its standard input and output are the two files. Returns its exit
 * status, or -1. */
static int run_temu(struct calibration *calibration, const char *const *words, int input,
                    int output)
{
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    int error =
        posix_spawnp(&child, calibration->temu, &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error || waitpid(child, &status, 0) < 0)
        return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int new_file(struct calibration *calibration)
{
    int file = memfd_create("tdiff", MFD_CLOEXEC);

    if (file < 0)
        fail(calibration, NULL, "no memory for the output of temu");
    return file;
}

/* Reads the settings of the machine. */
static bool read_settings(struct calibration *calibration)
{
    const char *words[] = {calibration->temu, "--dump-machine",
                           calibration->machine ? "--machine" : NULL, calibration->machine, NULL};
    int output = new_file(calibration);
    char *text;

    if (output < 0)
        return false;
    int status = run_temu(calibration, words, output, output);
    off_t length = lseek(output, 0, SEEK_END);
    text = arena_array(calibration->arena, (size_t)length + 1, 1);
    bool is_read = pread(output, text, (size_t)length, 0) == length;
    close(output);
    if (status != 0 || !is_read)
        return fail(calibration, calibration->temu,
                    "does not print a machine (--dump-machine); expected the temu of this tdiff");
    if (!settings_read(&calibration->settings, calibration->arena, text))
        return fail(calibration, calibration->machine, "has no settings of time");
    return true;
}

/* ---- the cycles of a run ---- */

static void add_commit(struct run *run, const struct commit *commit)
{
    if (run->count == run->capacity) {
        run->capacity = run->capacity ? 2 * run->capacity : 1024;
        run->cycles = reallocarray(run->cycles, run->capacity, sizeof *run->cycles);
    }
    if (run->fence_count == run->fence_capacity) {
        run->fence_capacity = run->fence_capacity ? 2 * run->fence_capacity : 64;
        run->fences = reallocarray(run->fences, run->fence_capacity, sizeof *run->fences);
    }
    if (!run->cycles || !run->fences) {
        fputs("tdiff: error: out of memory\n", stderr);
        exit(TROUBLE);
    }
    if (commit->known && commit->known->id == ISA_ID_FENCE)
        run->fences[run->fence_count++] = run->count;
    if (commit->word == MARK && run->mark_count < 2)
        run->marks[run->mark_count++] = run->count;
    run->cycles[run->count++] = commit->cycle;
}

static bool read_commits(struct calibration *calibration, struct run *run, const char *name)
{
    struct cycle_file file;
    int more = 0;

    run->count = run->fence_count = 0;
    run->mark_count = 0;
    if (cycle_file_open(&file, calibration->diag, name))
        while ((more = cycle_file_next(&file)) > 0)
            add_commit(run, &file.now);
    cycle_file_close(&file);
    return more == 0 && file.stream;
}

/* Runs a kernel with the values to try. Returns false when temu does not run it with these. */
static bool run_model(struct calibration *calibration, const char *kernel)
{
    const char *path = arena_format(calibration->arena, "%s/%s", calibration->directory, kernel);
    const char *words[] = {calibration->temu,        "--machine", "/dev/stdin",
                           "--pipeline=/dev/stdout", path,        NULL};
    int input = new_file(calibration), output = new_file(calibration);
    bool has_run = false;

    if (input >= 0 && output >= 0) {
        FILE *stream = fdopen(dup(input), "w");
        settings_write(&calibration->settings, stream);
        fclose(stream);
        has_run = run_temu(calibration, words, input, output) == 0;
    }
    if (has_run) {
        char name[32];
        snprintf(name, sizeof name, "/dev/fd/%d", output);
        has_run = read_commits(calibration, &calibration->model, name);
    }
    close(input);
    close(output);
    return has_run;
}

static bool read_rtl(struct calibration *calibration, const char *kernel)
{
    const char *name =
        arena_format(calibration->arena, "%s/%s.csv", calibration->directory, kernel);

    if (calibration->rtl_of && strcmp(calibration->rtl_of, kernel) == 0)
        return true;
    calibration->rtl_of = NULL;
    if (!read_commits(calibration, &calibration->rtl, name)) {
        calibration->status = TROUBLE;
        return false;
    }
    calibration->rtl_of = kernel;
    return true;
}

/* ---- measuring ---- */

static void add_measured(struct calibration *calibration, unsigned side, int64_t value)
{
    if (calibration->measured_count[side] == calibration->measured_capacity) {
        size_t capacity = calibration->measured_capacity ? 2 * calibration->measured_capacity : 256;
        for (unsigned i = 0; i < 2; i++) {
            calibration->measured[i] =
                reallocarray(calibration->measured[i], capacity, sizeof **calibration->measured);
            if (!calibration->measured[i]) {
                fputs("tdiff: error: out of memory\n", stderr);
                exit(TROUBLE);
            }
        }
        calibration->measured_capacity = capacity;
    }
    calibration->measured[side][calibration->measured_count[side]++] = value;
}

static int64_t length_of(const struct run *run, const size_t *fences, bool is_after)
{
    return (int64_t)(run->cycles[fences[1]] - run->cycles[fences[0] + is_after]);
}

/* Measures a run, whose fences are those of the model. */
static void measure(struct calibration *calibration, unsigned side, enum measure measure)
{
    const struct run *run = side ? &calibration->rtl : &calibration->model;
    const size_t *fences = calibration->model.fences;
    const size_t *marks = calibration->model.marks;
    size_t blocks = calibration->model.fence_count - 1;

    calibration->measured_count[side] = 0;
    if (measure == MEASURE_CHAIN)
        for (size_t i = marks[0] + 2; i < marks[1]; i++)
            add_measured(calibration, side, (int64_t)(run->cycles[i] - run->cycles[i - 1]));
    if (measure == MEASURE_EACH || measure == MEASURE_AFTER)
        for (size_t i = 0; i < blocks; i++)
            add_measured(calibration, side, length_of(run, &fences[i], measure == MEASURE_AFTER));
    if (measure == MEASURE_PAIRS || measure == MEASURE_TWICE)
        for (size_t i = 0; i + 1 < blocks; i += 2)
            add_measured(calibration, side,
                         measure == MEASURE_PAIRS ? length_of(run, &fences[i + 1], false) -
                                                        length_of(run, &fences[i], false)
                                                  : 2 * length_of(run, &fences[i], false) -
                                                        length_of(run, &fences[i + 1], false));
}

static int64_t sum_of(const struct calibration *calibration, unsigned side)
{
    int64_t sum = 0;

    for (size_t i = 0; i < calibration->measured_count[side]; i++)
        sum += calibration->measured[side][i];
    return sum;
}

/* Has the model run whatever bounds what is measured? */
static bool has_bounds(const struct run *model, enum measure measure)
{
    return measure == MEASURE_CHAIN ? model->mark_count == 2 : model->fence_count >= 2;
}

static size_t first_of(const struct run *model)
{
    return model->mark_count == 2 ? model->marks[0] : model->fences[0];
}

static size_t last_of(const struct run *model)
{
    return model->mark_count == 2 ? model->marks[1] - 1 : model->fences[model->fence_count - 1];
}

/* Runs the kernel of the step with a value of its setting, and compares. */
static struct try evaluate(struct calibration *calibration, const struct step *step, uint64_t value)
{
    const struct run *model = &calibration->model;
    struct try try = {.value = value};

    for (size_t i = 0; i < calibration->try_count; i++)
        if (calibration->tries[i].value == value)
            return calibration->tries[i];
    step->setting->value = value;
    try.has_run = run_model(calibration, step->kernel) && has_bounds(model, step->measure);
    if (try.has_run && last_of(model) >= calibration->rtl.count)
        try.has_run = fail(calibration, step->kernel, "has fewer instructions on the RTL");
    if (try.has_run) {
        measure(calibration, 0, step->measure);
        measure(calibration, 1, step->measure);
        try.sum = sum_of(calibration, 0);
        try.is_equal = memcmp(calibration->measured[0], calibration->measured[1],
                              calibration->measured_count[0] * sizeof **calibration->measured) == 0;
    }
    if (calibration->try_count < TRIES)
        calibration->tries[calibration->try_count++] = try;
    return try;
}

/* ---- searching ---- */

/* Finds the first value in (low, high] whose sum has reached the target; `rises`: sums grow with
 * the values. The sum at `low` has not, that at `high` has. */
static uint64_t find_first(struct calibration *calibration, const struct step *step, uint64_t low,
                           uint64_t high, bool rises, int64_t target)
{
    for (unsigned turn = 0; high - low > 1; turn++) {
        uint64_t middle = low + (high - low) / 2;
        int64_t from = evaluate(calibration, step, low).sum,
                to = evaluate(calibration, step, high).sum;
        if (turn % 2 == 0 && from != to) { /* most measures are linear */
            double share = (double)(target - from) / (double)(to - from);
            middle = low + (uint64_t)(share * (double)(high - low) + 0.5);
            middle = middle <= low ? low + 1 : middle >= high ? high - 1 : middle;
        }
        int64_t sum = evaluate(calibration, step, middle).sum;
        if (rises ? sum >= target : sum <= target)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Searches a range in which the measure rises or falls with the value. */
static bool search_range(struct calibration *calibration, const struct step *step, uint64_t *first,
                         uint64_t *last)
{
    uint64_t low = 0, high = step->setting->count - 1;

    for (uint64_t bad = high; !evaluate(calibration, step, high).has_run;) {
        /* A constraint between settings excludes the highest values. */
        if (calibration->status == TROUBLE || !evaluate(calibration, step, low).has_run)
            return false;
        high = low;
        while (bad - high > 1) {
            uint64_t middle = high + (bad - high) / 2;
            if (evaluate(calibration, step, middle).has_run)
                high = middle;
            else
                bad = middle;
        }
    }
    int64_t from = evaluate(calibration, step, low).sum, to = evaluate(calibration, step, high).sum,
            target;
    bool rises = to >= from;
    target = sum_of(calibration, 1);
    if (rises ? target < from || target > to : target > from || target < to)
        return false;
    *first = from == target ? low : find_first(calibration, step, low, high, rises, target);
    *last = to == target ? high
                         : find_first(calibration, step, *first, high, rises,
                                      rises ? target + 1 : target - 1) -
                               1;
    return evaluate(calibration, step, *first).is_equal &&
           evaluate(calibration, step, *last).is_equal;
}

/* Returns which values of a setting with few of them give the cycles of the RTL. A measure that
 * rises or falls with the value is searched; otherwise each value is tried. */
static uint64_t find_mask(struct calibration *calibration, const struct step *step)
{
    uint64_t first, last, mask = 0;

    if (!step->setting->word_count && search_range(calibration, step, &first, &last))
        return UINT64_MAX >> (63 - (last - first)) << first;
    for (uint64_t i = 0; i < step->setting->count && calibration->status != TROUBLE; i++)
        if (evaluate(calibration, step, i).is_equal)
            mask |= UINT64_C(1) << i;
    return mask;
}

/* Finds the values of the setting of a step, while all others are fixed. Returns whether there are
 * any, and adds them to the setting's. */
static bool search(struct calibration *calibration, const struct step *step)
{
    struct setting *setting = step->setting;
    uint64_t first = UINT64_MAX, last = 0;

    calibration->try_count = 0;
    if (setting->count > SETTING_SMALL) {
        if (!search_range(calibration, step, &first, &last))
            return false;
        setting->first = setting->is_solved && setting->first < first ? setting->first : first;
        setting->last = setting->is_solved && setting->last > last ? setting->last : last;
    } else {
        uint64_t mask = find_mask(calibration, step);
        setting->mask |= mask;
        if (!mask)
            return false;
        first = (uint64_t)__builtin_ctzll(mask);
    }
    setting->is_solved = true;
    setting->value = first;
    return true;
}

/* Sets the bounds of the values that the mask has. */
static void close_mask(struct setting *setting)
{
    if (setting->count > SETTING_SMALL || !setting->mask)
        return;
    setting->first = (uint64_t)__builtin_ctzll(setting->mask);
    setting->last = 63 - (uint64_t)__builtin_clzll(setting->mask);
}

/* Searches with each value of another setting, and keeps those with which there is a solution. */
static bool search_with(struct calibration *calibration, const struct step *step)
{
    struct setting *with = step->with;
    uint64_t kept = 0, value = 0, chosen = 0;

    for (uint64_t i = 0; i < with->count && i < SETTING_SMALL; i++) {
        with->value = i;
        if (!setting_has(with, i) || !search(calibration, step))
            continue;
        if (!kept || i == with->preset) {
            chosen = i;
            value = step->setting->value;
        }
        kept |= UINT64_C(1) << i;
    }
    if (!kept)
        return false;
    with->mask = kept;
    close_mask(with);
    with->value = chosen;
    step->setting->value = value;
    return true;
}

static bool take_step(struct calibration *calibration, const struct step *step)
{
    struct setting *setting = step->setting;

    if (!step->kernel) {
        setting->mask = setting->count < 64 ? (UINT64_C(1) << setting->count) - 1 : UINT64_MAX;
        setting->is_solved = true;
        return true;
    }
    if (!read_rtl(calibration, step->kernel))
        return false;
    setting->is_solved = false;
    setting->mask = 0;
    bool is_found = step->with ? search_with(calibration, step) : search(calibration, step);
    if (calibration->status == TROUBLE)
        return false;
    close_mask(setting);
    if (is_found && !step->with && setting_has(setting, setting->preset))
        setting->value = setting->preset;
    if (is_found)
        return true;
    setting->value = setting->preset;
    setting->first = setting->last = 0;
    diag_warning(calibration->diag, NULL, "no value of %s gives the cycles of the kernel %s (%s)",
                 setting->name, step->kernel, measure_names[step->measure]);
    calibration->status = DIFFERENT;
    return true;
}

/* ---- the plan ---- */

static bool read_step(struct calibration *calibration, struct step *step, const char *plan,
                      unsigned line, char *text)
{
    struct position at = {.name = plan, .line = line};
    char *word[5] = {0}, *rest = text;
    unsigned count = 0;

    while (count < 5 && (word[count] = strtok_r(rest, " \t\n", &rest)))
        count++;
    *step = (struct step){.setting = settings_find(&calibration->settings, word[0])};
    step->measure = MEASURES;
    for (unsigned i = 0; count > 2 && i < MEASURES; i++)
        if (strcmp(word[2], measure_names[i]) == 0)
            step->measure = (enum measure)i;
    if (count == 5 && strcmp(word[3], "with") == 0)
        step->with = settings_find(&calibration->settings, word[4]);
    bool is_open = count == 2 && strcmp(word[1], "-") == 0;
    if (!step->setting)
        diag_error(calibration->diag, &at,
                   "'%s' is not a setting of time; temu --dump-machine "
                   "prints them",
                   word[0]);
    else if (!is_open && (step->measure == MEASURES || count == 4 || (count == 5 && !step->with)))
        diag_error(
            calibration->diag, &at,
            "expected SETTING KERNEL MEASURE, where the measure is chain, each, after, pairs "
            "or twice; then nothing, or `with SETTING`");
    else if (!is_open)
        step->kernel = arena_copy(calibration->arena, word[1], strlen(word[1]));
    if (diag_failed(calibration->diag))
        calibration->status = TROUBLE;
    return calibration->status != TROUBLE;
}

/* Compares all distances of a kernel between its first and its last fence. */
static bool check_kernel(struct calibration *calibration, const char *kernel)
{
    const struct run *model = &calibration->model, *rtl = &calibration->rtl;

    if (!read_rtl(calibration, kernel) || !run_model(calibration, kernel) ||
        (model->mark_count < 2 && model->fence_count < 2) || last_of(model) >= rtl->count)
        return false;
    for (size_t i = first_of(model) + 2; i <= last_of(model); i++)
        if (model->cycles[i] - model->cycles[i - 1] != rtl->cycles[i] - rtl->cycles[i - 1])
            return false;
    return true;
}

static void check_kernels(struct calibration *calibration, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count && calibration->status != TROUBLE; i++) {
        bool is_known = !steps[i].kernel;
        for (size_t k = 0; k < i && !is_known; k++)
            is_known = steps[k].kernel && strcmp(steps[k].kernel, steps[i].kernel) == 0;
        if (is_known || check_kernel(calibration, steps[i].kernel))
            continue;
        diag_warning(
            calibration->diag, NULL,
            "the kernel %s takes other cycles on the RTL; compare them with tdiff --cycles",
            steps[i].kernel);
        calibration->status = calibration->status == TROUBLE ? TROUBLE : DIFFERENT;
    }
}

static void follow_plan(struct calibration *calibration)
{
    const char *name = arena_format(calibration->arena, "%s/plan", calibration->directory);
    struct diag_file plan;
    size_t count = 0, capacity = 1;
    unsigned line = 0;

    if (!file_read(calibration->arena, calibration->diag, NULL, name, &plan)) {
        calibration->status = TROUBLE;
        return;
    }
    for (size_t i = 0; i < plan.length; i++)
        capacity += ((const char *)plan.bytes)[i] == '\n';
    struct step *steps = arena_array(calibration->arena, capacity, sizeof *steps);
    char *text = (char *)arena_copy(calibration->arena, (const char *)plan.bytes, plan.length);
    for (char *next; calibration->status != TROUBLE && text && *text; text = next) {
        next = strchr(text, '\n');
        if (next)
            *next++ = '\0';
        line++;
        if (*text == '#' || text[strspn(text, " \t")] == '\0')
            continue;
        if (read_step(calibration, &steps[count], name, line, text))
            take_step(calibration, &steps[count++]);
    }
    check_kernels(calibration, steps, count);
}

int calibrate(struct diag *diag, struct arena *arena, const char *directory, const char *machine,
              const char *temu)
{
    struct calibration calibration = {
        .diag = diag, .arena = arena, .directory = directory, .machine = machine, .temu = temu};

    if (read_settings(&calibration))
        follow_plan(&calibration);
    if (calibration.status != TROUBLE)
        settings_report(&calibration.settings, stdout);
    free(calibration.model.cycles);
    free(calibration.model.fences);
    free(calibration.rtl.cycles);
    free(calibration.rtl.fences);
    free(calibration.measured[0]);
    free(calibration.measured[1]);
    return calibration.status;
}
