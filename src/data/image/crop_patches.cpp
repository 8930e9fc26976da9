#include "data/image/crop.h"
#include "data/image/pad.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

void require_count(std::string_view axis, int64_t count, int64_t size, const Image& image) {
  if (count > size)
    runtime_error("SlicePatches: the image has shape ", image.array->shape, "; it cannot be cut in ", count,
                  " patches along its ", axis);
}

/// The image with what is missing for the last patches.
Image with_whole_patches(const Image& image, int64_t height, int64_t width, int64_t fill) {
  Padding padding;
  padding.bottom = height - image.height;
  padding.right = width - image.width;
  padding.fill.fill(static_cast<double>(fill));
  return padded("SlicePatches", image, padding);
}

Row patches(const Image& image, int64_t rows, int64_t columns, int64_t height, int64_t width) {
  Row list;
  for (int64_t y = 0; y < rows; ++y)
    for (int64_t x = 0; x < columns; ++x)
      list.push_back(cropped(image, {y * height, x * width, height, width}).array);
  return list;
}

TransformRef make_slice_patches(const Attributes& attributes) {
  const int64_t rows = attributes.integer("num_height");
  const int64_t across = attributes.integer("num_width");
  const bool drops = attributes.flag("drops");
  const int64_t fill = attributes.integer("fill_value");
  return of_row([=](Row& columns, Random&) {
    if (columns.size() != 1)
      runtime_error("SlicePatches: ", columns.size(), " columns were given; it takes one column");
    const Image image = image_of("SlicePatches", columns[0]);
    require_count("height", rows, image.height, image);
    require_count("width", across, image.width, image);
    const int64_t height = drops ? image.height / rows : (image.height + rows - 1) / rows;
    const int64_t width = drops ? image.width / across : (image.width + across - 1) / across;
    columns = drops ? patches(image, rows, across, height, width)
                    : patches(with_whole_patches(image, rows * height, across * width, fill), rows, across,
                              height, width);
  });
}

DYAD_TRANSFORM(slice_patches, make_slice_patches);

}  // namespace

}  // namespace dyad::data
