/* product.c with one fused multiply-add for each pair, as compilers make it of such a loop unless
 * they are told not to. */
#define FUSED
#include "product.c"
