/* solve.c - triangular systems. A tile is a block of columns of one matrix: up to four vectors side by side, which are solved together
 * (lib/codegen/emit/triangular.c). */
#include "lib/codegen/emit/kernel_emit.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/emit/triangular.h"
#include "lib/targets/x86/map/map.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccKernelEmit k;
  TccEmit e;
  MlirOperation op;
  TccTriangular t;
  MlirType type; /* of b and of the result */
} Solve;

static TccStatus *operand_pointer(Solve *s, int index, TccVal *out) {
  MlirValue value = mlirOperationGetOperand(s->op, index);
  size_t count;
  *out = 0;
  if (!mlirValueIsAOpResult(value)) {
    *out = tcc_kernel_argument(&s->k, (int)mlirBlockArgumentGetArgNumber(value));
    return NULL;
  }
  const void *data = tcc_value_kind(s->k.ir, value) == TCC_OP_CONSTANT ? tcc_constant_data(s->k.ir, value, &count) : NULL;
  if (!data) return TCC_ERROR(TCC_UNSUPPORTED, "an operand that is computed inside the kernel");
  *out = tcc_emit_data(&s->e, data, tcc_elem_bytes(tcc_type_elem(s->type), count));
  return NULL;
}

/* As many vectors as the columns fill, of as many as registers hold for four rows. */
static void choose(Solve *s, const TccMachine *machine, const TccExpr *width) {
  TccElem elem = tcc_type_elem(s->type);
  const bool wide = machine->isa & TCC_ISA_AVX512;
  const int most = wide ? TCC_TRIANGULAR_VECTORS : 2;
  const int64_t columns = tcc_ir_likely(s->k.ir, width);
  s->t.lanes = (wide ? 512 : 256) / (int)tcc_elem_bits(elem), s->t.vectors = 1;
  while (s->t.vectors < most && (int64_t)s->t.vectors * s->t.lanes < columns) s->t.vectors *= 2;
  s->t.elem = tcc_scalar_type(elem), s->t.type = tcc_emit_vector(&s->e, s->t.elem, s->t.lanes);
}

/* Tile: block `tile % blocks` of the columns of matrix tile / blocks. */
static void emit_tiles(Solve *s, const TccKernelEntry *entry, const TccExpr *width, const TccExpr *blocks) {
  TccEmit *e = &s->e;
  const int columns = s->t.lanes * s->t.vectors;
  const TccVal a = s->t.a, b = s->t.b, to = s->t.to;
  TccLoop tile;
  int64_t known;
  tcc_emit_for(e, &tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  TccVal nblocks = tcc_kernel_size(&s->k, blocks), matrix = tcc_emit_div(e, tile.iv, nblocks),
         column = tcc_emit_mul(e, tcc_emit_rem(e, tile.iv, nblocks), tcc_emit_i64(e, columns));
  TccVal at = tcc_emit_add(e, tcc_emit_mul(e, matrix, tcc_emit_mul(e, s->t.rows, s->t.width)), column);
  s->t.a = tcc_emit_gep(e, s->t.elem, a, tcc_emit_mul(e, matrix, tcc_emit_mul(e, s->t.rows, s->t.rows)));
  s->t.b = tcc_emit_gep(e, s->t.elem, b, at), s->t.to = tcc_emit_gep(e, s->t.elem, to, at);
  if (!tcc_expr_is_const(width, &known) || known % columns)
    for (int v = 0; v < s->t.vectors; v++) {
      TccVal first = tcc_emit_add(e, column, tcc_emit_i64(e, v * s->t.lanes));
      s->t.mask[v] = tcc_emit_mask(e, tcc_emit_sub(e, s->t.width, first), s->t.lanes);
    }
  tcc_emit_triangular(e, &s->t);
  tcc_emit_end_for(e, &tile, NULL);
}

TccStatus *tcc_solve_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  *out = (TccKernelCode){0};
  Solve s = {0};
  TccKernelEntry entry;
  TCC_TRY(tcc_triangular_op(ir, kernel, &s.op));
  tcc_kernel_init(&s.k, &s.e, ir, target, kernel);
  tcc_kernel_entry(&s.k, &entry);
  s.type = tcc_value_type(mlirOperationGetResult(s.op, 0));
  const int rank = tcc_type_rank(s.type);
  const TccExpr *width = tcc_type_dim(ir, s.type, rank - 1), *matrices = tcc_expr_const(ir->exprs, 1);
  for (int i = 0; i < rank - 2; i++) matrices = tcc_expr_mul(ir->exprs, matrices, tcc_type_dim(ir, s.type, i));
  choose(&s, &target->machine, width);
  s.t.upper = tcc_bool(ir, s.op, "upper"), s.t.unit = tcc_bool(ir, s.op, "unit");
  s.t.rows = tcc_kernel_size(&s.k, tcc_type_dim(ir, s.type, rank - 2)), s.t.width = tcc_kernel_size(&s.k, width);
  s.t.to = tcc_kernel_argument(&s.k, (int)mlirBlockGetNumArguments(tcc_func_body(kernel)));
  TccStatus *status = operand_pointer(&s, 0, &s.t.a);
  if (!status) status = operand_pointer(&s, 1, &s.t.b);
  if (status) {
    tcc_kernel_abandon(&s.k);
    return status;
  }
  const TccExpr *columns = tcc_expr_const(ir->exprs, (int64_t)s.t.lanes * s.t.vectors),
                *blocks = tcc_expr_call(ir->exprs, TCC_EXPR_CEILDIV, width, columns);
  emit_tiles(&s, &entry, width, blocks);
  tcc_emit_return(&s.e, 0, NULL);
  const TccExpr *tiles = tcc_kernel_slot(&s.k, tcc_expr_mul(ir->exprs, matrices, blocks));
  tcc_kernel_finish(&s.k, "x86.solve", "", tiles, tcc_expr_const(ir->exprs, 0), out);
  return NULL;
}
