/* Walking N-dimensional arrays with adders.
 *
 * The offsets of a row are its loop counters, and their sum is its position. Nothing is multiplied,
 * so the hardware needs one adder for each dimension. Three invariants hold between instructions:
 *
 * - dimensions at and above `used` are all zero, so that setting one later starts from zero;
 * - `stuck` counts the dimensions in use whose step is 0: if it is 0, iterating the row never
 *   fails;
 * - an offset only changes by tinit, by the set-up of a whole row, and by iterating.
 *
 * The current row of a nest is not stored: it is the first row of the chain that is not done.
 *
 * Streaks (traversal.h) avoid repeating all of this for each element of a walk. A streak begins
 * after an iteration, without a recorder, of the row that the walk starts at. It ends where
 * dimension 1 also wraps, or when anything else uses the row. All uses go through find_row, which
 * ends the streak, so the state of a row is always exact. */
#include "emu/units/traversal_rows.h"

#include <string.h>

static const char unit_name[] = "traversal";

/* ---- changing state, for the trace ---- */

static void record(struct port *port, const struct traversal_unit *unit,
                   const struct traversal_row *row, const char *name, int dimension, uint64_t value)
{
    if (port->recorder)
        port_record_state(port, unit_name, name, (unsigned)(row - unit->rows), dimension, value);
}

static void record_dimension(struct port *port, const struct traversal_unit *unit,
                             const struct traversal_row *row, unsigned index,
                             const struct traversal_dimension *old)
{
    const struct traversal_dimension *dimension = &row->dimensions[index];

    if (dimension->init != old->init)
        record(port, unit, row, "init", (int)index, (uint64_t)dimension->init);
    if (dimension->step != old->step)
        record(port, unit, row, "step", (int)index, (uint64_t)dimension->step);
    if (dimension->end != old->end)
        record(port, unit, row, "end", (int)index, (uint64_t)dimension->end);
    if (dimension->repeat != old->repeat)
        record(port, unit, row, "repeat", (int)index, dimension->repeat);
    if (dimension->offset != old->offset)
        record(port, unit, row, "offset", (int)index, (uint64_t)dimension->offset);
}

/* ---- streaks ---- */

/* Takes `count` steps without wrapping. */
static void take_steps(struct traversal_dimension *dimension, uint64_t count)
{
    dimension->offset = (int64_t)((uint64_t)dimension->offset + (uint64_t)dimension->step * count);
}

static uint64_t steps_taken(const struct traversal_streak *streak)
{
    return streak->length - streak->left - 1;
}

static void end_streak(struct traversal_unit *unit, uint64_t row)
{
    struct traversal_streak *streak = &unit->streaks[row];
    struct traversal_dimension *dimensions = unit->rows[row].dimensions;

    if (streak->turned) {
        dimensions[0].offset = dimensions[0].init;
        take_steps(&dimensions[1], streak->turned);
    }
    take_steps(&dimensions[0], steps_taken(streak));
    unit->elements += streak->before + steps_taken(streak);
    unit->wraps += streak->turned;
    *streak = (struct traversal_streak){0};
}

/* Divides quickly by powers of two, which most steps are: every streak needs a division. */
static uint64_t divide(uint64_t distance, uint64_t step)
{
    return (step & (step - 1)) == 0 ? distance >> __builtin_ctzll(step) : distance / step;
}

/* Returns how many steps the dimension can take without wrapping. Its step is not 0. */
static uint64_t steps_inside(const struct traversal_dimension *dimension)
{
    bool up = dimension->step > 0;
    uint64_t offset = (uint64_t)dimension->offset, end = (uint64_t)dimension->end;
    uint64_t step = (uint64_t)dimension->step;

    if (up ? dimension->offset >= dimension->end : dimension->offset <= dimension->end)
        return 0;
    return up ? divide(end - offset - 1, step) : divide(offset - end - 1, -step);
}

struct traversal_row *traversal_row(struct traversal_unit *unit, uint64_t row)
{
    if (row < TRAVERSAL_STREAKS && unit->streaks[row].length)
        end_streak(unit, row);
    return &unit->rows[row];
}

/* ---- whole rows ---- */

void traversal_replace(struct traversal_unit *unit, struct port *port, uint64_t row,
                       struct traversal_row *with)
{
    struct traversal_row *target = traversal_row(unit, row);
    struct traversal_row old = *target;

    *target = *with;
    *with = old; /* the rows swap their arrays of dimensions, so that neither is lost */
    if (port->recorder) {
        if (target->kind != old.kind)
            record(port, unit, target, "kind", -1, target->kind);
        if (target->used != old.used)
            record(port, unit, target, "dimensions", -1, target->used);
        if (target->base != old.base)
            record(port, unit, target, "base", -1, target->base);
        if (target->nest != old.nest)
            record(port, unit, target, "nest", -1, target->nest);
        for (unsigned i = 0; i < unit->dimension_count; i++)
            record_dimension(port, unit, target, i, &old.dimensions[i]);
        if (target->done != old.done)
            record(port, unit, target, "done", -1, target->done);
    }
}

struct traversal_row *traversal_stage(struct traversal_unit *unit, uint64_t index)
{
    struct traversal_row *row = &unit->staged[index];
    struct traversal_dimension *dimensions = row->dimensions;

    memset(dimensions, 0, unit->dimension_count * sizeof *dimensions);
    *row = (struct traversal_row){.dimensions = dimensions};
    return row;
}

/* ---- InitializeElements ---- */

static struct traversal_row *find_row(struct traversal_unit *unit, uint64_t row,
                                      struct fault *fault)
{
    if (row < unit->row_count)
        return traversal_row(unit, row);
    fault_set(fault, CAUSE_TRAVERSAL_ROW, row);
    return NULL;
}

static struct traversal_row *find_used_row(struct traversal_unit *unit, uint64_t row,
                                           struct fault *fault)
{
    struct traversal_row *found = find_row(unit, row, fault);

    if (found && found->used == 0) {
        fault_set(fault, CAUSE_EMPTY_ROW, row);
        return NULL;
    }
    return found;
}

/* Returns the dimension to change. set_dimension extends `used` to include it, after the last
 * possible fault. */
static struct traversal_dimension *find_dimension(struct traversal_unit *unit, uint64_t row,
                                                  uint64_t dimension, struct fault *fault)
{
    struct traversal_row *found = find_row(unit, row, fault);

    if (!found)
        return NULL;
    if (dimension < unit->dimension_count)
        return &found->dimensions[dimension];
    fault_set(fault, CAUSE_TRAVERSAL_DIMENSION, dimension);
    return NULL;
}

static uint32_t count_stuck(const struct traversal_row *row)
{
    uint32_t stuck = 0;

    for (uint32_t i = 0; i < row->used; i++)
        stuck += row->dimensions[i].step == 0;
    return stuck;
}

void traversal_set_used(struct traversal_unit *unit, uint64_t row, uint32_t used)
{
    unit->rows[row].used = used;
    unit->rows[row].stuck = count_stuck(&unit->rows[row]);
}

void traversal_set_step_of(struct traversal_unit *unit, uint64_t row, uint64_t dimension,
                           int64_t step)
{
    unit->rows[row].dimensions[dimension].step = step;
    unit->rows[row].stuck = count_stuck(&unit->rows[row]);
}

static bool set_dimension(struct traversal_unit *unit, struct port *port, uint64_t row,
                          uint64_t dimension, struct traversal_dimension value)
{
    struct traversal_row *target = &unit->rows[row];
    struct traversal_dimension old = target->dimensions[dimension];

    target->dimensions[dimension] = value;
    if (dimension >= target->used) {
        target->used = (uint32_t)dimension + 1;
        record(port, unit, target, "dimensions", -1, target->used);
    }
    target->stuck = count_stuck(target);
    record_dimension(port, unit, target, (unsigned)dimension, &old);
    return true;
}

bool traversal_set_init(struct traversal_unit *unit, struct port *port, uint64_t row,
                        uint64_t dimension, uint64_t init, struct fault *fault)
{
    const struct traversal_dimension *old = find_dimension(unit, row, dimension, fault);

    if (!old)
        return false;
    struct traversal_dimension value = *old;
    value.init = (int64_t)init;
    value.repeat = false;
    return set_dimension(unit, port, row, dimension, value);
}

bool traversal_set_step(struct traversal_unit *unit, struct port *port, uint64_t row,
                        uint64_t dimension, uint64_t step, struct fault *fault)
{
    const struct traversal_dimension *old = find_dimension(unit, row, dimension, fault);

    if (!old)
        return false;
    struct traversal_dimension value = *old;
    value.step = (int64_t)step;
    value.repeat = false;
    return set_dimension(unit, port, row, dimension, value);
}

bool traversal_set_end(struct traversal_unit *unit, struct port *port, uint64_t row,
                       uint64_t dimension, uint64_t end, struct fault *fault)
{
    const struct traversal_dimension *old = find_dimension(unit, row, dimension, fault);

    if (!old)
        return false;
    struct traversal_dimension value = *old;
    value.end = (int64_t)end;
    value.repeat = false;
    return set_dimension(unit, port, row, dimension, value);
}

bool traversal_set_repeat(struct traversal_unit *unit, struct port *port, uint64_t row,
                          uint64_t dimension, uint64_t count, struct fault *fault)
{
    const struct traversal_dimension *old = find_dimension(unit, row, dimension, fault);

    if (!old)
        return false;
    if ((int64_t)count < 1)
        return fault_set(fault, CAUSE_REPEAT_COUNT, count);
    struct traversal_dimension value = {
        .init = 0, .step = 1, .end = (int64_t)count, .offset = old->offset, .repeat = true};
    return set_dimension(unit, port, row, dimension, value);
}

bool traversal_set_base(struct traversal_unit *unit, struct port *port, uint64_t row, uint64_t base,
                        struct fault *fault)
{
    struct traversal_row *target = find_row(unit, row, fault);

    if (!target)
        return false;
    if (target->base != base) {
        target->base = base;
        record(port, unit, target, "base", -1, base);
    }
    return true;
}

static void set_offset(struct traversal_unit *unit, struct port *port, struct traversal_row *row,
                       uint32_t dimension, int64_t offset)
{
    if (row->dimensions[dimension].offset != offset) {
        row->dimensions[dimension].offset = offset;
        record(port, unit, row, "offset", (int)dimension, (uint64_t)offset);
    }
}

static void set_done(struct traversal_unit *unit, struct port *port, struct traversal_row *row,
                     bool done)
{
    if (row->done != done) {
        row->done = done;
        record(port, unit, row, "done", -1, done);
    }
}

bool traversal_restart(struct traversal_unit *unit, struct port *port, uint64_t row,
                       struct fault *fault)
{
    struct traversal_row *target = find_row(unit, row, fault);

    if (!target)
        return false;
    for (uint32_t i = 0; i < target->used; i++)
        set_offset(unit, port, target, i, target->dimensions[i].init);
    set_done(unit, port, target, false);
    return true;
}

bool traversal_clear(struct traversal_unit *unit, struct port *port, uint64_t row,
                     struct fault *fault)
{
    if (!find_row(unit, row, fault))
        return false;
    traversal_replace(unit, port, row, traversal_stage(unit, 0));
    return true;
}

static bool set_single(struct traversal_unit *unit, struct port *port, enum traversal_kind kind,
                       uint64_t row, uint64_t init, uint64_t step, uint64_t end,
                       struct fault *fault)
{
    int64_t first = (int64_t)init, last = (int64_t)end, stride = (int64_t)step;
    const struct traversal_row *old = find_row(unit, row, fault);

    if (!old)
        return false;
    if (stride == 0)
        return fault_set(fault, CAUSE_ZERO_STEP, step);
    if (stride > 0 ? first >= last : first <= last)
        return fault_set(fault, CAUSE_MISSED_END, end);
    struct traversal_row *staged = traversal_stage(unit, 0);
    staged->kind = kind;
    staged->base = old->base;
    staged->used = 1;
    staged->dimensions[0] =
        (struct traversal_dimension){.init = first, .step = stride, .end = last, .offset = first};
    traversal_replace(unit, port, row, staged);
    return true;
}

bool traversal_set_prologue(struct traversal_unit *unit, struct port *port, uint64_t row,
                            uint64_t init, uint64_t step, uint64_t end, struct fault *fault)
{
    return set_single(unit, port, TRAVERSAL_PROLOGUE, row, init, step, end, fault);
}

bool traversal_set_epilogue(struct traversal_unit *unit, struct port *port, uint64_t row,
                            uint64_t init, uint64_t step, uint64_t end, struct fault *fault)
{
    return set_single(unit, port, TRAVERSAL_EPILOGUE, row, init, step, end, fault);
}

/* ---- LocateTensor, IterateTensor ---- */

static uint64_t located(const struct traversal_row *row)
{
    uint64_t address = row->base;

    for (uint32_t i = 0; i < row->used; i++) {
        if (!row->dimensions[i].repeat)
            address += (uint64_t)row->dimensions[i].offset;
    }
    return address;
}

/* Sets *next = offset + step. Returns whether it has left the dimension; a sum that overflows
 * is beyond any end. */
static bool take_step(const struct traversal_dimension *dimension, int64_t *next)
{
    if (__builtin_add_overflow(dimension->offset, dimension->step, next))
        return true;
    return dimension->step > 0 ? *next >= dimension->end : *next <= dimension->end;
}

/* Iterates the row and returns the number of dimensions that wrapped. The row must be in use,
 * without a step of 0. */
static uint64_t iterate(struct traversal_unit *unit, struct port *port, struct traversal_row *row)
{
    uint32_t dimension;
    int64_t next;

    unit->elements++;
    for (dimension = 0; dimension < row->used; dimension++) {
        if (!take_step(&row->dimensions[dimension], &next)) {
            set_offset(unit, port, row, dimension, next);
            return dimension;
        }
        set_offset(unit, port, row, dimension, row->dimensions[dimension].init);
        unit->wraps++;
    }
    set_done(unit, port, row, true);
    unit->arrays++;
    return dimension;
}

static bool check_steps(const struct traversal_row *row, struct fault *fault)
{
    return row->stuck == 0 || fault_set(fault, CAUSE_ZERO_STEP, 0);
}

bool traversal_locate(struct traversal_unit *unit, struct port *port __attribute__((unused)),
                      uint64_t row, uint64_t *address, struct fault *fault)
{
    const struct traversal_row *found = find_used_row(unit, row, fault);

    if (!found)
        return false;
    *address = located(found);
    return true;
}

bool traversal_iterate(struct traversal_unit *unit, struct port *port, uint64_t row,
                       uint64_t *wrapped, struct fault *fault)
{
    struct traversal_row *found = find_used_row(unit, row, fault);

    if (!found || !check_steps(found, fault))
        return false;
    *wrapped = iterate(unit, port, found);
    return true;
}

/* ---- walking ---- */

/* Does a walk continue from this row to the next one? */
static bool continues(const struct traversal_unit *unit, uint64_t row)
{
    const struct traversal_row *from = &unit->rows[row];
    const struct traversal_row *to = from + 1;

    if (from->kind == TRAVERSAL_PROLOGUE)
        return true;
    if (row + 1 == unit->row_count)
        return false;
    return to->kind == TRAVERSAL_EPILOGUE || (from->nest != 0 && from->nest == to->nest);
}

/* Finds the current row of the walk that starts at `row`; *current is NULL when all of its rows are
 * done. */
static bool find_current(struct traversal_unit *unit, uint64_t row, struct traversal_row **current,
                         struct fault *fault)
{
    for (;; row++) {
        struct traversal_row *found = find_used_row(unit, row, fault);
        if (!found)
            return false;
        if (!found->done) {
            *current = found;
            return true;
        }
        if (!continues(unit, row)) {
            *current = NULL;
            return true;
        }
    }
}

/* Returns how much an address grows when the dimension's offset grows by `growth`. */
static uint64_t distance(const struct traversal_dimension *dimension, uint64_t growth)
{
    return dimension->repeat ? 0 : growth;
}

static void begin_streak(struct traversal_streak *streak, const struct traversal_row *row)
{
    const struct traversal_dimension *inner = &row->dimensions[0];
    const struct traversal_dimension *outer = row->used > 1 ? inner + 1 : NULL;
    uint64_t left = steps_inside(inner), turns = outer ? steps_inside(outer) : 0;

    if (!left && !turns)
        return;
    *streak = (struct traversal_streak){
        .left = left,
        .length = left + 1,
        .address = located(row),
        .step = distance(inner, (uint64_t)inner->step),
        .turns = turns,
    };
    if (turns) {
        struct traversal_dimension whole = *inner;
        whole.offset = inner->init;
        streak->line = steps_inside(&whole) + 1;
        streak->stride = distance(outer, (uint64_t)outer->step);
        streak->next = streak->address + streak->stride +
                       distance(inner, (uint64_t)inner->init - (uint64_t)inner->offset);
    }
}

bool traversal_peek_closer(struct traversal_unit *unit, uint64_t row, uint64_t *address,
                           struct fault *fault)
{
    struct traversal_row *current;

    if (!find_current(unit, row, &current, fault))
        return false;
    if (!current)
        return fault_set(fault, CAUSE_FINISHED_WALK, row);
    if (!check_steps(current, fault))
        return false;
    *address = located(current);
    return true;
}

void traversal_advance_closer(struct traversal_unit *unit, struct port *port, uint64_t row)
{
    struct traversal_row *current = NULL;
    struct fault impossible;

    if (row < TRAVERSAL_STREAKS && unit->streaks[row].turns && !port->recorder) {
        traversal_take_turn(&unit->streaks[row]);
        return;
    }
    if (!find_current(unit, row, &current, &impossible) || !current)
        return;
    iterate(unit, port, current);
    if (current == &unit->rows[row] && row < TRAVERSAL_STREAKS && !current->done && !port->recorder)
        begin_streak(&unit->streaks[row], current);
}

bool traversal_done(struct traversal_unit *unit, struct port *port __attribute__((unused)),
                    uint64_t row, uint64_t *done, struct fault *fault)
{
    struct traversal_row *current;

    if (!find_current(unit, row, &current, fault))
        return false;
    *done = current == NULL;
    return true;
}

/* ---- the unit ---- */

static struct traversal_row *make_rows(struct arena *arena, uint32_t rows, uint32_t dimensions)
{
    struct traversal_row *made = arena_array(arena, rows, sizeof *made);

    for (uint32_t i = 0; i < rows; i++)
        made[i].dimensions = arena_array(arena, dimensions, sizeof *made[i].dimensions);
    return made;
}

void traversal_init(struct traversal_unit *unit, uint32_t rows, uint32_t dimensions,
                    struct arena *arena)
{
    *unit = (struct traversal_unit){
        .rows = make_rows(arena, rows, dimensions),
        .staged = make_rows(arena, rows, dimensions),
        .row_count = rows,
        .dimension_count = dimensions,
    };
}

size_t traversal_activity(const struct traversal_unit *unit, struct activity *list)
{
    size_t count = 0;
    uint64_t elements = unit->elements, wraps = unit->wraps;

    for (uint32_t i = 0; i < TRAVERSAL_STREAKS; i++)
        if (unit->streaks[i].length) {
            elements += unit->streaks[i].before + steps_taken(&unit->streaks[i]);
            wraps += unit->streaks[i].turned;
        }
    list[count++] = (struct activity){"traversal", "elements walked", elements};
    list[count++] = (struct activity){"traversal", "dimension wraps", wraps};
    list[count++] = (struct activity){"traversal", "arrays exhausted", unit->arrays};
    list[count++] = (struct activity){"traversal", "nests set up", unit->nests};
    return count;
}
