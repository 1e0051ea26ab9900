/* run_compare.c - tcc-run --compare: each kernel of a run is compared with what another way makes of the same operands.
 *
 * What a kernel computes is a module of its own (TccCompiledKernel.module). Before a kernel runs its operands are copied, since a result
 * may take the place of one; behind it the module is run on the copies, by the interpreter in f64, or compiled for another target or other
 * numerics. Errors do not add up over the model: the first kernel beyond the tolerance is the one to look at. */
#include "run.h"
#include "tcc/file.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const char *const way_texts[] = {[RUN_COMPARE_NONE] = "",
                                        [RUN_COMPARE_INTERP] = "the interpreter",
                                        [RUN_COMPARE_REFERENCE] = "target reference",
                                        [RUN_COMPARE_EAGER] = "numerics eager"};

struct RunCompare {
  const RunOptions *options;
  TccCompiler compiler;
  TccCompileResult compiled;
  TccHostTensors operands; /* of the kernel at work */
  size_t count;            /* kernels that ran and match */
  TccText left_out;        /* those that could not be compared, a line each */
  size_t nleft_out;
};

static const TccCompiledKernel *kernel_of(const RunCompare *c, const char *name) {
  for (size_t i = 0; i < c->compiled.nkernels; i++)
    if (strcmp(c->compiled.kernels[i].function, name) == 0) return &c->compiled.kernels[i];
  return NULL;
}

/* ---- the other way ---- */
static TccStatus *run_interpreter(const RunCompare *c, TccStr module, double shift, TccHostTensors *out) {
  TccHostTensor **tensors = NULL;
  TCC_TRY(c->compiler.module_interpret(module, shift, (const TccHostTensor *const *)c->operands.tensors, c->operands.count,
                                       &tensors, &out->count));
  out->tensors = tensors;
  return NULL;
}

static TccStatus *run_compiled(const RunCompare *c, TccStr module, TccHostTensors *out) {
  TccCompileOptions compile = {.target = c->options->compile.target, .no_cache = true, .threads = 1};
  if (c->options->compare == RUN_COMPARE_REFERENCE) compile.target = "reference";
  else compile.numerics = TCC_NUMERICS_EAGER;
  const TccContextOptions one = {.threads = 1};
  TccOpenReport report = {0};
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor *inputs = calloc(c->operands.count + 1, sizeof *inputs), *outputs = NULL;
  TccStatus *status = inputs ? NULL : TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (size_t i = 0; !status && i < c->operands.count; i++) inputs[i] = run_tensor_of(c->operands.tensors[i]);
  if (!status) status = tcc_model_open_memory("kernel.mlir", module, &compile, NULL, &model, &report, NULL);
  if (!status) status = tcc_context_create(model, &one, &context);
  const size_t count = status ? 0 : tcc_model_output_count(model);
  if (!status && !(outputs = calloc(count + 1, sizeof *outputs))) status = TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (!status) status = tcc_context_run(context, inputs, c->operands.count, outputs, count);
  for (size_t i = 0; !status && i < count; i++) {
    TccHostTensor *copy = NULL;
    status = run_host_copy(&outputs[i], &copy);
    if (!status) status = tcc_host_tensors_push(out, copy);
  }
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  tcc_open_report_destroy(&report);
  free(inputs);
  free(outputs);
  return status;
}

/* The kernel's module with the sizes of this run in place of their names, so that it needs nothing but its operands. */
static TccStatus *module_of(const RunCompare *c, const TccKernelRun *run, TccText *out) {
  const TccCompiledKernel *kernel = kernel_of(c, run->kernel);
  if (!kernel || !kernel->module) return TCC_ERROR(TCC_NOT_FOUND, "the compiler gave no module of it");
  TccCompileDim *dims = calloc(run->size_count + 1, sizeof *dims);
  if (!dims) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < run->size_count; i++) dims[i] = (TccCompileDim){run->size_names[i], run->sizes[i]};
  TccStatus *status = c->compiler.module_specialise(tcc_str(kernel->module), dims, run->size_count, out);
  free(dims);
  return status;
}

/* ---- what differs ---- */
static TccStatus *write_tensors(const char *directory, const char *stem, const TccHostTensors *tensors) {
  for (size_t i = 0; i < tensors->count; i++) {
    TccText path = {0};
    tcc_text_printf(&path, "%s/%s_%zu.npy", directory, stem, i);
    TccStatus *status = tcc_text_status(&path);
    if (!status) status = tcc_host_tensor_write_npy(tensors->tensors[i], path.data);
    tcc_text_destroy(&path);
    TCC_TRY(status);
  }
  return NULL;
}

/* kernel.mlir, its operands, and as outputs what the other way made. */
static TccStatus *save(const RunCompare *c, TccStr module, const TccHostTensors *expected) {
  const char *directory = c->options->save;
  if (mkdir(directory, 0777) != 0 && errno != EEXIST) return TCC_ERROR(TCC_IO, "%s: %s", directory, strerror(errno));
  TccText path = {0};
  tcc_text_printf(&path, "%s/kernel.mlir", directory);
  TccStatus *status = tcc_text_status(&path);
  if (!status) status = tcc_file_write(path.data, module.data, module.length);
  tcc_text_destroy(&path);
  if (!status) status = write_tensors(directory, "input", &c->operands);
  return status ? status : write_tensors(directory, "output", expected);
}

static TccStatus *compare_results(const RunCompare *c, const TccKernelRun *run, const TccHostTensors *expected) {
  if (expected->count != run->result_count)
    return TCC_ERROR(TCC_MISMATCH, "%zu results, expected %zu", run->result_count, expected->count);
  for (size_t i = 0; i < run->result_count; i++) {
    TccHostTensor *got = NULL;
    TCC_TRY(run_host_copy(&run->results[i], &got));
    const TccTolerance tolerance = run_tolerance(c->options, got->elem);
    TccStatus *status = tcc_host_tensor_compare(got, expected->tensors[i], &tolerance);
    tcc_host_tensor_destroy(got);
    if (status) return tcc_status_context(status, "result %zu", i);
  }
  return NULL;
}

/* Elements of `expected` become those of `other` that are nearer to the kernel's. */
static TccStatus *take_nearer(const TccKernelRun *run, const TccHostTensors *other, TccHostTensors *expected) {
  for (size_t i = 0; i < run->result_count && i < other->count && i < expected->count; i++) {
    TccHostTensor *got = NULL, *want = expected->tensors[i];
    const TccHostTensor *from = other->tensors[i];
    TCC_TRY(run_host_copy(&run->results[i], &got));
    const size_t bytes = tcc_elem_bits(want->elem) / 8;
    for (size_t k = 0;
         k < want->count && bytes && got->elem == want->elem && from->count == want->count && got->count == want->count; k++) {
      const double g = tcc_elem_load_f64(want->elem, got->data, k);
      if (fabs(tcc_elem_load_f64(want->elem, from->data, k) - g) < fabs(tcc_elem_load_f64(want->elem, want->data, k) - g))
        memcpy((char *)want->data + k * bytes, (const char *)from->data + k * bytes, bytes);
    }
    tcc_host_tensor_destroy(got);
  }
  return NULL;
}

/* Compares again a kernel that rounds to integers: a number that lies within the rounding of f32 halfway between two may become either of them. */
static TccStatus *compare_rounded(RunCompare *c, const TccKernelRun *run, TccStr module, TccHostTensors *expected) {
  static const double shifts[] = {-0x1p-21, 0x1p-21}; /* some roundings of f32 */
  for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
    TccHostTensors other = {0};
    TccStatus *status = run_interpreter(c, module, shifts[i], &other);
    if (!status) status = take_nearer(run, &other, expected);
    tcc_host_tensors_clear(&other);
    TCC_TRY(status);
  }
  return compare_results(c, run, expected);
}

/* "kernel k3_add (map, x86.map), node '/Add': ". */
static TccStatus *add_kernel(TccStatus *status, const TccKernelRun *run) {
  return tcc_status_context(status, "kernel %s (%s, %s)%s, node '%s'", run->kernel, run->kind, run->emitter,
                            run->initial ? ", of weights alone" : "", run->node);
}

/* Says how to repeat it. */
static TccStatus *differs(const RunCompare *c, TccStr module, const TccHostTensors *expected, TccStatus *status) {
  const char *directory = c->options->save ? c->options->save : "DIR";
  if (c->options->save) {
    TccStatus *unsaved = save(c, module, expected);
    if (unsaved) tcc_status_destroy(status);
    TCC_TRY(unsaved);
  }
  const RunOptions *o = c->options;
  TccText given = {0}; /* what the outcome depends on */
  if (o->compile.target) tcc_text_printf(&given, " --target=%s", o->compile.target);
  if (o->compile.numerics) tcc_text_printf(&given, " --numerics=%s", tcc_numerics_words[o->compile.numerics]);
  if (o->rtol >= 0) tcc_text_printf(&given, " --rtol=%.9g", o->rtol);
  if (o->atol >= 0) tcc_text_printf(&given, " --atol=%.9g", o->atol);
  TccStatus *out =
      TCC_ERROR(TCC_MISMATCH, "%s; to repeat it%s: tcc-run %s/kernel.mlir --check --data=%s%s", tcc_status_message(status),
                o->save ? "" : ", after --save=DIR", directory, directory, given.data ? given.data : "");
  tcc_text_destroy(&given);
  tcc_status_destroy(status);
  return out;
}

/* ---- each kernel ---- */
static TccStatus *copy_operands(RunCompare *c, const TccKernelRun *run) {
  tcc_host_tensors_clear(&c->operands);
  for (size_t i = 0; i < run->operand_count; i++) {
    TccHostTensor *copy = NULL;
    if (run->operands[i].rank < 0) continue;
    TCC_TRY(run_host_copy(&run->operands[i], &copy));
    TCC_TRY(tcc_host_tensors_push(&c->operands, copy));
  }
  return NULL;
}

/* One line for a kernel, however often it runs. */
static TccStatus *leave_out(RunCompare *c, const TccKernelRun *run, TccStatus *why) {
  TccText start = {0};
  tcc_text_printf(&start, "not compared: kernel %s, node ", run->kernel);
  TccStatus *status = tcc_text_status(&start);
  if (!status && (!c->left_out.length || !strstr(c->left_out.data, start.data)))
    tcc_text_printf(&c->left_out, "%s'%s': %s\n", start.data, run->node, tcc_status_message(why));
  c->nleft_out++;
  tcc_status_destroy(why);
  tcc_text_destroy(&start);
  return status ? status : tcc_text_status(&c->left_out);
}

static TccStatus *look(const TccKernelRun *run, void *user) {
  RunCompare *c = user;
  if (!run->done) return copy_operands(c, run);
  TccText module = {0};
  TccHostTensors expected = {0};
  TccStatus *status = module_of(c, run, &module);
  if (!status && c->options->compare == RUN_COMPARE_INTERP) status = run_interpreter(c, tcc_text_str(&module), 0, &expected);
  else if (!status) status = run_compiled(c, tcc_text_str(&module), &expected);
  if (status && tcc_status_code(status) != TCC_NO_MEMORY) { /* nothing to compare with, which is no difference */
    status = leave_out(c, run, status);
  } else if (!status) {
    status = compare_results(c, run, &expected);
    if (status && tcc_status_code(status) == TCC_MISMATCH && strstr(module.data, "\"tcc.round\"")) {
      tcc_status_destroy(status);
      status = compare_rounded(c, run, tcc_text_str(&module), &expected);
    }
    if (status && tcc_status_code(status) == TCC_MISMATCH) status = differs(c, tcc_text_str(&module), &expected, status);
    status = add_kernel(status, run);
    c->count += !status;
  }
  tcc_host_tensors_clear(&expected);
  tcc_text_destroy(&module);
  return status;
}

/* ---- the whole ---- */
TccStatus *run_compare_open(const RunOptions *options, const TccCompileOptions *compile, const TccLoadOptions *load, TccModel **out,
                            RunCompare **out_compare) {
  TccCompileOptions with_modules = *compile;
  TccLoadOptions inspected = *load;
  RunCompare *c = *out_compare = calloc(1, sizeof *c);
  *out = NULL;
  if (!c) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (tcc_is_artifact(options->model))
    return TCC_ERROR(TCC_UNSUPPORTED, "%s is compiled: --compare needs the model, which says what kernels compute", options->model);
  c->options = options;
  with_modules.kernel_modules = true;
  inspected.inspect = look;
  inspected.inspect_user = c;
  inspected.verify = TCC_VERIFY_LAYOUT; /* it is compiled of these files */
  const char *slash = strrchr(options->model, '/');
  char *folder = slash ? strndup(options->model, (size_t)(slash - options->model) + 1) : strdup(".");
  if (!folder) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (!inspected.weights_dir) inspected.weights_dir = folder;
  TccStatus *status = tcc_compiler_load(&c->compiler);
  if (!status) status = c->compiler.compile(options->model, &with_modules, &c->compiled);
  if (!status) status = tcc_model_load_memory(c->compiled.artifact.data, c->compiled.artifact.length, &inspected, out);
  free(folder);
  return status;
}

void run_compare_watch(RunCompare *compare, TccContextOptions *options) {
  options->inspect = look;
  options->user = compare;
}

TccStatus *run_compare_print(const RunCompare *c) {
  if (c->nleft_out) printf("%s", c->left_out.data);
  if (!c->count && c->nleft_out) return TCC_ERROR(TCC_UNSUPPORTED, "no kernel could be compared");
  printf("ok: %zu %s %s", c->count, c->count == 1 ? "kernel matches" : "kernels match", way_texts[c->options->compare]);
  if (c->nleft_out) printf(", %zu not compared", c->nleft_out);
  printf("\n");
  return NULL;
}

void run_compare_destroy(RunCompare *c) {
  if (!c) return;
  if (c->compiler.compile_result_destroy) c->compiler.compile_result_destroy(&c->compiled);
  tcc_host_tensors_clear(&c->operands);
  tcc_text_destroy(&c->left_out);
  free(c);
}
