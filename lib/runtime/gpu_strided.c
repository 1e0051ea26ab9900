/* gpu_strided.c - tensors of the device with gaps or another order, from and to dense memory there: by a kernel for all of them, PTX that the driver
 * compiles when the first such tensor comes. A thread moves an element, whose index it takes apart by the sizes, the last axis first. */
#include "gpu_driver.h"
#include "gpu_ports.h"
#include <limits.h>

enum { THREADS = 256 };
typedef struct {
  int64_t size, to, from; /* to, from: steps in bytes */
} Axis;
typedef struct { /* the kernel's parameters */
  uint64_t to, from, count;
  uint32_t rank, bytes;
  Axis axis[TCC_PLAN_MAX_RANK];
} Copy;
_Static_assert(sizeof(Axis) * TCC_PLAN_MAX_RANK == 384, "as the kernel declares it");

static const char code[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry tcc_copy_strided(.param .u64 to, .param .u64 from, .param .u64 count, .param .u32 rank, .param .u32 bytes,\n"
    "                                 .param .align 8 .b8 axes[384])\n"
    "{\n"
    ".reg .pred %p<2>;\n.reg .b16 %h<2>;\n.reg .b32 %r<6>;\n.reg .b64 %rd<12>;\n"
    "mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %ntid.x;\nmov.u32 %r3, %tid.x;\n"
    "mul.wide.u32 %rd1, %r1, %r2;\ncvt.u64.u32 %rd2, %r3;\nadd.s64 %rd1, %rd1, %rd2;\n"
    "ld.param.u64 %rd3, [count];\nsetp.ge.u64 %p1, %rd1, %rd3;\n@%p1 bra end;\n"
    "ld.param.u64 %rd4, [to];\ncvta.to.global.u64 %rd4, %rd4;\nld.param.u64 %rd5, [from];\ncvta.to.global.u64 %rd5, %rd5;\n"
    "ld.param.u32 %r4, [rank];\nmov.b64 %rd6, axes;\n"
    "axis: setp.eq.s32 %p1, %r4, 0;\n@%p1 bra move;\n"
    "ld.param.u64 %rd7, [%rd6];\nld.param.u64 %rd8, [%rd6+8];\nld.param.u64 %rd9, [%rd6+16];\n"
    "rem.u64 %rd10, %rd1, %rd7;\ndiv.u64 %rd1, %rd1, %rd7;\n"
    "mad.lo.s64 %rd4, %rd10, %rd8, %rd4;\nmad.lo.s64 %rd5, %rd10, %rd9, %rd5;\n"
    "add.s64 %rd6, %rd6, 24;\nadd.s32 %r4, %r4, -1;\nbra axis;\n"
    "move: ld.param.u32 %r5, [bytes];\n"
    "setp.eq.s32 %p1, %r5, 1;\n@%p1 bra one;\nsetp.eq.s32 %p1, %r5, 2;\n@%p1 bra two;\nsetp.eq.s32 %p1, %r5, 4;\n@%p1 bra four;\n"
    "ld.global.u64 %rd11, [%rd5];\nst.global.u64 [%rd4], %rd11;\nbra end;\n"
    "four: ld.global.u32 %r5, [%rd5];\nst.global.u32 [%rd4], %r5;\nbra end;\n"
    "two: ld.global.u16 %h1, [%rd5];\nst.global.u16 [%rd4], %h1;\nbra end;\n"
    "one: ld.global.u8 %h1, [%rd5];\nst.global.u8 [%rd4], %h1;\n"
    "end: ret;\n"
    "}\n";

static TccStatus *load(TccGpu *gpu) {
  if (gpu->strided) return NULL;
  if (!gpu->strided_module) TCC_CUDA_TRY(gpu->cuda, cuModuleLoadData, (&gpu->strided_module, code), "copies of strided tensors");
  TCC_CUDA_TRY(gpu->cuda, cuModuleGetFunction, (&gpu->strided, gpu->strided_module, "tcc_copy_strided"),
               "copies of strided tensors");
  return NULL;
}

bool tcc_gpu_strided_fits(const TccTensor *tensor, TccElem elem) {
  const size_t bits = tcc_elem_bits(elem);
  bool fits = tensor->rank <= TCC_PLAN_MAX_RANK && (bits == 8 || bits == 16 || bits == 32 || bits == 64);
  uint64_t count = 1;
  for (int32_t axis = 0; axis < tensor->rank && fits; axis++)
    fits = !__builtin_mul_overflow(count, (uint64_t)tensor->shape[axis], &count) && count <= (uint64_t)INT32_MAX * THREADS;
  return fits;
}

/* into: whether the tensor is written, and the dense memory is read. Axes of one element are left out. */
static Copy describe(const TccTensor *tensor, size_t width, void *dense, bool into) {
  const uint64_t first = (uint64_t)(uintptr_t)tensor->data + (uint64_t)tensor->byte_offset, other = (uint64_t)(uintptr_t)dense;
  Copy copy = {.to = into ? first : other, .from = into ? other : first, .count = 1, .bytes = (uint32_t)width};
  for (int32_t i = tensor->rank; i-- > 0;) {
    const int64_t own = tensor->strides[i] * (int64_t)width, step = (int64_t)(copy.count * width);
    if (tensor->shape[i] != 1) copy.axis[copy.rank++] = (Axis){tensor->shape[i], into ? own : step, into ? step : own};
    copy.count *= (uint64_t)tensor->shape[i];
  }
  return copy;
}

/* A driver that checks accesses is told of both sides: from the lowest element to the highest. */
static TccStatus *tell_regions(TccGpu *gpu, const Copy *copy) {
  const void *memory[2];
  size_t bytes[2];
  for (int side = 0; side < 2; side++) {
    int64_t low = 0, high = 0;
    for (uint32_t i = 0; i < copy->rank; i++) {
      const int64_t far = (side ? copy->axis[i].from : copy->axis[i].to) * (copy->axis[i].size - 1);
      if (far < 0) low += far;
      else high += far;
    }
    memory[side] = (const void *)(uintptr_t)((side ? copy->from : copy->to) + (uint64_t)low);
    bytes[side] = (size_t)(high - low) + copy->bytes;
  }
  if (gpu->cuda->tccEmulateRegions) TCC_CUDA_TRY(gpu->cuda, tccEmulateRegions, (memory, bytes, 2), "the emulator");
  return NULL;
}

TccStatus *tcc_gpu_copy_strided(TccGpu *gpu, const TccTensor *tensor, TccElem elem, void *dense, bool into) {
  Copy copy = describe(tensor, tcc_elem_bytes(elem, 1), dense, into);
  void *parameters[] = {&copy.to, &copy.from, &copy.count, &copy.rank, &copy.bytes, copy.axis, NULL};
  TccCudaLaunch config = {.grid = {(unsigned)((copy.count + THREADS - 1) / THREADS), 1, 1}, .block = {THREADS, 1, 1}};
  config.stream = gpu->stream;
  if (!copy.count) return NULL;
  TCC_TRY(load(gpu));
  TCC_TRY(tell_regions(gpu, &copy));
  gpu->busy = true;
  TCC_CUDA_TRY(gpu->cuda, cuLaunchKernelEx, (&config, gpu->strided, parameters, NULL), "a copy of a strided tensor");
  return NULL;
}
