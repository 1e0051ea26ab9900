/* frame.c - what all GPU kernels share: entry, thread and block numbers, the text around the function. */
#include "lib/target/nvptx/nvptx.h"
#include <stdio.h>

TccStatus *tcc_nvptx_machine(TccStr chip, TccMachine *out) {
  static const struct {
    const char *chip, *ptx;
  } known[] = {{"sm_70", "+ptx70"}, {"sm_75", "+ptx70"}, {"sm_80", "+ptx70"},  {"sm_86", "+ptx71"},
               {"sm_89", "+ptx78"}, {"sm_90", "+ptx78"}, {"sm_90a", "+ptx80"}, {"sm_100", "+ptx86"}};
  if (!chip.length) chip = tcc_str("sm_80");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (!tcc_str_is(chip, known[i].chip)) continue;
    *out = (TccMachine){.l1_bytes = 100 << 10, .l2_bytes = 40 << 20};
    snprintf(out->triple, sizeof out->triple, "nvptx64-nvidia-cuda");
    snprintf(out->cpu, sizeof out->cpu, "%s", known[i].chip);
    snprintf(out->features, sizeof out->features, "%s", known[i].ptx);
    return NULL;
  }
  TccText names = {0};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) tcc_text_printf(&names, "%s%s", i ? ", " : "", known[i].chip);
  TccStatus *status = TCC_ERROR(TCC_INVALID, "unknown GPU '%.*s' (known: %s)", TCC_STR_ARG(chip), names.data);
  tcc_text_destroy(&names);
  return status;
}

static TccVal special(TccEmit *e, const char *name) {
  return tcc_emit_cast(e, "zext", "i32", "i64",
                       tcc_emit_op(e, "llvm.call_intrinsic \"llvm.nvvm.read.ptx.sreg.%s\"() : () -> i32", name));
}

void nvptx_open(NvptxKernel *n, TccIr *ir, const TccMachine *machine, MlirOperation kernel) {
  tcc_kernel_init(&n->k, &n->e, ir, machine, kernel);
  MlirBlock block = tcc_func_body(kernel);
  int buffers = (int)(mlirBlockGetNumArguments(block) + mlirOperationGetNumOperands(mlirBlockGetTerminator(block)));
  const char *params[] = {
      tcc_arena_printf(ir->arena, "!llvm.ptr {llvm.byval = !llvm.array<%d x ptr>, nvvm.grid_constant}", buffers ? buffers : 1),
      tcc_arena_printf(ir->arena, "!llvm.ptr {llvm.byval = !llvm.array<%d x i64>, nvvm.grid_constant}", NVPTX_MAX_SIZES)};
  TccVal arg[2];
  tcc_emit_function(&n->e, "tcc_kernel_entry", false, 2, params, NULL, arg);
  n->k.arguments = arg[0], n->k.size_pointer = arg[1];
  n->thread = special(&n->e, "tid.x");
  n->block = special(&n->e, "ctaid.x");
}

/* Globals of a kernel get its name in front, so that the code of several kernels can stand in one file. */
static void put_with_own_globals(TccText *text, const char *data, size_t length, const char *symbol) {
  static const char *const globals[] = {"rows", "columns", "data"};
  const char *end = data + length;
  for (const char *at; (at = memchr(data, '@', (size_t)(end - data))); data = at + 1) {
    tcc_text_put(text, data, (size_t)(at - data) + 1);
    for (size_t i = 0; i < sizeof globals / sizeof *globals; i++)
      if (tcc_str_starts((TccStr){at + 1, (size_t)(end - at - 1)}, globals[i]))
        tcc_text_printf(text, "%.18s_", symbol); /* "k_<digest>" */
  }
  tcc_text_put(text, data, (size_t)(end - data));
}

/* The function becomes a kernel, inside a gpu.module. */
TccStatus *nvptx_close(NvptxKernel *n, const char *emitter, const char *schedule, const TccExpr *blocks, TccKernelCode *out) {
  static const char before[] = "attributes {passthrough", after[] = "attributes {nvvm.kernel, passthrough";
  TccArena *arena = n->k.ir->arena;
  const TccExpr *tiles = tcc_kernel_slot(&n->k, blocks);
  tcc_emit_return(&n->e, 0, NULL);
  if (n->k.sizes.count > NVPTX_MAX_SIZES) {
    nvptx_abandon(n);
    return TCC_ERROR(TCC_UNSUPPORTED, "more than %d sizes in one kernel", NVPTX_MAX_SIZES);
  }
  tcc_kernel_finish(&n->k, emitter, schedule, tiles, tcc_expr_const(n->k.ir->exprs, 0), out);
  const char *entry = memmem(out->text.data, out->text.length, out->symbol, strlen(out->symbol));
  size_t offset = (size_t)(entry - out->text.data);
  const char *at = memmem(entry, out->text.length - offset, before, sizeof before - 1);
  TccText text = {0};
  tcc_text_printf(&text, "gpu.module @kernels {\n");
  put_with_own_globals(&text, out->text.data, (size_t)(at - out->text.data), out->symbol);
  tcc_text_put(&text, after, sizeof after - 1);
  at += sizeof before - 1;
  put_with_own_globals(&text, at, out->text.length - (size_t)(at - out->text.data), out->symbol);
  tcc_text_printf(&text, "}\n");
  out->text = (TccStr){tcc_arena_copy(arena, text.data, text.length), text.length};
  tcc_text_destroy(&text);
  return NULL;
}

void nvptx_abandon(NvptxKernel *n) { tcc_kernel_abandon(&n->k); }

void nvptx_take_apart(TccKernelEmit *k, const TccExpr *const *sizes, int n, TccVal v, TccVal *out) {
  for (int i = n; i-- > 0;) {
    TccVal size = tcc_kernel_size(k, sizes[i]);
    out[i] = i ? tcc_emit_rem(k->e, v, size) : v;
    if (i) v = tcc_emit_div(k->e, v, size);
  }
}

void nvptx_set_axis(TccPullEmit *e, const TccPullDims *dims, int axis, TccVal v) {
  const TccExpr *sizes[TCC_PULL_DIMS] = {0};
  int which[TCC_PULL_DIMS], n = 0;
  TccVal parts[TCC_PULL_DIMS];
  for (int d = 0; d < dims->count; d++)
    if (dims->axis[d] == axis) sizes[n] = dims->size[d], which[n++] = d;
  nvptx_take_apart(e->k, sizes, n, v, parts);
  for (int i = 0; i < n; i++) e->iv[which[i]] = parts[i];
}

TccStatus *tcc_nvptx_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  static const struct {
    const char *kind;
    TccStatus *(*emit)(const TccTargetInfo *, TccIr *, MlirOperation, TccKernelCode *);
  } emitters[] = {{"map", nvptx_map}, {"row", nvptx_row}, {"contract", nvptx_contract}};
  TccStr kind = tcc_string(ir, kernel, "tcc.kernel");
  *out = (TccKernelCode){0};
  for (size_t i = 0; i < sizeof emitters / sizeof *emitters; i++)
    if (tcc_str_is(kind, emitters[i].kind)) return emitters[i].emit(target, ir, kernel, out);
  return TCC_ERROR(TCC_UNSUPPORTED, "nvptx has no emitter for kernels of kind '%.*s'", TCC_STR_ARG(kind));
}
