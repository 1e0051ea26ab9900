/* text.c - a growing character buffer. */
#include "tcc/base.h"
#include <stdlib.h>

/* Room for `more` and a NUL; false, and the text has failed, where there is none. */
static bool reserve(TccNoMemory *handler, TccText *text, size_t more) {
  enum { LEAST = 256 };
  size_t need;
  if (text->failed) more = SIZE_MAX; /* by another part of the program, which has no handler */
  if (tcc_add_size(text->length, more, &need) && tcc_add_size(need, 1, &need)) {
    if (need <= text->capacity) return true;
    size_t capacity = text->capacity > LEAST / 2 ? 2 * text->capacity : LEAST;
    if (capacity < need) capacity = need;
    char *data = realloc(text->data, capacity);
    if (data) {
      text->data = data;
      text->capacity = capacity;
      return true;
    }
  }
  if (handler) handler(more);
  text->failed = true;
  return false;
}

void tcc_text_put_with(TccNoMemory *handler, TccText *text, const char *data, size_t length) {
  if (!reserve(handler, text, length)) return;
  if (length) memcpy(text->data + text->length, data, length);
  text->length += length;
  text->data[text->length] = 0;
}

void tcc_text_vprintf_with(TccNoMemory *handler, TccText *text, const char *format, va_list args) {
  if (!reserve(handler, text, 64)) return;
  va_list again;
  va_copy(again, args);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(text->data + text->length, room, format, args);
  bool fits = length >= 0 && (size_t)length < room;
  if (!fits && reserve(handler, text, length < 0 ? SIZE_MAX : (size_t)length)) {
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
    fits = true;
  }
  va_end(again);
  if (fits) text->length += (size_t)length;
  else text->data[text->length] = 0;
}

void tcc_text_printf_with(TccNoMemory *handler, TccText *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tcc_text_vprintf_with(handler, text, format, args);
  va_end(args);
}

void tcc_text_put_words_with(TccNoMemory *handler, TccText *text, const char *const *words, size_t count, const char *last) {
  for (size_t i = 0; i < count; i++) {
    if (i && i + 1 == count) tcc_text_printf_with(handler, text, " %s ", last);
    else if (i) tcc_text_put_with(handler, text, ", ", 2);
    tcc_text_put_with(handler, text, words[i], strlen(words[i]));
  }
}

void tcc_text_clear(TccText *text) {
  text->length = 0;
  text->failed = false;
  if (text->data) text->data[0] = 0;
}

void tcc_text_destroy(TccText *text) {
  free(text->data);
  *text = (TccText){0};
}

TccStatus *tcc_text_status(const TccText *text) { return text->failed ? TCC_ERROR_NO_MEMORY() : NULL; }
