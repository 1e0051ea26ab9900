/* product_split_shape.c - which products of f32 are done as six of bf16, and how large their tiles are (product_split.h). */
#include "lib/targets/nvptx/product_split.h"
#include "lib/targets/nvptx/product_tiles.h"
#include "tcc/schedule.h"

enum { UNKNOWN = 4096, BAND = 8, PIECE_ELEMENTS = 4 };

static const char *const names[] = {"groups", "columns", "stages", "band"};
static const TccScheduleNames split_names = {"nvptx.contract", sizeof names / sizeof *names, names};

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
  int64_t v[sizeof names / sizeof *names];
  for (size_t i = 0; i < split_names.count; i++) {
    v[i] = schedule->param[i].value;
    if (v[i] > NVPTX_TILES_MOST_COLUMNS) return TCC_ERROR(TCC_INVALID, "'tcc.schedule': %s = %lld", names[i], (long long)v[i]);
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
         has_pieces(p, 0) && has_pieces(p, 1) && !nvptx_product_few_fits(p);
}

TccStatus *nvptx_product_split_choose(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p) {
  enum { MOST_STAGES = 4 };
  TccSchedule schedule;
  TCC_TRY(tcc_schedule_read(kernel, &split_names, &schedule));
  NvptxTmaShape *s = &p->shape;
  *s = (NvptxTmaShape){
      .groups = 2, .columns = NVPTX_SPLIT_MOST_COLUMNS, .stages = MOST_STAGES, .cluster = 1, .band = BAND, .parts = 1};
  while (s->stages > 2 && shared(s) > (int)machine->gpu.block_shared) s->stages--;
  p->split = schedule.count || (is_large(machine, p, s) && shared(s) <= (int)machine->gpu.block_shared);
  return schedule.count ? apply(machine, &schedule, s) : NULL;
}
