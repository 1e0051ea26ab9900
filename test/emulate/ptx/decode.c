/* decode.c - statements to instructions: which function runs them, on which registers and constants.
 *
 * Parts of an opcode that change nothing here (rounding to nearest, hints for caches, .uni) are listed; one that is not known is an
 * error, so that nothing runs with a meaning that it has not. */
#include "alu.h"
#include "ops.h"

Type emu_type_named(const char *name);

/* ---- operands ---- */
static const void *constant(EmuModule *m, uint64_t bits, unsigned bytes, bool predicate) {
  uint64_t *lanes = module_memory(m, LANES * 8);
  for (int l = 0; l < LANES; l++) {
    if (bytes == 8) lanes[l] = bits;
    else ((uint32_t *)lanes)[l] = (uint32_t)bits;
  }
  if (predicate) *(uint32_t *)lanes = bits ? FULL : 0;
  return lanes;
}

const char *op_source(Parser_ *p, const RawOperand *raw, Type type, Operand *out) {
  Type of;
  if (raw->kind == OPERAND_NUMBER) {
    uint64_t bits = raw->bits;
    if (type == T_F64 && raw->number == 'f') {
      double d = (double)as_float((uint32_t)bits);
      memcpy(&bits, &d, 8);
    }
    if (type_bytes(type) == 2) bits &= 0xffff;
    unsigned bytes = type_bytes(type) >= 8 ? 8 : 4;
    *out =
        (Operand){.lanes = constant(parser_module(p), bits, bytes, type == T_PRED), .bytes = (uint8_t)(type == T_PRED ? 0 : bytes)};
    return NULL;
  }
  if (raw->kind != OPERAND_REGISTER || !raw->name) return "a register or a number expected";
  if (strcmp(raw->name, "_") == 0) {
    *out = (Operand){.sink = true};
    return NULL;
  }
  if (parser_register(p, raw->name, out, &of)) {
    out->negated = raw->negated;
    if (type != T_NONE && (of == T_PRED) != (type == T_PRED)) return "a predicate and a number mixed up";
    if (type != T_NONE && type != T_PRED && strncmp(raw->name, "%tid", 4) != 0 && type_bytes(of) < type_bytes(type) &&
        out->bytes < 8 && type_bytes(type) > 4)
      return "a register that is narrower than the type";
    return NULL;
  }
  if (strcmp(raw->name, "WARP_SZ") == 0) {
    *out = (Operand){.lanes = constant(parser_module(p), 32, type_bytes(type) >= 8 ? 8 : 4, false),
                     .bytes = (uint8_t)type_bytes(type)};
    return NULL;
  }
  Space space;
  uint64_t address;
  if (!parser_symbol(p, raw->name, &space, &address)) return "an unknown name";
  if (space == SPACE_PARAM) address += PARAM_WINDOW;
  if (space == SPACE_LOCAL) address += LOCAL_WINDOW;
  unsigned bytes = type_bytes(type) >= 8 ? 8 : 4;
  *out = (Operand){.lanes = constant(parser_module(p), address + (uint64_t)raw->offset, bytes, false), .bytes = (uint8_t)bytes};
  return NULL;
}

const char *op_destination(Parser_ *p, const RawOperand *raw, Operand *out) {
  Type of;
  if (raw->kind != OPERAND_REGISTER || !raw->name) return "a register expected";
  if (strcmp(raw->name, "_") == 0) {
    *out = (Operand){.sink = true};
    return NULL;
  }
  return parser_register(p, raw->name, out, &of) ? NULL : "an unknown register";
}

Operand *op_sources(Parser_ *p, Inst *inst, int count) {
  inst->src = module_memory(parser_module(p), (size_t)(count ? count : 1) * sizeof *inst->src);
  inst->nsrc = (uint16_t)count;
  return inst->src;
}

const char *op_address(Parser_ *p, const RawOperand *raw, Operand *out, int64_t *out_offset) {
  if (raw->kind != OPERAND_ADDRESS) return "an address expected";
  *out_offset = raw->offset;
  if (!raw->name) {
    *out = (Operand){.lanes = constant(parser_module(p), 0, 8, false), .bytes = 8};
    return NULL;
  }
  RawOperand base = {.kind = OPERAND_REGISTER, .name = raw->name};
  return op_source(p, &base, T_NONE, out);
}

/* ---- parts ---- */
bool op_has(const Statement *s, const char *part) {
  for (int i = 0; i < s->nparts; i++)
    if (strcmp(s->part[i], part) == 0) return true;
  return false;
}

Type op_type(const Statement *s, int from_last) {
  for (int i = s->nparts; i-- > 0;) {
    Type t = emu_type_named(s->part[i]);
    if (t != T_NONE && from_last-- == 0) return t;
  }
  return T_NONE;
}

/* NULL, or the first part that is neither a type nor among the known, a list of words. */
const char *op_unknown_part(const Statement *s, const char *known) {
  static char text[80];
  for (int i = 0; i < s->nparts; i++) {
    if (emu_type_named(s->part[i]) != T_NONE) continue;
    const char *at = known;
    size_t length = strlen(s->part[i]);
    bool found = false;
    while (*at && !found) {
      size_t word = strcspn(at, " ");
      found = word == length && memcmp(at, s->part[i], word) == 0;
      at += word + (at[word] == ' ');
    }
    if (!found) {
      snprintf(text, sizeof text, "unknown part .%.40s", s->part[i]);
      return text;
    }
  }
  return NULL;
}

Space op_space(const Statement *s) {
  for (int i = 0; i < s->nparts; i++) {
    const char *w = s->part[i];
    if (strcmp(w, "global") == 0 || strcmp(w, "const") == 0) return SPACE_GLOBAL;
    if (strcmp(w, "shared") == 0 || strcmp(w, "shared::cta") == 0) return SPACE_SHARED;
    if (strcmp(w, "shared::cluster") == 0) return SPACE_CLUSTER;
    if (strcmp(w, "local") == 0) return SPACE_LOCAL;
    if (strcmp(w, "param") == 0 || strcmp(w, "param::entry") == 0) return SPACE_PARAM;
  }
  return SPACE_GENERIC;
}

/* ---- what most have: d, a, b, c ---- */
static void put_part(char *key, size_t room, const char *part) {
  size_t at = strlen(key);
  snprintf(key + at, room - at, ".%s", part);
}

static const char *decode_plain(Parser_ *p, const Statement *s, Inst *inst) {
  static const char means[] = " lo hi wide NaN approx full l r wrap clamp ",
                    nothing[] = "rn uni lo hi wide NaN approx full l r wrap clamp ftz sat relu";
  const char *unknown = op_unknown_part(s, nothing);
  if (unknown) return unknown;
  char key[64];
  snprintf(key, sizeof key, "%s", s->opcode);
  Type type = op_type(s, 0);
  bool is_dp4a = strcmp(s->opcode, "dp4a") == 0;
  for (int i = 0; i < s->nparts; i++) {
    char word[32];
    snprintf(word, sizeof word, " %s ", s->part[i]);
    if (strstr(means, word) && emu_type_named(s->part[i]) == T_NONE) put_part(key, sizeof key, s->part[i]);
  }
  if (is_dp4a) put_part(key, sizeof key, s->part[0]);
  inst->type = (uint8_t)type;
  inst->ftz = op_has(s, "ftz"), inst->sat = op_has(s, "sat"), inst->relu = op_has(s, "relu");
  inst->exec = alu_find(key, type, &inst->class);
  if (!inst->exec) return "an instruction that the emulator does not know";
  if (s->noperands < 2) return "too few operands";
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  op_sources(p, inst, s->noperands - 1);
  bool shift = strncmp(key, "sh", 2) == 0, bits = strncmp(key, "bf", 2) == 0 && strcmp(key, "bfind") != 0,
       wide = strcmp(key, "mad.wide") == 0;
  for (int i = 1; i < s->noperands && !wrong; i++) {
    Type t = type;
    if (shift && i == 2 && strncmp(key, "shf", 3) != 0) t = T_U32;
    if (bits && i >= (strcmp(s->opcode, "bfi") == 0 ? 3 : 2)) t = T_U32;
    if (wide && i == 3) t = T_U64;
    wrong = op_source(p, &s->operand[i], t, &inst->src[i - 1]);
  }
  return wrong;
}

static const char *decode_mov(Parser_ *p, const Statement *s, Inst *inst) {
  Type type = op_type(s, 0);
  if (s->operand[0].kind != OPERAND_LIST && s->operand[1].kind != OPERAND_LIST) return decode_plain(p, s, inst);
  inst->type = (uint8_t)type, inst->exec = exec_mov_pack;
  const RawOperand *to = &s->operand[0], *from = &s->operand[1];
  int nto = to->kind == OPERAND_LIST ? to->count : 1, nfrom = from->kind == OPERAND_LIST ? from->count : 1;
  if (nto > 8) return "a list that is too long";
  const char *wrong = NULL;
  for (int i = 0; i < nto && !wrong; i++)
    wrong = op_destination(p, to->kind == OPERAND_LIST ? &s->operand[to->first + i] : to, &inst->dst[inst->ndst++]);
  op_sources(p, inst, nfrom);
  Type part = nfrom == 1 ? type : type_bytes(type) / (unsigned)nfrom == 8 ? T_B64 : T_B32;
  for (int i = 0; i < nfrom && !wrong; i++)
    wrong = op_source(p, from->kind == OPERAND_LIST ? &s->operand[from->first + i] : from, part, &inst->src[i]);
  return wrong;
}

static int word_index(const char *word, const char *const *words, int count) {
  for (int i = 0; i < count; i++)
    if (strcmp(words[i], word) == 0) return i;
  return -1;
}

static const char *decode_setp(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const comparisons[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                            "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  static const char *const unsigned_ones[] = {"", "", "lo", "ls", "hi", "hs"};
  static const char *const combined[] = {"", "and", "or", "xor"};
  inst->exec = exec_setp, inst->type = (uint8_t)op_type(s, 0), inst->ftz = op_has(s, "ftz");
  int how = word_index(s->part[0], comparisons, 14);
  if (how < 0) how = word_index(s->part[0], unsigned_ones, 6);
  if (how < 0 || !s->nparts) return "an unknown comparison";
  inst->compare = (uint8_t)how;
  for (int i = 1; i < s->nparts; i++) {
    int c = word_index(s->part[i], combined, 4);
    if (c > 0) inst->combine = (uint8_t)c;
  }
  const char *unknown = op_unknown_part(s, "eq ne lt le gt ge equ neu ltu leu gtu geu num nan lo ls hi hs and or xor ftz");
  if (unknown) return unknown;
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  if (!wrong && s->operand[0].second) {
    RawOperand second = {.kind = OPERAND_REGISTER, .name = s->operand[0].second};
    wrong = op_destination(p, &second, &inst->dst[inst->ndst++]);
  }
  op_sources(p, inst, inst->combine ? 3 : 2);
  for (int i = 0; i < inst->nsrc && !wrong; i++)
    wrong = op_source(p, &s->operand[1 + i], i == 2 ? T_PRED : (Type)inst->type, &inst->src[i]);
  return wrong;
}

static const char *decode_sources(Parser_ *p, const Statement *s, Inst *inst, const Type *types, int count) {
  if (s->noperands != count + 1) return "another number of operands expected";
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  op_sources(p, inst, count);
  for (int i = 0; i < count && !wrong; i++) wrong = op_source(p, &s->operand[i + 1], types[i], &inst->src[i]);
  return wrong;
}

static const char *decode_selp(Parser_ *p, const Statement *s, Inst *inst) {
  Type t = op_type(s, 0);
  inst->exec = exec_selp, inst->type = (uint8_t)t;
  return decode_sources(p, s, inst, (const Type[]){t, t, T_PRED}, 3);
}

static const char *decode_prmt(Parser_ *p, const Statement *s, Inst *inst) {
  if (s->nparts != 1) return "prmt with a mode";
  inst->exec = exec_prmt;
  return decode_sources(p, s, inst, (const Type[]){T_B32, T_B32, T_B32}, 3);
}

static const char *decode_lop3(Parser_ *p, const Statement *s, Inst *inst) {
  if (s->nparts != 1 || s->noperands != 5) return "a form of lop3 that the emulator does not know";
  Statement t = *s;
  inst->exec = exec_lop3, inst->immediate = (int64_t)s->operand[4].bits;
  t.noperands = 4;
  return decode_sources(p, &t, inst, (const Type[]){T_B32, T_B32, T_B32}, 3);
}

static const char *decode_testp(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const tests[] = {"finite", "infinite", "number", "notanumber"};
  int which = word_index(s->part[0], tests, 4);
  if (which < 0) return "an unknown test";
  inst->exec = exec_testp, inst->compare = (uint8_t)which, inst->type = (uint8_t)op_type(s, 0);
  return decode_sources(p, s, inst, (const Type[]){(Type)inst->type}, 1);
}

static bool is_float_type(Type t) { return t == T_F16 || t == T_BF16 || t == T_F32 || t == T_F64 || t == T_TF32; }

static const char *decode_cvt(Parser_ *p, const Statement *s, Inst *inst) {
  Type to = op_type(s, 1), from = op_type(s, 0);
  const char *unknown = op_unknown_part(s, "rn rz rm rp rni rzi rmi rpi rna ftz sat satfinite relu");
  if (unknown) return unknown;
  inst->type = (uint8_t)to, inst->from = (uint8_t)from, inst->ftz = op_has(s, "ftz"), inst->sat = op_has(s, "sat"),
  inst->relu = op_has(s, "relu");
  inst->mode = 'n';
  static const char *const modes[] = {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"};
  for (int i = 0; i < 8; i++)
    if (op_has(s, modes[i])) inst->mode = (uint8_t)modes[i][1], inst->combine = i >= 4;
  bool whole = !is_float_type(to) && !is_float_type(from);
  if (to == T_F16X2 || to == T_BF16X2 || to == T_E4M3X2 || to == T_E5M2X2) {
    inst->exec = exec_cvt_pack;
    int n = s->noperands - 1;
    if (n != (from == T_F32 ? 2 : 1)) return "another number of operands expected";
    return decode_sources(p, s, inst, (const Type[]){from == T_F32 ? T_F32 : T_B32, T_F32}, n);
  }
  if (inst->mode == 'm' || inst->mode == 'p') {
    if (!inst->combine) return "a rounding that the emulator does not know";
  }
  if (is_float_type(from) && !is_float_type(to) && !inst->combine) return "a conversion to integers without a rounding";
  inst->exec = whole && !inst->sat ? exec_cvt_int : exec_cvt;
  return decode_sources(p, s, inst, (const Type[]){from}, 1);
}

/* Windows are above all addresses, so an address of global memory is its generic address. */
static Outcome exec_cvta(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    uint64_t a = lane_bits(w, &inst->src[0], l);
    uint64_t window = inst->space == SPACE_SHARED || inst->space == SPACE_CLUSTER ? SHARED_WINDOW
                      : inst->space == SPACE_LOCAL                                ? LOCAL_WINDOW
                      : inst->space == SPACE_PARAM                                ? PARAM_WINDOW
                                                                                  : 0;
    if (!window) {
      set_lane(w, &inst->dst[0], l, a);
    } else if (inst->mode) { /* to the space */
      if (!(a & window)) return fail(w, inst, l, "a generic address outside of the space that it is converted to");
      a &= ~window;
      if (window == SHARED_WINDOW && inst->space == SPACE_SHARED) {
        if (a >> 32 != w->block->rank) return fail(w, inst, l, "an address of another block's shared memory as one of the own");
        a = (uint32_t)a;
      }
      if (inst->space == SPACE_CLUSTER) a = ((a >> 32) + 1) << 24 | (uint32_t)a;
      set_lane(w, &inst->dst[0], l, a);
    } else {
      if (window == SHARED_WINDOW && a >> 32 == 0) a |= (uint64_t)w->block->rank << 32;
      set_lane(w, &inst->dst[0], l, a | window);
    }
  }
  return NEXT;
}

static const char *decode_cvta(Parser_ *p, const Statement *s, Inst *inst) {
  inst->exec = exec_cvta, inst->space = (uint8_t)op_space(s), inst->mode = op_has(s, "to");
  return decode_sources(p, s, inst, (const Type[]){T_B64}, 1);
}

static const char *decode_bra(Parser_ *p, const Statement *s, Inst *inst) {
  const char *unknown = op_unknown_part(s, "uni idx");
  if (unknown) return unknown;
  inst->exec = exec_bra, inst->class = EMU_CLASS_CONTROL;
  bool table = strcmp(s->opcode, "brx") == 0;
  if (s->noperands != (table ? 2 : 1)) return "a target expected";
  inst->label = s->operand[table].name;
  if (!inst->label) return "a target expected";
  if (!table) return NULL;
  op_sources(p, inst, 1);
  return op_source(p, &s->operand[0], T_U32, &inst->src[0]);
}

static Outcome exec_nothing(Warp *w, const Inst *inst, uint32_t mask) {
  (void)w, (void)inst, (void)mask;
  return NEXT;
}

static const char *decode_control(Parser_ *p, const Statement *s, Inst *inst) {
  (void)p;
  inst->class = EMU_CLASS_CONTROL;
  if (strcmp(s->opcode, "ret") == 0 || strcmp(s->opcode, "exit") == 0) inst->exec = exec_ret;
  else if (strcmp(s->opcode, "trap") == 0) inst->exec = exec_trap;
  else inst->exec = exec_nothing;
  return NULL;
}

static const struct {
  const char *opcode;
  const char *(*decode)(Parser_ *, const Statement *, Inst *);
} forms[] = {{"mov", decode_mov},
             {"setp", decode_setp},
             {"selp", decode_selp},
             {"prmt", decode_prmt},
             {"lop3", decode_lop3},
             {"testp", decode_testp},
             {"cvt", decode_cvt},
             {"cvta", decode_cvta},
             {"bra", decode_bra},
             {"brx", decode_bra},
             {"ret", decode_control},
             {"exit", decode_control},
             {"trap", decode_control},
             {"griddepcontrol", decode_control},
             {"setmaxnreg", decode_control},
             {"prefetch", decode_control},
             {"prefetchu", decode_control},
             {"nanosleep", decode_control},
             {"ld", decode_ld},
             {"ldu", decode_ld},
             {"st", decode_st},
             {"atom", decode_atom},
             {"red", decode_atom},
             {"bar", decode_bar},
             {"barrier", decode_bar},
             {"shfl", decode_shfl},
             {"vote", decode_vote},
             {"redux", decode_redux},
             {"activemask", decode_vote},
             {"elect", decode_elect},
             {"membar", decode_fence},
             {"fence", decode_fence},
             {"mma", decode_mma},
             {"ldmatrix", decode_matrix},
             {"stmatrix", decode_matrix},
             {"cp", decode_cp},
             {"mbarrier", decode_mbarrier},
             {"wgmma", decode_wgmma},
             {"mapa", decode_mapa},
             {"getctarank", decode_mapa}};

const char *decode(Parser_ *p, const Statement *s, Inst *inst) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (strcmp(forms[i].opcode, s->opcode) == 0) return forms[i].decode(p, s, inst);
  return decode_plain(p, s, inst);
}
