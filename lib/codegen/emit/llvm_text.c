/* llvm_text.c - the sink that prints the list of ops as text of the LLVM dialect. See llvm_list.h.
 *
 * Every kernel is printed once, since its digest is its name; printf would take a tenth of an emission's time. */
#include "lib/codegen/emit/llvm_list.h"
#include <inttypes.h>

/* ---- words ---- */

static void put_bytes(TccText *t, const char *data, size_t n) {
  if (t->length + n < t->capacity) {
    memcpy(t->data + t->length, data, n);
    t->length += n;
    t->data[t->length] = 0;
  } else {
    tcc_text_put(t, data, n);
  }
}

static void put(TccText *t, const char *word) { put_bytes(t, word, strlen(word)); }

static void put_number(TccText *t, int64_t v) {
  char digits[24], *at = digits + sizeof digits;
  uint64_t rest = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
  do *--at = (char)('0' + rest % 10);
  while (rest /= 10);
  if (v < 0) *--at = '-';
  put_bytes(t, at, (size_t)(digits + sizeof digits - at));
}

static void put_value(TccText *t, int32_t v) {
  put_bytes(t, "%", 1);
  put_number(t, v);
}

/* Each "%v" is the next operand of inst, "%t" its type, "%u" its other type, "%n" its number; all else stands for itself. */
static void put_form(TccText *t, const TccLlvmInst *inst, const char *form) {
  int next = 0;
  for (const char *at; (at = strchr(form, '%')); form = at + 2) {
    put_bytes(t, form, (size_t)(at - form));
    if (at[1] == 'v') put_value(t, inst->v[next++]);
    else if (at[1] == 't') put(t, inst->type);
    else if (at[1] == 'u') put(t, inst->other);
    else put_number(t, inst->number);
  }
  put(t, form);
}

static void put_pointer(TccText *t, int space) { put(t, space ? "!llvm.ptr<3>" : "!llvm.ptr"); }

static void put_list(TccText *t, const int32_t *v, int n) {
  for (int i = 0; i < n; i++) {
    if (i) put(t, ", ");
    put_value(t, v[i]);
  }
}

static void put_types(TccText *t, const char *const *types, int n) {
  for (int i = 0; i < n; i++) {
    if (i) put(t, ", ");
    put(t, types[i]);
  }
}

/* "(%1, %2) : (T, U) -> V"; `between` comes behind the colon. */
static void put_call(TccText *t, const TccLlvmInst *inst, const char *between) {
  put(t, "(");
  put_list(t, inst->list, inst->n);
  put(t, ") : "), put(t, between), put(t, "(");
  put_types(t, inst->types, inst->n);
  put(t, ") -> "), put(t, inst->type ? inst->type : "()");
}

static void put_quoted(TccText *t, const char *text) {
  put(t, "\"");
  for (; *text; text++) tcc_text_printf(t, *text == '"' ? "\\%c" : "%c", *text);
  put(t, "\"");
}

/* No type of a result where there is none, unlike a call. */
static void put_inline_asm(TccText *t, const TccLlvmInst *inst) {
  put(t, " has_side_effects "), put_quoted(t, inst->symbol), put(t, ", \""), put(t, inst->other), put(t, "\" ");
  put_list(t, inst->list, inst->n);
  put(t, " : ("), put_types(t, inst->types, inst->n);
  put(t, ") -> "), put(t, inst->type ? inst->type : "()");
}

/* ---- constants ---- */

/* "dense<LITERAL> : T) : T" for vectors, "LITERAL : T) : T" for scalars */
static void put_constant(TccText *t, const char *literal, const char *type) {
  bool vector = tcc_llvm_lanes(type) > 1, truth = strcmp(type, "i1") == 0;
  put(t, "("), put(t, vector ? "dense<" : ""), put(t, literal), put(t, vector ? ">" : "");
  if (!truth) put(t, " : "), put(t, type);
  put(t, ") : "), put(t, type);
}

static const char *elem_of(const char *type) { return tcc_llvm_lanes(type) > 1 ? strchr(type, 'x') + 1 : type; }

static void put_integer(TccText *t, const TccLlvmInst *inst) {
  const char *elem = elem_of(inst->type);
  char literal[24];
  snprintf(literal, sizeof literal, "%" PRId64, inst->number);
  bool truth = elem[0] == 'i' && elem[1] == '1' && (elem[2] == 0 || elem[2] == '>');
  put_constant(t, truth ? inst->number ? "true" : "false" : literal, inst->type);
}

static void put_float(TccText *t, const TccLlvmInst *inst) {
  const char *elem = elem_of(inst->type);
  char literal[24];
  int digits = strncmp(elem, "f64", 3) == 0 ? 16 : strncmp(elem, "f32", 3) == 0 ? 8 : 4;
  snprintf(literal, sizeof literal, "0x%0*" PRIX64, digits, (uint64_t)inst->number);
  put_constant(t, literal, inst->type);
}

static void put_iota(TccText *t, const TccLlvmInst *inst) {
  put(t, "(dense<[");
  for (int i = 0; i < tcc_llvm_lanes(inst->type); i++) {
    if (i) put(t, ", ");
    put_number(t, i);
  }
  put_form(t, inst, "]> : %t) : %t");
}

/* ---- memory and control flow ---- */

static void put_gep(TccText *t, const TccLlvmInst *inst) {
  int lanes = tcc_llvm_lanes(inst->other);
  put_form(t, inst, " %v[%v] : ("), put_pointer(t, inst->space), put_form(t, inst, ", %u) -> ");
  if (lanes > 1) put(t, "vector<"), put_number(t, lanes), put(t, "x");
  put_pointer(t, inst->space), put_form(t, inst, lanes > 1 ? ">, %t" : ", %t");
}

static void put_load(TccText *t, const TccLlvmInst *inst) {
  put_form(t, inst, inst->number ? " %v {alignment = %n : i64} : " : " %v : ");
  put_pointer(t, inst->space), put_form(t, inst, " -> %t");
}

static void put_store(TccText *t, const TccLlvmInst *inst) {
  put_form(t, inst, inst->number ? " %v, %v {alignment = %n : i64} : %t, " : " %v, %v : %t, ");
  put_pointer(t, inst->space);
}

static void put_masked(TccText *t, const TccLlvmInst *inst) {
  bool load = inst->op == TCC_LLVM_MASKED_LOAD || inst->op == TCC_LLVM_GATHER;
  char lanes[16], pointer[40] = "!llvm.ptr";
  snprintf(lanes, sizeof lanes, "%d", tcc_llvm_lanes(inst->type));
  if (inst->op == TCC_LLVM_GATHER || inst->op == TCC_LLVM_SCATTER) snprintf(pointer, sizeof pointer, "vector<%sx!llvm.ptr>", lanes);
  put_form(t, inst, " %v, %v, %v {alignment = %n : i32} : ");
  if (load) put(t, "("), put(t, pointer), put(t, ", vector<"), put(t, lanes), put_form(t, inst, "xi1>, %t) -> %t");
  else put_form(t, inst, "%t, vector<"), put(t, lanes), put(t, "xi1> into "), put(t, pointer);
}

static void put_target(TccText *t, int32_t block, const int32_t *values, const char *const *types, int n) {
  put(t, "^b"), put_number(t, block);
  if (n == 0) return;
  put(t, "("), put_list(t, values, n), put(t, " : "), put_types(t, types, n), put(t, ")");
}

static void put_cond_br(TccText *t, const TccLlvmInst *inst) {
  put_form(t, inst, inst->flag ? " %v weights([1, 1048575]), " : " %v, ");
  put_target(t, inst->v[1], inst->list, inst->types, inst->n);
  put(t, ", ");
  put_target(t, inst->v[2], inst->list + inst->n, inst->types + inst->n, (int)inst->number);
}

static void put_label(TccText *t, const TccLlvmInst *inst) {
  put(t, "^b"), put_number(t, inst->v[0]);
  for (int i = 0; i < inst->n; i++) {
    put(t, i ? ", " : "("), put_value(t, inst->list[i]);
    put(t, ": "), put(t, inst->types[i]);
  }
  put(t, inst->n ? "):\n" : ":\n");
}

static void put_inst(TccText *t, const TccLlvmInst *inst) {
  const char *word = tcc_llvm_rows[inst->op].word;
  TccLlvmForm form = tcc_llvm_rows[inst->op].form;
  if (form == TCC_FORM_LABEL) {
    put_label(t, inst);
    return;
  }
  if (inst->result) put_value(t, inst->result), put(t, " = ");
  if (form == TCC_FORM_PREFETCH) {
    put_form(t, inst, "\"llvm.intr.prefetch\"(%v) {cache = 1 : i32, hint = %n : i32, rw = "), put(t, inst->flag ? "1" : "0");
    put(t, " : i32} : (!llvm.ptr) -> ()\n");
    return;
  }
  put(t, form == TCC_FORM_ICMP ? "llvm.icmp \"" : form == TCC_FORM_FCMP ? "llvm.fcmp \"" : "llvm."), put(t, word);
  switch (form) {
  case TCC_FORM_INT: put_integer(t, inst); break;
  case TCC_FORM_FLOAT: put_float(t, inst); break;
  case TCC_FORM_IOTA: put_iota(t, inst); break;
  case TCC_FORM_PLAIN: put_form(t, inst, " : %t"); break;
  case TCC_FORM_ADDRESS: put(t, " @"), put(t, inst->symbol), put_form(t, inst, " : %t"); break;
  case TCC_FORM_BINARY: put_form(t, inst, " %v, %v : %t"); break;
  case TCC_FORM_FLOAT_BINARY: put_form(t, inst, " %v, %v {fastmathFlags = #llvm.fastmath<contract>} : %t"); break;
  case TCC_FORM_CAST: put_form(t, inst, " %v : %u to %t"); break;
  case TCC_FORM_ICMP:
  case TCC_FORM_FCMP: put_form(t, inst, "\" %v, %v : %t"); break;
  case TCC_FORM_SELECT: put_form(t, inst, " %v, %v, %v : %u, %t"); break;
  case TCC_FORM_INTRINSIC:
    put(t, "("), put_list(t, inst->list, inst->n), put(t, ") : (");
    for (int i = 0; i < inst->n; i++) put(t, i ? ", " : ""), put(t, inst->type);
    put_form(t, inst, ") -> %t");
    break;
  case TCC_FORM_CALL_INTRINSIC: put(t, " \""), put(t, inst->symbol), put(t, "\""), put_call(t, inst, ""); break;
  case TCC_FORM_INLINE_ASM: put_inline_asm(t, inst); break;
  case TCC_FORM_CALL: put(t, " @"), put(t, inst->symbol), put_call(t, inst, ""); break;
  case TCC_FORM_CALL_POINTER: put_form(t, inst, " %v"), put_call(t, inst, "!llvm.ptr, "); break;
  case TCC_FORM_INSERT: put_form(t, inst, " %v, %v[%v : i64] : %t"); break;
  case TCC_FORM_EXTRACT: put_form(t, inst, " %v[%v : i64] : %t"); break;
  case TCC_FORM_EXTRACT_VALUE: put_form(t, inst, " %v[%n] : %u"); break;
  case TCC_FORM_SHUFFLE:
    put_form(t, inst, " %v, %v [");
    for (int i = 0; i < inst->n; i++) put(t, i ? ", " : ""), put_number(t, inst->list[i]);
    put_form(t, inst, "] : %t");
    break;
  case TCC_FORM_INSERT_VECTOR: put_form(t, inst, " %v, %v[%n] : %u into %t"); break;
  case TCC_FORM_GEP: put_gep(t, inst); break;
  case TCC_FORM_GEP_AT: put_form(t, inst, " %v[%n] : (!llvm.ptr) -> !llvm.ptr, %t"); break;
  case TCC_FORM_LOAD: put_load(t, inst); break;
  case TCC_FORM_STORE: put_store(t, inst); break;
  case TCC_FORM_MASKED_LOAD:
  case TCC_FORM_MASKED_STORE: put_masked(t, inst); break;
  case TCC_FORM_ALLOCA: put_form(t, inst, " %v x %t {alignment = %n : i64} : (i64) -> !llvm.ptr"); break;
  case TCC_FORM_STORE_RELAXED: put_form(t, inst, " %v, %v atomic monotonic {alignment = %n : i64} : %t, !llvm.ptr"); break;
  case TCC_FORM_ATOMIC_ADD: put_form(t, inst, " add %v, %v acq_rel : !llvm.ptr, %t"); break;
  case TCC_FORM_BR: put(t, " "), put_target(t, inst->v[0], inst->list, inst->types, inst->n); break;
  case TCC_FORM_COND_BR: put_cond_br(t, inst); break;
  case TCC_FORM_RETURN:
    if (inst->type) put_form(t, inst, " %v : %t");
    break;
  case TCC_FORM_PREFETCH:
  case TCC_FORM_LABEL: break; /* above */
  }
  put(t, "\n");
}

/* ---- items ---- */

static void put_parameters(TccText *t, const TccLlvmItem *f) {
  put(t, "(");
  for (int i = 0; i < f->nparams; i++) {
    put(t, i ? ", " : ""), put_value(t, i + 1);
    put(t, ": "), put(t, f->params[i]);
  }
  put(t, ")"), put(t, f->result ? " -> " : ""), put(t, f->result ? f->result : "");
}

static void put_block(TccText *t, const TccLlvmItem *f, const char *attribute) {
  tcc_text_printf(t, "%s = array<i32: %u, %u, %u>", attribute, f->block[0], f->block[1], f->block[2]);
}

static void put_signature(TccText *t, const TccLlvmItem *f) {
  static const char *const roles[] = {
      " attributes {passthrough = [\"nounwind\"]}", " attributes {passthrough = [\"noinline\", \"nounwind\", \"stackrealign\"]}",
      " attributes {passthrough = [\"noinline\", \"optnone\", \"nounwind\"]}", " attributes {nvvm.kernel, "};
  put_parameters(t, f);
  put(t, roles[f->role]);
  if (f->role != TCC_LLVM_GPU_KERNEL) return;
  put_block(t, f, "nvvm.maxntid");
  put(t, ", nvvm.minctasm = 1 : i32, passthrough = [\"nounwind\"]}");
}

static void put_name(TccText *t, const TccLlvmItem *item) {
  static const char *const linkages[] = {"", "internal ", "hidden "};
  put(t, item->kind == TCC_LLVM_FUNCTION ? "llvm.func " : "llvm.mlir.global "), put(t, linkages[item->linkage]);
  if (item->kind == TCC_LLVM_DATA || item->kind == TCC_LLVM_CODE) put(t, "constant ");
  put(t, "@"), put(t, item->symbol);
}

static void put_hex(TccText *t, TccStr bytes) {
  static const char digits[] = "0123456789ABCDEF";
  char buffer[3 * 256];
  for (size_t done = 0; done < bytes.length;) {
    size_t n = 0;
    for (; done < bytes.length && n < sizeof buffer; done++) {
      unsigned byte = (unsigned char)bytes.data[done];
      buffer[n++] = '\\', buffer[n++] = digits[byte >> 4], buffer[n++] = digits[byte & 15];
    }
    put_bytes(t, buffer, n);
  }
}

static void put_global(TccText *t, const TccLlvmItem *item, bool declared) {
  put_name(t, item);
  if (item->kind == TCC_LLVM_SHARED) {
    tcc_text_printf(t, "() {addr_space = %d : i32, alignment = %d : i64} : !llvm.array<%zu x %s>\n", TCC_LLVM_SHARED_SPACE,
                    (int)item->alignment, item->count, item->elem);
    return;
  }
  put(t, declared ? "(" : "(\"");
  if (!declared) put_hex(t, item->bytes), put(t, "\"");
  tcc_text_printf(t, ") {addr_space = 0 : i32, alignment = %d : i64%s} : !llvm.array<%zu x i8>\n", TCC_LLVM_ALIGNMENT,
                  item->kind == TCC_LLVM_CODE ? ", section = \"" TCC_CODE_SECTION "\"" : "", item->bytes.length);
}

void tcc_llvm_print_content(const TccLlvmItem *function, TccText *out) {
  put_signature(out, function);
  put(out, " {\n");
  for (size_t i = 0; i < function->ninsts; i++) put_inst(out, &function->insts[i]);
  put(out, "}\n");
}

static void print_item(const TccLlvmItem *item, TccText *out) {
  if (item->kind == TCC_LLVM_FUNCTION) put_name(out, item), tcc_llvm_print_content(item, out);
  else put_global(out, item, false);
}

void tcc_llvm_set_text(TccArena *arena, TccLlvmItem *item, TccText *scratch) {
  tcc_text_clear(scratch);
  print_item(item, scratch);
  item->text = (TccStr){tcc_arena_copy(arena, scratch->data, scratch->length), scratch->length};
}

/* What a module says of an item that another one defines. */
static void print_declaration(const TccLlvmItem *item, TccText *out) {
  if (item->kind != TCC_LLVM_FUNCTION) {
    put_global(out, item, true);
    return;
  }
  put_name(out, item);
  put_signature(out, item);
  put(out, "\n");
}

static void put_text(TccText *t, const TccLlvmItem *item) {
  if (item->kind == TCC_LLVM_CODE) put_global(t, item, false);
  else put_bytes(t, item->text.data, item->text.length);
}

static void print_module(const TccLlvmModule *module, TccText *out) {
  if (module->gpu) put(out, "gpu.module @kernels {\n");
  for (size_t i = 0; i < module->items.count; i++) {
    const TccLlvmEntry *entry = &module->items.data[i];
    if (entry->declared) print_declaration(entry->item, out);
    else put_text(out, entry->item);
  }
  if (module->gpu) put(out, "}\n");
}

static bool has_bytes(const TccLlvmItem *f) {
  for (int i = 0; i < f->nparams; i++)
    if (strstr(f->params[i], "llvm.byval")) return true;
  return false;
}

/* convert-gpu-to-nvvm refuses ops of the LLVM dialect that it would make itself of other dialects (sqrt, fabs, floor): a call of the intrinsic
 * is the same to LLVM. */
static void put_gpu_inst(TccText *t, const TccLlvmInst *inst) {
  if (tcc_llvm_rows[inst->op].form != TCC_FORM_INTRINSIC) {
    put_inst(t, inst);
    return;
  }
  put_value(t, inst->result), put(t, " = llvm.call_intrinsic \"llvm.");
  put(t, tcc_llvm_rows[inst->op].word + strlen("intr.")), put(t, "\"("), put_list(t, inst->list, inst->n), put(t, ") : (");
  for (int i = 0; i < inst->n; i++) put(t, i ? ", " : ""), put(t, inst->type);
  put_form(t, inst, ") -> %t\n");
}

/* Its only return is its last op, and is the function's own kind. What has bytes among its parameters is an llvm.func: gpu.func loses what
 * says so on the way to the LLVM dialect. */
static void print_gpu_function(const TccLlvmItem *f, TccText *out) {
  if (has_bytes(f)) {
    tcc_text_printf(out, "llvm.func @%s", f->symbol);
    put_parameters(out, f);
    put(out, " attributes {gpu.kernel, nvvm.kernel, ");
    put_block(out, f, "nvvm.maxntid");
    put(out, ", nvvm.minctasm = 1 : i32} {\n");
    for (size_t i = 0; i < f->ninsts; i++) put_gpu_inst(out, &f->insts[i]);
    put(out, "}\n");
    return;
  }
  tcc_text_printf(out, "gpu.func @%s", f->symbol);
  put_parameters(out, f);
  put(out, " kernel attributes {");
  put_block(out, f, "known_block_size");
  put(out, "} {\n");
  for (size_t i = 0; i + 1 < f->ninsts; i++) put_gpu_inst(out, &f->insts[i]);
  put(out, "gpu.return\n}\n");
}

void tcc_llvm_gpu_text(const TccLlvm *llvm, TccText *out) {
  for (size_t i = 0; i < llvm->module->items.count; i++) {
    const TccLlvmItem *item = llvm->module->items.data[i].item;
    if (item->kind == TCC_LLVM_FUNCTION) print_gpu_function(item, out);
    else put_text(out, item);
  }
}

void tcc_llvm_text(const TccLlvm *llvm, TccText *out) {
  if (llvm->module) print_module(llvm->module, out);
  else put_bytes(out, llvm->text.data, llvm->text.length);
}

void tcc_llvm_identity(const TccLlvm *llvm, TccText *out) {
  if (!llvm->module) put_bytes(out, llvm->text.data, llvm->text.length);
  for (size_t i = 0; llvm->module && i < llvm->module->items.count; i++) {
    const TccLlvmEntry *entry = &llvm->module->items.data[i];
    if (entry->item->linkage != TCC_LLVM_HIDDEN) put_text(out, entry->item);
    else put(out, entry->declared ? "declare @" : "define @"), put(out, entry->item->symbol), put(out, "\n");
  }
  if (llvm->module && llvm->module->gpu) put(out, "gpu\n");
}
