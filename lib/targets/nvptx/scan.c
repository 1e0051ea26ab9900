/* scan.c - cumulative sums, products and extremes along an axis.
 *
 * Where lines of the axis lie beside each other in memory, a thread has one of them and goes along it. Where the axis is the fastest, a warp has a line:
 * its lanes have elements side by side, from where a sector begins on, which five shuffles make sums of all before them (Hillis and Steele, Data
 * parallel algorithms, 1986), and the last of which goes to the next elements. The order of a sum is the same each time. */
#include "lib/targets/nvptx/nvptx.h"
#include "lib/targets/nvptx/row_lanes.h"
#include "tcc/op_kinds.h"

enum { THREADS = 128, AT_ONCE = 4 /* elements of a lane on their way */, SHORT = 8 /* lines that a thread goes along at once */ };

typedef struct {
  TccIr *ir;
  NvptxKernel n;
  TccElem elem, wide; /* in memory; of sums */
  TccStr kind;
  bool exclusive, reverse;
  const TccExpr *outer, *inner, *size; /* lines around the axis, elements behind it, those of it */
  TccVal x, to, length;
} Scan;

static TccVal i64(Scan *s, int64_t v) { return tcc_emit_i64(&s->n.e, v); }
static TccVal add(Scan *s, TccVal a, TccVal b) { return tcc_emit_add(&s->n.e, a, b); }
static TccVal below(Scan *s, TccVal a, TccVal b) { return tcc_emit_icmp(&s->n.e, "slt", "i64", a, b); }
static TccVal combine(Scan *s, TccVal a, TccVal b) { return tcc_scalar_combine(&s->n.e, s->kind, s->wide, 1, a, b); }

static TccVal load(Scan *s, TccVal at) {
  TccEmit *t = &s->n.e;
  const char *type = tcc_scalar_memory_type(s->elem);
  TccVal v = tcc_scalar_from_memory(t, s->elem, 1, tcc_emit_load(t, type, tcc_emit_gep(t, type, s->x, at)));
  return tcc_scalar_convert(t, s->elem, s->wide, 1, v);
}

static void store(Scan *s, TccVal at, TccVal v) {
  TccEmit *t = &s->n.e;
  const char *type = tcc_scalar_memory_type(s->elem);
  v = tcc_scalar_to_memory(t, s->elem, 1, tcc_scalar_convert(t, s->wide, s->elem, 1, v));
  tcc_emit_store(t, type, v, tcc_emit_gep(t, type, s->to, at));
}

/* Where element `i` of the order of the scan is along the axis. */
static TccVal place_of(Scan *s, TccVal i) {
  return s->reverse ? tcc_emit_sub(&s->n.e, tcc_emit_sub(&s->n.e, s->length, i64(s, 1)), i) : i;
}

/* ---- a thread for a line ---- */

static void scan_by_threads(Scan *s) {
  TccEmit *t = &s->n.e;
  const TccExpr *lines = tcc_expr_mul(s->ir->exprs, s->outer, s->inner);
  const char *acc = tcc_scalar_type(s->wide);
  TccVal line, in_line, thread = nvptx_global_thread(&s->n, THREADS), width = tcc_kernel_size(&s->n.k, s->inner);
  TccVal first = tcc_scalar_neutral(t, s->kind, s->wide, 1);
  TccIf inside;
  TccLoop loop;
  tcc_emit_if(t, &inside, below(s, thread, tcc_kernel_size(&s->n.k, lines)), 0, NULL);
  nvptx_divide(&s->n.k, thread, s->inner, &line, &in_line);
  TccVal base = add(s, tcc_emit_mul(t, tcc_emit_mul(t, line, s->length), width), in_line);
  tcc_emit_for(t, &loop, i64(s, 0), s->length, 1, 1, &first, &acc);
  TccVal at = add(s, base, tcc_emit_mul(t, place_of(s, loop.iv), width)), next = combine(s, loop.in[0], load(s, at));
  store(s, at, s->exclusive ? loop.in[0] : next);
  tcc_emit_end_for(t, &loop, &next);
  tcc_emit_end_if(t, &inside, NULL);
}

/* ---- a warp for a line ---- */

/* Elements from the begin of a sector to the line's first one, in the order of the scan. */
static TccVal shift_of(Scan *s, TccVal base) {
  TccEmit *t = &s->n.e;
  const int64_t sector = 32 * 8 / (int64_t)tcc_elem_bits(s->elem);
  TccVal end = add(s, base, s->length), all = i64(s, sector);
  if (!s->reverse) return tcc_emit_rem(t, base, all);
  return tcc_emit_rem(t, tcc_emit_sub(t, all, tcc_emit_rem(t, end, all)), all);
}

/* v of the lane so many before; nothing of use in the first ones. */
static TccVal from_before(Scan *s, TccVal lane, TccVal v, int distance) {
  TccEmit *t = &s->n.e;
  TccVal from = tcc_emit_bin(t, "and", "i64", tcc_emit_sub(t, lane, i64(s, distance)), i64(s, NVPTX_WARP - 1));
  return nvptx_lanes_exchange(t, s->wide, v, tcc_emit_cast(t, "trunc", "i64", "i32", from));
}

/* The sum of v of all lanes up to this one. */
static TccVal scan_lanes(Scan *s, TccVal lane, TccVal v) {
  TccEmit *t = &s->n.e;
  for (int distance = 1; distance < NVPTX_WARP; distance *= 2) {
    TccVal sum = combine(s, from_before(s, lane, v, distance), v);
    v = tcc_emit_select1(t, tcc_scalar_type(s->wide), below(s, lane, i64(s, distance)), v, sum);
  }
  return v;
}

/* Of the elements at these places, which are in the line or not, with the sum of all before. Gives the sum of all. */
static TccVal scan_elements(Scan *s, TccVal lane, TccVal base, TccVal place, TccVal has, TccVal v, TccVal before) {
  TccEmit *t = &s->n.e;
  const char *type = tcc_scalar_type(s->wide);
  TccIf inside;
  TccVal sum = combine(s, before, scan_lanes(s, lane, v)), result = sum;
  if (s->exclusive)
    result = tcc_emit_select1(t, type, tcc_emit_icmp(t, "eq", "i64", lane, i64(s, 0)), before, from_before(s, lane, sum, 1));
  tcc_emit_if(t, &inside, has, 0, NULL);
  store(s, add(s, base, place), result);
  tcc_emit_end_if(t, &inside, NULL);
  return nvptx_lanes_exchange(t, s->wide, sum, tcc_emit_int(t, "i32", NVPTX_WARP - 1));
}

static void scan_line(Scan *s, TccVal lane, TccVal base) {
  TccEmit *t = &s->n.e;
  const char *type = tcc_scalar_type(s->wide);
  TccVal neutral = tcc_scalar_neutral(t, s->kind, s->wide, 1), shift = shift_of(s, base), zero = i64(s, 0);
  TccVal place[AT_ONCE], has[AT_ONCE], v[AT_ONCE];
  TccLoop loop;
  tcc_emit_for(t, &loop, zero, add(s, s->length, shift), (int64_t)AT_ONCE * NVPTX_WARP, 1, &neutral, &type);
  for (int i = 0; i < AT_ONCE; i++) {
    TccVal number = tcc_emit_sub(t, add(s, add(s, loop.iv, lane), i64(s, (int64_t)i * NVPTX_WARP)), shift);
    has[i] = tcc_emit_bin(t, "and", "i1", tcc_emit_icmp(t, "sge", "i64", number, zero), below(s, number, s->length));
    number = tcc_emit_max(t, tcc_emit_min(t, number, tcc_emit_sub(t, s->length, i64(s, 1))), zero);
    place[i] = place_of(s, number);
    v[i] = load(s, add(s, base, place[i]));
  }
  TccVal sum = loop.in[0];
  for (int i = 0; i < AT_ONCE; i++)
    sum = scan_elements(s, lane, base, place[i], has[i], tcc_emit_select1(t, type, has[i], v[i], neutral), sum);
  tcc_emit_end_for(t, &loop, &sum);
}

static void scan_by_warps(Scan *s) {
  TccEmit *t = &s->n.e;
  TccIf inside;
  TccVal warp = tcc_emit_div(t, s->n.thread, i64(s, NVPTX_WARP)), lane = tcc_emit_rem(t, s->n.thread, i64(s, NVPTX_WARP));
  TccVal line = add(s, tcc_emit_mul(t, s->n.block, i64(s, THREADS / NVPTX_WARP)), warp);
  tcc_emit_if(t, &inside, below(s, line, tcc_kernel_size(&s->n.k, s->outer)), 0, NULL);
  scan_line(s, lane, tcc_emit_mul(t, line, s->length));
  tcc_emit_end_if(t, &inside, NULL);
}

/* ---- the kernel ---- */

static const TccExpr *count(TccIr *ir, MlirType type, int from, int to) {
  const TccExpr *all = tcc_expr_const(ir->exprs, 1);
  for (int a = from; a < to; a++) all = tcc_expr_mul(ir->exprs, all, tcc_type_dim(ir, type, a));
  return all;
}

static TccStatus *read_scan(Scan *s, TccIr *ir, MlirOperation kernel, MlirOperation *out_op) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel)), op = {NULL};
  if (mlirOperationGetNumOperands(end) == 1) op = tcc_value_op(mlirOperationGetOperand(end, 0));
  if (mlirOperationIsNull(op) || tcc_op_kind(ir, op) != TCC_OP_CUMULATIVE)
    return TCC_ERROR(TCC_UNSUPPORTED, "a scan that is not the one result of its kernel");
  MlirType type = tcc_value_type(mlirOperationGetOperand(op, 0));
  const int axis = (int)tcc_i64(ir, op, "axis"), rank = tcc_type_rank(type);
  s->ir = ir, s->elem = tcc_type_elem(type), s->kind = tcc_string(ir, op, "kind");
  if (!tcc_elem_computes(s->elem)) return TCC_ERROR(TCC_UNSUPPORTED, "element type %s does not compute", tcc_elem_name(s->elem));
  s->wide = tcc_elem_accumulator(s->elem);
  s->exclusive = tcc_bool(ir, op, "exclusive"), s->reverse = tcc_bool(ir, op, "reverse");
  s->outer = count(ir, type, 0, axis), s->inner = count(ir, type, axis + 1, rank), s->size = tcc_type_dim(ir, type, axis);
  *out_op = op;
  return NULL;
}

/* The operand, which is an argument or a constant. */
static TccStatus *find_operand(Scan *s, MlirValue value) {
  size_t elements;
  if (!mlirValueIsAOpResult(value)) {
    s->x = tcc_kernel_argument(&s->n.k, (int)mlirBlockArgumentGetArgNumber(value));
    return NULL;
  }
  const void *data = tcc_value_kind(s->ir, value) == TCC_OP_CONSTANT ? tcc_constant_data(s->ir, value, &elements) : NULL;
  if (!data) return TCC_ERROR(TCC_UNSUPPORTED, "an operand that is computed inside the kernel");
  s->x = tcc_emit_data(&s->n.e, data, tcc_elem_bytes(s->elem, elements));
  return NULL;
}

TccStatus *nvptx_scan(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Scan s = {0};
  MlirOperation op;
  int64_t length = INT64_MAX;
  TCC_TRY(read_scan(&s, ir, kernel, &op));
  tcc_expr_is_const(s.size, &length);
  const bool warps = s.inner == tcc_expr_const(ir->exprs, 1) && length > SHORT && tcc_elem_bits(s.elem) >= 8;
  nvptx_open(&s.n, ir, target, kernel);
  TccStatus *status = find_operand(&s, mlirOperationGetOperand(op, 0));
  if (status) {
    nvptx_abandon(&s.n);
    return status;
  }
  s.to = tcc_kernel_argument(&s.n.k, (int)mlirBlockGetNumArguments(tcc_func_body(kernel)));
  s.length = tcc_kernel_size(&s.n.k, s.size);
  const TccExpr *threads = tcc_expr_mul(ir->exprs, s.outer, warps ? tcc_expr_const(ir->exprs, NVPTX_WARP) : s.inner);
  if (warps) scan_by_warps(&s);
  else scan_by_threads(&s);
  return nvptx_close(&s.n, "nvptx.scan", warps ? "a warp for a line" : "a thread for a line", nvptx_blocks(ir, threads, THREADS),
                     THREADS, 0, out);
}
