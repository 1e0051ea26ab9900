/* conv_winograd_output.c - the results of a Winograd convolution: sums of a tile to its m x m results, through the epilogue. See
 * conv_winograd.h. In LLVM's hands where the epilogue is more than conv_code_epilogue.c knows. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/conv/conv_winograd.h"
#include "lib/targets/x86/conv/conv_winograd_linear.h"

enum { SIDE = TCC_WINOGRAD_SIDE };

void tcc_winograd_combine(TccEmit *e, const char *type, const TccWinogradSteps *s, const TccVal *in, TccVal *out) {
  TccVal value[TCC_WINOGRAD_VALUES];
  memcpy(value, in, sizeof *in * (size_t)(s->values - s->n));
  for (int i = 0; i < s->n; i++) {
    const TccWinogradStep *t = &s->step[i];
    TccVal factor = t->factor == 1 || t->factor == -1 ? 0 : tcc_emit_float(e, type, t->factor);
    if (t->from < 0) value[t->to] = tcc_emit_bin(e, "fmul", type, factor, value[t->by]);
    else if (!factor) value[t->to] = tcc_emit_bin(e, t->factor > 0 ? "fadd" : "fsub", type, value[t->from], value[t->by]);
    else value[t->to] = tcc_emit_fma(e, type, value[t->by], factor, value[t->from]);
  }
  for (int i = 0; i < s->nout; i++) out[i] = value[s->out[i]];
}

static TccVal size_of(TccEmit *e, TccVal table, int which) { return tcc_emit_load_once(e, "i64", table, which); }

void tcc_winograd_advance(const TccWinograd *w, TccVal chunk, TccVal *at, TccVal *place) {
  TccEmit *e = w->conv.k->e;
  int64_t last = w->plan.tiles - 1, lanes = w->conv.read.shape.lanes;
  TccVal full = tcc_emit_icmp(e, "eq", "i64", *place, tcc_emit_i64(e, last));
  TccVal step = tcc_emit_select1(e, "i64", full, tcc_emit_sub(e, chunk, tcc_emit_i64(e, last * lanes)), tcc_emit_i64(e, lanes));
  *at = tcc_emit_gep(e, "f32", *at, step);
  *place = tcc_emit_select1(e, "i64", full, tcc_emit_i64(e, 0), tcc_emit_add(e, *place, tcc_emit_i64(e, 1)));
}

/* ---- outputs ---- */

typedef struct {
  TccWinograd *w;
  TccVal arg[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS], table;
  TccWinogradSteps steps;
  int ntensors;
  TccVal base[TCC_CONV_TENSORS]; /* of each tensor: the open tile's first pixel */
  TccVal rows; /* room for what the rows of a tile's results are made of, side vectors each; 0: they stay in registers */
} Output;

/* More vectors than eight lanes have registers for are stored in any case: the rows of a tile's results are then iterations of a loop, whose code LLVM makes
 * in half of the time (SiLU: 6.5 ms, one after the other 14). */
static bool loops_over_rows(const TccWinograd *w) { return w->plan.m > 2 && w->conv.read.shape.lanes <= 8; }

static const char *memory_type(const TccConvBlocked *c, int tensor) {
  return tcc_scalar_memory_type(tensor ? c->read.epilogue.view[tensor - 1].elem : c->read.epilogue.result.elem);
}

/* One row of a tile's results into memory, those that lie in the image. */
static TccStatus *put_row(const Output *o, TccVal row, const TccVal *sums, TccVal bias, TccVal left) {
  TccConvBlocked *c = &o->w->conv;
  TccEmit *e = c->k->e;
  int m = o->w->plan.m;
  TccVal base[TCC_CONV_TENSORS];
  for (int t = 0; t < o->ntensors; t++)
    base[t] = tcc_emit_gep(e, memory_type(c, t), o->base[t],
                           tcc_emit_mul(e, row, size_of(e, o->table, TCC_WINOGRAD_TENSORS + 2 * t + 1)));
  for (int q = 0; q < m; q++) {
    TccIf inside;
    bool tested = q > 0 && (c->read.shape.dynamic || c->read.shape.out[1] % m != 0);
    if (tested)
      tcc_emit_if(
          e, &inside,
          tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, left, tcc_emit_i64(e, q)), size_of(e, o->table, TCC_WINOGRAD_OUT_W)), 0,
          NULL);
    TCC_TRY(tcc_conv_epilogue_emit(c, base, q, bias ? tcc_emit_bin(e, "fadd", c->vector, sums[q], bias) : sums[q]));
    if (tested) tcc_emit_end_if(e, &inside, NULL);
  }
  return NULL;
}

/* The same of what a row is made of, if it lies in the image. */
static TccStatus *put_inside(const Output *o, TccVal row, const TccVal *v, TccVal bias, TccVal left) {
  const TccConvBlocked *c = &o->w->conv;
  TccEmit *e = c->k->e;
  TccVal made[SIDE];
  int64_t first;
  tcc_winograd_combine(e, c->vector, &o->steps, v, made);
  TccIf inside;
  bool tested =
      (!tcc_emit_known(e, row, &first) || first > 0) && (c->read.shape.dynamic || c->read.shape.out[0] % o->w->plan.m != 0);
  if (tested)
    tcc_emit_if(e, &inside,
                tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, o->arg[5], row), size_of(e, o->table, TCC_WINOGRAD_OUT_H)), 0, NULL);
  TCC_TRY(put_row(o, row, made, bias, left));
  if (tested) tcc_emit_end_if(e, &inside, NULL);
  return NULL;
}

static TccStatus *put_tile(const Output *o, TccVal at, TccVal bias, TccVal left) {
  const TccConvBlocked *c = &o->w->conv;
  TccEmit *e = c->k->e;
  int m = o->w->plan.m, side = m + 2;
  int64_t position = (int64_t)o->w->plan.tiles * c->read.shape.lanes, bytes = 4 * (int64_t)c->read.shape.lanes;
  TccVal high[SIDE][SIDE]; /* [column of the tile][row of results] */
  for (int q = 0; q < side; q++) {
    TccVal v[SIDE];
    for (int r = 0; r < side; r++) v[r] = tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", at, (r * side + q) * position));
    tcc_winograd_combine(e, c->vector, &o->steps, v, high[q]);
  }
  if (!o->rows) {
    for (int r = 0; r < m; r++) {
      TccVal v[SIDE];
      for (int q = 0; q < side; q++) v[q] = high[q][r];
      TCC_TRY(put_inside(o, tcc_emit_i64(e, r), v, bias, left));
    }
    return NULL;
  }
  for (int r = 0; r < m; r++)
    for (int q = 0; q < side; q++)
      tcc_emit_aligned_store(e, c->vector, high[q][r], tcc_emit_at(e, c->vector, o->rows, r * side + q), bytes);
  TccLoop row;
  TccVal v[SIDE];
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, m), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, c->vector, o->rows, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, side)));
  for (int q = 0; q < side; q++) v[q] = tcc_emit_aligned_load(e, c->vector, tcc_emit_at(e, c->vector, from, q), bytes);
  TCC_TRY(put_inside(o, row.iv, v, bias, left));
  tcc_emit_end_for(e, &row, NULL);
  return NULL;
}

TccStatus *tcc_winograd_output_emit(TccWinograd *w, const char *name) {
  if (tcc_winograd_output_code(w, name)) return NULL;
  TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int m = w->plan.m, side = m + 2, lanes = c->read.shape.lanes;
  int64_t chunk_size = (int64_t)side * side * w->plan.tiles * lanes;
  Output o = {.w = w, .ntensors = 1 + c->read.epilogue.nleaves};
  tcc_winograd_output_steps(m, &o.steps);
  const char *types[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, "i64", "i64", "i64", TCC_PTR, "i64", "i64", TCC_PTR};
  for (int t = 0; t < o.ntensors; t++) types[TCC_WINOGRAD_OUTPUT_ARGS + t] = TCC_PTR;
  tcc_emit_function(e, name, true, TCC_WINOGRAD_OUTPUT_ARGS + o.ntensors, types, NULL, o.arg);
  o.table = o.arg[7];
  TccVal zero = tcc_emit_i64(e, 0);
  if (loops_over_rows(w)) o.rows = tcc_emit_alloca(e, c->vector, tcc_emit_i64(e, (int64_t)m * side));
  TccLoop vector, tile;
  tcc_emit_for(e, &vector, zero, o.arg[3], 1, 0, NULL, NULL);
  TccVal bias =
      c->read.has_bias
          ? tcc_emit_load(e, c->vector, tcc_emit_gep(e, "f32", o.arg[4], tcc_emit_mul(e, vector.iv, tcc_emit_i64(e, lanes))))
          : 0;
  TccVal carried[] = {tcc_emit_gep(e, "f32", o.arg[0], tcc_emit_mul(e, vector.iv, tcc_emit_i64(e, chunk_size))), o.arg[1]},
         first[TCC_CONV_TENSORS];
  for (int t = 0; t < o.ntensors; t++) {
    const char *type = memory_type(c, t);
    first[t] = tcc_emit_gep(e, type, o.arg[TCC_WINOGRAD_OUTPUT_ARGS + t],
                            tcc_emit_mul(e, vector.iv, size_of(e, o.table, TCC_WINOGRAD_TENSORS + 2 * t)));
  }
  tcc_emit_for(e, &tile, zero, o.arg[2], 1, 2, carried, (const char *const[]){TCC_PTR, "i64"});
  TccVal left = tcc_emit_mul(e, tile.iv, tcc_emit_i64(e, m));
  for (int t = 0; t < o.ntensors; t++)
    o.base[t] = tcc_emit_gep(e, memory_type(c, t), first[t], tcc_emit_mul(e, left, tcc_emit_i64(e, c->read.at[t].pixel)));
  TCC_TRY(put_tile(&o, tile.in[0], bias, tcc_emit_add(e, o.arg[6], left)));
  memcpy(carried, tile.in, sizeof carried);
  tcc_winograd_advance(w, tcc_emit_i64(e, w->plan.vectors * chunk_size), &carried[0], &carried[1]);
  tcc_emit_end_for(e, &tile, carried);
  tcc_emit_end_for(e, &vector, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}
