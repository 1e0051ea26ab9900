/* tensor.c - see tensor.h. */
#include "lib/targets/nvptx/tensor.h"
#include "lib/codegen/read/contract.h"

/* ---- maps ---- */

/* The batch's axes, each dim on its own: one that does not move is no axis of the map. */
static bool put_batch(TccIr *ir, const NvptxOperand *o, const NvptxTensorAxes *axes, NvptxTensor *tensor) {
  const TccExpr *stride[TCC_TENSOR_MAP_RANK];
  for (int a = 0; a < axes->nbatch; a++)
    for (int d = 0; d < o->dims.count; d++) {
      if (o->dims.axis[d] != axes->batch[a] || o->dims.size[d] == tcc_expr_const(ir->exprs, 1)) continue;
      if (tensor->nbatch == TCC_TENSOR_MAP_RANK - 2) return false;
      stride[tensor->nbatch] = o->root->index.coef[d];
      tensor->moves[tensor->nbatch] = stride[tensor->nbatch] != NULL;
      tensor->batch[tensor->nbatch++] = o->dims.size[d];
    }
  for (int i = tensor->nbatch; i-- > 0;)
    if (tensor->moves[i]) tensor->map.size[tensor->map.rank] = tensor->batch[i], tensor->map.stride[tensor->map.rank++] = stride[i];
  return true;
}

/* Coordinates of a copy are signed numbers of 32 bits. What is not known is checked when the map is made. */
static bool is_within(const NvptxTensor *tensor) {
  int64_t size;
  for (int axis = 0; axis < tensor->map.rank; axis++)
    if (tcc_expr_is_const(tensor->map.size[axis], &size) && size > INT32_MAX) return false;
  return true;
}

/* Pieces of 16 bytes are what tensor maps ask of strides, too. */
NvptxTensor nvptx_tensor_of(TccIr *ir, const NvptxOperand *o, TccElem elem, const NvptxTensorAxes *axes) {
  NvptxTensor tensor = {.map = {.rank = 2, .elem = elem, .buffer = o->root->argument, .offset = o->root->index.offset}};
  if (!nvptx_operand_has_stride(o, axes->rows, axes->nrows, &tensor.map.stride[1])) return (NvptxTensor){0};
  tensor.map.stride[0] = tcc_expr_const(ir->exprs, 1);
  tensor.map.size[0] = tcc_axes_count(ir, o->type, axes->inner, axes->ninner);
  tensor.map.size[1] = tcc_axes_count(ir, o->type, axes->rows, axes->nrows);
  return put_batch(ir, o, axes, &tensor) && is_within(&tensor) ? tensor : (NvptxTensor){0};
}

TccTensorMap nvptx_tensor_boxes(const NvptxTensor *tensor, int rows) {
  TccTensorMap map = tensor->map;
  for (int i = 0; i < map.rank; i++) map.box[i] = 1;
  map.box[0] = NVPTX_BOX_COLUMNS, map.box[1] = (uint32_t)rows, map.swizzle = NVPTX_BOX_COLUMNS * 2;
  return map;
}

/* ---- copies ---- */

void nvptx_tensor_copy(NvptxKernel *n, const NvptxTensor *tensor, TccVal map, TccVal to, TccVal barrier, TccVal inner, TccVal row,
                       TccVal batch, int cluster) {
  TccEmit *t = &n->e;
  TccText text = {0}, constraints = {0};
  TccVal args[TCC_TENSOR_MAP_RANK + 4], parts[TCC_TENSOR_MAP_RANK];
  const char *types[TCC_TENSOR_MAP_RANK + 4];
  int count = 0, rank = tensor->map.rank;
  args[count] = to, types[count++] = "i32", args[count] = map, types[count++] = TCC_PTR;
  args[count] = tcc_emit_cast(t, "trunc", "i64", "i32", inner), types[count++] = "i32";
  args[count] = tcc_emit_cast(t, "trunc", "i64", "i32", row), types[count++] = "i32";
  nvptx_take_apart(&n->k, tensor->batch, tensor->nbatch, batch, parts);
  for (int i = tensor->nbatch; i-- > 0;)
    if (tensor->moves[i]) args[count] = tcc_emit_cast(t, "trunc", "i64", "i32", parts[i]), types[count++] = "i32";
  args[count] = barrier, types[count++] = "i32";
  tcc_text_printf(&text, "cp.async.bulk.tensor.%dd.shared::cluster.global.tile.mbarrier::complete_tx::bytes%s [$0], [$1, {", rank,
                  cluster > 1 ? ".multicast::cluster" : "");
  for (int i = 0; i < rank; i++) tcc_text_printf(&text, "%s$%d", i ? ", " : "", 2 + i);
  tcc_text_printf(&text, "}], [$%d]", 2 + rank);
  tcc_text_printf(&constraints, "r,l");
  for (int i = 0; i <= rank; i++) tcc_text_printf(&constraints, ",r");
  if (cluster > 1) {
    args[count] = tcc_emit_int(t, "i16", (INT64_C(1) << cluster) - 1), types[count++] = "i16";
    tcc_text_printf(&text, ", $%d", 3 + rank);
    tcc_text_printf(&constraints, ",h");
  }
  tcc_text_printf(&text, ";");
  tcc_text_printf(&constraints, ",~{memory}");
  TccArena *arena = n->k.ir->arena;
  tcc_emit_inline_asm(t, tcc_arena_copy(arena, text.data, text.length), tcc_arena_copy(arena, constraints.data, constraints.length),
                      NULL, count, args, types);
  tcc_text_destroy(&text);
  tcc_text_destroy(&constraints);
}

void nvptx_pixels_copy(NvptxKernel *n, int rank, TccVal map, TccVal to, TccVal barrier, TccVal channel, const TccVal *at,
                       const TccVal *offsets, int cluster) {
  TccEmit *t = &n->e;
  TccText text = {0}, constraints = {0};
  TccVal args[2 * TCC_TENSOR_MAP_RANK + 2];
  const char *types[2 * TCC_TENSOR_MAP_RANK + 2];
  int count = 0, pixel = rank - 2;
  args[count] = to, types[count++] = "i32", args[count] = map, types[count++] = TCC_PTR;
  args[count] = tcc_emit_cast(t, "trunc", "i64", "i32", channel), types[count++] = "i32";
  for (int i = rank - 1; i-- > 0;) args[count] = tcc_emit_cast(t, "trunc", "i64", "i32", at[i]), types[count++] = "i32";
  args[count] = barrier, types[count++] = "i32";
  tcc_text_printf(&text, "cp.async.bulk.tensor.%dd.shared::cluster.global.im2col.mbarrier::complete_tx::bytes%s [$0], [$1, {", rank,
                  cluster > 1 ? ".multicast::cluster" : "");
  for (int i = 0; i < rank; i++) tcc_text_printf(&text, "%s$%d", i ? ", " : "", 2 + i);
  tcc_text_printf(&text, "}], [$%d], {", 2 + rank);
  tcc_text_printf(&constraints, "r,l");
  for (int i = 0; i <= rank; i++) tcc_text_printf(&constraints, ",r");
  for (int i = pixel; i-- > 0;) {
    tcc_text_printf(&text, "%s$%d", i + 1 < pixel ? ", " : "", count);
    tcc_text_printf(&constraints, ",h");
    args[count] = tcc_emit_cast(t, "trunc", "i64", "i16", offsets[i]), types[count++] = "i16";
  }
  tcc_text_printf(&text, "}");
  if (cluster > 1) {
    tcc_text_printf(&text, ", $%d", count);
    tcc_text_printf(&constraints, ",h");
    args[count] = tcc_emit_int(t, "i16", (INT64_C(1) << cluster) - 1), types[count++] = "i16";
  }
  tcc_text_printf(&text, ";");
  tcc_text_printf(&constraints, ",~{memory}");
  TccArena *arena = n->k.ir->arena;
  tcc_emit_inline_asm(t, tcc_arena_copy(arena, text.data, text.length), tcc_arena_copy(arena, constraints.data, constraints.length),
                      NULL, count, args, types);
  tcc_text_destroy(&text);
  tcc_text_destroy(&constraints);
}

TccVal nvptx_shared_number(NvptxKernel *n, TccVal address) {
  return tcc_emit_cast(&n->e, "ptrtoint", "!llvm.ptr<3>", "i32", address);
}

/* ---- barriers ---- */

static void tell(NvptxKernel *n, const char *text, TccVal at, TccVal number) {
  tcc_emit_inline_asm(&n->e, text, "r,r,~{memory}", NULL, 2, (TccVal[]){at, number}, (const char *const[]){"i32", "i32"});
}

void nvptx_mbarrier_init(NvptxKernel *n, TccVal at, int64_t arrivals) {
  tell(n, "mbarrier.init.shared::cta.b64 [$0], $1;", at, tcc_emit_int(&n->e, "i32", arrivals));
}

void nvptx_mbarriers_show(NvptxKernel *n) {
  tcc_emit_inline_asm(&n->e, "fence.mbarrier_init.release.cluster;", "~{memory}", NULL, 0, NULL, NULL);
}

void nvptx_mbarrier_expect(NvptxKernel *n, TccVal at, int64_t bytes) {
  tell(n, "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;", at, tcc_emit_int(&n->e, "i32", bytes));
}

void nvptx_mbarrier_wait(NvptxKernel *n, TccVal at, TccVal parity) {
  tell(n,
       "{ .reg .pred %wait_p; wait_phase: mbarrier.try_wait.parity.shared::cta.b64 %wait_p, [$0], $1; "
       "@!%wait_p bra wait_phase; }",
       at, parity);
}
