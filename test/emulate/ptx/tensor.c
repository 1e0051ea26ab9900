/* tensor.c - products of a warp (mma.sync) and moves of 8 x 8 matrices between shared memory and registers.
 *
 * Fragments, sections 9.7.14.5 of the PTX ISA: with E elements in a register of 32 bits, lane 4 g + t and register r of A hold row g + 8 (r mod 2)
 * and columns E t + 4 E (r / 2) on, of B rows E t + 4 E r on and column g, of C and D rows g and g + 8, columns 2 t and 2 t + 1.
 *
 * Sums of floats as on an H100 (Inputs/rounding.ptx; Fasi, Higham, Mikaitis, Pranesh, Numerical behavior of NVIDIA tensor cores, 2021): products are
 * exact; they and C are cut off 25 places below the largest exponent among them, added, and the sum is rounded toward zero. */
#include "alu.h"
#include "ops.h"

enum { M = 16, N = 8 };

static double element(Type t, uint32_t word, unsigned i) {
  switch (t) {
  case T_F16: return (double)half_to_float((uint16_t)(word >> (16 * i)));
  case T_BF16: return (double)bfloat_to_float((uint16_t)(word >> (16 * i)));
  case T_TF32: return (double)as_float(word & ~0x1fffu);
  case T_S8: return (int8_t)(word >> (8 * i));
  default: return (uint8_t)(word >> (8 * i));
  }
}

float tensor_round(double sum) {
  float f = (float)sum;
  return isfinite(f) && fabs((double)f) > fabs(sum) ? nextafterf(f, 0) : f;
}

uint32_t tensor_integer(double sum, bool saturates) {
  if (saturates) sum = sum < INT32_MIN ? INT32_MIN : sum > INT32_MAX ? INT32_MAX : sum;
  return (uint32_t)(int64_t)sum;
}

static int16_t exponent_of(double value) {
  int exponent = (int)(double_bits(value) >> 52 & 2047);
  return (int16_t)(exponent == 0 ? EXPONENT_OF_ZERO : exponent == 2047 ? EXPONENT_OF_SPECIAL : exponent);
}

void tensor_exponents(TensorVector *vectors, unsigned count, unsigned k) {
  for (TensorVector *v = vectors; v < vectors + count; v++)
    for (unsigned i = 0; i < k; i++) v->exponent[i] = exponent_of(v->value[i]);
}

typedef double Four __attribute__((vector_size(32)));
typedef int32_t FourWhole __attribute__((vector_size(16)));

double tensor_sum(const TensorVector *a, const TensorVector *b, unsigned k, double c, double sign) {
  enum { PLACES = 25, BIAS = 1023 };
  int16_t largest = (int16_t)(exponent_of(c) + BIAS);
  for (unsigned i = 0; i < k; i++) {
    int16_t exponent = (int16_t)(a->exponent[i] + b->exponent[i]);
    largest = exponent > largest ? exponent : largest;
  }
  if (largest > 2 * 2047) { /* an infinity or a NaN, whatever it is multiplied with */
    for (unsigned i = 0; i < k; i++) c += sign * a->value[i] * b->value[i];
    return c;
  }
  const int exponent = (int)largest - 2 * BIAS;
  if (exponent < -900) return 0; /* all are 0 */
  const double scale = bits_double((uint64_t)(BIAS + PLACES - exponent) << 52), signed_scale = sign * scale;
  Four sums = {(double)(int32_t)(c * scale)}; /* exact, in any order */
  for (unsigned i = 0; i < k; i += 4) {
    Four left, right;
    memcpy(&left, &a->value[i], sizeof left);
    memcpy(&right, &b->value[i], sizeof right);
    sums += __builtin_convertvector(__builtin_convertvector(left * right * signed_scale, FourWhole), Four);
  }
  return (sums[0] + sums[1] + sums[2] + sums[3]) / scale;
}

/* mode: registers of A; count: elements in a register; immediate: K. */
static Outcome exec_mma(Warp *w, const Inst *inst, uint32_t mask) {
  static __thread TensorVector a[M], b[N];
  static __thread double c[M][N];
  unsigned k = (unsigned)inst->immediate, e = inst->count, na = inst->mode, nb = na / 2;
  bool whole = inst->type == T_S32, half = inst->type == T_F16;
  if (mask != w->alive || mask != FULL)
    return mask == w->alive ? fail(w, inst, 0, "mma.sync by a warp that is not whole") : CONVERGE;
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t g = l / 4, t = l % 4;
    for (unsigned r = 0; r < na; r++)
      for (unsigned i = 0; i < e; i++)
        a[g + 8 * (r & 1)].value[e * t + i + 4 * e * (r >> 1)] =
            element((Type)inst->from, (uint32_t)lane_bits(w, &inst->src[r], l), i);
    for (unsigned r = 0; r < nb; r++)
      for (unsigned i = 0; i < e; i++)
        b[g].value[e * t + i + 4 * e * r] = element((Type)inst->combine, (uint32_t)lane_bits(w, &inst->src[na + r], l), i);
    for (unsigned i = 0; i < 4; i++) {
      uint32_t word = (uint32_t)lane_bits(w, &inst->src[na + nb + (half ? i / 2 : i)], l);
      c[g + 8 * (i >> 1)][2 * t + (i & 1)] = whole  ? (double)(int32_t)word
                                             : half ? element(T_F16, word, i & 1)
                                                    : (double)as_float(word);
    }
  }
  if (!whole) tensor_exponents(a, M, k), tensor_exponents(b, N, k);
  for (unsigned m = 0; m < M; m++)
    for (unsigned n = 0; n < N; n++) {
      if (!whole) c[m][n] = tensor_sum(&a[m], &b[n], k, c[m][n], 1);
      for (unsigned i = 0; i < k && whole; i++) c[m][n] += a[m].value[i] * b[n].value[i];
    }
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t g = l / 4, t = l % 4, words[4];
    for (unsigned i = 0; i < 4; i++) {
      double v = c[g + 8 * (i >> 1)][2 * t + (i & 1)];
      words[i] = whole ? tensor_integer(v, inst->sat) : half ? float_to_half(v) : float_bits(tensor_round(v));
    }
    for (unsigned i = 0; i < inst->ndst; i++)
      set_lane(w, &inst->dst[i], l, half ? words[2 * i] | words[2 * i + 1] << 16 : words[i]);
  }
  return NEXT;
}

static const char *list_of(Parser_ *p, const Statement *s, const RawOperand *raw, Operand *out, unsigned count, bool destination) {
  if (raw->kind != OPERAND_LIST && count != 1) return "a list of registers expected";
  if (raw->kind == OPERAND_LIST && raw->count != (int)count) return "a list of another length";
  const char *wrong = NULL;
  for (unsigned i = 0; i < count && !wrong; i++) {
    const RawOperand *one = raw->kind == OPERAND_LIST ? &s->operand[raw->first + (int)i] : raw;
    wrong = destination ? op_destination(p, one, &out[i]) : op_source(p, one, T_B32, &out[i]);
  }
  return wrong;
}

const char *decode_mma(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(s, "sync aligned m16n8k4 m16n8k8 m16n8k16 m16n8k32 row col satfinite");
  if (wrong) return wrong;
  Type d = op_type(s, 3), a = op_type(s, 2), b = op_type(s, 1), c = op_type(s, 0);
  unsigned k = op_has(s, "m16n8k4") ? 4 : op_has(s, "m16n8k8") ? 8 : op_has(s, "m16n8k16") ? 16 : op_has(s, "m16n8k32") ? 32 : 0;
  bool bytes = a == T_S8 || a == T_U8, same = a == b || (bytes && (b == T_S8 || b == T_U8));
  unsigned e = bytes ? 4 : a == T_TF32 ? 1 : 2;
  if (!k || d != c || !same || !(bytes ? d == T_S32 : d == T_F32 || (d == T_F16 && a == T_F16)) ||
      (!bytes && a != T_F16 && a != T_BF16 && a != T_TF32) || k % (4 * e) || k / (4 * e) > 2 ||
      (!bytes && op_has(s, "satfinite")) || s->noperands != 4)
    return "a form of mma that the emulator does not run";
  unsigned nb = k / (4 * e), na = 2 * nb, nd = d == T_F16 ? 2 : 4;
  inst->exec = exec_mma, inst->class = EMU_CLASS_TENSOR, inst->type = (uint8_t)d, inst->from = (uint8_t)a,
  inst->combine = (uint8_t)b;
  inst->sat = op_has(s, "satfinite"), inst->count = (uint8_t)e, inst->mode = (uint8_t)na, inst->immediate = k,
  inst->ndst = (uint16_t)nd;
  op_sources(p, inst, (int)(na + nb + nd));
  wrong = list_of(p, s, &s->operand[0], inst->dst, nd, true);
  if (!wrong) wrong = list_of(p, s, &s->operand[1], inst->src, na, false);
  if (!wrong) wrong = list_of(p, s, &s->operand[2], inst->src + na, nb, false);
  return wrong ? wrong : list_of(p, s, &s->operand[3], inst->src + na + nb, nd, false);
}

/* ---- matrices ---- */
/* mode: transposed; count: matrices. Lanes 8 m to 8 m + 7 have the addresses of the rows of matrix m. */
static Outcome exec_matrix(Warp *w, const Inst *inst, uint32_t mask) {
  uint64_t address[LANES];
  uint8_t *row[LANES];
  if (mask != w->alive || mask != FULL)
    return mask == w->alive ? fail(w, inst, 0, "a move of matrices by a warp that is not whole") : CONVERGE;
  uint32_t rows = inst->count * 8u;
  for (uint32_t l = 0; l < rows; l++) {
    address[l] = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate;
    row[l] = memory_at(w, inst, l, (Space)inst->space, address[l], 16, inst->is_store ? WRITE : READ);
    if (!row[l]) return FAILED;
  }
  count_access(w, inst, (Space)inst->space, address, rows == LANES ? FULL : (1u << rows) - 1, 16);
  for (uint32_t m = 0; m < inst->count; m++)
    for (uint32_t l = 0; l < LANES; l++) {
      uint16_t part[2];
      uint32_t word = inst->is_store ? (uint32_t)lane_bits(w, &inst->src[1 + m], l) : 0;
      memcpy(part, &word, 4);
      for (uint32_t i = 0; i < 2; i++) {
        uint32_t r = inst->mode ? l % 4 * 2 + i : l / 4, c = inst->mode ? l / 4 : l % 4 * 2 + i;
        if (inst->is_store) memcpy(row[8 * m + r] + 2 * c, &part[i], 2);
        else memcpy(&part[i], row[8 * m + r] + 2 * c, 2);
      }
      memcpy(&word, part, 4);
      if (!inst->is_store) set_lane(w, &inst->dst[m], l, word);
    }
  return NEXT;
}

const char *decode_matrix(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(s, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta");
  if (wrong) return wrong;
  inst->is_store = strcmp(s->opcode, "stmatrix") == 0;
  inst->exec = exec_matrix, inst->class = EMU_CLASS_MEMORY, inst->space = (uint8_t)op_space(s), inst->mode = op_has(s, "trans");
  inst->count = op_has(s, "x4") ? 4 : op_has(s, "x2") ? 2 : 1;
  if (op_type(s, 0) != T_B16 || s->noperands != 2) return "a form of a move of matrices that the emulator does not run";
  op_sources(p, inst, 1 + (inst->is_store ? inst->count : 0));
  wrong = op_address(p, &s->operand[!inst->is_store], &inst->src[0], &inst->immediate);
  if (wrong) return wrong;
  if (inst->is_store) return list_of(p, s, &s->operand[1], inst->src + 1, inst->count, false);
  inst->ndst = inst->count;
  return list_of(p, s, &s->operand[0], inst->dst, inst->count, true);
}
