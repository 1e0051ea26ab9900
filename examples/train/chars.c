/* chars.c - trains a model of text, the one of model.py, on files: what character comes next.
 *
 *     train chars.onnx 2000 trained.onnx PAGE.md ...
 *
 * A batch is as many pieces of the text as the model takes, from places drawn at random; each character's label is the one behind it. The
 * last tenth of the text is never trained on: the loss there is that which is told. trained.onnx is chars.onnx with other weights. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tcc/train.h>

enum { CHARACTERS = 128, TOLD = 8 /* batches of which a loss is the mean */ };

typedef struct {
  unsigned char *bytes;
  size_t count;
} Text;

typedef struct {
  int64_t shape[2], *text, *labels;
  TccTensor tensors[2];
  uint64_t state; /* of the generator */
} Batch;

static TccStatus *read_file(const char *path, Text *text) {
  FILE *file = fopen(path, "r");
  unsigned char piece[4096];
  if (!file) return TCC_ERROR(TCC_NOT_FOUND, "%s cannot be read", path);
  for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;) {
    unsigned char *grown = realloc(text->bytes, text->count + n);
    if (!grown) return fclose(file), TCC_ERROR(TCC_NO_MEMORY, "no memory for %s", path);
    for (size_t i = 0; i < n; i++) grown[text->count + i] = piece[i] < CHARACTERS ? piece[i] : '?';
    text->bytes = grown, text->count += n;
  }
  fclose(file);
  return NULL;
}

static TccStatus *make_batch(const TccTrainer *trainer, Batch *batch) {
  const TccPortInfo *port = tcc_trainer_input(trainer, 0);
  if (tcc_trainer_input_count(trainer) != 2 || port->rank != 2 || port->dims[0] < 0 || port->dims[1] < 0)
    return TCC_ERROR(TCC_UNSUPPORTED, "the model takes something else than pieces of a text");
  memcpy(batch->shape, port->dims, sizeof batch->shape);
  batch->text = calloc((size_t)(2 * batch->shape[0] * batch->shape[1]), sizeof *batch->text);
  if (!batch->text) return TCC_ERROR(TCC_NO_MEMORY, "no memory for a batch");
  batch->labels = batch->text + batch->shape[0] * batch->shape[1];
  for (int i = 0; i < 2; i++)
    batch->tensors[i] = (TccTensor){.data = i ? batch->labels : batch->text,
                                    .device = {TCC_DEVICE_CPU, 0},
                                    .rank = 2,
                                    .dtype = {TCC_DTYPE_INT, 64, 1},
                                    .shape = batch->shape};
  return NULL;
}

/* Knuth's linear congruential generator; its upper bits. */
static size_t draw(Batch *batch, size_t below) {
  batch->state = batch->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (size_t)(batch->state >> 33) % below;
}

static void fill(Batch *batch, const unsigned char *text, size_t count) {
  int64_t length = batch->shape[1];
  for (int64_t row = 0; row < batch->shape[0]; row++) {
    const unsigned char *from = text + draw(batch, count - (size_t)length);
    for (int64_t i = 0; i < length; i++) {
      batch->text[row * length + i] = from[i];
      batch->labels[row * length + i] = from[i + 1];
    }
  }
}

/* The mean loss of batches of the text that is not trained on: the same ones each time. */
static TccStatus *tell(TccTrainer *trainer, const Batch *like, const Text *text, size_t kept) {
  double sum = 0, loss;
  Batch batch = *like;
  batch.state = 1;
  for (int i = 0; i < TOLD; i++, sum += loss) {
    fill(&batch, text->bytes + kept, text->count - kept);
    TCC_TRY(tcc_trainer_evaluate(trainer, batch.tensors, 2, &loss));
  }
  printf("step %lld: loss %.3f\n", (long long)tcc_trainer_steps(trainer), sum / TOLD);
  return NULL;
}

static TccStatus *train(char **argv, long steps) {
  const TccTrainOptions options = {.loss = "cross_entropy", .optimizer = "kind=adamw lr=0.003 warmup=20 clip-norm=1"};
  TccTrainer *trainer = NULL;
  Batch batch = {.state = 2};
  Text text = {0};
  TccStatus *status = NULL;
  for (char **path = argv + 4; *path; path++) TCC_GOTO(read_file(*path, &text));
  TCC_GOTO(tcc_trainer_create(argv[1], &options, &trainer));
  TCC_GOTO(make_batch(trainer, &batch));
  size_t kept = text.count / 10 * 9;
  if (text.count - kept <= (size_t)batch.shape[1] + 1) {
    status = TCC_ERROR(TCC_INVALID, "%zu characters are too few", text.count);
    goto done;
  }
  for (long step = 0; step <= steps; step++) {
    if (step % 100 == 0 || step == steps) TCC_GOTO(tell(trainer, &batch, &text, kept));
    if (step == steps) break;
    fill(&batch, text.bytes, kept);
    TCC_GOTO(tcc_trainer_step(trainer, batch.tensors, 2, NULL));
  }
  TCC_GOTO(tcc_trainer_export(trainer, argv[3]));
done:
  tcc_trainer_destroy(trainer);
  free(batch.text);
  free(text.bytes);
  return status;
}

int main(int argc, char **argv) {
  char *end = NULL;
  const long steps = argc < 5 ? 0 : strtol(argv[2], &end, 10);
  if (argc < 5 || end == argv[2] || *end || steps < 0) {
    fprintf(stderr, "usage: train chars.onnx STEPS OUT.onnx TEXT...\n");
    return 2;
  }
  TccStatus *status = train(argv, steps);
  if (!status) return 0;
  fprintf(stderr, "train: %s\n", tcc_status_message(status));
  tcc_status_destroy(status);
  return 1;
}
