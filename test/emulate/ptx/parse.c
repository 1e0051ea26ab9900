/* parse.c - PTX text to kernels: declarations, statements, labels. What an instruction means is decode.c's.
 *
 * The text is cut up in place: names are pieces of the module's copy, ended by NUL. Section 4 of the PTX ISA (syntax), 5 (state spaces),
 * 11 (directives). */
#include "internal.h"
#include <ctype.h>
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

static void bad(Parser *p, const char *what, ...) __attribute__((format(printf, 2, 3), noreturn));
static void bad(Parser *p, const char *what, ...) {
  char text[400];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  snprintf(p->error, p->room, "line %d: %s", p->line, text);
  longjmp(p->stop, 1);
}

void *module_memory(EmuModule *m, size_t bytes) {
  m->memory = realloc(m->memory, (m->nmemory + 1) * sizeof *m->memory);
  void *made = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  if (!m->memory || !made) abort();
  m->memory[m->nmemory++] = made;
  return memset(made, 0, (bytes + 64) & ~(size_t)63);
}

EmuModule *parser_module(Parser *p) { return p->module; }
EmuKernel *parser_kernel(Parser *p) { return p->kernel; }

/* ---- characters ---- */
static void skip(Parser *p) {
  for (;; p->at++) {
    if (*p->at == '\n') p->line++;
    if (*p->at == 0 || !isspace((unsigned char)*p->at)) return;
  }
}

static bool take(Parser *p, char c) {
  skip(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

static void need(Parser *p, char c) {
  if (!take(p, c)) bad(p, "'%c' expected before '%.20s'", c, p->at);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.' || c == ':'; }

/* A copy of a name; dots as well where `dots`. */
static const char *name_of(Parser *p, bool dots) {
  skip(p);
  char *from = p->at;
  while (is_name(*p->at) && (dots || *p->at != '.') && !(*p->at == ':' && p->at[1] != ':' && p->at[-1] != ':')) p->at++;
  if (p->at == from) bad(p, "a name expected before '%.20s'", p->at);
  char *copy = module_memory(p->module, (size_t)(p->at - from) + 1);
  return memcpy(copy, from, (size_t)(p->at - from));
}

static uint64_t number_of(Parser *p, char *out_kind) {
  skip(p);
  *out_kind = 'i';
  bool negative = *p->at == '-';
  if (negative) p->at++;
  char *end;
  uint64_t bits;
  if (p->at[0] == '0' && (p->at[1] == 'f' || p->at[1] == 'F' || p->at[1] == 'd' || p->at[1] == 'D')) {
    *out_kind = (char)tolower(p->at[1]);
    bits = strtoull(p->at + 2, &end, 16);
  } else {
    bits = strtoull(p->at, &end, 0);
    if (*end == 'U') end++;
  }
  if (end == p->at) bad(p, "a number expected before '%.20s'", p->at);
  p->at = end;
  return negative ? 0 - bits : bits;
}

static void strip_comments(char *text) {
  for (char *c = text; *c; c++) {
    if (c[0] == '/' && c[1] == '/')
      for (; *c && *c != '\n'; c++) *c = ' ';
    if (c[0] == '/' && c[1] == '*')
      for (; *c && !(c[0] == '*' && c[1] == '/'); c++)
        if (*c != '\n') *c = ' ';
    if (c[0] == '*' && c[1] == '/') c[0] = c[1] = ' ';
    if (!*c) return;
  }
}

/* ---- types and declarations ---- */
static Type type_named(const char *name) {
  static const struct {
    const char *name;
    Type type;
  } types[] = {{"pred", T_PRED}, {"b8", T_B8},         {"u8", T_U8},         {"s8", T_S8},       {"b16", T_B16},
               {"u16", T_U16},   {"s16", T_S16},       {"f16", T_F16},       {"bf16", T_BF16},   {"b32", T_B32},
               {"u32", T_U32},   {"s32", T_S32},       {"f32", T_F32},       {"f16x2", T_F16X2}, {"bf16x2", T_BF16X2},
               {"tf32", T_TF32}, {"b64", T_B64},       {"u64", T_U64},       {"s64", T_S64},     {"f64", T_F64},
               {"b128", T_B128}, {"e4m3x2", T_E4M3X2}, {"e5m2x2", T_E5M2X2}, {"e4m3", T_E4M3},   {"e5m2", T_E5M2}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(types[i].name, name) == 0) return types[i].type;
  return T_NONE;
}
Type emu_type_named(const char *name);
Type emu_type_named(const char *name) { return type_named(name); }

static void add_name(Parser *p, const char *name, Space space, uint64_t address) {
  GROW(p->names, p->nnames, p->names_room);
  p->names[p->nnames++] = (Named){name, space, address};
}

static uint32_t up(uint32_t at, uint32_t align) { return (at + align - 1) / align * align; }

/* What declarations may ask for, so that sums of sizes stay far from 2^32; what a chip has is less. */
enum {
  MAX_NESTING = 2,
  MAX_ALIGN = 4096,
  MAX_REGISTERS = 1 << 16,
  MAX_REGISTER_BYTES = 1 << 26,
  MAX_DATA = 1 << 28,
  MAX_PARAMETER_BYTES = 32764,
  MAX_BLOCK_DATA = 1 << 24
};

static uint32_t alignment_of(Parser *p) {
  char kind;
  uint64_t align = number_of(p, &kind);
  if (!align || align > MAX_ALIGN || align & (align - 1)) bad(p, "an alignment that is no power of two up to %d", MAX_ALIGN);
  return (uint32_t)align;
}

static uint64_t count_of(Parser *p, uint64_t most) {
  char kind;
  uint64_t count = number_of(p, &kind);
  if (count > most) bad(p, "more than %llu of them", (unsigned long long)most);
  return count;
}

static void add_family(Parser *p, const char *name, uint32_t first, uint32_t count, Type type) {
  uint32_t bytes = type == T_PRED ? 4 : (type_bytes(type) == 8 ? 8 : type_bytes(type) == 16 ? 16 : 4) * LANES;
  GROW(p->families, p->nfamilies, p->families_room);
  p->kernel->register_bytes = up(p->kernel->register_bytes, type == T_PRED ? 4 : 64);
  p->families[p->nfamilies++] = (Family){name, first, count, p->depth, type, p->kernel->register_bytes, bytes};
  p->kernel->register_bytes += bytes * (count ? count : 1);
  if (p->kernel->register_bytes > MAX_REGISTER_BYTES) bad(p, "too many registers");
}

/* .reg .b32 %r<39>, %x; */
static void parse_registers(Parser *p) {
  need(p, '.');
  Type type = type_named(name_of(p, false));
  if (type == T_NONE) bad(p, "registers of an unknown type");
  do {
    const char *name = name_of(p, false);
    uint32_t count = 0;
    if (take(p, '<')) count = (uint32_t)count_of(p, MAX_REGISTERS), need(p, '>');
    add_family(p, name, 0, count, type);
  } while (take(p, ','));
  need(p, ';');
}

bool parser_register(Parser *p, const char *name, Operand *out, Type *out_type) {
  size_t length = strlen(name), stem = length;
  while (stem && isdigit((unsigned char)name[stem - 1])) stem--;
  for (size_t i = p->nfamilies; i-- > 0;) {
    const Family *f = &p->families[i];
    uint32_t number = 0;
    if (f->count) {
      if (stem == length || strlen(f->name) != stem || memcmp(f->name, name, stem) != 0) continue;
      number = (uint32_t)strtoul(name + stem, NULL, 10);
      if (number >= f->count) continue;
    } else if (strcmp(f->name, name) != 0) {
      continue;
    }
    *out = (Operand){.offset = f->offset + number * f->bytes, .bytes = (uint8_t)(f->type == T_PRED ? 0 : f->bytes / LANES)};
    *out_type = f->type;
    return true;
  }
  return false;
}

bool parser_symbol(Parser *p, const char *name, Space *out_space, uint64_t *out_address) {
  for (size_t i = p->nnames; i-- > 0;)
    if (strcmp(p->names[i].name, name) == 0) {
      *out_space = p->names[i].space, *out_address = p->names[i].address;
      return true;
    }
  return false;
}

/* What stands behind ".shared" and its like: [.align N] .type name[[size]] [= {...}]; inside: of a kernel. */
static void parse_variable(Parser *p, Space space, bool is_extern) {
  uint32_t align = 0;
  Type type = T_NONE;
  while (take(p, '.')) {
    const char *word = name_of(p, false);
    if (strcmp(word, "align") == 0) align = alignment_of(p);
    else if (strcmp(word, "attribute") == 0) bad(p, "attributes of variables");
    else if ((type = type_named(word)) == T_NONE) bad(p, "a variable of type .%s", word);
  }
  const char *name = name_of(p, false);
  size_t count = 1;
  char kind;
  if (type == T_NONE || type == T_PRED) bad(p, "a variable without a type");
  while (take(p, '[')) {
    skip(p);
    count *= *p->at == ']' ? 0 : count_of(p, MAX_DATA);
    if (count > MAX_DATA) bad(p, "too large a variable");
    need(p, ']');
  }
  size_t bytes = count * type_bytes(type);
  if (!align) align = type_bytes(type);
  if (bytes > (space == SPACE_GLOBAL ? MAX_DATA : MAX_BLOCK_DATA)) bad(p, "too large a variable");
  if (space == SPACE_SHARED) {
    /* where it lies: dynamic shared memory begins behind all that is static */
    if (is_extern || p->kernel == NULL) {
      p->module->globals = realloc(p->module->globals, (p->module->nglobals + 1) * sizeof *p->module->globals);
      p->module->globals[p->module->nglobals++] = (ModuleData){name, NULL, bytes, true, is_extern || !bytes, align};
    } else {
      p->kernel->static_shared = up(p->kernel->static_shared, align);
      add_name(p, name, SPACE_SHARED, p->kernel->static_shared);
      p->kernel->static_shared += (uint32_t)bytes;
      if (p->kernel->static_shared > MAX_BLOCK_DATA) bad(p, "too many variables");
    }
  } else if (space == SPACE_LOCAL) {
    p->kernel->local_bytes = up(p->kernel->local_bytes, align);
    add_name(p, name, SPACE_LOCAL, p->kernel->local_bytes);
    p->kernel->local_bytes += (uint32_t)bytes;
    if (p->kernel->local_bytes > MAX_BLOCK_DATA) bad(p, "too many variables");
  } else {
    uint8_t *data = module_memory(p->module, bytes);
    if (take(p, '=')) {
      bool list = take(p, '{');
      for (size_t at = 0; at < bytes; at += type_bytes(type)) {
        skip(p);
        uint64_t value = number_of(p, &kind);
        memcpy(data + at, &value, type_bytes(type));
        if (!list || !take(p, ',')) break;
      }
      if (list) need(p, '}');
    }
    p->module->globals = realloc(p->module->globals, (p->module->nglobals + 1) * sizeof *p->module->globals);
    p->module->globals[p->module->nglobals++] = (ModuleData){name, data, bytes, false, is_extern, align};
    add_name(p, name, space, (uint64_t)(uintptr_t)data);
  }
  need(p, ';');
}

/* ---- statements ---- */
static void parse_operand(Parser *p, Statement *s, RawOperand *out);

static void parse_pieces(Parser *p, Statement *s, RawOperand *out, char close) {
  RawOperand pieces[MAX_PIECES];
  int n = 0;
  do {
    if (n == MAX_PIECES) bad(p, "a list of more than %d operands", MAX_PIECES);
    p->nesting++;
    parse_operand(p, s, &pieces[n++]);
    p->nesting--;
  } while (take(p, ','));
  need(p, close);
  if (s->npieces + n + 24 > MAX_OPERANDS) bad(p, "too many operands");
  s->npieces += n;
  out->first = MAX_OPERANDS - s->npieces, out->count = n;
  memcpy(s->operand + out->first, pieces, (size_t)n * sizeof *pieces);
}

/* Operands of the statement stand in front of the array, pieces of lists behind. */
static void parse_operand(Parser *p, Statement *s, RawOperand *out) {
  *out = (RawOperand){0};
  if (p->nesting > MAX_NESTING) bad(p, "operands inside of each other");
  skip(p);
  if (take(p, '!')) out->negated = true;
  skip(p);
  if (*p->at == '{') {
    p->at++;
    out->kind = OPERAND_LIST;
    parse_pieces(p, s, out, '}');
    return;
  }
  if (*p->at == '[') {
    p->at++;
    p->nesting++;
    parse_operand(p, s, out);
    p->nesting--;
    RawOperand inner = *out;
    if (inner.kind != OPERAND_NUMBER && inner.kind != OPERAND_REGISTER) bad(p, "an address is a register, a name or a number");
    *out = (RawOperand){.kind = OPERAND_ADDRESS, .name = inner.kind == OPERAND_NUMBER ? NULL : inner.name, .offset = inner.offset};
    if (inner.kind == OPERAND_NUMBER) out->offset = (int64_t)inner.bits;
    if (take(p, ',')) {
      skip(p);
      if (*p->at != '{') bad(p, "coordinates expected");
      p->at++;
      parse_pieces(p, s, out, '}');
    }
    need(p, ']');
    return;
  }
  if (*p->at == '-' || isdigit((unsigned char)*p->at)) {
    out->kind = OPERAND_NUMBER;
    out->bits = number_of(p, &out->number);
    return;
  }
  out->kind = OPERAND_REGISTER; /* or a symbol: decode knows */
  out->name = name_of(p, true);
  skip(p);
  if (*p->at == '|') {
    p->at++;
    out->second = name_of(p, true);
  }
  skip(p);
  if (*p->at == '+' || (*p->at == '-' && out->name[0] != '%')) {
    char kind;
    if (*p->at == '+') p->at++;
    out->offset = (int64_t)number_of(p, &kind);
  }
}

static void parse_statement(Parser *p) {
  Statement *s = p->statement;
  *s = (Statement){0};
  for (size_t i = 0; i < sizeof s->part / sizeof *s->part; i++) s->part[i] = "";
  p->nesting = 0;
  char *begin;
  skip(p);
  begin = p->at;
  s->line = p->line;
  if (take(p, '@')) {
    s->unless = take(p, '!');
    s->guard = name_of(p, false);
  }
  skip(p);
  char *opcode = (char *)(uintptr_t)name_of(p, true);
  s->opcode = opcode;
  for (char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
    *dot = 0;
    if (s->nparts == 24) bad(p, "an instruction of too many parts");
    s->part[s->nparts++] = dot + 1;
  }
  skip(p);
  while (*p->at != ';') {
    if (s->noperands == 24) bad(p, "an instruction of too many operands");
    RawOperand *operand = &s->operand[s->noperands++];
    parse_operand(p, s, operand);
    if (!take(p, ',')) break;
    skip(p);
  }
  skip(p);
  if (*p->at != ';') bad(p, "';' expected before '%.20s'", p->at);
  size_t length = (size_t)(p->at - begin);
  char *text = module_memory(p->module, length + 1);
  memcpy(text, begin, length);
  for (char *c = text; *c; c++)
    if (isspace((unsigned char)*c)) *c = ' ';
  s->text = text;
  p->at++;
  GROW(p->code, p->ncode, p->code_room);
  Inst *inst = &p->code[p->ncode++];
  *inst = (Inst){.text = text, .line = s->line, .guard = UINT32_MAX, .unless = s->unless};
  if (s->guard) {
    Operand guard;
    Type type;
    if (!parser_register(p, s->guard, &guard, &type) || type != T_PRED) bad(p, "'%s' is no predicate", s->guard);
    inst->guard = guard.offset;
  }
  const char *wrong = decode(p, s, inst);
  if (wrong) {
    p->line = s->line;
    bad(p, "%s: '%.120s'", wrong, text);
  }
}

static void skip_until(Parser *p, char c) {
  while (*p->at && *p->at != c) {
    if (*p->at == '\n') p->line++;
    p->at++;
  }
  if (*p->at) p->at++;
}

static void parse_targets(Parser *p, const char *label) {
  GROW(p->targets, p->ntargets, p->targets_room);
  Targets *t = &p->targets[p->ntargets++];
  *t = (Targets){.label = label};
  do {
    if (t->count == 256) bad(p, "more than 256 targets of a branch");
    t->names[t->count++] = name_of(p, false);
  } while (take(p, ','));
  need(p, ';');
}

/* A statement, declaration or label of a body. */
static void parse_item(Parser *p) {
  skip(p);
  if (*p->at == '.') {
    p->at++;
    const char *word = name_of(p, false);
    if (strcmp(word, "reg") == 0) parse_registers(p);
    else if (strcmp(word, "shared") == 0) parse_variable(p, SPACE_SHARED, false);
    else if (strcmp(word, "local") == 0) parse_variable(p, SPACE_LOCAL, false);
    else if (strcmp(word, "loc") == 0) skip_until(p, '\n'), p->line++;
    else if (strcmp(word, "pragma") == 0) skip_until(p, ';');
    else bad(p, "unknown directive .%s", word);
    return;
  }
  char *from = p->at;
  int line = p->line;
  if (isalpha((unsigned char)*from) || *from == '$' || *from == '_') {
    const char *name = name_of(p, false);
    skip(p);
    if (*p->at == ':') {
      p->at++;
      skip(p);
      if (strncmp(p->at, ".branchtargets", 14) == 0) {
        p->at += 14;
        parse_targets(p, name);
        return;
      }
      GROW(p->labels, p->nlabels, p->labels_room);
      p->labels[p->nlabels++] = (Label){name, (uint32_t)p->ncode};
      return;
    }
  }
  p->at = from, p->line = line;
  parse_statement(p);
}

static uint32_t label_at(Parser *p, const char *name) {
  for (size_t i = 0; i < p->nlabels; i++)
    if (strcmp(p->labels[i].name, name) == 0) return p->labels[i].at;
  bad(p, "no label '%s'", name);
}

static void resolve_labels(Parser *p) {
  for (size_t i = 0; i < p->ncode; i++) {
    Inst *inst = &p->code[i];
    if (!inst->label) continue;
    p->line = inst->line;
    const Targets *list = NULL;
    for (size_t t = 0; t < p->ntargets; t++)
      if (strcmp(p->targets[t].label, inst->label) == 0) list = &p->targets[t];
    if (!list) {
      inst->target = label_at(p, inst->label);
      continue;
    }
    uint32_t *targets = module_memory(p->module, list->count * sizeof *targets);
    for (uint32_t t = 0; t < list->count; t++) targets[t] = label_at(p, list->names[t]);
    inst->targets = targets, inst->ntargets = list->count;
  }
}

/* ---- kernels ---- */
static void parse_parameters(Parser *p) {
  need(p, '(');
  skip(p);
  while (*p->at != ')') {
    uint32_t align = 0;
    Type type = T_NONE;
    for (bool first = true; take(p, '.'); first = false) {
      const char *word = name_of(p, false);
      if (first && strcmp(word, "param") != 0) bad(p, "a parameter expected");
      if (first) continue;
      if (strcmp(word, "align") == 0) {
        uint32_t given = alignment_of(p);
        align = type == T_NONE ? given : align; /* behind .ptr it is of what the pointer points to */
      } else if (strcmp(word, "ptr") != 0 && strcmp(word, "global") != 0 && strcmp(word, "const") != 0 &&
                 strcmp(word, "shared") != 0 && strcmp(word, "local") != 0 && (type = type_named(word)) == T_NONE) {
        bad(p, "a parameter of type .%s", word);
      }
    }
    const char *name = name_of(p, false);
    uint32_t count = 1;
    if (type == T_NONE || type == T_PRED) bad(p, "a parameter without a type");
    if (take(p, '[')) count = (uint32_t)count_of(p, MAX_PARAMETER_BYTES), need(p, ']');
    if (!align) align = type_bytes(type);
    uint32_t offset = up(p->kernel->parameter_bytes, align);
    add_name(p, name, SPACE_PARAM, offset);
    p->kernel->parameter_bytes = offset + count * type_bytes(type);
    if (p->kernel->parameter_bytes > MAX_PARAMETER_BYTES) bad(p, "more than %d bytes of parameters", MAX_PARAMETER_BYTES);
    if (!take(p, ',')) break;
    skip(p);
  }
  need(p, ')');
}

static const char *const special_registers[] = {"%tid.x",
                                                "%tid.y",
                                                "%tid.z",
                                                "%ntid.x",
                                                "%ntid.y",
                                                "%ntid.z",
                                                "%ctaid.x",
                                                "%ctaid.y",
                                                "%ctaid.z",
                                                "%nctaid.x",
                                                "%nctaid.y",
                                                "%nctaid.z",
                                                "%laneid",
                                                "%warpid",
                                                "%nwarpid",
                                                "%clusterid.x",
                                                "%clusterid.y",
                                                "%clusterid.z",
                                                "%nclusterid.x",
                                                "%nclusterid.y",
                                                "%nclusterid.z",
                                                "%cluster_ctaid.x",
                                                "%cluster_ctaid.y",
                                                "%cluster_ctaid.z",
                                                "%cluster_nctaid.x",
                                                "%cluster_nctaid.y",
                                                "%cluster_nctaid.z",
                                                "%cluster_ctarank",
                                                "%cluster_nctarank",
                                                "%lanemask_eq",
                                                "%lanemask_lt",
                                                "%lanemask_le",
                                                "%lanemask_gt",
                                                "%lanemask_ge",
                                                "%dynamic_smem_size",
                                                "%total_smem_size",
                                                "%smid",
                                                "%nsmid"};

/* Shared memory of the module belongs to each kernel: first what is static, then what the launch gives. */
static void place_shared(Parser *p) {
  EmuKernel *k = p->kernel;
  for (size_t i = 0; i < p->module->nglobals; i++) {
    const ModuleData *d = &p->module->globals[i];
    if (!d->is_shared || d->is_extern) continue;
    k->static_shared = up(k->static_shared, d->align);
    add_name(p, d->name, SPACE_SHARED, k->static_shared);
    k->static_shared += (uint32_t)d->bytes;
    if (k->static_shared > MAX_BLOCK_DATA) bad(p, "too many variables");
  }
}

static void place_dynamic(Parser *p) {
  EmuKernel *k = p->kernel;
  for (size_t i = 0; i < p->module->nglobals; i++) {
    const ModuleData *d = &p->module->globals[i];
    if (!d->is_shared || !d->is_extern) continue;
    k->static_shared = up(k->static_shared, d->align);
    add_name(p, d->name, SPACE_SHARED, k->static_shared);
  }
}

/* Where the body's shared variables end is known behind it: addresses of dynamic ones are asked for before. So declarations come first. */
static uint32_t declared_in_body(Parser *p) {
  char *at = p->at;
  int line = p->line;
  uint32_t before = p->kernel->static_shared;
  size_t names = p->nnames;
  for (int depth = 1; *p->at && depth;) {
    if (*p->at == '{') depth++;
    if (*p->at == '}') depth--;
    if (strncmp(p->at, ".shared", 7) == 0 && isspace((unsigned char)p->at[7]) && isspace((unsigned char)p->at[-1])) {
      p->at += 7;
      parse_variable(p, SPACE_SHARED, false);
      continue;
    }
    p->at++;
  }
  uint32_t end = p->kernel->static_shared;
  p->kernel->static_shared = before, p->nnames = names, p->at = at, p->line = line;
  return end;
}

static void parse_body(Parser *p) {
  need(p, '{');
  uint32_t registers_before = p->kernel->static_shared;
  uint32_t end = declared_in_body(p);
  p->kernel->static_shared = end;
  place_dynamic(p);
  uint32_t all = p->kernel->static_shared;
  p->kernel->static_shared = registers_before;
  p->depth = 1;
  size_t families[64];
  while (p->depth) {
    skip(p);
    if (!*p->at) bad(p, "a body without an end");
    if (*p->at == '{') {
      p->at++;
      if (p->depth == 63) bad(p, "blocks inside of each other");
      families[p->depth++] = p->nfamilies;
    } else if (*p->at == '}') {
      p->at++;
      if (--p->depth) p->nfamilies = families[p->depth];
    } else {
      parse_item(p);
    }
  }
  p->kernel->static_shared = all;
}

static void parse_entry(Parser *p) {
  EmuModule *m = p->module;
  m->kernels = realloc(m->kernels, (m->nkernels + 1) * sizeof *m->kernels);
  EmuKernel *k = p->kernel = &m->kernels[m->nkernels];
  *k = (EmuKernel){.name = name_of(p, false), .module = m, .shared_granule = 4, .global_granule = 4};
  size_t names = p->nnames;
  p->nfamilies = p->nlabels = p->ncode = p->ntargets = 0;
  p->depth = 0;
  add_family(p, "%emu_special", 0, sizeof special_registers / sizeof *special_registers, T_U32);
  for (size_t i = 0; i < sizeof special_registers / sizeof *special_registers; i++) {
    GROW(p->families, p->nfamilies, p->families_room);
    p->families[p->nfamilies++] =
        (Family){special_registers[i], 0, 0, 0, T_U32, p->families[0].offset + (uint32_t)i * 4 * LANES, 4 * LANES};
  }
  skip(p);
  if (*p->at == '(') parse_parameters(p);
  place_shared(p);
  while (take(p, '.')) {
    const char *word = name_of(p, false);
    char kind;
    uint32_t three[3] = {1, 1, 1};
    if (strcmp(word, "explicitcluster") == 0 || strcmp(word, "blocksareclusters") == 0 || strcmp(word, "noreturn") == 0) continue;
    int n = 0;
    do three[n++] = (uint32_t)number_of(p, &kind);
    while (n < 3 && take(p, ','));
    if (strcmp(word, "maxntid") == 0) k->max_threads = three[0] * three[1] * three[2];
    else if (strcmp(word, "reqntid") == 0) memcpy(k->required, three, sizeof three);
    else if (strcmp(word, "minnctapersm") != 0 && strcmp(word, "maxnreg") != 0 && strcmp(word, "reqnctapercluster") != 0 &&
             strcmp(word, "maxclusterrank") != 0)
      bad(p, "unknown directive .%s", word);
  }
  parse_body(p);
  resolve_labels(p);
  Inst *code = module_memory(m, (p->ncode + 1) * sizeof *code);
  memcpy(code, p->code, p->ncode * sizeof *code);
  code[p->ncode] = (Inst){.exec = exec_ret, .text = "the end of the kernel", .guard = UINT32_MAX};
  k->code = code, k->count = (uint32_t)p->ncode + 1;
  p->nnames = names;
  m->nkernels++;
  p->kernel = NULL;
}

static void parse_module(Parser *p) {
  bool is_extern = false;
  for (skip(p); *p->at; skip(p)) {
    need(p, '.');
    const char *word = name_of(p, false);
    if (strcmp(word, "version") == 0) {
      char *end;
      strtod(p->at, &end);
      p->at = end;
    } else if (strcmp(word, "target") == 0) {
      const char *chip = name_of(p, false);
      if (strncmp(chip, "sm_", 3) != 0) bad(p, "target '%s'", chip);
      char *end;
      p->module->chip = (unsigned)strtoul(chip + 3, &end, 10);
      p->module->alone = *end == 'a';
      while (take(p, ',')) name_of(p, false);
    } else if (strcmp(word, "address_size") == 0) {
      char kind;
      if (number_of(p, &kind) != 64) bad(p, "addresses that are not of 64 bits");
    } else if (strcmp(word, "visible") == 0 || strcmp(word, "weak") == 0) {
      continue;
    } else if (strcmp(word, "extern") == 0) {
      is_extern = true;
      continue;
    } else if (strcmp(word, "entry") == 0) {
      parse_entry(p);
    } else if (strcmp(word, "shared") == 0) {
      parse_variable(p, SPACE_SHARED, is_extern);
    } else if (strcmp(word, "global") == 0 || strcmp(word, "const") == 0) {
      parse_variable(p, SPACE_GLOBAL, is_extern);
    } else if (strcmp(word, "file") == 0) {
      skip_until(p, '\n'), p->line++;
    } else {
      bad(p, "unknown directive .%s", word);
    }
    is_extern = false;
  }
  if (!p->module->chip) bad(p, "no .target");
}

static void parser_free(Parser *p) {
  free(p->families);
  free(p->names);
  free(p->labels);
  free(p->code);
  free(p->targets);
  free(p->statement);
}

EmuModule *emu_module_parse(const char *text, char *error, size_t room) {
  Parser *p = calloc(1, sizeof *p);
  EmuModule *m = calloc(1, sizeof *m);
  if (!p || !m) abort();
  m->text = strdup(text);
  strip_comments(m->text);
  *p = (Parser){.module = m, .at = m->text, .line = 1, .error = error, .room = room, .statement = malloc(sizeof *p->statement)};
  if (!p->statement) abort();
  if (room) *error = 0;
  bool failed = setjmp(p->stop) != 0;
  if (!failed) parse_module(p);
  m = p->module;
  if (failed) {
    emu_module_destroy(m);
    m = NULL;
  }
  parser_free(p);
  free(p);
  return m;
}

void emu_module_destroy(EmuModule *m) {
  if (!m) return;
  for (size_t i = 0; i < m->nmemory; i++) free(m->memory[i]);
  free(m->memory);
  free(m->kernels);
  free(m->globals);
  free(m->text);
  free(m);
}

EmuKernel *emu_kernel_find(const EmuModule *m, const char *name) {
  for (size_t i = 0; i < m->nkernels; i++)
    if (strcmp(m->kernels[i].name, name) == 0) return &m->kernels[i];
  return NULL;
}
const char *emu_kernel_name(const EmuKernel *k) { return k->name; }
size_t emu_kernel_parameter_bytes(const EmuKernel *k) { return k->parameter_bytes; }
uint32_t emu_kernel_static_shared(const EmuKernel *k) { return k->static_shared; }
unsigned emu_module_chip(const EmuModule *m, bool *out_alone) {
  if (out_alone) *out_alone = m->alone;
  return m->chip;
}
