/* attention_schedule.c - see attention_schedule.h.
 *
 * The cost is that of the two products in register tiles, of copying keys and values once for each tile of queries, of the
 * work on the scores, and of what the last thread does while others are done. */
#include "lib/codegen/attention/attention_schedule.h"
#include <inttypes.h>

static const char *const names[] = {"rows", "vectors", "panels", "block"};
#define SCHEDULE_NAMES {"x86.attention", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;
enum { MOST_VECTORS = 2, MOST_BLOCK = 1024 };

typedef struct { Attention a; const TccMachine *machine; int64_t heads, queries, keys; } Read; /* sizes: -1 dynamic */

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

static TccStatus *check(const Attention *a, const TccSchedule *s) {
  int64_t rows = tcc_schedule_get(s, "rows"), vectors = tcc_schedule_get(s, "vectors"), panels = tcc_schedule_get(s, "panels"), block = tcc_schedule_get(s, "block");
  if (vectors > MOST_VECTORS || rows > a->type.lanes || rows * vectors + vectors + 1 > a->type.registers)
    return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ", vectors = %" PRId64 ": there are up to %d rows and %d vectors, in %d registers", rows, vectors,
                     a->type.lanes, MOST_VECTORS, a->type.registers);
  if (panels > MOST_PANELS) return TCC_ERROR(TCC_INVALID, "panels = %" PRId64 ": there are at most %d", panels, MOST_PANELS);
  if (block > MOST_BLOCK || block % rows) return TCC_ERROR(TCC_INVALID, "block = %" PRId64 ": not a multiple of the rows up to %d", block, MOST_BLOCK);
  return NULL;
}

TccStatus *attention_obey(MlirOperation kernel, Attention *a) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  TCC_TRY(tcc_status_context(check(a, &s), "tcc.schedule"));
  a->rows = (int)tcc_schedule_get(&s, "rows"), a->vectors = (int)tcc_schedule_get(&s, "vectors");
  a->panels = (int)tcc_schedule_get(&s, "panels"), a->block = tcc_schedule_get(&s, "block");
  return NULL;
}

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  Read *r = TCC_NEW(ir->arena, Read);
  TccStatus *status = attention_read(ir, &target->machine, kernel, &r->a);
  tcc_status_destroy(status);
  if (status || attention_decodes(&r->a)) return NULL; /* one query: nothing to choose */
  r->machine = &target->machine;
  r->heads = r->queries = r->keys = -1;
  tcc_expr_is_const(r->a.heads.count, &r->heads), tcc_expr_is_const(r->a.queries.count, &r->queries), tcc_expr_is_const(r->a.keys.count, &r->keys);
  return r;
}

static void set(TccSchedule *s, int64_t rows, int64_t vectors, int64_t panels, int64_t block) {
  const int64_t values[] = {rows, vectors, panels, block};
  *s = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < s->count; i++) s->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void pick(const void *kernel, TccSchedule *out) {
  const Attention *a = &((const Read *)kernel)->a;
  set(out, a->rows, a->vectors, a->panels, a->block);
}

static TccStatus *check_candidate(const void *kernel, const TccSchedule *s) { return check(&((const Read *)kernel)->a, s); }

static double cost(const void *kernel, const TccSchedule *s) {
  const Read *r = kernel;
  int64_t rows = tcc_schedule_get(s, "rows"), vectors = tcc_schedule_get(s, "vectors"), panels = tcc_schedule_get(s, "panels"), block = tcc_schedule_get(s, "block");
  int64_t queries = r->queries < 1 ? 128 : r->queries, keys = r->keys < 1 ? 128 : r->keys, heads = r->heads < 1 ? 12 : r->heads, d = r->a.d, e = r->a.e;
  int64_t nr = vectors * r->a.type.lanes, all = ceil_div(queries, nr), tiles = ceil_div(all, panels), cores = r->machine->cores ? r->machine->cores : 1;
  double step = (double)(rows * vectors) / 2 < 4 ? 4.35 : (double)(rows * vectors) / 2 + 0.35;
  double blocks = (double)ceil_div(keys, block);
  double products = (double)(ceil_div(keys, rows) * d + ceil_div(e, rows) * keys) * step + (double)(ceil_div(keys, rows) + ceil_div(e, rows)) * 40 * blocks;
  double scores = (double)(keys * vectors) * 14 + blocks * (double)(e * vectors) * 4;
  double shared = (double)(keys * (d + e)) / 3; /* copies of keys and values, for each tile */
  double spill = (double)(block * nr * r->a.type.acc_bytes) > 24000 ? 1.1 : 1;
  double turns = (double)ceil_div(heads * tiles, cores);
  return turns * (shared + (double)(all < panels ? all : panels) * (products + scores) * spill);
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const Read *r = kernel;
  TccShortlist list = {.schedule = out, .room = room};
  for (int64_t vectors = 1; vectors <= MOST_VECTORS; vectors++)
    for (int64_t rows = r->a.type.lanes; rows >= 4; rows--)
      for (int64_t keys = 64; keys <= 512; keys *= 2)
        for (int64_t share = 1; share <= 8; share *= 2) {
          int64_t all = r->queries < 1 ? MOST_PANELS : ceil_div(r->queries, vectors * r->a.type.lanes);
          int64_t most_panels = all < MOST_PANELS ? all : MOST_PANELS;
          int64_t panels = ceil_div(most_panels, share), block = round_up(r->keys > 0 && r->keys < keys ? r->keys : keys, rows);
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
  const int64_t sizes[] = {r->heads, r->queries, r->keys, r->a.d};
  for (int i = 0; i < 4; i++) {
    if (sizes[i] < 0) tcc_text_printf(out, "%s?", i ? "x" : "");
    else tcc_text_printf(out, "%s%" PRId64, i ? "x" : "", sizes[i]);
  }
  tcc_text_printf(out, " %s", tcc_elem_name(r->a.view[ATT_Q].elem));
}

const TccTunable tcc_attention_tunable = {
    .kind = "attention", .names = SCHEDULE_NAMES, .version = 3, .read = read, .pick = pick, .variants = variants, .cost = cost,
    .check = check_candidate, .shape = shape,
};
