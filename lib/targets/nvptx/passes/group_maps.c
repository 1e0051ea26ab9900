/* group_maps.c - elementwise kernels that do the same to tensors of any sizes become one launch: an optimiser's updates of the weights of a layer.
 *
 *   %m:2 = call @k(%p, %g, %rate)  : (tensor<64xf32>, ...)
 *   %n:2 = call @l(%q, %h, %rate)  : (tensor<64x192xf32>, ...)     =>     %m:2, %n:2 = call @k_x2(%p, %g, %rate, %q, %h)
 *
 * A kernel's form is what it computes of its arguments, shapes left out, so lengths may differ: tensors are rows of elements, one behind the other,
 * beside scalars. A block finds out which member its elements belong to (lib/targets/nvptx/map_members.c). Apex's multi_tensor_apply and PyTorch's
 * foreach optimisers do this by a table of chunks, for kernels that are written for it; here any kernels that stand side by side are joined.
 *
 * A launch waits for all that its members read, gradients of several layers say, and makes results early that somebody wants later: of what lives
 * longer for that there are no more bytes than the second-level cache has. A region that is one call of a kernel is that call here. What depends on
 * weights alone is made once in any case, and what is made again from the same operands is so to save memory: both stay apart.
 *
 * requires: fuse, dedup-kernels. ensures: nothing. keeps: results, to the bit. */
#include "lib/codegen/read/members.h"
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/group.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "tcc/op_kinds.h"
#include "tcc/target.h"

enum {
  MOST_BUFFERS = 440,       /* of a launch: 4096 bytes of parameters, with room for sizes */
  MOST_MEMBER_BUFFERS = 32, /* of a member: addresses that a block chooses (TCC_IF_MAX) */
  EVEN = 8                  /* members have multiples of so many elements, or none of them has */
};

typedef struct {
  TccStr text; /* empty: not a kernel that is joined */
  intptr_t buffers;
} Form;

typedef struct {
  NvptxGrouping all;
  const TccInit *init;
  TccMap *forms;    /* kernel -> Form */
  TccMap *wrappers; /* name of a function that is one call of a kernel -> that call */
} Maps;

/* ---- what a kernel computes ---- */

typedef struct {
  TccIr *ir;
  TccPointerMap number; /* value -> 1 + when it was met */
  uintptr_t met;
  MlirType shape; /* of the results */
  TccText text;
} Writer;

static void put(Writer *w, const void *word) { tcc_text_put(&w->text, (const char *)&word, sizeof word); }

/* A tensor of the results' shape by its element type, a scalar by its type. */
static bool put_type(Writer *w, MlirValue v) {
  MlirType type = tcc_value_type(v);
  TccElem elem = tcc_value_elem(v);
  if (tcc_elem_bits(elem) < 8) return false;
  if (tcc_type_same_shape(w->ir, type, w->shape)) put(w, (const void *)(uintptr_t)elem);
  else if (tcc_type_count(w->ir, type) == tcc_expr_const(w->ir->exprs, 1)) put(w, type.ptr);
  else return false;
  return true;
}

static bool put_value(Writer *w, MlirValue v) {
  const void *before = tcc_pointer_map_get(&w->number, v.ptr);
  put(w, before);
  if (before) return true;
  tcc_pointer_map_set(&w->number, v.ptr, (void *)++w->met);
  if (!put_type(w, v)) return false;
  if (mlirValueIsABlockArgument(v)) return true;
  MlirOperation op = mlirOpResultGetOwner(v);
  TccOpKind kind = tcc_op_kind(w->ir, op);
  if (kind != TCC_OP_CONSTANT && !tcc_op_has_trait(kind, 'E')) return false;
  put(w, mlirOperationGetName(op).ptr);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    put(w, attribute.name.ptr), put(w, attribute.attribute.ptr);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!put_value(w, mlirOperationGetOperand(op, i))) return false;
  return true;
}

static bool put_kernel(Writer *w, MlirOperation kernel) {
  const TccIndexCheck *checks;
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  int64_t count;
  if (tcc_kernel_kind(w->ir, kernel) != TCC_KERNEL_MAP || tcc_has_attribute(kernel, "tcc.members") ||
      tcc_index_checks(w->ir, kernel, &checks) > 0)
    return false;
  w->shape = tcc_value_type(mlirOperationGetOperand(end, 0));
  if (!tcc_expr_is_const(tcc_type_count(w->ir, w->shape), &count) || count < 1) return false;
  put(w, (const void *)(uintptr_t)tcc_numerics(kernel));
  put(w, (const void *)(uintptr_t)(count == 1 ? 2 : count % EVEN == 0)); /* code for one element has no index */
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(end); r++) {
    MlirValue v = mlirOperationGetOperand(end, r);
    if (!tcc_type_same_shape(w->ir, tcc_value_type(v), w->shape) || !put_value(w, v)) return false;
  }
  return true;
}

static const Form *form_of(Maps *g, MlirOperation kernel) {
  TccArena *arena = g->all.run->scratch;
  bool is_new;
  TccMapEntry *entry = tcc_map_put(g->forms, tcc_key_pointer((const void *const *)&kernel.ptr), &is_new);
  if (!is_new) return entry->pointer;
  Form *form = entry->pointer = TCC_NEW(arena, Form);
  Writer w = {.ir = g->all.ir, .number = {.arena = arena}};
  form->buffers =
      mlirBlockGetNumArguments(tcc_func_body(kernel)) + mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  if (put_kernel(&w, kernel) && form->buffers <= MOST_MEMBER_BUFFERS)
    form->text = (TccStr){tcc_arena_copy(arena, w.text.data, w.text.length), w.text.length};
  tcc_text_destroy(&w.text);
  return form;
}

/* ---- regions of one call ---- */

/* The call that a function is, of a kernel, with its results as they are; null: it is more than that. */
static MlirOperation only_call(Maps *g, MlirBlock block) {
  MlirOperation call = mlirBlockGetFirstOperation(block), end = mlirBlockGetTerminator(block), none = {NULL};
  if (mlirOperationIsNull(nvptx_grouping_kernel(&g->all, call)) || !mlirOperationEqual(mlirOperationGetNextInBlock(call), end))
    return none;
  if (mlirOperationGetNumOperands(end) != mlirOperationGetNumResults(call)) return none;
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(end); r++)
    if (!mlirValueEqual(mlirOperationGetOperand(end, r), mlirOperationGetResult(call, r))) return none;
  return call;
}

static void find_wrappers(Maps *g) {
  TCC_EACH_FUNCTION (func, g->all.module) {
    if (tcc_kernel_kind(g->all.ir, func) != TCC_KERNEL_NONE || tcc_str_is(tcc_function_name(func), "main")) continue;
    MlirOperation call = only_call(g, tcc_func_body(func));
    if (!mlirOperationIsNull(call)) tcc_map_put(g->wrappers, tcc_function_name(func), NULL)->pointer = call.ptr;
  }
}

/* The call in a function that is nothing else, if op calls such a one; else op. */
static MlirOperation inner_call(const Maps *g, MlirOperation op) {
  if (!tcc_op_is_named(op, "func.call") || tcc_has_attribute(op, "tcc.trips")) return op;
  TccMapEntry *found = tcc_map_find(g->wrappers, tcc_callee_name(op));
  return found ? (MlirOperation){found->pointer} : op;
}

/* op calls `inner`'s kernel itself. */
static MlirOperation unwrap(Maps *g, MlirOperation op, MlirOperation inner) {
  if (mlirOperationEqual(op, inner)) return op;
  TccArena *arena = g->all.run->scratch;
  intptr_t n = mlirOperationGetNumOperands(inner), nresults = mlirOperationGetNumResults(op);
  MlirValue *operands = TCC_NEW_ARRAY(arena, MlirValue, n + 1);
  MlirType *types = TCC_NEW_ARRAY(arena, MlirType, nresults + 1);
  TccStr callee = tcc_callee_name(inner);
  for (intptr_t i = 0; i < n; i++)
    operands[i] = mlirOperationGetOperand(op, mlirBlockArgumentGetArgNumber(mlirOperationGetOperand(inner, i)));
  for (intptr_t r = 0; r < nresults; r++) types[r] = tcc_value_type(mlirOperationGetResult(op, r));
  MlirOperation call = tcc_make_call(g->all.ir, tcc_arena_copy(arena, callee.data, callee.length), mlirOperationGetLocation(op),
                                     (size_t)n, operands, (size_t)nresults, types);
  if (tcc_has_attribute(inner, "tcc.why")) tcc_set_attribute(call, "tcc.why", tcc_attribute(inner, "tcc.why"));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(op), op, call);
  for (intptr_t r = 0; r < nresults; r++) tcc_replace_uses(mlirOperationGetResult(op, r), mlirOperationGetResult(call, r));
  mlirOperationDestroy(op);
  return call;
}

/* Functions that were one call, where nobody calls them any more. */
static void erase_wrappers(Maps *g) {
  TccMap *called = tcc_map_create(g->all.run->scratch);
  TCC_VEC(MlirOperation) gone = {0};
  TCC_EACH_FUNCTION (func, g->all.module)
    TCC_EACH_OP (op, tcc_func_body(func))
      if (tcc_op_is_named(op, "func.call")) tcc_map_put(called, tcc_callee_name(op), NULL);
  TCC_EACH_FUNCTION (func, g->all.module)
    if (tcc_map_find(g->wrappers, tcc_function_name(func)) && !tcc_map_find(called, tcc_function_name(func)))
      TCC_VEC_PUSH(g->all.run->scratch, &gone, func);
  for (size_t i = 0; i < gone.count; i++) mlirOperationDestroy(gone.data[i]);
}

/* ---- which calls ---- */

typedef struct {
  uintptr_t place; /* Block.place of what it reads last */
  int64_t bytes;   /* of what is made for it */
} Wait;

typedef struct {
  NvptxGroup members;
  TCC_VEC(Wait) waits; /* of each member */
  uintptr_t place;     /* the last of them */
  intptr_t buffers;
  int64_t early; /* bytes of results that are made earlier */
} Group;

typedef struct {
  Maps *of;
  TccPointerMap place; /* op -> the number, from 1 on, of the last op with more than scalars that it depends on, or is */
  TccMap *last;        /* form -> Group */
  TCC_VEC(Group *) groups;
} Block;

/* The number of the op behind which a value can be had (Block.place): sources and views move with their readers. */
static uintptr_t ready(Block *b, MlirValue v) {
  TccIr *ir = b->of->all.ir;
  while (mlirValueIsAOpResult(v)) {
    MlirOperation op = mlirOpResultGetOwner(v);
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT || kind == TCC_OP_NONE) return 0;
    if (kind != TCC_OP_RESHAPE) return (uintptr_t)tcc_pointer_map_get(&b->place, op.ptr);
    v = mlirOperationGetOperand(op, 0);
  }
  return 0;
}

/* No more than what many of may be added. */
static int64_t bytes_of(TccIr *ir, MlirValue v) {
  const int64_t most = INT64_C(1) << 44, count = tcc_ir_likely(ir, tcc_type_count(ir, tcc_value_type(v)));
  return (count > most ? most : count) * (int64_t)(tcc_elem_bits(tcc_value_elem(v)) / 8);
}

/* Bytes of results that the function does not return itself. */
static int64_t bytes_within(Maps *g, MlirOperation call) {
  int64_t bytes = 0;
  MlirOperation end = mlirBlockGetTerminator(mlirOperationGetBlock(call));
  for (intptr_t r = 0; r < mlirOperationGetNumResults(call); r++) {
    MlirValue v = mlirOperationGetResult(call, r);
    bool returned = false;
    for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      returned |= mlirOperationEqual(mlirOpOperandGetOwner(use), end);
    if (!returned) bytes += bytes_of(g->all.ir, v);
  }
  return bytes;
}

/* Bytes that wait for others if a member with this wait joins. */
static int64_t bytes_waiting(const Group *group, Wait wait) {
  uintptr_t place = wait.place > group->place ? wait.place : group->place;
  int64_t bytes = wait.place < place ? wait.bytes : 0;
  for (size_t m = 0; m < group->waits.count; m++)
    if (group->waits.data[m].place < place) bytes += group->waits.data[m].bytes;
  return bytes;
}

static bool may_join(Maps *g, const Group *group, const Form *form, MlirOperation call, int64_t early, Wait wait) {
  MlirOperation first = group->members.data[0].call;
  return group->members.count < TCC_MOST_MAP_MEMBERS && group->buffers + form->buffers <= MOST_BUFFERS &&
         group->early + early + bytes_waiting(group, wait) <= (int64_t)g->all.run->target->machine.l2_bytes &&
         nvptx_group_may_stand(g->all.ir, call, first) && !nvptx_group_is_read_between(g->all.ir, first, call);
}

/* Whether a member reads the same. */
static bool is_among(const Group *group, MlirOperation call) {
  for (size_t m = 0; m < group->members.count; m++) {
    MlirOperation other = group->members.data[m].call;
    intptr_t n = mlirOperationGetNumOperands(call), i = 0;
    if (n != mlirOperationGetNumOperands(other)) continue;
    while (i < n && mlirValueEqual(mlirOperationGetOperand(call, i), mlirOperationGetOperand(other, i))) i++;
    if (i == n) return true;
  }
  return false;
}

/* Behind which op the operands of one are there, and the bytes of those that ops make. */
static Wait wait_of(Block *b, MlirOperation op) {
  TccIr *ir = b->of->all.ir;
  Wait wait = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    uintptr_t at = ready(b, v);
    if (at > wait.place) wait.place = at;
    if (at && !nvptx_is_scalar(ir, v)) wait.bytes += bytes_of(ir, v);
  }
  return wait;
}

/* What makes scalars alone is there as soon as its operands are: tcc-hoist-calls moves it up. */
static void number_op(Block *b, MlirOperation op, uintptr_t number) {
  bool scalars = true;
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
    scalars = scalars && nvptx_is_scalar(b->of->all.ir, mlirOperationGetResult(op, r));
  tcc_pointer_map_set(&b->place, op.ptr, (void *)(scalars ? wait_of(b, op).place : number));
}

static void find_group(Block *b, MlirOperation call) {
  Maps *g = b->of;
  TccArena *arena = g->all.run->scratch;
  MlirOperation kernel = nvptx_grouping_kernel(&g->all, inner_call(g, call));
  if (mlirOperationIsNull(kernel)) return;
  const Form *form = form_of(g, kernel);
  bool inserted;
  if (!form->text.length || nvptx_group_is_of_weights(g->init, call)) return;
  TccMapEntry *entry = tcc_map_put(b->last, form->text, &inserted);
  Group *group = entry->pointer;
  Wait wait = wait_of(b, call);
  int64_t early = bytes_within(g, call);
  if (!inserted && is_among(group, call)) return;
  if (inserted || !may_join(g, group, form, call, early, wait)) {
    entry->pointer = group = TCC_NEW(arena, Group);
    TCC_VEC_PUSH(arena, &b->groups, group);
    early = 0; /* the first one stays where it is */
  }
  group->buffers += form->buffers, group->early += early;
  if (wait.place > group->place) group->place = wait.place;
  TCC_VEC_PUSH(arena, &group->waits, wait);
  TCC_VEC_PUSH(arena, &group->members, ((NvptxMember){call, kernel}));
}

/* Calls are joined when all groups are known: they move up only, so what stood in front of a group's first call still does. */
static void visit(Maps *g, MlirBlock block) {
  TccArena *arena = g->all.run->scratch;
  Block b = {.of = g, .place = {.arena = arena}, .last = tcc_map_create(arena)};
  uintptr_t number = 0;
  TCC_EACH_OP (op, block) {
    number_op(&b, op, ++number);
    find_group(&b, op);
  }
  for (size_t i = 0; i < b.groups.count; i++) {
    NvptxGroup *members = &b.groups.data[i]->members;
    if (members->count < 2) continue;
    for (size_t m = 0; m < members->count; m++)
      members->data[m].call = unwrap(g, members->data[m].call, inner_call(g, members->data[m].call));
    nvptx_grouping_join(&g->all, members, true);
  }
}

MlirLogicalResult tcc_pass_group_maps(TccPassRun *run, MlirOperation module) {
  Maps g = {.init = tcc_init_analyse(run->ir, module, run->scratch),
            .forms = tcc_map_create(run->scratch),
            .wrappers = tcc_map_create(run->scratch)};
  nvptx_grouping_init(&g.all, run, module);
  find_wrappers(&g);
  for (size_t i = 0; i < g.all.blocks.count; i++) visit(&g, g.all.blocks.data[i]);
  erase_wrappers(&g);
  nvptx_grouping_finish(&g.all);
  return mlirLogicalResultSuccess();
}
