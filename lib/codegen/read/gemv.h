/* gemv.h - contractions of few rows, whose right operand may be computed from what lies in memory: narrow floats, bytes with scales,
 * halves of bytes. So that operand is pulled (pull.h), as a function of a column and a place in the depth. */
#ifndef TCC_CODEGEN_READ_GEMV_H
#define TCC_CODEGEN_READ_GEMV_H
#include "lib/codegen/read/contract.h"
#include "lib/codegen/read/pull.h"

typedef struct {
  TccContraction product;       /* batch is empty, its entries are rows; has_b is false */
  int64_t rows, columns, depth; /* rows: -1 if their number is dynamic */
  TccPull pull;
  TccPullNode *weight;       /* the right operand over the dims of the pull */
  TccPullIndex k_at;         /* position in the depth over those dims */
  int column_dim, depth_dim; /* dims of the pull; depth_dim: the inner one */
  int block_dim;             /* the outer dim of the depth, -1: none */
} TccGemvProblem;

/* Reads the rest of a contraction that tcc_contraction_find has put into out->product. False if there are more than `most_rows` rows (-1: any
 * number will do, also a dynamic one), another size is unknown or one is 0, the right operand differs among batch entries, or its columns are not one dim and its depth not one or two. */
bool tcc_gemv_problem_read(int64_t most_rows, TccGemvProblem *out);
#endif
