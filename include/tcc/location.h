/* location.h - which nodes of the model an op comes from: MLIR's locations, which importers make and passes carry along.
 *
 *   loc("/layer.0/MatMul"("model.onnx"))                                  a node
 *   loc(fused["/layer.0/MatMul"(...), "/layer.0/Add"(...)])               a kernel: its most important op first
 *   loc(callsite("/layer.0/MatMul"(...) at "tcc.copy":3:0))               the node in copy 3 of a region
 *
 * An op of a region stands for one of each copy, so its location is the call sites of all copies, fused. A call of a region
 * has the call site of its own first node, which says which copy it is. */
#ifndef TCC_LOCATION_H
#define TCC_LOCATION_H
#include "tcc/ir.h"

/* The nodes of all of them, in this order, each once. count > 0. */
TCC_EXPORT MlirLocation tcc_location_fuse(TccIr *ir, const MlirLocation *locations, size_t count);
TCC_EXPORT MlirLocation tcc_location_in_copy(TccIr *ir, MlirLocation node, int copy);
/* Visits the nodes of a location; copy is -1 outside of regions. */
TCC_EXPORT void tcc_location_nodes(MlirLocation location, void (*visit)(MlirLocation node, int copy, void *user), void *user);
/* Appends the name of a node, or "line N" of the file if it has none: never the file, whose name is no part of the model. False and
 * nothing if neither is known. */
TCC_EXPORT bool tcc_location_name(MlirLocation node, TccText *out);
#endif
