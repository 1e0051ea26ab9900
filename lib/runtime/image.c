/* image.c - a loader for the shared objects that lib/compile/artifact.c links, and for no others.
 *
 * dlopen would do it, but it knows files by name and inode: one that took the place of a loaded one is taken for that. It runs
 * what a file says is to be run when it is loaded, and needs a path, so /proc. What is needed is little: three segments whose
 * offsets in the file are their addresses, a hash table of symbols, and relocations of one kind, the addresses of functions of
 * libc that the reference target calls. The segments are mapped from a sealed memfd: where a system refuses memory that is
 * first written and then run, it does not refuse that; where a process has no memfd, they are copied. All offsets are checked: a strange file is an error, never a crash.
 *
 * A debugger sees a mapping "memfd:tcc-artifact"; `add-symbol-file ARTIFACT -o ADDRESS`, with the address of the first one,
 * tells gdb the kernels' names. */
#include "internal.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <sys/mman.h>

enum { PAGE = 4096, MOST_SEGMENTS = 16 };

static TccStatus *strange(const char *what) { return TCC_ERROR(TCC_INVALID, "not made by tcc-compile: %s", what); }

static bool inside(uint64_t offset, uint64_t bytes, uint64_t end) { return offset <= end && bytes <= end - offset; }

static size_t round_page(uint64_t bytes) { return (size_t)((bytes + PAGE - 1) & ~(uint64_t)(PAGE - 1)); }

/* ---- the segments ---- */
/* Segments in the order of their addresses, from 0 on; out->bytes is where the last one ends. */
static TccStatus *check_segments(const char *file, size_t length, TccImage *out, const Elf64_Phdr **out_dynamic) {
  const Elf64_Phdr *dynamic = NULL;
  const Elf64_Ehdr *header = (const void *)file;
  if (length < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_DYN || header->e_machine != EM_X86_64)
    return strange("no shared object for this machine");
  if (header->e_phnum > MOST_SEGMENTS || header->e_phoff % 8 != 0 ||
      !inside(header->e_phoff, header->e_phnum * sizeof(Elf64_Phdr), length))
    return strange("segments");
  const Elf64_Phdr *segments = (const void *)(file + header->e_phoff);
  uint64_t end = 0;
  for (size_t i = 0; i < header->e_phnum; i++) {
    const Elf64_Phdr *s = &segments[i];
    if (s->p_type == PT_DYNAMIC) dynamic = s;
    if (s->p_type != PT_LOAD) continue;
    if (s->p_vaddr % PAGE != 0 || s->p_vaddr < end || s->p_offset != s->p_vaddr || s->p_memsz != s->p_filesz ||
        !inside(s->p_offset, s->p_filesz, length) || (s->p_flags & PF_W && s->p_flags & PF_X) || (end == 0) != (s->p_vaddr == 0))
      return strange("segments");
    if (s->p_filesz == 0) continue;
    if (end == 0 && s->p_flags & (PF_W | PF_X)) return strange("tables that are not read-only");
    if (end == 0) out->tables_bytes = s->p_filesz;
    end = round_page(s->p_vaddr + s->p_filesz);
  }
  if (!end || !inside(header->e_phoff, header->e_phnum * sizeof *segments, out->tables_bytes) || !dynamic ||
      dynamic->p_offset % 8 != 0 || !inside(dynamic->p_offset, dynamic->p_filesz, length))
    return strange("segments");
  *out_dynamic = dynamic;
  out->segments = segments;
  out->segment_count = header->e_phnum;
  out->bytes = (size_t)end;
  return NULL;
}

/* Whether [address, address + bytes) lies in a segment with these flags. */
static bool lies_in(const TccImage *image, uint64_t address, uint64_t bytes, Elf64_Word flags) {
  for (size_t i = 0; i < image->segment_count; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_LOAD && (s->p_flags & flags) == flags && address >= s->p_vaddr &&
        inside(address - s->p_vaddr, bytes, s->p_filesz))
      return true;
  }
  return false;
}

/* ---- the tables, all in the first segment ---- */
typedef struct {
  uint64_t hash, strings, strings_bytes, symbols, relocations, relocations_bytes;
} Dynamic;

static TccStatus *read_dynamic(const char *file, const Elf64_Phdr *segment, Dynamic *out) {
  *out = (Dynamic){0};
  const Elf64_Dyn *entries = (const void *)(file + segment->p_offset);
  for (size_t i = 0; i < segment->p_filesz / sizeof *entries && entries[i].d_tag != DT_NULL; i++) {
    const uint64_t value = entries[i].d_un.d_val;
    switch (entries[i].d_tag) {
    case DT_HASH: out->hash = value; break;
    case DT_STRTAB: out->strings = value; break;
    case DT_STRSZ: out->strings_bytes = value; break;
    case DT_SYMTAB: out->symbols = value; break;
    case DT_RELA: out->relocations = value; break;
    case DT_RELASZ: out->relocations_bytes = value; break;
    case DT_SYMENT:
    case DT_RELAENT:
    case DT_FLAGS: break;
    default: return strange("it asks the loader for more than tcc's artifacts do");
    }
  }
  return NULL;
}

static TccStatus *check_tables(const char *file, const Dynamic *d, TccImage *image) {
  const uint64_t end = image->tables_bytes;
  if (d->hash % 4 != 0 || !inside(d->hash, 8, end)) return strange("no table of symbols");
  const uint32_t *hash = (const void *)(file + d->hash);
  image->buckets = hash[0];
  image->symbol_count = hash[1];
  if (!image->buckets || !inside(d->hash + 8, 4 * ((uint64_t)hash[0] + hash[1]), end) || d->symbols % 8 != 0 ||
      !inside(d->symbols, image->symbol_count * sizeof(Elf64_Sym), end) || !d->strings_bytes ||
      !inside(d->strings, d->strings_bytes, end) || file[d->strings + d->strings_bytes - 1] != 0 || d->relocations % 8 != 0 ||
      !inside(d->relocations, d->relocations_bytes, end))
    return strange("tables that lie outside");
  image->hash = hash + 2;
  image->symbols = (const void *)(file + d->symbols);
  image->strings = file + d->strings;
  image->strings_bytes = d->strings_bytes;
  return NULL;
}

/* ---- symbols ---- */
static const Elf64_Sym *find(const TccImage *image, const char *name) {
  uint32_t at = image->hash[tcc_symbol_hash(name) % image->buckets];
  for (uint32_t steps = 0; at && at < image->symbol_count && steps < image->symbol_count; steps++) {
    const Elf64_Sym *symbol = &image->symbols[at];
    if (symbol->st_shndx != SHN_UNDEF && symbol->st_name < image->strings_bytes &&
        strcmp(image->strings + symbol->st_name, name) == 0)
      return symbol;
    at = image->hash[image->buckets + at];
  }
  return NULL;
}

const void *tcc_image_data(const TccImage *image, const char *name, size_t *out_bytes) {
  const Elf64_Sym *symbol = find(image, name);
  if (!symbol || !lies_in(image, symbol->st_value, symbol->st_size, PF_R)) return NULL;
  *out_bytes = symbol->st_size;
  return image->base + symbol->st_value;
}

void *tcc_image_function(const TccImage *image, const char *name) {
  const Elf64_Sym *symbol = find(image, name);
  return symbol && lies_in(image, symbol->st_value, 1, PF_X) ? image->base + symbol->st_value : NULL;
}

/* ---- mapping ---- */
/* Functions of libc and libm, in what this library itself was bound to or the process has. */
static TccStatus *bind_imports(const Dynamic *d, TccImage *image) {
  const Elf64_Rela *relocations = (const void *)(image->base + d->relocations);
  for (size_t i = 0; i < d->relocations_bytes / sizeof *relocations; i++) {
    const Elf64_Rela *r = &relocations[i];
    const uint64_t index = ELF64_R_SYM(r->r_info);
    if (ELF64_R_TYPE(r->r_info) != R_X86_64_GLOB_DAT || index >= image->symbol_count || r->r_offset % 8 != 0 ||
        !lies_in(image, r->r_offset, 8, PF_W) || image->symbols[index].st_name >= image->strings_bytes)
      return strange("relocations");
    const char *name = image->strings + image->symbols[index].st_name;
    void *address = dlsym(RTLD_DEFAULT, name);
    if (!address) return TCC_ERROR(TCC_INVALID, "the function '%s' that it calls is not there", name);
    memcpy(image->base + r->r_offset, &address, sizeof address);
  }
  return NULL;
}

static bool map_segment(int fd, const char *file, const Elf64_Phdr *s, char *at) {
  const int protection = PROT_READ | (s->p_flags & PF_W ? PROT_WRITE : 0) | (s->p_flags & PF_X ? PROT_EXEC : 0);
  if (fd >= 0) return mmap(at, s->p_filesz, protection, MAP_PRIVATE | MAP_FIXED, fd, (off_t)s->p_offset) != MAP_FAILED;
  if (mmap(at, s->p_filesz, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) return false;
  memcpy(at, file + s->p_offset, s->p_filesz);
  return mprotect(at, s->p_filesz, protection) == 0;
}

static TccStatus *map_segments(int fd, const char *file, TccImage *image) {
  for (size_t i = 0; i < image->segment_count; i++) {
    const Elf64_Phdr *s = &image->segments[i];
    if (s->p_type == PT_LOAD && s->p_filesz && !map_segment(fd, file, s, image->base + s->p_vaddr))
      return TCC_ERROR(errno == ENOMEM ? TCC_NO_MEMORY : TCC_IO, "this system does not let code run that is in memory alone: %s",
                       strerror(errno));
  }
  return NULL;
}

TccStatus *tcc_image_open(int fd, const void *file, size_t length, TccImage *out) {
  *out = (TccImage){0};
  Dynamic dynamic;
  const Elf64_Phdr *segment = NULL;
  TccStatus *status = NULL;
  TCC_GOTO(check_segments(file, length, out, &segment));
  TCC_GOTO(read_dynamic(file, segment, &dynamic));
  TCC_GOTO(check_tables(file, &dynamic, out));
  out->base = mmap(NULL, out->bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (out->base == MAP_FAILED) {
    out->base = NULL;
    TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "no room for the artifact: %s", strerror(errno)));
  }
  TCC_GOTO(map_segments(fd, file, out));
  /* From here on the tables are those in the image: the caller's copy of the file goes away. */
  out->segments = (const void *)(out->base + ((const char *)out->segments - (const char *)file));
  TCC_GOTO(check_tables(out->base, &dynamic, out));
  TCC_GOTO(bind_imports(&dynamic, out));
  for (size_t i = 0; i < out->segment_count; i++) /* what was bound stays as it is */
    if (out->segments[i].p_type == PT_LOAD && out->segments[i].p_flags & PF_W)
      mprotect(out->base + out->segments[i].p_vaddr, out->segments[i].p_filesz, PROT_READ);
done:
  if (status) tcc_image_close(out);
  return status;
}

void tcc_image_close(TccImage *image) {
  if (image->base) munmap(image->base, image->bytes);
  *image = (TccImage){0};
}
