/* train_llmc.c - steps of llm.c's train_gpt2.c, timed as train.py times those of its other peers.
 *
 *   cc -Ofast -march=native -fopenmp -I LLM_C train_llmc.c -lm      LLM_C: the folder of llm.c's sources
 *   train_llmc CHECKPOINT INPUTS LABELS BATCH LENGTH RATE STEPS     a turn for each line of standard input
 *
 * INPUTS and LABELS are files of int32. A turn is a line of JSON: {"ms": [of each step], "losses": [...], "peak_mb"}. */
#define TESTING /* without the main of llm.c */
#include "train_gpt2.c"

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double peak_mb(void) {
  FILE *file = fopenCheck("/proc/self/status", "r");
  char line[256];
  double kb = 0;
  while (fgets(line, sizeof line, file))
    if (sscanf(line, "VmHWM: %lf", &kb) == 1) break;
  fcloseCheck(file);
  return kb / 1024;
}

static int *read_tokens(const char *path, size_t count) {
  int *tokens = mallocCheck(count * sizeof(int));
  FILE *file = fopenCheck(path, "rb");
  freadCheck(tokens, sizeof(int), count, file);
  fcloseCheck(file);
  return tokens;
}

int main(int argc, char **argv) {
  if (argc != 8) return 2;
  const size_t batch = strtoul(argv[4], NULL, 10), length = strtoul(argv[5], NULL, 10);
  const float rate = strtof(argv[6], NULL);
  const int steps = atoi(argv[7]);
  int *inputs = read_tokens(argv[2], batch * length), *labels = read_tokens(argv[3], batch * length), done = 0;
  FILE *answers = fdopen(dup(1), "w");
  dup2(2, 1);
  GPT2 model;
  gpt2_build_from_checkpoint(&model, argv[1]);
  for (int c; (c = getchar()) != EOF;) {
    if (c != '\n') continue;
    double ms[64], losses[64];
    for (int i = 0; i < steps && i < 64; i++) {
      double begin = now_ms();
      gpt2_forward(&model, inputs, labels, batch, length);
      losses[i] = model.mean_loss;
      gpt2_zero_grad(&model);
      gpt2_backward(&model);
      gpt2_update(&model, rate, 0.9f, 0.999f, 1e-8f, 0.01f, ++done);
      ms[i] = now_ms() - begin;
    }
    fprintf(answers, "{\"ms\": [");
    for (int i = 0; i < steps; i++) fprintf(answers, "%s%.3f", i ? ", " : "", ms[i]);
    fprintf(answers, "], \"losses\": [");
    for (int i = 0; i < steps; i++) fprintf(answers, "%s%.9g", i ? ", " : "", losses[i]);
    fprintf(answers, "], \"peak_mb\": %.1f}\n", peak_mb());
    fflush(answers);
  }
  gpt2_free(&model);
  free(inputs);
  free(labels);
  return 0;
}
