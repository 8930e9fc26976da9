#include "base/error.h"
#include "data/files/columns.h"
#include "data/rows/random.h"

namespace dyad::data {

namespace {

/// Images of random numbers with random labels: the same for the same seed and number of the row.
class FakeImages final : public Source {
 public:
  explicit FakeImages(const Attributes& attributes)
      : size_(attributes.integer("num_images")),
        classes_(attributes.integer("num_classes")),
        seed_(attributes.integer("base_seed")) {
    for (const int64_t extent : attributes.integers("image_size")) shape_.push_back(extent);
  }

  int64_t size() const override { return size_; }
  std::vector<std::string> columns() const override { return {"image", "label"}; }

  Row read(int64_t index) const override {
    require_row("FakeImageDataset", index, size_);
    Tensor image = empty(DType::kUInt8, shape_);
    Random numbers = random_of(index).part(1);
    uint8_t* to = image->as<uint8_t>();
    for (int64_t i = 0; i < numel(shape_); ++i) to[i] = static_cast<uint8_t>(numbers.bits() >> 24);
    return {image, one_number(DType::kUInt32, static_cast<uint32_t>(label(index)))};
  }

  std::vector<int64_t> classes() const override {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < size_; ++i) numbers.push_back(label(i));
    return numbers;
  }

 private:
  Random random_of(int64_t index) const {
    return Random(Random::mix(static_cast<uint64_t>(seed_), static_cast<uint64_t>(index)));
  }
  int64_t label(int64_t index) const { return random_of(index).part(0).integer(0, classes_ - 1); }

  int64_t size_;
  int64_t classes_;
  int64_t seed_;
  Shape shape_;
};

SourceRef open_fake_images(const Attributes& attributes) { return std::make_shared<FakeImages>(attributes); }

DYAD_SOURCE(fake_images, open_fake_images);

}  // namespace

}  // namespace dyad::data
