/* safetensors.c - headers of safetensors files, checked as the reference implementation does (safetensors/src/tensor.rs), and indices. */
#include "tcc/safetensors.h"
#include "tcc/json.h"
#include <stdlib.h>

enum { HEADER_MOST = 100000000, LENGTH_BYTES = 8 };

static const struct {
  const char *name;
  unsigned bits;
  TccElem elem;
} types[] = {
    {"F32", 32, TCC_ELEM_F32},
    {"F16", 16, TCC_ELEM_F16},
    {"BF16", 16, TCC_ELEM_BF16},
    {"F64", 64, TCC_ELEM_F64},
    {"I64", 64, TCC_ELEM_I64},
    {"I32", 32, TCC_ELEM_I32},
    {"I16", 16, TCC_ELEM_I16},
    {"I8", 8, TCC_ELEM_I8},
    {"U64", 64, TCC_ELEM_U64},
    {"U32", 32, TCC_ELEM_U32},
    {"U16", 16, TCC_ELEM_U16},
    {"U8", 8, TCC_ELEM_U8},
    {"BOOL", 8, TCC_ELEM_BOOL},
    {"F8_E4M3", 8, TCC_ELEM_F8E4M3FN},
    {"F8_E5M2", 8, TCC_ELEM_F8E5M2},
    {"F8_E4M3FNUZ", 8, TCC_ELEM_F8E4M3FNUZ},
    {"F8_E5M2FNUZ", 8, TCC_ELEM_F8E5M2FNUZ},
    {"F8_E8M0", 8, TCC_ELEM_F8E8M0FNU},
    {"C64", 64, TCC_ELEM_NONE},
    {"F4", 4, TCC_ELEM_NONE},
    {"F6_E2M3", 6, TCC_ELEM_NONE},
    {"F6_E3M2", 6, TCC_ELEM_NONE},
};

typedef struct {
  TccJson json;
  TccArena *arena;
  TccMap *names;
  TCC_VEC(TccSafetensor) tensors;
  size_t data, length; /* where the tensors' bytes begin in the file, and how many they are */
  size_t file;
} Reader;

#define FAIL(reader, ...) tcc_json_fail(&(reader)->json, TCC_INVALID, __VA_ARGS__)

/* ---- one tensor ---- */
static void read_dims(Reader *reader, TccSafetensor *tensor) {
  TccJson *json = &reader->json;
  TCC_VEC(int64_t) dims = {0};
  int64_t size;
  for (tcc_json_array(json); tcc_json_element(json);) {
    if (tcc_json_int(json, &size) && size < 0) FAIL(reader, "a size is negative");
    TCC_VEC_PUSH(reader->arena, &dims, size);
  }
  tensor->dims = dims.data;
  tensor->rank = dims.count;
}

static void read_offsets(Reader *reader, TccSafetensor *tensor) {
  TccJson *json = &reader->json;
  int64_t offsets[2] = {0};
  size_t count = 0;
  for (tcc_json_array(json); tcc_json_element(json); count++)
    if (count < 2) tcc_json_int(json, &offsets[count]);
    else tcc_json_skip(json);
  if (json->status) return;
  if (count != 2 || offsets[0] < 0 || offsets[1] < offsets[0] || (uint64_t)offsets[1] > reader->length)
    FAIL(reader, "offsets are not two that lie in the file's %zu bytes of data", reader->length);
  tensor->offset = reader->data + (size_t)offsets[0];
  tensor->bytes = (size_t)(offsets[1] - offsets[0]);
}

/* Elements, and whether they take the bytes that the offsets say. */
static void check_bytes(Reader *reader, TccSafetensor *tensor) {
  size_t type = 0, ntypes = sizeof types / sizeof *types, bits;
  while (type < ntypes && !tcc_str_is(tensor->type, types[type].name)) type++;
  if (type == ntypes) {
    FAIL(reader, "tensor '%.*s' is of the unknown type '%.*s'", TCC_STR_ARG(tensor->name), TCC_STR_ARG(tensor->type));
    return;
  }
  bool fits = true;
  tensor->elem = types[type].elem;
  tensor->count = 1;
  for (size_t i = 0; i < tensor->rank; i++) fits = tcc_mul_size(tensor->count, (size_t)tensor->dims[i], &tensor->count) && fits;
  fits = fits && tcc_mul_size(tensor->count, types[type].bits, &bits) && bits % 8 == 0 && bits / 8 == tensor->bytes;
  if (!fits)
    FAIL(reader, "tensor '%.*s' has %zu bytes, and its type and sizes ask for others", TCC_STR_ARG(tensor->name), tensor->bytes);
}

static void read_tensor(Reader *reader, TccStr name) {
  enum { TYPE = 1, SHAPE = 2, OFFSETS = 4, ALL = 7 };
  TccJson *json = &reader->json;
  TccSafetensor tensor = {.name = name, .file = reader->file};
  TccStr key;
  unsigned seen = 0;
  bool inserted;
  tcc_map_put(reader->names, name, &inserted);
  if (!inserted) FAIL(reader, "tensor '%.*s' is there twice", TCC_STR_ARG(name));
  for (tcc_json_object(json); tcc_json_key(json, &key);) {
    unsigned field = tcc_str_is(key, "dtype")          ? TYPE
                     : tcc_str_is(key, "shape")        ? SHAPE
                     : tcc_str_is(key, "data_offsets") ? OFFSETS
                                                       : 0;
    if (seen & field) FAIL(reader, "'%.*s' is there twice", TCC_STR_ARG(key));
    seen |= field;
    if (field == TYPE) tcc_json_string(json, &tensor.type);
    else if (field == SHAPE) read_dims(reader, &tensor);
    else if (field == OFFSETS) read_offsets(reader, &tensor);
    else tcc_json_skip(json);
  }
  if (json->status) return;
  if (seen != ALL) {
    FAIL(reader, "tensor '%.*s' lacks dtype, shape or data_offsets", TCC_STR_ARG(name));
    return;
  }
  check_bytes(reader, &tensor);
  TCC_VEC_PUSH(reader->arena, &reader->tensors, tensor);
}

static void read_metadata(Reader *reader) {
  TccJson *json = &reader->json;
  TccStr key, value;
  for (tcc_json_object(json); tcc_json_key(json, &key);) tcc_json_string(json, &value);
}

/* ---- one file ---- */
static int order(const void *a, const void *b) {
  const TccSafetensor *x = *(const TccSafetensor *const *)a, *y = *(const TccSafetensor *const *)b;
  if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

/* The bytes belong to one tensor each. */
static TccStatus *check_cover(const Reader *reader, const char *name) {
  size_t count = reader->tensors.count, at = reader->data;
  const TccSafetensor **sorted = TCC_NEW_ARRAY(reader->arena, const TccSafetensor *, count);
  for (size_t i = 0; i < count; i++) sorted[i] = &reader->tensors.data[i];
  qsort(sorted, count, sizeof *sorted, order);
  for (size_t i = 0; i < count; i++) {
    if (sorted[i]->offset != at)
      return TCC_ERROR(TCC_INVALID, "%s, byte %zu: tensor '%.*s' begins %s", name, sorted[i]->offset, TCC_STR_ARG(sorted[i]->name),
                       sorted[i]->offset < at ? "in another one" : "behind a gap");
    at += sorted[i]->bytes;
  }
  if (at == reader->data + reader->length) return NULL;
  return TCC_ERROR(TCC_INVALID, "%s, byte %zu: %zu bytes belong to no tensor", name, at, reader->data + reader->length - at);
}

TccStatus *tcc_safetensors_read(TccArena *arena, TccStr bytes, const char *name, size_t file, TccSafetensor **out,
                                size_t *out_count) {
  uint64_t header = 0;
  *out = NULL;
  *out_count = 0;
  if (bytes.length < LENGTH_BYTES)
    return TCC_ERROR(TCC_INVALID, "%s: cut off: %zu bytes are too few for safetensors", name, bytes.length);
  for (int i = LENGTH_BYTES; i-- > 0;) header = header << 8 | (unsigned char)bytes.data[i];
  if (header > HEADER_MOST)
    return TCC_ERROR(TCC_INVALID, "%s: no safetensors, or a header of more than %d bytes", name, HEADER_MOST);
  if (header > bytes.length - LENGTH_BYTES)
    return TCC_ERROR(TCC_INVALID, "%s: cut off: the header has %llu bytes, the file %zu", name, (unsigned long long)header,
                     bytes.length);
  if (!header || bytes.data[LENGTH_BYTES] != '{')
    return TCC_ERROR(TCC_INVALID, "%s, byte %d: the header does not begin with '{'", name, LENGTH_BYTES);
  Reader *reader = TCC_NEW(arena, Reader);
  TccJson *json = &reader->json;
  TccStr key;
  reader->arena = arena;
  reader->file = file;
  reader->names = tcc_map_create(arena);
  reader->data = LENGTH_BYTES + (size_t)header;
  reader->length = bytes.length - reader->data;
  tcc_json_start(json, arena, tcc_arena_printf(arena, "%s, header", name), (TccStr){bytes.data + LENGTH_BYTES, (size_t)header});
  for (tcc_json_object(json); tcc_json_key(json, &key);) {
    if (tcc_str_is(key, "__metadata__")) read_metadata(reader);
    else read_tensor(reader, key);
  }
  TCC_TRY(tcc_json_finish(json));
  TCC_TRY(check_cover(reader, name));
  *out = reader->tensors.data;
  *out_count = reader->tensors.count;
  return NULL;
}

/* ---- an index ---- */

/* Why a file's name in an index is refused; NULL: it is not. */
static const char *bad_file(TccStr name) {
  static const char ending[] = ".safetensors";
  size_t length = sizeof ending - 1;
  if (memchr(name.data, '/', name.length) || memchr(name.data, '\\', name.length)) return "a file in another folder";
  if (name.length <= length || memcmp(name.data + name.length - length, ending, length) != 0)
    return "a file that does not end in .safetensors";
  return NULL;
}

/* name -> file, in the order of the index: names[i] lies in the file of this number in files. */
typedef struct {
  TCC_VEC(TccMapEntry) names;
  TccMap *files;
} Index;

static TccStatus *read_index(TccArena *arena, TccStr bytes, const char *path, Index *index) {
  TccJson *json = TCC_NEW(arena, TccJson);
  TccMap *names = tcc_map_create(arena);
  TccStr key, name, file;
  bool found = false, inserted;
  index->files = tcc_map_create(arena);
  tcc_json_start(json, arena, path, bytes);
  for (tcc_json_object(json); tcc_json_key(json, &key);) {
    if (!tcc_str_is(key, "weight_map")) {
      tcc_json_skip(json);
      continue;
    }
    if (found) tcc_json_fail(json, TCC_INVALID, "'weight_map' is there twice");
    found = true;
    for (tcc_json_object(json); tcc_json_key(json, &name);) {
      tcc_map_put(names, name, &inserted);
      if (!inserted) tcc_json_fail(json, TCC_INVALID, "tensor '%.*s' is there twice", TCC_STR_ARG(name));
      if (!tcc_json_string(json, &file)) break;
      const char *wrong = bad_file(file);
      if (wrong) tcc_json_fail(json, TCC_INVALID, "'%.*s' is %s", TCC_STR_ARG(file), wrong);
      TccMapEntry *entry = tcc_map_put(index->files, file, &inserted), item = {.key = name};
      if (inserted) entry->integer = (int64_t)tcc_map_count(index->files) - 1;
      item.integer = entry->integer;
      TCC_VEC_PUSH(arena, &index->names, item);
    }
  }
  TCC_TRY(tcc_json_finish(json));
  return found ? NULL : TCC_ERROR(TCC_INVALID, "%s: it has no 'weight_map'", path);
}

static TccStatus *open_file(TccSafetensors *all, const char *path, size_t file, TccSafetensor **out, size_t *out_count) {
  TccFileMap *map = &all->files[file].map;
  all->files[file].path = tcc_arena_copy(all->arena, path, strlen(path));
  TCC_TRY(tcc_file_map(path, map));
  all->nfiles = file + 1;
  return tcc_safetensors_read(all->arena, (TccStr){map->data, map->length}, all->files[file].path, file, out, out_count);
}

/* The tensors that the index names, of those in its files. */
static TccStatus *take_indexed(TccSafetensors *all, const Index *index, const TccMap *present, const char *path) {
  TccText missing = {0};
  size_t nmissing = 0;
  all->tensors = TCC_NEW_ARRAY(all->arena, TccSafetensor, index->names.count);
  for (size_t i = 0; i < index->names.count; i++) {
    const TccMapEntry *name = &index->names.data[i];
    const char *file = all->files[name->integer].path;
    const char *key = tcc_arena_printf(all->arena, "%lld/%.*s", (long long)name->integer, TCC_STR_ARG(name->key));
    const TccMapEntry *entry = tcc_map_find(present, tcc_str(key));
    if (entry) all->tensors[all->count++] = *(const TccSafetensor *)entry->constant;
    else if (nmissing++ < 10) tcc_text_printf(&missing, "%s'%.*s' (%s)", nmissing > 1 ? ", " : "", TCC_STR_ARG(name->key), file);
  }
  TccStatus *status = NULL;
  if (nmissing)
    status = TCC_ERROR(TCC_NOT_FOUND, "%s: %zu tensors are not in their files: %s%s", path, nmissing, missing.data,
                       nmissing > 10 ? ", ..." : "");
  tcc_text_destroy(&missing);
  return status;
}

static TccStatus *open_index(TccSafetensors *all, const char *path) {
  Index index = {0};
  all->index.path = tcc_arena_copy(all->arena, path, strlen(path));
  TCC_TRY(tcc_file_map(path, &all->index.map));
  TCC_TRY(read_index(all->arena, (TccStr){all->index.map.data, all->index.map.length}, path, &index));
  const char *folder = tcc_path_directory(all->arena, path);
  TccMap *present = tcc_map_create(all->arena);
  all->files = TCC_NEW_ARRAY(all->arena, TccSafetensorsFile, tcc_map_count(index.files));
  for (size_t file = 0; file < tcc_map_count(index.files); file++) {
    TccSafetensor *tensors;
    size_t count;
    TccStr name = tcc_map_at(index.files, file)->key;
    bool here = !*folder || strcmp(folder, "/") == 0;
    TCC_TRY(open_file(all, tcc_arena_printf(all->arena, "%s%s%.*s", folder, here ? "" : "/", TCC_STR_ARG(name)), file, &tensors,
                      &count));
    for (size_t i = 0; i < count; i++) {
      const char *key = tcc_arena_printf(all->arena, "%zu/%.*s", file, TCC_STR_ARG(tensors[i].name));
      tcc_map_put(present, tcc_str(key), NULL)->constant = &tensors[i];
    }
  }
  return take_indexed(all, &index, present, path);
}

TccStatus *tcc_safetensors_open(const char *path, TccSafetensors **out) {
  TccArena *arena = tcc_arena_create();
  TccSafetensors *all = TCC_NEW(arena, TccSafetensors);
  size_t length = strlen(path);
  TccStatus *status;
  *out = NULL;
  all->arena = arena;
  all->by_name = tcc_map_create(arena);
  if (length >= 5 && strcmp(path + length - 5, ".json") == 0) status = open_index(all, path);
  else {
    all->files = TCC_NEW(arena, TccSafetensorsFile);
    status = open_file(all, path, 0, &all->tensors, &all->count);
  }
  if (status) {
    tcc_safetensors_close(all);
    return status;
  }
  for (size_t i = 0; i < all->count; i++) tcc_map_put(all->by_name, all->tensors[i].name, NULL)->integer = (int64_t)i;
  *out = all;
  return NULL;
}

void tcc_safetensors_close(TccSafetensors *tensors) {
  if (!tensors) return;
  tcc_file_unmap(&tensors->index.map);
  for (size_t i = 0; i < tensors->nfiles; i++) tcc_file_unmap(&tensors->files[i].map);
  tcc_arena_destroy(tensors->arena);
}

const TccSafetensor *tcc_safetensors_find(const TccSafetensors *tensors, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(tensors->by_name, name);
  return entry ? &tensors->tensors[entry->integer] : NULL;
}

const void *tcc_safetensors_data(const TccSafetensors *tensors, const TccSafetensor *tensor) {
  return (const char *)tensors->files[tensor->file].map.data + tensor->offset;
}
