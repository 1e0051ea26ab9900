/* random.c - distributions as tcc ops on words of tcc.random: uniform, normal, flags, integers, permutations, classes.
 *
 * Each drawing node takes streams of its own, one or more: the first has the number that the input tcc.offset says, and each one more. A
 * stream's word is a function of seed, stream and place, so a mask may be computed again wherever it is read. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue binary(ImportCall *c, TccOpKind kind, MlirValue a, MlirValue b) { return tcc_build2(&c->b, kind, a, b); }
static MlirValue with(ImportCall *c, TccOpKind kind, MlirValue a, double b) { return tcc_build2_number(&c->b, kind, a, b); }
static MlirValue unary(ImportCall *c, TccOpKind kind, MlirValue a) { return tcc_build1(&c->b, kind, a); }
static MlirValue integer(ImportCall *c, TccElem elem, int64_t value) { return tcc_build_scalar_i64(&c->b, elem, value); }

/* ---- streams ---- */
static void advance(ImportCall *c, ImportStream *stream) {
  stream->offset = binary(c, TCC_OP_ADD, stream->offset, integer(c, TCC_ELEM_I64, 1));
}

static bool begin(ImportCall *c) {
  Importer *run = c->importer;
  if (run->seed.ptr) return true;
  if (import_hidden_argument(run, TCC_INPUT_SEED, TCC_ELEM_I64, &run->seed) &&
      import_hidden_argument(run, TCC_INPUT_OFFSET, TCC_ELEM_I64, &run->offset))
    return true;
  c->reason = "";
  return false;
}

bool import_stream_now(ImportCall *c, ImportStream *out) {
  Importer *run = c->importer;
  if (c->b.block.ptr != run->main.ptr) return import_unsupported(c, "random numbers in the body of a loop or branch");
  if (!begin(c)) return false;
  *out = (ImportStream){run->seed, run->offset};
  return true;
}

bool import_stream(ImportCall *c, ImportStream *out) {
  if (!import_stream_now(c, out)) return false;
  ImportStream next = *out;
  advance(c, &next);
  c->importer->offset = next.offset;
  return true;
}

bool import_stream_of(ImportCall *c, int64_t seed, int64_t number, ImportStream *out) {
  *out = (ImportStream){integer(c, TCC_ELEM_I64, seed), integer(c, TCC_ELEM_I64, number)};
  return out->seed.ptr && out->offset.ptr;
}

/* What a node draws a second time comes from a stream of the graph's, too; of a seed that is fixed, from the one behind. */
static bool another(ImportCall *c, ImportStream *stream) {
  if (stream->seed.ptr && stream->seed.ptr == c->importer->seed.ptr) return import_stream(c, stream);
  advance(c, stream);
  return stream->offset.ptr != NULL;
}

/* ---- words ---- */
static MlirValue random_words(ImportCall *c, const ImportStream *stream, int rank, const TccExpr *const *dims) {
  MlirValue places = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, import_product(c, dims, rank)), rank, dims);
  MlirValue operands[] = {places, stream->seed, stream->offset};
  return places.ptr ? import_op(c, TCC_OP_RANDOM, operands, 3, NULL, 0) : places;
}

/* The upper `bits` of a word, as a number of elem. */
static MlirValue upper(ImportCall *c, MlirValue words, int bits, TccElem elem) {
  MlirValue moved = words.ptr ? binary(c, TCC_OP_SHIFT_RIGHT, words, integer(c, TCC_ELEM_U32, 32 - bits)) : words;
  return tcc_build_convert(&c->b, moved, elem);
}

static int digits(TccElem elem) { return elem == TCC_ELEM_F16 ? 11 : elem == TCC_ELEM_BF16 ? 8 : 24; }

/* 53 bits of two words, as in Matsumoto and Nishimura's genrand_res53. */
static MlirValue joined_words(ImportCall *c, MlirValue a, MlirValue b) {
  a = upper(c, a, 27, TCC_ELEM_F64), b = upper(c, b, 26, TCC_ELEM_F64);
  return with(c, TCC_OP_MUL, binary(c, TCC_OP_ADD, with(c, TCC_OP_MUL, a, 0x1p26), b), 0x1p-53);
}

static MlirValue uniform_f64(ImportCall *c, ImportStream *stream, int rank, const TccExpr *const *dims) {
  MlirValue a = random_words(c, stream, rank, dims);
  if (!another(c, stream)) return (MlirValue){NULL};
  return joined_words(c, a, random_words(c, stream, rank, dims));
}

MlirValue import_random_uniform_again(ImportCall *c, const ImportStream streams[2], MlirValue turn, int rank,
                                      const TccExpr *const *dims) {
  const TccExpr *all = import_product(c, dims, rank);
  MlirValue places = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, all), rank, dims), words[2];
  places = binary(c, TCC_OP_ADD, places, binary(c, TCC_OP_MUL, turn, tcc_build_size(&c->b, all)));
  if (!places.ptr) return places;
  for (int i = 0; i < 2; i++)
    words[i] = import_op(c, TCC_OP_RANDOM, (MlirValue[]){places, streams[i].seed, streams[i].offset}, 3, NULL, 0);
  return joined_words(c, words[0], words[1]);
}

MlirValue import_random_uniform(ImportCall *c, ImportStream *stream, TccElem elem, int rank, const TccExpr *const *dims) {
  if (elem == TCC_ELEM_F64) return uniform_f64(c, stream, rank, dims);
  MlirValue n = upper(c, random_words(c, stream, rank, dims), digits(elem), TCC_ELEM_F32);
  return tcc_build_convert(&c->b, with(c, TCC_OP_MUL, n, ldexp(1, -digits(elem))), elem);
}

/* ---- distributions ---- */
/* In (0, 1]: of f32 the middle of each of 2^32 steps, so that a logarithm reaches -22. */
static MlirValue above_zero(ImportCall *c, ImportStream *stream, TccElem elem, int rank, const TccExpr *const *dims) {
  if (elem == TCC_ELEM_F64) return with(c, TCC_OP_ADD, uniform_f64(c, stream, rank, dims), 0x1p-54);
  MlirValue word = tcc_build_convert(&c->b, random_words(c, stream, rank, dims), TCC_ELEM_F32);
  return with(c, TCC_OP_MUL, with(c, TCC_OP_ADD, word, 0.5), 0x1p-32);
}

MlirValue import_random_normal(ImportCall *c, ImportStream *stream, TccElem elem, int rank, const TccExpr *const *dims) {
  static const double turn = 6.283185307179586;
  TccElem wide = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  MlirValue radius = unary(c, TCC_OP_SQRT, with(c, TCC_OP_MUL, unary(c, TCC_OP_LOG, above_zero(c, stream, wide, rank, dims)), -2));
  if (!another(c, stream)) return (MlirValue){NULL};
  MlirValue angle = with(c, TCC_OP_MUL, import_random_uniform(c, stream, wide, rank, dims), turn);
  return tcc_build_convert(&c->b, binary(c, TCC_OP_MUL, radius, unary(c, TCC_OP_COS, angle)), elem);
}

MlirValue import_random_flags(ImportCall *c, ImportStream *stream, MlirValue p, int rank, const TccExpr *const *dims) {
  if (!p.ptr) return p;
  TccElem wide = tcc_value_elem(p) == TCC_ELEM_F64 ? TCC_ELEM_F64 : TCC_ELEM_F32;
  MlirValue u = import_random_uniform(c, stream, wide, rank, dims);
  return u.ptr ? tcc_build_compare(&c->b, "lt", u, tcc_build_convert(&c->b, p, wide)) : u;
}

/* 64 bits modulo the range: what that prefers is less than range / 2^64. */
MlirValue import_random_integers(ImportCall *c, ImportStream *stream, MlirValue low, MlirValue range, int rank,
                                 const TccExpr *const *dims) {
  MlirValue a = tcc_build_convert(&c->b, random_words(c, stream, rank, dims), TCC_ELEM_U64);
  if (!a.ptr || !another(c, stream)) return (MlirValue){NULL};
  MlirValue b = tcc_build_convert(&c->b, random_words(c, stream, rank, dims), TCC_ELEM_U64);
  MlirValue word = binary(c, TCC_OP_OR, binary(c, TCC_OP_SHIFT_LEFT, a, integer(c, TCC_ELEM_U64, 32)), b);
  MlirValue rest = binary(c, TCC_OP_MOD, word, tcc_build_convert(&c->b, range, TCC_ELEM_U64));
  return binary(c, TCC_OP_ADD, tcc_build_convert(&c->b, rest, TCC_ELEM_I64), low);
}

static MlirValue sorted_places(ImportCall *c, MlirValue keys, const TccExpr *k, int64_t axis, bool largest) {
  TccNamedAttr attrs[] = {
      {"k", tcc_attr_exprs(c->ir, &k, 1)}, {"axis", tcc_attr_i64(c->ir, axis)}, {"largest", tcc_attr_bool(c->ir, largest)}};
  MlirValue values = keys.ptr ? import_op(c, TCC_OP_TOPK, &keys, 1, attrs, 3) : keys;
  return values.ptr ? mlirOperationGetResult(tcc_value_op(values), 1) : values;
}

/* By keys of 53 bits: two that are equal, which stay in their order, are rare. */
MlirValue import_random_order(ImportCall *c, ImportStream *stream, const TccExpr *n) {
  return sorted_places(c, uniform_f64(c, stream, 1, &n), n, 0, false);
}

/* Without repetition: the greatest of log(weight) + Gumbel noise, one sample without putting back (Vieira 2014). */
static MlirValue distinct_classes(ImportCall *c, ImportStream *stream, MlirValue weights, const ImportShape *shape,
                                  const TccExpr *count) {
  MlirValue u = above_zero(c, stream, shape->elem, 2, shape->dims);
  MlirValue waiting = unary(c, TCC_OP_NEG, unary(c, TCC_OP_LOG, u)); /* exponential, of mean 1 */
  if (!waiting.ptr) return waiting;
  return sorted_places(c, binary(c, TCC_OP_SUB, unary(c, TCC_OP_LOG, weights), unary(c, TCC_OP_LOG, waiting)), count, 1, true);
}

/* How many classes end at or below a number in [0, total). */
static MlirValue repeated_classes(ImportCall *c, ImportStream *stream, MlirValue weights, const ImportShape *shape,
                                  const TccExpr *count) {
  const TccExpr *drawn[] = {shape->dims[0], count};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue ends = import_op(c, TCC_OP_CUMULATIVE, &weights, 1, &axis, 1);
  if (!ends.ptr) return ends;
  const TccExpr *size = import_size_sub(c, shape->dims[1], import_size(c, 1));
  MlirValue total = tcc_build_slice_axis(&c->b, ends, 1, size, 1, import_size(c, 1));
  MlirValue inner = tcc_build_slice_axis(&c->b, ends, 1, import_size(c, 0), 1, size); /* the last class takes what is left */
  MlirValue at = binary(c, TCC_OP_MUL, import_random_uniform(c, stream, shape->elem, 2, drawn), total);
  if (!at.ptr || !inner.ptr) return at.ptr ? inner : at;
  MlirValue below = tcc_build_compare(&c->b, "ge", import_unsqueeze(c, at, 2), import_unsqueeze(c, inner, 1));
  const int64_t axes[] = {2};
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, below, TCC_ELEM_I64), axes, 1, false);
}

MlirValue import_random_classes(ImportCall *c, ImportStream *stream, MlirValue weights, const TccExpr *count, bool again) {
  if (!weights.ptr) return weights;
  ImportShape shape = import_shape(c, weights);
  return again ? repeated_classes(c, stream, weights, &shape, count) : distinct_classes(c, stream, weights, &shape, count);
}
