#include "ops/random/infer_random.h"

#include "base/error.h"

namespace dyad::infer {

void require_sizes(const Arguments& args, size_t at) {
  for (Dim size : args.dims(at)) {
    if (size.known() && size.value() < 0) {
      value_error(args.op(), ": the shape ", args.dims(at), " has a negative size; sizes must be 0 or more");
    }
  }
}

void random_floats(const Arguments& args, Results& results, size_t dtype_at) {
  require_sizes(args, 0);
  const DType dtype = args.dtype(dtype_at, DType::kFloat32);
  if (!is_float(dtype))
    type_error(args.op(), ": the dtype ", dtype, " is not accepted; accepted are float dtypes");
  results.add(dtype, args.dims(0));
}

}  // namespace dyad::infer
