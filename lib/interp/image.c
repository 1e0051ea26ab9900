/* image.c - encoded images: by the decoders that the run-time has, whose results the formats' standards say. */
#include "tcc/image.h"
#include "internal.h"

/* The bytes of x. */
static uint8_t *file_of(TccEval *e, const TccArray *x) {
  uint8_t *bytes = tcc_interp_scratch(e, (size_t)x->count + 1);
  if (bytes) tcc_cells_pack(TCC_ELEM_U8, x->at, x->count, bytes);
  return bytes;
}

TccStatus *tcc_eval_image_size(TccEval *e) {
  const TccArray *x = e->in[0];
  const uint8_t *bytes = file_of(e, x);
  if (!bytes) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  int64_t rows, columns;
  const TccImageFault fault = tcc_image_size(bytes, (size_t)x->count, &rows, &columns);
  const int64_t found[] = {fault ? 1 : rows, fault ? 1 : columns, fault};
  for (int i = 0; i < 3; i++) e->out[0]->at[i].i = found[i];
  return NULL;
}

TccStatus *tcc_eval_decode_image(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  const TccPixelFormat format = tcc_pixel_format(tcc_string(e->ir, e->op, "format"));
  const uint8_t *bytes = file_of(e, x);
  uint8_t *pixels = tcc_interp_scratch(e, (size_t)r->count + 1);
  if (!bytes || !pixels) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  const TccImageFault fault = tcc_image_decode(bytes, (size_t)x->count, format, r->dims[0], r->dims[1], pixels);
  if (fault) memset(pixels, 0, (size_t)r->count);
  tcc_cells_unpack(TCC_ELEM_U8, pixels, r->count, r->at);
  e->out[1]->at[0].i = fault;
  return NULL;
}
