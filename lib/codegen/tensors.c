/* tensors.c - why each tensor between kernels lies in memory.
 *
 * Read off the module that the passes left: whoever makes a value and whoever reads it are calls, and fusing has rules by
 * kinds of kernels (docs/kernels.md), so the pair of kinds says which rule kept the two apart. A reshape is an alias: its
 * readers are readers of what it reshapes. Weights, constants and arguments are not listed: nobody chose to store them. */
#include "lib/codegen/tensors.h"
#include "tcc/codegen.h"

typedef struct {
  TccIr *ir;
  MlirOperation module;
  TccArena *arena;
  TccInit *init;
  TCC_VEC(TccCompiledTensor) tensors;
} Listing;

typedef struct {
  TCC_VEC(MlirOperation) calls;   /* that read the value, each once */
  bool returned;
} Readers;

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString(name));
}

static void find_readers(const Listing *l, MlirValue value, Readers *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(l->ir, user) == TCC_OP_RESHAPE) {
      find_readers(l, mlirOperationGetResult(user, 0), out);
    } else if (is_named(user, "func.return")) {
      out->returned = true;
    } else {
      bool known = false;
      for (size_t i = 0; i < out->calls.count && !known; i++) known = mlirOperationEqual(out->calls.data[i], user);
      if (!known) TCC_VEC_PUSH(l->arena, &out->calls, user);
    }
  }
}

static TccStr callee_of(MlirOperation call) {
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(mlirOperationGetAttributeByName(call, mlirStringRefCreateFromCString("callee")));
  return (TccStr){name.data, name.length};
}

/* The kind of the kernel that is called; "region" for a region. */
static const char *kind_of(const Listing *l, MlirOperation call) {
  TccStr kind;
  MlirOperation callee = tcc_module_find(l->ir, l->module, callee_of(call));
  if (mlirOperationIsNull(callee) || !tcc_get_str(l->ir, callee, "tcc.kernel", &kind)) return "region";
  return tcc_arena_copy(l->arena, kind.data, kind.length);
}

/* Rules of fusing, by the kinds of the only reader and of the maker ("": any); the first that fits. */
static const struct { const char *reader, *maker, *why; } rules[] = {
    {"region", "", "border of a region: what is compiled once for all copies reads its operands from memory"},
    {"", "region", "border of a region: what is compiled once for all copies writes its results to memory"},
    {"contract", "row", "kind: each tile of the product reads whole rows again, so they are normalised once and stored"},
    {"contract", "", "cost: each tile of the product reads its operands again, so they are computed once and stored"},
    {"conv", "", "cost: a convolution reads an element once for each tap and each block of channels, so it is computed once and stored"},
    {"attention", "", "cost: each block of queries reads all keys and values again, so they are computed once and stored"},
    {"pool", "", "cost: windows overlap and would compute an element several times"},
    {"row", "contract", "kind: a tile of the product has only a part of a row, the reduction needs all of it"},
    {"row", "conv", "kind: a tile of the convolution has only a part of what is reduced"},
    {"row", "attention", "kind: a tile has the rows of one head, the reduction needs those of all"},
    {"row", "row", "shape: the two reduce over other axes or rows of another shape"},
    {"row", "", "cost: the reduction would compute an element more than once, or finds it through computed indices"},
    {"scatter", "", "kind: a scatter writes where its indices say, nothing joins it"},
    {"scan", "", "kind: a scan walks along its axis, nothing joins it"},
    {"builtin", "", "kind: a function of the run-time reads and writes memory"},
    {"relayout", "", "kind: a weight that is moved once, when the model is loaded"},
    {"", "scatter", "kind: a scatter writes where its indices say, nothing joins it"},
    {"", "scan", "kind: a scan walks along its axis, nothing joins it"},
    {"", "builtin", "kind: a function of the run-time reads and writes memory"},
    {"map", "row", "shape: its reader moves or gathers elements, a row kernel writes rows in order"},
    {"map", "map", "cost: its reader finds elements through computed indices or broadcasts them, and would compute them again"},
    {"map", "", "shape: its reader moves, gathers or joins elements; only elementwise ops of the result's own shape join a tile"},
    {"", "", "kind: no rule joins these two kernels"},
};

static const char *rule_of(const char *maker, const char *reader) {
  for (size_t i = 0;; i++)
    if ((!*rules[i].reader || !strcmp(rules[i].reader, reader)) && (!*rules[i].maker || !strcmp(rules[i].maker, maker))) return rules[i].why;
}

static void append_piece(MlirStringRef piece, void *text) { tcc_text_put(text, piece.data, piece.length); }

static void add_tensor(Listing *l, TccStr function, MlirOperation call, MlirValue value) {
  Readers readers = {0};
  find_readers(l, value, &readers);
  TccText type = {0}, names = {0};
  mlirTypePrint(tcc_value_type(value), append_piece, &type);
  tcc_text_put(&names, "", 0);
  for (size_t i = 0; i < readers.calls.count; i++) { /* calls of one callee that follow each other are named once */
    TccStr callee = callee_of(readers.calls.data[i]);
    if (!i || !tcc_str_equal(callee, callee_of(readers.calls.data[i - 1]))) tcc_text_printf(&names, "%s%.*s", i ? " " : "", TCC_STR_ARG(callee));
  }
  TccStr maker = callee_of(call);
  const char *why;
  bool main = tcc_str_is(function, "main");
  if (readers.returned) why = main ? "a result of the model" : "border of a region: a result of what is compiled once for all copies";
  else if (tcc_init_is(l->init, value)) why = "made once from weights, when the model is loaded";
  else if (readers.calls.count > 1) why = tcc_arena_printf(l->arena, "uses: %zu calls read it, each would compute it again", readers.calls.count);
  else if (!readers.calls.count) why = "nobody reads it: another result of its kernel is needed";
  else why = rule_of(kind_of(l, call), kind_of(l, readers.calls.data[0]));
  int64_t count, bytes = -1;
  const TccExpr *size = tcc_type_count(l->ir, tcc_value_type(value));
  if (size && tcc_expr_is_const(size, &count)) bytes = (int64_t)tcc_elem_bytes(tcc_type_elem(tcc_value_type(value)), (size_t)count);
  TccCompiledTensor tensor = {tcc_arena_copy(l->arena, function.data, function.length), tcc_arena_copy(l->arena, maker.data, maker.length),
                              tcc_arena_copy(l->arena, names.data, names.length), tcc_arena_copy(l->arena, type.data, type.length), why, bytes};
  TCC_VEC_PUSH(l->arena, &l->tensors, tensor);
  tcc_text_destroy(&type);
  tcc_text_destroy(&names);
}

void tcc_tensors_list(TccIr *ir, MlirOperation module, TccArena *arena, TccCompiledTensor **out, size_t *out_count) {
  Listing l = {.ir = ir, .module = module, .arena = arena, .init = tcc_init_analyse(ir, module, arena)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    TccStr kernel, name;
    if (!is_named(func, "func.func") || tcc_get_str(ir, func, "tcc.kernel", &kernel) || !tcc_get_str(ir, func, "sym_name", &name)) continue;
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      for (intptr_t r = 0; is_named(op, "func.call") && r < mlirOperationGetNumResults(op); r++)
        add_tensor(&l, name, op, mlirOperationGetResult(op, r));
  }
  *out = l.tensors.data;
  *out_count = l.tensors.count;
}
