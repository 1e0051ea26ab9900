/* Building ops through ir.h: types from the rules, absent operands, errors, chains, and what depends on weights alone.
 */
#include "tcc/codegen.h"
#include "tcc/diagnostics.h"
#include "tcc/op_kinds.h"
#include "tcc/optable.h"
#include <stdio.h>

static int failures;
static TccIr *ir;
static TccText messages;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  ++failures;
}

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *text) {
  tcc_diagnostic_text(diagnostic, text);
  return mlirLogicalResultSuccess();
}

static void expect_type(MlirValue v, const char *want) {
  TccText text = {0};
  if (v.ptr) mlirTypePrint(mlirValueGetType(v), tcc_append, &text);
  else tcc_text_printf(&text, "no value");
  if (strcmp(text.data, want) != 0) printf("type %s, want %s\n", text.data, want), ++failures;
  tcc_text_destroy(&text);
}

static const TccExpr *size(int64_t value) { return tcc_expr_const(ir->exprs, value); }
static const TccExpr *symbol(const char *name) { return tcc_expr_symbol(ir->exprs, tcc_str(name)); }

static void check_table(void) {
  const TccAttrRow *row = tcc_op_attribute(TCC_OP_GELU, tcc_str("approximate"));
  expect(row && row->kind == TCC_ATTR_CHOICE && row->has_default && tcc_str_is(row->default_text, "none"), "choice with default");
  expect(tcc_op_level(TCC_OP_GELU) == TCC_LEVEL_COMP && tcc_op_has_trait(TCC_OP_ADD, 'C') && !tcc_op_has_trait(TCC_OP_SUB, 'C'),
         "facts");
}

static void check_building(TccBuilder *b, MlirValue x, MlirValue w) {
  expect_type(tcc_build2(b, TCC_OP_MATMUL, x, w), "tensor<?x32xf32, [\"B*S\", 32]>");
  const TccExpr *dims[] = {symbol("B"), symbol("S"), size(64)};
  MlirValue r = tcc_build_reshape(b, x, 3, dims);
  expect_type(r, "tensor<?x?x64xf32, [\"B\", \"S\", 64]>");
  expect(tcc_build_reshape(b, r, 3, dims).ptr == r.ptr, "reshape to the same type builds nothing");
  const int64_t perm[] = {2, 0, 1}, identity[] = {0, 1, 2}, axes[] = {1};
  expect_type(tcc_build_transpose(b, r, perm), "tensor<64x?x?xf32, [64, \"B\", \"S\"]>");
  expect(tcc_build_transpose(b, r, identity).ptr == r.ptr, "identity transpose builds nothing");
  expect_type(tcc_build_reduce(b, "max", r, axes, 1, true), "tensor<?x1x64xf32, [\"B\", 1, 64]>");
  MlirValue parts[] = {w, w, w};
  MlirValue chain = tcc_build_concat(b, parts, 3, 0);
  expect_type(chain, "tensor<192x32xf32>");
  expect(tcc_value_kind(ir, mlirOperationGetOperand(tcc_value_op(chain), 1)) == TCC_OP_CONCAT, "concat leans right");
  MlirValue linear_operands[] = {x, w, {NULL}};
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(ir, false)};
  MlirOperation linear = tcc_build(b, TCC_OP_LINEAR, linear_operands, 3, &transposed, 1, NULL);
  expect(tcc_value_is_none(ir, mlirOperationGetOperand(linear, 2)), "an absent operand is tcc.none");
  expect(!tcc_bool(ir, linear, "transposed"), "attribute");
  expect_type(tcc_build_unsqueeze(b, w, 1), "tensor<64x1x32xf32>");
  expect_type(tcc_build_squeeze(b, tcc_build_unsqueeze(b, w, 1), 1), "tensor<64x32xf32>");
  expect_type(tcc_build_slice_axis(b, w, 1, size(1), 3, size(4)), "tensor<64x4xf32>");
  expect_type(tcc_build_convert(b, x, TCC_ELEM_BF16), "tensor<?x64xbf16, [\"B*S\", 64]>");
}

static void check_values(TccBuilder *b) {
  size_t count;
  static const unsigned char flags[] = {1, 0, 1};
  const int64_t three[] = {3};
  MlirValue bools = tcc_build_constant(b, TCC_ELEM_BOOL, 1, three, flags);
  expect(memcmp(tcc_constant_data(ir, bools, &count), flags, 3) == 0 && count == 3, "bool constant");
  float half = 0.5f;
  const void *data = tcc_constant_data(ir, tcc_build_scalar(b, TCC_ELEM_F32, 0.5), &count);
  expect(memcmp(data, &half, sizeof half) == 0 && count == 1, "float scalar");
  const TccExpr *entries[] = {symbol("B"), size(7), symbol("S")};
  MlirValue sizes = tcc_build_sizes(b, entries, 3), two = tcc_build_scalar_i64(b, TCC_ELEM_I64, 2);
  const TccExpr *const *known = tcc_symbolic_value(ir, tcc_build2(b, TCC_OP_MUL, sizes, two), &count);
  expect(known && count == 3 && known[1] == size(14) && known[2] == tcc_expr_mul(ir->exprs, symbol("S"), size(2)),
         "symbolic product");
  MlirOperation doomed = tcc_value_op(tcc_build2(b, TCC_OP_ADD, sizes, two));
  tcc_symbolic_value(ir, mlirOperationGetResult(doomed, 0), &count);
  tcc_erase(doomed);
  for (int64_t i = 0; i < 100; i++) { /* one of these may get the address of the erased op */
    MlirValue sum = tcc_build2(b, TCC_OP_SUB, sizes, tcc_build_scalar_i64(b, TCC_ELEM_I64, i));
    known = tcc_symbolic_value(ir, sum, &count);
    expect(known && known[1] == size(7 - i), "no stale value");
  }
}

static void check_errors(TccBuilder *b, MlirValue x, MlirValue w) {
  tcc_text_clear(&messages);
  expect(!tcc_build2(b, TCC_OP_ADD, x, w).ptr, "no value on error");
  expect(strcmp(messages.data, "model.onnx: node \"/layer/Add\": error: 'tcc.add': C2: sizes 'B*S' and '64' of result "
                               "axis 0 do not broadcast\n") == 0,
         messages.data);
  tcc_text_clear(&messages);
  const TccExpr *negative[] = {size(-1)};
  expect(!tcc_build_reshape(b, w, 1, negative).ptr && messages.length, "negative size");
  tcc_text_clear(&messages);
  TccStatus *status = TCC_ERROR(TCC_INVALID, "bad bytes");
  expect(mlirLogicalResultIsFailure(tcc_status_emit(status, b->location)) && strstr(messages.data, "bad bytes"),
         "status to diagnostic");
}

/* Null in, null out, without a second diagnostic. */
static void check_null(TccBuilder *b, MlirValue x) {
  const MlirValue none = {NULL};
  const MlirValue both[] = {x, none};
  const int64_t axis = 0, perm[] = {1, 0};
  const TccExpr *dims[] = {size(1), size(1)};
  tcc_text_clear(&messages);
  const MlirValue made[] = {
      tcc_build1(b, TCC_OP_NEG, none),           tcc_build2(b, TCC_OP_ADD, x, none),
      tcc_build2_number(b, TCC_OP_ADD, none, 1), tcc_build_select(b, none, x, x),
      tcc_build_compare(b, "lt", none, x),       tcc_build_gather(b, x, none, 0),
      tcc_build_scalar(b, TCC_ELEM_NONE, 1),     tcc_build_scalar_i64(b, TCC_ELEM_NONE, 1),
      tcc_build_convert(b, none, TCC_ELEM_F32),  tcc_build_convert(b, x, TCC_ELEM_NONE),
      tcc_build_reshape(b, none, 2, dims),       tcc_build_broadcast(b, none, 2, dims),
      tcc_build_transpose(b, none, perm),        tcc_build_slice_axis(b, none, 0, size(0), 1, size(1)),
      tcc_build_unsqueeze(b, none, 0),           tcc_build_squeeze(b, none, 0),
      tcc_build_concat(b, both, 2, 0),           tcc_build_reduce(b, "sum", none, &axis, 1, true),
      tcc_build_mean(b, none, &axis, 1, true),   tcc_build_dot_general(b, x, none, NULL, NULL, 0, &axis, &axis, 1)};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++) expect(!made[i].ptr, "a null value gives one");
  expect(messages.length == 0, messages.data ? messages.data : "");
}

static void check_init(void) {
  static const char text[] =
      "func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %w = \"tcc.constant\"() {value = dense<1.0> : tensor<4xf32>} : () -> tensor<4xf32>\n"
      "  %a, %b = func.call @region(%x, %w) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
      "  %c, %d = func.call @region(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
      "  return %c, %d : tensor<4xf32>, tensor<4xf32>\n}\n"
      "func.func private @region(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {\n"
      "  %p = \"tcc.neg\"(%w) : (tensor<4xf32>) -> tensor<4xf32>\n"
      "  %y = \"tcc.mul\"(%x, %p) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n"
      "  return %y, %p : tensor<4xf32>, tensor<4xf32>\n}\n";
  MlirModule module = mlirModuleCreateParse(ir->context, mlirStringRefCreateFromCString(text));
  MlirOperation top = mlirModuleGetOperation(module);
  TccArena *arena = tcc_arena_create();
  TccInit *init = tcc_init_analyse(ir, top, arena);
  MlirOperation negate = mlirBlockGetFirstOperation(tcc_func_body(tcc_module_find(ir, top, tcc_str("region"))));
  MlirOperation call =
      mlirOperationGetNextInBlock(mlirBlockGetFirstOperation(tcc_func_body(tcc_module_find(ir, top, tcc_str("main")))));
  expect(tcc_init_is(init, mlirOperationGetResult(negate, 0)), "a region's work on a weight is init");
  expect(!tcc_init_is(init, mlirOperationGetResult(mlirOperationGetNextInBlock(negate), 0)), "what depends on x is not");
  expect(!tcc_init_is(init, mlirOperationGetResult(call, 0)) && tcc_init_is(init, mlirOperationGetResult(call, 1)),
         "results of a call");
  tcc_arena_destroy(arena);
  mlirModuleDestroy(module);
}

int main(void) {
  ir = tcc_ir_create();
  mlirContextAttachDiagnosticHandler(ir->context, collect, &messages, NULL);
  MlirLocation file = mlirLocationFileLineColGet(ir->context, mlirStringRefCreateFromCString("model.onnx"), 0, 0);
  MlirLocation node = mlirLocationNameGet(ir->context, mlirStringRefCreateFromCString("/layer/Add"), file);
  const TccExpr *xdims[] = {tcc_expr_mul(ir->exprs, symbol("B"), symbol("S")), size(64)}, *wdims[] = {size(64), size(32)};
  MlirType types[] = {tcc_tensor_type(ir, TCC_ELEM_F32, 2, xdims), tcc_tensor_type(ir, TCC_ELEM_F32, 2, wdims)};
  expect(tcc_type_dim(ir, types[0], 0) == xdims[0] && tcc_type_count(ir, types[1]) == size(2048), "sizes of a type");
  MlirBlock block = mlirBlockCreate(2, types, (MlirLocation[]){file, file});
  TccBuilder b = {ir, block, {NULL}, node};
  MlirValue x = mlirBlockGetArgument(block, 0), w = mlirBlockGetArgument(block, 1);
  check_table();
  check_building(&b, x, w);
  check_values(&b);
  expect(messages.length == 0, "no diagnostics so far");
  check_errors(&b, x, w);
  check_null(&b, x);
  check_init();
  mlirBlockDestroy(block);
  tcc_text_destroy(&messages);
  tcc_ir_destroy(ir);
  return failures != 0;
}
