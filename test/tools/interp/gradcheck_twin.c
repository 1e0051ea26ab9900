/* gradcheck_twin.c - the cases of gradcheck in f32, as a target compiles them: gradients as tensors, beside those of the interpreter.
 *
 * The loss of a case is the sum of its float results, each times a tensor of the size of the result that is an input, so that the same numbers
 * are weights everywhere, and of a small part of the squares of what is differentiated, so that it depends on that where the op's row says 0.
 * The interpreter computes the gradients in f64 from numbers of f32. The rule is the zoo's: an error of at most twice that of f32 done op by
 * op, which is what the reference target compiles, and 1e-6 of the gradient's size; that counts as a thousandth of the largest one's at least. */
#include "lib/ir/names.h"
#include "tcc/compile.h"
#include "tcc/interp.h"
#include "tcc/pass.h"
#include "tcc/runtime.h"
#include "tcc/target.h"
#include "test/tools/interp/gradcheck.h"
#include "test/tools/interp/gradcheck_case.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double squares = 0x1p-10;

typedef struct {
  TccIr *ir;
  MlirOperation module;
  TccText text, wrt; /* of the module; names of what is differentiated, with commas between */
  size_t nmoving;
  GradcheckOperands operands; /* weights behind those of the case */
  TccHostTensor **want;       /* the loss, gradients */
  size_t nwant;
} Twin;

static bool keeps(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  (void)machine, (void)ir, (void)op;
  return true;
}
static const TccTarget plain = {.name = "gradcheck", .layout = "", .kernels = "", .keeps = keeps};
static const TccTargetInfo target_info = {.of = &plain};

static const char *in_f32(TccArena *arena, const char *text) {
  char *copy = tcc_arena_copy(arena, text, strlen(text));
  for (char *at = copy; (at = strstr(at, "f64")); at += 3) at[1] = '3', at[2] = '2';
  return copy;
}

static bool is_moving(const GradcheckOperands *o, size_t i) { return tcc_elem_is_float(o->tensors[i]->elem) && !o->fixed[i]; }

/* ---- the module ---- */
static TccStatus *add_weight(Twin *t, MlirType type, TccHostTensor **out) {
  int64_t dims[TCC_MAX_RANK];
  const int rank = tcc_type_rank(type);
  for (int axis = 0; axis < rank; axis++) dims[axis] = mlirShapedTypeGetDimSize(type, axis);
  GradcheckOperands *o = &t->operands;
  if (o->count == sizeof o->tensors / sizeof *o->tensors) return TCC_ERROR(TCC_INVALID, "too many operands and results");
  TCC_TRY(tcc_host_tensor_create(TCC_ELEM_F32, rank, dims, &o->tensors[o->count]));
  *out = o->tensors[o->count++];
  for (size_t i = 0; i < (*out)->count; i++)
    tcc_elem_store_f64(TCC_ELEM_F32, (*out)->data, i, sin((double)i * 12.9898 + 1.9 + (double)o->count));
  return NULL;
}

static MlirValue add_argument(Twin *t, TccBuilder *b, const TccHostTensor *tensor) {
  return mlirBlockAddArgument(b->block, tcc_tensor_type_static(t->ir, tensor->elem, tensor->rank, tensor->dims), b->location);
}

static TccStatus *add_results(Twin *t, TccBuilder *b, MlirOperation op, MlirValue *loss) {
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) {
    MlirValue r = mlirOperationGetResult(op, j);
    MlirType type = tcc_value_type(r);
    if (tcc_type_rank(type) < 0 || !tcc_elem_is_float(tcc_type_elem(type))) continue;
    r = tcc_build_convert(b, r, TCC_ELEM_F32);
    if (tcc_type_is_static(type)) {
      TccHostTensor *weight = NULL;
      TCC_TRY(add_weight(t, type, &weight));
      r = tcc_build2(b, TCC_OP_MUL, r, add_argument(t, b, weight));
    }
    *loss = tcc_build2(b, TCC_OP_ADD, *loss, gradcheck_sum(b, r));
  }
  return loss->ptr ? NULL : TCC_ERROR(TCC_INVALID, "the loss is not valid");
}

static TccStatus *build(Twin *t, const GradcheckCase *c) {
  MlirModule module = mlirModuleCreateParse(t->ir->context, mlirStringRefCreateFromCString("func.func @main() { return }"));
  t->module = mlirModuleGetOperation(module);
  MlirOperation main = tcc_module_find(t->ir, t->module, tcc_str("main")), op;
  MlirBlock block = tcc_func_body(main);
  TccBuilder b = {t->ir, block, mlirBlockGetTerminator(block), mlirOperationGetLocation(main)};
  MlirValue values[16], loss = tcc_build_scalar(&b, TCC_ELEM_F32, 0);
  const GradcheckOperands *o = &t->operands;
  const size_t count = o->count;
  for (size_t i = 0; i < count; i++) values[i] = add_argument(t, &b, o->tensors[i]);
  for (size_t i = 0; i < count; i++) {
    if (!is_moving(o, i)) continue;
    MlirValue square = tcc_build_convert(&b, tcc_build2(&b, TCC_OP_MUL, values[i], values[i]), TCC_ELEM_F32);
    loss = tcc_build2(&b, TCC_OP_ADD, loss, gradcheck_sum(&b, tcc_build2_number(&b, TCC_OP_MUL, square, squares)));
    tcc_text_printf(&t->wrt, "%sx%zu", t->nmoving++ ? "," : "", i);
  }
  TCC_TRY(gradcheck_build(&b, c, o, values, &op));
  TCC_TRY(add_results(t, &b, op, &loss));
  gradcheck_close_main(t->ir, main, loss, "loss", NULL);
  return NULL;
}

static TccStatus *differentiate(Twin *t) {
  const TccPipelineOptions options = {.target = &target_info, .verify_each = true};
  const char *text = tcc_arena_printf(t->ir->arena, "tcc-grad{of=loss wrt=%s},tcc-simplify", t->wrt.data);
  if (mlirLogicalResultIsFailure(tcc_pipeline_run(t->ir, t->module, tcc_str(text), &options)))
    return TCC_ERROR(TCC_INVALID, "%s fails", text);
  mlirOperationPrint(t->module, tcc_append, &t->text);
  return tcc_interpret(t->ir, t->module, tcc_str("main"), NULL, (const TccHostTensor *const *)t->operands.tensors,
                       t->operands.count, &t->want, &t->nwant);
}

/* ---- running ---- */
static TccTensor view(const TccHostTensor *tensor) {
  return (TccTensor){.data = tensor->data,
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = tensor->rank,
                     .dtype = tcc_elem_dtype(tensor->elem),
                     .shape = (int64_t *)(uintptr_t)tensor->dims};
}

static double size_of(const TccHostTensor *tensor) {
  double sum = 0;
  for (size_t i = 0; i < tensor->count; i++) {
    double value = tcc_elem_load_f64(tensor->elem, tensor->data, i);
    sum += value * value;
  }
  return tensor->count ? sqrt(sum / (double)tensor->count) : 0;
}

/* Root of the mean square of what differs. */
static TccStatus *error_of(const TccTensor *got, const TccHostTensor *want, double *out) {
  const TccElem elem = tcc_dtype_elem(got->dtype);
  const char *data = (const char *)got->data + got->byte_offset;
  double sum = 0;
  bool same = elem == want->elem && got->rank == want->rank;
  for (int axis = 0; same && axis < want->rank; axis++) same = got->shape[axis] == want->dims[axis];
  if (!same) return TCC_ERROR(TCC_MISMATCH, "a result has another type or size");
  for (size_t i = 0; i < want->count; i++) {
    double a = tcc_elem_load_f64(elem, data, i), b = tcc_elem_load_f64(elem, want->data, i);
    if (a != b && !(isnan(a) && isnan(b))) sum += (a - b) * (a - b);
  }
  *out = want->count ? sqrt(sum / (double)want->count) : 0;
  return NULL;
}

/* The module as a target compiles it: the error of each result. */
static TccStatus *run_on(const Twin *t, const char *target, double *out_errors) {
  const TccCompileOptions options = {.target = target, .threads = 1};
  const TccLoadOptions load = {.weights_dir = ".", .threads = 1};
  const TccContextOptions one_thread = {.threads = 1};
  TccCompileResult result;
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor in[16], *out = calloc(t->nwant + 1, sizeof *out);
  if (!out) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < t->operands.count; i++) in[i] = view(t->operands.tensors[i]);
  TccStatus *status = tcc_compile_memory("case.mlir", tcc_text_str(&t->text), &options, &result);
  if (!status) status = tcc_model_load_memory(result.artifact.data, result.artifact.length, &load, &model);
  if (!status) status = tcc_context_create(model, &one_thread, &context);
  if (!status) status = tcc_context_run(context, in, t->operands.count, out, t->nwant);
  for (size_t k = 0; !status && k < t->nwant; k++) status = error_of(&out[k], t->want[k], &out_errors[k]);
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  tcc_compile_result_destroy(&result);
  free(out);
  return tcc_status_context(status, "%s", target);
}

static TccStatus *compare(const Twin *t, const char *target) {
  double *errors = TCC_NEW_ARRAY(t->ir->arena, double, t->nwant), *eager = TCC_NEW_ARRAY(t->ir->arena, double, t->nwant),
         largest = 0;
  TCC_TRY(run_on(t, "reference", eager));
  TCC_TRY(run_on(t, target, errors));
  for (size_t k = 1; k < t->nwant; k++) largest = fmax(largest, size_of(t->want[k]));
  for (size_t k = 1; k < t->nwant; k++) {
    const double size = fmax(size_of(t->want[k]), 1e-3 * largest), limit = 2 * eager[k] + 1e-6 * size;
    if (!(errors[k] <= limit))
      return TCC_ERROR(TCC_MISMATCH, "gradient %zu: rmse %.3g > %.3g (rms %.3g, rmse of the reference target %.3g)", k - 1,
                       errors[k], limit, size, eager[k]);
  }
  return NULL;
}

static TccStatus *check(const GradcheckCase *c, const char *target, bool *out_applies) {
  Twin t = {.ir = tcc_ir_create()};
  TccText said = {0};
  TccStatus *status = NULL;
  const GradcheckCase twin = {c->kind, in_f32(t.ir->arena, c->operands), c->attributes, in_f32(t.ir->arena, c->type)};
  mlirContextAttachDiagnosticHandler(t.ir->context, gradcheck_collect, &said, NULL);
  *out_applies = false;
  TCC_GOTO(gradcheck_read(twin.operands, &t.operands));
  for (size_t i = 0; i < t.operands.count; i++) *out_applies |= is_moving(&t.operands, i);
  if (!*out_applies) goto done;
  TCC_GOTO(build(&t, &twin));
  TCC_GOTO(differentiate(&t));
  TCC_GOTO(compare(&t, target));
done:
  if (status && said.length) status = tcc_status_context(status, "%s", said.data);
  for (size_t k = 0; k < t.nwant; k++) tcc_host_tensor_destroy(t.want[k]);
  free(t.want);
  gradcheck_clear(&t.operands);
  tcc_text_destroy(&t.text), tcc_text_destroy(&t.wrt), tcc_text_destroy(&said);
  if (t.module.ptr) mlirOperationDestroy(t.module);
  tcc_ir_destroy(t.ir);
  return status;
}

bool gradcheck_twins(const char *only, const char *target, size_t every) {
  size_t passed = 0, failed = 0, seen = 0;
  for (size_t i = 0; i < gradcheck_count; i++) {
    const GradcheckCase *c = &gradcheck_cases[i];
    const char *name = tcc_op_name(c->kind) + sizeof "tcc." - 1;
    bool applies;
    if ((only && strcmp(only, name) != 0) || seen++ % every) continue;
    TccStatus *status = check(c, target, &applies);
    if (status) printf("FAIL %s(%s) %s: %s\n", name, c->operands, c->attributes, tcc_status_message(status)), failed++;
    else passed += applies;
    fflush(stdout);
    tcc_status_destroy(status);
  }
  printf("%zu gradients in f32 by %s pass, %zu fail\n", passed, target, failed);
  return failed == 0 && passed > 0;
}
