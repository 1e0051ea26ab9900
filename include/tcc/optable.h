/* optable.h - rows of dialects/tcc/ops.def, parsed once per process: what an op takes, gives and means.
 *
 * For who needs more than names and traits: importers, the interpreter, the verifier, the documentation. All data is
 * static; every function is thread-safe. */
#ifndef TCC_OPTABLE_H
#define TCC_OPTABLE_H
#include "tcc/ir.h"

typedef enum {
  TCC_ATTR_I64,      /* 64-bit signless integer */
  TCC_ATTR_F64,      /* f64 float */
  TCC_ATTR_BOOL,     /* true, false */
  TCC_ATTR_STR,      /* string */
  TCC_ATTR_INTS,     /* array<i64: ...> */
  TCC_ATTR_EXPRS,    /* [1, "S + 1"]: integers and size expressions */
  TCC_ATTR_ELEMENTS, /* dense<...> : tensor<...> */
  TCC_ATTR_CHOICE,   /* string out of choices */
} TccAttrKind;

typedef struct {
  TccStr name;
  TccAttrKind kind;
  TccStr type; /* as written in the table: "i64", "max|min" */
  bool has_default;
  TccStr default_text; /* "1.0", "true", "[]", "none" */
} TccAttrRow;

typedef struct {
  TccStr name;
  bool optional; /* may be the value of tcc.none */
} TccOperandRow;

enum { TCC_MAX_OPERANDS = 8, TCC_MAX_RESULTS = 3, TCC_MAX_ATTRIBUTES = 12 };
typedef struct {
  TccOpKind kind;
  const char *name; /* "tcc.add" */
  TccLevel level;
  size_t noperands, nresults, nattributes;
  TccOperandRow operands[TCC_MAX_OPERANDS];
  TccStr results[TCC_MAX_RESULTS];
  TccAttrRow attributes[TCC_MAX_ATTRIBUTES];
  const char *rule, *traits, *semantics;
} TccOpRow;

/* The row of kind, which is neither TCC_OP_UNKNOWN nor TCC_OP_COUNT. */
TCC_EXPORT const TccOpRow *tcc_op_row(TccOpKind kind);
/* NULL if the op has no such attribute. */
TCC_EXPORT const TccAttrRow *tcc_op_attribute(TccOpKind kind, TccStr name);
/* The table of attributes (attrs.def) as the page docs/attributes.md. */
TCC_EXPORT void tcc_attributes_document(TccText *out);
/* The table as the Markdown page docs/ops.md. */
TCC_EXPORT void tcc_ops_document(TccText *out);
#endif
