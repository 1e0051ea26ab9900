/* ops_rng_state.c - operators that draw the same numbers twice: what a checkpoint computes again in its backward pass.
 *
 * AOTAutograd keeps the state of torch's generator beside the first call of such an operator and hands it to the second. Here that
 * tensor of bytes has the two numbers that say what is drawn (docs/random.md), seed and offset, in its first sixteen. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/op_kinds.h"

enum { NUMBER_BYTES = 8 };

/* By how many bits each byte of a number is shifted. */
static MlirValue places(ImportCall *c) { return torch_times(c, import_iota(c, TCC_ELEM_I64, import_size(c, NUMBER_BYTES)), 8); }

static MlirValue bytes_of(ImportCall *c, MlirValue number) {
  const TccExpr *size = import_size(c, NUMBER_BYTES);
  MlirValue shifted = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, torch_filled(c, number, 1, &size), places(c));
  return torch_convert(c, tcc_build2(&c->b, TCC_OP_AND, shifted, torch_constant(c, TCC_ELEM_I64, 255)), TCC_ELEM_U8);
}

static MlirValue number_at(ImportCall *c, MlirValue state, int64_t index) {
  static const int64_t axis = 0;
  MlirValue bytes = tcc_build_slice_axis(&c->b, state, 0, import_size(c, index * NUMBER_BYTES), 1, import_size(c, NUMBER_BYTES));
  return torch_sum(c, tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, torch_convert(c, bytes, TCC_ELEM_I64), places(c)), &axis, 1, false);
}

/* A state's bytes: as many as the two numbers have at least; 0: the graph has no number for them. */
static bool state_bytes(ImportCall *c, const ImportShape *shape, int64_t *out) {
  *out = 0;
  const bool known = shape->rank == 1 && tcc_expr_is_const(shape->dims[0], out);
  return (shape->rank == 1 && shape->elem == TCC_ELEM_U8 && (!known || *out >= 2 * NUMBER_BYTES)) ||
         import_unsupported(c, "a state of a generator that is not %d bytes or more", 2 * NUMBER_BYTES);
}

/* The stream as output 0. */
static bool state_result(ImportCall *c, const ImportStream *stream) {
  const ImportShape shape = torch_declared(c, 0);
  int64_t size;
  if (c->reason || !state_bytes(c, &shape, &size)) return false;
  const TccExpr *rest = import_size(c, size - 2 * NUMBER_BYTES);
  MlirValue parts[] = {bytes_of(c, stream->seed), bytes_of(c, stream->offset), {NULL}};
  if (size > 2 * NUMBER_BYTES) parts[2] = torch_filled(c, torch_constant(c, TCC_ELEM_U8, 0), 1, &rest);
  return torch_output(c, 0, tcc_build_concat(&c->b, parts, parts[2].ptr ? 3 : 2, 0));
}

static bool given_stream(ImportCall *c, const TccTorchArg *arg, ImportStream *out) {
  const TorchValue *value = torch_value(c, arg);
  MlirValue state = value && value->kind == TORCH_TENSOR ? torch_read(c, value->tensor) : (MlirValue){NULL};
  const ImportShape shape = import_shape(c, state);
  int64_t size;
  if (c->reason || !state_bytes(c, &shape, &size)) return false;
  *out = (ImportStream){number_at(c, state, 0), number_at(c, state, 1)};
  return out->seed.ptr && out->offset.ptr;
}

/* An archive leaves the names of arguments out that such an operator is called with. */
static TccTorchNamedArg *named_by_position(ImportCall *c, const TccTorchNamedArg *inputs, size_t count) {
  TorchSchema schema;
  TccTorchNamedArg *named = TCC_NEW_ARRAY(import_arena(c), TccTorchNamedArg, count + 1);
  const bool known = torch_find_schema(c->op, &schema);
  for (size_t i = 0; i < count; i++) {
    named[i] = inputs[i];
    if (known && !named[i].name.length && i < schema.nparameters) named[i].name = schema.parameters[i].name;
  }
  return named;
}

bool torch_call_operator(ImportCall *c, size_t at, size_t first) {
  static const char prefix[] = "torch.ops.";
  TorchCall *call = torch_call(c), outer = *call;
  if (at >= outer.node->ninputs || outer.node->inputs[at].arg.kind != TCC_TORCH_OPERATOR || first > outer.noutputs)
    return import_invalid(c, "argument %zu is no operator", at);
  TccTorchNode node = *outer.node;
  node.inputs += at + 1, node.ninputs -= at + 1;
  call->node = &node, call->names += first, call->outputs += first, call->noutputs -= first;
  c->op = outer.node->inputs[at].arg.text;
  if (tcc_str_starts(c->op, prefix)) c->op.data += sizeof prefix - 1, c->op.length -= sizeof prefix - 1;
  node.inputs = named_by_position(c, node.inputs, node.ninputs);
  const bool ok = torch_handle(call);
  if (c->reason && *c->reason) c->reason = tcc_arena_printf(import_arena(c), "of %.*s: %s", TCC_STR_ARG(c->op), c->reason);
  call->node = outer.node, call->names = outer.names, call->outputs = outer.outputs, call->noutputs = outer.noutputs;
  call->schema = outer.schema, c->op = outer.call.op, c->kind = outer.call.kind;
  return ok;
}

/* run_and_save_rng_state(operator, ...): the state, then the operator's results.
 * run_with_rng_state(state, operator, ...): its results, drawn from that state. */
bool torch_op_rng_state(ImportCall *c) {
  Importer *run = c->importer;
  ImportStream stream;
  if (c->kind == RNG_STATE_SAVED) return import_stream_now(c, &stream) && state_result(c, &stream) && torch_call_operator(c, 0, 1);
  if (!torch_call(c)->node->ninputs) return import_invalid(c, "has no state");
  if (!given_stream(c, &torch_call(c)->node->inputs[0].arg, &stream)) return false;
  const ImportStream own = {run->seed, run->offset};
  run->seed = stream.seed, run->offset = stream.offset;
  const bool ok = torch_call_operator(c, 1, 0);
  run->seed = own.seed, run->offset = own.offset;
  return ok;
}
