/* archive.c - the layout of a .pt2 (torch/export/pt2_archive), its weights' configurations, and what other layouts are. */
#include "lib/frontend/torch/graph_internal.h"
#include "lib/frontend/torch/zip.h"
#include "tcc/torch.h"

/* A status of this archive. */
#define FAIL(archive, code, ...) tcc_status_context(TCC_ERROR(code, __VA_ARGS__), "%s", (archive)->name)

/* Whether bytes may be of an archive or a graph: who reads them says what is wrong. */
static bool is_archive(TccStr bytes) {
  size_t at = 0;
  while (at < bytes.length && at < 64 && strchr(" \n\r\t", bytes.data[at]) && bytes.data[at]) at++;
  return tcc_zip_is(bytes) || (at < bytes.length && bytes.data[at] == '{');
}

/* ROOT/NAME; NULL: there is none */
static const TccZipMember *find(TccArena *arena, const TccTorchArchive *archive, const char *folder, TccStr name,
                                const char *ending) {
  const char *path = tcc_arena_printf(arena, "%.*s/%s%.*s%s", TCC_STR_ARG(archive->root), folder, TCC_STR_ARG(name), ending);
  return tcc_zip_find(archive->zip, tcc_str(path));
}

/* ---- which layout it is ---- */
static bool ends(TccStr text, const char *ending) {
  size_t length = strlen(ending);
  return text.length >= length && memcmp(text.data + text.length - length, ending, length) == 0;
}

static bool holds_name(const TccZip *zip, const char *part) {
  for (size_t i = 0; i < zip->count; i++)
    if (memmem(zip->members[i].name.data, zip->members[i].name.length, part, strlen(part))) return true;
  return false;
}

static bool holds_end(const TccZip *zip, const char *ending) {
  for (size_t i = 0; i < zip->count; i++)
    if (ends(zip->members[i].name, ending)) return true;
  return false;
}

/* The error of an archive that is none of this layout: what it is, if that is known, and what to do. */
static TccStatus *other_layout(const TccTorchArchive *archive, const char *lacks) {
  const TccZip *zip = archive->zip;
  const char *python = "torch.export.save(torch.export.load(\"old.pt2\"), \"new.pt2\")";
  if (holds_end(zip, "serialized_exported_program.json"))
    return FAIL(archive, TCC_UNSUPPORTED,
                "a layout of torch before 2.8; torch 2.9 or newer writes one that tcc reads: import torch; %s", python);
  if (holds_name(zip, "/data/weights/model.pt") || holds_name(zip, "/data/constants/model.pt"))
    return FAIL(
        archive, TCC_UNSUPPORTED,
        "the layout of torch 2.8, whose weights are pickles; torch 2.9 or newer writes one that tcc reads: import torch; %s",
        python);
  if (holds_end(zip, "data.pkl"))
    return FAIL(archive, TCC_UNSUPPORTED,
                "a file of torch.save or TorchScript, no exported program; export the module: import torch; "
                "torch.export.save(torch.export.export(module, args), \"new.pt2\")");
  if (holds_name(zip, "/data/aotinductor/"))
    return FAIL(archive, TCC_UNSUPPORTED,
                "holds compiled code alone, which tcc never loads; save the exported program: import torch; "
                "torch.export.save(torch.export.export(module, args), \"new.pt2\")");
  return FAIL(archive, TCC_INVALID, "a zip archive, but no .pt2: it has no '%s'", lacks);
}

/* A small member that must hold `want` (torch/export/pt2_archive/constants.py). */
static TccStatus *expect_text(TccArena *arena, const TccTorchArchive *archive, const char *name, const char *want) {
  const TccZipMember *member = find(arena, archive, "", tcc_str(name), "");
  TccStr text;
  if (!member) return NULL;
  if (member->size > 64) return FAIL(archive, TCC_INVALID, "member '%.*s' is too long", TCC_STR_ARG(member->name));
  TCC_TRY(tcc_zip_read(archive->zip, member, true, arena, &text));
  if (tcc_str_is(text, want)) return NULL;
  return FAIL(archive, TCC_UNSUPPORTED, "member '%.*s' says '%.*s'; tcc reads '%s'", TCC_STR_ARG(member->name), TCC_STR_ARG(text),
              want);
}

/* The folder that everything is in. */
static TccStatus *find_root(TccArena *arena, TccTorchArchive *archive) {
  static const char format[] = "/archive_format";
  const TccZip *zip = archive->zip;
  for (size_t i = 0; i < zip->count; i++) {
    TccStr name = zip->members[i].name;
    if (!ends(name, format)) continue;
    TccStr root = {name.data, name.length - (sizeof format - 1)};
    if (memchr(root.data, '/', root.length)) continue;
    if (archive->root.length)
      return FAIL(archive, TCC_INVALID, "two archives in one: '%.*s' and '%.*s'", TCC_STR_ARG(archive->root), TCC_STR_ARG(root));
    archive->root = root;
  }
  if (!archive->root.length) return other_layout(archive, "archive_format");
  TCC_TRY(expect_text(arena, archive, "archive_format", "pt2"));
  TCC_TRY(expect_text(arena, archive, "archive_version", "0"));
  return expect_text(arena, archive, "byteorder", "little");
}

/* The graph's member: the only one, or that called "model", as torch.export.save calls it. */
static TccStatus *find_model(TccArena *arena, TccTorchArchive *archive, const TccZipMember **out) {
  const TccZip *zip = archive->zip;
  const char *folder = tcc_arena_printf(arena, "%.*s/models/", TCC_STR_ARG(archive->root));
  size_t count = 0, start = strlen(folder);
  for (size_t i = 0; i < zip->count; i++) {
    TccStr name = zip->members[i].name;
    if (!tcc_str_starts(name, folder) || !ends(name, ".json") || name.length < start + 5) continue;
    TccStr model = {name.data + start, name.length - start - 5};
    if (count++ && !tcc_str_is(model, "model")) continue;
    archive->model = model;
    *out = &zip->members[i];
  }
  if (!count) return other_layout(archive, "models/model.json");
  if (count > 1 && !tcc_str_is(archive->model, "model"))
    return FAIL(archive, TCC_UNSUPPORTED, "%zu programs in one archive, none called 'model'", count);
  return NULL;
}

/* ---- weights ---- */

/* Elements, and whether all of them lie in the storage. What a size of 2^63 would overflow is an error as well. */
static TccStatus *check_weight(const TccTorchArchive *archive, TccTorchWeight *weight) {
  const TccTorchMeta *meta = &weight->meta;
  size_t last = 0, bytes = 0, dense = 1;
  bool fits = !meta->offset.text.length && meta->offset.value >= 0;
  weight->count = 1;
  weight->row_major = true;
  for (size_t i = meta->rank; i-- > 0;) {
    TccTorchSize size = meta->sizes[i], stride = meta->strides[i];
    if (size.text.length || stride.text.length || stride.value < 0)
      return FAIL(archive, TCC_INVALID, "weight '%.*s' has sizes or strides that are no constants", TCC_STR_ARG(weight->name));
    size_t step;
    if (size.value > 1) {
      weight->row_major = weight->row_major && (size_t)stride.value == dense;
      fits = fits && tcc_mul_size((size_t)size.value - 1, (size_t)stride.value, &step) && tcc_add_size(last, step, &last);
    }
    fits = tcc_mul_size(weight->count, (size_t)size.value, &weight->count) && fits;
    dense = weight->count;
  }
  const size_t width = tcc_torch_type_bytes(meta->type);
  if (!width) return NULL; /* refused when it is asked for */
  fits = fits && tcc_add_size(last, (size_t)meta->offset.value, &last) && tcc_add_size(last, 1, &last) &&
         tcc_mul_size(last, width, &bytes);
  if (fits && (!weight->count || bytes <= weight->storage->size)) return NULL;
  return FAIL(archive, TCC_INVALID, "weight '%.*s' does not fit into member '%.*s' (%llu bytes)", TCC_STR_ARG(weight->name),
              TCC_STR_ARG(weight->storage->name), (unsigned long long)weight->storage->size);
}

typedef struct {
  TccStr path;
  bool parameter, pickle;
  TccTorchMeta meta;
} Payload;

/* PayloadMeta */
static void read_payload(TccTorchReader *reader, Payload *out) {
  enum { PATH, PARAMETER, PICKLE, META, COUNT };
  static const TccStr names[COUNT] = {TCC_TORCH_FIELD("path_name"), TCC_TORCH_FIELD("is_param"), TCC_TORCH_FIELD("use_pickle"),
                                      TCC_TORCH_FIELD("tensor_meta")};
  TccJson *json = &reader->json;
  unsigned seen = 0;
  *out = (Payload){0};
  tcc_json_object(json);
  for (int field; (field = tcc_torch_field(reader, names, COUNT, &seen)) >= 0;) switch (field) {
    case PATH: tcc_json_string(json, &out->path); break;
    case PARAMETER: tcc_json_bool(json, &out->parameter); break;
    case PICKLE: tcc_json_bool(json, &out->pickle); break;
    default:
      if (!tcc_json_null(json)) tcc_torch_read_meta(reader, &out->meta);
    }
  tcc_torch_require(reader, names, seen, (1 << COUNT) - 1);
}

static TccTorchStorage *storage_of(TccArena *arena, TccTorchArchive *archive, const TccZipMember *member) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(archive->storages, member->name, &inserted);
  if (inserted) {
    TccTorchStorage *storage = TCC_NEW(arena, TccTorchStorage);
    *storage = (TccTorchStorage){member, member->name, member->offset, (size_t)member->size, !member->deflated, {0}};
    entry->pointer = storage;
  }
  return entry->pointer;
}

/* PayloadConfig: the weights of one of the two folders, pushed. */
static TccStatus *read_weights(TccTorchReader *reader, TccTorchArchive *archive, const char *folder, bool constant) {
  TccJson *json = &reader->json;
  static const TccStr names[] = {TCC_TORCH_FIELD("config")};
  unsigned seen = 0;
  TccStatus *status = NULL;
  TccStr name;
  tcc_json_object(json);
  while (tcc_torch_field(reader, names, 1, &seen) >= 0)
    for (tcc_json_object(json); tcc_json_key(json, &name);) {
      Payload payload;
      bool inserted;
      read_payload(reader, &payload);
      if (json->status || status) continue;
      if (payload.pickle) {
        tcc_json_fail(json, TCC_UNSUPPORTED,
                      "weight '%.*s' is a pickle, which tcc never reads: it is a tensor subclass, which "
                      "torchao.utils.unwrap_tensor_subclass(model) takes apart before the export, or a custom object",
                      TCC_STR_ARG(name));
        continue;
      }
      const TccZipMember *member = find(reader->arena, archive, folder, payload.path, "");
      if (!member) {
        tcc_json_fail(json, TCC_NOT_FOUND, "weight '%.*s': there is no member '%s%.*s'", TCC_STR_ARG(name), folder,
                      TCC_STR_ARG(payload.path));
        continue;
      }
      TccTorchWeight weight = {.name = name,
                               .storage = storage_of(reader->arena, archive, member),
                               .meta = payload.meta,
                               .parameter = payload.parameter,
                               .constant = constant};
      status = check_weight(archive, &weight);
      tcc_map_put(archive->by_name, name, &inserted)->integer = (int64_t)archive->nweights++;
      if (!inserted) tcc_json_fail(json, TCC_INVALID, "weight '%.*s' is there twice", TCC_STR_ARG(name));
      tcc_torch_push(reader, &weight, sizeof weight);
    }
  tcc_torch_require(reader, names, seen, 1);
  TccStatus *grammar = tcc_json_finish(json);
  if (!status) return grammar;
  tcc_status_destroy(grammar);
  return status;
}

static TccStatus *read_config(TccTorchReader *reader, TccTorchArchive *archive, const char *folder, const char *ending,
                              bool constant) {
  const TccZipMember *member = find(reader->arena, archive, folder, archive->model, ending);
  TccStr text;
  if (!member) return NULL; /* then it has no weights; one that is missed is an error */
  TCC_TRY(tcc_zip_read(archive->zip, member, true, reader->arena, &text));
  tcc_json_start(&reader->json, reader->arena,
                 tcc_arena_printf(reader->arena, "%s, %.*s", archive->name, TCC_STR_ARG(member->name)), text);
  return read_weights(reader, archive, folder, constant);
}

const TccTorchWeight *tcc_torch_weight(const TccTorchArchive *archive, TccStr name) {
  const TccMapEntry *entry = archive->zip ? tcc_map_find(archive->by_name, name) : NULL;
  return entry ? &archive->weights[entry->integer] : NULL;
}

TccStatus *tcc_torch_weight_data(const TccTorchArchive *archive, const TccTorchWeight *weight, bool check_crc, TccArena *arena,
                                 const void **out) {
  TccTorchStorage *storage = weight->storage;
  *out = NULL;
  const size_t width = tcc_torch_type_bytes(weight->meta.type);
  if (!width)
    return FAIL(archive, TCC_UNSUPPORTED, "weight '%.*s' is of type %s, which tcc has not", TCC_STR_ARG(weight->name),
                tcc_torch_type_name(weight->meta.type));
  if (!storage->bytes.data || check_crc) TCC_TRY(tcc_zip_read(archive->zip, storage->member, check_crc, arena, &storage->bytes));
  *out = storage->bytes.data + (weight->count ? width * (size_t)weight->meta.offset.value : 0);
  return NULL;
}

/* ---- both together ---- */

static bool is_weight(TccTorchInputKind kind) {
  return kind == TCC_TORCH_INPUT_PARAMETER || kind == TCC_TORCH_INPUT_BUFFER || kind == TCC_TORCH_INPUT_CONSTANT_TENSOR;
}

/* Whether the graph declares an input as its weight is. */
static bool fits_value(const TccTorchMeta *weight, const TccTorchMeta *value) {
  bool same = weight->type == value->type && weight->rank == value->rank;
  for (size_t i = 0; same && i < value->rank; i++)
    same = value->sizes[i].text.length || value->sizes[i].value == weight->sizes[i].value;
  return same;
}

static TccStatus *check_inputs(const TccTorchArchive *archive) {
  const TccTorchProgram *program = archive->program;
  TccText missing = {0};
  size_t count = 0;
  TccStatus *status = NULL;
  for (size_t i = 0; i < program->ninputs && !status; i++) {
    const TccTorchInput *input = &program->inputs[i];
    if (!is_weight(input->kind)) continue;
    const TccTorchWeight *weight = tcc_torch_weight(archive, input->target);
    const TccTorchValue *value = tcc_torch_value(program->graph, input->arg.text);
    if (!weight && count++ < 10) tcc_text_printf(&missing, "%s'%.*s'", count > 1 ? ", " : "", TCC_STR_ARG(input->target));
    if (!weight) continue;
    if (!value || value->kind != TCC_TORCH_VALUE_TENSOR)
      status = FAIL(archive, TCC_INVALID, "the graph does not say what its input '%.*s' is", TCC_STR_ARG(input->arg.text));
    else if (!fits_value(&weight->meta, &value->meta))
      status = FAIL(archive, TCC_INVALID, "weight '%.*s' has another type or other sizes than the graph's input '%.*s'",
                    TCC_STR_ARG(weight->name), TCC_STR_ARG(input->arg.text));
  }
  if (!status && count)
    status = FAIL(archive, TCC_NOT_FOUND, "%zu weights of the signature are missing: %s%s", count, missing.data,
                  count > 10 ? ", ..." : "");
  tcc_text_destroy(&missing);
  return status;
}

static TccStatus *read_archive(TccArena *arena, TccTorchArchive *archive, TccStr bytes) {
  const TccZipMember *member = NULL;
  TccStr text;
  TCC_TRY(tcc_zip_open(arena, bytes, archive->name, &archive->zip));
  TCC_TRY(find_root(arena, archive));
  TCC_TRY(find_model(arena, archive, &member));
  if (!find(arena, archive, "data/weights/", archive->model, "_weights_config.json") &&
      holds_name(archive->zip, "/data/weights/model.pt"))
    return other_layout(archive, "");
  TCC_TRY(tcc_zip_read(archive->zip, member, true, arena, &text));
  const char *place = tcc_arena_printf(arena, "%s, %.*s", archive->name, TCC_STR_ARG(member->name));
  TCC_TRY(tcc_torch_graph_read(arena, text, place, &archive->program));
  TccTorchReader *reader = TCC_NEW(arena, TccTorchReader);
  reader->arena = arena;
  TccStatus *status = read_config(reader, archive, "data/weights/", "_weights_config.json", false);
  if (!status) status = read_config(reader, archive, "data/constants/", "_constants_config.json", true);
  archive->weights = tcc_torch_pop(reader, 0, sizeof *archive->weights, &archive->nweights);
  tcc_text_destroy(&reader->stack);
  TCC_TRY(status);
  return check_inputs(archive);
}

TccStatus *tcc_torch_archive_read(TccArena *arena, TccStr bytes, const char *name, TccTorchArchive **out) {
  TccTorchArchive *archive = TCC_NEW(arena, TccTorchArchive);
  *out = NULL;
  archive->name = name;
  archive->by_name = tcc_map_create(arena);
  archive->storages = tcc_map_create(arena);
  if (!is_archive(bytes)) return TCC_ERROR(TCC_INVALID, "%s: neither a zip archive nor the JSON of a graph", name);
  if (tcc_zip_is(bytes)) TCC_TRY(read_archive(arena, archive, bytes));
  else TCC_TRY(tcc_torch_graph_read(arena, bytes, name, &archive->program));
  *out = archive;
  return NULL;
}
