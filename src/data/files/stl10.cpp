#include "base/error.h"
#include "data/files/columns.h"
#include "data/files/file_bytes.h"

namespace dyad::data {

namespace {

constexpr int64_t kSide = 96;
constexpr int64_t kPlane = kSide * kSide;
constexpr int64_t kImage = 3 * kPlane;

/// A file of images and one of labels; without the latter, images have no label.
struct Part {
  Part(std::string_view owner, const std::string& path, int64_t begin) : images(owner, path), begin(begin) {}
  MappedFile images;
  std::unique_ptr<MappedFile> labels;
  int64_t begin;  ///< number of the first image in the whole source
};

/// The images of STL-10: a plane each of red, green and blue, stored column by column. Labels count from 1.
class Stl10Source final : public Source {
 public:
  explicit Stl10Source(const Attributes& attributes) : owner_(attributes.text("owner")) {
    const std::vector<std::string> images = attributes.texts("images");
    const std::vector<std::string> labels = attributes.texts("labels");
    DYAD_ASSERT(!images.empty() && images.size() == labels.size());
    for (size_t i = 0; i < images.size(); ++i) add_part(images[i], labels[i]);
  }

  int64_t size() const override { return total_; }
  std::vector<std::string> columns() const override { return {"image", "label"}; }

  Row read(int64_t index) const override {
    require_row(owner_, index, total_);
    const Part& part = part_of(index);
    return {image(part.images.data() + (index - part.begin) * kImage),
            one_number(DType::kInt32, label(part, index - part.begin))};
  }

  std::vector<int64_t> classes() const override {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < total_; ++i) numbers.push_back(label(part_of(i), i - part_of(i).begin));
    return numbers;
  }

  std::string origin(int64_t index) const override {
    require_row(owner_, index, total_);
    return part_of(index).images.path();
  }

 private:
  void add_part(const std::string& images, const std::string& labels) {
    parts_.push_back(std::make_unique<Part>(owner_, images, total_));
    Part& part = *parts_.back();
    const int64_t bytes = part.images.size();
    if (bytes == 0 || bytes % kImage != 0)
      runtime_error(owner_, ": the file ", images, " has ", bytes, " bytes; need a multiple of the ", kImage,
                    " bytes of an image");
    total_ += bytes / kImage;
    if (labels.empty()) return;
    part.labels = std::make_unique<MappedFile>(owner_, labels);
    if (part.labels->size() != bytes / kImage)
      runtime_error(owner_, ": ", images, " has ", bytes / kImage, " images, ", labels, " has ",
                    part.labels->size(), " labels; need as many");
  }

  const Part& part_of(int64_t index) const {
    size_t at = parts_.size() - 1;
    while (parts_[at]->begin > index) --at;
    return *parts_[at];
  }

  static int32_t label(const Part& part, int64_t index) {
    return part.labels ? static_cast<int32_t>(part.labels->data()[index]) - 1 : -1;
  }

  static Tensor image(const uint8_t* planes) {
    Tensor image = empty(DType::kUInt8, {kSide, kSide, 3});
    uint8_t* to = image->as<uint8_t>();
    for (int64_t y = 0; y < kSide; ++y)
      for (int64_t x = 0; x < kSide; ++x)
        for (int64_t plane = 0; plane < 3; ++plane) *to++ = planes[plane * kPlane + x * kSide + y];
    return image;
  }

  std::string owner_;
  std::vector<std::unique_ptr<Part>> parts_;
  int64_t total_ = 0;
};

SourceRef open_stl10(const Attributes& attributes) { return std::make_shared<Stl10Source>(attributes); }

DYAD_SOURCE(stl10, open_stl10);

}  // namespace

}  // namespace dyad::data
