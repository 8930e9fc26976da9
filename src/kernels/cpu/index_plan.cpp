#include "kernels/cpu/index_plan.h"

#include <algorithm>

#include "base/range_error.h"
#include "kernels/cpu/convert.h"
#include "kernels/cpu/window.h"

namespace dyad::kernels {

namespace {

struct Block {
  Shape shape;
  Strides strides;
};

Block part(const Shape& shape, const Strides& strides, const Ints& axes) {
  Block block;
  for (int64_t axis : axes) {
    block.shape.push_back(shape[static_cast<size_t>(axis)]);
    block.strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  return block;
}

}  // namespace

std::vector<int64_t> strided_offsets(const Shape& shape, const Strides& strides) {
  std::vector<int64_t> offsets{0};
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> wider;
    wider.reserve(offsets.size() * static_cast<size_t>(shape[d].value()));
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < shape[d].value(); ++i) wider.push_back(offset + i * strides[d]);
    }
    offsets = std::move(wider);
  }
  return offsets;
}

std::vector<int64_t> read_indices(const ValueImpl& index, const Shape& shape) {
  std::vector<int64_t> numbers(static_cast<size_t>(numel(shape)));
  Window target(index, shape, contiguous_strides(shape));
  target.dtype = DType::kInt64;
  target.data = numbers.data();
  copy(index, target);
  return numbers;
}

IndexPlan plan_index(std::string_view op, const Shape& shape, const Strides& strides,
                     const ValueList& indices) {
  const IndexLayout layout = index_layout(op, shape, indices);
  IndexPlan plan;
  plan.result = layout.result;
  for (int64_t axis : layout.indexed) {
    const auto d = static_cast<size_t>(axis);
    std::vector<int64_t> numbers = read_indices(*indices[d], layout.index_shape);
    const int64_t size = shape[d].value();
    const int64_t stride = strides[d];
    for (int64_t& number : numbers) {
      const int64_t place = number < 0 ? number + size : number;
      if (place < 0 || place >= size) {
        range_error(op, ": index ", number, " is out of range for dimension ", axis, " of size ", size);
      }
      number = place * stride;
    }
    if (plan.rows.empty()) {
      plan.rows = std::move(numbers);
    } else {
      for (size_t i = 0; i < numbers.size(); ++i) plan.rows[i] += numbers[i];
    }
  }
  const Block before = part(shape, strides, layout.before);
  const Block after = part(shape, strides, layout.after);
  plan.before = strided_offsets(before.shape, before.strides);
  plan.columns = numel(after.shape);
  if (!is_contiguous(after.shape, after.strides)) plan.after = strided_offsets(after.shape, after.strides);
  return plan;
}

}  // namespace dyad::kernels
