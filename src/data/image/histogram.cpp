#include "data/image/histogram.h"

#include <algorithm>
#include <numeric>

#include "data/image/colour.h"

namespace dyad::data {

namespace {

using Histogram = std::array<int64_t, 256>;

std::vector<Histogram> histograms_of(const Image& image) {
  std::vector<Histogram> counts(static_cast<size_t>(image.channels), Histogram{});
  const uint8_t* at = image.row<uint8_t>(0);
  for (int64_t i = 0, size = image.array->size(); i < size; i += image.channels)
    for (int64_t c = 0; c < image.channels; ++c) ++counts[static_cast<size_t>(c)][at[i + c]];
  return counts;
}

int64_t total(const Histogram& counts) { return std::accumulate(counts.begin(), counts.end(), int64_t{0}); }

/// Takes `count` pixels out, beginning at the front of the range.
template <class Iterator>
void take_out(Iterator first, Iterator last, int64_t count) {
  for (; first != last && count > 0; ++first) {
    const int64_t taken = std::min(count, *first);
    *first -= taken;
    count -= taken;
  }
}

Table same_values() {
  return table_of([](int value) { return static_cast<uint8_t>(value); });
}

/// The table that stretches from the lowest to the highest value that occurs.
Table stretched(const Histogram& counts) {
  const auto occurs = [](int64_t count) { return count != 0; };
  const auto low = std::find_if(counts.begin(), counts.end(), occurs) - counts.begin();
  const auto high = 255 - (std::find_if(counts.rbegin(), counts.rend(), occurs) - counts.rbegin());
  if (high <= low) return same_values();
  const double scale = 255.0 / static_cast<double>(high - low);
  const double offset = static_cast<double>(-low) * scale;
  return table_of([&](int value) {
    return static_cast<uint8_t>(std::clamp(static_cast<double>(value) * scale + offset, 0.0, 255.0));
  });
}

/// The running count in steps of a 255th of all pixels but those of the highest value.
Table in_steps(const Histogram& counts) {
  const auto last = std::find_if(counts.rbegin(), counts.rend(), [](int64_t count) { return count != 0; });
  const int64_t step = (total(counts) - *last) / 255;
  if (step == 0) return same_values();
  int64_t running = step / 2;
  return table_of([&](int value) {
    const int64_t level = running / step;
    running += counts[static_cast<size_t>(value)];
    return static_cast<uint8_t>(std::min<int64_t>(level, 255));
  });
}

/// The running count from the lowest value that occurs, which becomes 0, to the highest, which becomes 255.
Table scaled(const Histogram& counts) {
  const auto first = std::find_if(counts.begin(), counts.end(), [](int64_t count) { return count != 0; });
  const int64_t others = total(counts) - *first;
  if (others == 0) return same_values();
  const float scale = 255.0F / static_cast<float>(others);
  int64_t running = -*first;
  return table_of([&](int value) {
    running += counts[static_cast<size_t>(value)];
    return to_element<uint8_t>(static_cast<float>(running) * scale);
  });
}

}  // namespace

Image auto_contrast(const Image& image, double cutoff, const std::vector<int64_t>& ignore) {
  std::vector<Table> tables;
  for (Histogram counts : histograms_of(image)) {
    for (const int64_t value : ignore) counts[static_cast<size_t>(value)] = 0;
    const auto cut = static_cast<int64_t>(static_cast<double>(total(counts)) * cutoff / 100);
    take_out(counts.begin(), counts.end(), cut);
    take_out(counts.rbegin(), counts.rend(), cut);
    tables.push_back(stretched(counts));
  }
  return looked_up(image, tables);
}

Image equalize(const Image& image, Levels levels) {
  std::vector<Table> tables;
  for (const Histogram& counts : histograms_of(image))
    tables.push_back(levels == Levels::kScaled ? scaled(counts) : in_steps(counts));
  return looked_up(image, tables);
}

}  // namespace dyad::data
