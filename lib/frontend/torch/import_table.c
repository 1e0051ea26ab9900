/* import_table.c - aten.def, found by name. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"

static const TorchOp table[] = {
#define ATEN_OP(name, handler, kind, expansion) {name, torch_op_##handler, kind, expansion},
#include "lib/frontend/torch/aten.def"
#undef ATEN_OP
};
enum { TABLE_SIZE = sizeof table / sizeof *table };

const TorchOp *torch_find_op(TccStr name) {
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (tcc_str_is(name, table[i].name)) return &table[i];
  return NULL;
}

const TorchOp *torch_op_at(size_t index) { return index < TABLE_SIZE ? &table[index] : NULL; }
