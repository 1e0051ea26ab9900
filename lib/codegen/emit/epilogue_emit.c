/* epilogue_emit.c - see epilogue_emit.h. */
#include "lib/codegen/emit/epilogue_emit.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/read/kernel.h"

static const char *const call_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};

void tcc_epilogue_call(TccKernelEmit *k, const char *name, const TccEpilogueCall *c) {
  TccVal args[] = {c->block, c->frame ? c->frame : k->arguments, k->size_pointer, c->batch, c->row, c->column, c->rows, c->columns};
  tcc_emit_call(k->e, name, 8, args, call_types, NULL);
}

typedef struct {
  TccKernelEmit *k;
  const TccEpilogueBlock *b;
  int lanes;
  TccVal mask, acc, sum;                /* acc: the anchor's value; sum: before it was rounded to its type */
  TccVal base[TCC_EPILOGUE_LEAVES + 1]; /* result and leaves: pointer of the row, at its first column or at this one */
  bool at_column;
  TccVal column;
  TccVal bias; /* where all rows have the same: loaded once for them */
  int nvalues;
  struct {
    MlirValue value;
    TccVal v;
  } values[TCC_EPILOGUE_OPS + TCC_EPILOGUE_LEAVES];
} Lane;

static const char *storage(TccElem elem) { return elem == TCC_ELEM_BOOL ? "i8" : tcc_scalar_type(elem); }

/* Address and stride of tensor t (0: result, 1 + i: leaf i) at the lane group's column. */
static TccVal column_address(Lane *l, int t, TccElem elem) {
  if (l->at_column) return l->base[t];
  TccVal offset = tcc_span_offset(l->k, l->b->columns, l->b->first + t, l->column);
  return tcc_emit_gep(l->k->e, storage(elem), l->base[t], offset);
}

static TccVal load_leaf(Lane *l, int leaf) {
  TccEmit *e = l->k->e;
  const TccEpilogue *ep = l->b->epilogue;
  TccElem elem = ep->view[leaf].elem;
  const char *scalar = storage(elem), *type = tcc_emit_vector(e, scalar, l->lanes);
  const TccExpr *stride = tcc_span_inner_stride(l->k->ir, l->b->columns, l->b->first + 1 + leaf);
  TccVal p = column_address(l, 1 + leaf, elem), v;
  int64_t known = -1;
  bool is_const = tcc_expr_is_const(stride, &known);
  if (l->lanes == 1) v = tcc_emit_load(e, type, p);
  else if (is_const && known == 0) v = tcc_emit_splat(e, type, tcc_emit_load(e, scalar, p));
  else if (is_const && known == 1) v = tcc_emit_masked_load(e, type, p, l->mask);
  else v = tcc_emit_load_steps(e, type, p, tcc_kernel_size(l->k, stride), l->mask);
  if (elem == TCC_ELEM_BOOL) v = tcc_emit_icmp(e, "ne", type, v, tcc_emit_zero(e, type));
  return v;
}

/* A conversion of a product's 16-bit result to what it is summed up in: the sum itself, unless each op rounds (docs/numerics.md). */
static bool reads_sum(const Lane *l, MlirOperation op) {
  return !l->k->e->eager && l->b->acc == TCC_ELEM_F32 && tcc_op_kind(l->k->ir, op) == TCC_OP_CONVERT &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), l->b->epilogue->anchor) &&
         tcc_value_elem(mlirOperationGetResult(op, 0)) == l->b->acc;
}

static TccStatus *value_of(Lane *l, MlirValue value, TccVal *out) {
  const TccEpilogue *ep = l->b->epilogue;
  *out = 0;
  if (mlirValueEqual(value, ep->anchor)) {
    *out = l->acc;
    return NULL;
  }
  if (tcc_read_number(l->k->ir, value, NULL)) {
    *out = tcc_scalar_constant(l->k->e, l->k->ir, value, l->lanes);
    tcc_emit_note_number(l->k->e, *out);
    return NULL;
  }
  for (int i = 0; i < l->nvalues; i++)
    if (mlirValueEqual(l->values[i].value, value)) {
      *out = l->values[i].v;
      return NULL;
    }
  bool found = false;
  for (int i = 0; i < ep->nleaves && !found; i++)
    if (i != ep->bias && mlirValueEqual(ep->leaf[i], value)) {
      *out = load_leaf(l, i);
      found = true;
    }
  if (!found) {
    MlirOperation op = tcc_value_op(value);
    if (reads_sum(l, op)) {
      *out = l->sum;
      return NULL;
    }
    TccVal operand[4] = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 4; i++)
      if (!tcc_value_is_none(l->k->ir, mlirOperationGetOperand(op, i)))
        TCC_TRY(value_of(l, mlirOperationGetOperand(op, i), &operand[i]));
    TCC_TRY(tcc_scalar_op(l->k->e, l->k->ir, op, l->lanes, operand, out));
  }
  l->values[l->nvalues].value = value;
  l->values[l->nvalues++].v = *out;
  return NULL;
}

static void store_result(Lane *l, TccElem elem, TccVal v) {
  TccEmit *e = l->k->e;
  const char *type = tcc_emit_vector(e, storage(elem), l->lanes);
  const TccExpr *stride = tcc_span_inner_stride(l->k->ir, l->b->columns, l->b->first);
  int64_t known;
  if (elem == TCC_ELEM_BOOL) v = tcc_emit_cast(e, "zext", tcc_emit_vector(e, "i1", l->lanes), type, v);
  TccVal p = column_address(l, 0, elem);
  if (l->lanes == 1) tcc_emit_store(e, type, v, p);
  else if (tcc_expr_is_const(stride, &known) && known == 1) tcc_emit_masked_store(e, type, v, p, l->mask);
  else tcc_emit_store_steps(e, type, v, p, tcc_kernel_size(l->k, stride), l->mask);
}

/* The accumulator in the element type of the anchor's result. */
static TccVal narrow(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v) {
  if (from == to) return v;
  const char *a = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *b = tcc_emit_vector(e, tcc_scalar_type(to), lanes);
  return tcc_elem_is_float(from) ? tcc_scalar_convert(e, from, to, lanes, v) : tcc_emit_cast(e, "trunc", a, b, v);
}

/* Narrow elements have no gather: they need even steps, or one lane at a time. */
static int choose_lanes(TccKernelEmit *k, const TccEpilogueBlock *b) {
  if (!tcc_span_vectorizes(b->columns, b->lanes)) return 1;
  for (int t = 0; t <= b->epilogue->nleaves; t++) {
    TccElem elem = t ? b->epilogue->view[t - 1].elem : b->epilogue->result.elem;
    int64_t stride;
    bool even =
        tcc_expr_is_const(tcc_span_inner_stride(k->ir, b->columns, b->first + t), &stride) && (stride == 1 || (t && stride == 0));
    if (!even && tcc_elem_bits(elem) < 32) return 1;
  }
  return b->lanes;
}

static TccElem elem_of(const TccEpilogue *ep, int t) { return t ? ep->view[t - 1].elem : ep->result.elem; }

static void move_bases(Lane *l, const TccSpan *span, TccVal at, const TccVal *from, TccVal *to) {
  for (int t = 0; t <= l->b->epilogue->nleaves; t++)
    to[t] = tcc_emit_gep(l->k->e, storage(elem_of(l->b->epilogue, t)), from[t], tcc_span_offset(l->k, span, l->b->first + t, at));
}

/* A vector of columns: the mask, and the leaves that are the same in all rows. */
static void enter_columns(Lane *l, TccVal from, TccVal column, TccVal columns, bool for_all_rows) {
  const TccEpilogue *ep = l->b->epilogue;
  l->column = tcc_emit_add(l->k->e, from, column);
  l->mask = l->lanes > 1 && !l->b->whole ? tcc_emit_mask(l->k->e, tcc_emit_sub(l->k->e, columns, column), l->lanes) : 0;
  for (int i = 0; for_all_rows && i < ep->nleaves; i++) {
    int64_t stride;
    if (!tcc_expr_is_const(tcc_span_inner_stride(l->k->ir, l->b->rows, l->b->first + 1 + i), &stride) || stride != 0) continue;
    TccVal v = load_leaf(l, i);
    if (i == ep->bias) l->bias = v;
    else l->values[l->nvalues].value = ep->leaf[i], l->values[l->nvalues++].v = v;
  }
}

/* A vector of accumulators through all ops, into the result. */
static TccStatus *emit_vector(Lane *l, TccVal v) {
  TccEmit *e = l->k->e;
  const TccEpilogue *ep = l->b->epilogue;
  TccElem acc = l->b->acc;
  const char *vector = tcc_emit_vector(e, tcc_scalar_type(acc), l->lanes);
  if (ep->bias >= 0) {
    TccVal bias = tcc_scalar_convert(e, ep->view[ep->bias].elem, acc, l->lanes, l->bias ? l->bias : load_leaf(l, ep->bias));
    v = tcc_emit_bin(e, tcc_elem_is_float(acc) ? "fadd" : "add", vector, v, bias);
  }
  l->sum = v;
  l->acc = narrow(e, acc, tcc_type_elem(tcc_value_type(ep->anchor)), l->lanes, v);
  TCC_TRY(value_of(l, ep->root, &v));
  store_result(l, ep->result.elem, v);
  return NULL;
}

bool tcc_epilogue_takes_registers(TccKernelEmit *k, const TccEpilogueBlock *b) {
  return b->rows->n <= 1 && choose_lanes(k, b) == b->lanes;
}

TccStatus *tcc_epilogue_emit_registers(TccKernelEmit *k, const TccEpilogueBlock *b, TccVal batch, int64_t rows, int64_t columns,
                                       const TccVal *sums) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  Lane l = {.k = k, .b = b, .lanes = b->lanes, .at_column = true};
  TccVal base[TCC_EPILOGUE_LEAVES + 1], inner[TCC_EPILOGUE_LEAVES + 1], zero = tcc_emit_i64(e, 0);
  int64_t vectors = tcc_ceil_div(columns, b->lanes);
  for (int t = 0; t <= ep->nleaves; t++) base[t] = tcc_view_pointer(k, t ? &ep->view[t - 1] : &ep->result);
  move_bases(&l, b->batch, batch, base, base);
  for (int64_t v = 0; v < vectors; v++) {
    move_bases(&l, b->columns, tcc_emit_i64(e, v * b->lanes), base, inner);
    memcpy(l.base, inner, sizeof inner);
    l.nvalues = 0;
    enter_columns(&l, zero, tcc_emit_i64(e, v * b->lanes), tcc_emit_i64(e, columns), true);
    if (columns - v * b->lanes >= b->lanes) l.mask = 0;
    for (int64_t r = 0, shared = l.nvalues; r < rows; r++) {
      l.nvalues = (int)shared;
      move_bases(&l, b->rows, tcc_emit_i64(e, r), inner, l.base);
      TCC_TRY(emit_vector(&l, sums[r * vectors + v]));
    }
  }
  return NULL;
}

/* ---- frames ---- */
/* Slots: pointers of the result and the leaves, bytes between their rows, bytes between rows of the block. */
static int64_t slot_of_rows(const TccEpilogue *ep, int t) { return 1 + ep->nleaves + t; }
static int64_t slot_of_block(const TccEpilogue *ep) { return slot_of_rows(ep, 1 + ep->nleaves); }

bool tcc_epilogue_takes_frame(const TccEpilogueBlock *b) { return b->rows->n <= 1 && !b->rows->lookup && !b->columns->lookup; }

TccVal tcc_epilogue_frame(TccKernelEmit *k, const TccEpilogueBlock *b) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  TccVal frame = tcc_emit_alloca(e, "i64", tcc_emit_i64(e, slot_of_block(ep) + 1));
  for (int t = 0; t <= ep->nleaves; t++) {
    TccVal bytes = tcc_emit_i64(e, tcc_elem_bits(elem_of(ep, t)) / 8),
           apart = tcc_kernel_size(k, tcc_span_inner_stride(k->ir, b->rows, b->first + t));
    tcc_emit_store(e, "i64", tcc_emit_mul(e, apart, bytes), tcc_emit_at(e, "i64", frame, slot_of_rows(ep, t)));
  }
  int64_t apart = b->stride * (int64_t)(tcc_elem_bits(b->acc) / 8);
  tcc_emit_store(e, "i64", tcc_emit_i64(e, apart), tcc_emit_at(e, "i64", frame, slot_of_block(ep)));
  return frame;
}

void tcc_epilogue_frame_batch(TccKernelEmit *k, const TccEpilogueBlock *b, TccVal frame, TccVal batch) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  for (int t = 0; t <= ep->nleaves; t++) {
    TccVal base = tcc_view_pointer(k, t ? &ep->view[t - 1] : &ep->result);
    base = tcc_emit_gep(e, storage(elem_of(ep, t)), base, tcc_span_offset(k, b->batch, b->first + t, batch));
    tcc_emit_store(e, TCC_PTR, base, tcc_emit_at(e, "i64", frame, t));
  }
}

/* Whether tensor t moves from row to row. */
static bool has_rows(TccKernelEmit *k, const TccEpilogueBlock *b, int t) {
  int64_t stride;
  return !tcc_expr_is_const(tcc_span_inner_stride(k->ir, b->rows, b->first + t), &stride) || stride != 0;
}

/* A vector of columns goes down all rows; each tensor's pointer, and the block's, goes along. */
static TccStatus *emit_framed(TccKernelEmit *k, const TccEpilogueBlock *b, const TccVal *arg) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  const TccVal frame = arg[1], row0 = arg[4], column0 = arg[5], rows = arg[6], columns = arg[7], zero = tcc_emit_i64(e, 0);
  const char *acc = tcc_scalar_type(b->acc), *types[TCC_EPILOGUE_LEAVES + 2];
  Lane l = {.k = k, .b = b, .lanes = choose_lanes(k, b), .at_column = true};
  TccVal base[TCC_EPILOGUE_LEAVES + 1], apart[TCC_EPILOGUE_LEAVES + 2], at[TCC_EPILOGUE_LEAVES + 2], next[TCC_EPILOGUE_LEAVES + 2];
  int moved[TCC_EPILOGUE_LEAVES + 1], n = 0; /* tensors that have rows */
  for (int t = 0; t <= ep->nleaves; t++) {
    base[t] = tcc_emit_load_once(e, TCC_PTR, frame, t);
    if (!has_rows(k, b, t)) continue;
    apart[n] = tcc_emit_load_once(e, "i64", frame, slot_of_rows(ep, t)), moved[n] = t;
    base[t] = tcc_emit_gep(e, "i8", base[t], tcc_emit_mul(e, row0, apart[n++]));
  }
  apart[n] = tcc_emit_load_once(e, "i64", frame, slot_of_block(ep));
  TccLoop outer, loop;
  tcc_emit_for(e, &outer, zero, columns, l.lanes, 0, NULL, NULL);
  l.column = tcc_emit_add(e, column0, outer.iv);
  move_bases(&l, b->columns, l.column, base, l.base);
  enter_columns(&l, column0, outer.iv, columns, true);
  for (int i = 0; i <= n; i++) at[i] = i < n ? l.base[moved[i]] : tcc_emit_gep(e, acc, arg[0], outer.iv), types[i] = TCC_PTR;
  tcc_emit_for(e, &loop, zero, rows, 1, n + 1, at, types);
  for (int i = 0; i < n; i++) l.base[moved[i]] = loop.in[i];
  TCC_TRY(emit_vector(&l, tcc_emit_load(e, tcc_emit_vector(e, acc, l.lanes), loop.in[n])));
  for (int i = 0; i <= n; i++) next[i] = tcc_emit_gep(e, "i8", loop.in[i], apart[i]);
  tcc_emit_end_for(e, &loop, next);
  tcc_emit_end_for(e, &outer, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* Where rows are one axis a vector of columns goes down all of them, with one mask and one bias; else an index of a row
 * takes divisions, and rows are outside. */
TccStatus *tcc_epilogue_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *b) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  TccVal arg[8];
  const char *params[8];
  memcpy(params, call_types, sizeof params);
  params[0] = TCC_PTR " {llvm.noalias}";
  if (b->framed) tcc_emit_tell(e, TCC_TELL_FLOATS);
  tcc_emit_function(e, name, true, 8, params, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  if (b->framed) return emit_framed(k, b, arg);
  TccVal row0 = arg[4], column0 = arg[5], rows = arg[6], columns = arg[7], zero = tcc_emit_i64(e, 0);
  const char *acc = tcc_scalar_type(b->acc);
  Lane l = {.k = k, .b = b, .lanes = choose_lanes(k, b), .at_column = b->rows->n <= 1};

  TccVal base[TCC_EPILOGUE_LEAVES + 1], inner[TCC_EPILOGUE_LEAVES + 1];
  for (int t = 0; t <= ep->nleaves; t++) base[t] = tcc_view_pointer(k, t ? &ep->view[t - 1] : &ep->result);
  move_bases(&l, b->batch, arg[3], base, base);
  TccLoop outer, loop;
  tcc_emit_for(e, &outer, zero, l.at_column ? columns : rows, l.at_column ? l.lanes : 1, 0, NULL, NULL);
  if (l.at_column) {
    l.column = tcc_emit_add(e, column0, outer.iv);
    move_bases(&l, b->columns, l.column, base, inner);
    memcpy(l.base, inner, sizeof inner);
    enter_columns(&l, column0, outer.iv, columns, true);
  } else {
    move_bases(&l, b->rows, tcc_emit_add(e, row0, outer.iv), base, l.base);
  }
  tcc_emit_for(e, &loop, zero, l.at_column ? rows : columns, l.at_column ? 1 : l.lanes, 0, NULL, NULL);
  TccVal row = l.at_column ? loop.iv : outer.iv, column = l.at_column ? outer.iv : loop.iv;
  if (l.at_column) move_bases(&l, b->rows, tcc_emit_add(e, row0, row), inner, l.base);
  else enter_columns(&l, column0, column, columns, false);
  TccVal block = tcc_emit_gep(e, acc, arg[0], tcc_emit_mul(e, row, tcc_emit_i64(e, b->stride)));
  TCC_TRY(emit_vector(&l, tcc_emit_load(e, tcc_emit_vector(e, acc, l.lanes), tcc_emit_gep(e, acc, block, column))));
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_end_for(e, &outer, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* Whether tensor t (0: result, 1 + i: leaf i) has rows of its own that columns follow evenly. */
static bool is_prefetched(TccKernelEmit *k, const TccEpilogueBlock *b, int t) {
  int64_t row, column;
  if (t && t - 1 == b->epilogue->bias) return false;
  bool along = tcc_expr_is_const(tcc_span_inner_stride(k->ir, b->columns, b->first + t), &column) && column == 1;
  bool one = tcc_expr_is_const(b->rows->count, &row) && row == 1;
  return along && !(!one && tcc_expr_is_const(tcc_span_inner_stride(k->ir, b->rows, b->first + t), &row) && row == 0);
}

typedef struct {
  const TccView *view;
  int number; /* in the spans */
  bool write;
  TccVal base;
} Prefetched;

/* `columns` of the rows of a tensor, from `row` on. */
static void ask_for_rows(TccKernelEmit *k, const TccEpilogueBlock *b, const Prefetched *t, const char *ask, TccVal row, TccVal rows,
                         int64_t columns) {
  static const char *const types[] = {TCC_PTR, "i64", "i64", "i64"};
  TccEmit *e = k->e;
  const int64_t bytes = tcc_elem_bits(t->view->elem) / 8;
  TccVal apart = tcc_kernel_size(k, tcc_span_inner_stride(k->ir, b->rows, t->number));
  TccVal args[] = {tcc_emit_gep(e, storage(t->view->elem), t->base, tcc_span_offset(k, b->rows, t->number, row)), rows,
                   tcc_emit_mul(e, apart, tcc_emit_i64(e, bytes)), tcc_emit_i64(e, tcc_ceil_div(columns * bytes, 64))};
  tcc_emit_call(e, ask, 4, args, types, NULL);
}

static void ask_in_a_loop(TccKernelEmit *k, const TccEpilogueBlock *b, const Prefetched *tensors, int n, const TccVal *arg,
                          int64_t columns) {
  TccEmit *e = k->e;
  TccLoop r;
  tcc_emit_for(e, &r, tcc_emit_i64(e, 0), arg[6], 1, 0, NULL, NULL);
  TccVal row = tcc_emit_add(e, arg[4], r.iv);
  for (int i = 0; i < n; i++) {
    const Prefetched *t = &tensors[i];
    TccVal p = tcc_emit_gep(e, storage(t->view->elem), t->base, tcc_span_offset(k, b->rows, t->number, row));
    int64_t bytes = columns * (int64_t)(tcc_elem_bits(t->view->elem) / 8);
    for (int64_t at = 0; at < bytes; at += 64) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", p, at), t->write, 3);
  }
  tcc_emit_end_for(e, &r, NULL);
}

bool tcc_epilogue_prefetch_emit(TccKernelEmit *k, const char *name, const TccEpilogueBlock *b, int64_t columns, bool result,
                                const char *const *ask) {
  TccEmit *e = k->e;
  const TccEpilogue *ep = b->epilogue;
  Prefetched tensors[TCC_EPILOGUE_LEAVES + 1];
  int n = 0;
  for (int t = result ? 0 : 1; t <= ep->nleaves; t++)
    if (is_prefetched(k, b, t)) tensors[n++] = (Prefetched){t ? &ep->view[t - 1] : &ep->result, b->first + t, t == 0, 0};
  if (!n) return false;
  TccVal arg[8];
  tcc_emit_tell(e, TCC_TELL_PLACES);
  tcc_emit_function(e, name, true, 8, call_types, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  for (int i = 0; i < n; i++) {
    Prefetched *t = &tensors[i];
    TccVal offset =
        tcc_emit_add(e, tcc_span_offset(k, b->batch, t->number, arg[3]), tcc_span_offset(k, b->columns, t->number, arg[5]));
    t->base = tcc_emit_gep(e, storage(t->view->elem), tcc_view_pointer(k, t->view), offset);
  }
  if (ask)
    for (int i = 0; i < n; i++) ask_for_rows(k, b, &tensors[i], ask[tensors[i].write], arg[4], arg[6], columns);
  else ask_in_a_loop(k, b, tensors, n, arg, columns);
  tcc_emit_return(e, 0, NULL);
  return true;
}
