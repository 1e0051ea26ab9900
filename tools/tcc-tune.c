/* tcc-tune.c - measures the schedules of a model's kernels ahead of time; shows and joins what was found. */
#include "tcc/compile.h"
#include "tcc/ptxas.h"
#include "tcc/target.h"
#include "tcc/tune.h"
#include "tools/common.h"
#include "tools/json_text.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
  OPT_TARGET,
  OPT_NUMERICS,
  OPT_AUTOCAST,
  OPT_INDICES,
  OPT_THREADS,
  OPT_TIME_LIMIT,
  OPT_JOBS,
  OPT_INPUT,
  OPT_DIM,
  OPT_NO_DEDUP,
  OPT_PTXAS,
  OPT_WEIGHTS,
  OPT_SHOW,
  OPT_JSON,
  OPT_MERGE,
  OPT_OUTPUT,
  OPT_DB,
  OPT_QUIET
};
static const TccOption table[] = {
    [OPT_TARGET] = {"--target", "TARGET", "x86[,MACHINE][,SIZES] or nvptx,sm_NN, of the device here; default: this machine"},
    [OPT_NUMERICS] = {"--numerics", "KIND", "as it will be compiled, as of tcc-compile: kernels differ in it"},
    [OPT_AUTOCAST] = {"--autocast", "TYPE", "likewise"},
    [OPT_INDICES] = {"--indices", "KIND", "likewise"},
    [OPT_THREADS] = {"--threads", "N", "threads that will run the model; default: one for each CPU"},
    [OPT_TIME_LIMIT] = {"--time-limit", "SECONDS", "stop measuring then; a later run goes on where this one stopped"},
    [OPT_JOBS] = {"--jobs", "N", "threads that compile candidates; default: one for each CPU"},
    [OPT_INPUT] = {"--input", "NAME=FILE", "an input that decides shapes or gives sizes"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size to measure with; sizes that are not given count as 64"},
    [OPT_NO_DEDUP] = {"--no-dedup", NULL, "as it will be compiled: each copy of a repeated region by itself"},
    [OPT_PTXAS] =
        {"--ptxas", "FILE",
         "of target nvptx: the assembler that makes cubins of candidates, or none; default: $TCC_PTXAS, else ptxas of $PATH, else "
         "the driver compiles PTX"},
    [OPT_WEIGHTS] =
        {"--weights", "DIR|FILE",
         "where the files with the weights of the model are; default: beside it; FILE.safetensors or its index (.json): these "
         "replace the model's (docs/weights.md)"},
    [OPT_SHOW] = {"--show", NULL, "print what was found for all kernels"},
    [OPT_JSON] = {"--json", NULL, "with --show: as JSON"},
    [OPT_MERGE] = {"--merge", NULL, "join the databases that are named into the one of -o"},
    [OPT_OUTPUT] = {"-o", "FILE", "the database that --merge makes or adds to"},
    [OPT_QUIET] = {"--quiet", NULL, "no line of progress, which a terminal gets of work that takes long"},
    [OPT_DB] = {"--db", "FILE", "the database; default: $TCC_TUNE_DB, else tune-2.db in the cache directory"},
};
static const TccCommand command = {
    .name = "tcc-tune",
    .usage = "MODEL [options] | --show [--json] | --merge A B ... -o C",
    .summary = "Measures the schedules of a model's kernels on this machine; later compilations use what was found.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
};

enum { MOST = 64 };
typedef struct {
  const char *files[MOST], *output, *db;
  size_t nfiles;
  bool show, json, merge, named, assembles; /* named: by --db; assembles: --ptxas was given */
  TccCompileOptions compile;
} Options;

/* ---- the table ---- */
typedef struct {
  json_t *rows; /* with --json */
  size_t count, measured, changed;
  double log_sum; /* of default / best */
  char last[512]; /* machine, target and threads of the rows above */
} Table;

static void add_json(Table *t, const TccRecord *r) {
  json_t *row = json_pack("{s:s,s:s,s:s,s:s,s:s,s:s,s:s,s:i,s:s,s:b,s:I,s:I}", "kernel", r->name, "shape", r->shape, "sizes",
                          r->sizes, "digest", r->key.digest, "target", r->key.target, "machine", r->key.machine, "emitter",
                          r->key.emitter, "threads", (int)r->key.threads, "default_schedule", r->default_schedule, "finished",
                          r->finished, "candidates", (json_int_t)r->candidates, "lost", (json_int_t)r->lost);
  if (row && r->lost) json_object_set_new(row, "lost_why", json_string(r->lost_why));
  if (row && r->finished) json_object_set_new(row, "best_schedule", json_string(r->best_schedule));
  if (row && r->default_ms >= 0) json_object_set_new(row, "default_ms", json_real(r->default_ms));
  if (row && r->best_ms >= 0) json_object_set_new(row, "best_ms", json_real(r->best_ms));
  json_array_append_new(t->rows, row);
}

static void add_row(const TccRecord *r, void *user) {
  Table *t = user;
  char place[sizeof t->last];
  bool measured = r->finished && r->default_ms > 0 && r->best_ms > 0;
  t->count++;
  t->measured += measured;
  if (measured) t->log_sum += log(r->default_ms / r->best_ms);
  if (measured) t->changed += strcmp(r->default_schedule, r->best_schedule) != 0;
  if (t->rows) {
    add_json(t, r);
    return;
  }
  int length = snprintf(place, sizeof place, "%s; %s", r->key.machine, r->key.target);
  if (r->key.threads && length < (int)sizeof place)
    snprintf(place + length, sizeof place - (size_t)length, "; %u threads", r->key.threads);
  if (strcmp(place, t->last) != 0) {
    printf("%s%s\n%-28s %-28s %11s %11s  %s\n", t->count > 1 ? "\n" : "", place, "kernel", "shape", "default ms", "best ms",
           "best schedule");
    memcpy(t->last, place, sizeof place);
  }
  printf("%-28s %-28s", r->name, r->shape);
  if (measured)
    printf(" %11.4f %11.4f  %s", r->default_ms, r->best_ms,
           strcmp(r->default_schedule, r->best_schedule) ? r->best_schedule : "the default");
  else printf(" %11s %11s  %s", "-", "-", r->finished ? "the default: it could not be measured" : "not finished");
  printf("%s%s\n", *r->sizes ? "  with " : "", r->sizes);
  if (r->lost) printf("  %lld of %lld schedules have no time: %s\n", (long long)r->lost, (long long)r->candidates, r->lost_why);
}

static TccStatus *show(const Options *o) {
  TccRecords *records;
  TCC_TRY(tcc_records_open(o->db, false, &records));
  if (!records && o->named)
    return TCC_ERROR(TCC_NOT_FOUND, "%s: %s", o->db,
                     access(o->db, F_OK) ? "No such file or directory" : "no database yet, an empty file");
  Table t = {.rows = o->json ? json_array() : NULL};
  TccStatus *status = records ? tcc_records_visit(records, add_row, &t) : NULL;
  double gain = t.measured ? exp(t.log_sum / (double)t.measured) : 1;
  if (!status && t.rows) {
    json_t *root = json_pack("{s:o,s:I,s:I,s:f,s:O}", "database", tcc_json_text(o->db), "measured", (json_int_t)t.measured,
                             "changed", (json_int_t)t.changed, "default_over_best", gain, "kernels", t.rows);
    json_dumpf(root, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
    printf("\n");
    json_decref(root);
  } else if (!status) {
    printf("%s%zu kernels in %s, %zu measured, %zu not by default; default / best, geometric mean: %.3f\n", t.count ? "\n" : "",
           t.count, o->db, t.measured, t.changed, gain);
  }
  json_decref(t.rows);
  tcc_records_close(records);
  return status;
}

/* ---- the other actions ---- */
static TccStatus *merge(const Options *o) {
  TccRecords *records;
  for (size_t i = 0; i < o->nfiles; i++) { /* what is wrong is said before anything is written */
    if (access(o->files[i], F_OK) != 0) return TCC_ERROR(TCC_NOT_FOUND, "%s: No such file or directory", o->files[i]);
    TCC_TRY(tcc_records_open(o->files[i], false, &records));
    tcc_records_close(records);
  }
  TCC_TRY(tcc_records_open(o->output, true, &records));
  TccStatus *status = NULL;
  for (size_t i = 0; i < o->nfiles && !status; i++) status = tcc_records_merge(records, o->files[i]);
  tcc_records_close(records);
  return status;
}

static TccStatus *tune(Options *o) {
  setenv("TCC_TUNE_DB", o->db, 1);
  o->compile.mode = TCC_MODE_MAX_AUTOTUNE;
  TccCompileResult result;
  TccStatus *status = tcc_compile(o->files[0], &o->compile, &result);
  tcc_progress(NULL, NULL);
  tcc_compile_result_destroy(&result);
  return status ? status : show(o);
}

/* ---- options ---- */
/* One that does not parse is said by the compilation. */
static void check_target(const char *text) {
  TccArena *arena = tcc_arena_create();
  const TccTargetInfo *target;
  TccStatus *status = text ? tcc_target_parse(arena, text, &target) : NULL;
  bool fixed = text && !status && !target->of->ntunables;
  tcc_status_destroy(status);
  tcc_arena_destroy(arena);
  if (fixed) tcc_usage_error(&command, "kernels of this target have no schedules: --target=%s", text);
}

static void parse(int argc, char **argv, Options *o) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  *o = (Options){.compile.progress = tcc_progress, .compile.ptxas = TCC_PTXAS_FIND};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (o->nfiles == MOST) tcc_usage_error(&command, "more than %d files", MOST);
      o->files[o->nfiles++] = arg.value;
      break;
    case OPT_TARGET: o->compile.target = arg.value; break;
    case OPT_NUMERICS:
      o->compile.numerics = (TccNumerics)tcc_arg_word(&command, &arg, tcc_numerics_words, TCC_NUMERICS_COUNT);
      break;
    case OPT_AUTOCAST:
      o->compile.autocast = (TccAutocast)tcc_arg_word(&command, &arg, tcc_autocast_words, TCC_AUTOCAST_COUNT);
      break;
    case OPT_INDICES: o->compile.indices = (TccIndices)tcc_arg_word(&command, &arg, tcc_indices_words, TCC_INDICES_COUNT); break;
    case OPT_THREADS: o->compile.threads = tcc_arg_threads(&command, &arg); break;
    case OPT_TIME_LIMIT:
      o->compile.tune_seconds = tcc_arg_number(&command, &arg);
      if (!(o->compile.tune_seconds > 0)) tcc_usage_error(&command, "--time-limit is a number of seconds above zero");
      break;
    case OPT_JOBS: o->compile.jobs = tcc_arg_threads(&command, &arg); break;
    case OPT_INPUT: tcc_add_input(&command, &arg, &o->compile); break;
    case OPT_DIM: tcc_add_dim(&command, &arg, &o->compile); break;
    case OPT_PTXAS:
      o->compile.ptxas = arg.value;
      o->assembles = true;
      break;
    case OPT_NO_DEDUP: o->compile.no_dedup = true; break;
    case OPT_WEIGHTS: tcc_take_weights(&command, &arg, &o->compile); break;
    case OPT_SHOW: o->show = true; break;
    case OPT_JSON: o->json = true; break;
    case OPT_MERGE: o->merge = true; break;
    case OPT_OUTPUT: o->output = arg.value; break;
    case OPT_QUIET: o->compile.progress = NULL; break;
    case OPT_DB:
      o->db = arg.value;
      o->named = true;
      break;
    }
  }
  if (o->merge && (o->show || o->db)) tcc_usage_error(&command, "--merge takes databases and -o alone");
  if (o->merge && (!o->nfiles || !o->output)) tcc_usage_error(&command, "--merge needs databases and -o FILE");
  for (size_t i = 0; o->merge && i < o->nfiles; i++)
    if (tcc_same_file(o->output, o->files[i]))
      tcc_usage_error(&command, "-o %s is one of the databases that are joined: it has what is in it", o->output);
  if (!o->merge && o->output) tcc_usage_error(&command, "-o goes with --merge");
  if (o->json && !o->show) tcc_usage_error(&command, "--json goes with --show");
  const char *tunes = o->compile.target                              ? "--target"
                      : o->compile.threads                           ? "--threads"
                      : o->compile.jobs                              ? "--jobs"
                      : o->compile.tune_seconds                      ? "--time-limit"
                      : o->compile.ninputs                           ? "--input"
                      : o->compile.ndims                             ? "--dim"
                      : o->compile.numerics                          ? "--numerics"
                      : o->compile.autocast                          ? "--autocast"
                      : o->compile.indices                           ? "--indices"
                      : o->compile.no_dedup                          ? "--no-dedup"
                      : o->assembles                                 ? "--ptxas"
                      : o->compile.weights_dir || o->compile.weights ? "--weights"
                                                                     : NULL;
  if ((o->show || o->merge) && tunes)
    tcc_usage_error(&command, "%s is for measuring a model, not for %s", tunes, o->show ? "--show" : "--merge");
  check_target(o->compile.target);
  if (o->show && o->nfiles) tcc_usage_error(&command, "--show takes no model");
  if (!o->merge && !o->show && o->nfiles != 1) tcc_usage_error(&command, "one model is needed; see tcc-tune --help");
}

int main(int argc, char **argv) {
  Options options;
  parse(argc, argv, &options);
  char *place = options.db || options.merge ? NULL : tcc_records_place();
  if (!options.db) options.db = place;
  TccStatus *status = NULL;
  if (!options.merge && !options.db) status = TCC_ERROR(TCC_NOT_FOUND, "no place for tuning records: set TCC_TUNE_DB");
  if (!status) status = options.merge ? merge(&options) : options.show ? show(&options) : tune(&options);
  tcc_compile_options_free(&options.compile);
  free(place);
  return tcc_exit_status(&command, status);
}
