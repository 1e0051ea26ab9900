/* alu.h - the instructions that compute on registers alone: what each does, by name and type. */
#ifndef EMU_ALU_H
#define EMU_ALU_H
#include "internal.h"
#include <math.h>

/* NULL: none. key: the opcode with the parts that say what it does, "mul.wide", "ex2.approx". */
Exec *alu_find(const char *key, Type type, uint8_t *out_class);
Exec exec_setp, exec_selp, exec_cvt, exec_prmt, exec_lop3, exec_mov_pack, exec_mov_pred, exec_fns, exec_cvt_int, exec_cvt_pack,
    exec_testp;

float half_to_float(uint16_t h);
uint16_t float_to_half(double x);   /* to nearest even */
uint16_t float_to_bfloat(double x); /* the same */
static inline float bfloat_to_float(uint16_t b) {
  uint32_t bits = (uint32_t)b << 16;
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
static inline double half_of(uint16_t h) { return (double)half_to_float(h); }
static inline double bfloat_of(uint16_t h) { return (double)bfloat_to_float(h); }
static inline float as_float(uint32_t bits) {
  float f;
  memcpy(&f, &bits, 4);
  return f;
}
static inline uint32_t float_bits(float f) {
  uint32_t bits;
  memcpy(&bits, &f, 4);
  return bits;
}
/* The body's value for each lane, whose bits go to storage of D. */
#define LOOP(D, body)                                                                                                              \
  D *d = DST(0);                                                                                                                   \
  if (mask == FULL) {                                                                                                              \
    D made[LANES];                                                                                                                 \
    for (int l = 0; l < LANES; l++) made[l] = (D)(body);                                                                           \
    memcpy(d, made, sizeof made);                                                                                                  \
  } else {                                                                                                                         \
    for (int l = 0; l < LANES; l++)                                                                                                \
      if (mask >> l & 1) d[l] = (D)(body);                                                                                         \
  }                                                                                                                                \
  return NEXT
static inline float flush(float a) { return fabsf(a) < 1.17549435e-38f ? copysignf(0, a) : a; }
static inline uint64_t double_bits(double d) {
  uint64_t bits;
  memcpy(&bits, &d, sizeof bits);
  return bits;
}
static inline double bits_double(uint64_t bits) {
  double d;
  memcpy(&d, &bits, sizeof d);
  return d;
}
static inline float canonical(float a) { return isnan(a) ? as_float(0x7fffffff) : a; }
static inline bool is_float(Type t) { return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64 || t == T_TF32; }
#endif
