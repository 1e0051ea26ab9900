/* attention_mask.c - masks of attention through shared memory: where scores lie in registers, a row has eight of its keys in four lanes, so that lanes
 * that read a mask from there touch a sector of 32 bytes for 8 to 16 of them. Rows are copied as they lie in memory, 16 bytes a lane, and read from
 * shared memory.
 *
 * A panel has the keys of one block for some rows: in kernels of mma.sync for those of the block of threads, as a part of a stage; of warpgroups each
 * warp has two panels for its own rows, of which one is read while the next is copied. Rows that do not begin at such pieces are copied from the
 * sector on in which they begin: their first key stands so many elements behind. A mask that is computed comes element by element, neighbouring lanes side by side.
 * Pitches are such that the eight rows that are read at once lie in different banks. */
#include "lib/targets/nvptx/attention_internal.h"
#include <math.h>

enum { SECTOR = 32, WORD = 4 };

static TccVal add(Attention *a, TccVal x, TccVal y) { return tcc_emit_add(&a->n.e, x, y); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }
static TccVal below(Attention *a, TccVal x, TccVal y) { return tcc_emit_icmp(&a->n.e, "slt", "i64", x, y); }

/* ---- the plan ---- */

/* Whether the mask is the same along an axis of [batch, head, query, key]. */
static bool is_one(Attention *a, int axis) {
  MlirType type = a->operand[ATT_MASK].type;
  int at = axis - (4 - tcc_type_rank(type));
  return at < 0 || tcc_type_dim(a->ir, type, at) == tcc_expr_const(a->ir->exprs, 1);
}

void att_mask_plan(Attention *a) {
  AttMask *m = &a->mask;
  NvptxOperand *o = &a->operand[ATT_MASK];
  if (!a->has_mask || is_one(a, 3)) return;
  m->elem = tcc_type_elem(o->type), m->bytes = (int)tcc_ceil_div(tcc_elem_bits(m->elem), 8);
  if (m->elem != TCC_ELEM_BOOL && m->elem != TCC_ELEM_F16 && m->elem != TCC_ELEM_BF16 && m->elem != TCC_ELEM_F32) return;
  const int axes[] = {tcc_type_rank(o->type) - 1};
  m->is_copied = nvptx_operand_follows(o, m->elem, axes, 1, 1);
  m->is_aligned = !m->is_copied || nvptx_operand_is_pieces(o, m->elem, axes, 1);
  m->is_row = is_one(a, 1) && is_one(a, 2);
  m->is_staged = true;
}

static int columns_of(const Attention *a) { return a->key_block + (a->mask.is_aligned ? 0 : SECTOR / a->mask.bytes); }

static int pitch_of(const Attention *a) { return columns_of(a) * a->mask.bytes + (a->mask.bytes == WORD ? SECTOR : NVPTX_PIECE); }
static int rows_of(const Attention *a, int rows) { return a->mask.is_row ? 1 : rows; }

int att_mask_panel(const Attention *a, int rows) { return a->mask.is_staged ? rows_of(a, rows) * pitch_of(a) : 0; }

/* ---- copies ---- */

static void mask_index(Attention *a, TccVal head, TccVal query, TccVal key, TccVal *index) {
  int rank = tcc_type_rank(a->operand[ATT_MASK].type);
  TccVal all[4] = {a->place[0], head, query, key};
  for (int i = 0; i < rank; i++) index[i] = is_one(a, 4 - rank + i) ? att_i64(a, 0) : all[4 - rank + i];
}

/* Where a row's first key lies, in elements. */
static TccVal begin_of(Attention *a, TccVal head, TccVal query) {
  NvptxOperand *o = &a->operand[ATT_MASK];
  TccVal index[4], from, step;
  mask_index(a, head, query, att_i64(a, 0), index);
  nvptx_operand_place(o, index);
  tcc_pull_emit_affine(&o->emit, &o->root->index, &from, &step);
  return from;
}

/* How many elements of the row's first sector are in front of it. */
static TccVal in_front(Attention *a, TccVal begin) {
  return a->mask.is_aligned ? att_i64(a, 0) : tcc_emit_bin(&a->n.e, "and", "i64", begin, att_i64(a, SECTOR / a->mask.bytes - 1));
}

static void copy_piece(Attention *a, const AttMaskFill *f, TccVal head, TccVal query, TccVal inside, TccVal to, TccVal piece) {
  TccEmit *t = &a->n.e;
  TccVal begin = begin_of(a, head, query), at = times(a, piece, NVPTX_PIECE / a->mask.bytes);
  TccVal key = add(a, f->first_key, tcc_emit_sub(t, at, in_front(a, begin)));
  TccVal bytes = times(a, tcc_emit_sub(t, f->end_key, key), a->mask.bytes);
  bytes = tcc_emit_max(t, tcc_emit_min(t, bytes, att_i64(a, NVPTX_PIECE)), att_i64(a, 0));
  bytes = tcc_emit_select1(t, "i64", inside, bytes, att_i64(a, 0));
  TccVal memory = tcc_kernel_argument(&a->n.k, a->operand[ATT_MASK].root->argument);
  nvptx_copy_async(&a->n, to, tcc_emit_gep(t, tcc_scalar_memory_type(a->mask.elem), memory, add(a, begin, key)), bytes);
}

static TccStatus *copy_element(Attention *a, const AttMaskFill *f, TccVal head, TccVal query, TccVal inside, TccVal to,
                               TccVal column) {
  TccEmit *t = &a->n.e;
  TccVal index[4], v, key = add(a, f->first_key, column);
  inside = tcc_emit_bin(t, "and", "i1", inside, below(a, key, f->end_key));
  mask_index(a, head, query, key, index);
  TCC_TRY(nvptx_operand_inside(&a->operand[ATT_MASK], inside, index, a->mask.elem, &v));
  tcc_emit_shared_store(t, tcc_scalar_memory_type(a->mask.elem), tcc_scalar_to_memory(t, a->mask.elem, 1, v), to);
  return NULL;
}

/* What thread number `at` of all pieces or elements copies. */
static TccStatus *copy_part(Attention *a, const AttMaskFill *f, TccVal at) {
  TccEmit *t = &a->n.e;
  int bytes = a->mask.is_copied ? NVPTX_PIECE : a->mask.bytes, per_row = columns_of(a) * a->mask.bytes / bytes;
  TccVal in_row = tcc_emit_div(t, at, att_i64(a, per_row)), part = tcc_emit_rem(t, at, att_i64(a, per_row)), head, query;
  TccVal row = add(a, f->first_row, in_row), inside = below(a, row, a->nrows);
  att_place_row(a, tcc_emit_min(t, row, tcc_emit_sub(t, a->nrows, att_i64(a, 1))), &head, &query);
  TccVal to = att_shared_at(a, add(a, f->panel, add(a, times(a, in_row, pitch_of(a)), times(a, part, bytes))));
  if (!a->mask.is_copied) return copy_element(a, f, head, query, inside, to, part);
  copy_piece(a, f, head, query, inside, to, part);
  return NULL;
}

TccStatus *att_mask_fill(Attention *a, const AttMaskFill *f) {
  TccEmit *t = &a->n.e;
  TccLoop each;
  if (!a->mask.is_staged) return NULL;
  int total = rows_of(a, f->rows) * columns_of(a) * a->mask.bytes / (a->mask.is_copied ? NVPTX_PIECE : a->mask.bytes);
  tcc_emit_for(t, &each, f->thread, att_i64(a, total), f->threads, 0, NULL, NULL);
  TCC_TRY(copy_part(a, f, each.iv));
  tcc_emit_end_for(t, &each, NULL);
  return NULL;
}

/* ---- reading ---- */

void att_mask_show(Attention *a, TccVal panel, TccVal row, TccVal column) {
  AttMask *m = &a->mask;
  if (!m->is_staged) return;
  for (int r = 0; r < 2; r++) {
    TccVal in_panel = m->is_row ? att_i64(a, 0) : add(a, row, att_i64(a, 8 * r));
    TccVal front = m->is_copied ? in_front(a, begin_of(a, a->head[r], a->query[r])) : att_i64(a, 0);
    m->at[r] = add(a, add(a, panel, times(a, in_panel, pitch_of(a))), times(a, add(a, column, front), m->bytes));
  }
}

static void read_two(Attention *a, int row, int at, TccVal *out) {
  TccEmit *t = &a->n.e;
  const AttMask *m = &a->mask;
  const char *type = tcc_scalar_memory_type(m->elem), *two = tcc_emit_vector(t, type, 2);
  TccVal both = 0;
  if (m->is_aligned) both = tcc_emit_shared_load(t, two, att_shared_at(a, add(a, m->at[row], att_i64(a, (int64_t)at * m->bytes))));
  for (int i = 0; i < 2; i++) {
    TccVal place = add(a, m->at[row], att_i64(a, (int64_t)(at + i) * m->bytes));
    out[i] = both ? tcc_emit_extract(t, two, both, i) : tcc_emit_shared_load(t, type, att_shared_at(a, place));
    out[i] = tcc_scalar_from_memory(t, m->elem, 1, out[i]);
  }
}

TccStatus *att_mask_two(Attention *a, int row, TccVal key, int at, bool bounded, TccVal *out) {
  TccEmit *t = &a->n.e;
  NvptxOperand *o = &a->operand[ATT_MASK];
  TccElem elem = tcc_type_elem(o->type), as = elem == TCC_ELEM_BOOL ? elem : TCC_ELEM_F32;
  if (a->mask.is_staged) {
    read_two(a, row, at, out);
    for (int i = 0; i < 2; i++) out[i] = tcc_scalar_convert(t, elem, as, 1, out[i]);
    return NULL;
  }
  for (int i = 0; i < 2; i++) {
    TccVal index[4], own = add(a, key, att_i64(a, at + i));
    if (bounded) own = tcc_emit_min(t, own, tcc_emit_sub(t, a->nkeys, att_i64(a, 1)));
    mask_index(a, a->head[row], a->query[row], own, index);
    TCC_TRY(nvptx_operand_at(o, index, as, &out[i]));
  }
  return NULL;
}
