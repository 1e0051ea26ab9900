/* builtins.c - operations that are C functions of the run-time, with the kernel ABI (abi.h).
 *
 * topk     arguments x and those of values and indices that are wanted; sizes: elem, axis length, inner (elements behind
 *          the axis), k, largest, positions of values and of indices among the arguments (0: not wanted), whether the
 *          k-th is asked for alone; a tile is one line along the axis; scratch: k * TCC_TOPK_SCRATCH bytes, for the k-th one of 8 for each element. Equal elements: the lower index first; NaN counts as
 *          the largest, as in NumPy's order.
 * nonzero  arguments x, coordinates [rank, count]; sizes: elem, rank, count, dims...; one tile.
 * dynamic_update_slice  sizes: bytes of a row, rows, then which arguments are x, index, row and the result; one tile. Copies a row alone where x is the result;
 *          an index that is outside writes none.
 * relayout see relayout.c; winograd see winograd.c; non_max_suppression see non_max_suppression.c; image_size and decode_image see
 * decode_image.c; lu, cholesky and other factorisations see linalg.h; fft see fft.c. */
#include "internal.h"
#include <emmintrin.h>
#include <math.h>

/* ---- topk ----
 * An element is a key, an unsigned number that is the smaller the earlier it comes in the result; elements with equal keys go by their index.
 * The first FEW are kept sorted. Of more, keys that precede the worst of k seen so far are put behind them; when there are 2 k, a selection (Hoare 1961)
 * leaves k. Most of a long line passes no key: of f32 side by side, BLOCK at a time are compared with the bound before any becomes one. Where k is
 * small the bound is known before: the k-th of the best of interleaved parts of the line, each of which is an element. Other lines of which f32 holds
 * the elements go TOGETHER, each a lane of a vector, if k is at most FEW; if it is more, they are copied first, as many together as share what a
 * cache fetches. */
typedef struct {
  uint64_t key;
  int64_t index;
} Candidate;
_Static_assert(2 * sizeof(Candidate) == TCC_TOPK_SCRATCH, "the compiler reserves this much");

typedef struct {
  TccElem elem;
  bool is_float, largest;
} Order;

/* No two candidates are equal. */
static bool precedes(const Candidate *a, const Candidate *b) {
  return (a->key < b->key) | ((a->key == b->key) & (a->index < b->index));
}

/* The same order in fewer steps; beside keys of f32 alone. */
static uint64_t key_of_f32(float value, bool largest) {
  uint32_t bits, sign = UINT32_C(1) << 31;
  if (value != value) return largest ? 0 : UINT64_MAX;
  value += 0.0f;
  memcpy(&bits, &value, sizeof bits);
  bits = bits & sign ? ~bits : bits | sign;
  return largest ? (uint32_t)~bits : bits;
}

static uint64_t key_of_float(double value, bool largest) {
  uint64_t bits, sign = UINT64_C(1) << 63;
  if (isnan(value)) return largest ? 0 : UINT64_MAX; /* the largest; no number has these keys */
  value += 0.0;                                      /* both zeros are one */
  memcpy(&bits, &value, sizeof bits);
  bits = bits & sign ? ~bits : bits | sign;
  return largest ? ~bits : bits;
}

static inline __attribute__((always_inline)) uint64_t key_at(const Order *order, const void *data, size_t at) {
  if (order->elem == TCC_ELEM_F32) return key_of_f32(((const float *)data)[at], order->largest);
  if (order->is_float) return key_of_float(tcc_elem_load_f64(order->elem, data, at), order->largest);
  uint64_t bits = order->elem == TCC_ELEM_I64 ? ((const uint64_t *)data)[at] : (uint64_t)tcc_elem_load_i64(order->elem, data, at);
  if (order->elem != TCC_ELEM_U64) bits ^= UINT64_C(1) << 63;
  return order->largest ? ~bits : bits;
}

static void swap(Candidate *a, Candidate *b) {
  Candidate c = *a;
  *a = *b;
  *b = c;
}

/* heap[0] is the candidate that would leave first. */
static void sift_down(Candidate *heap, int64_t count, int64_t at) {
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && precedes(&heap[child], &heap[child + 1])) child++;
    if (!precedes(&heap[at], &heap[child])) return;
    swap(&heap[at], &heap[child]);
    at = child;
  }
}

static void sort_by_heap(Candidate *c, int64_t count) {
  for (int64_t j = count / 2; j-- > 0;) sift_down(c, count, j);
  for (int64_t j = count; j-- > 1;) {
    swap(&c[0], &c[j]);
    sift_down(c, j, 0);
  }
}

static void sort_by_insertion(Candidate *c, int64_t count) {
  for (int64_t i = 1; i < count; i++)
    for (int64_t j = i; j > 0 && precedes(&c[j], &c[j - 1]); j--) swap(&c[j], &c[j - 1]);
}

enum {
  FEW = 16,
  BLOCK = 32,
  MOST_PARTS = 4 /* times BLOCK */,
  WORTH = 4 /* elements of a part */,
  LINES = 16,
  COPIED = 8192 /* elements */
};

/* How often parts may be divided before a heap sorts what is left (introsort, Musser 1997). */
static int most_divisions(int64_t count) { return count > 0 ? 2 * (64 - __builtin_clzll((unsigned long long)count)) : 0; }

/* Divides more than FEW candidates: what is before *end_low precedes or is the pivot, what is from *begin_high on follows or is it. */
static void divide(Candidate *c, int64_t count, int64_t *end_low, int64_t *begin_high) {
  Candidate *middle = &c[count / 2], *last = &c[count - 1];
  if (precedes(middle, c)) swap(middle, c);
  if (precedes(last, c)) swap(last, c);
  if (precedes(last, middle)) swap(last, middle);
  const Candidate pivot = *middle;
  int64_t i = 0, j = count - 1;
  while (i <= j) {
    while (precedes(&c[i], &pivot)) i++;
    while (precedes(&pivot, &c[j])) j--;
    if (i <= j) swap(&c[i++], &c[j--]);
  }
  *end_low = j + 1, *begin_high = i;
}

/* In the order of the result: quicksort, whose parts lie in caches where a heap's levels do not. */
static void sort(Candidate *c, int64_t count, int divisions) {
  while (count > FEW && divisions-- > 0) {
    int64_t low, high;
    divide(c, count, &low, &high);
    if (low < count - high) { /* the smaller part first, so that calls are as deep as a logarithm at most */
      sort(c, low, divisions);
      c += high, count -= high;
    } else {
      sort(c + high, count - high, divisions);
      count = low;
    }
  }
  if (count > FEW) sort_by_heap(c, count);
  else sort_by_insertion(c, count);
}

/* The first k of the order come first, in any order, the last of them at k - 1. */
static void select_first(Candidate *c, int64_t count, int64_t k) {
  int64_t begin = 0, end = count;
  for (int divisions = most_divisions(count); end - begin > FEW && divisions-- > 0;) {
    int64_t low, high;
    divide(c + begin, end - begin, &low, &high);
    if (k - 1 < begin + low) end = begin + low;
    else if (k - 1 >= begin + high) begin += high;
    else return; /* between both lies the pivot alone */
  }
  if (end - begin > FEW) sort_by_heap(c + begin, end - begin);
  else sort_by_insertion(c + begin, end - begin);
}

/* Whether one of BLOCK elements is not surely behind the bound. Where one is NaN it says yes. */
static bool may_enter(const float *x, float bound, bool largest) {
  int behind = 1;
  if (largest)
    for (int i = 0; i < BLOCK; i++) behind &= x[i] <= bound;
  else
    for (int i = 0; i < BLOCK; i++) behind &= x[i] >= bound;
  return !behind;
}

/* A number that k elements of the line or more, and few others, are before; false: none is known, as among infinite values and NaN. */
static bool bound_of_parts(const float *x, int64_t length, int64_t k, bool largest, float *out) {
  const float end = largest ? -INFINITY : INFINITY;
  float best[MOST_PARTS * BLOCK], first[MOST_PARTS * BLOCK / 2 + 1]; /* of each part; in order, and one place behind the last */
  int64_t parts = BLOCK;
  while (parts < 2 * k) parts *= 2;
  if (parts > MOST_PARTS * BLOCK || length < WORTH * parts) return false;
  for (int64_t j = 0; j < parts; j++) best[j] = end;
  for (int64_t i = 0; i + parts <= length; i += parts)
    for (int64_t at = 0; at < parts; at += BLOCK) {
      const float *from = x + i + at;
      float *part = best + at;
      if (largest)
        for (int j = 0; j < BLOCK; j++) part[j] = from[j] > part[j] ? from[j] : part[j];
      else
        for (int j = 0; j < BLOCK; j++) part[j] = from[j] < part[j] ? from[j] : part[j];
    }
  for (int64_t j = 0; j <= k; j++) first[j] = end;
  for (int64_t i = 0; i < parts; i++) {
    int64_t j = k;
    for (; j > 0 && (largest ? best[i] > first[j - 1] : best[i] < first[j - 1]); j--) first[j] = first[j - 1];
    first[j] = best[i];
  }
  *out = nextafterf(first[k - 1], end);
  return isfinite(*out);
}

/* Puts an element that precedes the last of k, or one of the first k, into its place; returns how many there are. */
static int64_t insert(Candidate *c, int64_t held, int64_t k, Candidate one) {
  int64_t j = held < k ? held : k - 1;
  for (; j > 0 && one.key < c[j - 1].key; j--) c[j] = c[j - 1];
  c[j] = one;
  return held < k ? held + 1 : k;
}

/* The same of BLOCK integers. */
static bool may_enter_i64(const int64_t *x, int64_t value, bool largest) {
  bool some = false;
  if (largest)
    for (int64_t j = 0; j < BLOCK; j++) some |= x[j] > value;
  else
    for (int64_t j = 0; j < BLOCK; j++) some |= x[j] < value;
  return some;
}

/* The first k of a line, sorted, to c, which has room for 2 k. */
static void first_of_line(const Order *order, const void *data, int64_t from, int64_t length, int64_t inner, int64_t k,
                          Candidate *c) {
  const float *side_by_side = order->elem == TCC_ELEM_F32 && inner == 1 ? (const float *)data + from : NULL;
  const int64_t *integers = order->elem == TCC_ELEM_I64 && inner == 1 ? (const int64_t *)data + from : NULL;
  int64_t held = 0;
  uint64_t bound = UINT64_MAX; /* of the last of k, if there are as many */
  bool full = false;
  float value = 0;
  bool bounded = side_by_side && bound_of_parts(side_by_side, length, k, order->largest, &value);
  for (int64_t i = 0; i < length;) {
    int64_t end = i + BLOCK < length ? i + BLOCK : length;
    if (end - i == BLOCK && ((bounded && !may_enter(side_by_side + i, value, order->largest)) ||
                             (integers && full && !may_enter_i64(integers + i, integers[c[k - 1].index], order->largest)))) {
      i = end;
      continue;
    }
    for (; i < end; i++) {
      if (bounded && (order->largest ? side_by_side[i] <= value : side_by_side[i] >= value)) continue;
      const Candidate one = {key_at(order, data, (size_t)(from + i * inner)), i};
      if (full && one.key >= bound) continue;
      if (k <= FEW) {
        held = insert(c, held, k, one);
        if (held < k) continue;
      } else {
        c[held++] = one;
        if (held < 2 * k) continue;
        select_first(c, held, k);
        held = k;
      }
      full = true, bound = c[k - 1].key;
      if (side_by_side) value = side_by_side[c[k - 1].index], bounded = true;
    }
  }
  if (k <= FEW) return;
  if (held > k) select_first(c, held, k);
  sort(c, k, most_divisions(k));
}

/* Whether all numbers of the type are numbers of f32, in the same order. */
static bool is_within_f32(TccElem elem) { return elem == TCC_ELEM_F32 || tcc_elem_bits(elem) <= 16; }

static inline float number_at(TccElem elem, const void *data, size_t at) {
  if (elem == TCC_ELEM_F32) return ((const float *)data)[at];
  return tcc_elem_is_float(elem) ? (float)tcc_elem_load_f64(elem, data, at) : (float)tcc_elem_load_i64(elem, data, at);
}

/* ---- lines together ---- */
enum { TOGETHER = 8, BRIEF = 4 };
typedef float Numbers __attribute__((vector_size(4 * TOGETHER)));
typedef int32_t Keys __attribute__((vector_size(4 * TOGETHER)));
typedef uint32_t Bits __attribute__((vector_size(4 * TOGETHER)));

/* The first of each line so far, in the order of the result. Keys are signed, the smaller the earlier. */
typedef struct {
  Keys key[FEW], index[FEW];
} Best;

#define PICK(which, a, b) (((which) & (a)) | (~(which) & (b)))

/* The indices of the first k of lines from elements from[] on, to best->index. Each element goes to its place among those so far; those behind move on. */
static inline __attribute__((always_inline)) void first_together(const Order *order, const void *data, const int64_t from[TOGETHER],
                                                                 int64_t length, int64_t inner, int64_t k, Best *best) {
  const Keys none = {0}, all = ~none;
  bool neighbours = order->elem == TCC_ELEM_F32;
  for (int l = 1; l < TOGETHER; l++) neighbours = neighbours && from[l] == from[0] + l;
  for (int64_t j = 0; j < k; j++) best->key[j] = best->index[j] = none;
  for (int64_t i = 0; i < length; i++) {
    Numbers x;
    if (neighbours) memcpy(&x, (const float *)data + from[0] + i * inner, sizeof x);
    else
      x = (Numbers){
          number_at(order->elem, data, (size_t)(from[0] + i * inner)), number_at(order->elem, data, (size_t)(from[1] + i * inner)),
          number_at(order->elem, data, (size_t)(from[2] + i * inner)), number_at(order->elem, data, (size_t)(from[3] + i * inner)),
          number_at(order->elem, data, (size_t)(from[4] + i * inner)), number_at(order->elem, data, (size_t)(from[5] + i * inner)),
          number_at(order->elem, data, (size_t)(from[6] + i * inner)), number_at(order->elem, data, (size_t)(from[7] + i * inner))};
    const Keys nan = x != x, bits = (Keys)(x + 0.0f), ordered = bits ^ (Keys)((Bits)(bits >> 31) >> 1);
    const Keys number = PICK(nan, (Keys)((Bits)all >> 1), ordered), key = order->largest ? ~number : number,
               index = none + (int32_t)i;
    Keys before = i < k ? all : key < best->key[k - 1]; /* it precedes what stands at j */
    if (k > BRIEF && i >= k) {                          /* of fewer it is no less work to find that out */
      int64_t parts[TOGETHER / 2], any = 0;
      memcpy(parts, &before, sizeof parts);
      for (int l = 0; l < TOGETHER / 2; l++) any |= parts[l];
      if (!any) continue;
    }
    for (int64_t j = i < k ? i : k - 1; j > 0; j--) {
      const Keys earlier = key < best->key[j - 1];
      best->key[j] = PICK(before, PICK(earlier, best->key[j - 1], key), best->key[j]);
      best->index[j] = PICK(before, PICK(earlier, best->index[j - 1], index), best->index[j]);
      before = earlier;
    }
    best->key[0] = PICK(before, key, best->key[0]), best->index[0] = PICK(before, index, best->index[0]);
  }
}

/* A copy for machines that have wider vectors. */
typedef void FirstTogether(const Order *order, const void *data, const int64_t from[TOGETHER], int64_t length, int64_t inner,
                           int64_t k, Best *best);
static void first_together_here(const Order *order, const void *data, const int64_t from[TOGETHER], int64_t length, int64_t inner,
                                int64_t k, Best *best) {
  first_together(order, data, from, length, inner, k, best);
}
__attribute__((target("avx2"))) static void first_together_avx2(const Order *order, const void *data, const int64_t from[TOGETHER],
                                                                int64_t length, int64_t inner, int64_t k, Best *best) {
  first_together(order, data, from, length, inner, k, best);
}

/* `count` lines side by side from element `from` on, one behind the other. */
static void copy_lines(TccElem elem, const void *data, int64_t from, int64_t length, int64_t inner, int64_t count, float *to) {
  for (int64_t i = 0; i < length; i++)
    for (int64_t j = 0; j < count; j++) to[j * length + i] = number_at(elem, data, (size_t)(from + i * inner + j));
}

typedef struct {
  Order order;
  int64_t length, inner, k;
  const char *x;
  char *values;     /* or NULL */
  int64_t *indices; /* or NULL */
} TopK;

/* Where a line begins in x, and in the results. */
typedef struct {
  int64_t from, to;
} Line;

static Line line_at(const TopK *t, int64_t line) {
  const int64_t outer = t->inner == 1 ? line : line / t->inner, within = line - outer * t->inner;
  return (Line){outer * t->length * t->inner + within, outer * t->k * t->inner + within};
}

static void store_place(const TopK *t, const Line *line, int64_t j, int64_t index) {
  const size_t at = (size_t)(line->to + j * t->inner), from = (size_t)(line->from + index * t->inner),
               bytes = tcc_elem_bytes(t->order.elem, 1);
  if (t->values && bytes == sizeof(float)) memcpy(t->values + at * sizeof(float), t->x + from * sizeof(float), sizeof(float));
  else if (t->values) memcpy(t->values + at * bytes, t->x + from * bytes, bytes);
  if (t->indices) t->indices[at] = index;
}

static void by_several(const TopK *t, int64_t begin, int64_t end) {
  FirstTogether *const first = __builtin_cpu_supports("avx2") ? first_together_avx2 : first_together_here;
  Best best;
  for (int64_t line = begin; line < end; line += TOGETHER) {
    const int64_t count = end - line < TOGETHER ? end - line : TOGETHER;
    Line lines[TOGETHER];
    int64_t from[TOGETHER];
    for (int64_t l = 0; l < TOGETHER; l++) lines[l] = line_at(t, line + (l < count ? l : 0)), from[l] = lines[l].from;
    first(&t->order, t->x, from, t->length, t->inner, t->k, &best);
    for (int64_t j = 0; j < t->k; j++) {
      int32_t index[TOGETHER];
      memcpy(index, &best.index[j], sizeof index);
      for (int64_t l = 0; l < count; l++) store_place(t, &lines[l], j, index[l]);
    }
  }
}

static void by_lines(const TopK *t, Candidate *c, int64_t begin, int64_t end) {
  const Order copied = {.elem = TCC_ELEM_F32, .is_float = true, .largest = t->order.largest};
  const int64_t length = t->length;
  const bool copies = is_within_f32(t->order.elem) && (t->order.elem != TCC_ELEM_F32 || t->inner > 1) && length <= COPIED;
  float copy[COPIED];
  for (int64_t line = begin, count; line < end; line += count) {
    count = 1;
    if (copies) {
      while (count < LINES && (count + 1) * length <= COPIED && line % t->inner + count < t->inner && line + count < end) count++;
      copy_lines(t->order.elem, t->x, line_at(t, line).from, length, t->inner, count, copy);
    }
    for (int64_t l = 0; l < count; l++) {
      const Line at = line_at(t, line + l);
      if (copies) first_of_line(&copied, copy, l * length, length, 1, t->k, c);
      else first_of_line(&t->order, t->x, at.from, length, t->inner, t->k, c);
      for (int64_t j = 0; j < t->k; j++) store_place(t, &at, j, c[j].index);
    }
  }
}

/* ---- the k-th alone ---- */
/* Its index: of its key one digit after the other is found, from the top, by counting how many keys with the digits so far have which next one; the
 * others go. Among equal keys the index decides. */
static int64_t kth_of_line(const Order *order, const void *data, int64_t from, int64_t length, int64_t inner, int64_t k,
                           uint64_t *keys) {
  enum { BITS = 8, DIGITS = 1 << BITS };
  int64_t count = length, rank = k - 1;
  for (int64_t i = 0; i < length; i++) keys[i] = key_at(order, data, (size_t)(from + i * inner));
  for (int shift = order->elem == TCC_ELEM_F32 ? 32 : 64; shift > 0 && count > 1;) {
    int64_t have[DIGITS] = {0}, kept = 0;
    uint64_t digit = 0;
    shift -= BITS;
    for (int64_t i = 0; i < count; i++) have[keys[i] >> shift & (DIGITS - 1)]++;
    while (rank >= have[digit]) rank -= have[digit++];
    if (have[digit] == count) continue;
    for (int64_t i = 0; i < count; i++) {
      keys[kept] = keys[i];
      kept += (keys[i] >> shift & (DIGITS - 1)) == digit;
    }
    count = kept;
  }
  const uint64_t key = keys[0];
  int64_t i = 0;
  while (key_at(order, data, (size_t)(from + i * inner)) != key || rank-- > 0) i++;
  return i;
}

static void topk(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const TopK t = {{.elem = (TccElem)sizes[0], .is_float = tcc_elem_is_float((TccElem)sizes[0]), .largest = sizes[4] != 0},
                  sizes[1],
                  sizes[2],
                  sizes[3],
                  arguments[0],
                  sizes[5] ? arguments[sizes[5]] : NULL,
                  sizes[6] ? arguments[sizes[6]] : NULL};
  const bool long_rows = t.order.elem == TCC_ELEM_F32 && t.inner == 1 && t.length >= WORTH * BLOCK;
  if (t.k < 1) return;
  if (sizes[7]) {
    TopK one = t;
    one.k = 1;
    for (int64_t line = begin; line < end; line++) {
      const Line at = line_at(&one, line);
      store_place(&one, &at, 0, kth_of_line(&t.order, t.x, at.from, t.length, t.inner, t.k, scratch));
    }
    return;
  }
  if (t.k <= FEW && is_within_f32(t.order.elem) && !long_rows && t.length <= INT32_MAX) by_several(&t, begin, end);
  else by_lines(&t, scratch, begin, end);
}

/* ---- nonzero ---- */
static bool is_nonzero(TccElem elem, const void *data, int64_t i) {
  if (elem == TCC_ELEM_F32) return ((const float *)data)[i] != 0;
  if (elem == TCC_ELEM_BOOL) return ((const unsigned char *)data)[i] != 0;
  if (tcc_elem_is_float(elem)) return tcc_elem_load_f64(elem, data, (size_t)i) != 0;
  return tcc_elem_load_i64(elem, data, (size_t)i) != 0;
}

/* Of up to 64 elements from `at` on, a bit for each: f32 and bool, which masks are, by vectors. A sign is no difference from 0. */
static uint64_t nonzero_bits(TccElem elem, const void *data, int64_t at, int64_t count) {
  uint64_t bits = 0;
  int64_t i = 0;
  const __m128i zero = _mm_setzero_si128();
  if (elem == TCC_ELEM_F32)
    for (; i + 4 <= count; i += 4) {
      const __m128i x = _mm_loadu_si128((const void *)((const float *)data + at + i));
      bits |= (uint64_t)(0xf & ~_mm_movemask_ps(_mm_castsi128_ps(_mm_cmpeq_epi32(_mm_add_epi32(x, x), zero)))) << i;
    }
  if (elem == TCC_ELEM_BOOL)
    for (; i + 16 <= count; i += 16) {
      const __m128i x = _mm_loadu_si128((const void *)((const unsigned char *)data + at + i));
      bits |= (uint64_t)(0xffff & ~_mm_movemask_epi8(_mm_cmpeq_epi8(x, zero))) << i;
    }
  for (; i < count; i++) bits |= (uint64_t)is_nonzero(elem, data, at + i) << i;
  return bits;
}
int64_t tcc_count_nonzero(TccElem elem, const void *data, int64_t count) {
  int64_t found = 0;
  for (int64_t at = 0; at < count; at += 64)
    found += __builtin_popcountll(nonzero_bits(elem, data, at, count - at < 64 ? count - at : 64));
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
  int64_t last = rank ? dims[rank - 1] : 1;
  for (int64_t line = 0; last > 0 && line < total / last && found < count;
       line++) { /* of a line the outer coordinates are the same */
    int64_t before = found;
    for (int64_t i = 0; i < last; i += 64) {
      uint64_t bits = nonzero_bits(elem, arguments[0], line * last + i, last - i < 64 ? last - i : 64);
      for (; bits && found < count; bits &= bits - 1, found++)
        if (rank) out[(rank - 1) * count + found] = i + __builtin_ctzll(bits);
    }
    for (int64_t axis = rank - 1, rest = line; axis-- > 0; rest /= dims[axis])
      for (int64_t at = before; at < found; at++) out[axis * count + at] = rest % dims[axis];
  }
}

static void dynamic_update_slice(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  int64_t bytes = sizes[0], rows = sizes[1], index = *(const int64_t *)arguments[sizes[3]];
  const void *x = arguments[sizes[2]];
  char *to = arguments[sizes[5]];
  if (to != x) memcpy(to, x, (size_t)(bytes * rows));
  if (index < 0) index += rows;
  if (index >= 0 && index < rows) memcpy(to + index * bytes, arguments[sizes[4]], (size_t)bytes);
}

TccKernelFunction *tcc_builtin_find(const char *name) {
  static TccKernelFunction *const functions[] = {
#define TCC_BUILTIN(SYM, name, function) function,
#include "tcc/kinds.def"
      NULL, /* of TCC_BUILTIN_COUNT */
  };
  return functions[tcc_builtin_named(name)];
}
