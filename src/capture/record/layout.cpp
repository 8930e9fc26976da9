#include "capture/record/layout.h"

#include "base/error.h"

namespace dyad::record {

namespace {

/// A size that nobody writes, one for each symbol.
constexpr int64_t kSample = 100003;

Dim sampled(const Dims& dims, size_t i) {
  return dims[i].known() ? dims[i] : Dim(kSample + 2 * (sizes(dims)[i] % 4096 + 4096));
}

Dims sampled(const Dims& dims) {
  Dims result;
  for (size_t i = 0; i < dims.size(); ++i) result.push_back(sampled(dims, i));
  return result;
}

/// The tensor as the rules of views may look at it: every size is known.
Arg sampled(const Arg& arg) {
  if (auto* dims = arg.get<Dims>()) return sampled(*dims);
  auto* value = arg.get<Value>();
  if (!value || !(*value)->is_tensor() || all_known((*value)->shape)) return arg;
  Tensor tensor = alias_of(as_tensor(*value));
  tensor->shape = sampled(tensor->shape);
  return Value(tensor);
}

}  // namespace

Strides symbolic_strides(const Shape& shape) { return contiguous_strides(sampled(shape)); }

bool lies_in_argument(const Op& op, std::span<const Arg> args, const ResultSpec& result, Strides& strides) {
  ViewSpec view;
  if (all_known(result.shape) && all_known(args[0].get<Value>()->get()->shape)) {
    const bool lies = op.view(Arguments(op.name, args), result, view);
    strides = view.strides;
    return lies;
  }
  std::vector<Arg> known;
  for (const Arg& arg : args) known.push_back(sampled(arg));
  const ResultSpec specified{result.dtype, sampled(result.shape)};
  try {
    const bool lies = op.view(Arguments(op.name, known), specified, view);
    strides = view.strides;
    return lies;
  } catch (const Error&) {
    // Sizes that are computed from open ones do not fit those of the samples; in row-major order any shape
    // is a view.
    strides = symbolic_strides(result.shape);
    return known[0].get<Value>()->get()->contiguous();
  }
}

}  // namespace dyad::record
