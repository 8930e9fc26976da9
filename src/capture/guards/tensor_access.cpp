#include "capture/guards/tensor_access.h"

#include <functional>

namespace dyad::guards {

namespace {

TensorAccess access_now = {
    [](PyObject*, TensorForm&) { return false; },
    [](PyObject*) { return false; },
};

struct Extent {
  const char* begin;
  const char* end;
};

/// From the lowest byte of the elements to past the highest one.
Extent extent_of(const TensorImpl& tensor) {
  const int64_t element = itemsize(tensor.dtype);
  const auto* begin = static_cast<const char*>(tensor.data);
  const char* end = begin + element;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    if (!tensor.shape[d].known()) break;
    const int64_t size = tensor.shape[d].value();
    if (size == 0) return {begin, begin};
    const int64_t reach = (size - 1) * tensor.strides[d] * element;
    (reach < 0 ? begin : end) += reach;
  }
  return {begin, end};
}

}  // namespace

const TensorAccess& tensor_access() { return access_now; }
void set_tensor_access(const TensorAccess& access) { access_now = access; }

bool memory_overlaps(const TensorImpl& a, const TensorImpl& b) {
  if (!a.data || !b.data) return a.storage && a.storage == b.storage;
  const Extent first = extent_of(a);
  const Extent second = extent_of(b);
  const std::less<> before;
  return before(first.begin, second.end) && before(second.begin, first.end) && first.begin != first.end &&
         second.begin != second.end;
}

}  // namespace dyad::guards
