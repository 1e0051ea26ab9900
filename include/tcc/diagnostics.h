/* diagnostics.h - how errors about the IR reach a person.
 *
 *   file.mlir:3:8: error: 'tcc.add': C2: ...
 *   model.onnx: node "/layer/Add": error: ...      an importer's location: a name over a file without line
 */
#ifndef TCC_DIAGNOSTICS_H
#define TCC_DIAGNOSTICS_H
#include "tcc/ir.h"

/* Appends the diagnostic and its notes, one line each: "PLACE: error: MESSAGE", or MESSAGE alone of an error whose place is not known. */
TCC_EXPORT void tcc_diagnostic_text(MlirDiagnostic diagnostic, TccText *out);
/* Prints every diagnostic of the context to stderr from now on; *errors (may be NULL) counts the errors. Returns the
 * handler's id for mlirContextDetachDiagnosticHandler. */
TCC_EXPORT uint64_t tcc_diagnostics_to_stderr(MlirContext context, size_t *errors);

/* The module that a text holds: `text`, which ends in a NUL, or if its data are NULL the file; `file` names it in errors. Null if it does not
 * parse or verify, which has been reported to the context's handlers. The caller destroys the module. */
TCC_EXPORT MlirModule tcc_parse_module(MlirContext context, TccStr text, const char *file);
/* The same of what anybody may have written. MLIR's parser of text overflows the stack where brackets are nested deep: an error here. Its reader
 * of bytecode crashes on some broken files and never ends on others: a child process reads bytecode first, and if it does not come back that is the
 * error. The context must not use threads. */
TCC_EXPORT MlirModule tcc_parse_foreign_module(MlirContext context, TccStr text, const char *file);
#endif
