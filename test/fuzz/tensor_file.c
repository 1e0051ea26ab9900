/* Tensors from .npy files, TensorProto messages and lists of them; the first byte says which. */
#include "tcc/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0) return 0;
  TccHostTensor *tensor = NULL;
  if (data[0] & 2) {
    TccHostTensors list = {0};
    tcc_status_destroy(tcc_host_tensors_parse(data + 1, size - 1, &list));
    tcc_host_tensors_clear(&list);
    return 0;
  }
  TccStatus *status = data[0] & 1 ? tcc_host_tensor_parse_npy(data + 1, size - 1, &tensor)
                                  : tcc_host_tensor_parse_proto(data + 1, size - 1, &tensor);
  if (!status) {
    TccTolerance tolerance = {.rmse_limit = 0};
    status = tcc_host_tensor_compare(tensor, tensor, &tolerance);
    if (status) __builtin_trap(); /* a tensor equals itself, NaN included */
  }
  tcc_status_destroy(status);
  tcc_host_tensor_destroy(tensor);
  return 0;
}
