/* explain_artifact.c - what is in an artifact: for which machines, made with which options, what goes in and comes out, which files
 * it needs, which kernels do which nodes of the model. It is read as data. */
#include "explain.h"
#include "tcc/expr.h"
#include "tcc/file.h"
#include "tcc/plan.h"
#include "tools/json_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* One of the artifacts of a file. */
typedef struct {
  const TccPlanHeader *plan;
  size_t bytes;
  const char *folder; /* of the file: its weights are looked for there */
  uint32_t *runs;     /* how often a run goes through each function */
  TccArena *arena;
} Part;

static const char *text(const Part *part, TccPlanText at) { return tcc_plan_text(part->plan, at); }

static const char *keep(const Part *part, TccText *made) {
  const char *kept = tcc_arena_copy(part->arena, made->data ? made->data : "", made->length);
  tcc_text_destroy(made);
  return kept;
}

/* ---- facts ---- */
typedef struct {
  const char *name;
  uint64_t weights, bytes, needed; /* how many, together; needed: the least size of the file */
  int64_t size;                    /* of the file beside the artifact; -1: there is none */
} File;

/* "seq is at most 512" */
static const char *constraint_text(const Part *part, const TccPlanConstraint *c) {
  static const char *const relations[] = {
      [TCC_SIZES_AT_MOST] = "is at most", [TCC_SIZES_EQUAL] = "is", [TCC_SIZES_MULTIPLE] = "is a multiple of"};
  return tcc_arena_printf(part->arena, "%s %s %s", text(part, c->left_text), relations[c->relation], text(part, c->right_text));
}

/* Those that stand behind the artifacts of the file. */
static File embedded_weights(const Part *part) {
  const TccPlanSource *sources = tcc_plan_at(part->plan, part->plan->sources);
  const TccPlanWeight *weights = tcc_plan_at(part->plan, part->plan->weights);
  File all = {0};
  for (size_t w = 0; w < part->plan->weights.count; w++)
    if (sources[weights[w].source].kind == TCC_SOURCE_ATTACHED) all.weights++, all.bytes += weights[w].length;
  return all;
}

static size_t list_files(const Part *part, File **out) {
  const TccPlanHeader *plan = part->plan;
  const TccPlanSource *sources = tcc_plan_at(plan, plan->sources);
  const TccPlanWeight *weights = tcc_plan_at(plan, plan->weights);
  size_t count = 0;
  *out = TCC_NEW_ARRAY(part->arena, File, plan->sources.count);
  for (uint32_t i = 0; i < plan->sources.count; i++) {
    if (sources[i].kind != TCC_SOURCE_FILE) continue;
    File *file = &(*out)[count];
    *file = (File){.name = text(part, sources[i].name), .size = -1};
    for (size_t w = 0; w < plan->weights.count; w++) {
      if (weights[w].source != i) continue;
      file->weights++;
      file->bytes += weights[w].length;
      if (weights[w].offset + weights[w].length > file->needed) file->needed = weights[w].offset + weights[w].length;
    }
    struct stat info;
    if (stat(tcc_arena_printf(part->arena, "%s%s", *file->name == '/' ? "" : part->folder, file->name), &info) == 0)
      file->size = info.st_size;
    count += file->weights > 0; /* the model's own file may hold none */
  }
  return count;
}

static uint64_t constant_bytes(const Part *part) {
  const TccPlanConstant *constants = tcc_plan_at(part->plan, part->plan->constants);
  uint64_t sum = 0;
  for (size_t i = 0; i < part->plan->constants.count; i++) sum += constants[i].length;
  return sum;
}

/* How often a run calls a kernel, and the nodes that it does there. */
typedef struct {
  const char **nodes;
  size_t nnodes, calls;
} Uses;

static Uses uses_of(const Part *part, uint32_t call) {
  const TccPlanCommand *commands = tcc_plan_at(part->plan, part->plan->commands);
  const uint32_t *indices = tcc_plan_at(part->plan, part->plan->indices);
  const TccPlanFunction *functions = tcc_plan_at(part->plan, part->plan->functions);
  Uses uses = {0};
  for (size_t f = 0; f < part->plan->functions.count; f++)
    for (size_t i = functions[f].commands.first, end = i + functions[f].commands.count; i < end; i++)
      if (commands[i].kind == TCC_PLAN_KERNEL && commands[i].index == call)
        uses.calls += part->runs[f], uses.nnodes += commands[i].nodes.count;
  uses.nodes = TCC_NEW_ARRAY(part->arena, const char *, uses.nnodes);
  for (size_t i = 0, n = 0; i < part->plan->commands.count; i++)
    if (commands[i].kind == TCC_PLAN_KERNEL && commands[i].index == call)
      for (uint32_t k = 0; k < commands[i].nodes.count; k++) uses.nodes[n++] = text(part, indices[commands[i].nodes.first + k]);
  return uses;
}

static const char *isa_text(const Part *part) {
  TccText isa = {0};
  tcc_isa_text(part->plan->isa, &isa);
  return keep(part, &isa);
}

static const char *type_of(const Part *part, bool output, uint32_t index) {
  TccText type = {0};
  tcc_plan_print_type(part->plan, output, index, &type);
  return keep(part, &type);
}

/* ---- as text ---- */
static void print_part(const Part *part) {
  const TccPlanHeader *plan = part->plan;
  printf("for %s, %s: %s\n", text(part, plan->target), text(part, plan->machine), isa_text(part));
  printf("%zu bytes, of which the plan is %llu and constants %llu\n", part->bytes, (unsigned long long)plan->bytes,
         (unsigned long long)constant_bytes(part));
  printf("compiled with:\n");
  for (const char *line = text(part, plan->options); *line;) {
    size_t length = strcspn(line, "\n");
    printf("  %.*s\n", (int)length, line);
    line += length + (line[length] == '\n');
  }
  for (int output = 0; output < 2; output++) {
    TccPlanTable table = output ? plan->outputs : plan->inputs;
    const TccPlanPort *ports = tcc_plan_at(plan, table);
    for (uint32_t i = 0; i < table.count; i++)
      if (!output || ports[i].kind == TCC_PORT_PLAIN)
        printf("%s '%s': %s\n",
               output                            ? "output"
               : ports[i].kind == TCC_PORT_STATE ? "state"
                                                 : "input",
               text(part, ports[i].name), type_of(part, output, i));
  }
  const TccPlanConstraint *constraints = tcc_plan_at(plan, plan->constraints);
  for (size_t i = 0; i < plan->constraints.count; i++)
    printf("sizes: %s (%s)\n", constraint_text(part, &constraints[i]), text(part, constraints[i].origin));
  File *files;
  size_t nfiles = list_files(part, &files);
  for (size_t i = 0; i < nfiles; i++) {
    printf("file '%s': %llu weights, %llu bytes: ", files[i].name, (unsigned long long)files[i].weights,
           (unsigned long long)files[i].bytes);
    const char *where = *files[i].name == '/' ? "there" : "beside the artifact";
    if (files[i].size < 0) printf("it is not %s\n", where);
    else if ((uint64_t)files[i].size < files[i].needed) printf("the one %s is too short\n", where);
    else printf("it is %s\n", where);
  }
  const File embedded = embedded_weights(part);
  if (embedded.weights)
    printf("behind the artifact: %llu weights, %llu bytes\n", (unsigned long long)embedded.weights,
           (unsigned long long)embedded.bytes);
  printf("kernels:\n");
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (uint32_t i = 0; i < plan->calls.count; i++) {
    const TccPlanKernel *kernel = (const TccPlanKernel *)tcc_plan_at(plan, plan->kernels) + calls[i].kernel;
    Uses uses = uses_of(part, i);
    printf("  %s (%s): %u ops in one kernel, called %zu times, by %s\n", text(part, calls[i].name), text(part, calls[i].kind),
           calls[i].ops, uses.calls, text(part, kernel->emitter));
    explain_print_nodes(uses.nodes, uses.nnodes);
    if (kernel->schedule) printf("      schedule: %s\n", text(part, kernel->schedule));
  }
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  for (uint32_t i = 1; i < plan->functions.count; i++)
    printf("region %s: %u kernels, %u ops, called %u times\n", text(part, functions[i].name), functions[i].commands.count,
           functions[i].ops, part->runs[i]);
}

/* ---- as JSON ---- */
static json_t *json_options(const Part *part) {
  json_t *options = json_object();
  for (const char *line = text(part, part->plan->options); *line;) {
    size_t length = strcspn(line, "\n"), name = strcspn(line, ":");
    if (name < length)
      json_object_set_new(options, tcc_arena_copy(part->arena, line, name),
                          tcc_json_text(tcc_arena_copy(part->arena, line + name + 2, length - name - 2)));
    line += length + (line[length] == '\n');
  }
  return options;
}

/* Ports of the caller, or states. */
static json_t *json_ports(const Part *part, bool output, bool states) {
  TccPlanTable table = output ? part->plan->outputs : part->plan->inputs;
  const TccPlanPort *ports = tcc_plan_at(part->plan, table);
  json_t *list = json_array();
  for (uint32_t i = 0; i < table.count; i++)
    if (states == (ports[i].kind >= TCC_PORT_STATE))
      json_array_append_new(list, json_pack("{s:o,s:o}", "name", tcc_json_text(text(part, ports[i].name)), "type",
                                            tcc_json_text(type_of(part, output, i))));
  return list;
}

static json_t *json_part(const Part *part) {
  const TccPlanHeader *plan = part->plan;
  json_t *files = json_array(), *kernels = json_array(), *regions = json_array(), *constraints = json_array();
  File *file;
  const size_t nfiles = list_files(part, &file);
  const File embedded = embedded_weights(part);
  for (size_t i = 0; i < nfiles; i++)
    json_array_append_new(files, json_pack("{s:o,s:I,s:I,s:I}", "name", tcc_json_text(file[i].name), "weights",
                                           (json_int_t)file[i].weights, "bytes", (json_int_t)file[i].bytes, "size",
                                           (json_int_t)file[i].size));
  const TccPlanCall *calls = tcc_plan_at(plan, plan->calls);
  for (uint32_t i = 0; i < plan->calls.count; i++) {
    const TccPlanKernel *kernel = (const TccPlanKernel *)tcc_plan_at(plan, plan->kernels) + calls[i].kernel;
    Uses uses = uses_of(part, i);
    json_array_append_new(kernels, json_pack("{s:s,s:s,s:s,s:s,s:I,s:I,s:o}", "function", text(part, calls[i].name), "kind",
                                             text(part, calls[i].kind), "emitter", text(part, kernel->emitter), "schedule",
                                             text(part, kernel->schedule), "ops", (json_int_t)calls[i].ops, "calls",
                                             (json_int_t)uses.calls, "nodes", explain_nodes_json(uses.nodes, uses.nnodes)));
  }
  const TccPlanFunction *functions = tcc_plan_at(plan, plan->functions);
  for (uint32_t i = 1; i < plan->functions.count; i++)
    json_array_append_new(regions, json_pack("{s:s,s:I,s:I,s:I}", "name", text(part, functions[i].name), "kernels",
                                             (json_int_t)functions[i].commands.count, "ops", (json_int_t)functions[i].ops, "calls",
                                             (json_int_t)part->runs[i]));
  const TccPlanConstraint *constraint = tcc_plan_at(plan, plan->constraints);
  for (size_t i = 0; i < plan->constraints.count; i++)
    json_array_append_new(constraints, tcc_json_text(constraint_text(part, &constraint[i])));
  return json_pack("{s:s,s:s,s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o,s:{s:I,s:I},s:o,s:o}", "target", text(part, plan->target),
                   "machine", text(part, plan->machine), "isa", isa_text(part), "bytes", (json_int_t)part->bytes, "plan_bytes",
                   (json_int_t)plan->bytes, "constant_bytes", (json_int_t)constant_bytes(part), "options", json_options(part),
                   "inputs", json_ports(part, false, false), "outputs", json_ports(part, true, false), "states",
                   json_ports(part, false, true), "constraints", constraints, "files", files, "embedded", "weights",
                   (json_int_t)embedded.weights, "bytes", (json_int_t)embedded.bytes, "kernels", kernels, "regions", regions);
}

/* ---- a file: one artifact behind the other, found from its end on ---- */
static TccStatus *read_parts(TccArena *arena, const char *path, TccStr file, Part *out, size_t room, size_t *out_count) {
  const char *folder = tcc_path_directory(arena, path);
  folder = *folder ? tcc_arena_printf(arena, "%s/", folder) : folder;
  *out_count = 0;
  for (size_t end = file.length; end > 0;) {
    TccArtifactRecord record;
    TCC_TRY(tcc_artifact_check(file.data, end, &record, NULL));
    if (*out_count == room) return TCC_ERROR(TCC_UNSUPPORTED, "more than %zu artifacts in one file", room);
    size_t bytes = tcc_artifact_bytes(&record);
    char *memory = tcc_arena_alloc(arena, bytes + 64), *aligned = memory + (64 - (uintptr_t)memory % 64);
    memcpy(aligned, file.data + end - bytes, bytes);
    Part *part = &out[(*out_count)++];
    *part = (Part){.bytes = bytes, .folder = folder, .arena = arena};
    TCC_TRY(tcc_artifact_plan(aligned, bytes, &part->plan));
    part->runs = TCC_NEW_ARRAY(arena, uint32_t, part->plan->functions.count);
    tcc_plan_count_calls(part->plan, part->runs);
    end -= bytes;
  }
  return NULL;
}

static TccStatus *print_dot(const Part *part) {
  TccText graph = {0};
  explain_dot(part->plan, NULL, 0, &graph);
  TccStatus *status = tcc_text_status(&graph);
  if (!status) printf("%s", graph.data);
  tcc_text_destroy(&graph);
  return status;
}

TccStatus *explain_artifact(const char *path, ExplainForm form, bool plan) {
  enum { MOST = 64 };
  Part parts[MOST];
  size_t count = 0;
  const bool json = form == EXPLAIN_JSON;
  TccFileMap map;
  TCC_TRY(tcc_file_map(path, &map));
  TccArena *arena = tcc_arena_create();
  TccStatus *status = NULL;
  TccStr artifacts;
  TccFileMap weights;
  TCC_GOTO(tcc_artifact_part_file((TccStr){map.data, map.length}, &artifacts, &weights));
  TCC_GOTO(read_parts(arena, path, artifacts, parts, MOST, &count));
  if (form == EXPLAIN_DOT) TCC_GOTO(print_dot(&parts[count - 1]));
  json_t *list = json ? json_array() : NULL;
  for (size_t i = form == EXPLAIN_DOT ? 0 : count; i-- > 0;) { /* in the order of the file */
    if (json) json_array_append_new(list, json_part(&parts[i]));
    else print_part(&parts[i]);
    TccText printed = {0};
    if (plan && !json) tcc_plan_print(parts[i].plan, &printed);
    if (printed.length) printf("%s", printed.data);
    tcc_text_destroy(&printed);
    if (!json && i) printf("\n");
  }
  if (json) status = explain_print_json(json_pack("{s:I,s:o}", "bytes", (json_int_t)map.length, "artifacts", list));
done:
  tcc_file_unmap(&map);
  tcc_arena_destroy(arena);
  return tcc_status_context(status, "%s", path);
}
