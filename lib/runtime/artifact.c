/* artifact.c - the container: seal, check, and load of a shared object with notes and a digest behind it.
 *
 * A damaged ELF file crashes the dynamic loader, so nothing is given to dlopen before the digest of the whole file, the
 * ABI version and the CPU features have been checked. Bytes from memory are loaded from a memfd: what was checked is what
 * is loaded. */
#include "internal.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void tcc_artifact_seal(TccText *bytes, TccStr notes, uint64_t isa) {
  TccArtifactRecord record = {.object_bytes = bytes->length, .notes_bytes = notes.length, .isa = isa,
                              .abi_version = TCC_ABI_VERSION, .record_bytes = sizeof record};
  memcpy(record.magic, TCC_ARTIFACT_MAGIC, sizeof record.magic);
  tcc_text_put(bytes, notes.data, notes.length);
  tcc_text_put(bytes, (const char *)&record, offsetof(TccArtifactRecord, digest));
  tcc_digest(bytes->data, bytes->length, record.digest);
  tcc_text_put(bytes, (const char *)record.digest, sizeof record - offsetof(TccArtifactRecord, digest));
}

TccStatus *tcc_artifact_check(const void *bytes, size_t length, TccArtifactRecord *out, TccStr *out_notes) {
  memset(out, 0, sizeof *out);
  if (length < sizeof *out || memcmp((const char *)bytes + length - 8, TCC_ARTIFACT_MAGIC, 8) != 0)
    return TCC_ERROR(TCC_INVALID, "not a tcc artifact, or cut short");
  memcpy(out, (const char *)bytes + length - sizeof *out, sizeof *out);
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(bytes, length - sizeof *out + offsetof(TccArtifactRecord, digest), digest);
  if (memcmp(digest, out->digest, sizeof digest) != 0) return TCC_ERROR(TCC_INVALID, "damaged: the digest does not match");
  if (out->abi_version != TCC_ABI_VERSION || out->record_bytes != sizeof *out)
    return TCC_ERROR(TCC_INCOMPATIBLE, "made for version %u of the run-time interface, this is version %d: compile again",
                     out->abi_version, TCC_ABI_VERSION);
  size_t rest = length - sizeof *out;
  if (out->notes_bytes > rest || out->object_bytes != rest - out->notes_bytes)
    return TCC_ERROR(TCC_INVALID, "damaged: sizes do not add up");
  if (out_notes) *out_notes = (TccStr){(const char *)bytes + out->object_bytes, out->notes_bytes};
  return NULL;
}

static TccStatus *open_memory(const void *bytes, size_t length, int *out_fd, void **out_handle) {
  int fd = memfd_create("tcc-artifact", MFD_CLOEXEC);
  if (fd < 0) return TCC_ERROR(TCC_IO, "memfd_create: %s", strerror(errno));
  for (size_t done = 0; done < length;) {
    ssize_t n = write(fd, (const char *)bytes + done, length - done);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      close(fd);
      return TCC_ERROR(TCC_NO_MEMORY, "cannot keep the artifact in memory: %s", strerror(errno));
    }
    done += (size_t)n;
  }
  char path[64]; /* unique while fd is open: the loader knows libraries by name too */
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  *out_handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!*out_handle) {
    close(fd);
    return TCC_ERROR(TCC_INVALID, "cannot load: %s", dlerror());
  }
  *out_fd = fd;
  return NULL;
}

TccStatus *tcc_artifact_open(const char *path, const void *bytes, size_t length, TccArtifact *out) {
  *out = (TccArtifact){.fd = -1};
  TccStatus *status = NULL;
  TccFileMap map = {0};
  if (path) {
    TCC_TRY(tcc_file_map(path, &map));
    bytes = map.data;
    length = map.length;
  }
  TccArtifactRecord record;
  TCC_GOTO(tcc_artifact_check(bytes, length, &record, NULL));
  uint64_t missing = record.isa & ~tcc_cpu_isa();
  if (missing) {
    TccText text = {0};
    tcc_isa_text(missing, &text);
    status = TCC_ERROR(TCC_INCOMPATIBLE, "this CPU lacks what the code needs: %s", text.data);
    tcc_text_destroy(&text);
    goto done;
  }
  if (record.isa & TCC_ISA_AMX) TCC_GOTO(tcc_cpu_allow_amx());
  out->bytes = length;
  memcpy(out->digest, record.digest, sizeof out->digest);
  if (path) {
    char *absolute = realpath(path, NULL); /* dlopen searches for names without a slash */
    out->handle = absolute ? dlopen(absolute, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(absolute);
    if (!out->handle) TCC_GOTO(TCC_ERROR(TCC_INVALID, "cannot load: %s", dlerror()));
  } else {
    TCC_GOTO(open_memory(bytes, length, &out->fd, &out->handle));
  }
  const TccPlanHeader *plan = dlsym(out->handle, TCC_PLAN_SYMBOL);
  if (!plan) TCC_GOTO(TCC_ERROR(TCC_INVALID, "no plan inside"));
  TCC_GOTO(tcc_plan_check(plan, length));
  out->plan = plan;
done:
  tcc_file_unmap(&map);
  if (status) tcc_artifact_close(out);
  return path ? tcc_status_context(status, "%s", path) : status;
}

void tcc_artifact_close(TccArtifact *artifact) {
  if (artifact->handle) dlclose(artifact->handle);
  if (artifact->fd >= 0) close(artifact->fd);
  *artifact = (TccArtifact){.fd = -1};
}
