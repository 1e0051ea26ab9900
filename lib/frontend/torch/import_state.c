/* import_state.c - weights that the graph writes: states, which are kept from run to run.
 *
 * A buffer that a module writes (a cache, a counter) is no weight to the compiler: what is made of its numbers would be right in the first run
 * alone. A functional graph's signature names such buffers. In others it is seen when nodes write one; then the graph is walked again, with
 * that weight as an argument of main that nothing is known of. For training, weights stay weights: a trainer has states of its own. */
#include "lib/frontend/torch/import_internal.h"

static const TccTorchProgram *program_of(Importer *run) { return torch_import_of(run)->archive->program; }

static bool may_be_state(Importer *run, size_t index) {
  return !run->options->parameters && !torch_is_argument(run, &program_of(run)->inputs[index]);
}

static bool is_mutation(const TccTorchOutput *output) {
  return output->kind == TCC_TORCH_OUTPUT_BUFFER_MUTATION || output->kind == TCC_TORCH_OUTPUT_PARAMETER_MUTATION;
}

void torch_states_declared(Importer *run) {
  TorchImport *import = torch_import_of(run);
  const TccTorchProgram *program = program_of(run);
  import->written = TCC_NEW_ARRAY(run->arena, bool, program->ninputs + 1);
  for (size_t o = 0; o < program->noutputs; o++)
    for (size_t i = 0; is_mutation(&program->outputs[o]) && i < program->ninputs; i++)
      import->written[i] |= may_be_state(run, i) && tcc_str_equal(program->inputs[i].target, program->outputs[o].target);
}

TorchTensor *torch_state_begin(ImportCall *c, TccStr name, size_t index, TorchTensor *stored) {
  TorchImport *import = torch_import_of(c->importer);
  for (size_t i = 0; i < index; i++)
    if (import->stored[i] == stored) return import->inputs[i];
  if (!stored->value.ptr) return stored;
  import->stored[index] = stored;
  import->states[index] = import_state(c->importer, name, stored->value);
  TorchTensor *state = torch_tensor_make(c, import->states[index]);
  state->fixed = stored->fixed;
  return state;
}

bool torch_state_becomes(ImportCall *c, const TccTorchOutput *output, TorchTensor *value) {
  TorchImport *import = torch_import_of(c->importer);
  const TccTorchProgram *program = program_of(c->importer);
  for (size_t i = 0; is_mutation(output) && i < program->ninputs; i++)
    if (import->stored[i] && tcc_str_equal(program->inputs[i].target, output->target)) {
      import->next[i] = value;
      return true;
    }
  return false;
}

bool torch_states_found(Importer *run) {
  TorchImport *import = torch_import_of(run);
  for (size_t i = 0; i < program_of(run)->ninputs; i++) {
    const TorchTensor *t = import->inputs[i];
    if (!t || t->of || !t->version || import->written[i] || !may_be_state(run, i)) continue;
    import->written[i] = run->restart = true;
  }
  return !run->restart;
}

bool torch_states_end(ImportCall *c) {
  TorchImport *import = torch_import_of(c->importer);
  const TccTorchProgram *program = program_of(c->importer);
  for (size_t i = 0; i < program->ninputs; i++) {
    if (!import->stored[i]) continue;
    if (import->stored[i]->fixed) return import_run_fail(c->importer, true, "%s", import->stored[i]->fixed);
    MlirValue next = torch_read(c, import->next[i] ? import->next[i] : import->inputs[i]);
    if (!next.ptr) return false;
    import_state_next(c->importer, program->inputs[i].target, import->states[i], next);
  }
  for (size_t i = 0; i < program->ninputs; i++)
    if (import->stored[i])
      import_state_initial(c->importer, program->inputs[i].target, import->states[i], import->stored[i]->value);
  return true;
}
