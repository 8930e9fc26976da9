#include "capture/tracing/layout.h"

#include <algorithm>

#include "base/error.h"

namespace dyad::tracing {

namespace {

/// A size that no program has, one for each symbol.
constexpr int64_t kSample = 100003;

Dim sampled(const Dims& dims, size_t i) {
  return dims[i].known() ? dims[i] : Dim(kSample + 2 * (sizes(dims)[i] % 4096 + 4096));
}

Dims sampled(const Dims& dims) {
  Dims result;
  for (size_t i = 0; i < dims.size(); ++i) result.push_back(sampled(dims, i));
  return result;
}

/// The argument as the rules of views may look at it: every size is known. Symbolic dimensions among the
/// attributes are those of their symbols, or 0: a place may be any in its tensor.
Arg sampled(const Arg& arg, bool places) {
  if (auto* dims = arg.get<Dims>()) {
    if (!places) return sampled(*dims);
    Dims known = *dims;
    for (Dim& dim : known) dim = dim.known() ? dim : Dim(0);
    return known;
  }
  auto* value = arg.get<Value>();
  if (!value || !(*value)->is_tensor() || all_known((*value)->shape)) return arg;
  Tensor tensor = alias_of(as_tensor(*value));
  tensor->shape = sampled(tensor->shape);
  return Value(tensor);
}

enum class Lying : uint8_t { kView, kCopy, kUnknown };

/// What the result is if the first argument, whose sizes are those of the samples, has these strides.
Lying lying_in(const Op& op, std::span<const Arg> args, const ResultSpec& result, const Strides& strides) {
  std::vector<Arg> known(args.size());
  for (const bool places : {false, true}) {
    for (size_t i = 0; i < args.size(); ++i) known[i] = sampled(args[i], places);
    Tensor laid_out = alias_of(as_tensor(*known[0].get<Value>()));
    laid_out->strides = strides;
    known[0] = Value(laid_out);
    try {
      ViewSpec view;
      return op.view(Arguments(op.name, known), result, view) ? Lying::kView : Lying::kCopy;
    } catch (const Error&) {  // sizes computed from open ones do not fit those of the samples
    }
  }
  return Lying::kUnknown;
}

bool is_known(const Arg& arg) {
  if (auto* dims = arg.get<Dims>()) return all_known(*dims);
  auto* value = arg.get<Value>();
  return !value || all_known((*value)->shape);
}

}  // namespace

Strides symbolic_strides(const Shape& shape) { return contiguous_strides(sampled(shape)); }

bool depends_on_layout(const Op& op, std::span<const Arg> args, const ResultSpec& result) {
  const ResultSpec specified{result.dtype, sampled(result.shape)};
  const Shape shape = sampled((*args[0].get<Value>())->shape);
  Shape wider;  // a part of that: no two of its dimensions can be walked as one
  for (const Dim size : shape) wider.push_back(size + 1);
  const Lying whole = lying_in(op, args, specified, contiguous_strides(shape));
  return whole == Lying::kUnknown || whole != lying_in(op, args, specified, contiguous_strides(wider));
}

bool lies_in_argument(const Op& op, std::span<const Arg> args, const ResultSpec& result, Strides& strides) {
  if (all_known(result.shape) && std::all_of(args.begin(), args.end(), is_known)) {
    ViewSpec view;
    const bool lies = op.view(Arguments(op.name, args), result, view);
    strides = view.strides;
    return lies;
  }
  const ResultSpec specified{result.dtype, sampled(result.shape)};
  std::vector<Arg> known(args.size());
  for (const bool places : {false, true}) {
    for (size_t i = 0; i < args.size(); ++i) known[i] = sampled(args[i], places);
    try {
      ViewSpec view;
      const bool lies = op.view(Arguments(op.name, known), specified, view);
      strides = view.strides;
      return lies;
    } catch (const Error&) {  // sizes computed from open ones do not fit those of the samples
    }
  }
  strides = symbolic_strides(result.shape);
  return known[0].get<Value>()->get()->contiguous();  // in row-major order any shape is a view
}

}  // namespace dyad::tracing
