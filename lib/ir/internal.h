/* internal.h - what lib/ir and dialects/tcc share behind TccIr: identity maps from MLIR's uniqued pointers. */
#ifndef TCC_IR_INTERNAL_H
#define TCC_IR_INTERNAL_H
#include "tcc/optable.h"

/* Map from a pointer (never NULL) to a pointer; open addressing. */
typedef struct {
  const void *key;
  void *value;
} TccPointerSlot;
typedef struct {
  TccPointerSlot *slots;
  size_t slot_count, used;
  TccArena *arena;
} TccPointerMap;
void *tcc_pointer_map_get(const TccPointerMap *map, const void *key);       /* NULL if absent */
void tcc_pointer_map_set(TccPointerMap *map, const void *key, void *value); /* value NULL: forget */

typedef struct {
  TccElem elem;
  int rank;
  const TccExpr *const *dims; /* NULL: unknown */
  const TccExpr *count;       /* their product, once it was asked for; NULL: not yet, or unknown */
} TccTypeInfo;

/* Names of attributes of functions and calls, in alphabetical order: MLIR sorts attributes that are not. */
typedef enum {
  TCC_KEY_CALLEE,
  TCC_KEY_FUNCTION_TYPE,
  TCC_KEY_SYM_NAME,
  TCC_KEY_SYM_VISIBILITY,
  TCC_KEY_KERNEL,
  TCC_KEY_COUNT
} TccKey;

typedef struct TccIrTables {
  TccPointerMap kinds;       /* operation name -> row */
  TccPointerMap types;       /* type -> TccTypeInfo */
  TccPointerMap symbolic;    /* value -> entries, see symbolic.c */
  TccPointerMap sound_types; /* types whose encoding was found well-formed */
  TccMap *tensor_types;      /* (elem, dims) -> type */
  TccMap *constants;         /* elements attribute -> bytes */
  MlirType elems[TCC_ELEM_COUNT];
  MlirType none;
  MlirIdentifier keys[TCC_KEY_COUNT];
  MlirAttribute private_visibility;
  MlirLocation unknown;
} TccIrTables;

/* The context without the tcc dialect: lib/ir's half of tcc_ir_create. */
TccIr *tcc_ir_open(void);
const TccTypeInfo *tcc_type_info(TccIr *ir, MlirType type); /* NULL: not a ranked tensor */

/* Reads one attribute; false if it has another form. Strings and arrays are borrowed or in the arena. */
bool tcc_attr_read_i64(MlirAttribute attr, int64_t *out);
bool tcc_attr_read_f64(MlirAttribute attr, double *out);
bool tcc_attr_read_bool(MlirAttribute attr, bool *out);
bool tcc_attr_read_str(MlirAttribute attr, TccStr *out);
bool tcc_attr_read_ints(TccIr *ir, MlirAttribute attr, const int64_t **out, size_t *out_count);
bool tcc_attr_read_exprs(TccIr *ir, MlirAttribute attr, const TccExpr *const **out, size_t *out_count);
/* The bytes of an elements attribute, as tcc_constant_data; NULL if it has none that can be read. */
const void *tcc_elements_data(TccIr *ir, MlirAttribute attr, size_t *out_count);
MlirAttribute tcc_elements_attr(TccIr *ir, MlirType type, const void *data); /* static tensor type */

/* Sizes, and coefficients of those that are expressions, are in a range in which neither they nor their product wrap around. */
bool tcc_sizes_fit(int rank, const TccExpr *const *dims);
/* What is wrong with the encoding of type (arena), or NULL. */
const char *tcc_type_fault(TccIr *ir, MlirType type);
/* Likewise with its rank and sizes, which rules check of operands and results. */
const char *tcc_type_size_fault(TccIr *ir, MlirType type);
/* Whether a size expression among the attributes of a tcc op is no number; false for other ops. */
bool tcc_op_has_symbolic_attribute(TccIr *ir, MlirOperation op);
MlirAttribute tcc_op_attributes(TccIr *ir, MlirOperation op); /* as a DictionaryAttr */
/* Runs the rule of a tcc op on what it has; out_why as TccRuleInput.why, bounds as there. */
bool tcc_op_infer_types(TccIr *ir, MlirOperation op, MlirType *out_results, const char **out_why, TccBounds *bounds);
/* Same element type and rank, and sizes that agree: one of the two may know less. */
bool tcc_type_refines(TccIr *ir, MlirType a, MlirType b);

static inline MlirStringRef tcc_ref(TccStr text) { return mlirStringRefCreate(text.data, text.length); }
static inline TccStr tcc_from_ref(MlirStringRef ref) { return (TccStr){ref.data, ref.length}; }
#endif
