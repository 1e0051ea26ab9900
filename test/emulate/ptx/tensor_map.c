/* tensor_map.c - tensor maps: made as by the driver, walked as by the copy engine.
 *
 * Rules of a map are those of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col in the CUDA driver API; how a box is walked, section 5.5 of
 * the PTX ISA: a tile is a box at the coordinates; im2col takes pixels one behind the other, W first, from the coordinates on within
 * the corners, and of each the channels, moved by the offsets of the instruction. */
#include "tensor_map.h"
#include <string.h>

enum { INVALID_VALUE = 1, NOT_SUPPORTED = 801, TYPES = 13, SWIZZLES = 4 };
static const uint64_t MAGIC = UINT64_C(0x74656e736f726d70);

/* ---- making ---- */
static int begin(TensorMap *m, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                 const uint32_t *steps, int interleave, int swizzle, int fill) {
  static const uint8_t bytes[TYPES] = {1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4};
  if (interleave) return NOT_SUPPORTED;
  if (type < 0 || type >= TYPES || !rank || rank > MAP_RANK || !base || (uintptr_t)base % 16) return INVALID_VALUE;
  if (swizzle < 0 || swizzle >= SWIZZLES || fill < 0 || fill > 1 || (fill && type < 6)) return INVALID_VALUE;
  *m = (TensorMap){.magic = MAGIC, .base = (uint64_t)(uintptr_t)base, .rank = (uint8_t)rank, .element = bytes[type]};
  m->swizzle = (uint8_t)swizzle, m->nan = (uint8_t)fill, m->is_double = type == 8;
  for (uint32_t i = 0; i < rank; i++) {
    if (!sizes[i] || sizes[i] > UINT64_C(1) << 32 || steps[i] < 1 || steps[i] > 8) return INVALID_VALUE;
    m->last[i] = (uint32_t)(sizes[i] - 1), m->step[i] = (uint8_t)steps[i];
    if (i + 1 == rank) break;
    if (strides[i] % 16 || strides[i] >= UINT64_C(1) << 40) return INVALID_VALUE;
    m->strides[i] = strides[i];
  }
  return 0;
}

/* The innermost axis of a box: 16 aligned bytes, within the swizzle. */
static bool inner_fits(const TensorMap *m, uint32_t elements) {
  uint32_t bytes = elements * m->element;
  return bytes % 16 == 0 && (!m->swizzle || bytes <= 16u << m->swizzle);
}

static uint32_t taken(const TensorMap *m, unsigned axis) { return (m->box[axis] + m->step[axis] - 1u) / m->step[axis]; }

int tensor_map_tiled(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                     const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  TensorMap m;
  (void)promotion;
  if (!map || (uintptr_t)map % MAP_ALIGNMENT || !sizes || !box || !steps || (rank > 1 && !strides)) return INVALID_VALUE;
  int error = begin(&m, type, rank, base, sizes, strides, steps, interleave, swizzle, fill);
  if (error) return error;
  for (uint32_t i = 0; i < rank; i++) {
    if (!box[i] || box[i] > 256) return INVALID_VALUE;
    m.box[i] = (uint16_t)box[i];
  }
  if (!inner_fits(&m, taken(&m, 0))) return INVALID_VALUE;
  memset(map, 0, 128);
  memcpy(map, &m, sizeof m);
  return 0;
}

int tensor_map_im2col(void *map, int type, uint32_t rank, void *base, const uint64_t *sizes, const uint64_t *strides,
                      const int *lower, const int *upper, uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave,
                      int swizzle, int promotion, int fill) {
  TensorMap m;
  (void)promotion;
  if (!map || (uintptr_t)map % MAP_ALIGNMENT || !sizes || !strides || !lower || !upper || !steps || rank < 3) return INVALID_VALUE;
  int error = begin(&m, type, rank, base, sizes, strides, steps, interleave, swizzle, fill);
  if (error) return error;
  int most = rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
  for (uint32_t i = 0; i < rank - 2; i++) {
    if (lower[i] < -most || lower[i] >= most || upper[i] < -most || upper[i] >= most) return INVALID_VALUE;
    m.lower[i] = (int16_t)lower[i], m.upper[i] = (int16_t)upper[i];
  }
  if (!channels || channels > 256 || !pixels || pixels > 1024 || !inner_fits(&m, channels)) return INVALID_VALUE;
  m.im2col = true, m.box[0] = (uint16_t)channels, m.box[1] = (uint16_t)pixels;
  memset(map, 0, 128);
  memcpy(map, &m, sizeof m);
  return 0;
}

/* ---- walking ---- */
const char *tensor_map_wrong(const TensorMap *m) {
  return m->magic != MAGIC ? "no tensor map lies there" : (m->rank < 1 || m->rank > MAP_RANK) ? "a broken tensor map" : NULL;
}

static uint64_t place(const TensorMap *m, const int64_t *at) {
  uint64_t address = m->base;
  for (unsigned i = 0; i < m->rank; i++) {
    if (at[i] < 0 || at[i] > (int64_t)m->last[i]) return 0;
    address += (uint64_t)at[i] * (i ? m->strides[i - 1] : m->element);
  }
  return address;
}

static uint32_t walk_tile(const TensorMap *m, const int32_t *at, uint64_t *out) {
  uint32_t index[MAP_RANK] = {0}, count = 1;
  for (unsigned i = 0; i < m->rank; i++) count *= taken(m, i);
  for (uint32_t n = 0; out && n < count; n++) {
    int64_t where[MAP_RANK];
    for (unsigned i = 0; i < m->rank; i++) where[i] = at[i] + (int64_t)index[i] * m->step[i];
    out[n] = place(m, where);
    for (unsigned i = 0; i < m->rank && ++index[i] == taken(m, i); i++) index[i] = 0;
  }
  return count;
}

static uint32_t walk_pixels(const TensorMap *m, const int32_t *at, const uint16_t *offsets, uint64_t *out) {
  unsigned spatial = m->rank - 2u;
  int64_t pixel[MAP_RANK], where[MAP_RANK];
  for (unsigned i = 0; i < m->rank; i++) pixel[i] = at[i];
  for (uint32_t p = 0; out && p < m->box[1]; p++) {
    for (unsigned i = 1; i < m->rank; i++) where[i] = pixel[i] + (i <= spatial ? offsets[i - 1] : 0);
    for (uint32_t c = 0; c < m->box[0]; c++) {
      where[0] = pixel[0] + c;
      *out++ = place(m, where);
    }
    unsigned axis = 1;
    for (; axis <= spatial; axis++) {
      pixel[axis] += m->step[axis];
      if (pixel[axis] <= (int64_t)m->last[axis] + m->upper[axis - 1]) break;
      pixel[axis] = m->lower[axis - 1];
    }
    if (axis > spatial) pixel[axis]++;
  }
  return (uint32_t)m->box[0] * m->box[1];
}

uint32_t tensor_map_box(const TensorMap *m, const int32_t *at, const uint16_t *offsets, uint64_t *out) {
  return m->im2col ? walk_pixels(m, at, offsets, out) : walk_tile(m, at, out);
}
