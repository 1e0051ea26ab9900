/* Element types: every bit pattern of the small floats survives double, rounding is to nearest even, and packing. */
#include "tcc/elem.h"
#include <math.h>
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what, TccElem elem, double value) {
  if (ok) return;
  printf("%s: %s at %.17g\n", tcc_elem_name(elem), what, value);
  failures++;
}

static void round_trip(TccElem elem) {
  unsigned patterns = 1u << tcc_elem_bits(elem);
  for (unsigned bits = 0; bits < patterns; bits++) {
    uint16_t in = (uint16_t)bits, out = 0, again = 0;
    double value = tcc_elem_load_f64(elem, &in, 0);
    bool saturating = tcc_elem_bits(elem) <= 8;
    if (isinf(value) && saturating) continue; /* comes back as the largest value */
    tcc_elem_store_f64(elem, &out, 0, value);
    expect(isnan(value) ? isnan(tcc_elem_load_f64(elem, &out, 0)) : in == out, "pattern is lost", elem, value);
    if (isnan(value) || isinf(value) || bits + 1 >= patterns || elem == TCC_ELEM_F8E8M0FNU) continue;
    in = (uint16_t)(bits + 1); /* the middle of two neighbours goes to the even one */
    double next = tcc_elem_load_f64(elem, &in, 0), middle = (value + next) / 2;
    if (!isfinite(next) || signbit(next) != signbit(value)) continue;
    tcc_elem_store_f64(elem, &again, 0, middle);
    expect(again == (bits & 1 ? bits + 1 : bits), "tie is not to even", elem, middle);
  }
}

static void stored(TccElem elem, double value, unsigned want) {
  uint16_t bits = 0;
  tcc_elem_store_f64(elem, &bits, 0, value);
  expect(bits == want, "stored otherwise", elem, value);
}

static void stored_unsaturated(TccElem elem, double value, unsigned want) {
  TccSmallFloat format = {0};
  expect(tcc_elem_small_float(elem, &format) && tcc_small_float_store(format, value, false) == want, "stored otherwise", elem,
         value);
}

int main(void) {
  static const TccElem small[] = {TCC_ELEM_F16,    TCC_ELEM_BF16,       TCC_ELEM_F8E4M3FN,  TCC_ELEM_F8E4M3FNUZ,
                                  TCC_ELEM_F8E5M2, TCC_ELEM_F8E5M2FNUZ, TCC_ELEM_F8E8M0FNU, TCC_ELEM_F4E2M1FN};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) round_trip(small[i]);
  stored(TCC_ELEM_F16, 65504, 0x7BFF);
  stored(TCC_ELEM_F16, 65520, 0x7C00);
  stored(TCC_ELEM_F16, -0.0, 0x8000);
  stored(TCC_ELEM_BF16, 1.00390625, 0x3F80);
  stored(TCC_ELEM_F8E4M3FN, 1e9, 0x7E);
  stored(TCC_ELEM_F8E4M3FN, -INFINITY, 0xFE);
  stored(TCC_ELEM_F8E4M3FNUZ, -0.0, 0);
  stored(TCC_ELEM_F8E5M2, 1e9, 0x7B);
  stored(TCC_ELEM_F4E2M1FN, 1e9, 0x7);
  stored(TCC_ELEM_F4E2M1FN, 2.5, 0x4);
  stored(TCC_ELEM_F4E2M1FN, -0.0, 0x8);
  stored(TCC_ELEM_F4E2M1FN, NAN, 0x8);
  stored(TCC_ELEM_BOOL, 0.5, 1);
  stored_unsaturated(TCC_ELEM_F8E4M3FN, 464, 0x7E); /* a tie with what would be 480: to even */
  stored_unsaturated(TCC_ELEM_F8E4M3FN, 464.001, 0x7F);
  stored_unsaturated(TCC_ELEM_F8E4M3FN, -INFINITY, 0xFF);
  stored_unsaturated(TCC_ELEM_F8E4M3FNUZ, -248, 0x80);
  stored_unsaturated(TCC_ELEM_F8E5M2, 61440, 0x7C);
  stored_unsaturated(TCC_ELEM_F8E5M2, 61439, 0x7B);
  stored_unsaturated(TCC_ELEM_F4E2M1FN, 1e9, 0x7);
  double least = -1;
  expect(tcc_elem_tolerance(TCC_ELEM_BF16, &least) == 0x1p-6 && least == 1e-7, "tolerance", TCC_ELEM_BF16, least);
  expect(tcc_elem_tolerance(TCC_ELEM_F32, NULL) == 1e-3, "tolerance", TCC_ELEM_F32, 0);
  expect(tcc_elem_tolerance(TCC_ELEM_U8, &least) == 0 && least == 0, "tolerance", TCC_ELEM_U8, least);
  unsigned char packed[2] = {0};
  static const int64_t nibbles[] = {-8, 7, 3};
  for (size_t i = 0; i < 3; i++) tcc_elem_store_i64(TCC_ELEM_I4, packed, i, nibbles[i]);
  expect(packed[0] == 0x78 && packed[1] == 3 && tcc_elem_load_i64(TCC_ELEM_I4, packed, 0) == -8 &&
             tcc_elem_load_i64(TCC_ELEM_U4, packed, 0) == 8,
         "packed", TCC_ELEM_I4, 0);
  unsigned char quarters[2] = {0xFF, 0xFF};
  static const int64_t crumbs[] = {-2, 1, 0, -1, 1};
  for (size_t i = 0; i < 5; i++) tcc_elem_store_i64(TCC_ELEM_I2, quarters, i, crumbs[i]);
  expect(quarters[0] == 0xC6 && quarters[1] == 0xFD && tcc_elem_load_i64(TCC_ELEM_I2, quarters, 0) == -2 &&
             tcc_elem_load_i64(TCC_ELEM_U2, quarters, 3) == 3 && tcc_elem_bytes(TCC_ELEM_U2, 5) == 2,
         "quarters of a byte", TCC_ELEM_I2, 0);
  expect(tcc_elem_bytes(TCC_ELEM_U4, 5) == 3 && tcc_elem_bytes(TCC_ELEM_F64, 5) == 40 && tcc_elem_bytes(TCC_ELEM_BOOL, 5) == 5,
         "bytes", TCC_ELEM_U4, 5);
  size_t count, bytes;
  expect(tcc_elem_dense_bytes(TCC_ELEM_U4, (int64_t[]){3, 5}, 2, &count, &bytes) && count == 15 && bytes == 8 &&
             tcc_elem_dense_bytes(TCC_ELEM_F32, NULL, 0, NULL, &bytes) && bytes == 4,
         "bytes of a shape", TCC_ELEM_U4, 15);
  expect(tcc_elem_dense_bytes(TCC_ELEM_F64, (int64_t[]){INT64_MAX, 0, INT64_MAX}, 3, &count, &bytes) && count == 0 && bytes == 0,
         "bytes of a shape without elements", TCC_ELEM_F64, 0);
  expect(!tcc_elem_dense_bytes(TCC_ELEM_F32, (int64_t[]){3, 6148914691236517206}, 2, NULL, &bytes) &&
             !tcc_elem_dense_bytes(TCC_ELEM_F32, (int64_t[]){(int64_t)1 << 32, (int64_t)1 << 32}, 2, NULL, &bytes) &&
             !tcc_elem_dense_bytes(TCC_ELEM_U4, (int64_t[]){INT64_MAX}, 1, NULL, &bytes) &&
             tcc_elem_dense_bytes(TCC_ELEM_U2, (int64_t[]){INT64_MAX}, 1, NULL, &bytes) && bytes == (size_t)1 << 61 &&
             !tcc_elem_dense_bytes(TCC_ELEM_F32, (int64_t[]){0, -1}, 2, NULL, &bytes),
         "a shape that is none", TCC_ELEM_F32, 0);
  int numbers[TCC_ELEM_COUNT] = {0};
  for (int number = -1; number < 100; number++) numbers[tcc_elem_from_onnx(number)]++;
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++)
    expect(numbers[elem] == 1, "ONNX numbers of a type", (TccElem)elem, numbers[elem]);
  expect(tcc_elem_from_onnx(8) == TCC_ELEM_NONE && tcc_elem_from_onnx(0) == TCC_ELEM_NONE, "no such type", TCC_ELEM_NONE, 0);
  return failures != 0;
}
