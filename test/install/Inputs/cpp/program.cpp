// A C++ program with the public headers: runs model.mlir with B = 2 and keeps its packed weights.
#include <cstdio>
#include <memory>
#include <tcc/runtime.h>
#include <vector>

struct Destroy {
  void operator()(TccModel *model) const { tcc_model_destroy(model); }
  void operator()(TccContext *context) const { tcc_context_destroy(context); }
  void operator()(TccStatus *status) const { tcc_status_destroy(status); }
};
template <typename T> using Owned = std::unique_ptr<T, Destroy>;

static bool failed(TccStatus *status) {
  Owned<TccStatus> owned(status);
  if (status) std::fprintf(stderr, "program: %s\n", tcc_status_message(status));
  return status != nullptr;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  TccLoadOptions options = {};
  options.cache = true;
  TccModel *loaded;
  if (failed(tcc_model_load(argv[1], &options, &loaded))) return 1;
  Owned<TccModel> model(loaded);
  TccContext *created;
  if (failed(tcc_context_create(loaded, nullptr, &created))) return 1;
  Owned<TccContext> context(created);

  int64_t shape[] = {2, 8};
  std::vector<float> data(shape[0] * shape[1], 1.0f);
  TccTensor x = {};
  x.data = data.data();
  x.device.type = TCC_DEVICE_CPU;
  x.rank = 2;
  x.dtype = {TCC_DTYPE_FLOAT, 32, 1};
  x.shape = shape;
  std::vector<TccTensor> results(tcc_model_output_count(loaded));
  if (failed(tcc_context_run(created, &x, 1, results.data(), results.size()))) return 1;
  std::printf("%s of %s: [%lld x %lld]\n", tcc_model_output(loaded, 0)->name, tcc_model_info(loaded)->target,
              (long long)results[0].shape[0], (long long)results[0].shape[1]);
  std::printf("packed %s, kept %d\n", tcc_model_info(loaded)->packed_mapped ? "mapped" : "made", tcc_model_keep(loaded));
}
