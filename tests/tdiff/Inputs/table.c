/* Adds values in a hash table and sorts them. With FIX, the values of one key are negated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
    struct node *next;
    int key;
    double value;
};

static struct node *table[64];

#ifdef FIX
static const char *messages[] = {"one", "two", "three"};

static int extra(int a)
{
    return a * 3 + (int)strlen(messages[a % 3]);
}
#endif

static unsigned hash(int key)
{
    return (unsigned)key * 2654435761u >> 26;
}

static struct node *find(int key)
{
    struct node *node = table[hash(key)];

    while (node && node->key != key)
        node = node->next;
    return node;
}

static void add(int key, double value)
{
    struct node *node = find(key);

    if (!node) {
        node = malloc(sizeof *node);
        *node = (struct node){table[hash(key)], key, 0};
        table[hash(key)] = node;
    }
#ifdef FIX
    if (key == 77 && extra(key) > 0)
        value = -value;
#endif
    node->value += value;
}

static int compare(const void *a, const void *b)
{
    double x = (*(struct node *const *)a)->value, y = (*(struct node *const *)b)->value;

    return x < y ? -1 : x > y;
}

int main(void)
{
    struct node *all[1000];
    int count = 0;

    for (int i = 0; i < 6000; i++)
        add(i * 7 % 500, i * 0.5);
    for (int i = 0; i < 64; i++)
        for (struct node *node = table[i]; node; node = node->next)
            all[count++] = node;
    qsort(all, (size_t)count, sizeof *all, compare);
    for (int i = 0; i < 5; i++)
        printf("%d %g\n", all[i]->key, all[i]->value);
    return 0;
}
