/* fft_passes.h - the passes of fft.c over numbers of one type. Included for f32 and f64, with REAL and NAME(function). */

typedef REAL NAME(Lanes) __attribute__((vector_size(TCC_FFT_LANES * sizeof(REAL)), aligned(sizeof(REAL)), may_alias));
typedef struct {
  REAL *re, *im;
} NAME(Parts);
typedef struct {
  NAME(Lanes) re, im;
} NAME(Pair);

/* e(-k / n), k < n. */
typedef struct {
  int64_t n;
  NAME(Parts) at;
} NAME(Roots);

INLINE NAME(Pair) NAME(load)(NAME(Parts) x, int64_t at) {
  return (NAME(Pair)){*(const NAME(Lanes) *)(x.re + at), *(const NAME(Lanes) *)(x.im + at)};
}
INLINE void NAME(store)(NAME(Parts) x, int64_t at, NAME(Pair) v) {
  *(NAME(Lanes) *)(x.re + at) = v.re, *(NAME(Lanes) *)(x.im + at) = v.im;
}
INLINE NAME(Pair) NAME(turned)(NAME(Pair) v, REAL re, REAL im) {
  return (NAME(Pair)){re * v.re - im * v.im, re * v.im + im * v.re};
}

/* The transform of `radix` numbers. Of an odd number v[j] and v[radix - j] meet cosines and sines together. */
INLINE void NAME(butterfly)(int radix, const NAME(Roots) * roots, NAME(Pair) * v, NAME(Pair) * u) {
  if (radix == 2) {
    u[0] = (NAME(Pair)){v[0].re + v[1].re, v[0].im + v[1].im};
    u[1] = (NAME(Pair)){v[0].re - v[1].re, v[0].im - v[1].im};
    return;
  }
  if (radix == 4) {
    const NAME(Pair) a = {v[0].re + v[2].re, v[0].im + v[2].im}, b = {v[0].re - v[2].re, v[0].im - v[2].im},
                     c = {v[1].re + v[3].re, v[1].im + v[3].im}, d = {v[1].re - v[3].re, v[1].im - v[3].im};
    u[0] = (NAME(Pair)){a.re + c.re, a.im + c.im}, u[1] = (NAME(Pair)){b.re + d.im, b.im - d.re};
    u[2] = (NAME(Pair)){a.re - c.re, a.im - c.im}, u[3] = (NAME(Pair)){b.re - d.im, b.im + d.re};
    return;
  }
  const int half = radix / 2;
  const int64_t step = roots->n / radix;
  u[0] = v[0];
  for (int j = 1; j <= half; j++) {
    const NAME(Pair) x = v[j], y = v[radix - j];
    v[j] = (NAME(Pair)){x.re + y.re, x.im + y.im}, v[radix - j] = (NAME(Pair)){x.re - y.re, x.im - y.im};
    u[0].re += v[j].re, u[0].im += v[j].im;
  }
  for (int k = 1; k <= half; k++) {
    NAME(Pair) sum = v[0], difference = {{0}, {0}};
    for (int j = 1, at = k; j <= half; j++, at = at + k < radix ? at + k : at + k - radix) {
      const REAL cosine = roots->at.re[at * step], sine = roots->at.im[at * step];
      sum.re += cosine * v[j].re, sum.im += cosine * v[j].im;
      difference.re += sine * v[radix - j].re, difference.im += sine * v[radix - j].im;
    }
    u[k] = (NAME(Pair)){sum.re - difference.im, sum.im + difference.re};
    u[radix - k] = (NAME(Pair)){sum.re + difference.im, sum.im - difference.re};
  }
}

/* A pass of Stockham's algorithm over x [length, stride]; of y the rows are `radix` times as long. */
INLINE void NAME(pass_of)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x, NAME(Parts) y) {
  const int64_t rows = length / radix, step = roots->n / length;
  for (int64_t p = 0; p < rows; p++) {
    REAL re[TCC_FFT_MOST_RADIX], im[TCC_FFT_MOST_RADIX]; /* what the results of this row are multiplied by */
#pragma GCC unroll 5
    for (int k = 1; k < radix; k++) re[k] = roots->at.re[step * p * k], im[k] = roots->at.im[step * p * k];
    for (int64_t q = 0; q < stride; q += TCC_FFT_LANES) {
      NAME(Pair) v[TCC_FFT_MOST_RADIX], u[TCC_FFT_MOST_RADIX];
#pragma GCC unroll 5
      for (int j = 0; j < radix; j++) v[j] = NAME(load)(x, stride * (p + rows * j) + q);
      NAME(butterfly)(radix, roots, v, u);
#pragma GCC unroll 5
      for (int k = 0; k < radix; k++)
        NAME(store)(y, stride * (radix * p + k) + q, p && k ? NAME(turned)(u[k], re[k], im[k]) : u[k]);
    }
  }
}

/* The same with what is a constant known. */
INLINE void NAME(pass_with)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x, NAME(Parts) y) {
  switch (radix) {
  case 2: NAME(pass_of)(2, length, stride, roots, x, y); break;
  case 3: NAME(pass_of)(3, length, stride, roots, x, y); break;
  case 4: NAME(pass_of)(4, length, stride, roots, x, y); break;
  case 5: NAME(pass_of)(5, length, stride, roots, x, y); break;
  default: NAME(pass_of)(radix, length, stride, roots, x, y);
  }
}

/* [LANES, LANES] with rows and columns in each other's place, by LANES' logarithm of interleavings of row i and row i + LANES / 2. */
INLINE void NAME(turn_block)(NAME(Lanes) * row) {
  for (int stage = 1; stage < TCC_FFT_LANES; stage *= 2) {
    NAME(Lanes) next[TCC_FFT_LANES];
#pragma GCC unroll 4
    for (int i = 0; i < TCC_FFT_LANES / 2; i++) {
      next[2 * i] = __builtin_shufflevector(row[i], row[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      next[2 * i + 1] = __builtin_shufflevector(row[i], row[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
    memcpy(row, next, sizeof next);
  }
}

/* A line of a b numbers as a matrix [a, b], whose rows, and those of its transposed, are filled up to whole vectors. */
typedef struct {
  int64_t a, b, row_a, row_b;
  NAME(Roots) roots;
  NAME(Parts) twiddle, buffer[2]; /* [a, row_b]; [a, row_b] or [b, row_a] */
} NAME(Matrix);

/* to [b, row_a] = the transposed of x [a, row_b] times the twiddles. */
INLINE void NAME(turn_with)(const NAME(Matrix) * m, NAME(Parts) x, NAME(Parts) to) {
  for (int64_t i = 0; i < m->a; i += TCC_FFT_LANES)
    for (int64_t j = 0; j < m->b; j += TCC_FFT_LANES) {
      NAME(Lanes) re[TCC_FFT_LANES], im[TCC_FFT_LANES];
#pragma GCC unroll 8
      for (int r = 0; r < TCC_FFT_LANES; r++) {
        const int64_t at = (i + r < m->a ? i + r : m->a - 1) * m->row_b + j; /* rows behind the last are not read afterwards */
        const NAME(Pair) v = NAME(load)(x, at), w = NAME(load)(m->twiddle, at);
        re[r] = v.re * w.re - v.im * w.im, im[r] = v.re * w.im + v.im * w.re;
      }
      NAME(turn_block)(re), NAME(turn_block)(im);
      for (int c = 0; c < TCC_FFT_LANES && j + c < m->b; c++) NAME(store)(to, (j + c) * m->row_a + i, (NAME(Pair)){re[c], im[c]});
    }
}

/* What the code for one machine is made of. */
typedef struct {
  void (*pass)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x, NAME(Parts) y);
  void (*turn)(const NAME(Matrix) * m, NAME(Parts) x, NAME(Parts) to);
} NAME(Code);

static void NAME(pass_any)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x, NAME(Parts) y) {
  NAME(pass_with)(radix, length, stride, roots, x, y);
}
AVX2 static void NAME(pass_avx2)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x,
                                 NAME(Parts) y) {
  NAME(pass_with)(radix, length, stride, roots, x, y);
}
AVX512 static void NAME(pass_avx512)(int radix, int64_t length, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x,
                                     NAME(Parts) y) {
  NAME(pass_with)(radix, length, stride, roots, x, y);
}
static void NAME(turn_any)(const NAME(Matrix) * m, NAME(Parts) x, NAME(Parts) to) { NAME(turn_with)(m, x, to); }
AVX2 static void NAME(turn_avx2)(const NAME(Matrix) * m, NAME(Parts) x, NAME(Parts) to) { NAME(turn_with)(m, x, to); }
AVX512 static void NAME(turn_avx512)(const NAME(Matrix) * m, NAME(Parts) x, NAME(Parts) to) { NAME(turn_with)(m, x, to); }

/* The transforms of all columns of x [n, stride], by passes between x and y; which of both has them is returned. n divides roots->n. */
static NAME(Parts)
    NAME(columns)(const NAME(Code) * code, int64_t n, int64_t stride, const NAME(Roots) * roots, NAME(Parts) x, NAME(Parts) y) {
  for (int64_t length = n, radix; length > 1; length /= radix, stride *= radix) {
    radix = length % 4 ? 2 : 4;
    while (length % radix) radix++;
    code->pass((int)radix, length, stride, roots, x, y);
    const NAME(Parts) done = y;
    y = x, x = done;
  }
  return x;
}

/* ---- scratch ---- */
static NAME(Parts) NAME(take)(REAL **scratch, int64_t count) {
  const NAME(Parts) parts = {*scratch, *scratch + count};
  *scratch += 2 * count;
  return parts;
}

/* FINE of them are computed, and one of each FINE; the others are products of two. */
static NAME(Roots) NAME(roots_of)(int64_t n, REAL **scratch) {
  enum { FINE = 64 };
  const NAME(Roots) roots = {n, NAME(take)(scratch, n)};
  double re[FINE], im[FINE];
  for (int64_t k = 0; k < n && k < FINE; k++) re[k] = cosine_of(k, n), im[k] = -sine_of(k, n);
  for (int64_t high = 0; high < n; high += FINE) {
    const double c = cosine_of(high, n), s = -sine_of(high, n);
    for (int64_t low = 0; low < FINE && high + low < n; low++) {
      roots.at.re[high + low] = (REAL)(c * re[low] - s * im[low]);
      roots.at.im[high + low] = (REAL)(c * im[low] + s * re[low]);
    }
  }
  return roots;
}

static NAME(Matrix) NAME(matrix_of)(int64_t n, REAL **scratch) {
  NAME(Matrix) m = {.a = tcc_fft_rows(n)};
  m.b = n / m.a;
  m.row_a = whole_vectors(m.a), m.row_b = whole_vectors(m.b);
  m.roots = NAME(roots_of)(n, scratch);
  m.twiddle = NAME(take)(scratch, m.a * m.row_b);
  for (int64_t i = 0; i < m.a; i++)
    for (int64_t j = 0; j < m.row_b; j++) {
      const int64_t at = j < m.b ? i * j : 0, to = i * m.row_b + j;
      m.twiddle.re[to] = m.roots.at.re[at], m.twiddle.im[to] = m.roots.at.im[at];
    }
  const int64_t rows = m.a * m.row_b > m.b * m.row_a ? m.a * m.row_b : m.b * m.row_a;
  for (int i = 0; i < 2; i++) m.buffer[i] = NAME(take)(scratch, rows);
  return m;
}

/* `rows` rows of `columns` numbers from one place to another. */
static void NAME(copy_rows)(int64_t rows, int64_t columns, const REAL *from, int64_t from_row, REAL *to, int64_t to_row) {
  for (int64_t i = 0; i < rows; i++) {
    memcpy(to + i * to_row, from + i * from_row, (size_t)columns * sizeof(REAL));
    for (int64_t j = columns; j < to_row; j++) to[i * to_row + j] = 0;
  }
}

/* The transform of a line, in place: X[k1 + a k2] is, with i = b i1 + i2, the sum over i2 of e(i2 k2 / b) e(i2 k1 / n) times the sum over i1 of
 * e(i1 k1 / a) x[i] (Gentleman and Sande 1966; Bailey 1990). */
static void NAME(by_matrix)(const NAME(Code) * code, const NAME(Matrix) * m, NAME(Parts) line) {
  NAME(copy_rows)(m->a, m->b, line.re, m->b, m->buffer[0].re, m->row_b);
  NAME(copy_rows)(m->a, m->b, line.im, m->b, m->buffer[0].im, m->row_b);
  NAME(Parts) x = NAME(columns)(code, m->a, m->row_b, &m->roots, m->buffer[0], m->buffer[1]);
  NAME(Parts) y = m->buffer[x.re == m->buffer[0].re];
  code->turn(m, x, y);
  x = NAME(columns)(code, m->b, m->row_a, &m->roots, y, x);
  for (int64_t i = 0; i < m->b; i++) {
    memcpy(line.re + i * m->a, x.re + i * m->row_a, (size_t)m->a * sizeof(REAL));
    memcpy(line.im + i * m->a, x.im + i * m->row_a, (size_t)m->a * sizeof(REAL));
  }
}

/* ---- a line as a convolution: i k = (i^2 + k^2 - (k - i)^2) / 2 (Bluestein 1970) ---- */
typedef struct {
  int64_t n;
  NAME(Matrix) m;
  NAME(Parts)
  chirp, kernel, line; /* [n]: e(-i^2 / 2n); the transform of what it is convolved with, over the length; of that length */
} NAME(Chirp);

static NAME(Chirp) NAME(chirp_of)(const NAME(Code) * code, int64_t n, REAL **scratch) {
  NAME(Chirp) c = {.n = n, .m = NAME(matrix_of)(tcc_fft_chirp_length(n), scratch)};
  const int64_t length = c.m.roots.n;
  c.chirp = NAME(take)(scratch, n), c.kernel = NAME(take)(scratch, length), c.line = NAME(take)(scratch, length);
  memset(c.kernel.re, 0, (size_t)length * sizeof(REAL)), memset(c.kernel.im, 0, (size_t)length * sizeof(REAL));
  for (int64_t i = 0, square = 0; i < n; square = (square + 2 * i + 1) % (2 * n), i++) { /* i^2 modulo 2 n */
    const double re = cosine_of(square, 2 * n), im = -sine_of(square, 2 * n);
    const int64_t back = i ? length - i : 0;
    c.chirp.re[i] = (REAL)re, c.chirp.im[i] = (REAL)im;
    c.kernel.re[i] = c.kernel.re[back] = (REAL)(re / (double)length),
    c.kernel.im[i] = c.kernel.im[back] = (REAL)(-im / (double)length);
  }
  NAME(by_matrix)(code, &c.m, c.kernel);
  return c;
}

INLINE void NAME(multiply)(int64_t n, NAME(Parts) x, NAME(Parts) y, NAME(Parts) to) {
  for (int64_t i = 0; i < n; i++) {
    const REAL re = x.re[i] * y.re[i] - x.im[i] * y.im[i], im = x.re[i] * y.im[i] + x.im[i] * y.re[i];
    to.re[i] = re, to.im[i] = im;
  }
}

static void NAME(by_convolution)(const NAME(Code) * code, const NAME(Chirp) * c, NAME(Parts) line) {
  const int64_t n = c->n, length = c->m.roots.n;
  NAME(multiply)(n, line, c->chirp, c->line);
  memset(c->line.re + n, 0, (size_t)(length - n) * sizeof(REAL)), memset(c->line.im + n, 0, (size_t)(length - n) * sizeof(REAL));
  NAME(by_matrix)(code, &c->m, c->line);
  NAME(multiply)(length, c->line, c->kernel, c->line);
  NAME(by_matrix)(code, &c->m, (NAME(Parts)){c->line.im, c->line.re}); /* back: with both parts in each other's place */
  NAME(multiply)(n, c->line, c->chirp, line);
}

/* ---- lines of a tensor ---- */
/* Two real lines are the parts of one complex line: of those of 0 to n / 2 the first is half of Z[k] + conj Z[n - k], the second half of the
 * difference over i. A line is transformed back with its parts in each other's place. */
typedef struct {
  TccFftKind kind;
  int64_t n, bins, inner; /* frequencies that are read or written */
  const REAL *re, *im;
  REAL *to, *to_2;
} NAME(Lines);

/* Lines `first` on, `lanes` of them side by side in the tensor, and, where two are one, from `second` on as many (-1: none), as columns of z. */
typedef struct {
  int64_t first, second, lanes, apart;
  NAME(Parts) z;
} NAME(Group);

/* Where a line of `count` elements begins. */
INLINE int64_t NAME(start_of)(const NAME(Lines) * t, int64_t line, int64_t count) {
  return t->inner == 1 ? line * count : line / t->inner * t->inner * count + line % t->inner;
}

INLINE void NAME(copy_lines)(int64_t n, int64_t lanes, const REAL *from, int64_t from_apart, REAL *to, int64_t to_apart) {
  if (lanes == 1 && from_apart == 1 && to_apart == 1) memcpy(to, from, (size_t)n * sizeof(REAL));
  else
    for (int64_t i = 0; i < n; i++)
      for (int64_t c = 0; c < lanes; c++) to[i * to_apart + c] = from[i * from_apart + c];
}

INLINE void NAME(read_part)(const NAME(Lines) * t, const NAME(Group) * g, const REAL *from, int64_t line, REAL *to) {
  if (line >= 0) NAME(copy_lines)(t->n, g->lanes, from + NAME(start_of)(t, line, t->n), t->inner, to, g->apart);
  for (int64_t i = 0; line < 0 && i < t->n; i++)
    for (int64_t c = 0; c < g->lanes; c++) to[i * g->apart + c] = 0;
}

/* The first half of the frequencies of two real lines as those of the complex line, all of them. */
INLINE void NAME(read_halves)(const NAME(Lines) * t, const NAME(Group) * g, NAME(Parts) z) {
  const int64_t first = NAME(start_of)(t, g->first, t->bins), second = g->second < 0 ? 0 : NAME(start_of)(t, g->second, t->bins);
  for (int64_t k = 0; k < t->bins; k++) {
    const int64_t from = k * t->inner, to = k * g->apart, back = (t->n - k) * g->apart;
    const bool own = k > 0 && 2 * k < t->n; /* of the others the imaginary part is not read */
    for (int64_t c = 0; c < g->lanes; c++) {
      const REAL re = t->re[first + from + c], im = own && t->im ? t->im[first + from + c] : 0;
      const REAL re_2 = g->second >= 0 ? t->re[second + from + c] : 0,
                 im_2 = g->second >= 0 && own && t->im ? t->im[second + from + c] : 0;
      z.re[to + c] = re - im_2, z.im[to + c] = im + re_2;
      if (own) z.re[back + c] = re + im_2, z.im[back + c] = re_2 - im;
    }
  }
}

INLINE void NAME(write_part)(const NAME(Lines) * t, const NAME(Group) * g, const REAL *from, int64_t line, REAL *to) {
  if (to && line >= 0) NAME(copy_lines)(t->n, g->lanes, from, g->apart, to + NAME(start_of)(t, line, t->n), t->inner);
}

/* x[k] + sign x[n - k], times a factor, for k < bins; x[n] is x[0]. */
INLINE void NAME(fold)(int64_t n, int64_t bins, int64_t lanes, const REAL *restrict x, int64_t apart, REAL sign, REAL factor,
                       REAL *restrict to, int64_t to_apart) {
  for (int64_t c = 0; c < lanes; c++) to[c] = factor * (x[c] + sign * x[c]);
  for (int64_t k = 1; k < bins; k++)
    for (int64_t c = 0; c < lanes; c++) to[k * to_apart + c] = factor * (x[k * apart + c] + sign * x[(n - k) * apart + c]);
}

/* The frequencies of one of two real lines, whose sum of conjugates is in `re` and difference in `im`; half: with the sign of the imaginary part. */
INLINE void NAME(write_halves)(const NAME(Lines) * t, const NAME(Group) * g, const REAL *re, const REAL *im, int64_t line,
                               REAL half) {
  if (line < 0) return;
  const int64_t first = NAME(start_of)(t, line, t->bins);
  for (int i = 0; i < 2; i++) {
    REAL *const to = i ? t->to_2 : t->to, sign = i ? -1 : 1, factor = i ? half : (REAL)0.5;
    const REAL *const x = i ? im : re;
    if (!to) continue;
    if (t->inner == 1) NAME(fold)(t->n, t->bins, g->lanes, x, g->apart, sign, factor, to + first, 1);
    else NAME(fold)(t->n, t->bins, g->lanes, x, g->apart, sign, factor, to + first, t->inner);
  }
}

INLINE void NAME(read_lines)(const NAME(Lines) * t, const NAME(Group) * g) {
  const bool back = t->kind == TCC_FFT_INVERSE || t->kind == TCC_FFT_INVERSE_HALF;
  if (t->kind == TCC_FFT_TO_REAL) { /* which is a transform back */
    NAME(read_halves)(t, g, (NAME(Parts)){g->z.im, g->z.re});
  } else if (t->im) {
    NAME(read_part)(t, g, t->re, g->first, back ? g->z.im : g->z.re);
    NAME(read_part)(t, g, t->im, g->first, back ? g->z.re : g->z.im);
  } else {
    NAME(read_part)(t, g, t->re, g->first, g->z.re);
    NAME(read_part)(t, g, t->re, g->second, g->z.im);
  }
}

INLINE void NAME(write_lines)(const NAME(Lines) * t, const NAME(Group) * g) {
  const bool back = t->kind == TCC_FFT_INVERSE || t->kind == TCC_FFT_INVERSE_HALF;
  if (t->kind == TCC_FFT_TO_REAL) {
    NAME(write_part)(t, g, g->z.im, g->first, t->to);
    NAME(write_part)(t, g, g->z.re, g->second, t->to);
  } else if (t->im) {
    NAME(write_part)(t, g, back ? g->z.im : g->z.re, g->first, t->to);
    NAME(write_part)(t, g, back ? g->z.re : g->z.im, g->first, t->to_2);
  } else {
    const REAL half = back ? (REAL)-0.5 : (REAL)0.5;
    NAME(write_halves)(t, g, g->z.re, g->z.im, g->first, half);
    NAME(write_halves)(t, g, g->z.im, g->z.re, g->second, -half);
  }
}

/* Reads or writes `count` columns, more at once where their lines are side by side. */
INLINE void NAME(move_columns)(const NAME(Lines) * t, bool in, bool pairs, int64_t line, int64_t end, int64_t count,
                               NAME(Parts) z) {
  const int64_t behind = line + TCC_FFT_LANES, last = pairs ? behind + TCC_FFT_LANES : behind;
  if (t->inner >= TCC_FFT_LANES && last <= end && line / t->inner == (behind - 1) / t->inner &&
      (!pairs || behind / t->inner == (last - 1) / t->inner)) {
    const NAME(Group) g = {line, pairs ? behind : -1, TCC_FFT_LANES, TCC_FFT_LANES, z};
    if (in) NAME(read_lines)(t, &g);
    else NAME(write_lines)(t, &g);
    return;
  }
  for (int64_t c = 0; c < count; c++) {
    const NAME(Group) g = {line + c, pairs && behind + c < end ? behind + c : -1, 1, TCC_FFT_LANES, {z.re + c, z.im + c}};
    if (in) NAME(read_lines)(t, &g);
    else NAME(write_lines)(t, &g);
  }
}

INLINE void NAME(side_by_side)(const NAME(Code) * code, const NAME(Lines) * t, bool pairs, REAL *scratch, int64_t begin,
                               int64_t end) {
  const NAME(Roots) roots = NAME(roots_of)(t->n, &scratch);
  const NAME(Parts) x = NAME(take)(&scratch, t->n * TCC_FFT_LANES), y = NAME(take)(&scratch, t->n * TCC_FFT_LANES);
  for (int64_t line = begin; line < end; line += pairs ? 2 * TCC_FFT_LANES : TCC_FFT_LANES) {
    const int64_t count = end - line < TCC_FFT_LANES ? end - line : TCC_FFT_LANES;
    NAME(move_columns)(t, true, pairs, line, end, count, x);
    for (int64_t i = 0; i < t->n && count < TCC_FFT_LANES; i++)
      for (int64_t c = count; c < TCC_FFT_LANES; c++) x.re[i * TCC_FFT_LANES + c] = x.im[i * TCC_FFT_LANES + c] = 0;
    NAME(move_columns)(t, false, pairs, line, end, count, NAME(columns)(code, t->n, TCC_FFT_LANES, &roots, x, y));
  }
}

INLINE void NAME(lines_with)(const NAME(Code) * code, void *const *arguments, const int64_t *sizes, REAL *scratch, int64_t begin,
                             int64_t end) {
  const TccFftKind kind = (TccFftKind)sizes[TCC_FFT_KIND];
  const int64_t n = sizes[TCC_FFT_LENGTH], *place = sizes + TCC_FFT_IMAGINARY;
  const bool halves = kind == TCC_FFT_FORWARD_HALF || kind == TCC_FFT_INVERSE_HALF || kind == TCC_FFT_TO_REAL;
  const NAME(Lines) t = {.kind = kind,
                         .n = n,
                         .bins = halves ? n / 2 + 1 : n,
                         .inner = sizes[TCC_FFT_INNER],
                         .re = arguments[0],
                         .im = place[0] ? arguments[place[0] - 1] : NULL,
                         .to = place[1] ? arguments[place[1]] : NULL,
                         .to_2 = place[2] ? arguments[place[2]] : NULL};
  const bool pairs = !t.im || kind == TCC_FFT_TO_REAL;
  TccFftWay way = tcc_fft_way(n);
  if (way == TCC_FFT_MATRIX && t.inner >= TCC_FFT_LANES && n <= TCC_FFT_SHORT) way = TCC_FFT_COLUMNS;
  if (way == TCC_FFT_COLUMNS) {
    NAME(side_by_side)(code, &t, pairs, scratch, begin, end);
    return;
  }
  const NAME(Parts) z = NAME(take)(&scratch, n);
  NAME(Matrix) matrix = {0};
  NAME(Chirp) chirp = {0};
  if (way == TCC_FFT_MATRIX) matrix = NAME(matrix_of)(n, &scratch);
  else chirp = NAME(chirp_of)(code, n, &scratch);
  for (int64_t line = begin; line < end; line += pairs ? 2 : 1) {
    const NAME(Group) g = {line, pairs && line + 1 < end ? line + 1 : -1, 1, 1, z};
    NAME(read_lines)(&t, &g);
    if (way == TCC_FFT_MATRIX) NAME(by_matrix)(code, &matrix, z);
    else NAME(by_convolution)(code, &chirp, z);
    NAME(write_lines)(&t, &g);
  }
}

static void NAME(lines_any)(void *const *arguments, const int64_t *sizes, REAL *scratch, int64_t begin, int64_t end) {
  NAME(lines_with)(&(NAME(Code)){NAME(pass_any), NAME(turn_any)}, arguments, sizes, scratch, begin, end);
}
AVX2 static void NAME(lines_avx2)(void *const *arguments, const int64_t *sizes, REAL *scratch, int64_t begin, int64_t end) {
  NAME(lines_with)(&(NAME(Code)){NAME(pass_avx2), NAME(turn_avx2)}, arguments, sizes, scratch, begin, end);
}
AVX512 static void NAME(lines_avx512)(void *const *arguments, const int64_t *sizes, REAL *scratch, int64_t begin, int64_t end) {
  NAME(lines_with)(&(NAME(Code)){NAME(pass_avx512), NAME(turn_avx512)}, arguments, sizes, scratch, begin, end);
}
static void NAME(lines)(void *const *arguments, const int64_t *sizes, REAL *scratch, int64_t begin, int64_t end) {
  if (has_avx512()) NAME(lines_avx512)(arguments, sizes, scratch, begin, end);
  else if (has_avx2()) NAME(lines_avx2)(arguments, sizes, scratch, begin, end);
  else NAME(lines_any)(arguments, sizes, scratch, begin, end);
}
