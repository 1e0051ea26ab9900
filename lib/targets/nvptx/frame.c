/* frame.c - what all GPU kernels share: entry, thread and block numbers, the text around the function. */
#include "lib/targets/nvptx/nvptx.h"
#include <stdio.h>

static TccVal special(TccEmit *e, const char *name) {
  return tcc_emit_cast(e, "zext", "i32", "i64", tcc_emit_call_intrinsic(e, name, "i32", 0, NULL, NULL));
}

void nvptx_open(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel) {
  tcc_kernel_init(&n->k, &n->e, ir, target, kernel);
  MlirBlock block = tcc_func_body(kernel);
  int buffers = (int)(mlirBlockGetNumArguments(block) + mlirOperationGetNumOperands(mlirBlockGetTerminator(block)));
  const TccIndexCheck *checks;
  n->k.reports = tcc_index_checks(ir, kernel, &checks) > 0;
  const char *params[] = {
      tcc_arena_printf(ir->arena, "!llvm.ptr {llvm.byval = !llvm.array<%d x ptr>, nvvm.grid_constant}", buffers + n->k.reports),
      tcc_arena_printf(ir->arena, "!llvm.ptr {llvm.byval = !llvm.array<%d x i64>, nvvm.grid_constant}", NVPTX_MAX_SIZES)};
  TccVal arg[2];
  tcc_emit_function(&n->e, "tcc_kernel_entry", false, 2, params, NULL, arg);
  n->k.arguments = arg[0], n->k.size_pointer = arg[1];
  if (n->k.reports) n->k.faults = tcc_emit_load_once(&n->e, TCC_PTR, arg[0], buffers);
  n->thread = special(&n->e, "llvm.nvvm.read.ptx.sreg.tid.x");
  n->block = special(&n->e, "llvm.nvvm.read.ptx.sreg.ctaid.x");
}

/* The table of sizes is as long as it came to be; the kernel has none if it reads none. */
static void set_size_count(TccArena *arena, TccLlvmItem *function, size_t count) {
  const char **params = TCC_NEW_ARRAY(arena, const char *, 2);
  params[0] = function->params[0];
  params[1] = tcc_arena_printf(arena, "!llvm.ptr {llvm.byval = !llvm.array<%zu x i64>, nvvm.grid_constant}", count);
  function->params = params;
  function->nparams = count ? 2 : 1;
}

/* The function becomes a kernel, inside a gpu.module. Globals get its name in front, so that the code of several kernels can stand in
 * one file. */
static void make_gpu_kernel(TccArena *arena, TccLlvmModule *module, const char *symbol, size_t sizes) {
  TccText scratch = {0};
  module->gpu = true;
  for (size_t i = 0; i < module->items.count; i++) {
    TccLlvmItem *item = module->items.data[i].item;
    if (item->kind == TCC_LLVM_FUNCTION) {
      item->role = TCC_LLVM_GPU_KERNEL;
      set_size_count(arena, item, sizes);
      tcc_llvm_set_text(arena, item, &scratch);
    } else { /* "k_<digest>_rows" */
      tcc_llvm_rename(arena, module, item->symbol, tcc_arena_printf(arena, "%.18s_%s", symbol, item->symbol), &scratch);
    }
  }
  tcc_text_destroy(&scratch);
}

TccStatus *nvptx_close(NvptxKernel *n, const char *emitter, const char *schedule, const TccExpr *blocks, uint32_t threads,
                       uint32_t shared, TccKernelCode *out) {
  const TccExpr *tiles = tcc_kernel_slot(&n->k, blocks), *one = tcc_expr_const(n->k.ir->exprs, 1);
  const TccKernelLaunch launch = {.grid = {tiles, one, one},
                                  .block = {threads, 1, 1},
                                  .cluster = {1, 1, 1},
                                  .static_shared = shared,
                                  .dynamic_shared = tcc_expr_const(n->k.ir->exprs, 0)};
  TccStatus *status = tcc_kernel_launch_check(n->k.machine, &launch);
  if (status) {
    nvptx_abandon(n);
    return status;
  }
  tcc_emit_return(&n->e, 0, NULL);
  if (n->k.sizes.count > NVPTX_MAX_SIZES) {
    nvptx_abandon(n);
    return TCC_ERROR(TCC_UNSUPPORTED, "more than %d sizes in one kernel", NVPTX_MAX_SIZES);
  }
  tcc_kernel_finish(&n->k, emitter, schedule, tiles, tcc_expr_const(n->k.ir->exprs, 0), out);
  out->launch = launch;
  make_gpu_kernel(n->k.ir->arena, n->e.module, out->symbol, out->nsizes);
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
