/* constraints.c - what must hold of sizes for a module to be right: tcc.constraints, and who asks. */
#include "lib/ir/internal.h"

static const TccExpr *const *read(TccIr *ir, MlirOperation module, MlirAttribute *out_origins, size_t *out_count) {
  const TccExpr *const *exprs = NULL;
  *out_count = 0;
  *out_origins = tcc_attribute(module, "tcc.constraint_origins");
  if (!mlirAttributeIsNull(*out_origins) && !mlirAttributeIsAArray(*out_origins)) *out_origins = mlirAttributeGetNull();
  if (!tcc_get_exprs(ir, module, "tcc.constraints", &exprs, out_count)) *out_count = 0;
  return exprs;
}

static const char *origin_of(TccIr *ir, MlirAttribute origins, size_t i) {
  TccStr text;
  if (mlirAttributeIsNull(origins) || (intptr_t)i >= mlirArrayAttrGetNumElements(origins) ||
      !tcc_attr_read_str(mlirArrayAttrGetElement(origins, (intptr_t)i), &text))
    return "";
  return tcc_arena_copy(ir->arena, text.data, text.length);
}

static const TccExpr *minus(TccIr *ir, const TccExpr *e) { return tcc_expr_sub(ir->exprs, tcc_expr_const(ir->exprs, 0), e); }

static TccMap *set_of(TccIr *ir, const TccExpr *const *exprs, size_t count) {
  TccMap *set = tcc_map_create(ir->arena);
  for (size_t i = 0; i < count; i++) {
    const void *key = exprs[i];
    tcc_map_put(set, tcc_key_pointer(&key), NULL);
  }
  return set;
}

static bool has(TccMap *set, const void *e) { return tcc_map_find(set, tcc_key_pointer(&e)) != NULL; }

/* size <= n * floordiv(size, n), n * ceildiv(size, n) <= size, and equations of either: size must be a multiple of n. */
static bool is_multiple(TccIr *ir, const TccExpr *size, const TccExpr *rounded, TccExprFunction rounding, TccConstraint *out) {
  int64_t n = tcc_expr_multiple_of(rounded);
  if (n < 2) return false;
  const TccExpr *divisor = tcc_expr_const(ir->exprs, n);
  if (tcc_expr_mul(ir->exprs, divisor, tcc_expr_call(ir->exprs, rounding, size, divisor)) != rounded) return false;
  *out = (TccConstraint){TCC_SIZES_MULTIPLE, size, divisor, out->origin};
  return true;
}

static void find_multiple(TccIr *ir, TccConstraint *c) {
  const TccExpr *left = c->left, *right = c->right;
  bool equal = c->relation == TCC_SIZES_EQUAL;
  if (is_multiple(ir, left, right, TCC_EXPR_FLOORDIV, c) || is_multiple(ir, right, left, TCC_EXPR_CEILDIV, c) || !equal) return;
  if (!is_multiple(ir, right, left, TCC_EXPR_FLOORDIV, c)) is_multiple(ir, left, right, TCC_EXPR_CEILDIV, c);
}

const TccConstraint *tcc_ir_constraints(TccIr *ir, MlirOperation module, size_t *out_count) {
  MlirAttribute origins;
  size_t count;
  const TccExpr *const *exprs = read(ir, module, &origins, &count);
  TccMap *all = set_of(ir, exprs, count), *done = tcc_map_create(ir->arena);
  TccConstraint *out = TCC_NEW_ARRAY(ir->arena, TccConstraint, count + 1);
  *out_count = 0;
  for (size_t i = 0; i < count; i++) {
    const void *key = exprs[i], *opposite = minus(ir, exprs[i]);
    bool inserted;
    if (has(done, opposite)) continue; /* the other half of an equation */
    tcc_map_put(done, tcc_key_pointer(&key), &inserted);
    if (!inserted) continue;
    TccConstraint c = {has(all, opposite) ? TCC_SIZES_EQUAL : TCC_SIZES_AT_MOST, NULL, NULL, origin_of(ir, origins, i)};
    tcc_expr_sides(ir->exprs, exprs[i], &c.left, &c.right);
    find_multiple(ir, &c);
    out[(*out_count)++] = c;
  }
  return out;
}

void tcc_ir_add_constraints(TccIr *ir, MlirOperation module, const TccExpr *const *exprs, const char *const *origins,
                            size_t count) {
  MlirAttribute old_origins;
  size_t before, n;
  const TccExpr *const *old = read(ir, module, &old_origins, &before);
  TccMap *known = set_of(ir, old, before);
  const TccExpr **all = TCC_NEW_ARRAY(ir->arena, const TccExpr *, before + count + 1);
  MlirAttribute *texts = TCC_NEW_ARRAY(ir->arena, MlirAttribute, before + count + 1);
  for (n = 0; n < before; n++) {
    all[n] = old[n];
    texts[n] = tcc_attr_str(ir, tcc_str(origin_of(ir, old_origins, n)));
  }
  for (size_t i = 0; i < count; i++) {
    const void *key = exprs[i];
    bool inserted;
    tcc_map_put(known, tcc_key_pointer(&key), &inserted);
    if (!inserted) continue;
    all[n] = exprs[i];
    texts[n++] = tcc_attr_str(ir, tcc_str(origins[i]));
  }
  if (n == before) return;
  tcc_set_attribute(module, "tcc.constraints", tcc_attr_exprs(ir, all, n));
  tcc_set_attribute(module, "tcc.constraint_origins", mlirArrayAttrGet(ir->context, (intptr_t)n, texts));
}

void tcc_ir_assume(TccIr *ir, MlirOperation module) {
  MlirAttribute origins;
  size_t count;
  tcc_expr_forget_assumptions(ir->exprs);
  const TccExpr *const *exprs = read(ir, module, &origins, &count);
  TccMap *all = set_of(ir, exprs, count);
  for (size_t i = 0; i < count; i++)
    if (has(all, minus(ir, exprs[i]))) tcc_expr_assume_zero(ir->exprs, exprs[i]);
}
