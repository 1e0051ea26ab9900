/* members.c - see members.h. Two results are compared by walking up from both at once: linear in the ops of a member, each of which is met once. */
#include "lib/codegen/read/members.h"
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include <limits.h>

typedef struct {
  TccPointerMap met; /* value of member 0 -> that of the other one */
  int *peer;
  TccIr *ir;
  MlirType shape[2]; /* of the two members; null: types are equal */
} Walk;

static bool same_type(const Walk *w, MlirType a, MlirType b) {
  if (mlirTypeEqual(a, b)) return true;
  return !mlirTypeIsNull(w->shape[0]) && tcc_type_elem(a) == tcc_type_elem(b) && tcc_type_same_shape(w->ir, a, w->shape[0]) &&
         tcc_type_same_shape(w->ir, b, w->shape[1]);
}

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
  if (!same_type(w, tcc_value_type(a), tcc_value_type(b))) return false;
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

static int *no_peers(TccIr *ir, int count) {
  int *peer = TCC_NEW_ARRAY(ir->arena, int, count);
  for (int b = 0; b < count; b++) peer[b] = -1;
  return peer;
}

/* How many results of member m are like those of member `first`; if all are, so is the member, whose peers are set. any_shape: see
 * tcc_members_read_marked. */
static int match(TccIr *ir, MlirOperation end, int first, int m, bool any_shape, TccMembers *out) {
  const int each = out->each, operands = out->buffers - out->count * each;
  Walk w = {.met = {.arena = ir->arena}, .peer = no_peers(ir, out->buffers), .ir = ir};
  for (int i = 0; i < 2 && any_shape; i++) w.shape[i] = tcc_value_type(mlirOperationGetOperand(end, (i ? m : first) * each));
  for (int r = 0; r < each; r++) {
    if (!same(&w, mlirOperationGetOperand(end, first * each + r), mlirOperationGetOperand(end, m * each + r))) return r;
    w.peer[operands + first * each + r] = operands + m * each + r;
  }
  out->like[m] = first, out->peer[m] = w.peer;
  return each;
}

/* Arrays for members of `each` results; gives the kernel's terminator. */
static MlirOperation begin_members(TccIr *ir, MlirOperation kernel, int each, TccMembers *out) {
  MlirBlock body = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(body);
  int operands = (int)mlirBlockGetNumArguments(body), results = (int)mlirOperationGetNumOperands(end);
  *out = (TccMembers){.count = results / each, .each = each, .buffers = operands + results};
  out->peer = TCC_NEW_ARRAY(ir->arena, int *, out->count);
  out->like = TCC_NEW_ARRAY(ir->arena, int, out->count);
  return end;
}

TccStatus *tcc_members_read(TccIr *ir, MlirOperation kernel, TccMembers *out) {
  int results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  if (results < 1 || results > TCC_MOST_MEMBERS) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", results);
  MlirOperation end = begin_members(ir, kernel, 1, out);
  for (int m = 0; m < out->count; m++) {
    int first = 0;
    out->like[m] = m;
    while (out->like[first] != first || !match(ir, end, first, m, false, out)) first++; /* each is like itself */
  }
  return NULL;
}

int tcc_members_marked(TccIr *ir, MlirOperation kernel) {
  int64_t count = 0;
  return tcc_get_i64(ir, kernel, "tcc.members", &count) && count > 0 && count <= INT_MAX ? (int)count : 0;
}

TccStatus *tcc_members_read_marked(TccIr *ir, MlirOperation kernel, TccMembers *out) {
  int results = (int)mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))),
      count = tcc_members_marked(ir, kernel);
  if (count < 1 || count > TCC_MOST_MAP_MEMBERS || results < 1 || results % count)
    return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results of %d members", results, count);
  MlirOperation end = begin_members(ir, kernel, results / count, out);
  for (int m = 0; m < count; m++) {
    int alike = match(ir, end, 0, m, true, out);
    if (alike < out->each)
      return TCC_ERROR(TCC_UNSUPPORTED,
                       "a kernel with %d results, of which the one with number %d is made otherwise than the first", results,
                       m * out->each + alike);
  }
  return NULL;
}

TccStatus *tcc_dual_read(TccIr *ir, MlirOperation kernel, MlirOperation first, MlirOperation *out_second, int **out_peer) {
  MlirBlock body = tcc_func_body(kernel);
  int operands = (int)mlirBlockGetNumArguments(body), found = 0;
  *out_second = (MlirOperation){NULL}, *out_peer = NULL;
  TCC_EACH_OP (op, body)
    if (tcc_op_kind(ir, op) == TCC_OP_DOT_GENERAL && !mlirOperationEqual(op, first)) *out_second = op, found++;
  if (!found) return NULL;
  Walk left = {.met = {.arena = ir->arena}, .peer = no_peers(ir, operands), .ir = ir};
  Walk both = {.met = {.arena = ir->arena}, .peer = *out_peer = no_peers(ir, operands), .ir = ir};
  bool alike = found == 1 && same(&left, mlirOperationGetOperand(first, 0), mlirOperationGetOperand(*out_second, 0));
  for (int i = 0; i < operands; i++) alike = alike && (left.peer[i] < 0 || left.peer[i] == i);
  if (!alike || !same(&both, mlirOperationGetResult(first, 0), mlirOperationGetResult(*out_second, 0)))
    return TCC_ERROR(TCC_UNSUPPORTED, "%d products for one result, which are not two of one left operand with right ones alike",
                     found + 1);
  return NULL;
}

bool tcc_members_share(const TccMembers *members, int first, int buffer) {
  for (int m = 0; m < members->count; m++)
    if (members->like[m] == first && members->peer[m][buffer] != members->peer[first][buffer]) return false;
  return true;
}

bool tcc_values_are_alike(TccIr *ir, MlirValue a, MlirValue b) {
  MlirBlock body = mlirValueIsABlockArgument(a) ? mlirBlockArgumentGetOwner(a) : mlirOperationGetBlock(tcc_value_op(a));
  Walk w = {.met = {.arena = ir->arena}, .peer = no_peers(ir, (int)mlirBlockGetNumArguments(body)), .ir = ir};
  return same(&w, a, b);
}
