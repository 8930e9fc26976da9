#include "ops/layout.h"

#include <algorithm>

#include "base/error.h"
#include "ops/infer.h"
#include "ops/placeholder.h"

namespace dyad::layout {

Dims channels_to_end(size_t rank) {
  Dims axes{0};
  for (size_t i = 2; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  axes.push_back(1);
  return axes;
}

Dims channels_to_front(size_t rank) {
  Dims axes{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 1; i + 1 < rank; ++i) axes.push_back(static_cast<int64_t>(i));
  return axes;
}

Shape channels_last(const Shape& shape) {
  Shape moved = shape;
  std::rotate(moved.begin() + 1, moved.begin() + 2, moved.end());
  return moved;
}

Shape channels_first(const Shape& shape) {
  Shape moved = shape;
  std::rotate(moved.begin() + 1, moved.end() - 1, moved.end());
  return moved;
}

size_t channel_axis(const ValueImpl& tensor, bool channels_last) {
  return channels_last ? tensor.shape.size() - 1 : 1;
}

bool is_float32(const Arguments& args) {
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args.is_value(i)) continue;
    const ValueImpl& value = args.in(i);
    if (!all_known(value.shape) || (is_float(value.dtype) && value.dtype != DType::kFloat32)) return false;
  }
  return true;
}

std::vector<Arg> in_default_layout(const Arguments& args, size_t tensors) {
  std::vector<Arg> moved;
  for (size_t i = 0; i < args.size(); ++i) moved.push_back(args[i]);
  for (size_t i = 0; i < tensors; ++i) {
    const ValueImpl& image = args.in(i);
    if (image.rank() < 3) {
      value_error(args.op(), ": input has shape ", image.shape, "; need images, sizes and channels");
    }
    if (is_float(image.dtype)) {
      infer::require_dtype(args, i, image.dtype == DType::kFloat32, "float32 where channels are last");
    }
    moved[i] = Value(placeholder(image.dtype, channels_first(image.shape)));
  }
  return moved;
}

void infer_channels_last(const Arguments& args, size_t attribute, size_t tensors, InferRule rule,
                         Results& results) {
  if (!args.flag(attribute)) return rule(args, results);
  const std::vector<Arg> moved = in_default_layout(args, tensors);
  Results inferred;
  rule(Arguments(args.op(), moved), inferred);
  for (size_t i = 0; i < inferred.size(); ++i) {
    results.add(inferred[i].dtype, channels_last(inferred[i].shape));
  }
}

}  // namespace dyad::layout
