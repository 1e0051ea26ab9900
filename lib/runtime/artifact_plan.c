/* artifact_plan.c - the plan of an artifact without its code: who only looks into a file need not load it, and may look at one for a
 * machine that this is not.
 *
 * The linker (lib/compile/artifact.c) writes section headers for tools, and file offsets are addresses; so the plan lies at
 * the value of its symbol. Everything is compared with the length: a digest says that a file is whole, not who wrote it. */
#include "internal.h"
#include <elf.h>

static bool inside(size_t length, uint64_t offset, uint64_t bytes) { return offset <= length && bytes <= length - offset; }

static const Elf64_Shdr *section_at(TccStr file, const Elf64_Ehdr *header, uint32_t index, uint32_t type) {
  if (index >= header->e_shnum || header->e_shentsize != sizeof(Elf64_Shdr) || header->e_shoff % 8 ||
      !inside(file.length, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr)))
    return NULL;
  const Elf64_Shdr *section = (const Elf64_Shdr *)(file.data + header->e_shoff) + index;
  return section->sh_type == type && section->sh_offset % 8 == 0 && inside(file.length, section->sh_offset, section->sh_size)
             ? section
             : NULL;
}

TccStatus *tcc_artifact_plan(const void *bytes, size_t length, const TccPlanHeader **out) {
  TccStr file = {bytes, length};
  const Elf64_Ehdr *header = bytes;
  *out = NULL;
  for (uint32_t i = 0; length >= sizeof *header && i < header->e_shnum; i++) {
    const Elf64_Shdr *symbols = section_at(file, header, i, SHT_DYNSYM), *names;
    names = symbols ? section_at(file, header, symbols->sh_link, SHT_STRTAB) : NULL;
    for (size_t s = 0; names && s < symbols->sh_size / sizeof(Elf64_Sym); s++) {
      const Elf64_Sym *symbol = (const Elf64_Sym *)(file.data + symbols->sh_offset) + s;
      if (!inside(names->sh_size, symbol->st_name, sizeof TCC_PLAN_SYMBOL) ||
          memcmp(file.data + names->sh_offset + symbol->st_name, TCC_PLAN_SYMBOL, sizeof TCC_PLAN_SYMBOL) != 0)
        continue;
      if (symbol->st_value % 64 || symbol->st_value > length) break;
      TCC_TRY(tcc_plan_check(file.data + symbol->st_value, length - symbol->st_value));
      *out = (const TccPlanHeader *)(file.data + symbol->st_value);
      return NULL;
    }
  }
  return TCC_ERROR(TCC_INVALID, "no plan inside");
}
