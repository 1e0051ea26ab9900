/* wire_archive.c - what an archive of a model (.pt2) says besides the numbers of its large tensors (tcc_wire_archive).
 *
 * This is no reader of archives: it walks the central directory of a zip. What is not as it should be is kept as it is, all of the file, so
 * that the text differs wherever two files differ in anything but such numbers. */
#include "tcc/wire.h"

enum { END_BYTES = 22, ENTRY_BYTES = 46, HEADER_BYTES = 30, LONGEST_COMMENT = 65535, FULL = 0xFFFF, ZIP64_FIELD = 1 };

static uint64_t number(const char *at, int bytes) {
  uint64_t value = 0;
  for (int i = bytes; i-- > 0;) value = value << 8 | (unsigned char)at[i];
  return value;
}

static bool contains(TccStr text, const char *word) {
  size_t n = strlen(word);
  for (size_t i = 0; i + n <= text.length; i++)
    if (memcmp(text.data + i, word, n) == 0) return true;
  return false;
}

static bool ends(TccStr text, const char *word) {
  size_t n = strlen(word);
  return text.length >= n && memcmp(text.data + text.length - n, word, n) == 0;
}

/* Where the central directory is, and how many entries it has. */
static bool find_directory(TccStr file, uint64_t *out_at, uint64_t *out_entries) {
  if (file.length < END_BYTES) return false;
  size_t least = file.length > END_BYTES + LONGEST_COMMENT ? file.length - END_BYTES - LONGEST_COMMENT : 0;
  for (size_t at = file.length - END_BYTES + 1; at-- > least;) {
    const char *end = file.data + at;
    if (memcmp(end, "PK\5\6", 4) != 0) continue;
    *out_entries = number(end + 10, 2);
    *out_at = number(end + 16, 4);
    if (at < 20 || memcmp(end - 20, "PK\6\7", 4) != 0) return *out_at <= at;
    uint64_t wide = number(end - 20 + 8, 8);
    if (at < 76 || wide > at - 76 || memcmp(file.data + wide, "PK\6\6", 4) != 0) return false;
    *out_entries = number(file.data + wide + 32, 8);
    *out_at = number(file.data + wide + 48, 8);
    return *out_at <= at;
  }
  return false;
}

/* ZIP64's extra field for what is full of ones. */
static bool widen(TccStr extra, uint64_t *size, uint64_t *stored, uint64_t *header) {
  uint64_t *wide[] = {size, stored, header};
  while (extra.length >= 4) {
    size_t length = number(extra.data + 2, 2);
    const char *at = extra.data + 4, *end = at + length;
    if (length > extra.length - 4) return false;
    for (int i = 0; i < 3 && number(extra.data, 2) == ZIP64_FIELD; i++) {
      if (*wide[i] != 0xFFFFFFFF) continue;
      if (end - at < 8) return false;
      *wide[i] = number(at, 8);
      at += 8;
    }
    extra.data += 4 + length, extra.length -= 4 + length;
  }
  return true;
}

/* An entry: its name and sizes, where its bytes are, and they themselves unless they are numbers of a large tensor. */
static bool put_member(TccStr file, const char *entry, TccStr name, TccStr extra, TccText *out) {
  uint64_t method = number(entry + 10, 2), stored = number(entry + 20, 4), size = number(entry + 24, 4),
           header = number(entry + 42, 4);
  if (!widen(extra, &size, &stored, &header) || file.length < HEADER_BYTES || header > file.length - HEADER_BYTES) return false;
  uint64_t at = header + HEADER_BYTES + number(file.data + header + 26, 2) + number(file.data + header + 28, 2);
  if (at > file.length || stored > file.length - at) return false;
  bool weights = contains(name, "/data/weights/") || contains(name, "/data/constants/");
  tcc_text_printf(out, "%zu ", name.length);
  tcc_text_put(out, name.data, name.length);
  tcc_text_printf(out, " %llu %llu %llu %llu\n", (unsigned long long)method, (unsigned long long)stored, (unsigned long long)size,
                  (unsigned long long)at);
  if (!weights || method || ends(name, ".json") || stored < TCC_WIRE_LARGE) tcc_text_put(out, file.data + at, (size_t)stored);
  return true;
}

static bool put_members(TccStr file, TccText *out) {
  uint64_t at, entries;
  if (!find_directory(file, &at, &entries)) return false;
  for (uint64_t i = 0; i < entries; i++) {
    if (at > file.length || file.length - at < ENTRY_BYTES || memcmp(file.data + at, "PK\1\2", 4) != 0) return false;
    const char *entry = file.data + at;
    uint64_t name = number(entry + 28, 2), extra = number(entry + 30, 2), all = ENTRY_BYTES + name + extra + number(entry + 32, 2);
    if (all > file.length - at || out->length > file.length + (uint64_t)FULL * 4) return false;
    if (!put_member(file, entry, (TccStr){entry + ENTRY_BYTES, (size_t)name}, (TccStr){entry + ENTRY_BYTES + name, (size_t)extra},
                    out))
      return false;
    at += all;
  }
  return true;
}

void tcc_wire_archive(TccStr file, TccText *out) {
  size_t before = out->length;
  if (put_members(file, out)) return;
  if (!out->failed) out->length = before;
  tcc_text_put(out, file.data, file.length);
}
