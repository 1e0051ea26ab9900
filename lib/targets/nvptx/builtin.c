/* builtin.c - what the host's run-time has C functions for, as kernels: topk, nonzero, dynamic_update_slice; non_max_suppression
 * has a file of its own.
 *
 * topk: the place of an element in the result is the number of elements of its line that come before it, so each thread counts for one
 * element and no two write to one place; equal elements: the lower index first, NaN counts as the largest. Work grows with the square of a
 * line, all of which the threads of a block read from the first cache.
 * nonzero: a block counts its part of the elements before, then places its own in order: one block does all, 256 elements at a time. How many there
 * are the run-time has counted before; where that is all that is asked for no block runs. */
#include "lib/targets/nvptx/builtin.h"
#include "tcc/op_kinds.h"

enum { THREADS = NVPTX_BUILTIN_THREADS };

typedef NvptxBuiltin Builtin;

static TccVal i64(Builtin *b, int64_t v) { return tcc_emit_i64(&b->n.e, v); }
static TccVal size_of(Builtin *b, const TccExpr *e) { return tcc_kernel_size(&b->n.k, e); }

static const TccExpr *product(Builtin *b, int from, int to) {
  const TccExpr *p = tcc_expr_const(b->ir->exprs, 1);
  for (int a = from; a < to; a++) p = tcc_expr_mul(b->ir->exprs, p, tcc_type_dim(b->ir, b->type, a));
  return p;
}

int nvptx_builtin_operand(const Builtin *b, intptr_t index) {
  MlirBlock body = tcc_func_body(b->kernel);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (mlirValueEqual(mlirOperationGetOperand(b->op, index), mlirBlockGetArgument(body, i))) return (int)i;
  return -1;
}

int nvptx_builtin_result(const Builtin *b, intptr_t index) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(b->kernel));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++)
    if (mlirValueEqual(mlirOperationGetOperand(end, i), mlirOperationGetResult(b->op, index)))
      return (int)(mlirBlockGetNumArguments(tcc_func_body(b->kernel)) + i);
  return -1;
}

TccVal nvptx_builtin_load(Builtin *b, TccElem elem, int buffer, TccVal at) {
  TccEmit *t = &b->n.e;
  const char *type = tcc_scalar_memory_type(elem);
  TccVal p = tcc_emit_gep(t, type, tcc_kernel_argument(&b->n.k, buffer), at);
  return tcc_scalar_from_memory(t, elem, 1, tcc_emit_load(t, type, p));
}

void nvptx_builtin_store(Builtin *b, TccElem elem, int buffer, TccVal at, TccVal v) {
  TccEmit *t = &b->n.e;
  const char *type = tcc_scalar_memory_type(elem);
  tcc_emit_store(t, type, tcc_scalar_to_memory(t, elem, 1, v), tcc_emit_gep(t, type, tcc_kernel_argument(&b->n.k, buffer), at));
}

/* ---- topk ---- */

static TccVal logic(Builtin *b, const char *op, TccVal x, TccVal y) { return tcc_emit_bin(&b->n.e, op, "i1", x, y); }
static TccVal negate(Builtin *b, TccVal x) { return logic(b, "xor", x, tcc_emit_int(&b->n.e, "i1", 1)); }

/* Whether y, at place j, comes before x, at place i, in the result; both are of type `wide`. */
static TccVal precedes(Builtin *b, TccElem wide, bool largest, TccVal y, TccVal j, TccVal x, TccVal i) {
  TccEmit *t = &b->n.e;
  const char *type = tcc_scalar_type(wide);
  TccVal more, same;
  if (tcc_elem_is_float(wide)) {
    TccVal y_nan = tcc_emit_fcmp(t, "uno", type, y, y), x_nan = tcc_emit_fcmp(t, "uno", type, x, x);
    TccVal nan_first = largest ? logic(b, "and", y_nan, negate(b, x_nan)) : logic(b, "and", x_nan, negate(b, y_nan));
    more = logic(b, "or", tcc_emit_fcmp(t, largest ? "ogt" : "olt", type, y, x), nan_first);
    same = logic(b, "or", tcc_emit_fcmp(t, "oeq", type, y, x), logic(b, "and", y_nan, x_nan));
  } else {
    bool u = tcc_elem_is_unsigned(wide) || wide == TCC_ELEM_BOOL;
    more = tcc_emit_icmp(t, largest ? (u ? "ugt" : "sgt") : (u ? "ult" : "slt"), type, y, x);
    same = tcc_emit_icmp(t, "eq", type, y, x);
  }
  return logic(b, "or", more, logic(b, "and", same, tcc_emit_icmp(t, "slt", "i64", j, i)));
}

static TccStatus *emit_topk(Builtin *b, const TccExpr **out_blocks) {
  TccEmit *t = &b->n.e;
  const TccExpr *const *k;
  size_t nk;
  if (!tcc_get_exprs(b->ir, b->op, "k", &k, &nk) || nk != 1) return TCC_ERROR(TCC_INVALID, "topk needs one k");
  int axis = (int)tcc_i64(b->ir, b->op, "axis"), rank = tcc_type_rank(b->type), values = nvptx_builtin_result(b, 0),
      indices = nvptx_builtin_result(b, 1);
  TccElem wide = tcc_elem_is_float(b->elem) ? tcc_elem_accumulator(b->elem) : b->elem;
  const TccExpr *count = product(b, 0, rank), *inner_size = product(b, axis + 1, rank);
  TccVal thread = nvptx_global_thread(&b->n, THREADS), length = size_of(b, tcc_type_dim(b->ir, b->type, axis)),
         inner = size_of(b, inner_size), most = size_of(b, k[0]);
  TccIf inside, taken;
  TccLoop loop;
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, size_of(b, count)), 0, NULL);
  TccVal column, place, outer;
  nvptx_divide(&b->n.k, thread, inner_size, &outer, &column);
  nvptx_divide(&b->n.k, outer, tcc_type_dim(b->ir, b->type, axis), &outer, &place);
  TccVal base = tcc_emit_add(t, tcc_emit_mul(t, tcc_emit_mul(t, outer, length), inner), column);
  int x_buffer = nvptx_builtin_operand(b, 0);
  TccVal own = nvptx_builtin_load(b, b->elem, x_buffer, thread), x = tcc_scalar_convert(t, b->elem, wide, 1, own), none = i64(b, 0);
  tcc_emit_for(t, &loop, i64(b, 0), length, 1, 1, &none, (const char *const[]){"i64"});
  TccVal y = nvptx_builtin_load(b, b->elem, x_buffer, tcc_emit_add(t, base, tcc_emit_mul(t, loop.iv, inner)));
  y = tcc_scalar_convert(t, b->elem, wide, 1, y);
  TccVal before = precedes(b, wide, tcc_bool(b->ir, b->op, "largest"), y, loop.iv, x, place);
  TccVal next = tcc_emit_add(t, loop.in[0], tcc_emit_cast(t, "zext", "i1", "i64", before));
  tcc_emit_end_for(t, &loop, &next);
  const bool last = tcc_bool(b->ir, b->op, "last");
  TccVal rank_of = last ? tcc_emit_add(t, loop.out[0], i64(b, 1)) : loop.out[0];
  tcc_emit_if(t, &taken, tcc_emit_icmp(t, last ? "eq" : "slt", "i64", rank_of, most), 0, NULL);
  TccVal row = last ? outer : tcc_emit_add(t, tcc_emit_mul(t, outer, most), loop.out[0]);
  TccVal to = tcc_emit_add(t, tcc_emit_mul(t, row, inner), column);
  if (values >= 0) nvptx_builtin_store(b, b->elem, values, to, own);
  if (indices >= 0) nvptx_builtin_store(b, TCC_ELEM_I64, indices, to, place);
  tcc_emit_end_if(t, &taken, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  *out_blocks = nvptx_blocks(b->ir, count, THREADS);
  return NULL;
}

/* ---- nonzero ---- */

/* How many threads of the block below this one have `flag` on, and how many all have. Shared memory: a count for each warp. */
static void count_before(Builtin *b, TccVal flag, TccVal counts, TccVal *out_before, TccVal *out_all) {
  TccEmit *t = &b->n.e;
  TccVal lane = tcc_emit_rem(t, b->n.thread, i64(b, NVPTX_WARP)), warp = tcc_emit_div(t, b->n.thread, i64(b, NVPTX_WARP));
  TccVal ballot = tcc_emit_call_intrinsic(t, "llvm.nvvm.vote.ballot.sync", "i32", 2, (TccVal[]){tcc_emit_int(t, "i32", -1), flag},
                                          (const char *const[]){"i32", "i1"});
  TccVal below = tcc_emit_call_intrinsic(t, "llvm.nvvm.read.ptx.sreg.lanemask.lt", "i32", 0, NULL, NULL);
  TccVal masked = tcc_emit_bin(t, "and", "i32", ballot, below), all = tcc_emit_intrinsic(t, "ctpop", "i32", 1, &ballot);
  TccIf first;
  nvptx_barrier(&b->n); /* the counts of the last step have been read */
  tcc_emit_if(t, &first, tcc_emit_icmp(t, "eq", "i64", lane, i64(b, 0)), 0, NULL);
  tcc_emit_shared_store(t, "i32", all, tcc_emit_shared_gep(t, "i32", counts, warp));
  tcc_emit_end_if(t, &first, NULL);
  nvptx_barrier(&b->n);
  *out_before = tcc_emit_cast(t, "zext", "i32", "i64", tcc_emit_intrinsic(t, "ctpop", "i32", 1, &masked));
  *out_all = i64(b, 0);
  for (int i = 0; i < THREADS / NVPTX_WARP; i++) {
    TccVal n =
        tcc_emit_cast(t, "zext", "i32", "i64", tcc_emit_shared_load(t, "i32", tcc_emit_shared_gep(t, "i32", counts, i64(b, i))));
    TccVal earlier = tcc_emit_icmp(t, "slt", "i64", i64(b, i), warp);
    *out_before = tcc_emit_add(t, *out_before, tcc_emit_select1(t, "i64", earlier, n, i64(b, 0)));
    *out_all = tcc_emit_add(t, *out_all, n);
  }
}

static TccStatus *emit_nonzero(Builtin *b, const TccExpr **out_blocks, uint32_t *out_shared) {
  TccEmit *t = &b->n.e;
  int rank = tcc_type_rank(b->type), to = nvptx_builtin_result(b, 0);
  const char *type = tcc_scalar_type(b->elem);
  TccVal count = size_of(b, product(b, 0, rank)),
         found = size_of(b, tcc_expr_symbol(b->ir->exprs, tcc_string(b->ir, b->op, "size")));
  TccVal zero = i64(b, 0), before, all;
  TccLoop loop;
  TccIf inside, put;
  *out_blocks = tcc_expr_const(b->ir->exprs, to < 0 ? 0 : 1);
  if (to < 0) return NULL;
  tcc_emit_shared(t, "counts", THREADS / NVPTX_WARP, "i32", NVPTX_SHARED_ALIGNMENT);
  *out_shared = THREADS / NVPTX_WARP * 4;
  TccVal counts = tcc_emit_shared_address(t, "counts");
  tcc_emit_for(t, &loop, zero, count, THREADS, 1, &zero, (const char *const[]){"i64"});
  TccVal at = tcc_emit_add(t, loop.iv, b->n.thread), off = tcc_emit_int(t, "i1", 0);
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", at, count), 1, (const char *const[]){"i1"});
  TccVal x = nvptx_builtin_load(b, b->elem, nvptx_builtin_operand(b, 0), at), none = tcc_emit_zero(t, type);
  if (b->elem == TCC_ELEM_BF16) x = tcc_emit_bin(t, "shl", type, x, tcc_emit_int(t, type, 1)); /* without its sign: -0 is zero */
  TccVal on = tcc_elem_is_float(b->elem) && b->elem != TCC_ELEM_BF16 ? tcc_emit_fcmp(t, "une", type, x, none)
                                                                     : tcc_emit_icmp(t, "ne", type, x, none);
  tcc_emit_else(t, &inside, &on);
  tcc_emit_end_if(t, &inside, &off);
  count_before(b, inside.out[0], counts, &before, &all);
  TccVal place = tcc_emit_add(t, loop.in[0], before);
  TccVal wanted = logic(b, "and", inside.out[0], tcc_emit_icmp(t, "slt", "i64", place, found)), rest = at;
  tcc_emit_if(t, &put, wanted, 0, NULL);
  for (int a = rank; a-- > 0;) {
    TccVal coordinate = rest;
    if (a) tcc_kernel_divide(&b->n.k, rest, tcc_type_dim(b->ir, b->type, a), &rest, &coordinate);
    nvptx_builtin_store(b, TCC_ELEM_I64, to, tcc_emit_add(t, tcc_emit_mul(t, i64(b, a), found), place), coordinate);
  }
  tcc_emit_end_if(t, &put, NULL);
  TccVal next = tcc_emit_add(t, loop.in[0], all);
  tcc_emit_end_for(t, &loop, &next);
  return NULL;
}

/* ---- dynamic_update_slice ---- */

/* Each thread copies an element, or takes that of the row: right where the result is the operand, too. */
static TccStatus *emit_update(Builtin *b, const TccExpr **out_blocks) {
  TccEmit *t = &b->n.e;
  int rank = tcc_type_rank(b->type), to = nvptx_builtin_result(b, 0), x = nvptx_builtin_operand(b, 0),
      where = nvptx_builtin_operand(b, 1), row = nvptx_builtin_operand(b, 2);
  if (x < 0 || where < 0 || row < 0 || to < 0) return TCC_ERROR(TCC_INVALID, "an operand that is computed inside the kernel");
  const char *type = tcc_scalar_type(b->elem);
  const TccExpr *count = product(b, 0, rank);
  TccVal thread = nvptx_global_thread(&b->n, THREADS), number, in_row, rows = size_of(b, tcc_type_dim(b->ir, b->type, 0));
  TccIf inside, updated;
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, size_of(b, count)), 0, NULL);
  TccElem index_elem = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(b->op, 1)));
  TccVal index = tcc_scalar_convert(t, index_elem, TCC_ELEM_I64, 1, nvptx_builtin_load(b, index_elem, where, i64(b, 0)));
  index = tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "slt", "i64", index, i64(b, 0)), tcc_emit_add(t, index, rows), index);
  tcc_kernel_divide(&b->n.k, thread, product(b, 1, rank), &number, &in_row);
  TccVal mine = tcc_emit_icmp(t, "eq", "i64", number, index);
  tcc_emit_if(t, &updated, mine, 1, &type);
  TccVal from_row = nvptx_builtin_load(b, b->elem, row, in_row);
  tcc_emit_else(t, &updated, &from_row);
  TccVal as_it_was = nvptx_builtin_load(b, b->elem, x, thread);
  tcc_emit_end_if(t, &updated, &as_it_was);
  nvptx_builtin_store(b, b->elem, to, thread, updated.out[0]);
  tcc_emit_end_if(t, &inside, NULL);
  *out_blocks = nvptx_blocks(b->ir, count, THREADS);
  return NULL;
}

TccStatus *nvptx_builtin(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Builtin b = {.ir = ir, .kernel = kernel};
  TccOpKind kind = TCC_OP_UNKNOWN;
  TCC_EACH_OP (op, tcc_func_body(kernel)) {
    TccOpKind here = tcc_op_kind(ir, op);
    if (here == TCC_OP_TOPK || here == TCC_OP_NONZERO || here == TCC_OP_DYNAMIC_UPDATE_SLICE || here == TCC_OP_NON_MAX_SUPPRESSION)
      b.op = op, kind = here;
    if (here == TCC_OP_IMAGE_SIZE || here == TCC_OP_DECODE_IMAGE)
      return TCC_ERROR(TCC_UNSUPPORTED, "'%s': images are decoded by the host, in a model of their own", tcc_op_name(here));
  }
  if (kind == TCC_OP_UNKNOWN) return TCC_ERROR(TCC_UNSUPPORTED, "'builtin' on nvptx");
  b.type = tcc_value_type(mlirOperationGetOperand(b.op, 0)), b.elem = tcc_type_elem(b.type);
  if (!tcc_elem_computes(b.elem) || tcc_elem_bits(b.elem) < 8)
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' of %s", tcc_op_name(kind), tcc_elem_name(b.elem));
  if (nvptx_builtin_operand(&b, 0) < 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' of what is computed inside the kernel", tcc_op_name(kind));
  const TccExpr *blocks = NULL;
  uint32_t shared = 0;
  bool suppresses = kind == TCC_OP_NON_MAX_SUPPRESSION;
  nvptx_open_with(&b.n, ir, target, kernel, NULL, 0, suppresses ? nvptx_non_max_suppression_scratch(ir, b.op) : NULL);
  TccStatus *status = kind == TCC_OP_TOPK      ? emit_topk(&b, &blocks)
                      : kind == TCC_OP_NONZERO ? emit_nonzero(&b, &blocks, &shared)
                      : suppresses             ? nvptx_non_max_suppression(&b, &blocks, &shared)
                                               : emit_update(&b, &blocks);
  if (status) {
    nvptx_abandon(&b.n);
    return status;
  }
  return nvptx_close(&b.n, "nvptx.builtin", tcc_op_name(kind) + sizeof "tcc." - 1, blocks, THREADS, shared, out);
}
