/* ptx_check.c - runs the launches that a PTX file describes in its comments, on the emulator: ptx-check [--seed=N] FILE.
 *
 *     // launch KERNEL grid 4 block 256,1,1 shared 1024 : f32*256 zero*1024 i32=7
 *     // print 1 8
 *
 * Arguments: f32*N and f16*N are N numbers (i mod 13) - 6, zero*BYTES zeros, i32=V and i64=V values. `print A N` prints N floats of argument A
 * (from 0) behind the last launch. Exit status 1 and the report if something is found. */
#include "test/emulate/ptx/ptx.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32 };
typedef struct {
  void *memory[MOST];
  unsigned char words[MOST * 8];
  size_t used;
  int count;
} Arguments;

static void *read_file(const char *path) {
  FILE *file = fopen(path, "r");
  char *text = calloc(1, 1 << 20);
  if (!file || !text) exit(2);
  if (fread(text, 1, (1 << 20) - 1, file) == 0) exit(2);
  fclose(file);
  return text;
}

static void put(Arguments *a, const void *value, size_t bytes) {
  a->used = (a->used + bytes - 1) / bytes * bytes;
  memcpy(a->words + a->used, value, bytes);
  a->used += bytes;
}

static void add(EmuDevice *device, Arguments *a, const char *word) {
  long long number = strtoll(strpbrk(word, "*=") + 1, NULL, 0);
  if (word[0] == 'i') {
    if (strncmp(word, "i32", 3) == 0) put(a, &(int){(int)number}, 4);
    else put(a, &number, 8);
    a->count++;
    return;
  }
  size_t each = strncmp(word, "f32", 3) == 0 ? 4 : strncmp(word, "f16", 3) == 0 ? 2 : 1;
  char *memory = emu_allocate(device, (size_t)number * each);
  for (long long i = 0; i < number; i++) {
    float f = (float)(i % 13 - 6);
    _Float16 h = (_Float16)f;
    memcpy(memory + (size_t)i * each, each == 4 ? (void *)&f : each == 2 ? (void *)&h : (void *)"", each);
  }
  a->memory[a->count++] = memory;
  put(a, &memory, 8);
}

static void three(const char *word, uint32_t *out) {
  out[0] = out[1] = out[2] = 1;
  sscanf(word, "%u,%u,%u", &out[0], &out[1], &out[2]);
}

static bool launch(EmuDevice *device, EmuModule *module, char *line, Arguments *a) {
  EmuLaunch l = {.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}};
  bool arguments = false;
  char *save = NULL;
  for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
    if (arguments) add(device, a, word);
    else if (strcmp(word, ":") == 0) arguments = true;
    else if (strcmp(word, "grid") == 0) three(strtok_r(NULL, " ", &save), l.grid);
    else if (strcmp(word, "block") == 0) three(strtok_r(NULL, " ", &save), l.block);
    else if (strcmp(word, "cluster") == 0) three(strtok_r(NULL, " ", &save), l.cluster);
    else if (strcmp(word, "shared") == 0) l.dynamic_shared = (uint32_t)strtoul(strtok_r(NULL, " ", &save), NULL, 0);
    else if (!(l.kernel = emu_kernel_find(module, word))) {
      fprintf(stderr, "no kernel '%s'\n", word);
      exit(2);
    }
  }
  if (!l.kernel || a->used != emu_kernel_parameter_bytes(l.kernel)) {
    fprintf(stderr, "%zu bytes of parameters given\n", a->used);
    exit(2);
  }
  l.parameters = a->words;
  return emu_launch(device, &l);
}

int main(int argc, char **argv) {
  uint64_t seed = 1;
  if (argc > 2 && strncmp(argv[1], "--seed=", 7) == 0) seed = strtoull(argv[1] + 7, NULL, 0), argv++, argc--;
  if (argc != 2) return 2;
  char *text = read_file(argv[1]), error[400], *save = NULL;
  EmuModule *module = emu_module_parse(text, error, sizeof error);
  if (!module) {
    printf("%s\n", error);
    free(text);
    return 1;
  }
  EmuDevice *device = emu_device_create(seed);
  Arguments a = {0};
  int launches = 0;
  bool ok = true;
  for (char *line = strtok_r(text, "\n", &save); line && ok; line = strtok_r(NULL, "\n", &save)) {
    int which, count;
    if (strncmp(line, "// launch ", 10) == 0) {
      a = (Arguments){0};
      ok = launch(device, module, line + 10, &a);
      launches++;
    } else if (sscanf(line, "// print %d %d", &which, &count) == 2) {
      for (int i = 0; i < count; i++) printf("%g%c", (double)((float *)a.memory[which])[i], i + 1 == count ? '\n' : ' ');
    }
  }
  printf("%s", emu_report(device));
  emu_device_destroy(device);
  emu_module_destroy(module);
  free(text);
  return ok && launches ? 0 : 1;
}
