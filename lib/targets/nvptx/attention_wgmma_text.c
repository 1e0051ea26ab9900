/* attention_wgmma_text.c - the products of a step of attention as texts of assembler (attention_wgmma.h).
 *
 * A step's scores and the results of the step before go to the tensor cores together; while the weights of these scores are computed, the results are still
 * under way. Their registers are operands of the text that begins them and of the one that waits, and of nothing in between. So are the words of the
 * weights, which the instruction reads while it runs. ptxas moves a wait for products up as far as it can; the loop in which this step's values are
 * waited for keeps it behind the exponentials. */
#include "lib/targets/nvptx/attention_wgmma.h"
#include <stdio.h>

enum { MOST_OPERANDS = 200, STEP = 16 /* of the depth of one instruction */, BOX_STEPS = NVPTX_BOX_COLUMNS / STEP };

typedef struct {
  TccText text, constraints;
  TccVal args[MOST_OPERANDS];
  const char *types[MOST_OPERANDS];
  int nresults, nargs;
} Text;

static void put_results(Text *w, int n) {
  for (int i = 0; i < n; i++) tcc_text_printf(&w->constraints, "=&f,");
  w->nresults += n;
}

/* Its number in the text. */
static int put(Text *w, TccVal v, const char *type, const char *constraint) {
  tcc_text_printf(&w->constraints, "%s,", constraint);
  w->args[w->nargs] = v, w->types[w->nargs] = type;
  return w->nresults + w->nargs++;
}

static int put_words(Text *w, const AttShape *s, const TccVal *words) {
  int first = w->nresults + w->nargs;
  for (int i = 0; i < att_words(s); i++) put(w, words[i], "i32", "r");
  return first;
}

/* Operands that are results as well, from the first-th result on. */
static void put_sums(Text *w, const AttShape *s, const TccVal *sums, int first) {
  char number[16];
  for (int i = 0; i < att_results(s); i++) {
    snprintf(number, sizeof number, "%d", first + i);
    put(w, sums[i], "f32", number);
  }
}

/* Writes it; out: the results from the first-th on. */
static TccVal finish(NvptxKernel *n, Text *w, const char **out_type) {
  TccArena *arena = n->k.ir->arena;
  tcc_text_printf(&w->constraints, "~{memory}");
  const char *type = *out_type = nvptx_sums_type(arena, "f32", w->nresults), *text = nvptx_text_keep(arena, &w->text);
  return tcc_emit_inline_asm(&n->e, text, nvptx_text_keep(arena, &w->constraints), type, w->nargs, w->args, w->types);
}

static void put_wait(Text *w, const char *label, int barrier, int parity) {
  tcc_text_printf(&w->text, "%s: mbarrier.try_wait.parity.shared::cta.b64 %%att_p, [$%d], $%d; @!%%att_p bra %s; ", label, barrier,
                  parity, label);
}

/* What step `step` of the depth adds to the descriptor of `rows` rows, which lie as boxes of 64 of the depth. */
static int along_depth(int step, int rows) {
  return step / BOX_STEPS * (rows * NVPTX_BOX_COLUMNS * 2 / 16) + step % BOX_STEPS * nvptx_matrix(true, 0).step;
}

static void put_scores(Text *w, const AttShape *s, int queries, int keys) {
  for (int step = 0; step < s->depth / STEP; step++) {
    char operands[48];
    tcc_text_printf(&w->text, "add.s64 %%att_a, $%d, %d; add.s64 %%att_b, $%d, %d; ", queries, along_depth(step, ATT_BLOCK_ROWS),
                    keys, along_depth(step, s->keys));
    snprintf(operands, sizeof operands, "%%att_a, %%att_b, %d, 1, 1, 0, 0", step > 0);
    nvptx_wgmma_put(&w->text, (const TccElem[]){s->elem, s->elem}, s->keys, 0, operands);
  }
  tcc_text_printf(&w->text, "wgmma.commit_group.sync.aligned; ");
}

static void put_values(Text *w, const AttShape *s, int first, int words, int values) {
  for (int step = 0; step < s->keys / STEP; step++) {
    char operands[80];
    int at = words + 4 * step;
    tcc_text_printf(&w->text, "add.s64 %%att_b, $%d, %d; ", values, step * nvptx_matrix(false, s->keys).step);
    snprintf(operands, sizeof operands, "{$%d, $%d, $%d, $%d}, %%att_b, 1, 1, 1, 1", at, at + 1, at + 2, at + 3);
    nvptx_wgmma_put(&w->text, (const TccElem[]){s->elem, s->elem}, s->columns, first, operands);
  }
  tcc_text_printf(&w->text, "wgmma.commit_group.sync.aligned; ");
}

static void put_tells(Text *w, int tells, int barrier) {
  tcc_text_printf(&w->text, "@$%d mbarrier.arrive.shared::cta.b64 _, [$%d]; ", tells, barrier);
}

#define BEGIN "{ .reg .pred %%att_p; .reg .b64 %%att_a, %%att_b; "

/* A warpgroup's turn begins: its keys are there, and the other one has left the tensor cores. */
static void begin_turn(Text *w, const AttTurn *turn) {
  int full = put(w, turn->keys.full, "i32", "r"), parity = put(w, turn->keys.parity, "i32", "r"),
      own = put(w, turn->own, "i32", "r");
  tcc_text_printf(&w->text, BEGIN);
  put_wait(w, "att_keys", full, parity);
  tcc_text_printf(&w->text, "bar.sync $%d, %d; wgmma.fence.sync.aligned; ", own, ATT_GROUP_THREADS);
}

/* And ends, when the scores are done, of which `pending` groups of products are not. */
static void end_turn(Text *w, const AttTurn *turn, int pending) {
  int other = put(w, turn->other, "i32", "r"), tells = put(w, turn->tells, "i1", "b"), empty = put(w, turn->keys.empty, "i32", "r");
  tcc_text_printf(&w->text, "bar.arrive $%d, %d; wgmma.wait_group.sync.aligned %d; ", other, ATT_GROUP_THREADS, pending);
  put_tells(w, tells, empty);
  tcc_text_printf(&w->text, "}");
}

void att_put_first(NvptxKernel *n, const AttShape *s, const AttTurn *turn, TccVal *scores) {
  Text w = {0};
  const char *type;
  put_results(&w, att_scores(s));
  int queries = put(&w, turn->queries, "i64", "l"), keys = put(&w, turn->keys.matrix, "i64", "l");
  begin_turn(&w, turn);
  put_scores(&w, s, queries, keys);
  end_turn(&w, turn, 0);
  TccVal all = finish(n, &w, &type);
  for (int i = 0; i < att_scores(s); i++) scores[i] = tcc_emit_extract_value(&n->e, type, all, i, "f32");
}

void att_put_turn(NvptxKernel *n, const AttShape *s, const AttTurn *turn, const TccVal *words, TccVal *scores, TccVal *sums) {
  Text w = {0};
  const char *type;
  put_results(&w, att_scores(s) + att_results(s));
  int queries = put(&w, turn->queries, "i64", "l"), keys = put(&w, turn->keys.matrix, "i64", "l"),
      values = put(&w, turn->before.matrix, "i64", "l"), first = put_words(&w, s, words);
  begin_turn(&w, turn);
  put_scores(&w, s, queries, keys);
  put_values(&w, s, att_scores(s), first, values);
  end_turn(&w, turn, 1);
  put_sums(&w, s, sums, att_scores(s));
  TccVal all = finish(n, &w, &type);
  for (int i = 0; i < att_scores(s); i++) scores[i] = tcc_emit_extract_value(&n->e, type, all, i, "f32");
  for (int i = 0; i < att_results(s); i++) sums[i] = tcc_emit_extract_value(&n->e, type, all, att_scores(s) + i, "f32");
}

void att_put_wait(NvptxKernel *n, const AttShape *s, const AttTurn *turn, const TccVal *words, TccVal *sums) {
  Text w = {0};
  const char *type;
  put_results(&w, att_results(s));
  int full = put(&w, turn->values.full, "i32", "r"), parity = put(&w, turn->values.parity, "i32", "r"),
      empty = put(&w, turn->before.empty, "i32", "r"), tells = put(&w, turn->tells, "i1", "b");
  put_words(&w, s, words);
  put_sums(&w, s, sums, 0);
  tcc_text_printf(&w.text, BEGIN);
  put_wait(&w, "att_values", full, parity);
  tcc_text_printf(&w.text, "wgmma.wait_group.sync.aligned 0; ");
  put_tells(&w, tells, empty);
  tcc_text_printf(&w.text, "}");
  TccVal all = finish(n, &w, &type);
  for (int i = 0; i < att_results(s); i++) sums[i] = tcc_emit_extract_value(&n->e, type, all, i, "f32");
}

void att_put_last(NvptxKernel *n, const AttShape *s, const AttTurn *turn, TccVal any, bool tells, const TccVal *words,
                  TccVal *sums) {
  Text w = {0};
  const char *type;
  put_results(&w, att_results(s));
  int values = put(&w, turn->before.matrix, "i64", "l"), here = put(&w, any, "i1", "b"), first = put_words(&w, s, words);
  int empty = tells ? put(&w, turn->before.empty, "i32", "r") : 0, lane = tells ? put(&w, turn->tells, "i1", "b") : 0;
  put_sums(&w, s, sums, 0);
  tcc_text_printf(&w.text, BEGIN "@!$%d bra.uni att_none; ", here);
  tcc_text_printf(&w.text, "wgmma.fence.sync.aligned; ");
  put_values(&w, s, 0, first, values);
  tcc_text_printf(&w.text, "wgmma.wait_group.sync.aligned 0; ");
  if (tells) put_tells(&w, lane, empty);
  tcc_text_printf(&w.text, "att_none: }");
  TccVal all = finish(n, &w, &type);
  for (int i = 0; i < att_results(s); i++) sums[i] = tcc_emit_extract_value(&n->e, type, all, i, "f32");
}

void att_put_barrier(NvptxKernel *n, bool waits, int number, TccVal here) {
  const char *text = tcc_arena_printf(n->k.ir->arena, "@$0 bar.%s %d, %d;", waits ? "sync" : "arrive", number, ATT_GROUP_THREADS);
  tcc_emit_inline_asm(&n->e, text, "b,~{memory}", NULL, 1, &here, (const char *const[]){"i1"});
}
