/* sources.c - the files of a model's weights; see sources.h.
 *
 * Each location is opened once and stays mapped; a name that was refused is refused with the same words for every tensor
 * that asks for it. */
#include "tcc/sources.h"
#include "tcc/wire.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  const char *path, *name;
  TccFileMap map;
  bool borrowed; /* map's bytes are another's */
} MappedFile;
struct TccSources {
  TccArena *arena;
  const char *own, *directory; /* the model's folder; that of the others */
  bool elsewhere;              /* they are two */
  TccMap *numbers;             /* location -> number */
  TCC_VEC(MappedFile) files;
  TccMap *seen; /* ranges of reads */
  TCC_VEC(TccSourceRead) reads;
  uint8_t digest[TCC_DIGEST_BYTES]; /* tcc_sources_digest */
};

static TccStatus *open_model(const char *path, const char *weights_dir, TccFileMap map, bool borrowed, TccSources **out) {
  TccArena *arena = tcc_arena_create();
  TccSources *sources = TCC_NEW(arena, TccSources);
  sources->arena = arena;
  sources->own = tcc_path_directory(arena, path);
  sources->elsewhere = weights_dir != NULL;
  sources->directory = weights_dir ? tcc_arena_copy(arena, weights_dir, strlen(weights_dir)) : sources->own;
  sources->numbers = tcc_map_create(arena);
  sources->seen = tcc_map_create(arena);
  MappedFile model = {.path = tcc_arena_copy(arena, path, strlen(path)), .map = map, .borrowed = borrowed};
  const char *slash = strrchr(model.path, '/');
  model.name = slash ? slash + 1 : model.path;
  TCC_VEC_PUSH(arena, &sources->files, model);
  TccStatus *status = tcc_wire_digest(path, (TccStr){map.data, map.length}, sources->digest);
  *out = status ? NULL : sources;
  if (status) tcc_sources_close(sources);
  return status;
}

TccStatus *tcc_sources_open(const char *model_path, const char *weights_dir, TccSources **out) {
  *out = NULL;
  TccFileMap map;
  TCC_TRY(tcc_file_map(model_path, &map));
  return open_model(model_path, weights_dir, map, false, out);
}

TccStatus *tcc_sources_open_memory(const char *name, TccStr bytes, TccSources **out) {
  return open_model(name, NULL, (TccFileMap){.data = bytes.data, .length = bytes.length}, true, out);
}

void tcc_sources_close(TccSources *sources) {
  if (!sources) return;
  for (size_t i = 0; i < sources->files.count; i++)
    if (!sources->files.data[i].borrowed) tcc_file_unmap(&sources->files.data[i].map);
  tcc_arena_destroy(sources->arena);
}

void tcc_sources_drop_pages(const TccSources *sources) {
  for (size_t i = 0; i < sources->files.count; i++) {
    const MappedFile *file = &sources->files.data[i];
    if (!file->borrowed && file->map.data) tcc_file_drop_pages(file->map.data, file->map.length);
  }
}

size_t tcc_sources_count(const TccSources *sources) { return sources->files.count; }
const TccFileMap *tcc_sources_file(const TccSources *sources, size_t index) { return &sources->files.data[index].map; }
const uint8_t *tcc_sources_digest(const TccSources *sources) { return sources->digest; }

const char *tcc_sources_path(const TccSources *sources, size_t index) { return sources->files.data[index].path; }
const char *tcc_sources_name(const TccSources *sources, size_t index) { return sources->files.data[index].name; }

/* ---- what was read ---- */
void tcc_sources_note(TccSources *sources, TccStr name, int64_t file, uint64_t offset, uint64_t length) {
  const uint64_t range[] = {(uint64_t)file, offset, length};
  bool inserted;
  /* What is small is a part of the digest; in an archive only if its storage is. */
  if (!length || (file == 0 && length < TCC_WIRE_LARGE && !tcc_wire_is_archive(sources->files.data[0].path))) return;
  const char *key = tcc_arena_copy(sources->arena, (const char *)range, sizeof range);
  tcc_map_put(sources->seen, (TccStr){key, sizeof range}, &inserted);
  if (!inserted) return;
  TccSourceRead read = {{tcc_arena_copy(sources->arena, name.data, name.length), name.length}, (uint32_t)file, offset, length, {0}};
  tcc_digest((const char *)sources->files.data[file].map.data + offset, length, read.digest);
  TCC_VEC_PUSH(sources->arena, &sources->reads, read);
}

const TccSourceRead *tcc_sources_reads(const TccSources *sources, size_t *out_count) {
  *out_count = sources->reads.count;
  return sources->reads.data;
}

const char *tcc_sources_changed(const TccSources *sources) {
  uint8_t digest[TCC_DIGEST_BYTES];
  const TccFileMap *model = &sources->files.data[0].map;
  TccStatus *status = tcc_wire_digest(sources->files.data[0].path, (TccStr){model->data, model->length}, digest);
  bool unknown = status != NULL; /* as good as changed */
  tcc_status_destroy(status);
  if (unknown || memcmp(digest, sources->digest, sizeof digest) != 0) return sources->files.data[0].path;
  for (size_t i = 0; i < sources->reads.count; i++) {
    const TccSourceRead *read = &sources->reads.data[i];
    tcc_digest((const char *)sources->files.data[read->file].map.data + read->offset, read->length, digest);
    if (memcmp(digest, read->digest, sizeof digest) != 0) return sources->files.data[read->file].path;
  }
  return NULL;
}

const void *tcc_sources_peek(const TccSources *sources, const TccSourcePlace *place) {
  if (place->file < 0) return place->decoded;
  const TccFileMap *map = &sources->files.data[place->file].map;
  return map->data ? (const char *)map->data + place->offset : ""; /* an empty file */
}

const void *tcc_sources_take(TccSources *sources, TccStr name, TccElem elem, const TccSourcePlace *place) {
  if (place->file >= 0) tcc_sources_note(sources, name, place->file, place->offset, place->length);
  const void *data = tcc_sources_peek(sources, place);
  return elem == TCC_ELEM_BOOL ? tcc_elem_clean_bools(sources->arena, data, place->length) : data;
}

/* ---- where it is ---- */
static TccStatus *where(const TccSources *sources, TccStatus *status) {
  if (!sources->elsewhere) return tcc_status_context(status, "a file of the model, which lies beside it or in --weights=DIR");
  return tcc_status_context(status, "a file of the model, which lies in --weights=%s, not beside it%s%s", sources->directory,
                            *sources->own ? " in " : "", sources->own);
}

TccStatus *tcc_sources_beside(TccSources *sources, TccStr location, int64_t *out_number) {
  TccMapEntry *entry = tcc_map_find(sources->numbers, location);
  if (entry) return *out_number = entry->integer, NULL;
  MappedFile file = {.name = tcc_arena_copy(sources->arena, location.data, location.length)};
  const char *directory = strcmp(file.name, sources->files.data[0].name) == 0 ? sources->own : sources->directory;
  TCC_TRY(where(sources, tcc_file_map_beneath(directory, location, &file.map)));
  const char *slash = *directory && directory[strlen(directory) - 1] != '/' ? "/" : "";
  file.path = tcc_arena_printf(sources->arena, "%s%s%s", directory, slash, file.name);
  tcc_map_put(sources->numbers, location, NULL)->integer = *out_number = (int64_t)sources->files.count;
  TCC_VEC_PUSH(sources->arena, &sources->files, file);
  return NULL;
}

static char *resolve(const char *path) { return realpath(*path ? path : ".", NULL); }

TccStatus *tcc_sources_adopt(TccSources *sources, const char *path, TccFileMap *map, int64_t *out_number) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path, *folder = tcc_path_directory(sources->arena, path);
  char *whole = folder ? resolve(folder) : NULL, *others = resolve(sources->directory);
  if (!whole) return free(others), TCC_ERROR(TCC_IO, "%s: its folder cannot be found", path);
  bool beside = others && strcmp(whole, others) == 0;
  const char *separator = whole[strlen(whole) - 1] == '/' ? "" : "/";
  MappedFile file = {.path = tcc_arena_printf(sources->arena, "%s%s%s", whole, separator, name), .map = *map};
  file.name = beside ? tcc_arena_copy(sources->arena, name, strlen(name)) : file.path;
  free(whole);
  free(others);
  tcc_map_put(sources->numbers, tcc_str(file.name), NULL)->integer = *out_number = (int64_t)sources->files.count;
  TCC_VEC_PUSH(sources->arena, &sources->files, file);
  *map = (TccFileMap){0};
  return NULL;
}

TccStatus *tcc_sources_place(const TccSources *sources, int64_t file, uint64_t offset, size_t length, TccSourcePlace *out) {
  const TccFileMap *map = &sources->files.data[file].map;
  if (offset > map->length || length > map->length - offset)
    return TCC_ERROR(TCC_INVALID, "bytes %" PRIu64 " to %" PRIu64 " + %zu are not in '%s', which has %zu", offset, offset, length,
                     sources->files.data[file].name, map->length);
  *out = (TccSourcePlace){.file = file, .offset = offset, .length = length};
  return NULL;
}
