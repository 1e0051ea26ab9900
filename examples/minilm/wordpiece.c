/* wordpiece.c - basic tokenisation, then the greedy longest-match of WordPiece.
 *
 * Basic tokenisation (Devlin et al. 2018, the reference's tokenization.py): drop control characters, put spaces around
 * CJK ideographs, decompose and drop accents, lower case, cut at white space and around each punctuation character. Each
 * word is then cut into the longest vocabulary entries from the left, later ones written "##entry"; a word that cannot be
 * cut, or has more than 100 characters, is [UNK]. The pieces of a word cost its length squared at most, and its length is
 * bounded. */
#include "wordpiece.h"
#include "unicode.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_CHARACTERS = 100, WORD_BYTES = 4 * WORD_CHARACTERS };

struct Wordpiece {
  char *text; /* the vocabulary file */
  struct Entry {
    const char *name;
    uint32_t length;
    int32_t id;
  } *table; /* open addressing; length 0 is free */
  size_t mask;
  int64_t unknown, start, separator;
};

typedef struct {
  const Wordpiece *tokenizer;
  int64_t *ids;
  size_t count, capacity; /* without the closing [SEP] */
  char word[WORD_BYTES];
  size_t bytes, characters; /* of the current word; bytes stops at WORD_BYTES */
} Encoder;

static uint32_t hash(const char *prefix, const char *name, size_t length) { /* FNV-1a */
  uint32_t h = 2166136261u;
  for (; *prefix; ++prefix) h = (h ^ (unsigned char)*prefix) * 16777619u;
  for (size_t i = 0; i < length; ++i) h = (h ^ (unsigned char)name[i]) * 16777619u;
  return h;
}

/* The id of prefix + name, or -1. */
static int64_t find(const Wordpiece *tokenizer, const char *prefix, const char *name, size_t length) {
  size_t extra = strlen(prefix);
  for (size_t i = hash(prefix, name, length);; ++i) {
    const struct Entry *entry = &tokenizer->table[i & tokenizer->mask];
    if (entry->length == 0) return -1;
    if (entry->length == extra + length && memcmp(entry->name, prefix, extra) == 0 &&
        memcmp(entry->name + extra, name, length) == 0)
      return entry->id;
  }
}

static void insert(Wordpiece *tokenizer, const char *name, size_t length, int32_t id) {
  size_t i = hash("", name, length);
  while (tokenizer->table[i & tokenizer->mask].length) ++i;
  tokenizer->table[i & tokenizer->mask] = (struct Entry){name, (uint32_t)length, id};
}

static TccStatus *read_file(const char *path, char **out, size_t *out_length) {
  *out = NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", path, strerror(errno));
  TccStatus *status = NULL;
  long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  if (length < 0 || fseek(file, 0, SEEK_SET) != 0) status = TCC_ERROR(TCC_IO, "%s: %s", path, strerror(errno));
  else if (length > 1 << 28) status = TCC_ERROR(TCC_INVALID, "%s: %ld bytes are no vocabulary", path, length);
  else if (!(*out = malloc((size_t)length + 1))) status = TCC_ERROR(TCC_NO_MEMORY, "%s: no memory for %ld bytes", path, length);
  else if (fread(*out, 1, (size_t)length, file) != (size_t)length) status = TCC_ERROR(TCC_IO, "%s: short read", path);
  fclose(file);
  *out_length = status ? 0 : (size_t)length;
  return status;
}

static TccStatus *build(Wordpiece *tokenizer, const char *path, size_t length) {
  size_t lines = 1, slots = 16;
  for (size_t i = 0; i < length; ++i) lines += tokenizer->text[i] == '\n';
  while (slots < 2 * lines) slots *= 2;
  tokenizer->table = calloc(slots, sizeof *tokenizer->table);
  if (!tokenizer->table) return TCC_ERROR(TCC_NO_MEMORY, "%s: no memory for %zu tokens", path, lines);
  tokenizer->mask = slots - 1;
  int32_t id = 0;
  for (const char *line = tokenizer->text, *end = line + length; line < end; ++id) {
    const char *newline = memchr(line, '\n', (size_t)(end - line));
    if (!newline) newline = end;
    size_t bytes = (size_t)(newline - line);
    if (bytes && line[bytes - 1] == '\r') --bytes;
    if (bytes && find(tokenizer, "", line, bytes) < 0) insert(tokenizer, line, bytes, id);
    line = newline + 1;
  }
  static const char *const special[] = {"[UNK]", "[CLS]", "[SEP]"};
  int64_t *const where[] = {&tokenizer->unknown, &tokenizer->start, &tokenizer->separator};
  for (size_t i = 0; i < 3; ++i)
    if ((*where[i] = find(tokenizer, "", special[i], 5)) < 0)
      return TCC_ERROR(TCC_INVALID, "%s: has no token %s", path, special[i]);
  return NULL;
}

TccStatus *wordpiece_load(const char *path, Wordpiece **out) {
  *out = NULL;
  Wordpiece *tokenizer = calloc(1, sizeof *tokenizer);
  if (!tokenizer) return TCC_ERROR(TCC_NO_MEMORY, "no memory for a tokenizer");
  size_t length = 0;
  TccStatus *status = read_file(path, &tokenizer->text, &length);
  if (!status) status = build(tokenizer, path, length);
  if (status) wordpiece_destroy(tokenizer);
  else *out = tokenizer;
  return status;
}

void wordpiece_destroy(Wordpiece *tokenizer) {
  if (!tokenizer) return;
  free(tokenizer->table);
  free(tokenizer->text);
  free(tokenizer);
}

static void emit(Encoder *encoder, int64_t id) {
  if (encoder->count < encoder->capacity) encoder->ids[encoder->count++] = id;
}

static void end_word(Encoder *encoder) {
  size_t length = encoder->bytes, kept = encoder->count;
  bool known = encoder->characters <= WORD_CHARACTERS;
  encoder->bytes = 0;
  if (!encoder->characters) return;
  encoder->characters = 0;
  for (size_t start = 0; known && start < length;) {
    size_t end = length;
    int64_t id = -1;
    while (end > start && (id = find(encoder->tokenizer, start ? "##" : "", encoder->word + start, end - start)) < 0) {
      do --end;
      while (end > start && ((unsigned char)encoder->word[end] & 0xC0) == 0x80);
    }
    known = id >= 0;
    if (known) emit(encoder, id);
    start = end;
  }
  if (known) return;
  encoder->count = kept;
  emit(encoder, encoder->tokenizer->unknown);
}

static void add(Encoder *encoder, uint32_t point) {
  if (unicode_is_space(point)) {
    end_word(encoder);
    return;
  }
  bool alone = unicode_is_punctuation(point);
  if (alone) end_word(encoder);
  if (encoder->bytes + 4 <= WORD_BYTES) encoder->bytes += unicode_put(point, encoder->word + encoder->bytes);
  ++encoder->characters;
  if (alone) end_word(encoder);
}

size_t wordpiece_encode(const Wordpiece *tokenizer, const char *text, size_t length, int64_t *ids, size_t capacity) {
  Encoder encoder = {.tokenizer = tokenizer, .ids = ids, .capacity = capacity - 1};
  emit(&encoder, tokenizer->start);
  for (const char *at = text, *end = text + length; at < end && encoder.count < encoder.capacity;) {
    uint32_t point = unicode_next(&at, end), folded[UNICODE_FOLD_MAX];
    if (point == 0 || point == UNICODE_BAD || unicode_is_control(point)) continue;
    bool ideograph = unicode_is_ideograph(point);
    if (ideograph) end_word(&encoder);
    size_t count = unicode_fold(point, folded);
    for (size_t i = 0; i < count; ++i) add(&encoder, folded[i]);
    if (ideograph) end_word(&encoder);
  }
  end_word(&encoder);
  encoder.capacity = capacity;
  emit(&encoder, tokenizer->separator);
  return encoder.count;
}
