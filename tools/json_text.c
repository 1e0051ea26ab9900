/* json_text.c - see json_text.h. */
#include "tools/json_text.h"
#include "tcc/base.h"

/* The bytes of the character that begins here, 0 if it is none: jansson takes valid UTF-8 alone. */
static size_t character(const char *at) {
  enum { LONGEST = 4 };
  for (size_t n = 1; n <= LONGEST && at[n - 1]; n++) {
    json_t *valid = json_stringn(at, n);
    json_decref(valid);
    if (valid) return n;
  }
  return 0;
}

json_t *tcc_json_text(const char *text) {
  static const char replacement[] = "\xEF\xBF\xBD";
  json_t *whole = json_string(text);
  if (whole || !text) return whole;
  TccText valid = {0};
  for (const char *at = text; *at;) {
    const size_t n = character(at);
    tcc_text_put(&valid, n ? at : replacement, n ? n : sizeof replacement - 1);
    at += n ? n : 1;
  }
  if (!valid.failed) whole = json_stringn(valid.data, valid.length);
  tcc_text_destroy(&valid);
  return whole;
}
