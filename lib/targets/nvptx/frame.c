/* frame.c - what all GPU kernels share: entry, thread and block numbers, launch. */
#include "lib/ir/row_domain.h"
#include "lib/targets/nvptx/nvptx.h"
#include "tcc/op_kinds.h"
#include <stdio.h>

static TccVal special(TccEmit *e, const char *name) {
  return tcc_emit_cast(e, "zext", "i32", "i64", tcc_emit_call_intrinsic(e, name, "i32", 0, NULL, NULL));
}

/* Whether an operand and a result may be one buffer: what memory-plan allows (docs/kernels.md), or more. */
static bool may_share(TccIr *ir, MlirOperation kernel, MlirValue operand, MlirValue result) {
  TccKernelKind kind = tcc_kernel_kind(ir, kernel);
  if (kind == TCC_KERNEL_ROW) {
    MlirType domain = tcc_row_domain(ir, kernel);
    if (mlirTypeIsNull(domain) || tcc_type_same_shape(ir, tcc_value_type(operand), domain)) return false;
  }
  return (kind == TCC_KERNEL_ROW || kind == TCC_KERNEL_MAP || kind == TCC_KERNEL_BUILTIN) &&
         mlirTypeEqual(tcc_value_type(operand), tcc_value_type(result));
}

#define BUFFER_ALIGNMENT "llvm.align = 16 : i64" /* tcc/abi.h */
#define MAP_PARAMETER TCC_PTR " {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}"
_Static_assert(TCC_TENSOR_MAP_BYTES == 128 && TCC_TENSOR_MAP_ALIGNMENT == 64, "as MAP_PARAMETER says it");

/* Types of the buffers' parameters. Operands that no result overwrites are read by the path for constant data. */
static int buffer_parameters(TccIr *ir, MlirOperation kernel, const char **types) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  int noperands = (int)mlirBlockGetNumArguments(block), nresults = (int)mlirOperationGetNumOperands(end);
  for (int r = 0; r < nresults; r++) types[noperands + r] = TCC_PTR " {" BUFFER_ALIGNMENT ", llvm.noalias}";
  for (int i = 0; i < noperands; i++) {
    types[i] = TCC_PTR " {" BUFFER_ALIGNMENT ", llvm.noalias, llvm.readonly}";
    for (int r = 0; r < nresults; r++)
      if (may_share(ir, kernel, mlirBlockGetArgument(block, i), mlirOperationGetOperand(end, r)))
        types[i] = types[noperands + r] = TCC_PTR " {" BUFFER_ALIGNMENT "}";
  }
  return noperands + nresults;
}

void nvptx_open(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel) {
  nvptx_open_with(n, ir, target, kernel, NULL, 0, NULL);
}

void nvptx_open_with(NvptxKernel *n, TccIr *ir, const TccTargetInfo *target, MlirOperation kernel, const TccTensorMap *maps,
                     int nmaps, const TccExpr *scratch_bytes) {
  n->dynamic_shared = 0, n->cluster = 1, n->maps = maps, n->nmaps = nmaps, n->scratch_bytes = scratch_bytes;
  tcc_kernel_init(&n->k, &n->e, ir, target, kernel);
  n->k.divide = nvptx_divide;
  MlirBlock block = tcc_func_body(kernel);
  size_t most =
      (size_t)(mlirBlockGetNumArguments(block) + mlirOperationGetNumOperands(mlirBlockGetTerminator(block))) + 2 + NVPTX_MAX_MAPS;
  const char **types = TCC_NEW_ARRAY(ir->arena, const char *, most + NVPTX_MAX_SIZES);
  TccVal *parameters = TCC_NEW_ARRAY(ir->arena, TccVal, most + NVPTX_MAX_SIZES);
  const TccIndexCheck *checks;
  int count = buffer_parameters(ir, kernel, types);
  n->k.reports = tcc_index_checks(ir, kernel, &checks) > 0;
  if (n->k.reports) types[count++] = TCC_PTR " {llvm.noalias}";
  int scratch = count;
  if (scratch_bytes) types[count++] = TCC_PTR " {" BUFFER_ALIGNMENT "}";
  int first_map = count;
  for (int i = 0; i < nmaps; i++) types[count++] = MAP_PARAMETER;
  n->before_sizes = count;
  for (int i = 0; i < NVPTX_MAX_SIZES; i++) types[count++] = "i64";
  tcc_emit_function(&n->e, "tcc_kernel_entry", false, count, types, NULL, parameters);
  n->k.first_argument = parameters[0], n->k.first_size = parameters[n->before_sizes], n->k.most_sizes = NVPTX_MAX_SIZES;
  n->k.faults = n->k.reports ? parameters[scratch - 1] : 0;
  n->scratch = scratch_bytes ? parameters[scratch] : 0;
  for (int i = 0; i < nmaps; i++) n->map[i] = parameters[first_map + i];
  n->thread = special(&n->e, "llvm.nvvm.read.ptx.sreg.tid.x");
  n->block = special(&n->e, "llvm.nvvm.read.ptx.sreg.ctaid.x");
}

/* The function becomes a kernel, inside a gpu.module. Globals get its name in front, so that the code of several kernels can stand in
 * one file. */
static void make_gpu_kernel(TccArena *arena, TccLlvmModule *module, const char *symbol, uint32_t threads) {
  TccText scratch = {0};
  module->gpu = true;
  for (size_t i = 0; i < module->items.count; i++) {
    TccLlvmItem *item = module->items.data[i].item;
    if (item->kind == TCC_LLVM_FUNCTION) {
      item->role = TCC_LLVM_GPU_KERNEL;
      item->block[0] = threads, item->block[1] = item->block[2] = 1;
      tcc_llvm_set_text(arena, item, &scratch);
    } else { /* "k_<digest>_add_rows": kernels of equal code may have different names; no two files share constants */
      if (item->kind == TCC_LLVM_DATA) item->linkage = TCC_LLVM_INTERNAL;
      tcc_llvm_rename(arena, module, item->symbol, tcc_arena_printf(arena, "%s_%s", symbol, item->symbol), &scratch);
    }
  }
  tcc_text_destroy(&scratch);
}

/* The maps over "$i". */
static const TccTensorMap *maps_of_slots(NvptxKernel *n) {
  TccTensorMap *maps = TCC_NEW_ARRAY(n->k.ir->arena, TccTensorMap, n->nmaps);
  for (int i = 0; i < n->nmaps; i++) {
    maps[i] = n->maps[i];
    maps[i].offset = tcc_kernel_slot(&n->k, maps[i].offset);
    for (int axis = 0; axis < maps[i].rank; axis++) {
      maps[i].size[axis] = tcc_kernel_slot(&n->k, maps[i].size[axis]);
      maps[i].stride[axis] = tcc_kernel_slot(&n->k, maps[i].stride[axis]);
    }
  }
  return maps;
}

TccStatus *nvptx_close(NvptxKernel *n, const char *emitter, const char *schedule, const TccExpr *blocks, uint32_t threads,
                       uint32_t shared, TccKernelCode *out) {
  const TccExpr *tiles = tcc_kernel_slot(&n->k, blocks), *one = tcc_expr_const(n->k.ir->exprs, 1);
  const TccExpr *scratch = n->scratch_bytes ? tcc_kernel_slot(&n->k, n->scratch_bytes) : tcc_expr_const(n->k.ir->exprs, 0);
  const TccKernelLaunch launch = {.grid = {tiles, one, one},
                                  .block = {threads, 1, 1},
                                  .cluster = {n->cluster, 1, 1},
                                  .maps = maps_of_slots(n),
                                  .nmaps = (size_t)n->nmaps,
                                  .static_shared = shared,
                                  .dynamic_shared = tcc_expr_const(n->k.ir->exprs, n->dynamic_shared)};
  TccStatus *status = tcc_kernel_launch_check(n->k.machine, &launch);
  if (!status && n->k.sizes.count > NVPTX_MAX_SIZES)
    status = TCC_ERROR(TCC_UNSUPPORTED, "more than %d sizes in one kernel", NVPTX_MAX_SIZES);
  if (status) {
    nvptx_abandon(n);
    return status;
  }
  n->e.function->nparams = n->before_sizes + (int)n->k.sizes.count;
  tcc_emit_return(&n->e, 0, NULL);
  tcc_kernel_finish(&n->k, emitter, schedule, tiles, scratch, out);
  out->launch = launch;
  make_gpu_kernel(n->k.ir->arena, n->e.module, out->symbol, threads);
  return NULL;
}

TccVal nvptx_dynamic_shared(NvptxKernel *n, const char *name, uint32_t bytes, uint32_t alignment) {
  n->dynamic_shared = bytes;
  tcc_emit_shared(&n->e, name, 0, "i8", alignment);
  return tcc_emit_shared_address(&n->e, name);
}

TccVal nvptx_shuffle_word(TccEmit *t, TccVal word, int bit) {
  TccVal all = tcc_emit_int(t, "i32", -1), distance = tcc_emit_int(t, "i32", bit), clamp = tcc_emit_int(t, "i32", 31);
  return tcc_emit_call_intrinsic(t, "llvm.nvvm.shfl.sync.bfly.i32", "i32", 4, (TccVal[]){all, word, distance, clamp},
                                 (const char *const[]){"i32", "i32", "i32", "i32"});
}

TccVal nvptx_shuffle_words(TccEmit *t, TccElem elem, TccVal v, TccVal (*word)(TccEmit *t, TccVal word, TccVal from), TccVal from) {
  const char *type = tcc_scalar_type(elem);
  unsigned bits = elem == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(elem);
  bool cast = *type != 'i';
  const char *same = bits == 16 ? "i16" : bits <= 32 ? "i32" : "i64", *narrow = cast ? same : type;
  if (cast) v = tcc_emit_cast(t, "bitcast", type, same, v);
  if (bits <= 32) {
    if (bits < 32) v = tcc_emit_cast(t, "zext", narrow, "i32", v);
    v = word(t, v, from);
    if (bits < 32) v = tcc_emit_cast(t, "trunc", "i32", narrow, v);
  } else {
    TccVal high = tcc_emit_cast(t, "trunc", "i64", "i32", tcc_emit_bin(t, "lshr", "i64", v, tcc_emit_i64(t, 32)));
    TccVal low = word(t, tcc_emit_cast(t, "trunc", "i64", "i32", v), from);
    high = tcc_emit_cast(t, "zext", "i32", "i64", word(t, high, from));
    v = tcc_emit_bin(t, "or", "i64", tcc_emit_cast(t, "zext", "i32", "i64", low),
                     tcc_emit_bin(t, "shl", "i64", high, tcc_emit_i64(t, 32)));
  }
  return cast ? tcc_emit_cast(t, "bitcast", same, type, v) : v;
}

TccVal nvptx_shuffle_float(NvptxKernel *n, TccVal v, int bit) {
  TccEmit *t = &n->e;
  return tcc_emit_cast(t, "bitcast", "i32", "f32", nvptx_shuffle_word(t, tcc_emit_cast(t, "bitcast", "f32", "i32", v), bit));
}

void nvptx_abandon(NvptxKernel *n) { tcc_kernel_abandon(&n->k); }

void nvptx_barrier(NvptxKernel *n) {
  TccVal zero = tcc_emit_int(&n->e, "i32", 0);
  tcc_emit_call_intrinsic(&n->e, "llvm.nvvm.barrier.cta.sync.aligned.all", NULL, 1, &zero, (const char *const[]){"i32"});
}

TccVal nvptx_global_thread(NvptxKernel *n, uint32_t threads) {
  return tcc_emit_add(&n->e, tcc_emit_mul(&n->e, n->block, tcc_emit_i64(&n->e, threads)), n->thread);
}

const TccExpr *nvptx_blocks(TccIr *ir, const TccExpr *threads_in_all, int64_t threads) {
  return tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, threads_in_all, tcc_expr_const(ir->exprs, threads));
}

/* ceil(2^62 / size), which the host computes once for a set of sizes: a word among the kernel's sizes. */
static TccVal reciprocal(TccKernelEmit *k, const TccExpr *size) {
  TccExprPool *exprs = k->ir->exprs;
  const TccExpr *at_least_1 = tcc_expr_call(exprs, TCC_EXPR_MAX, size, tcc_expr_const(exprs, 1));
  return tcc_kernel_size(k, tcc_expr_call(exprs, TCC_EXPR_CEILDIV, tcc_expr_const(exprs, INT64_C(1) << 62), at_least_1));
}

void nvptx_divide(TccKernelEmit *k, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest) {
  TccEmit *t = k->e;
  TccVal d = tcc_kernel_size(k, size), zero = tcc_emit_i64(t, 0);
  if (tcc_expr_is_const(size, NULL)) {
    *quotient = tcc_emit_div(t, v, d), *rest = tcc_emit_rem(t, v, d);
    return;
  }
  TccVal factors[2] = {tcc_emit_mul(t, v, tcc_emit_i64(t, 4)), reciprocal(k, size)};
  TccVal q = tcc_emit_call_intrinsic(t, "llvm.nvvm.mulhi.ull", "i64", 2, factors, (const char *const[]){"i64", "i64"});
  TccVal r = tcc_emit_sub(t, v, tcc_emit_mul(t, q, d)), over = tcc_emit_icmp(t, "slt", "i64", r, zero);
  *quotient = tcc_emit_select1(t, "i64", over, tcc_emit_sub(t, q, tcc_emit_i64(t, 1)), q);
  *rest = tcc_emit_select1(t, "i64", over, tcc_emit_add(t, r, d), r);
}

void nvptx_divide_small(NvptxKernel *n, TccVal v, TccVal by, TccVal *quotient, TccVal *rest) {
  TccEmit *t = &n->e;
  TccVal a = tcc_emit_cast(t, "trunc", "i64", "i32", v), b = tcc_emit_cast(t, "trunc", "i64", "i32", by);
  *quotient = tcc_emit_cast(t, "zext", "i32", "i64", tcc_emit_bin(t, "udiv", "i32", a, b));
  *rest = tcc_emit_cast(t, "zext", "i32", "i64", tcc_emit_bin(t, "urem", "i32", a, b));
}

/* Whether there are so few places that words of 32 bits count them, for which a division by a known number is one multiplication and a shift. */
static bool are_few(const TccExpr *const *sizes, int n, int64_t *out_sizes) {
  int64_t all = 1;
  for (int i = 0; i < n; i++) {
    if (!tcc_expr_is_const(sizes[i], &out_sizes[i]) || out_sizes[i] < 1 || out_sizes[i] > INT32_MAX / all) return false;
    all *= out_sizes[i];
  }
  return true;
}

void nvptx_take_apart(TccKernelEmit *k, const TccExpr *const *sizes, int n, TccVal v, TccVal *out) {
  TccEmit *t = k->e;
  int64_t known, size[TCC_PULL_DIMS];
  if (n > 1 && !tcc_emit_known(t, v, &known) && are_few(sizes, n, size)) {
    v = tcc_emit_cast(t, "trunc", "i64", "i32", v);
    for (int i = n; i-- > 1;) {
      TccVal d = tcc_emit_int(t, "i32", size[i]);
      out[i] = tcc_emit_cast(t, "zext", "i32", "i64", tcc_emit_bin(t, "urem", "i32", v, d));
      v = tcc_emit_bin(t, "udiv", "i32", v, d);
    }
    out[0] = tcc_emit_cast(t, "zext", "i32", "i64", v);
    return;
  }
  for (int i = n; i-- > 1;) nvptx_divide(k, v, sizes[i], &v, &out[i]);
  if (n > 0) out[0] = v;
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
