/* search_timestamps.c - Whisper's timestamps: tokens from a number on, that stand in pairs around what was said, and never decrease.
 *
 * The rules are those of onnxruntime's TimestampLogitsProcessor (from Whisper's own decoding.py): each forbids tokens by what a text has so far;
 * at the end all others are forbidden where timestamps together are likelier than any of them. */
#include "lib/frontend/onnx/search.h"
#include "tcc/op_kinds.h"
#include <float.h>

static MlirValue both(const Search *s, MlirValue a, MlirValue b) { return tcc_build2(&s->c->b, TCC_OP_AND, a, b); }
static MlirValue either(const Search *s, MlirValue a, MlirValue b) { return tcc_build2(&s->c->b, TCC_OP_OR, a, b); }
static MlirValue no(const Search *s, MlirValue a) { return tcc_build1(&s->c->b, TCC_OP_NOT, a); }
static MlirValue real(const Search *s, double value) { return tcc_build_scalar(&s->c->b, TCC_ELEM_F32, value); }
static MlirValue is(const Search *s, const char *predicate, MlirValue a, MlirValue b) {
  return tcc_build_compare(&s->c->b, predicate, a, b);
}

/* [rows, 1] */
static MlirValue along(const Search *s, const char *kind, MlirValue x) {
  const int64_t axis = 1;
  return tcc_build_reduce(&s->c->b, kind, x, &axis, 1, true);
}

/* What a text says of its next token: all [rows, 1]. */
typedef struct {
  MlirValue began, begins; /* bool: there are tokens behind the first timestamp; it is the last one, or there is none */
  MlirValue last, before;  /* bool: the last token is a timestamp, and the one before it is, or stands in front of the first one */
  MlirValue any, latest;   /* bool: there is a timestamp; i64: the last one */
} Said;

/* bool [rows, 1]: the token `back` places in front of the end is a timestamp. */
static MlirValue ends_with(const Search *s, MlirValue stamps, MlirValue length, double back) {
  ImportCall *c = s->c;
  MlirValue at = tcc_build2_number(&c->b, TCC_OP_SUB, length, back);
  MlirValue found = tcc_build_gather(&c->b, stamps, tcc_build2(&c->b, TCC_OP_MAX, at, search_number(s, 0)), 1);
  return import_unsqueeze(c, both(s, found, is(s, "ge", at, search_number(s, 0))), 1);
}

static Said said(const Search *s, MlirValue texts, MlirValue length) {
  ImportCall *c = s->c;
  Said out;
  MlirValue place = import_iota(c, TCC_ELEM_I64, s->length), none = search_number(s, INT32_MAX);
  MlirValue stamps = both(s, is(s, "ge", texts, search_token(s, s->stamps.first)), is(s, "lt", place, length));
  MlirValue first = along(s, "min", tcc_build_select(&c->b, stamps, place, none));
  MlirValue begin = tcc_build2(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_ADD, first, 1), length);
  out.any = along(s, "or", stamps);
  out.began = is(s, "gt", length, begin);
  out.begins = no(s, out.began);
  out.last = ends_with(s, stamps, length, 1);
  out.before = either(s, out.begins, ends_with(s, stamps, length, 2));
  MlirValue latest = along(s, "max", tcc_build_select(&c->b, stamps, place, search_number(s, -1)));
  MlirValue here = both(s, stamps, is(s, "eq", place, latest));
  out.latest = along(s, "max", tcc_build_select(&c->b, here, tcc_build_convert(&c->b, texts, TCC_ELEM_I64), search_number(s, -1)));
  return out;
}

/* bool [rows, V]: tokens that may not follow. */
static MlirValue forbidden(const Search *s, const Said *t, MlirValue ids) {
  ImportCall *c = s->c;
  enum { MOST_FIRST = 50 }; /* timestamps of the first one */
  MlirValue stamp = is(s, "ge", ids, search_number(s, s->stamps.first)), pair = both(s, t->last, no(s, t->before));
  MlirValue out =
      either(s, is(s, "eq", ids, search_number(s, s->stamps.none)), is(s, "eq", ids, search_number(s, s->stamps.language)));
  MlirValue task =
      either(s, is(s, "eq", ids, search_number(s, s->stamps.translate)), is(s, "eq", ids, search_number(s, s->stamps.transcribe)));
  out = either(s, out, both(s, t->began, either(s, task, is(s, "eq", ids, search_number(s, s->start)))));
  out = either(s, out, both(s, both(s, t->last, t->before), stamp));
  out = either(s, out, both(s, pair, is(s, "lt", ids, search_number(s, s->eos))));
  MlirValue least = tcc_build_select(&c->b, pair, t->latest, tcc_build2_number(&c->b, TCC_OP_ADD, t->latest, 1));
  out = either(s, out, both(s, t->any, both(s, stamp, is(s, "lt", ids, least))));
  return either(s, out, both(s, t->begins, is(s, "gt", ids, search_number(s, s->stamps.first + MOST_FIRST))));
}

MlirValue search_stamped(const Search *s, MlirValue x, MlirValue texts, MlirValue length) {
  ImportCall *c = s->c;
  MlirValue ids = import_iota(c, TCC_ELEM_I64, import_size(c, s->vocabulary)), lowest = real(s, -FLT_MAX);
  Said t = said(s, texts, length);
  x = tcc_build_select(&c->b, forbidden(s, &t, ids), lowest, x);
  MlirValue stamp = is(s, "ge", ids, search_number(s, s->stamps.first)), held = both(s, stamp, is(s, "gt", x, lowest));
  MlirValue most = along(s, "max", tcc_build_select(&c->b, stamp, x, lowest));
  MlirValue e = tcc_build1(&c->b, TCC_OP_EXP, tcc_build2(&c->b, TCC_OP_SUB, x, most));
  MlirValue sum = along(s, "sum", tcc_build_select(&c->b, held, e, real(s, 0)));
  MlirValue all = tcc_build2(&c->b, TCC_OP_ADD, tcc_build1(&c->b, TCC_OP_LOG, sum), most);
  all = tcc_build_select(&c->b, is(s, "gt", sum, real(s, 0)), all, lowest);
  MlirValue words = along(s, "max", tcc_build_select(&c->b, stamp, lowest, x));
  return tcc_build_select(&c->b, both(s, is(s, "gt", all, words), no(s, stamp)), lowest, x);
}
