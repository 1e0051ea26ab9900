/* gemv.h - contractions of few rows: a decode step of a language model, the head of a classifier, squeeze and excitation.
 *
 * With few rows a product costs what it costs to read its right operand once. So that operand is read as it lies in memory,
 * in the type that it has there: no packed copy, and what stands between the stored weight and the product (a conversion,
 * a zero point, scales of a column or of blocks; 4 bits, two to a byte) is computed on the way (pull.h), lane by lane. Several lines are read side
 * by side, because each has a hardware prefetcher follow it (Intel's optimization manual, "Data prefetching"), and each
 * asks for its bytes some way ahead, across the ends of rows and pages where the hardware stops. Bytes are not converted one by
 * one where the machine multiplies them four at a time (gemv_bytes.c, gemv_depth.c).
 *
 * Columns contiguous ([K, N]): rows of the operand are added to sums in the first cache, `unroll` rows at a time; a tile is a
 * range of the depth (one thread adds the sums of all), or of columns where many threads share few of them. Depth
 * contiguous ([N, K]): `unroll` dot products at a time; a tile is a range of columns. Either way a thread reads one run of
 * memory. */
#ifndef TCC_CODEGEN_GEMV_H
#define TCC_CODEGEN_GEMV_H
#include "tcc/codegen.h"

enum { TCC_GEMV_ROWS = 8 }; /* at most; more are left to contract.h */

/* Whether the kernel around a dot_general is for this emitter: few rows, known sizes, f32 sums, a right operand that lies
 * contiguous along columns or depth. */
bool tcc_gemv_accepts(const TccMachine *machine, TccIr *ir, MlirOperation kernel);
/* Whether that many rows read a weight as it lies, too, where it could be packed ahead: of f32, more than one are faster from panels, whose sums stay in
 * registers: each row's lie in the first cache here, and it repeats its numbers from there for each line (one thread of a Zen 5, us: two, three and four rows
 * times 768x3072 101, 129 and 130 as it lies, 92, 99 and 117 from panels; times 2048x5632 1388, 1398 and 1507, 1035, 1147 and 1114; with AVX2 alike). */
bool tcc_gemv_reads_weights(int64_t rows, TccElem weight);
/* One kernel that tcc_gemv_accepts. */
TccStatus *tcc_gemv_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) TCC_CHECKED;
#endif
