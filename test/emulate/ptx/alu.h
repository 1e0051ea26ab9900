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
#endif
