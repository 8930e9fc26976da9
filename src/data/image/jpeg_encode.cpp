#include <cstdlib>
#include <cstring>

#include "data/image/codec.h"
#include "data/image/jpeg_errors.h"

namespace dyad::data {

namespace {

/// One JPEG file that is being made, in memory that libjpeg enlarges as it needs.
class JpegWriter {
 public:
  explicit JpegWriter(std::string_view writer) : writer_(writer) { codec_.err = errors_.start(); }
  ~JpegWriter() {
    jpeg_destroy_compress(&codec_);
    std::free(bytes_);  // NOLINT: libjpeg's own malloc
  }
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;

  Tensor write(const Image& image, int quality) {
    if (!jpeg_step(errors_, [&] { write_all(image, quality); }))
      runtime_error(writer_, ": the image cannot be written as JPEG: ", std::string_view(errors_.message));
    Tensor file = empty(DType::kUInt8, {static_cast<int64_t>(size_)});
    std::memcpy(file->data, bytes_, size_);
    return file;
  }

 private:
  void write_all(const Image& image, int quality) {
    jpeg_create_compress(&codec_);
    jpeg_mem_dest(&codec_, &bytes_, &size_);
    codec_.image_width = static_cast<JDIMENSION>(image.width);
    codec_.image_height = static_cast<JDIMENSION>(image.height);
    codec_.input_components = static_cast<int>(image.channels);
    codec_.in_color_space = image.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&codec_);
    jpeg_set_quality(&codec_, quality, TRUE);
    jpeg_start_compress(&codec_, TRUE);
    while (codec_.next_scanline < codec_.image_height) {
      JSAMPROW row = image.row<uint8_t>(codec_.next_scanline);
      jpeg_write_scanlines(&codec_, &row, 1);
    }
    jpeg_finish_compress(&codec_);
  }

  std::string_view writer_;
  JpegErrors errors_;
  jpeg_compress_struct codec_{};
  unsigned char* bytes_ = nullptr;
  unsigned long size_ = 0;  // NOLINT: libjpeg's type
};

}  // namespace

Tensor encode_jpeg(std::string_view reader, const Image& image, int64_t quality) {
  if (image.height > JPEG_MAX_DIMENSION || image.width > JPEG_MAX_DIMENSION)
    runtime_error(reader, ": the image has shape ", image.array->shape, "; a JPEG has at most ",
                  JPEG_MAX_DIMENSION, " pixels a side");
  return JpegWriter(reader).write(image, static_cast<int>(quality));
}

}  // namespace dyad::data
