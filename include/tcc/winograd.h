/* winograd.h - the matrices of Winograd's minimal filtering F(m x m, 3 x 3): outputs are A' ((G g G') . (B' d B)) A.
 *
 * One place for all who need them: the pass that says what transformed weights are, the run-time that makes them, the emitter, the
 * interpreter. They are those of Toom and Cook for the points 0, 1, -1 and infinity (m = 2) and 0, 3/4, -3/4, 3/2, -3/2 and infinity
 * (m = 4). Points decide what rounding costs (Barabasz, Anderson, Soodhalter and Gregg, Error analysis and improving the accuracy of
 * Winograd convolution for deep neural networks, 2020): with these a layer's rmse is 0.45 of what 1, -1, 2 and -2 give (Lavin and Gray),
 * and all numbers of B' and A' are floats. */
#ifndef TCC_WINOGRAD_H
#define TCC_WINOGRAD_H

enum { TCC_WINOGRAD_MOST = 4 /* m */, TCC_WINOGRAD_SIDE = TCC_WINOGRAD_MOST + 2 };

typedef struct {
  double filter[TCC_WINOGRAD_SIDE][3];                 /* G */
  double input[TCC_WINOGRAD_SIDE][TCC_WINOGRAD_SIDE];  /* B' */
  double output[TCC_WINOGRAD_MOST][TCC_WINOGRAD_SIDE]; /* A' */
} TccWinogradMatrices;

/* m is 2 or 4. */
static inline const TccWinogradMatrices *tcc_winograd_matrices(int m) {
  static const TccWinogradMatrices two = {.filter = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}},
                                          .input = {{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}},
                                          .output = {{1, 1, 1, 0}, {0, 1, -1, -1}}};
  static const TccWinogradMatrices four = {.filter = {{64. / 81, 0, 0},
                                                      {-128. / 243, -32. / 81, -8. / 27},
                                                      {-128. / 243, 32. / 81, -8. / 27},
                                                      {32. / 243, 16. / 81, 8. / 27},
                                                      {32. / 243, -16. / 81, 8. / 27},
                                                      {0, 0, 1}},
                                           .input = {{81. / 64, 0, -45. / 16, 0, 1, 0},
                                                     {0, -27. / 16, -9. / 4, 3. / 4, 1, 0},
                                                     {0, 27. / 16, -9. / 4, -3. / 4, 1, 0},
                                                     {0, -27. / 32, -9. / 16, 3. / 2, 1, 0},
                                                     {0, 27. / 32, -9. / 16, -3. / 2, 1, 0},
                                                     {0, 81. / 64, 0, -45. / 16, 0, 1}},
                                           .output = {{1, 1, 1, 1, 1, 0},
                                                      {0, 3. / 4, -3. / 4, 3. / 2, -3. / 2, 0},
                                                      {0, 9. / 16, 9. / 16, 9. / 4, 9. / 4, 0},
                                                      {0, 27. / 64, -27. / 64, 27. / 8, -27. / 8, 1}}};
  return m == 2 ? &two : &four;
}
#endif
