/* ptx_check.c - runs the launches that a PTX file describes in its comments (launches.h), on the emulator: ptx-check [--seed=N] FILE. Exit
 * status 1 and the report if something is found. */
#include "test/emulate/launches.h"
#include "test/emulate/ptx/ptx.h"
#include "test/emulate/ptx/tensor_map.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  EmuDevice *device;
  EmuModule *module;
} Emulator;

static void *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  if (!file || !text) exit(2);
  if (fread(text, 1, (1 << 20) - 1, file) == 0) exit(2);
  fclose(file);
  return text;
}

static void *allocate(void *user, const void *bytes, size_t count) {
  void *memory = emu_allocate(((Emulator *)user)->device, count);
  if (!memory) exit(2);
  return memcpy(memory, bytes, count);
}

static bool read_memory(void *user, void *to, const void *from, size_t count) {
  if (!emu_holds(((Emulator *)user)->device, from, count)) return false;
  memcpy(to, from, count);
  return true;
}

static bool launch(void *user, const char *kernel, const uint32_t grid[3], const uint32_t block[3], const uint32_t cluster[3],
                   uint32_t shared, void *const *parameters) {
  const Emulator *e = user;
  EmuLaunch l = {.kernel = emu_kernel_find(e->module, kernel), .dynamic_shared = shared};
  char *values = l.kernel ? calloc(emu_kernel_parameter_bytes(l.kernel) + 1, 1) : NULL;
  if (!values || !emu_kernel_gather(l.kernel, parameters, values)) {
    fprintf(stderr, l.kernel ? "'%s' has more or fewer parameters\n" : "no kernel '%s'\n", kernel);
    exit(2);
  }
  l.parameters = values;
  memcpy(l.grid, grid, sizeof l.grid);
  memcpy(l.block, block, sizeof l.block);
  memcpy(l.cluster, cluster, sizeof l.cluster);
  const bool done = emu_launch(e->device, &l);
  free(values);
  return done;
}

int main(int argc, char **argv) {
  uint64_t seed = 1;
  if (argc > 2 && strncmp(argv[1], "--seed=", 7) == 0) seed = strtoull(argv[1] + 7, NULL, 0), argv++, argc--;
  if (argc != 2) return 2;
  char *text = read_file(argv[1]), error[400];
  Emulator e = {.module = emu_module_parse(text, error, sizeof error)};
  if (!e.module) {
    printf("%s\n", error);
    free(text);
    return 1;
  }
  e.device = emu_device_create(seed);
  const LaunchDevice device = {&e, allocate, read_memory, launch, tensor_map_tiled, tensor_map_im2col};
  int launches = launches_run(&device, text);
  printf("%s", emu_report(e.device));
  emu_device_destroy(e.device);
  emu_module_destroy(e.module);
  free(text);
  return launches > 0 ? 0 : 1;
}
