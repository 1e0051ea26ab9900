/* wordpiece.h - BERT's uncased tokenizer: text to token ids, as the model was trained with. */
#ifndef MINILM_WORDPIECE_H
#define MINILM_WORDPIECE_H
#include "tcc/status.h"
#include <stdint.h>

typedef struct Wordpiece Wordpiece;
/* Reads vocab.txt: one token a line, its id is the line's number from 0. */
TccStatus *wordpiece_load(const char *path, Wordpiece **out) TCC_CHECKED;
void wordpiece_destroy(Wordpiece *tokenizer); /* NULL does nothing */
/* Writes [CLS] tokens [SEP] to ids, cut to `capacity` ids in all (at least 2); gives their number. Any bytes are text:
 * what is no UTF-8 is dropped, and "[SEP]" in it is four words. Thread-safe. */
size_t wordpiece_encode(const Wordpiece *tokenizer, const char *text, size_t length, int64_t *ids, size_t capacity);
#endif
