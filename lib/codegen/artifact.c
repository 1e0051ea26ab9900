/* artifact.c - the plan as an ELF object, and the link of all objects into one shared object.
 *
 * The plan is data; an ELF object that holds bytes needs six sections (System V ABI, chapter 4), so it is written here and
 * not by way of an assembler. The linker is ld.lld in a child process. Nothing that could differ between two builds goes in:
 * no build id, no path, objects in the caller's order. */
#include "artifact.h"
#include "tcc/file.h"
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void pad(TccText *text, size_t base, size_t alignment) {
  static const char zeros[64];
  tcc_text_put(text, zeros, (alignment - (text->length - base) % alignment) % alignment);
}

void tcc_object_of_bytes(const char *symbol, TccStr bytes, TccText *out) {
  enum { NONE, DATA, SYMBOLS, STRINGS, NAMES, STACK, SECTIONS };
  static const char names[] = "\0.rodata.tcc\0.symtab\0.strtab\0.shstrtab\0.note.GNU-stack";
  static const uint32_t name_at[SECTIONS] = {0, 1, 13, 21, 29, 39};
  size_t base = out->length;
  Elf64_Ehdr header = {.e_type = ET_REL, .e_machine = EM_X86_64, .e_version = EV_CURRENT, .e_ehsize = sizeof header,
                       .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = SECTIONS, .e_shstrndx = NAMES};
  memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  Elf64_Shdr sections[SECTIONS] = {0};
  for (int i = 0; i < SECTIONS; i++) sections[i] = (Elf64_Shdr){.sh_name = name_at[i], .sh_type = SHT_PROGBITS, .sh_addralign = 1};
  sections[NONE].sh_type = SHT_NULL;
  sections[NONE].sh_addralign = 0;
  tcc_text_put(out, (const char *)&header, sizeof header);
  pad(out, base, 64);
  sections[DATA].sh_flags = SHF_ALLOC;
  sections[DATA].sh_addralign = 64;
  sections[DATA].sh_offset = out->length - base;
  sections[DATA].sh_size = bytes.length;
  tcc_text_put(out, bytes.data, bytes.length);
  pad(out, base, 8);
  Elf64_Sym symbols[2] = {{0}, {.st_name = 1, .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT), .st_shndx = DATA, .st_size = bytes.length}};
  sections[SYMBOLS] = (Elf64_Shdr){.sh_name = name_at[SYMBOLS], .sh_type = SHT_SYMTAB, .sh_offset = out->length - base,
                                   .sh_size = sizeof symbols, .sh_link = STRINGS, .sh_info = 1, .sh_addralign = 8, .sh_entsize = sizeof *symbols};
  tcc_text_put(out, (const char *)symbols, sizeof symbols);
  sections[STRINGS].sh_type = SHT_STRTAB;
  sections[STRINGS].sh_offset = out->length - base;
  sections[STRINGS].sh_size = strlen(symbol) + 2;
  tcc_text_put(out, "", 1);
  tcc_text_put(out, symbol, strlen(symbol) + 1);
  sections[NAMES].sh_type = SHT_STRTAB;
  sections[NAMES].sh_offset = sections[STACK].sh_offset = out->length - base;
  sections[NAMES].sh_size = sizeof names;
  tcc_text_put(out, names, sizeof names);
  pad(out, base, 8);
  header.e_shoff = out->length - base;
  tcc_text_put(out, (const char *)sections, sizeof sections);
  memcpy(out->data + base, &header, sizeof header);
}

/* Appends a file's bytes. */
static TccStatus *append_file(const char *path, TccText *out) {
  TccFileMap map;
  TCC_TRY(tcc_file_map(path, &map));
  if (map.length) tcc_text_put(out, map.data, map.length);
  tcc_file_unmap(&map);
  return NULL;
}

/* Runs a program with its messages into a file; what they begin with is the error. */
static TccStatus *run_program(char *const *arguments, const char *messages) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child;
  int error = posix_spawn(&child, arguments[0], &actions, NULL, arguments, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) return TCC_ERROR(TCC_NOT_FOUND, "%s: %s (it comes with LLVM 22)", arguments[0], strerror(error));
  int result;
  while (waitpid(child, &result, 0) < 0 && errno == EINTR) {}
  if (WIFEXITED(result) && WEXITSTATUS(result) == 0) return NULL;
  TccText text = {0};
  tcc_status_destroy(append_file(messages, &text));
  tcc_text_put(&text, "", 0);
  TccStatus *status = TCC_ERROR(TCC_INTERNAL, "ld.lld failed: %.400s", text.data);
  tcc_text_destroy(&text);
  return status;
}

static void remove_folder(const char *path) {
  DIR *folder = opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    if (entry->d_name[0] != '.') unlinkat(dirfd(folder), entry->d_name, 0);
  if (folder) closedir(folder);
  rmdir(path);
}

TccStatus *tcc_artifact_link(const TccStr *objects, size_t count, bool calls_libc, TccText *out) {
  TccArena *arena = tcc_arena_create();
  const char *base = getenv("TMPDIR");
  char *folder = tcc_arena_printf(arena, "%s/tcc-XXXXXX", base && *base ? base : "/tmp");
  TccStatus *status = NULL;
  if (!mkdtemp(folder)) {
    status = TCC_ERROR(TCC_IO, "%s: %s", folder, strerror(errno));
    tcc_arena_destroy(arena);
    return status;
  }
  char *linked = tcc_arena_printf(arena, "%s/artifact.so", folder), *list = tcc_arena_printf(arena, "%s/objects", folder);
  TccText names = {0}; /* a response file: the argument list has a limit */
  for (size_t i = 0; i < count; i++) {
    const char *path = tcc_arena_printf(arena, "%s/%zu.o", folder, i);
    TCC_GOTO(tcc_file_write_scratch(path, objects[i].data, objects[i].length));
    tcc_text_printf(&names, "\"%s\"\n", path);
  }
  TCC_GOTO(tcc_file_write_scratch(list, names.data, names.length));
  char *arguments[] = {(char *)TCC_LLD, (char *)"-shared", (char *)"--build-id=none", (char *)"-z", (char *)"now", (char *)"-z",
                       calls_libc ? (char *)"undefs" : (char *)"defs", (char *)"-Bsymbolic", (char *)"--hash-style=gnu", (char *)"--threads=1", (char *)"-o",
                       linked, tcc_arena_printf(arena, "@%s", list), NULL};
  TCC_GOTO(run_program(arguments, tcc_arena_printf(arena, "%s/messages", folder)));
  TCC_GOTO(append_file(linked, out));
done:
  remove_folder(folder);
  tcc_text_destroy(&names);
  tcc_arena_destroy(arena);
  return status;
}
