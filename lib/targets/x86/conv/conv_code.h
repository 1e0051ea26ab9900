/* conv_code.h - microkernels of convolutions as machine code (x86_code.h), in some microseconds instead of milliseconds. The same functions,
 * with the same results, are in the LLVM dialect in conv_blocked_micro.c: for TccMachine.llvm_tiles and for tiles that do not fit. */
#ifndef TCC_CODEGEN_CONV_CODE_H
#define TCC_CODEGEN_CONV_CODE_H
#include "lib/targets/x86/code/x86_code.h"
#include "lib/targets/x86/conv/conv_blocked.h"

/* An epilogue of additions, products and the like on f32, which goes over sums in registers. */
enum { TCC_CONV_EPILOGUE_NODES = 24, TCC_CONV_EPILOGUE_TENSORS = 8 };
typedef struct {
  enum {
    TCC_FINISH_SUM,
    TCC_FINISH_LEAF,
    TCC_FINISH_NUMBER,
    TCC_FINISH_OP,
    TCC_FINISH_FUSED /* a product within the addition that uses it */
  } kind;
  MlirValue value;
  TccX86Vector op;
  int operand[2], uses, leaf;
  float number;
} TccConvFinishNode;
typedef struct {
  int n;
  TccConvFinishNode node[TCC_CONV_EPILOGUE_NODES];
} TccConvEpilogue;

/* False where an op, a type or their number is another: LLVM then compiles the epilogue, and a tile leaves its sums in memory. */
bool tcc_conv_code_epilogue_read(const TccConvBlocked *c, TccConvEpilogue *out);
/* Sums [pixel][vector] in registers from 0 on, through the epilogue into the result; argument 0 of the function would lie at `stack` behind
 * rsp if all were there. General registers but rsp and those of the caller are overwritten. False where vector registers are too few. */
bool tcc_conv_code_epilogue_emit(TccX86 *x, const TccConvBlocked *c, const TccConvEpilogue *epilogue, int pixels, int vectors,
                                 int64_t stack);

/* The same sum by sum, for who has them in registers in another order. Given are the first five; the rest is this file's. */
enum { TCC_CONV_FINISH_REGISTERS = 32 };
typedef struct {
  TccX86 *x;
  const TccConvBlocked *c;
  const TccConvEpilogue *f;
  const int *tensor;                           /* registers that point to the vector at pixel 0 */
  int reserve;                                 /* registers beside SPARE that numbers do not take */
  int64_t pixel;                               /* that of the open sum */
  bool free[TCC_CONV_FINISH_REGISTERS], lacks; /* lacks: there was no register */
  int nfree, held[TCC_CONV_EPILOGUE_NODES];    /* register of a node's value, -1: in memory or not there */
  int left[TCC_CONV_EPILOGUE_NODES];           /* uses to come */
  bool kept[TCC_CONV_EPILOGUE_NODES];          /* a number in a register for all sums */
} TccConvFinish;
/* Numbers go to some of the registers of a mask, `free`; returns the others. */
uint32_t tcc_conv_finish_begin(TccConvFinish *l, uint32_t free);
/* The sum in register `sum`, which is not among those free, into the result; returns those that are free then, `sum` among them. */
uint32_t tcc_conv_finish_sum(TccConvFinish *l, int sum, int64_t pixel, uint32_t free);

/* Function `name`(see conv_blocked_micro.c) for a tile of the group, without the result and the leaves where epilogue is NULL: sums then go
 * to the place of sums in any case. False where the machine or the tile needs LLVM. */
bool tcc_conv_code_emit(TccConvBlocked *c, const char *name, const TccConvGroup *group, const TccConvEpilogue *epilogue);
/* The same for a whole row, whose tiles are those of the groups one behind the other: called with the row's first tile. */
bool tcc_conv_code_row_emit(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups,
                            const TccConvEpilogue *epilogue);
#endif
