/* checkpoint.c - what a trainer keeps, as safetensors files; a model file with other numbers. */
#include "lib/train/trainer.h"
#include "tcc/safetensors.h"
#include <stdlib.h>
#include <string.h>

static const char place_name[] = "train:place";
enum { HEADER_ALIGNMENT = 8 };

static const char *type_name(TccDtype type) {
  static const struct {
    uint8_t code, bits;
    const char *name;
  } names[] = {{TCC_DTYPE_FLOAT, 32, "F32"}, {TCC_DTYPE_FLOAT, 64, "F64"},   {TCC_DTYPE_FLOAT, 16, "F16"},
               {TCC_DTYPE_INT, 64, "I64"},   {TCC_DTYPE_BFLOAT, 16, "BF16"}, {TCC_DTYPE_INT, 32, "I32"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (names[i].code == type.code && names[i].bits == type.bits) return names[i].name;
  return NULL;
}

static void put_name(TccText *out, const char *name) {
  tcc_text_put(out, "\"", 1);
  for (const unsigned char *c = (const unsigned char *)name; *c; c++) {
    if (*c == '"' || *c == '\\') tcc_text_printf(out, "\\%c", *c);
    else if (*c < ' ') tcc_text_printf(out, "\\u%04x", *c);
    else tcc_text_put(out, (const char *)c, 1);
  }
  tcc_text_put(out, "\"", 1);
}

static void put_entry(TccText *header, const char *name, const char *type, int32_t rank, const int64_t *shape, size_t *at,
                      size_t bytes) {
  tcc_text_put(header, header->length > 1 ? "," : "", header->length > 1);
  put_name(header, name);
  tcc_text_printf(header, ":{\"dtype\":\"%s\",\"shape\":[", type);
  for (int32_t i = 0; i < rank; i++) tcc_text_printf(header, "%s%lld", i ? "," : "", (long long)shape[i]);
  tcc_text_printf(header, "],\"data_offsets\":[%zu,%zu]}", *at, *at + bytes);
  *at += bytes;
}

TccStatus *tcc_trainer_save(const TccTrainer *t, const char *path, const int64_t *place, size_t nplace) {
  TccText header = {0};
  size_t at = 0, n = 0;
  int64_t count = (int64_t)nplace;
  TCC_TRY(tcc_trainer_read_states(t));
  tcc_text_put(&header, "{", 1);
  TccStr *parts = TCC_NEW_ARRAY(t->arena, TccStr, t->nstates + 3);
  parts[n++] = (TccStr){0}, parts[n++] = (TccStr){0};
  put_entry(&header, place_name, "I64", 1, &count, &at, nplace * sizeof *place);
  parts[n++] = (TccStr){(const char *)place, nplace * sizeof *place};
  for (size_t i = 0; i < t->nstates; i++) {
    const TrainState *s = &t->states[i];
    const char *type = type_name(s->tensor.dtype);
    if (!type)
      return tcc_text_destroy(&header), TCC_ERROR(TCC_UNSUPPORTED, "'%s' is of a type that the file format has not", s->name);
    put_entry(&header, s->name, type, s->tensor.rank, s->shape, &at, s->bytes);
    parts[n++] = (TccStr){s->tensor.data, s->bytes};
  }
  tcc_text_put(&header, "}", 1);
  while (header.length % HEADER_ALIGNMENT) tcc_text_put(&header, " ", 1);
  uint64_t length = header.length;
  parts[0] = (TccStr){(const char *)&length, sizeof length}, parts[1] = tcc_text_str(&header);
  TccStatus *status = tcc_file_write_durably(path, parts, n);
  tcc_text_destroy(&header);
  return status;
}

/* ---- reading ---- */
static bool same_shape(const TccSafetensor *tensor, int32_t rank, const int64_t *shape) {
  bool same = tensor->rank == (size_t)rank;
  for (int32_t i = 0; same && i < rank; i++) same = tensor->dims[i] == shape[i];
  return same;
}

static TccStatus *differs(const char *path, const char *name, const char *how) {
  return TCC_ERROR(TCC_MISMATCH, "%s is a checkpoint of another model or optimiser: '%s' %s", path, name, how);
}

static TccStatus *check(const TccTrainer *t, const TccSafetensors *file, const char *path, size_t nplace) {
  int64_t count = (int64_t)nplace;
  const TccSafetensor *place = tcc_safetensors_find(file, tcc_str(place_name));
  if (nplace && (!place || place->elem != TCC_ELEM_I64 || !same_shape(place, 1, &count)))
    return differs(path, place_name, place ? "has another size" : "is not in it");
  for (size_t i = 0; i < t->nstates; i++) {
    const TrainState *s = &t->states[i];
    const TccSafetensor *tensor = tcc_safetensors_find(file, tcc_str(s->name));
    if (!tensor) return differs(path, s->name, "is not in it");
    if (tensor->elem != tcc_dtype_elem(s->tensor.dtype)) return differs(path, s->name, "has another type");
    if (!same_shape(tensor, s->tensor.rank, s->shape)) return differs(path, s->name, "has another shape");
  }
  return file->count == t->nstates + 1 ? NULL : differs(path, "the file", "has further tensors");
}

/* A run counts on from this number. */
static TccStatus *check_steps(const TccTrainer *t, const TccSafetensors *file, const char *path) {
  const TrainState *counter = &t->states[t->counter];
  int64_t steps;
  memcpy(&steps, tcc_safetensors_data(file, tcc_safetensors_find(file, tcc_str(counter->name))), sizeof steps);
  if (steps >= 0 && steps <= TRAIN_MOST_STEPS) return NULL;
  return TCC_ERROR(TCC_INVALID, "%s: '%s' is %lld, no number of steps", path, counter->name, (long long)steps);
}

TccStatus *train_take_checkpoint(TccTrainer *t, const TccSafetensors *file, const char *path, int64_t *out_place, size_t nplace) {
  TCC_TRY(check(t, file, path, nplace));
  TCC_TRY(check_steps(t, file, path));
  for (size_t i = 0; i < t->nstates; i++) {
    const TccSafetensor *tensor = tcc_safetensors_find(file, tcc_str(t->states[i].name));
    if (t->states[i].bytes) memcpy(t->states[i].tensor.data, tcc_safetensors_data(file, tensor), t->states[i].bytes);
  }
  if (nplace)
    memcpy(out_place, tcc_safetensors_data(file, tcc_safetensors_find(file, tcc_str(place_name))), nplace * sizeof *out_place);
  return NULL;
}

TccStatus *tcc_trainer_restore(TccTrainer *t, const char *path, int64_t *out_place, size_t nplace) {
  TccSafetensors *file;
  TCC_TRY(tcc_safetensors_open(path, &file));
  TccStatus *status = train_take_checkpoint(t, file, path, out_place, nplace);
  tcc_safetensors_close(file);
  return status ? status : tcc_trainer_write_states(t);
}

/* ---- the model file ---- */
TccStatus *tcc_trainer_exports(const TccTrainer *t) {
  size_t length = strlen(t->path);
  if (length < 5 || strcmp(t->path + length - 5, ".onnx") != 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "%s: a model is exported as the .onnx that it came from", t->path);
  for (size_t i = 0; i < t->nstates; i++)
    if (t->states[i].parameter && t->states[i].weight->source != 0)
      return TCC_ERROR(TCC_UNSUPPORTED, "%s: '%s' lies in another file: a checkpoint holds it", t->path, t->states[i].name);
  return NULL;
}

/* The file with the bytes of weights replaced where they lie: nothing else of it changes, so what reads it reads the same graph. */
TccStatus *tcc_trainer_export(const TccTrainer *t, const char *path) {
  const TccFileMap *map = tcc_sources_file(t->sources, 0);
  TCC_TRY(tcc_trainer_exports(t));
  for (size_t i = 0; i < t->nstates; i++)
    if (t->states[i].parameter) TCC_TRY(train_read_state(t, &t->states[i]));
  char *copy = malloc(map->length + 1);
  if (!copy) return TCC_ERROR(TCC_NO_MEMORY, "no memory for the %zu bytes of %s", map->length, t->path);
  memcpy(copy, map->data, map->length);
  for (size_t i = 0; i < t->nstates; i++)
    if (t->states[i].parameter) memcpy(copy + t->states[i].weight->offset, t->states[i].tensor.data, t->states[i].bytes);
  TccStatus *status = tcc_file_write(path, copy, map->length);
  free(copy);
  return status;
}
