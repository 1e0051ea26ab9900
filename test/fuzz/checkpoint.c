/* Bytes of a checkpoint, taken by a trainer of a parameter, a state of it and a counter of steps. */
#include "lib/train/trainer.h"
#include <assert.h>
#include <string.h>

enum { SIZE = 3, PLACE = 2 };
static float weight[SIZE], momentum[SIZE];
static int64_t steps;

static TrainState state(const char *name, void *data, TccDtype type, int32_t rank, size_t bytes) {
  return (TrainState){.name = name, .shape = {SIZE}, .bytes = bytes, .tensor = {.data = data, .rank = rank, .dtype = type}};
}

/* What tcc_safetensors_open makes of a file. */
static TccStatus *open_bytes(TccArena *arena, const uint8_t *data, size_t size, TccSafetensors *out) {
  TccSafetensorsFile *file = TCC_NEW(arena, TccSafetensorsFile);
  file->path = "fuzz", file->map.data = (const char *)data, file->map.length = size;
  *out = (TccSafetensors){.arena = arena, .files = file, .nfiles = 1, .by_name = tcc_map_create(arena)};
  TCC_TRY(tcc_safetensors_read(arena, (TccStr){(const char *)data, size}, "fuzz", 0, &out->tensors, &out->count));
  for (size_t i = 0; i < out->count; i++) tcc_map_put(out->by_name, out->tensors[i].name, NULL)->integer = (int64_t)i;
  return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccArena *arena;
  if (!arena) arena = tcc_arena_create();
  tcc_arena_reset(arena);
  const TccDtype number = {TCC_DTYPE_FLOAT, 32, 1}, integer = {TCC_DTYPE_INT, 64, 1};
  TrainState states[] = {state("w", weight, number, 1, sizeof weight), state("w:m", momentum, number, 1, sizeof momentum),
                         state("step", &steps, integer, 0, sizeof steps)};
  for (size_t i = 0; i < 2; i++) states[i].tensor.shape = states[i].shape;
  TccTrainer trainer = {.arena = arena, .path = "model", .states = states, .nstates = 3, .counter = 2, .exponent = 3};
  TccSafetensors file;
  int64_t place[PLACE] = {-1, -1};
  memset(weight, 0, sizeof weight), memset(momentum, 0, sizeof momentum), steps = 0;
  TccStatus *status = open_bytes(arena, data, size, &file);
  if (!status) status = train_take_checkpoint(&trainer, &file, "fuzz", place, PLACE);
  assert(steps >= 0 && steps <= TRAIN_MOST_STEPS);
  assert(!status || (!steps && !weight[0] && !momentum[0] && place[0] == -1)); /* all or none */
  tcc_status_destroy(status);
  return 0;
}
