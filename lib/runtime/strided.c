/* strided.c - copies between strided and dense tensors.
 *
 * Both sides are walked by one odometer, whose axes have a stride on each side; axes of one element are gone and neighbours that lie alike on both
 * are one. Where the same axis lies element behind element on both sides its runs are copied whole. Where two axes do, one on each side, as in
 * what a transposition gave, they are moved by blocks of LINE rows, so that each line of cache that is read is used up, and 32-bit elements by
 * squares of 4 x 4 in registers. Else elements are moved one by one. Addresses are sums modulo 2^64: the stride of an axis of size 1 may be any number. */
#include "internal.h"
#include "quad.h"

enum { LINE = 16 /* 32-bit elements of a cache line */ };

typedef struct {
  int64_t size;
  uintptr_t from, to; /* strides in bytes */
} Axis;

typedef struct {
  int rank;
  Axis axis[TCC_PLAN_MAX_RANK];
  size_t width; /* bytes of an element */
} Walk;

/* Two axes: rows lie element behind element in what is read, columns in what is written. */
typedef struct {
  int64_t rows, columns;
  uintptr_t from, to; /* strides in bytes: of columns in what is read, of rows in what is written */
} Block;

/* ---- reading ---- */
static Walk read_walk(const TccTensor *tensor, size_t width, bool pack) {
  Walk w = {.width = width};
  uintptr_t dense = width;
  Axis all[TCC_PLAN_MAX_RANK];
  for (int i = tensor->rank; i-- > 0; dense *= (uintptr_t)tensor->shape[i]) {
    const uintptr_t strided = (uintptr_t)tensor->strides[i] * width;
    all[i] = (Axis){tensor->shape[i], pack ? strided : dense, pack ? dense : strided};
  }
  for (int i = 0; i < tensor->rank; i++) {
    Axis *outer = w.rank ? &w.axis[w.rank - 1] : NULL;
    const uintptr_t size = (uintptr_t)all[i].size;
    if (size == 1) continue;
    if (outer && outer->from == all[i].from * size && outer->to == all[i].to * size)
      *outer = (Axis){outer->size * all[i].size, all[i].from, all[i].to};
    else w.axis[w.rank++] = all[i];
  }
  return w;
}

/* The axis goes to the end; those behind it move up. */
static void move_last(Walk *w, int axis) {
  const Axis last = w->axis[axis];
  for (int i = axis; i + 1 < w->rank; i++) w->axis[i] = w->axis[i + 1];
  w->axis[w->rank - 1] = last;
}

/* ---- blocks ---- */
#define COPY_ELEMENTS(bytes)                                                                                                       \
  for (int64_t i = 0; i < n; i++, to += to_step, from += from_step) memcpy((char *)to, (const char *)from, bytes)

static void copy_elements(size_t width, uintptr_t from, uintptr_t from_step, uintptr_t to, uintptr_t to_step, int64_t n) {
  switch (width) {
  case 1: COPY_ELEMENTS(1); break;
  case 2: COPY_ELEMENTS(2); break;
  case 4: COPY_ELEMENTS(4); break;
  case 8: COPY_ELEMENTS(8); break;
  default: COPY_ELEMENTS(width); break;
  }
}

/* Of 32-bit elements at addresses that they divide. rows, columns: multiples of four. */
static void transpose_squares(const Block *b, uintptr_t from, uintptr_t to, int64_t rows, int64_t columns) {
  for (int64_t c = 0; c < columns; c += 4) {
    const uintptr_t x = from + (uintptr_t)c * b->from, y = to + (uintptr_t)c * sizeof(float);
    for (int64_t r = 0; r < rows; r += 4) {
      const float *line[4];
      for (int64_t k = 0; k < 4; k++) line[k] = (const float *)(x + (uintptr_t)k * b->from + (uintptr_t)r * sizeof(float));
      tcc_quad_transpose(line, (float *)(y + (uintptr_t)r * b->to), (int64_t)b->to / (int64_t)sizeof(float));
    }
  }
}

static void transpose(const Block *b, size_t width, uintptr_t from, uintptr_t to) {
  const bool squares = width == sizeof(float) && (from | to | b->from | b->to) % sizeof(float) == 0;
  for (int64_t r = 0; r < b->rows; r += LINE) {
    const int64_t rows = b->rows - r < LINE ? b->rows - r : LINE, whole = squares ? rows & ~(int64_t)3 : 0,
                  columns = squares ? b->columns & ~(int64_t)3 : 0;
    const uintptr_t x = from + (uintptr_t)r * width, y = to + (uintptr_t)r * b->to;
    transpose_squares(b, x, y, whole, columns);
    for (int64_t c = 0; c < b->columns; c++) {
      const int64_t first = c < columns ? whole : 0;
      copy_elements(width, x + (uintptr_t)c * b->from + (uintptr_t)first * width, width,
                    y + (uintptr_t)c * width + (uintptr_t)first * b->to, b->to, rows - first);
    }
  }
}

/* ---- the walk ---- */
/* The last `inner` axes at one place of those before. */
static void copy_inner(const Walk *w, int inner, uintptr_t from, uintptr_t to) {
  const Axis *last = w->rank ? &w->axis[w->rank - 1] : &(Axis){1, w->width, w->width};
  if (inner == 2) {
    const Axis *rows = last - 1;
    transpose(&(Block){rows->size, last->size, last->from, rows->to}, w->width, from, to);
  } else if (last->from == w->width && last->to == w->width) {
    memcpy((char *)to, (const char *)from, (size_t)last->size * w->width);
  } else {
    copy_elements(w->width, from, last->from, to, last->to, last->size);
  }
}

static void walk(Walk *w, uintptr_t from, uintptr_t to) {
  int inner = w->rank > 0, run = -1, line = -1; /* run: of both sides, or of what is written; line: of what is read */
  for (int i = 0; i < w->rank; i++) {
    if (w->axis[i].to == w->width) run = i;
    if (w->axis[i].from == w->width) line = i;
  }
  for (int i = 0; i < w->rank; i++) /* an axis may have the stride of an element and be repeated by another one */
    if (w->axis[i].to == w->width && w->axis[i].from == w->width) run = line = i;
  if (line >= 0 && run >= 0 && line != run) {
    move_last(w, line);
    move_last(w, run > line ? run - 1 : run);
    inner = 2;
  } else if (run >= 0) {
    move_last(w, run);
  }
  const int outer = w->rank - inner;
  int64_t index[TCC_PLAN_MAX_RANK] = {0}, count = 1;
  for (int i = 0; i < outer; i++) count *= w->axis[i].size;
  for (int64_t n = 0; n < count; n++) {
    copy_inner(w, inner, from, to);
    for (int i = outer; i-- > 0;) {
      from += w->axis[i].from, to += w->axis[i].to;
      if (++index[i] < w->axis[i].size) break;
      from -= (uintptr_t)index[i] * w->axis[i].from, to -= (uintptr_t)index[i] * w->axis[i].to;
      index[i] = 0;
    }
  }
}

static void copy_strided(const TccTensor *tensor, TccElem elem, size_t bytes, char *dense, bool pack) {
  if (bytes == 0) return;
  char *data = (char *)tensor->data + tensor->byte_offset;
  if (tcc_tensor_is_dense(tensor)) {
    memcpy(pack ? dense : data, pack ? data : dense, bytes);
    return;
  }
  Walk w = read_walk(tensor, tcc_elem_bytes(elem, 1), pack);
  walk(&w, (uintptr_t)(pack ? data : dense), (uintptr_t)(pack ? dense : data));
}

void tcc_tensor_pack(const TccTensor *from, TccElem elem, size_t bytes, void *to) { copy_strided(from, elem, bytes, to, true); }
void tcc_tensor_unpack(const void *from, TccElem elem, size_t bytes, const TccTensor *to) {
  copy_strided(to, elem, bytes, (char *)from, false);
}
