#include "kernels/cuda/storage_suffix.h"

#include "base/error.h"

namespace dyad::cuda {

const char* storage_suffix(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "_float32";
    case DType::kFloat64:
      return "_float64";
    case DType::kFloat16:
      return "_float16";
    case DType::kBFloat16:
      return "_bfloat16";
    case DType::kBool:
      return "_bool";
    case DType::kInt8:
      return "_int8";
    case DType::kInt16:
      return "_int16";
    case DType::kInt32:
      return "_int32";
    case DType::kInt64:
      return "_int64";
    case DType::kUInt8:
      return "_uint8";
    case DType::kUInt16:
      return "_uint16";
    case DType::kUInt32:
      return "_uint32";
    case DType::kUInt64:
      return "_uint64";
    case DType::kComplex64:
      return "_complex64";
    case DType::kComplex128:
      return "_complex128";
    default:
      raise(ErrorKind::kInternal, "internal error: a dtype without device code");
  }
}

}  // namespace dyad::cuda
