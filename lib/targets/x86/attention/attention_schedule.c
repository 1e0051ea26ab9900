/* attention_schedule.c - see attention_schedule.h.
 *
 * The cost is that of the two products in register tiles, of copying keys and values once for each tile of queries, of the
 * work on the scores, and of what the last thread does while others are done. */
#include "lib/targets/x86/attention/attention_schedule.h"
#include <inttypes.h>

static const char *const names[] = {"rows", "vectors", "panels", "block"};
#define SCHEDULE_NAMES {"x86.attention", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;
enum { MOST_VECTORS = 2, MOST_BLOCK = 1024 };

typedef struct {
  Attention a;
  const TccMachine *machine;
  int64_t heads, queries, keys;
} Read; /* sizes: -1 dynamic */

/* ---- the heuristic ---- */

/* Register tile: two vectors of queries (one where that holds them all), rows so that the head size wastes few; a block of
 * about 128 keys, whose scores of one panel stay in the first cache; as many panels in a tile as share the packed keys
 * without leaving a core idle. */
static void choose_schedule(Attention *a, const TccMachine *machine) {
  int64_t queries = -1, heads = 0, cores = machine->cores ? machine->cores : 1;
  tcc_expr_is_const(a->read.queries.count, &queries);
  tcc_expr_is_const(a->read.heads.count, &heads);
  a->plan.vectors = queries >= 0 && queries <= a->plan.type.lanes ? 1 : 2;
  int most = (a->plan.type.registers - 1 - a->plan.vectors) / a->plan.vectors;
  if (most > 13) most = 13;
  if (most > a->plan.type.lanes) most = a->plan.type.lanes; /* a column of values is one vector */
  double best = 0;
  for (int rows = most; rows * 2 > most; rows--) {
    double cost = (double)((a->read.e + rows - 1) / rows) * ((double)(rows * a->plan.vectors) / 2 + 0.5);
    if (rows < most && cost >= best) continue;
    best = cost;
    a->plan.rows = rows;
  }
  if (a->plan.tiles) a->plan.rows = ATTENTION_TILE_ROWS;
  int64_t keys = -1, most_keys = 130;
  tcc_expr_is_const(a->read.keys.count, &keys);
  a->plan.block = tcc_round_up(
      keys < 1 ? 128 : (keys + (keys + most_keys - 1) / most_keys - 1) / ((keys + most_keys - 1) / most_keys), a->plan.rows);
  int64_t nr = (int64_t)a->plan.vectors * a->plan.type.lanes;
  int64_t needed = queries < 0   ? MOST_PANELS / 2
                   : queries < 1 ? 1
                                 : (queries + nr - 1) / nr,
          parts = (needed + MOST_PANELS - 1) / MOST_PANELS;
  while (heads && parts < needed && heads * parts < 8 * cores && heads * parts % cores) parts++;
  a->plan.panels = (int)((needed + parts - 1) / parts);
}

/* What follows from rows and vectors. */
static void finish_schedule(Attention *a) {
  a->plan.nr = (int64_t)a->plan.vectors * a->plan.type.lanes;
  a->plan.lda = tcc_round_up(a->read.d, a->plan.type.lanes) + 64 / a->plan.type.packed_bytes;
  a->plan.e_padded = tcc_round_up(tcc_round_up(a->read.e < 1 ? 1 : a->read.e, a->plan.rows), a->plan.type.lanes);
  int64_t keys, offset;
  a->plan.one_block = tcc_expr_is_const(a->read.keys.count, &keys) && keys > 0 && keys <= a->plan.block &&
                      (!a->read.causal || (tcc_expr_is_const(a->read.offset, &offset) && offset >= 0)); /* each query sees a key */
  if (!a->plan.tiles) {
    attention_prefetch_plan(a);
    return;
  }
  a->plan.d_padded = tcc_round_up(a->read.d < 1 ? 1 : a->read.d, ATTENTION_TILE_KEYS);
  a->plan.lda = a->plan.d_padded + ATTENTION_TILE_KEYS; /* a line more: rows a power of two apart meet in few sets of the cache */
  a->plan.ldv = tcc_round_up(a->plan.block, ATTENTION_TILE_KEYS) + ATTENTION_TILE_KEYS;
}

/* ---- tcc.schedule ---- */

static TccStatus *check(const Attention *a, const TccSchedule *s) {
  int64_t rows = tcc_schedule_get(s, "rows"), vectors = tcc_schedule_get(s, "vectors"), panels = tcc_schedule_get(s, "panels"),
          block = tcc_schedule_get(s, "block");
  if (a->plan.tiles && (rows != ATTENTION_TILE_ROWS || vectors > MOST_VECTORS))
    return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ", vectors = %" PRId64 ": tile registers take %d rows and up to %d vectors",
                     rows, vectors, ATTENTION_TILE_ROWS, MOST_VECTORS);
  if (!a->plan.tiles &&
      (vectors > MOST_VECTORS || rows > a->plan.type.lanes || rows * vectors + vectors + 1 > a->plan.type.registers))
    return TCC_ERROR(TCC_INVALID,
                     "rows = %" PRId64 ", vectors = %" PRId64 ": there are up to %d rows and %d vectors, in %d registers", rows,
                     vectors, a->plan.type.lanes, MOST_VECTORS, a->plan.type.registers);
  if (panels > MOST_PANELS) return TCC_ERROR(TCC_INVALID, "panels = %" PRId64 ": there are at most %d", panels, MOST_PANELS);
  if (block > MOST_BLOCK || block % rows)
    return TCC_ERROR(TCC_INVALID, "block = %" PRId64 ": not a multiple of the rows up to %d", block, MOST_BLOCK);
  return NULL;
}

static TccStatus *apply_schedule(MlirOperation kernel, Attention *a) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  TCC_TRY(tcc_status_context(check(a, &s), "tcc.schedule"));
  a->plan.rows = (int)tcc_schedule_get(&s, "rows"), a->plan.vectors = (int)tcc_schedule_get(&s, "vectors");
  a->plan.panels = (int)tcc_schedule_get(&s, "panels"), a->plan.block = tcc_schedule_get(&s, "block");
  return NULL;
}

TccStatus *attention_plan(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Attention *a) {
  TCC_TRY(tcc_attention_read(ir, kernel, &a->read));
  TccElem elem = a->read.view[ATT_Q].elem;
  if (!tcc_elem_is_float(elem) || !tcc_micro_type_plain(machine, elem, elem, &a->plan.type))
    return TCC_ERROR(TCC_UNSUPPORTED, "attention of %s", tcc_elem_name(elem));
  if (a->read.d > MOST_DEPTH || a->read.e > MOST_DEPTH) return TCC_ERROR(TCC_UNSUPPORTED, "attention with a huge head dimension");
  a->plan.tiles = attention_tiles_fit(ir, machine, kernel, a);
  if (a->plan.tiles && !tcc_micro_type(machine, elem, elem, &a->plan.tile)) a->plan.tiles = false;
  choose_schedule(a, machine);
  TCC_TRY(apply_schedule(kernel, a));
  finish_schedule(a);
  return NULL;
}

/* ---- what the tuner asks ---- */

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  Read *r = TCC_NEW(ir->arena, Read);
  TccStatus *status = attention_plan(ir, &target->machine, kernel, &r->a);
  tcc_status_destroy(status);
  if (status || attention_decodes(&r->a)) return NULL; /* one query: nothing to choose */
  r->machine = &target->machine;
  r->heads = r->queries = r->keys = -1;
  tcc_expr_is_const(r->a.read.heads.count, &r->heads), tcc_expr_is_const(r->a.read.queries.count, &r->queries),
      tcc_expr_is_const(r->a.read.keys.count, &r->keys);
  return r;
}

static void set(TccSchedule *s, int64_t rows, int64_t vectors, int64_t panels, int64_t block) {
  const int64_t values[] = {rows, vectors, panels, block};
  *s = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < s->count; i++) s->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void pick(const void *kernel, TccSchedule *out) {
  const Attention *a = &((const Read *)kernel)->a;
  set(out, a->plan.rows, a->plan.vectors, a->plan.panels, a->plan.block);
}

static TccStatus *check_candidate(const void *kernel, const TccSchedule *s) { return check(&((const Read *)kernel)->a, s); }

static double cost(const void *kernel, const TccSchedule *s) {
  const Read *r = kernel;
  int64_t rows = tcc_schedule_get(s, "rows"), vectors = tcc_schedule_get(s, "vectors"), panels = tcc_schedule_get(s, "panels"),
          block = tcc_schedule_get(s, "block");
  int64_t queries = r->queries < 1 ? 128 : r->queries, keys = r->keys < 1 ? 128 : r->keys, heads = r->heads < 1 ? 12 : r->heads,
          d = r->a.read.d, e = r->a.read.e;
  int64_t nr = vectors * r->a.plan.type.lanes, all = tcc_ceil_div(queries, nr), tiles = tcc_ceil_div(all, panels),
          cores = r->machine->cores ? r->machine->cores : 1;
  double step = (double)(rows * vectors) / 2 < 4 ? 4.35 : (double)(rows * vectors) / 2 + 0.35;
  double blocks = (double)tcc_ceil_div(keys, block);
  double products = (double)(tcc_ceil_div(keys, rows) * d + tcc_ceil_div(e, rows) * keys) * step +
                    (double)(tcc_ceil_div(keys, rows) + tcc_ceil_div(e, rows)) * 40 * blocks;
  double scores = (double)(keys * vectors) * 14 + blocks * (double)(e * vectors) * 4;
  double shared = (double)(keys * (d + e)) / 3; /* copies of keys and values, for each tile */
  double spill = (double)(block * nr * r->a.plan.type.acc_bytes) > 24000 ? 1.1 : 1;
  double rounds = (double)tcc_ceil_div(heads * tiles, cores);
  return rounds * (shared + (double)(all < panels ? all : panels) * (products + scores) * spill);
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const Read *r = kernel;
  TccShortlist list = {.schedule = out, .room = room};
  for (int64_t vectors = 1; vectors <= MOST_VECTORS; vectors++)
    for (int64_t rows = r->a.plan.tiles ? ATTENTION_TILE_ROWS : r->a.plan.type.lanes;
         rows >= (r->a.plan.tiles ? ATTENTION_TILE_ROWS : 4); rows--)
      for (int64_t keys = 64; keys <= 512; keys *= 2)
        for (int64_t share = 1; share <= 8; share *= 2) {
          int64_t all = r->queries < 1 ? MOST_PANELS : tcc_ceil_div(r->queries, vectors * r->a.plan.type.lanes);
          int64_t most_panels = all < MOST_PANELS ? all : MOST_PANELS;
          int64_t panels = tcc_ceil_div(most_panels, share),
                  block = tcc_round_up(r->keys > 0 && r->keys < keys ? r->keys : keys, rows);
          TccSchedule s;
          set(&s, rows, vectors, panels, block);
          TccStatus *wrong = check(&r->a, &s);
          tcc_status_destroy(wrong);
          if (!wrong) tcc_shortlist_offer(&list, &s, cost(r, &s));
        }
  return list.count;
}

static void shape(const void *kernel, TccText *out) {
  const Read *r = kernel;
  const int64_t sizes[] = {r->heads, r->queries, r->keys, r->a.read.d};
  for (int i = 0; i < 4; i++) {
    if (sizes[i] < 0) tcc_text_printf(out, "%s?", i ? "x" : "");
    else tcc_text_printf(out, "%s%" PRId64, i ? "x" : "", sizes[i]);
  }
  tcc_text_printf(out, " %s", tcc_elem_name(r->a.read.view[ATT_Q].elem));
}

const TccTunable tcc_attention_tunable = {
    .kind = TCC_KERNEL_ATTENTION,
    .names = SCHEDULE_NAMES,
    .version = ATTENTION_VERSION,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check_candidate,
    .shape = shape,
};
