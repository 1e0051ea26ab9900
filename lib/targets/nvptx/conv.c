/* conv.c - convolutions and their adjoints, any number of spatial axes, groups, dilations.
 *
 * As an implicit product: rows are output channels of a group, columns output positions, the depth runs over channels and places of the
 * window, one batch entry is an image and a group; an element of the image is looked up where the product asks for it, and is zero in the
 * padding. Few output channels a group (depthwise ones) would leave most of a tile empty: there each thread sums one output.
 *
 * Where channels lie side by side in the image and in the weights (tcc-channels-last), tensor maps copy both (product_tma.c): a tile has output
 * positions of all images, one behind the other, for which im2col brings the pixels that a place of the window meets, 128 bytes of channels at a time;
 * what is outside of the image comes as zeros. Where maps do not, threads copy 16 bytes of channels at a time (product_ring.c). The depth goes
 * through the channels, then through the window; columns of the product are what lies side by side in the result, positions or filters. As in
 * cuDNN (Chetlur et al., cuDNN: Efficient Primitives for Deep Learning, 2014) and in CUTLASS's convolutions for sm_90. */
#include "lib/codegen/read/kernel.h"
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/product_schedule.h"

enum { FEW_ROWS = 8, DIRECT_THREADS = 256 };

typedef struct {
  TccIr *ir;
  MlirOperation op;
  bool transposed, has_bias;
  int rank; /* spatial axes */
  int64_t groups;
  const TccExpr *in, *out, *window[TCC_MAX_RANK];          /* channels of one group; places of the window */
  bool known;                                              /* all of these are numbers: */
  int64_t in_channels, out_channels, kernel[TCC_MAX_RANK]; /* 0 where they are not */
  const int64_t *strides, *pads, *dilations;
  NvptxOperand x, w, bias;
  TccElem of_image, of_weights; /* as a product has them: NvptxProduct.of */
  NvptxResult result;
  NvptxProduct product;
  int pixels; /* the side of the product that has them, where tensor maps copy */
  NvptxKernel n;
} Conv;

/* ---- reading ---- */

static void read_sizes(Conv *c) {
  MlirType w = c->w.type;
  TccExprPool *exprs = c->ir->exprs;
  const TccExpr *axis[] = {tcc_type_dim(c->ir, w, 0), tcc_type_dim(c->ir, w, 1)}, *groups = tcc_expr_const(exprs, c->groups);
  axis[0] = tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, axis[0], groups);
  c->in = axis[!c->transposed], c->out = axis[c->transposed];
  c->known = tcc_type_is_static(w);
  for (int i = 0; i < c->rank; i++) c->window[i] = tcc_type_dim(c->ir, w, i + 2);
  if (!c->known) return;
  tcc_expr_is_const(c->in, &c->in_channels), tcc_expr_is_const(c->out, &c->out_channels);
  for (int i = 0; i < c->rank; i++) tcc_expr_is_const(c->window[i], &c->kernel[i]);
}

static TccStatus *read_window(Conv *c) {
  size_t n;
  if (c->rank < 1) return TCC_ERROR(TCC_UNSUPPORTED, "a convolution of images without axes");
  if (!tcc_get_ints(c->ir, c->op, "strides", &c->strides, &n) || !tcc_get_ints(c->ir, c->op, "pads", &c->pads, &n) ||
      !tcc_get_ints(c->ir, c->op, "dilations", &c->dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a convolution without its window");
  c->groups = tcc_i64(c->ir, c->op, "groups");
  read_sizes(c);
  return NULL;
}

static TccStatus *read_conv(Conv *c, TccIr *ir, MlirOperation kernel) {
  c->ir = ir;
  c->op = tcc_read_find(ir, kernel, TCC_OP_CONV);
  c->transposed = mlirOperationIsNull(c->op);
  if (c->transposed) c->op = tcc_read_find(ir, kernel, TCC_OP_CONV_TRANSPOSE);
  if (mlirOperationIsNull(c->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no convolution in a conv kernel");
  TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 0), &c->x));
  TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 1), &c->w));
  c->has_bias = mlirOperationGetNumOperands(c->op) > 2 && !tcc_value_is_none(ir, mlirOperationGetOperand(c->op, 2));
  if (c->has_bias) TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 2), &c->bias));
  TCC_TRY(nvptx_result_read(ir, kernel, c->op, &c->result));
  c->rank = tcc_type_rank(c->x.type) - 2;
  TccElem elem = tcc_type_elem(c->result.type);
  c->product.acc = tcc_elem_accumulator(elem);
  if (!tcc_elem_computes(c->product.acc) || c->product.acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a convolution of %s", tcc_elem_name(elem));
  nvptx_product_elem(&c->product, kernel, tcc_type_elem(c->x.type), tcc_type_elem(c->w.type));
  c->of_image = c->product.of[0], c->of_weights = c->product.of[1];
  return read_window(c);
}

/* ---- elements ---- */

static TccVal i64(Conv *c, int64_t v) { return tcc_emit_i64(&c->n.e, v); }

static TccVal both(Conv *c, TccVal a, TccVal b) { return a && b ? tcc_emit_bin(&c->n.e, "and", "i1", a, b) : a ? a : b; }

/* The input coordinate that output coordinate `at` meets at place `tap` of the window along an axis; *inside: it exists. */
static TccVal input_coordinate(Conv *c, int axis, TccVal at, TccVal tap, TccVal *inside) {
  TccEmit *t = &c->n.e;
  TccVal size = tcc_kernel_size(&c->n.k, tcc_type_dim(c->ir, c->x.type, axis + 2)),
         moved = tcc_emit_mul(t, tap, i64(c, c->dilations[axis]));
  if (!c->transposed) {
    TccVal in = tcc_emit_sub(t, tcc_emit_add(t, tcc_emit_mul(t, at, i64(c, c->strides[axis])), moved), i64(c, c->pads[axis]));
    bool always = c->kernel[axis] == 1 && c->pads[axis] == 0 && c->pads[c->rank + axis] == 0;
    if (!always) *inside = both(c, *inside, tcc_emit_icmp(t, "ult", "i64", in, size));
    return in;
  }
  TccVal in = tcc_emit_sub(t, tcc_emit_add(t, at, i64(c, c->pads[axis])), moved), stride = i64(c, c->strides[axis]);
  *inside = both(c, *inside, tcc_emit_icmp(t, "sge", "i64", in, i64(c, 0)));
  if (c->strides[axis] > 1) {
    *inside = both(c, *inside, tcc_emit_icmp(t, "eq", "i64", tcc_emit_rem(t, in, stride), i64(c, 0)));
    in = tcc_emit_div(t, in, stride);
  }
  *inside = both(c, *inside, tcc_emit_icmp(t, "ult", "i64", in, size)); /* a negative one is large as unsigned */
  return in;
}

static TccStatus *image_element(Conv *c, TccVal image, TccVal channel, const TccVal *at, const TccVal *tap, TccVal *out) {
  TccVal index[TCC_MAX_RANK] = {image, channel}, inside = 0;
  for (int i = 0; i < c->rank; i++) index[i + 2] = input_coordinate(c, i, at[i], tap[i], &inside);
  return nvptx_operand_inside(&c->x, inside, index, c->of_image, out);
}

/* in: channel of the image, in the group; to: output channel, in the group. */
static TccStatus *weight_element(Conv *c, TccVal group, TccVal in, TccVal to, const TccVal *tap, TccVal *out) {
  TccEmit *t = &c->n.e;
  TccVal index[TCC_MAX_RANK];
  TccVal first = tcc_emit_mul(t, group, tcc_kernel_size(&c->n.k, c->transposed ? c->in : c->out));
  index[0] = tcc_emit_add(t, first, c->transposed ? in : to), index[1] = c->transposed ? to : in;
  for (int i = 0; i < c->rank; i++) index[i + 2] = tap[i];
  return nvptx_operand_at(&c->w, index, c->of_weights, out);
}

static void coordinates(Conv *c, TccVal position, TccVal *out) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  for (int i = 0; i < c->rank; i++) sizes[i] = tcc_type_dim(c->ir, c->result.type, i + 2);
  nvptx_take_apart(&c->n.k, sizes, c->rank, position, out);
}

/* place[0]: channel; then the window's. */
static void take_depth(Conv *c, TccVal k, TccVal *place) {
  const TccExpr *sizes[TCC_MAX_RANK] = {c->in};
  memcpy(sizes + 1, c->window, (size_t)c->rank * sizeof *sizes);
  nvptx_take_apart(&c->n.k, sizes, c->rank + 1, k, place);
}

/* `count` outputs from this one on, which follow each other along the positions or along the channels. */
static TccStatus *write_outputs(Conv *c, TccVal image, TccVal channel, TccVal position, const TccVal *sums, int count,
                                bool along_channels) {
  TccEmit *t = &c->n.e;
  TccElem acc = c->product.acc;
  TccVal v[NVPTX_PRODUCT_RUN], bias = 0;
  for (int i = 0; i < count; i++) {
    TccVal of = along_channels && i ? tcc_emit_add(t, channel, i64(c, i)) : channel;
    v[i] = sums[i];
    if (!c->has_bias) continue;
    if (along_channels || !i) TCC_TRY(nvptx_operand_at(&c->bias, &of, acc, &bias));
    v[i] = tcc_emit_bin(t, tcc_elem_is_float(acc) ? "fadd" : "add", tcc_scalar_type(acc), v[i], bias);
  }
  nvptx_result_set_axes(&c->result, 0, 1, image);
  nvptx_result_set_axes(&c->result, 1, 1, channel);
  nvptx_result_set_axes(&c->result, 2, c->rank, position);
  return nvptx_result_store_run(&c->result, acc, along_channels ? 1 : 2, along_channels ? 1 : c->rank, v, count);
}

static TccStatus *write_output(Conv *c, TccVal image, TccVal channel, TccVal position, TccVal sum) {
  return write_outputs(c, image, channel, position, &sum, 1, false);
}

/* ---- as a product ---- */

static TccStatus *read_element(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal groups = i64(c, c->groups), image = tcc_emit_div(t, batch, groups), group = tcc_emit_rem(t, batch, groups);
  TccVal place[TCC_MAX_RANK], o[TCC_MAX_RANK];
  take_depth(c, k, place);
  if (side == 0) return weight_element(c, group, place[0], at, place + 1, out);
  coordinates(c, at, o);
  TccVal channel = tcc_emit_add(t, tcc_emit_mul(t, group, tcc_kernel_size(&c->n.k, c->in)), place[0]);
  return image_element(c, image, channel, o, place + 1, out);
}

static TccStatus *write_result(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sum) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal groups = i64(c, c->groups), group = tcc_emit_rem(t, batch, groups);
  TccVal channel = tcc_emit_add(t, tcc_emit_mul(t, group, tcc_kernel_size(&c->n.k, c->out)), row);
  return write_output(c, tcc_emit_div(t, batch, groups), channel, column, *sum);
}

static const TccExpr *positions(Conv *c) {
  const TccExpr *count = tcc_expr_const(c->ir->exprs, 1);
  for (int i = 0; i < c->rank; i++) count = tcc_expr_mul(c->ir->exprs, count, tcc_type_dim(c->ir, c->result.type, i + 2));
  return count;
}

static const TccExpr *depth_of(const Conv *c) {
  const TccExpr *depth = c->in;
  for (int i = 0; i < c->rank; i++) depth = tcc_expr_mul(c->ir->exprs, depth, c->window[i]);
  return depth;
}

static void set_product(Conv *c) {
  TccExprPool *exprs = c->ir->exprs;
  NvptxProduct *p = &c->product;
  p->batch = tcc_expr_mul(exprs, tcc_type_dim(c->ir, c->result.type, 0), tcc_expr_const(exprs, c->groups));
  p->rows = c->out, p->columns = positions(c), p->depth = depth_of(c), p->of[0] = c->of_weights, p->of[1] = c->of_image;
  p->along_depth[0] = nvptx_operand_inner_axis(c->ir, &c->w) != (c->transposed ? 1 : 0);
  p->read = read_element, p->write = write_result, p->user = c;
}

/* ---- by tensor maps ---- */

enum { PIECE_BITS = 128 };

/* Fewer bytes of channels leave most of a copy empty: pieces of 16 bytes then do with less of the depth. */
enum { LEAST_CHANNEL_BYTES = 32 };

static int64_t piece_of(const Conv *c) { return PIECE_BITS / (int64_t)tcc_elem_bits(c->product.elem); }
static int64_t box_of(const Conv *c) { return nvptx_box_columns(c->product.elem); } /* channels of a copy */
static int64_t blocks_of_channels(const Conv *c) { return tcc_ceil_div(c->in_channels, box_of(c)); }

/* The place of the window and the channel at which a box of the depth begins. */
static void place_depth(void *user, TccVal k, TccVal *out_channel, TccVal *out_place) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal block = tcc_emit_div(t, k, i64(c, box_of(c))), blocks = i64(c, blocks_of_channels(c));
  *out_place = tcc_emit_div(t, block, blocks);
  *out_channel = tcc_emit_mul(t, tcc_emit_rem(t, block, blocks), i64(c, box_of(c)));
}

static void copy_pixels(void *user, TccVal map, TccVal to, TccVal barrier, TccVal at, TccVal k, int cluster) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal channel, place, position, pixel[TCC_MAX_RANK], offset[TCC_MAX_RANK];
  place_depth(c, k, &channel, &place);
  nvptx_take_apart(&c->n.k, c->window, c->rank, place, offset);
  nvptx_divide(&c->n.k, at, positions(c), &pixel[0], &position);
  coordinates(c, position, pixel + 1);
  for (int i = 0; i < c->rank; i++) {
    offset[i] = tcc_emit_mul(t, offset[i], i64(c, c->dilations[i]));
    pixel[i + 1] = tcc_emit_sub(t, tcc_emit_mul(t, pixel[i + 1], i64(c, c->strides[i])), i64(c, c->pads[i]));
  }
  nvptx_pixels_copy(&c->n, c->rank + 2, map, to, barrier, channel, pixel, offset, cluster);
}

static TccStatus *write_run(Conv *c, TccVal row, TccVal column, const TccVal *sums, int count) {
  TccVal image, position;
  nvptx_divide(&c->n.k, c->pixels ? column : row, positions(c), &image, &position);
  return write_outputs(c, image, c->pixels ? row : column, position, sums, count, !c->pixels);
}

static TccStatus *write_pixel(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sum) {
  (void)batch;
  return write_run(user, row, column, sum, 1);
}

static TccStatus *write_pixels(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sums) {
  (void)batch;
  return write_run(user, row, column, sums, NVPTX_PRODUCT_RUN);
}

/* Whether im2col reaches all places of the window; sets what a map says of it. */
static bool put_window(const Conv *c, TccTensorMap *map) {
  int64_t reach = tcc_im2col_reach((unsigned)map->rank);
  for (int i = 0; i < c->rank; i++) { /* a map has the innermost axis first */
    int64_t last = (c->kernel[c->rank - 1 - i] - 1) * c->dilations[c->rank - 1 - i], low = -c->pads[c->rank - 1 - i],
            high = c->pads[2 * c->rank - 1 - i] - last, step = c->strides[c->rank - 1 - i];
    if (low < -reach || low >= reach || high < -reach || high >= reach || last >= 2 * reach || step > TCC_IM2COL_STEP) return false;
    map->lower[i] = (int32_t)low, map->upper[i] = (int32_t)high, map->step[i] = (uint32_t)step;
  }
  return true;
}

/* The image as a map of im2col: rank 0 where it is none. */
static TccTensorMap map_of_image(const Conv *c) {
  TccExprPool *exprs = c->ir->exprs;
  TccTensorMap map = {.rank = c->rank + 2, .elem = c->of_image, .im2col = true};
  if (c->rank > TCC_TENSOR_MAP_RANK - 2 || !nvptx_operand_follows(&c->x, map.elem, (int[]){1}, 1, piece_of(c)) ||
      !put_window(c, &map))
    return (TccTensorMap){0};
  map.buffer = c->x.root->argument, map.offset = c->x.root->index.offset;
  map.size[0] = tcc_type_dim(c->ir, c->x.type, 1), map.stride[0] = tcc_expr_const(exprs, 1);
  for (int at = 1; at < map.rank; at++) {
    int axis = at < map.rank - 1 ? map.rank - at : 0;
    map.size[at] = tcc_type_dim(c->ir, c->x.type, axis);
    if (nvptx_operand_has_stride(&c->x, &axis, 1, &map.stride[at])) continue;
    if (map.size[at] != tcc_expr_const(exprs, 1)) return (TccTensorMap){0};
    map.stride[at] = tcc_expr_const(exprs, piece_of(c)); /* of one place: any */
  }
  return map;
}

/* Sides, rows and columns of a product whose depth goes through the channels first, where memory has those side by side. False: it has not. */
static bool set_last(Conv *c) {
  TccExprPool *exprs = c->ir->exprs;
  NvptxProduct *p = &c->product;
  if (c->transposed || c->groups > 1 || !nvptx_operand_follows(&c->x, c->of_image, (int[]){1}, 1, piece_of(c)) ||
      !nvptx_operand_follows(&c->w, c->of_weights, (int[]){1}, 1, piece_of(c)))
    return false;
  const TccExpr *pixels = tcc_expr_mul(exprs, tcc_type_dim(c->ir, c->result.type, 0), positions(c)), *channels = c->out;
  bool last = nvptx_result_is_inner(&c->result, 1);
  c->pixels = !last;
  p->of[c->pixels] = c->of_image, p->of[!c->pixels] = c->of_weights;
  p->pieces[0] = p->pieces[1] = p->along_depth[0] = p->along_depth[1] = true;
  p->batch = tcc_expr_const(exprs, 1), p->rows = last ? pixels : channels, p->columns = last ? channels : pixels;
  p->write = write_pixel, p->write_run = write_pixels, p->user = c;
  p->runs = nvptx_result_has_runs(&c->result, last ? 1 : 2, last ? 1 : c->rank, NVPTX_PRODUCT_RUN);
  return true;
}

/* Sets the product up for tensor maps; false: they do not copy this. */
static bool set_maps(Conv *c) {
  NvptxProduct *p = &c->product;
  int places[TCC_MAX_RANK];
  for (int i = 0; i < c->rank; i++) places[i] = i + 2;
  const NvptxTensorAxes of = {(int[]){1}, (int[]){0}, places, 1, 1, c->rank};
  int64_t bits = tcc_elem_bits(p->elem);
  if (bits > 16 || c->in_channels * bits < LEAST_CHANNEL_BYTES * 8 || !set_last(c)) return false;
  NvptxTensor image = {.map = map_of_image(c)}, weights = nvptx_tensor_of(c->ir, &c->w, c->of_weights, &of);
  if (!image.map.rank || !weights.map.rank) return false;
  p->tensor[c->pixels] = image, p->tensor[!c->pixels] = weights, p->pixels[c->pixels] = true;
  int64_t window = 1;
  for (int i = 0; i < c->rank; i++) window *= c->kernel[i];
  p->depth = tcc_expr_const(c->ir->exprs, window * blocks_of_channels(c) * box_of(c));
  p->copy_pixels = copy_pixels, p->place_depth = place_depth;
  return true;
}

/* ---- by pieces of 16 bytes ---- */

/* What k of the depth is: place[0] the channel, then the window's. */
static void take_depth_last(Conv *c, TccVal k, TccVal *place) {
  const TccExpr *sizes[TCC_MAX_RANK];
  TccVal parts[TCC_MAX_RANK];
  memcpy(sizes, c->window, (size_t)c->rank * sizeof *sizes);
  sizes[c->rank] = c->in;
  nvptx_take_apart(&c->n.k, sizes, c->rank + 1, k, parts);
  place[0] = parts[c->rank];
  memcpy(place + 1, parts, (size_t)c->rank * sizeof *parts);
}

/* The index in an operand of element (at, k) of its side; inside: whether the image has it (0: always). */
static void index_last(Conv *c, int side, TccVal at, TccVal k, TccVal *index, TccVal *inside) {
  TccVal place[TCC_MAX_RANK], position, o[TCC_MAX_RANK];
  *inside = 0;
  take_depth_last(c, k, place);
  index[1] = place[0];
  if (side != c->pixels) {
    index[0] = at;
    memcpy(index + 2, place + 1, (size_t)c->rank * sizeof *place);
    return;
  }
  nvptx_divide(&c->n.k, at, positions(c), &index[0], &position);
  coordinates(c, position, o);
  for (int i = 0; i < c->rank; i++) index[i + 2] = input_coordinate(c, i, o[i], place[i + 1], inside);
}

static TccStatus *read_last(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out) {
  Conv *c = user;
  TccVal index[TCC_MAX_RANK], inside;
  (void)batch;
  index_last(c, side, at, k, index, &inside);
  return nvptx_operand_inside(side == c->pixels ? &c->x : &c->w, inside, index, side == c->pixels ? c->of_image : c->of_weights,
                              out);
}

static TccVal piece_address(void *user, int side, TccVal batch, TccVal at, TccVal k) {
  Conv *c = user;
  NvptxOperand *o = side == c->pixels ? &c->x : &c->w;
  TccVal index[TCC_MAX_RANK], inside, base, step;
  (void)batch;
  index_last(c, side, at, k, index, &inside);
  nvptx_operand_place(o, index);
  tcc_pull_emit_affine(&o->emit, &o->root->index, &base, &step);
  return tcc_emit_gep(&c->n.e, tcc_scalar_memory_type(o->root->elem), tcc_kernel_argument(&c->n.k, o->root->argument), base);
}

static TccVal piece_is_present(void *user, int side, TccVal batch, TccVal at, TccVal k) {
  TccVal index[TCC_MAX_RANK], inside;
  (void)batch;
  index_last(user, side, at, k, index, &inside);
  return inside;
}

/* Sets the product up for pieces; false: memory has none, or they would be of two places of the window. */
static bool set_pieces(Conv *c) {
  NvptxProduct *p = &c->product;
  if (c->in_channels % piece_of(c) || !set_last(c)) return false;
  p->depth = depth_of(c);
  p->read = read_last, p->address = piece_address, p->present = piece_is_present;
  return true;
}

/* ---- one thread for each output ---- */

/* How many steps of the depth are written one behind the other: a number that divides them. ptxas would unroll the loop until it has no registers left. */
static int steps_at_once(const TccExpr *depth) {
  enum { MOST = 8 };
  int steps = MOST;
  while (tcc_expr_multiple_of(depth) % steps) steps--;
  return steps;
}

static TccStatus *emit_direct(Conv *c, NvptxProductLaunch *out) {
  TccEmit *t = &c->n.e;
  TccExprPool *exprs = c->ir->exprs;
  const char *type = tcc_scalar_type(c->product.acc);
  bool f = tcc_elem_is_float(c->product.acc);
  bool last = nvptx_result_is_inner(&c->result, 1);
  int channel = last ? 2 : 1, position = last ? 1 : 2; /* threads follow memory */
  const TccExpr *sizes[3] = {tcc_type_dim(c->ir, c->result.type, 0)}, *count;
  sizes[channel] = tcc_expr_mul(exprs, tcc_expr_const(exprs, c->groups), c->out), sizes[position] = positions(c);
  count = tcc_expr_mul(exprs, sizes[0], tcc_expr_mul(exprs, sizes[1], sizes[2]));
  TccVal thread = nvptx_global_thread(&c->n, DIRECT_THREADS), at[3], o[TCC_MAX_RANK], place[TCC_MAX_RANK], x, w;
  TccIf inside;
  TccLoop depth;
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&c->n.k, count)), 0, NULL);
  nvptx_take_apart(&c->n.k, sizes, 3, thread, at);
  coordinates(c, at[position], o);
  TccVal of_group = tcc_kernel_size(&c->n.k, c->out), group = tcc_emit_div(t, at[channel], of_group),
         row = tcc_emit_rem(t, at[channel], of_group);
  TccVal zero = tcc_emit_zero(t, type), first = tcc_emit_mul(t, group, tcc_kernel_size(&c->n.k, c->in));
  const int at_once = steps_at_once(depth_of(c));
  tcc_emit_for(t, &depth, i64(c, 0), tcc_kernel_size(&c->n.k, depth_of(c)), at_once, 1, &zero, &type);
  tcc_emit_inline_asm(t, ".pragma \"nounroll\";", "", NULL, 0, NULL, NULL);
  TccVal sum = depth.in[0];
  for (int step = 0; step < at_once; step++) {
    take_depth(c, tcc_emit_add(t, depth.iv, i64(c, step)), place);
    TCC_TRY(image_element(c, at[0], tcc_emit_add(t, first, place[0]), o, place + 1, &x));
    TCC_TRY(weight_element(c, group, place[0], row, place + 1, &w));
    x = tcc_scalar_convert(t, c->of_image, c->product.acc, 1, x), w = tcc_scalar_convert(t, c->of_weights, c->product.acc, 1, w);
    sum = f ? tcc_emit_fma(t, type, x, w, sum) : tcc_emit_bin(t, "add", type, sum, tcc_emit_bin(t, "mul", type, x, w));
  }
  tcc_emit_end_for(t, &depth, &sum);
  TCC_TRY(write_output(c, at[0], at[channel], at[position], depth.out[0]));
  tcc_emit_end_if(t, &inside, NULL);
  *out = (NvptxProductLaunch){nvptx_blocks(c->ir, count, DIRECT_THREADS), DIRECT_THREADS, 0, "direct"};
  return NULL;
}

TccStatus *nvptx_conv(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Conv *c = TCC_NEW(ir->arena, Conv);
  NvptxProductLaunch launch = {0};
  TCC_TRY(read_conv(c, ir, kernel));
  bool direct = c->known && c->out_channels <= FEW_ROWS;
  TccTensorMap *maps = TCC_NEW_ARRAY(ir->arena, TccTensorMap, NVPTX_MAX_MAPS);
  int nmaps = 0;
  NvptxProduct plain = c->product;
  if (!direct && c->in_channels && set_maps(c))
    TCC_TRY(nvptx_product_tma_maps(&target->machine, kernel, &c->product, maps, &nmaps));
  if (!nmaps) c->product = plain;
  if (!direct && !nmaps && !(c->in_channels && set_pieces(c))) set_product(c);
  const TccExpr *scratch = NULL;
  if (!direct) TCC_TRY(nvptx_product_parts(&target->machine, ir, kernel, &c->product, nmaps > 0, &scratch));
  nvptx_open_with(&c->n, ir, target, kernel, maps, nmaps, scratch);
  nvptx_operand_begin(&c->x, &c->n), nvptx_operand_begin(&c->w, &c->n);
  if (c->has_bias) nvptx_operand_begin(&c->bias, &c->n);
  nvptx_result_begin(&c->result, &c->n);
  TccStatus *status = direct ? emit_direct(c, &launch) : nvptx_product_emit(&c->n, &c->product, &launch);
  if (status) {
    nvptx_abandon(&c->n);
    return status;
  }
  return nvptx_close(&c->n, "nvptx.conv", launch.schedule, launch.blocks, launch.threads, launch.shared, out);
}

/* ---- schedules ---- */
/* The product that the kernel will be, as nvptx_conv sets it up; NULL: it is none. *out_maps: tensor maps copy its operands. */
static NvptxTuned *read_product(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, bool *out_maps) {
  Conv *c = TCC_NEW(ir->arena, Conv);
  NvptxTuned *out = TCC_NEW(ir->arena, NvptxTuned);
  TccStatus *status = read_conv(c, ir, kernel); /* said when the kernel is emitted */
  bool ok = !status && (!c->known || c->out_channels > FEW_ROWS);
  tcc_status_destroy(status);
  if (!ok) return NULL;
  NvptxProduct plain = c->product;
  *out_maps = c->in_channels && set_maps(c) && nvptx_product_tma_fits(&target->machine, &c->product);
  if (!*out_maps) c->product = plain;
  if (!*out_maps && !(c->in_channels && set_pieces(c))) set_product(c);
  *out = (NvptxTuned){&target->machine, ir, &c->product};
  return out;
}

static void *read_tma(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  bool maps = false;
  NvptxTuned *tuned = read_product(target, ir, kernel, &maps);
  return maps ? tuned : NULL;
}

static void *read_ring(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  bool maps = false;
  NvptxTuned *tuned = read_product(target, ir, kernel, &maps);
  return tuned && !maps && nvptx_product_is_ring(&target->machine, tuned->product) ? tuned : NULL;
}

const TccTunable nvptx_conv_tma = {.kind = TCC_KERNEL_CONV, .read = read_tma, NVPTX_TMA_TUNABLE};
const TccTunable nvptx_conv_ring = {.kind = TCC_KERNEL_CONV, .read = read_ring, NVPTX_RING_TUNABLE};
