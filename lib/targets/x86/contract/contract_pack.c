/* contract_pack.c - see contract_pack.h. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/contract/contract_pack_internal.h"
#include "lib/targets/x86/contract/pack_transpose.h"
#include "lib/targets/x86/contract/pack_turned.h"

static const char *const pack_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", "i64", "i64"};

void tcc_pack_call(TccKernelEmit *k, const char *name, const TccPackCall *c) {
  TccVal args[] = {c->dst, k->arguments, k->size_pointer, c->batch, c->outer, c->count, c->padded, c->k0, c->kcount, c->kpadded};
  tcc_emit_call(k->e, name, 10, args, pack_types, NULL);
}

const char *tcc_pack_memory_elem(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F32: return "f32";
  case TCC_ELEM_F64: return "f64";
  case TCC_ELEM_F16: return "f16";
  case TCC_ELEM_I8:
  case TCC_ELEM_U8: return "i8";
  case TCC_ELEM_I16:
  case TCC_ELEM_U16:
  case TCC_ELEM_BF16: return "i16";
  case TCC_ELEM_I64:
  case TCC_ELEM_U64: return "i64";
  default: return "i32";
  }
}

/* From the element in memory to the packed element, lane by lane. */
TccVal tcc_pack_widen(TccEmit *e, TccElem elem, const char *packed, int lanes, TccVal v) {
  const char *from = tcc_pack_memory_elem(elem);
  if (elem == TCC_ELEM_BF16 && packed[0] == 'f') return tcc_scalar_convert(e, elem, TCC_ELEM_F32, lanes, v);
  const char *op = packed[0] == 'f' ? "fpext" : tcc_elem_is_signed(elem) ? "sext" : "zext";
  return tcc_emit_cast(e, op, tcc_emit_vector(e, from, lanes), tcc_emit_vector(e, packed, lanes), v);
}

/* Lanes that can be read at once along `span`: all for even or 32/64-bit steps (a gather), else one. */
static int lanes_along(TccKernelEmit *k, const TccSpan *span, int tensor, TccElem elem, int lanes) {
  int64_t stride;
  if (!tcc_span_vectorizes(span, lanes)) return 1;
  if (tcc_expr_is_const(tcc_span_inner_stride(k->ir, span, tensor), &stride) && (stride == 1 || stride == 0)) return lanes;
  return tcc_elem_bits(elem) >= 32 ? lanes : 1;
}

/* `lanes` elements at p, p + stride, ...; lanes at and beyond `count` are zero; count 0: there are all of them. */
TccVal tcc_pack_load_along(TccKernelEmit *k, TccElem elem, TccVal p, const TccExpr *stride, int lanes, TccVal count) {
  TccEmit *e = k->e;
  const char *scalar = tcc_pack_memory_elem(elem), *vector = tcc_emit_vector(e, scalar, lanes);
  int64_t known = 0;
  bool is_const = tcc_expr_is_const(stride, &known);
  if (lanes == 1) return tcc_emit_load(e, scalar, p);
  if (!count && is_const && known == 1) return tcc_emit_load(e, vector, p);
  TccVal mask = tcc_emit_mask(e, count ? count : tcc_emit_i64(e, lanes), lanes);
  if (is_const && known == 1) return tcc_emit_masked_load(e, vector, p, mask);
  if (is_const && known == 0)
    return tcc_emit_select(e, vector, mask, tcc_emit_splat(e, vector, tcc_emit_load(e, scalar, p)), tcc_emit_zero(e, vector));
  return tcc_emit_load_steps(e, vector, p, tcc_kernel_size(k, stride), mask);
}

void tcc_pack_open(TccKernelEmit *k, const char *name, TccPackCall *c) {
  TccVal arg[10];
  const char *params[10];
  memcpy(params, pack_types, sizeof params);
  params[0] = TCC_PTR " {llvm.noalias}";
  tcc_emit_tell(k->e, TCC_TELL_PLACES);
  tcc_emit_function(k->e, name, true, 10, params, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  *c = (TccPackCall){arg[0], arg[3], arg[4], arg[5], arg[6], arg[7], arg[8], arg[9]};
}

/* The same; gives where the batch entry begins. */
static TccVal open(TccKernelEmit *k, const char *name, const TccPackSource *s, TccPackCall *c) {
  tcc_pack_open(k, name, c);
  TccVal base = tcc_view_pointer(k, s->view);
  return tcc_emit_gep(k->e, tcc_pack_memory_elem(s->view->elem), base, tcc_span_offset(k, s->batch, s->tensor, c->batch));
}

void tcc_pack_rows_emit(TccKernelEmit *k, const char *name, const TccMicroType *t, const TccPackSource *s, int64_t lda) {
  TccEmit *e = k->e;
  if (tcc_pack_turns_rows(k, t, s)) {
    tcc_pack_turned_rows_emit(k, name, t, s, lda);
    return;
  }
  TccPackCall c;
  TccVal source = open(k, name, s, &c), zero = tcc_emit_i64(e, 0);
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  int lanes = lanes_along(k, s->k, s->tensor, s->view->elem, t->lanes);
  if (s->any_start && s->k->n > 1) lanes = 1; /* a vector could go beyond the end of a run */
  bool runs = (lanes == 1 && t->lanes > 1 && tcc_pack_has_runs(k, s)) || tcc_pack_runs_by_whole_vectors(k, t, s);
  const char *packed = tcc_emit_vector(e, t->packed, lanes);
  TccLoop row, col;
  tcc_emit_for(e, &row, zero, c.count, 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, memory, source, tcc_span_offset(k, s->outer, s->tensor, tcc_emit_add(e, c.outer, row.iv)));
  TccVal to = tcc_emit_gep(e, t->packed, c.dst, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, lda)));
  if (runs) {
    tcc_pack_row_runs(k, t, s, &c, from, to);
  } else {
    tcc_emit_for(e, &col, zero, c.kcount, lanes, 0, NULL, NULL);
    TccVal p = tcc_emit_gep(e, memory, from, tcc_span_offset(k, s->k, s->tensor, tcc_emit_add(e, c.k0, col.iv)));
    TccVal v = tcc_pack_load_along(k, s->view->elem, p, tcc_span_inner_stride(k->ir, s->k, s->tensor), lanes,
                                   s->whole_vectors ? 0 : tcc_emit_sub(e, c.kcount, col.iv));
    tcc_emit_store(e, packed, tcc_pack_widen(e, s->view->elem, t->packed, lanes, v), tcc_emit_gep(e, t->packed, to, col.iv));
    tcc_emit_end_for(e, &col, NULL);
  }
  if (!s->whole_vectors || t->lanes % tcc_micro_unit(t) != 0) {
    tcc_emit_for(e, &col, c.kcount, c.kpadded, 1, 0, NULL, NULL);
    tcc_emit_store(e, t->packed, tcc_emit_zero(e, t->packed), tcc_emit_gep(e, t->packed, to, col.iv));
    tcc_emit_end_for(e, &col, NULL);
  }
  tcc_emit_end_for(e, &row, NULL);

  const char *vector = tcc_emit_vector(e, t->packed, t->lanes);
  tcc_emit_for(e, &row, c.count, c.padded, 1, 0, NULL, NULL);
  to = tcc_emit_gep(e, t->packed, c.dst, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, lda)));
  tcc_emit_for(e, &col, zero, c.kpadded, t->lanes, 0, NULL, NULL);
  tcc_emit_store(e, vector, tcc_emit_zero(e, vector), tcc_emit_gep(e, t->packed, to, col.iv));
  tcc_emit_end_for(e, &col, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* `count` elements of a row of the register tile at k, in vectors: from where columns are rows. */
static void copy_tile_row(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, int64_t rows, TccVal from, TccVal to,
                          TccVal count) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  for (int64_t i = 0; i < rows; i += t->lanes) {
    int lanes = t->lanes;
    const char *vector = tcc_emit_vector(e, memory, lanes), *packed = tcc_emit_vector(e, t->packed, lanes);
    TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, count, tcc_emit_i64(e, i)), lanes);
    TccVal v = tcc_emit_masked_load(e, vector, tcc_emit_at(e, memory, from, i), mask);
    TccVal fits = rows - i < lanes ? tcc_emit_mask(e, tcc_emit_i64(e, rows - i), lanes) : 0;
    tcc_emit_masked_store(e, packed, tcc_pack_widen(e, s->view->elem, t->packed, lanes, v), tcc_emit_at(e, t->packed, to, i), fits);
  }
}

/* The same of a whole register tile, in pieces of powers of two, which need no mask. */
static void copy_whole_tile_row(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, int64_t rows, TccVal from,
                                TccVal to) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  for (int64_t at = 0, piece = t->lanes; at < rows; piece /= 2)
    for (; rows - at >= piece; at += piece) {
      TccVal v = tcc_emit_load(e, tcc_emit_vector(e, memory, (int)piece), tcc_emit_at(e, memory, from, at));
      tcc_emit_store(e, tcc_emit_vector(e, t->packed, (int)piece), tcc_pack_widen(e, s->view->elem, t->packed, (int)piece, v),
                     tcc_emit_at(e, t->packed, to, at));
    }
}

void tcc_pack_tiles_emit(TccKernelEmit *k, const char *name, const TccMicroType *t, const TccPackSource *s, int64_t rows,
                         int64_t depth) {
  enum { STRIP = 16 /* k-groups: as many pages are read from at once */ };
  TccEmit *e = k->e;
  TccPackCall c;
  TccVal source = open(k, name, s, &c), zero = tcc_emit_i64(e, 0), height = tcc_emit_i64(e, rows);
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  TccLoop strip, tile, at;
  source = tcc_emit_gep(e, memory, source, tcc_span_offset(k, s->outer, s->tensor, c.outer));
  tcc_emit_for(e, &strip, zero, c.kpadded, STRIP, 0, NULL, NULL);
  TccVal end = tcc_emit_min(e, tcc_emit_add(e, strip.iv, tcc_emit_i64(e, STRIP)), c.kpadded),
         inside = tcc_emit_min(e, end, c.kcount);
  tcc_emit_for(e, &tile, zero, c.count, rows, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, memory, source, tile.iv),
         to = tcc_emit_gep(e, t->packed, c.dst, tcc_emit_mul(e, tile.iv, tcc_emit_i64(e, depth))),
         count = tcc_emit_min(e, height, tcc_emit_sub(e, c.count, tile.iv));
  TccIf whole;
  if (tcc_pack_avoids_masks(t)) {
    tcc_emit_if(e, &whole, tcc_emit_icmp(e, "sge", "i64", count, height), 0, NULL);
    tcc_emit_for(e, &at, strip.iv, inside, 1, 0, NULL, NULL);
    TccVal row = tcc_emit_gep(e, memory, from, tcc_span_offset(k, s->k, s->tensor, tcc_emit_add(e, c.k0, at.iv)));
    copy_whole_tile_row(k, t, s, rows, row, tcc_emit_gep(e, t->packed, to, tcc_emit_mul(e, at.iv, height)));
    tcc_emit_end_for(e, &at, NULL);
    tcc_emit_else(e, &whole, NULL);
  }
  tcc_emit_for(e, &at, strip.iv, inside, 1, 0, NULL, NULL);
  TccVal row = tcc_emit_gep(e, memory, from, tcc_span_offset(k, s->k, s->tensor, tcc_emit_add(e, c.k0, at.iv)));
  copy_tile_row(k, t, s, rows, row, tcc_emit_gep(e, t->packed, to, tcc_emit_mul(e, at.iv, height)), count);
  tcc_emit_end_for(e, &at, NULL);
  if (tcc_pack_avoids_masks(t)) tcc_emit_end_if(e, &whole, NULL);
  tcc_emit_for(e, &at, tcc_emit_mul(e, tcc_emit_max(e, strip.iv, c.kcount), height), tcc_emit_mul(e, end, height), 1, 0, NULL,
               NULL);
  tcc_emit_store(e, t->packed, tcc_emit_zero(e, t->packed), tcc_emit_gep(e, t->packed, to, at.iv));
  tcc_emit_end_for(e, &at, NULL);
  tcc_emit_end_for(e, &tile, NULL);
  tcc_emit_end_for(e, &strip, NULL);
  tcc_emit_return(e, 0, NULL);
}

enum { STEPS = 32 /* of k whose places are counted at once */ };

/* A panel on its way from rows along the columns. steps: where k from `first` on is, in elements, counted for all columns; 0: counted for each. */
typedef struct {
  TccKernelEmit *k;
  const TccMicroType *t;
  const TccPackSource *s;
  const TccPackCall *c;
  TccVal source, steps, first;
  int lanes;
  bool whole;    /* all columns exist */
  int64_t ahead; /* bytes to what is prefetched */
} RowsOfPanel;

/* The next panel's line of this row, which may be the next page's. Where steps of k share lines, as places of an image in blocks do, what comes
 * later of the same columns. */
static int64_t bytes_ahead(TccKernelEmit *k, const TccPackSource *s) {
  enum { LINE = 64, LATER = 1024 };
  int64_t along;
  bool shares = tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along) && along > 1 &&
                along * tcc_elem_bits(s->view->elem) / 8 <= LINE;
  return shares ? LATER : LINE;
}

static TccVal step_of(const RowsOfPanel *p, TccVal at) {
  TccEmit *e = p->k->e;
  if (p->steps) return tcc_emit_load(e, "i64", tcc_emit_gep(e, "i64", p->steps, tcc_emit_sub(e, at, p->first)));
  return tcc_span_offset(p->k, p->s->k, p->s->tensor, tcc_emit_add(e, p->c->k0, at));
}

static TccVal column_of(const RowsOfPanel *p, TccVal column) {
  return tcc_span_offset(p->k, p->s->outer, p->s->tensor, tcc_emit_add(p->k->e, p->c->outer, column));
}

/* The k-group of columns [column, column + lanes), which begin at `offset`, at k and, for pairs and fours, what follows (zero at and beyond
 * kcount). */
static TccVal panel_k_group(const RowsOfPanel *p, TccVal at, TccVal column, TccVal offset) {
  TccKernelEmit *k = p->k;
  TccEmit *e = k->e;
  const TccMicroType *t = p->t;
  const TccElem elem = p->s->view->elem;
  const int lanes = p->lanes;
  const char *memory = tcc_pack_memory_elem(elem), *k_group = tcc_emit_vector(e, t->k_group_type, lanes);
  const TccExpr *stride = tcc_span_inner_stride(k->ir, p->s->outer, p->s->tensor);
  TccVal count = p->whole ? 0 : tcc_emit_sub(e, p->c->count, column), result = 0;
  int bits = 32 / t->k_group;
  for (int g = 0; g < t->k_group; g++) {
    TccVal kk = tcc_emit_add(e, at, tcc_emit_i64(e, g));
    TccVal inside = g ? tcc_emit_icmp(e, "slt", "i64", kk, p->c->kcount) : 0;
    if (g) kk = tcc_emit_select1(e, "i64", inside, kk, at);
    TccVal row = tcc_emit_gep(e, memory, p->source, step_of(p, kk));
    TccVal from = tcc_emit_gep(e, memory, row, offset), v = tcc_pack_load_along(k, elem, from, stride, lanes, count);
    if (t->engine == TCC_MICRO_TILES && lanes > 1) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", from, p->ahead), false, 2);
    if (t->k_group == 1) return tcc_pack_widen(e, elem, t->packed, lanes, v);
    v = tcc_pack_widen(e, elem, t->k_group_type, lanes, v);
    v = tcc_emit_bin(e, "and", k_group, v, tcc_emit_int(e, k_group, (INT64_C(1) << bits) - 1));
    if (g == 0) {
      result = v;
    } else {
      v = tcc_emit_bin(e, "shl", k_group, v, tcc_emit_int(e, k_group, g * bits));
      result = tcc_emit_bin(e, "or", k_group, result, tcc_emit_select1(e, k_group, inside, v, tcc_emit_zero(e, k_group)));
    }
  }
  return result;
}

/* Whether k is contiguous and columns are not: then blocks are read along k and transposed in registers, as k-groups. */
bool tcc_pack_is_transposing(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  int64_t stride, across;
  if ((t->k_group != 1 && !tcc_micro_packs_as_is(t, s->view->elem)) || s->k->n != 1 ||
      !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &stride) || stride != 1)
    return false;
  return !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->outer, s->tensor), &across) || across > 1;
}

/* One block of emit_transposing: lanes columns of the panel, from `group` on, by as many k-groups from `block` on. */
typedef struct {
  TccKernelEmit *k;
  const TccMicroType *t;
  const TccPackSource *s;
  const TccPackCall *c;
  TccVal source, dst, group, block, last, rows,
      mask; /* last: of the columns; rows: k-groups that are packed; mask: elements of k that exist */
  int64_t nr;
} Turning;

static TccVal column_place(const Turning *b, TccVal column) {
  const char *memory = tcc_pack_memory_elem(b->s->view->elem);
  TccVal run = tcc_emit_gep(b->k->e, memory, b->source,
                            tcc_span_offset(b->k, b->s->outer, b->s->tensor, tcc_emit_add(b->k->e, b->c->outer, column)));
  return tcc_emit_gep(b->k->e, memory, run, tcc_emit_add(b->k->e, b->c->k0, b->block));
}

/* A column's elements along k. The line of the column that stands at its place in the next group, which may be the next panel's, is asked for:
 * columns lie too far apart for prefetchers to follow lanes of them. Columns that do not exist repeat the last: nobody reads their products. */
static TccVal load_column(void *user, TccVal row) {
  const Turning *b = user;
  TccEmit *e = b->k->e;
  const int elements = b->t->lanes * b->t->k_group;
  TccVal column = tcc_emit_add(e, b->group, row);
  tcc_emit_prefetch(e, column_place(b, tcc_emit_add(e, column, tcc_emit_i64(e, b->t->lanes))), false, 2);
  TccVal values = tcc_emit_masked_load(e, tcc_emit_vector(e, tcc_pack_memory_elem(b->s->view->elem), elements),
                                       column_place(b, tcc_emit_min(e, column, b->last)), b->mask);
  values = tcc_pack_widen(e, b->s->view->elem, b->t->packed, elements, values);
  return tcc_emit_cast(e, "bitcast", tcc_emit_vector(e, b->t->packed, elements),
                       tcc_emit_vector(e, b->t->k_group_type, b->t->lanes), values);
}

static void store_row(void *user, TccVal row, TccVal value) {
  const Turning *b = user;
  TccEmit *e = b->k->e;
  const int lanes = b->t->lanes;
  TccVal exists = tcc_emit_icmp(e, "slt", "i64", row, b->rows);
  TccVal mask = tcc_emit_mask(e, tcc_emit_select1(e, "i64", exists, tcc_emit_i64(e, lanes), tcc_emit_i64(e, 0)), lanes);
  TccVal to = tcc_emit_gep(e, b->t->k_group_type, b->dst, tcc_emit_mul(e, row, tcc_emit_i64(e, b->nr)));
  tcc_emit_masked_store(e, tcc_emit_vector(e, b->t->k_group_type, lanes), value, to, mask);
}

/* Columns come into a square of vectors on the stack, which is transposed on the way through it: a pointer a column held
 * through the loop would cost more to compile than all the rest. */
static void emit_transposing(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal source, const TccPackCall *c,
                             int64_t nr) {
  TccEmit *e = k->e;
  int elements = t->lanes * t->k_group;
  const char *to = tcc_emit_vector(e, t->k_group_type, t->lanes);
  TccVal zero = tcc_emit_i64(e, 0), square = tcc_emit_alloca(e, to, tcc_emit_i64(e, 2 * t->lanes));
  TccLoop group, block;
  tcc_emit_for(e, &group, zero, tcc_emit_i64(e, nr), t->lanes, 0, NULL, NULL);
  tcc_emit_for(e, &block, zero, c->kpadded, elements, 0, NULL, NULL);
  Turning turning = {.k = k, .t = t, .s = s, .c = c, .source = source, .nr = nr, .group = group.iv, .block = block.iv};
  turning.last = tcc_emit_sub(e, c->count, tcc_emit_i64(e, 1));
  turning.mask = tcc_emit_mask(e, tcc_emit_sub(e, c->kcount, block.iv), elements);
  turning.rows = tcc_emit_div(e, tcc_emit_sub(e, c->kpadded, block.iv), tcc_emit_i64(e, t->k_group));
  turning.dst = tcc_emit_gep(e, t->k_group_type, tcc_emit_gep(e, t->packed, c->dst, tcc_emit_mul(e, block.iv, tcc_emit_i64(e, nr))),
                             group.iv);
  tcc_emit_transpose_rows(e, to, square, &(TccTurnedRows){load_column, store_row, &turning});
  tcc_emit_end_for(e, &block, NULL);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* Whether k comes in whole blocks, of 32 bits a k-group: then machine code does it. Of f32 one block will do. */
static bool transposes_in_registers(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, int64_t nr, bool *out_whole) {
  const int64_t bytes = tcc_elem_bits(s->view->elem) / 8, elements = 4 * t->lanes / bytes;
  int64_t depth;
  if (t->llvm_tiles || (t->lanes != 16 && t->lanes != 8) || t->k_group * bytes != 4 || !tcc_micro_packs_as_is(t, s->view->elem) ||
      !tcc_pack_is_transposing(k, t, s))
    return false;
  if (!tcc_expr_is_const(s->k->count, &depth) || depth <= 0) return false;
  *out_whole = depth % elements == 0 && s->whole > 0 && s->whole % elements == 0;
  return (*out_whole || (t->k_group == 1 && s->least >= elements)) && tcc_pack_transpose_fits(nr * t->k_group * bytes);
}

/* Rows of a panel behind the last k-group. */
static void zero_rows(TccKernelEmit *k, const TccMicroType *t, const TccPackCall *c, int64_t nr) {
  TccEmit *e = k->e;
  const char *full = tcc_emit_vector(e, t->k_group_type, t->lanes);
  TccVal width = tcc_emit_i64(e, nr);
  TccVal k_groups = tcc_emit_ceil_div(e, c->kcount, t->k_group), padded = tcc_emit_ceil_div(e, c->kpadded, t->k_group);
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_mul(e, k_groups, width), tcc_emit_mul(e, padded, width), t->lanes, 0, NULL, NULL);
  tcc_emit_store(e, full, tcc_emit_zero(e, full), tcc_emit_gep(e, t->k_group_type, c->dst, row.iv));
  tcc_emit_end_for(e, &row, NULL);
}

/* A group of columns on its way to a panel: blocks of so many elements, from `at` on, to the row that this is. */
typedef struct {
  TccVal to, columns, next; /* next: elements to the same place of the next group */
  int64_t elements, bytes;  /* of a block of a column; of one element */
} TurnedGroup;

static void transpose_blocks(TccEmit *e, const TurnedGroup *g, TccVal row, TccVal at, TccVal blocks) {
  TccVal size = tcc_emit_i64(e, g->bytes);
  tcc_pack_transpose_call(e, "transpose_columns", row, g->columns, tcc_emit_mul(e, at, size),
                          tcc_emit_mul(e, tcc_emit_add(e, at, g->next), size), blocks);
}

/* A last block of fewer k begins as much earlier: what a block or strip before it has written is written again. */
static void transpose_group(TccKernelEmit *k, const TccMicroType *t, const TccPackCall *c, const TurnedGroup *g, int64_t nr,
                            bool whole) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), elements = tcc_emit_i64(e, g->elements), blocks = tcc_emit_div(e, c->kcount, elements);
  if (whole) {
    transpose_blocks(e, g, g->to, zero, blocks);
    return;
  }
  TccVal rest = tcc_emit_sub(e, c->kcount, tcc_emit_mul(e, blocks, elements)), last_k = tcc_emit_sub(e, c->kcount, elements);
  TccIf some;
  tcc_emit_if(e, &some, tcc_emit_icmp(e, "sgt", "i64", blocks, zero), 0, NULL);
  transpose_blocks(e, g, g->to, zero, blocks);
  tcc_emit_end_if(e, &some, NULL);
  tcc_emit_if(e, &some, tcc_emit_icmp(e, "sgt", "i64", rest, zero), 0, NULL);
  transpose_blocks(e, g, tcc_emit_gep(e, t->packed, g->to, tcc_emit_mul(e, last_k, tcc_emit_i64(e, nr))), last_k,
                   tcc_emit_i64(e, 1));
  tcc_emit_end_if(e, &some, NULL);
}

/* Columns that do not exist repeat the last that does: nobody reads their products. */
static void emit_transposing_in_registers(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal source,
                                          const TccPackCall *c, int64_t nr, bool whole) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_i64(e, t->lanes), last = tcc_emit_sub(e, c->count, tcc_emit_i64(e, 1));
  TurnedGroup turned = {.columns = tcc_emit_alloca(e, TCC_PTR, width), .bytes = tcc_elem_bits(s->view->elem) / 8};
  turned.elements = 4 * t->lanes / turned.bytes;
  turned.next = tcc_emit_mul(e, tcc_kernel_size(k, tcc_span_inner_stride(k->ir, s->outer, s->tensor)), width);
  TccLoop group, column;
  tcc_emit_for(e, &group, zero, tcc_emit_i64(e, nr), t->lanes, 0, NULL, NULL);
  tcc_emit_for(e, &column, zero, width, 1, 0, NULL, NULL);
  TccVal which = tcc_emit_add(e, c->outer, tcc_emit_min(e, tcc_emit_add(e, group.iv, column.iv), last));
  TccVal from = tcc_emit_gep(e, memory, source, tcc_emit_add(e, tcc_span_offset(k, s->outer, s->tensor, which), c->k0));
  tcc_emit_store(e, TCC_PTR, from, tcc_emit_gep(e, TCC_PTR, turned.columns, column.iv));
  tcc_emit_end_for(e, &column, NULL);
  turned.to = tcc_emit_gep(e, t->k_group_type, c->dst, group.iv);
  transpose_group(k, t, c, &turned, nr, whole);
  tcc_emit_end_for(e, &group, NULL);
  if (!whole) zero_rows(k, t, c, nr);
  tcc_emit_return(e, 0, NULL);
}

/* K-groups [from, to) of a panel of nr columns, whose begins, a vector of them each, are in `offsets` if they are few. */
static void emit_k_groups(const RowsOfPanel *p, int64_t nr, const TccVal *offsets, TccVal from, TccVal to) {
  TccEmit *e = p->k->e;
  const TccMicroType *t = p->t;
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_i64(e, nr);
  const char *k_group = tcc_emit_vector(e, t->k_group_type, p->lanes);
  TccLoop row, col;
  tcc_emit_for(e, &row, from, to, t->k_group, 0, NULL, NULL);
  TccVal dst =
      tcc_emit_gep(e, t->k_group_type, p->c->dst, tcc_emit_mul(e, tcc_emit_div(e, row.iv, tcc_emit_i64(e, t->k_group)), width));
  for (int64_t j = 0; offsets && j < nr; j += p->lanes) {
    TccVal column = tcc_emit_i64(e, j);
    tcc_emit_store(e, k_group, panel_k_group(p, row.iv, column, offsets[j / p->lanes]),
                   tcc_emit_gep(e, t->k_group_type, dst, column));
  }
  if (!offsets) {
    tcc_emit_for(e, &col, zero, p->lanes > 1 ? width : p->c->count, p->lanes, 0, NULL, NULL);
    tcc_emit_store(e, k_group, panel_k_group(p, row.iv, col.iv, column_of(p, col.iv)),
                   tcc_emit_gep(e, t->k_group_type, dst, col.iv));
    tcc_emit_end_for(e, &col, NULL);
  }
  if (p->lanes == 1) {
    tcc_emit_for(e, &col, p->c->count, width, 1, 0, NULL, NULL);
    tcc_emit_store(e, t->k_group_type, tcc_emit_zero(e, t->k_group_type), tcc_emit_gep(e, t->k_group_type, dst, col.iv));
    tcc_emit_end_for(e, &col, NULL);
  }
  tcc_emit_end_for(e, &row, NULL);
}

static void emit_rows_of_panel(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal source, const TccPackCall *c,
                               int64_t nr, int lanes, bool whole) {
  enum { FEW = 8 };
  TccEmit *e = k->e;
  RowsOfPanel p = {k, t, s, c, source, .lanes = lanes, .whole = whole, .ahead = bytes_ahead(k, s)};
  TccVal zero = tcc_emit_i64(e, 0), offsets[FEW];
  const bool few = lanes > 1 && nr <= (int64_t)FEW * lanes;
  for (int64_t j = 0; few && j < nr; j += lanes) offsets[j / lanes] = column_of(&p, tcc_emit_i64(e, j));
  if (s->k->n < 2 || t->k_group == 1 || lanes == 1) {
    emit_k_groups(&p, nr, few ? offsets : NULL, zero, c->kcount);
    return;
  }
  /* Along k in several steps a place takes divisions. */
  TccLoop block, step;
  p.steps = tcc_emit_alloca(e, "i64", tcc_emit_i64(e, STEPS));
  tcc_emit_for(e, &block, zero, c->kcount, STEPS, 0, NULL, NULL);
  TccVal count = tcc_emit_min(e, tcc_emit_i64(e, STEPS), tcc_emit_sub(e, c->kcount, block.iv));
  tcc_emit_for(e, &step, zero, count, 1, 0, NULL, NULL);
  TccVal k_at = tcc_emit_add(e, c->k0, tcc_emit_add(e, block.iv, step.iv));
  tcc_emit_store(e, "i64", tcc_span_offset(k, s->k, s->tensor, k_at), tcc_emit_gep(e, "i64", p.steps, step.iv));
  tcc_emit_end_for(e, &step, NULL);
  p.first = block.iv;
  emit_k_groups(&p, nr, few ? offsets : NULL, block.iv, tcc_emit_add(e, block.iv, count));
  tcc_emit_end_for(e, &block, NULL);
}

void tcc_pack_panel_emit(TccKernelEmit *k, const char *name, const TccMicroType *t, const TccPackSource *s, int64_t nr) {
  TccEmit *e = k->e;
  TccPackCall c;
  bool whole;
  const bool transposes = transposes_in_registers(k, t, s, nr, &whole);
  if (transposes || (tcc_pack_panel_has_runs(k, t, s) && tcc_pack_transposes_runs(k, t, s, nr)))
    tcc_pack_transpose_emit(e, "transpose_columns", t->lanes, nr * t->k_group * tcc_elem_bits(s->view->elem) / 8);
  const bool optnone = e->optnone, near = e->near;
  e->optnone |= transposes && s->outer->n <= 1; /* it calls machine code then; columns of several axes take divisions */
  e->near |= s->seldom_met;
  TccVal source = open(k, name, s, &c);
  e->optnone = optnone, e->near = near;
  if (transposes) {
    emit_transposing_in_registers(k, t, s, source, &c, nr, whole);
    return;
  }
  if (tcc_pack_is_transposing(k, t, s)) {
    emit_transposing(k, t, s, source, &c, nr);
    return;
  }
  int lanes = lanes_along(k, s->outer, s->tensor, s->view->elem, t->lanes);
  TccVal width = tcc_emit_i64(e, nr);
  int64_t columns;
  bool unmasked = lanes > 1 && nr <= 8 * lanes && tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->outer, s->tensor), &columns) &&
                  columns == 1;
  if (tcc_pack_panel_has_runs(k, t, s)) {
    tcc_pack_transposing_runs(k, t, s, source, &c, nr);
  } else if (unmasked && tcc_expr_is_const(s->outer->count, &columns) && columns > 0 && columns % nr == 0) {
    emit_rows_of_panel(k, t, s, source, &c, nr, lanes, true);
  } else if (unmasked && tcc_pack_avoids_masks(t)) {
    TccIf all;
    tcc_emit_if(e, &all, tcc_emit_icmp(e, "sge", "i64", c.count, width), 0, NULL);
    emit_rows_of_panel(k, t, s, source, &c, nr, lanes, true);
    tcc_emit_else(e, &all, NULL);
    emit_rows_of_panel(k, t, s, source, &c, nr, lanes, false);
    tcc_emit_end_if(e, &all, NULL);
  } else {
    emit_rows_of_panel(k, t, s, source, &c, nr, lanes, false);
  }

  zero_rows(k, t, &c, nr);
  tcc_emit_return(e, 0, NULL);
}
