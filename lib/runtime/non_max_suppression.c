/* non_max_suppression.c - the builtin `non_max_suppression`: of the boxes that a detector gives.
 *
 * arguments  boxes [B, N, 4], scores [B, C, N] (f32), most (i64), overlap, least (f32), result [B, C, N] (i64), each where
 *            sizes say: one value may be two of them
 * sizes      N, C, whether boxes are middle and size, positions of the six arguments; a tile is one class of one image;
 *            scratch: N * TCC_NON_MAX_SUPPRESSION_SCRATCH
 *
 * The candidates of a class make a heap, the best one on top, and are taken from it one by one: those that are never asked
 * for are never sorted. Each is compared with what was taken before, some boxes at once; arithmetic is f32's, as in other run-times, because
 * what overlaps by just the limit is decided by it. */
#include "internal.h"
#include <math.h>

typedef struct {
  float score;
  int64_t index;
} Candidate;

/* A box, in one array for each number of it. */
enum { LOW_0, LOW_1, HIGH_0, HIGH_1, AREA, BOX_NUMBERS, AT_ONCE = 16 };
_Static_assert(sizeof(Candidate) + BOX_NUMBERS * sizeof(float) <= TCC_NON_MAX_SUPPRESSION_SCRATCH,
               "the compiler reserves this much");

static bool precedes(const Candidate *a, const Candidate *b) {
  return a->score > b->score || (a->score == b->score && a->index < b->index);
}

static void sift_down(Candidate *heap, int64_t count, int64_t at) {
  for (;;) {
    int64_t child = 2 * at + 1;
    if (child >= count) return;
    if (child + 1 < count && precedes(&heap[child + 1], &heap[child])) child++;
    if (!precedes(&heap[child], &heap[at])) return;
    Candidate swapped = heap[at];
    heap[at] = heap[child];
    heap[child] = swapped;
    at = child;
  }
}

static void box_of(const float *at, bool center, float box[BOX_NUMBERS]) {
  for (int axis = 0; axis < 2; axis++) {
    float a = at[axis], b = at[axis + 2];
    box[LOW_0 + axis] = center ? a - b / 2 : fminf(a, b);
    box[HIGH_0 + axis] = center ? a + b / 2 : fmaxf(a, b);
  }
  box[AREA] = (box[HIGH_0] - box[LOW_0]) * (box[HIGH_1] - box[LOW_1]);
}

/* Whether a box, whose area is positive, overlaps one of `count` others by more than the limit, which is at least 0 or no number. Each number
 * of theirs is `apart` from the one before. An area that is a number has no corner that is none. */
static inline __attribute__((always_inline)) bool overlaps_some(const float *box, const float *others, int64_t apart, int count,
                                                                float limit) {
  float common[AT_ONCE];
  int meets = 0, over = 0;
  for (int i = 0; i < count; i++) {
    const float *o = others + i;
    const float top = box[HIGH_0] < o[HIGH_0 * apart] ? box[HIGH_0] : o[HIGH_0 * apart],
                right = box[HIGH_1] < o[HIGH_1 * apart] ? box[HIGH_1] : o[HIGH_1 * apart],
                bottom = box[LOW_0] > o[LOW_0 * apart] ? box[LOW_0] : o[LOW_0 * apart],
                left = box[LOW_1] > o[LOW_1 * apart] ? box[LOW_1] : o[LOW_1 * apart], height = top - bottom, width = right - left;
    const int positive = (height > 0) & (width > 0) & (o[AREA * apart] > 0);
    common[i] = positive ? height * width : 0;
    meets |= positive;
  }
  if (!meets) return false;
  for (int i = 0; i < count; i++)
    over |= (common[i] > 0) & (common[i] / (box[AREA] + others[AREA * apart + i] - common[i]) > limit);
  return over;
}

static inline __attribute__((always_inline)) bool overlaps_any(const float *box, const float *others, int64_t apart, int64_t count,
                                                               float limit) {
  int64_t i = 0;
  for (; i + AT_ONCE <= count; i += AT_ONCE)
    if (overlaps_some(box, others + i, apart, AT_ONCE, limit)) return true;
  for (; i < count; i++)
    if (overlaps_some(box, others + i, apart, 1, limit)) return true;
  return false;
}

/* Copies for machines that have wider vectors. */
typedef bool Overlaps(const float *box, const float *others, int64_t apart, int64_t count, float limit);
static bool overlaps_here(const float *box, const float *others, int64_t apart, int64_t count, float limit) {
  return overlaps_any(box, others, apart, count, limit);
}
__attribute__((target("avx2"))) static bool overlaps_avx2(const float *box, const float *others, int64_t apart, int64_t count,
                                                          float limit) {
  return overlaps_any(box, others, apart, count, limit);
}
__attribute__((target("avx512f,avx512dq,avx512vl"))) static bool overlaps_avx512(const float *box, const float *others,
                                                                                 int64_t apart, int64_t count, float limit) {
  return overlaps_any(box, others, apart, count, limit);
}

static Overlaps *overlaps_for_machine(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return overlaps_avx512;
  return __builtin_cpu_supports("avx2") ? overlaps_avx2 : overlaps_here;
}

typedef struct {
  Candidate *heap;
  float *kept; /* numbers of what was taken, `count` apart */
  int64_t count, most;
  float overlap, least;
  bool center;
  Overlaps *overlaps;
} Suppression;

/* Of one class of one image: indices of what is taken, best first. Returns how many. */
static int64_t suppress(const Suppression *s, const float *boxes, const float *scores, int64_t *taken) {
  int64_t held = 0, left = 0;
  for (int64_t i = 0; i < s->count && s->most > 0; i++)
    if (isnan(s->least) ? !isnan(scores[i]) : scores[i] > s->least) s->heap[left++] = (Candidate){scores[i], i};
  for (int64_t i = left / 2; i-- > 0;) sift_down(s->heap, left, i);
  while (left > 0 && held < s->most) {
    const int64_t index = s->heap[0].index;
    float box[BOX_NUMBERS];
    box_of(boxes + 4 * index, s->center, box);
    /* What has no area overlaps by 0, as all that is apart does; a limit that is no number is exceeded by nothing. */
    const bool out = 0 > s->overlap ? held > 0 : box[AREA] > 0 && s->overlaps(box, s->kept, s->count, held, s->overlap);
    if (!out) {
      for (int k = 0; k < BOX_NUMBERS; k++) s->kept[k * s->count + held] = box[k];
      taken[held++] = index;
    }
    s->heap[0] = s->heap[--left];
    sift_down(s->heap, left, 0);
  }
  return held;
}

void tcc_non_max_suppression(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t *position = sizes + 3, count = sizes[0], classes = sizes[1];
  const float *boxes = arguments[position[0]], *scores = arguments[position[1]];
  int64_t *result = arguments[position[5]];
  Candidate *heap = scratch;
  const Suppression suppression = {.heap = heap,
                                   .kept = (float *)(heap + count),
                                   .count = count,
                                   .most = *(const int64_t *)arguments[position[2]],
                                   .overlap = *(const float *)arguments[position[3]],
                                   .least = *(const float *)arguments[position[4]],
                                   .center = sizes[2] != 0,
                                   .overlaps = overlaps_for_machine()};
  for (int64_t line = begin; line < end; line++) {
    int64_t *taken = result + line * count;
    int64_t held = suppress(&suppression, boxes + line / classes * count * 4, scores + line * count, taken);
    for (; held < count; held++) taken[held] = -1;
  }
}
