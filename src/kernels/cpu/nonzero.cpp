#include <algorithm>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/window.h"
#include "runtime/allocator.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kChunk = 1 << 15;

/// The tensor's truth values in row-major order.
class Truth {
 public:
  explicit Truth(const ValueImpl& input) : scratch_(static_cast<size_t>(input.size())) {
    Window window(input, input.shape, contiguous_strides(input.shape));
    window.dtype = DType::kBool;
    window.data = scratch_.as<void>();
    copy(input, window);
  }
  const uint8_t* data() const { return scratch_.as<uint8_t>(); }

 private:
  Workspace scratch_;
};

/// Writes the coordinates of the true elements in [begin, end) from row `row` of the result on.
void write_coordinates(const uint8_t* truth, const Shape& shape, int64_t begin, int64_t end, int64_t* row) {
  const size_t rank = shape.size();
  for (int64_t i = begin; i < end; ++i) {
    if (!truth[i]) continue;
    int64_t rest = i;
    for (size_t d = rank; d-- > 0;) {
      const int64_t size = shape[d].value();
      row[d] = rest % size;
      rest /= size;
    }
    row += rank;
  }
}

void run_nonzero(const KernelCall& call) {
  const ValueImpl& input = call.in(0);
  const int64_t total = input.size();
  const Truth truth(input);
  const int64_t chunks = (total + kChunk - 1) / kChunk;
  std::vector<int64_t> first(static_cast<size_t>(chunks) + 1, 0);
  parallel_for(chunks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      int64_t count = 0;
      for (int64_t i = c * kChunk; i < std::min(total, (c + 1) * kChunk); ++i) count += truth.data()[i];
      first[static_cast<size_t>(c) + 1] = count;
    }
  });
  for (size_t c = 1; c < first.size(); ++c) first[c] += first[c - 1];
  const int64_t rank = input.rank();
  call.allocate(0, Shape{first.back(), rank});
  auto* rows = call.out().as<int64_t>();
  parallel_for(chunks, 4, [&](int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      write_coordinates(truth.data(), input.shape, c * kChunk, std::min(total, (c + 1) * kChunk),
                        rows + first[static_cast<size_t>(c)] * rank);
    }
  });
}

}  // namespace

DYAD_CPU_KERNEL(nonzero, run_nonzero);

}  // namespace dyad::kernels
