/* Walking N-dimensional arrays with adders.
 *
 * The offsets of a row are its loop counters, and their sum is its position. Nothing is multiplied,
 * so the hardware needs one adder for each dimension. Three invariants hold between instructions:
 *
 * - dimensions that are not in use are all zero, so that setting one later starts from zero;
 * - where `steps` is set, no dimension in use has a step of 0, so iterating the row never fails;
 * - an offset only changes by tinit, by the set-up of a whole row, and by iterating.
 *
 * The current row of a nest is not stored: it is the first row of the chain that is not done.
 *
 * Streaks (traversal.h) avoid repeating all of this for each element of a walk. A streak begins
 * after an iteration, without a recorder, of the row that the walk starts at. It ends where the
 * last of its dimensions wraps, or when anything else uses the row. All uses go through find_row,
 * which ends the streak, so the state of a row is always exact. */
#include "emu/units/traversal_rows.h"

#include <string.h>

/* ---- streaks ---- */

/* Takes `count` steps without wrapping. */
static void take_steps(struct traversal_row_dim *dimension, uint64_t count)
{
    dimension->offset = (int64_t)((uint64_t)dimension->offset + (uint64_t)dimension->step * count);
}

/* Divides quickly by powers of two, which most steps are: every streak needs a division. */
static uint64_t divide(uint64_t distance, uint64_t step)
{
    return (step & (step - 1)) == 0 ? distance >> __builtin_ctzll(step) : distance / step;
}

/* Returns how many steps the dimension can take without wrapping. Its step is not 0. */
static uint64_t steps_inside(const struct traversal_row_dim *dimension)
{
    bool up = dimension->step > 0;
    uint64_t offset = (uint64_t)dimension->offset, end = (uint64_t)dimension->end;
    uint64_t step = (uint64_t)dimension->step;

    if (up ? dimension->offset >= dimension->end : dimension->offset <= dimension->end)
        return 0;
    return up ? divide(end - offset - 1, step) : divide(offset - end - 1, -step);
}

/* Takes `count` steps. Returns how often the dimension wraps. */
static uint64_t turn_dimension(struct traversal_row_dim *dimension, uint64_t count)
{
    uint64_t left = steps_inside(dimension);

    if (count <= left) {
        take_steps(dimension, count);
        return 0;
    }
    count -= left + 1;
    dimension->offset = dimension->init;
    uint64_t whole = steps_inside(dimension) + 1;
    take_steps(dimension, count % whole);
    return 1 + count / whole;
}

static void end_streak(struct traversal_unit *unit, uint64_t row)
{
    struct traversal_streak *streak = &unit->streaks[row];
    struct traversal_row_dim *dimension = unit->state.row[row].dim;
    uint64_t turned = streak->lines - streak->turns, line = turned ? streak->line : streak->first;
    bool is_last = streak->turns == 0;
    uint64_t taken = line - is_last - (streak->position >> 32);

    unit->state.elements += taken;
    if (turned)
        unit->state.elements += streak->first + (turned - 1) * streak->line;
    if (taken == line) { /* the turn was not taken yet */
        turned++;
        taken = 0;
    }
    if (turned)
        dimension->offset = dimension->init;
    take_steps(dimension, taken);
    while (turned) {
        unit->state.wraps += turned;
        turned = turn_dimension(++dimension, turned);
    }
    *streak = (struct traversal_streak){0};
}

/* Returns a row that the machine has, with its streak ended. */
static struct traversal_row *settled_row(struct traversal_unit *unit, uint64_t row)
{
    if (row < TRAVERSAL_STREAKS && unit->streaks[row].first)
        end_streak(unit, row);
    return &unit->state.row[row];
}

void traversal_settle(struct traversal_unit *unit)
{
    for (uint64_t row = 0; row < unit->state.row_count; row++) {
        settled_row(unit, row);
        unit->steps[row] = false;
    }
}

/* ---- whole rows ---- */

static void change_dimension(struct traversal_unit *unit, struct port *port, uint64_t row,
                             uint64_t dim, const struct traversal_row_dim *with)
{
    struct traversal_state *state = &unit->state;

    traversal_change_init(state, port, row, dim, with->init);
    traversal_change_step(state, port, row, dim, with->step);
    traversal_change_end(state, port, row, dim, with->end);
    traversal_change_repeat(state, port, row, dim, with->repeat);
    traversal_change_offset(state, port, row, dim, with->offset);
    unit->steps[row] = false;
}

void traversal_replace(struct traversal_unit *unit, struct port *port, uint64_t row,
                       const struct traversal_row *with)
{
    struct traversal_state *state = &unit->state;

    settled_row(unit, row);
    traversal_change_kind(state, port, row, with->kind);
    traversal_change_dims(state, port, row, with->dims);
    traversal_change_base(state, port, row, with->base);
    traversal_change_nest(state, port, row, with->nest);
    for (uint64_t dim = 0; dim < state->row_dim_count; dim++)
        change_dimension(unit, port, row, dim, &with->dim[dim]);
    traversal_change_done(state, port, row, with->done);
}

struct traversal_row *traversal_stage(struct traversal_unit *unit, uint64_t index)
{
    struct traversal_row *row = &unit->staged[index];
    struct traversal_row_dim *dims = row->dim;

    memset(dims, 0, unit->state.row_dim_count * sizeof *dims);
    *row = (struct traversal_row){.dim = dims};
    return row;
}

/* ---- InitializeElements ---- */

static struct traversal_row *find_row(struct traversal_unit *unit, uint64_t row,
                                      struct fault *fault)
{
    if (row < unit->state.row_count)
        return settled_row(unit, row);
    fault_set(fault, CAUSE_TRAVERSAL_ROW, row);
    return NULL;
}

static struct traversal_row *find_used_row(struct traversal_unit *unit, uint64_t row,
                                           struct fault *fault)
{
    struct traversal_row *found = find_row(unit, row, fault);

    if (found && found->dims == 0) {
        fault_set(fault, CAUSE_EMPTY_ROW, row);
        return NULL;
    }
    return found;
}

/* Copies the dimension to change, as one that does not repeat. */
static bool copy_dimension(struct traversal_unit *unit, uint64_t row, uint64_t dim,
                           struct traversal_row_dim *copy, struct fault *fault)
{
    const struct traversal_row *found = find_row(unit, row, fault);

    if (!found)
        return false;
    if (dim >= unit->state.row_dim_count)
        return fault_set(fault, CAUSE_TRAVERSAL_DIMENSION, dim);
    *copy = found->dim[dim];
    copy->repeat = false;
    return true;
}

/* Sets the dimension, which is in use from now on. */
static bool set_dimension(struct traversal_unit *unit, struct port *port, uint64_t row,
                          uint64_t dim, struct traversal_row_dim value)
{
    if (dim >= unit->state.row[row].dims)
        traversal_change_dims(&unit->state, port, row, (uint8_t)(dim + 1));
    change_dimension(unit, port, row, dim, &value);
    return true;
}

bool traversal_set_init(struct traversal_unit *unit, struct port *port, uint64_t row, uint64_t dim,
                        uint64_t init, struct fault *fault)
{
    struct traversal_row_dim value;

    if (!copy_dimension(unit, row, dim, &value, fault))
        return false;
    value.init = (int64_t)init;
    return set_dimension(unit, port, row, dim, value);
}

bool traversal_set_step(struct traversal_unit *unit, struct port *port, uint64_t row, uint64_t dim,
                        uint64_t step, struct fault *fault)
{
    struct traversal_row_dim value;

    if (!copy_dimension(unit, row, dim, &value, fault))
        return false;
    value.step = (int64_t)step;
    return set_dimension(unit, port, row, dim, value);
}

bool traversal_set_end(struct traversal_unit *unit, struct port *port, uint64_t row, uint64_t dim,
                       uint64_t end, struct fault *fault)
{
    struct traversal_row_dim value;

    if (!copy_dimension(unit, row, dim, &value, fault))
        return false;
    value.end = (int64_t)end;
    return set_dimension(unit, port, row, dim, value);
}

bool traversal_set_repeat(struct traversal_unit *unit, struct port *port, uint64_t row,
                          uint64_t dim, uint64_t count, struct fault *fault)
{
    struct traversal_row_dim value;

    if (!copy_dimension(unit, row, dim, &value, fault))
        return false;
    if ((int64_t)count < 1)
        return fault_set(fault, CAUSE_REPEAT_COUNT, count);
    value = (struct traversal_row_dim){
        .step = 1, .end = (int64_t)count, .offset = value.offset, .repeat = true};
    return set_dimension(unit, port, row, dim, value);
}

bool traversal_set_base(struct traversal_unit *unit, struct port *port, uint64_t row, uint64_t base,
                        struct fault *fault)
{
    if (!find_row(unit, row, fault))
        return false;
    traversal_change_base(&unit->state, port, row, base);
    return true;
}

bool traversal_restart(struct traversal_unit *unit, struct port *port, uint64_t row,
                       struct fault *fault)
{
    const struct traversal_row *target = find_row(unit, row, fault);

    if (!target)
        return false;
    for (unsigned i = 0; i < target->dims; i++)
        traversal_change_offset(&unit->state, port, row, i, target->dim[i].init);
    traversal_change_done(&unit->state, port, row, false);
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
    staged->dims = 1;
    staged->dim[0] =
        (struct traversal_row_dim){.init = first, .step = stride, .end = last, .offset = first};
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

    for (uint32_t i = 0; i < row->dims; i++) {
        if (!row->dim[i].repeat)
            address += (uint64_t)row->dim[i].offset;
    }
    return address;
}

/* Sets *next = offset + step. Returns whether it has left the dimension; a sum that overflows
 * is beyond any end. */
static bool take_step(const struct traversal_row_dim *dimension, int64_t *next)
{
    if (__builtin_add_overflow(dimension->offset, dimension->step, next))
        return true;
    return dimension->step > 0 ? *next >= dimension->end : *next <= dimension->end;
}

/* Iterates the row and returns the number of dimensions that wrapped. The row must be in use,
 * without a step of 0. */
static uint64_t iterate(struct traversal_unit *unit, struct port *port, uint64_t row)
{
    struct traversal_state *state = &unit->state;
    const struct traversal_row *found = &state->row[row];
    uint32_t dim;
    int64_t next;

    state->elements++;
    for (dim = 0; dim < found->dims; dim++) {
        if (!take_step(&found->dim[dim], &next)) {
            traversal_change_offset(state, port, row, dim, next);
            return dim;
        }
        traversal_change_offset(state, port, row, dim, found->dim[dim].init);
        state->wraps++;
    }
    traversal_change_done(state, port, row, true);
    state->arrays++;
    return dim;
}

static bool check_steps(struct traversal_unit *unit, uint64_t row, struct fault *fault)
{
    const struct traversal_row *found = &unit->state.row[row];

    for (unsigned i = 0; !unit->steps[row] && i < found->dims; i++)
        if (found->dim[i].step == 0)
            return fault_set(fault, CAUSE_ZERO_STEP, 0);
    unit->steps[row] = true;
    return true;
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
    if (!find_used_row(unit, row, fault) || !check_steps(unit, row, fault))
        return false;
    *wrapped = iterate(unit, port, row);
    return true;
}

/* ---- walking ---- */

/* Does a walk continue from this row to the next one? */
static bool continues(const struct traversal_unit *unit, uint64_t row)
{
    const struct traversal_row *from = &unit->state.row[row];
    const struct traversal_row *to = from + 1;

    if (from->kind == TRAVERSAL_PROLOGUE)
        return true;
    if (row + 1 == unit->state.row_count)
        return false;
    return to->kind == TRAVERSAL_EPILOGUE || (from->nest != 0 && from->nest == to->nest);
}

/* Finds the current row of the walk that starts at `row`; *current is the number of rows of the
 * unit when all of the walk's are done. */
static bool find_current(struct traversal_unit *unit, uint64_t row, uint64_t *current,
                         struct fault *fault)
{
    for (;; row++) {
        const struct traversal_row *found = find_used_row(unit, row, fault);
        if (!found)
            return false;
        *current = found->done ? unit->state.row_count : row;
        if (!found->done || !continues(unit, row))
            return true;
    }
}

/* Returns how much an address grows when the dimension's offset grows by `growth`. */
static uint64_t distance(const struct traversal_row_dim *dimension, uint64_t growth)
{
    return dimension->repeat ? 0 : growth;
}

/* Addresses from `low` up to `high`. */
struct range {
    int64_t low, high;
};

/* Extends the range by these steps from each of its addresses. Returns false if it would have
 * addresses of more than 32 bits; then it stays as it was. */
static bool extend(struct range *range, uint64_t steps, uint64_t step)
{
    int64_t limit = INT64_C(1) << 32, stride = (int64_t)step;

    if (steps >= (uint64_t)limit / 4 || stride >= limit || stride <= -limit)
        return false;
    int64_t length = (int64_t)steps * stride;
    struct range extended = {range->low + (length < 0 ? length : 0),
                             range->high + (length > 0 ? length : 0)};
    if (extended.low < 0 || extended.high >= limit)
        return false;
    *range = extended;
    return true;
}

/* Do lines from these addresses on stay below 4 GiB, with one more step, and the one after it that
 * is tried? (The sum of the position after the line and a step must not carry.) */
static bool have_low_lines(struct range starts, uint64_t elements, uint64_t step)
{
    return starts.low >= 0 && starts.high < INT64_C(1) << 32 && extend(&starts, elements + 1, step);
}

static uint64_t position(uint64_t address, uint64_t left)
{
    return left << 32 | address;
}

/* Gives the streak, whose whole lines are known, its turns. `starts` is where the line begins. */
static void add_turns(struct traversal_streak *streak, const struct traversal_row *row,
                      struct range starts)
{
    uint64_t step = distance(row->dim, (uint64_t)row->dim->step);
    uint64_t back = 0;  /* bytes from where all dimensions before this one wrap to their start, */
    uint64_t lines = 1; /* and the lines in between */

    for (unsigned i = 0; i < TRAVERSAL_WHEELS && i + 1 < row->dims; i++) {
        struct traversal_row_dim dimension = row->dim[i + 1];
        uint64_t stride = distance(&dimension, (uint64_t)dimension.step);
        uint64_t left = steps_inside(&dimension);
        if (!extend(&starts, left, stride) || !have_low_lines(starts, streak->line, step) ||
            left > UINT32_MAX / lines)
            return;
        uint64_t last = (uint64_t)dimension.offset + left * (uint64_t)dimension.step;
        dimension.offset = dimension.init;
        uint64_t whole = steps_inside(&dimension);
        streak->wheels[i] = (struct traversal_wheel){left, whole, stride + back};
        streak->turns += left * lines;
        /* The same addresses come each time that it wraps if it always does so at the same one. */
        if (whole > UINT32_MAX / lines - 1 ||
            (uint64_t)dimension.init + whole * (uint64_t)dimension.step != last ||
            (whole > left && !extend(&starts, whole - left, -stride)))
            return;
        back -= whole * stride;
        lines *= whole + 1;
    }
}

static void begin_streak(struct traversal_streak *streak, const struct traversal_row *row)
{
    struct traversal_row_dim inner = row->dim[0];
    uint64_t left = steps_inside(&inner), step = distance(&inner, (uint64_t)inner.step);
    uint64_t address = located(row), places = address | step;
    uint64_t start = address + distance(&inner, (uint64_t)inner.init - (uint64_t)inner.offset);

    if (!have_low_lines((struct range){(int64_t)address, (int64_t)address}, left + 1, step))
        return;
    *streak = (struct traversal_streak){.first = left + 1};
    inner.offset = inner.init;
    streak->line = steps_inside(&inner) + 1;
    if (start <= UINT32_MAX)
        add_turns(streak, row, (struct range){(int64_t)start, (int64_t)start});
    if (!left && !streak->turns) {
        streak->first = 0;
        return;
    }
    streak->lines = streak->turns;
    streak->position = position(address, left + (streak->turns != 0));
    streak->start = position(start, streak->line);
    for (unsigned i = 0; i < TRAVERSAL_WHEELS && streak->turns; i++)
        places |= start | streak->wheels[i].stride;
    for (unsigned i = 0; i < sizeof streak->steps / sizeof *streak->steps; i++)
        if ((places & ((1u << i) - 1)) == 0)
            streak->steps[i] = step - position(0, 1);
}

bool traversal_peek_closer(struct traversal_unit *unit, uint64_t row, uint64_t *address,
                           struct fault *fault)
{
    uint64_t current;

    while (row < TRAVERSAL_STREAKS && unit->streaks[row].turns) {
        struct traversal_streak *streak = &unit->streaks[row];
        *address = (uint32_t)(streak->position = traversal_turn(streak));
        if (traversal_has_element(streak->position))
            return true;
    }
    if (!find_current(unit, row, &current, fault))
        return false;
    if (current == unit->state.row_count)
        return fault_set(fault, CAUSE_FINISHED_WALK, row);
    if (!check_steps(unit, current, fault))
        return false;
    *address = located(&unit->state.row[current]);
    return true;
}

void traversal_advance_closer(struct traversal_unit *unit, struct port *port, uint64_t row)
{
    struct fault impossible;
    uint64_t current;

    if (!find_current(unit, row, &current, &impossible) || current == unit->state.row_count)
        return;
    iterate(unit, port, current);
    if (current == row && row < TRAVERSAL_STREAKS && !unit->state.row[row].done && !port->recorder)
        begin_streak(&unit->streaks[row], &unit->state.row[row]);
}

bool traversal_done(struct traversal_unit *unit, struct port *port __attribute__((unused)),
                    uint64_t row, uint64_t *done, struct fault *fault)
{
    uint64_t current;

    if (!find_current(unit, row, &current, fault))
        return false;
    *done = current == unit->state.row_count;
    return true;
}

void traversal_init(struct traversal_unit *unit, const struct traversal_settings *settings,
                    struct arena *arena)
{
    struct traversal_state staged;

    traversal_state_init(&staged, settings, arena);
    *unit = (struct traversal_unit){
        .staged = staged.row,
        .streaks = unit->own_streaks,
        .steps = arena_array(arena, settings->rows, sizeof *unit->steps),
    };
    traversal_state_init(&unit->state, settings, arena);
}
