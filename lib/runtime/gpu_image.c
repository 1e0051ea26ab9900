/* gpu_image.c - chips, and the code of an artifact that fits one. */
#include "gpu_driver.h"
#include <limits.h>
#include <stdio.h>

/* ---- chips ---- */
TccStatus *tcc_gpu_isa_of(const TccCuda *cuda, int device, uint64_t *out) {
  int major = 0, minor = 0;
  TCC_CUDA_TRY(cuda, cuDeviceGetAttribute, (&major, CUDA_ATTRIBUTE_MAJOR, device), "the device");
  TCC_CUDA_TRY(cuda, cuDeviceGetAttribute, (&minor, CUDA_ATTRIBUTE_MINOR, device), "the device");
  *out = tcc_isa_of_gpu((unsigned)(major * 10 + minor), 1);
  return NULL;
}

TccStatus *tcc_gpu_isa(uint64_t *out) {
  const TccCuda *cuda;
  int device = 0;
  *out = 0;
  TCC_TRY(tcc_cuda_driver(&cuda));
  TCC_CUDA_TRY(cuda, cuDeviceGet, (&device, 0), "the device");
  return tcc_gpu_isa_of(cuda, device, out);
}

bool tcc_gpu_fits(uint64_t code, uint64_t device) {
  unsigned wanted = tcc_isa_gpu_chip(code), is = tcc_isa_gpu_chip(device);
  return tcc_isa_gpu_alone(code) ? wanted == is : wanted <= is;
}

/* "sm_90a" -> ISA bits; 0: it is no chip. */
static uint64_t isa_of_name(const char *chip) {
  char *end;
  unsigned long number = strncmp(chip, "sm_", 3) == 0 ? strtoul(chip + 3, &end, 10) : 0;
  return number && number < 0xffff ? tcc_isa_of_gpu((unsigned)number, *end != 0) : 0;
}

/* How well an image fits; 0: not at all. A cubin runs on its generation, from its chip on. */
static unsigned image_rank(const TccPlanHeader *plan, const TccPlanImage *image, uint64_t device) {
  uint64_t isa = isa_of_name(tcc_plan_text(plan, image->chip));
  if (!isa || !tcc_gpu_fits(isa, device)) return 0;
  bool cubin = image->kind == TCC_IMAGE_CUBIN;
  if (cubin && tcc_isa_gpu_chip(isa) / 10 != tcc_isa_gpu_chip(device) / 10) return 0;
  return 4 * tcc_isa_gpu_chip(isa) + 2 * cubin + (unsigned)tcc_isa_gpu_alone(isa);
}

/* ---- images ---- */
static TccStatus *no_image(const TccGpu *gpu) {
  TccText chips = {0};
  const TccPlanImage *images = tcc_plan_at(gpu->plan, gpu->plan->images);
  for (size_t i = 0; i < gpu->plan->images.count; i++) {
    bool seen = false;
    for (size_t k = 0; k < i; k++) seen |= images[k].chip == images[i].chip;
    if (!seen) tcc_text_printf(&chips, "%s%s", i ? ", " : "", tcc_plan_text(gpu->plan, images[i].chip));
  }
  tcc_text_put(&chips, "", 0);
  TccStatus *status = tcc_text_status(&chips);
  if (!status)
    status = TCC_ERROR(TCC_INCOMPATIBLE, "the device is an sm_%u, the artifact has code for %s", tcc_isa_gpu_chip(gpu->isa),
                       chips.length ? chips.data : "none");
  tcc_text_destroy(&chips);
  return status;
}

/* *out_refused: the driver cannot take this code, which says nothing of other code for the same kernels. */
static TccStatus *load_image(TccGpu *gpu, size_t index, bool *out_refused) {
  const TccPlanHeader *plan = gpu->plan;
  const TccPlanImage *image = (const TccPlanImage *)tcc_plan_at(plan, plan->images) + index;
  const uint32_t *kernels = (const uint32_t *)tcc_plan_at(plan, plan->indices) + image->kernels.first;
  const TccPlanKernel *records = tcc_plan_at(plan, plan->kernels);
  const char *data = (const char *)tcc_plan_at(plan, plan->data) + image->offset, *chip = tcc_plan_text(plan, image->chip);
  if (!image->kernels.count) return NULL;
  int error = gpu->cuda->cuModuleLoadData(&gpu->modules[index], data);
  if (error) {
    char what[80];
    snprintf(what, sizeof what, "%s for %s of the artifact", image->kind == TCC_IMAGE_PTX ? "PTX" : "a cubin", chip);
    *out_refused = error == CUDA_INVALID_IMAGE || error == CUDA_NO_BINARY_FOR_GPU || error == CUDA_UNSUPPORTED_PTX_VERSION;
    return tcc_cuda_error(gpu->cuda, "cuModuleLoadData", error, what);
  }
  for (uint32_t i = 0; i < image->kernels.count; i++) {
    const char *symbol = tcc_plan_text(plan, records[kernels[i]].symbol);
    TCC_CUDA_TRY(gpu->cuda, cuModuleGetFunction, (&gpu->functions[kernels[i]], gpu->modules[index], symbol), symbol);
  }
  return NULL;
}

/* The images of a rank; after an error those that were loaded are gone again. */
static TccStatus *load_rank(TccGpu *gpu, unsigned rank, bool *out_refused) {
  const TccPlanHeader *plan = gpu->plan;
  const TccPlanImage *images = tcc_plan_at(plan, plan->images);
  TccStatus *status = NULL;
  for (size_t i = 0; i < plan->images.count && !status; i++)
    if (image_rank(plan, &images[i], gpu->isa) == rank) status = load_image(gpu, i, out_refused);
  for (size_t i = 0; status && i < plan->images.count; i++)
    if (gpu->modules[i]) gpu->cuda->cuModuleUnload(gpu->modules[i]), gpu->modules[i] = NULL;
  return status;
}

/* The rank of the images that fit best, of those below a rank; 0: there are none. */
static unsigned best_rank(const TccGpu *gpu, unsigned below) {
  const TccPlanImage *images = tcc_plan_at(gpu->plan, gpu->plan->images);
  unsigned best = 0;
  for (size_t i = 0; i < gpu->plan->images.count; i++) {
    unsigned rank = image_rank(gpu->plan, &images[i], gpu->isa);
    if (rank < below && rank > best) best = rank;
  }
  return best;
}

/* A model whose results are inputs and constants has no kernels, and so no code that had to fit. */
static bool has_launch(const TccPlanHeader *plan) {
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (size_t i = 0; i < plan->calls.count; i++)
    if (calls[i].launch) return true;
  return false;
}

/* Of each kernel the image that fits best. Cubins that the driver refuses, being older than the assembler or the file being damaged, are said on standard
 * error: PTX of the same kernels does as well and takes the driver's compiler. */
TccStatus *tcc_gpu_load_images(TccGpu *gpu) {
  const TccPlanHeader *plan = gpu->plan;
  gpu->modules = calloc(plan->images.count + 1, sizeof *gpu->modules);
  gpu->functions = calloc(plan->kernels.count + 1, sizeof *gpu->functions);
  gpu->shared = calloc(plan->kernels.count + 1, sizeof *gpu->shared);
  if (!gpu->modules || !gpu->functions || !gpu->shared) return TCC_ERROR_NO_MEMORY();
  unsigned rank = best_rank(gpu, UINT_MAX);
  if (!rank) return has_launch(plan) ? no_image(gpu) : NULL;
  for (unsigned next; rank; rank = next) {
    bool refused = false;
    TccStatus *status = load_rank(gpu, rank, &refused);
    if (!status) break;
    next = best_rank(gpu, rank);
    if (!refused || !next) return status;
    fprintf(stderr, "tcc: %s: other code of the artifact is taken\n", tcc_status_message(status));
    tcc_status_destroy(status);
  }
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (size_t i = 0; i < plan->calls.count; i++)
    if (calls[i].launch && !gpu->functions[calls[i].kernel])
      return TCC_ERROR(TCC_INVALID, "kernel '%s' is in no image for the device", tcc_plan_text(plan, calls[i].name));
  return NULL;
}
