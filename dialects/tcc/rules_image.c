/* rules_image.c - result types of ops on encoded images. */
#include "dialects/tcc/rules.h"

/* C1: x is ui8 [N]. */
static bool is_image_file(TccRuleInput *in) {
  Shape x = rule_operand(in, 0);
  return (x.rank == 1 && x.elem == TCC_ELEM_U8) || rule_fail(in, "C1: operand 'x' must have type ui8 and rank 1");
}

bool rule_image_size(TccRuleInput *in, MlirType *out) {
  Shape r = {true, TCC_ELEM_I64, 1, {tcc_expr_const(in->ir->exprs, 3)}};
  return is_image_file(in) && rule_result(in, &r, out);
}

/* C2: two sizes, neither of which is negative. */
bool rule_decode_image(TccRuleInput *in, MlirType *out) {
  Shape r = {true, TCC_ELEM_U8, 3}, fault = {true, TCC_ELEM_I64, 0};
  size_t count;
  const TccExpr *const *size = rule_exprs(in, "size", &count);
  if (!is_image_file(in)) return false;
  if (count != 2 || !dims_at_least(in, size[0], 0) || !dims_at_least(in, size[1], 0))
    return rule_fail(in, "C2: size must be rows and columns");
  r.dims[0] = size[0], r.dims[1] = size[1],
  r.dims[2] = tcc_expr_const(in->ir->exprs, tcc_str_is(rule_str(in, "format"), "gray") ? 1 : 3);
  return rule_result(in, &r, &out[0]) && rule_result(in, &fault, &out[1]);
}
