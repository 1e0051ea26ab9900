/* winograd.c - the builtin that transforms the weights of a convolution for Winograd's filtering: G g G' of each 3x3 square g.
 *
 * Arguments: weights in panels [P, B, 3, 3, L, V * L] and the result [P', m + 2, m + 2, B, L, V' * L], both f32; blocks of output
 * channels stand in order of (panel, vector), those that the source lacks are zeros. Sizes: see abi.h. A tile is one block of input
 * channels of one panel. Sums are doubles: what is rounded here would be the same error in every result (matrices: Lavin and
 * Gray 2016, for the points 0, 1, -1 and 2, -2). */
#include "internal.h"
#include "tcc/abi.h"

enum { MOST_SIDE = 6, AT_ONCE = 2 };
typedef float Singles __attribute__((vector_size(8)));
typedef double Doubles __attribute__((vector_size(16)));

static const double matrix2[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
static const double matrix4[6][3] = {{1.0 / 4, 0, 0}, {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                     {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6}, {0, 0, 1}};

static inline Doubles combine(const double *row, const Doubles *x, int step) {
  Doubles sum = {0};
  for (int k = 0; k < 3; k++)
    if (row[k] != 0) sum += row[k] * x[k * step];
  return sum;
}

/* Two neighbours: taps `tap` apart, results `position` apart. */
static void transform(const double (*matrix)[3], int side, const float *from, int64_t tap, float *to, int64_t position) {
  Doubles g[9], high[MOST_SIDE][3];
  for (int i = 0; i < 9; i++) {
    Singles v;
    memcpy(&v, from + i * tap, sizeof v);
    g[i] = __builtin_convertvector(v, Doubles);
  }
  for (int i = 0; i < side; i++)
    for (int k = 0; k < 3; k++) high[i][k] = combine(matrix[i], g + k, 3);
  for (int i = 0; i < side; i++)
    for (int j = 0; j < side; j++) {
      Singles v = __builtin_convertvector(combine(matrix[j], high[i], 1), Singles);
      memcpy(to + (i * side + j) * position, &v, sizeof v);
    }
}

void tcc_winograd_weights(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  const int side = (int)sizes[TCC_WINOGRAD_WEIGHTS_M] + 2;
  const int64_t blocks = sizes[TCC_WINOGRAD_WEIGHTS_BLOCKS], lanes = sizes[TCC_WINOGRAD_WEIGHTS_LANES];
  const int64_t have = sizes[TCC_WINOGRAD_WEIGHTS_PANELS] * sizes[TCC_WINOGRAD_WEIGHTS_VECTORS], old = sizes[TCC_WINOGRAD_WEIGHTS_VECTORS], vectors = sizes[TCC_WINOGRAD_WEIGHTS_MADE];
  const int64_t square = lanes * vectors * lanes, position = blocks * square, tap = lanes * old * lanes;
  const double (*matrix)[3] = side == 4 ? matrix2 : matrix4;
  const float *w = arguments[0];
  float *u = arguments[1];
  for (int64_t tile = begin; tile < end; tile++) {
    int64_t panel = tile / blocks, block = tile % blocks;
    float *made = u + panel * side * side * position + block * square;
    for (int64_t lane = 0; lane < lanes; lane++)
      for (int64_t j = 0; j < vectors; j++) {
        int64_t number = panel * vectors + j;
        float *to = made + (lane * vectors + j) * lanes;
        if (number >= have) {
          for (int i = 0; i < side * side; i++) memset(to + i * position, 0, (size_t)lanes * sizeof *to);
          continue;
        }
        const float *from = w + (number / old * blocks + block) * 9 * tap + (lane * old + number % old) * lanes;
        for (int64_t c = 0; c < lanes; c += AT_ONCE) transform(matrix, side, from + c, tap, to + c, position);
      }
  }
}
