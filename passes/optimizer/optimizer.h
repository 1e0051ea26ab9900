/* optimizer.h - what the files of tcc-optimizer share. */
#ifndef TCC_OPTIMIZER_H
#define TCC_OPTIMIZER_H
#include "lib/ir/internal.h"
#include "lib/ir/ports.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef enum { OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_ADAMW, OPTIMIZER_ADAGRAD } OptimizerKind;
typedef enum { OPTIMIZER_CONSTANT, OPTIMIZER_LINEAR, OPTIMIZER_COSINE } OptimizerSchedule;

typedef struct {
  const char *name;
  int64_t argument;
  MlirValue value, gradient;
  bool decays;
} OptimizerParameter;

typedef struct {
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
  bool nesterov;

  /* scalars of a step, in f64 */
  MlirValue number;  /* of this update, from 1 */
  MlirValue updates; /* bool: this call ends an accumulation; null: each does */
  MlirValue now;     /* the rate */

  /* bool, null: always */
  MlirValue loss;    /* whether the loss is finite */
  MlirValue finite;  /* whether that and the gradients are: this call changes what is tied */
  MlirValue changes; /* whether it changes parameters and what belongs to them: an update that is finite */
} Optimizer;

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
