#include <csetjmp>
#include <cstring>
#include <vector>

#include <png.h>

#include "data/image/codec.h"

namespace dyad::data {

namespace {

/// One PNG file that is being decoded. libpng reports an error by a jump; a step that it may happen in has
/// nothing to destroy.
class PngReader {
 public:
  PngReader(std::string_view reader, Bytes bytes) : reader_(reader), rest_(bytes) {}
  ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  Image read(Colors colors) {
    open();
    const bool gray = colors == Colors::kOfFile && file_is_gray();
    step([&] { choose_output(colors, gray); });
    Image image =
        decoded_image(reader_, png_get_bit_depth(png_, info_) == 16 ? DType::kUInt16 : DType::kUInt8,
                      png_get_image_height(png_, info_), png_get_image_width(png_, info_), gray ? 1 : 3);
    DYAD_ASSERT(png_get_rowbytes(png_, info_) ==
                static_cast<size_t>(image.row_size() * itemsize(image.dtype())));
    rows_.resize(static_cast<size_t>(image.height));
    for (int64_t y = 0; y < image.height; ++y)
      rows_[static_cast<size_t>(y)] =
          image.array->as<png_byte>() + y * image.row_size() * itemsize(image.dtype());
    step([&] { png_read_image(png_, rows_.data()); });
    return image;
  }

 private:
  template <class Step>
  [[gnu::noinline]] bool succeeds(const Step& step) {
    if (setjmp(back_) != 0) return false;
    step();
    return true;
  }
  template <class Step>
  void step(const Step& step) {
    if (!succeeds(step))
      runtime_error(reader_, ": image decode failed: the PNG is damaged: ", std::string_view(message_));
  }

  void open() {
    png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_) raise(ErrorKind::kMemory, cat(reader_, ": there is no memory to decode a PNG"));
    step([&] {
      png_set_read_fn(png_, this, give);
      png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
      png_read_info(png_, info_);
    });
  }

  /// Grey without an alpha channel: what a file of one channel is.
  bool file_is_gray() const { return png_get_color_type(png_, info_) == PNG_COLOR_TYPE_GRAY; }

  void choose_output(Colors colors, bool gray) {
    const png_byte type = png_get_color_type(png_, info_);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png_);
    if (png_get_bit_depth(png_, info_) < 8) png_set_expand_gray_1_2_4_to_8(png_);
    if (png_get_bit_depth(png_, info_) == 16 && colors != Colors::kOfFile) png_set_strip_16(png_);
    if (png_get_bit_depth(png_, info_) == 16) png_set_swap(png_);
    if (!gray) png_set_gray_to_rgb(png_);
    png_set_strip_alpha(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
  }

  static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    std::longjmp(self->back_, 1);
  }
  static void ignore(png_structp, png_const_charp) {}

  static void give(png_structp png, png_bytep to, size_t count) {
    auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
    if (count > self->rest_.size()) png_error(png, "the file ends before the image does");
    std::memcpy(to, self->rest_.data(), count);
    self->rest_ = self->rest_.subspan(count);
  }

  std::string_view reader_;
  Bytes rest_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf back_;
  char message_[128] = {};
  std::vector<png_bytep> rows_;
};

}  // namespace

Image decode_png(std::string_view reader, Bytes bytes, Colors colors) {
  if (colors == Colors::kGray) return gray_of_rgb(PngReader(reader, bytes).read(Colors::kRgb));
  return PngReader(reader, bytes).read(colors);
}

}  // namespace dyad::data
