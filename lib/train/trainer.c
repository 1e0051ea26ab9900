/* trainer.c - steps of training; see train.h. */
#include "lib/train/trainer.h"
#include "tcc/random.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *keep(TccTrainer *t, const char *text) { return text ? tcc_arena_copy(t->arena, text, strlen(text)) : NULL; }

/* The number of the output that is the loss. */
static TccStatus *find_loss(const TccTrainer *t, const TccModel *model, size_t *out) {
  for (size_t i = 0; i < tcc_model_output_count(model); i++) {
    const TccPortInfo *port = tcc_model_output(model, i);
    if (!strcmp(port->name, t->loss_name) && port->dtype.bits >= 32) return *out = i, NULL;
  }
  return TCC_ERROR(TCC_INVALID, "%s: the loss '%s' has less than 32 bits", t->path, t->loss_name);
}

static TccStatus *make(TccTrainer *t) {
  TccStatus *status = train_compile_step(t);
  if (!status) status = find_loss(t, t->step, &t->loss);
  if (!status) status = train_make_states(t);
  return status;
}

TccTrainer *train_new(const char *model, const TccTrainOptions *options) {
  TccArena *arena = tcc_arena_create();
  TccTrainer *t = TCC_NEW(arena, TccTrainer);
  t->arena = arena;
  if (options) t->options = *options;
  t->path = tcc_arena_copy(arena, model, strlen(model));
  t->options.loss = keep(t, t->options.loss), t->options.train = keep(t, t->options.train);
  t->options.freeze = keep(t, t->options.freeze), t->options.optimizer = keep(t, t->options.optimizer);
  return t;
}

TccStatus *tcc_trainer_create(const char *model, const TccTrainOptions *options, TccTrainer **out) {
  *out = NULL;
  TccTrainer *t = train_new(model, options);
  TccStatus *status = make(t);
  if (!status) return *out = t, NULL;
  tcc_trainer_destroy(t);
  return status;
}

void tcc_trainer_destroy(TccTrainer *t) {
  if (!t) return;
  tcc_context_destroy(t->step_context), tcc_context_destroy(t->evaluate_context);
  train_free_states(t);
  tcc_model_destroy(t->step), tcc_model_destroy(t->evaluate);
  tcc_sources_close(t->sources);
  tcc_text_destroy(&t->forward), tcc_text_destroy(&t->compiled);
  tcc_arena_destroy(t->arena);
}

size_t tcc_trainer_input_count(const TccTrainer *t) { return t->ninputs; }
const TccPortInfo *tcc_trainer_input(const TccTrainer *t, size_t index) {
  for (size_t i = 0, seen = 0; i < t->narguments; i++) {
    const TccPortInfo *port = tcc_model_input(t->step, i);
    if (!train_is_random(port->name) && seen++ == index) return port;
  }
  return NULL;
}
size_t tcc_trainer_state_count(const TccTrainer *t) { return t->nstates; }
const char *tcc_trainer_state(const TccTrainer *t, size_t index, TccTensor **out, bool *out_parameter) {
  if (index >= t->nstates) return NULL;
  if (out) *out = &t->states[index].tensor;
  if (out_parameter) *out_parameter = t->states[index].parameter;
  return t->states[index].name;
}
size_t tcc_trainer_memory(const TccTrainer *t) { return t->planned; }
size_t tcc_trainer_peak(const TccTrainer *t) { return t->peak; }
int64_t tcc_trainer_steps(const TccTrainer *t) { return *(const int64_t *)t->states[t->counter].tensor.data; }

/* Runs a model on a batch and as many states as it has inputs for; results tied to states are written into them. Each step draws from
 * streams of its own, 2^32 of them. */
static TccStatus *run(TccTrainer *t, TccModel *model, TccContext *context, size_t loss, const TccTensor *inputs, size_t ninputs,
                      double *out_loss) {
  size_t noutputs = tcc_model_output_count(model), all = tcc_model_input_count(model), given = 0, state = 0;
  int64_t seed = t->options.seed, offset = (int64_t)((uint64_t)tcc_trainer_steps(t) << 32);
  if (ninputs != t->ninputs) return TCC_ERROR(TCC_INVALID, "%zu inputs were given, the model has %zu", ninputs, t->ninputs);
  TccTensor *in = calloc(all + noutputs + 1, sizeof *in), *outputs = in + all;
  if (!in) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (size_t i = 0; i < all; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    if (train_is_random(port->name))
      in[i] = (TccTensor){
          .device = {TCC_DEVICE_CPU, 0}, .dtype = port->dtype, .data = strcmp(port->name, TCC_INPUT_SEED) ? &offset : &seed};
    else in[i] = given < ninputs ? inputs[given++] : t->states[state++].placed;
  }
  TccStatus *status = tcc_context_run(context, in, all, outputs, noutputs);
  if (!status) {
    const char *at = (const char *)outputs[loss].data + outputs[loss].byte_offset;
    *out_loss = outputs[loss].dtype.bits == 64 ? *(const double *)at : (double)*(const float *)at;
  }
  free(in);
  return status;
}

/* Why the loss of the batch is not finite: the step is run again, which changes nothing, and what its kernels make is looked at. */
static TccStatus *explain(TccTrainer *t, const TccTensor *inputs, size_t ninputs, double loss) {
  TccContextOptions options = {.threads = t->options.compile.threads,
                               .unusual = isnan(loss) ? TCC_UNUSUAL_NAN : TCC_UNUSUAL_INFINITE};
  TccContext *context = NULL;
  TccStatus *status = tcc_context_create(t->step, &options, &context);
  if (!status) status = run(t, t->step, context, t->loss, inputs, ninputs, &loss);
  tcc_context_destroy(context);
  if (!status) status = TCC_ERROR(TCC_INVALID, "all that is in memory between kernels is finite");
  return status;
}

/* Whether a scaled loss has been halved so often that gradients cannot be finite by any factor. */
static TccStatus *check_scale(const TccTrainer *t, long long number) {
  enum { LEAST = -64 };
  if (t->exponent == t->nstates || *(const int64_t *)t->states[t->exponent].tensor.data > LEAST) return NULL;
  return TCC_ERROR(TCC_INVALID, "step %lld: the gradients are not finite, however the loss is scaled", number);
}

TccStatus *tcc_trainer_step(TccTrainer *t, const TccTensor *inputs, size_t ninputs, double *out_loss) {
  double loss = 0;
  long long number = (long long)tcc_trainer_steps(t) + 1;
  TccStatus *status = run(t, t->step, t->step_context, t->loss, inputs, ninputs, &loss);
  if (status) return tcc_status_context(status, "step %lld", number);
  if (out_loss) *out_loss = loss;
  if (!isfinite(loss))
    return tcc_status_context(explain(t, inputs, ninputs, loss), "the loss of step %lld is %g", number, fabs(loss));
  return check_scale(t, number);
}

TccStatus *tcc_trainer_evaluate(TccTrainer *t, const TccTensor *inputs, size_t ninputs, double *out_loss) {
  if (!t->evaluate) {
    TCC_TRY(train_compile(t, &t->forward, false, &t->evaluate, &t->evaluate_context));
    TCC_TRY(find_loss(t, t->evaluate, &t->evaluated_loss));
  }
  return run(t, t->evaluate, t->evaluate_context, t->evaluated_loss, inputs, ninputs, out_loss);
}
