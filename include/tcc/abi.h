/* abi.h - what compiled code and the run-time agree on. Any change bumps TCC_ABI_VERSION. No MLIR. */
#ifndef TCC_ABI_H
#define TCC_ABI_H
#include <stdint.h>

enum { TCC_ABI_VERSION = 23 };

/* Where the bytes of a buffer lie: what a kernel reads and writes is in its target's space. */
typedef enum { TCC_SPACE_HOST, TCC_SPACE_DEVICE } TccSpace;

/* Limits of a launch, of whatever chip. */
enum {
  TCC_LAUNCH_THREADS = 1024 /* of a block */,
  TCC_LAUNCH_CLUSTER = 16 /* blocks */,
  TCC_LAUNCH_SHARED = 228 << 10 /* bytes of a block */,
  TCC_LAUNCH_PARAMETERS = 4096 /* bytes */
};

/* Tensor maps of CUDA (CUtensorMap): bytes of one, their alignment, the most axes. */
enum { TCC_TENSOR_MAP_BYTES = 128, TCC_TENSOR_MAP_ALIGNMENT = 64, TCC_TENSOR_MAP_RANK = 5 };
/* The widest step between pixels of a map of im2col. */
enum { TCC_IM2COL_STEP = 8 };
/* Corners of pixels of a map of so many axes are numbers from minus this on, less than it; offsets of a copy are less than twice it. */
static inline int tcc_im2col_reach(unsigned rank) { return rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4; }

/* The parameters of a kernel of a device are words of 64 bits and tensor maps, in this order: the address of each operand, then of each result
 * (0: absent); if its call has checks (TccPlanCall.checks), the address right behind as many TCC_FAULT_WORDS, which it writes as a kernel of
 * the host writes those in front of its sizes; if the call's scratch is not the constant 0, the address of so many bytes, of this launch alone,
 * with any content, behind TCC_SCRATCH_COUNTERS words of 32 bits that are 0 when the launch begins and that it leaves 0; if its launch has
 * tensor maps, those; then TccKernelCode.sizes evaluated. All addresses are of device memory; what the run-time allocates is aligned to 256
 * bytes, a caller's tensor to 16. */
enum { TCC_DEVICE_ALIGNMENT = 256, TCC_SCRATCH_COUNTERS = 256 };

/* What kernels may ask of the machine: recorded in the artifact, checked before it is loaded. */
enum {
  TCC_ISA_AVX2 = 1 << 0,
  TCC_ISA_FMA = 1 << 1,
  TCC_ISA_F16C = 1 << 2,
  TCC_ISA_AVX512 = 1 << 3 /* F+BW+DQ+VL */,
  TCC_ISA_AVX512_VNNI = 1 << 4,
  TCC_ISA_AVX512_BF16 = 1 << 5,
  TCC_ISA_AVX512_FP16 = 1 << 6,
  TCC_ISA_AMX = 1 << 7,
  /* No emitter asks for these, but LLVM uses what the machine has (a byte shuffle becomes vpermb). */
  TCC_ISA_AVX512_VBMI = 1 << 8,
  TCC_ISA_AVX512_VBMI2 = 1 << 9,
  TCC_ISA_AVX512_IFMA = 1 << 10,
  TCC_ISA_AVX512_BITALG = 1 << 11,
  TCC_ISA_AVX512_VPOPCNTDQ = 1 << 12,
  TCC_ISA_GFNI = 1 << 13,
  TCC_ISA_AVX_VNNI = 1 << 14,
};

/* What code for a GPU asks of the machine, beside no feature of the CPU: a chip of this number (sm_90: 90) or a later one of its
 * generation; alone: this chip and no other (sm_90a). */
#define TCC_ISA_GPU (UINT64_C(1) << 62)
static inline uint64_t tcc_isa_of_gpu(unsigned chip, int alone) {
  return TCC_ISA_GPU | (uint64_t)chip << 32 | (uint64_t)(alone != 0) << 48;
}
static inline unsigned tcc_isa_gpu_chip(uint64_t isa) { return (unsigned)(isa >> 32) & 0xffff; }
static inline int tcc_isa_gpu_alone(uint64_t isa) { return (int)(isa >> 48) & 1; }

/* The head of the sizes of the builtin "relayout": result[...] = source[offset + dims . steps] where all bounds hold, else 0.
 * Behind it stand for each dim, outermost first, its size and its step in the source, in elements (the result is dense), then
 * for each bound: offset, low, high and a step for each dim; low <= offset + dims . steps < high. A block is `rows` of dim
 * `run` (not the last; -1: none) by `columns` of the last dim, a tile is `blocks` of them. */
enum {
  TCC_RELAYOUT_BYTES,
  TCC_RELAYOUT_NDIMS,
  TCC_RELAYOUT_NBOUNDS,
  TCC_RELAYOUT_OFFSET,
  TCC_RELAYOUT_RUN,
  TCC_RELAYOUT_ROWS,
  TCC_RELAYOUT_COLUMNS,
  TCC_RELAYOUT_BLOCKS,
  TCC_RELAYOUT_HEAD
};

/* The sizes of the builtin "winograd" (lib/runtime/winograd.c): results of a tile along each side; output channels, blocks of input channels
 * and lanes of the weights; vectors of their panels, 0: as a model has them, [outputs, inputs, 3, 3]; vectors of a panel of the result. */
enum {
  TCC_WINOGRAD_WEIGHTS_M,
  TCC_WINOGRAD_WEIGHTS_OUTPUTS,
  TCC_WINOGRAD_WEIGHTS_BLOCKS,
  TCC_WINOGRAD_WEIGHTS_LANES,
  TCC_WINOGRAD_WEIGHTS_VECTORS,
  TCC_WINOGRAD_WEIGHTS_MADE,
  TCC_WINOGRAD_WEIGHTS_SIZES
};

/* The sizes of the builtins "slice" and "concat" (lib/runtime/concat_in_place.c). slice: bytes of the result, where they begin in the operand.
 * concat: bytes of the result, number of operands, number of places, then for each, in order, where it begins in the result, and its operand.
 * A tile is TCC_IN_PLACE_TILE bytes of the result. */
enum {
  TCC_IN_PLACE_BYTES,
  TCC_SLICE_OFFSET,
  TCC_SLICE_SIZES,
  TCC_CONCAT_OPERANDS = 1,
  TCC_CONCAT_PLACES,
  TCC_CONCAT_HEAD,
  TCC_IN_PLACE_TILE = 1 << 16
};

/* The sizes of the builtins that factor matrices (lib/runtime/linalg.h): f32 or f64; rows and columns of a matrix; what the builtin says itself; then where
 * among the arguments two operands and three results are, 0: there is none, or nobody wants it. A tile is a matrix. Of scratch a matrix's row takes
 * at most TCC_LINALG_PADDING elements more than it has; blocks of reflectors are TCC_LINALG_BLOCK wide. */
enum {
  TCC_LINALG_ELEM,
  TCC_LINALG_ROWS,
  TCC_LINALG_COLUMNS,
  TCC_LINALG_OPTION, /* householder_product: reflectors; svd: whether u and vh are square */
  TCC_LINALG_OPERAND,
  TCC_LINALG_OPERAND_2,
  TCC_LINALG_RESULT,
  TCC_LINALG_SIZES = TCC_LINALG_RESULT + 3,
  TCC_LINALG_PADDING = 16,
  TCC_LINALG_BLOCK = 32
};

/* What lies right before the scratch of a thread, for kernels whose tiles are parts of one sum. common: the scratch of the
 * team's first thread, which all threads of a command may use as they agree on (the first one's private part is in it, too);
 * count: 0 when a command starts, left 0 when its last tile is done, changed by atomic operations. first: of the tiles that a
 * thread is called with, that of the share which they are part of; shares follow from the numbers of tiles and threads alone, and
 * calls part them alike in each run. own_first, own_end: the kernel's, for one thread and command; own_end is -1 when a command starts. */
typedef struct {
  void *common;
  int64_t *count;
  int64_t first, own_first, own_end;
  int64_t unused[3];
} TccScratchHead;

/* What lies right before the sizes of a kernel that reads indices from memory: for each of its checks (TccPlanCall.checks), the first
 * one nearest, an index that was outside of its axis, and 1 once there was one. Zero when a run starts. The kernel, on any thread, writes
 * there and reads nothing; it goes on with an index inside, or, if it scatters, without this update. */
enum { TCC_FAULT_INDEX, TCC_FAULT_SEEN, TCC_FAULT_WORDS };
static inline int64_t tcc_fault_word(int64_t check, int64_t word) { return word - (check + 1) * TCC_FAULT_WORDS; }

/* What a kernel reads first of an operand whose every byte it needs once: from byte offset + tile * step on, where `tile` is the
 * first of its call, `streams` runs of memory side by side, pitch bytes apart. A thread that waits for the command before it
 * asks for them meanwhile, where the operand is a weight. streams = 0: nothing is to be asked for. */
typedef struct {
  uint32_t operand, streams;
  int64_t offset, step, pitch;
} TccPrefetch;

/* A kernel computes tiles [begin, end) of its result. arguments: its operand buffers, then its result buffers; sizes:
 * TccKernelCode.sizes evaluated, behind the words of TCC_FAULT_WORDS; scratch: private to the calling thread, 64-byte aligned,
 * behind a TccScratchHead. Buffers are row-major and dense unless the kernel's types say otherwise, aligned to the element at least
 * (64 bytes for what the run-time allocates), bool is a byte 0 or 1. Results never overlap operands, except where memory-plan marked
 * an in-place pair. A kernel creates no threads, allocates nothing, calls nothing outside its object. */
typedef void TccKernelFunction(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end);
#endif
