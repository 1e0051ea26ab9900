/* plan_sources.c - by what a plan knows the files of its weights again, and weights that go behind the artifact.
 *
 * Of each file: its size; of a model all that is no large tensor (tcc_wire_digest), so names, types, shapes and places; of each
 * weight a sample, or the digest of all its bytes; of what is compiled in its digest. The run-time compares (lib/runtime/identity.c). */
#include "lib/compile/plan.h"
#include "tcc/wire.h"
#include <stdlib.h>

static bool is_in_file(const TccPlanWeight *weight, const TccFileMap *map) {
  return weight->offset <= map->length && weight->length <= map->length - weight->offset;
}

static TccStr weight_bytes(const TccPlanWeight *weight, const TccFileMap *map) {
  return (TccStr){weight->length ? (const char *)map->data + weight->offset : "", weight->length};
}

static TccStatus *identify_sources(TccPlanTables *t, const TccPlanFiles *files) {
  for (size_t i = 0; i < t->sources.count && i < files->count; i++) {
    TccPlanSource *source = &t->sources.data[i];
    const TccFileMap *map = &files->maps[i];
    if (!map->data) continue;
    source->identity = files->digests ? TCC_IDENTITY_FULL : TCC_IDENTITY_SAMPLES;
    source->bytes = map->length;
    const char *name = t->texts.data + source->name;
    source->is_model = tcc_wire_is_model(name);
    if (source->is_model && i == 0 && files->model) memcpy(source->model, files->model, sizeof source->model);
    else if (source->is_model) TCC_TRY(tcc_wire_digest(name, (TccStr){map->data, map->length}, source->model));
  }
  return NULL;
}

static TccStatus *identify_weights(TccPlanTables *t, const TccPlanFiles *files) {
  size_t count = t->weights.count;
  TccStr *pieces = TCC_NEW_ARRAY(t->ir->arena, TccStr, count + 1);
  for (size_t i = 0; i < count; i++) {
    TccPlanWeight *weight = &t->weights.data[i];
    if (weight->source >= files->count || !is_in_file(weight, &files->maps[weight->source])) continue;
    pieces[i] = weight_bytes(weight, &files->maps[weight->source]);
    weight->sample = tcc_digest_sample(pieces[i].data, pieces[i].length);
  }
  if (!files->digests) return NULL;
  uint8_t (*digests)[TCC_DIGEST_BYTES] = tcc_arena_alloc(t->ir->arena, (count + 1) * sizeof *digests);
  TCC_TRY(tcc_digest_pieces(pieces, count, files->threads, digests));
  for (size_t i = 0; i < count; i++) memcpy(t->weights.data[i].digest, digests[i], sizeof *digests);
  return NULL;
}

/* ---- behind the artifact ---- */
static int by_place(const void *a, const void *b) {
  const TccPlanWeight *x = *(TccPlanWeight *const *)a, *y = *(TccPlanWeight *const *)b;
  if (x->source != y->source) return x->source < y->source ? -1 : 1;
  if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
  return (x->length > y->length) - (x->length < y->length);
}

/* Weights in the order of their places in the files, each once, so that plans for several targets agree on where they are. */
static void attach_weights(TccPlanTables *t, const TccPlanFiles *files, TccStr **out_weights, size_t *out_count) {
  static const char zeros[TCC_WEIGHTS_ALIGNMENT];
  enum { ALIGNMENT = 64 };
  size_t count = t->weights.count, n = 0;
  TccPlanWeight **sorted = TCC_NEW_ARRAY(t->ir->arena, TccPlanWeight *, count + 1);
  TccStr *pieces = TCC_NEW_ARRAY(t->ir->arena, TccStr, 2 * count + 1);
  TccPlanWeight last = {.source = UINT32_MAX};
  uint64_t end = 0, place = 0;
  for (size_t i = 0; i < count; i++) sorted[i] = &t->weights.data[i];
  qsort(sorted, count, sizeof *sorted, by_place);
  const uint32_t attached = (uint32_t)t->sources.count;
  for (size_t i = 0; i < count; i++) {
    TccPlanWeight *weight = sorted[i];
    if (weight->source >= files->count || !is_in_file(weight, &files->maps[weight->source])) continue; /* what loads it says so */
    if (weight->source != last.source || weight->offset != last.offset || weight->length != last.length) {
      last = *weight;
      size_t alignment = weight->length < TCC_WEIGHTS_ALIGNMENT ? ALIGNMENT : TCC_WEIGHTS_ALIGNMENT;
      place = (end + alignment - 1) & ~(uint64_t)(alignment - 1);
      if (place > end) pieces[n++] = (TccStr){zeros, place - end};
      pieces[n++] = weight_bytes(weight, &files->maps[weight->source]);
      end = place + weight->length;
    }
    weight->source = attached;
    weight->offset = place;
  }
  TccPlanSource source = {
      .kind = TCC_SOURCE_ATTACHED, .identity = files->digests ? TCC_IDENTITY_FULL : TCC_IDENTITY_SAMPLES, .bytes = end};
  TCC_VEC_PUSH(t->ir->arena, &t->sources, source);
  *out_weights = pieces;
  *out_count = n;
}

TccStatus *tcc_plan_identify(TccPlanTables *t, const TccPlanFiles *files, TccStr **out_weights, size_t *out_count) {
  *out_weights = NULL;
  *out_count = 0;
  if (t->weights.count || files->nreads)
    TCC_TRY(identify_sources(t, files)); /* else nobody looks at them (lib/runtime/identity.c) */
  TCC_TRY(identify_weights(t, files));
  for (size_t i = 0; i < files->nreads; i++) {
    const TccSourceRead *from = &files->reads[i];
    TccPlanRead read = {
        .name = tcc_plan_put_text(t, from->name), .source = from->file, .offset = from->offset, .length = from->length};
    memcpy(read.digest, from->digest, sizeof read.digest);
    TCC_VEC_PUSH(t->ir->arena, &t->reads, read);
  }
  if (!files->attach) return NULL;
  attach_weights(t, files, out_weights, out_count);
  for (size_t i = 0; i + 1 < t->sources.count; i++) t->sources.data[i].identity = TCC_IDENTITY_NONE; /* nothing is asked of them */
  t->reads.count = 0;
  return NULL;
}
