/* trainer.h - what the files of lib/train share. */
#ifndef TCC_TRAINER_H
#define TCC_TRAINER_H
#include "tcc/ir.h"
#include "tcc/safetensors.h"
#include "tcc/sources.h"
#include "tcc/train.h"

#define TRAIN_MOST_STEPS (INT64_C(1) << 53) /* what a double counts, as schedules do */

/* Where the bytes of a weight lie in the model's files. */
typedef struct {
  TccStr name;
  int64_t source;
  uint64_t offset, length;
} TrainWeight;

/* A parameter or state: an argument of the step behind the model's inputs. */
typedef struct {
  const char *name;
  bool parameter;
  int64_t shape[16];
  TccTensor tensor; /* on the host, as the caller sees it */
  TccTensor placed; /* what a step reads and writes: the same, or a tensor of the device */
  size_t bytes;
  const TrainWeight *weight; /* of a parameter */
} TrainState;

/* What the step keeps for its backward. */
typedef struct {
  TccSavedTensor *list;
  size_t count;
  int64_t bytes, again; /* of all of them; what is computed again costs, in bytes of memory traffic */
} TrainSaved;

struct TccTrainer {
  TccArena *arena;
  char *path;
  TccTrainOptions options;
  const char *loss_name; /* of the output that is minimised */
  TccSources *sources;
  TCC_VEC(TrainWeight) weights;
  TccMap *by_name; /* numbers of weights */
  TccModel *step, *evaluate;
  TccContext *step_context, *evaluate_context;
  size_t ninputs;    /* that a step is given */
  size_t narguments; /* the same with those of random numbers: what lies in front of the states in the step's inputs */
  TrainState *states;
  size_t nstates;
  void *memory; /* mapped: what the states lie in */
  size_t memory_bytes;
  size_t counter;  /* the state that counts steps */
  size_t exponent; /* that of the factor of a scaled loss; the number of states where there is none */
  TccText forward; /* the module without derivatives, for evaluation */
  size_t loss, evaluated_loss;
  long recompute;   /* what the step was differentiated with: recompute= of tcc-grad */
  bool row_blocks;  /* and whether tcc-row-blocks ran before */
  TccText compiled; /* the module of the step, if there is a limit of memory, or explain */
  size_t planned;   /* bytes of parameters, states and intermediate results, if there is a limit of memory, or explain */
  size_t peak;      /* of the process, with that; if there is a limit */
  bool explain;     /* fill in saved */
  TrainSaved saved;
};

/* ---- trainer.c ---- */
TccTrainer *train_new(const char *model, const TccTrainOptions *options); /* copies its options; compiles nothing */
/* ---- module.c ---- */
/* The module of the step and that of evaluation as texts; fills in sources and weights, in the place of those that there were. */
TccStatus *train_modules(TccTrainer *t, TccText *out_step) TCC_CHECKED;
/* Whether an input of the model is the seed or the first stream of what it draws (random.h). */
bool train_is_random(const char *name);
/* Compiles a text and makes a context of it, with options.profile if it is the step. */
TccStatus *train_compile(TccTrainer *t, const TccText *text, bool is_step, TccModel **out_model,
                         TccContext **out_context) TCC_CHECKED;
/* ---- memory.c ---- */
/* Makes the step, within options.memory. */
TccStatus *train_compile_step(TccTrainer *t) TCC_CHECKED;
/* Makes the step with recompute=price, and a cross-entropy in blocks of rows, and what it is planned to need if there is a limit of memory, or
 * t->explain. */
TccStatus *train_compile_at(TccTrainer *t, long price, bool blocks) TCC_CHECKED;
/* Makes the step at the least price that is within options.memory, as `fits` is, and above `below`, which is not. */
TccStatus *train_refine(TccTrainer *t, long below, long fits) TCC_CHECKED;
enum { TRAIN_PRICES = 12 };
extern const long train_prices[TRAIN_PRICES]; /* the default first, then rising */
/* ---- explain.c ---- */
/* Takes tcc.saved and tcc.recomputed off a module that has been differentiated, into t->saved. */
void train_note_saved(TccTrainer *t, TccIr *ir, MlirOperation module);
/* ---- checkpoint.c ---- */
/* Takes states and place from the tensors of a file, all or none; the path is that of messages. */
TccStatus *train_take_checkpoint(TccTrainer *t, const TccSafetensors *file, const char *path, int64_t *out_place,
                                 size_t nplace) TCC_CHECKED;
/* ---- states.c ---- */
TccStatus *train_make_states(TccTrainer *t) TCC_CHECKED; /* with the numbers of the model, where a step reads them */
/* Of a state that lies on the device: its numbers from there to the host. */
TccStatus *train_read_state(const TccTrainer *t, const TrainState *state) TCC_CHECKED;
void train_free_states(TccTrainer *t);
size_t train_tensor_bytes(const TccTensor *tensor);
/* Pages of the files of t->sources that are in this process: mapped again from the disk where they are read. */
void train_drop_files(const TccTrainer *t);
#endif
