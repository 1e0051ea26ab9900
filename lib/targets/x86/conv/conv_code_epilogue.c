/* conv_code_epilogue.c - the epilogue of a convolution on sums in registers, as machine code. See conv_code.h.
 *
 * The ops are a list in which operands come before their users. For each sum they are done in this order; a register is free
 * again behind the last use of what it holds, that of the sum as well. Operands of one use stay in memory until they are used. */
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/read/kernel.h"
#include "lib/targets/x86/conv/conv_code.h"
#include "tcc/op_kinds.h"
#include <math.h>
#include <string.h>

enum { REGISTERS = TCC_CONV_FINISH_REGISTERS, SPARE = 2 /* registers that a sum's ops need beside its own */ };

/* ---- reading ---- */

static int add_node(TccConvEpilogue *f, TccConvFinishNode node) {
  if (f->n == TCC_CONV_EPILOGUE_NODES) return -1;
  f->node[f->n] = node;
  return f->n++;
}

static bool op_of(TccOpKind kind, TccX86Vector *out) {
  switch (kind) {
  case TCC_OP_ADD: *out = TCC_X86_ADD_PS; return true;
  case TCC_OP_SUB: *out = TCC_X86_SUB_PS; return true;
  case TCC_OP_MUL: *out = TCC_X86_MUL_PS; return true;
  case TCC_OP_DIV: *out = TCC_X86_DIV_PS; return true;
  case TCC_OP_MIN: *out = TCC_X86_MIN_PS; return true;
  case TCC_OP_MAX: *out = TCC_X86_MAX_PS; return true;
  default: return false;
  }
}

static bool is_extreme(TccX86Vector op) { return op == TCC_X86_MIN_PS || op == TCC_X86_MAX_PS; }
static bool is_commutative(TccX86Vector op) { return op == TCC_X86_ADD_PS || op == TCC_X86_MUL_PS; }
static bool is_number(const TccConvFinishNode *n) { return n->kind == TCC_FINISH_NUMBER && !isnan(n->number); }

/* Minimum and maximum: NaN wins, which the instruction does if its first operand is a number that is none. */
static bool order_extreme(const TccConvEpilogue *f, TccConvFinishNode *n) {
  if (is_number(&f->node[n->operand[0]])) return true;
  int number = n->operand[1];
  n->operand[1] = n->operand[0], n->operand[0] = number;
  return is_number(&f->node[number]);
}

/* The node of a value; -1 where there is none. */
static int read_value(const TccConvBlocked *c, TccConvEpilogue *f, MlirValue value) {
  const TccEpilogue *ep = &c->read.epilogue;
  for (int i = 0; i < f->n; i++)
    if (mlirValueEqual(f->node[i].value, value)) return i;
  if (tcc_type_elem(tcc_value_type(value)) != TCC_ELEM_F32) return -1;
  if (mlirValueEqual(value, ep->anchor)) return add_node(f, (TccConvFinishNode){.kind = TCC_FINISH_SUM, .value = value});
  for (int i = 0; i < ep->nleaves; i++)
    if (mlirValueEqual(ep->leaf[i], value))
      return add_node(f, (TccConvFinishNode){.kind = TCC_FINISH_LEAF, .value = value, .leaf = i});
  if (tcc_read_number(c->read.ir, value, NULL)) {
    size_t count;
    TccConvFinishNode node = {.kind = TCC_FINISH_NUMBER, .value = value};
    memcpy(&node.number, tcc_constant_data(c->read.ir, value, &count), sizeof node.number);
    return add_node(f, node);
  }
  TccConvFinishNode node = {.kind = TCC_FINISH_OP, .value = value};
  MlirOperation op = tcc_value_op(value);
  if (!op_of(tcc_op_kind(c->read.ir, op), &node.op) || mlirOperationGetNumOperands(op) != 2) return -1;
  for (int i = 0; i < 2; i++)
    if ((node.operand[i] = read_value(c, f, mlirOperationGetOperand(op, i))) < 0) return -1;
  if (is_extreme(node.op) && !order_extreme(f, &node)) return -1;
  for (int i = 0; i < 2; i++) f->node[node.operand[i]].uses++;
  return add_node(f, node);
}

/* a * b + c in one instruction, as emitters allow LLVM to. */
static void fuse(TccConvEpilogue *f) {
  for (int i = 0; i < f->n; i++) {
    TccConvFinishNode *n = &f->node[i];
    if (n->kind != TCC_FINISH_OP || n->op != TCC_X86_ADD_PS) continue;
    for (int k = 0; k < 2; k++) {
      TccConvFinishNode *product = &f->node[n->operand[k]];
      if (product->kind != TCC_FINISH_OP || product->op != TCC_X86_MUL_PS || product->uses != 1) continue;
      product->kind = TCC_FINISH_FUSED;
      int other = n->operand[1 - k];
      n->operand[0] = n->operand[k], n->operand[1] = other, n->op = TCC_X86_FMADD_PS;
      break;
    }
  }
}

bool tcc_conv_code_epilogue_read(const TccConvBlocked *c, TccConvEpilogue *f) {
  f->n = 0;
  if (c->read.epilogue.nleaves + 1 > TCC_CONV_EPILOGUE_TENSORS || c->read.epilogue.result.elem != TCC_ELEM_F32) return false;
  int root = read_value(c, f, c->read.epilogue.root);
  if (root < 0 || f->node[root].kind == TCC_FINISH_LEAF || f->node[root].kind == TCC_FINISH_NUMBER) return false;
  f->node[root].uses++; /* by the store; it is the last node */
  if (tcc_numerics(c->read.epilogue.kernel) != TCC_NUMERICS_EAGER) fuse(f);
  return true;
}

/* ---- emission ---- */

static int take(TccConvFinish *l) {
  for (int i = 0; i < REGISTERS; i++)
    if (l->free[i]) {
      l->free[i] = false, l->nfree--;
      return i;
    }
  l->lacks = true;
  return 0;
}

static void give(TccConvFinish *l, int reg) { l->free[reg] = true, l->nfree++; }

/* One use of a node is over. */
static void used(TccConvFinish *l, int node) {
  if (--l->left[node] > 0 || l->kept[node] || l->held[node] < 0) return;
  give(l, l->held[node]);
  l->held[node] = -1;
}

static TccX86At place(const TccConvFinish *l, int node) {
  const TccConvFinishNode *n = &l->f->node[node];
  if (n->kind == TCC_FINISH_NUMBER) return tcc_x86_constant(l->x, n->number);
  TccX86At at = tcc_x86_at(l->tensor[n->leaf + 1], l->pixel * l->c->read.at[n->leaf + 1].pixel * 4);
  at.repeated = l->x->vector == 64 && l->c->read.at[n->leaf + 1].lane == 0;
  return at;
}

/* Whether an instruction can read it from memory. */
static bool is_readable(const TccConvFinish *l, int node) {
  const TccConvFinishNode *n = &l->f->node[node];
  if (l->held[node] >= 0) return false;
  return l->x->vector == 64 || (n->kind == TCC_FINISH_LEAF && l->c->read.at[n->leaf + 1].lane != 0);
}

static void load(TccConvFinish *l, int node, int reg) {
  const TccConvFinishNode *n = &l->f->node[node];
  bool whole = n->kind == TCC_FINISH_LEAF && l->c->read.at[n->leaf + 1].lane != 0;
  TccX86At at = place(l, node);
  at.repeated = false;
  tcc_x86_vector_at(l->x, whole ? TCC_X86_LOAD : TCC_X86_BROADCAST32, reg, 0, at);
}

static int in_register(TccConvFinish *l, int node) {
  if (l->held[node] < 0) load(l, node, l->held[node] = take(l));
  return l->held[node];
}

/* to = a op b, b wherever it is. */
static void apply(TccConvFinish *l, TccX86Vector op, int to, int a, int b) {
  if (is_readable(l, b)) tcc_x86_vector_at(l->x, op, to, a, place(l, b));
  else tcc_x86_vector(l->x, op, to, a, in_register(l, b));
}

static bool dies(const TccConvFinish *l, int node) { return l->held[node] >= 0 && l->left[node] == 1 && !l->kept[node]; }

static void multiply_add(TccConvFinish *l, int node) {
  const TccConvFinishNode *n = &l->f->node[node], *product = &l->f->node[n->operand[0]];
  int a = product->operand[0], b = product->operand[1], to;
  if (l->held[a] < 0 && l->held[b] >= 0) a = product->operand[1], b = product->operand[0];
  int first = in_register(l, a);
  if (dies(l, n->operand[1])) {
    to = l->held[n->operand[1]];
    l->held[n->operand[1]] = -1;
  } else {
    to = take(l);
    if (l->held[n->operand[1]] >= 0) tcc_x86_vector(l->x, TCC_X86_MOVE, to, 0, l->held[n->operand[1]]);
    else load(l, n->operand[1], to);
  }
  apply(l, TCC_X86_FMADD_PS, to, first, b);
  used(l, a), used(l, b), used(l, n->operand[1]);
  l->held[node] = to;
}

static void combine(TccConvFinish *l, int node) {
  const TccConvFinishNode *n = &l->f->node[node];
  int a = n->operand[0], b = n->operand[1];
  if (is_commutative(n->op) && l->held[a] < 0 && l->held[b] >= 0) a = n->operand[1], b = n->operand[0];
  int first = in_register(l, a);
  if (!is_readable(l, b)) in_register(l, b);
  int over = a == b ? 2 : 1, to;
  if (l->held[a] >= 0 && l->left[a] == over && !l->kept[a]) to = first;
  else if (a != b && dies(l, b)) to = l->held[b];
  else to = take(l);
  apply(l, n->op, to, first, b);
  if (to == first) l->held[a] = -1;
  else if (a != b && to == l->held[b]) l->held[b] = -1;
  used(l, a), used(l, b);
  l->held[node] = to;
}

static void epilogue_sum(TccConvFinish *l, int sum) {
  const TccConvEpilogue *f = l->f;
  for (int i = 0; i < f->n; i++) {
    l->left[i] = f->node[i].uses;
    if (!l->kept[i]) l->held[i] = -1;
    if (f->node[i].kind == TCC_FINISH_SUM) l->held[i] = sum;
  }
  for (int i = 0; i < f->n; i++) {
    if (f->node[i].kind != TCC_FINISH_OP) continue;
    if (f->node[i].op == TCC_X86_FMADD_PS) multiply_add(l, i);
    else combine(l, i);
  }
  tcc_x86_vector_at(l->x, TCC_X86_STORE, l->held[f->n - 1], 0, tcc_x86_at(l->tensor[0], l->pixel * l->c->read.at[0].pixel * 4));
  used(l, f->n - 1);
}

/* Numbers stay in registers as far as there are any: first those that cannot be read from memory. */
static void keep_numbers(TccConvFinish *l) {
  const TccConvEpilogue *f = l->f;
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < f->n; i++) {
      if (f->node[i].kind != TCC_FINISH_NUMBER || l->kept[i] || l->nfree <= SPARE + l->reserve) continue;
      bool needed = l->x->vector == 32;
      for (int k = 0; k < f->n; k++)
        needed |= f->node[k].kind == TCC_FINISH_OP && is_extreme(f->node[k].op) && f->node[k].operand[0] == i;
      if (needed != (pass == 0)) continue;
      l->held[i] = take(l), l->kept[i] = true;
      if (f->node[i].number == 0 && !signbit(f->node[i].number))
        tcc_x86_vector(l->x, TCC_X86_XOR, l->held[i], l->held[i], l->held[i]);
      else load(l, i, l->held[i]);
    }
}

static void set_free(TccConvFinish *l, uint32_t free) {
  l->nfree = 0;
  for (int i = 0; i < REGISTERS; i++) l->free[i] = free >> i & 1, l->nfree += l->free[i];
}

static uint32_t free_of(const TccConvFinish *l) {
  uint32_t free = 0;
  for (int i = 0; i < REGISTERS; i++) free |= (uint32_t)l->free[i] << i;
  return free;
}

uint32_t tcc_conv_finish_begin(TccConvFinish *l, uint32_t free) {
  for (int i = 0; i < TCC_CONV_EPILOGUE_NODES; i++) l->held[i] = -1;
  set_free(l, free);
  keep_numbers(l);
  return free_of(l);
}

uint32_t tcc_conv_finish_sum(TccConvFinish *l, int sum, int64_t pixel, uint32_t free) {
  set_free(l, free);
  l->pixel = pixel;
  epilogue_sum(l, sum);
  return free_of(l);
}

bool tcc_conv_code_epilogue_emit(TccX86 *x, const TccConvBlocked *c, const TccConvEpilogue *f, int pixels, int vectors,
                                 int64_t stack) {
  static const int tensor[TCC_CONV_EPILOGUE_TENSORS] = {TCC_RDI, TCC_RSI, TCC_RDX, TCC_RCX, TCC_R8, TCC_R9, TCC_R10, TCC_R11};
  enum { SIZES = 10 };
  TccConvFinish lane = {.x = x, .c = c, .f = f, .tensor = tensor}, *l = &lane;
  uint32_t free = 0;
  for (int i = pixels * vectors; i < c->read.shape.registers; i++) free |= 1u << i;
  tcc_conv_finish_begin(l, free);
  for (int j = 0; j < vectors; j++) {
    for (int t = 0; t <= c->read.epilogue.nleaves; t++) {
      if (j == 0) {
        tcc_x86_op_at(x, TCC_X86_MOV, tensor[t], tcc_x86_at(TCC_RSP, stack + 8 * (TCC_CONV_MICRO_ARGS + t)));
      } else if (c->read.at[t].block != tcc_expr_const(c->read.ir->exprs, 0)) {
        tcc_x86_op_at(x, TCC_X86_MOV, TCC_RAX, tcc_x86_at(TCC_RSP, stack + 8 * SIZES));
        tcc_x86_op_at(x, TCC_X86_MOV, TCC_RAX, tcc_x86_at(TCC_RAX, 8 * (TCC_CONV_SIZE_BLOCKS + t)));
        tcc_x86_multiply(x, TCC_RAX, TCC_RAX, 4);
        tcc_x86_op(x, TCC_X86_ADD, tensor[t], TCC_RAX);
      }
    }
    for (int p = 0; p < pixels; p++) {
      l->pixel = p;
      epilogue_sum(l, p * vectors + j);
    }
  }
  return !l->lacks;
}
