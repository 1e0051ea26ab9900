/* index.c - which indices of gathers and scatters are valid: what the operator's standard says, or any (--indices=clamp).
 *
 * What is known while importing costs nothing at run time: constants, and sizes. One outside is an error here, or, where the size of the
 * axis is symbolic, a constraint of the model. Both hold only where the node surely runs; in the branches of an If and in the bodies of
 * loops the run checks. Where iterations and branches are computed whose results may be dropped (import_drops), nothing is an error. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"

typedef struct {
  const TccExpr *least, *most; /* the smallest constants, or one expression */
} Range;

static bool widen(ImportCall *c, Range *range, const TccExpr *e) {
  int64_t value, least, most;
  if (!e) return false;
  if (!range->least) {
    *range = (Range){e, e};
    return true;
  }
  if (!tcc_expr_is_const(e, &value) || !tcc_expr_is_const(range->least, &least) || !tcc_expr_is_const(range->most, &most))
    return e == range->least && e == range->most;
  if (value < least) range->least = import_size(c, value);
  if (value > most) range->most = import_size(c, value);
  return true;
}

/* The bytes of indices that the model file itself has: the compile cache knows other files by name alone. */
static const void *stored(ImportCall *c, MlirValue indices, size_t *out_count) {
  const void *data = tcc_constant_data(c->ir, indices, out_count);
  if (data || tcc_value_kind(c->ir, indices) != TCC_OP_WEIGHT) return data;
  MlirOperation op = tcc_value_op(indices);
  int64_t count;
  if (tcc_i64(c->ir, op, "source") != 0 || !tcc_expr_is_const(tcc_type_count(c->ir, tcc_value_type(indices)), &count)) return NULL;
  *out_count = (size_t)count;
  return (const char *)tcc_sources_file(c->importer->sources, 0)->data + tcc_i64(c->ir, op, "offset");
}

/* What is known of each of the `depth` components of index tuples: false if nothing. Both null: there is none. */
static bool known_ranges(ImportCall *c, MlirValue indices, int depth, Range *out) {
  size_t count;
  const void *data = stored(c, indices, &count);
  for (int d = 0; d < depth; d++) out[d] = (Range){NULL, NULL};
  if (data) {
    int64_t least[TCC_MAX_RANK], most[TCC_MAX_RANK];
    for (size_t i = 0; i < count; i++) {
      int64_t value = tcc_elem_load_i64(tcc_value_elem(indices), data, i);
      size_t d = i % (size_t)depth;
      if (i < (size_t)depth || value < least[d]) least[d] = value;
      if (i < (size_t)depth || value > most[d]) most[d] = value;
    }
    for (int d = 0; d < depth && count; d++) out[d] = (Range){import_size(c, least[d]), import_size(c, most[d])};
    return true;
  }
  const TccExpr *const *values = tcc_symbolic_value(c->ir, indices, &count);
  for (size_t i = 0; values && i < count; i++)
    if (!widen(c, &out[i % (size_t)depth], values[i])) return false;
  return values != NULL;
}

/* Whether a range is known to be valid, or is now taken for granted. An index that surely is not is the node's reason. */
static bool is_settled(ImportCall *c, TccValid valid, const Range *range, const TccExpr *size, int axis) {
  Importer *run = c->importer;
  int64_t n, least, most;
  if (!range->least) return true;
  bool negative = !tcc_expr_known_nonnegative(range->least);
  const TccExpr *above = import_size_sub(c, import_size_sub(c, size, import_size(c, 1)), range->most),
                *below = valid == TCC_VALID_UNSIGNED ? range->least : import_size_add(c, size, range->least);
  if (tcc_expr_known_nonnegative(above) && (!negative || tcc_expr_known_nonnegative(below))) return true;
  if (run->uncertain || !tcc_expr_is_const(range->least, &least) || !tcc_expr_is_const(range->most, &most)) return false;
  int64_t floor = valid == TCC_VALID_UNSIGNED ? 0 : -1;
  if (tcc_expr_is_const(size, &n))
    return import_invalid(c, "index %lld is outside [%lld, %lld), axis %d", (long long)(most >= n ? most : least),
                          (long long)(floor * n), (long long)n, axis);
  if (floor == 0 && least < 0) return import_invalid(c, "index %lld is negative, axis %d", (long long)least, axis);
  if (most == INT64_MAX || least == INT64_MIN)
    return import_invalid(c, "index %lld is outside of axis %d of any size", (long long)(most == INT64_MAX ? most : least), axis);
  const char *what = tcc_arena_printf(c->ir->arena, "indices of axis %d", axis);
  return import_require_at_most(c, range->most, import_size_sub(c, size, import_size(c, 1)), what) &&
         (!negative || import_require_at_most(c, import_size(c, 0), below, what));
}

bool import_valid(ImportCall *c, TccValid valid, MlirValue x, MlirValue indices, int axis, int depth, TccNamedAttr *attrs,
                  size_t *nattrs) {
  static const char *const names[] = {"any", "signed", "unsigned"};
  Importer *run = c->importer;
  Range ranges[TCC_MAX_RANK];
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !indices.ptr) return false;
  if (run->options->clamp_indices || valid == TCC_VALID_ANY || axis + depth > shape.rank) return true;
  bool settled = known_ranges(c, indices, depth, ranges);
  for (int d = 0; d < depth && settled; d++) settled = is_settled(c, valid, &ranges[d], shape.dims[axis + d], axis + d);
  if (c->reason) return false;
  if (settled) return true;
  if (run->drops) run->unchecked = true;
  else attrs[(*nattrs)++] = (TccNamedAttr){"valid", tcc_attr_str(c->ir, tcc_str(names[valid]))};
  return true;
}

MlirValue import_gather_valid(ImportCall *c, MlirValue x, MlirValue indices, int64_t axis, TccValid valid) {
  MlirValue operands[] = {x, indices};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, axis)}};
  size_t n = 1;
  if (!import_valid(c, valid, x, indices, (int)axis, 1, attrs, &n)) return (MlirValue){NULL};
  return import_op(c, TCC_OP_GATHER, operands, 2, attrs, n);
}

MlirValue import_assert(ImportCall *c, MlirValue x, MlirValue holds, TccStr message) {
  Importer *run = c->importer;
  if (!x.ptr || !holds.ptr || run->options->clamp_indices) return x;
  if (run->drops) {
    run->unchecked = true;
    return x;
  }
  ImportShape shape = import_shape(c, x);
  if (shape.rank == TCC_MAX_RANK) {
    import_unsupported(c, "an assertion before a tensor of rank %d", shape.rank);
    return (MlirValue){NULL};
  }
  const TccExpr *dims[TCC_MAX_RANK] = {import_size(c, 1)};
  memcpy(dims + 1, shape.dims, (size_t)shape.rank * sizeof *dims);
  MlirValue fails = tcc_build_convert(&c->b, tcc_build1(&c->b, TCC_OP_NOT, holds), TCC_ELEM_I64);
  if (!shape.rank) x = import_op(c, TCC_OP_BARRIER, &x, 1, NULL, 0); /* the kernel that makes it has no axis to ask for */
  if (!x.ptr) return x;
  MlirValue operands[] = {tcc_build_reshape(&c->b, x, shape.rank + 1, dims), fails};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)},
                          {"valid", tcc_attr_str(c->ir, tcc_str("unsigned"))},
                          {"message", tcc_attr_str(c->ir, message)}};
  return import_op(c, TCC_OP_GATHER, operands, 2, attrs, 3);
}

/* ---- what may not run, and what is computed in any case ---- */
void import_uncertain(ImportCall *c, int change) { c->importer->uncertain += change; }

bool import_drops(ImportCall *c, bool drops) {
  bool before = c->importer->drops;
  c->importer->drops = drops;
  return before;
}

bool import_speculate(ImportCall *c, bool (*build)(ImportCall *c), bool (*exact)(ImportCall *c)) {
  Importer *run = c->importer;
  ImportBody body;
  bool unchecked = run->unchecked;
  const size_t refusals = run->refusals;
  run->unchecked = false;
  import_body_open(c, &body);
  bool ok = build(c);
  bool own = !ok && !run->restart && run->problems.count == body.problems; /* no node inside failed, which would fail again */
  if (exact && (own || (!run->drops && (ok ? run->unchecked : run->refusals != refusals)))) {
    import_body_drop(c, &body, true);
    run->unchecked = unchecked, run->refusals = refusals;
    if (exact(c)) return true;
    if (run->restart) return false;
    import_body_open(c, &body);
    ok = build(c);
  }
  run->unchecked |= unchecked;
  if (ok) import_body_inline(c, &body);
  else import_body_drop(c, &body, false);
  return ok;
}
