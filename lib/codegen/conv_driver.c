/* conv_driver.c - the loops around a convolution's tiles: one function for all layers.
 *
 * What differs between layers stands in a table of constants and in two pointers to microkernels, so that the driver is a part
 * (emit.h) that the convolutions of a model share, and a layer's own entry is one call. Compiled for each layer, drivers were
 * half of the compile time of MobileNetV3. Strides of the result and of leaves are in bytes: the driver does not know their
 * types. Divisions stand outside of the loop over tiles.
 *
 * drive(begin, end, images, x, w, bias, scratch, table, tile0, tile1, tile2, [copy], result, leaf 0, ...); bias: zeros if there is none */
#include "lib/codegen/conv_table.h"

enum { MOST_COLUMNS = 128 };

enum { BEGIN, STOP, IMAGES, X, W, BIAS, SCRATCH, TABLE, TILE, COPY = TILE + TCC_CONV_GROUPS, DRIVER_ARGS = COPY };

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, "i64", TCC_PTR};
const char *const tcc_conv_tile_names[TCC_CONV_GROUPS] = {"tile0", "tile1", "tile2"};

/* ---- the driver ---- */

typedef struct {
  TccEmit *e;
  bool plain, dynamic;
  int ntensors;
  TccVal arg[DRIVER_ARGS + 1 + TCC_CONV_TENSORS], zero;
} Drive;

static TccVal get(const Drive *d, int which) {
  return tcc_emit_load_once(d->e, "i64", d->arg[TABLE], TCC_CONV_DRIVER + which);
}

static TccVal times(const Drive *d, TccVal index, int which) { return tcc_emit_mul(d->e, index, get(d, which)); }
static TccVal floats(const Drive *d, TccVal p, TccVal index) { return tcc_emit_gep(d->e, "f32", p, index); }
static TccVal divided(const Drive *d, TccVal a, int which) { return tcc_emit_bin(d->e, "udiv", "i64", a, get(d, which)); }

/* a / b and a % b by branches that a layer always takes alike where it can: most divisors are 1 or larger than all that is
 * divided, and a division takes as long as eighty multiply-adds. */
static TccVal quotient(const Drive *d, TccVal a, TccVal b, TccVal *rest) {
  TccEmit *e = d->e;
  const char *const types[] = {"i64", "i64"};
  TccIf less, one;
  tcc_emit_if(e, &less, tcc_emit_icmp(e, "ult", "i64", a, b), 2, types);
  tcc_emit_else(e, &less, (TccVal[]){d->zero, a});
  tcc_emit_if(e, &one, tcc_emit_icmp(e, "eq", "i64", b, tcc_emit_i64(e, 1)), 2, types);
  tcc_emit_else(e, &one, (TccVal[]){a, d->zero});
  TccVal q = tcc_emit_bin(e, "udiv", "i64", a, b);
  tcc_emit_end_if(e, &one, (TccVal[]){q, tcc_emit_sub(e, a, tcc_emit_mul(e, q, b))});
  tcc_emit_end_if(e, &less, one.out);
  if (rest) *rest = less.out[1];
  return less.out[0];
}

static TccVal is_set(const Drive *d, int which) { return tcc_emit_icmp(d->e, "ne", "i64", get(d, which), d->zero); }

/* Rows of the window that lie in the image, where its first row is image row `top`. */
static void rows_inside(const Drive *d, TccVal top, TccVal *t0, TccVal *t1) {
  TccEmit *e = d->e;
  TccVal above = tcc_emit_max(e, tcc_emit_sub(e, d->zero, top), d->zero), below = tcc_emit_max(e, tcc_emit_sub(e, get(d, IN_H), top), d->zero);
  TccVal up = tcc_emit_sub(e, get(d, DILATION_H), tcc_emit_i64(e, 1));
  *t0 = quotient(d, tcc_emit_add(e, above, up), get(d, DILATION_H), NULL);
  *t1 = tcc_emit_min(e, quotient(d, tcc_emit_add(e, below, up), get(d, DILATION_H), NULL), get(d, KERNEL_H));
}

typedef struct { TccVal image, first_row, last_row, panel, depth_from; } Work;

/* What the tiles of one row share. */
typedef struct {
  const Work *work;
  TccVal x, w, first, start, sums, t0, t1, depth, flags, fetch, all;
  const TccVal *result;
} Tiles;

/* One tile from output column `at` on; its sums wait at `kept`. *ahead moves on. */
static void emit_tile(const Drive *d, const Tiles *t, TccVal micro, TccVal at, TccVal kept_at, TccVal *ahead) {
  TccEmit *e = d->e;
  TccVal column = tcc_emit_sub(e, times(d, at, STRIDE_W), get(d, PAD_W));
  /* tiles take turns with the next block of weights; those after the last share fetch what is there */
  TccVal more = tcc_emit_icmp(e, "slt", "i64", *ahead, t->all);
  TccVal next = floats(d, t->w, tcc_emit_select1(e, "i64", more, tcc_emit_add(e, *ahead, t->all), d->zero));
  TccVal kept = floats(d, t->sums, times(d, kept_at, COLUMNS)), begin = tcc_emit_select1(e, TCC_PTR, t->first, t->start, kept);
  TccVal args[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {floats(d, t->x, times(d, column, X_PIXEL)), t->w, begin, kept, t->t0, t->t1, column, t->depth, t->flags, next, d->arg[TABLE]};
  const char *types[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", TCC_PTR, TCC_PTR};
  for (int i = 0; i < d->ntensors; i++) {
    args[TCC_CONV_MICRO_ARGS + i] = tcc_emit_gep(e, "i8", t->result[i], times(d, at, TENSORS + T_COUNT * i + T_PIXEL));
    types[TCC_CONV_MICRO_ARGS + i] = TCC_PTR;
  }
  tcc_emit_call_pointer(e, micro, TCC_CONV_MICRO_ARGS + d->ntensors, args, types);
  *ahead = tcc_emit_add(e, *ahead, t->fetch);
}

/* Two groups of tiles whose sizes differ by one. */
static void emit_static_row(const Drive *d, const Tiles *t, TccVal ahead) {
  TccEmit *e = d->e;
  TccLoop group, tile;
  tcc_emit_for(e, &group, d->zero, tcc_emit_i64(e, 2), 1, 1, &ahead, (const char *const[]){"i64"});
  TccVal second = tcc_emit_icmp(e, "ne", "i64", group.iv, d->zero), from, end, step;
  from = tcc_emit_select1(e, "i64", second, get(d, FIRST + 1), get(d, FIRST));
  end = tcc_emit_select1(e, "i64", second, get(d, END + 1), get(d, END));
  step = tcc_emit_select1(e, "i64", second, get(d, PIXELS + 1), get(d, PIXELS));
  TccVal micro = tcc_emit_select1(e, TCC_PTR, second, d->arg[TILE + 1], d->arg[TILE]);
  tcc_emit_for_by(e, &tile, from, end, step, 1, group.in, (const char *const[]){"i64"});
  ahead = tile.in[0];
  emit_tile(d, t, micro, tile.iv, tile.iv, &ahead);
  tcc_emit_end_for(e, &tile, &ahead);
  tcc_emit_end_for(e, &group, tile.out);
}

/* Whole tiles; then, where what is left is too much for smaller ones, one that ends with the row; parts, the last of which does
 * the same; single pixels in rows that are narrower than that. */
static void emit_dynamic_row(const Drive *d, const Tiles *t, TccVal ahead) {
  TccEmit *e = d->e;
  TccLoop tile;
  TccVal width = get(d, WIDTH), whole = get(d, PIXELS), part = get(d, PIXELS + 1), one = tcc_emit_i64(e, 1);
  TccVal fits_whole = tcc_emit_icmp(e, "sge", "i64", width, whole), fits_part = tcc_emit_icmp(e, "sge", "i64", width, part);
  tcc_emit_for(e, &tile, d->zero, width, 1, 1, &ahead, (const char *const[]){"i64"});
  TccVal left = tcc_emit_sub(e, width, tile.iv), big, small;
  big = tcc_emit_bin(e, "or", "i1", tcc_emit_icmp(e, "sge", "i64", left, whole), tcc_emit_icmp(e, "sgt", "i64", left, get(d, MOST_REST)));
  big = tcc_emit_bin(e, "and", "i1", big, fits_whole);
  small = tcc_emit_bin(e, "and", "i1", tcc_emit_icmp(e, "sgt", "i64", left, one), fits_part);
  TccVal size = tcc_emit_select1(e, "i64", big, whole, tcc_emit_select1(e, "i64", small, part, one));
  TccVal micro = tcc_emit_select1(e, TCC_PTR, big, d->arg[TILE], tcc_emit_select1(e, TCC_PTR, small, d->arg[TILE + 1], d->arg[TILE + 2]));
  ahead = tile.in[0];
  emit_tile(d, t, micro, tcc_emit_min(e, tile.iv, tcc_emit_sub(e, width, size)), tile.iv, &ahead);
  tile.step = size;
  tcc_emit_end_for(e, &tile, &ahead);
}

/* The tiles of some rows, one panel and some blocks of depth. */
static void emit_rows(const Drive *d, const Work *t) {
  TccEmit *e = d->e;
  TccVal first = tcc_emit_icmp(e, "eq", "i64", t->depth_from, d->zero), zero = d->zero;
  TccVal block = tcc_emit_add(e, times(d, quotient(d, t->panel, get(d, PANELS_OF_GROUP), NULL), BLOCKS_OF_GROUP), t->depth_from);
  TccVal w = floats(d, floats(d, d->arg[W], times(d, t->panel, W_PANEL)), times(d, t->depth_from, W_BLOCK));
  TccVal panel, phase_pixel, phase = quotient(d, t->panel, get(d, PANELS_OF_PHASE), &panel), phase_row = quotient(d, phase, get(d, PHASES_W), &phase_pixel);
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
  TccLoop row;
  tcc_emit_for(e, &row, t->first_row, t->last_row, 1, 0, NULL, NULL);
  TccVal row_in_work = tcc_emit_sub(e, row.iv, t->first_row), x, t0 = zero, t1 = get(d, KERNEL_H);
  if (d->plain) {
    x = floats(d, x0, times(d, times(d, row_in_work, STRIDE_H), X_ROW));
  } else {
    TccVal top = tcc_emit_sub(e, times(d, row.iv, STRIDE_H), get(d, PAD_H));
    rows_inside(d, top, &t0, &t1);
    x = floats(d, x0, times(d, top, X_ROW));
  }
  TccVal result[TCC_CONV_TENSORS], sums = floats(d, d->arg[SCRATCH], times(d, times(d, row_in_work, SUMS_WIDTH), COLUMNS));
  for (int i = 0; i < d->ntensors; i++) result[i] = tcc_emit_gep(e, "i8", tensor[i], times(d, row.iv, TENSORS + T_COUNT * i + T_ROW));
  Tiles tiles = {t, x, w, first, start, sums, t0, t1, depth, flags, fetch, all, result};
  TccVal ahead = tcc_emit_mul(e, row_in_work, fetch_row);
  if (d->dynamic) emit_dynamic_row(d, &tiles, ahead);
  else emit_static_row(d, &tiles, ahead);
  tcc_emit_end_for(e, &row, NULL);
}

/* ---- the padded copy of a plain image: copy(to, from, first row, table) ---- */

static void emit_copy(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  int lanes = c->shape.lanes;
  const char key[] = {'p', (char)lanes};
  if (tcc_emit_part_again(e, c->ir->parts, (TccStr){key, sizeof key}, "copy")) return;
  TccVal arg[4];
  tcc_emit_function(e, "copy", true, 4, copy_types, NULL, arg);
  Drive drive = {.e = e, .arg[TABLE] = arg[3]}, *d = &drive;
  TccVal zero = tcc_emit_i64(e, 0), width = get(d, X_ROW), in_width = tcc_emit_load_once(e, "i64", arg[3], TCC_CONV_SIZE_WIDTH);
  TccLoop channel, row, lead, move, rest;
  tcc_emit_for(e, &channel, zero, get(d, CHANNELS), 1, 0, NULL, NULL);
  TccVal plane = floats(d, arg[1], times(d, channel.iv, COPY_BLOCK)), copy = floats(d, arg[0], times(d, channel.iv, X_BLOCK));
  tcc_emit_for(e, &row, zero, get(d, COPY_ROWS), 1, 0, NULL, NULL);
  TccVal to = floats(d, copy, times(d, row.iv, X_ROW)), at = tcc_emit_add(e, arg[2], row.iv);
  tcc_emit_for(e, &lead, zero, get(d, COPY_LEAD), lanes, 0, NULL, NULL);
  tcc_emit_store(e, c->vector, tcc_emit_zero(e, c->vector), floats(d, to, lead.iv));
  tcc_emit_end_for(e, &lead, NULL);
  TccVal inside = tcc_emit_icmp(e, "ult", "i64", at, get(d, IN_H));
  TccVal length = tcc_emit_select1(e, "i64", inside, in_width, zero), whole = tcc_emit_bin(e, "and", "i64", length, tcc_emit_i64(e, -lanes));
  TccVal from = floats(d, plane, times(d, at, COPY_ROW));
  to = floats(d, to, get(d, COPY_LEAD));
  tcc_emit_for(e, &move, zero, whole, lanes, 0, NULL, NULL);
  tcc_emit_store(e, c->vector, tcc_emit_load(e, c->vector, floats(d, from, move.iv)), floats(d, to, move.iv));
  tcc_emit_end_for(e, &move, NULL);
  tcc_emit_for(e, &rest, whole, tcc_emit_sub(e, width, get(d, COPY_LEAD)), lanes, 0, NULL, NULL); /* reads beside the image are zeros */
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, length, rest.iv), lanes);
  tcc_emit_store(e, c->vector, tcc_emit_masked_load(e, c->vector, floats(d, from, rest.iv), mask), floats(d, to, rest.iv));
  tcc_emit_end_for(e, &rest, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &channel, NULL);
  tcc_emit_return(e, 0, NULL);
  tcc_emit_part_keep(e, c->ir->parts, (TccStr){key, sizeof key}, "copy");
}

static int parameters(bool plain, int ntensors, const char **types) {
  for (int i = 0; i < DRIVER_ARGS + 1 + TCC_CONV_TENSORS; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  return DRIVER_ARGS + plain + ntensors;
}

void tcc_conv_driver_emit(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  if (c->shape.plain) emit_copy(c);
  e->drives = true;
  Drive drive = {.e = e, .plain = c->shape.plain, .dynamic = c->shape.dynamic, .ntensors = 1 + c->epilogue.nleaves}, *d = &drive;
  const char *types[DRIVER_ARGS + 1 + TCC_CONV_TENSORS], key[] = {'c', (char)d->plain, (char)d->dynamic, (char)d->ntensors};
  if (tcc_emit_part_again(e, c->ir->parts, (TccStr){key, sizeof key}, "drive")) return;
  tcc_emit_function(e, "drive", true, parameters(d->plain, d->ntensors, types), types, NULL, d->arg);
  TccVal zero = d->zero = tcc_emit_i64(e, 0), by_panel = is_set(d, BY_PANEL), height = get(d, HEIGHT);
  TccVal up = tcc_emit_sub(e, height, tcc_emit_i64(e, 1));
  TccLoop work, rows, depth, panel;
  tcc_emit_for(e, &work, divided(d, d->arg[BEGIN], HEIGHT), divided(d, tcc_emit_add(e, d->arg[STOP], up), HEIGHT), 1, 0, NULL, NULL);
  TccVal of_image, of_panel = quotient(d, work.iv, d->arg[IMAGES], &of_image);
  Work t = {.image = tcc_emit_select1(e, "i64", by_panel, of_image, work.iv)};
  TccVal first_panel = tcc_emit_select1(e, "i64", by_panel, of_panel, zero);
  TccVal last_panel = tcc_emit_select1(e, "i64", by_panel, tcc_emit_add(e, of_panel, tcc_emit_i64(e, 1)), get(d, PANELS));
  TccVal start = tcc_emit_mul(e, work.iv, height), first = tcc_emit_max(e, tcc_emit_sub(e, d->arg[BEGIN], start), zero);
  TccVal last = tcc_emit_min(e, tcc_emit_sub(e, d->arg[STOP], start), height);
  first = times(d, first, TILE_ROWS), last = tcc_emit_min(e, times(d, last, TILE_ROWS), get(d, OUT_H));
  tcc_emit_for_by(e, &rows, first, last, get(d, ROWS), 0, NULL, NULL);
  t.first_row = rows.iv, t.last_row = tcc_emit_min(e, tcc_emit_add(e, rows.iv, get(d, ROWS)), last);
  if (d->plain) {
    TccVal args[] = {d->arg[SCRATCH], floats(d, d->arg[X], times(d, t.image, X_IMAGE)), tcc_emit_sub(e, times(d, t.first_row, STRIDE_H), get(d, PAD_H)), d->arg[TABLE]};
    tcc_emit_call_pointer(e, d->arg[COPY], 4, args, copy_types);
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
  for (int g = 0; g < TCC_CONV_GROUPS; g++) args[TILE + g] = g < ngroups ? tcc_emit_function_address(e, tcc_conv_tile_names[g]) : args[TILE + ngroups - 1];
  if (plain) args[COPY] = tcc_emit_function_address(e, "copy");
  for (int i = 0; i <= c->epilogue.nleaves; i++)
    args[DRIVER_ARGS + plain + i] = tcc_view_pointer(k, i ? &c->epilogue.view[i - 1] : &c->epilogue.result);
  tcc_emit_call(e, "drive", n, args, types, NULL);
}
