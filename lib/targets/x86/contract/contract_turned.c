/* contract_turned.c - products whose result is stored transposed: rows of it lie side by side in memory, and columns do not.
 *
 * A vector of columns would go to the result lane by lane, so B^T A^T is computed in place of (A B)^T (8 x 256x32x256, one thread: 0.82 to
 * 0.48 ms). Of an unknown number of rows there may be one, as in a step of a decoder. That would be a panel of one column, which is packed with
 * zeros behind it, and of a few rows one of few columns, for which all of the right operand is copied. Calls of one or two rows meet it as it lies
 * instead, as the product was (contract_direct.c), and where its columns are contiguous those of some more, a register tile of rows at a time
 * (512x512x512, one thread: four rows 0.055 ms, turned 0.145; sixteen of 8 x 16x32x256 are faster turned). */
#include "lib/targets/x86/contract/contract_internal.h"
#include "lib/targets/x86/contract/contract_schedule.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R };
enum { DIRECT_ROWS = 2, TILES = 3 /* of several rows */ };
static const char DIRECT[] = "row_straight", ROW_TILE[] = "row_tile", EPILOGUE[] = "epilogue_straight";

static bool is_one(const TccExpr *x) {
  int64_t value;
  return tcc_expr_is_const(x, &value) && value == 1;
}

/* Whether one row and a panel can be read where they lie. */
static bool lies_direct(const TccContraction *c, const TccMicroType *t) {
  return !c->lookup.present && tcc_elem_is_float(t->acc_elem) && tcc_micro_packs_as_is(t, c->a.elem) &&
         tcc_micro_packs_as_is(t, c->b.elem) && c->k.n == 1 && c->n.n == 1 && c->m.n == 1 && is_one(c->k.stride[0][A]) &&
         (is_one(c->n.stride[0][B]) || is_one(c->k.stride[0][B]));
}

/* Both operands lie in runs of a deep k, as those of a gradient of a 1x1 convolution's weights, so that columns are turned as they are packed and rows
 * are read where they are: the more of these the better. The result, which is stored an element at a time then, is nothing beside them. */
static bool rows_lie_better(TccIr *ir, const TccContraction *c, const TccMicroType *t) {
  enum { LEAST_RUN = 256, DEEP = 8 };
  int64_t m, n, k;
  return tcc_expr_is_const(c->m.count, &m) && tcc_expr_is_const(c->n.count, &n) && tcc_expr_is_const(c->k.count, &k) && n > m &&
         m >= 2 * t->lanes && k / DEEP > m + n && c->m.n == 1 && c->n.n == 1 && c->k.n > 1 && !c->lookup.present &&
         tcc_micro_packs_as_is(t, c->a.elem) && tcc_contract_run(&c->k, A) >= LEAST_RUN &&
         tcc_contract_run(&c->k, B) >= LEAST_RUN && !tcc_contract_can_pack(ir, c->kernel, c->dot);
}

bool tcc_contract_is_turned(TccIr *ir, const TccContraction *c, const TccMicroType *type) {
  int64_t m, n;
  if (!c->has_b || type->engine != TCC_MICRO_FMA || type->k_group != 1 || c->a.elem != c->b.elem) return false;
  if (rows_lie_better(ir, c, type)) return true;
  if (!is_one(tcc_span_inner_stride(ir, &c->m, R)) || is_one(tcc_span_inner_stride(ir, &c->n, R))) return false;
  if (tcc_expr_is_const(c->n.count, &n) && n <= 1) return false;
  return tcc_expr_is_const(c->m.count, &m) ? m >= type->lanes : lies_direct(c, type);
}

const TccContract *tcc_contract_straight(const TccContract *c) {
  int64_t columns;
  TccIr *ir = c->read->ir;
  if (!c->read->turned || tcc_expr_is_const(c->read->n.count, &columns)) return NULL;
  TccContraction *read = TCC_NEW(ir->arena, TccContraction);
  *read = *c->read;
  tcc_contraction_turn(read);
  TccContract *straight = TCC_NEW(ir->arena, TccContract);
  *straight = (TccContract){.read = read, .type = c->type, .sizes = tcc_contract_sizes(read), .plan = c->plan};
  straight->plan.one_block = true, straight->plan.k_major = false;
  return straight;
}

int64_t tcc_contract_straight_rows(const TccContract *s) {
  return is_one(s->read->n.stride[0][B]) ? (int64_t)TILES * s->plan.rows : DIRECT_ROWS;
}

/* ---- several rows against a panel whose columns are contiguous ---- */

static const char *const tile_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};
enum { TILE_PARAMETERS = sizeof tile_types / sizeof *tile_types };

typedef struct {
  TccEmit *e;
  const TccContract *s;
  const char *vector;
  TccVal a[TCC_LOOP_MAX], b, sums, depth, step; /* a: of each row; step: elements between rows of b */
} RowTile;

/* So many vectors from a column on, of all rows. */
static void emit_columns(const RowTile *d, int vectors, TccVal column, TccVal mask) {
  TccEmit *e = d->e;
  const TccMicroType *t = &d->s->type;
  int rows = d->s->plan.rows, n = rows * vectors;
  TccVal init[TCC_LOOP_MAX], next[TCC_LOOP_MAX];
  const char *types[TCC_LOOP_MAX];
  for (int i = 0; i < n; i++) init[i] = tcc_emit_zero(e, d->vector), types[i] = d->vector;
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), d->depth, 1, n, init, types);
  TccVal b = tcc_emit_gep(e, t->packed, d->b, tcc_emit_add(e, tcc_emit_mul(e, loop.iv, d->step), column)), w[TCC_LOOP_MAX];
  for (int v = 0; v < vectors; v++)
    w[v] = tcc_emit_masked_load(e, d->vector, tcc_emit_at(e, t->packed, b, (int64_t)v * t->lanes), mask);
  for (int r = 0; r < rows; r++) {
    TccVal x = tcc_emit_splat(e, d->vector, tcc_emit_load(e, t->packed, tcc_emit_gep(e, t->packed, d->a[r], loop.iv)));
    for (int v = 0; v < vectors; v++) next[r * vectors + v] = tcc_emit_fma(e, d->vector, x, w[v], loop.in[r * vectors + v]);
  }
  tcc_emit_end_for(e, &loop, next);
  TccVal to = tcc_emit_gep(e, t->acc, d->sums, column);
  for (int i = 0; i < n; i++)
    tcc_emit_store(e, d->vector, loop.out[i], tcc_emit_at(e, t->acc, to, i / vectors * d->s->plan.ldc + i % vectors * t->lanes));
}

/* row_tile(a, b, sums, depth, rows, width, between rows of a, between those of b): rows that do not exist repeat the last. */
static void emit_row_tile(TccKernelEmit *k, const TccContract *s) {
  TccEmit *e = k->e;
  const TccMicroType *t = &s->type;
  TccVal arg[TILE_PARAMETERS];
  tcc_emit_function(e, ROW_TILE, true, TILE_PARAMETERS, tile_types, NULL, arg);
  TccVal zero = tcc_emit_i64(e, 0), lanes = tcc_emit_i64(e, t->lanes);
  RowTile d = {.e = e, .s = s, .b = arg[1], .sums = arg[2], .depth = arg[3], .step = arg[7]};
  d.vector = tcc_emit_vector(e, t->acc, t->lanes);
  TccVal last = tcc_emit_sub(e, arg[4], tcc_emit_i64(e, 1)), width = arg[5];
  for (int r = 0; r < s->plan.rows; r++)
    d.a[r] = tcc_emit_gep(e, t->packed, arg[0], tcc_emit_mul(e, tcc_emit_min(e, tcc_emit_i64(e, r), last), arg[6]));
  TccIf full;
  TccLoop column;
  tcc_emit_if(e, &full, tcc_emit_icmp(e, "eq", "i64", width, tcc_emit_i64(e, (int64_t)s->plan.vectors * t->lanes)), 0, NULL);
  emit_columns(&d, s->plan.vectors, zero, 0);
  tcc_emit_else(e, &full, NULL);
  TccVal end = tcc_emit_mul(e, tcc_emit_div(e, width, lanes), lanes);
  tcc_emit_for(e, &column, zero, end, t->lanes, 0, NULL, NULL);
  emit_columns(&d, 1, column.iv, 0);
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_for(e, &column, end, width, t->lanes, 0, NULL, NULL); /* at most once */
  emit_columns(&d, 1, column.iv, tcc_emit_mask(e, tcc_emit_sub(e, width, column.iv), t->lanes));
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_if(e, &full, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_contract_straight_emit(TccKernelEmit *k, const TccContract *s) {
  tcc_contract_direct_emit(k, DIRECT, s);
  if (tcc_contract_straight_rows(s) > DIRECT_ROWS) emit_row_tile(k, s);
  TccEpilogueBlock block = {&s->read->epilogue, &s->read->batch, &s->read->m,  &s->read->n, R,
                            s->type.acc_elem,   s->plan.ldc,     s->type.lanes};
  return tcc_epilogue_emit(k, EPILOGUE, &block);
}

static TccVal place(TccKernelEmit *k, const TccContract *s, const TccView *view, int tensor, TccVal batch, const TccSpan *span,
                    TccVal at) {
  TccEmit *e = k->e;
  TccVal offset = tcc_emit_add(e, tcc_span_offset(k, &s->read->batch, tensor, batch), tcc_span_offset(k, span, tensor, at));
  return tcc_emit_gep(e, s->type.packed, tcc_view_pointer(k, view), offset);
}

/* Rows [0, all) of the columns at b, so many at a time. */
static void emit_rows(TccKernelEmit *k, const TccContract *s, const TccContractTile *t, TccVal b, TccVal column, TccVal width,
                      TccVal all, int rows) {
  TccEmit *e = k->e;
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), all, rows, 0, NULL, NULL);
  TccVal a = place(k, s, &s->read->a, A, t->batch, &s->read->m, row.iv),
         count = tcc_emit_min(e, tcc_emit_i64(e, rows), tcc_emit_sub(e, all, row.iv));
  if (rows == 1) {
    tcc_contract_direct_call(k, DIRECT, s, t, a, b, t->c, width);
  } else {
    TccVal args[] = {a,
                     b,
                     t->c,
                     t->kcount,
                     count,
                     width,
                     tcc_kernel_size(k, s->read->m.stride[0][A]),
                     tcc_kernel_size(k, s->read->k.stride[0][B])};
    tcc_emit_call(e, ROW_TILE, TILE_PARAMETERS, args, tile_types, NULL);
  }
  TccEpilogueCall call = {t->c, t->batch, row.iv, column, count, width};
  tcc_epilogue_call(k, EPILOGUE, &call);
  tcc_emit_end_for(e, &row, NULL);
}

void tcc_contract_straight_call(TccKernelEmit *k, const TccContract *c, const TccContractTile *t) {
  TccEmit *e = k->e;
  const TccContract *s = c->straight;
  int64_t wide = (int64_t)s->plan.vectors * s->type.lanes;
  TccContractTile tile = *t;
  tile.kcount = tcc_kernel_size(k, s->read->k.count), tile.how = tcc_emit_i64(e, 0);
  TccVal end = tcc_emit_add(e, t->row0, t->rows), rows = tcc_kernel_size(k, s->read->m.count);
  TccLoop column;
  TccIf few;
  tcc_emit_for(e, &column, t->row0, end, wide, 0, NULL, NULL);
  TccVal width = tcc_emit_min(e, tcc_emit_i64(e, wide), tcc_emit_sub(e, end, column.iv)),
         b = place(k, s, &s->read->b, B, t->batch, &s->read->n, column.iv);
  bool tiles = tcc_contract_straight_rows(s) > DIRECT_ROWS;
  if (tiles) {
    tcc_emit_if(e, &few, tcc_emit_icmp(e, "sgt", "i64", rows, tcc_emit_i64(e, DIRECT_ROWS)), 0, NULL);
    emit_rows(k, s, &tile, b, column.iv, width, rows, s->plan.rows);
    tcc_emit_else(e, &few, NULL);
  }
  emit_rows(k, s, &tile, b, column.iv, width, rows, 1);
  if (tiles) tcc_emit_end_if(e, &few, NULL);
  tcc_emit_end_for(e, &column, NULL);
}
