#include "bindings/tensor/host_read.h"

#include <nanobind/nanobind.h>

#include "tensor/transfer.h"

namespace dyad::python {

Tensor readable(const Tensor& tensor) {
  if (tensor->device.kind == DeviceKind::kCpu) return tensor;
  const Tensor here = alias_of(*tensor);  // another thread may give the tensor other data meanwhile
  const nanobind::gil_scoped_release meanwhile;
  return on_host(*here);
}

Scalar read_item(const Tensor& tensor, std::string_view reader) {
  const bool waits = tensor->device.kind != DeviceKind::kCpu && !tensor->symbolic &&
                     all_known(tensor->shape) && tensor->size() == 1;
  if (!waits) return item(*tensor, reader);
  require_data(reader, *tensor);
  return item(*readable(tensor), reader);
}

}  // namespace dyad::python
