/* tcc-train.c - trains a model on data, with checkpoints, validation and a log; see include/tcc/train.h. */
#include "tcc/clock.h"
#include "tcc/train.h"
#include "tools/common.h"
#include "tools/profile.h"
#include "train_data.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  OPT_FREEZE = TCC_OPT_FREEZE,
  OPT_DATA = TCC_OPT_SHARED,
  OPT_STEPS,
  OPT_EPOCHS,
  OPT_LOSS,
  OPT_TRAIN,
  OPT_OPTIMIZER,
  OPT_MEMORY,
  OPT_DIM,
  OPT_SEED,
  OPT_CHECKPOINT,
  OPT_EVERY,
  OPT_RESUME,
  OPT_LOG,
  OPT_VALIDATE,
  OPT_VALIDATE_EVERY,
  OPT_PATIENCE,
  OPT_EXPORT,
  OPT_PROFILE,
  OPT_REPORT
};
static const TccOption table[] = {
    TCC_COMPILE_OPTIONS,
    [OPT_DATA] = {"--data", "PATH",
                  "a folder with NAME.npy or input_K.npy for each input, a .safetensors file, or a file of tokens"},
    [OPT_STEPS] = {"--steps", "N", "steps in all, those before --resume too"},
    [OPT_EPOCHS] = {"--epochs", "N", "the same as times through the data; default 1"},
    [OPT_LOSS] =
        {"--loss", "LOSS",
         "the output that is minimised, default: the only float scalar; or a loss behind an output and its options:\ncross_entropy, binary_cross_entropy, mse, l1, huber; \"cross_entropy of=logits ignore=0\" (see pass tcc-loss)"},
    [OPT_TRAIN] = {"--train", "PATTERNS", "weights that are trained, as file names are matched, with commas between; default: all"},
    [OPT_FREEZE] = {"--freeze", "PATTERNS", "weights that stay as they are"},
    [OPT_OPTIMIZER] = {"--optimizer", "OPTIONS", "those of the pass tcc-optimizer: \"kind=adamw lr=0.001 clip-norm=1\""},
    [OPT_MEMORY] =
        {"--memory", "BYTES",
         "limit, such as 512M, of what a step is planned to need, parameters, states, intermediate results and what kernels work in together:\n"
         "what does not fit is computed again. No limit of the process, whose code and compiler come on top"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size becomes this constant"},
    [OPT_SEED] = {"--seed", "N", "of the order of samples and of what the model draws; default 0"},
    [OPT_CHECKPOINT] = {"--checkpoint", "FILE", "where parameters, states and the place in the data are kept, a .safetensors file"},
    [OPT_EVERY] = {"--every", "N", "steps between checkpoints; default: at the end, and at Ctrl-C"},
    [OPT_RESUME] = {"--resume", NULL, "go on from the checkpoint, if there is one"},
    [OPT_LOG] = {"--log", "FILE", "a line of JSON for each step and validation; with --resume behind those that are there"},
    [OPT_VALIDATE] = {"--validate", "PATH", "data of which the mean loss is told"},
    [OPT_VALIDATE_EVERY] = {"--validate-every", "N", "steps between validations; default: at the end"},
    [OPT_PATIENCE] = {"--patience", "N", "stop after so many validations without a lower loss"},
    [OPT_EXPORT] = {"--export", "FILE", "write the .onnx with the parameters at the end"},
    [OPT_PROFILE] =
        {"--profile", "[=time]",
         "print the time of each kernel of a step at the end, the median of the last 15 but the first one, as of tcc-run"},
    [OPT_REPORT] = {"--report", "FILE", "write steps, times, memory and what --profile prints as JSON"},
};
static const TccCommand command = {
    .name = "tcc-train",
    .usage = "MODEL --data PATH [options]",
    .summary = "Trains a model: its loss is an output, its parameters are its weights.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
};

typedef struct {
  TccTrainOptions train;
  const char *model, *data, *checkpoint, *log, *validate, *export, *report;
  int64_t steps, epochs, every, validate_every, patience, seed;
  bool resume, profile, profile_by_time;
} Options;

typedef struct {
  const Options *o;
  TccTrainer *trainer;
  TrainData data, validation;
  FILE *log;
  int64_t place[3]; /* seed, samples taken, samples there are */
  int64_t saved;    /* step of the last checkpoint; -1: none */
  double best;
  int64_t worse; /* validations since */
  Profile profile;
  double create_ms;
  double *times; /* milliseconds of each step of this process */
  size_t ntimes, room;
} Session;

static volatile sig_atomic_t interrupted;

/* The first signal ends training behind the step that runs, with a checkpoint; a second one of its kind ends the process (SA_RESETHAND).
 * Writes go on behind it (SA_RESTART). */
static void interrupt(int signal) {
  static const char text[] = "\ntcc-train: ends after this step; the same signal again ends it now\n";
  ssize_t ignored = write(STDERR_FILENO, text, sizeof text - 1);
  (void)ignored;
  interrupted = signal;
}

static int64_t positive(const TccArg *arg) {
  int64_t value = tcc_arg_integer(&command, arg);
  if (value < 1) tcc_usage_error(&command, "%.*s must be 1 at least", TCC_STR_ARG(arg->name));
  return value;
}

/* What is written, with its option; --export may go over the model. */
enum { EXPORT, CHECKPOINT, LOG, REPORT, OUTPUTS };
static const int output_options[OUTPUTS] = {OPT_EXPORT, OPT_CHECKPOINT, OPT_LOG, OPT_REPORT};

static void list_outputs(const Options *o, const char *out[OUTPUTS]) {
  out[EXPORT] = o->export, out[CHECKPOINT] = o->checkpoint, out[LOG] = o->log, out[REPORT] = o->report;
}

static void check_outputs(const Options *o) {
  const char *outputs[OUTPUTS];
  list_outputs(o, outputs);
  for (int i = 0; i < OUTPUTS; i++) {
    const char *option = table[output_options[i]].name;
    if (i != EXPORT) tcc_check_output(&command, option, outputs[i], o->model, "the model");
    tcc_check_output(&command, option, outputs[i], o->data, "the data");
    tcc_check_output(&command, option, outputs[i], o->validate, "the data of --validate");
    for (int k = i + 1; k < OUTPUTS; k++)
      if (outputs[i] && outputs[k] && strcmp(outputs[i], outputs[k]) == 0)
        tcc_usage_error(&command, "%s and %s name one file", option, table[output_options[k]].name);
  }
}

/* Of a folder with data the files that are read are known when it is open. */
static TccStatus *check_data(const Options *o, const TrainData *data) {
  const char *outputs[OUTPUTS];
  list_outputs(o, outputs);
  for (int i = 0; i < OUTPUTS; i++)
    if (outputs[i] && train_data_is(data, outputs[i]))
      return TCC_ERROR(TCC_INVALID, "%s %s: data of the training is in this file, it is not overwritten",
                       table[output_options[i]].name, outputs[i]);
  return NULL;
}

static void parse(int argc, char **argv, Options *o) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  *o = (Options){.train.compile.progress = tcc_progress};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    if (arg.option != OPT_FREEZE && tcc_compile_option(&command, &arg, &o->train.compile)) continue;
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (o->model) tcc_usage_error(&command, "one model at a time: '%s' and '%s'", o->model, arg.value);
      o->model = arg.value;
      break;
    case OPT_DATA: o->data = arg.value; break;
    case OPT_STEPS: o->steps = positive(&arg); break;
    case OPT_EPOCHS: o->epochs = positive(&arg); break;
    case OPT_LOSS: o->train.loss = arg.value; break;
    case OPT_TRAIN: o->train.train = arg.value; break;
    case OPT_FREEZE: o->train.freeze = arg.value; break;
    case OPT_OPTIMIZER: o->train.optimizer = arg.value; break;
    case OPT_MEMORY: o->train.memory = tcc_arg_bytes(&command, &arg); break;
    case OPT_DIM: tcc_add_dim(&command, &arg, &o->train.compile); break;
    case OPT_SEED: o->seed = o->train.seed = tcc_arg_integer(&command, &arg); break;
    case OPT_CHECKPOINT: o->checkpoint = arg.value; break;
    case OPT_EVERY: o->every = positive(&arg); break;
    case OPT_RESUME: o->resume = true; break;
    case OPT_LOG: o->log = arg.value; break;
    case OPT_VALIDATE: o->validate = arg.value; break;
    case OPT_VALIDATE_EVERY: o->validate_every = positive(&arg); break;
    case OPT_PATIENCE: o->patience = positive(&arg); break;
    case OPT_EXPORT: o->export = arg.value; break;
    case OPT_PROFILE:
      o->profile = true;
      o->profile_by_time = profile_parse(&command, &arg);
      break;
    case OPT_REPORT: o->report = arg.value; break;
    }
  }
  if (!o->model || !o->data) tcc_usage_error(&command, "a model and --data are needed; see tcc-train --help");
  check_outputs(o);
  const char *ending = o->export ? strrchr(o->export, '.') : NULL;
  if (ending && (strcmp(ending, ".pt2") == 0 || strcmp(ending, ".json") == 0))
    tcc_usage_error(&command, "--export %s: what is written is an .onnx", o->export);
  if (o->steps && o->epochs) tcc_usage_error(&command, "--steps and --epochs exclude each other");
  if ((o->resume || o->every) && !o->checkpoint) tcc_usage_error(&command, "--resume and --every go with --checkpoint");
  if ((o->validate_every || o->patience) && !o->validate)
    tcc_usage_error(&command, "--validate-every and --patience go with --validate");
}

/* ---- pieces of a run ---- */
static TccStatus *save(Session *s) {
  if (!s->o->checkpoint || s->saved == tcc_trainer_steps(s->trainer)) return NULL;
  TCC_TRY(tcc_trainer_save(s->trainer, s->o->checkpoint, s->place, 3));
  s->saved = tcc_trainer_steps(s->trainer);
  return NULL;
}

static TccStatus *resume(Session *s) {
  int64_t place[3];
  s->place[0] = s->o->seed, s->place[2] = s->data.count;
  if (!s->o->resume || access(s->o->checkpoint, F_OK) != 0) return NULL;
  TCC_TRY(tcc_trainer_restore(s->trainer, s->o->checkpoint, place, 3));
  if (place[0] != s->place[0] || place[2] != s->place[2])
    return TCC_ERROR(TCC_MISMATCH, "%s is of another run: seed %lld and %lld samples", s->o->checkpoint, (long long)place[0],
                     (long long)place[2]);
  if (place[1] < 0 || place[1] > INT64_MAX / 2)
    return TCC_ERROR(TCC_INVALID, "%s: %lld is no place in the data", s->o->checkpoint, (long long)place[1]);
  s->place[1] = place[1], s->saved = tcc_trainer_steps(s->trainer);
  return NULL;
}

static TccStatus *write_log(Session *s, const char *line) {
  if (!s->log || (fputs(line, s->log) >= 0 && fflush(s->log) == 0)) return NULL;
  return TCC_ERROR(TCC_IO, "%s: %s", s->o->log, strerror(errno));
}

static TccStatus *validate(Session *s, bool *out_stop) {
  double sum = 0, loss;
  int64_t batches = s->validation.count / s->validation.size;
  char line[128];
  for (int64_t i = 0; i < batches; i++, sum += loss) {
    train_data_batch(&s->validation, i * s->validation.size, 0, false);
    TCC_TRY(tcc_trainer_evaluate(s->trainer, s->validation.batch, s->validation.ninputs, &loss));
  }
  double mean = sum / (double)batches;
  long long step = (long long)tcc_trainer_steps(s->trainer);
  s->worse = mean < s->best ? 0 : s->worse + 1;
  if (mean < s->best) s->best = mean;
  *out_stop = s->o->patience && s->worse >= s->o->patience;
  tcc_progress(NULL, NULL);
  printf("step %lld: validation %.6g\n", step, mean);
  snprintf(line, sizeof line, "{\"step\":%lld,\"validation\":%.9g}\n", step, mean);
  return write_log(s, line);
}

static TccStatus *note_time(Session *s, double ms) {
  if (s->ntimes == s->room) {
    size_t room = s->room ? 2 * s->room : 64;
    double *times = realloc(s->times, room * sizeof *times);
    if (!times) return TCC_ERROR_NO_MEMORY();
    s->times = times, s->room = room;
  }
  s->times[s->ntimes++] = ms;
  return NULL;
}

static TccStatus *step(Session *s, double *out_loss) {
  char line[128];
  double start = tcc_now_ms();
  train_data_batch(&s->data, s->place[1], (uint64_t)s->o->seed, true);
  TccStatus *status = tcc_trainer_step(s->trainer, s->data.batch, s->data.ninputs, out_loss);
  if (status && s->o->checkpoint && s->saved >= 0)
    status = tcc_status_context(status, "%s has step %lld", s->o->checkpoint, (long long)s->saved);
  if (status) return status;
  s->place[1] += s->data.size;
  double ms = tcc_now_ms() - start;
  TCC_TRY(note_time(s, ms));
  long long number = (long long)tcc_trainer_steps(s->trainer);
  snprintf(line, sizeof line, "step %lld: loss %.6g, %.2f ms", number, *out_loss, ms);
  tcc_progress(line, NULL);
  snprintf(line, sizeof line, "{\"step\":%lld,\"loss\":%.9g,\"ms\":%.3f}\n", number, *out_loss, ms);
  return write_log(s, line);
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

static TccStatus *write_report(Session *s, double loss) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  const double first = s->ntimes ? s->times[0] : 0;
  double *later = s->times + 1;
  const size_t n = s->ntimes > 1 ? s->ntimes - 1 : 0;
  if (n) qsort(later, n, sizeof *later, by_value);
  json_t *root = json_pack("{s:I,s:f,s:f,s:f,s:{s:f,s:f,s:f,s:I},s:f}", "steps", (json_int_t)tcc_trainer_steps(s->trainer),
                           "create_ms", s->create_ms, "first_step_ms", first, "peak_rss_mb", (double)usage.ru_maxrss / 1024,
                           "step_ms", "median", n ? later[n / 2] : first, "p10", n ? later[n / 10] : first, "p90",
                           n ? later[n * 9 / 10] : first, "n", (json_int_t)n, "loss", loss);
  if (root && isnan(loss)) json_object_set_new(root, "loss", json_null());
  if (root && tcc_trainer_memory(s->trainer))
    json_object_set_new(root, "planned_bytes", json_integer((json_int_t)tcc_trainer_memory(s->trainer)));
  if (root && tcc_trainer_peak(s->trainer))
    json_object_set_new(root, "planned_peak_bytes", json_integer((json_int_t)tcc_trainer_peak(s->trainer)));
  if (root) profile_add_json(&s->profile, root);
  return profile_write_json(root, s->o->report);
}

static TccStatus *tell(Session *s, double loss) {
  const TccCompileOptions *compile = &s->o->train.compile;
  if (s->o->profile && s->ntimes) {
    if (!compile->target || strncmp(compile->target, "nvptx", 5) != 0) profile_measure_machine(&s->profile, compile->threads);
    TCC_TRY(profile_print(&s->profile, s->o->profile_by_time));
  }
  return s->o->report ? write_report(s, loss) : NULL;
}

static TccStatus *run(Session *s) {
  const Options *o = s->o;
  bool stop = false;
  double loss = NAN;
  const int64_t per_epoch = s->data.count / s->data.size, epochs = o->epochs ? o->epochs : 1,
                last = o->steps                         ? o->steps
                       : epochs > INT64_MAX / per_epoch ? INT64_MAX
                                                        : epochs * per_epoch;
  while (!interrupted && !stop && tcc_trainer_steps(s->trainer) < last) {
    TCC_TRY(step(s, &loss));
    int64_t done = tcc_trainer_steps(s->trainer);
    if (o->every && done % o->every == 0) TCC_TRY(save(s));
    if (o->validate && (done == last || (o->validate_every && done % o->validate_every == 0))) TCC_TRY(validate(s, &stop));
  }
  tcc_progress(NULL, NULL);
  if (s->ntimes) printf("step %lld: loss %.6g\n", (long long)tcc_trainer_steps(s->trainer), loss);
  else if (!interrupted) printf("step %lld: no step is left of %lld\n", (long long)tcc_trainer_steps(s->trainer), (long long)last);
  TCC_TRY(save(s));
  TCC_TRY(tell(s, loss));
  return o->export && !interrupted ? tcc_trainer_export(s->trainer, o->export) : NULL;
}

/* Of two errors both are told. */
static TccStatus *both(TccStatus *first, TccStatus *second) {
  if (!first || !second) return first ? first : second;
  TccStatus *all = TCC_ERROR(tcc_status_code(first), "%s\n%s", tcc_status_message(first), tcc_status_message(second));
  tcc_status_destroy(first);
  tcc_status_destroy(second);
  return all;
}

static TccStatus *begin(Session *s) {
  const Options *o = s->o;
  if (o->checkpoint) TCC_TRY(tcc_file_check_name(o->checkpoint));
  if (o->export) TCC_TRY(tcc_file_check_name(o->export));
  if (o->report) TCC_TRY(tcc_file_check_name(o->report));
  TccTrainOptions train = o->train;
  if (o->profile) train.profile = profile_take, train.profile_user = &s->profile;
  const double start = tcc_now_ms();
  TCC_TRY(tcc_trainer_create(o->model, &train, &s->trainer));
  s->create_ms = tcc_now_ms() - start;
  if (o->export) TCC_TRY(tcc_trainer_exports(s->trainer));
  if (o->train.memory)
    printf("memory: %zu bytes are planned, %zu with the process\n", tcc_trainer_memory(s->trainer), tcc_trainer_peak(s->trainer));
  TccStatus *data = train_data_open(s->trainer, o->data, &s->data);
  TCC_TRY(both(data, o->validate ? train_data_open(s->trainer, o->validate, &s->validation) : NULL));
  TCC_TRY(check_data(o, &s->data));
  TCC_TRY(check_data(o, &s->validation));
  TCC_TRY(resume(s));
  if (o->log && !(s->log = fopen(o->log, o->resume ? "a" : "w"))) return TCC_ERROR(TCC_IO, "%s: %s", o->log, strerror(errno));
  return NULL;
}

int main(int argc, char **argv) {
  Options o;
  parse(argc, argv, &o);
  Session s = {.o = &o, .saved = -1, .best = INFINITY};
  TccStatus *status = begin(&s);
  tcc_progress(NULL, NULL);
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  if (!status) status = run(&s);
  if (s.log) fclose(s.log);
  train_data_close(&s.validation);
  train_data_close(&s.data);
  tcc_trainer_destroy(s.trainer);
  profile_destroy(&s.profile);
  free(s.times);
  tcc_compile_options_free(&o.train.compile);
  int code = tcc_exit_status(&command, status);
  return code == TCC_EXIT_OK && interrupted ? 128 + interrupted : code;
}
