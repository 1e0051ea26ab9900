/* map_boxes.c - copies of boxes of vectors; see map_boxes.h.
 *
 * What joins images in blocks of channels gives each lane of a vector from one operand or another, by the number of the block. As code this is a loop
 * with branches and masks for each way to join, 2.5 ms of LLVM's time each, of which a network has a dozen. Here the result is cut into boxes in which every element comes
 * from one operand, along each dim at a constant step, and a table of them is walked by a routine that all such kernels share.
 *
 * Boxes that differ in their lanes alone are members of a group: a tile does all of them for so many rows that what it writes is still in the first
 * cache when the next one comes, and no two threads write to one line. */
#include "lib/targets/x86/map/map_boxes.h"

enum {
  MOST_BOXES = 16,
  OUTER = 3,
  TILE_ELEMENTS = 4096,
  AHEAD = 4096 /* bytes, that are prefetched: the processor's own fetching ends at each page */
};
/* The table: number of groups, the result's argument; of each group this head, then its members. */
enum { FIRST_TILE, TILES, ROWS_OF_TILE, ROWS, SIZE1, SIZE2, TO0, TO1, TO2, MEMBERS, GROUP_WORDS };
enum { FROM_ARGUMENT, FROM, FROM0, FROM1, FROM2, TO, READ_LANES, LANES, MEMBER_WORDS };

/* Elements [low, high) of each dim; source: NULL: zeros. */
typedef struct {
  int64_t low[TCC_PULL_DIMS], high[TCC_PULL_DIMS];
  const TccPullNode *source;
} Box;
typedef struct {
  const TccPull *p;
  TccElem elem;
  Box box[MOST_BOXES];
  size_t count;
} Boxes;

/* ---- the boxes of a nest ---- */
/* Where a bound holds: [*low, *high) of the dim that it is about. False: it is about none, or several, or goes backwards. */
static bool read_bound(const TccPull *p, const TccPullBound *bound, int *dim, int64_t *low, int64_t *high) {
  int64_t offset, step[TCC_PULL_DIMS], end;
  if (!tcc_pull_known_index(p, &bound->index, &offset, step)) return false;
  *dim = -1;
  for (int d = 0; d < p->ndims; d++) {
    if (!step[d]) continue;
    if (*dim >= 0 || step[d] != 1) return false;
    *dim = d;
  }
  if (*dim < 0) return false;
  *low = 0, *high = INT64_MAX;
  if (bound->low && !tcc_expr_is_const(bound->low, &end)) return false;
  if (bound->low) *low = end - offset;
  if (bound->high && !tcc_expr_is_const(bound->high, &end)) return false;
  if (bound->high) *high = end - offset;
  return true;
}

static bool add_box(Boxes *all, const Box *box, const TccPullNode *node);

/* The part of a box within [low, high) of a dim, cut off it; what is left of it before and behind goes to `outside`. False: too many. */
static bool cut(Boxes *all, Box *box, int dim, int64_t low, int64_t high, const TccPullNode *outside) {
  Box part = *box;
  if (low > box->low[dim]) {
    part.high[dim] = low < box->high[dim] ? low : box->high[dim];
    if (!add_box(all, &part, outside)) return false;
    box->low[dim] = part.high[dim];
  }
  part = *box;
  if (high < box->high[dim]) {
    part.low[dim] = high > box->low[dim] ? high : box->low[dim];
    if (!add_box(all, &part, outside)) return false;
    box->high[dim] = part.low[dim];
  }
  return true;
}

/* The boxes of a node's value within a box. */
static bool add_box(Boxes *all, const Box *box, const TccPullNode *node) {
  int64_t offset, step[TCC_PULL_DIMS];
  const int last = all->p->ndims - 1;
  for (int d = 0; d <= last; d++)
    if (box->low[d] >= box->high[d]) return true;
  if (node && node->kind == TCC_PULL_GUARD) {
    Box inside = *box;
    for (int b = 0; b < node->nbounds; b++) {
      int dim;
      int64_t low, high;
      if (!read_bound(all->p, &node->bound[b], &dim, &low, &high) || !cut(all, &inside, dim, low, high, node->child[1]))
        return false;
      if (inside.low[dim] >= inside.high[dim]) return true;
    }
    return add_box(all, &inside, node->child[0]);
  }
  if (all->count == MOST_BOXES) return false;
  if (!tcc_pull_is_zero(node) && (node->kind != TCC_PULL_LOAD || node->argument < 0 || node->elem != all->elem ||
                                  !tcc_pull_known_index(all->p, &node->index, &offset, step) || step[last] != 1))
    return false;
  all->box[all->count] = *box;
  all->box[all->count++].source = tcc_pull_is_zero(node) ? NULL : node;
  return true;
}

/* ---- the table ---- */
static bool same_rows(const TccPull *p, const Box *a, const Box *b) {
  size_t bytes = (size_t)(p->ndims - 1) * sizeof *a->low;
  return !memcmp(a->low, b->low, bytes) && !memcmp(a->high, b->high, bytes);
}

/* The dims of a group that have more than one place, the last of them last. False: there are more than OUTER. */
static bool choose_dims(const TccPull *p, const Box *box, int *dims) {
  int n = 0;
  for (int d = 0; d < OUTER; d++) dims[d] = -1;
  for (int d = p->ndims - 1; d-- > 0;) {
    if (box->high[d] - box->low[d] == 1) continue;
    if (n == OUTER) return false;
    dims[OUTER - ++n] = d;
  }
  return true;
}

static int64_t size_of(const Box *box, int dim) { return dim < 0 ? 1 : box->high[dim] - box->low[dim]; }
static int64_t step_of(const int64_t *step, int dim) { return dim < 0 ? 0 : step[dim]; }

static int64_t place_of(const TccPull *p, const Box *box, int64_t offset, const int64_t *step) {
  for (int d = 0; d < p->ndims; d++) offset += box->low[d] * step[d];
  return offset;
}

/* start: the place of a group's first row in the result. */
static void write_member(const TccPull *p, const Box *box, const int *dims, int64_t start, TccArena *arena, TccMapBoxes *out) {
  const int last = p->ndims - 1;
  int64_t offset = 0, step[TCC_PULL_DIMS] = {0}, word[MEMBER_WORDS], places = size_of(box, last);
  if (box->source) tcc_pull_known_index(p, &box->source->index, &offset, step);
  word[FROM_ARGUMENT] = box->source ? box->source->argument : 0;
  word[FROM] = place_of(p, box, offset, step);
  for (int d = 0; d < OUTER; d++) word[FROM0 + d] = step_of(step, dims[d]);
  word[TO] = start + box->low[last], word[READ_LANES] = box->source ? places : 0, word[LANES] = places;
  for (int w = 0; w < MEMBER_WORDS; w++) TCC_VEC_PUSH(arena, &out->table, word[w]);
}

/* The group of a box and of those behind it that have its rows; marks them. to: the result's steps. */
static bool write_group(const Boxes *all, size_t first, bool *written, const int64_t *to, int lanes, TccArena *arena,
                        TccMapBoxes *out) {
  const TccPull *p = all->p;
  const Box *box = &all->box[first];
  int dims[OUTER];
  int64_t head[GROUP_WORDS], rows = 1, start = 0;
  if (!choose_dims(p, box, dims)) return false;
  for (int i = 0; i < OUTER; i++) rows *= size_of(box, dims[i]), head[TO0 + i] = step_of(to, dims[i]);
  for (int d = 0; d < p->ndims - 1; d++) start += box->low[d] * to[d];
  head[ROWS_OF_TILE] = tcc_ceil_div(rows, tcc_ceil_div(rows, TILE_ELEMENTS / lanes)); /* about as many in each */
  head[FIRST_TILE] = out->tiles, head[TILES] = tcc_ceil_div(rows, head[ROWS_OF_TILE]), head[ROWS] = rows;
  head[SIZE1] = size_of(box, dims[1]), head[SIZE2] = size_of(box, dims[2]), head[MEMBERS] = 0;
  for (size_t i = first; i < all->count; i++) head[MEMBERS] += !written[i] && same_rows(p, box, &all->box[i]);
  out->tiles += head[TILES];
  for (int i = 0; i < GROUP_WORDS; i++) TCC_VEC_PUSH(arena, &out->table, head[i]);
  for (size_t i = first; i < all->count; i++) {
    if (written[i] || !same_rows(p, box, &all->box[i])) continue;
    written[i] = true;
    write_member(p, &all->box[i], dims, start, arena, out);
  }
  return true;
}

bool tcc_map_boxes_read(TccArena *arena, const TccMapNest *nest, int lanes, TccMapBoxes *out) {
  const TccPull *p = &nest->pull;
  const TccMapResult *r = nest->results;
  const int last = p->ndims - 1;
  *out = (TccMapBoxes){0};
  if (nest->count != 1 || last < 1 || r->root->kind != TCC_PULL_GUARD || tcc_elem_bits(r->elem) != 32) return false;
  int64_t to[TCC_PULL_DIMS], offset, groups = 0;
  Box all = {0};
  for (int d = 0; d <= last; d++)
    if (!tcc_expr_is_const(p->dim[d], &all.high[d]) || all.high[d] < 1) return false;
  if (all.high[last] != lanes || !tcc_pull_known_index(p, &r->store, &offset, to) || offset || to[last] != 1) return false;
  Boxes *boxes = TCC_NEW(arena, Boxes);
  *boxes = (Boxes){.p = p, .elem = r->elem};
  if (!add_box(boxes, &all, r->root)) return false;
  bool written[MOST_BOXES] = {false};
  TCC_VEC_PUSH(arena, &out->table, groups);
  TCC_VEC_PUSH(arena, &out->table, r->argument);
  for (size_t i = 0; i < boxes->count; i++) {
    if (written[i]) continue;
    if (!write_group(boxes, i, written, to, lanes, arena, out)) return false;
    groups++;
  }
  out->table.data[0] = groups;
  return true;
}

/* ---- the routine ---- */
enum { ARGUMENTS, TABLE, BEGIN, END, PARAMETERS };
static const char *const parameter_types[PARAMETERS] = {TCC_PTR, TCC_PTR, "i64", "i64"};

static TccVal word_at(TccEmit *e, TccVal table, int64_t which) {
  return tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", table, which));
}

/* base + the places i of three dims, steps from `which` on. */
static TccVal moved(TccEmit *e, TccVal base, TccVal table, int which, const TccVal *i) {
  for (int d = 0; d < OUTER; d++) base = tcc_emit_add(e, base, tcc_emit_mul(e, i[d], word_at(e, table, which + d)));
  return base;
}

static TccVal argument_at(TccEmit *e, TccVal arguments, TccVal which) {
  return tcc_emit_load(e, TCC_PTR, tcc_emit_gep(e, TCC_PTR, arguments, which));
}

/* `count` rows of a member from the places i on. */
static void copy_member(TccEmit *e, const char *type, TccVal arguments, TccVal member, TccVal group, TccVal result, TccVal to,
                        const TccVal *i, TccVal count) {
  const int lanes = tcc_emit_lanes(type);
  TccVal from = tcc_emit_gep(e, "i32", argument_at(e, arguments, word_at(e, member, FROM_ARGUMENT)),
                             moved(e, word_at(e, member, FROM), member, FROM0, i));
  TccVal begin = tcc_emit_gep(e, "i32", result, tcc_emit_add(e, to, word_at(e, member, TO)));
  TccVal read = tcc_emit_mask(e, word_at(e, member, READ_LANES), lanes), write = tcc_emit_mask(e, word_at(e, member, LANES), lanes);
  TccVal from_step = word_at(e, member, FROM2), to_step = word_at(e, group, TO2), carried[] = {from, begin};
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), count, 1, 2, carried, (const char *const[]){TCC_PTR, TCC_PTR});
  tcc_emit_prefetch(e, tcc_emit_at(e, "i8", row.in[0], AHEAD), false, 3);
  tcc_emit_prefetch(e, tcc_emit_at(e, "i8", row.in[1], AHEAD), true, 3);
  tcc_emit_masked_store(e, type, tcc_emit_masked_load(e, type, row.in[0], read), row.in[1], write);
  tcc_emit_end_for(e, &row,
                   (const TccVal[]){tcc_emit_gep(e, "i32", row.in[0], from_step), tcc_emit_gep(e, "i32", row.in[1], to_step)});
}

/* Rows [from, to) of a group, as far as they go along its last dim at a time. */
static void copy_rows(TccEmit *e, const char *type, TccVal arguments, TccVal group, TccVal result, TccVal from, TccVal to) {
  TccVal size1 = word_at(e, group, SIZE1), size2 = word_at(e, group, SIZE2), members = word_at(e, group, MEMBERS);
  TccLoop rows, member;
  tcc_emit_for(e, &rows, from, to, 1, 0, NULL, NULL);
  TccVal outer = tcc_emit_div(e, rows.iv, size2), i[OUTER];
  i[2] = tcc_emit_rem(e, rows.iv, size2), i[1] = tcc_emit_rem(e, outer, size1), i[0] = tcc_emit_div(e, outer, size1);
  TccVal count = tcc_emit_min(e, tcc_emit_sub(e, size2, i[2]), tcc_emit_sub(e, to, rows.iv));
  TccVal place = moved(e, tcc_emit_i64(e, 0), group, TO0, i), first = tcc_emit_at(e, "i64", group, GROUP_WORDS);
  tcc_emit_for(e, &member, tcc_emit_i64(e, 0), members, 1, 1, &first, (const char *const[]){TCC_PTR});
  copy_member(e, type, arguments, member.in[0], group, result, place, i, count);
  tcc_emit_end_for(e, &member, (const TccVal[]){tcc_emit_at(e, "i64", member.in[0], MEMBER_WORDS)});
  rows.step = count;
  tcc_emit_end_for(e, &rows, NULL);
}

void tcc_map_boxes_routine(TccEmit *e, TccIr *ir, int lanes) {
  const char key[] = {'b', (char)lanes};
  if (tcc_emit_routine_again(e, ir->routines, (TccStr){key, sizeof key}, "boxes")) return;
  TccVal arg[PARAMETERS], zero;
  tcc_emit_function(e, "boxes", true, PARAMETERS, parameter_types, NULL, arg);
  zero = tcc_emit_i64(e, 0);
  TccVal result = argument_at(e, arg[ARGUMENTS], word_at(e, arg[TABLE], 1)), first = tcc_emit_at(e, "i64", arg[TABLE], 2);
  TccLoop group, tile;
  tcc_emit_for(e, &group, zero, word_at(e, arg[TABLE], 0), 1, 1, &first, (const char *const[]){TCC_PTR});
  TccVal at = group.in[0], before = word_at(e, at, FIRST_TILE), per = word_at(e, at, ROWS_OF_TILE);
  TccVal begin = tcc_emit_max(e, tcc_emit_sub(e, arg[BEGIN], before), zero),
         end = tcc_emit_min(e, tcc_emit_sub(e, arg[END], before), word_at(e, at, TILES));
  tcc_emit_for(e, &tile, begin, end, 1, 0, NULL, NULL);
  TccVal from = tcc_emit_mul(e, tile.iv, per);
  copy_rows(e, tcc_emit_vector(e, "i32", lanes), arg[ARGUMENTS], at, result, from,
            tcc_emit_min(e, tcc_emit_add(e, from, per), word_at(e, at, ROWS)));
  tcc_emit_end_for(e, &tile, NULL);
  TccVal words =
      tcc_emit_add(e, tcc_emit_mul(e, word_at(e, at, MEMBERS), tcc_emit_i64(e, MEMBER_WORDS)), tcc_emit_i64(e, GROUP_WORDS));
  tcc_emit_end_for(e, &group, (const TccVal[]){tcc_emit_gep(e, "i64", at, words)});
  tcc_emit_return(e, 0, NULL);
  tcc_emit_routine_keep(e, ir->routines, (TccStr){key, sizeof key}, "boxes");
}

void tcc_map_boxes_call(TccKernelEmit *k, const TccKernelEntry *entry, const TccMapBoxes *boxes) {
  TccVal table = tcc_emit_data(k->e, boxes->table.data, boxes->table.count * sizeof *boxes->table.data);
  const TccVal args[PARAMETERS] = {k->arguments, table, entry->begin, entry->end};
  tcc_emit_call(k->e, "boxes", PARAMETERS, args, parameter_types, NULL);
}
