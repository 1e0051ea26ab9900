/* gradcheck.c - checks derivatives without knowing any: along a line x + t v everything is a function of one number t.
 *
 * The module gets an argument t, f64, and each float x that is differentiated becomes x + t * v, v a sine of the element's number. Then
 *
 *   dL/dt by reverse mode      = central differences of L with four points      (first order)
 *   dL/dt by forward mode      = the same by reverse mode                       (<u, J v> = <J^T u, v>, to rounding)
 *   d2L/dt2 by reverse mode twice = central differences of dL/dt                (second order)
 *   d2L/dt2 by forward over reverse = the same by reverse mode twice
 *
 * and nothing is read but scalars. The interpreter computes in f64 whatever the types are; of a module in f32 only numbers in formulas are
 * rounded. An op is checked as L = sum of u * r over its float results; inputs are apart from each other and from 0 by more than the
 * line reaches, so no kink lies on it. t * t is added, so that a loss depends on t where the op's row says 0. */
#include "test/tools/interp/gradcheck.h"
#include "lib/ir/names.h"
#include "tcc/interp.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/target.h"
#include "test/tools/interp/gradcheck_case.h"
#include <math.h>
#include <stdlib.h>

/* Exact in f32, too. A model moves in many directions at once, so its line is short. */
static const double op_step = 0x1p-10, model_step = 0x1p-16;

static bool keeps(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  (void)machine, (void)ir, (void)op;
  return true;
}
static const TccTarget plain = {.name = "gradcheck", .layout = "", .kernels = "", .keeps = keeps};
static const TccTargetInfo target = {.of = &plain};

/* ---- running ---- */
static TccStatus *run_passes(TccIr *ir, MlirOperation module, const char *text) {
  TccPipelineOptions options = {.target = &target, .verify_each = true};
  return mlirLogicalResultIsFailure(tcc_pipeline_run(ir, module, tcc_str(text), &options))
             ? TCC_ERROR(TCC_INVALID, "%s fails", text)
             : NULL;
}

/* Result `k` (negative: from the last) of @main at t; dt: another scalar argument behind it, for forward mode. */
static TccStatus *value_at(TccIr *ir, MlirOperation module, const char *dir, TccHostTensor *const *inputs, size_t n, double t,
                           bool has_dt, double dt, intptr_t k, double *out) {
  const TccHostTensor *in[260];
  TccHostTensor *line = NULL, *tangent = NULL, **results = NULL;
  size_t count = 0;
  TccStatus *status = NULL;
  for (size_t i = 0; i < n; i++) in[i] = inputs[i];
  TCC_GOTO(tcc_host_tensor_create(TCC_ELEM_F64, 0, NULL, &line));
  TCC_GOTO(tcc_host_tensor_create(TCC_ELEM_F64, 0, NULL, &tangent));
  *(double *)line->data = t, *(double *)tangent->data = dt;
  in[n] = line, in[n + 1] = tangent;
  TCC_GOTO(tcc_interpret(ir, module, tcc_str("main"), dir, in, n + 1 + has_dt, &results, &count));
  const TccHostTensor *r = results[k < 0 ? (intptr_t)count + k : k];
  *out = tcc_elem_load_f64(r->elem, r->data, 0);
done:
  for (size_t i = 0; i < count; i++) tcc_host_tensor_destroy(results[i]);
  free(results);
  tcc_host_tensor_destroy(line);
  tcc_host_tensor_destroy(tangent);
  return status;
}

/* (8 (f(h) - f(-h)) - (f(2h) - f(-2h))) / 12 h, with an error of h^4 f'''''/30 */
static TccStatus *difference(TccIr *ir, MlirOperation module, const char *dir, TccHostTensor *const *inputs, size_t n, double step,
                             double *out) {
  static const struct {
    double at, weight;
  } points[] = {{1, 8}, {-1, -8}, {2, -1}, {-2, 1}};
  *out = 0;
  for (int i = 0; i < 4; i++) {
    double value;
    TCC_TRY(value_at(ir, module, dir, inputs, n, points[i].at * step, false, 0, -1, &value));
    *out += points[i].weight * value / (12 * step);
  }
  return NULL;
}

static double distance(double a, double b) {
  double size = fmax(fmax(fabs(a), fabs(b)), 0.1);
  return isfinite(a) && isfinite(b) ? fabs(a - b) / size : INFINITY;
}

static TccStatus *expect(const char *what, double got, double want, double limit) {
  if (distance(got, want) <= limit) return NULL;
  return TCC_ERROR(TCC_MISMATCH, "%s: %.17g, not %.17g: relative error %.3g", what, got, want, distance(got, want));
}

/* All checks of a module with the argument t and the loss as last result. */
static TccStatus *check_line(TccIr *ir, MlirOperation module, const char *dir, TccHostTensor *const *inputs, size_t n, double step,
                             double limit, double mutual) {
  double numeric, reverse, forward, second;
  MlirOperation first = mlirOperationClone(module), other = mlirOperationClone(module), twice = {NULL}, mixed = {NULL};
  TccStatus *status = NULL;
  TCC_GOTO(difference(ir, module, dir, inputs, n, step, &numeric));
  TCC_GOTO(run_passes(ir, first, "tcc-grad{of=tcc.loss wrt=tcc.t},tcc-simplify"));
  TCC_GOTO(value_at(ir, first, dir, inputs, n, 0, false, 0, -1, &reverse));
  TCC_GOTO(expect("reverse mode against differences", reverse, numeric, limit));
  TCC_GOTO(run_passes(ir, other, "tcc-grad{of=tcc.loss wrt=tcc.t mode=forward},tcc-simplify"));
  TCC_GOTO(value_at(ir, other, dir, inputs, n, 0, true, 1, -1, &forward));
  TCC_GOTO(expect("forward mode against reverse mode", forward, reverse, mutual));
  TCC_GOTO(difference(ir, first, dir, inputs, n, step, &numeric));
  twice = mlirOperationClone(first);
  mixed = mlirOperationClone(first);
  TccStatus *flat = run_passes(ir, twice, "tcc-grad{of=grad.tcc.t wrt=tcc.t},tcc-simplify");
  if (flat && distance(numeric, 0) <= limit) { /* no t is left in it */
    tcc_status_destroy(flat);
    goto done;
  }
  TCC_GOTO(flat);
  TCC_GOTO(value_at(ir, twice, dir, inputs, n, 0, false, 0, -1, &second));
  TCC_GOTO(expect("second order against differences", second, numeric, limit));
  TCC_GOTO(run_passes(ir, mixed, "tcc-grad{of=grad.tcc.t wrt=tcc.t mode=forward},tcc-simplify"));
  TCC_GOTO(value_at(ir, mixed, dir, inputs, n, 0, true, 1, -1, &forward));
  TCC_GOTO(expect("forward over reverse against reverse twice", forward, second, mutual));
done:
  mlirOperationDestroy(first);
  mlirOperationDestroy(other);
  if (twice.ptr) mlirOperationDestroy(twice);
  if (mixed.ptr) mlirOperationDestroy(mixed);
  return status;
}

/* ---- the line ---- */
/* sin(number * 12.9898 + seed), number being the element's: what a direction or a weight is. */
static MlirValue wave(TccBuilder *b, MlirType type, double seed) {
  TccElem elem = tcc_type_elem(type);
  const TccExpr *count = tcc_type_count(b->ir, type);
  MlirValue number = tcc_build_iota(b, elem, 0, 1, &count);
  MlirValue phase = tcc_build2_number(b, TCC_OP_ADD, tcc_build2_number(b, TCC_OP_MUL, number, 12.9898), seed);
  MlirValue flat = tcc_build1(b, TCC_OP_SIN, phase);
  return flat.ptr ? tcc_build_value(b, TCC_OP_RESHAPE, &flat, 1, NULL, 0, &type) : flat;
}

/* What reads x reads x + t * v. */
static void put_on_line(TccBuilder *b, MlirValue x, MlirValue t, double seed) {
  MlirType type = tcc_value_type(x);
  MlirValue along = tcc_build2(b, TCC_OP_MUL, tcc_build_convert(b, t, tcc_type_elem(type)), wave(b, type, seed));
  MlirValue moved = tcc_build2(b, TCC_OP_ADD, x, along);
  mlirValueReplaceAllUsesOfWith(x, moved);
  mlirOperationSetOperand(tcc_value_op(moved), 0, x);
}

static bool is_float(MlirValue value) { return tcc_elem_is_float(tcc_value_elem(value)); }

TccStatus *gradcheck_module(TccIr *ir, MlirOperation module, const char *dir, TccHostTensor *const *inputs, size_t n,
                            double limit) {
  MlirOperation main = tcc_module_find(ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return TCC_ERROR(TCC_NOT_FOUND, "@main");
  MlirBlock block = tcc_func_body(main);
  MlirOperation end = mlirBlockGetTerminator(block), first = mlirBlockGetFirstOperation(block);
  TCC_VEC(MlirValue) leaves = {0};
  MlirValue loss = {NULL};
  for (intptr_t j = mlirOperationGetNumOperands(end); j-- > 0;) {
    MlirValue value = mlirOperationGetOperand(end, j);
    if (is_float(value)) loss = value;
  }
  if (!loss.ptr) return TCC_ERROR(TCC_INVALID, "@main has no float result");
  TCC_EACH_OP (op, block)
    if (tcc_op_kind(ir, op) == TCC_OP_WEIGHT && is_float(mlirOperationGetResult(op, 0)))
      TCC_VEC_PUSH(ir->arena, &leaves, mlirOperationGetResult(op, 0));
  for (intptr_t i = 0; !leaves.count && i < mlirBlockGetNumArguments(block); i++)
    if (is_float(mlirBlockGetArgument(block, i))) TCC_VEC_PUSH(ir->arena, &leaves, mlirBlockGetArgument(block, i));
  MlirLocation location = mlirOperationGetLocation(main);
  MlirValue t = mlirBlockAddArgument(block, tcc_tensor_type(ir, TCC_ELEM_F64, 0, NULL), location);
  for (size_t i = 0; i < leaves.count; i++) {
    MlirOperation maker = tcc_value_op(leaves.data[i]);
    TccBuilder b = {ir, block, mlirOperationIsNull(maker) ? first : mlirOperationGetNextInBlock(maker), location};
    put_on_line(&b, leaves.data[i], t, 0.7 * (double)i);
  }
  TccBuilder b = {ir, block, end, location};
  if (tcc_type_rank(tcc_value_type(loss))) { /* a sum of squares */
    int64_t axes[TCC_MAX_RANK];
    int rank = tcc_type_rank(tcc_value_type(loss));
    for (int i = 0; i < rank; i++) axes[i] = i;
    loss = tcc_build_reduce(&b, "sum", tcc_build2(&b, TCC_OP_MUL, loss, loss), axes, (size_t)rank, false);
  }
  gradcheck_close_main(ir, main, tcc_build_convert(&b, loss, TCC_ELEM_F64), "tcc.loss", "tcc.t");
  return check_line(ir, module, dir, inputs, n, model_step, limit, limit);
}

/* ---- ops ---- */
MlirValue gradcheck_sum(TccBuilder *b, MlirValue value) {
  int64_t axes[TCC_MAX_RANK];
  int rank = tcc_type_rank(tcc_value_type(value));
  for (int i = 0; i < rank; i++) axes[i] = i;
  return rank ? tcc_build_reduce(b, "sum", value, axes, (size_t)rank, false) : value;
}

/* Operands on the line, the op, and t * t + the sum of u * r. */
static TccStatus *build_case(TccIr *ir, const GradcheckCase *c, const GradcheckOperands *operands, unsigned moving,
                             MlirOperation *out_module) {
  MlirModule module = mlirModuleCreateParse(ir->context, mlirStringRefCreateFromCString("func.func @main() { return }"));
  MlirOperation top = *out_module = mlirModuleGetOperation(module), main = tcc_module_find(ir, top, tcc_str("main"));
  MlirBlock block = tcc_func_body(main);
  TccBuilder b = {ir, block, mlirBlockGetTerminator(block), mlirOperationGetLocation(main)};
  MlirValue values[16], moved[16];
  for (size_t i = 0; i < operands->count; i++) {
    const TccHostTensor *t = operands->tensors[i];
    values[i] = mlirBlockAddArgument(block, tcc_tensor_type_static(ir, t->elem, t->rank, t->dims), b.location);
  }
  MlirValue t = mlirBlockAddArgument(block, tcc_tensor_type(ir, TCC_ELEM_F64, 0, NULL), b.location);
  MlirValue loss = tcc_build2(&b, TCC_OP_MUL, t, t);
  for (size_t i = 0; i < operands->count; i++) {
    moved[i] = values[i];
    if (!is_float(values[i]) || operands->fixed[i] || !(moving >> i & 1)) continue;
    MlirValue v = wave(&b, tcc_value_type(values[i]), 0.3 + (double)i);
    moved[i] =
        tcc_build2(&b, TCC_OP_ADD, values[i], tcc_build2(&b, TCC_OP_MUL, tcc_build_convert(&b, t, tcc_value_elem(values[i])), v));
  }
  MlirOperation op;
  TCC_TRY(gradcheck_build(&b, c, operands, moved, &op));
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) {
    MlirValue r = mlirOperationGetResult(op, j);
    if (tcc_type_rank(tcc_value_type(r)) < 0) continue;
    r = tcc_build_convert(&b, r, TCC_ELEM_F64);
    MlirValue weighed = tcc_build2(&b, TCC_OP_MUL, r, wave(&b, tcc_value_type(r), 1.9 + (double)j));
    loss = tcc_build2(&b, TCC_OP_ADD, loss, gradcheck_sum(&b, weighed));
  }
  if (!loss.ptr) return TCC_ERROR(TCC_INVALID, "the loss is not valid");
  gradcheck_close_main(ir, main, loss, "tcc.loss", "tcc.t");
  return NULL;
}

/* All float operands on the line together, then each alone. */
static TccStatus *check_case(const GradcheckCase *c) {
  GradcheckOperands operands = {0};
  TccStatus *status = NULL;
  TccText said = {0};
  TCC_GOTO(gradcheck_read(c->operands, &operands));
  unsigned all = (1u << operands.count) - 1;
  for (size_t i = 0; !status && i <= operands.count; i++) {
    unsigned moving = i ? 1u << (i - 1) : all;
    if (i && (operands.count == 1 || !tcc_elem_is_float(operands.tensors[i - 1]->elem))) continue;
    TccIr *ir = tcc_ir_create();
    MlirOperation module = {NULL};
    tcc_text_clear(&said);
    mlirContextAttachDiagnosticHandler(ir->context, gradcheck_collect, &said, NULL);
    status = build_case(ir, c, &operands, moving, &module);
    if (!status) status = check_line(ir, module, NULL, operands.tensors, operands.count, op_step, 1e-8, 1e-12);
    if (status && said.length) status = tcc_status_context(status, "%s", said.data);
    if (status) status = tcc_status_context(status, i ? "operand %zu" : "all operands", i - 1);
    if (module.ptr) mlirOperationDestroy(module);
    tcc_ir_destroy(ir);
  }
done:
  gradcheck_clear(&operands);
  tcc_text_destroy(&said);
  return status;
}

bool gradcheck_ops(const char *only) {
  size_t counts[TCC_OP_COUNT] = {0}, passed = 0, failed = 0;
  for (size_t i = 0; i < gradcheck_count; i++) {
    const char *name = tcc_op_name(gradcheck_cases[i].kind) + sizeof "tcc." - 1;
    counts[gradcheck_cases[i].kind]++;
    if (only && strcmp(only, name) != 0) continue;
    TccStatus *status = check_case(&gradcheck_cases[i]);
    if (status)
      printf("FAIL %s(%s) %s: %s\n", name, gradcheck_cases[i].operands, gradcheck_cases[i].attributes, tcc_status_message(status)),
          failed++;
    else passed++;
    fflush(stdout);
    tcc_status_destroy(status);
  }
  for (int kind = 1; kind < TCC_OP_COUNT && !only; kind++)
    if (!counts[kind] && gradcheck_needs_case(kind)) printf("FAIL %s: no case\n", tcc_op_name(kind)), failed++;
  if (only && passed + failed == 0) printf("no op '%s' has cases (gradcheck_cases.def)\n", only);
  printf("%zu cases pass, %zu fail\n", passed, failed);
  return failed == 0 && passed > 0;
}
