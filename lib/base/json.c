/* json.c - a pull parser of JSON: the text is walked once, and the caller's own calls are the state machine.
 *
 * Why not a library: more than half of a graph that torch writes is metadata that nobody asks for. A tree (jansson) allocates all of
 * it, and a parser by callbacks (yajl) hands over every piece of it through a pointer, and takes 17.5 as an integer's text or
 * not at all. Here a value that is skipped costs a look at each of its bytes, eight at once in strings. */
#include "tcc/json.h"
#include <locale.h>
#include <math.h>
#include <stdlib.h>

void tcc_json_start(TccJson *json, TccArena *arena, const char *name, TccStr text) {
  json->name = name;
  json->first = json->at = text.length ? text.data : "";
  json->end = json->first + text.length;
  json->arena = arena;
  json->status = NULL;
  json->depth = 0;
}

/* ---- errors ---- */
static void print_path(const TccJson *json, TccText *text) {
  for (unsigned i = 0; i < json->depth; i++) {
    if (!json->frames[i].count) break;
    if (json->frames[i].array) tcc_text_printf(text, "[%zu]", json->frames[i].count - 1);
    else {
      TccStr key = json->frames[i].key;
      if (key.length > 80) key.length = 80;
      tcc_text_printf(text, "%s%.*s", text->length ? "." : "", TCC_STR_ARG(key));
    }
    if (text->length > 400) {
      tcc_text_printf(text, "...");
      break;
    }
  }
}

bool tcc_json_fail(TccJson *json, TccCode code, const char *format, ...) {
  if (json->status) return false;
  TccText what = {0}, path = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&what, format, args);
  va_end(args);
  print_path(json, &path);
  size_t at = (size_t)(json->at - json->first);
  if (what.failed || path.failed) json->status = TCC_ERROR_NO_MEMORY();
  else if (path.length) json->status = TCC_ERROR(code, "%s, byte %zu (%s): %s", json->name, at, path.data, what.data);
  else json->status = TCC_ERROR(code, "%s, byte %zu: %s", json->name, at, what.data);
  tcc_text_destroy(&what);
  tcc_text_destroy(&path);
  return false;
}

static bool invalid(TccJson *json, const char *what) { return tcc_json_fail(json, TCC_INVALID, "%s", what); }

TccStatus *tcc_json_finish(TccJson *json) {
  if (!json->status && tcc_json_peek(json)) invalid(json, "text behind the value");
  return json->status;
}

/* ---- white space and structure ---- */
char tcc_json_peek(TccJson *json) {
  if (json->status) return 0;
  while (json->at < json->end && (*json->at == ' ' || *json->at == '\n' || *json->at == '\t' || *json->at == '\r')) json->at++;
  return json->at < json->end ? *json->at : 0;
}

static bool accept(TccJson *json, char c) {
  if (tcc_json_peek(json) != c) return false;
  json->at++;
  return true;
}

/* What stands here is not what should. */
static bool expected(TccJson *json, const char *what) {
  char c = tcc_json_peek(json);
  if (json->status) return false;
  if (!c) return tcc_json_fail(json, TCC_INVALID, "%s expected, and the text ends", what);
  if (c < ' ' || c > '~') return tcc_json_fail(json, TCC_INVALID, "%s expected, not byte 0x%02x", what, (unsigned char)c);
  return tcc_json_fail(json, TCC_INVALID, "%s expected, not '%c'", what, c);
}

static bool enter(TccJson *json, bool array) {
  if (!accept(json, array ? '[' : '{')) return expected(json, array ? "an array" : "an object");
  if (json->depth == TCC_JSON_DEPTH)
    return tcc_json_fail(json, TCC_INVALID, "objects and arrays are nested more than %d deep", TCC_JSON_DEPTH);
  json->frames[json->depth].count = 0;
  json->frames[json->depth++].array = array;
  return true;
}

bool tcc_json_object(TccJson *json) { return enter(json, false); }
bool tcc_json_array(TccJson *json) { return enter(json, true); }

/* To the next key or element; false: the object or array is left, or there is an error. */
static bool advance(TccJson *json, char end, const char *what) {
  if (json->status || !json->depth) return false;
  if (accept(json, end)) {
    json->depth--;
    return false;
  }
  if (json->frames[json->depth - 1].count && !accept(json, ',')) return expected(json, what);
  return true;
}

bool tcc_json_key(TccJson *json, TccStr *out) {
  *out = (TccStr){0};
  if (!advance(json, '}', "',' or '}'")) return false;
  if (tcc_json_peek(json) != '"') return expected(json, "a name in quotes");
  if (!tcc_json_string(json, out)) return false;
  if (!accept(json, ':')) return expected(json, "':'");
  json->frames[json->depth - 1].key = *out;
  json->frames[json->depth - 1].count++;
  return true;
}

bool tcc_json_element(TccJson *json) {
  if (!advance(json, ']', "',' or ']'")) return false;
  json->frames[json->depth - 1].count++;
  return true;
}

/* ---- strings ---- */

/* Whether one of eight bytes is a control character, a quote, a backslash or not ASCII (Hacker's Delight, 6-1: zero bytes). */
static bool has_special(uint64_t word) {
  const uint64_t ones = 0x0101010101010101u, tops = 0x8080808080808080u;
  uint64_t quote = word ^ (ones * '"'), slash = word ^ (ones * '\\');
  return ((word | (word - ones * ' ') | ((quote - ones) & ~quote) | ((slash - ones) & ~slash)) & tops) != 0;
}

/* The bytes of the UTF-8 character that begins with at, 0 if it is none (RFC 3629). */
static size_t utf8_length(const unsigned char *at, size_t rest) {
  unsigned c = at[0];
  size_t n = c < 0x80 ? 1 : c >= 0xC2 && c <= 0xDF ? 2 : c >= 0xE0 && c <= 0xEF ? 3 : c >= 0xF0 && c <= 0xF4 ? 4 : 0;
  if (!n || n > rest) return 0;
  for (size_t i = 1; i < n; i++)
    if ((at[i] & 0xC0) != 0x80) return 0;
  if ((c == 0xE0 && at[1] < 0xA0) || (c == 0xED && at[1] > 0x9F) || (c == 0xF0 && at[1] < 0x90) || (c == 0xF4 && at[1] > 0x8F))
    return 0;
  return n;
}

static bool read_hex(const char *at, size_t rest, unsigned *out) {
  *out = 0;
  for (int i = 0; i < 4; i++) {
    char c = rest > (size_t)i ? at[i] : 0;
    int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
    if (digit < 0) return false;
    *out = *out << 4 | (unsigned)digit;
  }
  return true;
}

/* The code point of the escape at '\', and its length; 0 if it is none, a lone surrogate too. */
static size_t read_escape(const char *at, size_t rest, unsigned *out) {
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  if (rest < 2) return 0;
  if (at[1] != 'u') {
    const char *found = at[1] ? strchr(letters, at[1]) : NULL;
    if (!found) return 0;
    *out = (unsigned char)meant[found - letters];
    return 2;
  }
  unsigned low;
  if (!read_hex(at + 2, rest - 2, out)) return 0;
  if (*out < 0xD800 || *out > 0xDFFF) return 6;
  if (*out > 0xDBFF || rest < 12 || at[6] != '\\' || at[7] != 'u' || !read_hex(at + 8, rest - 8, &low)) return 0;
  if (low < 0xDC00 || low > 0xDFFF) return 0;
  *out = 0x10000 + ((*out - 0xD800) << 10) + (low - 0xDC00);
  return 12;
}

/* From behind the opening quote to the closing one, where `at` is left. */
static bool scan_string(TccJson *json, bool *out_escapes) {
  *out_escapes = false;
  for (;;) {
    uint64_t word;
    while (json->end - json->at >= 8 && (memcpy(&word, json->at, 8), !has_special(word))) json->at += 8;
    if (json->at == json->end) return invalid(json, "a string has no end");
    unsigned char c = (unsigned char)*json->at;
    size_t rest = (size_t)(json->end - json->at), length = 1;
    unsigned code;
    if (c == '"') return true;
    if (c < ' ') return tcc_json_fail(json, TCC_INVALID, "a string holds the control character 0x%02x", c);
    if (c == '\\') {
      *out_escapes = true;
      length = read_escape(json->at, rest, &code);
      if (!length) return invalid(json, "a string holds an impossible escape");
    } else if (c >= 0x80) {
      length = utf8_length((const unsigned char *)json->at, rest);
      if (!length) return invalid(json, "a string is not UTF-8");
    }
    json->at += length;
  }
}

static bool take_string(TccJson *json, TccStr *out, bool *out_escapes) {
  *out = (TccStr){0};
  *out_escapes = false;
  if (!accept(json, '"')) return expected(json, "a string");
  const char *first = json->at;
  if (!scan_string(json, out_escapes)) return false;
  *out = (TccStr){first, (size_t)(json->at++ - first)};
  return true;
}

bool tcc_json_raw_string(TccJson *json, TccStr *out) {
  bool escapes;
  return take_string(json, out, &escapes);
}

static size_t put_utf8(char *to, unsigned code) {
  if (code < 0x80) return to[0] = (char)code, 1;
  size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  for (size_t i = n; i-- > 1; code >>= 6) to[i] = (char)(0x80 | (code & 0x3F));
  to[0] = (char)((0xF00u >> n & 0xF0) | code);
  return n;
}

TccStr tcc_json_decode(TccArena *arena, TccStr raw) {
  char *text = tcc_arena_alloc(arena, raw.length + 1); /* an escape is longer than what it stands for */
  size_t length = 0;
  if (!text) return (TccStr){0};
  for (size_t i = 0, step; i < raw.length; i += step) {
    unsigned code = 0;
    step = raw.data[i] == '\\' ? read_escape(raw.data + i, raw.length - i, &code) : 1;
    if (step == 0) break;
    if (step == 1) text[length++] = raw.data[i];
    else if (!code) break;
    else length += put_utf8(text + length, code);
  }
  return (TccStr){text, length};
}

bool tcc_json_string(TccJson *json, TccStr *out) {
  bool escapes;
  const char *before = json->at;
  if (!take_string(json, out, &escapes)) return false;
  if (!escapes) return true;
  for (size_t i = 0; i + 6 <= out->length; i++) {
    if (out->data[i] != '\\') continue;
    if (memcmp(out->data + i, "\\u0000", 6) == 0) {
      json->at = before;
      return invalid(json, "a string holds a NUL");
    }
    i++;
  }
  *out = tcc_json_decode(json->arena, *out);
  if (out->data) return true;
  if (!json->status) json->status = TCC_ERROR_NO_MEMORY();
  return false;
}

/* ---- numbers and words ---- */
static size_t digits(const char *at, const char *end) {
  const char *first = at;
  while (at < end && *at >= '0' && *at <= '9') at++;
  return (size_t)(at - first);
}

/* The text of a number, and whether it has neither fraction nor exponent. */
static bool take_number(TccJson *json, const char *what, TccStr *out, bool *out_integer) {
  enum { LONGEST = 400 };
  char c = tcc_json_peek(json);
  if (c != '-' && !(c >= '0' && c <= '9')) return expected(json, what);
  const char *at = json->at + (c == '-'), *end = json->end;
  size_t n = digits(at, end);
  bool good = n && (n == 1 || *at != '0');
  *out_integer = true;
  at += n;
  if (good && at < end && *at == '.') {
    n = digits(++at, end);
    good = n > 0, *out_integer = false, at += n;
  }
  if (good && at < end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < end && (*at == '+' || *at == '-')) at++;
    n = digits(at, end);
    good = n > 0, *out_integer = false, at += n;
  }
  if (!good) return invalid(json, "a number is malformed");
  if (at - json->at > LONGEST) return invalid(json, "a number is too long");
  *out = (TccStr){json->at, (size_t)(at - json->at)};
  return true;
}

bool tcc_json_int(TccJson *json, int64_t *out) {
  TccStr text;
  bool integer, negative;
  *out = 0;
  if (!take_number(json, "an integer", &text, &integer)) return false;
  if (!integer) return tcc_json_fail(json, TCC_INVALID, "an integer expected, not %.*s", TCC_STR_ARG(text));
  negative = text.data[0] == '-';
  for (size_t i = negative; i < text.length; i++) {
    int digit = text.data[i] - '0';
    if (__builtin_mul_overflow(*out, 10, out) || __builtin_add_overflow(*out, negative ? -digit : digit, out)) {
      *out = 0;
      return tcc_json_fail(json, TCC_INVALID, "%.*s does not fit into 64 bits", TCC_STR_ARG(text));
    }
  }
  json->at += text.length;
  return true;
}

bool tcc_json_double(TccJson *json, double *out) {
  TccStr text;
  bool integer;
  char copy[401 + 1];
  *out = 0;
  if (!take_number(json, "a number", &text, &integer)) return false;
  memcpy(copy, text.data, text.length);
  copy[text.length] = 0;
  locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); /* the program may write a comma */
  *out = c ? strtod_l(copy, NULL, c) : strtod(copy, NULL);
  if (c) freelocale(c);
  if (!isfinite(*out)) {
    *out = 0;
    return tcc_json_fail(json, TCC_INVALID, "%.*s is too large for a double", TCC_STR_ARG(text));
  }
  json->at += text.length;
  return true;
}

static bool take_word(TccJson *json, const char *word) {
  size_t length = strlen(word);
  if (tcc_json_peek(json) != word[0] || (size_t)(json->end - json->at) < length || memcmp(json->at, word, length) != 0)
    return false;
  json->at += length;
  return true;
}

bool tcc_json_bool(TccJson *json, bool *out) {
  *out = take_word(json, "true");
  return *out || take_word(json, "false") || expected(json, "true or false");
}

bool tcc_json_null(TccJson *json) { return take_word(json, "null"); }

bool tcc_json_skip(TccJson *json) {
  TccStr text;
  bool flag;
  switch (tcc_json_peek(json)) {
  case '{':
    for (tcc_json_object(json); tcc_json_key(json, &text);) tcc_json_skip(json);
    break;
  case '[':
    for (tcc_json_array(json); tcc_json_element(json);) tcc_json_skip(json);
    break;
  case '"': tcc_json_raw_string(json, &text); break;
  case 't':
  case 'f': tcc_json_bool(json, &flag); break;
  case 'n':
    if (!tcc_json_null(json)) expected(json, "null");
    break;
  default: take_number(json, "a value", &text, &flag) ? (void)(json->at += text.length) : (void)0;
  }
  return !json->status;
}
