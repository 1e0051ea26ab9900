/* map_turned.c - see map_turned.h.
 *
 * Lanes along the last dim take an element of each row of such an operand: a gather, 20 cycles for 16 elements. Here a cell of a few rows and a vector of columns
 * is read as pieces of 128 bits, which are turned in registers as those of a transpose (map_transpose.c). Each row of the cell then computes with its
 * vector, beside operands that lie as the result does. */
#include "lib/targets/x86/map/map_turned.h"
#include "lib/targets/x86/map/map_transpose.h"

enum { MOST_LOADS = 2, MOST_BODY = 256 /* nodes of a cell */, LEAST_CELLS = 4 /* of a tile */, PIECE_BITS = 128 };

/* ---- choice ---- */

static bool is_one(const TccPull *p, const TccExpr *step) { return step == tcc_expr_const(p->ir->exprs, 1); }

/* Whether neighbours lie along the last dim but one, and not along the last. */
static bool is_turned(const TccPull *p, const TccPullNode *node) {
  const int last = p->ndims - 1;
  const unsigned bits = tcc_elem_bits(node->elem);
  const TccExpr *along = node->index.coef[last];
  return node->kind == TCC_PULL_LOAD && node->argument >= 0 && is_one(p, node->index.coef[last - 1]) && along &&
         !is_one(p, along) && bits >= 8 && bits <= 32;
}

static bool is_plain(const TccPullNode *node) {
  return (node->kind == TCC_PULL_LOAD && !node->index.nterms && tcc_elem_bits(node->elem) >= 8) || node->kind == TCC_PULL_OP;
}

static bool stores_rows(const TccMapNest *nest) {
  const TccPull *p = &nest->pull;
  for (size_t i = 0; i < nest->count; i++) {
    const TccMapResult *r = &nest->results[i];
    if (tcc_elem_bits(r->elem) < 8 || r->store.nterms || !is_one(p, r->store.coef[p->ndims - 1])) return false;
  }
  return true;
}

static int rows_of_cell(unsigned bits, int lanes) { return PIECE_BITS / (int)bits < lanes ? PIECE_BITS / (int)bits : lanes; }

static int64_t rows_of_tile(const TccPull *p, int rows, int64_t tile) {
  int64_t width, most = LEAST_CELLS * rows;
  if (tcc_expr_is_const(p->dim[p->ndims - 1], &width) && tile / width > most) most = tile / width;
  return most / rows * rows;
}

TccTurned tcc_map_turned_choose(const TccMapNest *nest, int lanes, int64_t tile) {
  const TccPull *p = &nest->pull;
  TccTurned none = {0}, out = {.turned = TCC_NEW_ARRAY(p->arena, unsigned char, p->nodes.count + 1)};
  const int last = p->ndims - 1;
  int64_t width, height;
  int loads = 0;
  if (last < 1 || !stores_rows(nest)) return none;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    if (!is_plain(node)) return none;
    out.turned[node->id] = is_turned(p, node);
    if (!out.turned[node->id]) continue;
    const int rows = rows_of_cell(tcc_elem_bits(node->elem), lanes);
    loads++, out.rows = out.rows < rows ? rows : out.rows;
  }
  if (!loads || loads > MOST_LOADS || (int64_t)p->nodes.count * out.rows > MOST_BODY) return none;
  if (tcc_expr_is_const(p->dim[last], &width) && width < lanes / 2) return none;
  if (tcc_expr_is_const(p->dim[last - 1], &height) && height < out.rows) return none;
  out.block = rows_of_tile(p, out.rows, tile);
  return out;
}

/* ---- tiles ---- */

const TccExpr *tcc_map_turned_tiles(const TccPull *p, const TccTurned *turned) {
  TccExprPool *exprs = p->ir->exprs;
  const int middle = p->ndims - 2;
  const TccExpr *tiles = tcc_expr_call(exprs, TCC_EXPR_CEILDIV, p->dim[middle], tcc_expr_const(exprs, turned->block));
  for (int d = 0; d < middle; d++) tiles = tcc_expr_mul(exprs, tiles, p->dim[d]);
  return tiles;
}

void tcc_map_turned_place(TccPullEmit *e, const TccTurned *turned, TccVal tile, TccVal *from, TccVal *to) {
  TccEmit *t = e->k->e;
  const int middle = e->p->ndims - 2;
  TccVal height = tcc_kernel_size(e->k, e->p->dim[middle]), piece = tile, row = tile;
  if (middle > 0) {
    TccVal pieces = tcc_emit_ceil_div(t, height, turned->block);
    piece = tcc_emit_rem(t, tile, pieces), row = tcc_emit_div(t, tile, pieces);
  }
  for (int d = middle; d-- > 0;) {
    TccVal size = tcc_kernel_size(e->k, e->p->dim[d]);
    e->iv[d] = d ? tcc_emit_rem(t, row, size) : row;
    if (d) row = tcc_emit_div(t, row, size);
  }
  *from = tcc_emit_mul(t, piece, tcc_emit_i64(t, turned->block));
  *to = tcc_emit_min(t, tcc_emit_add(t, *from, tcc_emit_i64(t, turned->block)), height);
}

/* ---- cells ---- */

/* The values of a node in n rows from e->iv on. Behind the last column, which is `left` - 1 where the cell is not whole, it is read again. */
static void turn_load(TccPullEmit *e, const TccPullNode *node, int n, TccVal left, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *memory = tcc_scalar_memory_type(node->elem), *part = tcc_emit_vector(t, memory, n),
             *type = tcc_emit_vector(t, memory, e->lanes);
  TccVal base, step, p = tcc_kernel_argument(e->k, node->argument);
  tcc_pull_emit_affine(e, &node->index, &base, &step);
  TccVal first = tcc_emit_gep(t, memory, p, base), end = left ? tcc_emit_sub(t, left, tcc_emit_i64(t, 1)) : 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < e->lanes / n; j++) {
      TccVal column = tcc_emit_i64(t, j * n + k);
      if (end) column = tcc_emit_min(t, column, end);
      TccVal piece = tcc_emit_load(t, part, tcc_emit_gep(t, memory, first, tcc_emit_mul(t, column, step)));
      if (e->lanes == n) out[k] = piece;
      else out[k] = tcc_emit_insert_vector(t, part, piece, type, j ? out[k] : tcc_emit_poison(t, type), j * n);
    }
  tcc_map_transpose_unpack(t, type, n, out);
  for (int k = 0; k < n; k++) out[k] = tcc_scalar_from_memory(t, node->elem, e->lanes, out[k]);
}

/* The results of a row, all of them before one is stored: it may lie where an operand does. */
static TccStatus *emit_row(TccPullEmit *e, const TccTurned *turned, const TccMapNest *nest, TccVal *const *value, int row) {
  const TccPull *p = e->p;
  TccVal *results = TCC_NEW_ARRAY(p->arena, TccVal, nest->count);
  tcc_pull_emit_reset(e);
  for (size_t i = 0; i < p->nodes.count; i++)
    if (turned->turned[i]) e->value[i] = value[i][row];
  for (size_t i = 0; i < nest->count; i++) TCC_TRY(tcc_pull_emit_node(e, nest->results[i].root, &results[i]));
  for (size_t i = 0; i < nest->count; i++) {
    const TccMapResult *r = &nest->results[i];
    TCC_TRY(tcc_pull_emit_store(e, r->argument, r->elem, &r->store, results[i]));
  }
  return NULL;
}

/* The cell at e->iv; left: 0, or how many columns it has. */
static TccStatus *emit_cell(TccPullEmit *e, const TccTurned *turned, const TccMapNest *nest, TccVal left) {
  TccEmit *t = e->k->e;
  const TccPull *p = e->p;
  const int middle = p->ndims - 2;
  const TccVal row = e->iv[middle];
  TccVal **value = TCC_NEW_ARRAY(p->arena, TccVal *, p->nodes.count + 1);
  for (size_t i = 0; i < p->nodes.count; i++) {
    if (!turned->turned[i]) continue;
    const TccPullNode *node = p->nodes.data[i];
    const int n = rows_of_cell(tcc_elem_bits(node->elem), e->lanes);
    value[i] = TCC_NEW_ARRAY(p->arena, TccVal, (size_t)turned->rows);
    for (int r = 0; r < turned->rows; r += n) {
      e->iv[middle] = tcc_emit_add(t, row, tcc_emit_i64(t, r));
      turn_load(e, node, n, left, value[i] + r);
    }
  }
  e->mask = left ? tcc_emit_mask(t, left, e->lanes) : 0;
  for (int r = 0; r < turned->rows; r++) {
    e->iv[middle] = tcc_emit_add(t, row, tcc_emit_i64(t, r));
    TCC_TRY(emit_row(e, turned, nest, value, r));
  }
  e->mask = 0;
  return NULL;
}

/* The rows of a vector of columns. */
static TccStatus *emit_cells(TccPullEmit *e, const TccTurned *turned, const TccMapNest *nest, TccVal from, TccVal to, TccVal left) {
  TccLoop row;
  tcc_emit_for(e->k->e, &row, from, to, turned->rows, 0, NULL, NULL);
  e->iv[e->p->ndims - 2] = row.iv;
  TCC_TRY(emit_cell(e, turned, nest, left));
  tcc_emit_end_for(e->k->e, &row, NULL);
  return NULL;
}

TccStatus *tcc_map_turned_emit(TccPullEmit *e, const TccTurned *turned, const TccMapNest *nest, TccVal from, TccVal to,
                               TccVal *out_end) {
  TccEmit *t = e->k->e;
  const int last = e->p->ndims - 1;
  TccVal width = tcc_kernel_size(e->k, e->p->dim[last]), lanes = tcc_emit_i64(t, e->lanes), n = tcc_emit_i64(t, turned->rows);
  TccVal whole = tcc_emit_mul(t, tcc_emit_div(t, width, lanes), lanes);
  TccLoop column;
  *out_end = tcc_emit_add(t, from, tcc_emit_mul(t, tcc_emit_div(t, tcc_emit_sub(t, to, from), n), n));
  tcc_emit_for(t, &column, tcc_emit_i64(t, 0), whole, e->lanes, 0, NULL, NULL);
  e->iv[last] = column.iv;
  TCC_TRY(emit_cells(e, turned, nest, from, *out_end, 0));
  tcc_emit_end_for(t, &column, NULL);
  int64_t known;
  TccVal left = tcc_emit_sub(t, width, whole);
  if (tcc_emit_known(t, left, &known) && !known) return NULL;
  tcc_emit_for(t, &column, whole, width, e->lanes, 0, NULL, NULL); /* at most once */
  e->iv[last] = column.iv;
  TCC_TRY(emit_cells(e, turned, nest, from, *out_end, left));
  tcc_emit_end_for(t, &column, NULL);
  return NULL;
}
