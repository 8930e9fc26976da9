#include <csetjmp>
#include <cstring>
#include <new>
#include <vector>

#include <png.h>

#include "data/image/codec.h"

namespace dyad::data {

namespace {

/// One PNG file that is being made. libpng reports an error by a jump.
class PngWriter {
 public:
  explicit PngWriter(std::string_view writer) : writer_(writer) {}
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  Tensor write(const Image& image, int level) {
    png_ = png_create_write_struct(PNG_LIBPNG_VER_STRING, this, fail, ignore);
    info_ = png_ ? png_create_info_struct(png_) : nullptr;
    if (!info_ || !succeeds(image, level))
      runtime_error(writer_, ": the image cannot be written as PNG: ", std::string_view(message_));
    Tensor file = empty(DType::kUInt8, {static_cast<int64_t>(bytes_.size())});
    std::memcpy(file->data, bytes_.data(), bytes_.size());
    return file;
  }

 private:
  [[gnu::noinline]] bool succeeds(const Image& image, int level) {
    if (setjmp(back_) != 0) return false;
    write_all(image, level);
    return true;
  }

  void write_all(const Image& image, int level) {
    png_set_write_fn(png_, this, take, flush);
    png_set_compression_level(png_, level);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(image.width), static_cast<png_uint_32>(image.height),
                 8, image.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png_, info_);
    for (int64_t y = 0; y < image.height; ++y) png_write_row(png_, image.row<png_byte>(y));
    png_write_end(png_, info_);
  }

  static void fail(png_structp png, png_const_charp message) {
    auto* self = static_cast<PngWriter*>(png_get_error_ptr(png));
    std::strncpy(self->message_, message, sizeof self->message_ - 1);
    std::longjmp(self->back_, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void flush(png_structp) {}

  static void take(png_structp png, png_bytep bytes, size_t count) {
    if (!static_cast<PngWriter*>(png_get_io_ptr(png))->append(bytes, count))
      png_error(png, "there is no memory for the file");
  }
  bool append(const png_byte* bytes, size_t count) noexcept {
    try {
      bytes_.insert(bytes_.end(), bytes, bytes + count);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  std::string_view writer_;
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  std::jmp_buf back_;
  char message_[128] = {};
  std::vector<png_byte> bytes_;
};

}  // namespace

Tensor encode_png(std::string_view reader, const Image& image, int64_t compression_level) {
  return PngWriter(reader).write(image, static_cast<int>(compression_level));
}

}  // namespace dyad::data
