/* reader.h - what the files of the ONNX reader share. */
#ifndef TCC_ONNX_READER_H
#define TCC_ONNX_READER_H
#include "tcc/onnx.h"
#include "tcc/wire.h"

/* Checks one complete message and fills in what the reader works out (onnx.h). The caller adds where it is. */
TccStatus *tcc_onnx_check_model(TccOnnxModel *model) TCC_CHECKED;
TccStatus *tcc_onnx_check_opset(TccOnnxOpset *opset) TCC_CHECKED;
TccStatus *tcc_onnx_check_function(TccOnnxFunction *function) TCC_CHECKED;
TccStatus *tcc_onnx_check_graph(TccOnnxGraph *graph) TCC_CHECKED;
TccStatus *tcc_onnx_check_node(TccOnnxNode *node) TCC_CHECKED;
TccStatus *tcc_onnx_check_attribute(TccOnnxAttribute *attribute) TCC_CHECKED;
TccStatus *tcc_onnx_check_tensor(TccOnnxTensor *tensor) TCC_CHECKED;
TccStatus *tcc_onnx_check_sparse(TccOnnxSparse *sparse) TCC_CHECKED;
TccStatus *tcc_onnx_check_value_info(TccOnnxValueInfo *info) TCC_CHECKED;
TccStatus *tcc_onnx_check_type(TccOnnxType *type) TCC_CHECKED;
TccStatus *tcc_onnx_check_tensor_type(TccOnnxTensorType *type) TCC_CHECKED;
TccStatus *tcc_onnx_check_dim(TccOnnxDim *dim) TCC_CHECKED;
static inline TccStatus *tcc_onnx_check_none(void *message) { return (void)message, NULL; }
#endif
