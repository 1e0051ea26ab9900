/* product.h - sums of products as tiles of a block: what a contraction and a convolution share. */
#ifndef TCC_NVPTX_PRODUCT_H
#define TCC_NVPTX_PRODUCT_H
#include "lib/targets/nvptx/tensor.h"

enum { NVPTX_PRODUCT_RUN = 4, NVPTX_DUAL_COLUMNS = 64, NVPTX_DUAL_TURN = 16 /* of squares whose warps have 32 columns or more */ };

/* product_tma.c: groups of warps that multiply, 64 rows each; columns of a block's results; stages of the ring; blocks of a cluster, which have
 * rows below each other and share the right operand; tiles of rows that are gone through before the next columns; blocks that share the depth of a
 * tile (parts.h). */
typedef struct {
  int groups, columns, stages, cluster, band, parts;
} NvptxTmaShape;

/* product_few.c: of up to eight rows. */
typedef struct {
  bool along;    /* lanes follow the depth */
  int per, left; /* elements that a thread reads at once of the right operand, of the left one */
  int deep;      /* of the depth that lanes which follow the columns take at once: four of bytes, else 1 */
  int lanes;     /* of a warp, that follow the columns; 1 where `along` */
  int each;      /* columns of a thread */
  int slices;    /* warps that share columns */
  int columns;   /* of a block of threads */
  int step;      /* of the depth, that a block takes at once */
  int reads;     /* steps whose reads are under way at once */
} NvptxFewShape;
enum { NVPTX_FEW_WARPS = 8 /* of a block */ };

/* r[batch, row, column] = sum over k of left[batch, row, k] * right[batch, column, k], summed in `acc`. */
typedef struct {
  const TccExpr *batch, *rows, *columns, *depth;
  /* Where members is more than 1: products of one left operand, or panels of their columns, the outermost of the batch; each has in_member entries. From
   * choose_member on all below reads the right operand, and writes the result, of that member (i64). */
  int members;
  const TccExpr *in_member;
  void (*choose_member)(void *user, TccVal member);
  /* Where a member is a panel: the column of the right operand's tensor that column `at` of the panel is. NULL: they are the same. */
  TccVal (*right_column)(void *user, TccVal at);
  /* Where dual: two products of one left operand whose results meet in the epilogue. `columns` counts those of both right operands, which take turns: `turn`
   * columns of the first, as many of the second, and so on. read and address take such a column; write and write_run the column of the result, and the sums
   * of the first product, then those of the second. The ways set `turn`; `columns` is a multiple of twice NVPTX_DUAL_COLUMNS. */
  bool dual;
  int turn;
  /* Of a dual one: from here on columns that are read are all the first right operand's, or the second's where `second` (i1), and named as those of the result;
   * 0: they take turns again. */
  void (*choose_right)(void *user, TccVal second);
  /* Where picked[side]: an index picks the matrix of an entry of the batch. The entry of a tile is said before its elements are read; NULL: need not be. */
  bool picked[2];
  void (*choose_entry)(void *user, TccVal batch);
  TccElem acc,
      elem;      /* elem: of the operands: acc; f16 or bf16 where acc is f32; i8 where they are bytes of any sign and acc is i32 */
  TccElem of[2]; /* each operand's: elem, or of bytes i8 or u8 */
  bool exact;    /* f32 products are those of f32, not three of TF32 */
  bool along_depth[2]; /* neighbours along k lie side by side in the left operand's memory, in the right one's */
  /* An element of the left operand (side 0, at: row) or of the right one (side 1, at: column), as `of[side]`. All indices are inside. */
  TccStatus *(*read)(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out);
  /* Elements of an operand that is computed, as nvptx_operand_run_at has them, of a run along k (along_depth), or rows or columns, that begins there: of a power of
   * two, run[side] at most, which is at most 1 where there are none. stored_bits: what memory has of an element of the right operand. */
  TccStatus *(*read_run)(void *user, int side, TccVal batch, TccVal at, TccVal k, const NvptxRun *run, TccVal *out, TccVal *factor);
  int run[2], stored_bits;
  /* Where scaled: of a right operand that is computed a factor of each column in f32 (NvptxOperand.scale), by which sums may be multiplied in place of elements
   * (NvptxRun.unscaled). */
  TccStatus *(*read_scale)(void *user, TccVal batch, TccVal column, TccVal *out);
  bool scaled;
  /* Where pieces[side]: the address of that element, from where on memory has it and those that follow along k (along_depth) or rows, in
   * `of[side]`; a multiple of 16 bytes where the one that moves is a multiple of as many elements. Indices may be outside. NULL: no operand is
   * ever. */
  TccVal (*address)(void *user, int side, TccVal batch, TccVal at, TccVal k);
  bool pieces[2];
  /* Whether such a piece is in memory (i1; 0: always); those that are not are zeros. NULL: all are. */
  TccVal (*present)(void *user, int side, TccVal batch, TccVal at, TccVal k);
  NvptxTensor tensor[2];
  /* Where pixels[side]: the tensor's map is one of im2col, and this copies a box of it, the rows or columns from `at` on of 64 of the depth from k on,
   * to address `to` and tells `barrier` (nvptx_pixels_copy). */
  bool pixels[2];
  void (*copy_pixels)(void *user, TccVal map, TccVal to, TccVal barrier, TccVal at, TccVal k, int cluster);
  /* Where tensor: the numbers by which a box at k of the depth is copied (nvptx_tensor_copy): k itself and the batch's, if NULL. */
  void (*place_depth)(void *user, TccVal k, TccVal *out_inner, TccVal *out_batch);
  NvptxTmaShape shape; /* nvptx_product_tma_maps, nvptx_product_split_choose */
  bool split;          /* f32 as three parts of bf16: nvptx_product_split_choose */
  NvptxFewShape few;   /* nvptx_few_choose */
  int side, parts;     /* of a ring: rows, and columns, of a block; parts of the depth, of as many blocks: nvptx_product_parts */
  TccStatus *(*write)(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sum);
  /* Where runs: the same for NVPTX_PRODUCT_RUN columns from a multiple of it on, of which there are only whole ones. */
  TccStatus *(*write_run)(void *user, TccVal batch, TccVal row, TccVal column, const TccVal *sums);
  bool runs;
  void *user;
} NvptxProduct;
static inline bool nvptx_product_is_bytes(const NvptxProduct *p) { return p->elem == TCC_ELEM_I8; }
typedef struct {
  const TccExpr *blocks;
  uint32_t threads, shared; /* of a block */
  const char *schedule;
} NvptxProductLaunch;
/* The ways of a product, the best first. */
typedef enum {
  NVPTX_PRODUCT_TMA,
  NVPTX_PRODUCT_SPLIT,
  NVPTX_PRODUCT_FEW,
  NVPTX_PRODUCT_WGMMA,
  NVPTX_PRODUCT_MMA,
  NVPTX_PRODUCT_FMA,
  NVPTX_PRODUCT_SCALARS
} NvptxProductWay;
/* Of the entry of the batch that a tile has: chooses its member and its matrices. Gives the entry in the member, which is what callbacks take. */
TccVal nvptx_product_choose(NvptxKernel *n, const NvptxProduct *p, TccVal batch);
/* Of a dual product: whose column `at` is, the first's (0) or the second's (1), and which column of the result it is for. */
TccVal nvptx_dual_column(NvptxKernel *n, const NvptxProduct *p, TccVal at, TccVal *out);
/* Says in which elements a product of these two has its operands on the machine, and whether it needs `exact`: sets elem, of and exact of a product
 * whose acc is set. */
void nvptx_product_elem(NvptxProduct *p, MlirOperation kernel, TccElem left, TccElem right);
/* contract.c: whether a kernel is a dual product that is no slower than its two products apart, which may be done by six products of bf16 from a ring without turns
 * (product_split.c). */
bool nvptx_contract_is_dual(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);
/* contract.c: whether two kernels, of one left operand each, may be members of one. */
bool nvptx_contracts_are_beside(TccIr *ir, MlirOperation a, MlirOperation b);
/* contract.c: whether warpgroups would multiply a kernel's bytes if those of its right operand lay along the depth. */
bool nvptx_contract_is_turned(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);
/* The way of a product that has no tensor maps. */
NvptxProductWay nvptx_product_way(const TccMachine *machine, const NvptxProduct *p);
/* Sets the parts of a product that has no tensor maps, by its schedule if it has one. out_scratch: the bytes of scratch that the kernel is opened with
 * (nvptx_open_with), or NULL. TCC_INVALID: what is wrong with the schedule. */
TccStatus *nvptx_product_parts(const TccMachine *machine, TccIr *ir, MlirOperation kernel, NvptxProduct *p, bool maps,
                               const TccExpr **out_scratch) TCC_CHECKED;
/* Writes the body of the kernel: for few rows as memory gives the right operand; on tensor cores where the machine has them and they do products of `elem`, else on those for all. */
TccStatus *nvptx_product_emit(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
/* product_why.c: why none before `way` was taken, to stand behind the schedule. */
const char *nvptx_product_why(const NvptxKernel *n, const NvptxProduct *p, NvptxProductWay way);
/* product_tma_shape.c: the tensor maps that the kernel is opened with (nvptx_open_with), 2 or none. Sets shape and boxes of `p`, by its schedule
 * if it has one: {groups, columns, stages, cluster, band, parts}. TCC_INVALID: what is wrong with that. */
TccStatus *nvptx_product_tma_maps(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p, TccTensorMap *out,
                                  int *out_count) TCC_CHECKED;
/* product_tma.c: in a kernel with these maps. */
TccStatus *nvptx_product_tma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
/* product_split_shape.c: whether it could do a product; sets shape and `split` of one that it could, by its schedule if it has one: {groups,
 * columns, stages, band}. TCC_INVALID: what is wrong with that. */
bool nvptx_product_split_fits(const TccMachine *machine, const NvptxProduct *p);
TccStatus *nvptx_product_split_choose(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p) TCC_CHECKED;
/* product_split.c: of a product whose `split` is set. */
TccStatus *nvptx_product_split(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
/* product_few.c, product_wgmma.c, product_mma.c, product_fma.c: whether it does, and it. */
bool nvptx_product_few_fits(const NvptxProduct *p);
/* product_few_shape.c: sets `few`, by the kernel's schedule if it has one: {columns, slices, reads}. TCC_INVALID: what is wrong with that. */
TccStatus *nvptx_few_choose(const TccMachine *machine, MlirOperation kernel, NvptxProduct *p) TCC_CHECKED;
/* Bits that memory has of an element of the right operand. */
int nvptx_few_bits(const NvptxProduct *p);
TccStatus *nvptx_product_few(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
bool nvptx_product_wgmma_fits(const TccMachine *machine, const NvptxProduct *p);
TccStatus *nvptx_product_wgmma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
bool nvptx_product_mma_fits(const TccMachine *machine, const NvptxProduct *p);
TccStatus *nvptx_product_mma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
bool nvptx_product_fma_fits(const TccMachine *machine, const NvptxProduct *p);
TccStatus *nvptx_product_fma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) TCC_CHECKED;
#endif
