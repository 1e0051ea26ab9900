/* contract_schedule.c - see contract_schedule.h.
 *
 * Candidates are the heuristic's blocks for every register tile that fits, and those blocks doubled, halved and undivided. The
 * cost of one is what the loops of contract.h do: cycles of the register tile, or the time in which the next panel comes
 * from the third cache where that is longer; the rows again for each panel if they do not stay in the second cache; the
 * accumulators again for each block of k; and what the last thread does while others are done. */
#include "lib/targets/x86/contract/contract_schedule.h"
#include "lib/targets/x86/contract/contract_internal.h"
#include <inttypes.h>
#include <stdlib.h>

static const char *const names[] = {"rows", "vectors", "kc", "mb", "nb"};
#define SCHEDULE_NAMES {"x86.contract", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;
enum { MOST_VECTORS = 6, MOST_BLOCK = 1 << 16, MOST_SCRATCH = 64 << 20 };

typedef struct {
  const TccMachine *machine;
  TccMicroType type;
  TccContractSizes sizes; /* packed_nr as the heuristic has it; a schedule brings its own width */
  bool packed;
} Read;

static double larger(double a, double b) { return a > b ? a : b; }

/* ---- applying a schedule ---- */
static TccStatus *check_tile(const TccMicroType *t, const TccSchedule *s, int64_t packed_nr) {
  int64_t rows = tcc_schedule_get(s, "rows"), vectors = tcc_schedule_get(s, "vectors");
  if (vectors > MOST_VECTORS) return TCC_ERROR(TCC_INVALID, "vectors = %" PRId64 ": there are at most %d", vectors, MOST_VECTORS);
  if (t->engine == TCC_MICRO_TILES) {
    if (rows % TCC_TILE_ROWS || rows > 2 * TCC_TILE_ROWS || rows / TCC_TILE_ROWS * vectors > TCC_TILE_SUMS)
      return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ", vectors = %" PRId64 ": no %d tile registers of %d rows for the sums", rows,
                       vectors, TCC_TILE_SUMS, TCC_TILE_ROWS);
  } else if (rows > t->registers || rows * vectors + vectors + 1 > t->registers)
    return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ", vectors = %" PRId64 ": the tile does not fit into %d registers", rows,
                     vectors, t->registers);
  if (packed_nr && packed_nr != vectors * t->lanes)
    return TCC_ERROR(TCC_INVALID, "vectors = %" PRId64 ": the right operand is packed for %" PRId64, vectors, packed_nr / t->lanes);
  return NULL;
}

static TccStatus *check(const TccMicroType *t, const TccSchedule *s, int64_t packed_nr) {
  TCC_TRY(check_tile(t, s, packed_nr));
  const struct {
    const char *name;
    int64_t unit;
  } blocks[] = {
      {"kc", tcc_contract_depth_unit(t)}, {"mb", tcc_schedule_get(s, "rows")}, {"nb", tcc_schedule_get(s, "vectors") * t->lanes}};
  for (size_t i = 0; i < 3; i++) {
    int64_t value = tcc_schedule_get(s, blocks[i].name);
    if (value < 1 || value > MOST_BLOCK || value % blocks[i].unit)
      return TCC_ERROR(TCC_INVALID, "%s = %" PRId64 ": not a multiple of %" PRId64 " up to %d", blocks[i].name, value,
                       blocks[i].unit, MOST_BLOCK);
  }
  int64_t kc = tcc_schedule_get(s, "kc"), mb = tcc_schedule_get(s, "mb"), nb = tcc_schedule_get(s, "nb");
  if (mb * (kc + nb) * t->acc_bytes > MOST_SCRATCH)
    return TCC_ERROR(TCC_INVALID, "mb = %" PRId64 ", kc = %" PRId64 ", nb = %" PRId64 ": the blocks take more than %d MB", mb, kc,
                     nb, MOST_SCRATCH >> 20);
  return NULL;
}

static void apply(const TccSchedule *s, const TccMicroType *t, const TccContractSizes *sizes, TccContractPlan *p) {
  p->rows = (int)tcc_schedule_get(s, "rows"), p->vectors = (int)tcc_schedule_get(s, "vectors");
  p->kc = tcc_schedule_get(s, "kc"), p->mb = tcc_schedule_get(s, "mb"), p->nb = tcc_schedule_get(s, "nb");
  tcc_contract_finish(t, sizes, p);
}

TccStatus *tcc_contract_apply_schedule(MlirOperation kernel, const TccMicroType *type, const TccContractSizes *sizes,
                                       TccContractPlan *plan) {
  TccSchedule s;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  TCC_TRY(tcc_status_context(check(type, &s, sizes->packed_nr), "tcc.schedule"));
  apply(&s, type, sizes, plan);
  return NULL;
}

int64_t tcc_contract_scheduled_vectors(MlirOperation kernel) { return tcc_schedule_vectors(kernel, &schedule_names, MOST_VECTORS); }

/* ---- reading ---- */
bool tcc_contract_can_pack(TccIr *ir, MlirOperation kernel, MlirOperation dot) {
  intptr_t argument;
  MlirValue y = mlirOperationGetOperand(dot, 1);
  return tcc_type_is_static(tcc_value_type(y)) && tcc_packable_argument(ir, y, &argument) &&
         tcc_kernel_is_stable(ir, kernel, argument);
}

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TccContraction *c = TCC_NEW(ir->arena, TccContraction);
  TccMicroType type;
  TccStatus *status = tcc_contract_read(ir, &target->machine, kernel, c, &type);
  tcc_status_destroy(status);
  if (status) return NULL;
  Read *r = TCC_NEW(ir->arena, Read);
  *r = (Read){.machine = &target->machine, .type = type, .sizes = tcc_contract_sizes(c)};
  r->packed = c->packed_nr || tcc_contract_can_pack(ir, kernel, c->dot);
  r->sizes.along &= !r->packed;
  if (r->packed && !r->sizes.packed_nr && r->sizes.n > 0 && r->sizes.k > 0) {
    TccPackedLayout layout;
    tcc_packed_layout(&target->machine, &r->type, &r->sizes, 0, &layout);
    r->sizes.packed_nr = layout.nr;
  }
  return r;
}

static void schedule_of(const TccContractPlan *p, TccSchedule *out) {
  const int64_t values[] = {p->rows, p->vectors, p->kc, p->mb, p->nb};
  *out = (TccSchedule){.count = schedule_names.count};
  for (size_t i = 0; i < out->count; i++) out->param[i] = (TccScheduleParam){names[i], values[i]};
}

static void pick(const void *kernel, TccSchedule *out) {
  const Read *r = kernel;
  TccContractPlan plan;
  tcc_contract_plan(r->machine, &r->type, &r->sizes, &plan);
  schedule_of(&plan, out);
}

static TccStatus *check_candidate(const void *kernel, const TccSchedule *s) {
  const Read *r = kernel;
  return check(&r->type, s, 0); /* the operand is packed after this, for the width that is chosen */
}

static void shape(const void *kernel, TccText *out) {
  const Read *r = kernel;
  const int64_t sizes[] = {r->sizes.batch, r->sizes.m, r->sizes.k, r->sizes.n};
  for (int i = 0; i < 4; i++) {
    if (i == 0 && sizes[0] == 1) continue;
    const char *joint = i == 0 || (i == 1 && sizes[0] == 1) ? "" : "x";
    if (sizes[i] < 0) tcc_text_printf(out, "%s?", joint);
    else tcc_text_printf(out, "%s%" PRId64, joint, sizes[i]);
  }
  tcc_text_printf(out, " %s%s", tcc_elem_name(r->type.a), r->packed ? "" : ", not packed");
}

/* ---- cost ---- */
static double cost(const void *kernel, const TccSchedule *s) {
  const Read *r = kernel;
  const TccMicroType *t = &r->type;
  TccContractPlan p = {0};
  TccContractSizes sizes = r->sizes;
  sizes.packed_nr = r->packed ? tcc_schedule_get(s, "vectors") * t->lanes : 0;
  apply(s, t, &sizes, &p);
  int64_t m = sizes.m < 1 ? 256 : sizes.m, n = sizes.n < 1 ? 1024 : sizes.n, k = sizes.k < 1 ? 512 : sizes.k,
          batch = sizes.batch < 1 ? 1 : sizes.batch;
  int64_t nr = (int64_t)p.vectors * t->lanes, row_tiles = tcc_ceil_div(m, p.mb), panels = tcc_ceil_div(n, nr),
          blocks = tcc_ceil_div(k, p.kc);
  int64_t height = tcc_round_up(tcc_ceil_div(m, row_tiles), p.rows), calls = height / p.rows;
  double k_groups = (double)tcc_ceil_div(k < p.kc ? k : p.kc, t->k_group);
  double step = tcc_contract_k_group_cycles(t, p.rows, p.vectors);
  double tile = (double)calls * (k_groups * step + 40 + p.rows * p.vectors * 2.0);
  double panel_bytes = k_groups * (double)(nr * t->k_group * t->packed_bytes),
         rows_bytes = (double)(height * t->packed_bytes) * k_groups * t->k_group;
  double l2 = r->machine->l2_bytes ? r->machine->l2_bytes : 1 << 20;
  double traffic = panel_bytes / 6 + (rows_bytes + 2 * panel_bytes > 0.9 * l2 ? rows_bytes / 8 : 0);
  tile = larger(tile, traffic) + 0.1 * traffic;
  if (!p.one_block) tile += (double)(height * nr) * t->acc_bytes / 16;
  if (!r->packed) tile += panel_bytes / 4;
  double threads = r->machine->cores ? r->machine->cores : 1, tiles = (double)(row_tiles * panels * batch);
  double rounds = (double)tcc_ceil_div((int64_t)tiles, (int64_t)threads);
  return tile * (double)blocks * rounds;
}

/* ---- candidates ---- */
typedef struct {
  TccSchedule schedule;
  double cost;
  size_t number;
} Candidate;
typedef struct {
  Candidate *all;
  size_t count;
} Candidates;
enum { MOST_CANDIDATES = MOST_VECTORS * 4 * 5 * 5 * 3 };

static void offer(const Read *r, const TccContractPlan *plan, Candidates *c) {
  Candidate *new = &c->all[c->count];
  schedule_of(plan, &new->schedule);
  TccStatus *wrong = check(&r->type, &new->schedule, 0);
  tcc_status_destroy(wrong);
  if (wrong) return;
  new->cost = cost(r, &new->schedule);
  new->number = c->count++;
}

static int by_cost(const void *a, const void *b) {
  const Candidate *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return x->number < y->number ? -1 : 1;
}

static bool same_tile(const TccSchedule *a, const TccSchedule *b) {
  return a->param[0].value == b->param[0].value && a->param[1].value == b->param[1].value;
}

/* The cheapest, of each register tile a few: the cost of blocks is less certain than that of tiles. */
static size_t keep_best(const Candidates *c, TccSchedule *out, size_t room) {
  enum { OF_ONE_TILE = 4 };
  size_t kept = 0;
  for (size_t i = 0; i < c->count && kept < room; i++) {
    size_t of_tile = 0, equal = 0;
    for (size_t k = 0; k < kept; k++) {
      of_tile += same_tile(&out[k], &c->all[i].schedule);
      equal += tcc_schedule_equal(&out[k], &c->all[i].schedule);
    }
    if (!equal && of_tile < OF_ONE_TILE) out[kept++] = c->all[i].schedule;
  }
  return kept;
}

static void offer_blocks(const Read *r, int rows, int vectors, Candidates *c) {
  const TccMicroType *t = &r->type;
  TccContractPlan base = {.rows = rows, .vectors = vectors};
  TccContractSizes sizes = r->sizes;
  int64_t nr = (int64_t)vectors * t->lanes, unit = tcc_contract_depth_unit(t), m = sizes.m < 1 ? MOST_BLOCK : sizes.m;
  sizes.packed_nr = r->packed ? nr : 0;
  tcc_contract_blocks(r->machine, t, &sizes, &base);
  int64_t depth = sizes.k < 1 ? base.kc : tcc_round_up(sizes.k, unit);
  const int64_t kc[] = {base.kc, depth, base.kc * 2 > depth ? depth : base.kc * 2, tcc_round_up(base.kc / 2, unit),
                        tcc_round_up(tcc_ceil_div(depth, 3), unit)};
  for (size_t i = 0; i < sizeof kc / sizeof *kc; i++) {
    if (kc[i] < 64 && kc[i] < depth) continue;
    const int64_t mb[] = {base.mb, base.mb * 2, tcc_round_up(base.mb / 2, rows), tcc_round_up(base.mb / 4, rows),
                          tcc_round_up(m, rows)};
    for (size_t j = 0; j < sizeof mb / sizeof *mb; j++) {
      if (mb[j] > tcc_round_up(m, rows) || mb[j] > 1024) continue;
      const int64_t nb[] = {base.nb, tcc_round_up(base.nb * 2, nr), sizes.n < 1 ? base.nb : tcc_round_up(sizes.n, nr)};
      for (size_t l = 0; l < (sizes.k > 0 && kc[i] >= sizes.k ? 1 : sizeof nb / sizeof *nb); l++) {
        TccContractPlan p = base;
        p.kc = kc[i], p.mb = mb[j], p.nb = nb[l];
        offer(r, &p, c);
      }
    }
  }
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const Read *r = kernel;
  const int64_t m = r->sizes.m, n = r->sizes.n;
  Candidates c = {.all = malloc(MOST_CANDIDATES * sizeof *c.all)};
  if (!c.all) return 0;
  for (int v = 1; v <= MOST_VECTORS; v++) {
    bool tiles = r->type.engine == TCC_MICRO_TILES;
    int most = tiles ? v > TCC_TILE_SUMS ? 0 : TCC_TILE_SUMS / v * TCC_TILE_ROWS : (r->type.registers - 1 - v) / v, before = 0;
    if (most < 1 || (v > 1 && n > 0 && (int64_t)(v - 1) * r->type.lanes >= n)) continue;
    for (int64_t heights = m < 1 ? 1 : tcc_ceil_div(m, most), i = 0; i < 4; i++) {
      int rows = m < 1 ? most - (int)i : (int)tcc_ceil_div(m, heights + i); /* heights that share the rows evenly */
      if (tiles) rows = (int)tcc_round_up(rows, TCC_TILE_ROWS);
      if (rows >= 1 && rows != before) offer_blocks(r, rows, v, &c);
      before = rows;
    }
  }
  qsort(c.all, c.count, sizeof *c.all, by_cost);
  size_t kept = keep_best(&c, out, room);
  free(c.all);
  return kept;
}

const TccTunable tcc_contract_tunable = {
    .kind = TCC_KERNEL_CONTRACT,
    .names = SCHEDULE_NAMES,
    .version = TCC_CONTRACT_VERSION,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check_candidate,
    .shape = shape,
};
