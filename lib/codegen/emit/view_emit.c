/* view_emit.c - see view_emit.h. */
#include "lib/codegen/emit/view_emit.h"

TccVal tcc_view_pointer(TccKernelEmit *k, const TccView *view) {
  TccVal base = view->data ? tcc_emit_data(k->e, view->data, view->data_bytes) : tcc_kernel_argument(k, view->argument);
  unsigned bits = tcc_elem_bits(view->elem);
  return tcc_emit_gep(k->e,
                      bits == 8    ? "i8"
                      : bits == 16 ? "i16"
                      : bits == 32 ? "i32"
                                   : "i64",
                      base, tcc_kernel_size(k, view->offset));
}

TccVal tcc_span_offset(TccKernelEmit *k, const TccSpan *span, int t, TccVal index) {
  TccEmit *e = k->e;
  TccVal offset = tcc_emit_i64(e, 0);
  for (int i = span->n; i-- > 0;) {
    TccVal part = index;
    if (i > 0) {
      TccVal size = tcc_kernel_size(k, span->size[i]);
      part = tcc_emit_rem(e, index, size);
      index = tcc_emit_div(e, index, size);
    }
    offset = tcc_emit_add(e, offset, tcc_emit_mul(e, part, tcc_kernel_size(k, span->stride[i][t])));
  }
  return offset;
}
