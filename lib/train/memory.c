/* memory.c - the memory that a step is planned to need, and how much of its backward is computed again to need less.
 *
 * What costs next to nothing comes first: a cross-entropy in blocks of rows (tcc-row-blocks). Then tcc-grad is told what a byte counts that is
 * kept (passes/grad/recompute.c). With a limit the first of some rising prices is taken whose plan is within it, and then the least price
 * between that and the one before, so that no more is computed again than has to be; at the last one each function that repeats keeps
 * nothing but its arguments. What a plan needs is known when its sizes are, so each that is tried is compiled, unless the module is the one
 * that was compiled last. A higher price may need more: where the peak is in one function, what it computes again is alive there with all else. */
#include "lib/train/trainer.h"
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t port_bytes(const TccPortInfo *port) {
  TccTensor tensor = {.rank = port->rank, .dtype = port->dtype, .shape = (int64_t *)(uintptr_t)port->dims};
  return train_tensor_bytes(&tensor);
}

/* Bytes of this process that are in memory: of code, and what compiling has left. Pages of the model's files are let go of first: states
 * are filled from them one by one. 0: not known. */
static size_t resident(const TccTrainer *t) {
  train_drop_files(t);
  FILE *file = fopen("/proc/self/statm", "re");
  unsigned long size, pages = 0;
  if (!file) return 0;
  if (fscanf(file, "%lu %lu", &size, &pages) != 2) pages = 0;
  fclose(file);
  return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* The most that the process has had, or will have with what is planned. Of a step on a device it has parameters and states, for checkpoints. */
static size_t peak(const TccTrainer *t) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const bool on_device = tcc_model_info(t->step)->on_device;
  size_t before = (size_t)usage.ru_maxrss << 10, with = resident(t) + (on_device ? 0 : t->planned),
         n = tcc_model_input_count(t->step);
  for (size_t i = 0; i < (on_device ? n : t->narguments); i++) with += port_bytes(tcc_model_input(t->step, i));
  return before > with ? before : with;
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
  t->planned += arena + tcc_context_scratch(t->step_context);
  return status;
}

static bool same_text(const TccText *a, const TccText *b) { return a->length == b->length && !memcmp(a->data, b->data, a->length); }

TccStatus *train_compile_at(TccTrainer *t, long price, bool blocks) {
  TccText text = {0};
  t->recompute = price, t->row_blocks = blocks;
  TccStatus *status = train_modules(t, &text);
  if (!status && t->step && same_text(&text, &t->compiled)) {
    tcc_text_destroy(&text);
    return NULL;
  }
  tcc_context_destroy(t->step_context), t->step_context = NULL;
  tcc_model_destroy(t->step), t->step = NULL;
  tcc_text_destroy(&t->compiled), t->compiled = (TccText){0};
  if (!status) status = train_compile(t, &text, true, &t->step, &t->step_context);
  if (!status && (t->options.memory || t->explain)) status = plan(t);
  if (!status && (t->options.memory || t->explain)) t->compiled = text;
  else tcc_text_destroy(&text);
  malloc_trim(0); /* what compiling took, which a step may have */
  if (!status && t->options.memory) t->peak = peak(t);
  return status;
}

const long train_prices[TRAIN_PRICES] = {1, 2, 4, 8, 12, 14, 16, 24, 32, 64, 1024, 1 << 20};

TccStatus *train_refine(TccTrainer *t, long below, long fits) {
  for (long middle; fits - below > 1; t->planned <= t->options.memory ? (fits = middle) : (below = middle)) {
    middle = below + (fits - below) / 2;
    TCC_TRY(train_compile_at(t, middle, t->row_blocks));
  }
  return t->recompute == fits ? NULL : train_compile_at(t, fits, t->row_blocks);
}

TccStatus *train_compile_step(TccTrainer *t) {
  size_t limit = t->options.memory, least = SIZE_MAX, process = 0;
  bool blocks = false;
  for (size_t i = 0; i < TRAIN_PRICES; i++) {
    TCC_TRY(train_compile_at(t, train_prices[i], blocks));
    if (!limit || t->planned <= limit) return i ? train_refine(t, train_prices[i - 1], train_prices[i]) : NULL;
    if (t->planned < least) least = t->planned, process = t->peak;
    if (i) continue;
    TCC_TRY(train_compile_at(t, train_prices[i], true));
    if (t->planned <= limit) return NULL;
    blocks = t->planned < least;
    if (blocks) least = t->planned, process = t->peak;
  }
  return TCC_ERROR(
      TCC_INVALID,
      "%s: a step needs %zu bytes of memory at least, more than the limit of %zu: parameters, states, intermediate results "
      "and what kernels work in; with its code and the compiler the process would have %zu",
      t->path, least, limit, process);
}
