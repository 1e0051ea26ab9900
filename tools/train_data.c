/* train_data.c - see train_data.h. */
#include "train_data.h"
#include "tools/common.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_in(const char *text, const char *end) {
  size_t a = strlen(text), b = strlen(end);
  return a >= b && !strcmp(text + a - b, end);
}

/* ---- errors, which are told together ---- */
typedef struct {
  TccText text; /* a line each */
  TccCode code; /* of the first */
} Wrong;

static void note(Wrong *wrong, TccStatus *status) {
  if (!status) return;
  if (!wrong->text.length) wrong->code = tcc_status_code(status);
  tcc_text_printf(&wrong->text, "%s%s", wrong->text.length ? "\n" : "", tcc_status_message(status));
  tcc_status_destroy(status);
}

static TccStatus *all_of(Wrong *wrong) {
  TccStatus *status = wrong->text.length ? TCC_ERROR(wrong->code, "%s", wrong->text.data) : NULL;
  tcc_text_destroy(&wrong->text);
  return status;
}

/* "[16, 3]" of a sample: the axes behind the first. */
static const char *sample_shape(TrainData *d, size_t rank, const int64_t *dims) {
  const char *text = "[";
  for (size_t i = 1; i < rank; i++) text = tcc_arena_printf(d->arena, "%s%s%lld", text, i > 1 ? ", " : "", (long long)dims[i]);
  return tcc_arena_printf(d->arena, "%s]", text);
}

/* ---- what the model asks for ---- */
static TccStatus *make_batch(const TccPortInfo *port, TrainData *d, TrainInput *in) {
  Wrong open = {0};
  if (port->rank < 1 || port->rank > TRAIN_MOST_RANK)
    return TCC_ERROR(TCC_UNSUPPORTED, "input '%s' has %d axes: samples need one of their own", port->name, port->rank);
  for (int32_t i = 0; i < port->rank; i++) {
    if (port->dims[i] < 0) note(&open, TCC_ERROR(TCC_INVALID, "input '%s': size %d is open: say --dim", port->name, i));
    in->shape[i] = port->dims[i];
  }
  TCC_TRY(all_of(&open));
  if (d->size && d->size != in->shape[0])
    return TCC_ERROR(TCC_INVALID, "input '%s' takes %lld samples, another %lld", port->name, (long long)in->shape[0],
                     (long long)d->size);
  d->size = in->shape[0];
  size_t count = 1;
  for (int32_t i = 1; i < port->rank; i++) count *= (size_t)in->shape[i];
  in->sample_bytes = (count * port->dtype.bits + 7) / 8;
  in->tensor = (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = in->shape};
  in->tensor.data = aligned_alloc(64, ((size_t)d->size * in->sample_bytes + 127) / 64 * 64);
  if (!in->tensor.data) return TCC_ERROR(TCC_NO_MEMORY, "no memory for a batch of input '%s'", port->name);
  return NULL;
}

static TccStatus *take(TrainData *d, TrainInput *in, const TccPortInfo *port, const char *where, const void *data, TccElem elem,
                       size_t rank, const int64_t *dims) {
  if (elem != tcc_dtype_elem(port->dtype))
    return TCC_ERROR(TCC_INVALID, "%s: input '%s' is %s, the file has %s", where, port->name,
                     tcc_elem_name(tcc_dtype_elem(port->dtype)), elem ? tcc_elem_name(elem) : "another type");
  bool fits = rank == (size_t)port->rank;
  for (size_t i = 1; fits && i < rank; i++) fits = dims[i] == in->shape[i];
  if (!fits)
    return TCC_ERROR(TCC_INVALID, "%s: samples of %s, input '%s' takes %s", where,
                     rank ? sample_shape(d, rank, dims) : "no axis of their own", port->name,
                     sample_shape(d, (size_t)port->rank, in->shape));
  if (d->count && d->count != dims[0])
    return TCC_ERROR(TCC_INVALID, "%s: %lld samples for input '%s', %lld for another", where, (long long)dims[0], port->name,
                     (long long)d->count);
  d->count = dims[0], in->samples = data;
  return NULL;
}

/* ---- .npy, as it is mapped ---- */
static TccStatus *take_npy(TrainData *d, TrainInput *in, const TccPortInfo *port, const char *path) {
  TccFileMap *map = &d->maps[d->nmaps];
  TccNpy npy;
  TCC_TRY(tcc_file_map(path, map));
  d->files[d->nmaps++] = path;
  TccStatus *status = tcc_npy_parse(map->data, map->length, &npy);
  if (status) return tcc_status_context(status, "%s", path);
  if (npy.fortran && npy.rank > 1) return TCC_ERROR(TCC_UNSUPPORTED, "%s: not in C order", path);
  return take(d, in, port, path, npy.data, npy.elem, (size_t)npy.rank, npy.dims);
}

static TccStatus *take_file(const TccTrainer *trainer, const char *path, TrainData *d, size_t i) {
  const TccPortInfo *port = tcc_trainer_input(trainer, i);
  const char *name = tcc_arena_printf(d->arena, "%s/%s.npy", path, port->name);
  struct stat info;
  if (stat(name, &info) != 0) name = tcc_arena_printf(d->arena, "%s/input_%zu.npy", path, i);
  if (stat(name, &info) != 0) return TCC_ERROR(TCC_NOT_FOUND, "%s has neither %s.npy nor input_%zu.npy", path, port->name, i);
  return take_npy(d, &d->input[i], port, name);
}

static TccStatus *open_folder(const TccTrainer *trainer, const char *path, TrainData *d) {
  Wrong wrong = {0};
  for (size_t i = 0; i < d->ninputs; i++) note(&wrong, take_file(trainer, path, d, i));
  return all_of(&wrong);
}

static TccStatus *take_tensor(const TccTrainer *trainer, const char *path, TrainData *d, size_t i) {
  const TccPortInfo *port = tcc_trainer_input(trainer, i);
  const TccSafetensor *t = tcc_safetensors_find(d->tensors, tcc_str(port->name));
  if (!t) return TCC_ERROR(TCC_INVALID, "%s has no tensor '%s'", path, port->name);
  return take(d, &d->input[i], port, path, tcc_safetensors_data(d->tensors, t), t->elem, t->rank, t->dims);
}

static TccStatus *open_tensors(const TccTrainer *trainer, const char *path, TrainData *d) {
  Wrong wrong = {0};
  TCC_TRY(tcc_safetensors_open(path, &d->tensors));
  for (size_t i = 0; i < d->ninputs; i++) note(&wrong, take_tensor(trainer, path, d, i));
  return all_of(&wrong);
}

/* ---- tokens ---- */
static TccStatus *open_tokens(const TccTrainer *trainer, const char *path, TrainData *d) {
  int64_t count;
  TCC_TRY(tcc_file_map(path, &d->maps[d->nmaps]));
  const TccFileMap *map = &d->maps[d->nmaps];
  d->files[d->nmaps++] = path;
  TccStatus *status = tcc_tokens_parse(map->data, map->length, &d->tokens, &count);
  if (status) return tcc_status_context(status, "%s", path);
  if (d->ninputs > 2) return TCC_ERROR(TCC_INVALID, "%s: tokens are for models of one input or two", path);
  for (size_t i = 0; i < d->ninputs; i++) {
    const TccPortInfo *port = tcc_trainer_input(trainer, i);
    if (port->rank != 2 || port->dtype.code != TCC_DTYPE_INT || port->dtype.bits < 32 ||
        port->dims[1] != tcc_trainer_input(trainer, 0)->dims[1])
      return TCC_ERROR(TCC_INVALID, "%s: tokens are for inputs [batch, length] of i32 or i64, unlike '%s'", path, port->name);
  }
  d->window = d->input[0].shape[1];
  d->count = d->window > 0 && count > 0 ? (count - 1) / d->window : 0;
  return NULL;
}

static void put_tokens(const TrainData *d, size_t input, int64_t row, int64_t sample) {
  const TrainInput *in = &d->input[input];
  const uint16_t *from = d->tokens + sample * d->window + (int64_t)input;
  for (int64_t i = 0; i < d->window; i++) {
    if (in->tensor.dtype.bits == 64) ((int64_t *)in->tensor.data)[row * d->window + i] = from[i];
    else ((int32_t *)in->tensor.data)[row * d->window + i] = from[i];
  }
}

/* ---- the order ---- */
static uint64_t mixed(uint64_t x) { /* the finaliser of MurmurHash3 */
  x = (x ^ x >> 33) * UINT64_C(0xff51afd7ed558ccd);
  x = (x ^ x >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
  return x ^ x >> 33;
}

static int64_t shuffled(int64_t index, int64_t count, uint64_t key) {
  int half = 1;
  while (half < 31 && (INT64_C(1) << 2 * half) < count) half++;
  const uint64_t mask = (UINT64_C(1) << half) - 1;
  uint64_t at = (uint64_t)index;
  do {
    uint64_t left = at >> half, right = at & mask;
    for (uint64_t round = 0; round < 4; round++) {
      uint64_t next = left ^ (mixed(right + (key ^ mixed(round + 1))) & mask);
      left = right, right = next;
    }
    at = left << half | right;
  } while (at >= (uint64_t)count);
  return (int64_t)at;
}

void train_data_batch(TrainData *d, int64_t first, uint64_t seed, bool shuffle) {
  int64_t whole = d->count / d->size * d->size;
  for (int64_t row = 0; row < d->size; row++) {
    int64_t at = first + row, sample = at % whole;
    if (shuffle) sample = shuffled(sample, d->count, mixed(seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)(at / whole)));
    for (size_t i = 0; i < d->ninputs; i++) {
      TrainInput *in = &d->input[i];
      if (d->tokens) put_tokens(d, i, row, sample);
      else
        memcpy((char *)in->tensor.data + (size_t)row * in->sample_bytes, in->samples + (size_t)sample * in->sample_bytes,
               in->sample_bytes);
    }
  }
}

TccStatus *train_data_open(const TccTrainer *trainer, const char *path, TrainData *d) {
  struct stat info;
  Wrong wrong = {0};
  *d = (TrainData){.arena = tcc_arena_create(), .ninputs = tcc_trainer_input_count(trainer)};
  if (d->ninputs < 1 || d->ninputs > TRAIN_MOST_INPUTS) return TCC_ERROR(TCC_UNSUPPORTED, "a model of %zu inputs", d->ninputs);
  for (size_t i = 0; i < d->ninputs; i++) {
    note(&wrong, make_batch(tcc_trainer_input(trainer, i), d, &d->input[i]));
    d->batch[i] = d->input[i].tensor;
  }
  TCC_TRY(all_of(&wrong));
  if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) TCC_TRY(open_folder(trainer, path, d));
  else if (ends_in(path, ".safetensors") || ends_in(path, ".json")) TCC_TRY(open_tensors(trainer, path, d));
  else TCC_TRY(open_tokens(trainer, path, d));
  if (d->size < 1 || d->count < d->size)
    return TCC_ERROR(TCC_INVALID, "%s has %lld samples, a batch takes %lld", path, (long long)d->count, (long long)d->size);
  return NULL;
}

bool train_data_is(const TrainData *d, const char *file) {
  for (size_t i = 0; i < d->nmaps; i++)
    if (tcc_same_file(d->files[i], file)) return true;
  return false;
}

void train_data_close(TrainData *d) {
  for (size_t i = 0; i < d->ninputs && i < TRAIN_MOST_INPUTS; i++) free(d->input[i].tensor.data);
  for (size_t i = 0; i < d->nmaps; i++) tcc_file_unmap(&d->maps[i]);
  tcc_safetensors_close(d->tensors);
  tcc_arena_destroy(d->arena);
  *d = (TrainData){0};
}
