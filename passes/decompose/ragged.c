/* ragged.c - expansion of ragged_dot, the product of groups of rows that data cut (jax.lax.ragged_dot; grouped GEMM).
 *
 * Blocks of R rows, each of one group: those of group g begin at its first row, and the last of them is filled up with what lies behind.
 * However the rows are shared, G groups of T rows have no more than (T + G (R - 1)) / R blocks, nor more than T, which is a size. So it is a product with a
 * batch entry for each block, whose right operand is the matrix of its group:
 *
 *   block      0  0  1  1  2  2        R = 2, ends = [3, 4]: rows 0 to 2 are group 0, row 3 is group 1
 *   row        0  1  2  3  3  4        first(block) + place; row 3 of block 1 is no row of group 0: its product is not read
 *   r[t] = product[t - shift[group(t)]], shift[g] = start[g] - R blocks before g
 *
 * With R = 1 each row is its own block. The contracted form (depth) sums the products of a group's blocks, what fills up being zeros. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

enum { MOST_ROWS = 64, MOST_DEPTH = 1024, ROWS_OF_ANY = 16 /* where sizes are symbolic */ };

typedef struct {
  TccExpand *x;
  const TccExpr *rows, *groups, *blocks;
  int64_t block_rows;
  MlirValue ends, shift; /* [groups], i64; see above */
  MlirValue group;       /* [blocks]: of each block */
  MlirValue row;         /* [blocks, block_rows]: of a and r; one behind the group's last is none of it */
} Ragged;

/* About the rows of a group where they are shared evenly, a power of two. */
static int64_t rows_of_block(const Ragged *g, int64_t most) {
  int64_t rows, groups, r = 1;
  if (most == 1) return 1;
  if (!tcc_expr_is_const(g->rows, &rows) || !tcc_expr_is_const(g->groups, &groups)) return ROWS_OF_ANY;
  while (r < most && r * groups < rows) r *= 2;
  return r;
}

static MlirValue count(TccExpand *x, int64_t value) { return tcc_build_scalar_i64(x->b, TCC_ELEM_I64, value); }

static MlirValue counting(TccExpand *x, const TccExpr *size) { return tcc_build_iota(x->b, TCC_ELEM_I64, 0, 1, &size); }

/* For each of `at` [n] how many of `limits` [groups], which ascend, are not above it, but one group at the most. */
static MlirValue group_of(Ragged *g, MlirValue at, MlirValue limits) {
  TccBuilder *b = g->x->b;
  MlirValue passed = tcc_build_compare(b, "le", limits, tcc_build_unsqueeze(b, at, 1));
  MlirValue group = tcc_build_reduce(b, "sum", tcc_build_convert(b, passed, TCC_ELEM_I64), (int64_t[]){1}, 1, false);
  return tcc_build2(b, TCC_OP_MIN, group,
                    tcc_ex_size(g->x, tcc_expr_sub(g->x->ir->exprs, g->groups, tcc_ex_const(g->x, 1)), TCC_ELEM_I64));
}

static void read_groups(Ragged *g, int64_t most) {
  TccExpand *x = g->x;
  TccBuilder *b = x->b;
  TccExprPool *pool = x->ir->exprs;
  const TccExpr *one = tcc_ex_const(x, 1), *before = tcc_expr_sub(pool, g->groups, one);
  int64_t r = g->block_rows = rows_of_block(g, most);
  const TccExpr *filled = tcc_expr_add(pool, g->rows, tcc_expr_mul(pool, g->groups, tcc_ex_const(x, r - 1)));
  g->blocks = r == 1 ? g->rows : tcc_expr_call(pool, TCC_EXPR_FLOORDIV, filled, tcc_ex_const(x, r));
  if (r > 1) g->blocks = tcc_expr_call(pool, TCC_EXPR_MIN, g->blocks, g->rows); /* each has a row */
  g->ends =
      tcc_build2(b, TCC_OP_MIN, tcc_build_convert(b, tcc_ex_operand(x, 2), TCC_ELEM_I64), tcc_ex_size(x, g->rows, TCC_ELEM_I64));
  MlirValue parts[] = {tcc_build_broadcast(b, count(x, 0), 1, &one),
                       tcc_build_slice_axis(b, g->ends, 0, tcc_ex_const(x, 0), 1, before)};
  MlirValue starts = tcc_build_concat(b, parts, 2, 0);
  MlirValue rows = tcc_build2(b, TCC_OP_MAX, tcc_build2(b, TCC_OP_SUB, g->ends, starts), count(x, 0));
  MlirValue blocks = tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_ADD, rows, count(x, r - 1)), count(x, r));
  TccNamedAttr axis = {"axis", tcc_attr_i64(x->ir, 0)};
  MlirValue last = tcc_build_value(b, TCC_OP_CUMULATIVE, &blocks, 1, &axis, 1, NULL);
  MlirValue first = tcc_build2(b, TCC_OP_SUB, last, blocks);
  g->shift = tcc_build2(b, TCC_OP_SUB, starts, tcc_build2(b, TCC_OP_MUL, first, count(x, r)));
  MlirValue block = counting(x, g->blocks);
  g->group = group_of(g, block, last);
  MlirValue from =
      tcc_build2(b, TCC_OP_ADD, tcc_build_gather(b, g->shift, g->group, 0), tcc_build2(b, TCC_OP_MUL, block, count(x, r)));
  g->row = tcc_build2(b, TCC_OP_ADD, tcc_build_unsqueeze(b, from, 1), counting(x, tcc_ex_const(x, r)));
}

/* Row t is r[t]; those behind the last group are 0. */
static MlirValue put_rows(Ragged *g, MlirValue product, const TccExpr *columns) {
  TccExpand *x = g->x;
  TccBuilder *b = x->b;
  TccExprPool *pool = x->ir->exprs;
  const TccExpr *dims[] = {tcc_expr_mul(pool, g->blocks, tcc_ex_const(x, g->block_rows)), columns};
  MlirValue flat = tcc_build_reshape(b, product, 2, dims), t = counting(x, g->rows);
  if (g->block_rows > 1) {
    MlirValue shift = tcc_build_gather(b, g->shift, group_of(g, t, g->ends), 0);
    flat = tcc_build_gather(b, flat, tcc_build2(b, TCC_OP_SUB, t, shift), 0);
  }
  MlirValue end = tcc_build_reduce(b, "max", g->ends, (int64_t[]){0}, 1, false);
  MlirValue in = tcc_build_unsqueeze(b, tcc_build_compare(b, "lt", t, end), 1);
  return tcc_build_select(b, in, flat, tcc_build_scalar(b, x->elem, 0));
}

/* The rows of blocks [blocks, block_rows, n] of v [rows, n], zeros where a block is filled up. */
static MlirValue filled_rows(Ragged *g, MlirValue v) {
  TccBuilder *b = g->x->b;
  MlirValue end = tcc_build_unsqueeze(b, tcc_build_gather(b, g->ends, g->group, 0), 1);
  MlirValue in = tcc_build_unsqueeze(b, tcc_build_compare(b, "lt", g->row, end), 2);
  return tcc_build_select(b, in, tcc_build_gather(b, v, g->row, 0), tcc_build_scalar(b, g->x->elem, 0));
}

/* Products of the blocks of a group, summed in f32 at least. */
static MlirValue sum_blocks(Ragged *g, MlirValue product, const TccExpr *m, const TccExpr *n) {
  TccExpand *x = g->x;
  TccBuilder *b = x->b;
  const TccExpr *dims[] = {g->groups, m, n};
  MlirValue operands[] = {tcc_build_broadcast(b, tcc_ex_scalar(x, 0), 3, dims), tcc_build_unsqueeze(b, g->group, 1),
                          tcc_build_convert(b, product, x->compute)};
  TccNamedAttr attr = {"reduction", tcc_attr_str(x->ir, tcc_str("add"))};
  return tcc_ex_out(x, tcc_build_value(b, TCC_OP_SCATTER_ND, operands, 3, &attr, 1, NULL));
}

bool tcc_expand_ragged_dot(TccExpand *x, MlirValue *results) {
  MlirValue a = tcc_ex_operand(x, 0), b = tcc_ex_operand(x, 1);
  bool rows = tcc_str_is(tcc_string(x->ir, x->op, "ragged"), "rows");
  TccShape sa, sb, ends;
  if (!tcc_ex_shape(x, a, &sa) || !tcc_ex_shape(x, b, &sb) || !tcc_ex_shape(x, tcc_ex_operand(x, 2), &ends)) return false;
  Ragged g = {.x = x, .rows = sa.dims[rows ? 0 : 1], .groups = ends.dims[0]};
  bool narrow = rows && tcc_ex_is_narrow(x, b); /* then no product reads it as it lies */
  read_groups(&g, narrow ? 1 : rows ? MOST_ROWS : MOST_DEPTH);
  if (rows && g.block_rows == 1 && (x->row_sums || narrow)) { /* each row has a matrix of its own */
    MlirValue row = tcc_build_convert(x->b, tcc_build_unsqueeze(x->b, a, 1), x->compute),
              matrix = tcc_build_convert(x->b, tcc_ex_pick(x, b, g.group), x->compute);
    results[0] = put_rows(&g, tcc_ex_out(x, tcc_ex_row_sums(x, row, matrix, 3)), sb.dims[2]);
  } else if (rows) {
    MlirValue matrix = tcc_build_gather(x->b, b, g.group, 0);
    results[0] = put_rows(&g, tcc_ex_dot(x, tcc_build_gather(x->b, a, g.row, 0), matrix, 1, 2, 1), sb.dims[2]);
  } else {
    MlirValue left = filled_rows(&g, tcc_build_transpose(x->b, a, (int64_t[]){1, 0})), right = filled_rows(&g, b);
    results[0] = sum_blocks(&g, tcc_ex_dot(x, left, right, 1, 1, 1), sa.dims[0], sb.dims[1]);
  }
  return results[0].ptr != NULL;
}
