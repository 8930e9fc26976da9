// Discrete Fourier transforms along one axis. A length whose prime factors are small goes through one pass
// per factor, each of which reads one buffer and writes the other in an order that leaves the result sorted
// (Stockham). Any other length is written as a convolution with a chirp, of a length that is a power of two
// (Bluestein).

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "base/parallel.h"
#include "kernels/cpu/axis_view.h"
#include "kernels/cpu/contiguous.h"
#include "runtime/kernel.h"

namespace dyad::kernels {

namespace {

constexpr int64_t kGrain = 1 << 13;
/// A pass costs as many operations per element as its factor is large; beyond this the chirp is cheaper.
constexpr int64_t kLargestFactor = 31;

std::vector<int64_t> factors_of(int64_t count) {
  std::vector<int64_t> factors;
  for (int64_t factor : {4, 2}) {
    for (; count % factor == 0; count /= factor) factors.push_back(factor);
  }
  for (int64_t factor = 3; factor * factor <= count; factor += 2) {
    for (; count % factor == 0; count /= factor) factors.push_back(factor);
  }
  if (count > 1) factors.push_back(count);
  return factors;
}

/// e^(sign 2πi position / count), computed in double precision.
template <class T>
std::complex<T> root(int64_t position, int64_t count, int sign) {
  const double angle = 2 * std::numbers::pi * static_cast<double>(position) / static_cast<double>(count);
  return {static_cast<T>(std::cos(angle)), static_cast<T>(sign * std::sin(angle))};
}

template <class T>
class Transform {
 public:
  using Complex = std::complex<T>;

  Transform(int64_t count, bool inverse) : count_(count), sign_(inverse ? 1 : -1) {
    factors_ = factors_of(count);
    if (!factors_.empty() && factors_.back() > kLargestFactor) {
      prepare_chirp();
    } else {
      roots_.reserve(static_cast<size_t>(count));
      for (int64_t i = 0; i < count; ++i) roots_.push_back(root<T>(i, count, sign_));
    }
  }

  /// How many elements `run` needs besides the line.
  int64_t scratch() const { return forward_ ? 2 * forward_->count_ : count_; }

  void run(Complex* line, Complex* scratch) const {
    if (forward_) {
      run_chirp(line, scratch);
    } else {
      run_passes(line, scratch);
    }
  }

 private:
  void run_passes(Complex* line, Complex* scratch) const {
    Complex* from = line;
    Complex* to = scratch;
    int64_t length = count_;
    int64_t stride = 1;
    for (int64_t factor : factors_) {
      length /= factor;
      switch (factor) {
        case 2:
          pass_of_two(from, to, length, stride);
          break;
        case 4:
          pass_of_four(from, to, length, stride);
          break;
        default:
          pass(from, to, factor, length, stride);
      }
      stride *= factor;
      std::swap(from, to);
    }
    if (from != line) std::copy(from, from + count_, line);
  }

  // `length` groups of `stride` neighbours; member k of a group's elements lies `length * stride` further.
  void pass_of_two(const Complex* from, Complex* to, int64_t length, int64_t stride) const {
    const int64_t apart = length * stride;
    for (int64_t p = 0; p < length; ++p) {
      const Complex turn = roots_[static_cast<size_t>(p * stride)];
      for (int64_t q = 0; q < stride; ++q) {
        const Complex a = from[p * stride + q];
        const Complex b = from[p * stride + q + apart];
        to[2 * p * stride + q] = a + b;
        to[(2 * p + 1) * stride + q] = times(a - b, turn);
      }
    }
  }

  void pass_of_four(const Complex* from, Complex* to, int64_t length, int64_t stride) const {
    const int64_t apart = length * stride;
    for (int64_t p = 0; p < length; ++p) {
      const auto at = static_cast<size_t>(p * stride);
      const Complex turn1 = roots_[at], turn2 = roots_[2 * at], turn3 = roots_[3 * at];
      for (int64_t q = 0; q < stride; ++q) {
        const Complex* x = from + p * stride + q;
        const Complex a = x[0] + x[2 * apart], b = x[0] - x[2 * apart];
        const Complex c = x[apart] + x[3 * apart], d = x[apart] - x[3 * apart];
        const Complex turned(-sign_ * d.imag(), sign_ * d.real());
        Complex* y = to + 4 * p * stride + q;
        y[0] = a + c;
        y[stride] = times(b + turned, turn1);
        y[2 * stride] = times(a - c, turn2);
        y[3 * stride] = times(b - turned, turn3);
      }
    }
  }

  void pass(const Complex* from, Complex* to, int64_t factor, int64_t length, int64_t stride) const {
    const int64_t apart = length * stride;
    const int64_t step = count_ / factor;
    for (int64_t p = 0; p < length; ++p) {
      for (int64_t j = 0; j < factor; ++j) {
        const Complex turn = roots_[static_cast<size_t>(j * p * stride)];
        for (int64_t q = 0; q < stride; ++q) {
          const Complex* x = from + p * stride + q;
          Complex sum = x[0];
          for (int64_t k = 1; k < factor; ++k) {
            sum += times(x[k * apart], roots_[static_cast<size_t>(j * k % factor * step)]);
          }
          to[(factor * p + j) * stride + q] = times(sum, turn);
        }
      }
    }
  }

  void prepare_chirp() {
    int64_t padded = 1;
    while (padded < 2 * count_ - 1) padded *= 2;
    forward_ = std::make_unique<Transform>(padded, false);
    backward_ = std::make_unique<Transform>(padded, true);
    chirp_.resize(static_cast<size_t>(count_));
    spectrum_.assign(static_cast<size_t>(padded), Complex(0));
    for (int64_t k = 0; k < count_; ++k) {
      // The square is reduced first: its angle would lose digits.
      const auto square = static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * count_));
      const auto at = static_cast<size_t>(k);
      chirp_[at] = root<T>(square, 2 * count_, sign_);
      spectrum_[at] = std::conj(chirp_[at]);
      if (k > 0) spectrum_[static_cast<size_t>(padded - k)] = std::conj(chirp_[at]);
    }
    std::vector<Complex> work(static_cast<size_t>(padded));
    forward_->run(spectrum_.data(), work.data());
    const T share = T(1) / static_cast<T>(padded);
    for (Complex& value : spectrum_) value *= share;
  }

  void run_chirp(Complex* line, Complex* scratch) const {
    const int64_t padded = forward_->count_;
    Complex* work = scratch + padded;
    for (int64_t k = 0; k < count_; ++k) scratch[k] = times(line[k], chirp_[static_cast<size_t>(k)]);
    std::fill(scratch + count_, scratch + padded, Complex(0));
    forward_->run(scratch, work);
    for (int64_t k = 0; k < padded; ++k) scratch[k] = times(scratch[k], spectrum_[static_cast<size_t>(k)]);
    backward_->run(scratch, work);
    for (int64_t k = 0; k < count_; ++k) line[k] = times(scratch[k], chirp_[static_cast<size_t>(k)]);
  }

  /// Without the checks for infinities that the standard product makes.
  static Complex times(Complex a, Complex b) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }

  int64_t count_;
  int sign_;
  std::vector<int64_t> factors_;
  std::vector<Complex> roots_;
  std::unique_ptr<Transform> forward_;  ///< of the convolution; set if the length needs the chirp
  std::unique_ptr<Transform> backward_;
  std::vector<Complex> chirp_;
  std::vector<Complex> spectrum_;
};

template <class T>
void transform_lines(const KernelCall& call) {
  using Complex = std::complex<T>;
  ValueImpl& out = call.out();
  const AxisView lines(out.shape, normalize_axis(call.op(), call.integer(1), call.in(0).rank()));
  if (lines.total() == 0) return;
  const Contiguous input(call.in(0));
  const Transform<T> transform(lines.count, call.flag(2));
  const int64_t grain = std::max<int64_t>(kGrain / lines.count, 1);
  parallel_for(lines.outer * lines.inner, grain, [&](int64_t begin, int64_t end) {
    std::vector<Complex> line(static_cast<size_t>(lines.count));
    std::vector<Complex> scratch(static_cast<size_t>(transform.scratch()));
    for (int64_t i = begin; i < end; ++i) {
      const Complex* from = input.as<Complex>() + lines.start(i);
      Complex* to = out.as<Complex>() + lines.start(i);
      for (int64_t k = 0; k < lines.count; ++k) line[static_cast<size_t>(k)] = from[k * lines.inner];
      transform.run(line.data(), scratch.data());
      for (int64_t k = 0; k < lines.count; ++k) to[k * lines.inner] = line[static_cast<size_t>(k)];
    }
  });
}

/// (input, axis, inverse)
void run_fourier(const KernelCall& call) {
  if (call.in(0).dtype == DType::kComplex128) {
    transform_lines<double>(call);
  } else {
    transform_lines<float>(call);
  }
}

}  // namespace

DYAD_CPU_KERNEL(fourier, run_fourier);

}  // namespace dyad::kernels
