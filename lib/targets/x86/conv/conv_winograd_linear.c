/* conv_winograd_linear.c - see conv_winograd_linear.h. */
#include "lib/targets/x86/conv/conv_winograd_linear.h"

static int put(TccWinogradSteps *s, int from, double factor, int by) {
  s->step[s->n++] = (TccWinogradStep){s->values, from, by, factor};
  return s->values++;
}

void tcc_winograd_input_steps(int m, TccWinogradSteps *s) {
  const double (*b)[TCC_WINOGRAD_SIDE] = tcc_winograd_matrices(m)->input;
  *s = (TccWinogradSteps){.values = m + 2, .nout = m + 2};
  if (m == 2) {
    for (int i = 0; i < 4; i++) s->out[i] = i == 1 ? put(s, 1, 1, 2) : i == 3 ? put(s, 1, -1, 3) : put(s, i, -1, i == 0 ? 2 : 1);
    return;
  }
  s->out[0] = put(s, put(s, 4, b[0][2], 2), b[0][0], 0);
  s->out[5] = put(s, put(s, 5, b[5][3], 3), b[5][1], 1);
  for (int i = 1; i < 5; i += 2) {
    int even = put(s, 4, b[i][2], 2), odd = put(s, 3, b[i][1] / b[i][3], 1);
    s->out[i] = put(s, even, b[i][3], odd), s->out[i + 1] = put(s, even, -b[i][3], odd);
  }
}

void tcc_winograd_output_steps(int m, TccWinogradSteps *s) {
  const double (*a)[TCC_WINOGRAD_SIDE] = tcc_winograd_matrices(m)->output;
  *s = (TccWinogradSteps){.values = m + 2, .nout = m};
  int sum = put(s, 1, 1, 2), difference = put(s, 1, -1, 2);
  if (m == 2) {
    s->out[0] = put(s, 0, 1, sum), s->out[1] = put(s, difference, -1, 3);
    return;
  }
  int sum2 = put(s, 3, 1, 4), difference2 = put(s, 3, -1, 4);
  s->out[0] = put(s, put(s, 0, 1, sum), 1, sum2);
  s->out[1] = put(s, put(s, -1, a[1][1], difference), a[1][3], difference2);
  s->out[2] = put(s, put(s, -1, a[2][1], sum), a[2][3], sum2);
  s->out[3] = put(s, put(s, 5, a[3][1], difference), a[3][3], difference2);
}
