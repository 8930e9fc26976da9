#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "ops/batch.h"
#include "ops/call.h"
#include "ops/cost.h"
#include "ops/infer.h"

namespace dyad {

namespace {

DYAD_USE(cast, concat, conjugate, fourier, mul, pad_constant, real_part, slice_view);

/// One axis to transform, and the number of elements it is cut or filled up to.
struct Line {
  int64_t axis;
  int64_t size;
};
using LineList = std::vector<Line>;

/// The direction is the sign in the exponent, and its share of the scale.
enum class Direction { kForward, kInverse };

bool is_one_axis(const Call& call) { return call[2].get<Scalar>() != nullptr; }

int64_t length_at(const Value& x, int64_t axis) { return x->shape[static_cast<size_t>(axis)].value(); }

void require_length(const Call& call, int64_t length) {
  if (length < 1)
    value_error(call.op(), ": an axis of ", length, " elements is transformed; it must have at least 1");
}

/// The axes that `dim` names, or the last ones of `s`, or all, with their sizes; -1 in `s` is the axis's own.
LineList lines_of(const Call& call) {
  const Value& x = call.value(0);
  LineList lines;
  if (is_one_axis(call)) {
    const int64_t axis = normalize_axis(call.op(), call.integer(2), x->rank(), "dim");
    lines.push_back({axis, call.has(1) ? call.integer(1) : length_at(x, axis)});
  } else {
    const size_t sizes = call.has(1) ? call.dims(1).size() : 0;
    const Dims named = call.has(2) ? call.dims(2) : Dims{};
    if (call.has(1) && !named.empty() && sizes != named.size()) {
      value_error(call.op(), ": s ", call.dims(1), " and dim ", named, " differ in length; need as many");
    }
    const size_t rank = x->shape.size();
    const size_t count = !named.empty() ? named.size() : (call.has(1) ? sizes : rank);
    if (count > rank)
      value_error(call.op(), ": ", count, " axes are asked of shape ", x->shape, "; it has fewer");
    for (size_t i = 0; i < count; ++i) {
      const int64_t axis = named.empty() ? static_cast<int64_t>(rank - count + i)
                                         : normalize_axis(call.op(), named[i].value(), x->rank(), "dim");
      for (const Line& earlier : lines) {
        if (earlier.axis == axis) value_error(call.op(), ": dim ", named, " names axis ", axis, " twice");
      }
      const int64_t size = call.has(1) ? call.dims(1)[i].value() : -1;
      lines.push_back({axis, size == -1 ? length_at(x, axis) : size});
    }
  }
  for (const Line& line : lines) require_length(call, line.size);
  return lines;
}

Value sliced(const Value& x, int64_t axis, int64_t start, int64_t stop, int64_t step) {
  const auto at = static_cast<size_t>(axis);
  Dims starts(at + 1, 0), steps(at + 1, 1);
  Dims stops(x->shape.begin(), x->shape.begin() + axis + 1);
  starts[at] = start;
  stops[at] = stop;
  steps[at] = step;
  return slice_view(x, starts, stops, steps);
}

/// Cuts the axis at its end, or pads it with zeros.
Value resized(const Value& x, int64_t axis, int64_t size) {
  const int64_t present = length_at(x, axis);
  if (size < present) return sliced(x, axis, 0, size, 1);
  if (size == present) return x;
  Dims before(x->shape.size(), 0), after(x->shape.size(), 0);
  after[static_cast<size_t>(axis)] = size - present;
  return pad_constant(x, before, after);
}

Value as_complex(const Value& x) {
  if (is_complex(x->dtype)) return x;
  return cast(x, x->dtype == DType::kFloat64 ? DType::kComplex128 : DType::kComplex64);
}

/// The factor of a transform over rows of `count` elements in all.
double scale_of(const Call& call, Direction direction, double count) {
  const bool inverse = direction == Direction::kInverse;
  const std::string norm = call.has(3) ? call.text(3) : "backward";
  if (norm == "ortho") return 1 / std::sqrt(count);
  if (norm != "backward" && norm != "forward") {
    value_error(call.op(), ": norm is '", norm, "'; accepted are 'backward', 'forward' and 'ortho'");
  }
  return (norm == "forward") != inverse ? 1 / count : 1;
}

Value scaled(const Call& call, const Value& x, Direction direction, const LineList& lines) {
  double count = 1;
  for (const Line& line : lines) count *= static_cast<double>(line.size);
  const double scale = scale_of(call, direction, count);
  return scale == 1 ? x : mul(x, scale);
}

/// A complex signal has a complex spectrum.
Value complex_transform(const Call& call, Direction direction) {
  const LineList lines = lines_of(call);
  Value x = as_complex(call.value(0));
  for (const Line& line : lines)
    x = fourier(resized(x, line.axis, line.size), line.axis, direction == Direction::kInverse);
  return scaled(call, x, direction, lines);
}

/// A real signal's spectrum is given by its first half: the rest mirrors it.
Value half_spectrum(const Call& call, Direction direction) {
  if (is_complex(call.in(0).dtype)) {
    type_error(call.op(), ": input has dtype ", call.in(0).dtype, "; it must be real");
  }
  const LineList lines = lines_of(call);
  Value x = call.value(0);
  if (lines.empty()) value_error(call.op(), ": input has no axis to transform; it needs at least 1");
  for (const Line& line : lines) x = resized(x, line.axis, line.size);
  const Line& last = lines.back();
  x = fourier(as_complex(x), last.axis, direction == Direction::kInverse);
  x = sliced(x, last.axis, 0, last.size / 2 + 1, 1);
  for (size_t i = 0; i + 1 < lines.size(); ++i)
    x = fourier(x, lines[i].axis, direction == Direction::kInverse);
  return scaled(call, x, direction, lines);
}

/// The real signal with the given first half of a spectrum.
Value signal_of_half(const Call& call, Direction direction) {
  Value x = as_complex(call.value(0));
  LineList lines = lines_of(call);
  if (lines.empty()) value_error(call.op(), ": input has no axis to transform; it needs at least 1");
  Line& last = lines.back();
  const bool size_given = call.has(1) && (is_one_axis(call) || call.dims(1)[lines.size() - 1].value() != -1);
  if (!size_given) last.size = 2 * (length_at(x, last.axis) - 1);
  require_length(call, last.size);
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    x = fourier(resized(x, lines[i].axis, lines[i].size), lines[i].axis, direction == Direction::kInverse);
  }
  const int64_t half = last.size / 2 + 1;
  x = resized(x, last.axis, half);
  if (last.size > half) {
    const Value mirrored = conjugate(sliced(x, last.axis, last.size - half, 0, -1));
    x = concat(ValueList{x, mirrored}, last.axis);
  }
  return scaled(call, real_part(fourier(x, last.axis, direction == Direction::kInverse)), direction, lines);
}

}  // namespace

DYAD_OP("fourier(input: Tensor, axis: int, inverse: bool=False) -> Tensor")
    .doc(
        "Sums of a line's elements times the powers of a root of unity: the transform along one axis, "
        "unscaled.")
    .hidden()
    .infer([](const Arguments& args, Results& results) {
      infer::require_dtype(args, 0, is_complex(args.in(0).dtype), "complex dtypes");
      normalize_axis(args.op(), args.integer(1), args.in(0).rank());
      results.add(args.in(0).dtype, args.in(0).shape);
    })
    .linear()
    .grad([](GradCall& g) { g.set(0, fourier(g.grad(), g[1], !g.flag(2))); })
    .batch(batch::along<1>)
    .cost([](const Arguments& args, cost::Values) {
      const ValueImpl& input = args.in(0);
      const double line =
          cost::axis_from_end(input, input.rank() - normalize_axis(args.op(), args.integer(1), input.rank()));
      return 5 * cost::elements(input) * std::log2(std::max(2.0, line));
    })
    .numpy("ref.fourier(input, axis, inverse)")
    .samples("call(T(3, 8), 1, dtypes='complex')", "call(T(12, 2), 0, True, dtypes='complex')",
             "call(T(30), 0, dtypes='complex')", "call(T(2, 37), -1, dtypes='complex')",
             "call(T(74), 0, True, dtypes='complex')", "call(T(1, 3), 0, dtypes='complex')",
             "call(strided(T(4, 6)), 1, dtypes='complex')", "call(T(0, 4), 1, dtypes='complex')")
    .rejects("dyad._core.named_op('fourier')(ones(3), 0)", "TypeError", "fourier: the dtype Float32");

DYAD_OP("fft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc("Discrete Fourier transform along one axis. 'forward' divides by n, 'ortho' by √n.")
    .formula("out[k] = Σⱼ input[j] · exp(−2πi · jk / n), 0 ≤ j < n")
    .arg("input", "numbers, at least one dimension.")
    .arg("n", "size of the axis, which is cut or padded with zeros; None: its own.")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size n along `dim`.")
    .see("ops.ifft, ops.rfft, ops.fftn")
    .compose([](const Call& call) { return complex_transform(call, Direction::kForward); })
    .numpy("np.fft.fft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+float64+complex')", "call(T(4, 3), 5, 0, 'ortho')",
             "call(T(7), 4, norm='forward')", "call(I(5))")
    .rejects("ops.fft(ones(3), 0)", "ValueError", "fft: an axis of 0 elements is transformed")
    .rejects("ops.fft(ones(3), norm='up')", "ValueError", "fft: norm is 'up'");

DYAD_OP("ifft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc(
        "Inverse discrete Fourier transform along one axis. 'forward' leaves the factor 1/n out, 'ortho' "
        "replaces it by 1/√n.")
    .formula("out[j] = 1/n · Σₖ input[k] · exp(2πi · jk / n), 0 ≤ k < n")
    .arg("input", "numbers, at least one dimension.")
    .arg("n", "size of the axis, which is cut or padded with zeros; None: its own.")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size n along `dim`.")
    .see("ops.fft, ops.irfft, ops.ifftn")
    .compose([](const Call& call) { return complex_transform(call, Direction::kInverse); })
    .numpy("np.fft.ifft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+float64+complex')", "call(T(4, 3), 5, 0, 'ortho')",
             "call(T(7), 4, norm='forward')")
    .rejects("ops.ifft(ones(3), dim=1)", "ValueError", "ifft: dim 1");

DYAD_OP("fftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc(
        "Discrete Fourier transform over several axes. 'forward' divides by the number of elements n, "
        "'ortho' by √n.")
    .formula("out[k…] = Σ input[j…] · exp(−2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …))")
    .arg("input", "numbers, at least one dimension.")
    .arg("s", "sizes of the axes, which are cut or padded with zeros; None: their own.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers.")
    .see("ops.fft, ops.ifftn")
    .function("fftn")
    .function("fft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return complex_transform(call, Direction::kForward); })
    .numpy("np.fft.fftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4), dtypes='float32+float64+complex')",
             "call(T(2, 3, 4), (4, 2), (0, 2), 'ortho')")
    .rejects("ops.fftn(ones(3, 2), (2, 2), (0,))", "ValueError",
             "fftn: s (2, 2) and dim (0,) differ in length")
    .rejects("ops.fft2(ones(3, 2), dim=(0, 0))", "ValueError", "dim (0, 0) names axis 0 twice");

DYAD_OP("ifftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc("Inverse discrete Fourier transform over several axes, with n elements in all.")
    .formula("out[j…] = 1/n · Σ input[k…] · exp(2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …))")
    .arg("input", "numbers, at least one dimension.")
    .arg("s", "sizes of the axes, which are cut or padded with zeros; None: their own.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers.")
    .see("ops.ifft, ops.fftn")
    .function("ifftn")
    .function("ifft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return complex_transform(call, Direction::kInverse); })
    .numpy("np.fft.ifftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4), dtypes='float32+complex')", "call(T(2, 3, 4), (4, 2), (0, 2), 'forward')")
    .rejects("ops.ifft2(ones(3))", "ValueError", "ifft2: 2 axes are asked of shape (3,)");

DYAD_OP("rfft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc(
        "Discrete Fourier transform of a real signal along one axis: the first half of the spectrum. The "
        "other half is its mirrored conjugate.")
    .formula("out[k] = Σⱼ input[j] · exp(−2πi · jk / n), 0 ≤ k ≤ n / 2")
    .arg("input", "real numbers, at least one dimension.")
    .arg("n", "size of the axis, which is cut or padded with zeros; None: its own.")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size ⌊n / 2⌋ + 1 along `dim`.")
    .see("ops.irfft, ops.fft")
    .compose([](const Call& call) { return half_spectrum(call, Direction::kForward); })
    .numpy("np.fft.rfft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+float64')", "call(T(4, 3), 5, 0, 'ortho')", "call(T(1))")
    .rejects("ops.rfft(ops.complex(ones(2), ones(2)))", "TypeError", "rfft: input has dtype Complex64");

DYAD_OP("rfftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc("Discrete Fourier transform of a real signal over several axes; of the last of them the first half.")
    .formula("out[k…] = Σ input[j…] · exp(−2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …)), 0 ≤ k_last ≤ n_last / 2")
    .arg("input", "real numbers, at least one dimension.")
    .arg("s", "sizes of the axes, which are cut or padded with zeros; None: their own.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size ⌊n / 2⌋ + 1 along the last axis.")
    .see("ops.irfftn, ops.fftn")
    .function("rfftn")
    .function("rfft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return half_spectrum(call, Direction::kForward); })
    .numpy("np.fft.rfftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4), dtypes='float32+float64')", "call(T(2, 3, 4), (4, 2), (2, 0), 'ortho')")
    .rejects("ops.rfftn(ops.complex(ones(2), ones(2)))", "TypeError", "rfftn: input has dtype Complex64");

DYAD_OP("irfft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc("Inverse of `rfft` along one axis: the real signal of n elements whose half spectrum is the input.")
    .formula("out[j] = 1/n · Σₖ X[k] · exp(2πi · jk / n), X[k] = input[k], X[n − k] = conj(input[k])")
    .arg("input", "numbers, at least one dimension.")
    .arg("n", "size of the axis in the result; None: 2 · (size − 1).")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of floats with size n along `dim`.")
    .see("ops.rfft, ops.ifft")
    .compose([](const Call& call) { return signal_of_half(call, Direction::kInverse); })
    .numpy("np.fft.irfft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+float64+complex')", "call(T(4, 3), 5, 0, 'ortho')",
             "call(T(3), 8)")
    .rejects("ops.irfft(ones(1))", "ValueError", "irfft: an axis of 0 elements is transformed");

DYAD_OP("irfftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc(
        "Inverse of `rfftn` over several axes: the real signal whose spectrum, halved along the last of "
        "them, is the input.")
    .formula(
        "out[j…] = 1/n · Σ X[k…] · exp(2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …)), X[n₁ − k₁, n₂ − k₂, …] = conj(X[k…])")
    .arg("input", "numbers, at least one dimension.")
    .arg("s", "sizes of the axes in the result; None: their own, 2 · (size − 1) for the last.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of floats.")
    .see("ops.rfftn, ops.ifftn")
    .function("irfftn")
    .function("irfft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return signal_of_half(call, Direction::kInverse); })
    .numpy("np.fft.irfftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4), dtypes='float32+complex')", "call(T(2, 3, 4), (4, 5), (0, 2), 'forward')")
    .rejects("ops.irfftn(ones(3, 1))", "ValueError", "irfftn: an axis of 0 elements is transformed");

DYAD_OP("hfft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc(
        "Discrete Fourier transform of a Hermitian signal, given by its first half, along one axis. The "
        "spectrum is real.")
    .formula("out[k] = Σⱼ x[j] · exp(−2πi · jk / n), x[j] = input[j], x[n − j] = conj(input[j])")
    .arg("input", "numbers, at least one dimension.")
    .arg("n", "size of the axis in the result; None: 2 · (size − 1).")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of floats with size n along `dim`.")
    .see("ops.ihfft, ops.irfft")
    .compose([](const Call& call) { return signal_of_half(call, Direction::kForward); })
    .numpy("ref.hfft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+complex')", "call(T(4, 3), 5, 0, 'ortho')",
             "call(T(3), norm='forward')")
    .rejects("ops.hfft(ones(1))", "ValueError", "hfft: an axis of 0 elements is transformed");

DYAD_OP("hfftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc(
        "Discrete Fourier transform of a Hermitian signal, halved along the last of several axes. The "
        "spectrum is real.")
    .formula("out[k…] = Σ x[j…] · exp(−2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …)), x[n₁ − j₁, n₂ − j₂, …] = conj(x[j…])")
    .arg("input", "numbers, at least one dimension.")
    .arg("s", "sizes of the axes in the result; None: their own, 2 · (size − 1) for the last.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (no factor), 'forward' (1/n) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of floats.")
    .see("ops.hfft, ops.ihfftn")
    .function("hfftn")
    .function("hfft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return signal_of_half(call, Direction::kForward); })
    .numpy("ref.hfftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4), dtypes='float32+complex')", "call(T(2, 3, 4), (4, 5), (0, 2), 'ortho')")
    .rejects("ops.hfftn(ones(3, 1))", "ValueError", "hfftn: an axis of 0 elements is transformed");

DYAD_OP("ihfft(input: Tensor, n: int?=None, dim: int=-1, norm: str?=None) -> Tensor")
    .doc("Inverse of `hfft` along one axis: the first half of the Hermitian signal whose spectrum is real.")
    .formula("out[j] = 1/n · Σₖ input[k] · exp(2πi · jk / n), 0 ≤ j ≤ n / 2")
    .arg("input", "real numbers, at least one dimension.")
    .arg("n", "size of the axis, which is cut or padded with zeros; None: its own.")
    .arg("dim", "axis of the transform.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size ⌊n / 2⌋ + 1 along `dim`.")
    .see("ops.hfft")
    .compose([](const Call& call) { return half_spectrum(call, Direction::kInverse); })
    .numpy("ref.ihfft(input, n, dim, norm)")
    .samples("call(T(2, 6), dtypes='float32+float64')", "call(T(4, 3), 5, 0, 'ortho')")
    .rejects("ops.ihfft(ops.complex(ones(2), ones(2)))", "TypeError", "ihfft: input has dtype Complex64");

DYAD_OP("ihfftn(input: Tensor, s: ints?=None, dim: ints?=None, norm: str?=None) -> Tensor")
    .doc(
        "Inverse of `hfftn` over several axes: the signal, halved along the last of them, whose spectrum is "
        "real.")
    .formula("out[j…] = 1/n · Σ input[k…] · exp(2πi · (j₁k₁/n₁ + j₂k₂/n₂ + …)), 0 ≤ j_last ≤ n_last / 2")
    .arg("input", "real numbers, at least one dimension.")
    .arg("s", "sizes of the axes, which are cut or padded with zeros; None: their own.")
    .arg("dim", "axes of the transform; None: the last ones that `s` has sizes for, or all.")
    .arg("norm", "'backward' (1/n), 'forward' (no factor) or 'ortho' (1/√n); None: 'backward'.")
    .returns("Tensor of complex numbers with size ⌊n / 2⌋ + 1 along the last axis.")
    .see("ops.ihfft, ops.hfftn")
    .function("ihfftn")
    .function("ihfft2(input, s=None, dim=(-2, -1), norm=None)")
    .compose([](const Call& call) { return half_spectrum(call, Direction::kInverse); })
    .numpy("ref.ihfftn(input, s, dim, norm)")
    .samples("call(T(2, 3, 4))", "call(T(2, 3, 4), (4, 2), (2, 0), 'ortho')")
    .rejects("ops.ihfftn(ops.complex(ones(2), ones(2)))", "TypeError", "ihfftn: input has dtype Complex64");

}  // namespace dyad
