/* members.c - see members.h. Two results are compared by walking up from both at once: linear in the ops of a member, each of which is met once. */
#include "lib/codegen/read/members.h"
#include "lib/ir/internal.h"

typedef struct {
  TccPointerMap met; /* value of member 0 -> that of the other one */
  int *peer;
} Walk;

/* Attributes stand in the order of their names. */
static bool same_op(MlirOperation a, MlirOperation b) {
  intptr_t n = mlirOperationGetNumAttributes(a);
  if (mlirOperationGetName(a).ptr != mlirOperationGetName(b).ptr || mlirOperationGetNumAttributes(b) != n ||
      mlirOperationGetNumOperands(a) != mlirOperationGetNumOperands(b))
    return false;
  for (intptr_t i = 0; i < n; i++) {
    MlirNamedAttribute x = mlirOperationGetAttribute(a, i), y = mlirOperationGetAttribute(b, i);
    if (x.name.ptr != y.name.ptr || !mlirAttributeEqual(x.attribute, y.attribute)) return false;
  }
  return true;
}

static bool same(Walk *w, MlirValue a, MlirValue b) {
  const void *before = tcc_pointer_map_get(&w->met, a.ptr);
  if (before) return before == b.ptr;
  if (!mlirTypeEqual(tcc_value_type(a), tcc_value_type(b))) return false;
  tcc_pointer_map_set(&w->met, a.ptr, (void *)(uintptr_t)b.ptr);
  if (mlirValueIsABlockArgument(a)) {
    if (!mlirValueIsABlockArgument(b)) return false;
    w->peer[mlirBlockArgumentGetArgNumber(a)] = (int)mlirBlockArgumentGetArgNumber(b);
    return true;
  }
  if (!mlirValueIsAOpResult(b) || mlirOpResultGetResultNumber(a) != mlirOpResultGetResultNumber(b)) return false;
  MlirOperation x = mlirOpResultGetOwner(a), y = mlirOpResultGetOwner(b);
  if (!same_op(x, y)) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(x); i++)
    if (!same(w, mlirOperationGetOperand(x, i), mlirOperationGetOperand(y, i))) return false;
  return true;
}

TccStatus *tcc_members_read(TccIr *ir, MlirOperation kernel, TccMembers *out) {
  MlirBlock body = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(body);
  int operands = (int)mlirBlockGetNumArguments(body), results = (int)mlirOperationGetNumOperands(end);
  if (results < 1 || results > TCC_MOST_MEMBERS) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", results);
  *out = (TccMembers){.count = results, .buffers = operands + results};
  for (int m = 0; m < results; m++) {
    Walk w = {.met = {.arena = ir->arena}, .peer = TCC_NEW_ARRAY(ir->arena, int, out->buffers)};
    for (int b = 0; b < out->buffers; b++) w.peer[b] = -1;
    if (!same(&w, mlirOperationGetOperand(end, 0), mlirOperationGetOperand(end, m)))
      return TCC_ERROR(TCC_UNSUPPORTED,
                       "a kernel with %d results, of which the one with number %d is made otherwise than the first", results, m);
    out->peer[m] = w.peer, w.peer[operands] = operands + m;
  }
  return NULL;
}

bool tcc_members_share(const TccMembers *members, int buffer) {
  for (int m = 1; m < members->count; m++)
    if (members->peer[m][buffer] != members->peer[0][buffer]) return false;
  return true;
}
