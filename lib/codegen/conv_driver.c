/* conv_driver.c - the loops around a convolution's tiles: one function for all layers.
 *
 * What differs between layers stands in a table of constants and in two pointers to microkernels, so that the driver is a part
 * (emit.h) that the convolutions of a model share, and a layer's own entry is one call. Compiled for each layer, drivers were
 * half of the compile time of MobileNetV3. Strides of the result and of leaves are in bytes: the driver does not know their
 * types. Divisions stand outside of the loop over tiles.
 *
 * drive(begin, end, images, x, w, bias, scratch, table, tile0, tile1, [copy], result, leaf 0, ...); bias: zeros if there is none */
#include "lib/codegen/conv_blocked.h"

enum { LINE = 16 /* floats */, MOST_COLUMNS = 128, GROUPS = 2 };

/* What stands in the table behind the sizes that microkernels read and their zeros. */
enum { HEIGHT /* tiles of work of an image */, TILE_ROWS, OUT_H, BY_PANEL, PANELS, ROWS, DEPTH_BLOCKS, BLOCKS, PANELS_OF_GROUP, BLOCKS_OF_GROUP, W_PANEL, W_BLOCK, PANELS_OF_PHASE, PHASES_W,
       BIAS_PANEL, VECTORS, OUT_BLOCKS, X_IMAGE, X_BLOCK, X_ROW, X_PIXEL, STRIDE_H, STRIDE_W, PAD_H, PAD_W, IN_H, KERNEL_H, DILATION_H,
       WHOLE, COLUMNS, WIDTH, FETCH_ROW, FETCH_TILE, FIRST, END = FIRST + GROUPS, PIXELS = END + GROUPS, TENSORS = PIXELS + GROUPS };
enum { T_IMAGE, T_PANEL, T_ROW, T_PIXEL, T_PHASE_ROW, T_PHASE_PIXEL, T_COUNT }; /* of each tensor, in bytes */
enum { DRIVER_SIZES = TENSORS + T_COUNT * TCC_CONV_TENSORS };
enum { BEGIN, STOP, IMAGES, X, W, BIAS, SCRATCH, TABLE, TILE, COPY = TILE + GROUPS, DRIVER_ARGS = COPY };

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, "i64"};

/* ---- the table ---- */

typedef struct { int64_t size[TCC_CONV_SIZES]; float zeros[16]; int64_t d[DRIVER_SIZES]; } Table;

TccVal tcc_conv_table_emit(const TccConvBlocked *c, int64_t x_image, const TccConvGroup *groups, int ngroups) {
  Table table = {0};
  const TccConvShape *s = &c->shape;
  const TccConvPlan *p = &c->plan;
  int64_t *d = table.d, taps = s->kernel[0] * s->kernel[1], columns = (int64_t)p->vectors * s->lanes, phases = s->phases > 1 ? s->phases : 1;
  table.size[TCC_CONV_SIZE_X_BLOCK] = c->x_block;
  table.size[TCC_CONV_SIZE_X_ROW] = s->dilation[0] * c->x_row;
  table.size[TCC_CONV_SIZE_WIDTH] = s->in[1];
  table.size[TCC_CONV_SIZE_REST] = s->channels / s->groups % s->lanes;
  for (int t = 0; t <= c->epilogue.nleaves; t++) table.size[TCC_CONV_SIZE_BLOCKS + t] = c->at[t].block;
  int64_t height = (s->out[0] + p->tile_rows - 1) / p->tile_rows;
  d[HEIGHT] = height > 1 ? height : 1, d[TILE_ROWS] = p->tile_rows, d[OUT_H] = s->out[0];
  d[BY_PANEL] = p->by_panel, d[PANELS] = p->panels, d[ROWS] = p->rows;
  d[WHOLE] = p->depth_blocks >= c->blocks;
  d[BLOCKS] = c->blocks, d[DEPTH_BLOCKS] = d[WHOLE] ? c->blocks : p->depth_blocks;
  d[PANELS_OF_GROUP] = s->depthwise ? 1 : p->panels / s->groups, d[BLOCKS_OF_GROUP] = s->depthwise ? 1 : c->blocks;
  d[W_BLOCK] = s->depthwise ? taps * s->lanes : taps * (s->plain ? 1 : s->lanes) * columns;
  d[W_PANEL] = (s->depthwise ? 1 : c->blocks) * d[W_BLOCK];
  d[PANELS_OF_PHASE] = p->panels / phases, d[PHASES_W] = c->phases[1];
  d[BIAS_PANEL] = c->has_bias ? columns : 0;
  d[VECTORS] = p->vectors, d[OUT_BLOCKS] = c->out_blocks, d[COLUMNS] = columns;
  d[X_IMAGE] = x_image;
  d[X_BLOCK] = c->x_block, d[X_ROW] = c->x_row, d[X_PIXEL] = c->x_pixel;
  d[STRIDE_H] = s->stride[0], d[STRIDE_W] = s->stride[1], d[PAD_H] = s->pad[0], d[PAD_W] = s->plain ? 0 : s->pad[1];
  d[IN_H] = s->in[0], d[KERNEL_H] = s->kernel[0], d[DILATION_H] = s->dilation[0], d[WIDTH] = s->out[1];
  d[FETCH_TILE] = taps * s->lanes * c->ahead * LINE / TCC_CONV_UNROLL;
  d[FETCH_ROW] = (s->out[1] + p->pixels - 1) / p->pixels * d[FETCH_TILE];
  for (int g = 0; g < ngroups; g++) d[FIRST + g] = groups[g].first, d[END + g] = groups[g].end, d[PIXELS + g] = groups[g].pixels;
  for (int t = 0; t <= c->epilogue.nleaves; t++) {
    int64_t *of = &d[TENSORS + T_COUNT * t], bytes = tcc_elem_bits(t ? c->epilogue.view[t - 1].elem : c->epilogue.result.elem) / 8;
    const TccConvStrides *at = &c->at[t];
    of[T_IMAGE] = bytes * at->image, of[T_PANEL] = bytes * at->block * p->vectors, of[T_ROW] = bytes * at->row, of[T_PIXEL] = bytes * at->pixel;
    of[T_PHASE_ROW] = at->row / c->phases[0] * bytes, of[T_PHASE_PIXEL] = at->pixel / c->phases[1] * bytes;
  }
  return tcc_emit_data(c->k->e, &table, offsetof(Table, d) + sizeof *d * (size_t)(TENSORS + T_COUNT * (1 + c->epilogue.nleaves)));
}

/* ---- the driver ---- */

typedef struct {
  TccEmit *e;
  bool plain;
  int ntensors;
  TccVal arg[DRIVER_ARGS + 1 + TCC_CONV_TENSORS], zero;
} Drive;

static TccVal get(const Drive *d, int which) {
  return tcc_emit_load_once(d->e, "i64", d->arg[TABLE], TCC_CONV_SIZES + 8 + which);
}

static TccVal times(const Drive *d, TccVal index, int which) { return tcc_emit_mul(d->e, index, get(d, which)); }
static TccVal floats(const Drive *d, TccVal p, TccVal index) { return tcc_emit_gep(d->e, "f32", p, index); }
static TccVal divided(const Drive *d, TccVal a, int which) { return tcc_emit_bin(d->e, "udiv", "i64", a, get(d, which)); }
static TccVal rest_of(const Drive *d, TccVal a, int which) { return tcc_emit_bin(d->e, "urem", "i64", a, get(d, which)); }
static TccVal is_set(const Drive *d, int which) { return tcc_emit_icmp(d->e, "ne", "i64", get(d, which), d->zero); }

/* Rows of the window that lie in the image, where its first row is image row `top`. */
static void rows_inside(const Drive *d, TccVal top, TccVal *t0, TccVal *t1) {
  TccEmit *e = d->e;
  TccVal above = tcc_emit_max(e, tcc_emit_sub(e, d->zero, top), d->zero), below = tcc_emit_max(e, tcc_emit_sub(e, get(d, IN_H), top), d->zero);
  TccVal up = tcc_emit_sub(e, get(d, DILATION_H), tcc_emit_i64(e, 1));
  *t0 = divided(d, tcc_emit_add(e, above, up), DILATION_H);
  *t1 = tcc_emit_min(e, divided(d, tcc_emit_add(e, below, up), DILATION_H), get(d, KERNEL_H));
}

typedef struct { TccVal image, first_row, last_row, panel, depth_from; } Work;

/* The tiles of some rows, one panel and some blocks of depth. */
static void emit_rows(const Drive *d, const Work *t) {
  TccEmit *e = d->e;
  TccVal first = tcc_emit_icmp(e, "eq", "i64", t->depth_from, d->zero), zero = d->zero;
  TccVal block = tcc_emit_add(e, times(d, divided(d, t->panel, PANELS_OF_GROUP), BLOCKS_OF_GROUP), t->depth_from);
  TccVal w = floats(d, floats(d, d->arg[W], times(d, t->panel, W_PANEL)), times(d, t->depth_from, W_BLOCK));
  TccVal phase = divided(d, t->panel, PANELS_OF_PHASE), panel = rest_of(d, t->panel, PANELS_OF_PHASE);
  TccVal phase_row = divided(d, phase, PHASES_W), phase_pixel = rest_of(d, phase, PHASES_W);
  TccVal start = floats(d, d->arg[BIAS], times(d, panel, BIAS_PANEL));
  TccVal exist = tcc_emit_min(e, tcc_emit_sub(e, get(d, OUT_BLOCKS), times(d, panel, VECTORS)), get(d, VECTORS));
  TccVal depth = tcc_emit_min(e, tcc_emit_sub(e, get(d, BLOCKS), t->depth_from), get(d, DEPTH_BLOCKS));
  TccVal last = tcc_emit_icmp(e, "eq", "i64", tcc_emit_add(e, t->depth_from, depth), get(d, BLOCKS));
  TccVal flags = tcc_emit_add(e, tcc_emit_mul(e, exist, tcc_emit_i64(e, 16)), tcc_emit_select1(e, "i64", first, zero, tcc_emit_i64(e, 1)));
  flags = tcc_emit_add(e, flags, tcc_emit_select1(e, "i64", last, tcc_emit_i64(e, 4), tcc_emit_i64(e, 2)));
  TccVal tensor[TCC_CONV_TENSORS];
  for (int i = 0; i < d->ntensors; i++) {
    int at = TENSORS + T_COUNT * i;
    TccVal offset = tcc_emit_add(e, times(d, t->image, at + T_IMAGE), times(d, panel, at + T_PANEL));
    offset = tcc_emit_add(e, offset, tcc_emit_add(e, times(d, phase_row, at + T_PHASE_ROW), times(d, phase_pixel, at + T_PHASE_PIXEL)));
    tensor[i] = tcc_emit_gep(e, "i8", d->arg[DRIVER_ARGS + d->plain + i], offset);
  }
  TccVal x0 = d->plain ? d->arg[SCRATCH] : floats(d, d->arg[X], times(d, t->image, X_IMAGE));
  x0 = floats(d, x0, times(d, block, X_BLOCK));
  TccVal fetch = times(d, depth, FETCH_TILE), fetch_row = times(d, depth, FETCH_ROW), all = times(d, depth, W_BLOCK);
  TccLoop row, group, tile;
  tcc_emit_for(e, &row, t->first_row, t->last_row, 1, 0, NULL, NULL);
  TccVal row_in_work = tcc_emit_sub(e, row.iv, t->first_row), x, t0 = zero, t1 = get(d, KERNEL_H);
  if (d->plain) {
    x = floats(d, x0, times(d, times(d, row_in_work, STRIDE_H), X_ROW));
  } else {
    TccVal top = tcc_emit_sub(e, times(d, row.iv, STRIDE_H), get(d, PAD_H));
    rows_inside(d, top, &t0, &t1);
    x = floats(d, x0, times(d, top, X_ROW));
  }
  TccVal result[TCC_CONV_TENSORS], sums = floats(d, d->arg[SCRATCH], times(d, times(d, row_in_work, WIDTH), COLUMNS));
  for (int i = 0; i < d->ntensors; i++) result[i] = tcc_emit_gep(e, "i8", tensor[i], times(d, row.iv, TENSORS + T_COUNT * i + T_ROW));
  TccVal ahead = tcc_emit_mul(e, row_in_work, fetch_row);
  tcc_emit_for(e, &group, zero, tcc_emit_i64(e, GROUPS), 1, 1, &ahead, (const char *const[]){"i64"});
  TccVal second = tcc_emit_icmp(e, "ne", "i64", group.iv, zero), from, end, step;
  from = tcc_emit_select1(e, "i64", second, get(d, FIRST + 1), get(d, FIRST));
  end = tcc_emit_select1(e, "i64", second, get(d, END + 1), get(d, END));
  step = tcc_emit_select1(e, "i64", second, get(d, PIXELS + 1), get(d, PIXELS));
  TccVal micro = tcc_emit_select1(e, TCC_PTR, second, d->arg[TILE + 1], d->arg[TILE]);
  tcc_emit_for_by(e, &tile, from, end, step, 1, group.in, (const char *const[]){"i64"});
  TccVal column = tcc_emit_sub(e, times(d, tile.iv, STRIDE_W), get(d, PAD_W));
  /* tiles take turns with the next block of weights; those after the last share fetch what is there */
  TccVal more = tcc_emit_icmp(e, "slt", "i64", tile.in[0], all);
  TccVal next = floats(d, w, tcc_emit_select1(e, "i64", more, tcc_emit_add(e, tile.in[0], all), zero));
  TccVal kept = floats(d, sums, times(d, tile.iv, COLUMNS)), begin = tcc_emit_select1(e, TCC_PTR, first, start, kept);
  TccVal args[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {floats(d, x, times(d, column, X_PIXEL)), w, begin, kept, t0, t1, column, depth, flags, next, d->arg[TABLE]};
  const char *types[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", TCC_PTR, TCC_PTR};
  for (int i = 0; i < d->ntensors; i++) {
    args[TCC_CONV_MICRO_ARGS + i] = tcc_emit_gep(e, "i8", result[i], times(d, tile.iv, TENSORS + T_COUNT * i + T_PIXEL));
    types[TCC_CONV_MICRO_ARGS + i] = TCC_PTR;
  }
  tcc_emit_call_pointer(e, micro, TCC_CONV_MICRO_ARGS + d->ntensors, args, types);
  ahead = tcc_emit_add(e, tile.in[0], fetch);
  tcc_emit_end_for(e, &tile, &ahead);
  tcc_emit_end_for(e, &group, tile.out);
  tcc_emit_end_for(e, &row, NULL);
}

static int parameters(bool plain, int ntensors, const char **types) {
  for (int i = 0; i < DRIVER_ARGS + 1 + TCC_CONV_TENSORS; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  return DRIVER_ARGS + plain + ntensors;
}

void tcc_conv_driver_emit(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  Drive drive = {.e = e, .plain = c->shape.plain, .ntensors = 1 + c->epilogue.nleaves}, *d = &drive;
  const char *types[DRIVER_ARGS + 1 + TCC_CONV_TENSORS], key[] = {'c', (char)d->plain, (char)d->ntensors};
  if (tcc_emit_part_again(e, c->ir->parts, (TccStr){key, sizeof key}, "drive")) return;
  tcc_emit_function(e, "drive", true, parameters(d->plain, d->ntensors, types), types, NULL, d->arg);
  TccVal zero = d->zero = tcc_emit_i64(e, 0), by_panel = is_set(d, BY_PANEL), height = get(d, HEIGHT);
  TccVal up = tcc_emit_sub(e, height, tcc_emit_i64(e, 1));
  TccLoop work, rows, depth, panel;
  tcc_emit_for(e, &work, divided(d, d->arg[BEGIN], HEIGHT), divided(d, tcc_emit_add(e, d->arg[STOP], up), HEIGHT), 1, 0, NULL, NULL);
  TccVal of_panel = tcc_emit_bin(e, "udiv", "i64", work.iv, d->arg[IMAGES]), of_image = tcc_emit_bin(e, "urem", "i64", work.iv, d->arg[IMAGES]);
  Work t = {.image = tcc_emit_select1(e, "i64", by_panel, of_image, work.iv)};
  TccVal first_panel = tcc_emit_select1(e, "i64", by_panel, of_panel, zero);
  TccVal last_panel = tcc_emit_select1(e, "i64", by_panel, tcc_emit_add(e, of_panel, tcc_emit_i64(e, 1)), get(d, PANELS));
  TccVal start = tcc_emit_mul(e, work.iv, height), first = tcc_emit_max(e, tcc_emit_sub(e, d->arg[BEGIN], start), zero);
  TccVal last = tcc_emit_min(e, tcc_emit_sub(e, d->arg[STOP], start), height);
  first = times(d, first, TILE_ROWS), last = tcc_emit_min(e, times(d, last, TILE_ROWS), get(d, OUT_H));
  tcc_emit_for_by(e, &rows, first, last, get(d, ROWS), 0, NULL, NULL);
  t.first_row = rows.iv, t.last_row = tcc_emit_min(e, tcc_emit_add(e, rows.iv, get(d, ROWS)), last);
  if (d->plain) {
    TccVal args[] = {d->arg[SCRATCH], floats(d, d->arg[X], times(d, t.image, X_IMAGE)), tcc_emit_sub(e, times(d, t.first_row, STRIDE_H), get(d, PAD_H))};
    tcc_emit_call_pointer(e, d->arg[COPY], 3, args, copy_types);
  }
  tcc_emit_for_by(e, &depth, zero, get(d, BLOCKS), get(d, DEPTH_BLOCKS), 0, NULL, NULL);
  t.depth_from = depth.iv;
  tcc_emit_for(e, &panel, first_panel, last_panel, 1, 0, NULL, NULL);
  t.panel = panel.iv;
  emit_rows(d, &t);
  tcc_emit_end_for(e, &panel, NULL);
  tcc_emit_end_for(e, &depth, NULL);
  tcc_emit_end_for(e, &rows, NULL);
  tcc_emit_end_for(e, &work, NULL);
  tcc_emit_return(e, 0, NULL);
  tcc_emit_part_keep(e, c->ir->parts, (TccStr){key, sizeof key}, "drive");
}

void tcc_conv_driver_call(TccConvBlocked *c, const TccKernelEntry *entry, TccVal table, int ngroups) {
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  TccVal args[DRIVER_ARGS + 1 + TCC_CONV_TENSORS];
  const char *types[DRIVER_ARGS + 1 + TCC_CONV_TENSORS];
  bool plain = c->shape.plain;
  int n = parameters(plain, 1 + c->epilogue.nleaves, types);
  args[BEGIN] = entry->begin, args[STOP] = entry->end, args[IMAGES] = tcc_kernel_size(k, c->images);
  args[X] = tcc_view_pointer(k, &c->x), args[W] = tcc_view_pointer(k, &c->w), args[SCRATCH] = entry->scratch, args[TABLE] = table;
  args[BIAS] = c->has_bias ? tcc_view_pointer(k, &c->bias) : tcc_emit_data(e, (const float[MOST_COLUMNS]){0}, sizeof(float) * (size_t)(c->plan.vectors * c->shape.lanes));
  args[TILE] = tcc_emit_function_address(e, "tile0");
  args[TILE + 1] = ngroups > 1 ? tcc_emit_function_address(e, "tile1") : args[TILE];
  if (plain) args[COPY] = tcc_emit_function_address(e, "copy");
  for (int i = 0; i <= c->epilogue.nleaves; i++)
    args[DRIVER_ARGS + plain + i] = tcc_view_pointer(k, i ? &c->epilogue.view[i - 1] : &c->epilogue.result);
  tcc_emit_call(e, "drive", n, args, types, NULL);
}
