/* builtins.c - operations that are C functions of the run-time, with the kernel ABI (abi.h).
 *
 * topk     arguments x and those of values and indices that are wanted; sizes: elem, axis length, inner (elements behind
 *          the axis), k, largest, positions of values and of indices among the arguments (0: not wanted); a tile is one
 *          line along the axis; scratch: k * TCC_TOPK_SCRATCH bytes. Equal elements: the lower index first; NaN counts as
 *          the largest, as in NumPy's order.
 * nonzero  arguments x, coordinates [rank, count]; sizes: elem, rank, count, dims...; one tile.
 * dynamic_update_slice  arguments x, index, row, result; sizes: bytes of a row, rows; one tile. Copies a row alone where x is the result;
 *          an index that is outside writes none.
 * relayout see relayout.c; winograd see winograd.c; non_max_suppression see non_max_suppression.c. */
#include "internal.h"
#include <math.h>

/* ---- topk ---- */
typedef struct {
  double value;
  int64_t integer;
  int64_t index;
} Candidate;
_Static_assert(sizeof(Candidate) == TCC_TOPK_SCRATCH, "the compiler reserves this much");

static int compare_values(const Candidate *a, const Candidate *b, bool is_float) {
  if (!is_float) return (a->integer > b->integer) - (a->integer < b->integer);
  if (isnan(a->value) || isnan(b->value)) return isnan(a->value) - isnan(b->value);
  return (a->value > b->value) - (a->value < b->value);
}

typedef struct {
  TccElem elem;
  bool is_float, largest;
} Order;

/* True if a comes before b in the result. */
static bool precedes(const Order *order, const Candidate *a, const Candidate *b) {
  int c = order->elem == TCC_ELEM_U64
              ? ((uint64_t)a->integer > (uint64_t)b->integer) - ((uint64_t)a->integer < (uint64_t)b->integer)
              : compare_values(a, b, order->is_float);
  if (c == 0) return a->index < b->index;
  return order->largest ? c > 0 : c < 0;
}

/* heap[0] is the candidate that would leave first. */
static void sift_down(const Order *order, Candidate *heap, int64_t count, int64_t at) {
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && precedes(order, &heap[child], &heap[child + 1])) child++;
    if (!precedes(order, &heap[at], &heap[child])) return;
    Candidate swapped = heap[at];
    heap[at] = heap[child];
    heap[child] = swapped;
    at = child;
  }
}

static void swap(Candidate *a, Candidate *b) {
  Candidate c = *a;
  *a = *b;
  *b = c;
}

/* In the order of the result: quicksort, whose parts lie in caches where a heap's levels do not; a heap for a part that has been divided
 * badly too often (introsort, Musser 1997). No two candidates are equal. */
static void sort(const Order *order, Candidate *c, int64_t count, int divisions) {
  enum { FEW = 16 };
  while (count > FEW && divisions-- > 0) {
    Candidate *middle = &c[count / 2], *last = &c[count - 1];
    if (precedes(order, middle, c)) swap(middle, c);
    if (precedes(order, last, c)) swap(last, c);
    if (precedes(order, last, middle)) swap(last, middle);
    const Candidate pivot = *middle;
    int64_t i = 0, j = count - 1;
    while (i <= j) {
      while (precedes(order, &c[i], &pivot)) i++;
      while (precedes(order, &pivot, &c[j])) j--;
      if (i <= j) swap(&c[i++], &c[j--]);
    }
    if (j + 1 < count - i) { /* the smaller part first, so that calls are as deep as a logarithm at most */
      sort(order, c, j + 1, divisions);
      c += i, count -= i;
    } else {
      sort(order, c + i, count - i, divisions);
      count = j + 1;
    }
  }
  if (count > FEW)
    for (int64_t j = count / 2; j-- > 0;) sift_down(order, c, count, j);
  for (int64_t j = count; count > FEW && j-- > 1;) {
    swap(&c[0], &c[j]);
    sift_down(order, c, j, 0);
  }
  for (int64_t i = 1; count <= FEW && i < count; i++)
    for (int64_t j = i; j > 0 && precedes(order, &c[j], &c[j - 1]); j--) swap(&c[j], &c[j - 1]);
}

static void topk(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  Order order = {.elem = (TccElem)sizes[0], .is_float = tcc_elem_is_float((TccElem)sizes[0]), .largest = sizes[4] != 0};
  int64_t length = sizes[1], inner = sizes[2], k = sizes[3];
  char *values = sizes[5] ? arguments[sizes[5]] : NULL;
  int64_t *indices = sizes[6] ? arguments[sizes[6]] : NULL;
  size_t bytes = tcc_elem_bytes(order.elem, 1);
  Candidate *heap = scratch;
  for (int64_t line = begin; line < end; line++) {
    int64_t from = line / inner * length * inner + line % inner, to = line / inner * k * inner + line % inner, held = 0;
    for (int64_t i = 0; i < length && k > 0; i++) {
      size_t at = (size_t)(from + i * inner);
      Candidate candidate = {.index = i};
      if (order.is_float) candidate.value = tcc_elem_load_f64(order.elem, arguments[0], at);
      else candidate.integer = tcc_elem_load_i64(order.elem, arguments[0], at);
      if (held < k) {
        heap[held++] = candidate;
        if (held == k && i + 1 < length)
          for (int64_t j = k / 2; j-- > 0;) sift_down(&order, heap, k, j);
      } else if (precedes(&order, &candidate, &heap[0])) {
        heap[0] = candidate;
        sift_down(&order, heap, k, 0);
      }
    }
    sort(&order, heap, k, k > 0 ? 2 * (64 - __builtin_clzll((unsigned long long)k)) : 0);
    for (int64_t j = 0; j < k; j++) {
      size_t at = (size_t)(to + j * inner);
      if (values) memcpy(values + at * bytes, (char *)arguments[0] + (size_t)(from + heap[j].index * inner) * bytes, bytes);
      if (indices) indices[at] = heap[j].index;
    }
  }
}

/* ---- nonzero ---- */
static bool is_nonzero(TccElem elem, const void *data, int64_t i) {
  if (tcc_elem_is_float(elem)) return tcc_elem_load_f64(elem, data, (size_t)i) != 0;
  return tcc_elem_load_i64(elem, data, (size_t)i) != 0;
}

int64_t tcc_count_nonzero(TccElem elem, const void *data, int64_t count) {
  int64_t found = 0;
  for (int64_t i = 0; i < count; i++) found += is_nonzero(elem, data, i);
  return found;
}

static void nonzero(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  (void)begin;
  (void)end;
  TccElem elem = (TccElem)sizes[0];
  int64_t rank = sizes[1], count = sizes[2], total = 1, found = 0, *out = arguments[1];
  const int64_t *dims = sizes + 3;
  for (int64_t axis = 0; axis < rank; axis++) total *= dims[axis];
  for (int64_t i = 0; i < total && found < count; i++) {
    if (!is_nonzero(elem, arguments[0], i)) continue;
    for (int64_t axis = rank, rest = i; axis-- > 0; rest /= dims[axis]) out[axis * count + found] = rest % dims[axis];
    found++;
  }
}

static void dynamic_update_slice(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  int64_t bytes = sizes[0], rows = sizes[1], index = *(const int64_t *)arguments[1];
  char *to = arguments[3];
  if (to != arguments[0]) memcpy(to, arguments[0], (size_t)(bytes * rows));
  if (index < 0) index += rows;
  if (index >= 0 && index < rows) memcpy(to + index * bytes, arguments[2], (size_t)bytes);
}

TccKernelFunction *tcc_builtin_find(const char *name) {
  static TccKernelFunction *const functions[] = {
#define TCC_BUILTIN(SYM, name, function) function,
#include "tcc/kinds.def"
      NULL, /* of TCC_BUILTIN_COUNT */
  };
  return functions[tcc_builtin_named(name)];
}
