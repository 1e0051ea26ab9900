/* cache.c - the compile cache; see include/tcc/cache.h. */
#include "tcc/cache.h"
#include "cache_files.h"
#include "internal.h"
#include <cpuid.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

struct TccCache {
  char *dir;
};

TccCache *tcc_cache_open(bool enabled) {
  if (!enabled) return NULL;
  const char *own = getenv("TCC_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  TccText dir = {0};
  if (own && *own) tcc_text_printf(&dir, "%s", own);
  else if (xdg && xdg[0] == '/') tcc_text_printf(&dir, "%s/tcc", xdg);
  else if (home && *home) tcc_text_printf(&dir, "%s/.cache/tcc", home);
  else return NULL;
  TccCache *cache = !dir.failed && tcc_cache_trusted(dir.data) ? calloc(1, sizeof *cache) : NULL;
  if (cache) cache->dir = dir.data;
  else tcc_text_destroy(&dir);
  return cache;
}

void tcc_cache_close(TccCache *cache) {
  if (!cache) return;
  free(cache->dir);
  free(cache);
}

const char *tcc_cache_dir(const TccCache *cache) { return cache ? cache->dir : NULL; }

char *tcc_cache_path(const TccCache *cache, const char *kind, TccStr key) {
  if (!cache) return NULL;
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(key.data, key.length, digest);
  TccText path = {0};
  tcc_text_printf(&path, "%s/%s/%.2s/%s", cache->dir, kind, digest, digest + 2);
  if (path.failed) tcc_text_destroy(&path);
  return path.data;
}

/* ---- entries ---- */
void tcc_cache_reject(const TccCache *cache, const char *path, const char *why) {
  if (!cache || !path) return;
  fprintf(stderr, "tcc: cache entry %s: %s; removed, made again\n", path, why);
  unlink(path);
}

bool tcc_cache_read(const TccCache *cache, const char *kind, TccStr key, TccText *out) {
  struct stat info;
  int fd = tcc_cache_find(cache, kind, key, &info);
  if (fd < 0) return false;
  enum { HOUR = 3600 };
  if (time(NULL) - info.st_mtim.tv_sec > HOUR) futimens(fd, NULL); /* about when it was used last */
  TccFileMap map;
  const size_t start = out->length;
  TccStatus *status = tcc_file_map_descriptor(fd, kind, &map);
  if (!status) {
    tcc_text_put(out, map.data, map.length); /* what is checked is what is used */
    tcc_file_unmap(&map);
    TccArtifactRecord record;
    TccStr notes = {0};
    status = tcc_text_status(out);
    if (!status) status = tcc_artifact_check(out->data + start, out->length - start, &record, &notes);
    if (!status && (!tcc_str_equal(notes, key) || tcc_artifact_bytes(&record) != out->length - start))
      status = TCC_ERROR(TCC_INVALID, "holds something else");
    out->length = start + (status ? 0 : (size_t)record.object_bytes);
    if (out->data) out->data[out->length] = 0;
    out->failed = false;
  }
  bool found = !status;
  if (status && tcc_status_code(status) != TCC_NO_MEMORY) { /* which says nothing of the entry */
    char *path = tcc_cache_path(cache, kind, key);
    if (path) tcc_cache_reject(cache, path, tcc_status_message(status));
    free(path);
  }
  tcc_status_destroy(status);
  return found;
}

void tcc_cache_write(const TccCache *cache, const char *kind, TccStr key, TccStr payload) {
  if (!cache) return;
  TccText bytes = {0};
  TccCacheFile file;
  tcc_text_put(&bytes, payload.data, payload.length);
  tcc_artifact_seal(&bytes, key, 0);
  if (bytes.failed) {
    tcc_text_destroy(&bytes);
    return;
  }
  if (tcc_cache_begin(cache, kind, key, bytes.length, &file)) { /* a full or read-only disk costs only the time of the next run */
    if (tcc_file_put(file.fd, bytes.data, bytes.length)) tcc_cache_commit(&file);
    else tcc_cache_abandon(&file);
  }
  tcc_text_destroy(&bytes);
}

/* ---- what made an entry ---- */
/* Linked into the program itself the run-time has no file of its own, and what dladdr gives is what the program was called by. */
static bool is_program(const Dl_info *info) {
  const Elf64_Ehdr *header = info->dli_fbase;
  return header && getauxval(AT_PHDR) == (uintptr_t)header + header->e_phoff;
}

char *tcc_library_dir(void) {
  Dl_info info;
  if (!dladdr((void *)(uintptr_t)tcc_library_dir, &info) || !info.dli_fname) return NULL;
  char *path = realpath(is_program(&info) ? "/proc/self/exe" : info.dli_fname, NULL), *slash = path ? strrchr(path, '/') : NULL;
  if (slash) *slash = 0;
  return path;
}

/* The GNU build id of an ELF file as hexadecimal digits. A file that there is no memory to map fails the text: without the id it
 * would be another build's key. */
static bool put_build_id(const char *path, TccText *out) {
  TccFileMap map;
  TccStatus *status = tcc_file_map(path, &map);
  if (status) {
    out->failed |= tcc_status_code(status) == TCC_NO_MEMORY;
    tcc_status_destroy(status);
    return false;
  }
  const char *bytes = map.data;
  const Elf64_Ehdr *header = map.data;
  bool found = false;
  size_t ends = map.length >= sizeof *header ? header->e_phoff + (size_t)header->e_phnum * sizeof(Elf64_Phdr) : SIZE_MAX;
  for (size_t i = 0; ends <= map.length && i < header->e_phnum && !found; i++) {
    const Elf64_Phdr *segment = (const Elf64_Phdr *)(bytes + header->e_phoff) + i;
    if (segment->p_type != PT_NOTE || segment->p_offset > map.length || segment->p_filesz > map.length - segment->p_offset)
      continue;
    for (size_t at = 0; at + sizeof(Elf64_Nhdr) <= segment->p_filesz && !found;) {
      const Elf64_Nhdr *note = (const Elf64_Nhdr *)(bytes + segment->p_offset + at);
      size_t name = (note->n_namesz + 3u) & ~3u, content = (note->n_descsz + 3u) & ~3u;
      if (at + sizeof *note + name + content > segment->p_filesz) break;
      found = note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(note + 1, "GNU", 4) == 0;
      for (size_t k = 0; found && k < note->n_descsz; k++)
        tcc_text_printf(out, "%02x", ((const unsigned char *)(note + 1))[name + k]);
      at += sizeof *note + name + content;
    }
  }
  tcc_file_unmap(&map);
  return found;
}

void tcc_cache_key_runtime(TccText *key) {
  Dl_info info;
  tcc_text_printf(key, "runtime: %s ", tcc_runtime_version());
  if (!dladdr((void *)(uintptr_t)tcc_cache_key_runtime, &info) || !info.dli_fname ||
      !put_build_id(is_program(&info) ? "/proc/self/exe" : info.dli_fname, key))
    tcc_text_printf(key, "without a build id");
  tcc_text_printf(key, "\n");
}

static void put_size_and_time(const char *path, TccText *out) {
  struct stat info;
  if (stat(path, &info) == 0)
    tcc_text_printf(out, "%lld bytes of %lld.%09ld", (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
  else tcc_text_printf(out, "absent");
}

void tcc_cache_key_build(TccText *key) {
  char *folder = tcc_library_dir();
  TccText path = {0};
  tcc_text_printf(&path, "%s/libtcccompiler.so", folder ? folder : ".");
  key->failed |= !folder || path.failed;
  tcc_text_printf(key, "tcc: %s abi %d ", tcc_runtime_version(), TCC_ABI_VERSION);
  if (!path.failed && !put_build_id(path.data, key)) put_size_and_time(path.data, key);
  tcc_text_printf(key, "\nllvm: " TCC_LLVM_VERSION " ");
  put_size_and_time(TCC_LLVM_LIBRARY, key);
  tcc_text_printf(key, "\n");
  tcc_text_destroy(&path);
  free(folder);
}

void tcc_cache_key_machine(TccText *key) {
  uint32_t r[12] = {0};
  tcc_text_printf(key, "machine: ");
  for (uint32_t i = 0; i < 3; i++) __get_cpuid(0x80000002u + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]); /* brand */
  char brand[49] = {0};
  memcpy(brand, r, 48);
  tcc_text_printf(key, "%s;", brand);
  uint32_t a, b, c, d;
  if (__get_cpuid(1, &a, &b, &c, &d)) tcc_text_printf(key, " %x %x %x", a, c, d & 0xfffffff);
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d)) tcc_text_printf(key, " %x %x %x", b, c, d);
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d)) tcc_text_printf(key, " %x", a);
  tcc_text_printf(key, "; isa ");
  tcc_isa_text(tcc_cpu_isa(), key);
  const char *machine = getenv("TCC_MACHINE");
  tcc_text_printf(key, "; as %s", machine ? machine : "it is");
  tcc_text_printf(key, "; caches %ld %ld %ld; cores %u\n", sysconf(_SC_LEVEL1_DCACHE_SIZE), sysconf(_SC_LEVEL2_CACHE_SIZE),
                  sysconf(_SC_LEVEL3_CACHE_SIZE), tcc_cpu_count());
}

/* ---- explaining ---- */
static TccStr model_key(const char *model, TccText *out) {
  char *path = realpath(model, NULL);
  tcc_text_printf(out, "last key of %s\n", path ? path : model);
  free(path);
  return tcc_text_str(out);
}

void tcc_cache_remember(const TccCache *cache, const char *model, TccStr key) {
  TccText name = {0};
  TccStr last = model_key(model, &name);
  if (!name.failed) tcc_cache_write(cache, "last", last, key);
  tcc_text_destroy(&name);
}

/* The first line of *rest, which goes on behind it. */
static TccStr next_line(TccStr *rest) {
  const char *end = rest->length ? memchr(rest->data, '\n', rest->length) : NULL;
  TccStr line = {rest->data, end ? (size_t)(end - rest->data) : rest->length};
  rest->data += line.length + (end != NULL);
  rest->length -= line.length + (end != NULL);
  return line;
}

/* Appends the lines of `text` that `other` lacks, each behind `sign`; how many there are. */
static size_t put_only(TccStr text, TccStr other, char sign, TccText *out) {
  size_t count = 0;
  while (text.length) {
    TccStr line = next_line(&text);
    bool shared = false;
    for (TccStr rest = other; rest.length && !shared;) shared = tcc_str_equal(next_line(&rest), line);
    if (shared) continue;
    tcc_text_printf(out, "%c %.*s\n", sign, TCC_STR_ARG(line));
    count++;
  }
  return count;
}

/* Why nothing can be kept in the folder, which need not exist yet; NULL: something can. */
static const char *unusable(const TccCache *cache) {
  struct stat info;
  if (stat(cache->dir, &info)) return errno == ENOENT ? NULL : strerror(errno);
  if (!S_ISDIR(info.st_mode)) return "no folder";
  return access(cache->dir, W_OK | X_OK) ? strerror(errno) : NULL;
}

void tcc_cache_explain(const TccCache *cache, const char *model, TccStr key, TccText *out) {
  TccText name = {0}, last = {0};
  if (!cache) {
    tcc_text_printf(out, "no cache\n");
  } else if (unusable(cache)) {
    tcc_text_printf(out, "no cache: %s: %s\n", cache->dir, unusable(cache));
  } else if (!tcc_cache_read(cache, "last", model_key(model, &name), &last)) {
    tcc_text_printf(out, "tcc-run has not compiled this model with this cache (%s)\n", cache->dir);
  } else {
    size_t changed = put_only(tcc_text_str(&last), key, '-', out);
    changed += put_only(key, tcc_text_str(&last), '+', out);
    if (!changed) tcc_text_printf(out, "nothing changed\n%.*s", TCC_STR_ARG(key));
  }
  tcc_text_destroy(&name);
  tcc_text_destroy(&last);
}
