/* ops_tokenizer.c - onnxruntime's Tokenizer: strings cut at matches of regular expressions, or into such matches, or into characters.
 *
 * A table of states (regex.h) reads a string from each of its bytes on at once, in a loop over lengths, so that the longest match at each place is known;
 * a loop over places takes matches that do not overlap, from the left. Separators are looked for one after the other, each in what those before
 * left: where something was cut out strings end, as at a zero. Parts are then gathered as those of StringSplit (ops_text.c). */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/regex.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }
static MlirValue byte(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, value); }
static MlirValue state(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, value); }
static MlirValue both(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_AND, a, b); }
static MlirValue no(ImportCall *c, MlirValue a) { return tcc_build1(&c->b, TCC_OP_NOT, a); }

static MlirValue table(ImportCall *c, const int32_t *values, size_t count) {
  const int64_t n = (int64_t)count;
  return tcc_build_constant(&c->b, TCC_ELEM_I32, 1, &n, values);
}

/* x [N, W], each row `by` places on to the left (negative: right), with `outside` behind. */
static MlirValue moved(ImportCall *c, MlirValue x, int64_t by, MlirValue outside) {
  const TccExpr *zero = import_size(c, 0), *low[] = {zero, import_size(c, -by)}, *high[] = {zero, import_size(c, by)};
  return tcc_build_pad(&c->b, x, outside, low, high, "constant");
}

/* ---- matches ---- */
/* An iteration of the loop over lengths: length, kinds of the bytes there, states, the longest lengths of a match. */
static bool read_on(ImportCall *c, const Regex *regex, const MlirValue *in, MlirValue *out) {
  MlirValue row = tcc_build2(&c->b, TCC_OP_MUL, in[2], state(c, (int64_t)regex->kinds));
  MlirValue next = table(c, regex->next, regex->states * regex->kinds);
  MlirValue ends = tcc_build_compare(&c->b, "eq", tcc_build_gather(&c->b, next, row, 0), state(c, REGEX_YES));
  ends = both(c, ends, tcc_build_compare(&c->b, "ge", in[2], state(c, REGEX_START)));
  MlirValue to = tcc_build_gather(&c->b, next, tcc_build2(&c->b, TCC_OP_ADD, row, in[1]), 0);
  out[0] = tcc_build2_number(&c->b, TCC_OP_ADD, in[0], 1);
  out[1] = moved(c, in[1], 1, (MlirValue){NULL});
  out[2] = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", in[1], state(c, 0)), state(c, REGEX_NO), to);
  out[3] = tcc_build_select(&c->b, ends, in[0], in[3]);
  return out[0].ptr && out[1].ptr && out[2].ptr && out[3].ptr;
}

/* i64 [N, W]: how long the longest match is that begins at a byte of x [N, W], whose last column is zero; 0: none is, or an empty one. */
static MlirValue lengths(ImportCall *c, const Regex *regex, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  int32_t kinds[256];
  ImportBody body;
  for (int b = 0; b < 256; b++) kinds[b] = regex->kind_of[b];
  MlirValue initial[] = {number(c, 0), tcc_build_gather(&c->b, table(c, kinds, 256), tcc_build_convert(&c->b, x, TCC_ELEM_I64), 0),
                         tcc_build_broadcast(&c->b, state(c, REGEX_START), 2, shape.dims),
                         tcc_build_broadcast(&c->b, number(c, 0), 2, shape.dims)};
  MlirValue in[4], results[4], out[4] = {{NULL}, {NULL}, {NULL}, {NULL}};
  for (int i = 0; i < 4; i++)
    if (!initial[i].ptr) return out[3];
  import_body_open(c, &body);
  for (int i = 0; i < 4; i++) in[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  if (!read_on(c, regex, in, results) || !import_body_close(c, &body, 4, initial, results, shape.dims[1], false, out))
    import_body_drop(c, &body, false);
  return out[3];
}

/* bool [N, W]: where a match begins, of those that are taken from the left. */
static MlirValue taken(ImportCall *c, MlirValue length) {
  ImportShape shape = import_shape(c, length);
  const TccExpr *rows[] = {shape.dims[1], shape.dims[0]};
  const int64_t turned[] = {1, 0};
  MlirValue false_ = tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0), out[3] = {{NULL}, {NULL}, {NULL}}, in[3], results[3];
  MlirValue initial[] = {number(c, 0), tcc_build_broadcast(&c->b, number(c, 0), 1, shape.dims),
                         tcc_build_broadcast(&c->b, false_, 2, rows)};
  ImportBody body;
  if (!length.ptr || !initial[1].ptr || !initial[2].ptr) return out[2];
  import_body_open(c, &body);
  for (int i = 0; i < 3; i++) in[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  MlirValue here = tcc_build_gather(&c->b, length, in[0], 1);
  MlirValue begins = both(c, tcc_build_compare(&c->b, "gt", here, number(c, 0)), tcc_build_compare(&c->b, "ge", in[0], in[1]));
  MlirValue row[] = {in[2], in[0], begins};
  results[0] = tcc_build2_number(&c->b, TCC_OP_ADD, in[0], 1);
  results[1] = tcc_build_select(&c->b, begins, tcc_build2(&c->b, TCC_OP_ADD, in[0], here), in[1]);
  results[2] = begins.ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, row, 3, NULL, 0) : begins;
  if (!import_body_close(c, &body, 3, initial, results, shape.dims[1], false, out)) {
    import_body_drop(c, &body, false);
    return (MlirValue){NULL};
  }
  return tcc_build_transpose(&c->b, out[2], turned);
}

/* bool [N, W]: the bytes of the matches that begin there. */
static MlirValue covered(ImportCall *c, MlirValue begins, MlirValue length, MlirValue place) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
  MlirValue end = tcc_build_select(&c->b, begins, tcc_build2(&c->b, TCC_OP_ADD, place, length), number(c, 0));
  end = end.ptr ? import_op(c, TCC_OP_CUMULATIVE, &end, 1, attrs, 2) : end;
  return tcc_build_compare(&c->b, "lt", place, end);
}

static bool compile(ImportCall *c, TccStr pattern, Regex *regex) {
  bool unsupported;
  const char *why = regex_compile(import_arena(c), pattern, regex, &unsupported);
  if (why && unsupported) return import_unsupported(c, "expression '%.*s': %s", TCC_STR_ARG(pattern), why);
  if (why) return import_invalid(c, "expression '%.*s': %s", TCC_STR_ARG(pattern), why);
  return !regex->conditions || import_unsupported(c, "expression '%.*s': what stands around a match", TCC_STR_ARG(pattern));
}

/* ---- the ways to cut ---- */
static MlirValue is_byte(ImportCall *c, MlirValue x) { return tcc_build_compare(&c->b, "ne", x, byte(c, 0)); }

/* The first byte of a character. */
static MlirValue leads(ImportCall *c, MlirValue x) {
  MlirValue upper = tcc_build2(&c->b, TCC_OP_AND, x, byte(c, 0xc0));
  return both(c, is_byte(c, x), tcc_build_compare(&c->b, "ne", upper, byte(c, 0x80)));
}

static bool cut_characters(ImportCall *c, OnnxTextParts *s) {
  s->begins = leads(c, s->x);
  s->inside = is_byte(c, s->x);
  return true;
}

static bool cut_matches(ImportCall *c, OnnxTextParts *s, TccStr pattern) {
  Regex regex;
  if (!compile(c, pattern, &regex)) return false;
  MlirValue length = lengths(c, &regex, s->x);
  s->begins = taken(c, length);
  s->inside = covered(c, s->begins, length, s->place);
  return s->inside.ptr != NULL;
}

/* An expression that matches nothing at all leaves nothing: each character is behind such a match. */
static bool is_empty_match(const Regex *regex) { return regex->next[REGEX_START * regex->kinds] == REGEX_YES; }

static bool cut_at_separators(ImportCall *c, OnnxTextParts *s, const TccStr *separators, size_t count) {
  MlirValue left = is_byte(c, s->x), nothing = tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0);
  for (size_t i = 0; i < count; i++) {
    Regex regex;
    if (!separators[i].length) return import_invalid(c, "an empty separator beside others");
    if (!compile(c, separators[i], &regex)) return false;
    if (is_empty_match(&regex)) {
      left = both(c, left, nothing);
      continue;
    }
    MlirValue length = lengths(c, &regex, tcc_build_select(&c->b, left, s->x, byte(c, 0)));
    left = both(c, left, no(c, covered(c, taken(c, length), length, s->place)));
  }
  s->inside = left;
  s->begins = left.ptr ? both(c, left, no(c, moved(c, left, -1, nothing))) : left;
  return s->begins.ptr != NULL;
}

static void number_parts(ImportCall *c, OnnxTextParts *s) {
  const int64_t along = 1;
  s->part = tcc_build2_number(&c->b, TCC_OP_SUB, onnx_running_sum(c, s->begins), 1);
  s->count = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, s->begins, TCC_ELEM_I64), &along, 1, false);
}

/* Without parts of fewer characters. */
static void drop_short(ImportCall *c, OnnxTextParts *s, int64_t least) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue counts = onnx_by_part(c, s, s->inside, tcc_build_convert(&c->b, leads(c, s->x), TCC_ELEM_I64), "add");
  MlirValue at[] = {counts, tcc_build2(&c->b, TCC_OP_MAX, s->part, number(c, 0))};
  MlirValue of = counts.ptr && at[1].ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, at, 2, &axis, 1) : counts;
  s->inside = both(c, s->inside, tcc_build_compare(&c->b, "ge", of, number(c, least)));
  s->begins = both(c, s->begins, s->inside);
  number_parts(c, s);
}

/* ---- the operator ---- */
static bool cut(ImportCall *c, OnnxTextParts *s, int64_t least) {
  const TccStr *separators = NULL;
  size_t count = 0;
  TccStr expression = onnx_string(c, "tokenexp", "");
  const bool given = onnx_has_attribute(c, "tokenexp"), has = onnx_strings(c, "separators", &separators, &count) && count;
  if (given == has) return import_invalid(c, "one of separators and tokenexp must be given");
  const bool characters = given ? tcc_str_is(expression, ".") : count == 1 && !separators[0].length;
  if (given && !expression.length) return import_invalid(c, "tokenexp is empty");
  if (characters && least > 1) return import_invalid(c, "mincharnum is %lld, of single characters", (long long)least);
  if (characters) return cut_characters(c, s);
  return given ? cut_matches(c, s, expression) : cut_at_separators(c, s, separators, count);
}

/* A string as bytes [width]. */
static MlirValue text(ImportCall *c, TccStr string, const TccExpr *width) {
  const int64_t n = string.length ? (int64_t)string.length : 1;
  return import_fit_last(c, tcc_build_constant(&c->b, TCC_ELEM_U8, 1, &n, string.length ? string.data : ""), width);
}

/* parts [N, T, W], with pads where there is none, and marks around them. */
static MlirValue with_pads(ImportCall *c, const OnnxTextParts *s, MlirValue parts, TccStr pad, const TccExpr *width) {
  ImportShape shape = import_shape(c, parts);
  MlirValue place = import_iota(c, TCC_ELEM_I64, shape.rank == 3 ? shape.dims[1] : import_size(c, 0));
  place = import_unsqueeze(c, place, 1); /* [T, 1] */
  MlirValue count = import_unsqueeze(c, import_unsqueeze(c, s->count, 1), 2),
            last = tcc_build2_number(&c->b, TCC_OP_ADD, count, (double)s->before);
  MlirValue held =
      both(c, tcc_build_compare(&c->b, "ge", place, number(c, s->before)), tcc_build_compare(&c->b, "lt", place, last));
  MlirValue y = tcc_build_select(&c->b, held, import_fit_last(c, parts, width), text(c, pad, width));
  if (!s->before) return y;
  y = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", place, number(c, 0)), text(c, tcc_str("\x02"), width), y);
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", place, last), text(c, tcc_str("\x03"), width), y);
}

bool onnx_op_tokenizer(ImportCall *c) {
  MlirValue x = onnx_text(c, 0);
  ImportShape shape = import_shape(c, x);
  TccStr pad = onnx_string(c, "pad_value", "");
  const int64_t least = onnx_int(c, "mincharnum", 1), mark = onnx_int(c, "mark", 0) != 0;
  if (!x.ptr) return false;
  if (shape.rank != 2 && shape.rank != 3) return import_invalid(c, "the input must have the shape [C] or [N, C]");
  if (pad.length && memchr(pad.data, 0, pad.length)) return import_unsupported(c, "a pad_value with a zero in it");
  const TccExpr *width = import_size_add(c, shape.dims[shape.rank - 1], import_size(c, 1)), *dims[TCC_MAX_RANK];
  const TccExpr *matrix[] = {import_product(c, shape.dims, shape.rank - 1), shape.dims[shape.rank - 1]};
  const TccExpr *wide = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, width, import_size(c, (int64_t)pad.length));
  OnnxTextParts s = {.x = import_fit_last(c, tcc_build_reshape(&c->b, x, 2, matrix), width),
                     .place = import_iota(c, TCC_ELEM_I64, width),
                     .width = width};
  s.from = s.place;
  if (!s.x.ptr || !cut(c, &s, least)) return false;
  number_parts(c, &s);
  if (least > 1) drop_short(c, &s, least);
  s.before = s.behind = mark;
  MlirValue parts = onnx_text_parts(c, &s);
  ImportShape made = import_shape(c, parts);
  if (!parts.ptr) return false;
  MlirValue y = with_pads(c, &s, parts, pad, wide);
  for (int i = 0; i + 1 < shape.rank; i++) dims[i] = shape.dims[i];
  dims[shape.rank - 1] = made.dims[1];
  dims[shape.rank] = wide;
  return onnx_text_output(c, 0, tcc_build_reshape(&c->b, y, shape.rank + 1, dims));
}
