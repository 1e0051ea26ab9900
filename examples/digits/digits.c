/* digits.c - reads a digit that was drawn with characters, by the network of train.py.
 *
 *     digits digits.so < three.txt
 *
 * A drawing has 7 lines of 5 characters; a blank or a point is paper, anything else is ink. */
#include <stdio.h>
#include <tcc/runtime.h>

enum { ROWS = 7, COLUMNS = 5, DIGITS = 10 };

static void read_drawing(FILE *file, float image[ROWS][COLUMNS]) {
  char line[256];
  for (int row = 0; row < ROWS && fgets(line, sizeof line, file); row++)
    for (int column = 0; column < COLUMNS && line[column] && line[column] != '\n'; column++)
      image[row][column] = line[column] != ' ' && line[column] != '.';
}

static TccStatus *run(const char *artifact) {
  float image[ROWS][COLUMNS] = {{0}}, chances[DIGITS];
  int64_t image_shape[] = {1, 1, ROWS, COLUMNS}, chances_shape[] = {1, DIGITS};
  const TccDtype f32 = {TCC_DTYPE_FLOAT, 32, 1};
  TccTensor input = {.data = image, .device = {TCC_DEVICE_CPU, 0}, .rank = 4, .dtype = f32, .shape = image_shape};
  TccTensor output = {.data = chances, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = f32, .shape = chances_shape};
  TccStatus *status = NULL;
  TccModel *model = NULL;
  TccContext *context = NULL;
  read_drawing(stdin, image);
  TCC_GOTO(tcc_model_load(artifact, NULL, &model));
  TCC_GOTO(tcc_context_create(model, NULL, &context));
  TCC_GOTO(tcc_context_run(context, &input, 1, &output, 1));
  int best = 0;
  for (int digit = 1; digit < DIGITS; digit++)
    if (chances[digit] > chances[best]) best = digit;
  printf("%d (%.0f %%)\n", best, (double)(100 * chances[best]));
done:
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  return status;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: digits digits.so < DRAWING\n");
    return 2;
  }
  TccStatus *status = run(argv[1]);
  if (!status) return 0;
  fprintf(stderr, "digits: %s\n", tcc_status_message(status));
  tcc_status_destroy(status);
  return 1;
}
