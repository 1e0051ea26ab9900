/* conv_depth_first.c - see conv_depth_first.h.
 *
 * A layer that widens an image, a depthwise one and one that narrows it move more bytes than they compute with: 16 -> 72 channels at
 * 56x56 write 900 KB, which the next layer finds in the third cache. Here some rows of the last result are made at a time; each stage
 * computes the rows that the stage behind it asks for and has not had (conv_loops.c), into a buffer of this thread in which rows of all
 * channels follow each other. Where a window reaches over rows of the strip before they stay in the buffer; only at the
 * beginning of what a thread takes they are computed twice. What is between the layers never becomes a tensor.
 *
 * Worth it where one of each two neighbours is depthwise (others compute long enough with what they read), where what lies between would
 * not stay in the second cache, and where all weights and the buffers do. */
#include "lib/targets/x86/conv/conv_depth_first.h"
#include "lib/targets/x86/code/loops.h"
#include "lib/targets/x86/conv/conv_table.h"
#include "tcc/op_kinds.h"

enum { LEAST_STRIPS = 4 /* of an image: threads share them */ };

typedef struct {
  int count;
  TccConvBlocked *stage[TCC_CONV_STAGES];
  int64_t step, high; /* rows of the last result in a strip, strips of an image */
  int64_t rows[TCC_CONV_STAGES], row[TCC_CONV_STAGES] /* floats */;
} DepthFirst;

/* ---- the plan ---- */

static int64_t blocks_of(const TccConvShape *s) { return tcc_ceil_div(s->out_channels, s->lanes); }
static int64_t row_of(const TccConvShape *s) { return blocks_of(s) * s->lanes * s->out[1]; }

/* Bytes of the buffers for strips of `step` rows; rows of each. */
static int64_t buffers(DepthFirst *p, int64_t step) {
  int64_t rows = step, bytes = 0;
  for (int i = p->count - 1; i > 0; i--) {
    const TccConvShape *s = &p->stage[i]->read.shape;
    rows = (rows - 1) * s->stride[0] + (s->kernel[0] - 1) * s->dilation[0] + 1;
    if (rows > s->in[0]) rows = s->in[0];
    p->rows[i - 1] = rows, p->row[i - 1] = row_of(&p->stage[i - 1]->read.shape);
    bytes += rows * p->row[i - 1] * (int64_t)sizeof(float);
  }
  return bytes;
}

/* Few strips, since each walks all weights again and windows reach over its end, whose buffers stay in the second cache beside weights.
 * Where there is room buffers are higher than a strip needs, so that rows that stay are seldom moved. */
static void choose_step(DepthFirst *p) {
  const TccConvShape *last = &p->stage[p->count - 1]->read.shape;
  int64_t high = last->out[0], step = tcc_ceil_div(high, LEAST_STRIPS), room = last->l2_bytes / 4;
  while (step > 1 && buffers(p, step) > room) step--;
  p->high = tcc_ceil_div(high, step), p->step = tcc_ceil_div(high, p->high), p->high = tcc_ceil_div(high, p->step);
  int64_t bytes = buffers(p, p->step);
  for (int i = 0; i + 1 < p->count && bytes < room; i++) {
    int64_t rows = p->rows[i] * room / bytes, all = p->stage[i]->read.shape.out[0];
    p->rows[i] = rows < all ? rows : all;
  }
}

static int64_t weights_of(const TccConvBlocked *c) {
  const TccConvShape *s = &c->read.shape;
  return blocks_of(s) * s->lanes * (s->channels / s->groups) * s->kernel[0] * s->kernel[1] * (int64_t)sizeof(float);
}

static bool is_worth_it(DepthFirst *p) {
  int64_t l2 = p->stage[0]->read.shape.l2_bytes, weights = 0;
  for (int i = 0; i < p->count; i++) {
    const TccConvShape *s = &p->stage[i]->read.shape;
    weights += weights_of(p->stage[i]);
    if (i + 1 == p->count) continue;
    if (!s->depthwise && !p->stage[i + 1]->read.shape.depthwise) return false;
    if (row_of(s) * s->out[0] * (int64_t)sizeof(float) < l2 / 3) return false;
  }
  choose_step(p);
  return weights <= l2 / 4 && p->high >= LEAST_STRIPS && buffers(p, 1) <= l2 / 4;
}

/* ---- reading ---- */

static TccStatus *read_stages(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, DepthFirst *p) {
  *p = (DepthFirst){0};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_kind(ir, op) != TCC_OP_CONV_BLOCKED) continue;
    if (p->count == TCC_CONV_STAGES) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d convolutions", TCC_CONV_STAGES);
    TccConvBlocked *c = TCC_NEW(ir->arena, TccConvBlocked);
    *c = (TccConvBlocked){.read = {.ir = ir, .op = op, .stage = true, .reads_stage = p->count > 0}};
    if (p->count) p->stage[p->count - 1]->read.end = mlirOperationGetOperand(op, 0);
    p->stage[p->count++] = c;
  }
  for (int i = 0; i < p->count; i++) {
    TccConvBlocked *c = p->stage[i];
    const TccConvShape *s = &c->read.shape;
    TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
    if (s->dynamic || s->bytes || s->pairs || s->winograd > 1 || s->phases > 1 || (i && s->plain) || s->out[0] < 1 || s->out[1] < 1)
      return TCC_ERROR(TCC_UNSUPPORTED,
                       "convolutions of dynamic size, transposed or by Winograd's filtering do not go depth first");
  }
  return NULL;
}

bool tcc_conv_depth_first_wanted(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  DepthFirst p;
  TccStatus *status = read_stages(target, ir, kernel, &p);
  tcc_status_destroy(status);
  return !status && p.count > 1 && is_worth_it(&p);
}

/* ---- emission ---- */

enum { BEGIN, STOP, IMAGES, SCRATCH, STRIPS, HEAD, OF_STAGE = 5 + TCC_CONV_GROUPS + TCC_CONV_TENSORS };

static const char *tile_name(const DepthFirst *p, int stage, int group) {
  return tcc_arena_printf(p->stage[0]->read.ir->arena, "tile%d_%d", stage, group);
}

/* In floats, each part of scratch from a line on. */
static int64_t lines(int64_t floats) { return tcc_ceil_div(floats, TCC_CONV_LINE) * TCC_CONV_LINE; }

/* Fills the table; returns the bytes of scratch. Sizes are static. */
static int64_t lay_out(const DepthFirst *p, int64_t *table) {
  int64_t at = 0, bytes = 0;
  table[STRIP_OF] = p->count, table[STRIP_STEP] = p->step, table[STRIP_HIGH] = p->high;
  for (int i = 0; i < p->count; i++) {
    int64_t *of = table + STRIP_STAGES + STRIP_COUNT * i;
    tcc_expr_is_const(tcc_conv_scratch_bytes(p->stage[i]), &bytes);
    of[STRIP_SCRATCH] = at, at += lines(tcc_ceil_div(bytes, (int64_t)sizeof(float)));
    of[STRIP_ROWS] = p->rows[i], of[STRIP_ROW] = p->row[i], of[STRIP_BUFFER] = at, at += lines(p->rows[i] * p->row[i]);
  }
  return at * (int64_t)sizeof(float);
}

static TccStatus *emit_tiles(const DepthFirst *p, TccConvGroup groups[][TCC_CONV_GROUPS], int *ngroups) {
  bool copies = false;
  for (int i = 0; i < p->count; i++) {
    TccConvBlocked *c = p->stage[i];
    const char *names[TCC_CONV_GROUPS];
    for (int g = 0; g < TCC_CONV_GROUPS; g++) names[g] = tile_name(p, i, g);
    TCC_TRY(tcc_conv_tiles_emit(c, names, groups[i], &ngroups[i]));
    if (c->read.shape.plain && !c->read.shape.in_place && !copies) tcc_conv_copy_emit(c), copies = true;
  }
  return NULL;
}

static void emit_call(const DepthFirst *p, const TccKernelEntry *entry, TccVal table, TccConvGroup groups[][TCC_CONV_GROUPS],
                      const int *ngroups) {
  TccKernelEmit *k = p->stage[0]->k;
  TccEmit *e = k->e;
  TccVal args[HEAD + OF_STAGE * TCC_CONV_STAGES];
  const char *types[HEAD + OF_STAGE * TCC_CONV_STAGES];
  int n = HEAD;
  args[BEGIN] = entry->begin, args[STOP] = entry->end, args[IMAGES] = tcc_kernel_size(k, p->stage[0]->read.images);
  args[SCRATCH] = entry->scratch, args[STRIPS] = table;
  for (int i = 0; i < p->count; i++) {
    TccConvBlocked *c = p->stage[i];
    bool last = i + 1 == p->count;
    TccVal none = tcc_emit_zero(e, TCC_PTR);
    args[n++] = c->read.reads_stage ? none : tcc_view_pointer(k, &c->read.x);
    args[n++] = tcc_view_pointer(k, &c->read.w);
    args[n++] = tcc_conv_bias_emit(c);
    args[n++] = tcc_conv_table_emit(c, groups[i], ngroups[i]);
    for (int g = 0; g < TCC_CONV_GROUPS; g++)
      args[n++] = tcc_emit_function_address(e, tile_name(p, i, g < ngroups[i] ? g : ngroups[i] - 1));
    args[n++] = c->read.shape.plain && !c->read.shape.in_place ? tcc_emit_function_address(e, "copy") : none;
    args[n++] = last ? tcc_view_pointer(k, &c->read.epilogue.result) : none;
    for (int t = 0; t < c->read.epilogue.nleaves; t++) args[n++] = tcc_view_pointer(k, &c->read.epilogue.view[t]);
  }
  for (int i = 0; i < n; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  tcc_emit_call(e, "depth_first", n, args, types, NULL);
}

TccStatus *tcc_conv_depth_first_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  DepthFirst chain, *p = &chain;
  TCC_TRY(read_stages(target, ir, kernel, p));
  choose_step(p);
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, kernel);
  for (int i = 0; i < p->count; i++) p->stage[i]->k = &k;
  TccConvGroup groups[TCC_CONV_STAGES][TCC_CONV_GROUPS];
  int ngroups[TCC_CONV_STAGES];
  TccStatus *status = emit_tiles(p, groups, ngroups);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  e->optnone = true;
  tcc_emit_code(e, "depth_first", tcc_conv_depth_first_code());
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  int64_t table[STRIP_STAGES + STRIP_COUNT * TCC_CONV_STAGES], scratch = lay_out(p, table);
  emit_call(p, &entry, tcc_emit_data(e, table, sizeof *table * (size_t)(STRIP_STAGES + STRIP_COUNT * p->count)), groups, ngroups);
  tcc_emit_return(e, 0, NULL);
  const TccExpr *tiles = tcc_expr_mul(ir->exprs, tcc_kernel_slot(&k, p->stage[0]->read.images), tcc_expr_const(ir->exprs, p->high));
  char *schedule =
      tcc_arena_printf(ir->arena, "x86.conv_depth_first/1 step=%lld strips=%lld", (long long)p->step, (long long)p->high);
  for (int i = 0; i < p->count; i++)
    schedule = tcc_arena_printf(ir->arena, "%s, pixels=%d vectors=%d rows=%lld", schedule, p->stage[i]->plan.pixels,
                                p->stage[i]->plan.vectors, (long long)p->rows[i]);
  tcc_kernel_finish(&k, "x86.conv", schedule, tiles, tcc_expr_const(ir->exprs, scratch), out);
  return NULL;
}
