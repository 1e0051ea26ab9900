/* micro.h - the register tile of a contraction: c[rows][vectors * lanes] (+)= a[rows][k] * b[k][vectors * lanes].
 *
 * Operands are packed before (contract_pack.h): a as rows of `lda` elements, b as k-major panels, both padded with zeros to
 * whole k-groups and to TCC_MICRO_STEP k-groups, so that the loop has no tail and no mask; c is a scratch block that the
 * epilogue reads while it is in the first cache. One body serves every size: rows that do not exist are zero rows.
 * A k-group is what one broadcast of `a` feeds to all lanes: one element; four bytes, where unsigned ones meet signed ones and
 * the machine has vpdpbusd; a pair of 16-bit integers for other 8-bit operands, widened, whose products vpmaddwd sums; a
 * pair of bf16, where the machine has vdpbf16ps. Integers are exact in 32 bits; products of bf16 are exact and summed in
 * f32. Tile shape: 8 x 3 vectors uses 28 of 32 AVX-512 registers and loads 11 times for 24 multiply-adds (Goto and van de
 * Geijn 2008, section 4; Low et al. 2016).
 * Sums of f32 begin anew after 256 k-groups, and are added to c: the error of a sum in one chain grows with its length.
 *
 * With AMX the same operands meet in tile registers of 16 rows of 64 bytes (Intel SDM volume 1, chapter 18): 16 k-groups of 16
 * rows of a, times 16 k-groups of 16 columns of a panel, which is laid out as a tile wants it already (micro_tiles.c). */
#ifndef TCC_CODEGEN_MICRO_H
#define TCC_CODEGEN_MICRO_H
#include "lib/codegen/emit/emit.h"
#include "tcc/codegen.h"

enum { TCC_MICRO_FEW = 2 };
enum { TCC_MICRO_LDC_BITS = 8 }; /* of `how` in front of the row stride of c */
enum { TCC_MICRO_STEP = 4 };     /* k-groups that packed operands are padded to at least; the type has its own number */

typedef enum { TCC_MICRO_FMA, TCC_MICRO_DOT /* vpdpbusd, vpdpwssd, vdpbf16ps */, TCC_MICRO_TILES /* AMX */ } TccMicroEngine;
enum { TCC_TILE_ROWS = 16, TCC_TILE_K_GROUPS = 16, TCC_TILE_SUMS = 4 }; /* of a tile register; tile registers that hold sums */

typedef struct {
  TccElem a, b;             /* element types in memory */
  const char *packed;       /* packed elements: "f32", "f64", "i8", "i16", "i32", "i64" */
  const char *k_group_type; /* what is broadcast: packed, or "i32" for pairs of "i16" and fours of "i8" */
  const char *acc;          /* accumulator element */
  TccElem acc_elem;
  int k_group; /* packed elements along k that one broadcast feeds: 1, a VNNI pair or quad */
  int lanes;   /* accumulators in a vector */
  int packed_bytes, acc_bytes;
  int registers; /* vector registers of the machine */
  TccMicroEngine engine;
  int step;                 /* k-groups that packed operands are padded to */
  bool llvm_tiles, lowered; /* as the machine's (codegen.h) */
} TccMicroType;

/* How to multiply a by b; false if no emitter does it (f8 and 4-bit operands; mixed types other than 8-bit integers). */
bool tcc_micro_type(const TccMachine *machine, TccElem a, TccElem b, TccMicroType *out);
/* The same with one element in a k-group, for emitters that bring their operands element by element. */
bool tcc_micro_type_plain(const TccMachine *machine, TccElem a, TccElem b, TccMicroType *out);
/* What a row alone is multiplied by, of operands packed for `type`: a tile register of one row takes as long as one of sixteen, so vectors of dot products
 * where there are such of these elements. False: there are none. */
bool tcc_micro_row_type(const TccMicroType *type, TccMicroType *row);
/* K-groups in one iteration of the loop of several rows: small tiles have more of them, so that what the loop costs stays small. */
int tcc_micro_unroll(const TccMicroType *type);
/* Elements of k that packed operands are padded to: whole steps of k-groups. */
int64_t tcc_micro_unit(const TccMicroType *type);
/* Whether an element of this type is packed as the bytes that it has in memory. */
bool tcc_micro_packs_as_is(const TccMicroType *type, TccElem elem);

typedef struct {
  TccMicroType type;
  int rows, vectors;
  /* Row strides, in packed elements and in accumulators. ldc 0: the caller says; not with prefetch_few or tile registers. */
  int64_t lda, ldc;
  int panel;        /* vectors in a row of b; 0: as many as `vectors` */
  int64_t prefetch; /* lines prefetched in each iteration of the loop; 0: one; of tile registers -1: none */
  int64_t
      prefetch_few[TCC_MICRO_FEW]; /* not 0: as many instead, where the caller says 1 or 2 (levels); each a loop of machine code */
  int64_t prefetch_stride;         /* bytes; not 0: the lines are of row ((k-group) * prefetch_rate) >> 16 of rows so far apart */
  int64_t prefetch_rate;
  TccElem narrow;   /* b keeps this type of 16 bits and is widened as it is loaded; 0: packed elements */
  int64_t k_stride; /* of a, in packed elements; 0: its k-groups follow each other. With lda = 1: a is k-major */
} TccMicro;
/* Emits internal function `name`(a, b, c: ptr, k_groups: i64, how: i64, prefetch: ptr); k_groups is a multiple of
 * type.step; each iteration of the loop prefetches the next `prefetch` lines at `prefetch` into the second cache. how: 1, and c is added to, not
 * written; plus twice the level of `prefetch_few` (0: `prefetch`); plus, of an ldc that the caller says, its bytes << TCC_MICRO_LDC_BITS. */
void tcc_micro_emit(TccEmit *e, const char *name, const TccMicro *micro);
void tcc_micro_call(TccEmit *e, const char *name, TccVal a, TccVal b, TccVal c, TccVal k_groups, TccVal how, TccVal prefetch);

TccVal tcc_micro_adds(TccEmit *e, TccVal how); /* i1 */

/* Tile registers: what tcc_micro_emit does for them. A kernel configures them before the first product and frees them behind
 * the last, once a call. */
void tcc_micro_tiles_emit(TccEmit *e, const char *name, const TccMicro *micro);
void tcc_micro_tiles_begin(TccEmit *e);
void tcc_micro_tiles_end(TccEmit *e);
/* Single instructions, for emitters that walk their operands themselves (Intel SDM volume 2, LDTILECFG: the configuration's bytes). stride: bytes from a
 * row to the next. Bytes: sum += a, unsigned, times b, signed; pairs: of bf16. */
void tcc_micro_tiles_configure(TccEmit *e, const unsigned char configuration[64]);
void tcc_micro_tile_load(TccEmit *e, int tile, TccVal from, int64_t stride);
void tcc_micro_tile_store(TccEmit *e, int tile, TccVal to, int64_t stride);
void tcc_micro_tile_clear(TccEmit *e, int tile);
void tcc_micro_tile_multiply_bytes(TccEmit *e, int sum, int a, int b);
void tcc_micro_tile_multiply_pairs(TccEmit *e, int sum, int a, int b);

/* Bits of a vector register that the machine's kernels use: 512 or 256. */
int tcc_vector_bits(const TccMachine *machine);
#endif
