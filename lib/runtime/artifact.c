/* artifact.c - the container: seal, check, and load of a shared object with notes and a digest behind it.
 *
 * A file may hold artifacts for several machines, one behind the other: each ends in a record that tells its length, so that
 * they are found from the end of the file on. The loader takes the one that asks for most of what this CPU has.
 *
 * Behind all of them may stand the weights, page-aligned, which all share and which are used where they are mapped. They are known as
 * weights in other files are (identity.c); the digest of an artifact does not cover them.
 *
 * Nothing is loaded before the digest of the whole artifact, the ABI version and the CPU features have been checked, and what was
 * checked is what is loaded: artifacts are copied into a sealed memfd, checked there and mapped (image.c). Whatever takes the
 * place of the file meanwhile, and wherever it lies, on a disk from which nothing may be run, too. */
#include "gpu.h"
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

void tcc_artifact_seal(TccText *bytes, TccStr notes, uint64_t isa) {
  TccArtifactRecord record = {.object_bytes = bytes->length,
                              .notes_bytes = notes.length,
                              .isa = isa,
                              .abi_version = TCC_ABI_VERSION,
                              .record_bytes = sizeof record};
  memcpy(record.magic, TCC_ARTIFACT_MAGIC, sizeof record.magic);
  tcc_text_put(bytes, notes.data, notes.length);
  tcc_text_put(bytes, (const char *)&record, offsetof(TccArtifactRecord, digest));
  tcc_digest(bytes->data, bytes->length, record.digest);
  tcc_text_put(bytes, (const char *)record.digest, sizeof record - offsetof(TccArtifactRecord, digest));
}

TccWeightsRecord tcc_weights_record(uint64_t artifact_bytes, uint64_t weight_bytes) {
  uint64_t rest = TCC_WEIGHTS_ALIGNMENT - artifact_bytes % TCC_WEIGHTS_ALIGNMENT;
  TccWeightsRecord record = {
      .artifact_bytes = artifact_bytes, .offset = artifact_bytes + rest % TCC_WEIGHTS_ALIGNMENT, .bytes = weight_bytes};
  tcc_digest(&record, offsetof(TccWeightsRecord, digest), record.digest);
  memcpy(record.magic, TCC_WEIGHTS_MAGIC, sizeof record.magic);
  return record;
}

TccStatus *tcc_artifact_part_file(TccStr file, TccStr *out_artifacts, TccFileMap *out_weights) {
  TccWeightsRecord record;
  *out_artifacts = file;
  *out_weights = (TccFileMap){0};
  if (file.length < sizeof record || memcmp(file.data + file.length - 8, TCC_WEIGHTS_MAGIC, 8) != 0) return NULL;
  memcpy(&record, file.data + file.length - sizeof record, sizeof record);
  const TccWeightsRecord right = tcc_weights_record(record.artifact_bytes, record.bytes);
  if (memcmp(&record, &right, sizeof record) != 0 || record.artifact_bytes > file.length ||
      record.offset > file.length - sizeof record || file.length - sizeof record - record.offset != record.bytes)
    return TCC_ERROR(TCC_INVALID, "damaged: the weights behind the artifact are cut short");
  out_artifacts->length = record.artifact_bytes;
  *out_weights = (TccFileMap){file.data + record.offset, record.bytes};
  return NULL;
}

/* checked: the digest is known to be right. */
static TccStatus *check(const void *bytes, size_t length, bool checked, TccArtifactRecord *out, TccStr *out_notes) {
  memset(out, 0, sizeof *out);
  if (length < sizeof *out || memcmp((const char *)bytes + length - 8, TCC_ARTIFACT_MAGIC, 8) != 0)
    return TCC_ERROR(TCC_INVALID, "not a tcc artifact, or cut short");
  memcpy(out, (const char *)bytes + length - sizeof *out, sizeof *out);
  size_t rest = length - sizeof *out;
  bool adds_up = out->notes_bytes <= rest && out->object_bytes <= rest - out->notes_bytes;
  const char *begin = (const char *)bytes + (adds_up ? rest - out->notes_bytes - out->object_bytes : 0);
  uint8_t digest[TCC_DIGEST_BYTES];
  if (!checked) tcc_digest(begin, (size_t)((const char *)bytes + rest - begin) + offsetof(TccArtifactRecord, digest), digest);
  if (!adds_up || (!checked && memcmp(digest, out->digest, sizeof digest) != 0))
    return TCC_ERROR(TCC_INVALID, "damaged: the digest does not match");
  if (out->abi_version != TCC_ABI_VERSION || out->record_bytes != sizeof *out)
    return TCC_ERROR(TCC_INCOMPATIBLE, "made for version %u of the run-time interface, this is version %d: compile again",
                     out->abi_version, TCC_ABI_VERSION);
  if (out_notes) *out_notes = (TccStr){begin + out->object_bytes, out->notes_bytes};
  return NULL;
}

TccStatus *tcc_artifact_check(const void *bytes, size_t length, TccArtifactRecord *out, TccStr *out_notes) {
  return check(bytes, length, false, out, out_notes);
}

/* Code for a device goes before code for the host, for a later chip before that for an earlier one. */
static uint64_t rank(uint64_t isa) {
  return isa & TCC_ISA_GPU ? 1000 + 2 * tcc_isa_gpu_chip(isa) + (uint64_t)tcc_isa_gpu_alone(isa)
                           : (uint64_t)__builtin_popcountll(isa);
}

/* What the CPU lacks for the artifact that lacks least of it. */
static TccStatus *incompatible(uint64_t missing, uint64_t device) {
  TccText text = {0};
  tcc_isa_text(missing, &text);
  TccStatus *status = tcc_text_status(&text);
  if (!status && (missing & TCC_ISA_GPU))
    status =
        TCC_ERROR(TCC_INCOMPATIBLE, "the device is an sm_%u, the artifact has code for %s", tcc_isa_gpu_chip(device), text.data);
  if (!status) status = TCC_ERROR(TCC_INCOMPATIBLE, "this CPU lacks what the code needs: %s", text.data);
  tcc_text_destroy(&text);
  return status;
}

/* The artifact of the file that asks for most features of this CPU and for no other; the first of them. */
static TccStatus *choose(TccStr file, bool checked, TccStr *out_bytes, TccArtifactRecord *out) {
  uint64_t missing = 0, device = 0;
  bool found = false, asked = false;
  TccStatus *none = NULL; /* why there is no device */
  size_t end = file.length;
  do { /* all are checked: a file that is damaged anywhere is not loaded */
    TccArtifactRecord record;
    TccStatus *damage = check(file.data, end, checked, &record, NULL);
    if (damage) {
      tcc_status_destroy(none);
      return damage;
    }
    size_t length = tcc_artifact_bytes(&record);
    if ((record.isa & TCC_ISA_GPU) && !asked) none = tcc_gpu_isa(&device), asked = true;
    uint64_t lacks = !(record.isa & TCC_ISA_GPU)                  ? record.isa & ~tcc_cpu_isa()
                     : device && tcc_gpu_fits(record.isa, device) ? 0
                                                                  : record.isa;
    if (!lacks && (!found || rank(record.isa) >= rank(out->isa))) {
      found = true;
      *out = record;
      *out_bytes = (TccStr){file.data + end - length, length};
    }
    if (!missing || __builtin_popcountll(lacks) <= __builtin_popcountll(missing)) missing = lacks;
    end -= length;
  } while (end > 0);
  TccStatus *status = found ? NULL : none ? none : incompatible(missing, device);
  if (found) tcc_status_destroy(none);
  return status;
}

/* The compile cache seals what it keeps once more, for no machine in particular (cache.c): it is not to be loaded by that record. */
static TccStatus *refuse_entry(TccStr artifact, const TccArtifactRecord *record) {
  enum { MAGIC = sizeof record->magic };
  if (record->object_bytes < MAGIC || memcmp(artifact.data + record->object_bytes - MAGIC, TCC_ARTIFACT_MAGIC, MAGIC) != 0)
    return NULL;
  return TCC_ERROR(TCC_INVALID, "an entry of the compile cache, no artifact: tcc-compile makes one of the model");
}

#ifndef MFD_NOEXEC_SEAL /* headers before Linux 6.3. No program is to be made of it; mappings that run are not meant */
#define MFD_NOEXEC_SEAL 0x0008u
#endif

static int create_memory(size_t bytes) {
  struct rlimit most; /* of files, and of memfds: who writes more gets a signal */
  if (getrlimit(RLIMIT_FSIZE, &most) == 0 && most.rlim_cur != RLIM_INFINITY && bytes > most.rlim_cur) return -1;
  int fd = memfd_create("tcc-artifact", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  return fd < 0 && errno == EINVAL ? memfd_create("tcc-artifact", MFD_CLOEXEC | MFD_ALLOW_SEALING) : fd; /* before Linux 6.3 */
}

/* A copy of these bytes that nobody else can write to, mapped: a sealed memfd, or (*out_fd is -1) memory, where the process may have none. */
static TccStatus *copy_to_memory(TccStr bytes, int *out_fd, TccFileMap *out) {
  *out = (TccFileMap){0};
  *out_fd = bytes.length ? create_memory(bytes.length) : -1;
  if (!bytes.length) return NULL;
  if (*out_fd >= 0 && (!tcc_file_put(*out_fd, bytes.data, bytes.length) ||
                       fcntl(*out_fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) != 0))
    return TCC_ERROR(TCC_NO_MEMORY, "cannot keep the artifact in memory: %s", strerror(errno));
  void *data = *out_fd >= 0 ? mmap(NULL, bytes.length, PROT_READ, MAP_PRIVATE, *out_fd, 0)
                            : mmap(NULL, bytes.length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return TCC_ERROR(TCC_NO_MEMORY, "cannot map the artifact: %s", strerror(errno));
  if (*out_fd < 0) memcpy(data, bytes.data, bytes.length);
  *out = (TccFileMap){data, bytes.length};
  return NULL;
}

static void close_memory(int *fd, TccFileMap *map) {
  tcc_file_unmap(map);
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

TccStatus *tcc_artifact_open(const char *path, const void *bytes, size_t length, bool checked, TccArtifact *out) {
  *out = (TccArtifact){0};
  TccStatus *status = NULL;
  TccFileMap source = {0}, map = {0}, one = {0};
  int fd = -1, one_fd = -1;
  if (path) {
    TCC_TRY(tcc_file_map(path, &source));
    bytes = source.data;
    length = source.length;
  }
  TccArtifactRecord record = {0};
  TccStr chosen = {0}, artifacts;
  TCC_GOTO(tcc_artifact_part_file((TccStr){bytes, length}, &artifacts, &out->weights));
  TCC_GOTO(copy_to_memory(artifacts, &fd, &map));
  if (!out->weights.length) tcc_file_unmap(&source);
  TCC_GOTO(choose((TccStr){map.data, map.length}, checked, &chosen, &record));
  TCC_GOTO(refuse_entry(chosen, &record));
  if (record.isa & TCC_ISA_AMX) TCC_GOTO(tcc_cpu_allow_amx());
  out->bytes = chosen.length;
  memcpy(out->digest, record.digest, sizeof out->digest);
  out->path = path ? realpath(path, NULL) : NULL;
  if (path && !out->path) TCC_GOTO(TCC_ERROR(errno == ENOMEM ? TCC_NO_MEMORY : TCC_IO, "%s", strerror(errno)));
  if (chosen.data != (const char *)map.data) { /* behind another one: segments are mapped from pages of the file */
    TCC_GOTO(copy_to_memory(chosen, &one_fd, &one));
    close_memory(&fd, &map);
    fd = one_fd, map = one;
    one_fd = -1, one = (TccFileMap){0};
  }
  TCC_GOTO(tcc_image_open(fd, map.data, record.object_bytes, &out->image));
  size_t plan_bytes = 0;
  const TccPlanHeader *plan = tcc_image_data(&out->image, TCC_PLAN_SYMBOL, &plan_bytes);
  if (!plan || (uintptr_t)plan % 8 != 0) TCC_GOTO(TCC_ERROR(TCC_INVALID, "no plan inside"));
  TCC_GOTO(tcc_plan_check(plan, plan_bytes));
  out->plan = plan;
  if (out->weights.length && path) {
    out->file = source;
    source = (TccFileMap){0};
  } else if (out->weights.length) {
    out->copied = aligned_alloc(TCC_WEIGHTS_ALIGNMENT,
                                (out->weights.length + TCC_WEIGHTS_ALIGNMENT - 1) & ~(size_t)(TCC_WEIGHTS_ALIGNMENT - 1));
    if (!out->copied) TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "out of memory for weights"));
    out->weights.data = memcpy(out->copied, out->weights.data, out->weights.length);
  }
done:
  close_memory(&one_fd, &one);
  close_memory(&fd, &map);
  tcc_file_unmap(&source);
  if (status) tcc_artifact_close(out);
  return path ? tcc_status_context(status, "%s", path) : status;
}

void tcc_artifact_close(TccArtifact *artifact) {
  tcc_image_close(&artifact->image);
  tcc_file_unmap(&artifact->file);
  free(artifact->copied);
  free(artifact->path);
  free(artifact->model);
  *artifact = (TccArtifact){0};
}
