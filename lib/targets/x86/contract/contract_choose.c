/* contract_choose.c - what is chosen for a contraction beyond tiles and blocks (contract_plan.c): where rows are read, which panels are packed together,
 * where sums go, what is prefetched. Later choices read earlier ones: the order is that of tcc_contract_choose_blocks. */
#include "lib/targets/x86/contract/contract_internal.h"
#include "lib/targets/x86/contract/contract_schedule.h"

enum { A = TCC_CONTRACT_A, B = TCC_CONTRACT_B, R = TCC_CONTRACT_R };
typedef TccContract Contract;

static int64_t panel_width(const Contract *c) { return (int64_t)c->plan.vectors * c->type.lanes; }

/* ---- sizes ---- */

bool tcc_contract_packs_along(const TccContraction *read) {
  int64_t step;
  return read->has_b && !read->packed_nr && read->n.n == 1 && tcc_expr_is_const(read->n.stride[0][B], &step) && step == 1;
}

TccContractSizes tcc_contract_sizes(const TccContraction *read) {
  TccContractSizes s = {-1, -1, -1, -1, read->packed_nr, tcc_contract_packs_along(read)};
  tcc_expr_is_const(read->batch.count, &s.batch), tcc_expr_is_const(read->m.count, &s.m);
  tcc_expr_is_const(read->n.count, &s.n), tcc_expr_is_const(read->k.count, &s.k);
  return s;
}

bool tcc_contract_is_narrow(const Contract *c) { return c->read->packed_nr && tcc_packs_narrow(&c->type); }

/* ---- rows, panels, sums ---- */

/* Some rows outweigh that all of a right operand is packed before they meet it, several panels of neighbouring columns at once: whoever
 * prefetches a panel by itself touches as many pages as it has rows, and more of them than there are entries for. Many rows do even where the panels
 * leave the second cache (1024x1024x1024 1.2 times as fast, 512x3072x768 1.08; 12 of 512x512x64 0.98, so few pages keep the prefetch); fewer ones
 * where they stay there (a Cascade Lake, whose second cache 128x3072x768 leaves: 0.93; an Emerald Rapids, one thread: 96x3072x768 1.3, 128x3072x768
 * 1.15 to 1.2, 256x3072x768 and 256x768x3072 1.2, as AVX2 1.1 to 1.18; 64x768x3072 0.9). */
static void plan_together(Contract *c, const TccMachine *machine) {
  enum { MANY_ROWS = 384, SOME_ROWS = 96, TOGETHER = 8 /* panels */, BLOCK_ROWS = 96, DEEP = 256 /* steps of k */ };
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, n = c->sizes.n;
  int64_t step, nr = panel_width(c), bytes = c->type.packed_bytes, l2 = machine->l2_bytes ? machine->l2_bytes : 1 << 20,
                panels = (n + nr - 1) / nr;
  bool plain = !c->read->packed_nr && !c->operand && c->type.engine != TCC_MICRO_TILES && c->read->n.n == 1;
  int64_t together = panels < TOGETHER ? panels : TOGETHER;
  bool stay = together * nr * p->kc * bytes <= l2 / 4 * 3;
  if (!plain || m < (stay ? SOME_ROWS : MANY_ROWS) || c->sizes.k < DEEP || panels < 2 ||
      !tcc_expr_is_const(c->read->n.stride[0][B], &step) || step != 1)
    return;
  c->plan.together = together;
  int64_t rows = (l2 * 7 / 10 / bytes - 2 * nr * p->kc) / p->kc;
  if (rows > BLOCK_ROWS) rows = BLOCK_ROWS;
  c->plan.block_rows = rows < p->rows ? p->rows : rows / p->rows * p->rows;
  int64_t met = c->plan.block_rows / p->rows;
  p->prefetch = (nr * c->type.k_group * bytes * tcc_micro_unroll(&c->type) / 64 + met - 1) / met;
}

/* Where a product has no epilogue, a register tile stores its sums into the result itself: with 32 steps of depth, the way through the scratch
 * took a sixth of 8x256x32x256. A number of elements between its rows that is not known is told to each tile. */
static void plan_stores(Contract *c) {
  enum { MOST_BYTES = 16384 /* between two rows: the scratch has as many */ };
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, n = c->sizes.n;
  const TccEpilogue *ep = &c->read->epilogue;
  TccElem elem = c->type.acc_elem;
  int64_t nr = panel_width(c), row, step;
  bool plain = ep->nleaves == 0 && ep->bias < 0 && mlirValueEqual(ep->root, ep->anchor) && ep->result.elem == elem &&
               tcc_value_elem(ep->anchor) == elem;
  if (!plain || !p->one_block || c->type.engine == TCC_MICRO_TILES || (n >= 0 && n < nr) || c->read->m.n != 1 || c->read->n.n != 1)
    return;
  if (!tcc_expr_is_const(c->read->n.stride[0][R], &step) || step != 1) return;
  if (!tcc_expr_is_const(c->read->m.stride[0][R], &row)) {
    if (p->prefetch_all) return;
    c->stores = TCC_CONTRACT_STORES_WHOLE, c->apart = c->read->m.stride[0][R];
    return;
  }
  if (row < nr || row * c->type.acc_bytes > MOST_BYTES) return;
  c->stores = m > 0 && m % p->rows == 0 && n > 0 && n % nr == 0 ? TCC_CONTRACT_STORES_ALL : TCC_CONTRACT_STORES_WHOLE;
  p->ldc = row;
}

/* A panel that is dear meets all rows, or many of them, before the next is made. Its sums stay near, since only one is at work; rows
 * that must be copied would be for each panel, so they meet a group of them. */
static void plan_dear(Contract *c) {
  enum { DEAR_ROWS = 512, DEAR_DEPTH = 512 };
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, depth = c->sizes.k;
  int64_t unit = tcc_contract_depth_unit(&c->type), rows = m < 0 || m > DEAR_ROWS ? DEAR_ROWS : m < 1 ? 1 : m;
  p->kc = tcc_round_up(depth < DEAR_DEPTH ? depth : DEAR_DEPTH, unit);
  p->mb = tcc_round_up(rows, p->rows);
  tcc_contract_place_rows(c);
  if (p->in_place) p->nb = panel_width(c);
  tcc_contract_finish(&c->type, &c->sizes, p);
}

TccStatus *tcc_contract_choose_tile(Contract *c, const TccMachine *machine) {
  tcc_contract_plan(machine, &c->type, &c->sizes, &c->plan);
  return tcc_contract_apply_schedule(c->read->kernel, &c->type, &c->sizes, &c->plan);
}

void tcc_contract_choose_blocks(Contract *c, const TccMachine *machine) {
  if (c->operand && c->operand->dear) plan_dear(c);
  if (c->operand) c->plan.tail_vectors = 0; /* its packer makes whole panels */
  tcc_contract_place_rows(c);
  if (!c->operand) {
    tcc_contract_fit_runs(c);
    tcc_contract_share_rows(c, machine);
    tcc_contract_plan_depths(c, machine);
  }
  tcc_contract_place_columns(c);
  plan_together(c, machine);
  tcc_contract_plan_kept(c);
  c->direct = tcc_contract_takes_direct(c);
  c->straight = c->operand ? NULL : tcc_contract_straight(c);
  plan_stores(c);
  if (tcc_contract_is_narrow(c))
    c->plan.prefetch = (c->plan.prefetch + 1) / 2, c->plan.prefetch_all = (c->plan.prefetch_all + 1) / 2;
}

/* ---- what is prefetched ---- */

/* The same where columns are runs along k, as in the weights [n, k] of a layer. All of k: the panel is one run. Else each row tile
 * prefetches its share of every column's piece. */
static void prefetch_columns(Contract *c, int64_t met, int64_t step, int64_t bytes, TccMicro *micro) {
  enum { MOST_LINES = 4 /* an iteration: more would wait for the ports of loads */ };
  TccContractPlan *p = &c->plan;
  int64_t lines = tcc_ceil_div(p->kc * bytes, 64 * met);
  if (!tcc_micro_packs_as_is(&c->type, c->read->b.elem)) return;
  c->plan.prefetch_run = p->one_block && step == c->sizes.k;
  if (c->plan.prefetch_run || c->type.k_group != 1 || lines > MOST_LINES || p->kc < panel_width(c)) return;
  c->plan.prefetch_stride = micro->prefetch_stride = step * bytes;
  c->plan.prefetch_each = 64 * lines;
  micro->prefetch_rate = panel_width(c) * 65536 / p->kc;
  micro->prefetch = lines;
}

/* How the panel that is packed next is prefetched: its rows are far apart, each row tile prefetches its share of them. */
static void plan_prefetch(Contract *c, TccMicro *micro) {
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m;
  int64_t stride, step, bytes = (int64_t)tcc_elem_bits(c->read->b.elem) / 8;
  if (c->read->packed_nr || c->plan.together || c->operand || c->type.engine == TCC_MICRO_TILES || c->read->k.n != 1 ||
      c->read->n.n != 1)
    return;
  if (!tcc_expr_is_const(c->read->k.stride[0][B], &stride) || !tcc_expr_is_const(c->read->n.stride[0][B], &step)) return;
  int64_t rows = m < 0 || m > p->mb ? p->mb
                 : m < 1            ? 1
                                    : m,
          met = (rows + p->rows - 1) / p->rows; /* no rows: a tensor without elements */
  if (stride == 1 && step > 1 && step <= 1 << 20) prefetch_columns(c, met, step, bytes, micro);
  if (step != 1 || stride <= 0 || stride > 1 << 20 || c->type.k_group != 1) return;
  c->plan.prefetch_stride = micro->prefetch_stride = stride * bytes;
  int64_t share = (p->kc + met - 1) / met;
  c->plan.prefetch_each = stride * bytes * share;
  micro->prefetch_rate = share * 65536 / p->kc;
  micro->prefetch = panel_width(c) * bytes / 64 + (stride * bytes % 64 != 0);
}

void tcc_contract_choose_micro(Contract *c, TccMicro *out) {
  const TccContractPlan *p = &c->plan;
  *out = (TccMicro){.type = c->type,
                    .rows = p->rows,
                    .vectors = p->vectors,
                    .lda = p->lda,
                    .ldc = c->apart ? 0 : p->ldc,
                    .prefetch = p->prefetch};
  if (p->k_major) out->lda = 1, out->k_stride = p->rows;
  if (p->prefetch_all)
    for (int i = 0; i < TCC_MICRO_FEW; i++) out->prefetch_few[i] = tcc_contract_prefetch(p, i + 1);
  plan_prefetch(c, out);
}

/* ---- the result, and the function around it all ---- */

/* The lines of a tile's result are asked for at once, and more of them than a core has buffers for wait for each other. A product that is done
 * before its result's lines can come is better without: its stores wait in the queue of stores, behind which the next tile begins. (1024 x K x 1024
 * with AVX-512, 12 cycles of product for each step of K and 24 lines a tile, without and with, ms: K = 64 0.92 and 1.02, 128 1.71 and 1.79, 256 3.34
 * and 3.42; 512x384x1536 3.71 and 3.62. Tile registers were as fast or faster with. An Emerald Rapids.) */
bool tcc_contract_prefetches_result(const Contract *c) {
  enum { CYCLES_OF_A_LINE = 160 };
  const TccContractPlan *p = &c->plan;
  const int64_t depth = c->sizes.k;
  double lines = (double)p->rows * (double)panel_width(c) * (double)c->type.acc_bytes / 64;
  return c->type.engine == TCC_MICRO_TILES || depth < 0 ||
         (double)depth * tcc_contract_k_group_cycles(&c->type, p->rows, p->vectors) / c->type.k_group >= CYCLES_OF_A_LINE * lines;
}

/* The loops around register tiles are compiled without optimisation, which took 5 ms each on a Zen 3: beside tiles of so many cycles they are nothing
 * (8 x 256 x 32 x 256, 64 x 49 x 32 x 49 and 3137 x 64 x 192 take as long either way; 197 x 16 x 64 is 1.02 times as fast with it). Beside tiles of less than
 * twice as many, few of them, or an unknown number in each of several products, they are still among functions with optimisation: they keep what they carry in
 * registers there (64 x 49 x 32 x 49 0.97 of the time, 50 x 64 x 10 0.93, 32 x 8 x 128 x 8 of unknown sizes 0.94). */
void tcc_contract_choose_entry(const Contract *c, bool *out_optnone, bool *out_near) {
  enum { FEW_CYCLES = 16384, LONG_CYCLES = 192 /* of a register tile */ };
  const int64_t batch = c->sizes.batch, m = c->sizes.m, n = c->sizes.n, depth = c->sizes.k;
  double cycles = (double)depth * tcc_contract_k_group_cycles(&c->type, c->plan.rows, c->plan.vectors) / c->type.k_group,
         all = cycles;
  all *= (double)batch * (double)tcc_ceil_div(m, c->plan.rows) * (double)tcc_ceil_div(n, panel_width(c));
  *out_optnone = depth < 0 || cycles >= LONG_CYCLES;
  *out_near = depth < 0 || cycles < 2 * LONG_CYCLES || (m < 0 || n < 0 || batch < 0 ? batch != 1 : all < FEW_CYCLES);
}
