/* scatter.c - kernels around scatter_nd, scatter_elements and cumulative sums: order matters, so they are loops.
 *
 * A scatter copies its operand, unless its result lies where that does, or writes the number that all of it is, and walks the updates in order: later updates must win, and sums are rounded in
 * one order, whatever the number of threads. So a tile is a part of the result that no other tile writes, with all updates that go there: of
 * scatter_elements what has one place along the axes before the indexed one, of scatter_nd a range of the elements behind the indexed axes. An index outside
 * changes nothing, and is reported where the op says which indices are valid; a negative one counts from the end. What lies
 * behind the indexed axes is contiguous and moves a block of lanes at a time. A scan goes along lines; these are neighbours in memory where the axis is not the
 * last one, and then the lanes are lines. Along the last axis a tile has several lines at once, whose chains do not wait for each other. */
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/map/map.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccKernelEmit *k;
  TccIr *ir;
  int lanes;
} Walk;

static TccVal argument(Walk *w, int index) { return tcc_emit_load_once(w->k->e, TCC_PTR, w->k->arguments, index); }
static TccVal size_of(Walk *w, const TccExpr *e) { return tcc_kernel_size(w->k, e); }

static const TccExpr *product(TccIr *ir, MlirType type, int from, int to) {
  const TccExpr *p = tcc_expr_const(ir->exprs, 1);
  for (int a = from; a < to; a++) p = tcc_expr_mul(ir->exprs, p, tcc_type_dim(ir, type, a));
  return p;
}

/* Operands of these kernels are arguments or constants. */
static TccStatus *operand_pointer(Walk *w, MlirValue value, TccVal *out) {
  if (!mlirValueIsAOpResult(value)) {
    *out = argument(w, (int)mlirBlockArgumentGetArgNumber(value));
    return NULL;
  }
  size_t count;
  const void *data = tcc_value_kind(w->ir, value) == TCC_OP_CONSTANT ? tcc_constant_data(w->ir, value, &count) : NULL;
  *out = 0;
  if (!data) return TCC_ERROR(TCC_UNSUPPORTED, "an operand that is computed inside the kernel");
  *out = tcc_emit_data(w->k->e, data, tcc_elem_bytes(tcc_type_elem(tcc_value_type(value)), count));
  return NULL;
}

/* A piece of a line: `lanes` elements at index `at` of it, with a mask or (0) all of them. */
typedef void Piece(Walk *w, const void *context, TccVal at, TccVal mask);

/* A line of `count` elements, UNROLLED vectors at a time; what is left under masks, which take longer than what they guard: a masked store is a chain of branches without
 * AVX-512. */
static void each_piece(Walk *w, TccVal count, Piece *piece, const void *context) {
  enum { UNROLLED = 4 };
  TccEmit *e = w->k->e;
  TccVal zero = tcc_emit_i64(e, 0), step = tcc_emit_i64(e, (int64_t)UNROLLED * w->lanes);
  TccVal whole = tcc_emit_sub(e, count, tcc_emit_rem(e, count, step));
  TccLoop full, rest;
  int64_t known, n = -1;
  if (!tcc_emit_known(e, whole, &known) || known) {
    tcc_emit_for(e, &full, zero, whole, UNROLLED * w->lanes, 0, NULL, NULL);
    for (int i = 0; i < UNROLLED; i++) piece(w, context, tcc_emit_add(e, full.iv, tcc_emit_i64(e, (int64_t)i * w->lanes)), 0);
    tcc_emit_end_for(e, &full, NULL);
  }
  if (tcc_emit_known(e, count, &n) && n == known) return;
  if (n >= 0) { /* so many vectors, of which the last has some lanes */
    for (int64_t at = known; at < n; at += w->lanes)
      piece(w, context, tcc_emit_i64(e, at), n - at < w->lanes ? tcc_emit_mask(e, tcc_emit_i64(e, n - at), w->lanes) : 0);
    return;
  }
  tcc_emit_for(e, &rest, whole, count, w->lanes, 0, NULL, NULL);
  piece(w, context, rest.iv, tcc_emit_mask(e, tcc_emit_sub(e, count, rest.iv), w->lanes));
  tcc_emit_end_for(e, &rest, NULL);
}

typedef struct {
  TccElem elem;
  TccStr reduction;
  TccVal from, to;
} Move;

/* to[at, at + lanes) = from[at, at + lanes), or combined with what is there. */
static void move_lanes(Walk *w, const Move *m, int lanes, TccVal at, TccVal mask) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(m->elem), *type = tcc_emit_vector(e, memory, lanes);
  TccElem wide = tcc_elem_accumulator(m->elem);
  TccVal to = tcc_emit_gep(e, memory, m->to, at), v = tcc_emit_masked_load(e, type, tcc_emit_gep(e, memory, m->from, at), mask);
  if (!tcc_str_is(m->reduction, "none")) {
    TccVal a = tcc_scalar_from_memory(e, m->elem, lanes, tcc_emit_masked_load(e, type, to, mask));
    a = tcc_scalar_convert(e, m->elem, wide, lanes, a);
    v = tcc_scalar_convert(e, m->elem, wide, lanes, tcc_scalar_from_memory(e, m->elem, lanes, v));
    v = tcc_scalar_convert(e, wide, m->elem, lanes, tcc_scalar_combine(e, m->reduction, wide, lanes, a, v));
    v = tcc_scalar_to_memory(e, m->elem, lanes, v);
  }
  tcc_emit_masked_store(e, type, v, to, mask);
}

static void move_piece(Walk *w, const void *context, TccVal at, TccVal mask) { move_lanes(w, context, w->lanes, at, mask); }

/* Indices of an update, and whether all of them are inside. */
typedef struct {
  int n;
  TccVal raw[TCC_MAX_RANK], index[TCC_MAX_RANK], size[TCC_MAX_RANK], ok;
} Place;

/* The index at p as i64, negative ones from the end where they are valid. */
static TccVal read_index(Walk *w, MlirOperation op, Place *place, TccElem elem, TccVal p, TccVal at, TccVal size) {
  TccEmit *e = w->k->e;
  const char *type = tcc_scalar_memory_type(elem);
  TccVal raw = tcc_scalar_convert(e, elem, TCC_ELEM_I64, 1, tcc_emit_load(e, type, tcc_emit_gep(e, type, p, at)));
  TccVal zero = tcc_emit_i64(e, 0), index = raw;
  if (tcc_valid(w->ir, op) != TCC_VALID_UNSIGNED)
    index = tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "slt", "i64", raw, zero), tcc_emit_add(e, raw, size), raw);
  TccVal inside = tcc_emit_icmp(e, "ult", "i64", index, size); /* as unsigned, a negative one is large */
  place->ok = place->n ? tcc_emit_bin(e, "and", "i1", place->ok, inside) : inside;
  place->raw[place->n] = raw, place->index[place->n] = index, place->size[place->n++] = size;
  return index;
}

/* Reports those of a place that are outside, where the op says which are valid. */
static void report(Walk *w, MlirOperation op, const Place *place) {
  TccEmit *e = w->k->e;
  int check = tcc_index_check_of(w->ir, op);
  for (int i = 0; i < place->n && check >= 0; i++) {
    TccIf branch;
    if (place->n > 1) tcc_emit_if(e, &branch, tcc_emit_icmp(e, "uge", "i64", place->index[i], place->size[i]), 0, NULL);
    tcc_kernel_fault(w->k, check + i, place->raw[i]);
    if (place->n > 1) tcc_emit_end_if(e, &branch, NULL);
  }
}

typedef struct {
  MlirOperation op;
  TccElem elem;
  TccStr reduction;
  MlirType type, index_type;
  TccVal from, where, values, to; /* the operand, indices, updates, the result */
  const void *filled;             /* the element that all of the operand are; then there is no `from` */
} Scatter;

typedef struct {
  const char *memory, *type;
  TccVal value, to;
} Fill;

static void fill_piece(Walk *w, const void *context, TccVal at, TccVal mask) {
  const Fill *f = context;
  tcc_emit_masked_store(w->k->e, f->type, f->value, tcc_emit_gep(w->k->e, f->memory, f->to, at), mask);
}

/* to[0, count) = the element that all are. */
static void fill(Walk *w, const Scatter *s, TccVal to, TccVal count) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(s->elem), *type = tcc_emit_vector(e, memory, w->lanes);
  TccVal v = tcc_emit_splat(e, type, tcc_emit_load(e, memory, tcc_emit_data(e, s->filled, tcc_elem_bytes(s->elem, 1))));
  const Fill f = {memory, type, v, to};
  each_piece(w, count, fill_piece, &f);
}

/* The result's elements [offset, offset + count) as the operand has them. */
static void take_over(Walk *w, const Scatter *s, TccVal offset, TccVal count) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(s->elem);
  TccVal to = tcc_emit_gep(e, memory, s->to, offset);
  const Move copy = {s->elem, tcc_str("none"), s->filled ? 0 : tcc_emit_gep(e, memory, s->from, offset), to};
  if (s->filled) fill(w, s, to, count);
  else each_piece(w, count, move_piece, &copy);
}

/* What take_over does is not needed where the result lies in the operand's place. */
static void begin_apart(Walk *w, const Scatter *s, TccIf *apart) {
  if (!s->filled) tcc_emit_if(w->k->e, apart, tcc_emit_icmp(w->k->e, "ne", TCC_PTR, s->from, s->to), 0, NULL);
}

static void end_apart(Walk *w, const Scatter *s, TccIf *apart) {
  if (!s->filled) tcc_emit_end_if(w->k->e, apart, NULL);
}

/* Where all indices of `at` are inside, count updates, at most as many as `most` (0: any number), from `from` on go to the result from `offset` on; else it is
 * reported. */
static void put(Walk *w, const Scatter *s, const Place *at, TccVal from, TccVal offset, TccVal count, int most) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(s->elem);
  TccIf outside;
  tcc_emit_if_rare(e, &outside, tcc_emit_bin(e, "xor", "i1", at->ok, tcc_emit_int(e, "i1", 1)), 0, NULL);
  report(w, s->op, at);
  tcc_emit_else(e, &outside, NULL);
  const Move m = {s->elem, s->reduction, tcc_emit_gep(e, memory, s->values, from), tcc_emit_gep(e, memory, s->to, offset)};
  if (most == 1) move_lanes(w, &m, 1, tcc_emit_i64(e, 0), 0);
  else if (most == w->lanes) move_lanes(w, &m, most, tcc_emit_i64(e, 0), tcc_emit_mask(e, count, most));
  else each_piece(w, count, move_piece, &m);
  tcc_emit_end_if(e, &outside, NULL);
}

enum { PIECE = 128, MOST_PIECES = 32 };

/* Elements of a tile of so many behind the indexed axes. */
static int64_t piece_of(const TccExpr *tail, int lanes) {
  int64_t n;
  if (!tcc_expr_is_const(tail, &n) || n < 2 * PIECE) return 0;
  const int64_t pieces = n / PIECE < MOST_PIECES ? n / PIECE : MOST_PIECES;
  return tcc_round_up(tcc_ceil_div(n, pieces), lanes);
}

/* Elements [first, first + width) of all `rows` as the operand has them: one run where that is all of them. */
static void take_over_rows(Walk *w, const Scatter *s, TccVal rows, TccVal tail, TccVal first, TccVal width) {
  TccEmit *e = w->k->e;
  TccVal all = tcc_emit_icmp(e, "eq", "i64", width, tail), zero = tcc_emit_i64(e, 0), one = tcc_emit_i64(e, 1);
  TccVal run = tcc_emit_select1(e, "i64", all, tcc_emit_mul(e, rows, tail), width);
  TccLoop row;
  tcc_emit_for(e, &row, zero, tcc_emit_select1(e, "i64", all, one, rows), 1, 0, NULL, NULL);
  take_over(w, s, tcc_emit_add(e, tcc_emit_mul(e, row.iv, tail), first), run);
  tcc_emit_end_for(e, &row, NULL);
}

/* Tile t: elements [t, t + 1) * piece of all that lies behind the indexed axes. Tiles beside each other are walked together: a thread that has all of them walks whole
 * rows, which lie one behind the other. */
static TccStatus *emit_scatter_nd(Walk *w, const Scatter *s, const TccKernelEntry *entry, const TccExpr **out_tiles) {
  TccEmit *e = w->k->e;
  TccIr *ir = w->ir;
  int rank = tcc_type_rank(s->type), index_rank = tcc_type_rank(s->index_type);
  int64_t depth;
  if (!tcc_expr_is_const(tcc_type_dim(ir, s->index_type, index_rank - 1), &depth))
    return TCC_ERROR(TCC_UNSUPPORTED, "scatter_nd with a dynamic depth of its indices");
  const TccExpr *behind = product(ir, s->type, (int)depth, rank);
  const int64_t piece = piece_of(behind, w->lanes);
  TccVal zero = tcc_emit_i64(e, 0), count = size_of(w, product(ir, s->index_type, 0, index_rank - 1)), tail = size_of(w, behind);
  TccVal rows = size_of(w, product(ir, s->type, 0, (int)depth)), first = zero, width = tail, offset = zero;
  TccLoop loop;
  TccIf apart;
  if (piece) {
    *out_tiles = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, behind, tcc_expr_const(ir->exprs, piece));
    first = tcc_emit_mul(e, entry->begin, tcc_emit_i64(e, piece));
    width =
        tcc_emit_max(e, zero, tcc_emit_sub(e, tcc_emit_min(e, tail, tcc_emit_mul(e, entry->end, tcc_emit_i64(e, piece))), first));
  }
  begin_apart(w, s, &apart);
  take_over_rows(w, s, rows, tail, first, width);
  end_apart(w, s, &apart);
  Place at = {0};
  tcc_emit_for(e, &loop, zero, count, 1, 0, NULL, NULL);
  for (int d = 0; d < (int)depth; d++) {
    TccVal size = size_of(w, tcc_type_dim(ir, s->type, d));
    TccVal from = tcc_emit_add(e, tcc_emit_mul(e, loop.iv, tcc_emit_i64(e, depth)), tcc_emit_i64(e, d));
    TccVal index = read_index(w, s->op, &at, tcc_type_elem(s->index_type), s->where, from, size);
    offset = tcc_emit_add(e, tcc_emit_mul(e, offset, size), index);
  }
  if (!at.n) at.ok = tcc_emit_int(e, "i1", 1);
  put(w, s, &at, tcc_emit_add(e, tcc_emit_mul(e, loop.iv, tail), first), tcc_emit_add(e, tcc_emit_mul(e, offset, tail), first),
      width, behind == tcc_expr_const(ir->exprs, 1) ? 1 : 0);
  tcc_emit_end_for(e, &loop, NULL);
  return NULL;
}

/* count updates (at most `most`) from number `from` on, which are neighbours in the result and have one index. place: in the result, but along the axis. */
static void put_neighbours(Walk *w, const Scatter *s, TccVal *place, TccVal from, TccVal count, int most) {
  TccEmit *e = w->k->e;
  int axis = (int)tcc_i64(w->ir, s->op, "axis");
  TccVal offset = tcc_emit_i64(e, 0);
  Place at = {0};
  place[axis] =
      read_index(w, s->op, &at, tcc_type_elem(s->index_type), s->where, from, size_of(w, tcc_type_dim(w->ir, s->type, axis)));
  for (int a = 0; a < tcc_type_rank(s->type); a++)
    offset = tcc_emit_add(e, tcc_emit_mul(e, offset, size_of(w, tcc_type_dim(w->ir, s->type, a))), place[a]);
  put(w, s, &at, from, offset, count, most);
}

/* One i1: whether `lanes` indices from p on, of which `mask` counts, are not all as the first. */
static TccVal differ(Walk *w, TccElem elem, TccVal p, TccVal mask) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(e, memory, w->lanes),
             *flags = tcc_emit_vector(e, "i1", w->lanes);
  TccVal all = tcc_emit_masked_load(e, type, p, mask), first = tcc_emit_splat(e, type, tcc_emit_load(e, memory, p));
  return tcc_emit_any_lane(e, w->lanes, tcc_emit_bin(e, "and", flags, tcc_emit_icmp(e, "ne", type, all, first), mask));
}

/* The places along axes [first, end) of a number of all of them. */
static void read_places(Walk *w, MlirType type, TccVal number, int first, int end, TccVal *place) {
  TccEmit *e = w->k->e;
  for (int a = end; a-- > first;) {
    TccVal size = size_of(w, tcc_type_dim(w->ir, type, a));
    place[a] = a > first ? tcc_emit_rem(e, number, size) : number;
    if (a > first) number = tcc_emit_div(e, number, size);
  }
}

/* Updates of a row along the last axis, of which `before` stand in front. Behind the indexed axis indices are often the same for neighbours, as
 * those of a cache's row are: a block of them moves at once. */
static void emit_update_row(Walk *w, const Scatter *s, TccVal before, TccVal width, TccVal *place) {
  TccEmit *e = w->k->e;
  const int last = tcc_type_rank(s->index_type) - 1;
  TccElem elem = tcc_type_elem(s->index_type);
  TccVal zero = tcc_emit_i64(e, 0), one = tcc_emit_i64(e, 1);
  const bool blocks = tcc_i64(w->ir, s->op, "axis") < last;
  TccLoop block, lane;
  TccIf apart;
  tcc_emit_for(e, &block, zero, width, blocks ? w->lanes : 1, 0, NULL, NULL);
  TccVal from = tcc_emit_add(e, before, block.iv), count = one;
  if (last >= 0) place[last] = block.iv;
  if (blocks) {
    count = tcc_emit_min(e, tcc_emit_sub(e, width, block.iv), tcc_emit_i64(e, w->lanes));
    TccVal p = tcc_emit_gep(e, tcc_scalar_memory_type(elem), s->where, from);
    tcc_emit_if(e, &apart, differ(w, elem, p, tcc_emit_mask(e, count, w->lanes)), 0, NULL);
    tcc_emit_for(e, &lane, zero, count, 1, 0, NULL, NULL);
    place[last] = tcc_emit_add(e, block.iv, lane.iv);
    put_neighbours(w, s, place, tcc_emit_add(e, from, lane.iv), one, 1);
    tcc_emit_end_for(e, &lane, NULL);
    tcc_emit_else(e, &apart, NULL);
    place[last] = block.iv;
  }
  put_neighbours(w, s, place, from, count, blocks ? w->lanes : 1);
  if (blocks) tcc_emit_end_if(e, &apart, NULL);
  tcc_emit_end_for(e, &block, NULL);
}

/* Tile t: place t of all along the axes before the indexed one. There may be fewer updates than places along each of them. */
static void emit_scatter_elements(Walk *w, const Scatter *s, const TccKernelEntry *entry, const TccExpr **out_tiles) {
  TccEmit *e = w->k->e;
  TccIr *ir = w->ir;
  const int rank = tcc_type_rank(s->index_type), last = rank - 1, axis = rank ? (int)tcc_i64(ir, s->op, "axis") : 0;
  TccVal zero = tcc_emit_i64(e, 0), place[TCC_MAX_RANK] = {0}, has_updates = tcc_emit_int(e, "i1", 1), number = zero;
  TccVal width = last < 0 ? tcc_emit_i64(e, 1) : size_of(w, tcc_type_dim(ir, s->index_type, last)),
         size = size_of(w, product(ir, s->type, axis, rank));
  TccLoop tile, row;
  TccIf apart, some;
  *out_tiles = product(ir, s->type, 0, axis);
  tcc_emit_for(e, &tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  begin_apart(w, s, &apart);
  take_over(w, s, tcc_emit_mul(e, tile.iv, size), size);
  end_apart(w, s, &apart);
  read_places(w, s->type, tile.iv, 0, axis, place);
  for (int a = 0; a < axis; a++) {
    TccVal updates = size_of(w, tcc_type_dim(ir, s->index_type, a));
    has_updates = tcc_emit_bin(e, "and", "i1", has_updates, tcc_emit_icmp(e, "slt", "i64", place[a], updates));
    number = tcc_emit_add(e, tcc_emit_mul(e, number, updates), place[a]);
  }
  TccVal rows = size_of(w, product(ir, s->index_type, axis, last < axis ? axis : last));
  tcc_emit_if(e, &some, has_updates, 0, NULL);
  tcc_emit_for(e, &row, zero, rows, 1, 0, NULL, NULL);
  read_places(w, s->index_type, row.iv, axis, last, place);
  emit_update_row(w, s, tcc_emit_mul(e, tcc_emit_add(e, tcc_emit_mul(e, number, rows), row.iv), width), width, place);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_if(e, &some, NULL);
  tcc_emit_end_for(e, &tile, NULL);
}

static TccStatus *emit_scatter(Walk *w, MlirOperation op, TccOpKind kind, int result, const TccKernelEntry *entry,
                               const TccExpr **out_tiles) {
  MlirValue x = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
  Scatter s = {.op = op, .type = tcc_value_type(x), .index_type = tcc_value_type(indices)};
  s.elem = tcc_type_elem(s.type), s.reduction = tcc_string(w->ir, op, "reduction"), s.to = argument(w, result);
  if (!tcc_elem_computes(s.elem) || tcc_elem_bits(s.elem) < 8)
    return TCC_ERROR(TCC_UNSUPPORTED, "element type %s does not compute", tcc_elem_name(s.elem));
  s.filled = tcc_constant_splat(w->ir, x);
  if (!s.filled) TCC_TRY(operand_pointer(w, x, &s.from));
  TCC_TRY(operand_pointer(w, indices, &s.where));
  TCC_TRY(operand_pointer(w, mlirOperationGetOperand(op, 2), &s.values));
  if (kind == TCC_OP_SCATTER_ND) return emit_scatter_nd(w, &s, entry, out_tiles);
  emit_scatter_elements(w, &s, entry, out_tiles);
  return NULL;
}

/* Lines side by side in a tile: as many bytes of each place as are two lines of the cache, so that none is read in parts, far apart in time. */
static int lines_of_tile(const Walk *w, const TccExpr *inner, TccElem elem, TccElem wide) {
  enum { BYTES = 128, SUMS = 4 /* vectors, of f64 twice as many */ };
  int most = BYTES * 8 / (int)tcc_elem_bits(elem), sums = wide == TCC_ELEM_F64 ? 2 * SUMS : SUMS,
      held = sums * w->lanes * 32 / (int)tcc_elem_bits(wide);
  if (inner == tcc_expr_const(w->ir->exprs, 1)) return 1;
  const int64_t width = tcc_ir_likely(w->ir, inner);
  int lanes = w->lanes;
  while (2 * lanes <= most && 2 * lanes <= held && 2 * lanes <= width) lanes *= 2;
  return lanes;
}

/* What a scan adds or multiplies in: one chain of f32 would be off by as many roundings as the line is long, in f64 by the last one alone. The chain
 * takes as long either way. */
static TccElem scanned_in(TccElem elem, TccStr kind) {
  bool rounds = tcc_str_is(kind, "sum") || tcc_str_is(kind, "prod");
  return elem == TCC_ELEM_F32 && rounds ? TCC_ELEM_F64 : tcc_elem_accumulator(elem);
}

typedef struct {
  TccElem elem, wide; /* of x; what is carried along a line */
  TccStr kind;
  bool exclusive, reverse;
  int lanes;
  TccVal from, to, length, width; /* x, the result; places of a line, and how far apart they are */
} Scan;

/* `lanes` neighbouring lines, of which the first begins at element base; mask: the lines that there are, or 0. */
static void scan_lines(Walk *w, const Scan *s, TccVal base, TccVal mask) {
  TccEmit *e = w->k->e;
  const int lanes = s->lanes;
  const char *memory = tcc_scalar_memory_type(s->elem), *vector = tcc_emit_vector(e, memory, lanes),
             *acc_type = tcc_emit_vector(e, tcc_scalar_type(s->wide), lanes);
  TccVal init = tcc_scalar_neutral(e, s->kind, s->wide, lanes), zero = tcc_emit_i64(e, 0);
  TccLoop loop;
  tcc_emit_for(e, &loop, zero, s->length, 1, 1, &init, &acc_type);
  TccVal place = s->reverse ? tcc_emit_sub(e, tcc_emit_sub(e, s->length, tcc_emit_i64(e, 1)), loop.iv) : loop.iv;
  TccVal at = tcc_emit_add(e, base, tcc_emit_mul(e, place, s->width));
  TccVal v = tcc_emit_masked_load(e, vector, tcc_emit_gep(e, memory, s->from, at), mask);
  v = tcc_scalar_convert(e, s->elem, s->wide, lanes, tcc_scalar_from_memory(e, s->elem, lanes, v));
  TccVal next = tcc_scalar_combine(e, s->kind, s->wide, lanes, loop.in[0], v), result = s->exclusive ? loop.in[0] : next;
  result = tcc_scalar_to_memory(e, s->elem, lanes, tcc_scalar_convert(e, s->wide, s->elem, lanes, result));
  tcc_emit_masked_store(e, vector, result, tcc_emit_gep(e, memory, s->to, at), mask);
  tcc_emit_end_for(e, &loop, &next);
}

enum { CHAINS = 4 /* a step of each takes as long as an addition, and as many instructions as a machine begins meanwhile */ };

/* n lines along the last axis, one behind the other, of which the first begins at element base. */
static void scan_chains(Walk *w, const Scan *s, TccVal base, int n) {
  TccEmit *e = w->k->e;
  const char *memory = tcc_scalar_memory_type(s->elem), *types[CHAINS];
  TccVal init[CHAINS], next[CHAINS], result[CHAINS], line[CHAINS];
  TccLoop loop;
  for (int i = 0; i < n; i++) {
    init[i] = tcc_scalar_neutral(e, s->kind, s->wide, 1), types[i] = tcc_scalar_type(s->wide);
    line[i] = i ? tcc_emit_add(e, line[i - 1], s->length) : base;
  }
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), s->length, 1, n, init, types);
  TccVal place = s->reverse ? tcc_emit_sub(e, tcc_emit_sub(e, s->length, tcc_emit_i64(e, 1)), loop.iv) : loop.iv;
  for (int i = 0; i < n; i++) { /* all are read before one is written */
    TccVal v = tcc_emit_load(e, memory, tcc_emit_gep(e, memory, s->from, tcc_emit_add(e, line[i], place)));
    v = tcc_scalar_convert(e, s->elem, s->wide, 1, tcc_scalar_from_memory(e, s->elem, 1, v));
    next[i] = tcc_scalar_combine(e, s->kind, s->wide, 1, loop.in[i], v);
    result[i] = tcc_scalar_convert(e, s->wide, s->elem, 1, s->exclusive ? loop.in[i] : next[i]);
  }
  for (int i = 0; i < n; i++)
    tcc_emit_store(e, memory, tcc_scalar_to_memory(e, s->elem, 1, result[i]),
                   tcc_emit_gep(e, memory, s->to, tcc_emit_add(e, line[i], place)));
  tcc_emit_end_for(e, &loop, next);
}

/* Tile t: CHAINS lines; the last one may have fewer, which go one after the other. */
static void scan_along(Walk *w, const Scan *s, const TccKernelEntry *entry, const TccExpr *lines, const TccExpr **out_tiles) {
  TccEmit *e = w->k->e;
  TccVal zero = tcc_emit_i64(e, 0), chains = tcc_emit_i64(e, CHAINS), count = size_of(w, lines);
  TccLoop tile, line;
  TccIf all;
  *out_tiles = tcc_expr_call(w->ir->exprs, TCC_EXPR_CEILDIV, lines, tcc_expr_const(w->ir->exprs, CHAINS));
  tcc_emit_for(e, &tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  TccVal first = tcc_emit_mul(e, tile.iv, chains), left = tcc_emit_sub(e, count, first);
  tcc_emit_if(e, &all, tcc_emit_icmp(e, "sge", "i64", left, chains), 0, NULL);
  scan_chains(w, s, tcc_emit_mul(e, first, s->length), CHAINS);
  tcc_emit_else(e, &all, NULL);
  tcc_emit_for(e, &line, zero, left, 1, 0, NULL, NULL);
  scan_chains(w, s, tcc_emit_mul(e, tcc_emit_add(e, first, line.iv), s->length), 1);
  tcc_emit_end_for(e, &line, NULL);
  tcc_emit_end_if(e, &all, NULL);
  tcc_emit_end_for(e, &tile, NULL);
}

/* Tile t: a block of `lanes` neighbouring lines (inner > 1), else see scan_along. A block that has all of its lines is walked without a mask, which takes a third of
 * the instructions that a place has. */
static TccStatus *emit_scan(Walk *w, MlirOperation op, int result, const TccKernelEntry *entry, const TccExpr **out_tiles) {
  TccEmit *e = w->k->e;
  TccIr *ir = w->ir;
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = tcc_value_type(x);
  int axis = (int)tcc_i64(ir, op, "axis"), rank = tcc_type_rank(type);
  Scan s = {.elem = tcc_type_elem(type), .kind = tcc_string(ir, op, "kind")};
  s.wide = scanned_in(s.elem, s.kind), s.exclusive = tcc_bool(ir, op, "exclusive"), s.reverse = tcc_bool(ir, op, "reverse");
  if (!tcc_elem_computes(s.elem) || tcc_elem_bits(s.elem) < 8)
    return TCC_ERROR(TCC_UNSUPPORTED, "element type %s does not compute", tcc_elem_name(s.elem));
  const TccExpr *outer = product(ir, type, 0, axis), *inner = product(ir, type, axis + 1, rank);
  s.lanes = lines_of_tile(w, inner, s.elem, s.wide);
  const TccExpr *blocks = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, inner, tcc_expr_const(ir->exprs, s.lanes));
  *out_tiles = tcc_expr_mul(ir->exprs, outer, blocks);
  s.to = argument(w, result), s.width = size_of(w, inner), s.length = size_of(w, tcc_type_dim(ir, type, axis));
  TCC_TRY(operand_pointer(w, x, &s.from));
  if (inner == tcc_expr_const(ir->exprs, 1)) {
    scan_along(w, &s, entry, outer, out_tiles);
    return NULL;
  }
  TccLoop tile;
  TccIf all;
  tcc_emit_for(e, &tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  TccVal nblocks = size_of(w, blocks), line = tcc_emit_div(e, tile.iv, nblocks), lanes = tcc_emit_i64(e, s.lanes);
  TccVal column = tcc_emit_mul(e, tcc_emit_rem(e, tile.iv, nblocks), lanes), left = tcc_emit_sub(e, s.width, column);
  TccVal base = tcc_emit_add(e, tcc_emit_mul(e, tcc_emit_mul(e, line, s.length), s.width), column);
  if (tcc_expr_multiple_of(inner) % s.lanes == 0) {
    scan_lines(w, &s, base, 0);
  } else {
    tcc_emit_if(e, &all, tcc_emit_icmp(e, "sge", "i64", left, lanes), 0, NULL);
    scan_lines(w, &s, base, 0);
    tcc_emit_else(e, &all, NULL);
    scan_lines(w, &s, base, tcc_emit_mask(e, left, s.lanes));
    tcc_emit_end_if(e, &all, NULL);
  }
  tcc_emit_end_for(e, &tile, NULL);
  return NULL;
}

static TccStatus *emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, bool scan, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationGetNumOperands(end) != 1)
    return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", (int)mlirOperationGetNumOperands(end));
  MlirOperation op = tcc_value_op(mlirOperationGetOperand(end, 0));
  TccOpKind kind = mlirOperationIsNull(op) ? TCC_OP_UNKNOWN : tcc_op_kind(ir, op);
  bool is_scatter = kind == TCC_OP_SCATTER_ND || kind == TCC_OP_SCATTER_ELEMENTS;
  if (scan ? kind != TCC_OP_CUMULATIVE : !is_scatter)
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' at the end of the kernel", tcc_op_name(kind));
  TccEmit e;
  TccKernelEmit k;
  TccKernelEntry entry;
  tcc_kernel_init(&k, &e, ir, target, kernel);
  tcc_kernel_entry(&k, &entry);
  Walk w = {&k, ir, target->machine.isa & TCC_ISA_AVX512 ? 16 : 8};
  const TccExpr *tiles = tcc_expr_const(ir->exprs, 1);
  int result = (int)mlirBlockGetNumArguments(block);
  TccStatus *status = scan ? emit_scan(&w, op, result, &entry, &tiles) : emit_scatter(&w, op, kind, result, &entry, &tiles);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_emit_return(&e, 0, NULL);
  tiles = tcc_kernel_slot(&k, tiles);
  tcc_kernel_finish(&k, scan ? "x86.scan" : "x86.scatter", "", tiles, tcc_expr_const(ir->exprs, 0), out);
  return NULL;
}

TccStatus *tcc_scatter_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  return emit(target, ir, kernel, false, out);
}
TccStatus *tcc_scan_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  return emit(target, ir, kernel, true, out);
}
