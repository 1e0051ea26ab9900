/* conv_winograd.c - the kernel around the three steps of a Winograd convolution. See conv_winograd.h.
 *
 * A tile of work is a part of the panels of a group. Parts of a group follow each other, so that a thread that takes several
 * transforms the inputs once. The driver is one function for all layers, as that of direct convolutions (conv_driver.c): what
 * differs stands in a table. It does not divide but to place a group.
 *
 * drive(begin, end, images, x, w, bias, scratch, table, input, product, output, result, leaf 0, ...) */
#include "lib/codegen/conv_winograd.h"
#include "lib/codegen/conv_schedule.h"

/* Behind the sizes that the steps read and a vector of zeros; of each tensor: image, panel, row of tiles, column of a tile, in bytes. */
enum { M, SIDE, TILES, LANES, PANELS, PARTS, PANELS_OF_PART, HIGH, WIDE, ROWS, COLUMNS, SEGMENTS, X_IMAGE, PAD_H, PAD_W, VECTORS, OUT_BLOCKS, POSITION, SUM_CHUNK, SUMS,
       W_POSITION, BIAS_PANEL, TENSORS };
enum { T_IMAGE, T_PANEL, T_ROW, T_PIXEL, T_COUNT };
enum { DRIVER_SIZES = TENSORS + T_COUNT * TCC_CONV_TENSORS };
enum { BEGIN, END, IMAGES, X, W, BIAS, SCRATCH, TABLE, INPUT, PRODUCT, OUTPUT, DRIVER_ARGS };

typedef struct { int64_t size[TCC_WINOGRAD_SIZES]; float zeros[16]; int64_t d[DRIVER_SIZES]; } Table;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

static int64_t number(const TccExpr *e) {
  int64_t value = 0;
  tcc_expr_is_const(e, &value);
  return value;
}

static TccVal table_emit(const TccWinograd *w) {
  const TccConvBlocked *c = &w->conv;
  const TccConvShape *s = &c->shape;
  const TccWinogradPlan *p = &w->plan;
  Table table = {0};
  int64_t *z = table.size, *d = table.d, side = p->m + 2, lanes = s->lanes, position = p->tiles * lanes, square = side * side * position;
  z[TCC_WINOGRAD_X_ROW] = number(c->x_row), z[TCC_WINOGRAD_X_BLOCK] = number(c->x_block);
  z[TCC_WINOGRAD_IN_H] = s->in[0], z[TCC_WINOGRAD_IN_W] = s->in[1], z[TCC_WINOGRAD_OUT_H] = s->out[0], z[TCC_WINOGRAD_OUT_W] = s->out[1];
  z[TCC_WINOGRAD_BLOCKS] = c->blocks, z[TCC_WINOGRAD_CHUNK] = c->blocks * position;
  z[TCC_WINOGRAD_POSITION] = ceil_div(p->rows * p->columns, p->tiles) * z[TCC_WINOGRAD_CHUNK];
  d[M] = p->m, d[SIDE] = side * side, d[TILES] = p->tiles, d[LANES] = lanes;
  d[PANELS] = p->panels, d[PANELS_OF_PART] = ceil_div(p->panels, p->parts), d[PARTS] = ceil_div(p->panels, d[PANELS_OF_PART]);
  d[HIGH] = p->high, d[WIDE] = p->wide, d[ROWS] = p->rows, d[COLUMNS] = p->columns, d[SEGMENTS] = ceil_div(p->wide, p->columns);
  d[X_IMAGE] = number(c->x_image), d[PAD_H] = s->pad[0], d[PAD_W] = s->pad[1];
  d[VECTORS] = p->vectors, d[OUT_BLOCKS] = c->out_blocks, d[POSITION] = position, d[SUM_CHUNK] = p->vectors * square;
  d[SUMS] = side * side * z[TCC_WINOGRAD_POSITION];
  d[W_POSITION] = c->blocks * lanes * p->vectors * lanes, d[BIAS_PANEL] = p->vectors * lanes;
  for (int t = 0; t <= c->epilogue.nleaves; t++) {
    const TccConvStrides *at = &c->at[t];
    int64_t *of = &d[TENSORS + T_COUNT * t], bytes = tcc_elem_bits(t ? c->epilogue.view[t - 1].elem : c->epilogue.result.elem) / 8;
    z[TCC_WINOGRAD_TENSORS + 2 * t] = number(at->block), z[TCC_WINOGRAD_TENSORS + 2 * t + 1] = number(at->row);
    of[T_IMAGE] = bytes * number(at->image), of[T_PANEL] = bytes * number(at->block) * p->vectors, of[T_ROW] = bytes * number(at->row) * p->m, of[T_PIXEL] = bytes * at->pixel * p->m;
  }
  return tcc_emit_data(c->k->e, &table, offsetof(Table, d) + sizeof *d * (size_t)(TENSORS + T_COUNT * (1 + c->epilogue.nleaves)));
}

/* ---- the driver ---- */

typedef struct { TccEmit *e; int ntensors; TccVal arg[DRIVER_ARGS + TCC_CONV_TENSORS]; } Drive;

static TccVal get(const Drive *d, int which) { return tcc_emit_load_once(d->e, "i64", d->arg[TABLE], TCC_WINOGRAD_SIZES + 8 + which); }
static TccVal times(const Drive *d, TccVal index, int which) { return tcc_emit_mul(d->e, index, get(d, which)); }
static TccVal floats(const Drive *d, TccVal p, TccVal index) { return tcc_emit_gep(d->e, "f32", p, index); }
static TccVal divided(const Drive *d, TccVal a, int which) { return tcc_emit_bin(d->e, "udiv", "i64", a, get(d, which)); }
static TccVal rest_of(const Drive *d, TccVal a, int which) { return tcc_emit_bin(d->e, "urem", "i64", a, get(d, which)); }

/* A group: rows of tiles of all images [first, last), `count` tiles of each from `left` on. */
typedef struct { TccVal first, last, left, count; } Group;
/* One of its rows: its image, its number there, and where its first tile stands in scratch. */
typedef struct { TccLoop loop; TccVal image, row, chunk, place; } Row;

static void open_row(const Drive *d, const Group *g, Row *r) {
  TccEmit *e = d->e;
  tcc_emit_for(e, &r->loop, g->first, g->last, 1, 0, NULL, NULL);
  TccVal number = tcc_emit_mul(e, tcc_emit_sub(e, r->loop.iv, g->first), g->count);
  r->image = divided(d, r->loop.iv, HIGH), r->row = rest_of(d, r->loop.iv, HIGH);
  r->chunk = divided(d, number, TILES), r->place = rest_of(d, number, TILES);
}

static void transform_inputs(const Drive *d, const Group *g) {
  TccEmit *e = d->e;
  static const char *const types[] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", TCC_PTR};
  Row r;
  open_row(d, g, &r);
  TccVal chunk = tcc_emit_mul(e, r.chunk, tcc_emit_load_once(e, "i64", d->arg[TABLE], TCC_WINOGRAD_CHUNK));
  TccVal to = floats(d, floats(d, d->arg[SCRATCH], chunk), times(d, r.place, LANES));
  TccVal top = tcc_emit_sub(e, times(d, r.row, M), get(d, PAD_H)), left = tcc_emit_sub(e, times(d, g->left, M), get(d, PAD_W));
  TccVal args[] = {floats(d, d->arg[X], times(d, r.image, X_IMAGE)), to, r.place, top, left, g->count, d->arg[TABLE]};
  tcc_emit_call_pointer(e, d->arg[INPUT], TCC_WINOGRAD_INPUT_ARGS, args, types);
  tcc_emit_end_for(e, &r.loop, NULL);
}

static void finish_panel(const Drive *d, const Group *g, TccVal panel, TccVal sums) {
  TccEmit *e = d->e;
  const char *types[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, "i64", "i64", "i64", TCC_PTR, "i64", "i64", TCC_PTR};
  TccVal exist = tcc_emit_min(e, tcc_emit_sub(e, get(d, OUT_BLOCKS), times(d, panel, VECTORS)), get(d, VECTORS));
  Row r;
  open_row(d, g, &r);
  TccVal from = floats(d, floats(d, sums, times(d, r.chunk, SUM_CHUNK)), times(d, r.place, LANES));
  TccVal args[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS] = {from, r.place, g->count, exist, floats(d, d->arg[BIAS], times(d, panel, BIAS_PANEL)), times(d, r.row, M),
                                                              times(d, g->left, M), d->arg[TABLE]};
  for (int t = 0; t < d->ntensors; t++) {
    int at = TENSORS + T_COUNT * t;
    TccVal offset = tcc_emit_add(e, times(d, r.image, at + T_IMAGE), times(d, panel, at + T_PANEL));
    offset = tcc_emit_add(e, offset, tcc_emit_add(e, times(d, r.row, at + T_ROW), times(d, g->left, at + T_PIXEL)));
    args[TCC_WINOGRAD_OUTPUT_ARGS + t] = tcc_emit_gep(e, "i8", d->arg[DRIVER_ARGS + t], offset);
    types[TCC_WINOGRAD_OUTPUT_ARGS + t] = TCC_PTR;
  }
  tcc_emit_call_pointer(e, d->arg[OUTPUT], TCC_WINOGRAD_OUTPUT_ARGS + d->ntensors, args, types);
  tcc_emit_end_for(e, &r.loop, NULL);
}

static int parameters(int ntensors, const char **types) {
  for (int i = 0; i < DRIVER_ARGS + ntensors; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  return DRIVER_ARGS + ntensors;
}

static void driver_emit(TccWinograd *w) {
  TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  Drive drive = {.e = e, .ntensors = 1 + c->epilogue.nleaves}, *d = &drive;
  const char *types[DRIVER_ARGS + TCC_CONV_TENSORS], key[] = {'w', (char)d->ntensors};
  if (tcc_emit_part_again(e, c->ir->parts, (TccStr){key, sizeof key}, "drive")) return;
  tcc_emit_function(e, "drive", true, parameters(d->ntensors, types), types, NULL, d->arg);
  TccVal zero = tcc_emit_i64(e, 0), one = tcc_emit_i64(e, 1);
  TccLoop work, panel, position;
  tcc_emit_for(e, &work, d->arg[BEGIN], d->arg[END], 1, 0, NULL, NULL);
  TccVal group = divided(d, work.iv, PARTS), part = rest_of(d, work.iv, PARTS);
  Group g = {.first = times(d, divided(d, group, SEGMENTS), ROWS), .left = times(d, rest_of(d, group, SEGMENTS), COLUMNS)};
  g.last = tcc_emit_min(e, tcc_emit_add(e, g.first, get(d, ROWS)), times(d, d->arg[IMAGES], HIGH));
  g.count = tcc_emit_min(e, tcc_emit_sub(e, get(d, WIDE), g.left), get(d, COLUMNS));
  TccVal begins = tcc_emit_bin(e, "or", "i1", tcc_emit_icmp(e, "eq", "i64", part, zero), tcc_emit_icmp(e, "eq", "i64", work.iv, d->arg[BEGIN]));
  TccIf fresh;
  tcc_emit_if(e, &fresh, begins, 0, NULL);
  transform_inputs(d, &g);
  tcc_emit_end_if(e, &fresh, NULL);
  TccVal tiles = tcc_emit_mul(e, tcc_emit_sub(e, g.last, g.first), g.count), sums = floats(d, d->arg[SCRATCH], get(d, SUMS));
  TccVal chunks = divided(d, tcc_emit_add(e, tiles, tcc_emit_sub(e, get(d, TILES), one)), TILES), first = times(d, part, PANELS_OF_PART);
  tcc_emit_for(e, &panel, first, tcc_emit_min(e, tcc_emit_add(e, first, get(d, PANELS_OF_PART)), get(d, PANELS)), 1, 0, NULL, NULL);
  tcc_emit_for(e, &position, zero, get(d, SIDE), 1, 0, NULL, NULL);
  TccVal place = times(d, position.iv, POSITION), at = tcc_emit_add(e, times(d, panel.iv, SIDE), position.iv);
  TccVal from = tcc_emit_mul(e, position.iv, tcc_emit_load_once(e, "i64", d->arg[TABLE], TCC_WINOGRAD_POSITION));
  TccVal args[] = {floats(d, d->arg[SCRATCH], from), floats(d, d->arg[W], times(d, at, W_POSITION)), floats(d, sums, place), chunks, d->arg[TABLE]};
  tcc_emit_call_pointer(e, d->arg[PRODUCT], TCC_WINOGRAD_PRODUCT_ARGS, args, (const char *const[]){TCC_PTR, TCC_PTR, TCC_PTR, "i64", TCC_PTR});
  tcc_emit_end_for(e, &position, NULL);
  finish_panel(d, &g, panel.iv, sums);
  tcc_emit_end_for(e, &panel, NULL);
  tcc_emit_end_for(e, &work, NULL);
  tcc_emit_return(e, 0, NULL);
  tcc_emit_part_keep(e, c->ir->parts, (TccStr){key, sizeof key}, "drive");
}

static void driver_call(TccWinograd *w, const TccKernelEntry *entry) {
  TccConvBlocked *c = &w->conv;
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  TccVal args[DRIVER_ARGS + TCC_CONV_TENSORS];
  const char *types[DRIVER_ARGS + TCC_CONV_TENSORS];
  int n = parameters(1 + c->epilogue.nleaves, types);
  args[BEGIN] = entry->begin, args[END] = entry->end, args[IMAGES] = tcc_kernel_size(k, c->images);
  args[X] = tcc_view_pointer(k, &c->x), args[W] = tcc_view_pointer(k, &c->w), args[SCRATCH] = entry->scratch, args[TABLE] = table_emit(w);
  args[BIAS] = c->has_bias ? tcc_view_pointer(k, &c->bias) : args[TABLE];
  args[INPUT] = tcc_emit_function_address(e, "input"), args[PRODUCT] = tcc_emit_function_address(e, "product"), args[OUTPUT] = tcc_emit_function_address(e, "output");
  for (int i = 0; i <= c->epilogue.nleaves; i++) args[DRIVER_ARGS + i] = tcc_view_pointer(k, i ? &c->epilogue.view[i - 1] : &c->epilogue.result);
  tcc_emit_call(e, "drive", n, args, types, NULL);
}

TccStatus *tcc_winograd_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccKernelCode *out) {
  TccWinograd *w = TCC_NEW(ir->arena, TccWinograd);
  TccConvBlocked *c = &w->conv;
  c->ir = ir, c->op = op;
  TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
  if (!tcc_winograd_reads(c)) return TCC_ERROR(TCC_UNSUPPORTED, "a convolution by Winograd's filtering between views of dynamic strides");
  TCC_TRY(tcc_winograd_obey(kernel, c, &w->plan));
  const TccConvShape *s = &c->shape;
  const TccWinogradPlan *p = &w->plan;
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, &target->machine, kernel);
  c->k = &k;
  c->vector = tcc_emit_vector(e, "f32", s->lanes);
  tcc_winograd_input_emit(w, "input");
  tcc_winograd_product_emit(w, "product");
  TccStatus *status = tcc_winograd_output_emit(w, "output");
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  e->drives = true;
  driver_emit(w);
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  driver_call(w, &entry);
  tcc_emit_return(e, 0, NULL);
  TccExprPool *pool = ir->exprs;
  int64_t parts = ceil_div(p->panels, ceil_div(p->panels, p->parts));
  const TccExpr *rows = tcc_expr_mul(pool, tcc_kernel_slot(&k, c->images), tcc_expr_const(pool, p->high));
  const TccExpr *groups = tcc_expr_call(pool, TCC_EXPR_CEILDIV, rows, tcc_expr_const(pool, p->rows));
  const TccExpr *units = tcc_expr_mul(pool, groups, tcc_expr_const(pool, ceil_div(p->wide, p->columns) * parts));
  const char *schedule = tcc_arena_printf(ir->arena, "x86.conv_winograd/1 outputs=%dx%d tiles=%d vectors=%d rows=%lld columns=%lld parts=%lld fetch=%d", p->m, p->m, p->tiles,
                                          p->vectors, (long long)p->rows, (long long)p->columns, (long long)parts, p->fetch);
  tcc_kernel_finish(&k, "x86.conv", schedule, units, tcc_expr_const(pool, tcc_winograd_scratch(s, p) * 4), out);
  return NULL;
}
