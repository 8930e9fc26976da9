#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "data/image/augment_beta.h"
#include "data/image/image.h"
#include "data/rows/transform.h"

namespace dyad::data {

namespace {

std::vector<int64_t> shuffled(int64_t count, Random& random) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[static_cast<size_t>(i)], order[static_cast<size_t>(random.integer(0, i))]);
  return order;
}

/// A batch of images and its labels: the columns of a transform that mixes rows.
struct Batch {
  Tensor images;
  Tensor labels;  ///< float32

  int64_t count() const { return images->shape[0].value(); }
  int64_t image_size() const { return images->size() / count(); }
  int64_t label_size() const { return labels->size() / count(); }
};

Tensor as_floats(std::string_view reader, const Tensor& array) {
  const Tensor from = contiguous(array);
  Tensor made = empty(DType::kFloat32, from->shape);
  visit_real(reader, from->dtype, [&](auto typed) {
    using T = typename decltype(typed)::type;
    std::transform(from->as<T>(), from->as<T>() + from->size(), made->as<float>(),
                   [](T value) { return static_cast<float>(value); });
  });
  return made;
}

Batch batch_of(std::string_view reader, const Row& columns) {
  if (columns.size() != 2)
    runtime_error(reader, ": ", columns.size(),
                  " columns were given; it takes two, the images and the labels");
  const Tensor images = contiguous(columns[0].tensor(reader));
  const Tensor& labels = columns[1].tensor(reader);
  if (images->rank() != 4 || images->size() == 0)
    runtime_error(reader, ": the images have shape ", images->shape,
                  "; it must have 4 dimensions: batch them before");
  visit_real(reader, images->dtype, [](auto) {});
  if (is_bool(images->dtype))
    runtime_error(reader, ": the images are of bool; they must be of integers or floats");
  if ((labels->rank() != 2 && labels->rank() != 3) || labels->size() == 0)
    runtime_error(reader, ": the labels have shape ", labels->shape,
                  "; it must be (batch, classes) or (batch, rows, classes): apply OneHot before");
  if (labels->shape[0].value() != images->shape[0].value())
    runtime_error(reader, ": there are ", images->shape[0].value(), " images and ", labels->shape[0].value(),
                  " labels; there must be as many of each");
  return {images, as_floats(reader, labels)};
}

/// weight * a + (1 - weight) * b of `count` numbers.
template <class T>
void mix(const T* a, const T* b, double weight, int64_t count, T* to) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = to_element<T>(weight * static_cast<double>(a[i]) + (1 - weight) * static_cast<double>(b[i]));
}

void mix_labels(const Batch& batch, int64_t row, int64_t other, double weight, const Tensor& made) {
  const int64_t size = batch.label_size();
  const float* labels = batch.labels->as<float>();
  mix(labels + row * size, labels + other * size, weight, size, made->as<float>() + row * size);
}

TransformRef make_mixup_batch(const Attributes& attributes) {
  const double alpha = attributes.number("alpha");
  return of_row([alpha](Row& columns, Random& random) {
    const Batch batch = batch_of("MixUpBatch", columns);
    const double weight = drawn_beta(alpha, alpha, random);
    const std::vector<int64_t> others = shuffled(batch.count(), random);
    const Tensor images = empty(batch.images->dtype, batch.images->shape);
    const Tensor labels = empty(DType::kFloat32, batch.labels->shape);
    visit_real("MixUpBatch", images->dtype, [&](auto typed) {
      using T = typename decltype(typed)::type;
      const int64_t size = batch.image_size();
      const T* from = batch.images->as<T>();
      for (int64_t i = 0; i < batch.count(); ++i)
        mix(from + i * size, from + others[static_cast<size_t>(i)] * size, weight, size,
            images->as<T>() + i * size);
    });
    for (int64_t i = 0; i < batch.count(); ++i)
      mix_labels(batch, i, others[static_cast<size_t>(i)], weight, labels);
    columns = {images, labels};
  });
}

/// Where an image of a batch has its rows: planes of rows of pixels. Channels are planes or parts of pixels.
struct Layout {
  int64_t planes, height, width, pixel;  ///< elements of a pixel
};

Layout layout_of(const TensorImpl& images, bool channels_last) {
  const auto size = [&](size_t axis) { return images.shape[axis].value(); };
  return channels_last ? Layout{1, size(1), size(2), size(3)} : Layout{size(1), size(2), size(3), 1};
}

struct Box {
  int64_t top, left, bottom, right;
};

/// A box about a point of the image with the share `1 - kept` of its area, cut at the edges.
Box drawn_box(const Layout& layout, double kept, Random& random) {
  const double side = std::sqrt(std::max(0.0, 1 - kept));
  const auto tall = static_cast<int64_t>(side * static_cast<double>(layout.height));
  const auto wide = static_cast<int64_t>(side * static_cast<double>(layout.width));
  const int64_t y = random.integer(0, layout.height - 1);
  const int64_t x = random.integer(0, layout.width - 1);
  return {std::max<int64_t>(0, y - tall / 2), std::max<int64_t>(0, x - wide / 2),
          std::min(layout.height, y - tall / 2 + tall), std::min(layout.width, x - wide / 2 + wide)};
}

/// Copies the box of image `from` of `source` over that of image `to` of `made`.
void copy_box(const Layout& layout, const Box& box, const Tensor& source, int64_t from, const Tensor& made,
              int64_t to) {
  const int64_t bytes = layout.pixel * itemsize(source->dtype);
  const int64_t width = std::max<int64_t>(0, box.right - box.left) * bytes;
  for (int64_t plane = 0; plane < layout.planes; ++plane)
    for (int64_t y = box.top; y < box.bottom; ++y) {
      const auto place = [&](int64_t image) {
        return (((image * layout.planes + plane) * layout.height + y) * layout.width + box.left) * bytes;
      };
      std::memcpy(made->as<char>() + place(to), source->as<char>() + place(from), static_cast<size_t>(width));
    }
}

TransformRef make_cutmix_batch(const Attributes& attributes) {
  const bool channels_last = attributes.flag("channels_last");
  const double alpha = attributes.number("alpha");
  const double chance = attributes.number("prob");
  return of_row([=](Row& columns, Random& random) {
    const Batch batch = batch_of("CutMixBatch", columns);
    const Layout layout = layout_of(*batch.images, channels_last);
    const std::vector<int64_t> others = shuffled(batch.count(), random);
    const Tensor images = empty(batch.images->dtype, batch.images->shape);
    std::memcpy(images->data, batch.images->data,
                static_cast<size_t>(images->size() * itemsize(images->dtype)));
    const Tensor labels = empty(DType::kFloat32, batch.labels->shape);
    for (int64_t i = 0; i < batch.count(); ++i) {
      const int64_t other = others[static_cast<size_t>(i)];
      Box box{};
      if (random.chance(chance)) box = drawn_box(layout, drawn_beta(alpha, alpha, random), random);
      copy_box(layout, box, batch.images, other, images, i);
      const auto area = static_cast<double>((box.bottom - box.top) * (box.right - box.left));
      mix_labels(batch, i, other, 1 - area / static_cast<double>(layout.height * layout.width), labels);
    }
    columns = {images, labels};
  });
}

DYAD_TRANSFORM(mixup_batch, make_mixup_batch);
DYAD_TRANSFORM(cutmix_batch, make_cutmix_batch);

}  // namespace

}  // namespace dyad::data
