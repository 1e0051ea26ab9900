/* ptxas.h - NVIDIA's assembler, a program of the CUDA toolkit: PTX to a cubin, the machine code of one chip. No MLIR.
 *
 * Nothing else of tcc needs it: where there is none, the driver compiles PTX when a model is loaded. Each run has a folder of its own
 * below $TMPDIR (or /tmp), which is gone when it ends. Functions are thread-safe. */
#ifndef TCC_PTXAS_H
#define TCC_PTXAS_H
#include "tcc/base.h"
#include "tcc/limit.h"

#define TCC_PTXAS_FIND "find"
#define TCC_PTXAS_NONE "none"

typedef struct {
  const char *path;    /* of the program, absolute */
  const char *version; /* what it says of itself: part of the keys of what it made */
} TccPtxas;

/* The ptxas that is meant: a file or the name of a program in $PATH; TCC_PTXAS_FIND: $TCC_PTXAS, else ptxas of $PATH; TCC_PTXAS_NONE, which
 * $TCC_PTXAS may be, too: none. *out, in arena, is NULL for none, and where nothing named one and $PATH has none. TCC_NOT_FOUND: one was named and
 * is no program. TCC_INVALID: it does not run, or says no version. limit: of the compilation. */
TCC_EXPORT TccStatus *tcc_ptxas_find(TccArena *arena, const char *which, const TccLimit *limit, const TccPtxas **out) TCC_CHECKED;
/* Appends the cubin of a module of PTX for a chip, "sm_90a". TCC_INVALID: ptxas fails, ends by a signal or writes no cubin; TCC_NO_MEMORY: it does not
 * end in time. Messages are one line and name the program. */
TCC_EXPORT TccStatus *tcc_ptxas_run(const TccPtxas *ptxas, const char *chip, TccStr ptx, const TccLimit *limit,
                                    TccText *out) TCC_CHECKED;
#endif
