/* The room that front ends share, without one of those there are: a front end whose graph is the table below. */
#include "lib/frontend/import/importer.h"
#include "tcc/diagnostics.h"
#include "tcc/file.h"
#include "tcc/op_kinds.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  const char *op, *name, *inputs[2];
  int64_t offset, dims[2], strides[2]; /* of a weight */
} Node;
typedef struct {
  Importer run; /* first */
  const Node *nodes;
  size_t nnodes;
  const char *output;
  ImportScope *scope;
} Toy;

static TccIr *ir;
static TccText messages;
static int failures;

static void expect(bool ok, const char *what) {
  if (!ok) fprintf(stderr, "FAIL: %s\n", what), failures++;
}

static bool bind_inputs(Importer *run) {
  Toy *toy = (Toy *)run;
  toy->scope = TCC_NEW(run->arena, ImportScope);
  import_scope_init(run, toy->scope, NULL);
  const ImportShape shape = {TCC_ELEM_F32, 2, {import_parse_size(run, tcc_str("N")), NULL}};
  return import_argument(run, toy->scope, tcc_str("x"), &shape);
}

static bool handle(ImportCall *c, const Node *node) {
  if (strcmp(node->op, "weight") == 0) {
    TccSourcePlace place;
    const ImportTensor form = {.elem = TCC_ELEM_F32, .rank = 2, .dims = node->dims, .strides = node->strides};
    return import_fail_status(c, tcc_sources_place(c->importer->sources, 0, (uint64_t)node->offset, 60, &place)) &&
           import_output(c, 0, import_weight(c, &form, c->name, &place));
  }
  if (strcmp(node->op, "add") != 0) return import_unsupported(c, "no such operator");
  return import_need(c, 2) && import_output(c, 0, tcc_build2(&c->b, TCC_OP_ADD, import_input(c, 0), import_input(c, 1)));
}

static void walk_nodes(Importer *run) {
  Toy *toy = (Toy *)run;
  for (size_t i = 0; i < toy->nnodes; i++) {
    const Node *node = &toy->nodes[i];
    TccStr names[2] = {tcc_str(node->inputs[0] ? node->inputs[0] : ""), tcc_str(node->inputs[1] ? node->inputs[1] : "")};
    TccStr output = tcc_str(node->name);
    ImportCall c = {.importer = run, .scope = toy->scope, .op = tcc_str(node->op), .name = output, .noutputs = 1};
    c.output_names = &output;
    import_call_begin(&c, 2);
    bool ok = import_call_goes_on(&c) && import_call_resolve(&c, names) && handle(&c, node);
    import_call_end(&c, ok);
  }
}

static bool bind_outputs(Importer *run) {
  TccStr name = tcc_str(((Toy *)run)->output);
  return import_result(run, name, import_scope_find(((Toy *)run)->scope, name));
}

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *user) {
  tcc_diagnostic_text(diagnostic, user);
  return mlirLogicalResultSuccess();
}

/* The module as text, or the empty one after a failure. */
static TccText import(const Node *nodes, size_t nnodes, const char *output, TccImportOutcome *outcome) {
  static const ImportWalk walk = {bind_inputs, walk_nodes, bind_outputs};
  Toy toy = {.nodes = nodes, .nnodes = nnodes, .output = output};
  TccText text = {0};
  tcc_text_clear(&messages);
  bool ok = import_begin(&toy.run, ir, "model.toy", NULL);
  MlirOperation module = import_end(&toy.run, ok ? &walk : NULL, outcome);
  if (mlirOperationIsNull(module)) return text;
  expect(mlirOperationVerify(module), "the module verifies");
  mlirOperationPrint(module, tcc_append, &text);
  mlirOperationDestroy(module);
  return text;
}

static bool has(const TccText *text, const char *what) {
  bool found = text->length && strstr(text->data, what) != NULL;
  if (!found) fprintf(stderr, "no '%s' in:\n%s\n", what, text->length ? text->data : messages.data);
  return found;
}

/* 15 numbers, at most, at an offset: dense rows, dense columns, one row or column for all. */
static void check_strides(void) {
  static const Node nodes[] = {{"weight", "rows", {0}, 64, {3, 5}, {5, 1}},    {"weight", "columns", {0}, 128, {3, 5}, {1, 3}},
                               {"weight", "row", {0}, 192, {3, 15}, {0, 1}},   {"weight", "slim", {0}, 256, {15, 1}, {1, 99}},
                               {"add", "a", {"rows", "columns"}, 0, {0}, {0}}, {"add", "b", {"row", "row"}, 0, {0}, {0}},
                               {"add", "c", {"x", "x"}, 0, {0}, {0}}};
  TccImportOutcome outcome;
  TccText text = import(nodes, 4, "rows", &outcome);
  expect(has(&text, "() -> tensor<3x5xf32>") && has(&text, "offset = 64") && has(&text, "length = 60"), "dense rows are a weight");
  tcc_text_destroy(&text);
  text = import(nodes, 5, "a", &outcome);
  expect(outcome == TCC_IMPORT_OK && has(&text, "tensor<5x3xf32>") && has(&text, "perm = array<i64: 1, 0>"),
         "dense columns are a transposed weight");
  tcc_text_destroy(&text);
  text = import(nodes, 4, "row", &outcome);
  expect(has(&text, "tensor<1x15xf32>") && has(&text, "tcc.broadcast"), "a stride of 0 is a broadcast");
  tcc_text_destroy(&text);
  text = import(nodes, 4, "slim", &outcome);
  expect(has(&text, "() -> tensor<15x1xf32>"), "an axis of size 1 has any stride");
  tcc_text_destroy(&text);
  text = import(nodes, 7, "c", &outcome);
  expect(has(&text, "tcc.sources = [\"model.toy\"]") && has(&text, "tcc.name = \"x\""), "the module of a graph");
  tcc_text_destroy(&text);
}

/* One walk tells all that is not supported; what depends on a node that failed is passed over. */
static void check_report(void) {
  static const Node nodes[] = {{"weight", "gap", {0}, 0, {3, 5}, {10, 1}},      {"weight", "overlap", {0}, 0, {3, 5}, {2, 1}},
                               {"weight", "behind", {0}, 4000, {3, 5}, {5, 1}}, {"sub", "s", {"x", "x"}, 0, {0}, {0}},
                               {"add", "a", {"gap", "s"}, 0, {0}, {0}},         {"add", "b", {"a", "x"}, 0, {0}, {0}}};
  TccImportOutcome outcome;
  TccText text = import(nodes, 6, "b", &outcome);
  expect(!text.length && outcome == TCC_IMPORT_INVALID, "a file that ends too early is invalid");
  expect(has(&messages, "the strides of 'gap' leave gaps or overlap") && has(&messages, "the strides of 'overlap'"), "strides");
  expect(has(&messages, "'sub': no such operator") && has(&messages, "bytes 4000 to 4000 + 60 are not in 'model.toy'"), "reasons");
  expect(!strstr(messages.data, "'add'"), "what depends on them has none");
  tcc_text_destroy(&text);
  static const Node small = {"weight", "small", {0}, 0, {2, 5}, {5, 1}};
  text = import(&small, 1, "small", &outcome);
  expect(!text.length && has(&messages, "the sizes of 'small' do not fit its 60 bytes"),
         "a place has as many bytes as the sizes ask for");
}

int main(void) {
  static const char numbers[512];
  char folder[] = "/tmp/tcc-importer-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  TccStatus *status = tcc_file_write_quickly("model.toy", numbers, sizeof numbers);
  if (status) abort();
  ir = tcc_ir_create();
  MlirDiagnosticHandlerID handler = mlirContextAttachDiagnosticHandler(ir->context, collect, &messages, NULL);
  check_strides();
  check_report();
  mlirContextDetachDiagnosticHandler(ir->context, handler);
  tcc_ir_destroy(ir);
  tcc_text_destroy(&messages);
  unlink("model.toy");
  if (chdir("/") == 0) rmdir(folder);
  return failures != 0;
}
