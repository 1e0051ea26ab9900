/* deform.c - deformable convolution (Zhu et al. 2019, version 2), for every importer. */
#include "lib/frontend/import/sample.h"
#include "tcc/op_kinds.h"

static MlirValue plus(ImportCall *c, MlirValue x, double y) { return y == 0 ? x : tcc_build2_number(&c->b, TCC_OP_ADD, x, y); }
static MlirValue times(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_MUL, x, y); }

typedef struct {
  const ImportDeform *given;
  const TccExpr *kernel[2], *out[2];
} Deform;

static bool read_deform(ImportCall *c, const ImportShape *x, const ImportShape *w, const ImportDeform *f, Deform *out) {
  out->given = f;
  if (x->rank != 4 || w->rank != 4) return import_unsupported(c, "an input of rank %d and weights of rank %d", x->rank, w->rank);
  if (f->groups < 1 || f->offset_groups < 1) return import_invalid(c, "groups below 1");
  for (int d = 0; d < 2; d++) {
    if (f->strides[d] < 1 || f->dilations[d] < 1 || f->pads[d] < 0 || f->pads[d + 2] < 0)
      return import_invalid(c, "strides of %lld, dilations of %lld", (long long)f->strides[d], (long long)f->dilations[d]);
    out->kernel[d] = w->dims[d + 2];
    const TccExpr *reach =
                      import_size_mul(c, import_size(c, f->dilations[d]), import_size_sub(c, out->kernel[d], import_size(c, 1))),
                  *padded = import_size_add(c, x->dims[d + 2], import_size(c, f->pads[d] + f->pads[d + 2] - 1)),
                  *rest = import_size_sub(c, padded, reach);
    if (!import_require_at_most(c, import_size(c, 0), rest, "the kernel fits into the image")) return false;
    out->out[d] =
        import_size_add(c, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, rest, import_size(c, f->strides[d])), import_size(c, 1));
  }
  return true;
}

/* Where tap k of place o lies along axis d without an offset, of the dims [taps, 1, places, 1] or [1, taps, 1, places]. */
static MlirValue tap_positions(ImportCall *c, const Deform *f, TccElem elem, int d) {
  const TccExpr *one = import_size(c, 1), *taps = f->kernel[d];
  const TccExpr *of_tap[] = {d ? one : taps, d ? taps : one, one, one},
                *of_place[] = {one, one, d ? one : f->out[d], d ? f->out[d] : one};
  MlirValue tap = times(c, import_iota(c, elem, taps), (double)f->given->dilations[d]),
            place = plus(c, times(c, import_iota(c, elem, f->out[d]), (double)f->given->strides[d]), (double)-f->given->pads[d]);
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build_reshape(&c->b, tap, 4, of_tap), tcc_build_reshape(&c->b, place, 4, of_place));
}

/* Each tap is a sample of the image, so that the rest is a product. */
MlirValue import_deform_conv(ImportCall *c, MlirValue x, MlirValue w, MlirValue offset, MlirValue bias, MlirValue mask,
                             const ImportDeform *given) {
  const MlirValue none = {NULL};
  MlirValue at[2];
  ImportShape s = import_shape(c, x), weight = import_shape(c, w);
  Deform f;
  if (!read_deform(c, &s, &weight, given, &f)) return none;
  const TccExpr *parts = import_size(c, given->offset_groups), *groups = import_size(c, given->groups), *two = import_size(c, 2),
                *taps = import_size_mul(c, f.kernel[0], f.kernel[1]), *images = import_size_mul(c, s.dims[0], parts),
                *of_part = import_divide(c, s.dims[1], parts), *of_group = import_divide(c, s.dims[1], groups),
                *made = import_divide(c, weight.dims[0], groups);
  if (!of_part || !of_group || !made) return none;
  const TccExpr *wanted[] = {s.dims[0], import_size_mul(c, parts, import_size_mul(c, taps, two)), f.out[0], f.out[1]},
                *masks[] = {s.dims[0], import_size_mul(c, parts, taps), f.out[0], f.out[1]},
                *filters[] = {NULL, of_group, NULL, NULL};
  ImportShape offsets = import_shape(c, offset);
  if (!import_require_shape(c, &offsets, 4, wanted, "offset") || !import_require_shape(c, &weight, 4, filters, "weight"))
    return none;
  const TccExpr *split[] = {images, f.kernel[0], f.kernel[1], two, f.out[0], f.out[1]},
                *whole[] = {images, split[1], split[2], f.out[0], f.out[1]}, *places = import_size_mul(c, f.out[0], f.out[1]),
                *flat[] = {images, import_size_mul(c, taps, places)}, *image[] = {images, of_part, s.dims[2], s.dims[3]};
  for (int d = 0; d < 2; d++) {
    MlirValue moved =
        tcc_build_slice_axis(&c->b, tcc_build_reshape(&c->b, offset, 6, split), 3, import_size(c, d), 1, import_size(c, 1));
    moved = tcc_build2(&c->b, TCC_OP_ADD, tcc_build_reshape(&c->b, moved, 5, whole), tap_positions(c, &f, offsets.elem, d));
    at[d] = tcc_build_reshape(&c->b, moved, 2, flat);
  }
  const ImportSampling linear = {.mode = IMPORT_SAMPLE_LINEAR, .padding = IMPORT_PAD_ZEROS};
  MlirValue columns = import_sample(c, tcc_build_reshape(&c->b, x, 4, image), at, &linear);
  if (mask.ptr) {
    ImportShape m = import_shape(c, mask);
    const TccExpr *of_channel[] = {images, import_size(c, 1), flat[1]};
    if (!import_require_shape(c, &m, 4, masks, "mask")) return none;
    columns = tcc_build2(&c->b, TCC_OP_MUL, columns, tcc_build_reshape(&c->b, mask, 3, of_channel));
  }
  const TccExpr *depth = import_size_mul(c, of_group, taps), *rows[] = {s.dims[0], groups, depth, places},
                *filter[] = {groups, made, depth}, *to[] = {s.dims[0], weight.dims[0], f.out[0], f.out[1]};
  MlirValue r =
      tcc_build2(&c->b, TCC_OP_MATMUL, tcc_build_reshape(&c->b, w, 3, filter), tcc_build_reshape(&c->b, columns, 4, rows));
  r = tcc_build_reshape(&c->b, r, 4, to);
  if (bias.ptr) {
    const TccExpr *of_bias[] = {import_size(c, 1), weight.dims[0], import_size(c, 1), import_size(c, 1)};
    r = tcc_build2(&c->b, TCC_OP_ADD, r, tcc_build_reshape(&c->b, bias, 4, of_bias));
  }
  return r;
}
