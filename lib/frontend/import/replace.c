/* replace.c - weights of a model replaced by tensors of safetensors files (option `weights`).
 *
 * A weight is found by its name; else by its name behind a prefix that is the same for all of them, which the file or the model has and the other
 * has not ("model.", "module."): of the prefixes that give the longest name not found a tensor, the one that most weights are found by.
 * A weight that shares its bytes with others in the model, and is not in the file, is what one of these is: safetensors keep tied weights once. */
#include "lib/frontend/import/importer.h"
#include "tcc/safetensors.h"

/* At most one of them is not empty. */
typedef struct {
  TccStr more; /* before names of the file */
  TccStr less; /* before names of the model */
} Prefix;

typedef struct {
  Importer *run;
  const TccSafetensors *file;
  const ImportReplaceable *weights;
  const TccSafetensor **found; /* of each weight; NULL: there is none */
  size_t count;
} Replacing;

/* ---- names ---- */
static bool begins(TccStr name, TccStr prefix) {
  return name.length > prefix.length && (!prefix.length || memcmp(name.data, prefix.data, prefix.length) == 0);
}

static const TccSafetensor *find(const Replacing *r, const Prefix *prefix, TccStr name) {
  const TccSafetensor *exact = tcc_safetensors_find(r->file, name);
  if (exact) return exact;
  if (prefix->less.length)
    return begins(name, prefix->less)
               ? tcc_safetensors_find(r->file, (TccStr){name.data + prefix->less.length, name.length - prefix->less.length})
               : NULL;
  if (!prefix->more.length) return NULL;
  const char *longer = tcc_arena_printf(r->run->arena, "%.*s%.*s", TCC_STR_ARG(prefix->more), TCC_STR_ARG(name));
  return tcc_safetensors_find(r->file, tcc_str(longer));
}

static size_t count_found(const Replacing *r, const Prefix *prefix) {
  size_t n = 0;
  for (size_t i = 0; i < r->count; i++) n += find(r, prefix, r->weights[i].name) != NULL;
  return n;
}

static void better(const Replacing *r, Prefix candidate, Prefix *best, size_t *most) {
  size_t n = count_found(r, &candidate);
  if (n <= *most) return;
  *most = n;
  *best = candidate;
}

/* The longest name of a weight that must be there and is not: few others end in it. */
static TccStr longest_missing(const Replacing *r) {
  TccStr longest = {0};
  for (size_t i = 0; i < r->count; i++) {
    TccStr name = r->weights[i].name;
    if (!r->weights[i].optional && name.length > longest.length && !tcc_safetensors_find(r->file, name)) longest = name;
  }
  return longest;
}

static Prefix find_prefix(const Replacing *r) {
  enum { MOST_CANDIDATES = 16 };
  static const Prefix none;
  Prefix best = none;
  TccStr name = longest_missing(r);
  size_t most = count_found(r, &none), tried = 0;
  for (size_t i = 0; name.length && i < r->file->count && tried < MOST_CANDIDATES; i++) {
    TccStr other = r->file->tensors[i].name;
    size_t before = other.length > name.length ? other.length - name.length : 0;
    if (!before || other.data[before - 1] != '.' || memcmp(other.data + before, name.data, name.length) != 0) continue;
    better(r, (Prefix){.more = {other.data, before}}, &best, &most);
    tried++;
  }
  for (size_t i = 0; i < name.length; i++)
    if (name.data[i] == '.') better(r, (Prefix){.less = {name.data, i + 1}}, &best, &most);
  return best;
}

static void find_all(Replacing *r) {
  Prefix prefix = find_prefix(r);
  TccMap *shared = tcc_map_create(r->run->arena);
  r->found = TCC_NEW_ARRAY(r->run->arena, const TccSafetensor *, r->count + 1);
  for (size_t i = 0; i < r->count; i++) {
    r->found[i] = find(r, &prefix, r->weights[i].name);
    if (r->found[i] && r->weights[i].shared.length) tcc_map_put(shared, r->weights[i].shared, NULL)->constant = r->found[i];
  }
  for (size_t i = 0; i < r->count; i++) {
    const TccMapEntry *other = r->found[i] || !r->weights[i].shared.length ? NULL : tcc_map_find(shared, r->weights[i].shared);
    if (other) r->found[i] = other->constant;
  }
}

/* ---- what is wrong, all at once ---- */
static bool same_form(const ImportReplaceable *weight, const TccSafetensor *tensor) {
  bool same = weight->elem && weight->elem == tensor->elem && weight->rank == tensor->rank;
  for (size_t i = 0; same && i < weight->rank; i++) same = weight->dims[i] == tensor->dims[i];
  return same;
}

static void put_sizes(TccText *out, size_t rank, const int64_t *dims) {
  for (size_t i = 0; i < rank; i++) tcc_text_printf(out, "%s%lld", i ? "x" : "[", (long long)dims[i]);
  if (rank) tcc_text_printf(out, "]");
}

static void put_differing(TccText *out, const ImportReplaceable *weight, const TccSafetensor *tensor) {
  tcc_text_printf(out, "'%.*s' (%s", TCC_STR_ARG(weight->name), weight->elem ? tcc_elem_name(weight->elem) : "a type of its own");
  put_sizes(out, weight->rank, weight->dims);
  tcc_text_printf(out, "; in the file %.*s", TCC_STR_ARG(tensor->type));
  put_sizes(out, tensor->rank, tensor->dims);
  tcc_text_printf(out, ")");
}

static bool check_all(const Replacing *r, const char *path) {
  TccText missing = {0}, other = {0};
  size_t nmissing = 0, nother = 0;
  for (size_t i = 0; i < r->count; i++) {
    const ImportReplaceable *weight = &r->weights[i];
    if (!r->found[i] && !weight->optional) tcc_text_printf(&missing, "%s'%.*s'", nmissing++ ? ", " : "", TCC_STR_ARG(weight->name));
    if (!r->found[i] || same_form(weight, r->found[i])) continue;
    tcc_text_printf(&other, "%s", nother++ ? ", " : "");
    put_differing(&other, weight, r->found[i]);
  }
  TccText all = {0};
  if (nmissing) tcc_text_printf(&all, "; it lacks %zu: %s", nmissing, missing.data);
  if (nother) tcc_text_printf(&all, "; of another type or size are %zu: %s", nother, other.data);
  if (all.length)
    import_run_fail(r->run, false, "%s has not the weights of the model, of which there are %zu%s", path, r->count, all.data);
  bool ok = !all.length;
  tcc_text_destroy(&missing);
  tcc_text_destroy(&other);
  tcc_text_destroy(&all);
  return ok;
}

/* ---- places ---- */
/* The file becomes a source. Where its tensors lie is compiled in, so its header is noted as read: of an index all. */
static bool adopt(Importer *run, TccSafetensorsFile *file, bool index, int64_t *out_number) {
  enum { LENGTH_BYTES = 8 };
  const unsigned char *length = file->map.data;
  uint64_t header = 0;
  TccStatus *status = tcc_sources_adopt(run->sources, file->path, &file->map, out_number);
  if (!import_run_fail_status(run, status)) return false;
  for (int i = LENGTH_BYTES; !index && i-- > 0;) header = header << 8 | length[i];
  size_t bytes = tcc_sources_file(run->sources, (size_t)*out_number)->length;
  tcc_sources_note(run->sources, tcc_str("the header"), *out_number, 0, index ? bytes : LENGTH_BYTES + header);
  return true;
}

static bool adopt_all(Replacing *r, TccSafetensors *file) {
  Importer *run = r->run;
  int64_t number, *numbers = TCC_NEW_ARRAY(run->arena, int64_t, file->nfiles + 1);
  if (file->index.path && !adopt(run, &file->index, true, &number)) return false;
  for (size_t i = 0; i < file->nfiles; i++)
    if (!adopt(run, &file->files[i], false, &numbers[i])) return false;
  run->replacements = tcc_map_create(run->arena);
  for (size_t i = 0; i < r->count; i++) {
    const TccSafetensor *tensor = r->found[i];
    if (!tensor) continue;
    TccSourcePlace *place = TCC_NEW(run->arena, TccSourcePlace);
    TccStatus *status = tcc_sources_place(run->sources, numbers[tensor->file], tensor->offset, tensor->bytes, place);
    if (!import_run_fail_status(run, status)) return false;
    tcc_map_put(run->replacements, r->weights[i].name, NULL)->pointer = place;
  }
  return true;
}

bool import_replace_weights(Importer *run, const ImportReplaceable *weights, size_t count) {
  const char *path = run->options->weights;
  TccSafetensors *file;
  if (!count) return import_run_fail(run, false, "the model has no weights that %s could replace", path);
  if (!import_run_fail_status(run, tcc_safetensors_open(path, &file))) return false;
  Replacing r = {.run = run, .file = file, .weights = weights, .count = count};
  find_all(&r);
  bool ok = check_all(&r, path) && adopt_all(&r, file);
  tcc_safetensors_close(file);
  return ok;
}

const TccSourcePlace *import_replacement(const Importer *run, TccStr name) {
  const TccMapEntry *entry = run->replacements ? tcc_map_find(run->replacements, name) : NULL;
  return entry ? entry->constant : NULL;
}
