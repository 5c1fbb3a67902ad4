/* product.c with one fused multiply-add for each pair, which is what compilers make of such a loop
 * by default. */
#define FUSED
#include "product.c"
