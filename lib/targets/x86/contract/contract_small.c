/* contract_small.c - a product that fits into the registers as straight code.
 *
 * Ten rows of ten columns are 50 cycles of multiply-adds. Loops over tiles, a call of a register tile, sums through scratch and an
 * epilogue of its own took five times as long; so where one register tile is all of a batch entry and its steps are few, every step
 * stands in the text: sums start as zeros, are never stored, and meet the epilogue where they are. Each multiply-add reads its element
 * of the left operand from memory and repeats it; a step's vectors of the right one are loaded once. 129 kernels of 10x10x10 in a row
 * take 9.3 us in place of 15.3 (a core to itself), 12.8 in place of 25.7 where somebody has half of its front end.
 *
 * Tiles are entries of the batch. */
#include "lib/targets/x86/contract/contract_internal.h"

enum {
  A = TCC_CONTRACT_A,
  B = TCC_CONTRACT_B,
  R = TCC_CONTRACT_R,
  STEPS = 384 /* multiply-adds */,
  SUMS = 32,
  OPEN = 8 /* multiply-adds that the machine has under way; with fewer sums each waits for the one before */,
  SHORT = 16
};

typedef struct {
  int64_t rows, columns, depth, vectors;
  TccEpilogueBlock end;
} Small;

/* The stride of a tensor along a span that is one axis, or none. */
static bool even_stride(const TccSpan *span, int tensor, int64_t *out) {
  *out = 0;
  return span->n == 0 || (span->n == 1 && tcc_expr_is_const(span->stride[0][tensor], out));
}

static bool takes(TccKernelEmit *k, const TccContract *c, Small *s) {
  const TccMicroType *t = &c->type;
  int64_t stride;
  if (!tcc_expr_is_const(c->read->m.count, &s->rows) || !tcc_expr_is_const(c->read->n.count, &s->columns) ||
      !tcc_expr_is_const(c->read->k.count, &s->depth) || s->rows < 1 || s->columns < 1 || s->depth < 1)
    return false;
  if (t->engine != TCC_MICRO_FMA || t->k_group != 1 || !tcc_elem_is_float(t->acc_elem) ||
      !tcc_micro_packs_as_is(t, c->read->a.elem))
    return false;
  if (s->rows > SUMS || s->columns > SUMS * t->lanes || s->depth > STEPS) return false;
  s->vectors = tcc_ceil_div(s->columns, t->lanes);
  if (s->rows * s->vectors + s->vectors + 1 > t->registers || s->rows * s->vectors * s->depth > STEPS) return false;
  if (s->rows * s->vectors < OPEN && s->depth > SHORT) return false;
  if (!even_stride(&c->read->m, A, &stride) || !even_stride(&c->read->k, A, &stride)) return false;
  if (c->read->packed_nr ? s->columns > c->read->packed_nr || tcc_packs_narrow(t)
                         : !tcc_micro_packs_as_is(t, c->read->b.elem) || !even_stride(&c->read->k, B, &stride) ||
                               !even_stride(&c->read->n, B, &stride) || stride != 1)
    return false;
  s->end = (TccEpilogueBlock){&c->read->epilogue, &c->read->batch, &c->read->m, &c->read->n, R, t->acc_elem, 0, t->lanes};
  return tcc_epilogue_takes_registers(k, &s->end);
}

/* Vectors of step 0 of the right operand, and elements from a step to the next. */
static TccVal right_operand(TccKernelEmit *k, const TccContract *c, TccVal batch, int64_t *out_step) {
  TccEmit *e = k->e;
  if (!c->read->packed_nr) {
    even_stride(&c->read->k, B, out_step);
    return tcc_emit_gep(e, c->type.packed, tcc_view_pointer(k, &c->read->b), tcc_span_offset(k, &c->read->batch, B, batch));
  }
  int64_t depth = 0;
  tcc_expr_is_const(c->read->k.count, &depth);
  *out_step = c->read->packed_nr;
  TccVal base = tcc_emit_load_once(e, TCC_PTR, k->arguments, c->read->packed_argument);
  if (!c->read->packed_batched) return base;
  int64_t entry = tcc_round_up(depth, tcc_micro_unit(&c->type)) * c->read->packed_nr;
  return tcc_emit_gep(e, c->type.packed, base, tcc_emit_mul(e, batch, tcc_emit_i64(e, entry)));
}

static void emit_products(TccKernelEmit *k, const TccContract *c, const Small *s, TccVal batch, TccVal *sums) {
  TccEmit *e = k->e;
  const TccMicroType *t = &c->type;
  const char *vector = tcc_emit_vector(e, t->acc, t->lanes);
  int64_t row_step, step, right_step, rest = s->columns % t->lanes;
  even_stride(&c->read->m, A, &row_step), even_stride(&c->read->k, A, &step);
  TccVal left = tcc_emit_gep(e, t->packed, tcc_view_pointer(k, &c->read->a), tcc_span_offset(k, &c->read->batch, A, batch));
  TccVal right = right_operand(k, c, batch, &right_step);
  TccVal mask = rest && !c->read->packed_nr ? tcc_emit_mask(e, tcc_emit_i64(e, rest), t->lanes) : 0;
  for (int64_t i = 0; i < s->rows * s->vectors; i++) sums[i] = tcc_emit_zero(e, vector);
  for (int64_t d = 0; d < s->depth; d++) {
    TccVal columns[SUMS];
    for (int64_t v = 0; v < s->vectors; v++) {
      TccVal p = tcc_emit_at(e, t->packed, right, d * right_step + v * t->lanes);
      columns[v] = v == s->vectors - 1 && mask ? tcc_emit_masked_load(e, vector, p, mask) : tcc_emit_load(e, vector, p);
    }
    for (int64_t r = 0; r < s->rows; r++) {
      TccVal a = tcc_emit_splat(e, vector, tcc_emit_load(e, t->packed, tcc_emit_at(e, t->packed, left, r * row_step + d * step)));
      for (int64_t v = 0; v < s->vectors; v++) {
        TccVal *sum = &sums[r * s->vectors + v];
        *sum = tcc_emit_fma(e, vector, a, columns[v], *sum);
      }
    }
  }
}

TccStatus *tcc_contract_small_emit(const TccTargetInfo *target, const char *emitter, TccContract *c, bool *out_taken,
                                   TccKernelCode *out) {
  TccEmit emit;
  TccKernelEmit k;
  Small s;
  tcc_kernel_init(&k, &emit, c->read->ir, target, c->read->kernel);
  *out_taken = takes(&k, c, &s);
  if (!*out_taken) {
    tcc_kernel_abandon(&k);
    return NULL;
  }
  TccKernelEntry entry;
  TccLoop tile;
  TccVal sums[SUMS];
  tcc_kernel_entry(&k, &entry);
  tcc_emit_for(&emit, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  emit_products(&k, c, &s, tile.iv, sums);
  TccStatus *status = tcc_epilogue_emit_registers(&k, &s.end, tile.iv, s.rows, s.columns, sums);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_end_for(&emit, &tile, NULL);
  tcc_emit_return(&emit, 0, NULL);
  c->plan.in_place = true;
  tcc_kernel_finish(&k, emitter, tcc_contract_schedule(c->read->ir->arena, &c->plan), tcc_kernel_slot(&k, c->read->batch.count),
                    tcc_expr_const(c->read->ir->exprs, 0), out);
  return NULL;
}
