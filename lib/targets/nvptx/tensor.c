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
  map.box[0] = (uint32_t)nvptx_box_columns(map.elem), map.box[1] = (uint32_t)rows, map.swizzle = NVPTX_BOX_BYTES;
  return map;
}

/* ---- copies ---- */
enum { MOST_OPERANDS = 2 * TCC_TENSOR_MAP_RANK + 4 };
typedef struct {
  NvptxKernel *n;
  TccText text, constraints;
  TccVal operand[MOST_OPERANDS];
  const char *type[MOST_OPERANDS];
  int count;
} BulkCopy;

static void put_operand(BulkCopy *c, TccVal v, const char *type, char constraint) {
  tcc_text_printf(&c->constraints, "%s%c", c->count ? "," : "", constraint);
  c->operand[c->count] = v, c->type[c->count++] = type;
}

/* The coordinates, all i64, the innermost first, and the barrier that is told of the bytes. */
static void begin_copy(BulkCopy *c, NvptxKernel *n, const char *mode, TccVal to, TccVal map, const TccVal *at, int rank,
                       TccVal barrier, int cluster) {
  *c = (BulkCopy){.n = n};
  put_operand(c, to, "i32", 'r');
  put_operand(c, map, TCC_PTR, 'l');
  tcc_text_printf(&c->text, "cp.async.bulk.tensor.%dd.shared::cluster.global.%s.mbarrier::complete_tx::bytes%s [$0], [$1, {", rank,
                  mode, cluster > 1 ? ".multicast::cluster" : "");
  for (int i = 0; i < rank; i++) {
    tcc_text_printf(&c->text, "%s$%d", i ? ", " : "", c->count);
    put_operand(c, tcc_emit_cast(&n->e, "trunc", "i64", "i32", at[i]), "i32", 'r');
  }
  tcc_text_printf(&c->text, "}], [$%d]", c->count);
  put_operand(c, barrier, "i32", 'r');
}

static void end_copy(BulkCopy *c, int cluster) {
  TccEmit *t = &c->n->e;
  if (cluster > 1) {
    tcc_text_printf(&c->text, ", $%d", c->count);
    put_operand(c, tcc_emit_int(t, "i16", (INT64_C(1) << cluster) - 1), "i16", 'h');
  }
  tcc_text_printf(&c->text, ";");
  tcc_text_printf(&c->constraints, ",~{memory}");
  const char *text = tcc_arena_copy(t->arena, c->text.data, c->text.length),
             *constraints = tcc_arena_copy(t->arena, c->constraints.data, c->constraints.length);
  tcc_emit_inline_asm(t, text, constraints, NULL, c->count, c->operand, c->type);
  tcc_text_destroy(&c->text);
  tcc_text_destroy(&c->constraints);
}

void nvptx_tensor_copy(NvptxKernel *n, const NvptxTensor *tensor, TccVal map, TccVal to, TccVal barrier, TccVal inner, TccVal row,
                       TccVal batch, int cluster) {
  TccVal at[TCC_TENSOR_MAP_RANK] = {inner, row}, parts[TCC_TENSOR_MAP_RANK];
  int rank = 2;
  BulkCopy copy;
  nvptx_take_apart(&n->k, tensor->batch, tensor->nbatch, batch, parts);
  for (int i = tensor->nbatch; i-- > 0;)
    if (tensor->moves[i]) at[rank++] = parts[i];
  begin_copy(&copy, n, "tile", to, map, at, rank, barrier, cluster);
  end_copy(&copy, cluster);
}

void nvptx_pixels_copy(NvptxKernel *n, int rank, TccVal map, TccVal to, TccVal barrier, TccVal channel, const TccVal *at,
                       const TccVal *offsets, int cluster) {
  TccVal all[TCC_TENSOR_MAP_RANK] = {channel};
  const int pixel = rank - 2;
  BulkCopy copy;
  for (int i = 1; i < rank; i++) all[i] = at[rank - 1 - i];
  begin_copy(&copy, n, "im2col", to, map, all, rank, barrier, cluster);
  for (int i = pixel; i-- > 0;) {
    tcc_text_printf(&copy.text, "%s$%d", i + 1 < pixel ? ", " : ", {", copy.count);
    put_operand(&copy, tcc_emit_cast(&n->e, "trunc", "i64", "i16", offsets[i]), "i16", 'h');
  }
  tcc_text_printf(&copy.text, "}");
  end_copy(&copy, cluster);
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
