/* product_tma_text.c - the loop over the depth of a warpgroup, as one text of assembler (product_tma.h).
 *
 * Accumulators of wgmma must not be touched between its fence and its wait. LLVM knows nothing of that and copies registers where blocks meet,
 * so that products which stay under way from one step to the next stand in a loop that it does not see:
 *
 *     for each step: wait until its stage is full; fence; four products of 32 bytes of the depth; commit;
 *                    wait until all but this step's products are done, so the stage before is free: tell those who fill it
 *
 * That other blocks of the cluster are told, too, needs no release at their scope: what was read is behind the wait of wgmma, and nothing was
 * written. With one ptxas puts fences of all memory before each arrival, half of a warp's time on an H100. */
#include "lib/targets/nvptx/product_tma.h"
#include <stdio.h>

enum { STEPS = NVPTX_TMA_ROW_BYTES / 32 };

static NvptxMatrix matrix(const NvptxProduct *p, int side) { return nvptx_matrix(p->along_depth[side], nvptx_tma_depth(p)); }

static void put_products(TccText *text, const NvptxTmaShape *shape, const NvptxProduct *p) {
  char operands[64];
  snprintf(operands, sizeof operands, "%%tma_a, %%tma_b, 1%s", nvptx_wgmma_flags(p->elem, p->along_depth));
  for (int step = 0; step < STEPS; step++) {
    nvptx_wgmma_put(text, p->of, shape->columns, 0, operands);
    if (step + 1 == STEPS) break;
    tcc_text_printf(text, "add.s64 %%tma_a, %%tma_a, %d; add.s64 %%tma_b, %%tma_b, %d; ", matrix(p, 0).step, matrix(p, 1).step);
  }
}

static void put_loop(TccText *text, const NvptxTmaShape *shape, const NvptxProduct *p) {
  int n = shape->columns / 2, stage_pieces = (NVPTX_GROUP_ROWS * shape->groups + shape->columns) * NVPTX_TMA_ROW_BYTES / 16;
  enum { STAGE, PARITY, COUNT, LEFT, RIGHT, FULL, EMPTY, TELLS };
  const char *tell = shape->cluster > 1 ? "mbarrier.arrive.shared::cluster.b64" : "mbarrier.arrive.shared::cta.b64";
  tcc_text_printf(text, "{ .reg .pred %%tma_p, %%tma_q; .reg .b32 %%tma_s, %%tma_f, %%tma_i, %%tma_m, %%tma_e; "
                        ".reg .b64 %%tma_a, %%tma_b, %%tma_o; ");
  for (int i = 0; i < n; i++) tcc_text_printf(text, "mov.b32 $%d, 0; ", i);
  tcc_text_printf(text, "mov.b32 %%tma_s, $%d; mov.b32 %%tma_f, $%d; mov.b32 %%tma_i, 0; mov.b32 %%tma_e, $%d; ", n + STAGE,
                  n + PARITY, n + EMPTY);
  tcc_text_printf(text, "setp.eq.s32 %%tma_p, $%d, 0; @%%tma_p bra tma_done; ", n + COUNT);
  tcc_text_printf(text, "tma_step: shl.b32 %%tma_m, %%tma_s, 3; add.s32 %%tma_m, %%tma_m, $%d; ", n + FULL);
  tcc_text_printf(text, "tma_full: mbarrier.try_wait.parity.shared::cta.b64 %%tma_p, [%%tma_m], %%tma_f; @!%%tma_p bra tma_full; ");
  tcc_text_printf(text, "mul.wide.u32 %%tma_o, %%tma_s, %d; add.s64 %%tma_a, $%d, %%tma_o; add.s64 %%tma_b, $%d, %%tma_o; ",
                  stage_pieces, n + LEFT, n + RIGHT);
  tcc_text_printf(text, "wgmma.fence.sync.aligned; ");
  put_products(text, shape, p);
  tcc_text_printf(text, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 1; ");
  tcc_text_printf(text, "setp.ne.s32 %%tma_q, %%tma_i, 0; and.pred %%tma_q, %%tma_q, $%d; @%%tma_q %s _, [%%tma_e]; ", n + TELLS,
                  tell);
  tcc_text_printf(text, "shl.b32 %%tma_e, %%tma_s, 3; add.s32 %%tma_e, %%tma_e, $%d; ", n + EMPTY);
  tcc_text_printf(text,
                  "add.s32 %%tma_s, %%tma_s, 1; setp.eq.s32 %%tma_p, %%tma_s, %d; selp.b32 %%tma_s, 0, %%tma_s, %%tma_p; "
                  "@%%tma_p xor.b32 %%tma_f, %%tma_f, 1; ",
                  shape->stages);
  tcc_text_printf(text, "add.s32 %%tma_i, %%tma_i, 1; setp.lt.s32 %%tma_p, %%tma_i, $%d; @%%tma_p bra tma_step; ", n + COUNT);
  tcc_text_printf(text, "wgmma.wait_group.sync.aligned 0; @$%d %s _, [%%tma_e]; tma_done: }", n + TELLS, tell);
}

void nvptx_tma_text(TccArena *arena, const NvptxTmaShape *shape, const NvptxProduct *p, const char **out_text,
                    const char **out_constraints, const char **out_type) {
  TccText text = {0}, constraints = {0};
  put_loop(&text, shape, p);
  for (int i = 0; i < shape->columns / 2; i++) tcc_text_printf(&constraints, nvptx_product_is_bytes(p) ? "=&r," : "=&f,");
  tcc_text_printf(&constraints, "r,r,r,l,l,r,r,b,~{memory}");
  *out_text = nvptx_text_keep(arena, &text);
  *out_constraints = nvptx_text_keep(arena, &constraints);
  *out_type = nvptx_sums_type(arena, tcc_scalar_type(p->acc), shape->columns / 2);
}
