/* artifact.c - the container: seal, check, and load of a shared object with notes and a digest behind it.
 *
 * A file may hold artifacts for several machines, one behind the other: each ends in a record that tells its length, so that
 * they are found from the end of the file on. The loader takes the one that asks for most of what this CPU has.
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

TccStatus *tcc_artifact_check(const void *bytes, size_t length, TccArtifactRecord *out, TccStr *out_notes) {
  memset(out, 0, sizeof *out);
  if (length < sizeof *out || memcmp((const char *)bytes + length - 8, TCC_ARTIFACT_MAGIC, 8) != 0)
    return TCC_ERROR(TCC_INVALID, "not a tcc artifact, or cut short");
  memcpy(out, (const char *)bytes + length - sizeof *out, sizeof *out);
  size_t rest = length - sizeof *out;
  bool adds_up = out->notes_bytes <= rest && out->object_bytes <= rest - out->notes_bytes;
  const char *begin = (const char *)bytes + (adds_up ? rest - out->notes_bytes - out->object_bytes : 0);
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(begin, (size_t)((const char *)bytes + rest - begin) + offsetof(TccArtifactRecord, digest), digest);
  if (!adds_up || memcmp(digest, out->digest, sizeof digest) != 0)
    return TCC_ERROR(TCC_INVALID, "damaged: the digest does not match");
  if (out->abi_version != TCC_ABI_VERSION || out->record_bytes != sizeof *out)
    return TCC_ERROR(TCC_INCOMPATIBLE, "made for version %u of the run-time interface, this is version %d: compile again",
                     out->abi_version, TCC_ABI_VERSION);
  if (out_notes) *out_notes = (TccStr){begin + out->object_bytes, out->notes_bytes};
  return NULL;
}

/* What the CPU lacks for the artifact that lacks least of it. */
static TccStatus *incompatible(uint64_t missing) {
  TccText text = {0};
  tcc_isa_text(missing, &text);
  TccStatus *status = TCC_ERROR(TCC_INCOMPATIBLE, "this CPU lacks what the code needs: %s", text.data);
  tcc_text_destroy(&text);
  return status;
}

/* The artifact of the file that asks for most features of this CPU and for no other; the first of them. */
static TccStatus *choose(TccStr file, TccStr *out_bytes, TccArtifactRecord *out) {
  uint64_t missing = 0;
  bool found = false;
  size_t end = file.length;
  do { /* all are checked: a file that is damaged anywhere is not loaded */
    TccArtifactRecord record;
    TCC_TRY(tcc_artifact_check(file.data, end, &record, NULL));
    size_t length = tcc_artifact_bytes(&record);
    uint64_t lacks = record.isa & ~tcc_cpu_isa();
    if (!lacks && (!found || __builtin_popcountll(record.isa) >= __builtin_popcountll(out->isa))) {
      found = true;
      *out = record;
      *out_bytes = (TccStr){file.data + end - length, length};
    }
    if (!missing || __builtin_popcountll(lacks) <= __builtin_popcountll(missing)) missing = lacks;
    end -= length;
  } while (end > 0);
  return found ? NULL : incompatible(missing);
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
  TccArtifactRecord record = {0};
  TccStr chosen = {0};
  TCC_GOTO(choose((TccStr){bytes, length}, &chosen, &record));
  if (record.isa & TCC_ISA_AMX) TCC_GOTO(tcc_cpu_allow_amx());
  out->bytes = chosen.length;
  memcpy(out->digest, record.digest, sizeof out->digest);
  if (path && chosen.data == (const char *)bytes) {
    char *absolute = realpath(path, NULL); /* dlopen searches for names without a slash */
    out->handle = absolute ? dlopen(absolute, RTLD_NOW | RTLD_LOCAL) : NULL;
    free(absolute);
    if (!out->handle) TCC_GOTO(TCC_ERROR(TCC_INVALID, "cannot load: %s", dlerror()));
  } else {
    TCC_GOTO(open_memory(chosen.data, chosen.length, &out->fd, &out->handle));
  }
  const TccPlanHeader *plan = dlsym(out->handle, TCC_PLAN_SYMBOL);
  if (!plan) TCC_GOTO(TCC_ERROR(TCC_INVALID, "no plan inside"));
  TCC_GOTO(tcc_plan_check(plan, chosen.length));
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
