/* declare.c - types, registers and variables of PTX: sections 5 and 11 of the PTX ISA. */
#include "parser.h"
#include <ctype.h>

Type parser_type(const char *name) {
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
Type emu_type_named(const char *name) { return parser_type(name); }

void parser_add_name(Parser *p, const char *name, Space space, uint64_t address) {
  GROW(p->names, p->nnames, p->names_room);
  p->names[p->nnames++] = (Named){name, space, address};
}

/* What declarations may ask for, so that sums of sizes stay far from 2^32; what a chip has is less. */
uint32_t parser_alignment(Parser *p) {
  char kind;
  uint64_t align = lex_number(p, &kind);
  if (!align || align > MAX_ALIGN || align & (align - 1))
    parser_fail(p, "an alignment that is no power of two up to %d", MAX_ALIGN);
  return (uint32_t)align;
}

uint64_t parser_count(Parser *p, uint64_t most) {
  char kind;
  uint64_t count = lex_number(p, &kind);
  if (count > most) parser_fail(p, "more than %llu of them", (unsigned long long)most);
  return count;
}

void parser_add_family(Parser *p, const char *name, uint32_t first, uint32_t count, Type type) {
  uint32_t bytes = type == T_PRED ? 4 : (type_bytes(type) == 8 ? 8 : type_bytes(type) == 16 ? 16 : 4) * LANES;
  GROW(p->families, p->nfamilies, p->families_room);
  p->kernel->register_bytes = up(p->kernel->register_bytes, type == T_PRED ? 4 : 64);
  p->families[p->nfamilies++] = (Family){name, first, count, p->depth, type, p->kernel->register_bytes, bytes};
  p->kernel->register_bytes += bytes * (count ? count : 1);
  if (p->kernel->register_bytes > MAX_REGISTER_BYTES) parser_fail(p, "too many registers");
}

/* .reg .b32 %r<39>, %x; */
void parser_registers(Parser *p) {
  lex_need(p, '.');
  Type type = parser_type(lex_name(p, false));
  if (type == T_NONE) parser_fail(p, "registers of an unknown type");
  do {
    const char *name = lex_name(p, false);
    uint32_t count = 0;
    if (lex_take(p, '<')) count = (uint32_t)parser_count(p, MAX_REGISTERS), lex_need(p, '>');
    parser_add_family(p, name, 0, count, type);
  } while (lex_take(p, ','));
  lex_need(p, ';');
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
void parser_variable(Parser *p, Space space, bool is_extern) {
  uint32_t align = 0;
  Type type = T_NONE;
  while (lex_take(p, '.')) {
    const char *word = lex_name(p, false);
    if (strcmp(word, "align") == 0) align = parser_alignment(p);
    else if (strcmp(word, "attribute") == 0) parser_fail(p, "attributes of variables");
    else if ((type = parser_type(word)) == T_NONE) parser_fail(p, "a variable of type .%s", word);
  }
  const char *name = lex_name(p, false);
  size_t count = 1;
  char kind;
  if (type == T_NONE || type == T_PRED) parser_fail(p, "a variable without a type");
  while (lex_take(p, '[')) {
    lex_skip(p);
    count *= *p->at == ']' ? 0 : parser_count(p, MAX_DATA);
    if (count > MAX_DATA) parser_fail(p, "too large a variable");
    lex_need(p, ']');
  }
  size_t bytes = count * type_bytes(type);
  if (!align) align = type_bytes(type);
  if (bytes > (space == SPACE_GLOBAL ? MAX_DATA : MAX_BLOCK_DATA)) parser_fail(p, "too large a variable");
  if (space == SPACE_SHARED) {
    /* where it lies: dynamic shared memory begins behind all that is static */
    if (is_extern || p->kernel == NULL) {
      p->module->globals = realloc(p->module->globals, (p->module->nglobals + 1) * sizeof *p->module->globals);
      p->module->globals[p->module->nglobals++] = (ModuleData){name, NULL, bytes, true, is_extern || !bytes, align};
    } else {
      p->kernel->static_shared = up(p->kernel->static_shared, align);
      parser_add_name(p, name, SPACE_SHARED, p->kernel->static_shared);
      p->kernel->static_shared += (uint32_t)bytes;
      if (p->kernel->static_shared > MAX_BLOCK_DATA) parser_fail(p, "too many variables");
    }
  } else if (space == SPACE_LOCAL) {
    p->kernel->local_bytes = up(p->kernel->local_bytes, align);
    parser_add_name(p, name, SPACE_LOCAL, p->kernel->local_bytes);
    p->kernel->local_bytes += (uint32_t)bytes;
    if (p->kernel->local_bytes > MAX_BLOCK_DATA) parser_fail(p, "too many variables");
  } else {
    uint8_t *data = module_memory(p->module, bytes);
    if (lex_take(p, '=')) {
      bool list = lex_take(p, '{');
      for (size_t at = 0; at < bytes; at += type_bytes(type)) {
        lex_skip(p);
        uint64_t value = lex_number(p, &kind);
        memcpy(data + at, &value, type_bytes(type));
        if (!list || !lex_take(p, ',')) break;
      }
      if (list) lex_need(p, '}');
    }
    p->module->globals = realloc(p->module->globals, (p->module->nglobals + 1) * sizeof *p->module->globals);
    p->module->globals[p->module->nglobals++] = (ModuleData){name, data, bytes, false, is_extern, align};
    parser_add_name(p, name, space, (uint64_t)(uintptr_t)data);
  }
  lex_need(p, ';');
}
