/* packed.c - see packed.h. */
#include "lib/frontend/onnx/packed.h"
#include "tcc/op_kinds.h"

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

/* Entries [first, first + count) of a vector. */
static MlirValue part(ImportCall *c, MlirValue x, int64_t first, const TccExpr *count) {
  return tcc_build_slice_axis(&c->b, x, 0, import_size(c, first), 1, count);
}

MlirValue onnx_token_owners(ImportCall *c, MlirValue ends, const TccExpr *tokens, bool each, TccStr message) {
  const TccExpr *one = import_size(c, 1), *sequences = import_size_sub(c, import_shape(c, ends).dims[0], one);
  const int64_t across = 1, along = 0;
  MlirValue all = tcc_build_convert(&c->b, ends, TCC_ELEM_I64), last = tcc_build_size(&c->b, tokens);
  MlirValue begin = tcc_build_squeeze(&c->b, part(c, all, 0, one), 0),
            end = tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, all, 0, sequences, 1, one), 0);
  MlirValue fits =
      tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "eq", begin, number(c, 0)), tcc_build_compare(&c->b, "eq", end, last));
  MlirValue behind = part(c, all, 1, sequences);
  if (each) {
    MlirValue grows = tcc_build_compare(&c->b, "lt", part(c, all, 0, sequences), behind);
    fits = tcc_build2(&c->b, TCC_OP_AND, fits, tcc_build_reduce(&c->b, "and", grows, &along, 1, false));
  }
  MlirValue at = import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, tokens), 1);
  MlirValue before = tcc_build_compare(&c->b, "le", import_unsqueeze(c, behind, 0), at);
  MlirValue owners = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, before, TCC_ELEM_I64), &across, 1, false);
  return owners.ptr && fits.ptr ? import_assert(c, owners, fits, message) : (MlirValue){NULL};
}

bool onnx_packed(ImportCall *c, MlirValue ends, const TccExpr *tokens, const TccExpr *history, bool each, TccStr message,
                 OnnxPacked *out) {
  ImportShape s = import_shape(c, ends);
  const TccExpr *one = import_size(c, 1);
  if (s.rank != 1) return import_invalid(c, "cumulative_sequence_length of rank %d", s.rank);
  if (!import_require_at_most(c, import_size(c, 2), s.dims[0], "cumulative_sequence_length")) return false;
  *out = (OnnxPacked){.tokens = tokens, .sequences = import_size_sub(c, s.dims[0], one), .history = history};
  out->owner = onnx_token_owners(c, ends, tokens, each, message);
  MlirValue all = tcc_build_convert(&c->b, ends, TCC_ELEM_I64);
  out->start = part(c, all, 0, out->sequences);
  out->length = tcc_build2(&c->b, TCC_OP_SUB, part(c, all, 1, out->sequences), out->start);
  out->at = tcc_build2(&c->b, TCC_OP_SUB, import_iota(c, TCC_ELEM_I64, tokens), tcc_build_gather(&c->b, out->start, out->owner, 0));
  return out->at.ptr != NULL;
}

MlirValue onnx_packed_table(ImportCall *c, const OnnxPacked *p, MlirValue history, MlirValue x) {
  ImportShape s = import_shape(c, x);
  s.dims[0] = import_size_mul(c, p->sequences, p->history);
  MlirValue parts[] = {tcc_build_reshape(&c->b, history, s.rank, s.dims), x};
  return parts[0].ptr && x.ptr ? tcc_build_concat(&c->b, parts, 2, 0) : (MlirValue){NULL};
}

/* Of a position in a sequence that begins at token `start` and is the `owner`-th. */
static MlirValue place(ImportCall *c, const OnnxPacked *p, MlirValue owner, MlirValue start, MlirValue at) {
  MlirValue histories = tcc_build_size(&c->b, import_size_mul(c, p->sequences, p->history)),
            length = tcc_build_size(&c->b, p->history);
  MlirValue token = tcc_build2(&c->b, TCC_OP_ADD, histories, tcc_build2(&c->b, TCC_OP_ADD, start, at));
  MlirValue before = tcc_build2(&c->b, TCC_OP_MUL, tcc_build2_number(&c->b, TCC_OP_ADD, owner, 1), length);
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "ge", at, number(c, 0)), token,
                          tcc_build2(&c->b, TCC_OP_ADD, before, at));
}

MlirValue onnx_packed_before(ImportCall *c, const OnnxPacked *p, int64_t back) {
  MlirValue at = tcc_build2_number(&c->b, TCC_OP_SUB, p->at, (double)back);
  return place(c, p, p->owner, tcc_build_gather(&c->b, p->start, p->owner, 0), at);
}

MlirValue onnx_packed_places(ImportCall *c, const OnnxPacked *p, MlirValue positions) {
  return place(c, p, import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, p->sequences), 1), import_unsqueeze(c, p->start, 1),
               positions);
}

MlirValue onnx_packed_last(ImportCall *c, const OnnxPacked *p) {
  MlirValue from = tcc_build2(&c->b, TCC_OP_SUB, p->length, tcc_build_size(&c->b, p->history));
  return tcc_build2(&c->b, TCC_OP_ADD, import_unsqueeze(c, from, 1), import_iota(c, TCC_ELEM_I64, p->history));
}

MlirValue onnx_packed_captured(ImportCall *c, const OnnxPacked *p, MlirValue count, int64_t capacity) {
  MlirValue most = tcc_build2(&c->b, TCC_OP_MIN, tcc_build_convert(&c->b, count, TCC_ELEM_I64), p->length);
  return tcc_build_compare(&c->b, "lt", import_iota(c, TCC_ELEM_I64, import_size(c, capacity)), import_unsqueeze(c, most, 1));
}

bool onnx_capture_capacity(ImportCall *c, size_t count_input, const TccExpr *sequences, int64_t *out) {
  enum { MOST = 8 };
  ImportShape count = import_shape(c, import_input(c, count_input));
  *out = onnx_int(c, "state_update_capacity", 0);
  if (*out < 0 || *out > MOST) return import_invalid(c, "state_update_capacity is %lld", (long long)*out);
  if ((*out > 0) != import_has_input(c, count_input))
    return import_invalid(c, "capture_count belongs to a state_update_capacity above 0");
  return *out == 0 || import_require_shape(c, &count, 1, &sequences, "capture_count");
}
