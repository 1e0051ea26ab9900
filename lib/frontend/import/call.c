/* call.c - what a handler asks of its node: inputs and outputs; why it cannot be imported. */
#include "lib/frontend/import/importer.h"

TccArena *import_arena(ImportCall *c) { return c->importer->arena; }
size_t import_refusals(const ImportCall *c) { return c->importer->refusals; }
size_t import_problems(const ImportCall *c) { return c->importer->problems.count; }
bool import_restarts(const ImportCall *c) { return c->importer->restart; }

/* ---- failing ---- */
static bool fail(ImportCall *c, bool is_unsupported, const char *format, va_list args) {
  if (c->reason) return false; /* the first reason counts */
  TccText text = {0};
  tcc_text_vprintf(&text, format, args);
  c->reason = tcc_arena_copy(c->importer->arena, text.data, text.length);
  c->is_unsupported = is_unsupported;
  tcc_text_destroy(&text);
  return false;
}

bool import_unsupported(ImportCall *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(c, true, format, args);
  va_end(args);
  return false;
}

bool import_invalid(ImportCall *c, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fail(c, false, format, args);
  va_end(args);
  return false;
}

bool import_fail_status(ImportCall *c, TccStatus *status) {
  if (!status) return true;
  if (tcc_status_code(status) == TCC_UNSUPPORTED) import_unsupported(c, "%s", tcc_status_message(status));
  else import_invalid(c, "%s", tcc_status_message(status));
  tcc_status_destroy(status);
  return false;
}

/* ---- inputs and outputs ---- */
bool import_has_input(const ImportCall *c, size_t index) { return index < c->ninputs && c->inputs[index].kind != IMPORT_ABSENT; }
bool import_has_output(const ImportCall *c, size_t index) { return index < c->noutputs && c->output_names[index].length > 0; }

MlirValue import_input(ImportCall *c, size_t index) {
  if (!import_has_input(c, index)) return (MlirValue){NULL};
  if (c->inputs[index].kind == IMPORT_TENSOR) return c->inputs[index].tensor;
  import_unsupported(c,
                     c->inputs[index].kind == IMPORT_TEXT  ? "input %zu holds strings"
                     : c->inputs[index].kind == IMPORT_MAP ? "input %zu is a map"
                                                           : "input %zu is a sequence",
                     index);
  return (MlirValue){NULL};
}

bool import_need(ImportCall *c, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!import_has_input(c, i)) return import_invalid(c, "input %zu is missing", i);
    if (!import_input(c, i).ptr) return false;
  }
  for (size_t i = count; i < c->ninputs; i++)
    if (import_has_input(c, i) && !import_input(c, i).ptr) return false;
  return c->noutputs > 0 || import_invalid(c, "has no output");
}

bool import_output(ImportCall *c, size_t index, MlirValue value) {
  if (!value.ptr) return false;
  if (index < c->noutputs) c->outputs[index] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = value};
  return true;
}

bool import_absent_output(ImportCall *c, size_t index) {
  c->outputs[index] = (ImportValue){.kind = IMPORT_ABSENT, .is_meant = true};
  return true;
}
