/* tcc-translate.c - from one representation to the next, one step at a time: models into IR, IR into code.
 *
 *   --import-onnx   a model file to a module of the tcc dialect
 *   --to-llvm       kernel functions to what the target's emitters make of them: modules in the LLVM dialect
 *   --to-llvmir --to-asm --to-object --to-ptx    kernel functions, or a module in the LLVM dialect, to code
 *   --to-cubin      the same as --to-ptx, assembled by ptxas
 *   --to-artifact   a model to what tcc-run loads
 *
 * Kernel functions are those with the attribute tcc.kernel, as tcc-fuse leaves them. */
#include "mlir-c/RegisterEverything.h"
#include "mlir-c/Target/LLVMIR.h"
#include "tcc/compile.h"
#include "tcc/diagnostics.h"
#include "tcc/import.h"
#include "tcc/pass.h"
#include "tcc/ptxas.h"
#include "tcc/target.h"
#include "tools/common.h"
#include "tools/common_ir.h"
#include "llvm-c/Core.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

typedef struct {
  int action;
  const char *file, *output, *target, *kernel, *ptxas;
  TCC_VEC(TccSize) dims;
  bool bytecode;
  TccIndices indices;
  bool indexed; /* --indices was given */
} Options;

enum {
  OPT_IMPORT_ONNX,
  OPT_LLVM,
  OPT_LLVMIR,
  OPT_OBJECT,
  OPT_ASM,
  OPT_PTX,
  OPT_CUBIN,
  OPT_ARTIFACT,
  OPT_ONNX_DOC,
  ACTIONS,
  OPT_TARGET = ACTIONS,
  OPT_KERNEL,
  OPT_PTXAS,
  OPT_DIM,
  OPT_INDICES,
  OPT_BYTECODE,
  OPT_OUTPUT,
};
static const TccOption table[] = {
    [OPT_IMPORT_ONNX] = {"--import-onnx", NULL, "an ONNX model to a module of the tcc dialect"},
    [OPT_LLVM] = {"--to-llvm", NULL, "kernel functions to modules in the LLVM dialect, as the target emits them"},
    [OPT_LLVMIR] = {"--to-llvmir", NULL, "kernel functions or LLVM dialect to LLVM IR"},
    [OPT_OBJECT] = {"--to-object", NULL, "one kernel function or LLVM dialect to a relocatable object"},
    [OPT_ASM] = {"--to-asm", NULL, "kernel functions or LLVM dialect to assembly"},
    [OPT_PTX] = {"--to-ptx", NULL, "the same for NVIDIA GPUs; default target nvptx"},
    [OPT_CUBIN] = {"--to-cubin", NULL, "the same as machine code of one chip, which ptxas makes of the PTX"},
    [OPT_ARTIFACT] = {"--to-artifact", NULL, "a model to an artifact; tcc-compile has more options"},
    [OPT_ONNX_DOC] = {"--print-onnx-ops-doc", NULL, "the page docs/onnx-ops.md"},
    [OPT_TARGET] = {"--target", "TARGET", "x86[,MACHINE][,SIZES], nvptx[,sm_90a] or reference; default x86, this machine"},
    [OPT_KERNEL] = {"--kernel", "NAME", "this kernel function alone"},
    [OPT_PTXAS] = {"--ptxas", "FILE", "of --to-cubin: the assembler; default: $TCC_PTXAS, else ptxas of $PATH"},
    [OPT_DIM] = {"--dim", "NAME=N", "of a model: a symbolic size becomes this constant"},
    [OPT_INDICES] = {"--indices", "KIND", "of a model: check (attribute valid) or clamp, as of tcc-compile"},
    [OPT_BYTECODE] = {"--emit-bytecode", NULL, "--import-onnx: write bytecode instead of text"},
    [OPT_OUTPUT] = {"-o", "FILE", "write there instead of standard output"},
};
static const TccCommand command = {
    .name = "tcc-translate",
    .usage = "--import-onnx|--to-llvm|--to-llvmir|--to-object|--to-asm|--to-ptx|--to-cubin|--to-artifact [options] [FILE]",
    .summary = "Translates a model into IR, or IR into code; IR without a FILE from standard input.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
};

/* ---- models ---- */

/* Diagnostics have been printed where it is null. */
static MlirOperation import_model(const Options *options, TccIr *ir) {
  TccImportOptions import = {
      .dims = options->dims.data, .ndims = options->dims.count, .clamp_indices = options->indices == TCC_INDICES_CLAMP};
  return tcc_import_file(ir, options->file, &import, NULL);
}

static int import_onnx(const Options *options, TccText *out) {
  if (tcc_model_kind(options->file) != TCC_MODEL_IMPORTED) return tcc_exit_status(&command, tcc_model_refuse(options->file, false));
  TccIr *ir = tcc_ir_create();
  tcc_diagnostics_to_stderr(ir->context, NULL);
  MlirOperation module = import_model(options, ir);
  bool ok = !mlirOperationIsNull(module);
  if (ok && options->bytecode) mlirOperationWriteBytecode(module, tcc_append, out);
  else if (ok) mlirOperationPrint(module, tcc_append, out);
  if (ok) mlirOperationDestroy(module);
  tcc_ir_destroy(ir);
  return ok ? TCC_EXIT_OK : TCC_EXIT_FAILED;
}

static int compile(const Options *options, TccText *out) {
  TccCompileResult result = {0};
  TccCompileDim *dims = tcc_check_memory(&command, calloc(options->dims.count + 1, sizeof *dims));
  for (size_t i = 0; i < options->dims.count; i++)
    dims[i] = (TccCompileDim){options->dims.data[i].name.data, options->dims.data[i].value};
  TccCompileOptions how = {
      .target = options->target, .indices = options->indices, .dims = dims, .ndims = options->dims.count, .specialise = true};
  TccStatus *status = tcc_compile(options->file, &how, &result);
  if (!status) tcc_text_put(out, result.artifact.data, result.artifact.length);
  free(dims);
  tcc_compile_result_destroy(&result);
  return tcc_exit_status(&command, status);
}

/* ---- code ---- */
static bool is_ptx(const Options *options) { return options->action == OPT_PTX || options->action == OPT_CUBIN; }

/* Whether an op has this name, or one that begins so. */
static bool begins(MlirOperation op, const char *name) {
  MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(op));
  return tcc_str_starts((TccStr){text.data, text.length}, name);
}

/* One module in the LLVM dialect to the asked-for form. */
static TccStatus *translate(const Options *options, const TccTargetInfo *target, const TccLlvm *llvm, TccText *out) {
  if (options->action == OPT_LLVMIR) return tcc_codegen_ir(llvm, out);
  if (options->action != OPT_LLVM) return tcc_codegen_object(&target->machine, llvm, options->action != OPT_OBJECT, out);
  tcc_llvm_text(llvm, out);
  if (out->length && out->data[out->length - 1] != '\n') tcc_text_put(out, "\n", 1);
  return NULL;
}

/* One that has code. */
static bool is_kernel(const TccTargetInfo *target, TccIr *ir, MlirOperation op, const char *name) {
  TccKernelKind kind = tcc_kernel_kind(ir, op);
  if (!kind || !tcc_target_emits(target, kind)) return false;
  if (!name) return true;
  MlirAttribute symbol = tcc_attribute(op, "sym_name");
  MlirStringRef text = mlirStringAttrGetValue(symbol);
  return tcc_str_is((TccStr){text.data, text.length}, name);
}

/* Every module of PTX begins with its version and target; one file has them once. */
static void put_ptx(TccText *out, const TccText *ptx, bool first) {
  static const char last[] = ".address_size 64\n";
  const char *at = first ? NULL : strstr(ptx->data, last);
  const char *from = at ? at + sizeof last - 1 : ptx->data;
  tcc_text_put(out, from, ptx->length - (size_t)(from - ptx->data));
}

/* All kernel functions of the module. For PTX, kernels of kinds that the target lacks are named in a comment and on standard
 * error; the others are written. */
static TccStatus *translate_kernels(const Options *options, const TccTargetInfo *target, TccIr *ir, MlirOperation module,
                                    TccText *out, size_t *out_count) {
  size_t written = 0;
  *out_count = 0;
  TccMap *symbols = tcc_map_create(ir->arena), *missing = tcc_map_create(ir->arena); /* reason -> kernels */
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_EACH_OP (op, body) {
    if (!is_kernel(target, ir, op, options->kernel)) continue;
    if (++*out_count > 1 && options->action == OPT_OBJECT)
      return TCC_ERROR(TCC_INVALID, "an object holds one kernel and the module has several: say which with --kernel=NAME");
    TccKernelCode code = {0};
    TccStatus *status = tcc_target_emit(target, ir, op, &code);
    if (status && is_ptx(options) && tcc_status_code(status) == TCC_UNSUPPORTED) {
      tcc_map_put(missing, tcc_str(tcc_status_message(status)), NULL)->integer++;
      tcc_status_destroy(status);
      continue;
    }
    TCC_TRY(status);
    bool inserted;
    tcc_map_put(symbols, tcc_str(code.symbol), &inserted);
    if (!inserted) continue; /* kernels of different shape in the IR can be one in code */
    TccText one = {0}, launch = {0};
    if (written && options->action == OPT_LLVM) tcc_text_printf(out, "// -----\n");
    status = tcc_status_context(translate(options, target, &code.llvm, &one), "kernel %s", code.symbol);
    if (!status && is_ptx(options)) put_ptx(out, &one, written == 0);
    else if (!status) tcc_text_put(out, one.data, one.length);
    tcc_kernel_launch_text(ir, &target->machine, &code, &launch);
    if (!status && launch.length && (is_ptx(options) || options->action == OPT_LLVM))
      tcc_text_printf(out, "// launch of %s: %s\n", code.symbol, launch.data);
    tcc_text_destroy(&launch);
    tcc_text_destroy(&one);
    TCC_TRY(status);
    written++;
  }
  for (size_t i = 0; i < tcc_map_count(missing); i++) {
    const TccMapEntry *entry = tcc_map_at(missing, i);
    tcc_text_printf(out, "// %lld kernels not translated: %.*s\n", (long long)entry->integer, TCC_STR_ARG(entry->key));
    fprintf(stderr, "%s: warning: %lld kernels not translated: %.*s\n", command.name, (long long)entry->integer,
            TCC_STR_ARG(entry->key));
  }
  return *out_count == 0 || written ? NULL
                                    : TCC_ERROR(TCC_UNSUPPORTED, "no kernel of the module has code for %s", target->of->name);
}

static TccStatus *no_kernel(const Options *options, const TccTargetInfo *target) {
  return options->kernel
             ? TCC_ERROR(TCC_NOT_FOUND, "the module has no kernel function '%s'", options->kernel)
             : TCC_ERROR(TCC_NOT_FOUND, "the module has no kernel function: `tcc-opt --pipeline=default --target=%s` makes them",
                         target->of->name);
}

static bool is_llvm_dialect(MlirOperation module) {
  TCC_EACH_OP (op, mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)))
    if (begins(op, "llvm.") || begins(op, "gpu.module")) return true;
  return false;
}

/* A whole model: its kernels after the default pipeline of the target. */
static int generate_from_model(const Options *options, const TccTargetInfo *target, TccText *out) {
  TccIr *ir = tcc_ir_create();
  tcc_register_upstream(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context);
  tcc_diagnostics_to_stderr(ir->context, NULL);
  MlirOperation module = import_model(options, ir);
  int code = TCC_EXIT_FAILED;
  TccPipelineOptions pipeline = {.target = target};
  if (!mlirOperationIsNull(module)) {
    size_t count = 0;
    if (mlirLogicalResultIsSuccess(tcc_pipeline_run(ir, module, tcc_str("default"), &pipeline))) {
      TccStatus *status = translate_kernels(options, target, ir, module, out, &count);
      if (!status && count == 0) status = no_kernel(options, target);
      code = tcc_exit_status(&command, status);
    }
    mlirOperationDestroy(module);
  }
  tcc_ir_destroy(ir);
  return code;
}

/* Emitters take what the verifier takes: element types and ranks of tcc, operands that fit. */
static bool verifies(TccIr *ir, MlirModule module, const TccTargetInfo *target) {
  const TccPipelineOptions options = {.target = target};
  return mlirLogicalResultIsSuccess(tcc_pipeline_run(ir, mlirModuleGetOperation(module), tcc_str("tcc-verify"), &options));
}

static int generate(const Options *options, TccArena *arena, TccText *out) {
  const TccTargetInfo *target;
  const char *name = options->target ? options->target : is_ptx(options) ? "nvptx" : NULL;
  TccStatus *status = tcc_target_parse(arena, name, &target);
  if (status) return tcc_exit_status(&command, status);
  bool gpu = strcmp(target->of->name, "nvptx") == 0;
  if (is_ptx(options) && !gpu)
    tcc_usage_error(&command, "%s is for nvptx, not --target=%s: --to-asm", table[options->action].name, name);
  if (options->action == OPT_OBJECT && gpu) tcc_usage_error(&command, "there are no objects for nvptx: --to-ptx");
  if (tcc_model_kind(options->file) == TCC_MODEL_IMPORTED) return generate_from_model(options, target, out);
  TccText text = {0};
  int code = tcc_exit_status(&command, tcc_read_input(options->file, &text));
  if (code != TCC_EXIT_OK) return code;
  TccIr *ir = tcc_ir_create();
  tcc_register_upstream(ir->context);
  mlirRegisterAllLLVMTranslations(ir->context);
  tcc_diagnostics_to_stderr(ir->context, NULL);
  struct stat about;
  const bool from_file = stat(options->file, &about) == 0 && S_ISREG(about.st_mode); /* then its name is in diagnostics */
  MlirModule module = tcc_parse_foreign_module(ir->context, from_file ? (TccStr){0} : tcc_text_str(&text), options->file);
  if (mlirModuleIsNull(module)) {
    code = TCC_EXIT_FAILED;
  } else if (!verifies(ir, module, target)) {
    code = TCC_EXIT_FAILED;
    mlirModuleDestroy(module);
  } else {
    size_t count;
    status = translate_kernels(options, target, ir, mlirModuleGetOperation(module), out, &count);
    if (!status && count == 0 && options->kernel) status = no_kernel(options, target);
    else if (!status && count == 0 && !is_llvm_dialect(mlirModuleGetOperation(module))) status = no_kernel(options, target);
    else if (!status && count == 0) status = translate(options, target, &(TccLlvm){.text = tcc_text_str(&text)}, out);
    code = tcc_exit_status(&command, status);
    mlirModuleDestroy(module);
  }
  tcc_text_destroy(&text);
  tcc_ir_destroy(ir);
  return code;
}

/* PTX in out becomes its cubin. */
static TccStatus *assemble(const Options *options, TccArena *arena, const TccTargetInfo *target, TccText *out) {
  const TccLimit none = {0};
  const TccPtxas *ptxas;
  TCC_TRY(tcc_ptxas_find(arena, options->ptxas ? options->ptxas : TCC_PTXAS_FIND, &none, &ptxas));
  if (!ptxas)
    return TCC_ERROR(TCC_INCOMPATIBLE,
                     "--to-cubin needs ptxas, of the CUDA toolkit: it is not in $PATH, or $TCC_PTXAS says none; --ptxas names it");
  TccText cubin = {0};
  TccStatus *status = tcc_ptxas_run(ptxas, target->machine.cpu, tcc_text_str(out), &none, &cubin);
  tcc_text_destroy(out);
  *out = cubin;
  return status;
}

static int generate_cubin(const Options *options, TccArena *arena, TccText *out) {
  const TccTargetInfo *target;
  int code = generate(options, arena, out);
  if (code != TCC_EXIT_OK) return code;
  TccStatus *status = tcc_target_parse(arena, options->target ? options->target : "nvptx", &target);
  if (!status) status = assemble(options, arena, target, out);
  return tcc_exit_status(&command, status);
}

/* An option that the translation does not look at is an error. */
static void check_options(const Options *options) {
  const char *action = table[options->action].name;
  bool doc = options->action == OPT_ONNX_DOC, import = options->action == OPT_IMPORT_ONNX,
       artifact = options->action == OPT_ARTIFACT;
  if (!options->file && (import || artifact)) tcc_usage_error(&command, "%s needs a FILE", action);
  const bool of_model = options->file && tcc_model_kind(options->file) == TCC_MODEL_IMPORTED;
  const char *useless = options->kernel && (import || artifact || doc)                     ? "--kernel"
                        : options->bytecode && !import                                     ? "--emit-bytecode"
                        : options->target && (import || doc)                               ? "--target"
                        : options->ptxas && options->action != OPT_CUBIN                   ? "--ptxas"
                        : options->indexed && (doc || (!import && !artifact && !of_model)) ? "--indices"
                        : options->dims.count && !import && !artifact && !of_model         ? "--dim"
                        : options->file && doc                                             ? "FILE"
                                                                                           : NULL;
  if (useless && (strcmp(useless, "--dim") == 0 || strcmp(useless, "--indices") == 0))
    tcc_usage_error(&command, "%s is for models that are imported: %s of IR takes none", useless, action);
  if (useless) tcc_usage_error(&command, "%s takes no %s", action, useless);
  if (options->ptxas && strcmp(options->ptxas, TCC_PTXAS_NONE) == 0)
    tcc_usage_error(&command, "--to-cubin needs an assembler: --ptxas=none names none");
}

int main(int argc, char **argv) {
  Options options = {.action = -1};
  TccArena *arena = tcc_arena_create();
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  for (TccArg arg; (arg = tcc_args_next(&args)).option != TCC_ARG_END;) {
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (options.file) tcc_usage_error(&command, "more than one input file: '%s' and '%s'", options.file, arg.value);
      options.file = arg.value;
      break;
    case OPT_TARGET: options.target = arg.value; break;
    case OPT_KERNEL: options.kernel = arg.value; break;
    case OPT_PTXAS: options.ptxas = arg.value; break;
    case OPT_DIM: {
      TccSize dim;
      char *name = tcc_arg_size(&command, &arg, &dim.value);
      dim.name = tcc_str(tcc_arena_copy(arena, name, strlen(name)));
      free(name);
      TCC_VEC_PUSH(arena, &options.dims, dim);
      break;
    }
    case OPT_BYTECODE: options.bytecode = true; break;
    case OPT_INDICES:
      options.indices = (TccIndices)tcc_arg_word(&command, &arg, tcc_indices_words, TCC_INDICES_COUNT);
      options.indexed = true;
      break;
    case OPT_OUTPUT: options.output = arg.value; break;
    default:
      if (options.action >= 0)
        tcc_usage_error(&command, "%s and %s: one translation at a time", table[options.action].name, table[arg.option].name);
      options.action = arg.option;
    }
  }
  if (options.action < 0) tcc_usage_error(&command, "which translation? %s", command.usage);
  check_options(&options);
  const bool of_model =
      options.action == OPT_IMPORT_ONNX || options.action == OPT_ARTIFACT; /* a module may be replaced, as by tcc-opt */
  tcc_check_output(&command, "-o", options.output, of_model ? options.file : NULL, "the model");
  if (!options.file) options.file = "-";
  TccText out = {0};
  int code = TCC_EXIT_OK;
  if (options.action == OPT_ONNX_DOC) tcc_onnx_document(&out);
  else
    code = options.action == OPT_IMPORT_ONNX ? import_onnx(&options, &out)
           : options.action == OPT_ARTIFACT  ? compile(&options, &out)
           : options.action == OPT_CUBIN     ? generate_cubin(&options, arena, &out)
                                             : generate(&options, arena, &out);
  if (code == TCC_EXIT_OK) code = tcc_exit_status(&command, tcc_write_output(options.output, tcc_text_str(&out)));
  tcc_text_destroy(&out);
  tcc_arena_destroy(arena);
  return code;
}
