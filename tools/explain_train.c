/* explain_train.c - of a step of training: what the backward keeps of the forward and why, and memory against what is computed again.
 *
 * Costs are bytes of memory traffic, as passes/grad/recompute.c compares them. */
#include "explain.h"
#include "tools/common.h"
#include "tools/json_text.h"
#include <stdio.h>
#include <string.h>

static const char *why(const TccSavedTensor *t) {
  if (t->again >= 0) return "making it again would cost as much or more";
  return strncmp(t->op, "argument", strlen("argument")) == 0 ? "its maker is outside of what repeats"
                                                             : "its maker runs once, or what that reads does";
}

static double mb(int64_t bytes) { return (double)bytes / 1e6; }

static void print_saved(const TccSavedTensor *t) {
  printf("  %s: %s", t->function, t->op);
  if (*t->node) printf(" of %s", t->node);
  printf(": %s, %lld bytes", t->type, (long long)t->bytes);
  if (t->times > 1) printf(", %lld times", (long long)t->times);
  printf("\n      kept: %s", why(t));
  if (t->again >= 0) printf(" (%lld, keeping it %lld)", (long long)t->again, (long long)t->keep);
  printf("\n");
}

static bool same_choice(const TccMemoryChoice *a, const TccMemoryChoice *b) {
  return a->planned == b->planned && a->kept == b->kept && a->again == b->again;
}

static void print(const TccTrainExplanation *e) {
  printf("saved for the backward, and why, with costs in bytes of memory traffic:\n");
  for (size_t i = 0; i < e->nsaved; i++) print_saved(&e->saved[i]);
  printf("memory of a step against what is computed again, for each price of a byte that is kept:\n");
  printf("  price    planned MB    saved MB    computed again, MB of traffic\n");
  for (size_t i = 0; i < e->nchoices; i++) {
    const TccMemoryChoice *c = &e->choices[i];
    if (i && i != e->chosen && same_choice(c, c - 1)) continue;
    printf("%7lld  %12.3f  %10.3f  %31.3f%s%s\n", (long long)c->price, mb((int64_t)c->planned), mb(c->kept), mb(c->again),
           c->row_blocks ? "  rows in blocks" : "", i == e->chosen ? "  <- chosen" : "");
  }
  if (e->chosen == e->nchoices) printf("none is within --memory\n");
}

static TccStatus *print_json(const TccTrainExplanation *e) {
  json_t *saved = json_array(), *choices = json_array();
  for (size_t i = 0; i < e->nsaved; i++) {
    const TccSavedTensor *t = &e->saved[i];
    json_array_append_new(saved, json_pack("{s:s,s:o,s:s,s:o,s:I,s:I,s:I,s:I,s:s}", "function", t->function, "node",
                                           tcc_json_text(t->node), "op", t->op, "type", tcc_json_text(t->type), "times",
                                           (json_int_t)t->times, "bytes", (json_int_t)t->bytes, "keep", (json_int_t)t->keep,
                                           "again", (json_int_t)t->again, "why", why(t)));
  }
  for (size_t i = 0; i < e->nchoices; i++) {
    const TccMemoryChoice *c = &e->choices[i];
    json_array_append_new(choices, json_pack("{s:I,s:b,s:I,s:I,s:I,s:b}", "price", (json_int_t)c->price, "row_blocks",
                                             (int)c->row_blocks, "planned", (json_int_t)c->planned, "saved", (json_int_t)c->kept,
                                             "again", (json_int_t)c->again, "chosen", (int)(i == e->chosen)));
  }
  return explain_print_json(json_pack("{s:o,s:o}", "saved", saved, "choices", choices));
}

TccStatus *explain_train(const char *model, const TccTrainOptions *options, ExplainForm form) {
  TccTrainExplanation e;
  TccStatus *status = tcc_train_explain(model, options, &e);
  tcc_progress(NULL, NULL);
  if (status) return status;
  if (form == EXPLAIN_JSON) status = print_json(&e);
  else print(&e);
  tcc_train_explanation_destroy(&e);
  return status;
}
