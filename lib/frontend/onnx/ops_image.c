/* ops_image.c - ImageDecoder: the size of an image is data, so it is read first and counted, and what is wrong with the image is an error of the run. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/image.h"
#include "tcc/op_kinds.h"

/* The format's name in tcc.decode_image; NULL: none of ONNX's. */
static const char *format_named(TccStr name) {
  static const char *const names[][2] = {{"RGB", "rgb"}, {"BGR", "bgr"}, {"Grayscale", "gray"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tcc_str_is(name, names[i][0])) return names[i][1];
  return NULL;
}

static MlirValue entry(ImportCall *c, MlirValue vector, int64_t i) {
  return tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, vector, 0, import_size(c, i), 1, import_size(c, 1)), 0, NULL);
}

/* The pixels, if the fault of neither reading is one. */
static MlirValue assert_decoded(ImportCall *c, MlirValue pixels, MlirValue of_size, MlirValue of_pixels) {
  static const struct {
    TccImageFault fault;
    const char *text;
  } faults[] = {
#define X(SYM, number, text) {TCC_IMAGE_##SYM, text},
      TCC_IMAGE_FAULTS(X)
#undef X
  };
  MlirValue none = tcc_build_compare(&c->b, "eq", of_size, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, TCC_IMAGE_RIGHT)),
            fault = tcc_build_select(&c->b, none, of_pixels, of_size);
  for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
    MlirValue other = tcc_build_compare(&c->b, "ne", fault, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, faults[i].fault));
    pixels = import_assert(c, pixels, other, tcc_str(faults[i].text));
  }
  return pixels;
}

bool onnx_op_image_decoder(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  const TccStr name = onnx_string(c, "pixel_format", "RGB");
  const char *format = format_named(name);
  MlirValue x = import_input(c, 0);
  if (!format) return import_invalid(c, "pixel_format '%.*s' is none of RGB, BGR and Grayscale", TCC_STR_ARG(name));
  if (!import_may_count(c)) return import_unsupported(c, "an image whose size is data, in a branch that runs in any case");
  MlirValue found = import_op(c, TCC_OP_IMAGE_SIZE, &x, 1, NULL, 0);
  const TccExpr *most = import_size(c, TCC_IMAGE_MOST_SIDE), *size[2] = {NULL};
  for (int i = 0; i < 2; i++) {
    size[i] = import_counted_size(c, entry(c, found, i), most);
    if (!size[i]) return false;
  }
  TccNamedAttr attrs[] = {{"size", tcc_attr_exprs(c->ir, size, 2)}, {"format", tcc_attr_str(c->ir, tcc_str(format))}};
  MlirValue pixels = import_op(c, TCC_OP_DECODE_IMAGE, &x, 1, attrs, 2);
  if (!pixels.ptr) return false;
  return import_output(c, 0, assert_decoded(c, pixels, entry(c, found, 2), mlirOperationGetResult(tcc_value_op(pixels), 1)));
}
