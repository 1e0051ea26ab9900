/* ops_scan_batch.c - Scan of opset 8, whose inputs and outputs have a batch in front: a Scan of opset 9 for each of it, and their outputs one behind the
 * other. */
#include "lib/frontend/onnx/ops.h"

enum { MOST_BATCH = 64 };

static bool has_directions(ImportCall *c) {
  const int64_t *directions;
  size_t n;
  if (!onnx_ints(c, "directions", &directions, &n)) return false;
  for (size_t i = 0; i < n; i++)
    if (directions[i]) return true;
  return false;
}

/* The scan of entry b of the batch: inputs behind the first, lengths, are states and sequences. out: its outputs. */
static bool scan_entry(ImportCall *c, int64_t b, ImportValue *out) {
  ImportValue *all = c->inputs, *given = c->outputs, *in = TCC_NEW_ARRAY(import_arena(c), ImportValue, c->ninputs + 1);
  bool ok = true;
  for (size_t i = 1; i < c->ninputs; i++) {
    MlirValue one = tcc_build_slice_axis(&c->b, all[i].tensor, 0, import_size(c, b), 1, import_size(c, 1));
    in[i - 1] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = tcc_build_squeeze(&c->b, one, 0)};
    ok = ok && in[i - 1].tensor.ptr;
  }
  c->inputs = in, c->outputs = out, c->ninputs--;
  ok = ok && onnx_op_scan(c);
  c->inputs = all, c->outputs = given, c->ninputs++;
  return ok;
}

bool onnx_op_scan_batched(ImportCall *c) {
  int64_t batch;
  if (import_has_input(c, 0)) return import_unsupported(c, "lengths of sequences");
  if (has_directions(c)) return import_unsupported(c, "directions");
  for (size_t i = 1; i < c->ninputs; i++)
    if (!import_input(c, i).ptr || import_shape(c, import_input(c, i)).rank < 1)
      return import_invalid(c, "input %zu has no batch", i);
  if (c->ninputs < 2 || !import_fix_size(c, import_shape(c, import_input(c, 1)).dims[0], &batch))
    return import_invalid(c, "there is nothing to scan");
  if (batch < 1 || batch > MOST_BATCH) return import_unsupported(c, "a batch of %lld", (long long)batch);
  ImportValue **out = TCC_NEW_ARRAY(import_arena(c), ImportValue *, MOST_BATCH);
  for (size_t i = 1; i < c->ninputs; i++)
    if (!import_require_equal(c, import_shape(c, import_input(c, i)).dims[0], import_size(c, batch), "batches of inputs"))
      return false;
  for (int64_t b = 0; b < batch; b++) {
    out[b] = TCC_NEW_ARRAY(import_arena(c), ImportValue, c->noutputs + 1);
    if (!scan_entry(c, b, out[b])) return false;
  }
  for (size_t k = 0; k < c->noutputs; k++) {
    MlirValue parts[MOST_BATCH];
    if (!import_has_output(c, k)) continue;
    for (int64_t b = 0; b < batch; b++) parts[b] = import_unsqueeze(c, out[b][k].tensor, 0);
    if (!import_output(c, k, tcc_build_concat(&c->b, parts, (size_t)batch, 0))) return false;
  }
  return true;
}
