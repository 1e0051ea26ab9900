/* Copies between strided and dense tensors against their definition, element by element: permutations, gaps, strides of 0 and negative ones,
 * axes of one element with any stride, elements of all sizes at any address. */
#include "lib/runtime/internal.h"
#include <stdio.h>

enum { MEMORY = 1 << 19, TENSORS = 2000, MOST = 5 };

static uint32_t state = 7;
static int64_t choose(int64_t low, int64_t high) { /* both included */
  state = state * 1664525u + 1013904223u;
  return low + (int64_t)((state >> 8) % (uint32_t)(high - low + 1));
}

typedef struct {
  int64_t shape[MOST], strides[MOST];
  int64_t first, elements; /* of memory: where the tensor begins */
  TccTensor tensor;
} Case;

/* overlaps: axes may be repeated. */
static void make_case(Case *c, TccElem elem, unsigned char *memory, bool overlaps) {
  const int rank = (int)choose(1, MOST);
  int order[MOST];
  int64_t step = choose(0, 3) ? 1 : choose(1, 3), lowest = 0;
  for (int i = 0; i < rank; i++) order[i] = i;
  for (int i = 0; i < rank; i++) {
    const int other = (int)choose(0, rank - 1), old = order[i];
    order[i] = order[other], order[other] = old;
  }
  c->elements = 1;
  for (int i = 0; i < rank; i++) {
    const int axis = order[i];
    c->shape[axis] = choose(1, rank > 3 ? 5 : rank > 2 ? 20 : 45);
    c->strides[axis] = step;
    if (c->shape[axis] == 1) c->strides[axis] = choose(0, 1) ? INT64_MAX - choose(0, 5) : step;
    else if (overlaps && !choose(0, 5)) c->strides[axis] = 0;
    else step *= c->shape[axis] + (choose(0, 2) ? 0 : choose(0, 2));
    if (c->shape[axis] > 1 && !choose(0, 5))
      c->strides[axis] = -c->strides[axis], lowest += (c->shape[axis] - 1) * c->strides[axis];
    c->elements *= c->shape[axis];
  }
  c->first = -lowest;
  const uint64_t bytes = tcc_elem_bytes(elem, 1), offset = (uint64_t)choose(0, 1) * (uint64_t)choose(0, 9);
  c->tensor = (TccTensor){.data = memory,
                          .dtype = tcc_elem_dtype(elem),
                          .rank = rank,
                          .shape = c->shape,
                          .strides = c->strides,
                          .byte_offset = (uint64_t)c->first * bytes + offset};
}

/* Where element n is, row by row. */
static unsigned char *element(const Case *c, size_t width, int64_t n) {
  uintptr_t at = (uintptr_t)c->tensor.data + c->tensor.byte_offset;
  for (int i = c->tensor.rank; i-- > 0; n /= c->shape[i]) at += (uintptr_t)(n % c->shape[i]) * (uintptr_t)c->strides[i] * width;
  return (unsigned char *)at;
}

static bool check(TccElem elem, unsigned char *memory, unsigned char *dense, unsigned char *before) {
  const size_t width = tcc_elem_bytes(elem, 1);
  Case c;
  make_case(&c, elem, memory, true);
  tcc_tensor_pack(&c.tensor, elem, (size_t)c.elements * width, dense);
  for (int64_t n = 0; n < c.elements; n++)
    if (memcmp(dense + (size_t)n * width, element(&c, width, n), width)) return false;
  make_case(&c, elem, memory, false);
  for (size_t i = 0; i < (size_t)c.elements * width; i++) dense[i] = (unsigned char)choose(0, 255);
  memcpy(before, memory, MEMORY);
  tcc_tensor_unpack(dense, elem, (size_t)c.elements * width, &c.tensor);
  for (int64_t n = 0; n < c.elements; n++) { /* what lies between stays */
    unsigned char *there = element(&c, width, n);
    if (memcmp(dense + (size_t)n * width, there, width)) return false;
    memcpy(there, before + (there - memory), width);
  }
  return !memcmp(before, memory, MEMORY);
}

int main(void) {
  static const TccElem elems[] = {TCC_ELEM_F32, TCC_ELEM_F32, TCC_ELEM_U8, TCC_ELEM_BF16, TCC_ELEM_F64};
  unsigned char *memory = malloc(MEMORY), *dense = malloc(MEMORY), *before = malloc(MEMORY);
  bool ok = memory && dense && before;
  for (int64_t i = 0; ok && i < MEMORY; i++) memory[i] = (unsigned char)choose(0, 255);
  for (int i = 0; ok && i < TENSORS; i++)
    if (!check(elems[i % 5], memory, dense, before)) fprintf(stderr, "tensor %d differs\n", i), ok = false;
  free(memory), free(dense), free(before);
  return !ok;
}
