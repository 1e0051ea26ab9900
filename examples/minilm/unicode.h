/* unicode.h - what a BERT tokenizer needs to know of characters. */
#ifndef MINILM_UNICODE_H
#define MINILM_UNICODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { UNICODE_FOLD_MAX = 3, UNICODE_BAD = 0xFFFD };

/* Decodes the character at *at and moves *at behind it; UNICODE_BAD for bytes that are no UTF-8. *at < end. */
uint32_t unicode_next(const char **at, const char *end);
/* Writes point as UTF-8 (at most 4 bytes), gives the number of bytes. */
size_t unicode_put(uint32_t point, char *out);
/* Canonical decomposition, marks dropped, lower case: what is left, 0 to UNICODE_FOLD_MAX characters. */
size_t unicode_fold(uint32_t point, uint32_t *out);
bool unicode_is_space(uint32_t point);
bool unicode_is_control(uint32_t point);     /* not tab, line feed, carriage return: these are space */
bool unicode_is_punctuation(uint32_t point); /* category P, and all of ASCII's signs */
bool unicode_is_ideograph(uint32_t point);   /* the CJK blocks that BERT splits into single characters */
#endif
