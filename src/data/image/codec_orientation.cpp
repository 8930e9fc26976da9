#include "data/image/orientation.h"

#include <algorithm>
#include <cstring>

namespace dyad::data {

namespace {

constexpr int kUpright = 1;

/// Numbers of an Exif part; what lies beyond its end reads as 0.
struct Numbers {
  Bytes bytes;
  bool little = false;

  uint32_t at(size_t place, size_t count) const {
    if (place > bytes.size() || bytes.size() - place < count) return 0;
    uint32_t value = 0;
    for (size_t i = 0; i < count; ++i) value = value << 8 | bytes[place + (little ? count - 1 - i : i)];
    return value;
  }
};

/// The entry 0x0112 of the first directory of a TIFF header with what follows it.
int orientation_in(Bytes tiff) {
  constexpr uint32_t kOrientation = 0x0112;
  if (tiff.size() < 8) return kUpright;
  const Numbers numbers{tiff, tiff[0] == 'I'};
  const size_t directory = numbers.at(4, 4);
  const uint32_t count = numbers.at(directory, 2);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t entry = directory + 2 + size_t{12} * i;
    if (numbers.at(entry, 2) != kOrientation) continue;
    const uint32_t value = numbers.at(entry + 8, 2);
    return value >= 1 && value <= 8 ? static_cast<int>(value) : kUpright;
  }
  return kUpright;
}

/// The image with rows and columns exchanged.
Image transposed(const Image& image) {
  Image made = empty_image(image, image.width, image.height);
  for (int64_t y = 0; y < image.height; ++y)
    for (int64_t x = 0; x < image.width; ++x)
      std::copy_n(image.pixel<const uint8_t>(y, x), image.channels, made.pixel<uint8_t>(x, y));
  return made;
}

}  // namespace

int orientation_of(Bytes bytes) {
  constexpr std::string_view kExif("Exif\0\0", 6);
  constexpr uint8_t kMarker = 0xff;
  constexpr uint8_t kExifPart = 0xe1;
  constexpr uint8_t kPixels = 0xda;
  if (!is_jpeg(bytes)) return kUpright;
  const Numbers numbers{bytes};
  for (size_t at = 2; at + 4 <= bytes.size() && bytes[at] == kMarker && bytes[at + 1] != kPixels;) {
    const size_t length = numbers.at(at + 2, 2);
    if (length < 2 || length > bytes.size() - at - 2) return kUpright;
    const Bytes part = bytes.subspan(at + 4, length - 2);
    if (bytes[at + 1] == kExifPart && part.size() >= kExif.size() &&
        std::memcmp(part.data(), kExif.data(), kExif.size()) == 0)
      return orientation_in(part.subspan(kExif.size()));
    at += 2 + length;
  }
  return kUpright;
}

Image upright(const Image& image, int orientation) {
  switch (orientation) {
    case 2:
      return flipped_horizontally(image);
    case 3:
      return flipped_vertically(flipped_horizontally(image));
    case 4:
      return flipped_vertically(image);
    case 5:
      return transposed(image);
    case 6:
      return flipped_horizontally(transposed(image));
    case 7:
      return flipped_vertically(flipped_horizontally(transposed(image)));
    case 8:
      return flipped_vertically(transposed(image));
    default:
      return image;
  }
}

}  // namespace dyad::data
