/* loop.c - loops as calls: a function that is called again with its own results.
 *
 *   %h:2 = call @step(%i, %h0, %w) {tcc.trips = ["T"]} : (tensor<i64>, tensor<1x8xf32>, ...) -> (tensor<i64>, tensor<1x8xf32>)
 *
 * A call has the types of its callee whatever it means, so passes that know nothing of loops need not learn of them; those that
 * follow values from a call into its callee ask tcc_call_loop, for what is carried is not what the call was given. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"

static MlirStringRef trips_name(void) { return mlirStringRefCreateFromCString("tcc.trips"); }
static MlirStringRef while_name(void) { return mlirStringRefCreateFromCString("tcc.while"); }

bool tcc_call_loop(TccIr *ir, MlirOperation call, TccLoopCall *out) {
  const TccExpr *const *trips;
  size_t count;
  if (!tcc_attr_read_exprs(ir, mlirOperationGetAttributeByName(call, trips_name()), &trips, &count) || count != 1) return false;
  *out = (TccLoopCall){trips[0], !mlirAttributeIsNull(mlirOperationGetAttributeByName(call, while_name())),
                       mlirOperationGetNumResults(call)};
  return true;
}

void tcc_call_set_loop(TccIr *ir, MlirOperation call, const TccExpr *trips, bool conditional) {
  mlirOperationSetAttributeByName(call, trips_name(), tcc_attr_exprs(ir, &trips, 1));
  if (conditional) mlirOperationSetAttributeByName(call, while_name(), mlirUnitAttrGet(ir->context));
}

typedef struct {
  TccIr *ir;
  MlirBlock body;
  MlirOperation first; /* copies go in front of it */
  MlirLocation location;
  TccPointerMap inside; /* value of outside -> value of the body */
  TCC_VEC(MlirValue) operands;
} Capture;

static bool is_copied(TccOpKind kind) {
  return kind == TCC_OP_CONSTANT || kind == TCC_OP_WEIGHT || kind == TCC_OP_SIZES || kind == TCC_OP_NONE;
}

static MlirValue inside(Capture *c, MlirValue value) {
  MlirBlock owner =
      mlirValueIsABlockArgument(value) ? mlirBlockArgumentGetOwner(value) : mlirOperationGetBlock(mlirOpResultGetOwner(value));
  if (mlirBlockEqual(owner, c->body)) return value;
  void *known = tcc_pointer_map_get(&c->inside, value.ptr);
  if (known) return (MlirValue){known};
  MlirValue copy;
  if (is_copied(tcc_value_kind(c->ir, value))) {
    MlirOperation clone = mlirOperationClone(mlirOpResultGetOwner(value));
    if (mlirOperationIsNull(c->first)) mlirBlockAppendOwnedOperation(c->body, clone);
    else mlirBlockInsertOwnedOperationBefore(c->body, c->first, clone);
    copy = mlirOperationGetResult(clone, 0);
  } else {
    copy = mlirBlockAddArgument(c->body, tcc_value_type(value), c->location);
    TCC_VEC_PUSH(c->ir->arena, &c->operands, value);
  }
  tcc_pointer_map_set(&c->inside, value.ptr, (void *)(uintptr_t)copy.ptr);
  return copy;
}

MlirOperation tcc_make_loop(TccIr *ir, const char *name, MlirLocation location, MlirBlock body, size_t carried,
                            const MlirValue *initial, const MlirValue *results, const TccExpr *trips, bool conditional,
                            MlirOperation *out_function) {
  Capture c = {
      .ir = ir, .body = body, .first = mlirBlockGetFirstOperation(body), .location = location, .inside = {.arena = ir->arena}};
  MlirValue *made = TCC_NEW_ARRAY(ir->arena, MlirValue, carried + 1);
  MlirType *types = TCC_NEW_ARRAY(ir->arena, MlirType, carried + 1);
  for (size_t i = 0; i < carried; i++) {
    TCC_VEC_PUSH(ir->arena, &c.operands, initial[i]);
    types[i] = tcc_value_type(initial[i]);
  }
  for (MlirOperation op = c.first; !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      mlirOperationSetOperand(op, i, inside(&c, mlirOperationGetOperand(op, i)));
  for (size_t i = 0; i < carried; i++) made[i] = inside(&c, results[i]);
  mlirBlockAppendOwnedOperation(body, tcc_make_return(ir, location, carried, made));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  *out_function = tcc_make_function(ir, name, TCC_KERNEL_NONE, location, region);
  MlirOperation call = tcc_make_call(ir, name, location, c.operands.count, c.operands.data, carried, types);
  tcc_call_set_loop(ir, call, trips, conditional);
  return call;
}
