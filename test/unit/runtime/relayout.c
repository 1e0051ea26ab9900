/* The builtin relayout against its definition (abi.h), element by element, for many tables, in pieces as a team would. */
#include "lib/runtime/internal.h"
#include "tcc/abi.h"
#include <stdio.h>

enum { SOURCE = 1 << 16, RESULT = 1 << 16, TABLES = 3000 };

static uint32_t state = 7;
static int64_t choose(int64_t low, int64_t high) { /* both included */
  state = state * 1664525u + 1013904223u;
  return low + (int64_t)((state >> 8) % (uint32_t)(high - low + 1));
}

static const unsigned char *element(const int64_t *sizes, const unsigned char *source, const int64_t *index) {
  const int64_t *dims = sizes + TCC_RELAYOUT_HEAD, *bound = dims + 2 * sizes[TCC_RELAYOUT_NDIMS];
  int64_t n = sizes[TCC_RELAYOUT_NDIMS], at = sizes[TCC_RELAYOUT_OFFSET];
  for (int64_t i = 0; i < sizes[TCC_RELAYOUT_NBOUNDS]; i++, bound += 3 + n) {
    int64_t value = bound[0];
    for (int64_t d = 0; d < n; d++) value += index[d] * bound[3 + d];
    if (value < bound[1] || value >= bound[2]) return NULL;
  }
  for (int64_t d = 0; d < n; d++) at += index[d] * dims[2 * d + 1];
  return source + at * sizes[TCC_RELAYOUT_BYTES];
}

/* Returns the number of its tiles. */
static int64_t make_table(int64_t *sizes) {
  int64_t n = choose(1, 4), *dims = sizes + TCC_RELAYOUT_HEAD, *bound = dims + 2 * n, run = -1, blocks = 1, step = 1;
  sizes[TCC_RELAYOUT_BYTES] = (int64_t)1 << choose(0, 3);
  sizes[TCC_RELAYOUT_NDIMS] = n;
  sizes[TCC_RELAYOUT_NBOUNDS] = choose(0, 2);
  sizes[TCC_RELAYOUT_OFFSET] = 0;
  int64_t first = choose(0, n - 1); /* the dim along which the source is contiguous */
  for (int64_t k = 0; k < n; k++) {
    int64_t d = (first + k) % n;
    dims[2 * d] = choose(1, n > 2 ? 7 : 40);
    dims[2 * d + 1] = step;
    step *= dims[2 * d] + choose(0, 1);
  }
  if (first < n - 1 && choose(0, 3)) run = first;
  sizes[TCC_RELAYOUT_RUN] = run;
  sizes[TCC_RELAYOUT_ROWS] = run < 0 ? 1 : choose(1, 12);
  sizes[TCC_RELAYOUT_COLUMNS] = choose(1, 20);
  sizes[TCC_RELAYOUT_BLOCKS] = choose(1, 3);
  for (int64_t d = 0; d < n; d++) {
    int64_t unit = d == n - 1 ? sizes[TCC_RELAYOUT_COLUMNS] : d == run ? sizes[TCC_RELAYOUT_ROWS] : 1;
    blocks *= (dims[2 * d] + unit - 1) / unit;
  }
  for (int64_t i = 0; i < sizes[TCC_RELAYOUT_NBOUNDS]; i++, bound += 3 + n) {
    bound[0] = choose(-2, 2), bound[1] = choose(-3, 3), bound[2] = bound[1] + choose(0, 30);
    for (int64_t d = 0; d < n; d++) bound[3 + d] = choose(-1, 2);
  }
  return (blocks + sizes[TCC_RELAYOUT_BLOCKS] - 1) / sizes[TCC_RELAYOUT_BLOCKS];
}

static bool agrees(const int64_t *sizes, int64_t tiles, unsigned char *source, unsigned char *result) {
  static const unsigned char zeros[8];
  TccKernelFunction *relayout = tcc_builtin_find("relayout");
  void *arguments[] = {source, result};
  const int64_t *dims = sizes + TCC_RELAYOUT_HEAD;
  int64_t n = sizes[TCC_RELAYOUT_NDIMS], bytes = sizes[TCC_RELAYOUT_BYTES], count = 1, cut = choose(0, tiles);
  for (int64_t d = 0; d < n; d++) count *= dims[2 * d];
  memset(result, 0xee, RESULT * 8);
  relayout(arguments, sizes, NULL, cut, tiles);
  relayout(arguments, sizes, NULL, 0, cut);
  for (int64_t i = 0; i < count; i++) {
    int64_t index[4], rest = i;
    for (int64_t d = n; d-- > 0; rest /= dims[2 * d]) index[d] = rest % dims[2 * d];
    const unsigned char *want = element(sizes, source, index);
    if (memcmp(result + i * bytes, want ? want : zeros, (size_t)bytes)) return false;
  }
  return result[count * bytes] == 0xee;
}

int main(void) {
  unsigned char *source = malloc(SOURCE * 8), *result = malloc(RESULT * 8);
  int failures = 0;
  for (size_t i = 0; i < SOURCE * 8; i++) source[i] = (unsigned char)(i * 2654435761u >> 13);
  for (int t = 0; t < TABLES; t++) {
    int64_t sizes[64], tiles = make_table(sizes);
    if (agrees(sizes, tiles, source, result)) continue;
    if (!failures++) printf("failed: table %d\n", t);
  }
  free(source);
  free(result);
  return failures != 0;
}
