/* artifact.c - the linker: relocatable objects and a plan to one shared object, in memory.
 *
 * What LLVM makes of a kernel is small: code, constants, calls between its functions, and for the reference target calls of
 * libc. Such objects need two kinds of relocation and no linker's generality; a child process with ld.lld took 20 ms, this
 * takes less than one. Formats: System V ABI, chapters 4 and 5, and its AMD64 supplement, section 4.4.
 *
 *   page 0      headers, .hash, .dynsym, .dynstr, .rela.dyn, .rodata (with the plan)     R
 *   next page   .text, then a stub for each imported function                            RX
 *   next page   .dynamic, .got (addresses of imported functions, filled in by the loader) RW
 *
 * File offsets are addresses. Sections of the objects with the same permissions are laid out in the order of the objects.
 * Section headers are there for tools (disassemblers, nm); the loader does not read them. Unwind tables are left out:
 * nothing unwinds through a kernel. What is not known (writable data, thread-local storage, other relocations) is an error. */
#include "lib/compile/artifact.h"
#include "tcc/plan.h"
#include <elf.h>
#include <stdlib.h>

enum { PAGE = 4096, STUB_BYTES = 8, SEGMENTS = 5 };
enum { NONE, TEXT, HASH, DYNSYM, DYNSTR, RELA, RODATA, DYNAMIC, GOT, NAMES, SECTIONS }; /* of the shared object */
typedef enum { PART_RODATA, PART_TEXT, PART_NONE } PartKind;
typedef struct {
  PartKind kind;
  uint64_t address;
} Placed; /* one per section of an object */

typedef struct {
  TccStr bytes;
  const Elf64_Shdr *sections;
  size_t nsections;
  const Elf64_Sym *symbols;
  size_t nsymbols;
  TccStr strings;
  Placed *placed;
} Object;

typedef struct {
  TccArena *arena;
  Object *objects;
  size_t count;
  TccMap *defined;  /* name -> address */
  TccMap *imported; /* name -> number */
  TccMap *exported; /* name -> index into exports */
  TCC_VEC(Elf64_Sym) exports;
  Elf64_Rela *relocations; /* of the shared object: an address in .got for each imported function */
  TccText names;           /* .dynstr */
  TccText *out;
  size_t base; /* of the shared object in *out */
  Elf64_Shdr sections[SECTIONS];
  uint64_t stubs, got;
} Link;

static TccStatus *damaged(const char *what) { return TCC_ERROR(TCC_INTERNAL, "link: an object with %s", what); }

static bool inside(TccStr bytes, uint64_t offset, uint64_t length) {
  return offset <= bytes.length && length <= bytes.length - offset;
}

static const char *text_at(TccStr strings, uint64_t at) {
  return at < strings.length && memchr(strings.data + at, 0, strings.length - at) ? strings.data + at : NULL;
}

/* ---- reading ---- */
static TccStatus *read_object(Link *link, TccStr bytes, Object *out) {
  *out = (Object){.bytes = bytes};
  const Elf64_Ehdr *header = (const void *)bytes.data;
  if (bytes.length < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_type != ET_REL || header->e_machine != EM_X86_64 || header->e_shoff % 8 != 0 ||
      !inside(bytes, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
    return damaged("a damaged header");
  out->sections = (const void *)(bytes.data + header->e_shoff);
  out->nsections = header->e_shnum;
  out->placed = TCC_NEW_ARRAY(link->arena, Placed, out->nsections + 1);
  for (size_t i = 0; i < out->nsections; i++) {
    const Elf64_Shdr *section = &out->sections[i];
    if (section->sh_type != SHT_NOBITS && !inside(bytes, section->sh_offset, section->sh_size))
      return damaged("a section outside of it");
    if (section->sh_addralign > PAGE || (section->sh_addralign & (section->sh_addralign - 1)))
      return damaged("a strange alignment");
    out->placed[i].kind = PART_NONE;
    if (section->sh_type == SHT_SYMTAB) {
      if (section->sh_link >= out->nsections || section->sh_offset % 8 != 0) return damaged("a damaged symbol table");
      out->symbols = (const void *)(bytes.data + section->sh_offset);
      out->nsymbols = section->sh_size / sizeof *out->symbols;
      const Elf64_Shdr *strings = &out->sections[section->sh_link];
      if (!inside(bytes, strings->sh_offset, strings->sh_size)) return damaged("a damaged string table");
      out->strings = (TccStr){bytes.data + strings->sh_offset, strings->sh_size};
    }
    if (section->sh_type != SHT_PROGBITS || !(section->sh_flags & SHF_ALLOC)) {
      if ((section->sh_flags & SHF_ALLOC) && section->sh_type == SHT_NOBITS && section->sh_size) return damaged("writable data");
      continue;
    }
    if ((section->sh_flags & (SHF_WRITE | SHF_TLS)) && section->sh_size) return damaged("writable data");
    out->placed[i].kind = section->sh_flags & SHF_EXECINSTR ? PART_TEXT : PART_RODATA;
  }
  return NULL;
}

/* ---- laying out ---- */
static uint64_t position(const Link *link) { return link->out->length - link->base; }

static void pad(Link *link, uint64_t alignment) {
  static const char zeros[PAGE];
  if (alignment > 1) tcc_text_put(link->out, zeros, (alignment - position(link) % alignment) % alignment);
}

static void place(Link *link, PartKind kind) {
  for (size_t i = 0; i < link->count; i++)
    for (size_t s = 0; s < link->objects[i].nsections; s++) {
      const Elf64_Shdr *section = &link->objects[i].sections[s];
      if (link->objects[i].placed[s].kind != kind) continue;
      pad(link, section->sh_addralign);
      link->objects[i].placed[s].address = position(link);
      tcc_text_put(link->out, link->objects[i].bytes.data + section->sh_offset, section->sh_size);
    }
}

static void export_symbol(Link *link, const char *name, Elf64_Sym symbol) {
  symbol.st_name = (Elf64_Word)link->names.length;
  tcc_text_put(&link->names, name, strlen(name) + 1);
  tcc_map_put(link->exported, tcc_str(name), NULL)->integer = (int64_t)link->exports.count;
  TCC_VEC_PUSH(link->arena, &link->exports, symbol);
}

static TccStatus *collect_defined(Link *link, const Object *object, const Elf64_Sym *symbol, const char *name) {
  bool inserted;
  if (symbol->st_shndx >= object->nsections || object->placed[symbol->st_shndx].kind == PART_NONE)
    return damaged("a symbol outside of it");
  tcc_map_put(link->defined, tcc_str(name), &inserted);
  if (!inserted) return TCC_ERROR(TCC_INTERNAL, "link: '%s' is defined twice", name);
  bool is_text = object->placed[symbol->st_shndx].kind == PART_TEXT;
  if (ELF64_ST_VISIBILITY(symbol->st_other) == STV_DEFAULT)
    export_symbol(link, name,
                  (Elf64_Sym){.st_info = symbol->st_info, .st_size = symbol->st_size, .st_shndx = is_text ? TEXT : RODATA});
  return NULL;
}

static TccStatus *collect_imported(Link *link, bool calls_libc, const char *name) {
  bool inserted;
  if (tcc_map_find(link->defined, tcc_str(name))) return NULL;
  if (!calls_libc) return TCC_ERROR(TCC_INTERNAL, "link: '%s' is not defined", name);
  int64_t number = (int64_t)tcc_map_count(link->imported);
  TccMapEntry *entry = tcc_map_put(link->imported, tcc_str(name), &inserted);
  if (!inserted) return NULL;
  entry->integer = number;
  export_symbol(link, name, (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_NOTYPE)});
  return NULL;
}

/* The global symbols of an object: those that it defines, or those that it lacks. */
static TccStatus *collect_symbols(Link *link, const Object *object, bool defined, bool calls_libc) {
  for (size_t s = 1; s < object->nsymbols; s++) {
    const Elf64_Sym *symbol = &object->symbols[s];
    const char *name = text_at(object->strings, symbol->st_name);
    if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
    if (!name) return damaged("a symbol without a name");
    if ((symbol->st_shndx != SHN_UNDEF) != defined) continue;
    TCC_TRY(defined ? collect_defined(link, object, symbol, name) : collect_imported(link, calls_libc, name));
  }
  return NULL;
}

/* What objects define and export, then what all of them lack. Addresses are set once sections are placed. */
static TccStatus *collect(Link *link, bool calls_libc) {
  for (size_t i = 0; i < link->count; i++) TCC_TRY(collect_symbols(link, &link->objects[i], true, calls_libc));
  for (size_t i = 0; i < link->count; i++) TCC_TRY(collect_symbols(link, &link->objects[i], false, calls_libc));
  return NULL;
}

static void define(Link *link) {
  for (size_t i = 0; i < link->count; i++) {
    const Object *object = &link->objects[i];
    for (size_t s = 1; s < object->nsymbols; s++) {
      const Elf64_Sym *symbol = &object->symbols[s];
      if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL || symbol->st_shndx == SHN_UNDEF) continue;
      TccStr name = tcc_str(text_at(object->strings, symbol->st_name));
      uint64_t address = object->placed[symbol->st_shndx].address + symbol->st_value;
      tcc_map_find(link->defined, name)->integer = (int64_t)address;
      TccMapEntry *entry = tcc_map_find(link->exported, name);
      if (entry) link->exports.data[entry->integer].st_value = address;
    }
  }
}

/* ---- relocating ---- */
/* The address of a symbol; an imported function's is that of its stub, or with `slot` that of its entry in .got. */
static TccStatus *address_of(Link *link, const Object *object, uint64_t index, bool slot, uint64_t *out) {
  if (index == 0 || index >= object->nsymbols) return damaged("a relocation without a symbol");
  const Elf64_Sym *symbol = &object->symbols[index];
  if (symbol->st_shndx != SHN_UNDEF) {
    if (slot) return damaged("a table entry for a function of its own");
    if (symbol->st_shndx >= object->nsections || object->placed[symbol->st_shndx].kind == PART_NONE)
      return damaged("a symbol outside of it");
    *out = object->placed[symbol->st_shndx].address + symbol->st_value;
    return NULL;
  }
  const char *name = text_at(object->strings, symbol->st_name);
  if (!name) return damaged("a symbol without a name");
  TccMapEntry *entry = tcc_map_find(link->imported, tcc_str(name));
  if (entry) {
    *out = slot ? link->got + 8 * (uint64_t)entry->integer : link->stubs + STUB_BYTES * (uint64_t)entry->integer;
    return NULL;
  }
  if (slot) return damaged("a table entry for a function of the artifact");
  entry = tcc_map_find(link->defined, tcc_str(name));
  if (!entry) return damaged("a local symbol that is not defined");
  *out = (uint64_t)entry->integer;
  return NULL;
}

static TccStatus *relocate_section(Link *link, const Object *object, const Elf64_Shdr *section) {
  if (section->sh_info >= object->nsections || section->sh_offset % 8 != 0) return damaged("damaged relocations");
  const Elf64_Shdr *target = &object->sections[section->sh_info];
  if (object->placed[section->sh_info].kind == PART_NONE) return NULL; /* debug information */
  uint64_t base = object->placed[section->sh_info].address;
  const Elf64_Rela *relocations = (const void *)(object->bytes.data + section->sh_offset);
  for (size_t i = 0; i < section->sh_size / sizeof *relocations; i++) {
    const Elf64_Rela *r = &relocations[i];
    uint32_t type = ELF64_R_TYPE(r->r_info);
    bool slot = type == R_X86_64_GOTPCREL || type == R_X86_64_GOTPCRELX || type == R_X86_64_REX_GOTPCRELX;
    if (type != R_X86_64_PC32 && type != R_X86_64_PLT32 && !slot)
      return TCC_ERROR(TCC_INTERNAL, "link: relocation of type %u", type);
    if (target->sh_size < 4 || r->r_offset > target->sh_size - 4) return damaged("a relocation outside of its section");
    uint64_t symbol = 0;
    TCC_TRY(address_of(link, object, ELF64_R_SYM(r->r_info), slot, &symbol));
    int64_t value = (int64_t)(symbol + (uint64_t)r->r_addend - (base + r->r_offset));
    if (value != (int32_t)value) return damaged("an address out of reach");
    int32_t word = (int32_t)value;
    memcpy(link->out->data + link->base + base + r->r_offset, &word, sizeof word);
  }
  return NULL;
}

static TccStatus *relocate(Link *link) {
  for (size_t i = 0; i < link->count; i++)
    for (size_t s = 0; s < link->objects[i].nsections; s++)
      if (link->objects[i].sections[s].sh_type == SHT_RELA)
        TCC_TRY(relocate_section(link, &link->objects[i], &link->objects[i].sections[s]));
  return NULL;
}

/* jmp *slot(%rip), padded with a trap to eight bytes. */
static void put_stubs(Link *link) {
  pad(link, 16);
  link->stubs = position(link);
  for (size_t i = 0; i < tcc_map_count(link->imported); i++) tcc_text_put(link->out, "\xff\x25\0\0\0\0\xcc\xcc", STUB_BYTES);
}

static void aim_stubs(Link *link) {
  for (size_t i = 0; i < tcc_map_count(link->imported); i++) {
    int32_t distance = (int32_t)(link->got + 8 * i - (link->stubs + STUB_BYTES * i + 6));
    memcpy(link->out->data + link->base + link->stubs + STUB_BYTES * i + 2, &distance, sizeof distance);
  }
}

/* ---- the tables of the loader ---- */
static void put_hash(Link *link) {
  uint32_t count = (uint32_t)link->exports.count, buckets = count;
  uint32_t *table = TCC_NEW_ARRAY(link->arena, uint32_t, 2 + buckets + count), *bucket = table + 2, *chain = bucket + buckets;
  table[0] = buckets;
  table[1] = count;
  for (uint32_t i = 1; i < count; i++) {
    uint32_t at = tcc_symbol_hash(link->names.data + link->exports.data[i].st_name) % buckets;
    chain[i] = bucket[at];
    bucket[at] = i;
  }
  tcc_text_put(link->out, (const char *)table, (2 + buckets + count) * sizeof *table);
}

/* The names of sections and what is fixed in their headers; the headers themselves stand behind all else. */
static void put_section_headers(Link *link) {
  static const char names[] = "\0.text\0.hash\0.dynsym\0.dynstr\0.rela.dyn\0.rodata\0.dynamic\0.got\0.shstrtab";
  static const uint32_t name_at[SECTIONS] = {0, 1, 7, 13, 21, 29, 39, 47, 56, 61};
  static const struct {
    uint32_t type, flags, link, align, entry;
  } fixed[SECTIONS] = {[TEXT] = {SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, 16, 0},
                       [HASH] = {SHT_HASH, SHF_ALLOC, DYNSYM, 8, 4},
                       [DYNSYM] = {SHT_DYNSYM, SHF_ALLOC, DYNSTR, 8, sizeof(Elf64_Sym)},
                       [DYNSTR] = {SHT_STRTAB, SHF_ALLOC, 0, 1, 0},
                       [RELA] = {SHT_RELA, SHF_ALLOC, DYNSYM, 8, sizeof(Elf64_Rela)},
                       [RODATA] = {SHT_PROGBITS, SHF_ALLOC, 0, 64, 0},
                       [DYNAMIC] = {SHT_DYNAMIC, SHF_ALLOC | SHF_WRITE, DYNSTR, 8, sizeof(Elf64_Dyn)},
                       [GOT] = {SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, 8, 8},
                       [NAMES] = {SHT_STRTAB, 0, 0, 1, 0}};
  Elf64_Shdr *sections = link->sections;
  sections[NAMES].sh_offset = position(link);
  sections[NAMES].sh_size = sizeof names;
  tcc_text_put(link->out, names, sizeof names);
  pad(link, 8);
  for (int i = 1; i < SECTIONS; i++) {
    Elf64_Shdr *s = &sections[i];
    s->sh_name = name_at[i], s->sh_type = fixed[i].type, s->sh_flags = fixed[i].flags, s->sh_link = fixed[i].link;
    s->sh_addralign = fixed[i].align, s->sh_entsize = fixed[i].entry, s->sh_addr = i == NAMES ? 0 : s->sh_offset;
  }
  sections[DYNSYM].sh_info = 1; /* the first that is not local */
}

static void begin(Link *link, int section, uint64_t alignment) {
  pad(link, alignment);
  link->sections[section].sh_offset = position(link);
}

static void end(Link *link, int section) { link->sections[section].sh_size = position(link) - link->sections[section].sh_offset; }

static void put_section(Link *link, int section, uint64_t alignment, const void *bytes, size_t length) {
  begin(link, section, alignment);
  tcc_text_put(link->out, bytes, length);
  end(link, section);
}

/* ---- the shared object, from its first byte to its last ---- */

static const char no_headers[sizeof(Elf64_Ehdr) + SEGMENTS * sizeof(Elf64_Phdr)]; /* room for them: they are written at the end */

/* The first segment. Symbols and relocations are written again at the end, when addresses are known. */
static void put_read_only(Link *link, TccStr plan, size_t plan_symbol) {
  tcc_text_put(link->out, no_headers, sizeof no_headers);
  begin(link, HASH, 8);
  put_hash(link);
  end(link, HASH);
  put_section(link, DYNSYM, 8, link->exports.data, link->exports.count * sizeof *link->exports.data);
  put_section(link, DYNSTR, 1, link->names.data, link->names.length);
  put_section(link, RELA, 8, link->relocations, tcc_map_count(link->imported) * sizeof *link->relocations);
  begin(link, RODATA, 64);
  link->exports.data[plan_symbol].st_value = position(link);
  tcc_text_put(link->out, plan.data, plan.length);
  place(link, PART_RODATA);
  end(link, RODATA);
}

static void put_code(Link *link) {
  begin(link, TEXT, PAGE);
  place(link, PART_TEXT);
  put_stubs(link);
  end(link, TEXT);
}

static void put_writable(Link *link) {
  const Elf64_Shdr *sections = link->sections;
  const Elf64_Dyn dynamic[] = {{DT_HASH, {sections[HASH].sh_offset}},     {DT_STRTAB, {sections[DYNSTR].sh_offset}},
                               {DT_SYMTAB, {sections[DYNSYM].sh_offset}}, {DT_STRSZ, {sections[DYNSTR].sh_size}},
                               {DT_SYMENT, {sizeof(Elf64_Sym)}},          {DT_FLAGS, {DF_BIND_NOW | DF_SYMBOLIC}},
                               {DT_RELA, {sections[RELA].sh_offset}},     {DT_RELASZ, {sections[RELA].sh_size}},
                               {DT_RELAENT, {sizeof(Elf64_Rela)}},        {DT_NULL, {0}}};
  static const char no_address[8];
  put_section(link, DYNAMIC, PAGE, dynamic, sizeof dynamic);
  begin(link, GOT, 8);
  link->got = position(link);
  for (size_t i = 0; i < tcc_map_count(link->imported); i++) tcc_text_put(link->out, no_address, sizeof no_address);
  end(link, GOT);
}

static void aim_imports(Link *link) {
  for (size_t i = 0; i < tcc_map_count(link->imported); i++) {
    uint64_t symbol = (uint64_t)tcc_map_find(link->exported, tcc_map_at(link->imported, i)->key)->integer;
    link->relocations[i] = (Elf64_Rela){link->got + 8 * i, ELF64_R_INFO(symbol, R_X86_64_GLOB_DAT), 0};
  }
}

/* What could not be known when its place was passed. */
static void write_headers(Link *link, uint64_t section_headers, uint64_t memory_end) {
  const Elf64_Shdr *sections = link->sections;
  Elf64_Ehdr header = {.e_type = ET_DYN,
                       .e_machine = EM_X86_64,
                       .e_version = EV_CURRENT,
                       .e_phoff = sizeof header,
                       .e_shoff = section_headers,
                       .e_ehsize = sizeof header,
                       .e_phentsize = sizeof(Elf64_Phdr),
                       .e_phnum = SEGMENTS,
                       .e_shentsize = sizeof(Elf64_Shdr),
                       .e_shnum = SECTIONS,
                       .e_shstrndx = NAMES};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  const uint64_t text = sections[TEXT].sh_offset, data = sections[DYNAMIC].sh_offset, dynamic = sections[DYNAMIC].sh_size,
                 rodata_end = sections[RODATA].sh_offset + sections[RODATA].sh_size;
  const Elf64_Phdr segments[SEGMENTS] = {
      {PT_LOAD, PF_R, 0, 0, 0, rodata_end, rodata_end, PAGE},
      {PT_LOAD, PF_R | PF_X, text, text, text, sections[TEXT].sh_size, sections[TEXT].sh_size, PAGE},
      {PT_LOAD, PF_R | PF_W, data, data, data, memory_end - data, memory_end - data, PAGE},
      {PT_DYNAMIC, PF_R | PF_W, data, data, data, dynamic, dynamic, 8},
      {PT_GNU_STACK, PF_R | PF_W, 0, 0, 0, 0, 0, 16}};
  char *base = link->out->data + link->base;
  memcpy(base, &header, sizeof header);
  memcpy(base + sizeof header, segments, sizeof segments);
  memcpy(base + sections[DYNSYM].sh_offset, link->exports.data, sections[DYNSYM].sh_size);
  memcpy(base + sections[RELA].sh_offset, link->relocations, sections[RELA].sh_size);
}

static TccStatus *build(Link *link, TccStr plan, bool calls_libc) {
  tcc_text_put(&link->names, "", 1);
  TCC_VEC_PUSH(link->arena, &link->exports, (Elf64_Sym){0});
  TCC_TRY(collect(link, calls_libc));
  size_t plan_symbol = link->exports.count;
  export_symbol(link, TCC_PLAN_SYMBOL,
                (Elf64_Sym){.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = RODATA, .st_size = plan.length});
  link->relocations = TCC_NEW_ARRAY(link->arena, Elf64_Rela, tcc_map_count(link->imported));
  put_read_only(link, plan, plan_symbol);
  put_code(link);
  put_writable(link);
  uint64_t memory_end = position(link);
  define(link);
  aim_stubs(link);
  aim_imports(link);
  TCC_TRY(relocate(link));
  put_section_headers(link);
  uint64_t section_headers = position(link);
  tcc_text_put(link->out, (const char *)link->sections, sizeof link->sections);
  write_headers(link, section_headers, memory_end);
  return NULL;
}

TccStatus *tcc_artifact_link(const TccStr *objects, size_t count, TccStr plan, bool calls_libc, TccText *out) {
  TccArena *arena = tcc_arena_create();
  Link link = {.arena = arena,
               .objects = TCC_NEW_ARRAY(arena, Object, count + 1),
               .count = count,
               .defined = tcc_map_create(arena),
               .imported = tcc_map_create(arena),
               .exported = tcc_map_create(arena),
               .out = out,
               .base = out->length};
  TccStatus *status = NULL;
  for (size_t i = 0; i < count; i++) TCC_GOTO(read_object(&link, objects[i], &link.objects[i]));
  TCC_GOTO(build(&link, plan, calls_libc));
done:
  tcc_text_destroy(&link.names);
  tcc_arena_destroy(arena);
  return status;
}
