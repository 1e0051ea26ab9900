/* conv_patches.c - a panel of the im2col matrix: dst[k][position] for k = (channel, kernel position).
 *
 * Positions go by in runs along the innermost output axis. Within a run and a kernel position the input is a run too (of
 * elements `stride` apart), so a vector is one masked load; padding and the ends of runs are the mask. In the transposed
 * form position o meets input (o + pad - k * dilation) / stride where that divides. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/conv/conv.h"

typedef struct {
  TccKernelEmit *k;
  const TccConv *v;
  const TccMicroType *type;
  int lanes;
} Patches;

/* Input coordinate on an outer axis: adds to *offset, narrows *inside. */
static void outer_coordinate(const Patches *p, int axis, TccVal start, TccVal tap, TccVal *offset, TccVal *inside) {
  TccEmit *e = p->k->e;
  const TccConv *v = p->v;
  TccVal size = tcc_kernel_size(p->k, v->in[axis]), way = tcc_emit_mul(e, tap, tcc_emit_i64(e, v->dilation[axis])), at, ok;
  if (!v->transposed) {
    at = tcc_emit_add(e, start, way);
    ok = tcc_emit_icmp(e, "ult", "i64", at, size);
  } else {
    TccVal distance = tcc_emit_sub(e, start, way), stride = tcc_emit_i64(e, v->stride[axis]);
    at = tcc_emit_div(e, distance, stride); /* unsigned: a negative distance becomes huge */
    TccVal exact = tcc_emit_icmp(e, "eq", "i64", tcc_emit_mul(e, at, stride), distance);
    ok = tcc_emit_bin(e, "and", "i1", exact, tcc_emit_icmp(e, "ult", "i64", at, size));
  }
  *inside = *inside ? tcc_emit_bin(e, "and", "i1", *inside, ok) : ok;
  *offset = tcc_emit_add(e, *offset, tcc_emit_mul(e, at, tcc_kernel_size(p->k, v->step[axis])));
}

bool tcc_window_contiguous(const TccConv *v) {
  int64_t step;
  return v->stride[v->rank - 1] == 1 && tcc_expr_is_const(v->step[v->rank - 1], &step) && step == 1;
}

TccVal tcc_window_load(TccKernelEmit *k, const TccConv *v, int lanes, TccVal row, TccVal first, TccVal limit, TccVal lanes_on,
                       TccVal *out_at, TccVal *out_mask) {
  TccEmit *e = k->e;
  int inner = v->rank - 1;
  const char *memory = tcc_scalar_memory_type(v->x.elem), *type = tcc_emit_vector(e, memory, lanes),
             *index = tcc_emit_vector(e, "i32", lanes);
  TccVal at = tcc_emit_splat(e, index, tcc_emit_cast(e, "trunc", "i64", "i32", first)), iota = tcc_emit_iota(e, "i32", lanes),
         mask = 0;
  TccVal bound = tcc_emit_splat(e, index, tcc_emit_cast(e, "trunc", "i64", "i32", limit)),
         stride = tcc_emit_int(e, index, v->stride[inner]);
  if (!v->transposed) {
    if (lanes > 1)
      at = tcc_emit_bin(e, "add", index, at, v->stride[inner] == 1 ? iota : tcc_emit_bin(e, "mul", index, iota, stride));
  } else {
    TccVal distance = lanes > 1 ? tcc_emit_bin(e, "add", index, at, iota) : at;
    at = distance;
    if (v->stride[inner] != 1) {
      at = tcc_emit_bin(e, "udiv", index, distance, stride);
      mask = tcc_emit_icmp(e, "eq", index, tcc_emit_bin(e, "mul", index, at, stride), distance);
    }
  }
  const char *bits = tcc_emit_vector(e, "i1", lanes);
  TccVal inside = tcc_emit_icmp(e, "ult", index, at, bound);
  mask = mask ? tcc_emit_bin(e, "and", bits, mask, inside) : inside;
  *out_at = at;
  *out_mask = mask;
  if (lanes == 1) {
    TccIf some;
    tcc_emit_if(e, &some, mask, 1, &type);
    TccVal offset = tcc_emit_mul(e, tcc_emit_cast(e, "sext", "i32", "i64", at), tcc_kernel_size(k, v->step[inner]));
    TccVal x = tcc_emit_load(e, type, tcc_emit_gep(e, memory, row, offset)), zero = tcc_emit_zero(e, type);
    tcc_emit_else(e, &some, &x);
    tcc_emit_end_if(e, &some, &zero);
    return some.out[0];
  }
  *out_mask = mask = tcc_emit_bin(e, "and", bits, mask, lanes_on);
  if (tcc_window_contiguous(v)) return tcc_emit_masked_load(e, type, tcc_emit_gep(e, memory, row, first), mask);
  const char *wide = tcc_emit_vector(e, "i64", lanes);
  TccVal offset = tcc_emit_cast(e, "sext", index, wide, at);
  offset = tcc_emit_bin(e, "mul", wide, offset, tcc_emit_splat(e, wide, tcc_kernel_size(k, v->step[inner])));
  return tcc_emit_gather(e, type, row, wide, offset, mask);
}

/* All k of one run: positions [lo, hi) of output row `row`, stored from column `to` on. */
static void emit_run(const Patches *p, TccVal base, TccVal dst, TccVal start[TCC_MAX_RANK], TccVal length, TccVal k0, TccVal kcount,
                     int64_t nr) {
  TccEmit *e = p->k->e;
  const TccConv *v = p->v;
  const char *packed = tcc_emit_vector(e, p->type->packed, p->lanes), *types[TCC_MAX_RANK + 1];
  TccVal carried[TCC_MAX_RANK + 1], next[TCC_MAX_RANK + 1], rest = k0;
  for (int i = v->rank; i-- > 0;) {
    carried[i] = tcc_emit_rem(e, rest, tcc_emit_i64(e, v->kernel[i]));
    rest = tcc_emit_div(e, rest, tcc_emit_i64(e, v->kernel[i]));
  }
  carried[v->rank] = rest; /* channel */
  for (int i = 0; i <= v->rank; i++) types[i] = "i64";
  TccLoop depth, x;
  tcc_emit_for(e, &depth, tcc_emit_i64(e, 0), kcount, 1, v->rank + 1, carried, types);
  TccVal offset = tcc_emit_mul(e, depth.in[v->rank], tcc_kernel_size(p->k, v->channel_stride)), inside = 0;
  for (int i = 0; i + 1 < v->rank; i++) outer_coordinate(p, i, start[i], depth.in[i], &offset, &inside);
  int inner = v->rank - 1;
  TccVal limit = tcc_kernel_size(p->k, v->in[inner]);
  if (inside) limit = tcc_emit_select1(e, "i64", inside, limit, tcc_emit_i64(e, 0));
  TccVal row = tcc_emit_gep(e, tcc_scalar_memory_type(v->x.elem), base, offset);
  TccVal way = tcc_emit_mul(e, depth.in[inner], tcc_emit_i64(e, v->dilation[inner]));
  TccVal first = v->transposed ? tcc_emit_sub(e, start[inner], way) : tcc_emit_add(e, start[inner], way);
  TccVal to = tcc_emit_gep(e, p->type->packed, dst, tcc_emit_mul(e, depth.iv, tcc_emit_i64(e, nr)));
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), length, p->lanes, 0, NULL, NULL);
  TccVal lanes_on = p->lanes > 1 ? tcc_emit_mask(e, tcc_emit_sub(e, length, x.iv), p->lanes) : 0;
  TccVal moved = v->transposed ? x.iv : tcc_emit_mul(e, x.iv, tcc_emit_i64(e, v->stride[inner]));
  TccVal at, mask;
  TccVal value = tcc_window_load(p->k, v, p->lanes, row, tcc_emit_add(e, first, moved), limit, lanes_on, &at, &mask);
  tcc_emit_masked_store(e, packed, tcc_scalar_convert(e, v->x.elem, p->type->acc_elem, p->lanes, value),
                        tcc_emit_gep(e, p->type->packed, to, x.iv), lanes_on);
  tcc_emit_end_for(e, &x, NULL);
  TccVal carry = tcc_emit_i64(e, 1); /* the next kernel position, then the next channel */
  for (int i = v->rank; i-- > 0;) {
    TccVal up = tcc_emit_add(e, depth.in[i], carry), size = tcc_emit_i64(e, v->kernel[i]);
    TccVal wraps = tcc_emit_icmp(e, "eq", "i64", up, size);
    next[i] = tcc_emit_select1(e, "i64", wraps, tcc_emit_i64(e, 0), up);
    carry = tcc_emit_cast(e, "zext", "i1", "i64", wraps);
  }
  next[v->rank] = tcc_emit_add(e, depth.in[v->rank], carry);
  tcc_emit_end_for(e, &depth, next);
}

TccStatus *tcc_conv_patches_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, int64_t nr, void *user) {
  TccEmit *e = k->e;
  const TccConv *v = user;
  int inner = v->rank - 1;
  Patches p = {.k = k, .v = v, .type = type};
  p.lanes = tcc_window_contiguous(v) || tcc_elem_bits(v->x.elem) >= 32 ? type->lanes : 1;
  const char *params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", "i64", "i64"};
  TccVal arg[10];
  tcc_emit_function(e, name, true, 10, params, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  TccVal dst = arg[0], batch = arg[3], first = arg[4], count = arg[5], k0 = arg[7], kcount = arg[8], kpadded = arg[9],
         groups = tcc_emit_i64(e, v->groups);
  TccVal image = tcc_emit_mul(e, tcc_emit_div(e, batch, groups), tcc_kernel_size(k, v->image_stride));
  TccVal channel = tcc_emit_mul(e, tcc_emit_rem(e, batch, groups), tcc_emit_i64(e, v->in_channels));
  image = tcc_emit_add(e, image, tcc_emit_mul(e, channel, tcc_kernel_size(k, v->channel_stride)));
  TccVal base = tcc_emit_gep(e, tcc_scalar_memory_type(v->x.elem), tcc_view_pointer(k, &v->x), image);

  TccVal width = tcc_kernel_size(k, v->out[inner]), end = tcc_emit_add(e, first, count), one = tcc_emit_i64(e, 1),
         start[TCC_MAX_RANK];
  TccLoop row, fill;
  TccVal last = tcc_emit_add(e, tcc_emit_div(e, tcc_emit_sub(e, end, one), width), one);
  tcc_emit_for(e, &row, tcc_emit_div(e, first, width), last, 1, 0, NULL, NULL);
  TccVal origin = tcc_emit_mul(e, row.iv, width), lo = tcc_emit_max(e, first, origin),
         hi = tcc_emit_min(e, end, tcc_emit_add(e, origin, width));
  TccVal rest = row.iv;
  for (int i = inner; i >= 0; i--) {
    TccVal at = tcc_emit_sub(e, lo, origin);
    if (i < inner) {
      TccVal size = tcc_kernel_size(k, v->out[i]);
      at = i ? tcc_emit_rem(e, rest, size) : rest;
      if (i) rest = tcc_emit_div(e, rest, size);
    }
    start[i] = v->transposed ? tcc_emit_add(e, at, tcc_emit_i64(e, v->pad[i]))
                             : tcc_emit_sub(e, tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[i])), tcc_emit_i64(e, v->pad[i]));
  }
  emit_run(&p, base, tcc_emit_gep(e, type->packed, dst, tcc_emit_sub(e, lo, first)), start, tcc_emit_sub(e, hi, lo), k0, kcount,
           nr);
  tcc_emit_end_for(e, &row, NULL);
  const char *vector = tcc_emit_vector(e, type->packed, type->lanes);
  TccVal wide = tcc_emit_i64(e, nr);
  tcc_emit_for(e, &fill, tcc_emit_mul(e, kcount, wide), tcc_emit_mul(e, kpadded, wide), type->lanes, 0, NULL, NULL);
  tcc_emit_store(e, vector, tcc_emit_zero(e, vector), tcc_emit_gep(e, type->packed, dst, fill.iv));
  tcc_emit_end_for(e, &fill, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}
