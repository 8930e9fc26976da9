#include "data/image/codec.h"

#include <cstring>
#include <string>

#include "data/image/orientation.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

constexpr int64_t kMostPixels = int64_t{1} << 30;

bool starts_with(Bytes bytes, std::string_view start, size_t at = 0) {
  return bytes.size() >= at + start.size() && std::memcmp(bytes.data() + at, start.data(), start.size()) == 0;
}

/// What the first bytes are, in words.
std::string_view format_of(Bytes bytes) {
  if (starts_with(bytes, "GIF8")) return "a GIF";
  if (starts_with(bytes, "RIFF") && starts_with(bytes, "WEBP", 8)) return "a WEBP";
  if (starts_with(bytes, std::string_view("II*\0", 4)) || starts_with(bytes, std::string_view("MM\0*", 4)))
    return "a TIFF";
  return {};
}

[[noreturn]] void refuse_format(std::string_view reader, Bytes bytes) {
  const std::string_view format = format_of(bytes);
  if (!format.empty())
    runtime_error(reader, ": the image is ", format,
                  "; JPEG, PNG and BMP are decoded, others with to_pil=True");
  runtime_error(reader, ": image decode failed: the first of ", bytes.size(),
                " bytes are those of no JPEG, PNG or BMP file");
}

TransformRef make_decode(const Attributes&) {
  return of_one("Decode", [](const Item& item, Random&) -> Item {
    return decode_image("Decode", bytes_of("Decode", item), Colors::kRgb).array;
  });
}

/// A file that is asked for in given colours is shown upright; one that is asked for as it is stays so.
TransformRef make_read_image(const Attributes& attributes) {
  const auto colors = static_cast<Colors>(attributes.integer("colors"));
  return of_one("read_image", [file = attributes.text("file"), colors](const Item& item, Random&) -> Item {
    const Bytes bytes = bytes_of("read_image", item);
    const Image image = decode_image(cat("read_image: ", file), bytes, colors);
    return colors == Colors::kOfFile ? image.array : upright(image, orientation_of(bytes)).array;
  });
}

/// The image that an encoder is given.
Image encodable(std::string_view reader, const Item& item) {
  const Image image = image_of(reader, item);
  require_dtype(reader, image, {DType::kUInt8});
  require_channels(reader, image, {1, 3});
  return image;
}

TransformRef make_encode_jpeg(const Attributes& attributes) {
  const int64_t quality = attributes.integer("quality");
  return of_one("encode_jpeg", [quality](const Item& item, Random&) -> Item {
    return encode_jpeg("encode_jpeg", encodable("encode_jpeg", item), quality);
  });
}

TransformRef make_encode_png(const Attributes& attributes) {
  const int64_t level = attributes.integer("compression_level");
  return of_one("encode_png", [level](const Item& item, Random&) -> Item {
    return encode_png("encode_png", encodable("encode_png", item), level);
  });
}

DYAD_TRANSFORM(decode, make_decode);
DYAD_TRANSFORM(read_image, make_read_image);
DYAD_TRANSFORM(encode_jpeg, make_encode_jpeg);
DYAD_TRANSFORM(encode_png, make_encode_png);

Bytes bytes_of_text(std::string_view reader, const Texts& texts) {
  if (texts.values.size() != 1 || !texts.binary)
    runtime_error(reader, ": got text; it must be the bytes of an image file");
  return {reinterpret_cast<const uint8_t*>(texts.values[0].data()), texts.values[0].size()};
}

}  // namespace

bool is_jpeg(Bytes bytes) { return starts_with(bytes, "\xff\xd8\xff"); }
bool is_png(Bytes bytes) { return starts_with(bytes, "\x89PNG\r\n\x1a\n"); }
bool is_bmp(Bytes bytes) { return starts_with(bytes, "BM"); }

Image decode_image(std::string_view reader, Bytes bytes, Colors colors) {
  if (bytes.empty()) runtime_error(reader, ": image decode failed: there are no bytes");
  if (is_jpeg(bytes)) return decode_jpeg(reader, bytes, colors);
  if (is_png(bytes)) return decode_png(reader, bytes, colors);
  if (is_bmp(bytes)) return decode_bmp(reader, bytes, colors);
  refuse_format(reader, bytes);
}

Image decoded_image(std::string_view reader, DType dtype, int64_t height, int64_t width, int64_t channels) {
  if (height < 1 || width < 1 || width > kMostPixels || height > kMostPixels / width)
    runtime_error(reader, ": image decode failed: the file says that it is ", height, " pixels high and ",
                  width, " wide; from 1 to ", kMostPixels, " pixels are decoded");
  return as_image(empty(dtype, {height, width, channels}));
}

Image gray_of_rgb(const Image& rgb) {
  Image gray = as_image(empty(DType::kUInt8, {rgb.height, rgb.width, 1}));
  const uint8_t* from = rgb.row<const uint8_t>(0);
  uint8_t* to = gray.row<uint8_t>(0);
  for (int64_t i = 0; i < rgb.height * rgb.width; ++i, from += 3)
    to[i] = static_cast<uint8_t>((4899 * from[0] + 9617 * from[1] + 1868 * from[2] + 8192) >> 14);
  return gray;
}

Bytes bytes_of(std::string_view reader, const Item& item) {
  if (item.is_texts()) return bytes_of_text(reader, item.texts(reader));
  const Tensor& array = item.tensor(reader);
  if (array->rank() != 1)
    runtime_error(reader, ": got ", item,
                  "; it must be the bytes of an image file, of one dimension; is the image decoded already?");
  if (itemsize(array->dtype) != 1)
    runtime_error(reader, ": got ", item, "; it must be the bytes of an image file, of uint8");
  if (!array->contiguous()) runtime_error(reader, ": the bytes of the image file do not lie side by side");
  return {array->as<const uint8_t>(), static_cast<size_t>(array->size())};
}

}  // namespace dyad::data
