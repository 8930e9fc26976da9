#include "base/error.h"
#include "ops/call.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(arange, cast, concat, mul, roll);

/// Rolls each axis by half its length, rounded down, or back.
Value shifted(const Call& call, bool back) {
  const Value& x = call.value(0);
  Dims axes, shifts;
  for (int64_t axis : infer::axes(call, 1, x->rank())) {
    const int64_t size = x->shape[static_cast<size_t>(axis)].value();
    axes.push_back(axis);
    shifts.push_back(back ? size - size / 2 : size / 2);
  }
  return axes.empty() ? x : roll(x, shifts, axes);
}

int64_t count_of(const Call& call) {
  if (call.integer(0) < 1) value_error(call.op(), ": n is ", call.integer(0), "; it must be at least 1");
  if (call.real(1) == 0) value_error(call.op(), ": d is 0; it must not be");
  return call.integer(0);
}

/// Cycles per unit of time, from cycles per window of `n` samples at distance `d`.
Value per_unit(const Call& call, const Value& cycles) {
  const double window = static_cast<double>(call.integer(0)) * call.real(1);
  const DType dtype = call.dtype(2, DType::kFloat32);
  return cast(mul(cast(cycles, DType::kFloat64), 1 / window), dtype);
}

}  // namespace

DYAD_OP("fftshift(input: Tensor, dim: ints?=None) -> Tensor")
    .doc("Shift of the zero frequency from the beginning of each axis to its middle.")
    .formula("out[(i + ⌊n / 2⌋) mod n] = input[i]")
    .arg("input", "any dtype and shape.")
    .arg("dim", "axes that are shifted; None: all.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.ifftshift, ops.fft")
    .compose([](const Call& call) { return shifted(call, false); })
    .numpy("np.fft.fftshift(input, dim)")
    .samples("call(T(5))", "call(T(4, 3))", "call(T(4, 3), 1, dtypes='float32+complex')",
             "call(T(2, 3, 4), (0, -1))")
    .rejects("ops.fftshift(ones(3), 1)", "ValueError", "fftshift: axis 1");

DYAD_OP("ifftshift(input: Tensor, dim: ints?=None) -> Tensor")
    .doc("Inverse of `fftshift`: moves the zero frequency from the middle of each axis to its beginning.")
    .formula("out[i] = input[(i + ⌊n / 2⌋) mod n]")
    .arg("input", "any dtype and shape.")
    .arg("dim", "axes that are shifted; None: all.")
    .returns("Tensor with the shape and dtype of `input`.")
    .see("ops.fftshift")
    .compose([](const Call& call) { return shifted(call, true); })
    .numpy("np.fft.ifftshift(input, dim)")
    .samples("call(T(5))", "call(T(4, 3))", "call(T(4, 3), 1, dtypes='float32+complex')",
             "call(T(2, 3, 4), (0, -1))")
    .rejects("ops.ifftshift(ones(3), 1)", "ValueError", "ifftshift: axis 1");

DYAD_OP("fftfreq(n: int, d: float=1.0, dtype: dtype?=None) -> Tensor")
    .doc("Frequencies of the elements of `fft`: 0, the positive, the negative.")
    .formula("out[k] = k / (n · d)", "k < n / 2")
    .formula("out[k] = (k − n) / (n · d)", "k ≥ n / 2")
    .arg("n", "number of samples.")
    .arg("d", "distance of samples.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape (n,).")
    .see("ops.fft, ops.rfftfreq")
    .compose([](const Call& call) {
      const int64_t n = count_of(call);
      Builder& builder = call.builder();
      const Value positive = arange(builder, 0, (n + 1) / 2);
      return per_unit(call, concat(ValueList{positive, arange(builder, -(n / 2), 0)}, 0));
    })
    .no_grad("no tensor among the arguments")
    .numpy("np.fft.fftfreq(n, d).astype(np.float32)")
    .samples("call(4)", "call(5, 0.5)", "call(1)")
    .rejects("ops.fftfreq(0)", "ValueError", "fftfreq: n is 0");

DYAD_OP("rfftfreq(n: int, d: float=1.0, dtype: dtype?=None) -> Tensor")
    .doc("Frequencies of the elements of `rfft`.")
    .formula("out[k] = k / (n · d), 0 ≤ k ≤ n / 2")
    .arg("n", "number of samples.")
    .arg("d", "distance of samples.")
    .arg("dtype", "the dtype of the result; None: float32.")
    .returns("Tensor of shape (⌊n / 2⌋ + 1,).")
    .see("ops.rfft, ops.fftfreq")
    .compose([](const Call& call) {
      const int64_t n = count_of(call);
      return per_unit(call, arange(call.builder(), 0, n / 2 + 1));
    })
    .no_grad("no tensor among the arguments")
    .numpy("np.fft.rfftfreq(n, d).astype(np.float32)")
    .samples("call(4)", "call(5, 0.5)", "call(1)")
    .rejects("ops.rfftfreq(4, 0.0)", "ValueError", "rfftfreq: d is 0");

}  // namespace dyad
