/* gemv_panels.c - see gemv_panels.h.
 *
 * A panel is dst[k][column], as the register tile reads it. Where columns are contiguous a row of it is some vectors of pulled values
 * (pull.h); where the depth is, a vector is a run of the depth of one column, and squares of lanes x lanes are transposed. */
#include "lib/targets/x86/gemv/gemv_panels.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/contract/contract_internal.h"
#include "lib/targets/x86/gemv/gemv_internal.h"

enum { MOST_BITS = 16, MOST_BLOCK = 512 };

static int64_t inner_steps(const TccGemv *g) {
  int64_t size = 0;
  tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &size);
  return size;
}

static bool read(const TccMachine *machine, TccIr *ir, MlirOperation kernel, TccGemv *g) {
  if (!tcc_gemv_read(machine, ir, kernel, -1, g) || g->form.stream_bits > MOST_BITS) return false;
  TccElem a = tcc_type_elem(tcc_value_type(g->read.product.axes.operand[0]));
  if (a != TCC_ELEM_F32 || g->read.weight->elem != TCC_ELEM_F32) return false;
  /* A vector of the depth is one of a block. */
  return !g->form.along_depth || g->read.block_dim < 0 || inner_steps(g) % g->form.lanes == 0;
}

bool tcc_gemv_panels_accepts(const TccMachine *machine, TccIr *ir, MlirOperation kernel) {
  return read(machine, ir, kernel, TCC_NEW(ir->arena, TccGemv));
}

/* ---- panels ---- */

typedef struct {
  TccKernelEmit *k;
  TccEmit *e;
  const TccGemv *g;
  TccPullEmit pull;
  const char *vector;
  int64_t nr;
  TccVal dst, outer, count, k0, kcount, kpadded;
  TccVal group, at; /* of the square that is transposed */
  TccStatus *status;
} Panel;

/* Operand values at a step of the depth (its first lane, along the depth) and a column. */
static TccVal value_at(Panel *p, TccVal step, TccVal column, TccVal mask) {
  TccEmit *e = p->e;
  const TccGemvProblem *r = &p->g->read;
  TccVal v = 0, size = tcc_emit_i64(e, inner_steps(p->g));
  tcc_pull_emit_reset(&p->pull);
  p->pull.iv[r->depth_dim] = r->block_dim < 0 ? step : tcc_emit_rem(e, step, size);
  if (r->block_dim >= 0) p->pull.iv[r->block_dim] = tcc_emit_div(e, step, size);
  p->pull.iv[r->column_dim] = column;
  p->pull.mask = mask;
  TccStatus *status = tcc_pull_emit_node(&p->pull, r->weight, &v);
  if (!status) return v;
  if (p->status) tcc_status_destroy(status);
  else p->status = status;
  return tcc_emit_zero(e, p->vector);
}

/* Columns that do not exist repeat some that do: nobody reads their products. */
static void emit_along_columns(Panel *p) {
  TccEmit *e = p->e;
  const int lanes = p->g->form.lanes;
  const int64_t columns = p->g->read.columns, last = (columns - 1) / lanes * lanes;
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), p->kcount, 1, 0, NULL, NULL);
  TccVal step = tcc_emit_add(e, p->k0, row.iv),
         to = tcc_emit_gep(e, "f32", p->dst, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, p->nr)));
  for (int64_t j = 0; j < p->nr; j += lanes) {
    TccVal column = tcc_emit_add(e, p->outer, tcc_emit_i64(e, j)), mask = 0;
    if (columns % p->nr) column = tcc_emit_min(e, column, tcc_emit_i64(e, last));
    if (columns % lanes) mask = tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, columns), column), lanes);
    tcc_emit_store(e, p->vector, value_at(p, step, column, mask), tcc_emit_at(e, "f32", to, j));
  }
  tcc_emit_end_for(e, &row, NULL);
}

static TccVal load_column(void *user, TccVal row) {
  Panel *p = user;
  TccEmit *e = p->e;
  const int lanes = p->g->form.lanes;
  TccVal step = tcc_emit_add(e, p->k0, p->at), column = tcc_emit_add(e, p->outer, tcc_emit_add(e, p->group, row)), mask = 0;
  if (p->g->read.columns % p->nr) column = tcc_emit_min(e, column, tcc_emit_i64(e, p->g->read.columns - 1));
  if (p->g->read.depth % lanes) mask = tcc_emit_mask(e, tcc_emit_sub(e, p->kcount, p->at), lanes);
  return value_at(p, step, column, mask);
}

static void store_row(void *user, TccVal row, TccVal value) {
  const Panel *p = user;
  TccEmit *e = p->e;
  TccVal place = tcc_emit_mul(e, tcc_emit_add(e, p->at, row), tcc_emit_i64(e, p->nr));
  tcc_emit_store(e, p->vector, value, tcc_emit_gep(e, "f32", p->dst, tcc_emit_add(e, place, p->group)));
}

/* Rows behind the depth are written too: the scratch has room for whole vectors. */
static void emit_along_depth(Panel *p) {
  TccEmit *e = p->e;
  const int lanes = p->g->form.lanes;
  TccVal zero = tcc_emit_i64(e, 0), square = tcc_emit_alloca(e, p->vector, tcc_emit_i64(e, 2 * lanes));
  TccLoop block, group;
  tcc_emit_for(e, &block, zero, p->kcount, lanes, 0, NULL, NULL);
  tcc_emit_for(e, &group, zero, tcc_emit_i64(e, p->nr), lanes, 0, NULL, NULL);
  p->at = block.iv, p->group = group.iv;
  tcc_emit_transpose_rows(e, p->vector, square, &(TccTurnedRows){load_column, store_row, p});
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_end_for(e, &block, NULL);
}

static TccStatus *emit_panel(TccKernelEmit *k, const char *name, const TccMicroType *type, int64_t nr, void *user) {
  TccEmit *e = k->e;
  const TccGemv *g = user;
  TccPackCall c;
  tcc_pack_open(k, name, &c);
  Panel panel = {.k = k, .e = e, .g = g, .nr = nr, .dst = c.dst, .outer = c.outer, .count = c.count}, *p = &panel;
  p->k0 = c.k0, p->kcount = c.kcount, p->kpadded = c.kpadded;
  p->vector = tcc_emit_vector(e, "f32", type->lanes);
  tcc_pull_emit_init(&p->pull, k, &g->read.pull, type->lanes);
  p->pull.dense = true; /* but for the ends that a mask guards */
  p->pull.lane_dim = g->form.along_depth ? g->read.depth_dim : g->read.column_dim;
  if (g->form.along_depth) emit_along_depth(p);
  else emit_along_columns(p);
  TccLoop fill; /* up to whole steps of the register tile */
  TccVal width = tcc_emit_i64(e, nr);
  tcc_emit_for(e, &fill, tcc_emit_mul(e, c.kcount, width), tcc_emit_mul(e, c.kpadded, width), type->lanes, 0, NULL, NULL);
  tcc_emit_store(e, p->vector, tcc_emit_zero(e, p->vector), tcc_emit_gep(e, "f32", c.dst, fill.iv));
  tcc_emit_end_for(e, &fill, NULL);
  tcc_emit_return(e, 0, NULL);
  return p->status;
}

/* ---- calls of few rows ---- */

static TccStatus *few_functions(TccKernelEmit *k, void *user) { return tcc_gemv_emit_functions(k, user); }
static void few_tiles(TccKernelEmit *k, const TccKernelEntry *entry, void *user) { tcc_gemv_emit_tiles(k, user, entry); }

/* Loops for one row, and for as many as a register tile of them is worth: rows that a call lacks cost what others do. */
static const int64_t few_rows[TCC_CONTRACT_FEW] = {1, 4, TCC_GEMV_ROWS};

TccStatus *tcc_gemv_panels_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv), *few = TCC_NEW_ARRAY(ir->arena, TccGemv, TCC_CONTRACT_FEW);
  if (!read(&target->machine, ir, kernel, g)) return TCC_ERROR(TCC_UNSUPPORTED, "not a contraction with a narrow right operand");
  TccContractOperand operand = {.panel = emit_panel, .user = g, .dear = true};
  for (int i = 0; g->read.rows < 0 && i < TCC_CONTRACT_FEW; i++) {
    few[i] = *g;
    few[i].read.rows = few_rows[i];
    few[i].at_most = true;
    tcc_gemv_plan(&target->machine, &few[i]);
    operand.few[operand.nfew++] = (TccContractFew){.rows = few_rows[i],
                                                   .tiles = few[i].plan.tiles,
                                                   .scratch = tcc_gemv_scratch_bytes(&few[i]),
                                                   .functions = few_functions,
                                                   .emit_tiles = few_tiles,
                                                   .user = &few[i]};
  }
  TCC_TRY(tcc_contract_emit_kernel(target, "x86.contract.dequant", &g->read.product, &g->form.type, &operand, out));
  if (operand.nfew) tcc_gemv_prefetch(&few[0], &out->prefetch);
  return NULL;
}
