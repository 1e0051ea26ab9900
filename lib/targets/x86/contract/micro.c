/* micro.c - see micro.h. */
#include "lib/targets/x86/contract/micro.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/contract/product.h"

int tcc_vector_bits(const TccMachine *machine) {
  return machine->isa & TCC_ISA_AVX512 ? 512 : 256; /* x86.c refuses machines without AVX2 */
}

static bool is_byte(TccElem elem) { return elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8; }

static void use_words(TccMicroType *t, TccMicroEngine engine, const char *packed, int packed_bytes, TccElem acc_elem, int bits) {
  t->engine = engine, t->packed = packed, t->packed_bytes = packed_bytes, t->k_group_type = "i32", t->k_group = 4 / packed_bytes;
  t->acc = acc_elem == TCC_ELEM_F32 ? "f32" : "i32", t->acc_elem = acc_elem, t->acc_bytes = 4, t->lanes = bits / 32;
  t->step = engine == TCC_MICRO_TILES ? TCC_TILE_K_GROUPS : TCC_MICRO_STEP;
}

/* Words of several elements, where the machine multiplies them as such. */
static void group_elements(const TccMachine *machine, TccMicroType *t) {
  int bits = tcc_vector_bits(machine);
  bool tiles = machine->isa & TCC_ISA_AMX, vnni = bits == 512 && (machine->isa & TCC_ISA_AVX512_VNNI);
  if (t->a == TCC_ELEM_BF16) {
    if (tiles) use_words(t, TCC_MICRO_TILES, "i16", 2, TCC_ELEM_F32, bits);
    else if (bits == 512 && (machine->isa & TCC_ISA_AVX512_BF16)) use_words(t, TCC_MICRO_DOT, "i16", 2, TCC_ELEM_F32, bits);
  } else if (is_byte(t->a)) {
    if (tiles) use_words(t, TCC_MICRO_TILES, "i8", 1, TCC_ELEM_I32, bits);
    else if (vnni && t->a == TCC_ELEM_U8 && t->b == TCC_ELEM_I8) use_words(t, TCC_MICRO_DOT, "i8", 1, TCC_ELEM_I32, bits);
    else use_words(t, vnni ? TCC_MICRO_DOT : TCC_MICRO_FMA, "i16", 2, TCC_ELEM_I32, bits);
  }
}

bool tcc_micro_type_plain(const TccMachine *machine, TccElem a, TccElem b, TccMicroType *out) {
  int bits = tcc_vector_bits(machine);
  *out = (TccMicroType){.a = a,
                        .b = b,
                        .k_group = 1,
                        .registers = machine->isa & TCC_ISA_AVX512 ? 32 : 16,
                        .step = TCC_MICRO_STEP,
                        .llvm_tiles = machine->llvm_tiles,
                        .lowered = machine->lowered != 0};
  if (a != b && !(is_byte(a) && is_byte(b))) return false;
  switch (a) {
  case TCC_ELEM_F32:
  case TCC_ELEM_F16:
  case TCC_ELEM_BF16: out->packed = "f32", out->acc_elem = TCC_ELEM_F32, out->packed_bytes = 4; break;
  case TCC_ELEM_F64: out->packed = "f64", out->acc_elem = TCC_ELEM_F64, out->packed_bytes = 8; break;
  case TCC_ELEM_I8:
  case TCC_ELEM_U8:
  case TCC_ELEM_I16:
  case TCC_ELEM_U16:
  case TCC_ELEM_I32:
  case TCC_ELEM_U32: /* low bits need no sign */ out->packed = "i32", out->acc_elem = TCC_ELEM_I32, out->packed_bytes = 4; break;
  case TCC_ELEM_I64:
  case TCC_ELEM_U64: out->packed = "i64", out->acc_elem = TCC_ELEM_I64, out->packed_bytes = 8; break;
  default: return false;
  }
  out->k_group_type = out->acc = out->packed;
  out->acc_bytes = out->packed_bytes;
  out->lanes = bits / 8 / out->packed_bytes;
  return true;
}

bool tcc_micro_type(const TccMachine *machine, TccElem a, TccElem b, TccMicroType *out) {
  if (!tcc_micro_type_plain(machine, a, b, out)) return false;
  group_elements(machine, out);
  return true;
}

bool tcc_micro_row_type(const TccMicroType *t, TccMicroType *row) {
  *row = *t;
  if (t->engine != TCC_MICRO_TILES) return true;
  row->engine = TCC_MICRO_DOT; /* the step, which operands are padded to, stays */
  return t->acc_elem == TCC_ELEM_F32 || (t->a == TCC_ELEM_U8 && t->b == TCC_ELEM_I8);
}

int tcc_micro_unroll(const TccMicroType *t) { return t->registers < 32 ? 4 : 2; }

int64_t tcc_micro_unit(const TccMicroType *t) { return (int64_t)t->step * t->k_group; }

bool tcc_micro_packs_as_is(const TccMicroType *t, TccElem elem) {
  bool kept = t->packed[0] == 'i' ? t->k_group > 1 || !tcc_elem_is_float(elem) : elem == TCC_ELEM_F32 || elem == TCC_ELEM_F64;
  return kept && (int)tcc_elem_bits(elem) == 8 * t->packed_bytes;
}

/* The sum of two products of 16 bits in each lane. */
static TccVal multiply_pairs(TccEmit *e, const TccMicroType *t, const char *sums, const char *pairs, TccVal a, TccVal b) {
  const char *name = t->lanes == 16 && !t->lowered ? "llvm.x86.avx512.pmaddw.d.512" : "llvm.x86.avx2.pmadd.wd";
  if (t->lanes == 8 || !t->lowered)
    return tcc_emit_call_intrinsic(e, name, sums, 2, (TccVal[]){a, b}, (const char *const[]){pairs, pairs});
  const char *half_pairs = tcc_emit_vector(e, "i16", 16), *half_sums = tcc_emit_vector(e, "i32", 8);
  TccVal whole = tcc_emit_zero(e, sums);
  for (int half = 0; half < 2; half++) {
    TccVal of[] = {tcc_emit_slice(e, pairs, a, 16 * half, 16), tcc_emit_slice(e, pairs, b, 16 * half, 16)};
    TccVal part = tcc_emit_call_intrinsic(e, name, half_sums, 2, of, (const char *const[]){half_pairs, half_pairs});
    whole = tcc_emit_insert_vector(e, half_sums, part, sums, whole, 8 * half);
  }
  return whole;
}

static TccVal multiply_add(TccEmit *e, const TccMicroType *t, TccVal acc, TccVal a, TccVal b) {
  const char *vector = tcc_emit_vector(e, t->acc, t->lanes);
  if (t->acc[0] == 'f' && t->engine == TCC_MICRO_DOT) {
    const char *pairs = tcc_emit_vector(e, "i16", t->lanes * 2), *halves = tcc_emit_vector(e, "bf16", t->lanes * 2);
    a = tcc_emit_cast(e, "bitcast", pairs, halves, a), b = tcc_emit_cast(e, "bitcast", pairs, halves, b);
    return tcc_emit_call_intrinsic(e, "llvm.x86.avx512bf16.dpbf16ps.512", vector, 3, (TccVal[]){acc, a, b},
                                   (const char *const[]){vector, halves, halves});
  }
  if (t->acc[0] == 'f') return tcc_emit_fma(e, vector, a, b, acc);
  if (t->k_group == 1) return tcc_emit_bin(e, "add", vector, acc, tcc_emit_bin(e, "mul", vector, a, b));
  if (t->k_group == 4) {
    const char *fours = tcc_emit_vector(e, "i8", t->lanes * 4);
    return tcc_emit_call_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", vector, 3, (TccVal[]){acc, a, b},
                                   (const char *const[]){vector, fours, fours});
  }
  const char *pairs = tcc_emit_vector(e, "i16", t->lanes * 2);
  if (t->engine == TCC_MICRO_DOT)
    return tcc_emit_call_intrinsic(e, "llvm.x86.avx512.vpdpwssd.512", vector, 3, (TccVal[]){acc, a, b},
                                   (const char *const[]){vector, pairs, pairs});
  return tcc_emit_bin(e, "add", vector, acc, multiply_pairs(e, t, vector, pairs, a, b));
}

static const char *const parameter_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", TCC_PTR};

TccVal tcc_micro_adds(TccEmit *e, TccVal how) {
  return tcc_emit_icmp(e, "ne", "i64", tcc_emit_bin(e, "and", "i64", how, tcc_emit_i64(e, 1)), tcc_emit_i64(e, 0));
}

static int64_t k_stride(const TccMicro *m) { return m->k_stride ? m->k_stride : m->type.k_group; }
static int64_t prefetch_lines(const TccMicro *m) { return m->prefetch ? m->prefetch : 1; }
static int64_t panel_bytes(const TccMicro *m) {
  return (int64_t)(m->panel ? m->panel : m->vectors) * m->type.lanes * m->type.k_group * m->type.packed_bytes;
}

/* The instructions of one k-group; false where there are none, or where b is widened on its way. */
static bool has_instructions(const TccMicro *m, TccProduct *p) {
  const TccMicroType *t = &m->type;
  bool dot = t->engine == TCC_MICRO_DOT, f32 = strcmp(t->acc, "f32") == 0, f64 = strcmp(t->acc, "f64") == 0;
  p->apart = !dot && t->k_group == 2;
  if (m->narrow || m->rows == 1 || (!dot && !f32 && !f64 && !p->apart)) return false;
  p->broadcast = f64 ? TCC_X86_BROADCAST64 : TCC_X86_BROADCAST32; /* of any 32 bits */
  p->multiply = p->apart          ? TCC_X86_MADD_I16
                : f64             ? TCC_X86_FMADD_PD
                : !dot            ? TCC_X86_FMADD_PS
                : f32             ? TCC_X86_DPBF16
                : t->k_group == 4 ? TCC_X86_DPBUSD
                                  : TCC_X86_DPWSSD;
  return true;
}

/* A float sum of all of k in one chain has an error that grows with k: after so many k-groups it is added to c, and begins anew. */
enum { PIECE = 256 };

static bool sums_in_pieces(const TccMicro *m) { return m->type.acc_elem == TCC_ELEM_F32; }

/* bytes = those of `left` that are taken next, left -= bytes */
static void take_piece(TccX86 *x, const TccMicro *m, int left, int bytes) {
  int64_t most = PIECE * k_stride(m) * m->type.packed_bytes;
  tcc_x86_op(x, TCC_X86_MOV, bytes, left);
  if (!sums_in_pieces(m)) return;
  tcc_x86_number(x, TCC_X86_CMP_NUMBER, left, most);
  size_t all = tcc_x86_jump(x, TCC_X86_BELOW);
  tcc_x86_set(x, bytes, most);
  tcc_x86_land(x, all);
  tcc_x86_op(x, TCC_X86_SUB, left, bytes);
}

/* The parameters of the function as machine code, and what it keeps beside them. */
enum {
  REG_A = TCC_RDI,
  REG_B = TCC_RSI,
  REG_C = TCC_RDX,
  REG_K_GROUPS = TCC_RCX,
  REG_HOW = TCC_R8,
  REG_PREFETCH = TCC_R9,
  REG_TAKEN = TCC_RAX,
  REG_SCRATCH = TCC_R10,
  REG_LEFT = TCC_R11
};

static TccProduct product_of(const TccMicro *m) {
  const TccMicroType *t = &m->type;
  const int64_t step = k_stride(m) * t->packed_bytes;
  TccProduct p = {.rows = m->rows,
                  .vectors = m->vectors,
                  .registers = t->registers,
                  .unroll = tcc_micro_unroll(t),
                  .a_step = step,
                  .b_step = panel_bytes(m),
                  .npointers = 1,
                  .a = {REG_A},
                  .b = REG_B,
                  .lines = (int)prefetch_lines(m),
                  .prefetch = REG_PREFETCH,
                  .prefetch_rate = m->prefetch_rate / step,
                  .prefetch_stride = m->prefetch_stride,
                  .taken = REG_TAKEN,
                  .scratch = REG_SCRATCH,
                  .bytes = REG_K_GROUPS};
  for (int r = 0; r < m->rows; r++) p.offset[r] = r * m->lda * t->packed_bytes;
  return p;
}

/* The product; in front of it, for calls that prefetch as far as `how` says, those that prefetch fewer lines. */
static void put_product(TccX86 *x, const TccMicro *m, const TccProduct *p) {
  size_t ends[TCC_MICRO_FEW];
  int levels = 0;
  for (int i = TCC_MICRO_FEW; i > 0; i--) {
    if (!m->prefetch_few[i - 1]) continue;
    TccProduct few = *p;
    few.lines = (int)m->prefetch_few[i - 1];
    tcc_x86_number(x, TCC_X86_CMP_NUMBER, REG_HOW, 2 * i);
    const size_t below = tcc_x86_jump(x, TCC_X86_BELOW);
    tcc_product_emit(x, &few);
    ends[levels++] = tcc_x86_jump(x, TCC_X86_ALWAYS);
    tcc_x86_land(x, below);
  }
  tcc_product_emit(x, p);
  for (int i = 0; i < levels; i++) tcc_x86_land(x, ends[i]);
}

/* The sums to c, added to what is there if `how` is odd. */
static void put_sums(TccX86 *x, const TccMicro *m) {
  const TccMicroType *t = &m->type;
  if (!m->ldc) { /* its bytes: the loop is done with these two */
    tcc_x86_op(x, TCC_X86_MOV, REG_K_GROUPS, REG_HOW);
    tcc_x86_shift_right(x, REG_K_GROUPS, TCC_MICRO_LDC_BITS);
  }
  tcc_x86_op(x, TCC_X86_MOV, REG_TAKEN, REG_HOW);
  tcc_x86_number(x, TCC_X86_AND_NUMBER, REG_TAKEN, 1);
  const size_t first = tcc_x86_jump(x, TCC_X86_EQUAL);
  const TccX86Vector add = t->acc_elem == TCC_ELEM_F64   ? TCC_X86_ADD_PD
                           : t->acc_elem == TCC_ELEM_F32 ? TCC_X86_ADD_PS
                                                         : TCC_X86_ADD_I32;
  for (int store = 0; store < 2; store++) {
    if (!m->ldc) tcc_x86_op(x, TCC_X86_MOV, REG_SCRATCH, REG_C);
    for (int i = 0; i < m->rows * m->vectors; i++) {
      const int row = i / m->vectors, column = i % m->vectors;
      if (!m->ldc && row && !column) tcc_x86_op(x, TCC_X86_ADD, REG_SCRATCH, REG_K_GROUPS);
      const TccX86At c = tcc_x86_at(m->ldc ? REG_C : REG_SCRATCH, row * m->ldc * t->acc_bytes + column * x->vector);
      if (store) tcc_x86_vector_at(x, TCC_X86_STORE, i, 0, c);
      else tcc_x86_vector_at(x, add, i, i, c);
    }
    if (!store) tcc_x86_land(x, first);
  }
}

/* The whole function as machine code (product.h); false where it is left to LLVM. */
static bool emit_code(TccEmit *e, const char *name, const TccMicro *m) {
  const TccMicroType *t = &m->type;
  TccProduct p = product_of(m);
  if (!has_instructions(m, &p) || !tcc_product_fits(&p) || m->rows * m->ldc * t->acc_bytes > INT32_MAX / 2) return false;
  TccX86 x = {.arena = e->arena, .vector = t->lanes * t->acc_bytes};
  tcc_x86_multiply(&x, REG_LEFT, REG_K_GROUPS, p.a_step);
  const size_t piece = tcc_x86_here(&x, false);
  take_piece(&x, m, REG_LEFT, REG_K_GROUPS);
  tcc_product_clear(&x, m->rows * m->vectors);
  put_product(&x, m, &p);
  put_sums(&x, m);
  if (sums_in_pieces(m)) {
    if (m->prefetch_stride)
      tcc_x86_number(&x, TCC_X86_ADD_NUMBER, REG_PREFETCH, (PIECE * m->prefetch_rate >> 16) * m->prefetch_stride);
    tcc_x86_number(&x, TCC_X86_OR_NUMBER, REG_HOW, 1);
    tcc_x86_number(&x, TCC_X86_CMP_NUMBER, REG_LEFT, 0);
    tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, piece);
  }
  tcc_x86_return(&x);
  tcc_emit_code(e, name, tcc_text_str(&x.bytes));
  tcc_text_destroy(&x.bytes);
  return true;
}

/* A k-group of row r at `a` times one at `b`, of which the row is `columns`, added to sums[0, vectors). */
static void emit_k_group(TccEmit *e, const TccMicro *m, int r, TccVal a, int64_t u, const TccVal *columns, TccVal *sums) {
  const TccMicroType *t = &m->type;
  const char *operand = tcc_emit_vector(e, t->packed, t->lanes * t->k_group),
             *group = tcc_emit_vector(e, t->k_group_type, t->lanes);
  TccVal one = tcc_emit_load(e, t->k_group_type, tcc_emit_at(e, t->packed, a, r * m->lda + u * k_stride(m)));
  TccVal repeated = tcc_emit_cast(e, "bitcast", group, operand, tcc_emit_splat(e, group, one));
  for (int j = 0; j < m->vectors; j++) sums[j] = multiply_add(e, t, sums[j], repeated, columns[j]);
}

static const char *column_memory(const TccMicro *m) { return m->narrow ? tcc_scalar_memory_type(m->narrow) : m->type.packed; }
static int64_t column_width(const TccMicro *m) {
  return (int64_t)(m->panel ? m->panel : m->vectors) * m->type.lanes * m->type.k_group;
}

/* The vectors of a k-group of b. */
static void load_columns(TccEmit *e, const TccMicro *m, TccVal b, TccVal *columns) {
  const TccMicroType *t = &m->type;
  const char *type =
      m->narrow ? tcc_emit_vector(e, column_memory(m), t->lanes) : tcc_emit_vector(e, t->packed, t->lanes * t->k_group);
  for (int j = 0; j < m->vectors; j++) {
    columns[j] = tcc_emit_load(e, type, tcc_emit_at(e, column_memory(m), b, (int64_t)j * t->lanes * t->k_group));
    if (m->narrow) columns[j] = tcc_scalar_convert(e, m->narrow, TCC_ELEM_F32, t->lanes, columns[j]);
  }
}

/* The loop in LLVM's hands: `groups` of those at arg[0] and arg[1]. */
static void emit_loop(TccEmit *e, const TccMicro *m, const TccVal *arg, TccVal groups, const char *vector, TccVal *sums) {
  const TccMicroType *t = &m->type;
  int64_t lines = prefetch_lines(m), width = column_width(m);
  int step = tcc_micro_unroll(t), n = m->rows * m->vectors;
  TccVal init[TCC_LOOP_MAX], next[TCC_LOOP_MAX];
  const char *types[TCC_LOOP_MAX];
  for (int i = 0; i < n; i++) init[i] = sums[i], types[i] = vector;
  for (int i = 0; i < 3; i++) types[n + i] = TCC_PTR;
  init[n] = arg[0], init[n + 1] = arg[1], init[n + 2] = arg[5];
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), groups, step, n + 3, init, types);
  TccVal a = loop.in[n], b = loop.in[n + 1], prefetch = loop.in[n + 2], at = prefetch;
  memcpy(next, loop.in, sizeof next);
  if (m->prefetch_stride) {
    TccVal row = tcc_emit_bin(e, "lshr", "i64", tcc_emit_mul(e, loop.iv, tcc_emit_i64(e, m->prefetch_rate)), tcc_emit_i64(e, 16));
    at = tcc_emit_gep(e, "i8", prefetch, tcc_emit_mul(e, row, tcc_emit_i64(e, m->prefetch_stride)));
  }
  for (int64_t i = 0; i < lines; i++) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", at, 64 * i), false, 2);
  for (int u = 0; u < step; u++) {
    TccVal columns[16];
    load_columns(e, m, tcc_emit_at(e, t->packed, b, u * width), columns);
    for (int r = 0; r < m->rows; r++) emit_k_group(e, m, r, a, u, columns, &next[r * m->vectors]);
  }
  next[n] = tcc_emit_at(e, t->packed, a, step * k_stride(m));
  next[n + 1] = tcc_emit_at(e, t->packed, b, step * width);
  next[n + 2] = m->prefetch_stride ? prefetch : tcc_emit_at(e, "i8", prefetch, 64 * lines);
  tcc_emit_end_for(e, &loop, next);
  memcpy(sums, loop.out, sizeof *sums * (size_t)n);
}

/* The same of a single row, whose panel streams from memory: it is read at several places, each of which has sums of its own, since memory gives
 * more to several runs than to one. Lines are asked for ahead, at last those of the next panel, which is what `prefetch` points to. (One row of an
 * unknown number, one thread of a Zen 3: 2048x5632 2.42 to 1.71 ms, 4096x1024 0.29 to 0.25, 2048x1000 0.122 to 0.116.) */
static void emit_row_loop(TccEmit *e, const TccMicro *m, const TccVal *arg, const char *vector, TccVal *sums) {
  const TccMicroType *t = &m->type;
  enum { AHEAD = 2048 /* bytes */ };
  const char *memory = column_memory(m);
  int64_t width = column_width(m), bytes = width * (m->narrow ? (int)tcc_elem_bits(m->narrow) / 8 : t->packed_bytes),
          ahead = tcc_ceil_div(AHEAD, bytes);
  int parts = TCC_MICRO_STEP;
  while (parts > 1 && (parts + 1) * m->vectors + 1 > t->registers) parts /= 2;
  int steps = TCC_MICRO_STEP / parts, n = parts * m->vectors;
  TccVal init[TCC_LOOP_MAX], next[TCC_LOOP_MAX], zero = tcc_emit_i64(e, 0), part = tcc_emit_div(e, arg[3], tcc_emit_i64(e, parts));
  const char *types[TCC_LOOP_MAX];
  for (int i = 0; i < n; i++) init[i] = i < m->vectors ? sums[i] : tcc_emit_zero(e, vector), types[i] = vector;
  TccVal behind = tcc_emit_gep(e, "i8", arg[5], tcc_emit_mul(e, tcc_emit_sub(e, zero, part), tcc_emit_i64(e, bytes)));
  TccLoop loop;
  tcc_emit_for(e, &loop, zero, part, steps, n, init, types);
  memcpy(next, loop.in, sizeof next);
  TccVal place = tcc_emit_add(e, loop.iv, tcc_emit_i64(e, ahead));
  TccVal base = tcc_emit_select1(e, TCC_PTR, tcc_emit_icmp(e, "slt", "i64", place, part), arg[1], behind);
  base = tcc_emit_gep(e, "i8", base, tcc_emit_mul(e, place, tcc_emit_i64(e, bytes)));
  for (int p = 0; p < parts; p++) {
    TccVal from = tcc_emit_mul(e, part, tcc_emit_i64(e, p)), k = tcc_emit_add(e, from, loop.iv);
    TccVal to = tcc_emit_gep(e, "i8", base, tcc_emit_mul(e, from, tcc_emit_i64(e, bytes)));
    for (int64_t i = 0; i < steps * bytes; i += 64) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", to, i), false, 3);
    TccVal a = tcc_emit_gep(e, t->packed, arg[0], tcc_emit_mul(e, k, tcc_emit_i64(e, k_stride(m)))),
           b = tcc_emit_gep(e, memory, arg[1], tcc_emit_mul(e, k, tcc_emit_i64(e, width)));
    for (int u = 0; u < steps; u++) {
      TccVal columns[16];
      load_columns(e, m, tcc_emit_at(e, memory, b, u * width), columns);
      emit_k_group(e, m, 0, a, u, columns, &next[p * m->vectors]);
    }
  }
  tcc_emit_end_for(e, &loop, next);
  const char *add = t->acc[0] == 'f' ? "fadd" : "add";
  memcpy(sums, loop.out, sizeof *sums * (size_t)m->vectors);
  for (int i = m->vectors; i < n; i++) sums[i % m->vectors] = tcc_emit_bin(e, add, vector, sums[i % m->vectors], loop.out[i]);
}

/* Stores the sums at c of the function's arguments, or adds them to what is there. */
static void emit_stores(TccEmit *e, const TccMicro *m, const TccVal *arg, TccVal adds, const char *vector, const TccVal *sums) {
  const TccMicroType *t = &m->type;
  const char *add = t->acc[0] == 'f' ? "fadd" : "add";
  TccVal stride = m->ldc ? 0 : tcc_emit_bin(e, "lshr", "i64", arg[4], tcc_emit_i64(e, TCC_MICRO_LDC_BITS));
  TccIf again;
  tcc_emit_if(e, &again, adds, 0, NULL);
  for (int pass = 0; pass < 2; pass++) {
    for (int r = 0; r < m->rows; r++) {
      TccVal row = stride ? tcc_emit_gep(e, "i8", arg[2], tcc_emit_mul(e, stride, tcc_emit_i64(e, r))) : arg[2];
      for (int j = 0; j < m->vectors; j++) {
        TccVal at = tcc_emit_at(e, t->acc, row, r * m->ldc + j * t->lanes), v = sums[r * m->vectors + j];
        tcc_emit_store(e, vector, pass ? v : tcc_emit_bin(e, add, vector, v, tcc_emit_load(e, vector, at)), at);
      }
    }
    if (pass == 0) tcc_emit_else(e, &again, NULL);
  }
  tcc_emit_end_if(e, &again, NULL);
}

/* All k-groups in pieces, each from the place that the machine code has reached then. Without a k-group zeros are stored. */
static void emit_pieces(TccEmit *e, const TccMicro *m, const TccVal *arg, const char *vector, TccVal *sums) {
  const TccMicroType *t = &m->type;
  TccVal zero = tcc_emit_i64(e, 0), of_piece[6];
  TccLoop piece;
  tcc_emit_for(e, &piece, zero, tcc_emit_max(e, arg[3], tcc_emit_i64(e, 1)), PIECE, 0, NULL, NULL);
  memcpy(of_piece, arg, sizeof of_piece);
  of_piece[0] = tcc_emit_gep(e, t->packed, arg[0], tcc_emit_mul(e, piece.iv, tcc_emit_i64(e, k_stride(m))));
  of_piece[1] = tcc_emit_gep(e, column_memory(m), arg[1], tcc_emit_mul(e, piece.iv, tcc_emit_i64(e, column_width(m))));
  int64_t ahead = m->prefetch_stride ? (PIECE * m->prefetch_rate >> 16) * m->prefetch_stride
                                     : PIECE / tcc_micro_unroll(t) * 64 * prefetch_lines(m);
  TccVal place = tcc_emit_mul(e, tcc_emit_div(e, piece.iv, tcc_emit_i64(e, PIECE)), tcc_emit_i64(e, ahead));
  of_piece[5] = tcc_emit_gep(e, "i8", arg[5], place);
  TccVal left = tcc_emit_min(e, tcc_emit_i64(e, PIECE), tcc_emit_sub(e, arg[3], piece.iv));
  emit_loop(e, m, of_piece, left, vector, sums);
  TccVal later = tcc_emit_icmp(e, "ne", "i64", piece.iv, zero);
  emit_stores(e, m, arg, tcc_emit_bin(e, "or", "i1", tcc_micro_adds(e, arg[4]), later), vector, sums);
  tcc_emit_end_for(e, &piece, NULL);
}

void tcc_micro_emit(TccEmit *e, const char *name, const TccMicro *m) {
  const TccMicroType *t = &m->type;
  if (t->engine == TCC_MICRO_TILES) {
    tcc_micro_tiles_emit(e, name, m);
    return;
  }
  if (!t->llvm_tiles && emit_code(e, name, m)) return;
  const char *params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", "i64", "i64", TCC_PTR};
  const char *vector = tcc_emit_vector(e, t->acc, t->lanes);
  TccVal arg[6], sums[TCC_LOOP_MAX];
  tcc_emit_function(e, name, true, 6, params, NULL, arg);
  for (int i = 0; i < m->rows * m->vectors; i++) sums[i] = tcc_emit_zero(e, vector);
  if (m->rows > 1 && sums_in_pieces(m)) {
    emit_pieces(e, m, arg, vector, sums);
  } else {
    if (m->rows == 1) emit_row_loop(e, m, arg, vector, sums);
    else emit_loop(e, m, arg, arg[3], vector, sums);
    emit_stores(e, m, arg, tcc_micro_adds(e, arg[4]), vector, sums);
  }
  tcc_emit_return(e, 0, NULL);
}

void tcc_micro_call(TccEmit *e, const char *name, TccVal a, TccVal b, TccVal c, TccVal k_groups, TccVal how, TccVal prefetch) {
  TccVal args[] = {a, b, c, k_groups, how, prefetch};
  tcc_emit_call(e, name, 6, args, parameter_types, NULL);
}
