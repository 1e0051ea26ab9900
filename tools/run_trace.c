/* run_trace.c - what each thread did when, in the JSON format that Perfetto and chrome://tracing read: an array of events, times in
 * microseconds ("Trace Event Format", Google 2016: X is a span, M names a row). */
#include "run.h"
#include "tools/json_text.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS = 1, RUNS_ROW = 0, FIRST_THREAD_ROW = 1 };

void run_trace_take(const TccTraceEvent *event, void *trace) {
  RunTrace *t = trace;
  t->lost += event->lost;
  if (event->thread + 1 > t->threads) t->threads = event->thread + 1;
  if (t->count == t->room) {
    size_t room = t->room ? 2 * t->room : 1024;
    TccTraceEvent *events = realloc(t->events, room * sizeof *events);
    t->failed = t->failed || !events;
    if (!events) return;
    t->events = events, t->room = room;
  }
  t->events[t->count++] = *event;
}

void run_trace_run(RunTrace *t, double begin_ms, double end_ms) {
  if (t->runs == RUN_TRACE_MOST) return;
  t->begins[t->runs] = begin_ms * 1e6;
  t->ends[t->runs++] = end_ms * 1e6;
}

static json_t *row_name(unsigned row, const char *name) {
  return json_pack("{s:s,s:s,s:i,s:i,s:{s:s}}", "name", "thread_name", "ph", "M", "pid", PROCESS, "tid", (int)row, "args", "name",
                   name);
}

/* Nanoseconds in, microseconds since the first run out. */
static json_t *span(const RunTrace *t, unsigned row, const char *name, const char *category, double begin, double end) {
  return json_pack("{s:s,s:s,s:s,s:i,s:i,s:f,s:f}", "name", name, "cat", category, "ph", "X", "pid", PROCESS, "tid", (int)row, "ts",
                   (begin - t->begins[0]) / 1e3, "dur", (end - begin) / 1e3);
}

static json_t *event_json(const RunTrace *t, const TccTraceEvent *event) {
  const unsigned row = FIRST_THREAD_ROW + event->thread;
  /* a thread may have waited since before the first run, where time begins */
  if (!event->kernel) return span(t, row, "wait", "wait", fmax(event->begin, t->begins[0]), fmax(event->end, t->begins[0]));
  json_t *root = span(t, row, event->kernel, event->kind, event->begin, event->end);
  if (root)
    json_object_set_new(root, "args",
                        json_pack("{s:o,s:I,s:I}", "node", tcc_json_text(event->node), "first", (json_int_t)event->first, "tiles",
                                  (json_int_t)event->tiles));
  return root;
}

/* Takes the object; false: it is NULL, or the file is full. */
static bool put(FILE *file, json_t *object, bool *first) {
  bool ok =
      object && fputs(*first ? "[\n" : ",\n", file) >= 0 && json_dumpf(object, file, JSON_COMPACT | JSON_REAL_PRECISION(12)) == 0;
  *first = false;
  json_decref(object);
  return ok;
}

static bool put_all(const RunTrace *t, FILE *file) {
  bool first = true, ok = put(file, row_name(RUNS_ROW, "runs"), &first);
  char name[32];
  for (unsigned i = 0; ok && i < t->threads; i++) {
    snprintf(name, sizeof name, i ? "thread %u" : "thread %u, the caller", i);
    ok = put(file, row_name(FIRST_THREAD_ROW + i, name), &first);
  }
  for (size_t i = 0; ok && i < t->runs; i++) {
    snprintf(name, sizeof name, "run %zu", i + 1);
    ok = put(file, span(t, RUNS_ROW, name, "run", t->begins[i], t->ends[i]), &first);
  }
  for (size_t i = 0; ok && i < t->count; i++) ok = put(file, event_json(t, &t->events[i]), &first);
  return ok && fputs("\n]\n", file) >= 0;
}

TccStatus *run_trace_write(const RunTrace *t, const char *path) {
  if (t->failed) return TCC_ERROR_NO_MEMORY();
  if (t->lost)
    fprintf(stderr, "tcc-run: --trace: %llu pieces of work are missing, there were too many\n", (unsigned long long)t->lost);
  errno = 0;
  FILE *file = fopen(path, "w");
  bool failed = !file || !put_all(t, file);
  if (file) failed |= fclose(file) != 0;
  return failed ? TCC_ERROR(TCC_IO, "%s: cannot be written: %s", path, strerror(errno)) : NULL;
}

void run_trace_destroy(RunTrace *t) {
  free(t->events);
  *t = (RunTrace){0};
}
