/* Files with weights that are not those of the compilation: sizes, the model, what is compiled in, samples, all bytes. A plan by hand. */
#include "plan_builder.h"
#include "tcc/wire.h"
#include <stdio.h>
#include <unistd.h>

static int failures;

static void expect_status(TccStatus *status, TccCode code, const char *message) {
  bool ok = tcc_status_code(status) == code && (!message || strstr(tcc_status_message(status), message));
  if (!ok)
    printf("failed: got %s (%s), want %s (%s)\n", tcc_code_name(tcc_status_code(status)), status ? tcc_status_message(status) : "",
           tcc_code_name(code), message ? message : "");
  failures += !ok;
  tcc_status_destroy(status);
}

/* r[i] = a[i] + b[i] */
static void add(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  for (int64_t i = 0; i < sizes[0]; i++)
    ((float *)arguments[2])[i] = ((const float *)arguments[0])[i] + ((const float *)arguments[1])[i];
}
static TccKernelFunction *find(const char *symbol, void *user) { return (void)user, strcmp(symbol, "add") == 0 ? add : NULL; }

enum { COUNT = 256, SMALL = 16 };
static float weights[COUNT + SMALL]; /* w, then what was compiled in */

static void write_file(const char *path, const void *data, size_t length) {
  TccStatus *status = tcc_file_write_quickly(path, data, length);
  if (status) abort();
}

/* main(x: f32[COUNT]) = x + w; w in weights.bin, behind it numbers that were compiled in; model.onnx has no weight. */
static void *make_plan(TccIdentity identity) {
  Plan p;
  size_t bytes;
  plan_open(&p);
  uint32_t call = plan_call(&p, "add", false, "256", "1");
  const char *const bytes_of = (const char *)weights;
  TccPlanSource model = {.name = plan_text(&p, "model.onnx"), .identity = identity, .is_model = 1, .bytes = 5},
                file = {.name = plan_text(&p, "weights.bin"), .identity = identity, .bytes = sizeof weights};
  tcc_status_destroy(tcc_wire_digest("model.onnx", (TccStr){"model", 5}, model.model));
  TCC_VEC_PUSH(p.arena, &p.sources, model);
  TCC_VEC_PUSH(p.arena, &p.sources, file);
  TccPlanWeight w = {.name = plan_text(&p, "w"), .source = 1, .length = COUNT * sizeof(float)};
  const TccStr all = {bytes_of, w.length};
  w.sample = tcc_digest_sample(all.data, all.length);
  tcc_status_destroy(tcc_digest_pieces(&all, 1, 1, &w.digest));
  TCC_VEC_PUSH(p.arena, &p.weights, w);
  TccPlanRead read = {.name = plan_text(&p, "s"), .source = 1, .offset = w.length, .length = SMALL * sizeof(float)};
  tcc_digest(bytes_of + read.offset, read.length, read.digest);
  TCC_VEC_PUSH(p.arena, &p.reads, read);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "256", 0);
  plan_value(&p, TCC_PLAN_WEIGHT, TCC_ELEM_F32, "256", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "256", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0, 1), LIST(&p, 2), none);
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 3}, .commands = {0, 1}, .arguments = 1, .results = LIST(&p, 2)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), 2, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  return plan_finish(&p, &bytes);
}

static void expect_load(const void *plan, TccVerify verify, TccCode code, const char *message) {
  TccModel *model;
  const TccLoadOptions options = {.weights_dir = ".", .verify = verify, .threads = 1};
  expect_status(tcc_model_create((TccArtifact){.plan = plan}, find, NULL, &options, &model), code, message);
  tcc_model_destroy(model);
}

static void expect_all(const void *plan, TccCode code, const char *message) {
  expect_load(plan, TCC_VERIFY_SAMPLES, code, message);
  expect_load(plan, TCC_VERIFY_LAYOUT, code, message);
  expect_load(plan, TCC_VERIFY_FULL, code, message);
  expect_load(plan, TCC_VERIFY_NONE, TCC_OK, NULL);
}

int main(void) {
  char folder[] = "/tmp/tcc-identity-XXXXXX";
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  for (int i = 0; i < COUNT + SMALL; i++) weights[i] = (float)i;
  void *plan = make_plan(TCC_IDENTITY_FULL), *samples = make_plan(TCC_IDENTITY_SAMPLES), *unknown = make_plan(TCC_IDENTITY_NONE);
  expect_load(plan, TCC_VERIFY_SAMPLES, TCC_NOT_FOUND, "weights.bin");
  write_file("weights.bin", weights, sizeof weights);
  expect_all(plan, TCC_OK, NULL); /* the model need not be there */
  write_file("model.onnx", "model", 5);
  expect_all(plan, TCC_OK, NULL);
  expect_load(samples, TCC_VERIFY_SAMPLES, TCC_OK, NULL);
  expect_load(samples, TCC_VERIFY_FULL, TCC_UNSUPPORTED, "no digests of all bytes");
  write_file("model.onnx", "other", 5);
  expect_all(plan, TCC_MISMATCH, "model.onnx has changed since the artifact was compiled, not only in large weights");
  write_file("model.onnx", "longer", 6);
  expect_all(plan, TCC_MISMATCH, "model.onnx has 6 bytes, 5 when the artifact was compiled");
  expect_load(unknown, TCC_VERIFY_SAMPLES, TCC_OK, NULL);
  write_file("model.onnx", "model", 5);

  weights[COUNT + 3] = -1;
  write_file("weights.bin", weights, sizeof weights);
  expect_all(plan, TCC_MISMATCH, "tensor 's' of weights.bin is compiled in and has changed");
  weights[COUNT + 3] = COUNT + 3;
  weights[0] = -1; /* in the sample */
  write_file("weights.bin", weights, sizeof weights);
  expect_load(plan, TCC_VERIFY_SAMPLES, TCC_MISMATCH, "weight 'w' of weights.bin has changed");
  expect_load(plan, TCC_VERIFY_LAYOUT, TCC_OK, NULL);
  expect_load(plan, TCC_VERIFY_FULL, TCC_MISMATCH, "weight 'w' of weights.bin has changed");
  weights[0] = 0;
  weights[20] = -1; /* in none */
  write_file("weights.bin", weights, sizeof weights);
  expect_load(plan, TCC_VERIFY_SAMPLES, TCC_OK, NULL);
  expect_load(plan, TCC_VERIFY_FULL, TCC_MISMATCH, "weight 'w' of weights.bin has changed");
  write_file("weights.bin", weights, sizeof weights - 4);
  expect_all(plan, TCC_MISMATCH, "weights.bin has 1084 bytes, 1088 when the artifact was compiled");
  unlink("weights.bin");
  unlink("model.onnx");
  if (chdir("/") == 0) rmdir(folder);
  free(plan);
  free(samples);
  free(unknown);
  if (!failures) printf("ok\n");
  return failures != 0;
}
