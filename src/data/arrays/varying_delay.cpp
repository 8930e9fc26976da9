#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "data/arrays/cast.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// The waveform as float64 in row-major order, (…, time).
Tensor samples_of(const Item& item, std::string_view owner) {
  const Tensor& given = item.tensor(owner);
  if (given->shape.empty() || is_complex(given->dtype))
    runtime_error(owner, ": got ", item, "; need real numbers in shape (..., time)");
  return contiguous(cast_to(given, DType::kFloat64));
}

/// A result of the precision that the waveform had.
Item as_given(const Tensor& samples, const Item& item, std::string_view owner) {
  const bool wide = item.tensor(owner)->dtype == DType::kFloat64;
  return cast_to(samples, wide ? DType::kFloat64 : DType::kFloat32);
}

/// Adds to each sample what left the ring `delays[n]` samples ago.
struct Phaser {
  Tensor delays;
  int64_t length;
  double gain_in;
  double gain_out;
  double decay;

  void line(double* samples, int64_t count) const {
    std::vector<double> ring(static_cast<size_t>(length), 0.0);
    const int64_t period = delays->size();
    int64_t at = 0;
    for (int64_t n = 0; n < count; ++n) {
      const int64_t from = (at + delays->as<const int64_t>()[n % period]) % length;
      at = (at + 1) % length;
      const double mixed = samples[n] * gain_in + ring[static_cast<size_t>(from)];
      ring[static_cast<size_t>(at)] = mixed * decay;
      samples[n] = std::clamp(mixed * gain_out, -1.0, 1.0);
    }
  }
};

/// Mixes each sample with an earlier one, `delays[n]` samples ago, which lies between two samples.
struct Flanger {
  Tensor delays;
  int64_t length;
  double feedback;
  double gain_in;
  double gain_delayed;
  double channel_phase;
  bool quadratic;

  double between(double first, double second, double third, double share) const {
    if (!quadratic) return first + (second - first) * share;
    const double near = second - first;
    const double far = third - first;
    return first + ((far * 0.5 - near) * share + near * 2 - far * 0.5) * share;
  }

  void line(double* samples, int64_t count, int64_t channel) const {
    std::vector<double> ring(static_cast<size_t>(length), 0.0);
    const int64_t period = delays->size();
    const auto shift = static_cast<int64_t>(
        static_cast<double>(channel) * static_cast<double>(period) * channel_phase + 0.5);
    int64_t at = 0;
    double last = 0;
    for (int64_t n = 0; n < count; ++n) {
      at = (at + length - 1) % length;
      const double delay = delays->as<const double>()[(n + shift) % period];
      const auto whole = static_cast<int64_t>(std::floor(delay));
      ring[static_cast<size_t>(at)] = samples[n] + last * feedback;
      const auto back = [&](int64_t more) { return ring[static_cast<size_t>((at + whole + more) % length)]; };
      last = between(back(0), back(1), back(2), delay - static_cast<double>(whole));
      samples[n] = std::clamp(samples[n] * gain_in + last * gain_delayed, -1.0, 1.0);
    }
  }
};

/// Makes a copy of the samples and changes it line by line: `change(samples, count, channel)`.
template <class Change>
Item changed(const Item& item, std::string_view owner, const Change& change) {
  const Tensor samples = samples_of(item, owner);
  Tensor result = empty(DType::kFloat64, samples->shape);
  std::copy_n(samples->as<const double>(), samples->size(), result->as<double>());
  const int64_t count = samples->shape.back().value();
  const int64_t lines = count == 0 ? 0 : samples->size() / count;
  const size_t rank = samples->shape.size();
  const int64_t channels = rank < 2 ? 1 : samples->shape[rank - 2].value();
  for (int64_t line = 0; line < lines; ++line)
    change(result->as<double>() + line * count, count, line % channels);
  return as_given(result, item, owner);
}

TransformRef make_phaser(const Attributes& attributes) {
  Phaser phaser{contiguous(attributes.tensor("delays")), attributes.integer("length"),
                attributes.number("gain_in"), attributes.number("gain_out"), attributes.number("decay")};
  return of_one("Phaser", [phaser = std::move(phaser)](const Item& item, Random&) {
    return changed(item, "Phaser",
                   [&](double* samples, int64_t count, int64_t) { phaser.line(samples, count); });
  });
}

TransformRef make_flanger(const Attributes& attributes) {
  Flanger flanger{contiguous(attributes.tensor("delays")),
                  attributes.integer("length"),
                  attributes.number("feedback"),
                  attributes.number("gain_in"),
                  attributes.number("gain_delayed"),
                  attributes.number("channel_phase"),
                  attributes.flag("quadratic")};
  return of_one("Flanger", [flanger = std::move(flanger)](const Item& item, Random&) {
    return changed(item, "Flanger", [&](double* samples, int64_t count, int64_t channel) {
      flanger.line(samples, count, channel);
    });
  });
}

DYAD_TRANSFORM(phaser, make_phaser);
DYAD_TRANSFORM(flanger, make_flanger);

}  // namespace

}  // namespace dyad::data
