#include "data/image/boxes.h"

#include <algorithm>

namespace dyad::data {

namespace {

constexpr size_t kNumbers = 4;  ///< left, top, width, height

Tensor as_floats(std::string_view reader, const Tensor& given) {
  const Tensor from = contiguous(given);
  if (from->dtype == DType::kFloat32) return from;
  Tensor floats = empty(DType::kFloat32, from->shape);
  visit_real(reader, from->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    std::copy_n(from->as<const T>(), from->size(), floats->as<float>());
  });
  return floats;
}

void require_inside(std::string_view reader, const Box& box, const Image& image) {
  const bool inside = box.left >= 0 && box.top >= 0 && box.width >= 0 && box.height >= 0 &&
                      box.left + box.width <= static_cast<double>(image.width) &&
                      box.top + box.height <= static_cast<double>(image.height);
  if (!inside)
    runtime_error(reader, ": a bounding box has left ", box.left, ", top ", box.top, ", width ", box.width,
                  ", height ", box.height, "; it must lie inside of the image, which is ", image.width,
                  " wide and ", image.height, " high");
}

Boxes boxes_of(std::string_view reader, const Item& item) {
  const Tensor& given = item.tensor(reader);
  if (given->rank() != 2 || given->shape[1].value() < static_cast<int64_t>(kNumbers))
    runtime_error(reader, ": the bounding boxes are ", item,
                  "; they must be of shape (boxes, 4 or more): left, top, width, height");
  Boxes boxes;
  boxes.array = as_floats(reader, given);
  const auto columns = boxes.array->shape[1].value();
  for (int64_t i = 0; i < boxes.array->shape[0].value(); ++i) {
    const float* row = boxes.array->as<float>() + i * columns;
    boxes.list.push_back({row[0], row[1], row[2], row[3]});
    boxes.rows.push_back(static_cast<size_t>(i));
  }
  return boxes;
}

}  // namespace

BoxedImage boxed_image(std::string_view reader, const Row& columns) {
  if (columns.size() != 2)
    runtime_error(reader, ": ", columns.size(),
                  " columns were given; it takes an image and its bounding boxes");
  BoxedImage boxed{image_of(reader, columns[0]), boxes_of(reader, columns[1])};
  for (const Box& box : boxed.boxes.list) require_inside(reader, box, boxed.image);
  return boxed;
}

Row row_of(const BoxedImage& boxed) {
  const Boxes& boxes = boxed.boxes;
  const auto columns = static_cast<size_t>(boxes.array->shape[1].value());
  Tensor array = empty(DType::kFloat32, {static_cast<int64_t>(boxes.list.size()), boxes.array->shape[1]});
  auto* to = array->as<float>();
  for (size_t i = 0; i < boxes.list.size(); ++i, to += columns) {
    std::copy_n(boxes.array->as<const float>() + boxes.rows[i] * columns, columns, to);
    const Box& box = boxes.list[i];
    const double numbers[kNumbers] = {box.left, box.top, box.width, box.height};
    std::transform(numbers, numbers + kNumbers, to, [](double x) { return static_cast<float>(x); });
  }
  return {boxed.image.array, array};
}

void crop_boxes(Boxes& boxes, double top, double left, double height, double width) {
  Boxes kept;
  kept.array = boxes.array;
  for (size_t i = 0; i < boxes.list.size(); ++i) {
    const Box& box = boxes.list[i];
    const double from_x = std::max(box.left - left, 0.0);
    const double from_y = std::max(box.top - top, 0.0);
    const double to_x = std::min(box.left + box.width - left, width);
    const double to_y = std::min(box.top + box.height - top, height);
    if (to_x <= from_x || to_y <= from_y) continue;
    kept.list.push_back({from_x, from_y, to_x - from_x, to_y - from_y});
    kept.rows.push_back(boxes.rows[i]);
  }
  boxes = std::move(kept);
}

void scale_boxes(Boxes& boxes, double vertical, double horizontal) {
  for (Box& box : boxes.list)
    box = {box.left * horizontal, box.top * vertical, box.width * horizontal, box.height * vertical};
}

void move_boxes(Boxes& boxes, double down, double right) {
  for (Box& box : boxes.list) {
    box.left += right;
    box.top += down;
  }
}

}  // namespace dyad::data
