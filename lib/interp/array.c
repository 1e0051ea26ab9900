/* array.c - memory, shapes, strides and cells of the interpreter's values. */
#include "lib/interp/internal.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TccStatus *tcc_array_allocate(TccArray *array) {
  size_t count = 1;
  array->is_float = tcc_elem_is_float(array->elem);
  for (int i = 0; i < array->rank; i++) {
    if (array->dims[i] < 0) return TCC_ERROR(TCC_INVALID, "dimension %d is %" PRId64, i, array->dims[i]);
    if (!tcc_mul_size(count, (size_t)array->dims[i], &count)) return TCC_ERROR(TCC_NO_MEMORY, "size overflows");
  }
  if (count > (SIZE_MAX >> 5)) return TCC_ERROR(TCC_NO_MEMORY, "%zu elements", count);
  array->count = (int64_t)count;
  array->storage = calloc(1, sizeof *array->storage + (count + 1) * sizeof(TccCell));
  if (!array->storage) return TCC_ERROR(TCC_NO_MEMORY, "out of memory (%zu elements)", count);
  array->storage->references = 1;
  array->at = array->storage->cells;
  return NULL;
}

TccStatus *tcc_array_make(TccArray *array, TccElem elem, int rank, const int64_t *dims) {
  array->elem = elem, array->rank = rank;
  memcpy(array->dims, dims, sizeof *dims * (size_t)rank);
  return tcc_array_allocate(array);
}

void tcc_array_release(TccArray *array) {
  if (array->storage && --array->storage->references == 0) free(array->storage);
  array->storage = NULL;
  array->at = NULL;
}

void tcc_array_share(TccArray *to, const TccArray *from) {
  from->storage->references++;
  tcc_array_release(to);
  to->storage = from->storage;
  to->at = from->at;
}

void tcc_strides(int rank, const int64_t *dims, int64_t *out) {
  int64_t stride = 1;
  for (int i = rank - 1; i >= 0; i--) {
    out[i] = stride;
    stride *= dims[i];
  }
}

bool tcc_broadcast_strides(const TccArray *from, int rank, const int64_t *dims, int64_t *out) {
  if (from->rank > rank) return false;
  int64_t own[TCC_MAX_RANK];
  tcc_strides(from->rank, from->dims, own);
  int lead = rank - from->rank;
  for (int i = 0; i < rank; i++) {
    if (i < lead) {
      out[i] = 0;
      continue;
    }
    int64_t size = from->dims[i - lead];
    if (size != dims[i] && size != 1) return false;
    out[i] = size == 1 ? 0 : own[i - lead];
  }
  return true;
}

bool tcc_next_index(int rank, const int64_t *dims, int64_t *index) {
  for (int i = rank - 1; i >= 0; i--) {
    if (++index[i] < dims[i]) return true;
    index[i] = 0;
  }
  return false;
}

int64_t tcc_product(const int64_t *dims, int from, int to) {
  int64_t product = 1;
  for (int i = from; i < to; i++) product *= dims[i];
  return product;
}

void tcc_cells_copy(TccCell *to, int rank, const int64_t *dims, const TccCell *from, int64_t base, const int64_t *strides) {
  if (tcc_product(dims, 0, rank) == 0) return;
  if (rank == 0) {
    *to = from[base];
    return;
  }
  int64_t index[TCC_MAX_RANK] = {0}, inner = dims[rank - 1], step = strides[rank - 1];
  do {
    int64_t offset = base;
    for (int i = 0; i < rank - 1; i++) offset += index[i] * strides[i];
    for (int64_t i = 0; i < inner; i++) *to++ = from[offset + i * step];
  } while (tcc_next_index(rank - 1, dims, index));
}

int64_t tcc_wrap(TccElem elem, int64_t value) {
  if (elem == TCC_ELEM_BOOL) return value != 0;
  unsigned bits = tcc_elem_bits(elem);
  if (bits == 64) return value;
  uint64_t low = (uint64_t)value & ((UINT64_C(1) << bits) - 1);
  if (tcc_elem_is_signed(elem) && low >> (bits - 1)) low |= ~UINT64_C(0) << bits;
  return (int64_t)low;
}

double tcc_round_to(TccElem elem, double value) {
  if (elem == TCC_ELEM_F64) return value;
  if (elem == TCC_ELEM_F32) return (double)(float)value;
  uint64_t bytes = 0;
  tcc_elem_store_f64(elem, &bytes, 0, value);
  return tcc_elem_load_f64(elem, &bytes, 0);
}

double tcc_cell_double(const TccArray *array, int64_t i) {
  if (array->is_float) return array->at[i].f;
  return array->elem == TCC_ELEM_U64 ? (double)(uint64_t)array->at[i].i : (double)array->at[i].i;
}

void tcc_cells_unpack(TccElem elem, const void *bytes, int64_t count, TccCell *out) {
  if (elem == TCC_ELEM_F32) {
    for (int64_t i = 0; i < count; i++) {
      float value;
      memcpy(&value, (const char *)bytes + 4 * i, 4);
      out[i].f = value;
    }
  } else if (tcc_elem_is_float(elem)) {
    for (int64_t i = 0; i < count; i++) out[i].f = tcc_elem_load_f64(elem, bytes, (size_t)i);
  } else if (elem == TCC_ELEM_BOOL) {
    for (int64_t i = 0; i < count; i++) out[i].i = ((const unsigned char *)bytes)[i] != 0;
  } else {
    for (int64_t i = 0; i < count; i++) out[i].i = tcc_elem_load_i64(elem, bytes, (size_t)i);
  }
}

void tcc_cells_pack(TccElem elem, const TccCell *cells, int64_t count, void *out) {
  if (tcc_elem_is_float(elem)) {
    for (int64_t i = 0; i < count; i++) {
      tcc_elem_store_f64(elem, out, (size_t)i, cells[i].f);
      if (elem == TCC_ELEM_F8E5M2 && isinf(cells[i].f))
        ((unsigned char *)out)[i] = cells[i].f < 0 ? 0xFC : 0x7C; /* not saturated */
    }
  } else {
    for (int64_t i = 0; i < count; i++) tcc_elem_store_i64(elem, out, (size_t)i, cells[i].i);
  }
}
