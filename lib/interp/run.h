/* run.h - the state of one run, for interp.c, symbols.c and structure.c alone. */
#ifndef TCC_INTERP_RUN_H
#define TCC_INTERP_RUN_H
#include "lib/interp/internal.h"
#include "tcc/file.h"

/* A call of a function: its values and the symbols that it bound itself. */
typedef struct TccFrame {
  struct TccFrame *parent;
  TccArena *arena;
  TccMap *values;  /* MlirValue.ptr -> a slot of interp.c */
  TccMap *symbols; /* name -> integer */
} TccFrame;

struct TccInterp {
  TccIr *ir;
  MlirOperation module;
  const char *weights_dir;
  double shift;        /* of what is rounded to integers, as a part of its magnitude */
  TccFileMap *sources; /* mapped when first used */
  size_t nsources;
  TccFrame *frame;
  int depth;
  void **scratch; /* of the op at work */
  size_t nscratch, scratch_capacity;
};

/* ---- symbols.c ---- */
/* Binds what the types' sizes say about symbols that are not known yet, then checks all sizes. own_only: a symbol binds
 * anew even where a caller has one of that name. arrays may hold NULL. `what` names them in errors. */
TccStatus *tcc_frame_bind(TccInterp *interp, const MlirType *types, const TccArray *const *arrays, size_t n, bool own_only,
                          const char *what) TCC_CHECKED;
/* tcc.constraints of the module, as far as its arguments bind their symbols. */
TccStatus *tcc_frame_check_constraints(TccInterp *interp) TCC_CHECKED;

/* ---- structure.c ---- */
MlirAttribute tcc_interp_source_names(TccInterp *interp); /* tcc.sources; null if there are none */
#endif
