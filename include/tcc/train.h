/* train.h - training a model without Python: its loss is differentiated, the optimiser is part of the graph, a step is one run.
 *
 *     TccTrainer *trainer; double loss;
 *     TccTrainOptions options = {.optimizer = "kind=adamw lr=0.001"};
 *     TccStatus *status = tcc_trainer_create("model.onnx", &options, &trainer);
 *     while (!status && more) status = tcc_trainer_step(trainer, batch, 2, &loss);
 *     if (!status) status = tcc_trainer_save(trainer, "model.safetensors", NULL, 0);
 *
 * The parameters are the model's float weights, by their names; a trainer owns them and the optimiser's states, and a step writes them in
 * place. Random numbers are a function of seed and step, and evaluation has no dropout. The same model, options, data and number of threads give the same bits. A trainer belongs to one thread at a time. It links the
 * compiler library. */
#ifndef TCC_TRAIN_H
#define TCC_TRAIN_H
#include "tcc/compile.h"
#ifdef __cplusplus
extern "C" {
#endif

typedef struct TccTrainer TccTrainer;
typedef struct {
  const char *loss;   /* the output that is minimised, a float scalar, NULL: the model's only one; or options of the pass tcc-loss,
                              * "cross_entropy of=logits": then what the output is compared with is an input, behind the others */
  const char *train;  /* patterns of names of weights, with commas between; NULL: all that are float */
  const char *freeze; /* those that stay as they are; NULL: none */
  const char *optimizer;     /* options of the pass tcc-optimizer; NULL: AdamW with the defaults of PyTorch */
  int64_t seed;              /* of what the model draws: dropout's masks */
  size_t memory;             /* bytes that a step may be planned to take, as tcc_trainer_memory counts them; 0: any number */
  TccCompileOptions compile; /* its dims are sizes of the model that become constants */
  void (*profile)(const TccProfileEvent *event, void *user); /* as of TccContextOptions, for each kernel of a step; slows it */
  void *profile_user;
} TccTrainOptions;

/* Imports the model, differentiates it and compiles the step. options may be NULL. TCC_INVALID and TCC_UNSUPPORTED with all that is wrong,
 * a line each: a loss that is no scalar or depends on no parameter, ops without a derivative, patterns that match nothing. With a limit of
 * memory the least of the forward pass is computed again in the backward that keeps within it, which takes a compilation for each of a few
 * choices; TCC_INVALID where none does, with the bytes of the least, and where a size of the model is symbolic. */
TCC_EXPORT TccStatus *tcc_trainer_create(const char *model, const TccTrainOptions *options, TccTrainer **out) TCC_CHECKED;
TCC_EXPORT void tcc_trainer_destroy(TccTrainer *trainer); /* NULL does nothing */

/* The model's inputs, which each step is given; the seed of what it draws (random.h) is none of them. */
TCC_EXPORT size_t tcc_trainer_input_count(const TccTrainer *trainer);
TCC_EXPORT const TccPortInfo *tcc_trainer_input(const TccTrainer *trainer, size_t index);
/* One step on a batch. The loss is that before the update. TCC_INVALID where it is not finite: nothing has changed then, and the message
 * names the step and the first input, parameter or kernel that has such a number. What tcc_context_run says of inputs that do not fit, where
 * nothing has changed, and of an index outside of what it names, a label for example: parameters are undefined then. With autocast f16 a step whose gradients are not
 * finite updates nothing and counts for none; TCC_INVALID where no factor of the loss is small enough. */
TCC_EXPORT TccStatus *tcc_trainer_step(TccTrainer *trainer, const TccTensor *inputs, size_t ninputs, double *out_loss) TCC_CHECKED;
/* The loss of a batch alone; the first call compiles it. */
TCC_EXPORT TccStatus *tcc_trainer_evaluate(TccTrainer *trainer, const TccTensor *inputs, size_t ninputs,
                                           double *out_loss) TCC_CHECKED;
/* Bytes of parameters, states, intermediate results and what kernels work in that a step is planned to take; 0 if options.memory is. */
TCC_EXPORT size_t tcc_trainer_memory(const TccTrainer *trainer);
/* Bytes that the process is expected to have in memory at most: that, and what it had when the step was compiled, its code and the compiler's
 * among it. Pages of files of samples come on top. 0 if options.memory is. */
TCC_EXPORT size_t tcc_trainer_peak(const TccTrainer *trainer);
TCC_EXPORT int64_t tcc_trainer_steps(const TccTrainer *trainer); /* done, those before a restored checkpoint too */

/* Parameters first, then what the optimiser keeps of them, "NAME:exp_avg". The tensor is the trainer's own, on the host: its numbers may be
 * set. Of a target that is a device the numbers lie there: tcc_trainer_read_states brings those of now into these tensors, and what is set in
 * them holds from tcc_trainer_write_states on. On the host both have nothing to do. */
TCC_EXPORT size_t tcc_trainer_state_count(const TccTrainer *trainer);
TCC_EXPORT const char *tcc_trainer_state(const TccTrainer *trainer, size_t index, TccTensor **out, bool *out_parameter);
TCC_EXPORT TccStatus *tcc_trainer_read_states(const TccTrainer *trainer) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_trainer_write_states(TccTrainer *trainer) TCC_CHECKED;

/* Writes parameters, states, and `place`, numbers of the caller's, as a safetensors file, which appears whole or not at all. */
TCC_EXPORT TccStatus *tcc_trainer_save(const TccTrainer *trainer, const char *path, const int64_t *place,
                                       size_t nplace) TCC_CHECKED;
/* Takes up where a file that was saved left off. TCC_MISMATCH names the first tensor that is missing or of another type or shape, and
 * nothing has changed then; so it is with a place of another length. */
TCC_EXPORT TccStatus *tcc_trainer_restore(TccTrainer *trainer, const char *path, int64_t *out_place, size_t nplace) TCC_CHECKED;
/* The model file with the parameters of now. TCC_UNSUPPORTED: the model is no .onnx, or has weights in other files; tcc_trainer_exports says so
 * before anything is trained. */
TCC_EXPORT TccStatus *tcc_trainer_export(const TccTrainer *trainer, const char *path) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_trainer_exports(const TccTrainer *trainer) TCC_CHECKED;

/* ---- what a step keeps for its backward, and what it could do without ---- */
typedef struct {
  const char *function; /* "main", or the forward part of what repeats */
  const char *node;     /* of the model, that makes it (of the first copy); "" if none is known */
  const char *op;       /* "tcc.dot_general"; "argument 0": what the function is called with */
  const char *type;
  int64_t times;       /* that the function runs in a step: so many such tensors are kept */
  int64_t bytes;       /* of one */
  int64_t keep, again; /* what keeping one and making it again would cost, in bytes of memory traffic; again -1: it cannot be */
} TccSavedTensor;
typedef struct {
  int64_t price;       /* what a byte that is kept counts as times of writing and reading it; 1 is the default */
  bool row_blocks;     /* a cross-entropy is done one block of rows after the other */
  size_t planned;      /* bytes of parameters, states and intermediate results of a step */
  int64_t kept, again; /* bytes that the backward keeps; what it makes again costs, in bytes of memory traffic */
} TccMemoryChoice;
typedef struct {
  TccSavedTensor *saved; /* of the choice that a trainer makes, the largest first */
  size_t nsaved;
  TccMemoryChoice *choices; /* by rising price */
  size_t nchoices, chosen;  /* chosen: nchoices where none is within options.memory; saved is the last one's then */
  TccTrainer *trainer;      /* owns all that */
} TccTrainExplanation;
/* Compiles a step for each price of a byte. Errors are those of tcc_trainer_create, and TCC_INVALID where a size is symbolic. */
TCC_EXPORT TccStatus *tcc_train_explain(const char *model, const TccTrainOptions *options, TccTrainExplanation *out) TCC_CHECKED;
TCC_EXPORT void tcc_train_explanation_destroy(TccTrainExplanation *explanation);
#ifdef __cplusplus
}
#endif
#endif
