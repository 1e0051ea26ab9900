/* product_schedule.h - schedules of products, for tcc-variants and the tuner: of contractions and of convolutions that are such products. */
#ifndef TCC_NVPTX_PRODUCT_SCHEDULE_H
#define TCC_NVPTX_PRODUCT_SCHEDULE_H
#include "lib/targets/nvptx/product.h"
#include "tcc/tunable.h"

/* What a tunable has read of a kernel. */
typedef struct {
  const TccMachine *machine;
  TccIr *ir;
  const NvptxProduct *product;
} NvptxTuned;
void nvptx_product_text(const void *kernel, TccText *out); /* "4096x4096x1024 f16", batches in front; "?" for what a run tells */

/* Whose operands tensor maps copy (product_tma_shape.c). */
extern const char *const nvptx_tma_names[6];
#define NVPTX_TMA_NAMES {"nvptx.tma", 6, nvptx_tma_names}
bool nvptx_product_tma_fits(const TccMachine *machine, const NvptxProduct *p);
void nvptx_tma_pick(const void *kernel, TccSchedule *out);
size_t nvptx_tma_variants(const void *kernel, TccSchedule *out, size_t room);
double nvptx_tma_cost(const void *kernel, const TccSchedule *schedule);
TccStatus *nvptx_tma_check(const void *kernel, const TccSchedule *schedule) TCC_CHECKED;
#define NVPTX_TMA_TUNABLE                                                                                                          \
  .names = NVPTX_TMA_NAMES, .version = 1, .pick = nvptx_tma_pick, .variants = nvptx_tma_variants, .cost = nvptx_tma_cost,          \
  .check = nvptx_tma_check, .shape = nvptx_product_text

/* Of f32 in three parts (product_split_shape.c). */
extern const char *const nvptx_split_names[4];
#define NVPTX_SPLIT_NAMES {"nvptx.split", 4, nvptx_split_names}
/* Of a contraction that the heuristic does so; contract.c. */
void *nvptx_contract_read_split(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);

/* By a ring of tiles, on tensor cores (product_ring_shape.c). */
extern const char *const nvptx_ring_names[2];
#define NVPTX_RING_NAMES {"nvptx.ring", 2, nvptx_ring_names}
/* Whether it is done so whatever a schedule says: what could be split in three parts has no other way on record. */
static inline bool nvptx_product_is_ring(const TccMachine *machine, const NvptxProduct *p) {
  NvptxProductWay way = nvptx_product_way(machine, p);
  return (way == NVPTX_PRODUCT_WGMMA || way == NVPTX_PRODUCT_MMA) && !nvptx_product_tma_fits(machine, p) &&
         !nvptx_product_split_fits(machine, p);
}
void nvptx_ring_pick(const void *kernel, TccSchedule *out);
size_t nvptx_ring_variants(const void *kernel, TccSchedule *out, size_t room);
double nvptx_ring_cost(const void *kernel, const TccSchedule *schedule);
TccStatus *nvptx_ring_check(const void *kernel, const TccSchedule *schedule) TCC_CHECKED;
#define NVPTX_RING_TUNABLE                                                                                                         \
  .names = NVPTX_RING_NAMES, .version = 1, .pick = nvptx_ring_pick, .variants = nvptx_ring_variants, .cost = nvptx_ring_cost,      \
  .check = nvptx_ring_check, .shape = nvptx_product_text

/* Of few rows (product_few_shape.c). */
extern const char *const nvptx_few_names[3];
#define NVPTX_FEW_NAMES {"nvptx.few", 3, nvptx_few_names}
void nvptx_few_pick(const void *kernel, TccSchedule *out);
size_t nvptx_few_variants(const void *kernel, TccSchedule *out, size_t room);
double nvptx_few_cost(const void *kernel, const TccSchedule *schedule);
TccStatus *nvptx_few_check(const void *kernel, const TccSchedule *schedule) TCC_CHECKED;
#define NVPTX_FEW_TUNABLE                                                                                                          \
  .names = NVPTX_FEW_NAMES, .version = 1, .pick = nvptx_few_pick, .variants = nvptx_few_variants, .cost = nvptx_few_cost,          \
  .check = nvptx_few_check, .shape = nvptx_product_text

extern const TccTunable nvptx_contract_tma, nvptx_contract_split, nvptx_contract_ring, nvptx_contract_few, nvptx_conv_tma,
    nvptx_conv_ring;
#endif
