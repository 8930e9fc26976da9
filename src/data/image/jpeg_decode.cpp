#include <algorithm>
#include <functional>
#include <vector>

#include "data/image/codec.h"
#include "data/image/jpeg_errors.h"

namespace dyad::data {

namespace {

/// One JPEG file that is being decoded.
class JpegReader {
 public:
  explicit JpegReader(std::string_view reader) : reader_(reader) { codec_.err = errors_.start(); }
  ~JpegReader() { jpeg_destroy_decompress(&codec_); }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  /// Reads as far as the size is known.
  void open(Bytes bytes) {
    step([&] {
      jpeg_create_decompress(&codec_);
      jpeg_mem_src(&codec_, bytes.data(), bytes.size());
      jpeg_read_header(&codec_, TRUE);
    });
  }

  int64_t height() const { return codec_.image_height; }
  int64_t width() const { return codec_.image_width; }
  /// Whether the file has four inks in place of colours.
  bool has_inks() const { return codec_.jpeg_color_space == JCS_CMYK || codec_.jpeg_color_space == JCS_YCCK; }
  /// Whether the inks are stored as what they leave of the light, as Adobe's programs do.
  bool inverted() const { return codec_.saw_Adobe_marker; }
  bool is_gray() const { return codec_.jpeg_color_space == JCS_GRAYSCALE; }

  /// Reads the whole image.
  Image read(J_COLOR_SPACE space) {
    start(space);
    Image image = decoded_image(reader_, DType::kUInt8, height(), width(), codec_.output_components);
    step([&] { read_rows(image); });
    return image;
  }

  /// Reads the window in RGB, with as little around it as the blocks of the file allow.
  Image read_window(const Window& window);

 private:
  template <class Step>
  void step(const Step& step) {
    if (!jpeg_step(errors_, step)) fail();
  }
  [[noreturn]] void fail() {
    runtime_error(reader_, ": image decode failed: the JPEG is damaged: ", std::string_view(errors_.message));
  }
  void start(J_COLOR_SPACE space) {
    codec_.out_color_space = space;
    step([&] { jpeg_start_decompress(&codec_); });
  }
  /// Reads as many rows as the image has, which are all as wide as it.
  void read_rows(const Image& image) {
    for (int64_t y = 0; y < image.height;) {
      JSAMPROW row = image.row<uint8_t>(y);
      y += jpeg_read_scanlines(&codec_, &row, 1);
    }
  }

  std::string_view reader_;
  JpegErrors errors_;
  jpeg_decompress_struct codec_{};
};

/// Chroma of neighbours is mixed into a pixel: columns are decoded this far beyond the window to be right
/// inside.
constexpr int64_t kMargin = 16;

Image JpegReader::read_window(const Window& window) {
  start(JCS_RGB);
  const int64_t from = std::max<int64_t>(window.left - kMargin, 0);
  const int64_t to = std::min(window.left + window.width + kMargin, width());
  auto left = static_cast<JDIMENSION>(from);
  auto columns = static_cast<JDIMENSION>(to - from);
  step([&] { jpeg_crop_scanline(&codec_, &left, &columns); });
  std::vector<uint8_t> strip(columns * 3);
  const Image image = decoded_image(reader_, DType::kUInt8, window.height, window.width, 3);
  step([&] {
    if (window.top > 0) jpeg_skip_scanlines(&codec_, static_cast<JDIMENSION>(window.top));
    for (int64_t y = 0; y < window.height;) {
      JSAMPROW row = strip.data();
      const int64_t read = jpeg_read_scanlines(&codec_, &row, 1);
      if (read) std::copy_n(row + (window.left - left) * 3, window.width * 3, image.row<uint8_t>(y));
      y += read;
    }
  });
  return image;
}

/// a * b / 255, rounded.
int part_of_255(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

/// Light that is left by inks.
Image cmyk_to_rgb(std::string_view reader, const Image& inks, bool inverted) {
  Image rgb = decoded_image(reader, DType::kUInt8, inks.height, inks.width, 3);
  const uint8_t* from = inks.row<const uint8_t>(0);
  uint8_t* to = rgb.row<uint8_t>(0);
  const int flip = inverted ? 255 : 0;
  for (int64_t i = 0; i < inks.height * inks.width; ++i, from += 4, to += 3) {
    const int light = 255 - (from[3] ^ flip);
    for (int c = 0; c < 3; ++c) to[c] = static_cast<uint8_t>(light - part_of_255(from[c] ^ flip, light));
  }
  return rgb;
}

Image read_inks(std::string_view reader, JpegReader& file) {
  return cmyk_to_rgb(reader, file.read(JCS_CMYK), file.inverted());
}

}  // namespace

Image decode_jpeg(std::string_view reader, Bytes bytes, Colors colors) {
  JpegReader file(reader);
  file.open(bytes);
  const bool gray = colors == Colors::kGray || (colors == Colors::kOfFile && file.is_gray());
  if (file.has_inks()) return gray ? gray_of_rgb(read_inks(reader, file)) : read_inks(reader, file);
  return file.read(gray ? JCS_GRAYSCALE : JCS_RGB);
}

Image decode_jpeg_window(std::string_view reader, Bytes bytes,
                         const std::function<Window(int64_t height, int64_t width)>& choose) {
  JpegReader file(reader);
  file.open(bytes);
  const Window window = choose(file.height(), file.width());
  DYAD_ASSERT(window.top >= 0 && window.left >= 0 && window.height > 0 && window.width > 0);
  DYAD_ASSERT(window.top + window.height <= file.height() && window.left + window.width <= file.width());
  if (!file.has_inks()) return file.read_window(window);
  const Image whole = read_inks(reader, file);
  Image image = decoded_image(reader, DType::kUInt8, window.height, window.width, 3);
  for (int64_t y = 0; y < window.height; ++y)
    std::copy_n(whole.pixel<const uint8_t>(window.top + y, window.left), window.width * 3,
                image.row<uint8_t>(y));
  return image;
}

}  // namespace dyad::data
