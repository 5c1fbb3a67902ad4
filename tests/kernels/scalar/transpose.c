/* The transpositions of tests/kernels/transpose.s in plain C.
 *
 * COMPARE: transposed:140 bytes
 * COMPARE: permuted:60 bytes
 * RUN: %python %tools/instruction_counts.py --build %build --check transpose
 */
#include "scalar.h"

enum { ROWS = 5, COLUMNS = 7, CHANNELS = 3, HEIGHT = 4, WIDTH = 5 };

__asm__(".pushsection .rodata\n.balign 4\n"
        "matrix: .set number, 0\n.rept 5 * 7\n.word 17 * number\n.set number, number + 1\n.endr\n"
        "image: .set number, 0\n.rept 3 * 4 * 5\n.byte number\n.set number, number + "
        "1\n.endr\n.popsection");
extern const uint32_t matrix[ROWS][COLUMNS];
extern const uint8_t image[CHANNELS][HEIGHT][WIDTH];
uint32_t transposed[COLUMNS][ROWS];
uint8_t permuted[HEIGHT][WIDTH][CHANNELS];

static void kernel(void)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            transposed[c][r] = matrix[r][c];
    for (int c = 0; c < CHANNELS; c++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                permuted[y][x][c] = image[c][y][x];
}
