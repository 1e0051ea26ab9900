/* conv_epilogue.c - a vector of a convolution's results through the epilogue into memory.
 *
 * Lanes are channels, so that every leaf is a vector beside the result's, or one value for all lanes. Values that several ops of
 * the epilogue read are computed once. */
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/read/kernel.h"
#include "lib/targets/x86/conv/conv_blocked.h"

enum { MOST_VALUES = 64 };

typedef struct {
  TccConvBlocked *c;
  int64_t pixel;
  const TccVal *base;
  TccVal acc;
  int n;
  struct {
    MlirValue value;
    TccVal v;
  } known[MOST_VALUES];
} Finish;

static TccVal address(const Finish *f, int tensor, TccElem elem) {
  TccConvBlocked *c = f->c;
  return tcc_emit_at(c->k->e, tcc_scalar_memory_type(elem), f->base[tensor], f->pixel * c->read.at[tensor].pixel);
}

static TccVal load_leaf(const Finish *f, int leaf) {
  TccConvBlocked *c = f->c;
  TccEmit *e = c->k->e;
  int lanes = c->read.shape.lanes;
  TccElem elem = c->read.epilogue.view[leaf].elem;
  const char *scalar = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(e, scalar, lanes);
  TccVal p = address(f, leaf + 1, elem), v;
  if (c->read.at[leaf + 1].lane == 0) v = tcc_emit_splat(e, type, tcc_emit_load(e, scalar, p));
  else v = tcc_emit_load(e, type, p);
  return tcc_scalar_from_memory(e, elem, lanes, v);
}

static TccStatus *value_of(Finish *f, MlirValue value, TccVal *out) {
  TccConvBlocked *c = f->c;
  const TccEpilogue *ep = &c->read.epilogue;
  *out = f->acc;
  if (mlirValueEqual(value, ep->anchor)) return NULL;
  if (tcc_read_number(c->read.ir, value, NULL)) {
    *out = tcc_scalar_constant(c->k->e, c->read.ir, value, c->read.shape.lanes);
    return NULL;
  }
  for (int i = 0; i < f->n; i++)
    if (mlirValueEqual(f->known[i].value, value)) {
      *out = f->known[i].v;
      return NULL;
    }
  bool found = false;
  for (int i = 0; i < ep->nleaves && !found; i++)
    if (mlirValueEqual(ep->leaf[i], value)) {
      *out = load_leaf(f, i);
      found = true;
    }
  if (!found) {
    MlirOperation op = tcc_value_op(value);
    TccVal operand[4] = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 4; i++)
      if (!tcc_value_is_none(c->read.ir, mlirOperationGetOperand(op, i)))
        TCC_TRY(value_of(f, mlirOperationGetOperand(op, i), &operand[i]));
    TCC_TRY(tcc_scalar_op(c->k->e, c->read.ir, op, c->read.shape.lanes, operand, out));
  }
  if (f->n == MOST_VALUES) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d values in an epilogue", MOST_VALUES);
  f->known[f->n].value = value;
  f->known[f->n++].v = *out;
  return NULL;
}

TccStatus *tcc_conv_epilogue_emit(TccConvBlocked *c, const TccVal *base, int64_t pixel, TccVal acc) {
  TccEmit *e = c->k->e;
  TccElem elem = c->read.epilogue.result.elem;
  Finish f = {.c = c, .pixel = pixel, .base = base, .acc = acc};
  TccVal v;
  TCC_TRY(value_of(&f, c->read.epilogue.root, &v));
  v = tcc_scalar_to_memory(e, elem, c->read.shape.lanes, v);
  tcc_emit_store(e, tcc_emit_vector(e, tcc_scalar_memory_type(elem), c->read.shape.lanes), v, address(&f, 0, elem));
  return NULL;
}
