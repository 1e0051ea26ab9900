/* tensor.c - host tensors: memory and comparison; see include/tcc/tensor.h. */
#include "tcc/tensor.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

TccStatus *tcc_host_tensor_create(TccElem elem, int rank, const int64_t *dims, TccHostTensor **out) {
  *out = NULL;
  if (rank < 0 || rank > TCC_HOST_MAX_RANK) return TCC_ERROR(TCC_INVALID, "rank %d is not in [0, %d]", rank, TCC_HOST_MAX_RANK);
  if (elem <= TCC_ELEM_NONE || elem >= TCC_ELEM_COUNT) return TCC_ERROR(TCC_INVALID, "no element type");
  size_t count, bytes;
  for (int i = 0; i < rank; i++)
    if (dims[i] < 0) return TCC_ERROR(TCC_INVALID, "dimension %d is %" PRId64, i, dims[i]);
  if (!tcc_elem_dense_bytes(elem, dims, (size_t)rank, &count, &bytes))
    return TCC_ERROR(TCC_NO_MEMORY, "the elements are too many for the address space");
  TccHostTensor *tensor = calloc(1, sizeof *tensor);
  if (!tensor) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  tensor->elem = elem;
  tensor->rank = rank;
  if (rank) memcpy(tensor->dims, dims, sizeof *dims * (size_t)rank);
  tensor->count = count;
  tensor->bytes = bytes;
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

/* Root mean square of the finite elements. */
static double rms_of(const TccHostTensor *tensor, TccElem elem) {
  double sum = 0;
  size_t finite = 0;
  for (size_t i = 0; i < tensor->count; i++) {
    double x = tcc_elem_load_f64(elem, tensor->data, i);
    if (!isfinite(x)) continue;
    sum += x * x;
    finite++;
  }
  return finite ? sqrt(sum / (double)finite) : 0;
}

/* "nan" whatever its sign. */
static void print_number(double x, char text[32]) { snprintf(text, 32, "%.9g", isnan(x) ? fabs(x) : x); }

static TccStatus *with_hint(TccText *text, const TccTolerance *tolerance) {
  TccStatus *status =
      TCC_ERROR(TCC_MISMATCH, "%s%s%s", text->data, tolerance->hint ? "; " : "", tolerance->hint ? tolerance->hint : "");
  tcc_text_destroy(text);
  return status;
}

typedef struct {
  size_t bad, first, not_finite, worst_at; /* not_finite: NaN or infinite on one side alone; the others have a difference */
  double worst;
} Differences;

static Differences find_differences(const TccHostTensor *got, TccElem elem, const TccHostTensor *want, double rtol, double atol) {
  Differences d = {0};
  for (size_t i = 0; i < want->count; i++) {
    double g = tcc_elem_load_f64(elem, got->data, i), w = tcc_elem_load_f64(elem, want->data, i);
    if (g == w || (isnan(g) && isnan(w))) continue;
    double error = fabs(g - w);
    if (isfinite(w) && error <= atol + rtol * fabs(w)) continue;
    if (!d.bad++) d.first = i;
    if (!isfinite(error)) d.not_finite++;
    else if (error > d.worst) d.worst = error, d.worst_at = i;
  }
  return d;
}

static TccStatus *compare_elements(const TccHostTensor *got, TccElem elem, const TccHostTensor *want,
                                   const TccTolerance *tolerance) {
  double rms = rms_of(want, elem), atol = tolerance->atol + tolerance->spread * rms;
  Differences d = find_differences(got, elem, want, tolerance->rtol, atol);
  if (!d.bad) return NULL;
  char index[256], g[32], w[32];
  TccText text = {0};
  print_index(want, d.first, index, sizeof index);
  print_number(tcc_elem_load_f64(elem, got->data, d.first), g);
  print_number(tcc_elem_load_f64(elem, want->data, d.first), w);
  tcc_text_printf(&text, "%zu of %zu elements differ, first at %s: got %s, want %s", d.bad, want->count, index, g, w);
  if (d.not_finite) tcc_text_printf(&text, "; %zu of them are nan or infinite in one of the two", d.not_finite);
  if (d.bad > d.not_finite) {
    print_index(want, d.worst_at, index, sizeof index);
    tcc_text_printf(&text, "; the largest difference, %.3g at %s, is %.2g of the RMS of what is wanted, %.3g", d.worst, index,
                    rms > 0 ? d.worst / rms : INFINITY, rms);
  }
  tcc_text_printf(&text, "; allowed: %.3g + %.3g * |want|", atol, tolerance->rtol);
  return with_hint(&text, tolerance);
}

static TccStatus *compare_rmse(const TccHostTensor *got, TccElem elem, const TccHostTensor *want, const TccTolerance *tolerance) {
  double sum = 0;
  size_t finite = 0;
  TccText text = {0};
  for (size_t i = 0; i < want->count; i++) {
    double g = tcc_elem_load_f64(elem, got->data, i), w = tcc_elem_load_f64(elem, want->data, i);
    if (isfinite(w) && isfinite(g)) {
      sum += (g - w) * (g - w);
      finite++;
    } else if (!(g == w || (isnan(g) && isnan(w)))) {
      char index[256], got_text[32], want_text[32];
      print_index(want, i, index, sizeof index);
      print_number(g, got_text);
      print_number(w, want_text);
      tcc_text_printf(&text, "got %s, want %s at %s", got_text, want_text, index);
      return with_hint(&text, tolerance);
    }
  }
  double rmse = finite ? sqrt(sum / (double)finite) : 0, rms = rms_of(want, elem);
  if (rmse <= tolerance->rmse_limit) return NULL;
  tcc_text_printf(&text, "rmse %.3g is above the limit %.3g; the RMS of what is wanted is %.3g", rmse, tolerance->rmse_limit, rms);
  return with_hint(&text, tolerance);
}

/* got with `width` bytes a string; what is cut off must be zeros. *out NULL: it is not. */
static TccStatus *with_width(const TccHostTensor *got, int64_t width, TccHostTensor **out) {
  int64_t dims[TCC_HOST_MAX_RANK];
  const size_t old = (size_t)got->dims[got->rank - 1], rows = old ? got->count / old : 0, new = (size_t)width;
  memcpy(dims, got->dims, sizeof dims);
  dims[got->rank - 1] = width;
  *out = NULL;
  for (size_t i = 0; i < got->count; i++)
    if (i % old >= new && ((const char *)got->data)[i]) return NULL;
  TCC_TRY(tcc_host_tensor_create(got->elem, got->rank, dims, out));
  for (size_t row = 0; row < rows; row++)
    memcpy((char *)(*out)->data + row * new, (const char *)got->data + row * old, old < new ? old : new);
  return NULL;
}

TccStatus *tcc_host_tensor_compare(const TccHostTensor *got, const TccHostTensor *want, const TccTolerance *tolerance) {
  if (want->is_text && got->elem == TCC_ELEM_U8 && got->rank == want->rank &&
      got->dims[got->rank - 1] != want->dims[got->rank - 1]) {
    TccHostTensor *same = NULL;
    TCC_TRY(with_width(got, want->dims[want->rank - 1], &same));
    TccStatus *status = same ? tcc_host_tensor_compare(same, want, tolerance) : NULL;
    tcc_host_tensor_destroy(same);
    if (same) return status;
  }
  if (got->rank != want->rank || memcmp(got->dims, want->dims, sizeof *got->dims * (size_t)got->rank)) {
    TccText text = {0};
    tcc_text_printf(&text, "shape: got [");
    for (int i = 0; i < got->rank; i++) tcc_text_printf(&text, i ? ", %" PRId64 : "%" PRId64, got->dims[i]);
    tcc_text_printf(&text, "], want [");
    for (int i = 0; i < want->rank; i++) tcc_text_printf(&text, i ? ", %" PRId64 : "%" PRId64, want->dims[i]);
    TccStatus *status = tcc_text_status(&text);
    if (!status) status = TCC_ERROR(TCC_MISMATCH, "%s]", text.data);
    tcc_text_destroy(&text);
    return status;
  }
  bool bits = want->elem == TCC_ELEM_U16 && got->elem == TCC_ELEM_BF16; /* NumPy has no bfloat16 */
  if (got->elem != want->elem && !bits)
    return TCC_ERROR(TCC_MISMATCH, "element type: got %s, want %s", tcc_elem_name(got->elem), tcc_elem_name(want->elem));
  if (tolerance->rmse_limit < 0) return compare_elements(got, got->elem, want, tolerance);
  if (!tcc_elem_is_float(got->elem)) return compare_elements(got, got->elem, want, &(TccTolerance){.hint = tolerance->hint});
  return compare_rmse(got, got->elem, want, tolerance);
}
