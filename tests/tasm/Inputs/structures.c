/* Pointers, recursion, large frames, calls of other files, tables of functions. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

struct node {
    struct node *left, *right;
    double key;
    float weight;
    short s;
    unsigned char c;
    long long v;
};
static struct node pool[100];
static int used;

struct node *make(double key)
{
    struct node *node = &pool[used++];

    node->key = key;
    node->left = node->right = 0;
    node->weight = (float)key;
    node->s = (short)key;
    node->c = (unsigned char)key;
    node->v = (long long)key;
    return node;
}

struct node *insert(struct node *tree, double key)
{
    if (!tree)
        return make(key);
    if (key < tree->key)
        tree->left = insert(tree->left, key);
    else
        tree->right = insert(tree->right, key);
    return tree;
}

unsigned long hash(const char *s)
{
    unsigned long h = 5381;

    for (; *s; s++)
        h = h * 33 ^ *s;
    return h;
}

int frame(int x)
{
    int array[3000];

    memset(array, x, sizeof array);
    for (int i = 1; i < 3000; i++)
        array[i] = array[i - 1] * x + array[i];
    return array[2999];
}

void (*table[])(void) = {abort, 0};
const char text[] = "hello\tworld\n\"q\"\\ \001\377";
wchar_t wide[] = L"wide";
extern int elsewhere;
int *address = &elsewhere;
int *get(void)
{
    return &elsewhere;
}
static int fibonacci(int n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
int call(int n)
{
    return fibonacci(n);
}
void *__attribute__((section(".init_array"))) at_start = (void *)call;
void spin(volatile int *p)
{
    while (*p)
        __asm__ volatile("nop");
}
