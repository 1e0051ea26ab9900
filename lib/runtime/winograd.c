/* winograd.c - the builtin that transforms the weights of a convolution for Winograd's filtering: G g G' of each 3x3 filter g.
 *
 * Arguments: weights, as a model has them, [O, I, 3, 3], or in panels [P, B, 3, 3, L, V * L], and the result
 * [P', m + 2, m + 2, B, L, V' * L], all f32; output channels that the source lacks are zeros. Sizes: see abi.h. A tile is one block of
 * input channels of one panel. Of a block of both kinds of channels, the taps of L output channels are laid side by side in the first
 * cache; filters then are vectors. Sums are doubles: what is rounded here would be the same error in every result. */
#include "tcc/winograd.h"
#include "internal.h"
#include "quad.h"
#include "tcc/abi.h"

enum { TAPS = 9, MOST_LANES = 16, AT_ONCE = 8 };
typedef float Singles __attribute__((vector_size(4 * AT_ONCE)));
typedef double Doubles __attribute__((vector_size(8 * AT_ONCE)));
typedef float Block[MOST_LANES * TAPS * MOST_LANES]; /* [input channel][tap][output channel] */

/* Filters of `lanes` neighbours, taps side by side; results `position` apart. Copies for machines that have wider vectors. */
static inline __attribute__((always_inline)) void transform(int side, int64_t lanes, const float *from, float *to,
                                                            int64_t position) {
  const TccWinogradMatrices *matrices = tcc_winograd_matrices(side - 2);
  for (int64_t c = 0; c < lanes; c += AT_ONCE) {
    Doubles g[TAPS], high[TCC_WINOGRAD_SIDE][3];
    for (int i = 0; i < TAPS; i++) {
      Singles v;
      memcpy(&v, from + i * lanes + c, sizeof v);
      g[i] = __builtin_convertvector(v, Doubles);
    }
    for (int i = 0; i < side; i++) {
      const double *row = matrices->filter[i];
      for (int k = 0; k < 3; k++) high[i][k] = row[0] * g[k] + row[1] * g[3 + k] + row[2] * g[6 + k];
    }
    for (int i = 0; i < side; i++)
      for (int j = 0; j < side; j++) {
        const double *row = matrices->filter[j];
        Singles v = __builtin_convertvector(row[0] * high[i][0] + row[1] * high[i][1] + row[2] * high[i][2], Singles);
        memcpy(to + (i * side + j) * position + c, &v, sizeof v);
      }
  }
}

/* All input channels of a block; their results `row` apart. */
static inline __attribute__((always_inline)) void transform_block(int side, int64_t lanes, const float *block, float *to,
                                                                  int64_t row, int64_t position) {
  for (int64_t lane = 0; lane < lanes; lane++) {
    if (side == 4) transform(4, lanes, block + lane * TAPS * lanes, to + lane * row, position);
    else transform(6, lanes, block + lane * TAPS * lanes, to + lane * row, position);
  }
}

typedef void TransformBlock(int side, int64_t lanes, const float *block, float *to, int64_t row, int64_t position);
static void transform_any(int side, int64_t lanes, const float *block, float *to, int64_t row, int64_t position) {
  transform_block(side, lanes, block, to, row, position);
}
__attribute__((target("avx2,fma"))) static void transform_avx2(int side, int64_t lanes, const float *block, float *to, int64_t row,
                                                               int64_t position) {
  transform_block(side, lanes, block, to, row, position);
}
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void transform_avx512(int side, int64_t lanes, const float *block,
                                                                                  float *to, int64_t row, int64_t position) {
  transform_block(side, lanes, block, to, row, position);
}

static TransformBlock *transform_for_machine(void) {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return transform_avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? transform_avx2 : transform_any;
}

/* The taps of a block as a model has them: `exist` rows of L * 9 numbers, `row` apart. */
static void read_rows(const float *from, int64_t exist, int64_t row, int64_t lanes, float *block) {
  static const float zeros[MOST_LANES * TAPS];
  for (int64_t r = 0; r < lanes; r += 4) {
    const float *x[4];
    for (int i = 0; i < 4; i++) x[i] = r + i < exist ? from + (r + i) * row : zeros;
    for (int64_t k = 0; k < lanes * TAPS; k += 4) {
      tcc_quad_transpose(x, block + k * lanes + r, lanes);
      for (int i = 0; i < 4; i++)
        if (r + i < exist) x[i] += 4;
    }
  }
}

/* The same of a panel's vector: rows of L floats. */
static void read_panel(const float *from, int64_t row, int64_t tap, int64_t lanes, float *block) {
  for (int64_t lane = 0; lane < lanes; lane++)
    for (int i = 0; i < TAPS; i++)
      memcpy(block + (lane * TAPS + i) * lanes, from + i * tap + lane * row, (size_t)lanes * sizeof *block);
}

void tcc_winograd_weights(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  const int side = (int)sizes[TCC_WINOGRAD_WEIGHTS_M] + 2;
  const int64_t blocks = sizes[TCC_WINOGRAD_WEIGHTS_BLOCKS], lanes = sizes[TCC_WINOGRAD_WEIGHTS_LANES],
                outputs = sizes[TCC_WINOGRAD_WEIGHTS_OUTPUTS];
  const int64_t old = sizes[TCC_WINOGRAD_WEIGHTS_VECTORS], vectors = sizes[TCC_WINOGRAD_WEIGHTS_MADE];
  const int64_t row = vectors * lanes, position = blocks * lanes * row;
  const float *w = arguments[0];
  float *u = arguments[1];
  TransformBlock *transform_as = transform_for_machine();
  Block block;
  for (int64_t tile = begin; tile < end; tile++) {
    int64_t panel = tile / blocks, at = tile % blocks;
    float *made = u + panel * side * side * position + at * lanes * row;
    for (int64_t j = 0; j < vectors; j++) {
      int64_t number = panel * vectors + j, exist = outputs - number * lanes;
      if (exist <= 0) memset(block, 0, sizeof block);
      else if (old)
        read_panel(w + (number / old * blocks + at) * TAPS * lanes * old * lanes + number % old * lanes, old * lanes,
                   lanes * old * lanes, lanes, block);
      else read_rows(w + (number * lanes * blocks + at) * lanes * TAPS, exist, blocks * lanes * TAPS, lanes, block);
      transform_as(side, lanes, block, made + j * lanes, row, position);
    }
  }
}
