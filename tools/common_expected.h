/* common_expected.h - diagnostics that a test states in comments, and the ones that came. */
#ifndef TCC_TOOLS_COMMON_EXPECTED_H
#define TCC_TOOLS_COMMON_EXPECTED_H
#include "tcc/ir.h"

typedef struct TccExpected TccExpected;
/* Reads the expectations of a text and catches the context's diagnostics from here on. name and text must outlive the object. */
TccExpected *tcc_expected_create(MlirContext context, const char *name, TccStr text);
/* Stops catching, prints what was expected and did not come, and what came unexpected; destroys. True if there is neither. */
bool tcc_expected_finish(TccExpected *expected);
#endif
