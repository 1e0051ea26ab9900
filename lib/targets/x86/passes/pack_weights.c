/* pack_weights.c - weights in the order in which the kernel reads them: right operands of contractions, panels of convolutions.
 *
 *   call @k3(%x, %w)                        %p = call @pack0(%w)
 *   func @k3(%x, %w: tensor<384x1536xf32>)  =>  call @k3(%x, %p)
 *     dot_general(%x, %w)                   func @k3(%x, %p: tensor<1x32x384x48xf32>) {tcc.packed = [1, 48, 0]}
 *                                             dot_general(%x, slice(reshape(transpose(%p))))
 *
 * A weight must be one at every call of the kernel (tcc_init_is: followed through the arguments of region functions), or the same in
 * each iteration of the loop that calls it (lib/ir/loop_invariant.h): then the loop captures it packed. The
 * run-time sees that the packing depends on weights alone and does it once. Kernel bodies stay exact: they undo the packing
 * in plain ops, so that the verifier, the interpreter and the reference target know nothing about it; the emitter reads
 * tcc.packed = [argument, panel width, whether the batch has its own panels] instead. Kernels that read the weight in
 * another place too keep it as it is.
 *
 * Weights of blocked convolutions are packed by tcc-block-layout, for panels of the width that the heuristic chooses. A kernel whose
 * schedule wants another width gets them packed again, [P, ..., V * L] -> [P', ..., V' * L].
 *
 * requires: fuse, dedup-kernels; a target that packs (x86). ensures: packed operands have one use. keeps: results. */
#include "lib/codegen/read/contract.h"
#include "lib/codegen/read/kernel.h"
#include "lib/ir/callers.h"
#include "lib/ir/loop_invariant.h"
#include "lib/ir/names.h"
#include "lib/targets/x86/contract/contract_schedule.h"
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/gemv/gemv.h"
#include "lib/targets/x86/passes/passes.h"
#include "mlir-c/Dialect/Func.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  MlirBlock body;
  TccInit *init;
  TccLoopBodies *loops;
  TccMap *packers; /* content -> name of the pack function */
  TccMap *packer_names;
  TccMap *packed; /* (block, weight, packer) -> value */
} Packing;

/* ---- the product's right operand as [batch, k, n] ---- */

typedef struct {
  MlirOperation dot;
  intptr_t argument;           /* of the kernel function: the weight */
  int64_t order[TCC_MAX_RANK]; /* axes of the operand as batch, k, n */
  int64_t dims[TCC_MAX_RANK];  /* their sizes in that order; a shared batch has ones */
  int rank;
  size_t nbatch;
  int64_t size[3]; /* batch, k, n */
  int64_t rows;    /* of the product, -1: dynamic */
  TccPackedLayout layout;
} Target;

/* Whether packing the value is paid once: for a model, or for a loop. */
static bool stays(Packing *p, MlirValue value) { return tcc_init_is(p->init, value) || tcc_loop_invariant(p->loops, value); }

/* Why the kernel reads its right operand as it stands; NULL if that is to be packed. */
static const char *why_plain(Packing *p, const TccCallers *kernel, Target *t) {
  static const char no_weight[] = "it is neither a weight nor what a loop captures at every call",
                    no_type[] = "products of this type are read as they stand";
  TccIr *ir = p->ir;
  memset(t, 0, sizeof *t);
  t->dot = tcc_read_find(ir, kernel->func, TCC_OP_DOT_GENERAL);
  if (mlirOperationIsNull(t->dot) || !kernel->calls.count) return "there is no product";
  TccDotAxes axes;
  if (!tcc_dot_axes(ir, t->dot, &axes)) return no_type;
  MlirValue x = axes.operand[0], y = axes.operand[1];
  MlirType xt = tcc_value_type(x), yt = tcc_value_type(y);
  TccMicroType type;
  TccView view;
  if (!tcc_micro_type(&p->run->target->machine, tcc_type_elem(xt), tcc_type_elem(yt), &type)) return no_type;
  if (!tcc_type_is_static(yt) || !tcc_packable_argument(ir, y, &t->argument) || !tcc_view_of(ir, y, &view))
    return "it is no argument of static size that is read in one place through views";
  for (size_t i = 0; i < kernel->calls.count; i++)
    if (!stays(p, mlirOperationGetOperand(kernel->calls.data[i], t->argument))) return no_weight;

  const int nb = axes.nbatch, nc = axes.ncontract;
  bool shared = true, empty = false;
  for (int i = 0; i < nb; i++) shared = shared && tcc_view_repeats(&view, axes.batch[1][i]);
  t->nbatch = (size_t)nb;
  for (int i = 0; i < nb; i++) t->order[t->rank++] = axes.batch[1][i];
  for (int i = 0; i < nc; i++) t->order[t->rank++] = axes.contract[1][i];
  for (int i = 0; i < axes.nfree[1]; i++) t->order[t->rank++] = axes.free[1][i];
  t->size[0] = t->size[1] = t->size[2] = 1;
  for (int i = 0; i < t->rank; i++) {
    tcc_expr_is_const(tcc_type_dim(ir, yt, (int)t->order[i]), &t->dims[i]);
    empty |= t->dims[i] == 0;
    if (i < nb && shared) t->dims[i] = 1;
    t->size[i < nb ? 0 : i < nb + nc ? 1 : 2] *= t->dims[i];
  }
  if (empty) return "it is empty"; /* also where one for all of no batches would not be */
  int64_t size;
  const TccExpr *rows = tcc_axes_count(ir, xt, axes.free[0], axes.nfree[0]);
  for (int i = 0; shared && i < nb; i++) rows = tcc_expr_mul(ir->exprs, rows, tcc_type_dim(ir, xt, axes.batch[0][i]));
  t->rows = tcc_expr_is_const(rows, &size) ? size : -1;
  if (tcc_gemv_reads_weights(t->rows, tcc_type_elem(yt)) && tcc_gemv_accepts(&p->run->target->machine, ir, kernel->func))
    return "few rows meet it: memory sets the pace, and its lines are read in order";
  const TccContractSizes sizes = {.m = t->rows, .n = t->size[2], .k = t->size[1]};
  tcc_packed_layout(&p->run->target->machine, &type, &sizes, tcc_contract_scheduled_vectors(kernel->func), &t->layout);
  return NULL;
}

/* ---- building ---- */

static MlirValue reshape(TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *e[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) e[i] = tcc_expr_const(b->ir->exprs, dims[i]);
  return tcc_build_reshape(b, x, rank, e);
}

static MlirValue slice_to(TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *start[TCC_MAX_RANK], *size[TCC_MAX_RANK];
  int64_t step[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) {
    start[i] = tcc_expr_const(b->ir->exprs, 0);
    size[i] = tcc_expr_const(b->ir->exprs, dims[i]);
    step[i] = 1;
  }
  return tcc_build_slice(b, x, start, step, size);
}

/* y [its own axes] -> [batch, panels, k_groups, nr * k_group]. */
static MlirValue build_pack(TccBuilder *b, const Target *t, MlirValue y) {
  const TccPackedLayout *l = &t->layout;
  TccIr *ir = b->ir;
  int64_t own[TCC_MAX_RANK];
  for (int i = 0; i < t->rank; i++) own[t->order[i]] = t->dims[i];
  MlirValue c = reshape(b, tcc_build_transpose(b, slice_to(b, y, t->rank, own), t->order), 3, t->size);
  c = tcc_build_convert(b, c, l->elem);
  int64_t deep = l->k_groups * l->k_group, wide = l->panels * l->nr;
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0);
  const TccExpr *low[] = {zero, zero, zero};
  const TccExpr *high[] = {zero, tcc_expr_const(ir->exprs, deep - t->size[1]), tcc_expr_const(ir->exprs, wide - t->size[2])};
  c = tcc_build_pad(b, c, (MlirValue){NULL}, low, high, "constant");
  const int64_t split[] = {t->size[0], l->k_groups, l->k_group, l->panels, l->nr}, perm[] = {0, 3, 1, 4, 2};
  const int64_t packed[] = {t->size[0], l->panels, l->k_groups, l->nr * l->k_group};
  return reshape(b, tcc_build_transpose(b, reshape(b, c, 5, split), perm), 4, packed);
}

/* The inverse: packed -> y in element type `elem`. */
static MlirValue build_unpack(TccBuilder *b, const Target *t, MlirValue packed, MlirType type) {
  const TccPackedLayout *l = &t->layout;
  const int64_t split[] = {t->size[0], l->panels, l->k_groups, l->nr, l->k_group}, perm[] = {0, 2, 4, 1, 3};
  const int64_t flat[] = {t->size[0], l->k_groups * l->k_group, l->panels * l->nr};
  MlirValue c = reshape(b, tcc_build_transpose(b, reshape(b, packed, 5, split), perm), 3, flat);
  c = tcc_build_convert(b, slice_to(b, c, 3, t->size), tcc_type_elem(type));
  int64_t inverse[TCC_MAX_RANK];
  for (int i = 0; i < t->rank; i++) inverse[t->order[i]] = i;
  MlirValue y = tcc_build_transpose(b, reshape(b, c, t->rank, t->dims), inverse);
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < t->rank; i++) dims[i] = tcc_type_dim(b->ir, type, i);
  return mlirTypeEqual(tcc_value_type(y), type) ? y : tcc_build_broadcast(b, y, t->rank, dims);
}

static MlirValue clone_views(TccIr *ir, MlirBlock block, MlirValue value, MlirValue argument) {
  if (mlirValueIsABlockArgument(value)) return argument;
  MlirOperation clone = mlirOperationClone(tcc_value_op(value));
  MlirValue source = clone_views(ir, block, mlirOperationGetOperand(clone, 0), argument);
  mlirOperationSetOperand(clone, 0, source);
  mlirBlockAppendOwnedOperation(block, clone);
  return mlirOperationGetResult(clone, 0);
}

static void set_attr(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

/* The pack function with this body, made once, in front of `before`; panel is what it makes, for tcc.pack. The body is taken. */
static const char *packer_of(Packing *p, MlirOperation before, MlirBlock block, MlirRegion region, MlirValue result,
                             const int64_t panel[2]) {
  TccIr *ir = p->ir;
  MlirLocation location = mlirOperationGetLocation(before);
  MlirType weight_type = tcc_value_type(mlirBlockGetArgument(block, 0));
  mlirBlockAppendOwnedOperation(block, tcc_make_return(ir, location, 1, &result));

  /* Equal bodies are equal packers: types and attributes are unique in MLIR, the chain of views is linear. */
  TccText key = {0};
  tcc_text_put(&key, (const char *)&weight_type.ptr, sizeof weight_type.ptr);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    const void *words[] = {mlirOperationGetName(op).ptr,
                           mlirOperationGetNumResults(op) ? tcc_value_type(mlirOperationGetResult(op, 0)).ptr : NULL};
    tcc_text_put(&key, (const char *)words, sizeof words);
    for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
      const void *attr = mlirOperationGetAttribute(op, i).attribute.ptr;
      tcc_text_put(&key, (const char *)&attr, sizeof attr);
    }
  }
  bool inserted;
  TccMapEntry *entry = tcc_map_put(p->packers, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  if (!inserted) {
    mlirRegionDestroy(region);
    return entry->constant;
  }
  char *name = tcc_arena_printf(p->run->scratch, "pack%zu", tcc_map_count(p->packers) - 1);
  entry->pointer = name;
  tcc_map_put(p->packer_names, tcc_str(name), NULL);
  MlirOperation func = tcc_make_function(ir, name, TCC_KERNEL_PACK, location, region);
  set_attr(func, "tcc.pack", tcc_attr_ints(ir, panel, 2));
  mlirBlockInsertOwnedOperationBefore(p->body, before, func);
  return name;
}

static const char *packer_for(Packing *p, const TccCallers *kernel, const Target *t, MlirType *out_type) {
  MlirLocation location = mlirOperationGetLocation(t->dot);
  MlirType weight_type = tcc_value_type(mlirBlockGetArgument(tcc_func_body(kernel->func), t->argument));
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &weight_type, &location);
  mlirRegionAppendOwnedBlock(region, block);
  TccBuilder b = {.ir = p->ir, .block = block, .location = location};
  MlirValue y = clone_views(p->ir, block, mlirOperationGetOperand(t->dot, 1), mlirBlockGetArgument(block, 0));
  MlirValue result = build_pack(&b, t, y);
  *out_type = tcc_value_type(result);
  return packer_of(p, kernel->func, block, region, result, (const int64_t[]){t->layout.nr, t->layout.k_group});
}

static void pack_call_operands(Packing *p, const TccCallers *kernel, intptr_t argument, const char *packer, MlirType type) {
  static const char *const reasons[] = {"packed once for the loop, in the order in which its kernel reads it",
                                        "packed once, when the model is loaded, in the order in which its kernel reads it"};
  for (size_t i = 0; i < kernel->calls.count; i++) {
    MlirOperation call = kernel->calls.data[i];
    const char *why = p->run->explain ? reasons[tcc_init_is(p->init, mlirOperationGetOperand(call, argument))] : NULL;
    tcc_call_make_operand(p->ir, p->packed, call, argument, packer, type, why);
  }
}

static void pack_kernel(Packing *p, const TccCallers *kernel, const Target *t) {
  TccIr *ir = p->ir;
  MlirType type;
  const char *packer = packer_for(p, kernel, t, &type);
  MlirBlock body = tcc_func_body(kernel->func);
  MlirValue weight = mlirBlockGetArgument(body, t->argument), y = mlirOperationGetOperand(t->dot, 1);
  MlirType operand_type = tcc_value_type(y);
  tcc_func_set_argument_type(p->ir, kernel->func, t->argument, type);
  TccBuilder b = {.ir = ir, .block = body, .before = t->dot, .location = mlirOperationGetLocation(t->dot)};
  mlirOperationSetOperand(t->dot, 1, build_unpack(&b, t, weight, operand_type));
  while (!mlirValueIsABlockArgument(y)) { /* the views of the plain weight */
    MlirOperation op = tcc_value_op(y);
    y = mlirOperationGetOperand(op, 0);
    mlirOperationDestroy(op);
  }
  const int64_t packed[] = {t->argument, t->layout.nr, t->size[0] > 1};
  set_attr(kernel->func, "tcc.packed", tcc_attr_ints(ir, packed, 3));
  pack_call_operands(p, kernel, t->argument, packer, type);
}

/* ---- panels of another width for a convolution ---- */

/* w [phases * P, B, KH, KW, X, V * L]; blocks of output channels, of one phase, are in order of (panel, vector). */
static MlirValue build_panels(TccBuilder *b, MlirValue w, int64_t lanes, int64_t phases, int64_t blocks, int64_t vectors) {
  TccIr *ir = b->ir;
  int64_t size[6];
  for (int i = 0; i < 6; i++) tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(w), i), &size[i]);
  int64_t old = size[5] / lanes, panels = size[0] / phases, wanted = (blocks + vectors - 1) / vectors, have = panels * old,
          need = wanted * vectors;
  const int64_t split[] = {phases, panels, size[1], size[2], size[3], size[4], old, lanes},
                joined[] = {phases, have, size[1], size[2], size[3], size[4], lanes};
  const int64_t cut[] = {phases, wanted, vectors, size[1], size[2], size[3], size[4], lanes},
                made[] = {phases * wanted, size[1], size[2], size[3], size[4], vectors * lanes};
  w = reshape(b, tcc_build_transpose(b, reshape(b, w, 8, split), (const int64_t[]){0, 1, 6, 2, 3, 4, 5, 7}), 7, joined);
  if (need < have) {
    const int64_t kept[] = {phases, need, size[1], size[2], size[3], size[4], lanes};
    w = slice_to(b, w, 7, kept);
  } else if (need > have) {
    const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *low[7], *high[7];
    for (int i = 0; i < 7; i++) low[i] = high[i] = zero;
    high[1] = tcc_expr_const(ir->exprs, need - have);
    w = tcc_build_pad(b, w, (MlirValue){NULL}, low, high, "constant");
  }
  return reshape(b, tcc_build_transpose(b, reshape(b, w, 8, cut), (const int64_t[]){0, 1, 3, 4, 5, 6, 2, 7}), 6, made);
}

/* False if the schedule asks for weights that are packed already, which the emitter refuses, or as they stand. */
static bool repack_panels(Packing *p, const TccCallers *kernel) {
  TccIr *ir = p->ir;
  MlirOperation conv = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel->func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_CONV_BLOCKED) conv = op;
  int64_t vectors = tcc_conv_scheduled_vectors(kernel->func), columns;
  if (mlirOperationIsNull(conv) || !vectors || !kernel->calls.count || tcc_i64(ir, conv, "winograd") > 1) return false;
  MlirValue w = mlirOperationGetOperand(conv, 1);
  int64_t lanes = tcc_i64(ir, conv, "lanes"), blocks = (tcc_i64(ir, conv, "out_channels") + lanes - 1) / lanes,
          groups = tcc_i64(ir, conv, "groups");
  if (!mlirValueIsABlockArgument(w) || tcc_type_rank(tcc_value_type(w)) != 6 || !tcc_type_is_static(tcc_value_type(w)))
    return false;
  tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(w), 5), &columns);
  intptr_t argument = mlirBlockArgumentGetArgNumber(w);
  if (columns == vectors * lanes || blocks / groups % (groups > 1 ? vectors : 1)) return false;
  for (size_t i = 0; i < kernel->calls.count; i++)
    if (!tcc_init_is(p->init, mlirOperationGetOperand(kernel->calls.data[i], argument))) return false;
  MlirType type = tcc_value_type(w);
  MlirLocation location = mlirOperationGetLocation(conv);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &type, &location);
  mlirRegionAppendOwnedBlock(region, block);
  TccBuilder b = {.ir = ir, .block = block, .location = location};
  MlirValue made = build_panels(&b, mlirBlockGetArgument(block, 0), lanes,
                                tcc_i64(ir, conv, "phases_h") * tcc_i64(ir, conv, "phases_w"), blocks, vectors);
  type = tcc_value_type(made);
  const char *packer = packer_of(p, kernel->func, block, region, made, (const int64_t[]){vectors * lanes, 1});
  tcc_func_set_argument_type(p->ir, kernel->func, argument, type);
  pack_call_operands(p, kernel, argument, packer, type);
  return true;
}

static bool is_packer_call(void *user, MlirOperation op) {
  Packing *p = user;
  return tcc_op_is_named(op, "func.call") && tcc_map_find(p->packer_names, tcc_callee_name(op));
}

MlirLogicalResult tcc_pass_pack_weights(TccPassRun *run, MlirOperation module) {
  TccArena *arena = run->scratch;
  Packing p = {.run = run,
               .ir = run->ir,
               .module = module,
               .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)),
               .init = tcc_init_analyse(run->ir, module, arena),
               .loops = tcc_loop_bodies(run->ir, module, arena),
               .packers = tcc_map_create(arena),
               .packer_names = tcc_map_create(arena),
               .packed = tcc_map_create(arena)};
  size_t count;
  const TccCallers *functions = tcc_callers(run->ir, arena, module, &count);
  for (size_t i = 0; i < count; i++) {
    const TccCallers *kernel = &functions[i];
    const TccKernelKind kind = tcc_kernel_kind(run->ir, kernel->func);
    if ((kind != TCC_KERNEL_CONTRACT && kind != TCC_KERNEL_CONV) || tcc_has_attribute(kernel->func, "tcc.packed")) continue;
    Target t;
    if (repack_panels(&p, kernel)) continue;
    const char *plain = why_plain(&p, kernel, &t);
    if (!plain) pack_kernel(&p, kernel, &t);
    else if (run->explain && !mlirOperationIsNull(t.dot))
      set_attr(kernel->func, "tcc.unpacked", tcc_attr_str(run->ir, tcc_str(plain)));
  }
  /* Packers of what loops capture stood in the loops' bodies until now: in a body a value has one name. */
  tcc_loop_hoist(p.loops, module, is_packer_call, &p);
  return mlirLogicalResultSuccess();
}
