#pragma once

#include <array>

#include "data/files/file_bytes.h"

namespace dyad::data {

/// A BMP file of 8 bits per pixel without compression, mapped into memory, as shades of grey.
class GreyBitmap {
 public:
  /// Any other file is a RuntimeError that names it.
  GreyBitmap(std::string_view owner, std::string path);

  const std::string& path() const { return file_.path(); }
  int64_t height() const { return height_; }
  int64_t width() const { return width_; }
  /// Copies `count` pixels of row `y`, counted from the top, from column `x` on. They must exist.
  void copy(int64_t y, int64_t x, int64_t count, uint8_t* to) const;

 private:
  void read_palette(std::string_view owner, int64_t begin, int64_t colours);
  MappedFile file_;
  int64_t height_ = 0;
  int64_t width_ = 0;
  bool upside_down_ = false;
  const uint8_t* pixels_ = nullptr;
  std::array<uint8_t, 256> shades_ = {};
};

}  // namespace dyad::data
