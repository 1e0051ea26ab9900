/* What bytes claim is checked before memory or trust follows: found by the fuzz targets. */
#include "tcc/expr.h"
#include "tcc/tensor.h"
#include <stdio.h>

static int failures;

static void refuses(TccStatus *status, const char *what) {
  if (tcc_status_code(status) != TCC_INVALID) {
    printf("%s: %s\n", what, tcc_status_message(status));
    ++failures;
  }
  tcc_status_destroy(status);
}

int main(void) {
  /* dims 2^40, element type f32, no data */
  static const unsigned char proto[] = {0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0x10, 0x01};
  TccHostTensor *tensor;
  refuses(tcc_host_tensor_parse_proto(proto, sizeof proto, &tensor), "a TensorProto without the data of its shape");
  static const char npy[] = "\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1099511627776,), }  \n";
  refuses(tcc_host_tensor_parse_npy(npy, sizeof npy - 1, &tensor), "a NumPy file without the data of its shape");
  TccArena *arena = tcc_arena_create();
  const TccExpr *e;
  refuses(tcc_expr_parse(tcc_expr_pool_create(arena), (TccStr){"'a\0b'", 5}, &e), "a size with a NUL in its name");
  tcc_arena_destroy(arena);
  return failures != 0;
}
