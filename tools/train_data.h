/* train_data.h - samples for tcc-train from files that are mapped, never read as a whole.
 *
 * A folder has NAME.npy or input_K.npy for each input of the model, samples along the first axis; a .safetensors file has a tensor for each
 * input; a file of tokens (llm.c's: 256 int32, of which the first is 20240520, then uint16) gives windows: the first input is the tokens, the
 * second, if there is one, those behind each. The order of an epoch is a permutation that seed, epoch and index alone decide: a Feistel
 * network whose values beyond the number of samples are mapped again (Black and Rogaway 2002), so that no list of it is kept. */
#ifndef TCC_TRAIN_DATA_H
#define TCC_TRAIN_DATA_H
#include "tcc/safetensors.h"
#include "tcc/tensor.h"
#include "tcc/train.h"

enum { TRAIN_MOST_INPUTS = 16, TRAIN_MOST_RANK = 16 };

typedef struct {
  const char *samples;
  size_t sample_bytes;
  int64_t shape[TRAIN_MOST_RANK]; /* of a batch */
  TccTensor tensor;               /* a batch; its memory is its own */
} TrainInput;

typedef struct {
  TccArena *arena;
  TrainInput input[TRAIN_MOST_INPUTS];
  TccTensor batch[TRAIN_MOST_INPUTS];
  size_t ninputs;
  int64_t count, size; /* samples; of a batch */
  const uint16_t *tokens;
  int64_t window;
  TccFileMap maps[TRAIN_MOST_INPUTS];
  const char *files[TRAIN_MOST_INPUTS]; /* names of these */
  size_t nmaps;
  TccSafetensors *tensors;
} TrainData;

/* Opens a folder or file for the trainer's inputs. The error has a line for each input that does not fit. */
TccStatus *train_data_open(const TccTrainer *trainer, const char *path, TrainData *out) TCC_CHECKED;
/* Whether a name is that of a file which the samples are in. */
bool train_data_is(const TrainData *data, const char *file);
void train_data_close(TrainData *data);
/* Fills data->batch with samples [first, first + size) of all epochs, shuffled by seed; shuffle false: of the file's order. */
void train_data_batch(TrainData *data, int64_t first, uint64_t seed, bool shuffle);
#endif
