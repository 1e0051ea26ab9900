/* common_ir.c - input and output of the commands that link the compiler; see common_ir.h. */
#include "tools/common_ir.h"
#include "mlir-c/RegisterEverything.h"
#include "tcc/file.h"
#include "tcc/import.h"
#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <sys/stat.h>

enum { READ_BYTES = 1 << 16 };

/* What is neither text nor bytecode, or a model of another kind by its name. */
static TccStatus *check_module(const char *path, const char *shown, TccStr bytes) {
  const char *kind = tcc_file_kind(bytes.data, bytes.length);
  bool model = tcc_model_kind(path) == TCC_MODEL_IMPORTED;
  if (!model && kind && (strcmp(kind, TCC_FILE_TEXT) == 0 || strcmp(kind, TCC_FILE_BYTECODE) == 0)) return NULL;
  if (kind && strcmp(kind, TCC_FILE_ELF) == 0)
    return TCC_ERROR(TCC_INVALID, "%s: no module, it is %s: tcc-explain shows an artifact", shown, kind);
  if (model || !kind)
    return TCC_ERROR(TCC_INVALID, "%s: no module in MLIR%s: `tcc-translate --import-onnx FILE` makes one of a model", shown,
                     model ? ", by its name it is a model" : "");
  return TCC_ERROR(TCC_INVALID, "%s: no module in MLIR, it is %s", shown, kind);
}

TccStatus *tcc_read_input(const char *path, TccText *out) {
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
  const char *shown = file == stdin ? "standard input" : path;
  if (!file) return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", path, strerror(errno));
  static char buffer[READ_BYTES];
  tcc_text_put(out, "", 0);
  errno = 0;
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) tcc_text_put(out, buffer, got);
  int error = ferror(file) ? errno : 0;
  if (file != stdin) fclose(file);
  if (error) return TCC_ERROR(TCC_IO, "%s: %s", shown, strerror(error));
  if (!out->length) return TCC_ERROR(TCC_INVALID, "%s: empty, no module", shown);
  return check_module(path, shown, tcc_text_str(out));
}

TccStatus *tcc_write_output(const char *path, TccStr bytes) {
  bool to_stdout = !path || strcmp(path, "-") == 0;
  struct stat existing;
  if (!to_stdout && (stat(path, &existing) != 0 || S_ISREG(existing.st_mode) || S_ISDIR(existing.st_mode)))
    return tcc_file_write(path, bytes.data, bytes.length);
  /* A device or a pipe is written as it is: there is nothing to rename. */
  FILE *file = to_stdout ? stdout : fopen(path, "wb");
  if (!file) return TCC_ERROR(TCC_IO, "%s: %s", path, strerror(errno));
  bool written = fwrite(bytes.data, 1, bytes.length, file) == bytes.length;
  written &= (to_stdout ? fflush(file) : fclose(file)) == 0;
  if (written) return NULL;
  TccStatus *status = TCC_ERROR(TCC_IO, "%s: %s", to_stdout ? "standard output" : path, strerror(errno));
  if (to_stdout) __fpurge(stdout), clearerr(stdout); /* said once: the end of the command looks at it too */
  return status;
}

void tcc_register_upstream(MlirContext context) {
  static bool passes;
  if (!passes) mlirRegisterAllPasses();
  passes = true;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirRegisterAllDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
}
