/* move.c - ops that move cells and compute nothing: views, pads, gathers, scatters, concat. */
#include "lib/interp/internal.h"
#include "tcc/op_kinds.h"
#include <inttypes.h>
#include <math.h>

TccStatus *tcc_eval_reshape(TccEval *e) {
  if (e->in[0]->count != e->out[0]->count)
    return TCC_ERROR(TCC_INVALID, "%" PRId64 " elements do not fit a shape of %" PRId64, e->in[0]->count, e->out[0]->count);
  tcc_array_share(e->out[0], e->in[0]);
  return NULL;
}

TccStatus *tcc_eval_transpose(TccEval *e) {
  const TccArray *x = e->in[0];
  size_t n;
  const int64_t *perm = tcc_eval_ints(e, "perm", &n);
  int64_t own[TCC_MAX_RANK], strides[TCC_MAX_RANK];
  tcc_strides(x->rank, x->dims, own);
  for (int i = 0; i < x->rank; i++) strides[i] = own[perm[i]];
  tcc_cells_copy(e->out[0]->at, e->out[0]->rank, e->out[0]->dims, x->at, 0, strides);
  return NULL;
}

TccStatus *tcc_eval_broadcast(TccEval *e) {
  TccArray *r = e->out[0];
  int64_t strides[TCC_MAX_RANK];
  if (!tcc_broadcast_strides(e->in[0], r->rank, r->dims, strides))
    return TCC_ERROR(TCC_INVALID, "the operand does not broadcast to the result");
  tcc_cells_copy(r->at, r->rank, r->dims, e->in[0]->at, 0, strides);
  return NULL;
}

/* r[i] = x[starts + i * steps], every index checked by its two ends. */
static TccStatus *slice(const TccArray *x, TccArray *r, const int64_t *starts, const int64_t *steps) {
  int64_t own[TCC_MAX_RANK], strides[TCC_MAX_RANK], base = 0;
  if (r->count == 0) return NULL;
  tcc_strides(x->rank, x->dims, own);
  for (int i = 0; i < x->rank; i++) {
    int64_t step = steps ? steps[i] : 1, last = starts[i] + (r->dims[i] - 1) * step;
    if (starts[i] < 0 || starts[i] >= x->dims[i] || last < 0 || last >= x->dims[i])
      return TCC_ERROR(TCC_INVALID, "axis %d: [%" PRId64 " .. %" PRId64 "] is outside [0, %" PRId64 ")", i, starts[i], last,
                       x->dims[i]);
    base += starts[i] * own[i];
    strides[i] = own[i] * step;
  }
  tcc_cells_copy(r->at, r->rank, r->dims, x->at, base, strides);
  return NULL;
}

TccStatus *tcc_eval_slice(TccEval *e) {
  int64_t starts[TCC_MAX_RANK];
  size_t n;
  TCC_TRY(tcc_interp_exprs(e, "starts", starts, TCC_MAX_RANK, &n));
  return slice(e->in[0], e->out[0], starts, tcc_eval_ints(e, "steps", &n));
}

TccStatus *tcc_eval_unfold(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  int64_t own[TCC_MAX_RANK], along[TCC_MAX_RANK];
  size_t n;
  const int64_t *strides = tcc_eval_ints(e, "strides", &n), *dilations = tcc_eval_ints(e, "dilations", &n);
  tcc_strides(x->rank, x->dims, own);
  along[0] = own[0], along[1] = own[1];
  for (size_t i = 0; i < n && r->count; i++) {
    int64_t last = (r->dims[2 + i] - 1) * dilations[i] + (r->dims[2 + n + i] - 1) * strides[i];
    if (last >= x->dims[2 + i]) return TCC_ERROR(TCC_INVALID, "a window of spatial axis %zu leaves the image", i);
    along[2 + i] = own[2 + i] * dilations[i], along[2 + n + i] = own[2 + i] * strides[i];
  }
  tcc_cells_copy(r->at, r->rank, r->dims, x->at, 0, along);
  return NULL;
}

TccStatus *tcc_eval_dynamic_slice(TccEval *e) {
  const TccArray *x = e->in[0], *from = e->in[1];
  TccArray *r = e->out[0];
  int64_t starts[TCC_MAX_RANK];
  if (from->count != x->rank) return TCC_ERROR(TCC_INVALID, "%" PRId64 " starts for rank %d", from->count, x->rank);
  for (int i = 0; i < x->rank; i++) {
    int64_t last = x->dims[i] - r->dims[i], start = from->at[i].i;
    starts[i] = start > last ? last : start < 0 ? 0 : start;
  }
  return slice(x, r, starts, NULL);
}

/* Index of x for position i of the padded axis; -1 where the value is the constant. */
static int64_t pad_index(int64_t i, int64_t size, char mode) {
  if (i >= 0 && i < size) return i;
  if (size == 0) return -1;
  switch (mode) {
  case 'e': return i < 0 ? 0 : size - 1;
  case 'w': return ((i % size) + size) % size;
  case 'r': {
    if (size == 1) return 0;
    int64_t period = 2 * (size - 1), at = ((i % period) + period) % period;
    return at < size ? at : period - at;
  }
  default: return -1;
  }
}

TccStatus *tcc_eval_pad(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  int64_t low[TCC_MAX_RANK], index[TCC_MAX_RANK] = {0}, strides[TCC_MAX_RANK];
  size_t n;
  TCC_TRY(tcc_interp_exprs(e, "low", low, TCC_MAX_RANK, &n));
  char mode = tcc_string(e->ir, e->op, "mode").data[0]; /* constant, edge, reflect, wrap */
  TccCell value = {0};
  if (x->is_float) value.f = 0;
  if (e->in[1]) value = e->in[1]->at[0];
  tcc_strides(x->rank, x->dims, strides);
  if (r->count == 0) return NULL;
  int64_t at = 0;
  do {
    int64_t offset = 0;
    for (int i = 0; i < r->rank && offset >= 0; i++) {
      int64_t k = pad_index(index[i] - low[i], x->dims[i], mode);
      offset = k < 0 ? -1 : offset + k * strides[i];
    }
    r->at[at++] = offset < 0 ? value : x->at[offset];
  } while (tcc_next_index(r->rank, r->dims, index));
  return NULL;
}

/* A negative index counts from the end; false if it is outside. */
static bool normalise(int64_t *index, int64_t size) {
  if (*index < 0) *index += size;
  return *index >= 0 && *index < size;
}

static TccStatus *outside(TccEval *e, int64_t index, int64_t size, TccValid valid, int axis) {
  TccStr message = e->kind == TCC_OP_GATHER ? tcc_string(e->ir, e->op, "message") : tcc_str("");
  if (message.length) return TCC_ERROR(TCC_INVALID, "%.*s", TCC_STR_ARG(message));
  return TCC_ERROR(TCC_INVALID, "index %" PRId64 " is outside [%" PRId64 ", %" PRId64 "), axis %d", index,
                   valid == TCC_VALID_UNSIGNED ? 0 : -size, size, axis);
}

/* The element of the axis that an index names; out of range where e's op leaves that open: what *out_inside gets, or the next one inside. */
static TccStatus *element_at(TccEval *e, int64_t index, int64_t size, int axis, bool *out_inside, int64_t *out) {
  TccValid valid = tcc_valid(e->ir, e->op);
  bool negative = index < 0;
  *out = index;
  *out_inside = normalise(out, size);
  if (*out_inside && !(negative && valid == TCC_VALID_UNSIGNED)) return NULL;
  if (valid != TCC_VALID_ANY) return outside(e, index, size, valid, axis);
  *out = *out < 0 ? 0 : size - 1;
  return NULL;
}

static TccStatus *gathered_at(TccEval *e, int64_t index, int64_t size, int axis, int64_t *out) {
  bool inside;
  if (size == 0) return TCC_ERROR(TCC_INVALID, "an index into axis %d, which has no elements", axis);
  return element_at(e, index, size, axis, &inside, out);
}

/* gather, and embedding, whose axis is 0 */
TccStatus *tcc_eval_gather(TccEval *e) {
  const TccArray *x = e->in[0], *indices = e->in[1];
  int axis = e->kind == TCC_OP_EMBEDDING ? 0 : (int)tcc_i64(e->ir, e->op, "axis");
  int64_t outer = tcc_product(x->dims, 0, axis), size = x->dims[axis], inner = tcc_product(x->dims, axis + 1, x->rank);
  TccCell *to = e->out[0]->at;
  if (e->out[0]->count == 0) return NULL;
  for (int64_t o = 0; o < outer; o++) {
    for (int64_t k = 0; k < indices->count; k++, to += inner) {
      int64_t index;
      TCC_TRY(gathered_at(e, indices->at[k].i, size, axis, &index));
      memcpy(to, x->at + (o * size + index) * inner, (size_t)inner * sizeof *to);
    }
  }
  return NULL;
}

TccStatus *tcc_eval_dynamic_update_slice(TccEval *e) {
  const TccArray *x = e->in[0], *row = e->in[2];
  int64_t index = e->in[1]->at[0].i;
  if (!normalise(&index, x->dims[0])) return outside(e, e->in[1]->at[0].i, x->dims[0], TCC_VALID_SIGNED, 0);
  memcpy(e->out[0]->at, x->at, (size_t)x->count * sizeof *x->at);
  memcpy(e->out[0]->at + index * row->count, row->at, (size_t)row->count * sizeof *row->at);
  return NULL;
}

TccStatus *tcc_eval_gather_elements(TccEval *e) {
  const TccArray *x = e->in[0], *indices = e->in[1];
  int axis = (int)tcc_i64(e->ir, e->op, "axis");
  int64_t strides[TCC_MAX_RANK], index[TCC_MAX_RANK] = {0}, at = 0;
  tcc_strides(x->rank, x->dims, strides);
  if (indices->count == 0) return NULL;
  do {
    int64_t k, offset = 0;
    TCC_TRY(gathered_at(e, indices->at[at].i, x->dims[axis], axis, &k));
    for (int i = 0; i < x->rank; i++) {
      if (i != axis && index[i] >= x->dims[i]) return TCC_ERROR(TCC_INVALID, "indices are larger than the operand on axis %d", i);
      offset += (i == axis ? k : index[i]) * strides[i];
    }
    e->out[0]->at[at++] = x->at[offset];
  } while (tcc_next_index(indices->rank, indices->dims, index));
  return NULL;
}

/* Offset of the block that a tuple of `depth` indices names in x, from axis `first` on; *out_inside: whether x has it. */
static TccStatus *tuple_offset(TccEval *e, const TccArray *x, const TccCell *tuple, int first, int depth, bool *out_inside,
                               int64_t *out) {
  int64_t strides[TCC_MAX_RANK];
  tcc_strides(x->rank, x->dims, strides);
  *out = 0, *out_inside = true;
  for (int i = 0; i < depth; i++) {
    int64_t index;
    bool inside;
    TCC_TRY(element_at(e, tuple[i].i, x->dims[first + i], first + i, &inside, &index));
    *out_inside &= inside;
    *out += index * strides[first + i];
  }
  return NULL;
}

TccStatus *tcc_eval_gather_nd(TccEval *e) {
  const TccArray *x = e->in[0], *indices = e->in[1];
  int batch = (int)tcc_i64(e->ir, e->op, "batch_dims"), depth = (int)indices->dims[indices->rank - 1];
  if (batch + depth > x->rank) return TCC_ERROR(TCC_INVALID, "index tuples of %d are too long", depth);
  int64_t batches = tcc_product(x->dims, 0, batch), per_batch = tcc_product(x->dims, batch, x->rank);
  int64_t tuples = tcc_product(indices->dims, batch, indices->rank - 1), block = tcc_product(x->dims, batch + depth, x->rank);
  TccCell *to = e->out[0]->at;
  const TccCell *tuple = indices->at;
  for (int64_t b = 0; b < batches; b++) {
    for (int64_t k = 0; k < tuples; k++, tuple += depth, to += block) {
      int64_t offset;
      bool inside;
      TCC_TRY(tuple_offset(e, x, tuple, batch, depth, &inside, &offset));
      if (x->count == 0 && block) return TCC_ERROR(TCC_INVALID, "an index into an axis that has no elements");
      memcpy(to, x->at + b * per_batch + offset, (size_t)block * sizeof *to);
    }
  }
  return NULL;
}

/* ---- scatter ---- */
static void combine(const TccArray *r, TccCell *to, TccCell update, char how) {
  bool is_unsigned = r->elem == TCC_ELEM_U64;
  switch (how) {
  case 'a':
    if (r->is_float) to->f += update.f;
    else to->i = tcc_wrap(r->elem, (int64_t)((uint64_t)to->i + (uint64_t)update.i));
    break;
  case '*':
    if (r->is_float) to->f *= update.f;
    else to->i = tcc_wrap(r->elem, (int64_t)((uint64_t)to->i * (uint64_t)update.i));
    break;
  case '<':
    if (r->is_float) to->f = isnan(to->f) || isnan(update.f) ? NAN : to->f < update.f ? to->f : update.f;
    else if (is_unsigned ? (uint64_t)update.i < (uint64_t)to->i : update.i < to->i) *to = update;
    break;
  case '>':
    if (r->is_float) to->f = isnan(to->f) || isnan(update.f) ? NAN : to->f > update.f ? to->f : update.f;
    else if (is_unsigned ? (uint64_t)update.i > (uint64_t)to->i : update.i > to->i) *to = update;
    break;
  default: *to = update;
  }
}

static char reduction(TccEval *e) {
  static const char *const names[] = {"add", "mul", "min", "max"};
  for (int i = 0; i < 4; i++)
    if (tcc_eval_str_is(e, "reduction", names[i])) return "a*<>"[i];
  return '=';
}

TccStatus *tcc_eval_scatter_elements(TccEval *e) {
  const TccArray *indices = e->in[1], *updates = e->in[2];
  TccArray *r = e->out[0];
  int axis = (int)tcc_i64(e->ir, e->op, "axis");
  char how = reduction(e);
  memcpy(r->at, e->in[0]->at, (size_t)r->count * sizeof *r->at);
  int64_t strides[TCC_MAX_RANK], index[TCC_MAX_RANK] = {0}, at = 0;
  if (updates->count < indices->count) return TCC_ERROR(TCC_INVALID, "fewer updates than indices");
  tcc_strides(r->rank, r->dims, strides);
  if (indices->count == 0) return NULL;
  do {
    int64_t k, offset = 0;
    bool inside;
    TCC_TRY(element_at(e, indices->at[at].i, r->dims[axis], axis, &inside, &k));
    for (int i = 0; i < r->rank; i++) {
      if (i != axis && index[i] >= r->dims[i]) return TCC_ERROR(TCC_INVALID, "indices are larger than the operand on axis %d", i);
      offset += (i == axis ? k : index[i]) * strides[i];
    }
    if (inside) combine(r, &r->at[offset], updates->at[at], how);
    at++;
  } while (tcc_next_index(indices->rank, indices->dims, index));
  return NULL;
}

TccStatus *tcc_eval_scatter_nd(TccEval *e) {
  const TccArray *indices = e->in[1], *updates = e->in[2];
  TccArray *r = e->out[0];
  char how = reduction(e);
  memcpy(r->at, e->in[0]->at, (size_t)r->count * sizeof *r->at);
  int depth = (int)indices->dims[indices->rank - 1];
  if (depth > r->rank) return TCC_ERROR(TCC_INVALID, "index tuples of %d are too long", depth);
  int64_t tuples = tcc_product(indices->dims, 0, indices->rank - 1), block = tcc_product(r->dims, depth, r->rank);
  if (updates->count < tuples * block) return TCC_ERROR(TCC_INVALID, "fewer updates than indices");
  for (int64_t k = 0; k < tuples; k++) {
    int64_t offset;
    bool inside;
    TCC_TRY(tuple_offset(e, r, indices->at + k * depth, 0, depth, &inside, &offset));
    for (int64_t i = 0; inside && i < block; i++) combine(r, &r->at[offset + i], updates->at[k * block + i], how);
  }
  return NULL;
}

/* ---- iota, concat ---- */
TccStatus *tcc_eval_iota(TccEval *e) {
  TccArray *r = e->out[0];
  int axis = (int)tcc_i64(e->ir, e->op, "axis");
  int64_t inner = r->rank ? tcc_product(r->dims, axis + 1, r->rank) : 1, size = r->rank ? r->dims[axis] : 1;
  for (int64_t i = 0; i < r->count; i++) {
    int64_t value = i / inner % size;
    if (r->is_float) r->at[i].f = (double)value;
    else r->at[i].i = tcc_wrap(r->elem, value);
  }
  return NULL;
}

TccStatus *tcc_eval_concat(TccEval *e) {
  TccArray *r = e->out[0];
  int axis = (int)tcc_i64(e->ir, e->op, "axis");
  int64_t outer = tcc_product(r->dims, 0, axis), row = tcc_product(r->dims, axis, r->rank), at = 0;
  for (int k = 0; k < 2; k++) {
    int64_t part = tcc_product(e->in[k]->dims, axis, r->rank);
    if (outer * part != e->in[k]->count || at + part > row) return TCC_ERROR(TCC_INVALID, "operand %d does not fit the result", k);
    for (int64_t o = 0; o < outer; o++) memcpy(r->at + o * row + at, e->in[k]->at + o * part, (size_t)part * sizeof *r->at);
    at += part;
  }
  return at == row ? NULL : TCC_ERROR(TCC_INVALID, "operands have %" PRId64 " of %" PRId64 " elements along the axis", at, row);
}
