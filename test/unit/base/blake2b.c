/* tcc_digest: BLAKE2b with 256 bits. What is expected is `b2sum -l 256` of these bytes; lengths are about the ends of blocks. */
#include "tcc/digest.h"
#include <stdio.h>

static const struct {
  size_t length;
  const char *digest;
} cases[] = {
    {0, "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
    {1, "e88bd757ad5b9bedf372d8d3f0cf6c962a469db61a265f6418e1ffed86da29ec"},
    {127, "c9ae3859964b35f04c54b36d33cf299d7290ee621005d28e51598a943560aaaa"},
    {128, "f0501d06597880592bc49234eef100ec1ff349058d0e9d9b753504e24af86dd6"},
    {129, "a34a4e1e03c541dfbf3099c4b6c143c022ced65c28bd7e8a10e0a098461aecf0"},
    {256, "d93ebb9c802f5630ab22516fd82b6c21bc8bd551d531349b715f046ed11ed871"},
    {1000, "d62b6c768ce1afc8367e0498ab2f8e3f7c178c35b1429f14c4604b545d200f52"},
};

int main(void) {
  int failures = 0;
  char bytes[1 + 1000], hex[2 * TCC_DIGEST_BYTES + 1];
  for (size_t i = 0; i < 1000; i++) bytes[1 + i] = (char)(i * 7 + 3);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    tcc_digest_hex(cases[i].length ? bytes + 1 : NULL, cases[i].length, hex); /* not aligned, and NULL */
    if (strcmp(hex, cases[i].digest) == 0) continue;
    printf("%zu bytes: %s, want %s\n", cases[i].length, hex, cases[i].digest);
    ++failures;
  }
  return failures != 0;
}
