/* text.c - a growing character buffer. */
#include "tcc/base.h"
#include <stdio.h>
#include <stdlib.h>

static void reserve(TccText *text, size_t more) {
  size_t need = text->length + more + 1;
  if (need <= text->capacity) return;
  size_t capacity = text->capacity ? text->capacity : 256;
  while (capacity < need) capacity *= 2;
  char *data = realloc(text->data, capacity);
  if (!data) {
    fprintf(stderr, "tcc: out of memory (%zu bytes)\n", capacity);
    exit(1);
  }
  text->data = data;
  text->capacity = capacity;
}

void tcc_text_put(TccText *text, const char *data, size_t length) {
  reserve(text, length);
  if (length) memcpy(text->data + text->length, data, length);
  text->length += length;
  text->data[text->length] = 0;
}

void tcc_text_vprintf(TccText *text, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  reserve(text, 64);
  size_t room = text->capacity - text->length;
  int length = vsnprintf(text->data + text->length, room, format, args);
  if ((size_t)length >= room) {
    reserve(text, (size_t)length);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, again);
  }
  va_end(again);
  text->length += (size_t)length;
}

void tcc_text_printf(TccText *text, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(text, format, args);
  va_end(args);
}

void tcc_text_clear(TccText *text) {
  text->length = 0;
  if (text->data) text->data[0] = 0;
}

void tcc_text_destroy(TccText *text) {
  free(text->data);
  *text = (TccText){0};
}
