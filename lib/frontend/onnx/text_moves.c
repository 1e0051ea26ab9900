/* text_moves.c - operators that move elements, on tensors of strings.
 *
 * A tensor of strings [...] is bytes [..., W], an axis more than the operator knows. So the operator is asked with the places of the strings in place of
 * them, i64 [...]: what it makes of these says which string each result is. Strings of several inputs have one numbering. */
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

/* Operators of this kind, by name; `shape`: their results are sizes, and no strings. */
static bool moves(const OnnxOp *op, bool *out_shape) {
  static const char *const names[] = {"ArrayFeatureExtractor",
                                      "Compress",
                                      "Concat",
                                      "Expand",
                                      "Flatten",
                                      "Gather",
                                      "GatherElements",
                                      "GatherND",
                                      "Reshape",
                                      "ScatterND",
                                      "Slice",
                                      "Split",
                                      "Squeeze",
                                      "Tile",
                                      "ReverseSequence",
                                      "ScatterElements",
                                      "Transpose",
                                      "UnfoldTensor",
                                      "Where",
                                      "Unsqueeze"};
  *out_shape = !strcmp(op->type, "Shape") || !strcmp(op->type, "Size");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(op->type, names[i])) return true;
  return *out_shape;
}

/* The strings' places from `first` on, in the shape of the strings; their rows [count, width] join `rows`. */
static MlirValue number(ImportCall *c, MlirValue bytes, const TccExpr *width, MlirValue first, MlirValue *out_rows,
                        const TccExpr **out_count) {
  ImportShape s = import_shape(c, bytes);
  *out_count = import_product(c, s.dims, s.rank - 1);
  const TccExpr *flat[] = {*out_count, width};
  *out_rows = tcc_build_reshape(&c->b, import_fit_last(c, bytes, width), 2, flat);
  MlirValue places = import_iota(c, TCC_ELEM_I64, *out_count);
  if (first.ptr) places = tcc_build2(&c->b, TCC_OP_ADD, places, first);
  return tcc_build_reshape(&c->b, places, s.rank - 1, s.dims);
}

bool onnx_text_moved(ImportCall *c, const OnnxOp *op, bool *out_ok) {
  bool is_shape, any = false;
  const TccExpr *width = import_size(c, 0), *total = import_size(c, 0);
  for (size_t i = 0; i < c->ninputs; i++)
    if (onnx_is_text(c, i)) {
      any = true;
      width = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, width, onnx_text_width(c, c->inputs[i].tensor));
    }
  if (!any || !moves(op, &is_shape)) return false;
  ImportValue *given = c->inputs, *inputs = TCC_NEW_ARRAY(import_arena(c), ImportValue, c->ninputs);
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->ninputs);
  size_t nrows = 0;
  for (size_t i = 0; i < c->ninputs; i++) {
    inputs[i] = given[i];
    if (!onnx_is_text(c, i)) continue;
    const TccExpr *count;
    MlirValue first = {nrows ? tcc_build_size(&c->b, total).ptr : NULL};
    inputs[i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = number(c, given[i].tensor, width, first, &rows[nrows++], &count)};
    total = import_size_add(c, total, count);
    if (!inputs[i].tensor.ptr) return *out_ok = false, true;
  }
  c->inputs = inputs;
  *out_ok = op->handler(c);
  c->inputs = given;
  MlirValue table = nrows > 1 ? tcc_build_concat(&c->b, rows, nrows, 0) : rows[0];
  for (size_t i = 0; *out_ok && !is_shape && i < c->noutputs; i++) {
    if (c->outputs[i].kind != IMPORT_TENSOR || !c->outputs[i].tensor.ptr) continue;
    *out_ok = onnx_text_output(c, i, tcc_build_gather(&c->b, table, c->outputs[i].tensor, 0));
  }
  return true;
}
