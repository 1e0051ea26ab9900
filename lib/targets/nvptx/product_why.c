/* product_why.c - why a product is not done by the instructions that would be faster, for reports. */
#include "lib/targets/nvptx/product.h"

static const char *const sides[] = {"left", "right"};

/* Why no tensor map copies an operand. */
static const char *why_copied(TccArena *arena, const NvptxProduct *p) {
  if (!p->address) return "a convolution's channels do not lie side by side at multiples of 16 bytes, or it has groups";
  if (p->present)
    return tcc_arena_printf(arena, "im2col does not reach all of the window, or channels are fewer than %d",
                            nvptx_product_is_bytes(p) ? 32 : 16);
  for (int side = 0; side < 2; side++) {
    if (p->picked[side]) return tcc_arena_printf(arena, "an index picks matrices of the %s operand", sides[side]);
    if (!p->pieces[side] && p->run[side] > 1)
      return tcc_arena_printf(arena, "the %s operand is made of narrower numbers where it is read", sides[side]);
    if (!p->pieces[side])
      return tcc_arena_printf(arena, "the %s operand is not memory whose rows are multiples of 16 bytes", sides[side]);
    if (!p->tensor[side].map.rank)
      return tcc_arena_printf(arena, "rows or batches of the %s operand have no one distance, or are 2^31 and more", sides[side]);
  }
  return "";
}

/* Why warpgroups do not multiply bytes (product_wgmma.c). */
static const char *why_turned(TccArena *arena, const NvptxProduct *p) {
  if (!p->address) return why_copied(arena, p);
  return tcc_arena_printf(arena, "bytes of the %s operand do not lie along the depth, and no instruction for it transposes them",
                          sides[p->along_depth[0]]);
}

/* Why f32 is not split (product_split_shape.c). */
static const char *why_whole(const NvptxKernel *n, const NvptxProduct *p) {
  if (nvptx_product_is_bytes(p)) return why_turned(n->k.ir->arena, p);
  const char *why = why_copied(n->k.ir->arena, p);
  if (*why) return why;
  return nvptx_product_split_fits(n->k.machine, p) ? "there are too few tiles of 128 x 128" : "rows have no multiple of 4 elements";
}

static const char *why_scalar(const NvptxKernel *n, const NvptxProduct *p) {
  if (p->acc != TCC_ELEM_F32 && !nvptx_product_is_bytes(p))
    return tcc_arena_printf(n->k.ir->arena, "sums are of %s", tcc_elem_name(p->acc));
  if (tcc_isa_gpu_chip(n->k.machine->isa) < 80) return "of the chip they are not taken before sm_80";
  return "products of f32 shall be exact";
}

const char *nvptx_product_why(const NvptxKernel *n, const NvptxProduct *p, NvptxProductWay way) {
  TccArena *arena = n->k.ir->arena;
  bool alone = tcc_isa_gpu_chip(n->k.machine->isa) == 90 && tcc_isa_gpu_alone(n->k.machine->isa);
  switch (way) {
  case NVPTX_PRODUCT_TMA:
  case NVPTX_PRODUCT_SPLIT: return "";
  case NVPTX_PRODUCT_FEW: return "; no tensor cores: memory gives the right operand no faster";
  case NVPTX_PRODUCT_WGMMA: return tcc_arena_printf(arena, "; no tensor maps: %s", why_copied(arena, p));
  case NVPTX_PRODUCT_MMA: return tcc_arena_printf(arena, "; no wgmma: %s", alone ? why_whole(n, p) : "the target is not sm_90a");
  case NVPTX_PRODUCT_FMA:
  case NVPTX_PRODUCT_SCALARS: break;
  }
  return tcc_arena_printf(arena, "; no tensor cores: %s", why_scalar(n, p));
}
