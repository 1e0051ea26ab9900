/* interp.c - runs functions of a module op by op.
 *
 * A frame per function call holds the values by their SSA name and the sizes bound so far (symbols.c); a callee sees
 * its caller's symbols too, since names are module-wide, unless it binds them itself. A value's cells are freed after
 * its last use, counted beforehand. */
#include "lib/interp/run.h"
#include "lib/ir/internal.h"
#include "mlir-c/Support.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  TccArray array;
  int uses;
  bool is_none;
} Slot;

enum { MAX_DEPTH = 64 };

/* ---- what ops ask for ---- */
TccStatus *tcc_interp_exprs(TccEval *e, const char *name, int64_t *out, size_t max, size_t *out_count) {
  const TccExpr *const *values;
  *out_count = 0;
  if (!tcc_get_exprs(e->ir, e->op, name, &values, out_count)) return NULL;
  if (*out_count > max) return TCC_ERROR(TCC_INVALID, "'%s' has %zu values", name, *out_count);
  for (size_t i = 0; i < *out_count; i++) TCC_TRY(tcc_interp_expr(e->interp, values[i], &out[i]));
  return NULL;
}

const int64_t *tcc_eval_ints(TccEval *e, const char *name, size_t *out_count) {
  const int64_t *values = NULL;
  *out_count = 0;
  tcc_get_ints(e->ir, e->op, name, &values, out_count);
  return values;
}

bool tcc_eval_str_is(TccEval *e, const char *name, const char *text) {
  TccStr value;
  return tcc_get_str(e->ir, e->op, name, &value) && tcc_str_is(value, text);
}

void *tcc_interp_scratch(TccEval *e, size_t bytes) {
  TccInterp *interp = e->interp;
  if (interp->nscratch == interp->scratch_capacity) {
    size_t capacity = interp->scratch_capacity ? 2 * interp->scratch_capacity : 16;
    void **grown = realloc(interp->scratch, capacity * sizeof *grown);
    if (!grown) return NULL;
    interp->scratch = grown, interp->scratch_capacity = capacity;
  }
  void *memory = calloc(1, bytes + 1);
  if (memory) interp->scratch[interp->nscratch++] = memory;
  return memory;
}

static void free_scratch(TccInterp *interp) {
  while (interp->nscratch) free(interp->scratch[--interp->nscratch]);
}

/* ---- frames ---- */
static Slot *slot_of(TccFrame *frame, MlirValue value) {
  const void *key = value.ptr;
  TccMapEntry *entry = tcc_map_find(frame->values, tcc_key_pointer(&key));
  return entry ? entry->pointer : NULL;
}

static Slot *slot_make(TccFrame *frame, MlirValue value) {
  const void *key = value.ptr;
  TccMapEntry *entry = tcc_map_put(frame->values, tcc_key_pointer(&key), NULL);
  if (!entry->pointer) entry->pointer = TCC_NEW(frame->arena, Slot);
  return entry->pointer;
}

static void release_use(Slot *slot) {
  if (--slot->uses == 0) tcc_array_release(&slot->array);
}

static TccStatus *run_function(TccInterp *interp, MlirOperation function, const TccArray **arguments, size_t n, TccArray **results,
                               size_t nresults);

/* A loop: the function runs again with its own results in place of the first operands. */
static TccStatus *run_loop(TccEval *e, MlirOperation function, const TccLoopCall *loop) {
  int64_t trips;
  intptr_t n = loop->carried;
  if (n > e->nin || (loop->conditional && (!n || e->in[0]->elem != TCC_ELEM_BOOL || e->in[0]->rank)))
    return TCC_ERROR(TCC_INVALID, "a loop without what it carries");
  TCC_TRY(tcc_interp_expr(e->interp, loop->trips, &trips));
  TccArena *arena = e->interp->frame->arena;
  TccArray *now = TCC_NEW_ARRAY(arena, TccArray, n + 1), *next = TCC_NEW_ARRAY(arena, TccArray, n + 1),
           **results = TCC_NEW_ARRAY(arena, TccArray *, n + 1);
  const TccArray **in = TCC_NEW_ARRAY(arena, const TccArray *, e->nin + 1);
  for (int i = 0; i < e->nin; i++) in[i] = e->in[i];
  TccStatus *status = NULL;
  for (int64_t trip = 0; !status && trip < trips && (!loop->conditional || in[0]->at[0].i); trip++) {
    for (intptr_t i = 0; i < n; i++) next[i] = (TccArray){0}, results[i] = &next[i];
    status = run_function(e->interp, function, in, (size_t)e->nin, results, (size_t)n);
    for (intptr_t i = 0; i < n; i++) {
      tcc_array_release(&now[i]);
      now[i] = next[i];
      in[i] = &now[i];
    }
  }
  for (intptr_t i = 0; !status && i < n; i++) {
    *e->out[i] = *in[i];
    e->out[i]->storage->references++;
  }
  for (intptr_t i = 0; i < n; i++) tcc_array_release(&now[i]);
  return status;
}

static TccStatus *run_call(TccEval *e) {
  MlirAttribute callee = tcc_attribute(e->op, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee))
    return TCC_ERROR(TCC_INVALID, "a call without a callee");
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  MlirOperation function = tcc_module_find(e->ir, e->interp->module, (TccStr){name.data, name.length});
  if (mlirOperationIsNull(function)) return TCC_ERROR(TCC_NOT_FOUND, "@%.*s", (int)name.length, name.data);
  TccLoopCall loop;
  TccStatus *status = tcc_call_loop(e->ir, e->op, &loop)
                          ? run_loop(e, function, &loop)
                          : run_function(e->interp, function, e->in, (size_t)e->nin, e->out, (size_t)e->nout);
  return tcc_status_context(status, "in @%.*s", (int)name.length, name.data);
}

/* ---- running ---- */
static bool op_is(MlirOperation op, const char *name) {
  MlirStringRef text = mlirIdentifierStr(mlirOperationGetName(op));
  return tcc_str_is((TccStr){text.data, text.length}, name);
}

/* A result's sizes from its declared type, and zeroed cells. */
static TccStatus *prepare_result(TccEval *e, MlirType type, TccArray *out) {
  out->elem = tcc_type_elem(type);
  out->rank = tcc_type_rank(type);
  if (out->elem == TCC_ELEM_NONE || out->rank < 0) return TCC_ERROR(TCC_UNSUPPORTED, "a result that is no tensor");
  for (int i = 0; i < out->rank; i++) {
    const TccExpr *dim = tcc_type_dim(e->ir, type, i);
    if (!dim) return TCC_ERROR(TCC_UNSUPPORTED, "a result of unknown size");
    TCC_TRY(tcc_interp_expr(e->interp, dim, &out->dims[i]));
  }
  return tcc_array_allocate(out);
}

/* What the rule asks of the sizes that came in: types say less where a size is unknown, and a module's constraints are not all about
 * what its arguments bind. */
static TccStatus *check_sizes(TccEval *e) {
  MlirType types[TCC_MAX_OPERANDS], results[TCC_MAX_RESULTS], declared;
  TccBounds bounds = {0};
  for (int i = 0; i < e->nin && i < TCC_MAX_OPERANDS; i++)
    types[i] = e->in[i] ? tcc_tensor_type_static(e->ir, e->in[i]->elem, e->in[i]->rank, e->in[i]->dims)
                        : mlirValueGetType(mlirOperationGetOperand(e->op, i));
  TccRuleInput input = {.ir = e->ir,
                        .kind = e->kind,
                        .noperands = (size_t)e->nin,
                        .operand = types,
                        .attributes = tcc_op_attributes(e->ir, e->op),
                        .bounds = &bounds};
  if (tcc_op_has_trait(e->kind, 'X') && e->nout) {
    declared = tcc_tensor_type_static(e->ir, e->out[0]->elem, e->out[0]->rank, e->out[0]->dims);
    input.declared = &declared;
  }
  if (!tcc_op_infer(&input, results)) return TCC_ERROR(TCC_INVALID, "%s", input.why);
  for (size_t i = 0; i < bounds.count; i++) { /* over symbols of attributes */
    const TccExpr *less, *more;
    int64_t left, right;
    tcc_expr_sides(e->ir->exprs, bounds.data[i], &less, &more);
    TCC_TRY(tcc_interp_expr(e->interp, less, &left));
    TCC_TRY(tcc_interp_expr(e->interp, more, &right));
    if (left > right)
      return tcc_sizes_error(TCC_SIZES_AT_MOST, tcc_expr_text(e->ir->exprs, less), left, tcc_expr_text(e->ir->exprs, more), right,
                             "");
  }
  return NULL;
}

static TccStatus *run_op(TccInterp *interp, MlirOperation op, const TccArray **in, TccArray **out) {
  TccEval e = {.interp = interp,
               .ir = interp->ir,
               .op = op,
               .kind = tcc_op_kind(interp->ir, op),
               .in = in,
               .out = out,
               .shift = interp->shift};
  e.nin = (int)mlirOperationGetNumOperands(op);
  e.nout = (int)mlirOperationGetNumResults(op);
  for (int i = 0; i < e.nin; i++) {
    Slot *slot = slot_of(interp->frame, mlirOperationGetOperand(op, i));
    if (!slot || (!slot->is_none && !slot->array.storage)) return TCC_ERROR(TCC_INVALID, "operand %d has no value", i);
    in[i] = slot->is_none ? NULL : &slot->array;
  }
  for (int i = 0; i < e.nout; i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    Slot *slot = slot_make(interp->frame, result);
    out[i] = &slot->array;
    if (e.kind == TCC_OP_NONE) slot->is_none = true;
    else if (e.kind != TCC_OP_UNKNOWN && e.kind != TCC_OP_NONZERO) TCC_TRY(prepare_result(&e, mlirValueGetType(result), out[i]));
  }
  if (e.kind != TCC_OP_UNKNOWN && e.nin) TCC_TRY(check_sizes(&e));
  TccEvalFunction function = tcc_eval_function(e.kind);
  TccStatus *status;
  if (function) status = function(&e);
  else if (op_is(op, "func.call")) status = run_call(&e);
  else status = TCC_ERROR(TCC_UNSUPPORTED, "the interpreter does not run this op");
  free_scratch(interp);
  if (status || e.kind != TCC_OP_UNKNOWN) return status;
  MlirType *types = TCC_NEW_ARRAY(interp->frame->arena, MlirType, e.nout + 1);
  for (int i = 0; i < e.nout; i++) types[i] = mlirValueGetType(mlirOperationGetResult(op, i));
  return tcc_frame_bind(interp, types, (const TccArray *const *)out, (size_t)e.nout, false, "result");
}

/* Counts the uses of every value of the block; the widest op sizes the operand lists. */
static void count_uses(TccFrame *frame, MlirBlock block, intptr_t *out_widest) {
  *out_widest = 1;
  TCC_EACH_OP (op, block) {
    intptr_t nin = mlirOperationGetNumOperands(op), nout = mlirOperationGetNumResults(op);
    if (nin > *out_widest) *out_widest = nin;
    if (nout > *out_widest) *out_widest = nout;
    for (intptr_t i = 0; i < nin; i++) slot_make(frame, mlirOperationGetOperand(op, i))->uses++;
  }
}

/* "'relu' (layer 3)": the op's name, and where its location says it came from. */
static TccStatus *add_op_context(TccStatus *status, MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return tcc_status_context(status, "'%.*s'", (int)name.length, name.data);
}

static TccStatus *run_body(TccInterp *interp, MlirBlock block, intptr_t widest, TccArray **results, size_t nresults) {
  TccFrame *frame = interp->frame;
  const TccArray **in = TCC_NEW_ARRAY(frame->arena, const TccArray *, widest);
  TccArray **out = TCC_NEW_ARRAY(frame->arena, TccArray *, widest);
  TCC_EACH_OP (op, block) {
    intptr_t n = mlirOperationGetNumOperands(op);
    if (op_is(op, "func.return")) {
      if ((size_t)n != nresults) return TCC_ERROR(TCC_INVALID, "%zd results, %zu expected", (ssize_t)n, nresults);
      for (intptr_t i = 0; i < n; i++) {
        Slot *slot = slot_of(frame, mlirOperationGetOperand(op, i));
        if (!slot->array.storage) return TCC_ERROR(TCC_INVALID, "result %zd has no value", (ssize_t)i);
        *results[i] = slot->array;
        slot->array.storage->references++;
      }
      return NULL;
    }
    TCC_TRY(add_op_context(run_op(interp, op, in, out), op));
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
      Slot *slot = slot_of(frame, mlirOperationGetResult(op, i));
      if (slot->uses == 0) tcc_array_release(&slot->array);
    }
    for (intptr_t i = 0; i < n; i++) release_use(slot_of(frame, mlirOperationGetOperand(op, i)));
  }
  return TCC_ERROR(TCC_INVALID, "the function has no return");
}

static TccStatus *run_function(TccInterp *interp, MlirOperation function, const TccArray **arguments, size_t n, TccArray **results,
                               size_t nresults) {
  MlirBlock block = tcc_func_body(function);
  if (mlirBlockIsNull(block)) return TCC_ERROR(TCC_INVALID, "the function has no body");
  if ((size_t)mlirBlockGetNumArguments(block) != n)
    return TCC_ERROR(TCC_INVALID, "%zu arguments for %zd parameters", n, (ssize_t)mlirBlockGetNumArguments(block));
  if (interp->depth == MAX_DEPTH) return TCC_ERROR(TCC_UNSUPPORTED, "calls nest deeper than %d", MAX_DEPTH);
  TccArena *arena = tcc_arena_create();
  TccFrame frame = {interp->frame, arena, tcc_map_create(arena), tcc_map_create(arena)};
  intptr_t widest;
  count_uses(&frame, block, &widest);
  MlirType *types = TCC_NEW_ARRAY(arena, MlirType, n + 1);
  for (size_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, (intptr_t)i);
    Slot *slot = slot_make(&frame, argument);
    types[i] = mlirValueGetType(argument);
    slot->is_none = arguments[i] == NULL;
    if (slot->is_none || !slot->uses) continue;
    slot->array = *arguments[i];
    slot->array.storage->references++;
  }
  interp->frame = &frame;
  interp->depth++;
  TccStatus *status = tcc_frame_bind(interp, types, arguments, n, true, "argument");
  if (!status && !frame.parent) status = tcc_frame_check_constraints(interp);
  if (!status) status = run_body(interp, block, widest, results, nresults);
  for (size_t i = 0; i < tcc_map_count(frame.values); i++)
    tcc_array_release(&((Slot *)tcc_map_at(frame.values, i)->pointer)->array);
  interp->frame = frame.parent;
  interp->depth--;
  tcc_arena_destroy(arena);
  return status;
}

/* ---- the outside ---- */
static TccStatus *import_inputs(const TccHostTensor *const *inputs, size_t n, TccArray *out) {
  for (size_t i = 0; i < n; i++) {
    TCC_TRY(tcc_status_context(tcc_array_make(&out[i], inputs[i]->elem, inputs[i]->rank, inputs[i]->dims), "input %zu", i));
    tcc_cells_unpack(out[i].elem, inputs[i]->data, out[i].count, out[i].at);
  }
  return NULL;
}

static TccStatus *check_elements(MlirBlock block, const TccArray *inputs, size_t n) {
  for (size_t i = 0; i < n && (intptr_t)i < mlirBlockGetNumArguments(block); i++) {
    TccElem elem = tcc_type_elem(mlirValueGetType(mlirBlockGetArgument(block, (intptr_t)i)));
    if (elem != inputs[i].elem)
      return TCC_ERROR(TCC_INVALID, "input %zu is %s, its type says %s", i, tcc_elem_name(inputs[i].elem), tcc_elem_name(elem));
  }
  return NULL;
}

static TccStatus *export_outputs(const TccArray *arrays, size_t n, TccHostTensor **out) {
  for (size_t i = 0; i < n; i++) {
    TCC_TRY(tcc_host_tensor_create(arrays[i].elem, arrays[i].rank, arrays[i].dims, &out[i]));
    tcc_cells_pack(arrays[i].elem, arrays[i].at, arrays[i].count, out[i]->data);
  }
  return NULL;
}

/* The first public function of the module, or the one of that name. */
static MlirOperation find_function(TccIr *ir, MlirOperation module, TccStr name) {
  if (name.length) return tcc_module_find(ir, module, name);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_EACH_OP (op, body) {
    MlirAttribute visibility = tcc_attribute(op, "sym_visibility");
    if (op_is(op, "func.func") && mlirAttributeIsNull(visibility)) return op;
  }
  return (MlirOperation){NULL};
}

TccStatus *tcc_interpret(TccIr *ir, MlirOperation module, TccStr function, const char *weights_dir,
                         const TccHostTensor *const *inputs, size_t ninputs, TccHostTensor ***out_outputs, size_t *out_count) {
  return tcc_interpret_shifted(ir, module, function, weights_dir, 0, inputs, ninputs, out_outputs, out_count);
}

TccStatus *tcc_interpret_shifted(TccIr *ir, MlirOperation module, TccStr function, const char *weights_dir, double shift,
                                 const TccHostTensor *const *inputs, size_t ninputs, TccHostTensor ***out_outputs,
                                 size_t *out_count) {
  *out_outputs = NULL, *out_count = 0;
  MlirOperation callee = find_function(ir, module, function);
  if (mlirOperationIsNull(callee)) return TCC_ERROR(TCC_NOT_FOUND, "no function '%.*s'", TCC_STR_ARG(function));
  MlirBlock block = tcc_func_body(callee);
  if (mlirBlockIsNull(block)) return TCC_ERROR(TCC_INVALID, "the function has no body");
  TccInterp interp = {.ir = ir, .module = module, .weights_dir = weights_dir, .shift = shift};
  TccArena *arena = tcc_arena_create();
  MlirAttribute names = tcc_interp_source_names(&interp);
  if (!mlirAttributeIsNull(names) && mlirAttributeIsAArray(names)) interp.nsources = (size_t)mlirArrayAttrGetNumElements(names);
  interp.sources = TCC_NEW_ARRAY(arena, TccFileMap, interp.nsources + 1);
  size_t nresults = (size_t)mlirOperationGetNumOperands(mlirBlockGetTerminator(block));
  TccArray *arguments = TCC_NEW_ARRAY(arena, TccArray, ninputs + 1), *results = TCC_NEW_ARRAY(arena, TccArray, nresults + 1);
  const TccArray **argument_list = TCC_NEW_ARRAY(arena, const TccArray *, ninputs + 1);
  TccArray **result_list = TCC_NEW_ARRAY(arena, TccArray *, nresults + 1);
  for (size_t i = 0; i < ninputs; i++) argument_list[i] = &arguments[i];
  for (size_t i = 0; i < nresults; i++) result_list[i] = &results[i];
  TccHostTensor **outputs = calloc(nresults + 1, sizeof *outputs);
  TccStatus *status = outputs ? NULL : TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (!status) status = import_inputs(inputs, ninputs, arguments);
  if (!status) status = check_elements(block, arguments, ninputs);
  if (!status) status = run_function(&interp, callee, argument_list, ninputs, result_list, nresults);
  if (!status) status = export_outputs(results, nresults, outputs);
  for (size_t i = 0; i < ninputs; i++) tcc_array_release(&arguments[i]);
  for (size_t i = 0; i < nresults; i++) tcc_array_release(&results[i]);
  for (size_t i = 0; i < interp.nsources; i++) tcc_file_unmap(&interp.sources[i]);
  free(interp.scratch);
  tcc_arena_destroy(arena);
  if (!status) {
    *out_outputs = outputs, *out_count = nresults;
    return NULL;
  }
  for (size_t i = 0; outputs && i < nresults; i++) tcc_host_tensor_destroy(outputs[i]);
  free(outputs);
  return status;
}
