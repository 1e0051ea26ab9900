/* frontends.c - what a model is, and which front end takes it: the ending of its name says so. */
#include "lib/frontend/frontends.h"
#include "tcc/file.h"

typedef struct {
  const char *ending;
  TccImportFunction *import; /* NULL: MLIR's own */
  bool memory;
} Kind;
static const Kind table[] = {
#define TCC_FRONTEND(ending, importer, memory) {ending, importer, memory},
#define TCC_MLIR(ending) {ending, NULL, true},
#include "lib/frontend/frontends.def"
};
enum { TABLE_SIZE = sizeof table / sizeof *table };

static const Kind *find(const char *path) {
  size_t length = strlen(path);
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    size_t n = strlen(table[i].ending);
    if (length >= n && strcmp(path + length - n, table[i].ending) == 0) return &table[i];
  }
  return NULL;
}

TccModelKind tcc_model_kind(const char *path) {
  const Kind *kind = find(path);
  return !kind ? TCC_MODEL_NONE : kind->import ? TCC_MODEL_IMPORTED : TCC_MODEL_MLIR;
}

bool tcc_model_in_memory(const char *name) {
  const Kind *kind = find(name);
  return kind && kind->memory;
}

TccStatus *tcc_model_refuse_memory(void) {
  const char *endings[TABLE_SIZE];
  size_t count = 0;
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (table[i].memory) endings[count++] = table[i].ending;
  TccText list = {0};
  tcc_text_put_words(&list, endings, count, "or");
  TccStatus *status = TCC_ERROR(TCC_UNSUPPORTED, "the name of a model in memory ends in %s", list.data);
  tcc_text_destroy(&list);
  return status;
}

/* The endings of kinds: ".onnx, .mlir or .mlirbc". */
static void put_endings(bool imported, bool mlir, TccText *out) {
  const char *endings[TABLE_SIZE];
  size_t count = 0;
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (table[i].import ? imported : mlir) endings[count++] = table[i].ending;
  tcc_text_put_words(out, endings, count, "or");
}

TccStatus *tcc_model_refuse(const char *path, bool in_mlir) {
  TccFileMap file;
  TCC_TRY(tcc_file_map(path, &file));
  const char *kind = find(path) ? "a module already" : tcc_file_kind(file.data, file.length);
  tcc_file_unmap(&file);
  TccText list = {0};
  put_endings(true, in_mlir, &list);
  TccStatus *status =
      TCC_ERROR(TCC_INVALID, "%s: the name of a model ends in %s%s%s", path, list.data, kind ? "; it is " : "", kind ? kind : "");
  tcc_text_destroy(&list);
  return status;
}

MlirOperation tcc_import_file(TccIr *ir, const char *path, const TccImportOptions *options, TccImportOutcome *out_outcome) {
  const Kind *kind = find(path);
  TccStatus *status = NULL;
  TccFileMap file = {0};
  if (!kind || !kind->import) status = tcc_model_refuse(path, false);
  else if (!options || !options->bytes.data) status = tcc_file_map(path, &file);
  tcc_file_unmap(&file);
  if (!status) return kind->import(ir, path, options, out_outcome);
  if (out_outcome) *out_outcome = TCC_IMPORT_INVALID;
  tcc_status_emit(status, mlirLocationUnknownGet(ir->context)); /* it says which file */
  return (MlirOperation){NULL};
}
