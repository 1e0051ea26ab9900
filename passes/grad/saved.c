/* saved.c - what a backward keeps of its forward and what it makes again, written down for tcc-explain (recompute.c decides).
 *
 *   tcc.saved = [{function = "r_fwd", node = "/layer.0/MatMul", op = "tcc.dot_general", type = "tensor<...>", bytes, keep, again}, ...]
 *   tcc.recomputed = [{function = "r_fwd", ops, again}, ...]
 *
 * keep and again are what recompute.c compares: bytes of memory traffic, those of a value that is kept times what a byte counts. again of
 * a value is the work of its op and of all that this reads and that is neither kept nor made again anyway; -1: one of them must not be
 * made twice. As the cut is a cheapest one, again is keep at least. Sizes are the likely ones. */
#include "passes/grad/grad.h"
#include "tcc/location.h"
#include <math.h>

typedef struct {
  Grad *grad;
  const GradCut *cut;
  const TccPointerMap *again;
  TccPointerMap front;  /* ops in front of the marker */
  TccPointerMap kept;   /* values */
  TccPointerMap called; /* values that calls behind the marker read: they are noted where the function is */
} Saved;

static bool is_behind(const Saved *s, MlirOperation op) { return !tcc_pointer_map_get(&s->front, op.ptr); }

static void need(Saved *s, MlirValue value) {
  if (!value.ptr) return;
  if (mlirValueIsABlockArgument(value)) {
    intptr_t number = mlirBlockArgumentGetArgNumber(value);
    if (number >= s->cut->narguments || s->cut->alive[number]) return;
  } else {
    MlirOperation owner = tcc_value_op(value);
    if (s->cut->late && tcc_pointer_map_get(s->cut->late, owner.ptr)) return; /* made when it is needed */
    if (is_behind(s, owner) || tcc_pointer_map_get(s->again, owner.ptr) || grad_is_free(tcc_op_kind(s->grad->ir, owner))) return;
  }
  if (!tcc_pointer_map_get(&s->called, value.ptr)) tcc_pointer_map_set(&s->kept, value.ptr, s);
}

static void need_operands(Saved *s, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) need(s, mlirOperationGetOperand(op, i));
}

/* seen: ops that are counted already. */
static double work_again(const Saved *s, MlirOperation op, TccPointerMap *seen) {
  if (is_behind(s, op) || tcc_pointer_map_get(s->again, op.ptr) || tcc_pointer_map_get(seen, op.ptr)) return 0;
  tcc_pointer_map_set(seen, op.ptr, op.ptr);
  TccOpKind kind = tcc_op_kind(s->grad->ir, op);
  double work = grad_is_free(kind) ? 0 : grad_work(s->grad->ir, kind, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && isfinite(work); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    MlirOperation owner = tcc_value_op(operand);
    if (!mlirOperationIsNull(owner) && !tcc_pointer_map_get(&s->kept, operand.ptr)) work += work_again(s, owner, seen);
  }
  return work;
}

/* ---- attributes ---- */
typedef struct {
  TccIr *ir;
  MlirNamedAttribute list[7];
  intptr_t count;
} Dict;

static void put(Dict *d, const char *name, MlirAttribute value) {
  d->list[d->count++] = mlirNamedAttributeGet(mlirIdentifierGet(d->ir->context, mlirStringRefCreateFromCString(name)), value);
}

static MlirAttribute whole(TccIr *ir, double number) { return tcc_attr_i64(ir, isfinite(number) ? (int64_t)llround(number) : -1); }

static void add_first(MlirLocation node, int copy, void *user) {
  TccText *name = user;
  (void)copy;
  if (!name->length) tcc_location_name(node, name);
}

static void note(Saved *s, MlirValue value) {
  TccIr *ir = s->grad->ir;
  MlirOperation owner = tcc_value_op(value);
  TccText node = {0}, type = {0}, op = {0};
  TccPointerMap seen = {.arena = s->grad->scratch};
  tcc_text_put(&node, "", 0);
  if (mlirOperationIsNull(owner)) tcc_text_printf(&op, "argument %d", (int)mlirBlockArgumentGetArgNumber(value));
  else {
    tcc_append(mlirIdentifierStr(mlirOperationGetName(owner)), &op);
    tcc_location_nodes(mlirOperationGetLocation(owner), add_first, &node);
  }
  mlirTypePrint(tcc_value_type(value), tcc_append, &type);
  Dict d = {.ir = ir};
  double bytes = grad_bytes(ir, value);
  put(&d, "function", tcc_attr_str(ir, tcc_str(s->cut->function)));
  put(&d, "node", tcc_attr_str(ir, tcc_text_str(&node)));
  put(&d, "op", tcc_attr_str(ir, tcc_text_str(&op)));
  put(&d, "type", tcc_attr_str(ir, tcc_text_str(&type)));
  put(&d, "bytes", whole(ir, bytes));
  put(&d, "keep", whole(ir, 2 * bytes * s->grad->keep_price));
  put(&d, "again", whole(ir, mlirOperationIsNull(owner) ? INFINITY : work_again(s, owner, &seen)));
  TCC_VEC_PUSH(s->grad->scratch, &s->grad->saved, mlirDictionaryAttrGet(ir->context, d.count, d.list));
  tcc_text_destroy(&node), tcc_text_destroy(&type), tcc_text_destroy(&op);
}

static void note_again(Saved *s, size_t ops, double work) {
  TccIr *ir = s->grad->ir;
  Dict d = {.ir = ir};
  put(&d, "function", tcc_attr_str(ir, tcc_str(s->cut->function)));
  put(&d, "ops", tcc_attr_i64(ir, (int64_t)ops));
  put(&d, "again", whole(ir, work));
  TCC_VEC_PUSH(s->grad->scratch, &s->grad->recomputed, mlirDictionaryAttrGet(ir->context, d.count, d.list));
}

/* ---- of a function ---- */
static bool is_kept(const Saved *s, MlirValue value) { return tcc_pointer_map_get(&s->kept, value.ptr); }

void grad_note_saved(Grad *g, const GradCut *cut, const TccPointerMap *again) {
  Saved s = {.grad = g, .cut = cut, .again = again};
  s.front.arena = s.kept.arena = s.called.arena = g->scratch;
  MlirOperation op = mlirBlockGetFirstOperation(cut->block), end = mlirBlockGetTerminator(cut->block);
  MlirOperation behind = mlirOperationGetNextInBlock(cut->marker);
  for (; !mlirOperationEqual(op, cut->marker); op = mlirOperationGetNextInBlock(op)) tcc_pointer_map_set(&s.front, op.ptr, op.ptr);
  for (op = behind; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; tcc_op_is_named(op, "func.call") && i < mlirOperationGetNumOperands(op); i++) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      tcc_pointer_map_set(&s.called, operand.ptr, op.ptr);
    }
  for (op = behind; !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) need_operands(&s, op);
  for (size_t i = 0; i < cut->ngradients; i++) need(&s, cut->gradients[i]);
  size_t nagain = 0;
  double work = 0;
  op = mlirBlockGetFirstOperation(cut->block);
  for (; !mlirOperationEqual(op, cut->marker); op = mlirOperationGetNextInBlock(op)) {
    if (!tcc_pointer_map_get(again, op.ptr) || grad_is_free(tcc_op_kind(g->ir, op))) continue;
    need_operands(&s, op);
    nagain++, work += grad_work(g->ir, tcc_op_kind(g->ir, op), op);
  }
  for (intptr_t i = 0; i < cut->narguments; i++)
    if (is_kept(&s, mlirBlockGetArgument(cut->block, i))) note(&s, mlirBlockGetArgument(cut->block, i));
  op = mlirBlockGetFirstOperation(cut->block);
  for (; !mlirOperationEqual(op, cut->marker); op = mlirOperationGetNextInBlock(op))
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
      if (is_kept(&s, mlirOperationGetResult(op, j))) note(&s, mlirOperationGetResult(op, j));
  if (nagain) note_again(&s, nagain, work);
}

void grad_set_saved(Grad *g) {
  MlirContext context = g->ir->context;
  tcc_set_attribute(g->module, "tcc.saved", mlirArrayAttrGet(context, (intptr_t)g->saved.count, g->saved.data));
  tcc_set_attribute(g->module, "tcc.recomputed", mlirArrayAttrGet(context, (intptr_t)g->recomputed.count, g->recomputed.data));
}
