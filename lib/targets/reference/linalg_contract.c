/* linalg_contract.c - reductions, contractions, windows, scans and scatters: every element of the result folds what it is
 * made of in loops inside its linalg.generic; scatters are loops over the updates. */
#include "lib/codegen/read/contract.h"
#include "lib/targets/reference/linalg_text.h"
#include "tcc/op_kinds.h"

typedef struct {
  int iv, result, zero, one;
  TccElem elem;
} Fold;

/* Wider than ops.def asks: sums here are in order, one by one, and long ones would lose digits that blocked sums keep. */
static TccElem accumulator(TccElem elem) { return elem == TCC_ELEM_F32 ? TCC_ELEM_F64 : linalg_accumulator(elem); }

/* for iv in [0, size) with one carried scalar; *acc is the carried value inside. */
static Fold fold_begin(LinalgText *t, int size, TccElem elem, int init, int *acc) {
  Fold f = {.elem = elem, .zero = linalg_index_constant(t, 0), .one = linalg_index_constant(t, 1)};
  f.result = linalg_text_fresh(t), f.iv = linalg_text_fresh(t), *acc = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s) {\n", f.result, f.iv, f.zero,
             size, f.one, *acc, init, linalg_elem(elem));
  return f;
}

static int fold_end(LinalgText *t, const Fold *f, int value) {
  linalg_put(t, "  scf.yield %%v%d : %s\n  }\n", value, linalg_elem(f->elem));
  return f->result;
}

static bool contains(const int64_t *list, size_t n, int64_t x) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == x) return true;
  return false;
}

static int reduced(LinalgText *t, MlirOperation op, MlirType type, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  TccElem elem = tcc_type_elem(type), wide = accumulator(elem);
  TccStr kind = tcc_string(t->ir, op, "kind");
  const int64_t *axes;
  size_t naxes;
  if (!tcc_get_ints(t->ir, op, "axes", &axes, &naxes)) return 0;
  bool keep = tcc_bool(t->ir, op, "keepdims");
  int rank = tcc_type_rank(tcc_value_type(x)), at[TCC_MAX_RANK], from = 0, depth = 0;
  Fold folds[TCC_MAX_RANK];
  int acc = linalg_neutral(t, kind, wide);
  for (int a = 0; a < rank; a++) {
    if (contains(axes, naxes, a)) {
      folds[depth] = fold_begin(t, linalg_dim(t, x, a), wide, acc, &acc);
      at[a] = folds[depth++].iv;
      from += keep;
    } else {
      at[a] = i[from++];
    }
  }
  acc = linalg_combine(t, kind, wide, acc, linalg_convert(t, linalg_extract(t, x, at), elem, wide));
  while (depth-- > 0) acc = fold_end(t, &folds[depth], acc);
  return linalg_convert(t, acc, wide, elem);
}

/* Carries (best, index): a NaN is the extreme, the first one stays. */
static int arg_reduced(LinalgText *t, MlirOperation op, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  TccElem elem = tcc_type_elem(tcc_value_type(x));
  const char *name = linalg_elem(elem);
  int axis = (int)tcc_i64(t->ir, op, "axis"), rank = tcc_type_rank(tcc_value_type(x)), at[TCC_MAX_RANK], from = 0;
  bool keep = tcc_bool(t->ir, op, "keepdims"), last = tcc_bool(t->ir, op, "last"),
       max = tcc_str_is(tcc_string(t->ir, op, "kind"), "max");
  bool f = tcc_elem_is_float(elem), is_unsigned = tcc_elem_is_unsigned(elem) || elem == TCC_ELEM_BOOL;
  for (int a = 0; a < rank; a++) {
    if (a == axis) from += keep;
    else at[a] = i[from++];
  }
  at[axis] = linalg_index_constant(t, 0);
  int first = linalg_extract(t, x, at), zero = at[axis], one = linalg_index_constant(t, 1), size = linalg_dim(t, x, axis);
  int result = linalg_text_fresh(t), iv = linalg_text_fresh(t), best = linalg_text_fresh(t), where = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d:2 = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d, %%v%d = %%v%d) -> (%s, index) {\n",
             result, iv, one, size, one, best, first, where, zero, name);
  at[axis] = iv;
  int value = linalg_extract(t, x, at), better;
  if (f) {
    better = linalg_op(t, "arith.cmpf o%s%s, %%v%d, %%v%d : %s", max ? "g" : "l", last ? "e" : "t", value, best, name);
    int new_nan = linalg_op(t, "arith.cmpf uno, %%v%d, %%v%d : %s", value, value, name);
    int old_nan = linalg_op(t, "arith.cmpf uno, %%v%d, %%v%d : %s", best, best, name), yes = linalg_op(t, "arith.constant true");
    int was_number = linalg_op(t, "arith.xori %%v%d, %%v%d : i1", old_nan, yes);
    int took = linalg_op(t, "arith.ori %%v%d, %%v%d : i1", better, new_nan);
    better =
        last ? linalg_op(t, "arith.ori %%v%d, %%v%d : i1", new_nan, linalg_op(t, "arith.andi %%v%d, %%v%d : i1", took, was_number))
             : linalg_op(t, "arith.andi %%v%d, %%v%d : i1", took, was_number);
  } else {
    better = linalg_op(t, "arith.cmpi %s%s%s, %%v%d, %%v%d : %s", is_unsigned ? "u" : "s", max ? "g" : "l", last ? "e" : "t", value,
                       best, name);
  }
  int next = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : %s", better, value, best, name);
  int place = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : index", better, iv, where);
  linalg_put(t, "  scf.yield %%v%d, %%v%d : %s, index\n  }\n", next, place, name);
  int moved = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = arith.index_cast %%v%d#1 : index to i64\n", moved, result);
  return moved;
}

static int cumulated(LinalgText *t, MlirOperation op, MlirType type, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  TccElem elem = tcc_type_elem(type), wide = accumulator(elem);
  TccStr kind = tcc_string(t->ir, op, "kind");
  int axis = (int)tcc_i64(t->ir, op, "axis"), rank = tcc_type_rank(type), at[TCC_MAX_RANK], acc;
  bool exclusive = tcc_bool(t->ir, op, "exclusive"), reverse = tcc_bool(t->ir, op, "reverse");
  int one = linalg_index_constant(t, 1), last = linalg_sub(t, linalg_dim(t, x, axis), one);
  int position = reverse ? linalg_sub(t, last, i[axis]) : i[axis];
  Fold f = fold_begin(t, exclusive ? position : linalg_add(t, position, one), wide, linalg_neutral(t, kind, wide), &acc);
  for (int a = 0; a < rank; a++) at[a] = i[a];
  at[axis] = reverse ? linalg_sub(t, last, f.iv) : f.iv;
  acc = linalg_combine(t, kind, wide, acc, linalg_convert(t, linalg_extract(t, x, at), elem, wide));
  return linalg_convert(t, fold_end(t, &f, acc), wide, elem);
}

static int dotted(LinalgText *t, MlirOperation op, MlirType type, const int *i) {
  TccDotAxes d;
  if (!tcc_dot_axes(t->ir, op, &d)) return 0;
  MlirValue a = d.operand[0], b = d.operand[1];
  TccElem a_elem = tcc_type_elem(tcc_value_type(a)), b_elem = tcc_type_elem(tcc_value_type(b)), elem = tcc_type_elem(type),
          wide = accumulator(elem);
  int at[TCC_MAX_RANK], bt[TCC_MAX_RANK], next = d.nbatch, acc = linalg_zero(t, wide);
  for (int k = 0; k < d.nbatch; k++) at[d.batch[0][k]] = bt[d.batch[1][k]] = i[k];
  for (int k = 0; k < d.nfree[0]; k++) at[d.free[0][k]] = i[next++];
  for (int k = 0; k < d.nfree[1]; k++) bt[d.free[1][k]] = i[next++];
  Fold folds[TCC_MAX_RANK];
  for (int k = 0; k < d.ncontract; k++) {
    folds[k] = fold_begin(t, linalg_dim(t, a, d.contract[0][k]), wide, acc, &acc);
    at[d.contract[0][k]] = bt[d.contract[1][k]] = folds[k].iv;
  }
  int x = linalg_convert(t, linalg_extract(t, a, at), a_elem, wide), y = linalg_convert(t, linalg_extract(t, b, bt), b_elem, wide);
  acc = linalg_combine(t, tcc_str("sum"), wide, acc, linalg_combine(t, tcc_str("prod"), wide, x, y));
  for (int k = d.ncontract; k-- > 0;) acc = fold_end(t, &folds[k], acc);
  return linalg_convert(t, acc, wide, elem);
}

/* value = condition ? x[at] : otherwise, never reading outside */
static int read_if(LinalgText *t, int condition, MlirValue x, const int *at, TccElem wide, int otherwise) {
  TccElem elem = tcc_type_elem(tcc_value_type(x));
  int number = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.if %%v%d -> (%s) {\n", number, condition, linalg_elem(wide));
  int value = linalg_convert(t, linalg_extract(t, x, at), elem, wide);
  linalg_put(t, "  scf.yield %%v%d : %s\n  } else {\n  scf.yield %%v%d : %s\n  }\n", value, linalg_elem(wide), otherwise,
             linalg_elem(wide));
  return number;
}

typedef struct {
  const int64_t *strides, *pads, *dilations;
  size_t n;
} Window;

static bool window_of(LinalgText *t, MlirOperation op, Window *w) {
  size_t n;
  return tcc_get_ints(t->ir, op, "strides", &w->strides, &w->n) && tcc_get_ints(t->ir, op, "pads", &w->pads, &n) &&
         tcc_get_ints(t->ir, op, "dilations", &w->dilations, &n);
}

static int times(LinalgText *t, int a, int64_t c) { return linalg_mul(t, a, linalg_index_constant(t, c)); }

static int convolved(LinalgText *t, MlirOperation op, TccOpKind kind, MlirType type, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  TccElem elem = tcc_type_elem(type), wide = accumulator(elem);
  Window win;
  if (!window_of(t, op, &win)) return 0;
  bool transposed = kind == TCC_OP_CONV_TRANSPOSE;
  int groups = linalg_index_constant(t, tcc_i64(t->ir, op, "groups"));
  int per_group_out = linalg_op(t, "arith.divui %%v%d, %%v%d : index", linalg_size(t, tcc_type_dim(t->ir, type, 1)), groups);
  int per_group_in = linalg_op(t, "arith.divui %%v%d, %%v%d : index", linalg_dim(t, x, 1), groups);
  int group = linalg_op(t, "arith.divui %%v%d, %%v%d : index", i[1], per_group_out);
  int acc = tcc_value_is_none(t->ir, bias) ? linalg_zero(t, wide) : linalg_convert(t, linalg_extract(t, bias, &i[1]), elem, wide);
  int at[TCC_MAX_RANK] = {i[0]}, wt[TCC_MAX_RANK];
  Fold folds[TCC_MAX_RANK];
  folds[0] = fold_begin(t, per_group_in, wide, acc, &acc);
  at[1] = linalg_add(t, linalg_mul(t, group, per_group_in), folds[0].iv);
  wt[0] = transposed ? at[1] : i[1];
  wt[1] = transposed ? linalg_op(t, "arith.remui %%v%d, %%v%d : index", i[1], per_group_out) : folds[0].iv;
  int inside = linalg_op(t, "arith.constant true");
  for (size_t d = 0; d < win.n; d++) {
    folds[d + 1] = fold_begin(t, linalg_dim(t, w, (int)d + 2), wide, acc, &acc);
    wt[d + 2] = folds[d + 1].iv;
    int reach = times(t, wt[d + 2], win.dilations[d]), pad = linalg_index_constant(t, win.pads[d]),
        size = linalg_dim(t, x, (int)d + 2);
    if (!transposed) {
      at[d + 2] = linalg_sub(t, linalg_add(t, times(t, i[d + 2], win.strides[d]), reach), pad);
    } else { /* o = i * stride + k * dilation - pad, solved for i */
      int place = linalg_sub(t, linalg_add(t, i[d + 2], pad), reach), stride = linalg_index_constant(t, win.strides[d]);
      int rest = linalg_op(t, "arith.remsi %%v%d, %%v%d : index", place, stride), zero = linalg_index_constant(t, 0);
      int divides = linalg_op(t, "arith.cmpi eq, %%v%d, %%v%d : index", rest, zero);
      at[d + 2] = linalg_op(t, "arith.divsi %%v%d, %%v%d : index", place, stride);
      inside = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", inside, divides);
    }
    inside = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", inside, linalg_inside(t, at[d + 2], size));
  }
  int value = read_if(t, inside, x, at, wide, linalg_zero(t, wide)),
      weight = linalg_convert(t, linalg_extract(t, w, wt), tcc_type_elem(tcc_value_type(w)), wide);
  acc = linalg_combine(t, tcc_str("sum"), wide, acc, linalg_combine(t, tcc_str("prod"), wide, value, weight));
  for (size_t d = win.n + 1; d-- > 0;) acc = fold_end(t, &folds[d], acc);
  return linalg_convert(t, acc, wide, elem);
}

/* Loops over a pooling window; at is where the window reads, *inside whether that is x. */
static int window_begin(LinalgText *t, MlirOperation op, const Window *win, const int64_t *kernel, TccElem wide, int acc,
                        const int *i, Fold *folds, int *at, int *inside) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  at[0] = i[0], at[1] = i[1];
  *inside = linalg_op(t, "arith.constant true");
  for (size_t d = 0; d < win->n; d++) {
    folds[d] = fold_begin(t, linalg_index_constant(t, kernel[d]), wide, acc, &acc);
    int reach = times(t, folds[d].iv, win->dilations[d]);
    at[d + 2] = linalg_sub(t, linalg_add(t, times(t, i[d + 2], win->strides[d]), reach), linalg_index_constant(t, win->pads[d]));
    *inside = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", *inside, linalg_inside(t, at[d + 2], linalg_dim(t, x, (int)d + 2)));
  }
  return acc;
}

/* The number of window elements that an average divides by: those inside x, or inside the padded x. */
static int window_count(LinalgText *t, MlirOperation op, const Window *win, const int64_t *kernel, TccElem wide, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  bool padded = tcc_bool(t->ir, op, "count_include_pad");
  Fold folds[TCC_MAX_RANK];
  int acc = linalg_zero(t, wide), one = linalg_neutral(t, tcc_str("prod"), wide), zero = acc,
      inside = linalg_op(t, "arith.constant true");
  for (size_t d = 0; d < win->n; d++) {
    folds[d] = fold_begin(t, linalg_index_constant(t, kernel[d]), wide, acc, &acc);
    int place = linalg_add(t, times(t, i[d + 2], win->strides[d]), times(t, folds[d].iv, win->dilations[d]));
    int size = linalg_dim(t, x, (int)d + 2);
    if (padded) size = linalg_add(t, size, linalg_index_constant(t, win->pads[d] + win->pads[d + win->n]));
    else place = linalg_sub(t, place, linalg_index_constant(t, win->pads[d]));
    inside = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", inside, linalg_inside(t, place, size));
  }
  int step = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : %s", inside, one, zero, linalg_elem(wide));
  acc = linalg_combine(t, tcc_str("sum"), wide, acc, step);
  for (size_t d = win->n; d-- > 0;) acc = fold_end(t, &folds[d], acc);
  return acc;
}

static int pooled(LinalgText *t, MlirOperation op, MlirType type, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  TccElem elem = tcc_type_elem(type), wide = accumulator(elem);
  TccStr kind = tcc_string(t->ir, op, "kind");
  const int64_t *kernel;
  size_t n;
  Window win;
  if (!window_of(t, op, &win) || !tcc_get_ints(t->ir, op, "kernel", &kernel, &n)) return 0;
  Fold folds[TCC_MAX_RANK];
  int at[TCC_MAX_RANK], inside, neutral = linalg_neutral(t, kind, wide);
  int acc = window_begin(t, op, &win, kernel, wide, neutral, i, folds, at, &inside);
  acc = linalg_combine(t, kind, wide, acc, read_if(t, inside, x, at, wide, neutral));
  for (size_t d = win.n; d-- > 0;) acc = fold_end(t, &folds[d], acc);
  if (tcc_str_is(kind, "avg"))
    acc = linalg_op(t, "arith.div%s %%v%d, %%v%d : %s", tcc_elem_is_float(wide) ? "f" : "si", acc,
                    window_count(t, op, &win, kernel, wide, i), linalg_elem(wide));
  return linalg_convert(t, acc, wide, elem);
}

/* The flat index of the window's maximum: the fold carries the index; its value is read again to compare. */
static int pooled_index(LinalgText *t, MlirOperation op, const int *i) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  TccElem elem = tcc_type_elem(tcc_value_type(x));
  const int64_t *kernel;
  size_t n;
  Window win;
  if (!window_of(t, op, &win) || !tcc_get_ints(t->ir, op, "kernel", &kernel, &n)) return 0;
  int rank = tcc_type_rank(tcc_value_type(x)), at[TCC_MAX_RANK], inside, order[TCC_MAX_RANK], flat = linalg_index_constant(t, 0);
  bool column_major = tcc_bool(t->ir, op, "column_major");
  for (int d = 0; d < rank; d++) order[d] = d < 2 || !column_major ? d : rank + 1 - d;
  Fold folds[TCC_MAX_RANK];
  int acc = window_begin(t, op, &win, kernel, TCC_ELEM_I64, linalg_op(t, "arith.constant -1 : i64"), i, folds, at, &inside);
  for (int d = 0; d < rank; d++) flat = linalg_add(t, linalg_mul(t, flat, linalg_dim(t, x, order[d])), at[order[d]]);
  int here = linalg_op(t, "arith.index_cast %%v%d : index to i64", flat), zero = linalg_zero(t, TCC_ELEM_I64);
  int none_yet = linalg_op(t, "arith.cmpi slt, %%v%d, %%v%d : i64", acc, zero);
  int rest = linalg_op(t, "arith.index_cast %%v%d : i64 to index", linalg_op(t, "arith.maxsi %%v%d, %%v%d : i64", acc, zero)),
      best[TCC_MAX_RANK];
  for (int d = rank; d-- > 0;) {
    int size = linalg_dim(t, x, order[d]);
    best[order[d]] = linalg_op(t, "arith.remui %%v%d, %%v%d : index", rest, size);
    rest = linalg_op(t, "arith.divui %%v%d, %%v%d : index", rest, size);
  }
  int low = linalg_neutral(t, tcc_str("max"), elem);
  int value = read_if(t, inside, x, at, elem, low), known = linalg_extract(t, x, best);
  int more = linalg_op(t,
                       tcc_elem_is_float(elem)      ? "arith.cmpf ogt, %%v%d, %%v%d : %s"
                       : tcc_elem_is_unsigned(elem) ? "arith.cmpi ugt, %%v%d, %%v%d : %s"
                                                    : "arith.cmpi sgt, %%v%d, %%v%d : %s",
                       value, known, linalg_elem(elem));
  int take = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", inside, linalg_op(t, "arith.ori %%v%d, %%v%d : i1", more, none_yet));
  acc = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : i64", take, here, acc);
  for (size_t d = win.n; d-- > 0;) acc = fold_end(t, &folds[d], acc);
  return acc;
}

/* ---- scatters ---- */

typedef struct {
  LinalgText *t;
  MlirOperation op;
  MlirValue x, indices, updates;
  MlirType type; /* of x and of the result, which is carried through the loops */
  int at[TCC_MAX_RANK];
  int zero, valid; /* valid: the place is inside x */
} Scatter;

static void put_typed_place(const Scatter *s) {
  for (int a = 0; a < tcc_type_rank(s->type); a++) linalg_put(s->t, "%s%%v%d", a ? ", " : "", s->at[a]);
  linalg_put(s->t, "] : ");
  linalg_put_type(s->t, s->type);
  linalg_put(s->t, "\n");
}

static void put_yield(const Scatter *s, int value, const char *behind) {
  linalg_put(s->t, "  scf.yield %%v%d : ", value);
  linalg_put_type(s->t, s->type);
  linalg_put(s->t, "%s", behind);
}

/* The index as it stands in the tensor of indices, the n-th of its tuple, negative ones counted from the end where they are valid. */
static void set_place(Scatter *s, int n, int axis, int raw) {
  LinalgText *t = s->t;
  int size = linalg_dim(t, s->x, axis);
  int index = linalg_op(t, "arith.index_cast %%v%d : %s to index", raw, linalg_elem(tcc_type_elem(tcc_value_type(s->indices))));
  s->at[axis] = index;
  if (tcc_valid(t->ir, s->op) != TCC_VALID_UNSIGNED) {
    int negative = linalg_op(t, "arith.cmpi slt, %%v%d, %%v%d : index", index, s->zero), wrapped = linalg_add(t, index, size);
    s->at[axis] = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : index", negative, wrapped, index);
  }
  linalg_fault(t, s->op, n, index, s->at[axis], size);
  s->valid = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", s->valid, linalg_inside(t, s->at[axis], size));
}

/* Where the update at `iv` goes. depth: of scatter_nd, the last size of its indices. */
static void set_places(Scatter *s, TccOpKind kind, const int *iv, int64_t depth) {
  int rank = tcc_type_rank(s->type), index_rank = tcc_type_rank(tcc_value_type(s->indices)), place[TCC_MAX_RANK];
  s->valid = linalg_op(s->t, "arith.constant true");
  if (kind == TCC_OP_SCATTER_ELEMENTS) {
    int raw = linalg_extract(s->t, s->indices, iv);
    for (int a = 0; a < rank; a++) s->at[a] = iv[a];
    set_place(s, 0, (int)tcc_i64(s->t->ir, s->op, "axis"), raw);
    return;
  }
  for (int a = 0; a < index_rank - 1; a++) place[a] = iv[a];
  for (int d = 0; d < (int)depth; d++) {
    place[index_rank - 1] = linalg_index_constant(s->t, d);
    int raw = linalg_extract(s->t, s->indices, place);
    set_place(s, d, d, raw);
  }
  for (int a = (int)depth; a < rank; a++) s->at[a] = iv[index_rank - 1 + a - (int)depth];
}

/* The carried tensor with one update; an index outside changes nothing. */
static int update(const Scatter *s, const int *iv, int carried) {
  LinalgText *t = s->t;
  TccElem elem = tcc_type_elem(s->type), wide = accumulator(elem);
  TccStr reduction = tcc_string(t->ir, s->op, "reduction");
  int value = linalg_extract(t, s->updates, iv), next = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.if %%v%d -> (", next, s->valid);
  linalg_put_type(t, s->type);
  linalg_put(t, ") {\n");
  int old = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = tensor.extract %%v%d[", old, carried);
  put_typed_place(s);
  int inserted = linalg_text_fresh(t);
  if (!tcc_str_is(reduction, "none")) {
    int a = linalg_convert(t, old, elem, wide), b = linalg_convert(t, value, elem, wide);
    value = linalg_convert(t, linalg_combine(t, reduction, wide, a, b), wide, elem);
  }
  linalg_put(t, "  %%v%d = tensor.insert %%v%d into %%v%d[", inserted, value, carried);
  put_typed_place(s);
  put_yield(s, inserted, "\n  } else {\n");
  put_yield(s, carried, "\n  }\n");
  return next;
}

/* Loops over all updates, the result tensor carried: later updates win, or are combined in order. */
static void scattered(LinalgText *t, MlirOperation op, TccOpKind kind) {
  Scatter s = {
      .t = t, .op = op, .x = mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), mlirOperationGetOperand(op, 2)};
  s.type = tcc_value_type(s.x);
  MlirType index_type = tcc_value_type(s.indices);
  int update_rank = tcc_type_rank(tcc_value_type(s.updates)), iv[TCC_MAX_RANK], results[TCC_MAX_RANK];
  int carried = linalg_text_number(t, s.x);
  s.zero = linalg_index_constant(t, 0);
  int one = linalg_index_constant(t, 1);
  int64_t depth = 0;
  if (kind == TCC_OP_SCATTER_ND && !tcc_expr_is_const(tcc_type_dim(t->ir, index_type, tcc_type_rank(index_type) - 1), &depth)) {
    linalg_fail(t, "the last size of the indices must be static");
    return;
  }
  for (int d = 0; d < update_rank; d++) {
    int size = linalg_dim(t, s.updates, d), inner = linalg_text_fresh(t);
    results[d] = linalg_text_fresh(t), iv[d] = linalg_text_fresh(t);
    linalg_put(t, "  %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (", results[d], iv[d], s.zero,
               size, one, inner, carried);
    linalg_put_type(t, s.type);
    linalg_put(t, ") {\n");
    carried = inner;
  }
  set_places(&s, kind, iv, depth);
  int next = update(&s, iv, carried);
  for (int d = update_rank; d-- > 0;) {
    put_yield(&s, next, "\n  }\n");
    next = results[d];
  }
  linalg_text_bind(t, mlirOperationGetResult(op, 0), next);
}

bool linalg_contract(LinalgText *t, MlirOperation op, TccOpKind kind) {
  if (kind == TCC_OP_SCATTER_ELEMENTS || kind == TCC_OP_SCATTER_ND) {
    scattered(t, op, kind);
    return true;
  }
  if (kind == TCC_OP_TRIANGULAR_SOLVE) {
    linalg_solve(t, op);
    return true;
  }
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = tcc_value_type(result);
  int i[TCC_MAX_RANK + 1], value;
  switch (kind) {
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE:
  case TCC_OP_CUMULATIVE:
  case TCC_OP_DOT_GENERAL:
  case TCC_OP_CONV:
  case TCC_OP_CONV_TRANSPOSE:
  case TCC_OP_POOL:
  case TCC_OP_POOL_INDEX: break;
  default: return false;
  }
  int number = linalg_fill_begin(t, type, i);
  switch (kind) {
  case TCC_OP_REDUCE: value = reduced(t, op, type, i); break;
  case TCC_OP_ARG_REDUCE: value = arg_reduced(t, op, i); break;
  case TCC_OP_CUMULATIVE: value = cumulated(t, op, type, i); break;
  case TCC_OP_DOT_GENERAL: value = dotted(t, op, type, i); break;
  case TCC_OP_POOL: value = pooled(t, op, type, i); break;
  case TCC_OP_POOL_INDEX: value = pooled_index(t, op, i); break;
  default: value = convolved(t, op, kind, type, i); break;
  }
  linalg_fill_end(t, type, value);
  linalg_text_bind(t, result, number);
  return true;
}
