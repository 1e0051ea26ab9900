/* main.c - which sentences mean the same? A compiled sentence-embedding model, used from C with one header.
 *
 *     minilm MODEL.so VOCAB.txt [--tokens] [--threads N] [-] [SENTENCE ...]
 *
 * Sentences come from the arguments, from standard input ("-", one a line), or are the ten below. They are tokenised, padded
 * to the longest, run as one batch, and compared: the model gives vectors of length 1, so a dot product is the cosine. */
#include "tcc/runtime.h"
#include "wordpiece.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_TOKENS = 256, SHOWN_PAIRS = 12, TIMED_RUNS = 20 };

static const char *const example[] = {
    "The cat sleeps on the warm windowsill.",          "A small kitten is napping in the sun.",
    "My dog loves to chase the ball in the park.",     "Puppies need training and a lot of patience.",
    "The central bank raised interest rates again.",   "Stock markets fell after the inflation report.",
    "Investors are worried about rising bond yields.", "Bring the soup to a boil and add the chopped carrots.",
    "Knead the dough and let it rise for an hour.",    "Season the roasted vegetables with salt and olive oil.",
};

typedef struct {
  const char *model, *vocabulary;
  char **sentences;
  size_t count;
  unsigned threads;
  bool tokens_only;
} Options;

/* The batch: three matrices of count rows and `length` columns, in the order ids, mask, types. */
typedef struct {
  int64_t *ids, *mask, *types;
  int64_t shape[2];
} Batch;

typedef struct {
  size_t a, b;
  float similarity;
} Pair;

static double now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (memory) return memory;
  fprintf(stderr, "minilm: out of memory\n");
  exit(1);
}

/* ---- input ---- */

static void add_sentence(Options *options, const char *text, size_t length) {
  char **grown = realloc(options->sentences, (options->count + 1) * sizeof *grown);
  char *copy = allocate(length + 1, 1);
  if (!grown) exit(1);
  memcpy(copy, text, length);
  options->sentences = grown;
  options->sentences[options->count++] = copy;
}

static void read_lines(Options *options) {
  char *line = NULL;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, stdin)) >= 0;) {
    while (length && strchr("\r\n", line[length - 1])) --length;
    if (length) add_sentence(options, line, (size_t)length);
  }
  free(line);
}

static void usage(void) {
  fprintf(stderr, "usage: minilm MODEL.so VOCAB.txt [--tokens] [--threads N] [-] [SENTENCE ...]\n");
  exit(2);
}

static void parse_arguments(int argc, char **argv, Options *options) {
  for (int i = 1; i < argc; ++i) {
    const char *text = argv[i];
    if (strcmp(text, "--tokens") == 0) options->tokens_only = true;
    else if (strcmp(text, "--threads") == 0 && i + 1 < argc) options->threads = (unsigned)strtoul(argv[++i], NULL, 10);
    else if (strcmp(text, "-") == 0) read_lines(options);
    else if (strncmp(text, "--", 2) == 0) usage();
    else if (!options->model) options->model = text;
    else if (!options->vocabulary) options->vocabulary = text;
    else add_sentence(options, text, strlen(text));
  }
  if (!options->vocabulary) usage();
  if (!options->count)
    for (size_t i = 0; i < sizeof example / sizeof *example; ++i) add_sentence(options, example[i], strlen(example[i]));
}

static Batch encode(const Wordpiece *tokenizer, const Options *options) {
  size_t longest = 0, *lengths = allocate(options->count, sizeof *lengths);
  int64_t *rows = allocate(options->count * MAX_TOKENS, sizeof *rows);
  for (size_t i = 0; i < options->count; ++i) {
    lengths[i] =
        wordpiece_encode(tokenizer, options->sentences[i], strlen(options->sentences[i]), rows + i * MAX_TOKENS, MAX_TOKENS);
    if (lengths[i] > longest) longest = lengths[i];
  }
  size_t total = options->count * longest;
  Batch batch = {.ids = allocate(total, 8),
                 .mask = allocate(total, 8),
                 .types = allocate(total, 8),
                 .shape = {(int64_t)options->count, (int64_t)longest}};
  for (size_t i = 0; i < options->count; ++i)
    for (size_t j = 0; j < lengths[i]; ++j) {
      batch.ids[i * longest + j] = rows[i * MAX_TOKENS + j];
      batch.mask[i * longest + j] = 1;
    }
  free(lengths);
  free(rows);
  return batch;
}

static void print_tokens(const Batch *batch) {
  for (int64_t i = 0; i < batch->shape[0]; ++i) {
    for (int64_t j = 0; j < batch->shape[1] && batch->mask[i * batch->shape[1] + j]; ++j)
      printf("%s%lld", j ? " " : "", (long long)batch->ids[i * batch->shape[1] + j]);
    printf("\n");
  }
}

/* ---- the model ---- */

/* The graph says by name which of the three matrices it wants where. */
static TccStatus *bind(const TccModel *model, Batch *batch, TccTensor inputs[3]) {
  static const char *const names[] = {"input_ids", "attention_mask", "token_type_ids"};
  int64_t *const data[] = {batch->ids, batch->mask, batch->types};
  size_t count = tcc_model_input_count(model);
  if (count != 3 || tcc_model_output_count(model) != 1)
    return TCC_ERROR(TCC_INVALID, "the model has %zu inputs and %zu outputs, not 3 and 1", count, tcc_model_output_count(model));
  for (size_t i = 0; i < count; ++i) {
    const char *name = tcc_model_input(model, i)->name;
    size_t which = 0;
    while (which < 3 && strcmp(name, names[which]) != 0) ++which;
    if (which == 3) return TCC_ERROR(TCC_INVALID, "the model has an input '%s'", name);
    inputs[i] = (TccTensor){
        .data = data[which], .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_INT, 64, 1}, .shape = batch->shape};
  }
  return NULL;
}

static int by_similarity(const void *a, const void *b) {
  float x = ((const Pair *)a)->similarity, y = ((const Pair *)b)->similarity;
  return (x < y) - (x > y);
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_pairs(const Options *options, const TccTensor *embeddings) {
  size_t count = options->count, width = (size_t)embeddings->shape[1], npairs = 0;
  const float *rows = embeddings->data;
  Pair *pairs = allocate(count * (count - 1) / 2, sizeof *pairs);
  for (size_t a = 0; a < count; ++a)
    for (size_t b = a + 1; b < count; ++b) {
      float dot = 0;
      for (size_t k = 0; k < width; ++k) dot += rows[a * width + k] * rows[b * width + k];
      pairs[npairs++] = (Pair){a, b, dot};
    }
  qsort(pairs, npairs, sizeof *pairs, by_similarity);
  for (size_t i = 0; i < npairs && i < SHOWN_PAIRS; ++i)
    printf("%6.3f  %s\n        %s\n", (double)pairs[i].similarity, options->sentences[pairs[i].a], options->sentences[pairs[i].b]);
  if (npairs > SHOWN_PAIRS)
    printf("        ... and %zu pairs below %.3f\n", npairs - SHOWN_PAIRS, (double)pairs[SHOWN_PAIRS - 1].similarity);
  free(pairs);
}

static TccStatus *run(const Options *options, Batch *batch) {
  TccStatus *status = NULL;
  TccModel *model = NULL;
  TccContext *context = NULL;
  TccTensor inputs[3], embeddings = {0};
  double start = now_ms(), loaded, first, times[TIMED_RUNS];
  TCC_GOTO(tcc_model_load(options->model, NULL, &model));
  TCC_GOTO(tcc_context_create(model, &(TccContextOptions){.threads = options->threads}, &context));
  loaded = now_ms();
  TCC_GOTO(bind(model, batch, inputs));
  TCC_GOTO(tcc_context_run(context, inputs, 3, &embeddings, 1));
  first = now_ms();
  for (size_t i = 0; i < TIMED_RUNS; ++i) {
    double from = now_ms();
    embeddings.data = NULL;
    TCC_GOTO(tcc_context_run(context, inputs, 3, &embeddings, 1));
    times[i] = now_ms() - from;
  }
  qsort(times, TIMED_RUNS, sizeof *times, by_value);
  if (embeddings.rank != 2 || embeddings.dtype.code != TCC_DTYPE_FLOAT || embeddings.dtype.bits != 32)
    TCC_GOTO(TCC_ERROR(TCC_INVALID, "the model's output is no matrix of f32"));
  print_pairs(options, &embeddings);
  printf("\n%lld sentences of up to %lld tokens: load %.1f ms, first run %.2f ms, then %.2f ms\n", (long long)batch->shape[0],
         (long long)batch->shape[1], loaded - start, first - loaded, times[TIMED_RUNS / 2]);
done:
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  return status;
}

int main(int argc, char **argv) {
  Options options = {0};
  parse_arguments(argc, argv, &options);
  Wordpiece *tokenizer = NULL;
  Batch batch = {0};
  TccStatus *status = wordpiece_load(options.vocabulary, &tokenizer);
  if (!status) batch = encode(tokenizer, &options);
  if (!status && options.tokens_only) print_tokens(&batch);
  else if (!status) status = run(&options, &batch);
  if (status) fprintf(stderr, "minilm: %s\n", tcc_status_message(status));
  int code = status ? 1 : 0;
  tcc_status_destroy(status);
  wordpiece_destroy(tokenizer);
  free(batch.ids);
  free(batch.mask);
  free(batch.types);
  for (size_t i = 0; i < options.count; ++i) free(options.sentences[i]);
  free(options.sentences);
  return code;
}
