/* non_max_suppression.c - the builtin `non_max_suppression`: of the boxes that a detector gives.
 *
 * arguments  boxes [B, N, 4], scores [B, C, N] (f32), most (i64), overlap, least (f32), result [B, C, N] (i64), each where
 *            sizes say: one value may be two of them
 * sizes      N, C, whether boxes are middle and size, positions of the six arguments; a tile is one class of one image;
 *            scratch: N * TCC_NON_MAX_SUPPRESSION_SCRATCH
 *
 * The candidates of a class make a heap, the best one on top, and are taken from it one by one: those that are never asked
 * for are never sorted. Each is compared with what was taken before; arithmetic is f32's, as in other run-times, because what
 * overlaps by just the limit is decided by it. */
#include "internal.h"
#include <math.h>

typedef struct {
  float score;
  int64_t index;
} Candidate;
_Static_assert(sizeof(Candidate) == TCC_NON_MAX_SUPPRESSION_SCRATCH, "the compiler reserves this much");

typedef struct {
  float low[2], high[2], area;
} Box;

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

static Box box_of(const float *at, bool center) {
  Box box;
  for (int axis = 0; axis < 2; axis++) {
    float a = at[axis], b = at[axis + 2];
    box.low[axis] = center ? a - b / 2 : fminf(a, b);
    box.high[axis] = center ? a + b / 2 : fmaxf(a, b);
  }
  box.area = (box.high[0] - box.low[0]) * (box.high[1] - box.low[1]);
  return box;
}

static bool overlaps(const Box *a, const Box *b, float limit) {
  float height = fminf(a->high[0], b->high[0]) - fmaxf(a->low[0], b->low[0]),
        width = fminf(a->high[1], b->high[1]) - fmaxf(a->low[1], b->low[1]), common = height * width;
  if (!(height > 0) || !(width > 0) || !(common > 0) || !(a->area > 0) || !(b->area > 0)) return 0 > limit;
  return common / (a->area + b->area - common) > limit;
}

void tcc_non_max_suppression(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t *position = sizes + 3;
  const float *boxes = arguments[position[0]], *scores = arguments[position[1]];
  int64_t count = sizes[0], classes = sizes[1], most = *(const int64_t *)arguments[position[2]], *result = arguments[position[5]];
  float overlap = *(const float *)arguments[position[3]], least = *(const float *)arguments[position[4]];
  bool center = sizes[2] != 0;
  Candidate *heap = scratch;
  for (int64_t line = begin; line < end; line++) {
    const float *score = scores + line * count, *box = boxes + line / classes * count * 4;
    int64_t *taken = result + line * count, held = 0, left = 0;
    for (int64_t i = 0; i < count && most > 0; i++)
      if (isnan(least) ? !isnan(score[i]) : score[i] > least) heap[left++] = (Candidate){score[i], i};
    for (int64_t i = left / 2; i-- > 0;) sift_down(heap, left, i);
    while (left > 0 && held < most) {
      int64_t index = heap[0].index;
      Box candidate = box_of(box + 4 * index, center);
      bool out = false;
      for (int64_t j = 0; j < held && !out; j++) {
        Box before = box_of(box + 4 * taken[j], center);
        out = overlaps(&candidate, &before, overlap);
      }
      if (!out) taken[held++] = index;
      heap[0] = heap[--left];
      sift_down(heap, left, 0);
    }
    for (; held < count; held++) taken[held] = -1;
  }
}
