/* import_foreach.c - overloads over lists of tensors, `_foreach_add`: torch has each as the plain overload of every item.
 *
 * They have no rows in aten.def. The node is handled once for each item, as if it were a node of the plain overload ("aten.add.Tensor" for
 * "aten._foreach_add.List") with that item of every list among its arguments. An argument keeps its name where the plain overload has
 * it, else its position counts: the `scalar` of _foreach_add.Scalar is the `other` of add.Scalar. */
#include "lib/frontend/torch/import_internal.h"

static const char foreach[] = "aten._foreach_";

/* A list's item as an argument; false for an argument that is no list. */
static bool item_of(const TccTorchArg *list, size_t i, TccTorchArg *out, size_t *out_count) {
  const TccTorchSym *sym = NULL;
  TccTorchKind named = TCC_TORCH_SYM_INT, plain = TCC_TORCH_INT;
  *out_count = list->list.count;
  bool there = i < *out_count;
  switch (list->kind) {
  case TCC_TORCH_TENSORS:
    *out = (TccTorchArg){.kind = TCC_TORCH_TENSOR, .text = there ? list->list.texts[i] : (TccStr){0}};
    return true;
  case TCC_TORCH_INTS: *out = (TccTorchArg){.kind = TCC_TORCH_INT, .integer = there ? list->list.integers[i] : 0}; return true;
  case TCC_TORCH_FLOATS: *out = (TccTorchArg){.kind = TCC_TORCH_FLOAT, .number = there ? list->list.numbers[i] : 0}; return true;
  case TCC_TORCH_BOOLS: *out = (TccTorchArg){.kind = TCC_TORCH_BOOL, .flag = there && list->list.flags[i]}; return true;
  case TCC_TORCH_SYM_INTS: break;
  case TCC_TORCH_SYM_FLOATS: named = TCC_TORCH_SYM_FLOAT, plain = TCC_TORCH_FLOAT; break;
  case TCC_TORCH_SYM_BOOLS: named = TCC_TORCH_SYM_BOOL, plain = TCC_TORCH_BOOL; break;
  default: return false;
  }
  if (there) sym = &list->list.syms[i];
  *out = (TccTorchArg){.kind = sym && sym->name.length ? named : plain};
  if (!sym) return true;
  if (sym->name.length) out->text = sym->name;
  else if (plain == TCC_TORCH_FLOAT) out->number = sym->number;
  else if (plain == TCC_TORCH_BOOL) out->flag = sym->flag;
  else out->integer = sym->integer;
  return true;
}

/* "aten.add" and whether it is in place, of "aten._foreach_add_.List"; the plain overload's name. NULL: there is none. */
static const TorchOp *plain_overload(Importer *run, TccStr op, bool *out_in_place, TccStr *out) {
  static const struct {
    const char *of_lists, *plain[3];
  } overloads[] = {{"default", {"default"}},
                   {"List", {"Tensor", "Tensor_Tensor", "default"}},
                   {"Scalar", {"Scalar", "Tensor_Scalar", "default"}},
                   {"ScalarList", {"Scalar", "Tensor_Scalar", "default"}},
                   {"Tensor", {"Tensor"}},
                   {"ScalarAndTensor", {"Scalar"}}};
  size_t dot = op.length;
  while (dot > 0 && op.data[dot - 1] != '.') dot--;
  const TccStr overload = {op.data + dot, op.length - dot};
  TccStr name = {op.data + sizeof foreach - 1, dot - sizeof foreach};
  *out_in_place = name.length && name.data[name.length - 1] == '_';
  if (*out_in_place) name.length--;
  if (tcc_str_is(name, "norm")) name = tcc_str("linalg_vector_norm");
  name = tcc_str(tcc_arena_printf(run->arena, "aten.%.*s", TCC_STR_ARG(name)));
  for (size_t i = 0; i < sizeof overloads / sizeof *overloads; i++) {
    TccStr plain[3];
    size_t count = 0;
    while (count < 3 && overloads[i].plain[count]) plain[count] = tcc_str(overloads[i].plain[count]), count++;
    if (tcc_str_is(overload, overloads[i].of_lists)) return torch_find_overload(run, name, plain, count, out);
  }
  return NULL;
}

static TccStr name_in_place(TccArena *arena, TccStr plain) {
  size_t dot = plain.length;
  while (plain.data[dot - 1] != '.') dot--;
  return tcc_str(tcc_arena_printf(arena, "%.*s_.%.*s", (int)(dot - 1), plain.data, (int)(plain.length - dot), plain.data + dot));
}

bool torch_is_foreach(TccStr op) {
  return tcc_str_starts(op, foreach) && memchr(op.data + sizeof foreach - 1, '.', op.length - sizeof foreach + 1);
}

bool torch_foreach(TorchCall *call) {
  ImportCall *c = &call->call;
  const TorchCall whole = *call;
  const TccTorchNode *node = whole.node;
  TccStr plain;
  bool in_place, ok = true;
  size_t count = 0, lists = 0;
  TorchSchema schema;
  if (!plain_overload(c->importer, c->op, &in_place, &plain)) return import_unsupported(c, "no such overload in tcc");
  bool known = torch_find_schema(plain, &schema);
  for (size_t i = 0, n; i < node->ninputs; i++) {
    TccTorchArg item;
    if (!item_of(&node->inputs[i].arg, 0, &item, &n)) continue;
    if (lists++ && n != count) return import_invalid(c, "lists of %zu and %zu items", count, n);
    count = n;
  }
  if (!lists) return import_invalid(c, "has no list of tensors");
  if (!in_place && whole.noutputs != count) return import_invalid(c, "has %zu outputs for %zu tensors", whole.noutputs, count);
  for (size_t k = 0, n; ok && k < count; k++) {
    TccTorchNamedArg *inputs = TCC_NEW_ARRAY(import_arena(c), TccTorchNamedArg, node->ninputs + 1);
    TccTorchNode one = *node;
    TorchValue written = {0};
    for (size_t i = 0; i < node->ninputs; i++) {
      inputs[i] = node->inputs[i];
      item_of(&node->inputs[i].arg, k, &inputs[i].arg, &n);
      if (known && i < schema.nparameters && !torch_schema_parameter(&schema, inputs[i].name))
        inputs[i].name = schema.parameters[i].name;
    }
    one.inputs = inputs;
    c->op = in_place ? name_in_place(import_arena(c), plain) : plain;
    call->node = &one;
    call->schema = (TorchSchema){0};
    call->noutputs = 1;
    call->outputs = in_place ? &written : &whole.outputs[k];
    call->names = in_place ? &inputs[0].arg.text : &whole.names[k];
    ok = torch_handle(call);
  }
  c->op = whole.call.op;
  call->node = whole.node;
  call->schema = whole.schema;
  call->outputs = whole.outputs;
  call->names = whole.names;
  call->noutputs = whole.noutputs;
  return ok;
}
