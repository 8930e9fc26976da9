#include <numbers>

#include "base/error.h"
#include "ops/call.h"

namespace dyad {

namespace {

DYAD_USE(abs, arange, bessel_i0, cast, clamp, cos, mul, ones, sqrt, square);

/// Arguments 0 and 1 of every window: its length, and whether it is one period of a repeating one, so that
/// its first element would follow its last. `shape_at` is the window as a function of positions from 0 to 1.
template <class ShapeAt>
Value window(const Call& call, size_t dtype_at, ShapeAt shape_at) {
  const int64_t length = call.integer(0);
  if (length < 0) value_error(call.op(), ": window_length is ", length, "; it must be 0 or more");
  const DType dtype = call.dtype(dtype_at, DType::kFloat32);
  if (!is_float(dtype)) type_error(call.op(), ": dtype is ", dtype, "; accepted are floating dtypes");
  if (length <= 1) return ones(call.builder(), Dims{length}, dtype);
  const double span = static_cast<double>(call.flag(1) ? length : length - 1);
  const Value positions = arange(call.builder(), 0, length, 1, DType::kFloat64);
  return cast(shape_at(mul(positions, 1 / span)), dtype);
}

/// cos of `turns` full turns per window.
Value wave(const Value& places, double turns) { return cos(mul(places, 2 * std::numbers::pi * turns)); }

}  // namespace

DYAD_OP("bartlett_window(window_length: int, periodic: bool=True, dtype: dtype?=None) -> Tensor")
    .doc("Bartlett (triangular) window. m is the length if it is periodic, else the length − 1.")
    .formula("out[k] = 1 − |2k / m − 1|")
    .arg("window_length", "number of elements, ≥ 0.")
    .arg("periodic", "whether the window is one period, whose end is left out.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape (window_length,); for length 1 it is 1.")
    .see("ops.hann_window")
    .function("bartlett_window(window_length, periodic=True, *, dtype=None)")
    .primitive("BartlettWindow(periodic=True, dtype=float32)(window_length)")
    .compose([](const Call& call) {
      return window(call, 2, [](const Value& places) { return 1 - abs(mul(places, 2) - 1); });
    })
    .no_grad("no tensor among the arguments")
    .numpy("ref.window(np.bartlett, window_length, periodic)")
    .samples("call(5)", "call(6, False)", "call(1)", "call(0)")
    .rejects("ops.bartlett_window(-1)", "ValueError", "bartlett_window: window_length is -1");

DYAD_OP("blackman_window(window_length: int, periodic: bool=True, dtype: dtype?=None) -> Tensor")
    .doc("Blackman window. m is the length if it is periodic, else the length − 1.")
    .formula("out[k] = 0.42 − 0.5 · cos(2πk / m) + 0.08 · cos(4πk / m)")
    .arg("window_length", "number of elements, ≥ 0.")
    .arg("periodic", "whether the window is one period, whose end is left out.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape (window_length,); for length 1 it is 1.")
    .see("ops.hann_window")
    .function("blackman_window(window_length, periodic=True, *, dtype=None)")
    .primitive("BlackmanWindow(periodic=True, dtype=float32)(window_length)")
    .compose([](const Call& call) {
      return window(call, 2, [](const Value& places) {
        return 0.42 - mul(wave(places, 1), 0.5) + mul(wave(places, 2), 0.08);
      });
    })
    .no_grad("no tensor among the arguments")
    .numpy("ref.window(np.blackman, window_length, periodic)")
    .samples("call(5)", "call(6, False)", "call(1)")
    .rejects("ops.blackman_window(-1)", "ValueError", "blackman_window: window_length is -1");

DYAD_OP(
    "hamming_window(window_length: int, periodic: bool=True, alpha: float=0.54, beta: float=0.46, dtype: "
    "dtype?=None) -> Tensor")
    .doc("Hamming window. m is the length if it is periodic, else the length − 1.")
    .formula("out[k] = alpha − beta · cos(2πk / m)")
    .arg("window_length", "number of elements, ≥ 0.")
    .arg("periodic", "whether the window is one period, whose end is left out.")
    .arg("alpha", "constant term.")
    .arg("beta", "factor of the cosine.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape (window_length,); for length 1 it is 1.")
    .see("ops.hann_window")
    .function("hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None)")
    .primitive("HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=float32)(length:window_length)")
    .compose([](const Call& call) {
      return window(call, 4,
                    [&](const Value& places) { return call.real(2) - mul(wave(places, 1), call.real(3)); });
    })
    .no_grad("no tensor among the arguments")
    .numpy("ref.hamming_window(window_length, periodic, alpha, beta)")
    .samples("call(5)", "call(6, False)", "call(4, True, 0.6, 0.4)", "call(1)")
    .rejects("ops.hamming_window(-1)", "ValueError", "hamming_window: window_length is -1");

DYAD_OP("hann_window(window_length: int, periodic: bool=True, dtype: dtype?=None) -> Tensor")
    .doc("Hann window. m is the length if it is periodic, else the length − 1.")
    .formula("out[k] = 0.5 − 0.5 · cos(2πk / m)")
    .arg("window_length", "number of elements, ≥ 0.")
    .arg("periodic", "whether the window is one period, whose end is left out.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape (window_length,); for length 1 it is 1.")
    .see("ops.hamming_window, ops.blackman_window")
    .function("hann_window(window_length, periodic=True, *, dtype=None)")
    .compose([](const Call& call) {
      return window(call, 2, [](const Value& places) { return 0.5 - mul(wave(places, 1), 0.5); });
    })
    .no_grad("no tensor among the arguments")
    .numpy("ref.window(np.hanning, window_length, periodic)")
    .samples("call(5)", "call(6, False)", "call(1)")
    .rejects("ops.hann_window(3, dtype=dyad.int32)", "TypeError", "hann_window: dtype is Int32");

DYAD_OP(
    "kaiser_window(window_length: int, periodic: bool=True, beta: float=12.0, dtype: dtype?=None) -> Tensor")
    .doc(
        "Kaiser window. m is the length if it is periodic, else the length − 1; I₀ is the modified Bessel "
        "function.")
    .formula("out[k] = I₀(beta · √(1 − (2k / m − 1)²)) / I₀(beta)")
    .arg("window_length", "number of elements, ≥ 0.")
    .arg("periodic", "whether the window is one period, whose end is left out.")
    .arg("beta", "steepness of the sides.")
    .arg("dtype", "a float dtype; None: float32.")
    .returns("Tensor of shape (window_length,); for length 1 it is 1.")
    .see("ops.hann_window, ops.bessel_i0")
    .function("kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None)")
    .compose([](const Call& call) {
      return window(call, 3, [&](const Value& places) {
        // Rounding may bring the positions at both ends a little beyond the circle.
        const Value height = sqrt(clamp(1 - square(mul(places, 2) - 1), 0.0));
        const Value peak = bessel_i0(ones(call.builder(), Dims{}, DType::kFloat64) * call.real(2));
        return bessel_i0(mul(height, call.real(2))) / peak;
      });
    })
    .no_grad("no tensor among the arguments")
    .numpy("ref.kaiser_window(window_length, periodic, beta)")
    .samples("call(5)", "call(6, False, 8.0)", "call(1)")
    .rejects("ops.kaiser_window(-1)", "ValueError", "kaiser_window: window_length is -1");

}  // namespace dyad
