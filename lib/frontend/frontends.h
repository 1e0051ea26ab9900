/* frontends.h - the importers that frontends.def names; each stands in its front end's folder. */
#ifndef TCC_FRONTENDS_H
#define TCC_FRONTENDS_H
#include "tcc/import.h"

/* As tcc_import_file, for the files of one front end. */
typedef MlirOperation TccImportFunction(TccIr *ir, const char *path, const TccImportOptions *options,
                                        TccImportOutcome *out_outcome);

#define TCC_FRONTEND(ending, importer, memory) TccImportFunction importer;
#include "lib/frontend/frontends.def"
#endif
