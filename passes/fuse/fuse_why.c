/* fuse_why.c - why tensors between kernels are stored: noted where tcc-fuse decides, read where it outlines.
 *
 * A note belongs to an edge, a value and one op that reads it. Phase 1 says why a reader did not join the kernel that makes
 * the value, phase 2 why the value is not made in the kernel that reads it; the later note is the one that counts. */
#include "passes/fuse/fuse_groups.h"
#include "tcc/op_kinds.h"

void fuse_note(FuseGraph *graph, MlirValue value, MlirOperation reader, const char *why) {
  if (!graph->why) return;
  const void *edge[] = {value.ptr, reader.ptr};
  tcc_map_put(graph->why, (TccStr){(const char *)edge, sizeof edge}, NULL)->constant = why;
}

const char *fuse_anchor_why(TccOpKind reader, TccKernelKind maker) {
  switch (reader) {
  case TCC_OP_DOT_GENERAL:
    return maker == TCC_KERNEL_ROW
               ? "kind: each tile of the product reads whole rows again, so they are normalised once and stored"
               : "cost: each tile of the product reads its operands again, so they are computed once and stored";
  case TCC_OP_CONV:
  case TCC_OP_CONV_BLOCKED:
  case TCC_OP_CONV_TRANSPOSE:
  case TCC_OP_CONV_FILTER_GRAD:
    return "cost: a convolution reads an element once for each tap and each block of channels, so it is computed once and stored";
  case TCC_OP_ATTENTION:
  case TCC_OP_ATTENTION_LOGSUMEXP:
    return "cost: each block of queries reads all keys and values again, so they are computed once and stored";
  case TCC_OP_POOL:
  case TCC_OP_POOL_INDEX: return "cost: windows overlap and would compute an element several times";
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE:
    if (maker == TCC_KERNEL_CONTRACT) return "kind: a tile of the product has only a part of a row, the reduction needs all of it";
    if (maker == TCC_KERNEL_CONV || maker == TCC_KERNEL_POOL) return "kind: a tile of the image has only a part of what is reduced";
    if (maker == TCC_KERNEL_ATTENTION) return "kind: a tile has the rows of one head, the reduction needs those of all";
    return "shape: the two reduce over other axes or rows of another shape";
  case TCC_OP_SCATTER_ELEMENTS:
  case TCC_OP_SCATTER_ND: return "kind: a scatter writes where its indices say, nothing joins it";
  case TCC_OP_TRIANGULAR_SOLVE: return "kind: each row of the solution needs those before, nothing joins it";
  case TCC_OP_CUMULATIVE: return "kind: a scan walks along its axis, nothing joins it";
  default: return "kind: a function of the run-time reads and writes memory";
  }
}

static const char *outside_why(const FuseGraph *graph, const FuseNode *reader) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(reader->op));
  if (mlirStringRefEqual(name, mlirStringRefCreateFromCString("func.return")))
    return graph->main   ? "a result of the model"
           : graph->loop ? "kind: a result of an iteration, which the next one reads"
                         : "border of a region: a result of what is compiled once for all copies";
  if (mlirStringRefEqual(name, mlirStringRefCreateFromCString("func.call")))
    return "border of a region: what is compiled once for all copies reads its operands from memory";
  return NULL;
}

/* A reshape outside of kernels is an alias: its readers are the value's. */
static void collect(const FuseGraph *graph, const FuseNode *node, MlirValue value, TccText *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const FuseNode *reader = fuse_node_of(graph, mlirOpOperandGetOwner(use));
    const char *why = NULL;
    bool inside = false;
    if (!reader) continue; /* a call that has been made already */
    for (size_t g = 0; g < reader->groups.count; g++) inside = inside || fuse_in_group(node, reader->groups.data[g]);
    if (inside) continue;
    if (reader->class == CLASS_RESHAPE && !reader->groups.count) {
      collect(graph, node, mlirOperationGetResult(reader->op, 0), out);
      continue;
    }
    const void *edge[] = {value.ptr, reader->op.ptr};
    TccMapEntry *entry = tcc_map_find(graph->why, (TccStr){(const char *)edge, sizeof edge});
    if (!reader->groups.count) why = outside_why(graph, reader);
    else if (entry) why = entry->constant;
    else if (reader->class == CLASS_ANCHOR) why = fuse_anchor_why(reader->kind, node->groups.data[0]->kind);
    if (!why && !tcc_kernel_takes_readers(node->groups.data[0]->kind))
      why = "kind: nothing joins a scatter, a scan, a gradient of weights or a function of the run-time";
    if (!why) why = "kind: what reads it behind a reshape is no part of the kernel that makes it";
    if (out->length && strstr(out->data, why)) continue;
    tcc_text_printf(out, "%s%s", out->length ? "; " : "", why);
  }
}

const char *fuse_why(const FuseGraph *graph, const FuseNode *node, MlirValue value) {
  if (node->init) return "made once from weights, when the model is loaded";
  TccText text = {0};
  collect(graph, node, value, &text);
  const char *why = text.length ? tcc_arena_copy(graph->arena, text.data, text.length)
                                : "nobody reads it: another result of its kernel is needed";
  tcc_text_destroy(&text);
  return why;
}
