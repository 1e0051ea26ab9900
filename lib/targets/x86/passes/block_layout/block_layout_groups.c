/* block_layout_groups.c - grouped convolutions whose groups are narrower than a block of channels, or no multiple of one: so many groups as
 * fill blocks become one, with zeros for the channels of the others.
 *
 * A group of `width` channels takes lanes / gcd(lanes, width) groups together and as many times the multiply-adds, which registers do at
 * several times the rate of a window's taps one by one; and neighbours stay in blocks. Zen 3, eight lanes, 3x3, 128 channels at 56x56, one
 * thread, ms: groups of 4 1.57 and 0.86, of 2 1.51 and 0.86; 96 channels in groups of 12 1.77 and 1.48. An infinite or NaN value reaches the
 * other groups, as it reaches its neighbours by Winograd's filtering: for fast numerics alone. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"

enum { MOST_MERGED = 4 };

int64_t tcc_layout_merged_groups(int64_t lanes, int64_t groups, int64_t channels, int64_t out_channels, bool may_merge) {
  int64_t in = channels / groups, out = out_channels / groups, most = may_merge ? MOST_MERGED : 1;
  for (int64_t merged = 1; merged <= most; merged *= 2)
    if (groups % merged == 0 && merged * in % lanes == 0 && merged * out % lanes == 0) return merged;
  return 0;
}

MlirValue tcc_layout_merge_weights(TccLayout *l, TccBuilder *b, MlirValue w, int64_t groups, int64_t merged) {
  if (merged == 1) return w;
  MlirType type = tcc_value_type(w);
  TccElem elem = tcc_type_elem(type);
  const TccExpr *d[4], *m = tcc_layout_number(l, merged), *one = tcc_layout_number(l, 1);
  for (int i = 0; i < 4; i++) d[i] = tcc_type_dim(l->ir, type, i);
  int64_t rows, columns;
  if (!tcc_expr_is_const(d[0], &rows) || !tcc_expr_is_const(d[1], &columns)) return (MlirValue){NULL};
  const TccExpr *outer = tcc_layout_number(l, groups / merged), *out = tcc_layout_number(l, rows / groups),
                *taps = tcc_expr_mul(l->ir->exprs, d[2], d[3]);
  /* [outer, group, out, group of x, in, taps]: w where both groups are the same */
  w = tcc_build_reshape(b, w, 6, (const TccExpr *[]){outer, m, out, one, d[1], taps});
  bool same[MOST_MERGED * MOST_MERGED];
  for (int64_t i = 0; i < merged * merged; i++) same[i] = i / merged == i % merged;
  MlirValue diagonal = tcc_build_constant(b, TCC_ELEM_BOOL, 6, (const int64_t[]){1, merged, 1, merged, 1, 1}, same);
  MlirValue zero = tcc_build_scalar(b, elem, 0);
  if (mlirValueIsNull(w) || mlirValueIsNull(diagonal) || mlirValueIsNull(zero)) return (MlirValue){NULL};
  w = tcc_build_select(b, diagonal, w, zero);
  if (mlirValueIsNull(w)) return w;
  return tcc_build_reshape(b, w, 4, (const TccExpr *[]){d[0], tcc_layout_number(l, merged * columns), d[2], d[3]});
}
