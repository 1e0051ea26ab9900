/* ops_text.c - StringConcat, StringNormalizer, StringSplit, RegexFullMatch, on bytes (text.h).
 *
 * The parts that a string is split into are found for all its bytes at once: where a part begins, and which one a byte belongs to, are running
 * sums of marks; beginnings and lengths of parts are scattered by those, and the parts gathered. How many parts there are is data. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/regex.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }
static MlirValue byte(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, value); }

static MlirValue gather_last(ImportCall *c, MlirValue x, MlirValue indices) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, import_shape(c, x).rank - 1)};
  MlirValue operands[] = {x, indices};
  return import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1);
}

/* ---- StringConcat ---- */
/* x as [batch, its width]. */
static MlirValue spread(ImportCall *c, MlirValue x, const ImportShape *batch) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < batch->rank; i++) dims[i] = batch->dims[i];
  dims[batch->rank] = onnx_text_width(c, x);
  return tcc_build_broadcast(&c->b, x, batch->rank + 1, dims);
}

bool onnx_op_string_concat(ImportCall *c) {
  MlirValue x = onnx_text(c, 0), y = onnx_text(c, 1);
  if (!x.ptr || !y.ptr) return false;
  ImportShape a = import_shape(c, x), b = import_shape(c, y), all;
  a.rank--, b.rank--;
  if (!import_broadcast_shape(c, &a, &b, &all)) return false;
  x = spread(c, x, &all), y = spread(c, y, &all);
  const TccExpr *width = import_size_add(c, onnx_text_width(c, x), onnx_text_width(c, y));
  MlirValue first = import_fit_last(c, x, width), second = import_fit_last(c, y, width), length = onnx_text_length(c, x);
  MlirValue place = import_iota(c, TCC_ELEM_I64, width), behind = tcc_build2(&c->b, TCC_OP_SUB, place, length);
  MlirValue from = tcc_build2(&c->b, TCC_OP_MAX, behind, number(c, 0));
  return onnx_text_output(
      c, 0, tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", behind, number(c, 0)), first, gather_last(c, second, from)));
}

/* ---- StringNormalizer ---- */
/* A row more at the end, of zeros. */
static MlirValue add_row(ImportCall *c, MlirValue x) {
  const TccExpr *low[] = {import_size(c, 0), import_size(c, 0)}, *high[] = {import_size(c, 1), import_size(c, 0)};
  return tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant");
}

/* The rows of x [C, W] that are none of the words; one empty string if none is left. */
static MlirValue without_words(ImportCall *c, MlirValue x, bool sensitive, const TccStr *words, size_t count) {
  const int64_t all = 0;
  TccStr *lower = TCC_NEW_ARRAY(import_arena(c), TccStr, count + 1);
  for (size_t i = 0; i < count; i++) {
    char *copy = tcc_arena_copy(import_arena(c), words[i].data, words[i].length);
    for (size_t k = 0; k < words[i].length; k++)
      if (copy[k] >= 'A' && copy[k] <= 'Z') copy[k] = (char)(copy[k] ^ 'a' ^ 'A');
    lower[i] = (TccStr){copy, words[i].length};
  }
  MlirValue index = onnx_text_index(c, sensitive ? x : onnx_text_case(c, x, false), sensitive ? words : lower, count);
  MlirValue keep = tcc_build_compare(&c->b, "lt", index, number(c, 0));
  MlirValue none = tcc_build1(&c->b, TCC_OP_NOT, tcc_build_reduce(&c->b, "or", keep, &all, 1, true));
  MlirValue marks[] = {keep, none};
  return onnx_take_where(c, add_row(c, x), 0, tcc_build_concat(&c->b, marks, 2, 0));
}

/* x [C] or [1, C]. */
bool onnx_op_string_normalizer(ImportCall *c) {
  MlirValue x = onnx_text(c, 0);
  ImportShape shape = import_shape(c, x);
  const TccStr *words;
  size_t count = 0;
  TccStr action = onnx_string(c, "case_change_action", "NONE");
  const bool upper = tcc_str_is(action, "UPPER"), changes = upper || tcc_str_is(action, "LOWER");
  if (!x.ptr) return false;
  if (!changes && !tcc_str_is(action, "NONE")) return import_invalid(c, "case_change_action '%.*s'", TCC_STR_ARG(action));
  if (shape.rank < 2 || shape.rank > 3) return import_invalid(c, "the input must have the shape [C] or [1, C]");
  if (shape.rank == 3 && !import_require_equal(c, shape.dims[0], import_size(c, 1), "the first axis of the input")) return false;
  MlirValue y = tcc_build_reshape(&c->b, x, 2, shape.dims + shape.rank - 2);
  if (onnx_strings(c, "stopwords", &words, &count) && count)
    y = without_words(c, y, onnx_int(c, "is_case_sensitive", 0) != 0, words, count);
  if (changes) y = onnx_text_case(c, y, upper);
  return onnx_text_output(c, 0, shape.rank == 3 ? import_unsqueeze(c, y, 0) : y);
}

/* ---- StringSplit ---- */
MlirValue onnx_running_sum(ImportCall *c, MlirValue marks) {
  MlirValue x = tcc_build_convert(&c->b, marks, TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
  return import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2);
}

static MlirValue sum_of(ImportCall *c, MlirValue marks) {
  const int64_t along = 1;
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, marks, TCC_ELEM_I64), &along, 1, false);
}

/* x[..., i + by], and `outside` where there is none; by may be negative. */
static MlirValue shifted(ImportCall *c, MlirValue x, int64_t by, MlirValue outside) {
  const TccExpr *zero = import_size(c, 0), *less = import_size(c, -by), *more = import_size(c, by), *low[] = {zero, less},
                *high[] = {zero, more};
  return tcc_build_pad(&c->b, x, outside, low, high, "constant");
}

static MlirValue both(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_AND, a, b); }
static MlirValue either(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_OR, a, b); }
static MlirValue no(ImportCall *c, MlirValue a) { return tcc_build1(&c->b, TCC_OP_NOT, a); }
static MlirValue falsehood(ImportCall *c) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0); }

/* By runs of white space, which do not count at the ends; the last part that may be is the rest, white space included. */
static void split_by_space(ImportCall *c, OnnxTextParts *s) {
  MlirValue is_byte = tcc_build_compare(&c->b, "ne", s->x, byte(c, 0));
  MlirValue control =
      both(c, tcc_build_compare(&c->b, "ge", s->x, byte(c, '\t')), tcc_build_compare(&c->b, "le", s->x, byte(c, '\r')));
  MlirValue space = either(c, control, tcc_build_compare(&c->b, "eq", s->x, byte(c, ' ')));
  MlirValue word = both(c, is_byte, no(c, space));
  s->begins = both(c, word, no(c, shifted(c, word, -1, falsehood(c))));
  s->inside = word;
  if (s->most) {
    s->begins = both(c, s->begins, tcc_build_compare(&c->b, "le", onnx_running_sum(c, s->begins), number(c, s->most)));
    MlirValue last = tcc_build_compare(&c->b, "eq", onnx_running_sum(c, s->begins), number(c, s->most));
    s->inside = both(c, is_byte, either(c, word, last));
  }
  s->part = tcc_build2(&c->b, TCC_OP_SUB, onnx_running_sum(c, s->begins), number(c, 1));
  s->count = sum_of(c, s->begins);
  s->from = s->place;
}

/* Whether all bytes of a delimiter are equal: its matches overlap in runs of that byte, where every length-th one counts. */
static bool is_one_byte(TccStr text) {
  for (size_t i = 1; i < text.length; i++)
    if (text.data[i] != text.data[0]) return false;
  return true;
}

/* Whether two matches can overlap. */
static bool overlaps_itself(TccStr text) {
  for (size_t by = 1; by < text.length; by++)
    if (memcmp(text.data + by, text.data, text.length - by) == 0) return true;
  return false;
}

static MlirValue every_length_th(ImportCall *c, const OnnxTextParts *s, MlirValue match, TccStr delimiter) {
  MlirValue other = tcc_build_compare(&c->b, "ne", s->x, byte(c, (unsigned char)delimiter.data[0]));
  MlirValue before = tcc_build_select(&c->b, other, s->place, number(c, -1));
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
  MlirValue last = import_op(c, TCC_OP_CUMULATIVE, &before, 1, attrs, 2);
  MlirValue in_run = tcc_build2(&c->b, TCC_OP_SUB, tcc_build2(&c->b, TCC_OP_SUB, s->place, last), number(c, 1));
  MlirValue rest = tcc_build2(&c->b, TCC_OP_MOD, in_run, number(c, (int64_t)delimiter.length));
  return both(c, match, tcc_build_compare(&c->b, "eq", rest, number(c, 0)));
}

static void split_by_delimiter(ImportCall *c, OnnxTextParts *s, TccStr delimiter) {
  MlirValue within;
  s->begins = tcc_build_compare(&c->b, "eq", s->x, byte(c, (unsigned char)delimiter.data[0]));
  for (size_t k = 1; k < delimiter.length; k++)
    s->begins =
        both(c, s->begins,
             tcc_build_compare(&c->b, "eq", shifted(c, s->x, (int64_t)k, byte(c, 0)), byte(c, (unsigned char)delimiter.data[k])));
  if (delimiter.length > 1 && is_one_byte(delimiter)) s->begins = every_length_th(c, s, s->begins, delimiter);
  if (s->most) s->begins = both(c, s->begins, tcc_build_compare(&c->b, "lt", onnx_running_sum(c, s->begins), number(c, s->most)));
  within = s->begins;
  for (size_t k = 1; k < delimiter.length; k++) within = either(c, within, shifted(c, s->begins, -(int64_t)k, falsehood(c)));
  s->inside = both(c, tcc_build_compare(&c->b, "ne", s->x, byte(c, 0)), no(c, within));
  s->part = onnx_running_sum(c, s->begins);
  s->count = tcc_build2(&c->b, TCC_OP_ADD, sum_of(c, s->begins), number(c, 1));
  s->from = tcc_build2(&c->b, TCC_OP_ADD, s->place, number(c, (int64_t)delimiter.length));
}

static const TccExpr *places_of_parts(ImportCall *c, const OnnxTextParts *s) {
  return import_size_add(c, s->width, import_size(c, 1 + s->before + s->behind));
}

MlirValue onnx_by_part(ImportCall *c, const OnnxTextParts *s, MlirValue met, MlirValue values, const char *reduction) {
  ImportShape shape = import_shape(c, s->x);
  const TccExpr *dims[] = {shape.dims[0], places_of_parts(c, s)};
  MlirValue nowhere = tcc_build_size(&c->b, dims[1]), part = s->part;
  if (s->before) part = tcc_build2(&c->b, TCC_OP_ADD, part, number(c, s->before));
  MlirValue operands[] = {tcc_build_broadcast(&c->b, number(c, 0), 2, dims), tcc_build_select(&c->b, met, part, nowhere),
                          tcc_build_broadcast(&c->b, values, 2, shape.dims)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str(reduction))}};
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
}

MlirValue onnx_text_parts(ImportCall *c, const OnnxTextParts *s) {
  MlirValue begin = onnx_by_part(c, s, s->begins, s->from, "none"), length = onnx_by_part(c, s, s->inside, number(c, 1), "add");
  const int64_t all = 0;
  MlirValue most = tcc_build_reduce(&c->b, "max", s->count, &all, 1, false);
  if (s->before + s->behind) {
    MlirValue some = tcc_build_compare(&c->b, "gt", most, number(c, 0));
    most = tcc_build2(&c->b, TCC_OP_ADD, most, tcc_build_select(&c->b, some, number(c, s->before + s->behind), number(c, 0)));
  }
  MlirValue parts = import_iota(c, TCC_ELEM_I64, places_of_parts(c, s));
  MlirValue met = import_nonzero(c, tcc_build_compare(&c->b, "lt", parts, most));
  ImportShape found = import_shape(c, met);
  if (!met.ptr) return met;
  met = tcc_build_reshape(&c->b, met, 1, &found.dims[1]);
  begin = tcc_build_gather(&c->b, begin, met, 1), length = tcc_build_gather(&c->b, length, met, 1);
  ImportShape cut = import_shape(c, begin);
  if (!begin.ptr) return begin;
  MlirValue from = tcc_build2(&c->b, TCC_OP_ADD, import_unsqueeze(c, begin, 2), s->place);
  from = tcc_build2(&c->b, TCC_OP_MIN, from, tcc_build2(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, s->width), number(c, 1)));
  const TccExpr *flat[] = {cut.dims[0], import_size_mul(c, cut.dims[1], s->width)}, *dims[] = {cut.dims[0], cut.dims[1], s->width};
  MlirValue bytes = tcc_build_reshape(&c->b, gather_last(c, s->x, tcc_build_reshape(&c->b, from, 2, flat)), 3, dims);
  MlirValue held = tcc_build_compare(&c->b, "lt", s->place, import_unsqueeze(c, length, 2));
  return tcc_build_select(&c->b, held, bytes, byte(c, 0));
}

bool onnx_op_string_split(ImportCall *c) {
  MlirValue x = onnx_text(c, 0);
  ImportShape shape = import_shape(c, x);
  TccStr delimiter = onnx_string(c, "delimiter", "");
  const int64_t most = onnx_int(c, "maxsplit", -1);
  if (!x.ptr) return false;
  if (shape.rank >= TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", shape.rank + 1);
  if (delimiter.length > 1 && !is_one_byte(delimiter) && overlaps_itself(delimiter))
    return import_unsupported(c, "a delimiter that overlaps itself, '%.*s'", TCC_STR_ARG(delimiter));
  const TccExpr *width = shape.dims[shape.rank - 1], *dims[TCC_MAX_RANK],
                *matrix[] = {import_product(c, shape.dims, shape.rank - 1), width};
  OnnxTextParts split = {.x = tcc_build_reshape(&c->b, x, 2, matrix),
                         .place = import_iota(c, TCC_ELEM_I64, width),
                         .width = width,
                         .most = most >= 0 && most < INT64_MAX ? most + 1 : 0};
  if (delimiter.length) split_by_delimiter(c, &split, delimiter);
  else split_by_space(c, &split);
  MlirValue parts = onnx_text_parts(c, &split);
  ImportShape made = import_shape(c, parts);
  if (!parts.ptr) return false;
  for (int i = 0; i + 1 < shape.rank; i++) dims[i] = shape.dims[i];
  dims[shape.rank - 1] = made.dims[1];
  dims[shape.rank] = width;
  return onnx_text_output(c, 0, tcc_build_reshape(&c->b, parts, shape.rank + 1, dims)) &&
         import_output(c, 1, tcc_build_reshape(&c->b, split.count, shape.rank - 1, shape.dims));
}

/* ---- RegexFullMatch ---- */
static MlirValue numbers(ImportCall *c, const int32_t *values, size_t count) {
  return tcc_build_constant(&c->b, TCC_ELEM_I32, 1, &(int64_t){(int64_t)count}, values);
}

/* The states behind all bytes of x [N, W], W at least one more than a string has: a loop over columns. */
static MlirValue run_regex(ImportCall *c, const Regex *regex, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  int32_t kinds[256];
  ImportBody body;
  for (int b = 0; b < 256; b++) kinds[b] = regex->kind_of[b];
  MlirValue column_kinds = tcc_build_gather(&c->b, numbers(c, kinds, 256), tcc_build_convert(&c->b, x, TCC_ELEM_I64), 0);
  MlirValue first = tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, REGEX_START);
  MlirValue initial[] = {number(c, 0), tcc_build_broadcast(&c->b, first, 1, shape.dims)}, results[2], out[2] = {{NULL}, {NULL}};
  if (!column_kinds.ptr || !initial[0].ptr || !initial[1].ptr) return out[1];
  import_body_open(c, &body);
  MlirValue place = import_body_argument(c, &body, tcc_value_type(initial[0])),
            state = import_body_argument(c, &body, tcc_value_type(initial[1]));
  MlirValue row = tcc_build2(&c->b, TCC_OP_MUL, state, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, (int64_t)regex->kinds));
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, row, tcc_build_gather(&c->b, column_kinds, place, 1));
  results[0] = tcc_build2(&c->b, TCC_OP_ADD, place, number(c, 1));
  results[1] = tcc_build_gather(&c->b, numbers(c, regex->next, regex->states * regex->kinds), at, 0);
  if (!import_body_close(c, &body, 2, initial, results, shape.dims[1], false, out)) import_body_drop(c, &body, false);
  return out[1];
}

bool onnx_op_regex_full_match(ImportCall *c) {
  MlirValue x = onnx_text(c, 0);
  ImportShape shape = import_shape(c, x);
  TccStr pattern = onnx_string(c, "pattern", "");
  Regex regex;
  bool unsupported;
  if (!x.ptr) return false;
  if (!onnx_has_attribute(c, "pattern")) return import_invalid(c, "pattern is missing");
  const char *why = regex_compile(import_arena(c), pattern, &regex, &unsupported);
  if (why && unsupported) return import_unsupported(c, "pattern '%.*s': %s", TCC_STR_ARG(pattern), why);
  if (why) return import_invalid(c, "pattern '%.*s': %s", TCC_STR_ARG(pattern), why);
  const TccExpr *width = shape.dims[shape.rank - 1], *matrix[] = {import_product(c, shape.dims, shape.rank - 1), width};
  x = import_fit_last(c, tcc_build_reshape(&c->b, x, 2, matrix), import_size_add(c, width, import_size(c, 1)));
  MlirValue state = run_regex(c, &regex, x);
  MlirValue yes = tcc_build_compare(&c->b, "eq", state, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, REGEX_YES));
  return import_output(c, 0, tcc_build_reshape(&c->b, yes, shape.rank - 1, shape.dims));
}
