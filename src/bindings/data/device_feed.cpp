#include "bindings/data/device_feed.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "tensor/transfer.h"

namespace dyad::python {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kMostPinned = size_t{256}
                               << 20;  ///< larger rows are copied as they are, when they are asked for

size_t bytes_of(const ValueImpl& tensor) {
  return static_cast<size_t>(tensor.size() * itemsize(tensor.dtype));
}
size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }
bool on_host(const data::Item& item) {
  return item.is_tensor() && item.tensor("dataset")->device.kind == DeviceKind::kCpu;
}

/// While it lives, another stream is the calling thread's.
class OnStream {
 public:
  explicit OnStream(const Ref<cuda::Stream>& stream)
      : before_(cuda::current_stream_object(stream->device())) {
    cuda::set_current_stream(stream);
  }
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;
  ~OnStream() { cuda::set_current_stream(before_); }

 private:
  Ref<cuda::Stream> before_;
};

}  // namespace

DeviceFeed::DeviceFeed(int device) : device_(device), stream_(cuda::Stream::open(device, 0)) {
  for (auto& buffer : buffers_) buffer = std::make_unique<cuda::PinnedBuffer>(device);
}

void DeviceFeed::send(data::Row row) {
  size_t bytes = 0;
  for (const data::Item& item : row) {
    if (on_host(item)) bytes += aligned(bytes_of(*item.tensor("dataset")));
  }
  Sent sent{std::move(row), nullptr};
  if (bytes > 0 && bytes <= kMostPinned) {
    try {
      data::Row copies = copies_of(sent.row, bytes);
      if (!copies.empty()) {
        sent.copied = std::make_unique<cuda::Event>(device_, false, false);
        sent.copied->record(*stream_);
        sent.row = std::move(copies);
      }
    } catch (const Error& error) {
      // The program has not asked for this row yet; there may be memory for it when it does.
      if (error.kind() != ErrorKind::kMemory) throw;
    }
  }
  sent_ = std::move(sent);
}

/// Empty where there is no pinned memory for it.
data::Row DeviceFeed::copies_of(const data::Row& row, size_t bytes) {
  cuda::PinnedBuffer& buffer = *buffers_[turn_++ % buffers_.size()];
  char* room = buffer.room(bytes);
  if (!room) return {};
  const OnStream aside(stream_);
  data::Row copies;
  for (const data::Item& item : row) {
    if (on_host(item))
      copies.emplace_back(copy_of(*data::contiguous(item.tensor("dataset")), room));
    else
      copies.push_back(item);
  }
  buffer.lend_to(*stream_);
  return copies;
}

Tensor DeviceFeed::copy_of(const TensorImpl& tensor, char*& room) {
  Tensor made = empty(tensor.dtype, tensor.shape, {DeviceKind::kCuda, static_cast<int8_t>(device_)});
  const size_t bytes = bytes_of(tensor);
  if (bytes == 0) return made;
  std::memcpy(room, tensor.data, bytes);
  cuda::check(cuda::driver().copy_to_device(reinterpret_cast<cuda::DevicePointer>(made->data), room, bytes,
                                            stream_->handle()),
              "copying to the device");
  room += aligned(bytes);
  return made;
}

data::Row DeviceFeed::take() {
  Sent sent = std::move(*sent_);
  sent_.reset();
  if (!sent.copied) return std::move(sent.row);
  const Ref<cuda::Stream> current = cuda::current_stream_object(device_);
  sent.copied->hold_back(*current);
  for (const data::Item& item : sent.row) {
    if (item.is_tensor()) note_use(*item.tensor("dataset"));
  }
  return std::move(sent.row);
}

}  // namespace dyad::python
