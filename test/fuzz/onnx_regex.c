/* Regular expressions of RegexFullMatch: a pattern is refused with a reason, or becomes a table that stays inside itself and decides at the end of a
 * string. */
#include "lib/frontend/onnx/regex.h"
#include <stdlib.h>
#include <string.h>

static void check(const Regex *r) {
  if (r->kinds < 1 || r->kinds > 256 || r->kind_of[0] != 0) abort();
  for (int byte = 0; byte < 256; byte++)
    if (r->kind_of[byte] >= r->kinds) abort();
  for (size_t i = 0; i < r->states * r->kinds; i++)
    if (r->next[i] < 0 || (size_t)r->next[i] >= r->states) abort();
  for (size_t kind = 0; kind < r->kinds; kind++)
    if (r->next[REGEX_NO * r->kinds + kind] != REGEX_NO) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 256) return 0;
  TccArena *arena = tcc_arena_create();
  Regex r;
  bool unsupported = false;
  if (!regex_compile(arena, (TccStr){(const char *)data, size}, &r, &unsupported)) {
    check(&r);
    int32_t state = REGEX_START;
    for (size_t i = 0; i < size && data[i]; i++) state = r.next[(size_t)state * r.kinds + r.kind_of[data[i]]];
    state = r.next[(size_t)state * r.kinds];
    if (state != REGEX_NO && state != REGEX_YES) abort();
  }
  tcc_arena_destroy(arena);
  return 0;
}
