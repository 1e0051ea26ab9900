/* json.h - JSON (RFC 8259) read one value at a time, without a tree. No MLIR.
 *
 * Who reads knows what should come: it enters objects and arrays, takes values and skips what it does not know. Nothing is copied:
 * strings point into the text, or into the arena where they hold escapes. The grammar is strict: no comments, no bare NaN, no comma at
 * an end, valid UTF-8; a number that is taken as an integer must be one of 64 bits; a string that is taken holds no NUL. Names that
 * occur twice in an object are the reader's to find. Nesting is at most TCC_JSON_DEPTH.
 *
 * The first error is kept with its place (path and byte); from then on every function gives false, an empty value and no more keys
 * or elements, so that loops end. It is asked for once, by tcc_json_finish. One thread.
 *
 *   for (tcc_json_object(json); tcc_json_key(json, &key);)
 *     if (tcc_str_is(key, "sizes"))
 *       for (tcc_json_array(json); tcc_json_element(json);) tcc_json_int(json, &size);
 *     else tcc_json_skip(json); */
#ifndef TCC_JSON_H
#define TCC_JSON_H
#include "tcc/base.h"

enum { TCC_JSON_DEPTH = 256 };

typedef struct {
  const char *name; /* of the text, in messages; outlives the reader */
  const char *first, *at, *end;
  TccArena *arena; /* for strings with escapes */
  TccStatus *status;
  unsigned depth;
  struct {
    TccStr key;   /* of an object: the last */
    size_t count; /* keys or elements so far */
    bool array;
  } frames[TCC_JSON_DEPTH]; /* what the place is in */
} TccJson;

/* text outlives what is read. */
TCC_EXPORT void tcc_json_start(TccJson *json, TccArena *arena, const char *name, TccStr text);
/* The first error; without one, an error if something stands behind the value. Call it once. */
TCC_EXPORT TccStatus *tcc_json_finish(TccJson *json) TCC_CHECKED;

/* The character that the next value begins with: one of {["tfn-0..9 if the text is right; 0 at the end and after an error. */
TCC_EXPORT char tcc_json_peek(TccJson *json);
TCC_EXPORT bool tcc_json_object(TccJson *json);           /* enters an object */
TCC_EXPORT bool tcc_json_key(TccJson *json, TccStr *out); /* takes the next key; false: the object is left */
TCC_EXPORT bool tcc_json_array(TccJson *json);            /* enters an array */
TCC_EXPORT bool tcc_json_element(TccJson *json);          /* whether there is another element; false: the array is left */
TCC_EXPORT bool tcc_json_string(TccJson *json, TccStr *out);
TCC_EXPORT bool tcc_json_int(TccJson *json, int64_t *out);
TCC_EXPORT bool tcc_json_double(TccJson *json, double *out); /* any number that is finite as a double */
TCC_EXPORT bool tcc_json_bool(TccJson *json, bool *out);
TCC_EXPORT bool tcc_json_null(TccJson *json); /* takes null, if it is what comes; false, without an error, if not */
TCC_EXPORT bool tcc_json_skip(TccJson *json); /* any value; its grammar is checked */
/* A string between its quotes, escapes and all; tcc_json_decode gives what it says. For strings that are rarely looked at. */
TCC_EXPORT bool tcc_json_raw_string(TccJson *json, TccStr *out);
TCC_EXPORT TccStr tcc_json_decode(TccArena *arena, TccStr raw); /* raw: of tcc_json_raw_string; a NUL ends it */
/* Sets the error unless there is one: "NAME, byte 12 (a.b[3].c): ...". Returns false. */
TCC_EXPORT bool tcc_json_fail(TccJson *json, TccCode code, const char *format, ...) TCC_PRINTF(3, 4);
#endif
