/* symbols.c - what symbolic sizes are worth in a frame.
 *
 * A function's declared argument types are matched with the shapes that came in: a size expression with one unknown
 * symbol, linear in it, gives its value; this is repeated until nothing new is learnt. Then every size must hold. */
#include "lib/interp/run.h"
#include <inttypes.h>

static bool symbol_value(TccStr name, int64_t *out, void *user) {
  for (const TccFrame *frame = user; frame; frame = frame->parent) {
    const TccMapEntry *entry = tcc_map_find(frame->symbols, name);
    if (entry) return *out = entry->integer, true;
  }
  return false;
}

TccStatus *tcc_interp_expr(TccInterp *interp, const TccExpr *e, int64_t *out) {
  return tcc_expr_eval(e, symbol_value, interp->frame, out);
}

TccStatus *tcc_interp_bind(TccInterp *interp, TccStr symbol, int64_t value) {
  tcc_map_put(interp->frame->symbols, symbol, NULL)->integer = value;
  return NULL;
}

typedef struct {
  const TccFrame *frame;
  bool own_only; /* an argument's symbol binds anew even where the caller has one of that name */
  TccStr unknown;
  int count;
} Unknowns;

static bool is_bound(const Unknowns *u, TccStr name) {
  int64_t ignored;
  return u->own_only ? tcc_map_find(u->frame->symbols, name) != NULL : symbol_value(name, &ignored, (void *)u->frame);
}

static void count_unknown(TccStr name, void *user) {
  Unknowns *u = user;
  if (is_bound(u, name)) return;
  u->unknown = name;
  u->count++;
}

typedef struct {
  const TccFrame *frame;
  TccStr name;
  int64_t value;
} Trial;

static bool trial_value(TccStr name, int64_t *out, void *user) {
  const Trial *trial = user;
  if (tcc_str_equal(name, trial->name)) return *out = trial->value, true;
  return symbol_value(name, out, (void *)trial->frame);
}

/* Solves e = size for the one unknown symbol of e, if e is linear in it: from e's values at 0 and 1, checked. */
static bool solve(TccFrame *frame, const TccExpr *e, TccStr name, int64_t size) {
  int64_t at[2], check;
  Trial trial = {frame, name, 0};
  for (trial.value = 0; trial.value < 2; trial.value++) {
    TccStatus *status = tcc_expr_eval(e, trial_value, &trial, &at[trial.value]);
    if (status) return tcc_status_destroy(status), false;
  }
  int64_t slope = at[1] - at[0];
  if (slope == 0) return false;
  trial.value = (size - at[0]) / slope;
  TccStatus *status = tcc_expr_eval(e, trial_value, &trial, &check);
  if (status) return tcc_status_destroy(status), false;
  if (check != size || trial.value < 0) return false;
  tcc_map_put(frame->symbols, name, NULL)->integer = trial.value;
  return true;
}

TccStatus *tcc_frame_bind(TccInterp *interp, const MlirType *types, const TccArray *const *arrays, size_t n, bool own_only,
                          const char *what) {
  TccFrame *frame = interp->frame;
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t k = 0; k < n; k++) {
      if (!arrays[k]) continue;
      if (tcc_type_rank(types[k]) != arrays[k]->rank)
        return TCC_ERROR(TCC_INVALID, "%s %zu has rank %d, its type says %d", what, k, arrays[k]->rank, tcc_type_rank(types[k]));
      for (int i = 0; i < arrays[k]->rank; i++) {
        const TccExpr *dim = tcc_type_dim(interp->ir, types[k], i);
        if (!dim) continue;
        Unknowns u = {.frame = frame, .own_only = own_only};
        tcc_expr_symbols(dim, count_unknown, &u);
        if (u.count == 1 && solve(frame, dim, u.unknown, arrays[k]->dims[i])) progress = true;
      }
    }
  }
  for (size_t k = 0; k < n; k++) {
    for (int i = 0; arrays[k] && i < arrays[k]->rank; i++) {
      const TccExpr *dim = tcc_type_dim(interp->ir, types[k], i);
      int64_t size;
      if (!dim) continue;
      TCC_TRY(tcc_status_context(tcc_expr_eval(dim, symbol_value, frame, &size), "%s %zu, axis %d", what, k, i));
      if (size != arrays[k]->dims[i])
        return TCC_ERROR(TCC_INVALID, "%s %zu, axis %d: size %" PRId64 ", but %s is %" PRId64, what, k, i, arrays[k]->dims[i],
                         tcc_expr_text(interp->ir->exprs, dim), size);
    }
  }
  return NULL;
}

static void note_unbound(TccStr name, void *user) {
  Unknowns *u = user;
  if (!is_bound(u, name)) u->count++;
}

TccStatus *tcc_frame_check_constraints(TccInterp *interp) {
  size_t n;
  const TccConstraint *constraints = tcc_ir_constraints(interp->ir, interp->module, &n);
  for (size_t i = 0; i < n; i++) {
    const TccConstraint *c = &constraints[i];
    Unknowns u = {.frame = interp->frame};
    int64_t left, right;
    tcc_expr_symbols(c->left, note_unbound, &u);
    tcc_expr_symbols(c->right, note_unbound, &u);
    if (u.count) continue; /* a count of non-zero elements: the op that needs it is checked when it runs */
    TCC_TRY(tcc_interp_expr(interp, c->left, &left));
    TCC_TRY(tcc_interp_expr(interp, c->right, &right));
    if (!tcc_sizes_hold(c->relation, left, right))
      return tcc_sizes_error(c->relation, tcc_expr_text(interp->ir->exprs, c->left), left,
                             tcc_expr_text(interp->ir->exprs, c->right), right, c->origin);
  }
  return NULL;
}
