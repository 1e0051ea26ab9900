/* contract.c - emits the tile function of a contraction. See contract.h for the structure of the loops. */
#include "lib/targets/x86/contract/contract.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/code/prefetch_rows.h"
#include "lib/targets/x86/contract/contract_internal.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R, TENSORS = TCC_CONTRACT_TENSORS };
enum { DIRECT_ROWS = 2 /* at most that are not worth a packed panel */ };
enum { STRIP = 32 /* rows of panels that are packed together */ };
typedef TccContract Contract;
typedef TccContractTile Tile;

static int64_t align64(int64_t bytes) { return (bytes + 63) & ~(int64_t)63; }
static int64_t panel_width(const Contract *c) { return (int64_t)c->plan.vectors * c->type.lanes; }

/* Bytes of the three parts of the scratch; rows have slack for the last vector of their packer. */
static void scratch_sizes(const Contract *c, int64_t *a, int64_t *b, int64_t *acc) {
  const TccContractPlan *p = &c->plan;
  int64_t nr = panel_width(c), blocks = p->kept_blocks ? p->kept_blocks : 1;
  *a = blocks * tcc_contract_left_bytes(c);
  *b = c->read->packed_nr && !tcc_contract_is_narrow(c)
           ? 0
           : align64(p->kc * nr * c->type.packed_bytes * (c->plan.together ? c->plan.together : 1));
  *acc = align64((p->one_block ? p->rows : p->mb) * p->ldc * c->type.acc_bytes);
}

/* Where the k block of panel `number` lies in the packed operand [batch][panel][k][nr]. */
static TccVal packed_panel(TccKernelEmit *k, const Contract *c, const Tile *t, TccVal number, TccVal k0) {
  TccEmit *e = k->e;
  int64_t nr = panel_width(c), unit = tcc_micro_unit(&c->type);
  TccVal whole = tcc_emit_mul(e, tcc_emit_round_up(e, tcc_kernel_size(k, c->read->k.count), unit), tcc_emit_i64(e, nr));
  if (c->read->packed_batched)
    number = tcc_emit_add(e, number, tcc_emit_mul(e, t->batch, tcc_emit_ceil_div(e, tcc_kernel_size(k, c->read->n.count), nr)));
  TccVal base = tcc_emit_load_once(e, TCC_PTR, k->arguments, c->read->packed_argument);
  TccVal offset = tcc_emit_add(e, tcc_emit_mul(e, number, whole), tcc_emit_mul(e, k0, tcc_emit_i64(e, nr)));
  return tcc_emit_gep(e, tcc_contract_is_narrow(c) ? "i16" : c->type.packed, base, offset);
}

static const char *const widen_types[] = {TCC_PTR, TCC_PTR, "i64"};

/* name(dst, src, n): n elements of a narrow panel as f32; n is a multiple of four vectors. */
static void emit_widen(TccKernelEmit *k, const char *name, const TccMicroType *t) {
  TccEmit *e = k->e;
  const char *params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", "i64"};
  const char *memory = tcc_scalar_memory_type(t->b), *from = tcc_emit_vector(e, memory, t->lanes),
             *to = tcc_emit_vector(e, t->packed, t->lanes);
  TccVal arg[3];
  tcc_emit_function(e, name, true, 3, params, NULL, arg);
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), arg[2], 4 * t->lanes, 0, NULL, NULL);
  TccVal src = tcc_emit_gep(e, memory, arg[1], loop.iv), dst = tcc_emit_gep(e, t->packed, arg[0], loop.iv);
  for (int i = 0; i < 4; i++) {
    TccVal v = tcc_emit_load(e, from, tcc_emit_at(e, memory, src, i * t->lanes));
    tcc_emit_prefetch(e, tcc_emit_at(e, memory, src, i * t->lanes + 1024), false, 3);
    tcc_emit_store(e, to, tcc_scalar_convert(e, t->b, TCC_ELEM_F32, t->lanes, v), tcc_emit_at(e, t->packed, dst, i * t->lanes));
  }
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* Where the k block of panel `number` lies in an operand that is no packed one. */
static TccVal plain_panel(TccKernelEmit *k, const Contract *c, const Tile *t, TccVal number) {
  TccEmit *e = k->e;
  TccVal column = tcc_emit_mul(e, number, tcc_emit_i64(e, panel_width(c)));
  TccVal offset = tcc_emit_add(e, tcc_span_offset(k, &c->read->batch, B, t->batch), tcc_span_offset(k, &c->read->n, B, column));
  offset = tcc_emit_mul(e, tcc_emit_add(e, offset, tcc_span_offset(k, &c->read->k, B, t->k0)),
                        tcc_emit_i64(e, tcc_elem_bits(c->read->b.elem) / 8));
  return tcc_emit_gep(e, "i8", tcc_view_pointer(k, &c->read->b), offset);
}

/* stored: of a narrow operand, where the panel lies; single rows widen it as they read it. */
typedef struct {
  TccVal panel, stored, prefetch, number, acc_column;
  const char *tile;
} Panel;

static const char *const tail_names[] = {"tile_tail_1", "tile_tail_2", "tile_tail_3", "tile_tail_4", "tile_tail_5"};

/* Row tiles [from, to) of `height` rows each, by function `name`; in_place: of rows that are read where they lie. */
typedef struct {
  const char *name;
  int64_t height;
  TccVal from, to;
  bool in_place;
} RowTiles;

/* A register tile's product. any_width: of a panel that may have fewer columns, here `width`. */
typedef struct {
  const char *name;
  TccVal a, b, acc, how, prefetch, width;
  bool any_width;
} TileCall;

/* Of an unknown number of columns with as many vectors as the panel has columns for. */
static void call_tile(TccEmit *e, const Contract *c, const Tile *t, const TileCall *call) {
  TccIf narrow[sizeof tail_names / sizeof *tail_names];
  int tails = call->any_width && c->plan.any_tail ? c->plan.vectors - 1 : 0;
  for (int v = 1; v <= tails; v++) {
    TccVal fits = tcc_emit_icmp(e, "sle", "i64", call->width, tcc_emit_i64(e, (int64_t)v * c->type.lanes));
    tcc_emit_if(e, &narrow[v - 1], fits, 0, NULL);
    tcc_micro_call(e, tail_names[v - 1], call->a, call->b, call->acc, t->k_groups, call->how, call->prefetch);
    tcc_emit_else(e, &narrow[v - 1], NULL);
  }
  tcc_micro_call(e, call->name, call->a, call->b, call->acc, t->k_groups, call->how, call->prefetch);
  for (int v = tails; v >= 1; v--) tcc_emit_end_if(e, &narrow[v - 1], NULL);
}

/* Where the result has the sums of a register tile, which is whole. */
static TccVal result_at(TccKernelEmit *k, const Contract *c, const TccEpilogueCall *at) {
  TccEmit *e = k->e;
  TccVal offset = tcc_emit_add(e, tcc_span_offset(k, &c->read->batch, R, at->batch), tcc_span_offset(k, &c->read->m, R, at->row));
  offset = tcc_emit_add(e, offset, tcc_span_offset(k, &c->read->n, R, at->column));
  return tcc_emit_gep(e, c->type.acc, tcc_view_pointer(k, &c->read->epilogue.result), offset);
}

/* i1: all rows and columns of a register tile exist. tails: one of fewer vectors has a body of its own, which stores no more than they are. */
static TccVal is_whole(TccEmit *e, const Contract *c, TccVal rows, TccVal width, int64_t height, bool tails) {
  TccVal all_rows = tcc_emit_icmp(e, "eq", "i64", rows, tcc_emit_i64(e, height)), all_columns;
  if (tails)
    all_columns = tcc_emit_icmp(e, "eq", "i64", tcc_emit_rem(e, width, tcc_emit_i64(e, c->type.lanes)), tcc_emit_i64(e, 0));
  else all_columns = tcc_emit_icmp(e, "eq", "i64", width, tcc_emit_i64(e, panel_width(c)));
  return tcc_emit_bin(e, "and", "i1", all_rows, all_columns);
}

/* Where a row of the packed left operand is, in elements; k_major: a single one lies within its register tile. */
static TccVal packed_row(TccEmit *e, const TccContractPlan *p, TccVal row, bool single) {
  if (!p->k_major || !single) return tcc_emit_mul(e, row, tcc_emit_i64(e, p->lda));
  TccVal in = tcc_emit_rem(e, row, tcc_emit_i64(e, p->rows));
  return tcc_emit_add(e, tcc_emit_mul(e, tcc_emit_sub(e, row, in), tcc_emit_i64(e, p->lda)), in);
}

/* What register tile `number` of a panel prefetches: its share. What is behind the next panel would drive out what is needed before: it is prefetched again
 * instead. */
static TccVal prefetch_at(TccEmit *e, const Contract *c, const Tile *t, const Panel *q, TccVal number) {
  const TccMicroType *type = &c->type;
  if (c->plan.prefetch_stride)
    return tcc_emit_gep(e, "i8", q->prefetch, tcc_emit_mul(e, number, tcc_emit_i64(e, c->plan.prefetch_each)));
  TccVal each = tcc_emit_mul(e, t->k_groups, t->prefetch_bytes), behind = tcc_emit_mul(e, number, each);
  TccVal panel = tcc_emit_mul(e, t->k_groups, tcc_emit_i64(e, panel_width(c) * type->k_group * type->packed_bytes));
  behind = tcc_emit_min(e, behind, tcc_emit_max(e, tcc_emit_sub(e, panel, each), tcc_emit_i64(e, 0)));
  return tcc_emit_gep(e, "i8", q->prefetch, behind);
}

/* Rows of a body for the last ones of an unknown number, which are no more than half of a register tile: such a call takes half the time, and memory sets
 * its pace (four rows times 768x3072, one thread of a Zen 5: 158 us and 113). 0: there is none. */
static int64_t half_rows(const Contract *c) {
  enum { LEAST_ROWS = 6 };
  const TccContractPlan *p = &c->plan;
  return p->single && !p->any_tail && c->type.engine != TCC_MICRO_TILES && p->rows >= LEAST_ROWS ? p->rows / 2 : 0;
}

/* These row tiles against one panel. */
static void emit_row_tiles(TccKernelEmit *k, const Contract *c, const Tile *t, const Panel *q, const RowTiles *tiles) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const TccMicroType *type = &c->type;
  const int64_t nr = panel_width(c), height = tiles->height;
  TccVal from = tiles->from, to = tiles->to;
  TccLoop row;
  if (c->plan.together) from = tcc_emit_max(e, from, t->from), to = tcc_emit_min(e, to, t->to);
  /* The number of a register tile, whose share is prefetched, is carried: a division in each iteration is not optimised here. */
  TccVal number =
      tcc_emit_div(e, c->plan.together ? tcc_emit_sub(e, from, t->from) : from, tcc_emit_i64(e, height == 1 ? 1 : p->rows));
  tcc_emit_for(e, &row, from, to, height, 1, &number, (const char *const[]){"i64"});
  TccVal a_row = p->in_place && !tiles->in_place ? tcc_emit_sub(e, row.iv, t->whole_rows) : row.iv;
  TccVal a = tcc_emit_gep(e, type->packed, tiles->in_place ? t->a_source : t->a, packed_row(e, p, a_row, height == 1));
  TccVal acc = t->c;
  if (!p->one_block)
    acc = tcc_emit_gep(e, type->acc, t->c, tcc_emit_add(e, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, p->ldc)), q->acc_column));
  TccVal prefetch = prefetch_at(e, c, t, q, row.in[0]);
  TccVal rows = height == 1 ? tcc_emit_i64(e, 1) : tcc_emit_min(e, tcc_emit_i64(e, height), tcc_emit_sub(e, to, row.iv));
  TccVal column = tcc_emit_mul(e, q->number, tcc_emit_i64(e, nr));
  TccVal width = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, tcc_kernel_size(k, c->read->n.count), column));
  TccEpilogueCall call = {acc, t->batch, tcc_emit_add(e, t->row0, row.iv), column, rows, width};
  TccIf done;
  if (c->prefetches) {
    if (!p->one_block) tcc_emit_if(e, &done, t->is_last, 0, NULL);
    tcc_epilogue_call(k, "prefetch", &call);
    if (!p->one_block) tcc_emit_end_if(e, &done, NULL);
  }
  bool one_row = height == 1 && p->rows > 1;
  TccVal ends = t->is_last; /* i1: there is something to do for the epilogue */
  TccVal how = t->how;
  if (c->stores == TCC_CONTRACT_STORES_ALL) {
    acc = result_at(k, c, &call);
  } else if (c->stores == TCC_CONTRACT_STORES_WHOLE) {
    TccVal whole = is_whole(e, c, rows, width, height, !one_row && p->any_tail);
    acc = tcc_emit_select1(e, TCC_PTR, whole, result_at(k, c, &call), acc);
    ends = tcc_emit_bin(e, "xor", "i1", whole, tcc_emit_int(e, "i1", 1));
    if (c->apart) {
      TccVal apart = tcc_emit_select1(e, "i64", whole, tcc_kernel_size(k, c->apart), tcc_emit_i64(e, p->ldc));
      how = tcc_emit_add(e, how, tcc_emit_mul(e, apart, tcc_emit_i64(e, (int64_t)type->acc_bytes << TCC_MICRO_LDC_BITS)));
    }
  }
  TileCall product = {.name = tiles->name,
                      .a = a,
                      .b = one_row && q->stored ? q->stored : q->panel,
                      .acc = acc,
                      .how = how,
                      .prefetch = prefetch,
                      .width = width,
                      .any_width = !one_row};
  call_tile(e, c, t, &product);
  if (ends) tcc_emit_if(e, &done, ends, 0, NULL);
  call.frame = t->frame;
  if (c->stores < TCC_CONTRACT_STORES_ALL) tcc_epilogue_call(k, "epilogue", &call);
  if (ends) tcc_emit_end_if(e, &done, NULL);
  number = tcc_emit_add(e, row.in[0], tcc_emit_i64(e, 1));
  tcc_emit_end_for(e, &row, &number);
}

/* Rows [from, to) that have a copy, from a multiple of those of a register tile on: whole ones, then the last by as many rows as it needs. */
static void emit_copied_rows(TccKernelEmit *k, const Contract *c, const Tile *t, const Panel *q, TccVal from, TccVal to) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const int64_t half = half_rows(c);
  TccVal whole = to, height = tcc_emit_i64(e, p->rows);
  if (half) {
    TccVal rest = tcc_emit_rem(e, tcc_emit_sub(e, to, from), height);
    whole = tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "sle", "i64", rest, tcc_emit_i64(e, half)), tcc_emit_sub(e, to, rest), to);
  }
  emit_row_tiles(k, c, t, q, &(RowTiles){q->tile, p->rows, from, whole, false});
  if (half) emit_row_tiles(k, c, t, q, &(RowTiles){"tile_half", half, whole, to, false});
}

/* One panel of columns against all rows of the tile. */
static void emit_rows(TccKernelEmit *k, const Contract *c, const Tile *t, const Panel *q) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  TccVal zero = tcc_emit_i64(e, 0), full = t->rows;
  if (p->single) {
    TccVal rest = tcc_emit_rem(e, t->rows, tcc_emit_i64(e, p->rows));
    TccVal few = tcc_emit_icmp(e, "sle", "i64", rest, tcc_emit_i64(e, tcc_contract_single_rows(p)));
    full = tcc_emit_select1(e, "i64", few, tcc_emit_sub(e, t->rows, rest), t->rows);
  }
  if (q->stored) {
    TccIf some;
    TccVal args[] = {q->panel, q->stored, tcc_emit_mul(e, t->kpadded, tcc_emit_i64(e, panel_width(c)))};
    tcc_emit_if(e, &some, tcc_emit_icmp(e, "sgt", "i64", full, zero), 0, NULL);
    tcc_emit_call(e, "widen_panel", 3, args, widen_types, NULL);
    tcc_emit_end_if(e, &some, NULL);
  }
  if (p->in_place) emit_row_tiles(k, c, t, q, &(RowTiles){q->tile, p->rows, zero, t->whole_rows, true});
  if (!p->in_place || p->ragged) emit_copied_rows(k, c, t, q, p->in_place ? t->whole_rows : zero, full);
  if (p->single) emit_row_tiles(k, c, t, q, &(RowTiles){"tile_row", 1, full, t->rows, p->in_place});
}

/* Each row of the tile against one panel of the right operand where it lies. */
static void emit_direct(TccKernelEmit *k, const Contract *c, const Tile *t, const Panel *q, TccVal column, TccVal width) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  TccVal panel = plain_panel(k, c, t, q->number);
  TccLoop row;
  TccIf done;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), t->rows, 1, 0, NULL, NULL);
  TccVal a = tcc_emit_gep(e, c->type.packed, p->in_place ? t->a_source : t->a, packed_row(e, p, row.iv, true));
  TccVal at = p->one_block ? tcc_emit_i64(e, 0) : tcc_emit_add(e, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, p->ldc)), q->acc_column);
  TccVal sums = tcc_emit_gep(e, c->type.acc, t->c, at);
  tcc_contract_direct_call(k, "row_direct", c, t, a, panel, sums, width);
  TccEpilogueCall call = {sums, t->batch, tcc_emit_add(e, t->row0, row.iv), column, tcc_emit_i64(e, 1), width, t->frame};
  if (!p->one_block) tcc_emit_if(e, &done, t->is_last, 0, NULL);
  tcc_epilogue_call(k, "epilogue", &call);
  if (!p->one_block) tcc_emit_end_if(e, &done, NULL);
  tcc_emit_end_for(e, &row, NULL);
}

/* What is prefetched while a packed panel is met, `next` of many rows: a panel that one register tile meets alone asks for as many lines as it reads, and
 * for those that follow soon. The next panel may be most of the second cache away, which then drops what it holds before it is read. (One thread of a Zen 5,
 * us: two rows times 2048x5632 1160 and 804, four 1216 and 860, two times 512x512 9.4 and 8.6, four times 768x3072 110 and 109; half or twice as far is
 * slower from memory.) */
static TccVal prefetched(TccEmit *e, const Contract *c, const Tile *t, TccVal panel, TccVal next) {
  enum { AHEAD = 8192 /* bytes */ };
  if (c->type.engine == TCC_MICRO_TILES) return next;
  TccVal alone = tcc_emit_icmp(e, "sle", "i64", t->rows, tcc_emit_i64(e, c->plan.rows));
  return tcc_emit_select1(e, TCC_PTR, alone, tcc_emit_at(e, "i8", panel, AHEAD), next);
}

/* Panels [from, to) of the group that starts at panel `group`. */
static void emit_panels(TccKernelEmit *k, const Contract *c, const Tile *t, TccVal group, TccVal from, TccVal to,
                        const char *name) {
  TccEmit *e = k->e;
  int64_t nr = panel_width(c);
  TccLoop loop;
  tcc_emit_for(e, &loop, from, to, 1, 0, NULL, NULL);
  Panel q = {.number = loop.iv, .tile = name, .acc_column = tcc_emit_mul(e, tcc_emit_sub(e, loop.iv, group), tcc_emit_i64(e, nr))};
  if (c->read->packed_nr) { /* after the last panel comes the group's first, at the next block */
    TccVal following = tcc_emit_add(e, loop.iv, tcc_emit_i64(e, 1));
    q.panel = packed_panel(k, c, t, loop.iv, t->k0);
    if (c->plan.one_block) { /* the next call's first panel, if this is the last */
      q.prefetch = packed_panel(k, c, t, following, t->k0);
    } else {
      TccVal more = tcc_emit_icmp(e, "slt", "i64", following, t->last);
      TccVal next_k = tcc_emit_select1(e, "i64", more, t->k0, tcc_emit_add(e, t->k0, t->kcount));
      q.prefetch = packed_panel(k, c, t, tcc_emit_select1(e, "i64", more, following, group), next_k);
    }
    q.prefetch = prefetched(e, c, t, q.panel, q.prefetch);
    if (tcc_contract_is_narrow(c)) q.stored = q.panel, q.panel = t->b;
  } else {
    TccVal column = tcc_emit_mul(e, loop.iv, tcc_emit_i64(e, nr));
    TccVal width = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, tcc_kernel_size(k, c->read->n.count), column));
    TccPackCall call = {t->b, t->batch, column, width, width, t->k0, t->kcount, t->kpadded};
    TccIf few;
    if (c->direct) {
      tcc_emit_if(e, &few, tcc_emit_icmp(e, "sle", "i64", t->rows, tcc_emit_i64(e, DIRECT_ROWS)), 0, NULL);
      emit_direct(k, c, t, &q, column, width);
      tcc_emit_else(e, &few, NULL);
    }
    tcc_pack_call(k, "pack_panel", &call);
    bool plain = c->plan.prefetch_stride || c->plan.prefetch_run;
    q.panel = t->b;
    q.prefetch = plain ? plain_panel(k, c, t, tcc_emit_add(e, loop.iv, tcc_emit_i64(e, 1))) : t->a_prefetch;
    emit_rows(k, c, t, &q);
    if (c->direct) tcc_emit_end_if(e, &few, NULL);
    tcc_emit_end_for(e, &loop, NULL);
    return;
  }
  emit_rows(k, c, t, &q);
  tcc_emit_end_for(e, &loop, NULL);
}

/* Packs panels [from, to), a strip of rows of all of them after the other: rows lie pages apart, and each page is looked up once. */
static void emit_packing(TccKernelEmit *k, const Contract *c, const Tile *t, TccVal from, TccVal to) {
  TccEmit *e = k->e;
  int64_t nr = panel_width(c), size = c->plan.kc * nr;
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_i64(e, nr), step = tcc_emit_i64(e, STRIP);
  TccLoop strip, panel;
  tcc_emit_for(e, &strip, zero, t->kpadded, STRIP, 0, NULL, NULL);
  tcc_emit_for(e, &panel, from, to, 1, 0, NULL, NULL);
  TccVal at = tcc_emit_mul(e, tcc_emit_sub(e, panel.iv, from), tcc_emit_i64(e, size)), column = tcc_emit_mul(e, panel.iv, width);
  TccVal columns = tcc_emit_min(e, width, tcc_emit_sub(e, tcc_kernel_size(k, c->read->n.count), column));
  TccPackCall call = {.dst = tcc_emit_gep(e, c->type.packed, t->b, tcc_emit_add(e, at, tcc_emit_mul(e, strip.iv, width))),
                      .batch = t->batch,
                      .outer = column,
                      .count = columns,
                      .padded = columns,
                      .k0 = tcc_emit_add(e, t->k0, strip.iv)};
  call.kcount = tcc_emit_max(e, zero, tcc_emit_min(e, step, tcc_emit_sub(e, t->kcount, strip.iv)));
  call.kpadded = tcc_emit_min(e, step, tcc_emit_sub(e, t->kpadded, strip.iv));
  tcc_pack_call(k, "pack_panel", &call);
  tcc_emit_end_for(e, &panel, NULL);
  tcc_emit_end_for(e, &strip, NULL);
}

/* The same where panels are packed several together: they come by for each block of rows, which stays in the second cache, and are
 * prefetched as packed weights are. */
static void emit_together(TccKernelEmit *k, const Contract *c, Tile *t) {
  TccEmit *e = k->e;
  int64_t nr = panel_width(c), size = c->plan.kc * nr;
  TccVal height = tcc_emit_i64(e, c->plan.block_rows);
  TccLoop some, block, loop;
  tcc_emit_for(e, &some, t->first, t->last, c->plan.together, 0, NULL, NULL);
  TccVal end = tcc_emit_min(e, t->last, tcc_emit_add(e, some.iv, tcc_emit_i64(e, c->plan.together)));
  emit_packing(k, c, t, some.iv, end);
  tcc_emit_for(e, &block, tcc_emit_i64(e, 0), t->rows, c->plan.block_rows, 0, NULL, NULL);
  t->from = block.iv, t->to = tcc_emit_add(e, block.iv, height);
  tcc_emit_for(e, &loop, some.iv, end, 1, 0, NULL, NULL);
  TccVal place = tcc_emit_mul(e, tcc_emit_sub(e, loop.iv, some.iv), tcc_emit_i64(e, size));
  Panel q = {
      .number = loop.iv, .tile = "tile", .acc_column = tcc_emit_mul(e, tcc_emit_sub(e, loop.iv, t->first), tcc_emit_i64(e, nr))};
  q.panel = tcc_emit_gep(e, c->type.packed, t->b, place);
  q.prefetch = tcc_emit_gep(e, c->type.packed, t->b, tcc_emit_add(e, place, tcc_emit_i64(e, size)));
  emit_rows(k, c, t, &q);
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_end_for(e, &block, NULL);
  tcc_emit_end_for(e, &some, NULL);
}

/* The level of what is prefetched follows the number of row tiles of this call. */
static void emit_how(TccKernelEmit *k, const Contract *c, Tile *t) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  int64_t bytes = 64 / tcc_micro_unroll(&c->type);
  TccVal zero = tcc_emit_i64(e, 0), adds = tcc_emit_icmp(e, "ne", "i64", t->k0, t->k_first);
  t->how = p->one_block ? zero : tcc_emit_select1(e, "i64", adds, tcc_emit_i64(e, 1), zero);
  t->prefetch_bytes = tcc_emit_i64(e, bytes * p->prefetch);
  if (!p->prefetch_all) return;
  TccVal tiles = tcc_emit_ceil_div(e, t->rows, p->rows), level = zero;
  for (int i = 1; i <= TCC_MICRO_FEW; i++) {
    TccVal few = tcc_emit_icmp(e, "slt", "i64", tcc_emit_mul(e, tiles, tcc_emit_i64(e, tcc_contract_prefetch(p, i - 1))),
                               tcc_emit_i64(e, p->prefetch_all));
    level = tcc_emit_select1(e, "i64", few, tcc_emit_i64(e, 2 * i), level);
    t->prefetch_bytes = tcc_emit_select1(e, "i64", few, tcc_emit_i64(e, bytes * tcc_contract_prefetch(p, i)), t->prefetch_bytes);
  }
  t->how = tcc_emit_add(e, t->how, level);
}

void tcc_contract_block_emit(TccKernelEmit *k, const Contract *c, Tile *t) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const TccMicroType *type = &c->type;
  TccVal depth = tcc_kernel_size(k, c->read->k.count);
  t->kcount = tcc_emit_min(e, tcc_emit_i64(e, p->kc), tcc_emit_sub(e, depth, t->k0));
  t->kpadded = tcc_emit_round_up(e, t->kcount, tcc_micro_unit(type));
  t->k_groups = tcc_emit_div(e, p->in_place ? t->kcount : t->kpadded, tcc_emit_i64(e, type->k_group));
  t->is_last =
      p->one_block || p->depths ? 0 : tcc_emit_icmp(e, "sge", "i64", tcc_emit_add(e, t->k0, tcc_emit_i64(e, p->kc)), depth);
  emit_how(k, c, t);
  tcc_contract_left(k, c, t);
  if (c->plan.together) {
    emit_together(k, c, t);
  } else if (p->tail_vectors) {
    TccVal whole = tcc_emit_i64(e, c->sizes.n / panel_width(c));
    emit_panels(k, c, t, t->first, t->first, tcc_emit_min(e, t->last, whole), "tile");
    emit_panels(k, c, t, t->first, tcc_emit_max(e, t->first, whole), t->last, "tile_tail");
  } else {
    emit_panels(k, c, t, t->first, t->first, t->last, "tile");
  }
}

/* Panels [first, last) of one batch entry and row tile. */
static void emit_group(TccKernelEmit *k, const Contract *c, Tile *t) {
  TccEmit *e = k->e;
  t->k0 = t->k_first = tcc_emit_i64(e, 0);
  if (c->plan.one_block) {
    tcc_contract_block_emit(k, c, t);
    return;
  }
  TccLoop block; /* at least once: an empty sum is zero */
  tcc_emit_for(e, &block, t->k0, tcc_emit_max(e, tcc_kernel_size(k, c->read->k.count), tcc_emit_i64(e, 1)), c->plan.kc, 0, NULL,
               NULL);
  t->k0 = block.iv;
  tcc_contract_block_emit(k, c, t);
  tcc_emit_end_for(e, &block, NULL);
}

static void emit_tiles(TccKernelEmit *k, const Contract *c, const TccKernelEntry *entry, TccVal frame) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  int64_t bytes_a, bytes_b, bytes_c, nr = panel_width(c);
  scratch_sizes(c, &bytes_a, &bytes_b, &bytes_c);
  Tile t = {.a = entry->scratch, .scratch = entry->scratch, .frame = frame};
  t.b = tcc_emit_at(e, "i8", entry->scratch, bytes_a);
  t.c = tcc_emit_at(e, "i8", entry->scratch, bytes_a + bytes_b);
  if (p->depths) {
    tcc_contract_depths_emit(k, c, entry, &t, bytes_a + bytes_b + bytes_c);
    return;
  }
  TccVal m = tcc_kernel_size(k, c->read->m.count), n = tcc_kernel_size(k, c->read->n.count), zero = tcc_emit_i64(e, 0),
         one = tcc_emit_i64(e, 1);
  TccVal row_tiles = tcc_emit_max(e, tcc_emit_ceil_div(e, m, p->mb), one),
         panels = tcc_emit_max(e, tcc_emit_ceil_div(e, n, nr), one);
  TccVal unit = tcc_emit_i64(e, p->rows), units = tcc_emit_ceil_div(e, m, p->rows);
  if (c->type.engine == TCC_MICRO_TILES) tcc_micro_tiles_begin(e);
  /* Tiles that follow each other share their rows: a run of them is one block of columns. */
  TccLoop run, group;
  tcc_emit_for(e, &run, tcc_emit_div(e, entry->begin, panels),
               tcc_emit_div(e, tcc_emit_add(e, entry->end, tcc_emit_sub(e, panels, one)), panels), 1, 0, NULL, NULL);
  TccVal origin = tcc_emit_mul(e, run.iv, panels);
  TccVal first = tcc_emit_max(e, tcc_emit_sub(e, entry->begin, origin), zero),
         last = tcc_emit_min(e, tcc_emit_sub(e, entry->end, origin), panels);
  t.batch = tcc_emit_div(e, run.iv, row_tiles);
  if (frame) tcc_epilogue_frame_batch(k, &c->end, frame, t.batch);
  tcc_contract_keep_begin(k, c, &t, entry->scratch, run.iv, first, last, panels);
  /* Register tiles of rows are shared out evenly. */
  TccVal row_tile = tcc_emit_rem(e, run.iv, row_tiles), end = tcc_emit_mul(e, tcc_emit_add(e, row_tile, one), units);
  t.row0 = tcc_emit_mul(e, tcc_emit_div(e, tcc_emit_mul(e, row_tile, units), row_tiles), unit);
  t.rows = tcc_emit_sub(e, tcc_emit_min(e, m, tcc_emit_mul(e, tcc_emit_div(e, end, row_tiles), unit)), t.row0);
  TccIf few;
  if (c->straight) {
    tcc_emit_if(e, &few, tcc_emit_icmp(e, "sle", "i64", n, tcc_emit_i64(e, tcc_contract_straight_rows(c->straight))), 0, NULL);
    tcc_contract_straight_call(k, c, &t);
    tcc_emit_else(e, &few, NULL);
  }
  if (p->one_block) {
    t.first = first, t.last = last;
    emit_group(k, c, &t);
  } else {
    tcc_emit_for(e, &group, first, last, p->nb / nr, 0, NULL, NULL);
    t.first = group.iv, t.last = tcc_emit_min(e, last, tcc_emit_add(e, group.iv, tcc_emit_i64(e, p->nb / nr)));
    t.fresh = tcc_contract_keep_again(k, c, &t, tcc_emit_icmp(e, "eq", "i64", group.iv, first));
    emit_group(k, c, &t);
    tcc_emit_end_for(e, &group, NULL);
  }
  tcc_contract_keep_end(k, c, &t, entry->scratch, run.iv);
  if (c->straight) tcc_emit_end_if(e, &few, NULL);
  tcc_emit_end_for(e, &run, NULL);
  if (c->type.engine == TCC_MICRO_TILES) tcc_micro_tiles_end(e);
}

static int few_count(const Contract *c) { return c->operand ? c->operand->nfew : 0; }

static void emit_entry(TccKernelEmit *k, const Contract *c) {
  TccEmit *e = k->e;
  TccKernelEntry entry;
  TccIf few[TCC_CONTRACT_FEW];
  tcc_kernel_entry(k, &entry);
  TccVal rows = tcc_kernel_size(k, c->read->m.count), frame = c->end.framed ? tcc_epilogue_frame(k, &c->end) : 0;
  for (int i = 0; i < few_count(c); i++) {
    const TccContractFew *f = &c->operand->few[i];
    tcc_emit_if(e, &few[i], tcc_emit_icmp(e, "sle", "i64", rows, tcc_emit_i64(e, f->rows)), 0, NULL);
    f->emit_tiles(k, &entry, f->user);
    tcc_emit_else(e, &few[i], NULL);
  }
  emit_tiles(k, c, &entry, frame);
  for (int i = few_count(c); i-- > 0;) tcc_emit_end_if(e, &few[i], NULL);
  tcc_emit_return(e, 0, NULL);
}

static const TccExpr *tile_count(TccKernelEmit *k, const Contract *c) {
  TccExprPool *pool = k->ir->exprs;
  if (c->plan.depths) return tcc_expr_const(pool, c->plan.depths);
  const TccExpr *rows =
      tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(k, c->read->m.count), tcc_expr_const(pool, c->plan.mb));
  const TccExpr *columns =
      tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(k, c->read->n.count), tcc_expr_const(pool, panel_width(c)));
  const TccExpr *tiles = tcc_expr_mul(pool, tcc_kernel_slot(k, c->read->batch.count), tcc_expr_mul(pool, rows, columns));
  const TccExpr *m = tcc_kernel_slot(k, c->read->m.count), *one = tcc_expr_const(pool, 1), *zero = tcc_expr_const(pool, 0);
  for (int i = few_count(c); i-- > 0;) {
    const TccContractFew *f = &c->operand->few[i]; /* 1 where there are so few rows, else 0 */
    const TccExpr *less = tcc_expr_sub(pool, tcc_expr_const(pool, f->rows + 1), m),
                  *is_few = tcc_expr_call(pool, TCC_EXPR_MIN, one, tcc_expr_call(pool, TCC_EXPR_MAX, zero, less));
    tiles = tcc_expr_add(pool, tcc_expr_mul(pool, is_few, tcc_expr_const(pool, f->tiles)),
                         tcc_expr_mul(pool, tcc_expr_sub(pool, one, is_few), tiles));
  }
  return tiles;
}

enum { ROWS_ALONE = 2 }; /* one by one, where the others are in tile registers: as many as tcc_contract_single_rows */

TccStatus *tcc_contract_read(TccIr *ir, const TccMachine *machine, MlirOperation kernel, TccContraction *out,
                             TccMicroType *out_type) {
  TCC_TRY(tcc_contraction_find(ir, kernel, out));
  TccElem a = tcc_type_elem(tcc_value_type(out->axes.operand[0])), b = tcc_type_elem(tcc_value_type(out->axes.operand[1]));
  if (!tcc_micro_type(machine, a, b, out_type))
    return TCC_ERROR(TCC_UNSUPPORTED, "dot_general of %s and %s", tcc_elem_name(a), tcc_elem_name(b));
  TCC_TRY(tcc_contraction_read(out));
  TccMicroType row;
  int64_t rows = -1;
  if (tcc_expr_is_const(out->m.count, &rows) && rows <= ROWS_ALONE && tcc_micro_row_type(out_type, &row)) *out_type = row;
  if (tcc_contract_is_turned(ir, out, out_type)) tcc_contraction_turn(out);
  return NULL;
}

/* Rows of one axis are left to machine code; of several, each row takes divisions, which LLVM makes products of. */
static bool emit_prefetch(TccKernelEmit *k, const Contract *c) {
  static const char *const ask[] = {"ask_to_read", "ask_to_write"};
  const bool code = c->read->m.n <= 1 && !k->machine->llvm_tiles;
  for (int write = 0; code && write < 2; write++) tcc_prefetch_rows_emit(k->e, ask[write], write);
  k->e->optnone = code;
  return tcc_epilogue_prefetch_emit(k, "prefetch", &c->end, panel_width(c), tcc_contract_prefetches_result(c), code ? ask : NULL);
}

/* The register tiles: of whole panels, of one row, of the last panel's vectors. */
static void emit_bodies(TccKernelEmit *k, Contract *c) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  TccMicro micro;
  tcc_contract_choose_micro(c, &micro);
  tcc_micro_emit(e, "tile", &micro);
  if (p->single && p->rows > 1) {
    TccMicro row = micro;
    tcc_micro_row_type(&c->type, &row.type);
    row.rows = 1, row.narrow = tcc_contract_is_narrow(c) ? c->type.b : TCC_ELEM_NONE;
    tcc_micro_emit(e, "tile_row", &row);
  }
  if (half_rows(c)) {
    TccMicro half = micro;
    half.rows = (int)half_rows(c);
    tcc_micro_emit(e, "tile_half", &half);
  }
  if (c->direct) tcc_contract_direct_emit(k, "row_direct", c);
  micro.panel = p->vectors;
  if (p->tail_vectors) {
    micro.vectors = p->tail_vectors;
    tcc_micro_emit(e, "tile_tail", &micro);
  }
  for (int v = 1; p->any_tail && v < p->vectors; v++) {
    micro.vectors = v;
    tcc_micro_emit(e, tail_names[v - 1], &micro);
  }
}

static TccStatus *emit_packers(TccKernelEmit *k, const Contract *c) {
  enum {
    SELDOM_MET =
        16384 /* multiply-adds with a column of a panel: 49 x 32 were 4 % slower with a packer of little effort, 128 x 64 1 % */
  };
  const TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, depth = c->sizes.k, nr = panel_width(c);
  TccPackSource rows = {&c->read->a, &c->read->batch, &c->read->m, &c->read->k, A},
                columns = {&c->read->b, &c->read->batch, &c->read->n, &c->read->k, B, p->one_block ? depth : p->kc};
  columns.seldom_met = m < 0 || depth < 0 || m * depth < SELDOM_MET;
  rows.whole_vectors = depth > 0 && depth % c->type.lanes == 0 && (p->one_block || p->kc % c->type.lanes == 0);
  if (depth > 0) columns.least = p->one_block || depth < p->kc ? depth : depth % p->kc ? depth % p->kc : p->kc;
  if (p->k_major) {
    tcc_pack_tiles_emit(k, "pack_rows", &c->type, &rows, p->rows, p->lda);
  } else if (!p->in_place || p->ragged) {
    k->e->optnone = p->in_place; /* it has the last rows of a tile alone */
    tcc_pack_rows_emit(k, "pack_rows", &c->type, &rows, p->lda);
    k->e->optnone = false;
  }
  if (tcc_contract_is_narrow(c)) emit_widen(k, "widen_panel", &c->type);
  if (c->operand) return c->operand->panel(k, "pack_panel", &c->type, nr, c->operand->user);
  if (!c->read->packed_nr) tcc_pack_panel_emit(k, "pack_panel", &c->type, &columns, nr);
  return NULL;
}

/* Everything that the tile function calls, and this function. */
static TccStatus *emit_functions(TccKernelEmit *k, Contract *c) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  emit_bodies(k, c);
  if (c->straight) TCC_TRY(tcc_contract_straight_emit(k, c->straight));
  bool optnone;
  tcc_contract_choose_entry(c, &optnone, &e->near);
  TCC_TRY(emit_packers(k, c));
  c->end = (TccEpilogueBlock){&c->read->epilogue,
                              &c->read->batch,
                              &c->read->m,
                              &c->read->n,
                              R,
                              c->type.acc_elem,
                              p->ldc,
                              c->type.lanes,
                              c->sizes.n > 0 && c->sizes.n % c->type.lanes == 0};
  if (c->stores != TCC_CONTRACT_STORES_ALL) {
    c->end.framed = tcc_epilogue_takes_frame(&c->end);
    TCC_TRY(tcc_epilogue_emit(k, "epilogue", &c->end));
  }
  for (int i = 0; i < few_count(c); i++) TCC_TRY(c->operand->few[i].functions(k, c->operand->few[i].user));
  if (p->depths) tcc_contract_merge_emit(k, c);
  else c->prefetches = emit_prefetch(k, c);
  e->optnone = optnone;
  emit_entry(k, c);
  return NULL;
}

static int64_t scratch_bytes(const Contract *c) {
  int64_t bytes_a, bytes_b, bytes_c;
  scratch_sizes(c, &bytes_a, &bytes_b, &bytes_c);
  int64_t all = bytes_a + bytes_b + bytes_c + (c->plan.depths ? tcc_contract_depth_bytes(c) : 0);
  for (int i = 0; i < few_count(c); i++)
    if (c->operand->few[i].scratch > all) all = c->operand->few[i].scratch;
  return all;
}

TccStatus *tcc_contract_emit_kernel(const TccTargetInfo *target, const char *emitter, const TccContraction *read,
                                    const TccMicroType *type, const TccContractOperand *operand, TccKernelCode *out) {
  Contract *c = TCC_NEW(read->ir->arena, Contract);
  c->read = read, c->type = *type, c->operand = operand, c->sizes = tcc_contract_sizes(read);
  TCC_TRY(tcc_contract_choose_tile(c, &target->machine));
  if (!operand && c->sizes.m <= c->plan.rows && c->sizes.n <= panel_width(c)) {
    bool taken;
    TCC_TRY(tcc_contract_small_emit(target, emitter, c, &taken, out));
    if (taken) return NULL;
  }
  tcc_contract_choose_blocks(c, &target->machine);
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, read->ir, target, read->kernel);
  TccStatus *status = emit_functions(&k, c);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_kernel_finish(&k, emitter, tcc_contract_schedule(read->ir->arena, &c->plan), tile_count(&k, c),
                    tcc_expr_const(read->ir->exprs, scratch_bytes(c)), out);
  return NULL;
}

TccStatus *tcc_contract_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccContraction *read = TCC_NEW(ir->arena, TccContraction);
  TccMicroType type;
  TCC_TRY(tcc_contract_read(ir, &target->machine, kernel, read, &type));
  return tcc_contract_emit_kernel(target, "x86.contract", read, &type, NULL, out);
}
