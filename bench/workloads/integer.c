/* Mixed integer work, as in the control code around kernels: a linked list that is searched,
 * reversed and sorted, products of small matrices, a state machine that classifies numbers in a
 * text, and a CRC over every result. Branches and loads dominate; it fits in the L1 cache. */
#include "workload.h"

enum { NODES = 120, SIDE = 12, TEXT = 320, TURNS = 4 };

struct node {
    struct node *next;
    int16_t value, place;
};

enum state {
    START,
    SIGN,
    DIGITS,
    POINT,
    FRACTION,
    EXPONENT,
    EXPONENT_SIGN,
    EXPONENT_DIGITS,
    BAD,
    STATES
};

static struct node nodes[NODES];
static int16_t left[SIDE][SIDE], right[SIDE][SIDE];
static int32_t product[SIDE][SIDE];
static char text[TEXT];

/* CRC-16 with the polynomial x^16 + x^12 + x^5 + 1, bit by bit, of a 16-bit word. */
static uint16_t crc(uint16_t sum, uint16_t word)
{
    for (int bit = 15; bit >= 0; bit--) {
        unsigned carry = (sum >> 15 ^ word >> bit) & 1;
        sum = (uint16_t)(sum << 1 ^ (carry ? 0x1021 : 0));
    }
    return sum;
}

static struct node *build_list(uint32_t *state)
{
    for (int i = 0; i < NODES; i++) {
        nodes[i].next = i + 1 < NODES ? &nodes[i + 1] : 0;
        nodes[i].value = (int16_t)(draw(state) & 0x3ff);
        nodes[i].place = (int16_t)i;
    }
    return nodes;
}

static struct node *reverse(struct node *list)
{
    struct node *done = 0;

    while (list) {
        struct node *next = list->next;
        list->next = done;
        done = list;
        list = next;
    }
    return done;
}

static const struct node *find(const struct node *list, int16_t value)
{
    while (list && list->value != value)
        list = list->next;
    return list;
}

static int by_value(const struct node *a, const struct node *b)
{
    return a->value - b->value;
}

static int by_place(const struct node *a, const struct node *b)
{
    return a->place - b->place;
}

/* Splits off what follows the first `length` nodes and returns it. */
static struct node *split(struct node *list, int length)
{
    while (list && --length)
        list = list->next;
    if (!list)
        return 0;
    struct node *rest = list->next;
    list->next = 0;
    return rest;
}

/* Merge sort from runs of one node up; equal nodes keep their order. */
static struct node *sort(struct node *list,
                         int (*compare)(const struct node *, const struct node *))
{
    for (int length = 1; length < NODES; length *= 2) {
        struct node *sorted = 0, **end = &sorted;
        while (list) {
            struct node *a = list, *b = split(a, length);
            list = split(b, length);
            while (a || b) {
                struct node **from = !b || (a && compare(a, b) <= 0) ? &a : &b;
                *end = *from;
                end = &(*end)->next;
                *from = *end;
            }
            *end = 0;
        }
        list = sorted;
    }
    return list;
}

static uint16_t list_work(uint32_t *state)
{
    struct node *list = build_list(state);
    uint16_t sum = 0;

    for (int i = 0; i < 24; i++) {
        const struct node *found = find(list, (int16_t)(draw(state) & 0x3ff));
        sum = crc(sum, found ? (uint16_t)found->place : 0xffff);
        list = reverse(list);
    }
    list = sort(list, by_value);
    for (const struct node *node = list; node; node = node->next)
        sum = (uint16_t)(sum * 3 + (uint16_t)node->value);
    list = sort(list, by_place);
    return crc(sum, (uint16_t)list->next->value);
}

static uint16_t matrix_work(uint32_t *state)
{
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            left[i][j] = (int16_t)(draw(state) & 0xff);
            right[i][j] = (int16_t)((draw(state) & 0xff) - 128);
        }
    uint16_t sum = 0;
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int32_t total = 0;
            for (int k = 0; k < SIDE; k++)
                total += left[i][k] * right[k][j];
            product[i][j] = total;
        }
    for (int i = 0; i < SIDE; i++)
        for (int j = 0; j < SIDE; j++) {
            int32_t value = product[i][j];
            sum = (uint16_t)(sum + ((value >> 2 & 15) * (value >> 5 & 127)));
            sum = value > product[j][i] ? (uint16_t)(sum + 10) : (uint16_t)(sum ^ (value & 7));
        }
    return crc(0, sum);
}

static void write_text(uint32_t *state)
{
    static const char *const words[] = {"5012",   "-874,", "+122,",    "0.5",   "-110.7,", ".1e7",
                                        "+8e-3,", "1e+4.", "T0.3e-1F", "--12,", "33.e,",   "7"};
    int at = 0;

    while (at < TEXT) {
        for (const char *word = words[draw(state) % 12]; *word && at < TEXT; word++)
            text[at++] = *word;
        if (at < TEXT)
            text[at++] = ',';
    }
}

static enum state step(enum state state, char c)
{
    int digit = c >= '0' && c <= '9', sign = c == '+' || c == '-';

    switch (state) {
    case START:
        return digit ? DIGITS : sign ? SIGN : c == '.' ? POINT : BAD;
    case SIGN:
        return digit ? DIGITS : c == '.' ? POINT : BAD;
    case DIGITS:
        return digit ? DIGITS : c == '.' ? FRACTION : c == 'e' ? EXPONENT : BAD;
    case POINT:
        return digit ? FRACTION : BAD;
    case FRACTION:
        return digit ? FRACTION : c == 'e' ? EXPONENT : BAD;
    case EXPONENT:
        return digit ? EXPONENT_DIGITS : sign ? EXPONENT_SIGN : BAD;
    case EXPONENT_SIGN:
    case EXPONENT_DIGITS:
        return digit ? EXPONENT_DIGITS : BAD;
    default:
        return BAD;
    }
}

static uint16_t text_work(uint32_t *random)
{
    uint16_t visits[STATES] = {0}, ends[STATES] = {0}, sum = 0;

    write_text(random);
    enum state state = START;
    for (int i = 0; i < TEXT; i++) {
        if (text[i] == ',') {
            ends[state]++;
            state = START;
        } else {
            state = step(state, text[i]);
            visits[state]++;
        }
    }
    for (int i = 0; i < STATES; i++)
        sum = crc(crc(sum, visits[i]), ends[i]);
    return sum;
}

uint32_t workload(unsigned variant)
{
    uint32_t state = variant + 1, sum = 0;

    for (int turn = 0; turn < TURNS; turn++) {
        sum = mix(sum, list_work(&state));
        sum = mix(sum, matrix_work(&state));
        sum = mix(sum, text_work(&state));
    }
    return sum;
}
