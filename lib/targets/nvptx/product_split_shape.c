/* product_split_shape.c - which products of f32 are done as six of bf16, and how large their tiles are (product_split.h). */
#include "lib/targets/nvptx/product_schedule.h"
#include "lib/targets/nvptx/product_split.h"
#include "lib/targets/nvptx/product_tiles.h"

enum { UNKNOWN = 4096, BAND = 8, PIECE_ELEMENTS = 4, MOST_STAGES = 4 };

const char *const nvptx_split_names[] = {"groups", "columns", "stages", "band"};
static const TccScheduleNames split_names = NVPTX_SPLIT_NAMES;

static int shared(const NvptxTmaShape *s) { return nvptx_tiles_shared(s, NVPTX_SPLIT_ROW_BYTES, nvptx_split_words(s)); }

static int64_t likely(const TccExpr *e, int64_t unknown) {
  tcc_expr_is_const(e, &unknown);
  return unknown > 0 ? unknown : 1;
}

/* Where less than half of the multiprocessors had a tile, smaller ones by mma.sync are better. */
static bool is_large(const TccMachine *machine, const NvptxProduct *p, const NvptxTmaShape *s) {
  int64_t down = tcc_ceil_div(likely(p->rows, UNKNOWN), (int64_t)s->groups * NVPTX_GROUP_ROWS),
          tiles = likely(p->batch, 1) * down * tcc_ceil_div(likely(p->columns, UNKNOWN), s->columns);
  return 2 * tiles >= machine->gpu.sms && likely(p->rows, UNKNOWN) > NVPTX_GROUP_ROWS && likely(p->columns, UNKNOWN) > 64;
}

static TccStatus *apply(const TccMachine *machine, const TccSchedule *schedule, NvptxTmaShape *out) {
  int64_t v[sizeof nvptx_split_names / sizeof *nvptx_split_names];
  for (size_t i = 0; i < split_names.count; i++) {
    v[i] = schedule->param[i].value;
    if (v[i] > NVPTX_TILES_MOST_COLUMNS)
      return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %s = %lld", nvptx_split_names[i], (long long)v[i]);
  }
  *out =
      (NvptxTmaShape){.groups = (int)v[0], .columns = (int)v[1], .stages = (int)v[2], .cluster = 1, .band = (int)v[3], .parts = 1};
  if (out->groups > 2 || (out->columns != 64 && out->columns != NVPTX_SPLIT_MOST_COLUMNS) || out->stages < 2)
    return TCC_ERROR(TCC_INVALID, "'tcc.schedule': of f32 groups are 1 or 2, columns 64 or 128, stages 2 or more");
  if (shared(out) > (int)machine->gpu.block_shared)
    return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %d bytes of shared memory, %s has %u for a block", shared(out), machine->cpu,
                     machine->gpu.block_shared);
  return NULL;
}

/* Pieces of 16 bytes are whole ones or outside. */
static bool has_pieces(const NvptxProduct *p, int side) {
  const TccExpr *moving = p->along_depth[side] ? p->depth : side ? p->columns : p->rows;
  return p->address && !p->present && !p->place_depth && p->pieces[side] && !p->pixels[side] && p->tensor[side].map.rank &&
         tcc_expr_multiple_of(moving) % PIECE_ELEMENTS == 0;
}

bool nvptx_product_split_fits(const TccMachine *machine, const NvptxProduct *p) {
  return tcc_isa_gpu_chip(machine->isa) == 90 && tcc_isa_gpu_alone(machine->isa) && p->elem == TCC_ELEM_F32 && !p->exact &&
         !p->dual && has_pieces(p, 0) && has_pieces(p, 1) && !nvptx_product_few_fits(p);
}

static int stages_of(const TccMachine *machine, NvptxTmaShape s) {
  for (s.stages = MOST_STAGES; s.stages > 2 && shared(&s) > (int)machine->gpu.block_shared;) s.stages--;
  return s.stages;
}

static NvptxTmaShape heuristic(const TccMachine *machine) {
  NvptxTmaShape s = {.groups = 2, .columns = NVPTX_SPLIT_MOST_COLUMNS, .cluster = 1, .band = BAND, .parts = 1};
  s.stages = stages_of(machine, s);
  return s;
}

TccStatus *nvptx_product_split_choose(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p) {
  TccSchedule schedule;
  TCC_TRY(tcc_schedule_read(kernel, &split_names, &schedule));
  NvptxTmaShape *s = &p->shape;
  *s = heuristic(machine);
  p->split = schedule.count || (is_large(machine, p, s) && shared(s) <= (int)machine->gpu.block_shared);
  return schedule.count ? apply(machine, &schedule, s) : NULL;
}

/* ---- schedules ---- */
static TccSchedule schedule_of(const NvptxTmaShape *s) {
  const int64_t v[] = {s->groups, s->columns, s->stages, s->band};
  TccSchedule out = {.count = split_names.count};
  for (size_t i = 0; i < out.count; i++) out.param[i] = (TccScheduleParam){nvptx_split_names[i], v[i]};
  return out;
}

static void pick(const void *kernel, TccSchedule *out) {
  NvptxTmaShape s = heuristic(((const NvptxTuned *)kernel)->machine);
  *out = schedule_of(&s);
}

static TccStatus *check(const void *kernel, const TccSchedule *schedule) {
  NvptxTmaShape s;
  return apply(((const NvptxTuned *)kernel)->machine, schedule, &s);
}

/* Waves of tiles; a tile of 64 columns is split and read as often as one of 128, for half of the products. */
static double cost(const void *kernel, const TccSchedule *schedule) {
  const NvptxTuned *t = kernel;
  const NvptxProduct *p = t->product;
  NvptxTmaShape s = {(int)tcc_schedule_get(schedule, "groups"), (int)tcc_schedule_get(schedule, "columns"), 0, 1, 0, 1};
  int64_t down = tcc_ceil_div(likely(p->rows, UNKNOWN), (int64_t)s.groups * NVPTX_GROUP_ROWS),
          tiles = likely(p->batch, 1) * down * tcc_ceil_div(likely(p->columns, UNKNOWN), s.columns);
  double cycles = (double)(tcc_ceil_div(tiles, t->machine->gpu.sms) * s.columns) * (s.columns == 64 ? 1.4 : 1);
  double band = (double)tcc_schedule_get(schedule, "band") / BAND;
  cycles *= 1 + 0.01 * (double)(stages_of(t->machine, s) - tcc_schedule_get(schedule, "stages"));
  return cycles * (1 + 0.005 * (band < 1 ? 1 / band : band));
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  enum { OF_A_TILE = 8 };
  const NvptxTuned *t = kernel;
  const TccMachine *machine = t->machine;
  TccSchedule all[TCC_SHORTLIST_MOST];
  TccShortlist list = {.schedule = all, .room = TCC_SHORTLIST_MOST};
  NvptxTmaShape s = {.cluster = 1, .parts = 1};
  for (s.groups = 1; s.groups <= 2; s.groups++)
    for (s.columns = 64; s.columns <= NVPTX_SPLIT_MOST_COLUMNS; s.columns *= 2)
      for (s.stages = stages_of(machine, s); s.stages >= 2; s.stages--)
        for (s.band = BAND / 2; s.band <= 2 * BAND; s.band *= 2) {
          int64_t down = tcc_ceil_div(likely(t->product->rows, UNKNOWN), (int64_t)s.groups * NVPTX_GROUP_ROWS);
          if (s.band > BAND / 2 && s.band / 2 >= down) break; /* a narrower one has all rows, too */
          TccSchedule schedule = schedule_of(&s);
          if (shared(&s) <= (int)machine->gpu.block_shared) tcc_shortlist_offer(&list, &schedule, cost(kernel, &schedule));
        }
  return tcc_shortlist_spread(&list, 2, OF_A_TILE, out, room);
}

const TccTunable nvptx_contract_split = {
    .kind = TCC_KERNEL_CONTRACT,
    .names = NVPTX_SPLIT_NAMES,
    .version = 1,
    .read = nvptx_contract_read_split,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check,
    .shape = nvptx_product_text,
};
