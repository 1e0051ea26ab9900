/* report.c - what an import has against a model, told at its end.
 *
 * Nodes that fail are collected with their reasons; what depends on them is passed over. The report has one diagnostic for each op and
 * reason that is not supported, all of them, else the first error. What stands outside of nodes (inputs, outputs, the file) fails the
 * run itself, with its first reason. */
#include "lib/frontend/import/importer.h"

MlirLogicalResult import_run_catch(MlirDiagnostic diagnostic, void *user) {
  Importer *run = user;
  const char **reason = run->call ? &run->call->reason : &run->reason;
  if (mlirDiagnosticGetSeverity(diagnostic) != MlirDiagnosticError) return mlirLogicalResultFailure();
  if (*reason) return mlirLogicalResultSuccess();
  TccText text = {0};
  mlirDiagnosticPrint(diagnostic, tcc_append, &text);
  *reason = tcc_arena_copy(run->arena, text.data, text.length);
  tcc_text_destroy(&text);
  return mlirLogicalResultSuccess();
}

bool import_run_fail(Importer *run, bool is_unsupported, const char *format, ...) {
  va_list args;
  va_start(args, format);
  TccText text = {0};
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  if (!run->reason) run->reason = tcc_arena_copy(run->arena, text.data, text.length), run->is_unsupported = is_unsupported;
  tcc_text_destroy(&text);
  return false;
}

bool import_run_fail_status(Importer *run, TccStatus *status) {
  if (!status) return true;
  import_run_fail(run, tcc_status_code(status) == TCC_UNSUPPORTED, "%s", tcc_status_message(status));
  tcc_status_destroy(status);
  return false;
}

void import_problem(ImportCall *c) {
  Importer *run = c->importer;
  if (!c->reason || !c->reason[0]) return;
  ImportProblem problem = {.reason = c->reason, .location = c->b.location, .is_unsupported = c->is_unsupported};
  problem.op = c->domain.length ? tcc_arena_printf(run->arena, "%.*s.%.*s", TCC_STR_ARG(c->domain), TCC_STR_ARG(c->op))
                                : tcc_arena_copy(run->arena, c->op.data, c->op.length);
  problem.node = tcc_arena_printf(run->arena, "%s%.*s", c->scope->prefix, TCC_STR_ARG(c->name));
  TCC_VEC_PUSH(run->arena, &run->problems, problem);
}

/* One diagnostic for each op and reason, at the first such node, with the names of all. */
static void report_group(Importer *run, size_t first, bool *done) {
  enum { MOST_NAMES = 20 };
  const ImportProblem *p = &run->problems.data[first];
  TccText text = {0};
  size_t count = 0;
  for (size_t i = first; i < run->problems.count; i++) {
    const ImportProblem *other = &run->problems.data[i];
    if (done[i] || !other->is_unsupported || strcmp(p->op, other->op) || strcmp(p->reason, other->reason)) continue;
    done[i] = true;
    if (count++ < MOST_NAMES) tcc_text_printf(&text, "%s\"%s\"", count == 1 ? "" : ", ", other->node);
  }
  if (count > MOST_NAMES) tcc_text_printf(&text, ", ...");
  if (count == 1) tcc_error_at(p->location, "unsupported: '%s': %s", p->op, p->reason);
  else tcc_error_at(p->location, "unsupported: '%s': %s (%zu nodes: %s)", p->op, p->reason, count, text.data);
  tcc_text_destroy(&text);
}

TccImportOutcome import_run_report(Importer *run) {
  if (run->reason) {
    tcc_error_at(import_location(run, tcc_str("")), "%s%s", run->is_unsupported ? "unsupported: " : "", run->reason);
    if (!run->is_unsupported || !run->problems.count) return run->is_unsupported ? TCC_IMPORT_UNSUPPORTED : TCC_IMPORT_INVALID;
  }
  bool *done = TCC_NEW_ARRAY(run->arena, bool, run->problems.count + 1);
  const ImportProblem *invalid = NULL;
  for (size_t i = 0; i < run->problems.count; i++) {
    const ImportProblem *p = &run->problems.data[i];
    if (!p->is_unsupported && !invalid) invalid = p;
    if (p->is_unsupported && !done[i]) report_group(run, i, done);
  }
  if (!invalid) return TCC_IMPORT_UNSUPPORTED;
  tcc_error_at(invalid->location, "'%s': %s", invalid->op, invalid->reason);
  return TCC_IMPORT_INVALID;
}
