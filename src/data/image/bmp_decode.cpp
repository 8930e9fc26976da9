#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "data/image/codec.h"

namespace dyad::data {

namespace {

enum class Packing : uint32_t { kNone = 0, kRuns8 = 1, kRuns4 = 2, kMasks = 3, kMasksWithAlpha = 6 };

/// A BMP file: little-endian numbers at fixed places. Reading past its end is an error, never a fault.
class BmpReader {
 public:
  BmpReader(std::string_view reader, Bytes bytes) : reader_(reader), bytes_(bytes) {}

  /// The pixels in RGB.
  Image read() {
    read_header();
    if (bits_ <= 8) read_palette();
    if (bits_ == 16 || bits_ == 32) read_masks();
    Image image = decoded_image(reader_, DType::kUInt8, height_, width_, 3);
    const bool runs = packing_ == Packing::kRuns8 || packing_ == Packing::kRuns4;
    runs ? read_runs(image) : read_rows(image);
    return image;
  }
  /// Whether every colour that is stored is grey.
  bool is_gray() const {
    return bits_ <= 8 && std::all_of(palette_.begin(), palette_.end(), [](const auto& color) {
             return color[0] == color[1] && color[1] == color[2];
           });
  }

 private:
  using Color = std::array<uint8_t, 3>;

  [[noreturn]] void fail(std::string_view why) const {
    runtime_error(reader_, ": image decode failed: the BMP is damaged: ", why);
  }
  uint8_t byte(size_t at) const {
    if (at >= bytes_.size()) fail("the file ends before the image does");
    return bytes_[at];
  }
  uint32_t number(size_t at, int count) const {
    uint32_t value = 0;
    for (int i = count; i-- > 0;) value = value << 8 | byte(at + static_cast<size_t>(i));
    return value;
  }

  void read_header();
  void read_palette();
  void read_masks();
  void read_rows(const Image& image) const;
  void read_runs(const Image& image) const;
  Color color_at(size_t row, int64_t x) const;
  Color packed_color(uint32_t pixel) const;
  Color palette_color(size_t index) const { return index < palette_.size() ? palette_[index] : Color{}; }
  uint8_t* pixel(const Image& image, int64_t x, int64_t y) const {
    return image.pixel<uint8_t>(upside_down_ ? height_ - 1 - y : y, x);
  }
  static void put(uint8_t* to, const Color& color) { std::copy(color.begin(), color.end(), to); }

  std::string_view reader_;
  Bytes bytes_;
  size_t header_ = 0;  ///< size of the second header
  size_t pixels_ = 0;  ///< where they begin
  int64_t height_ = 0;
  int64_t width_ = 0;
  bool upside_down_ = true;
  uint32_t bits_ = 0;
  Packing packing_ = Packing::kNone;
  std::vector<Color> palette_;
  std::array<uint32_t, 3> masks_{};
};

constexpr size_t kFileHeader = 14;
constexpr size_t kOldHeader = 12;  ///< of OS/2: sizes of 16 bits, colours of 3 bytes
constexpr size_t kInfoHeader = 40;

void BmpReader::read_header() {
  pixels_ = number(10, 4);
  header_ = number(kFileHeader, 4);
  if (header_ != kOldHeader && header_ < kInfoHeader) fail("its header has an unknown size");
  const bool old = header_ == kOldHeader;
  width_ = static_cast<int32_t>(number(18, old ? 2 : 4));
  height_ = static_cast<int32_t>(number(old ? 20 : 22, old ? 2 : 4));
  bits_ = number(old ? 24 : 28, 2);
  packing_ = static_cast<Packing>(old ? 0 : number(30, 4));
  upside_down_ = height_ >= 0;
  height_ = std::abs(height_);
  const bool masks = packing_ == Packing::kMasks || packing_ == Packing::kMasksWithAlpha;
  const bool known = packing_ == Packing::kNone
                         ? bits_ == 1 || bits_ == 4 || bits_ == 8 || bits_ == 16 || bits_ == 24 || bits_ == 32
                         : (packing_ == Packing::kRuns8 && bits_ == 8) ||
                               (packing_ == Packing::kRuns4 && bits_ == 4) ||
                               (masks && (bits_ == 16 || bits_ == 32));
  if (!known)
    fail(cat(bits_, " bits a pixel with compression ", static_cast<uint32_t>(packing_), " is unknown"));
}

void BmpReader::read_palette() {
  const bool old = header_ == kOldHeader;
  const size_t bytes_each = old ? 3 : 4;
  const uint32_t stored = old ? 0 : number(46, 4);
  const size_t count = std::min<size_t>(stored ? stored : 1u << bits_, 256);
  for (size_t i = 0; i < count; ++i) {
    const size_t at = kFileHeader + header_ + i * bytes_each;
    palette_.push_back({byte(at + 2), byte(at + 1), byte(at)});
  }
}

void BmpReader::read_masks() {
  if (packing_ == Packing::kNone) {
    masks_ = bits_ == 16 ? std::array<uint32_t, 3>{0x7c00, 0x3e0, 0x1f}
                         : std::array<uint32_t, 3>{0xff0000, 0xff00, 0xff};
    return;
  }
  for (size_t i = 0; i < 3; ++i) masks_[i] = number(kFileHeader + kInfoHeader + 4 * i, 4);
}

BmpReader::Color BmpReader::packed_color(uint32_t pixel) const {
  Color color{};
  for (size_t c = 0; c < 3; ++c) {
    if (masks_[c] == 0) continue;
    const int shift = std::countr_zero(masks_[c]);
    const uint64_t most = masks_[c] >> shift;
    color[c] = static_cast<uint8_t>(((pixel & masks_[c]) >> shift) * uint64_t{255} / most);
  }
  return color;
}

BmpReader::Color BmpReader::color_at(size_t row, int64_t x) const {
  const auto column = static_cast<size_t>(x);
  if (bits_ == 24) return {byte(row + 3 * column + 2), byte(row + 3 * column + 1), byte(row + 3 * column)};
  if (bits_ == 32) return packed_color(number(row + 4 * column, 4));
  if (bits_ == 16) return packed_color(number(row + 2 * column, 2));
  const size_t per_byte = 8 / bits_;
  const size_t shift = bits_ * (per_byte - 1 - column % per_byte);
  return palette_color(byte(row + column / per_byte) >> shift & ((1u << bits_) - 1));
}

void BmpReader::read_rows(const Image& image) const {
  const size_t stride = (static_cast<size_t>(width_) * bits_ + 31) / 32 * 4;
  for (int64_t y = 0; y < height_; ++y) {
    const size_t row = pixels_ + static_cast<size_t>(y) * stride;
    for (int64_t x = 0; x < width_; ++x) put(pixel(image, x, y), color_at(row, x));
  }
}

/// Pairs of bytes: a count and what is repeated; a zero and then the end of a row (0), of the image (1), a
/// step (2), or that many pixels as they are.
void BmpReader::read_runs(const Image& image) const {
  std::fill_n(image.row<uint8_t>(0), height_ * image.row_size(), 0);
  const bool halves = packing_ == Packing::kRuns4;
  int64_t x = 0;
  int64_t y = 0;
  const auto put_next = [&](uint32_t index) {
    if (x < width_ && y < height_) put(pixel(image, x, y), palette_color(index));
    ++x;
  };
  const auto part = [&](uint8_t value, uint32_t i) -> uint32_t {
    if (!halves) return value;
    return i % 2 == 0 ? value >> 4 : value & 15u;
  };
  for (size_t at = pixels_; y < height_;) {
    const uint32_t count = byte(at);
    const uint8_t value = byte(at + 1);
    at += 2;
    if (count > 0) {
      for (uint32_t i = 0; i < count; ++i) put_next(part(value, i));
    } else if (value == 0) {
      x = 0;
      ++y;
    } else if (value == 1) {
      return;
    } else if (value == 2) {
      x += byte(at);
      y += byte(at + 1);
      at += 2;
    } else {
      for (uint32_t i = 0; i < value; ++i) put_next(part(byte(at + (halves ? i / 2 : i)), i));
      const size_t stored = halves ? (value + 1u) / 2 : value;
      at += stored + stored % 2;
    }
  }
}

}  // namespace

Image decode_bmp(std::string_view reader, Bytes bytes, Colors colors) {
  BmpReader file(reader, bytes);
  const Image rgb = file.read();
  const bool gray = colors == Colors::kGray || (colors == Colors::kOfFile && file.is_gray());
  return gray ? gray_of_rgb(rgb) : rgb;
}

}  // namespace dyad::data
