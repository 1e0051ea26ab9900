/* tcc_nearest: a third of the word may be wrong, ties go to the first candidate, nothing near is NULL. */
#include "tcc/base.h"
#include <stdio.h>

static int failures;

static void expect(const char *word, const char *want) {
  static const char *const words[] = {"--data", "--save", "--target", "--bench"};
  const char *got = tcc_nearest(tcc_str(word), words, 4);
  if (got == want || (got && want && strcmp(got, want) == 0)) return;
  printf("nearest to '%s' is '%s', want '%s'\n", word, got ? got : "(none)", want ? want : "(none)");
  ++failures;
}

int main(void) {
  expect("--data", "--data");
  expect("--dtaa", "--data");
  expect("--targt", "--target");
  expect("--sav", "--save");
  expect("--frobnicate", NULL);
  expect("", NULL);
  char long_word[200];
  memset(long_word, 'x', sizeof long_word - 1);
  long_word[sizeof long_word - 1] = 0;
  expect(long_word, NULL);
  return failures != 0;
}
