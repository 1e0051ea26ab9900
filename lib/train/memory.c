/* memory.c - the memory that a step is planned to need, and how much of its backward is computed again to need less.
 *
 * tcc-grad is told what a byte counts that is kept (passes/grad/recompute.c). With a limit the first of some rising prices is taken whose plan
 * is within it; at the last one each function that repeats keeps nothing but its arguments. What a plan needs is known when its sizes
 * are, so each that is tried is compiled. A higher price may need more: where the peak is in one function, what it computes again is alive
 * there with all else. */
#include "lib/train/trainer.h"
#include <malloc.h>
#include <stdlib.h>

static size_t port_bytes(const TccPortInfo *port) {
  TccTensor tensor = {.rank = port->rank, .dtype = port->dtype, .shape = (int64_t *)(uintptr_t)port->dims};
  return train_tensor_bytes(&tensor);
}

/* Sizes of t->step: those of its inputs have to be known. */
static TccStatus *plan(TccTrainer *t) {
  static _Alignas(64) char somewhere[64]; /* data that is not read */
  size_t n = tcc_model_input_count(t->step), noutputs = tcc_model_output_count(t->step), live;
  for (size_t i = 0; i < n; i++) {
    const TccPortInfo *port = tcc_model_input(t->step, i);
    for (int32_t axis = 0; axis < port->rank; axis++)
      if (port->dims[axis] < 0)
        return TCC_ERROR(TCC_INVALID,
                         "what a step needs of memory is known where its sizes are: axis %d of '%s' is symbolic (--dim)", axis,
                         port->name);
  }
  TccTensor *tensors = calloc(n + noutputs + 1, sizeof *tensors);
  if (!tensors) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  t->planned = 0;
  for (size_t i = 0; i < n; i++) {
    const TccPortInfo *port = tcc_model_input(t->step, i);
    tensors[i] = (TccTensor){.device = {TCC_DEVICE_CPU, 0},
                             .rank = port->rank,
                             .dtype = port->dtype,
                             .shape = (int64_t *)(uintptr_t)port->dims,
                             .data = somewhere};
    t->planned += i < t->narguments ? 0 : port_bytes(port);
  }
  TccStatus *status = tcc_context_shapes(t->step_context, tensors, n, tensors + n, noutputs);
  free(tensors);
  size_t arena = 0;
  tcc_context_arena(t->step_context, &arena, &live);
  t->planned += arena;
  return status;
}

TccStatus *train_compile_at(TccTrainer *t, long price) {
  TccText text = {0};
  tcc_context_destroy(t->step_context), t->step_context = NULL;
  tcc_model_destroy(t->step), t->step = NULL;
  t->recompute = price;
  TccStatus *status = train_modules(t, &text);
  if (!status) status = train_compile(t, &text, true, &t->step, &t->step_context);
  if (!status && (t->options.memory || t->explain)) status = plan(t);
  tcc_text_destroy(&text);
  malloc_trim(0); /* what compiling took, which a step may have */
  return status;
}

const long train_prices[TRAIN_PRICES] = {1, 2, 4, 8, 16, 64, 1024, 1 << 20};

TccStatus *train_compile_step(TccTrainer *t) {
  size_t limit = t->options.memory, least = SIZE_MAX;
  for (size_t i = 0; i < TRAIN_PRICES; i++) {
    TCC_TRY(train_compile_at(t, train_prices[i]));
    if (!limit || t->planned <= limit) return NULL;
    if (t->planned < least) least = t->planned;
  }
  return TCC_ERROR(TCC_INVALID, "%s: a step needs %zu bytes of memory at least, more than the limit of %zu", t->path, least, limit);
}
