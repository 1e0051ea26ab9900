/* launches.c - see launches.h. */
#include "test/emulate/launches.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAP_BYTES = 128, MAP_RANK = 5 }; /* of tensor maps */
enum { MOST = 32 };
typedef struct Arguments Arguments;
struct Arguments {
  const Arguments *before; /* of the launch before */
  void *memory[MOST], *pointer[MOST], *parameters[MOST + 1];
  unsigned char values[MOST][MAP_BYTES];
  int count;
};

/* memory, pointer: NULL of a value. */
static void put(Arguments *a, const void *value, size_t bytes, void *memory, void *pointer) {
  if (a->count == MOST) exit(2);
  a->parameters[a->count] = memcpy(a->values[a->count], value, bytes);
  a->memory[a->count] = memory;
  a->pointer[a->count++] = pointer;
}

static uint32_t numbers(const char *list, int64_t *out) {
  uint32_t n = 0;
  for (char *end; n < MAP_RANK; list = end + 1) {
    out[n++] = strtoll(list, &end, 10);
    if (*end != 'x') break;
  }
  return n;
}

/* "4x4@8x3/2": sizes of axes, elements between neighbours along one if they do not follow each other, and places from one that is taken to the next. */
static uint32_t extents(const char *list, uint64_t *sizes, uint64_t *strides, uint32_t *steps) {
  uint32_t n = 0;
  for (char *end; n < MAP_RANK; list = end + 1, n++) {
    sizes[n] = strtoull(list, &end, 10);
    strides[n] = n ? strides[n - 1] * sizes[n - 1] : 1;
    if (*end == '@') strides[n] = strtoull(end + 1, &end, 10);
    steps[n] = *end == '/' ? (uint32_t)strtoul(end + 1, &end, 10) : 1;
    if (*end != 'x') return n + 1;
  }
  return n;
}

/* The driver's types by name. */
static int map_type(const char *name, size_t *out_bytes) {
  static const struct {
    const char *name;
    int type;
    size_t bytes;
  } types[] = {{"u8", 0, 1}, {"f16", 6, 2}, {"f32", 7, 4}, {"bf16", 9, 2}, {"tf32", 11, 4}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0) {
      *out_bytes = types[i].bytes;
      return types[i].type;
    }
  fprintf(stderr, "no type '%s'\n", name);
  exit(2);
}

static void add_map(const LaunchDevice *device, Arguments *a, const char *word) {
  _Alignas(64) unsigned char map[128];
  char type[8], sizes_of[64], box_of[64], lower_of[64] = "", upper_of[64] = "";
  int which, swizzle, error, lower[3], upper[3];
  bool tile = word[0] == 't';
  int fields = tile ? sscanf(word, "tile=%d,%7[^,],%63[^,],%63[^,],%d", &which, type, sizes_of, box_of, &swizzle)
                    : sscanf(word, "im2col=%d,%7[^,],%63[^,],%63[^,],%63[^,],%63[^,],%d", &which, type, sizes_of, box_of, lower_of,
                             upper_of, &swizzle);
  if (fields != (tile ? 5 : 7) || which >= a->count) exit(2);
  int64_t box[MAP_RANK], corner[MAP_RANK];
  uint64_t extent[MAP_RANK], strides[MAP_RANK];
  uint32_t steps[MAP_RANK], boxes[MAP_RANK], rank = extents(sizes_of, extent, strides, steps), n = numbers(box_of, box);
  size_t bytes;
  int number = map_type(type, &bytes);
  for (uint32_t i = 0; i < rank; i++) boxes[i] = i < n ? (uint32_t)box[i] : 1;
  for (uint32_t i = 1; i < rank; i++) strides[i - 1] = strides[i] * bytes;
  for (uint32_t i = numbers(lower_of, corner); i-- > 0 && i < 3;) lower[i] = (int)corner[i];
  for (uint32_t i = numbers(upper_of, corner); i-- > 0 && i < 3;) upper[i] = (int)corner[i];
  if (tile) error = device->tiled(map, number, rank, a->memory[which], extent, strides, boxes, steps, 0, swizzle, 0, 0);
  else
    error = device->im2col(map, number, rank, a->memory[which], extent, strides, lower, upper, boxes[0], boxes[1], steps, 0,
                           swizzle, 0, 0);
  if (error) {
    printf("tensor map '%s': error %d\n", word, error);
    exit(1);
  }
  put(a, map, sizeof map, NULL, NULL);
}

static void fill(char *memory, const char *type, long long count) {
  for (long long i = 0; i < count; i++) {
    float f = (float)(i % 13 - 6);
    _Float16 h = (_Float16)f;
    if (strncmp(type, "f32", 3) == 0) memcpy(memory + 4 * i, &f, 4);
    else if (strncmp(type, "f16", 3) == 0) memcpy(memory + 2 * i, &h, 2);
    else if (strncmp(type, "bf16", 4) == 0) memcpy(memory + 2 * i, (char *)&f + 2, 2);
    else memory[i] = strncmp(type, "s8", 2) == 0 ? (char)(i % 13 - 6) : strncmp(type, "u8", 2) == 0 ? (char)(i * 7 % 251) : 0;
  }
}

static void add_pointer(Arguments *a, void *memory, void *pointer) { put(a, &pointer, sizeof pointer, memory, pointer); }

static void add(const LaunchDevice *device, Arguments *a, const char *word) {
  if (strncmp(word, "tile=", 5) == 0 || strncmp(word, "im2col=", 7) == 0) {
    add_map(device, a, word);
    return;
  }
  char *end;
  long long number = strtoll(strpbrk(word, "*=") + 1, &end, 0);
  if (strncmp(word, "same=", 5) == 0) {
    if (number < 0 || number >= a->before->count) exit(2);
    add_pointer(a, a->before->memory[number], a->before->pointer[number]);
    return;
  }
  if (word[0] == 'i') {
    if (strncmp(word, "i32", 3) == 0) put(a, &(int){(int)number}, 4, NULL, NULL);
    else put(a, &number, 8, NULL, NULL);
    return;
  }
  size_t each = strncmp(word, "f32", 3) == 0 ? 4 : strncmp(word, "f16", 3) == 0 || strncmp(word, "bf16", 4) == 0 ? 2 : 1;
  char *bytes = calloc((size_t)number * each + 1, 1);
  if (!bytes) exit(2);
  fill(bytes, word, number);
  void *memory = device->allocate(device->user, bytes, (size_t)number * each);
  free(bytes);
  add_pointer(a, memory, (char *)memory + (*end == '+' ? strtoll(end + 1, NULL, 0) : 0));
}

static void three(const char *word, uint32_t *out) {
  out[0] = out[1] = out[2] = 1;
  sscanf(word, "%u,%u,%u", &out[0], &out[1], &out[2]);
}

static bool launch(const LaunchDevice *device, char *line, Arguments *a) {
  uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1}, cluster[3] = {1, 1, 1}, shared = 0;
  bool arguments = false;
  char *save = NULL, *kernel = NULL;
  for (char *word = strtok_r(line, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
    if (arguments) add(device, a, word);
    else if (strcmp(word, ":") == 0) arguments = true;
    else if (strcmp(word, "grid") == 0) three(strtok_r(NULL, " ", &save), grid);
    else if (strcmp(word, "block") == 0) three(strtok_r(NULL, " ", &save), block);
    else if (strcmp(word, "cluster") == 0) three(strtok_r(NULL, " ", &save), cluster);
    else if (strcmp(word, "shared") == 0) shared = (uint32_t)strtoul(strtok_r(NULL, " ", &save), NULL, 0);
    else kernel = word;
  }
  if (kernel) return device->launch(device->user, kernel, grid, block, cluster, shared, a->parameters);
  fprintf(stderr, "a launch without a kernel\n");
  exit(2);
}

static void print(const LaunchDevice *device, const void *memory, int count) {
  float *values = calloc((size_t)count + 1, sizeof *values);
  if (!values || !device->read(device->user, values, memory, (size_t)count * sizeof *values)) exit(2);
  for (int i = 0; i < count; i++) printf("%g%c", (double)values[i], i + 1 == count ? '\n' : ' ');
  free(values);
}

int launches_run(const LaunchDevice *device, char *text) {
  char *save = NULL;
  Arguments each[2] = {{0}};
  int launches = 0;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    int which, count;
    if (strncmp(line, "// launch ", 10) == 0) {
      Arguments *a = &each[++launches % 2];
      *a = (Arguments){.before = &each[(launches + 1) % 2]};
      if (!launch(device, line + 10, a)) return -1;
    } else if (sscanf(line, "// print %d %d", &which, &count) == 2) {
      print(device, each[launches % 2].memory[which], count);
    }
  }
  return launches;
}
