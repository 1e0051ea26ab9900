/* conv_depthwise.c - depthwise convolution, vectorised along the innermost output axis.
 *
 * A tile is one output channel of one image. Its input plane is copied into scratch with the padding around it, so that the
 * inner loop has no mask: each position of the window is one multiply-add with a vector from memory (stride 2: the even
 * elements of two vectors). Rows of the result lie side by side in scratch until the epilogue takes the plane away. Weights of a large window are
 * read again for each of its rows, for some vectors side by side. */
#include "lib/targets/x86/conv/conv_depthwise.h"
#include "lib/codegen/emit/scalar.h"

enum { MAX_TAPS = 49 /* of a small window */, MAX_COLUMNS = 64, MAX_VECTORS = 4 };

static int64_t taps_of(const TccConv *v) {
  int64_t taps = 1;
  for (int i = 0; i < v->rank; i++) taps *= v->kernel[i];
  return taps;
}

bool tcc_conv_is_depthwise(const TccConv *v) {
  return !v->transposed && v->groups > 1 && v->in_channels == 1 &&
         (taps_of(v) <= MAX_TAPS || v->kernel[v->rank - 1] <= MAX_COLUMNS);
}

typedef struct {
  TccKernelEmit *k;
  const TccContraction *c;
  const TccMicroType *type;
  const TccConv *v;
  int vectors;                         /* side by side, of a large window; 0: it is small */
  const TccExpr *padded[TCC_MAX_RANK]; /* sizes of the padded plane */
  const TccExpr *plane, *result;       /* elements of both, with the slack of the last vector */
} Depthwise;

static void read_sizes(Depthwise *d, TccIr *ir) {
  TccExprPool *pool = ir->exprs;
  const TccConv *v = d->v;
  int64_t width, lanes = d->type->lanes;
  if (taps_of(v) > MAX_TAPS) {
    d->vectors = MAX_VECTORS;
    if (tcc_expr_is_const(v->out[v->rank - 1], &width))
      while (d->vectors > 1 && (d->vectors - 1) * lanes >= width) d->vectors--;
    lanes *= d->vectors;
  }
  d->plane = d->result = tcc_expr_const(pool, 1);
  for (int i = 0; i < v->rank; i++) {
    d->padded[i] = tcc_expr_add(pool, v->in[i], tcc_expr_const(pool, v->pad[i] + v->pad_end[i]));
    d->plane = tcc_expr_mul(pool, d->plane, d->padded[i]);
    d->result = tcc_expr_mul(pool, d->result, v->out[i]);
  }
  d->plane = tcc_expr_add(pool, d->plane, tcc_expr_const(pool, lanes * (v->stride[v->rank - 1] + 1)));
  d->result = tcc_expr_add(pool, d->result, tcc_expr_const(pool, lanes));
}

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64"};
static const char *const window_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR};

/* pad_plane(dst, arguments, sizes, image * groups + group) */
static void emit_copy(const Depthwise *d) {
  TccKernelEmit *k = d->k;
  TccEmit *e = k->e;
  TccConv even = *d->v;
  int inner = even.rank - 1, lanes = d->type->lanes;
  even.stride[inner] = 1;
  TccElem elem = even.x.elem;
  if (!tcc_window_contiguous(&even) && tcc_elem_bits(elem) < 32) lanes = 1;
  const char *memory = tcc_scalar_memory_type(elem), *packed = d->type->packed;
  TccVal arg[4], zero;
  tcc_emit_function(e, "pad_plane", true, 4, copy_types, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  zero = tcc_emit_i64(e, 0);
  TccVal groups = tcc_emit_i64(e, even.groups);
  TccVal offset = tcc_emit_mul(e, tcc_emit_div(e, arg[3], groups), tcc_kernel_size(k, even.image_stride));
  offset = tcc_emit_add(e, offset, tcc_emit_mul(e, tcc_emit_rem(e, arg[3], groups), tcc_kernel_size(k, even.channel_stride)));
  TccVal base = tcc_emit_gep(e, memory, tcc_view_pointer(k, &even.x), offset), rows = tcc_emit_i64(e, 1);
  for (int i = 0; i < inner; i++) rows = tcc_emit_mul(e, rows, tcc_kernel_size(k, d->padded[i]));
  TccVal width = tcc_kernel_size(k, d->padded[inner]), on = lanes > 1 ? tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1) : 0;
  TccLoop row, x;
  tcc_emit_for(e, &row, zero, rows, 1, 0, NULL, NULL);
  TccVal rest = row.iv, from = zero, inside = 0;
  for (int i = inner; i-- > 0;) {
    TccVal size = tcc_kernel_size(k, d->padded[i]);
    TccVal at = tcc_emit_sub(e, i ? tcc_emit_rem(e, rest, size) : rest, tcc_emit_i64(e, even.pad[i]));
    if (i) rest = tcc_emit_div(e, rest, size);
    TccVal ok = tcc_emit_icmp(e, "ult", "i64", at, tcc_kernel_size(k, even.in[i]));
    inside = inside ? tcc_emit_bin(e, "and", "i1", inside, ok) : ok;
    from = tcc_emit_add(e, from, tcc_emit_mul(e, at, tcc_kernel_size(k, even.step[i])));
  }
  TccVal limit = tcc_kernel_size(k, even.in[inner]);
  if (inside) limit = tcc_emit_select1(e, "i64", inside, limit, zero);
  TccVal source = tcc_emit_gep(e, memory, base, from), to = tcc_emit_gep(e, packed, arg[0], tcc_emit_mul(e, row.iv, width));
  tcc_emit_for(e, &x, zero, width, lanes, 0, NULL, NULL);
  TccVal at, mask, first = tcc_emit_sub(e, x.iv, tcc_emit_i64(e, even.pad[inner]));
  TccVal value = tcc_window_load(k, &even, lanes, source, first, limit, on, &at, &mask);
  value = tcc_scalar_convert(e, elem, d->type->acc_elem, lanes, value);
  tcc_emit_store(e, tcc_emit_vector(e, packed, lanes), value,
                 tcc_emit_gep(e, packed, to, x.iv)); /* the next row mends what runs over */
  tcc_emit_end_for(e, &x, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* `lanes` elements at p, p + stride, ...: without a mask, the plane has slack. */
static TccVal load_strided(const Depthwise *d, TccVal p, int64_t stride) {
  TccEmit *e = d->k->e;
  int lanes = d->type->lanes;
  const char *elem = d->type->packed, *type = tcc_emit_vector(e, elem, lanes);
  if (stride == 1) return tcc_emit_load(e, type, p);
  if (stride != 2) return tcc_emit_load_steps(e, type, p, tcc_emit_i64(e, stride), 0);
  return tcc_emit_even(e, type, tcc_emit_load(e, type, p), tcc_emit_load(e, type, tcc_emit_at(e, elem, p, lanes)));
}

static TccVal multiply_add(const Depthwise *d, TccVal value, TccVal factor, TccVal acc) {
  TccEmit *e = d->k->e;
  const char *type = tcc_emit_vector(e, d->type->acc, d->type->lanes);
  if (d->type->acc[0] == 'f') return tcc_emit_fma(e, type, value, factor, acc);
  return tcc_emit_bin(e, "add", type, acc, tcc_emit_bin(e, "mul", type, value, factor));
}

/* The weight of a tap, in all lanes. */
static TccVal load_weight(const Depthwise *d, TccVal weights, TccVal tap) {
  TccEmit *e = d->k->e;
  const char *memory = tcc_scalar_memory_type(d->c->a.elem);
  TccVal offset = tcc_span_offset(d->k, &d->c->k, TCC_CONTRACT_A, tap);
  TccVal one = tcc_emit_load(e, memory, tcc_emit_gep(e, memory, weights, offset));
  return tcc_emit_splat(e, tcc_emit_vector(e, d->type->acc, d->type->lanes),
                        tcc_scalar_convert(e, d->c->a.elem, d->type->acc_elem, 1, one));
}

/* The sums of `vectors` vectors side by side, a row of the window after the other. */
static void emit_rows(const Depthwise *d, TccVal plane, TccVal weights, TccVal to, const TccVal *origin, const TccVal *stride) {
  TccEmit *e = d->k->e;
  const TccConv *v = d->v;
  const TccMicroType *t = d->type;
  const int inner = v->rank - 1;
  const char *type = tcc_emit_vector(e, t->acc, t->lanes), *types[MAX_VECTORS];
  TccVal acc[MAX_VECTORS], zero = tcc_emit_i64(e, 0);
  TccLoop x, run;
  tcc_emit_for(e, &x, zero, tcc_kernel_size(d->k, v->out[inner]), (int64_t)d->vectors * t->lanes, 0, NULL, NULL);
  for (int i = 0; i < d->vectors; i++) acc[i] = tcc_emit_zero(e, type), types[i] = type;
  tcc_emit_for(e, &run, zero, tcc_emit_i64(e, taps_of(v) / v->kernel[inner]), 1, d->vectors, acc, types);
  TccVal left = run.iv, offset = tcc_emit_mul(e, x.iv, tcc_emit_i64(e, v->stride[inner]));
  for (int i = inner; i-- > 0;) {
    TccVal size = tcc_emit_i64(e, v->kernel[i]), at = i ? tcc_emit_rem(e, left, size) : left;
    if (i) left = tcc_emit_div(e, left, size);
    at = tcc_emit_add(e, origin[i], tcc_emit_mul(e, at, tcc_emit_i64(e, v->dilation[i])));
    offset = tcc_emit_add(e, offset, tcc_emit_mul(e, at, stride[i]));
  }
  TccVal p = tcc_emit_gep(e, t->packed, plane, offset), first = tcc_emit_mul(e, run.iv, tcc_emit_i64(e, v->kernel[inner]));
  memcpy(acc, run.in, sizeof *acc * (size_t)d->vectors);
  for (int64_t i = 0; i < v->kernel[inner]; i++) {
    TccVal factor = load_weight(d, weights, tcc_emit_add(e, first, tcc_emit_i64(e, i)));
    for (int n = 0; n < d->vectors; n++) {
      int64_t at = i * v->dilation[inner] + (int64_t)n * t->lanes * v->stride[inner];
      acc[n] = multiply_add(d, load_strided(d, tcc_emit_at(e, t->packed, p, at), v->stride[inner]), factor, acc[n]);
    }
  }
  tcc_emit_end_for(e, &run, acc);
  for (int n = 0; n < d->vectors; n++) /* the next rows mend what runs over */
    tcc_emit_store(e, type, run.out[n], tcc_emit_at(e, t->acc, tcc_emit_gep(e, t->acc, to, x.iv), (int64_t)n * t->lanes));
  tcc_emit_end_for(e, &x, NULL);
}

/* window(plane, result, weights, arguments, sizes) */
static void emit_window(const Depthwise *d) {
  TccKernelEmit *k = d->k;
  TccEmit *e = k->e;
  const TccConv *v = d->v;
  const TccMicroType *t = d->type;
  int inner = v->rank - 1;
  const char *type = tcc_emit_vector(e, t->acc, t->lanes);
  TccVal arg[5], w[MAX_TAPS], zero;
  tcc_emit_function(e, "window", true, 5, window_types, NULL, arg);
  k->arguments = arg[3], k->size_pointer = arg[4];
  zero = tcc_emit_i64(e, 0);
  int64_t taps = taps_of(v);
  for (int64_t i = 0; i < taps && !d->vectors; i++) w[i] = load_weight(d, arg[2], tcc_emit_i64(e, i));
  TccVal rows = tcc_emit_i64(e, 1), width = tcc_kernel_size(k, v->out[inner]);
  for (int i = 0; i < inner; i++) rows = tcc_emit_mul(e, rows, tcc_kernel_size(k, v->out[i]));
  TccLoop row, x;
  tcc_emit_for(e, &row, zero, rows, 1, 0, NULL, NULL);
  TccVal rest = row.iv, origin[TCC_MAX_RANK], stride[TCC_MAX_RANK], next = tcc_emit_i64(e, 1);
  for (int i = inner; i >= 0; i--) {
    stride[i] = next;
    next = tcc_emit_mul(e, next, tcc_kernel_size(k, d->padded[i]));
    if (i == inner) continue;
    TccVal size = tcc_kernel_size(k, v->out[i]), at = i ? tcc_emit_rem(e, rest, size) : rest;
    if (i) rest = tcc_emit_div(e, rest, size);
    origin[i] = tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[i]));
  }
  int64_t runs = taps / v->kernel[inner];
  TccVal start[MAX_TAPS], to = tcc_emit_gep(e, t->acc, arg[1], tcc_emit_mul(e, row.iv, width));
  if (d->vectors) {
    emit_rows(d, arg[0], arg[2], to, origin, stride);
    tcc_emit_end_for(e, &row, NULL);
    tcc_emit_return(e, 0, NULL);
    return;
  }
  for (int64_t r = 0; r < runs; r++) { /* the input row of each outer window position */
    int64_t left = r;
    TccVal offset = zero;
    for (int i = inner; i-- > 0;) {
      TccVal at = tcc_emit_add(e, origin[i], tcc_emit_i64(e, left % v->kernel[i] * v->dilation[i]));
      left /= v->kernel[i];
      offset = tcc_emit_add(e, offset, tcc_emit_mul(e, at, stride[i]));
    }
    start[r] = tcc_emit_gep(e, t->packed, arg[0], offset);
  }
  tcc_emit_for(e, &x, zero, width, t->lanes, 0, NULL, NULL);
  TccVal acc = tcc_emit_zero(e, type), step = tcc_emit_mul(e, x.iv, tcc_emit_i64(e, v->stride[inner]));
  for (int64_t r = 0; r < runs; r++) {
    TccVal p = tcc_emit_gep(e, t->packed, start[r], step);
    for (int64_t i = 0; i < v->kernel[inner]; i++) {
      TccVal value = load_strided(d, tcc_emit_at(e, t->packed, p, i * v->dilation[inner]), v->stride[inner]);
      acc = multiply_add(d, value, w[r * v->kernel[inner] + i], acc);
    }
  }
  tcc_emit_store(e, type, acc, tcc_emit_gep(e, t->acc, to, x.iv)); /* the next row mends what runs over */
  tcc_emit_end_for(e, &x, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_conv_depthwise_emit(const TccTargetInfo *target, const TccContraction *c, const TccMicroType *type, const TccConv *v,
                                   TccKernelCode *out) {
  TccIr *ir = c->ir;
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, c->kernel);
  Depthwise d = {.k = &k, .c = c, .type = type, .v = v};
  read_sizes(&d, ir);
  emit_copy(&d);
  emit_window(&d);
  TccEpilogueBlock block = {&c->epilogue, &c->batch, &c->m, &c->n, TCC_CONTRACT_R, type->acc_elem, 0, type->lanes};
  TccStatus *status = tcc_epilogue_emit(&k, "epilogue", &block);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  const char *weight = tcc_scalar_memory_type(c->a.elem);
  TccVal channels = tcc_emit_i64(e, v->out_channels), one = tcc_emit_i64(e, 1);
  TccVal result = tcc_emit_gep(e, type->packed, entry.scratch, tcc_kernel_size(&k, d.plane)), weights = tcc_view_pointer(&k, &c->a);
  TccLoop tile;
  tcc_emit_for(e, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  TccVal image = tcc_emit_div(e, tile.iv, channels), channel = tcc_emit_rem(e, tile.iv, channels);
  TccVal copy[] = {entry.scratch, k.arguments, k.size_pointer, image};
  tcc_emit_call(e, "pad_plane", 4, copy, copy_types, NULL);
  TccVal offset =
      tcc_emit_add(e, tcc_span_offset(&k, &c->batch, TCC_CONTRACT_A, image), tcc_span_offset(&k, &c->m, TCC_CONTRACT_A, channel));
  TccVal window[] = {entry.scratch, result, tcc_emit_gep(e, weight, weights, offset), k.arguments, k.size_pointer};
  tcc_emit_call(e, "window", 5, window, window_types, NULL);
  TccEpilogueCall epilogue = {result, image, channel, tcc_emit_i64(e, 0), one, tcc_kernel_size(&k, c->n.count)};
  tcc_epilogue_call(&k, "epilogue", &epilogue);
  tcc_emit_end_for(e, &tile, NULL);
  tcc_emit_return(e, 0, NULL);

  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles = tcc_expr_mul(pool, tcc_kernel_slot(&k, c->batch.count), tcc_kernel_slot(&k, c->m.count));
  const TccExpr *elements = tcc_expr_add(pool, tcc_kernel_slot(&k, d.plane), tcc_kernel_slot(&k, d.result));
  const TccExpr *scratch = tcc_expr_mul(pool, elements, tcc_expr_const(pool, type->acc_bytes));
  const char *schedule = tcc_arena_printf(ir->arena, "x86.depthwise/1 lanes=%d", type->lanes);
  tcc_kernel_finish(&k, "x86.conv", schedule, tiles, scratch, out);
  return NULL;
}
