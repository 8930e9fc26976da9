#include "capture/guards/tensor_access.h"

#include <algorithm>
#include <functional>

namespace dyad::guards {

namespace {

TensorAccess access_now = {
    [](PyObject*, TensorForm&) { return false; },
    [](PyObject*) { return false; },
};

}  // namespace

const TensorAccess& tensor_access() { return access_now; }
void set_tensor_access(const TensorAccess& access) { access_now = access; }

Extent::Extent(const TensorImpl& tensor) {
  if (!tensor.data) return;
  const int64_t element = itemsize(tensor.dtype);
  const auto* first = static_cast<const char*>(tensor.data);
  begin = first;
  end = first + element;
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    const int64_t size = tensor.shape[d].value();
    if (size == 0) {
      begin = end = first;
      return;
    }
    const int64_t reach = (size - 1) * tensor.strides[d] * element;
    (reach < 0 ? begin : end) += reach;
  }
}

bool overlap(std::span<Extent> extents) {
  std::ranges::sort(extents, std::less<>(), &Extent::begin);
  const char* reached = nullptr;
  for (const Extent& extent : extents) {
    if (extent.empty()) continue;
    if (reached && std::less<>()(extent.begin, reached)) return true;
    reached = extent.end;
  }
  return false;
}

}  // namespace dyad::guards
