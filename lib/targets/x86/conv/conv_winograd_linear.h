/* conv_winograd_linear.h - the matrices B' and A' (tcc/winograd.h) as steps of one operation.
 *
 * Value `to` = from + factor * by (from < 0: factor * by). Values are numbered, the first ones are the inputs. Rows of B' and columns of A' for
 * points p and -p differ in the signs of their odd numbers alone: both halves are made once. */
#ifndef TCC_CODEGEN_CONV_WINOGRAD_LINEAR_H
#define TCC_CODEGEN_CONV_WINOGRAD_LINEAR_H
#include "tcc/winograd.h"

enum { TCC_WINOGRAD_STEPS = 16, TCC_WINOGRAD_VALUES = TCC_WINOGRAD_SIDE + TCC_WINOGRAD_STEPS };
typedef struct {
  int to, from, by;
  double factor;
} TccWinogradStep;
typedef struct {
  int n, values, nout, out[TCC_WINOGRAD_SIDE];
  TccWinogradStep step[TCC_WINOGRAD_STEPS];
} TccWinogradSteps;

/* m + 2 inputs to m + 2, and to m values. */
void tcc_winograd_input_steps(int m, TccWinogradSteps *out);
void tcc_winograd_output_steps(int m, TccWinogradSteps *out);
#endif
