#pragma once

#include <algorithm>
#include <optional>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "runtime/allocator.h"
#include "types/value.h"

namespace dyad::kernels {

/// Memory of a result in the dtype it is computed in: its own, or scratch that `store` converts to the
/// result's dtype.
class Computed {
 public:
  Computed(ValueImpl& out, DType dtype) : out_(out), dtype_(dtype) {
    if (out.dtype != dtype)
      scratch_.emplace(static_cast<size_t>(std::max<int64_t>(out.size(), 1) * itemsize(dtype)));
  }
  template <class T>
  T* as() {
    return scratch_ ? scratch_->as<T>() : out_.as<T>();
  }
  void store() {
    if (!scratch_) return;
    const Convert convert = converter(dtype_, out_.dtype);
    parallel_for(out_.size(), 1 << 15, [&](int64_t begin, int64_t end) {
      convert(end - begin, scratch_->as<char>() + begin * itemsize(dtype_),
              out_.as<char>() + begin * itemsize(out_.dtype));
    });
  }

 private:
  ValueImpl& out_;
  DType dtype_;
  std::optional<Workspace> scratch_;
};

/// Calls `body` with a double for float64 and a float for all narrower floats, in which these are computed.
template <class Body>
void with_float(DType dtype, const Body& body) {
  if (dtype == DType::kFloat64) {
    body(double{});
  } else {
    body(float{});
  }
}

}  // namespace dyad::kernels
