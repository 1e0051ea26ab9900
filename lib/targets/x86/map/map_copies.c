/* map_copies.c - copies of rows; see map_copies.h.
 *
 * As code each such copy has its own dims, 3 to 4 ms of LLVM's time, of which a network of windows has two dozen. Here dims are a table, which a
 * routine walks that all of them share. Rows along the last dim around them are a run; a tile has whole runs. From run to run places move by what
 * the table has for the dim that goes on (those behind it begin again), so that nothing is divided but where a tile begins. Copies of up to 800 KB take
 * 0.4 to 1.04 of the time; of more than MOST_BYTES, which code of their own prefetches, 1.02 to 1.09. */
#include "lib/targets/x86/map/map_copies.h"

enum { OUTER = TCC_MAP_COPIES_OUTER, TILE_ELEMENTS = 4096, LEAST_RUNS = 8, MOST_BYTES = 2 << 20 /* read and written */ };
enum {
  FROM_ARGUMENT,
  TO_ARGUMENT,
  FROM,
  RUNS_OF_TILE,
  RUNS,
  ROWS,
  ROW_FROM,
  ROW_TO,
  WIDTH,
  SIZE,
  NEXT_FROM = SIZE + OUTER,
  NEXT_TO = NEXT_FROM + OUTER
};
_Static_assert(NEXT_TO + OUTER == sizeof((TccMapCopies *)0)->table / sizeof(int64_t), "the table is as long as what it has");

/* ---- the table ---- */

typedef struct {
  int64_t size, from, to; /* places, and elements between two of them */
} Dim;

/* The dims of more than one place but the last, those that lie side by side on both sides as one. False: there are too many, or sizes are not known. */
static bool read_dims(const TccPull *p, const int64_t *from, const int64_t *to, Dim *dims, int *out_n) {
  int n = 0;
  for (int d = 0; d < p->ndims - 1; d++) {
    int64_t size;
    if (!tcc_expr_is_const(p->dim[d], &size) || size < 1) return false;
    if (size == 1) continue;
    if (n && dims[n - 1].from == from[d] * size && dims[n - 1].to == to[d] * size) {
      dims[n - 1] = (Dim){dims[n - 1].size * size, from[d], to[d]};
      continue;
    }
    if (n == OUTER + 1) return false;
    dims[n++] = (Dim){size, from[d], to[d]};
  }
  *out_n = n;
  return n > 0;
}

bool tcc_map_copies_read(const TccMapNest *nest, int lanes, TccMapCopies *out) {
  const TccPull *p = &nest->pull;
  const TccMapResult *r = nest->results;
  const TccPullNode *root = r->root;
  const int last = p->ndims - 1;
  int64_t from[TCC_PULL_DIMS], to[TCC_PULL_DIMS], start, offset, width;
  Dim dims[OUTER + 1];
  int n;
  *out = (TccMapCopies){0};
  if (nest->count != 1 || last < 1 || root->kind != TCC_PULL_LOAD || root->argument < 0 || root->elem != r->elem ||
      tcc_elem_bits(r->elem) != 32 || !tcc_expr_is_const(p->dim[last], &width) || width < lanes || width % lanes != 0 ||
      !tcc_pull_known_index(p, &root->index, &start, from) || !tcc_pull_known_index(p, &r->store, &offset, to) || offset ||
      from[last] != 1 || to[last] != 1 || !read_dims(p, from, to, dims, &n))
    return false;
  int64_t *t = out->table, runs = 1, *size = t + SIZE, *next[2] = {t + NEXT_FROM, t + NEXT_TO};
  const Dim rows = dims[n - 1];
  for (int i = 0; i < OUTER; i++) { /* behind those that are not there */
    const int d = i - (OUTER - (n - 1));
    const Dim dim = d < 0 ? (Dim){1, 0, 0} : dims[d];
    size[i] = dim.size, next[0][i] = dim.from, next[1][i] = dim.to, runs *= dim.size;
  }
  if (runs < LEAST_RUNS || 2 * 4 * runs * rows.size * width > MOST_BYTES) return false;
  for (int side = 0; side < 2; side++) { /* a step, less what the dims behind it went */
    int64_t gone = 0;
    for (int i = OUTER; i-- > 0;) {
      const int64_t step = next[side][i];
      next[side][i] = step - gone;
      gone += (size[i] - 1) * step;
    }
  }
  const int64_t many = TILE_ELEMENTS / (rows.size * width), per = many > 1 ? tcc_ceil_div(runs, tcc_ceil_div(runs, many)) : 1;
  t[FROM_ARGUMENT] = root->argument, t[TO_ARGUMENT] = r->argument, t[FROM] = start, t[RUNS_OF_TILE] = per, t[RUNS] = runs;
  t[ROWS] = rows.size, t[ROW_FROM] = rows.from, t[ROW_TO] = rows.to, t[WIDTH] = width;
  out->tiles = tcc_ceil_div(runs, per);
  return true;
}

/* ---- the routine ---- */
enum { ARGUMENTS, TABLE, BEGIN, END, PARAMETERS };
static const char *const parameter_types[PARAMETERS] = {TCC_PTR, TCC_PTR, "i64", "i64"};

static TccVal word_at(TccEmit *e, TccVal table, int which) { return tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", table, which)); }

static TccVal argument_at(TccEmit *e, TccVal arguments, TccVal which) {
  return tcc_emit_load(e, TCC_PTR, tcc_emit_gep(e, TCC_PTR, arguments, which));
}

/* A run of rows from `from` on to `to`. */
static void copy_run(TccEmit *e, const char *type, TccVal table, TccVal from, TccVal to) {
  TccVal zero = tcc_emit_i64(e, 0), carried[] = {from, to}, width = word_at(e, table, WIDTH);
  TccLoop row, vector;
  tcc_emit_for(e, &row, zero, word_at(e, table, ROWS), 1, 2, carried, (const char *const[]){TCC_PTR, TCC_PTR});
  tcc_emit_for(e, &vector, zero, width, tcc_emit_lanes(type), 0, NULL, NULL);
  tcc_emit_store(e, type, tcc_emit_load(e, type, tcc_emit_gep(e, "i32", row.in[0], vector.iv)),
                 tcc_emit_gep(e, "i32", row.in[1], vector.iv));
  tcc_emit_end_for(e, &vector, NULL);
  tcc_emit_end_for(e, &row,
                   (const TccVal[]){tcc_emit_gep(e, "i32", row.in[0], word_at(e, table, ROW_FROM)),
                                    tcc_emit_gep(e, "i32", row.in[1], word_at(e, table, ROW_TO))});
}

/* Elements from the first run's place to that of the run at these indices, by the steps of dims, which `next` has less what those behind them go. */
static TccVal place_of(TccEmit *e, TccVal table, int next, const TccVal *i) {
  TccVal place = tcc_emit_i64(e, 0), gone = place;
  for (int d = OUTER; d-- > 0;) {
    TccVal step = tcc_emit_add(e, word_at(e, table, next + d), gone);
    place = tcc_emit_add(e, place, tcc_emit_mul(e, i[d], step));
    gone = tcc_emit_add(e, gone, tcc_emit_mul(e, tcc_emit_sub(e, word_at(e, table, SIZE + d), tcc_emit_i64(e, 1)), step));
  }
  return place;
}

void tcc_map_copies_routine(TccEmit *e, TccIr *ir, int lanes) {
  const char key[] = {'c', (char)lanes};
  if (tcc_emit_routine_again(e, ir->routines, (TccStr){key, sizeof key}, "copies")) return;
  TccVal arg[PARAMETERS], i[OUTER];
  tcc_emit_function(e, "copies", true, PARAMETERS, parameter_types, NULL, arg);
  TccVal table = arg[TABLE], per = word_at(e, table, RUNS_OF_TILE), first = tcc_emit_mul(e, arg[BEGIN], per), rest = first,
         zero = tcc_emit_i64(e, 0), one = tcc_emit_i64(e, 1);
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, arg[END], per), word_at(e, table, RUNS));
  for (int d = OUTER; d-- > 1;) {
    TccVal size = word_at(e, table, SIZE + d);
    i[d] = tcc_emit_rem(e, rest, size), rest = tcc_emit_div(e, rest, size);
  }
  i[0] = rest;
  TccVal from = argument_at(e, arg[ARGUMENTS], word_at(e, table, FROM_ARGUMENT)),
         to = argument_at(e, arg[ARGUMENTS], word_at(e, table, TO_ARGUMENT));
  from = tcc_emit_gep(e, "i32", from, tcc_emit_add(e, word_at(e, table, FROM), place_of(e, table, NEXT_FROM, i)));
  to = tcc_emit_gep(e, "i32", to, place_of(e, table, NEXT_TO, i));
  const TccVal carried[OUTER + 1] = {from, to, i[1], i[2], i[3]};
  const char *const types[OUTER + 1] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64"};
  TccLoop run;
  tcc_emit_for(e, &run, first, end, 1, OUTER + 1, carried, types);
  copy_run(e, tcc_emit_vector(e, "i32", lanes), table, run.in[0], run.in[1]);
  TccVal next[OUTER + 1], goes_on = tcc_emit_int(e, "i1", 1), dim = tcc_emit_i64(e, OUTER - 1);
  for (int d = OUTER; d-- > 1;) { /* a dim moves where all behind it are at their ends; dim: the last that moves */
    TccVal moved = tcc_emit_add(e, run.in[1 + d], one), ends = tcc_emit_icmp(e, "eq", "i64", moved, word_at(e, table, SIZE + d));
    TccVal at = tcc_emit_select1(e, "i64", ends, zero, moved);
    next[1 + d] = tcc_emit_select1(e, "i64", goes_on, at, run.in[1 + d]);
    goes_on = tcc_emit_bin(e, "and", "i1", goes_on, ends);
    dim = tcc_emit_select1(e, "i64", goes_on, tcc_emit_i64(e, d - 1), dim);
  }
  TccVal steps = tcc_emit_gep(e, "i64", table, dim);
  next[0] = tcc_emit_gep(e, "i32", run.in[0], word_at(e, steps, NEXT_FROM));
  next[1] = tcc_emit_gep(e, "i32", run.in[1], word_at(e, steps, NEXT_TO));
  tcc_emit_end_for(e, &run, next);
  tcc_emit_return(e, 0, NULL);
  tcc_emit_routine_keep(e, ir->routines, (TccStr){key, sizeof key}, "copies");
}

void tcc_map_copies_call(TccKernelEmit *k, const TccKernelEntry *entry, const TccMapCopies *copies) {
  TccVal table = tcc_emit_data(k->e, copies->table, sizeof copies->table);
  const TccVal args[PARAMETERS] = {k->arguments, table, entry->begin, entry->end};
  tcc_emit_call(k->e, "copies", PARAMETERS, args, parameter_types, NULL);
}
