#include "data/image/blur.h"

#include <algorithm>
#include <cmath>

#include "data/rows/transform.h"

namespace dyad::data {

namespace {

/// Where a position outside of [0, size) lies when the line is mirrored at its first and its last point.
int64_t mirrored(int64_t position, int64_t size) {
  if (size == 1) return 0;
  const int64_t period = 2 * (size - 1);
  const int64_t within = ((position % period) + period) % period;
  return std::min(within, period - within);
}

template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// The weighted sum of the rows around row `y`, into `sums`.
template <class T>
void sum_down(const Image& image, int64_t y, const std::vector<float>& weights, Sum<T>* sums) {
  const int64_t size = image.row_size();
  const int64_t reach = static_cast<int64_t>(weights.size()) / 2;
  std::fill_n(sums, size, Sum<T>(0));
  for (size_t k = 0; k < weights.size(); ++k) {
    const T* from = image.row<T>(mirrored(y + static_cast<int64_t>(k) - reach, image.height));
    const Sum<T> weight = weights[k];
    for (int64_t i = 0; i < size; ++i) sums[i] += weight * static_cast<Sum<T>>(from[i]);
  }
}

/// Fills the `reach` pixels on either side of a row that begins at `row`.
template <class S>
void mirror_ends(S* row, int64_t width, int64_t channels, int64_t reach) {
  for (int64_t x = 1; x <= reach; ++x) {
    std::copy_n(row + mirrored(-x, width) * channels, channels, row - x * channels);
    std::copy_n(row + mirrored(width - 1 + x, width) * channels, channels, row + (width - 1 + x) * channels);
  }
}

/// The weighted sum along a row whose ends are filled, into `sums`.
template <class S>
void sum_across(const S* row, int64_t size, int64_t channels, const std::vector<float>& weights, S* sums) {
  const S* first = row - static_cast<int64_t>(weights.size()) / 2 * channels;
  std::fill_n(sums, size, S(0));
  for (size_t k = 0; k < weights.size(); ++k) {
    const S* from = first + static_cast<int64_t>(k) * channels;
    const S weight = weights[k];
    for (int64_t i = 0; i < size; ++i) sums[i] += weight * from[i];
  }
}

template <class T>
void blur_into(const Image& made, const Image& image, const std::vector<float>& across,
               const std::vector<float>& down) {
  using S = Sum<T>;
  const int64_t size = image.row_size();
  const int64_t reach = static_cast<int64_t>(across.size()) / 2;
  std::vector<S> padded(static_cast<size_t>(size + 2 * reach * image.channels));
  std::vector<S> sums(static_cast<size_t>(size));
  S* row = padded.data() + reach * image.channels;
  for (int64_t y = 0; y < image.height; ++y) {
    sum_down<T>(image, y, down, row);
    mirror_ends(row, image.width, image.channels, reach);
    sum_across(row, size, image.channels, across, sums.data());
    std::transform(sums.begin(), sums.end(), made.row<T>(y), [](S sum) { return to_element<T>(sum); });
  }
}

TransformRef make_gaussian_blur(const Attributes& attributes) {
  const std::vector<int64_t> sizes = attributes.integers("sizes");
  const std::vector<double> sigmas = attributes.numbers("sigmas");
  const std::vector<float> across = gaussian_weights(sizes.at(0), sigmas.at(0));
  const std::vector<float> down = gaussian_weights(sizes.at(1), sigmas.at(1));
  return of_each("GaussianBlur", [across, down](const Item& item, Random&) -> Item {
    const Image image = image_of("GaussianBlur", item);
    require_dtype("GaussianBlur", image,
                  {DType::kUInt8, DType::kInt16, DType::kUInt16, DType::kFloat32, DType::kFloat64});
    return blurred(image, across, down).array;
  });
}

DYAD_TRANSFORM(gaussian_blur, make_gaussian_blur);

}  // namespace

std::vector<float> gaussian_weights(int64_t size, double sigma) {
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = 0; i < size; ++i) {
    const double place = (static_cast<double>(i) - static_cast<double>(size - 1) / 2) / sigma;
    weights.push_back(std::exp(-0.5 * place * place));
    sum += weights.back();
  }
  std::vector<float> scaled;
  for (const double weight : weights) scaled.push_back(static_cast<float>(weight / sum));
  return scaled;
}

Image blurred(const Image& image, const std::vector<float>& across, const std::vector<float>& down) {
  const Image made = empty_image(image, image.height, image.width);
  visit_real("GaussianBlur", image.dtype(),
             [&](auto typed) { blur_into<typename decltype(typed)::type>(made, image, across, down); });
  return made;
}

}  // namespace dyad::data
