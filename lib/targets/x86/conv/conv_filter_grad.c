/* conv_filter_grad.c - the gradient of a grouped convolution's weights, vectorised along the innermost output axis.
 *
 *   r[m, c, y, x] = sum over n, i, j of g[n, m, i, j] * image[n, c, i * stride + y - pad, j * stride + x - pad]
 *
 * As a product each group packs its image once for each tap, for few rows. Here a group's image is copied once, with the padding around it
 * and its columns by their remainder modulo the stride, so that each tap of a vector of columns is one load and no mask; registers hold a
 * vector of sums for each of some output channels and taps (a block), and go through a band of rows. A band is as long as the first cache
 * and rounding allow (sums of at most CHAIN numbers); bands, images and lanes are added up in one order, whatever the number of threads.
 *
 * A tile is some output channels of a group: nobody else writes their weights. Where a row has no whole number of vectors the rest of the
 * image's is cleared, too: what lies there may be infinite. bf16 is widened where it is copied or met, and rounded at the end. */
#include "lib/targets/x86/conv/conv_filter_grad.h"
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/emit/scalar.h"
#include "tcc/op_kinds.h"

enum {
  CHAIN = 256,            /* vectors that are added up in a register, as of products */
  FIRST_CACHE = 32 << 10, /* where it is not known */
  MOST_SUMS = 32 << 10,   /* bytes of the sums of a tile */
  MOST_CHANNELS = 16,     /* of a group: with more a product is faster */
  TILES = 4,              /* for each thread, if there are as many */
  MOST_LANES = 16
};

typedef struct {
  int64_t groups, inputs, outputs;      /* channels of a group */
  int64_t height, width, rows, columns; /* of the image, of g */
  int64_t kernel[2], stride[2], pad[2], dilation[2];
  const TccExpr *images;
  TccElem elem; /* of the image, of g and of the result */
  int lanes;
  int64_t band, bands;   /* rows of g at a time */
  int64_t line, in_rows; /* elements of a line of one remainder in scratch; lines of a band, of each remainder */
  int64_t plane;         /* elements of a channel's band */
  int64_t block;         /* output channels of registers */
  int64_t taps, parts;   /* of the window; in how many parts registers take them */
  int64_t slices;        /* tiles of a group */
} FilterGrad;

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- reading ---- */
static bool read_axes(TccIr *ir, MlirOperation op, FilterGrad *f) {
  const int64_t *kernel, *strides, *pads, *dilations;
  size_t n;
  MlirType x = tcc_value_type(mlirOperationGetOperand(op, 0)), g = tcc_value_type(mlirOperationGetOperand(op, 1));
  int spatial = tcc_type_rank(x) - 2;
  f->elem = tcc_type_elem(x);
  if (spatial < 1 || spatial > 2 || (f->elem != TCC_ELEM_F32 && f->elem != TCC_ELEM_BF16) || tcc_type_elem(g) != f->elem ||
      tcc_value_elem(mlirOperationGetResult(op, 0)) != f->elem)
    return false;
  if (!tcc_get_ints(ir, op, "kernel", &kernel, &n) || !tcc_get_ints(ir, op, "strides", &strides, &n) ||
      !tcc_get_ints(ir, op, "pads", &pads, &n) || !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  int64_t *const image[] = {&f->height, &f->width}, *const windows[] = {&f->rows, &f->columns};
  f->height = f->rows = 1;
  for (int i = 0; i < 2; i++) f->kernel[i] = f->stride[i] = f->dilation[i] = 1, f->pad[i] = 0;
  for (int i = 0; i < spatial; i++) {
    int at = i + 2 - spatial;
    f->kernel[at] = kernel[i], f->stride[at] = strides[i], f->pad[at] = pads[i], f->dilation[at] = dilations[i];
    if (pads[i] < 0 || !tcc_expr_is_const(tcc_type_dim(ir, x, i + 2), image[at]) ||
        !tcc_expr_is_const(tcc_type_dim(ir, g, i + 2), windows[at]))
      return false;
  }
  if (f->elem == TCC_ELEM_BF16 && f->stride[1] > 2) return false; /* there is no gather of 16 bits */
  int64_t inputs, outputs;
  f->groups = tcc_i64(ir, op, "groups");
  f->images = tcc_type_dim(ir, x, 0);
  if (f->groups < 2 || !tcc_expr_is_const(tcc_type_dim(ir, x, 1), &inputs) || !tcc_expr_is_const(tcc_type_dim(ir, g, 1), &outputs))
    return false;
  f->inputs = inputs / f->groups, f->outputs = outputs / f->groups;
  return f->inputs > 0 && f->outputs > 0 && f->rows > 0 && f->columns > 0 && f->height > 0 && f->width > 0;
}

/* Registers: a vector of sums for each of block * taps / parts, one for each of g's channels, one of the image. */
static void plan_registers(const TccMachine *machine, FilterGrad *f) {
  const int64_t registers = machine->isa & TCC_ISA_AVX512 ? 32 : 16;
  f->taps = f->kernel[0] * f->kernel[1];
  f->block = registers == 32 ? 4 : 2;
  while (f->outputs % f->block) f->block--;
  const int64_t most = (registers - 1 - f->block) / f->block;
  f->parts = tcc_ceil_div(f->taps, most);
}

/* A band of a group's image takes three quarters of the first cache; where one row of all channels takes more, four of it at most. */
static bool plan_bands(const TccMachine *machine, FilterGrad *f) {
  const int64_t cache = machine->l1_bytes ? machine->l1_bytes : FIRST_CACHE;
  const int64_t remainders = f->stride[1], reach = (f->kernel[1] - 1) * f->dilation[1];
  f->line = tcc_round_up(f->columns, f->lanes) + reach / remainders + 1;
  const int64_t vectors = tcc_ceil_div(f->columns, f->lanes), all = f->inputs * remainders * f->line * (int64_t)sizeof(float);
  int64_t most = (cache * 3 / 4 / all - (f->kernel[0] - 1) * f->dilation[0] - 1) / f->stride[0] + 1;
  most = smaller(smaller(most, CHAIN / vectors), f->rows);
  if (most < 1) most = 1;
  f->bands = tcc_ceil_div(f->rows, most), f->band = tcc_ceil_div(f->rows, f->bands);
  f->in_rows = (f->band - 1) * f->stride[0] + (f->kernel[0] - 1) * f->dilation[0] + 1;
  f->plane = f->in_rows * remainders * f->line;
  return f->inputs * f->plane * (int64_t)sizeof(float) <= 4 * cache;
}

static bool plan(const TccMachine *machine, TccIr *ir, MlirOperation op, FilterGrad *f) {
  *f = (FilterGrad){0};
  if (!read_axes(ir, op, f) || f->inputs > MOST_CHANNELS || f->outputs > MOST_CHANNELS) return false;
  f->lanes = machine->isa & TCC_ISA_AVX512 && f->columns > 8 ? 16 : 8;
  plan_registers(machine, f);
  const int64_t blocks = f->outputs / f->block, wanted = TILES * (machine->cores ? machine->cores : 1),
                sums = f->outputs * f->inputs * f->taps * f->lanes * (int64_t)sizeof(float);
  for (f->slices = 1; f->slices < blocks && (f->groups * f->slices < wanted || sums > f->slices * MOST_SUMS);) f->slices++;
  while (blocks % f->slices) f->slices++;
  return plan_bands(machine, f) && sums <= f->slices * MOST_SUMS;
}

bool tcc_filter_grad_keeps(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  FilterGrad f;
  return plan(machine, ir, op, &f);
}

/* ---- the image ---- */
typedef struct {
  TccEmit *e;
  const FilterGrad *f;
  const char *vector, *memory; /* of sums; an element of a tensor */
} Code;

static TccVal number(const Code *c, int64_t value) { return tcc_emit_i64(c->e, value); }

/* A vector of a tensor's elements, or so many as mask has, widened. */
static TccVal load_vector(const Code *c, TccVal from, TccVal mask) {
  const char *type = tcc_emit_vector(c->e, c->memory, c->f->lanes);
  TccVal v = mask ? tcc_emit_masked_load(c->e, type, from, mask) : tcc_emit_load(c->e, type, from);
  return tcc_scalar_convert(c->e, c->f->elem, TCC_ELEM_F32, c->f->lanes, v);
}

/* Clears `count` elements from p on. */
static void emit_clear(const Code *c) {
  static const char *const types[] = {TCC_PTR, "i64"};
  TccEmit *e = c->e;
  TccVal arg[2];
  TccLoop at;
  tcc_emit_function(e, "clear", true, 2, types, NULL, arg);
  TccVal none = tcc_emit_zero(e, c->vector);
  TccVal rest = tcc_emit_rem(e, arg[1], number(c, c->f->lanes)), whole = tcc_emit_sub(e, arg[1], rest);
  tcc_emit_for(e, &at, number(c, 0), whole, c->f->lanes, 0, NULL, NULL);
  tcc_emit_store(e, c->vector, none, tcc_emit_gep(e, "f32", arg[0], at.iv));
  tcc_emit_end_for(e, &at, NULL);
  tcc_emit_masked_store(e, c->vector, none, tcc_emit_gep(e, "f32", arg[0], whole), tcc_emit_mask(e, rest, c->f->lanes));
  tcc_emit_return(e, 0, NULL);
}

/* A row of the image to its line: the columns that windows may see. The padding beside them has been cleared. */
static void copy_line(const Code *c, TccVal from, TccVal to) {
  const FilterGrad *f = c->f;
  const int64_t first = f->pad[1], count = smaller(f->width, f->line - first), whole = count / f->lanes * f->lanes;
  if (count <= 0) return;
  TccLoop at;
  tcc_emit_for(c->e, &at, number(c, 0), number(c, whole), f->lanes, 0, NULL, NULL);
  tcc_emit_store(c->e, c->vector, load_vector(c, tcc_emit_gep(c->e, c->memory, from, at.iv), 0),
                 tcc_emit_gep(c->e, "f32", tcc_emit_at(c->e, "f32", to, first), at.iv));
  tcc_emit_end_for(c->e, &at, NULL);
  if (whole == count) return;
  TccVal mask = tcc_emit_mask(c->e, number(c, count - whole), f->lanes);
  TccVal rest = load_vector(c, tcc_emit_at(c->e, c->memory, from, whole), mask);
  tcc_emit_masked_store(c->e, c->vector, rest, tcc_emit_at(c->e, "f32", to, first + whole), mask);
}

/* `lanes` columns from `from` on, a stride apart. Every other one is half of two vectors, the second of which is read one place earlier:
 * nothing behind the last column is read. */
static TccVal load_apart(const Code *c, TccVal from) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  const char *index = tcc_emit_vector(e, "i32", f->lanes);
  if (f->stride[1] != 2) {
    TccVal places = tcc_emit_bin(e, "mul", index, tcc_emit_iota(e, "i32", f->lanes), tcc_emit_int(e, index, f->stride[1]));
    return tcc_emit_gather(e, c->vector, from, index, places, tcc_emit_mask(e, number(c, f->lanes), f->lanes));
  }
  int half[MOST_LANES];
  for (int i = 0; i < f->lanes; i++) half[i] = i < f->lanes / 2 ? 2 * i : 2 * i + 1;
  const char *type = tcc_emit_vector(e, c->memory, f->lanes);
  TccVal first = tcc_emit_load(e, type, from), second = tcc_emit_load(e, type, tcc_emit_at(e, c->memory, from, f->lanes - 1));
  return tcc_scalar_convert(e, f->elem, TCC_ELEM_F32, f->lanes, tcc_emit_shuffle(e, type, first, second, half));
}

/* The same by remainders: element j of line p is column j * stride + p - pad. */
static void copy_remainders(const Code *c, TccVal from, TccVal to) {
  const FilterGrad *f = c->f;
  const int64_t stride = f->stride[1];
  for (int64_t p = 0; p < stride; p++) {
    const int64_t first = f->pad[1] > p ? tcc_ceil_div(f->pad[1] - p, stride) : 0,
                  end = smaller(f->line, tcc_ceil_div(f->width + f->pad[1] - p, stride)), count = end - first;
    if (count <= 0) continue;
    TccVal columns = tcc_emit_at(c->e, c->memory, from, first * stride + p - f->pad[1]),
           line = tcc_emit_at(c->e, "f32", to, p * f->line + first);
    if (count < f->lanes) { /* one by one */
      for (int64_t j = 0; j < count; j++) {
        TccVal v = tcc_emit_load(c->e, c->memory, tcc_emit_at(c->e, c->memory, columns, j * stride));
        tcc_emit_store(c->e, "f32", tcc_scalar_convert(c->e, f->elem, TCC_ELEM_F32, 1, v), tcc_emit_at(c->e, "f32", line, j));
      }
      continue;
    }
    TccLoop at; /* the last vector begins as much earlier */
    tcc_emit_for(c->e, &at, number(c, 0), number(c, count), f->lanes, 0, NULL, NULL);
    TccVal j = tcc_emit_min(c->e, at.iv, number(c, count - f->lanes));
    tcc_emit_store(c->e, c->vector, load_apart(c, tcc_emit_gep(c->e, c->memory, columns, tcc_emit_mul(c->e, j, number(c, stride)))),
                   tcc_emit_gep(c->e, "f32", line, j));
    tcc_emit_end_for(c->e, &at, NULL);
  }
}

/* copy(scratch, image of the group's first channel, its first row): a band of all channels. */
static const char *const copy_types[] = {TCC_PTR, TCC_PTR, "i64"};
static void emit_copy(const Code *c) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  TccVal arg[3];
  TccLoop channel, row;
  TccIf inside;
  tcc_emit_function(e, "copy", true, 3, copy_types, NULL, arg);
  TccVal zero = number(c, 0), line = number(c, f->stride[1] * f->line);
  tcc_emit_for(e, &channel, zero, number(c, f->inputs), 1, 0, NULL, NULL);
  TccVal image = tcc_emit_gep(e, c->memory, arg[1], tcc_emit_mul(e, channel.iv, number(c, f->height * f->width)));
  TccVal plane = tcc_emit_gep(e, "f32", arg[0], tcc_emit_mul(e, channel.iv, number(c, f->plane)));
  tcc_emit_for(e, &row, zero, number(c, f->in_rows), 1, 0, NULL, NULL);
  TccVal at = tcc_emit_add(e, arg[2], row.iv), to = tcc_emit_gep(e, "f32", plane, tcc_emit_mul(e, row.iv, line));
  tcc_emit_if(e, &inside, tcc_emit_icmp(e, "ult", "i64", at, number(c, f->height)), 0, NULL);
  TccVal from = tcc_emit_gep(e, c->memory, image, tcc_emit_mul(e, at, number(c, f->width)));
  if (f->stride[1] == 1) copy_line(c, from, to);
  else copy_remainders(c, from, to);
  tcc_emit_else(e, &inside, NULL);
  TccVal clear[] = {to, line};
  tcc_emit_call(e, "clear", 2, clear, (const char *const[]){TCC_PTR, "i64"}, NULL);
  tcc_emit_end_if(e, &inside, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &channel, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* ---- sums ---- */
enum { MOST_REGISTERS = 32 };
typedef struct {
  int64_t first, count; /* taps */
  TccVal g, image;      /* of a row */
} Part;

/* Where a tap's element of column 0 lies behind its band's first line. */
static int64_t tap_place(const FilterGrad *f, int64_t tap) {
  const int64_t y = tap / f->kernel[1] * f->dilation[0], x = tap % f->kernel[1] * f->dilation[1];
  return (y * f->stride[1] + x % f->stride[1]) * f->line + x / f->stride[1];
}

/* sums += g * image at a vector of columns; mask 0: all lanes. */
static void add_vector(const Code *c, const Part *p, TccVal column, TccVal mask, TccVal *sums) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  TccVal g[MOST_REGISTERS];
  for (int64_t m = 0; m < f->block; m++)
    g[m] = load_vector(c, tcc_emit_gep(e, c->memory, tcc_emit_at(e, c->memory, p->g, m * f->rows * f->columns), column), mask);
  for (int64_t t = 0; t < p->count; t++) {
    TccVal at = tcc_emit_gep(e, "f32", tcc_emit_at(e, "f32", p->image, tap_place(f, p->first + t)), column);
    TccVal x = tcc_emit_masked_load(e, c->vector, at, mask);
    for (int64_t m = 0; m < f->block; m++) sums[m * p->count + t] = tcc_emit_fma(e, c->vector, g[m], x, sums[m * p->count + t]);
  }
}

static const char *const part_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64"};

/* part_K(g, band of a channel, sums of the block's first tap, rows): adds to the sums. */
static void emit_part(const Code *c, int64_t k) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  const int64_t each = tcc_ceil_div(f->taps, f->parts), whole = f->columns / f->lanes * f->lanes;
  Part p = {.first = k * each, .count = smaller(each, f->taps - k * each)};
  const int n = (int)(f->block * p.count);
  TccVal arg[4], sums[MOST_REGISTERS];
  const char *types[MOST_REGISTERS];
  TccLoop row, column;
  tcc_emit_function(e, tcc_arena_printf(e->arena, "part_%d", (int)k), true, 4, part_types, NULL, arg);
  TccVal zero = number(c, 0), none = tcc_emit_zero(e, c->vector);
  for (int i = 0; i < n; i++) sums[i] = none, types[i] = c->vector;
  tcc_emit_for(e, &row, zero, arg[3], 1, n, sums, types);
  p.g = tcc_emit_gep(e, c->memory, arg[0], tcc_emit_mul(e, row.iv, number(c, f->columns)));
  p.image = tcc_emit_gep(e, "f32", arg[1], tcc_emit_mul(e, row.iv, number(c, f->stride[0] * f->stride[1] * f->line)));
  tcc_emit_for(e, &column, zero, number(c, whole), f->lanes, n, row.in, types);
  memcpy(sums, column.in, sizeof *sums * (size_t)n);
  add_vector(c, &p, column.iv, 0, sums);
  tcc_emit_end_for(e, &column, sums);
  memcpy(sums, column.out, sizeof *sums * (size_t)n);
  if (whole < f->columns) add_vector(c, &p, number(c, whole), tcc_emit_mask(e, number(c, f->columns - whole), f->lanes), sums);
  tcc_emit_end_for(e, &row, sums);
  for (int64_t m = 0; m < f->block; m++)
    for (int64_t t = 0; t < p.count; t++) {
      TccVal to = tcc_emit_at(e, "f32", arg[2], (m * f->inputs * f->taps + p.first + t) * f->lanes);
      TccVal sum = tcc_emit_bin(e, "fadd", c->vector, tcc_emit_load(e, c->vector, to), row.out[m * p.count + t]);
      tcc_emit_store(e, c->vector, sum, to);
    }
  tcc_emit_return(e, 0, NULL);
}

/* fold(sums, result, count): each vector of sums as a number. */
static const char *const fold_types[] = {TCC_PTR, TCC_PTR, "i64"};
static void emit_fold(const Code *c) {
  TccEmit *e = c->e;
  TccVal arg[3];
  TccLoop at;
  tcc_emit_function(e, "fold", true, 3, fold_types, NULL, arg);
  tcc_emit_for(e, &at, number(c, 0), arg[2], 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, "f32", arg[0], tcc_emit_mul(e, at.iv, number(c, c->f->lanes)));
  TccVal sum = tcc_scalar_fold(e, tcc_str("sum"), TCC_ELEM_F32, c->f->lanes, tcc_emit_load(e, c->vector, from));
  sum = tcc_scalar_convert(e, TCC_ELEM_F32, c->f->elem, 1, sum);
  tcc_emit_store(e, c->memory, sum, tcc_emit_gep(e, c->memory, arg[1], at.iv));
  tcc_emit_end_for(e, &at, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* ---- a tile ---- */
/* One band of one image: blocks of output channels, each with all channels of the image. g: of the tile's first channel and the band. */
static void emit_band(const Code *c, TccVal g, TccVal planes, TccVal sums, TccVal rows) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  const int64_t vectors = f->inputs * f->taps * f->lanes;
  TccLoop block, channel;
  TccVal zero = number(c, 0);
  tcc_emit_for(e, &block, zero, number(c, f->outputs / f->slices / f->block), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, c->memory, g, tcc_emit_mul(e, block.iv, number(c, f->block * f->rows * f->columns)));
  TccVal to = tcc_emit_gep(e, "f32", sums, tcc_emit_mul(e, block.iv, number(c, f->block * vectors)));
  tcc_emit_for(e, &channel, zero, number(c, f->inputs), 1, 0, NULL, NULL);
  TccVal args[] = {from, tcc_emit_gep(e, "f32", planes, tcc_emit_mul(e, channel.iv, number(c, f->plane))),
                   tcc_emit_gep(e, "f32", to, tcc_emit_mul(e, channel.iv, number(c, f->taps * f->lanes))), rows};
  for (int64_t k = 0; k < f->parts; k++) tcc_emit_call(e, tcc_arena_printf(e->arena, "part_%d", (int)k), 4, args, part_types, NULL);
  tcc_emit_end_for(e, &channel, NULL);
  tcc_emit_end_for(e, &block, NULL);
}

/* Output channels [first, first + outputs / slices) of all groups' channels. */
static void emit_tile(TccKernelEmit *k, const Code *c, TccVal tile, TccVal scratch, const TccVal argument[3]) {
  const FilterGrad *f = c->f;
  TccEmit *e = c->e;
  const int64_t each = f->outputs / f->slices, numbers = each * f->inputs * f->taps, room = f->inputs * f->plane;
  TccVal zero = number(c, 0), group = tcc_emit_div(e, tile, number(c, f->slices)), sums = tcc_emit_at(e, "f32", scratch, room);
  TccVal clear[] = {scratch, number(c, room + numbers * f->lanes)};
  tcc_emit_call(e, "clear", 2, clear, (const char *const[]){TCC_PTR, "i64"}, NULL);
  TccLoop image, band;
  tcc_emit_for(e, &image, zero, tcc_kernel_size(k, f->images), 1, 0, NULL, NULL);
  TccVal x = tcc_emit_add(e, tcc_emit_mul(e, image.iv, number(c, f->groups)), group);
  x = tcc_emit_gep(e, c->memory, argument[0], tcc_emit_mul(e, x, number(c, f->inputs * f->height * f->width)));
  TccVal g = tcc_emit_add(e, tcc_emit_mul(e, image.iv, number(c, f->groups * f->slices)), tile);
  g = tcc_emit_gep(e, c->memory, argument[1], tcc_emit_mul(e, g, number(c, each * f->rows * f->columns)));
  tcc_emit_for(e, &band, zero, number(c, f->rows), f->band, 0, NULL, NULL);
  TccVal copy[] = {scratch, x, tcc_emit_sub(e, tcc_emit_mul(e, band.iv, number(c, f->stride[0])), number(c, f->pad[0]))};
  tcc_emit_call(e, "copy", 3, copy, copy_types, NULL);
  TccVal rows = tcc_emit_min(e, number(c, f->band), tcc_emit_sub(e, number(c, f->rows), band.iv));
  emit_band(c, tcc_emit_gep(e, c->memory, g, tcc_emit_mul(e, band.iv, number(c, f->columns))), scratch, sums, rows);
  tcc_emit_end_for(e, &band, NULL);
  tcc_emit_end_for(e, &image, NULL);
  TccVal fold[] = {sums, tcc_emit_gep(e, c->memory, argument[2], tcc_emit_mul(e, tile, number(c, numbers))), number(c, numbers)};
  tcc_emit_call(e, "fold", 3, fold, fold_types, NULL);
}

TccStatus *tcc_filter_grad_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirOperation op = tcc_value_op(mlirOperationGetOperand(end, 0));
  FilterGrad f;
  if (mlirOperationIsNull(op) || tcc_op_kind(ir, op) != TCC_OP_CONV_FILTER_GRAD || !plan(&target->machine, ir, op, &f))
    return TCC_ERROR(TCC_UNSUPPORTED, "a gradient of weights that is none of small groups");
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, kernel);
  Code c = {.e = e, .f = &f, .vector = tcc_emit_vector(e, "f32", f.lanes), .memory = tcc_scalar_memory_type(f.elem)};
  emit_clear(&c), emit_copy(&c), emit_fold(&c);
  for (int64_t part = 0; part < f.parts; part++) emit_part(&c, part);
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  TccVal argument[3];
  for (int i = 0; i < 3; i++) {
    MlirValue value = i < 2 ? mlirOperationGetOperand(op, i) : (MlirValue){NULL};
    argument[i] = tcc_kernel_argument(&k, i < 2 ? (int)mlirBlockArgumentGetArgNumber(value) : (int)mlirBlockGetNumArguments(block));
  }
  TccLoop tile;
  tcc_emit_for(e, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  emit_tile(&k, &c, tile.iv, entry.scratch, argument);
  tcc_emit_end_for(e, &tile, NULL);
  tcc_emit_return(e, 0, NULL);
  const int64_t sums = f.outputs / f.slices * f.inputs * f.taps * f.lanes;
  const char *schedule = tcc_arena_printf(ir->arena, "x86.filter_grad/1 lanes=%d block=%d parts=%d band=%d", f.lanes, (int)f.block,
                                          (int)f.parts, (int)f.band);
  tcc_kernel_finish(&k, "x86.filter_grad", schedule, tcc_expr_const(ir->exprs, f.groups * f.slices),
                    tcc_expr_const(ir->exprs, (f.inputs * f.plane + sums) * (int64_t)sizeof(float)), out);
  return NULL;
}
