/* conv_driver.c - what stands around a convolution's tiles: the call of the loops (conv_loops.c), which are the same for all layers,
 * and the padded copy of a plain image.
 *
 * loops(begin, end, images, x, w, bias, scratch, table, tile0, tile1, tile2, copy, result, leaf 0, ...); bias: zeros if there is none */
#include "lib/targets/x86/code/loops.h"
#include "lib/targets/x86/conv/conv_table.h"

enum { MOST_COLUMNS = 128 };

enum { BEGIN, STOP, IMAGES, X, W, BIAS, SCRATCH, TABLE, TILE, COPY = TILE + TCC_CONV_GROUPS, LOOPS_ARGS };

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, "i64", TCC_PTR};
const char *const tcc_conv_tile_names[TCC_CONV_GROUPS] = {"tile0", "tile1", "tile2"};

typedef struct {
  TccEmit *e;
  TccVal table;
} Copy;

static TccVal get(const Copy *d, int which) { return tcc_emit_load_once(d->e, "i64", d->table, TCC_CONV_DRIVER + which); }
static TccVal times(const Copy *d, TccVal index, int which) { return tcc_emit_mul(d->e, index, get(d, which)); }
static TccVal floats(const Copy *d, TccVal p, TccVal index) { return tcc_emit_gep(d->e, "f32", p, index); }

/* ---- the padded copy of a plain image: copy(to, from, first row, table) ---- */

void tcc_conv_copy_emit(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  int lanes = c->read.shape.lanes;
  const char key[] = {'p', (char)lanes};
  if (tcc_emit_routine_again(e, c->read.ir->routines, (TccStr){key, sizeof key}, "copy")) return;
  TccVal arg[4];
  tcc_emit_function(e, "copy", true, 4, copy_types, NULL, arg);
  Copy copied = {e, arg[3]}, *d = &copied;
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
  TccVal length = tcc_emit_select1(e, "i64", inside, in_width, zero),
         whole = tcc_emit_bin(e, "and", "i64", length, tcc_emit_i64(e, -lanes));
  TccVal from = floats(d, plane, times(d, at, COPY_ROW));
  to = floats(d, to, get(d, COPY_LEAD));
  tcc_emit_for(e, &move, zero, whole, lanes, 0, NULL, NULL);
  tcc_emit_store(e, c->vector, tcc_emit_load(e, c->vector, floats(d, from, move.iv)), floats(d, to, move.iv));
  tcc_emit_end_for(e, &move, NULL);
  tcc_emit_for(e, &rest, whole, tcc_emit_sub(e, width, get(d, COPY_LEAD)), lanes, 0, NULL,
               NULL); /* reads beside the image are zeros */
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, length, rest.iv), lanes);
  tcc_emit_store(e, c->vector, tcc_emit_masked_load(e, c->vector, floats(d, from, rest.iv), mask), floats(d, to, rest.iv));
  tcc_emit_end_for(e, &rest, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &channel, NULL);
  tcc_emit_return(e, 0, NULL);
  tcc_emit_routine_keep(e, c->read.ir->routines, (TccStr){key, sizeof key}, "copy");
}

void tcc_conv_driver_emit(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  if (c->read.shape.plain && !c->read.shape.in_place) tcc_conv_copy_emit(c);
  e->optnone = true;
  tcc_emit_code(e, "loops", tcc_conv_loops_code());
}

TccVal tcc_conv_bias_emit(TccConvBlocked *c) {
  if (c->read.has_bias) return tcc_view_pointer(c->k, &c->read.bias);
  return tcc_emit_data(c->k->e, (const float[MOST_COLUMNS]){0}, sizeof(float) * (size_t)(c->plan.vectors * c->read.shape.lanes));
}

void tcc_conv_driver_call(TccConvBlocked *c, const TccKernelEntry *entry, TccVal table, int ngroups) {
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  TccVal args[LOOPS_ARGS + TCC_CONV_TENSORS];
  const char *types[LOOPS_ARGS + TCC_CONV_TENSORS];
  int n = LOOPS_ARGS + 1 + c->read.epilogue.nleaves;
  for (int i = 0; i < n; i++) types[i] = i <= IMAGES ? "i64" : TCC_PTR;
  args[BEGIN] = entry->begin, args[STOP] = entry->end, args[IMAGES] = tcc_kernel_size(k, c->read.images);
  args[X] = tcc_view_pointer(k, &c->read.x), args[W] = tcc_view_pointer(k, &c->read.w), args[SCRATCH] = entry->scratch,
  args[TABLE] = table;
  args[BIAS] = tcc_conv_bias_emit(c);
  for (int g = 0; g < TCC_CONV_GROUPS; g++)
    args[TILE + g] = g < ngroups ? tcc_emit_function_address(e, tcc_conv_tile_names[g]) : args[TILE + ngroups - 1];
  args[COPY] = c->read.shape.plain && !c->read.shape.in_place ? tcc_emit_function_address(e, "copy") : tcc_emit_zero(e, TCC_PTR);
  for (int i = 0; i <= c->read.epilogue.nleaves; i++)
    args[LOOPS_ARGS + i] = tcc_view_pointer(k, i ? &c->read.epilogue.view[i - 1] : &c->read.epilogue.result);
  tcc_emit_call(e, "loops", n, args, types, NULL);
}
