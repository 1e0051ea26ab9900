/* tensor.c - host tensors: memory and comparison; see include/tcc/tensor.h. */
#include "tcc/tensor.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TccStatus *tcc_host_tensor_create(TccElem elem, int rank, const int64_t *dims, TccHostTensor **out) {
  *out = NULL;
  if (rank < 0 || rank > TCC_HOST_MAX_RANK) return TCC_ERROR(TCC_INVALID, "rank %d is not in [0, %d]", rank, TCC_HOST_MAX_RANK);
  if (elem <= TCC_ELEM_NONE || elem >= TCC_ELEM_COUNT) return TCC_ERROR(TCC_INVALID, "no element type");
  size_t count = 1;
  bool empty = false;
  for (int i = 0; i < rank; i++) {
    if (dims[i] < 0) return TCC_ERROR(TCC_INVALID, "dimension %d is %" PRId64, i, dims[i]);
    if (dims[i] == 0) empty = true;
    else if (!tcc_mul_size(count, (size_t)dims[i], &count)) return TCC_ERROR(TCC_NO_MEMORY, "size overflows");
  }
  if (empty) count = 0;
  if (count > (SIZE_MAX >> 4)) return TCC_ERROR(TCC_NO_MEMORY, "%zu elements are too many", count);
  TccHostTensor *tensor = calloc(1, sizeof *tensor);
  if (!tensor) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  tensor->elem = elem;
  tensor->rank = rank;
  if (rank) memcpy(tensor->dims, dims, sizeof *dims * (size_t)rank);
  tensor->count = count;
  tensor->bytes = tcc_elem_bytes(elem, count);
  size_t padded = (tensor->bytes + 127) & ~(size_t)63;
  tensor->data = aligned_alloc(64, padded);
  if (!tensor->data) {
    free(tensor);
    return TCC_ERROR(TCC_NO_MEMORY, "out of memory (%zu bytes)", padded);
  }
  memset(tensor->data, 0, padded);
  *out = tensor;
  return NULL;
}

void tcc_host_tensor_destroy(TccHostTensor *tensor) {
  if (!tensor) return;
  free(tensor->data);
  free(tensor->name);
  free(tensor);
}

/* "[2, 0, 5]" of flat element i. */
static void print_index(const TccHostTensor *tensor, size_t i, char *text, size_t size) {
  int64_t index[TCC_HOST_MAX_RANK];
  for (int axis = tensor->rank - 1; axis >= 0; axis--) {
    index[axis] = (int64_t)(i % (size_t)tensor->dims[axis]);
    i /= (size_t)tensor->dims[axis];
  }
  size_t used = (size_t)snprintf(text, size, "[");
  for (int axis = 0; axis < tensor->rank && used < size; axis++)
    used += (size_t)snprintf(text + used, size - used, axis ? ", %" PRId64 : "%" PRId64, index[axis]);
  if (used < size) snprintf(text + used, size - used, "]");
}

static TccStatus *compare_elements(const TccHostTensor *got, TccElem elem, const TccHostTensor *want, double rtol, double atol) {
  size_t bad = 0, first = 0;
  double worst = 0;
  for (size_t i = 0; i < want->count; i++) {
    double g = tcc_elem_load_f64(elem, got->data, i), w = tcc_elem_load_f64(elem, want->data, i);
    if (g == w || (isnan(g) && isnan(w))) continue;
    double error = fabs(g - w);
    if (isfinite(w) && error <= atol + rtol * fabs(w)) continue;
    if (!bad++) first = i;
    if (error > worst) worst = error;
  }
  if (!bad) return NULL;
  char index[256];
  print_index(want, first, index, sizeof index);
  return TCC_ERROR(TCC_MISMATCH, "%zu of %zu elements differ, first at %s: got %.9g, want %.9g; largest difference %.3g", bad,
                   want->count, index, tcc_elem_load_f64(elem, got->data, first), tcc_elem_load_f64(elem, want->data, first),
                   worst);
}

static TccStatus *compare_rmse(const TccHostTensor *got, TccElem elem, const TccHostTensor *want, double limit) {
  double sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < want->count; i++) {
    double g = tcc_elem_load_f64(elem, got->data, i), w = tcc_elem_load_f64(elem, want->data, i);
    if (isfinite(w) && isfinite(g)) {
      sum += (g - w) * (g - w);
      finite++;
    } else if (!(g == w || (isnan(g) && isnan(w)))) {
      char index[256];
      print_index(want, i, index, sizeof index);
      return TCC_ERROR(TCC_MISMATCH, "got %g, want %g at %s", g, w, index);
    }
  }
  double rmse = finite ? sqrt(sum / (double)finite) : 0;
  return rmse <= limit ? NULL : TCC_ERROR(TCC_MISMATCH, "rmse %.3g is above the limit %.3g", rmse, limit);
}

TccStatus *tcc_host_tensor_compare(const TccHostTensor *got, const TccHostTensor *want, const TccTolerance *tolerance) {
  if (got->rank != want->rank || memcmp(got->dims, want->dims, sizeof *got->dims * (size_t)got->rank)) {
    TccText text = {0};
    tcc_text_printf(&text, "shape: got [");
    for (int i = 0; i < got->rank; i++) tcc_text_printf(&text, i ? ", %" PRId64 : "%" PRId64, got->dims[i]);
    tcc_text_printf(&text, "], want [");
    for (int i = 0; i < want->rank; i++) tcc_text_printf(&text, i ? ", %" PRId64 : "%" PRId64, want->dims[i]);
    TccStatus *status = TCC_ERROR(TCC_MISMATCH, "%s]", text.data);
    tcc_text_destroy(&text);
    return status;
  }
  bool bits = want->elem == TCC_ELEM_U16 && got->elem == TCC_ELEM_BF16; /* NumPy has no bfloat16 */
  if (got->elem != want->elem && !bits)
    return TCC_ERROR(TCC_MISMATCH, "element type: got %s, want %s", tcc_elem_name(got->elem), tcc_elem_name(want->elem));
  if (tolerance->rmse_limit < 0) return compare_elements(got, got->elem, want, tolerance->rtol, tolerance->atol);
  if (!tcc_elem_is_float(got->elem)) return compare_elements(got, got->elem, want, 0, 0);
  return compare_rmse(got, got->elem, want, tolerance->rmse_limit);
}
