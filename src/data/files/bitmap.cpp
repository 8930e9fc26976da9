#include "data/files/bitmap.h"

#include <cstdlib>
#include <cstring>

#include "base/error.h"

namespace dyad::data {

namespace {

constexpr int64_t kFileHeader = 14;
constexpr int64_t kLeastHeaders = kFileHeader + 40;
constexpr int64_t kMostPixels = 1 << 28;

uint32_t little_endian(const uint8_t* at) {
  return static_cast<uint32_t>(at[0]) | static_cast<uint32_t>(at[1]) << 8 |
         static_cast<uint32_t>(at[2]) << 16 | static_cast<uint32_t>(at[3]) << 24;
}

/// Bytes of a row of pixels: a multiple of four.
int64_t row_bytes(int64_t width) { return (width + 3) / 4 * 4; }

}  // namespace

GreyBitmap::GreyBitmap(std::string_view owner, std::string path) : file_(owner, std::move(path)) {
  const uint8_t* at = file_.data();
  if (file_.size() < kLeastHeaders || std::memcmp(at, "BM", 2) != 0)
    runtime_error(owner, ": the file ", this->path(), " is no BMP file");
  const int bits = at[28] | at[29] << 8;
  if (bits != 8 || little_endian(at + 30) != 0)
    runtime_error(owner, ": the file ", this->path(), " has ", bits,
                  " bits per pixel or is compressed; need 8 bits without compression");
  width_ = static_cast<int32_t>(little_endian(at + 18));
  const int64_t height = static_cast<int32_t>(little_endian(at + 22));
  upside_down_ = height > 0;
  height_ = std::abs(height);
  const int64_t begin = little_endian(at + 10);
  const bool fits = width_ > 0 && height_ > 0 && width_ <= kMostPixels / height_ && begin >= kLeastHeaders &&
                    begin + row_bytes(width_) * height_ <= file_.size();
  if (!fits)
    runtime_error(owner, ": the file ", this->path(), " is truncated: its header says ", height_, " by ",
                  width_, " pixels from byte ", begin, " on; it has ", file_.size(), " bytes");
  pixels_ = at + begin;
  const int64_t colours = little_endian(at + 46);
  read_palette(owner, kFileHeader + static_cast<int64_t>(little_endian(at + 14)), colours ? colours : 256);
}

void GreyBitmap::read_palette(std::string_view owner, int64_t begin, int64_t colours) {
  if (colours > 256 || begin + 4 * colours > file_.size())
    runtime_error(owner, ": the file ", path(), " has a palette of ", colours, " colours at byte ", begin,
                  "; it has ", file_.size(), " bytes");
  for (int64_t i = 0; i < colours; ++i) {
    const uint8_t* colour = file_.data() + begin + 4 * i;  // blue, green, red
    const double grey = 0.114 * colour[0] + 0.587 * colour[1] + 0.299 * colour[2];
    shades_[static_cast<size_t>(i)] = static_cast<uint8_t>(grey + 0.5);
  }
}

void GreyBitmap::copy(int64_t y, int64_t x, int64_t count, uint8_t* to) const {
  const int64_t row = upside_down_ ? height_ - 1 - y : y;
  const uint8_t* from = pixels_ + row * row_bytes(width_) + x;
  for (int64_t i = 0; i < count; ++i) to[i] = shades_[from[i]];
}

}  // namespace dyad::data
