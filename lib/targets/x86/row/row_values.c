/* row_values.c - values that outlive a block of lanes: what the whole row shares, what is kept in scratch, the results. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/row/row_internal.h"
#include <math.h>

static TccVal kept_address(Row *row, const Kept *kept) {
  TccEmit *t = row->k->e;
  if (kept->in) {
    TccVal base, step;
    tcc_pull_emit_affine(&row->emit, &kept->in->store, &base, &step);
    return tcc_emit_gep(t, tcc_scalar_memory_type(kept->node->elem),
                        tcc_emit_load_once(t, TCC_PTR, row->k->arguments, kept->in->argument), base);
  }
  TccVal at = tcc_emit_i64(t, 0);
  for (int d = 0; d < row->read.pull.ndims; d++) {
    if (!row->read.dim_reduced[d]) continue;
    at = tcc_emit_add(t, tcc_emit_mul(t, at, tcc_kernel_size(row->k, row->read.pull.dim[d])), row->emit.iv[d]);
  }
  if (!row->plan.folds) at = tcc_emit_mul(t, at, tcc_emit_i64(t, row->plan.lanes));
  TccVal base = tcc_emit_gep(t, "i8", row->scratch, tcc_kernel_size(row->k, kept->offset));
  return tcc_emit_gep(t, tcc_scalar_memory_type(kept->node->elem), base, at);
}

bool row_computed_before(void *user, const TccPullNode *node, TccVal *out) {
  Row *row = user;
  if (row->of_row[node->id]) {
    *out = row->of_row[node->id];
    return true;
  }
  if (tcc_row_divides_exponential(&row->read, node) && row->inverse[node->child[1]->id]) {
    TccVal x;
    TccStatus *status = tcc_pull_emit_node(&row->emit, node->child[0], &x);
    if (status) { /* the caller meets it again */
      tcc_status_destroy(status);
      return false;
    }
    TccEmit *t = row->k->e;
    *out = tcc_emit_bin(t, "fmul", tcc_emit_vector(t, tcc_scalar_type(node->elem), row->plan.lanes), x,
                        row->inverse[node->child[1]->id]);
    return true;
  }
  for (int i = 0; i < row->plan.nkept; i++) {
    const Kept *kept = &row->plan.kept[i];
    if (kept->node != node || row->phase <= kept->phase) continue;
    if (row->plan.holds) {
      *out = row->held[i][row->block];
      return true;
    }
    TccEmit *t = row->k->e;
    const char *type = tcc_emit_vector(t, tcc_scalar_memory_type(node->elem), row->plan.lanes);
    TccVal v = tcc_emit_masked_load(t, type, kept_address(row, kept), row->emit.mask);
    *out = tcc_scalar_from_memory(t, node->elem, row->plan.lanes, v);
    return true;
  }
  TccEmit *t = row->k->e;
  const char *type = tcc_emit_vector(t, tcc_scalar_type(node->elem), row->plan.lanes);
  if (node != row->read.exponential) return false;
  TccVal x;
  TccStatus *status = tcc_pull_emit_node(&row->emit, node->child[0], &x);
  if (status) { /* the caller meets it again */
    tcc_status_destroy(status);
    return false;
  }
  x = tcc_emit_bin(t, "fmul", type, x, tcc_emit_float(t, type, M_LOG2E));
  const TccScalarFunctions *own = tcc_scalar_functions(t, type);
  *out = own ? own->exp2(t, x, -150) : tcc_math_exp2_below(t, type, x, -125);
  return true;
}

TccStatus *row_keep_values(Row *row) {
  TccEmit *t = row->k->e;
  for (int i = 0; i < row->plan.nkept; i++) {
    TccVal v;
    if (row->plan.kept[i].phase != row->phase) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, row->plan.kept[i].node, &v));
    if (row->plan.holds) {
      row->held[i][row->block] = v;
      continue;
    }
    TccElem elem = row->plan.kept[i].node->elem;
    const char *type = tcc_emit_vector(t, tcc_scalar_memory_type(elem), row->plan.lanes);
    tcc_emit_masked_store(t, type, tcc_scalar_to_memory(t, elem, row->plan.lanes, v), kept_address(row, &row->plan.kept[i]),
                          row->emit.mask);
  }
  return NULL;
}

/* Where lanes run along rows, what a row shares is computed in one lane: a division or a root of a whole register takes twice as long, and
 * short rows wait for it. */
TccStatus *row_emit_shared(Row *row) {
  TccEmit *t = row->k->e;
  size_t n = row->read.pull.nodes.count;
  bool *shared = TCC_NEW_ARRAY(row->k->ir->arena, bool, n + 1);
  TccPullEmit one = row->emit, *e = row->plan.folds ? &one : &row->emit;
  one.lanes = 1, one.lane_dim = -1, one.mask = 0, one.kept = NULL;
  one.value = TCC_NEW_ARRAY(row->k->ir->arena, TccVal, n + 1), one.reduced = TCC_NEW_ARRAY(row->k->ir->arena, TccVal, n + 1);
  memset(row->of_row, 0, sizeof *row->of_row * n);
  memset(row->inverse, 0, sizeof *row->inverse * n);
  tcc_pull_emit_reset(&row->emit);
  for (size_t i = 0; i < n; i++) { /* children first */
    const TccPullNode *node = row->read.pull.nodes.data[i];
    shared[i] = row->plan.shared[i];
    if (node->kind == TCC_PULL_REDUCED)
      shared[i] = row->emit.reduced[i] && row->read.level[i] >= 0 && row->read.level[i] <= row->phase;
    const char *lane = tcc_scalar_type(node->elem), *type = tcc_emit_vector(t, lane, row->plan.lanes);
    if (node->kind == TCC_PULL_REDUCED && shared[i] && row->plan.folds)
      one.reduced[i] = tcc_emit_extract(t, type, row->emit.reduced[i], 0);
    if (node->kind != TCC_PULL_OP) continue;
    if (tcc_row_divides_exponential(&row->read, node) && shared[node->child[1]->id]) {
      const char *in = tcc_emit_vector(t, lane, e->lanes);
      TccVal inverse = tcc_emit_bin(t, "fdiv", in, tcc_emit_float(t, in, 1), e->reduced[node->child[1]->id]);
      row->inverse[node->child[1]->id] = row->plan.folds ? tcc_emit_splat(t, type, inverse) : inverse;
    }
    for (int c = 0; c < node->nchildren; c++) shared[i] &= node->child[c] && shared[node->child[c]->id];
    if (!shared[i]) continue;
    TccVal v;
    TCC_TRY(tcc_pull_emit_node(e, node, &v));
    row->of_row[i] = row->plan.folds ? tcc_emit_splat(t, type, v) : v;
  }
  return NULL;
}

TccStatus *row_store_results(Row *row, bool full) {
  tcc_pull_emit_reset(&row->emit);
  if (full) TCC_TRY(row_prefetch(row));
  for (int i = 0; i < row->read.nresults; i++) {
    const Result *r = &row->read.result[i];
    TccVal v;
    if (r->full != full) continue;
    TCC_TRY(tcc_pull_emit_node(&row->emit, r->root, &v));
    TCC_TRY(tcc_pull_emit_store(&row->emit, r->argument, r->elem, &r->store, v));
  }
  return NULL;
}
