/* conv_winograd.c - the kernel around the three steps of a Winograd convolution. See conv_winograd.h.
 *
 * A tile of work is a part of the panels of a group. Parts of a group follow each other, so that a thread that takes several
 * transforms the inputs once. What differs between layers stands in a table that the loops read (conv_winograd_loops.c).
 *
 * loops(begin, end, images, x, w, bias, scratch, table, input, product, output, result, leaf 0, ...) */
#include "lib/targets/x86/code/loops.h"
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/conv/conv_winograd_table.h"

enum { BEGIN, END, IMAGES, X, W, BIAS, SCRATCH, TABLE, INPUT, PRODUCT, OUTPUT, LOOPS_ARGS };

enum { ZEROS = 8 /* words of a vector */, TABLE_SIZES = TCC_WINOGRAD_SIZES + ZEROS + DRIVER_SIZES };

/* How an image is cut into groups and these into tiles of work: numbers of the plan, or by the sizes of a call. */
typedef struct {
  const TccExpr *high, *wide, *rows, *columns, *segments, *panels_of_part, *parts, *units;
} Cut;

static const TccExpr *number(const TccWinograd *w, int64_t n) { return tcc_expr_const(w->conv.read.ir->exprs, n); }
static const TccExpr *times(const TccWinograd *w, const TccExpr *e, int64_t n) {
  return tcc_expr_mul(w->conv.read.ir->exprs, e, number(w, n));
}
static const TccExpr *call(const TccWinograd *w, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  return tcc_expr_call(w->conv.read.ir->exprs, f, a, b);
}
static const TccExpr *pieces(const TccWinograd *w, const TccExpr *a, const TccExpr *b) { return call(w, TCC_EXPR_CEILDIV, a, b); }
static const TccExpr *positive(const TccWinograd *w, const TccExpr *e) { return call(w, TCC_EXPR_MAX, e, number(w, 1)); }

/* As conv_winograd_plan.c cuts an image of known size: groups of as many tiles, at most, as the plan's, and parts where groups are few. */
static Cut cut_of(const TccWinograd *w) {
  const TccConvBlockedProblem *c = &w->conv.read;
  const TccWinogradPlan *p = &w->plan;
  const TccExpr *m = number(w, p->m), *group = number(w, p->rows * p->columns), *panels = number(w, p->panels);
  Cut cut = {.high = pieces(w, c->out[0], m), .wide = pieces(w, c->out[1], m)};
  const TccExpr *all = tcc_expr_mul(c->ir->exprs, c->images, cut.high), *parts = number(w, p->parts);
  if (c->shape.dynamic) {
    const TccExpr *wide = positive(w, cut.wide), *rows = positive(w, all),
                  *most = positive(w, call(w, TCC_EXPR_FLOORDIV, group, wide));
    cut.segments = pieces(w, wide, group), cut.columns = pieces(w, wide, cut.segments);
    cut.rows = pieces(w, rows, pieces(w, rows, most));
  } else cut.rows = number(w, p->rows), cut.columns = number(w, p->columns), cut.segments = pieces(w, cut.wide, cut.columns);
  const TccExpr *groups = tcc_expr_mul(c->ir->exprs, pieces(w, all, cut.rows), cut.segments);
  if (c->shape.dynamic)
    parts = call(w, TCC_EXPR_MIN, panels, pieces(w, number(w, TCC_WINOGRAD_GROUPS_TO_SHARE), positive(w, groups)));
  cut.panels_of_part = pieces(w, panels, parts), cut.parts = pieces(w, panels, cut.panels_of_part);
  cut.units = tcc_expr_mul(c->ir->exprs, groups, cut.parts);
  return cut;
}

static void set_steps(const TccWinograd *w, const TccExpr **z) {
  const TccConvBlockedProblem *c = &w->conv.read;
  const TccWinogradPlan *p = &w->plan;
  const int64_t chunk = c->blocks * p->tiles * c->shape.lanes;
  z[TCC_WINOGRAD_X_ROW] = c->x_row, z[TCC_WINOGRAD_X_BLOCK] = c->x_block;
  z[TCC_WINOGRAD_IN_H] = c->in[0], z[TCC_WINOGRAD_IN_W] = c->in[1], z[TCC_WINOGRAD_OUT_H] = c->out[0],
  z[TCC_WINOGRAD_OUT_W] = c->out[1];
  z[TCC_WINOGRAD_BLOCKS] = number(w, c->blocks), z[TCC_WINOGRAD_CHUNK] = number(w, chunk);
  z[TCC_WINOGRAD_POSITION] = number(w, tcc_ceil_div(p->rows * p->columns, p->tiles) * chunk);
  for (int t = 0; t <= c->epilogue.nleaves; t++)
    z[TCC_WINOGRAD_TENSORS + 2 * t] = c->at[t].block, z[TCC_WINOGRAD_TENSORS + 2 * t + 1] = c->at[t].row;
}

static void set_loops(const TccWinograd *w, const Cut *cut, const TccExpr **d) {
  const TccConvBlockedProblem *c = &w->conv.read;
  const TccConvShape *s = &c->shape;
  const TccWinogradPlan *p = &w->plan;
  const int64_t side = p->m + 2, lanes = s->lanes, position = p->tiles * lanes, panel = p->vectors * lanes;
  d[NTENSORS] = number(w, 1 + c->epilogue.nleaves), d[M] = number(w, p->m), d[SIDE] = number(w, side * side);
  d[TILES] = number(w, p->tiles), d[LANES] = number(w, lanes), d[PANELS] = number(w, p->panels);
  d[PANELS_OF_PART] = cut->panels_of_part, d[PARTS] = cut->parts, d[HIGH] = cut->high, d[WIDE] = cut->wide;
  d[ROWS] = cut->rows, d[COLUMNS] = cut->columns, d[SEGMENTS] = cut->segments;
  d[X_IMAGE] = c->x_image, d[PAD_H] = number(w, s->pad[0]), d[PAD_W] = number(w, s->pad[1]);
  d[VECTORS] = number(w, p->vectors), d[OUT_BLOCKS] = number(w, c->out_blocks), d[POSITION] = number(w, position);
  d[SUM_CHUNK] = number(w, p->vectors * side * side * position), d[BIAS_PANEL] = number(w, panel);
  d[SUMS] = number(w, side * side * tcc_ceil_div(p->rows * p->columns, p->tiles) * c->blocks * position);
  d[W_POSITION] = number(w, c->blocks * lanes * panel);
  for (int t = 0; t <= c->epilogue.nleaves; t++) {
    const TccExpr **of = &d[TENSORS + T_COUNT * t];
    const int64_t bytes = tcc_elem_bits(t ? c->epilogue.view[t - 1].elem : c->epilogue.result.elem) / 8;
    of[T_IMAGE] = times(w, c->at[t].image, bytes), of[T_PANEL] = times(w, c->at[t].block, bytes * p->vectors);
    of[T_ROW] = times(w, c->at[t].row, bytes * p->m), of[T_PIXEL] = number(w, bytes * c->at[t].pixel * p->m);
  }
}

/* Constant bytes where all sizes are known, else in the kernel's sizes, as that of direct convolutions (conv_table.c). */
static TccVal table_emit(const TccWinograd *w, const Cut *cut) {
  const TccExpr *all[TABLE_SIZES];
  const size_t count = (size_t)(TCC_WINOGRAD_SIZES + ZEROS + TENSORS + T_COUNT * (1 + w->conv.read.epilogue.nleaves));
  int64_t known[TABLE_SIZES];
  bool is_static = true;
  for (size_t i = 0; i < count; i++) all[i] = number(w, 0);
  set_steps(w, all), set_loops(w, cut, all + TCC_WINOGRAD_SIZES + ZEROS);
  for (size_t i = 0; i < count; i++) is_static = tcc_expr_is_const(all[i], &known[i]) && is_static;
  return is_static ? tcc_emit_data(w->conv.k->e, known, count * sizeof *known) : tcc_kernel_size_table(w->conv.k, all, count);
}

static void loops_call(TccWinograd *w, const Cut *cut, const TccKernelEntry *entry) {
  TccConvBlocked *c = &w->conv;
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  TccVal args[LOOPS_ARGS + TCC_CONV_TENSORS];
  const char *types[LOOPS_ARGS + TCC_CONV_TENSORS];
  int n = LOOPS_ARGS + 1 + c->read.epilogue.nleaves;
  for (int i = 0; i < n; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  args[BEGIN] = entry->begin, args[END] = entry->end, args[IMAGES] = tcc_kernel_size(k, c->read.images);
  args[X] = tcc_view_pointer(k, &c->read.x), args[W] = tcc_view_pointer(k, &c->read.w), args[SCRATCH] = entry->scratch,
  args[TABLE] = table_emit(w, cut);
  args[BIAS] = c->read.has_bias ? tcc_view_pointer(k, &c->read.bias) : args[TABLE];
  args[INPUT] = tcc_emit_function_address(e, "input"), args[PRODUCT] = tcc_emit_function_address(e, "product"),
  args[OUTPUT] = tcc_emit_function_address(e, "output");
  for (int i = 0; i <= c->read.epilogue.nleaves; i++)
    args[LOOPS_ARGS + i] = tcc_view_pointer(k, i ? &c->read.epilogue.view[i - 1] : &c->read.epilogue.result);
  tcc_emit_call(e, "loops", n, args, types, NULL);
}

TccStatus *tcc_winograd_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccKernelCode *out) {
  TccWinograd *w = TCC_NEW(ir->arena, TccWinograd);
  TccConvBlocked *c = &w->conv;
  c->read.ir = ir, c->read.op = op;
  TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
  TCC_TRY(tcc_winograd_apply_schedule(kernel, c, &w->plan));
  const TccConvShape *s = &c->read.shape;
  const TccWinogradPlan *p = &w->plan;
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, kernel);
  c->k = &k;
  c->vector = tcc_emit_vector(e, "f32", s->lanes);
  tcc_winograd_input_emit(w, "input");
  TccStatus *status = tcc_winograd_product_emit(w, "product")
                          ? NULL
                          : TCC_ERROR(TCC_UNSUPPORTED, "a register tile of %d x %d vectors", p->tiles, p->vectors);
  if (!status) status = tcc_winograd_output_emit(w, "output");
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  e->optnone = true;
  tcc_emit_code(e, "loops", tcc_winograd_loops_code());
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  const Cut cut = cut_of(w);
  loops_call(w, &cut, &entry);
  tcc_emit_return(e, 0, NULL);
  const char *schedule = tcc_arena_printf(
      ir->arena, "x86.conv_winograd/1 outputs=%dx%d tiles=%d vectors=%d rows=%lld columns=%lld parts=%lld fetch=%d", p->m, p->m,
      p->tiles, p->vectors, (long long)p->rows, (long long)p->columns,
      (long long)tcc_ceil_div(p->panels, tcc_ceil_div(p->panels, p->parts)), p->prefetch);
  tcc_kernel_finish(&k, "x86.conv", schedule, tcc_kernel_slot(&k, cut.units), number(w, tcc_winograd_scratch(s, p) * 4), out);
  return NULL;
}
