/* loss_scale.c - tcc-loss-scale: a loss times a power of two, so that gradients in f16 do not vanish.
 *
 *   before: func @main(%x) -> (%loss)
 *   after:  func @main(%x, %e {tcc.name = "scale:exponent"}) -> (%loss, %loss * 2^(16 + %e) {tcc.name = "loss:scaled"})
 *
 * Micikevicius et al. 2018. tcc-grad differentiates loss:scaled; tcc-optimizer{scale-interval=} divides the gradients by the factor, leaves
 * out updates whose gradients are not finite, and writes the next exponent. As a state begins with 0, so does the exponent, at the factor
 * that PyTorch's GradScaler begins with.
 *
 * requires: valid types. ensures: one argument and one result more, behind the others. keeps: all else. An error: no float scalar is the loss. */
#include "lib/ir/internal.h"
#include "lib/ir/ports.h"
#include "passes/optimizer/scale.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

/* The result that `of` names. */
static MlirValue find_loss(TccPassRun *run, const TccPorts *ports) {
  TccStr of = tcc_str("");
  tcc_pass_option(run, "of", &of);
  for (size_t i = 0; i < ports->results.count; i++) {
    MlirValue value = ports->returned.data[i];
    bool fits = tcc_elem_is_float(tcc_value_elem(value)) && tcc_type_rank(tcc_value_type(value)) == 0;
    if (fits && tcc_str_equal(tcc_ports_name(ports->results.data[i]), of)) return value;
  }
  tcc_error(ports->func, "tcc-loss-scale: no float scalar is called '%.*s', as of says", TCC_STR_ARG(of));
  return (MlirValue){NULL};
}

MlirLogicalResult tcc_pass_loss_scale(TccPassRun *run, MlirOperation module) {
  TccPorts ports;
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return tcc_error(module, "tcc-loss-scale: the module has no function @main");
  tcc_ports_read(run->ir, run->scratch, main, &ports);
  MlirValue loss = find_loss(run, &ports);
  if (!loss.ptr) return mlirLogicalResultFailure();
  MlirLocation location = mlirOperationGetLocation(main);
  TccBuilder b = {run->ir, ports.block, mlirBlockGetTerminator(ports.block), location};
  MlirType type = tcc_tensor_type(run->ir, TCC_ELEM_I64, 0, NULL);
  MlirValue exponent = tcc_ports_add_argument(&ports, tcc_str(TCC_SCALE_EXPONENT), type, location, false);
  MlirValue scale = tcc_build_convert(&b, tcc_build_loss_scale(&b, exponent, 1), tcc_value_elem(loss));
  tcc_ports_add_result(&ports, tcc_str("loss:scaled"), tcc_build2(&b, TCC_OP_MUL, loss, scale), -1);
  tcc_ports_write(&ports);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}
