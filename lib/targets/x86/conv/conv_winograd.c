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

typedef struct {
  int64_t size[TCC_WINOGRAD_SIZES];
  float zeros[16];
  int64_t d[DRIVER_SIZES];
} Table;

static int64_t number(const TccExpr *e) {
  int64_t value = 0;
  tcc_expr_is_const(e, &value);
  return value;
}

static TccVal table_emit(const TccWinograd *w) {
  const TccConvBlocked *c = &w->conv;
  const TccConvShape *s = &c->read.shape;
  const TccWinogradPlan *p = &w->plan;
  Table table = {0};
  int64_t *z = table.size, *d = table.d, side = p->m + 2, lanes = s->lanes, position = p->tiles * lanes,
          chunk_size = side * side * position;
  z[TCC_WINOGRAD_X_ROW] = number(c->read.x_row), z[TCC_WINOGRAD_X_BLOCK] = number(c->read.x_block);
  z[TCC_WINOGRAD_IN_H] = s->in[0], z[TCC_WINOGRAD_IN_W] = s->in[1], z[TCC_WINOGRAD_OUT_H] = s->out[0],
  z[TCC_WINOGRAD_OUT_W] = s->out[1];
  z[TCC_WINOGRAD_BLOCKS] = c->read.blocks, z[TCC_WINOGRAD_CHUNK] = c->read.blocks * position;
  z[TCC_WINOGRAD_POSITION] = tcc_ceil_div(p->rows * p->columns, p->tiles) * z[TCC_WINOGRAD_CHUNK];
  d[NTENSORS] = 1 + c->read.epilogue.nleaves;
  d[M] = p->m, d[SIDE] = side * side, d[TILES] = p->tiles, d[LANES] = lanes;
  d[PANELS] = p->panels, d[PANELS_OF_PART] = tcc_ceil_div(p->panels, p->parts),
  d[PARTS] = tcc_ceil_div(p->panels, d[PANELS_OF_PART]);
  d[HIGH] = p->high, d[WIDE] = p->wide, d[ROWS] = p->rows, d[COLUMNS] = p->columns, d[SEGMENTS] = tcc_ceil_div(p->wide, p->columns);
  d[X_IMAGE] = number(c->read.x_image), d[PAD_H] = s->pad[0], d[PAD_W] = s->pad[1];
  d[VECTORS] = p->vectors, d[OUT_BLOCKS] = c->read.out_blocks, d[POSITION] = position, d[SUM_CHUNK] = p->vectors * chunk_size;
  d[SUMS] = side * side * z[TCC_WINOGRAD_POSITION];
  d[W_POSITION] = c->read.blocks * lanes * p->vectors * lanes, d[BIAS_PANEL] = p->vectors * lanes;
  for (int t = 0; t <= c->read.epilogue.nleaves; t++) {
    const TccConvStrides *at = &c->read.at[t];
    int64_t *of = &d[TENSORS + T_COUNT * t],
            bytes = tcc_elem_bits(t ? c->read.epilogue.view[t - 1].elem : c->read.epilogue.result.elem) / 8;
    z[TCC_WINOGRAD_TENSORS + 2 * t] = number(at->block), z[TCC_WINOGRAD_TENSORS + 2 * t + 1] = number(at->row);
    of[T_IMAGE] = bytes * number(at->image), of[T_PANEL] = bytes * number(at->block) * p->vectors,
    of[T_ROW] = bytes * number(at->row) * p->m, of[T_PIXEL] = bytes * at->pixel * p->m;
  }
  return tcc_emit_data(c->k->e, &table,
                       offsetof(Table, d) + sizeof *d * (size_t)(TENSORS + T_COUNT * (1 + c->read.epilogue.nleaves)));
}

static void loops_call(TccWinograd *w, const TccKernelEntry *entry) {
  TccConvBlocked *c = &w->conv;
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  TccVal args[LOOPS_ARGS + TCC_CONV_TENSORS];
  const char *types[LOOPS_ARGS + TCC_CONV_TENSORS];
  int n = LOOPS_ARGS + 1 + c->read.epilogue.nleaves;
  for (int i = 0; i < n; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  args[BEGIN] = entry->begin, args[END] = entry->end, args[IMAGES] = tcc_kernel_size(k, c->read.images);
  args[X] = tcc_view_pointer(k, &c->read.x), args[W] = tcc_view_pointer(k, &c->read.w), args[SCRATCH] = entry->scratch,
  args[TABLE] = table_emit(w);
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
  if (!tcc_winograd_reads(c))
    return TCC_ERROR(TCC_UNSUPPORTED, "a convolution by Winograd's filtering between views of dynamic strides");
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
  loops_call(w, &entry);
  tcc_emit_return(e, 0, NULL);
  TccExprPool *pool = ir->exprs;
  int64_t parts = tcc_ceil_div(p->panels, tcc_ceil_div(p->panels, p->parts));
  const TccExpr *rows = tcc_expr_mul(pool, tcc_kernel_slot(&k, c->read.images), tcc_expr_const(pool, p->high));
  const TccExpr *groups = tcc_expr_call(pool, TCC_EXPR_CEILDIV, rows, tcc_expr_const(pool, p->rows));
  const TccExpr *units = tcc_expr_mul(pool, groups, tcc_expr_const(pool, tcc_ceil_div(p->wide, p->columns) * parts));
  const char *schedule = tcc_arena_printf(
      ir->arena, "x86.conv_winograd/1 outputs=%dx%d tiles=%d vectors=%d rows=%lld columns=%lld parts=%lld fetch=%d", p->m, p->m,
      p->tiles, p->vectors, (long long)p->rows, (long long)p->columns, (long long)parts, p->prefetch);
  tcc_kernel_finish(&k, "x86.conv", schedule, units, tcc_expr_const(pool, tcc_winograd_scratch(s, p) * 4), out);
  return NULL;
}
