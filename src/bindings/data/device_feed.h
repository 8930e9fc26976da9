#pragma once

#include <array>
#include <memory>
#include <optional>

#include "data/rows/item.h"
#include "runtime/cuda/pinned.h"

namespace dyad::python {

/// Brings rows of a dataset to a GPU, one ahead of the program: through pinned memory, on a stream of its
/// own, so that the copy of a batch runs beside the computation with the one before.
class DeviceFeed {
 public:
  explicit DeviceFeed(int device);

  int device() const { return device_; }
  /// Begins to copy the row, which will be the next one.
  void send(data::Row row);
  bool has_row() const { return sent_.has_value(); }
  /// The row that was sent. What the calling thread does with it waits for the copy.
  data::Row take();

 private:
  struct Sent {
    data::Row row;
    std::unique_ptr<cuda::Event> copied;  ///< null where the row stayed on the host
  };
  data::Row copies_of(const data::Row& row, size_t bytes);
  Tensor copy_of(const TensorImpl& tensor, char*& room);

  int device_;
  Ref<cuda::Stream> stream_;
  std::array<std::unique_ptr<cuda::PinnedBuffer>, 2> buffers_;
  size_t turn_ = 0;
  std::optional<Sent> sent_;
};

}  // namespace dyad::python
