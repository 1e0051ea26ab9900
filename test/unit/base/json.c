/* The pull parser of JSON: values, strings and escapes, numbers at their limits, places in errors, and what its grammar refuses. */
#include "tcc/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static TccArena *arena;

static void expect(bool ok, const char *what) {
  if (!ok) printf("failed: %s\n", what), failures++;
}

static TccJson *start(const char *text) {
  static TccJson json;
  tcc_json_start(&json, arena, "t", tcc_str(text));
  return &json;
}

static void finish(TccJson *json, const char *message) {
  TccStatus *status = tcc_json_finish(json);
  const char *got = status ? tcc_status_message(status) : "";
  if (message ? !strstr(got, message) : status != NULL) printf("got '%s', want '%s'\n", got, message ? message : ""), failures++;
  tcc_status_destroy(status);
}

static void skip(const char *text, const char *message) {
  TccJson *json = start(text);
  tcc_json_skip(json);
  finish(json, message);
}

static void values(void) {
  TccJson *json = start(" {\"a\": [1, -2, 9223372036854775807, -9223372036854775808], \"b\\u0062\": {\"c\": null, \"d\": true},"
                        "\t\"e\": [1.5e3, -0, 5e-324, 1E2], \"f\": {}, \"g\": []}\r\n");
  TccStr key;
  int64_t ints[4], count = 0;
  double doubles[4];
  bool flag = false;
  expect(tcc_json_object(json) && tcc_json_key(json, &key) && tcc_str_is(key, "a"), "a key");
  for (tcc_json_array(json); tcc_json_element(json); count++) tcc_json_int(json, &ints[count]);
  expect(count == 4 && ints[0] == 1 && ints[1] == -2 && ints[2] == INT64_MAX && ints[3] == INT64_MIN, "integers");
  expect(tcc_json_key(json, &key) && tcc_str_is(key, "bb"), "a key with an escape");
  expect(tcc_json_object(json) && tcc_json_key(json, &key) && tcc_json_null(json), "null");
  expect(tcc_json_key(json, &key) && !tcc_json_null(json) && tcc_json_bool(json, &flag) && flag && !tcc_json_key(json, &key),
         "a bool");
  expect(tcc_json_key(json, &key), "another key");
  count = 0;
  for (tcc_json_array(json); tcc_json_element(json); count++) tcc_json_double(json, &doubles[count]);
  expect(count == 4 && doubles[0] == 1500 && doubles[1] == 0 && signbit(doubles[1]) && doubles[2] == 4.9406564584124654e-324 &&
             doubles[3] == 100,
         "doubles");
  expect(tcc_json_key(json, &key) && tcc_json_object(json) && !tcc_json_key(json, &key), "an empty object");
  expect(tcc_json_key(json, &key) && tcc_json_array(json) && !tcc_json_element(json) && !tcc_json_key(json, &key),
         "an empty array");
  finish(json, NULL);
}

static void string(const char *text, const char *want, const char *message) {
  TccJson *json = start(text);
  TccStr got;
  bool taken = tcc_json_string(json, &got);
  expect(taken == !message && (message || tcc_str_is(got, want)), text);
  finish(json, message);
}

static void strings(void) {
  string("\"plain text of some length, and more\"", "plain text of some length, and more", NULL);
  string("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", NULL);
  string("\"\\u00e9\\u20ac\\ud83d\\ude00\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL);
  string("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", NULL);
  string("\"\\\\u0000\"", "\\u0000", NULL);
  string("\"ab\\u0000\"", "", "t, byte 0: a string holds a NUL");
  string("\"\\ud83d\"", "", "byte 1: a string holds an impossible escape");
  string("\"\\ude00\\ud83d\"", "", "an impossible escape");
  string("\"\\x\"", "", "an impossible escape");
  string("\"\\u12g4\"", "", "an impossible escape");
  string("\"\xc0\x80\"", "", "not UTF-8");
  string("\"\xed\xa0\x80\"", "", "not UTF-8"); /* a surrogate */
  string("\"\xf4\x90\x80\x80\"", "", "not UTF-8");
  string("\"eight123\xe2\x82\"", "", "byte 9: a string is not UTF-8");
  string("\"a\nb\"", "", "the control character 0x0a");
  string("\"open", "", "a string has no end");
  string("7", "", "a string expected, not '7'");
  TccJson *json = start("\"a\\nb\\u20ac\"");
  TccStr raw;
  expect(tcc_json_raw_string(json, &raw) && raw.length == 10 && tcc_str_is(tcc_json_decode(arena, raw), "a\nb\xe2\x82\xac"),
         "a raw string");
  finish(json, NULL);
}

static void numbers(void) {
  static const struct {
    const char *text, *message;
  } bad[] = {
      {"9223372036854775808", "does not fit into 64 bits"},
      {"-9223372036854775809", "does not fit into 64 bits"},
      {"1.0", "an integer expected, not 1.0"},
      {"1e2", "an integer expected, not 1e2"},
      {"01", "malformed"},
      {"-", "malformed"},
      {"+1", "an integer expected, not '+'"},
      {"1.", "malformed"},
      {"1e", "malformed"},
      {"NaN", "an integer expected, not 'N'"},
      {"0x10", "text behind the value"},
  };
  int64_t value;
  double number;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    TccJson *json = start(bad[i].text);
    tcc_json_int(json, &value);
    finish(json, bad[i].message);
  }
  TccJson *json = start("1e400");
  tcc_json_double(json, &number);
  finish(json, "1e400 is too large for a double");
  char digits[500];
  memset(digits, '1', 499), digits[499] = 0;
  skip(digits, "a number is too long");
}

static void grammar(void) {
  skip("{\"a\": [1, {\"b\": [true, false, null, \"x\", -1.5]}], \"c\": {}}", NULL);
  skip("", "a value expected, and the text ends");
  skip("[1,]", "t, byte 3 ([1]): a value expected, not ']'");
  skip("[1 2]", "byte 3 ([0]): ',' or ']' expected, not '2'");
  skip("{\"a\" 1}", "':' expected");
  skip("{\"a\": 1,}", "a name in quotes expected, not '}'");
  skip("{a: 1}", "a name in quotes expected");
  skip("[1]]", "text behind the value");
  skip("nul", "null expected");
  skip("tru", "true or false expected");
  skip("[\x01]", "not byte 0x01");
  skip("{\"a\": {\"b\": [0, 1, {\"c\": x}]}}", "(a.b[2].c): a value expected, not 'x'");
  char text[2 * TCC_JSON_DEPTH + 3];
  for (int depth = TCC_JSON_DEPTH; depth <= TCC_JSON_DEPTH + 1; depth++) {
    memset(text, '[', (size_t)depth), memset(text + depth, ']', (size_t)depth), text[2 * depth] = 0;
    skip(text, depth == TCC_JSON_DEPTH ? NULL : "nested more than 256 deep");
  }
}

/* After an error nothing goes on. */
static void sticky(void) {
  TccJson *json = start("[1, x, 3]");
  TccStr text;
  int64_t value = 7;
  int rounds = 0;
  for (tcc_json_array(json); tcc_json_element(json); rounds++) tcc_json_int(json, &value);
  expect(rounds == 2 && value == 0 && !tcc_json_peek(json) && !tcc_json_object(json) && !tcc_json_string(json, &text) &&
             !text.length,
         "nothing is read after an error");
  finish(json, "t, byte 4 ([1]): an integer expected, not 'x'");
}

int main(void) {
  arena = tcc_arena_create();
  values();
  strings();
  numbers();
  grammar();
  sticky();
  tcc_arena_destroy(arena);
  return failures != 0;
}
