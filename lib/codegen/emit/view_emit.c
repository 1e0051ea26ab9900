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

/* Which entry of the table entry `index` is. */
static TccVal looked_up(TccKernelEmit *k, const TccLookup *l, TccVal index) {
  TccEmit *e = k->e;
  const char *type = l->indices.elem == TCC_ELEM_I32 ? "i32" : "i64";
  TccVal at = tcc_emit_mul(e, index, tcc_kernel_size(k, l->indices.axis[0].stride[0]));
  TccVal entry = tcc_emit_load(e, type, tcc_emit_gep(e, type, tcc_view_pointer(k, &l->indices), at));
  if (l->indices.elem == TCC_ELEM_I32) entry = tcc_emit_cast(e, "sext", "i32", "i64", entry);
  TccVal size = tcc_kernel_size(k, l->size), zero = tcc_emit_i64(e, 0);
  TccVal from_end = tcc_emit_select(e, "i64", tcc_emit_icmp(e, "slt", "i64", entry, zero), tcc_emit_add(e, entry, size), entry);
  return tcc_emit_max(e, tcc_emit_min(e, from_end, tcc_emit_sub(e, size, tcc_emit_i64(e, 1))), zero);
}

TccVal tcc_span_offset(TccKernelEmit *k, const TccSpan *span, int t, TccVal index) {
  TccEmit *e = k->e;
  TccVal offset = tcc_emit_i64(e, 0);
  if (span->lookup && span->lookup_tensor == t) index = looked_up(k, span->lookup, index);
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
