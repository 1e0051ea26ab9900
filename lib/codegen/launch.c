/* launch.c - how kernels of a GPU are started: their sizes over the module's symbols, and what a chip can do. */
#include "tcc/codegen.h"

/* "$3" -> sizes[3] */
static const TccExpr *size_argument(TccStr name, void *user) {
  const TccKernelCode *code = user;
  size_t index = 0;
  if (name.length < 2 || name.data[0] != '$') return NULL;
  for (size_t i = 1; i < name.length; i++) {
    if (name.data[i] < '0' || name.data[i] > '9' || index > code->nsizes) return NULL;
    index = index * 10 + (size_t)(name.data[i] - '0');
  }
  return index < code->nsizes ? code->sizes[index] : NULL;
}

const TccExpr *tcc_kernel_code_expr(TccIr *ir, const TccKernelCode *code, const TccExpr *e) {
  return tcc_expr_substitute(ir->exprs, e, size_argument, (void *)code);
}

static uint32_t count(const uint32_t *sizes) { return sizes[0] * sizes[1] * sizes[2]; }

TccStatus *tcc_kernel_launch_check(const TccMachine *machine, const TccKernelLaunch *launch) {
  int64_t dynamic = 0;
  tcc_expr_is_const(launch->dynamic_shared, &dynamic);
  if (count(launch->block) > TCC_LAUNCH_THREADS)
    return TCC_ERROR(TCC_UNSUPPORTED, "a block of %u threads, %s takes %d", count(launch->block), machine->cpu, TCC_LAUNCH_THREADS);
  if ((int64_t)launch->static_shared + dynamic > machine->gpu.block_shared)
    return TCC_ERROR(TCC_UNSUPPORTED, "a block with %lld bytes of shared memory, %s has %u for it",
                     (long long)launch->static_shared + (long long)dynamic, machine->cpu, machine->gpu.block_shared);
  return NULL;
}

static void put_sizes(const char *name, const uint32_t *sizes, TccText *out) {
  tcc_text_printf(out, " %s [%u, %u, %u]", name, sizes[0], sizes[1], sizes[2]);
}

void tcc_kernel_launch_text(TccIr *ir, const TccMachine *machine, const TccKernelCode *code, TccText *out) {
  const TccKernelLaunch *l = &code->launch;
  const TccGpu *gpu = &machine->gpu;
  if (!l->grid[0]) return;
  tcc_text_printf(out, "grid [");
  for (int i = 0; i < 3; i++)
    tcc_text_printf(out, "%s%s", i ? ", " : "", tcc_expr_text(ir->exprs, tcc_kernel_code_expr(ir, code, l->grid[i])));
  tcc_text_printf(out, "]");
  put_sizes("block", l->block, out);
  put_sizes("cluster", l->cluster, out);
  tcc_text_printf(out, " shared %u + %s", l->static_shared,
                  tcc_expr_text(ir->exprs, tcc_kernel_code_expr(ir, code, l->dynamic_shared)));
  uint32_t blocks = gpu->threads / count(l->block);
  int64_t shared = 0; /* a dynamic size that is not known counts as nothing */
  tcc_expr_is_const(l->dynamic_shared, &shared);
  shared += l->static_shared;
  if (shared && gpu->shared / shared < blocks) blocks = (uint32_t)(gpu->shared / shared);
  if (blocks)
    tcc_text_printf(out, "; at most %u blocks on each of %u multiprocessors, with %u registers a thread", blocks, gpu->sms,
                    gpu->registers / (blocks * count(l->block)));
}
