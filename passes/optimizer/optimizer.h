/* optimizer.h - what the files of tcc-optimizer share. */
#ifndef TCC_OPTIMIZER_H
#define TCC_OPTIMIZER_H
#include "lib/ir/internal.h"
#include "lib/ir/ports.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef enum { OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_ADAGRAD } OptimizerKind;
/* Scalars of a step that updates read: by what a gradient is multiplied, a parameter decays, the root of a mean square is multiplied. */
typedef enum { OPTIMIZER_RATE, OPTIMIZER_DECAY, OPTIMIZER_SCALE, OPTIMIZER_SCALARS } OptimizerScalar;
typedef enum { OPTIMIZER_CONSTANT, OPTIMIZER_LINEAR, OPTIMIZER_COSINE } OptimizerSchedule;

typedef struct Optimizer Optimizer;

typedef struct {
  const char *name;
  int64_t argument;
  MlirValue value, gradient;
  bool decays;
} OptimizerParameter;

typedef struct {
  TccElem elem;
  double number;
  MlirValue value;
} OptimizerConstant;

/* What a function of an update reads: a state by its name, or a value of @main. */
typedef struct {
  const char *state; /* NULL: a value */
  MlirValue value;
} OptimizerOperand;

/* The update of parameters of one type as a function, so that what a further parameter costs is a call. */
typedef struct {
  Optimizer *main;
  MlirType type;
  bool decays;
  size_t users;
  const char *name; /* NULL: not built yet */
  MlirBlock block;
  TCC_VEC(OptimizerOperand) operands; /* by argument; the parameter and its gradient come first */
  TCC_VEC(int64_t) results;           /* the arguments that results take the place of */
  TCC_VEC(MlirValue) returned;
} OptimizerFunction;

struct Optimizer {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccPorts ports;
  TccBuilder builder, *b;
  TCC_VEC(OptimizerParameter) parameters;
  bool failed; /* a diagnostic has been emitted */

  OptimizerKind kind;
  OptimizerSchedule schedule;
  double rate, beta1, beta2, eps, decay, momentum, rate_decay, clip_norm, clip_value;
  double average; /* of the moving average of parameters; 0: there is none */
  double floor;   /* of the rate at the end of a schedule, as a part of the first */
  int warmup, steps, accumulate;
  int64_t exponent;   /* the argument that the factor of a scaled loss is of */
  int scale_interval; /* calls until the factor of a scaled loss doubles; 0: the loss is not scaled */
  bool nesterov, functions;

  /* scalars of a step, in f64 */
  MlirValue number;                                     /* of this update, from 1 */
  MlirValue updates;                                    /* bool: this call ends an accumulation; null: each does */
  MlirValue now;                                        /* the rate */
  MlirValue scalars[OPTIMIZER_SCALARS][TCC_ELEM_COUNT]; /* by type; null: nobody has asked for it yet */
  TCC_VEC(OptimizerConstant) constants;
  TCC_VEC(OptimizerFunction *) updaters;
  int named; /* names that have been tried for them */

  /* bool, null: always */
  MlirValue loss;    /* whether the loss is finite */
  MlirValue finite;  /* whether that and the gradients are: this call changes what is tied */
  MlirValue changes; /* whether it changes parameters and what belongs to them: an update that is finite */
};

/* A further argument that is a state; its number goes to *out_argument. */
MlirValue optimizer_state(Optimizer *o, const char *name, MlirType type, int64_t *out_argument);
/* Its new value where `when` (bool, null: always): a tied result, which is returned, too. A null value is a failure. */
MlirValue optimizer_result(Optimizer *o, int64_t argument, MlirValue value, MlirValue when);
/* Both; null is true. */
MlirValue optimizer_both(Optimizer *o, MlirValue a, MlirValue b);

/* ---- update.c ---- */
void optimizer_update(Optimizer *o);
MlirValue optimizer_square_sum(Optimizer *o); /* of all gradients, f64 */
#endif
