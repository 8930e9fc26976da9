#pragma once

#include <vector>

#include "data/image/image.h"

namespace dyad::data {

/// Where something is in an image, in pixels.
struct Box {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;
};

/// The boxes of an image: the first four numbers of each row of an array; what else a row holds stays with
/// its box.
struct Boxes {
  std::vector<Box> list;
  std::vector<size_t> rows;  ///< of the array, one per box
  Tensor array;
};

/// An image and the boxes in it.
struct BoxedImage {
  Image image;
  Boxes boxes;
};

/// The image and the boxes that two columns are. Boxes that are none, or lie outside of the image, are
/// RuntimeErrors in the name of `reader`.
BoxedImage boxed_image(std::string_view reader, const Row& columns);
/// The two columns again; the boxes are of float32.
Row row_of(const BoxedImage& boxed);
/// Moves the boxes to where they are in a window of the image, cuts them to it, and leaves out those outside
/// of it.
void crop_boxes(Boxes& boxes, double top, double left, double height, double width);
/// Scales the boxes as an image is.
void scale_boxes(Boxes& boxes, double vertical, double horizontal);
/// Moves the boxes by the pixels that were put before them.
void move_boxes(Boxes& boxes, double down, double right);

}  // namespace dyad::data
