/* parser.h - what the files that read PTX share: lex.c has characters, declare.c types and declarations, parse.c statements and kernels. */
#ifndef EMU_PARSER_H
#define EMU_PARSER_H
#include "internal.h"
#include <setjmp.h>

typedef struct {
  const char *name;
  Type type;
  uint32_t offset;
} Register;
typedef struct {
  const char *name;
  uint32_t first, count, depth; /* "%r<39>": a family; count 0: one of that name */
  Type type;
  uint32_t offset, bytes;
} Family;
typedef struct {
  const char *name;
  Space space;
  uint64_t address;
} Named;
typedef struct {
  const char *name;
  uint32_t at;
} Label;
typedef struct {
  const char *label;
  const char *names[256];
  uint32_t count;
} Targets;
#define GROW(list, count, room)                                                                                                    \
  do {                                                                                                                             \
    if ((count) == (room)) {                                                                                                       \
      (room) = (room) ? 2 * (room) : 64;                                                                                           \
      (list) = realloc((list), (room) * sizeof *(list));                                                                           \
      if (!(list)) abort();                                                                                                        \
    }                                                                                                                              \
  } while (0)

typedef struct Parser {
  EmuModule *module;
  EmuKernel *kernel;
  char *at;
  int line;
  Family *families;
  size_t nfamilies, families_room;
  Named *names;
  size_t nnames, names_room;
  Label *labels;
  size_t nlabels, labels_room;
  Inst *code;
  size_t ncode, code_room;
  Targets *targets;
  size_t ntargets, targets_room;
  uint32_t depth, nesting; /* of blocks; of operands in operands */
  Statement *statement;    /* that is being read: large, so there is one */
  char *error;
  size_t room;
  jmp_buf stop;
} Parser;

enum {
  MAX_NESTING = 2,
  MAX_ALIGN = 4096,
  MAX_REGISTERS = 1 << 16,
  MAX_REGISTER_BYTES = 1 << 26,
  MAX_DATA = 1 << 28,
  MAX_PARAMETER_BYTES = 32764,
  MAX_BLOCK_DATA = 1 << 24
};
static inline uint32_t up(uint32_t at, uint32_t align) { return (at + align - 1) / align * align; }

/* Ends the reading with this error at the current line. */
void parser_fail(Parser *p, const char *what, ...) __attribute__((format(printf, 2, 3), noreturn));
/* lex.c: spaces are skipped; whether the character is next; it must be; a name, "" if there is none; a number, and of what kind */
void lex_skip(Parser *p);
bool lex_take(Parser *p, char c);
void lex_need(Parser *p, char c);
const char *lex_name(Parser *p, bool dots);
uint64_t lex_number(Parser *p, char *out_kind);
void lex_strip_comments(char *text);
/* declare.c */
Type parser_type(const char *name);
void parser_add_name(Parser *p, const char *name, Space space, uint64_t address);
void parser_registers(Parser *p);
void parser_variable(Parser *p, Space space, bool is_extern);
uint32_t parser_alignment(Parser *p);
uint64_t parser_count(Parser *p, uint64_t most);
void parser_add_family(Parser *p, const char *name, uint32_t first, uint32_t count, Type type);
#endif
