/* See barrel.h. Products and sums are those of the host, which rounds to nearest even. Every result
 * that is not a number is the canonical NaN, so only the last sum has to become it. */
#include "emu/units/barrel.h"
#include "emu/float/host.h"
#include "emu/trap.h"
#include "lib/float_format.h"

enum { LANES = 4 };

void barrel_init(struct barrel_unit *unit, const struct barrel_settings *settings,
                 struct arena *arena)
{
    barrel_state_init(&unit->state, settings, arena);
}

/* Returns the sum of four products: rounded products, added in a balanced tree. */
static float sum_of_products(const struct barrel_place *weights, const uint32_t *values)
{
    float products[LANES];

    for (unsigned i = 0; i < LANES; i++)
        products[i] = f32_value(weights[i].shared_weight) * f32_value(values[i]);
    return (products[0] + products[1]) + (products[2] + products[3]);
}

static uint32_t result_of(float value)
{
    return value == value ? f32_bits(value) : (uint32_t)float_layouts[FLOAT_F32].quiet_nan;
}

bool barrel_weight(struct barrel_unit *unit, struct port *port, uint64_t w, uint32_t *fd,
                   struct fault *fault)
{
    (void)port;
    if (w >= unit->state.place_count)
        return fault_set(fault, CAUSE_NO_WEIGHT, w);
    *fd = unit->state.place[w].shared_weight;
    return true;
}

bool barrel_dot(struct barrel_unit *unit, struct port *port, const uint32_t fs[LANES],
                uint64_t part, uint32_t *fd, struct fault *fault)
{
    (void)port;
    if (part >= unit->state.place_count / LANES)
        return fault_set(fault, CAUSE_BARREL_PART, part);
    *fd = result_of(sum_of_products(&unit->state.place[part * LANES], fs));
    return true;
}

bool barrel_multiply(struct barrel_unit *unit, struct port *port, const uint32_t fs[LANES],
                     uint64_t part, uint32_t fd[LANES], struct fault *fault)
{
    const struct barrel_place *weights = &unit->state.place[part * LANES * LANES];

    (void)port;
    if (part >= unit->state.place_count / (LANES * LANES))
        return fault_set(fault, CAUSE_BARREL_PART, part);
    for (unsigned i = 0; i < LANES; i++)
        fd[i] = result_of(f32_value(fd[i]) + sum_of_products(&weights[i * LANES], fs));
    return true;
}
