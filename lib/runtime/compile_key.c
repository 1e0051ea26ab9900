/* compile_key.c - the key of a model's artifact in the compile cache: what the compilation depended on, as text.
 *
 * It has two levels, since what a compilation reads is not known before there was one. The first is the model but for the numbers of its large
 * tensors (tcc_wire_digest), and options, machine and versions. Under it the cache has a list (kind "inputs"), a part a line: "input K NAME",
 * an input whose value was compiled in, and "read OFFSET LENGTH FILE", bytes of a file with weights that were. With values and digests of these
 * the key is whole. So other weights find the artifact, unless they differ in what it has inside; and an artifact that did not read some bytes
 * is right whatever they are. */
#include "internal.h"
#include "tcc/tune.h"
#include "tcc/wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void put_model(TccText *key, const char *model, const uint8_t digest[TCC_DIGEST_BYTES]) {
  char hex[2 * TCC_DIGEST_BYTES + 1];
  const char *slash = strrchr(model, '/');
  tcc_digest_text(digest, hex);
  tcc_text_printf(key, "model: %s %s\n", slash ? slash + 1 : model, hex); /* the name: weights refer to it */
}

/* Which file it is; what is compiled in of it is a part of the second level. */
static void put_weights(TccText *key, const char *path) {
  char *whole = realpath(path, NULL);
  tcc_text_printf(key, "weights: %s\n", whole ? whole : path);
  free(whole);
}

void tcc_key_put(const char *model, const uint8_t digest[TCC_DIGEST_BYTES], const TccCompileOptions *options, TccText *key) {
  put_model(key, model, digest);
  tcc_text_printf(key, "options: target %s, mode %s, numerics %s, autocast %s, indices %s, effort %s, regions %s%s\n",
                  options->target ? options->target : "of this machine", tcc_mode_words[tcc_mode_of_artifact(options->mode)],
                  tcc_numerics_words[options->numerics], tcc_autocast_words[options->autocast], tcc_indices_words[options->indices],
                  tcc_effort_words[options->effort], options->no_dedup ? "off" : "on",
                  options->freeze ? ", static parameters" : "");
  if (options->ptxas) tcc_text_printf(key, "ptxas: %s\n", options->ptxas);
  if (options->weights) put_weights(key, options->weights);
  for (size_t i = 0; i < options->ndims; i++)
    tcc_text_printf(key, "size: %s %lld%s\n", options->dims[i].name, (long long)options->dims[i].size,
                    options->specialise ? ", no other" : "");
  for (size_t i = 0; i < options->nties; i++)
    tcc_text_printf(key, "in place: %s %s\n", options->ties[i].output, options->ties[i].input);
  tcc_records_key(key);
  tcc_cache_key_machine(key);
  tcc_cache_key_build(key);
}

TccStatus *tcc_compile_key(const char *model, const TccCompileOptions *options, TccText *key) {
  TccFileMap map;
  uint8_t digest[TCC_DIGEST_BYTES];
  TCC_TRY(tcc_file_map(model, &map));
  TccStatus *status = tcc_wire_digest(model, (TccStr){map.data, map.length}, digest);
  tcc_file_unmap(&map);
  TCC_TRY(status);
  tcc_key_put(model, digest, options, key);
  return tcc_text_status(key);
}

void tcc_key_put_sizes(const TccCompileOptions *options, TccText *key) {
  for (size_t i = 0; i < options->ninputs; i++) {
    tcc_text_printf(key, "sizes: %s", options->inputs[i].name);
    for (int axis = 0; axis < options->inputs[i].tensor->rank; axis++)
      tcc_text_printf(key, " %lld", (long long)options->inputs[i].tensor->dims[axis]);
    tcc_text_printf(key, "\n");
  }
}

/* ---- files that change ---- */
static void put_state(const char *path, TccText *out) {
  struct stat info;
  if (stat(path, &info) != 0) info = (struct stat){0};
  tcc_text_printf(out, "%llx %llu %lld %lld.%09ld %lld.%09ld\n", (unsigned long long)info.st_dev, (unsigned long long)info.st_ino,
                  (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec, (long long)info.st_ctim.tv_sec,
                  info.st_ctim.tv_nsec);
}

void tcc_watch_add(TccWatch *watch, const char *path) {
  tcc_text_put(&watch->paths, path, strlen(path) + 1);
  put_state(path, &watch->states);
}

TccStatus *tcc_watch_check(const TccWatch *watch, bool *out_changed) {
  TCC_TRY(tcc_text_status(&watch->paths));
  TCC_TRY(tcc_text_status(&watch->states));
  TccText states = {0};
  for (size_t at = 0; at < watch->paths.length; at += strlen(watch->paths.data + at) + 1)
    put_state(watch->paths.data + at, &states);
  TccStatus *status = tcc_text_status(&states);
  *out_changed = !status && !tcc_str_equal(tcc_text_str(&states), tcc_text_str(&watch->states));
  tcc_text_destroy(&states);
  return status;
}

void tcc_watch_destroy(TccWatch *watch) {
  tcc_text_destroy(&watch->paths);
  tcc_text_destroy(&watch->states);
}

/* ---- the second level ---- */
typedef struct {
  const char *model;
  const TccCompileOptions *options;
  TccWatch *watch;
  TccText path; /* of the file that is mapped: reads of one follow each other */
  TccFileMap map;
} Parts;

/* The first word of *line, which goes on behind it and the blank. */
static TccStr next_word(TccStr *line) {
  const char *end = line->length ? memchr(line->data, ' ', line->length) : NULL;
  TccStr word = {line->data, end ? (size_t)(end - line->data) : line->length};
  line->data += word.length + (end != NULL);
  line->length -= word.length + (end != NULL);
  return word;
}

static bool next_number(TccStr *line, uint64_t *out) {
  TccStr word = next_word(line);
  *out = 0;
  for (size_t i = 0; i < word.length; i++) {
    if (word.data[i] < '0' || word.data[i] > '9') return false;
    *out = *out * 10 + (uint64_t)(word.data[i] - '0');
  }
  return word.length > 0;
}

static bool put_input(const Parts *parts, TccStr line, TccText *key) {
  const TccCompileOptions *options = parts->options;
  TccStr number = next_word(&line), name = line;
  const TccHostTensor *tensor = NULL;
  for (size_t i = 0; i < options->ninputs && !tensor; i++) {
    const char *given = options->inputs[i].name;
    if (tcc_str_is(name, given) || (given[0] == '#' && tcc_str_is(number, given + 1))) tensor = options->inputs[i].tensor;
  }
  if (!tensor) return false;
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(tensor->data, tensor->bytes, digest);
  tcc_text_printf(key, "input: %.*s %s", TCC_STR_ARG(name), digest);
  for (int axis = 0; axis < tensor->rank; axis++) tcc_text_printf(key, " %lld", (long long)tensor->dims[axis]);
  tcc_text_printf(key, "\n");
  return true;
}

void tcc_key_put_read(TccStr file, uint64_t offset, uint64_t length, const uint8_t digest[TCC_DIGEST_BYTES], TccText *key) {
  char hex[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_text(digest, hex);
  tcc_text_printf(key, "read: %llu %llu %s %.*s\n", (unsigned long long)offset, (unsigned long long)length, hex, TCC_STR_ARG(file));
}

static bool put_read(Parts *parts, TccStr line, TccText *key) {
  uint64_t offset, length;
  uint8_t digest[TCC_DIGEST_BYTES];
  if (!next_number(&line, &offset) || !next_number(&line, &length)) return false;
  const char *slash = strrchr(parts->model, '/'), *folder = parts->options->weights_dir;
  const bool own = tcc_str_is(line, slash ? slash + 1 : parts->model);
  TccText path = {0};
  if (line.length && line.data[0] == '/') tcc_text_put(&path, line.data, line.length);
  else if (own || !folder)
    tcc_text_printf(&path, "%.*s%.*s", slash ? (int)(slash + 1 - parts->model) : 0, parts->model, TCC_STR_ARG(line));
  else tcc_text_printf(&path, "%s/%.*s", folder, TCC_STR_ARG(line));
  bool mapped = !path.failed;
  if (mapped && !tcc_str_equal(tcc_text_str(&path), tcc_text_str(&parts->path))) {
    tcc_file_unmap(&parts->map);
    if (parts->watch) tcc_watch_add(parts->watch, path.data);
    TccStatus *status = tcc_file_map(path.data, &parts->map);
    mapped = !status;
    tcc_status_destroy(status);
  }
  tcc_text_destroy(&parts->path);
  parts->path = path;
  if (!mapped || offset > parts->map.length || length > parts->map.length - offset) return false;
  tcc_digest((const char *)parts->map.data + offset, length, digest);
  tcc_key_put_read(line, offset, length, digest, key);
  return true;
}

bool tcc_key_put_parts(const char *model, const TccCompileOptions *options, TccStr list, TccWatch *watch, TccText *key) {
  Parts parts = {.model = model, .options = options, .watch = watch};
  bool ok = true;
  while (ok && list.length) {
    const char *end = memchr(list.data, '\n', list.length);
    TccStr line = {list.data, end ? (size_t)(end - list.data) : list.length};
    list.data += line.length + (end != NULL);
    list.length -= line.length + (end != NULL);
    TccStr kind = next_word(&line);
    ok = tcc_str_is(kind, "read") ? put_read(&parts, line, key) : tcc_str_is(kind, "input") && put_input(&parts, line, key);
  }
  tcc_file_unmap(&parts.map);
  tcc_text_destroy(&parts.path);
  return ok;
}
