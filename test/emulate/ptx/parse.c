/* parse.c - PTX text to kernels: statements, labels, kernels, modules. What an instruction means is decode.c's.
 *
 * The text is cut up in place: names are pieces of the module's copy, ended by NUL. Section 4 of the PTX ISA (syntax), 5 (state spaces),
 * 11 (directives). */
#include "parser.h"
#include <ctype.h>

EmuModule *parser_module(Parser *p) { return p->module; }
EmuKernel *parser_kernel(Parser *p) { return p->kernel; }

/* ---- statements ---- */
static void parse_operand(Parser *p, Statement *s, RawOperand *out);

static void parse_pieces(Parser *p, Statement *s, RawOperand *out, char close) {
  RawOperand pieces[MAX_PIECES];
  int n = 0;
  do {
    if (n == MAX_PIECES) parser_fail(p, "a list of more than %d operands", MAX_PIECES);
    p->nesting++;
    parse_operand(p, s, &pieces[n++]);
    p->nesting--;
  } while (lex_take(p, ','));
  lex_need(p, close);
  if (s->npieces + n + 24 > MAX_OPERANDS) parser_fail(p, "too many operands");
  s->npieces += n;
  out->first = MAX_OPERANDS - s->npieces, out->count = n;
  memcpy(s->operand + out->first, pieces, (size_t)n * sizeof *pieces);
}

/* Operands of the statement stand in front of the array, pieces of lists behind. */
static void parse_operand(Parser *p, Statement *s, RawOperand *out) {
  *out = (RawOperand){0};
  if (p->nesting > MAX_NESTING) parser_fail(p, "operands inside of each other");
  lex_skip(p);
  if (lex_take(p, '!')) out->negated = true;
  lex_skip(p);
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
    if (inner.kind != OPERAND_NUMBER && inner.kind != OPERAND_REGISTER)
      parser_fail(p, "an address is a register, a name or a number");
    *out = (RawOperand){.kind = OPERAND_ADDRESS, .name = inner.kind == OPERAND_NUMBER ? NULL : inner.name, .offset = inner.offset};
    if (inner.kind == OPERAND_NUMBER) out->offset = (int64_t)inner.bits;
    if (lex_take(p, ',')) {
      lex_skip(p);
      if (*p->at != '{') parser_fail(p, "coordinates expected");
      p->at++;
      parse_pieces(p, s, out, '}');
    }
    lex_need(p, ']');
    return;
  }
  if (*p->at == '-' || isdigit((unsigned char)*p->at)) {
    out->kind = OPERAND_NUMBER;
    out->bits = lex_number(p, &out->number);
    return;
  }
  out->kind = OPERAND_REGISTER; /* or a symbol: decode knows */
  out->name = lex_name(p, true);
  lex_skip(p);
  if (*p->at == '|') {
    p->at++;
    out->second = lex_name(p, true);
  }
  lex_skip(p);
  if (*p->at == '+' || (*p->at == '-' && out->name[0] != '%')) {
    char kind;
    if (*p->at == '+') p->at++;
    out->offset = (int64_t)lex_number(p, &kind);
  }
}

static void parse_statement(Parser *p) {
  Statement *s = p->statement;
  *s = (Statement){0};
  for (size_t i = 0; i < sizeof s->part / sizeof *s->part; i++) s->part[i] = "";
  p->nesting = 0;
  char *begin;
  lex_skip(p);
  begin = p->at;
  s->line = p->line;
  if (lex_take(p, '@')) {
    s->unless = lex_take(p, '!');
    s->guard = lex_name(p, false);
  }
  lex_skip(p);
  char *opcode = (char *)(uintptr_t)lex_name(p, true);
  s->opcode = opcode;
  for (char *dot = strchr(opcode, '.'); dot; dot = strchr(dot + 1, '.')) {
    *dot = 0;
    if (s->nparts == 24) parser_fail(p, "an instruction of too many parts");
    s->part[s->nparts++] = dot + 1;
  }
  lex_skip(p);
  while (*p->at != ';') {
    if (s->noperands == 24) parser_fail(p, "an instruction of too many operands");
    RawOperand *operand = &s->operand[s->noperands++];
    parse_operand(p, s, operand);
    if (!lex_take(p, ',')) break;
    lex_skip(p);
  }
  lex_skip(p);
  if (*p->at != ';') parser_fail(p, "';' expected before '%.20s'", p->at);
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
    if (!parser_register(p, s->guard, &guard, &type) || type != T_PRED) parser_fail(p, "'%s' is no predicate", s->guard);
    inst->guard = guard.offset;
  }
  const char *wrong = decode(p, s, inst);
  if (wrong) {
    p->line = s->line;
    parser_fail(p, "%s: '%.120s'", wrong, text);
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
    if (t->count == 256) parser_fail(p, "more than 256 targets of a branch");
    t->names[t->count++] = lex_name(p, false);
  } while (lex_take(p, ','));
  lex_need(p, ';');
}

/* A statement, declaration or label of a body. */
static void parse_item(Parser *p) {
  lex_skip(p);
  if (*p->at == '.') {
    p->at++;
    const char *word = lex_name(p, false);
    if (strcmp(word, "reg") == 0) parser_registers(p);
    else if (strcmp(word, "shared") == 0) parser_variable(p, SPACE_SHARED, false);
    else if (strcmp(word, "local") == 0) parser_variable(p, SPACE_LOCAL, false);
    else if (strcmp(word, "loc") == 0) skip_until(p, '\n'), p->line++;
    else if (strcmp(word, "pragma") == 0) skip_until(p, ';');
    else parser_fail(p, "unknown directive .%s", word);
    return;
  }
  char *from = p->at;
  int line = p->line;
  if (isalpha((unsigned char)*from) || *from == '$' || *from == '_') {
    const char *name = lex_name(p, false);
    lex_skip(p);
    if (*p->at == ':') {
      p->at++;
      lex_skip(p);
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

/* Among the labels from the first-th on; false: there is none. */
static bool label_at(const Parser *p, size_t first, const char *name, uint32_t *out) {
  for (size_t i = first; i < p->nlabels; i++) {
    if (strcmp(p->labels[i].name, name) != 0) continue;
    *out = p->labels[i].at;
    return true;
  }
  return false;
}

static bool resolve(Parser *p, size_t first, Inst *inst, const char **out_missing) {
  const Targets *list = NULL;
  for (size_t t = 0; t < p->ntargets; t++)
    if (strcmp(p->targets[t].label, inst->label) == 0) list = &p->targets[t];
  *out_missing = inst->label;
  if (!list) return label_at(p, first, inst->label, &inst->target);
  uint32_t *targets = module_memory(p->module, list->count * sizeof *targets);
  for (uint32_t t = 0; t < list->count; t++)
    if (!label_at(p, first, *out_missing = list->names[t], &targets[t])) return false;
  inst->targets = targets, inst->ntargets = list->count;
  return true;
}

/* At the end of a block: its branches to its own labels, which nobody outside knows. What is left is the outer block's; of the whole body
 * nothing may be. */
static void resolve_labels(Parser *p, size_t first_code, size_t first_label, bool whole) {
  for (size_t i = first_code; i < p->ncode; i++) {
    Inst *inst = &p->code[i];
    const char *missing;
    if (!inst->label) continue;
    p->line = whole ? inst->line : p->line;
    if (resolve(p, first_label, inst, &missing)) inst->label = NULL;
    else if (whole) parser_fail(p, "no label '%s'", missing);
  }
  p->nlabels = first_label;
}

/* ---- kernels ---- */
static void parse_parameters(Parser *p) {
  lex_need(p, '(');
  lex_skip(p);
  while (*p->at != ')') {
    uint32_t align = 0;
    Type type = T_NONE;
    for (bool first = true; lex_take(p, '.'); first = false) {
      const char *word = lex_name(p, false);
      if (first && strcmp(word, "param") != 0) parser_fail(p, "a parameter expected");
      if (first) continue;
      if (strcmp(word, "align") == 0) {
        uint32_t given = parser_alignment(p);
        align = type == T_NONE ? given : align; /* behind .ptr it is of what the pointer points to */
      } else if (strcmp(word, "ptr") != 0 && strcmp(word, "global") != 0 && strcmp(word, "const") != 0 &&
                 strcmp(word, "shared") != 0 && strcmp(word, "local") != 0 && (type = parser_type(word)) == T_NONE) {
        parser_fail(p, "a parameter of type .%s", word);
      }
    }
    const char *name = lex_name(p, false);
    uint32_t count = 1;
    if (type == T_NONE || type == T_PRED) parser_fail(p, "a parameter without a type");
    if (lex_take(p, '[')) count = (uint32_t)parser_count(p, MAX_PARAMETER_BYTES), lex_need(p, ']');
    if (!align) align = type_bytes(type);
    uint32_t offset = up(p->kernel->parameter_bytes, align);
    parser_add_name(p, name, SPACE_PARAM, offset);
    p->kernel->parameter_bytes = offset + count * type_bytes(type);
    if (p->kernel->parameter_bytes > MAX_PARAMETER_BYTES) parser_fail(p, "more than %d bytes of parameters", MAX_PARAMETER_BYTES);
    if (p->kernel->nparameters == MAX_PARAMETERS) parser_fail(p, "more than %d parameters", MAX_PARAMETERS);
    p->kernel->parameter_offset[p->kernel->nparameters] = offset;
    p->kernel->parameter_size[p->kernel->nparameters++] = count * type_bytes(type);
    if (!lex_take(p, ',')) break;
    lex_skip(p);
  }
  lex_need(p, ')');
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
    parser_add_name(p, d->name, SPACE_SHARED, k->static_shared);
    k->static_shared += (uint32_t)d->bytes;
    if (k->static_shared > MAX_BLOCK_DATA) parser_fail(p, "too many variables");
  }
}

static void place_dynamic(Parser *p) {
  EmuKernel *k = p->kernel;
  for (size_t i = 0; i < p->module->nglobals; i++) {
    const ModuleData *d = &p->module->globals[i];
    if (!d->is_shared || !d->is_extern) continue;
    k->static_shared = up(k->static_shared, d->align);
    parser_add_name(p, d->name, SPACE_SHARED, k->static_shared);
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
      parser_variable(p, SPACE_SHARED, false);
      continue;
    }
    p->at++;
  }
  uint32_t end = p->kernel->static_shared;
  p->kernel->static_shared = before, p->nnames = names, p->at = at, p->line = line;
  return end;
}

static void parse_body(Parser *p) {
  lex_need(p, '{');
  uint32_t registers_before = p->kernel->static_shared;
  uint32_t end = declared_in_body(p);
  p->kernel->static_shared = end;
  place_dynamic(p);
  uint32_t all = p->kernel->static_shared;
  p->kernel->static_shared = registers_before;
  p->depth = 1;
  struct {
    size_t families, code, labels;
  } outside[64];
  while (p->depth) {
    lex_skip(p);
    if (!*p->at) parser_fail(p, "a body without an end");
    if (*p->at == '{') {
      p->at++;
      if (p->depth == 63) parser_fail(p, "blocks inside of each other");
      outside[p->depth].families = p->nfamilies, outside[p->depth].code = p->ncode, outside[p->depth].labels = p->nlabels;
      p->depth++;
    } else if (*p->at == '}') {
      p->at++;
      if (!--p->depth) break;
      p->nfamilies = outside[p->depth].families;
      resolve_labels(p, outside[p->depth].code, outside[p->depth].labels, false);
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
  *k = (EmuKernel){.name = lex_name(p, false), .module = m, .shared_granule = 4, .global_granule = 4};
  size_t names = p->nnames;
  p->nfamilies = p->nlabels = p->ncode = p->ntargets = 0;
  p->depth = 0;
  parser_add_family(p, "%emu_special", 0, sizeof special_registers / sizeof *special_registers, T_U32);
  for (size_t i = 0; i < sizeof special_registers / sizeof *special_registers; i++) {
    GROW(p->families, p->nfamilies, p->families_room);
    p->families[p->nfamilies++] =
        (Family){special_registers[i], 0, 0, 0, T_U32, p->families[0].offset + (uint32_t)i * 4 * LANES, 4 * LANES};
  }
  lex_skip(p);
  if (*p->at == '(') parse_parameters(p);
  place_shared(p);
  while (lex_take(p, '.')) {
    const char *word = lex_name(p, false);
    char kind;
    uint32_t three[3] = {1, 1, 1};
    if (strcmp(word, "explicitcluster") == 0 || strcmp(word, "blocksareclusters") == 0 || strcmp(word, "noreturn") == 0) continue;
    int n = 0;
    do three[n++] = (uint32_t)lex_number(p, &kind);
    while (n < 3 && lex_take(p, ','));
    if (strcmp(word, "maxntid") == 0) k->max_threads = three[0] * three[1] * three[2];
    else if (strcmp(word, "reqntid") == 0) memcpy(k->required, three, sizeof three);
    else if (strcmp(word, "minnctapersm") != 0 && strcmp(word, "maxnreg") != 0 && strcmp(word, "reqnctapercluster") != 0 &&
             strcmp(word, "maxclusterrank") != 0)
      parser_fail(p, "unknown directive .%s", word);
  }
  parse_body(p);
  resolve_labels(p, 0, 0, true);
  Inst *code = module_memory(m, (p->ncode + 1) * sizeof *code);
  if (p->ncode) memcpy(code, p->code, p->ncode * sizeof *code);
  code[p->ncode] = (Inst){.exec = exec_ret, .text = "the end of the kernel", .guard = UINT32_MAX};
  k->code = code, k->count = (uint32_t)p->ncode + 1;
  p->nnames = names;
  m->nkernels++;
  p->kernel = NULL;
}

static void parse_module(Parser *p) {
  bool is_extern = false;
  for (lex_skip(p); *p->at; lex_skip(p)) {
    lex_need(p, '.');
    const char *word = lex_name(p, false);
    if (strcmp(word, "version") == 0) {
      char *end;
      strtod(p->at, &end);
      p->at = end;
    } else if (strcmp(word, "target") == 0) {
      const char *chip = lex_name(p, false);
      if (strncmp(chip, "sm_", 3) != 0) parser_fail(p, "target '%s'", chip);
      char *end;
      p->module->chip = (unsigned)strtoul(chip + 3, &end, 10);
      p->module->alone = *end == 'a';
      while (lex_take(p, ',')) lex_name(p, false);
    } else if (strcmp(word, "address_size") == 0) {
      char kind;
      if (lex_number(p, &kind) != 64) parser_fail(p, "addresses that are not of 64 bits");
    } else if (strcmp(word, "visible") == 0 || strcmp(word, "weak") == 0) {
      continue;
    } else if (strcmp(word, "extern") == 0) {
      is_extern = true;
      continue;
    } else if (strcmp(word, "entry") == 0) {
      parse_entry(p);
    } else if (strcmp(word, "shared") == 0) {
      parser_variable(p, SPACE_SHARED, is_extern);
    } else if (strcmp(word, "global") == 0 || strcmp(word, "const") == 0) {
      parser_variable(p, SPACE_GLOBAL, is_extern);
    } else if (strcmp(word, "file") == 0) {
      skip_until(p, '\n'), p->line++;
    } else {
      parser_fail(p, "unknown directive .%s", word);
    }
    is_extern = false;
  }
  if (!p->module->chip) parser_fail(p, "no .target");
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
  lex_strip_comments(m->text);
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
bool emu_kernel_gather(const EmuKernel *k, void *const *parameters, void *out) {
  for (uint32_t i = 0; i < k->nparameters; i++) {
    if (!parameters[i]) return false;
    memcpy((char *)out + k->parameter_offset[i], parameters[i], k->parameter_size[i]);
  }
  return !parameters[k->nparameters];
}
uint32_t emu_kernel_static_shared(const EmuKernel *k) { return k->static_shared; }
unsigned emu_module_chip(const EmuModule *m, bool *out_alone) {
  if (out_alone) *out_alone = m->alone;
  return m->chip;
}
