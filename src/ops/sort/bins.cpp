#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

// Elements by their rank, and how many fall into bins.

namespace dyad {

namespace {

DYAD_USE(arange, bincount, cast, clamp, floor, greater, mul, reshape, select_view, sort, sum);

}  // namespace

DYAD_OP("nth_element(input: Tensor, n: int, reverse: bool=False) -> Tensor")
    .doc("Order statistic: the n-th smallest (or largest) element along the last dimension, counted from 0.")
    .formula("out[…] = sorted(input[…, :])[n]")
    .arg("input", "real numbers, at least one dimension.")
    .arg("n", "index in the sorted row.")
    .arg("reverse", "whether rows are sorted in descending order.")
    .returns("Tensor without the last dimension, in the dtype of `input`.")
    .see("ops.kthvalue, ops.sort")
    .hidden()
    .primitive("NthElement(reverse=False)(input, n)")
    .compose([](const Call& call) {
      const int64_t n = call.integer(1);
      if (call.in(0).rank() == 0) value_error(call.op(), ": input has no dimension; need at least 1");
      const Dim size = call.in(0).shape.back();
      if (n < 0 || (size.known() && n >= size.value()))
        value_error(call.op(), ": n is ", n, "; need 0 to ", size, " - 1, the size of the last dimension");
      return select_view(sort.all(call[0], -1, call[2])[0], -1, n);
    })
    .numpy("np.take(np.sort(input, -1)[..., ::-1 if reverse else 1], n, -1)")
    .samples("call(T(2, 5), 1)", "call(T(4), 0, True)")
    .rejects("ops.NthElement()(ones(2, 3), 3)", "ValueError", "n is 3; need 0 to 3 - 1");

DYAD_OP("compare_and_bitpack(x: Tensor, threshold: Tensor) -> Tensor")
    .doc(
        "Comparison with a threshold, packed: eight elements of the last dimension become the bits of one "
        "number.")
    .formula("out[…, k] = Σᵢ 2^(7 − i) · [x[…, 8k + i] > threshold], 0 ≤ i < 8")
    .arg("x", "real numbers; the last size is a multiple of 8.")
    .arg("threshold", "a tensor of shape () and the dtype of `x`.")
    .returns("Tensor of uint8 with an eighth of the last size.")
    .see("ops.greater")
    .hidden()
    .primitive("CompareAndBitpack()(x, threshold)")
    .compose([](const Call& call) {
      const Shape& shape = call.in(0).shape;
      if (shape.empty() || (shape.back().known() && shape.back().value() % 8 != 0))
        value_error(call.op(), ": x has shape ", shape, "; its last dimension must be a multiple of 8");
      if (call.in(1).rank() != 0)
        value_error(call.op(), ": threshold has shape ", call.in(1).shape, "; need one number");
      if (call.in(0).dtype != call.in(1).dtype)
        type_error(call.op(), ": x has dtype ", call.in(0).dtype, " and threshold has ", call.in(1).dtype,
                   "; need one dtype");
      Dims parts(shape.begin(), shape.end());
      parts.back() = floor_div(shape.back(), 8);
      parts.push_back(8);
      Value bits = reshape(cast(greater(call.value(0), call.value(1)), DType::kInt32), parts);
      static const OpName bitwise_left_shift{"bitwise_left_shift"};
      bits = bitwise_left_shift(bits, arange(call.builder(), 7, -1, -1, DType::kInt32));
      return cast(sum(bits, Dims{-1}), DType::kUInt8);
    })
    .no_grad("the bits are integers")
    .numpy("np.packbits(x > threshold, -1)")
    .samples("call(T(2, 16), V(0.1, 'float32'))")
    .rejects("ops.CompareAndBitpack()(ones(7), Tensor(1.0))", "ValueError", "must be a multiple of 8");

DYAD_OP("histogram_fixed_width(x: Tensor, range: Tensor, nbins: int, dtype: str='int32') -> Tensor")
    .doc("Histogram of bins of equal width. Numbers outside the range count for the first or the last bin.")
    .formula("out[k] = number of x with ⌊(x − range[0]) · nbins / (range[1] − range[0])⌋ = k")
    .arg("x", "real numbers, any shape.")
    .arg("range", "a tensor of two numbers, lowest and highest.")
    .arg("nbins", "number of bins, ≥ 1.")
    .arg("dtype", "'int32'.")
    .returns("Tensor of int32 and shape (nbins,).")
    .see("ops.histc, ops.bincount")
    .hidden()
    .primitive("HistogramFixedWidth(nbins, dtype='int32')(x, range)")
    .compose([](const Call& call) {
      const int64_t bins = call.integer(2);
      if (bins < 1) value_error(call.op(), ": nbins is ", bins, "; it must be at least 1");
      if (call.text(3) != "int32")
        value_error(call.op(), ": dtype is '", call.text(3), "'; accepted is 'int32'");
      if (call.in(1).rank() != 1 || !(call.in(1).shape[0] == Dim(2)))
        value_error(call.op(), ": range has shape ", call.in(1).shape, "; need two numbers");
      const Value limits = cast(call.value(1), DType::kFloat64);
      const Value low = select_view(limits, 0, 0);
      const Value width = select_view(limits, 0, 1) - low;
      const Value x = reshape(cast(call.value(0), DType::kFloat64), Dims{-1});
      const Value bin =
          clamp(floor(mul(x - low, static_cast<double>(bins)) / width), 0.0, static_cast<double>(bins - 1));
      return bincount(cast(bin, DType::kInt64), nullptr, bins, DType::kInt32);
    })
    .no_grad("counts are integers")
    .numpy(
        "np.bincount(np.clip(np.floor((x.ravel() - range[0]) * nbins / (range[1] - range[0])), 0, nbins - "
        "1).astype(int), minlength=nbins).astype('int32')")
    .samples("call(V([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], 'float32'), V([0.0, 5.0], 'float32'), 5)")
    .rejects("ops.HistogramFixedWidth(0)(ones(2), ones(2))", "ValueError", "nbins is 0");

}  // namespace dyad
