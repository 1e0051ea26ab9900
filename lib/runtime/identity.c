/* identity.c - whether the files with weights are those that an artifact was compiled with.
 *
 * An artifact has numbers inside that its model's files had when it was compiled: small tensors, sizes, where each weight begins. With other
 * files beside it it would mix old and new. So the plan says of each file its size, of a model the digest of all that is no large tensor
 * (tcc_wire_digest: names, types, shapes, places), of all that was compiled in the digest, and of each weight a sample of 256 bytes or
 * the digest of all.
 *
 * A file that no weight is bound from need not be there; if it is, it is compared too, for it may hold what was compiled in. */
#include "internal.h"
#include "tcc/wire.h"

typedef struct {
  TccModel *model;
  const TccPlanSource *sources;
  bool *needed;     /* per source: a weight of it is bound */
  TccFileMap *maps; /* per source: its bytes, or without data if it is not to be compared */
} Identity;

static const char *source_name(const Identity *identity, uint32_t source) {
  const char *name = tcc_plan_text(identity->model->plan, identity->sources[source].name);
  return *name ? name : "the artifact";
}

static bool find_needed(Identity *identity) {
  const TccModel *model = identity->model;
  const TccPlanWeight *weights = tcc_plan_at(model->plan, model->plan->weights);
  bool any = false;
  for (size_t n = 0; n < model->graph.node_count; n++) {
    const TccNode *node = &model->graph.nodes[n];
    if (node->root != n || node->place != TCC_PLACE_STATIC || node->kind != TCC_PLAN_WEIGHT) continue;
    uint32_t source = weights[node->index].source;
    identity->needed[source] = true;
    any |= identity->sources[source].kind != TCC_SOURCE_DATA;
  }
  return any;
}

/* Maps what is needed, and what is there of the rest. */
static TccStatus *map_files(Identity *identity, const char *directory) {
  TccModel *model = identity->model;
  for (uint32_t i = 0; i < model->plan->sources.count; i++) {
    const TccPlanSource *source = &identity->sources[i];
    if (source->identity == TCC_IDENTITY_NONE || source->kind == TCC_SOURCE_DATA) continue;
    TccStatus *status = tcc_source_map(model, i, directory);
    if (status && (identity->needed[i] || tcc_status_code(status) != TCC_NOT_FOUND)) return status;
    tcc_status_destroy(status);
    identity->maps[i] = source->kind == TCC_SOURCE_ATTACHED ? model->artifact.weights : model->sources[i];
  }
  return NULL;
}

static TccStatus *check_sources(const Identity *identity) {
  for (uint32_t i = 0; i < identity->model->plan->sources.count; i++) {
    const TccPlanSource *source = &identity->sources[i];
    const TccFileMap *map = &identity->maps[i];
    if (!map->data) continue;
    if (map->length != source->bytes)
      return TCC_ERROR(TCC_MISMATCH, "%s has %zu bytes, %llu when the artifact was compiled: compile again",
                       source_name(identity, i), map->length, (unsigned long long)source->bytes);
    uint8_t digest[TCC_DIGEST_BYTES];
    if (!source->is_model) continue;
    TCC_TRY(tcc_wire_digest(source_name(identity, i), (TccStr){map->data, map->length}, digest));
    if (memcmp(digest, source->model, sizeof digest) != 0)
      return TCC_ERROR(TCC_MISMATCH, "%s has changed since the artifact was compiled, not only in large weights: compile again",
                       source_name(identity, i));
  }
  return NULL;
}

static bool bytes_of(const Identity *identity, uint32_t source, uint64_t offset, uint64_t length, TccStr *out) {
  const TccFileMap *map = &identity->maps[source];
  if (!map->data || offset > map->length || length > map->length - offset) return false; /* whoever binds it says so */
  *out = (TccStr){(const char *)map->data + offset, length};
  return true;
}

static TccStatus *check_reads(const Identity *identity) {
  const TccPlanHeader *plan = identity->model->plan;
  const TccPlanRead *reads = tcc_plan_at(plan, plan->reads);
  for (size_t i = 0; i < plan->reads.count; i++) {
    TccStr bytes;
    uint8_t digest[TCC_DIGEST_BYTES];
    if (!bytes_of(identity, reads[i].source, reads[i].offset, reads[i].length, &bytes)) continue;
    tcc_digest(bytes.data, bytes.length, digest);
    if (memcmp(digest, reads[i].digest, sizeof digest) != 0)
      return TCC_ERROR(TCC_MISMATCH, "tensor '%s' of %s is compiled in and has changed: compile again",
                       tcc_plan_text(plan, reads[i].name), source_name(identity, reads[i].source));
  }
  return NULL;
}

static TccStatus *other_weight(const Identity *identity, const TccPlanWeight *weight) {
  return TCC_ERROR(
      TCC_MISMATCH,
      "weight '%s' of %s has changed since the artifact was compiled: compile again, or verify the layout alone if these "
      "weights are meant (tcc-run --verify-weights=layout)",
      tcc_plan_text(identity->model->plan, weight->name), source_name(identity, weight->source));
}

static TccStatus *check_samples(const Identity *identity) {
  const TccPlanWeight *weights = tcc_plan_at(identity->model->plan, identity->model->plan->weights);
  for (size_t i = 0; i < identity->model->plan->weights.count; i++) {
    TccStr bytes;
    if (bytes_of(identity, weights[i].source, weights[i].offset, weights[i].length, &bytes) &&
        tcc_digest_sample(bytes.data, bytes.length) != weights[i].sample)
      return other_weight(identity, &weights[i]);
  }
  return NULL;
}

static TccStatus *check_digests(const Identity *identity, TccArena *scratch, unsigned threads) {
  const TccPlanWeight *weights = tcc_plan_at(identity->model->plan, identity->model->plan->weights);
  size_t count = identity->model->plan->weights.count;
  TccStr *pieces = TCC_NEW_ARRAY(scratch, TccStr, count + 1);
  uint8_t (*digests)[TCC_DIGEST_BYTES] = tcc_arena_alloc(scratch, (count + 1) * sizeof *digests);
  if (!pieces || !digests) return TCC_ERROR_NO_MEMORY();
  for (size_t i = 0; i < count; i++) {
    const TccPlanSource *source = &identity->sources[weights[i].source];
    if (identity->needed[weights[i].source] && source->kind != TCC_SOURCE_DATA && source->identity != TCC_IDENTITY_FULL)
      return TCC_ERROR(TCC_UNSUPPORTED,
                       "the artifact has no digests of all bytes of its weights: compile it with tcc-compile --digest-weights");
    bytes_of(identity, weights[i].source, weights[i].offset, weights[i].length, &pieces[i]);
  }
  TCC_TRY(tcc_digest_pieces(pieces, count, threads ? threads : tcc_cpu_count(), digests));
  for (size_t i = 0; i < count; i++)
    if (pieces[i].data && memcmp(digests[i], weights[i].digest, sizeof *digests) != 0) return other_weight(identity, &weights[i]);
  return NULL;
}

TccStatus *tcc_identity_check(TccModel *model, const char *directory, TccVerify verify, unsigned threads) {
  if (verify == TCC_VERIFY_NONE || model->plan->sources.count == 0) return NULL;
  TccArena *scratch = tcc_arena_create();
  Identity identity = {.model = model,
                       .sources = tcc_plan_at(model->plan, model->plan->sources),
                       .needed = TCC_NEW_ARRAY(scratch, bool, model->plan->sources.count),
                       .maps = TCC_NEW_ARRAY(scratch, TccFileMap, model->plan->sources.count)};
  TccStatus *status = NULL;
  if (!identity.needed || !identity.maps) TCC_GOTO(TCC_ERROR_NO_MEMORY());
  if (!find_needed(&identity)) goto done;
  TCC_GOTO(map_files(&identity, directory));
  TCC_GOTO(check_sources(&identity));
  TCC_GOTO(check_reads(&identity));
  if (verify == TCC_VERIFY_SAMPLES) TCC_GOTO(check_samples(&identity));
  if (verify == TCC_VERIFY_FULL) TCC_GOTO(check_digests(&identity, scratch, threads));
done:
  tcc_arena_destroy(scratch);
  return status;
}
