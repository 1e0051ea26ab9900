/* x86_code.h - an encoder of x86-64 instructions: the few forms that a product's tile is made of.
 *
 * LLVM takes 25 million instructions for a register tile whose code is known beforehand to the last register; written as bytes
 * it takes some microseconds. Intel SDM volume 2: REX and ModRM in section 2.1 and 2.2, VEX in 2.3, EVEX in 2.7. Vectors are
 * either ymm0-15 by VEX or zmm0-31 by EVEX; general registers are 64 bits wide. Code is position-independent: constants lie
 * behind it. Two operands are written as in Intel's manuals: to, then from. Out of range displacements are the caller's to avoid. */
#ifndef TCC_CODEGEN_X86_CODE_H
#define TCC_CODEGEN_X86_CODE_H
#include "tcc/base.h"

enum {
  TCC_RAX,
  TCC_RCX,
  TCC_RDX,
  TCC_RBX,
  TCC_RSP,
  TCC_RBP,
  TCC_RSI,
  TCC_RDI,
  TCC_R8,
  TCC_R9,
  TCC_R10,
  TCC_R11,
  TCC_R12,
  TCC_R13,
  TCC_R14,
  TCC_R15
};
enum { TCC_X86_CONSTANTS = 32 };

typedef struct {
  TccText bytes;
  int vector; /* bytes of a vector: 64 or 32 */
  float constant[TCC_X86_CONSTANTS];
  int nconstants;
  TCC_VEC(size_t) uses; /* of constants: where a displacement lacks the place of what its index names */
  TccArena *arena;
} TccX86;

/* Operand in memory: base + (index << scale) + offset; index 0 (rax) only where `indexed`. repeated: one element for all lanes (EVEX alone). */
typedef struct {
  int base, index, scale;
  bool indexed, repeated, constant;
  int64_t offset;
} TccX86At;
TccX86At tcc_x86_at(int base, int64_t offset);
TccX86At tcc_x86_at_index(int base, int index, int64_t offset);
/* A float in memory behind the code. */
TccX86At tcc_x86_constant(TccX86 *x, float value);

typedef enum {
  TCC_X86_LOAD,
  TCC_X86_STORE /* to memory: the register is `to` */,
  TCC_X86_BROADCAST32,
  TCC_X86_BROADCAST64,
  TCC_X86_BROADCAST128 /* of ymm alone, from memory */,
  TCC_X86_WIDEN_I8 /* half a vector of signed bytes in memory as 16 bits each */,
  TCC_X86_FMADD_PS,
  TCC_X86_FMADD_PD,
  TCC_X86_DPBF16,
  TCC_X86_DPBUSD,
  TCC_X86_DPWSSD,
  TCC_X86_MADD_I16,
  TCC_X86_ADD_PS,
  TCC_X86_ADD_PD,
  TCC_X86_ADD_I32,
  TCC_X86_SUB_PS,
  TCC_X86_MUL_PS,
  TCC_X86_DIV_PS,
  TCC_X86_MIN_PS,
  TCC_X86_MAX_PS,
  TCC_X86_XOR,
  TCC_X86_UNPACK_LOW_PS /* and the three below: elements of each 16 bytes of a and b in turn */,
  TCC_X86_UNPACK_HIGH_PS,
  TCC_X86_UNPACK_LOW_PD,
  TCC_X86_UNPACK_HIGH_PD,
  TCC_X86_MOVE,
  TCC_X86_VECTOR_OPS
} TccX86Vector;
/* to = a op b. Loads, moves and broadcasts have no a: give 0. Multiply-adds (231 forms): to += a * b. Min and max give b where either is NaN. */
void tcc_x86_vector(TccX86 *x, TccX86Vector op, int to, int a, int b);
void tcc_x86_vector_at(TccX86 *x, TccX86Vector op, int to, int a, TccX86At b);
/* The quarters of zmm `to`: two of a, then two of b, each by two bits of `choice`, the lowest first. */
void tcc_x86_quarters(TccX86 *x, int to, int a, int b, int choice);
/* ymm `to`: the lower half of ymm a, then 16 bytes of memory. */
void tcc_x86_insert_high(TccX86 *x, int to, int a, TccX86At high);

/* Opcodes of "register, register or memory"; of two bytes where the first is 0F. */
typedef enum {
  TCC_X86_MOV = 0x8b,
  TCC_X86_MOV_OUT = 0x89 /* to memory */,
  TCC_X86_LEA = 0x8d,
  TCC_X86_ADD = 0x03,
  TCC_X86_ADD_OUT = 0x01 /* to memory */,
  TCC_X86_SUB = 0x2b,
  TCC_X86_AND = 0x23,
  TCC_X86_CMP = 0x3b,
  TCC_X86_IMUL = 0x0faf,
  TCC_X86_CMOV_AE = 0x0f43,
  TCC_X86_CMOV_E = 0x0f44,
  TCC_X86_CMOV_LE = 0x0f4e
} TccX86Op;
void tcc_x86_op(TccX86 *x, TccX86Op op, int to, int from);
void tcc_x86_op_at(TccX86 *x, TccX86Op op, int to, TccX86At from);
/* With a number of 32 bits, signed. */
typedef enum {
  TCC_X86_ADD_NUMBER,
  TCC_X86_OR_NUMBER,
  TCC_X86_AND_NUMBER = 4,
  TCC_X86_SUB_NUMBER,
  TCC_X86_CMP_NUMBER = 7
} TccX86Number;
void tcc_x86_number(TccX86 *x, TccX86Number op, int to, int64_t number);
void tcc_x86_set(TccX86 *x, int to, int64_t number);
void tcc_x86_multiply(TccX86 *x, int to, int from, int64_t number);
void tcc_x86_shift_right(TccX86 *x, int to, int bits);
void tcc_x86_push(TccX86 *x, int reg);
void tcc_x86_pop(TccX86 *x, int reg);
void tcc_x86_prefetch(TccX86 *x, TccX86At at); /* into the second cache */
void tcc_x86_prefetch_near(TccX86 *x, TccX86At at,
                           bool write); /* into all caches; write: to be written (PRFCHW; older CPUs do nothing) */
void tcc_x86_return(TccX86 *x);         /* upper halves of vectors cleared */

/* Conditions as in the opcodes of jumps. */
typedef enum {
  TCC_X86_BELOW = 2,
  TCC_X86_ABOVE_EQUAL,
  TCC_X86_EQUAL,
  TCC_X86_NOT_EQUAL,
  TCC_X86_LESS = 12,
  TCC_X86_GREATER_EQUAL,
  TCC_X86_LESS_EQUAL,
  TCC_X86_ALWAYS = 16 /* forward only */
} TccX86Condition;
size_t tcc_x86_here(TccX86 *x, bool align); /* a place to jump back to; align: to 16 bytes */
void tcc_x86_jump_back(TccX86 *x, TccX86Condition condition, size_t to);
size_t tcc_x86_jump(TccX86 *x, TccX86Condition condition); /* forward, to where it lands */
void tcc_x86_land(TccX86 *x, size_t jump);
/* Puts constants behind the code: it is complete. */
void tcc_x86_finish(TccX86 *x);
#endif
